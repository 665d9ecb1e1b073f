// Ops of domain com.microsoft against what onnxruntime gives, and those that it does not run on a CPU against others.
'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { tensor } = require('graphjit');
const { checkOpen, checkRecorded, modelOf, operands, resultsOf } = require('../support/onnx-node.js');
const { readOnnx } = require('../../lib/models/onnx/index.js');
const { createModel } = require('../../lib/models/model.js');
const { onnxModel } = require('../support/onnx-writer.js');
const cases = require('./onnx-microsoft-cases.js');
const recorded = require('./onnx-microsoft.json');

checkRecorded(cases, recorded);

checkOpen({
  'FusedMatMul': { a: ['b', 4, 's'], b: ['b', 4, 5] },
  'FusedMatMul, batch of both transposed': { a: ['s', 'b', 4], b: ['t', 'b', 4] },
  'FusedConv': { x: ['n', 2, 'h', 'w'], z: ['n', 3, 'h', 'w'] },
  'NhwcMaxPool': { x: ['n', 'h', 'w', 2] },
  'SkipLayerNormalization': { x: ['b', 's', 8], s: ['b', 's', 8] },
  'EmbedLayerNormalization': { ids: ['b', 's'], seg: ['b', 's'], m: ['b', 's'] },
  'CropAndResize': { x: ['n', 2, 'h', 'w'], r: ['r', 4], b: ['r'] },
  'UnfoldTensor': { x: ['b', 's', 2] },
  'RotaryEmbedding': { x: ['b', 's', 16], p: ['b', 's'] },
  'RotaryEmbedding of heads, neighbours, from a place on': { x: ['b', 2, 's', 8] },
  'Attention, causal with a mask': { x: ['b', 's', 4], m: ['b', 's'] },
  'Attention, lengths': { x: ['b', 's', 4], m: ['b'] },
  'Attention, a past': { x: ['b', 's', 4], m: ['b', 't'], past: [2, 'b', 2, 'p', 4] },
  'MultiHeadAttention': { q: ['b', 's', 8], k: ['b', 't', 8], v: ['b', 't', 12], m: ['b', 't'] },
  'MultiHeadAttention, keys of an encoder': { q: ['b', 's', 8], k: ['b', 2, 't', 4], v: ['b', 2, 't', 4] },
  'MultiHeadAttention, a past, causal': { q: ['b', 's', 8], k: ['b', 's', 8], v: ['b', 's', 8], ab: [1, 2, 's', 't'], pk: ['b', 2, 'p', 4], pv: ['b', 2, 'p', 4] },
  'GroupQueryAttention, several new places': { q: ['b', 's', 32], k: ['b', 's', 16], v: ['b', 's', 16], pk: ['b', 2, 'p', 8], pv: ['b', 2, 'p', 8], len: ['b'] },
  'GroupQueryAttention, rotary, packed, a past': { q: ['b', 's', 128], pk: ['b', 2, 'p', 16], pv: ['b', 2, 'p', 16], len: ['b'] },
  'GroupQueryAttention, a bias and a sink': { q: ['b', 's', 32], k: ['b', 's', 16], v: ['b', 's', 16], len: ['b'], ab: ['b', 4, 's', 't'] },
  'Inverse': { x: ['n', 4, 4] },
  'DynamicQuantizeLSTM': { x: ['s', 2, 5] },
  'QLinearAdd': { a: ['n', 8] },
  'QLinearSoftmax': { x: ['n', 'c'] },
  'QLinearConcat': { a: ['n', 3], b: ['n', 4] },
  'QLinearGlobalAveragePool': { x: ['n', 3, 'h', 'w'] },
  'QLinearAveragePool': { x: ['n', 2, 'h', 'w'] },
  'QLinearConv, channels last': { x: ['n', 'h', 'w', 3] },
  'QGemm': { a: ['n', 4] },
  'QAttention': { x: ['b', 's', 4], m: ['b', 's'] },
  'DynamicQuantizeMatMul': { a: ['n', 4] },
  'MatMulIntegerToFloat': { a: ['b', 's', 4] },
  'MatMulNBits, zero points, a short block, a bias': { a: ['b', 's', 40] },
  'MatMulBnb4 of floats': { a: ['n', 32] },
  'GatherBlockQuantized': { i: ['n'] },
  'GatherBlockQuantized, zero points': { i: ['n', 'm'] },
}, cases, recorded);

const { floats, ints } = operands(3);
const f32 = (/** @type {any} */ list) => tensor(list, { dtype: 'f32' });

/** @type {(given: any) => any} the first output of a node of this domain, compiled and not */
function resultOf({ op, ...given }) {
  const [run, reference] = resultsOf({ op: `com.microsoft::${op}`, ...given });
  assert.deepEqual([...run.y.shape], [...reference.y.shape]);
  assertNear(run.y, reference.y);
  return run.y;
}

/** @type {(got: any, want: any) => void} */
function assertNear(got, want) {
  const [a, b] = [got, want].map((each) => (Array.isArray(each) ? each : each.toArray()).flat(Infinity));
  assert.equal(a.length, b.length);
  b.forEach((/** @type {number} */ each, /** @type {number} */ i) => assert.ok(Math.abs(a[i] - each) <= 1e-5 * Math.max(1, Math.abs(each)), `${i}: ${a[i]}, expected ${each}`));
}

test('MultiHeadAttention of packed operands is that of their parts', () => {
  const packed = floats([2, 3, 2, 3, 4]);
  const list = packed.toArray();
  // [batch, places, heads, which, features]
  const part = (/** @type {number} */ which) => f32(list.map((/** @type {any} */ rows) => rows.map((/** @type {any} */ heads) => heads.flatMap((/** @type {any} */ each) => each[which]))));
  const [q, k, v] = [0, 1, 2].map(part);
  const attributes = { num_heads: 2 };
  const want = resultOf({ op: 'MultiHeadAttention', attributes, inputs: { q, k, v } });
  assertNear(resultOf({ op: 'MultiHeadAttention', attributes, inputs: { packed } }), want);
  const kv = f32(list.map((/** @type {any} */ rows) => rows.map((/** @type {any} */ heads) => heads.map((/** @type {any} */ each) => each.slice(1)))));
  assertNear(resultOf({ op: 'MultiHeadAttention', attributes, inputs: { q, kv } }), want);
});

test('RelativePositionBias: buckets as T5 has them', () => {
  const bucketOf = (/** @type {number} */ distance, /** @type {number} */ count, /** @type {number} */ most, /** @type {boolean} */ both) => {
    const half = both ? count / 2 : count;
    const far = both ? Math.abs(distance) : Math.max(-distance, 0);
    const exact = half >> 1;
    const wider = exact + Math.trunc((Math.log(far / exact) / Math.log(most / exact)) * (half - exact));
    return (both && distance > 0 ? half : 0) + (far < exact ? far : Math.min(wider, half - 1));
  };
  for (const [both, count, most] of /** @type {const} */ ([[1, 8, 9], [0, 6, 11]])) {
    const t = floats([count, 2]);
    const scalar = (/** @type {number} */ size) => tensor([BigInt(size)], { dtype: 'i64' }).reshape([]);
    const inputs = { t, q: scalar(14), k: scalar(17) };
    const got = resultOf({ op: 'RelativePositionBias', attributes: { max_distance: most, is_bidirectional: both }, inputs, known: ['q', 'k'] });
    const rows = t.toArray();
    const want = [0, 1].map((head) => Array.from({ length: 14 }, (_, q) => Array.from({ length: 17 }, (__, k) => rows[bucketOf(k - q, count, most, both === 1)][head])));
    assert.deepEqual(got.toArray(), [want]);
  }
});

test('sums with something behind them', () => {
  const [x, b] = [floats([2, 3, 4]), floats([4])];
  const sum = x.toArray().flat(2).map((/** @type {number} */ each, /** @type {number} */ i) => each + b.toArray()[i % 4]);
  assertNear(resultOf({ op: 'BiasAdd', inputs: { x, b, s: x } }), sum.map((/** @type {number} */ each, /** @type {number} */ i) => each + x.toArray().flat(2)[i]));
  assertNear(resultOf({ op: 'BiasDropout', inputs: { x, b } }), sum);
  const want = resultOf({ op: 'BiasSoftmax', attributes: { axis: 2, is_inner_broadcast: 1 }, inputs: { x, b } });
  const rows = Array.from({ length: 6 }, (_, i) => sum.slice(4 * i, 4 * i + 4).map(Math.exp));
  assertNear(want, rows.flatMap((row) => row.map((/** @type {number} */ each) => each / row.reduce((/** @type {number} */ p, /** @type {number} */ q) => p + q))));
  const halves = resultOf({ op: 'BiasSplitGelu', inputs: { x, b } });
  const right = resultOf({ op: 'Gelu', inputs: { x: f32(sum) } }).toArray();
  assertNear(halves, sum.flatMap((/** @type {number} */ each, /** @type {number} */ i) => (i % 4 < 2 ? [each * right[i + 2]] : [])));
});

test('GroupNorm: channels last or not, a skip, an activation', () => {
  const x = floats([2, 3, 2, 4]);
  const [g, b] = [floats([4]), floats([4])];
  const [list, scale, shift] = [x.toArray(), g.toArray(), b.toArray()];
  const want = list.map((/** @type {any} */ rows) => {
    const flat = rows.flat();
    const group = (/** @type {number} */ first) => flat.flatMap((/** @type {number[]} */ each) => each.slice(first, first + 2));
    const moments = [0, 2].map((first) => {
      const all = group(first);
      const mean = all.reduce((/** @type {number} */ p, /** @type {number} */ q) => p + q) / all.length;
      return [mean, all.reduce((/** @type {number} */ p, /** @type {number} */ q) => p + (q - mean) ** 2, 0) / all.length];
    });
    return rows.map((/** @type {any} */ row) => row.map((/** @type {number[]} */ each) => each.map((number, c) => {
      const [mean, variance] = moments[c >> 1];
      const y = ((number - mean) / Math.sqrt(variance + 1e-5)) * scale[c] + shift[c];
      return y / (1 + Math.exp(-y));
    })));
  });
  const attributes = { groups: 2, activation: 1, epsilon: { f: 1e-5 } };
  assertNear(resultOf({ op: 'GroupNorm', attributes, inputs: { x, g, b } }), want.flat(3));
  const zero = f32([[0, 0, 0, 0], [0, 0, 0, 0]]);
  assertNear(resultOf({ op: 'SkipGroupNorm', attributes, inputs: { x, g, b, zero } }), want.flat(3));
});

test('GatedRelativePositionBias by its formula', () => {
  const [heads, size, width] = [2, 3, 8];
  const inputs = { q: floats([1, 2, heads * size]), qb: floats([heads * size]), rel: floats([1, heads, 2, 2]), w: floats([size, width]), b: floats([width]), eco: floats([1, heads, 1, 1]) };
  const [q, qb, rel, w, b, eco] = Object.values(inputs).map((each) => each.toArray());
  const sigmoid = (/** @type {number} */ x) => 1 / (1 + Math.exp(-x));
  const want = rel[0].map((/** @type {any} */ rows, /** @type {number} */ h) => rows.map((/** @type {number[]} */ row, /** @type {number} */ s) => {
    const gates = b.map((/** @type {number} */ own, /** @type {number} */ d) => own + w.reduce((/** @type {number} */ sum, /** @type {number[]} */ each, /** @type {number} */ i) => sum + (q[0][s][h * size + i] + qb[h * size + i]) * each[d], 0));
    const [u, r] = [gates.slice(0, width / 2), gates.slice(width / 2)].map((half) => sigmoid(half.reduce((/** @type {number} */ p, /** @type {number} */ n) => p + n)));
    return row.map((each) => (u * (r * eco[0][h][0][0] - 1) + 2) * each);
  }));
  assertNear(resultOf({ op: 'GatedRelativePositionBias', attributes: { num_heads: heads }, inputs }), want.flat(2));
});

test('GroupQueryAttention: one graph for a prompt and for what is generated behind it', () => {
  const angles = Array.from({ length: 64 }, (_, i) => Math.floor(i / 4) * 10 ** -(i % 4));
  const table = (/** @type {(x: number) => number} */ fn) => tensor(angles.map(fn), { dtype: 'f32', shape: [16, 4] });
  const bytes = onnxModel({
    // Lengths are those of a mask, as exporters have it.
    nodes: [
      ['Shape', ['mask'], ['shape']], ['Gather', ['shape', 'one'], ['size']], ['Cast', ['size'], ['total'], { to: 6 }],
      ['ReduceSum', ['mask', 'axis'], ['sum'], { keepdims: 0 }], ['Sub', ['sum', 'one'], ['less']], ['Cast', ['less'], ['lengths'], { to: 6 }],
      ['com.microsoft::GroupQueryAttention', ['q', 'k', 'v', 'pk', 'pv', 'lengths', 'total', 'cos', 'sin'], ['y', 'k1', 'v1'], { num_heads: 2, kv_num_heads: 1, do_rotary: 1 }],
    ],
    inputs: {
      q: ['f32', ['batch', 'places', 16]], k: ['f32', ['batch', 'places', 8]], v: ['f32', ['batch', 'places', 8]],
      pk: ['f32', ['batch', 1, 'past', 8]], pv: ['f32', ['batch', 1, 'past', 8]], mask: ['i64', ['batch', 'total']],
    },
    outputs: ['y', 'k1', 'v1'],
    initializers: { one: tensor([1n], { dtype: 'i64' }).reshape([]), axis: tensor([1n], { dtype: 'i64' }), cos: table(Math.cos), sin: table(Math.sin) },
    opsets: { '': 21, 'com.microsoft': 1 },
  });
  const model = createModel(readOnnx(bytes, { caller: 'load', file: 'test', ops: {} }), { sizes: {}, compile: { cache: false } });
  const [q, k, v] = [floats([1, 6, 16]), floats([1, 6, 8]), floats([1, 6, 8])];
  const none = tensor([], { dtype: 'f32', shape: [1, 1, 0, 8] });
  const run = (/** @type {number} */ from, /** @type {number} */ to, /** @type {any} */ pk, /** @type {any} */ pv) => {
    const rows = (/** @type {any} */ x) => f32([x.toArray()[0].slice(from, to)]);
    return model.run({ q: rows(q), k: rows(k), v: rows(v), pk, pv, mask: tensor([Array(to).fill(1n)], { dtype: 'i64' }) });
  };
  const whole = run(0, 6, none, none);
  let last = run(0, 3, none, none);
  for (const [from, to] of [[3, 4], [4, 6]]) {
    last = run(from, to, last.k1, last.v1);
    assertNear(last.y, whole.y.toArray()[0].slice(from, to));
  }
  assertNear(last.k1, whole.k1);
  assert.equal(model.specialization, null);
  model.dispose();
});

test('Rfft: half of the bins of real numbers, and the way back', () => {
  for (const [shape, count] of /** @type {const} */ ([[[2, 8], 1], [[2, 4, 6], 2]])) {
    const x = floats(shape);
    const attributes = { signal_ndim: count };
    const bins = resultOf({ op: 'Rfft', attributes, inputs: { x } });
    assert.deepEqual([...bins.shape], [...shape.slice(0, -1), Number(shape.at(-1)) / 2 + 1, 2]);
    assertNear(resultOf({ op: 'Irfft', attributes, inputs: { bins } }), x);
    if (count === 2) continue;
    const angle = (/** @type {number} */ i, /** @type {number} */ k) => (-2 * Math.PI * i * k) / 8;
    const sums = (/** @type {number[]} */ row, /** @type {number} */ k) => [Math.cos, Math.sin].map((fn) => row.reduce((sum, each, i) => sum + each * fn(angle(i, k)), 0));
    assertNear(bins, x.toArray().flatMap((/** @type {number[]} */ row) => [0, 1, 2, 3, 4].flatMap((k) => sums(row, k))));
  }
});

test('MurmurHash3 of strings that a run gives', () => {
  const bytes = onnxModel({
    nodes: [['com.microsoft::MurmurHash3', ['x'], ['y'], { positive: 0, seed: 3 }]],
    inputs: { x: ['string', ['n']] }, outputs: ['y'], opsets: { '': 21, 'com.microsoft': 1 },
  });
  const model = createModel(readOnnx(bytes, { caller: 'load', file: 'test', ops: {} }), { sizes: {}, compile: { cache: false } });
  const { y } = model.run({ x: ['', 'a', 'four', 'nine char'] });
  assert.deepEqual(y.toArray(), recorded['MurmurHash3 of strings'].y.data);
  model.dispose();
});

test('products of integers', () => {
  const [a, b] = [ints([2, 4], 'u8', 0, 255), ints([4], 'u8', 0, 255)];
  const u8 = (/** @type {number} */ number) => tensor([number], { dtype: 'u8' }).reshape([]);
  const got = resultOf({ op: 'MulInteger', inputs: { a, az: u8(3), b, bz: u8(100) } });
  assert.deepEqual(got.toArray(), a.toArray().map((/** @type {number[]} */ row) => row.map((each, i) => (each - 3) * (b.toArray()[i] - 100))));
});

test('weights of 4 bits stay packed: none of a graph is as large as they would be', () => {
  const { model, feeds } = modelOf({
    op: 'com.microsoft::MatMulNBits', attributes: { K: 256, N: 128, bits: 4, block_size: 32 },
    inputs: { a: floats([1, 256]), b: ints([128, 8, 16], 'u8', 0, 255), s: floats([128, 8]) }, known: ['b', 's'],
  });
  const constants = [...String(model.graphFor(feeds)).matchAll(/= const .*: (\w+)\[([\d, ]+)\]/g)];
  assert.ok(constants.length > 0);
  for (const [, dtype, shape] of constants) {
    const count = shape.split(',').reduce((product, size) => product * Number(size), 1);
    assert.ok(count < 256 * 128, `${dtype}[${shape}]`);
  }
  model.dispose();
});

test('what is not there is named', () => {
  const x = floats([1, 2, 4]);
  const attention = { op: 'com.microsoft::Attention', inputs: { x, w: floats([4, 12]) } };
  assert.throws(() => resultsOf({ ...attention, attributes: { num_heads: 2, do_rotary: 1 } }), { code: 'ERR_UNSUPPORTED', message: /do_rotary/ });
  assert.throws(() => resultsOf({ op: 'com.microsoft::BeamSearch', inputs: { x } }), { code: 'ERR_UNSUPPORTED', message: /com\.microsoft::BeamSearch/ });
});
