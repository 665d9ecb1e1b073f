// Programs with tier 'auto': interpreted at first, then compiled, with the same results in between.
'use strict';

const assert = require('node:assert/strict');
const path = require('node:path');
const { test } = require('node:test');
const { Worker } = require('node:worker_threads');
const { spawnSync } = require('node:child_process');
const { Graph } = require('graphjit');
const { native } = require('../lib/base/binding.js');
const { gcUntil } = require('./support/gc.js');

const lib = JSON.stringify(path.join(__dirname, '..', 'lib', 'index.js'));

/** A chain of ops with sums in it. @param {number} steps */
function chain(steps) {
  const graph = new Graph('chain');
  const x = graph.input('x', 'f64', ['n']);
  let y = x;
  for (let i = 0; i < steps; i++) y = y.sin().add(i).mul(x.exp()).sub(y.sum());
  return graph.output('y', y).output('total', y.sum());
}

const x = Float64Array.from({ length: 2500 }, (_, i) => Math.sin(i) / 9);

test('the first run is interpreted, and compiling keeps the bits', async () => {
  const graph = chain(5);
  const expected = graph.compile().run({ x });
  for (const numerics of /** @type {const} */ (['default', 'strict'])) {
    const want = graph.compile({ numerics }).run({ x });
    const program = graph.compile({ numerics, tier: 'auto' });
    assert.equal(program.stats.tier, 'interpreter');
    assert.equal(program.stats.codeBytes, 0);
    const before = program.run({ x });
    const call = program.bind({ x });
    await program.ready();
    await program.ready();
    assert.equal(program.stats.tier, 'llvm');
    assert.ok(program.stats.codeBytes > 0);
    assert.equal(program.stats.compileError, undefined);
    for (const got of [before, program.run({ x }), call(), await program.runAsync({ x })]) {
      assert.deepEqual(got.y.data, want.y.data);
      assert.deepEqual(got.total.data, want.total.data);
    }
    assert.equal(want.y.size, expected.y.size);
  }
});

test('a program that runs often is compiled by itself, and bound calls take to it', async () => {
  const program = chain(3).compile({ tier: 'auto' });
  const call = program.bind({ x });
  const first = Float64Array.from(call().y.data);
  while (program.stats.tier === 'interpreter') {
    for (let i = 0; i < 20; i++) assert.deepEqual(call().y.data, first);
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.deepEqual(call().y.data, first);
});

test('large arrays start the compiler at the first run', async () => {
  const graph = new Graph();
  const big = graph.input('x', 'f32', ['n']);
  const program = graph.output('y', big.add(1)).compile({ tier: 'auto' });
  program.run({ x: new Float32Array(1 << 18) });
  while (program.stats.tier === 'interpreter') await new Promise((resolve) => setTimeout(resolve, 1));
});

test('runs on several threads go on while the code is swapped in', async () => {
  const program = chain(4).compile({ tier: 'auto' });
  const want = program.run({ x }).y.data;
  const runs = Array.from({ length: 60 }, () => program.runAsync({ x }));
  const ready = [program.ready(), program.ready()];
  for (const { y } of await Promise.all(runs)) assert.deepEqual(y.data, want);
  await Promise.all(ready);
});

test("programs that are compiled at once say so: tier 'llvm' and numerics 'fast'", async () => {
  const graph = chain(1);
  for (const options of /** @type {const} */ ([{}, { tier: 'llvm' }, { tier: 'auto', numerics: 'fast' }])) {
    const program = graph.compile(options);
    assert.equal(program.stats.tier, 'llvm');
    await program.ready();
  }
  // @ts-expect-error a tier that does not exist
  assert.throws(() => graph.compile({ tier: 'fast' }), { code: 'ERR_ARGUMENT' });
});

test('ready of a disposed program is refused, and one that is pending ends', async () => {
  const program = chain(6).compile({ tier: 'auto' });
  const pending = program.ready();
  program.dispose();
  await pending;
  await assert.rejects(program.ready(), { code: 'ERR_STATE' });
});

test('programs may be disposed of or collected while they are compiled', async () => {
  for (let i = 0; i < 30; i++) {
    const program = chain(2 + (i % 3)).compile({ tier: 'auto' });
    for (let k = 0; k < 12; k++) program.run({ x });
    if (i % 2) program.dispose();
    if (i % 5 === 0) await new Promise((resolve) => setTimeout(resolve, i));
  }
  await gcUntil(() => native.usage().programs === 0);
});

test('a worker may be ended while its programs are compiled', async () => {
  const code = `
    const { Graph } = require(${lib});
    ${chain}
    const x = new Float64Array(3000).fill(0.5);
    const kept = [];
    for (let i = 0; i < 8; i++) {
      const program = chain(3 + i).compile({ tier: 'auto' });
      for (let k = 0; k < 10; k++) program.run({ x });
      if (i % 2) program.ready();
      kept.push(program);
    }
    require('node:worker_threads').parentPort.postMessage('busy');
    setInterval(() => kept, 1000);
  `;
  const before = native.usage().processPrograms;
  await Promise.all(
    [0, 1, 2].map(async (delay) => {
      const worker = new Worker(code, { eval: true });
      await new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
      await new Promise((resolve) => setTimeout(resolve, delay * 5));
      await worker.terminate();
    }),
  );
  while (native.usage().processPrograms > before) await new Promise((resolve) => setTimeout(resolve, 5));
});

test('a process may exit at any moment of a compilation', () => {
  for (let i = 0; i < 12; i++) {
    const code = `
      const { Graph } = require(${lib});
      ${chain}
      const x = new Float64Array(3000).fill(0.5);
      const programs = Array.from({ length: 3 }, (_, i) => chain(2 + i).compile({ tier: 'auto' }));
      for (const program of programs) for (let k = 0; k < 12; k++) program.run({ x });
      ${i % 4 === 3 ? 'programs[2].ready();' : ''}
      setTimeout(() => ${i % 2 ? 'process.exit(7)' : '(process.exitCode = 7)'}, ${(i * i) / 4});
    `;
    const { status, signal, stderr } = spawnSync(process.execPath, ['-e', code], { encoding: 'utf8' });
    assert.deepEqual({ status, signal, stderr }, { status: 7, signal: null, stderr: '' });
  }
});
