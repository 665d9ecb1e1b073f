/**
 * Pooling: windows over the spatial axes of images, reduced to their greatest element, mean or norm.
 *
 * Pools are the window primitives with a window of 1 along batch and channels, so every layout is as good as
 * another. How many elements a mean is of depends on its place where windows reach into padding; that is
 * arithmetic on the place, which the compiler joins with the division.
 */
'use strict';

const { boolean, expected, integer, oneOf, positive, readOptions } = require('../base/check.js');
const { fail } = require('../base/errors.js');
const { append, constantOf, dimsOf, stateOf } = require('../graph/value.js');
const { dtypes } = require('../tensor/dtypes.js');
const { elementwise, roundedOnce, rows } = require('./elementwise.js');
const { joins, movement, operandOf, reshapeTo } = require('./movement.js');
const { reductions } = require('./reductions.js');
const { SPATIAL, orderOf, paddingOf, perAxis, reachOf } = require('./windows.js');

/** @typedef {import('../graph/value.js').Value} Value */
/** @typedef {import('../graph/value.js').GraphState} GraphState */

const given = (/** @type {unknown} */ value) => value;

/**
 * A value with batch, channels and spatial axes; channels are axis 1 unless the layout says otherwise.
 *
 * @param {unknown} x
 * @param {unknown} layout
 * @param {string} caller
 */
function imageOf(x, layout, caller) {
  const operand = operandOf(x, caller);
  const { state, dims, rank } = operand;
  if (rank < 3)
    fail('ERR_SHAPE', `${caller}: expected batch, channels and spatial axes, got shape ${state.shapeText(dims)}`);
  const letters = SPATIAL[rank - 2];
  if (layout !== undefined && letters === undefined)
    fail('ERR_SHAPE', `${caller}: option 'layout' takes rank 3 to 5, got ${rank}`);
  const order = orderOf(layout, `NC${letters}`, "option 'layout'", caller) ?? dims.map((_, axis) => axis);
  return { ...operand, channel: order[1], spatial: order.slice(2) };
}

/** @typedef {{ axis: number, size: number, window: number, stride: number, dilation: number, lo: number, hi: number, extra: number, most?: number }} Slide */

/**
 * How much must be added behind an axis so that no element is left over; but no window begins behind the
 * padding in front and the elements. Of a size that is known later it is enough for all, and `most` says how many
 * places there are at most.
 *
 * @param {Slide} slide
 * @param {GraphState} state
 * @returns {{ extra: number, most?: number }}
 */
function ceilExtra({ size, window, stride, dilation, lo, hi }, state) {
  const reach = reachOf(window, dilation);
  if (size < 0) {
    if (reach >= stride + hi) return { extra: stride - 1 }; // any window that begins in range fits then
    return { extra: stride - 1, most: state.add(state.floorDiv(state.shifted(size, lo - 1), stride), 1) };
  }
  const room = size + lo + hi - reach;
  if (room < 0) return { extra: 0 };
  let last = Math.ceil(room / stride);
  if (last * stride >= size + lo) last -= 1;
  return { extra: Math.max(last * stride - room, 0) };
}

const poolOptions = { stride: given, padding: given, dilation: given, ceilMode: boolean, layout: given };

/**
 * Operand and windows of a pool.
 *
 * @param {unknown} x
 * @param {unknown} window
 * @param {{ stride?: unknown, padding?: unknown, dilation?: unknown, ceilMode?: boolean, layout?: unknown }} options
 * @param {string} caller
 */
function poolOf(x, window, { stride, padding, dilation = 1, ceilMode = false, layout }, caller) {
  const image = imageOf(x, layout, caller);
  const { state, dims, spatial } = image;
  const windows = perAxis(window, spatial.length, 1, 'the window', caller);
  const strides = stride === undefined ? windows : perAxis(stride, spatial.length, 1, "option 'stride'", caller);
  const dilations = perAxis(dilation, spatial.length, 1, "option 'dilation'", caller);
  const slides = spatial.map((axis, i) => ({
    size: dims[axis], window: windows[i], stride: strides[i], dilation: dilations[i],
  }));
  const ends = paddingOf(padding, slides, state, caller, 0);
  const padded = slides.map((slide, i) => {
    const [lo, hi] = ends[i];
    const own = { ...slide, axis: spatial[i], lo, hi, extra: 0 };
    return ceilMode ? { ...own, ...ceilExtra(own, state) } : own;
  });
  return { ...image, slides: padded };
}

/**
 * Attributes of the window primitives: 1 but along the axes that slide.
 *
 * @type {(rank: number, slides: readonly Slide[]) => Record<string, number[]>}
 */
function attrsOf(rank, slides) {
  /** @type {(otherwise: number, of: (slide: Slide) => number) => number[]} */
  const each = (otherwise, of) =>
    Array.from({ length: rank }, (_, axis) => {
      const slide = slides.find((own) => own.axis === axis);
      return slide === undefined ? otherwise : of(slide);
    });
  return {
    window: each(1, ({ window }) => window),
    stride: each(1, ({ stride }) => stride),
    lo: each(0, ({ lo }) => lo),
    hi: each(0, ({ hi, extra }) => hi + extra),
    base_dilation: each(1, () => 1),
    dilation: each(1, ({ dilation }) => dilation),
  };
}

/** @type {(op: string, value: Value, slides: readonly Slide[]) => Value} */
function reduced(op, value, slides) {
  const state = stateOf(value);
  const all = append(state, op, [value], attrsOf(value.rank, slides));
  const bounded = slides.filter(({ most }) => most !== undefined);
  if (bounded.length === 0) return all;
  const shape = [...dimsOf(all)];
  for (const { axis, most } of bounded) shape[axis] = least(state, shape[axis], Number(most));
  return append(state, 'slice', [all], { shape, start: shape.map(() => 0), stride: shape.map(() => 1) });
}

/** @type {(state: GraphState, a: number, b: number) => number} the smaller of two sizes */
const least = (state, a, b) => state.sub(state.add(a, b), state.max(a, b));

/** @type {(x: unknown, window: unknown, options?: unknown) => Value} */
function maxPool(x, window, options) {
  const { value, slides } = poolOf(x, window, readOptions('maxPool', options, poolOptions), 'maxPool');
  return reduced('window_max', value, slides);
}

// --------------------------------------------------------------------------------- positions

/**
 * The elements at one position of all windows.
 *
 * @type {(value: Value, slides: readonly Slide[], position: readonly number[], places: readonly number[]) => Value}
 */
function elementsAt(value, slides, position, places) {
  const along = (/** @type {number} */ axis) => slides.findIndex((slide) => slide.axis === axis);
  const dims = dimsOf(value);
  return append(stateOf(value), 'slice', [value], {
    start: dims.map((_, axis) => (along(axis) < 0 ? 0 : position[along(axis)] * slides[along(axis)].dilation)),
    stride: dims.map((_, axis) => (along(axis) < 0 ? 1 : slides[along(axis)].stride)),
    shape: dims.map((dim, axis) => (along(axis) < 0 ? dim : places[axis])),
  });
}

const MOST_POSITIONS = 1024;

/** All positions of a window in row-major order. @type {(slides: readonly Slide[], caller: string) => number[][]} */
function positionsOf(slides, caller) {
  const total = slides.reduce((product, { window }) => product * window, 1);
  if (total > MOST_POSITIONS)
    fail('ERR_ARGUMENT', `${caller}: expected at most ${MOST_POSITIONS} elements in the window, got ${total}`);
  return slides.reduce(
    (/** @type {number[][]} */ heads, { window }) =>
      heads.flatMap((head) => Array.from({ length: window }, (_, k) => [...head, k])),
    [[]],
  );
}

/** The value with the padding of the slides. @type {(value: Value, slides: readonly Slide[], fill: Value) => Value} */
function paddedFor(value, slides, fill) {
  const attrs = attrsOf(value.rank, slides);
  const pads = { lo: attrs.lo, hi: attrs.hi, interior: attrs.lo.map(() => 0) };
  return append(stateOf(value), 'pad', [value, fill], pads);
}

/** How many places windows have per axis. @type {(value: Value, slides: readonly Slide[]) => readonly number[]} */
const placesOf = (value, slides) => dimsOf(reduced('window_max', value, slides));

/** A size as an i64. @type {(state: GraphState, dim: number, caller: string) => Value} */
function sizeValue(state, dim, caller) {
  if (dim >= 0) return constantOf(state, dim, 'i64', 'a size', caller);
  return append(state, 'reduce_sum', [constantOf(state, 1, 'i64', 'one', caller, [dim])], { axes: [0] });
}

/**
 * The places along an axis, as many axes as the result has.
 *
 * @type {(state: GraphState, rank: number, axis: number, size: number) => Value}
 */
function placeIndex(state, rank, axis, size) {
  const shape = Array.from({ length: rank }, (_, i) => (i === axis ? size : 1));
  return append(state, 'iota', [], { dtype: 'i64', shape, axis });
}

/** How far a slide's window reaches. @type {(slide: { window: number, dilation: number }) => number} */
const reaches = ({ window, dilation }) => reachOf(window, dilation);

/**
 * Where the elements of the first two axes of a tensor begin, counted through all of it.
 *
 * @type {(state: GraphState, rank: number, outer: readonly number[], spatial: readonly number[]) => Value}
 */
function wholeIndex(state, rank, [batch, channels], spatial) {
  const [image, channel] = [batch, channels].map((size, axis) => placeIndex(state, rank, axis, size));
  const number = rows.add(rows.mul(image, sizeValue(state, channels, 'pools')), channel);
  return rows.mul(number, sizeValue(state, state.product(spatial), 'pools'));
}

const indexOptions = { ...poolOptions, order: oneOf(['rowMajor', 'columnMajor']), perChannel: boolean };

/**
 * The elements of a window are compared one after the other: a later one counts when it is greater, or the
 * first NaN. What is padding never counts; in a window of nothing else the index is -1.
 *
 * @type {(x: unknown, window: unknown, options?: unknown) => { values: Value, indices: Value }}
 */
function maxPoolWithIndices(x, window, options) {
  const caller = 'maxPoolWithIndices';
  const { order = 'rowMajor', perChannel = true, ...read } = readOptions(caller, options, indexOptions);
  const { state, value, slides, dims, rank } = poolOf(x, window, read, caller);
  if (!perChannel && read.layout !== undefined)
    fail('ERR_ARGUMENT', `${caller}: option 'perChannel' takes channels that are axis 1, without option 'layout'`);
  const counted = order === 'rowMajor' ? [...slides.entries()] : [...slides.entries()].reverse();
  const places = placesOf(value, slides);
  const isFloat = dtypes[value.dtype].kind === 'float';
  const valid = paddedFor(
    constantOf(state, true, 'bool', 'true', caller, [...dims]),
    slides,
    constantOf(state, false, 'bool', 'false', caller),
  );
  const padded = paddedFor(
    value,
    slides,
    constantOf(state, value.dtype === 'bool' ? false : 0, value.dtype, 'zero', caller),
  );
  /** @type {(position: readonly number[]) => Value} the flat index in a channel */
  const indexAt = (position) => {
    let index = constantOf(state, 0, 'i64', 'zero', caller);
    for (const [i, { axis, size, stride, dilation, lo }] of counted) {
      const at = rows.add(rows.mul(placeIndex(state, rank, axis, places[axis]), stride), position[i] * dilation - lo);
      index = rows.add(rows.mul(index, sizeValue(state, size, caller)), at);
    }
    return index;
  };
  /** @type {{ values: Value, indices: Value, found: Value } | undefined} */
  let best;
  for (const position of positionsOf(slides, caller)) {
    const own = elementsAt(padded, slides, position, places);
    const inside = elementsAt(valid, slides, position, places);
    const index = indexAt(position);
    if (best === undefined) {
      best = { values: own, indices: movement.broadcastTo(index, own.shape), found: inside };
      continue;
    }
    const greater = isFloat
      ? rows.or(rows.gt(own, best.values), rows.and(rows.isNan(own), rows.not(rows.isNan(best.values))))
      : rows.gt(own, best.values);
    const better = rows.and(inside, rows.or(rows.not(best.found), greater));
    best = {
      values: rows.select(better, own, best.values),
      indices: rows.select(better, index, best.indices),
      found: rows.or(best.found, inside),
    };
  }
  const { indices, found } = /** @type {NonNullable<typeof best>} */ (best);
  const sizes = slides.map(({ size }) => size);
  const whole = perChannel ? indices : rows.add(indices, wholeIndex(state, rank, dims.slice(0, 2), sizes));
  return { values: reduced('window_max', value, slides), indices: rows.select(found, whole, -1) };
}

/** @type {(x: unknown, window: unknown, options?: unknown) => Value} */
function unfold(x, window, options) {
  const caller = 'unfold';
  const {
    stride = 1, padding = 0, dilation = 1,
  } = readOptions(caller, options, { stride: given, padding: given, dilation: given });
  const { state, value, slides, dims, channel } = poolOf(x, window, { stride, padding, dilation }, caller);
  const places = placesOf(value, slides);
  const padded = paddedFor(
    value,
    slides,
    constantOf(state, value.dtype === 'bool' ? false : 0, value.dtype, 'zero', caller),
  );
  const spatial = slides.map(({ axis }) => places[axis]);
  const positions = positionsOf(slides, caller).map((position) => {
    const own = elementsAt(padded, slides, position, places);
    return reshapeTo(state, own, [dims[0], dims[channel], 1, ...spatial]);
  });
  const columns = append(state, 'concat', positions, { axis: 2 });
  return reshapeTo(state, columns, [dims[0], state.mul(dims[channel], positions.length), state.product(spatial)]);
}

// -------------------------------------------------------------------------------------- means

/** @type {(value: Value) => Value} */
const asFloat = (value) => (dtypes[value.dtype].kind === 'float' ? value : elementwise.convert(value, 'f64'));

/**
 * How many positions of the windows along an axis lie in [from, to), place by place.
 *
 * @param {GraphState} state
 * @param {number} rank
 * @param {Slide} slide
 * @param {number} places
 * @param {number} from
 * @param {Value} to
 * @returns {Value}
 */
function countAlong(state, rank, { axis, window, stride, dilation, lo }, places, from, to) {
  const begin = rows.sub(rows.mul(placeIndex(state, rank, axis, places), stride), lo);
  /** @type {(bound: Value) => Value} positions below the bound */
  const below = (bound) => {
    const room = rows.max(rows.sub(bound, begin), 0);
    return rows.min(dilation === 1 ? room : rows.div(rows.add(room, dilation - 1), dilation), window);
  };
  return rows.sub(below(to), below(constantOf(state, from, 'i64', 'the padding', 'avgPool')));
}

/** @type {(x: unknown, window: unknown, options?: unknown) => Value} */
function avgPool(x, window, options) {
  const caller = 'avgPool';
  const read = readOptions(caller, options, { ...poolOptions, countIncludePad: boolean });
  const { countIncludePad = true } = read;
  const { state, value, slides, dims, rank } = poolOf(x, window, read, caller);
  const sums = reduced('window_sum', asFloat(value), slides);
  const differs = (/** @type {Slide} */ { lo, hi, extra }) => extra > 0 || (!countIncludePad && (lo > 0 || hi > 0));
  const whole = slides.filter((slide) => !differs(slide)).reduce((product, slide) => product * slide.window, 1);
  let counts = constantOf(state, whole, 'i64', 'the window', caller);
  for (const slide of slides.filter(differs)) {
    const size = sizeValue(state, dims[slide.axis], caller);
    const [from, to] = countIncludePad ? [-slide.lo, rows.add(size, slide.hi)] : [0, size];
    counts = rows.mul(counts, countAlong(state, rank, slide, dimsOf(sums)[slide.axis], from, to));
  }
  return rows.div(sums, elementwise.convert(counts, sums.dtype));
}

/** @type {(x: unknown, window: unknown, options?: unknown) => Value} */
function lpPool(x, window, options) {
  const caller = 'lpPool';
  const { p = 2, ...rest } = readOptions(caller, options, { p: positive, ...poolOptions });
  const { value, slides } = poolOf(x, window, rest, caller);
  const floats = asFloat(value);
  const power = (/** @type {Value} */ of, /** @type {number} */ exponent) =>
    rows.pow(of, constantOf(stateOf(of), exponent, of.dtype, 'the power', caller));
  if (p === 1) return reduced('window_sum', rows.abs(floats), slides);
  if (p === 2) return rows.sqrt(reduced('window_sum', rows.mul(floats, floats), slides));
  return power(reduced('window_sum', power(rows.abs(floats), p), slides), 1 / p);
}

// ------------------------------------------------------------------------ over whole images

/**
 * @type {(caller: string, reduce: (x: Value, options: object) => Value) => (x: unknown, options?: unknown) => Value}
 */
const globalPool = (caller, reduce) => (x, options) => {
  const { layout, keepDims = true } = readOptions(caller, options, { layout: given, keepDims: boolean });
  const { value, spatial } = imageOf(x, layout, caller);
  return reduce(value, { axis: spatial, keepDims });
};

/**
 * One axis in `count` pieces, from the rounded down i · size / count to the rounded up (i + 1) · size /
 * count, each reduced. Where all have the same size they are windows.
 *
 * @param {Value} value
 * @param {number} axis
 * @param {number} count
 * @param {'window_sum' | 'window_max'} op
 * @param {(piece: Value, options: object) => Value} reduce
 * @returns {Value}
 */
function inPieces(value, axis, count, op, reduce) {
  const size = dimsOf(value)[axis];
  if (size % count === 0 && size > 0) {
    const window = size / count;
    return reduced(op, value, [{ axis, size, window, stride: window, dilation: 1, lo: 0, hi: 0, extra: 0 }]);
  }
  const ranges = Array.from({ length: count }, (_, i) => [
    Math.floor((i * size) / count),
    Math.ceil(((i + 1) * size) / count),
  ]);
  const pieces = ranges.map((range) => {
    const at = dimsOf(value).map((_, i) => (i === axis ? range : null));
    return reduce(movement.slice(value, ...at), { axis, keepDims: true });
  });
  return joins.concat(pieces, { axis });
}

/**
 * Elements in each piece of an axis.
 *
 * @type {(state: GraphState, rank: number, axis: number, size: number, count: number, value: Value) => Value}
 */
function pieceSizes(state, rank, axis, size, count, value) {
  const at = placeIndex(state, rank, axis, count);
  const end = rows.div(rows.add(rows.mul(rows.add(at, 1), size), count - 1), count);
  return elementwise.convert(rows.sub(end, rows.div(rows.mul(at, size), count)), value.dtype);
}

/** @type {(caller: string, isMean: boolean) => (x: unknown, size: unknown, options?: unknown) => Value} */
const adaptivePool = (caller, isMean) => (x, size, options) => {
  const { layout } = readOptions(caller, options, { layout: given });
  const { state, value, dims, rank, spatial } = imageOf(x, layout, caller);
  const read = integer(1);
  const wanted = Array.isArray(size) ? size : spatial.map(() => size);
  if (wanted.length !== spatial.length)
    expected(caller, `a number, or ${spatial.length} of them,`, 'the size', size, 'ERR_SHAPE');
  const unknown = spatial.find((axis) => dims[axis] <= 0);
  if (unknown !== undefined)
    fail('ERR_SHAPE', `${caller}: expected known sizes, but axis ${unknown} has ${state.text(dims[unknown])}`);
  let result = isMean ? asFloat(value) : value;
  for (const [i, axis] of spatial.entries()) {
    const count = wanted[i] === null ? dims[axis] : read(wanted[i], `the size of axis ${axis}`, caller);
    const reduce = isMean ? reductions.sum : reductions.max;
    result = inPieces(result, axis, count, isMean ? 'window_sum' : 'window_max', reduce);
    if (!isMean) continue;
    const even = dims[axis] % count === 0;
    const elements = even
      ? constantOf(state, dims[axis] / count, result.dtype, 'a size', caller)
      : pieceSizes(state, rank, axis, dims[axis], count, result);
    result = rows.div(result, elements);
  }
  return result;
};

/** Every operation here that becomes a method and a function, by name. */
const pools = {
  adaptiveAvgPool: roundedOnce(adaptivePool('adaptiveAvgPool', true)),
  adaptiveMaxPool: adaptivePool('adaptiveMaxPool', false),
  avgPool: roundedOnce(avgPool),
  globalAvgPool: globalPool('globalAvgPool', reductions.mean),
  globalMaxPool: globalPool('globalMaxPool', reductions.max),
  lpPool: roundedOnce(lpPool),
  maxPool,
  maxPoolWithIndices,
  unfold,
};

module.exports = { imageOf, placeIndex, pools, positionsOf, reaches, sizeValue, wholeIndex };
