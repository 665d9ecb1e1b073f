/**
 * Inverses of matrices by Gauss-Jordan elimination with row pivots.
 *
 * One loop over the columns of [x, identity]: the row with the greatest element of a column takes its place on the
 * diagonal, is divided by it, and takes the column away from all others. A matrix without an inverse gives NaN or
 * infinities. What one needs inverses for in models are transforms of a few rows; nothing here is blocked.
 */
'use strict';

const { joins } = require('../../ops/movement.js');
const { control } = require('../../trace/control.js');
const { sliceAxes } = require('./slices.js');

/** @typedef {import('./builder.js').Builder} Builder */

/**
 * @param {any} step number of the column
 * @param {any} left [matrices, n, 2n]
 * @param {Builder} cx
 * @returns {any}
 */
function eliminated(step, left, cx) {
  const row = /** @type {any} */ (cx.iota([1, left.shape[1], 1], 'i64', 1));
  const column = /** @type {any} */ (cx.iota([1, 1, left.shape[2]], 'i64', 2));
  /** @type {(mask: any, from: any, axis: number) => any} the row or the column of a mask */
  const only = (mask, from, axis) => mask.select(from, 0).sum({ axis, keepDims: true });
  const [isOwn, isFirst] = [column.eq(step), row.eq(step)];
  const size = row.ge(step).select(only(isOwn, left, 2).abs(), -1);
  const isBest = row.eq(size.argmax({ axis: 1, keepDims: true }));
  const [best, first] = [only(isBest, left, 1), only(isFirst, left, 1)];
  const swapped = isFirst.select(best, isBest.select(first, left));
  const top = best.div(only(isOwn, best, 2));
  return isFirst.select(top, swapped.sub(only(isOwn, swapped, 2).mul(top)));
}

/**
 * @param {any} x floats [..., n, n]
 * @param {Builder} cx
 * @returns {any}
 */
function inverse(x, cx) {
  const { forLoop } = /** @type {any} */ (control);
  const { state } = cx;
  const size = x.shape.at(-1);
  if (x.rank < 2 || size !== x.shape.at(-2)) return cx.fail('ERR_SHAPE', `expected square matrices, got [${x.shape}]`);
  const count = state.text(state.product(state.dims(x.shape.slice(0, -2), 'load')));
  const [row, column] = [1, 2].map((axis) => /** @type {any} */ (cx.iota([1, size, size], 'i64', axis)));
  const identity = row.eq(column).astype(x.dtype).broadcastTo([count, size, size]);
  const both = joins.concat([x.reshape([count, size, size]), identity], { axis: 2 });
  const all = forLoop(0, size, (/** @type {any} */ step, /** @type {any} */ left) => eliminated(step, left, cx), both);
  const twice = state.text(state.mul(state.dim(size, 'a size', 'load'), 2));
  return sliceAxes(all, [size], [twice], [2], [1], cx).reshape(x.shape);
}

module.exports = { inverse };
