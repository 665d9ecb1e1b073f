/**
 * Derivatives of functions of tensors: which machinery works, what is passed and what comes back.
 */
'use strict';

const assert = require('node:assert/strict');
const test = require('node:test');
const { Graph, grad, gradients, jit, jvp, native, scan, tensor, valueAndGrad, vjp } = require('graphjit');

const near = (/** @type {any} */ got, /** @type {any} */ wanted, tolerance = 1e-12) => {
  const [a, b] = [got.toArray?.() ?? got, wanted].map((each) => [each].flat(Infinity).map(Number));
  assert.equal(a.length, b.length);
  a.forEach((value, i) => assert.ok(Math.abs(value - b[i]) <= tolerance * (1 + Math.abs(b[i])), `${value}, but expected ${b[i]}`));
};

const x = tensor([1, 2, 3]);

test('the gradient is shaped as the argument, and of its dtype', () => {
  const f = (/** @type {any} */ p, /** @type {any} */ s) => p.w.matmul(p.layers[0]).add(p.layers[1].b).sum().mul(s);
  const params = { w: tensor([[1, 2]], { dtype: 'f32' }), layers: [tensor([[1], [2]], { dtype: 'f32' }), { b: tensor([0.5], { dtype: 'f32' }) }] };
  const d = grad(f)(params, tensor(2, { dtype: 'f32' }));
  assert.deepEqual(Object.keys(d), ['w', 'layers']);
  assert.equal(d.w.dtype, 'f32');
  near(d.w, [2, 4]);
  near(d.layers[0], [2, 4]);
  near(d.layers[1].b, [2]);
});

test('by several arguments, by name and by number', () => {
  const f = (/** @type {any} */ a, /** @type {any} */ b) => a.mul(b).sum();
  const [da, db] = grad(f, { wrt: ['a', 1] })(x, tensor([4, 5, 6]));
  near(da, [4, 5, 6]);
  near(db, [1, 2, 3]);
  near(grad(f, { wrt: 'b' })(x, tensor([4, 5, 6])), [1, 2, 3]);
});

test('with the value, and with what else there is', () => {
  const f = (/** @type {any} */ a) => [a.square().sum(), { most: a.max() }];
  const [[value, aux], d] = valueAndGrad(f, { hasAux: true })(x);
  near(value, [14]);
  near(aux.most, [3]);
  near(d, [2, 4, 6]);
  const [only, rest] = grad(f, { hasAux: true })(x);
  near(only, [2, 4, 6]);
  near(rest.most, [3]);
});

test('transformations compose in any order', () => {
  const cube = (/** @type {any} */ a) => a.mul(a).mul(a).sum();
  const second = (/** @type {any} */ a) => grad((/** @type {any} */ b) => grad(cube)(b).sum())(a);
  near(second(x), [6, 12, 18]);
  near(jit(second)(x), [6, 12, 18]);
  near(grad(jit(cube))(x), [3, 12, 27]);
  near(jit(grad(jit(cube)))(x), [3, 12, 27]);
  near(grad(grad((/** @type {any} */ a) => a.pow(4)))(tensor(2)), [48]);
  near(grad((/** @type {any} */ a) => jvp(cube, [a], [tensor([1, 1, 1])])[1])(x), [6, 12, 18]);
});

test('an argument is a variable of its own', () => {
  const f = jit((/** @type {any} */ a) => grad((/** @type {any} */ b) => b.mul(a).sum())(a));
  near(f(x), [1, 2, 3]);
  const g = jit((/** @type {any} */ a) => {
    const b = a.mul(2);
    return grad((/** @type {any} */ c) => c.mul(b).mul(a).sum())(a);
  });
  near(g(x), [2, 8, 18]);
});

test('within a loop, of what the loop has', () => {
  const f = jit((/** @type {any} */ a) => scan((/** @type {any} */ s, /** @type {any} */ v) => {
    const d = grad((/** @type {any} */ t) => t.mul(t).mul(v).sum())(s);
    return [d, d];
  }, tensor(1), a)[1]);
  near(f(x), [2, 8, 48]);
});

test('vjp and jvp', () => {
  const f = (/** @type {any} */ a, /** @type {any} */ b) => ({ sum: a.add(b), product: a.mul(b) });
  const [value, pull] = vjp(f, x, tensor([2, 2, 2]));
  near(value.product, [2, 4, 6]);
  const [da, db] = pull({ sum: tensor([1, 0, 0]), product: tensor([0, 1, 1]) });
  near(da, [1, 2, 2]);
  near(db, [1, 2, 3]);
  const [same, change] = jvp(f, [x, tensor([2, 2, 2])], [tensor([1, 1, 1]), tensor([0, 0, 1])]);
  near(same.sum, [3, 4, 5]);
  near(change.sum, [1, 1, 2]);
  near(change.product, [2, 2, 5]);
});

test('a result that does not depend on the argument has a gradient of zeros', () => {
  near(grad((/** @type {any} */ a) => a.floor().sum())(x), [0, 0, 0]);
  near(grad((/** @type {any} */ a, /** @type {any} */ b) => b.sum())(x, x), [0, 0, 0]);
  near(jvp((/** @type {any} */ a) => a.sign(), [x], [x])[1], [0, 0, 0]);
});

test('functions of numbers keep their own derivatives', () => {
  const square = (/** @type {number} */ a) => a * a;
  assert.equal(grad(square)(3), 6);
  assert.equal(grad(native(square))(3), 6);
  assert.deepEqual(valueAndGrad(square)(3), [9, 6]);
  assert.equal(grad(grad((/** @type {number} */ a) => a * a * a))(2), 12);
  assert.match(grad(square).loops(), /func/u);
});

test('a second call of the same types does not trace again', () => {
  let calls = 0;
  const d = grad((/** @type {any} */ a) => {
    calls++;
    return a.square().sum();
  });
  near(d(x), [2, 4, 6]);
  near(d(tensor([4, 5, 6])), [8, 10, 12]);
  assert.equal(calls, 1);
});

test('gradients of a graph that is built by hand, with a seed', () => {
  const g = new Graph('seeded');
  const v = g.input('v', 'f64', ['n']);
  const c = g.input('c', 'f64', ['n']);
  g.output('d', gradients(v.square(), [v], c)[0]);
  near(g.compile().run({ v: [1, 2, 3], c: [1, 0, -1] }).d, [2, 0, -6]);
});

/** @type {[string, () => any, { code: string, message: RegExp }][]} */
const mistakes = [
  ['no scalar', () => grad((/** @type {any} */ a) => a)(x), { code: 'ERR_SHAPE', message: /^grad: the function must return a scalar, got f64\[3\]/u }],
  ['integers', () => grad((/** @type {any} */ a) => a.sum())(tensor([1], { dtype: 'i32' })), { code: 'ERR_DTYPE', message: /argument 0 is of dtype i32/u }],
  ['an integer result', () => grad((/** @type {any} */ a) => a.argmax())(x), { code: 'ERR_DTYPE', message: /the result of the function is of dtype i64/u }],
  ['no such argument', () => grad((/** @type {any} */ a) => a.sum(), { wrt: 1 })(x), { code: 'ERR_ARGUMENT', message: /there is no argument 1/u }],
  ['no such name', () => grad((/** @type {any} */ a) => a.sum(), { wrt: 'b' })(x), { code: 'ERR_ARGUMENT', message: /no parameter 'b', the function has a/u }],
  ['no function', () => grad(/** @type {any} */ (3)), { code: 'ERR_ARGUMENT', message: /^grad: expected a function/u }],
  ['an unknown option', () => grad((/** @type {any} */ a) => a, /** @type {any} */ ({ argnums: 1 })), { code: 'ERR_ARGUMENT', message: /argnums/u }],
  ['no aux', () => grad((/** @type {any} */ a) => a.sum(), /** @type {any} */ ({ hasAux: true }))(x), { code: 'ERR_ARGUMENT', message: /an array of a scalar and of what else/u }],
  ['a cotangent of another shape', () => vjp((/** @type {any} */ a) => a, x)[1](tensor([1])), { code: 'ERR_SHAPE', message: /the cotangent for the result is \[1\], but must be \[3\]/u }],
  ['tangents too few', () => jvp((/** @type {any} */ a) => a, [x], []), { code: 'ERR_ARGUMENT', message: /^jvp: expected an array of tangents/u }],
  ['integers of a graph', () => {
    const g = new Graph('integers');
    const v = g.input('v', 'i32', []);
    return gradients(v.convert('f64'), [v]);
  }, { code: 'ERR_DTYPE', message: /^gradients: value 0 is of dtype i32/u }],
];

for (const [name, call, error] of mistakes) {
  test(`a mistake is told: ${name}`, () => {
    assert.throws(call, (/** @type {any} */ thrown) => {
      assert.equal(thrown.code, error.code, thrown.message);
      assert.match(thrown.message, error.message);
      return true;
    });
  });
}
