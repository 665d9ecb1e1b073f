// Fourier transforms: against sums of products in JavaScript over every length up to some, primes and products of many
// factors, of one and of several axes, cut off and padded, scaled in every way; the way back; what is made of them; and
// the same bits everywhere in 'strict'.
'use strict';

const assert = require('node:assert/strict');
const { describe, test } = require('node:test');
const { Graph, tensor } = require('graphjit');
const { allWays, assertAgreement, reference, runGuarded } = require('../support/oracles.js');
const { arrayOf, randomOf } = require('../support/values.js');
const { library } = require('./library-table.js');

/** @typedef {any} Tensor */

const EPSILON = { f64: 2 ** -52, f32: 2 ** -23 };

/** @type {(shape: number[], seed?: number, dtype?: 'f64' | 'f32') => Tensor} */
function random(shape, seed = 1, dtype = 'f64') {
  const next = randomOf(seed);
  const count = shape.reduce((a, b) => a * b, 1);
  return tensor(arrayOf(dtype, Array.from({ length: count }, () => 2 * next() - 1)), { dtype, shape });
}

/** Pairs transformed by sums, angles reduced as integers. @type {(pairs: ArrayLike<number>, sign: number) => Float64Array} */
function sums(pairs, sign) {
  const n = pairs.length / 2;
  const result = new Float64Array(2 * n);
  const [cos, sin] = [Math.cos, Math.sin].map((of) => Float64Array.from({ length: n }, (_, i) => of((2 * Math.PI * i) / n)));
  for (let k = 0; k < n; k++)
    for (let j = 0; j < n; j++) {
      const at = (j * k) % n;
      const [re, im, c, s] = [pairs[2 * j], pairs[2 * j + 1], cos[at], sign * sin[at]];
      result[2 * k] += re * c - im * s;
      result[2 * k + 1] += re * s + im * c;
    }
  return result;
}

/** That the distance is small beside the length of the vector. @type {(got: ArrayLike<number>, want: ArrayLike<number>, n: number, dtype: string, title: string) => void} */
function assertNear(got, want, n, dtype, title) {
  assert.equal(got.length, want.length, title);
  const square = (/** @type {(i: number) => number} */ of) => Math.sqrt(Array.from(want, (_, i) => of(i) ** 2).reduce((a, b) => a + b, 0));
  const [distance, size] = [square((i) => got[i] - want[i]), square((i) => want[i])];
  const bound = 4 * EPSILON[/** @type {'f64'} */ (dtype)] * (Math.log2(n + 1) + 1) * size + (dtype === 'f64' ? 1e-14 : 0);
  assert.ok(distance <= bound, `${title}: ${distance} is above ${bound}`);
}

describe('examples', () => {
  for (const name of ['fft', 'rfft', 'irfft'])
    test(name, async () => {
      const graph = new Graph('examples');
      const { examples } = library[name];
      examples.forEach(([build], /** @type {number} */ i) => graph.output(`r${i}`, build(graph)));
      const want = reference(graph, {});
      examples.forEach(([, nested], /** @type {number} */ i) => assertNear(want[`r${i}`].data, [nested].flat(9), 4, 'f64', `${name} ${i}`));
      assertAgreement(await allWays(graph), {}, want, { title: name, tolerance: () => ({ absolute: 1e-15 }) });
    });
});

const LENGTHS = [...Array.from({ length: 72 }, (_, i) => i + 1), 81, 96, 97, 100, 120, 125, 127, 128, 131, 143, 169, 210, 243, 251, 256, 257, 289, 343, 360, 509, 512, 1000, 1024, 1155];

for (const dtype of /** @type {const} */ (['f64', 'f32'])) {
  test(`transforms of ${dtype} are what sums give, of every length`, () => {
    const graph = new Graph('transforms');
    const x = graph.input('x', dtype, ['b', 'n', 2]);
    const y = graph.input('y', dtype, ['b', 'n']);
    const bins = y.rfft();
    graph.output('forward', x.fft()).output('inverse', x.ifft()).output('bins', bins).output('back', bins.irfft({ n: 'n' }));
    const program = graph.compile();
    for (const n of LENGTHS)
      for (const b of n < 40 ? [1, 2, 3, 8] : [2]) {
        const [pairs, reals] = [random([b, n, 2], n, dtype), random([b, n], n + 1, dtype)];
        const got = program.run({ x: pairs, y: reals });
        const title = `${n}, ${b} of them`;
        for (let line = 0; line < b; line++) {
          const own = pairs.data.subarray(2 * n * line, 2 * n * (line + 1));
          const part = (/** @type {any} */ of, /** @type {number} */ size) => of.data.subarray(size * line, size * (line + 1));
          assertNear(part(got.forward, 2 * n), sums(own, -1), n, dtype, `fft of ${title}`);
          assertNear(part(got.inverse, 2 * n), sums(own, 1).map((value) => value / n), n, dtype, `ifft of ${title}`);
          const values = part(reals, n);
          const half = 2 * (Math.floor(n / 2) + 1);
          const whole = Array.from({ length: 2 * n }, (_, i) => (i % 2 === 0 ? values[i / 2] : 0));
          assertNear(part(got.bins, half), sums(whole, -1).slice(0, half), n, dtype, `rfft of ${title}`);
          assertNear(part(got.back, n), values, n, dtype, `irfft of ${title}`);
        }
      }
  });

  test(`long transforms of ${dtype} come back, and have a spike where a wave has one`, () => {
    for (const n of [1 << 15, 3 * 5 * 7 * 11 * 13, 10007, 65536, 65537, 1 << 17]) {
      const x = random([n, 2], 3, dtype);
      assertNear(x.fft().ifft().data, x.data, n, dtype, `${n} and back`);
      const wave = tensor(arrayOf(dtype, Array.from({ length: n }, (_, i) => Math.cos((2 * Math.PI * ((i * 17) % n)) / n))));
      const size = wave.rfft().complexAbs();
      assert.equal(Number(size.argmax().item()), 17);
      assert.ok(Math.abs(size.at(17) / (n / 2) - 1) < 100 * EPSILON[dtype]);
      assertNear(wave.rfft().irfft({ n }).data, wave.data, n, dtype, `${n} real and back`);
    }
  });
}

test("machine code, wasm and the reference agree, in 'strict' to the bit", async () => {
  const graph = new Graph('transforms');
  const x = graph.input('x', 'f64', ['b', 'n', 2]);
  const y = graph.input('y', 'f32', ['b', 'n']);
  graph.output('fft', x.fft()).output('rfft', y.rfft()).output('irfft', x.irfft({ n: '2*n - 1' })).output('plane', x.ifft2());
  const ways = await allWays(graph);
  for (const [b, n] of [[1, 8], [3, 30], [2, 64], [5, 17], [0, 4], [2, 360], [1, 1031], [2, 2048]]) {
    const inputs = { x: { dtype: 'f64', shape: [b, n, 2], data: random([b, n, 2], n).data }, y: { dtype: 'f32', shape: [b, n], data: random([b, n], n, 'f32').data } };
    const want = reference(graph, inputs);
    /** What strict code gave first. @type {any} */
    let strict;
    for (const way of ways) {
      const got = runGuarded(way, inputs, want, way.name);
      for (const [name, { data, dtype }] of Object.entries(want)) assertNear(got[name].data, data, n, dtype, `${way.name}, ${name} of ${b} of ${n}`);
      if (way.numerics !== 'strict') continue;
      strict ??= got;
      for (const name of Object.keys(want)) assert.deepEqual(got[name].data, strict[name].data, `${way.name}, ${name} of ${b} of ${n}`);
    }
  }
  for (const way of ways) way.dispose();
});

describe('options', () => {
  const x = random([4, 6, 2]);
  const near = (/** @type {Tensor} */ got, /** @type {Tensor} */ want) => {
    assert.deepEqual(got.shape, want.shape);
    assertNear(got.copy().data, want.copy().data, 30, 'f64', 'option'); // views have the data of what they are of
  };

  test('axes, lengths and norms', () => {
    near(x.fft({ axis: 0 }), x.transpose([1, 0, 2]).fft().transpose([1, 0, 2]));
    near(x.fft({ n: 4 }), x.slice(null, [0, 4]).fft());
    near(x.fft({ n: 9 }), x.pad([[0, 0], [0, 3], [0, 0]]).fft());
    near(x.fft({ norm: 'ortho' }), x.fft().div(Math.sqrt(6)));
    near(x.fft({ norm: 'forward' }), x.fft().div(6));
    near(x.ifft({ norm: 'forward' }), x.ifft().mul(6));
    near(x.real().rfft({ axis: 0, n: 5 }), x.real().pad([[0, 1], [0, 0]]).T.rfft().transpose([1, 0, 2]));
    near(x.irfft({ axis: 0, n: 4 }), x.slice([0, 3]).transpose([1, 0, 2]).irfft({ n: 4 }).T);
  });

  test('several axes', () => {
    near(x.fft2(), x.fft().fft({ axis: 0 }));
    near(x.fftn({ axes: [1], norm: 'ortho' }), x.fft({ norm: 'ortho' }));
    near(x.fftn().ifftn(), x);
    near(x.fft2({ s: [2, 8] }).ifft2(), x.slice([0, 2]).pad([[0, 0], [0, 2], [0, 0]]));
    near(x.real().rfftn(), x.real().rfft().fft({ axis: 0 }));
    near(x.real().rfft2().irfft2({ s: [4, 6] }), x.real());
    near(random([3, 4, 5]).rfftn().irfftn({ s: [3, 4, 5] }), random([3, 4, 5]));
    near(random([3, 4, 5]).rfft2({ axes: [0, 1] }).irfft2({ axes: [0, 1] }), random([3, 4, 5]));
  });

  test('order of bins', () => {
    for (const n of [1, 4, 5]) {
      const places = tensor(Array.from({ length: n }, (_, i) => i), { dtype: 'f64' });
      near(places.fftshift({ complex: false }), places.roll(Math.floor(n / 2)));
      near(places.fftshift({ complex: false }).ifftshift({ complex: false }), places);
    }
    near(x.fftshift({ axes: 1 }), x.roll(3, { axis: 1 }));
    near(x.fftshift(), x.roll(3, { axis: 1 }).roll(2, { axis: 0 })); // not the parts
    near(x.fftshift({ axes: -1 }).ifftshift({ axes: -1 }), x);
    assert.throws(() => x.real().fftshift(), /a last axis of size 2, got \[4, 6\]; real values take the option complex: false/);
  });

  test('complex values', () => {
    const [a, b] = [random([3, 2]), random([3, 2], 2)];
    near(a.complexMul(b).real(), a.real().mul(b.real()).sub(a.imag().mul(b.imag())));
    near(a.complexMul(b.conj()).imag(), a.imag().mul(b.real()).sub(a.real().mul(b.imag())));
    near(a.complexAbs().mul(a.angle().cos()), a.real());
    near(a.real().complex(a.imag()), a);
    assert.deepEqual(tensor([1, NaN]).complex().toArray(), [[1, 0], [NaN, 0]]);
    assert.deepEqual(tensor([[1], [2]]).complex(tensor([3, 4])).shape, [2, 2, 2]);
  });

  test('convolutions', () => {
    const [a, b] = [random([9]), random([4], 2)];
    const full = Array.from({ length: 12 }, (_, i) => a.toArray().reduce((sum, value, k) => sum + (i - k >= 0 && i - k < 4 ? value * b.at(i - k) : 0), 0));
    const f64 = (/** @type {number[]} */ values) => tensor(values, { dtype: 'f64' });
    near(a.fftConvolve(b), f64(full));
    near(a.fftConvolve(b, { mode: 'same' }), f64(full.slice(1, 10)));
    near(a.fftConvolve(b, { mode: 'valid' }), f64(full.slice(3, 9)));
    const [image, kernel] = [random([7, 6]), random([3, 3], 2)];
    near(image.fftConvolve(kernel, { mode: 'valid' }), image.reshape([1, 1, 7, 6]).conv(kernel.flip().reshape([1, 1, 3, 3])).reshape([5, 4]));
    near(random([2, 9]).fftConvolve(b.reshape([1, 4]), { axes: 1 }).slice(1), random([2, 9]).slice(1).fftConvolve(b));
    assert.throws(() => a.fftConvolve(image), /expected operands of as many axes/);
    assert.throws(() => b.fftConvolve(a, { mode: 'valid' }), /no longer than the first/);
  });

  test('frames of signals, and the signals of frames', () => {
    const signal = random([2, 40, 1]);
    const window = tensor(Float64Array.from({ length: 8 }, (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * (i + 0.5)) / 8)));
    for (const options of [{ step: 4, window }, { step: 3, length: 8 }, { step: 2, window, onesided: false }]) {
      const back = signal.stft(options).istft(options);
      const covered = back.shape[1];
      near(options.onesided === false ? back.slice(null, null, [0, 1]) : back, signal.slice(null, [0, covered]));
    }
    assert.throws(() => signal.istft({ step: 2, length: 4 }), /istft: expected real and imaginary parts/);
  });

  test('halves are computed in f32', () => {
    const half = tensor([1, 2, 3, 4], { dtype: 'f16' }).rfft();
    assert.deepEqual([half.dtype, half.toArray()], ['f16', [[10, 0], [-2, 2], [-2, 0]]]);
  });
});
