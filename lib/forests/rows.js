/**
 * Rows of features as users give them, as one array: typed arrays and tensors as they are, the rest as f64.
 *
 * A missing value is NaN; null and undefined among rows and columns stand for it, and a number if users say so.
 */
'use strict';

const { describe, expected, isAttached, isOptions } = require('../base/check.js');
const { fail } = require('../base/errors.js');
const { numbersOf } = require('../tensor/halves.js');
const { Tensor, readableOf } = require('../tensor/tensor.js');

/** @typedef {{ x: Float32Array | Float64Array, rows: number }} Rows */
/** @typedef {{ features: number, names: readonly string[] | null, single: boolean }} Wanted */

/** @type {(data: ArrayLike<number | bigint>) => Float32Array | Float64Array} */
const floats = (data) =>
  data instanceof Float32Array || data instanceof Float64Array ? data : Float64Array.from(data, Number);

/** What elements mean, in row-major order. @type {(tensor: Tensor, caller: string) => any} */
const elementsOf = (tensor, caller) => numbersOf({ data: readableOf(tensor, caller), dtype: tensor.dtype });

/** @type {(length: number, features: number, caller: string) => number} */
function rowsIn(length, features, caller) {
  const rows = features === 0 ? 0 : length / features;
  if (!Number.isInteger(rows) || rows * features !== length)
    fail('ERR_SHAPE', `${caller}: expected rows of ${features} features, got ${length} numbers`);
  return rows;
}

/** @type {(value: unknown, what: string, caller: string) => number} */
function cell(value, what, caller) {
  if (typeof value === 'number') return value;
  if (value === null || value === undefined) return NaN;
  if (typeof value === 'bigint' || typeof value === 'boolean') return Number(value);
  return expected(caller, 'a number or null', what, value);
}

/** @type {(tensor: Tensor, wanted: Wanted, caller: string) => Rows} */
function ofTensor(tensor, { features }, caller) {
  const { shape } = tensor;
  if (shape.length < 1 || shape.length > 2 || shape[shape.length - 1] !== features)
    fail('ERR_SHAPE', `${caller}: expected a tensor [rows, ${features}] or [${features}], got [${shape.join(', ')}]`);
  return { x: floats(elementsOf(tensor, caller)), rows: shape.length === 1 ? 1 : shape[0] };
}

/** @type {(value: unknown) => boolean} */
const isRow = (value) => Array.isArray(value) || ArrayBuffer.isView(value);

/** @type {(list: readonly any[], wanted: Wanted, caller: string) => Rows} */
function ofLists(list, { features }, caller) {
  const isOne = list.length > 0 && !isRow(list[0]);
  /** @type {readonly any[]} */
  const rows = isOne ? [list] : list;
  const x = new Float64Array(rows.length * features);
  rows.forEach((row, r) => {
    if (!isRow(row)) expected(caller, 'an array of numbers', `row ${r}`, row);
    if (row.length !== features) fail('ERR_SHAPE', `${caller}: row ${r} has ${row.length} numbers, expected ${features}`);
    for (let f = 0; f < features; f++) x[r * features + f] = cell(row[f], `feature ${f} of row ${r}`, caller);
  });
  return { x, rows: rows.length };
}

/** @type {(columns: Record<string, any>, wanted: Wanted, caller: string) => Rows} */
function ofColumns(columns, { features, names }, caller) {
  const given = names ?? Array.from({ length: features }, (_, f) => `f${f}`);
  const missing = given.find((name) => !Object.hasOwn(columns, name));
  if (missing !== undefined) fail('ERR_ARGUMENT', `${caller}: column '${missing}' is missing, got ${Object.keys(columns).map((name) => `'${name}'`).join(', ') || 'none'}`);
  /** @type {any[]} */
  const lists = given.map((name) => {
    const list = columns[name];
    if (list instanceof Tensor && list.shape.length === 1) return elementsOf(list, caller);
    return Array.isArray(list) || (ArrayBuffer.isView(list) && 'length' in list) ? list : expected(caller, 'an array', `column '${name}'`, list);
  });
  const rows = lists.length === 0 ? 0 : lists[0].length;
  const odd = lists.findIndex(({ length }) => length !== rows);
  if (odd >= 0) fail('ERR_SHAPE', `${caller}: column '${given[odd]}' has ${lists[odd].length} rows, '${given[0]}' has ${rows}`);
  const x = new Float64Array(rows * features);
  lists.forEach((list, f) => {
    for (let r = 0; r < rows; r++) x[r * features + f] = cell(list[r], `row ${r} of column '${given[f]}'`, caller);
  });
  return { x, rows };
}

/** @type {(given: unknown, wanted: Wanted, caller: string) => Rows} */
function rowsOf(given, wanted, caller) {
  if (given instanceof Tensor) return ofTensor(given, wanted, caller);
  if (ArrayBuffer.isView(given) && 'length' in given) {
    const array = /** @type {any} */ (given);
    if (!isAttached(array)) fail('ERR_STATE', `${caller}: ${describe(given)} is detached`);
    return { x: floats(array), rows: rowsIn(array.length, wanted.features, caller) };
  }
  if (Array.isArray(given)) return ofLists(given, wanted, caller);
  if (isOptions(given)) return ofColumns(given, wanted, caller);
  return expected(caller, 'a tensor, a typed array, an array of rows or an object of columns', 'the rows', given);
}

/**
 * `missing` stands for a missing value: as f32 where rows are, or where all values are rounded to f32.
 *
 * @type {(given: unknown, wanted: Wanted, missing: number, caller: string) => Rows}
 */
function readRows(given, wanted, missing, caller) {
  const read = rowsOf(given, wanted, caller);
  if (Number.isNaN(missing)) return read;
  const { x, rows } = read;
  const rounded = wanted.single || x instanceof Float32Array ? Math.fround : Number;
  const like = rounded(missing);
  return { x: x.map((/** @type {number} */ value) => (rounded(value) === like ? NaN : value)), rows };
}

module.exports = { readRows };
