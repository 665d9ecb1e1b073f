/**
 * Pools, padding and other sizes of images.
 */
'use strict';


const { batched, bothEnds } = require('./layers.js');

/** @typedef {import('../call.js').Call} Call */
/** @typedef {number | string} Size */

/** Images are divided into no more pieces along an axis. */
const MAX_PIECES = 4096;

/** @type {(call: Call, count: number) => any} */
function poolOptions(call, count) {
  const stride = Array.isArray(call.args.stride) && call.args.stride.length === 0 ? null : call.args.stride;
  return {
    stride: stride === null ? call.perAxis('kernel_size', count) : call.perAxis('stride', count),
    padding: bothEnds(call.perAxis('padding', count)),
    ...('dilation' in call.args ? { dilation: call.perAxis('dilation', count) } : {}),
    ceilMode: call.flag('ceil_mode'),
  };
}

/** @type {(count: number) => (call: Call) => any} */
const maxPool = (count) => (call) => batched(call.value(), count + 2, (x) => x.maxPool(call.perAxis('kernel_size', count), poolOptions(call, count)));

/** @type {(count: number) => (call: Call) => any} */
const maxPoolWithIndices = (count) => (call) =>
  batched(call.value(), count + 2, (x) => {
    const { values, indices } = x.maxPoolWithIndices(call.perAxis('kernel_size', count), poolOptions(call, count));
    return [values, indices];
  });

/** @type {(count: number) => (call: Call) => any} */
const avgPool = (count) => (call) =>
  batched(call.value(), count + 2, (x) => {
    const window = call.perAxis('kernel_size', count);
    const options = { ...poolOptions(call, count), countIncludePad: call.flag('count_include_pad') };
    if (!call.has('divisor_override')) return x.avgPool(window, options);
    const area = window.reduce((total, size) => total * size, 1);
    return x.avgPool(window, { ...options, countIncludePad: true }).mul(area / call.number('divisor_override'));
  });

/** None leaves a size as it is. @type {(call: Call, x: any, count: number) => (number | null)[]} */
function targetOf(call, x, count) {
  const given = Array.isArray(call.args.output_size) ? call.args.output_size : [call.args.output_size];
  const list = given.length === 1 ? Array.from({ length: count }, () => given[0]) : given;
  return list.map((/** @type {any} */ each, /** @type {number} */ axis) => {
    if (each === null) return x.shape[axis + 2];
    if (typeof each !== 'bigint') return call.fail('ERR_SHAPE', 'the size of a result depends on sizes');
    return each <= MAX_PIECES ? Number(each) : call.fail('ERR_OVERFLOW', `a result of ${each} pieces is too large`);
  });
}

/** @type {(count: number) => (call: Call) => any} */
const adaptiveAvg = (count) => (call) =>
  batched(call.value(), count + 2, (x) => x.adaptiveAvgPool(targetOf(call, x, count)));

/** @type {(count: number) => (call: Call) => any} values, and where they are in their channel */
const adaptiveMax = (count) => (call) =>
  batched(call.value(), count + 2, (x) => {
    const size = targetOf(call, x, count);
    const windows = size.map((/** @type {any} */ to, /** @type {number} */ axis) => Number(x.shape[axis + 2]) / Number(to));
    // Of pieces of several sizes nothing says where the greatest element is.
    if (!windows.every(Number.isInteger)) return [x.adaptiveMaxPool(size), null];
    const { values, indices } = x.maxPoolWithIndices(windows, { stride: windows });
    return [values, indices];
  });

// ---------------------------------------------------------------------------------------- padding

const PAD_MODES = /** @type {const} */ ({ constant: 'constant', reflect: 'reflect', replicate: 'edge', circular: 'wrap' });

/** Widths from the last axis on, in pairs. @type {(widths: readonly number[], rank: number) => [number, number][]} */
function padWidths(widths, rank) {
  const pairs = Array.from({ length: rank }, () => /** @type {[number, number]} */ ([0, 0]));
  for (let i = 0; i * 2 < widths.length; i++) pairs[rank - 1 - i] = [widths[2 * i], widths[2 * i + 1]];
  return pairs;
}

/** @type {(call: Call, mode: 'constant' | 'reflect' | 'edge' | 'wrap') => any} */
function padded(call, mode) {
  const value = call.value();
  const widths = padWidths(call.ints('pad'), value.rank);
  if (mode === 'constant') return value.pad(widths, { value: call.has('value') ? call.value('value', value.dtype) : value.dtype === 'bool' ? false : 0 });
  return value.pad(widths, { mode });
}

/** @type {(mode: 'reflect' | 'edge') => any[]} */
const padOps = (mode) => [1, 2, 3].map((n) => [`${mode === 'edge' ? 'replication' : 'reflection'}_pad${n}d(self, pad|padding)`, (/** @type {Call} */ call) => padded(call, mode)]);

// --------------------------------------------------------------------------------------- resizing

/** The last scales of a call, where there are any. @type {(call: Call, count: number) => number[] | undefined} */
function scalesOf(call, count) {
  if (call.has('scale_factors')) return call.args.scale_factors.map(Number);
  const names = ['scales_d', 'scales_h', 'scales_w'].slice(3 - count).map((name, i, all) => (all.length === 1 && call.has('scales') ? 'scales' : name));
  return names.every((name) => call.has(name)) ? names.map((name) => call.number(name)) : undefined;
}

/** @type {(call: Call, x: any, count: number, scales: number[] | undefined) => Size[]} */
function sizeOf(call, x, count, scales) {
  if (call.has('output_size')) return call.sizes('output_size');
  if (scales === undefined) return call.fail('ERR_ARGUMENT', 'neither sizes nor scales are given');
  return x.shape.slice(2).map((/** @type {Size} */ size, /** @type {number} */ i) => scaledSize(call, size, scales[i]));
}

/** ⌊size · scale⌋, with sizes that are open where the scale is a small fraction. @type {(call: Call, size: Size, scale: number) => Size} */
function scaledSize(call, size, scale) {
  if (typeof size === 'number') return Math.floor(size * scale);
  const { state } = call.cx;
  const bottom = [1, 2, 3, 4, 8, 16, 32].find((each) => Number.isInteger(scale * each));
  if (bottom === undefined) return call.fail('ERR_SHAPE', `size ${size} times ${scale} is no size of a graph`);
  return state.text(state.floorDiv(state.mul(state.dim(size, 'a size', 'load'), scale * bottom), bottom));
}

/**
 * Where the place of an element of the result is in the operand.
 *
 * @type {(call: Call, size: Size[], count: number, scales: number[] | undefined, x: any, options: any) => any}
 */
function resized(call, size, count, scales, x, options) {
  // With scales PyTorch computes places by them and not by sizes, which differ where sizes were rounded down.
  const isExact = scales === undefined || scales.every((scale, i) => typeof x.shape[i + 2] !== 'number' || x.shape[i + 2] * scale === size[i]);
  return x.resize(isExact || options.coordinates === 'alignCorners' ? { size, ...options } : { scale: scales, ...options });
}

/** @type {(count: number, antialias?: boolean) => (call: Call) => any} */
const linear = (count, antialias = false) => (call) => {
  const x = call.value();
  const scales = scalesOf(call, count);
  const options = { mode: 'linear', coordinates: call.flag('align_corners') ? 'alignCorners' : 'halfPixel', ...(antialias ? { antialias, excludeOutside: true } : {}) };
  return resized(call, sizeOf(call, x, count, scales), count, scales, x, options);
};

/** @type {(antialias?: boolean) => (call: Call) => any} */
const cubic = (antialias = false) => (call) => {
  const x = call.value();
  const scales = scalesOf(call, 2);
  const coordinates = call.flag('align_corners') ? 'alignCorners' : 'halfPixel';
  const options = { mode: 'cubic', coordinates, cubicCoefficient: antialias ? -0.5 : -0.75, ...(antialias ? { antialias, excludeOutside: true } : {}) };
  return resized(call, sizeOf(call, x, 2, scales), 2, scales, x, options);
};

/** @type {(count: number, exact?: boolean) => (call: Call) => any} */
const nearest = (count, exact = false) => (call) => {
  const x = call.value();
  const scales = scalesOf(call, count);
  const options = exact ? { mode: 'nearest', coordinates: 'halfPixel', rounding: 'preferCeil' } : { mode: 'nearest', coordinates: 'asymmetric', rounding: 'floor' };
  return resized(call, sizeOf(call, x, count, scales), count, scales, x, options);
};

/**
 * Argument lists of the forms of upsampling, which differ in what scales are called.
 *
 * @type {(name: string, count: number, withCorners: boolean, compute: (call: Call) => any) => [string, any][]}
 */
const upsample = (name, count, withCorners, compute) => {
  const corners = withCorners ? ', align_corners=False' : '';
  const names = count === 1 ? ['scales'] : ['scales_d', 'scales_h', 'scales_w'].slice(3 - count);
  const own = names.map((each, i) => `${each}${i === 0 ? '|scale_factors' : ''}=None`).join(', ');
  return [[`${name}(self|input, output_size${corners}, ${own})`, vec(compute)]];
};

/** The form with a list of scales has it in place of the first one. @type {(compute: (call: Call) => any) => (call: Call) => any} */
const vec = (compute) => (call) => {
  const first = ['scales', 'scales_d', 'scales_h'].find((name) => Array.isArray(call.args[name]));
  if (first !== undefined) Object.assign(call.args, { scale_factors: call.args[first], [first]: null });
  return compute(call);
};

const GRID_MODES = /** @type {const} */ (['linear', 'nearest', 'cubic']);
const GRID_PADDINGS = /** @type {const} */ (['zeros', 'border', 'reflection']);

/** @type {(call: Call) => any} */
const gridSample = (call) =>
  call.value().gridSample(call.value('grid'), {
    mode: GRID_MODES[call.int('interpolation_mode')], padding: GRID_PADDINGS[call.int('padding_mode')], alignCorners: call.flag('align_corners'),
  });

/** Windows as columns. @type {(call: Call) => any} */
const im2col = (call) =>
  batched(call.value(), 4, (x) => x.unfold(call.perAxis('kernel_size', 2), { stride: call.perAxis('stride', 2), padding: bothEnds(call.perAxis('padding', 2)), dilation: call.perAxis('dilation', 2) }));

/** @type {(call: Call) => any} */
const col2im = (call) =>
  batched(call.value(), 3, (x) => x.fold(call.perAxis('output_size', 2), call.perAxis('kernel_size', 2), { stride: call.perAxis('stride', 2), padding: bothEnds(call.perAxis('padding', 2)), dilation: call.perAxis('dilation', 2) }));

const WINDOW = 'self|input, kernel_size, stride=[], padding=0';

/** @type {import('./index.js').Ops} */
const ops = {
  ...Object.fromEntries([1, 2, 3].flatMap((n) => [
    [`max_pool${n}d(${WINDOW}, dilation=1, ceil_mode=False)`, maxPool(n)],
    [`max_pool${n}d_with_indices(${WINDOW}, dilation=1, ceil_mode=False)`, maxPoolWithIndices(n)],
    [`avg_pool${n}d(${WINDOW}, ceil_mode=False, count_include_pad=True, divisor_override=None)`, avgPool(n)],
    [`adaptive_avg_pool${n}d(self|input, output_size)`, adaptiveAvg(n)],
    [`_adaptive_avg_pool${n}d(self|input, output_size)`, adaptiveAvg(n)],
    [`adaptive_max_pool${n}d(self|input, output_size)`, adaptiveMax(n)],
  ])),
  ...Object.fromEntries([...padOps('reflect'), ...padOps('edge')]),
  'constant_pad_nd(self, pad, value=0)': (call) => padded(call, 'constant'),
  'pad(self, pad, mode="constant", value=None)': (call) => padded(call, call.choice('mode', PAD_MODES)),
  ...Object.fromEntries([
    ...upsample('upsample_linear1d', 1, true, linear(1)), ...upsample('upsample_bilinear2d', 2, true, linear(2)),
    ...upsample('upsample_trilinear3d', 3, true, linear(3)), ...upsample('upsample_bicubic2d', 2, true, cubic()),
    ...upsample('_upsample_bilinear2d_aa', 2, true, linear(2, true)), ...upsample('_upsample_bicubic2d_aa', 2, true, cubic(true)),
    ...[1, 2, 3].flatMap((n) => [...upsample(`upsample_nearest${n}d`, n, false, nearest(n)), ...upsample(`_upsample_nearest_exact${n}d`, n, false, nearest(n, true))]),
  ]),
  'grid_sampler(self|input, grid, interpolation_mode=0, padding_mode=0, align_corners=False)': gridSample,
  'grid_sampler_2d(self|input, grid, interpolation_mode=0, padding_mode=0, align_corners=False)': gridSample,
  'affine_grid_generator(self|theta, size, align_corners)': (call) => call.value().affineGrid(call.sizes('size').slice(2), { alignCorners: call.flag('align_corners') }),
  'im2col(self, kernel_size, dilation, padding, stride)': im2col,
  'col2im(self, output_size, kernel_size, dilation, padding, stride)': col2im,
};

module.exports = { ops };
