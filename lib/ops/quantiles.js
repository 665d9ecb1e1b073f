/**
 * Statistics that are read off a sorted axis: medians, quantiles, the commonest element.
 *
 * A quantile is one or two places of the sorted axis, found by arithmetic on its size, so that it may be symbolic, or
 * on the number of elements that are no NaN, which lie in front.
 */
'use strict';

const { expected, finite, oneOf, readOptions } = require('../base/check.js');
const { append, constantOf, dimsOf, stateOf } = require('../graph/value.js');
const { dtypes } = require('../tensor/dtypes.js');
const { readAxes } = require('../tensor/views.js');
const { elementwise, rows } = require('./elementwise.js');
const { indexing } = require('./indexing.js');
const { allAxes, joins, movement, operandOf, reshapeTo } = require('./movement.js');
const { reductions } = require('./reductions.js');
const { oneOptions, placeOf, positions, sorted } = require('./sorting.js');

/** @typedef {import('../graph/value.js').Value} Value */

const { add, eq, floor, ge, isNan, max, min, mul, ne, select, sub } = rows;

// ----------------------------------------------------------------------------------------- lines

/**
 * The axes that go, as one axis behind those that stay.
 *
 * @param {unknown} x
 * @param {unknown} axis one axis, several, or undefined for all
 * @param {string} caller
 */
function lined(x, axis, caller) {
  const { state, value, dims, rank } = operandOf(x, caller);
  const gone = axis === undefined || axis === null ? allAxes(rank) : readAxes(axis, rank, caller);
  const left = allAxes(rank).filter((each) => !gone.includes(each));
  const turned = left.length + gone.length === 0 ? value : movement.transpose(value, [...left, ...gone]);
  const size = state.product(gone.map((each) => dims[each]));
  const line = reshapeTo(state, turned, [...left.map((each) => dims[each]), size]);
  const wide = dims.map((dim, each) => (gone.includes(each) ? 1 : dim));
  return {
    state, line, last: left.length, size, finish: (/** @type {Value} */ result) => reshapeTo(state, result, wide),
  };
}

/** @type {(value: Value) => boolean} */
const isFloat = (value) => dtypes[value.dtype].kind === 'float';

/** @type {(value: Value) => Value} */
const asFloat = (value) => (isFloat(value) ? value : elementwise.convert(value, 'f64'));

/** @type {(like: Value, number: number, caller: string) => Value} */
const constant = (like, number, caller) => constantOf(stateOf(like), number, like.dtype, String(number), caller);

/**
 * NaN where the sorted line ends in one, as a line with any NaN does.
 *
 * @type {(line: Value, axis: number, result: Value, caller: string) => Value}
 */
function spoilt(line, axis, result, caller) {
  if (!isFloat(line)) return result;
  const state = stateOf(line);
  const greatest = placeOf(line, axis, state.sub(dimsOf(line)[axis], 1));
  return select(isNan(greatest), constant(result, NaN, caller), result);
}

/** The mean of two, and infinity of two equal ones. @type {(low: Value, high: Value) => Value} */
const halfway = (low, high) => select(eq(low, high), low, mul(add(low, high), constant(low, 0.5, 'median')));

/** @type {(x: unknown, options?: unknown) => Value} */
function median(x, options) {
  const { axis, keepDims = false } = readOptions('median', options, oneOptions);
  const { state, line, last, size, finish } = lined(asFloat(operandOf(x, 'median').value), axis, 'median');
  const ordered = sorted([line], 1, last);
  const [low, high] = [state.floorDiv(state.sub(size, 1), 2), state.floorDiv(size, 2)].map((place) =>
    size === 0 ? nothing(line, 'median') : placeOf(ordered, last, place),
  );
  const middle = halfway(low, high);
  const result = size === 0 ? middle : spoilt(ordered, last, middle, 'median');
  return keepDims ? finish(result) : result;
}

/** What a line without elements comes to. @type {(line: Value, caller: string) => Value} */
function nothing(line, caller) {
  const dims = dimsOf(line).slice(0, -1);
  return constantOf(stateOf(line), NaN, line.dtype, 'NaN', caller, dims);
}

/**
 * Where a quantile lies among n sorted elements, counted from 0, and how that becomes places of
 * elements (R. J. Hyndman and Y. Fan, Sample quantiles in statistical packages, The American
 * Statistician 50, 1996; names as NumPy has them).
 *
 * @typedef {(n: Value, q: Value) => { at: Value, whole?: boolean }} Method
 */

/** @type {(alpha: number, beta: number) => Method} */
const between = (alpha, beta) => (n, q) => ({ at: add(mul(n, q), add(mul(q, 1 - alpha - beta), alpha - 1)) });
/** In this form, so that places which are whole come out whole. @type {Method} */
const linear = (n, q) => ({ at: mul(sub(n, 1), q) });

/** A place of an element. @type {(at: Value) => { at: Value, whole: boolean }} */
const whole = (at) => ({ at, whole: true });

/** @type {Record<string, Method>} */
const methods = {
  inverted_cdf: (n, q) => whole(sub(rows.ceil(mul(n, q)), 1)),
  averaged_inverted_cdf: (n, q) => {
    const at = mul(n, q);
    return { at: select(eq(floor(at), at), sub(at, 0.5), floor(at)) };
  },
  closest_observation: (n, q) => {
    const at = sub(mul(n, q), 1.5);
    const tie = rows.and(eq(floor(at), at), ne(mul(floor(mul(at, 0.5)), 2), at));
    return whole(select(tie, at, add(floor(at), 1)));
  },
  interpolated_inverted_cdf: between(0, 1),
  hazen: between(0.5, 0.5),
  weibull: between(0, 0),
  linear,
  median_unbiased: between(1 / 3, 1 / 3),
  normal_unbiased: between(3 / 8, 3 / 8),
  lower: (n, q) => whole(floor(linear(n, q).at)),
  higher: (n, q) => whole(rows.ceil(linear(n, q).at)),
  midpoint: (n, q) => {
    const { at } = linear(n, q);
    return { at: mul(add(floor(at), rows.ceil(at)), 0.5) };
  },
  nearest: (n, q) => whole(rows.roundEven(linear(n, q).at)),
};

/** The place `at` (f64: one, or one per line) of the last axis. @type {(ordered: Value, at: Value) => Value} */
function dynamicPlace(ordered, at) {
  const state = stateOf(ordered);
  const dims = dimsOf(ordered);
  if (dimsOf(at).length > 0) {
    const places = elementwise.convert(reshapeTo(state, at, [...dimsOf(at), 1]), 'i64');
    return reshapeTo(state, indexing.takeAlongAxis(ordered, places), dims.slice(0, -1));
  }
  const zero = constantOf(state, 0, 'i64', '0', 'quantile');
  const starts = dims.map((_, i) => (i === dims.length - 1 ? elementwise.convert(at, 'i64') : zero));
  const taken = append(state, 'dynamic_slice', [ordered, ...starts], { shape: dims.with(-1, 1) });
  return reshapeTo(state, taken, dims.slice(0, -1));
}

/**
 * One quantile of sorted lines of n elements, or of n per line.
 *
 * @type {(ordered: Value, n: Value, q: number, method: Method) => Value}
 */
function quantileAt(ordered, n, q, method) {
  const { at, whole: exact } = method(n, constantOf(stateOf(ordered), q, 'f64', 'q', 'quantile'));
  const inside = max(min(at, sub(n, 1)), 0);
  if (exact) return dynamicPlace(ordered, inside);
  const line = asFloat(ordered);
  const low = dynamicPlace(line, floor(inside));
  const high = dynamicPlace(line, max(min(add(floor(inside), 1), sub(n, 1)), 0));
  const part = elementwise.convert(sub(inside, floor(inside)), line.dtype);
  const gap = sub(high, low);
  const value = select(ge(part, 0.5), sub(high, mul(gap, sub(1, part))), add(low, mul(gap, part)));
  return select(rows.or(eq(part, 0), eq(low, high)), low, value);
}

/** @type {(value: Value, dim: number) => Value} */
function countOf(value, dim) {
  const state = stateOf(value);
  if (dim >= 0) return constantOf(state, dim, 'f64', 'the size', 'quantile');
  const ones = constantOf(state, 1, 'f64', 'one', 'quantile', [dim]);
  return append(state, 'reduce_sum', [ones], { axes: [0] });
}

/** How many elements of each line are no NaN, in f64. @type {(line: Value, last: number) => Value} */
const numbersIn = (line, last) => reductions.sum(elementwise.convert(rows.not(isNan(line)), 'f64'), { axis: last });

/** @type {(x: unknown, options?: unknown) => Value} */
function nanMedian(x, options) {
  const { axis, keepDims = false } = readOptions('nanMedian', options, oneOptions);
  const { line, last, size, finish } = lined(asFloat(operandOf(x, 'nanMedian').value), axis, 'nanMedian');
  const ordered = sorted([line], 1, last);
  const [low, high] = [methods.lower, methods.higher].map((method) =>
    size === 0 ? nothing(line, 'nanMedian') : quantileAt(ordered, numbersIn(line, last), 0.5, method),
  );
  const middle = halfway(low, high); // of no numbers, the NaN that comes first
  return keepDims ? finish(middle) : middle;
}

const quantileOptions = { ...oneOptions, method: oneOf(Object.keys(methods)) };

/**
 * @param {string} caller
 * @param {number} most what q is out of
 * @param {boolean} skips whether NaN counts as no element, else it spoils its line
 * @returns {(x: unknown, q: unknown, options?: unknown) => Value}
 */
const quantiles = (caller, most, skips) => (x, q, options) => {
  const { axis, keepDims = false, method = 'linear' } = readOptions(caller, options, quantileOptions);
  const wanted = (Array.isArray(q) ? q : [q]).map((each) => {
    const number = finite(each, 'q', caller);
    return number >= 0 && number <= most ? number / most : expected(caller, `a number from 0 to ${most}`, 'q', each);
  });
  const { state, line, last, size, finish } = lined(x, axis, caller);
  const ordered = size === 0 ? line : sorted([line], 1, last);
  const isSkipping = skips && isFloat(line);
  const n = isSkipping ? numbersIn(line, last) : countOf(line, size);
  const results = wanted.map((each) => {
    if (size === 0) return nothing(asFloat(line), caller);
    const result = quantileAt(ordered, n, each, methods[method]);
    return isSkipping ? result : spoilt(ordered, last, result, caller); // of no elements, the NaN that comes first
  });
  const shaped = keepDims ? results.map(finish) : results;
  if (!Array.isArray(q)) return shaped[0];
  if (shaped.length === 0) return expected(caller, 'at least one number', 'q', q);
  return joins.concat(
    shaped.map((each) => reshapeTo(state, each, [1, ...dimsOf(each)])),
    { axis: 0 },
  );
};

// ------------------------------------------------------------------------------------------ mode

/** @type {(x: unknown, options?: unknown) => { values: Value, counts: Value }} */
function mode(x, options) {
  const { axis, keepDims = false } = readOptions('mode', options, oneOptions);
  const { state, line, last, finish } = lined(x, axis ?? -1, 'mode');
  const ordered = sorted([line], 1, last);
  const dims = dimsOf(ordered);
  const place = positions(ordered, last, 'i64');
  const starts = dims.map((_, i) => (i === last ? -1 : 0));
  const filler = constantOf(state, dtypes[line.dtype].kind === 'bool' ? false : 0, line.dtype, '0', 'mode');
  const edge = { lo: starts.map((each) => -each), hi: starts, interior: dims.map(() => 0) };
  const before = append(state, 'pad', [ordered, filler], edge);
  const begins = rows.or(eq(place, 0), ne(ordered, before));
  const begin = append(state, 'cumulate_max', [select(begins, place, 0)], { axis: last });
  const length = add(sub(place, begin), 1);
  const most = reductions.max(length, { axis: last, keepDims: true });
  const first = reductions.argmax(length, { axis: last, keepDims: true });
  const wide = ordered.dtype === 'bool' ? elementwise.convert(ordered, 'u8') : ordered;
  const chosen = append(state, 'reduce_max', [select(eq(place, first), wide, least(wide))], { axes: [last] });
  const values = ordered.dtype === 'bool' ? ne(chosen, 0) : chosen;
  const counts = reshapeTo(state, most, dims.slice(0, -1));
  return keepDims ? { values: finish(values), counts: finish(counts) } : { values, counts };
}

/** What every value of the dtype is at least. @type {(like: Value) => Value} */
function least(like) {
  const state = stateOf(like);
  const empty = constantOf(state, 0, like.dtype, '0', 'mode', [0]);
  return append(state, 'reduce_max', [empty], { axes: [0] });
}

/** Every operation here that becomes a method and a function, by name. */
const orderStatistics = {
  median,
  mode,
  nanMedian,
  nanPercentile: quantiles('nanPercentile', 100, true),
  nanQuantile: quantiles('nanQuantile', 1, true),
  percentile: quantiles('percentile', 100, false),
  quantile: quantiles('quantile', 1, false),
};

module.exports = { orderStatistics };
