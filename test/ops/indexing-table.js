// Rows of gather, the scatters and compress, in the form that table.js explains; indexing.test.js has the rest.
'use strict';

const { ALL, INTEGERS, NUMERIC } = require('../support/values.js');

/** @typedef {import('graphjit').Graph} Graph */
/** @typedef {import('graphjit').Value} Value */

/** Rows by number: each index picks one. */
const rowsBy = { collapsedAxes: [0], indexMap: [0] };
const input = (/** @type {any} */ g, dtype = 'f32', /** @type {any} */ shape = [3, 4], name = 'x') => g.input(name, dtype, shape);
const places = (/** @type {any} */ g, /** @type {number[][]} */ at) => g.constant(at, { dtype: 'i32' });
const table = (/** @type {any} */ g, dtype = 'i32') => g.constant([[1, 2], [3, 4], [5, 6]], { dtype });

/** @type {(method: string) => any[][]} what no roles are */
const badRoles = (method) => [
  [(/** @type {any} */ g) => input(g)[method](input(g, 'f32', [2, 1], 'i'), input(g, 'f32', [2, 4], 'u'), { ...rowsBy, offsetAxes: [1] }), 'ERR_DTYPE', /: expected integers for the indices, got Value %2 f32/],
  [(/** @type {any} */ g) => input(g)[method](places(g, [[0]]), input(g, 'f32', [1, 4], 'u'), { ...rowsBy, offsetAxis: [1] }), 'ERR_ARGUMENT', /unknown option 'offsetAxis' \(did you mean 'offsetAxes'\?\)/],
];

/** @type {(method: string, result: any, extra?: any[][]) => any} rows 0 and 2 of a table and one outside, updated twice */
const scattering = (method, result, extra = []) => ({
  dtypes: NUMERIC,
  examples: [
    [(/** @type {any} */ g) => table(g)[method](places(g, [[0], [2], [0], [-1], [3]]), g.constant([[2, 3], [4, 5], [6, 7], [8, 9], [1, 1]], { dtype: 'i32' }), { ...rowsBy, offsetAxes: [1] }), result],
    ...extra,
  ],
  bad: badRoles(method),
});

/** Values at places that other values give, or where they are true. */
const indexing = {
  gather: {
    dtypes: ALL,
    examples: [
      [(g) => table(g).gather(places(g, [[2], [0], [9], [-1]]), { ...rowsBy, offsetAxes: [1], window: [1, 2] }), [[5, 6], [1, 2], [5, 6], [1, 2]]],
      [(g) => table(g, 'f64').gather(places(g, [[1, 1], [0, 0]]), { collapsedAxes: [0, 1], indexMap: [0, 1], window: [1, 1] }), [4, 1]],
    ],
    bad: [
      [(g) => input(g).gather(input(g, 'f32', [2, 1], 'i'), { ...rowsBy, offsetAxes: [1], window: [1, 4] }), 'ERR_DTYPE', /: expected integers for the indices, got Value %2 f32/],
      [(g) => input(g).gather(places(g, [[0]]), { ...rowsBy, offsetAxes: [1], window: [1, 5] }), 'ERR_SHAPE', /window/],
    ],
  },
  scatter: { ...scattering('scatter', [[6, 7], [3, 4], [4, 5]]), dtypes: ALL },
  scatter_add: scattering('scatterAdd', [[9, 12], [3, 4], [9, 11]]),
  scatter_mul: scattering('scatterMul', [[12, 42], [3, 4], [20, 30]]),
  scatter_min: { ...scattering('scatterMin', [[1, 2], [3, 4], [4, 5]]), dtypes: ALL },
  scatter_max: { ...scattering('scatterMax', [[6, 7], [3, 4], [5, 6]]), dtypes: ALL },
  scatter_and: { ...scattering('scatterAnd', [[0, 2], [3, 4], [4, 4]]), dtypes: ['bool', ...INTEGERS] },
  scatter_or: { ...scattering('scatterOr', [[7, 7], [3, 4], [5, 7]]), dtypes: ['bool', ...INTEGERS] },
  compress: {
    dtypes: ALL,
    examples: [
      [(g) => table(g).compress(g.constant([true, false, true]), { axis: 0 }), [[1, 2], [5, 6]]],
      [(g) => table(g, 'f64').compress(g.constant([false, true]), { axis: 1 }), [[2], [4], [6]]],
      [(g) => table(g).compress(g.constant([false, false, false]), { axis: 0 }), []],
      [(g) => table(g).compress(g.constant([false, true, true]), { axis: 0, size: 3, fill: 9 }), [[3, 4], [5, 6], [9, 9]]],
    ],
    bad: [
      [(g) => input(g).compress(g.constant([true, false]), { axis: 0 }), 'ERR_SHAPE', /axis 0 of \[3, 4\].*differs from the mask's.*2/],
      [(g) => input(g).compress(g.constant([true, false, true]), { axes: 0 }), 'ERR_ARGUMENT', /unknown option 'axes' \(did you mean 'axis'\?\)/],
    ],
  },
};

module.exports = { indexing };
