/**
 * Options that all maps have, and the arrays that results go to.
 */
'use strict';

const { availableParallelism } = require('node:os');
const { expected, integer, isAttached, oneOf, readOptions } = require('../base/check.js');
const { inLargePages } = require('../tensor/allocate.js');
const { classOf, isBigArray, plain } = require('./words.js');

/** @typedef {{ threads: number, missing: unknown }} Options `missing`: what getMany has for a key that is not there */

const MAX_THREADS = 256;

const GETTERS = {
  threads: integer(1, MAX_THREADS),
  missing: (/** @type {unknown} */ value) => value,
};

/** @typedef {Options & { layout?: import('./generate.js').Layout }} MapOptions */

/** Of maps and sets. @type {(caller: string, options: unknown) => MapOptions} */
function mapOptionsOf(caller, options) {
  const { layout, ...more } = readOptions(caller, options, { ...GETTERS, layout: oneOf(['direct', 'hash', 'comparisons']) });
  return { ...optionsOf(caller, more), layout: /** @type {'hash'} */ (layout) };
}

/** Of indices what is missing is always -1. @type {(caller: string, of: string, missing: unknown) => void} */
function checkFace(caller, of, missing) {
  if (of !== 'index' || missing === undefined) return;
  expected(caller, "no option 'missing', as an index is -1 then", "option 'missing'", missing);
}

/** Of toNative(). @type {(options: unknown) => { of: 'value' | 'index', missing: unknown }} */
function nativeOptions(options) {
  const { of = 'value', missing } = readOptions('toNative', options, {
    of: oneOf(['value', 'index']),
    missing: GETTERS.missing,
  });
  checkFace('toNative', of, missing);
  return { of: /** @type {'value'} */ (of), missing: missing === undefined ? NaN : missing };
}

/** @type {(caller: string, options: unknown) => Options} */
function optionsOf(caller, options) {
  const { threads = Math.min(availableParallelism(), MAX_THREADS), missing } = readOptions(caller, options, GETTERS);
  return { threads, missing };
}

/** What a missing value is among these, unless told: NaN or 0. @type {(values: any) => number | bigint} */
function missingIn(values) {
  if (isBigArray(values)) return 0n;
  return ArrayBuffer.isView(values) && !(values instanceof Float64Array || values instanceof Float32Array) ? 0 : NaN;
}

/** The same as a number, in a graph. @type {(values: any, missing: unknown) => number} */
const missingInGraph = (values, missing) => (typeof missing === 'number' ? missing : Number(missingIn(values)));

/**
 * A value as an element of the class of `values`, which floats are rounded to and other numbers have to be.
 *
 * @type {(caller: string, values: any, which?: string) => (value: any) => any}
 */
function elementOf(caller, values, which = 'a value') {
  if (classOf(values) === undefined) return (value) => value;
  const type = isBigArray(values) ? 'bigint' : 'number';
  const isFloat = values instanceof Float64Array || values instanceof Float32Array;
  const element = new values.constructor(1);
  return (value) => {
    if (typeof value !== type) return expected(caller, `a ${type}, as values are`, which, value);
    element[0] = value;
    if (isFloat || element[0] === value) return element[0];
    return expected(caller, `an element of ${values.constructor.name}, as values are`, which, value);
  };
}

/** Refuses what no value among these can be. @type {(caller: string, values: any, missing: unknown) => void} */
function checkMissing(caller, values, missing) {
  if (missing !== undefined) elementOf(caller, values, "option 'missing'")(missing);
}

/** What a key that is not there has among these values. @type {(values: any, missing: unknown) => any} */
const missingOf = (values, missing) => (missing === undefined ? missingIn(values) : missing);

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

/**
 * An array for `count` results of the class of `values`, and what is put there for a key that is not there.
 *
 * @param {string} caller
 * @param {any} values
 * @param {unknown} missing
 * @param {number} count
 * @param {any} out
 * @returns {{ all: any, missing: any }}
 */
function resultsFor(caller, values, missing, count, out) {
  if (classOf(values) === undefined) return { all: arrayFor(caller, out, count), missing };
  return { all: outFor(caller, out, values.constructor, count), missing: missingOf(values, missing) };
}

/**
 * The values at these indices.
 *
 * @param {string} caller
 * @param {any} values
 * @param {unknown} missing
 * @param {Int32Array} indices -1 where a key is not there
 * @param {any} out
 * @returns {any}
 */
function valuesAt(caller, values, missing, indices, out) {
  const { all, missing: none } = resultsFor(caller, values, missing, indices.length, out);
  for (let i = 0; i < indices.length; i++) all[i] = indices[i] < 0 ? none : values[indices[i]];
  return all;
}

module.exports = {
  GETTERS, checkFace, checkMissing, elementOf, mapOptionsOf, missingInGraph, missingOf, nativeOptions, optionsOf,
  outFor, resultsFor, valuesAt,
};
