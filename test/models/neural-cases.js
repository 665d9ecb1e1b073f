// Single nodes of layers, with symbolic sizes: what the recorded cases of ONNX leave out. Their results are in
// neural-results.json, as ONNX Runtime 1.30 gave them; `node test/models/record.js PATH` writes it, with the path of
// onnxruntime-node.
'use strict';

const { tensor } = require('graphjit');

/**
 * @typedef {object} Case
 * @property {string} op
 * @property {Record<string, any>} [attributes]
 * @property {readonly (readonly [shape: readonly (number | string)[], sizes?: readonly number[] | import('graphjit').Tensor, dtype?: string] | null | any)[]} inputs
 *   the type of each, and the sizes of this run, or its data; null for one left out; or a tensor, which is an initializer
 * @property {number} [outputs]
 * @property {number} [version]
 */

/** Numbers between -1 and 1, the same each time. @type {(sizes: readonly number[], seed: number, dtype?: any) => any} */
function numbers(sizes, seed, dtype = 'f32') {
  const count = sizes.reduce((total, size) => total * size, 1);
  const data = Array.from({ length: count }, (_, i) => Math.fround(Math.sin((i + 1) * 12.9898 + seed * 78.233)));
  return tensor(data, { dtype: 'f32' }).reshape([...sizes]).astype(dtype);
}

const image = (/** @type {number} */ h, /** @type {number} */ w) => [['n', 3, 'h', 'w'], [2, 3, h, w]];
const line = (/** @type {number} */ w) => [['n', 2, 'w'], [2, 2, w]];
const f = (/** @type {number} */ number) => ({ f: number });
const i64 = (/** @type {number[]} */ ...list) => tensor(list.map(BigInt), { dtype: 'i64' });
const i32 = (/** @type {number[]} */ ...list) => tensor(list, { dtype: 'i32' });

/** @type {Record<string, Case>} */
const cases = {};

// Convolutions: padding by name, with sizes that divide by the stride and some that don't.
for (const [h, w] of [[7, 6], [8, 9], [5, 11]]) {
  for (const auto_pad of ['SAME_UPPER', 'SAME_LOWER']) {
    const each = { auto_pad, strides: [2, 3], kernel_shape: [3, 4] };
    cases[`conv ${auto_pad} ${h}x${w}`] = { op: 'Conv', attributes: each, inputs: [image(h, w), [[4, 3, 3, 4]], [[4]]] };
    cases[`maxpool ${auto_pad} ${h}x${w}`] = { op: 'MaxPool', attributes: each, inputs: [image(h, w)], outputs: 2 };
    cases[`averagepool ${auto_pad} ${h}x${w}`] = { op: 'AveragePool', attributes: each, inputs: [image(h, w)] };
    cases[`averagepool with padding ${auto_pad} ${h}x${w}`] = { op: 'AveragePool', attributes: { ...each, count_include_pad: 1 }, inputs: [image(h, w)] };
  }
}
cases['conv SAME_UPPER of windows shorter than the stride'] = { op: 'Conv', attributes: { auto_pad: 'SAME_UPPER', strides: [3] }, inputs: [line(10), [[4, 2, 2]]] };
cases['maxpool SAME_UPPER of a known height'] = { op: 'MaxPool', attributes: { auto_pad: 'SAME_UPPER', strides: [2, 2], kernel_shape: [3, 3] }, inputs: [[['n', 3, 5, 'w'], [2, 3, 5, 6]]], outputs: 2 };
cases['conv VALID'] = { op: 'Conv', attributes: { auto_pad: 'VALID', strides: [2, 2] }, inputs: [image(7, 6), [[4, 3, 3, 2]]] };
cases['conv padded unevenly'] = { op: 'Conv', attributes: { pads: [1, 0, 2, 3], strides: [2, 1] }, inputs: [image(7, 6), [[2, 3, 3, 3]], [[2]]] };

// Pools with ceil mode and dilations.
for (const size of [7, 8, 9, 10]) {
  const each = { kernel_shape: [3], strides: [2], pads: [1, 1], ceil_mode: 1 };
  const gaps = { kernel_shape: [2], strides: [3], ceil_mode: 1 };
  cases[`maxpool ceil ${size}`] = { op: 'MaxPool', attributes: each, inputs: [line(size)], outputs: 2 };
  cases[`maxpool ceil with gaps ${size}`] = { op: 'MaxPool', attributes: gaps, inputs: [line(size)], outputs: 2 };
  cases[`averagepool ceil ${size}`] = { op: 'AveragePool', attributes: each, inputs: [line(size)] };
  cases[`averagepool ceil with gaps ${size}`] = { op: 'AveragePool', attributes: gaps, inputs: [line(size)] };
  cases[`maxpool dilated ${size}`] = { op: 'MaxPool', attributes: { kernel_shape: [3], dilations: [2], strides: [2], pads: [1, 0] }, inputs: [line(size)], outputs: 2 };
  cases[`averagepool dilated ${size}`] = { op: 'AveragePool', version: 19, attributes: { kernel_shape: [2], dilations: [3] }, inputs: [line(size)] };
  cases[`lppool ${size}`] = { op: 'LpPool', version: 18, attributes: { kernel_shape: [3], strides: [2], pads: [1, 1], p: 3 }, inputs: [line(size)] };
}
cases['maxpool column major'] = { op: 'MaxPool', attributes: { kernel_shape: [2, 2], strides: [2, 1], storage_order: 1 }, inputs: [image(6, 5)], outputs: 2 };
cases['maxpool column major SAME_LOWER'] = { op: 'MaxPool', attributes: { kernel_shape: [3, 2], strides: [2, 2], auto_pad: 'SAME_LOWER', storage_order: 1 }, inputs: [image(6, 5)], outputs: 2 };
cases['globallppool'] = { op: 'GlobalLpPool', version: 21, attributes: { p: 3 }, inputs: [image(4, 5)] };
cases['maxroipool'] = {
  op: 'MaxRoiPool', version: 21, attributes: { pooled_shape: [2, 3], spatial_scale: f(0.5) },
  inputs: [[['n', 2, 'h', 'w'], [2, 2, 8, 9]], tensor([[0, 1, 2, 9, 11], [1, 0, 0, 17, 15], [1, 5, 5, 5, 5], [0, -4, -2, 3, 40]], { dtype: 'f32' })],
};

// Transposed convolutions.
for (const auto_pad of ['SAME_UPPER', 'SAME_LOWER'])
  cases[`convtranspose ${auto_pad}`] = { op: 'ConvTranspose', attributes: { auto_pad, strides: [2, 3], kernel_shape: [3, 4] }, inputs: [image(4, 5), [[3, 2, 3, 4]], [[2]]] };
cases['convtranspose output_padding'] = { op: 'ConvTranspose', attributes: { strides: [3, 2], pads: [1, 0, 1, 1], output_padding: [2, 1], group: 3 }, inputs: [image(4, 5), [[3, 2, 3, 4]]] };
cases['convtranspose dilated'] = { op: 'ConvTranspose', attributes: { strides: [2], dilations: [3], pads: [1, 2] }, inputs: [line(5), [[2, 3, 3]], [[3]]] };
cases['convtranspose of a known height'] = { op: 'ConvTranspose', attributes: { strides: [2, 2], pads: [1, 0, 1, 0] }, inputs: [[['n', 3, 4, 'w'], [2, 3, 4, 5]], [[3, 2, 4, 2]]] };
cases['convtranspose output_shape'] = { op: 'ConvTranspose', attributes: { strides: [3, 2], output_shape: [10, 8] }, inputs: [[['n', 3, 3, 3], [2, 3, 3, 3]], [[3, 2, 3, 3]]] };
cases['convtranspose output_shape of a symbolic size'] = { op: 'ConvTranspose', attributes: { strides: [2], output_shape: [9] }, inputs: [line(5), [[2, 3, 4]]] };

// Recurrent layers.
const layers = /** @type {const} */ ({ RNN: [1, 1], GRU: [3, 1], LSTM: [4, 2] });
/** @type {(op: keyof typeof layers, attributes: Record<string, any>, use?: { bias?: boolean, lengths?: boolean, initial?: boolean, peepholes?: boolean }) => Case} */
function recurrent(op, attributes, { bias = true, lengths = false, initial = false, peepholes = false } = {}) {
  const [gates, states] = layers[op];
  const [d, h] = [attributes.direction === 'bidirectional' ? 2 : 1, 3];
  const state = initial ? [[d, 'b', h], [d, 2, h]] : null;
  return {
    op, attributes: { hidden_size: h, ...attributes }, outputs: 1 + states,
    inputs: [
      [['t', 'b', 2], [5, 2, 2]], [[d, gates * h, 2]], [[d, gates * h, h]], bias ? [[d, 2 * gates * h]] : null,
      lengths ? [['b'], i32(3, 5)] : null, ...Array(states).fill(state), ...(peepholes ? [[[d, 3 * h]]] : []),
    ],
  };
}
for (const op of /** @type {const} */ (['RNN', 'GRU', 'LSTM'])) {
  const count = { RNN: 1, GRU: 2, LSTM: 3 }[op];
  for (const direction of ['forward', 'reverse', 'bidirectional']) {
    cases[`${op} ${direction}`] = recurrent(op, { direction }, { initial: true });
    cases[`${op} ${direction} of lengths`] = recurrent(op, { direction }, { lengths: true, initial: true });
  }
  const names = ['LeakyRelu', 'HardSigmoid', 'ScaledTanh'].slice(0, count);
  cases[`${op} activations`] = recurrent(op, {
    activations: names, activation_alpha: { floats: [0.3, 0.25, 1.5].slice(0, count) }, activation_beta: { floats: [0.4, 0.75].slice(0, Math.max(count - 1, 0)) },
  });
  cases[`${op} activations both ways`] = recurrent(op, {
    direction: 'bidirectional', activations: [...['Affine', 'Softsign', 'Elu'].slice(0, count), ...['ThresholdedRelu', 'Softplus', 'Relu'].slice(0, count)],
    activation_alpha: { floats: count === 3 ? [0.5, 0.7, 0.2] : [0.5, 0.2] }, activation_beta: { floats: [0.1] },
  });
  cases[`${op} clip`] = recurrent(op, { clip: f(0.25) }, { bias: false });
}
cases['GRU linear before reset'] = recurrent('GRU', { linear_before_reset: 1, direction: 'bidirectional' }, { lengths: true });
cases['LSTM peepholes'] = recurrent('LSTM', { direction: 'bidirectional' }, { peepholes: true, initial: true });
cases['LSTM input_forget'] = recurrent('LSTM', { input_forget: 1 }, { peepholes: true });

// Normalisations.
const channels = (/** @type {number} */ c) => [[c]];
cases['lpnormalization'] = { op: 'LpNormalization', attributes: { axis: 1, p: 1 }, inputs: [image(2, 3)] };
cases['groupnormalization'] = { op: 'GroupNormalization', version: 21, attributes: { num_groups: 2 }, inputs: [[['n', 4, 'h', 'w'], [2, 4, 3, 2]], channels(4), channels(4)] };
cases['layernormalization'] = { op: 'LayerNormalization', attributes: { axis: -2 }, inputs: [image(4, 3), [['h', 'w'], [4, 3]], [['h', 'w'], [4, 3]]], outputs: 3 };
cases['rmsnormalization'] = { op: 'RMSNormalization', version: 23, attributes: { axis: -1 }, inputs: [[['n', 's', 6], [2, 3, 6]], channels(6)] };
cases['instancenormalization'] = { op: 'InstanceNormalization', inputs: [image(4, 3), channels(3), channels(3)] };

// Images.
cases['resize linear by sizes'] = { op: 'Resize', attributes: { mode: 'linear' }, inputs: [image(5, 4), null, null, i64(2, 3, 7, 9)] };
cases['resize cubic by scales'] = { op: 'Resize', attributes: { mode: 'cubic', cubic_coeff_a: f(-0.5), exclude_outside: 1 }, inputs: [image(5, 4), null, tensor([1, 1, 1.5, 2], { dtype: 'f32' })] };
cases['resize before version 11'] = { op: 'Resize', version: 10, attributes: { mode: 'nearest' }, inputs: [image(5, 4), tensor([1, 1, 0.6, 2], { dtype: 'f32' })] };
cases['upsample'] = { op: 'Upsample', version: 9, attributes: { mode: 'linear' }, inputs: [image(5, 4), tensor([1, 1, 2, 3], { dtype: 'f32' })] };
cases['gridsample reflection'] = { op: 'GridSample', version: 16, attributes: { mode: 'bicubic', padding_mode: 'reflection' }, inputs: [image(5, 4), [['n', 'a', 'b', 2], [2, 3, 2, 2]]] };
cases['affinegrid'] = { op: 'AffineGrid', version: 20, attributes: { align_corners: 0 }, inputs: [[['n', 2, 3], [2, 2, 3]], i64(2, 3, 4, 5)] };
cases['roialign'] = {
  op: 'RoiAlign', version: 16, attributes: { output_height: 2, output_width: 3, sampling_ratio: 2, spatial_scale: f(0.5) },
  inputs: [image(8, 9), tensor([[1, 2, 9, 11], [0, 0, 15, 14.5]], { dtype: 'f32' }), i64(1, 0)],
};
cases['col2im'] = { op: 'Col2Im', version: 18, attributes: { strides: [2, 1], pads: [1, 0, 1, 0], dilations: [1, 2] }, inputs: [[['n', 8, 12], [2, 8, 12]], i64(6, 5), i64(2, 2)] };
cases['centercroppad'] = { op: 'CenterCropPad', version: 18, attributes: { axes: [1, 2] }, inputs: [[['n', 'h', 'w', 2], [1, 5, 4, 2]], i64(3, 7)] };
cases['depthtospace'] = { op: 'DepthToSpace', attributes: { blocksize: 2, mode: 'CRD' }, inputs: [[['n', 8, 'h', 'w'], [2, 8, 2, 3]]] };

// Attention.
const heads = (/** @type {number} */ count, /** @type {string} */ places, /** @type {number} */ size) => [['b', count, places, 4], [2, count, size, 4]];
cases['attention causal with a past'] = {
  op: 'Attention', version: 23, attributes: { is_causal: 1 }, outputs: 3,
  inputs: [heads(4, 's', 3), heads(2, 's', 3), heads(2, 's', 3), null, heads(2, 'p', 2), heads(2, 'p', 2)],
};
cases['attention with a mask, of rank 3'] = {
  op: 'Attention', version: 23, attributes: { q_num_heads: 4, kv_num_heads: 2, softcap: f(2), scale: f(0.3) },
  inputs: [[['b', 's', 16], [2, 3, 16]], [['b', 'k', 8], [2, 5, 8]], [['b', 'k', 8], [2, 5, 8]], [['s', 'k'], [3, 5]]],
};
for (const interleaved of [0, 1])
  cases[`rotaryembedding ${interleaved}`] = {
    op: 'RotaryEmbedding', version: 23, attributes: { interleaved, rotary_embedding_dim: 4, num_heads: 2 },
    inputs: [[['b', 's', 12], [2, 3, 12]], [[8, 2]], [[8, 2]], [['b', 's'], tensor([[0n, 1n, 2n], [5n, 3n, 7n]], { dtype: 'i64' })]],
  };

// Others.
cases['deformconv'] = {
  op: 'DeformConv', version: 19, attributes: { strides: [2, 1], pads: [1, 0, 1, 1], offset_group: 2, group: 2 },
  inputs: [[['n', 4, 'h', 'w'], [2, 4, 5, 4]], [[6, 2, 3, 2]], [['n', 24, 'a', 'b'], [2, 24, 3, 4]], [[6]], [['n', 12, 'a', 'b'], [2, 12, 3, 4]]],
};
cases['tensorscatter'] = {
  op: 'TensorScatter', version: 24, attributes: { axis: 1, mode: 'circular' },
  inputs: [[['b', 'm', 2], [2, 5, 2]], [['b', 's', 2], [2, 3, 2]], [['b'], i64(1, 4)]],
};
cases['stft'] = { op: 'STFT', version: 17, inputs: [[['b', 'n', 1], [2, 20, 1]], tensor(4n, { dtype: 'i64' }), [[8]]] };
cases['dft'] = { op: 'DFT', version: 20, attributes: { onesided: 1 }, inputs: [[['b', 'n', 1], [2, 10, 1]]] };
cases['stft of both sides, without a window'] = { op: 'STFT', version: 17, attributes: { onesided: 0 }, inputs: [[['b', 'n', 1], [2, 20, 1]], tensor(3n, { dtype: 'i64' }), null, tensor(6n, { dtype: 'i64' })] };
cases['dft cut off, along an axis'] = { op: 'DFT', version: 20, inputs: [[['b', 'n', 3, 2], [2, 10, 3, 2]], tensor(7n, { dtype: 'i64' }), tensor(1n, { dtype: 'i64' })] };
cases['dft backwards, filled up'] = { op: 'DFT', version: 17, attributes: { inverse: 1, axis: 1 }, inputs: [[['b', 'n', 2], [2, 5, 2]], tensor(8n, { dtype: 'i64' })] };
cases['det'] = { op: 'Det', inputs: [[['b', 4, 4], [3, 4, 4]]] };

module.exports = { cases, numbers };
