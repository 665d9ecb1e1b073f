/**
 * Objects for C: an object file, its assembly or LLVM IR for any target that is linked in, and the C
 * header of it. C knows the targets; here options are checked and given their defaults.
 */
'use strict';

const { native } = require('../base/binding.js');
const { boolean, expected, integer, oneOf, readOptions } = require('../base/check.js');
const { fail } = require('../base/errors.js');
const { NUMERICS, numericsOption } = require('../base/numerics.js');

/** @typedef {import('../base/binding.js').Handle} Handle */

/** What C calls the results; `llvm` is the second one before optimisation. */
const EMITS = Object.freeze({ llvm: 1, bitcode: 2, assembly: 3, object: 4 });
const LLVM_AS_EMITTED = 0;
const emitOption = oneOf(/** @type {(keyof typeof EMITS)[]} */ (Object.keys(EMITS)));

/** A text that says something and ends where it ends. @type {import('../base/check.js').Getter<string>} */
function text(value, which, caller) {
  if (typeof value !== 'string' || value === '') return expected(caller, 'a string that is not empty', which, value);
  return value.includes('\0') ? expected(caller, 'a string without NUL', which, value) : value;
}

/**
 * "+a,-b", or a list of such words.
 *
 * @type {import('../base/check.js').Getter<string>}
 */
function featuresOption(value, which, caller) {
  const words = Array.isArray(value)
    ? Array.from(value, (each, i) => text(each, `${which}[${i}]`, caller)).join(',')
    : text(value, which, caller);
  return words !== '' && words.split(',').includes('')
    ? expected(caller, "features such as '+avx2,-fma'", which, value)
    : words;
}

const own = {
  target: text, cpu: text, features: featuresOption, emit: emitOption, optimized: boolean, numerics: numericsOption,
  optLevel: integer(0, 3), symbol: text,
};

/**
 * Options of everything that becomes an object, with their defaults.
 *
 * @param {string} caller
 * @param {unknown} options
 * @param {{ numerics: keyof typeof NUMERICS }} defaults
 * @param {Record<string, import('../base/check.js').Getter<any>>} [more] options besides
 * @returns {any}
 */
function objectOptions(caller, options, defaults, more) {
  const given = /** @type {any} */ (readOptions(caller, options, { ...own, ...more }));
  const settled = { target: '', cpu: '', features: '', symbol: '', emit: 'object', optLevel: 3, ...defaults, ...given };
  if (given.optimized !== undefined && settled.emit !== 'llvm') {
    return fail('ERR_ARGUMENT', `${caller}: option 'optimized' goes with emit 'llvm', not '${settled.emit}'`);
  }
  return settled;
}

/**
 * @template T
 * @param {any} settled what objectOptions gives
 * @param {(target: string, cpu: string, features: string, numerics: number, optLevel: number, emit: number) => T} compile
 */
function compileObject({ target, cpu, features, numerics, optLevel, emit, optimized }, compile) {
  const what = optimized === false ? LLVM_AS_EMITTED : EMITS[/** @type {keyof typeof EMITS} */ (emit)];
  return compile(target, cpu, features, NUMERICS[/** @type {keyof typeof NUMERICS} */ (numerics)], optLevel, what);
}

/**
 * @param {string} caller
 * @param {Handle} graph
 * @param {unknown} options
 * @returns {Uint8Array | string}
 */
function toObject(caller, graph, options) {
  const { threads = false, ...given } = objectOptions(caller, options, { numerics: 'strict' }, { threads: boolean });
  return compileObject(given, (target, cpu, features, numerics, optLevel, emit) =>
    native.objectCompile(graph, target, cpu, features, given.symbol, numerics, optLevel, threads, emit),
  );
}

/**
 * @param {string} caller
 * @param {Handle} graph
 * @param {unknown} options
 * @returns {string}
 */
function toHeader(caller, graph, options) {
  const {
    symbol = '',
    numerics = 'strict',
    threads = false,
  } = readOptions(caller, options, {
    symbol: text,
    numerics: numericsOption,
    threads: boolean,
  });
  return native.objectHeader(graph, symbol, NUMERICS[numerics], threads);
}

/** What `target`, `cpu` and `features` may be. */
function targets() {
  return native.targets();
}

module.exports = { compileObject, objectOptions, targets, textOption: text, toHeader, toObject };
