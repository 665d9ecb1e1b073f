/**
 * Images: other sizes, parts of them, and projective transforms. Channels are the last axis.
 */
'use strict';

const { joins } = require('../../../ops/movement.js');

/** @typedef {import('../../shared/builder.js').Builder} Builder */
/** @typedef {import('../../shared/builder.js').Translation} Translation */

/** Places of the result in the input, by two attributes. @type {(node: any) => 'alignCorners' | 'halfPixel' | 'asymmetric'} */
function coordinatesOf(node) {
  if (node.attr('align_corners', false)) return 'alignCorners';
  return node.attr('half_pixel_centers', false) ? 'halfPixel' : 'asymmetric';
}

/** @type {(mode: 'linear' | 'cubic', options?: any) => Translation['translate']} */
const resize = (mode, options) => (node, [given, size], cx) => {
  const x = /** @type {any} */ (cx.value(given));
  const source = /^[fb]/.test(x.dtype) && x.dtype !== 'bool' ? x : x.astype('f32');
  return source.resize({ size: cx.sizes(size, 'the size'), layout: 'NHWC', mode, coordinates: coordinatesOf(node), ...options }).astype('f32');
};

/** @type {Translation['translate']} */
function resizeNearest(node, [given, size], cx) {
  const named = coordinatesOf(node);
  const coordinates = named === 'halfPixel' ? 'tfHalfPixelForNn' : named;
  const rounding = named === 'alignCorners' ? 'preferCeil' : 'floor';
  return /** @type {any} */ (cx.value(given)).resize({ size: cx.sizes(size, 'the size'), layout: 'NHWC', mode: 'nearest', coordinates, rounding });
}

/** Images at places [...], which may lie between elements; `fill` beyond the ends. @typedef {{ image: any, batch: any, y: any, x: any, fill: any, isNearest: boolean, edge: 'fill' | 'mix' }} Sampling */

/**
 * Elements of images at places: the nearest, or four neighbours mixed.
 *
 * @param {Sampling} sampling
 * @param {Builder} cx
 * @returns {any} with channels as the last axis
 */
function sampled({ image, batch, y, x, fill, isNearest, edge }, cx) {
  const last = [1, 2].map((axis) => /** @type {any} */ (cx.value(cx.sizeValue(image.shape[axis]))).sub(1).astype(y.dtype));
  const isInside = (/** @type {any} */ at, /** @type {number} */ i) => at.ge(0).and(at.le(last[i]));
  const read = (/** @type {any} */ row, /** @type {any} */ column) => {
    const places = [row.max(0).min(last[0]), column.max(0).min(last[1])].map((each) => each.astype('i64'));
    const [b, ...rest] = [batch, ...places].map((each) => each.broadcastTo(y.shape));
    const found = image.gatherNd(joins.stack([b, ...rest], { axis: -1 })).astype('f32');
    if (edge === 'fill') return isInside(row, 0).and(isInside(column, 1)).expandDims(-1).select(found, fill);
    return found;
  };
  const visible = (/** @type {any} */ result) => (edge === 'mix' ? isInside(y, 0).and(isInside(x, 1)).expandDims(-1).select(result, fill) : result);
  if (isNearest) return visible(read(roundHalfUp(y), roundHalfUp(x)));
  const [top, left] = [y.floor(), x.floor()];
  const [down, right] = [y.sub(top).expandDims(-1), x.sub(left).expandDims(-1)];
  const row = (/** @type {any} */ at) => read(at, left).mul(right.mul(-1).add(1)).add(read(at, left.add(1)).mul(right));
  return visible(row(top).mul(down.mul(-1).add(1)).add(row(top.add(1)).mul(down)));
}

/** Halves away from zero, of places that count. @type {(at: any) => any} */
const roundHalfUp = (at) => at.add(0.5).floor();

/** @type {Translation['translate']} */
function cropAndResize(node, [given, boxes, box, size], cx) {
  const image = /** @type {any} */ (cx.value(given));
  const [y1, x1, y2, x2] = /** @type {any} */ (cx.value(boxes)).unstack({ axis: 1 });
  const [height, width] = cx.sizes(size, 'the size of the crops');
  const count = y1.shape[0];
  const along = (/** @type {any} */ low, /** @type {any} */ high, /** @type {number | string} */ length, /** @type {number} */ axis) => {
    const last = /** @type {any} */ (cx.value(cx.sizeValue(image.shape[axis]), 'f32')).sub(1);
    const [from, to] = [low.mul(last).reshape([count, 1]), high.mul(last).reshape([count, 1])];
    if (length === 1) return from.add(to).mul(0.5);
    const steps = /** @type {any} */ (cx.value(cx.sizeValue(length), 'f32')).sub(1);
    return from.add(/** @type {any} */ (cx.iota([length], 'f32')).mul(to.sub(from).div(steps)));
  };
  const y = along(y1, y2, height, 1).reshape([count, height, 1]).broadcastTo([count, height, width]);
  const x = along(x1, x2, width, 2).reshape([count, 1, width]).broadcastTo([count, height, width]);
  const batch = /** @type {any} */ (cx.value(box, 'i64')).reshape([count, 1, 1]);
  return sampled({ image, batch, y, x, fill: node.attr('extrapolation_value', 0), isNearest: node.attr('method', 'bilinear') === 'nearest', edge: 'mix' }, cx);
}

/** Where the ends of an axis continue. @type {Record<string, (at: any, length: any) => any>} */
const beyond = {
  CONSTANT: (at) => at,
  NEAREST: (at, length) => at.max(0).min(length.sub(1)),
  WRAP: (at, length) => at.sub(at.div(length).floor().mul(length)).max(0).min(length.sub(1)),
  REFLECT: (at, length) => {
    const place = at.add(0.5).sub(at.add(0.5).div(length.mul(2)).floor().mul(length.mul(2)));
    return place.min(length.mul(2).sub(place)).sub(0.5).max(0).min(length.sub(1));
  },
};

/** @type {Translation['translate']} */
function projectiveTransform(node, [given, transforms, size, fill], cx) {
  const image = /** @type {any} */ (cx.value(given));
  const [height, width] = size === undefined ? image.shape.slice(1, 3) : cx.sizes(size, 'the size');
  const batch = image.shape[0];
  const t = /** @type {any} */ (cx.value(transforms)).unstack({ axis: 1 }).map((/** @type {any} */ each) => each.reshape([each.shape[0], 1, 1]));
  if (t.length !== 8) return cx.fail('ERR_SHAPE', `a transform has ${t.length} numbers, expected 8`);
  const [row, column] = [cx.iota([height, 1], 'f32'), cx.iota([1, width], 'f32', 1)].map((each) => /** @type {any} */ (each));
  const by = t[6].mul(column).add(t[7].mul(row)).add(1);
  const source = (/** @type {any} */ a, /** @type {any} */ b, /** @type {any} */ c, /** @type {number} */ axis) => {
    const at = a.mul(column).add(b.mul(row)).add(c).div(by).broadcastTo([batch, height, width]);
    const length = /** @type {any} */ (cx.value(cx.sizeValue(image.shape[axis]), 'f32'));
    const mode = node.attr('fill_mode', 'CONSTANT');
    return Object.hasOwn(beyond, mode) ? beyond[mode](at, length) : cx.fail('ERR_UNSUPPORTED', `fill mode ${mode}`);
  };
  const [x, y] = [source(t[0], t[1], t[2], 2), source(t[3], t[4], t[5], 1)];
  const value = fill === undefined ? 0 : cx.value(fill, 'f32');
  const own = /** @type {any} */ (cx.iota([batch, 1, 1], 'i64'));
  const result = sampled({ image, batch: own, y, x, fill: value, isNearest: node.attr('interpolation', 'NEAREST') === 'NEAREST', edge: 'fill' }, cx);
  return by.broadcastTo([batch, height, width]).eq(0).expandDims(-1).select(value, result).astype(image.dtype);
}

/** @type {import('./index.js').Table} */
const ops = {
  ResizeBilinear: resize('linear'), ResizeBicubic: resize('cubic', { cubicCoefficient: -0.5, excludeOutside: false }), ResizeNearestNeighbor: resizeNearest, CropAndResize: cropAndResize,
  ImageProjectiveTransformV2: projectiveTransform, ImageProjectiveTransformV3: projectiveTransform,
};

module.exports = { ops };
