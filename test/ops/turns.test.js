// Numerics 'fast': sines and cosines of angles in turns, c x with c a rounded multiple of 2 pi, and of angles that are none.
'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { jit, native, tensor } = require('graphjit');
const { generator } = require('../support/generator.js');

const functions = {
  /** In turns: exact up to one rounding of the fraction. */
  sin: (x) => Math.sin(2 * Math.PI * (x - Math.round(x))),
  cos: (x) => Math.cos(2 * Math.PI * (x - Math.round(x))),
};
const special = [0, -0, 0.25, -0.25, 0.5, 0.75, 1, -1, 1e-320, 1e-12, 0.25 + 1e-9, 123456.5, 2 ** 40 + 0.25, 2 ** 52 + 1, 1e300, -1e308];

test('angles in turns are reduced exactly, for every size', () => {
  const next = generator(4);
  for (const [dtype, tolerance] of [['f64', 2e-15], ['f32', 1e-6]]) {
    for (const name of ['sin', 'cos']) {
      for (const turns of [1, -1, 0.5, 3, 0.25, 2 ** -20]) {
        const fn = jit((x) => x.mul(2 * Math.PI * turns)[name](), { numerics: 'fast' });
        for (const size of [0, 1, 2, 7, 8, 9, 16, 31, 67]) {
          const x = tensor(Array.from({ length: size }, (_, i) => special[i] ?? (next() - 0.5) * 2 ** (30 * next())), { dtype });
          fn(x).data.forEach((got, i) => {
            const [m, expected] = [x.data[i] * turns, functions[name](x.data[i] * turns)];
            if (!Number.isFinite(m) || (dtype === 'f32' && m !== Math.fround(m))) return; // overflown, or rounded
            assert.ok(Math.abs(got - expected) <= tolerance, `${name}(2π ${m}) of ${dtype}: ${got}, not ${expected}`);
          });
        }
        const none = fn(tensor([NaN, Infinity, -Infinity], { dtype })).data;
        assert.ok(none.every(Number.isNaN));
      }
    }
  }
  const sine = jit((x) => x.mul(2 * Math.PI).sin(), { numerics: 'fast' });
  assert.ok(Object.is(sine(tensor([-0])).data[0], -0) && sine(tensor([1e-9])).data[0] > 6.28e-9);
});

test('other factors are none, and other numerics have no turns', () => {
  const x = tensor(Float64Array.from({ length: 50 }, (_, i) => 1000 + i / 7));
  for (const factor of [6.2831, 1, Math.E, 2 * Math.PI * 1.0001, 1e-300]) {
    const got = jit((angle) => angle.mul(factor).cos(), { numerics: 'fast' })(x).data;
    got.forEach((each, i) => assert.ok(Math.abs(each - Math.cos(factor * x.data[i])) < 1e-15));
  }
  const [whole] = jit((angle) => angle.mul(2 * Math.PI).sin())(tensor([1e6])).data;
  assert.ok(Math.abs(whole - Math.sin(2 * Math.PI * 1e6)) < 1e-16);
});

test('in native functions, whose loops become vectors', () => {
  const sum = (x, out) => {
    let total = 0;
    for (let i = 0; i < x.length; i++) {
      out[i] = Math.sin(Math.PI * x[i]);
      total += Math.cos(2 * Math.PI * x[i]);
    }
    return total;
  };
  const fast = native(sum, { numerics: 'fast' });
  for (const size of [0, 1, 7, 8, 65]) {
    const x = Float64Array.from({ length: size }, (_, i) => i / 9 - 3);
    const [out, expected] = [new Float64Array(size), new Float64Array(size)];
    assert.ok(Math.abs(fast(x, out) - sum(x, expected)) < 1e-13);
    out.forEach((each, i) => assert.ok(Math.abs(each - expected[i]) < 2e-15));
  }
});
