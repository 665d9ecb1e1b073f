// Sizes that a file calls by different names, or counts in different ways, and that its nodes need to be equal: one
// graph serves the runs in which they are.
'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { load, tensor } = require('graphjit');
const { onnxModel } = require('../support/onnx-writer.js');

/** @type {(...shape: number[]) => any} */
const ones = (...shape) => tensor(new Float32Array(shape.reduce((total, size) => total * size, 1)).fill(1)).reshape(shape);

/** @type {(given: any) => Promise<any>} */
const loaded = (given) => load(Buffer.from(onnxModel(given)), { cache: false, optLevel: 1 });

test('a mask is as long as past and present together', async () => {
  const model = await loaded({
    nodes: [
      ['Concat', ['past', 'x'], ['keys'], { axis: 1 }],
      ['Add', ['keys', 'mask'], ['scores']],
      ['ReduceSum', ['scores'], ['y'], { keepdims: 0 }],
    ],
    inputs: { past: ['f32', ['b', 'p']], x: ['f32', ['b', 's']], mask: ['f32', [null, 'total']] },
    outputs: { y: ['f32', []] },
  });
  assert.equal(model.specialization, null);
  assert.deepEqual(model.inputs[2].shape, ['mask_0', 'total']); // as the file says
  for (const [b, p, s] of [[2, 3, 1], [1, 0, 4], [3, 1, 1]]) {
    const inputs = { past: ones(b, p), x: ones(b, s), mask: ones(b, p + s) };
    assert.equal(model.run(inputs).y.toArray(), 2 * b * (p + s));
    assert.equal((await model.runAsync(inputs)).y.toArray(), 2 * b * (p + s));
  }
  const repeated = { past: ones(2, 3), x: ones(2, 1), mask: ones(1, 1) };
  assert.equal(model.run(repeated).y.toArray(), 16);
  assert.throws(() => model.run({ ...repeated, mask: ones(2, 3) }), { code: 'ERR_SHAPE' });
});

test('an open size that can only be one number', async () => {
  const model = await loaded({
    nodes: [['Add', ['x', 'w'], ['y']]],
    inputs: { x: ['f32', ['b', 'features']] },
    outputs: { y: ['f32', ['b', 'features']] },
    initializers: { w: [1, 2, 3] },
  });
  assert.equal(model.specialization, null);
  assert.deepEqual(model.run({ x: ones(1, 3) }).y.toArray(), [[2, 3, 4]]);
  assert.deepEqual(model.run({ x: ones(1, 1) }).y.toArray(), [[2, 3, 4]]);
  assert.throws(() => model.run({ x: ones(1, 2) }), { code: 'ERR_SHAPE' });
});

test('halves and twice a quarter are joined where they are equal', async () => {
  const pool = { kernel_shape: [2], strides: [2] };
  const model = await loaded({
    nodes: [
      ['MaxPool', ['x'], ['half'], pool],
      ['MaxPool', ['half'], ['quarter'], pool],
      ['Concat', ['quarter', 'quarter'], ['twice'], { axis: 2 }],
      ['Concat', ['half', 'twice'], ['joined'], { axis: 1 }],
      ['Add', ['twice', 'half'], ['sum']],
    ],
    inputs: { x: ['f32', [1, 1, 'n']] },
    outputs: { joined: ['f32', null], sum: ['f32', null] },
  });
  assert.equal(model.specialization, null);
  for (const n of [8, 4]) {
    const { joined, sum } = model.run({ x: ones(1, 1, n) });
    assert.deepEqual(joined.shape, [1, 2, n / 2]);
    assert.deepEqual(sum.shape, [1, 1, n / 2]);
    assert.equal(Number(sum.sum().toArray()), n);
  }
  assert.throws(() => model.run({ x: ones(1, 1, 6) }), { code: 'ERR_SHAPE' });
});

test('numbers of one run say nothing of sizes', async () => {
  const model = await loaded({
    nodes: [
      ['ConstantOfShape', ['shape'], ['zeros']],
      ['Add', ['x', 'zeros'], ['y']],
    ],
    inputs: { x: ['f32', ['n']], shape: ['i64', [1]] },
    outputs: { y: ['f32', ['n']] },
  });
  for (const n of [3, 2, 5])
    assert.deepEqual(model.run({ x: ones(n), shape: tensor([BigInt(n)], { dtype: 'i64' }) }).y.shape, [n]);
});

test('selections that may be empty are taken from', async () => {
  const model = await loaded({
    nodes: [
      ['Greater', ['scores', 'least'], ['good']],
      ['NonZero', ['good'], ['at']],
      ['Squeeze', ['at', 'first'], ['rows']],
      ['Gather', ['boxes', 'rows'], ['kept']],
      ['Gather', ['scores', 'rows'], ['values']],
      ['Shape', ['values'], ['count']],
      ['Min', ['count', 'most'], ['k']],
      ['TopK', ['values', 'k'], ['best', 'order']],
      ['Gather', ['kept', 'order'], ['y'], { axis: 0 }],
      ['Split', ['y', 'halves'], ['left', 'right'], { axis: 1 }],
    ],
    inputs: { scores: ['f32', ['n']], boxes: ['f32', ['n', 2]] },
    outputs: { y: ['f32', [null, 2]], right: ['f32', [null, 1]] },
    initializers: { least: 0.5, first: [0n], most: [2n], halves: [1n, 1n] },
  });
  const boxes = tensor([[0, 1], [2, 3], [4, 5], [6, 7]], { dtype: 'f32' });
  const run = (/** @type {number[]} */ ...scores) => model.run({ scores: Float32Array.from(scores), boxes });
  const some = run(0.6, 0.1, 0.9, 0.7);
  assert.deepEqual(some.y.toArray(), [[4, 5], [6, 7]]);
  assert.deepEqual(some.right.toArray(), [[5], [7]]);
  assert.deepEqual(run(0.1, 0.1, 0.9, 0.2).y.toArray(), [[4, 5]]);
  assert.deepEqual(run(0, 0, 0, 0).y.shape, [0, 2]);
});
