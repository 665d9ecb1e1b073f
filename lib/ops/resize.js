/**
 * Resizing of images: each axis by itself, from the nearest element, two or four neighbours.
 *
 * Where a place of the result lies in the input follows the coordinate modes of ONNX's Resize, in f64. Elements
 * are taken by index and joined by weights; both are arithmetic on the place, so sizes may be symbolic. Places
 * beyond the ends take the element at the end, or none, or those of a crop a value that is given.
 *
 * A scale is a number when the graph is built. Of a symbolic axis it must be a fraction of whole numbers below 2³¹, as
 * all of 24 bits are: the new size is then an expression. Keeping the ratio of sides needs sizes that are known.
 */
'use strict';

const { boolean, expected, finite, oneOf, positive, readOptions } = require('../base/check.js');
const { fail } = require('../base/errors.js');
const { constantFrom, dimsOf, graphOf, isValue, stateOf } = require('../graph/value.js');
const { dtypes } = require('../tensor/dtypes.js');
const { readAxes } = require('../tensor/views.js');
const { camelCase, elementwise, roundedOnce, rows } = require('./elementwise.js');
const { indexing } = require('./indexing.js');
const { movement, reshapeTo } = require('./movement.js');
const { imageOf, placeIndex, sizeValue } = require('./pools.js');
const { reductions } = require('./reductions.js');

/** @typedef {import('../graph/value.js').Value} Value */
/** @typedef {import('../graph/value.js').GraphState} GraphState */

const given = (/** @type {unknown} */ value) => value;

/** @type {Record<string, (at: Value) => Value>} */
const rounders = {
  preferFloor: (at) => rows.ceil(rows.sub(at, 0.5)),
  preferCeil: (at) => rows.floor(rows.add(at, 0.5)),
  floor: rows.floor,
  ceil: rows.ceil,
};

/**
 * What the place of an element in the input follows from: its place in the result, both sizes, and the length that was
 * asked for, which has a fraction where a scale made it; then the size is less.
 *
 * @typedef {object} Mapped
 * @property {Value} place
 * @property {Value} from
 * @property {Value} to
 * @property {Value} length
 * @property {(at: Value) => Value} scaled
 * @property {readonly [Value, Value]} [crop] where the part begins and ends that is resized, of 1
 */

/** @type {(mapped: Mapped) => Value} */
const halfPixel = ({ place, scaled }) => rows.sub(scaled(rows.add(place, 0.5)), 0.5);

/** @type {Record<string, (mapped: Mapped) => Value>} */
const mappings = {
  halfPixel,
  halfPixelSymmetric({ place, from, to, length, scaled }) {
    const offset = rows.mul(rows.div(from, 2), rows.sub(1, rows.div(to, length)));
    return rows.sub(rows.add(offset, scaled(rows.add(place, 0.5))), 0.5);
  },
  pytorchHalfPixel: (mapped) => rows.select(rows.gt(mapped.to, 1), halfPixel(mapped), 0),
  // what keeps its length stays, whether that is known or not
  tfHalfPixelForNn: ({ place, from, length, scaled }) =>
    rows.select(rows.eq(length, from), place, scaled(rows.add(place, 0.5))),
  asymmetric: ({ place, scaled }) => scaled(place),
  alignCorners: ({ place, from, length }) =>
    rows.select(rows.eq(length, 1), 0, rows.div(rows.mul(place, rows.sub(from, 1)), rows.sub(length, 1))),
  tfCropAndResize({ place, from, to, length, crop }) {
    const [start, end] = /** @type {readonly [Value, Value]} */ (crop);
    const steps = rows.sub(from, 1);
    const part = rows.div(rows.mul(place, rows.mul(rows.sub(end, start), steps)), rows.sub(length, 1));
    const middle = rows.mul(rows.mul(rows.add(start, end), 0.5), steps);
    return rows.select(rows.gt(to, 1), rows.add(rows.mul(start, steps), part), middle);
  },
};

/**
 * One of the names of a table, or as ONNX spells it: `half_pixel`, `round_prefer_floor`.
 *
 * @type {(table: Record<string, unknown>) => import('../base/check.js').Getter<string>}
 */
function nameIn(table) {
  const read = oneOf(Object.keys(table));
  return (value, which, caller) => {
    const own = typeof value === 'string' ? camelCase(value.replace(/^round_/, '')) : value;
    return read(typeof own === 'string' && Object.hasOwn(table, own) ? own : value, which, caller);
  };
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
 * @property {readonly [Value, Value]} [crop]
 * @property {number} extrapolation
 */

/** Weights by the distance from a place. @type {(distance: Value, how: How) => Value} */
function weightsAt(distance, { mode, coefficient }) {
  if (mode === 'linear') return rows.max(rows.sub(1, distance), 0);
  const { near, far } = keys(coefficient);
  return rows.select(rows.le(distance, 1), near(distance), rows.select(rows.lt(distance, 2), far(distance), 0));
}

/** By how much an axis grows. @type {(value: Value, axis: number, size: number) => number} */
function ratioOf(value, axis, size) {
  const own = dimsOf(value)[axis];
  if (own > 0 && size >= 0) return size / own || 1;
  const text = `but axis ${axis} has ${stateOf(value).text(own)}`;
  return fail('ERR_SHAPE', `resize: option 'antialias' takes known sizes or option 'scale', ${text}`);
}

/**
 * All elements within reach of each place, as one more axis that is summed over. Where the result is smaller, an
 * antialiasing filter reaches as much further as elements of the input are closer.
 *
 * @type {(value: Value, axis: number, at: Value, last: Value, how: How) => Value}
 */
function filtered(value, axis, at, last, how) {
  const state = stateOf(value);
  const size = dimsOf(at)[0];
  const closeness = how.antialias ? Math.min(how.factor ?? ratioOf(value, axis, size), 1) : 1;
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

/**
 * Where the places along an axis of a new size lie, and the last place of the input.
 *
 * @type {(state: GraphState, own: number, size: number, how: How) => { at: Value, last: Value }}
 */
function placesOf(state, own, size, { coordinates, factor, crop }) {
  const [place, from, to] = [
    placeIndex(state, 1, 0, size),
    sizeValue(state, own, 'resize'),
    sizeValue(state, size, 'resize'),
  ].map((of) => elementwise.convert(of, 'f64'));
  const at = mappings[coordinates]({
    place, from, to,
    length: factor === undefined ? to : rows.mul(from, factor),
    scaled: (of) => (factor === undefined ? rows.div(rows.mul(of, from), to) : rows.div(of, factor)),
    crop,
  });
  return { at, last: rows.sub(from, 1) };
}

/** @type {(value: Value, axis: number, size: number, how: How) => Value} */
function along(value, axis, size, how) {
  const state = stateOf(value);
  const own = dimsOf(value)[axis];
  if (own === size && (how.factor ?? 1) === 1 && how.crop === undefined) return value;
  const { at, last } = placesOf(state, own, size, how);
  const taken = interpolated(value, axis, at, last, how);
  if (how.crop === undefined) return taken;
  const shape = dimsOf(value).map((_, i) => (i === axis ? size : 1));
  const inside = reshapeTo(state, rows.and(rows.ge(at, 0), rows.le(at, last)), shape);
  return rows.select(inside, taken, how.extrapolation);
}

/**
 * The elements at places of an axis.
 *
 * @type {(value: Value, axis: number, at: Value, last: Value, how: How) => Value}
 */
function interpolated(value, axis, at, last, how) {
  const state = stateOf(value);
  /** @type {(place: Value) => Value} */
  const element = (place) =>
    indexing.take(value, elementwise.convert(rows.max(rows.min(place, last), 0), 'i64'), { axis });
  if (how.mode === 'nearest') return element(rounders[how.rounding](at));
  if (how.antialias || how.excludeOutside) return filtered(value, axis, at, last, how);
  const inside = how.mode === 'linear' ? rows.max(rows.min(at, last), 0) : at;
  const first = rows.floor(inside);
  const shape = dimsOf(value).map((_, i) => (i === axis ? dimsOf(at)[0] : 1));
  const part = rows.sub(inside, first);
  const weights = how.mode === 'linear' ? [rows.sub(1, part), part] : cubicWeights(part, how.coefficient);
  const terms = weights.map((weight, i) => {
    const shift = how.mode === 'linear' ? i : i - 1;
    const factor = elementwise.convert(weight, value.dtype);
    return rows.mul(element(rows.add(first, shift)), reshapeTo(state, factor, shape));
  });
  return terms.reduce((sum, term) => rows.add(sum, term));
}

// --------------------------------------------------------------------------------------- options

/**
 * What one option has for each axis: one for all, or a list.
 *
 * @type {(list: unknown, axes: readonly number[], which: string) => unknown[]}
 */
function perAxisOf(list, axes, which) {
  if (!Array.isArray(list)) return axes.map(() => list);
  if (list.length === axes.length) return list;
  return expected('resize', `a number, or ${axes.length} of them,`, which, list, 'ERR_SHAPE');
}

const LARGEST = 2 ** 31;

/** A number as a fraction of small whole numbers that is exactly it. @type {(x: number) => [number, number] | undefined} */
function fractionOf(x) {
  for (let below = 1; below <= 64; below++) {
    const above = Math.round(x * below);
    if (above / below === x && above < LARGEST) return [above, below];
  }
  for (let below = 128; below < LARGEST; below *= 2) {
    if (Number.isInteger(x * below)) return x * below < LARGEST ? [x * below, below] : undefined;
  }
  return undefined;
}

/** A size times a factor, rounded down. @type {(state: GraphState, dim: number, factor: number, axis: number) => number} */
function scaledSize(state, dim, factor, axis) {
  if (dim >= 0) return Math.floor(dim * factor);
  const [above, below] =
    fractionOf(factor) ??
    fail('ERR_SHAPE', `resize: scale ${factor} takes a known size, but axis ${axis} has ${state.text(dim)}`);
  return state.floorDiv(state.mul(dim, above), below);
}

/** @typedef {{ size: number, factor?: number }} Target */

/**
 * Sizes and the factor that they have in common, so that none is larger or none smaller than what was asked for.
 *
 * @type {(state: GraphState, dims: readonly number[], sizes: readonly number[], least: boolean) => Target[]}
 */
function keepingRatio(state, dims, sizes, least) {
  const unknown = [...dims, ...sizes].find((dim) => dim < 0);
  if (unknown !== undefined)
    fail('ERR_SHAPE', `resize: option 'keepAspectRatioPolicy' takes known sizes, but one is ${state.text(unknown)}`);
  const ratios = sizes.map((size, i) => size / dims[i]);
  const factor = least ? Math.min(...ratios) : Math.max(...ratios);
  return dims.map((dim) => ({ size: Math.floor(factor * dim + 0.5), factor }));
}

/**
 * The new size along each axis, and the factor that makes it, where one is given.
 *
 * @type {(state: GraphState, axes: readonly number[], dims: readonly number[], read: { size?: unknown, scale?: unknown, keepAspectRatioPolicy?: string }) => Target[]}
 */
function targetsOf(state, axes, dims, { size, scale, keepAspectRatioPolicy: policy = 'stretch' }) {
  if ((size === undefined) === (scale === undefined))
    fail('ERR_ARGUMENT', "resize: expected one of the options 'size' and 'scale'");
  if (size === undefined) {
    return perAxisOf(scale, axes, "option 'scale'").map((each, i) => {
      const factor = positive(each, `option 'scale', axis ${axes[i]},`, 'resize');
      return { size: scaledSize(state, dims[i], factor, axes[i]), factor };
    });
  }
  const sizes = perAxisOf(size, axes, "option 'size'").map((each, i) =>
    state.dim(each, `option 'size', axis ${axes[i]},`, 'resize'),
  );
  if (policy !== 'stretch') return keepingRatio(state, dims, sizes, policy === 'notLarger');
  return sizes.map((each) => ({ size: each }));
}

/**
 * Where the crop along each axis begins and ends: all beginnings, then all ends, as ONNX has them.
 *
 * @type {(state: GraphState, roi: unknown, axes: readonly number[], isCrop: boolean) => (readonly [Value, Value] | undefined)[]}
 */
function cropsOf(state, roi, axes, isCrop) {
  if ((roi !== undefined) !== isCrop)
    fail('ERR_ARGUMENT', "resize: option 'roi' and coordinates 'tfCropAndResize' go together");
  if (roi === undefined) return axes.map(() => undefined);
  const value = elementwise.convert(isValue(roi) ? roi : constantFrom(state, roi, 'resize'), 'f64');
  if (value.rank !== 1 || dimsOf(value)[0] !== 2 * axes.length)
    expected('resize', `${2 * axes.length} numbers, all beginnings and then all ends,`, "option 'roi'", roi, 'ERR_SHAPE');
  const end = (/** @type {number} */ i) => movement.slice(value, i);
  return axes.map((_, i) => /** @type {const} */ ([end(i), end(axes.length + i)]));
}

/**
 * The operand, and the axes that are resized: those of space, unless others are said.
 *
 * @type {(x: unknown, axes: unknown, layout: unknown) => { state: GraphState, value: Value, dims: readonly number[], axes: number[] }}
 */
function operandOf(x, axes, layout) {
  if (axes === undefined) {
    const { spatial, ...image } = imageOf(x, layout, 'resize');
    return { ...image, axes: spatial };
  }
  if (layout !== undefined) fail('ERR_ARGUMENT', "resize: expected at most one of the options 'axes' and 'layout'");
  const state = graphOf([x], 'resize');
  const value = /** @type {Value} */ (x);
  return { state, value, dims: dimsOf(value), axes: readAxes(axes, value.rank, 'resize') };
}

const known = {
  size: given,
  scale: given,
  axes: given,
  mode: oneOf(['nearest', 'linear', 'cubic']),
  coordinates: nameIn(mappings),
  rounding: nameIn(rounders),
  cubicCoefficient: finite,
  antialias: boolean,
  excludeOutside: boolean,
  roi: given,
  extrapolationValue: finite,
  keepAspectRatioPolicy: nameIn({ stretch: 0, notLarger: 0, notSmaller: 0 }),
  layout: given,
};

/** @type {(x: unknown, options: unknown) => Value} */
function resize(x, options) {
  const read = readOptions('resize', options, known);
  const { antialias = false, excludeOutside = false, mode = 'nearest', coordinates = 'halfPixel' } = read;
  const { state, value, dims, axes } = operandOf(x, read.axes, read.layout);
  if (mode === 'nearest' && (antialias || excludeOutside))
    fail('ERR_ARGUMENT', "resize: options 'antialias' and 'excludeOutside' go with the modes 'linear' and 'cubic'");
  if (mode !== 'nearest' && dtypes[value.dtype].kind !== 'float')
    expected('resize', `a float Value for mode '${mode}'`, 'the operand', x, 'ERR_DTYPE');
  const own = axes.map((axis) => dims[axis]);
  const targets = targetsOf(state, axes, own, read);
  const crops = cropsOf(state, read.roi, axes, coordinates === 'tfCropAndResize');
  return axes.reduce((result, axis, i) => {
    const { size, factor } = targets[i];
    if (dims[axis] === 0 && size !== 0)
      fail('ERR_SHAPE', `resize: axis ${axis} is empty, so it cannot become ${state.text(size)}`);
    return along(result, axis, size, {
      mode, coordinates, antialias, excludeOutside, factor,
      rounding: read.rounding ?? 'preferFloor',
      coefficient: read.cubicCoefficient ?? -0.75,
      extrapolation: read.extrapolationValue ?? 0,
      crop: crops[i],
    });
  }, value);
}

/** Every operation here that becomes a method and a function, by name. */
const resizing = { resize: roundedOnce(resize) };

module.exports = { cubicWeights, resizing };
