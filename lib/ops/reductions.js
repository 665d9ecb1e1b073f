/**
 * Operations over whole axes: sums and their relatives, mean and variance, positions of extremes.
 *
 * `reduceSum` and its five siblings are the primitives: they keep the dtype and drop the axes. The short
 * names follow the Python array-API standard: `sum` and `prod` of integers narrower than 64 bits are
 * i64 or u64, which do not overflow by accident, `all` and `any` take numbers too, `keepDims` leaves
 * axes of size 1. `min` and `max` are both things: with a second operand they compare element by
 * element, without one they reduce.
 *
 * The number of elements of a symbolic axis is a sum of ones, which the compiler knows how to fold.
 */
'use strict';

const { boolean, expected, isOptions, readOptions } = require('../base/check.js');
const { append, constantOf, dimsOf, stateOf } = require('../graph/value.js');
const { dtypeName, dtypes } = require('../tensor/dtypes.js');
const { readAxes, readAxis } = require('../tensor/views.js');
const { elementwise, roundedOnce, rows } = require('./elementwise.js');
const { allAxes, operandOf, reshapeTo } = require('./movement.js');

/** @typedef {import('../graph/value.js').Value} Value */
/** @typedef {import('../tensor/dtypes.js').DType} DType */

/** @type {(list: readonly number[]) => number[]} */
const ascending = (list) => list.toSorted((a, b) => a - b);

/** @type {(name: string, caller: string) => (x: unknown, axes?: unknown) => Value} */
const primitive = (name, caller) => (x, axes) => {
  const { state, value, rank } = operandOf(x, caller);
  const gone = axes === undefined ? allAxes(rank) : readAxes(axes, rank, caller);
  return append(state, name, [value], { axes: ascending(gone) });
};

const primitives = {
  reduceSum: primitive('reduce_sum', 'reduceSum'),
  reduceProd: primitive('reduce_prod', 'reduceProd'),
  reduceMin: primitive('reduce_min', 'reduceMin'),
  reduceMax: primitive('reduce_max', 'reduceMax'),
  reduceAnd: primitive('reduce_and', 'reduceAnd'),
  reduceOr: primitive('reduce_or', 'reduceOr'),
  reduceMoments: primitive('reduce_moments', 'reduceMoments'),
};

const given = (/** @type {unknown} */ value) => value;
const axisOptions = { axis: given, keepDims: boolean };

/**
 * @param {unknown} x
 * @param {unknown} axis one axis, several, or undefined for all
 * @param {string} caller
 */
function reduced(x, axis, caller) {
  const operand = operandOf(x, caller);
  const axes = axis === undefined ? allAxes(operand.rank) : ascending(readAxes(axis, operand.rank, caller));
  return { ...operand, axes };
}

/**
 * The result of a reduction with its axes as they were, of size 1.
 *
 * @type {(result: Value, like: Value, axes: readonly number[]) => Value}
 */
function withAxes(result, like, axes) {
  const dims = dimsOf(like).map((dim, axis) => (axes.includes(axis) ? 1 : dim));
  return reshapeTo(stateOf(like), result, dims);
}

/** @type {(op: string, value: Value, axes: readonly number[], keepDims: boolean) => Value} */
function reduceOver(op, value, axes, keepDims) {
  const result = append(stateOf(value), op, [value], { axes });
  return keepDims ? withAxes(result, value, axes) : result;
}

/** @type {(value: Value, dtype: DType) => Value} */
const inDType = (value, dtype) => (value.dtype === dtype ? value : elementwise.convert(value, dtype));

/**
 * What sums of a dtype are in: 64 bits for integers, so that short ones do not wrap.
 *
 * @type {(dtype: DType) => DType}
 */
function wide(dtype) {
  const { kind } = dtypes[dtype];
  if (kind === 'float') return dtype;
  return kind === 'uint' ? 'u64' : 'i64';
}

/** @type {(op: string, caller: string) => (x: unknown, options?: unknown) => Value} */
const accumulation = (op, caller) => (x, options) => {
  const { axis, keepDims = false, dtype } = readOptions(caller, options, { ...axisOptions, dtype: dtypeName });
  const { value, axes } = reduced(x, axis, caller);
  return reduceOver(op, inDType(value, dtype ?? wide(value.dtype)), axes, keepDims);
};

const sum = accumulation('reduce_sum', 'sum');
const prod = accumulation('reduce_prod', 'prod');

/** @type {(op: string, caller: 'min' | 'max') => (x: unknown, y?: unknown, ...rest: unknown[]) => Value} */
const extreme =
  (op, caller) =>
  (x, y, ...rest) => {
    if (y !== undefined && !isOptions(y)) return rows[caller](x, y, ...rest);
    const { axis, keepDims = false } = readOptions(caller, y, axisOptions);
    const { value, axes } = reduced(x, axis, caller);
    return reduceOver(op, value, axes, keepDims);
  };

const min = extreme('reduce_min', 'min');
const max = extreme('reduce_max', 'max');

/** @type {(op: string, caller: string) => (x: unknown, options?: unknown) => Value} */
const logical = (op, caller) => (x, options) => {
  const { axis, keepDims = false } = readOptions(caller, options, axisOptions);
  const { value, axes } = reduced(x, axis, caller);
  const truth = value.dtype === 'bool' ? value : rows.ne(value, 0);
  return reduceOver(op, truth, axes, keepDims);
};

const all = logical('reduce_and', 'all');
const any = logical('reduce_or', 'any');

// ----------------------------------------------------------------------------------- mean, variance

/** How many elements the axes hold, in f64. @type {(value: Value, axes: readonly number[]) => Value} */
function countOf(value, axes) {
  const state = stateOf(value);
  const dims = axes.map((axis) => dimsOf(value)[axis]);
  const total = state.product(dims);
  if (total >= 0) return constantOf(state, total, 'f64', 'the size', 'mean');
  const ones = constantOf(state, 1, 'f64', 'one', 'mean', dims);
  return append(state, 'reduce_sum', [ones], { axes: allAxes(dims.length) });
}

/** @type {(x: unknown, caller: string) => Value} */
function asFloat(x, caller) {
  const { value } = operandOf(x, caller);
  return dtypes[value.dtype].kind === 'float' ? value : elementwise.convert(value, 'f64');
}

/** @type {(value: Value, axes: readonly number[], keepDims: boolean) => Value} */
function meanOver(value, axes, keepDims) {
  const total = reduceOver('reduce_sum', value, axes, keepDims);
  return rows.div(total, inDType(countOf(value, axes), value.dtype));
}

/** @type {(x: unknown, options?: unknown) => Value} */
function mean(x, options) {
  const { axis, keepDims = false } = readOptions('mean', options, axisOptions);
  const { value, axes } = reduced(asFloat(x, 'mean'), axis, 'mean');
  return meanOver(value, axes, keepDims);
}

/** @type {import('../base/check.js').Getter<number>} */
function correctionOf(value, which, caller) {
  if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return value;
  return expected(caller, 'a number of at least 0', which, value);
}

/**
 * What to divide by; NaN where nothing is left, since no variance is negative.
 *
 * @type {(count: Value, correction: number) => Value}
 */
function freedom(count, correction) {
  if (correction === 0) return count;
  const left = rows.sub(count, correction);
  return rows.select(rows.gt(left, 0), left, NaN);
}

/** @type {(x: unknown, options: unknown, caller: string) => Value} */
function varianceOf(x, options, caller) {
  const known = { ...axisOptions, correction: correctionOf };
  const { axis, keepDims = false, correction = 0 } = readOptions(caller, options, known);
  const { value, axes } = reduced(asFloat(x, caller), axis, caller);
  const total = reduceOver('reduce_moments', value, axes, keepDims);
  return rows.div(total, inDType(freedom(countOf(value, axes), correction), value.dtype));
}

/** @type {(x: unknown, options?: unknown) => Value} */
const variance = (x, options) => varianceOf(x, options, 'var');

/** @type {(x: unknown, options?: unknown) => Value} */
const std = (x, options) => rows.sqrt(varianceOf(x, options, 'std'));

// -------------------------------------------------------------------------------------- positions

/** @type {(caller: 'argmin' | 'argmax') => (x: unknown, options?: unknown) => Value} */
const position = (caller) => (x, options) => {
  const { axis, keepDims = false } = readOptions(caller, options, axisOptions);
  const { state, value, dims, rank } = operandOf(x, caller);
  const flat = axis === undefined && rank !== 1 ? reshapeTo(state, value, [state.product(dims)]) : value;
  const along = axis === undefined ? 0 : readAxis(axis, rank, caller);
  const indices = append(state, 'iota', [], { dtype: 'i64', shape: dimsOf(flat), axis: along });
  const both = append(state, caller, [flat, indices], { axes: [along] });
  const index = append(state, 'result', [both], { index: 1 });
  if (!keepDims) return index;
  return withAxes(index, value, axis === undefined ? allAxes(rank) : [along]);
};

/** Every operation here that becomes a method and a function, by name. */
const reductions = {
  ...primitives,
  all,
  any,
  argmax: position('argmax'),
  argmin: position('argmin'),
  max,
  mean: roundedOnce(mean),
  min,
  prod,
  std: roundedOnce(std),
  sum,
  var: roundedOnce(variance),
};

module.exports = { inDType, reductions, wide };
