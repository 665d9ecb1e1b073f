/**
 * Data of apache-arrow as columns: the same memory, validated.
 *
 * A Data object says where the rows of a chunk are. apache-arrow cuts values and offsets to the rows of a slice, so its
 * `offset` counts only for bitmaps. What it says is not believed: buffers must be long enough, offsets in order and
 * within, texts UTF-8, indices within their dictionary. The outcome is remembered for each Data, and what is remembered
 * holds as long as nobody writes to the buffers of a table, which Arrow forbids.
 *
 * Copies are made of bitmaps that do not begin at a byte of a word (a bit a row), of offsets that an Arrow type does
 * not have (fixed-size binary: 4 bytes a row; views: the texts too), of indices where a null hides one that is not
 * within, of 16-byte values that lie askew, and of validity where a struct and its field both have nulls.
 */
'use strict';

const { fail } = require('../../base/errors.js');
const types = require('../types/index.js');
const { shapeOf } = require('./arrow-types.js');
const { alignedBits, andBits, bitAt, countBits, emptyBitmap } = require('./bitmaps.js');
const { Column } = require('./column.js');
const { concatColumns, nullColumn } = require('./parts.js');
const { checkText, indicesFit, offsetsMistake, wrongIndex } = require('./validate.js');

/** @typedef {import('../types/data-types.js').DataType} DataType */
/** @typedef {import('./arrow-types.js').Shape} Shape */
/** @typedef {import('./column.js').Buffers} Buffers */

/** @typedef {{ data: any, shape: Shape, rows: number, validity: Uint8Array | null, bad: (text: string) => never }} Source */

/** @type {(name: string) => (text: string) => never} */
const complaint = (name) => (text) => fail('ERR_PARSE', `table: column '${name}' is no valid Arrow data: ${text}`);

/** The same bytes as elements of a class. @type {(source: Source, array: any, which: string, count: number, Class: any) => any} at least `count` elements */
function elements({ bad, rows }, array, which, count, Class) {
  const view = array ?? new Class(0);
  if (!ArrayBuffer.isView(view)) return bad(`its ${which} are no typed array`);
  const have = Math.floor(view.byteLength / Class.BYTES_PER_ELEMENT);
  if (have < count) {
    const need = `${rows} rows need ${count * Class.BYTES_PER_ELEMENT}`;
    return bad(`its ${which} have ${view.byteLength} bytes, ${need}`);
  }
  if (view.constructor === Class) return view;
  if (view.byteOffset % Class.BYTES_PER_ELEMENT === 0) return new Class(view.buffer, view.byteOffset, have);
  return new Class(new Uint8Array(view.buffer, view.byteOffset, view.byteLength).slice().buffer, 0, have);
}

/** @type {(source: Omit<Source, 'validity'>) => Uint8Array | null} */
function validityOf(source) {
  const { bad, data, rows } = source;
  const stated = data._nullCount ?? data.nullCount;
  if (stated === 0 || rows === 0) return null;
  const { offset, nullBitmap } = data;
  if (nullBitmap === undefined || nullBitmap === null || nullBitmap.length === 0) {
    return stated > 0 ? bad(`it has ${stated} nulls and no bitmap that says where`) : null;
  }
  if (!(nullBitmap instanceof Uint8Array) || nullBitmap.length * 8 < offset + rows) {
    return bad(`its validity has ${nullBitmap.byteLength} bytes, ${offset + rows} rows need ${Math.ceil((offset + rows) / 8)}`);
  }
  const nulls = rows - countBits(nullBitmap, offset, rows);
  if (stated > 0 && rows === data.length && stated !== nulls) bad(`it says ${stated} nulls, its validity has ${nulls}`);
  return nulls === 0 ? null : alignedBits(nullBitmap, offset, rows);
}

/** Kernels read values of several elements as words of 8 bytes. @type {(values: any) => any} */
const inWords = (values) => (values.byteOffset % 8 === 0 ? values : values.slice());

/** @type {(source: Source) => Column} */
function fixed(source) {
  const { data, rows, shape: { type }, validity } = source;
  const values = elements(source, data.values, 'values', rows * type.stride, type.array).subarray(0, rows * type.stride);
  return new Column(type, rows, { values: type.stride > 1 ? inWords(values) : values, validity });
}

/** @type {(source: Source) => Column} */
function bits(source) {
  const { data, rows, shape: { type }, validity } = source;
  const values = elements(source, data.values, 'values', Math.ceil((data.offset + rows) / 8), Uint8Array);
  return new Column(type, rows, { values: alignedBits(values, data.offset, rows), validity });
}

/** A column over offsets and bytes, both of which are checked. @type {(source: Source, offsets: any, values: Uint8Array) => Column} */
function overOffsets({ bad, rows, shape: { type }, validity }, offsets, values) {
  const mistake = offsetsMistake(offsets, rows, values.length);
  if (mistake !== undefined) return bad(mistake.text);
  if (type.kind !== 'utf8') return new Column(type, rows, { values, offsets, validity });
  const { ascii, mistake: wrong } = checkText(values, offsets, rows, validity);
  return wrong === undefined ? new Column(type, rows, { values, offsets, validity, ascii }) : bad(wrong.text);
}

/** @type {(source: Source) => Column} */
function variable(source) {
  const { data, rows, shape: { wide } } = source;
  const Class = wide ? BigInt64Array : Int32Array;
  const values = elements(source, data.values, 'values', 0, Uint8Array);
  // No rows may be without offsets.
  if (rows === 0) return overOffsets(source, new Class(1), values);
  return overOffsets(source, elements(source, data.valueOffsets, 'offsets', rows + 1, Class).subarray(0, rows + 1), values);
}

/** Bytes that 32-bit offsets reach. */
const MOST_BYTES = 2 ** 31 - 1;

/** @type {(source: Source) => Column} */
function bytes(source) {
  const { bad, data, rows, shape: { width = 0 } } = source;
  if (!Number.isInteger(width) || width < 0) return bad(`its rows have ${width} bytes`);
  if (rows * width > MOST_BYTES) return bad(`a chunk of ${rows * width} bytes is too large`);
  const values = elements(source, data.values, 'values', rows * width, Uint8Array);
  return overOffsets(source, Int32Array.from({ length: rows + 1 }, (_, row) => row * width), values);
}

/** A view is a length, and then up to 12 bytes, or 4 bytes, the number of a buffer and a place there. */
const VIEW = 16;
const INLINE = 12;

/** @type {(source: Source) => Column} */
function views(source) {
  const { bad, data, rows, validity } = source;
  const all = elements(source, data.values, 'views', rows * VIEW, Uint8Array);
  const words = new DataView(all.buffer, all.byteOffset, rows * VIEW);
  const buffers = data.variadicBuffers ?? [];
  const ends = new Int32Array(rows + 1);
  /** @type {(row: number) => Uint8Array} */
  const textOf = (row) => {
    const size = words.getInt32(row * VIEW, true);
    if (size < 0) return bad(`row ${row} has a length of ${size}`);
    if (size <= INLINE) return all.subarray(row * VIEW + 4, row * VIEW + 4 + size);
    const [number, at] = [words.getInt32(row * VIEW + 8, true), words.getInt32(row * VIEW + 12, true)];
    const buffer = buffers[number];
    const isThere = buffer instanceof Uint8Array && at >= 0 && at + size <= buffer.length;
    return isThere ? buffer.subarray(at, at + size) : bad(`row ${row} is at ${at} of buffer ${number}, which is not there`);
  };
  const there = (/** @type {number} */ row) => validity === null || bitAt(validity, row);
  let total = 0;
  for (let row = 0; row < rows; row++) {
    if (there(row)) total += textOf(row).length;
    if (total > MOST_BYTES) bad(`a chunk of more than ${MOST_BYTES} bytes is too large`);
    ends[row + 1] = total;
  }
  const values = new Uint8Array(total);
  for (let row = 0; row < rows; row++) if (there(row)) values.set(textOf(row), ends[row]);
  return overOffsets(source, ends, values);
}

/** @type {(source: Source) => Column} */
function nothing({ rows, shape: { type } }) {
  return new Column(type, rows, { validity: emptyBitmap(rows).subarray(0, Math.ceil(rows / 8)) });
}

/** Dictionaries by their vectors. @type {WeakMap<object, Column>} */
const dictionaries = new WeakMap();

/** @type {(vector: any, shape: Shape, name: string) => Column} */
function readDictionary(vector, shape, name) {
  const found = dictionaries.get(vector);
  if (found !== undefined) return found;
  const parts = vector.data.map((/** @type {any} */ data) => readData(data, shape, `${name}' (dictionary) '`));
  const column = parts.length === 1 ? parts[0] : concatColumns(parts);
  // Rows that are null need an index that may be followed too.
  const whole = column.length > 0 ? column : oneNull(shape.type);
  dictionaries.set(vector, whole);
  return whole;
}

/** What stands for dictionaries that have no values. @type {WeakSet<Column>} */
const blanks = new WeakSet();

/** @type {(type: DataType) => Column} */
function oneNull(type) {
  const column = nullColumn(type, 1);
  blanks.add(column);
  return column;
}

/** @type {(source: Source, name: string) => Column} */
function dictionary(source, name) {
  const { bad, data, rows, shape: { type, index }, validity } = source;
  const { array } = /** @type {DataType} */ (index);
  const indices = elements(source, data.values, 'indices', rows, array).subarray(0, rows);
  const hasOne = Array.isArray(data.dictionary?.data);
  // What apache-arrow makes of no rows has none.
  if (!hasOne && rows > 0) return bad('its dictionary is not there');
  const column = hasOne ? readDictionary(data.dictionary, shapeOf(data.type.dictionary), name) : oneNull(type);
  const { length: size } = column;
  // Of an empty one there is a null instead, which only nulls may refer to.
  const stated = size - Number(blanks.has(column));
  const buffers = { values: indices, validity, dictionary: column };
  if (indicesFit(indices, rows, stated)) return new Column(type, rows, buffers);
  const row = wrongIndex(indices, rows, stated, validity);
  if (row >= 0) return bad(`row ${row} has index ${indices[row]}, its dictionary has ${stated} values`);
  const zero = new array(1)[0];
  const safe = indices.map((/** @type {any} */ each) => (each >= 0 && each < size ? each : zero));
  return new Column(type, rows, { ...buffers, values: safe });
}

/** @type {Record<string, (source: Source, name: string) => Column>} */
const forms = { fixed, bits, offsets: variable, views, bytes, null: nothing, dictionary };

/** @typedef {{ column: Column, values: any, valueOffsets: any, nullBitmap: any, nulls: number, rows: number }} Remembered */

/** @type {WeakMap<object, Remembered>} */
const remembered = new WeakMap();

/** Whether a Data still is what was read: setting values of a vector may give it another bitmap. @type {(data: any, known: Remembered, rows: number) => boolean} */
const isSame = (data, known, rows) =>
  known.values === data.values && known.valueOffsets === data.valueOffsets && known.nullBitmap === data.nullBitmap &&
  known.rows === rows && (known.nulls === data._nullCount || known.nulls < 0) && known.column.isIntact;

/**
 * @param {any} data of apache-arrow
 * @param {Shape} shape of its type, one that expressions can use
 * @param {string} name of the column, for messages
 * @param {number} [rows] fewer than it has, for fields of structs
 * @returns {Column}
 */
function readData(data, shape, name, rows = data.length) {
  const known = remembered.get(data);
  if (known !== undefined && isSame(data, known, rows)) return known.column;
  const bad = complaint(name);
  if (!(Number.isSafeInteger(rows) && data.length >= rows)) bad(`it has ${data.length} rows instead of ${rows}`);
  const source = { data, shape, rows, bad };
  const nulls = data._nullCount;
  const validity = shape.form === 'null' ? null : validityOf(source);
  const column = forms[shape.form]({ ...source, validity }, name);
  const { values, valueOffsets, nullBitmap } = data;
  remembered.set(data, { column, values, valueOffsets, nullBitmap, nulls, rows });
  return column;
}

/** Rows that are null because the struct around them is. @type {(column: Column, validity: Uint8Array | null) => Column} */
function within(column, validity) {
  if (validity === null) return column;
  const { type, length, values, offsets, dictionary: known, ascii } = column;
  const both = column.validity === null ? validity : andBits(column.validity, validity, length);
  return new Column(type, length, { values, offsets, validity: both, dictionary: known, ascii });
}

/** @type {(data: any, name: string, rows: number) => Uint8Array | null} of a struct */
const structValidity = (data, name, rows) =>
  validityOf({ data, rows, shape: { form: 'struct', type: types.none }, bad: complaint(name) });

module.exports = { inWords, readData, structValidity, within };
