/**
 * Convolutions and pools, with what is fused to them, and normalisations along channels.
 */
'use strict';

const convolution = require('../../shared/convolution.js');
const { axisOf } = require('../../shared/slices.js');
const { listLength, timesSize } = require('../../shared/translations.js');
const { withBias } = require('./elementwise.js');

/** @typedef {import('../../shared/builder.js').Builder} Builder */
/** @typedef {import('../../shared/builder.js').Translation} Translation */
/** @typedef {number | string} Size */

const SPATIAL = ['', 'W', 'HW', 'DHW'];

/** The letters of a layout, for as many spatial axes as there are. @type {(node: any, rank: number) => string} */
function layoutOf(node, rank) {
  const letters = SPATIAL[rank - 2];
  return node.attr('data_format', 'NHWC').startsWith('NC') ? `NC${letters}` : `N${letters}C`;
}

/** An attribute with a number for each axis: those of the spatial axes. @type {(node: any, name: string, layout: string) => number[]} */
function perSpatial(node, name, layout) {
  const given = node.attr(name, []);
  const spatial = [...layout].flatMap((letter, axis) => (letter === 'N' || letter === 'C' ? [] : [axis]));
  if (given.length === spatial.length) return given;
  return spatial.map((axis) => given[axis] ?? 1);
}

/** @type {(node: any, layout: string) => any} the option `padding` */
function paddingOf(node, layout) {
  const name = node.attr('padding', 'VALID');
  if (name !== 'EXPLICIT') return name.toLowerCase();
  const list = node.attr('explicit_paddings', []);
  return [...layout].flatMap((letter, axis) => (letter === 'N' || letter === 'C' ? [] : [[list[2 * axis], list[2 * axis + 1]]]));
}

/** How a window moves. @type {(node: any, layout: string) => any} */
const slideOf = (node, layout) => ({
  layout, padding: paddingOf(node, layout), stride: perSpatial(node, 'strides', layout), dilation: perSpatial(node, 'dilations', layout),
});

/** @type {(cx: Builder, x: any, kernel: any, node: any) => any} */
function convolve(cx, x, kernel, node) {
  const layout = layoutOf(node, x.rank);
  const channels = x.shape[layout.indexOf('C')];
  const each = kernel.shape[kernel.rank - 2];
  const groups = typeof channels === 'number' && typeof each === 'number' ? Math.max(Math.trunc(channels / each), 1) : 1;
  return convolution.convolve(cx, x, kernel, { ...slideOf(node, layout), kernelLayout: `${SPATIAL[x.rank - 2]}IO`, groups });
}

/** Each channel by itself; a kernel has several results of each. @type {(cx: Builder, x: any, kernel: any, node: any) => any} */
function convolveDepthwise(cx, x, kernel, node) {
  const layout = layoutOf(node, x.rank);
  const [height, width, channels, times] = kernel.shape;
  const taps = kernel.reshape([height, width, 1, channels * times]);
  return convolution.convolve(cx, x, taps, { ...slideOf(node, layout), kernelLayout: 'HWIO', groups: channels });
}

/** To the size that is asked for. @type {Translation['translate']} */
function convolveTransposed(node, [sizes, kernel, given], cx) {
  const [x, taps] = [/** @type {any} */ (cx.value(given)), /** @type {any} */ (cx.value(kernel))];
  const layout = layoutOf(node, x.rank);
  const all = cx.sizes(sizes, 'the shape of the result');
  const spatial = [...layout].flatMap((letter, axis) => (letter === 'N' || letter === 'C' ? [] : [axis]));
  const size = all.length === x.rank ? spatial.map((axis) => all[axis]) : all;
  const { padding, ...slide } = slideOf(node, layout);
  if (Array.isArray(padding)) return cx.fail('ERR_UNSUPPORTED', 'explicit paddings');
  return convolution.convolveTransposed(cx, x, taps, { ...slide, padding, size, kernelLayout: `${SPATIAL[x.rank - 2]}OI` });
}

/** @type {(method: (cx: Builder, x: any, windows: any) => any) => Translation['translate']} */
const pool = (method) => (node, [given], cx) => {
  const x = /** @type {any} */ (cx.value(given));
  const layout = layoutOf(node, x.rank);
  const { padding, stride } = slideOf(node, layout);
  return method(cx, x, { window: perSpatial(node, 'ksize', layout), layout, padding, stride });
};

/** Places in the image with its channels, and in the batch if wanted. @type {Translation['translate']} */
function maxPoolWithArgmax(node, [given], cx) {
  const x = /** @type {any} */ (cx.value(given));
  const { padding, stride } = slideOf(node, 'NHWC');
  const windows = { window: perSpatial(node, 'ksize', 'NHWC'), layout: 'NHWC', padding, stride };
  const { values, indices } = convolution.maxPoolWithIndices(cx, x, windows);
  const [, height, width, channels] = x.shape;
  const channel = cx.iota([channels], 'i64');
  const places = indices.mul(cx.value(cx.sizeValue(channels))).add(channel);
  const area = () => cx.value(cx.sizeValue(timesSize(cx, timesSize(cx, height, width), channels)));
  const whole = node.attr('include_batch_in_index', false)
    ? places.add(/** @type {any} */ (cx.iota([x.shape[0], 1, 1, 1], 'i64')).mul(area()))
    : places;
  return [values, whole.astype(node.attr('Targmax', 'i64'))];
}

/** Least of sums with a filter turned about: greatest of sums. @type {Translation['translate']} */
function dilate(node, [given, filter], cx) {
  const [x, taps] = [/** @type {any} */ (cx.value(given)), /** @type {any} */ (cx.value(filter))];
  const [height, width] = taps.shape;
  if (listLength(height * width, 'the filter', cx) === 0) cx.fail('ERR_SHAPE', 'the filter is empty');
  const [stride, rate] = [perSpatial(node, 'strides', 'NHWC'), perSpatial(node, 'rates', 'NHWC')];
  const isSame = node.attr('padding', 'VALID') === 'SAME';
  const spans = [height, width].map((window, i) => {
    const reach = (window - 1) * rate[i] + 1;
    const size = x.shape[i + 1];
    if (typeof size !== 'number') return cx.fail('ERR_SHAPE', 'the size of the images has to be known');
    const total = isSame ? Math.max((Math.ceil(size / stride[i]) - 1) * stride[i] + reach - size, 0) : 0;
    const before = Math.floor(total / 2);
    return { before, after: total - before, count: Math.floor((size + total - reach) / stride[i]) + 1 };
  });
  const padded = x.pad([[0, 0], ...spans.map(({ before, after }) => [before, after]), [0, 0]], { value: -Infinity });
  const range = (/** @type {number} */ at, /** @type {number} */ i) => [at * rate[i], at * rate[i] + (spans[i].count - 1) * stride[i] + 1, stride[i]];
  const sums = Array.from({ length: height * width }, (_, place) => {
    const [row, column] = [Math.floor(place / width), place % width];
    return padded.slice(null, range(row, 0), range(column, 1), null).add(taps.slice(row, column, null));
  });
  return sums.reduce((a, b) => a.max(b));
}

/** @type {Record<string, (x: any, node: any, cx: Builder) => any>} */
const activations = {
  Relu: (x) => x.relu(), Relu6: (x) => x.relu6(), Elu: (x) => x.elu(),
  Sigmoid: (x) => x.sigmoid(), Tanh: (x) => x.tanh(),
  LeakyRelu: (x, node) => x.leakyRelu({ slope: node.attr('leakyrelu_alpha', 0.2) }),
  GeluExact: (x) => x.gelu(), GeluApproximate: (x) => x.gelu({ approximate: 'tanh' }),
};

/**
 * What is fused to an op, in order: a bias or a normalisation, then an activation.
 *
 * @param {any} result
 * @param {any} node
 * @param {readonly any[]} args
 * @param {Builder} cx
 * @param {string} layout
 * @returns {any}
 */
function fused(result, node, args, cx, layout) {
  let at = 0;
  return node.attr('fused_ops', []).reduce((/** @type {any} */ x, /** @type {string} */ name) => {
    if (name === 'BiasAdd') return withBias(x, cx.value(args[at++]), layout);
    if (name === 'FusedBatchNorm') {
      const [scale, offset, mean, variance] = args.slice(at, (at += 4)).map((each) => cx.value(each));
      return normalised(x, { scale, offset, mean, variance }, node.attr('epsilon', 1e-4), layout);
    }
    if (name === 'Prelu') {
      const slope = /** @type {any} */ (cx.value(args[at++]));
      return x.gt(0).select(x, x.mul(slope));
    }
    return Object.hasOwn(activations, name) ? activations[name](x, node, cx) : cx.fail('ERR_UNSUPPORTED', `${name} is fused to it`);
  }, result);
}

/** @type {(compute: (cx: Builder, x: any, kernel: any, node: any) => any) => Translation['translate']} */
const withFused = (compute) => (node, [given, kernel, ...args], cx) => {
  const x = /** @type {any} */ (cx.value(given));
  return fused(compute(cx, x, cx.value(kernel), node), node, args, cx, layoutOf(node, x.rank));
};

/** Elements of channels in a shape that goes with a layout. @type {(value: any, rank: number, layout: string) => any} */
const alongChannels = (value, rank, layout) => (layout.startsWith('NC') && rank > 2 ? value.reshape([...value.shape, ...Array(rank - 2).fill(1)]) : value);

/** @type {(x: any, of: { scale: any, offset: any, mean: any, variance: any }, epsilon: number, layout: string) => any} */
function normalised(x, { scale, offset, mean, variance }, epsilon, layout) {
  const factor = scale.mul(variance.add(epsilon).sqrt().reciprocal());
  const [by, least, shift] = [factor, mean, offset].map((each) => alongChannels(each, x.rank, layout));
  return x.astype(by.dtype).sub(least).mul(by).add(shift).astype(x.dtype);
}

/** @type {import('./index.js').Row} */
const batchNorm = {
  outputs: ['y', 'batch_mean', 'batch_variance', 'reserve_space_1', 'reserve_space_2', 'reserve_space_3'],
  translate: (node, inputs, cx) => {
    if (inputs.length < 5) cx.fail('ERR_PARSE', `there are ${inputs.length} inputs, expected 5`);
    const [x, scale, offset, ...rest] = inputs.map((each) => /** @type {any} */ (cx.value(each)));
    const layout = layoutOf(node, x.rank);
    const isTraining = node.attr('is_training', true);
    const axis = [...layout].flatMap((letter, i) => (letter === 'C' ? [] : [i]));
    const [mean, variance] = isTraining ? [x.mean({ axis }), x.var({ axis })] : rest;
    const y = normalised(x, { scale, offset, mean, variance }, node.attr('epsilon', 1e-4), layout);
    return [y, mean, variance, mean, variance, mean];
  },
};

/** @type {Translation['translate']} */
function localResponseNorm(node, [given], cx) {
  const x = /** @type {any} */ (cx.value(given));
  const radius = node.attr('depth_radius', 5);
  const window = x.shape.map((/** @type {any} */ _, /** @type {number} */ i) => (i === x.rank - 1 ? 2 * radius + 1 : 1));
  const padding = window.map((/** @type {number} */ each) => (each === 1 ? 0 : radius));
  const total = x.square().windowSum(window, { padding });
  return x.div(total.mul(node.attr('alpha', 1)).add(node.attr('bias', 1)).pow(node.attr('beta', 0.5)));
}

/** @type {(name: string) => Translation['translate']} */
const rowwise = (name) => (_, [x], cx) => /** @type {any} */ (cx.value(x))[name]({ axis: axisOf(-1, cx.shape(x).length, cx) });

/** @type {Translation['translate']} */
const max = pool(convolution.maxPool);
/** Padding doesn't count. @type {Translation['translate']} */
const mean = pool((cx, x, windows) => convolution.averagePool(cx, x, windows, false));

const [plain, depthwise] = [withFused(convolve), withFused(convolveDepthwise)];

/** @type {import('./index.js').Table} */
const ops = {
  Conv1D: plain, Conv2D: plain, Conv3D: plain, _FusedConv2D: plain,
  DepthwiseConv2dNative: depthwise, DepthwiseConv2d: depthwise,
  FusedDepthwiseConv2dNative: depthwise, _FusedDepthwiseConv2dNative: depthwise,
  Conv2DBackpropInput: convolveTransposed, Conv3DBackpropInputV2: convolveTransposed, Dilation2D: dilate,
  MaxPool: max, MaxPool3D: max, AvgPool: mean, AvgPool3D: mean,
  MaxPoolV2: (node, [x, window, stride], cx) => {
    /** @type {Record<string, any>} */
    const given = { ksize: cx.ints(window, 'the window'), strides: cx.ints(stride, 'the strides') };
    return max({ attr: (/** @type {string} */ name, /** @type {any} */ initial) => given[name] ?? node.attr(name, initial) }, [x], cx);
  },
  MaxPoolWithArgmax: { translate: maxPoolWithArgmax, outputs: ['output', 'argmax'] },
  FusedBatchNorm: batchNorm, FusedBatchNormV2: batchNorm, FusedBatchNormV3: batchNorm, LRN: localResponseNorm,
  Softmax: rowwise('softmax'), LogSoftmax: rowwise('logSoftmax'),
};

module.exports = { activations, fused, ops };
