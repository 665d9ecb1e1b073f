/**
 * Order: sorting, positions in an order, the first few of one.
 *
 * All of it is the two primitives `sort` and `top_k`. Both are stable, -0 equals +0, and NaN counts as
 * greatest: it comes last, or first where the order is descending, as in NumPy. Positions are those of
 * an `iota` that is sorted along.
 */
'use strict';

const { boolean, expected, integer, readOptions } = require('../base/check.js');
const { fail } = require('../base/errors.js');
const { append, dimsOf, stateOf } = require('../graph/value.js');
const { dtypeName } = require('../tensor/dtypes.js');
const { readAxis } = require('../tensor/views.js');
const { operandOf, reshapeTo } = require('./movement.js');
const { inOrder } = require('./user-functions.js');

/** @typedef {import('../graph/value.js').Value} Value */

const given = (/** @type {unknown} */ value) => value;
const orderOptions = { axis: given, descending: boolean, stable: boolean };

/** @type {import('../base/check.js').Getter<import('../tensor/dtypes.js').DType>} */
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

/**
 * The operand and the axis that is meant, by default the last.
 *
 * @type {(x: unknown, axis: unknown, caller: string) => { value: Value, axis: number }}
 */
function along(x, axis, caller) {
  const { value, rank } = operandOf(x, caller);
  if (rank === 0) fail('ERR_SHAPE', `${caller}: a value without axes has no order`);
  return { value, axis: readAxis(axis ?? -1, rank, caller) };
}

// --------------------------------------------------------------------------------------- orders

/** Sorted by a function of two elements. @type {(x: unknown, compare: Function, options: unknown) => Value} */
function sortWith(x, compare, options) {
  const { axis: which } = readOptions('sort', options, { axis: given });
  const { value, axis } = along(x, which, 'sort');
  return inOrder([value], axis, /** @type {any} */ (compare), 'sort')[0];
}

/**
 * `compare` is a function, or options in its place.
 *
 * @type {(x: unknown, compare?: unknown, options?: unknown) => Value}
 */
function sort(x, compare, options) {
  if (typeof compare === 'function') return sortWith(x, compare, options);
  return sortByValue(x, compare);
}

/** @type {(x: unknown, options?: unknown) => Value} */
function sortByValue(x, options) {
  const { axis: which, descending } = readOptions('sort', options, orderOptions);
  const { value, axis } = along(x, which, 'sort');
  return sorted([value], 1, axis, descending);
}

/** @type {(x: unknown, compare?: unknown, options?: unknown) => Value} */
function argsort(x, compare, options) {
  if (typeof compare !== 'function') return argsortByValue(x, compare);
  const { axis: which, dtype = 'i64' } = readOptions('argsort', options, { axis: given, dtype: indexDType });
  const { value, axis } = along(x, which, 'argsort');
  return inOrder([value, positions(value, axis, dtype)], axis, /** @type {any} */ (compare), 'argsort')[1];
}

/** @type {(x: unknown, options?: unknown) => Value} */
function argsortByValue(x, options) {
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

/**
 * One place along an axis, which leaves.
 *
 * @type {(value: Value, axis: number, place: number, keepDims?: boolean) => Value}
 */
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

/**
 * Whether every place is in the axis, as far as its size is known.
 *
 * @type {(value: Value, axis: number, kth: unknown, caller: string) => void}
 */
function checkPlaces(value, axis, kth, caller) {
  const size = dimsOf(value)[axis];
  const most = size >= 0 ? size - 1 : Number.MAX_SAFE_INTEGER;
  for (const place of Array.isArray(kth) ? kth : [kth])
    integer(size >= 0 ? -size : undefined, most)(place, 'kth', caller);
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

/** Every operation here that becomes a method and a function, by name. */
const sorting = {
  argpartition,
  argsort,
  kthValue,
  lexsort,
  partition,
  sort,
  sortBy,
  topk,
};

module.exports = { oneOptions, placeOf, positions, sorted, sorting };
