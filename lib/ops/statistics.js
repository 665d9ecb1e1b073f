/**
 * Reductions that NumPy has beyond those of the array-API standard: weighted means, ranges, differences,
 * covariance, and sums, means and extremes that pass over NaN.
 *
 * Nothing here looks at data, so what passes over NaN selects the neutral element instead and counts
 * what is left; where nothing is left the result is NaN (of sums 0, of products 1), as in NumPy.
 */
'use strict';

const { boolean, expected, finite, integer, readOptions } = require('../base/check.js');
const { fail } = require('../base/errors.js');
const { append, constantOf, dimsOf, lift, stateOf } = require('../graph/value.js');
const { dtypes } = require('../tensor/dtypes.js');
const { readAxis } = require('../tensor/views.js');
const { arithmetic } = require('./arithmetic.js');
const { elementwise, roundedOnce, rows } = require('./elementwise.js');
const { joins, movement, operandOf } = require('./movement.js');
const { inDType, reductions } = require('./reductions.js');

/** @typedef {import('../graph/value.js').Value} Value */

const { add, div, eq, isNan, max, min, mul, ne, not, select, sqrt, sub } = rows;
const given = (/** @type {unknown} */ value) => value;
const axisOptions = { axis: given, keepDims: boolean };

/** @type {(value: Value) => boolean} */
const isFloat = (value) => dtypes[value.dtype].kind === 'float';

/** @type {(x: unknown, caller: string) => Value} */
function asFloat(x, caller) {
  const { value } = operandOf(x, caller);
  return isFloat(value) ? value : elementwise.convert(value, 'f64');
}

/** @type {(like: Value, number: number, caller: string) => Value} */
const constant = (like, number, caller) => constantOf(stateOf(like), number, like.dtype, String(number), caller);

/** @type {(x: unknown, options?: unknown) => Value} */
function countNonzero(x, options) {
  const { axis, keepDims } = readOptions('countNonzero', options, axisOptions);
  const { value } = operandOf(x, 'countNonzero');
  const truth = value.dtype === 'bool' ? value : ne(value, 0);
  return reductions.sum(elementwise.convert(truth, 'i64'), { axis, keepDims });
}

/** @type {(x: unknown, options?: unknown) => Value} */
function ptp(x, options) {
  const over = readOptions('ptp', options, axisOptions);
  const { value } = operandOf(x, 'ptp');
  return sub(reductions.max(value, over), reductions.min(value, over));
}

/** @type {(x: unknown, options?: unknown) => Value} */
function average(x, options) {
  const { weights, ...over } = readOptions('average', options, { ...axisOptions, weights: given });
  const value = asFloat(x, 'average');
  if (weights === undefined) return reductions.mean(value, over);
  const { state, values } = lift([value, weights], 'average', 0, (i) => (i === 0 ? 'the operand' : "option 'weights'"));
  const [sizes, own] = values.map(dimsOf);
  let weight = inDType(values[1], value.dtype);
  if (own.length === 1 && sizes.length > 1) {
    if (typeof over.axis !== 'number') {
      fail('ERR_ARGUMENT', `average: weights of shape ${state.shapeText(own)} need option 'axis', one axis`);
    }
    const at = readAxis(over.axis, sizes.length, 'average');
    weight = movement.reshape(
      weight,
      sizes.map((_, i) => (i === at ? state.text(own[0]) : 1)),
    );
  }
  const spread = movement.broadcastTo(
    weight,
    sizes.map((size) => state.text(size)),
  );
  return div(reductions.sum(mul(value, spread), over), reductions.sum(spread, over));
}

// ------------------------------------------------------------------------------------ without NaN

/** `x` with `start` for NaN. @type {(value: Value, start: number, caller: string) => Value} */
const replaced = (value, start, caller) =>
  isFloat(value) ? select(isNan(value), constant(value, start, caller), value) : value;

/** How many elements are numbers, in the dtype of `value`. @type {(value: Value, over: unknown) => Value} */
const counted = (value, over) => reductions.sum(inDType(not(isNan(value)), value.dtype), over);

/** @type {(of: 'sum' | 'prod', start: number, caller: string) => (x: unknown, options?: unknown) => Value} */
const nanTotal = (of, start, caller) => (x, options) => {
  const over = readOptions(caller, options, axisOptions);
  return reductions[of](replaced(operandOf(x, caller).value, start, caller), over);
};

/** @type {(x: unknown, options?: unknown) => Value} */
function nanMean(x, options) {
  const over = readOptions('nanMean', options, axisOptions);
  const value = asFloat(x, 'nanMean');
  return div(reductions.sum(replaced(value, 0, 'nanMean'), over), counted(value, over));
}

/** @type {(of: 'min' | 'max', start: number, caller: string) => (x: unknown, options?: unknown) => Value} */
const nanExtreme = (of, start, caller) => (x, options) => {
  const over = readOptions(caller, options, axisOptions);
  const { value } = operandOf(x, caller);
  if (!isFloat(value)) return reductions[of](value, over);
  const found = reductions[of](replaced(value, start, caller), over);
  return select(eq(counted(value, over), constant(value, 0, caller)), constant(value, NaN, caller), found);
};

const varianceOptions = { ...axisOptions, correction: finite };

/** @type {(x: unknown, options: unknown, caller: string) => Value} */
function nanVariance(x, options, caller) {
  const { axis, keepDims, correction = 0 } = readOptions(caller, options, varianceOptions);
  const value = asFloat(x, caller);
  const number = (/** @type {number} */ of) => constant(value, of, caller);
  const center = nanMean(value, { axis, keepDims: true });
  const distance = select(isNan(value), number(0), sub(value, center));
  const left = sub(counted(value, { axis, keepDims }), number(correction));
  const total = reductions.sum(mul(distance, distance), { axis, keepDims });
  return div(total, select(rows.gt(left, number(0)), left, number(NaN)));
}

// ------------------------------------------------------------------------------------ differences

const diffOptions = { axis: given, order: integer(0, 64), prepend: given, append: given };

/** @type {(value: Value, axis: number) => [Value, Value]} all but the last and all but the first */
function neighbours(value, axis) {
  const dims = dimsOf(value);
  const state = stateOf(value);
  const fewer = dims.with(axis, state.clipped(state.sub(dims[axis], 1)));
  const [first, second] = [0, 1].map((start) =>
    append(state, 'slice', [value], {
      shape: fewer, start: dims.map((_, i) => (i === axis ? start : 0)), stride: dims.map(() => 1),
    }),
  );
  return [first, second];
}

/** @type {(x: unknown, options?: unknown) => Value} */
function diff(x, options) {
  const { axis = -1, order = 1, prepend, append: behind } = readOptions('diff', options, diffOptions);
  const { value, dims, rank } = operandOf(x, 'diff');
  const at = readAxis(axis, rank, 'diff');
  const parts = [prepend, value, behind].filter((part) => part !== undefined);
  let result =
    parts.length > 1
      ? joins.concat(
          parts.map((part) => thick(value, part, at, dims)),
          { axis: at },
        )
      : value;
  for (let i = 0; i < order; i++) {
    if (dimsOf(result)[at] === 0) return result;
    const [before, after] = neighbours(result, at);
    result = result.dtype === 'bool' ? ne(after, before) : sub(after, before);
  }
  return result;
}

/**
 * A number in the shape of one place along an axis.
 *
 * @type {(value: Value, part: unknown, axis: number, dims: readonly number[]) => unknown}
 */
function thick(value, part, axis, dims) {
  if (part === value) return value;
  const [, other] = lift([value, part], 'diff').values;
  if (dimsOf(other).length > 0) return other;
  const state = stateOf(value);
  return movement.broadcastTo(
    other,
    dims.map((size, i) => (i === axis ? 1 : state.text(size))),
  );
}

/**
 * The area under samples by the trapezoidal rule; `x` gives their places, `dx` the distance of all.
 *
 * @type {(y: unknown, options?: unknown) => Value}
 */
function trapezoid(y, options) {
  const { axis = -1, dx = 1, x } = readOptions('trapezoid', options, { axis: given, dx: finite, x: given });
  const value = asFloat(y, 'trapezoid');
  const at = readAxis(axis, dimsOf(value).length, 'trapezoid');
  if (dimsOf(value)[at] === 0) return reductions.sum(value, { axis: at });
  const [before, after] = neighbours(value, at);
  const pair = mul(add(before, after), constant(value, 0.5, 'trapezoid'));
  if (x === undefined) return reductions.sum(mul(pair, constant(value, dx, 'trapezoid')), { axis: at });
  const { state, values } = lift([value, x], 'trapezoid');
  const places = inDType(values[1], value.dtype);
  const own = dimsOf(places);
  const laid =
    own.length === 1
      ? movement.reshape(
          places,
          dimsOf(value).map((_, i) => (i === at ? state.text(own[0]) : 1)),
        )
      : places;
  return reductions.sum(mul(pair, diff(laid, { axis: at })), { axis: at });
}

// ------------------------------------------------------------------------------------- covariance

const covarianceOptions = { rowVariables: boolean, correction: finite };

/** Variables as rows, each less its mean. @type {(x: unknown, rowVariables: boolean, caller: string) => Value} */
function centred(x, rowVariables, caller) {
  const value = asFloat(x, caller);
  const { length } = dimsOf(value);
  if (length > 2) expected(caller, 'a vector or a matrix', 'the operand', x, 'ERR_SHAPE');
  const table = length < 2 ? movement.reshape(value, [1, -1]) : value;
  const turned = length === 2 && !rowVariables ? movement.transpose(table) : table;
  return sub(turned, reductions.mean(turned, { axis: 1, keepDims: true }));
}

/** @type {(x: unknown, options: unknown, caller: string) => Value} */
function covariance(x, options, caller) {
  const { rowVariables = true, correction = 1 } = readOptions(caller, options, covarianceOptions);
  const rowsOf = centred(x, rowVariables, caller);
  const state = stateOf(rowsOf);
  const ones = movement.broadcastTo(constant(rowsOf, 1, caller), [state.text(dimsOf(rowsOf)[1])]);
  const left = max(sub(reductions.sum(ones), constant(rowsOf, correction, caller)), constant(rowsOf, 0, caller));
  const products = mul(movement.expandDims(rowsOf, 1), movement.expandDims(rowsOf, 0));
  return div(reductions.sum(products, { axis: 2 }), left);
}

/** @type {(x: unknown, options?: unknown) => Value} */
function cov(x, options) {
  const result = covariance(x, options, 'cov');
  return dimsOf(operandOf(x, 'cov').value).length < 2 ? movement.reshape(result, []) : result;
}

/** @type {(x: unknown, options?: unknown) => Value} */
function corrcoef(x, options) {
  const known = readOptions('corrcoef', options, { rowVariables: boolean });
  const table = covariance(x, { ...known, correction: 0 }, 'corrcoef');
  const size = stateOf(table).text(dimsOf(table)[0]);
  const state = stateOf(table);
  const [row, column] = [0, 1].map((axis) => append(state, 'iota', [], { dtype: 'i64', shape: dimsOf(table), axis }));
  const diagonal = select(eq(row, column), table, constant(table, 0, 'corrcoef'));
  const deviation = sqrt(reductions.sum(diagonal, { axis: 1 }));
  const scaled = div(div(table, movement.reshape(deviation, [size, 1])), movement.reshape(deviation, [1, size]));
  const bounded = max(min(scaled, constant(table, 1, 'corrcoef')), constant(table, -1, 'corrcoef'));
  return dimsOf(operandOf(x, 'corrcoef').value).length < 2 ? movement.reshape(bounded, []) : bounded;
}

/** @type {(x: unknown, y: unknown, options?: unknown) => Value} */
const allClose = (x, y, options) => reductions.all(arithmetic.isClose(x, y, options));

/** Every operation here that becomes a method and a function, by name. */
const statistics = {
  allClose,
  average: roundedOnce(average),
  corrcoef: roundedOnce(corrcoef),
  countNonzero,
  cov: roundedOnce(cov),
  diff,
  nanMax: nanExtreme('max', -Infinity, 'nanMax'),
  nanMean: roundedOnce(nanMean),
  nanMin: nanExtreme('min', Infinity, 'nanMin'),
  nanProd: nanTotal('prod', 1, 'nanProd'),
  nanStd: roundedOnce((/** @type {unknown} */ x, /** @type {unknown} */ options) =>
    sqrt(nanVariance(x, options, 'nanStd')),
  ),
  nanSum: nanTotal('sum', 0, 'nanSum'),
  nanVar: roundedOnce((/** @type {unknown} */ x, /** @type {unknown} */ options) => nanVariance(x, options, 'nanVar')),
  ptp,
  trapezoid: roundedOnce(trapezoid),
};

module.exports = { statistics };
