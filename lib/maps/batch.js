/**
 * Lookups of many keys: natively where keys are in typed arrays or columns, and by the map's own code where they are in
 * an array, since to take a string out of the engine takes longer than to look it up.
 */
'use strict';

const { expected, isAttached } = require('../base/check.js');
const { fail } = require('../base/errors.js');
const { readTable } = require('../columns/data/index.js');
const { run, unitsOf } = require('./kernels.js');
const { outFor } = require('./results.js');
const { textTable } = require('./text-table.js');
const { KINDS, classOf, isBigArray, plain, slotsOf } = require('./words.js');

/** @typedef {import('./generate.js').Parts} Parts */
/** @typedef {import('../columns/data/column.js').Column} Column */

/** The bits of a double. */
const bits = (/** @type {number} */ number) => new BigInt64Array(Float64Array.of(number).buffer)[0];

/** @type {(array: any, value: any) => bigint} the bits that an element of this class has for a value */
function bitsIn(array, value) {
  const one = new array.constructor([value]);
  const bytes = new Uint8Array(8);
  bytes.set(new Uint8Array(one.buffer));
  return new BigInt64Array(bytes.buffer)[0];
}

/**
 * Where results go: indices, or elements of the class of values.
 *
 * @typedef {object} Output
 * @property {any} values by slot, or null for indices
 * @property {any} missing
 * @property {any} out a typed array
 * @property {number} threads
 */

/** @type {(output: Output) => [number, bigint]} bytes of a value, bits of a missing one */
const outputSlots = ({ values, missing, out }) =>
  values === null ? [0, 0n] : [out.BYTES_PER_ELEMENT, bitsIn(out, missing)];

/** @type {(parts: Parts) => (number | bigint)[]} what map_find is given of a table, from slot 6 on */
function tableSlots({ direct, table }) {
  if (direct) return [bits(direct.least), direct.indices.length, 0, 0, 0, 0, 0];
  return [0, 0, ...hashSlots(/** @type {any} */ (table))];
}

/** @type {(table: import('./table.js').Table) => number[]} a gjl_map_hash */
const hashSlots = ({ factors, bucketBits, slotBits }) =>
  [...factors.map((each) => each >>> 0), bucketBits === 0 ? 0 : 32 - bucketBits, 32 - slotBits];

/** @type {(parts: Parts, keys: any, validity: Uint8Array | null, output: Output) => void} */
function findNumbers(parts, keys, validity, output) {
  const { direct, table } = parts;
  const { length } = keys;
  const kind = KINDS[/** @type {'number'} */ (parts.kind)];
  const slots = slotsOf([
    unitsOf(length), length, Number(classOf(keys)), kind, ...outputSlots(output), ...tableSlots(parts),
  ]);
  const places = direct?.indices ?? table?.slots ?? null;
  const arrays = [keys, validity, places, table?.pilots ?? null, output.values, output.out];
  run('map_find', slots, arrays, output.threads);
}

/** @type {(parts: Parts, column: Column, output: Output) => void} */
function findTexts(parts, column, output) {
  const { seed, table, bytes, offsets, values } = textTable(parts, output.values);
  const { length } = column;
  const width = column.offsets instanceof BigInt64Array ? 8 : 4;
  const slots = slotsOf([unitsOf(length), length, seed, width, ...outputSlots(output), 0, 0, ...hashSlots(table)]);
  const texts = [column.values, column.validity];
  const own = [table.slots, table.pilots, values];
  const arrays = [...texts, ...own, output.out, column.offsets ?? null, bytes, offsets];
  run('map_find_texts', slots, arrays, output.threads);
}

/** @type {(parts: Parts, caller: string, bigs: boolean) => void} */
function checkKind({ kind }, caller, bigs) {
  const ofMap = kind === 'signed' || kind === 'unsigned' ? 'bigints' : kind === 'string' ? 'strings' : 'numbers';
  const given = bigs ? 'bigints' : 'numbers';
  if (ofMap !== given) fail('ERR_DTYPE', `${caller}: the keys are ${given}, those of the map are ${ofMap}`);
}

/** Keys of a typed array. @type {(parts: Parts, caller: string, keys: any, validity: Uint8Array | null, output: Output) => void} */
function lookUpArray(parts, caller, keys, validity, output) {
  if (!isAttached(keys)) fail('ERR_STATE', `${caller}: the keys are detached`);
  checkKind(parts, caller, isBigArray(keys));
  if (keys.length > 0) findNumbers(parts, keys, validity, output);
}

/** Values by row of a dictionary's, once each. @type {(column: Column, found: any, output: Output) => void} */
function spread({ values: rows, validity, length }, found, { out, values, missing }) {
  const none = values === null ? -1 : missing;
  for (let i = 0; i < length; i++) {
    const isNull = validity !== null && !((validity[i >> 3] >> (i & 7)) & 1);
    out[i] = isNull ? none : found[rows[i]];
  }
}

/** @type {(parts: Parts, caller: string, column: Column, output: Output) => void} */
function lookUpColumn(parts, caller, column, output) {
  const { type, layout, length } = column;
  if (length === 0) return;
  if (layout === 'dictionary') {
    const dictionary = /** @type {Column} */ (column.dictionary);
    const out = new output.out.constructor(dictionary.length);
    lookUpColumn(parts, caller, dictionary, { ...output, out });
    spread(column, out, output);
  } else if (type.kind === 'utf8') {
    if (parts.kind !== 'string') fail('ERR_DTYPE', `${caller}: the keys are strings, those of the map are not`);
    findTexts(parts, column, output);
  } else if (layout === 'fixed' && classOf(column.values) !== undefined && ['int', 'float'].includes(type.kind) && type.dtype !== 'f16') {
    lookUpArray(parts, caller, column.values.subarray(0, length), column.validity, output);
  } else {
    fail('ERR_DTYPE', `${caller}: keys of type ${type.text} are none that a map has`);
  }
}

/** Columns of whatever columns are made of. @type {(caller: string, keys: any) => readonly Column[]} */
function columnsOf(caller, keys) {
  if (typeof keys !== 'object' || keys === null) return expected(caller, 'a typed array, an array or a column', 'keys', keys);
  return readTable({ keys }).column('keys', caller).chunks;
}

/**
 * @param {Parts} parts
 * @param {string} caller
 * @param {any} keys a typed array or a column
 * @param {{ Class: any, values: any, missing: any, out: any, threads: number }} how `Class`: of results
 * @returns {any} `out`, or an array
 */
function lookUp(parts, caller, keys, { Class, values, missing, out, threads }) {
  const array = plain(keys);
  const columns = array ? [] : columnsOf(caller, keys);
  const count = array ? array.length : columns.reduce((sum, { length }) => sum + length, 0);
  const all = outFor(caller, out, Class, count);
  if (parts.keys.length === 0) return all.fill(values === null ? -1 : missing, 0, count);
  if (array) lookUpArray(parts, caller, array, null, { values, missing, out: all, threads });
  let at = 0;
  for (const column of columns) {
    lookUpColumn(parts, caller, column, { values, missing, out: all.subarray(at, at + column.length), threads });
    at += column.length;
  }
  return all;
}

module.exports = { lookUp };
