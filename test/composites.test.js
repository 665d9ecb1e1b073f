// Composites by name on symbolic sizes, other dtypes and wrong arguments; their values are compared with NumPy and
// PyTorch in test/oracle.
'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { Graph, tensor } = require('graphjit');
const { throwsGraphError } = require('./support/errors.js');

/** @type {(inputs: Record<string, any>, build: (v: any) => any, shape?: any) => any} */
function run(inputs, build, shape) {
  const graph = new Graph('composite');
  const values = Object.fromEntries(
    Object.entries(inputs).map(([name, { dtype, shape: own }]) => [name, graph.input(name, dtype, shape ?? [...own])]),
  );
  graph.output('z', build(values));
  return graph.compile({ tier: 'auto' }).run(inputs).z.toArray();
}

test('composites take sizes that are known when a run begins', () => {
  const x = tensor([[1, 2, 4, 8], [3, 1, 0, 2]]);
  assert.deepEqual(run({ x }, (v) => v.x.diff(), ['m', 'n']), [[1, 2, 4], [-2, -1, 2]]);
  assert.deepEqual(run({ x }, (v) => v.x.concat(v.x.mul(0), { axis: 1 }).glu(), ['m', 'n']), [[0.5, 1, 2, 4], [1.5, 0.5, 0, 1]]);
  assert.deepEqual(run({ x }, (v) => v.x.average({ axis: 1, weights: [0, 0, 0, 1] }), ['m', 4]), [8, 2]);
  assert.deepEqual(run({ x }, (v) => v.x.mseLoss(v.x.add(2)), ['m', 'n']), 4);
  assert.deepEqual(run({ x }, (v) => v.x.crossEntropyLoss(v.x, { reduction: 'none' }), ['m', 'n']).length, 2);
});

test('searches take vectors that turn out to be empty', () => {
  const inputs = { x: tensor([1, NaN, -2]), none: tensor(new Float64Array(0)) };
  const search = (/** @type {any} */ build) => {
    const graph = new Graph('search');
    graph.output('z', build(graph.input('x', 'f64', ['n']), graph.input('none', 'f64', ['m'])));
    return graph.compile({ tier: 'auto' }).run(inputs).z.toArray();
  };
  assert.deepEqual(search((/** @type {any} */ x, /** @type {any} */ none) => none.searchsorted(x)), [0n, 0n, 0n]);
  assert.deepEqual(search((/** @type {any} */ x, /** @type {any} */ none) => x.bucketize(none)), [0n, 0n, 0n]);
  assert.deepEqual(search((/** @type {any} */ x, /** @type {any} */ none) => x.isin(none)), [false, false, false]);
});

test('composites promote operands as the primitives do', () => {
  const inputs = { a: tensor([7, -7], { dtype: 'i8' }), b: tensor([2, 2], { dtype: 'i32' }), f: tensor([0.5, 1], { dtype: 'f32' }) };
  assert.deepEqual(run(inputs, ({ a, b }) => a.floorDivide(b)), [3, -4]);
  assert.deepEqual(run(inputs, ({ a }) => a.remainder(3)), [1, 2]);
  assert.deepEqual(run(inputs, ({ f }) => f.logAddExp(f.convert('f64'))), [0.5 + Math.LN2, 1 + Math.LN2]);
  assert.deepEqual(run(inputs, ({ a }) => a.isClose(7)), [true, false]);
  assert.deepEqual(run(inputs, ({ b }) => b.floorDivide(0)), [-1, -1]);
  assert.deepEqual(run(inputs, ({ b }) => b.remainder(0)), [2, 2]);
});

test('composites say what is wrong with their arguments', () => {
  const graph = new Graph('wrong');
  const x = graph.input('x', 'f64', ['n', 5]);
  const i = graph.input('i', 'i32', ['n']);
  /** @type {[() => unknown, string, RegExp][]} */
  const wrong = [
    [() => x.floorDivide(i), 'ERR_DTYPE', /^floorDivide: f64 and i32 .* have no common dtype; convert one$/],
    [() => i.logAddExp(i), 'ERR_DTYPE', /^logAddExp: expected floats for the operands, got "i32"$/],
    [() => x.glu(), 'ERR_SHAPE', /^glu: axis 1 has size 5, which is not known to be even$/],
    [() => x.hardTanh({ low: 2, high: 1 }), 'ERR_ARGUMENT', /^hardTanh: expected a number of at least 'low', which is 2, for option 'high', got 1$/],
    [() => x.prelu([1, 2]), 'ERR_SHAPE', /^prelu: expected 1 or 5 weights for axis 1, got 2$/],
    [() => x.celu({ alpha: 0 }), 'ERR_ARGUMENT', /^celu: expected a positive number for option 'alpha', got 0$/],
    [() => x.leakyRelu(/** @type {any} */ ({ alpha: 1 })), 'ERR_ARGUMENT', /^leakyRelu: unknown option 'alpha', known options are 'slope'$/],
    [() => x.mseLoss(x, /** @type {any} */ ({ reduction: 'avg' })), 'ERR_ARGUMENT', /^mseLoss: expected one of 'mean', 'sum', 'none' for option 'reduction', got "avg"$/],
    [() => x.nllLoss(x), 'ERR_DTYPE', /^nllLoss: expected integers for the class numbers, got /],
    [() => x.crossEntropyLoss(graph.input('c', 'i32', ['m'])), 'ERR_SHAPE', /^crossEntropyLoss: expected class numbers of shape \[n\], got \[m\]$/],
    [() => x.crossEntropyLoss(i, { weight: [1, 2] }), 'ERR_SHAPE', /^crossEntropyLoss: expected 5 numbers for option 'weight', got shape \[2\]$/],
    [() => x.average({ weights: [1, 2, 3, 4, 5] }), 'ERR_ARGUMENT', /^average: weights of shape \[5\] need option 'axis', one axis$/],
    [() => x.cov({ correction: NaN }), 'ERR_ARGUMENT', /^cov: expected a finite number for option 'correction', got NaN$/],
    [() => x.polyval([]), 'ERR_ARGUMENT', /^polyval: expected an array of numbers or Values, /],
    [() => x.gradient({ spacing: [1, 2] }), 'ERR_SHAPE', /^gradient: axis 1 has 5 elements, but option 'spacing' has 2 places$/],
    [() => graph.constant([1]).gradient(), 'ERR_SHAPE', /^gradient: axis 0 has 1 elements, but option 'edgeOrder' 1 takes 2 at least$/],
    [() => x.gradient(/** @type {any} */ ({ edgeOrder: 3 })), 'ERR_ARGUMENT', /^gradient: expected an integer from 1 to 2 for option 'edgeOrder', got 3$/],
    [() => x.interp([0, 1], [1]), 'ERR_SHAPE', /^interp: there are 2 places, but 1 values$/],
    [() => x.interp([0, 1], [1, 2], { left: 1, period: 2 }), 'ERR_ARGUMENT', /^interp: options 'left' and 'right' do not go with 'period'$/],
    [() => x.gcd(2), 'ERR_DTYPE', /^gcd: expected integers for the operands, got /],
    [() => i.round({ decimals: -1 }), 'ERR_DTYPE', /^round: expected floats, to round to tens and hundreds for the operand/],
  ];
  for (const [call, code, message] of wrong) throwsGraphError(call, /** @type {any} */ (code), message);
});
