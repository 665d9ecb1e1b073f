/**
 * Operations on images that go by channels: normalisations of inference, and channels as space.
 *
 * Channels are axis 1. Parameters have an element per channel, or are one number. All are a few primitives,
 * and for known parameters most of what they cost is computed once per channel.
 */
'use strict';

const { expected, finite, integer, oneOf, readOptions } = require('../base/check.js');
const { fail } = require('../base/errors.js');
const { append, constantOf, dimsOf, lift, stateOf } = require('../graph/value.js');
const { dtypes } = require('../tensor/dtypes.js');
const { elementwise, roundedOnce, rows } = require('./elementwise.js');
const { movement, operandOf, reshapeTo } = require('./movement.js');
const { imageOf } = require('./pools.js');
const { reductions } = require('./reductions.js');

/** @typedef {import('../graph/value.js').Value} Value */

const given = (/** @type {unknown} */ value) => value;

/** @type {(x: unknown, caller: string, least: number) => { value: Value, dims: readonly number[], state: import('../graph/value.js').GraphState }} */
function floatsOf(x, caller, least) {
  const operand = operandOf(x, caller);
  if (dtypes[operand.value.dtype].kind !== 'float') expected(caller, 'a float Value', 'the operand', x, 'ERR_DTYPE');
  if (operand.rank < least)
    fail('ERR_SHAPE', `${caller}: expected rank ${least} or more, got shape ${operand.state.shapeText(operand.dims)}`);
  return operand;
}

/**
 * A parameter with an element per channel, to stand beside the value.
 *
 * @type {(value: Value, parameter: unknown, which: string, caller: string) => Value}
 */
function perChannel(value, parameter, which, caller) {
  const { state, values } = lift([value, parameter], caller, 0, () => which);
  const sizes = dimsOf(values[1]);
  const channels = dimsOf(value)[1];
  if (sizes.length === 0) return values[1];
  if (sizes.length > 1 || (sizes[0] !== channels && sizes[0] !== 1)) {
    const texts = [[channels], sizes].map((dims) => state.shapeText(dims));
    fail('ERR_SHAPE', `${caller}: expected a number or shape ${texts[0]} for ${which}, got shape ${texts[1]}`);
  }
  return reshapeTo(
    state,
    values[1],
    dimsOf(value).map((_, axis) => (axis === 1 ? sizes[0] : 1)),
  );
}

/** @type {import('../base/check.js').Getter<number>} */
function epsilonOf(value, which, caller) {
  const number = finite(value, which, caller);
  return number >= 0 ? number : expected(caller, 'a number of at least 0', which, value);
}

/** @type {(value: Value, number: number, caller: string) => Value} */
const like = (value, number, caller) => constantOf(stateOf(value), number, value.dtype, String(number), caller);

/** @type {(value: Value, scale: unknown, bias: unknown, caller: string) => Value} */
function scaled(value, scale, bias, caller) {
  const times = scale === undefined ? value : rows.mul(value, perChannel(value, scale, "option 'scale'", caller));
  return bias === undefined ? times : rows.add(times, perChannel(times, bias, "option 'bias'", caller));
}

const normOptions = { scale: given, bias: given, epsilon: epsilonOf };

/** @type {(x: unknown, mean: unknown, variance: unknown, options?: unknown) => Value} */
function batchNorm(x, mean, variance, options) {
  const caller = 'batchNorm';
  const { scale, bias, epsilon = 1e-5 } = readOptions(caller, options, normOptions);
  const { value } = floatsOf(x, caller, 2);
  const spread = perChannel(value, variance, 'the variance', caller);
  const inverse = elementwise.reciprocal(rows.sqrt(rows.add(spread, like(spread, epsilon, caller))));
  const factor = scale === undefined ? inverse : rows.mul(inverse, perChannel(value, scale, "option 'scale'", caller));
  const distance = rows.sub(value, perChannel(value, mean, 'the mean', caller));
  return scaled(rows.mul(distance, factor), undefined, bias, caller);
}

/**
 * Groups of channels, each brought to mean 0 and variance 1.
 *
 * @type {(value: Value, groups: number, epsilon: number, caller: string) => Value}
 */
function groupsNormed(value, groups, epsilon, caller) {
  const state = stateOf(value);
  const dims = dimsOf(value);
  const each = state.floorDiv(dims[1], groups);
  if (state.mul(each, groups) !== dims[1]) {
    fail('ERR_SHAPE', `${caller}: ${state.text(dims[1])} channels cannot be divided into ${groups} groups`);
  }
  const split = reshapeTo(state, value, [dims[0], groups, state.mul(each, state.product(dims.slice(2)))]);
  const over = { axis: 2, keepDims: true };
  const distance = rows.sub(split, reductions.mean(split, over));
  const square = reductions.mean(rows.mul(distance, distance), over);
  const inverse = elementwise.reciprocal(rows.sqrt(rows.add(square, like(square, epsilon, caller))));
  return reshapeTo(state, rows.mul(distance, inverse), dims);
}

/** @type {(x: unknown, groups: unknown, options?: unknown) => Value} */
function groupNorm(x, groups, options) {
  const caller = 'groupNorm';
  const { scale, bias, epsilon = 1e-5 } = readOptions(caller, options, normOptions);
  const { value } = floatsOf(x, caller, 2);
  return scaled(
    groupsNormed(value, integer(1)(groups, 'the number of groups', caller), epsilon, caller),
    scale,
    bias,
    caller,
  );
}

/** @type {(x: unknown, options?: unknown) => Value} */
function instanceNorm(x, options) {
  const caller = 'instanceNorm';
  const { scale, bias, epsilon = 1e-5 } = readOptions(caller, options, normOptions);
  const { value, dims } = floatsOf(x, caller, 3);
  const over = { axis: dims.map((_, axis) => axis).slice(2), keepDims: true };
  const distance = rows.sub(value, reductions.mean(value, over));
  const square = reductions.mean(rows.mul(distance, distance), over);
  const inverse = elementwise.reciprocal(rows.sqrt(rows.add(square, like(square, epsilon, caller))));
  return scaled(rows.mul(distance, inverse), scale, bias, caller);
}

/** @type {(x: unknown, size: unknown, options?: unknown) => Value} */
function localResponseNorm(x, size, options) {
  const caller = 'localResponseNorm';
  const { alpha = 1e-4, beta = 0.75, k = 1 } = readOptions(caller, options, { alpha: finite, beta: finite, k: finite });
  const { value, dims, state } = floatsOf(x, caller, 2);
  const width = integer(1)(size, 'the size', caller);
  const each = (/** @type {number} */ otherwise, /** @type {number} */ own) =>
    dims.map((_, axis) => (axis === 1 ? own : otherwise));
  const before = Math.floor(width / 2);
  const sums = append(state, 'window_sum', [rows.mul(value, value)], {
    window: each(1, width),
    stride: each(1, 1),
    lo: each(0, before),
    hi: each(0, width - 1 - before),
    base_dilation: each(1, 1),
    dilation: each(1, 1),
  });
  const base = rows.add(rows.mul(sums, like(sums, alpha / width, caller)), like(sums, k, caller));
  return rows.div(value, rows.pow(base, like(base, beta, caller)));
}

// --------------------------------------------------------------------------- channels as space

const orders = /** @type {const} */ (['channelsFirst', 'blocksFirst']);

/**
 * Sizes along spatial axes, each divided by the block.
 *
 * @type {(dims: readonly number[], block: number, state: import('../graph/value.js').GraphState, caller: string) => number[]}
 */
const divided = (dims, block, state, caller) =>
  dims.map((dim, i) => {
    const each = state.floorDiv(dim, block);
    if (state.mul(each, block) !== dim)
      fail('ERR_SHAPE', `${caller}: size ${state.text(dim)} of axis ${i + 2} cannot be divided by ${block}`);
    return each;
  });

/**
 * Channels to blocks of space. The block's places are the inner part of a channel's number ('channelsFirst',
 * as pixelShuffle and ONNX's CRD have it) or the outer one ('blocksFirst', ONNX's DCR).
 *
 * @type {(x: unknown, block: unknown, blocksFirst: boolean, caller: string) => Value}
 */
function toSpace(x, block, blocksFirst, caller) {
  const { state, value, dims, spatial } = imageOf(x, undefined, caller);
  const by = integer(1)(block, 'the block size', caller);
  const count = spatial.length;
  const each = state.floorDiv(dims[1], by ** count);
  if (state.mul(each, by ** count) !== dims[1]) {
    fail(
      'ERR_SHAPE',
      `${caller}: ${state.text(dims[1])} channels cannot be divided into ${by ** count} places of a block`,
    );
  }
  const blocks = spatial.map(() => by);
  const sizes = dims.slice(2);
  const split = reshapeTo(state, value, [dims[0], ...(blocksFirst ? [...blocks, each] : [each, ...blocks]), ...sizes]);
  const channel = blocksFirst ? count + 1 : 1;
  const first = blocksFirst ? 1 : 2;
  const pairs = sizes.flatMap((_, i) => [count + 2 + i, first + i]);
  const mixed = movement.permute(split, [0, channel, ...pairs]);
  return reshapeTo(state, mixed, [dims[0], each, ...sizes.map((size) => state.mul(size, by))]);
}

/** The way back. @type {(x: unknown, block: unknown, blocksFirst: boolean, caller: string) => Value} */
function toDepth(x, block, blocksFirst, caller) {
  const { state, value, dims, spatial } = imageOf(x, undefined, caller);
  const by = integer(1)(block, 'the block size', caller);
  const sizes = divided(dims.slice(2), by, state, caller);
  const split = reshapeTo(state, value, [dims[0], dims[1], ...sizes.flatMap((size) => [size, by])]);
  const places = spatial.map((_, i) => 3 + 2 * i);
  const rest = spatial.map((_, i) => 2 + 2 * i);
  const mixed = movement.permute(split, blocksFirst ? [0, ...places, 1, ...rest] : [0, 1, ...places, ...rest]);
  return reshapeTo(state, mixed, [dims[0], state.mul(dims[1], by ** spatial.length), ...sizes]);
}

const orderOptions = { order: oneOf(orders) };

/** @type {(caller: string, move: typeof toSpace) => (x: unknown, block: unknown, options?: unknown) => Value} */
const mover = (caller, move) => (x, block, options) => {
  const { order = 'blocksFirst' } = readOptions(caller, options, orderOptions);
  return move(x, block, order === 'blocksFirst', caller);
};

/** Every operation here that becomes a method and a function, by name. */
const channels = {
  batchNorm: roundedOnce(batchNorm),
  depthToSpace: mover('depthToSpace', toSpace),
  groupNorm: roundedOnce(groupNorm),
  instanceNorm: roundedOnce(instanceNorm),
  localResponseNorm: roundedOnce(localResponseNorm),
  pixelShuffle: (/** @type {unknown} */ x, /** @type {unknown} */ factor) => toSpace(x, factor, false, 'pixelShuffle'),
  pixelUnshuffle: (/** @type {unknown} */ x, /** @type {unknown} */ factor) =>
    toDepth(x, factor, false, 'pixelUnshuffle'),
  spaceToDepth: mover('spaceToDepth', toDepth),
};

module.exports = { channels };
