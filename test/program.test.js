// Compiled programs: what run and bind take and give. Wrong arguments are in errors.test.js.
'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const util = require('node:util');
const { Graph, Tensor, tensor } = require('graphjit');

function hypot(dtype = 'f64', shape = ['n']) {
  const graph = new Graph('hypot');
  const x = graph.input('x', dtype, shape);
  const y = graph.input('y', dtype, shape);
  graph.output('z', x.mul(x).add(y.mul(y)).sqrt());
  return graph.compile();
}

/** A program of one input that gives it back plus one. */
function increment(dtype, shape) {
  const graph = new Graph('increment');
  const x = graph.input('x', dtype, shape);
  return graph.output('y', x.add(1)).compile();
}

test('run returns tensors over fresh arrays', () => {
  const program = hypot();
  const { z } = program.run({ x: Float64Array.of(3, 5), y: Float64Array.of(4, 12) });
  assert.ok(z instanceof Tensor);
  assert.ok(z.data instanceof Float64Array);
  assert.deepEqual([z.dtype, [...z.shape]], ['f64', [2]]);
  assert.deepEqual(z.toArray(), [5, 13]);
});

test('run writes into the arrays that it is given, and returns them', () => {
  const program = hypot();
  const inputs = { x: Float64Array.of(3, 5), y: Float64Array.of(4, 12) };
  const z = new Float64Array(2);
  for (let i = 0; i < 3; i++) {
    const result = program.run(inputs, { z });
    assert.equal(result.z.data, z);
    assert.deepEqual([...z], [5, 13]);
    z.fill(0);
  }
  const target = tensor(new Float64Array(6), { shape: [3, 2] }).slice(1);
  assert.equal(program.run(inputs, { z: target }).z, target);
  assert.deepEqual([...target.data], [0, 0, 5, 13, 0, 0]);
});

test('one program runs for any sizes, in any order', () => {
  const program = hypot();
  for (const n of [3, 0, 1, 17, 3, 1000, 16]) {
    const x = Float64Array.from({ length: n }, (_, i) => i);
    const z = new Float64Array(n);
    program.run({ x, y: x }, { z });
    assert.deepEqual(z, x.map((v) => Math.sqrt(v * v + v * v)), `n = ${n}`);
    assert.equal(program.run({ x, y: x }).z.size, n);
  }
});

test('every dtype runs on its own typed array', () => {
  const arrays = {
    f64: Float64Array, f32: Float32Array, i64: BigInt64Array, i32: Int32Array, i16: Int16Array, i8: Int8Array,
    u64: BigUint64Array, u32: Uint32Array, u16: Uint16Array, u8: Uint8Array,
  };
  for (const [dtype, Class] of Object.entries(arrays)) {
    const big = dtype.endsWith('64') && dtype !== 'f64';
    const x = Class.from([1, 2, 3], (v) => (big ? BigInt(v) : v));
    const { y } = increment(dtype, ['n']).run({ x });
    assert.ok(y.data instanceof Class, dtype);
    assert.deepEqual(y.toArray().map(Number), [2, 3, 4], dtype);
  }
});

test('bool takes bytes and boolean tensors, and any byte but 0 is true', () => {
  const graph = new Graph();
  const p = graph.input('p', 'bool', ['n']);
  const program = graph.output('q', p.not()).output('k', p.select(1, 2)).compile();
  assert.deepEqual(program.run({ p: Uint8Array.of(0, 1) }).q.toArray(), [true, false]);
  assert.deepEqual(program.run({ p: tensor([false, true]) }).k.toArray(), [2, 1]);
  assert.deepEqual(program.run({ p: Uint8Array.of(0, 1, 2, 255) }).k.toArray(), [2, 1, 1, 1]);
});

test('inputs may be tensors, nested arrays, numbers and bigints', () => {
  const graph = new Graph();
  const m = graph.input('m', 'f64', ['r', 'c']);
  const k = graph.input('k', 'f64');
  const i = graph.input('i', 'i64');
  const program = graph.output('y', m.mul(k).add(i.convert('f64'))).compile();
  const rows = [[1, 2, 3], [4, 5, 6]];
  const expected = [[3, 5, 7], [9, 11, 13]];
  assert.deepEqual(program.run({ m: tensor(rows), k: 2, i: 1n }).y.toArray(), expected);
  assert.deepEqual(program.run({ m: rows, k: Float64Array.of(2), i: 1 }).y.toArray(), expected);
  assert.deepEqual(program.run({ m: rows, k: tensor(2), i: BigInt64Array.of(1n) }).y.toArray(), expected);
});

test('strided tensors are made contiguous, and not changed', () => {
  const program = increment('f64', ['r', 'c']);
  const t = tensor([[1, 2, 3], [4, 5, 6]]);
  assert.deepEqual(program.run({ x: t.T }).y.toArray(), [[2, 5], [3, 6], [4, 7]]);
  assert.deepEqual(program.run({ x: t.slice(null, [null, null, -2]) }).y.toArray(), [[4, 2], [7, 5]]);
  assert.deepEqual(program.run({ x: t.slice([1, null]) }).y.toArray(), [[5, 6, 7]]);
  assert.deepEqual(t.toArray(), [[1, 2, 3], [4, 5, 6]]);
});

test('the shape of a bare array follows from its length and from the other inputs', () => {
  const fixed = increment('f64', ['n', 3]);
  assert.deepEqual([...fixed.run({ x: new Float64Array(6) }).y.shape], [2, 3]);
  const square = increment('f64', ['n', 'n']);
  assert.deepEqual([...square.run({ x: new Float64Array(9) }).y.shape], [3, 3]);
  const graph = new Graph();
  const v = graph.input('v', 'f64', ['n', 'm']);
  const w = graph.input('w', 'f64', ['m']);
  const program = graph.output('y', v.add(w)).compile();
  assert.deepEqual([...program.run({ v: new Float64Array(8), w: new Float64Array(4) }).y.shape], [2, 4]);
});

test('typed arrays may lie anywhere in their buffer, shared or not', () => {
  const program = increment('f32', ['n']);
  for (const buffer of [new ArrayBuffer(64), new SharedArrayBuffer(64)]) {
    const x = new Float32Array(buffer, 4, 3).fill(1);
    const y = new Float32Array(buffer, 16, 3);
    program.run({ x }, { y });
    assert.deepEqual([...new Float32Array(buffer)].slice(0, 8), [0, 1, 1, 1, 2, 2, 2, 0]);
  }
});

test('a result that no element belongs to is an empty tensor', () => {
  const program = increment('f64', ['n', 4]);
  const { y } = program.run({ x: tensor(new Float64Array(0), { shape: [0, 4] }) });
  assert.deepEqual([...y.shape], [0, 4]);
  const outputs = { y: new Float64Array(0) };
  assert.equal(program.run({ x: tensor(new Float64Array(0), { shape: [0, 4] }) }, outputs).y.data, outputs.y);
});

test('a bound function reads and writes its arrays at each call', () => {
  const program = hypot();
  const x = Float64Array.of(3, 5);
  const y = Float64Array.of(4, 12);
  const z = new Float64Array(2);
  const call = program.bind({ x, y }, { z });
  assert.equal(call.outputs.z.data, z);
  assert.equal(call(), call.outputs);
  assert.deepEqual([...z], [5, 13]);
  x[0] = 0;
  call();
  assert.deepEqual([...z], [4, 13]);
});

test('a bound function is not fooled by properties put on an array', () => {
  const x = Float64Array.of(1, 2, 3);
  Object.defineProperty(x, 'buffer', { value: new ArrayBuffer(24) });
  Object.defineProperty(x, 'byteLength', { value: 24 });
  const call = increment('f64', ['n']).bind({ x });
  assert.deepEqual(call().y.toArray(), [2, 3, 4]);
  const { get } = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(Uint8Array.prototype), 'buffer');
  const buffer = get.call(x);
  structuredClone(buffer, { transfer: [buffer] });
  assert.throws(() => call(), { code: 'ERR_STATE', message: /input 'x' was detached/ });
});

test('bind makes output arrays when none are given, and keeps numbers', () => {
  const graph = new Graph();
  const x = graph.input('x', 'f64', ['n']);
  const k = graph.input('k', 'f64');
  const call = graph.output('y', x.mul(k)).compile().bind({ x: Float64Array.of(1, 2), k: 3 });
  assert.deepEqual(call().y.toArray(), [3, 6]);
});

test('bound functions and runs of other sizes do not disturb each other', () => {
  const graph = new Graph();
  const x = graph.input('x', 'f64', ['n']);
  // A result used by two reductions needs memory between kernels.
  const e = x.exp();
  const program = graph.output('y', e.div(e.sum()).sub(e.max())).compile();
  const call = program.bind({ x: Float64Array.of(1, 2, 3) });
  const before = call().y.toArray();
  program.run({ x: new Float64Array(5000) });
  const other = program.bind({ x: new Float64Array(77) });
  other();
  assert.deepEqual(call().y.toArray(), before);
});

test('programs describe themselves', () => {
  const program = hypot('f32', ['n', 2]);
  assert.equal(String(program), 'Program hypot(x: f32[n, 2], y: f32[n, 2]) -> (z: f32[n, 2])');
  assert.equal(util.inspect(program), String(program));
  assert.equal(program.name, 'hypot');
  assert.deepEqual(program.inputs, [
    { name: 'x', dtype: 'f32', shape: ['n', 2] },
    { name: 'y', dtype: 'f32', shape: ['n', 2] },
  ]);
  assert.deepEqual(program.outputs, [{ name: 'z', dtype: 'f32', shape: ['n', 2] }]);
});

test('loops, LLVM and assembly can be looked at', () => {
  const program = hypot();
  assert.match(program.simplified(), /sqrt %\d+ : f64\[n\]/);
  assert.match(program.loops(), /sqrt/);
  assert.match(program.llvm(), /define /);
  assert.match(program.llvm({ optimized: true }), /llvm\.sqrt|fsqrt|sqrt/);
  assert.match(program.asm(), /ret/);
});

test('all numerics and optimisation levels give the same sums of small integers', () => {
  const graph = new Graph();
  const x = graph.input('x', 'f64', ['n']);
  graph.output('s', x.mul(x).add(1).sum());
  const input = Float64Array.from({ length: 100 }, (_, i) => i);
  for (const numerics of ['strict', 'default', 'fast']) {
    for (const optLevel of [0, 1, 2, 3]) {
      const program = graph.compile({ numerics, optLevel, threads: 2 });
      assert.equal(program.run({ x: input }).s.item(), 328450, `${numerics} ${optLevel}`);
    }
  }
});

test('dispose may be called twice and disposes at the end of a block', () => {
  const program = hypot();
  program.dispose();
  program.dispose();
  assert.equal(program[Symbol.dispose], program.dispose);
  assert.equal(Graph.prototype[Symbol.dispose], Graph.prototype.dispose);
});

test('names that mean something to JavaScript are names like others', () => {
  const graph = new Graph();
  const x = graph.input('__proto__', 'f64', ['n']);
  graph.output('constructor', x.add(1)).output('__proto__', x.add(2));
  const program = graph.compile();
  const inputs = Object.fromEntries([['__proto__', Float64Array.of(1)]]);
  const outputs = Object.fromEntries([['constructor', new Float64Array(1)], ['__proto__', new Float64Array(1)]]);
  for (let i = 0; i < 2; i++) {
    const result = program.run(inputs, outputs);
    assert.deepEqual(Object.entries(result).map(([name, t]) => [name, t.item()]), [['constructor', 2], ['__proto__', 3]]);
  }
});

test('a program with more arrays than most runs all of them', () => {
  const graph = new Graph();
  const names = Array.from({ length: 50 }, (_, i) => `x${i}`);
  const total = names.map((name) => graph.input(name, 'f64', ['n'])).reduce((sum, x) => sum.add(x));
  const program = graph.output('y', total).compile();
  const inputs = Object.fromEntries(names.map((name, i) => [name, Float64Array.of(i)]));
  const y = new Float64Array(1);
  program.run(inputs, { y });
  program.run(inputs, { y });
  assert.equal(y[0], 1225);
});

test('a run inside a getter of the inputs does not disturb the run outside', () => {
  const program = increment('f64', ['n']);
  const y = new Float64Array(2);
  program.run({ x: new Float64Array(2) }, { y });
  const inputs = {
    get x() {
      program.run({ x: new Float64Array(7) });
      return Float64Array.of(1, 2);
    },
  };
  assert.deepEqual(program.run(inputs).y.toArray(), [2, 3]);
  assert.deepEqual(program.run(inputs, { y }).y.toArray(), [2, 3]);
});

test('a getter that runs the same program for other sizes does not disturb a run', () => {
  const graph = new Graph();
  graph.output('t', graph.input('x', 'f64', ['r', 'c']).T);
  const program = graph.compile();
  const wide = tensor([[0, 1, 2], [3, 4, 5]]);
  const outputs = {
    get t() {
      program.run({ x: wide.reshape([3, 2]) });
      return new Float64Array(6);
    },
  };
  assert.deepEqual(program.run({ x: wide }, outputs).t.toArray(), [[0, 3], [1, 4], [2, 5]]);
});
