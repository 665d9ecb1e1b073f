/**
 * Columns, targets and weights that callers pass, as the typed arrays that the evaluator takes.
 */
'use strict';

const { fail } = require('../base/errors.js');
const { expected, isAttached } = require('../base/check.js');
const { numbersOf } = require('../tensor/halves.js');
const { Tensor } = require('../tensor/tensor.js');

/** @typedef {Float64Array | Float32Array} Floats */
/** @typedef {import('../tensor/dtypes.js').DType} DType */

const CLASSES = /** @type {const} */ ({ f64: Float64Array, f32: Float32Array });

/** @typedef {'f64' | 'f32'} Precision */

/** What elements mean, in row-major order. @param {Tensor} tensor */
const elementsOf = (tensor) => numbersOf(tensor.contiguous());

/**
 * The numbers of one column; the array of the caller where it is of the right class and no rows are chosen.
 *
 * @param {unknown} value
 * @param {Precision} dtype
 * @param {string} which
 * @param {string} caller
 * @returns {Floats}
 */
function readFloats(value, dtype, which, caller) {
  const Class = CLASSES[dtype];
  let list = value;
  if (value instanceof Tensor) {
    if (value.shape.length !== 1) return expected(caller, 'a tensor of one axis', which, value.shape, 'ERR_SHAPE');
    list = elementsOf(value);
  }
  if (ArrayBuffer.isView(list) && !(list instanceof DataView)) {
    const array = /** @type {import('../tensor/dtypes.js').TypedArray} */ (list);
    if (!isAttached(array)) fail('ERR_STATE', `${caller}: ${which} is detached`);
    if (array instanceof Class) return array;
    return new Class(Array.from(/** @type {ArrayLike<number>} */ (array), Number));
  }
  const isNumbers = Array.isArray(list) && list.every((each) => typeof each === 'number');
  return isNumbers ? Class.from(/** @type {number[]} */ (list)) : expected(caller, 'a typed array, a tensor or an array of numbers', which, value);
}

/**
 * @param {unknown} columns by name, or in the order of the variables
 * @param {readonly string[]} variables
 * @param {Precision} dtype
 * @param {string} caller
 * @returns {{ rows: number, columns: Floats[] }}
 */
function readColumns(columns, variables, dtype, caller) {
  const isObject = typeof columns === 'object' && columns !== null && !ArrayBuffer.isView(columns);
  if (!isObject) return expected(caller, 'an object or an array of columns', 'columns', columns);
  const given = /** @type {Record<string, unknown>} */ (columns);
  const read = variables.map((name, i) => {
    const value = Array.isArray(columns) ? columns[i] : given[name];
    if (value === undefined) fail('ERR_ARGUMENT', `${caller}: column '${name}' is missing`);
    return readFloats(value, dtype, `column '${name}'`, caller);
  });
  const rows = read.length > 0 ? read[0].length : 0;
  read.forEach((column, i) => {
    if (column.length === rows) return;
    fail('ERR_SHAPE', `${caller}: column '${variables[i]}' has ${column.length} rows, column '${variables[0]}' has ${rows}`);
  });
  return { rows, columns: read };
}

/**
 * Numbers of rows.
 *
 * @param {unknown} value
 * @param {number} count of all rows
 * @param {string} caller
 * @returns {ArrayLike<number> | undefined}
 */
function readRows(value, count, caller) {
  if (value === undefined) return undefined;
  const isList = Array.isArray(value) || value instanceof Int32Array || value instanceof Uint32Array;
  if (!isList) return expected(caller, 'an array, an Int32Array or a Uint32Array', "option 'rows'", value);
  const list = /** @type {ArrayLike<number>} */ (value);
  for (let i = 0; i < list.length; i++) {
    const row = list[i];
    if (!Number.isInteger(row) || row < 0 || row >= count) {
      return expected(caller, `an integer from 0 to ${count - 1}`, `row ${i} of option 'rows'`, row);
    }
  }
  return list;
}

/** @type {(column: Floats, rows: ArrayLike<number> | undefined) => Floats} */
function pick(column, rows) {
  if (rows === undefined) return column;
  const out = column instanceof Float64Array ? new Float64Array(rows.length) : new Float32Array(rows.length);
  for (let i = 0; i < rows.length; i++) out[i] = column[rows[i]];
  return out;
}

/** @type {(value: unknown, rows: number, which: string, caller: string) => Float64Array} */
function readTarget(value, rows, which, caller) {
  const read = /** @type {Float64Array} */ (readFloats(value, 'f64', which, caller));
  if (read.length === rows) return read;
  return fail('ERR_SHAPE', `${caller}: ${which} has ${read.length} elements, expected ${rows} as there are rows`);
}

/** @type {(value: unknown, rows: number, caller: string) => Float64Array | null} */
function readWeights(value, rows, caller) {
  if (value === undefined) return null;
  const weights = readTarget(value, rows, "option 'weights'", caller);
  const wrong = weights.findIndex((each) => !(each >= 0 && each < Infinity));
  return wrong < 0 ? weights : expected(caller, 'a finite number of 0 or more', `weight ${wrong}`, weights[wrong]);
}

module.exports = { elementsOf, pick, readColumns, readFloats, readRows, readTarget, readWeights };
