/**
 * Contractions: sums of products over axes that two operands share.
 *
 * `dotGeneral` is the primitive, whose result has the batch axes, what is left of the first operand and what
 * is left of the second. The others say which axes they mean and leave the rest to it: an operand is never
 * repeated or transposed for it, since axes are only named. What would leave a single product per result
 * (`outer`, `kron`) is a multiplication, and what would leave nothing but batch axes (`vecdot`) a sum, which
 * runs in vectors and is more accurate than adding one by one.
 *
 * Results are in the common dtype of the operands, so integers wrap; `dtype` converts the operands first.
 */
'use strict';

const { expected, isOptions, readOptions } = require('../base/check.js');
const { fail } = require('../base/errors.js');
const { alike, append, dimsOf, lift } = require('../graph/value.js');
const { dtypeName } = require('../tensor/dtypes.js');
const { MAX_RANK, readAxes, readAxis } = require('../tensor/views.js');
const { rows } = require('./elementwise.js');
const { allAxes, joins, movement, operandOf, reshapeTo } = require('./movement.js');
const { inDType } = require('./reductions.js');

/** @typedef {import('../graph/value.js').Value} Value */
/** @typedef {import('../graph/value.js').GraphState} GraphState */
/** @typedef {import('../tensor/dtypes.js').DType} DType */
/**
 * Axes of the first operand, and as many of the second.
 *
 * @typedef {readonly [readonly number[], readonly number[]]} Pairs
 */

const given = (/** @type {unknown} */ value) => value;
const dtypeOption = { dtype: dtypeName };
/** @type {Pairs} */
const NONE = [[], []];

/**
 * Two operands in one dtype.
 *
 * @param {unknown} x
 * @param {unknown} y
 * @param {string} caller
 * @param {DType} [dtype]
 * @returns {{ state: GraphState, x: Value, y: Value }}
 */
function pairOf(x, y, caller, dtype) {
  const { state, values } = lift([x, y], caller);
  const [first, second] = dtype ? values.map((value) => inDType(value, dtype)) : alike(values, caller);
  return { state, x: first, y: second };
}

/**
 * Refuses sizes that stand for one another and are known to differ.
 *
 * @type {(state: GraphState, x: Value, y: Value, pairs: Pairs, caller: string) => void}
 */
function checkSizes(state, x, y, pairs, caller) {
  pairs[0].forEach((axis, i) => {
    const other = pairs[1][i];
    const [a, b] = [dimsOf(x)[axis], dimsOf(y)[other]];
    if (a < 0 || b < 0 || a === b) return;
    const texts = [x, y].map((value) => state.shapeText(dimsOf(value)));
    fail(
      'ERR_SHAPE',
      `${caller}: axis ${axis} of ${texts[0]} has size ${a}, but axis ${other} of ${texts[1]} has size ${b}`,
    );
  });
}

/**
 * The primitive.
 *
 * @type {(state: GraphState, x: Value, y: Value, contract: Pairs, batch: Pairs, caller: string) => Value}
 */
function contraction(state, x, y, contract, batch, caller) {
  checkSizes(state, x, y, batch, caller);
  checkSizes(state, x, y, contract, caller);
  return append(state, 'dot_general', [x, y], {
    lhs_batch: batch[0],
    rhs_batch: batch[1],
    lhs_contract: contract[0],
    rhs_contract: contract[1],
  });
}

/** @type {(pairs: unknown, ranks: readonly number[], which: string, caller: string) => Pairs} */
function readPairs(pairs, ranks, which, caller) {
  const good =
    Array.isArray(pairs) && pairs.length === 2 && pairs.every((axes) => Number.isInteger(axes) || Array.isArray(axes));
  if (!good) return expected(caller, 'axes of both operands, [[…], […]]', which, pairs);
  const [first, second] = pairs.map((axes, i) => readAxes(axes, ranks[i], caller));
  if (first.length === second.length) return [first, second];
  return expected(caller, 'as many axes of one operand as of the other', which, pairs, 'ERR_SHAPE');
}

/** @type {(x: unknown, y: unknown, options: unknown) => Value} */
function dotGeneral(x, y, options) {
  const caller = 'dotGeneral';
  const {
    contract = NONE, batch = NONE, dtype,
  } = readOptions(caller, options, { contract: given, batch: given, ...dtypeOption });
  const both = pairOf(x, y, caller, dtype);
  const ranks = [both.x.rank, both.y.rank];
  const pairs = [contract, batch].map((each, i) =>
    readPairs(each, ranks, `option '${i === 0 ? 'contract' : 'batch'}'`, caller),
  );
  return contraction(both.state, both.x, both.y, pairs[0], pairs[1], caller);
}

// ------------------------------------------------------------------------------------- matrices

/**
 * The shape that two lists of sizes broadcast to.
 *
 * @type {(state: GraphState, a: readonly number[], b: readonly number[], caller: string) => number[]}
 */
function broadcastDims(state, a, b, caller) {
  const rank = Math.max(a.length, b.length);
  return Array.from({ length: rank }, (_, i) => {
    const [x = 1, y = 1] = [a[i - rank + a.length], b[i - rank + b.length]];
    if (x === y || y === 1) return x;
    if (x === 1) return y;
    const texts = [a, b].map((dims) => state.shapeText(dims));
    const hint = x < 0 || y < 0 ? '; use the same symbol if they are equal' : '';
    return fail('ERR_SHAPE', `${caller}: batch axes ${texts[0]} and ${texts[1]} do not broadcast${hint}`);
  });
}

/** @type {(value: Value, batch: readonly number[]) => Value} `value` with these sizes in front of its last two axes */
function withBatch(value, batch) {
  const dims = dimsOf(value);
  const own = dims.slice(0, -2);
  if (own.length === batch.length && own.every((dim, i) => dim === batch[i])) return value;
  const shape = [...batch, ...dims.slice(-2)];
  const lead = shape.length - dims.length;
  const { state } = operandOf(value, 'matmul');
  return append(state, 'broadcast', [value], { shape, axes: dims.map((_, axis) => lead + axis) });
}

/** @type {(x: unknown, y: unknown, options?: unknown) => Value} */
function matmul(x, y, options) {
  const caller = 'matmul';
  const { dtype } = readOptions(caller, options, dtypeOption);
  const { state, x: a, y: b } = pairOf(x, y, caller, dtype);
  const scalar = [a, b].findIndex((value) => value.rank === 0);
  if (scalar >= 0) expected(caller, 'at least one axis', `operand ${scalar + 1}`, scalar === 0 ? x : y, 'ERR_SHAPE');
  if (a.rank === 1 && b.rank === 1) return vecdot(a, b);
  /** @type {Pairs} */
  const contract = [[a.rank - 1], [Math.max(b.rank - 2, 0)]];
  if (a.rank === 1 || b.rank <= 2) return contraction(state, a, b, contract, NONE, caller);
  checkSizes(state, a, b, contract, caller);
  const [aBatch, bBatch] = [a, b].map((value) => dimsOf(value).slice(0, -2));
  const batch = broadcastDims(state, aBatch, bBatch, caller);
  if (bBatch.every((dim) => dim === 1) && aBatch.length >= bBatch.length) {
    const matrix = reshapeTo(state, b, dimsOf(b).slice(-2));
    return contraction(state, a, matrix, [[a.rank - 1], [0]], NONE, caller);
  }
  const axes = allAxes(batch.length);
  const last = batch.length;
  return contraction(state, withBatch(a, batch), withBatch(b, batch), [[last + 1], [last]], [axes, axes], caller);
}

/** @type {(x: unknown, y: unknown, options?: unknown) => Value} */
function vecdot(x, y, options) {
  const caller = 'vecdot';
  const { axis = -1, dtype } = readOptions(caller, options, { axis: given, ...dtypeOption });
  const { state, x: a, y: b } = pairOf(x, y, caller, dtype);
  const rank = Math.max(a.rank, b.rank);
  const along = readAxis(axis, rank, caller) - rank;
  const sizes = [a, b].map((value) => dimsOf(value).at(along));
  if (sizes[0] !== sizes[1]) {
    const texts = [a, b].map((value) => state.shapeText(dimsOf(value)));
    fail('ERR_SHAPE', `${caller}: expected the same size along axis ${along} of ${texts[0]} and ${texts[1]}`);
  }
  return append(state, 'reduce_sum', [rows.mul(a, b)], { axes: [along + rank] });
}

/** @type {(axes: unknown, ranks: readonly number[]) => Pairs} */
function tensordotAxes(axes, ranks) {
  if (typeof axes !== 'number') return readPairs(axes, ranks, "option 'axes'", 'tensordot');
  const most = Math.min(...ranks);
  if (!Number.isInteger(axes) || axes < 0 || axes > most) {
    expected('tensordot', `a number of axes from 0 to ${most}, or axes of both operands`, "option 'axes'", axes);
  }
  return [allAxes(ranks[0]).slice(ranks[0] - axes), allAxes(axes)];
}

/** @type {(x: unknown, y: unknown, options?: unknown) => Value} */
function tensordot(x, y, options) {
  const caller = 'tensordot';
  const { axes = 2, dtype } = readOptions(caller, options, { axes: given, ...dtypeOption });
  const { state, x: a, y: b } = pairOf(x, y, caller, dtype);
  return contraction(state, a, b, tensordotAxes(axes, [a.rank, b.rank]), NONE, caller);
}

/** @type {(x: unknown, y: unknown, options?: unknown) => Value} */
function inner(x, y, options) {
  const { dtype } = readOptions('inner', options, dtypeOption);
  const { state, x: a, y: b } = pairOf(x, y, 'inner', dtype);
  if (a.rank === 0 || b.rank === 0) return rows.mul(a, b);
  if (a.rank === 1 && b.rank === 1) return vecdot(a, b);
  return contraction(state, a, b, [[a.rank - 1], [b.rank - 1]], NONE, 'inner');
}

/** @type {(x: unknown, y: unknown, options?: unknown) => Value} */
function dot(x, y, options) {
  const { dtype } = readOptions('dot', options, dtypeOption);
  const { state, x: a, y: b } = pairOf(x, y, 'dot', dtype);
  if (a.rank === 0 || b.rank === 0) return rows.mul(a, b);
  if (a.rank === 1 && b.rank === 1) return vecdot(a, b);
  return contraction(state, a, b, [[a.rank - 1], [Math.max(b.rank - 2, 0)]], NONE, 'dot');
}

/** @type {(x: unknown, y: unknown, options?: unknown) => Value} */
function outer(x, y, options) {
  const { dtype } = readOptions('outer', options, dtypeOption);
  const { state, x: a, y: b } = pairOf(x, y, 'outer', dtype);
  const column = reshapeTo(state, a, [state.product(dimsOf(a)), 1]);
  return rows.mul(column, reshapeTo(state, b, [state.product(dimsOf(b))]));
}

/** @type {(x: unknown, y: unknown) => Value} */
function kron(x, y) {
  const { state, x: a, y: b } = pairOf(x, y, 'kron');
  const rank = Math.max(a.rank, b.rank);
  if (2 * rank > MAX_RANK) fail('ERR_SHAPE', `kron: rank ${rank} is above the highest, ${MAX_RANK / 2}`);
  const [first, second] = [a, b].map((value) => [...new Array(rank - value.rank).fill(1), ...dimsOf(value)]);
  const blocks = reshapeTo(
    state,
    a,
    first.flatMap((dim) => [dim, 1]),
  );
  const within = reshapeTo(
    state,
    b,
    second.flatMap((dim) => [1, dim]),
  );
  const shape = first.map((dim, axis) => state.mul(dim, second[axis]));
  return reshapeTo(state, rows.mul(blocks, within), shape);
}

/** @type {(x: unknown, y: unknown, options?: unknown) => Value} */
function cross(x, y, options) {
  const { axis = -1 } = readOptions('cross', options, { axis: given });
  const { x: a, y: b } = pairOf(x, y, 'cross');
  const rank = Math.max(a.rank, b.rank);
  const along = readAxis(axis, rank, 'cross') - rank;
  const [first, second] = [a, b].map((value, i) => {
    if (dimsOf(value).at(along) !== 3)
      expected('cross', `size 3 along axis ${along}`, `operand ${i + 1}`, i === 0 ? x : y, 'ERR_SHAPE');
    const before = new Array(value.rank + along).fill(null);
    return [0, 1, 2].map((at) => movement.slice(value, ...before, [at, at + 1]));
  });
  const parts = [0, 1, 2].map((i) => {
    const [j, k] = [(i + 1) % 3, (i + 2) % 3];
    return rows.sub(rows.mul(first[j], second[k]), rows.mul(first[k], second[j]));
  });
  return joins.concat(parts, { axis: along });
}

// --------------------------------------------------------------------------------------- layers

/**
 * `result` with a bias of one element per place along its last axis.
 *
 * @type {(result: Value, bias: unknown, caller: string) => Value}
 */
function withBias(result, bias, caller) {
  if (bias === undefined) return result;
  const { state, values } = lift([result, bias], caller, 0, (i) => (i === 0 ? 'the result' : 'the bias'));
  const [size, dims] = [dimsOf(result).at(-1), dimsOf(values[1])];
  if (dims.length > 1 || (dims.length === 1 && dims[0] !== size)) {
    fail(
      'ERR_SHAPE',
      `${caller}: expected a bias of shape [${state.text(Number(size))}], got shape ${state.shapeText(dims)}`,
    );
  }
  return rows.add(result, values[1]);
}

/** @type {(x: unknown, weight: unknown, bias?: unknown, options?: unknown) => Value} */
function linear(x, weight, bias, options) {
  if (options === undefined && isOptions(bias)) return linear(x, weight, undefined, bias);
  const caller = 'linear';
  const { dtype } = readOptions(caller, options, dtypeOption);
  const { state, x: a, y: w } = pairOf(x, weight, caller, dtype);
  if (a.rank === 0) expected(caller, 'at least one axis', 'operand 1', x, 'ERR_SHAPE');
  if (w.rank !== 1 && w.rank !== 2) expected(caller, 'shape [out, in] or [in]', 'the weight', weight, 'ERR_SHAPE');
  const result = contraction(state, a, w, [[a.rank - 1], [w.rank - 1]], NONE, caller);
  return withBias(result, bias, caller);
}

/** Operations that are functions and methods alike, by name. */
const contractions = { cross, dot, dotGeneral, inner, kron, linear, matmul, outer, tensordot, vecdot };

module.exports = { broadcastDims, contraction, contractions, pairOf, withBatch, withBias };
