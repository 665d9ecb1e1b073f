/**
 * Operations that bring rows to a common scale: softmax and its logarithms, layer and RMS normalisation.
 *
 * Each is a few primitives, which the compiler sees through. They are written for accuracy: exponentials
 * are of distances from the row's maximum, which do not overflow, and variances are of distances from the
 * mean, in a second pass over a row that is in cache by then. Rows are scaled by the reciprocal of their
 * sum or deviation, computed once a row.
 */
'use strict';

const { boolean, expected, finite, positive, readOptions } = require('../base/check.js');
const { fail } = require('../base/errors.js');
const { constantOf, dimsOf, lift, stateOf } = require('../graph/value.js');
const { dtypes } = require('../tensor/dtypes.js');
const { readAxes } = require('../tensor/views.js');
const { elementwise, roundedOnce, rows } = require('./elementwise.js');
const { matrices } = require('./matrices.js');
const { operandOf, reshapeTo } = require('./movement.js');
const { reductions } = require('./reductions.js');

/** @typedef {import('../graph/value.js').Value} Value */

const given = (/** @type {unknown} */ value) => value;

/**
 * A float operand and the axes its rows lie along, the last one unless told otherwise.
 *
 * @param {unknown} x
 * @param {unknown} axis
 * @param {string} caller
 */
function rowsOf(x, axis, caller) {
  const { value, rank } = operandOf(x, caller);
  if (dtypes[value.dtype].kind !== 'float') expected(caller, 'a float Value', 'the operand', x, 'ERR_DTYPE');
  const found = axis === undefined && rank === 0 ? [] : readAxes(axis ?? -1, rank, caller);
  const axes = found.toSorted((a, b) => a - b);
  return { value, axes, over: { axis: axes, keepDims: true } };
}

/** A number as a constant of the dtype of a value. @type {(value: Value, number: number, caller: string) => Value} */
const like = (value, number, caller) => constantOf(stateOf(value), number, value.dtype, String(number), caller);

/** The maximum of each row: what is done with it in the end does not depend on which number it is. @type {(row: ReturnType<typeof rowsOf>) => Value} */
const most = ({ value, over }) => rows.stopGradient(reductions.max(value, over));

/** Distances from the maximum of each row, all at most 0. @type {(row: ReturnType<typeof rowsOf>) => Value} */
const shifted = (row) => rows.sub(row.value, most(row));

/** @type {(x: unknown, options?: unknown) => Value} */
function softmax(x, options) {
  const { axis } = readOptions('softmax', options, { axis: given });
  const row = rowsOf(x, axis, 'softmax');
  const powers = rows.exp(shifted(row));
  return rows.mul(powers, elementwise.reciprocal(reductions.sum(powers, row.over)));
}

/** @type {(x: unknown, options?: unknown) => Value} */
function logSoftmax(x, options) {
  const { axis } = readOptions('logSoftmax', options, { axis: given });
  const row = rowsOf(x, axis, 'logSoftmax');
  const distance = shifted(row);
  return rows.sub(distance, rows.log(reductions.sum(rows.exp(distance), row.over)));
}

/**
 * Where the maximum is infinite there is no distance from it: 0 takes its place, and then exponentials and
 * logarithm give the infinity by themselves.
 *
 * @type {(x: unknown, options?: unknown) => Value}
 */
function logSumExp(x, options) {
  const { axis, keepDims = false } = readOptions('logSumExp', options, { axis: given, keepDims: boolean });
  const row = rowsOf(x, axis, 'logSumExp');
  const { value, axes, over } = row;
  const greatest = most(row);
  const shift = rows.select(rows.isFinite(greatest), greatest, like(value, 0, 'logSumExp'));
  const total = reductions.sum(rows.exp(rows.sub(value, shift)), over);
  const result = rows.add(rows.log(total), shift);
  if (keepDims) return result;
  const kept = dimsOf(result).filter((_, at) => !axes.includes(at));
  return reshapeTo(stateOf(result), result, kept);
}

// ---------------------------------------------------------------------------------------- norms

/** @type {import('../base/check.js').Getter<number>} */
function epsilonOf(value, which, caller) {
  const number = finite(value, which, caller);
  return number >= 0 ? number : expected(caller, 'a number of at least 0', which, value);
}

/**
 * `scaled` combined with a parameter that has one element per place along the normalised axes.
 *
 * @param {(x: Value, y: Value) => Value} combine
 * @param {Value} scaled
 * @param {unknown} parameter a number, or sizes as those of the axes
 * @param {readonly number[]} axes
 * @param {string} which
 * @param {string} caller
 */
function along(combine, scaled, parameter, axes, which, caller) {
  if (parameter === undefined) return scaled;
  const { state, values } = lift([scaled, parameter], caller, 0, () => `option '${which}'`);
  const sizes = dimsOf(values[1]);
  if (sizes.length === 0) return combine(scaled, values[1]);
  const wanted = axes.map((axis) => dimsOf(scaled)[axis]);
  const fits = sizes.length === wanted.length && sizes.every((size, i) => size === wanted[i] || size === 1);
  if (!fits) {
    const texts = [wanted, sizes].map((dims) => state.shapeText(dims));
    fail('ERR_SHAPE', `${caller}: expected a number or shape ${texts[0]} for option '${which}', got shape ${texts[1]}`);
  }
  const dims = dimsOf(scaled).map((_, axis) => (axes.includes(axis) ? sizes[axes.indexOf(axis)] : 1));
  return combine(scaled, reshapeTo(state, values[1], dims));
}

const normOptions = { axis: given, scale: given, epsilon: epsilonOf };

/** @type {(square: Value, epsilon: number, caller: string) => Value} */
const inverseRoot = (square, epsilon, caller) =>
  elementwise.reciprocal(rows.sqrt(rows.add(square, like(square, epsilon, caller))));

/** @type {(x: unknown, options?: unknown) => Value} */
function layerNorm(x, options) {
  const caller = 'layerNorm';
  const { axis, scale, bias, epsilon = 1e-5 } = readOptions(caller, options, { ...normOptions, bias: given });
  const { value, axes, over } = rowsOf(x, axis, caller);
  const distance = rows.sub(value, reductions.mean(value, over));
  const square = reductions.mean(rows.mul(distance, distance), over);
  const result = rows.mul(distance, inverseRoot(square, epsilon, caller));
  return along(rows.add, along(rows.mul, result, scale, axes, 'scale', caller), bias, axes, 'bias', caller);
}

/** @type {(x: unknown, options?: unknown) => Value} */
function rmsNorm(x, options) {
  const caller = 'rmsNorm';
  const { axis, scale, epsilon = 1e-5 } = readOptions(caller, options, normOptions);
  const { value, axes, over } = rowsOf(x, axis, caller);
  const result = rows.mul(value, inverseRoot(reductions.mean(rows.mul(value, value), over), epsilon, caller));
  return along(rows.mul, result, scale, axes, 'scale', caller);
}

/** @type {(x: unknown, options?: unknown) => Value} */
function lpNormalize(x, options) {
  const caller = 'lpNormalize';
  const { axis, p = 2 } = readOptions(caller, options, { axis: given, p: positive });
  const { value, over } = rowsOf(x, axis, caller);
  const norm = matrices.vectorNorm(value, { ...over, ord: p });
  return rows.select(rows.eq(norm, 0), 0, rows.div(value, norm));
}

/** Every operation here that becomes a method and a function, by name. */
const normalisations = {
  layerNorm: roundedOnce(layerNorm),
  logSoftmax: roundedOnce(logSoftmax),
  logSumExp: roundedOnce(logSumExp),
  lpNormalize: roundedOnce(lpNormalize),
  rmsNorm: roundedOnce(rmsNorm),
  softmax: roundedOnce(softmax),
};

module.exports = { normalisations };
