// The reductions of the op table: over every set of axes, over lengths around the lanes and chunks of
// src/lower/kernels/reduce/row.c, with ties, NaN and infinities, and how exact float sums are.
//
// Three kinds of data. Small whole numbers (factors of 1, -1, 2 and 1/2 for products) have exact results
// in any order, so every bit must agree with the reference. The same with one NaN or infinity in it.
// Random numbers, for which float sums and products are within the bounds of docs/numerics.md:
// 3 u Σ|x| for sums (u is half the distance from 1 to the next float), n u |Π x| for products, and as
// for any order, n u Σ|x|, in 'fast'.
'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { Graph } = require('graphjit');
const { bytesOf } = require('../support/compare.js');
const { allWays, assertAgreement, mainWays, reference, wasm } = require('../support/oracles.js');
const { ALL, FLOATS, arrayOf, isFloat, moderate, randomOf, randoms } = require('../support/values.js');
const { reductions } = require('./table.js');

const camelCase = (/** @type {string} */ name) => name.replace(/_(.)/g, (_, letter) => letter.toUpperCase());
const unitOf = (/** @type {string} */ dtype) => (dtype === 'f32' ? 2 ** -24 : 2 ** -53);
const opsOf = (/** @type {string} */ dtype) => Object.keys(reductions).filter((op) => reductions[op].dtypes.includes(dtype));

/** Elements whose sums and products are exact in any order, with many ties. @type {(dtype: string, count: number, seed: number, factors?: boolean) => any} */
function exactData(dtype, count, seed, factors = false) {
  if (!isFloat(dtype)) return arrayOf(dtype, randoms(dtype, count, seed));
  const random = randomOf(seed);
  const list = factors ? [1, 1, 1, 1, -1, 1, 2, 0.5] : [0, 1, -1, 2, 3, -2, -3, 0.5, 4];
  // Factors come in pairs of 2 and 1/2, so that no product leaves the range.
  let held = 1;
  const factor = () => {
    const next = list[Math.floor(random() * list.length)];
    if ((next === 2 && held > 1) || (next === 0.5 && held < 1)) return 1;
    held *= Math.abs(next);
    return next;
  };
  return arrayOf(dtype, Array.from({ length: count }, () => (factors ? factor() : list[Math.floor(random() * list.length)])));
}

/** @type {(shape: readonly (number | string)[], sizes: any) => number[]} */
const sizesOf = (shape, sizes) => shape.map((size) => (typeof size === 'string' ? sizes[size] : size));

/** All subsets of the axes. @type {(rank: number) => number[][]} */
const axisSets = (rank) => Array.from({ length: 2 ** rank }, (_, bits) => Array.from({ length: rank }, (__, axis) => axis).filter((axis) => (bits >> axis) & 1));

/** @type {(graph: Graph, sizes: any, data: (dtype: string, count: number, seed: number, factors: boolean) => any) => any} */
function inputsOf(graph, sizes, data) {
  return Object.fromEntries(
    graph.inputs.map(({ name, dtype, shape }, i) => {
      const own = sizesOf(shape, sizes);
      const count = own.reduce((a, b) => a * b, 1);
      return [name, { dtype, shape: own, data: data(dtype, count, i + 1, name.startsWith('p')) }];
    }),
  );
}

/** @type {(graph: Graph, ways: any[], sizes: any, title: string) => void} */
function checkExact(graph, ways, sizes, title) {
  const inputs = inputsOf(graph, sizes, exactData);
  assertAgreement(ways, inputs, reference(graph, inputs), { title: `${title}, exact` });
}

/** One element is NaN or infinite, at the front, in the middle, at the end. @type {(graph: Graph, ways: any[], sizes: any, title: string) => void} */
function checkSpecial(graph, ways, sizes, title) {
  for (const [special, where] of [[NaN, 0.6], [Infinity, 0], [-Infinity, 0.999999], [NaN, 0.999999]]) {
    const inputs = inputsOf(graph, sizes, exactData);
    for (const { data } of Object.values(inputs)) if (data.length > 0) data[Math.floor(where * data.length)] = special;
    assertAgreement(ways, inputs, reference(graph, inputs), { title: `${title}, ${special} at ${where}` });
  }
}

/** Random floats, against the bounds. @type {(graph: Graph, ways: any[], sizes: any, title: string) => void} */
function checkRounding(graph, ways, sizes, title) {
  const random = randomOf(3);
  const inputs = inputsOf(graph, sizes, (dtype, count, seed, factors) =>
    arrayOf(dtype, factors ? Array.from({ length: count }, () => 1 + (random() - 0.5) / 64) : moderate(dtype, count, seed)),
  );
  const [{ dtype }] = Object.values(inputs);
  const most = Math.max(...Object.values(inputs).map(({ data }) => data.length));
  const total = Math.max(...Object.values(inputs).map(({ data }) => data.reduce((sum, x) => sum + Math.abs(x), 0)));
  const bound = (/** @type {number} */ steps) => (/** @type {string} */ output) => {
    if (output.startsWith('reduce_prod')) return { ulp: 2 * most };
    return output.startsWith('reduce_sum') ? { absolute: steps * unitOf(dtype) * total } : {};
  };
  assertAgreement(ways, inputs, reference(graph, inputs), { title: `${title}, random`, tolerance: bound(3), fast: bound(most) });
}

/** @type {(graph: Graph, dtype: string, op: string, shapes: any[][]) => void} adds inputs, and the op over all axis sets */
function overAllAxes(graph, dtype, op, shapes) {
  const name = op === 'reduce_prod' ? 'p' : 'x';
  for (const [i, shape] of shapes.entries()) {
    const x = graph.input(`${name}${i}`, /** @type {any} */ (dtype), shape);
    const isPosition = op.startsWith('arg');
    for (const axes of isPosition ? [[], ...shape.map((_, axis) => [axis])] : axisSets(shape.length)) {
      const positions = axes.length === 0 ? {} : { axis: axes[0] };
      const value = isPosition ? /** @type {any} */ (x)[op](positions) : /** @type {any} */ (x)[camelCase(op)](axes);
      graph.output(`${op} ${i} [${axes}]`, value);
    }
  }
}

for (const [number, op] of Object.keys(reductions).entries()) {
  test(`${op} over every set of axes is the same everywhere`, async () => {
    for (const dtype of reductions[op].dtypes) {
      // The loops do not depend on the dtype, so one of them goes through everything, a float and an
      // integer in turn, and how code is optimised does not depend on the number of axes, so that is
      // tried with few.
      const isThorough = dtype === (number % 2 || !reductions[op].dtypes.includes('f64') ? 'u8' : 'f64');
      const all = isThorough ? [[], [5], [4, 7], ['n', 3, 4, 'm']] : [[], [2, 'n', 'm']];
      const graphs = [{ shapes: all, waysOf: mainWays }];
      if (dtype === 'f64') graphs.push({ shapes: [[], ['n', 'm']], waysOf: allWays });
      for (const { shapes, waysOf } of graphs) {
        const graph = new Graph(op);
        overAllAxes(graph, dtype, op, shapes);
        const ways = await waysOf(graph);
        for (const sizes of [{ n: 3, m: 5 }, { n: 1, m: 1 }, { n: 2, m: 40 }, { n: 0, m: 3 }, { n: 3, m: 0 }]) {
          const title = `${op} of ${dtype}, ${JSON.stringify(sizes)}`;
          checkExact(graph, ways, sizes, title);
          if (isFloat(dtype)) checkSpecial(graph, ways, sizes, title);
          if (isFloat(dtype)) checkRounding(graph, ways, sizes, title);
        }
        for (const way of ways) way.dispose();
      }
    }
  });
}

test('moments over every set of axes are the same everywhere, and near the mean of large numbers too', async () => {
  for (const dtype of FLOATS) {
    const graph = new Graph('moments');
    // f64 goes through all sets, each other dtype through those of two axes.
    overAllAxes(graph, dtype, 'reduce_moments', [['n', 'm'], ['n', 20], ...(dtype === 'f64' ? [[5], [4, 7], ['n', 3, 4, 'm']] : [])]);
    const ways = await mainWays(graph);
    const data = (/** @type {number} */ offset) => (/** @type {string} */ type, /** @type {number} */ count, /** @type {number} */ seed) => {
      const random = randomOf(seed);
      return arrayOf(type, Array.from({ length: count }, () => offset + random()));
    };
    for (const sizes of [{ n: 3, m: 5 }, { n: 2, m: 40 }, { n: 70, m: 33 }, { n: 0, m: 3 }, { n: 3000, m: 1 }, { n: 1, m: 9000 }]) {
      const title = `moments of ${dtype}, ${JSON.stringify(sizes)}`;
      for (const offset of dtype === 'f32' ? [0, 1000] : [0, 1e6]) {
        const inputs = inputsOf(graph, sizes, data(offset));
        const close = () => ({ ulp: dtype === 'f32' ? 1 : 64 });
        assertAgreement(ways, inputs, reference(graph, inputs), { title: `${title}, about ${offset}`, tolerance: close, fast: () => ({ relative: 1e-4 }) });
      }
    }
  }
});

const LENGTHS = [0, 1, 31, 32, 33, 63, 4095, 4096, 4097, 70000];

/** All reductions of a dtype over long axes: all of it, rows, columns, the middle. @type {(dtype: string) => Graph} */
function longGraph(dtype) {
  const graph = new Graph('long');
  const places = { whole: [['n'], 0], rows: [[2, 'n'], 1], columns: [['n', 3], 0], middle: [[2, 'n', 1], 1] };
  for (const [place, [shape, axis]] of Object.entries(places)) {
    const x = graph.input(`x ${place}`, /** @type {any} */ (dtype), shape);
    const p = graph.input(`p ${place}`, /** @type {any} */ (dtype), shape);
    for (const op of opsOf(dtype)) {
      const from = /** @type {any} */ (op === 'reduce_prod' ? p : x);
      graph.output(`${op} ${place}`, from[camelCase(op)](op.startsWith('arg') ? { axis } : axis));
    }
  }
  return graph;
}

for (const dtype of ALL) {
  test(`reductions of ${dtype} cross lanes and chunks`, async () => {
    const graph = longGraph(dtype);
    const ways = await mainWays(graph);
    for (const n of LENGTHS) {
      checkExact(graph, ways, { n }, `${dtype}, n = ${n}`);
      if (isFloat(dtype) && n < 70000) checkSpecial(graph, ways, { n }, `${dtype}, n = ${n}`);
      if (isFloat(dtype)) checkRounding(graph, ways, { n }, `${dtype}, n = ${n}`);
    }
  });
}

test('long reductions are the same at every optimisation level', async () => {
  for (const dtype of ['f32', 'i16']) {
    const graph = longGraph(dtype);
    const ways = await allWays(graph);
    for (const n of [33, 4097]) checkExact(graph, ways, { n }, `${dtype}, n = ${n}`);
    for (const n of [33, 9000]) if (isFloat(dtype)) checkRounding(graph, ways, { n }, `${dtype}, n = ${n}`);
  }
});

test('the first of equals wins, and the first NaN over all', () => {
  for (const dtype of FLOATS) {
    const graph = new Graph('positions');
    const x = graph.input('x', /** @type {any} */ (dtype), ['n']);
    graph.output('least', x.argmin());
    graph.output('greatest', x.argmax());
    const program = graph.compile();
    for (const n of [5, 40, 5000, 70000]) {
      for (const [first, second] of [[0, n - 1], [1, 2], [n >> 1, (n >> 1) + 1], [n - 2, n - 1], [3, Math.min(35, n - 1)]]) {
        for (const [special, expected] of /** @type {[number, (string)[]][]} */ ([[9, ['greatest']], [-9, ['least']], [NaN, ['least', 'greatest']]])) {
          const data = arrayOf(dtype, new Array(n).fill(1));
          data[first] = data[second] = special;
          const results = program.run({ x: data });
          for (const name of expected) assert.equal(results[name].item(), BigInt(first), `${name}, ${special} at ${first} and ${second} of ${n}`);
          if (expected.length === 1) assert.equal(results[expected[0] === 'least' ? 'greatest' : 'least'].item(), first === 0 ? (second === 1 ? 2n : 1n) : 0n);
        }
      }
    }
  }
});

test('sums of ten million f32 are as good as exact', () => {
  const count = 1e7;
  const random = randomOf(11);
  const x = Float32Array.from({ length: count }, () => random());
  const exact = x.reduce((sum, element) => sum + element, 0); // in f64, within 1e-9 of the exact sum
  const graph = new Graph('sum');
  graph.output('row', graph.input('x', 'f32', ['n']).sum());
  graph.output('columns', graph.input('y', 'f32', ['k', 4]).sum({ axis: 0 }));
  const row = Math.fround(exact);
  const columns = [0, 1, 2, 3].map((j) => x.reduce((sum, element, i) => (i % 4 === j ? sum + element : sum), 0));
  for (const numerics of /** @type {const} */ (['strict', 'default'])) {
    const results = graph.compile({ numerics }).run({ x, y: x });
    // Far below the bound of 258 u: rounding errors of either sign cancel.
    assert.ok(Math.abs(Number(results.row.item()) - row) <= 2 * 2 ** -24 * exact, `${results.row.item()}, expected ${exact}`);
    columns.forEach((sum, j) => {
      const got = Number(results.columns.at(j));
      assert.ok(Math.abs(got - sum) <= 8 * 2 ** -24 * sum, `column ${j}: ${got}, expected ${sum}`);
    });
  }
});

// The memory is that of a row, read ten thousand times: one axis of 1e8 elements.
test('sums of a hundred million f32 keep their bound', { skip: Boolean(process.env.GRAPHJIT_QUICK) }, () => {
  const side = 1e4;
  const random = randomOf(13);
  const centred = Float32Array.from({ length: side }, () => random() - 0.5);
  const x = centred.map(Math.abs);
  const graph = new Graph('sum');
  for (const name of ['x', 'centred']) graph.output(name, graph.input(name, 'f32', [side]).broadcastTo([side, side]).sum());
  const results = graph.compile().run({ x, centred });
  const total = (/** @type {Float32Array} */ row) => side * row.reduce((sum, element) => sum + element, 0);
  const size = total(x);
  for (const [name, row] of Object.entries({ x, centred })) {
    const exact = total(row);
    const halfUlp = 2 ** (Math.floor(Math.log2(Math.abs(exact))) - 24);
    const error = Math.abs(Number(results[name].item()) - exact);
    assert.ok(error <= halfUlp + 2 ** -36 * size, `${name}: ${results[name].item()}, expected ${exact}, off by ${error}`);
  }
});

// More segments than one batch of parts holds, the last one short (src/lower/kernels/reduce/split.c).
test('few long rows and columns give the same bits on any number of threads', async () => {
  const n = 257 * 65536 + 5;
  const random = randomOf(12);
  const data = Uint8Array.from({ length: n }, () => 256 * random());
  data[200 * 65536 + 9] = 0;
  const graph = new Graph('long');
  const x = graph.input('x', 'u8', ['n']);
  const scaled = x.convert('f32').mul(0.37).sub(40);
  graph.output('sum', scaled.convert('f64').sum());
  graph.output('narrow', scaled.sum());
  graph.output('var', scaled.var());
  graph.output('least', scaled.argmin());
  const rows = new Graph('rows');
  const y = rows.input('y', 'u8', [3, 'k']).convert('f64').mul(0.1);
  rows.output('sums', y.sum({ axis: 1 }));
  rows.output('greatest', y.argmax({ axis: 1 }));
  rows.output('any', y.gt(25.45).any({ axis: 1 }));
  const columns = new Graph('columns');
  const c = columns.input('c', 'u8', ['k', 3]).convert('f64').mul(0.1);
  columns.output('sums', c.sum({ axis: 0 }));
  columns.output('vars', c.var({ axis: 0 }));
  columns.output('least', c.argmin({ axis: 0 }));
  /** @type {[Graph, any][]} */
  const cases = [[graph, { x: data }], [rows, { y: data.subarray(0, 3 * 131071) }], [columns, { c: data.subarray(0, data.length - (n % 3)) }]];
  for (const [one, inputs] of cases) {
    const serial = await wasm(one, 'simd');
    const want = serial.run(inputs);
    for (const threads of [1, 2, 3]) {
      const results = one.compile({ threads, numerics: 'strict' }).run(inputs);
      for (const name of Object.keys(want)) {
        assert.ok(bytesOf(results[name].data).equals(bytesOf(want[name].data)), `${name} on ${threads} threads: ${results[name].data}, ${want[name].data}`);
      }
    }
  }
});
