// Functions of indices and arrangements against NumPy and PyTorch.
'use strict';

const { tensor } = require('graphjit');
const { oracleTest } = require('../support/outside.js');

/** @type {(shape: number[], seed: number, dtype?: any) => any} */
function numbers(shape, seed, dtype = 'f64') {
  const count = shape.reduce((a, b) => a * b, 1);
  return tensor(Array.from({ length: count }, (_, i) => ((i * 37 + seed * 11) % 41) - 20), { dtype }).reshape(shape);
}

const inputs = {
  x: numbers([4, 5], 1),
  y: numbers([3, 4, 5], 2, 'f32'),
  v: numbers([7], 3),
  i: tensor([[2, 0], [-1, 3], [1, 1]], { dtype: 'i64' }),
  j: tensor([[1, -2, 0, 4, 3], [0, 0, 0, 0, 0], [4, 3, 2, 1, 0], [-5, 1, 1, 1, 1]], { dtype: 'i64' }),
  k: tensor([3, 1, 3, 0, 6, 1], { dtype: 'i64' }),
  w: numbers([6], 5),
  u: numbers([3, 2, 5], 6),
};

oracleTest('taking and putting by index', inputs, [
  ['take', ({ x, i }) => x.take(i, { axis: 0 }), 'np.take(x, i, axis=0)'],
  ['take of a middle axis', ({ y, i }) => y.take(i, { axis: 1 }), 'np.take(y, i, axis=1)'],
  ['take of all', ({ x, i }) => x.take(i), 'np.take(x, i)'],
  ['takeAlongAxis', ({ x, j }) => x.takeAlongAxis(j, { axis: 1 }), 'np.take_along_axis(x, j, 1)'],
  ['takeAlongAxis of rows', ({ x, j }) => x.takeAlongAxis(j.max(-4).min(3), { axis: 0 }), 'np.take_along_axis(x, np.clip(j, -4, 3), 0)'],
  ['takeAlongAxis broadcast', ({ y, j }) => y.takeAlongAxis(j.slice([0, 1]).expandDims(0), { axis: -1 }), 'np.take_along_axis(y, np.broadcast_to(j[None, :1], (3, 4, 5)), -1)'],
  ['putAlongAxis', ({ x, j }) => x.putAlongAxis(j.slice(null, [0, 1]), 9, { axis: 1 }), '(lambda a: (np.put_along_axis(a, j[:, :1], 9, 1), a)[1])(x.copy())'],
  ['gatherNd', ({ y, i }) => y.gatherNd(i.max(-3).min(2)), 'y[tuple(np.clip(i, -3, 2).T)]'],
  ['scatterNd adds', ({ x, i }) => x.scatterNd(i, 1, { mode: 'add' }), '(lambda a: (np.add.at(a, tuple(i.T), 1), a)[1])(x.copy())'],
  ['indexAdd', ({ x, i, u }) => x.indexAdd(i, u), '(lambda a: (np.add.at(a, i, u), a)[1])(x.copy())'],
  ['indexMul', ({ v, k, w }) => v.indexMul(k, w), '(lambda a: (np.multiply.at(a, k, w), a)[1])(v.copy())'],
  ['indexMin', ({ v, k, w }) => v.indexMin(k, w), '(lambda a: (np.minimum.at(a, k, w), a)[1])(v.copy())'],
  ['indexMax', ({ v, k, w }) => v.indexMax(k, w), '(lambda a: (np.maximum.at(a, k, w), a)[1])(v.copy())'],
  ['indexUpdate', ({ v, k, w }) => v.indexUpdate(k, w), '(lambda a: (a.__setitem__(k, w), a)[1])(v.copy())'],
  ['indexAdd of columns', ({ x, k }) => x.indexAdd(k.min(4), 1, { axis: 1 }), 't(x).index_add(1, t(np.minimum(k, 4)), torch.ones(4, 6, dtype=torch.float64))'],
  ['choose', ({ k, w }) => k.min(2).choose([w, w.neg(), 5]), 'np.choose(np.minimum(k, 2), [w, -w, 5])'],
]);

oracleTest('tables, bins and segments', inputs, [
  ['oneHot', ({ k }) => k.oneHot(7, { dtype: 'i64' }), 'F.one_hot(t(k), 7)'],
  ['embedding', ({ x, k }) => x.embedding(k.min(3)), 'F.embedding(t(np.minimum(k, 3)), t(x))'],
  ['embeddingBag', ({ x, i }) => x.embeddingBag(i.max(0)), 'F.embedding_bag(t(np.maximum(i, 0)), t(x), mode="sum")'],
  ['embeddingBag means', ({ x, i }) => x.embeddingBag(i.max(0), { mode: 'mean' }), 'F.embedding_bag(t(np.maximum(i, 0)), t(x), mode="mean")'],
  ['embeddingBag greatest', ({ x, i }) => x.embeddingBag(i.max(0), { mode: 'max' }), 'F.embedding_bag(t(np.maximum(i, 0)), t(x), mode="max")'],
  ['embeddingBag weighted', ({ x, i }) => x.embeddingBag(i.max(0), { weights: i.convert('f64') }), 'F.embedding_bag(t(np.maximum(i, 0)), t(x), mode="sum", per_sample_weights=t(i.astype("f8")))'],
  ['bincount', ({ k }) => k.bincount({ length: 9 }), 'np.bincount(k, minlength=9)'],
  ['bincount of weights', ({ k, w }) => k.bincount({ length: 7, weights: w }), 'np.bincount(k, w)'],
  ['histogram', ({ y }) => y.histogram({ bins: 7, range: [-20, 15] }).counts, 'np.histogram(y, 7, (-20, 15))[0]'],
  ['histogram of edges', ({ x }) => x.div(10).histogram({ range: [0, 1] }).counts, 'np.histogram(x / 10, 10, (0, 1))[0]'],
  ['histogram edges', ({ x }) => x.histogram({ bins: 3, range: [-1, 1] }).edges, 'np.histogram(x, 3, (-1, 1))[1]'],
  ['histogram of ints', ({ k, w }) => k.histogram({ bins: 4, range: [0, 6], weights: w }).counts, 'np.histogram(k, 4, (0, 6), weights=w)[0]'],
  ['segmentSum', ({ u, k }) => u.reshape([6, 5]).segmentSum(k, 8), 'torch.zeros(8, 5, dtype=torch.float64).index_add(0, t(k), t(u.reshape(6, 5)))'],
  ['segmentMean', ({ w, k }) => w.segmentMean(k, 7), 'np.bincount(k, w) / np.bincount(k)'],
]);

oracleTest('arrangements', inputs, [
  ['roll', ({ x }) => x.roll(3), 'np.roll(x, 3)'],
  ['roll along axes', ({ y }) => y.roll([1, -2, 7], { axis: [0, 1, 2] }), 'np.roll(y, (1, -2, 7), (0, 1, 2))'],
  ['repeat', ({ x }) => x.repeat(3, { axis: 1 }), 'np.repeat(x, 3, axis=1)'],
  ['repeat of all', ({ x }) => x.repeat(2), 'np.repeat(x, 2)'],
  ['tile', ({ x }) => x.tile([2, 1, 3]), 'np.tile(x, (2, 1, 3))'],
  ['tile along the last axis', ({ y }) => y.tile(2), 'np.tile(y, 2)'],
  ['split', ({ x }) => x.split(2)[1], 'np.split(x, 2)[1]'],
  ['split at places', ({ x }) => x.split([1, 3], { axis: 1 })[1], 'np.split(x, [1, 3], axis=1)[1]'],
  ['unstack', ({ y }) => y.unstack({ axis: 1 })[2], 'y[:, 2]'],
  ['moveaxis', ({ y }) => y.moveaxis([0, 1], [-1, 0]), 'np.moveaxis(y, [0, 1], [-1, 0])'],
  ['swapaxes', ({ y }) => y.swapaxes(0, -1), 'np.swapaxes(y, 0, -1)'],
  ['rot90', ({ y }) => y.rot90({ k: -1, axes: [1, 2] }), 'np.rot90(y, -1, (1, 2))'],
  ['rot90 twice', ({ x }) => x.rot90({ k: 6 }), 'np.rot90(x, 6)'],
  ['diag', ({ v }) => v.diag({ offset: 2 }), 'np.diag(v, 2)'],
  ['diag below', ({ v }) => v.diag({ offset: -1 }), 'np.diag(v, -1)'],
  ['diag of a matrix', ({ x }) => x.diag({ offset: 1 }), 'np.diag(x, 1)'],
  ['diagonal', ({ y }) => y.diagonal({ offset: -1, axes: [0, 2] }), 'np.diagonal(y, -1, 0, 2)'],
  ['diagonal beyond', ({ x }) => x.diagonal({ offset: 9 }), 'np.diagonal(x, 9)'],
  ['meshgrid', ({ v, w }) => v.meshgrid(w)[0], 'np.meshgrid(v, w)[0]'],
  ['meshgrid in order', ({ v, w, k }) => v.meshgrid([w, k.convert('f64')], { indexing: 'ij' })[1], 'np.meshgrid(v, w, k.astype("f8"), indexing="ij")[1]'],
  ['atleast3d', ({ x }) => x.atleast3d(), 'np.atleast_3d(x)'],
  ['atleast3d of a vector', ({ v }) => v.atleast3d(), 'np.atleast_3d(v)'],
  ['atleast2d', ({ v }) => v.atleast2d(), 'np.atleast_2d(v)'],
]);
