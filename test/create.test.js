// Making tensors: what is wrapped and what is copied, which dtype comes out, and what is refused.
'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const vm = require('node:vm');
const graphjit = require('graphjit');
const { throwsGraphError: refuses } = require('./support/errors.js');

const { arange, asTensor, dtypes, empty, eye, full, fullLike, linspace, ones, onesLike, tensor, zeros, zerosLike } = graphjit;
const array = (/** @type {any} */ t) => t.toArray();

// ---------------------------------------------------------------------------------------- tensor

test('numbers become f64, booleans bool, bigints i64', () => {
  const rows = [[[1, 2], 'f64'], [[true], 'bool'], [[1n], 'i64'], [3, 'f64'], [false, 'bool'], [3n, 'i64'], [[], 'f64']];
  for (const [value, dtype] of rows) {
    assert.equal(tensor(value).dtype, dtype);
    assert.deepEqual(array(tensor(value)), value);
  }
});

test('nested arrays give the shape', () => {
  const rows = [[5, []], [[], [0]], [[[], []], [2, 0]], [[[1, 2], [3, 4], [5, 6]], [3, 2]], [[[[[[[[[1]]]]]]]], [1, 1, 1, 1, 1, 1, 1, 1]]];
  for (const [value, shape] of rows) assert.deepEqual(tensor(value).shape, shape);
});

test('every typed array is wrapped as its own dtype', () => {
  for (const { name, arrayType } of Object.values(dtypes)) {
    if (['bool', 'f16', 'bf16'].includes(name)) continue; // which share the class of another one
    const data = new arrayType(3);
    const t = tensor(data);
    assert.equal(t.data, data);
    assert.equal(t.dtype, name);
    assert.deepEqual(t.shape, [3]);
    assert.equal(tensor(data, { dtype: name }).data, data);
  }
});

test('buffers and clamped arrays are bytes over the same memory', () => {
  const buffer = Buffer.from([1, 2, 3]);
  assert.equal(tensor(buffer).dtype, 'u8');
  assert.equal(tensor(buffer).data.buffer, buffer.buffer);
  const clamped = new Uint8ClampedArray([1, 2, 3]).subarray(1);
  const t = tensor(clamped);
  assert.equal(t.dtype, 'u8');
  t.data[0] = 9;
  assert.equal(clamped[0], 9);
});

test('bytes of 0 and 1 are wrapped as bool on request', () => {
  const data = new Uint8Array([0, 1]);
  assert.equal(tensor(data, { dtype: 'bool' }).data, data);
  refuses(() => tensor(new Uint8Array([1, 2]), { dtype: 'bool' }), 'ERR_DTYPE', /^tensor: bool holds .*element \[1\] is 2$/);
});

test('typed arrays of another realm are typed arrays', () => {
  const data = vm.runInNewContext('new Float32Array([1, 2])');
  assert.equal(tensor(data).dtype, 'f32');
  assert.equal(tensor(data).data, data);
});

test('a typed array of another dtype is converted into a copy', () => {
  const data = new Float32Array([1, 2]);
  const t = tensor(data, { dtype: 'f64' });
  assert.deepEqual([t.data.constructor, ...t.data], [Float64Array, 1, 2]);
  assert.deepEqual(array(tensor(new Int32Array([3]), { dtype: 'i64' })), [3n]);
  assert.deepEqual(array(tensor(new BigInt64Array([3n]), { dtype: 'f32' })), [3]);
  assert.deepEqual(array(tensor(tensor([[1, 2], [3, 4]]).T, { dtype: 'i8' })), [[1, 3], [2, 4]]);
  refuses(() => tensor(new Int16Array([0, -1]), { dtype: 'u8' }), 'ERR_DTYPE', /^tensor: u8 holds the integers 0 to 255, element \[1\] is -1$/);
  refuses(() => tensor(new BigUint64Array([2n ** 63n]), { dtype: 'i64' }), 'ERR_DTYPE', /element \[0\] is 9223372036854775808n$/);
});

test('a shape can be given, with one size left to find', () => {
  const data = new Float64Array(6);
  const t = tensor(data, { shape: [2, -1] });
  assert.deepEqual(t.shape, [2, 3]);
  assert.equal(t.data, data);
  assert.deepEqual(array(tensor([1, 2, 3, 4], { shape: [2, 2], dtype: 'i32' })), [[1, 2], [3, 4]]);
  refuses(() => tensor(data, { shape: [4] }), 'ERR_SHAPE', /^tensor: shape \[4\] does not hold 6 elements$/);
  refuses(() => tensor(data, { shape: [4, -1] }), 'ERR_SHAPE', /^tensor: no size for -1 makes \[4, -1\] hold 6 elements$/);
});

test('rows may be typed arrays and give their dtype', () => {
  const t = tensor([new Float32Array([1, 2]), new Float32Array([3, 4])]);
  assert.equal(t.dtype, 'f32');
  assert.deepEqual(array(t), [[1, 2], [3, 4]]);
  assert.equal(tensor([new Float32Array(2), new Float64Array(2)], { dtype: 'f64' }).dtype, 'f64');
  refuses(() => tensor([new Float32Array(2), new Float64Array(2)]), 'ERR_DTYPE', /^tensor: element \[1\] is f64, the first row is f32: pass a dtype/);
});

test('ragged arrays are refused with the place', () => {
  const rows = [
    [[[1, 2], [3]], /element \[1\] has length 1, element \[0\] has 2$/],
    [[[[1], [2]], [[3], [4, 5]]], /element \[1, 1\] has length 2, element \[0, 0\] has 1$/],
    [[1, [2]], /element \[1\] is an array, element \[0\] is not$/],
    [[[1], 2], /element \[1\] is 2, element \[0\] is an array$/],
    [[[], 5], /element \[1\] is 5, element \[0\] is an array$/],
    [[[], [1]], /element \[1\] has length 1, element \[0\] has 0$/],
    [[[1], null], /element \[1\] is null, element \[0\] is an array$/],
  ];
  for (const [value, message] of rows) {
    refuses(() => tensor(value), 'ERR_SHAPE', /^tensor: ragged array: /);
    refuses(() => tensor(value), 'ERR_SHAPE', message);
  }
});

test('elements that are no numbers are refused with the place', () => {
  const sparse = [1, 2, 3];
  delete sparse[1];
  refuses(() => tensor(['1']), 'ERR_DTYPE', /^tensor: expected a number for element \[0\], got "1"$/);
  refuses(() => tensor([[1, null]]), 'ERR_DTYPE', /^tensor: expected a number for element \[0, 1\], got null$/);
  refuses(() => tensor(sparse), 'ERR_DTYPE', /^tensor: expected a number for element \[1\], got undefined$/);
  refuses(() => tensor([{}], { dtype: 'f32' }), 'ERR_DTYPE', /got an empty object$/);
});

test('kinds are mixed only with a dtype', () => {
  refuses(() => tensor([1, true]), 'ERR_DTYPE', /^tensor: element \[1\] is true, but element \[0\] is a number: pass a dtype to mix them$/);
  refuses(() => tensor([1n, 2]), 'ERR_DTYPE', /element \[1\] is 2, but element \[0\] is a bigint/);
  assert.deepEqual(array(tensor([1, true, 3n], { dtype: 'i32' })), [1, 1, 3]);
  assert.deepEqual(array(tensor([0, true, 1n], { dtype: 'bool' })), [false, true, true]);
  assert.deepEqual(array(tensor([2, false], { dtype: 'i64' })), [2n, 0n]);
});

test('integers hold their whole range and nothing more', () => {
  for (const { name, kind, min, max, big } of Object.values(dtypes)) {
    if (kind === 'float' || kind === 'bool') continue;
    assert.deepEqual(array(tensor([BigInt(min), BigInt(max)], { dtype: name })), [min, max]);
    for (const bad of [BigInt(min) - 1n, BigInt(max) + 1n]) {
      const message = new RegExp(`^tensor: ${name} holds the integers ${min} to ${max}, element \\[0, 1\\] is ${bad}n?$`);
      refuses(() => tensor([[0n, bad]], { dtype: name }), 'ERR_DTYPE', message);
      if (!big) refuses(() => tensor([[0, Number(bad)]], { dtype: name }), 'ERR_DTYPE', message);
    }
  }
  refuses(() => tensor([2 ** 63], { dtype: 'i64' }), 'ERR_DTYPE', /element \[0\] is 9223372036854775808|9223372036854776000$/);
  assert.deepEqual(array(tensor([-(2 ** 63)], { dtype: 'i64' })), [-(2n ** 63n)]);
});

test('integers refuse what is no integer', () => {
  for (const bad of [1.5, NaN, Infinity]) {
    for (const dtype of ['i8', 'u32', 'i64', 'bool']) {
      refuses(() => tensor([bad], { dtype }), 'ERR_DTYPE', new RegExp(`element \\[0\\] is ${bad}$`));
    }
  }
  assert.ok(Object.is(array(tensor([-0], { dtype: 'i32' }))[0], 0));
});

test('floats round', () => {
  assert.deepEqual(array(tensor([0.1, 1e300, NaN], { dtype: 'f32' })), [Math.fround(0.1), Infinity, NaN]);
  assert.deepEqual(array(tensor([2n ** 64n], { dtype: 'f64' })), [2 ** 64]);
  assert.ok(Object.is(array(tensor([-0]))[0], -0));
});

test('a wrong dtype gets the name that was meant', () => {
  const rows = [['float32', 'f32'], ['Float64', 'f64'], ['int8', 'i8'], ['uint16', 'u16'], ['bool_', 'bool'], ['bfloat16', 'bf16'], ['f46', 'f64']];
  for (const [dtype, meant] of rows) {
    refuses(() => tensor([1], { dtype }), 'ERR_ARGUMENT', new RegExp(`^tensor: unknown dtype '${dtype}' \\(did you mean '${meant}'\\?\\), known dtypes are 'f64'`));
  }
  refuses(() => tensor([1], { dtype: 64 }), 'ERR_ARGUMENT', /^tensor: expected a dtype for option 'dtype', got 64$/);
  refuses(() => tensor([1], { dtype: 'toString' }), 'ERR_ARGUMENT', /unknown dtype 'toString'/);
});

test('values that are no arrays are refused', () => {
  for (const bad of ['12', null, undefined, {}, new ArrayBuffer(8), new DataView(new ArrayBuffer(8)), new Set([1]), () => 1]) {
    refuses(() => tensor(bad), 'ERR_ARGUMENT', /^tensor: expected an array, a typed array or a number for the value, got /);
  }
});

test('hostile nesting is refused', () => {
  const cycle = [];
  cycle.push(cycle);
  refuses(() => tensor(cycle), 'ERR_SHAPE', /^tensor: arrays are nested more than 8 deep$/);
  let deep = 1;
  for (let i = 0; i < 100000; i++) deep = [deep];
  refuses(() => tensor(deep), 'ERR_SHAPE', /nested more than 8 deep$/);
  refuses(() => tensor([[1], deep]), 'ERR_SHAPE', /element \[1, 0\] is an array/);
  const row = new Array(4000).fill(1);
  const shared = new Array(4000).fill(row);
  refuses(() => tensor(new Array(100000).fill(shared)), 'ERR_MEMORY', /^tensor: 1600000000000 elements of f64 need/);
});

test('arrays whose memory is gone are refused, not taken for empty ones', () => {
  for (const gone of [new Float64Array(4), new Uint8ClampedArray(4), new Float64Array(0)]) {
    structuredClone(gone.buffer, { transfer: [gone.buffer] });
    refuses(() => tensor(gone), 'ERR_STATE', /^tensor: the array is detached or was shortened$/);
    refuses(() => tensor([[1], gone]), 'ERR_SHAPE', /element \[1\] has length 0/);
    refuses(() => tensor([gone, gone]), 'ERR_STATE', /^tensor: element \[0\] is an array that is detached or was shortened$/);
  }
  const buffer = new ArrayBuffer(64, { maxByteLength: 64 });
  const end = new Float64Array(buffer, 32);
  const whole = new Float64Array(buffer);
  buffer.resize(16);
  refuses(() => tensor(end), 'ERR_STATE', /^tensor: the array is detached or was shortened$/);
  assert.deepEqual(tensor(whole).shape, [2]);
  buffer.resize(0);
  assert.deepEqual(tensor(whole).shape, [0]);
});

test('an element that does not convert is named by its indices', () => {
  const t = tensor([[1, 2], [3, 4.5]]);
  refuses(() => tensor(t, { dtype: 'i32' }), 'ERR_DTYPE', /^tensor: i32 holds .* element \[1, 1\] is 4\.5$/);
  refuses(() => tensor(t.T.slice(1), { dtype: 'i32' }), 'ERR_DTYPE', /element \[1\] is 4\.5$/);
});

test('any byte of a bool but 0 is true, and converts as true', () => {
  const bytes = new Uint8Array([0, 1, 0]);
  const t = tensor(bytes, { dtype: 'bool' });
  bytes[2] = 7;
  assert.deepEqual(array(t), [false, true, true]);
  assert.deepEqual(array(tensor(t, { dtype: 'i64' })), [0n, 1n, 1n]);
  assert.deepEqual(array(tensor(t, { dtype: 'f32' })), [0, 1, 1]);
});

test('rows of plain numbers follow the typed row before them', () => {
  assert.equal(tensor([new Float32Array(2), [3, 4]]).dtype, 'f32');
  refuses(() => tensor([new Float32Array(1), [1n]]), 'ERR_DTYPE', /^tensor: element \[1, 0\] is 1n, but element \[0, 0\] is a number/);
  refuses(() => tensor([[1, 2], new Float32Array(2)]), 'ERR_DTYPE', /^tensor: element \[1\] is f32, the first row is f64/);
});

test('an array that changes while it is read cannot write beyond its copy', () => {
  let reads = 0;
  const growing = new Proxy([1], { get: (list, key) => (key !== 'length' ? 7 : reads++ < 3 ? 2 : 50) });
  assert.deepEqual(array(tensor(growing)), [7, 7]);
  assert.ok(reads > 3);
  const hostile = new Proxy([1], { get: () => { throw new RangeError('mine'); } });
  assert.throws(() => tensor(hostile), { name: 'RangeError', message: 'mine' });
});

test('an unknown option is refused by every function', () => {
  const t = zeros([1]);
  const calls = {
    tensor: () => tensor(1, { typ: 1 }), asTensor: () => asTensor(1, { typ: 1 }), zeros: () => zeros(1, { typ: 1 }),
    ones: () => ones(1, { typ: 1 }), empty: () => empty(1, { typ: 1 }), full: () => full(1, 1, { typ: 1 }),
    zerosLike: () => zerosLike(t, { typ: 1 }), onesLike: () => onesLike(t, { typ: 1 }), fullLike: () => fullLike(t, 1, { typ: 1 }),
    eye: () => eye(1, { typ: 1 }), arange: () => arange(1, { typ: 1 }), linspace: () => linspace(0, 1, 2, { typ: 1 }),
  };
  for (const [name, call] of Object.entries(calls)) {
    refuses(call, 'ERR_ARGUMENT', new RegExp(`^${name}: unknown option 'typ'.*known options are 'dtype'`));
  }
});

test('asTensor returns a tensor as it is, strides and all', () => {
  const t = arange(6).reshape([2, 3]).T;
  assert.equal(asTensor(t), t);
  assert.equal(asTensor(t, { dtype: 'f64' }), t);
  assert.equal(asTensor(t, { dtype: 'f32' }).dtype, 'f32');
  assert.deepEqual(array(asTensor([1, 2])), [1, 2]);
});

// ------------------------------------------------------------------------------ shapes and values

test('zeros, ones, empty and full fill a shape', () => {
  assert.deepEqual(array(zeros([2, 2])), [[0, 0], [0, 0]]);
  assert.deepEqual(array(zeros(2)), [0, 0]);
  assert.deepEqual(array(ones([2], { dtype: 'bool' })), [true, true]);
  assert.deepEqual(array(ones([1], { dtype: 'u64' })), [1n]);
  assert.deepEqual(empty([3, 0], { dtype: 'i8' }).shape, [3, 0]);
  assert.equal(empty([3], { dtype: 'i8' }).data.length, 3);
  assert.deepEqual(array(full([], 4)), 4);
  assert.deepEqual([full(1, true).dtype, full(1, 2n).dtype, full(1, 2).dtype], ['bool', 'i64', 'f64']);
  assert.ok(Object.is(array(full([1], -0))[0], -0));
  refuses(() => full([1], 300, { dtype: 'u8' }), 'ERR_DTYPE', /^full: u8 holds the integers 0 to 255, the value is 300$/);
  refuses(() => full([1], 'x'), 'ERR_DTYPE', /^full: expected a number for the value, got "x"$/);
});

test('the like functions take shape and dtype from a tensor', () => {
  const t = zeros([2, 1], { dtype: 'i16' }).T;
  assert.deepEqual([zerosLike(t).shape, zerosLike(t).dtype], [[1, 2], 'i16']);
  assert.deepEqual(array(onesLike(t, { dtype: 'bool' })), [[true, true]]);
  assert.deepEqual(array(fullLike(t, 7)), [[7, 7]]);
  refuses(() => zerosLike([1]), 'ERR_ARGUMENT', /^zerosLike: expected a Tensor for the first argument, got \[1\]$/);
  refuses(() => fullLike(t, 0.5), 'ERR_DTYPE', /^fullLike: i16 holds .* the value is 0\.5$/);
});

test('shapes that are none are refused', () => {
  for (const bad of [[-1], [1.5], [NaN], [Infinity], ['2'], [2n], [2, null], 'x', null, undefined, {}, -1, [1, 1, 1, 1, 1, 1, 1, 1, 1], new Array(1e6)]) {
    refuses(() => zeros(bad), 'ERR_ARGUMENT', /^zeros: expected at most 8 sizes of at least 0 for the shape, got /);
  }
});

test('sizes beyond the machine are refused before anything is allocated', () => {
  refuses(() => zeros([2 ** 40, 2 ** 40]), 'ERR_OVERFLOW', /^zeros: shape \[1099511627776, 1099511627776\] has too many elements$/);
  refuses(() => zeros([0, 2 ** 40, 2 ** 40]), 'ERR_OVERFLOW', /too many elements$/);
  refuses(() => ones([2 ** 45]), 'ERR_MEMORY', /^ones: 35184372088832 elements of f64 need .* GiB, this machine has .* GiB$/);
  refuses(() => eye(2 ** 26), 'ERR_MEMORY', /^eye: /);
  refuses(() => arange(2 ** 50), 'ERR_MEMORY', /^arange: /);
  refuses(() => linspace(0, 1, 2 ** 50), 'ERR_MEMORY', /^linspace: /);
  refuses(() => zeros([2 ** 25, 0]).broadcastTo([2 ** 30, 2 ** 30]), 'ERR_OVERFLOW', /too many elements$/);
  refuses(() => zeros([1]).broadcastTo([2 ** 45]).copy(), 'ERR_MEMORY', /^copy: /);
});

test('eye has its ones on one diagonal', () => {
  assert.deepEqual(array(eye(2)), [[1, 0], [0, 1]]);
  assert.deepEqual(array(eye(2, 3, { k: 1, dtype: 'i32' })), [[0, 1, 0], [0, 0, 1]]);
  assert.deepEqual(array(eye(3, 2, { k: -1 })), [[0, 0], [1, 0], [0, 1]]);
  assert.deepEqual(array(eye(2, { dtype: 'bool' })), [[true, false], [false, true]]);
  for (const k of [5, -5, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER]) assert.deepEqual(array(eye(2, { k })), [[0, 0], [0, 0]]);
  assert.deepEqual(eye(0, 3).shape, [0, 3]);
  refuses(() => eye(-1), 'ERR_ARGUMENT', /^eye: expected an integer of at least 0 for rows, got -1$/);
  refuses(() => eye(2, '3'), 'ERR_ARGUMENT', /^eye: expected an integer of at least 0 for columns, got "3"$/);
});

// ---------------------------------------------------------------------------------------- ranges

test('arange counts from start to before stop', () => {
  const rows = [
    [[3], [0, 1, 2]], [[2, 5], [2, 3, 4]], [[0, 1, 0.25], [0, 0.25, 0.5, 0.75]], [[1, 0, -0.5], [1, 0.5]],
    [[5, 2], []], [[0], []], [[-1], []], [[0, 1, 1e308], [0]], [[0.5, 3], [0.5, 1.5, 2.5]],
  ];
  for (const [args, expected] of rows) assert.deepEqual(array(arange(...args)), expected);
  assert.deepEqual(array(arange(3, { dtype: 'u8' })), [0, 1, 2]);
  assert.equal(array(arange(0, 1, 0.1))[3], 3 * 0.1);
});

test('arange of bigints is exact', () => {
  const start = 2n ** 62n;
  assert.deepEqual(array(arange(start, start + 3n)), [start, start + 1n, start + 2n]);
  assert.deepEqual(array(arange(5n, 0n, -2n)), [5n, 3n, 1n]);
  assert.equal(arange(3n).dtype, 'i64');
  assert.deepEqual(array(arange(3, { dtype: 'i64' })), [0n, 1n, 2n]);
  assert.deepEqual(array(arange(2n ** 64n - 2n, 2n ** 64n, { dtype: 'u64' })), [2n ** 64n - 2n, 2n ** 64n - 1n]);
});

test('arange refuses what it cannot count', () => {
  refuses(() => arange(), 'ERR_ARGUMENT', /^arange: expected 1 to 3 numbers before the options, got 0$/);
  refuses(() => arange(1, 2, 3, 4), 'ERR_ARGUMENT', /got 4$/);
  refuses(() => arange(0, 1, 0), 'ERR_ARGUMENT', /^arange: expected a step other than 0, got 0$/);
  refuses(() => arange(0n, 1n, 0n), 'ERR_ARGUMENT', /step other than 0/);
  refuses(() => arange(NaN), 'ERR_ARGUMENT', /^arange: expected a finite number for stop, got NaN$/);
  refuses(() => arange(0, Infinity), 'ERR_ARGUMENT', /for stop, got Infinity$/);
  refuses(() => arange('3'), 'ERR_ARGUMENT', /for stop, got "3"$/);
  refuses(() => arange(1e300), 'ERR_OVERFLOW', /^arange: 1e\+300 elements are too many$/);
  refuses(() => arange(300, { dtype: 'u8' }), 'ERR_DTYPE', /^arange: u8 holds .* element \[256\] is 256$/);
  refuses(() => arange(0, 1, 0.5, { dtype: 'i32' }), 'ERR_DTYPE', /^arange: i32 holds .* element \[1\] is 0\.5$/);
});

test('linspace has both ends, or leaves the last one out', () => {
  assert.deepEqual(array(linspace(0, 1, 5)), [0, 0.25, 0.5, 0.75, 1]);
  assert.deepEqual(array(linspace(0, 1, 4, { endpoint: false })), [0, 0.25, 0.5, 0.75]);
  assert.deepEqual([0, 1, 2].map((count) => array(linspace(3, 7, count))), [[], [3], [3, 7]]);
  assert.equal(array(linspace(0, 0.1, 7)).at(-1), 0.1);
  assert.deepEqual(array(linspace(-1.7e308, 1.7e308, 3)), [-1.7e308, 0, 1.7e308]);
  assert.equal(linspace(0, 1, 3, { dtype: 'f32' }).dtype, 'f32');
  refuses(() => linspace(0, 1, 3, { dtype: 'i32' }), 'ERR_DTYPE', /^linspace: expected a float dtype for option 'dtype', got "i32"$/);
  refuses(() => linspace(0, 1), 'ERR_ARGUMENT', /^linspace: expected an integer of at least 0 for count, got undefined$/);
  refuses(() => linspace(0, Infinity, 2), 'ERR_ARGUMENT', /^linspace: expected a finite number for stop, got Infinity$/);
});

test('import gives the same names as require', async () => {
  const imported = await import('graphjit');
  for (const name of Object.keys(graphjit)) assert.equal(imported[name], graphjit[name], name);
});
