/**
 * Columns as arrays that all chunks of a run share, in which kernels look values up by number: a byte for each truth,
 * and one for whether there is a value.
 */
'use strict';

const { fail } = require('../../base/errors.js');
const { repOf } = require('../types/representation.js');
const { ARRAYS } = require('./driver.js');

/** @typedef {import('../data/column.js').Column} Column */

/** @type {(tables: Map<string, any>, name: string, column: Column) => void} */
function enter(tables, name, { type, length, values, offsets, validity }) {
  if (repOf(type) === 'bool') tables.set(`${name} values`, bytesOf(values, length));
  else tables.set(`${name} values`, values.length > 0 ? values : new ARRAYS[String(type.dtype ?? 'u8')](1));
  if (offsets) tables.set(`${name} offsets`, shortOffsets(offsets, length));
  tables.set(`${name}? values`, validity === null ? new Uint8Array(length).fill(1) : bytesOf(validity, length));
}

/** Offsets of 32 bits, which kernels look up, whatever those are that there are. @type {(offsets: any, length: number) => Int32Array} */
function shortOffsets(offsets, length) {
  if (length === 0) return new Int32Array(2);
  if (offsets instanceof Int32Array) return offsets;
  return offsets[length] < 2n ** 31n
    ? Int32Array.from(offsets, Number)
    : fail('ERR_UNSUPPORTED', 'a dictionary with more than 2 GiB of text');
}

/** A byte per bit. @type {(bits: Uint8Array, count: number) => Uint8Array} */
const bytesOf = (bits, count) =>
  Uint8Array.from({ length: Math.max(1, count) }, (_, i) => (bits[i >> 3] >> (i & 7)) & 1);

/** The dictionaries that a kernel looks up itself. @type {(tables: Map<string, any>, buffers: readonly import('../kernel/dag.js').Buffer[], dictionaryOf: (name: string) => Column) => void} */
function enterDictionaries(tables, buffers, dictionaryOf) {
  for (const { column, shared } of buffers) {
    const [, name] = (shared && /^(.*)@\??$/su.exec(column)) || [];
    if (name !== undefined && !tables.has(`${name}@ values`)) enter(tables, `${name}@`, dictionaryOf(name));
  }
}

module.exports = { enter, enterDictionaries };
