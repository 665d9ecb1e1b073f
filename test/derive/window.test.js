// Derivatives of convolutions and of reductions of windows: random windows, strides, dilations, gaps, groups and paddings,
// also such that take away, with numbers and with symbols for sizes; zeros among factors; who gets what among equals.
'use strict';

const assert = require('node:assert/strict');
const { describe, test } = require('node:test');
const { tensor, where } = require('graphjit');
const { append, stateOf } = require('../../lib/graph/value.js');
const { randomOf } = require('../support/values.js');
const { checkDerivatives, checkSizes, derivativeGraph, derivativesAt, randomTensor } = require('./support.js');

/** @typedef {import('graphjit').Value} Value */
/** @typedef {{ size: number, window: number, stride: number, lo: number, hi: number, base: number, dilation: number }} Slide */

/** @type {(slide: Slide) => number} */
const placesOf = ({ size, window, stride, lo, hi, base, dilation }) => Math.floor(((size - 1) * base + lo + hi - (window - 1) * dilation) / stride) + 1;

/** @type {(slides: Slide[]) => Record<string, number[]>} */
const attrsOf = (slides) => ({
  stride: slides.map(({ stride }) => stride),
  lo: slides.map(({ lo }) => lo),
  hi: slides.map(({ hi }) => hi),
  base_dilation: slides.map(({ base }) => base),
  dilation: slides.map(({ dilation }) => dilation),
});

/** @type {(x: Value, kernel: Value, slides: Slide[], groups?: number) => Value} */
const conv = (x, kernel, slides, groups = 1) => append(stateOf(x), 'conv', [x, kernel], { ...attrsOf(slides), groups });

/** @type {(op: string, x: Value, slides: Slide[]) => Value} */
const reduction = (op, x, slides) => append(stateOf(x), op, [x], { ...attrsOf(slides), window: slides.map(({ window }) => window) });

/** Windows along an axis, at least one of them. @type {(random: () => number, most?: number) => Slide} */
function randomSlide(random, most = 5) {
  const below = (/** @type {number} */ n) => Math.floor(random() * n);
  for (;;) {
    const slide = { size: 1 + below(most), window: 1 + below(3), stride: 1 + below(3), lo: below(5) - 1, hi: below(5) - 1, base: 1 + (below(3) === 0 ? below(2) : 0), dilation: 1 + below(2) };
    const kept = (slide.size - 1) * slide.base + 1 + Math.min(slide.lo, 0) + Math.min(slide.hi, 0);
    if (kept > 0 && placesOf(slide) > 0 && placesOf(slide) < 9) return slide;
  }
}

/** @type {(slide: Partial<Slide>) => Slide} */
const slideOf = (slide) => ({ size: 1, window: 1, stride: 1, lo: 0, hi: 0, base: 1, dilation: 1, ...slide });

/** Sizes along axes that have windows, as symbols. @type {(slides: Slide[]) => string[]} */
const symbolsOf = (slides) => slides.map((_, i) => 'hwd'[i] ?? `s${i}`);

describe('derivatives of conv', () => {
  for (let seed = 1; seed <= 9; seed++) {
    const random = randomOf(seed);
    const slides = Array.from({ length: 1 + (seed % 3) }, () => randomSlide(random, seed % 3 === 2 ? 3 : 5));
    const [groups, inner, outer, images] = [1 + (seed % 2), 1 + Math.floor(random() * 2), 1 + Math.floor(random() * 2), 1 + Math.floor(random() * 2)];
    const text = slides.map((slide) => Object.values(slide).join(' ')).join(', ');

    test(`${groups} groups, seed ${seed}: ${text}`, () => {
      const x = randomTensor([images, groups * inner, ...slides.map(({ size }) => size)], { seed });
      const w = randomTensor([groups * outer, inner, ...slides.map(({ window }) => window)], { seed: seed + 100 });
      checkDerivatives(({ x: input, w: kernel }) => conv(input, kernel, slides, groups), { x, w }, { symbolic: { x: ['n', groups * inner, ...symbolsOf(slides)] } });
    });
  }

  test('with a kernel whose size is a symbol', () => {
    const sizes = [[5, 3], [6, 1], [3, 2], [2, 3]];
    const all = sizes.map(([h, k], i) => ({ x: randomTensor([2, 2, h], { seed: i }), w: randomTensor([4, 1, k], { seed: i + 9 }) }));
    for (const slide of [slideOf({ stride: 2, lo: 1, hi: 2, base: 2 }), slideOf({ lo: 2, hi: 1, dilation: 2 }), slideOf({ lo: 1, hi: 1 })]) {
      const symbolic = { x: ['n', 2, 'h'], w: [4, 1, 'k'] };
      checkSizes(({ x, w }) => conv(x, w, [slide], 2), all, symbolic, { differences: false });
    }
  });

  test('with a kernel of many positions, which is a convolution with the cotangent', () => {
    const slides = [slideOf({ size: 13, window: 9, stride: 2, lo: 1, hi: 3 }), slideOf({ size: 9, window: 8, lo: 2, hi: -1 })];
    const x = randomTensor([2, 2, 13, 9], { seed: 5 });
    const w = randomTensor([2, 1, 9, 8], { seed: 6 });
    checkDerivatives(({ x: input, w: kernel }) => conv(input, kernel, slides, 2), { x, w }, { symbolic: { x: ['n', 2, 'h', 'v'] }, second: false });
  });

  for (const slides of [
    [slideOf({ size: 11, window: 5, stride: 5, lo: 1 }), slideOf({ size: 13, window: 4, stride: 6, lo: -1, hi: 2 })],
    [slideOf({ size: 37, window: 17, stride: 20, lo: 2, hi: 3 })],
    [slideOf({ size: 9, window: 5, stride: 4, lo: 2, hi: 1 }), slideOf({ size: 8, window: 6, stride: 5, lo: 1, hi: 3 })],
  ]) {
    test(`of large steps: ${slides.map(({ window, stride }) => `${window} by ${stride}`).join(', ')}`, () => {
      const x = randomTensor([2, 2, ...slides.map(({ size }) => size)], { seed: 5 });
      const w = randomTensor([4, 1, ...slides.map(({ window }) => window)], { seed: 6 });
      checkDerivatives(({ x: input, w: kernel }) => conv(input, kernel, slides, 2), { x, w }, { symbolic: { x: ['n', 2, ...symbolsOf(slides)] }, differences: false, second: false });
    });
  }

  test('of sizes from 1 to primes, by one program', () => {
    const slides = [slideOf({ window: 3, stride: 2, lo: 1, hi: 1 })];
    const all = [[1, 1], [2, 2], [3, 7], [1, 11], [2, 12]].map(([n, h], i) => ({ x: randomTensor([n, 2, h], { seed: i }), w: randomTensor([3, 2, 3], { seed: 20 + i }) }));
    checkSizes(({ x: input, w: kernel }) => conv(input, kernel, slides).sin(), all, { x: ['n', 2, 'h'] });
  });

  test('of nothing: no images, no channels, no places', () => {
    const slides = [slideOf({ window: 2 })];
    for (const [shape, kernel] of [[[0, 2, 4], [3, 2, 2]], [[2, 0, 4], [3, 0, 2]], [[2, 2, 4], [0, 2, 2]], [[2, 2, 1], [3, 2, 2]]]) {
      const x = randomTensor(shape);
      const w = randomTensor(kernel);
      checkDerivatives(({ x: input, w: weights }) => conv(input, weights, slides), { x, w }, { differences: false });
    }
  });
});

describe('derivatives of reductions of windows', () => {
  for (const op of ['window_sum', 'window_prod', 'window_min', 'window_max']) {
    for (let seed = 1; seed <= 6; seed++) {
      const random = randomOf(seed * 7);
      const slides = Array.from({ length: 1 + (seed % 3) }, () => randomSlide(random, seed % 3 === 2 ? 4 : 7));
      const text = slides.map((slide) => Object.values(slide).join(' ')).join(', ');

      test(`${op}, seed ${seed}: ${text}`, () => {
        const x = randomTensor(slides.map(({ size }) => size), { seed });
        const build = (/** @type {{ x: Value }} */ { x: value }) => {
          const y = reduction(op, value, slides);
          return where(y.isFinite(), y.mul(y), 0); // a window of padding alone has an infinite extreme
        };
        checkDerivatives(build, { x }, { symbolic: { x: symbolsOf(slides) }, step: 1e-5 });
      });
    }
  }
});

describe('who gets what', () => {
  /** The gradient of a pool by its operand for cotangents, and its change. @type {(op: string, data: number[], slides: Slide[], ct: number[], t: number[], shape?: number[]) => { grad: number[], change: number[] }} */
  const at = (op, data, slides, ct, t, shape = [data.length]) => {
    const x = tensor(Float64Array.from(data), { shape });
    const results = derivativesAt(({ x: value }) => reduction(op, value, slides), { x }, { 'ct 0': ct, 't x': t });
    return { grad: [...results['grad x']], change: [...results['change 0']] };
  };

  test('the first of equals, in row-major order', () => {
    const slides = [slideOf({ window: 2, stride: 2 }), slideOf({ window: 2, stride: 2 })];
    const { grad, change } = at('window_max', [1, 7, 3, 3, 7, 7, 3, 3], slides, [10, 20], [1, 2, 3, 4, 5, 6, 7, 8], [2, 4]);
    assert.deepEqual(grad, [0, 10, 20, 0, 0, 0, 0, 0]);
    assert.deepEqual(change, [2, 3]);
    assert.deepEqual(at('window_min', [0, -0, 5], [slideOf({ window: 3 })], [1], [1, 2, 3]), { grad: [1, 0, 0], change: [1] });
  });

  test('an element gets of all windows that it is the first of', () => {
    const { grad, change } = at('window_max', [1, 4, 2, 4, 0], [slideOf({ window: 3 })], [1, 10, 100], [1, 2, 3, 4, 5]);
    assert.deepEqual(grad, [0, 11, 0, 100, 0]);
    assert.deepEqual(change, [2, 2, 4]);
  });

  test('padding gets nothing, even where it is equal', () => {
    const slides = [slideOf({ window: 3, stride: 2, lo: 1, hi: 1 })];
    const data = [-Infinity, -Infinity, -Infinity];
    assert.deepEqual(at('window_max', data, slides, [1, 10], [1, 2, 3]), { grad: [1, 10, 0], change: [1, 2] });
    assert.deepEqual(at('window_max', [5], [slideOf({ window: 1, stride: 1, lo: 1, base: 2 })], [1, 10], [3]), { grad: [10], change: [0, 3] });
  });

  test('NaN is equal to nothing', () => {
    assert.deepEqual(at('window_max', [1, NaN, 2, 3], [slideOf({ window: 2, stride: 2 })], [1, 10], [1, 2, 3, 4]), { grad: [0, 0, 0, 10], change: [0, 4] });
  });

  test('products with zeros among the factors', () => {
    const slides = [slideOf({ window: 3, lo: 1 })];
    const { grad, change } = at('window_prod', [2, 0, 3, 0], slides, [1, 10, 100], [1, 1, 1, 1]);
    assert.deepEqual(grad, [0, 2 + 60, 0, 0]);
    assert.deepEqual(change, [2, 6, 0]);
  });

  test('a window that is too large or of no known size is refused', () => {
    const x = randomTensor([2000]);
    const build = (/** @type {number | string} */ window) => (/** @type {{ x: Value }} */ { x: value }) => append(stateOf(value), 'window_max', [value], { ...attrsOf([slideOf({})]), window: stateOf(value).dims([window], 'test') });
    assert.throws(() => derivativesAt(build(1500), { x }, {}), /derivative of window_max \(%\d+\): its window has more than 1024 elements/);
    const symbolic = { x: ['n'] };
    assert.throws(() => derivativeGraph(build('n'), { x }, { symbolic }), /derivative of window_max \(%\d+\): its window has a size that is not known/);
  });
});
