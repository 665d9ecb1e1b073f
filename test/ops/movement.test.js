// The rows of the op table that compute nothing: leaves, movement, and the results of multi-result ops.
//
// All cases of a row are outputs of one graph per dtype, so that they are also fused with each other;
// they run with every binding of symbols and every start of a window.
'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { Graph, tensor } = require('graphjit');
const { bytesOf } = require('../support/compare.js');
const { allWays, assertAgreement, mainWays, reference } = require('../support/oracles.js');
const { ALL, arrayOf, randoms, specials } = require('../support/values.js');
const { contractions, leaves, moments, movement, reductions, running, sorts, texts } = require('./table.js');
const { indexing } = require('./indexing-table.js');
const { windows } = require('./windows-table.js');

/** @typedef {{ dtype: string, scalars: (number | bigint)[] }} Scalars */

const isScalars = (/** @type {any} */ spec) => !Array.isArray(spec);

/** @type {(row: any, dtype: string) => { graph: Graph, scalars: Map<string, Scalars> }} */
function graphOf(row, dtype) {
  const graph = new Graph('cases');
  const scalars = new Map();
  row.cases.forEach(({ shapes, build }, i) => {
    const values = shapes.map((spec, k) => {
      const name = `x${i}_${k}`;
      if (!isScalars(spec)) return graph.input(name, /** @type {any} */ (dtype), spec);
      scalars.set(name, spec);
      return graph.input(name, spec.dtype, []);
    });
    graph.output(`case ${i}`, build(values, graph, dtype));
  });
  return { graph, scalars };
}

/** Inputs of a graph for one binding; scalars take their values in turn. @type {(graph: Graph, sizes: any, scalars: Map<string, Scalars>, turn: number) => any} */
function inputsOf(graph, sizes, scalars, turn) {
  return Object.fromEntries(
    graph.inputs.map(({ name, dtype, shape }, i) => {
      const own = shape.map((size) => (typeof size === 'string' ? sizes[size] : size));
      const list = scalars.get(name)?.scalars;
      if (list !== undefined) return [name, { dtype, shape: own, data: arrayOf(dtype, [list[turn % list.length]]) }];
      const pool = [...specials(dtype), ...randoms(dtype, 40, i + 1)];
      const count = own.reduce((a, b) => a * b, 1);
      return [name, { dtype, shape: own, data: arrayOf(dtype, Array.from({ length: count }, (_, k) => pool[(k + 5 * i) % pool.length])) }];
    }),
  );
}

async function checkRow(name, row, dtype) {
  const { graph, scalars } = graphOf(row, dtype);
  const ways = await (['f32', 'u8'].includes(dtype) ? allWays(graph) : mainWays(graph));
  const turns = Math.max(row.symbols.length, ...[...scalars.values()].map((spec) => spec.scalars.length));
  for (let turn = 0; turn < turns; turn++) {
    const sizes = row.symbols[turn % row.symbols.length];
    const inputs = inputsOf(graph, sizes, scalars, turn);
    assertAgreement(ways, inputs, reference(graph, inputs), { title: `${name} of ${dtype}, ${JSON.stringify(sizes)}, turn ${turn}` });
  }
  for (const way of ways) way.dispose();
  graph.dispose();
}

for (const [name, row] of Object.entries({ ...leaves, ...movement })) {
  test(`${name} is the same in the reference, in machine code and in wasm`, async () => {
    for (const dtype of row.dtypes ?? ALL) await checkRow(name, row, dtype);
  });
}

test('result is the same in the reference, in machine code and in wasm', async () => {
  const { dtypes, symbols, text } = texts.result;
  for (const [k, dtype] of dtypes.entries()) {
    // The loops do not depend on the dtype: one goes through all of the indices, each other one through two.
    const others = ['i32', 'u32', 'u64'];
    for (const index of ['i64', ...(dtype === 'f32' ? others : [others[k % 3]])]) {
      const graph = Graph.parse(text(dtype, index));
      const ways = await (index === 'i64' && dtype === 'f32' ? allWays(graph) : mainWays(graph));
      for (const sizes of symbols) {
        const inputs = inputsOf(graph, sizes, new Map(), 0);
        const want = reference(graph, inputs);
        assert.ok(bytesOf(want.same.data).equals(bytesOf(want.greatest.data)));
        assertAgreement(ways, inputs, want, { title: `${dtype}, indices ${index}, ${JSON.stringify(sizes)}` });
      }
    }
  }
});

// All examples are outputs of one graph, as compiling costs more than running.
test('leaves, movement, reductions, contractions and windows give what their examples say', async () => {
  const graph = new Graph('examples');
  const wants = new Map();
  for (const [name, { examples }] of Object.entries({ ...leaves, ...movement, ...reductions, ...moments, ...running, ...contractions, ...sorts, ...windows, ...indexing })) {
    for (const [build, expected] of examples) {
      const output = `${name}: ${String(build).slice(7)}`;
      graph.output(output, build(graph));
      wants.set(output, expected);
    }
  }
  const results = graph.eval({});
  for (const [output, expected] of wants) assert.deepStrictEqual(results[output].toArray(), expected, `${output}, reference`);
  const ways = await allWays(graph);
  const room = (/** @type {string} */ name) => (name.startsWith('compress') ? 6 : undefined);
  assertAgreement(ways, {}, reference(graph, {}), { title: 'examples', room });
  for (const way of ways) way.dispose();
});

test('movement keeps every bit of a float, of NaNs too', async () => {
  const build = (/** @type {any} */ dtype) => {
    const graph = new Graph('moves');
    const x = graph.input('x', dtype, ['n', 6]);
    const y = graph.input('y', dtype, [6]);
    const moved = x.T.reshape([2, 3, 'n']).reverse(1).transpose([2, 0, 1]).reshape(['n', 6]);
    graph.output('moved', moved);
    graph.output('padded', moved.pad([[1, 1], [0, 2]], { interior: [0, 1] }));
    graph.output('joined', x.concat(y.broadcastTo(['n', 6]).slice(null, [null, null, -2]), { axis: 1 }));
    graph.output('window', x.dynamicSlice([1, 2], [1, 3]).updateSlice(y.slice([2, 4]).expandDims(0), [0, 1]));
    graph.output('chosen', graph.iota(['n', 6]).lt(2).select(x, y));
    return graph;
  };
  for (const [float, int] of [['f64', 'u64'], ['f32', 'u32']]) {
    const data = arrayOf(int, randoms(int, 66, 5));
    data.set(arrayOf(int, int === 'u64' ? [0x7ff0000000000001n, 0xfff8000000000123n] : [0x7f800001, 0xffc00123]), 3);
    const FloatArray = float === 'f64' ? Float64Array : Float32Array;
    const [floats, ints] = [new FloatArray(data.buffer), data].map((array) => ({ x: array.subarray(0, 60), y: array.subarray(60) }));
    const inputsFor = (/** @type {any} */ { x, y }, /** @type {string} */ dtype) => ({ x: { dtype, shape: [10, 6], data: x }, y: { dtype, shape: [6], data: y } });
    const want = reference(build(int), inputsFor(ints, int));
    const graph = build(float);
    const like = reference(graph, inputsFor(floats, float));
    for (const [name, results] of assertAgreement(await allWays(graph), inputsFor(floats, float), like, { title: float })) {
      for (const [output, { data: got }] of Object.entries(results)) {
        assert.ok(bytesOf(got).equals(bytesOf(want[output].data)), `${output} of ${float}, ${name}`);
      }
    }
  }
});

test('a run refuses the sizes that a node refuses, also when it is simplified away', async () => {
  /** @type {((x: any) => import('graphjit').Value)[]} */
  const builds = [
    (x) => x.slice([0, 4]).slice([0, 2]),
    (x) => x.reshape(['n/2', 2]).reshape(['n']),
    (x) => x.pad([[0, -4]]).pad([[0, 4]]),
    (x) => x.slice([0, 4]).isNan().and(false),
  ];
  const x = tensor([1, 2, 3]);
  for (const build of builds) {
    const graph = new Graph('refused');
    graph.output('z', build(graph.input('x', 'f64', ['n'])));
    assert.throws(() => graph.eval({ x }), { code: 'ERR_SHAPE' });
    for (const way of await mainWays(graph)) assert.throws(() => way.run({ x }, undefined), { code: 'ERR_SHAPE' }, `${way.name}: ${build}`);
  }
});

test('a node that no output needs refuses nothing', async () => {
  const graph = new Graph('unneeded');
  const given = graph.input('x', 'f64', ['n']);
  given.slice([5, null]).neg();
  graph.output('z', given.neg());
  const inputs = { x: { dtype: 'f64', shape: [2], data: Float64Array.of(1, 2) } };
  assertAgreement(await mainWays(graph), inputs, reference(graph, inputs), { title: 'unneeded' });
});
