/**
 * Reductions, and products of matrices.
 */
'use strict';

const sizes = require('../../shared/sizes.js');
const { axisOf } = require('../../shared/slices.js');
const { intsOf } = require('./shapes.js');

/** @typedef {import('../../shared/builder.js').Translation} Translation */

/**
 * A reduction: axes are an attribute, from some version on an input; none mean all, or with `noop_with_empty_axes` no
 * reduction at all.
 *
 * @param {(x: any, axes: readonly number[]) => any} compute with the axes kept
 * @param {(x: any) => any} [each] what is done to elements, also where nothing is reduced
 * @returns {Translation['translate']}
 */
const reduction = (compute, each = (x) => x) => (node, [x, given], cx) => {
  const value = /** @type {any} */ (cx.value(x));
  const named = intsOf(node, given, 'axes', cx);
  if ((named === undefined || named.length === 0) && node.attr('noop_with_empty_axes', 0) === 1) return each(value);
  const all = Array.from({ length: value.rank }, (_, i) => i);
  const axes = named === undefined || named.length === 0 ? all : named.map((axis) => axisOf(axis, value.rank, cx));
  const kept = compute(value, axes);
  const keeps = node.attr('keepdims', 1) === 1;
  return keeps || axes.length === 0 ? kept : kept.reshape(value.shape.filter((/** @type {any} */ _, /** @type {number} */ i) => !axes.includes(i)));
};

/** @type {(name: string) => (x: any, axes: readonly number[]) => any} a method whose result keeps the dtype */
const method = (name) => (x, axis) => x[name]({ axis, keepDims: true, ...(name === 'sum' || name === 'prod' ? { dtype: x.dtype } : {}) });

const sum = method('sum');
const isInteger = (/** @type {any} */ x) => /^[iu]/.test(x.dtype);
/**
 * Integers go through f64 where a function has no integer form.
 *
 * @type {(compute: (x: any, axes: any) => any) => (x: any, axes: any) => any}
 */
const throughFloat = (compute) => (x, axes) => (isInteger(x) ? compute(x.astype('f64'), axes).astype(x.dtype) : compute(x, axes));

const square = (/** @type {any} */ x) => x.mul(x);

/**
 * A reduction of a vector of sizes to one.
 *
 * @param {(a: any, b: any) => any} combine
 * @param {number} [start] of nothing; without one, a vector has elements
 * @returns {NonNullable<Translation['sizes']>}
 */
const ofSizes = (combine, start) => (node, [x]) => {
  if (x.shape.length !== 1 || (start === undefined && x.shape[0] === 0)) return undefined;
  if (node.attr('noop_with_empty_axes', 0) === 1) return undefined;
  return sizes.reduceAll(x, node.attr('keepdims', 1) === 1, combine, start);
};

/** @type {(name: 'argmax' | 'argmin') => Translation['translate']} */
const position = (name) => (node, [x], cx) => {
  const value = /** @type {any} */ (cx.value(x));
  const axis = axisOf(node.attr('axis', 0), value.rank, cx);
  const keepDims = node.attr('keepdims', 1) === 1;
  if (node.attr('select_last_index', 0) === 0) return value[name]({ axis, keepDims });
  const last = cx.value(cx.sizeValue(value.shape[axis]));
  return /** @type {any} */ (last).sub(1).sub(value.flip(axis)[name]({ axis, keepDims }));
};

/** @type {Translation['translate']} */
function gemm(node, [a, b, c], cx) {
  const [x, y] = [/** @type {any} */ (cx.value(a)), /** @type {any} */ (cx.value(b))];
  const [left, right] = [node.attr('transA', 0) ? x.transpose() : x, node.attr('transB', 0) ? y.transpose() : y];
  const [alpha, beta] = [node.attr('alpha', 1), node.attr('beta', 1)];
  const isCount = (/** @type {number} */ factor) => Number.isInteger(factor) && factor >= 0;
  // Fractions of integers are computed as floats.
  const dtype = isInteger(x) && !(isCount(alpha) && isCount(beta)) ? 'f64' : x.dtype;
  const product = /** @type {any} */ (cx.value(left.matmul(right), dtype));
  const scaled = alpha === 1 ? product : product.mul(alpha);
  if (c === undefined || c === null || beta === 0) return cx.value(scaled, x.dtype);
  const bias = /** @type {any} */ (cx.value(c, dtype));
  return cx.value(scaled.add(beta === 1 ? bias : bias.mul(beta)), x.dtype);
}

/** @type {import('./index.js').Tables} */
const ops = {
  'ai.onnx': {
    ReduceSum: { translate: reduction(sum), sizes: ofSizes(sizes.sum(1), 0) },
    ReduceProd: { translate: reduction(method('prod')), sizes: ofSizes((a, b) => sizes.multiply(a, b, false), 1) },
    ReduceMean: reduction(throughFloat(method('mean'))),
    ReduceMax: { translate: reduction(method('max')), sizes: ofSizes(sizes.greater) },
    ReduceMin: { translate: reduction(method('min')), sizes: ofSizes(sizes.lesser) },
    ReduceSumSquare: reduction((x, axes) => sum(square(x), axes), square),
    ReduceL1: reduction((x, axes) => sum(x.abs(), axes), (x) => x.abs()),
    ReduceL2: reduction(throughFloat((x, axes) => sum(square(x), axes).sqrt()), (x) => x.abs()),
    ReduceLogSum: reduction(throughFloat((x, axes) => sum(x, axes).log()), (x) => x.log()),
    ReduceLogSumExp: reduction(throughFloat((x, axis) => x.logSumExp({ axis, keepDims: true }))),
    ArgMax: position('argmax'), ArgMin: position('argmin'),
    MatMul: (_, [a, b], cx) => /** @type {any} */ (cx.value(a)).matmul(cx.value(b)),
    Gemm: gemm,
  },
};

module.exports = { ops, reduction };
