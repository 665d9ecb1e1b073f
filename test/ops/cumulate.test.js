// Running reductions: along every axis, over lengths around the groups, segments and blocks of src/lower/kernels/cumulate.c,
// of computed operands, and how exact float sums are.
//
// Whole numbers have exact results in any order, so every bit must agree with the reference. Random floats are
// within the bounds of docs/numerics.md: 4 u Σ|x| for sums, n u |Π x| for products.
'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { Graph, tensor } = require('graphjit');
const { allWays, assertAgreement, mainWays, reference } = require('../support/oracles.js');
const { NUMERIC, FLOATS, arrayOf, isFloat, moderate, randomOf, randoms } = require('../support/values.js');
const { running } = require('./table.js');

const camelCase = (/** @type {string} */ name) => name.replace(/_(.)/g, (_, letter) => letter.toUpperCase());
const unitOf = (/** @type {string} */ dtype) => (dtype === 'f32' ? 2 ** -24 : 2 ** -53);

/** Elements whose running sums and products are exact in any order. @type {(dtype: string, count: number, seed: number) => any} */
function exactData(dtype, count, seed) {
  if (!isFloat(dtype)) return arrayOf(dtype, randoms(dtype, count, seed));
  const random = randomOf(seed);
  return arrayOf(dtype, Array.from({ length: count }, () => [1, -1, 1, -1, 0, -0][Math.floor(random() * 6)]));
}

/** @type {(graph: Graph, sizes: Record<string, number>, data: (dtype: string, count: number, seed: number) => any) => any} */
function inputsOf(graph, sizes, data) {
  return Object.fromEntries(
    graph.inputs.map(({ name, dtype, shape }, i) => {
      const own = shape.map((size) => (typeof size === 'string' ? sizes[size] : size));
      return [name, { dtype, shape: own, data: data(dtype, own.reduce((a, b) => a * b, 1), i + 1) }];
    }),
  );
}

/** Every running reduction of a dtype, along every axis of these shapes, of computed operands too. @type {(dtype: string, shapes: any[][]) => Graph} */
function graphOf(dtype, shapes) {
  const graph = new Graph('running');
  for (const [i, shape] of shapes.entries()) {
    const x = /** @type {any} */ (graph.input(`x${i}`, /** @type {any} */ (dtype), shape));
    for (const name of Object.keys(running)) {
      for (const axis of shape.keys()) graph.output(`${name} ${i} ${axis}`, x[camelCase(name)](axis));
    }
    const turned = x.transpose().mul(x.transpose());
    graph.output(`turned ${i}`, turned.cumulateSum(0).cumulateMax(-1).add(1));
  }
  return graph;
}

for (const dtype of NUMERIC) {
  test(`running reductions of ${dtype} along every axis are the same everywhere`, async () => {
    // The loops do not depend on the dtype, so two of them go through everything.
    const isThorough = dtype === 'f64' || dtype === 'u8';
    const graph = graphOf(dtype, isThorough ? [['n'], ['n', 3], [2, 'n'], ['m', 'n', 3]] : [['m', 'n']]);
    const ways = await (dtype === 'f64' ? allWays(graph) : mainWays(graph));
    for (const n of [0, 1, 7, 8, 9, 17, 40, 257, 1023, 1024, 1025, 2060]) {
      const inputs = inputsOf(graph, { n, m: 2 }, exactData);
      assertAgreement(ways, inputs, reference(graph, inputs), { title: `${dtype}, n = ${n}` });
    }
    for (const way of ways) way.dispose();
  });
}

// Panels have 512 columns, strips 8 rows, or 4096 where there are fewer than 64 columns.
test('running reductions down columns are the same around the sizes of panels and strips', async () => {
  const graph = new Graph('columns');
  for (const dtype of /** @type {const} */ (['f64', 'f32', 'i16'])) {
    const x = graph.input(dtype, dtype, ['n', 'm']);
    graph.output(`${dtype} sums`, x.neg().cumulateSum(0)).output(`${dtype} greatest`, x.cumulateMax(0));
  }
  const deep = graph.input('deep', 'f64', ['m', 'n', 2]);
  graph.output('deep', deep.cumulateSum(1));
  const ways = await mainWays(graph);
  for (const [n, m] of [[7, 63], [8, 64], [9, 65], [17, 511], [1, 513], [16, 1030], [4095, 3], [4096, 1], [8195, 5]]) {
    const inputs = inputsOf(graph, { n, m }, exactData);
    assertAgreement(ways, inputs, reference(graph, inputs), { title: `${n} rows of ${m}` });
  }
  for (const way of ways) way.dispose();
});

test('running sums down columns have the same bits on any number of threads, for known sizes too', () => {
  for (const [rows, columns] of [[40, 4000], [800, 1000], [3, 100000]]) {
    const data = Float64Array.from({ length: rows * columns }, (_, i) => Math.sin(i));
    const results = [['n', 'm'], [rows, columns]].flatMap((shape) =>
      [1, 2, 3].map((threads) => {
        const graph = new Graph('columns');
        const x = graph.input('x', 'f64', shape);
        graph.output('flat', x.cumulateSum(0)).output('deep', x.reshape([...shape, 1]).broadcastTo([...shape, 2]).cumulateSum(1));
        const { flat, deep } = graph.compile({ threads }).run({ x: tensor(data).reshape([rows, columns]) });
        return [flat, deep].map(({ data: made }) => Buffer.from(made.buffer, made.byteOffset, made.byteLength));
      }),
    );
    for (const [i, bits] of results.entries()) {
      for (const k of [0, 1]) assert.ok(bits[k].equals(results[0][k]), `${rows} rows of ${columns}, way ${i}, output ${k}`);
    }
  }
});

// Segments have 1024 elements, and 256 of f64 or 512 of f32 are a batch, which is scanned while the next one is reduced.
test('running reductions along rows have the same bits on any number of threads and in the first tier', () => {
  for (const [rows, size] of [[1, 1024], [1, 9 * 1024 + 3], [3, 60001], [1, 512 * 1024], [1, 513 * 1024 + 1], [1, 1024 * 1024], [1, 1536 * 1024 + 7]]) {
    const data = Float64Array.from({ length: rows * size }, (_, i) => Math.sin(i) + 1e-3);
    for (const shape of [[rows, 'n'], [rows, size]]) {
      const graph = new Graph('rows');
      const x = graph.input('x', 'f64', shape);
      const narrow = x.convert('f32');
      graph.output('sum', x.cumulateSum(1)).output('product', narrow.cumulateProd(1)).output('greatest', narrow.cumulateMax(1));
      graph.output('wide', x.exp().cumulateSum(1)).output('whole', x.mul(100).convert('i32').cumulateSum(1)).output('ones', x.mul(0).add(1).cumulateSum(1));
      const inputs = { x: tensor(data).reshape([rows, size]) };
      const ways = [{ threads: 1 }, { threads: 2 }, { threads: 3 }, { tier: /** @type {const} */ ('auto') }];
      const [first, ...others] = ways.map((options) => graph.compile(options).run(inputs));
      for (const [name, { data: want }] of Object.entries(first)) {
        for (const [k, results] of others.entries()) {
          assert.deepEqual(results[name].data, want, `${name} of [${shape}], ${rows} rows of ${size}, way ${k + 1}`);
        }
      }
      assert.equal(first.ones.data.at(-1), size);
    }
  }
});

for (const dtype of FLOATS) {
  test(`running sums of ${dtype} are as exact as whole ones, and survive infinities`, async () => {
    const graph = new Graph('sums');
    const x = graph.input('x', /** @type {any} */ (dtype), ['n']);
    graph.output('rows', x.cumulateSum()).output('columns', x.reshape(['n', 1]).broadcastTo(['n', 2]).cumulateSum(0));
    const ways = await mainWays(graph);
    const inputs = inputsOf(graph, { n: 50000 }, (own, count, seed) => arrayOf(own, moderate(own, count, seed)));
    const total = inputs.x.data.reduce((/** @type {number} */ sum, /** @type {number} */ v) => sum + Math.abs(v), 0);
    assertAgreement(ways, inputs, reference(graph, inputs), { title: dtype, tolerance: () => ({ absolute: 4 * unitOf(dtype) * total }) });
    for (const special of [NaN, Infinity]) {
      const broken = inputsOf(graph, { n: 900 }, exactData);
      broken.x.data[300] = special;
      assertAgreement(ways, broken, reference(graph, broken), { title: `${dtype} with ${special}` });
    }
    for (const way of ways) way.dispose();
  });
}

test('running sums of millions of f32 are as exact as short ones', () => {
  const graph = new Graph('long');
  const x = graph.input('x', 'f32', ['n']);
  graph.output('rows', x.cumulateSum()).output('columns', x.reshape(['n', 1]).broadcastTo(['n', 2]).cumulateSum(0));
  const count = 4e6;
  const results = graph.compile().run({ x: new Float32Array(count).fill(0.1) });
  for (const [name, width] of [['rows', 1], ['columns', 2]]) {
    for (const n of [1, 1000, 1e6 + 1, count - 1, count]) {
      const exact = Math.fround(0.1) * n;
      const error = Math.abs(results[name].data[n * Number(width) - 1] - exact);
      assert.ok(error <= 1.001 * unitOf('f32') * exact, `${name}, element ${n - 1}: ${error}`);
    }
  }
});

test('cumulativeSum and cumulativeProd follow the array API', () => {
  const graph = new Graph('api');
  const x = graph.input('x', 'i8', [2, 3]);
  graph.output('sum', x.cumulativeSum({ axis: 1 })).output('product', x.cumulativeProd({ axis: 0, dtype: 'f32' }));
  graph.output('initial', x.cumulativeSum({ axis: -1, includeInitial: true })).output('ones', x.cumulativeProd({ axis: 0, includeInitial: true }));
  const results = graph.compile().run({ x: Int8Array.of(100, 100, 1, 2, 3, 4) });
  assert.deepEqual(results.sum.toArray(), [[100n, 200n, 201n], [2n, 5n, 9n]]);
  assert.deepEqual([results.product.dtype, results.product.toArray()], ['f32', [[100, 100, 1], [200, 300, 4]]]);
  assert.deepEqual(results.initial.toArray(), [[0n, 100n, 200n, 201n], [0n, 2n, 5n, 9n]]);
  assert.deepEqual(results.ones.toArray(), [[1n, 1n, 1n], [100n, 100n, 1n], [200n, 300n, 4n]]);
  assert.throws(() => x.cumulativeSum(), { code: 'ERR_ARGUMENT', message: /^cumulativeSum: expected an axis for a value of rank 2/ });
  assert.throws(() => x.cumulativeSum(/** @type {any} */ ({ axes: 1 })), { code: 'ERR_ARGUMENT', message: /unknown option 'axes'/ });
});
