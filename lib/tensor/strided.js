/**
 * Elements of a strided view: where they are, whether they are there, reading and copying them.
 *
 * A typed array loses its elements when its buffer is transferred to another thread and may lose some
 * when the buffer is resized, at any time and without notice. Reading beyond its end gives undefined
 * rather than a fault, so each function here says ERR_STATE instead of passing undefined on.
 */
'use strict';

const { describe, isAttached } = require('../base/check.js');
const { fail } = require('../base/errors.js');
const { dtypes } = require('./dtypes.js');
const { readIndex } = require('./slice.js');
const { isContiguous, shapeText } = require('./views.js');

/** @typedef {import('./dtypes.js').TypedArray} TypedArray */
/** @typedef {number | bigint | boolean} Scalar */

/** What one slot of a plain array costs at least, and how many are no question. */
const SLOT_BYTES = 8;
const FEW_SLOTS = 2 ** 16;

/**
 * What this file needs of a Tensor.
 *
 * @typedef {object} Elements
 * @property {TypedArray} data
 * @property {import('./dtypes.js').DType} dtype
 * @property {readonly number[]} shape
 * @property {readonly number[]} strides
 * @property {number} offset
 * @property {number} size
 */

/** @type {(tensor: Elements, indices: readonly unknown[], caller: string) => number} */
function positionOf({ shape, strides, offset }, indices, caller) {
  if (indices.length !== shape.length) {
    fail('ERR_SHAPE', `${caller}: ${indices.length} indices for rank ${shape.length}, shape ${shapeText(shape)}`);
  }
  let at = offset;
  for (let axis = 0; axis < shape.length; axis++) {
    at += readIndex(indices[axis], shape[axis], axis, caller) * strides[axis];
  }
  return at;
}

/** @type {(tensor: Elements, at: number, caller: string) => Scalar} */
function scalarAt(tensor, at, caller) {
  const value = tensor.data[at];
  if (value === undefined) checkAttached(tensor, caller);
  const { kind, half } = dtypes[tensor.dtype];
  if (half !== undefined) return half.decode(/** @type {number} */ (value));
  return kind === 'bool' ? value !== 0 : value;
}

/** @type {(tensor: Elements) => boolean} */
function hasElements({ data, shape, strides, offset, size }) {
  let last = offset;
  for (let axis = 0; axis < shape.length; axis++) last += Math.max(0, (shape[axis] - 1) * strides[axis]);
  return size === 0 ? isAttached(data) : last < data.length;
}

/**
 * Refuses a tensor whose array was transferred to another thread, or whose buffer shrank.
 *
 * @param {Elements} tensor
 * @param {string} caller
 */
function checkAttached(tensor, caller) {
  if (!hasElements(tensor)) {
    fail('ERR_STATE', `${caller}: the array of ${describe(tensor)} is detached or was shortened`);
  }
}

/**
 * The elements of a contiguous tensor as an array of just that length, over the same memory. `subarray`
 * would let a subclass choose another class for the result.
 *
 * @param {Elements} tensor
 * @returns {TypedArray}
 */
function sectionOf({ data, dtype, offset, size }) {
  const { arrayType, bytes } = dtypes[dtype];
  const View = /** @type {new (buffer: ArrayBufferLike, from: number, length: number) => TypedArray} */ (
    /** @type {unknown} */ (arrayType)
  );
  return new View(data.buffer, data.byteOffset + offset * bytes, size);
}

/**
 * Refuses to make arrays of arrays that the engine has no room for. It cannot be stopped or caught once
 * it runs out, and a view of one element may have any size.
 *
 * @param {readonly number[]} shape
 * @param {string} caller
 * @throws {import('../base/errors.js').GraphError} ERR_MEMORY
 */
function checkNestable(shape, caller) {
  let rows = 1;
  let slots = 1;
  for (const dim of shape) slots += rows *= dim;
  if (slots <= FEW_SLOTS) return;
  const room = require('node:v8').getHeapStatistics().heap_size_limit / SLOT_BYTES;
  if (slots > room) {
    fail('ERR_MEMORY', `${caller}: shape ${shapeText(shape)} makes larger arrays than JavaScript can hold`);
  }
}

/** @type {(tensor: Elements, at: number, caller: string) => Scalar[]} the elements along the last axis */
function lineOf(tensor, at, caller) {
  const { data, dtype, shape, strides } = tensor;
  const { kind, half } = dtypes[dtype];
  const step = strides[shape.length - 1];
  const isPlain = half === undefined && kind !== 'bool';
  const line = [];
  for (let i = 0, end = shape[shape.length - 1]; i < end; i++, at += step) {
    line.push(isPlain && data[at] !== undefined ? data[at] : scalarAt(tensor, at, caller));
  }
  return line;
}

/**
 * The elements from an axis on, in arrays of arrays.
 *
 * @type {(tensor: Elements, axis: number, at: number, caller: string) => any}
 */
function nest(tensor, axis, at, caller) {
  const { shape, strides } = tensor;
  if (axis === shape.length) return scalarAt(tensor, at, caller);
  if (axis === shape.length - 1) return lineOf(tensor, at, caller);
  const list = [];
  for (let i = 0; i < shape[axis]; i++) list.push(nest(tensor, axis + 1, at + i * strides[axis], caller));
  return list;
}

/** @type {(tensor: Elements, target: any) => void} */
function copyElements(tensor, target) {
  const { data, shape, strides, offset } = tensor;
  if (isContiguous(shape, strides)) {
    target.set(sectionOf(tensor));
    return;
  }
  const inner = shape.length - 1;
  let next = 0;
  /** @type {(axis: number, at: number) => void} */
  const walk = (axis, at) => {
    const [count, step] = [shape[axis], strides[axis]];
    if (axis === inner) for (let i = 0; i < count; i++) target[next++] = data[at + i * step];
    else for (let i = 0; i < count; i++) walk(axis + 1, at + i * step);
  };
  walk(0, offset);
}

module.exports = {
  checkNestable,
  checkAttached,
  copyElements,
  hasElements,
  nest,
  positionOf,
  scalarAt,
  sectionOf,
};
