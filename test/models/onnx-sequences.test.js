// Sequences and optionals of ONNX: as results, as inputs, with positions that a run says; steps of optimizers.
'use strict';

const assert = require('node:assert/strict');
const { describe, it } = require('node:test');
const { load, tensor } = require('graphjit');
const { assertGives } = require('../support/onnx-load.js');
const { onnxModel } = require('../support/onnx-writer.js');

const f32 = (/** @type {any} */ list) => tensor(list, { dtype: 'f32' });
const i64 = (/** @type {any} */ ...list) => tensor(list.map(BigInt), { dtype: 'i64' });
const position = ['i64', []];
/** @type {(dtype: string, shape?: readonly (number | string)[]) => any} */
const sequence = (dtype, shape) => ({ sequence: [dtype, shape] });
const optional = (/** @type {any} */ of) => ({ optional: of });
const [A, B, C] = [f32([1, 2]), f32([3, 4, 5]), f32([6])];
const list = { s: sequence('f32', ['n']) };
/** @type {(nodes: any[], inputs: any, outputs: string[], initializers?: any) => any} */
const model = (nodes, inputs, outputs, initializers) => ({ nodes, inputs, outputs, initializers, opsets: 18 });

describe('a sequence', () => {
  it('is made, and tells its length', async () => {
    const nodes = [
      ['SequenceConstruct', ['x', 'z'], ['s']], ['SequenceLength', ['s'], ['n']], ['SequenceEmpty', [], ['e']],
      ['SequenceLength', ['e'], ['none']], ['Identity', ['s'], ['y']],
    ];
    const types = { x: ['f32', ['n']], z: ['f32', ['m']] };
    await assertGives(model(nodes, types, ['y', 'n', 'none']), { x: A, z: B }, { y: [[1, 2], [3, 4, 5]], n: 2, none: 0 });
  });

  it('gives the item at a position of data', async () => {
    const given = model([['SequenceAt', ['s', 'i'], ['y']]], { ...list, i: position }, ['y']);
    await assertGives(given, { s: [A, B, C], i: tensor(-1n) }, { y: [6] });
    await assertGives(given, { s: [A, B, C], i: tensor(1n) }, { y: [3, 4, 5] });
  });

  it('takes and loses items', async () => {
    const nodes = [
      ['SequenceInsert', ['s', 'x'], ['a']], ['SequenceInsert', ['s', 'x', 'i'], ['b']], ['SequenceErase', ['a', 'zero'], ['c']], ['SequenceErase', ['a'], ['d']],
    ];
    const given = model(nodes, { ...list, x: ['f32', ['k']], i: position }, ['a', 'b', 'c', 'd'], { zero: tensor(0n) });
    await assertGives(given, { s: [A, B], x: C, i: tensor(-1n) }, {
      a: [[1, 2], [3, 4, 5], [6]], b: [[1, 2], [6], [3, 4, 5]], c: [[3, 4, 5], [6]], d: [[1, 2], [3, 4, 5]],
    });
  });

  it('is joined, along an axis or a new one', async () => {
    const nodes = [['ConcatFromSequence', ['s'], ['y'], { axis: 0 }], ['SequenceConstruct', ['x', 'x'], ['t']], ['ConcatFromSequence', ['t'], ['w'], { axis: -1, new_axis: 1 }]];
    await assertGives(model(nodes, { ...list, x: ['f32', ['k']] }, ['y', 'w']), { s: [A, B, C], x: A }, { y: [1, 2, 3, 4, 5, 6], w: [[1, 1], [2, 2]] });
  });

  it('is what a tensor is split into', async () => {
    const nodes = [
      ['SplitToSequence', ['x'], ['y'], { axis: 1, keepdims: 0 }], ['SplitToSequence', ['x', 'two'], ['w'], { axis: -1 }], ['SplitToSequence', ['x', 'parts'], ['v'], { axis: 1 }],
    ];
    const given = model(nodes, { x: ['f32', ['n', 3]], parts: ['i64', [2]] }, ['y', 'w', 'v'], { two: tensor(2n) });
    await assertGives(given, { x: f32([[1, 2, 3], [4, 5, 6]]), parts: i64(1, 2) }, {
      y: [[1, 4], [2, 5], [3, 6]], w: [[[1, 2], [4, 5]], [[3], [6]]], v: [[[1], [4]], [[2, 3], [5, 6]]],
    });
    await assertGives(model([['SplitToSequence', ['x'], ['y'], { axis: 0 }]], { x: ['f32', ['n']] }, ['y']), { x: B }, { y: [[3], [4], [5]] });
    await assertGives(model([['SplitToSequence', ['x'], ['y'], { keepdims: 0 }]], { x: ['string', [2]] }, ['y']), { x: ['a', 'b'] }, { y: ['a', 'b'] });
  });

  it('is what a graph maps another one to', async () => {
    const body = { nodes: [['Add', ['a', 'b'], ['c']], ['Shape', ['a'], ['d']]], inputs: { a: ['f32', ['n']], b: ['f32', [1]] }, outputs: ['c', 'd'] };
    const given = model([['SequenceMap', ['s', 'x'], ['y', 'z'], { body }]], { ...list, x: ['f32', [1]] }, ['y', 'z']);
    await assertGives(given, { s: [A, B], x: C }, { y: [[7, 8], [9, 10, 11]], z: [[2], [3]] });
  });

  it('of strings is one like any other', async () => {
    const given = model([['SequenceAt', ['s', 'i'], ['y']], ['ConcatFromSequence', ['s'], ['w'], { axis: 0 }]], { s: sequence('string', ['n']), i: position }, ['y', 'w']);
    await assertGives(given, { s: [['a'], ['b', 'c']], i: tensor(1n) }, { y: ['b', 'c'], w: ['a', 'b', 'c'] });
  });

  /** @type {[string, any[], any, string, RegExp][]} */
  const refused = [
    ['positions outside', [['SequenceAt', ['s', 'i'], ['y']]], { s: [A], i: tensor(1n) }, 'ERR_ARGUMENT', /position 1 is none of a sequence of 1/],
    ['insertion outside', [['SequenceInsert', ['s', 'i', 'i'], ['y']]], { s: [A], i: tensor(-2n) }, 'ERR_ARGUMENT', /position -2 is none/],
    ['joining nothing', [['ConcatFromSequence', ['s'], ['y'], { axis: 0 }]], { s: [], i: tensor(0n) }, 'ERR_SHAPE', /empty sequence/],
    ['tensors in its place', [['SequenceAt', ['i', 'i'], ['y']]], { s: [], i: tensor(0n) }, 'ERR_DTYPE', /expected a sequence/],
    ['parts that do not fit', [['SplitToSequence', ['three', 'i'], ['y']]], { s: [], i: tensor(0n) }, 'ERR_SHAPE', /parts of sizes \[0\]/],
  ];
  for (const [name, nodes, inputs, code, message] of refused) {
    it(`refuses ${name}`, async () => {
      const own = await load(Buffer.from(onnxModel(model(nodes, { ...list, i: position }, ['y'], { three: f32([1, 2, 3]) }))));
      assert.throws(() => own.run(inputs), { code, message });
      own.dispose();
    });
  }
});

describe('an optional', () => {
  const types = { o: optional(['f32', ['n']]) };

  it('holds something or not', async () => {
    const given = model([['OptionalHasElement', ['o'], ['has']], ['Identity', ['o'], ['y']]], types, ['has', 'y']);
    await assertGives(given, { o: null }, { has: false, y: null });
    await assertGives(given, {}, { has: false, y: null });
    await assertGives(given, { o: A }, { has: true, y: [1, 2] });
  });

  it('gives what it holds', async () => {
    const nodes = [['Optional', ['s'], ['o']], ['OptionalGetElement', ['o'], ['t']], ['SequenceAt', ['t', 'one'], ['y']], ['OptionalHasElement', [], ['has']], ['OptionalGetElement', ['y'], ['w']]];
    await assertGives(model(nodes, list, ['y', 'has', 'w'], { one: tensor(1n) }), { s: [A, B] }, { y: [3, 4, 5], has: false, w: [3, 4, 5] });
    const own = await load(Buffer.from(onnxModel(model([['OptionalGetElement', ['o'], ['y']]], types, ['y']))));
    assert.throws(() => own.run({ o: null }), { code: 'ERR_ARGUMENT', message: /holds nothing/ });
    own.dispose();
  });
});

describe('ReverseSequence', () => {
  it('turns the first elements of each row around', async () => {
    const x = f32([[0, 1, 2, 3], [4, 5, 6, 7]]);
    const given = (/** @type {any} */ attributes) => model([['ReverseSequence', ['x', 'l'], ['y'], attributes]], { x: ['f32', ['n', 't']], l: ['i64', ['k']] }, ['y']);
    await assertGives(given({ time_axis: 1, batch_axis: 0 }), { x, l: i64(1, 3) }, { y: [[0, 1, 2, 3], [6, 5, 4, 7]] });
    await assertGives(given({}), { x, l: i64(0, 1, 2, 2) }, { y: [[0, 1, 6, 7], [4, 5, 2, 3]] });
  });
});

describe('optimizers', () => {
  /** @type {(op: string, inputs: string[], outputs: string[], attributes: any) => any} */
  const step = (op, inputs, outputs, attributes) => ({
    nodes: [[`ai.onnx.preview.training::${op}`, ['r', 't', ...inputs], outputs, attributes]],
    inputs: { r: ['f32', []], t: ['i64', []], ...Object.fromEntries(inputs.map((name) => [name, ['f32', ['n']]])) }, outputs,
    opsets: { '': 17, 'ai.onnx.preview.training': 1 },
  });
  const [x, g, h, v] = [f32([1, -2]), f32([0.5, 1]), f32([2, 0.25]), f32([0.1, -0.3])];
  const [rate, time] = [tensor(0.1, { dtype: 'f32' }), tensor(3n)];

  it('Adam, whose moments are corrected from the first step on', async () => {
    const [a, b, epsilon] = [0.9, 0.99, 1e-3];
    const want = [0, 1].map((i) => {
      const [m, s] = [a * [0.1, -0.3][i] + (1 - a) * [0.5, 1][i], b * [2, 0.25][i] + (1 - b) * [0.25, 1][i]];
      return [1 - 3 * i - ((0.1 * Math.sqrt(1 - b ** 3)) / (1 - a ** 3)) * (m / (Math.sqrt(s) + epsilon)), m, s];
    });
    await assertGives(step('Adam', ['x', 'g', 'v', 'h'], ['y', 'm', 's'], { alpha: { f: a }, beta: { f: b }, epsilon: { f: epsilon } }), { r: rate, t: time, x, g, v, h }, {
      y: want.map(([each]) => each), m: want.map(([, each]) => each), s: want.map(([, , each]) => each),
    });
  });

  it('Adagrad and Momentum', async () => {
    await assertGives(step('Adagrad', ['x', 'g', 'h'], ['y', 's'], { epsilon: { f: 0 }, decay_factor: { f: 0.5 }, norm_coefficient: { f: 0.1 } }), { r: rate, t: time, x, g, h }, {
      y: [1 - (0.04 * 0.6) / Math.sqrt(2.36), -2 - (0.04 * 0.8) / Math.sqrt(0.89)], s: [2.36, 0.89],
    });
    const attributes = { alpha: { f: 0.5 }, beta: { f: 0.25 }, norm_coefficient: { f: 0 } };
    await assertGives(step('Momentum', ['x', 'g', 'v'], ['y', 'm'], { ...attributes, mode: 'standard' }), { r: rate, t: time, x, g, v }, { y: [0.9825, -2.01], m: [0.175, 0.1] });
    await assertGives(step('Momentum', ['x', 'g', 'v'], ['y', 'm'], { ...attributes, mode: 'nesterov' }), { r: rate, t: tensor(0n), x, g, v }, { y: [0.9225, -2.1425], m: [0.55, 0.85] });
  });
});
