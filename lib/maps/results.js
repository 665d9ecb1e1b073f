/**
 * Options that all maps have, and the arrays that results go to.
 */
'use strict';

const { availableParallelism } = require('node:os');
const { expected, integer, isAttached, oneOf, readOptions } = require('../base/check.js');
const { inLargePages } = require('../tensor/allocate.js');
const { isBigArray, plain } = require('./words.js');

/** @typedef {{ threads: number, missing: unknown }} Options `missing`: what getMany has for a key that is not there */

const MAX_THREADS = 256;

const GETTERS = {
  threads: integer(1, MAX_THREADS),
  missing: (/** @type {unknown} */ value) => value,
};

/** Of toNative(). @type {(options: unknown) => { of: 'value' | 'index', missing: unknown }} */
function nativeOptions(options) {
  const { of = 'value', missing = NaN } = readOptions('toNative', options, {
    of: oneOf(['value', 'index']),
    missing: GETTERS.missing,
  });
  return { of: /** @type {'value'} */ (of), missing };
}

/** @type {(caller: string, options: unknown) => Options} */
function optionsOf(caller, options) {
  const { threads = Math.min(availableParallelism(), MAX_THREADS), missing } = readOptions(caller, options, GETTERS);
  return { threads, missing };
}

/** What a missing value is among these, unless told: NaN or 0. @type {(values: any) => number | bigint} */
function missingIn(values) {
  if (isBigArray(values)) return 0n;
  return values instanceof Float64Array || values instanceof Float32Array ? NaN : 0;
}

/** Whether an element of the class can be this. @type {(caller: string, values: any, missing: unknown) => any} */
function missingOf(caller, values, missing) {
  if (missing === undefined) return missingIn(values);
  const type = isBigArray(values) ? 'bigint' : 'number';
  return typeof missing === type ? missing : expected(caller, `a ${type}, as values are`, "option 'missing'", missing);
}

/**
 * A typed array for `count` results: `out`, or a new one.
 *
 * @param {string} caller
 * @param {any} out
 * @param {any} Class
 * @param {number} count
 * @returns {any}
 */
function outFor(caller, out, Class, count) {
  if (out === undefined) {
    const all = new Class(count);
    inLargePages(new Uint8Array(all.buffer));
    return all;
  }
  const own = plain(out);
  if (own?.constructor === Class && own.length >= count && isAttached(own)) return out;
  return expected(caller, `a ${Class.name} of at least ${count}`, "'out'", out);
}

/** @type {(caller: string, out: any, count: number) => any[]} */
function arrayFor(caller, out, count) {
  if (out === undefined) return new Array(count);
  return Array.isArray(out) ? out : expected(caller, 'an array', "'out'", out);
}

module.exports = { GETTERS, arrayFor, missingOf, nativeOptions, optionsOf, outFor };
