/**
 * Random choices: places by probability, elements of a tensor, orders.
 */
'use strict';

const { boolean, expected, integer, readOptions } = require('../base/check.js');
const { fail } = require('../base/errors.js');
const { dimsOf, isValue, stateOf } = require('../graph/value.js');
const { cumulative } = require('../ops/cumulative.js');
const { elementwise, rows } = require('../ops/elementwise.js');
const { indexing } = require('../ops/indexing.js');
const { movement } = require('../ops/movement.js');
const { sizeValue } = require('../ops/pools.js');
const { reductions } = require('../ops/reductions.js');
const { rngBits } = require('../ops/rng.js');
const { searching } = require('../ops/searching.js');
const { sorting } = require('../ops/sorting.js');
const { asTensor } = require('../tensor/create.js');
const { dtypeOf, dtypes } = require('../tensor/dtypes.js');
const { Tensor } = require('../tensor/tensor.js');
const { readAxis } = require('../tensor/views.js');
const {
  anything, constant, finished, keyOf, scaledBits, scaledWide, sizesFor, traced, unit, valuesOf,
} = require('./bits.js');
const { standard } = require('./standard-distributions.js');

/** @typedef {import('../graph/value.js').Value} Value */
/** @typedef {import('../graph/value.js').GraphState} GraphState */

const { add, log, mul, sub } = rows;
const { convert } = elementwise;

const drawCategories = traced('categorical', (/** @type {any} */ from, /** @type {any} */ logits, shape, axis) => {
  const [own, like] = valuesOf([from, logits], 'random.categorical');
  const state = stateOf(like);
  const dims = [...state.dims(shape, 'random.categorical'), ...dimsOf(like)].map((dim) => state.text(dim));
  const floats = dtypes[like.dtype].kind === 'float' ? like : convert(like, 'f64');
  const noise = standard.gumbel(own, dims, floats.dtype);
  const place = axis < 0 ? axis : dims.length - dimsOf(like).length + axis;
  return reductions.argmax(add(noise, finished(floats, noise.dtype)), { axis: place });
});

/**
 * Indices along an axis of logits, each as likely as the softmax says (the Gumbel-max trick).
 *
 * @param {unknown} logits unnormalised logarithms of probabilities
 * @param {unknown} [options]
 * @returns {Value | Tensor} i64, of the other axes of the logits behind those of `shape`
 */
function categorical(logits, options) {
  const caller = 'random.categorical';
  const {
    shape = [],
    axis = -1,
    ...source
  } = readOptions(caller, options, { key: anything, seed: anything, shape: anything, axis: integer() });
  if (!isValue(logits) && !(logits instanceof Tensor))
    return expected(caller, 'a Tensor or a Value', 'the logits', logits);
  if (axis >= logits.rank || axis < -logits.rank)
    fail('ERR_SHAPE', `${caller}: axis ${axis} is not one of a value of rank ${logits.rank}`);
  const from = keyOf(source, caller);
  return drawCategories(from, logits, sizesFor(shape, isValue(from) || isValue(logits), caller), axis);
}

// -------------------------------------------------------------------------------------- elements

/** @type {(given: unknown, caller: string) => any} a number of things, or the things */
function readThings(given, caller) {
  if (isValue(given) || given instanceof Tensor || (Number.isSafeInteger(given) && Number(given) >= 0)) return given;
  return expected(caller, 'a Tensor, a Value or an integer of at least 0', 'what is chosen from', given);
}

/**
 * How many things there are along an axis.
 *
 * @type {(state: GraphState, things: any, axis: number, caller: string) => { size: number, at: number }}
 */
function extentOf(state, things, axis, caller) {
  if (!isValue(things)) return { size: state.dim(things, 'the number', caller), at: 0 };
  const at = readAxis(axis, things.rank, caller);
  return { size: dimsOf(things)[at], at };
}

/**
 * Distinct places: those of the greatest of random numbers, of 64 bits, so that hardly two are equal. With weights the
 * numbers are log(weight) plus Gumbel's (Efraimidis and Spirakis, "Weighted random sampling with a reservoir", 2006,
 * in logarithms).
 *
 * @type {(from: Value, size: number, count: number, weights?: Value) => Value}
 */
function distinct(from, size, count, weights) {
  const state = stateOf(from);
  const [all, some] = [size, count].map((dim) => state.text(dim));
  const noise =
    weights === undefined
      ? rngBits(from, [all], { dtype: 'u64' })
      : add(standard.gumbel(from, [all], 'f64'), log(weights));
  return sorting.topk(noise, some).indices;
}

/** Places that may come again. @type {(from: Value, size: number, shape: unknown, weights?: Value) => Value} */
function repeated(from, size, shape, weights) {
  const bits = rngBits(from, shape, { dtype: 'u64' });
  if (weights === undefined) {
    const isNarrow = size >= 0 && size <= 2 ** 32;
    return convert(
      isNarrow
        ? scaledBits(bits, BigInt(size))
        : scaledWide(bits, convert(sizeValue(stateOf(from), size, 'random.choice'), 'u64')),
      'i64',
    );
  }
  const sums = cumulative.cumulativeSum(weights, { axis: 0 });
  const u = unit(bits);
  return searching.searchsorted(sums, mul(movement.slice(sums, -1), sub(constant(u, 1), u)));
}

/**
 * Where to choose.
 *
 * @type {(from: Value, size: number, dims: readonly number[], replace: boolean, weights?: Value) => Value}
 */
function placesOf(from, size, dims, replace, weights) {
  const caller = 'random.choice';
  const state = stateOf(from);
  const count = state.product(dims);
  if (size === 0 && count !== 0) fail('ERR_ARGUMENT', `${caller}: there is nothing to choose from`);
  if (!replace && size >= 0 && count > size)
    fail('ERR_ARGUMENT', `${caller}: cannot choose ${count} of ${size} without replacement`);
  if (weights !== undefined && (weights.rank !== 1 || dimsOf(weights)[0] !== size)) {
    fail(
      'ERR_SHAPE',
      `${caller}: expected option 'p' of shape [${state.text(size)}], got ${state.shapeText(dimsOf(weights))}`,
    );
  }
  const texts = dims.map((dim) => state.text(dim));
  return replace ? repeated(from, size, texts, weights) : movement.reshape(distinct(from, size, count, weights), texts);
}

const drawChoice = traced('choice', (/** @type {Value | Tensor} */ ownKey, /** @type {any} */ { a, p }, shape, how) => {
  const [from, ...others] = valuesOf(
    [ownKey, a, p].filter((each) => each !== undefined),
    'random.choice',
  );
  const state = stateOf(from);
  const things = a === undefined ? how.count : others[0];
  const { size, at } = extentOf(state, things, how.axis, 'random.choice');
  const weights = p === undefined ? undefined : finished(/** @type {Value} */ (others.at(-1)), 'f64');
  const places = placesOf(from, size, state.dims(shape, 'random.choice'), how.replace, weights);
  return isValue(things) ? indexing.take(things, places, { axis: at }) : places;
});

const choiceOptions = {
  key: anything, seed: anything, shape: anything, replace: boolean, p: anything, axis: integer(),
};

/**
 * Elements along an axis, or integers below a number.
 *
 * @param {unknown} a
 * @param {unknown} options
 * @returns {Value | Tensor} the axis replaced by those of `shape`; i64 where a is a number
 */
function choice(a, options) {
  const caller = 'random.choice';
  const { shape = [], replace = true, axis = 0, p, ...source } = readOptions(caller, options, choiceOptions);
  const things = readThings(a, caller);
  const isList = Array.isArray(p) || dtypeOf(p) !== undefined;
  const fits = p === undefined || isValue(p) || p instanceof Tensor;
  const weights = isList
    ? asTensor(/** @type {any} */ (p))
    : fits
      ? p
      : expected(caller, 'a Tensor, a Value or an array', "option 'p'", p);
  const from = keyOf(source, caller);
  const isNumber = typeof things === 'number';
  const own = { ...(!isNumber && { a: things }), ...(weights !== undefined && { p: weights }) };
  const sizes = sizesFor(shape, [from, things, weights].some(isValue), caller);
  return drawChoice(from, own, sizes, { replace, axis, count: isNumber ? things : null });
}

const drawOrder = traced('permutation', (/** @type {Value | Tensor} */ ownKey, /** @type {any} */ { a }, how) => {
  const [from, things = how.count] = valuesOf(a === undefined ? [ownKey] : [ownKey, a], 'random.permutation');
  const state = stateOf(from);
  const { size, at } = extentOf(state, things, how.axis, 'random.permutation');
  const texts = (how.independent ? dimsOf(things) : [size]).map((dim) => state.text(dim));
  const order = sorting.argsort(rngBits(from, texts, { dtype: 'u64' }), { axis: how.independent ? at : 0 });
  if (!isValue(things)) return order;
  return how.independent
    ? indexing.takeAlongAxis(things, order, { axis: at })
    : indexing.take(things, order, { axis: at });
});

/**
 * The slices along an axis in a random order, or the integers below a number.
 *
 * @param {unknown} a
 * @param {unknown} options
 * @returns {Value | Tensor}
 */
function permutation(a, options) {
  const caller = 'random.permutation';
  const known = { key: anything, seed: anything, axis: integer(), independent: boolean };
  const { axis = 0, independent = false, ...source } = readOptions(caller, options, known);
  const things = readThings(a, caller);
  const isNumber = typeof things === 'number';
  const how = { axis, independent: independent && !isNumber, count: isNumber ? things : null };
  return drawOrder(keyOf(source, caller), isNumber ? {} : { a: things }, how);
}

/** What chooses. */
const choices = { categorical, choice, permutation };

module.exports = { choices };
