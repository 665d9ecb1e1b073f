// What program.stats tells: times, the memory plan, kernels and their loops.
'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { Graph } = require('graphjit');

/** sin(x) / sum(sin(x)), for a size that may be a number: the sine is stored, since two kernels need it. */
function shares(size) {
  const graph = new Graph('shares');
  const wave = graph.input('x', 'f64', [size]).sin();
  return graph.output('z', wave.div(wave.sum())).compile();
}

test('stats tell times and sizes', () => {
  const { stats } = shares('n');
  for (const stage of ['simplify', 'fuse', 'lower', 'emit', 'optimize', 'machine', 'load', 'total']) {
    assert.ok(stats.compileMs[stage] >= 0, stage);
  }
  assert.equal(stats.nodesBefore, 4);
  assert.ok(stats.codeBytes > 0);
  assert.equal(stats.constantBytes, 0);
});

test('the memory plan names values as the simplified graph does', () => {
  const program = shares('n');
  const { intermediates, scratchBytes, kernels } = program.stats;
  assert.equal(scratchBytes, '64*((n + 7)/8) + 64');
  const [wave, sum] = intermediates;
  assert.equal(intermediates.length, 2);
  assert.ok(program.simplified().includes(`${wave.value} = sin %1 : f64[n]`));
  assert.deepEqual(
    { ...wave, value: 0 },
    { value: 0, dtype: 'f64', shape: '[n]', bytes: '8*n', offset: 0, firstKernel: 0, lastKernel: 2, inPlace: false },
  );
  assert.equal(sum.bytes, 8);
  assert.equal(sum.offset, '64*((n + 7)/8)');
  assert.deepEqual(kernels.map(({ reads, writes }) => [...reads, '->', ...writes].join(' ')), [
    `x -> ${wave.value}`,
    `${wave.value} -> ${sum.value}`,
    `${wave.value} ${sum.value} -> z`,
  ]);
});

test('constant sizes are numbers', () => {
  const graph = new Graph('mirrored'); // a value that is read backwards has to be stored
  const wave = graph.input('x', 'f64', [100]).sin();
  const { intermediates, scratchBytes } = graph.output('z', wave.add(wave.reverse())).compile().stats;
  assert.equal(scratchBytes, 832);
  assert.deepEqual(intermediates.map(({ bytes, offset, shape }) => [bytes, offset, shape]), [[800, 0, '[100]']]);
});

test('a value that overwrites another is in place', () => {
  const graph = new Graph('chain');
  const first = graph.input('x', 'f64', ['n']).exp();
  const second = first.reverse().add(first).exp();
  const third = second.mul(second.sum()).exp();
  graph.output('z', third.reverse().add(third));
  const { intermediates, kernels } = graph.compile().stats;
  assert.deepEqual(intermediates.map(({ inPlace }) => inPlace), [false, false, false, true]);
  const [, before, , after] = intermediates;
  assert.deepEqual([after.offset, after.firstKernel], [before.offset, before.lastKernel]);
  assert.ok(kernels[after.firstKernel].reads.includes(before.value));
});

test('kernels say how wide each of their loops is', () => {
  const [sine, , quotient] = shares('n').stats.kernels;
  for (const { lanes, vectorised, loops, kind, shape, name } of [sine, quotient]) {
    assert.ok(lanes >= 2);
    assert.equal(vectorised, `${lanes} lanes`);
    assert.equal(Math.max(...loops.map((loop) => loop.lanes)), lanes);
    assert.ok(loops.every(({ how }) => /^(\d+ lanes|scalar: |unrolled|not unrolled)/.test(how)), JSON.stringify(loops));
    assert.deepEqual([kind, shape], ['elementwise', '[n]']);
    assert.match(name, /^k\d+$/);
  }
});

test('a kernel without a loop says so', () => {
  const graph = new Graph('scalar');
  const program = graph.output('y', graph.input('x', 'f64').add(1)).compile();
  const [kernel] = program.stats.kernels;
  assert.deepEqual([kernel.lanes, kernel.vectorised, kernel.loops], [1, 'no loop', []]);
});

test('stats of a disposed program throw', () => {
  const program = shares('n');
  assert.equal(program.stats.kernels.length, 3);
  program.dispose();
  assert.throws(() => program.stats, { code: 'ERR_STATE' });
});
