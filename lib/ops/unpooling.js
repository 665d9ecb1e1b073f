/**
 * The way back from windows: columns summed into images, and the greatest of windows put where they were.
 *
 * `fold` spreads each position of the windows out at their stride, which is a padding with gaps, and adds these: no
 * element is written twice, so sums have one order. `maxUnpool` is a scatter; of two with one index the last one wins.
 */
'use strict';

const { boolean, expected, readOptions } = require('../base/check.js');
const { fail } = require('../base/errors.js');
const { append, constantOf, dimsOf, stateOf } = require('../graph/value.js');
const { rows } = require('./elementwise.js');
const { indicesOf } = require('./indexing.js');
const { movement, operandOf, reshapeTo } = require('./movement.js');
const { positionsOf, reaches, wholeIndex } = require('./pools.js');
const { paddingOf, perAxis } = require('./windows.js');

/** @typedef {import('../graph/value.js').Value} Value */
/** @typedef {import('../graph/value.js').GraphState} GraphState */
/** @typedef {import('./pools.js').Slide} Slide */

const given = (/** @type {unknown} */ value) => value;

/**
 * A scalar zero of any dtype.
 *
 * @type {(state: GraphState, dtype: import('../tensor/dtypes.js').DType, caller: string, dims?: number[]) => Value}
 */
const zero = (state, dtype, caller, dims) =>
  constantOf(state, dtype === 'bool' ? false : 0, dtype, 'zero', caller, dims);

/** How many places windows have along an axis. @type {(state: GraphState, slide: Slide) => number} */
function countOf(state, slide) {
  const { size, lo, hi, stride } = slide;
  const room = lo + hi - reaches(slide);
  if (size >= 0) return Math.max(Math.floor((size + room) / stride) + 1, 0);
  return state.add(state.floorDiv(state.shifted(size, room), stride), 1);
}

/** @type {(x: unknown, size: unknown, window: unknown, options?: unknown) => Value} */
function fold(x, size, window, options) {
  const caller = 'fold';
  const { stride = 1, padding = 0, dilation = 1 } = readOptions(caller, options, {
    stride: given, padding: given, dilation: given,
  });
  const { state, value, dims } = operandOf(x, caller);
  const sizes = state.dims(size, caller);
  if (dims.length !== 3) fail('ERR_SHAPE', `${caller}: expected columns [n, c, l], got ${state.shapeText(dims)}`);
  const windows = perAxis(window, sizes.length, 1, 'the window', caller);
  const strides = perAxis(stride, sizes.length, 1, "option 'stride'", caller);
  const dilations = perAxis(dilation, sizes.length, 1, "option 'dilation'", caller);
  const slides = sizes.map((own, i) => ({
    size: own, window: windows[i], stride: strides[i], dilation: dilations[i],
  }));
  const ends = paddingOf(padding, slides, state, caller, 0);
  const axes = slides.map((slide, i) => ({ ...slide, axis: i, lo: ends[i][0], hi: ends[i][1], extra: 0 }));
  return folded(value, axes, caller);
}

/** @type {(value: Value, slides: readonly Slide[], caller: string) => Value} */
function folded(value, slides, caller) {
  const state = stateOf(value);
  const [batch, columns, count] = dimsOf(value);
  const positions = positionsOf(slides, caller);
  const reach = slides.map(reaches);
  const places = slides.map((slide) => countOf(state, slide));
  const channels = columns < 0 || columns % positions.length === 0 ? state.floorDiv(columns, positions.length) : -1;
  if (columns >= 0 && channels < 0)
    fail('ERR_SHAPE', `${caller}: ${columns} rows are not a multiple of the ${positions.length} elements of a window`);
  const wanted = state.product(places);
  if (wanted >= 0 && count >= 0 && wanted !== count)
    fail('ERR_SHAPE', `${caller}: there are ${count} columns, but these windows have ${wanted} places`);
  const laid = reshapeTo(state, value, [batch, channels, positions.length, ...places]);
  const nothing = zero(state, value.dtype, caller);
  const spread = positions.map((position, k) => {
    const own = movement.slice(laid, null, null, k);
    const before = position.map((at, i) => at * slides[i].dilation);
    return append(state, 'pad', [own, nothing], {
      lo: [0, 0, ...before],
      // behind the last window, a stride less one may be left over
      hi: [0, 0, ...before.map((at, i) => reach[i] - 1 - at + slides[i].stride - 1)],
      interior: [0, 0, ...slides.map(({ stride }) => stride - 1)],
    });
  });
  const join = value.dtype === 'bool' ? rows.or : rows.add;
  const sum = spread.reduce((all, own) => join(all, own));
  return append(state, 'slice', [sum], {
    start: [0, 0, ...slides.map(({ lo }) => lo)],
    stride: [1, 1, ...slides.map(() => 1)],
    shape: [batch, channels, ...slides.map(({ size }) => size)],
  });
}

/**
 * The sizes of what was pooled: those given, or the least that windows with these places need.
 *
 * @type {(state: GraphState, places: readonly number[], window: unknown, options: { size?: unknown, stride?: unknown, padding?: unknown }, caller: string) => number[]}
 */
function pooledSizes(state, places, window, { size, stride, padding = 0 }, caller) {
  if (size !== undefined) {
    const sizes = state.dims(size, caller);
    if (sizes.length === places.length) return sizes;
    return expected(caller, `${places.length} sizes`, "option 'size'", size, 'ERR_SHAPE');
  }
  const windows = perAxis(window, places.length, 1, 'the window', caller);
  const strides = stride === undefined ? windows : perAxis(stride, places.length, 1, "option 'stride'", caller);
  const slides = places.map((_, i) => ({ size: -1, window: windows[i], stride: strides[i], dilation: 1 }));
  if (typeof padding === 'string' && padding !== 'valid')
    fail('ERR_ARGUMENT', `${caller}: padding '${padding}' does not say sizes: give option 'size'`);
  const ends = paddingOf(padding, slides, state, caller, 0);
  return places.map((count, i) => {
    const [lo, hi] = ends[i];
    return state.shifted(state.mul(count, strides[i]), windows[i] - strides[i] - lo - hi);
  });
}

/** @type {(x: unknown, indices: unknown, window: unknown, options?: unknown) => Value} */
function maxUnpool(x, indices, window, options) {
  const caller = 'maxUnpool';
  const { perChannel = true, ...read } = readOptions(caller, options, {
    size: given, stride: given, padding: given, perChannel: boolean,
  });
  const { state, value, dims } = operandOf(x, caller);
  const places = indicesOf(state, indices, caller);
  const own = dimsOf(places);
  if (dims.length < 3 || own.length !== dims.length || own.some((dim, axis) => dim !== dims[axis]))
    fail(
      'ERR_SHAPE',
      `${caller}: expected operand and indices of one shape [n, c, …], got ${state.shapeText(dims)} and ${state.shapeText(own)}`,
    );
  const [batch, channels, ...counts] = dims;
  const sizes = pooledSizes(state, counts, window, read, caller);
  // An index of the whole tensor says image and channel too, as those of its place do.
  const base = perChannel ? places : rows.sub(places, wholeIndex(state, dims.length, [batch, channels], sizes));
  const flat = (/** @type {Value} */ each) => reshapeTo(state, each, [batch, channels, state.product(counts)]);
  const put = append(
    state,
    'scatter',
    [
      zero(state, value.dtype, caller, [batch, channels, state.product(sizes)]),
      movement.expandDims(flat(base), -1),
      flat(value),
    ],
    { offset_axes: [], collapsed_axes: [2], operand_batch: [0, 1], indices_batch: [0, 1], index_map: [2] },
  );
  return reshapeTo(state, put, [batch, channels, ...sizes]);
}

/** Every operation here that becomes a method and a function, by name. */
const unpooling = { fold, maxUnpool };

module.exports = { unpooling };
