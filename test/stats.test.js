// What program.stats tells: times, the memory plan, kernels and their loops.
'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { Graph, zeros } = require('graphjit');

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

test('memory tells sizes as formulas, or in bytes for given symbols', () => {
  const program = shares('n');
  const { intermediates, scratchBytes } = program.stats;
  assert.deepEqual(program.memory(), {
    inputs: [{ name: 'x', dtype: 'f64', shape: ['n'], bytes: '8*n' }],
    outputs: [{ name: 'z', dtype: 'f64', shape: ['n'], bytes: '8*n' }],
    constantBytes: 0,
    scratchBytes,
    intermediates,
  });
  const memory = program.memory({ n: 100 });
  assert.deepEqual(memory.inputs, [{ name: 'x', dtype: 'f64', shape: [100], bytes: 800 }]);
  assert.equal(memory.scratchBytes, 832 + 64);
  assert.deepEqual(memory.intermediates.map(({ shape, bytes, offset }) => [shape, bytes, offset]), [
    ['[100]', 800, 0],
    ['[]', 8, 832],
  ]);
  assert.deepEqual(program.memory({ n: 0 }).scratchBytes, 64);
});

test('memory refuses sizes that a run would refuse', () => {
  const graph = new Graph('tail');
  const x = graph.input('x', 'f32', ['n', '2*m + 1']);
  graph.output('y', x.slice([1, null], null).add(graph.input('m', 'f32', ['m']).sum()));
  const program = graph.compile();
  assert.deepEqual(program.memory({ n: 3, m: 2 }).outputs[0].shape, [2, 5]);
  const refused = [
    [{ n: 3 }, 'ERR_ARGUMENT', /expected an integer of at least 0 for symbol 'm', got undefined/],
    [{ n: 3, m: 1, k: 1 }, 'ERR_ARGUMENT', /unknown symbol 'k'.*, known symbols are 'n', 'm'/],
    [{ n: 1.5, m: 1 }, 'ERR_ARGUMENT', /symbol 'n', got 1.5/],
    [7, 'ERR_ARGUMENT', /expected an object from symbols to numbers for the sizes, got 7/],
    [{ n: 0, m: 1 }, 'ERR_SHAPE', /n - 1 for n = 0/],
    [{ n: 2 ** 40, m: 2 ** 40 }, 'ERR_OVERFLOW', /2\^47/],
    [{ n: 2, m: Number.MAX_SAFE_INTEGER }, 'ERR_SHAPE', /2\^47/],
  ];
  for (const [sizes, code, message] of refused) assert.throws(() => program.memory(sizes), { code, message });
});

test('memory of a program without symbols is in numbers', () => {
  const graph = new Graph('fixed');
  const program = graph.output('y', graph.input('x', 'i16', [3, 4]).sum({ axis: 0 })).compile();
  assert.deepEqual(program.memory(), program.memory({}));
  assert.deepEqual(program.memory().outputs, [{ name: 'y', dtype: 'i64', shape: [4], bytes: 32 }]);
  program.dispose();
  assert.throws(() => program.memory(), { code: 'ERR_STATE' });
});

test('texts can do without what large constants hold', () => {
  const graph = new Graph('weighted');
  const weights = graph.constant(Float64Array.from({ length: 1000 }, (_, i) => Math.sin(i)));
  const few = graph.constant(Float64Array.of(0.25, 0.5));
  const program = graph.output('y', graph.input('x', 'f64', [1000]).mul(weights)).output('z', graph.input('w', 'f64', [2]).mul(few)).compile();
  const texts = {
    loops: [program.loops(), program.loops({ constants: false }), /data \d: f64\[1000\]$/m],
    llvm: [program.llvm(), program.llvm({ constants: false }), /^@data = external hidden unnamed_addr constant \[1000 x double\]/m],
    asm: [program.asm(), program.asm({ constants: false }), /\.hidden\s+data/],
  };
  for (const [name, [whole, short, declared]] of Object.entries(texts)) {
    assert.ok(whole.length > 16000 && short.length < whole.length - 16000, name);
    assert.match(short, declared);
    assert.match(short, { loops: /data \d: f64\[2\] = hex "000000000000d03f/, llvm: /\[double 2\.5/, asm: /0x3fd0000000000000/ }[name]);
  }
  const functions = (/** @type {string} */ text) => text.slice(text.indexOf('func ')).replaceAll('data<1>', 'data<0>');
  assert.equal(functions(texts.loops[1]), functions(texts.loops[0]));
  assert.throws(() => program.asm({ constants: 1 }), { code: 'ERR_ARGUMENT' });
});

test('kernels say which values they compute, and in which functions', () => {
  const graph = new Graph('parts');
  const x = graph.input('x', 'f64', ['n']);
  const wave = x.mul(2).sin(); // stored, since two kernels need it
  const program = graph.output('z', wave.div(wave.sum())).compile();
  const { stats } = program;
  const ops = new Map([...program.simplified().matchAll(/%(\d+) = (\w+)/g)].map(([, ref, op]) => [Number(ref), op]));
  const computed = stats.kernels.map(({ nodes }) => nodes.map((ref) => ops.get(ref)).join(' '));
  assert.deepEqual(computed, ['const mul sin', 'reduce_sum', 'div']);
  for (const { name, functions } of stats.kernels) {
    assert.equal(functions[0], name);
    for (const each of functions) assert.match(each, /^k\d+(_part)?$/);
  }
});

test('kernels say what they move and compute, in numbers or as formulas', () => {
  const work = (/** @type {import('graphjit').Program} */ program) =>
    program.stats.kernels.map(({ bytesRead, bytesWritten, flops }) => [bytesRead, bytesWritten, flops]);
  const fixed = new Graph('fixed');
  const x = fixed.input('x', 'f32', [10, 4]);
  assert.deepEqual(work(fixed.output('y', x.mul(x).add(fixed.input('b', 'f32', [4]))).compile()), [[176, 160, 80]]);
  const open = new Graph('open');
  const v = open.input('v', 'f64', ['n', 'm']);
  const program = open.output('y', v.slice([1, null]).sub(v.slice([null, -1]))).compile();
  assert.deepEqual(work(program), [['24*m*n - 16*m - 8*max(m*n, 2*m*n - 2*m)', '8*m*n - 8*m', 'm*n - m']]);
  const { kernels } = program.profile({ v: zeros([3, 5]) }, { runs: 1 });
  assert.deepEqual(kernels.map(({ bytesRead, bytesWritten, flops }) => [bytesRead, bytesWritten, flops]), [[120, 80, 10]]);
});

test('stats of a disposed program throw', () => {
  const program = shares('n');
  assert.equal(program.stats.kernels.length, 3);
  program.dispose();
  assert.throws(() => program.stats, { code: 'ERR_STATE' });
});
