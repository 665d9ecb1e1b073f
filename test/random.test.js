// Random numbers: known answers, the same in every way of running, and distributions that are what they say.
'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { Graph, Tensor, jit, random, tensor, zeros } = require('graphjit');
const { throwsGraphError: refuses } = require('./support/errors.js');
const { allWays, assertAgreement, reference } = require('./support/oracles.js');

const keyOf = (/** @type {number[]} */ ...words) => tensor(Uint32Array.from(words));
const list = (/** @type {any} */ result) => Array.from(result.contiguous().data, Number);

// ----------------------------------------------------------------------------------- known answers

test('bits are those of Random123 and JAX', () => {
  const first = random.bits([1], { key: keyOf(0, 0), dtype: 'u64' });
  assert.equal(first.item(), 0x6b20015999ba4efen); // kat_vectors of Random123: threefry 2x32, 20 rounds, all zeros
  assert.deepEqual(list(random.bits([1], { seed: 0 })), [(0x6b200159 ^ 0x99ba4efe) >>> 0]);
  assert.deepEqual(random.split(random.key(0)).map(list), [[1797259609, 2579123966], [928981903, 3453687069]]);
  assert.deepEqual(list(random.foldIn(random.key(0), 1)), [928981903, 3453687069]);
  assert.deepEqual(list(random.key(-1)), [4294967295, 4294967295]);
  assert.deepEqual(list(random.key(2 ** 40 + 3)), [256, 3]);
});

/** Threefry2x32 in plain JavaScript. */
function threefry([k0, k1], [c0, c1]) {
  const words = [k0, k1, k0 ^ k1 ^ 0x1bd11bda];
  let [a, b] = [(c0 + k0) | 0, (c1 + k1) | 0];
  for (let round = 0; round < 20; round++) {
    const by = [13, 15, 26, 6, 17, 29, 16, 24][round % 8];
    a = (a + b) | 0;
    b = ((b << by) | (b >>> (32 - by))) ^ a;
    if (round % 4 !== 3) continue;
    const injection = (round + 1) / 4;
    a = (a + words[injection % 3]) | 0;
    b = (b + words[(injection + 1) % 3] + injection) | 0;
  }
  return [a >>> 0, b >>> 0];
}

test('the oracle of these tests gives the vectors of Random123', () => {
  const all = 0xffffffff;
  assert.deepEqual(threefry([all, all], [all, all]), [0x1cb996fc, 0xbb002be7]);
  assert.deepEqual(threefry([0x13198a2e, 0x03707344], [0x243f6a88, 0x85a308d3]), [0xc4923a9c, 0x483df7a0]);
});

test('an element is a function of the key and its index, beyond 2^32 as well', () => {
  const graph = new Graph();
  const key = graph.input('key', 'u32', [2]);
  const at = [graph.input('i', 'i64'), graph.input('j', 'i64')];
  graph.output('bits', key.rngBits([2 ** 11, 2 ** 32], { dtype: 'u64' }).dynamicSlice(at, [1, 1]).reshape([]));
  const program = graph.compile();
  for (const [i, j] of [[0, 0], [0, 2 ** 32 - 1], [1, 0], [1234, 0x85a308d3]]) {
    const { bits } = program.run({ key: Uint32Array.of(7, 9), i: BigInt64Array.of(BigInt(i)), j: BigInt64Array.of(BigInt(j)) });
    const [upper, lower] = threefry([7, 9], [i, j]);
    assert.equal(bits.item(), (BigInt(upper) << 32n) | BigInt(lower));
  }
  const [head, whole] = [random.bits([10], { seed: 5 }), random.bits([40, 25], { seed: 5 })];
  assert.deepEqual(list(head), list(whole).slice(0, 10));
});

test('bits are the same in the reference, in machine code and in wasm', async () => {
  for (const dtype of /** @type {const} */ (['u32', 'u64'])) {
    const graph = new Graph();
    const key = graph.input('key', 'u32', [2]);
    const x = graph.input('x', 'f32', ['n', 3]);
    const bits = key.rngBits(['n', 3], { dtype });
    graph.output('bits', bits);
    graph.output('turned', bits.T.shr(3));
    graph.output('computed', key.not().rngBits([], { dtype }));
    graph.output('chosen', bits.slice(null, 1).gt(x.slice(null, 0).convert(dtype)));
    graph.output('sum', key.xor(5).rngBits(['n', 3], { dtype }).sum({ axis: 1 }));
    for (const n of [0, 1, 17, 40]) {
      const data = { key: { dtype: 'u32', shape: [2], data: Uint32Array.of(n, 77) }, x: { dtype: 'f32', shape: [n, 3], data: new Float32Array(3 * n) } };
      assertAgreement(await allWays(graph), data, reference(graph, data), { title: `${dtype}, n = ${n}` });
    }
  }
});

test('draws do not depend on threads, on tracing, or on where the key is', () => {
  const key = random.key(11);
  const shape = [300, 400];
  const draws = (/** @type {any} */ from) => ({ u: random.uniform(shape, { key: from, dtype: 'f32' }), n: random.normal(shape, { key: from }) });
  const now = draws(key);
  for (const threads of [1, 2]) {
    const traced = jit(draws, { threads, numerics: 'default' })(key);
    for (const name of /** @type {const} */ (['u', 'n'])) assert.ok(Buffer.compare(Buffer.from(traced[name].data.buffer), Buffer.from(now[name].data.buffer)) === 0, name);
  }
  const graph = new Graph();
  const value = graph.input('key', 'u32', [2]);
  const [a, b] = random.split(value);
  graph.output('a', random.foldIn(a, 3));
  graph.output('b', random.foldIn(b, graph.input('step', 'i32')));
  graph.output('n', random.uniform(['n'], { key: value }).add(graph.input('x', 'f64', ['n'])));
  const result = graph.compile().run({ key, step: 3, x: zeros([5]) });
  const [c, d] = random.split(key);
  assert.deepEqual([list(result.a), list(result.b)], [list(random.foldIn(c, 3)), list(random.foldIn(d, 3))]);
  assert.deepEqual(list(result.n), list(random.uniform([5], { key })));
});

// ----------------------------------------------------------------------------------- distributions

const N = 40_000;

/** The largest distance of the empirical distribution from `cdf`, times the root of the count: below 1.95 with p = 0.999. */
function distance(/** @type {number[]} */ sample, /** @type {(x: number) => number} */ cdf) {
  const sorted = Float64Array.from(sample).sort();
  let most = 0;
  sorted.forEach((x, i) => (most = Math.max(most, Math.abs(cdf(x) - i / sorted.length), Math.abs(cdf(x) - (i + 1) / sorted.length))));
  return most * Math.sqrt(sorted.length);
}

const erf = jit((/** @type {any} */ x) => x.erf());
const normalCdf = (/** @type {number} */ x) => 0.5 * (1 + Number(erf(x * Math.SQRT1_2).item()));

/** @type {Record<string, (x: number) => number>} */
const cdfs = {
  uniform: (x) => x,
  normal: normalCdf,
  exponential: (x) => 1 - Math.exp(-x),
  laplace: (x) => (x < 0 ? 0.5 * Math.exp(x) : 1 - 0.5 * Math.exp(-x)),
  gumbel: (x) => Math.exp(-Math.exp(-x)),
  cauchy: (x) => 0.5 + Math.atan(x) / Math.PI,
  logistic: (x) => 1 / (1 + Math.exp(-x)),
  truncatedNormal: (x) => (normalCdf(x) - normalCdf(-2)) / (normalCdf(2) - normalCdf(-2)),
};

for (const [name, cdf] of Object.entries(cdfs)) {
  test(`${name} is distributed as it should be`, () => {
    for (const dtype of /** @type {const} */ (['f64', 'f32'])) {
      const sample = /** @type {any} */ (random)[name]([N], { seed: 1, dtype });
      assert.equal(sample.dtype, dtype);
      const values = list(sample);
      assert.ok(values.every(Number.isFinite), dtype);
      const found = distance(values.slice(0, name.includes('ormal') ? 4000 : N), cdf);
      assert.ok(found < 1.95, `${dtype}: ${found}`);
    }
  });
}

test('uniform stays in [0, 1) and normal has tails', () => {
  for (const dtype of /** @type {const} */ (['f64', 'f32'])) {
    const uniform = list(random.uniform([N], { seed: 3, dtype }));
    assert.ok(uniform.every((x) => x >= 0 && x < 1));
    const normal = list(random.normal([20 * N], { seed: 3, dtype }));
    assert.ok(normal.some((x) => x > 4) && normal.some((x) => x < -4));
    const mean = normal.reduce((sum, x) => sum + x, 0) / normal.length;
    const fourth = normal.reduce((sum, x) => sum + x ** 4, 0) / normal.length;
    assert.ok(Math.abs(mean) < 0.005 && Math.abs(fourth - 3) < 0.06, `${mean}, ${fourth}`);
  }
});

test('parameters move and scale, as numbers, tensors and values', () => {
  const standard = list(random.normal([4], { seed: 1 }));
  assert.deepEqual(list(random.normal([4], { seed: 1, mean: 10, std: 2 })), standard.map((x) => x * 2 + 10));
  assert.deepEqual(list(random.normal([4], { seed: 1, std: tensor([0, 1, 2, 3]) })), standard.map((x, i) => x * i));
  assert.equal(random.normal([4], { seed: 1, dtype: 'f32', mean: 0.5 }).dtype, 'f32');
  const traced = jit((/** @type {any} */ mean) => random.normal([4], { seed: 1, mean }));
  assert.deepEqual(list(traced(10)), standard.map((x) => x + 10));
  const uniform = list(random.uniform([N], { seed: 1, low: -3, high: 5 }));
  assert.ok(uniform.every((x) => x >= -3 && x <= 5) && Math.abs(uniform.reduce((a, b) => a + b) / N - 1) < 0.05);
  const cut = list(random.truncatedNormal([N], { seed: 1, low: 3, high: 4 }));
  assert.ok(cut.every((x) => x >= 3 && x <= 4));
});

test('randint gives each integer as often, up to whole ranges of a dtype', () => {
  const counts = new Array(6).fill(0);
  for (const x of list(random.randint([N], -2, 4, { seed: 1 }))) counts[x + 2]++;
  const chi = counts.reduce((sum, count) => sum + (count - N / 6) ** 2 / (N / 6), 0);
  assert.ok(chi < 20.5, `${counts}`); // p = 0.999 with 5 degrees of freedom
  for (const [dtype, low, high] of /** @type {[any, any, any][]} */ ([['i64', -(2n ** 63n), 2n ** 63n], ['u64', 0, 2n ** 64n], ['u32', 0, 2 ** 32], ['i8', -128, 128], ['u8', 7, 8]])) {
    const values = Array.from(random.randint([500], low, high, { seed: 2, dtype }).data, BigInt);
    assert.ok(values.every((x) => x >= BigInt(low) && x < BigInt(high)), dtype);
    if (dtype !== 'u8') assert.ok(values.some((x) => x > (BigInt(low) + BigInt(high)) / 2n) && values.some((x) => x < (BigInt(low) + BigInt(high)) / 2n));
  }
});

test('bernoulli and categorical are as likely as told', () => {
  const share = (/** @type {any} */ sample) => list(sample).reduce((sum, x) => sum + x, 0) / N;
  assert.ok(Math.abs(share(random.bernoulli([N], { seed: 1, p: 0.3 })) - 0.3) < 0.01);
  assert.equal(share(random.bernoulli([N], { seed: 1, p: 0 })), 0);
  assert.equal(share(random.bernoulli([N], { seed: 1, p: 1 })), 1);
  const logits = tensor([[0, Math.log(3)], [-Infinity, 0]]);
  const drawn = random.categorical(logits, { seed: 4, shape: [N / 2] });
  assert.deepEqual([drawn.dtype, ...drawn.shape], ['i64', N / 2, 2]);
  const ones = list(drawn).reduce((sums, x, i) => ((sums[i % 2] += x), sums), [0, 0]);
  assert.ok(Math.abs(ones[0] / (N / 2) - 0.75) < 0.015, `${ones[0]}`);
  assert.equal(ones[1], N / 2);
  assert.deepEqual(random.categorical(logits, { seed: 4, axis: 0 }).shape, [2]);
});

test('the inverse of the error function is one', () => {
  const points = [-1, -0.9999999999, -0.999, -0.5, -1e-9, 0, 0.3, 0.9, 0.99999, 1 - 2 ** -53, 1];
  const [inverse, back] = jit((/** @type {any} */ x) => [x.erfInv(), x.erfInv().erf()])(tensor(points));
  assert.deepEqual([inverse.at(0), inverse.at(10)], [-Infinity, Infinity]);
  points.forEach((x, i) => assert.ok(Math.abs(back.at(i) - x) <= 2 ** -52 * Math.abs(x), `${x}`));
  const single = jit((/** @type {any} */ x) => x.erfInv().erf())(tensor(points.slice(1, 9), { dtype: 'f32' }));
  points.slice(1, 9).forEach((x, i) => assert.ok(Math.abs(single.at(i) - x) <= 2 ** -21 * Math.abs(x) + 2 ** -23, `${x}`));
  assert.ok(Number.isNaN(jit((/** @type {any} */ x) => x.erfInv())(2).item()));
});

// ------------------------------------------------------------------------------------------ errors

test('keys, seeds, shapes and options are checked', () => {
  refuses(() => random.normal([2], /** @type {any} */ (undefined)), 'ERR_ARGUMENT', /^random\.normal: expected option 'key' or 'seed'/);
  refuses(() => random.normal([2], { seed: 1, key: random.key(1) }), 'ERR_ARGUMENT', /got both/);
  refuses(() => random.normal([2], { key: tensor([1, 2]) }), 'ERR_ARGUMENT', /expected a key \(u32\[2\], .* got Tensor f64\[2\]/);
  refuses(() => random.key(0.5), 'ERR_ARGUMENT', /an integer of at most 64 bits for the seed, got 0\.5/);
  refuses(() => random.key(2n ** 64n), 'ERR_ARGUMENT', /at most 64 bits/);
  refuses(() => random.normal([-1], { seed: 1 }), 'ERR_ARGUMENT', /random\.normal: expected at most 8 sizes of at least 0 for the shape/);
  refuses(() => random.normal([2], { seed: 1, dtype: /** @type {any} */ ('i32') }), 'ERR_DTYPE', /a float dtype for option 'dtype', got "i32"/);
  refuses(() => random.normal([2], /** @type {any} */ ({ seed: 1, sdt: 2 })), 'ERR_ARGUMENT', /unknown option 'sdt' \(did you mean 'std'\?\)/);
  refuses(() => random.randint([2], 3, 3, { seed: 1 }), 'ERR_ARGUMENT', /expected low below high, got 3 and 3/);
  refuses(() => random.randint([2], 0, 300, { seed: 1, dtype: 'u8' }), 'ERR_DTYPE', /u8 holds the integers 0 to 255, got 0 to 299/);
  refuses(() => random.split(random.key(1), 0), 'ERR_ARGUMENT', /an integer of at least 1 for the count/);
  refuses(() => random.foldIn(random.key(1), 0.5), 'ERR_ARGUMENT', /an integer for the data/);
  refuses(() => random.categorical(tensor([1]), { seed: 1, axis: 1 }), 'ERR_SHAPE', /axis 1 is not one of a value of rank 1/);
  assert.ok(random.key(1) instanceof Tensor);
});
