/**
 * Padding by what is there: the modes of NumPy's `pad`.
 *
 * `'constant'` is the primitive. The modes that repeat elements take them by index, which is arithmetic on the
 * place and works for any width; the others join blocks to both ends. Axes are padded one after the other, so
 * corners continue what the axes before have made, as in NumPy. `centerCropPad`, which is ONNX's, goes by sizes
 * instead: of symbolic ones a run finds out whether it pads or crops.
 */
'use strict';

const { expected, integer, isOptions, oneOf, readOptions } = require('../base/check.js');
const { fail } = require('../base/errors.js');
const { append, constantOf, dimsOf, lift, stateOf } = require('../graph/value.js');
const { dtypes } = require('../tensor/dtypes.js');
const { readAxes } = require('../tensor/views.js');
const { elementwise, rows } = require('./elementwise.js');
const { indexing } = require('./indexing.js');
const { allAxes, joins, movement, operandOf, widthsOf } = require('./movement.js');
const { placeIndex, sizeValue } = require('./pools.js');
const { orderStatistics } = require('./quantiles.js');
const { reductions } = require('./reductions.js');

/** @typedef {import('../graph/value.js').Value} Value */

const modes = /** @type {const} */ ([
  'constant', 'edge', 'reflect', 'symmetric', 'wrap', 'linearRamp', 'maximum', 'minimum', 'mean', 'median', 'empty',
]);

/** @type {(x: Value, by: Value) => Value} the remainder with the sign of a positive divisor */
const floorMod = (x, by) => rows.rem(rows.add(rows.rem(x, by), by), by);

/** Where an element beyond the ends comes from. @type {Record<string, (at: Value, size: Value) => Value>} */
const sources = {
  edge: (at, size) => rows.max(rows.min(at, rows.sub(size, 1)), 0),
  wrap: floorMod,
  reflect(at, size) {
    const last = rows.sub(size, 1);
    const place = floorMod(at, rows.max(rows.mul(last, 2), 1));
    return rows.min(place, rows.abs(rows.sub(rows.mul(last, 2), place)));
  },
  symmetric(at, size) {
    const period = rows.mul(size, 2);
    const place = floorMod(at, period);
    return rows.min(place, rows.sub(rows.sub(period, 1), place));
  },
};

/** @type {(value: Value, caller: string) => Value} */
const zeroOf = (value, caller) =>
  constantOf(stateOf(value), value.dtype === 'bool' ? false : 0, value.dtype, 'zero', caller);

/** @type {(value: Value, axis: number, widths: readonly number[], mode: string) => Value} */
function repeated(value, axis, [before, after], mode) {
  const state = stateOf(value);
  const size = dimsOf(value)[axis];
  if (size === 0) fail('ERR_SHAPE', `pad: axis ${axis} is empty, so mode '${mode}' has nothing to take`);
  const places = placeIndex(state, 1, 0, state.add(size, before + after));
  return indexing.take(value, sources[mode](rows.sub(places, before), sizeValue(state, size, 'pad')), { axis });
}

/**
 * Some elements at one end of an axis.
 *
 * @type {(value: Value, axis: number, range: readonly (number | null)[]) => Value}
 */
const endOf = (value, axis, range) =>
  movement.slice(value, ...dimsOf(value).map((_, i) => (i === axis ? [...range] : null)));

const summaries = {
  maximum: reductions.max,
  minimum: reductions.min,
  mean: reductions.mean,
  median: orderStatistics.median,
};

/**
 * So many elements at one end of an axis, or all there are.
 *
 * @type {(value: Value, axis: number, length: number, front: boolean) => Value}
 */
function atMost(value, axis, length, front) {
  const [state, dims] = [stateOf(value), dimsOf(value)];
  const size = dims[axis];
  const count = state.sub(state.add(size, length), state.max(size, length)); // the lesser
  const start = dims.map((_, i) => (i === axis && !front ? state.sub(size, count) : 0));
  return append(state, 'slice', [value], { shape: dims.with(axis, count), start, stride: dims.map(() => 1) });
}

/** @type {(value: Value, axis: number, length: number | undefined, front: boolean, mode: keyof typeof summaries) => Value} */
function summary(value, axis, length, front, mode) {
  const taken = length === undefined ? value : atMost(value, axis, length, front);
  const whole = summaries[mode](taken, { axis, keepDims: true });
  if (whole.dtype === value.dtype) return whole;
  return elementwise.convert(rows.roundEven(whole), value.dtype);
}

/** A block of `width` elements along an axis. @type {(block: Value, axis: number, width: number) => Value} */
function widened(block, axis, width) {
  const dims = dimsOf(block).map((dim, i) => (i === axis ? width : dim));
  return append(stateOf(block), 'broadcast', [block], { shape: dims, axes: dims.map((_, i) => i) });
}

/**
 * From the end value towards an edge.
 *
 * @type {(edge: Value, axis: number, width: number, end: unknown, front: boolean) => Value}
 */
function ramp(edge, axis, width, end, front) {
  const { values } = lift([edge, end], 'pad', 0, () => "option 'endValue'");
  const isFloat = dtypes[edge.dtype].kind === 'float';
  const [from, to] = [values[1], edge].map((value) => (isFloat ? value : elementwise.convert(value, 'f64')));
  const steps = elementwise.convert(placeIndex(stateOf(edge), edge.rank, axis, width), to.dtype);
  const part = rows.div(front ? steps : rows.sub(width - 1, steps), width);
  const line = rows.add(from, rows.mul(part, rows.sub(to, from)));
  return isFloat ? line : elementwise.convert(rows.floor(line), edge.dtype);
}

/**
 * @type {(value: Value, axis: number, widths: readonly number[], mode: string, options: { endValue?: unknown, statLength?: number }) => Value}
 */
function joined(value, axis, widths, mode, { endValue = 0, statLength }) {
  const blocks = widths.map((width, side) => {
    if (width === 0) return undefined;
    const front = side === 0;
    if (mode === 'linearRamp')
      return ramp(endOf(value, axis, front ? [0, 1] : [-1, null]), axis, width, endValue, front);
    return widened(summary(value, axis, statLength, front, /** @type {'mean'} */ (mode)), axis, width);
  });
  const parts = [blocks[0], value, blocks[1]].filter((part) => part !== undefined);
  return parts.length === 1 ? value : joins.concat(parts, { axis });
}

const given = (/** @type {unknown} */ value) => value;

/** @type {(x: unknown, widths: unknown, options?: unknown) => Value} */
function pad(x, widths, options) {
  const known = { mode: oneOf(modes), value: given, interior: given, endValue: given, statLength: integer(1) };
  const { mode = 'constant', value: fill, interior, ...rest } = readOptions('pad', options, known);
  /** @type {Record<string, unknown>} */
  const others = { value: fill, interior, ...rest };
  const ofSummaries = Object.fromEntries(Object.keys(summaries).map((name) => [name, ['statLength']]));
  const own = { constant: ['value', 'interior'], linearRamp: ['endValue'], ...ofSummaries };
  const allowed = /** @type {Record<string, string[]>} */ (own)[mode] ?? [];
  const foreign = Object.keys(others).find((name) => others[name] !== undefined && !allowed.includes(name));
  if (foreign !== undefined) fail('ERR_ARGUMENT', `pad: option '${foreign}' goes with another mode than '${mode}'`);
  if (mode === 'constant') return movement.pad(x, widths, isOptions(options) ? { value: fill, interior } : undefined);
  const operand = operandOf(x, 'pad');
  const pairs = widthsOf(widths, operand.rank, 0);
  if (mode === 'empty') return movement.pad(x, pairs, { value: zeroOf(operand.value, 'pad') });
  let result = operand.value;
  for (const [axis, pair] of pairs.entries()) {
    if (pair[0] + pair[1] === 0) continue;
    result = Object.hasOwn(sources, mode) ? repeated(result, axis, pair, mode) : joined(result, axis, pair, mode, rest);
  }
  return result;
}

/**
 * The middle of an axis, or zeros around it. An element comes from as far behind its own place as half of what is
 * taken away, rounded towards 0; the place behind the last one holds a zero.
 *
 * @type {(value: Value, axis: number, target: number) => Value}
 */
function centred(value, axis, target) {
  const state = stateOf(value);
  const size = dimsOf(value)[axis];
  if (size === target) return value;
  const sides = (/** @type {number} */ lo, /** @type {number} */ hi) =>
    dimsOf(value).map((_, i) => (i === axis ? [lo, hi] : [0, 0]));
  if (size >= 0 && target >= 0) {
    const before = Math.trunc((target - size) / 2);
    return movement.pad(value, sides(before, target - size - before), { value: zeroOf(value, 'centerCropPad') });
  }
  const extended = movement.pad(value, sides(0, 1), { value: zeroOf(value, 'centerCropPad') });
  const [from, to] = [size, target].map((dim) => sizeValue(state, dim, 'centerCropPad'));
  const at = rows.add(placeIndex(state, 1, 0, target), rows.div(rows.sub(from, to), 2));
  const inside = rows.and(rows.ge(at, 0), rows.lt(at, from));
  return indexing.take(extended, rows.select(inside, at, from), { axis });
}

/** @type {(x: unknown, shape: unknown, options?: unknown) => Value} */
function centerCropPad(x, shape, options) {
  const caller = 'centerCropPad';
  const { axes } = readOptions(caller, options, { axes: (value) => value });
  const { state, value, rank } = operandOf(x, caller);
  const along = axes === undefined ? allAxes(rank) : readAxes(axes, rank, caller);
  const sizes = state.dims(shape, caller);
  if (sizes.length !== along.length)
    expected(caller, `${along.length} sizes, one per axis,`, 'the shape', shape, 'ERR_SHAPE');
  return along.reduce((result, axis, i) => centred(result, axis, sizes[i]), value);
}

/** The pad of every mode, in place of that of constants, and what pads or crops to a size. */
const padding = { centerCropPad, pad };

module.exports = { padding };
