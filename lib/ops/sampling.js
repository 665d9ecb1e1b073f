/**
 * Elements of images at places that data says: grids of places, affine grids, and regions of interest.
 *
 * A place has a fraction, so a result is a sum of neighbours: each is a gather of an element per channel, times its
 * weight, which is arithmetic on the place. So sizes of images, of grids and how many regions there are may be
 * symbolic. Places are computed in f32, in f64 where they come in it; weights are rounded to the dtype of the image.
 *
 * Places and paddings are those of PyTorch's `grid_sample` and ONNX's GridSample; these differ for cubic weights less
 * than an element beyond a border, where this follows PyTorch: neighbours are clamped, the place itself is not.
 */
'use strict';

const { boolean, expected, integer, oneOf, positive, readOptions } = require('../base/check.js');
const { fail } = require('../base/errors.js');
const { append, constantOf, dimsOf, lift, stateOf } = require('../graph/value.js');
const { dtypes } = require('../tensor/dtypes.js');
const { camelCase, elementwise, roundedOnce, rows } = require('./elementwise.js');
const { indicesOf, sizeValue } = require('./indexing.js');
const { cubicWeights } = require('./resize.js');
const { allAxes, joins, movement, operandOf, reshapeTo } = require('./movement.js');
const { inDType, reductions } = require('./reductions.js');

/** @typedef {import('../graph/value.js').Value} Value */
/** @typedef {import('../graph/value.js').GraphState} GraphState */

/** Loaded late: trace/control.js needs the operations. @type {() => typeof import('../trace/control.js').control} */
const control = () => require('../trace/control.js').control;

const given = (/** @type {unknown} */ value) => value;

/** The dtype that places of some dtype are computed in. @type {(dtype: string) => 'f32' | 'f64'} */
const placeDType = (dtype) => (dtype === 'f64' ? 'f64' : 'f32');

/**
 * An image [batch, channels, spatial …] of floats, and something that goes with it.
 *
 * @param {unknown} x
 * @param {unknown} other
 * @param {string} which
 * @param {string} caller
 */
function imageAnd(x, other, which, caller) {
  const { state, values } = lift([x, other], caller, 0, (i) => (i === 0 ? 'the image' : which));
  const [image, beside] = values;
  for (const [i, value] of values.entries()) {
    if (dtypes[value.dtype].kind !== 'float')
      expected(caller, 'floats', i === 0 ? 'the image' : which, value, 'ERR_DTYPE');
  }
  if (image.rank < 3)
    fail('ERR_SHAPE', `${caller}: expected batch, channels and spatial axes, got shape ${state.shapeText(dimsOf(image))}`);
  return { state, image, beside, dims: dimsOf(image), spatial: allAxes(image.rank).slice(2) };
}

/** A size as a float. @type {(state: GraphState, dim: number, dtype: string, caller: string) => Value} */
const floatSize = (state, dim, dtype, caller) =>
  elementwise.convert(sizeValue(state, dim, 'i64', caller), dtype);

/** The element along the last axis. @type {(value: Value, index: number) => Value} */
const component = (value, index) =>
  movement.slice(value, ...dimsOf(value).slice(1).map(() => null), index);

/** One more axis, behind the first, for the channels. @type {(value: Value) => Value} */
const overChannels = (value) => movement.expandDims(value, 1);

/**
 * What is taken at index vectors: an element per channel, which become axis 1.
 *
 * @type {(image: Value, places: readonly Value[], batched: boolean) => Value}
 */
function elementsAt(image, places, batched) {
  const dims = dimsOf(image);
  const spatial = allAxes(dims.length).slice(2);
  const vectors = joins.stack(places.map((place) => elementwise.convert(place, 'i64')), { axis: -1 });
  return append(stateOf(image), 'gather', [image, vectors], {
    offset_axes: [1],
    collapsed_axes: batched ? spatial : [0, ...spatial],
    operand_batch: batched ? [0] : [],
    indices_batch: batched ? [0] : [],
    index_map: batched ? spatial : [0, ...spatial],
    window: dims.map((dim, axis) => (axis === 1 ? dim : 1)),
  });
}

// ------------------------------------------------------------------------------------------ grids

/** @typedef {{ size: Value, isInside: (place: Value) => Value, pad: (place: Value) => Value }} Ends of an axis */

/** Turned back at both ends as often as it takes. @type {(place: Value, low: Value, span: Value) => Value} */
function reflected(place, low, span) {
  const from = rows.abs(rows.sub(place, low));
  const rest = rows.rem(from, span);
  const odd = rows.eq(rows.rem(rows.floor(rows.div(from, span)), 2), 1);
  return rows.select(rows.eq(span, 0), 0, rows.add(rows.select(odd, rows.sub(span, rest), rest), low));
}

/** @type {(place: Value, size: Value) => Value} */
const clamped = (place, size) => rows.max(rows.min(place, rows.sub(size, 1)), 0);

/**
 * What stands for places beyond the ends; with zeros, they stay.
 *
 * @type {Record<string, (place: Value, size: Value, alignCorners: boolean) => Value>}
 */
const paddings = {
  zeros: (place) => place,
  border: clamped,
  reflection(place, size, alignCorners) {
    const low = alignCorners ? rows.mul(size, 0) : rows.sub(rows.mul(size, 0), 0.5);
    return clamped(reflected(place, low, alignCorners ? rows.sub(size, 1) : size), size);
  },
};

/** @typedef {{ place: Value, weight?: Value }} Tap an element along an axis */

/** @type {Record<string, (at: Value, pad: (place: Value) => Value) => Tap[]>} */
const modes = {
  nearest: (at, pad) => [{ place: rows.roundEven(pad(at)) }],
  linear(at, pad) {
    const padded = pad(at);
    const first = rows.floor(padded);
    const part = rows.sub(padded, first);
    return [rows.sub(1, part), part].map((weight, i) => ({ place: rows.add(first, i), weight }));
  },
  cubic(at, pad) {
    const first = rows.floor(at);
    const weights = cubicWeights(rows.sub(at, first), -0.75);
    return weights.map((weight, i) => ({ place: pad(rows.add(first, i - 1)), weight }));
  },
};

/** Every choice of one of each. @type {<T>(lists: readonly (readonly T[])[]) => T[][]} */
const choices = (lists) =>
  lists.reduce((/** @type {any[][]} */ heads, list) => heads.flatMap((head) => list.map((each) => [...head, each])), [[]]);

/** @type {(x: unknown, grid: unknown, options?: unknown) => Value} */
function gridSample(x, grid, options) {
  const caller = 'gridSample';
  const { mode = 'linear', padding = 'zeros', alignCorners = false } = readOptions(caller, options, {
    mode: oneOf(Object.keys(modes)),
    padding: oneOf(Object.keys(paddings)),
    alignCorners: boolean,
  });
  const { state, image, beside, dims, spatial } = imageAnd(x, grid, 'the grid', caller);
  const own = dimsOf(beside);
  if (beside.rank !== image.rank || own[0] !== dims[0] || own.at(-1) !== spatial.length) {
    const text = `a grid [batch, …, ${spatial.length}] for shape ${state.shapeText(dims)}`;
    fail('ERR_SHAPE', `${caller}: expected ${text}, got ${state.shapeText(own)}`);
  }
  const dtype = placeDType(beside.dtype);
  const places = inDType(beside, dtype);
  const axes = spatial.map((axis, i) => {
    const size = floatSize(state, dims[axis], dtype, caller);
    const part = component(places, spatial.length - 1 - i); // x, which goes along the last axis, comes first
    const steps = alignCorners ? rows.sub(size, 1) : size;
    const whole = rows.mul(rows.mul(rows.add(part, 1), 0.5), steps);
    const at = alignCorners ? whole : rows.sub(whole, 0.5);
    const taps = modes[mode](at, (place) => paddings[padding](place, size, alignCorners));
    return taps.map((tap) => ({ ...tap, inside: rows.and(rows.ge(tap.place, 0), rows.lt(tap.place, size)) }));
  });
  const terms = choices(axes).map((taps) => {
    const taken = elementsAt(image, taps.map(({ place }) => place), true);
    const weights = taps.flatMap(({ weight }) => weight ?? []);
    const weight = weights.length > 0 ? weights.reduce((all, each) => rows.mul(all, each)) : undefined;
    const term =
      weight === undefined ? taken : rows.mul(taken, overChannels(inDType(weight, image.dtype)));
    if (padding !== 'zeros') return term;
    const inside = taps.map((tap) => tap.inside).reduce((all, each) => rows.and(all, each));
    return rows.select(overChannels(inside), term, 0);
  });
  return terms.reduce((sum, term) => rows.add(sum, term));
}

/**
 * The middles of equal parts of [-1, 1], or with its ends.
 *
 * @type {(state: GraphState, size: number, dtype: string, alignCorners: boolean) => Value}
 */
function ticks(state, size, dtype, alignCorners) {
  const place = append(state, 'iota', [], { dtype, shape: [size], axis: 0 });
  const count = floatSize(state, size, dtype, 'affineGrid');
  if (!alignCorners) return rows.sub(rows.div(rows.add(rows.mul(place, 2), 1), count), 1);
  const steps = rows.sub(count, 1);
  return rows.select(rows.gt(steps, 0), rows.sub(rows.div(rows.mul(place, 2), rows.max(steps, 1)), 1), 0);
}

/** @type {(theta: unknown, size: unknown, options?: unknown) => Value} */
function affineGrid(theta, size, options) {
  const caller = 'affineGrid';
  const { alignCorners = false } = readOptions(caller, options, { alignCorners: boolean });
  const { state, value, dims } = operandOf(theta, caller);
  const sizes = state.dims(size, caller);
  const count = sizes.length;
  if (dtypes[value.dtype].kind !== 'float') expected(caller, 'floats', 'the matrices', theta, 'ERR_DTYPE');
  if (dims.length !== 3 || dims[1] !== count || dims[2] !== count + 1)
    fail(
      'ERR_SHAPE',
      `${caller}: expected matrices [batch, ${count}, ${count + 1}] for ${count} sizes, got ${state.shapeText(dims)}`,
    );
  const dtype = placeDType(value.dtype);
  const matrices = inDType(value, dtype);
  // [batch, 1 …, coordinates]
  const column = (/** @type {number} */ i) =>
    reshapeTo(state, component(matrices, i), [dims[0], ...sizes.map(() => 1), count]);
  const terms = sizes.map((own, axis) => {
    const along = [1, ...sizes.map((_, i) => (i === axis ? own : 1)), 1];
    return rows.mul(column(count - 1 - axis), reshapeTo(state, ticks(state, own, dtype, alignCorners), along));
  });
  const sum = terms.reduceRight((all, term) => rows.add(all, term));
  return inDType(rows.add(sum, column(count)), value.dtype);
}

// ---------------------------------------------------------------------------------------- regions

/**
 * What is known of the regions along one axis.
 *
 * @typedef {object} Bins
 * @property {Value} start of the first bin
 * @property {Value} step from bin to bin
 * @property {Value} samples in a bin
 * @property {number} count of bins
 * @property {Value} size of the axis
 */

/**
 * @type {(start: Value, end: Value, count: number, size: Value, ratio: number, isHalf: boolean) => Bins}
 */
function binsOf(start, end, count, size, ratio, isHalf) {
  const length = rows.sub(end, start);
  // without the half, a region is at least an element wide
  const step = rows.div(isHalf ? length : rows.max(length, 1), count);
  const all = () => constantOf(stateOf(step), ratio, step.dtype, 'the samples', 'roiAlign', [...dimsOf(step)]);
  return { start, step, samples: ratio > 0 ? all() : rows.ceil(step), count, size };
}

/**
 * Where the samples with one number lie in all bins, [regions, bins].
 *
 * @type {(bins: Bins, sample: Value) => Value}
 */
function samplesAt({ start, step, samples, count }, sample) {
  const state = stateOf(sample);
  const column = (/** @type {Value} */ value) => movement.expandDims(value, 1);
  const bin = append(state, 'iota', [], { dtype: start.dtype, shape: [1, count], axis: 1 });
  const own = rows.div(rows.mul(rows.add(elementwise.convert(sample, start.dtype), 0.5), step), samples);
  return rows.add(rows.add(column(start), rows.mul(bin, column(step))), column(own));
}

/** Two neighbours along an axis, where samples may be up to an element outside. @type {(at: Value, size: Value) => Tap[]} */
function neighbours(at, size) {
  const last = rows.sub(size, 1);
  const place = rows.min(rows.max(at, 0), last);
  const first = rows.floor(place);
  const part = rows.sub(place, first);
  return [
    { place: first, weight: rows.sub(1, part) },
    { place: rows.min(rows.add(first, 1), last), weight: part },
  ];
}

/** A value of each region, as [regions, 1, 1]. @type {(value: Value) => Value} */
const perRegion = (value) => movement.expandDims(movement.expandDims(value, -1), -1);

/**
 * The four weighted neighbours of the samples of all bins, [regions, channels, bins, bins], each 0 outside.
 *
 * @type {(image: Value, batch: Value, axes: readonly Bins[], at: readonly Value[]) => Value[]}
 */
function corners(image, batch, axes, at) {
  const state = stateOf(at[0]);
  const regions = dimsOf(at[0])[0];
  const shape = [regions, axes[0].count, axes[1].count];
  /** @type {(value: Value, axis: number) => Value} [regions, bins] along an axis of bins */
  const over = (value, axis) => movement.expandDims(value, axis === 0 ? 2 : 1);
  const full = (/** @type {Value} */ value) => append(state, 'broadcast', [value], { shape, axes: [0, 1, 2] });
  const inside = at
    .map((place, axis) => over(rows.and(rows.ge(place, -1), rows.le(place, axes[axis].size)), axis))
    .reduce((both, own) => rows.and(both, own));
  const taps = at.map((place, axis) => neighbours(place, axes[axis].size));
  return choices(taps).map((pair) => {
    const [y, x] = pair.map(({ place }, axis) => full(over(place, axis)));
    const taken = elementsAt(image, [full(elementwise.convert(perRegion(batch), y.dtype)), y, x], false);
    const [high, wide] = pair.map(({ weight }, axis) => over(/** @type {Value} */ (weight), axis));
    const weight = rows.select(inside, rows.mul(high, wide), 0);
    return rows.mul(taken, overChannels(inDType(weight, image.dtype)));
  });
}

const regionOptions = {
  size: given,
  scale: positive,
  samplingRatio: integer(0),
  mode: oneOf(['avg', 'max']),
  coordinates: /** @type {import('../base/check.js').Getter<string>} */ (
    (value, which, caller) =>
      oneOf(['halfPixel', 'outputHalfPixel'])(typeof value === 'string' ? camelCase(value) : value, which, caller)
  ),
};

/**
 * Regions [regions, 4] of floats, and the number of the image of each.
 *
 * @type {(state: GraphState, regions: Value, batch: unknown, caller: string) => Value}
 */
function batchOf(state, regions, batch, caller) {
  const indices = indicesOf(state, batch, caller);
  const [own, numbers] = [dimsOf(regions), dimsOf(indices)];
  if (own.length === 2 && own[1] === 4 && numbers.length === 1 && numbers[0] === own[0]) return indices;
  const texts = [own, numbers].map((dims) => state.shapeText(dims));
  return fail('ERR_SHAPE', `${caller}: expected regions [n, 4] and batch indices [n], got ${texts.join(' and ')}`);
}

/** @type {(x: unknown, regions: unknown, batchIndices: unknown, options: unknown) => Value} */
function roiAlign(x, regions, batchIndices, options) {
  const caller = 'roiAlign';
  const { size, scale = 1, samplingRatio = 0, mode = 'avg', coordinates = 'halfPixel' } = readOptions(
    caller, options, regionOptions,
  );
  const { state, image, beside, dims } = imageAnd(x, regions, 'the regions', caller);
  if (image.rank !== 4) fail('ERR_SHAPE', `${caller}: expected an image [n, c, h, w], got ${state.shapeText(dims)}`);
  const batch = batchOf(state, beside, batchIndices, caller);
  const counts = (Array.isArray(size) && size.length === 2 ? size : [size, size]).map((each) =>
    integer(1)(each, "option 'size'", caller),
  );
  const isHalf = coordinates === 'halfPixel';
  const dtype = placeDType(beside.dtype);
  const boxes = rows.sub(rows.mul(inDType(beside, dtype), scale), isHalf ? 0.5 : 0); // [x1, y1, x2, y2]
  const axes = counts.map((count, axis) => {
    const length = floatSize(state, dims[2 + axis], dtype, caller);
    return binsOf(component(boxes, 1 - axis), component(boxes, 3 - axis), count, length, samplingRatio, isHalf);
  });
  return pooled(image, batch, axes, mode);
}

/**
 * Mean or greatest of the samples of each bin. Regions have numbers of samples of their own, so the rounds are as many
 * as the region with the most needs.
 *
 * @type {(image: Value, batch: Value, axes: readonly Bins[], mode: string) => Value}
 */
function pooled(image, batch, axes, mode) {
  const state = stateOf(axes[0].start);
  const shape = [dimsOf(axes[0].start)[0], dimsOf(image)[1], axes[0].count, axes[1].count];
  const most = axes.map(({ samples }) => rows.max(elementwise.convert(reductions.max(samples), 'i64'), 0));
  const start = constantOf(state, mode === 'avg' ? 0 : -Infinity, image.dtype, 'the beginning', 'roiAlign', shape);
  const result = control().forLoop(
    0,
    rows.mul(most[0], most[1]),
    (/** @type {Value} */ round, /** @type {Value} */ sum) => {
      const numbers = [rows.div(round, most[1]), rows.rem(round, most[1])];
      const isOwn = axes
        .map(({ samples }, axis) => rows.lt(elementwise.convert(numbers[axis], samples.dtype), samples))
        .reduce((both, own) => rows.and(both, own));
      const at = axes.map((bins, axis) => samplesAt(bins, numbers[axis]));
      const parts = corners(image, batch, axes, at);
      const own = parts.reduce((all, part) => (mode === 'avg' ? rows.add(all, part) : rows.max(all, part)));
      const joined = mode === 'avg' ? rows.add(sum, own) : rows.max(sum, own);
      return rows.select(overChannels(perRegion(isOwn)), joined, sum);
    },
    start,
  );
  const count = axes.map(({ samples }) => rows.max(samples, 0)).reduce((all, own) => rows.mul(all, own));
  const over = (/** @type {Value} */ value) => overChannels(perRegion(value));
  if (mode === 'max') return rows.select(over(rows.gt(count, 0)), result, 0);
  return rows.div(result, over(inDType(rows.max(count, 1), image.dtype)));
}

/** Every operation here that becomes a method and a function, by name. */
const sampling = { affineGrid, gridSample: roundedOnce(gridSample), roiAlign: roundedOnce(roiAlign) };

module.exports = { sampling };
