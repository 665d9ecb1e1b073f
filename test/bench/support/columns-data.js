// Columns that the cases about expressions read: the same in every process that makes them, so that all of them can be
// held to one result.
//
// Numbers come from a hash of their place, which Python can have as fast (columns.py has it, too), and strings, dates
// and decimals from it as the micro-benchmarks of Gandiva draw them, in their batches of 16384 rows.
'use strict';

const { root } = require('../../../scripts/setup.js');
const { packages } = require('./peers.js');

const BATCH = 16384;

/** apache-arrow, of the peers or of this package; null where it is not installed. */
function openArrow() {
  try {
    return require(require.resolve('apache-arrow', { paths: [root, packages] }));
  } catch {
    return null;
  }
}

/** What stands for random bits at this place: the last steps of MurmurHash3. @param {number} place */
function bitsAt(place) {
  let bits = Math.imul(place, 0x9e3779b1);
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}

/** From 0 up to 1. @param {number} place */
const unitAt = (place) => bitsAt(place) / 2 ** 32;

const CLUSTER = 200_000;
const RARE = 1e7;

/** Numbers by what is known of them. @type {Record<string, (i: number, rows: number) => number>} */
const numbers = {
  half: (i) => 8 * unitAt(i), // half of them are in (2, 6), and below 4
  other: (i) => 8 * unitAt(31 * i + 7),
  // One in ten million is 3. Around it are numbers on both sides of (2, 6), so that no block can be passed by; or above 10.
  astride: (i, rows) => (isRare(i, rows) ? 3 : aside(unitAt(i))),
  above: (i, rows) => (isRare(i, rows) ? 3 : 10 + 10 * unitAt(i)),
  // One in a thousand is in (2, 6), and below 4.
  sorted: (i, rows) => (4000 * i) / rows,
  clustered: (i) => 4000 * unitAt(Math.floor(i / CLUSTER)) + unitAt(i),
};

const isRare = (/** @type {number} */ i, /** @type {number} */ rows) => i % RARE === Math.floor(rows / 3) % RARE;
const aside = (/** @type {number} */ unit) => (unit < 0.5 ? 3.8 * unit : 6.1 + 3.8 * (unit - 0.5));

/** @param {string} kind @param {number} rows */
function numbersOf(kind, rows) {
  const values = new Float64Array(rows);
  const valueAt = numbers[kind];
  for (let i = 0; i < rows; i++) values[i] = valueAt(i, rows);
  return values;
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz'.repeat(11);

/** Letters in their order, up to `most` of them, from anywhere in the alphabet. */
const lettersAt = (/** @type {number} */ place, /** @type {number} */ most) => {
  const start = bitsAt(place + 7) % 26;
  return LETTERS.slice(start, start + (bitsAt(place) % most));
};

/** 32 of the texts that the long strings may be: what `in` and a chain of `or` look for. */
const wanted = Array.from({ length: 32 }, (_, i) => lettersAt(i * 1009 + 5, 250));

const positiveAt = (/** @type {number} */ place) => bitsAt(place) >>> 1;

/**
 * Columns by name: an Arrow type, and the value at a place: a number, a text, or for decimals each of four words.
 *
 * @type {Record<string, { type: (arrow: any) => any, array?: any, at?: (place: number) => any, wordAt?: (place: number, word: number) => number }>}
 */
const kinds = {
  int64: { type: (arrow) => new arrow.Int64(), array: BigInt64Array, at: (place) => BigInt(positiveAt(place)) },
  upTo250: { type: (arrow) => new arrow.Int32(), array: Int32Array, at: (place) => bitsAt(place) % 250 },
  // From 1970 to 2100.
  date64: { type: (arrow) => new arrow.DateMillisecond(), array: BigInt64Array, at: (place) => BigInt(bitsAt(place) % 47_482) * 86_400_000n },
  date32: { type: (arrow) => new arrow.DateDay(), array: Int32Array, at: (place) => bitsAt(place) % 47_482 },
  decimal32: { type: (arrow) => new arrow.Decimal(18, 32, 128), wordAt },
  decimal38: { type: (arrow) => new arrow.Decimal(6, 38, 128), wordAt },
  // One in 64 has yellow in it.
  short: { type: (arrow) => new arrow.Utf8(), at: (place) => (bitsAt(place + 3) % 64 === 0 ? `${lettersAt(place, 14)}yellow${lettersAt(place + 1, 12)}` : lettersAt(place, 32)) },
  // One in 8 is wanted.
  long: { type: (arrow) => new arrow.Utf8(), at: (place) => (bitsAt(place + 3) % 8 === 0 ? wanted[bitsAt(place) % 32] : lettersAt(place, 250)) },
  integerText: { type: (arrow) => new arrow.Utf8(), at: (place) => String(positiveAt(place)) },
  floatText: { type: (arrow) => new arrow.Utf8(), at: (place) => (positiveAt(place) / (positiveAt(place + 11) + 1)).toFixed(6) },
  // For groups: numbers without a fraction, whose sums are exact in any order, and keys.
  whole: { type: (arrow) => new arrow.Float64(), array: Float64Array, at: (place) => bitsAt(place) % 1000 },
  thousand64: { type: (arrow) => new arrow.Int64(), array: BigInt64Array, at: (place) => BigInt(bitsAt(place) % 1000) },
  thousand32: { type: (arrow) => new arrow.Int32(), array: Int32Array, at: (place) => bitsAt(place) % 1000 },
  million64: { type: (arrow) => new arrow.Int64(), array: BigInt64Array, at: (place) => BigInt(bitsAt(place) % 1_000_000) },
  million32: { type: (arrow) => new arrow.Int32(), array: Int32Array, at: (place) => bitsAt(place) % 1_000_000 },
  thousandText: { type: (arrow) => new arrow.Utf8(), at: (place) => `customer ${bitsAt(place) % 1000}` },
};

// As Gandiva draws them: 31 random bits in each half of two words.
function wordAt(/** @type {number} */ place, /** @type {number} */ word) {
  return word % 2 === 0 ? positiveAt(place + word) : 0;
}

/** What Arrow wants of the rows of a column from `first` on: its values, and their offsets if they are strings. */
function buffersOf({ array, at, wordAt: word }, first, rows, seed) {
  const place = (/** @type {number} */ i) => (first + i) * 31 + seed * 7919;
  if (array) {
    const data = new array(rows);
    for (let i = 0; i < rows; i++) data[i] = at(place(i));
    return { data };
  }
  if (word) {
    const data = new Uint32Array(4 * rows);
    for (let i = 0; i < data.length; i++) data[i] = word(place(i >> 2), i % 4);
    return { data };
  }
  const values = Array.from({ length: rows }, (_, i) => at(place(i)));
  const valueOffsets = new Int32Array(rows + 1);
  values.forEach((text, i) => {
    valueOffsets[i + 1] = valueOffsets[i] + text.length;
  });
  return { data: new Uint8Array(Buffer.from(values.join(''), 'latin1')), valueOffsets };
}

/** One in eight is null. */
function validityOf(first, rows, seed) {
  const bits = new Uint8Array(Math.ceil(rows / 8));
  let nullCount = 0;
  for (let i = 0; i < rows; i++) {
    if (bitsAt((first + i) * 17 + seed * 104_729 + 1) % 8 === 0) nullCount++;
    else bits[i >> 3] |= 1 << (i & 7);
  }
  return { nullBitmap: bits, nullCount };
}

/**
 * @typedef {object} Spec of a table
 * @property {number} rows
 * @property {Record<string, string>} columns  name → kind of column, or of numbers
 * @property {boolean} [nulls]
 * @property {number} [batch] rows of a batch; all unless told
 */

/** @param {any} arrow @param {Spec} spec @returns {any} a table of Arrow */
function tableOf(arrow, { rows, columns, nulls = false, batch = rows }) {
  const list = Object.entries(columns);
  const types = list.map(([, kind]) => (kinds[kind] ? kinds[kind].type(arrow) : new arrow.Float64()));
  const schema = new arrow.Schema(list.map(([name], i) => new arrow.Field(name, types[i], nulls)));
  const batchFrom = (/** @type {number} */ first) => {
    const length = Math.min(batch, rows - first);
    const children = list.map(([, kind], i) => {
      const buffers = kinds[kind] ? buffersOf(kinds[kind], first, length, i + 1) : { data: numbersOf(kind, rows).subarray(first, first + length) };
      return arrow.makeData({ type: types[i], length, nullCount: 0, ...buffers, ...(nulls && validityOf(first, length, i + 1)) });
    });
    return new arrow.RecordBatch(schema, arrow.makeData({ type: new arrow.Struct(schema.fields), length, nullCount: 0, children }));
  };
  return new arrow.Table(schema, Array.from({ length: Math.ceil(rows / batch) }, (_, i) => batchFrom(i * batch)));
}

module.exports = { BATCH, numbersOf, openArrow, tableOf, wanted };
