/**
 * Operations that move elements without computing: reshaping, permuting, slicing, padding, joining.
 *
 * Axes may be negative and sizes may be text; both are settled here into what the primitives take.
 * Arguments have the forms of the methods of Tensor. One thing differs: a bound of `slice` on an axis
 * whose size is an expression is taken as written, not clipped to the axis, since clipping would make
 * the size of the result depend on more than was meant. A run for which such a bound lies outside is
 * refused.
 */
'use strict';

const { expected, integer, isOptions, readOptions } = require('../base/check.js');
const { fail } = require('../base/errors.js');
const { append, constantOf, dimsOf, graphOf, isScalar, isValue, lift } = require('../graph/value.js');
const { readIndex, readRange } = require('../tensor/slice.js');
const { MAX_RANK, readAxes, readAxis } = require('../tensor/views.js');

/** @typedef {import('../graph/value.js').Value} Value */
/** @typedef {import('../graph/value.js').GraphState} GraphState */

/**
 * The operand of a unary operation.
 *
 * @param {unknown} x
 * @param {string} caller
 * @returns {{ state: GraphState, value: Value, dims: readonly number[], rank: number }}
 */
function operandOf(x, caller) {
  const state = graphOf([x], caller);
  const value = /** @type {Value} */ (x);
  const dims = dimsOf(value);
  return { state, value, dims, rank: dims.length };
}

/** @type {(rank: number) => number[]} */
const allAxes = (rank) => Array.from({ length: rank }, (_, axis) => axis);

/** @type {(state: GraphState, value: Value, dims: readonly number[]) => Value} */
const reshapeTo = (state, value, dims) => append(state, 'reshape', [value], { shape: dims });

// ---------------------------------------------------------------------------------------- shapes

/**
 * @param {unknown} x
 * @param {unknown} shape sizes, one of which may be -1: whatever is left
 * @returns {Value}
 */
function reshape(x, shape) {
  const { state, value, dims } = operandOf(x, 'reshape');
  const list = Array.isArray(shape) ? shape : [shape];
  const free = list.indexOf(-1);
  if (free < 0) return reshapeTo(state, value, state.dims(list, 'reshape'));
  if (list.lastIndexOf(-1) !== free) expected('reshape', 'at most one -1', 'the shape', shape);
  const known = state.dims(list.with(free, 1), 'reshape').toSpliced(free, 1);
  const [total, others] = [state.product(dims), state.product(known)];
  const exact = total >= 0 && others > 0;
  if (others === 0 || (exact && total % others !== 0)) {
    fail(
      'ERR_SHAPE',
      `reshape: no size for -1 makes [${list.join(', ')}] hold the elements of ${state.shapeText(dims)}`,
    );
  }
  return reshapeTo(state, value, known.toSpliced(free, 0, state.floorDiv(total, others)));
}

/** @type {(x: unknown, axis: unknown) => Value} */
function expandDims(x, axis) {
  const { state, value, dims, rank } = operandOf(x, 'expandDims');
  const at = readAxis(axis, rank + 1, 'expandDims');
  if (rank === MAX_RANK) fail('ERR_SHAPE', `expandDims: a value has at most ${MAX_RANK} axes`);
  return reshapeTo(state, value, dims.toSpliced(at, 0, 1));
}

/** @type {(x: unknown, axes?: unknown) => Value} */
function squeeze(x, axes) {
  const { state, value, dims, rank } = operandOf(x, 'squeeze');
  const gone = axes === undefined ? allAxes(rank).filter((axis) => dims[axis] === 1) : readAxes(axes, rank, 'squeeze');
  const wide = gone.find((axis) => dims[axis] !== 1);
  if (wide !== undefined) fail('ERR_SHAPE', `squeeze: axis ${wide} has size ${state.text(dims[wide])}, not 1`);
  return reshapeTo(
    state,
    value,
    dims.filter((_, axis) => !gone.includes(axis)),
  );
}

/** @type {(x: unknown, shape: unknown, axes: unknown) => Value} */
function broadcast(x, shape, axes) {
  const { state, value, rank } = operandOf(x, 'broadcast');
  const target = state.dims(shape, 'broadcast');
  const places = readAxes(axes, target.length, 'broadcast');
  if (places.length !== rank)
    expected('broadcast', `${rank} axes, one for each of the operand`, 'axes', axes, 'ERR_SHAPE');
  return append(state, 'broadcast', [value], { shape: target, axes: places });
}

/** @type {(x: unknown, shape: unknown) => Value} */
function broadcastTo(x, shape) {
  const { state, value, dims, rank } = operandOf(x, 'broadcastTo');
  const target = state.dims(shape, 'broadcastTo');
  const lead = target.length - rank;
  if (lead < 0 || dims.some((dim, axis) => dim !== 1 && dim !== target[lead + axis])) {
    const from = state.shapeText(dims);
    fail('ERR_SHAPE', `broadcastTo: shape ${from} does not broadcast to ${state.shapeText(target)}`);
  }
  return append(state, 'broadcast', [value], { shape: target, axes: dims.map((_, axis) => lead + axis) });
}

// ----------------------------------------------------------------------------------------- order

/** @type {(x: unknown, axes: unknown, caller: string) => Value} */
function permuted(x, axes, caller) {
  const { state, value, rank } = operandOf(x, caller);
  const from = axes === undefined ? allAxes(rank).reverse() : readAxes(axes, rank, caller);
  if (from.length !== rank) expected(caller, `an array of all ${rank} axes`, 'axes', axes, 'ERR_SHAPE');
  return append(state, 'transpose', [value], { axes: from });
}

/** @type {(x: unknown, axes?: unknown) => Value} */
const transpose = (x, axes) => permuted(x, axes, 'transpose');

/** @type {(x: unknown, axes: unknown) => Value} */
function permute(x, axes) {
  if (!Array.isArray(axes)) return expected('permute', 'an array of all axes', 'axes', axes);
  return permuted(x, axes, 'permute');
}

/** @type {(caller: string) => (x: unknown, axes?: unknown) => Value} */
const reverser = (caller) => (x, axes) => {
  const { state, value, rank } = operandOf(x, caller);
  const turned = axes === undefined ? allAxes(rank) : readAxes(axes, rank, caller);
  return append(state, 'reverse', [value], { axes: turned.toSorted((a, b) => a - b) });
};

const flip = reverser('flip');
const reverse = reverser('reverse');

// --------------------------------------------------------------------------------------- slicing

/**
 * One axis of known size: as in a tensor.
 *
 * @param {unknown} range
 * @param {number} size
 * @param {number} axis
 */
function constantRange(range, size, axis) {
  if (typeof range === 'number') {
    return { start: readIndex(range, size, axis, 'slice'), stride: 1, count: 1 };
  }
  const { first, step, count } = readRange(/** @type {unknown[]} */ (range), size, axis);
  return { start: count === 0 ? 0 : first, stride: step, count };
}

/**
 * One axis whose size is an expression: negative positions count from the end, nothing is clipped. Only where the size
 * depends on data there may be less than nothing to take, which then is nothing.
 *
 * @param {GraphState} state
 * @param {unknown} range
 * @param {number} size
 * @param {number} axis
 */
function symbolicRange(state, range, size, axis) {
  /** @type {(position: unknown, what: string) => number} */
  const place = (position, what) => {
    const at = integer()(position, `the ${what} of axis ${axis}`, 'slice');
    return at < 0 ? state.sub(size, -at) : at;
  };
  if (typeof range === 'number') return { start: place(range, 'index'), stride: 1, count: 1 };
  const list = /** @type {unknown[]} */ (range);
  if (list.length > 3) expected('slice', '[start, stop, step]', `axis ${axis}`, range);
  const [from, to, by = 1] = list.map((bound) => bound ?? undefined);
  const stride = integer()(by, `the step of axis ${axis}`, 'slice');
  if (stride === 0) expected('slice', 'a step other than 0', `axis ${axis}`, range);
  const forward = stride > 0;
  /** @type {(span: number) => number} */
  const count = (span) => state.clipped(countOf(state, span, Math.abs(stride)));
  const start = from === undefined ? (forward ? 0 : state.sub(size, 1)) : place(from, 'start');
  // Going backwards, the whole axis ends before position 0, which no written position can name.
  if (to === undefined && !forward) return { start, stride, count: count(state.add(start, 1)) };
  const stop = to === undefined ? size : place(to, 'stop');
  const span = forward ? state.sub(stop, start) : state.sub(start, stop);
  return { start, stride, count: count(span) };
}

/** @type {(state: GraphState, span: number, step: number) => number} how many steps fit, rounded up */
const countOf = (state, span, step) => (step === 1 ? span : state.floorDiv(state.add(span, step - 1), step));

/**
 * @param {unknown} x
 * @param {...unknown} ranges an index, [start, stop, step], null, or once '...', as in Tensor.slice
 * @returns {Value}
 */
function slice(x, ...ranges) {
  const { state, value, dims, rank } = operandOf(x, 'slice');
  const dots = ranges.indexOf('...');
  const given = dots < 0 ? ranges.length : ranges.length - 1;
  if (given > rank) fail('ERR_SHAPE', `slice: ${given} ranges for rank ${rank}, shape ${state.shapeText(dims)}`);
  const all = new Array(rank - given).fill(null);
  const perAxis = dots < 0 ? [...ranges, ...all] : ranges.toSpliced(dots, 1, ...all);
  const parts = perAxis.map((range, axis) => {
    if (typeof range !== 'number' && range !== null && !Array.isArray(range)) {
      expected('slice', "an index, [start, stop, step], null or one '...'", `axis ${axis}`, range);
    }
    const size = dims[axis];
    return size >= 0 ? constantRange(range ?? [], size, axis) : symbolicRange(state, range ?? [], size, axis);
  });
  const taken = append(state, 'slice', [value], {
    start: parts.map((part) => part.start),
    shape: parts.map((part) => part.count),
    stride: parts.map((part) => part.stride),
  });
  const kept = parts.filter((_, axis) => typeof perAxis[axis] !== 'number').map((part) => part.count);
  return kept.length === rank ? taken : reshapeTo(state, taken, kept);
}

/** @type {(state: GraphState, starts: unknown, rank: number, caller: string) => Value[]} */
function startsOf(state, starts, rank, caller) {
  if (!Array.isArray(starts) || starts.length !== rank) {
    return expected(caller, `an array of ${rank} starts, one per axis`, 'the starts', starts, 'ERR_SHAPE');
  }
  const dtype = starts.find(isValue)?.dtype ?? 'i64';
  return starts.map((start, axis) => {
    if (isValue(start)) return start;
    if (isScalar(start)) return constantOf(state, start, dtype, `start ${axis}`, caller);
    return expected(caller, 'a Value or an integer', `start ${axis}`, start);
  });
}

/** @type {(x: unknown, starts: unknown, shape: unknown) => Value} */
function dynamicSlice(x, starts, shape) {
  const state = graphOf([x, ...(Array.isArray(starts) ? starts : [])], 'dynamicSlice');
  const { value, rank } = operandOf(x, 'dynamicSlice');
  const operands = [value, ...startsOf(state, starts, rank, 'dynamicSlice')];
  return append(state, 'dynamic_slice', operands, { shape: state.dims(shape, 'dynamicSlice') });
}

/** @type {(x: unknown, update: unknown, starts: unknown) => Value} */
function updateSlice(x, update, starts) {
  graphOf([x, ...(Array.isArray(starts) ? starts : [])], 'updateSlice');
  const { state, values } = lift([x, update], 'updateSlice');
  return append(state, 'update_slice', [...values, ...startsOf(state, starts, values[0].rank, 'updateSlice')]);
}

// --------------------------------------------------------------------------- padding and joining

/**
 * Pairs of what to add in front of and behind each axis.
 *
 * @param {unknown} widths one number for all sides, or [before, after] per axis
 * @param {number} rank
 * @param {number} [least] of each; below 0 elements are taken away
 * @returns {number[][]}
 */
function widthsOf(widths, rank, least) {
  const count = integer(least);
  if (typeof widths === 'number') return allAxes(rank).map(() => [count(widths, 'the width', 'pad'), widths]);
  if (!Array.isArray(widths) || widths.length !== rank) {
    return expected('pad', `a number, or ${rank} pairs [before, after]`, 'the widths', widths, 'ERR_SHAPE');
  }
  return widths.map((pair, axis) => {
    if (!Array.isArray(pair) || pair.length !== 2) return expected('pad', '[before, after]', `axis ${axis}`, pair);
    return pair.map((width) => count(width, `axis ${axis}`, 'pad'));
  });
}

/** @type {(x: unknown, widths: unknown, options?: unknown) => Value} */
function pad(x, widths, options) {
  const { rank } = operandOf(x, 'pad');
  const { value: fill = 0, interior = 0 } = readOptions('pad', options, {
    value: (given) => given,
    interior: (given) => given,
  });
  const { state, values } = lift([x, fill], 'pad', 0, () => "option 'value'");
  const pairs = widthsOf(widths, rank);
  const gaps = typeof interior === 'number' ? allAxes(rank).map(() => interior) : interior;
  if (!Array.isArray(gaps) || gaps.length !== rank) {
    expected('pad', `a number, or ${rank} numbers`, "option 'interior'", interior);
  }
  const gap = integer(0);
  return append(state, 'pad', values, {
    lo: pairs.map(([before]) => before),
    hi: pairs.map(([, after]) => after),
    interior: /** @type {unknown[]} */ (gaps).map((each) => gap(each, "option 'interior'", 'pad')),
  });
}

/** @type {(list: unknown, options: unknown, caller: string, extra: number) => { values: Value[], state: GraphState, axis: number }} */
function joined(list, options, caller, extra) {
  if (!Array.isArray(list) || list.length === 0) return expected(caller, 'an array of Values', 'the operands', list);
  const { axis = 0 } = readOptions(caller, options, { axis: integer() });
  const { state, values } = lift(list, caller);
  return { state, values, axis: readAxis(axis, values[0].rank + extra, caller) };
}

/** @type {(list: unknown, options?: unknown) => Value} */
function concat(list, options) {
  const { state, values, axis } = joined(list, options, 'concat', 0);
  return append(state, 'concat', values, { axis });
}

/** @type {(list: unknown, options?: unknown) => Value} */
function stack(list, options) {
  const { state, values, axis } = joined(list, options, 'stack', 1);
  const expanded = values.map((value) => expandDims(value, axis));
  return append(state, 'concat', expanded, { axis });
}

/**
 * As methods, `x.concat(others)` and `x.stack(others)` begin with x.
 *
 * @type {(join: typeof concat, caller: string) => (x: unknown, others: unknown, options?: unknown) => Value}
 */
const asMethod = (join, caller) => (x, others, options) => {
  if (isOptions(others) || others === undefined) return join([x], others);
  if (isValue(others)) return join([x, others], options);
  if (!Array.isArray(others)) return expected(caller, 'an array of Values', 'the other operands', others);
  return join([x, ...others], options);
};

/** Operations that are functions and methods alike, by name. */
const movement = {
  broadcast,
  broadcastTo,
  dynamicSlice,
  expandDims,
  flip,
  pad,
  permute,
  reshape,
  reverse,
  slice,
  squeeze,
  transpose,
  updateSlice,
};

/** Functions of a list, and their methods. */
const joins = { concat, stack };
const joinMethods = { concat: asMethod(concat, 'concat'), stack: asMethod(stack, 'stack') };

module.exports = { allAxes, joinMethods, joins, movement, operandOf, reshapeTo, widthsOf };
