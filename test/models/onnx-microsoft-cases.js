// Nodes of domain com.microsoft and their operands. What they give is in onnx-microsoft.json, by onnxruntime 1.30 (onnx-record.js).
'use strict';

const { tensor } = require('graphjit');
const { operands } = require('../support/onnx-node.js');

const { floats, ints } = operands(5);
const f32 = (/** @type {any} */ list) => tensor(list, { dtype: 'f32' });
const i32 = (/** @type {any} */ list) => tensor(list, { dtype: 'i32' });
const i64 = (/** @type {number[]} */ list) => tensor(list.map(BigInt), { dtype: 'i64' });
const u8 = (/** @type {any} */ list) => tensor(list, { dtype: 'u8' });
const i8 = (/** @type {any} */ list) => tensor(list, { dtype: 'i8' });
/** Angles of rotary embeddings. @type {(places: number, half: number) => { cos: any, sin: any }} */
const tables = (places, half) => {
  const angles = Array.from({ length: places * half }, (_, i) => Math.floor(i / half) * 10 ** -(i % half));
  const table = (/** @type {(x: number) => number} */ fn) => tensor(angles.map(fn), { dtype: 'f32', shape: [places, half] });
  return { cos: table(Math.cos), sin: table(Math.sin) };
};
/** Keys and values of a past. */
const past = (/** @type {readonly number[]} */ shape) => ({ pk: floats(shape), pv: floats(shape) });

/** @type {Record<string, import('../support/onnx-node.js').OneNode & { tolerance?: number }>} */
const cases = {
  'FusedMatMul': { op: 'FusedMatMul', attributes: { transA: 1, alpha: { f: 0.5 } }, inputs: { a: floats([2, 4, 3]), b: floats([2, 4, 5]) } },
  'FusedMatMul, both transposed': { op: 'FusedMatMul', attributes: { transA: 1, transB: 1 }, inputs: { a: floats([4, 3]), b: floats([5, 4]) } },
  'FusedMatMul, batch transposed': { op: 'FusedMatMul', attributes: { transBatchA: 1 }, inputs: { a: floats([3, 2, 4]), b: floats([2, 4, 5]) } },
  'FusedMatMul, batch of both transposed': { op: 'FusedMatMul', attributes: { transBatchA: 1, transBatchB: 1, transB: 1 }, inputs: { a: floats([3, 2, 4]), b: floats([5, 2, 4]) } },
  'TransposeMatMul': { op: 'TransposeMatMul', attributes: { transB: 1 }, inputs: { a: floats([2, 3, 4]), b: floats([2, 5, 4]) } },
  'FusedGemm': { op: 'FusedGemm', attributes: { activation: 'LeakyRelu', activation_alpha: { f: 0.2 }, alpha: { f: 0.5 }, transB: 1 }, inputs: { a: floats([2, 4]), b: floats([3, 4]), c: floats([3]) } },
  'FusedGemm, hard sigmoid': { op: 'FusedGemm', attributes: { activation: 'HardSigmoid', activation_alpha: { f: 0.1 }, activation_beta: { f: 0.4 } }, inputs: { a: floats([2, 4]), b: floats([4, 3]) } },
  'FusedConv': { op: 'FusedConv', attributes: { activation: 'Relu', pads: [1, 1, 1, 1], kernel_shape: [3, 3] }, inputs: { x: floats([1, 2, 4, 4]), w: floats([3, 2, 3, 3]), b: floats([3]), z: floats([1, 3, 4, 4]) } },
  'FusedConv, clipped': { op: 'FusedConv', attributes: { activation: 'Clip', activation_params: { floats: [-1, 1.5] } }, inputs: { x: floats([1, 2, 4, 4]), w: floats([3, 2, 3, 3]) } },
  'NhwcMaxPool': { op: 'NhwcMaxPool', attributes: { kernel_shape: [2, 2], strides: [2, 2] }, inputs: { x: ints([1, 4, 6, 2], 'u8', 0, 255) } },
  'Gelu': { op: 'Gelu', inputs: { x: floats([9]) } },
  'FastGelu': { op: 'FastGelu', inputs: { x: floats([2, 5]), b: floats([5]) } },
  'BiasGelu': { op: 'BiasGelu', inputs: { x: floats([2, 5]), b: floats([5]) } },
  'QuickGelu': { op: 'QuickGelu', attributes: { alpha: { f: 1.5 } }, inputs: { x: floats([9]) } },
  'SkipLayerNormalization': { op: 'SkipLayerNormalization', attributes: { epsilon: { f: 1e-5 } }, inputs: { x: floats([2, 3, 8]), s: floats([2, 3, 8]), g: floats([8]), b: floats([8]), bias: floats([8]) }, outputs: ['y', null, null, 'sum'] },
  'SkipLayerNormalization, a skip for all': { op: 'SkipLayerNormalization', inputs: { x: floats([2, 3, 8]), s: floats([3, 8]), g: floats([8]) } },
  'SimplifiedLayerNormalization': { op: 'SimplifiedLayerNormalization', attributes: { axis: -1, epsilon: { f: 1e-6 } }, inputs: { x: floats([2, 3, 8]), g: floats([8]) }, opsets: { '': 21 } },
  'SkipSimplifiedLayerNormalization': { op: 'SkipSimplifiedLayerNormalization', attributes: { epsilon: { f: 1e-6 } }, inputs: { x: floats([2, 3, 8]), s: floats([2, 3, 8]), g: floats([8]), bias: floats([8]) }, outputs: ['y', null, null, 'sum'] },
  'EmbedLayerNormalization': { op: 'EmbedLayerNormalization', attributes: { epsilon: { f: 1e-6 } }, inputs: { ids: ints([2, 3], 'i32', 0, 4), seg: ints([2, 3], 'i32', 0, 1), w: floats([5, 8]), p: floats([6, 8]), st: floats([2, 8]), g: floats([8]), b: floats([8]), m: i32([[1, 1, 0], [1, 1, 1]]) }, outputs: ['y', 'mask', 'sum'] },
  'EmbedLayerNormalization, places given': { op: 'EmbedLayerNormalization', inputs: { ids: ints([2, 3], 'i32', 0, 4), seg: null, w: floats([5, 8]), p: floats([6, 8]), st: null, g: floats([8]), b: floats([8]), m: null, at: i32([[3, 1, 2], [0, 5, 4]]) }, outputs: ['y', 'mask'] },
  'CDist': { op: 'CDist', attributes: { metric: 'euclidean' }, inputs: { a: floats([3, 4]), b: floats([2, 4]) } },
  'CDist, squared': { op: 'CDist', attributes: { metric: 'sqeuclidean' }, inputs: { a: floats([3, 4]), b: floats([2, 4]) } },
  'Unique': { op: 'Unique', inputs: { x: f32([2, 1, 1, 3, 4, 3]) }, outputs: ['y', 'i', 'c'] },
  'ExpandDims': { op: 'ExpandDims', inputs: { x: floats([2, 3]), a: i32(-1) }, known: ['a'] },
  'Pad': { op: 'Pad', attributes: { mode: 'constant' }, inputs: { x: floats([2, 3]), p: i64([0, 2, 1, 0]), v: f32([1.5]) }, known: ['p'] },
  'Range': { op: 'Range', inputs: { a: f32(1), b: f32(4), c: f32(0.5) }, known: ['a', 'b', 'c'] },
  'Trilu': { op: 'Trilu', attributes: { upper: 0 }, inputs: { x: floats([3, 4]) } },
  'GatherND': { op: 'GatherND', inputs: { x: floats([3, 4]), i: tensor([[0n, 1n], [2n, 3n]], { dtype: 'i64' }) } },
  'GridSample': { op: 'GridSample', attributes: { mode: 'bilinear', align_corners: 1, padding_mode: 'border' }, inputs: { x: floats([1, 2, 3, 4]), g: floats([1, 2, 3, 2]) } },
  'CropAndResize': { op: 'CropAndResize', attributes: { mode: 'bilinear', extrapolation_value: { f: 7 } }, inputs: { x: floats([2, 2, 5, 6]), r: f32([[0.1, 0.2, 0.9, 0.8], [-0.2, 0, 1.1, 0.7], [0.8, 0.9, 0.1, 0.3]]), b: i32([0, 1, 1]), s: i32([3, 4]) }, known: ['s'] },
  'CropAndResize, nearest': { op: 'CropAndResize', attributes: { mode: 'nearest' }, inputs: { x: floats([2, 2, 5, 6]), r: f32([[0.1, 0.2, 0.9, 0.8], [-0.2, 0, 1.1, 0.7]]), b: i32([1, 0]), s: i32([3, 1]) }, known: ['s'] },
  'Inverse': { op: 'Inverse', inputs: { x: floats([2, 4, 4]) }, tolerance: 1e-4 },
  'Inverse, rows exchanged': { op: 'Inverse', inputs: { x: f32([[0, 2, 0], [1, 0, 0.5], [0, 0, -4]]) } },
  'MurmurHash3': { op: 'MurmurHash3', inputs: { x: tensor([1, -2, 3, 2 ** 30], { dtype: 'i32' }) } },
  'MurmurHash3 of 8 bytes': { op: 'MurmurHash3', attributes: { seed: 7, positive: 0 }, inputs: { x: i64([1, -2, 3, 2 ** 40]) } },
  'MurmurHash3 of strings': { op: 'MurmurHash3', attributes: { positive: 0, seed: 3 }, inputs: { x: { type: 8, dims: [4], strings: ['', 'a', 'four', 'nine char'].map((each) => Buffer.from(each)) } } },
  'UnfoldTensor': { op: 'UnfoldTensor', attributes: { dim: 1, size: 3, step: 2 }, inputs: { x: floats([2, 7, 2]) } },

  'RotaryEmbedding': { op: 'RotaryEmbedding', inputs: { x: floats([2, 3, 16]), p: tensor([[0n, 1n, 2n], [3n, 1n, 0n]], { dtype: 'i64' }), ...tables(8, 4) } },
  'RotaryEmbedding of heads, neighbours, from a place on': { op: 'RotaryEmbedding', attributes: { interleaved: 1 }, inputs: { x: floats([2, 2, 3, 8]), p: i64([2]), ...tables(8, 4) } },
  'RotaryEmbedding of the first features': { op: 'RotaryEmbedding', attributes: { num_heads: 2, rotary_embedding_dim: 4 }, inputs: { x: floats([1, 3, 16]), p: i64([1]), ...tables(8, 2) } },
  'Attention': { op: 'Attention', attributes: { num_heads: 2 }, inputs: { x: floats([2, 3, 4]), w: floats([4, 24]), b: floats([24]) } },
  'Attention, causal with a mask': { op: 'Attention', attributes: { num_heads: 2, unidirectional: 1 }, inputs: { x: floats([2, 3, 4]), w: floats([4, 24]), b: floats([24]), m: i32([[1, 1, 0], [1, 1, 1]]) }, outputs: ['y', 'present'] },
  'Attention, lengths': { op: 'Attention', attributes: { num_heads: 2 }, inputs: { x: floats([2, 3, 4]), w: floats([4, 24]), b: floats([24]), m: i32([2, 3]) } },
  'Attention, ends and beginnings': { op: 'Attention', attributes: { num_heads: 2 }, inputs: { x: floats([2, 3, 4]), w: floats([4, 24]), b: floats([24]), m: i32([3, 2, 1, 0]) } },
  'Attention, a mask for each query, a bias': { op: 'Attention', attributes: { num_heads: 2, scale: { f: 0.3 } }, inputs: { x: floats([1, 3, 4]), w: floats([4, 24]), b: floats([24]), m: i32([[[1, 0, 0], [1, 1, 0], [1, 1, 1]]]), past: null, ab: floats([1, 2, 3, 3]) } },
  'Attention, a past': { op: 'Attention', attributes: { num_heads: 2, unidirectional: 1 }, inputs: { x: floats([2, 3, 4]), w: floats([4, 24]), b: floats([24]), m: i32([[1, 1, 1, 1, 1], [0, 1, 1, 1, 1]]), past: floats([2, 2, 2, 2, 4]) }, outputs: ['y', 'present'] },
  'Attention, values of another size': { op: 'Attention', attributes: { num_heads: 2, qkv_hidden_sizes: [8, 8, 4] }, inputs: { x: floats([2, 3, 4]), w: floats([4, 20]), b: floats([20]) } },
  'MultiHeadAttention': { op: 'MultiHeadAttention', attributes: { num_heads: 2 }, inputs: { q: floats([2, 3, 8]), k: floats([2, 4, 8]), v: floats([2, 4, 12]), b: floats([28]), m: i32([[1, 1, 1, 0], [1, 1, 1, 1]]) } },
  'MultiHeadAttention, keys of an encoder': { op: 'MultiHeadAttention', attributes: { num_heads: 2 }, inputs: { q: floats([2, 3, 8]), k: floats([2, 2, 4, 4]), v: floats([2, 2, 4, 4]), b: floats([24]) } },
  'MultiHeadAttention, a past, causal': { op: 'MultiHeadAttention', attributes: { num_heads: 2, unidirectional: 1 }, inputs: { q: floats([2, 3, 8]), k: floats([2, 3, 8]), v: floats([2, 3, 8]), b: null, m: null, ab: floats([1, 2, 3, 5]), ...past([2, 2, 2, 4]) }, outputs: ['y', 'k1', 'v1'] },
  'MultiHeadAttention, lengths': { op: 'MultiHeadAttention', attributes: { num_heads: 2 }, inputs: { q: floats([2, 3, 8]), k: floats([2, 4, 8]), v: floats([2, 4, 8]), b: null, m: i32([2, 4]) } },
  'GroupQueryAttention, a prompt': { op: 'GroupQueryAttention', attributes: { num_heads: 4, kv_num_heads: 2 }, inputs: { q: floats([2, 3, 32]), k: floats([2, 3, 16]), v: floats([2, 3, 16]), pk: null, pv: null, len: i32([2, 2]), total: i32([3]) }, known: ['total'], outputs: ['y', 'k1', 'v1'] },
  'GroupQueryAttention, rotary, packed, a past': { op: 'GroupQueryAttention', attributes: { num_heads: 4, kv_num_heads: 2, do_rotary: 1 }, inputs: { q: floats([2, 1, 128]), k: null, v: null, ...past([2, 2, 5, 16]), len: i32([5, 3]), total: i32([6]), ...tables(8, 8) }, known: ['total'], outputs: ['y', 'k1', 'v1'] },
  'GroupQueryAttention, a prompt with rotary': { op: 'GroupQueryAttention', attributes: { num_heads: 2, kv_num_heads: 1, do_rotary: 1, rotary_interleaved: 1 }, inputs: { q: floats([1, 4, 32]), k: floats([1, 4, 16]), v: floats([1, 4, 16]), pk: null, pv: null, len: i32([3]), total: i32([4]), ...tables(8, 8) }, known: ['total'], outputs: ['y', 'k1', 'v1'] },
  'GroupQueryAttention, a window, softcap': { op: 'GroupQueryAttention', attributes: { num_heads: 4, kv_num_heads: 2, local_window_size: 3, softcap: { f: 2 }, scale: { f: 0.4 } }, inputs: { q: floats([1, 1, 32]), k: floats([1, 1, 16]), v: floats([1, 1, 16]), ...past([1, 2, 6, 8]), len: i32([6]), total: i32([7]) }, known: ['total'], outputs: ['y', 'k1', 'v1'] },
  'GroupQueryAttention, several new places': { op: 'GroupQueryAttention', attributes: { num_heads: 4, kv_num_heads: 2, local_window_size: 2 }, inputs: { q: floats([1, 3, 32]), k: floats([1, 3, 16]), v: floats([1, 3, 16]), ...past([1, 2, 4, 8]), len: i32([6]), total: i32([7]) }, known: ['total'], outputs: ['y', 'k1', 'v1'] },
  'GroupQueryAttention, batches of other lengths': { op: 'GroupQueryAttention', attributes: { num_heads: 2, kv_num_heads: 2 }, inputs: { q: floats([2, 1, 16]), k: floats([2, 1, 16]), v: floats([2, 1, 16]), ...past([2, 2, 5, 8]), len: i32([5, 3]), total: i32([6]) }, known: ['total'], outputs: ['y', 'k1', 'v1'] },
  'GroupQueryAttention, a buffer with room': { op: 'GroupQueryAttention', attributes: { num_heads: 2, kv_num_heads: 2 }, inputs: { q: floats([1, 1, 16]), k: floats([1, 1, 16]), v: floats([1, 1, 16]), ...past([1, 2, 9, 8]), len: i32([5]), total: i32([6]) }, known: ['total'], outputs: ['y', 'k1', 'v1'] },
  'GroupQueryAttention, a bias and a sink': { op: 'GroupQueryAttention', attributes: { num_heads: 4, kv_num_heads: 2 }, inputs: { q: floats([1, 2, 32]), k: floats([1, 2, 16]), v: floats([1, 2, 16]), pk: null, pv: null, len: i32([1]), total: i32([2]), c: null, s: null, at: null, ab: floats([1, 4, 2, 2]), sink: floats([4]) }, known: ['total'], outputs: ['y', 'k1', 'v1'] },
  'GroupQueryAttention, smooth': { op: 'GroupQueryAttention', attributes: { num_heads: 2, kv_num_heads: 2, smooth_softmax: 1 }, inputs: { q: floats([1, 2, 16]), k: floats([1, 2, 16]), v: floats([1, 2, 16]), pk: null, pv: null, len: i32([1]), total: i32([2]) }, known: ['total'], outputs: ['y', 'k1', 'v1'] },

  'QLinearAdd': { op: 'QLinearAdd', inputs: { a: ints([2, 8], 'u8', 0, 255), as: f32(0.03), az: u8(128), b: ints([8], 'u8', 0, 255), bs: f32(0.01), bz: u8(100), ys: f32(0.05), yz: u8(120) } },
  'QLinearMul': { op: 'QLinearMul', inputs: { a: ints([2, 8], 'i8', -128, 127), as: f32(0.03), az: i8(-1), b: ints([2, 8], 'i8', -128, 127), bs: f32(0.01), bz: i8(2), ys: f32(0.04), yz: i8(3) } },
  'QLinearSigmoid': { op: 'QLinearSigmoid', inputs: { x: ints([32], 'u8', 0, 255), s: f32(0.04), z: u8(128), ys: f32(0.00390625), yz: u8(0) } },
  'QLinearLeakyRelu': { op: 'QLinearLeakyRelu', attributes: { alpha: { f: 0.3 } }, inputs: { x: ints([32], 'i8', -128, 127), s: f32(0.04), z: i8(10), ys: f32(0.03), yz: i8(-9) } },
  'QLinearSoftmax': { op: 'QLinearSoftmax', attributes: { axis: -1, opset: 13 }, inputs: { x: ints([2, 8], 'u8', 0, 255), s: f32(0.02), z: u8(128), ys: f32(0.00390625), yz: u8(0) } },
  'QLinearConcat': { op: 'QLinearConcat', attributes: { axis: 1 }, inputs: { ys: f32(0.03), yz: u8(110), a: ints([2, 3], 'u8', 0, 255), as: f32(0.02), az: u8(100), b: ints([2, 4], 'u8', 0, 255), bs: f32(0.03), bz: u8(110) } },
  'QLinearGlobalAveragePool': { op: 'QLinearGlobalAveragePool', inputs: { x: ints([2, 3, 4, 5], 'u8', 0, 255), s: f32(0.04), z: u8(128), ys: f32(0.02), yz: u8(127) } },
  'QLinearGlobalAveragePool, channels last': { op: 'QLinearGlobalAveragePool', attributes: { channels_last: 1 }, inputs: { x: ints([2, 4, 5, 3], 'u8', 0, 255), s: f32(0.04), z: u8(128), ys: f32(0.02), yz: u8(127) } },
  'QLinearAveragePool': { op: 'QLinearAveragePool', attributes: { kernel_shape: [3, 3], pads: [1, 1, 1, 1], strides: [2, 2] }, inputs: { x: ints([1, 2, 5, 5], 'u8', 0, 255), s: f32(0.04), z: u8(128), ys: f32(0.023), yz: u8(127) } },
  'QLinearWhere': { op: 'QLinearWhere', inputs: { c: tensor([true, false, true], { dtype: 'bool' }), x: u8([1, 2, 3]), xs: f32(0.5), xz: u8(1), w: u8([100, 200, 30]), ys: f32(0.02), yz: u8(100), zs: f32(0.1), zz: u8(5) } },
  'QLinearConv, channels last': { op: 'com.microsoft::QLinearConv', attributes: { channels_last: 1, pads: [1, 1, 1, 1] }, inputs: { x: ints([1, 4, 4, 3], 'u8', 0, 255), xs: f32(0.02), xz: u8(131), w: ints([4, 3, 3, 3], 'i8', -128, 127), ws: f32(0.01), wz: i8(0), ys: f32(0.1), yz: u8(120), b: ints([4], 'i32', -1000, 1000) }, known: ['w'] },
  'QGemm': { op: 'QGemm', attributes: { transB: 1, alpha: { f: 1 } }, inputs: { a: ints([3, 4], 'u8', 0, 255), as: f32(0.02), az: u8(120), b: ints([5, 4], 'i8', -128, 127), bs: f32([0.01, 0.02, 0.03, 0.04, 0.05]), bz: i8([0, 0, 0, 0, 0]), c: ints([5], 'i32', -300, 300), ys: f32(0.1), yz: u8(128) } },
  'QGemm to floats': { op: 'QGemm', inputs: { a: ints([3, 4], 'u8', 0, 255), as: f32(0.02), az: u8(120), b: ints([4, 5], 'u8', 0, 255), bs: f32(0.01), bz: u8(120), c: null } },
  'QAttention': { op: 'QAttention', attributes: { num_heads: 2 }, inputs: { x: ints([2, 3, 4], 'u8', 0, 255), w: ints([4, 24], 'i8', -128, 127), b: floats([24]), xs: f32(0.01), ws: f32(0.005), m: i32([[1, 1, 0], [1, 1, 1]]), xz: u8(128), wz: i8(3) }, known: ['w', 'wz', 'ws'] },
  'DynamicQuantizeMatMul': { op: 'DynamicQuantizeMatMul', inputs: { a: floats([3, 4]), b: ints([4, 5], 'i8', -128, 127), bs: f32([0.1, 0.2, 0.3, 0.4, 0.5]), bz: i8([0, 1, 2, 3, 4]), bias: floats([5]) } },
  'DynamicQuantizeLSTM': { op: 'DynamicQuantizeLSTM', attributes: { hidden_size: 3, direction: 'bidirectional' }, inputs: { x: floats([4, 2, 5]), w: ints([2, 5, 12], 'i8', -128, 127), r: ints([2, 3, 12], 'i8', -128, 127), b: floats([2, 24]), len: null, h: null, c: null, p: null, ws: f32([0.01, 0.02]), wz: i8([0, 3]), rs: f32([0.02, 0.01]), rz: i8([2, 0]) }, known: ['w', 'r', 'ws', 'wz', 'rs', 'rz'], outputs: ['y', 'yh', 'yc'], tolerance: 0.03 },
  'QEmbedLayerNormalization': { op: 'QEmbedLayerNormalization', attributes: { epsilon: { f: 1e-6 } }, inputs: { ids: ints([2, 3], 'i32', 0, 4), seg: ints([2, 3], 'i32', 0, 1), w: ints([5, 8], 'u8', 0, 255), p: ints([6, 8], 'u8', 0, 255), st: ints([2, 8], 'u8', 0, 255), g: ints([8], 'u8', 0, 255), b: ints([8], 'u8', 0, 255), m: i32([[1, 1, 0], [1, 1, 1]]), ws: f32(0.01), ps: f32(0.02), ss: f32(0.03), gs: f32(0.01), bs: f32(0.02), wz: u8(128), pz: u8(120), sz: u8(130), gz: u8(0), bz: u8(100) }, outputs: ['y', 'mask'] },
  'MatMulIntegerToFloat': { op: 'MatMulIntegerToFloat', inputs: { a: ints([2, 3, 4], 'u8', 0, 255), b: ints([4, 5], 'u8', 0, 255), as: f32(0.02), bs: f32([0.1, 0.2, 0.3, 0.4, 0.5]), az: u8(120), bz: u8([1, 2, 3, 4, 5]), bias: floats([5]) } },
  'MatMulInteger16': { op: 'MatMulInteger16', inputs: { a: ints([2, 4], 'i16', -3000, 3000), b: ints([4, 3], 'i16', -3000, 3000) } },
  'MatMulNBits': { op: 'MatMulNBits', attributes: { K: 32, N: 3, bits: 4, block_size: 16 }, inputs: { a: floats([2, 32]), b: ints([3, 2, 8], 'u8', 0, 255), s: floats([3, 2]) }, known: ['b', 's'] },
  'MatMulNBits, zero points, a short block, a bias': { op: 'MatMulNBits', attributes: { K: 40, N: 3, bits: 4, block_size: 16 }, inputs: { a: floats([2, 1, 40]), b: ints([3, 3, 8], 'u8', 0, 255), s: floats([9]), z: ints([6], 'u8', 0, 255), g: null, bias: floats([3]) }, known: ['b', 's', 'z'] },
  'MatMulNBits, one row': { op: 'MatMulNBits', attributes: { K: 40, N: 3, bits: 4, block_size: 16 }, inputs: { a: floats([1, 1, 40]), b: ints([3, 3, 8], 'u8', 0, 255), s: floats([9]), z: ints([6], 'u8', 0, 255) }, known: ['b', 's', 'z'] },
  'MatMulNBits, 8 bits': { op: 'MatMulNBits', attributes: { K: 32, N: 2, bits: 8, block_size: 32 }, inputs: { a: floats([3, 32]), b: ints([2, 1, 32], 'u8', 0, 255), s: f32([0.01, 0.02]), z: u8([120, 130]) }, known: ['b', 's', 'z'], tolerance: 1e-4 },
  'MatMulNBits, 2 bits': { op: 'MatMulNBits', attributes: { K: 32, N: 2, bits: 2, block_size: 16 }, inputs: { a: floats([3, 32]), b: ints([2, 2, 4], 'u8', 0, 255), s: floats([2, 2]) }, known: ['b', 's'] },
  'MatMulNBits, zero points that are floats': { op: 'MatMulNBits', attributes: { K: 32, N: 2, bits: 4, block_size: 16 }, inputs: { a: floats([3, 32]), b: ints([2, 2, 8], 'u8', 0, 255), s: floats([2, 2]), z: f32([[7, 8.5], [3, 4]]) }, known: ['b', 's', 'z'] },
  'MatMulBnb4 of floats': { op: 'MatMulBnb4', attributes: { K: 32, N: 3, block_size: 16, quant_type: 0 }, inputs: { a: floats([2, 32]), b: ints([48], 'u8', 0, 255), s: floats([6]) }, known: ['b', 's'] },
  'MatMulBnb4 of quantiles': { op: 'MatMulBnb4', attributes: { K: 32, N: 3, block_size: 32, quant_type: 1 }, inputs: { a: floats([2, 32]), b: ints([48], 'u8', 0, 255), s: floats([3]) }, known: ['b', 's'] },
  'GatherBlockQuantized': { op: 'GatherBlockQuantized', attributes: { block_size: 16, quantize_axis: 1, bits: 4 }, inputs: { d: ints([5, 16], 'u8', 0, 255), i: i64([4, 0, 2]), s: floats([5, 2]) }, known: ['d', 's'] },
  'GatherBlockQuantized, zero points': { op: 'GatherBlockQuantized', attributes: { block_size: 16, quantize_axis: 1, bits: 4 }, inputs: { d: ints([5, 16], 'u8', 0, 255), i: tensor([[4n, 0n], [2n, 3n]], { dtype: 'i64' }), s: floats([5, 2]), z: ints([5, 1], 'u8', 0, 255) }, known: ['d', 's', 'z'] },
  'GatherBlockQuantized, codes of u4': { op: 'GatherBlockQuantized', attributes: { block_size: 16, quantize_axis: 1 }, inputs: { d: { type: 21, dims: [3, 32], raw: Uint8Array.from({ length: 48 }, (_, i) => (i * 37) % 256) }, i: i64([2, 0]), s: floats([3, 2]), z: { type: 21, dims: [3, 2], raw: Uint8Array.of(0x31, 0x7f, 0x08) } }, known: ['s'] },
};
for (const each of Object.values(cases)) if (!each.op.includes('::') && !each.opsets) each.op = `com.microsoft::${each.op}`;

module.exports = cases;
