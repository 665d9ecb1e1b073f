/**
 * Windows as files describe them: convolutions and pools whose padding may follow from a size that a run knows.
 *
 * `'same'` pads so that there are as many places as the size by the stride, rounded up. Where the size is known, or the
 * stride is 1, the op pads itself by numbers. Otherwise the operand is padded on both sides by as much as it can ever
 * take, and a slice from a symbolic start takes the rest off again; means and indices then leave out what was added.
 *
 * Layouts are texts as of Value.conv ('NHWC'); without one, channels are axis 1 and space is what follows.
 */
'use strict';

const { append, dimsOf } = require('../../graph/value.js');
const { dtypes } = require('../../tensor/dtypes.js');

/** @typedef {import('./builder.js').Builder} Builder */

/**
 * Windows along the spatial axes, one element each.
 *
 * @typedef {object} Windows
 * @property {readonly number[]} window
 * @property {readonly number[]} [stride] 1 each by default
 * @property {readonly number[]} [dilation]
 * @property {'valid' | 'same' | 'sameLower' | readonly (readonly number[])[]} [padding] or [before, after] of each axis
 * @property {boolean} [ceilMode]
 * @property {string} [layout]
 */

/** An axis whose padding is known later. @typedef {{ axis: number, size: number, before: number, length: number }} Late */

/** @type {(layout: string | undefined, rank: number) => number[]} */
function spatialAxes(layout, rank) {
  if (layout === undefined) return Array.from({ length: rank - 2 }, (_, i) => i + 2);
  return [...'DHW'].map((letter) => layout.indexOf(letter)).filter((axis) => axis >= 0);
}

/** A size that building a graph takes as a number. @type {(x: any, axis: number, cx: Builder) => number} */
function fixedSize(x, axis, cx) {
  const size = x.shape[axis];
  return typeof size === 'number' ? size : cx.fail('ERR_SHAPE', `axis ${axis} of [${x.shape}] takes a known size`);
}

/** How far a window reaches. @type {(window: number, dilation?: number) => number} */
const reachOf = (window, dilation = 1) => (window - 1) * dilation + 1;

/**
 * A value with the padding that its op can't do, and the padding left to the op.
 *
 * @param {Builder} cx
 * @param {any} x
 * @param {Windows} windows
 * @param {number | bigint | boolean} fill
 * @returns {{ x: any, padding: Windows['padding'], late: Late[] }}
 */
function withPadding(cx, x, { window, stride, dilation, padding = 'valid', layout }, fill) {
  if (typeof padding !== 'string' || padding === 'valid') return { x, padding, late: [] };
  const { state } = cx;
  const dims = dimsOf(x);
  const axes = spatialAxes(layout, dims.length);
  const isLate = (/** @type {number} */ axis, /** @type {number} */ i) => dims[axis] < 0 && (stride?.[i] ?? 1) !== 1;
  if (!axes.some(isLate)) return { x, padding, late: [] };
  const late = /** @type {Late[]} */ ([]);
  const lower = padding === 'sameLower';
  const pairs = axes.map((axis, i) => {
    const [reach, step, size] = [reachOf(window[i], dilation?.[i]), stride?.[i] ?? 1, dims[axis]];
    if (!isLate(axis, i)) return halves(size < 0 ? reach - 1 : knownTotal(size, reach, step), lower);
    // As long as windows reach: so sizes of results are those of other layers with this stride.
    const places = state.floorDiv(state.add(size, step - 1), step);
    const length = state.add(state.mul(state.sub(places, 1), step), reach);
    const more = state.sub(length, size);
    const total = reach < step ? state.max(more, 0) : more;
    const less = state.floorDiv(total, 2);
    late.push({ axis, size, length, before: lower ? state.sub(total, less) : less });
    return [0, 0];
  });
  const widths = axes.map((_, i) => Math.ceil((reachOf(window[i], dilation?.[i]) - 1) / 2));
  return { x: padLate(cx, x, late, (axis) => widths[axes.indexOf(axis)], fill), padding: pairs, late };
}

/** @type {(size: number, reach: number, stride: number) => number} */
const knownTotal = (size, reach, stride) => Math.max((Math.ceil(size / stride) - 1) * stride + reach - size, 0);

/** @type {(total: number, lower: boolean) => number[]} */
const halves = (total, lower) => (lower ? [total - (total >> 1), total >> 1] : [total >> 1, total - (total >> 1)]);

/** @type {(cx: Builder, x: any, late: readonly Late[], widthOf: (axis: number) => number, fill: any) => any} */
function padLate({ state }, x, late, widthOf, fill) {
  const dims = dimsOf(x);
  const isLate = (/** @type {number} */ axis) => late.find((each) => each.axis === axis);
  const width = (/** @type {number} */ axis) => (isLate(axis) ? widthOf(axis) : 0);
  const padded = x.pad(dims.map((_, axis) => [width(axis), width(axis)]), { value: fill });
  return append(state, 'slice', [padded], {
    start: dims.map((_, axis) => (isLate(axis) ? state.sub(width(axis), Number(isLate(axis)?.before)) : 0)),
    shape: dims.map((size, axis) => isLate(axis)?.length ?? size),
    stride: dims.map(() => 1),
  });
}

/**
 * A convolution; `options` are those of Value.conv.
 *
 * @param {Builder} cx
 * @param {any} x
 * @param {any} kernel
 * @param {Omit<Windows, 'window' | 'ceilMode'> & { kernelLayout?: string, groups?: number, bias?: any }} options
 * @returns {any}
 */
function convolve(cx, x, kernel, options) {
  const { padding: wanted } = options;
  if (typeof wanted !== 'string' || wanted === 'valid') return x.conv(kernel, options);
  const window = spatialAxes(options.kernelLayout, kernel.rank).map((axis) => fixedSize(kernel, axis, cx));
  const { x: padded, padding } = withPadding(cx, x, { ...options, window }, 0);
  return padded.conv(kernel, { ...options, padding });
}

/** The value that never is a maximum. @type {(dtype: import('../../tensor/dtypes.js').DType) => number | bigint | boolean} */
function lowest(dtype) {
  const { kind, min } = dtypes[dtype];
  return kind === 'float' ? -Infinity : kind === 'bool' ? false : min;
}

/** @type {(windows: Windows, padding: Windows['padding']) => any} options of the pools of Value */
const poolOptions = ({ window, stride, dilation, ceilMode, layout }, padding) => ({
  stride: stride ?? window.map(() => 1), dilation, padding, ceilMode, layout,
});

/** @type {(cx: Builder, x: any, windows: Windows) => any} */
function maxPool(cx, x, windows) {
  const { x: padded, padding } = withPadding(cx, x, windows, lowest(x.dtype));
  return padded.maxPool(windows.window, poolOptions(windows, padding));
}

/**
 * The greatest of each window, and where it is: counted in its channel, or through the whole tensor.
 *
 * @param {Builder} cx
 * @param {any} x
 * @param {Windows} windows
 * @param {{ order?: 'rowMajor' | 'columnMajor', perChannel?: boolean }} [count]
 * @returns {{ values: any, indices: any }}
 */
function maxPoolWithIndices(cx, x, windows, { order = 'rowMajor', perChannel = true } = {}) {
  const { x: padded, padding, late } = withPadding(cx, x, windows, lowest(x.dtype));
  const options = poolOptions(windows, padding);
  if (late.length === 0) return x.maxPoolWithIndices(windows.window, { ...options, order, perChannel });
  const { values, indices } = padded.maxPoolWithIndices(windows.window, options);
  const size = (/** @type {any} */ dim) => /** @type {any} */ (cx.sizeValue(cx.state.text(dim)));
  const axes = spatialAxes(windows.layout, x.rank);
  // Places in the padded tensor, taken apart and put together again without the padding.
  let rest = indices;
  /** @type {Map<number, any>} */
  const places = new Map();
  for (const axis of axes.toReversed()) {
    const own = size(dimsOf(padded)[axis]);
    const pad = late.find((each) => each.axis === axis);
    const place = rest.rem(own);
    places.set(axis, pad ? place.sub(size(pad.before)).max(0).min(size(pad.size).sub(1)) : place);
    rest = rest.div(own);
  }
  const counted = order === 'rowMajor' ? axes : axes.toReversed();
  const flat = counted.reduce(
    (index, axis) => index.mul(size(dimsOf(x)[axis])).add(places.get(axis)),
    /** @type {any} */ (cx.constant(0, 'i64')),
  );
  return { values, indices: perChannel ? flat : flat.add(channelStarts(cx, x, axes)) };
}

/**
 * Where the spatial elements of each image and channel begin.
 *
 * @type {(cx: Builder, x: any, axes: readonly number[]) => any}
 */
function channelStarts(cx, x, axes) {
  const shape = (/** @type {number} */ axis) => Array(x.rank).fill(1).with(axis, x.shape[axis]);
  const size = (/** @type {number} */ axis) => /** @type {any} */ (cx.sizeValue(x.shape[axis]));
  const [image, channel] = [0, 1].map((axis) => /** @type {any} */ (cx.iota(shape(axis), 'i64', axis)));
  return axes.reduce((start, axis) => start.mul(size(axis)), image.mul(size(1)).add(channel));
}

/** @type {(cx: Builder, x: any, windows: Windows, countIncludePad: boolean) => any} */
function averagePool(cx, x, windows, countIncludePad) {
  const { x: padded, padding, late } = withPadding(cx, x, windows, 0);
  const options = { ...poolOptions(windows, padding), countIncludePad };
  const mean = padded.avgPool(windows.window, options);
  if (late.length === 0 || countIncludePad) return mean;
  // The part of each window that is no padding, as a mean of ones; only along axes that were padded late.
  const axes = spatialAxes(windows.layout, x.rank);
  const shape = axes.reduce((all, axis) => all.with(axis, x.shape[axis]), Array(x.rank).fill(1));
  const ones = cx.constant(1, mean.dtype, shape);
  const { x: part } = withPadding(cx, ones, windows, 0);
  return mean.div(part.avgPool(windows.window, options));
}

/** @type {(cx: Builder, x: any, windows: Windows, p: number) => any} */
function lpPool(cx, x, windows, p) {
  const { x: padded, padding } = withPadding(cx, x, windows, 0);
  return padded.lpPool(windows.window, { ...poolOptions(windows, padding), p });
}

/**
 * @typedef {Omit<Windows, 'window' | 'ceilMode'> & {
 *   kernelLayout?: string, groups?: number, bias?: any, outputPadding?: readonly number[], size?: readonly (number | string)[]
 * }} TransposedOptions
 */

/**
 * A transposed convolution that trims what is beyond a wanted size, or adds to what is short of it. `padding` trims;
 * names, and sizes given as `size`, leave it to be worked out: 'same' makes the size times the stride.
 *
 * @param {Builder} cx
 * @param {any} x
 * @param {any} kernel
 * @param {TransposedOptions} options
 * @returns {any}
 */
function convolveTransposed(cx, x, kernel, options) {
  const { size, outputPadding, padding = 'valid', ...rest } = options;
  const { state } = cx;
  const axes = spatialAxes(options.layout, x.rank);
  const window = spatialAxes(options.kernelLayout, kernel.rank).map((axis) => fixedSize(kernel, axis, cx));
  const stride = options.stride ?? window.map(() => 1);
  const extra = outputPadding ?? window.map(() => 0);
  const reach = window.map((each, i) => reachOf(each, options.dilation?.[i]) + extra[i]);
  const lower = padding !== 'same';
  /** @type {(cuts: readonly (readonly number[])[]) => any} */
  const trimmed = (cuts) =>
    x.convTranspose(kernel, { ...rest, padding: cuts.map(([before, after], i) => [before, after - extra[i]]) });
  const whole = axes.map((axis, i) => state.add(state.mul(state.sub(dimsOf(x)[axis], 1), stride[i]), reach[i]));
  if (size === undefined) {
    const same = () => reach.map((each, i) => halves(Math.max(each - stride[i], 0), lower));
    const cuts = typeof padding === 'string' ? (padding === 'valid' ? reach.map(() => [0, 0]) : same()) : padding;
    const sizes = whole.map((each, i) => (each < 0 ? state.sub(each, cuts[i][0] + cuts[i][1]) : each));
    return sized(trimmed(cuts), axes, sizes, cx);
  }
  const wanted = size.map((each, i) => state.dim(each, `size ${i}`, 'load'));
  if (whole.some((each, i) => each < 0 || wanted[i] < 0))
    return middleOf(trimmed(reach.map(() => [0, 0])), axes, whole, wanted, lower, cx);
  // What a size is short of is added behind.
  return trimmed(whole.map((each, i) => (each < wanted[i] ? [0, each - wanted[i]] : halves(each - wanted[i], lower))));
}

/**
 * A result with its symbolic sizes in the words of a formula, which the op words otherwise, for inputs may be empty.
 *
 * @type {(result: any, axes: readonly number[], sizes: readonly number[], cx: Builder) => any}
 */
function sized(result, axes, sizes, { state }) {
  const dims = axes.reduce((all, axis, i) => (all[axis] < 0 ? all.with(axis, sizes[i]) : all), [...dimsOf(result)]);
  return result.reshape(dims.map((dim) => state.text(dim)));
}

/**
 * The middle of a result that is as large as `whole` along some axes.
 *
 * @type {(result: any, axes: readonly number[], whole: readonly number[], wanted: readonly number[], lower: boolean, cx: Builder) => any}
 */
function middleOf(result, axes, whole, wanted, lower, { state }) {
  const [start, shape] = [dimsOf(result).map(() => 0), [...dimsOf(result)]];
  for (const [i, axis] of axes.entries()) {
    const total = state.sub(whole[i], wanted[i]);
    const less = state.floorDiv(total, 2);
    start[axis] = lower ? state.sub(total, less) : less;
    shape[axis] = wanted[i];
  }
  return append(state, 'slice', [result], { start, shape, stride: shape.map(() => 1) });
}

module.exports = {
  averagePool, convolve, convolveTransposed, fixedSize, lpPool, maxPool, maxPoolWithIndices,
};
