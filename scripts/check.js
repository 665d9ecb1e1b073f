// The checks that need no build: C format, JavaScript lint, types.
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const { spawnSync } = require('node:child_process');
const { root } = require('./setup.js');

/**
 * Paths of files under some folders, relative to the root and sorted, so that no step depends on
 * git or on the order of directory entries.
 *
 * @param {string[]} folders
 * @param {RegExp} pattern
 * @returns {string[]}
 */
function findFiles(folders, pattern) {
  return folders
    .filter((folder) => fs.existsSync(path.join(root, folder)))
    .flatMap((folder) =>
      fs
        .readdirSync(path.join(root, folder), { recursive: true })
        .map((name) => path.join(folder, String(name)))
        .filter((file) => pattern.test(file)),
    )
    .sort();
}

/** Runs a command in the root and returns whether it succeeded. @param {string[]} line */
function run(line, env = {}) {
  const [command, ...words] = line;
  const options = { cwd: root, env: { ...process.env, ...env } };
  return spawnSync(command, words, { ...options, stdio: ['ignore', 'inherit', 'inherit'] }).status === 0;
}

const cFiles = () => findFiles(['addon', 'src', 'test/c', 'test/fuzz'], /\.(c|h|cpp)$/);
const packageBin = (/** @type {string} */ name) => path.join('node_modules', '.bin', name);

// clang-format's output differs between versions; 14 is what Debian 12 has.
const format = () => run(['clang-format-14', '-i', ...cFiles()]);
// Command lines of checks, which `run` or a part of the tests runs.
const checkFormat = () => ['clang-format-14', '--dry-run', '-Werror', ...cFiles()];
const lint = () => [packageBin('eslint'), '--max-warnings=0', '.'];
const types = () => [packageBin('tsc'), '-p', '.'];

module.exports = { findFiles, run, format, checkFormat, lint, types };
