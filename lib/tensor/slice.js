/**
 * Basic slicing: the ranges that a caller writes, turned into a view's shape, strides and offset.
 *
 * The forms are Python's `a[i, j:k:s, :, ...]` in JavaScript clothes: a number picks one position and
 * drops its axis, `[start, stop, step]` keeps a range, null keeps the axis whole and '...' stands for
 * as many nulls as are missing. Picking by arrays of positions is not slicing and is left out here.
 */
'use strict';

const { expected } = require('../base/check.js');
const { fail } = require('../base/errors.js');
const { shapeText } = require('./views.js');

/** @typedef {{ shape: readonly number[], strides: readonly number[], offset: number }} View */

/**
 * @param {unknown} value an integer from -length to length - 1
 * @param {number} length
 * @param {number} axis
 * @param {string} caller
 * @returns {number} from 0 to length - 1
 */
function readIndex(value, length, axis, caller) {
  if (!Number.isSafeInteger(value)) return expected(caller, 'an integer', `the index of axis ${axis}`, value);
  const index = Number(value);
  if (index < -length || index >= length) {
    return fail('ERR_SHAPE', `${caller}: index ${index} is out of range for axis ${axis} of size ${length}`);
  }
  return index < 0 ? index + length : index + 0; // + 0 turns -0 into 0
}

/**
 * One axis of a basic slice. As in Python, negative bounds count from the end, bounds beyond the ends
 * are clipped, and absent ones mean the whole axis in the direction of the step.
 *
 * @param {readonly unknown[]} range [start, stop, step], each an integer, null or left out
 * @param {number} length
 * @param {number} axis
 * @returns {{ first: number, step: number, count: number }}
 */
function readRange(range, length, axis) {
  if (range.length > 3) {
    return expected('slice', '[start, stop, step]', `axis ${axis}`, range);
  }
  const [start, stop, step] = ['start', 'stop', 'step'].map((name, i) => {
    const value = range[i] ?? undefined;
    if (value === undefined || Number.isSafeInteger(value)) return /** @type {number | undefined} */ (value);
    return expected('slice', 'an integer or null', `the ${name} of axis ${axis}`, value);
  });
  const by = step ?? 1;
  if (by === 0) return expected('slice', 'a step other than 0', `axis ${axis}`, range);
  const [low, high] = by > 0 ? [0, length] : [-1, length - 1];
  /** @type {(bound: number | undefined, absent: number) => number} */
  const place = (bound, absent) => {
    if (bound === undefined) return absent;
    return Math.min(Math.max(bound < 0 ? bound + length : bound, low), high);
  };
  const first = place(start, by > 0 ? low : high);
  const last = place(stop, by > 0 ? high : low);
  return { first, step: by, count: Math.max(0, Math.ceil((last - first) / by)) };
}

/**
 * @param {View} view
 * @param {readonly unknown[]} ranges at most one per axis, axes without one stay whole
 * @returns {View}
 */
function sliceView({ shape, strides, offset }, ranges) {
  const dots = ranges.indexOf('...');
  const given = dots < 0 ? ranges.length : ranges.length - 1;
  if (given > shape.length) {
    fail('ERR_SHAPE', `slice: ${given} ranges for rank ${shape.length}, shape ${shapeText(shape)}`);
  }
  const all = new Array(shape.length - given).fill(null);
  const perAxis = dots < 0 ? [...ranges, ...all] : ranges.toSpliced(dots, 1, ...all);
  /** @type {number[]} */
  const newShape = [];
  /** @type {number[]} */
  const newStrides = [];
  let start = offset;
  perAxis.forEach((range, axis) => {
    const length = shape[axis];
    if (typeof range === 'number') {
      start += readIndex(range, length, axis, 'slice') * strides[axis];
      return;
    }
    if (range !== null && !Array.isArray(range)) {
      expected('slice', "an index, [start, stop, step], null or one '...'", `axis ${axis}`, range);
    }
    const { first, step, count } = readRange(range ?? [], length, axis);
    newShape.push(count);
    // One element needs no stride, so a huge step is never multiplied.
    newStrides.push(count > 1 ? strides[axis] * step : strides[axis]);
    if (count > 0) start += first * strides[axis];
  });
  // Where nothing is left, other axes may have led beyond the end of the elements.
  return { shape: newShape, strides: newStrides, offset: newShape.includes(0) ? offset : start };
}

module.exports = { readIndex, readRange, sliceView };
