/**
 * Functions that are known at some places: interpolation between them, and slopes.
 */
'use strict';

const { expected, finite, integer, readOptions } = require('../base/check.js');
const { fail } = require('../base/errors.js');
const { constantOf, dimsOf, lift } = require('../graph/value.js');
const { dtypes } = require('../tensor/dtypes.js');
const { readAxis } = require('../tensor/views.js');
const { arithmetic } = require('./arithmetic.js');
const { elementwise, roundedOnce, rows } = require('./elementwise.js');
const { indexing } = require('./indexing.js');
const { joins, movement, operandOf } = require('./movement.js');
const { searching } = require('./searching.js');
const { sorting } = require('./sorting.js');

/** @typedef {import('../graph/value.js').Value} Value */

const { add, and, div, eq, gt, isNan, lt, max, mul, select, sub } = rows;
const given = (/** @type {unknown} */ value) => value;

/** @type {(value: Value) => Value} */
const asFloat = (value) => (dtypes[value.dtype].kind === 'float' ? value : elementwise.convert(value, 'f64'));

// -------------------------------------------------------------------------------- interpolation

/**
 * Samples of a function that repeats itself, in order and with one of the neighbouring period at both ends.
 *
 * @type {(x: Value, places: Value, values: Value, period: number) => Value[]}
 */
function wrapped(x, places, values, period) {
  const length = Math.abs(period);
  const inside = arithmetic.remainder(places, length);
  const order = sorting.argsort(inside);
  const [line, heights] = [inside, values].map((each) => indexing.take(each, order));
  const ends = (/** @type {Value} */ each) => [movement.slice(each, [-1, null]), movement.slice(each, [0, 1])];
  const [[last, first], [before, behind]] = [ends(line), ends(heights)];
  return [
    arithmetic.remainder(x, length), joins.concat([sub(last, length), line, add(first, length)]),
    joins.concat([before, heights, behind]),
  ];
}

/**
 * Between two samples, as NumPy does: what is not finite on the way is tried from the other side.
 *
 * @type {(x: Value, places: Value, values: Value) => Value}
 */
function between(x, places, values) {
  const at = max(sub(searching.searchsorted(places, x, { side: 'right' }), 1), 0);
  const [[x0, x1], [y0, y1]] = [places, values].map((line) => [
    indexing.take(line, at),
    indexing.take(line, add(at, 1)),
  ]);
  const slope = div(sub(y1, y0), sub(x1, x0));
  const forth = add(mul(slope, sub(x, x0)), y0);
  const back = add(mul(slope, sub(x, x1)), y1);
  const result = select(isNan(forth), select(and(isNan(back), eq(y0, y1)), y0, back), forth);
  return select(eq(x, x0), y0, result);
}

/**
 * @param {unknown} x
 * @param {unknown} places a vector, increasing unless there is a period
 * @param {unknown} values a vector of as many
 * @param {unknown} [options]
 * @returns {Value}
 */
function interp(x, places, values, options) {
  const caller = 'interp';
  const { left, right, period } = readOptions(caller, options, { left: given, right: given, period: finite });
  if (period === 0) expected(caller, 'a number other than 0', "option 'period'", period);
  if (period !== undefined && (left ?? right) !== undefined)
    fail('ERR_ARGUMENT', `${caller}: options 'left' and 'right' do not go with 'period'`);
  const { state, values: lifted } = lift([x, places, values], caller);
  let [at, line, heights] = lifted.map(asFloat);
  for (const [i, each] of [line, heights].entries()) {
    if (each.rank !== 1) expected(caller, 'a vector', i === 0 ? 'the places' : 'the values', each, 'ERR_SHAPE');
  }
  const [[size], [count]] = [line, heights].map(dimsOf);
  if (size !== count)
    fail('ERR_SHAPE', `${caller}: there are ${state.text(size)} places, but ${state.text(count)} values`);
  if (size === 0) fail('ERR_SHAPE', `${caller}: there are no places to take values from`);
  if (period !== undefined) [at, line, heights] = wrapped(at, line, heights, period);
  const result = between(at, line, heights);
  const ends = [left, right].map((end, i) => end ?? movement.slice(heights, -i));
  const low = select(lt(at, movement.slice(line, 0)), ends[0], result);
  const high = select(gt(at, movement.slice(line, -1)), ends[1], low);
  return select(isNan(at), constantOf(state, NaN, high.dtype, 'NaN', caller), high);
}

// ---------------------------------------------------------------------------------------- slopes

/** Some elements along an axis. @type {(value: Value, axis: number, start: number, stop: number | null) => Value} */
const part = (value, axis, start, stop) =>
  movement.slice(value, ...dimsOf(value).map((_, i) => (i === axis ? [start, stop] : null)));

/** @typedef {[number | Value, number | Value, number | Value]} Weights of three neighbours */

/**
 * Weights that give the slope at the middle one of three samples, so exact for parabolas, `before` and `behind` apart
 * (Fornberg, "Generation of finite difference formulas on arbitrarily spaced grids", 1988).
 *
 * @type {(before: Value, behind: Value) => Weights}
 */
function middleWeights(before, behind) {
  const both = add(before, behind);
  return [
    div(rows.neg(behind), mul(before, both)), div(sub(behind, before), mul(before, behind)),
    div(before, mul(behind, both)),
  ];
}

/** The same at the one of three at the end that `near` is at. @type {(near: Value, far: Value) => Weights} */
function endWeights(near, far) {
  const both = add(near, far);
  return [
    div(rows.neg(add(near, both)), mul(near, both)), div(both, mul(near, far)), div(rows.neg(near), mul(far, both)),
  ];
}

/** @type {(values: Value[], weights: Weights) => Value} */
const weighted = (values, weights) =>
  values.map((value, i) => mul(value, weights[i])).reduce((sum, term) => add(sum, term));

/**
 * The slope at one end.
 *
 * @type {(value: Value, axis: number, gaps: Value, isFirst: boolean, order: number) => Value}
 */
function slopeAtEnd(value, axis, gaps, isFirst, order) {
  const place = (/** @type {Value} */ of, /** @type {number} */ i) => {
    const at = isFirst ? i : -1 - i;
    return part(of, axis, at, at === -1 ? null : at + 1);
  };
  const [near, next] = [place(value, 0), place(value, 1)];
  const gap = place(gaps, 0);
  if (order === 1) return div(isFirst ? sub(next, near) : sub(near, next), gap);
  const slope = weighted([near, next, place(value, 2)], endWeights(gap, place(gaps, 1)));
  return isFirst ? slope : rows.neg(slope);
}

/**
 * Slopes along an axis: by neighbours on both sides, at the ends by those there are.
 *
 * @param {unknown} x
 * @param {unknown} [options]
 * @returns {Value}
 */
function gradient(x, options) {
  const caller = 'gradient';
  const {
    axis = -1, spacing = 1, edgeOrder = 1,
  } = readOptions(caller, options, { axis: given, spacing: given, edgeOrder: integer(1, 2) });
  const { state, values } = lift([asFloat(operandOf(x, caller).value), spacing], caller, 0, (i) =>
    i === 1 ? "option 'spacing'" : 'the operand',
  );
  const [value, steps] = values.map(asFloat);
  const dims = dimsOf(value);
  const at = readAxis(axis, dims.length, caller);
  if (dims[at] >= 0 && dims[at] <= edgeOrder)
    fail(
      'ERR_SHAPE',
      `${caller}: axis ${at} has ${dims[at]} elements, but option 'edgeOrder' ${edgeOrder} takes ${edgeOrder + 1} at least`,
    );
  const shape = dims.map((_, i) => (i === at ? state.text(dims[at]) : 1));
  if (steps.rank > 1) expected(caller, 'a number or a vector', "option 'spacing'", steps, 'ERR_SHAPE');
  const [places] = dimsOf(steps);
  if (steps.rank === 1 && dims[at] >= 0 && places >= 0 && places !== dims[at]) {
    fail('ERR_SHAPE', `${caller}: axis ${at} has ${dims[at]} elements, but option 'spacing' has ${places} places`);
  }
  const line = steps.rank === 1 ? movement.reshape(steps, shape) : undefined;
  const gapShape = shape.with(at, state.text(state.sub(dims[at], 1)));
  const gaps =
    line === undefined ? movement.broadcastTo(steps, gapShape) : sub(part(line, at, 1, null), part(line, at, 0, -1));
  const weights = middleWeights(part(gaps, at, 0, -1), part(gaps, at, 1, null));
  const inside = weighted([part(value, at, 0, -2), part(value, at, 1, -1), part(value, at, 2, null)], weights);
  const [first, last] = [true, false].map((isFirst) => slopeAtEnd(value, at, gaps, isFirst, edgeOrder));
  return joins.concat([first, inside, last], { axis: at });
}

/** Every operation here that becomes a method and a function, by name. */
const interpolation = { gradient: roundedOnce(gradient), interp };

module.exports = { interpolation };
