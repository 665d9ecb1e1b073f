/**
 * Attention in its forms, and what stands around it: places turned into angles, caches of keys and values.
 */
'use strict';

const { fixedSize } = require('../../shared/convolution.js');
const { elementTypes } = require('../schema.js');
const { optional, wide } = require('./neural.js');
const { axisOf } = require('../../shared/slices.js');
const { moving } = require('./shapes.js');

/** @typedef {import('../../shared/builder.js').Builder} Builder */
/** @typedef {import('../../shared/builder.js').Translation} Translation */

/**
 * [batch, places, heads · features] as [batch, heads, places, features].
 *
 * @type {(x: any, heads: number | undefined, cx: Builder) => any}
 */
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
  const shape = [...mask.shape.slice(0, -1), more];
  const missing = cx.constant(mask.dtype === 'bool' ? false : -Infinity, mask.dtype, shape);
  return require('../../../ops/movement.js').joins.concat([mask, missing], { axis: -1 });
}

/** The float that holds those of two types. @type {(a: any, b: any) => any} */
const commonFloat = (a, b) => (a === b ? a : [a, b].includes('f64') ? 'f64' : 'f32');

/** Stages of the scores that the fourth output may be. */
const STAGES = ['raw', 'capped', 'masked', 'weights'];

/** @type {Translation['translate']} */
function attention(node, [query, key, value, attnMask, past, pastOfValues, lengths], cx) {
  const given = /** @type {any} */ (cx.value(query));
  const [heads, shared] = [node.attr('q_num_heads'), node.attr('kv_num_heads')];
  const dtype = commonFloat(given.dtype, cx.dtype(value));
  const q = withHeads(cx.value(given, dtype), heads, cx);
  const [k, v] = [key, value].map((each) => withHeads(cx.value(each, dtype), shared, cx));
  const [pastKey, pastValue] = [past, pastOfValues].map((each) => optional(each, cx)?.astype(dtype));
  const { state } = cx;
  const dim = (/** @type {any} */ each) => state.dim(each.shape[2], 'the keys', 'load');
  const keys = state.text(pastKey === undefined ? dim(k) : state.add(dim(pastKey), dim(k)));
  const added = optional(attnMask, cx);
  const mask = added !== undefined && /^[iu]/.test(added.dtype) ? added.astype(dtype) : added;
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
  const types = [given.dtype, cx.dtype(key), cx.dtype(value), given.dtype];
  const { presentKey, presentValue, scores } = result;
  return [output, presentKey, presentValue, scores].map((each, i) => each && cx.value(each, types[i]));
}

/** Attention whose scores and weights go through functions of the file. @type {Translation['translate']} */
function flexAttention(node, [query, key, value], cx) {
  const [q, k, v] = [query, key, value].map((each) => /** @type {any} */ (cx.value(each)));
  const groups = fixedSize(q, 1, cx) / fixedSize(k, 1, cx);
  const repeated = (/** @type {any} */ each) => (groups === 1 ? each : each.repeat(groups, { axis: 1 }));
  const scale = node.attr('scale') ?? 1 / Math.sqrt(fixedSize(q, 3, cx));
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
  const size = node.attr('rotary_embedding_dim', 0) || fixedSize(x, 3, cx);
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
  const rotated = stack(parts, { axis: isInterleaved ? 4 : 3 });
  const own = /** @type {any} */ (rotated).reshape(turned.shape);
  const isAll = size === x.shape[3];
  const result = isAll ? own : concat([own, x.slice(null, null, null, [size, null])], { axis: 3 });
  return given.rank === 3 ? withoutHeads(result) : result;
}

/**
 * Whether the state of linear attention forgets, and whether it writes only what is new.
 *
 * @type {Record<string, { decays: boolean, corrects: boolean }>}
 */
const updateRules = {
  linear: { decays: false, corrects: false },
  gated: { decays: true, corrects: false },
  delta: { decays: false, corrects: true },
  gated_delta: { decays: true, corrects: true },
};

/**
 * Attention by a state, [batch, heads, features of keys, features of values], that each place adds to.
 *
 * @type {Translation['translate']}
 */
function linearAttention(node, [query, key, value, past, decay, beta], cx) {
  const name = node.attr('update_rule', 'gated_delta');
  const rule = updateRules[name] ?? cx.fail('ERR_ARGUMENT', `update_rule is '${name}'`);
  const [heads, shared] = [node.attr('q_num_heads'), node.attr('kv_num_heads')];
  const wideOf = (/** @type {any} */ each) => cx.value(each, 'f32');
  // Places first, since a scan goes along axis 0: [places, batch, heads, features].
  const split = (/** @type {any} */ each, /** @type {number} */ count) =>
    each.reshape([...each.shape.slice(0, 2), count, -1]).swapaxes(0, 1);
  const [q, k, v] = [split(wideOf(query), heads), split(wideOf(key), shared), split(wideOf(value), shared)];
  const steps = /** @type {Record<string, any>} */ ({ q, k, v });
  if (rule.decays) steps.decay = split(wideOf(decay), shared).exp().expandDims(4);
  if (rule.corrects) steps.beta = split(wideOf(beta), fixedSize(cx.value(beta), 2, cx));
  const scale = node.attr('scale', 0) || 1 / Math.sqrt(fixedSize(q, 3, cx));
  const before = optional(past, cx);
  const [batch, features] = [q.shape[1], q.shape[3]];
  const initial = before?.astype('f32') ?? cx.constant(0, 'f32', [batch, shared, features, v.shape[3]]);
  const { scan } = require('../../../trace/control.js').control;
  const [last, all] = scan((/** @type {any} */ own, /** @type {any} */ step) => {
    const state = rule.decays ? own.mul(step.decay) : own;
    const read = (/** @type {any} */ row, /** @type {any} */ of) =>
      row.expandDims(2).matmul(of).reshape([...row.shape.slice(0, 2), of.shape[3]]);
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

/** @type {import('./index.js').Tables} */
const ops = {
  'ai.onnx': {
    Attention: attention, LinearAttention: linearAttention, RotaryEmbedding: rotaryEmbedding,
    TensorScatter: moving(tensorScatter),
  },
  'ai.onnx.preview': { FlexAttention: flexAttention },
};

module.exports = { ops };
