/**
 * Discrete Fourier transforms, of pairs of real and imaginary parts along the last axis, and of frames of signals.
 *
 * A short transform, or one of a prime length, is a product with matrices of cosines and sines. Of a long one with
 * factors, the input is a matrix of two: its columns are transformed, turned by an angle each, and then its rows
 * (Cooley and Tukey, Mathematics of Computation 19, 1965), so that products stay small. Angles are reduced as whole
 * numbers before they are computed in f64. Tables are constants of the graph; those of more than a million elements,
 * as long primes have, and of symbolic lengths, which are one product of all, a run computes.
 */
'use strict';

const { boolean, expected, readOptions } = require('../base/check.js');
const { fail } = require('../base/errors.js');
const { append, constantFrom, dimsOf, isValue, stateOf } = require('../graph/value.js');
const { dtypes } = require('../tensor/dtypes.js');
const { readAxis } = require('../tensor/views.js');
const { contractions } = require('./contractions.js');
const { elementwise, roundedOnce, rows } = require('./elementwise.js');
const { indexing, sizeValue } = require('./indexing.js');
const { manipulation } = require('./manipulation.js');
const { joins, movement, operandOf, reshapeTo } = require('./movement.js');
const { matrices } = require('./matrices.js');
const { inDType } = require('./reductions.js');

/** @typedef {import('../graph/value.js').Value} Value */
/** @typedef {import('../graph/value.js').GraphState} GraphState */
/** @typedef {{ re: Value, im?: Value }} Parts numbers along the last axis; without `im` they are real */

const given = (/** @type {unknown} */ value) => value;

/** Up to this length a transform is one product. */
const SHORT = 64;

/** Up to so many elements a table is a constant. */
const LARGE = 2 ** 20;

/**
 * Cosines and sines of 2π · row · column / length, [rows, columns].
 *
 * @typedef {{ cos: Value, sin: Value }} Table
 */

/** @type {(state: GraphState, height: number, width: number, length: number, dtype: import('../tensor/dtypes.js').DType) => Table} */
function tableOf(state, height, width, length, dtype) {
  const isKnown = height >= 0 && width >= 0 && length >= 0;
  if (!isKnown || height * width > LARGE) return computedTable(state, height, width, length, dtype);
  const angles = Float64Array.from({ length: height * width }, (_, i) => {
    const turns = (Math.floor(i / width) * (i % width)) % length;
    return (2 * Math.PI * turns) / length;
  });
  const matrix = (/** @type {(angle: number) => number} */ of) =>
    inDType(reshapeTo(state, constantFrom(state, angles.map(of), 'dft'), [height, width]), dtype);
  return { cos: matrix(Math.cos), sin: matrix(Math.sin) };
}

/** @type {typeof tableOf} */
function computedTable(state, height, width, length, dtype) {
  const [row, column] = [0, 1].map((axis) =>
    append(state, 'iota', [], { dtype: 'i64', shape: [height, width], axis }),
  );
  const size = sizeValue(state, length, 'i64', 'dft');
  const [turns, all] = [rows.rem(rows.mul(row, column), size), size].map((of) => elementwise.convert(of, 'f64'));
  const angle = rows.div(rows.mul(turns, 2 * Math.PI), all);
  return { cos: inDType(rows.cos(angle), dtype), sin: inDType(rows.sin(angle), dtype) };
}

/**
 * Numbers times cos + i · sign · sin, by any product that is linear.
 *
 * @type {(parts: Parts, table: Table, sign: number, times: (x: Value, y: Value) => Value) => Required<Parts>}
 */
function turned({ re, im }, { cos, sin }, sign, times) {
  const plus = sign > 0 ? rows.add : rows.sub;
  const minus = sign > 0 ? rows.sub : rows.add;
  if (im === undefined) return { re: times(re, cos), im: sign > 0 ? times(re, sin) : rows.neg(times(re, sin)) };
  return {
    re: minus(times(re, cos), times(im, sin)),
    im: plus(times(im, cos), times(re, sin)),
  };
}

/** @type {<T extends Parts>(parts: T, map: (value: Value) => Value) => T} */
const each = (parts, map) => /** @type {any} */ ({ re: map(parts.re), ...(parts.im && { im: map(parts.im) }) });

/** The greatest divisor up to the root of a length. @type {(length: number) => number} */
function factorOf(length) {
  let factor = Math.floor(Math.sqrt(length));
  while (length % factor !== 0) factor -= 1;
  return factor;
}

/**
 * The first `bins` of the transform along the last axis, which has `length` elements.
 *
 * @type {(parts: Parts, length: number, sign: number, bins?: number) => Required<Parts>}
 */
function transform(parts, length, sign, bins = length) {
  const state = stateOf(parts.re);
  const { dtype } = parts.re;
  const factor = length > SHORT ? factorOf(length) : 1;
  if (factor === 1) return turned(parts, tableOf(state, length, bins, length, dtype), sign, contractions.matmul);
  const rest = length / factor;
  const outer = dimsOf(parts.re).slice(0, -1);
  // element rest · i + j is in row i and column j of [factor, rest]
  const columns = each(parts, (of) => matrices.matrixTranspose(reshapeTo(state, of, [...outer, factor, rest])));
  const inner = transform(columns, factor, sign);
  const moved = turned(inner, tableOf(state, rest, factor, length, dtype), sign, rows.mul);
  const whole = transform(each(moved, matrices.matrixTranspose), rest, sign);
  const flat = each(whole, (of) => reshapeTo(state, matrices.matrixTranspose(of), [...outer, length]));
  return bins === length ? flat : each(flat, (of) => fitted(of, bins));
}

/** The last axis cut off at a size, or with zeros behind. @type {(value: Value, size: number) => Value} */
function fitted(value, size) {
  const state = stateOf(value);
  const dims = dimsOf(value);
  const own = dims[dims.length - 1];
  if (own === size) return value;
  if (own >= 0 && size >= 0) {
    return movement.pad(value, dims.map((_, axis) => [0, axis === dims.length - 1 ? size - own : 0]));
  }
  const place = append(state, 'iota', [], { dtype: 'i64', shape: [size], axis: 0 });
  const longer = movement.pad(value, dims.map((_, axis) => [0, axis === dims.length - 1 ? 1 : 0]));
  return indexing.take(longer, rows.min(place, sizeValue(state, own, 'i64', 'dft')), { axis: -1 });
}

/** How many bins of a real signal are not those of others. @type {(state: GraphState, length: number) => number} */
const half = (state, length) =>
  length >= 0 ? Math.floor(length / 2) + 1 : state.add(state.floorDiv(length, 2), 1);

/**
 * All bins of a real signal: those beyond the middle are the conjugates of those before it, in their reverse order.
 *
 * @type {(parts: Parts, length: number) => Parts}
 */
function mirrored(parts, length) {
  const state = stateOf(parts.re);
  const bins = half(state, length);
  const some = each(parts, (of) => fitted(of, bins));
  const tail = (/** @type {Value} */ of) => {
    const outer = dimsOf(of).slice(0, -1);
    const count = length >= 0 ? length - bins : state.sub(length, bins);
    const shape = [...outer, count];
    const start = [...outer.map(() => 0), 1];
    return movement.flip(append(state, 'slice', [of], { shape, start, stride: shape.map(() => 1) }), -1);
  };
  const join = (/** @type {Value} */ of, /** @type {Value} */ behind) => joins.concat([of, behind], { axis: -1 });
  return {
    re: join(some.re, tail(some.re)),
    ...(some.im && { im: join(some.im, rows.neg(tail(some.im))) }),
  };
}

/**
 * The length of a transform: what is said, or what the axis has; of half of the bins twice as many, less the ends.
 *
 * @type {(state: GraphState, length: unknown, own: number, isHalf: boolean, caller: string) => number}
 */
function lengthOf(state, length, own, isHalf, caller) {
  const whole = () => (isHalf ? state.mul(state.sub(own, 1), 2) : own);
  const found = length === undefined ? whole() : state.dim(length, "option 'length'", caller);
  return found === 0 ? fail('ERR_SHAPE', `${caller}: there is no transform of length 0`) : found;
}

/** @type {(x: unknown, options?: unknown) => Value} */
function dft(x, options) {
  const caller = 'dft';
  const { axis = -2, length, inverse = false, onesided = false } = readOptions(caller, options, {
    axis: given, length: given, inverse: boolean, onesided: boolean,
  });
  const { state, value, dims, rank } = operandOf(x, caller);
  const pair = dims[rank - 1];
  if (dtypes[value.dtype].kind !== 'float') expected(caller, 'a float Value', 'the operand', x, 'ERR_DTYPE');
  if (rank < 2 || (pair !== 1 && pair !== 2))
    fail('ERR_SHAPE', `${caller}: expected 1 or 2 parts along the last axis, got ${state.shapeText(dims)}`);
  const along = readAxis(axis, rank, caller);
  if (along === rank - 1) expected(caller, 'an axis in front of that of the parts', "option 'axis'", axis);
  const size = lengthOf(state, length, dims[along], inverse && onesided, caller);
  const part = (/** @type {number} */ i) =>
    manipulation.moveaxis(movement.slice(value, ...dims.slice(1).map(() => null), i), along, -1);
  const parts = pair === 2 ? { re: part(0), im: part(1) } : { re: part(0) };
  const result = inverse ? inverted(parts, size, onesided) : forward(parts, size, onesided);
  const back = [result.re, result.im].flatMap((of) => (of ? manipulation.moveaxis(of, -1, along) : []));
  return joins.stack(back, { axis: -1 });
}

/** @type {(parts: Parts, length: number, onesided: boolean) => Parts} */
function forward(parts, length, onesided) {
  const bins = onesided ? half(stateOf(parts.re), length) : length;
  return transform(each(parts, (of) => fitted(of, length)), length, -1, bins);
}

/** @type {(parts: Parts, length: number, onesided: boolean) => Parts} */
function inverted(parts, length, onesided) {
  const state = stateOf(parts.re);
  const whole = onesided ? mirrored(parts, length) : each(parts, (of) => fitted(of, length));
  const { re, im } = transform(whole, length, 1);
  const count = inDType(sizeValue(state, length, 'i64', 'dft'), re.dtype);
  return onesided ? { re: rows.div(re, count) } : each({ re, im }, (of) => rows.div(of, count));
}

/**
 * Frames of a signal, each of them transformed: [..., frames, bins, parts].
 *
 * @type {(x: unknown, options: unknown) => Value}
 */
function stft(x, options) {
  const caller = 'stft';
  const { step, length, window, onesided = true } = readOptions(caller, options, {
    step: given, length: given, window: given, onesided: boolean,
  });
  const { state, value, dims, rank } = operandOf(x, caller);
  if (rank < 2) fail('ERR_SHAPE', `${caller}: expected a signal [..., places, parts], got ${state.shapeText(dims)}`);
  const weights = window === undefined || isValue(window) ? window : constantFrom(state, window, caller);
  const size = length === undefined ? weights && dimsOf(weights)[0] : state.dim(length, "option 'length'", caller);
  if (size === undefined) return expected(caller, 'a number of places', "option 'length'", length);
  if (weights !== undefined && (weights.rank !== 1 || dimsOf(weights)[0] !== size))
    fail('ERR_SHAPE', `${caller}: expected a window [${state.text(size)}], got ${state.shapeText(dimsOf(weights))}`);
  const hop = state.dim(step, "option 'step'", caller);
  if (hop === 0) expected(caller, 'a size above 0', "option 'step'", step);
  const framed = framesOf(value, size, hop, caller);
  const weighted =
    weights === undefined ? framed : rows.mul(framed, reshapeTo(state, inDType(weights, value.dtype), [size, 1]));
  return dft(weighted, { onesided });
}

/** Parts of a signal that begin a step apart, as a new axis. @type {(value: Value, size: number, hop: number, caller: string) => Value} */
function framesOf(value, size, hop, caller) {
  const state = stateOf(value);
  const own = dimsOf(value)[value.rank - 2];
  const room = own >= 0 && size >= 0 ? own - size : state.sub(own, size);
  if (own >= 0 && size >= 0 && room < 0)
    fail('ERR_SHAPE', `${caller}: a frame of ${size} places does not fit into ${own}`);
  const shape = [state.add(state.floorDiv(room, hop), 1), size];
  const [frame, place] = [0, 1].map((axis) => append(state, 'iota', [], { dtype: 'i64', shape, axis }));
  const at = rows.add(rows.mul(frame, sizeValue(state, hop, 'i64', caller)), place);
  return indexing.take(value, at, { axis: -2 });
}

/** Every operation here that becomes a method and a function, by name. */
const fourier = { dft: roundedOnce(dft), stft: roundedOnce(stft) };

module.exports = { fourier };
