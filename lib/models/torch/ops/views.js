/**
 * Ops whose result is a view of their operand: parts of it, and other shapes of the same elements.
 *
 * Each says how the whole looks after something was written to the view.
 */
'use strict';

const { append } = require('../../../graph/value.js');
const { Known, Sizes } = require('../../shared/operands.js');
const { bounded } = require('../guard.js');
const { Call: ArgumentsOf } = require('../call.js');
const sizes = require('../../shared/sizes.js');

/** @typedef {import('../call.js').Call} Call */
/** @typedef {import('../../shared/builder.js').Builder} Builder */
/** @typedef {number | string} Size */

const NO_END = 2 ** 31 - 1;

/** min(dim, length). @type {(dim: number, length: number, state: any) => number} */
function atMost(dim, length, state) {
  if (dim >= 0 && length >= 0) return Math.min(dim, length);
  return dim === length ? dim : state.sub(state.add(dim, length), state.max(dim, length));
}

/** A bound of a slice as a place from the front. @type {(bound: Size, length: number, state: any) => number} */
function placeOf(bound, length, state) {
  if (typeof bound === 'string') return atMost(state.dim(bound, 'a bound', 'load'), length, state);
  if (bound >= 0) return bound >= NO_END ? length : atMost(bound, length, state);
  return length >= 0 ? Math.max(length + bound, 0) : state.sub(state.max(length, -bound), -bound);
}

/** Some elements along an axis: a start, how many, and their distance, sizes of the graph. @typedef {{ axis: number, start: number, count: number, step: number }} Range */

/** @type {(value: any, range: Range, cx: Builder) => any} */
function part(value, { axis, start, count, step }, { state }) {
  const dims = state.dims([...value.shape], 'load');
  const along = (/** @type {number} */ own, /** @type {(axis: number) => number} */ other) => dims.map((_, i) => (i === axis ? own : other(i)));
  return append(state, 'slice', [value], { start: along(start, () => 0), shape: along(count, (i) => dims[i]), stride: along(step, () => 1) });
}

/** @type {(value: any, update: any, range: Range, cx: Builder) => any} the whole with a part replaced */
function replaced(value, update, { axis, start, count, step }, cx) {
  const { state } = cx;
  const shape = value.shape.map((/** @type {Size} */ size, /** @type {number} */ i) => (i === axis ? state.text(count) : size));
  const first = /** @type {any} */ (cx.sizeValue(state.text(start)));
  const whole = update.broadcastTo(shape);
  if (step === 1) return value.updateSlice(whole, value.shape.map((/** @type {Size} */ _, /** @type {number} */ i) => (i === axis ? first : 0)));
  const indices = /** @type {any} */ (cx.iota([state.text(count)], 'i64')).mul(step).add(first);
  return value.indexUpdate(indices, whole, { axis });
}

/** @type {(call: Call) => Range} */
function sliceRange(call) {
  const { state } = call.cx;
  const value = call.value();
  const axis = call.axis('dim', value.rank);
  const length = state.dim(value.shape[axis], 'a size', 'load');
  const step = call.int('step');
  if (step < 1) call.fail('ERR_ARGUMENT', `the step of a slice is ${step}`);
  const start = call.has('start') ? placeOf(call.size('start'), length, state) : 0;
  const stop = call.has('end') ? placeOf(call.size('end'), length, state) : length;
  const span = start === 0 ? stop : state.max(state.sub(stop, start), 0);
  return { axis, start, count: step === 1 ? span : state.floorDiv(state.add(span, step - 1), step), step };
}

/** @type {(call: Call, axis: number) => Range} one element */
function selectRange(call, axis) {
  const { state } = call.cx;
  const length = state.dim(call.value().shape[axis], 'a size', 'load');
  const index = call.size('index');
  const isOutside = typeof index === 'number' && length >= 0 && (index >= length || index < -length);
  if (isOutside) call.fail('ERR_SHAPE', `index ${index} is none of an axis of size ${length}`);
  const start = typeof index === 'string' ? state.dim(index, 'an index', 'load') : index < 0 ? state.sub(length, -index) : index;
  return { axis, start, count: 1, step: 1 };
}

/** Whether an index is known before data is. @type {(call: Call) => boolean} */
const isEarly = (call) => {
  const { index } = call.args;
  return typeof index === 'bigint' || index?.early === true || index instanceof Known;
};

/** @type {(call: Call) => { value: any, axis: number, index: any }} an index of data, counted from the front */
function dataIndex(call) {
  const value = call.value();
  const axis = call.axis('dim', value.rank);
  const index = call.value('index', 'i64').reshape([]);
  const length = call.cx.sizeValue(value.shape[axis]);
  return { value, axis, index: index.lt(0).select(index.add(length), index) };
}

const select = {
  /** @type {(call: Call) => any} */
  compute: (call) => {
    const value = call.value();
    const axis = call.axis('dim', value.rank);
    if (!isEarly(call)) return value.take(dataIndex(call).index, { axis });
    const one = part(value, selectRange(call, axis), call.cx);
    return one.reshape(without(value.shape, [axis]));
  },
  /** @type {(call: Call) => any} */
  sizes: (call) => (call.operand('self') instanceof Sizes ? sizes.take(call.operand('self'), call.operand('index')) : undefined),
  /** @type {(call: Call, update: any) => any} */
  view: (call, update) => {
    const value = call.value();
    const axis = call.axis('dim', value.rank);
    const one = update.broadcastTo(without(value.shape, [axis])).expandDims(axis);
    if (isEarly(call)) return replaced(value, one, selectRange(call, axis), call.cx);
    return value.updateSlice(one, value.shape.map((/** @type {Size} */ _, /** @type {number} */ i) => (i === axis ? dataIndex(call).index : 0)));
  },
};

const slice = {
  /** @type {(call: Call) => any} */
  compute: (call) => part(call.value(), sliceRange(call), call.cx),
  /** @type {(call: Call) => any} */
  sizes: (call) => {
    const [start, end] = [call.has('start') ? call.size('start') : 0, call.has('end') ? call.size('end') : NO_END];
    return typeof start === 'number' && typeof end === 'number' ? sizes.slice(call.operand('self'), start, end, call.int('step')) : undefined;
  },
  /** @type {(call: Call, update: any) => any} */
  view: (call, update) => replaced(call.value(), update, sliceRange(call), call.cx),
};

/** @type {(call: Call) => Range} */
function narrowRange(call) {
  const { state } = call.cx;
  const value = call.value();
  const axis = call.axis('dim', value.rank);
  const length = state.dim(value.shape[axis], 'a size', 'load');
  return { axis, start: placeOf(call.size('start'), length, state), count: state.dim(call.size('length'), 'a length', 'load'), step: 1 };
}

/** @type {(shape: readonly Size[], axes: readonly number[]) => Size[]} */
const without = (shape, axes) => shape.filter((_, axis) => !axes.includes(axis));

/** @type {(call: Call, update: any) => any} the same elements in the shape of the operand */
const restored = (call, update) => update.reshape([...call.value().shape]);

/** @type {(shapeFor: (call: Call, own: readonly Size[]) => readonly Size[]) => any} an op that gives the elements another shape */
const reshaping = (shapeFor) => ({
  compute: (/** @type {Call} */ call) => call.value().reshape([...shapeFor(call, call.value().shape)]),
  sizes: (/** @type {Call} */ call) => sizes.reshape(call.operand('self'), shapeFor(call, call.operand('self').shape)),
  view: restored,
});

/** @type {(order: (call: Call, rank: number) => number[]) => any} an op that exchanges axes */
const permuting = (order) => ({
  compute: (/** @type {Call} */ call) => call.value().permute(order(call, call.value().rank)),
  sizes: (/** @type {Call} */ call) => (call.operand('self').shape.length < 2 ? call.operand('self') : undefined),
  view: (/** @type {Call} */ call, /** @type {any} */ update) => {
    const axes = order(call, call.value().rank);
    return update.permute(axes.map((_, i) => axes.indexOf(i)));
  },
});

/** @type {(call: Call, rank: number) => number[]} */
function exchanged(call, rank) {
  const [a, b] = [call.axis('dim0', rank), call.axis('dim1', rank)];
  const order = Array.from({ length: rank }, (_, i) => i);
  if (rank > 0) [order[a], order[b]] = [order[b], order[a]];
  return order;
}

/** @type {(call: Call, rank: number) => number[]} */
function moved(call, rank) {
  const [from, to] = [call.ints('source').map((axis) => call.axisOf(axis, rank)), call.ints('destination').map((axis) => call.axisOf(axis, rank))];
  const rest = Array.from({ length: rank }, (_, i) => i).filter((axis) => !from.includes(axis));
  return Array.from({ length: rank }, (_, i) => (to.includes(i) ? from[to.indexOf(i)] : /** @type {number} */ (rest.shift())));
}

/** @type {(call: Call, own: readonly Size[]) => Size[]} */
function flattened(call, own) {
  if (own.length === 0) return [1];
  const [from, to] = [call.axis('start_dim', own.length), call.axis('end_dim', own.length)];
  const { state } = call.cx;
  const size = state.text(state.product(state.dims(own.slice(from, to + 1), 'load')));
  return [...own.slice(0, from), size, ...own.slice(to + 1)];
}

/** @type {(call: Call, own: readonly Size[]) => Size[]} */
function unflattened(call, own) {
  const axis = call.axis('dim', own.length);
  return [...own.slice(0, axis), ...inferred(call.sizes('sizes'), own[axis], call), ...own.slice(axis + 1)];
}

/** -1 stands for what is left of a size. @type {(given: readonly Size[], whole: Size, call: Call) => Size[]} */
function inferred(given, whole, { cx: { state } }) {
  const known = state.product(given.filter((size) => size !== -1).map((size) => state.dim(size, 'a size', 'load')));
  return given.map((size) => (size === -1 ? state.text(state.floorDiv(state.dim(whole, 'a size', 'load'), known)) : size));
}

/** @type {(call: Call, own: readonly Size[]) => Size[]} */
function squeezed(call, own) {
  if (!call.has('dim')) return own.filter((size) => size !== 1);
  const axes = call.ints('dim').map((axis) => call.axisOf(axis, own.length));
  const open = axes.find((axis) => typeof own[axis] === 'string');
  if (open !== undefined) call.fail('ERR_SHAPE', `whether size ${own[open]} is 1 decides how many axes there are`);
  return without(own, axes.filter((axis) => own[axis] === 1));
}

/** @type {(call: Call, own: readonly Size[]) => Size[]} */
function unsqueezed(call, own) {
  const axis = call.axis('dim', own.length + 1);
  return [...own.slice(0, axis), 1, ...own.slice(axis)];
}

/** @type {(call: Call, own: readonly Size[]) => Size[]} */
const asGiven = (call, own) => {
  const given = call.sizes('shape');
  if (given.length !== 1 || given[0] !== -1) return given;
  return flattened(new ArgumentsOf(call.name, { start_dim: 0n, end_dim: -1n }, call.cx), own);
};

/** @type {any} */
const reshape = reshaping(asGiven);
/** Also the bits as those of another dtype. */
const view = {
  ...reshape,
  /** @type {(call: Call) => any} */
  compute: (call) => (Array.isArray(call.args.shape) ? reshape.compute(call) : call.value().bitcast(call.dtype('shape'))),
};

/** @type {(call: Call) => any} repeated along new axes and those of size 1; -1 leaves a size as it is */
function expand(call) {
  const value = call.value();
  const given = call.sizes('size');
  const ahead = given.length - value.rank;
  return value.broadcastTo(given.map((size, axis) => (size === -1 ? value.shape[axis - ahead] : size)));
}

/** Parts along an axis, one behind the other. @type {(call: Call) => Range[]} */
function splitRanges(call) {
  const { state } = call.cx;
  const value = call.value();
  const axis = call.axis('dim', value.rank);
  const length = value.shape[axis];
  let start = 0;
  return partSizes(call, length).map((size) => {
    const count = state.dim(size, 'a part', 'load');
    const range = { axis, start, count, step: 1 };
    start = state.add(start, count);
    return range;
  });
}

/** @type {(call: Call, length: Size) => Size[]} how long the parts are */
function partSizes(call, length) {
  if (Array.isArray(call.args.split_size)) return call.sizes('split_size');
  if (typeof length === 'string') return call.fail('ERR_SHAPE', `into how many parts it is split depends on size ${length}`);
  const size = call.has('chunks') ? Math.max(1, Math.ceil(length / call.int('chunks'))) : call.int('split_size');
  if (size < 1) return call.fail('ERR_ARGUMENT', `a part has size ${size}`);
  return Array.from({ length: bounded(Math.max(1, Math.ceil(length / size)), 'parts') }, (_, i) => Math.min(size, length - i * size));
}

/** In that many parts, the first ones larger, or between places. @type {(call: Call) => Range[]} */
function tensorSplitRanges(call) {
  const value = call.value();
  const axis = call.axis('dim', value.rank);
  const length = Number(value.shape[axis]);
  if (Number.isNaN(length)) return call.fail('ERR_SHAPE', `how it is split depends on size ${value.shape[axis]}`);
  const given = call.ints('sections');
  const isList = Array.isArray(call.args.sections);
  bounded(given[0], 'parts');
  const [share, rest] = [Math.floor(length / given[0]), length % given[0]];
  const evenly = (/** @type {number} */ i) => (i + 1) * share + Math.min(i + 1, rest);
  const places = isList ? given : Array.from({ length: given[0] - 1 }, (_, i) => evenly(i));
  const ends = [...places.map((place) => Math.min(Math.max(place < 0 ? place + length : place, 0), length)), length];
  return ends.map((end, i) => {
    const start = i === 0 ? 0 : ends[i - 1];
    return { axis, start, count: Math.max(end - start, 0), step: 1 };
  });
}

/** @type {(rangesOf: (call: Call) => Range[]) => any} */
const splitting = (rangesOf) => ({
  isList: true,
  compute: (/** @type {Call} */ call) => rangesOf(call).map((range) => part(call.value(), range, call.cx)),
  view: (/** @type {Call} */ call, /** @type {any} */ update, /** @type {number} */ i) => replaced(call.value(), update, rangesOf(call)[i], call.cx),
});

/** @type {(call: Call) => { axis: number, count: number, shape: Size[] }} */
function unbound(call) {
  const value = call.value();
  const axis = call.axis('dim', value.rank);
  const count = Number(value.shape[axis]);
  if (Number.isNaN(count)) return call.fail('ERR_SHAPE', `how many parts there are depends on size ${value.shape[axis]}`);
  return { axis, count: bounded(count, 'parts'), shape: without(value.shape, [axis]) };
}

const unbind = {
  isList: true,
  /** @type {(call: Call) => any} */
  compute: (call) => {
    const { axis, count, shape } = unbound(call);
    const one = (/** @type {number} */ start) => part(call.value(), { axis, start, count: 1, step: 1 }, call.cx);
    return Array.from({ length: count }, (_, start) => one(start).reshape(shape));
  },
  /** @type {(call: Call) => any} */
  sizes: (call) => {
    const { items, shape, dtype } = call.operand('self');
    return shape.length === 1 && items ? items.map((/** @type {any} */ item) => Sizes.of(dtype, [], [item])) : undefined;
  },
  /** @type {(call: Call, update: any, index: number) => any} */
  view: (call, update, start) => {
    const { axis, shape } = unbound(call);
    const one = update.broadcastTo(shape).expandDims(axis);
    return replaced(call.value(), one, { axis, start, count: 1, step: 1 }, call.cx);
  },
};

const same = { compute: (/** @type {Call} */ call) => call.operand('self'), sizes: (/** @type {Call} */ call) => call.operand('self'), fold: false, view: (/** @type {Call} */ _, /** @type {any} */ update) => update };

const diagonal = {
  /** @type {(call: Call) => any} */
  compute: (call) => {
    const { rank } = call.value();
    return call.value().diagonal({ offset: call.int('offset'), axes: [call.axis('dim1', rank), call.axis('dim2', rank)] });
  },
  /** @type {(call: Call, update: any) => any} */
  view: (call, update) => {
    const value = call.value();
    if (value.rank !== 2) return call.fail('ERR_UNSUPPORTED', 'only the diagonal of a matrix can be written to');
    const [rows, columns] = [call.cx.iota(value.shape, 'i64', 0), call.cx.iota(value.shape, 'i64', 1)];
    const places = /** @type {any} */ (columns).sub(rows).eq(call.int('offset'));
    const start = Math.max(-call.int('offset'), 0);
    const along = update.broadcastTo([...call.value().diagonal({ offset: call.int('offset') }).shape]).take(/** @type {any} */ (rows).sub(start).clip(0), { axis: 0 });
    return places.select(along, value);
  },
};

/** @type {import('./index.js').Ops} */
const ops = {
  'select(self, dim, index)': select,
  'slice(self, dim=0, start=None, end=None, step=1)': slice,
  'select_scatter(self, src, dim, index)': (call) => select.view(call, call.value('src', call.value().dtype)),
  'slice_scatter(self, src, dim=0, start=None, end=None, step=1)': (call) =>
    slice.view(call, call.value('src', call.value().dtype)),
  'narrow(self, dim, start, length)': {
    compute: (call) => part(call.value(), narrowRange(call), call.cx),
    view: (call, update) => replaced(call.value(), update, narrowRange(call), call.cx),
  },
  'view(self, shape|size|dtype)': view,
  'reshape(self, shape|size)': reshape, '_reshape_alias(self, shape|size, stride)': reshape,
  'view_as(self, other)': reshaping((call) => call.cx.shape(call.operand('other'))),
  'reshape_as(self, other)': reshaping((call) => call.cx.shape(call.operand('other'))),
  'flatten(self, start_dim=0, end_dim=-1)': reshaping(flattened),
  'ravel(self)': reshaping((call, own) => (own.length === 1 ? own : [-1])),
  'unflatten(self, dim, sizes)': reshaping(unflattened),
  'squeeze(self, dim=None)': reshaping(squeezed),
  'unsqueeze(self, dim)': reshaping(unsqueezed),
  'transpose(self, dim0|axis0, dim1|axis1)': permuting(exchanged),
  't(self)': permuting((_, rank) => Array.from({ length: rank }, (__, i) => rank - 1 - i)),
  'numpy_T(self)': permuting((_, rank) => Array.from({ length: rank }, (__, i) => rank - 1 - i)),
  'permute(self, dims)': permuting((call, rank) => call.ints('dims').map((axis) => call.axisOf(axis, rank))),
  'movedim(self, source, destination)': permuting(moved),
  'expand(self, size, *, implicit=False)': { compute: expand, view: (call) => call.fail('ERR_UNSUPPORTED', 'it writes to a tensor that repeats its elements') },
  'expand_as(self, other)': (call) => call.value().broadcastTo([...call.cx.shape(call.operand('other'))]),
  'detach(self)': same, 'alias(self)': same,
  'split(self, split_size|split_size_or_sections|split_sizes, dim=0)': splitting(splitRanges),
  'split_with_sizes(self, split_size|split_sizes, dim=0)': splitting(splitRanges),
  'chunk(self, chunks, dim=0)': splitting(splitRanges),
  'unsafe_split(self, split_size, dim=0)': splitting(splitRanges), 'unsafe_chunk(self, chunks, dim=0)': splitting(splitRanges),
  'tensor_split(self, sections|indices|tensor_indices_or_sections, dim=0)': splitting(tensorSplitRanges),
  'unbind(self, dim=0)': unbind,
  'diagonal(self, offset=0, dim1=0, dim2=1)': diagonal,
};

module.exports = { inferred, ops, part, without };
