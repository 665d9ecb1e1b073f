/**
 * Rows of the columns that expressions cannot use: structs, lists and maps of apache-arrow, so that a filtered table
 * still has them.
 *
 * They stay what they are, trees of Data, of which rows are taken level by level: those of a list are a range of rows
 * of its child. Data are made by the class of the given ones, so that no module is needed. Unions, and what no column
 * holds either (decimals of 256 bits), are refused.
 */
'use strict';

const { fail } = require('../../base/errors.js');
const { shapeOf } = require('./arrow-types.js');
const { shareDictionary } = require('./dictionaries.js');
const { runsOf, takeBits, takeColumn } = require('./parts.js');
const { readData, structValidity } = require('./read-arrow.js');
const { setBits, emptyBitmap } = require('./bitmaps.js');
const { offsetsMistake } = require('./validate.js');

/** @typedef {import('./column.js').Column} Column */
/** @typedef {{ name: string, caller: string }} Context */
/** @typedef {(type: any, parts: readonly any[], rows: Uint32Array, context: Context) => any} Take chunks of a column, and which of their rows; gives a Data */

/** @type {(parts: readonly any[]) => { rows: number }[]} */
const chunksOf = (parts) => parts.map(({ length }) => ({ rows: length }));

/** @typedef {{ offsets?: any, values?: any, validity?: Uint8Array | null, children?: any[], dictionary?: any }} Buffers */

/** A Data of the class of others. @type {(type: any, [first]: readonly any[], length: number, buffers: Buffers) => any} */
function dataLike(type, [first], length, { offsets, values, validity, children = [], dictionary }) {
  const buffers = [offsets, values, validity ?? undefined];
  return new first.constructor(type, 0, length, validity ? -1 : 0, buffers, children, dictionary);
}

/** @type {(parts: readonly any[], rows: Uint32Array, context: Context) => Uint8Array | null} */
function takenValidity(parts, rows, { name }) {
  const all = parts.map((data) => structValidity(data, name, data.length));
  if (all.every((bits) => bits === null)) return null;
  const out = emptyBitmap(rows.length);
  for (const { chunk, from, to, base } of runsOf(chunksOf(parts), rows)) {
    const bits = all[chunk];
    if (bits === null) setBits(out, from, to - from);
    else takeBits(out, bits, rows, from, to, base);
  }
  return out;
}

/** Rows of a child that stands in several chunks, each from a place of all. @type {(parts: readonly any[]) => number[]} */
function basesOf(parts) {
  let base = 0;
  return parts.map(({ children: [child] }) => (base += child.length) - child.length);
}

/** @type {(data: any) => any} */
const firstChild = ({ children }) => children[0];

/** @type {(count: number, { name, caller }: Context) => Uint32Array} */
const childRows = (count, { name, caller }) =>
  count < 2 ** 32 ? new Uint32Array(count) : fail('ERR_OVERFLOW', `${caller}: column '${name}' has ${count} items in lists`);

/** @type {(data: any, { name, caller }: Context) => any} its offsets, which are good */
function goodOffsets({ valueOffsets, length, children: [child] }, { name, caller }) {
  if (length === 0) return valueOffsets;
  const short = !(valueOffsets?.length > length) && 'its offsets are too short';
  const text = short || offsetsMistake(valueOffsets, length, child.length)?.text;
  return text ? fail('ERR_PARSE', `${caller}: column '${name}' is no valid Arrow data: ${text}`) : valueOffsets;
}

/** @type {Take} */
function takeList(type, parts, rows, context) {
  const all = parts.map((data) => goodOffsets(data, context));
  const bases = basesOf(parts);
  const runs = runsOf(chunksOf(parts), rows);
  const ends = new Float64Array(rows.length + 1);
  for (const { chunk, from, to, base } of runs) {
    for (let i = from; i < to; i++) {
      const row = rows[i] - base;
      ends[i + 1] = ends[i] + Number(all[chunk][row + 1]) - Number(all[chunk][row]);
    }
  }
  const inner = childRows(ends[rows.length], context);
  for (const { chunk, from, to, base } of runs) {
    for (let i = from; i < to; i++) {
      const start = bases[chunk] + Number(all[chunk][rows[i] - base]);
      for (let k = ends[i]; k < ends[i + 1]; k++) inner[k] = start + k - ends[i];
    }
  }
  const children = [takeParts(type.children[0].type, parts.map(firstChild), inner, context)];
  const Offsets = type.OffsetArrayType;
  const offsets = Offsets === BigInt64Array ? BigInt64Array.from(ends, BigInt) : Offsets.from(ends);
  return dataLike(type, parts, rows.length, { offsets, validity: takenValidity(parts, rows, context), children });
}

/** @type {Take} */
function takeFixedList(type, parts, rows, context) {
  const size = type.listSize;
  const inner = childRows(rows.length * size, context);
  const bases = basesOf(parts);
  for (const { chunk, from, to, base } of runsOf(chunksOf(parts), rows)) {
    for (let i = from; i < to; i++) {
      for (let k = 0; k < size; k++) inner[i * size + k] = bases[chunk] + (rows[i] - base) * size + k;
    }
  }
  const children = [takeParts(type.children[0].type, parts.map(firstChild), inner, context)];
  return dataLike(type, parts, rows.length, { validity: takenValidity(parts, rows, context), children });
}

/** @type {Take} */
function takeStruct(type, parts, rows, context) {
  const children = type.children.map((/** @type {any} */ field, /** @type {number} */ i) =>
    takeParts(field.type, parts.map(({ children: all, length }) => all[i].slice(0, length)), rows, context));
  return dataLike(type, parts, rows.length, { validity: takenValidity(parts, rows, context), children });
}

/** @type {(columns: readonly Column[], parts: readonly any[]) => boolean} */
const isSameDictionary = (columns, parts) =>
  columns.every(({ dictionary }) => dictionary === columns[0].dictionary) &&
  (columns[0].dictionary === undefined || columns[0].dictionary.length === parts[0].dictionary.length);

/** @type {Take} */
function takeLeaf(type, parts, rows, context) {
  const { name, caller } = context;
  const shape = shapeOf(type);
  const columns = parts.map((data) => readData(data, shape, name));
  const shared = shape.form === 'dictionary' ? shareDictionary(columns) : columns;
  const plain = shape.unsupported === undefined && shape.form !== 'views' && isSameDictionary(shared, parts);
  if (!plain) return fail('ERR_UNSUPPORTED', `${caller}: rows of column '${name}' cannot be taken, since it has ${type} inside`);
  if (shape.form === 'null') return dataLike(type, parts, rows.length, {});
  const { offsets, values, validity } = takeColumn(shared, rows);
  const own = shape.form === 'offsets' ? offsets : undefined;
  return dataLike(type, parts, rows.length, { offsets: own, values, validity, dictionary: parts[0].dictionary });
}

/** No rows, with all children, which the batch that apache-arrow makes where there is none does not have. @type {(type: any, like: readonly any[]) => any} */
function emptyLike(type, like) {
  const offsets = type.OffsetArrayType && new type.OffsetArrayType(1);
  const values = type.ArrayType && new type.ArrayType(0);
  const children = type.children?.map((/** @type {any} */ field) => emptyLike(field.type, like));
  return dataLike(type, like, 0, { offsets, values, children });
}

/** By typeId. @type {Record<number, Take>} */
const takes = { 12: takeList, 13: takeStruct, 16: takeFixedList, 17: takeList, 21: takeList };

/** @type {Take} */
function takeParts(type, parts, rows, context) {
  if (parts.every(({ length }) => length === 0)) return emptyLike(type, parts);
  const { name, caller } = context;
  const take = takes[type.typeId] ?? (shapeOf(type).unsupported === undefined ? takeLeaf : undefined);
  if (take === undefined) return fail('ERR_UNSUPPORTED', `${caller}: rows of column '${name}' cannot be taken, since it is ${type}`);
  return take(type, parts, rows, context);
}

module.exports = { takeParts };
