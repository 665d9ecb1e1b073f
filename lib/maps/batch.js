/**
 * Lookups of many keys: natively where keys are in typed arrays or columns, and by the map's own code where they are in
 * an array, since to take a string out of the engine takes longer than to look it up.
 */
'use strict';

const { expected, isAttached } = require('../base/check.js');
const { fail } = require('../base/errors.js');
const { readTable } = require('../columns/data/index.js');
const { numbersOf } = require('../tensor/halves.js');
const { numberRequest, perform, textRequest } = require('./requests.js');
const { outFor } = require('./results.js');
const { valuesByIndex } = require('./values.js');
const { classOf, isBigArray, plain } = require('./words.js');

/** @typedef {import('./generate.js').Parts} Parts */
/** @typedef {import('../columns/data/column.js').Column} Column */

/**
 * Where results go: indices, or elements of the class of values.
 *
 * @typedef {object} Output
 * @property {any} values or null for indices
 * @property {any} missing
 * @property {any} out a typed array
 * @property {number} threads
 */
/**
 * Who finds keys of one piece of memory.
 *
 * @typedef {object} Finder
 * @property {'numbers' | 'bigints' | 'strings' | 'addresses'} keys what its keys are
 * @property {string} of whose they are, in messages
 * @property {(keys: any, validity: Uint8Array | null, output: Output) => void} [array] of a typed array of such keys
 * @property {(column: Column, output: Output) => void} [texts]
 */

/** @type {(parts: Parts) => Finder} */
function finderOf(parts) {
  const keys = parts.kind === 'signed' || parts.kind === 'unsigned' ? 'bigints' : parts.kind === 'string' ? 'strings' : 'numbers';
  return {
    keys,
    of: 'the map',
    array: (list, validity, output) => {
      const { out, threads } = output;
      const request = numberRequest(parts, Number(classOf(list)), output);
      perform(request, { length: list.length, keys: list, validity, out, threads });
    },
    texts: (column, output) => {
      const values = output.values === null ? null : valuesByIndex(parts);
      performTexts(column, (width) => textRequest(parts, width, { ...output, values }), output);
    },
  };
}

/**
 * Texts of a column, which a request is made for by the bytes of its offsets.
 *
 * @param {Column} column
 * @param {(width: number) => import('./requests.js').Request} requestFor
 * @param {{ out: any, threads: number }} to
 */
function performTexts({ length, values, validity, offsets }, requestFor, { out, threads }) {
  const width = offsets instanceof BigInt64Array ? 8 : 4;
  perform(requestFor(width), { length, keys: values, validity, offsets, out, threads });
}

/** What each finder looks up, besides columns of it. */
const TAKEN = { numbers: ['numbers'], bigints: ['bigints'], strings: ['strings'], addresses: ['strings', 'numbers', 'bigints'] };

/** @type {(finder: Finder, caller: string, given: 'numbers' | 'bigints' | 'strings') => void} */
function checkKind({ keys, of }, caller, given) {
  if (!TAKEN[keys].includes(given)) fail('ERR_DTYPE', `${caller}: the keys are ${given}, those of ${of} are ${keys}`);
}

/** Keys of a typed array. @type {(finder: Finder, caller: string, keys: any, validity: Uint8Array | null, output: Output) => void} */
function lookUpArray(finder, caller, keys, validity, output) {
  if (!isAttached(keys)) fail('ERR_STATE', `${caller}: the keys are detached`);
  checkKind(finder, caller, isBigArray(keys) ? 'bigints' : 'numbers');
  if (keys.length > 0) finder.array?.(keys, validity, output);
}

/** Values by row of a dictionary's, once each. @type {(column: Column, found: any, output: Output) => void} */
function spread({ values: rows, validity, length }, found, { out, values, missing }) {
  const none = values === null ? -1 : missing;
  for (let i = 0; i < length; i++) {
    const isNull = validity !== null && !((validity[i >> 3] >> (i & 7)) & 1);
    out[i] = isNull ? none : found[rows[i]];
  }
}

/** @type {(finder: Finder, caller: string, column: Column, output: Output) => void} */
function lookUpColumn(finder, caller, column, output) {
  const { type, layout, length } = column;
  if (length === 0) return;
  if (layout === 'dictionary') {
    const dictionary = /** @type {Column} */ (column.dictionary);
    const out = new output.out.constructor(dictionary.length);
    lookUpColumn(finder, caller, dictionary, { ...output, out });
    spread(column, out, output);
  } else if (type.kind === 'utf8') {
    checkKind(finder, caller, 'strings');
    finder.texts?.(column, output);
  } else if (layout === 'fixed' && classOf(column.values) !== undefined && ['int', 'float'].includes(type.kind)) {
    const elements = column.values.subarray(0, length);
    const isHalf = type.kind === 'float' && type.bits === 16;
    const keys = isHalf ? numbersOf({ data: elements, dtype: 'f16' }) : elements;
    lookUpArray(finder, caller, keys, column.validity, output);
  } else {
    fail('ERR_DTYPE', `${caller}: keys of type ${type.text}, those of ${finder.of} are ${finder.keys}`);
  }
}

/** Columns of whatever columns are made of, or of a column of a table. @type {(caller: string, keys: any) => readonly Column[]} */
function columnsOf(caller, keys) {
  if (typeof keys !== 'object' || keys === null) return expected(caller, 'a typed array, an array or a column', 'keys', keys);
  const parts = Array.isArray(keys.chunks) ? keys.chunks : [keys];
  return parts.flatMap((/** @type {any} */ part) => {
    const own = readTable({ keys: part });
    const { chunks } = own.column('keys', caller);
    own.checkIntact(['keys'], caller);
    return chunks;
  });
}

/**
 * @param {Finder | null} finder null where there is nothing to find
 * @param {string} caller
 * @param {any} keys a typed array or a column
 * @param {{ Class: any, values: any, missing: any, out: any, threads: number }} how `Class`: of results
 * @returns {any} `out`, or an array
 */
function lookUp(finder, caller, keys, { Class, values, missing, out, threads }) {
  const array = plain(keys);
  const columns = array ? [] : columnsOf(caller, keys);
  const count = array ? array.length : columns.reduce((sum, { length }) => sum + length, 0);
  const all = outFor(caller, out, Class, count);
  if (finder === null) return all.fill(values === null ? -1 : missing, 0, count);
  if (array) lookUpArray(finder, caller, array, null, { values, missing, out: all, threads });
  let at = 0;
  for (const column of columns) {
    lookUpColumn(finder, caller, column, { values, missing, out: all.subarray(at, at + column.length), threads });
    at += column.length;
  }
  return all;
}

module.exports = { finderOf, lookUp, performTexts };
