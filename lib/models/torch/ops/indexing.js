/**
 * Ops that pick elements by index, and put them there.
 */
'use strict';

const { truth } = require('./elementwise.js');

/** @typedef {import('../call.js').Call} Call */
/** @typedef {number | string} Size */

/** Indices below 0 count from the end. @type {(call: Call, indices: any, length: Size) => any} */
function fromFront(call, indices, length) {
  if (/^u/.test(indices.dtype)) return indices.astype('i64');
  const whole = indices.astype('i64');
  return whole.lt(0).select(whole.add(call.cx.sizeValue(length)), whole);
}

/** A mask as the places where it is true, one vector for each of its axes. @type {(call: Call, given: any) => any[]} */
function indexVectors(call, given) {
  if (given === null || given === undefined) return [null];
  const value = call.lift(given, undefined, 'indices');
  return value.dtype === 'bool' || value.dtype === 'u8' ? truth(value).nonzero() : [value];
}

/**
 * Index tensors for axes, brought to one shape; where their axes go.
 *
 * @type {(call: Call, value: any) => { axes: number[], indices: any[], at: number }}
 */
function advanced(call, value) {
  const list = call.args.indices.flatMap((/** @type {any} */ each) => indexVectors(call, each));
  if (list.length > value.rank) call.fail('ERR_SHAPE', `${list.length} indices of a tensor of rank ${value.rank}`);
  const axes = list.flatMap((/** @type {any} */ each, /** @type {number} */ axis) => (each === null ? [] : [axis]));
  const indices = axes.map((/** @type {number} */ axis) => fromFront(call, list[axis], value.shape[axis]));
  const isTogether = axes.every((/** @type {number} */ axis, /** @type {number} */ i) => axis === axes[0] + i);
  return { axes, indices, at: isTogether ? axes[0] : 0 };
}

/** Indices as vectors along a last axis. @type {(indices: any[]) => any} */
function vectors(indices) {
  const { broadcastShape } = require('../../shared/slices.js');
  const shape = indices.reduce((all, { shape: own }) => broadcastShape(all, own), /** @type {Size[]} */ ([]));
  return require('../../../ops/movement.js').joins.stack(indices.map((each) => each.broadcastTo(shape)), { axis: shape.length });
}

/** The axes that are indexed first, then the others. @type {(rank: number, axes: readonly number[]) => number[]} */
const inFront = (rank, axes) => {
  const all = Array.from({ length: rank }, (_, i) => i);
  return [...axes, ...all.filter((axis) => !axes.includes(axis))];
};

/** @type {(call: Call) => any} x[i, j], with tensors for some axes */
function index(call) {
  const value = call.value();
  const { axes, indices, at } = advanced(call, value);
  if (axes.length === 0) return value;
  if (axes.length === 1) return value.take(indices[0], { axis: axes[0] });
  const picked = value.permute(inFront(value.rank, axes)).gatherNd(vectors(indices));
  return moveBlock(picked, Math.max(...indices.map(({ rank }) => rank)), at);
}

/** The first axes moved to where they belong. @type {(value: any, count: number, at: number) => any} */
function moveBlock(value, count, at) {
  if (at === 0) return value;
  const first = Array.from({ length: count }, (_, i) => i);
  return value.moveaxis(first, first.map((axis) => axis + at));
}

/** @type {(call: Call) => any} x[i, j] = values */
function indexPut(call) {
  const value = call.value();
  const given = call.args.indices;
  const values = call.value('values', value.dtype);
  const isMask = given.length === 1 && given[0] !== null && ['bool', 'u8'].includes(given[0].dtype);
  if (isMask && values.rank === 0 && !call.flag('accumulate')) {
    const mask = truth(call.lift(given[0], undefined, 'indices'));
    return mask.reshape([...mask.shape, ...Array(value.rank - mask.rank).fill(1)]).select(values, value);
  }
  const { axes, indices, at } = advanced(call, value);
  const order = inFront(value.rank, axes);
  const at0 = vectors(indices);
  const count = at0.rank - 1;
  const rest = order.slice(axes.length).map((axis) => value.shape[axis]);
  // Values come in the order of the result of x[i, j].
  const shape = [...rest.slice(0, at), ...at0.shape.slice(0, count), ...rest.slice(at)];
  const updates = moveFront(values.broadcastTo(shape), count, at);
  const permuted = value.permute(order).scatterNd(at0, updates, { mode: call.flag('accumulate') ? 'add' : 'set' });
  return permuted.permute(order.map((_, axis) => order.indexOf(axis)));
}

/** @type {(value: any, count: number, at: number) => any} */
function moveFront(value, count, at) {
  if (at === 0) return value;
  const first = Array.from({ length: count }, (_, i) => i);
  return value.moveaxis(first.map((axis) => axis + at), first);
}

/** @type {(call: Call) => any} an index for each element of the result */
function gather(call) {
  const value = call.value();
  const axis = call.axis('dim', value.rank);
  const indices = fromFront(call, call.value('index'), value.shape[axis]);
  return window(value, indices, axis).takeAlongAxis(indices, { axis });
}

/** The part of a tensor that indices reach along the other axes. @type {(value: any, indices: any, axis: number) => any} */
function window(value, indices, axis) {
  const fits = value.shape.every((/** @type {Size} */ size, /** @type {number} */ i) => i === axis || size === indices.shape[i]);
  if (fits) return value;
  return value.slice(...value.shape.map((/** @type {Size} */ size, /** @type {number} */ i) => (i === axis ? [0, size] : [0, indices.shape[i]])));
}

const REDUCTIONS = /** @type {const} */ ({ add: 'add', sum: 'add', multiply: 'mul', prod: 'mul', amax: 'max', amin: 'min' });

/** Elements put where an index for each of them says. @type {(mode: (call: Call) => string) => (call: Call) => any} */
const scatter = (mode) => (call) => {
  const value = call.value();
  const axis = call.axis('dim', value.rank);
  const indices = fromFront(call, call.value('index'), value.shape[axis]);
  const updates = call.value('src', value.dtype);
  const own = updates.rank === 0 ? updates.broadcastTo([...indices.shape]) : updates.slice(...indices.shape.map((/** @type {Size} */ size) => [0, size]));
  return scatterAt(value, indices, own, axis, mode(call), call);
};

/** @type {(value: any, indices: any, updates: any, axis: number, mode: string, call: Call) => any} */
function scatterAt(value, indices, updates, axis, mode, call) {
  const places = indices.shape.map((/** @type {Size} */ _, /** @type {number} */ i) => (i === axis ? indices : call.cx.iota(indices.shape, 'i64', i)));
  return value.scatterNd(vectors(places), updates, { mode });
}

/** @type {(call: Call) => string} */
const scatterMode = (call) => (call.has('reduce') ? call.choice('reduce', REDUCTIONS) : 'set');

/** @type {(method: 'indexUpdate' | 'indexAdd') => (call: Call) => any} slices put at indices along an axis */
const indexed = (method) => (call) => {
  const value = call.value();
  const axis = call.axis('dim', value.rank);
  const indices = fromFront(call, call.value('index'), value.shape[axis]);
  const source = call.value('source', value.dtype);
  const shape = value.shape.map((/** @type {Size} */ size, /** @type {number} */ i) => (i === axis ? indices.shape[0] : size));
  const scaled = call.has('alpha') && call.number('alpha') !== 1 ? source.mul(call.value('alpha', value.dtype)) : source;
  return value[method](indices, scaled.broadcastTo(shape), { axis });
};

/** @type {(call: Call) => any} */
function indexSelect(call) {
  const value = call.value();
  if (value.rank === 0) return value;
  const axis = call.axis('dim', value.rank);
  return value.take(call.value('index').reshape([-1]), { axis });
}

/** @type {(call: Call) => any} */
function maskedScatter(call) {
  const value = call.value();
  const mask = truth(call.value('mask')).broadcastTo([...value.shape]);
  const places = mask.reshape([-1]).astype('i64').cumulativeSum({ axis: 0 }).sub(1).clip(0);
  const source = call.value('source', value.dtype).reshape([-1]).take(places, { axis: 0 });
  return mask.select(source.reshape([...value.shape]), value);
}

/** @type {(call: Call) => any} */
function unique(call) {
  const value = call.value();
  const found = value.reshape([-1]).uniqueAll();
  return [found.values, found.inverseIndices.astype('i64').reshape([...value.shape]), found.counts.astype('i64')];
}

/** @type {import('./index.js').Ops} */
const ops = {
  'index(self, indices)': index,
  'index_put(self, indices, values, accumulate=False, unsafe=False)': indexPut,
  'index_select(self, dim, index)': indexSelect,
  'index_add(self, dim, index, source, *, alpha=1)': indexed('indexAdd'),
  'index_copy(self, dim, index, source)': indexed('indexUpdate'),
  'index_fill(self, dim, index, source|value)': indexed('indexUpdate'),
  'gather(self, dim, index, *, sparse_grad=False)': gather,
  'take_along_dim(self, index|indices, dim)': gather,
  'take(self, index)': (call) => call.value().reshape([-1]).take(call.value('index'), { axis: 0 }),
  'scatter(self, dim, index, src|value, *, reduce=None)': scatter(scatterMode),
  'scatter_add(self, dim, index, src)': scatter(() => 'add'),
  'scatter_reduce(self, dim, index, src, reduce, *, include_self=True)': (call) => {
    if (!call.flag('include_self')) call.fail('ERR_UNSUPPORTED', 'only with the elements that are there (include_self)');
    return scatter(scatterMode)(call);
  },
  'masked_select(self, mask)': (call) => call.value().broadcastTo([...require('../../shared/slices.js').broadcastShape(call.value().shape, call.value('mask').shape)]).maskedSelect(truth(call.value('mask')).broadcastTo([...call.value().shape])),
  'masked_scatter(self, mask, source)': maskedScatter,
  'nonzero(self)': (call) => call.value().argwhere(),
  'nonzero_numpy(self)': { isList: true, compute: (call) => call.value().nonzero() },
  'argwhere(self)': (call) => call.value().argwhere(),
  '_unique2(self, sorted=True, return_inverse=False, return_counts=False)': unique,
  '_unique(self, sorted=True, return_inverse=False)': unique,
  'one_hot(self, num_classes=-1)': (call) => {
    if (call.int('num_classes') < 0) call.fail('ERR_UNSUPPORTED', 'how many classes there are depends on data');
    return call.value().oneHot(call.size('num_classes'), { dtype: 'i64' });
  },
  'embedding(weight, indices, padding_idx=-1, scale_grad_by_freq=False, sparse=False)': (call) => call.value('weight').take(call.value('indices'), { axis: 0 }),
  'embedding_bag(weight, indices, offsets=None, scale_grad_by_freq=False, mode=0, sparse=False, per_sample_weights=None, include_last_offset=False, padding_idx=None)': embeddingBag,
  '_embedding_bag(weight, indices, offsets=None, scale_grad_by_freq=False, mode=0, sparse=False, per_sample_weights=None, include_last_offset=False, padding_idx=-1)': embeddingBag,
  'searchsorted(sorted_sequence, self, *, out_int32=False, right=False, side=None, sorter=None)': (call) => {
    if (call.value('sorted_sequence').rank !== 1) call.fail('ERR_UNSUPPORTED', 'only a sorted vector is searched');
    const side = call.flag('right') || call.args.side === 'right' ? 'right' : 'left';
    return call.value('sorted_sequence').searchsorted(call.value('self'), { side }).astype(call.flag('out_int32') ? 'i32' : 'i64');
  },
  'bucketize(self, boundaries, *, out_int32=False, right=False)': (call) => call.value().bucketize(call.value('boundaries'), { right: call.flag('right') }).astype(call.flag('out_int32') ? 'i32' : 'i64'),
  'isin(elements, test_elements, *, assume_unique=False, invert=False)': (call) => {
    const found = call.value('elements').isin(call.value('test_elements').reshape([-1]));
    return call.flag('invert') ? found.not() : found;
  },
};

const BAG_MODES = /** @type {const} */ (['sum', 'mean', 'max']);

/** Bags begin at offsets; a row belongs to the last one that begins at it or before. @type {(call: Call) => any} */
function embeddingBag(call) {
  const weight = call.value('weight');
  const indices = call.value('indices');
  const mode = BAG_MODES[call.int('mode')];
  const weights = call.optional('per_sample_weights');
  if (indices.rank === 2) return fourfold(weight.embeddingBag(indices, { mode, ...(weights ? { weights } : {}) }));
  const offsets = call.value('offsets');
  const bags = call.flag('include_last_offset') ? offsets.slice([0, -1]) : offsets;
  const places = call.cx.value(call.cx.iota(indices.shape, 'i64'));
  const segments = bags.astype('i64').searchsorted(places, { side: 'right' }).sub(1);
  const rows = weight.take(indices, { axis: 0 });
  const scaled = weights ? rows.mul(weights.expandDims(-1)) : rows;
  const count = bags.shape[0];
  if (mode === 'max') return fourfold(scaled.segmentMax(segments, count));
  const sum = scaled.segmentSum(segments, count);
  if (mode === 'sum') return fourfold(sum);
  const sizes = /** @type {any} */ (places).mul(0).add(1).astype(weight.dtype).segmentSum(segments, count);
  return fourfold(sum.div(sizes.max(1).expandDims(-1)));
}

/** The op gives three more tensors, which only training asks for. @type {(result: any) => any[]} */
const fourfold = (result) => [result, null, null, null];

module.exports = { ops };
