/**
 * Reductions and orders that a function of two elements decides: `reduce(x, fn)`, `sort(x, compare)`, `argsort(x,
 * compare)`.
 *
 * The function is called with Values and recorded, so it is a native function, which is an op there, or one that calls
 * methods of Values. A reduction goes along its axis from first to last, as JavaScript's does. An order is merged: runs
 * of 1, 2, 4 … elements are sorted, and place t of a merged pair of them is found by bisection of how many of the first
 * t elements are of the left run (merge path: O. Green, R. McColl and D. A. Bader, GPU Merge Path, 2012), for all
 * places at once. That is n log² n calls of the function, which threads share, and stable.
 */
'use strict';

const { boolean, callable, readOptions } = require('../base/check.js');
const { fail } = require('../base/errors.js');
const { append, constantFrom, constantOf, dimsOf, isScalar, isValue, stateOf } = require('../graph/value.js');
const { dtypes } = require('../tensor/dtypes.js');
const { readAxis } = require('../tensor/views.js');
const { rows } = require('./elementwise.js');
const { indexing, sizeValue } = require('./indexing.js');
const { manipulation } = require('./manipulation.js');
const { movement, operandOf, reshapeTo } = require('./movement.js');

/** @typedef {import('../graph/value.js').Value} Value */
/** @typedef {import('../tensor/dtypes.js').DType} DType */
/** @typedef {(a: Value, b: Value) => unknown} Pairwise */

/** Loaded late: trace/control.js needs the operations. @type {() => typeof import('../trace/control.js').control} */
const control = () => require('../trace/control.js').control;

const given = (/** @type {unknown} */ value) => value;

/** @type {(value: Value, dtype: DType) => Value} */
const inDType = (value, dtype) =>
  value.dtype === dtype ? value : append(stateOf(value), 'convert', [value], { dtype });

// -------------------------------------------------------------------------------------- reductions

/** @type {(state: import('../graph/value.js').GraphState, dtype: DType, dims: readonly number[]) => Value} */
const zeros = (state, dtype, dims) =>
  constantOf(state, dtype === 'bool' ? false : dtypes[dtype].big ? 0n : 0, dtype, 'zero', 'reduce', [...dims]);

/** What the function gives for two values. @type {(fn: Pairwise, a: Value, b: Value, caller: string) => Value} */
function joined(fn, a, b, caller) {
  const result = fn(a, b);
  if (isValue(result)) return result;
  if (isScalar(result))
    return constantOf(stateOf(a), /** @type {number} */ (result), a.dtype, 'the result of the function', caller);
  return fail(
    'ERR_ARGUMENT',
    `${caller}: the function must give a Value: use methods such as a.add(b), or a native function`,
  );
}

/**
 * The dtype that goes along: what the function makes of itself, beginning with that of the first value.
 *
 * @type {(fn: Pairwise, first: DType, element: Value) => DType}
 */
function carriedDType(fn, first, element) {
  const state = stateOf(element);
  let dtype = first;
  for (let round = 0; round < 2; round++) {
    const start = zeros(state, dtype, dimsOf(element));
    const next = joined(fn, start, element, 'reduce').dtype;
    if (next === dtype) return dtype;
    dtype = next;
  }
  return fail(
    'ERR_DTYPE',
    `reduce: of ${first} the function makes ${dtype}, and of that another dtype: give 'initial', or a signature`,
  );
}

/**
 * The axis to go along, in front, and the value with that axis.
 *
 * @type {(x: unknown, axis: unknown) => { value: Value, along: number | null }}
 */
function alongFront(x, axis) {
  const { value, rank } = operandOf(x, 'reduce');
  if (axis === undefined) return { value: rank === 1 ? value : manipulation.flatten(value), along: null };
  const along = readAxis(axis, rank, 'reduce');
  return { value: along === 0 ? value : manipulation.moveaxis(value, along, 0), along };
}

/** @type {(initial: unknown, dtype: DType, element: Value) => Value} of the shape of an element */
function startOf(initial, dtype, element) {
  const state = stateOf(element);
  if (isScalar(initial))
    return constantOf(state, /** @type {number} */ (initial), dtype, "option 'initial'", 'reduce', [
      ...dimsOf(element),
    ]);
  const value = inDType(isValue(initial) ? initial : constantFrom(state, initial, 'reduce'), dtype);
  return value.rank === element.rank ? value : movement.broadcastTo(value, element.shape);
}

/**
 * @param {unknown} x
 * @param {unknown} fn (what came of the elements so far, the next one) → what comes of both
 * @param {unknown} [options]
 * @returns {Value}
 */
function reduce(x, fn, options) {
  const join = /** @type {Pairwise} */ (callable(fn, 'the function', 'reduce'));
  const {
    axis, initial, keepDims = false,
  } = readOptions('reduce', options, { axis: given, initial: given, keepDims: boolean });
  const { dims: whole } = operandOf(x, 'reduce');
  const { value, along } = alongFront(x, axis);
  const [size, ...rest] = dimsOf(value);
  const state = stateOf(value);
  if (size === 0 && initial === undefined)
    fail('ERR_SHAPE', "reduce: there are no elements to begin with: give 'initial'");
  const element = zeros(state, value.dtype, rest);
  const own = isValue(initial) ? initial.dtype : value.dtype;
  const dtype = carriedDType(join, own, element);
  const first =
    initial === undefined ? inDType(/** @type {any} */ (value).slice(0), dtype) : startOf(initial, dtype, element);
  const others = initial === undefined ? /** @type {any} */ (value).slice([1, null]) : value;
  const step = (/** @type {Value} */ state_, /** @type {Value} */ next) => [joined(join, state_, next, 'reduce'), null];
  const [result] = control().scan(step, first, others);
  if (!keepDims) return result;
  return reshapeTo(
    state,
    result,
    whole.map((dim, i) => (along === null || i === along ? 1 : dim)),
  );
}

// ------------------------------------------------------------------------------------------ orders

/**
 * Whether `a` may stand before `b`: the sign of what the function gives, NaN being 0.
 *
 * @type {(compare: Pairwise, a: Value, b: Value, caller: string) => Value}
 */
function precedes(compare, a, b, caller) {
  const result = joined(compare, a, b, caller);
  return rows.not(result.dtype === 'bool' ? result : rows.gt(result, dtypes[result.dtype].big ? 0n : 0));
}

/**
 * Values in the order that the function gives the first of them.
 *
 * @param {readonly Value[]} values
 * @param {number} axis
 * @param {Pairwise} compare
 * @param {string} caller
 * @returns {Value[]}
 */
function inOrder(values, axis, compare, caller) {
  const state = stateOf(values[0]);
  const dims = dimsOf(values[0]);
  /** @type {any} */
  const size = sizeValue(state, dims[axis], 'i64', caller);
  /** @type {any} */
  const places = append(state, 'iota', [], { dtype: 'i64', shape: dims, axis });
  const last = size.sub(1);
  const take = (/** @type {any} */ value, /** @type {any} */ at) =>
    /** @type {any} */ (indexing.takeAlongAxis(value, at.min(last).max(0), { axis }));
  const before = (/** @type {Value} */ a, /** @type {Value} */ b) =>
    /** @type {any} */ (precedes(compare, a, b, caller));
  const merged = control().whileLoop(
    (/** @type {any} */ { width }) => width.lt(size),
    (/** @type {any} */ { width, sorted }) => {
      const start = places.sub(places.rem(width.mul(2)));
      const place = places.sub(start);
      const left = size.sub(start).min(width);
      const right = size.sub(start).sub(left).min(width);
      const middle = start.add(left);
      const [key] = sorted;
      const found = control().whileLoop(
        (/** @type {any} */ { span }) => span.gt(0),
        (/** @type {any} */ { span, lo, hi }) => {
          const half = lo.add(hi).shr(1);
          const goesFirst = before(take(key, start.add(half)), take(key, middle.add(place).sub(half).sub(1)));
          const isOpen = lo.lt(hi);
          return {
            span: span.shr(1), lo: isOpen.and(goesFirst).select(half.add(1), lo),
            hi: isOpen.and(goesFirst.not()).select(half, hi),
          };
        },
        { span: width, lo: place.sub(right).max(0), hi: place.min(left) },
      );
      const taken = place.sub(found.lo);
      const isLeft = found.lo
        .lt(left)
        .and(taken.ge(right).or(before(take(key, start.add(found.lo)), take(key, middle.add(taken)))));
      const from = isLeft.select(start.add(found.lo), middle.add(taken));
      return { width: width.mul(2), sorted: sorted.map((/** @type {any} */ value) => take(value, from)) };
    },
    { width: constantOf(state, 1n, 'i64', 'one', caller), sorted: [...values] },
  );
  return merged.sorted;
}

module.exports = { inOrder, reduce };
