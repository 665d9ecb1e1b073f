// Random numbers: known answers, the same in every way of running, and distributions that are what they say.
'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { Graph, Tensor, jit, random, tensor, zeros } = require('graphjit');
const { throwsGraphError: refuses } = require('./support/errors.js');
const { allWays, assertAgreement, native, reference, wasm } = require('./support/oracles.js');

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

// --------------------------------------------------------------------- by proposals, and by choice

test('gamma, beta and their like are distributed as they should be', () => {
  const draws = /** @type {any} */ (random);
  /** @type {[string, any, (x: number) => number][]} */
  const cases = [
    ['gamma', { a: 1, scale: 2 }, (x) => 1 - Math.exp(-x / 2)],
    ['gamma', { a: 0.5 }, (x) => 2 * normalCdf(Math.sqrt(2 * x)) - 1],
    ['gamma', { a: 3 }, (x) => 1 - Math.exp(-x) * (1 + x + (x * x) / 2)],
    ['beta', { a: 0.3, b: 1 }, (x) => x ** 0.3],
    ['beta', { a: 2, b: 2 }, (x) => x * x * (3 - 2 * x)],
    ['chiSquare', { df: 4 }, (x) => 1 - Math.exp(-x / 2) * (1 + x / 2)],
    ['studentT', { df: 2 }, (x) => 0.5 + x / (2 * Math.sqrt(2 + x * x))],
    ['weibull', { a: 3, scale: 2 }, (x) => 1 - Math.exp(-((x / 2) ** 3))],
    ['pareto', { a: 2.5, scale: 3 }, (x) => 1 - (3 / x) ** 2.5],
    ['rayleigh', { scale: 2 }, (x) => 1 - Math.exp(-(x * x) / 8)],
    ['logNormal', { mean: 1, std: 2 }, (x) => normalCdf((Math.log(x) - 1) / 2)],
  ];
  for (const [name, options, cdf] of cases) {
    const found = distance(list(draws[name]([4000], { ...options, seed: 5 })), cdf);
    assert.ok(found < 1.95, `${name} ${JSON.stringify(options)}: ${found}`);
  }
  const points = random.dirichlet([4000], { alpha: tensor([0.3, 1, 0.7]), seed: 5 });
  assert.ok(distance(list(points.slice(null, 1)), (x) => x) < 1.95); // each is a beta: of 1 and 1
  assert.ok(points.sum({ axis: 1 }).sub(1).abs().max().item() < 1e-15);
});

/** χ² of counts, where as many are expected that it counts. */
function chiSquareOf(/** @type {number[]} */ sample, /** @type {(k: number) => number} */ chance) {
  const counts = new Map();
  for (const k of sample) counts.set(k, (counts.get(k) ?? 0) + 1);
  let [sum, cells] = [0, 0];
  for (let k = 0; k <= Math.max(...sample); k++) {
    const expected = chance(k) * sample.length;
    if (expected < 5) continue;
    sum += ((counts.get(k) ?? 0) - expected) ** 2 / expected;
    cells++;
  }
  return (sum - cells) / Math.sqrt(2 * cells); // deviations from what is expected, about
}

const logFactorial = (/** @type {number} */ n) => Array.from({ length: n }, (_, i) => Math.log(i + 1)).reduce((a, b) => a + b, 0);
const poissonChance = (/** @type {number} */ lam) => (/** @type {number} */ k) => Math.exp(k * Math.log(lam) - lam - logFactorial(k));
const binomialChance = (/** @type {number} */ n, /** @type {number} */ p) => (/** @type {number} */ k) =>
  k > n ? 0 : Math.exp(logFactorial(n) - logFactorial(k) - logFactorial(n - k) + k * Math.log(p) + (n - k) * Math.log1p(-p));

test('counts are as likely as they should be, few and many', () => {
  for (const lam of [0.7, 9.5, 10, 60]) {
    const found = chiSquareOf(list(random.poisson([N], { lam, seed: 6 })), poissonChance(lam));
    assert.ok(found < 4, `poisson of ${lam}: ${found}`);
  }
  for (const [n, p] of [[7, 0.3], [40, 0.5], [100, 0.85], [2000, 0.01]]) {
    const found = chiSquareOf(list(random.binomial([N], { n, p, seed: 6 })), binomialChance(n, p));
    assert.ok(found < 4, `binomial of ${n}, ${p}: ${found}`);
  }
  assert.ok(chiSquareOf(list(random.geometric([N], { p: 0.3, seed: 6 })), (k) => (k === 0 ? 0 : 0.3 * 0.7 ** (k - 1))) < 4);
  const table = random.multinomial([N / 4], { n: 30, p: tensor([0.2, 0, 0.5, 0.3]), seed: 6 });
  [0.2, 0, 0.5, 0.3].forEach((p, i) => assert.ok(chiSquareOf(list(table.slice(null, i)), p === 0 ? (k) => Number(k === 0) : binomialChance(30, p)) < 4, `${p}`));
  assert.ok(list(table.sum({ axis: 1 })).every((x) => x === 30));
  for (const [lam, deviation] of [[1e6, 1e3], [1e14, 1e7]]) {
    const large = random.poisson([4000], { lam, seed: 6, dtype: 'f64' }).sub(lam).div(deviation);
    assert.ok(Math.abs(large.mean().item()) < 0.06 && Math.abs(large.var().item() - 1) < 0.1, `${large.mean()} ${large.var()}`);
  }
});

test('parameters at their ends and beyond give numbers or NaN, not endless loops', () => {
  assert.deepEqual(list(random.gamma([5], { a: tensor([0, Infinity, -1, NaN, 1e300]), seed: 1 })), [0, Infinity, NaN, NaN, 1e300]);
  assert.deepEqual(list(random.poisson([4], { lam: tensor([0, -1, NaN, Infinity]), seed: 1, dtype: 'f32' })), [0, NaN, NaN, NaN]);
  assert.deepEqual(list(random.geometric([4], { p: tensor([-1, 1, 2, NaN]), seed: 1, dtype: 'f64' })), [NaN, 1, NaN, NaN]);
  for (const draw of [random.weibull, random.pareto]) {
    assert.deepEqual(list(draw([2], { a: tensor([-1, NaN]), seed: 1 })), [NaN, NaN]);
    assert.deepEqual(list(draw([1], { a: -1, seed: 1 })), [NaN]);
  }
  assert.deepEqual(list(random.binomial([6], { n: tensor([0, 5, 5, -1, 5, NaN]), p: tensor([0.5, 0, 1, 0.5, 1.5, 0.5]), seed: 1 })), [0, 0, 5, 0, 0, 0]);
  const tiny = list(random.beta([200], { a: 1e-3, b: 1e-3, seed: 1 }));
  assert.ok(tiny.every((x) => x >= 0 && x <= 1) && tiny.some((x) => x < 0.01) && tiny.some((x) => x > 0.99));
  assert.deepEqual([random.poisson([0, 3], { seed: 1 }).shape, random.gamma([], { seed: 1 }).shape], [[0, 3], []]);
  assert.deepEqual([random.gamma([2], { seed: 1, dtype: 'f16' }).dtype, random.poisson([2], { seed: 1, dtype: 'u8' }).dtype], ['f16', 'u8']);
});

test('proposals are the same in every way of running, and of an element whatever is beside it', async () => {
  const graph = new Graph();
  const key = graph.input('key', 'u32', [2]);
  const a = graph.input('a', 'f64', ['n']);
  graph.output('gamma', random.gamma(['n'], { key, a, dtype: 'f32' }));
  graph.output('poisson', random.poisson([2, 'n'], { key, lam: a.mul(4) }));
  graph.output('binomial', random.binomial(['n'], { key, n: 30, p: a.mul(0.1) }));
  graph.output('order', random.permutation(a, { key }));
  graph.output('chosen', random.choice(a, { key, shape: [5], p: a }));
  const ways = [native(graph, { numerics: 'default', optLevel: 1 }), await wasm(graph, 'simd')];
  for (const n of [1, 9]) {
    const data = { key: { dtype: 'u32', shape: [2], data: Uint32Array.of(3, 77) }, a: { dtype: 'f64', shape: [n], data: Float64Array.from({ length: n }, (_, i) => i + 0.5) } };
    const want = reference(graph, data);
    assertAgreement(ways, data, want, { title: `n = ${n}`, tolerance: (name) => (name === 'gamma' ? { ulp: 8 } : {}) });
    const [first, all] = [1, 9].map((lam) => random.poisson([3], { key: tensor(data.key.data), lam: tensor([2, lam, 8]) }));
    assert.deepEqual([first.at(0), first.at(2)], [all.at(0), all.at(2)]);
  }
  for (const way of ways) way.dispose();
});

test('choices are as likely as told, and none comes twice without replacement', () => {
  const share = (/** @type {any} */ sample, /** @type {number} */ of) => list(sample).filter((x) => x === of).length / N;
  const weighted = random.choice(tensor([7, 8, 9]), { seed: 1, shape: [N], p: [1, 0, 3] });
  assert.ok(Math.abs(share(weighted, 7) - 0.25) < 0.01 && share(weighted, 8) === 0);
  assert.ok(chiSquareOf(list(random.choice(7, { seed: 1, shape: [N] })), () => 1 / 7) < 4);
  const many = 2 ** 40 - 3; // the product of bits and so many numbers has more than 64 bits
  const bits = random.bits([100], { seed: 1, dtype: 'u64' }).toArray();
  const wide = bits.map((/** @type {bigint} */ each) => (each * BigInt(many)) >> 64n);
  assert.deepEqual(random.choice(many, { seed: 1, shape: [100] }).toArray(), wide);
  const rows = random.choice(tensor([[1, 2, 3], [4, 5, 6]]), { seed: 2, shape: [2, 2], axis: 1 });
  assert.deepEqual(rows.shape, [2, 2, 2]);
  assert.deepEqual(list(rows.slice(0).add(3)), list(rows.slice(1)));
  assert.deepEqual(new Set(list(random.choice(20, { seed: 1, shape: [4, 5], replace: false }))).size, 20);
  assert.deepEqual(list(random.choice(4, { seed: 1, shape: [2], replace: false, p: [0, 1, 0, 1e-9] })), [1, 3]);
  assert.equal(random.choice(tensor([true]), { seed: 1 }).dtype, 'bool');
  refuses(() => random.choice(4, { seed: 1, shape: [5], replace: false }), 'ERR_ARGUMENT', /cannot choose 5 of 4 without replacement/);
  refuses(() => random.choice(4, { seed: 1, p: [1, 2] }), 'ERR_SHAPE', /expected option 'p' of shape \[4\], got \[2\]/);
  refuses(() => random.choice(4, { seed: 1, p: /** @type {any} */ ('ab') }), 'ERR_ARGUMENT', /random\.choice: .* for option 'p', got "ab"/);
  refuses(() => random.choice(0, { seed: 1 }), 'ERR_ARGUMENT', /nothing to choose from/);
  refuses(() => random.choice(tensor(3), { seed: 1 }), 'ERR_SHAPE', /axis 0 is out of range for rank 0/);
  refuses(() => random.choice(/** @type {any} */ ('ab'), { seed: 1 }), 'ERR_ARGUMENT', /a Tensor, a Value or an integer/);
});

test('permutations have all elements, each order as often', () => {
  const sorted = (/** @type {any} */ t) => list(t).toSorted((a, b) => a - b);
  const many = random.permutation(1000, { seed: 1 });
  assert.deepEqual([many.dtype, sorted(many)], ['i64', Array.from({ length: 1000 }, (_, i) => i)]);
  const rows = random.permutation(tensor([[1, 2], [3, 4], [5, 6]]), { seed: 3 });
  assert.ok(rows.toArray().every(([a, b]) => b === a + 1));
  const wide = random.permutation(tensor([0, 1, 2]).broadcastTo([6000, 3]), { seed: 4, axis: 1, independent: true });
  const codes = list(wide.mul([9, 3, 1]).sum({ axis: 1 })).map((x) => [5, 7, 11, 15, 19, 21].indexOf(x));
  assert.ok(chiSquareOf(codes, () => 1 / 6) < 4, `${new Set(codes)}`);
  assert.deepEqual(list(random.permutation(0, { seed: 1 })), []);
});

test('tensors stand beside keys that are values', () => {
  const low = tensor([1, 2]);
  const draws = (/** @type {any} */ key) => ({
    cut: random.truncatedNormal([2], { key, low, high: 9 }),
    flat: random.uniform([2], { key, low, high: tensor([3, 5]) }),
    coin: random.bernoulli([2], { key, p: tensor([0, 1]) }),
    gamma: random.gamma([2], { key, a: low }),
  });
  const graph = new Graph();
  for (const [name, value] of Object.entries(draws(graph.input('key', 'u32', [2])))) graph.output(name, value);
  const results = graph.compile({ tier: 'auto' }).run({ key: random.key(8) });
  for (const [name, own] of Object.entries(draws(random.key(8)))) assert.ok(own.allClose(results[name], { relative: 1e-14 }).item(), name);
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
  const pair = tensor([1, 2]);
  refuses(() => random.normal([3], { seed: 1, mean: pair }), 'ERR_SHAPE', /^random\.normal: option 'mean' of shape \[2\] does not broadcast to \[3\]$/);
  refuses(() => random.poisson([], { seed: 1, lam: pair }), 'ERR_SHAPE', /^random\.poisson: option 'lam' of shape \[2\] does not broadcast to \[\]$/);
  refuses(() => random.dirichlet([2], { seed: 1, alpha: tensor([[1], [2], [3]]) }), 'ERR_SHAPE', /option 'alpha' of shape \[3, 1\] does not broadcast to \[2\]$/);
  refuses(() => random.dirichlet([2], { seed: 1, alpha: /** @type {any} */ (3) }), 'ERR_ARGUMENT', /a Tensor or a Value of rank 1 at least for option 'alpha'/);
  refuses(() => random.binomial([2], /** @type {any} */ ({ seed: 1 })), 'ERR_ARGUMENT', /^random\.binomial: expected option 'n'$/);
  assert.equal(random.uniform([2], { seed: 1, low: tensor([1, 2], { dtype: 'i32' }), high: 9 }).dtype, 'f64');
  assert.ok(random.key(1) instanceof Tensor);
});
