/**
 * Convolutions, dropout and losses, and products of other shapes than those of matrices. Pools, normalisations,
 * recurrent layers and attention have files of their own.
 */
'use strict';

const { randomFillSync } = require('node:crypto');
const { convolve, convolveTransposed, fixedSize } = require('../../shared/convolution.js');
const { append, dimsOf } = require('../../../graph/value.js');
const { wrapOwn } = require('../../../tensor/tensor.js');
const { listOf, slidesOf } = require('./windows.js');

/** @typedef {import('../../shared/builder.js').Builder} Builder */
/** @typedef {import('../../shared/builder.js').Translation} Translation */

/** Halves as f32. @type {(x: any) => any} */
const wide = (x) => (x.dtype === 'f16' || x.dtype === 'bf16' ? x.astype('f32') : x);

/** @type {(operand: any, cx: Builder) => any} an input that may be left out */
const optional = (operand, cx) => (operand === undefined || operand === null ? undefined : cx.value(operand));

/** @type {Translation['translate']} */
function conv(node, [operand, weight, bias], cx) {
  const [x, kernel] = [/** @type {any} */ (cx.value(operand)), /** @type {any} */ (cx.value(weight))];
  const slides = slidesOf(node, x.rank - 2, cx);
  return convolve(cx, x, kernel, { ...slides, groups: node.attr('group', 1), bias: optional(bias, cx) });
}

/** @type {Translation['translate']} */
function convTranspose(node, [operand, weight, bias], cx) {
  const [x, kernel] = [/** @type {any} */ (cx.value(operand)), /** @type {any} */ (cx.value(weight))];
  const count = x.rank - 2;
  const shape = node.attr('output_shape');
  return convolveTransposed(cx, x, kernel, {
    ...slidesOf(node, count, cx),
    groups: node.attr('group', 1),
    bias: optional(bias, cx),
    outputPadding: listOf(node, 'output_padding', count, 0, cx),
    size: shape?.slice(-count), // the first version also named batch and channels
  });
}

/**
 * A convolution whose window takes elements at places of its own, between which it interpolates; what is outside is 0.
 * Each element of the window is taken for all places at once, which makes columns; the rest is a product of matrices.
 *
 * @type {Translation['translate']}
 */
function deformConv(node, [operand, weight, offset, bias, mask], cx) {
  const [x, kernel, moved] = [operand, weight, offset].map((each) => /** @type {any} */ (cx.value(each)));
  const count = x.rank - 2;
  const { stride, dilation, padding } = slidesOf(node, count, cx);
  const [group, groups] = [node.attr('group', 1), node.attr('offset_group', 1)];
  const window = kernel.shape.slice(2).map((/** @type {any} */ _, /** @type {number} */ i) => fixedSize(kernel, 2 + i, cx));
  const product = (/** @type {readonly number[]} */ sizes) => sizes.reduce((total, size) => total * size, 1);
  const elements = product(window);
  const batch = x.shape[0];
  const places = moved.shape.slice(2);
  // [batch, offset groups, elements, spatial axes, ...places]
  const offsets = moved.reshape([batch, groups, elements, count, ...places]);
  const rank = 3 + count;
  const spread = (/** @type {number} */ axis, /** @type {any} */ size) => Array(rank).fill(1).with(axis, size);
  const at = window.map((/** @type {number} */ _, /** @type {number} */ i) => {
    const index = (/** @type {number} */ axis, /** @type {any} */ size) => /** @type {any} */ (cx.iota(spread(axis, size), 'i64', axis));
    const element = index(2, elements).div(product(window.slice(i + 1))).rem(window[i]).mul(dilation[i]);
    const place = index(3 + i, places[i]).mul(stride[i]).sub(padding[i][0]);
    return element.add(place).astype(offsets.dtype).add(offsets.slice(null, null, null, i));
  });
  const taken = interpolatedAt(cx, x.reshape([batch, groups, -1, ...x.shape.slice(2)]), at);
  const factors = optional(mask, cx);
  const weighted = factors === undefined ? taken : taken.mul(factors.reshape([batch, groups, 1, elements, -1]));
  const inputs = fixedSize(kernel, 1, cx) * elements;
  const columns = weighted.reshape([batch, group, inputs, -1]);
  const result = kernel.reshape([group, -1, inputs]).matmul(columns).reshape([batch, kernel.shape[0], ...places]);
  const added = optional(bias, cx);
  return added === undefined ? result : result.add(added.reshape([-1, ...places.map(() => 1)]));
}

/**
 * Elements of [batch, groups, channels, ...space] at places [batch, groups, elements, ...places] along each axis of
 * space: [batch, groups, channels, elements, all places], each a mean of the neighbours that are inside.
 *
 * @type {(cx: Builder, x: any, at: readonly any[]) => any}
 */
function interpolatedAt(cx, x, at) {
  const [batch, groups, channels, ...space] = x.shape;
  const flat = x.reshape([batch, groups, channels, -1]);
  const floors = at.map((each) => each.floor());
  const sizes = space.map((/** @type {any} */ size) => /** @type {any} */ (cx.sizeValue(size)));
  const row = (/** @type {any} */ each) => each.reshape([batch, groups, 1, -1]);
  let total;
  for (let corner = 0; corner < 2 ** space.length; corner++) {
    let [index, weight, inside] = /** @type {any[]} */ ([undefined, undefined, undefined]);
    for (const [i, floor] of floors.entries()) {
      const isUpper = (corner >> i) & 1;
      const place = floor.add(isUpper).astype('i64');
      const part = at[i].sub(floor);
      const share = isUpper ? part : part.neg().add(1);
      const own = place.ge(0).and(place.lt(sizes[i]));
      const kept = place.max(0).min(sizes[i].sub(1));
      index = index === undefined ? kept : index.mul(sizes[i]).add(kept);
      weight = weight === undefined ? share : weight.mul(share);
      inside = inside === undefined ? own : inside.and(own);
    }
    const indices = row(index).broadcastTo([batch, groups, channels, row(index).shape[3]]);
    const taken = row(inside).select(flat.takeAlongAxis(indices, { axis: 3 }).mul(row(weight)), 0);
    total = total === undefined ? taken : total.add(taken);
  }
  return total.reshape([batch, groups, channels, at[0].shape[2], -1]);
}

/**
 * A depthwise convolution that sees only what is behind, and the elements that the next call has to know.
 *
 * @type {Translation['translate']}
 */
function causalConv(node, [operand, weight, bias, past], cx) {
  const [x, kernel] = [/** @type {any} */ (cx.value(operand)), /** @type {any} */ (cx.value(weight))];
  const width = fixedSize(kernel, 2, cx) - 1;
  const { concat } = require('../../../ops/movement.js').joins;
  const before = optional(past, cx);
  const padded = before === undefined ? x.pad([[0, 0], [0, 0], [width, 0]]) : concat([before, x], { axis: 2 });
  const sums = padded.conv(kernel, { groups: fixedSize(kernel, 0, cx), bias: optional(bias, cx) });
  const activation = node.attr('activation', 'none');
  if (!['none', 'silu', 'swish'].includes(activation)) cx.fail('ERR_ARGUMENT', `activation is '${activation}'`);
  const result = activation === 'none' ? sums : wide(sums).silu().astype(sums.dtype);
  const { state } = cx;
  const size = state.dim(x.shape[2], 'the length', 'load');
  const present = append(state, 'slice', [padded], {
    start: [0, 0, size], shape: [...dimsOf(padded).slice(0, 2), width], stride: [1, 1, 1],
  });
  return [result, present];
}

// --------------------------------------------------------------------------------------- dropout

/** Whether elements are dropped: known, or a scalar. @type {(node: any, training: any, cx: Builder) => any} */
function trainingMode(node, training, cx) {
  if (node.version < 7) return node.attr('is_test', 0) === 0;
  if (node.version < 12 || training === undefined || training === null) return false;
  if (cx.known(training) !== undefined) return cx.int(training, 'the mode') !== 0;
  return /** @type {any} */ (cx.value(training, 'bool')).reshape([]);
}

/**
 * Nothing, but in training: then random elements become 0. A seed makes them the same in every run.
 *
 * @type {Translation}
 */
const dropout = {
  fold: false,
  translate(node, [operand, ratio, training], cx) {
    const maskType = node.version < 10 ? cx.dtype(operand) : 'bool';
    const all = () => cx.constant(maskType === 'bool' ? true : 1, maskType, cx.shape(operand));
    const mode = trainingMode(node, training, cx);
    if (mode === false) return node.hasOutput(1) ? [operand, all()] : operand;
    const x = /** @type {any} */ (cx.value(operand));
    const part = node.version < 12 ? node.attr('ratio', 0.5) : (optional(ratio, cx)?.reshape([]) ?? 0.5);
    const kept = uniform(node, x.shape, cx).ge(typeof part === 'number' ? part : part.astype('f32'));
    const rest = typeof part === 'number' ? 1 - part : part.astype(x.dtype).neg().add(1);
    const scaled = kept.select(x.div(rest), 0);
    if (mode === true) return [scaled, kept.astype(maskType)];
    return [mode.select(scaled, x), kept.or(mode.not())];
  },
};

/** Numbers from 0 to 1, others in each run but with a seed. @type {(node: any, shape: any, cx: Builder) => any} */
function uniform(node, shape, cx) {
  const { random } = require('../../../random/index.js');
  const seed = node.attr('seed');
  const fresh = () => wrapOwn(randomFillSync(new Uint32Array(2)), 'u32', [2]);
  const key = seed === undefined ? cx.derive('dropout', 'u32', [2], fresh) : cx.constant(random.key(seed));
  return random.uniform(shape, { key, dtype: 'f32' });
}

// ---------------------------------------------------------------------------------------- losses

/** @type {(node: any, logs: any, target: any, weight: any, cx: Builder) => any} */
const nll = (node, logs, target, weight, cx) =>
  logs.nllLoss(cx.value(target), {
    axis: 1,
    reduction: node.attr('reduction', 'mean'),
    weight: optional(weight, cx),
    ignoreIndex: node.attr('ignore_index'),
  });

/** @type {import('./index.js').Tables} */
const ops = {
  'ai.onnx': {
    Conv: conv, ConvTranspose: convTranspose, DeformConv: deformConv, CausalConvWithState: causalConv,
    SwiGLU(node, [a, b], cx) {
      const x = /** @type {any} */ (cx.value(a));
      return x.mul(x.mul(node.attr('alpha', 1)).sigmoid()).mul(cx.value(b));
    },
    Dropout: dropout,
    Einsum(node, inputs, cx) {
      const [first, ...rest] = inputs.map((each) => /** @type {any} */ (cx.value(each)));
      return first.einsum(node.attr('equation', '').replaceAll(' ', ''), ...rest);
    },
    Det: (_, [x], cx) => /** @type {any} */ (cx.value(x)).det(),
    NegativeLogLikelihoodLoss: (node, [x, target, weight], cx) => nll(node, cx.value(x), target, weight, cx),
    SoftmaxCrossEntropyLoss(node, [x, target, weight], cx) {
      const logs = /** @type {any} */ (cx.value(x)).logSoftmax({ axis: 1 });
      return [nll(node, logs, target, weight, cx), logs];
    },
  },
};

module.exports = { ops, optional, wide };
