/**
 * Convolutions, and normalisations.
 */
'use strict';

/** @typedef {import('../call.js').Call} Call */

/** The same at both ends of each axis. @type {(widths: readonly number[]) => [number, number][]} */
const bothEnds = (widths) => widths.map((width) => [width, width]);

/** 'same' and 'valid' of PyTorch; with 'same' an odd element goes behind. @type {(call: Call, count: number) => any} */
function paddingOf(call, count) {
  const { padding } = call.args;
  if (typeof padding === 'string') return padding;
  return bothEnds(call.perAxis('padding', count));
}

/** Runs something for one image as for a batch of one. @type {(value: any, rank: number, run: (batch: any) => any) => any} */
function batched(value, rank, run) {
  if (value.rank === rank) return run(value);
  const result = run(value.expandDims(0));
  return Array.isArray(result) ? result.map((each) => each && each.squeeze(0)) : result.squeeze(0);
}

/** @type {(call: Call, transposed: boolean) => any} */
function convolve(call, transposed) {
  const [value, kernel] = call.alike('self', 'weight');
  const count = kernel.rank - 2;
  const options = {
    stride: call.perAxis('stride', count),
    padding: paddingOf(call, count),
    dilation: call.perAxis('dilation', count),
    groups: call.int('groups'),
    ...(call.has('bias') ? { bias: call.value('bias', value.dtype) } : {}),
  };
  return batched(value, kernel.rank, (x) =>
    transposed ? x.convTranspose(kernel, { ...options, outputPadding: call.perAxis('output_padding', count) }) : x.conv(kernel, options));
}

/** @type {(call: Call) => any} */
const conv = (call) => convolve(call, false);
/** @type {(call: Call) => any} */
const convTransposed = (call) => convolve(call, true);
/** @type {(call: Call) => any} */
const convolution = (call) => convolve(call, call.flag('transposed'));

/** @type {(call: Call) => { scale?: any, bias?: any, epsilon: number }} */
const affine = (call) => ({
  ...(call.has('weight') ? { scale: call.value('weight') } : {}),
  ...(call.has('bias') ? { bias: call.value('bias') } : {}),
  epsilon: call.number('eps'),
});

/** With the statistics of the batch where there are no others. @type {(call: Call) => any} */
function batchNorm(call) {
  const value = call.value();
  if (!call.flag('training') && call.has('running_mean')) return value.batchNorm(call.value('running_mean'), call.value('running_var'), affine(call));
  const { mean, variance } = batchStatistics(value);
  return value.batchNorm(mean, variance, affine(call));
}

/** @type {(value: any) => { mean: any, variance: any }} over all axes but the channels */
function batchStatistics(value) {
  const axis = Array.from({ length: value.rank }, (_, i) => i).filter((i) => i !== 1);
  return { mean: value.mean({ axis }), variance: value.var({ axis }) };
}

/** Over the last axes. @type {(call: Call, name: string) => { value: any, count: number }} */
const normalized = (call, name) => ({ value: call.value(), count: call.args[name].length });

/** @type {(value: any, count: number) => any} */
const joined = (value, count) =>
  count === 1 ? value : value.reshape([...value.shape.slice(0, value.rank - count), -1]);

/** Rows are those of the last axes together. @type {(call: Call) => any} */
function layerNorm(call) {
  const { value, count } = normalized(call, 'normalized_shape');
  const [scale, bias] = ['weight', 'bias'].map((name) => (call.has(name) ? joined(call.value(name), count) : undefined));
  const rows = joined(value, count);
  const result = rows.layerNorm({ ...(scale ? { scale } : {}), ...(bias ? { bias } : {}), epsilon: call.number('eps') });
  return count === 1 ? result : result.reshape([...value.shape]);
}

/**
 * What backward passes want as well: mean and one by the standard deviation.
 *
 * @type {(value: any, axis: number[], epsilon: number) => any[]}
 */
function statistics(value, axis, epsilon) {
  const options = { axis, keepDims: true };
  return [value.mean(options), value.var(options).add(epsilon).sqrt().reciprocal()];
}

/** @type {(call: Call) => any} */
function nativeLayerNorm(call) {
  const { value, count } = normalized(call, 'normalized_shape');
  const axes = Array.from({ length: count }, (_, i) => value.rank - count + i);
  return [layerNorm(call), ...statistics(value, axes, call.number('eps'))];
}

/** @type {(call: Call) => any} */
const groupNorm = (call) => call.value().groupNorm(call.int('num_groups'), affine(call));

/** @type {(call: Call) => any} */
function nativeGroupNorm(call) {
  const value = call.value();
  const groups = call.int('num_groups');
  const rows = value.reshape([value.shape[0], groups, -1]);
  return [value.groupNorm(groups, affine(call)), ...statistics(rows, [2], call.number('eps')).map((each) => each.squeeze(2))];
}

/** @type {(call: Call) => any} */
function nativeBatchNorm(call) {
  return [batchNorm(call), null, null]; // what only training asks for
}

/** @type {(call: Call) => any} */
function instanceNorm(call) {
  const value = call.value();
  if (call.flag('use_input_stats')) return value.instanceNorm(affine(call));
  return value.batchNorm(call.value('running_mean'), call.value('running_var'), affine(call));
}

/** @type {(call: Call) => any} */
function rmsNorm(call) {
  const { value, count } = normalized(call, 'normalized_shape');
  const epsilon = call.has('eps') ? call.number('eps') : 2 ** -23;
  const scale = call.has('weight') ? { scale: joined(call.value('weight'), count) } : {};
  const result = joined(value, count).rmsNorm({ ...scale, epsilon });
  return count === 1 ? result : result.reshape([...value.shape]);
}

/** @type {(call: Call) => any} elements divided by a norm, which is at least epsilon */
function normalize(call) {
  const value = call.value();
  const norm = value.vectorNorm({ ord: call.number('p'), axis: call.axes('dim', value.rank), keepDims: true });
  return value.div(norm.max(call.number('eps')));
}

/** @type {(call: Call) => any} a weight of its direction and its lengths along an axis */
function weightNorm(call) {
  const v = call.value('v');
  const axis = call.int('dim');
  const others = Array.from({ length: v.rank }, (_, i) => i).filter((i) => i !== (axis < 0 ? axis + v.rank : axis));
  return v.mul(call.value('g').div(v.vectorNorm({ axis: others, keepDims: true })));
}

const STATISTICS = 'running_mean=None, running_var=None';
const CONV = 'self|input, weight, bias=None, stride=1, padding=0';

/** @type {import('./index.js').Ops} */
const ops = {
  ...Object.fromEntries([1, 2, 3].flatMap((n) => [
    [`conv${n}d(${CONV}, dilation=1, groups=1)`, conv],
    [`conv_transpose${n}d(${CONV}, output_padding=0, groups=1, dilation=1)`, convTransposed],
  ])),
  '_convolution(self|input, weight, bias, stride, padding, dilation, transposed, output_padding, groups, benchmark=False, deterministic=False, cudnn_enabled=False, allow_tf32=False)': convolution,
  'convolution(self|input, weight, bias, stride, padding, dilation, transposed, output_padding, groups)': convolution,
  '_convolution_mode(self|input, weight, bias, stride, padding, dilation, groups)': conv,
  'mkldnn_convolution(self, weight, bias, padding, stride, dilation, groups)': conv,
  [`batch_norm(self|input, weight, bias, ${STATISTICS}, training=False, momentum=0.1, eps=1e-05, cudnn_enabled=False)`]: batchNorm,
  [`native_batch_norm(self|input, weight, bias, ${STATISTICS}, training=False, momentum=0.1, eps=1e-05)`]: nativeBatchNorm,
  [`_native_batch_norm_legit_no_training(self|input, weight, bias, ${STATISTICS}, momentum=0.1, eps=1e-05)`]: nativeBatchNorm,
  [`_native_batch_norm_legit(self|input, weight, bias, ${STATISTICS}, training=False, momentum=0.1, eps=1e-05)`]: nativeBatchNorm,
  [`_batch_norm_impl_index(self|input, weight, bias, ${STATISTICS}, training=False, momentum=0.1, eps=1e-05, cudnn_enabled=False)`]: nativeBatchNorm,
  [`instance_norm(self|input, weight=None, bias=None, ${STATISTICS}, use_input_stats=True, momentum=0.1, eps=1e-05, cudnn_enabled=False)`]: instanceNorm,
  'layer_norm(self|input, normalized_shape, weight=None, bias=None, eps=1e-05, cudnn_enable=False)': layerNorm,
  'native_layer_norm(self|input, normalized_shape, weight, bias, eps)': nativeLayerNorm,
  'group_norm(self|input, num_groups, weight=None, bias=None, eps=1e-05, cudnn_enabled=False)': groupNorm,
  'native_group_norm(self|input, weight, bias, N, C, HxW, num_groups|group, eps)': nativeGroupNorm,
  'rms_norm(self|input, normalized_shape, weight=None, eps=None)': rmsNorm,
  'normalize(self, p=2, dim=1, eps=1e-12)': normalize,
  '_weight_norm(v, g, dim=0)': weightNorm, '_weight_norm_interface(v, g, dim=0)': (call) => [weightNorm(call), null],
  'local_response_norm(self, size, alpha=0.0001, beta=0.75, k=1.0)': (call) =>
    call.value().localResponseNorm(call.int('size'), { alpha: call.number('alpha'), beta: call.number('beta'), k: call.number('k') }),
};

module.exports = { batched, bothEnds, ops };
