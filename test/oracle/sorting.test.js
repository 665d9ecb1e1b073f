// Sorts and statistics of order against NumPy and PyTorch.
'use strict';

const { lexsort, tensor } = require('graphjit');
const { oracleTest } = require('../support/outside.js');

/** @type {(count: number, seed: number) => number[]} */
function numbers(count, seed) {
  let state = seed;
  return Array.from({ length: count }, (_, i) => {
    state = (state * 1103515245 + 12345) % 2147483648;
    const x = (state / 2147483648 - 0.5) * 8;
    return i % 3 === 0 ? Math.round(x) : x;
  });
}

const x = tensor(numbers(7 * 11, 1)).reshape([7, 11]);
const s = tensor(numbers(5 * 40, 2), { dtype: 'f32' }).reshape([5, 40]);
const i = tensor(numbers(60, 3).map(Math.round), { dtype: 'i32' }).reshape([5, 12]);
const g = tensor(numbers(40, 4).map((v, k) => (k % 3 === 0 || k < 8 ? NaN : v))).reshape([5, 8]);

oracleTest('sorts', { x, s, i, g }, [
  ['sort', ({ x: v }) => v.sort(), 'np.sort(x)'],
  ['sort of columns', ({ s: v }) => v.sort({ axis: 0 }), 'np.sort(s, axis=0)'],
  ['sort of ints', ({ i: v }) => v.sort({ descending: true }), 'np.sort(i)[:, ::-1]'],
  ['sort with NaN', ({ g: v }) => v.sort(), 'np.sort(g)'],
  ['argsort', ({ i: v }) => v.argsort(), 'np.argsort(i, kind="stable")'],
  ['argsort, falling', ({ i: v }) => v.argsort({ descending: true }), 'torch.sort(t(i), descending=True, stable=True).indices'],
  ['argsort with NaN', ({ g: v }) => v.argsort({ axis: 0 }), 'np.argsort(g, axis=0, kind="stable")'],
  ['lexsort', ({ x: v, i: w }) => lexsort([v.slice([0, 5], 0), w.slice(null, 1)]), 'np.lexsort((x[0:5, 0], i[:, 1]))'],
  ['topk', ({ x: v }) => v.topk(3).values, 'torch.topk(t(x), 3).values'],
  ['topk, where', ({ x: v }) => v.topk(2, { axis: 0, largest: false }).indices, 'np.argsort(x, axis=0, kind="stable")[:2]'],
  ['kthValue', ({ s: v }) => v.kthValue(4, { axis: 0, keepDims: true }).values, 'torch.kthvalue(t(s), 4, 0, keepdim=True).values'],
  ['partition', ({ x: v }) => v.partition(4).slice(null, 4), 'np.partition(x, 4)[:, 4]'],
  ['mode', ({ i: v }) => v.mode({ axis: 1 }).values, 'torch.mode(t(i), 1).values'],
  ['mode of all', ({ i: v }) => v.mode({ axis: [0, 1] }).counts, 'np.unique(i, return_counts=True)[1].max()'],
]);

const methods = ['inverted_cdf', 'averaged_inverted_cdf', 'closest_observation', 'interpolated_inverted_cdf', 'hazen', 'weibull',
  'linear', 'median_unbiased', 'normal_unbiased', 'lower', 'higher', 'midpoint', 'nearest'];

oracleTest('quantiles', { x, s, i, g }, [
  ['median', ({ x: v }) => v.median(), 'np.median(x)'],
  ['median of rows', ({ s: v }) => v.median({ axis: 1 }), 'np.median(s, axis=1)'],
  ['median of ints', ({ i: v }) => v.median({ axis: [0, 1], keepDims: true }), 'np.median(i, axis=(0, 1), keepdims=True)'],
  ['median with NaN', ({ g: v }) => v.median({ axis: 0 }), 'np.median(g, axis=0)'],
  ['nanMedian', ({ g: v }) => v.nanMedian({ axis: 1 }), 'np.nanmedian(g, axis=1)'],
  ['nanMedian of all', ({ g: v }) => v.nanMedian(), 'np.nanmedian(g)'],
  ['percentile', ({ x: v }) => v.percentile([5, 50, 99], { axis: 0 }), 'np.percentile(x, [5, 50, 99], axis=0)'],
  ['quantile with NaN', ({ g: v }) => v.quantile(0.4, { axis: 1, keepDims: true }), 'np.quantile(g, 0.4, axis=1, keepdims=True)'],
  ...methods.map((method) => /** @type {any} */ ([
    `quantile, ${method}`,
    // Not 0.5, for which NumPy 1 takes the wrong one of two elements by 'closest_observation'.
    (/** @type {any} */ { x: v }) => v.quantile([0, 0.07, 0.51, 0.83, 1], { axis: 1, method }),
    `np.quantile(x, [0, 0.07, 0.51, 0.83, 1], axis=1, method="${method}")`,
  ])),
  ...methods.map((method) => /** @type {any} */ ([
    `nanQuantile, ${method}`,
    (/** @type {any} */ { g: v }) => v.nanQuantile([0.07, 0.51, 1], { axis: 1, method }),
    `np.nanquantile(g, [0.07, 0.51, 1], axis=1, method="${method}")`,
  ])),
  ['nanPercentile of all', ({ g: v }) => v.nanPercentile(30, { keepDims: true }), 'np.nanpercentile(g, 30, keepdims=True)'],
  ['nanQuantile of ints', ({ i: v }) => v.nanQuantile(0.3, { axis: 0 }), 'np.quantile(i, 0.3, axis=0)'],
  ['quantile of ints, lower', ({ i: v }) => v.quantile(0.3, { method: 'lower' }), 'np.quantile(i, 0.3, method="lower")'],
]);

const samples = { places: tensor([-2, -0.5, 0, 1, 3]), heights: tensor([1, -1, 2, 2, Infinity]), mixed: tensor([3, -1, 0.5, 2, -2.5]), x, i };

oracleTest('functions known at some places', samples, [
  ['interp', ({ x: v, places, heights }) => v.interp(places, heights), 'np.interp(x, places, heights)'],
  ['interp with ends', ({ i: v, places, heights }) => v.interp(places, heights, { left: -7, right: 0.5 }), 'np.interp(i, places, heights, left=-7, right=0.5)'],
  ['interp of one place', ({ x: v }) => v.interp([1], [5]), 'np.interp(x, [1], [5])'],
  ['interp with a period', ({ x: v, mixed, places }) => v.interp(mixed, places, { period: -5.5 }), 'np.interp(x, mixed, places, period=-5.5)'],
  ['gradient', ({ x: v }) => v.gradient({ axis: 0, spacing: 0.5 }), 'np.gradient(x, 0.5, axis=0)'],
  ['gradient of ints', ({ i: v }) => v.gradient({ spacing: 0.5, edgeOrder: 2 }), 'np.gradient(i, 0.5, axis=-1, edge_order=2)'],
  ['gradient at places', ({ x: v, places }) => v.slice(null, [0, 5]).gradient({ spacing: places, edgeOrder: 2 }), 'np.gradient(x[:, :5], places, axis=1, edge_order=2)'],
]);

const line = tensor([-3, -1, -1, 0, 0.5, 2, 2, 2, NaN]);
const edges = tensor([-2, 0, 1, 3]);
const wanted = tensor([-9, -3, -1, -0, 0.25, 2, 7, NaN, Infinity]);

oracleTest('searches', { line, edges, wanted, x, i }, [
  ['searchsorted', ({ line: v, wanted: w }) => v.searchsorted(w), 'np.searchsorted(line, wanted)'],
  ['searchsorted, right', ({ line: v, wanted: w }) => v.searchsorted(w, { side: 'right' }), 'np.searchsorted(line, wanted, side="right")'],
  ['searchsorted in an order', ({ wanted: v, x: w }) => v.searchsorted(w, { sorter: v.argsort() }), 'np.searchsorted(wanted, x, sorter=np.argsort(wanted))'],
  ['bucketize', ({ edges: v, x: w }) => w.bucketize(v), 'torch.bucketize(t(x), t(edges))'],
  ['bucketize, right', ({ edges: v, x: w }) => w.bucketize(v, { right: true }), 'torch.bucketize(t(x), t(edges), right=True)'],
  ['digitize', ({ edges: v, x: w }) => w.digitize(v), 'np.digitize(x, edges)'],
  ['digitize, right', ({ edges: v, x: w }) => w.digitize(v, { right: true }), 'np.digitize(x, edges, right=True)'],
  ['isin', ({ i: v }) => v.isin([1, -2, 3]), 'np.isin(i, [1, -2, 3])'],
  ['isin, not', ({ x: v, edges: w }) => v.isin(w, { invert: true }), 'np.isin(x, edges, invert=True)'],
]);
