// Selection by masks, different values and sets against NumPy.
'use strict';

const { tensor } = require('graphjit');
const { oracleTest } = require('../support/outside.js');

/** @type {(count: number, seed: number, most: number) => number[]} */
function numbers(count, seed, most) {
  let state = seed;
  return Array.from({ length: count }, () => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return Math.floor((state / 2147483648) * most);
  });
}

const x = tensor(numbers(60, 1, 3).map((v) => v / 2)).reshape([5, 12]);
const i = tensor(numbers(300, 2, 90), { dtype: 'i32' }).reshape([20, 15]);
const s = tensor(numbers(120, 6, 2)).reshape([20, 3, 2]);
const j = tensor(numbers(70, 3, 120), { dtype: 'i32' });
const m = tensor(numbers(5, 4, 2).map(Boolean));
const c = tensor(numbers(12, 5, 2).map(Boolean));

oracleTest('masks', { x, i, m, c }, [
  ['nonzero', ({ x: v }) => v.nonzero()[1], 'np.nonzero(x)[1]'],
  ['flatnonzero', ({ x: v }) => v.flatnonzero(), 'np.flatnonzero(x)'],
  ['argwhere', ({ x: v }) => v.argwhere(), 'np.argwhere(x)'],
  ['compress', ({ x: v, m: w }) => v.compress(w, { axis: 0 }), 'np.compress(m, x, axis=0)'],
  ['compress of columns', ({ x: v, c: w }) => v.compress(w, { axis: -1 }), 'np.compress(c, x, axis=1)'],
  ['compress of all', ({ x: v }) => v.compress(v.ne(0.5).reshape([60])), 'np.compress((x != 0.5).ravel(), x)'],
  ['maskedSelect', ({ i: v }) => v.maskedSelect(v.gt(40)), 'i[i > 40]'],
  ['maskedSelect of rows', ({ x: v, m: w }) => v.maskedSelect(w), 'x[m]'],
]);

oracleTest('sets', { x, i, j, s }, [
  ['uniqueValues', ({ i: v }) => v.uniqueValues(), 'np.unique(i)'],
  ['uniqueValues of floats', ({ x: v }) => v.uniqueValues(), 'np.unique(x)'],
  ['uniqueCounts', ({ i: v }) => v.uniqueCounts().counts, 'np.unique(i, return_counts=True)[1]'],
  ['uniqueInverse', ({ i: v }) => v.uniqueInverse().inverseIndices, 'np.unique(i, return_inverse=True)[1].reshape(i.shape)'],
  ['uniqueAll', ({ i: v }) => v.uniqueAll().indices, 'np.unique(i, return_index=True)[1]'],
  ...[0, 1, 2].flatMap((axis) => /** @type {any[]} */ (['indices', 'inverseIndices', 'counts', 'values']).map((part) => /** @type {any} */ ([
    `uniqueAll along ${axis}, ${part}`, (/** @type {any} */ { s: v }) => v.uniqueAll({ axis })[part],
    `dict(zip(('values', 'indices', 'inverseIndices', 'counts'), np.unique(s, True, True, True, ${axis})))['${part}']`,
  ]))),
  ['values as they come', ({ i: v }) => v.uniqueValues({ sorted: false }), 'i.ravel()[np.sort(np.unique(i, return_index=True)[1])]'],
  ['slices as they come', ({ s: v }) => v.uniqueValues({ axis: 0, sorted: false }), 's[np.sort(np.unique(s, return_index=True, axis=0)[1])]'],
  ['counts as they come', ({ i: v }) => v.uniqueCounts({ sorted: false }).counts, 'np.unique(i, return_counts=True)[1][np.argsort(np.unique(i, return_index=True)[1])]'],
  ['union1d', ({ i: v, j: w }) => v.union1d(w), 'np.union1d(i, j)'],
  ['intersect1d', ({ i: v, j: w }) => v.intersect1d(w), 'np.intersect1d(i, j)'],
  ['setdiff1d', ({ i: v, j: w }) => v.setdiff1d(w), 'np.setdiff1d(i, j)'],
  ['setdiff1d, the other way', ({ i: v, j: w }) => w.setdiff1d(v), 'np.setdiff1d(j, i)'],
  ['setxor1d', ({ i: v, j: w }) => v.setxor1d(w), 'np.setxor1d(i, j)'],
]);
