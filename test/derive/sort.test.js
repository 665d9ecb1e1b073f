// Derivatives of sorts: by several keys with values beside them, along every axis, rising and falling, equals, NaN, the first
// few, positions among the results or not, the highest rank, and sizes from nothing on.
'use strict';

const assert = require('node:assert/strict');
const { describe, test } = require('node:test');
const { tensor } = require('graphjit');
const { append, stateOf } = require('../../lib/graph/value.js');
const { assertNear, checkDerivatives, checkSizes, derivativeGraph, derivativesAt, randomTensor } = require('./support.js');

/** The primitive, with all that it can do. @type {(operands: any[], keys: number, axis: number, descending?: number) => any[]} */
function sorted(operands, keys, axis, descending = 0) {
  const first = append(stateOf(operands[0]), 'sort', operands, { axis, keys, descending });
  return operands.map((_, index) => (index === 0 ? first : append(stateOf(first), 'result', [first], { index })));
}

/** Values that change with the place, so that a permutation matters. @type {(values: any[]) => any[]} */
const mixed = (values) => values.map((value, i) => value.sin().mul(value.add(i)));

/** How many sorts of either kind a graph has. @type {(graph: any) => number} */
const sortsIn = (graph) => graph.toString().split('\n').filter((/** @type {string} */ line) => / = (sort|top_k)\b/.test(line)).length;

describe('derivatives of sort', () => {
  for (const axis of [0, 1, 2])
    for (const descending of [0, 1])
      test(`along axis ${axis}, ${descending ? 'falling' : 'rising'}`, () => {
        checkDerivatives(({ x }) => mixed(sorted([x], 1, axis, descending)), { x: randomTensor([4, 3, 5], { seed: axis }) }, { symbolic: { x: ['m', 3, 'n'] }, compiled: descending === axis % 2 });
      });

  test('by two keys with two values beside them, one of them of integers', () => {
    const inputs = { few: tensor(Int8Array.from([1, 0, 1, 1, 0, 0, 1, 1, 0, 1, 0, 1]), { shape: [6, 2] }), x: randomTensor([6, 2]), y: randomTensor([6, 2], { seed: 2 }) };
    checkDerivatives(({ few, x, y }) => mixed(sorted([few, x, y, few], 2, 0).slice(1, 3)), inputs, { symbolic: { few: ['n', 2], x: ['n', 2], y: ['n', 2] } });
  });

  test('lengths from nothing on, one program for all', () => {
    checkSizes(({ x }) => mixed([x.sort({ axis: 0 })]), [0, 1, 2, 7, 33, 131].map((n) => ({ x: randomTensor([n, 2], { seed: n }) })), { x: ['n', 2] });
  });

  test('the highest rank, which leaves no axis for index vectors', () => {
    const shape = [1, 2, 1, 3, 1, 2, 1, 2];
    for (const axis of [3, 7, 0]) checkDerivatives(({ x }) => mixed([x.sort({ axis })]), { x: randomTensor(shape) }, { compiled: axis === 3, narrow: false });
  });

  test('equals stay in their order, and so do their gradients', () => {
    const results = derivativesAt(({ x, y }) => sorted([x, y], 1, 0), { x: tensor([2, 1, 2, 1]), y: tensor([5, 6, 7, 8]) }, { 'ct 0': [1, 2, 3, 4], 'ct 1': [10, 20, 30, 40], 't y': [1, 2, 3, 4] });
    assert.deepEqual([...results['grad x']], [3, 1, 4, 2]);
    assert.deepEqual([...results['grad y']], [30, 10, 40, 20]);
    assert.deepEqual([...results['change 1']], [2, 4, 1, 3]);
  });

  test('NaN and infinities go where they came from', () => {
    const results = derivativesAt(({ x }) => x.sort(), { x: tensor([NaN, 1, -Infinity, Infinity, -0, 0]) }, { 'ct 0': [1, 2, 3, 4, 5, 6] });
    assert.deepEqual([...results['grad x']], [6, 4, 1, 5, 2, 3]);
  });

  test('positions that are among the results are not sorted for again', () => {
    const of = (/** @type {any} */ build) => sortsIn(derivativeGraph(build, { x: randomTensor([5]) }).graph);
    const positions = (/** @type {any} */ x, dtype = 'u32') => append(stateOf(x), 'iota', [], { dtype, shape: [5], axis: 0 });
    assert.equal(of(({ x }) => mixed(sorted([x, positions(x)], 1, 0).slice(0, 1))), 1);
    assert.equal(of(({ x }) => mixed(sorted([x, positions(x, 'u8')], 1, 0).slice(0, 1))), 2);
    assert.equal(of(({ x }) => mixed([x.sort()])), 2);
    assert.equal(of(({ x }) => mixed([x.topk(2).values])), 1);
  });

  test('as many keys as a sort takes leave no room', () => {
    const build = ({ x }) => sorted(Array.from({ length: 16 }, (_, i) => x.mul(i + 1)), 16, 0)[0];
    assert.throws(() => derivativeGraph(build, { x: randomTensor([5]) }), /derivative of sort \(%\d+\): it has so many keys/);
    const most = ({ x }) => sorted(Array.from({ length: 16 }, (_, i) => x.mul(i + 1)), 15, 0);
    checkDerivatives(most, { x: randomTensor([5]) }, { compiled: false, second: false });
  });

  test('medians and quantiles, which are made of sorts', () => {
    checkDerivatives(({ x }) => [x.median({ axis: 0 }), x.quantile(0.3, { axis: 0 })], { x: randomTensor([5, 3]) }, { symbolic: { x: ['n', 3] } });
  });
});

describe('derivatives of top_k', () => {
  for (const largest of [true, false])
    test(`the ${largest ? 'greatest' : 'least'} along each axis`, () => {
      checkDerivatives(({ x }) => mixed([x.topk(2, { axis: 0, largest }).values, x.topk(3, { axis: 1, largest }).values]), { x: randomTensor([4, 5]) }, { symbolic: { x: ['m', 'n'] } });
    });

  test('indices that are no positions', () => {
    const inputs = { x: randomTensor([6]), codes: tensor(Int32Array.from([7, 7, 3, 2, 9, 1]), { shape: [6] }) };
    const build = ({ x, codes }) => mixed([append(stateOf(x), 'top_k', [x, codes], { axis: 0, descending: 1, count: [4] })]);
    checkDerivatives(build, inputs, { symbolic: { x: ['n'], codes: ['n'] } });
  });

  test('none, one, all; equals and NaN', () => {
    for (const count of [0, 1, 5]) checkDerivatives(({ x }) => mixed([x.topk(count).values]), { x: randomTensor([2, 5]) }, { compiled: count === 0 });
    const results = derivativesAt(({ x }) => x.topk(3).values, { x: tensor([1, 3, NaN, 3, 3]) }, { 'ct 0': [1, 2, 3], 't x': [1, 2, 3, 4, 5] });
    assertNear(results['grad x'], [0, 2, 1, 3, 0], 0, 'gradient');
    assertNear(results['change 0'], [3, 2, 4], 0, 'change');
  });
});
