// Uses an installed graphjit as a project would, and prints what it found as one line of JSON.
//
// Runs in a folder of its own, with nothing around but what npm installed.
'use strict';

const assert = require('node:assert/strict');
const { Worker, isMainThread, parentPort } = require('node:worker_threads');

const started = performance.now();
const { Graph } = require('graphjit');
const loadMs = performance.now() - started;

const x = Float64Array.from({ length: 1000 }, (_, i) => i / 7);
const y = Float64Array.from({ length: 1000 }, (_, i) => 3 - i / 11);

function hypot() {
  const graph = new Graph('hypot');
  const [a, b] = ['x', 'y'].map((name) => graph.input(name, 'f64', ['n']));
  return graph.output('z', a.mul(a).add(b.mul(b)).sqrt().sin().add(a.mul(0.5).exp()));
}

/** The sum of the bytes, enough to tell one result from another. @param {Float64Array} data */
const sum = (data) => new Uint8Array(data.buffer, data.byteOffset, data.byteLength).reduce((a, b) => (a * 31 + b) | 0, 7);

async function probe() {
  const program = hypot().compile({ numerics: 'strict', cache: false });
  const z = program.run({ x, y }).z.data;
  assert.deepEqual((await program.runAsync({ x, y })).z.data, z, 'runAsync agrees with run');
  const tiered = hypot().compile({ numerics: 'strict', tier: 'auto', cache: false });
  assert.deepEqual(tiered.run({ x, y }).z.data, z, 'the interpreter agrees with compiled code');
  assert.ok(Math.abs(z[9] - (Math.sin(Math.hypot(x[9], y[9])) + Math.exp(x[9] / 2))) < 1e-12);
  return sum(z);
}

/** The same in a worker, then by wasm, with the names as ES module exports. */
async function main() {
  const bits = await probe();
  const worker = new Worker(__filename);
  const inWorker = await new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
  assert.equal(inWorker, bits, 'a worker thread agrees with the main one');
  assert.equal((await import('graphjit')).Graph, Graph);
  const { load } = await import('graphjit/web');
  const wasm = await load(hypot().toWasm().bytes);
  assert.equal(sum(wasm.run({ x, y }).z.data), bits, 'wasm agrees with compiled code');
  console.log(JSON.stringify({ node: process.version, loadMs: Math.round(loadMs), bits }));
}

if (isMainThread) main();
else probe().then((bits) => parentPort?.postMessage(bits));
