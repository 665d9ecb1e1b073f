/**
 * The optimiser of Binaryen, applied to modules where the npm package `binaryen` is installed.
 *
 * toWasm is synchronous and the package an ES module of 15 MB, so its command runs in a process of its
 * own, on files. It is looked for where the program runs and beside graphjit. What comes back larger
 * than it was, or as no module, is not taken.
 */
'use strict';

const fs = require('node:fs');
const { createRequire } = require('node:module');
const os = require('node:os');
const path = require('node:path');
const { fail } = require('./errors.js');

/** @typedef {{ variant: 'mvp' | 'simd' | 'relaxed', threads: boolean, required: boolean }} Wanted */

/** Larger than any module that is worth a minute. */
const LONGEST_MS = 300_000;

const SIMD = ['--enable-simd', '--enable-sign-ext', '--enable-nontrapping-float-to-int', '--enable-bulk-memory', '--enable-mutable-globals'];

/** The instructions that each variant may use, on top of version 1.0. */
const FEATURES = Object.freeze({ mvp: [], simd: SIMD, relaxed: [...SIMD, '--enable-relaxed-simd'] });

/** Folding vectors of equal lanes would replace 11 bytes by 18. */
const PASSES = ['-O3', '--skip-pass=precompute', '--skip-pass=precompute-propagate'];

/** The command, or undefined. @type {() => string | undefined} */
function findCommand() {
  for (const place of [() => path.join(process.cwd(), 'x'), () => __filename]) {
    try {
      const main = createRequire(place()).resolve('binaryen');
      const command = path.join(path.dirname(main), 'bin', 'wasm-opt');
      if (fs.existsSync(command)) return command;
    } catch {
      // Not installed there, or the folder is gone.
    }
  }
  return undefined;
}

/**
 * @param {string} caller
 * @param {Uint8Array} bytes
 * @param {Wanted} wanted
 * @returns {Uint8Array} the same module, as small or smaller
 */
function shrink(caller, bytes, { variant, threads, required }) {
  const command = findCommand();
  if (command === undefined) {
    if (!required) return bytes;
    return fail('ERR_UNSUPPORTED', `${caller}: option 'optimize' needs the package binaryen: npm install --save-dev binaryen`);
  }
  /** @type {(reason: string) => Uint8Array} */
  const failed = (reason) => (required ? fail('ERR_INTERNAL', `${caller}: wasm-opt of the package binaryen failed: ${reason}`) : bytes);
  let folder = '';
  try {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'graphjit-wasm-'));
    const [source, target] = ['in.wasm', 'out.wasm'].map((name) => path.join(folder, name));
    fs.writeFileSync(source, bytes);
    const words = [command, source, '-o', target, '--mvp-features', ...FEATURES[variant], ...(threads ? ['--enable-threads'] : []), ...PASSES];
    const env = { ...process.env, ELECTRON_RUN_AS_NODE: '1', NODE_OPTIONS: '' };
    const { spawnSync } = require('node:child_process'); // takes milliseconds to load
    const { status, stderr, error } = spawnSync(process.execPath, words, { cwd: folder, encoding: 'utf8', env, timeout: LONGEST_MS });
    if (status !== 0) return failed(error?.message ?? stderr.trim().split('\n')[0]);
    const smaller = new Uint8Array(fs.readFileSync(target));
    const isModule = /** @type {any} */ (globalThis).WebAssembly.validate(smaller);
    return isModule && smaller.length < bytes.length ? smaller : bytes;
  } catch (error) {
    // There is no folder to work in, or no room.
    if (!(error instanceof Error && 'syscall' in error)) throw error;
    return failed(error.message);
  } finally {
    if (folder !== '') fs.rmSync(folder, { recursive: true, force: true });
  }
}

module.exports = { shrink };
