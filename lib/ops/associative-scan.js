/**
 * Scans with an associative function: all sums of beginnings, for any kind of sum, in few large steps.
 *
 * Where the size of the axis is a number, neighbours are taken together, half as many results scanned in the same way,
 * and what lies between them computed from both (G. E. Blelloch, Prefix sums and their applications, 1990; the order is
 * that of JAX's associative_scan): the function computes about two values per element, in 2 log2 n calls. Of a size
 * that is only known when the program runs, every element is joined with the one 1, 2, 4, … places before it (W. D.
 * Hillis and G. L. Steele, Data parallel algorithms, 1986), which is n log2 n values.
 */
'use strict';

const { boolean, callable, integer, readOptions } = require('../base/check.js');
const { fail } = require('../base/errors.js');
const { append, constantOf, dimsOf, stateOf } = require('../graph/value.js');
const { readAxis } = require('../tensor/views.js');
const {
  checkResult, control, isSameType, liftLeaf, liftTree, stateFor, typeOf, typeText,
} = require('../trace/control.js');
const { flatten, flattenAs, unflatten } = require('../trace/pytree.js');
const { sizeValue } = require('./indexing.js');

/** @typedef {import('../graph/value.js').Value} Value */
/** @typedef {(a: readonly Value[], b: readonly Value[]) => Value[]} Combine */

const CALLER = 'associativeScan';

/** @type {(value: Value, axis: number, start: number, stop: number, step: number) => Value} */
const cut = (value, axis, start, stop, step) =>
  /** @type {any} */ (value).slice(...Array.from({ length: axis }, () => null), [start, stop, step]);

/**
 * The values of even and of odd places in turn; there is one of the former more where `size` is odd.
 *
 * @param {Value} even
 * @param {Value} odd
 * @param {number} axis
 * @param {number} size
 * @returns {Value}
 */
function interleave(even, odd, axis, size) {
  const half = size >> 1;
  const pairs = /** @type {any} */ (2 * half < size ? cut(even, axis, 0, half, 1) : even).stack(odd, {
    axis: axis + 1,
  });
  const shape = /** @type {(number | string)[]} */ ([...odd.shape]);
  shape[axis] = 2 * half;
  const whole = pairs.reshape(shape);
  return 2 * half < size ? whole.concat(cut(even, axis, half, half + 1, 1), { axis }) : whole;
}

/** @type {(values: readonly Value[], axes: readonly number[], size: number, combine: Combine) => readonly Value[]} */
function scanPairs(values, axes, size, combine) {
  if (size < 2) return values;
  const half = size >> 1;
  const cuts = (/** @type {readonly Value[]} */ of, /** @type {[number, number, number]} */ ...range) =>
    of.map((value, i) => cut(value, axes[i], ...range));
  const odd = scanPairs(combine(cuts(values, 0, 2 * half - 1, 2), cuts(values, 1, size, 2)), axes, half, combine);
  const first = cuts(values, 0, 1, 1);
  const between = size > 2 ? combine(cuts(odd, 0, (size - 1) >> 1, 1), cuts(values, 2, size, 2)) : [];
  return values.map((_, i) => {
    const even = size > 2 ? /** @type {any} */ (first[i]).concat(between[i], { axis: axes[i] }) : first[i];
    return interleave(even, odd[i], axes[i], size);
  });
}

/** @type {(values: readonly Value[], axes: readonly number[], combine: Combine) => readonly Value[]} */
function scanDistances(values, axes, combine) {
  const state = stateOf(values[0]);
  const dim = dimsOf(values[0])[axes[0]];
  const size = sizeValue(state, dim, 'i64', CALLER);
  /** @type {any} */
  const places = append(state, 'iota', [], { dtype: 'i64', shape: [dim], axis: 0 });
  const last = control.whileLoop(
    (/** @type {any} */ { distance }) => distance.lt(size),
    (/** @type {any} */ { distance, now }) => {
      const at = places.sub(distance);
      const joined = combine(
        now.map((/** @type {any} */ value, /** @type {number} */ i) => value.take(at.max(0), { axis: axes[i] })),
        now,
      );
      const next = now.map((/** @type {any} */ value, /** @type {number} */ i) => {
        const shape = value.shape.map((/** @type {unknown} */ own, /** @type {number} */ k) =>
          k === axes[i] ? own : 1,
        );
        return at.ge(0).reshape(shape).select(joined[i], value);
      });
      return { distance: distance.mul(2), now: next };
    },
    { distance: constantOf(state, 1, 'i64', '1', CALLER), now: [...values] },
  );
  return last.now;
}

/**
 * Checks that the function gives what it got.
 *
 * @param {readonly Value[]} a
 * @param {readonly unknown[]} leaves
 * @param {readonly string[]} names
 * @returns {Value[]}
 */
function checkLeaves(a, leaves, names) {
  const state = stateOf(a[0]);
  return leaves.map((leaf, i) => {
    const type = typeOf(a[i]);
    const value = liftLeaf(state, leaf, names[i], CALLER, type);
    if (isSameType(typeOf(value), type)) return value;
    const [want, got] = [type, typeOf(value)].map((each) => typeText(state, each));
    return fail(
      value.dtype === type.dtype ? 'ERR_SHAPE' : 'ERR_DTYPE',
      `${CALLER}: the function gets ${want} for ${names[i]}, but gives ${got}`,
    );
  });
}

/**
 * @param {unknown} fn (a, b) → a tree like both; associative, and working on all elements of its arguments at once
 * @param {unknown} xs a tree
 * @param {unknown} [options]
 * @returns {any} a tree like xs: at place i what the elements up to i come to
 */
function associativeScan(fn, xs, options) {
  const join = callable(fn, 'the function', CALLER);
  const { axis = 0, reverse = false } = readOptions(CALLER, options, { axis: integer(), reverse: boolean });
  const state = stateFor(flatten(xs, CALLER, 'xs').leaves, CALLER);
  const { values: given, structure, names } = liftTree(state, xs, 'xs', CALLER);
  if (given.length === 0) fail('ERR_ARGUMENT', `${CALLER}: xs has no Value`);
  const places = given.map((value) => readAxis(axis, value.rank, CALLER));
  const sizes = given.map((value, i) => dimsOf(value)[places[i]]);
  sizes.forEach((size, i) => {
    if (size === sizes[0]) return;
    fail(
      'ERR_SHAPE',
      `${CALLER}: axis ${axis} of ${names[i]} has size ${state.text(size)}, but that of ${names[0]} has ${state.text(sizes[0])}`,
    );
  });
  const flip = (/** @type {readonly Value[]} */ values) =>
    reverse ? values.map((value, i) => /** @type {any} */ (value).flip(places[i])) : values;
  /** @type {Combine} */
  const combine = (a, b) => {
    const result = checkResult(
      CALLER,
      join(unflatten(structure, [...a]), unflatten(structure, [...b])),
      'the function',
    );
    return checkLeaves(a, flattenAs(structure, result, CALLER, 'the result', 'xs'), names);
  };
  const values = flip(given);
  const done = sizes[0] >= 0 ? scanPairs(values, places, sizes[0], combine) : scanDistances(values, places, combine);
  return unflatten(structure, [...flip(done)]);
}

module.exports = { associativeScan };
