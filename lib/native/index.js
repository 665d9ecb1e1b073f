/**
 * native(fn, signature?, options?): a plain JavaScript function as machine code.
 *
 * Here arguments of `native` are read and it is decided when to compile: at once where a signature, or comments, give
 * all types, so that mistakes are found early; else by the first call. What cannot be compiled is an error, or with
 * `fallback` the function as it was.
 */
'use strict';

const { availableParallelism } = require('node:os');
const { boolean, expected, integer, isOptions, oneOf, readOptions } = require('../base/check.js');
const { fail } = require('../base/errors.js');
const { numericsOption } = require('../base/numerics.js');
const { Callable, functionOf, isRefusal, originalOf } = require('./run/callable.js');
const { Unit } = require('./run/unit.js');
const { readSignature } = require('./source/signature.js');
const others = require('./uses.js');

/** @typedef {import('./source/signature.js').Signature} Signature */

const MAX_THREADS = 256;

/** @type {import('../base/check.js').Getter<Record<string, unknown>>} */
const captureOption = (value, which, caller) => {
  if (!isOptions(value)) return expected(caller, 'an object of what the names mean', which, value);
  return { ...value };
};

/** @type {import('../base/check.js').Getter<import('./run/callable.js').Shape>} */
const shapeOption = (value, which, caller) => {
  if (typeof value === 'function' || typeof value === 'string' || typeof value === 'number' || Array.isArray(value))
    return /** @type {any} */ (value);
  return expected(caller, 'an array of sizes, or a function that gives one', which, value);
};

/** Options, in the order in which messages list them. */
const getters = {
  bounds: oneOf(/** @type {const} */ (['exact', 'check', 'unchecked'])),
  numerics: numericsOption,
  threads: integer(1, MAX_THREADS),
  capture: captureOption,
  shape: shapeOption,
  fallback: boolean,
  cache: boolean,
  optLevel: integer(0, 3),
  tier: oneOf(/** @type {const} */ (['auto', 'full'])),
};

/** What a signature is made of, which may stand among the options when these come alone. */
const signatureGetters = {
  params: (/** @type {unknown} */ value) => value,
  returns: (/** @type {unknown} */ value) => value,
};

/** @type {(options: any) => { capture: Record<string, unknown>, shape: import('./run/callable.js').Shape | null, options: import('./run/unit.js').Options }} */
function readNativeOptions({ capture = {}, shape = null, ...given }) {
  const threads = Math.min(availableParallelism(), MAX_THREADS);
  /** @type {import('./run/unit.js').Options} */
  const defaults = {
    bounds: 'exact', numerics: 'default', threads, optLevel: 3, cache: true, tier: 'auto', fallback: false,
  };
  return { capture, shape, options: { ...defaults, ...given } };
}

/**
 * Tells the signature from options, which may come without one.
 *
 * @type {(signature: unknown, options: unknown) => { signature: Signature | null, given: any }}
 */
function readArguments(signature, options) {
  if (typeof signature === 'string') {
    return { signature: readSignature(signature, 'native'), given: readOptions('native', options, getters) };
  }
  if (signature === undefined || signature === null)
    return { signature: null, given: readOptions('native', options, getters) };
  if (!isOptions(signature)) return expected('native', 'an object or a text', 'the signature', signature);
  if (options !== undefined) {
    readOptions('native', signature, signatureGetters);
    return { signature: readSignature(signature, 'native'), given: readOptions('native', options, getters) };
  }
  const { params, returns, ...given } = readOptions('native', signature, { ...signatureGetters, ...getters });
  if (params === undefined && returns !== undefined) {
    return fail('ERR_ARGUMENT', "native: a signature has 'params' too: 'returns' alone says too little");
  }
  return { signature: params === undefined ? null : readSignature({ params, returns }, 'native'), given };
}

/**
 * @param {unknown} fn a function, or the text of one
 * @param {unknown} [signature] types of params and result; or options, where there is none
 * @param {unknown} [options]
 * @returns {any} a function of the same arguments
 */
function native(fn, signature, options) {
  if (typeof fn !== 'function' && typeof fn !== 'string')
    return expected('native', 'a function or the text of one', 'the first argument', fn);
  const read = readArguments(signature, options);
  const settings = readNativeOptions(read.given);
  const known = typeof fn === 'function' ? source().originOf(fn) : undefined;
  const unit = new Unit(
    known?.origin ?? /** @type {any} */ (fn),
    { ...known?.capture, ...settings.capture },
    settings.options,
  );
  const own = new Callable(unit, read.signature, uses, settings.shape);
  try {
    return make(own);
  } catch (error) {
    if (!settings.options.fallback || typeof fn !== 'function' || !isRefusal(error)) throw error;
    own.fallBack(error);
    return originalOf(own, fn);
  }
}

/** The reader of sources and its parser, loaded by the first native function. */
const source = () => require('./source/index.js');

/** @type {(own: Callable) => any} */
function make(own) {
  const { unit } = own;
  const { count, hasRest } = unit.arity;
  own.prepare();
  const length = typeof unit.origin === 'function' ? unit.origin.length : count;
  const made = functionOf(own, hasRest ? -1 : count, length);
  source().remember(made, { origin: unit.origin, capture: unit.capture });
  return made;
}

const LINES = '(x, n) => { for (let i = 0; i < x.length; i += n) x.subarray(i, i + n).sort(compare); }';

/**
 * A native function that sorts an array line by line by a comparison: the comparisons are part of its code, and there
 * are n log n of them.
 *
 * @type {(compare: Function) => (lines: any, length: number) => void}
 */
const sorter = (compare) => native(LINES, { capture: { compare }, threads: 1 });

/** What native functions are used for. @type {import('./run/callable.js').Uses} */
const uses = { ...others, sorter };

module.exports = { native, uses };
