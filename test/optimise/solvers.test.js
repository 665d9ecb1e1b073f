// Solvers: known minima, roots and fits, by every method, and what is told of functions that cannot be solved.
'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { fixedPoint, leastSquares, minimize, ones, root, tensor, whileLoop, zeros } = require('graphjit');
const { throwsGraphError: refuses } = require('../support/errors.js');

const list = (x) => Array.from(x.contiguous().data, Number);
function near(got, want, tolerance, what = 'x') {
  assert.equal(got.length, want.length);
  got.forEach((each, i) => assert.ok(Math.abs(each - want[i]) <= tolerance, `${what}[${i}]: ${each} for ${want[i]}`));
}

// --------------------------------------------------------------------------------- functions with known minima

const rosenbrock = (x) => {
  const [here, next] = [x.slice([0, -1]), x.slice([1, null])];
  return next.sub(here.square()).square().mul(100).add(here.sub(1).square()).sum();
};
const beale = ([x, y]) =>
  [1.5, 2.25, 2.625].map((c, i) => x.mul(y.pow(i + 1).sub(1)).add(c).square()).reduce((a, b) => a.add(b));
/** Singular at its minimum. */
const powell = ([a, b, c, d]) =>
  a.add(b.mul(10)).square().add(c.sub(d).square().mul(5)).add(b.sub(c.mul(2)).square().square()).add(a.sub(d).square().square().mul(10));
const rastrigin = (x) => x.square().sub(x.mul(2 * Math.PI).cos().mul(10)).add(10).sum();
const himmelblau = ([x, y]) => x.square().add(y).sub(11).square().add(x.add(y.square()).sub(7).square());
const booth = ([x, y]) => x.add(y.mul(2)).sub(7).square().add(x.mul(2).add(y).sub(5).square());

const gradients = ['bfgs', 'lbfgs', 'newton-cg'];
const methods = [...gradients, 'nelder-mead'];

for (const method of gradients) {
  for (const n of [2, 10, 50]) {
    test(`${method} finds the minimum of Rosenbrock's function of ${n}`, () => {
      const x0 = tensor(Float64Array.from({ length: n }, (_, i) => (i % 2 ? 1 : -1.2)));
      const found = minimize(rosenbrock, x0, { method, tolerance: 1e-8 });
      assert.ok(found.success, found.message);
      near(list(found.x), new Array(n).fill(1), 1e-6);
      assert.ok(found.value < 1e-14 && found.iterations < 400 && found.evaluations < 2000);
      assert.ok(Math.max(...list(found.gradient).map(Math.abs)) <= 1e-8);
    });
  }
}

for (const method of methods) {
  test(`${method} finds known minima`, () => {
    const tolerance = method === 'nelder-mead' ? 1e-9 : 1e-8;
    near(list(minimize(rosenbrock, tensor([-1.2, 1]), { method, tolerance }).x), [1, 1], 1e-6);
    near(minimize(beale, [1, 1], { method, tolerance }).x, [3, 0.5], 1e-6);
    near(minimize(booth, [-9, 9], { method, tolerance }).x, [1, 3], 1e-7);
    const flat = minimize(powell, [3, -1, 0, 1], { method, tolerance, maxIterations: 4000 });
    assert.ok(flat.success, flat.message);
    near(flat.x, [0, 0, 0, 0], 0.02);
    assert.ok(flat.value < 1e-8);
    near(list(minimize(rastrigin, tensor([0.1, -0.2, 1.1]), { method, tolerance }).x), [0, 0, 0.99495864], 1e-6);
    const { x: [x, y] } = minimize(himmelblau, [1, 1], { method, tolerance });
    near([x, y], [3, 2], 1e-6);
    const one = minimize((v) => v.exp().sub(v.mul(2)), 0, { method, tolerance });
    assert.ok(Math.abs(one.x - Math.LN2) < 1e-7);
    assert.equal(typeof one.value, 'number');
  });
}

test('functions of trees are minimized over all leaves, in the dtypes that they have', () => {
  const target = { w: tensor([[1, 2, 3], [4, 5, 6]]), b: [tensor([7, 8], { dtype: 'f32' }), 9] };
  const loss = ({ w, b }, at) => w.sub(at.w).square().sum().add(b[0].sub(at.b[0]).square().sum()).add(b[1].sub(at.b[1]).square());
  const found = minimize(loss, { w: zeros([2, 3]), b: [ones([2], { dtype: 'f32' }), 0] }, { args: [target] });
  assert.ok(found.success, found.message);
  assert.deepEqual(found.x.w.shape, [2, 3]);
  assert.equal(found.x.b[0].dtype, 'f32');
  near(list(found.x.w), [1, 2, 3, 4, 5, 6], 1e-5);
  near(list(found.x.b[0]), [7, 8], 1e-5);
  assert.ok(Math.abs(found.x.b[1] - 9) < 1e-5);
  near(list(minimize((v) => v.sub(3).square().sum(), new Float64Array(2)).x), [3, 3], 1e-6);
  near(list(minimize((v) => v.sub(3).square().sum(), tensor([1, 2], { dtype: 'f32' })).x), [3, 3], 1e-4);
});

test('many variables are minimized by L-BFGS unless told', () => {
  const n = 2000;
  const found = minimize((x) => x.sub(1).square().mul(tensor(Float64Array.from({ length: n }, (_, i) => 1 + i / 100))).sum(), zeros([n]));
  assert.ok(found.success, found.message);
  near(list(found.x), new Array(n).fill(1), 1e-5);
  for (const memory of [1, 2, 30]) near(list(minimize(rosenbrock, tensor([-1.2, 1, 1]), { method: 'lbfgs', memory, tolerance: 1e-8, maxIterations: 5000 }).x), [1, 1, 1], 1e-6);
});

test('a place where the function is no number is too far', () => {
  for (const method of methods) {
    const found = minimize(([x]) => x.sub(x.log()), [8], { method });
    assert.ok(found.success, found.message);
    near(found.x, [1], 1e-4);
    near(minimize(([x]) => x.sqrt().sub(1).square(), [0.01], { method, tolerance: 1e-8 }).x, [1], 1e-4);
  }
});

test('the minimum may be where one begins, and iterations may be none', () => {
  for (const method of gradients) {
    const { x, iterations, evaluations, success } = minimize(booth, [1, 3], { method });
    assert.deepEqual({ x, iterations, evaluations, success }, { x: [1, 3], iterations: 0, evaluations: 1, success: true });
    const none = minimize(booth, [0, 0], { method, maxIterations: 0 });
    assert.deepEqual([none.x, none.success, none.message], [[0, 0], false, 'the most iterations were made']);
  }
});

test('functions without a minimum end, and say so', () => {
  for (const method of gradients) {
    const down = minimize(([x]) => x.neg().exp().log().sub(x), [0], { method, maxIterations: 50 });
    assert.equal(down.success, false);
    assert.equal(minimize(([x]) => x.pow(3), [-1], { method }).message, 'the function has no lower bound');
    const kink = minimize(([x]) => x.sub(1 / 3).abs(), [1], { method });
    assert.ok(Math.abs(kink.x[0] - 1 / 3) < 1e-3);
  }
});

test('callbacks see each iteration and end it, and signals are obeyed', () => {
  const seen = [];
  const found = minimize(booth, [0, 0], { callback: ({ iteration, x, value, gradient }) => seen.push([iteration, x, value, gradient]) });
  assert.equal(seen.length, found.iterations);
  assert.deepEqual(seen.at(-1)[1], found.x);
  assert.deepEqual(seen.at(-1)[2], found.value);
  const stopped = minimize(rosenbrock, tensor([-1.2, 1]), { callback: ({ iteration }) => iteration < 3 });
  assert.deepEqual([stopped.iterations, stopped.success, stopped.message], [3, false, 'the callback returned false']);
  const controller = new AbortController();
  const abort = ({ iteration }) => { if (iteration === 2) controller.abort(); };
  for (const solver of [minimize, leastSquares, root]) assert.throws(() => solver((x) => (solver === minimize ? x.square().square().sum() : x.square().sub(2)), tensor([1, 5]), { callback: abort, signal: controller.signal }), { name: 'AbortError' });
  assert.throws(() => minimize(booth, [0, 0], { signal: AbortSignal.abort() }), { name: 'AbortError' });
  assert.throws(() => minimize(booth, [0, 0], { callback: () => { throw new RangeError('mine'); } }), { name: 'RangeError' });
});

// ---------------------------------------------------------------------------------------- least squares

const t = Float64Array.from({ length: 40 }, (_, i) => i / 10);
const decay = ({ a, b, c }, at, y) => at.mul(b).exp().mul(a).add(c).sub(y);

test('an exponential is fitted, exactly where it is exact', () => {
  const y = t.map((at) => 2.5 * Math.exp(-1.3 * at) + 0.5);
  const found = leastSquares(decay, { a: 1, b: -1, c: 0 }, { args: [t, y] });
  assert.ok(found.success, found.message);
  near([found.x.a, found.x.b, found.x.c], [2.5, -1.3, 0.5], 1e-9);
  assert.ok(found.value < 1e-18);
  assert.deepEqual(found.jacobian.shape, [40, 3]);
});

test('a straight line has the covariance of linear regression', () => {
  const x = Float64Array.of(0, 1, 2, 3, 4, 5);
  const y = Float64Array.of(1.1, 2.9, 5.2, 6.8, 9.1, 10.9);
  const { x: [slope, offset], covariance, residuals, value } = leastSquares(([m, c]) => tensor(x).mul(m).add(c).sub(y), [0, 0]);
  const mean = 2.5;
  const sxx = x.reduce((sum, each) => sum + (each - mean) ** 2, 0);
  const own = x.reduce((sum, each, i) => sum + (each - mean) * y[i], 0) / sxx;
  near([slope, offset], [own, y.reduce((a, b) => a + b) / 6 - own * mean], 1e-10);
  const variance = list(residuals).reduce((sum, each) => sum + each * each, 0) / 4;
  assert.ok(Math.abs(2 * value - 4 * variance) < 1e-12);
  near(list(covariance), [variance / sxx, (-variance * mean) / sxx, (-variance * mean) / sxx, variance * (1 / 6 + mean ** 2 / sxx)], 1e-12);
});

test('the problems of MINPACK are solved', () => {
  const wood = ([x1, x2, x3, x4]) => [
    x2.sub(x1.square()).mul(10), x1.neg().add(1), x4.sub(x3.square()).mul(Math.sqrt(90)), x3.neg().add(1),
    x2.add(x4).sub(2).mul(Math.sqrt(10)), x2.sub(x4).div(Math.sqrt(10)),
  ];
  near(leastSquares(wood, [-3, -1, -3, -1]).x, [1, 1, 1, 1], 1e-6);
  near(leastSquares(([x, y]) => [y.sub(x.square()).mul(10), x.neg().add(1)], [-1.2, 1]).x, [1, 1], 1e-7);
  // Helical valley.
  const helix = ([x, y, z]) => [z.sub(y.atan2(x).mul(5 / Math.PI)).mul(10), x.hypot(y).sub(1).mul(10), z];
  near(leastSquares(helix, [-1, 0.01, 0]).x, [1, 0, 0], 1e-6);
  // Freudenstein and Roth: a local minimum that is not 0.
  const roth = ([x, y]) => [y.neg().add(5).mul(y).sub(2).mul(y).add(x).sub(13), y.add(1).mul(y).sub(14).mul(y).add(x).sub(29)];
  assert.ok(Math.abs(2 * leastSquares(roth, [0.5, -2]).value - 48.98425) < 1e-4);
  // Kowalik and Osborne.
  const u = Float64Array.of(4, 2, 1, 0.5, 0.25, 0.167, 0.125, 0.1, 0.0833, 0.0714, 0.0625);
  const seen = Float64Array.of(0.1957, 0.1947, 0.1735, 0.16, 0.0844, 0.0627, 0.0456, 0.0342, 0.0323, 0.0235, 0.0246);
  const kowalik = ([a, b, c, d]) => { const w = tensor(u); return w.square().add(w.mul(b)).mul(a).div(w.square().add(w.mul(c)).add(d)).sub(seen); };
  assert.ok(Math.abs(2 * leastSquares(kowalik, [0.25, 0.39, 0.415, 0.39]).value - 3.07505e-4) < 1e-9);
});

test('more parameters than residuals, singular Jacobians and many columns are solved', () => {
  const wide = leastSquares((x) => x.sum().sub(6).reshape([1]), zeros([3]));
  near(list(wide.x), [2, 2, 2], 1e-6);
  assert.equal(wide.covariance, null);
  const singular = leastSquares(([a, b]) => t && tensor(t).mul(a.add(b)).sub(tensor(t).mul(3)), [0, 0]);
  assert.ok(Math.abs(singular.x[0] + singular.x[1] - 3) < 1e-6);
  assert.equal(singular.covariance, null);
  for (const n of [24, 25, 40]) {
    const target = Float64Array.from({ length: n }, (_, i) => Math.sin(i));
    near(list(leastSquares((x) => x.sub(target).mul(x.add(5)), zeros([n])).x), Array.from(target), 1e-7);
  }
});

// ------------------------------------------------------------------------------------------------ roots

test('systems of equations are solved, by both methods', () => {
  for (const method of [undefined, 'newton', 'broyden']) {
    const two = root(([x, y]) => [x.square().add(y.square()).sub(4), x.mul(y).sub(1)], [2, 0.1], { method });
    assert.ok(two.success, two.message);
    near(two.x, [1.93185165257814, 0.517638090205042], 1e-9);
    assert.ok(Math.abs(root((x) => x.pow(3).sub(2), 1, { method }).x - 2 ** (1 / 3)) < 1e-10);
    // Broyden's tridiagonal function.
    const n = 30;
    const tridiagonal = (x) => {
      const [left, right] = [x.pad([[1, 0]]).slice([0, -1]), x.pad([[0, 1]]).slice([1, null])];
      return x.mul(-2).add(3).mul(x).sub(left).sub(right.mul(2)).add(1);
    };
    const found = root(tridiagonal, tensor(new Float64Array(n).fill(-1)), { method });
    assert.ok(found.success && found.value < 1e-8, found.message);
  }
});

test('Newton goes on where the Jacobian is singular, and says when residuals are least', () => {
  near([root((x) => x.square().sub(4), 0.0, { method: 'newton', maxIterations: 200 }).value], [4], 1e-12); // slope 0: nowhere to go
  near(root(([x, y]) => [x.add(y).sub(2), x.sub(1).square()], [3, 3]).x, [1, 1], 1e-4);
  const none = root((x) => x.square().add(1), 3);
  assert.equal(none.success, false);
  assert.match(none.message, /residuals/);
});

test('functions without derivatives are solved by values alone', () => {
  const doubled = (x) => whileLoop((at) => at.lt(100), (at) => at.mul(2), x.exp()).sub(120);
  assert.ok(Math.abs(root(doubled, 0.1).x - Math.log(120 / 128)) < 1e-9);
  assert.ok(Math.abs(minimize((x) => doubled(x).square(), 0.1, { method: 'nelder-mead' }).x - Math.log(120 / 128)) < 1e-6);
});

test('a function that overflows on the way is solved', () => {
  assert.ok(Math.abs(root((x) => x.exp().sub(2), -20).x - Math.LN2) < 1e-9);
  assert.ok(Math.abs(root((x) => x.log().sub(1), 20).x - Math.E) < 1e-9);
});

test('fixed points are found, and sooner with memory', () => {
  const plain = fixedPoint((x) => x.cos(), 1, { memory: 0 });
  const quick = fixedPoint((x) => x.cos(), 1);
  for (const { x, success } of [plain, quick]) assert.ok(success && Math.abs(x - 0.7390851332151607) < 1e-9);
  assert.ok(quick.iterations < plain.iterations / 3);
  const affine = Float64Array.of(0.6, 0.2, -0.1, 0.1, 0.5, 0.1, 0.05, -0.3, 0.7);
  for (const memory of [0, 1, 2, 3, 5]) {
    const own = fixedPoint((x) => tensor(affine, { shape: [3, 3] }).matmul(x).add(1), zeros([3]), { memory });
    assert.ok(own.success, own.message);
    near(list(tensor(affine, { shape: [3, 3] }).matmul(own.x).add(1)), list(own.x), 1e-8);
    if (memory >= 3) assert.ok(own.iterations <= 6, `${own.iterations} with ${memory}`);
  }
  const many = fixedPoint(({ a, b }) => ({ a: a.mul(0.9).add(b.sum().mul(0.01)), b: b.mul(-0.5).add(a.mean()) }), { a: ones([3]), b: ones([2]) });
  assert.ok(many.success, many.message);
  near(list(many.x.a), [0, 0, 0], 1e-7);
  assert.equal(fixedPoint((x) => x.add(1), 1).success, false); // there is none
  assert.equal(fixedPoint((x) => x.mul(2).add(1), 1, { memory: 0, maxIterations: 20 }).success, false);
  assert.match(fixedPoint((x) => x.square().add(10), 1, { memory: 0 }).message, /no number/);
});

// ---------------------------------------------------------------------------------------------- errors

test('what cannot be solved is told', () => {
  refuses(() => minimize(3, [1]), 'ERR_ARGUMENT', /minimize: expected a function for the function, got 3/);
  refuses(() => minimize(booth, []), 'ERR_ARGUMENT', /minimize: expected a tensor, or a tree of tensors for x0/);
  refuses(() => minimize(booth, zeros([0])), 'ERR_SHAPE', /x0 has no elements/);
  refuses(() => minimize(booth, { a: tensor([1n]) }), 'ERR_DTYPE', /x0.a is of dtype i64/);
  refuses(() => minimize((x) => x.mul(2), tensor([1, 2])), 'ERR_SHAPE', /minimize: the function must return a scalar, got Value %\d+ f64\[2\]: reduce it/);
  refuses(() => minimize((x) => [x], 1), 'ERR_ARGUMENT', /minimize: expected a scalar for the result of the function/);
  refuses(() => minimize((x) => x.gt(0), 1), 'ERR_DTYPE', /result of the function is of dtype bool/);
  for (const method of methods) refuses(() => minimize((x) => x.log(), -1, { method }), 'ERR_ARGUMENT', /minimize: the function is NaN at x0: begin where the function is finite/);
  refuses(() => minimize((x) => x.sqrt().sum(), tensor([1, 0])), 'ERR_ARGUMENT', /the gradient has element 1, which is Infinity at x0/);
  refuses(() => minimize(booth, [1, 2], { method: 'sgd' }), 'ERR_ARGUMENT', /one of 'bfgs', 'lbfgs', 'newton-cg', 'nelder-mead'/);
  refuses(() => minimize(booth, [1, 2], { tolerance: 0 }), 'ERR_ARGUMENT', /a positive number for option 'tolerance'/);
  refuses(() => minimize(booth, [1, 2], { signal: 1 }), 'ERR_ARGUMENT', /an AbortSignal/);
  refuses(() => leastSquares((x) => x.log(), tensor([1, -1])), 'ERR_ARGUMENT', /leastSquares: the function has element 1, which is NaN at x0/);
  refuses(() => root((x) => x.sum(), tensor([1, 2])), 'ERR_SHAPE', /root: the function must give as many numbers as x0 has, 2, got 1: use leastSquares/);
  refuses(() => root((x) => x.log(), -1), 'ERR_ARGUMENT', /root: the function is NaN at x0/);
  refuses(() => fixedPoint((x) => x.sum(), tensor([1, 2])), 'ERR_SHAPE', /fixedPoint: the function must give as many numbers as x0 has, 2, got 1/);
  assert.throws(() => minimize(() => { throw new RangeError('mine'); }, 1), { name: 'RangeError' });
});
