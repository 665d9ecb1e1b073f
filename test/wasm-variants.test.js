// The variants of wasm modules beyond what the tests of ops see: instructions that LLVM would choose
// wrongly, relaxed instructions, separate weights, and how large modules are.
'use strict';

const assert = require('node:assert/strict');
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { test } = require('node:test');
const { Graph } = require('graphjit');
const { native: addon } = require('../lib/base/binding.js');
const { bytesOf } = require('./support/compare.js');
const { allWays, assertAgreement, reference } = require('./support/oracles.js');
const { assertVariant, featuresOf } = require('./support/wasm-code.js');

const NUMERICS = { default: 0, strict: 1, fast: 2 };
const VARIANTS = /** @type {const} */ (['mvp', 'simd', 'relaxed']);

/** @type {(build: (graph: Graph) => void, options?: { variant?: 'mvp' | 'simd' | 'relaxed', numerics?: 'strict' | 'fast', separate?: boolean }) => { bytes: Uint8Array, weights: Uint8Array | null }} */
function compile(build, { variant = 'simd', numerics = 'strict', separate = false } = {}) {
  const graph = new Graph('g');
  build(graph);
  const handle = addon.graphParse(graph.toString());
  return addon.wasmCompile(handle, NUMERICS[numerics], 3, VARIANTS.indexOf(variant), separate, false);
}

/** What the custom section says. @type {(bytes: Uint8Array) => any} */
function descriptionOf(bytes) {
  const [section] = WebAssembly.Module.customSections(new WebAssembly.Module(/** @type {any} */ (bytes)), 'graphjit');
  return JSON.parse(new TextDecoder().decode(section));
}

const EDGES = [0, -0, 1, -1, NaN, Infinity, -Infinity];

// LLVM 22 takes all of these for pmin or pmax, and with relaxed simd for relaxed_min or relaxed_max.
for (const dtype of /** @type {const} */ (['f32', 'f64'])) {
  test(`selects of ${dtype} by their own comparison keep NaN and the signs of zeros`, async () => {
    const graph = new Graph('selects');
    const [x, y] = ['x', 'y'].map((name) => graph.input(name, dtype, ['n']));
    for (const name of /** @type {const} */ (['lt', 'le', 'gt', 'ge', 'eq', 'ne'])) {
      const truth = x[name](y);
      graph.output(`${name} x y`, truth.select(x, y));
      graph.output(`${name} y x`, truth.select(y, x));
      graph.output(`not ${name} x y`, truth.not().select(x, y));
      graph.output(`${name} x 0`, x[name](0).select(x, 0));
      graph.output(`${name} -0 x`, x[name](0).select(-0, x));
    }
    const Class = dtype === 'f32' ? Float32Array : Float64Array;
    const pairs = EDGES.flatMap((a) => EDGES.map((b) => [a, b]));
    const column = (/** @type {number} */ at) => ({ dtype, shape: [pairs.length], data: Class.from(pairs, (pair) => pair[at]) });
    const inputs = { x: column(0), y: column(1) };
    const ways = await allWays(graph);
    assertAgreement(ways, inputs, reference(graph, inputs), { title: `selects of ${dtype}` });
    for (const way of ways) way.dispose();
  });
}

test('relaxed instructions are there where they help, and only with "fast" where they may differ', () => {
  const quotient = (/** @type {Graph} */ graph) => {
    const x = graph.input('x', 'i32', ['n']);
    graph.output('q', x.div(graph.input('y', 'i32', ['n'])));
  };
  const poly = (/** @type {Graph} */ graph) => {
    const x = graph.input('x', 'f32', ['n']);
    graph.output('p', x.mul(x).add(1).mul(x).sub(x.mul(3)));
  };
  const { bytes } = compile(quotient, { variant: 'relaxed' });
  assertVariant(bytes, 'relaxed', 'quotient');
  assert.ok(featuresOf(bytes).has('relaxed'));
  assert.ok(!featuresOf(compile(poly, { variant: 'relaxed' }).bytes).has('relaxed'));
  assert.ok(featuresOf(compile(poly, { variant: 'relaxed', numerics: 'fast' }).bytes).has('loose'));
  assert.ok(!featuresOf(compile(poly, { variant: 'simd', numerics: 'fast' }).bytes).has('relaxed'));
});

test('separate weights leave a small module and are told by their hash', () => {
  const weights = Float32Array.from({ length: 5000 }, (_, i) => Math.sin(i));
  const build = (/** @type {Graph} */ graph) => {
    const w = graph.constant(weights, { dtype: 'f32' });
    graph.output('y', graph.input('x', 'f32', [5000]).mul(w));
  };
  for (const variant of VARIANTS.slice(0, 2)) {
    const inside = compile(build, { variant });
    const outside = compile(build, { variant, separate: true });
    assert.equal(inside.weights, null);
    assert.ok(outside.weights !== null && inside.bytes.length > 20000 && outside.bytes.length < 1000);
    const { exports } = new WebAssembly.Instance(new WebAssembly.Module(/** @type {any} */ (outside.bytes)));
    const { memory, weights: at } = /** @type {any} */ (exports);
    assert.deepEqual(bytesOf(new Float32Array(outside.weights.buffer, 0, 5000)), bytesOf(weights));
    assert.ok(at.value % 16 === 0 && at.value + outside.weights.length <= memory.buffer.byteLength);
    let hash = 2166136261;
    for (const word of new Uint32Array(outside.weights.buffer)) hash = Math.imul(hash ^ word, 16777619);
    assert.deepEqual(descriptionOf(outside.bytes).weights, { bytes: outside.weights.length, hash: (hash >>> 0).toString(16) });
  }
});

test('gj writes weights beside the module, and to devices without replacing them', () => {
  const gj = process.env.GRAPHJIT_GJ || path.join(__dirname, '..', 'build', 'release', 'gj');
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'graphjit-'));
  const [pipe, module] = ['pipe', 'module.wasm'].map((name) => path.join(folder, name));
  const text = 'graph "w" { %1 = param "x" : f64[8] %2 = const [1,2,3,4,5,6,7,8] : f64[8] %3 = mul %1, %2 output "z" = %3 }';
  const { status, stdout, stderr } = spawnSync('sh', ['-c', `mkfifo '${pipe}'; cat '${pipe}' & '${gj}' wasm - --variant=mvp '--weights=${pipe}' -o '${module}'; code=$?; wait; exit $code`], { input: text, timeout: 30000 });
  assert.equal(`${status} ${stderr}`, '0 ');
  assert.deepEqual([...new Float64Array(stdout.buffer.slice(stdout.byteOffset, stdout.byteOffset + stdout.length))], [1, 2, 3, 4, 5, 6, 7, 8]);
  assert.ok(fs.statSync(pipe).isFIFO());
  assert.equal(descriptionOf(fs.readFileSync(module)).weights.bytes, 64);
  fs.rmSync(folder, { recursive: true });
});

test('zeros in constants are not stored', async () => {
  const data = new Float64Array(4000);
  data.set([1, 2], 10);
  data.set([3, 4], 2000);
  const build = (/** @type {Graph} */ graph) => {
    const w = graph.constant(data, { dtype: 'f64' });
    graph.output('y', graph.input('x', 'f64', [4000]).add(w));
  };
  for (const variant of VARIANTS.slice(0, 2)) {
    const { bytes } = compile(build, { variant });
    assert.ok(bytes.length < 1000, `${bytes.length} bytes`);
    const { exports } = await WebAssembly.instantiate(new WebAssembly.Module(/** @type {any} */ (bytes)));
    const { memory, run, __heap_base: heap } = /** @type {any} */ (exports);
    memory.grow(2);
    const table = Math.ceil(heap.value / 64) * 64;
    const [x, y] = [table + 1024, table + 1024 + 32000];
    new Uint32Array(memory.buffer, table, 2).set([x, y]);
    assert.equal(run(table, 0, table + 64), 0);
    assert.deepEqual(new Float64Array(memory.buffer, y, 4000), data);
  }
});

// Whole modules, description included.
const SIZES = [
  { what: 'a scalar function', most: 300, build: (/** @type {Graph} */ graph) => {
    const x = graph.input('x', 'f64');
    graph.output('y', x.mul(x).add(1).div(x));
  } },
  { what: 'a fused elementwise program', most: 2048, build: (/** @type {Graph} */ graph) => {
    const [x, y] = ['x', 'y'].map((name) => graph.input(name, 'f64', ['n']));
    graph.output('z', x.mul(x).add(y.mul(y)).sqrt().sub(x.min(y)).abs().mul(0.5));
  } },
  { what: 'a perceptron of three layers', most: 12 * 1024, separate: true, build: (/** @type {Graph} */ graph) => {
    const sizes = [784, 256, 128, 10];
    const random = (/** @type {number} */ count) => Float32Array.from({ length: count }, (_, i) => ((i * 7) % 9) - 4);
    let value = graph.input('x', 'f32', ['n', 1, 784]);
    for (let layer = 0; layer < 3; layer++) {
      const [from, to] = [sizes[layer], sizes[layer + 1]];
      const w = graph.constant(random(from * to), { dtype: 'f32', shape: [to, from] });
      const b = graph.constant(random(to), { dtype: 'f32' });
      const sum = w.mul(value).sum({ axis: [2] }).add(b);
      value = layer < 2 ? sum.max(0).reshape(['n', 1, to]) : sum.softmax();
    }
    graph.output('y', value);
  } },
];

for (const { what, most, build, separate } of SIZES) {
  test(`${what} has at most ${most} bytes in every variant`, () => {
    for (const variant of VARIANTS) {
      const { bytes } = compile(build, { variant, separate });
      assert.ok(bytes.length <= most, `${variant}: ${bytes.length} bytes`);
    }
  });
}
