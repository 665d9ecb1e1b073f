// The elementwise rows of the op table, and that no op of the native table is without a row.
//
// Each op runs by itself, over every dtype, every pair of special values and some random ones, in every
// numeric mode, optimised or not, and in wasm; then for lengths around vector widths. Together in graphs
// they run at every rank, broadcast, with symbolic sizes and on strided inputs.
'use strict';

const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const { test } = require('node:test');
const { Graph, dtypes: dtypeTable, tensor } = require('graphjit');
const { native: addon } = require('../../lib/base/binding.js');
const { accepted } = require('../../scripts/docs.js');
const { throwsGraphError } = require('../support/errors.js');
const { assertClose, bytesOf } = require('../support/compare.js');
const { allWays, assertAgreement, assertArrays, mainWays, native, reference, runGuarded, wasm } = require('../support/oracles.js');
const { ALL, arrayOf, isFloat, randomOf, randoms, specials } = require('../support/values.js');
const { contractions, elementwise, leaves, moments, movement, reductions, running, sorts, texts } = require('./table.js');
const { indexing } = require('./indexing-table.js');
const { library } = require('./library-table.js');
const { windows } = require('./windows-table.js');

const camelCase = (/** @type {string} */ name) => name.replace(/_(.)/g, (_, letter) => letter.toUpperCase());
const LENGTHS = [0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 33, 100];

/** @type {(row: any, dtype: string) => number} */
const ulpOf = (row, dtype) => (isFloat(dtype) ? row.ulp ?? 0 : 0);
/** @type {(row: any, dtype: string) => { ulp: number, absolute: number }} */
const toleranceOf = (row, dtype) => ({ ulp: ulpOf(row, dtype), absolute: row.absolute?.[dtype] ?? 0 });
/** @type {(row: any, dtype: string) => any[][]} arguments of the method beside the operands */
const variantsOf = (row, dtype) => (row.variants ? row.variants(dtype) : [[]]);

/** Dtypes of the operands. @type {(row: any, dtype: string) => string[]} */
const operandsOf = ({ arity = 1, first }, dtype) => Array.from({ length: arity }, (_, i) => (i === 0 && first) || dtype);

/** Values for every operand: all combinations of special ones (for three operands, of some), then random ones. @type {(row: any, dtype: string) => any[]} */
function operandValues(row, dtype) {
  const kinds = operandsOf(row, dtype);
  const random = randomOf(7);
  const lists = kinds.map((kind) => {
    const list = [...specials(kind), ...(isFloat(kind) ? row.extra ?? [] : [])];
    return kinds.length < 3 || kind === 'bool' ? list : list.filter((_, i) => i >= list.length - 6 || random() < 0.25);
  });
  const combinations = lists.reduce((rows, list) => rows.flatMap((head) => list.map((last) => [...head, last])), [[]]);
  return kinds.map((kind, i) => {
    const column = combinations.map((values) => values[i]);
    return arrayOf(kind, [...column, ...randoms(kind, kinds.length === 1 ? 400 : 300, i + 1)]);
  });
}

const NAMES = ['x', 'y', 'z'];

/** A graph with the op as its only one, over vectors. @type {(name: string, row: any, dtype: string) => Graph} */
function graphOf(name, row, dtype) {
  const graph = new Graph(name);
  const [x, ...others] = operandsOf(row, dtype).map((kind, i) => graph.input(NAMES[i], /** @type {any} */ (kind), ['n']));
  for (const args of variantsOf(row, dtype)) {
    const value = /** @type {any} */ (x)[camelCase(name)](...others, ...args);
    assert.equal(value.dtype, args[0] ?? row.gives ?? dtype, `${name} of ${dtype} gives`);
    graph.output(['r', ...args].join('_'), value);
  }
  return graph;
}

/** @type {(arrays: any, from: number, count: number) => any} */
const windowOf = (arrays, from, count) =>
  Object.fromEntries(
    Object.entries(arrays).map(([name, { dtype, data }]) => [name, { dtype, shape: [count], data: data.slice(from, from + count) }]),
  );

// Elementary functions in 'fast': within 4 ulp, and what is below the smallest normal number may be 0, on
// either side (docs/numerics.md).
const SMALLEST = { f64: 2 ** -1021, f32: 2 ** -125 };

/** @type {(row: any, dtype: 'f64' | 'f32') => any} */
const fastTolerance = (row, dtype) => ({ ulp: 4, absolute: Math.max(SMALLEST[dtype], toleranceOf(row, dtype).absolute) });

/** The inputs with 0 for subnormal numbers. @type {(inputs: any) => any} */
const flushed = (inputs) =>
  Object.fromEntries(
    Object.entries(inputs).map(([name, array]) => {
      const least = SMALLEST[/** @type {'f64'} */ (array.dtype)] / 2;
      return [name, { ...array, data: array.data.map((/** @type {number} */ x) => (Math.abs(x) < least ? 0 * x : x)) }];
    }),
  );

async function checkElementwise(name, row, dtype) {
  const graph = graphOf(name, row, dtype);
  const title = `${name} of ${dtype}`;
  const kinds = operandsOf(row, dtype);
  const columns = operandValues(row, dtype);
  const count = columns[0].length;
  const inputs = Object.fromEntries(columns.map((data, i) => [NAMES[i], { dtype: kinds[i], shape: [count], data }]));
  const want = reference(graph, inputs);
  const ways = await allWays(graph);
  const isMath = isFloat(dtype) && row.ulp !== undefined;
  const strictly = isMath ? ways.filter(({ numerics }) => numerics !== 'fast') : ways;
  const all = assertAgreement(strictly, inputs, want, { title, tolerance: () => toleranceOf(row, dtype) });
  if (isMath) {
    const fast = ways.filter(({ numerics }) => numerics === 'fast');
    const near = flushed(inputs);
    assertAgreement(fast, near, reference(graph, near), { title, tolerance: () => fastTolerance(row, dtype) });
    for (const way of fast) runGuarded(way, inputs, want, title);
  }
  // The same element gives the same bits wherever it lies: in the main part of a loop or in its rest.
  for (const [at, length] of LENGTHS.entries()) {
    const from = (at * 37) % Math.max(1, count - length);
    const some = Math.min(length, count);
    for (const way of ways.filter(({ numerics }) => numerics !== 'fast')) {
      const like = windowOf(all.get(way.name), from, some);
      const got = runGuarded(way, windowOf(inputs, from, some), like, title);
      assertArrays(got, like, () => ({}), `${title}, ${way.name}, ${some} elements`, {});
    }
  }
  for (const way of ways) way.dispose();
  graph.dispose();
}

for (const [name, row] of Object.entries(elementwise)) {
  test(`${name} is the same in the reference, in machine code and in wasm`, async () => {
    for (const dtype of row.dtypes) await checkElementwise(name, row, dtype);
  });
}

test('numerics change no instruction where there are no floats', () => {
  const graph = new Graph('whole');
  for (const dtype of /** @type {const} */ (['i32', 'u8'])) {
    for (const [name, row] of Object.entries(elementwise)) {
      if (!row.dtypes.includes(dtype) || name === 'convert' || name === 'bitcast') continue;
      const operands = operandsOf(row, dtype).map((kind, i) => graph.input(`${name} ${dtype} ${i}`, /** @type {any} */ (kind), ['n']));
      graph.output(`${name} ${dtype}`, /** @type {any} */ (operands[0])[camelCase(name)](...operands.slice(1), ...variantsOf(row, dtype)[0]));
    }
    const x = graph.input(`x ${dtype}`, dtype, ['n', 'm']);
    const rows = graph.input(`rows ${dtype}`, 'i32', ['n', 1]);
    const roles = { collapsedAxes: [0], indexMap: [0], offsetAxes: [1] };
    const outputs = {
      sum: x.reduceSum(0), least: x.argmin({ axis: 1 }), running: x.cumulativeSum({ axis: 1 }), product: x.matmul(x.T), sort: x.sort(),
      window: x.pad(1).windowSum(2), added: x.scatterAdd(rows, x, roles),
    };
    for (const [name, value] of Object.entries(outputs)) graph.output(`${name} ${dtype}`, value);
  }
  assert.doesNotMatch(graph.toString(), /: b?f\d/);
  const [strict, ...others] = /** @type {const} */ (['strict', 'default', 'fast']).map((numerics) => graph.compile({ numerics }).asm());
  for (const other of others) assert.ok(other === strict);
});

// ---------------------------------------------------------------------------------------- examples

/** @type {(name: string, row: any, dtype: string, examples: any[]) => Promise<void>} */
async function checkExamples(name, row, dtype, examples) {
  const graph = graphOf(name, row, dtype);
  const kinds = operandsOf(row, dtype);
  const columns = kinds.map((kind, i) => arrayOf(kind, examples.map(([, operands]) => operands[i])));
  const inputs = Object.fromEntries(columns.map((data, i) => [NAMES[i], { dtype: kinds[i], shape: [examples.length], data }]));
  const { r } = reference(graph, inputs);
  const want = arrayOf(r.dtype, examples.map(([, , result]) => result));
  const place = (/** @type {string} */ way) => (/** @type {number} */ i) => `${name} of ${dtype}, ${way}, (${examples[i]?.[1].join(', ')})`;
  assertClose(r.data, want, {}, place('reference'));
  for (const way of [native(graph, { numerics: 'strict' }), await wasm(graph, 'simd')]) {
    assertClose(runGuarded(way, inputs, { r }, name).r.data, want, { ulp: ulpOf(row, dtype) }, place(way.name));
  }
}

test('elementwise ops give what their examples say', async () => {
  for (const [name, row] of Object.entries(elementwise)) {
    for (const dtype of ALL) {
      const examples = row.examples.filter(([of]) => of === dtype);
      if (examples.length > 0) await checkExamples(name, row, dtype, examples);
    }
  }
});

test('conversions saturate, truncate and wrap', async () => {
  /** @type {[string, string, any, any][]} */
  const examples = [
    ['f64', 'i8', [127.9, 128, -129, NaN, -0.9, Infinity], [127, 127, -128, 0, 0, 127]],
    ['f64', 'u8', [-1, 255.9, 256, -Infinity], [0, 255, 255, 0]],
    ['f32', 'i64', [2 ** 63, -(2 ** 63), NaN, 1e30], [2n ** 63n - 1n, -(2n ** 63n), 0n, 2n ** 63n - 1n]],
    ['f64', 'u64', [2 ** 64, 2 ** 63, -5], [2n ** 64n - 1n, 2n ** 63n, 0n]],
    ['i32', 'i8', [128, -129, 255], [-128, 127, -1]],
    ['i64', 'f32', [16777217n, 2n ** 63n - 1n], [16777216, 2 ** 63]],
    ['u64', 'f64', [2n ** 64n - 1n, 2n ** 53n + 1n], [2 ** 64, 2 ** 53]],
    ['f64', 'f32', [1e40, 1 + 2 ** -24, -1e-50], [Infinity, 1, -0]],
    ['f64', 'bool', [0, -0, NaN, 0.1], [0, 0, 1, 1]],
    ['i8', 'bool', [0, -1, 2], [0, 1, 1]],
    ['bool', 'f32', [0, 1], [0, 1]],
    ['i8', 'u32', [-1], [2 ** 32 - 1]],
  ];
  for (const [from, to, given, expected] of examples) {
    const graph = new Graph('convert');
    graph.output('r', graph.input('x', /** @type {any} */ (from), ['n']).convert(/** @type {any} */ (to)));
    const inputs = { x: { dtype: from, shape: [given.length], data: arrayOf(from, given) } };
    const want = { r: { dtype: to, shape: [given.length], data: arrayOf(to, expected) } };
    assertArrays(reference(graph, inputs), want, () => ({}), `convert ${from} to ${to}, reference`, inputs);
    assertAgreement(await mainWays(graph), inputs, want, { title: `convert ${from} to ${to}` });
  }
});

// ------------------------------------------------------------------------ ranks, broadcasting, views

const rowsOf = (/** @type {string} */ dtype) => Object.entries(elementwise).filter(([, row]) => row.dtypes.includes(dtype));

/** A graph of all ops of a dtype over inputs of three shapes. @type {(dtype: string, shapes: any[][]) => Graph} */
function everyOp(dtype, shapes) {
  const graph = new Graph('all');
  const own = shapes.map((shape, i) => graph.input(NAMES[i], /** @type {any} */ (dtype), shape));
  const bools = shapes.map((shape, i) => graph.input(`b${i}`, 'bool', shape));
  for (const [name, row] of rowsOf(dtype)) {
    const [x, ...others] = operandsOf(row, dtype).map((kind, i) => (kind === dtype ? own[i] : bools[i]));
    for (const args of variantsOf(row, dtype)) {
      graph.output([name, ...args].join('_'), /** @type {any} */ (x)[camelCase(name)](...others, ...args));
    }
  }
  return graph;
}

/** @type {(graph: Graph, bindings: Record<string, number>, dtype: string) => any} */
function inputsFor(graph, bindings, dtype) {
  return Object.fromEntries(
    graph.inputs.map(({ name, dtype: own, shape }, i) => {
      const sizes = shape.map((size) => (typeof size === 'string' ? bindings[size] : size));
      const count = sizes.reduce((a, b) => a * b, 1);
      const pool = [...specials(own), ...randoms(own, 50, i + 3)];
      const elements = Array.from({ length: count }, (_, k) => pool[(k * 7 + i * 11 + dtype.length) % pool.length]);
      return [name, { dtype: own, shape: sizes, data: arrayOf(own, elements) }];
    }),
  );
}

/** @type {(dtype: string) => (output: string) => any} */
const toleranceIn = (dtype) => (output) => toleranceOf(elementwise[output] ?? {}, dtype);

const shapeSets = [
  { shapes: [[], [], []], bindings: [{}] },
  { shapes: [['n', 1], ['m'], ['n', 'm']], bindings: [{ n: 3, m: 5 }, { n: 1, m: 17 }, { n: 9, m: 1 }, { n: 0, m: 4 }, { n: 4, m: 0 }] },
  { shapes: [[1, 2, 1, 3, 1, 2, 1, 2], [2, 1, 2, 1, 1, 1, 2, 1], [2]], bindings: [{}] },
];

for (const dtype of ALL) {
  test(`all ops of ${dtype} broadcast, at rank 0 to 8`, async () => {
    for (const { shapes, bindings } of shapeSets) {
      const graph = everyOp(dtype, shapes);
      const ways = await mainWays(graph);
      for (const sizes of bindings) {
        const inputs = inputsFor(graph, sizes, dtype);
        const title = `${dtype}, shapes ${JSON.stringify(shapes)}, ${JSON.stringify(sizes)}`;
        assertAgreement(ways, inputs, reference(graph, inputs), { title, tolerance: toleranceIn(dtype) });
      }
      for (const way of ways) way.dispose();
    }
  });
}

test('ops of every rank run, with a symbol on every axis', async () => {
  const symbols = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
  const graph = new Graph('ranks');
  for (let rank = 0; rank <= 8; rank++) {
    const x = graph.input(`x${rank}`, 'f32', symbols.slice(0, rank));
    graph.output(`r${rank}`, x.mul(x).sub(0.5).abs().sqrt());
    graph.output(`t${rank}`, x.transpose().neg());
  }
  const ways = await allWays(graph);
  const ones = Object.fromEntries(symbols.map((symbol) => [symbol, 1]));
  for (const sizes of [{ ...ones, a: 3, h: 5 }, { a: 2, b: 1, c: 2, d: 3, e: 1, f: 2, g: 2, h: 2 }, { ...ones, d: 0 }]) {
    const inputs = inputsFor(graph, sizes, 'f32');
    assertAgreement(ways, inputs, reference(graph, inputs), { title: JSON.stringify(sizes), fast: () => ({ ulp: 2 }) });
  }
});

test('strided tensors give what their copies give', () => {
  for (const dtype of ALL) {
    const graph = everyOp(dtype, [['n', 'm'], ['m'], ['n', 'm']]);
    const program = graph.compile({ numerics: 'strict' });
    const filled = (/** @type {any} */ own, /** @type {number[]} */ shape) => {
      const count = shape.reduce((a, b) => a * b, 1);
      return tensor(arrayOf(own, randoms(own, count, count)), { dtype: own, shape });
    };
    const viewsOf = (/** @type {any} */ own) => [
      filled(own, [5, 3]).T,
      filled(own, [11]).slice([null, null, -2]).slice([0, 5]),
      filled(own, [7, 11]).slice([5, 2, -1], [null, 10, 2]),
    ];
    const names = [...NAMES, 'b0', 'b1', 'b2'];
    const views = Object.fromEntries([...viewsOf(dtype), ...viewsOf('bool')].map((view, i) => [names[i], view]));
    assert.deepEqual([views.x.shape, views.y.shape, views.z.shape], [[3, 5], [5], [3, 5]]);
    const copies = Object.fromEntries(Object.entries(views).map(([name, view]) => [name, view.copy()]));
    const [got, want] = [program.run(views), program.run(copies)];
    for (const name of Object.keys(want)) assert.ok(bytesOf(got[name].data).equals(bytesOf(want[name].data)), `${name} of ${dtype}`);
  }
});

// ----------------------------------------------------------------------------------------- refusals

const rows = { ...contractions, ...leaves, ...elementwise, ...movement, ...reductions, ...moments, ...running, ...sorts, ...windows, ...indexing, ...library, ...texts };

test('ops refuse what their rows call bad', () => {
  for (const [name, { bad }] of Object.entries(rows)) {
    assert.ok(bad.length > 0, name);
    for (const [build, code, message] of bad) {
      const act = () => (typeof build === 'string' ? Graph.parse(build) : build(new Graph('bad')));
      throwsGraphError(act, code, message);
    }
  }
});

test('ops refuse dtypes that their rows do not list, by name', () => {
  for (const [name, row] of Object.entries({ ...elementwise, ...reductions, ...moments, ...running })) {
    for (const dtype of ALL.filter((own) => !row.dtypes.includes(own) && !row.also?.includes(own))) {
      const graph = new Graph('bad');
      const [x, ...others] = operandsOf(row, dtype).map((kind, i) => graph.input(NAMES[i], /** @type {any} */ (kind), [3]));
      const act = () => /** @type {any} */ (x)[camelCase(name)](...others, ...(name === 'bitcast' ? [dtype] : []));
      throwsGraphError(act, 'ERR_DTYPE', new RegExp(`^${name}: .*${dtype}.*, but the op takes `));
    }
  }
});

// ----------------------------------------------------------------------------------------- the table

/** Calls of functions, of C, of the graph and of JavaScript (functions/apply.test.js), have tests of their own. */
const ofTables = addon.ops().filter(({ kind }) => !['control', 'custom_call', 'apply'].includes(kind));

test('every op of the native table has a row, a typing and a line in the docs', () => {
  const read = (/** @type {string} */ name) => fs.readFileSync(path.join(__dirname, '..', '..', name), 'utf8');
  const typings = ['index', 'types/value', 'types/graph'].map((name) => read(`lib/${name}.d.ts`)).join('\n');
  const page = read('docs/ops.md');
  const typed = { param: 'input', const: 'constant', result: 'argmin', top_k: 'topk', lu_solve: 'solve' };
  for (const { name, doc } of ofTables) {
    assert.ok(Object.hasOwn(rows, name), `${name} has no row in test/ops/table.js`);
    const method = /** @type {any} */ (typed)[name] ?? camelCase(name);
    assert.match(typings, new RegExp(`^  ${method}\\(`, 'm'), `${name} has no typing`);
    assert.ok(doc.length > 0, `${name} has no doc line`);
    const line = page.split('\n').find((text) => text.startsWith(`| \`${name}\` |`));
    assert.ok(line?.includes(doc.replace(/\|/g, '\\|')), `${name} has no line in docs/ops.md`);
  }
  const names = addon.ops().map(({ name }) => name);
  assert.deepEqual(Object.keys(rows).filter((name) => !names.includes(name)), [], 'rows of no op');
});

test('rows list the dtypes that the native table says', () => {
  for (const { name, accepts } of ofTables) {
    if (name === 'result') continue;
    const want = ALL.filter((dtype) => accepted[accepts](dtypeTable[dtype].kind, dtype));
    assert.deepEqual([...(rows[name].dtypes ?? ALL)].sort(), [...want].sort(), name);
  }
});

test("erf of large numbers is 1 in 'fast', so that gelu of them is 0", () => {
  for (const dtype of ALL.filter(isFloat)) {
    const graph = new Graph();
    const x = graph.input('x', /** @type {any} */ (dtype), ['n']);
    graph.output('erf', x.erf()).output('gelu', x.gelu());
    const { erf, gelu } = graph.compile({ numerics: 'fast' }).run({ x: arrayOf(dtype, [-1e300, -745, -9, 6, 1e30, Infinity]) });
    assert.deepEqual([...erf.data], [-1, -1, -1, 1, 1, 1]);
    assert.deepEqual([...gelu.data].slice(1, 3).map(Math.abs), [0, 0]);
  }
});
