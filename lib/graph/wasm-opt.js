/**
 * The optimiser of Binaryen, applied to modules by choice, where the npm package `binaryen` is installed.
 *
 * toWasm is synchronous and the command `wasm-opt` WebAssembly of 11 MB, so it runs in processes of its own, on files,
 * those of all modules at the same time (lib/graph/wasm-opt-run.js). Most of its time would go into V8 optimising it,
 * which modules of usual sizes do not wait for: `--liftoff-only` makes it a second instead of several. It is looked for
 * where the program runs and beside graphjit. What comes back larger than it was, or as no module, is not taken.
 */
'use strict';

const fs = require('node:fs');
const { createRequire } = require('node:module');
const os = require('node:os');
const path = require('node:path');
const { fail } = require('../base/errors.js');

/** @typedef {'mvp' | 'simd' | 'relaxed'} Variant */
/** @typedef {Record<string, Uint8Array>} Modules by their variant */

const SIMD = [
  '--enable-simd', '--enable-sign-ext', '--enable-nontrapping-float-to-int', '--enable-bulk-memory',
  '--enable-mutable-globals',
];

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
 * The words of the command for one module.
 *
 * @param {string} command
 * @param {string} folder
 * @param {Variant} variant
 * @param {boolean} threads
 */
function wordsOf(command, folder, variant, threads) {
  const [source, target] = ['in', 'out'].map((name) => path.join(folder, `${name}.${variant}.wasm`));
  return [
    '--liftoff-only', command, source, '-o', target, '--mvp-features', ...FEATURES[variant],
    ...(threads ? ['--enable-threads'] : []), ...PASSES,
  ];
}

/**
 * Runs the commands in the folder; what went wrong, or undefined.
 *
 * @type {(folder: string, commands: string[][]) => string | undefined}
 */
function runCommands(folder, commands) {
  const env = { ...process.env, ELECTRON_RUN_AS_NODE: '1', NODE_OPTIONS: '' };
  const { spawnSync } = require('node:child_process'); // takes milliseconds to load
  const words = [path.join(__dirname, 'wasm-opt-run.js'), JSON.stringify(commands)];
  const { status, stderr, error } = spawnSync(process.execPath, words, { cwd: folder, encoding: 'utf8', env });
  return status === 0 ? undefined : (error?.message ?? stderr.trim().split('\n')[0]);
}

/** @type {(plain: Uint8Array, small: Uint8Array) => Uint8Array} */
const better = (plain, small) =>
  /** @type {any} */ (globalThis).WebAssembly.validate(small) && small.length < plain.length ? small : plain;

/**
 * @param {string} caller
 * @param {Modules} modules
 * @param {{ threads: boolean, optimize: boolean | 'auto' }} wanted
 * @returns {Modules} the same modules, as small or smaller
 */
function shrink(caller, modules, { threads, optimize }) {
  if (optimize === false) return modules;
  const required = optimize === true;
  const command = findCommand();
  if (command === undefined) {
    if (!required) return modules;
    return fail(
      'ERR_UNSUPPORTED',
      `${caller}: option 'optimize' needs the package binaryen: npm install --save-dev binaryen`,
    );
  }
  /** @type {(reason: string) => Modules} */
  const failed = (reason) =>
    required ? fail('ERR_INTERNAL', `${caller}: wasm-opt of the package binaryen failed: ${reason}`) : modules;
  let folder = '';
  try {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'graphjit-wasm-'));
    const variants = /** @type {Variant[]} */ (Object.keys(modules));
    for (const variant of variants) fs.writeFileSync(path.join(folder, `in.${variant}.wasm`), modules[variant]);
    const wrong = runCommands(
      folder,
      variants.map((variant) => wordsOf(command, folder, variant, threads)),
    );
    if (wrong !== undefined) return failed(wrong);
    const made = (/** @type {Variant} */ variant) =>
      new Uint8Array(fs.readFileSync(path.join(folder, `out.${variant}.wasm`)));
    return Object.fromEntries(variants.map((variant) => [variant, better(modules[variant], made(variant))]));
  } catch (error) {
    // There is no folder to work in, or no room.
    if (!(error instanceof Error && 'syscall' in error)) throw error;
    return failed(error.message);
  } finally {
    if (folder !== '') fs.rmSync(folder, { recursive: true, force: true });
  }
}

module.exports = { shrink };
