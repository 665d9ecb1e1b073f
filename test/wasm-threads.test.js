// Modules with threads, in Node. Each scenario has a process of its own and a time limit: a fault in the
// pool of a module would block whoever runs it, and no timer of this process would notice.
'use strict';

const assert = require('node:assert/strict');
const { execFile } = require('node:child_process');
const path = require('node:path');
const { test } = require('node:test');
const { promisify } = require('node:util');
const { Graph } = require('graphjit');

const SCRIPT = path.join(__dirname, 'support', 'shared-runs.mjs');
const LIMIT_MS = 120_000;

/** What a scenario of the script prints. @param {string} name */
async function run(name) {
  const { stdout } = await promisify(execFile)(process.execPath, [SCRIPT, name], { timeout: LIMIT_MS, killSignal: 'SIGKILL' });
  return JSON.parse(stdout);
}

test('any number of threads gives the bits of native code', async () => assert.equal(await run('bits'), 15));
test('many runs in a row are right', async () => assert.equal(await run('many'), 3));
test('memory grows under the workers, and views survive', async () => assert.equal(await run('growth'), true));
test('a call stack that ends inside of a run does no harm', async () => assert.ok((await run('overflow')) > 0));
test('workers go with their program', async () => assert.deepEqual(await run('dispose'), { started: 3, left: 0 }));
test('workers go with a program that was dropped, not before', async () => {
  assert.deepEqual(await run('forget'), { started: 2, left: 0 });
});
test('there are 256 threads at most, and one where nobody counts cores', async () => assert.deepEqual(await run('cores'), [256, 1]));
test('a process ends by itself while workers wait', async () => assert.equal(await run('exit'), 3));

const divided = (graph) => graph.output('y', graph.input('x', 'f64', ['n']).sin());

test('a module with threads imports shared memory and nothing else', () => {
  const graph = new Graph('g');
  divided(graph);
  const { modules } = graph.toWasm({ threads: true, variants: ['simd'], optimize: false });
  const module = new WebAssembly.Module(modules.simd);
  assert.deepEqual(WebAssembly.Module.imports(module), [{ module: 'env', name: 'memory', kind: 'memory' }]);
  const shared = new WebAssembly.Memory({ initial: 1, maximum: 65536, shared: true });
  const { exports } = new WebAssembly.Instance(module, { env: { memory: shared } });
  assert.equal(typeof exports.work, 'function');
});

test('an instance beside the first one leaves memory as it is', () => {
  const graph = new Graph('g');
  graph.output('y', graph.input('x', 'f32', [70000]).sin().mul(graph.constant(new Float32Array(70000).fill(3))));
  const { modules } = graph.toWasm({ threads: true, variants: ['simd'], optimize: false });
  const module = new WebAssembly.Module(modules.simd);
  const memory = new WebAssembly.Memory({ initial: 100, maximum: 65536, shared: true });
  const first = new WebAssembly.Instance(module, { env: { memory } });
  const words = new Uint32Array(memory.buffer);
  const end = first.exports.__heap_base.value / 4;
  const from = first.exports.__stack_pointer.value / 4;
  assert.ok(words.subarray(from, end).includes(new Uint32Array(Float32Array.of(3).buffer)[0]));
  words.fill(0x5a5a5a5a, from, end);
  assert.equal(new WebAssembly.Instance(module, { env: { memory } }).exports.__heap_base.value, 4 * end);
  assert.ok(words.subarray(from, end).every((word) => word === 0x5a5a5a5a));
});

test('a graph with too little to divide has a module without threads', () => {
  const graph = new Graph('g');
  graph.output('y', graph.input('x', 'f64', [10]).add(1));
  const [plain, threaded] = [false, true].map((threads) => graph.toWasm({ threads, optimize: false }).modules.simd);
  assert.deepEqual(threaded, plain);
});

test('the variant mvp has no threads', () => {
  const graph = new Graph('g');
  divided(graph);
  assert.throws(() => graph.toWasm({ threads: true, variants: ['mvp'] }), { code: 'ERR_ARGUMENT', message: /'mvp' has no threads/ });
});

test('numbers of threads are checked', async () => {
  const { load } = await import('graphjit/web/threads');
  for (const threads of [0, -1, 1.5, 1000, NaN, '2', null]) {
    await assert.rejects(load(new Uint8Array(8), { threads }), { code: 'ERR_ARGUMENT', message: /threads/ });
  }
});

test('one file holds loader, workers and modules', async () => {
  const graph = new Graph('g');
  divided(graph);
  const { mjs, types, loader } = graph.toWasm({ threads: true, optimize: false });
  const { load } = await import(`data:text/javascript,${encodeURIComponent(mjs)}`);
  const program = await load({ threads: 2 });
  const x = Float64Array.from({ length: 100_000 }, (_, i) => i / 9);
  const { y } = graph.compile({ numerics: 'strict' }).run({ x });
  assert.deepEqual(program.run({ x }).y.data, y.data);
  assert.equal(program.threads, 2);
  program.dispose();
  assert.match(types, /readonly threads: number/);
  assert.doesNotMatch(loader, /^import|import\("/m);
});
