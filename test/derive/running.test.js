// Derivatives of products, of running products and extremes, and of lgamma: zeros among factors to the second derivative, equals
// and NaN, every axis, sizes from nothing on, and digamma against values from elsewhere.
'use strict';

const assert = require('node:assert/strict');
const { describe, test } = require('node:test');
const { tensor } = require('graphjit');
const { checkDerivatives, checkSizes, derivativesAt, randomTensor } = require('./support.js');

describe('derivatives of products', () => {
  for (const axis of [0, 1, 2, [0, 1], [0, 2], [1, 2], undefined])
    test(`along ${axis === undefined ? 'all axes' : `axis ${axis}`}`, () => {
      checkDerivatives(({ x }) => x.prod({ axis }), { x: randomTensor([3, 2, 4], { lo: 0.5, hi: 2 }) }, { symbolic: { x: [3, 'm', 'n'] }, compiled: axis === 1 || Array.isArray(axis) });
    });

  test('along no axis', () => {
    checkDerivatives(({ x }) => x.reduceProd([]), { x: randomTensor([3, 2]) }, { compiled: false });
  });

  test('zeros among the factors: none, one, two, three', () => {
    const inputs = { x: tensor([[2, 3, 4, 5], [2, 0, 4, 5], [0, 3, 4, 0], [0, 0, 4, 0]]) };
    checkDerivatives(({ x }) => x.prod({ axis: 1 }), inputs, { symbolic: { x: ['n', 4] } });
    const results = derivativesAt(({ x }) => x.prod({ axis: 1 }), inputs, { 'ct 0': [1, 1, 1, 1], 't x': new Array(16).fill(1) });
    assert.deepEqual([...results['grad x']], [60, 40, 30, 24, 0, 40, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    assert.deepEqual([...results['change 0']], [154, 40, 0, 0]);
  });

  test('the second derivative at two zeros is the product of the others', () => {
    const results = derivativesAt(({ x }) => x.prod(), { x: tensor([0, 3, 0, 5]) }, { 'ct 0': [1], 't x': [1, 0, 2, 0] }, { second: true });
    assert.deepEqual([...results['grad change x']], [30, 0, 15, 0]);
    assert.deepEqual([...results['grad grad x']], [30, 0, 15, 0]);
  });

  test('sizes from nothing on, one program for all', () => {
    const inputs = [[0, 0], [0, 3], [1, 1], [7, 2], [3, 37]].map(([m, n]) => ({ x: randomTensor([m, n], { lo: 0.5, hi: 1.5, seed: n + 1 }) }));
    checkSizes(({ x }) => [x.prod(), x.prod({ axis: 0 })], inputs, { x: ['m', 'n'] });
  });

  test('numbers whose product is beyond the floats have the derivatives that are not', () => {
    const results = derivativesAt(({ x }) => x.prod(), { x: tensor([1e200, 1e-200, 1e200, 1e-200, Infinity]) }, { 'ct 0': [1] });
    assert.ok(Math.abs(results['grad x'][4] - 1) < 1e-12);
    assert.equal(results['grad x'][0], Infinity);
  });
});

describe('derivatives of running products', () => {
  for (const axis of [0, 1, 2])
    test(`along axis ${axis}`, () => {
      checkDerivatives(({ x }) => x.cumulateProd(axis).sin(), { x: randomTensor([3, 5, 2], { lo: 0.5, hi: 2 }) }, { symbolic: { x: [3, 'm', 'n'] }, compiled: axis > 0 });
    });

  test('zeros among the factors', () => {
    const inputs = { x: tensor([[2, 3, 4, 5], [2, 0, 4, 5], [0, 3, 4, 0], [0, 0, 4, 0]]) };
    checkDerivatives(({ x }) => x.cumulateProd(1), inputs, { symbolic: { x: ['n', 4] } });
    const results = derivativesAt(({ x }) => x.cumulateProd(0), { x: tensor([2, 0, 3, 0, 5]) }, { 'ct 0': [1, 1, 1, 1, 1], 't x': [1, 1, 1, 1, 1] });
    assert.deepEqual([...results['grad x']], [1, 8, 0, 0, 0]);
    assert.deepEqual([...results['change 0']], [1, 2, 6, 0, 0]);
  });

  test('sizes from nothing on, one program for all', () => {
    const inputs = [[0, 2], [1, 1], [2, 3], [61, 2], [5, 0]].map(([m, n]) => ({ x: randomTensor([m, n], { lo: 0.5, hi: 1.5, seed: n + 1 }) }));
    checkSizes(({ x }) => x.cumulateProd(0), inputs, { x: ['m', 'n'] });
  });
});

for (const name of ['cumulateMax', 'cumulateMin'])
  describe(`derivatives of ${name}`, () => {
    const sign = name === 'cumulateMax' ? 1 : -1;
    const all = (/** @type {number[]} */ list) => tensor(list.map((x) => sign * x));

    for (const axis of [0, 1])
      test(`along axis ${axis}`, () => {
        checkDerivatives(({ x }) => x[name](axis).sin(), { x: randomTensor([4, 5], { seed: axis + 1 }) }, { symbolic: { x: ['m', 'n'] } });
      });

    test('of equals it is the last one', () => {
      const results = derivativesAt(({ x }) => x[name](0), { x: all([1, 1, 0, 2, 1, 2]) }, { 'ct 0': [1, 2, 3, 4, 5, 6], 't x': [1, 2, 3, 4, 5, 6] });
      assert.deepEqual([...results['grad x']], [1, 5, 0, 9, 0, 6]);
      assert.deepEqual([...results['change 0']], [1, 2, 2, 4, 4, 6]);
    });

    test('NaN stays, as the last of them', () => {
      const results = derivativesAt(({ x }) => x[name](0), { x: all([1, NaN, 5, NaN, 2]) }, { 'ct 0': [1, 2, 3, 4, 5] });
      assert.deepEqual([...results['grad x']], [1, 5, 0, 9, 0]);
    });

    test('sizes from nothing on, one program for all', () => {
      checkSizes(({ x }) => x[name](0).sin(), [0, 1, 2, 13, 67].map((n) => ({ x: randomTensor([n, 2], { seed: n }) })), { x: ['n', 2] });
    });
  });

describe('derivatives of lgamma', () => {
  /** ψ and ψ' by mpmath 1.3 at 40 digits. */
  const values = [
    [1e-10, -10000000000.577215, 1e20], [1e-3, -1000.5755719318103, 1000001.6425331958], [0.1, -10.423754940411076, 101.43329915079275],
    [0.5, -1.9635100260214235, 4.934802200544679], [1, -0.5772156649015329, 1.6449340668482264], [1.25, -0.22745353337626542, 1.1973291545071107],
    [1.5, 0.03648997397857652, 0.9348022005446793], [2, 0.42278433509846713, 0.6449340668482264], [3.7, 1.1671535393615113, 0.3100378576700383],
    [9.999, 2.2516474172057355, 0.10517738667672887], [10, 2.251752589066721, 0.10516633568168575], [25, 3.198742512851974, 0.04081066325722558],
    [123.456, 4.811829323828985, 0.008132945834278198], [1e6, 13.815510057964191, 1.0000005000001667e-6], [1e100, 230.25850929940458, 1e-100],
    [-0.25, 2.9141391202135276, 18.541879647671607], [-0.5, 0.03648997397857652, 8.934802200544679], [-1.5, 0.7031566406452432, 9.379246644989124],
    [-20.3, 5.317549924239749, 15.03134603262623], [-100.1, 14.279984365172156, 103.34589883427677],
  ];

  test('digamma and trigamma', () => {
    const ones = values.map(() => 1);
    const results = derivativesAt(({ x }) => x.lgamma(), { x: tensor(values.map(([at]) => at)) }, { 'ct 0': ones, 't x': ones }, { second: true });
    values.forEach(([at, first, second], i) => {
      const near = (/** @type {number} */ got, /** @type {number} */ want, /** @type {number} */ bound) => assert.ok(Math.abs(got - want) <= bound * Math.max(Math.abs(want), at < 2 ? 1 : 0), `at ${at}: ${got}, expected ${want}`);
      near(results['grad x'][i], first, at < 0 ? 1e-13 : 1e-14);
      near(results['change 0'][i], first, at < 0 ? 1e-13 : 1e-14);
      near(results['grad change x'][i], second, at < 0 ? 1e-12 : 1e-13);
    });
  });

  test('poles, infinities and NaN', () => {
    const { 'grad x': grad } = derivativesAt(({ x }) => x.lgamma(), { x: tensor([0, -0, -1, -7, Infinity, -Infinity, NaN, 1e300]) }, { 'ct 0': [1, 1, 1, 1, 1, 1, 1, 1] });
    assert.deepEqual([...grad.slice(0, 7)], [-Infinity, -Infinity, -Infinity, -Infinity, Infinity, NaN, NaN]);
    assert.ok(Math.abs(grad[7] - 690.7755278982137) < 1e-12);
  });

  test('against differences, in f32 and as compiled', () => {
    checkDerivatives(({ x }) => x.lgamma(), { x: randomTensor([3, 7], { lo: 0.3, hi: 30 }) }, { symbolic: { x: ['n', 7] } });
    checkDerivatives(({ x }) => x.lgamma(), { x: randomTensor([11], { lo: -3.8, hi: -3.2 }) }, { tolerance: 1e-5 });
  });

  test('halves are computed in f32', () => {
    const of = (/** @type {any} */ dtype) => derivativesAt(({ x }) => x.astype(dtype).lgamma().astype('f64'), { x: tensor([0.5, 3, 100, 30000]) }, { 'ct 0': [1, 1, 1, 1] })['grad x'];
    [-1.9635100260214235, 0.9227843350984671, 4.600161852738087, 10.308935936427838].forEach((want, i) => {
      assert.ok(Math.abs(of('f16')[i] - want) <= 2 ** -10 * Math.abs(want), `f16 ${i}: ${of('f16')[i]}`);
      assert.ok(Math.abs(of('bf16')[i] - want) <= 2 ** -7 * Math.abs(want), `bf16 ${i}: ${of('bf16')[i]}`);
    });
  });
});
