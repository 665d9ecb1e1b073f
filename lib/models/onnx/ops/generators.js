/**
 * What makes numbers of nothing: ranges, unit matrices, random numbers.
 *
 * A graph is pure, so random numbers are those of a fixed stream: of the node's seed, or where it has none, of a
 * number that is drawn when the file is loaded. Each node has a stream of its own; runs of one model give the same
 * numbers, and so do the rounds of a loop in which a node stands.
 */
'use strict';

const { random } = require('../../../random/index.js');
const sizes = require('../../shared/sizes.js');
const { Known, Ratio, Sizes } = require('../../shared/operands.js');
const { elementTypes } = require('../schema.js');

/** @typedef {import('../../shared/builder.js').Builder} Builder */
/** @typedef {import('../../shared/builder.js').Translation} Translation */
/** @typedef {number | string} Size */

// ---------------------------------------------------------------------------------------- Range

/** How many numbers there are, where limits are numbers or sizes. @type {(limits: any[], cx: Builder) => Size | undefined} */
function countOf([start, limit, delta], cx) {
  if (![start, limit, delta].every((each) => each instanceof Known || each instanceof Sizes)) return undefined;
  const [from, to, step] = [start, limit, delta].map((each) => (each instanceof Known ? cx.number(each, 'a limit') : each.items[0]));
  if (typeof step !== 'number' || from instanceof Ratio || to instanceof Ratio) return undefined;
  if (typeof from === 'number' && typeof to === 'number') return Math.max(Math.ceil((to - from) / step), 0);
  const span = step > 0 ? sizes.difference(to, from) : sizes.difference(from, to);
  if (!Number.isInteger(step) || step === 0 || span === undefined) return undefined;
  const { state } = cx;
  const whole = state.max(state.dim(String(span), 'a size', 'load'), 0);
  const width = Math.abs(step);
  return state.text(state.floorDiv(state.add(whole, width - 1), width));
}

/** @type {Translation['translate']} */
function range(_, limits, cx) {
  const known = countOf(limits, cx);
  const [start, limit, delta] = limits.map((each) => /** @type {any} */ (cx.value(each)).reshape([]));
  // Halves are counted in f32, and so are their multiples.
  const dtype = /^b?f16$/.test(start.dtype) ? 'f32' : start.dtype;
  const wide = /^[iu]/.test(dtype) ? 'f64' : dtype;
  const [from, to, step] = [start, limit, delta].map((each) => each.astype(wide));
  const count = known ?? Math.max(cx.int(to.sub(from).div(step).ceil().astype('i64'), 'the limits'), 0);
  const numbers = /** @type {any} */ (cx.iota([count], dtype));
  return numbers.mul(delta.astype(dtype)).add(start.astype(dtype)).astype(start.dtype);
}

/** @type {Translation['translate']} */
function eyeLike(node, [x], cx) {
  const shape = cx.shape(x);
  const [row, column] = [0, 1].map((axis) => /** @type {any} */ (cx.iota(shape, 'i64', axis)));
  const dtype = elementTypes[node.attr('dtype')] ?? cx.dtype(x);
  return column.sub(row).eq(node.attr('k', 0)).astype(dtype);
}

// --------------------------------------------------------------------------------------- random

/** @type {(text: string) => number} 32 bits of FNV-1a */
const hashOf = (text) =>
  Buffer.from(text).reduce((hash, byte) => Math.imul(hash ^ byte, 16_777_619) >>> 0, 2_166_136_261);

/** The key of a node's stream. @type {(node: any, cx: Builder) => any} */
function keyOf(node, cx) {
  const seed = node.attr('seed');
  const bits = seed === undefined ? node.seed : new Uint32Array(Float32Array.of(seed).buffer)[0];
  const stream = seed === undefined ? hashOf(node.outputs[0] ?? '') : 0;
  return cx.constant(random.foldIn(random.key(bits), stream));
}

/** @type {(node: any, initial: string) => any} */
const dtypeOf = (node, initial) => elementTypes[node.attr('dtype')] ?? initial;

/** @type {(name: 'normal' | 'uniform', shape: readonly Size[], dtype: string, node: any, cx: Builder) => any} */
function draw(name, shape, dtype, node, cx) {
  const key = keyOf(node, cx);
  const unit = /** @type {any} */ (random)[name]([...shape], { key, dtype: /^b?f/.test(dtype) ? dtype : 'f32' });
  const [low, high] = [node.attr('low', 0), node.attr('high', 1)];
  const [mean, scale] = [node.attr('mean', 0), node.attr('scale', 1)];
  const drawn = name === 'normal' ? unit.mul(scale).add(mean) : unit.mul(high - low).add(low);
  return drawn.astype(dtype);
}

/** @type {(name: 'normal' | 'uniform') => Translation} */
const ofShape = (name) => ({ fold: false, translate: (node, _, cx) => draw(name, node.attr('shape', []), dtypeOf(node, 'f32'), node, cx) });

/** @type {(name: 'normal' | 'uniform') => Translation} */
const like = (name) => ({
  fold: false, translate: (node, [x], cx) => draw(name, cx.shape(x), dtypeOf(node, cx.dtype(x)), node, cx),
});

/** @type {Translation} */
const bernoulli = {
  fold: false,
  translate: (node, [x], cx) => {
    const chance = /** @type {any} */ (cx.value(x));
    const drawn = /** @type {any} */ (random.uniform([...chance.shape], { key: keyOf(node, cx), dtype: chance.dtype }));
    return drawn.lt(chance).astype(dtypeOf(node, chance.dtype));
  },
};

/** Classes by logarithms of their weights: the first whose running sum is above a uniform number. @type {Translation} */
const multinomial = {
  fold: false,
  translate: (node, [x], cx) => {
    const logits = /** @type {any} */ (cx.value(x));
    const [batch, classes] = logits.shape;
    const sums = logits.softmax({ axis: 1 }).cumulateSum(1).expandDims(1);
    const drawn = /** @type {any} */ (random.uniform([batch, node.attr('sample_size', 1)], { key: keyOf(node, cx), dtype: logits.dtype }));
    const below = sums.le(drawn.expandDims(2)).astype('i64').sum({ axis: 2 });
    const last = /** @type {any} */ (cx.value(cx.sizeValue(classes))).sub(1);
    return below.min(last).astype(dtypeOf(node, 'i32'));
  },
};

/** @type {import('./index.js').Tables} */
const ops = {
  'ai.onnx': {
    Range: range, EyeLike: eyeLike, Bernoulli: bernoulli, Multinomial: multinomial,
    RandomNormal: ofShape('normal'), RandomUniform: ofShape('uniform'),
    RandomNormalLike: like('normal'), RandomUniformLike: like('uniform'),
  },
};

module.exports = { ops };
