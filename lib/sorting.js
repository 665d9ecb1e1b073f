/**
 * Order: sorting, positions in an order, the first few of one, and statistics that are read off it.
 *
 * All of it is the two primitives `sort` and `top_k`. Both are stable, -0 equals +0, and NaN counts as
 * greatest: it comes last, or first where the order is descending, as in NumPy. Positions are those of
 * an `iota` that is sorted along, and a quantile is one or two places of the sorted axis, found by
 * arithmetic on its size, so that it may be symbolic.
 */
'use strict';

const { boolean, expected, finite, integer, oneOf, readOptions } = require('./check.js');
const { dtypeName, dtypes } = require('./dtypes.js');
const { elementwise, rows } = require('./elementwise.js');
const { fail } = require('./errors.js');
const { allAxes, joins, movement, operandOf, reshapeTo } = require('./movement.js');
const { reductions } = require('./reductions.js');
const { append, constantOf, dimsOf, stateOf } = require('./value.js');
const { readAxes, readAxis } = require('./views.js');

/** @typedef {import('./value.js').Value} Value */

const { add, div, eq, floor, ge, isNan, max, min, mul, ne, select, sub } = rows;
const given = (/** @type {unknown} */ value) => value;
const orderOptions = { axis: given, descending: boolean, stable: boolean };

/** @type {import('./check.js').Getter<import('./dtypes.js').DType>} */
function indexDType(value, which, caller) {
  const dtype = dtypeName(value, which, caller);
  const good = dtype === 'i32' || dtype === 'i64' || dtype === 'u32' || dtype === 'u64';
  return good ? dtype : expected(caller, "one of 'i32', 'i64', 'u32', 'u64'", which, value);
}

/** The position of each element along an axis. @type {(value: Value, axis: number, dtype: string) => Value} */
const positions = (value, axis, dtype) => append(stateOf(value), 'iota', [], { dtype, shape: dimsOf(value), axis });

/** @type {(value: Value, index: number) => Value} */
const resultOf = (value, index) => (index === 0 ? value : append(stateOf(value), 'result', [value], { index }));

/** @type {(values: readonly Value[], keys: number, axis: number, descending?: boolean) => Value} */
const sorted = (values, keys, axis, descending = false) =>
  append(stateOf(values[0]), 'sort', values, { axis, keys, descending: Number(descending) });

/** The operand and the axis that is meant, by default the last. @type {(x: unknown, axis: unknown, caller: string) => { value: Value, axis: number }} */
function along(x, axis, caller) {
  const { value, rank } = operandOf(x, caller);
  if (rank === 0) fail('ERR_SHAPE', `${caller}: a value without axes has no order`);
  return { value, axis: readAxis(axis ?? -1, rank, caller) };
}

// --------------------------------------------------------------------------------------- orders

/** @type {(x: unknown, options?: unknown) => Value} */
function sort(x, options) {
  const { axis: which, descending } = readOptions('sort', options, orderOptions);
  const { value, axis } = along(x, which, 'sort');
  return sorted([value], 1, axis, descending);
}

/** @type {(x: unknown, options?: unknown) => Value} */
function argsort(x, options) {
  const known = { ...orderOptions, dtype: indexDType };
  const { axis: which, descending, dtype = 'i64' } = readOptions('argsort', options, known);
  const { value, axis } = along(x, which, 'argsort');
  return resultOf(sorted([value, positions(value, axis, dtype)], 1, axis, descending), 1);
}

/** Values of one shape, the first of them first. @type {(list: unknown, caller: string) => Value[]} */
function keysOf(list, caller) {
  const keys = Array.isArray(list) ? list : [list];
  if (keys.length === 0) expected(caller, 'at least one key', 'the keys', list);
  return keys.map((key) => operandOf(key, caller).value);
}

/** @type {(x: unknown, by: unknown, options?: unknown) => Value} */
function sortBy(x, by, options) {
  const { axis: which, descending } = readOptions('sortBy', options, orderOptions);
  const { value, axis } = along(x, which, 'sortBy');
  const keys = keysOf(by, 'sortBy');
  return resultOf(sorted([...keys, value], keys.length, axis, descending), keys.length);
}

/** @type {(keys: unknown, options?: unknown) => Value} */
function lexsort(keys, options) {
  const { axis: which, dtype = 'i64' } = readOptions('lexsort', options, { axis: given, dtype: indexDType });
  const list = keysOf(keys, 'lexsort').reverse();
  const { value, axis } = along(list[0], which, 'lexsort');
  return resultOf(sorted([...list, positions(value, axis, dtype)], list.length, axis), list.length);
}

// ------------------------------------------------------------------------------------- the first few

const topOptions = { axis: given, largest: boolean, dtype: indexDType };

/** @type {(x: unknown, count: unknown, options?: unknown) => { values: Value, indices: Value }} */
function topk(x, count, options) {
  const { axis: which, largest = true, dtype = 'i64' } = readOptions('topk', options, topOptions);
  const { value, axis } = along(x, which, 'topk');
  const state = stateOf(value);
  const size = state.dim(count, 'the count', 'topk');
  const indices = positions(value, axis, dtype);
  const values = append(state, 'top_k', [value, indices], { axis, descending: Number(largest), count: [size] });
  return { values, indices: resultOf(values, 1) };
}

/** One place along an axis, which leaves. @type {(value: Value, axis: number, place: number, keepDims?: boolean) => Value} */
function placeOf(value, axis, place, keepDims = false) {
  const dims = dimsOf(value);
  const shape = dims.with(axis, 1);
  const start = dims.map((_, i) => (i === axis ? place : 0));
  const taken = append(stateOf(value), 'slice', [value], { shape, start, stride: dims.map(() => 1) });
  return keepDims ? taken : reshapeTo(stateOf(value), taken, dims.toSpliced(axis, 1));
}

const oneOptions = { axis: given, keepDims: boolean };

/** @type {(x: unknown, k: unknown, options?: unknown) => { values: Value, indices: Value }} */
function kthValue(x, k, options) {
  const { axis: which, keepDims } = readOptions('kthValue', options, oneOptions);
  const { value, axis } = along(x, which, 'kthValue');
  const state = stateOf(value);
  const count = state.dim(k, 'k', 'kthValue');
  if (count === 0) expected('kthValue', 'an integer of at least 1', 'k', k);
  const few = topk(value, k, { axis, largest: false });
  const last = state.sub(count, 1);
  return { values: placeOf(few.values, axis, last, keepDims), indices: placeOf(few.indices, axis, last, keepDims) };
}

/** Whether every place is in the axis, as far as its size is known. @type {(value: Value, axis: number, kth: unknown, caller: string) => void} */
function checkPlaces(value, axis, kth, caller) {
  const size = dimsOf(value)[axis];
  const most = size >= 0 ? size - 1 : Number.MAX_SAFE_INTEGER;
  for (const place of Array.isArray(kth) ? kth : [kth]) integer(size >= 0 ? -size : undefined, most)(place, 'kth', caller);
}

/** @type {(x: unknown, kth: unknown, options?: unknown) => Value} */
function partition(x, kth, options) {
  const { axis: which } = readOptions('partition', options, { axis: given });
  const { value, axis } = along(x, which, 'partition');
  checkPlaces(value, axis, kth, 'partition');
  return sorted([value], 1, axis);
}

/** @type {(x: unknown, kth: unknown, options?: unknown) => Value} */
function argpartition(x, kth, options) {
  const { axis: which, dtype } = readOptions('argpartition', options, { axis: given, dtype: indexDType });
  const { value, axis } = along(x, which, 'argpartition');
  checkPlaces(value, axis, kth, 'argpartition');
  return argsort(value, { axis, dtype });
}

// ------------------------------------------------------------------------------------- quantiles

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
  return { state, line, last: left.length, size, finish: (/** @type {Value} */ result) => reshapeTo(state, result, wide) };
}

/** @type {(value: Value) => boolean} */
const isFloat = (value) => dtypes[value.dtype].kind === 'float';

/** @type {(value: Value) => Value} */
const asFloat = (value) => (isFloat(value) ? value : elementwise.convert(value, 'f64'));

/** @type {(like: Value, number: number, caller: string) => Value} */
const constant = (like, number, caller) => constantOf(stateOf(like), number, like.dtype, String(number), caller);

/** NaN where the sorted line ends in one, as a line with any NaN does. @type {(line: Value, axis: number, result: Value, caller: string) => Value} */
function spoilt(line, axis, result, caller) {
  if (!isFloat(line)) return result;
  const state = stateOf(line);
  const greatest = placeOf(line, axis, state.sub(dimsOf(line)[axis], 1));
  return select(isNan(greatest), constant(result, NaN, caller), result);
}

/** @type {(x: unknown, options?: unknown) => Value} */
function median(x, options) {
  const { axis, keepDims = false } = readOptions('median', options, oneOptions);
  const { state, line, last, size, finish } = lined(asFloat(operandOf(x, 'median').value), axis, 'median');
  const ordered = sorted([line], 1, last);
  const [low, high] = [state.floorDiv(state.sub(size, 1), 2), state.floorDiv(size, 2)].map((place) =>
    size === 0 ? nothing(line, 'median') : placeOf(ordered, last, place),
  );
  const middle = select(eq(low, high), low, mul(add(low, high), constant(low, 0.5, 'median')));
  const result = size === 0 ? middle : spoilt(ordered, last, middle, 'median');
  return keepDims ? finish(result) : result;
}

/** What a line without elements comes to. @type {(line: Value, caller: string) => Value} */
function nothing(line, caller) {
  const dims = dimsOf(line).slice(0, -1);
  return constantOf(stateOf(line), NaN, line.dtype, 'NaN', caller, dims);
}

/** @type {(x: unknown, options?: unknown) => Value} */
function nanMedian(x, options) {
  const { axis, keepDims = false } = readOptions('nanMedian', options, oneOptions);
  const { line, last, size, finish } = lined(asFloat(operandOf(x, 'nanMedian').value), axis, 'nanMedian');
  const ordered = sorted([line], 1, last);
  const place = positions(line, last, 'i64');
  const over = { axis: last, keepDims: true };
  const count = reductions.sum(elementwise.convert(rows.not(isNan(line)), 'i64'), over);
  const none = constant(line, -Infinity, 'nanMedian');
  const at = (/** @type {Value} */ wanted) => reductions.max(select(eq(place, wanted), ordered, none), { axis: last });
  if (size === 0) return keepDims ? finish(nothing(line, 'nanMedian')) : nothing(line, 'nanMedian');
  const [low, high] = [at(div(sub(count, 1), 2)), at(div(count, 2))];
  const middle = select(eq(low, high), low, mul(add(low, high), constant(low, 0.5, 'nanMedian')));
  const empty = reductions.all(isNan(line), { axis: last });
  const result = select(empty, constant(middle, NaN, 'nanMedian'), middle);
  return keepDims ? finish(result) : result;
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
const linear = between(1, 1);

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

/** The place `at` (an f64) of the last axis. @type {(ordered: Value, at: Value) => Value} */
function dynamicPlace(ordered, at) {
  const state = stateOf(ordered);
  const dims = dimsOf(ordered);
  const zero = constantOf(state, 0, 'i64', '0', 'quantile');
  const starts = dims.map((_, i) => (i === dims.length - 1 ? elementwise.convert(at, 'i64') : zero));
  const taken = append(state, 'dynamic_slice', [ordered, ...starts], { shape: dims.with(-1, 1) });
  return reshapeTo(state, taken, dims.slice(0, -1));
}

/** One quantile of a sorted line. @type {(ordered: Value, n: Value, q: number, method: Method) => Value} */
function quantileAt(ordered, n, q, method) {
  const { at, whole: exact } = method(n, constantOf(stateOf(ordered), q, 'f64', 'q', 'quantile'));
  const inside = max(min(at, sub(n, 1)), 0);
  if (exact) return dynamicPlace(ordered, inside);
  const line = asFloat(ordered);
  const low = dynamicPlace(line, floor(inside));
  const high = dynamicPlace(line, add(floor(inside), 1)); // clamped to the last
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

const quantileOptions = { ...oneOptions, method: oneOf(Object.keys(methods)) };

/** @type {(caller: 'quantile' | 'percentile', most: number) => (x: unknown, q: unknown, options?: unknown) => Value} */
const quantiles = (caller, most) => (x, q, options) => {
  const { axis, keepDims = false, method = 'linear' } = readOptions(caller, options, quantileOptions);
  const wanted = (Array.isArray(q) ? q : [q]).map((each) => {
    const number = finite(each, 'q', caller);
    return number >= 0 && number <= most ? number / most : expected(caller, `a number from 0 to ${most}`, 'q', each);
  });
  const { state, line, last, size, finish } = lined(x, axis, caller);
  const ordered = size === 0 ? line : sorted([line], 1, last);
  const n = countOf(line, size);
  const results = wanted.map((each) => {
    if (size === 0) return nothing(asFloat(line), caller);
    return spoilt(ordered, last, quantileAt(ordered, n, each, methods[method]), caller);
  });
  const shaped = keepDims ? results.map(finish) : results;
  if (!Array.isArray(q)) return shaped[0];
  if (shaped.length === 0) return expected(caller, 'at least one number', 'q', q);
  return joins.concat(shaped.map((each) => reshapeTo(state, each, [1, ...dimsOf(each)])), { axis: 0 });
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
const sorting = {
  argpartition,
  argsort,
  kthValue,
  lexsort,
  median,
  mode,
  nanMedian,
  partition,
  percentile: quantiles('percentile', 100),
  quantile: quantiles('quantile', 1),
  sort,
  sortBy,
  topk,
};

module.exports = { sorting };
