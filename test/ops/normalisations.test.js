// Softmax and its logarithms, layer and RMS normalisation: against formulas in JavaScript numbers, along
// every axis, the same bits everywhere, at the infinities, and what is refused.
'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { Graph, jit, softmax, tensor } = require('graphjit');
const { throwsGraphError } = require('../support/errors.js');
const { allWays, assertAgreement, mainWays, native, reference } = require('../support/oracles.js');
const { arrayOf, randomOf } = require('../support/values.js');

const total = (/** @type {number[]} */ row) => row.reduce((sum, x) => sum + x, 0);
const meanOf = (/** @type {number[]} */ row) => total(row) / row.length;

/** What an operation makes of one row of numbers. @type {Record<string, (row: number[]) => number[]>} */
const formulas = {
  softmax: (row) => {
    const powers = row.map((x) => Math.exp(x - Math.max(...row)));
    return powers.map((x) => x / total(powers));
  },
  logSoftmax: (row) => {
    const most = Math.max(...row);
    return row.map((x) => x - most - Math.log(total(row.map((y) => Math.exp(y - most)))));
  },
  logSumExp: (row) => {
    const most = Math.max(...row);
    return [most + Math.log(total(row.map((x) => Math.exp(x - most))))];
  },
  layerNorm: (row) => {
    const mean = meanOf(row);
    const deviation = Math.sqrt(meanOf(row.map((x) => (x - mean) ** 2)) + 1e-5);
    return row.map((x) => (x - mean) / deviation);
  },
  rmsNorm: (row) => row.map((x) => x / Math.sqrt(meanOf(row.map((y) => y * y)) + 1e-5)),
};
const names = Object.keys(formulas);

const SHAPE = [3, 5, 40];

/** The offsets of the elements of each row along some axes of SHAPE, rows in order. @type {(axes: number[]) => number[][]} */
function rowsAlong(axes) {
  /** @type {Map<string, number[]>} */
  const found = new Map();
  for (let at = 0; at < SHAPE.reduce((a, b) => a * b); at++) {
    const place = [Math.floor(at / 200), Math.floor(at / 40) % 5, at % 40];
    const key = place.filter((_, axis) => !axes.includes(axis)).join();
    found.set(key, [...(found.get(key) ?? []), at]);
  }
  return [...found.values()];
}

/** Values of a formula, at the places of their rows. @type {(name: string, data: Float64Array, axes: number[]) => number[]} */
function expectedOf(name, data, axes) {
  /** @type {number[]} */
  const out = [];
  for (const [number, places] of rowsAlong(axes).entries()) {
    const results = formulas[name](places.map((at) => data[at]));
    results.forEach((value, i) => (out[name === 'logSumExp' ? number : places[i]] = value));
  }
  return out;
}

/** @type {(graph: Graph, name: string, options?: any, dtype?: string, shape?: any) => void} */
function declare(graph, name, options, dtype = 'f64', shape = SHAPE) {
  const x = graph.input('x', /** @type {any} */ (dtype), shape);
  graph.output('y', /** @type {any} */ (x)[name](options));
}

test('normalisations are their formulas along every axis', () => {
  const random = randomOf(7);
  const data = Float64Array.from({ length: 600 }, () => 20 * random() - 10);
  for (const name of names) {
    for (const axis of [undefined, 0, 1, -1, [1, 2], [2, 1], [0, 2], [0, 1, 2]]) {
      const graph = new Graph(name);
      declare(graph, name, { axis });
      const axes = [axis ?? -1].flat().map((at) => (at < 0 ? at + 3 : at));
      const want = expectedOf(name, data, axes);
      const { y } = graph.compile().run({ x: data });
      assert.equal(y.size, want.length, name);
      want.forEach((value, i) => assert.ok(Math.abs(y.data[i] - value) <= 1e-13 * (1 + Math.abs(value)), `${name} ${axis}: [${i}]`));
    }
  }
});

test('normalisations have the same bits everywhere, at every length of a row', async () => {
  const random = randomOf(9);
  for (const name of names) {
    for (const dtype of ['f32', 'f64']) {
      const graph = new Graph(name);
      declare(graph, name, {}, dtype, ['n', 'm']);
      const ways = await (dtype === 'f32' ? allWays(graph) : mainWays(graph));
      for (const [n, m] of [[3, 1], [2, 7], [5, 10], [3, 31], [4, 32], [2, 33], [3, 100], [1, 4097], [2, 5000], [0, 5], [5, 0]]) {
        const inputs = { x: { dtype, shape: [n, m], data: arrayOf(dtype, Array.from({ length: n * m }, () => 8 * random() - 4)) } };
        const absolute = dtype === 'f32' ? 4e-6 : 1e-14; // the reference sums in a wider type
        assertAgreement(ways, inputs, reference(graph, inputs), { title: `${name} ${dtype}[${n}, ${m}]`, tolerance: () => ({ absolute }) });
      }
      for (const way of ways) way.dispose();
    }
  }
});

test('rows of infinities and of one element are as defined', () => {
  const rows = [[-Infinity, -Infinity], [-Infinity, 1], [Infinity, 1], [NaN, 1], [1000, 1000]];
  const graph = new Graph();
  const x = graph.input('x', 'f64', ['n', 'm']);
  for (const name of names) graph.output(name, /** @type {any} */ (x)[name]());
  const program = graph.compile();
  for (const results of [graph.eval({ x: tensor(rows) }), program.run({ x: tensor(rows) })]) {
    assert.deepEqual(results.softmax.toArray(), [[NaN, NaN], [0, 1], [NaN, NaN], [NaN, NaN], [0.5, 0.5]]);
    assert.deepEqual(results.logSoftmax.toArray()[1], [-Infinity, 0]);
    assert.deepEqual(results.logSumExp.toArray(), [-Infinity, 1, Infinity, NaN, 1000 + Math.log(2)]);
  }
  const single = program.run({ x: tensor([[-7.25]]) });
  assert.deepEqual(single.softmax.toArray(), [[1]]);
  assert.deepEqual(single.logSoftmax.toArray(), [[0]]);
  assert.deepEqual(single.logSumExp.toArray(), [-7.25]);
  assert.deepEqual(single.layerNorm.toArray(), [[0]]);
  assert.deepEqual(program.run({ x: tensor([], { dtype: 'f64' }).reshape([0, 3]) }).softmax.shape, [0, 3]);
  assert.deepEqual(program.run({ x: tensor(new Float64Array(0)).reshape([2, 0]) }).logSumExp.toArray(), [-Infinity, -Infinity]);
});

test('scale and bias lie along the normalised axes', () => {
  const graph = new Graph();
  const x = graph.input('x', 'f64', [2, 3, 4]);
  const weight = tensor([1, 2, 3]);
  graph.output('middle', x.layerNorm({ axis: 1, scale: weight, bias: [10, 20, 30], epsilon: 0 }));
  graph.output('plain', x.layerNorm({ axis: 1, epsilon: 0 }));
  graph.output('number', x.rmsNorm({ scale: 2, epsilon: 0 }).div(x.rmsNorm({ epsilon: 0 })));
  const { middle, plain, number } = graph.compile().run({ x: Float64Array.from({ length: 24 }, (_, i) => (i * i) % 17) });
  plain.data.forEach((/** @type {number} */ value, /** @type {number} */ i) => {
    const channel = Math.floor(i / 4) % 3;
    assert.equal(middle.data[i], value * (channel + 1) + 10 * (channel + 1));
  });
  assert.ok(number.data.every((/** @type {number} */ ratio) => ratio === 2 || Number.isNaN(ratio)));
});

test('normalisations refuse what makes no sense', () => {
  const graph = new Graph();
  const x = graph.input('x', 'f32', [2, 3]);
  const refused = throwsGraphError;
  refused(() => /** @type {any} */ (x).softmax({ axes: 0 }), 'ERR_ARGUMENT', /softmax: unknown option 'axes' \(did you mean 'axis'\?\), known options are 'axis'/);
  refused(() => x.softmax({ axis: 2 }), 'ERR_SHAPE', /softmax: /);
  refused(() => softmax(graph.input('i', 'i32', [3])), 'ERR_DTYPE', /softmax: expected a float Value for the operand, got Value %2 i32\[3\]/);
  refused(() => /** @type {any} */ (x).layerNorm({ scale: null }), 'ERR_ARGUMENT', /layerNorm: expected a Value, a number or a Tensor for option 'scale', got null/);
  refused(() => x.layerNorm({ scale: [1, 2] }), 'ERR_SHAPE', /layerNorm: expected a number or shape \[3\] for option 'scale', got shape \[2\]/);
  refused(() => x.rmsNorm({ epsilon: -1 }), 'ERR_ARGUMENT', /rmsNorm: expected a number of at least 0 for option 'epsilon', got -1/);
  refused(() => /** @type {any} */ (x).gelu({ approximate: 'fast' }), 'ERR_ARGUMENT', /gelu: expected one of 'none', 'tanh' for option 'approximate', got "fast"/);
});

/** Runs steps as one program, and as a program each that hands its result to the next. @type {(steps: ((...values: any[]) => any)[], x: any, options: any) => any[]} */
function togetherAndApart(steps, x, options) {
  const whole = new Graph('whole');
  let values = [whole.input('x', x.dtype, [...x.shape])];
  for (const step of steps) values = [values[0], step(...values)];
  whole.output('y', values[1]);
  let last;
  for (const step of steps) {
    const part = new Graph('part');
    const inputs = [part.input('x', x.dtype, [...x.shape])];
    if (last) inputs.push(part.input('last', last.dtype, [...last.shape]));
    part.output('y', step(...inputs));
    last = part.compile(options).run(last ? { x, last } : { x }).y;
  }
  const program = whole.compile(options);
  assert.deepEqual(program.stats.kernels.map(({ kind }) => kind), ['rows']);
  return [program.run({ x }).y, last];
}

test('results do not depend on what has become one kernel', () => {
  const random = randomOf(11);
  for (const dtype of /** @type {const} */ (['f32', 'f64'])) {
    for (const [shape, axis] of /** @type {[number[], number | number[]][]} */ ([[[5, 33], 1], [[3, 1000], 1], [[2, 3, 7, 11], [2, 3]], [[1, 5000], 1]])) {
      const size = shape.reduce((a, b) => a * b);
      const x = tensor(arrayOf(dtype, Array.from({ length: size }, () => 8 * random() - 4)), { dtype }).reshape(shape);
      const over = { axis, keepDims: true };
      const steps = [
        (/** @type {any} */ v) => v.max(over),
        (/** @type {any} */ v, /** @type {any} */ most) => v.sub(most).exp(),
        (/** @type {any} */ v, /** @type {any} */ e) => e.div(e.sum(over)).add(v.mean(over)),
        (/** @type {any} */ v, /** @type {any} */ p) => p.mul(v).sub(p.sum(over)).sqrt(),
      ];
      for (const numerics of /** @type {const} */ (['strict', 'default'])) {
        for (const threads of [1, 2]) {
          const [together, apart] = togetherAndApart(steps, x, { numerics, threads });
          assert.deepEqual(together.data, apart.data, `${dtype}[${shape}] ${numerics}`);
        }
      }
    }
  }
});

test('a row of another dtype than the result is kept for as long as it is needed', async () => {
  const random = randomOf(13);
  for (const shape of /** @type {any[]} */ ([['n', 'm'], ['n', 100]])) {
    const graph = new Graph('above');
    const e = graph.input('x', 'f64', shape).exp();
    graph.output('y', e.gt(e.mean({ axis: 1, keepDims: true })).select(e.sin().astype('f32'), -1));
    const ways = await allWays(graph);
    for (const n of [1, 7, 300]) {
      const inputs = { x: { dtype: 'f64', shape: [n, 100], data: Float64Array.from({ length: 100 * n }, () => 8 * random() - 4) } };
      assertAgreement(ways, inputs, reference(graph, inputs), { title: `${shape} of ${n} rows`, tolerance: () => ({ ulp: 2, absolute: 1e-6 }) });
    }
    const { kernels } = graph.compile().stats;
    assert.equal(kernels.at(-1)?.kind, 'rows'); // behind the number of elements
    for (const way of ways) way.dispose();
  }
});

test('numbers of rows that are outputs as well may be turned to another shape', async () => {
  /** @type {Record<string, (graph: Graph, x: any) => any>} */
  const forms = {
    sum: (graph, x) => graph.output('u', x.mul(2)).output('s', x.mul(2).sum({ axis: 1 }).broadcastTo([1, x.shape[0]])),
    max: (graph, x) => graph.output('u', x.mul(2)).output('s', x.mul(2).max({ axis: 1, keepDims: true }).broadcastTo([1, 1, x.shape[0], 1])),
    softmax: (graph, x) => graph.output('u', x.softmax()).output('s', x.softmax().sum({ axis: 1 }).broadcastTo([1, x.shape[0]]).mul(3)),
    columns: (graph, x) => graph.output('u', x.sub(x.min({ axis: 1, keepDims: true }))).output('s', x.sub(x.min({ axis: 1, keepDims: true })).sum({ axis: 1 }).broadcastTo([x.shape[1], x.shape[0]])),
  };
  for (const [name, build] of Object.entries(forms)) {
    for (const [shape, n, m] of /** @type {[any, number, number][]} */ ([[['n', 'm'], 3, 50], [['n', 'm'], 5, 0], [['n', 64], 4, 64], [[4, 64], 4, 64]])) {
      const graph = new Graph(name);
      build(graph, graph.input('x', 'f64', shape));
      const read = Graph.parse(graph.toString());
      const ways = [...(await mainWays(graph)), native(read, { tier: 'auto', cache: false })];
      const inputs = { x: { dtype: 'f64', shape: [n, m], data: Float64Array.from({ length: n * m }, (_, i) => (i * 7) % 11) } };
      assertAgreement(ways, inputs, reference(graph, inputs), { title: `${name} of ${shape}`, tolerance: () => ({ ulp: 2 }) });
      for (const way of ways) way.dispose();
    }
  }
  const rows = jit((/** @type {any} */ x) => [x.mul(2), x.mul(2).sum({ axis: 1 }).broadcastTo([1, 3])])(tensor(new Float64Array(150).fill(1), { shape: [3, 50] }));
  assert.deepEqual([...rows[1].data], [100, 100, 100]);
});
