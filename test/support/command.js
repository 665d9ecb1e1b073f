// Runs the graphjit command as a user would, in a process and a folder of its own.
'use strict';

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { spawn } = require('node:child_process');

const main = path.join(__dirname, '..', '..', 'lib', 'cli', 'main.js');

/** @typedef {{ code: number | null, stdout: string, stderr: string }} Ended */

/** A folder that goes with the process. @type {() => string} */
function newFolder() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'graphjit-command-'));
  process.once('exit', () => fs.rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/**
 * @param {readonly string[]} words
 * @param {{ cwd?: string, input?: string | Uint8Array, env?: Record<string, string> }} [options]
 * @returns {Promise<Ended>}
 */
function graphjit(words, { cwd, input = '', env = {} } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [main, ...words], { cwd, env: { ...process.env, FORCE_COLOR: '0', ...env } });
    const ended = { stdout: '', stderr: '' };
    child.stdout.setEncoding('utf8').on('data', (text) => (ended.stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text) => (ended.stderr += text));
    child.on('error', reject).on('close', (code) => resolve({ code, ...ended }));
    child.stdin.on('error', () => {}).end(input); // commands need not read it
  });
}

module.exports = { graphjit, main, newFolder };
