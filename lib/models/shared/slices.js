/**
 * Slices and indices as Python has them: what lies outside is cut off, what is below 0 counts from the end.
 *
 * Bounds and sizes may be texts of sizes, so that one graph serves all of them.
 */
'use strict';

const { append } = require('../../graph/value.js');

/** @typedef {import('./builder.js').Builder} Builder */

/** @type {(axis: number, rank: number, cx: Builder) => number} */
function axisOf(axis, rank, cx) {
  if (axis < -rank || axis >= rank) cx.fail('ERR_SHAPE', `axis ${axis} is none of a tensor of rank ${rank}`);
  return axis < 0 ? axis + rank : axis;
}

/** Indices below 0 count from the end. @type {(indices: any, length: number | string, cx: Builder) => any} */
function wrapped(indices, length, cx) {
  if (/^u/.test(indices.dtype)) return indices;
  return indices.lt(0).select(indices.add(cx.value(cx.sizeValue(length), indices.dtype)), indices);
}

/**
 * Slices as Python has them: bounds may lie outside, those below 0 count from the end.
 *
 * @param {any} value
 * @param {readonly (number | string)[]} from
 * @param {readonly (number | string)[]} to
 * @param {readonly number[]} axes
 * @param {readonly number[]} by
 * @param {Builder} cx
 */
function sliceAxes(value, from, to, axes, by, cx) {
  const { state } = cx;
  let result = value;
  axes.forEach((each, i) => {
    const axis = axisOf(each, value.rank, cx);
    const length = state.dim(value.shape[axis], 'a size', 'load');
    const step = by[i];
    if (step === 0) cx.fail('ERR_ARGUMENT', 'a step is 0');
    const source = step < 0 ? result.flip(axis) : result;
    const mirrored = (/** @type {number} */ dim) => (step < 0 ? state.sub(state.sub(length, 1), dim) : dim);
    const start = state.max(mirrored(place(from[i], length, step, cx)), 0);
    const stop = mirrored(place(to[i], length, step, cx));
    const span = state.max(state.sub(clampTo(stop, length, state), start), 0);
    const count = state.floorDiv(state.add(span, Math.abs(step) - 1), Math.abs(step));
    const rank = value.rank;
    const starts = Array.from({ length: rank }, (_, k) => (k === axis ? state.text(clampTo(start, length, state)) : 0));
    const shapeNow = result.shape.map((/** @type {any} */ own, /** @type {number} */ k) => (k === axis ? state.text(count) : own));
    const strides = Array.from({ length: rank }, (_, k) => (k === axis ? Math.abs(step) : 1));
    result = sliceBy(source, starts, shapeNow, strides, state);
  });
  return result;
}

/** @type {(value: any, start: readonly (number | string)[], shape: readonly (number | string)[], stride: readonly number[], state: any) => any} */
const sliceBy = (value, start, shape, stride, state) =>
  append(state, 'slice', [value], { start: state.dims([...start], 'load'), shape: state.dims([...shape], 'load'), stride: [...stride] });

/** min(dim, length). @type {(dim: number, length: number, state: any) => number} */
const clampTo = (dim, length, state) => {
  if (dim >= 0 && length >= 0) return Math.min(dim, length);
  return dim === length ? dim : state.sub(state.add(dim, length), state.max(dim, length));
};

/** A bound as an index from the front, not yet clamped on both sides. @type {(bound: number | string, length: number, step: number, cx: Builder) => number} */
function place(bound, length, step, cx) {
  const { state } = cx;
  if (typeof bound === 'string') return clampTo(state.dim(bound, 'a bound', 'load'), length, state);
  if (bound >= 0) return bound >= 2 ** 31 - 1 ? (step < 0 ? state.sub(length, 1) : length) : clampTo(bound, step < 0 ? state.max(state.sub(length, 1), 0) : length, state);
  if (length >= 0) return Math.max(length + bound, step < 0 ? -1 : 0);
  if (bound <= -(2 ** 31) + 1) return step < 0 ? state.sub(0, 1) : 0;
  return state.sub(state.max(length, -bound - (step < 0 ? 1 : 0)), -bound);
}

/** @type {(a: readonly (number | string)[], b: readonly (number | string)[]) => (number | string)[]} of two shapes, one of which is 1 where they differ */
function broadcastShape(a, b) {
  const rank = Math.max(a.length, b.length);
  return Array.from({ length: rank }, (_, i) => {
    const [one, other] = [a[i - rank + a.length] ?? 1, b[i - rank + b.length] ?? 1];
    return other === 1 ? one : other;
  });
}

module.exports = { axisOf, broadcastShape, sliceAxes, wrapped };
