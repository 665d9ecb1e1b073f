// Layers of ONNX with symbolic sizes, compared with what ONNX Runtime gave for them, and with formulas where it has none.
'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { tensor } = require('graphjit');
const { readOnnx } = require('../../lib/models/onnx/index.js');
const { createModel } = require('../../lib/models/model.js');
const { cases, numbers } = require('./neural-cases.js');
const { modelOf } = require('./neural-models.js');
const recorded = /** @type {Record<string, { shape: number[], data: number[] }[]>} */ (require('./neural-results.json'));

/** @type {(bytes: Uint8Array) => any} */
const open = (bytes) =>
  createModel(readOnnx(bytes, { caller: 'load', file: 'test', folder: '.', ops: {} }), { sizes: {}, compile: { cache: false, optLevel: 1 } });

/** @type {(got: any, want: { shape: readonly number[], data: readonly number[] }, title: string, within?: number) => void} */
function assertNear(got, want, title, within = 2e-5) {
  assert.deepEqual([...got.shape], [...want.shape], `${title}: shape`);
  const data = Array.from(got.copy().data, Number);
  const isNear = (/** @type {number} */ a, /** @type {number} */ b) => a === b || Math.abs(a - b) <= within * Math.max(1, Math.abs(b));
  const at = data.findIndex((each, i) => !isNear(each, want.data[i]));
  assert.ok(at < 0, `${title}: element ${at} is ${data[at]}, expected ${want.data[at]}`);
}

for (const [name, each] of Object.entries(cases)) {
  test(`as ONNX Runtime: ${name}`, () => {
    const { bytes, feeds, outputs } = modelOf(each);
    const model = open(bytes);
    try {
      assert.equal(model.specialization, null, 'one graph for all sizes');
      for (const way of /** @type {const} */ (['run', 'eval'])) {
        const results = model[way](feeds);
        outputs.forEach((key, i) => assertNear(results[key], recorded[name][i], `${key}, ${way}`));
      }
    } finally {
      model.dispose();
    }
  });
}

// -------------------------------------------------------------------- what ONNX Runtime lacks

/** @type {(given: import('./neural-cases.js').Case & { domain?: string }, feeds?: Record<string, any>) => Record<string, any>} */
function runCase(given, feeds) {
  const { bytes, feeds: own } = modelOf(given);
  const model = open(bytes);
  try {
    const results = model.run({ ...own, ...feeds });
    const expected = model.eval({ ...own, ...feeds });
    for (const [name, value] of Object.entries(results))
      if (value !== null && expected[name]) assertNear(value, { shape: expected[name].shape, data: Array.from(expected[name].copy().data, Number) }, name, 1e-4);
    return results;
  } finally {
    model.dispose();
  }
}

/** Nested arrays of an array. @type {(sizes: readonly number[], at: (...index: number[]) => number) => any} */
const build = (sizes, at) =>
  sizes.length === 0 ? at() : Array.from({ length: sizes[0] }, (_, i) => build(sizes.slice(1), (...rest) => at(i, ...rest)));

/** @type {(count: number, of: (i: number) => number) => number} */
const total = (count, of) => Array.from({ length: count }, (_, i) => of(i)).reduce((sum, each) => sum + each, 0);

/** @type {(got: any, want: any, title: string) => void} */
const assertSame = (got, want, title) => {
  const shape = [];
  for (let each = want; Array.isArray(each); each = each[0]) shape.push(each.length);
  assertNear(got, { shape, data: [want].flat(Infinity) }, title, 1e-4);
};

const list = (/** @type {any} */ value) => value.toArray();

for (const [rule, decays, corrects] of /** @type {const} */ ([['linear', false, false], ['gated', true, false], ['delta', false, true], ['gated_delta', true, true]])) {
  for (const perKey of decays ? [false, true] : [false]) {
    test(`linear attention: ${rule}${perKey ? ', decay of each feature' : ''}`, () => {
      const [b, t, hq, hk, dk, dv] = [2, 4, 4, 2, 3, 2];
      const inputs = [
        [['b', 't', hq * dk], [b, t, hq * dk]], [['b', 't', hk * dk], [b, t, hk * dk]], [['b', 't', hk * dv], [b, t, hk * dv]],
        [['b', hk, dk, dv], [b, hk, dk, dv]],
        decays ? [['b', 't', perKey ? hk * dk : hk], [b, t, perKey ? hk * dk : hk]] : null,
        corrects ? [['b', 't', hk], [b, t, hk]] : null,
      ];
      const given = { op: 'LinearAttention', version: 27, attributes: { q_num_heads: hq, kv_num_heads: hk, update_rule: rule }, inputs, outputs: 2 };
      const [q, k, v, past, decay, beta] = inputs.map((each, i) => each && list(numbers(/** @type {any} */ (each)[1], i)));
      const output = build([b, t, hq * dv], () => 0);
      const last = build([b, hk], (n, h) => {
        let state = past[n][h];
        for (let at = 0; at < t; at++) {
          const key = k[n][at].slice(h * dk, (h + 1) * dk);
          const gate = (/** @type {number} */ i) => (decays ? Math.exp(perKey ? decay[n][at][h * dk + i] : decay[n][at][h]) : 1);
          const kept = build([dk, dv], (i, j) => state[i][j] * gate(i));
          const fresh = build([dv], (j) => {
            const value = v[n][at][h * dv + j];
            return corrects ? beta[n][at][h] * (value - total(dk, (i) => kept[i][j] * key[i])) : value;
          });
          state = build([dk, dv], (i, j) => kept[i][j] + key[i] * fresh[j]);
          for (let g = h * (hq / hk); g < (h + 1) * (hq / hk); g++)
            for (let j = 0; j < dv; j++) output[n][at][g * dv + j] = total(dk, (i) => q[n][at][g * dk + i] * state[i][j]) / Math.sqrt(dk);
        }
        return state;
      });
      const { y0, y1 } = runCase(given);
      assertSame(y0, output, 'output');
      assertSame(y1, last, 'state');
    });
  }
}

test('a causal convolution sees its past and passes it on', () => {
  const inputs = [[['b', 2, 't'], [2, 2, 2]], [[2, 1, 4]], [[2]], [['b', 2, 3], [2, 2, 3]]];
  const [x, w, bias, past] = inputs.map((each, i) => list(numbers(/** @type {any} */ (each[1] ?? each[0]), i)));
  const all = build([2, 2], (n, c) => [...past[n][c], ...x[n][c]]);
  const sums = build([2, 2, 2], (n, c, t) => bias[c] + total(4, (i) => all[n][c][t + i] * w[c][0][i]));
  for (const activation of ['none', 'silu']) {
    const { y0, y1 } = runCase({ op: 'CausalConvWithState', version: 27, attributes: { activation }, inputs, outputs: 2 });
    assertSame(y0, build([2, 2, 2], (n, c, t) => (activation === 'none' ? sums[n][c][t] : sums[n][c][t] / (1 + Math.exp(-sums[n][c][t])))), activation);
    assertSame(y1, build([2, 2, 3], (n, c, t) => all[n][c][t + 2]), 'state');
  }
});

/**
 * Attention by its definition.
 *
 * @param {any} q [batch][heads][places][features]
 * @param {any} k
 * @param {any} v
 * @param {(n: number, h: number, i: number, j: number) => number} bias added to scores
 */
function attend(q, k, v, bias, cap = 0) {
  const [b, h, s, d, g] = [q.length, q[0].length, q[0][0].length, q[0][0][0].length, q[0].length / k[0].length];
  const keys = k[0][0].length;
  const raw = build([b, h, s, keys], (n, head, i, j) => total(d, (e) => q[n][head][i][e] * k[n][Math.floor(head / g)][j][e]) / Math.sqrt(d));
  const capped = build([b, h, s, keys], (n, head, i, j) => (cap ? cap * Math.tanh(raw[n][head][i][j] / cap) : raw[n][head][i][j]));
  const masked = build([b, h, s, keys], (n, head, i, j) => capped[n][head][i][j] + bias(n, head, i, j));
  const weights = build([b, h, s, keys], (n, head, i, j) => {
    const row = masked[n][head][i].map((/** @type {number} */ each) => (each === -Infinity ? 0 : Math.exp(each)));
    const sum = total(keys, (e) => row[e]);
    return sum === 0 ? 0 : row[j] / sum;
  });
  const output = build([b, h, s, v[0][0][0].length], (n, head, i, e) => total(keys, (j) => weights[n][head][i][j] * v[n][Math.floor(head / g)][j][e]));
  return { raw, capped, masked, weights, output };
}

const places = (/** @type {number} */ heads, /** @type {string} */ name, /** @type {number} */ size) => [['b', heads, name, 4], [2, heads, size, 4]];

test('attention over a cache of which parts are filled', () => {
  const lengths = [4, 2];
  const inputs = [places(4, 's', 3), places(2, 'k', 5), places(2, 'k', 5), null, null, null, tensor(lengths.map(BigInt), { dtype: 'i64' })];
  const [q, k, v] = inputs.slice(0, 3).map((each, i) => list(numbers(/** @type {any} */ (each)[1], i)));
  const seen = (/** @type {number} */ n, /** @type {number} */ i, /** @type {number} */ j) => j < lengths[n] && j <= i + lengths[n] - 3;
  const want = attend(q, k, v, (n, _, i, j) => (seen(n, i, j) ? 0 : -Infinity));
  const { y0, y3 } = runCase({ op: 'Attention', version: 24, attributes: { is_causal: 1, qk_matmul_output_mode: 3 }, inputs, outputs: 4 });
  assertSame(y0, want.output, 'output');
  assertSame(y3, want.weights, 'weights');
});

test('attention with a window, a mask that is short of keys, and each stage of its scores', () => {
  const inputs = [places(2, 's', 3), places(2, 's', 3), places(2, 's', 3), [['s', 4], [3, 4]], places(2, 'p', 2), places(2, 'p', 2)];
  const [q, k, v, mask, pastKey, pastValue] = inputs.map((each, i) => list(numbers(/** @type {any} */ (each[1]), i)));
  const behind = (/** @type {any} */ past, /** @type {any} */ own) => build([2, 2], (n, h) => [...past[n][h], ...own[n][h]]);
  const far = (/** @type {number} */ i, /** @type {number} */ j) => j < i + 2 - 2 || j > i + 2 + 1;
  const want = attend(q, behind(pastKey, k), behind(pastValue, v), (_n, _h, i, j) => (j > 3 || far(i, j) ? -Infinity : mask[i][j]), 0.7);
  for (const [mode, stage] of /** @type {const} */ (['raw', 'capped', 'masked', 'weights']).entries()) {
    const attributes = { left_window_size: 2, right_window_size: 1, softcap: { f: 0.7 }, qk_matmul_output_mode: mode };
    const { y0, y3 } = runCase({ op: 'Attention', version: 25, attributes, inputs, outputs: 4 });
    assertSame(y0, want.output, 'output');
    const data = [want[stage]].flat(Infinity);
    const got = Array.from(y3.copy().data, Number);
    assert.ok(got.every((each, i) => each === data[i] || Math.abs(each - data[i]) < 1e-4), stage);
  }
});

test('attention whose scores and weights go through graphs', () => {
  const graph = (/** @type {string} */ op, /** @type {number} */ by) => ({
    nodes: [['Constant', [], ['c'], { value_float: { f: by } }], [op, ['a', 'c'], ['b']]], inputs: { a: ['f32', ['n', 'h', 's', 'k']] }, outputs: ['b'],
  });
  const inputs = [places(4, 's', 3), places(2, 'k', 5), places(2, 'k', 5)];
  const [q, k, v] = inputs.map((each, i) => list(numbers(/** @type {any} */ (each[1]), i)));
  const want = attend(q.map((/** @type {any} */ n) => n.map((/** @type {any} */ h) => h.map((/** @type {any} */ row) => row.map((/** @type {number} */ e) => 2 * e)))), k, v, () => 0);
  const { y0 } = runCase({
    op: 'ai.onnx.preview::FlexAttention', attributes: { score_mod: graph('Mul', 2), prob_mod: graph('Mul', 0.5) }, inputs,
  });
  assertSame(y0, build([2, 4, 3, 4], (n, h, i, e) => want.output[n][h][i][e] / 2), 'output');
});

test('SwiGLU gates by its first operand', () => {
  const inputs = [[['n', 3], [2, 3]], [['n', 3], [2, 3]]];
  const [a, b] = inputs.map((each, i) => list(numbers(/** @type {any} */ (each[1]), i)));
  const { y0 } = runCase({ op: 'SwiGLU', version: 28, attributes: { alpha: { f: 1.5 } }, inputs });
  assertSame(y0, build([2, 3], (i, j) => (a[i][j] / (1 + Math.exp(-1.5 * a[i][j]))) * b[i][j]), 'y');
});

test('group normalization of version 18 has parameters of groups', () => {
  const inputs = [[['n', 4, 'w'], [2, 4, 3]], [[2]], [[2]]];
  const [x, scale, bias] = inputs.map((each, i) => list(numbers(/** @type {any} */ (each[1] ?? each[0]), i)));
  const { y0 } = runCase({ op: 'GroupNormalization', version: 18, attributes: { num_groups: 2 }, inputs });
  assertSame(y0, build([2, 4, 3], (n, c, w) => {
    const group = x[n].slice(c < 2 ? 0 : 2, c < 2 ? 2 : 4).flat();
    const mean = total(6, (i) => group[i]) / 6;
    const deviation = Math.sqrt(total(6, (i) => (group[i] - mean) ** 2) / 6 + 1e-5);
    return ((x[n][c][w] - mean) / deviation) * scale[c >> 1] + bias[c >> 1];
  }), 'y');
});

test('batch normalization in training gives running statistics', () => {
  const inputs = [[['n', 2, 'w'], [3, 2, 4]], ...Array(4).fill([[2]])];
  const [x, scale, bias, mean, variance] = inputs.map((each, i) => list(numbers(each[1] ?? each[0], i)));
  const moments = [0, 1].map((c) => {
    const all = x.flatMap((/** @type {any} */ image) => image[c]);
    const own = total(12, (i) => all[i]) / 12;
    return { own, spread: total(12, (i) => (all[i] - own) ** 2) / 12 };
  });
  const wanted = build([3, 2, 4], (n, c, w) => ((x[n][c][w] - moments[c].own) / Math.sqrt(moments[c].spread + 1e-5)) * scale[c] + bias[c]);
  for (const [version, attributes, outputs] of /** @type {const} */ ([[15, { training_mode: 1, momentum: { f: 0.7 } }, 3], [9, { momentum: { f: 0.7 } }, 5]])) {
    const { y0, y1, y2 } = runCase({ op: 'BatchNormalization', version, attributes, inputs, outputs });
    assertSame(y0, wanted, 'y');
    assertSame(y1, moments.map(({ own }, c) => 0.7 * mean[c] + 0.3 * own), 'mean');
    assertSame(y2, moments.map(({ spread }, c) => 0.7 * variance[c] + 0.3 * spread), 'variance');
  }
});

test('batch normalization of version 7 may go by places', () => {
  const inputs = [[['n', 2, 3], [2, 2, 3]], [[2, 3]], [[2, 3]], [[2, 3]], tensor([[1, 2, 3], [4, 5, 6]], { dtype: 'f32' })];
  const [x, scale, bias, mean] = inputs.slice(0, 4).map((each, i) => list(numbers(/** @type {any} */ (each)[1] ?? /** @type {any} */ (each)[0], i)));
  const { y0 } = runCase({ op: 'BatchNormalization', version: 7, attributes: { spatial: 0 }, inputs });
  assertSame(y0, build([2, 2, 3], (n, c, w) => ((x[n][c][w] - mean[c][w]) / Math.sqrt(3 * c + w + 1 + 1e-5)) * scale[c][w] + bias[c][w]), 'y');
});

test('local response of an even number of channels has one more behind', () => {
  const inputs = [[['n', 5, 'w'], [2, 5, 3]]];
  const x = list(numbers([2, 5, 3], 0));
  const { y0 } = runCase({ op: 'LRN', version: 13, attributes: { size: 4, alpha: { f: 0.5 }, beta: { f: 0.6 }, bias: { f: 2 } }, inputs });
  assertSame(y0, build([2, 5, 3], (n, c, w) => {
    const around = [c - 1, c, c + 1, c + 2].filter((each) => each >= 0 && each < 5);
    return x[n][c][w] / (2 + (0.5 / 4) * total(around.length, (i) => x[n][around[i]][w] ** 2)) ** 0.6;
  }), 'y');
});

test('dilated windows are padded by name as by numbers', () => {
  for (const size of [10, 11, 12]) {
    const inputs = [[['n', 2, 'w'], [2, 2, size]], [[4, 1, 3]]];
    const all = { strides: [3], dilations: [2], group: 2 };
    const needed = (Math.ceil(size / 3) - 1) * 3 + 5 - size;
    const pads = [Math.floor(needed / 2), Math.ceil(needed / 2)];
    const [named, numbered] = [{ auto_pad: 'SAME_UPPER' }, { pads }].map((each) => runCase({ op: 'Conv', attributes: { ...all, ...each }, inputs }).y0);
    assert.deepEqual(list(named), list(numbered));
  }
});

test('recurrent layers with the batch first', () => {
  for (const [op, gates, states] of /** @type {const} */ ([['RNN', 1, 1], ['GRU', 3, 1], ['LSTM', 4, 2]])) {
    const weights = [[[2, gates * 3, 2]], [[2, gates * 3, 3]], [[2, 2 * gates * 3]], null];
    const attributes = { hidden_size: 3, direction: 'bidirectional' };
    const first = runCase({ op, attributes, inputs: [[['t', 'b', 2], [5, 3, 2]], ...weights, ...Array(states).fill([[2, 'b', 3], [2, 3, 3]])], outputs: 1 + states });
    const swapped = { x0: numbers([5, 3, 2], 0).permute([1, 0, 2]) };
    const starts = Object.fromEntries(Array.from({ length: states }, (_, i) => [`x${5 + i}`, numbers([2, 3, 3], 5 + i).permute([1, 0, 2])]));
    const second = runCase({ op, attributes: { ...attributes, layout: 1 }, inputs: [[['b', 't', 2], [3, 5, 2]], ...weights, ...Array(states).fill([['b', 2, 3], [3, 2, 3]])], outputs: 1 + states }, { ...swapped, ...starts });
    assertSame(second.y0.permute([1, 2, 0, 3]).contiguous(), list(first.y0), `${op}: y`);
    for (let i = 1; i <= states; i++) assertSame(second[`y${i}`].permute([1, 0, 2]).contiguous(), list(first[`y${i}`]), `${op}: state ${i}`);
  }
});

test('dropout in training drops, scales, and says what it kept', () => {
  const inputs = [[['n', 50], [40, 50]], tensor(0.25, { dtype: 'f32' }), [[], [], 'bool']];
  const given = { op: 'Dropout', version: 13, inputs, outputs: 2 };
  const { bytes, feeds } = modelOf(given);
  const model = open(bytes);
  const x = list(feeds.x0).flat();
  const run = (/** @type {boolean} */ training) => model.run({ x0: feeds.x0, x2: tensor(training, { dtype: 'bool' }) });
  const [first, second, off] = [run(true), run(true), run(false)];
  const [y, kept] = [list(first.y0).flat(), list(first.y1).flat()];
  assert.ok(y.every((/** @type {number} */ each, /** @type {number} */ i) => Math.abs(each - (kept[i] ? x[i] / 0.75 : 0)) < 1e-6));
  const count = kept.filter(Boolean).length;
  assert.ok(count > 1400 && count < 1600, `kept ${count} of 2000`);
  assert.notDeepEqual(list(second.y1), list(first.y1));
  assert.deepEqual(list(off.y0), list(feeds.x0));
  assert.ok(list(off.y1).flat().every(Boolean));
  model.dispose();
});

test('dropout with a seed drops the same in every run', () => {
  const inputs = [[['n', 50], [4, 50]], tensor(0.5, { dtype: 'f32' }), tensor(true, { dtype: 'bool' })];
  const { bytes, feeds } = modelOf({ op: 'Dropout', version: 13, attributes: { seed: 7 }, inputs });
  const model = open(bytes);
  assert.deepEqual(list(model.run(feeds).y0), list(model.run(feeds).y0));
  model.dispose();
});

test('layers are refused with one error', () => {
  const x = [['n', 2, 'w'], [1, 2, 5]];
  /** @type {readonly (readonly [import('./neural-cases.js').Case, RegExp])[]} */
  const bad = [
    [{ op: 'MaxPool', inputs: [x] }, /'kernel_shape' is missing/],
    [{ op: 'MaxPool', attributes: { kernel_shape: [2, 2] }, inputs: [x] }, /'kernel_shape' has 2 elements, expected 1/],
    [{ op: 'Conv', attributes: { auto_pad: 'SAME' }, inputs: [x, [[3, 2, 2]]] }, /auto_pad is 'SAME'/],
    [{ op: 'RNN', attributes: { activations: ['Sine'] }, inputs: [[['t', 'b', 2], [2, 1, 2]], [[1, 3, 2]], [[1, 3, 3]]] }, /'Sine' is no activation/],
    [{ op: 'LSTM', attributes: { direction: 'up' }, inputs: [[['t', 'b', 2], [2, 1, 2]], [[1, 12, 2]], [[1, 12, 3]]] }, /direction is 'up'/],
    [{ op: 'GRU', attributes: { direction: 2 }, inputs: [[['t', 'b', 2], [2, 1, 2]], [[1, 9, 2]], [[1, 9, 3]]] }, /'direction' is a number, expected a string/],
    [{ op: 'ImageDecoder', inputs: [[['n'], [4], 'u8']] }, /decode no pictures/],
    [{ op: 'Attention', version: 23, inputs: Array(3).fill([['b', 's', 8], [1, 2, 8]]) }, /number of heads/],
  ];
  for (const [given, message] of bad) {
    const { bytes, feeds } = modelOf(given);
    assert.throws(() => open(bytes).run(feeds), (error) => /** @type {any} */ (error).code !== undefined && message.test(/** @type {Error} */ (error).message), String(message));
  }
});
