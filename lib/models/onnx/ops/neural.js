/**
 * Convolutions, dropout, attention: what layers of networks are made of. Pools, normalisations and recurrent layers have
 * files of their own.
 */
'use strict';

const { convolve, convolveTransposed } = require('../../shared/convolution.js');
const { append, dimsOf } = require('../../../graph/value.js');
const { wrapOwn } = require('../../../tensor/tensor.js');
const { elementTypes } = require('../schema.js');
const { axisOf } = require('../../shared/slices.js');
const { moving } = require('./shapes.js');
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
  const window = kernel.shape.slice(2).map(Number);
  const elements = window.reduce((/** @type {number} */ total, /** @type {number} */ size) => total * size, 1);
  const [batch, channels] = x.shape;
  const places = moved.shape.slice(2);
  // [batch, offset groups, elements, spatial axes, ...places]
  const offsets = moved.reshape([batch, groups, elements, count, ...places]);
  const rank = 3 + count;
  const spread = (/** @type {number} */ axis, /** @type {any} */ size) => Array.from({ length: rank }, (_, i) => (i === axis ? size : 1));
  const at = window.map((/** @type {number} */ _, /** @type {number} */ i) => {
    const inner = window.slice(i + 1).reduce((/** @type {number} */ total, /** @type {number} */ size) => total * size, 1);
    const element = /** @type {any} */ (cx.iota(spread(2, elements), 'i64', 2)).div(inner).rem(window[i]).mul(dilation[i]);
    const place = /** @type {any} */ (cx.iota(spread(3 + i, places[i]), 'i64', 3 + i)).mul(stride[i]).sub(padding[i][0]);
    return element.add(place).astype(offsets.dtype).add(offsets.slice(null, null, null, i));
  });
  const taken = interpolatedAt(cx, x.reshape([batch, groups, -1, ...x.shape.slice(2)]), at);
  const weighted = mask === undefined || mask === null ? taken : taken.mul(/** @type {any} */ (cx.value(mask)).reshape([batch, groups, 1, elements, -1]));
  const inputs = cx.state.text(cx.state.mul(cx.state.floorDiv(cx.state.dim(channels, 'the channels', 'load'), group), elements));
  const columns = weighted.reshape([batch, group, inputs, -1]);
  const result = kernel.reshape([group, -1, inputs]).matmul(columns).reshape([batch, kernel.shape[0], ...places]);
  const added = optional(bias, cx);
  return added === undefined ? result : result.add(added.reshape([-1, ...places.map(() => 1)]));
}

/**
 * Elements of [batch, groups, channels, ...space] at places [batch, groups, elements, ...places] along each axis of space:
 * [batch, groups, channels, elements, all places], each a mean of the neighbours that are inside.
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

/** A depthwise convolution that sees only what is behind, and the elements that the next call has to know. @type {Translation['translate']} */
function causalConv(node, [operand, weight, bias, past], cx) {
  const [x, kernel] = [/** @type {any} */ (cx.value(operand)), /** @type {any} */ (cx.value(weight))];
  const width = Number(kernel.shape[2]) - 1;
  const { concat } = require('../../../ops/movement.js').joins;
  const before = optional(past, cx);
  const padded = before === undefined ? x.pad([[0, 0], [0, 0], [width, 0]]) : concat([before, x], { axis: 2 });
  const sums = padded.conv(kernel, { groups: Number(kernel.shape[0]), bias: optional(bias, cx) });
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

// ------------------------------------------------------------------------------------- attention

/** [batch, places, heads · features] as [batch, heads, places, features]. @type {(x: any, heads: number | undefined, cx: Builder) => any} */
function withHeads(x, heads, cx) {
  if (x.rank === 4) return x;
  if (heads === undefined) return cx.fail('ERR_ARGUMENT', 'operands of rank 3 need the number of heads');
  return x.reshape([x.shape[0], x.shape[1], heads, -1]).swapaxes(1, 2);
}

/** [batch, heads, places, features] as [batch, places, heads · features]. @type {(x: any) => any} */
const withoutHeads = (x) => x.swapaxes(1, 2).reshape([x.shape[0], x.shape[2], -1]);

/** A mask may be short of keys: those take no part. @type {(mask: any, keys: number | string, cx: Builder) => any} */
function maskFor(mask, keys, cx) {
  const { state } = cx;
  const [own, all] = [mask.shape.at(-1), keys].map((each) => state.dim(each, 'the keys', 'load'));
  if (own === all) return mask;
  const more = state.text(state.sub(all, own));
  const missing = cx.constant(mask.dtype === 'bool' ? false : -Infinity, mask.dtype, [...mask.shape.slice(0, -1), more]);
  return require('../../../ops/movement.js').joins.concat([mask, missing], { axis: -1 });
}

/** Stages of the scores that the fourth output may be. */
const STAGES = ['raw', 'capped', 'masked', 'weights'];

/** @type {Translation['translate']} */
function attention(node, [query, key, value, attnMask, past, pastOfValues, lengths], cx) {
  const given = /** @type {any} */ (cx.value(query));
  const [heads, shared] = [node.attr('q_num_heads'), node.attr('kv_num_heads')];
  const q = withHeads(given, heads, cx);
  const [k, v] = [key, value].map((each) => withHeads(cx.value(each, q.dtype), shared, cx));
  const [pastKey, pastValue] = [past, pastOfValues].map((each) => (each === undefined || each === null ? undefined : cx.value(each, q.dtype)));
  const { state } = cx;
  const dim = (/** @type {any} */ each) => state.dim(each.shape[2], 'the keys', 'load');
  const keys = state.text(pastKey === undefined ? dim(k) : state.add(dim(pastKey), dim(k)));
  const mask = optional(attnMask, cx);
  const side = (/** @type {string} */ name) => (node.attr(name, -1) < 0 ? null : node.attr(name));
  const window = /** @type {const} */ ([side('left_window_size'), side('right_window_size')]);
  const precision = node.attr('softmax_precision');
  const result = q.attentionOutputs(k, v, {
    causal: node.attr('is_causal', 0) === 1,
    mask: mask && maskFor(mask, keys, cx),
    scale: node.attr('scale'),
    softcap: node.attr('softcap', 0),
    ...(window.some((each) => each !== null) ? { window } : {}),
    keyLengths: optional(lengths, cx), pastKey, pastValue,
    softmaxDType: precision === undefined ? undefined : elementTypes[precision],
    scores: STAGES[node.attr('qk_matmul_output_mode', 0)],
  });
  const output = given.rank === 3 ? withoutHeads(result.output) : result.output;
  return [output, result.presentKey, result.presentValue.astype(cx.dtype(value)), result.scores];
}

/** Attention whose scores and weights go through functions of the file. @type {Translation['translate']} */
function flexAttention(node, [query, key, value], cx) {
  const [q, k, v] = [query, key, value].map((each) => /** @type {any} */ (cx.value(each)));
  const groups = Number(q.shape[1]) / Number(k.shape[1]);
  const repeated = (/** @type {any} */ each) => (groups === 1 ? each : each.repeat(groups, { axis: 1 }));
  const scale = node.attr('scale', 1 / Math.sqrt(Number(q.shape[3])));
  const precision = elementTypes[node.attr('softmax_precision', 0)] ?? wide(q).dtype;
  const through = (/** @type {string} */ name, /** @type {any} */ of) => {
    const graph = node.attr(name);
    return graph === undefined ? of : cx.value(graph.run(cx, [of])[0]);
  };
  const scores = q.mul(Math.sqrt(scale)).matmul(repeated(k).mul(Math.sqrt(scale)).matrixTranspose()).astype(precision);
  const weights = through('prob_mod', through('score_mod', scores).softmax());
  return weights.matmul(repeated(v).astype(precision)).astype(v.dtype);
}

/** @type {Translation['translate']} */
function rotaryEmbedding(node, [operand, cosines, sines, positions], cx) {
  const given = /** @type {any} */ (cx.value(operand));
  const x = withHeads(given, node.attr('num_heads') || undefined, cx);
  const size = node.attr('rotary_embedding_dim', 0) || Number(x.shape[3]);
  const place = optional(positions, cx);
  // [batch, 1, places, half]
  const [cosine, sine] = [cosines, sines].map((each) => {
    const cache = /** @type {any} */ (cx.value(each));
    return (place === undefined ? cache : cache.take(place, { axis: 0 })).expandDims(1);
  });
  const turned = x.slice(null, null, null, [0, size]);
  const isInterleaved = node.attr('interleaved', 0) === 1;
  const pairs = turned.reshape([...x.shape.slice(0, 3), ...(isInterleaved ? [size / 2, 2] : [2, size / 2])]);
  const [a, b] = pairs.unstack({ axis: isInterleaved ? 4 : 3 });
  const { stack, concat } = require('../../../ops/movement.js').joins;
  const parts = [a.mul(cosine).sub(b.mul(sine)), a.mul(sine).add(b.mul(cosine))];
  const rotated = /** @type {any} */ (stack(parts, { axis: isInterleaved ? 4 : 3 })).reshape(turned.shape);
  const result = size === Number(x.shape[3]) ? rotated : concat([rotated, x.slice(null, null, null, [size, null])], { axis: 3 });
  return given.rank === 3 ? withoutHeads(result) : result;
}

/** What the state of linear attention forgets, and whether it writes what is new only. @type {Record<string, { decays: boolean, corrects: boolean }>} */
const updateRules = {
  linear: { decays: false, corrects: false },
  gated: { decays: true, corrects: false },
  delta: { decays: false, corrects: true },
  gated_delta: { decays: true, corrects: true },
};

/** Attention by a state, [batch, heads, features of keys, features of values], that each place adds to. @type {Translation['translate']} */
function linearAttention(node, [query, key, value, past, decay, beta], cx) {
  const name = node.attr('update_rule', 'gated_delta');
  const rule = updateRules[name] ?? cx.fail('ERR_ARGUMENT', `update_rule is '${name}'`);
  const [heads, shared] = [node.attr('q_num_heads'), node.attr('kv_num_heads')];
  const wideOf = (/** @type {any} */ each) => cx.value(each, 'f32');
  // Places first, since a scan goes along axis 0: [places, batch, heads, features].
  const split = (/** @type {any} */ each, /** @type {number} */ count) => each.reshape([each.shape[0], each.shape[1], count, -1]).swapaxes(0, 1);
  const [q, k, v] = [split(wideOf(query), heads), split(wideOf(key), shared), split(wideOf(value), shared)];
  const steps = /** @type {Record<string, any>} */ ({ q, k, v });
  if (rule.decays) steps.decay = split(wideOf(decay), shared).exp().expandDims(4);
  if (rule.corrects) steps.beta = split(wideOf(beta), Number(cx.shape(beta)[2]));
  const scale = node.attr('scale', 0) || 1 / Math.sqrt(Number(q.shape[3]));
  const before = optional(past, cx);
  const [batch, features] = [q.shape[1], q.shape[3]];
  const initial = before === undefined ? cx.constant(0, 'f32', [batch, shared, features, v.shape[3]]) : before.astype('f32');
  const { scan } = require('../../../trace/control.js').control;
  const [last, all] = scan((/** @type {any} */ own, /** @type {any} */ step) => {
    const state = rule.decays ? own.mul(step.decay) : own;
    const read = (/** @type {any} */ row, /** @type {any} */ of) => row.expandDims(2).matmul(of).reshape([...row.shape.slice(0, 2), of.shape[3]]);
    const written = rule.corrects ? step.beta.mul(step.v.sub(read(step.k, state))) : step.v;
    const next = state.add(step.k.expandDims(3).mul(written.expandDims(2)));
    const readable = heads === shared ? next : next.repeat(heads / shared, { axis: 1 });
    return [next, read(step.q, readable).mul(scale)];
  }, initial, steps);
  const output = all.swapaxes(0, 1).reshape([batch, q.shape[0], -1]).astype(cx.dtype(query));
  return [output, last.astype(before === undefined ? cx.dtype(query) : before.dtype)];
}

/** Elements of a cache replaced, from a place of each batch on. @type {Translation['translate']} */
function tensorScatter(node, [cache, update, places], cx) {
  const [x, given] = [/** @type {any} */ (cx.value(cache)), /** @type {any} */ (cx.value(update))];
  const axis = axisOf(node.attr('axis', -2), x.rank, cx);
  const shape = given.shape.map((/** @type {any} */ size, /** @type {number} */ i) => (i === axis ? size : 1));
  const start = optional(places, cx);
  const step = /** @type {any} */ (cx.iota(shape, 'i64', axis));
  const at = start === undefined ? step : step.add(start.astype('i64').reshape([-1, ...Array(x.rank - 1).fill(1)]));
  const wrapped = node.attr('mode', 'linear') === 'circular' ? at.remainder(cx.sizeValue(x.shape[axis])) : at;
  return x.putAlongAxis(wrapped.broadcastTo(given.shape), given, { axis });
}

// --------------------------------------------------------------------------------------- dropout

/**
 * Nothing, but in training: then random elements become 0. A seed makes them the same in every run.
 *
 * @type {Translation}
 */
const dropout = {
  fold: false,
  translate(node, [operand, ratio, training], cx) {
    const x = /** @type {any} */ (cx.value(operand));
    const maskType = node.version < 10 ? x.dtype : 'bool';
    const all = () => cx.constant(maskType === 'bool' ? true : 1, maskType, x.shape);
    const isKnown = node.version < 12 || training === undefined || training === null || cx.known(training) !== undefined;
    const trains = node.version < 7 ? node.attr('is_test', 0) === 0 : node.version >= 12 && training && (!isKnown || cx.int(training, 'the mode') !== 0);
    if (!trains) return node.hasOutput(1) ? [x, all()] : x;
    const part = node.version < 12 ? node.attr('ratio', 0.5) : (optional(ratio, cx)?.reshape([]) ?? 0.5);
    const kept = uniform(node, x.shape, cx).ge(typeof part === 'number' ? part : part.astype('f32'));
    const scaled = kept.select(typeof part === 'number' ? x.div(1 - part) : x.div(part.astype(x.dtype).neg().add(1)), 0);
    if (isKnown) return [scaled, kept.astype(maskType)];
    const mode = /** @type {any} */ (cx.value(training, 'bool')).reshape([]);
    return [mode.select(scaled, x), kept.or(mode.not())];
  },
};

/** Random numbers from 0 to 1, others in each run but where a seed is given. @type {(node: any, shape: any, cx: Builder) => any} */
function uniform(node, shape, cx) {
  const { random } = require('../../../random/index.js');
  const seed = node.attr('seed');
  const fresh = () => wrapOwn(crypto.getRandomValues(new Uint32Array(2)), 'u32', [2]);
  const key = seed === undefined ? cx.derive('dropout', 'u32', [2], fresh) : cx.constant(random.key(seed));
  return random.uniform(shape, { key, dtype: 'f32' });
}

// ---------------------------------------------------------------------------------------- losses

/** @type {(node: any, logs: any, target: any, weight: any, cx: Builder) => any} */
const nll = (node, logs, target, weight, cx) =>
  logs.nllLoss(cx.value(target), {
    axis: 1, reduction: node.attr('reduction', 'mean'), weight: optional(weight, cx), ignoreIndex: node.attr('ignore_index'),
  });

/** @type {import('./index.js').Tables} */
const ops = {
  'ai.onnx': {
    Conv: conv, ConvTranspose: convTranspose, DeformConv: deformConv, CausalConvWithState: causalConv,
    Attention: attention, LinearAttention: linearAttention, RotaryEmbedding: rotaryEmbedding, TensorScatter: moving(tensorScatter),
    SwiGLU(node, [a, b], cx) {
      const x = /** @type {any} */ (cx.value(a));
      return x.mul(x.mul(node.attr('alpha', 1)).sigmoid()).mul(cx.value(b));
    },
    Dropout: dropout,
    Einsum(node, inputs, cx) {
      const [first, ...rest] = inputs.map((each) => /** @type {any} */ (cx.value(each)));
      return first.einsum(node.attr('equation', '').replaceAll(' ', ''), ...rest);
    },
    NegativeLogLikelihoodLoss: (node, [x, target, weight], cx) => nll(node, cx.value(x), target, weight, cx),
    SoftmaxCrossEntropyLoss(node, [x, target, weight], cx) {
      const logs = /** @type {any} */ (cx.value(x)).logSoftmax({ axis: 1 });
      return [nll(node, logs, target, weight, cx), logs];
    },
  },
  'ai.onnx.preview': { FlexAttention: flexAttention },
};

module.exports = { ops, optional, wide };
