/**
 * Stride arithmetic: how a shape and a step per axis describe elements inside a longer array.
 *
 * Everything here is a function of plain numbers; tensor.js attaches the results to data. Strides and
 * offsets count elements, not bytes. Axis `a` of a view with strides `s` moves by `s[a]`, so a
 * transposition permutes strides, a slice scales them, a broadcast sets them to 0, and none of the
 * three touches an element. Sizes come from strangers: every product is checked before it is used.
 */
'use strict';

const { describe, expected } = require('../base/check.js');
const { fail } = require('../base/errors.js');

/** The highest rank, the same as GJ_MAX_RANK in src/ir/graph.h. */
const MAX_RANK = 8;

/** @typedef {readonly number[]} Shape */

/** @type {(shape: readonly unknown[]) => string} */
const shapeText = (shape) => `[${shape.join(', ')}]`;

/** @type {(value: unknown) => value is number} */
const isSize = (value) => Number.isSafeInteger(value) && Number(value) >= 0;

/**
 * The number of elements of a shape.
 *
 * @param {Shape} shape
 * @param {string} caller
 * @returns {number}
 * @throws {import('../base/errors.js').GraphError} ERR_OVERFLOW when the sizes other than 0 multiply to
 *   more than 2^53 - 1: strides of such a shape would not be exact, even if it has no elements
 */
function sizeOf(shape, caller) {
  let size = 1;
  let strideRange = 1;
  for (const dim of shape) {
    size *= dim;
    if (dim !== 0) strideRange *= dim;
  }
  if (strideRange > Number.MAX_SAFE_INTEGER) {
    fail('ERR_OVERFLOW', `${caller}: shape ${shapeText(shape)} has too many elements`);
  }
  return size;
}

/**
 * A getter for shapes: an array of sizes, or one size for a vector. The result is a fresh array.
 *
 * @type {import('../base/check.js').Getter<number[]>}
 */
function readShape(value, which, caller) {
  const what = `at most ${MAX_RANK} sizes of at least 0`;
  const list = typeof value === 'number' ? [value] : value;
  if (!Array.isArray(list) || list.length > MAX_RANK) return expected(caller, what, which, value);
  const shape = Array.from(list);
  if (!shape.every(isSize)) expected(caller, what, which, value);
  sizeOf(shape, caller);
  return shape;
}

/**
 * A getter for a new shape of `size` elements, in which one entry may be -1: what is left.
 *
 * @param {number} size
 * @returns {import('../base/check.js').Getter<number[]>}
 */
function readShapeFor(size) {
  return (value, which, caller) => {
    const free = Array.isArray(value) ? value.indexOf(-1) : -1;
    if (!Array.isArray(value) || free < 0) {
      const shape = readShape(value, which, caller);
      if (sizeOf(shape, caller) !== size) {
        fail('ERR_SHAPE', `${caller}: shape ${shapeText(shape)} does not hold ${size} elements`);
      }
      return shape;
    }
    const shape = value.toSpliced(free, 1, 1);
    if (shape.length > MAX_RANK || !shape.every(isSize)) {
      expected(caller, `at most ${MAX_RANK} sizes of at least 0, one of them -1,`, which, value);
    }
    const known = sizeOf(shape, caller);
    if (known === 0 || size % known !== 0) {
      fail('ERR_SHAPE', `${caller}: no size for -1 makes ${shapeText(value)} hold ${size} elements`);
    }
    shape[free] = size / known;
    return shape;
  };
}

/**
 * The strides of elements that lie one after the other, last axis fastest.
 *
 * @param {Shape} shape
 * @returns {number[]}
 */
function contiguousStrides(shape) {
  const strides = new Array(shape.length);
  let step = 1;
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    strides[axis] = step;
    if (shape[axis] !== 0) step *= shape[axis];
  }
  return strides;
}

/**
 * Whether walking the view in order walks memory in order. The stride of an axis of size 1 is never
 * used, and a view without elements has no order to break.
 *
 * @param {Shape} shape
 * @param {readonly number[]} strides
 * @returns {boolean}
 */
function isContiguous(shape, strides) {
  let step = 1;
  let ordered = true;
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    if (shape[axis] === 0) return true;
    if (shape[axis] !== 1 && strides[axis] !== step) ordered = false;
    step *= shape[axis];
  }
  return ordered;
}

/**
 * The strides that give the same elements a new shape, where there are such strides. Both shapes are
 * cut into the shortest groups of axes with equal products; a group can be reshaped in place when its
 * old axes are spaced like one axis ([4, 3] of strides [6, 2] is one axis of 12 with stride 2).
 *
 * @param {Shape} shape
 * @param {readonly number[]} strides
 * @param {Shape} newShape with as many elements
 * @returns {number[] | null} null when only a copy can have the new shape
 */
function reshapeStrides(shape, strides, newShape) {
  if (isContiguous(shape, strides)) return contiguousStrides(newShape);
  const axes = shape.map((_, axis) => axis).filter((axis) => shape[axis] !== 1);
  /** @type {number[]} */
  const result = new Array(newShape.length).fill(0);
  let from = 0;
  let to = 0;
  while (from < axes.length) {
    const first = from;
    const start = to;
    let held = shape[axes[from++]];
    let wanted = newShape[to++];
    while (held !== wanted) {
      if (held < wanted) held *= shape[axes[from++]];
      else wanted *= newShape[to++];
    }
    for (let i = first; i + 1 < from; i++) {
      const [outer, inner] = [axes[i], axes[i + 1]];
      if (strides[outer] !== strides[inner] * shape[inner]) return null;
    }
    let step = strides[axes[from - 1]];
    for (let axis = to - 1; axis >= start; axis--) {
      result[axis] = step;
      step *= newShape[axis];
    }
  }
  return result;
}

/**
 * The strides that repeat a view along new leading axes and along its axes of size 1.
 *
 * @param {Shape} shape
 * @param {readonly number[]} strides
 * @param {Shape} target
 * @param {string} caller
 * @returns {number[]}
 */
function broadcastStrides(shape, strides, target, caller) {
  const lead = target.length - shape.length;
  return target.map((dim, axis) => {
    const own = axis >= lead ? shape[axis - lead] : 1;
    if (lead < 0 || (own !== 1 && own !== dim)) {
      const from = shapeText(shape);
      return fail('ERR_SHAPE', `${caller}: shape ${from} does not broadcast to ${shapeText(target)}`);
    }
    return own === 1 ? 0 : strides[axis - lead];
  });
}

/**
 * @param {unknown} value an integer from -rank to rank - 1
 * @param {number} rank
 * @param {string} caller
 * @returns {number} from 0 to rank - 1
 */
function readAxis(value, rank, caller) {
  const axis = Number.isSafeInteger(value) ? Number(value) : NaN;
  if (Number.isNaN(axis)) return expected(caller, 'an integer', 'axis', value);
  if (axis < -rank || axis >= rank) {
    return fail('ERR_SHAPE', `${caller}: axis ${axis} is out of range for rank ${rank}`);
  }
  return axis < 0 ? axis + rank : axis + 0; // + 0 turns -0 into 0
}

/**
 * @param {unknown} value one axis or an array of different ones
 * @param {number} rank
 * @param {string} caller
 * @returns {number[]} each from 0 to rank - 1
 */
function readAxes(value, rank, caller) {
  // Unlike map, Array.from also visits the holes of a sparse array.
  const axes = Array.from(Array.isArray(value) ? value : [value], (axis) => readAxis(axis, rank, caller));
  const twice = axes.find((axis, i) => axes.indexOf(axis) !== i);
  if (twice !== undefined) fail('ERR_SHAPE', `${caller}: axis ${twice} is named twice in ${describe(value)}`);
  return axes;
}

module.exports = {
  MAX_RANK,
  broadcastStrides,
  contiguousStrides,
  isContiguous,
  readAxes,
  readAxis,
  readShape,
  readShapeFor,
  reshapeStrides,
  shapeText,
  sizeOf,
};
