// Derivatives of gather, the scatters and compress: random roles of axes, windows that overlap, meet and lie outside, indices
// of every sort of dtype, zeros among factors, equals, and empty sizes.
'use strict';

const assert = require('node:assert/strict');
const { describe, test } = require('node:test');
const { tensor } = require('graphjit');
const { arrayOf, randomOf } = require('../support/values.js');
const { assertNear, checkDerivatives, checkSizes, derivativesAt, randomTensor } = require('./support.js');

const SCATTERS = ['scatter', 'scatterAdd', 'scatterMul', 'scatterMin', 'scatterMax'];

/** Shapes and attributes; a number that comes as text is a symbol for it: '5n'. @type {{ operand: any[], indices: any[], options: any, updates: any[] }[]} */
const cases = [
  // elements of a vector
  { operand: ['5n'], indices: ['4m', 1], options: { collapsedAxes: [0], indexMap: [0], window: [1] }, updates: ['4m'] },
  // rows, columns
  { operand: ['5n', 3], indices: ['4m', 1], options: { offsetAxes: [1], collapsedAxes: [0], indexMap: [0], window: [1, 3] }, updates: ['4m', 3] },
  { operand: [2, '3n'], indices: ['5m', 1], options: { offsetAxes: [0], collapsedAxes: [1], indexMap: [1], window: [2, 1] }, updates: [2, '5m'] },
  // windows of several rows and columns that overlap
  { operand: [5, '4n'], indices: ['3m', 2], options: { offsetAxes: [1, 2], indexMap: [1, 0], window: [3, 2] }, updates: ['3m', 3, 2] },
  // the window in front: the innermost axis of the updates numbers windows
  { operand: [4, 3], indices: ['3m', 1], options: { offsetAxes: [0, 1], indexMap: [0], window: [2, 3] }, updates: [2, 3, '3m'] },
  // along an axis of the indices, element by element
  { operand: ['3n', 4], indices: ['3n', '5m', 1], options: { operandBatch: [0], indicesBatch: [0], collapsedAxes: [1], indexMap: [1], window: [1, 1] }, updates: ['3n', '5m'] },
  // two elements of an index vector for axes that are gone
  { operand: ['3n', 4, 2], indices: ['6m', 2], options: { offsetAxes: [0], collapsedAxes: [0, 1], indexMap: [1, 0], window: [1, 1, 2] }, updates: [2, '6m'] },
  // no index at all: one window at the origin
  { operand: [4, 5], indices: [0], options: { offsetAxes: [0, 1], window: [2, 3] }, updates: [2, 3] },
  // index vectors of rank 1: a single window
  { operand: [4, 5], indices: [2], options: { offsetAxes: [0], collapsedAxes: [0], indexMap: [0, 1], window: [1, 3] }, updates: [3] },
];

const sizesOf = (shape) => shape.map((size) => parseInt(size, 10));
const symbolsOf = (shape) => shape.map((size) => (typeof size === 'string' ? size.replace(/^\d+/, '') : size));
const rolesOf = (options) => Object.fromEntries(Object.entries(options).filter(([name]) => name !== 'window'));

/** Indices inside, just outside and far outside. @type {(shape: number[], dtype: string, seed: number) => any} */
function indicesOf(shape, dtype, seed) {
  const random = randomOf(seed);
  const far = dtype === 'u64' ? 2n ** 64n - 1n : dtype === 'i64' ? -(2n ** 63n) : dtype.startsWith('u') ? 200 : -100;
  const one = () => (random() < 0.1 ? far : Math.floor(random() * 5) - (dtype.startsWith('u') ? 0 : 1));
  return tensor(arrayOf(dtype, Array.from({ length: shape.reduce((a, b) => a * b, 1) }, one)), { dtype: /** @type {any} */ (dtype), shape });
}

const INDEX_DTYPES = ['i32', 'i64', 'u8', 'u64', 'i8'];

describe('derivatives of windows at index vectors', () => {
  cases.forEach(({ operand, indices, options, updates }, i) => {
    const dtype = INDEX_DTYPES[i % INDEX_DTYPES.length];
    const inputs = { x: randomTensor(sizesOf(operand), { seed: i + 1 }), at: indicesOf(sizesOf(indices), dtype, i + 3) };
    const symbolic = { x: symbolsOf(operand), at: symbolsOf(indices), u: symbolsOf(updates) };
    const hasSymbols = [operand, indices].flat().some((size) => typeof size === 'string');

    test(`gather, case ${i}, indices of ${dtype}`, () => {
      checkDerivatives(({ x, at }) => x.gather(at, options).sin(), inputs, { symbolic: hasSymbols ? { x: symbolic.x, at: symbolic.at } : undefined });
    });

    for (const [k, name] of SCATTERS.entries())
      test(`${name}, case ${i}, indices of ${dtype}`, () => {
        const updated = { ...inputs, u: randomTensor(sizesOf(updates), { seed: i + 20 }) };
        const isThorough = (i + k) % 5 === 0; // compiled; the roles are those of the case
        checkDerivatives(({ x, at, u }) => x[name](at, u, rolesOf(options)).sin(), updated, { symbolic: isThorough && hasSymbols ? symbolic : undefined, compiled: isThorough });
      });
  });

  test('one program for all sizes, empty ones among them', () => {
    const { options } = cases[1];
    const inputs = [[1, 1], [5, 7], [2, 0], [0, 0], [11, 3]].map(([n, m]) => ({ x: randomTensor([n, 3]), at: indicesOf([m, 1], 'i32', n), u: randomTensor([m, 3], { seed: 5 }) }));
    const empty = { x: randomTensor([0, 3]), at: indicesOf([4, 1], 'i32', 1), u: randomTensor([4, 3], { seed: 6 }) }; // nothing but dropped windows
    for (const name of SCATTERS)
      checkSizes(({ x, at, u }) => x[name](at, u, rolesOf(options)).sin(), [...inputs, empty], { x: ['n', 3], at: ['m', 1], u: ['m', 3] });
    checkSizes(({ x, at }) => x.gather(at, options).sin(), inputs.map(({ x, at }) => ({ x, at })), { x: ['n', 3], at: ['m', 1] });
  });

  test('indices as narrow as 8 bits address tensors that are longer', () => {
    const inputs = { x: randomTensor([300]), at: tensor(Uint8Array.from([250, 7, 250, 255]), { dtype: 'u8', shape: [4, 1] }) };
    const { options } = cases[0];
    const results = derivativesAt(({ x, at }) => x.gather(at, options), inputs, { 'ct 0': [1, 2, 3, 4] });
    assert.deepEqual([...results['grad x'].entries()].filter(([, value]) => value !== 0), [[7, 2], [250, 4], [255, 4]]);
  });
});

/** Elements of a vector. */
const ELEMENTS = { collapsedAxes: [0], indexMap: [0] };
const column = (list) => tensor(Int32Array.from(list), { shape: [list.length, 1] });

describe('conventions of scatters', () => {
  test('the last update of a place has the gradient, the operand where none came, and dropped ones nothing', () => {
    const inputs = { x: tensor([1, 2, 3, 4]), at: column([1, 3, 1, 9, -1]), u: tensor([5, 6, 7, 8, 9]) };
    const results = derivativesAt(({ x, at, u }) => x.scatter(at, u, ELEMENTS), inputs, { 'ct 0': [10, 20, 30, 40], 't x': [1, 2, 3, 4], 't u': [5, 6, 7, 8, 9] });
    assert.deepEqual([...results['grad x']], [10, 0, 30, 0]);
    assert.deepEqual([...results['grad u']], [0, 40, 20, 0, 0]);
    assert.deepEqual([...results['change 0']], [1, 7, 3, 6]);
  });

  test('dropped windows have no gradient', () => {
    const inputs = { x: tensor([1, 2, 3, 4]), at: column([1, 3, 1, 9, -1]), u: tensor([5, 6, 7, 8, 9]) };
    for (const name of ['scatterAdd', 'scatterMul', 'scatterMin', 'scatterMax']) {
      const { 'grad u': grad } = derivativesAt(({ x, at, u }) => x[name](at, u, ELEMENTS), inputs, { 'ct 0': [1, 1, 1, 1] });
      assert.deepEqual([...grad.slice(3)], [0, 0], name);
    }
  });

  test('zeros among factors: one, two, three, and one of the operand', () => {
    const build = ({ x, at, u }) => x.scatterMul(at, u, ELEMENTS);
    const inputs = { x: tensor([2, 3, 0, 0, 5]), at: column([0, 0, 0, 1, 1, 1, 2, 2, 3, 3]), u: tensor([0, 4, 5, 0, 0, 7, 6, 3, 0, 2]) };
    const directions = { 'ct 0': [1, 1, 1, 1, 1], 't x': [1, 1, 1, 1, 1], 't u': [1, 1, 1, 1, 1, 1, 1, 1, 1, 1] };
    const results = derivativesAt(build, inputs, directions);
    assert.deepEqual([...results['grad x']], [0, 0, 18, 0, 1]);
    assert.deepEqual([...results['grad u']], [40, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    assert.deepEqual([...results['change 0']], [40, 0, 18, 0, 1]);
    checkDerivatives(build, inputs);
  });

  test('second derivatives with one zero, two and three in a place', () => {
    const inputs = { x: tensor([2, 0, 3, 0]), at: column([0, 0, 0, 1, 1, 2, 2, 2, 3, 3, 3]), u: tensor([0, 4, 5, 6, 0, 0, 7, 0, 0, 0, 2]) };
    checkDerivatives(({ x, at, u }) => x.scatterMul(at, u, ELEMENTS), inputs);
  });

  for (const [name, sign] of [['scatterMin', 1], ['scatterMax', -1]])
    test(`${name}: equals share alike, the operand among them`, () => {
      const all = (list) => tensor(list.map((x) => sign * x));
      const inputs = { x: all([1, 1, 9, 4]), at: column([0, 0, 1, 2, 2, 2]), u: all([1, 1, 3, 5, 5, 6]) };
      const results = derivativesAt(({ x, at, u }) => x[name](at, u, ELEMENTS), inputs, { 'ct 0': [6, 5, 8, 7], 't x': [3, 1, 1, 2], 't u': [6, 9, 1, 2, 4, 1] });
      assert.deepEqual([...results['grad x']], [2, 5, 0, 7]);
      assert.deepEqual([...results['grad u']], [2, 2, 0, 4, 4, 0]);
      assert.deepEqual([...results['change 0']], [6, 1, 3, 2]);
    });

  test('NaN that an extreme passes on makes the gradients of its place NaN, and of no other', () => {
    const inputs = { x: tensor([1, 2]), at: column([0, 1]), u: tensor([NaN, 3]) };
    const results = derivativesAt(({ x, at, u }) => x.scatterMax(at, u, ELEMENTS), inputs, { 'ct 0': [1, 1] });
    assert.deepEqual([...results['grad x']], [NaN, 0]);
    assert.deepEqual([...results['grad u']], [NaN, 1]);
  });
});

describe('derivatives of compress', () => {
  /** A function of the rows that a mask selects in which each row counts differently. */
  const build = ({ x, y, mask }) => {
    const [own, other] = [x, y].map((value, i) => value.compress(mask, { axis: 0, symbol: `k${i}` }));
    return [own.sin().mul(own.cumulateSum(0)).sum({ axis: 0 }), other.mul(other.cumulateSum(0)).sum()];
  };
  const maskOf = (list) => tensor(Uint8Array.from(list), { dtype: 'bool' });
  const inputsOf = (mask) => ({ x: randomTensor([mask.length, 3]), y: randomTensor([mask.length], { seed: 3 }), mask: maskOf(mask) });
  const symbolic = { x: ['n', 3], y: ['n'], mask: ['n'] };

  test('rows of a matrix and elements of a vector', () => {
    checkDerivatives(build, inputsOf([1, 0, 0, 1, 1]), { symbolic });
  });

  test('sizes as symbols: nothing there, nothing taken, all taken', () => {
    const masks = [[], [0], [1], [0, 0, 0], [1, 1, 1, 1], [0, 1, 0, 1, 1, 0, 1], Array.from({ length: 67 }, (_, i) => Number(i % 3 === 1))];
    checkSizes(build, masks.map(inputsOf), symbolic);
  });

  test('several values that one mask selects from', () => {
    const both = ({ x, y, mask }) => {
      const rows = x.maskedSelect(mask, { symbol: 'k' });
      return rows.mul(rows).sum({ axis: 0 }).mul(y.sum());
    };
    checkDerivatives(both, inputsOf([0, 1, 1, 0]), { symbolic });
  });

  test('gradients stand where the rows came from', () => {
    const results = derivativesAt(({ x, mask }) => x.compress(mask, { symbol: 'k' }).cumulateSum(0).sum(), { x: tensor([1, 2, 3, 4, 5]), mask: maskOf([0, 1, 1, 0, 1]) }, { 'ct 0': [1], 't x': [1, 2, 3, 4, 5] });
    assertNear(results['grad x'], [0, 3, 2, 0, 1], 0, 'gradient');
    assertNear(results['change 0'], [17], 0, 'change');
  });
});
