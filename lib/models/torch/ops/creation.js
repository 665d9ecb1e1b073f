/**
 * Ops that make tensors of sizes and numbers.
 */
'use strict';

const { append } = require('../../../graph/value.js');
const { Sizes } = require('../../shared/operands.js');
const { bounded } = require('../guard.js');
const { commonDtype } = require('../promotion.js');
const { isNumber } = require('../values.js');

/** @typedef {import('../call.js').Call} Call */
/** @typedef {number | string} Size */

/** @type {(call: Call, number: any, dtype: any, shape: readonly Size[]) => any} a number everywhere */
const filled = (call, number, dtype, shape) => call.lift(number, dtype, 'the value').broadcastTo([...shape]);

/** @type {(number: bigint) => any} */
const constant = (number) => ({ fold: false, compute: (/** @type {Call} */ call) => filled(call, number, call.dtype() ?? 'f32', call.sizes('size')) });

/** In the shape and dtype of another tensor. @type {(number: (call: Call) => any) => any} */
const like = (number) => ({
  fold: false,
  compute: (/** @type {Call} */ call) => {
    const operand = call.operand('self');
    return filled(call, number(call), call.dtype() ?? operand.dtype, call.cx.shape(operand));
  },
});

/** In the dtype of another tensor. @type {(number: (call: Call) => any) => any} */
const fresh = (number) => ({ fold: false, compute: (/** @type {Call} */ call) => filled(call, number(call), call.dtype() ?? call.operand('self').dtype, call.sizes('size')) });

/** @type {(call: Call) => any} `arange(end)`, `arange(start, end)`, `arange(start, end, step)` */
function arange(call) {
  const { a, b } = call.args;
  const isShort = !isNumber(b);
  const [start, end, step] = [isShort ? 0n : a, isShort ? a : b, call.args.step];
  const dtype = call.dtype() ?? commonDtype([start, end, step]);
  const { cx } = call;
  const [from, to, by] = [start, end, step].map((each) => sizeOrNumber(call, each));
  const { state } = cx;
  if (typeof from === 'string' || typeof to === 'string') {
    if (by !== 1) return call.fail('ERR_SHAPE', 'how many elements there are depends on sizes');
    const [first, last] = [from, to].map((each) => (typeof each === 'number' && each < 0 ? call.fail('ERR_SHAPE', 'a range of sizes begins below 0') : state.dim(each, 'a bound', 'load')));
    const places = /** @type {any} */ (cx.iota([state.text(first === 0 ? last : state.max(state.sub(last, first), 0))], 'i64'));
    return places.add(cx.sizeValue(from)).astype(dtype);
  }
  const count = Math.max(Math.ceil((/** @type {number} */ (to) - /** @type {number} */ (from)) / /** @type {number} */ (by)), 0);
  const isWhole = /^[iu]/.test(dtype);
  const places = /** @type {any} */ (cx.iota([count], isWhole ? 'i64' : 'f64'));
  return places.mul(by).add(from).astype(dtype);
}

/** @type {(call: Call, value: any) => Size} */
function sizeOrNumber(call, value) {
  if (value?.operand instanceof Sizes) return call.cx.sizes(value.operand, 'a bound')[0];
  if (typeof value === 'bigint' || typeof value === 'number') return Number(value);
  return call.cx.number(value.operand, 'a bound');
}

/** @type {(call: Call) => any} */
function linspace(call) {
  const [from, to, count] = [call.number('start'), call.number('end'), call.int('steps')];
  const places = /** @type {any} */ (call.cx.iota([count], 'f64'));
  const step = count > 1 ? (to - from) / (count - 1) : 0;
  // From both ends, as PyTorch does, so that the last element is the end itself.
  const half = Math.floor(count / 2);
  return places.lt(half).select(places.mul(step).add(from), places.sub(count - 1).mul(step).add(to)).astype(call.dtype() ?? 'f32');
}

/** @type {(call: Call) => any} */
function eye(call) {
  const [rows, columns] = [call.size('n'), call.has('m') ? call.size('m') : call.size('n')];
  const at = (/** @type {number} */ axis) => /** @type {any} */ (call.cx.iota([rows, columns], 'i64', axis));
  return at(0).eq(at(1)).astype(call.dtype() ?? 'f32');
}

/** @type {(below: boolean) => (call: Call) => any} */
const triangle = (below) => (call) => {
  const value = call.value();
  return value[below ? 'tril' : 'triu']({ k: call.int('diagonal') });
};

/** @type {(below: boolean) => (call: Call) => any} */
const triangleIndices = (below) => (call) => {
  const [rows, columns, offset] = [call.int('row'), call.int('col'), call.int('offset')];
  bounded(rows * columns, 'elements');
  const pairs = Array.from({ length: rows }, (_, i) => Array.from({ length: columns }, (__, k) => [i, k])).flat();
  const kept = pairs.filter(([i, k]) => (below ? k - i <= offset : k - i >= offset));
  const all = call.cx.constant(BigInt64Array.from([...kept.map(([i]) => i), ...kept.map(([, k]) => k)], BigInt), 'i64');
  return /** @type {any} */ (all).reshape([2, kept.length]);
};

/** @type {(call: Call) => any} a vector on the diagonal, or the diagonal of a matrix */
const diag = (call) => call.value().diag({ offset: call.int('diagonal') });

/** @type {(call: Call) => any} vectors along the last axis as diagonals of matrices */
function diagEmbed(call) {
  const value = call.value();
  if (call.int('offset') !== 0 || call.int('dim1') !== -2 || call.int('dim2') !== -1) call.fail('ERR_UNSUPPORTED', 'diagonals lie along the last two axes, without an offset');
  const size = value.shape[value.rank - 1];
  const at = (/** @type {number} */ axis) => append(call.cx.state, 'iota', [], { dtype: 'i64', shape: call.cx.state.dims([size, size], 'load'), axis });
  const wide = value.expandDims(-1).broadcastTo([...value.shape, size]);
  return /** @type {any} */ (at(0)).eq(at(1)).select(wide, 0);
}

/** @type {(window: (places: any, count: number) => any) => (call: Call) => any} */
const window = (make) => (call) => {
  const length = call.int('window_length');
  if (length === 1) return call.cx.constant([1], call.dtype() ?? 'f32');
  const count = call.args.periodic === false ? length - 1 : length;
  return make(/** @type {any} */ (call.cx.iota([length], 'f64')), count).astype(call.dtype() ?? 'f32');
};

/** @type {(a: number, b: number) => (places: any, count: number) => any} */
const cosine = (a, b) => (places, count) => places.mul((2 * Math.PI) / count).cos().mul(-b).add(a);

/** @type {import('./index.js').Ops} */
const ops = {
  'zeros(size, *, dtype=None)': constant(0n), 'ones(size, *, dtype=None)': constant(1n), 'empty(size, *, dtype=None)': constant(0n),
  'full(size, fill_value, *, dtype=None)': { fold: false, compute: (call) => filled(call, call.args.fill_value, call.dtype() ?? commonDtype([call.args.fill_value]), call.sizes('size')) },
  'zeros_like(self, *, dtype=None)': like(() => 0n), 'ones_like(self, *, dtype=None)': like(() => 1n), 'empty_like(self, *, dtype=None)': like(() => 0n),
  'full_like(self, fill_value, *, dtype=None)': like((call) => call.args.fill_value),
  'new_zeros(self, size, *, dtype=None)': fresh(() => 0n), 'new_ones(self, size, *, dtype=None)': fresh(() => 1n), 'new_empty(self, size, *, dtype=None)': fresh(() => 0n),
  'new_full(self, size, fill_value, *, dtype=None)': fresh((call) => call.args.fill_value),
  'scalar_tensor(self, *, dtype=None)': { fold: false, compute: (call) => call.lift(call.args.self, call.dtype() ?? 'f32', 'the number') },
  'arange(a|end|start, b|end=None, step=1, *, dtype=None)': { fold: false, compute: arange },
  'range(a|start, b|end, step=1, *, dtype=None)': (call) => call.fail('ERR_UNSUPPORTED', 'use arange'),
  'linspace(start, end, steps=100, *, dtype=None)': { fold: false, compute: linspace },
  'eye(n, m=None, *, dtype=None)': { fold: false, compute: eye },
  'tril(self, diagonal=0)': triangle(true), 'triu(self, diagonal=0)': triangle(false),
  'tril_indices(row, col, offset=0, *, dtype=None)': { fold: false, compute: triangleIndices(true) },
  'triu_indices(row, col, offset=0, *, dtype=None)': { fold: false, compute: triangleIndices(false) },
  'diag(self, diagonal=0)': diag, 'diagflat(self, offset=0)': (call) => call.value().reshape([-1]).diag({ offset: call.int('offset') }),
  'diag_embed(self, offset=0, dim1=-2, dim2=-1)': diagEmbed,
  'hann_window(window_length, periodic=True, *, dtype=None)': { fold: false, compute: window(cosine(0.5, 0.5)) },
  'hamming_window(window_length, periodic=True, *, dtype=None)': { fold: false, compute: window(cosine(0.54, 0.46)) },
  'blackman_window(window_length, periodic=True, *, dtype=None)': {
    fold: false,
    compute: window((places, count) => {
      const second = places.mul((4 * Math.PI) / count).cos().mul(0.08);
      return cosine(0.42, 0.5)(places, count).add(second);
    }),
  },
  'bartlett_window(window_length, periodic=True, *, dtype=None)': { fold: false, compute: window((places, count) => places.sub(count / 2).abs().mul(-2 / count).add(1)) },
};

module.exports = { filled, ops };
