// What is made is freed: by dispose, by the collector, and after failures.
'use strict';

const assert = require('node:assert/strict');
const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { test } = require('node:test');
const { Graph, forLoop, tensor } = require('graphjit');
const { native } = require('../lib/base/binding.js');
const { stateOfGraph } = require('../lib/graph/graph.js');
const { internalsOf } = require('../lib/graph/program.js');
const { allocateConstant, sharedConstant } = require('../lib/graph/shared-constants.js');
const { gcUntil } = require('./support/gc.js');

const live = () => {
  const { graphs, programs, runs } = native.usage();
  return graphs + programs + runs;
};

function build(constant = 1) {
  const graph = new Graph('small');
  const x = graph.input('x', 'f64', ['n']);
  return graph.output('y', x.mul(constant).add(1));
}

test('graphs, programs and bound functions that nobody holds are collected', async () => {
  const make = () => {
    const graph = build();
    const program = graph.compile();
    const call = program.bind({ x: new Float64Array(100) });
    call();
    program.run({ x: new Float64Array(3) });
  };
  for (let i = 0; i < 20; i++) make();
  assert.ok(await gcUntil(() => live() === 0), JSON.stringify(native.usage()));
  assert.equal(native.usage().processCodeBytes, 0);
});

test('a bound function alone keeps its program and its arrays', async () => {
  const bind = () => build(3).compile().bind({ x: Float64Array.of(1, 2) });
  const call = bind();
  await gcUntil(() => native.usage().graphs === 0);
  assert.deepEqual([native.usage().graphs, native.usage().programs], [0, 1]);
  assert.deepEqual(call().y.toArray(), [4, 7]);
});

test('a bound function that an array refers to is collected with it', async () => {
  const make = () => {
    const x = new Float64Array(4);
    const call = build().compile().bind({ x });
    Object.assign(x, { call });
  };
  make();
  assert.ok(await gcUntil(() => live() === 0), JSON.stringify(native.usage()));
});

test('failures leave nothing behind', async () => {
  const graph = build();
  const x = graph.inputs[0].value;
  const program = graph.compile();
  for (let i = 0; i < 50; i++) {
    assert.throws(() => x.add('no'));
    assert.throws(() => x.reshape([2, 2, 'm']).not());
    assert.throws(() => Graph.parse('graph "x" { %1 = '));
    assert.throws(() => new Graph('\n'));
    assert.throws(() => program.bind({ x: new Float64Array(2) }, { y: new Float64Array(3) }));
    assert.throws(() => new Graph().compile());
    await assert.rejects(program.runAsync({ x: new Float32Array(1) }));
  }
  program.dispose();
  graph.dispose();
  assert.ok(await gcUntil(() => live() === 0), JSON.stringify(native.usage()));
});

test('dispose frees at once', () => {
  const graph = build();
  const program = graph.compile();
  const before = native.usage();
  program.dispose();
  graph.dispose();
  const after = native.usage();
  assert.equal(before.programs - after.programs, 1);
  assert.equal(before.graphs - after.graphs, 1);
  assert.ok(after.processCodeBytes < before.processCodeBytes);
});

test('the engine collects graphs for the memory they hold outside its heap', async () => {
  const data = new Float64Array(2 ** 20);
  const make = () => {
    const graph = new Graph();
    graph.output('y', graph.constant(data));
  };
  const count = 100;
  for (let i = 0; i < count; i++) {
    make();
    await new Promise((resolve) => setImmediate(resolve));
  }
  // Nobody asks for a collection here: each object is tiny, only the reported 8 MiB are not.
  assert.ok(native.usage().graphs < count / 2, `${native.usage().graphs} graphs of 8 MiB are alive`);
  assert.ok(await gcUntil(() => live() === 0));
});

test('the engine collects programs that nobody holds without being asked', async () => {
  const make = (/** @type {number} */ i) => build(i + 0.5).compile({ optLevel: 0 }).run({ x: Float64Array.of(1) });
  const count = 2500;
  for (let i = 0; i < count; i++) {
    make(i);
    if (i % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  assert.ok(native.usage().programs < count * 0.7, `${native.usage().programs} programs are alive`);
  assert.ok(await gcUntil(() => live() === 0));
});

test('what is collected is freed in a loop that never turns to the event loop', () => {
  const make = () => {
    const program = build().compile();
    program.bind({ x: new Float64Array(1) })();
    native.functionCompile('module "f" { entry func main() -> i32 { return 0:i32 } }', 0, 0, true);
  };
  const before = native.usage();
  const count = 4000;
  for (let i = 0; i < count; i++) make();
  const after = native.usage();
  for (const kind of /** @type {const} */ (['graphs', 'programs', 'functions'])) {
    const alive = after[kind] - before[kind];
    assert.ok(alive < count / 2, `${alive} ${kind} of ${count} are alive`);
  }
});

test('the numbers of collected programs and bound calls are given to others', async () => {
  const { handle } = internalsOf(build().compile());
  const numbers = () => {
    const { handle: other } = internalsOf(build().compile());
    native.programFit(handle, [[1]]);
    return [other.number, native.programBind(handle, [new Float64Array(1), new Float64Array(1)], false).number];
  };
  const all = Array.from({ length: 200 }, numbers);
  const most = [0, 1].map((k) => Math.max(...all.map((pair) => pair[k])));
  assert.ok(await gcUntil(() => numbers().every((number, k) => number <= most[k])), `${numbers()} after ${most}`);
});

test('compiling and disposing thousands of programs leaves the resident size flat', () => {
  const cycle = (/** @type {number} */ from, /** @type {number} */ count) => {
    for (let i = from; i < from + count; i++) {
      const graph = build(i + 0.5);
      const program = graph.compile({ optLevel: 0 });
      program.dispose();
      graph.dispose();
    }
  };
  cycle(0, 200);
  const before = process.memoryUsage().rss;
  cycle(200, 1000);
  const growth = process.memoryUsage().rss - before;
  // What is allowed is the collector's own slack; leaking only the code would take twice as much.
  assert.ok(growth < 24 * 2 ** 20, `${(growth / 2 ** 20).toFixed(1)} MiB`);
});

test('a loop that compiles, runs and disposes and never turns to the event loop needs no more memory', () => {
  const script = `
    const { Graph } = require('graphjit');
    const cycle = (count) => {
      for (let i = 0; i < count; i++) {
        const graph = new Graph('small');
        const program = graph.output('y', graph.input('x', 'f64', ['n']).mul(2)).compile({ tier: 'auto' });
        program.run({ x: new Float64Array(1) });
        program.dispose();
        graph.dispose();
      }
      return process.memoryUsage().rss;
    };
    cycle(8000);
    console.log(-cycle(1) + cycle(24000));
  `;
  const growth = Number(execFileSync(process.execPath, ['-e', script], { cwd: __dirname, encoding: 'utf8' }));
  assert.ok(growth < 8 * 2 ** 20, `${(growth / 2 ** 20).toFixed(1)} MiB`);
});

test('running for long leaves the resident size flat', () => {
  const program = build().compile();
  const x = new Float64Array(1000);
  const runs = (/** @type {number} */ count) => {
    for (let i = 0; i < count; i++) {
      program.run({ x });
      if (i % 100 === 0) program.run({ x: new Float64Array(i % 977) });
    }
  };
  runs(5000);
  const before = process.memoryUsage().rss;
  runs(50000);
  const growth = process.memoryUsage().rss - before;
  assert.ok(growth < 64 * 2 ** 20, `${(growth / 2 ** 20).toFixed(1)} MiB`);
});

const constantBytes = () => native.usage().processConstantBytes;

test('graphs and programs hold the elements of a large constant once', async () => {
  const size = 2 ** 18;
  const before = constantBytes();
  const make = () => {
    const data = allocateConstant('f32', size, 'test');
    for (let i = 0; i < size; i++) data[i] = i % 7;
    const graph = new Graph('weights');
    const x = graph.input('x', 'f32', []);
    const weights = sharedConstant(stateOfGraph(graph), tensor(data), 'test');
    const sums = forLoop(0, 2, (i, sum) => sum.add(weights), weights.mul(x));
    return graph.output('y', sums.add(weights));
  };
  for (const options of [{ cache: false }, { tier: /** @type {const} */ ('auto') }, {}]) {
    const program = make().compile(options);
    assert.equal(program.run({ x: Float32Array.of(2) }).y.data[6], 30);
    await program.ready();
    assert.equal(program.run({ x: Float32Array.of(3) }).y.data[5], 30);
    assert.ok(await gcUntil(() => native.usage().graphs === 0));
    assert.equal(constantBytes() - before, 4 * size);
    program.dispose();
    assert.ok(await gcUntil(() => constantBytes() === before), `${constantBytes() - before} bytes are left`);
  }
});

test('what a typed array gives a graph is a copy, which its programs share', () => {
  const before = constantBytes();
  const data = new Float64Array(1000).fill(2);
  const graph = new Graph('copied');
  graph.output('y', graph.input('x', 'f64', []).mul(graph.constant(data)));
  data.fill(3);
  const programs = [graph.compile(), graph.compile({ cache: false }), graph.compile({ optLevel: 0 })];
  for (const program of programs) assert.equal(program.run({ x: Float64Array.of(5) }).y.data[999], 10);
  assert.equal(constantBytes() - before, 8000);
  for (const program of programs) program.dispose();
  graph.dispose();
  assert.equal(constantBytes(), before);
});

test('parts of shared memory, and what is small, are copied', () => {
  const graph = new Graph('parts');
  const state = stateOfGraph(graph);
  const data = allocateConstant('i32', 2048, 'test').fill(/** @type {any} */ (3));
  const whole = tensor(data).reshape([2, 1024]);
  const before = constantBytes();
  const few = tensor(allocateConstant('i32', 4, 'test'));
  graph.output('whole', sharedConstant(state, whole, 'test'));
  graph.output('few', sharedConstant(state, few, 'test'));
  assert.equal(constantBytes(), before);
  graph.output('row', sharedConstant(state, whole.slice(1), 'test'));
  graph.output('columns', sharedConstant(state, whole.transpose(), 'test'));
  assert.equal(constantBytes() - before, 4096 + 8192);
  const results = graph.compile().run({});
  assert.deepEqual(Object.values(results).map(({ size, data: [first] }) => [size, first]), [[2048, 3], [4, 0], [1024, 3], [2048, 3]]);
  assert.throws(() => native.graphConstShared(state.handle, 'i32', [4], /** @type {any} */ ({})), { code: 'ERR_ARGUMENT' });
  assert.throws(() => allocateConstant('f64', 2 ** 45, 'test'), { code: 'ERR_MEMORY' });
});

test('compiling and running takes little memory besides the weights', { skip: !fs.existsSync('/proc/self/status') }, () => {
  const script = `
    const fs = require('node:fs');
    const { Graph, tensor } = require('graphjit');
    const { stateOfGraph } = require('./lib/graph/graph.js');
    const { allocateConstant, sharedConstant } = require('./lib/graph/shared-constants.js');
    const peak = () => 1024 * /VmHWM:\\s+(\\d+)/.exec(fs.readFileSync('/proc/self/status', 'utf8'))[1];
    const run = (rows) => {
      const data = allocateConstant('f32', rows * 1024, 'test').fill(0.5);
      const graph = new Graph('model');
      const weights = sharedConstant(stateOfGraph(graph), tensor(data).reshape([rows, 1024]), 'test');
      graph.output('y', graph.input('x', 'f32', ['m', rows]).matmul(weights));
      graph.output('z', weights.abs().sum());
      graph.compile({ cache: false }).run({ x: new Float32Array(rows) });
      return peak();
    };
    const before = run(16);
    console.log((run(2 ** 14) - before) / 2 ** 26);
  `;
  const cwd = path.dirname(__dirname);
  const times = Number(execFileSync(process.execPath, ['-e', script], { cwd, encoding: 'utf8' }));
  assert.ok(times < 1.25, `${times} times the weights`);
});

/** Bytes of mappings that are to get large pages, as Linux tells them. */
const largePages = () =>
  [...fs.readFileSync('/proc/self/smaps', 'utf8').matchAll(/^Size: +(\d+) kB$(?:\n(?!Size).*)*?\nVmFlags:(.*)$/gm)]
    .filter(([, , flags]) => / hg( |$)/.test(flags))
    .reduce((sum, [, size]) => sum + 1024 * Number(size), 0);

test('large fresh arrays are to have large pages', { skip: !fs.existsSync('/sys/kernel/mm/transparent_hugepage') }, () => {
  const program = build().compile();
  const x = new Float64Array(4e6);
  const before = largePages();
  const { y } = program.run({ x });
  assert.ok(largePages() - before > 0.8 * y.data.byteLength, `${before} before, ${largePages()} after`);
});
