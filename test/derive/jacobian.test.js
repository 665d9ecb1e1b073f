// jacobian, hessian and hvp: against central differences, against one another in both modes, with trees, closures,
// scalars, symbolic sizes, in graphs and compiled.
'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { Graph, eye, jit, tensor } = require('graphjit');
const { hessian, hvp, jacobian } = require('../../lib/transform/jacobian.js');
const { grad } = require('../../lib/transform/index.js');
const { vmap } = require('../../lib/transform/vmap.js');
const { throwsGraphError } = require('../support/errors.js');
const { randomOf } = require('../support/values.js');

const product = (/** @type {readonly number[]} */ shape) => shape.reduce((a, b) => a * b, 1);

/** @type {(shape: number[], seed: number) => any} */
function randomTensor(shape, seed) {
  const random = randomOf(seed);
  return tensor(Float64Array.from({ length: product(shape) }, () => random() * 2 - 1), { shape });
}

/** @type {(got: any, want: any, tolerance: number) => void} */
function assertNear(got, want, tolerance) {
  assert.deepEqual(got.shape, want.shape);
  const data = want.copy().data;
  got.copy().data.forEach((/** @type {number} */ each, /** @type {number} */ i) => {
    const error = Math.abs(each - data[i]) / (1 + Math.abs(data[i]));
    assert.ok(error <= tolerance, `[${i}] is ${each}, expected ${data[i]}`);
  });
}

/** By central differences. @type {(fn: (x: any) => any, x: any) => any} */
function differences(fn, x) {
  const f = jit(fn);
  const [h, size, shape] = [1e-6, product(x.shape), f(x).shape];
  const result = new Float64Array(product(shape) * size);
  for (let i = 0; i < size; i++) {
    const [above, below] = [h, -h].map((change) => {
      const data = Float64Array.from(x.data);
      data[i] += change;
      return f(tensor(data, { shape: x.shape })).data;
    });
    above.forEach((/** @type {number} */ each, /** @type {number} */ k) => (result[k * size + i] = (each - below[k]) / (2 * h)));
  }
  return tensor(result, { shape: [...shape, ...x.shape] });
}

const other = randomTensor([3, 2], 9);
/** @type {[string, (x: any) => any, number[]][]} */
const functions = [
  ['elementwise', (x) => x.tanh().mul(x), [5]],
  ['a scalar of a scalar', (x) => x.mul(x).exp(), []],
  ['a scalar of a matrix', (x) => x.mul(x).sum().sqrt(), [2, 3]],
  ['a matrix of a scalar', (x) => x.mul(other).sin(), []],
  ['products', (x) => x.matmul(other).tanh(), [4, 3]],
  ['sums', (x) => x.exp().sum({ axis: 0 }), [2, 3]],
  ['movement', (x) => x.T.reshape([3, 2]).slice([0, 2]).mul(x.T.reshape([6]).slice([0, 2])), [2, 3]],
  ['what only some elements reach', (x) => x.slice([1, 3]).exp(), [4]],
  ['nothing', (x) => x.mul(0).add(other.sum()), [3]],
  ['no element', (x) => x.exp(), [0]],
];

test('Jacobians are what differences say, in both modes', () => {
  for (const [name, fn, shape] of functions) {
    const x = randomTensor(shape, 3);
    const want = differences(fn, x);
    for (const options of [{}, { mode: 'forward' }, { mode: 'reverse' }]) {
      const got = jacobian(fn, /** @type {any} */ (options))(x);
      assert.deepEqual(got.shape, want.shape, name);
      assertNear(got, want, 1e-8);
    }
  }
});

test('Jacobians of f32 are f32', () => {
  const x = tensor(Float32Array.of(1, 2, 3));
  const got = jacobian((/** @type {any} */ v) => v.mul(v))(x);
  assert.deepEqual([got.dtype, got.toArray()], ['f32', [[2, 0, 0], [0, 4, 0], [0, 0, 6]]]);
});

test('trees of results have trees of arguments', () => {
  const fn = (/** @type {any} */ { w, b }, /** @type {any} */ x) => ({ y: w.matmul(x).add(b), z: [b.sum().mul(x)] });
  const [params, x] = [{ w: randomTensor([2, 3], 1), b: randomTensor([2], 2) }, randomTensor([3], 3)];
  for (const mode of ['forward', 'reverse']) {
    const got = jacobian(fn, { mode })(params, x);
    assert.deepEqual([got.y.w.shape, got.y.b.shape, got.z[0].w.shape, got.z[0].b.shape], [[2, 2, 3], [2, 2], [3, 2, 3], [3, 2]]);
    assert.deepEqual(got.y.b.toArray(), [[1, 0], [0, 1]]);
    assert.deepEqual(got.y.w.slice(0, 0).toArray(), x.toArray());
    assert.deepEqual(got.z[0].b.T.slice(0).toArray(), x.toArray());
    assert.equal(got.z[0].w.sum().item(), 0);
  }
  const both = jacobian(fn, { wrt: [0, 1] })(params, x);
  assert.deepEqual(both.y[1].toArray(), params.w.toArray());
  assertNear(both.z[0][1], eye(3).mul(params.b.sum()), 0);
  const byName = jacobian((/** @type {any} */ a, /** @type {any} */ c) => a.mul(c), { wrt: 'c' })(x, x);
  assertNear(byName, eye(3).mul(x), 0);
});

test('Hessians are what differences of gradients say', () => {
  /** @type {[(x: any) => any, number[]][]} */
  const scalars = [
    [(x) => x.mul(x).mul(x).sum(), [4]],
    [(x) => x.matmul(x.T).tanh().sum(), [2, 2]],
    [(x) => x.exp().sum().log(), [5]],
    [(x) => x.mul(x).sin(), []],
    [(x) => x.sum(), [3]],
  ];
  for (const [fn, shape] of scalars) {
    const x = randomTensor(shape, 5);
    const got = hessian(fn)(x);
    assert.deepEqual(got.shape, [...shape, ...shape]);
    assertNear(got, differences(grad(fn), x), 1e-7);
    const v = randomTensor(shape, 6);
    const size = product(shape);
    const want = got.reshape([size, size]).matmul(v.reshape([size])).reshape(shape);
    assertNear(hvp(fn, [x], [v])[0], want, 1e-12);
  }
});

test('Hessians of several arguments are blocks', () => {
  const fn = (/** @type {any} */ a, /** @type {any} */ { b }) => a.matmul(b).tanh().sum();
  const [a, b] = [randomTensor([2, 3], 1), randomTensor([3], 2)];
  const [[aa, { b: ab }], { b: [ba, { b: bb }] }] = hessian(fn, { wrt: [0, 1] })(a, { b });
  assert.deepEqual([aa, ab, ba, bb].map(({ shape }) => shape), [[2, 3, 2, 3], [2, 3, 3], [3, 2, 3], [3, 3]]);
  assertNear(ba, ab.transpose([2, 0, 1]), 1e-12);
  const [ta, tb] = [randomTensor([2, 3], 3), randomTensor([3], 4)];
  const [ha, hb] = hvp(fn, [a, { b }], [ta, { b: tb }]);
  const flat = (/** @type {any} */ m, /** @type {number} */ rows) => m.reshape([rows, -1]);
  assertNear(flat(ha, 6).reshape([6]), flat(aa, 6).matmul(ta.reshape([6])).add(flat(ab, 6).matmul(tb)), 1e-12);
  assertNear(hb.b, flat(ba, 3).matmul(ta.reshape([6])).add(bb.matmul(tb)), 1e-12);
});

test('sizes may be known when it runs', () => {
  const graph = new Graph('symbolic');
  const x = graph.input('x', 'f64', ['n']);
  const scalar = (/** @type {any} */ v) => v.mul(v).sum().exp();
  for (const mode of ['forward', 'reverse']) graph.output(mode, jacobian((/** @type {any} */ v) => v.tanh().mul(v.sum()), { mode })(x));
  graph.output('hessian', hessian(scalar)(x));
  graph.output('hvp', hvp(scalar, [x], [x])[0]);
  const program = graph.compile();
  for (const n of [0, 1, 2, 5]) {
    const inputs = { x: randomTensor([n], n + 1).mul(0.5) };
    const [got, want] = [program.run(inputs), graph.eval(inputs)];
    for (const name of Object.keys(want)) assertNear(got[name], want[name], 1e-12);
    assertNear(got.forward, got.reverse, 1e-12);
    assertNear(got.hessian, hessian(scalar)(inputs.x), 1e-12);
  }
});

test('they compose with jit, vmap and grad, and see what is around', () => {
  const xs = randomTensor([4, 3], 7);
  const fn = (/** @type {any} */ x) => x.mul(other.T.slice(0)).exp();
  const all = vmap(jacobian(fn))(xs);
  assert.deepEqual(all.shape, [4, 3, 3]);
  for (let i = 0; i < 4; i++) assertNear(all.slice(i), jacobian(fn)(xs.slice(i)), 1e-12);
  const scaled = jit((/** @type {any} */ scale, /** @type {any} */ x) => jacobian((/** @type {any} */ v) => v.mul(v).mul(scale))(x));
  assert.deepEqual(scaled(tensor(3), tensor([1, 2])).toArray(), [[6, 0], [0, 12]]);
  const trace = (/** @type {any} */ x) => jacobian((/** @type {any} */ v) => v.mul(v).mul(v))(x).sum();
  assert.deepEqual(grad(trace)(tensor([1, 2])).toArray(), [6, 12]);
  assertNear(jacobian(jacobian((/** @type {any} */ v) => v.mul(v).sum()))(tensor([1, 2])), tensor([[2, 0], [0, 2]]), 1e-12);
});

test('errors say what is wrong', () => {
  const x = tensor([1, 2]);
  throwsGraphError(() => jacobian((/** @type {any} */ v) => v)(tensor(Int32Array.of(1))), 'ERR_DTYPE', /^jacobian: argument 0 is of dtype i32, but derivatives are of floats only$/);
  throwsGraphError(() => jacobian((/** @type {any} */ v) => v.convert('i32'))(x), 'ERR_DTYPE', /^jacobian: the result is of dtype i32/);
  throwsGraphError(() => hessian((/** @type {any} */ v) => v)(x), 'ERR_SHAPE', /^hessian: the function must return a scalar/);
  throwsGraphError(() => jacobian((/** @type {any} */ v) => v, { mode: 'both' }), 'ERR_ARGUMENT', /option 'mode'/);
  throwsGraphError(() => hvp((/** @type {any} */ v) => v.sum(), [x], []), 'ERR_ARGUMENT', /^hvp: expected an array of tangents, one per argument/);
  throwsGraphError(() => hvp((/** @type {any} */ v) => v.sum(), [x], [tensor([1])]), 'ERR_SHAPE', /tangent 0/);
});
