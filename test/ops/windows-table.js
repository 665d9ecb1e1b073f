// Rows of the ops that slide windows, in the form that table.js explains.
'use strict';

const { ALL, NUMERIC } = require('../support/values.js');

/** @typedef {import('graphjit').Graph} Graph */
/** @typedef {import('graphjit').Value} Value */

const input = (/** @type {Graph} */ g, dtype = 'f32', /** @type {any} */ shape = [3, 4], name = 'x') => g.input(name, /** @type {any} */ (dtype), shape);
const none = (/** @type {Graph} */ g, /** @type {any} */ dtype) => g.constant(new Float64Array(0)).astype(dtype).reshape([2, 0]);

/** Vectors as one image with one channel. @type {(g: Graph, values: any, dtype?: string) => Value} */
const line = (g, values, dtype = 'f32') => g.constant([[values]], { dtype: /** @type {any} */ (dtype) });

/** @type {(method: string) => any[][]} what is no window */
const badWindow = (method) => [
  [(/** @type {any} */ g) => input(g)[method]([2]), 'ERR_SHAPE', new RegExp(`^${method}: expected a size, or 2 of them, for the window`)],
  [(/** @type {any} */ g) => input(g)[method]([1, 0]), 'ERR_ARGUMENT', /window of axis 1 is 0, expected at least 1/],
  [(/** @type {any} */ g) => input(g)[method](2, { stride: 0 }), 'ERR_ARGUMENT', new RegExp(`^${method}: expected an integer of at least 1 for option 'stride'`)],
  [(/** @type {any} */ g) => input(g)[method]([1, 7]), 'ERR_SHAPE', /a window that reaches over 7 elements does not fit into axis 1, which has 4 with its padding/],
  [(/** @type {any} */ g) => input(g)[method](1, { padding: -2 }), 'ERR_SHAPE', /does not fit into axis 0, which has -1 with its padding/],
  [(/** @type {any} */ g) => input(g, 'f32', ['n'])[method](3, { stride: 2, padding: 'same' }), 'ERR_SHAPE', /padding 'same' with stride 2 takes a known size, but axis 0 has n/],
];

/** Windows that slide. */
const windows = {
  conv: {
    dtypes: NUMERIC,
    examples: [
      [(g) => line(g, [1, 2, 3, 4]).conv(g.constant([[[1, 10]]], { dtype: 'f32' })), [[[21, 32, 43]]]],
      [(g) => line(g, [1, 2, 3, 4], 'i8').conv(g.constant([[[100, 1]]], { dtype: 'i8' }), { padding: 1, stride: 2 }), [[[1, -53, -112]]]],
      [(g) => line(g, [1, 2, 3], 'u64').conv(g.constant([[[1, 10, 100]]], { dtype: 'u64' }), { baseDilation: 2, padding: [[2, 2]] }), [[[100n, 10n, 201n, 20n, 302n, 30n, 3n]]]],
      [(g) => line(g, [1, Infinity, 3]).conv(g.constant([[[0, 1]]], { dtype: 'f32' }), { padding: [[1, 0]] }), [[[1, Infinity, NaN]]]],
      [(g) => line(g, [1, 2]).conv(g.constant([[[Infinity, 1]]], { dtype: 'f32' }), { padding: [[1, 0]] }), [[[NaN, Infinity]]]],
      [(g) => g.constant([[[1, 2, 3], [4, 5, 6]]], { dtype: 'f64' }).conv(g.constant([[[1, -1]], [[0, 1]]], { dtype: 'f64' }), { groups: 2 }), [[[-1, -1], [5, 6]]]],
    ],
    bad: [
      [(g) => input(g, 'bool', [1, 2, 3]).conv(input(g, 'bool', [1, 2, 3], 'w')), 'ERR_DTYPE', /conv: operand 1 \(%1\) is bool, but the op takes numbers/],
      [(g) => input(g).conv(input(g, 'f32', [1, 2], 'w')), 'ERR_SHAPE', /^conv: expected a rank from 3 to 5 for the input, got shape \[3, 4\]/],
      [(g) => input(g, 'f32', [1, 2, 5]).conv(input(g, 'f32', [1, 2], 'w')), 'ERR_SHAPE', /expected kernel and input of one rank, got shapes \[1, 2\] and \[1, 2, 5\]/],
      [(g) => input(g, 'f32', [1, 3, 5]).conv(input(g, 'f32', [1, 2, 2], 'w')), 'ERR_SHAPE', /has 3 channels, but kernel \[1, 2, 2\] takes 2 in each of 1 groups/],
      [(g) => input(g, 'f32', [1, 4, 5]).conv(input(g, 'f32', [3, 2, 2], 'w'), { groups: 2 }), 'ERR_SHAPE', /3 result channels cannot be divided into 2 groups/],
      [(g) => input(g, 'f32', [1, 2, 5]).conv(input(g, 'f32', [1, 2, 7], 'w')), 'ERR_SHAPE', /reaches over 7 elements does not fit into axis 0, which has 5/],
      [(g) => input(g, 'f32', [1, 2, 5]).conv(input(g, 'f32', [1, 2, 2], 'w'), { padding: 2 ** 50 }), 'ERR_OVERFLOW', /beyond 2\^47/],
    ],
  },
  window_sum: {
    dtypes: NUMERIC,
    examples: [
      [(g) => g.constant([1, 2, 3, 4]).windowSum(2), [3, 5, 7]], [(g) => g.constant([-0, -0]).windowSum(1), [0, 0]],
      [(g) => g.constant([100, 100, 1], { dtype: 'i8' }).windowSum(2), [-56, 101]], [(g) => none(g, 'f64').windowSum([2, 1]), [[]]],
      [(g) => g.constant([1, 2, 3]).windowSum(2, { padding: [[1, 3]], stride: 2 }), [1, 5, 0]],
      [(g) => g.constant([1, 2, 3]).windowSum(3, { baseDilation: 2 }), [3, 2, 5]], [(g) => g.constant(5).windowSum([]), 5],
    ],
    bad: badWindow('windowSum'),
  },
  window_prod: {
    dtypes: NUMERIC,
    examples: [[(g) => g.constant([2, 3, 4]).windowProd(2, { padding: 1 }), [2, 6, 12, 4]], [(g) => g.constant([16, 17, 1], { dtype: 'i8' }).windowProd(2), [16, 17]]],
    bad: badWindow('windowProd'),
  },
  window_min: {
    dtypes: ALL,
    examples: [
      [(g) => g.constant([3, 1, 2, 0]).windowMin(2, { dilation: 2 }), [2, 0]], [(g) => g.constant([1, NaN, 2, 3]).windowMin(2), [NaN, NaN, 2]],
      [(g) => g.constant([7], { dtype: 'i8' }).windowMin(1, { padding: 1 }), [127, 7, 127]], [(g) => g.constant([true, false]).windowMin(1, { padding: 1 }), [true, true, false, true]],
    ],
    bad: badWindow('windowMin'),
  },
  window_max: {
    dtypes: ALL,
    examples: [
      [(g) => g.constant([3, 1, 2, 0]).windowMax(2, { stride: 2 }), [3, 2]], [(g) => g.constant([-0, 0]).windowMax(2), [0]],
      [(g) => g.constant([7]).windowMax(1, { padding: 1 }), [-Infinity, 7, -Infinity]], [(g) => g.constant([1, 5, 2, 9, 3]).windowMax(3, { padding: -1 }), [9]],
    ],
    bad: badWindow('windowMax'),
  },
};

module.exports = { windows };
