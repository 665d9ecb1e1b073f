/**
 * Resizing of images: each axis by itself, from the nearest element, two or four neighbours.
 *
 * Where a place of the result lies in the input follows the coordinate modes of ONNX's Resize, in f64. Elements
 * are taken by index and joined by weights; both are arithmetic on the place, so sizes may be symbolic. Places
 * beyond the ends take the element at the end.
 */
'use strict';

const { expected, finite, oneOf, readOptions } = require('./check.js');
const { dtypes } = require('./dtypes.js');
const { elementwise, rows } = require('./elementwise.js');
const { fail } = require('./errors.js');
const { indexing } = require('./indexing.js');
const { reshapeTo } = require('./movement.js');
const { imageOf, placeIndex, sizeValue } = require('./pools.js');
const { dimsOf, stateOf } = require('./value.js');

/** @typedef {import('./value.js').Value} Value */

const modes = /** @type {const} */ (['nearest', 'linear', 'cubic']);
const coordinates = /** @type {const} */ (['halfPixel', 'pytorchHalfPixel', 'asymmetric', 'alignCorners']);
const roundings = /** @type {const} */ (['preferFloor', 'preferCeil', 'floor', 'ceil']);

const given = (/** @type {unknown} */ value) => value;

/** @type {Record<string, (at: Value) => Value>} */
const rounders = {
  preferFloor: (at) => rows.ceil(rows.sub(at, 0.5)),
  preferCeil: (at) => rows.floor(rows.add(at, 0.5)),
  floor: rows.floor,
  ceil: rows.ceil,
};

/**
 * Where the places of the result lie in the input. A factor that was asked for counts as it is, although the size that
 * it makes is rounded down; only what maps ends to ends goes by the sizes.
 *
 * @type {(place: Value, from: Value, to: Value, mode: string, factor?: number) => Value}
 */
function coordinatesOf(place, from, to, mode, factor) {
  /** @type {(at: Value) => Value} */
  const scaled = (at) => (factor === undefined ? rows.div(rows.mul(at, from), to) : rows.div(at, factor));
  if (mode === 'asymmetric') return scaled(place);
  if (mode === 'alignCorners') {
    const steps = rows.max(rows.sub(to, 1), 1);
    return rows.div(rows.mul(place, rows.sub(from, 1)), steps);
  }
  const half = rows.sub(scaled(rows.add(place, 0.5)), 0.5);
  return mode === 'pytorchHalfPixel' ? rows.select(rows.gt(to, 1), half, 0) : half;
}

/** Weights of four neighbours, Keys' cubic convolution (IEEE ASSP 29, 1981). @type {(t: Value, a: number) => Value[]} */
function cubicWeights(t, a) {
  /** @type {(d: Value) => Value} within one element */
  const near = (d) => rows.add(rows.mul(rows.mul(rows.sub(rows.mul(d, a + 2), a + 3), d), d), 1);
  /** @type {(d: Value) => Value} within two */
  const far = (d) => rows.mul(rows.sub(rows.mul(rows.add(rows.mul(rows.sub(d, 5), d), 8), d), 4), a);
  const rest = rows.sub(1, t);
  return [far(rows.add(t, 1)), near(t), near(rest), far(rows.add(rest, 1))];
}

/**
 * @param {Value} value
 * @param {number} axis
 * @param {number} size
 * @param {{ mode: string, coordinates: string, rounding: string, coefficient: number, factor?: number }} how
 * @returns {Value}
 */
function along(value, axis, size, how) {
  const state = stateOf(value);
  const own = dimsOf(value)[axis];
  if (own === size && how.coordinates !== 'asymmetric' && (how.factor ?? 1) === 1) return value;
  const toFloat = (/** @type {Value} */ of) => elementwise.convert(of, 'f64');
  const from = toFloat(sizeValue(state, own, 'resize'));
  const at = coordinatesOf(toFloat(placeIndex(state, 1, 0, size)), from, toFloat(sizeValue(state, size, 'resize')), how.coordinates, how.factor);
  const last = rows.sub(from, 1);
  /** @type {(place: Value) => Value} */
  const element = (place) => indexing.take(value, elementwise.convert(rows.max(rows.min(place, last), 0), 'i64'), { axis });
  if (how.mode === 'nearest') return element(rounders[how.rounding](at));
  const inside = how.mode === 'linear' ? rows.max(rows.min(at, last), 0) : at;
  const first = rows.floor(inside);
  const shape = dimsOf(value).map((_, i) => (i === axis ? size : 1));
  const part = rows.sub(inside, first);
  const weights = how.mode === 'linear' ? [rows.sub(1, part), part] : cubicWeights(part, how.coefficient);
  const terms = weights.map((weight, i) => {
    const shift = how.mode === 'linear' ? i : i - 1;
    const factor = elementwise.convert(weight, value.dtype);
    return rows.mul(element(rows.add(first, shift)), reshapeTo(state, factor, shape));
  });
  return terms.reduce((sum, term) => rows.add(sum, term));
}

/** @type {(x: unknown, options: unknown) => Value} */
function resize(x, options) {
  const caller = 'resize';
  const read = readOptions(caller, options, {
    size: given,
    scale: given,
    mode: oneOf(modes),
    coordinates: oneOf(coordinates),
    rounding: oneOf(roundings),
    cubicCoefficient: finite,
    layout: given,
  });
  const { size, scale, mode = 'nearest', coordinates: places = 'halfPixel', rounding = 'preferFloor', cubicCoefficient = -0.75 } = read;
  const { state, value, dims, spatial } = imageOf(x, read.layout, caller);
  if ((size === undefined) === (scale === undefined)) fail('ERR_ARGUMENT', `${caller}: expected one of the options 'size' and 'scale'`);
  if (mode !== 'nearest' && dtypes[value.dtype].kind !== 'float') expected(caller, `a float Value for mode '${mode}'`, 'the operand', x, 'ERR_DTYPE');
  const list = size ?? scale;
  const wanted = Array.isArray(list) ? list : spatial.map(() => list);
  if (wanted.length !== spatial.length) expected(caller, `a number, or ${spatial.length} of them,`, size === undefined ? "option 'scale'" : "option 'size'", list, 'ERR_SHAPE');
  let result = value;
  for (const [i, axis] of spatial.entries()) {
    let target;
    let factor;
    if (size !== undefined) {
      target = state.dim(wanted[i], `option 'size', axis ${axis},`, caller);
    } else {
      factor = finite(wanted[i], `option 'scale', axis ${axis},`, caller);
      if (factor <= 0) expected(caller, 'a number above 0', `option 'scale', axis ${axis},`, factor);
      if (dims[axis] < 0 && !Number.isInteger(factor)) fail('ERR_SHAPE', `${caller}: scale ${factor} takes a known size, but axis ${axis} has ${state.text(dims[axis])}`);
      target = dims[axis] < 0 ? state.mul(dims[axis], factor) : Math.floor(dims[axis] * factor);
    }
    if (dims[axis] === 0 && target !== 0) fail('ERR_SHAPE', `${caller}: axis ${axis} is empty, so it cannot become ${state.text(target)}`);
    result = along(result, axis, target, { mode, coordinates: places, rounding, coefficient: cubicCoefficient, factor });
  }
  return result;
}

/** Every operation here that becomes a method and a function, by name. */
const resizing = { resize };

module.exports = { resizing };
