/**
 * Reductions along axes, running ones, and positions of the greatest and least.
 */
'use strict';

const sizes = require('../../shared/sizes.js');
const { throughFloat } = require('../../shared/translations.js');
const { axisOf } = require('../../shared/slices.js');
const { Known } = require('../../shared/operands.js');

/** @typedef {import('../../shared/builder.js').Builder} Builder */
/** @typedef {import('../../shared/builder.js').Translation} Translation */

/** @type {(operand: any, rank: number, cx: Builder) => number[]} */
const axesOf = (operand, rank, cx) => cx.ints(operand, 'axes').map((axis) => axisOf(axis, rank, cx));

/** @type {(compute: (x: any, options: { axis: number[], keepDims: boolean }) => any, sizesOf?: Translation['sizes']) => Translation} */
const reduction = (compute, sizesOf) => ({
  translate: (node, [x, axes], cx) => {
    const value = /** @type {any} */ (cx.value(x));
    return compute(value, { axis: axesOf(axes, value.rank, cx), keepDims: node.attr('keep_dims', false) });
  },
  sizes: sizesOf,
});

/** Of a vector of sizes. @type {(combine: (a: any, b: any) => any, start: number) => Translation['sizes']} */
const ofSizes = (combine, start) => (node, [x, axes]) => (x.shape.length === 1 && axes instanceof Known ? sizes.reduceAll(x, node.attr('keep_dims', false), combine, start) : undefined);

const same = (/** @type {string} */ name) => (/** @type {any} */ x, /** @type {any} */ options) => x[name]({ ...options, dtype: x.dtype });
const plain = (/** @type {string} */ name) => (/** @type {any} */ x, /** @type {any} */ options) => x[name](options);

/** @type {(name: string) => Translation['translate']} */
const position = (name) => (node, [x, axis], cx) => /** @type {any} */ (cx.value(x))[name]({ axis: cx.int(axis, 'the axis') }).astype(node.attr('output_type', 'i64'));

/**
 * Running sums and products: each element included or not, from the front or the end.
 *
 * @type {(method: string) => Translation['translate']}
 */
const running = (method) => (node, [x, along], cx) => {
  const value = /** @type {any} */ (cx.value(x));
  const axis = axisOf(cx.int(along, 'the axis'), value.rank, cx);
  const isReverse = node.attr('reverse', false);
  const source = isReverse ? value.flip(axis) : value;
  const isExclusive = node.attr('exclusive', false);
  const whole = source[method]({ axis, dtype: value.dtype, includeInitial: isExclusive });
  const result = isExclusive ? whole.slice(...value.shape.map((/** @type {any} */ _, /** @type {number} */ i) => (i === axis ? [0, -1] : null))) : whole;
  return isReverse ? result.flip(axis) : result;
};

/** @type {Translation['translate']} */
function bincount(node, [x, size, weights], cx) {
  const values = /** @type {any} */ (cx.value(x));
  const [length] = cx.sizes(size, 'the number of bins');
  const given = /** @type {any} */ (cx.value(weights));
  const hasWeights = given.shape.every((/** @type {any} */ each) => each !== 0);
  const dtype = given.dtype;
  const isBinary = node.attr('binary_output', false);
  const places = values.oneHot(length, { dtype });
  if (isBinary) return places.max({ axis: values.rank - 1 });
  return (hasWeights ? places.mul(given.expandDims(-1)) : places).sum({ axis: values.rank - 1, dtype });
}

/** @type {(name: string) => Translation} of consecutive rows */
const segments = (name) => ({
  translate: (_, [x, ids], cx) => {
    const value = /** @type {any} */ (cx.value(x));
    const list = cx.ints(ids, 'segments');
    const result = value[name](cx.value(ids), list.length === 0 ? 0 : list[list.length - 1] + 1);
    return result.dtype === value.dtype ? result : result.astype(value.dtype);
  },
});

/** @type {(name: string) => Translation} */
const unsortedSegments = (name) => ({
  translate: (_, [x, ids, count], cx) => {
    const value = /** @type {any} */ (cx.value(x));
    const places = /** @type {any} */ (cx.value(ids));
    const flat = places.rank === 1 ? value : value.reshape([-1, ...value.shape.slice(places.rank)]);
    return flat[name](places.flatten(), cx.sizes(count, 'the number of segments')[0]).astype(value.dtype);
  },
});

/** @type {import('./index.js').Table} */
const ops = {
  Sum: reduction(same('sum'), ofSizes(sizes.sum(1), 0)),
  Prod: reduction(same('prod'), ofSizes((a, b) => sizes.multiply(a, b, false), 1)),
  Max: reduction(plain('max')), Min: reduction(plain('min')),
  Mean: reduction((x, options) => throughFloat((value) => value.mean(options))(x)),
  All: reduction(plain('all')), Any: reduction(plain('any')),
  EuclideanNorm: reduction((x, options) => throughFloat((value) => value.square().sum(options).sqrt())(x)),
  L2Loss: (_, [x], cx) => /** @type {any} */ (cx.value(x)).square().sum().div(2),
  ArgMax: position('argmax'), ArgMin: position('argmin'),
  Cumsum: running('cumulativeSum'), Cumprod: running('cumulativeProd'),
  Bincount: bincount, DenseBincount: bincount,
  SegmentSum: segments('segmentSum'), SegmentMean: segments('segmentMean'), SegmentMax: segments('segmentMax'),
  SegmentMin: segments('segmentMin'), SegmentProd: segments('segmentProd'),
  UnsortedSegmentSum: unsortedSegments('segmentSum'), UnsortedSegmentProd: unsortedSegments('segmentProd'),
  UnsortedSegmentMax: unsortedSegments('segmentMax'), UnsortedSegmentMin: unsortedSegments('segmentMin'),
};

module.exports = { axesOf, ops };
