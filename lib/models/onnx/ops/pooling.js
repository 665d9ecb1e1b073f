/**
 * Pools. Windows that reach beyond both ends by `auto_pad` or `ceil_mode` take sizes that a run knows, too.
 */
'use strict';

const { averagePool, lpPool, maxPool, maxPoolWithIndices } = require('../../shared/convolution.js');
const { listOf, slidesOf, windowOf } = require('./windows.js');

/** @typedef {import('../../shared/builder.js').Builder} Builder */
/** @typedef {import('../../shared/builder.js').Translation} Translation */

/** @type {(node: any, operand: any, cx: Builder) => { x: any, windows: any }} */
function poolOf(node, operand, cx) {
  const x = /** @type {any} */ (cx.value(operand));
  const count = x.rank - 2;
  const slides = slidesOf(node, count, cx);
  const ceilMode = node.attr('ceil_mode', 0) === 1 && typeof slides.padding !== 'string';
  return { x, windows: { ...slides, window: windowOf(node, count, cx), ceilMode } };
}

/** @type {Translation['translate']} */
function maximum(node, [operand], cx) {
  const { x, windows } = poolOf(node, operand, cx);
  if (!node.hasOutput(1)) return maxPool(cx, x, windows);
  const order = node.attr('storage_order', 0) === 1 ? 'columnMajor' : 'rowMajor';
  const { values, indices } = maxPoolWithIndices(cx, x, windows, { order, perChannel: false });
  return [values, indices];
}

/**
 * Indices count through the tensor that these windows make; a size that is given is filled up.
 *
 * @type {Translation['translate']}
 */
function unpool(node, [operand, indices, size], cx) {
  const x = /** @type {any} */ (cx.value(operand));
  const count = x.rank - 2;
  const { stride, padding } = slidesOf(node, count, cx);
  const own = x.maxUnpool(cx.value(indices, 'i64'), windowOf(node, count, cx), { stride, padding, perChannel: false });
  if (size === undefined || size === null) return own;
  const { state } = cx;
  const widths = cx.sizes(size, 'the output shape').map((/** @type {any} */ each, axis) => {
    const [wanted, made] = [each, own.shape[axis]].map((dim) => state.dim(dim, 'a size', 'load'));
    const more = state.text(state.sub(wanted, made));
    if (typeof more === 'string') cx.fail('ERR_UNSUPPORTED', `the output shape needs ${more} elements more`);
    return [0, more];
  });
  return own.pad(widths);
}

/** @type {(name: string) => Translation['translate']} */
const globally = (name) => (_, [x], cx) => {
  const value = /** @type {any} */ (cx.value(x));
  return value.rank > 2 ? value[name]() : value;
};

/** @type {Translation['translate']} */
function globalLp(node, [x], cx) {
  const value = /** @type {any} */ (cx.value(x));
  const axis = value.shape.map((/** @type {any} */ _, /** @type {number} */ i) => i).slice(2);
  return value.vectorNorm({ ord: node.attr('p', 2), axis, keepDims: true });
}

/**
 * Regions [number of the image, x1, y1, x2, y2], each in bins of whole elements of which the greatest counts. Where
 * bins begin and end depends on data, so the greatest is taken under a mask: along each axis, one after the other.
 *
 * @type {Translation['translate']}
 */
function regions(node, [operand, rois], cx) {
  const [x, r] = [/** @type {any} */ (cx.value(operand)), /** @type {any} */ (cx.value(rois))];
  const bins = /** @type {number[]} */ (listOf(node, 'pooled_shape', 2, undefined, cx));
  const scale = node.attr('spatial_scale', 1);
  const column = (/** @type {number} */ i) => r.slice(null, i);
  const place = (/** @type {number} */ i) => roundAway(column(i).mul(scale));
  let result = x.take(column(0).astype('i64'), { axis: 0 });
  let isEmpty;
  for (const [i, axis] of [2, 3].entries()) {
    const [from, to] = [place(2 - i), place(4 - i)];
    const step = to.sub(from).add(1).max(1).div(bins[i]);
    const bin = /** @type {any} */ (cx.iota([1, bins[i]], r.dtype, 1));
    const [low, high] = [bin.mul(step.expandDims(1)).floor(), bin.add(1).mul(step.expandDims(1)).ceil()];
    const size = cx.value(cx.sizeValue(x.shape[axis]), r.dtype);
    const bounds = [low, high].map((each) => each.add(from.expandDims(1)).max(0).min(size).expandDims(2));
    // [regions, bins, places]
    const at = /** @type {any} */ (cx.iota([1, 1, x.shape[axis]], r.dtype, 2));
    const inside = at.ge(bounds[0]).and(at.lt(bounds[1]));
    const shape = [inside.shape[0], 1, ...(i === 0 ? [bins[0], inside.shape[2], 1] : [1, bins[1], inside.shape[2]])];
    const wide = result.expandDims(axis);
    result = inside.reshape(shape).select(wide, -Infinity).max({ axis: axis + 1 });
    const none = bounds[1].le(bounds[0]).reshape([inside.shape[0], 1, ...(i === 0 ? [bins[0], 1] : [1, bins[1]])]);
    isEmpty = isEmpty === undefined ? none : isEmpty.or(none);
  }
  return isEmpty.select(0, result);
}

/** To the nearest integer, halves away from 0. @type {(x: any) => any} */
const roundAway = (x) => x.abs().add(0.5).floor().mul(x.sign());

/** @type {import('./index.js').Tables} */
const ops = {
  'ai.onnx': {
    AveragePool(node, [operand], cx) {
      const { x, windows } = poolOf(node, operand, cx);
      return averagePool(cx, x, windows, node.attr('count_include_pad', 0) === 1);
    },
    LpPool(node, [operand], cx) {
      const { x, windows } = poolOf(node, operand, cx);
      return lpPool(cx, x, windows, node.attr('p', 2));
    },
    MaxPool: maximum, MaxUnpool: unpool, MaxRoiPool: regions,
    GlobalAveragePool: globally('globalAvgPool'), GlobalMaxPool: globally('globalMaxPool'), GlobalLpPool: globalLp,
  },
};

module.exports = { ops };
