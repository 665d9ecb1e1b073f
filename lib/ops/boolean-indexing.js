/**
 * Selecting by masks: rows where something is true, and where that is.
 *
 * How many rows there are is a size that depends on data: the primitive `compress` gives it to a symbol. With the
 * option `size` there are that many rows whatever data says, the first of those selected and then what `fill` says;
 * this is a running sum of the mask, which says where each row goes, and a scatter, so it works inside functions too.
 */
'use strict';

const { native } = require('../base/binding.js');
const { expected, readOptions } = require('../base/check.js');
const { fail } = require('../base/errors.js');
const { append, constantFrom, constantOf, dimsOf, graphOf, isScalar, isValue, resultsOf, stateOf } = require('../graph/value.js');
const { dtypeName, dtypes } = require('../tensor/dtypes.js');
const { readAxis } = require('../tensor/views.js');
const { elementwise, rows } = require('./elementwise.js');
const { sizeValue } = require('./indexing.js');
const { manipulation } = require('./manipulation.js');
const { allAxes, joins, movement, reshapeTo } = require('./movement.js');

/** @typedef {import('../graph/value.js').Value} Value */
/** @typedef {import('../graph/value.js').GraphState} GraphState */
/** @typedef {number | bigint | boolean} Scalar */

/** @typedef {{ size?: unknown, fill?: Scalar | Value, symbol?: string }} Selection */

const given = (/** @type {unknown} */ value) => value;

/** @type {import('../base/check.js').Getter<Scalar>} */
const scalar = (value, which, caller) =>
  isScalar(value) ? value : expected(caller, 'a number, a bigint or a boolean', which, value);

/** @type {import('../base/check.js').Getter<string>} */
function symbolName(value, which, caller) {
  const good = typeof value === 'string' && /^[A-Za-z_]\w{0,62}$/.test(value);
  return good ? value : expected(caller, 'a name of letters, digits and _', which, value);
}

/** What all of these take. */
const selection = { size: given, fill: scalar, symbol: symbolName };

/** @type {import('../base/check.js').Getter<import('../tensor/dtypes.js').DType>} */
function indexDType(value, which, caller) {
  const dtype = dtypeName(value, which, caller);
  const good = dtype === 'i32' || dtype === 'i64' || dtype === 'u32' || dtype === 'u64';
  return good ? dtype : expected(caller, "one of 'i32', 'i64', 'u32', 'u64'", which, value);
}

/**
 * The number of each element along an axis.
 *
 * @type {(state: GraphState, dims: readonly number[], axis: number, dtype: string) => Value}
 */
const numbers = (state, dims, axis, dtype) => append(state, 'iota', [], { dtype, shape: [...dims], axis });

/** True where something is not zero. @type {(value: Value) => Value} */
const truthOf = (value) => (value.dtype === 'bool' ? value : rows.ne(value, 0));

/** @type {(state: GraphState, fill: Scalar | Value, like: Value, dims: number[], caller: string) => Value} */
function filled(state, fill, like, dims, caller) {
  if (!isValue(fill)) return constantOf(state, fill, like.dtype, "option 'fill'", caller, dims);
  return append(state, 'broadcast', [elementwise.convert(fill, like.dtype)], { shape: dims, axes: [] });
}

/** @type {(like: Value) => Scalar} */
const nothing = (like) => (like.dtype === 'bool' ? false : dtypes[like.dtype].big ? 0n : 0);

/**
 * As many rows as `size` says.
 *
 * @type {(mask: Value, values: readonly Value[], size: number, fills: readonly (Scalar | Value | undefined)[], caller: string) => Value[]}
 */
function selectSome(mask, values, size, fills, caller) {
  const state = stateOf(mask);
  const before = append(state, 'cumulate_sum', [elementwise.convert(mask, 'i64')], { axis: 0 });
  const place = rows.select(mask, rows.sub(before, 1), sizeValue(state, size, 'i64', caller));
  const where = movement.expandDims(place, -1);
  return values.map((value, i) => {
    const rest = dimsOf(value).slice(1);
    const base = filled(state, fills[i] ?? nothing(value), value, [size, ...rest], caller);
    return append(state, 'scatter', [base, where, value], {
      offset_axes: rest.map((_, axis) => axis + 1),
      collapsed_axes: [0],
      operand_batch: [],
      indices_batch: [],
      index_map: [0],
    });
  });
}

/** A size that no run computes yet. @type {(state: GraphState, caller: string) => number} */
function freshSize(state, caller) {
  let number = native.graphCount(state.handle);
  let count;
  do count = state.dim(`_${++number}`, 'the size', caller);
  while (state.dependsOnData(count));
  return count;
}

/**
 * The rows of values where a mask is true.
 *
 * @param {Value} mask a vector of bool
 * @param {readonly Value[]} values with as many rows
 * @param {Selection} options
 * @param {string} caller
 * @param {readonly (Scalar | Value | undefined)[]} [fills] per value, where `fill` is not for all
 * @returns {Value[]}
 */
function selectRows(mask, values, { size, fill, symbol }, caller, fills = values.map(() => fill)) {
  const state = graphOf([mask, ...values], caller);
  if (size !== undefined) {
    if (symbol !== undefined)
      fail('ERR_ARGUMENT', `${caller}: option 'symbol' names a size that is found out, but option 'size' gives one`);
    return selectSome(mask, values, state.dim(size, "option 'size'", caller), fills, caller);
  }
  if (fill !== undefined)
    fail('ERR_ARGUMENT', `${caller}: option 'fill' is for what is left of option 'size', which is not given`);
  const count = symbol === undefined ? freshSize(state, caller) : state.dim(symbol, "option 'symbol'", caller);
  const first = append(state, 'compress', [mask, ...values], { count: [count] });
  return resultsOf(first, values.length);
}

/** @type {(state: GraphState, x: unknown, caller: string, which: string) => Value} */
function valueFrom(state, x, caller, which) {
  if (isValue(x)) return x;
  return isScalar(x) ? expected(caller, 'a Value, a Tensor or an array', which, x) : constantFrom(state, x, caller);
}

/**
 * What is selected from, and the mask.
 *
 * @type {(x: unknown, mask: unknown, caller: string) => { state: GraphState, value: Value, mask: Value }}
 */
function masked(x, mask, caller) {
  const state = graphOf([x, mask].filter(isValue).length > 0 ? [x, mask].filter(isValue) : [x], caller);
  const value = valueFrom(state, x, caller, 'what is selected from');
  return { state, value, mask: truthOf(valueFrom(state, mask, caller, 'the mask')) };
}

/** @type {(value: Value, keep?: number) => Value} the leading axes as one, but for the last `keep` */
function flattened(value, keep = 0) {
  const [state, dims] = [stateOf(value), dimsOf(value)];
  const last = dims.length - keep;
  return last === 1 ? value : reshapeTo(state, value, [state.product(dims.slice(0, last)), ...dims.slice(last)]);
}

// ------------------------------------------------------------------------------------ operations

/** @type {(x: unknown, mask: unknown, options?: unknown) => Value} */
function compress(x, mask, options) {
  const { axis, ...known } = readOptions('compress', options, { axis: given, ...selection });
  const { value, mask: which } = masked(x, mask, 'compress');
  if (which.rank !== 1) expected('compress', 'a vector', 'the mask', which, 'ERR_SHAPE');
  if (axis === undefined) return selectRows(which, [flattened(value)], known, 'compress')[0];
  const along = readAxis(axis, value.rank, 'compress');
  const front = along === 0 ? value : manipulation.moveaxis(value, along, 0);
  const [taken] = selectRows(which, [front], known, 'compress');
  return along === 0 ? taken : manipulation.moveaxis(taken, 0, along);
}

/** @type {(x: unknown, mask: unknown, options?: unknown) => Value} */
function maskedSelect(x, mask, options) {
  const known = readOptions('maskedSelect', options, selection);
  const { state, value, mask: which } = masked(x, mask, 'maskedSelect');
  const [dims, own] = [dimsOf(value), dimsOf(which)];
  if (own.length === 0 || own.length > dims.length || own.some((dim, axis) => dim !== dims[axis])) {
    const texts = `${state.shapeText(own)} is not that of leading axes of ${state.shapeText(dims)}`;
    fail('ERR_SHAPE', `maskedSelect: the shape of the mask ${texts}`);
  }
  return selectRows(flattened(which), [flattened(value, dims.length - own.length)], known, 'maskedSelect')[0];
}

const placeOptions = { dtype: indexDType, ...selection };

/**
 * The indices along each axis of what is not zero.
 *
 * @type {(x: unknown, options: unknown, caller: string) => Value[]}
 */
function places(x, options, caller) {
  const { dtype = 'i64', ...known } = readOptions(caller, options, placeOptions);
  const state = graphOf([x], caller);
  const value = /** @type {Value} */ (x);
  const dims = dimsOf(value);
  if (dims.length === 0) fail('ERR_SHAPE', `${caller}: a value without axes has no indices`);
  const along = allAxes(dims.length).map((axis) => flattened(numbers(state, dims, axis, dtype)));
  return selectRows(flattened(truthOf(value)), along, known, caller);
}

/** @type {(x: unknown, options?: unknown) => Value[]} */
const nonzero = (x, options) => places(x, options, 'nonzero');

/** @type {(x: unknown, options?: unknown) => Value} */
const argwhere = (x, options) => joins.stack(places(x, options, 'argwhere'), { axis: 1 });

/** @type {(x: unknown, options?: unknown) => Value} */
function flatnonzero(x, options) {
  graphOf([x], 'flatnonzero');
  return places(movement.reshape(x, [-1]), options, 'flatnonzero')[0];
}

/** Every operation here that becomes a method and a function, by name. */
const booleanIndexing = { argwhere, compress, flatnonzero, maskedSelect, nonzero };

module.exports = { booleanIndexing, flattened, numbers, selectRows, selection, valueFrom };
