/**
 * Taking elements by index, and putting them where indices say.
 *
 * `gather` and the scatters are the primitives, with StableHLO's attributes; the others give these the
 * attributes for what NumPy, the array API and PyTorch have names for. Indices out of range are never an
 * error, since nobody knows them before a run: what takes clamps them to the nearest position, what
 * puts drops them. Negative indices count from the end, as in NumPy, except where the text of a function
 * says otherwise; one below -size is out of range.
 */
'use strict';

const { expected, integer, oneOf, readOptions } = require('../base/check.js');
const { fail } = require('../base/errors.js');
const {
  append, constantFrom, constantOf, dimsOf, graphOf, isScalar, isValue, lift, stateOf,
} = require('../graph/value.js');
const { dtypeName, dtypes } = require('../tensor/dtypes.js');
const { readAxis } = require('../tensor/views.js');
const { elementwise, roundedOnce, rows } = require('./elementwise.js');
const { allAxes, joins, movement, operandOf, reshapeTo } = require('./movement.js');
const { inDType, reductions, wide } = require('./reductions.js');

/** @typedef {import('../graph/value.js').Value} Value */
/** @typedef {import('../graph/value.js').GraphState} GraphState */
/** @typedef {import('../tensor/dtypes.js').DType} DType */

const given = (/** @type {unknown} */ value) => value;

// -------------------------------------------------------------------------------------- indices

/**
 * Indices as a value of an integer dtype; numbers and nested arrays of them are i64.
 *
 * @param {GraphState} state
 * @param {unknown} indices
 * @param {string} caller
 * @returns {Value}
 */
function indicesOf(state, indices, caller) {
  if (isScalar(indices)) return constantOf(state, indices, 'i64', 'the index', caller);
  const value = isValue(indices)
    ? indices
    : constantFrom(state, indices, caller, Array.isArray(indices) ? 'i64' : undefined);
  const { kind } = dtypes[value.dtype];
  if (kind === 'int' || kind === 'uint') return value;
  return expected(caller, 'integers', 'the indices', indices, 'ERR_DTYPE');
}

/**
 * What is indexed, the indices, and what goes there: numbers and nested arrays of them have the dtype of what is
 * indexed. At least one of the three is a Value.
 *
 * @param {unknown} x
 * @param {unknown} indices
 * @param {string} caller
 * @param {unknown} [updates]
 * @returns {{ state: GraphState, value: Value, indices: Value, updates: Value }} `updates` is `value` when there are none
 */
function operandsOf(x, indices, caller, updates = x) {
  const state = graphOf([x, indices, updates].find(isValue) === undefined ? [x] : [x, indices, updates], caller);
  const value = isValue(x) ? x : isScalar(x) ? notIndexed(x, caller) : constantFrom(state, x, caller);
  const where = indicesOf(state, indices, caller);
  if (updates === x) return { state, value, indices: where, updates: value };
  if (isValue(updates)) return { state, value, indices: where, updates };
  if (isScalar(updates)) {
    return { state, value, indices: where, updates: constantOf(state, updates, value.dtype, 'the updates', caller) };
  }
  const dtype = Array.isArray(updates) ? value.dtype : undefined;
  return { state, value, indices: where, updates: constantFrom(state, updates, caller, dtype) };
}

/** @type {(x: unknown, caller: string) => never} */
const notIndexed = (x, caller) => expected(caller, 'a Value, a Tensor or an array', 'what is indexed', x);

/**
 * A size as a scalar of an integer dtype.
 *
 * @type {(state: GraphState, dim: number, dtype: DType, caller: string) => Value}
 */
function sizeValue(state, dim, dtype, caller) {
  if (dim >= 0) return constantOf(state, dtypes[dtype].big ? BigInt(dim) : dim, dtype, 'the size', caller);
  const ones = constantOf(state, 1, 'i64', 'one', caller, [dim]);
  return inDType(append(state, 'reduce_sum', [ones], { axes: [0] }), dtype);
}

/** What holds both an index of a signed dtype and the size of its axis. @type {(dtype: DType, dim: number) => DType} */
const roomFor = (dtype, dim) => (dim >= 0 && dim <= Number(dtypes[dtype].max) ? dtype : 'i64');

/**
 * Negative indices into an axis of size `dim` as what they stand for.
 *
 * @type {(indices: Value, dim: number, caller: string) => Value}
 */
function wrapped(indices, dim, caller) {
  if (dtypes[indices.dtype].kind === 'uint') return indices;
  const state = stateOf(indices);
  const own = inDType(indices, roomFor(indices.dtype, dim));
  return rows.select(rows.lt(own, 0), rows.add(own, sizeValue(state, dim, own.dtype, caller)), own);
}

/** Index vectors of one element. @type {(indices: Value) => Value} */
const vectors = (indices) => movement.expandDims(indices, -1);

/** @type {(from: number, count: number) => number[]} */
const range = (from, count) => Array.from({ length: count }, (_, i) => from + i);

// ----------------------------------------------------------------------------------- primitives

/** @type {import('../base/check.js').Getter<number[]>} */
function axesOption(value, which, caller) {
  if (!Array.isArray(value)) return expected(caller, 'an array of axes', which, value);
  return Array.from(value, (axis) => integer(0)(axis, which, caller));
}

const roles = {
  offsetAxes: axesOption,
  collapsedAxes: axesOption,
  operandBatch: axesOption,
  indicesBatch: axesOption,
  indexMap: axesOption,
};

/** @type {(options: { [K in keyof typeof roles]?: number[] }) => Record<string, number[]>} */
const attributes = ({ offsetAxes = [], collapsedAxes = [], operandBatch = [], indicesBatch = [], indexMap = [] }) => ({
  offset_axes: offsetAxes,
  collapsed_axes: collapsedAxes,
  operand_batch: operandBatch,
  indices_batch: indicesBatch,
  index_map: indexMap,
});

/** @type {(x: unknown, indices: unknown, options: unknown) => Value} */
function gather(x, indices, options) {
  const { window, ...axes } = readOptions('gather', options, { window: given, ...roles });
  const { state, value, indices: where } = operandsOf(x, indices, 'gather');
  return append(state, 'gather', [value, where], { ...attributes(axes), window: state.dims(window ?? [], 'gather') });
}

/**
 * @type {(op: string, caller: string) => (x: unknown, indices: unknown, updates: unknown, options: unknown) => Value}
 */
const scatterer = (op, caller) => (x, indices, updates, options) => {
  const axes = readOptions(caller, options, roles);
  const { state, value, indices: where, updates: joined } = operandsOf(x, indices, caller, updates);
  return append(state, op, [value, where, joined], attributes(axes));
};

const primitives = {
  gather,
  scatter: scatterer('scatter', 'scatter'),
  scatterAdd: scatterer('scatter_add', 'scatterAdd'),
  scatterMul: scatterer('scatter_mul', 'scatterMul'),
  scatterMin: scatterer('scatter_min', 'scatterMin'),
  scatterMax: scatterer('scatter_max', 'scatterMax'),
  scatterAnd: scatterer('scatter_and', 'scatterAnd'),
  scatterOr: scatterer('scatter_or', 'scatterOr'),
};

/** How an update joins what is there, to the primitive. */
const modes = /** @type {const} */ ({
  set: 'scatter',
  add: 'scatter_add',
  mul: 'scatter_mul',
  min: 'scatter_min',
  max: 'scatter_max',
  and: 'scatter_and',
  or: 'scatter_or',
});
const mode = oneOf(/** @type {(keyof typeof modes)[]} */ (Object.keys(modes)));

// --------------------------------------------------------------------------------- along an axis

/**
 * The attributes of taking and putting along one axis: indices of any shape take the place of it.
 *
 * @param {number} rank
 * @param {number} axis
 * @param {number} own rank of the indices
 */
const alongAxis = (rank, axis, own) => ({
  offset_axes: [...range(0, axis), ...range(axis + own, rank - 1 - axis)],
  collapsed_axes: [axis],
  operand_batch: [],
  indices_batch: [],
  index_map: [axis],
});

/** @type {(value: Value, indices: Value, axis: number) => Value} */
function takeAlong(value, indices, axis) {
  const dims = dimsOf(value);
  return append(stateOf(value), 'gather', [value, vectors(indices)], {
    ...alongAxis(dims.length, axis, indices.rank),
    window: dims.with(axis, 1),
  });
}

/** @type {(op: string, value: Value, indices: Value, updates: Value, axis: number) => Value} */
function putAlong(op, value, indices, updates, axis) {
  const attrs = alongAxis(value.rank, axis, indices.rank);
  return append(stateOf(value), op, [value, vectors(indices), updates], attrs);
}

/** @type {(x: unknown, indices: unknown, options?: unknown) => Value} */
function take(x, indices, options) {
  const { axis } = readOptions('take', options, { axis: given });
  const { state, value, indices: where } = operandsOf(x, indices, 'take');
  const flat = axis === undefined && value.rank !== 1 ? reshapeTo(state, value, [state.product(dimsOf(value))]) : value;
  const along = axis === undefined ? 0 : readAxis(axis, value.rank, 'take');
  return takeAlong(flat, wrapped(where, dimsOf(flat)[along], 'take'), along);
}

/**
 * Indices of the rank of what they index, repeated along axes of size 1 other than `axis`, and the attributes
 * that go with them.
 *
 * @param {Value} value
 * @param {Value} indices
 * @param {unknown} axisGiven
 * @param {string} caller
 */
function besideAxis(value, indices, axisGiven, caller) {
  const [dims, own, rank] = [dimsOf(value), dimsOf(indices), value.rank];
  if (rank === 0) fail('ERR_SHAPE', `${caller}: a scalar has no axis to take along`);
  if (indices.rank !== rank) {
    fail('ERR_SHAPE', `${caller}: the indices have rank ${indices.rank}, but the operand has ${rank}`);
  }
  const axis = readAxis(axisGiven ?? -1, rank, caller);
  const state = stateOf(value);
  const shape = own.map((dim, i) => (i !== axis && dim === 1 ? dims[i] : dim));
  const other = allAxes(rank).filter((i) => i !== axis);
  const apart = other.find((i) => dims[i] !== 1 && dims[i] !== shape[i]);
  if (apart !== undefined) {
    const texts = `${state.shapeText(own)} and ${state.shapeText(dims)}`;
    fail('ERR_SHAPE', `${caller}: axis ${apart} of the shapes of indices and operand, ${texts}, differ`);
  }
  const batch = other.filter((i) => dims[i] === shape[i]);
  const attrs = {
    offset_axes: [],
    collapsed_axes: allAxes(rank).filter((i) => !batch.includes(i)),
    operand_batch: batch,
    indices_batch: batch,
    index_map: [axis],
  };
  return { attrs, shape, indices: vectors(sized(wrapped(indices, dims[axis], caller), shape)) };
}

/** @type {(value: Value, dims: readonly number[]) => Value} `value` repeated to the shape */
function sized(value, dims) {
  const own = dimsOf(value);
  if (own.length === dims.length && own.every((dim, i) => dim === dims[i])) return value;
  const lead = dims.length - own.length;
  return append(stateOf(value), 'broadcast', [value], { shape: dims, axes: own.map((_, i) => lead + i) });
}

/**
 * The same, refusing what does not broadcast.
 *
 * @type {(value: Value, dims: readonly number[], caller: string) => Value}
 */
function updatesSized(value, dims, caller) {
  const own = dimsOf(value);
  const state = stateOf(value);
  const lead = dims.length - own.length;
  if (lead < 0 || own.some((dim, i) => dim !== 1 && dim !== dims[lead + i])) {
    const texts = `${state.shapeText(own)} does not broadcast to ${state.shapeText(dims)}`;
    fail('ERR_SHAPE', `${caller}: the shape of the updates ${texts}`);
  }
  return sized(value, dims);
}

/** @type {(x: unknown, indices: unknown, options?: unknown) => Value} */
function takeAlongAxis(x, indices, options) {
  const { axis } = readOptions('takeAlongAxis', options, { axis: given });
  const { state, value, indices: where } = operandsOf(x, indices, 'takeAlongAxis');
  const { attrs, indices: all } = besideAxis(value, where, axis, 'takeAlongAxis');
  return append(state, 'gather', [value, all], { ...attrs, window: dimsOf(value).map(() => 1) });
}

/** @type {(x: unknown, lengths: unknown, options?: unknown) => Value} */
function reverseSequence(x, lengths, options) {
  const caller = 'reverseSequence';
  const { axis = 0, batchAxis = 1 } = readOptions(caller, options, { axis: integer(), batchAxis: integer() });
  const { state, value, indices: counts } = operandsOf(x, lengths, caller);
  const dims = dimsOf(value);
  const [along, batch] = [axis, batchAxis].map((each) => readAxis(each, dims.length, caller));
  const [count] = dimsOf(counts);
  if (along === batch) fail('ERR_ARGUMENT', `${caller}: options 'axis' and 'batchAxis' are the same`);
  if (counts.rank !== 1 || count !== dims[batch])
    fail(
      'ERR_SHAPE',
      `${caller}: expected lengths [${state.text(dims[batch])}], got ${state.shapeText(dimsOf(counts))}`,
    );
  const shape = dims.map((dim, i) => (i === along ? dim : 1));
  const place = append(state, 'iota', [], { dtype: 'i64', shape, axis: along });
  const length = reshapeTo(state, inDType(counts, 'i64'), dims.map((dim, i) => (i === batch ? dim : 1)));
  const from = rows.select(rows.lt(place, length), rows.sub(rows.sub(length, 1), place), place);
  return takeAlongAxis(value, from, { axis: along });
}

/** @type {(x: unknown, indices: unknown, updates: unknown, options?: unknown) => Value} */
function putAlongAxis(x, indices, updates, options) {
  const caller = 'putAlongAxis';
  const { axis, mode: how = 'set' } = readOptions(caller, options, { axis: given, mode });
  const { state, value, indices: where, updates: joined } = operandsOf(x, indices, caller, updates);
  const { attrs, shape, indices: all } = besideAxis(value, where, axis, caller);
  return append(state, modes[how], [value, all, updatesSized(joined, shape, caller)], attrs);
}

/**
 * @type {(op: string, caller: string) => (x: unknown, indices: unknown, updates: unknown, options?: unknown) => Value}
 */
const indexed = (op, caller) => (x, indices, updates, options) => {
  const { axis = 0 } = readOptions(caller, options, { axis: given });
  const { value, indices: own, updates: joined } = operandsOf(x, indices, caller, updates);
  const dims = dimsOf(value);
  const along = readAxis(axis, dims.length, caller);
  const where = wrapped(own, dims[along], caller);
  const shape = [...dims.slice(0, along), ...dimsOf(where), ...dims.slice(along + 1)];
  return putAlong(op, value, where, updatesSized(joined, shape, caller), along);
};

// ------------------------------------------------------------------------------- by index vectors

/**
 * Sizes of the first axes, as a vector beside index vectors.
 *
 * @type {(state: GraphState, dims: readonly number[], dtype: DType, caller: string) => Value}
 */
function sizesBeside(state, dims, dtype, caller) {
  if (dims.every((dim) => dim === dims[0])) return sizeValue(state, dims[0], dtype, caller);
  return joins.stack(dims.map((dim) => sizeValue(state, dim, dtype, caller)));
}

/**
 * Index vectors along the last axis of the indices, which go to the first axes of the operand.
 *
 * @param {Value} value
 * @param {Value} indices
 * @param {string} caller
 */
function byVectors(value, indices, caller) {
  const [dims, own] = [dimsOf(value), dimsOf(indices)];
  const count = own.at(-1) ?? -1;
  if (count < 0 || count > dims.length) {
    const state = stateOf(value);
    const texts = `${state.shapeText(own)}, but the operand ${state.shapeText(dims)}`;
    fail('ERR_SHAPE', `${caller}: index vectors lie along the last axis of the indices, which have shape ${texts}`);
  }
  const lead = own.length - 1;
  const attrs = {
    offset_axes: range(lead, dims.length - count),
    collapsed_axes: range(0, count),
    operand_batch: [],
    indices_batch: [],
    index_map: range(0, count),
  };
  const shape = [...own.slice(0, -1), ...dims.slice(count)];
  if (count === 0 || dtypes[indices.dtype].kind === 'uint') return { attrs, shape, indices, count };
  const state = stateOf(value);
  const dtype = dims.slice(0, count).reduce((/** @type {DType} */ room, dim) => roomFor(room, dim), indices.dtype);
  const room = inDType(indices, dtype);
  const sizes = sizesBeside(state, dims.slice(0, count), dtype, caller);
  return { attrs, shape, indices: rows.select(rows.lt(room, 0), rows.add(room, sizes), room), count };
}

/** @type {(x: unknown, indices: unknown) => Value} */
function gatherNd(x, indices) {
  const { state, value, indices: where } = operandsOf(x, indices, 'gatherNd');
  const { attrs, indices: all, count } = byVectors(value, where, 'gatherNd');
  const window = dimsOf(value).map((dim, axis) => (axis < count ? 1 : dim));
  return append(state, 'gather', [value, all], { ...attrs, window });
}

/** @type {(x: unknown, indices: unknown, updates: unknown, options?: unknown) => Value} */
function scatterNd(x, indices, updates, options) {
  const { mode: how = 'set' } = readOptions('scatterNd', options, { mode });
  const { state, value, indices: where, updates: joined } = operandsOf(x, indices, 'scatterNd', updates);
  const { attrs, shape, indices: all } = byVectors(value, where, 'scatterNd');
  return append(state, modes[how], [value, all, updatesSized(joined, shape, 'scatterNd')], attrs);
}

// -------------------------------------------------------------------------- tables and categories

/** @type {(x: unknown, depth: unknown, options?: unknown) => Value} */
function oneHot(x, depth, options) {
  const {
    axis = -1, dtype = 'f32', on = 1, off = 0,
  } = readOptions('oneHot', options, {
    axis: given,
    dtype: dtypeName,
    on: given,
    off: given,
  });
  const { state } = operandOf(x, 'oneHot');
  const indices = indicesOf(state, x, 'oneHot');
  const along = readAxis(axis, indices.rank + 1, 'oneHot');
  const size = state.dim(depth, 'the depth', 'oneHot');
  const places = append(state, 'iota', [], { dtype: indices.dtype, shape: [size], axis: 0 });
  const beside = reshapeTo(state, places, [size, ...range(0, indices.rank - along).map(() => 1)]);
  const hit = rows.eq(movement.expandDims(indices, along), beside);
  /** @type {(number: unknown, which: string) => Value} */
  const constant = (number, which) => {
    if (isValue(number)) return number;
    if (isScalar(number)) return constantOf(state, number, dtype, which, 'oneHot');
    return expected('oneHot', 'a number or a Value', which, number);
  };
  return rows.select(hit, constant(on, "option 'on'"), constant(off, "option 'off'"));
}

/** @type {(table: unknown, indices: unknown) => Value} */
function embedding(table, indices) {
  const { value, indices: where } = operandsOf(table, indices, 'embedding');
  readAxis(0, value.rank, 'embedding');
  return takeAlong(value, where, 0);
}

/** @type {(table: unknown, indices: unknown, options?: unknown) => Value} */
function embeddingBag(table, indices, options) {
  const { mode: how = 'sum', weights } = readOptions('embeddingBag', options, {
    mode: oneOf(['sum', 'mean', 'max']),
    weights: given,
  });
  const taken = embedding(table, indices);
  const { indices: where } = operandsOf(table, indices, 'embeddingBag');
  if (where.rank === 0)
    fail('ERR_SHAPE', 'embeddingBag: the indices of a bag lie along an axis, but they are a scalar');
  const axis = where.rank - 1;
  if (weights === undefined) return reductions[/** @type {"sum" | "mean" | "max"} */ (how)](taken, { axis });
  if (how !== 'sum') return expected('embeddingBag', "mode 'sum' beside weights", "option 'mode'", how);
  const { values } = lift([taken, weights], 'embeddingBag');
  const beside = range(0, taken.rank - values[1].rank).reduce((w) => movement.expandDims(w, -1), values[1]);
  return reductions.sum(rows.mul(taken, beside), { axis });
}

/**
 * Zeros of a shape, or another number.
 *
 * @type {(state: GraphState, dtype: DType, dims: number[], caller: string, value?: number | bigint | boolean) => Value}
 */
const filled = (state, dtype, dims, caller, value = 0) => constantOf(state, value, dtype, 'the start', caller, dims);

/** @type {(x: unknown, options: unknown) => Value} */
function bincount(x, options) {
  const { length, weights } = readOptions('bincount', options, { length: given, weights: given });
  const { state, dims } = operandOf(x, 'bincount');
  const indices = indicesOf(state, x, 'bincount');
  if (length === undefined)
    expected('bincount', 'a number of bins, as no size depends on data', "option 'length'", length);
  const size = state.dim(length, "option 'length'", 'bincount');
  const bins = reshapeTo(state, indices, [state.product(dims)]);
  if (weights === undefined) {
    const ones = constantOf(state, 1, 'i64', 'one', 'bincount', [...dimsOf(bins)]);
    return putAlong('scatter_add', filled(state, 'i64', [size], 'bincount'), bins, ones, 0);
  }
  const { values } = lift([x, weights], 'bincount');
  const flat = reshapeTo(state, updatesSized(values[1], dims, 'bincount'), dimsOf(bins).slice());
  return putAlong('scatter_add', filled(state, flat.dtype, [size], 'bincount'), bins, flat, 0);
}

/**
 * NumPy's way of finding bins of equal width: multiplied first, then put right by comparing with the
 * edges, so that an element on an edge is never in the wrong bin.
 *
 * @type {(x: unknown, options: unknown) => { counts: Value, edges: Value }}
 */
function histogram(x, options) {
  const {
    bins = 10, range: limits, weights,
  } = readOptions('histogram', options, {
    bins: integer(1, 2 ** 24),
    range: given,
    weights: given,
  });
  if (!Array.isArray(limits) || limits.length !== 2 || !limits.every(Number.isFinite) || limits[0] >= limits[1]) {
    return expected(
      'histogram',
      'two rising numbers [low, high], as no size depends on data',
      "option 'range'",
      limits,
    );
  }
  const [low, high] = limits;
  const { state, value } = operandOf(x, 'histogram');
  const floats = dtypes[value.dtype].kind === 'float' ? value : elementwise.convert(value, 'f64');
  // Rounded as NumPy's linspace does, since elements that are an edge go by it.
  const width = (high - low) / bins;
  const edges = Array.from({ length: bins + 1 }, (_, i) => (i === bins ? high : i * width + low));
  const limitsOf = constantFrom(state, edges, 'histogram', floats.dtype);
  const scaled = rows.mul(rows.sub(floats, low), bins / (high - low));
  const guess = rows.min(rows.max(elementwise.convert(scaled, 'i64'), 0), bins - 1);
  const below = rows.lt(floats, takeAlong(limitsOf, guess, 0));
  const next = rows.add(guess, 1);
  const above = rows.and(rows.ge(floats, takeAlong(limitsOf, next, 0)), rows.lt(next, bins));
  const bin = rows.add(guess, rows.sub(elementwise.convert(above, 'i64'), elementwise.convert(below, 'i64')));
  const inside = rows.and(rows.ge(floats, low), rows.le(floats, high));
  const counts = bincount(
    rows.select(inside, bin, -1),
    weights === undefined ? { length: bins } : { length: bins, weights },
  );
  return { counts, edges: limitsOf };
}

// ------------------------------------------------------------------------------------- segments

/** The least or greatest value of a dtype. @type {(dtype: DType, least: boolean) => number | bigint | boolean} */
function extremeOf(dtype, least) {
  const { kind, min, max } = dtypes[dtype];
  if (kind === 'float') return least ? -Infinity : Infinity;
  if (kind === 'bool') return !least;
  return least ? min : max;
}

/**
 * Rows of `x` by the number of their segment; what they are joined to is filled with `start`.
 *
 * @type {(x: unknown, segments: unknown, count: unknown, op: string, startOf: (dtype: DType) => number | bigint | boolean, caller: string) => Value}
 */
function segmented(x, segments, count, op, startOf, caller) {
  const { state, value, indices } = operandsOf(x, segments, caller);
  readAxis(0, value.rank, caller);
  const size = state.dim(count, 'the number of segments', caller);
  if (indices.rank !== 1) {
    fail(
      'ERR_SHAPE',
      `${caller}: expected a segment for each row, got segments of shape ${state.shapeText(dimsOf(indices))}`,
    );
  }
  const start = filled(state, value.dtype, [size, ...dimsOf(value).slice(1)], caller, startOf(value.dtype));
  return putAlong(op, start, indices, value, 0);
}

/** @type {(x: unknown, segments: unknown, count: unknown) => Value} */
const segmentSum = (x, segments, count) => {
  const { value } = operandsOf(x, segments, 'segmentSum');
  return segmented(inDType(value, wide(value.dtype)), segments, count, 'scatter_add', () => 0, 'segmentSum');
};

/** @type {(x: unknown, segments: unknown, count: unknown) => Value} */
const segmentProd = (x, segments, count) => {
  const { value } = operandsOf(x, segments, 'segmentProd');
  return segmented(inDType(value, wide(value.dtype)), segments, count, 'scatter_mul', () => 1, 'segmentProd');
};

/** @type {(x: unknown, segments: unknown, count: unknown) => Value} */
const segmentMax = (x, segments, count) =>
  segmented(x, segments, count, 'scatter_max', (dtype) => extremeOf(dtype, true), 'segmentMax');

/** @type {(x: unknown, segments: unknown, count: unknown) => Value} */
const segmentMin = (x, segments, count) =>
  segmented(x, segments, count, 'scatter_min', (dtype) => extremeOf(dtype, false), 'segmentMin');

/** @type {(x: unknown, segments: unknown, count: unknown) => Value} */
function segmentMean(x, segments, count) {
  const { state, value, indices } = operandsOf(x, segments, 'segmentMean');
  const floats = dtypes[value.dtype].kind === 'float' ? value : elementwise.convert(value, 'f64');
  const sums = segmented(floats, indices, count, 'scatter_add', () => 0, 'segmentMean');
  const sizes = bincount(indices, { length: count });
  const beside = reshapeTo(state, inDType(sizes, sums.dtype), [
    dimsOf(sizes)[0],
    ...range(0, sums.rank - 1).map(() => 1),
  ]);
  return rows.div(sums, beside);
}

/** @type {(x: unknown, choices: unknown) => Value} */
function choose(x, choices) {
  if (!Array.isArray(choices) || choices.length === 0)
    return expected('choose', 'an array of Values', 'the choices', choices);
  const { state } = operandOf(x, 'choose');
  const index = indicesOf(state, x, 'choose');
  const { values } = lift([index, ...choices], 'choose', choices.some(isValue) ? 1 : 0);
  return values
    .slice(1, -1)
    .reduceRight((rest, choice, i) => rows.select(rows.le(index, i), choice, rest), values[values.length - 1]);
}

/** Every operation here that becomes a method and a function, by name. */
const indexing = {
  ...primitives,
  bincount,
  choose,
  embedding,
  embeddingBag,
  gatherNd,
  histogram,
  indexAdd: indexed('scatter_add', 'indexAdd'),
  indexMax: indexed('scatter_max', 'indexMax'),
  indexMin: indexed('scatter_min', 'indexMin'),
  indexMul: indexed('scatter_mul', 'indexMul'),
  indexUpdate: indexed('scatter', 'indexUpdate'),
  oneHot,
  putAlongAxis,
  reverseSequence,
  scatterNd,
  segmentMax,
  segmentMean: roundedOnce(segmentMean),
  segmentMin,
  segmentProd,
  segmentSum,
  take,
  takeAlongAxis,
};

module.exports = { indexing, indicesOf, sizeValue };
