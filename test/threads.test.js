// Runs that are divided among threads: the same bits on any number, from many places at once.
'use strict';

const assert = require('node:assert/strict');
const os = require('node:os');
const path = require('node:path');
const { test } = require('node:test');
const { Worker } = require('node:worker_threads');
const { Graph } = require('graphjit');

const ROWS = 300;
const COLUMNS = 1001;

/** One graph with every kind of kernel that is divided, and outputs that are read by others. */
function mixture() {
  const graph = new Graph('mixture');
  const x = graph.input('x', 'f32', ['n', 'm']);
  const row = graph.input('row', 'f32', ['m']);
  const column = graph.input('column', 'f32', ['n', 1]);
  const wave = x.mul(row).sin().add(column.exp());
  const joined = wave.concat([x, wave.sqrt()], { axis: 0 });
  graph.output('wave', wave);
  graph.output('turned', wave.transpose().cos());
  graph.output('joined', joined);
  graph.output('beside', x.concat([wave.tanh()], { axis: 1 }));
  graph.output('padded', wave.pad([[3, 2], [1, 4]], { value: -1 }));
  graph.output('sums', joined.exp().sum({ axis: 1 }));
  graph.output('flat', x.mul(2).lgamma().reshape([-1]));
  return graph;
}

function mixtureInputs() {
  const fill = (length, step) => Float32Array.from({ length }, (_, i) => ((i * step) % 97) / 10 - 4);
  return { x: fill(ROWS * COLUMNS, 31), row: fill(COLUMNS, 7), column: fill(ROWS, 13) };
}

const shaped = ({ x, row, column }, tensor) => ({ x: tensor(x, [ROWS, COLUMNS]), row, column: tensor(column, [ROWS, 1]) });

const bitsOf = (results) =>
  Object.fromEntries(Object.entries(results).map(([name, { data }]) => [name, Buffer.from(data.buffer, data.byteOffset, data.byteLength)]));

test('results have the same bits on any number of threads', () => {
  const { tensor } = require('graphjit');
  const inputs = shaped(mixtureInputs(), (data, shape) => tensor(data).reshape(shape));
  const graph = mixture();
  const expected = bitsOf(graph.compile({ threads: 1 }).run(inputs));
  for (const threads of [2, 3, 8, undefined]) {
    const got = bitsOf(graph.compile({ threads }).run(inputs));
    for (const [name, bits] of Object.entries(expected)) assert.ok(bits.equals(got[name]), `${name} on ${threads} threads`);
  }
});

test('a program says how many threads its runs use', () => {
  const graph = new Graph();
  graph.output('y', graph.input('x', 'f64', ['n']).sin());
  const cores = graph.compile().stats.threads;
  assert.ok(cores >= 1 && cores <= os.availableParallelism());
  assert.equal(graph.compile({ threads: 1 }).stats.threads, 1);
  assert.equal(graph.compile({ threads: 256 }).stats.threads, cores);
});

test('small and known work is not divided, and nothing is with one thread', () => {
  const loops = (size, threads) => {
    const graph = new Graph();
    graph.output('y', graph.input('x', 'f64', [size]).sin());
    return graph.compile({ threads }).loops();
  };
  assert.doesNotMatch(loops(1000, 4), /parallel/);
  assert.match(loops(1000000, 4), /parallel k0\(.*\) over 0 to 977 grain \d+/);
  assert.match(loops('n', 4), /parallel/);
  assert.doesNotMatch(loops('n', 1), /parallel/);
});

test('many runs at once get their own results', async () => {
  const graph = new Graph();
  const x = graph.input('x', 'f64', ['n']);
  graph.output('y', x.sin().exp().cos());
  const program = graph.compile({ threads: 4 });
  const inputs = Array.from({ length: 12 }, (_, k) => Float64Array.from({ length: 50000 + 1000 * k }, (__, i) => i * k));
  const expected = inputs.map((data) => program.run({ x: data }).y.data);
  for (let round = 0; round < 3; round++) {
    const pending = inputs.map((data) => program.runAsync({ x: data }));
    assert.deepEqual(program.run({ x: inputs[3] }).y.data, expected[3]);
    (await Promise.all(pending)).forEach(({ y }, k) => assert.deepEqual(y.data, expected[k]));
  }
});

const workerCode = `
  const { parentPort, workerData } = require('node:worker_threads');
  const { Graph } = require(${JSON.stringify(path.join(__dirname, '..', 'lib', 'index.js'))});
  const graph = new Graph();
  const x = graph.input('x', 'f64', ['n']);
  graph.output('y', x.sin().exp().cos());
  const program = graph.compile({ threads: 4 });
  const data = Float64Array.from({ length: 100000 }, (_, i) => i * workerData);
  const first = Buffer.from(program.run({ x: data }).y.data.buffer);
  (async () => {
    let same = 0;
    for (let i = 0; i < 20; i++) {
      const [one, two] = await Promise.all([program.runAsync({ x: data }), program.runAsync({ x: data })]);
      const results = [one, two, program.run({ x: data })];
      same += results.every(({ y }) => first.equals(Buffer.from(y.data.buffer)));
    }
    parentPort.postMessage([same, first]);
  })();
`;

test('worker threads share the pool, and may end', async () => {
  const runWorker = (scale) =>
    new Promise((resolve, reject) => {
      const worker = new Worker(workerCode, { eval: true, workerData: scale });
      /** @type {any} */
      let message;
      worker.on('message', (value) => (message = value));
      worker.once('error', reject);
      worker.once('exit', () => resolve(message));
    });
  const results = await Promise.all([1, 2, 3, 1].map(runWorker));
  for (const [same] of results) assert.equal(same, 20);
  assert.ok(Buffer.from(results[0][1]).equals(Buffer.from(results[3][1])));
  // The pool that the workers used still serves this thread.
  const again = new Graph();
  const x = again.input('x', 'f64', ['n']);
  const data = Float64Array.from({ length: 100000 }, (_, i) => i);
  const { y } = again.output('y', x.sin().exp().cos()).compile({ threads: 4 }).run({ x: data });
  assert.ok(Buffer.from(results[0][1]).equals(Buffer.from(y.data.buffer)));
});

test('a worker may be terminated while a divided run is on', async () => {
  const code = `
    const { parentPort } = require('node:worker_threads');
    const { Graph } = require(${JSON.stringify(path.join(__dirname, '..', 'lib', 'index.js'))});
    const graph = new Graph();
    let y = graph.input('x', 'f64', ['n']);
    for (let i = 0; i < 10; i++) y = y.sin().lgamma();
    graph.output('y', y);
    const program = graph.compile({ threads: 4 });
    program.runAsync({ x: new Float64Array(1e6).fill(0.5) });
    parentPort.postMessage('started');
  `;
  for (let i = 0; i < 3; i++) {
    const worker = new Worker(code, { eval: true });
    await new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
    await worker.terminate();
  }
});

test('a process may exit while a divided run is on', () => {
  const { spawnSync } = require('node:child_process');
  const code = `
    const { Graph } = require(${JSON.stringify(path.join(__dirname, '..', 'lib', 'index.js'))});
    const graph = new Graph();
    let y = graph.input('x', 'f64', ['n']);
    for (let i = 0; i < 10; i++) y = y.sin().lgamma();
    const program = graph.output('y', y).compile({ threads: 4 });
    program.run({ x: new Float64Array(1e5).fill(0.5) });
    program.runAsync({ x: new Float64Array(1e6).fill(0.5) });
    setTimeout(() => process.exit(7), 20);
  `;
  const { status, signal, stderr } = spawnSync(process.execPath, ['-e', code], { encoding: 'utf8' });
  assert.deepEqual([status, signal, stderr], [7, null, '']);
});
