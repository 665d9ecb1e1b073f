// Worker threads: each loads the addon again, and may end at any time, also with runs pending.
'use strict';

const assert = require('node:assert/strict');
const path = require('node:path');
const { test } = require('node:test');
const { Worker } = require('node:worker_threads');
const { spawnSync } = require('node:child_process');
const { Graph } = require('graphjit');
const { native } = require('../lib/base/binding.js');

const header = `
  const { parentPort, workerData } = require('node:worker_threads');
  const { Graph } = require(${JSON.stringify(path.join(__dirname, '..', 'lib', 'index.js'))});
  const build = (steps) => {
    const graph = new Graph('worker');
    const x = graph.input('x', 'f64', ['n']);
    let y = x;
    for (let i = 0; i < steps; i++) y = y.sin().add(i).lgamma();
    return graph.output('y', y.add(x)).compile();
  };
`;

/** Runs code in a worker until it has ended, and returns its last message. @returns {Promise<any>} */
function inWorker(code, workerData) {
  const worker = new Worker(header + code, { eval: true, workerData });
  return new Promise((resolve, reject) => {
    /** @type {any} */
    let message;
    worker.on('message', (value) => (message = value));
    worker.once('error', reject);
    worker.once('exit', () => resolve(message));
  });
}

/** Programs of other threads: this one's may be collected at any time. */
function programsElsewhere() {
  const { programs, processPrograms } = native.usage();
  return processPrograms - programs;
}

test('workers compile and run at the same time', async () => {
  const code = 'parentPort.postMessage(build(1).run({ x: new Float64Array(5).fill(workerData) }).y.data);';
  const graph = new Graph();
  const x = graph.input('x', 'f64', ['n']);
  const here = graph.output('y', x.sin().lgamma().add(x)).compile();
  const results = await Promise.all([1, 2, 3, 4].map((value) => inWorker(code, value)));
  results.forEach((data, i) => {
    assert.deepEqual(data, here.run({ x: new Float64Array(5).fill(i + 1) }).y.data);
  });
});

test('workers share memory with the thread that started them', async () => {
  const shared = new Float64Array(new SharedArrayBuffer(64)).fill(1);
  const code = `
    const y = new Float64Array(workerData, 32, 4);
    build(0).run({ x: new Float64Array(workerData, 0, 4) }, { y });
    parentPort.postMessage('done');
  `;
  await inWorker(code, shared.buffer);
  assert.deepEqual([...shared], [1, 1, 1, 1, 2, 2, 2, 2]);
});

test('a worker that ends leaves no program behind', async () => {
  const code = 'const kept = Array.from({ length: 10 }, () => build(0)); parentPort.postMessage(kept.length);';
  assert.equal(await inWorker(code), 10);
  assert.equal(programsElsewhere(), 0);
});

test('a worker may be ended while runs are pending', async () => {
  const code = `
    const program = build(20);
    const call = program.bind({ x: new Float64Array(8) });
    for (let i = 0; i < 6; i++) program.runAsync({ x: new Float64Array(200000) });
    parentPort.postMessage(call().y.size);
    for (;;) call();
  `;
  for (let i = 0; i < 3; i++) {
    const worker = new Worker(header + code, { eval: true });
    await new Promise((resolve, reject) => {
      worker.once('message', resolve);
      worker.once('error', reject);
    });
    await worker.terminate();
  }
  assert.equal(programsElsewhere(), 0);
});

test('a process may end while runs are pending', () => {
  for (const ending of ['process.exit(7)', 'process.exitCode = 7']) {
    const code = `
      const { Graph } = require(${JSON.stringify(path.join(__dirname, '..', 'lib', 'index.js'))});
      const graph = new Graph();
      const program = graph.output('y', graph.input('x', 'f64', ['n']).lgamma().sin()).compile();
      for (let i = 0; i < 6; i++) program.runAsync({ x: new Float64Array(100000) });
      ${ending};
    `;
    const { status, signal, stderr } = spawnSync(process.execPath, ['-e', code], { encoding: 'utf8' });
    assert.deepEqual([status, signal, stderr], [7, null, ''], ending);
  }
});
