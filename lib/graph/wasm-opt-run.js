/**
 * The process that lib/graph/wasm-opt.js starts: `wasm-opt` for several modules at the same time, each in a process of
 * its own. Its argument is JSON: the words of each command. The first line of what went wrong goes to stderr.
 */
'use strict';

const { execFile } = require('node:child_process');

/** Larger than any module that is worth a minute. */
const LONGEST_MS = 300_000;

for (const words of JSON.parse(process.argv[2])) {
  execFile(process.execPath, words, { timeout: LONGEST_MS }, (error, _stdout, stderr) => {
    if (!error) return;
    process.exitCode = 1;
    process.stderr.write(`${stderr.trim().split('\n')[0] || error.message.split('\n')[0]}\n`);
  });
}
