// Runs on other threads: results, settling exactly once, aborting, arrays that go away meanwhile.
'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { Graph, tensor } = require('graphjit');
const { native } = require('../lib/base/binding.js');
const { isGraphError } = require('./support/errors.js');
const { gcUntil } = require('./support/gc.js');

/** A program that takes about a second for a million elements: long enough to be interrupted. */
function slow() {
  const graph = new Graph('slow');
  const x = graph.input('x', 'f64', ['n']);
  let y = x;
  for (let i = 0; i < 40; i++) y = y.sin().add(i).lgamma();
  return graph.output('y', y).compile();
}

function double() {
  const graph = new Graph('double');
  const x = graph.input('x', 'f64', ['n']);
  return graph.output('y', x.mul(2)).compile();
}

test('runAsync gives what run gives, into fresh or given arrays', async () => {
  const program = double();
  const x = Float64Array.of(1, 2, 3);
  assert.deepEqual((await program.runAsync({ x })).y.toArray(), [2, 4, 6]);
  const y = new Float64Array(3);
  const result = await program.runAsync({ x: tensor(x) }, { y });
  assert.equal(result.y.data, y);
  assert.deepEqual([...y], [2, 4, 6]);
});

test('many runs of one program at once do not mix', async () => {
  const program = double();
  const sizes = Array.from({ length: 64 }, (_, i) => (i * 37) % 200);
  const results = await Promise.all(sizes.map((n, i) => program.runAsync({ x: new Float64Array(n).fill(i) })));
  results.forEach(({ y }, i) => assert.deepEqual(y.toArray(), new Array(sizes[i]).fill(2 * i)));
  assert.equal(native.usage().runs, 0);
});

test('the thread that waits is free meanwhile', async () => {
  const program = slow();
  let turns = 0;
  let isDone = false;
  const run = program.runAsync({ x: new Float64Array(300000) }).then(() => (isDone = true));
  while (!isDone) {
    turns++;
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  await run;
  assert.ok(turns > 2, `${turns} turns`);
});

test('a signal aborts a run before, while and after it waits', async () => {
  const program = slow();
  const x = new Float64Array(2000000);
  const isAbortError = (reason) => (error) =>
    error.name === 'AbortError' && error.code === 'ABORT_ERR' && error.cause === reason;
  await assert.rejects(program.runAsync({ x }, undefined, { signal: AbortSignal.abort('early') }), isAbortError('early'));

  const controller = new AbortController();
  const started = performance.now();
  const runs = Array.from({ length: 8 }, () => program.runAsync({ x }, undefined, { signal: controller.signal }));
  setTimeout(() => controller.abort('enough'), 20);
  for (const { status, reason } of await Promise.allSettled(runs)) {
    assert.equal(status, 'rejected');
    assert.ok(isAbortError('enough')(reason));
  }
  const whole = performance.now();
  program.run({ x });
  const one = performance.now() - whole;
  assert.ok(whole - started < 8 * one, `aborting 8 runs took ${whole - started} ms, one run takes ${one} ms`);
  assert.equal(native.usage().runs, 0);
});

test('a signal that never fires keeps no listener', async () => {
  const program = double();
  const { signal } = new AbortController();
  let listeners = 0;
  const { addEventListener, removeEventListener } = signal;
  Object.assign(signal, {
    addEventListener: (...args) => (listeners++, addEventListener.apply(signal, args)),
    removeEventListener: (...args) => (listeners--, removeEventListener.apply(signal, args)),
  });
  await program.runAsync({ x: new Float64Array(4) }, undefined, { signal });
  assert.equal(listeners, 0);
});

test('many runs may share one signal', async () => {
  const program = double();
  const { signal } = new AbortController();
  const listeners = [];
  const add = signal.addEventListener;
  signal.addEventListener = (...args) => {
    listeners.push(args[0]);
    return add.apply(signal, args);
  };
  await Promise.all(Array.from({ length: 30 }, () => program.runAsync({ x: new Float64Array(1000) }, undefined, { signal })));
  assert.deepEqual(listeners, ['abort']); // Node warns from eleven on

  const controller = new AbortController();
  const long = slow();
  const options = { signal: controller.signal };
  const runs = Array.from({ length: 12 }, () => long.runAsync({ x: new Float64Array(1e6) }, undefined, options));
  controller.abort();
  const ends = await Promise.allSettled(runs);
  ends.forEach((end) => assert.equal(end.reason?.name, 'AbortError'));
});

test('wrong arguments reject, they do not throw', async () => {
  const program = double();
  const rejects = (promise, code, message) => assert.rejects(promise, (error) => isGraphError(error, code, message));
  await rejects(program.runAsync({}), 'ERR_ARGUMENT', /^runAsync: input 'x' \(f64\[n\]\) is missing/);
  await rejects(program.runAsync({ x: new Float32Array(1) }), 'ERR_DTYPE', /^runAsync: .*input 'x'/);
  await rejects(program.runAsync({ x: new Float64Array(1) }, undefined, { signal: 1 }), 'ERR_ARGUMENT', /AbortSignal/);
  await rejects(program.runAsync({ x: new Float64Array(1) }, undefined, { timeout: 1 }), 'ERR_ARGUMENT', /unknown option/);
  const x = new Float64Array(new ArrayBuffer(16, { maxByteLength: 32 }));
  await rejects(program.runAsync({ x }), 'ERR_STATE', /input 'x' lies in a resizable buffer/);
});

test('an array that was transferred during the run rejects it', async () => {
  const program = slow();
  const x = new Float64Array(100000);
  const run = program.runAsync({ x });
  const kept = structuredClone(x.buffer, { transfer: [x.buffer] });
  await assert.rejects(run, (error) => isGraphError(error, 'ERR_STATE', /input 'x' was detached during the run/));
  assert.equal(kept.byteLength, 800000);
});

test('disposing a program while runs are pending lets them finish', async () => {
  // Programs of the tests before must not be collected while these are counted.
  assert.ok(await gcUntil(() => native.usage().programs === 0));
  const program = slow();
  const expected = program.run({ x: Float64Array.of(1, 2) }).y.toArray();
  const runs = [1, 2, 3].map(() => program.runAsync({ x: Float64Array.of(1, 2) }));
  const { programs } = native.usage();
  program.dispose();
  assert.equal(native.usage().programs, programs);
  for (const run of runs) assert.deepEqual((await run).y.toArray(), expected);
  assert.equal(native.usage().programs, programs - 1);
  await assert.rejects(program.runAsync({ x: Float64Array.of(1) }), { code: 'ERR_STATE', message: 'program is disposed' });
});

test('a program that nobody holds lives until its run is over', async () => {
  const { y } = await slow().runAsync({ x: new Float64Array(1000) });
  assert.equal(y.size, 1000);
});
