/**
 * Resizing of images: each axis by itself, from the nearest element, two or four neighbours.
 *
 * Where a place of the result lies in the input follows the coordinate modes of ONNX's Resize, in f64. Elements
 * are taken by index and joined by weights; both are arithmetic on the place, so sizes may be symbolic. Places
 * beyond the ends take the element at the end, or none.
 */
'use strict';

const { boolean, expected, finite, oneOf, readOptions } = require('../base/check.js');
const { fail } = require('../base/errors.js');
const { dimsOf, stateOf } = require('../graph/value.js');
const { dtypes } = require('../tensor/dtypes.js');
const { elementwise, roundedOnce, rows } = require('./elementwise.js');
const { indexing } = require('./indexing.js');
const { reshapeTo } = require('./movement.js');
const { imageOf, placeIndex, sizeValue } = require('./pools.js');
const { reductions } = require('./reductions.js');

/** @typedef {import('../graph/value.js').Value} Value */

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

/**
 * Keys' cubic convolution (IEEE ASSP 29, 1981) by the distance: within one element, and within two.
 *
 * @type {(a: number) => { near: (d: Value) => Value, far: (d: Value) => Value }}
 */
const keys = (a) => ({
  near: (d) => rows.add(rows.mul(rows.mul(rows.sub(rows.mul(d, a + 2), a + 3), d), d), 1),
  far: (d) => rows.mul(rows.sub(rows.mul(rows.add(rows.mul(rows.sub(d, 5), d), 8), d), 4), a),
});

/** Weights of four neighbours. @type {(t: Value, a: number) => Value[]} */
function cubicWeights(t, a) {
  const { near, far } = keys(a);
  const rest = rows.sub(1, t);
  return [far(rows.add(t, 1)), near(t), near(rest), far(rows.add(rest, 1))];
}

/**
 * @typedef {object} How
 * @property {string} mode
 * @property {string} coordinates
 * @property {string} rounding
 * @property {number} coefficient
 * @property {boolean} antialias
 * @property {boolean} excludeOutside
 * @property {number} [factor]
 */

/** Weights by the distance from a place. @type {(distance: Value, how: How) => Value} */
function weightsAt(distance, { mode, coefficient }) {
  if (mode === 'linear') return rows.max(rows.sub(1, distance), 0);
  const { near, far } = keys(coefficient);
  return rows.select(rows.le(distance, 1), near(distance), rows.select(rows.lt(distance, 2), far(distance), 0));
}

/**
 * All elements within reach of each place, as one more axis that is summed over. Where the result is smaller, an
 * antialiasing filter reaches as much further as elements of the input are closer.
 *
 * @type {(value: Value, axis: number, at: Value, last: Value, how: How) => Value}
 */
function filtered(value, axis, at, last, how) {
  const state = stateOf(value);
  const [own, size] = [dimsOf(value)[axis], dimsOf(at)[0]];
  const ratio =
    how.factor ??
    (own > 0 && size >= 0
      ? size / own || 1
      : fail(
          'ERR_SHAPE',
          `resize: option 'antialias' takes known sizes or option 'scale', but axis ${axis} has ${state.text(own)}`,
        ));
  const closeness = how.antialias ? Math.min(ratio, 1) : 1;
  const reach = Math.ceil((how.mode === 'linear' ? 1 : 2) / closeness);
  const column = reshapeTo(state, at, [size, 1]);
  const offsets = rows.sub(elementwise.convert(placeIndex(state, 2, 1, 2 * reach), 'f64'), reach - 1);
  const places = rows.add(rows.floor(column), offsets);
  const weight = weightsAt(rows.mul(rows.abs(rows.sub(places, column)), closeness), how);
  const isInside = rows.and(rows.ge(places, 0), rows.le(places, last));
  const counted = how.excludeOutside ? rows.select(isInside, weight, 0) : weight;
  const share = rows.div(counted, reductions.sum(counted, { axis: 1, keepDims: true }));
  const taken = indexing.take(value, elementwise.convert(rows.max(rows.min(places, last), 0), 'i64'), { axis });
  const shape = dimsOf(taken).map((dim, i) => (i === axis || i === axis + 1 ? dim : 1));
  return reductions.sum(rows.mul(taken, reshapeTo(state, elementwise.convert(share, value.dtype), shape)), {
    axis: axis + 1,
  });
}

/** @type {(value: Value, axis: number, size: number, how: How) => Value} */
function along(value, axis, size, how) {
  const state = stateOf(value);
  const own = dimsOf(value)[axis];
  if (own === size && how.coordinates !== 'asymmetric' && (how.factor ?? 1) === 1) return value;
  const toFloat = (/** @type {Value} */ of) => elementwise.convert(of, 'f64');
  const from = toFloat(sizeValue(state, own, 'resize'));
  const at = coordinatesOf(
    toFloat(placeIndex(state, 1, 0, size)),
    from,
    toFloat(sizeValue(state, size, 'resize')),
    how.coordinates,
    how.factor,
  );
  const last = rows.sub(from, 1);
  /** @type {(place: Value) => Value} */
  const element = (place) =>
    indexing.take(value, elementwise.convert(rows.max(rows.min(place, last), 0), 'i64'), { axis });
  if (how.mode === 'nearest') return element(rounders[how.rounding](at));
  if (how.antialias || how.excludeOutside) return filtered(value, axis, at, last, how);
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
    antialias: boolean,
    excludeOutside: boolean,
    layout: given,
  });
  const { antialias = false, excludeOutside = false } = read;
  const {
    size, scale, mode = 'nearest', coordinates: places = 'halfPixel', rounding = 'preferFloor',
    cubicCoefficient = -0.75,
  } = read;
  const { state, value, dims, spatial } = imageOf(x, read.layout, caller);
  if ((size === undefined) === (scale === undefined))
    fail('ERR_ARGUMENT', `${caller}: expected one of the options 'size' and 'scale'`);
  if (mode === 'nearest' && (antialias || excludeOutside))
    fail('ERR_ARGUMENT', `${caller}: options 'antialias' and 'excludeOutside' go with the modes 'linear' and 'cubic'`);
  if (mode !== 'nearest' && dtypes[value.dtype].kind !== 'float')
    expected(caller, `a float Value for mode '${mode}'`, 'the operand', x, 'ERR_DTYPE');
  const list = size ?? scale;
  const wanted = Array.isArray(list) ? list : spatial.map(() => list);
  if (wanted.length !== spatial.length)
    expected(
      caller,
      `a number, or ${spatial.length} of them,`,
      size === undefined ? "option 'scale'" : "option 'size'",
      list,
      'ERR_SHAPE',
    );
  let result = value;
  for (const [i, axis] of spatial.entries()) {
    let target;
    let factor;
    if (size !== undefined) {
      target = state.dim(wanted[i], `option 'size', axis ${axis},`, caller);
    } else {
      factor = finite(wanted[i], `option 'scale', axis ${axis},`, caller);
      if (factor <= 0) expected(caller, 'a number above 0', `option 'scale', axis ${axis},`, factor);
      if (dims[axis] < 0 && !Number.isInteger(factor))
        fail(
          'ERR_SHAPE',
          `${caller}: scale ${factor} takes a known size, but axis ${axis} has ${state.text(dims[axis])}`,
        );
      target = dims[axis] < 0 ? state.mul(dims[axis], factor) : Math.floor(dims[axis] * factor);
    }
    if (dims[axis] === 0 && target !== 0)
      fail('ERR_SHAPE', `${caller}: axis ${axis} is empty, so it cannot become ${state.text(target)}`);
    result = along(result, axis, target, {
      mode, coordinates: places, rounding, coefficient: cubicCoefficient, antialias, excludeOutside, factor,
    });
  }
  return result;
}

/** Every operation here that becomes a method and a function, by name. */
const resizing = { resize: roundedOnce(resize) };

module.exports = { resizing };
