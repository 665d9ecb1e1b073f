/**
 * Searching in a sorted vector: places of values, bins, membership.
 *
 * A binary search takes as many steps as the size of the vector has bits (47 where it is symbolic), each of
 * which moves all places together by half as far as the step before: a `gather` and a comparison.
 * The order is that of `sort`: NaN is greatest, -0 equals +0.
 */
'use strict';

const { boolean, expected, oneOf, readOptions } = require('../base/check.js');
const { append, constantFrom, constantOf, dimsOf, isValue, lift, stateOf } = require('../graph/value.js');
const { dtypes } = require('../tensor/dtypes.js');
const { elementwise, rows } = require('./elementwise.js');
const { indexing } = require('./indexing.js');
const { movement } = require('./movement.js');
const { sorting } = require('./sorting.js');

/** @typedef {import('../graph/value.js').Value} Value */
/** @typedef {import('../graph/value.js').GraphState} GraphState */

const MOST_STEPS = 47; // no array has more than 2^47 elements
const MOST_U32 = 2 ** 32 - 1;

const { add, and, eq, isNan, le, lt, not, or, select, sub } = rows;

/** @type {(x: Value) => boolean} */
const isFloat = (x) => dtypes[x.dtype].kind === 'float';

/** Whether x stands before y in a sorted axis. @type {(x: Value, y: Value) => Value} */
function precedes(x, y) {
  const less = lt(x, y);
  if (!isFloat(y)) return less;
  const greatest = isFloat(x) ? and(isNan(y), not(isNan(x))) : isNan(y);
  return or(less, greatest);
}

/**
 * The size of a vector, as a number of the dtype.
 *
 * @type {(state: GraphState, dim: number, dtype: 'u32' | 'u64') => Value}
 */
function sizeOf(state, dim, dtype) {
  if (dim >= 0) return constantOf(state, dtype === 'u64' ? BigInt(dim) : dim, dtype, 'the size', 'searchsorted');
  return append(state, 'reduce_sum', [constantOf(state, 1n, dtype, 'one', 'searchsorted', [dim])], { axes: [0] });
}

/**
 * A vector that something can be taken from: with one more element where it may turn out to be empty.
 *
 * @type {(state: GraphState, line: Value) => Value}
 */
function filled(state, line) {
  const [dim] = dimsOf(line);
  return dim > 0 ? line : append(state, 'concat', [line, zeroOf(state, line.dtype, [1])], { axis: 0 });
}

/** @type {(state: GraphState, dtype: import('../tensor/dtypes.js').DType, dims: number[]) => Value} */
const zeroOf = (state, dtype, dims) =>
  constantOf(state, dtype === 'bool' ? false : 0, dtype, 'zero', 'searchsorted', dims);

/**
 * How many elements of `line` stand before each value, or (right) not behind it.
 *
 * @type {(state: GraphState, line: Value, values: Value, right: boolean) => Value}
 */
function placesOf(state, line, values, right) {
  const [dim] = dimsOf(line);
  const known = dim >= 0;
  const dtype = known && dim <= MOST_U32 / 2 ? 'u32' : 'u64';
  const number = (/** @type {number} */ of) =>
    constantOf(state, dtype === 'u64' ? BigInt(of) : of, dtype, String(of), 'searchsorted');
  const size = sizeOf(state, dim, dtype);
  const from = filled(state, line);
  /** @type {Value} */
  let place = constantOf(state, dtype === 'u64' ? 0n : 0, dtype, '0', 'searchsorted', [...dimsOf(values)]);
  for (
    let step = 2 ** (known ? Math.floor(Math.log2(Math.max(dim, 1))) : MOST_STEPS);
    known ? dim > 0 && step >= 1 : step >= 1;
    step /= 2
  ) {
    const further = add(place, number(step));
    const last = indexing.take(from, sub(further, number(1))); // clamped where there is none
    const passes = right ? not(precedes(values, last)) : precedes(last, values);
    place = select(and(le(further, size), passes), further, place);
  }
  return place;
}

const known = {
  side: oneOf(['left', 'right']),
  sorter: (/** @type {unknown} */ value) => value,
  dtype: oneOf(['i32', 'i64', 'u32', 'u64']),
};

/**
 * Two operands; nested arrays have the dtype of the other one.
 *
 * @type {(x: unknown, y: unknown, caller: string) => ReturnType<typeof lift>}
 */
function paired(x, y, caller) {
  const [own, other] = [x, y].map((each, i) => {
    const like = i === 0 ? y : x;
    return Array.isArray(each) && isValue(like) ? constantFrom(stateOf(like), each, caller, like.dtype) : each;
  });
  return lift([own, other], caller);
}

/**
 * A vector and what is looked for, as values.
 *
 * @type {(line: unknown, values: unknown, caller: string) => { state: GraphState, line: Value, values: Value }}
 */
function searched(line, values, caller) {
  const {
    state,
    values: [own, wanted],
  } = paired(line, values, caller);
  if (dimsOf(own).length !== 1)
    expected(caller, 'a vector', 'what is searched', isValue(line) ? line : own, 'ERR_SHAPE');
  return { state, line: own, values: wanted };
}

/** @type {(x: unknown, values: unknown, options?: unknown) => Value} */
function searchsorted(x, values, options) {
  const { side = 'left', sorter, dtype = 'i64' } = readOptions('searchsorted', options, known);
  const { state, line, values: wanted } = searched(x, values, 'searchsorted');
  const ordered = sorter === undefined ? line : indexing.take(line, sorter);
  return elementwise.convert(placesOf(state, ordered, wanted, side === 'right'), dtype);
}

/** @type {(x: unknown, edges: unknown, options?: unknown) => Value} */
function bucketize(x, edges, options) {
  const { right = false, dtype = 'i64' } = readOptions('bucketize', options, { right: boolean, dtype: known.dtype });
  const { state, line, values } = searched(edges, x, 'bucketize');
  return elementwise.convert(placesOf(state, line, values, right), dtype);
}

/** @type {(x: unknown, edges: unknown, options?: unknown) => Value} */
function digitize(x, edges, options) {
  const { right = false, dtype = 'i64' } = readOptions('digitize', options, { right: boolean, dtype: known.dtype });
  const { state, line, values } = searched(edges, x, 'digitize');
  return elementwise.convert(placesOf(state, line, values, !right), dtype);
}

/** @type {(x: unknown, values: unknown, options?: unknown) => Value} */
function isin(x, values, options) {
  const { invert = false } = readOptions('isin', options, { invert: boolean });
  const {
    state,
    values: [value, list],
  } = paired(x, values, 'isin');
  const size = state.product(dimsOf(list));
  if (size === 0) return constantOf(state, invert, 'bool', 'the answer', 'isin', [...dimsOf(value)]);
  const line = sorting.sort(movement.reshape(list, [state.text(size)]));
  const place = placesOf(state, line, value, false);
  const isInside = lt(place, sizeOf(state, size, /** @type {'u32'} */ (place.dtype)));
  const found = and(isInside, eq(indexing.take(filled(state, line), place), value)); // clamped behind the last
  return invert ? not(found) : found;
}

/** Every operation here that becomes a method and a function, by name. */
const searching = { bucketize, digitize, isin, searchsorted };

module.exports = { searching };
