// Convolutions and reductions of windows: along one to three axes and more, with padding, gaps, strides and
// groups, at sizes around vectors and blocks of channels, of known and symbolic sizes.
//
// Small whole numbers have exact sums, so every bit must agree with the reference in every numeric mode. Of
// random floats 'strict' promises the bits of the reference, which goes in the same order.
'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { Graph, tensor } = require('graphjit');
const { assertAgreement, mainWays, reference } = require('../support/oracles.js');
const { arrayOf, isFloat, moderate, randomOf, randoms } = require('../support/values.js');

/** Elements whose sums of products are exact. @type {(dtype: string, count: number, seed: number) => any} */
function wholeData(dtype, count, seed) {
  if (!isFloat(dtype)) return arrayOf(dtype, randoms(dtype, count, seed));
  const random = randomOf(seed);
  return arrayOf(dtype, Array.from({ length: count }, () => Math.floor(random() * 9) - 4));
}

/** @type {(graph: Graph, sizes: Record<string, number>, data?: (dtype: string, count: number, seed: number) => any) => any} */
function inputsOf(graph, sizes, data = wholeData) {
  return Object.fromEntries(
    graph.inputs.map(({ name, dtype, shape }, i) => {
      const own = shape.map((size) => (typeof size === 'string' ? sizes[size] : size));
      return [name, { dtype, shape: own, data: data(dtype, own.reduce((a, b) => a * b, 1), i + 1) }];
    }),
  );
}

/** Input shape, kernel shape and options. @type {[any[], any[], any][]} */
const convolutions = [
  [[1, 1, 'n'], [1, 1, 3], {}],
  [[2, 3, 'n'], [9, 3, 2], { padding: 'same' }],
  [[1, 4, 'n'], [6, 2, 3], { groups: 2, stride: 3, padding: [[0, 2]] }],
  [[2, 'c', 'n'], [11, 'c', 1], {}],
  [[1, 2, 'n', 5], [5, 2, 3, 3], { padding: 1, dilation: [1, 2] }],
  [[1, 2, 'n', 7], ['o', 2, 2, 1], { stride: [2, 1] }],
  [[2, 8, 4, 'n'], [8, 1, 3, 3], { groups: 8, padding: 1 }],
  [[1, 3, 'n', 4], [4, 3, 1, 1], {}],
  [[1, 2, 'n', 3], [3, 2, 1, 1], { stride: [1, 2] }],
  [[1, 2, 3, 'n'], [2, 2, 2, 3], { baseDilation: [2, 3], padding: [[1, 0], [2, 2]] }],
  [[1, 2, 'n', 6], [2, 2, 2, 2], { padding: [[-1, 0], [0, -2]], stride: 2 }],
  [[1, 2, 3, 'n', 5], [4, 2, 2, 3, 2], { padding: 1 }],
  [[1, 2, 2, 3, 'n'], [2, 2, 1, 1, 1], { stride: [2, 1, 5] }],
  [[0, 2, 'n'], [3, 2, 2], { padding: 1 }],
];

/** @type {(graph: Graph, dtype: any, rows?: typeof convolutions) => void} */
function addConvolutions(graph, dtype, rows = convolutions) {
  for (const [i, [shape, window, options]] of rows.entries()) {
    const x = graph.input(`x${i}`, dtype, shape);
    const w = graph.input(`w${i}`, dtype, window);
    graph.output(`conv ${i}`, x.conv(w, options));
  }
}

for (const dtype of ['f32', 'f64', 'i64', 'i16', 'u8']) {
  test(`convolutions of ${dtype} are the same everywhere`, async () => {
    const graph = new Graph('convolutions');
    // The loops do not depend on the dtype, so one of them goes through everything.
    const isThorough = dtype === 'f32';
    addConvolutions(graph, dtype, isThorough ? convolutions : convolutions.slice(2, 4));
    const ways = await mainWays(graph);
    for (const n of isThorough ? [3, 4, 16, 17, 33, 70] : [18]) {
      const inputs = inputsOf(graph, { n, c: n % 5, o: 1 + (n % 13) });
      assertAgreement(ways, inputs, reference(graph, inputs), { title: `${dtype}, n = ${n}` });
    }
    for (const way of ways) way.dispose();
  });
}

test("sums of products of random floats are near the reference, and in 'strict' have its bits", async () => {
  for (const dtype of /** @type {const} */ (['f32', 'f64'])) {
    const graph = new Graph('random');
    addConvolutions(graph, dtype, convolutions.slice(1, 5));
    const ways = await mainWays(graph);
    const inputs = inputsOf(graph, { n: 19, c: 4, o: 9 }, (own, count, seed) => arrayOf(own, moderate(own, count, seed)));
    const want = reference(graph, inputs);
    const bound = 64 * (dtype === 'f32' ? 2 ** -24 : 2 ** -53) * 64;
    assertAgreement(ways, inputs, want, { title: dtype, tolerance: () => ({ absolute: bound }) });
    const strict = ways.filter(({ numerics }) => numerics === 'strict');
    assert.ok(strict.length > 0);
    assertAgreement(strict, inputs, want, { title: `strict ${dtype}` });
    for (const way of ways) way.dispose();
  }
});

/** Shape, window and options. @type {[any[], any, any][]} */
const reductions = [
  [['n'], 3, {}],
  [['n'], [4], { stride: 2, padding: [[3, 1]] }],
  [['n'], ['w'], { stride: 7, padding: 2 }],
  [[3, 'n'], [2, 1], { padding: [[1, 1], [0, 0]] }],
  [[3, 'n'], [1, 5], { dilation: [1, 2], padding: [0, 4] }],
  [[2, 'n', 5], [1, 3, 3], { stride: [1, 2, 2], padding: [0, 1, 1] }],
  [[2, 'n', 6], [1, 2, 2], { stride: [1, 2, 2] }],
  [['n', 4, 3], [2, 2, 1], { baseDilation: [2, 3, 1], padding: [1, 2, 0] }],
  [['n', 3], [2, 2], { padding: [[-1, 3], [6, 6]], stride: [1, 4] }],
  [[1, 2, 3, 2, 'n', 1], [1, 1, 2, 1, 2, 1], { stride: [1, 1, 1, 2, 6, 1] }],
];

for (const dtype of ['f32', 'f64', 'i64', 'i16', 'u8']) {
  test(`reductions of windows of ${dtype} are the same everywhere`, async () => {
    const graph = new Graph('windows');
    const names = isFloat(dtype) ? ['windowSum', 'windowMax'] : ['windowSum', 'windowProd', 'windowMin'];
    graph.input('w', 'u8', ['w']);
    const isThorough = dtype === 'f32';
    for (const [i, [shape, window, options]] of (isThorough ? reductions : reductions.slice(4, 6)).entries()) {
      const x = /** @type {any} */ (graph.input(`x${i}`, /** @type {any} */ (dtype), shape));
      for (const name of names) graph.output(`${name} ${i}`, x[name](window, options));
      if (isThorough) graph.output(`computed ${i}`, x.mul(x).windowMax(window, options).add(1));
    }
    const ways = await mainWays(graph);
    for (const n of isThorough ? [2, 5, 16, 33, 64, 131] : [2, 37]) {
      const inputs = inputsOf(graph, { n, w: (n % 4) + 1 });
      assertAgreement(ways, inputs, reference(graph, inputs), { title: `${dtype}, n = ${n}` });
    }
    for (const way of ways) way.dispose();
  });
}

test('windows have the same bits on any number of threads', () => {
  const data = Float32Array.from({ length: 2 * 8 * 60 * 70 }, (_, i) => Math.sin(i));
  const kernel = Float32Array.from({ length: 24 * 8 * 9 }, (_, i) => Math.cos(i));
  const results = [[2, 8, 60, 70], [2, 8, 'h', 'v']].flatMap((shape) =>
    [1, 2, 3].map((threads) => {
      const graph = new Graph('threads');
      const x = graph.input('x', 'f32', shape);
      const w = graph.input('w', 'f32', [24, 8, 3, 3]);
      graph.output('conv', x.conv2d(w, { padding: 1 }));
      graph.output('sums', x.windowSum([1, 1, 3, 3], { padding: [0, 0, 1, 1], stride: [1, 1, 2, 1] }));
      graph.output('line', x.reshape([-1]).windowSum(9));
      const run = graph.compile({ threads }).run({ x: tensor(data).reshape([2, 8, 60, 70]), w: tensor(kernel).reshape([24, 8, 3, 3]) });
      return ['conv', 'sums', 'line'].map((name) => Buffer.from(run[name].data.buffer, run[name].data.byteOffset, run[name].data.byteLength));
    }),
  );
  for (const [i, bits] of results.entries()) {
    for (const [k, own] of bits.entries()) assert.ok(own.equals(results[0][k]), `way ${i}, output ${k}`);
  }
});

test('sizes that windows do not fit into are refused before a run', () => {
  const graph = new Graph('sizes');
  const x = graph.input('x', 'f32', [1, 1, 'n']);
  graph.output('conv', x.conv(graph.input('w', 'f32', [1, 1, 4]), { stride: 3 }));
  const program = graph.compile();
  const run = (/** @type {number} */ n) => program.run({ x: tensor(new Float32Array(n)).reshape([1, 1, n]), w: tensor(new Float32Array(4)).reshape([1, 1, 4]) });
  assert.deepEqual([run(7).conv.shape, run(4).conv.shape, run(1).conv.shape], [[1, 1, 2], [1, 1, 1], [1, 1, 0]]);
  assert.throws(() => run(0), { code: 'ERR_SHAPE', message: /conv: the size of axis 2 of %3 is -1: \(n \+ 2\)\/3 - 1 for n = 0/ });
  const trimmed = new Graph('trimmed');
  const y = trimmed.input('y', 'f32', [1, 1, 'n']);
  trimmed.output('conv', y.conv(trimmed.constant([[[1]]], { dtype: 'f32' }), { padding: -2, stride: 4 }));
  assert.throws(() => trimmed.compile().run({ y: tensor(new Float32Array(3)).reshape([1, 1, 3]) }), {
    code: 'ERR_SHAPE',
    message: /conv: axis 2 of the window has size 4, but the operand of %3 has 3/,
  });
});
