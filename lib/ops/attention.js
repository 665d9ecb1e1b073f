/**
 * Scaled dot-product attention and the bilinear layer: contractions with something between them.
 *
 * Attention is softmax(q · kᵀ · scale + mask) · v (Vaswani and others, Attention Is All You Need, NeurIPS 2017),
 * over operands laid out as PyTorch's `scaled_dot_product_attention` has them: [..., heads, places, features].
 * In grouped-query attention several heads of q share one of k and v (Ainslie and others, GQA, EMNLP 2023):
 * they become an axis of their own, so that nothing is repeated in memory.
 */
'use strict';

const { expected, integer, readOptions } = require('../base/check.js');
const { fail } = require('../base/errors.js');
const { alike, append, constantOf, dimsOf, graphOf, isValue, lift, stateOf } = require('../graph/value.js');
const { dtypes } = require('../tensor/dtypes.js');
const { contraction, pairOf, withBias } = require('./contractions.js');
const { einsum } = require('./einsum.js');
const { elementwise, rows } = require('./elementwise.js');
const { allAxes, reshapeTo } = require('./movement.js');
const { reductions } = require('./reductions.js');

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
 * Scores of keys that stand no more than `ahead` places behind the query's own.
 *
 * @type {(scores: Value, ahead: number | undefined, caller: string) => Value}
 */
function causal(scores, ahead, caller) {
  if (ahead === undefined) return scores;
  const state = stateOf(scores);
  const shape = dimsOf(scores).slice(-2);
  const [query, key] = [0, 1].map((axis) => append(state, 'iota', [], { dtype: 'i64', shape, axis }));
  const seen = rows.le(key, rows.add(query, ahead));
  return rows.select(seen, scores, constantOf(state, -Infinity, scores.dtype, '-Infinity', caller));
}

/**
 * Softmax over the last axis, 0 where a row is all -∞: who sees nothing takes nothing.
 *
 * @type {(scores: Value, caller: string) => Value}
 */
function weights(scores, caller) {
  const zero = constantOf(stateOf(scores), 0, scores.dtype, '0', caller);
  const most = reductions.max(scores, LAST);
  const powers = rows.exp(rows.sub(scores, rows.select(rows.eq(most, -Infinity), zero, most)));
  const total = reductions.sum(powers, LAST);
  return rows.mul(powers, rows.select(rows.eq(total, 0), zero, elementwise.reciprocal(total)));
}

/** @type {(q: unknown, k: unknown, v: unknown, options?: unknown) => Value} */
function attention(q, k, v, options) {
  const caller = 'attention';
  const known = { causal: causalOf, mask: given, scale: given, groups: integer(1) };
  const { causal: ahead, mask, scale, groups } = readOptions(caller, options, known);
  graphOf([q, k, v, ...(isValue(mask) ? [mask] : []), ...(isValue(scale) ? [scale] : [])], caller);
  const { state, values } = operandsOf(q, k, v, caller);
  const [dims, keys] = values.map(dimsOf);
  const heads = dims.length > 2 ? dims[dims.length - 3] : 1;
  const each = groupsOf(state, heads, dims.length > 2 ? keys[keys.length - 3] : 1, groups, caller);
  const scaled = rows.mul(values[0], scale ?? inverseRoot(values[0], caller));
  const shape = [...dims.slice(0, -1), keys[keys.length - 2]];
  // [..., heads of k, group, places, features] · [..., heads of k, places, features]
  const split = each === 1 ? dims : [...keys.slice(0, -2), each, ...dims.slice(-2)];
  const query = each === 1 ? scaled : reshapeTo(state, scaled, split);
  const batch = allAxes(dims.length - 2);
  const [last, outer] = [split.length - 1, dims.length - 1];
  const raw = contraction(state, query, values[1], [[last], [outer]], [batch, batch], caller);
  const scores = causal(masked(raw, mask, shape, caller), ahead, caller);
  const result = contraction(state, weights(scores, caller), values[2], [[last], [outer - 1]], [batch, batch], caller);
  return each === 1 ? result : reshapeTo(state, result, [...dims.slice(0, -1), Number(dimsOf(values[2]).at(-1))]);
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
const attentions = { attention, bilinear };

module.exports = { attentions };
