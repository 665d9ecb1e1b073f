/**
 * Rows of columns: slices, several columns in one, and those that a list of row numbers names.
 *
 * A slice shares all memory but bitmaps that begin inside a byte. The other two make new columns. Elements are copied
 * as bytes, halves and words whatever they mean, so that each loop sees one class of array.
 */
'use strict';

const { fail } = require('../../base/errors.js');
const { alignedBits, copyBits, emptyBitmap, setBits } = require('./bitmaps.js');
const { Column } = require('./column.js');

/** @typedef {import('../types/data-types.js').DataType} DataType */

/** @type {(column: Column, from: number, to: number) => Column} */
function sliceColumn(column, from, to) {
  if (from === 0 && to === column.length) return column;
  const { type, layout, dictionary, ascii } = column;
  const rows = to - from;
  const validity = column.validity && alignedBits(column.validity, from, rows);
  if (layout === 'bits') return new Column(type, rows, { values: alignedBits(column.values, from, rows), validity });
  if (column.offsets) {
    const offsets = column.offsets.subarray(from, to + 1);
    return new Column(type, rows, { values: column.values, offsets, validity, ascii });
  }
  const stride = dictionary ? 1 : type.stride;
  return new Column(type, rows, { values: column.values.subarray(from * stride, to * stride), validity, dictionary });
}

/** @type {(columns: readonly Column[], rows: number) => Uint8Array | null} */
function joinedValidity(columns, rows) {
  if (columns.every(({ validity }) => validity === null)) return null;
  const bits = emptyBitmap(rows);
  let at = 0;
  for (const { length, validity } of columns) {
    if (validity === null) setBits(bits, at, length);
    else copyBits(bits, at, validity, 0, length);
    at += length;
  }
  return bits.subarray(0, Math.ceil(rows / 8));
}

/** @type {(columns: readonly Column[], rows: number) => Uint8Array} */
function joinedBits(columns, rows) {
  const bits = emptyBitmap(rows);
  let at = 0;
  for (const { length, values } of columns) {
    copyBits(bits, at, values, 0, length);
    at += length;
  }
  return bits.subarray(0, Math.ceil(rows / 8));
}

/** What 32-bit offsets reach. */
const MOST_BYTES = 2 ** 31 - 1;

/** @type {(total: number) => any} offsets that reach so many bytes */
const offsetsFor = (total) => (total > MOST_BYTES ? BigInt64Array : Int32Array);

/** @type {(column: Column) => [number, number]} the bytes that it uses */
const usedBytes = ({ offsets, length }) => {
  const list = /** @type {any} */ (offsets);
  return [Number(list[0]), Number(list[length])];
};

/** @type {(columns: readonly Column[], rows: number) => { values: Uint8Array, offsets: any }} */
function joinedText(columns, rows) {
  const total = columns.reduce((sum, column) => sum + usedBytes(column)[1] - usedBytes(column)[0], 0);
  const wide = columns.some(({ layout }) => layout === 'offsets64');
  const Class = wide ? BigInt64Array : offsetsFor(total);
  const offsets = new Class(rows + 1);
  const convert = Class === BigInt64Array ? BigInt : Number;
  const values = new Uint8Array(total);
  let row = 0;
  let at = 0;
  for (const column of columns) {
    const [from, to] = usedBytes(column);
    const list = /** @type {any} */ (column.offsets);
    values.set(column.values.subarray(from, to), at);
    for (let i = 1; i <= column.length; i++) offsets[++row] = convert(at + Number(list[i]) - from);
    at += to - from;
  }
  return { values, offsets };
}

/** @type {(columns: readonly Column[], count: number) => any} */
function joinedValues(columns, count) {
  const all = new columns[0].values.constructor(count);
  let at = 0;
  for (const { values } of columns) {
    all.set(values, at);
    at += values.length;
  }
  return all;
}

/**
 * Columns of one type, one after the other. Those with a dictionary have it in common (dictionaries.js).
 *
 * @param {readonly Column[]} columns at least one
 * @returns {Column}
 */
function concatColumns(columns) {
  const [{ type, layout, dictionary }] = columns;
  if (columns.length === 1) return columns[0];
  const rows = columns.reduce((sum, { length }) => sum + length, 0);
  const validity = joinedValidity(columns, rows);
  if (layout === 'bits') return new Column(type, rows, { values: joinedBits(columns, rows), validity });
  if (layout === 'null') return new Column(type, rows, { validity });
  if (layout.startsWith('offsets')) {
    const ascii = columns.every((column) => column.ascii);
    return new Column(type, rows, { ...joinedText(columns, rows), validity, ascii });
  }
  const count = columns.reduce((sum, { values }) => sum + values.length, 0);
  return new Column(type, rows, { values: joinedValues(columns, count), validity, dictionary });
}

/** Elements of 1 byte. @type {(out: any, values: any, rows: Uint32Array, from: number, to: number, base: number) => void} */
function takeBytes(out, values, rows, from, to, base) {
  for (let i = from; i < to; i++) out[i] = values[rows[i] - base];
}

/** Elements of 2 bytes. @type {(out: any, values: any, rows: Uint32Array, from: number, to: number, base: number) => void} */
function takeHalves(out, values, rows, from, to, base) {
  for (let i = from; i < to; i++) out[i] = values[rows[i] - base];
}

/** Elements of 4 bytes. @type {(out: any, values: any, rows: Uint32Array, from: number, to: number, base: number) => void} */
function takeWords(out, values, rows, from, to, base) {
  for (let i = from; i < to; i++) out[i] = values[rows[i] - base];
}

/** Elements of 8 bytes, which the compiler copies without making bigints of them. @type {(out: any, values: any, rows: Uint32Array, from: number, to: number, base: number) => void} */
function takeLongs(out, values, rows, from, to, base) {
  for (let i = from; i < to; i++) out[i] = values[rows[i] - base];
}

/** Elements of 16 bytes. @type {(out: any, values: any, rows: Uint32Array, from: number, to: number, base: number) => void} */
function takePairs(out, values, rows, from, to, base) {
  for (let i = from; i < to; i++) {
    const source = 2 * (rows[i] - base);
    out[2 * i] = values[source];
    out[2 * i + 1] = values[source + 1];
  }
}

/** Bits, without a branch that nobody can foresee. @type {(out: Uint8Array, bits: Uint8Array, rows: Uint32Array, from: number, to: number, base: number) => void} */
function takeBits(out, bits, rows, from, to, base) {
  for (let i = from; i < to; i++) {
    const row = rows[i] - base;
    out[i >>> 3] |= ((bits[row >>> 3] >>> (row & 7)) & 1) << (i & 7);
  }
}

/** By bytes of a row. @type {Record<number, [any, typeof takeBytes]>} */
const TAKES = {
  1: [Uint8Array, takeBytes], 2: [Uint16Array, takeHalves], 4: [Uint32Array, takeWords],
  8: [BigUint64Array, takeLongs], 16: [BigUint64Array, takePairs],
};

/** @type {(array: any, Class: any) => any} the same bytes */
const as = (array, Class) => new Class(array.buffer, array.byteOffset, array.byteLength / Class.BYTES_PER_ELEMENT);

/**
 * A run of row numbers that are in one chunk.
 *
 * @typedef {{ column: Column, from: number, to: number, base: number }} Run row numbers `from` to `to`, less `base`
 */

/** @type {(runs: readonly Run[], rows: Uint32Array, bytes: number) => any} bytes of all elements */
function takenValues(runs, rows, bytes) {
  const [Class, take] = TAKES[bytes];
  const { column: { values: { constructor: Own } } } = runs[0];
  const out = new Own((rows.length * bytes) / /** @type {any} */ (Own).BYTES_PER_ELEMENT);
  const target = as(out, Class);
  for (const { column, from, to, base } of runs) take(target, as(column.values, Class), rows, from, to, base);
  return out;
}

/** @type {(runs: readonly Run[], rows: Uint32Array, bitsOf: (column: Column) => Uint8Array | null) => Uint8Array | null} null where all are set */
function takenBits(runs, rows, bitsOf) {
  if (runs.every(({ column }) => bitsOf(column) === null)) return null;
  const out = emptyBitmap(rows.length);
  for (const { column, from, to, base } of runs) {
    const bits = bitsOf(column);
    if (bits === null) setBits(out, from, to - from);
    else takeBits(out, bits, rows, from, to, base);
  }
  return out.subarray(0, Math.ceil(rows.length / 8));
}

/** Below this many bytes a loop is faster than the engine's copy. */
const SHORT = 24;

/** @type {(out: Uint8Array, at: number, values: Uint8Array, from: number, to: number) => void} */
function copyText(out, at, values, from, to) {
  if (to - from > SHORT) out.set(values.subarray(from, to), at);
  else for (let i = from; i < to; i++) out[at + i - from] = values[i];
}

/** @type {(runs: readonly Run[], rows: Uint32Array) => { values: Uint8Array, offsets: any }} */
function takenText(runs, rows) {
  // As numbers, which reach as far as memory does.
  const ends = new Float64Array(rows.length + 1);
  for (const { column: { offsets }, from, to, base } of runs) {
    const list = /** @type {any} */ (offsets);
    for (let i = from; i < to; i++) {
      const row = rows[i] - base;
      ends[i + 1] = ends[i] + Number(list[row + 1]) - Number(list[row]);
    }
  }
  const total = ends[rows.length];
  const values = new Uint8Array(total);
  for (const { column, from, to, base } of runs) {
    const list = /** @type {any} */ (column.offsets);
    for (let i = from; i < to; i++) {
      const row = rows[i] - base;
      copyText(values, ends[i], column.values, Number(list[row]), Number(list[row + 1]));
    }
  }
  const wide = total > MOST_BYTES || runs.some(({ column }) => column.layout === 'offsets64');
  return { values, offsets: wide ? BigInt64Array.from(ends, BigInt) : Int32Array.from(ends) };
}

/** @type {(chunks: readonly { rows: number }[]) => Float64Array} where each begins, and the end */
function startsOf(chunks) {
  const starts = new Float64Array(chunks.length + 1);
  chunks.forEach(({ rows }, i) => {
    starts[i + 1] = starts[i] + rows;
  });
  return starts;
}

/** The last chunk that begins at or before a row. @type {(starts: Float64Array, row: number) => number} */
function chunkOf(starts, row) {
  let low = 0;
  let high = starts.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if (starts[middle] <= row) low = middle;
    else high = middle;
  }
  return low;
}

/**
 * Which row numbers are in which chunk, in their order.
 *
 * @param {readonly { rows: number }[]} chunks
 * @param {Uint32Array} rows
 * @returns {{ chunk: number, from: number, to: number, base: number }[]}
 */
function runsOf(chunks, rows) {
  const starts = startsOf(chunks);
  const end = starts[chunks.length];
  const runs = [];
  for (let from = 0; from < rows.length; ) {
    if (rows[from] >= end) fail('ERR_ARGUMENT', `take: row ${rows[from]} is beyond the ${end} rows of the table`);
    const chunk = chunkOf(starts, rows[from]);
    const [base, next] = [starts[chunk], starts[chunk + 1]];
    let to = from + 1;
    while (to < rows.length && rows[to] >= base && rows[to] < next) to++;
    runs.push({ chunk, from, to, base });
    from = to;
  }
  return runs;
}

/** @type {(column: Column) => Column} of the same type and layout, without rows */
function emptyLike({ type, layout, values, dictionary }) {
  const offsets = layout === 'offsets64' ? new BigInt64Array(1) : layout === 'offsets32' ? new Int32Array(1) : undefined;
  return new Column(type, 0, { values: new values.constructor(0), offsets, dictionary });
}

/** A column in which all is null. @type {(type: import('../types/index.js').DataType, length: number) => Column} */
function nullColumn(type, length) {
  const validity = emptyBitmap(length).subarray(0, Math.ceil(length / 8));
  if (type.kind === 'null') return new Column(type, length, { validity });
  if (type.kind === 'bool') return new Column(type, length, { values: emptyBitmap(length), validity });
  const isText = type.kind === 'utf8' || type.kind === 'binary';
  const offsets = isText ? new Int32Array(length + 1) : undefined;
  const values = isText ? new Uint8Array(0) : new type.array(length * type.stride);
  return new Column(type, length, { values, offsets, validity });
}

/**
 * The rows of a column in chunks that have these numbers.
 *
 * @param {readonly Column[]} chunks at least one, with one dictionary
 * @param {Uint32Array} rows
 * @param {ReturnType<typeof runsOf>} [found] the runs of these rows, where several columns have the same chunks
 * @returns {Column}
 */
function takeColumn(chunks, rows, found = runsOf(chunks.map(({ length }) => ({ rows: length })), rows)) {
  if (rows.length === 0) return emptyLike(chunks[0]);
  const runs = found.map(({ chunk, from, to, base }) => ({ column: chunks[chunk], from, to, base }));
  const { type, layout, dictionary } = chunks[0];
  const count = rows.length;
  const validity = takenBits(runs, rows, (column) => column.validity);
  if (layout === 'null') return new Column(type, count, { validity });
  if (layout === 'bits') {
    return new Column(type, count, { values: takenBits(runs, rows, (column) => column.values), validity });
  }
  if (layout.startsWith('offsets')) {
    const ascii = chunks.every((column) => column.ascii);
    return new Column(type, count, { ...takenText(runs, rows), validity, ascii });
  }
  const bytes = dictionary ? chunks[0].values.BYTES_PER_ELEMENT : type.bytes;
  return new Column(type, count, { values: takenValues(runs, rows, bytes), validity, dictionary });
}

module.exports = { concatColumns, emptyLike, nullColumn, runsOf, sliceColumn, takeBits, takeColumn };
