// Derivatives of factors of matrices and of what is solved with them, of batches, in f64 and f32, of higher, wider and
// square matrices, and where there are none; of Fourier transforms of lengths with and without a middle.
'use strict';

const assert = require('node:assert/strict');
const { describe, test } = require('node:test');
const { eye, grad, tensor } = require('graphjit');
const { checkDerivatives, derivativeGraph, derivativesAt, randomTensor } = require('./support.js');

/** Values that change with the place. @type {(value: any) => any} */
const mixed = (value) => value.sin().mul(value.add(0.5));

/** A symmetric matrix of any, and one that is positive definite. @type {(x: any) => any} */
const symmetric = (x) => x.add(x.mT);
const definite = (/** @type {any} */ x) => x.matmul(x.mT).add(eye(x.shape[x.rank - 1], { dtype: x.dtype }).mul(2));
/** Far from singular, the greatest elements in the diagonal. @type {(x: any) => any} */
const regular = (x) => x.add(eye(x.shape[x.rank - 1], { dtype: x.dtype }).mul(3));

describe('derivatives of factors', () => {
  test('cholesky, of the lower and the upper triangle', () => {
    const inputs = { x: randomTensor([2, 4, 4]) };
    checkDerivatives(({ x }) => [mixed(definite(x).cholesky()), mixed(definite(x).cholesky({ upper: true }))], inputs, { symbolic: { x: ['b', 4, 4] } });
    // the matrix counts as symmetric, as in PyTorch
    const given = grad((/** @type {any} */ a) => a.cholesky().sum())(tensor([[4, 1], [1, 3]], { dtype: 'f64' }));
    assert.deepEqual(given.toArray(), given.mT.toArray());
  });

  test('lu, and what is solved with it', () => {
    const inputs = { x: randomTensor([2, 4, 4]), b: randomTensor([2, 4, 3], { seed: 2 }) };
    checkDerivatives(({ x }) => Object.values(regular(x).lu()).slice(0, 2).map(mixed), { x: inputs.x }, { symbolic: { x: ['b', 4, 4] } });
    checkDerivatives(({ x, b }) => [mixed(regular(x).solve(b))], inputs, { symbolic: { x: ['b', 4, 4], b: ['b', 4, 'k'] } });
    checkDerivatives(({ x }) => [mixed(regular(x).inv()), mixed(regular(x).det()), mixed(regular(x).slogdet().logabsdet)], { x: inputs.x });
  });

  test('triangles, from both sides', () => {
    const inputs = { x: randomTensor([2, 3, 3]), b: randomTensor([2, 3, 3], { seed: 2 }) };
    for (const upper of [false, true])
      for (const transposed of [false, true]) {
        const options = { upper, transposed };
        checkDerivatives(({ x, b }) => [mixed(regular(x).triangularSolve(b, options)), mixed(regular(x).triangularSolve(b, { ...options, left: false, unitDiagonal: true }))], inputs, { compiled: upper !== transposed });
      }
  });

  for (const shape of [[3, 3], [2, 5, 3], [3, 5]])
    test(`qr and svd of [${shape}]`, () => {
      const inputs = { x: randomTensor(shape) };
      checkDerivatives(({ x }) => Object.values(x.qr()).map(mixed), inputs, { narrow: false });
      checkDerivatives(({ x }) => Object.values(x.svd({ fullMatrices: false })).map(mixed), inputs, { narrow: false, tolerance: 1e-5 });
    });

  test('eigh', () => {
    checkDerivatives(({ x }) => Object.values(symmetric(x).eigh()).map(mixed), { x: randomTensor([2, 4, 4]) }, { narrow: false, symbolic: { x: ['b', 4, 4] } });
  });

  test('exponentials, pseudoinverses, least squares, norms', () => {
    checkDerivatives(({ x }) => [mixed(x.mul(4).expm())], { x: randomTensor([2, 3, 3]) }, { narrow: false, second: false });
    checkDerivatives(({ x, b }) => [mixed(x.pinv()), mixed(x.lstsq(b).x)], { x: randomTensor([4, 3]), b: randomTensor([4], { seed: 3 }) }, { narrow: false });
    checkDerivatives(({ x }) => [x.matrixNorm({ ord: 2 }), x.matrixNorm({ ord: 'nuc' })], { x: randomTensor([4, 3]) }, { narrow: false });
  });

  test('equal eigenvalues and singular values of 0 leave zeros', () => {
    const results = derivativesAt(({ x }) => Object.values(x.eigh()), { x: eye(3) }, { 'ct 0': [1, 2, 3], 'ct 1': [1, 2, 3, 4, 5, 6, 7, 8, 9] });
    assert.ok([...results['grad x']].every(Number.isFinite));
    const none = derivativesAt(({ x }) => Object.values(x.svd({ fullMatrices: false })), { x: tensor([[1, 0], [0, 0]], { dtype: 'f64' }) }, { 'ct 0': [1, 2, 3, 4], 'ct 1': [1, 1], 'ct 2': [1, 2, 3, 4] });
    assert.ok([...none['grad x']].every(Number.isFinite));
  });

  test('of equal singular values pinv and lstsq have derivatives, and det of singular matrices', () => {
    const q = randomTensor([5, 3]).qr().q;
    for (const a of [eye(3), q, q.mT, q.matmul(tensor([[2, 0, 0], [0, 2, 0], [0, 0, 0]], { dtype: 'f64' }))]) {
      const [weights, b] = [randomTensor(a.mT.shape, { seed: 5 }), randomTensor([a.shape[0]], { seed: 6 })];
      const change = randomTensor(a.shape, { seed: 7 });
      // which keeps the rank
      const p = a.pinv();
      const outside = change.sub(a.matmul(p).matmul(change));
      const kept = change.sub(outside.sub(outside.matmul(p).matmul(a)));
      for (const f of [(/** @type {any} */ x) => x.pinv({ rtol: 1e-6 }).mul(weights).sum(), (/** @type {any} */ x) => x.lstsq(b, { rtol: 1e-6 }).x.mul(weights.slice(null, 0)).sum()]) {
        const step = 1e-5;
        const slope = (f(a.add(kept.mul(step))).item() - f(a.sub(kept.mul(step))).item()) / (2 * step);
        assert.ok(Math.abs(grad(f)(a).mul(kept).sum().item() - slope) < 1e-6 * (1 + Math.abs(slope)), `${a}`);
      }
    }
    for (const [given, want] of [[[[1, 2], [2, 4]], [[4, -2], [-2, 1]]], [[[1, 0], [0, 0]], [[0, 0], [0, 1]]], [[[0, 0], [0, 0]], [[0, 0], [0, 0]]], [[[1, 2], [3, 4]], [[4, -3], [-2, 1]]]]) {
      const got = grad((/** @type {any} */ x) => x.det())(tensor(given, { dtype: 'f64' })).toArray().flat();
      got.forEach((value, i) => assert.ok(Math.abs(value - want.flat()[i]) < 1e-12, `${given}: ${got}`));
    }
  });

  test('what has no derivative is refused', () => {
    assert.throws(() => derivativeGraph(({ x }) => x.lu().u, { x: randomTensor([3, 4]) }), /derivative of lu \(%\d+\): the matrix is not square/);
    assert.throws(() => derivativeGraph(({ x }) => x.qr({ mode: 'complete' }).q, { x: randomTensor([4, 3]) }), /derivative of qr .*beyond those of the matrix/);
  });
});

describe('derivatives of Fourier transforms', () => {
  for (const n of [1, 2, 5, 6])
    test(`of ${n}`, () => {
      const inputs = { x: randomTensor([3, n, 2]), y: randomTensor([3, n], { seed: 4 }) };
      checkDerivatives(({ x, y }) => [mixed(x.fft()), mixed(x.ifft({ axis: 0, norm: 'ortho' })), mixed(y.rfft())], inputs, { compiled: n > 4 });
      checkDerivatives(({ x }) => [2 * n - 1, ...(n > 1 ? [2 * n - 2] : [])].map((size) => mixed(x.irfft({ n: size }))), { x: inputs.x });
    });

  test('of several axes and of symbolic sizes', () => {
    checkDerivatives(({ x }) => [mixed(x.fft2()), mixed(x.real().rfft2())], { x: randomTensor([3, 4, 2]) }, { symbolic: { x: ['m', 'n', 2] } });
    checkDerivatives(({ x, y }) => [mixed(x.fftConvolve(y))], { x: randomTensor([7]), y: randomTensor([4], { seed: 2 }) });
  });
});
