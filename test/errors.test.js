// Wrong arguments: each refused with a GraphError that names op, operand and both values, before
// anything ran or was written.
'use strict';

const assert = require('node:assert/strict');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { test } = require('node:test');
const graphjit = require('graphjit');
const { native } = require('../lib/base/binding.js');
const { throwsGraphError: refuses } = require('./support/errors.js');

const { Graph, Program, Value, tensor } = graphjit;

function hypot(shape = ['n']) {
  const graph = new Graph('hypot');
  const x = graph.input('x', 'f64', shape);
  const y = graph.input('y', 'f64', shape);
  graph.output('z', x.mul(x).add(y.mul(y)).sqrt());
  return graph.compile();
}

// ------------------------------------------------------------------------------------ building

test('operands of the wrong kind, number or graph are named', () => {
  const graph = new Graph('a');
  const other = new Graph('b');
  const x = graph.input('x', 'f64', ['n']);
  const i = graph.input('i', 'i32', ['n']);
  const y = other.input('y', 'f64', ['n']);
  refuses(() => x.add(y), 'ERR_ARGUMENT', /^add: operands of two graphs: Value %1 f64\[n\] of graph "a" and Value %1 f64\[n\] of graph "b"$/);
  refuses(() => graph.output('o', y), 'ERR_ARGUMENT', /output 'o' is Value %1 f64\[n\] of graph "b", not of graph "a"/);
  refuses(() => graph.output('o', 3), 'ERR_ARGUMENT', /expected a Value for output 'o', got 3/);
  refuses(() => x.add(), 'ERR_ARGUMENT', /^add: expected 2 operands for the call, got 1/);
  refuses(() => x.add(1, 2), 'ERR_ARGUMENT', /^add: expected 2 operands/);
  refuses(() => x.add('1'), 'ERR_ARGUMENT', /^add: expected a Value, a number or a Tensor for operand 2, got "1"/);
  refuses(() => x.add(null), 'ERR_ARGUMENT', /got null/);
  refuses(() => graphjit.add(1, 2), 'ERR_ARGUMENT', /^add: expected a Tensor or a Value for one of the operands/);
  refuses(() => graphjit.sqrt(4), 'ERR_ARGUMENT', /^sqrt: expected a Tensor or a Value for the operand, got 4/);
  refuses(() => x.add(i), 'ERR_DTYPE', /^add: f64 \(%1\) and i32 \(%2\) have no common dtype/);
  refuses(() => i.sqrt(), 'ERR_DTYPE', /^sqrt: .*%2.* is i32/);
  assert.throws(() => x + 1, { name: 'TypeError', message: /Value %1 f64\[n\] is not a number: use its methods/ });
  assert.throws(() => Graph('x'), TypeError);
  refuses(() => new Value(), 'ERR_ARGUMENT', /^Value: values come from/);
  refuses(() => new Program(), 'ERR_ARGUMENT', /^Program: programs come from/);
});

test('numbers that a dtype does not hold are named with the dtype', () => {
  const graph = new Graph();
  const i = graph.input('i', 'i32', ['n']);
  refuses(() => i.add(1.5), 'ERR_DTYPE', /^add: i32 holds .*, operand 2 is 1.5/);
  refuses(() => i.add(2 ** 31), 'ERR_DTYPE', /^add: i32 holds .*, operand 2 is 2147483648/);
  refuses(() => i.add(NaN), 'ERR_DTYPE', /operand 2 is NaN/);
  refuses(() => graph.input('u', 'u8').sub(-1), 'ERR_DTYPE', /^sub: u8 holds .*, operand 2 is -1/);
  refuses(() => graph.input('b', 'bool').and(2), 'ERR_DTYPE', /^and: bool holds .*, operand 2 is 2/);
});

test('shapes that do not broadcast are named with axis and sizes', () => {
  const graph = new Graph();
  const x = graph.input('x', 'f64', ['n']);
  refuses(() => x.add(graph.input('y', 'f64', ['m'])), 'ERR_SHAPE', /^add: .*\[n\].*\[m\].*n vs m/);
  refuses(() => graph.input('a', 'f64', [3]).mul([1, 2]), 'ERR_SHAPE', /^mul: .*3 vs 2/);
  refuses(() => x.broadcastTo(['m']), 'ERR_SHAPE', /^broadcastTo: shape \[n\] does not broadcast to \[m\]/);
});

test('axes, ranges and widths out of range are named', () => {
  const graph = new Graph();
  const x = graph.input('x', 'f64', ['n', 4]);
  refuses(() => x.sum({ axis: 2 }), 'ERR_SHAPE', /^sum: axis 2 is out of range for rank 2/);
  refuses(() => x.sum({ axis: [0, -2] }), 'ERR_SHAPE', /^sum: axis 0 is named twice/);
  refuses(() => x.sum({ axis: 'n' }), 'ERR_ARGUMENT', /^sum: expected an integer for axis, got "n"/);
  refuses(() => x.argmax({ axis: [0] }), 'ERR_ARGUMENT', /^argmax: expected an integer for axis/);
  refuses(() => x.transpose([0]), 'ERR_SHAPE', /^transpose: expected an array of all 2 axes/);
  refuses(() => x.slice(0, 4), 'ERR_SHAPE', /^slice: index 4 is out of range for axis 1 of size 4/);
  refuses(() => x.slice(0, 0, 0), 'ERR_SHAPE', /^slice: 3 ranges for rank 2, shape \[n, 4\]/);
  refuses(() => x.slice([0, 4, 0]), 'ERR_ARGUMENT', /^slice: expected a step other than 0/);
  refuses(() => x.slice([0.5]), 'ERR_ARGUMENT', /^slice: expected an integer for the start of axis 0, got 0.5/);
  refuses(() => x.reshape([-1, 3, -1]), 'ERR_ARGUMENT', /^reshape: expected at most one -1 for the shape, got \[-1, 3, -1\]$/);
  refuses(() => x.reshape([-1, 2.5]), 'ERR_ARGUMENT', /^reshape: expected a size .* for axis 1 of the shape, got 2.5$/);
  refuses(() => graph.constant([1, 2, 3]).reshape([2, -1]), 'ERR_SHAPE', /^reshape: no size for -1/);
  refuses(() => graph.constant([1, 2, 3]).reshape([2]), 'ERR_SHAPE', /^reshape: .*3.*2/);
  refuses(() => x.squeeze(1), 'ERR_SHAPE', /^squeeze: axis 1 has size 4, not 1/);
  refuses(() => x.pad([[1, 1]]), 'ERR_SHAPE', /^pad: expected a number, or 2 pairs/);
  refuses(() => x.pad(1, { interior: -1 }), 'ERR_ARGUMENT', /^pad: expected an integer of at least 0/);
  refuses(() => x.dynamicSlice([0], [1, 1]), 'ERR_SHAPE', /^dynamicSlice: expected an array of 2 starts/);
  refuses(() => graphjit.concat([]), 'ERR_ARGUMENT', /^concat: expected an array of Values/);
  refuses(() => graphjit.concat([x, x], { axis: 2 }), 'ERR_SHAPE', /^concat: axis 2 is out of range/);
});

test('sizes, names and dtypes of inputs are checked', () => {
  const graph = new Graph();
  refuses(() => graph.input(3, 'f64'), 'ERR_ARGUMENT', /^input: expected a string for the name, got 3/);
  refuses(() => graph.input('', 'f64'), 'ERR_ARGUMENT', /empty/);
  refuses(() => graph.input('a\nb', 'f64'), 'ERR_ARGUMENT', /control character/);
  for (const half of ['\ud83d', 'x\ude00']) {
    refuses(() => graph.input(half, 'f64'), 'ERR_ARGUMENT', /^input: expected a string of whole characters for the name/);
    refuses(() => graph.output(half, graph.constant(1)), 'ERR_ARGUMENT', /^output: expected a string of whole characters/);
    refuses(() => new Graph(half), 'ERR_ARGUMENT', /^Graph: expected a string of whole characters/);
  }
  refuses(() => graph.input('a'.repeat(256), 'f64'), 'ERR_ARGUMENT', /255/);
  refuses(() => graph.input('x', 'float64'), 'ERR_ARGUMENT', /^input: unknown dtype 'float64' \(did you mean 'f64'\?\)/);
  refuses(() => graph.input('x', 'f8'), 'ERR_ARGUMENT', /^input: unknown dtype 'f8'/);
  refuses(() => graph.input('x', 'f64', [-1]), 'ERR_ARGUMENT', /expected a size .* for axis 0 of the shape, got -1/);
  refuses(() => graph.input('x', 'f64', [1.5]), 'ERR_ARGUMENT', /got 1.5/);
  refuses(() => graph.input('x', 'f64', [2 ** 50]), 'ERR_OVERFLOW', /2\^47 bytes/);
  refuses(() => graph.input('x', 'f64', [2 ** 24, 2 ** 24]), 'ERR_OVERFLOW', /2\^47 bytes/);
  refuses(() => graph.input('x', 'f64', ['n +']), 'ERR_PARSE', /size/);
  refuses(() => graph.input('x', 'f64', ['n m']), 'ERR_PARSE', /^input: axis 0 of the shape, "n m": expected the end of the size at byte 2$/);
  refuses(() => graph.input('x', 'f64', new Array(9).fill(1)), 'ERR_SHAPE', /8/);
  graph.input('x', 'f64');
  refuses(() => graph.input('x', 'f32'), 'ERR_ARGUMENT', /"x"/);
  refuses(() => new Graph(3), 'ERR_ARGUMENT', /^Graph: expected a string for the name, got 3/);
  assert.equal(graph.inputs.length, 1);
});

test('constants must be regular and fit their dtype', () => {
  const graph = new Graph();
  const cycle = [];
  cycle.push(cycle);
  refuses(() => graph.constant([[1, 2], [3]]), 'ERR_SHAPE', /^constant: ragged array: element \[1\] has length 1/);
  refuses(() => graph.constant(cycle), 'ERR_SHAPE', /nested more than 8 deep/);
  refuses(() => graph.constant([300], { dtype: 'u8' }), 'ERR_DTYPE', /element \[0\] is 300/);
  refuses(() => graph.constant([1, 'x']), 'ERR_DTYPE', /"x"/);
  refuses(() => graph.constant({}), 'ERR_ARGUMENT', /^constant: expected a number, a Tensor, .* got an empty object$/);
  refuses(() => graph.constant([1, 2, 3], { shape: [2] }), 'ERR_SHAPE', /^constant: shape \[2\] does not hold 3 elements$/);
  refuses(() => graph.constant([1, 2, 3], { shape: ['n'] }), 'ERR_ARGUMENT', /^constant: expected .* for option 'shape', got \["n"\]$/);
  const gone = new Float64Array(2);
  structuredClone(gone.buffer, { transfer: [gone.buffer] });
  const x = graph.input('x', 'f64', [2]);
  refuses(() => graph.constant(gone), 'ERR_STATE', /^constant: the array of a constant is detached/);
  refuses(() => x.add(gone), 'ERR_STATE', /^add: the array of a constant is detached/);
  refuses(() => graph.constant(1, { type: 'f32' }), 'ERR_ARGUMENT', /^constant: unknown option 'type' \(did you mean 'dtype'\?\)/);
});

test('hostile graph text is refused with line and column', () => {
  for (const [text, message] of [
    ['', /^line 1, column 1: /],
    ['graph "x" {', /^line 1, column 12: /],
    ['graph "x" {\n  %1 = mul %2, %3\n}', /^line 2, column \d+: .*%2/],
    ['graph "x" {\n  %1 = frob\n}', /^line 2, column \d+: .*frob/],
    ['graph "x" {\n  %1 = param "a" : f64[99999999999999999999]\n}', /^line 2/],
    [`graph "x" {\n  %1 = const ${'['.repeat(100000)}`, /^line 2/],
    [`graph "x" { %1 = param "a" : f64[${'('.repeat(100000)}n`, /^line 1/],
  ]) {
    assert.throws(() => Graph.parse(text), { name: 'GraphError', message });
  }
  refuses(() => Graph.parse(3), 'ERR_ARGUMENT', /^Graph\.parse: expected a string for the text, got 3/);
  refuses(() => Graph.parse('graph "x" {\0}'), 'ERR_ARGUMENT', /NUL/);
});

// ----------------------------------------------------------------------------------- compiling

test('options of compile and toWasm are checked and listed', () => {
  const graph = new Graph();
  refuses(() => graph.compile(), 'ERR_ARGUMENT', /no output/);
  graph.output('y', graph.input('x', 'f64', ['n']).neg());
  refuses(() => graph.compile({ thread: 2 }), 'ERR_ARGUMENT', /unknown option 'thread' \(did you mean 'threads'\?\), known options are 'numerics', 'optLevel', 'threads', 'cache', 'tier'/);
  refuses(() => graph.compile({ threads: 0 }), 'ERR_ARGUMENT', /expected an integer from 1 to 256 for option 'threads', got 0/);
  refuses(() => graph.compile({ optLevel: '3' }), 'ERR_ARGUMENT', /option 'optLevel', got "3"/);
  refuses(() => graph.compile({ numerics: 'exact' }), 'ERR_ARGUMENT', /'default', 'strict', 'fast'/);
  refuses(() => graph.compile('fast'), 'ERR_ARGUMENT', /expected an object for the options, got "fast"/);
  refuses(() => graph.toWasm({ simd: true }), 'ERR_ARGUMENT', /^toWasm: unknown option 'simd', known options are 'numerics', 'optLevel', 'variants', 'weights', 'threads', 'optimize'$/);
  refuses(() => graph.toWasm({ variants: 'simd' }), 'ERR_ARGUMENT', /^toWasm: expected an array of variants for option 'variants', got "simd"/);
  refuses(() => graph.toWasm({ variants: ['sse'] }), 'ERR_ARGUMENT', /expected one of 'mvp', 'simd', 'relaxed' for option 'variants'\[0\], got "sse"/);
  refuses(() => graph.toWasm({ weights: true }), 'ERR_ARGUMENT', /'inside', 'separate'/);
  refuses(() => graph.toWasm({ optimize: 3 }), 'ERR_ARGUMENT', /expected 'auto', true or false for option 'optimize', got 3/);
  refuses(() => graph.output('y', graph.inputs[0].value), 'ERR_ARGUMENT', /"y"/);
});

test('a symbol that no input gives a value is named when compiling', () => {
  const graph = new Graph();
  graph.output('y', graph.constant(1, { shape: ['k'] }));
  assert.throws(() => graph.compile(), { code: 'ERR_VERIFY', message: /symbol k/ });
});

// ------------------------------------------------------------------------------------- running

test('missing and unknown inputs and outputs are named with the list of known ones', () => {
  const program = hypot();
  const x = new Float64Array(2);
  refuses(() => program.run({ x }), 'ERR_ARGUMENT', /^run: input 'y' \(f64\[n\]\) is missing, inputs are 'x', 'y'$/);
  refuses(() => program.run({ x, y: x, w: x }), 'ERR_ARGUMENT', /^run: unknown input 'w'.*known inputs are 'x', 'y'$/);
  refuses(() => program.run({ x, y: undefined }), 'ERR_ARGUMENT', /input 'y'/);
  refuses(() => program.run(Object.create({ x, y: x })), 'ERR_ARGUMENT', /input 'x'/);
  refuses(() => program.run(), 'ERR_ARGUMENT', /^run: expected an object from names to input arrays/);
  refuses(() => program.run([x, x]), 'ERR_ARGUMENT', /^run: expected an object/);
  refuses(() => program.run({ x, y: x }, {}), 'ERR_ARGUMENT', /^run: output 'z' \(f64\[n\]\) is missing, outputs are 'z'$/);
  refuses(() => program.run({ x, y: x }, { z: x, q: x }), 'ERR_ARGUMENT', /unknown output 'q'/);
  refuses(() => program.run({ x, y: x }, null), 'ERR_ARGUMENT', /for the outputs, got null/);
  refuses(() => program.bind({ x }), 'ERR_ARGUMENT', /^bind: input 'y'/);
});

test('arrays of another dtype are refused, none is converted', () => {
  const program = hypot();
  const x = new Float64Array(2);
  refuses(() => program.run({ x, y: new Float32Array(2) }), 'ERR_DTYPE', /^run: expected f64 for input 'y', got f32 \(Float32Array\(2\)\)/);
  refuses(() => program.run({ x, y: tensor([1, 2], { dtype: 'i32' }) }), 'ERR_DTYPE', /got i32 \(Tensor i32\[2\]\)/);
  refuses(() => program.run({ x, y: x }, { z: new BigInt64Array(2) }), 'ERR_DTYPE', /^run: expected f64 for output 'z', got i64/);
  refuses(() => program.run({ x, y: new DataView(new ArrayBuffer(16)) }), 'ERR_ARGUMENT', /a DataView/);
  refuses(() => program.run({ x, y: 'abc' }), 'ERR_ARGUMENT', /"abc"/);
  refuses(() => program.run({ x, y: [1, 'b'] }), 'ERR_DTYPE', /^run: input 'y'.*"b"/);
});

test('lengths and shapes that do not fit are named', () => {
  const vectors = hypot();
  const fixed = hypot([16]);
  const matrices = hypot(['n', 'm']);
  const x = new Float64Array(16);
  refuses(() => vectors.run({ x, y: new Float64Array(15) }), 'ERR_SHAPE', /^run: expected 16 elements for input 'y' \(f64\[n\]\), got 15$/);
  refuses(() => fixed.run({ x, y: new Float64Array(20) }), 'ERR_SHAPE', /^run: expected 16 elements for input 'y' \(f64\[16\]\), got 20$/);
  refuses(() => fixed.run({ x, y: tensor(new Float64Array(16), { shape: [4, 4] }) }), 'ERR_SHAPE', /^run: expected f64\[16\] for input 'y', got shape \[4, 4\]$/);
  refuses(() => vectors.run({ x, y: 3 }), 'ERR_SHAPE', /^run: expected f64\[n\] for input 'y', got shape \[\]$/);
  refuses(() => matrices.run({ x, y: x }), 'ERR_SHAPE', /^run: 16 elements do not say which shape input 'x' \(f64\[n, m\]\) has: pass a Tensor/);
  refuses(() => hypot(['n', 3]).run({ x, y: x }), 'ERR_SHAPE', /^run: 16 elements do not fill f64\[n, 3\], input 'x', for any n$/);
  refuses(() => vectors.run({ x, y: x }, { z: new Float64Array(15) }), 'ERR_SHAPE', /^run: expected 16 elements for output 'z' \(f64\[16\]\), got 15$/);
  refuses(() => vectors.run({ x, y: x }, { z: new Float64Array(17) }), 'ERR_SHAPE', /got 17$/);
  refuses(() => vectors.run({ x, y: x }, { z: tensor(new Float64Array(16), { shape: [4, 4] }) }), 'ERR_SHAPE', /got Tensor f64\[4, 4\]/);
  refuses(() => vectors.run({ x, y: x }, { z: tensor(new Float64Array(32)).slice([null, null, 2]) }), 'ERR_ARGUMENT', /contiguous/);
});

test('sizes that do not work out for these inputs are refused', () => {
  const graph = new Graph();
  const x = graph.input('x', 'f64', ['n']);
  graph.output('y', x.slice([2, null]).reshape(['(n - 2)/2', 2]));
  const program = graph.compile();
  refuses(() => program.run({ x: new Float64Array(1) }), 'ERR_SHAPE', /n - 2 for n = 1/);
  refuses(() => program.run({ x: new Float64Array(5) }), 'ERR_SHAPE', /reshape/);
  assert.deepEqual([...program.run({ x: new Float64Array(6) }).y.shape], [2, 2]);
});

test('outputs that overlap inputs or each other are refused, and nothing is written', () => {
  const graph = new Graph();
  const x = graph.input('x', 'f64', ['n']);
  const program = graph.output('a', x.add(1)).output('b', x.add(2)).compile();
  const buffer = new ArrayBuffer(128);
  const at = (/** @type {number} */ offset) => new Float64Array(buffer, offset, 4);
  const memory = new Float64Array(buffer).fill(7);
  const apart = new Float64Array(4);
  refuses(() => program.run({ x: at(0) }, { a: at(0), b: apart }), 'ERR_ARGUMENT', /^run: output 'a' overlaps input 'x' in memory$/);
  refuses(() => program.run({ x: at(0) }, { a: at(24), b: apart }), 'ERR_ARGUMENT', /output 'a' overlaps input 'x'/);
  refuses(() => program.run({ x: at(64) }, { a: at(0), b: at(8) }), 'ERR_ARGUMENT', /output 'b' overlaps output 'a'/);
  refuses(() => program.bind({ x: at(0) }, { a: at(0), b: apart }), 'ERR_ARGUMENT', /^bind: output 'a' overlaps/);
  assert.ok(memory.every((value) => value === 7));
  program.run({ x: at(0) }, { a: at(32), b: at(64) });
  assert.deepEqual([...at(32), ...at(64)], [8, 8, 8, 8, 9, 9, 9, 9]);
});

test('detached arrays are refused before anything runs', () => {
  const program = hypot();
  const fresh = () => new Float64Array(4);
  const gone = () => {
    const array = fresh();
    structuredClone(array.buffer, { transfer: [array.buffer] });
    return array;
  };
  const z = fresh().fill(7);
  const y = fresh();
  refuses(() => program.run({ x: gone(), y }, { z }), 'ERR_STATE', /^run: the array of input 'x' is detached or was shortened$/);
  refuses(() => program.run({ x: y, y: gone() }, { z }), 'ERR_STATE', /input 'y'/);
  refuses(() => program.run({ x: y, y }, { z: gone() }), 'ERR_STATE', /output 'z'/);
  refuses(() => program.run({ x: gone(), y: gone() }), 'ERR_STATE', /input 'x'/);
  const t = tensor(fresh());
  structuredClone(t.data.buffer, { transfer: [t.data.buffer] });
  refuses(() => program.run({ x: t, y }), 'ERR_STATE', /detached/);
  const empty = new Float64Array(0);
  program.run({ x: empty, y: empty }, { z: new Float64Array(0) });
  refuses(() => program.run({ x: gone(), y: empty }, { z: new Float64Array(0) }), 'ERR_STATE', /input 'x'/);
  assert.deepEqual([...z], [7, 7, 7, 7]);
});

test('a bound function refuses arrays that were detached or resized since', () => {
  const program = hypot();
  const buffer = new ArrayBuffer(32, { maxByteLength: 64 });
  const x = new Float64Array(buffer);
  const y = new Float64Array(4);
  const z = new Float64Array(4);
  const call = program.bind({ x, y }, { z });
  call();
  buffer.resize(64);
  refuses(call, 'ERR_STATE', /^bound function: the array of input 'x' was detached or resized after bind$/);
  buffer.resize(16);
  refuses(call, 'ERR_STATE', /input 'x'/);
  buffer.resize(32);
  call();
  structuredClone(z.buffer, { transfer: [z.buffer] });
  refuses(call, 'ERR_STATE', /output 'z'/);
});

test('run sees resized buffers at each call', () => {
  const program = hypot();
  const buffer = new ArrayBuffer(32, { maxByteLength: 64 });
  const x = new Float64Array(buffer);
  const z = new Float64Array(4);
  program.run({ x, y: new Float64Array(4) }, { z });
  buffer.resize(64);
  refuses(() => program.run({ x, y: new Float64Array(4) }, { z }), 'ERR_SHAPE', /8/);
  assert.equal(program.run({ x, y: new Float64Array(8) }).z.size, 8);
  buffer.resize(8);
  const fixed = new Float64Array(new ArrayBuffer(32, { maxByteLength: 32 }), 0, 4);
  program.run({ x: fixed, y: new Float64Array(4) }, { z });
  fixed.buffer.resize(0);
  refuses(() => program.run({ x: fixed, y: new Float64Array(4) }, { z }), 'ERR_STATE', /input 'x' is detached or was shortened/);
});

test('lengths that an array only claims to have are not believed', () => {
  const program = hypot();
  const claim = (length) => Object.defineProperty(new Float64Array(2), 'length', { value: length });
  const real = new Float64Array(1000);
  program.run({ x: real, y: real }, { z: new Float64Array(1000) });
  assert.throws(() => program.run({ x: claim(1000), y: claim(1000) }, { z: claim(1000) }), { name: 'GraphError' });
  assert.throws(() => program.run({ x: claim(1000), y: real }), { name: 'GraphError' });
  const foreign = { constructor: Float64Array, length: 1000 };
  assert.throws(() => program.run({ x: foreign, y: real }, { z: new Float64Array(1000) }), { name: 'GraphError' });
});

test('bind refuses what it would have to copy', () => {
  const program = hypot();
  const y = new Float64Array(2);
  refuses(() => program.bind({ x: [1, 2], y }), 'ERR_ARGUMENT', /^bind: expected a typed array, a contiguous Tensor or a number for input 'x'/);
  refuses(() => program.bind({ x: tensor([1, 2, 3, 4]).slice([null, null, 2]), y }), 'ERR_ARGUMENT', /^bind: expected .* got Tensor f64\[2\]/);
});

test('disposed programs say so, whatever is asked of them', () => {
  const program = hypot();
  const x = new Float64Array(2);
  const call = program.bind({ x, y: x });
  program.run({ x, y: x }, { z: new Float64Array(2) });
  program.dispose();
  for (const action of [
    () => program.run({ x, y: x }),
    () => program.run({ x, y: x }, { z: new Float64Array(2) }),
    () => program.run({ x: new Float64Array(3), y: new Float64Array(3) }),
    () => program.bind({ x, y: x }),
    call,
    () => program.llvm(),
    () => program.asm(),
    () => program.loops(),
    () => program.stats,
  ]) {
    refuses(action, 'ERR_STATE', /^program is disposed$/);
  }
  assert.equal(String(program), 'Program hypot(x: f64[n], y: f64[n]) -> (z: f64[n])');
});

test('results that no machine holds are refused', () => {
  const graph = new Graph();
  const x = graph.input('x', 'f64', ['n']);
  graph.output('y', x.expandDims(1).add(x.expandDims(0)));
  const program = graph.compile();
  refuses(() => program.run({ x: new Float64Array(2 ** 20) }), 'ERR_MEMORY', /elements of f64 need 8\.* ?.*GiB|need .* GiB/);
  const cube = new Graph();
  const v = cube.input('x', 'f64', ['n']);
  cube.output('y', v.reshape(['n', 1, 1]).add(v.reshape([1, 'n', 1])).add(v));
  refuses(() => cube.compile().run({ x: new Float64Array(2 ** 20) }), 'ERR_OVERFLOW', /2\^47 bytes/);
});

// ----------------------------------------------------------------------------------- the errors

test('every code that C can report is a code of GraphError', () => {
  const codes = Object.keys(native.statuses());
  assert.ok(codes.includes('ERR_SHAPE') && codes.length > 8);
  for (const code of codes) assert.match(code, /^ERR_[A-Z]+$/);
});

test('an error of C shows the line of the user first', () => {
  const graph = new Graph();
  const x = graph.input('x', 'i32', ['n']);
  const wrong = () => x.sqrt();
  try {
    wrong();
    assert.fail('sqrt of an integer');
  } catch (error) {
    assert.match(error.stack.split('\n')[1], /at wrong \(.*errors\.test\.js/);
  }
});

test('errors thrown by code of the user pass through untouched', () => {
  const program = hypot();
  const mine = new Error('mine');
  const inputs = {
    get x() {
      throw mine;
    },
    y: new Float64Array(1),
  };
  assert.throws(() => program.run(inputs), (error) => error === mine);
});

test('native functions refuse objects that are not theirs', () => {
  const graph = native.graphNew('g');
  const wrong = { name: 'GraphError', code: 'ERR_ARGUMENT', message: /an object made by this copy of the addon/ };
  for (const value of [{}, undefined, null, 3, 'x', new Graph(), Object.create(graph), new Proxy(graph, {})]) {
    assert.throws(() => native.graphPrint(/** @type {any} */ (value)), wrong);
  }
  assert.throws(() => native.programStats(graph), wrong);
  assert.throws(() => native.workCancel(/** @type {any} */ (graph)), wrong);
});

test('native functions refuse objects of another copy of the addon', () => {
  const file = Object.keys(require.cache).find((name) => name.endsWith('.node'));
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'graphjit-'));
  try {
    const copy = path.join(folder, 'copy.node');
    fs.copyFileSync(String(file), copy);
    const other = require(copy);
    const [graph, foreign] = [native.graphNew('g'), other.graphNew('g')];
    assert.equal(other.graphName(foreign), 'g');
    const wrong = { code: 'ERR_ARGUMENT', message: /an object made by this copy of the addon/ };
    assert.throws(() => native.graphName(foreign), wrong);
    assert.throws(() => other.graphName(graph), wrong);
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
});

test('native functions survive arguments of every kind', () => {
  const values = [undefined, null, true, -1, 1.5, NaN, 2 ** 40, 10n, 'x', Symbol('s'), {}, [], [[]], [{}], () => {}, new Float64Array(2), native.graphNew('g')];
  let state = 12345;
  const random = (/** @type {number} */ n) => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
    return (state >> 8) % n;
  };
  const skip = new Set(['version', 'setErrors', 'graphDimText', 'graphDimOp']);
  for (const [name, call] of Object.entries(native)) {
    if (skip.has(name)) continue;
    for (let i = 0; i < 200; i++) {
      const args = Array.from({ length: random(6) }, () => values[random(values.length)]);
      try {
        /** @type {any} */ (call)(...args);
      } catch (error) {
        assert.ok(error instanceof Error, `${name} threw ${String(error)}`);
      }
    }
  }
});
