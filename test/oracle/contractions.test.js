// Contractions, Einstein sums, matrices, norms and attention against NumPy and PyTorch.
'use strict';

const { tensor } = require('graphjit');
const { oracleTest } = require('../support/outside.js');

/** @type {(shape: number[], seed: number, dtype?: any) => any} */
function random(shape, seed, dtype = 'f64') {
  let state = seed;
  const data = Array.from({ length: shape.reduce((a, b) => a * b, 1) }, () => {
    state = (state * 1103515245 + 12345) % 2147483648;
    const x = state / 2147483648 - 0.5;
    return dtype === 'f64' || dtype === 'f32' ? x : Math.round(x * 40);
  });
  return tensor(data, { dtype }).reshape(shape);
}

const operands = {
  a: random([4, 5], 1), b: random([5, 3], 2), v: random([5], 3), w: random([4], 4), c: random([2, 4, 5], 5), d: random([2, 5, 3], 6),
  e: random([3, 2, 1, 4, 5], 7), f: random([5, 5], 8), i: random([4, 5], 9, 'i32'), j: random([5, 3], 10, 'i8'), s: random([4, 5], 11, 'f32'),
  t3: random([6, 3], 12), u3: random([6, 3], 13), cube: random([3, 3, 3], 14), n4: random([4, 4], 15), k4: random([2, 4, 4], 16, 'i64'), one: random([1, 5], 17),
};

oracleTest('contractions by name', operands, [
  ['matmul', (x) => x.a.matmul(x.b), 'a @ b'],
  ['matmul of f32', (x) => x.s.matmul(x.s.T), 's @ s.T'],
  ['matmul of ints', (x) => x.i.matmul(x.j), 'i @ j'],
  ['matmul in i64', (x) => x.j.matmul(x.j.T, { dtype: 'i64' }), 'j.astype(np.int64) @ j.T'],
  ['matrix by vector', (x) => x.a.matmul(x.v), 'a @ v'],
  ['vector by matrix', (x) => x.w.matmul(x.a), 'w @ a'],
  ['vector by vector', (x) => x.v.matmul(x.v), 'v @ v'],
  ['stacks', (x) => x.c.matmul(x.d), 'c @ d'],
  ['stack by matrix', (x) => x.c.matmul(x.b), 'c @ b'],
  ['matrix by stack', (x) => x.a.matmul(x.d), 'a @ d'],
  ['stacks that broadcast', (x) => x.e.matmul(x.d.reshape([2, 1, 5, 3])), 'e @ d.reshape(2, 1, 5, 3)'],
  ['vector by stack', (x) => x.v.matmul(x.d), 'v @ d'],
  ['stack by vector', (x) => x.c.matmul(x.v), 'c @ v'],
  ['vecdot', (x) => x.c.vecdot(x.a), 'np.einsum("bij,ij->bi", c, a)'],
  ['vecdot along 0', (x) => x.t3.vecdot(x.u3, { axis: 0 }), 'np.sum(t3 * u3, axis=0)'],
  ['tensordot', (x) => x.c.tensordot(x.a), 'np.tensordot(c, a)'],
  ['tensordot of axes', (x) => x.c.tensordot(x.d, { axes: [[0, 2], [0, 1]] }), 'np.tensordot(c, d, axes=([0, 2], [0, 1]))'],
  ['tensordot of none', (x) => x.w.tensordot(x.v, { axes: 0 }), 'np.tensordot(w, v, axes=0)'],
  ['inner', (x) => x.c.inner(x.a), 'np.inner(c, a)'],
  ['inner with a number', (x) => x.c.inner(2), 'np.inner(c, 2)'],
  ['dot', (x) => x.c.dot(x.d), 'np.dot(c, d)'],
  ['dot with a vector', (x) => x.c.dot(x.v), 'np.dot(c, v)'],
  ['outer', (x) => x.a.outer(x.v), 'np.outer(a, v)'],
  ['kron', (x) => x.a.kron(x.b), 'np.kron(a, b)'],
  ['kron of ranks', (x) => x.v.kron(x.c), 'np.kron(v, c)'],
  ['cross', (x) => x.t3.cross(x.u3), 'np.cross(t3, u3)'],
  ['cross along 1', (x) => x.cube.cross(x.cube.mul(2).add(1), { axis: 1 }), 'np.cross(cube, cube * 2 + 1, axisa=1, axisb=1, axisc=1)'],
  ['linear', (x) => x.c.linear(x.a, x.w), 'F.linear(t(c), t(a), t(w))'],
  ['linear to one', (x) => x.c.linear(x.v), 'c @ v'],
  ['bilinear', (x) => x.t3.bilinear(x.u3, x.cube, x.cube.slice(0, 0)), 'F.bilinear(t(t3), t(u3), t(cube), t(cube)[0, 0])'],
]);

/** The same text for both. @type {(text: string, names: string) => any} */
const sum = (text, names) => [
  `einsum ${text} of ${names}`,
  (/** @type {any} */ x) => {
    const [first, ...others] = names.split(' ').map((name) => x[name]);
    return first.einsum(text, ...others);
  },
  `np.einsum("${text}", ${names.replaceAll(' ', ', ')})`,
];

oracleTest('Einstein sums', operands, [
  sum('ij,jk->ik', 'a b'), sum('ij,jk->ki', 'a b'), sum('ij,jk', 'a b'), sum('ij , jk -> i', 'a b'), sum('ij->ji', 'a'), sum('ji', 'a'), sum('ij->', 'a'),
  sum('ii->i', 'f'), sum('ii', 'f'), sum('ii->', 'f'), sum('iii->i', 'cube'), sum('iij->j', 'cube'), sum('iji->ij', 'cube'), sum('i,i->', 'v v'), sum('i,j->ij', 'w v'),
  sum('i,j->ji', 'w v'), sum('bij,bjk->bik', 'c d'), sum('bij,bjk->ikb', 'c d'), sum('bij,bjk->bk', 'c d'), sum('bij,bjk->', 'c d'), sum('bij,bij->bi', 'c c'),
  sum('...ij,...jk->...ik', 'c d'), sum('...ij,...jk', 'e d'), sum('...ij->...ji', 'e'), sum('i...->...', 'a'), sum('...i,...i->...', 'c a'), sum('ij...,jk->ik...', 'a b'),
  sum('ij,jk,j->ik', 'a b v'), sum('i,ij,jk->k', 'w a b'), sum('i,ij,j->', 'w a v'), sum('bij,j,i->b', 'c v w'), sum('ij,kj,kl,lm->im', 'a a a b'),
  sum('i,j,k,l,m,n->', 'w w w w w w'), sum('ij,ik,il,im,j,k->lm', 'a a a a v v'), sum('ij,ij->ij', 'a a'), sum('ij,j->ij', 'a v'), sum('ij,ij->', 'a one'), sum('ij,ij->ij', 'one a'),
  sum('ij,jk->ik', 'i j'), sum('Bb,bC->CB', 'a b'), sum('bij,bkj->ik', 'c c'), sum('ab,cd->', 'a b'), sum('ijk,jki->ki', 'cube cube'), sum('ijk,ilk->jl', 'cube cube'),
]);

oracleTest('matrices and norms', operands, [
  ['mT', (x) => x.c.mT, 'np.swapaxes(c, -1, -2)'],
  ['diagonal', (x) => x.c.diagonal(), 'np.diagonal(c, axis1=-2, axis2=-1)'],
  ['diagonal above', (x) => x.c.diagonal({ offset: 2 }), 'np.diagonal(c, 2, -2, -1)'],
  ['diagonal below', (x) => x.c.diagonal({ offset: -3 }), 'np.diagonal(c, -3, -2, -1)'],
  ['diagonal beside it', (x) => x.c.diagonal({ offset: 7 }), 'np.diagonal(c, 7, -2, -1)'],
  ['diagonal of others', (x) => x.c.diagonal({ offset: 1, axes: [2, 0] }), 'np.diagonal(c, 1, 2, 0)'],
  ['trace', (x) => x.f.trace(), 'np.trace(f)'],
  ['trace of ints', (x) => x.j.trace({ offset: -1 }), 'np.trace(j, -1, dtype=np.int64)'],
  ['tril', (x) => x.c.tril(), 'np.tril(c)'],
  ['triu', (x) => x.c.triu({ k: 1 }), 'np.triu(c, 1)'],
  ['tril below', (x) => x.i.tril({ k: -2 }), 'np.tril(i, -2)'],
  ['matrixPower', (x) => x.n4.matrixPower(5), 'np.linalg.matrix_power(n4, 5)'],
  ['matrixPower of stacks', (x) => x.k4.matrixPower(3), 'np.linalg.matrix_power(k4, 3)'],
  ['matrixPower 0', (x) => x.k4.matrixPower(0), 'np.linalg.matrix_power(k4, 0)'],
  ['vander', (x) => x.v.vander(), 'np.vander(v)'],
  ['vander of 3', (x) => x.v.vander({ n: 3, increasing: true }), 'np.vander(v, 3, increasing=True)'],
  ['vectorNorm', (x) => x.c.vectorNorm({ axis: 1 }), 'np.linalg.norm(c, axis=1)'],
  ['vectorNorm of all', (x) => x.c.vectorNorm({ keepDims: true }), 'np.linalg.norm(c.ravel()).reshape(1, 1, 1)'],
  ...[0, 1, -1, 3, 2.5, -2].map((ord) => /** @type {any} */ ([`vectorNorm ${ord}`, (/** @type {any} */ x) => x.a.vectorNorm({ ord, axis: 0 }), `np.linalg.norm(a, ${ord}, axis=0)`])),
  ['vectorNorm ∞', (x) => x.a.vectorNorm({ ord: Infinity, axis: 1 }), 'np.linalg.norm(a, np.inf, axis=1)'],
  ['vectorNorm -∞ of ints', (x) => x.i.vectorNorm({ ord: -Infinity, axis: 1 }), 'np.linalg.norm(i, -np.inf, axis=1)'],
  ['matrixNorm', (x) => x.c.matrixNorm(), 'np.linalg.norm(c, axis=(-2, -1))'],
  ...[1, -1].map((ord) => /** @type {any} */ ([`matrixNorm ${ord}`, (/** @type {any} */ x) => x.c.matrixNorm({ ord }), `np.linalg.norm(c, ${ord}, axis=(-2, -1))`])),
  ['matrixNorm ∞', (x) => x.c.matrixNorm({ ord: Infinity, keepDims: true }), 'np.linalg.norm(c, np.inf, axis=(-2, -1), keepdims=True)'],
  ['matrixNorm -∞', (x) => x.c.matrixNorm({ ord: -Infinity }), 'np.linalg.norm(c, -np.inf, axis=(-2, -1))'],
]);

const heads = {
  q: random([2, 4, 5, 8], 21), k: random([2, 4, 7, 8], 22), v: random([2, 4, 7, 6], 23), gk: random([2, 2, 7, 8], 24), gv: random([2, 2, 7, 6], 25),
  add: random([5, 7], 26), pk: random([2, 4, 3, 8], 27), pv: random([2, 4, 3, 6], 28), gpk: random([2, 2, 3, 8], 29), gpv: random([2, 2, 3, 6], 30), n: tensor([6, 3], { dtype: 'i64' }), keep: tensor(Array.from({ length: 35 }, (_, i) => (i * 7) % 3 > 0), { dtype: 'bool' }).reshape([5, 7]),
  own: tensor(Array.from({ length: 280 }, (_, i) => (i * 11) % 5 > 0), { dtype: 'bool' }).reshape([2, 4, 5, 7]),
};
const softmax = (/** @type {string} */ scores, v = 't(v)') => `torch.softmax(${scores}, -1) @ ${v}`;
const scores = '(t(q) @ t(k).mT / 8 ** 0.5)';
const grouped = '(t(q) @ t(gk).repeat_interleave(2, 1).mT / 8 ** 0.5)';

oracleTest('attention', heads, [
  ['plain', ({ q, k, v }) => q.attention(k, v), softmax(scores)],
  ['scaled', ({ q, k, v }) => q.attention(k, v, { scale: 0.3 }), softmax('(t(q) @ t(k).mT * 0.3)')],
  ['causal', ({ q, k, v }) => q.attention(k, v, { causal: true }), softmax(`${scores}.masked_fill(torch.ones(5, 7).triu(1) > 0, -np.inf)`)],
  ['causal from the end', ({ q, k, v }) => q.attention(k, v, { causal: 2 }), softmax(`${scores}.masked_fill(torch.ones(5, 7).triu(3) > 0, -np.inf)`)],
  ['masked', ({ q, k, v, keep }) => q.attention(k, v, { mask: keep }), softmax(`${scores}.masked_fill(~t(keep), -np.inf)`)],
  ['masked per head', ({ q, k, v, own }) => q.attention(k, v, { mask: own }), softmax(`${scores}.masked_fill(~t(own), -np.inf)`)],
  ['with a sum', ({ q, k, v, add }) => q.attention(k, v, { mask: add }), softmax(`(${scores} + t(add))`)],
  ['grouped', ({ q, gk, gv }) => q.attention(gk, gv), softmax(grouped, 't(gv).repeat_interleave(2, 1)')],
  ['grouped, masked and causal', ({ q, gk, gv, own }) => q.attention(gk, gv, { mask: own, causal: 4, groups: 2 }),
    softmax(`${grouped}.masked_fill(~t(own) | (torch.ones(5, 7).triu(5) > 0), -np.inf)`, 't(gv).repeat_interleave(2, 1)')],
  ['one head', ({ q, k, v }) => q.slice(0, 0).attention(k.slice(0, 0), v.slice(0, 0)), softmax('(t(q)[0, 0] @ t(k)[0, 0].mT / 8 ** 0.5)', 't(v)[0, 0]')],
  ...[0, 1].map((causal) => /** @type {any} */ ([
    `behind the past, ${causal}`, (/** @type {any} */ { q, k, v, pk, pv }) => q.attention(k, v, { causal, pastKey: pk, pastValue: pv, softcap: 0.4 }),
    softmax(`(0.4 * torch.tanh(t(q) @ torch.cat((t(pk), t(k)), 2).mT / 8 ** 0.5 / 0.4)).masked_fill(torch.ones(5, 10).triu(4 + ${causal}) > 0, -np.inf)`, 'torch.cat((t(pv), t(v)), 2)'),
  ])),
  ['key lengths', ({ q, k, v, n }) => q.attention(k, v, { keyLengths: n }), softmax(`${scores}.masked_fill(torch.arange(7) >= t(n)[:, None, None, None], -np.inf)`)],
  ['key lengths, grouped, causal', ({ q, gk, gv, n }) => q.attention(gk, gv, { keyLengths: n, causal: true }),
    softmax(`${grouped}.masked_fill(torch.arange(7) > torch.arange(5)[:, None] + t(n)[:, None, None, None] - 5, -np.inf)`, 't(gv).repeat_interleave(2, 1)').replace('torch.softmax', 'torch.nan_to_num(torch.softmax').replace(' @ t(gv)', ') @ t(gv)')],
  ['a window', ({ q, k, v, pk, pv }) => q.attention(k, v, { window: [2, 1], pastKey: pk, pastValue: pv }),
    softmax("(t(q) @ torch.cat((t(pk), t(k)), 2).mT / 8 ** 0.5).masked_fill((torch.arange(10) - torch.arange(5)[:, None] - 3 + 0.5).abs() > 2, -np.inf)", 'torch.cat((t(pv), t(v)), 2)')],
  ['present keys', ({ q, gk, gv, gpk, gpv }) => q.attentionOutputs(gk, gv, { pastKey: gpk, pastValue: gpv }).presentKey, 'np.concatenate((gpk, gk), 2)'],
  ['raw scores', ({ q, gk, gv }) => q.attentionOutputs(gk, gv, { softcap: 1, causal: true }).scores, grouped],
  ['capped scores', ({ q, gk, gv }) => q.attentionOutputs(gk, gv, { softcap: 0.5, causal: true, scores: 'capped' }).scores, `0.5 * torch.tanh(${grouped} / 0.5)`],
  ['masked scores', ({ q, gk, gv, add }) => q.attentionOutputs(gk, gv, { mask: add, scores: 'masked' }).scores, `${grouped} + t(add)`],
  ['weights', ({ q, gk, gv }) => q.attentionOutputs(gk, gv, { scores: 'weights' }).scores, `torch.softmax(${grouped}, -1)`],
  ['no keys', ({ q, k, v }) => q.attention(k, v, { mask: tensor([[false]], { dtype: 'bool' }) }), 'np.zeros((2, 4, 5, 6))'],
]);
