// Contractions: every arrangement of axes and every way of computing them (src/lower/kernels/contract/contract.c), around the
// sizes of tiles and blocks, of computed operands, and what float sums are.
//
// Small whole numbers have exact sums of products, so every bit must agree with the reference. Random floats
// are within n u Σ|x y|, the bound of adding one by one; their bits are those of a loop in JavaScript.
'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { Graph, tensor } = require('graphjit');
const { throwsGraphError } = require('../support/errors.js');
const { allWays, assertAgreement, mainWays, reference } = require('../support/oracles.js');
const { NUMERIC, arrayOf, isFloat, randomOf, randoms } = require('../support/values.js');

/** @type {(dtype: string, count: number, seed: number) => any} */
function exactData(dtype, count, seed) {
  if (!isFloat(dtype)) return arrayOf(dtype, randoms(dtype, count, seed));
  const random = randomOf(seed);
  return arrayOf(dtype, Array.from({ length: count }, () => Math.floor(random() * 15) - 7));
}

/** @type {(graph: Graph, sizes: Record<string, number>) => any} */
function inputsOf(graph, sizes) {
  return Object.fromEntries(
    graph.inputs.map(({ name, dtype, shape }, i) => {
      const own = shape.map((size) => (typeof size === 'string' ? sizes[size] : size));
      return [name, { dtype, shape: own, data: exactData(dtype, own.reduce((a, b) => a * b, 1), i + 1) }];
    }),
  );
}

/** Products of two inputs. @type {[any[], any[], (x: any, y: any) => any][]} */
const products = [
  [['m', 'k'], ['k', 'n'], (x, y) => x.matmul(y)],
  [['k', 'm'], ['n', 'k'], (x, y) => x.T.matmul(y.T)],
  [['m', 'k'], ['k'], (x, y) => x.matmul(y)],
  [['k'], ['k', 'n'], (x, y) => x.matmul(y)],
  [['k', 'm'], ['k'], (x, y) => y.matmul(x)],
  [[5, 'k'], ['n', 'k'], (x, y) => x.inner(y)],
  [['m', 3], [3, 3], (x, y) => x.matmul(y)],
  [['b', 'm', 'k'], ['b', 'k', 'n'], (x, y) => x.matmul(y)],
  [['b', 1, 'm', 'k'], [2, 'k', 'n'], (x, y) => x.matmul(y)],
  [['m', 'b', 'k'], ['n', 'k', 'b'], (x, y) => x.dotGeneral(y, { batch: [1, 2], contract: [-1, 1] })],
  [['k', 2, 'm'], ['n', 2, 'k'], (x, y) => x.tensordot(y, { axes: [[1, 0], [1, 2]] })],
  [['m', 2, 'k'], [2, 'k', 3, 'n'], (x, y) => x.tensordot(y)],
  [['m', 2, 'k'], ['k', 2, 'n'], (x, y) => x.tensordot(y, { axes: [[1, 2], [1, 0]] })],
  [['k'], ['k'], (x, y) => x.dotGeneral(y, { contract: [0, 0] })],
  [['b', 'k'], ['b', 'k'], (x, y) => x.dotGeneral(y, { contract: [1, 1], batch: [0, 0] })],
  [['m'], ['n'], (x, y) => x.tensordot(y, { axes: 0 })],
  [['m', 'k'], ['k', 'n'], (x, y) => x.add(1).matmul(y.mul(2))],
  [['m', 'k'], ['n', 'k'], (x, y) => x.slice(null, [null, null, -1]).linear(y)],
  [['m', 'k'], ['n', 'm', 'k'], (x, y) => x.reshape(['m * k']).dotGeneral(y.reshape(['n', 'm * k']), { contract: [0, 1] })],
  [['k', 'm'], ['k', 'm'], (x, y) => x.reshape([1, 'k', 'm']).transpose().matmul(y.reshape(['m', 1, 'k']))],
];

/** @type {(dtype: any, list: typeof products) => Graph} */
function graphOf(dtype, list) {
  const graph = new Graph('products');
  for (const [i, [first, second, build]] of list.entries()) {
    const [x, y] = [graph.input(`x${i}`, dtype, first), graph.input(`y${i}`, dtype, second)];
    graph.output(`${i}: ${String(build).slice(10, 90)}`, build(x, y));
  }
  return graph;
}

// The loops do not depend on the dtype, so one of them goes through everything.
for (const dtype of NUMERIC) {
  test(`contractions of ${dtype} are the same everywhere`, async () => {
    const isThorough = dtype === 'f32';
    const graph = graphOf(dtype, isThorough ? products : products.slice(0, 3));
    const ways = await (dtype === 'i16' ? allWays(graph) : mainWays(graph));
    const sizes = [
      { m: 3, k: 17, n: 9, b: 2 },
      { m: 1, k: 1, n: 1, b: 1 },
      { m: 9, k: 8, n: 33, b: 3 },
      { m: 0, k: 3, n: 2, b: 1 },
      { m: 10, k: 0, n: 5, b: 2 },
      { m: 20, k: 300, n: 70, b: 1 },
    ];
    for (const each of isThorough ? sizes : sizes.slice(0, 3)) {
      const inputs = inputsOf(graph, each);
      assertAgreement(ways, inputs, reference(graph, inputs), { title: `${dtype}, ${JSON.stringify(each)}` });
    }
    for (const way of ways) way.dispose();
  });
}

test('contractions of known sizes are the same around tiles, panels and blocks', async () => {
  const sizes = [
    [1, 260, 1500], [8, 9, 40], [9, 7, 64], [16, 256, 64], [13, 257, 31], [200, 40, 300], [96, 20, 32], [100, 3, 3], [70, 33, 1], [1, 0, 4], [40, 2, 8],
  ];
  const graph = new Graph('sizes');
  for (const [i, [m, k, n]] of sizes.entries()) {
    for (const dtype of /** @type {const} */ (['f64', 'i16'])) {
      const [x, y] = [graph.input(`x ${dtype} ${i}`, dtype, [m, k]), graph.input(`y ${dtype} ${i}`, dtype, [k, n])];
      graph.output(`${dtype} ${m} ${k} ${n}`, x.matmul(y));
      graph.output(`${dtype} ${m} ${k} ${n} turned`, y.T.matmul(x.T));
    }
  }
  const ways = await mainWays(graph);
  const inputs = inputsOf(graph, {});
  assertAgreement(ways, inputs, reference(graph, inputs), { title: 'known sizes' });
  for (const way of ways) way.dispose();
});

test('sums of products are added one by one, each rounded in strict numerics, on any number of threads', () => {
  const [m, k, n] = [70, 600, 50];
  const random = randomOf(5);
  const [x, y] = [m * k, k * n].map((count) => Float32Array.from({ length: count }, () => random() - 0.5));
  const want = new Float32Array(m * n);
  for (let i = 0; i < m; i++) {
    for (let j = 0; j < n; j++) {
      let sum = 0;
      for (let p = 0; p < k; p++) sum = Math.fround(sum + Math.fround(x[i * k + p] * y[p * n + j]));
      want[i * n + j] = sum;
    }
  }
  for (const shape of [['m', 'k', 'n'], [m, k, n]]) {
    const graph = new Graph('order');
    const [a, b] = [graph.input('x', 'f32', [shape[0], shape[1]]), graph.input('y', 'f32', [shape[1], shape[2]])];
    graph.output('z', a.matmul(b)).output('t', b.T.matmul(a.T)).output('row', a.slice(3).matmul(b)).output('column', a.matmul(b.slice(null, 4)));
    const inputs = { x: tensor(x).reshape([m, k]), y: tensor(y).reshape([k, n]) };
    for (const threads of [1, 3]) {
      const { z, t, row, column } = graph.compile({ numerics: 'strict', threads }).run(inputs);
      assert.deepEqual(z.data, want, `${shape}, ${threads} threads`);
      assert.deepEqual(t.T.contiguous().data, want, `${shape}, ${threads} threads, transposed`);
      assert.deepEqual(row.data, want.subarray(3 * n, 4 * n), 'row');
      assert.deepEqual(column.data, Float32Array.from({ length: m }, (_, i) => want[i * n + 4]), 'column');
    }
    const [one, many] = [1, 3].map((threads) => graph.compile({ threads }).run(inputs).z.data);
    assert.deepEqual(many, one, 'default numerics on threads');
    const exact = graph.eval(inputs).z.data;
    one.forEach((value, i) => assert.ok(Math.abs(value - exact[i]) <= k * 2 ** -24 * k * 0.25, `[${i}]`));
  }
});

test('sizes that go together are compared when a run begins', () => {
  const graph = new Graph('later');
  const [x, y] = [graph.input('x', 'f32', ['n', 'k']), graph.input('y', 'f32', ['l', 'n'])];
  graph.output('z', x.matmul(y));
  const program = graph.compile();
  const [good, bad] = [3, 4].map((l) => ({ x: tensor([[1, 2, 3]], { dtype: 'f32' }), y: tensor(new Float32Array(l).fill(2)).reshape([l, 1]) }));
  assert.deepEqual(program.run(good).z.toArray(), [[12]]);
  throwsGraphError(() => program.run(bad), 'ERR_SHAPE', /^dot_general \(%3\): axis 1 of \[n, k\] has size 3, but axis 0 of \[l, n\] has 4: k for k = 3 and l for l = 4$/);
});

test('profiles count two operations per product', () => {
  const graph = new Graph('count');
  graph.output('z', graph.input('x', 'f32', ['n', 20]).matmul(graph.input('y', 'f32', [20, 'm'])));
  const program = graph.compile();
  const [kernel] = program.stats.kernels;
  assert.equal(kernel.kind, 'contract');
  const { kernels } = program.profile({ x: tensor(new Float32Array(200)).reshape([10, 20]), y: tensor(new Float32Array(60)).reshape([20, 3]) });
  assert.equal(kernels[0].flops, 2 * 10 * 20 * 3);
  assert.equal(kernels[0].bytesRead, 4 * (200 + 60));
});
