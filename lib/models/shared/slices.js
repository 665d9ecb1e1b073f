/**
 * Slices and indices as Python has them: what lies outside is cut off, what is below 0 counts from the end.
 *
 * Bounds and sizes may be texts of sizes, so that one graph serves all of them.
 */
'use strict';

const { append } = require('../../graph/value.js');

/** @typedef {import('./builder.js').Builder} Builder */
/** @typedef {Builder['state']} State */
/** @typedef {number | string} Size */

/** @type {(axis: number, rank: number, cx: Builder) => number} */
function axisOf(axis, rank, cx) {
  if (axis < -rank || axis >= rank) cx.fail('ERR_SHAPE', `axis ${axis} is none of a tensor of rank ${rank}`);
  return axis < 0 ? axis + rank : axis;
}

/** In front of an axis, or behind all: where what comes after is one row. @type {(axis: number, rank: number, cx: Builder) => number} */
const edgeOf = (axis, rank, cx) => (axis === rank ? rank : axisOf(axis, rank, cx));

/** Indices below 0 count from the end. @type {(indices: any, length: number | string, cx: Builder) => any} */
function wrapped(indices, length, cx) {
  if (/^u/.test(indices.dtype)) return indices;
  return indices.lt(0).select(indices.add(cx.value(cx.sizeValue(length), indices.dtype)), indices);
}

/**
 * A tensor with an element more along axes that data may leave empty: a graph takes elements only where there surely
 * are some, even where there are no indices either. Indices are to be below the size it had.
 *
 * @type {(value: any, axes: readonly number[], cx: Builder) => any}
 */
function neverEmpty(value, axes, cx) {
  const { state } = cx;
  const isOpen = state.dims(value.shape, 'load').map((dim) => state.dependsOnData(dim) && state.max(dim, 1) !== dim);
  if (!axes.some((axis) => isOpen[axis])) return value;
  return value.pad(isOpen.map((open, axis) => [0, open && axes.includes(axis) ? 1 : 0]));
}

/**
 * What to take along an axis, and by which indices, where the axis may be empty.
 *
 * @type {(value: any, indices: any, axis: number, cx: Builder) => [value: any, indices: any]}
 */
function takeable(value, indices, axis, cx) {
  const some = neverEmpty(value, [axis], cx);
  return [some, some === value ? indices : wrapped(indices, value.shape[axis], cx)];
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
    const step = by[i];
    if (step === 0) cx.fail('ERR_ARGUMENT', 'a step is 0');
    const dims = state.dims(result.shape, 'load');
    const { start, count } = partOf(from[i], to[i], step, dims[axis], state);
    if (step === 1 && start === 0 && count === dims[axis]) return;
    result = append(state, 'slice', [step < 0 ? result.flip(axis) : result], {
      start: dims.map((_, k) => (k === axis ? start : 0)),
      shape: dims.with(axis, count),
      stride: dims.map((_, k) => (k === axis ? Math.abs(step) : 1)),
    });
  });
  return result;
}

/** Bounds beyond it say "as far as it goes". */
const FAR = 2 ** 31 - 1;

/**
 * Where a slice begins, and how many elements it has; of the reversed axis where the step is below 0.
 *
 * Sizes that a run knows are taken to be such that the slice fits: `[1:]` of n elements has n - 1, and `[a:b]` has
 * b - a. Else no two of such slices would be known to have one size. Runs of other sizes are refused, and then get a
 * graph of their own (model.js). What depends on data must be right whatever data says, so there everything is clamped.
 *
 * @type {(from: Size, to: Size, step: number, length: number, state: State) => { start: number, count: number }}
 */
function partOf(from, to, step, length, state) {
  if (step === 1 && !isClamped(from, to, length, state)) {
    const [start, stop] = [from, to].map((bound) => fittingPlace(bound, length, state));
    const [size, least] = [state.sub(stop, start), state.max(state.sub(stop, start), 0)];
    return { start, count: least >= 0 ? least : size };
  }
  const mirrored = (/** @type {number} */ dim) => (step < 0 ? state.sub(state.sub(length, 1), dim) : dim);
  const [start, stop] = [from, to].map((bound, i) => {
    const at = mirrored(place(bound, length, step, state));
    const least = i === 0 ? state.max(at, 0) : at;
    return step < 0 && typeof bound === 'string' ? clampTo(least, length, state) : least; // others are within by now
  });
  const span = state.max(state.sub(stop, start), 0);
  return { start, count: state.floorDiv(state.add(span, Math.abs(step) - 1), Math.abs(step)) };
}

/** @type {(from: Size, to: Size, length: number, state: State) => boolean} */
function isClamped(from, to, length, state) {
  const bounds = [from, to].map((bound) => (typeof bound === 'string' ? state.dim(bound, 'a bound', 'load') : 0));
  if ([length, ...bounds].some((dim) => state.dependsOnData(dim))) return true;
  if (length >= 0) return typeof from === 'number' && typeof to === 'number';
  return typeof to === 'number' && to > 1 && to < FAR; // as `[:512]`, which cuts off what is too long
}

/** @type {(bound: Size, length: number, state: State) => number} */
function fittingPlace(bound, length, state) {
  if (typeof bound === 'string') return state.dim(bound, 'a bound', 'load');
  if (bound >= FAR) return length;
  if (bound >= 0) return bound;
  return bound <= -FAR ? 0 : state.sub(length, -bound);
}

/** min(dim, length). @type {(dim: number, length: number, state: State) => number} */
const clampTo = (dim, length, state) => {
  if (dim >= 0 && length >= 0) return Math.min(dim, length);
  return dim === length ? dim : state.sub(state.add(dim, length), state.max(dim, length));
};

/**
 * A bound as an index from the front, not yet clamped on both sides.
 *
 * @type {(bound: Size, length: number, step: number, state: State) => number}
 */
function place(bound, length, step, state) {
  const before = step < 0 ? state.sub(0, 1) : 0;
  if (typeof bound === 'string') return clampTo(state.dim(bound, 'a bound', 'load'), length, state);
  if (bound >= FAR) return step < 0 ? state.sub(length, 1) : length;
  if (bound >= 0) return clampTo(bound, step < 0 ? state.max(state.sub(length, 1), 0) : length, state);
  if (bound <= -FAR) return before;
  return state.sub(state.max(length, -bound - (step < 0 ? 1 : 0)), -bound);
}

/**
 * of two shapes, one of which is 1 where they differ
 *
 * @type {(a: readonly (number | string)[], b: readonly (number | string)[]) => (number | string)[]}
 */
function broadcastShape(a, b) {
  const rank = Math.max(a.length, b.length);
  return Array.from({ length: rank }, (_, i) => {
    const [one, other] = [a[i - rank + a.length] ?? 1, b[i - rank + b.length] ?? 1];
    return other === 1 ? one : other;
  });
}

module.exports = { axisOf, broadcastShape, edgeOf, neverEmpty, sliceAxes, takeable, wrapped };
