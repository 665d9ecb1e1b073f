// Sorts: every dtype along every axis, lengths around the limits of the algorithms of src/lower/kernels/sort/code.c and
// src/lower/kernels/sort/top_k.c, orders that are easy and hard, and what composites make of them.
'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { Graph, lexsort, tensor } = require('graphjit');
const { allWays, assertAgreement, mainWays, reference } = require('../support/oracles.js');
const { throwsGraphError } = require('../support/errors.js');
const { ALL, arrayOf, randomOf, randoms } = require('../support/values.js');

/** Elements with many equals, and of floats with NaN and both zeros. @type {(dtype: string, count: number, seed: number) => any} */
function data(dtype, count, seed) {
  const own = randoms(dtype, count, seed);
  const random = randomOf(seed + 99);
  const few = /** @type {any} */ (dtype === 'f32' || dtype === 'f64' ? [0, -0, NaN, 1, -1] : [0, 1, 1]);
  return arrayOf(dtype, Array.from(own, (element) => (random() < 0.5 ? few[Math.floor(random() * few.length)] : element)));
}

/** @type {(dtype: string, shape: number[], seed: number) => any} */
const filled = (dtype, shape, seed) => ({ dtype, shape, data: data(dtype, shape.reduce((a, b) => a * b, 1), seed) });

/** @type {(dtype: any, shape: any[], count: number) => Graph} */
function graphOf(dtype, shape, count) {
  const graph = new Graph('sorts');
  const x = graph.input('x', dtype, shape);
  const few = graph.input('few', 'i8', shape);
  for (const axis of shape.keys()) {
    graph.output(`rising ${axis}`, x.sort({ axis }));
    const most = x.topk(typeof shape[axis] === 'number' ? Math.min(count, shape[axis]) : count, { axis });
    graph.output(`most ${axis}`, most.values).output(`where ${axis}`, most.indices);
  }
  graph.output('falling', x.sort({ descending: true }));
  graph.output('order', x.argsort({ descending: true, dtype: 'u32' }));
  graph.output('by both', x.sortBy([few, x]));
  graph.output('computed', x.ne(1).select(few, 3).sort({ axis: 0 }));
  return graph;
}

for (const dtype of ALL) {
  test(`sorts of ${dtype} along every axis are the same everywhere`, async () => {
    const graph = graphOf(dtype, ['m', 'n'], 2);
    const ways = await (dtype === 'f32' ? allWays(graph) : mainWays(graph));
    for (const [m, n] of [[2, 2], [3, 33], [40, 5], [2, 1300]]) {
      const inputs = { x: filled(dtype, [m, n], n), few: filled('i8', [m, n], m) };
      assertAgreement(ways, inputs, reference(graph, inputs), { title: `${dtype}, ${m} by ${n}` });
    }
    for (const way of ways) way.dispose();
  });
}

test('an empty axis is sorted, and asked for none of its elements', async () => {
  const graph = new Graph('empty');
  const x = graph.input('x', 'f64', ['m', 'n']);
  graph.output('sorted', x.sort()).output('columns', x.argsort({ axis: 0 })).output('none', x.topk(0).indices);
  const ways = await mainWays(graph);
  for (const shape of [[0, 3], [3, 0], [0, 0]]) {
    const inputs = { x: filled('f64', shape, 1) };
    assertAgreement(ways, inputs, reference(graph, inputs), { title: shape.join(' by ') });
  }
  for (const way of ways) way.dispose();
});

/** Long lines in orders that algorithms treat differently. @type {(count: number) => Record<string, Float64Array>} */
function orders(count) {
  const random = randomOf(5);
  const own = Float64Array.from({ length: count }, () => random() - 0.5);
  return {
    random: own,
    rising: own.slice().sort(),
    falling: own.slice().sort().reverse(),
    few: own.map((v) => Math.round(v * 8) / 8),
    'with NaN': own.map((v) => (v > 0.3 ? NaN : v)),
    'nearly rising': own.slice().sort().fill(-2, count - 9),
    equal: own.slice().fill(3),
    'zeros of both signs': own.map((v) => (v > 0 ? 0 : -0)),
  };
}

/** NaN behind numbers, equals by position. @type {(x: ArrayLike<number>) => (i: number, j: number) => number} */
const byValue = (x) => (i, j) => Number(Number.isNaN(x[i])) - Number(Number.isNaN(x[j])) || (x[i] < x[j] ? -1 : Number(x[i] > x[j])) || i - j;

for (const dtype of /** @type {const} */ (['f32', 'f64'])) {
  test(`long lines of ${dtype} in any order have the same bits on any number of threads`, () => {
    const count = 90001;
    for (const shape of [[count], ['n']]) {
      const graph = new Graph('long');
      const x = graph.input('x', dtype, shape);
      const most = x.topk(77);
      graph.output('sorted', x.sort()).output('order', x.argsort()).output('values', most.values).output('where', most.indices);
      for (const threads of [1, 3]) {
        const program = graph.compile({ threads });
        for (const [title, numbers] of Object.entries(orders(count))) {
          const own = arrayOf(dtype, numbers);
          const { sorted, order, values, where } = program.run({ x: own });
          const want = Array.from(own, (_, i) => i).sort(byValue(own));
          assert.deepEqual(Array.from(order.data, Number), want, `${title}: order`);
          assert.ok(want.every((from, i) => Object.is(sorted.data[i], own[from])), `${title}: values`);
          const first = Array.from(own, (_, i) => i).sort((i, j) => byValue(own)(j, i) * (Object.is(own[i], own[j]) || own[i] === own[j] ? -1 : 1));
          assert.deepEqual(Array.from(where.data, Number), first.slice(0, 77), `${title}: greatest`);
          assert.ok(first.slice(0, 77).every((from, i) => Object.is(values.data[i], own[from])), `${title}: values of the greatest`);
        }
        program.dispose();
      }
    }
  });
}

test('bits of NaN come back as they were', () => {
  const bits = BigUint64Array.of(0x7ff8000000000001n, 0x3ff0000000000000n, 0xfff8000000000000n, 0x7ff8000000000000n, 0xfff0000000000001n);
  const graph = new Graph('bits');
  graph.output('y', graph.input('x', 'f64', [5]).sort());
  const y = graph.compile().run({ x: new Float64Array(bits.buffer) }).y.data;
  assert.deepEqual([...new BigUint64Array(y.buffer, y.byteOffset, 5)].map(String), [bits[1], bits[0], bits[2], bits[3], bits[4]].map(String));
});

test('sorts by several keys are those of one after the other', () => {
  const graph = new Graph('keys');
  const a = graph.input('a', 'f32', [6]);
  const b = graph.input('b', 'i64', [6]);
  graph.output('first', a.sortBy([a, b])).output('payload', b.sortBy([a, b], { descending: true })).output('order', lexsort([b, a], { dtype: 'i32' }));
  const { first, payload, order } = graph.compile().run({ a: Float32Array.of(1, 0, 1, 0, 1, 0), b: BigInt64Array.of(3n, 2n, 1n, -1n, 2n, 2n) });
  assert.deepEqual([...first.data], [0, 0, 0, 1, 1, 1]);
  assert.deepEqual([...payload.data], [3n, 2n, 1n, 2n, 2n, -1n]);
  assert.deepEqual([...order.data], [3, 1, 5, 2, 4, 0]);
});

test('a run that asks for more elements than there are is refused', () => {
  const graph = new Graph('many');
  graph.output('y', graph.input('x', 'f64', ['n']).topk(3).values);
  const program = graph.compile();
  throwsGraphError(() => program.run({ x: Float64Array.of(1, 2) }), 'ERR_SHAPE', /top_k: count is 3, but axis 0 of the operand of %3 has size 2/);
  assert.deepEqual([...program.run({ x: Float64Array.of(1, 2, 0, 5) }).y.data], [5, 2, 1]);
});

test('quantiles that are elements are found as such', () => {
  const tenths = tensor(Array.from({ length: 10 }, (_, i) => i));
  for (const method of /** @type {const} */ (['linear', 'lower', 'higher', 'midpoint', 'nearest'])) {
    assert.equal(tenths.quantile(1 / 3, { method }).item(), 3, method); // 9 · (1/3) is 3, 10/3 - 1/3 is more
    assert.equal(tensor([0, 1, 2, 3, 4, 5]).nanQuantile(0.2, { method }).item(), 1, method);
  }
});

test('statistics of order have symbolic sizes and refuse what they cannot mean', () => {
  const graph = new Graph('symbolic');
  const x = graph.input('x', 'f64', ['n', 'm']);
  graph.output('median', x.median()).output('rows', x.quantile([0, 0.25, 1], { axis: 1, keepDims: true }));
  const { median, rows } = graph.compile().run({ x: tensor([[4, 2, NaN], [1, 0, 3]]) });
  assert.ok(Number.isNaN(median.data[0]));
  assert.deepEqual(rows.shape, [3, 2, 1]);
  assert.deepEqual([...rows.data], [NaN, 0, NaN, 0.5, NaN, 3]);
  throwsGraphError(() => x.quantile(1.5), 'ERR_ARGUMENT', /quantile: expected a number from 0 to 1 for q, got 1.5/);
  throwsGraphError(() => x.quantile([]), 'ERR_ARGUMENT', /quantile: expected at least one number for q/);
  throwsGraphError(() => x.percentile(50, { method: 'best' }), 'ERR_ARGUMENT', /percentile: expected one of 'inverted_cdf'/);
  const none = graph.constant(tensor([], { dtype: 'f32' }));
  assert.deepEqual([...graph.output('none', none.median()).eval({ x: tensor([[1]]) }).none.data], [NaN]);
});
