/**
 * Normalisations: what brings elements to a common mean, scale or length.
 *
 * Halves are computed in f32, which is what `stash_type` 1 asks for and what the others need, too; a wider input stays.
 */
'use strict';

const { axisOf } = require('../../shared/slices.js');
const { optional, wide } = require('./neural.js');
const { elementTypes } = require('../schema.js');

/** @typedef {import('../../shared/builder.js').Builder} Builder */
/** @typedef {import('../../shared/builder.js').Translation} Translation */

/** @type {(from: number, to: number) => number[]} */
const range = (from, to) => Array.from({ length: Math.max(to - from, 0) }, (_, i) => from + i);

/**
 * Mean and variance over axes, which stay.
 *
 * @type {(x: any, axis: readonly number[]) => { distance: any, mean: any, variance: any }}
 */
function momentsOf(x, axis) {
  const mean = x.mean({ axis, keepDims: true });
  const distance = x.sub(mean);
  return { distance, mean, variance: distance.mul(distance).mean({ axis, keepDims: true }) };
}

/** A parameter of some axes, from axis 1 on, beside a value. @type {(parameter: any, rank: number) => any} */
const beside = (parameter, rank) =>
  parameter.reshape([...parameter.shape, ...Array(Math.max(rank - 1 - parameter.rank, 0)).fill(1)]);

/** Whether statistics come from this batch. @type {(node: any) => boolean} */
function isTraining(node) {
  if (node.version < 7) return node.attr('is_test', 0) === 0 && node.hasOutput(1);
  return node.version < 14 ? node.hasOutput(1) : node.attr('training_mode', 0) === 1;
}

/** @type {Translation['translate']} */
function batchNormalization(node, [operand, scale, bias, ownMean, ownVariance], cx) {
  const given = /** @type {any} */ (cx.value(operand));
  const x = wide(given);
  const perChannel = node.version >= 9 || node.attr('spatial', 1) === 1;
  const parameter = (/** @type {any} */ each) => beside(cx.value(each, x.dtype), x.rank);
  const running = [ownMean, ownVariance].map(parameter);
  const training = isTraining(node);
  const axes = perChannel ? range(0, x.rank).filter((axis) => axis !== 1) : [0];
  const current = training ? momentsOf(x, axes) : undefined;
  const [mean, variance] = current ? [current.mean, current.variance] : running;
  const deviation = variance.add(node.attr('epsilon', 1e-5)).sqrt();
  const factor = parameter(scale).div(deviation);
  const result = x.sub(mean).mul(factor).add(parameter(bias)).astype(given.dtype);
  if (current === undefined) return result;
  const momentum = node.attr('momentum', 0.9);
  const [nextMean, nextVariance] = [current.mean, current.variance].map((each, i) => {
    const like = /** @type {any} */ (cx.value([ownMean, ownVariance][i]));
    const own = each.reshape(like.shape);
    return like.astype(own.dtype).mul(momentum).add(own.mul(1 - momentum)).astype(like.dtype);
  });
  if (node.version >= 14) return [result, nextMean, nextVariance];
  const saved = [current.mean, current.variance].map((each, i) => each.reshape(cx.shape([ownMean, ownVariance][i])));
  return [result, nextMean, nextVariance, ...saved];
}

/** @type {Translation['translate']} */
function instanceNormalization(node, [operand, scale, bias], cx) {
  const given = /** @type {any} */ (cx.value(operand));
  const x = wide(given);
  const { distance, variance } = momentsOf(x, range(2, x.rank));
  const normal = distance.div(variance.add(node.attr('epsilon', 1e-5)).sqrt());
  const parameter = (/** @type {any} */ each) => beside(cx.value(each, x.dtype), x.rank);
  return normal.mul(parameter(scale)).add(parameter(bias)).astype(given.dtype);
}

/** In the first version scale and bias had an element per group. @type {Translation['translate']} */
function groupNormalization(node, [operand, scale, bias], cx) {
  const given = /** @type {any} */ (cx.value(operand));
  const groups = node.attr('num_groups');
  const epsilon = node.attr('epsilon', 1e-5);
  const normal = wide(given).groupNorm(groups, { epsilon }).astype(given.dtype);
  const [factor, added] = [scale, bias].map((each) => /** @type {any} */ (cx.value(each)));
  if (node.version >= 21) return normal.mul(beside(factor, given.rank)).add(beside(added, given.rank));
  const split = normal.reshape([given.shape[0], groups, -1]);
  return split.mul(beside(factor, 3)).add(beside(added, 3)).reshape(given.shape);
}

/** @type {Translation['translate']} */
function layerNormalization(node, [operand, scale, bias], cx) {
  const given = /** @type {any} */ (cx.value(operand));
  const x = wide(given);
  const axes = range(axisOf(node.attr('axis', -1), x.rank, cx), x.rank);
  const { distance, mean, variance } = momentsOf(x, axes);
  const inverse = variance.add(node.attr('epsilon', 1e-5)).sqrt().reciprocal();
  const scaled = distance.mul(inverse).astype(given.dtype).mul(cx.value(scale));
  const added = optional(bias, cx);
  const stash = elementTypes[node.attr('stash_type', 1)];
  return [added === undefined ? scaled : scaled.add(added), mean.astype(stash), inverse.astype(stash)];
}

/** @type {Translation['translate']} */
function rmsNormalization(node, [operand, scale], cx) {
  const given = /** @type {any} */ (cx.value(operand));
  const factor = /** @type {any} */ (cx.value(scale));
  const axis = range(axisOf(node.attr('axis', -1), given.rank, cx), given.rank);
  const normal = wide(given).rmsNorm({ axis, epsilon: node.attr('epsilon', 1e-5) }).astype(given.dtype);
  return normal.astype(factor.dtype).mul(factor);
}

/** 0 where all elements are. @type {Translation['translate']} */
function lpNormalization(node, [operand], cx) {
  const x = /** @type {any} */ (cx.value(operand));
  const axis = node.attr('axis', -1);
  const norm = x.vectorNorm({ ord: node.attr('p', 2), axis: axisOf(axis, x.rank, cx), keepDims: true });
  return norm.eq(0).select(0, x.div(norm));
}

/** @type {Translation['translate']} */
function meanVarianceNormalization(node, [operand], cx) {
  const given = /** @type {any} */ (cx.value(operand));
  const axes = node.attr('axes', [0, 2, 3]).map((/** @type {number} */ axis) => axisOf(axis, given.rank, cx));
  const { distance, variance } = momentsOf(wide(given), axes);
  return distance.div(variance.sqrt().add(1e-9)).astype(given.dtype);
}

/** The channels around each: of an even number the one more is behind. @type {Translation['translate']} */
function localResponse(node, [operand], cx) {
  const given = /** @type {any} */ (cx.value(operand));
  const x = wide(given);
  const size = node.attr('size') ?? cx.fail('ERR_ARGUMENT', "attribute 'size' is missing");
  const along = (/** @type {any} */ otherwise, /** @type {any} */ own) => Array(x.rank).fill(otherwise).with(1, own);
  const padding = along([0, 0], [Math.floor((size - 1) / 2), Math.ceil((size - 1) / 2)]);
  const sums = x.mul(x).windowSum(along(1, size), { padding });
  const base = sums.mul(node.attr('alpha', 1e-4) / size).add(node.attr('bias', 1));
  return x.div(base.pow(node.attr('beta', 0.75))).astype(given.dtype);
}

/** @type {import('./index.js').Tables} */
const ops = {
  'ai.onnx': {
    BatchNormalization: batchNormalization, InstanceNormalization: instanceNormalization,
    GroupNormalization: groupNormalization, LayerNormalization: layerNormalization,
    RMSNormalization: rmsNormalization, LpNormalization: lpNormalization,
    MeanVarianceNormalization: meanVarianceNormalization, LRN: localResponse,
  },
};

module.exports = { ops };
