// Plain functions: V8, native code of the very same source, and C.
//
// 'graphjit' gives V8's bits on one thread, 'graphjit fast' may reorder and contract and has all cores. V8 is warm: timing.js calls
// everything for a while first. Before anything is timed, all who give V8's bits are seen to, and the rest to be near.
'use strict';

const path = require('node:path');
const { isTypedArray } = require('node:util/types');
const { native } = require('../../../lib/index.js');
const { fill } = require('../support/arrays.js');
const { addonFile, compilers, cores, inPython, plainClang } = require('../support/peers.js');
const programs = require('../support/programs.js');

const support = path.join(__dirname, '..', 'support');

const bodies = () =>
  Float64Array.of(
    ...[0, 0, 0, 0, -0.0003, 0, 39.47], ...[4.84, -1.16, -0.1, 0.6, 2.81, -0.02, 0.037], ...[8.34, 4.12, -0.4, -1.01, 1.82, 0.008, 0.011],
    ...[12.89, -15.11, -0.22, 1.08, 0.86, -0.01, 0.0017], ...[15.37, -25.91, 0.17, 0.97, 0.59, -0.03, 0.002],
  );

const f64 = (/** @type {number} */ length, to = 1) => fill({ type: 'f64', length, to });

/**
 * `args` are the function's. C takes their numbers as one array (or `numbers`), then their arrays, then one for its result.
 * `python` makes arguments and calls Numba's function.
 */
const rows = {
  mandelbrot: {
    title: '300×200 points, at most 200 rounds', kernel: 'mandelbrot', args: () => [new Uint16Array(60_000), 300, 200, 200],
    python: ['image = np.zeros(60000, np.uint16)', 'mandelbrot(image, 300, 200, 200)'],
  },
  'n-body': {
    title: '5 bodies, 2000 steps', program: 'nbody', kernel: 'nbody', args: () => [bodies(), 2000, 0.001], numbers: [5, 2000, 0.001],
    python: [`bodies = np.array([${bodies().join(', ')}])`, 'nbody(bodies, 2000, 0.001)'],
  },
  'spectral-norm': {
    title: 'n = 200, 5 rounds', program: 'spectralNorm', kernel: 'spectral_norm', args: () => [200, 5],
    python: ['', 'spectral_norm(200, 5)'],
  },
  fannkuch: { title: 'n = 8', kernel: 'fannkuch', args: () => [8], python: ['', 'fannkuch(8)'] },
  sieve: { title: 'primes up to 1e6', kernel: 'sieve', args: () => [1e6], python: ['', 'sieve(1000000)'] },
  matmul: {
    title: '160×160, triple loop', kernel: 'matmul', args: () => [f64(25_600), f64(25_600, 2), new Float64Array(25_600), 160],
    python: ['a, b, c = np.random.rand(25600), np.random.rand(25600), np.zeros(25600)', 'matmul(a, b, c, 160)'],
  },
  collatz: { title: 'the longest chain below 3e4', kernel: 'collatz', args: () => [3e4], python: ['', 'collatz(30000)'] },
  'moving-median': {
    title: '2e4 f64, windows of 31', program: 'movingMedian', kernel: 'moving_median',
    args: () => [f64(2e4), new Float64Array(2e4 - 30), 31], numbers: [2e4, 31],
    python: ['data, medians = np.random.rand(20000), np.zeros(19970)', 'moving_median(data, medians, 31)'],
  },
};

/** Where the CPU can, clang makes one rounding of a product and a sum, which JavaScript does not allow. */
const SAME_BITS = 'clang, same bits';
const tuned = compilers['clang -O3'];
const inClang = {
  'clang -O3': plainClang, 'clang, this CPU': tuned, [SAME_BITS]: [...tuned, '-ffp-contract=off'],
  'clang -ffast-math': [...tuned, '-ffast-math'],
};

/** The C kernel on arguments as the JavaScript function has them; gives its result. @param {string} file @param {string} kernel @param {any[]} args @param {number[]} [numbers] */
function inC(file, kernel, args, numbers = args.filter((arg) => typeof arg === 'number')) {
  const arrays = args.filter(isTypedArray);
  const [given, result] = [Float64Array.from(numbers), new Float64Array(1)];
  const run = require(file)[kernel];
  return () => {
    run(given, ...arrays, result);
    return result[0];
  };
}

/**
 * Throws where numbers are not V8's: to the bit, or, where `tolerance` is not 0, but for one in a hundred, since in fast arithmetic
 * a point on the edge of a set may take another number of rounds.
 *
 * @param {number[]} actual @param {number[]} expected @param {number} tolerance relative @param {string} who
 */
function check(actual, expected, tolerance, who) {
  const isNear = (/** @type {number} */ x, /** @type {number} */ y) => Object.is(x, y) || Math.abs(x - y) <= tolerance * Math.abs(y);
  const far = expected.flatMap((y, i) => (isNear(actual[i], y) ? [] : [i]));
  const [at] = far;
  if (far.length > (tolerance && expected.length / 100)) throw new Error(`${who} gives ${actual[at]} at ${at}, V8 ${expected[at]}`);
}

/** What a function gives, and what it leaves in its arrays. @param {Function} fn @param {any[]} args */
function numbersOf(fn, args) {
  const result = fn(...args);
  return [Number(result), ...args.filter(isTypedArray).flatMap((array) => Array.from(/** @type {any} */ (array)))];
}

/** Numba's function on one thread and on all. @param {string[]} python */
function inNumba([setup, statement]) {
  const lines = ['import sys', 'sys.dont_write_bytecode = True', `sys.path.insert(0, ${JSON.stringify(support)})`, 'import numpy as np', 'from programs import *', setup];
  const on = (/** @type {number} */ threads) => inPython('numba', lines.join('\n'), statement, threads);
  return { ...on(1), ...(cores > 1 && on(cores)) };
}

/** All who compute a row, looked at before they are timed. @param {any} row @param {Function} fn */
function contestantsOf({ kernel, args, numbers, python }, fn) {
  const calls = { graphjit: native(fn, { threads: 1 }), 'graphjit fast': native(fn, { threads: cores, numerics: 'fast' }), V8: fn };
  const expected = numbersOf(fn, args());
  /** @type {Record<string, () => any>} */
  const found = {};
  for (const [who, call] of Object.entries(calls)) {
    check(numbersOf(call, args()), expected, who === 'graphjit fast' ? 1e-6 : 0, who);
    const own = args();
    found[who] = () => call(...own);
  }
  for (const [who, compiler] of Object.entries(inClang)) {
    const file = addonFile(compiler);
    if (!file) continue;
    const own = args();
    const call = inC(file, kernel, own, numbers);
    check([call(), ...numbersOf(() => 0, own).slice(1)], expected, who === SAME_BITS ? 0 : 1e-6, who);
    found[who] = call;
  }
  return { ...found, ...inNumba(python) };
}

/** @param {string} name */
function functionCase(name) {
  const row = /** @type {any} */ (rows)[name];
  const fn = /** @type {any} */ (programs)[row.program ?? name];
  return {
    name: `function-${name}`, title: `${name}: ${row.title}`, unit: 'µs', group: 'functions',
    targets: [...['clang -O3', 'clang, this CPU', SAME_BITS, 'V8'].map((peer) => ({ peer, speed: 1 })), { who: 'graphjit fast', peer: 'clang -ffast-math', speed: 1 }],
    contestants: () => contestantsOf(row, fn),
  };
}

/** In 64-bit integers, which JavaScript has as BigInts; numbers can do this one, too. C finds the sum without a loop. */
const sum = {
  name: 'function-sum', title: 'sum of 0 to 1e7', unit: 'ms',
  targets: [{ below: 26 }, { peer: 'V8, numbers', speed: 1 }, { peer: 'V8, BigInts', speed: 50 }],
  contestants() {
    const [big, plain] = [programs.sumToBig, programs.sumTo].map((fn) => native(fn));
    check([Number(big(10_000_000n)), plain(1e7), Number(programs.sumToBig(10_000_000n))], Array(3).fill(programs.sumTo(1e7)), 0, 'graphjit');
    return {
      graphjit: () => big(10_000_000n), 'graphjit, numbers': () => plain(1e7),
      'V8, numbers': () => programs.sumTo(1e7), 'V8, BigInts': () => programs.sumToBig(10_000_000n),
      ...inNumba(['', 'sum_to(10000000)']),
    };
  },
};

module.exports = [sum, ...Object.keys(rows).map(functionCase)];
