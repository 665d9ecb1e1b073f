/**
 * Attention as onnxruntime's ops have it: projections, heads side by side on the last axis, masks in several forms,
 * keys
 * and values of the past, rotary embeddings. What is left of each is Value.attention with one mask that is added.
 *
 * A mask of files does not forbid a place: it adds a large negative number, so that a row of which all is masked is the
 * mean of the values. Only the order of places (causal, windows) forbids.
 *
 * Left out: buffers of a past that the present shares in Attention and MultiHeadAttention, beams, quantised caches.
 */
'use strict';

const { joins } = require('../../../ops/movement.js');
const { sliceAxes } = require('../../shared/slices.js');
const { optional } = require('./neural.js');
const { isGiven } = require('../../shared/operands.js');

/** @typedef {import('../../shared/builder.js').Builder} Builder */
/** @typedef {import('../../shared/builder.js').Translation} Translation */

// ------------------------------------------------------------------------------------------- heads

/** [batch, places, heads · features] as [batch, heads, places, features]. @type {(x: any, heads: number) => any} */
const split = (x, heads) => x.reshape([x.shape[0], x.shape[1], heads, -1]).permute([0, 2, 1, 3]);

/** The way back. @type {(x: any) => any} */
const joined = (x) => x.permute([0, 2, 1, 3]).reshape([x.shape[0], x.shape[2], -1]);

/** Parts of the last axis, of known sizes. @type {(x: any, sizes: readonly number[]) => any[]} */
function parts(x, sizes) {
  let at = 0;
  return sizes.map((size) => {
    const ranges = Array.from({ length: x.rank }, (_, i) => (i === x.rank - 1 ? [at, at + size] : null));
    at += size;
    return x.slice(...ranges);
  });
}

/** The parts of one axis, of which a matrix each remains. @type {(x: any, axis: number, index: number) => any} */
const pick = (x, axis, index) => x.slice(...Array.from({ length: x.rank }, (_, i) => (i === axis ? index : null)));

/** @type {(size: number | string, cx: Builder) => number} */
const known = (size, cx) =>
  typeof size === 'number' ? size : cx.fail('ERR_SHAPE', `the number of features, ${size}, is open`);

// ------------------------------------------------------------------------------------------- masks

/** Places along an axis of [1, 1, queries, keys]. @type {(size: number | string, axis: number, cx: Builder) => any} */
const placesOf = (size, axis, cx) => cx.iota([1, 1, 1, 1].map((each, i) => (i === axis ? size : each)), 'i64', axis);

/** An open size as a scalar. @type {(size: number | string, cx: Builder) => any} */
const scalarOf = (size, cx) => cx.value(cx.sizeValue(size));

/**
 * Places along an axis. Where the size has another name in the file, it is that of the graph then.
 *
 * @type {(x: any, axis: number, from: number | string, to: number | string, cx: Builder) => any}
 */
const range = (x, axis, from, to, cx) =>
  from === 0 && x.shape[axis] === to ? x : sliceAxes(x, [from], [to], [axis], [1], cx);

/** What is left of a size. @type {(size: number | string, less: number | string, cx: Builder) => number | string} */
function difference(size, less, { state }) {
  const [a, b] = state.dims([size, less], 'load');
  return state.text(state.sub(a, b));
}

/** @type {(size: number | string, count: number, cx: Builder) => number | string} */
const times = (size, count, { state }) => state.text(state.mul(state.dim(size, 'a size', 'load'), count));

/**
 * Which keys a mask leaves, as bools that broadcast to [batch, heads, queries, keys].
 *
 * @type {(mask: any, shape: { batch: any, queries: any, keys: any }, cx: Builder) => any}
 */
function keptBy(mask, { batch, queries, keys }, cx) {
  if (mask.rank === 2) return range(mask, 1, 0, keys, cx).ne(0).reshape([mask.shape[0], 1, 1, keys]);
  if (mask.rank === 3) return range(mask, 2, 0, keys, cx).ne(0).expandDims(1);
  // Of all places there can be: the rows of the queries, which are the last of the keys.
  if (mask.rank === 4) return range(range(mask, 2, difference(keys, queries, cx), keys, cx), 3, 0, keys, cx).ne(0);
  // The ends of the keys of each batch; behind them where they begin, or sums of lengths, which say nothing new.
  const size = mask.shape[0];
  const isPair = size === times(batch, 2, cx);
  if (size !== batch && !isPair && !(typeof size === 'number' && size === 3 * batch + 2))
    return cx.fail('ERR_SHAPE', `a mask of size ${size} says nothing of ${batch} batches`);
  const at = placesOf(keys, 3, cx);
  const part = (/** @type {number} */ index) =>
    range(mask, 0, times(batch, index, cx), times(batch, index + 1, cx), cx).astype('i64').reshape([batch, 1, 1, 1]);
  const isBefore = at.lt(part(0));
  return isPair ? isBefore.and(at.ge(part(1))) : isBefore;
}

/**
 * Whether a key is not behind its query, nor too far before it. place [batch, 1, queries, 1].
 *
 * @type {(place: any, keys: any, window: number, cx: Builder) => any}
 */
function inSight(place, keys, window, cx) {
  const at = placesOf(keys, 3, cx);
  const isBehind = at.le(place);
  return window < 0 ? isBehind : isBehind.and(at.gt(place.sub(window)));
}

/**
 * What is added to scores: a number where not kept, a bias; undefined for nothing.
 *
 * @type {(terms: readonly any[], dtype: any) => any}
 */
function sumOf(terms, dtype) {
  const given = terms.filter((each) => each !== undefined).map((each) => each.astype(dtype));
  return given.length === 0 ? undefined : given.reduce((a, b) => a.add(b));
}

/** @type {(kept: any, filter: number, dtype: any, cx: Builder) => any} */
const filtered = (kept, filter, dtype, cx) => kept.select(cx.constant(0, dtype), cx.constant(filter, dtype));

/**
 * Softmax of q · kᵀ · scale with a mask added, times v.
 *
 * @type {(q: any, k: any, v: any, mask: any, node: any, options?: Record<string, any>) => any}
 */
function attend(q, k, v, mask, node, options = {}) {
  const scale = node.attr('scale', 0);
  return q.attention(k, v, { mask, ...(scale === 0 ? {} : { scale }), ...options });
}

// ------------------------------------------------------------------------------------------ rotary

/**
 * Pairs of features turned by the angles of places: those of both halves, or neighbours.
 *
 * @param {any} x [batch, heads, places, features], of which the first are turned
 * @param {any} positions [batch or 1, places]
 * @param {readonly any[]} tables cosines and sines [places there are, features / 2]
 * @param {boolean} isInterleaved
 * @param {Builder} cx
 */
function rotated(x, positions, tables, isInterleaved, cx) {
  const half = known(tables[0].shape[1], cx);
  const [cos, sin] = tables.map((table) => table.take(positions, { axis: 0 }).expandDims(1));
  const all = known(x.shape[3], cx);
  const [turned, rest] = all > 2 * half ? parts(x, [2 * half, all - 2 * half]) : [x];
  const pairs = turned.reshape([x.shape[0], x.shape[1], x.shape[2], ...(isInterleaved ? [half, 2] : [2, half])]);
  const axis = isInterleaved ? 4 : 3;
  const [a, b] = [pick(pairs, axis, 0), pick(pairs, axis, 1)];
  const both = /** @type {any} */ (joins.stack([a.mul(cos).sub(b.mul(sin)), b.mul(cos).add(a.mul(sin))], { axis }));
  const result = both.reshape(turned.shape);
  return rest === undefined ? result : joins.concat([result, rest], { axis: 3 });
}

/** @type {Translation['translate']} */
function rotaryEmbedding(node, [operand, positions, cos, sin], cx) {
  const given = /** @type {any} */ (cx.value(operand));
  const tables = [cos, sin].map((each) => /** @type {any} */ (cx.value(each)));
  const heads = node.attr('num_heads', 0);
  const size = heads > 0 ? undefined : 2 * known(tables[0].shape[1], cx);
  const count = given.rank === 4 ? 0 : heads > 0 ? heads : known(given.shape[2], cx) / /** @type {number} */ (size);
  const x = given.rank === 4 ? given : split(given, count);
  const at = /** @type {any} */ (cx.value(positions, 'i64'));
  // One number is where the first place is.
  const places = at.rank === 1 ? at.reshape([1, 1]).add(cx.iota([1, x.shape[2]], 'i64', 1)) : at;
  const scale = node.attr('scale', 1);
  const result = rotated(x, places, tables, node.attr('interleaved', 0) === 1, cx);
  const scaled = scale === 1 ? result : result.mul(scale);
  return given.rank === 4 ? scaled : joined(scaled);
}

// ------------------------------------------------------------------------- Attention, MultiHeadAttention

/** Keys or values behind those of the past. @type {(past: any, own: any) => any} */
const behind = (past, own) => (past === undefined ? own : joins.concat([past, own], { axis: 2 }));

/**
 * What follows the projection of q, k and v side by side.
 *
 * @type {(node: any, projected: any, [mask, past, bias]: any[], cx: Builder) => any[]}
 */
function attentionOf(node, projected, [mask, past, bias], cx) {
  for (const name of ['do_rotary', 'past_present_share_buffer'])
    if (node.attr(name, 0) !== 0) cx.fail('ERR_UNSUPPORTED', `attribute '${name}' is not supported`);
  const third = known(projected.shape[2], cx) / 3;
  const heads = node.attr('num_heads');
  const widths = node.attr('qkv_hidden_sizes', [third, third, third]);
  const [q, ...own] = parts(projected, widths).map((each) => split(each, heads));
  const before = optional(past, cx);
  const [keys, values] = own.map((each, i) => behind(before && pick(before, 0, i), each));
  const y = withMasks(node, [q, keys, values], [mask, bias], node.attr('unidirectional', 0) === 1, cx);
  return [joined(y), node.hasOutput(1) ? joins.stack([keys, values]) : undefined];
}

/** @type {(node: any, [q, k, v]: any[], [mask, bias]: any[], isCausal: boolean, cx: Builder) => any} */
function withMasks(node, [q, k, v], [mask, bias], isCausal, cx) {
  const [batch, queries, keys] = [q.shape[0], q.shape[2], k.shape[2]];
  const filter = node.attr('mask_filter_value', -10000);
  const kept = isGiven(mask) ? keptBy(cx.value(mask), { batch, queries, keys }, cx) : undefined;
  const place = () => placesOf(queries, 2, cx).add(scalarOf(difference(keys, queries, cx), cx));
  const sight = isCausal ? inSight(place(), keys, -1, cx) : undefined;
  const added = optional(bias, cx);
  const terms = [
    kept && filtered(kept, filter, q.dtype, cx),
    sight && filtered(sight, -Infinity, q.dtype, cx),
    added && range(added, 3, 0, keys, cx),
  ];
  return attend(q, k, v, sumOf(terms, q.dtype), node);
}

/** @type {Translation['translate']} */
function attention(node, [x, weights, bias, mask, past, added], cx) {
  const product = /** @type {any} */ (cx.value(x)).matmul(cx.value(weights));
  const projected = isGiven(bias) ? product.add(cx.value(bias)) : product;
  return attentionOf(node, projected, [mask, past, added], cx);
}

/** q, k and v with their biases, by heads. @type {(node: any, inputs: any[], cx: Builder) => any[]} */
function headsOf(node, [query, key, value, bias], cx) {
  const heads = node.attr('num_heads');
  const given = /** @type {any} */ (cx.value(query));
  // [batch, places, heads, 3, features]
  if (given.rank === 5) return [0, 1, 2].map((i) => pick(given, 3, i).permute([0, 2, 1, 3]));
  const k = /** @type {any} */ (cx.value(key));
  const v = k.rank === 5 ? undefined : cx.value(value);
  const kv = k.rank === 5 ? [0, 1].map((i) => pick(k, 3, i).permute([0, 2, 1, 3])) : [k, v];
  const all = [given, ...kv];
  const widths = all.map((each) => (each.rank === 4 ? heads * known(each.shape[3], cx) : known(each.shape[2], cx)));
  const biases = isGiven(bias) ? parts(cx.value(bias), widths) : [];
  return all.map((each, i) => {
    if (each.rank === 4) return each;
    return split(biases[i] === undefined ? each : each.add(biases[i]), heads);
  });
}

/** @type {Translation['translate']} */
function multiHeadAttention(node, [query, key, value, bias, mask, added, pastKey, pastValue, pastLength, beams], cx) {
  if (isGiven(pastLength) || isGiven(beams))
    cx.fail('ERR_UNSUPPORTED', 'a buffer that past and present share is not supported');
  if (node.hasOutput(3)) cx.fail('ERR_UNSUPPORTED', 'output 3, the scores, is not supported');
  const [q, ...own] = headsOf(node, [query, key, value, bias], cx);
  const [k, v] = own.map((each, i) => behind(optional([pastKey, pastValue][i], cx), each));
  return [joined(withMasks(node, [q, k, v], [mask, added], node.attr('unidirectional', 0) === 1, cx)), k, v];
}

// ------------------------------------------------------------------------------ GroupQueryAttention

/**
 * Keys or values of the past with the new ones behind them, which is another place in each batch.
 *
 * @param {any} past [batch, heads, places, features], or undefined
 * @param {any} own
 * @param {any} before [batch] how many of the past count
 * @param {number | string} total places of the result
 * @param {Builder} cx
 */
function present(past, own, before, total, cx) {
  const shape = [own.shape[0], own.shape[1], total, own.shape[3]];
  const at = placesOf(total, 2, cx);
  const start = before.reshape([own.shape[0], 1, 1, 1]);
  const taken = (/** @type {any} */ from, /** @type {any} */ index) => {
    const last = scalarOf(from.shape[2], cx).sub(1);
    return from.takeAlongAxis(index.max(0).min(last).broadcastTo(shape), { axis: 2 });
  };
  const number = at.sub(start);
  const added = taken(own, number);
  const isNew = number.ge(0).and(number.lt(scalarOf(own.shape[2], cx)));
  if (past === undefined || past.shape[2] === 0) return isNew.select(added, cx.constant(0, own.dtype));
  // Where nothing of either is there is room, which is 0.
  const old = taken(past, at.broadcastTo([own.shape[0], 1, total, 1]));
  return isNew.select(added, at.lt(start).select(old, cx.constant(0, own.dtype)));
}

/** @type {(node: any, inputs: any[], cx: Builder) => any[]} */
function groupedHeads(node, [query, key, value], cx) {
  const [heads, shared] = [node.attr('num_heads'), node.attr('kv_num_heads')];
  const given = /** @type {any} */ (cx.value(query));
  if (isGiven(key)) return [split(given, heads), ...[key, value].map((each) => split(cx.value(each), shared))];
  const features = known(given.shape[2], cx) / (heads + 2 * shared);
  const counts = [heads, shared, shared];
  return parts(given, counts.map((count) => count * features)).map((each, i) => split(each, counts[i]));
}

/** @type {Translation['translate']} */
function groupQueryAttention(node, inputs, cx) {
  const [, , , pastKey, pastValue, lengths, totalLength, cos, sin, positions, added, sink, ...rest] = inputs;
  if (rest.some(isGiven) || node.attr('sliding_window_cache', 0) !== 0 || node.hasOutput(3))
    cx.fail('ERR_UNSUPPORTED', 'quantised and sliding caches, norms of queries, and scores as an output are missing');
  const { state } = cx;
  const [query, key, v] = groupedHeads(node, inputs, cx);
  let [q, k] = [query, key];
  const queries = q.shape[2];
  const pasts = [pastKey, pastValue].map((each) => optional(each, cx));
  // How many places of the past there are in each batch: none where all places are new.
  const [total] = cx.sizes(totalLength, 'the total sequence length');
  const [totalDim, queryDim] = state.dims([total, queries], 'load');
  const ends = /** @type {any} */ (cx.value(lengths, 'i64')).reshape([q.shape[0]]).add(1);
  const isFirst = scalarOf(total, cx).eq(scalarOf(queries, cx));
  const before = isFirst.select(0, ends.sub(scalarOf(queries, cx)).max(0));
  const place = before.reshape([q.shape[0], 1]).add(cx.iota([1, queries], 'i64', 1));
  if (node.attr('do_rotary', 0) === 1) {
    const tables = [cos, sin].map((each) => cx.value(each));
    const at = isGiven(positions) ? cx.value(positions, 'i64') : place;
    [q, k] = [q, k].map((each) => rotated(each, at, tables, node.attr('rotary_interleaved', 0) === 1, cx));
  }
  const pastDim = pasts[0] === undefined ? 0 : state.dim(pasts[0].shape[2], 'a size', 'load');
  const room = state.text(state.max(state.max(totalDim, pastDim), queryDim));
  const [keys, values] = [k, v].map((each, i) => present(pasts[i], each, before, room, cx));
  const y = groupedAttention(node, [q, keys, values], place, { added, sink }, cx);
  return [joined(y), keys, values];
}

/** @type {(node: any, [q, k, v]: any[], place: any, given: { added: any, sink: any }, cx: Builder) => any} */
function groupedAttention(node, [q, k, v], place, { added, sink }, cx) {
  const places = place.reshape([place.shape[0], 1, place.shape[1], 1]);
  const isCausal = node.attr('causal', 1) === 1;
  const sight = isCausal ? inSight(places, k.shape[2], node.attr('local_window_size', -1), cx) : undefined;
  const bias = optional(added, cx);
  const mask = sumOf([sight && filtered(sight, -Infinity, q.dtype, cx), bias && padded(bias, k.shape[2], cx)], q.dtype);
  const softcap = node.attr('softcap', 0);
  const options = { groups: node.attr('num_heads') / node.attr('kv_num_heads'), ...(softcap > 0 ? { softcap } : {}) };
  const isSmooth = node.attr('smooth_softmax', 0) === 1;
  if (!isGiven(sink) && !isSmooth) return attend(q, k, v, mask, node, options);
  // One more key, whose score is given and whose value is 0.
  const score = isGiven(sink) ? cx.value(sink, q.dtype) : cx.constant(0, q.dtype, [q.shape[1]]);
  const [batch, heads, queries] = q.shape;
  const column = /** @type {any} */ (score).reshape([1, heads, 1, 1]).broadcastTo([batch, heads, queries, 1]);
  const own = (mask ?? cx.constant(0, q.dtype, [1])).broadcastTo([batch, heads, queries, k.shape[2]]);
  const [keys, values] = [k, v].map((each) => each.pad([[0, 0], [0, 0], [0, 1], [0, 0]]));
  return attend(q, keys, values, joins.concat([own, column], { axis: 3 }), node, options);
}

/** A bias of fewer keys than there is room for. @type {(bias: any, keys: number | string, cx: Builder) => any} */
function padded(bias, keys, cx) {
  if (bias.shape[3] === keys) return bias;
  const last = scalarOf(bias.shape[3], cx).sub(1);
  return bias.take(/** @type {any} */ (cx.iota([keys], 'i64', 0)).min(last), { axis: 3 });
}

// ------------------------------------------------------------------------------------ position bias

/** A bias by the distance of two places, in buckets that become wider (T5). @type {Translation['translate']} */
function relativePositionBias(node, [table, queryLength, keyLength], cx) {
  const values = /** @type {any} */ (cx.value(table));
  const [queries] = cx.sizes(queryLength, 'the query length');
  const [keys] = cx.sizes(keyLength, 'the key length');
  const most = node.attr('max_distance');
  const isBidirectional = node.attr('is_bidirectional', 0) === 1;
  const all = known(values.shape[0], cx);
  const count = isBidirectional ? all / 2 : all;
  const distance = /** @type {any} */ (cx.iota([queries, 1], 'i64', 0)).sub(cx.iota([1, keys], 'i64', 1));
  const far = isBidirectional ? distance.abs() : distance.max(0);
  const exact = count >> 1;
  const ratio = far.astype('f32').div(exact).log().div(Math.log(most / exact));
  const wider = ratio.mul(count - exact).astype('i64').add(exact).min(count - 1);
  const bucket = far.lt(exact).select(far, wider);
  const index = isBidirectional ? bucket.add(distance.lt(0).astype('i64').mul(count)) : bucket;
  return values.take(index, { axis: 0 }).permute([2, 0, 1]).expandDims(0);
}

/** A bias by distance, times what each query makes of it (WavLM). @type {Translation['translate']} */
function gatedRelativePositionBias(node, [query, bias, relative, weight, shift, eco, offset], cx) {
  if (isGiven(offset)) cx.fail('ERR_UNSUPPORTED', 'packed tokens are not supported');
  const q = split(/** @type {any} */ (cx.value(query)).add(cx.value(bias)), node.attr('num_heads'));
  const gates = q.matmul(cx.value(weight)).add(cx.value(shift));
  const sums = gates.reshape([...gates.shape.slice(0, 3), 2, -1]).sum({ axis: -1 }).sigmoid();
  const [update, reset] = [0, 1].map((i) => pick(sums, 3, i).expandDims(3));
  return update.mul(reset.mul(cx.value(eco)).sub(1)).add(2).mul(cx.value(relative));
}

/** @type {import('./index.js').Tables} */
const ops = {
  'com.microsoft': {
    Attention: attention, MultiHeadAttention: multiHeadAttention, GroupQueryAttention: groupQueryAttention,
    RotaryEmbedding: rotaryEmbedding, RelativePositionBias: relativePositionBias,
    GatedRelativePositionBias: gatedRelativePositionBias,
  },
};

module.exports = { attentionOf, ops };
