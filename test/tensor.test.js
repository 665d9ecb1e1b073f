// Tensors as views: what shares data, what copies, how slices count, what is refused.
'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { inspect } = require('node:util');
const { Tensor, arange, tensor, zeros } = require('graphjit');
const { readInput, readOutput } = require('../lib/graph/buffers.js');
const { throwsGraphError: refuses } = require('./support/errors.js');

const grid = (/** @type {number[]} */ ...shape) => arange(shape.reduce((a, b) => a * b, 1)).reshape(shape);
const array = (/** @type {any} */ t) => t.toArray();

/** An array with a hole in its second place. */
function sparse(/** @type {number[]} */ ...items) {
  delete items[1];
  return items;
}

/** A tensor over an array that has moved to another thread. */
function detached() {
  const t = arange(6).reshape([2, 3]);
  structuredClone(t.data, { transfer: [t.data.buffer] });
  return t;
}

/** Numbers from 0 to below the argument, the same in every run. */
function randomIntegers(/** @type {number} */ seed) {
  let state = seed;
  return (/** @type {number} */ below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** All indices of a shape, last axis fastest. */
const indicesOf = (/** @type {readonly number[]} */ shape) =>
  shape.reduce((lists, size) => lists.flatMap((list) => Array.from({ length: size }, (_, i) => [...list, i])), [[]]);

/** A random view of a view, and where its elements were before. */
function randomView(view, element, next) {
  const axis = next(view.rank);
  const size = view.shape[axis];
  switch (next(4)) {
    case 0: {
      const order = view.shape.map((_, i) => (i + axis) % view.rank);
      return [view.transpose(order), (...at) => element(...order.map((_, i) => at[order.indexOf(i)]))];
    }
    case 1: {
      const back = (at) => at.map((i, a) => (a === axis ? size - 1 - i : i));
      return [view.flip(axis), (...at) => element(...back(at))];
    }
    case 2: {
      const [from, by] = [next(size), 1 + next(3)];
      const ranges = view.shape.map((_, a) => (a === axis ? [from, null, by] : null));
      return [view.slice(...ranges), (...at) => element(...at.map((i, a) => (a === axis ? from + i * by : i)))];
    }
    default:
      return [view.expandDims(0).broadcastTo([2, ...view.shape]).slice(next(2)), element];
  }
}

test('a tensor says what it is', () => {
  const t = tensor([[1, 2, 3], [4, 5, 6]]);
  const { shape, strides, offset, size, rank, dtype, isContiguous } = t;
  assert.deepEqual({ shape, strides, offset, size, rank, dtype, isContiguous }, {
    shape: [2, 3], strides: [3, 1], offset: 0, size: 6, rank: 2, dtype: 'f64', isContiguous: true,
  });
});

test('a tensor cannot be changed, its data can', () => {
  const t = arange(3);
  assert.throws(() => Object.assign(t, { offset: 1e9 }), TypeError);
  assert.throws(() => Object.assign(t.shape, [9]), TypeError);
  t.data[1] = 7;
  assert.deepEqual(array(t), [0, 7, 2]);
});

test('tensors are not made by new', () => {
  refuses(() => new Tensor(), 'ERR_ARGUMENT', /^Tensor: use tensor\(\), zeros\(\) or another/);
  refuses(() => new Tensor(Symbol('x'), new Float64Array(1), 'f64', {}), 'ERR_ARGUMENT', /^Tensor: use/);
});

// ---------------------------------------------------------------------------------------- slices

test('slice takes indices, ranges, null and dots, as Python does', () => {
  const t = grid(3, 4);
  const rows = [
    [[1], [4, 5, 6, 7]],
    [[-1, -1], 11],
    [[null, 0], [0, 4, 8]],
    [[[1, 3]], [[4, 5, 6, 7], [8, 9, 10, 11]]],
    [[[1], [2]], [[6, 7], [10, 11]]],
    [[0, [null, null, 2]], [0, 2]],
    [[0, [null, null, -1]], [3, 2, 1, 0]],
    [[0, [-2, null]], [2, 3]],
    [[0, [null, -2]], [0, 1]],
    [[0, [10, -10, -2]], [3, 1]],
    [[0, [0, 100, 3]], [0, 3]],
    [['...', 1], [1, 5, 9]],
    [[2, '...'], [8, 9, 10, 11]],
    [[1, '...', 2], 6],
    [[[2, 1]], []],
    [[], [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]],
    [[[undefined, undefined, undefined], 3], [3, 7, 11]],
    [[-0, -0], 0],
  ];
  for (const [ranges, expected] of rows) assert.deepEqual(array(t.slice(...ranges)), expected, JSON.stringify(ranges));
});

test('steps and bounds may be as large as integers get', () => {
  const huge = Number.MAX_SAFE_INTEGER;
  const t = arange(5);
  assert.deepEqual(array(t.slice([1, huge, huge])), [1]);
  assert.deepEqual(array(t.slice([huge, -huge, -huge])), [4]);
  assert.deepEqual(array(t.slice([-huge, huge])), [0, 1, 2, 3, 4]);
  assert.deepEqual(array(t.slice([1, huge, huge]).slice([null, null, -1])), [1]);
});

test('slices agree with picking elements one by one', () => {
  for (let length = 0; length <= 5; length++) {
    const items = Array.from({ length }, (_, i) => i);
    for (let start = -7; start <= 7; start++) {
      for (let stop = -7; stop <= 7; stop++) {
        const from = start < 0 ? Math.max(start + length, 0) : Math.min(start, length);
        const to = stop < 0 ? Math.max(stop + length, 0) : Math.min(stop, length);
        for (const step of [1, 2, 3]) {
          const expected = items.slice(from, to).filter((_, i) => i % step === 0);
          assert.deepEqual(array(arange(length).slice([start, stop, step])), expected);
        }
      }
    }
  }
});

test('slice refuses what is no range of an axis', () => {
  const t = grid(3, 4);
  refuses(() => t.slice(3), 'ERR_SHAPE', /^slice: index 3 is out of range for axis 0 of size 3$/);
  refuses(() => t.slice(0, -5), 'ERR_SHAPE', /^slice: index -5 is out of range for axis 1 of size 4$/);
  refuses(() => t.slice(0, 0, 0), 'ERR_SHAPE', /^slice: 3 ranges for rank 2, shape \[3, 4\]$/);
  refuses(() => t.slice('...', '...'), 'ERR_ARGUMENT', /null or one '\.\.\.' for axis 1, got "\.\.\."$/);
  refuses(() => t.slice([0, 1, 0]), 'ERR_ARGUMENT', /^slice: expected a step other than 0 for axis 0, got \[0, 1, 0\]$/);
  refuses(() => t.slice([0, 1.5]), 'ERR_ARGUMENT', /^slice: expected an integer or null for the stop of axis 0, got 1\.5$/);
  refuses(() => t.slice([0, 1, 1, 1]), 'ERR_ARGUMENT', /^slice: expected \[start, stop, step\] for axis 0/);
  refuses(() => t.slice(1.5), 'ERR_ARGUMENT', /^slice: expected an integer for the index of axis 0, got 1\.5$/);
  refuses(() => t.slice(undefined), 'ERR_ARGUMENT', /^slice: expected an index, .* for axis 0, got undefined$/);
  refuses(() => t.slice(1n), 'ERR_ARGUMENT', /got 1n$/);
});

// ----------------------------------------------------------------------------------------- views

test('views share the data of their tensor', () => {
  const t = grid(2, 3);
  const all = [t.T, t.slice(0), t.reshape([3, 2]), t.expandDims(0), t.squeeze(), t.flip(), t.broadcastTo([4, 2, 3])];
  for (const view of all) assert.equal(view.data, t.data);
  t.T.set([2, 1], 50);
  assert.equal(t.at(1, 2), 50);
});

test('transpose permutes axes', () => {
  const t = grid(2, 3, 4);
  assert.deepEqual(t.T.shape, [4, 3, 2]);
  assert.deepEqual(t.transpose([1, -1, 0]).shape, [3, 4, 2]);
  assert.equal(t.transpose([1, 2, 0]).at(2, 3, 1), t.at(1, 2, 3));
  assert.deepEqual(tensor(5).T.shape, []);
  refuses(() => t.transpose([0, 1]), 'ERR_SHAPE', /^transpose: expected an array of all 3 axes for axes, got \[0, 1\]$/);
  refuses(() => t.transpose([0, 1, 1]), 'ERR_SHAPE', /^transpose: axis 1 is named twice in \[0, 1, 1\]$/);
  refuses(() => t.transpose([0, 1, -2]), 'ERR_SHAPE', /^transpose: axis 1 is named twice/);
  refuses(() => t.transpose([0, 1, 3]), 'ERR_SHAPE', /^transpose: axis 3 is out of range for rank 3$/);
  assert.deepEqual(t.permute([2, 0, 1]).strides, t.transpose([2, 0, 1]).strides);
  refuses(() => t.permute([0, 1]), 'ERR_SHAPE', /^permute: expected an array of all 3 axes for axes, got \[0, 1\]$/);
  refuses(() => t.permute(), 'ERR_ARGUMENT', /^permute: expected an integer for axis, got undefined$/);
  refuses(() => t.transpose(sparse(0, 2, 1)), 'ERR_ARGUMENT', /^transpose: expected an integer for axis, got undefined$/);
  refuses(() => t.transpose([0, 1, '2']), 'ERR_ARGUMENT', /^transpose: expected an integer for axis, got "2"$/);
});

test('permute is transpose with its axes named', () => {
  const t = grid(2, 3, 4);
  assert.deepEqual(array(t.permute([1, 2, 0])), array(t.transpose([1, 2, 0])));
  refuses(() => t.permute(), 'ERR_ARGUMENT', /^permute: expected an integer for axis, got undefined$/);
  refuses(() => t.permute(new Array(3)), 'ERR_ARGUMENT', /^permute: expected an integer for axis, got undefined$/);
});

test('reshape copies only where strides cannot express the result', () => {
  const t = grid(4, 6);
  const rows = [
    [t, [2, 12], true],
    [t.slice([null, null, 2]), [2, 6], true],
    [t.slice(null, [null, null, 2]), [12], true],
    [t.slice(null, [0, 3]), [12], false],
    [t.slice(null, [0, 3]), [2, 2, 3], true],
    [t.T, [24], false],
    [t.T, [3, 2, 4], true],
    [t.flip(), [24], true],
    [t.slice([1, 2]), [1, 6, 1], true],
    [tensor([1, 2]).broadcastTo([3, 2]), [6], false],
  ];
  for (const [source, shape, shares] of rows) {
    const result = source.reshape(shape);
    assert.deepEqual(result.shape, shape);
    assert.deepEqual(array(result).flat(Infinity), array(source).flat(Infinity));
    assert.equal(result.data === source.data, shares, `${source.shape} with ${source.strides} to ${shape}`);
  }
});

test('reshape finds one size by itself', () => {
  assert.deepEqual(grid(4, 6).reshape([3, -1]).shape, [3, 8]);
  assert.deepEqual(grid(4, 6).reshape([-1]).shape, [24]);
  assert.deepEqual(zeros([0, 3]).reshape([5, -1]).shape, [5, 0]);
  assert.deepEqual(tensor(1).reshape([-1]).shape, [1]);
  assert.deepEqual(tensor([1]).reshape([]).shape, []);
  assert.deepEqual(grid(2, 2).reshape(4).shape, [4]);
});

test('reshape refuses shapes of another size', () => {
  const t = grid(2, 3);
  refuses(() => t.reshape([4]), 'ERR_SHAPE', /^reshape: shape \[4\] does not hold 6 elements$/);
  refuses(() => t.reshape([4, -1]), 'ERR_SHAPE', /^reshape: no size for -1 makes \[4, -1\] hold 6 elements$/);
  refuses(() => zeros([0]).reshape([0, -1]), 'ERR_SHAPE', /no size for -1 makes \[0, -1\] hold 0 elements$/);
  refuses(() => t.reshape([-1, -1]), 'ERR_ARGUMENT', /^reshape: expected .*, one of them -1, for the shape, got \[-1, -1\]$/);
  refuses(() => t.reshape(sparse(-1, 2, 1)), 'ERR_ARGUMENT', /for the shape, got \[-1, undefined, 1\]$/);
  refuses(() => t.reshape([1, 1, 1, 1, 1, 1, 1, 1, -1]), 'ERR_ARGUMENT', /for the shape, got an array of 9$/);
  refuses(() => t.reshape('6'), 'ERR_ARGUMENT', /for the shape, got "6"$/);
  refuses(() => t.reshape([2 ** 53, 2 ** 53]), 'ERR_ARGUMENT', /sizes of at least 0/);
  refuses(() => t.reshape([2 ** 40, 2 ** 40]), 'ERR_OVERFLOW', /^reshape: shape .* has too many elements$/);
});

test('expandDims and squeeze are each other\'s inverse', () => {
  const t = grid(2, 3);
  for (const [axis, shape] of [[0, [1, 2, 3]], [1, [2, 1, 3]], [2, [2, 3, 1]], [-1, [2, 3, 1]], [-3, [1, 2, 3]]]) {
    assert.deepEqual(t.expandDims(axis).shape, shape);
    assert.deepEqual(t.expandDims(axis).squeeze(axis).shape, [2, 3]);
  }
  assert.deepEqual(grid(1, 2, 1, 1).squeeze().shape, [2]);
  assert.deepEqual(grid(1, 2, 1, 1).squeeze([0, -1]).shape, [2, 1]);
  refuses(() => t.squeeze(0), 'ERR_SHAPE', /^squeeze: axis 0 has size 2, not 1$/);
  refuses(() => t.expandDims(3), 'ERR_SHAPE', /^expandDims: axis 3 is out of range/);
  refuses(() => t.expandDims(), 'ERR_ARGUMENT', /^expandDims: expected an integer for axis, got undefined$/);
  refuses(() => zeros([1, 1, 1, 1, 1, 1, 1, 1]).expandDims(0), 'ERR_SHAPE', /^expandDims: a tensor has at most 8 axes$/);
});

test('flip turns all axes, or the given ones', () => {
  const t = grid(2, 2);
  assert.deepEqual(array(t.flip()), [[3, 2], [1, 0]]);
  assert.deepEqual(array(t.flip(0)), [[2, 3], [0, 1]]);
  assert.deepEqual(array(t.flip([-1])), [[1, 0], [3, 2]]);
  assert.deepEqual(array(t.flip(1).flip(1)), array(t));
});

test('views without elements can be copied and computed with', () => {
  for (const shape of [[2, 3, 0], [0, 4], [3, 0, 5]]) {
    const turned = zeros(shape).flip();
    assert.deepEqual([turned.copy().shape, turned.add(1).shape], [shape, shape]);
  }
  assert.deepEqual(zeros([3, 0]).slice(-1).flip().copy().shape, [0]);
});

test('broadcastTo repeats without a copy', () => {
  const t = tensor([[1], [2]]).broadcastTo([3, 2, 2]);
  assert.deepEqual(array(t), [[[1, 1], [2, 2]], [[1, 1], [2, 2]], [[1, 1], [2, 2]]]);
  assert.deepEqual(t.strides, [0, 1, 0]);
  assert.deepEqual(array(tensor(7).broadcastTo([2])), [7, 7]);
  assert.deepEqual(zeros([1, 3]).broadcastTo([0, 3]).shape, [0, 3]);
  refuses(() => arange(2).broadcastTo([3]), 'ERR_SHAPE', /^broadcastTo: shape \[2\] does not broadcast to \[3\]$/);
  refuses(() => grid(2, 2).broadcastTo([2]), 'ERR_SHAPE', /^broadcastTo: shape \[2, 2\] does not broadcast to \[2\]$/);
});

test('contiguous gives the tensor itself, a part of its array, or a copy', () => {
  const t = grid(4, 3);
  assert.equal(t.contiguous(), t);
  const part = t.slice([1, 3]).contiguous();
  assert.deepEqual([...part.data], [3, 4, 5, 6, 7, 8]);
  assert.equal(part.data.buffer, t.data.buffer);
  class Bent extends Float64Array {
    static get [Symbol.species]() {
      return Int8Array;
    }
  }
  assert.deepEqual(tensor(new Bent([1, 2, 3])).slice([1, 3]).contiguous().data, Float64Array.of(2, 3));
  const copy = t.T.contiguous();
  assert.deepEqual([...copy.data], [0, 3, 6, 9, 1, 4, 7, 10, 2, 5, 8, 11]);
  assert.notEqual(copy.data.buffer, t.data.buffer);
  assert.ok(copy.isContiguous && !t.T.isContiguous);
  assert.ok(zeros([0, 3]).T.isContiguous);
  assert.ok(grid(1, 3).T.isContiguous);
});

test('copy never shares', () => {
  for (const source of [grid(2, 3), grid(2, 3).T, arange(0), tensor(4n), tensor(true), tensor(Buffer.from([1, 2]))]) {
    const copy = source.copy();
    assert.notEqual(copy.data.buffer, source.data.buffer);
    assert.deepEqual(array(copy), array(source));
    assert.equal(copy.data.length, source.size);
  }
});

test('chains of views agree with moving the elements', () => {
  const next = randomIntegers(7);
  for (let round = 0; round < 300; round++) {
    const shape = Array.from({ length: 1 + next(4) }, () => 1 + next(4));
    let view = grid(...shape);
    /** Indices of the view to the element that should be there. */
    let element = (/** @type {number[]} */ ...at) => at.reduce((sum, i, axis) => sum * shape[axis] + i, 0);
    for (let step = 0; step < 4; step++) [view, element] = randomView(view, element, next);
    for (const at of indicesOf(view.shape)) assert.equal(view.at(...at), element(...at), `round ${round}`);
    assert.deepEqual(array(view).flat(Infinity), [...view.contiguous().data]);
    assert.deepEqual([...view.reshape([-1]).contiguous().data], [...view.copy().data]);
  }
});

// -------------------------------------------------------------------------------------- elements

test('at reads one element, as what it is in JavaScript', () => {
  assert.equal(grid(2, 3).at(1, -1), 5);
  assert.equal(tensor([true, false]).at(1), false);
  assert.equal(tensor([5n]).at(0), 5n);
  assert.equal(tensor(9).at(), 9);
  refuses(() => grid(2, 3).at(1), 'ERR_SHAPE', /^at: 1 indices for rank 2, shape \[2, 3\]$/);
  refuses(() => grid(2, 3).at(2, 0), 'ERR_SHAPE', /^at: index 2 is out of range for axis 0 of size 2$/);
  refuses(() => arange(2).at('0'), 'ERR_ARGUMENT', /^at: expected an integer for the index of axis 0, got "0"$/);
});

test('set writes one element, if the dtype can hold it', () => {
  const t = zeros([2, 2], { dtype: 'u8' });
  assert.equal(t.set([1, -1], 255), t);
  assert.deepEqual(array(t), [[0, 0], [0, 255]]);
  assert.deepEqual(array(tensor([false, false]).set([1], true)), [false, true]);
  assert.deepEqual(array(tensor([1n]).set([0], 2)), [2n]);
  refuses(() => t.set([0, 0], 256), 'ERR_DTYPE', /^set: u8 holds the integers 0 to 255, element \[0, 0\] is 256$/);
  refuses(() => t.set(0, 1), 'ERR_ARGUMENT', /^set: expected an array for the indices, got 0$/);
});

test('item needs exactly one element', () => {
  assert.equal(tensor([[3]]).item(), 3);
  assert.equal(arange(5).slice(4).item(), 4);
  refuses(() => arange(2).item(), 'ERR_SHAPE', /^item: expected one element, got shape \[2\]$/);
});

test('toArray nests as the shape says', () => {
  assert.deepEqual(array(zeros([2, 0])), [[], []]);
  assert.deepEqual(array(zeros([0, 2])), []);
  assert.deepEqual(array(tensor([[true], [false]])), [[true], [false]]);
  assert.deepEqual(array(tensor([1n, 2n])), [1n, 2n]);
  assert.equal(array(tensor(1)), 1);
});

test('toArray refuses what no JavaScript array holds', () => {
  const message = /^toArray: shape \[.*\] makes larger arrays than JavaScript can hold$/;
  refuses(() => array(zeros([1]).broadcastTo([2 ** 40])), 'ERR_MEMORY', message);
  refuses(() => array(zeros([1, 0]).broadcastTo([2 ** 35, 0])), 'ERR_MEMORY', message);
  assert.deepEqual(array(zeros([0, 2 ** 40])), []);
});

test('toArray refuses arrays that would exhaust the engine', () => {
  const t = zeros([1]).broadcastTo([2 ** 20, 2 ** 20]);
  refuses(() => array(t), 'ERR_MEMORY', /^toArray: shape \[1048576, 1048576\] makes larger arrays/);
  assert.match(String(t), /^\[\[0\. 0\. 0\. \.\.\. 0\. 0\. 0\.\]\n/);
});

test('iterating goes over the first axis', () => {
  assert.deepEqual([...arange(3)], [0, 1, 2]);
  const [first, second] = grid(2, 2);
  assert.deepEqual([array(first), array(second)], [[0, 1], [2, 3]]);
  assert.deepEqual([...zeros([0, 3])], []);
  refuses(() => [...tensor(1)], 'ERR_SHAPE', /^a tensor of rank 0 has no axis to iterate over$/);
});

test('a detached array is an error, not undefined', () => {
  for (const name of ['toString', 'toArray', 'copy', 'contiguous']) {
    refuses(() => detached()[name](), 'ERR_STATE', new RegExp(`^${name}: the array of Tensor f64\\[2, 3\\] is detached`));
  }
  refuses(() => detached().at(0, 0), 'ERR_STATE', /^at: the array/);
  refuses(() => detached().set([0, 0], 1), 'ERR_STATE', /^set: the array/);
  refuses(() => [...detached().slice(1)], 'ERR_STATE', /detached/);
  assert.match(require('node:util').inspect(detached()), /^Tensor f64\[2, 3\] \(its array is detached/);
  const none = detached().slice(1).slice([0, 0]);
  for (const name of ['toString', 'toArray', 'copy', 'contiguous']) refuses(() => none[name](), 'ERR_STATE', /detached/);
  const clamped = new Uint8ClampedArray(2);
  structuredClone(clamped.buffer, { transfer: [clamped.buffer] });
  refuses(() => readInput(clamped, 'u8', "input 'x'", 'run'), 'ERR_STATE', /^run: the array of input 'x' is detached or was shortened$/);
});

test('an array that lost its end is an error where the end is needed', () => {
  const buffer = new ArrayBuffer(48, { maxByteLength: 48 });
  const t = tensor(new Float64Array(buffer)).reshape([2, 3]);
  buffer.resize(24);
  assert.deepEqual(array(t.slice(0)), [0, 0, 0]);
  refuses(() => array(t), 'ERR_STATE', /^toArray: the array of Tensor f64\[2, 3\] is detached or was shortened$/);
});

test('a detached array cannot become a tensor', () => {
  const { data } = detached();
  refuses(() => tensor(data), 'ERR_STATE', /^tensor: the array is detached or was shortened$/);
  assert.deepEqual(tensor(new Float64Array(0)).shape, [0]);
});

// ----------------------------------------------------------------------------- inputs and outputs

test('inputs reach programs without a copy where they can', () => {
  const t = grid(2, 3);
  assert.equal(readInput(t, 'f64', 'x', 'run').data, t.data);
  assert.equal(readInput(t.data, 'f64', 'x', 'run').data, t.data);
  assert.equal(readInput(t.slice(1), 'f64', 'x', 'run').data.buffer, t.data.buffer);
  assert.deepEqual([...readInput(t.T, 'f64', 'x', 'run').data], [0, 3, 1, 4, 2, 5]);
  const bytes = new Uint8Array(3);
  assert.equal(readInput(bytes, 'bool', 'x', 'run').data, bytes);
  const clamped = readInput(new Uint8ClampedArray(bytes.buffer), 'u8', 'x', 'run').data;
  assert.ok(clamped instanceof Uint8Array && clamped.buffer === bytes.buffer);
  const { data, shape } = readInput(3, 'i64', 'x', 'run');
  assert.deepEqual([data, shape], [BigInt64Array.of(3n), []]);
});

test('inputs of another dtype or kind are refused by name', () => {
  refuses(
    () => readInput(new Float32Array(2), 'f64', "input 'x'", 'run'),
    'ERR_DTYPE',
    /^run: expected f64 for input 'x', got f32 \(Float32Array\(2\)\)$/,
  );
  refuses(() => readInput(tensor([1, 2]), 'f32', "input 'x'", 'run'), 'ERR_DTYPE', /got f64 \(Tensor f64\[2\]\)$/);
  refuses(() => readInput(new Uint8Array(1), 'i8', "input 'x'", 'run'), 'ERR_DTYPE', /expected i8 .* got u8/);
  refuses(() => readInput('x', 'f64', "input 'x'", 'run'), 'ERR_ARGUMENT', /expected a Tensor or a Float64Array for input 'x', got "x"$/);
  refuses(() => readInput(300, 'u8', "input 'x'", 'run'), 'ERR_DTYPE', /^run: u8 holds the integers 0 to 255, input 'x' is 300$/);
  refuses(() => readInput(detached(), 'f64', "input 'x'", 'run'), 'ERR_STATE', /detached/);
});

test('outputs are never copies', () => {
  const t = grid(2, 3);
  assert.equal(readOutput(t, 'f64', 'z', 'run'), t);
  assert.equal(readOutput(t.slice(1), 'f64', 'z', 'run').data.buffer, t.data.buffer);
  refuses(
    () => readOutput(t.T, 'f64', "output 'z'", 'run'),
    'ERR_ARGUMENT',
    /^run: expected a contiguous tensor for output 'z', got Tensor f64\[3, 2\] with strides \[1, 3\]$/,
  );
  refuses(() => readOutput(3, 'f64', "output 'z'", 'run'), 'ERR_ARGUMENT', /expected a Tensor or a Float64Array/);
});


// ------------------------------------------------------------------------------------------ ending

test('a tensor that was disposed of, and its views, have no elements', () => {
  const t = zeros([4, 300]);
  const view = t.slice(0);
  t.dispose();
  t.dispose();
  for (const gone of [t, view]) {
    for (const use of [() => gone.data, () => gone.toArray(), () => String(gone), () => gone.copy(), () => gone.contiguous()]) {
      refuses(use, 'ERR_STATE', /: the tensor is disposed$/);
    }
  }
  assert.match(inspect(t), /^Tensor f64\[4, 300\] \(disposed\)$/);
  refuses(() => t.set([0, 0], 1), 'ERR_STATE', /^set: the tensor is disposed$/);
});

test('disposing of a view leaves its tensor, and arrays that were handed out stay as they are', () => {
  const t = grid(2, 600);
  t.reshape([600, 2]).dispose();
  assert.equal(t.at(1, 599), 1199);
  const { data } = t;
  t.dispose();
  const next = zeros([2, 600]).copy();
  next.set([0, 0], 7);
  assert.ok(data.every((value, i) => value === i) && next.data !== data);
});

test('properties of a tensor cannot be set', () => {
  const t = tensor([1, 2]);
  for (const name of ['data', 'dtype', 'shape', 'strides', 'offset', 'size', 'rank']) {
    assert.throws(() => Object.assign(t, { [name]: 1 }), TypeError);
  }
  assert.equal(t.data, t.data);
});
