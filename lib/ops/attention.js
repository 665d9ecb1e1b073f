/**
 * Scaled dot-product attention and the bilinear layer: contractions with something between them.
 *
 * Attention is softmax(q · kᵀ · scale + mask) · v (Vaswani and others, Attention Is All You Need, NeurIPS 2017),
 * over operands laid out as PyTorch's `scaled_dot_product_attention` has them: [..., heads, places, features].
 * In grouped-query attention several heads of q share one of k and v (Ainslie and others, GQA, EMNLP 2023):
 * they become an axis of their own, so that nothing is repeated in memory.
 *
 * What generating text takes is ONNX's: keys and values of the past, which stand in front, or caches that are filled
 * up to a length; windows; scores that a tanh bounds before they are masked.
 */
'use strict';

const { expected, finite, integer, oneOf, readOptions } = require('../base/check.js');
const { fail } = require('../base/errors.js');
const { alike, append, constantFrom, constantOf, dimsOf, graphOf, isValue, lift, stateOf } = require('../graph/value.js');
const { dtypeName, dtypes } = require('../tensor/dtypes.js');
const { contraction, pairOf, withBias } = require('./contractions.js');
const { einsum } = require('./einsum.js');
const { elementwise, rows } = require('./elementwise.js');
const { sizeValue } = require('./indexing.js');
const { allAxes, joins, reshapeTo } = require('./movement.js');
const { inDType, reductions } = require('./reductions.js');

/** @typedef {import('../graph/value.js').Value} Value */
/** @typedef {import('../graph/value.js').GraphState} GraphState */

const given = (/** @type {unknown} */ value) => value;
const LAST = { axis: -1, keepDims: true };

// --------------------------------------------------------------------------------------- options

/**
 * How many places behind its own a query sees; undefined: all.
 *
 * @type {import('../base/check.js').Getter<number | undefined>}
 */
function causalOf(value, which, caller) {
  if (typeof value === 'boolean') return value ? 0 : undefined;
  if (typeof value === 'number') return integer()(value, which, caller);
  return expected(caller, 'true, false or a number of places', which, value);
}

/**
 * Heads of q per head of k and v.
 *
 * @type {(state: GraphState, heads: number, shared: number, groups: number | undefined, caller: string) => number}
 */
function groupsOf(state, heads, shared, groups, caller) {
  if (heads === shared && groups === undefined) return 1;
  const found = groups ?? (heads >= 0 && shared > 0 && heads % shared === 0 ? heads / shared : 0);
  if (found > 0 && state.mul(shared, found) === heads) return found;
  const texts = [heads, shared].map((dim) => state.text(dim));
  const wanted = groups === undefined ? '' : ` times ${groups} (option 'groups')`;
  return fail(
    'ERR_SHAPE',
    `${caller}: ${texts[0]} heads of q are not a multiple of the ${texts[1]} of k and v${wanted}`,
  );
}

/** The default scale, 1 / √features, also of a size that is known later. @type {(q: Value, caller: string) => Value} */
function inverseRoot(q, caller) {
  const state = stateOf(q);
  const features = Number(dimsOf(q).at(-1));
  if (features >= 0)
    return constantOf(
      state,
      Math.fround(1) * (features > 0 ? 1 / Math.sqrt(features) : 1),
      q.dtype,
      'the scale',
      caller,
    );
  const ones = constantOf(state, 1, q.dtype, '1', caller, [features]);
  return elementwise.reciprocal(rows.sqrt(append(state, 'reduce_sum', [ones], { axes: [0] })));
}

// ----------------------------------------------------------------------------------- the operands

/**
 * q, k and v in one float dtype, and their batch axes.
 *
 * @type {(q: unknown, k: unknown, v: unknown, caller: string) => { state: GraphState, values: Value[] }}
 */
function operandsOf(q, k, v, caller) {
  const names = ['q', 'k', 'v'];
  const { state, values } = lift([q, k, v], caller, 0, (i) => names[i]);
  const same = alike(values, caller);
  if (dtypes[same[0].dtype].kind !== 'float') expected(caller, 'floats', 'q, k and v', same[0].dtype, 'ERR_DTYPE');
  const short = same.findIndex(({ rank }) => rank < 2);
  if (short >= 0)
    expected(caller, 'at least two axes, [..., places, features],', names[short], [q, k, v][short], 'ERR_SHAPE');
  const text = () => same.map((value) => state.shapeText(dimsOf(value))).join(', ');
  if (same.some(({ rank }) => rank !== same[0].rank))
    fail('ERR_SHAPE', `${caller}: q, k and v have shapes ${text()}, which differ in rank`);
  const [, keys, rest] = same.map(dimsOf);
  const outer = dimsOf(same[0]).slice(0, -3);
  const alikeOuter = [keys, rest].every((dims) => outer.every((dim, axis) => dims[axis] === dim));
  const kv = keys.slice(0, -1).every((dim, axis) => dim === rest[axis]);
  if (!alikeOuter || !kv) fail('ERR_SHAPE', `${caller}: q, k and v have shapes ${text()}, which do not fit`);
  return { state, values: same };
}

/**
 * Scores where the mask is true, or with it added.
 *
 * @type {(scores: Value, mask: unknown, shape: readonly number[], caller: string) => Value}
 */
function masked(scores, mask, shape, caller) {
  if (mask === undefined) return scores;
  const { state, values } = lift([scores, mask], caller, 0, (i) => (i === 0 ? 'the scores' : "option 'mask'"));
  const dims = dimsOf(values[1]);
  const lead = shape.length - dims.length;
  const kind = dtypes[values[1].dtype].kind;
  if (kind !== 'bool' && kind !== 'float') expected(caller, 'bools or floats', "option 'mask'", mask, 'ERR_DTYPE');
  if (lead < 0 || dims.some((dim, axis) => dim !== 1 && dim !== shape[lead + axis])) {
    fail(
      'ERR_SHAPE',
      `${caller}: a mask of shape ${state.shapeText(dims)} does not broadcast to ${state.shapeText(shape)}`,
    );
  }
  // Heads are two axes in the scores where they are grouped.
  const full = [...new Array(lead).fill(1), ...dims];
  const own = dimsOf(scores);
  const grouped = own.length > shape.length && lead <= shape.length - 3;
  const split = grouped
    ? [...full.slice(0, -3), ...(full.at(-3) === 1 ? [1, 1] : own.slice(-4, -2)), ...full.slice(-2)]
    : dims;
  const laid = reshapeTo(state, values[1], split);
  if (kind === 'float')
    return rows.add(scores, laid.dtype === scores.dtype ? laid : elementwise.convert(laid, scores.dtype));
  return rows.select(laid, scores, constantOf(state, -Infinity, scores.dtype, '-Infinity', caller));
}

/**
 * What a query sees by its place alone.
 *
 * @typedef {object} Sight
 * @property {number} [causal] how many keys behind its own
 * @property {readonly (number | null)[]} [window] how many in front of its own, and behind
 * @property {Value} [keyLengths] how many keys there are, per batch
 * @property {number} [past] how many keys stand in front of those of the queries
 */

/**
 * Where the queries stand among the keys: behind those of the past, or at the end of those there are.
 *
 * @type {(query: Value, queries: number, lengths: Value | undefined, past: number | undefined, caller: string) => Value}
 */
function standing(query, queries, lengths, past, caller) {
  const state = stateOf(query);
  if (past !== undefined) return rows.add(query, sizeValue(state, past, 'i64', caller));
  if (lengths === undefined) return query;
  return rows.add(query, rows.sub(lengths, sizeValue(state, queries, 'i64', caller)));
}

/**
 * Scores of the keys that a query sees, and -Infinity.
 *
 * @type {(scores: Value, sight: Sight, caller: string) => Value}
 */
function sighted(scores, { causal, window: [left = null, right = null] = [], keyLengths, past }, caller) {
  const state = stateOf(scores);
  const shape = dimsOf(scores).slice(-2);
  const [query, key] = [0, 1].map((axis) => append(state, 'iota', [], { dtype: 'i64', shape, axis }));
  // [batch axes, 1 …] as many axes as the scores have
  const lengths =
    keyLengths && reshapeTo(state, keyLengths, [
      ...dimsOf(keyLengths),
      ...new Array(scores.rank - keyLengths.rank).fill(1),
    ]);
  const place = standing(query, shape[0], lengths, past, caller);
  const seen = [
    causal === undefined ? [] : rows.le(key, causal === 0 ? place : rows.add(place, causal)),
    left === null ? [] : rows.ge(key, rows.sub(place, left)),
    right === null ? [] : rows.le(key, rows.add(place, right)),
    lengths === undefined ? [] : rows.lt(key, lengths),
  ].flat();
  if (seen.length === 0) return scores;
  const all = seen.reduce((both, one) => rows.and(both, one));
  return rows.select(all, scores, constantOf(state, -Infinity, scores.dtype, '-Infinity', caller));
}

/**
 * Softmax over the last axis, 0 where a row is all -∞: who sees nothing takes nothing.
 *
 * @type {(scores: Value, caller: string) => Value}
 */
function weights(scores, caller) {
  const zero = constantOf(stateOf(scores), 0, scores.dtype, '0', caller);
  const most = rows.stopGradient(reductions.max(scores, LAST));
  const powers = rows.exp(rows.sub(scores, rows.select(rows.eq(most, -Infinity), zero, most)));
  const total = reductions.sum(powers, LAST);
  return rows.mul(powers, rows.select(rows.eq(total, 0), zero, elementwise.reciprocal(total)));
}

/** @type {import('../base/check.js').Getter<readonly (number | null)[]>} */
function windowOf(value, which, caller) {
  if (!Array.isArray(value) || value.length !== 2)
    return expected(caller, 'two numbers of places, before and behind, either of which may be null,', which, value);
  return value.map((each) => (each === null ? null : integer(0)(each, which, caller)));
}

/** @type {import('../base/check.js').Getter<number>} */
function capOf(value, which, caller) {
  const cap = finite(value, which, caller);
  return cap >= 0 ? cap : expected(caller, 'a number of at least 0', which, value);
}

const known = {
  causal: causalOf, mask: given, scale: given, groups: integer(1), window: windowOf, softcap: capOf, keyLengths: given,
  pastKey: given, pastValue: given, softmaxDType: dtypeName,
};

/** @typedef {ReturnType<typeof readOptions<typeof known>>} Options */

/**
 * Keys, or values, behind those of the past.
 *
 * @type {(past: unknown, own: Value, which: string, caller: string) => { all: Value, size: number }}
 */
function behind(past, own, which, caller) {
  const { state, values } = lift([past, own], caller, 0, () => which);
  const [before] = values;
  const dims = dimsOf(before);
  const at = own.rank - 2;
  if (dims.length !== own.rank || dims.some((dim, axis) => axis !== at && dim !== dimsOf(own)[axis])) {
    const texts = [dims, dimsOf(own)].map((each) => state.shapeText(each));
    fail('ERR_SHAPE', `${caller}: ${which} of shape ${texts[0]} does not go in front of ${texts[1]}`);
  }
  return { all: joins.concat([before, own], { axis: at }), size: dims[at] };
}

/**
 * @type {(k: Value, v: Value, options: Options, caller: string) => { k: Value, v: Value, past?: number }}
 */
function withPast(k, v, { pastKey, pastValue, keyLengths }, caller) {
  if ((pastKey === undefined) !== (pastValue === undefined))
    fail('ERR_ARGUMENT', `${caller}: options 'pastKey' and 'pastValue' go together`);
  if (pastKey === undefined) return { k, v };
  if (keyLengths !== undefined)
    fail('ERR_ARGUMENT', `${caller}: option 'keyLengths' is of caches, so it does not go with 'pastKey'`);
  const keys = behind(pastKey, k, "option 'pastKey'", caller);
  const values = behind(pastValue, v, "option 'pastValue'", caller);
  if (keys.size !== values.size) fail('ERR_SHAPE', `${caller}: options 'pastKey' and 'pastValue' differ in length`);
  return { k: keys.all, v: values.all, past: keys.size };
}

/**
 * The number of keys per batch, as i64.
 *
 * @type {(state: GraphState, lengths: unknown, batch: readonly number[], caller: string) => Value | undefined}
 */
function lengthsOf(state, lengths, batch, caller) {
  if (lengths === undefined) return undefined;
  const value = isValue(lengths) ? lengths : constantFrom(state, lengths, caller, 'i64');
  const { kind } = dtypes[value.dtype];
  if (kind !== 'int' && kind !== 'uint')
    expected(caller, 'integers', "option 'keyLengths'", lengths, 'ERR_DTYPE');
  const dims = dimsOf(value);
  if (dims.length !== batch.length || dims.some((dim, axis) => dim !== batch[axis]))
    fail(
      'ERR_SHAPE',
      `${caller}: option 'keyLengths' has shape ${state.shapeText(dims)}, not ${state.shapeText(batch)} of the batch`,
    );
  return elementwise.convert(value, 'i64');
}

/** Bounded by a tanh. @type {(scores: Value, cap: number) => Value} */
const capped = (scores, cap) => (cap === 0 ? scores : rows.mul(rows.tanh(rows.div(scores, cap)), cap));

/**
 * The result, and what is on the way to it: scores with heads in groups as two axes, and what gives them one again.
 *
 * @type {(q: unknown, k: unknown, v: unknown, options: Options, caller: string) => { k: Value, v: Value, output: () => Value, scores: Record<string, Value>, joined: (scores: Value) => Value }}
 */
function attend(q, k, v, options, caller) {
  const { causal, mask, scale, groups, window, softcap = 0, softmaxDType } = options;
  const { state, values } = operandsOf(q, k, v, caller);
  const all = withPast(values[1], values[2], options, caller);
  const [dims, keys] = [values[0], all.k].map(dimsOf);
  const heads = dims.length > 2 ? dims[dims.length - 3] : 1;
  const each = groupsOf(state, heads, dims.length > 2 ? keys[keys.length - 3] : 1, groups, caller);
  const scaled = rows.mul(values[0], scale ?? inverseRoot(values[0], caller));
  const shape = [...dims.slice(0, -1), keys[keys.length - 2]];
  // [..., heads of k, group, places, features] · [..., heads of k, places, features]
  const split = each === 1 ? dims : [...keys.slice(0, -2), each, ...dims.slice(-2)];
  const query = each === 1 ? scaled : reshapeTo(state, scaled, split);
  const batch = allAxes(dims.length - 2);
  const [last, outer] = [split.length - 1, dims.length - 1];
  const raw = contraction(state, query, all.k, [[last], [outer]], [batch, batch], caller);
  const bounded = capped(raw, softcap);
  const keyLengths = lengthsOf(state, options.keyLengths, dims.slice(0, -3), caller);
  const seen = sighted(masked(bounded, mask, shape, caller), { causal, window, keyLengths, past: all.past }, caller);
  const parts = inDType(weights(inDType(seen, softmaxDType ?? raw.dtype), caller), raw.dtype);
  const joined = (/** @type {Value} */ of, size = shape[outer]) =>
    each === 1 ? of : reshapeTo(state, of, [...dims.slice(0, -1), size]);
  return {
    k: all.k,
    v: all.v,
    scores: { raw, capped: bounded, masked: seen, weights: parts },
    joined,
    output() {
      const result = contraction(state, parts, all.v, [[last], [outer - 1]], [batch, batch], caller);
      return joined(result, Number(dimsOf(all.v).at(-1)));
    },
  };
}

/**
 * Checks that all operands and options are of one graph.
 *
 * @type {(operands: readonly unknown[], options: Options, caller: string) => void}
 */
function checkGraph(operands, { mask, scale, keyLengths, pastKey, pastValue }, caller) {
  graphOf([...operands, ...[mask, scale, keyLengths, pastKey, pastValue].filter(isValue)], caller);
}

/** @type {(q: unknown, k: unknown, v: unknown, options?: unknown) => Value} */
function attention(q, k, v, options) {
  const read = readOptions('attention', options, known);
  checkGraph([q, k, v], read, 'attention');
  return attend(q, k, v, read, 'attention').output();
}

/**
 * @type {(q: unknown, k: unknown, v: unknown, options?: unknown) => { output: Value, presentKey: Value, presentValue: Value, scores: Value }}
 */
function attentionOutputs(q, k, v, options) {
  const caller = 'attentionOutputs';
  const { scores = 'raw', ...read } = readOptions(caller, options, {
    ...known,
    scores: oneOf(['raw', 'capped', 'masked', 'weights']),
  });
  checkGraph([q, k, v], read, caller);
  const made = attend(q, k, v, read, caller);
  return {
    output: made.output(),
    presentKey: made.k,
    presentValue: made.v,
    scores: made.joined(made.scores[scores]),
  };
}

/** @type {(x: unknown, y: unknown, weight: unknown, bias?: unknown) => Value} */
function bilinear(x, y, weight, bias) {
  const { state, x: a, y: b } = pairOf(x, y, 'bilinear');
  const { values } = lift([a, weight], 'bilinear', 0, (i) => (i === 0 ? 'operand 1' : 'the weight'));
  const sizes = dimsOf(values[1]);
  const fits =
    sizes.length === 3 && a.rank > 0 && b.rank > 0 && sizes[1] === dimsOf(a).at(-1) && sizes[2] === dimsOf(b).at(-1);
  if (!fits) {
    const texts = [a, b, values[1]].map((value) => state.shapeText(dimsOf(value)));
    fail(
      'ERR_SHAPE',
      `bilinear: operands of shapes ${texts[0]} and ${texts[1]} need a weight [out, in of x, in of y], got ${texts[2]}`,
    );
  }
  return withBias(einsum('...i,oij,...j->...o', a, values[1], b), bias, 'bilinear');
}

/** Operations that are functions and methods alike, by name. */
const attentions = { attention, attentionOutputs, bilinear };

module.exports = { attentions };
