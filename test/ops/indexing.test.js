// gather, the scatters and compress: random roles of axes, indices of every integer dtype and far outside, windows of one
// element and wide ones, threads, and what the functions made of them do with indices and shapes.
'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { Graph, tensor } = require('graphjit');
const { throwsGraphError } = require('../support/errors.js');
const { allWays, assertAgreement, mainWays, reference } = require('../support/oracles.js');
const { ALL, INTEGERS, arrayOf, isFloat, randomOf, randoms, specials } = require('../support/values.js');

/** @typedef {import('graphjit').Value} Value */

const SCATTERS = ['scatter', 'scatterAdd', 'scatterMul', 'scatterMin', 'scatterMax', 'scatterAnd', 'scatterOr'];

/** Indices around the positions of an axis, and some that no tensor has. @type {(dtype: string, count: number, size: number, seed: number) => any} */
function indicesOf(dtype, count, size, seed) {
  const random = randomOf(seed);
  const hostile = specials(dtype);
  return arrayOf(dtype, Array.from({ length: count }, () => (random() < 0.15 ? hostile[Math.floor(random() * hostile.length)] : Math.floor(random() * (size + 3)) - (dtype.startsWith('u') ? 0 : 1))));
}

/** Elements whose products and sums are exact in any order. @type {(dtype: string, count: number, seed: number) => any} */
const elementsOf = (dtype, count, seed) =>
  isFloat(dtype) ? arrayOf(dtype, Array.from({ length: count }, (_, i) => [1, -1, 2, 0.5, -0, 3, 7][(i * 3 + seed) % 7])) : arrayOf(dtype, randoms(dtype, count, seed));

/**
 * A case: shapes of operand and indices, and the attributes; sizes may be 'n' and 'm'.
 *
 * @type {{ operand: any[], indices: any[], options: any, updates: any[] }[]}
 */
const cases = [
  // elements of a vector
  { operand: ['n'], indices: ['m', 1], options: { collapsedAxes: [0], indexMap: [0], window: [1] }, updates: ['m'] },
  // rows, wide and narrow; columns
  { operand: ['n', 37], indices: ['m', 1], options: { offsetAxes: [1], collapsedAxes: [0], indexMap: [0], window: [1, 37] }, updates: ['m', 37] },
  { operand: [5, 'n'], indices: ['m', 1], options: { offsetAxes: [0], collapsedAxes: [1], indexMap: [1], window: [5, 1] }, updates: [5, 'm'] },
  // windows of several rows, and of some columns, that overlap
  { operand: [9, 'n'], indices: ['m', 2], options: { offsetAxes: [1, 2], indexMap: [1, 0], window: [3, 2] }, updates: ['m', 3, 2] },
  // the window in front: the innermost axis of the updates numbers windows
  { operand: [6, 7], indices: ['m', 1], options: { offsetAxes: [0, 1], indexMap: [0], window: [2, 4] }, updates: [2, 4, 'm'] },
  // along an axis of the indices, element by element
  { operand: ['n', 11], indices: ['n', 'm', 1], options: { operandBatch: [0], indicesBatch: [0], collapsedAxes: [1], indexMap: [1], window: [1, 1] }, updates: ['n', 'm'] },
  // no index at all: one window at the origin
  { operand: [4, 5], indices: [0], options: { offsetAxes: [0, 1], window: [2, 3] }, updates: [2, 3] },
  // index vectors of rank 1: a single window
  { operand: [4, 5], indices: [2], options: { offsetAxes: [0], collapsedAxes: [0], indexMap: [0, 1], window: [1, 3] }, updates: [3] },
];

/** Those of a scatter, which has no window. @type {(options: any) => any} */
const rolesOf = (options) => Object.fromEntries(Object.entries(options).filter(([name]) => name !== 'window'));

/**
 * Loops do not depend on the dtype: two go through all cases, each other one through half of them, and
 * through all ops.
 *
 * @type {(dtype: string, index: string) => Graph}
 */
function graphOf(dtype, index) {
  const graph = new Graph('indexed');
  const isThorough = dtype === 'f32' || dtype === 'u8';
  const names = SCATTERS.filter((name) => (isFloat(dtype) ? !/And|Or/.test(name) : dtype !== 'bool' || !/Add|Mul/.test(name)));
  let turn = ALL.indexOf(dtype);
  cases.forEach(({ operand, indices, options, updates }, i) => {
    if (!isThorough && (i + ALL.indexOf(dtype)) % 2 > 0) return;
    const roles = rolesOf(options);
    const x = graph.input(`x${i}`, /** @type {any} */ (dtype), operand);
    const at = graph.input(`i${i}`, /** @type {any} */ (index), indices);
    const u = graph.input(`u${i}`, /** @type {any} */ (dtype), updates);
    graph.output(`gather ${i}`, x.gather(at, options));
    for (const end = turn + 2; turn < end; turn++) {
      const name = names[turn % names.length];
      graph.output(`${name} ${i}`, /** @type {any} */ (x)[name](at, u, roles));
    }
    if (!isThorough) return;
    // what is computed on the way, in front and behind
    graph.output(`fused ${i}`, x.add(x).gather(at, options).sub(u));
    graph.output(`sums ${i}`, x.gather(at, options).reduceSum());
    graph.output(`joined ${i}`, x.mul(x).scatterAdd(at, u.add(u), roles).add(1));
  });
  return graph;
}

/** @type {(graph: Graph, sizes: Record<string, number>, seed: number) => any} */
function inputsOf(graph, sizes, seed) {
  return Object.fromEntries(
    graph.inputs.map(({ name, dtype, shape }, i) => {
      const own = shape.map((size) => (typeof size === 'string' ? sizes[size] : size));
      const count = own.reduce((a, b) => a * b, 1);
      const data = name.startsWith('i') ? indicesOf(dtype, count, 8, seed + i) : elementsOf(dtype, count, seed + i);
      return [name, { dtype, shape: own, data }];
    }),
  );
}

for (const [k, dtype] of ALL.entries()) {
  test(`gather and scatters of ${dtype} are the same everywhere`, async () => {
    const graph = graphOf(dtype, INTEGERS[k % INTEGERS.length]);
    const ways = await (dtype === 'f32' ? allWays(graph) : mainWays(graph));
    for (const [seed, [n, m]] of [[3, 0], [7, 5], [40, 300]].entries()) {
      const inputs = inputsOf(graph, { n, m }, seed + 1);
      assertAgreement(ways, inputs, reference(graph, inputs), { title: `${dtype}, n = ${n}, m = ${m}` });
    }
    for (const way of ways) way.dispose();
  });
}

test('indices of every dtype are clamped by gather and dropped by scatter', async () => {
  const graph = new Graph('dtypes');
  const x = graph.input('x', 'f32', ['n']);
  const u = graph.input('u', 'f32', ['m']);
  for (const index of INTEGERS) {
    const at = graph.input(index, /** @type {any} */ (index), ['m', 1]);
    const roles = { collapsedAxes: [0], indexMap: [0] };
    graph.output(`${index} taken`, x.gather(at, { ...roles, window: [1] })).output(`${index} added`, x.scatterAdd(at, u, roles));
  }
  const ways = await mainWays(graph);
  for (const n of [1, 5, 300, 70000]) {
    const inputs = inputsOf(graph, { n, m: 90 }, 4);
    for (const index of INTEGERS) inputs[index].data = indicesOf(index, 90, n, 9);
    assertAgreement(ways, inputs, reference(graph, inputs), { title: `n = ${n}` });
  }
  for (const way of ways) way.dispose();
});

test('compress of every dtype is the same everywhere', async () => {
  const graph = new Graph('selected');
  const mask = graph.input('mask', 'bool', ['n']);
  for (const dtype of ALL) {
    const x = graph.input(dtype, /** @type {any} */ (dtype), ['n']);
    graph.output(`${dtype} values`, x.compress(mask));
    graph.output(`${dtype} rows`, graph.input(`${dtype} wide`, /** @type {any} */ (dtype), [3, 'n']).compress(mask, { axis: 1 }));
  }
  const ways = await mainWays(graph);
  for (const [seed, n] of [0, 1, 9, 2048, 5000].entries()) {
    const inputs = inputsOf(graph, { n }, seed + 1);
    const room = (/** @type {string} */ name) => (name.endsWith('rows') ? 3 * n : n);
    assertAgreement(ways, inputs, reference(graph, inputs), { title: `n = ${n}`, room });
  }
  for (const way of ways) way.dispose();
});

test('sums of scattered floats are added in order on any number of threads', () => {
  const random = randomOf(5);
  /** @type {[any[], number[], number][]} rows, what they are in a run, updates */
  const shapes = [[['n'], [50], 40000], [['n', 'k'], [50, 64], 3000], [['n', 700], [9, 700], 900], [[4, 'n', 90], [4, 30, 90], 500]];
  for (const [shape, sizes, count] of shapes) {
    const axis = shape.indexOf('n');
    const own = sizes.with(axis, count);
    const size = (/** @type {number[]} */ list) => list.reduce((a, b) => a * b, 1);
    const graph = new Graph('order');
    const [x, u] = [graph.input('x', 'f32', shape), graph.input('u', 'f32', shape.with(axis, 'c'))];
    const at = graph.input('at', 'i32', ['c']);
    graph.output('z', x.indexAdd(at, u, { axis })).output('y', x.neg().indexAdd(at, u.mul(3), { axis }).take(at, { axis }));
    const inputs = {
      x: tensor(Float32Array.from({ length: size(sizes) }, random)).reshape(sizes),
      u: tensor(Float32Array.from({ length: size(own) }, () => random() * 1e4)).reshape(own),
      at: Int32Array.from({ length: count }, () => Math.floor(random() * sizes[axis])),
    };
    const want = graph.eval(inputs);
    for (const threads of [1, 2, 3]) {
      const made = graph.compile({ threads }).run(inputs);
      for (const name of ['z', 'y']) assert.deepEqual(made[name].data, want[name].data, `${name} of [${shape}], ${threads} threads`);
    }
  }
});

test('a scatter works in place where its operand dies', () => {
  const graph = new Graph('place');
  const [x, at] = [graph.input('x', 'f64', ['n']), graph.input('at', 'i64', ['m'])];
  const sums = x.cumulateSum(); // has memory of its own
  graph.output('z', sums.indexAdd(at, 1).indexMul(at, 2).mul(3));
  const program = graph.compile();
  const run = { x: Float64Array.of(1, 2, 3, 4), at: BigInt64Array.of(1n, 1n, 9n, -1n) };
  assert.deepEqual([...program.run(run).z.data], [3, 60, 18, 66]);
  assert.equal(program.stats.kernels.filter(({ kind }) => kind === 'scatter').length, 2);
});

test('an axis without elements takes no index, and nothing is taken of it', async () => {
  const graph = new Graph('empty');
  const [x, at] = [graph.input('x', 'f64', ['n', 2]), graph.input('at', 'i32', ['m'])];
  graph.output('taken', x.take(at, { axis: 0 })).output('added', x.indexAdd(at, 1));
  const empty = { x: { dtype: 'f64', shape: [0, 2], data: new Float64Array(0) }, at: { dtype: 'i32', shape: [0], data: new Int32Array(0) } };
  const ways = await mainWays(graph);
  assertAgreement(ways, empty, reference(graph, empty), { title: 'nothing' });
  const some = { x: tensor(new Float64Array(0)).reshape([0, 2]), at: Int32Array.of(0) };
  for (const way of ways) assert.throws(() => way.run(some, undefined), { code: 'ERR_SHAPE', message: /window/ }, way.name);
  assert.throws(() => graph.eval(some), { code: 'ERR_SHAPE', message: /^gather: axis 0 of the window has size 1, but the operand of %\d+ has 0$/ });
});

test('wrong roles of axes are refused by name', () => {
  const graph = new Graph('wrong');
  const x = graph.input('x', 'f32', [4, 5]);
  const at = graph.input('at', 'i32', [3, 1]);
  const f = graph.input('f', 'f32', [3, 1]);
  const row = { offsetAxes: [1], collapsedAxes: [0], indexMap: [0], window: [1, 5] };
  const roles = rolesOf(row);
  /** @type {[() => unknown, string, RegExp][]} */
  const wrong = [
    [() => x.gather(f, row), 'ERR_DTYPE', /^gather: expected integers for the indices, got Value %3/],
    [() => x.gather(3, row), 'ERR_SHAPE', /^gather: the indices %\d+ are a scalar, but they hold index vectors along an axis$/],
    [() => x.gather(at, { ...row, window: [1] }), 'ERR_SHAPE', /^gather: window has 1 values, but operand %1 has rank 2$/],
    [() => x.gather(at, { ...row, window: [2, 5] }), 'ERR_SHAPE', /^gather: window has size 2 along axis 0, which is dropped, so it must be 1$/],
    [() => x.gather(at, { ...row, window: [1, 6] }), 'ERR_SHAPE', /^gather: the window has size 6 along axis 1, but operand %1 has 5$/],
    [() => x.gather(at, { ...row, offsetAxes: [2] }), 'ERR_SHAPE', /^gather: offset_axes: axis 2 is not in \[0, 2\)$/],
    [() => x.gather(at, { ...row, offsetAxes: [] }), 'ERR_SHAPE', /^gather: offset_axes has 0 axes, but a window of operand %1 has 1$/],
    [() => x.gather(at, { ...row, collapsedAxes: [0, 0] }), 'ERR_SHAPE', /^gather: collapsed_axes: an axis is named twice: 0$/],
    [() => x.gather(at, { ...row, indexMap: [0, 1] }), 'ERR_SHAPE', /^gather: index_map has 2 axes, but the last axis of the indices %2 has size 1$/],
    [() => x.gather(at, { ...row, collapsedAxes: [], operandBatch: [0], indicesBatch: [0] }), 'ERR_SHAPE', /^gather: axis 0 is in index_map and in operand_batch$/],
    [() => x.gather(at, { offsetAxes: [1], operandBatch: [0], indicesBatch: [0], indexMap: [1], window: [1, 5] }), 'ERR_SHAPE', /^gather: axis 0 of operand %1 has size 4, but axis 0 of the indices %2 has 3$/],
    [() => x.gather(at, /** @type {any} */ ({ ...row, axis: 0 })), 'ERR_ARGUMENT', /^gather: unknown option 'axis'/],
    [() => x.scatterAdd(at, graph.input('d', 'f64', [3, 5]), roles), 'ERR_DTYPE', /^scatter_add: operands %1 and %\d+ have dtypes f32 and f64; convert one$/],
    [() => x.scatterAdd(at, graph.input('r', 'f32', [3]), roles), 'ERR_SHAPE', /^scatter_add: the updates %\d+ have rank 1, but indices and offset_axes make it 2$/],
    [() => x.scatterAdd(at, graph.input('w', 'f32', [3, 6]), roles), 'ERR_SHAPE', /^scatter_add: axis 1 of the updates %\d+ has size 6, but axis 1 of operand %1 has 5$/],
    [() => x.scatterAdd(at, graph.input('b', 'f32', [2, 5]), roles), 'ERR_SHAPE', /^scatter_add: axis 0 of the updates %\d+ has size 2, but axis 0 of the indices has 3$/],
    [() => x.scatterOr(at, x, roles), 'ERR_DTYPE', /^scatter_or: operand 1 \(%1\) is f32, but the op takes bool and integers$/],
    [() => x.take(at, { axis: 2 }), 'ERR_SHAPE', /^take: axis 2 is out of range for rank 2$/],
    [() => x.takeAlongAxis(graph.input('v', 'i32', [4])), 'ERR_SHAPE', /^takeAlongAxis: the indices have rank 1, but the operand has 2$/],
    [() => x.indexAdd(at, [1, 2]), 'ERR_SHAPE', /^indexAdd: the shape of the updates \[2\] does not broadcast to \[3, 1, 5\]$/],
    [() => x.putAlongAxis(at, 1, /** @type {any} */ ({ mode: 'div' })), 'ERR_ARGUMENT', /^putAlongAxis: expected one of 'set', 'add', /],
    [() => at.bincount(/** @type {any} */ ({})), 'ERR_ARGUMENT', /^bincount: expected a number of bins, as no size depends on data for option 'length', got undefined$/],
    [() => x.unstack({ axis: 2 }), 'ERR_SHAPE', /^unstack: axis 2 is out of range/],
    [() => x.split(3), 'ERR_SHAPE', /^split: axis 0 has size 4, which is not divisible into 3 sections$/],
  ];
  for (const [call, code, message] of wrong) throwsGraphError(call, /** @type {any} */ (code), message);
});

test('functions of indices and arrangements take sizes that are known when a run begins', async () => {
  const build = (/** @type {any[]} */ [n, m]) => {
    const graph = new Graph('symbols');
    const x = graph.input('x', 'f32', [n, m]);
    const i = graph.input('i', 'i32', [4]);
    const s = graph.input('s', 'i64', [n]);
    /** @type {Record<string, Value>} */
    const made = {
      take: x.take(i, { axis: 1 }), flat: x.take(i), beside: x.takeAlongAxis(i.reshape([1, 4])), put: x.putAlongAxis([[-1]], 7, { axis: 1 }),
      nd: x.gatherNd([[0, -1], [-2, 1]]), setNd: x.scatterNd([[0, -1], [-2, 1]], [5, 6], { mode: 'max' }), update: x.indexUpdate(i, -1, { axis: 1 }),
      hot: i.oneHot(m, { axis: 0 }), bag: x.embeddingBag(i.reshape([2, 2]), { mode: 'mean' }), bins: i.bincount({ length: m, weights: [1, 2, 3, 4] }),
      segments: x.segmentMean(s, 3), greatest: x.segmentMax(s, 2), least: x.segmentMin(s, m), product: x.segmentProd(s, 1), sum: x.segmentSum(s, 2), roll: x.roll(-1, { axis: 1 }), rolled: x.roll(2), repeat: x.repeat(2, { axis: 0 }),
      tile: x.tile([2, 1, 3]), moved: x.moveaxis(0, -1), swapped: x.swapaxes(0, 1), turned: x.rot90(), back: x.rot90({ k: 3 }), flatten: x.flatten(),
      diagonal: x.diagonal({ offset: 1 }), below: x.diagonal({ offset: -1 }), diag: x.flatten().diag({ offset: -1 }), third: x.atleast3d(),
    };
    for (const [name, value] of Object.entries(made)) graph.output(name, value);
    x.split([1, 2], { axis: 1 }).forEach((part, k) => graph.output(`split ${k}`, part));
    x.reshape([3, 5]).unstack().forEach((part, k) => graph.output(`row ${k}`, part));
    graph.output('halves', x.concat(x).split(2)[1]);
    x.slice(0).meshgrid(i).forEach((part, k) => graph.output(`grid ${k}`, part));
    return graph;
  };
  const inputs = { x: { dtype: 'f32', shape: [3, 5], data: arrayOf('f32', Array.from({ length: 15 }, (_, k) => k * k)) }, i: { dtype: 'i32', shape: [4], data: Int32Array.of(1, -1, 3, 40) }, s: { dtype: 'i64', shape: [3], data: BigInt64Array.of(0n, 2n, 0n) } };
  const known = build([3, 5]), open = build(['n', 'm']);
  const want = reference(known, inputs);
  assertAgreement(await mainWays(known), inputs, want, { title: 'numbers' });
  assertAgreement(await mainWays(open), inputs, want, { title: 'symbols' });
});
