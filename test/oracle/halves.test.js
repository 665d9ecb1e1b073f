// Halves, in graphs and as tensors that compute, against NumPy's float16 and PyTorch's bfloat16. Both round after every
// operation, as we do; what adds up is compared with sums in f32 that are rounded once.
'use strict';

const { tensor } = require('graphjit');
const { oracleTest } = require('../support/outside.js');

/** @type {(count: number, seed: number) => number[]} */
const numbers = (count, seed) => Array.from({ length: count }, (_, i) => (((i + seed) * 7919) % 1009) / 37 - 13);

const special = [0, -0, 1, -1, 6e-8, -3e-5, 65504, -65504, Infinity, -Infinity, NaN, 0.333];
const pairs = special.flatMap((a) => special.map((b) => [a, b]));
const half = (/** @type {number[]} */ list) => tensor(list).convert('f16');

const inputs = {
  x: half(pairs.map(([a]) => a)),
  y: half(pairs.map(([, b]) => b)),
  a: half(numbers(60, 1)).reshape([5, 12]).copy(),
  b: half(numbers(60, 400)).reshape([5, 12]).copy(),
  f: tensor([...numbers(58, 9), 65519, 65520]),
  i: tensor([0, 1, -3, 2049, 70000], { dtype: 'i32' }),
  w: tensor(numbers(60, 77), { dtype: 'f32' }),
};

const rounded = (/** @type {any} */ w) => w.convert('bf16');

/** @type {import('../support/outside.js').Case[]} */
const elementwise = ['add', 'sub', 'mul', 'div'].map((name, k) => [name, ({ x, y }) => x[name](y), `x ${'+-*/'[k]} y`]);

oracleTest('halves as NumPy and PyTorch have them', inputs, [
  ...elementwise,
  ['max', ({ x, y }) => x.max(y), 'np.maximum(x, y)'],
  ['fmin', ({ x, y }) => x.fmin(y), 'np.fmin(x, y)'],
  ['copySign', ({ x, y }) => x.copySign(y), 'np.copysign(x, y)'],
  ['comparison', ({ x, y }) => x.le(y), 'x <= y'],
  ['sqrt', ({ a }) => a.abs().sqrt(), 'np.sqrt(np.abs(a))'],
  ['floor', ({ a }) => a.floor(), 'np.floor(a)'],
  ['roundEven', ({ a }) => a.mul(2).roundEven(), 'np.rint(a * np.float16(2))'],
  ['exp', ({ a }) => a.exp(), 'np.exp(a)', 1e-3],
  ['from f64', ({ f }) => f.convert('f16'), 'f.astype("f2")'],
  ['from ints', ({ i }) => i.convert('f16'), 'i.astype("f2")'],
  ['to ints', ({ a }) => a.convert('i32'), 'a.astype("i4")'],
  ['sort', ({ x }) => x.sort(), 'np.sort(x)'],
  ['argsort', ({ a }) => a.argsort({ axis: 0 }), 'np.argsort(a, axis=0, kind="stable")'],
  ['where', ({ a, b }) => a.gt(b).where(a, b), 'np.where(a > b, a, b)'],
  ['greatest', ({ a }) => a.max({ axis: 1 }), 'np.max(a, axis=1)'],
  ['sum', ({ a }) => a.sum({ axis: 1 }), 'np.sum(a.astype("f4"), axis=1).astype("f2")'],
  ['mean', ({ a }) => a.mul(4000).mean({ axis: 1 }), 'np.mean((a * np.float16(4000)).astype("f4"), axis=1).astype("f2")'],
  ['var', ({ a }) => a.var({ axis: 0 }), 'np.var(a.astype("f4"), axis=0).astype("f2")', 1e-3],
  ['matmul', ({ a, b }) => a.matmul(b.T), '(a.astype("f4") @ b.T.astype("f4")).astype("f2")', 1e-3],
  ['softmax', ({ a }) => a.softmax(), 'F.softmax(t(a.astype("f4")), 1).half()', 1e-3],
  ['quantile', ({ a }) => a.median({ axis: 1 }), 'np.median(a.astype("f4"), axis=1).astype("f2")', 1e-3],
  ['bf16 from f32', ({ w }) => w.convert('bf16').convert('f32'), 't(w).bfloat16().float()', 0],
  ['bf16 mul', ({ w }) => rounded(w).mul(rounded(w.flip())).convert('f32'), '(t(w).bfloat16() * t(w).flip(0).bfloat16()).float()', 0],
  ['bf16 div', ({ w }) => rounded(w).div(rounded(w.flip())).convert('f32'), '(t(w).bfloat16() / t(w).flip(0).bfloat16()).float()', 0],
  ['bf16 sub', ({ w }) => rounded(w.flip()).sub(rounded(w)).convert('f32'), '(t(w).flip(0).bfloat16() - t(w).bfloat16()).float()', 0],
], { atOnce: true });
