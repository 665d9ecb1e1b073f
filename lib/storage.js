/**
 * Elements of a strided view: where they are, whether they are there, reading and copying them.
 *
 * A typed array loses its elements when its buffer is transferred to another thread and may lose some
 * when the buffer is resized, at any time and without notice. Reading beyond its end gives undefined
 * rather than a fault, so each function here says ERR_STATE instead of passing undefined on.
 */
'use strict';

const { describe } = require('./check.js');
const { fail } = require('./errors.js');
const { readIndex } = require('./slice.js');
const { isContiguous, shapeText } = require('./views.js');

/** @typedef {number | bigint | boolean} Scalar */

/**
 * What this file needs of a Tensor.
 *
 * @typedef {object} Elements
 * @property {import('./dtypes.js').TypedArray} data
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
  if (value === undefined) checkStorage(tensor, caller);
  return tensor.dtype === 'bool' ? value !== 0 : value;
}

/** @type {(tensor: Elements) => boolean} */
function hasStorage({ data, shape, strides, offset, size }) {
  let last = offset;
  for (let axis = 0; axis < shape.length; axis++) last += Math.max(0, (shape[axis] - 1) * strides[axis]);
  return size === 0 || last < data.length;
}

/**
 * Refuses a tensor whose array was transferred to another thread, or whose buffer shrank.
 *
 * @param {Elements} tensor
 * @param {string} caller
 */
function checkStorage(tensor, caller) {
  if (!hasStorage(tensor)) {
    fail('ERR_STATE', `${caller}: the array of ${describe(tensor)} is detached or was shortened`);
  }
}

/** @type {(tensor: Elements, target: any) => void} */
function copyElements({ data, shape, strides, offset, size }, target) {
  if (isContiguous(shape, strides)) {
    target.set(data.subarray(offset, offset + size));
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

module.exports = { checkStorage, copyElements, hasStorage, positionOf, scalarAt };
