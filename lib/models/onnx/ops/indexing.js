/**
 * Taking elements by index, putting them where indices say, and selecting them.
 *
 * How many elements a selection has is a size that depends on data, which graphs have; only inside of loops they do
 * not.
 */
'use strict';

const { joins } = require('../../../ops/movement.js');
const sizes = require('../../shared/sizes.js');
const { Known, Text } = require('../../shared/operands.js');
const { axisOf, neverEmpty, sliceAxes, takeable } = require('../../shared/slices.js');
const { labelsOf, rankedOf } = require('../../shared/texts.js');
const { moving, withoutZeros } = require('./shapes.js');

/** @typedef {import('../../shared/builder.js').Builder} Builder */
/** @typedef {import('../../shared/builder.js').Translation} Translation */

/** @type {(from: number, count: number) => number[]} */
const range = (from, count) => Array.from({ length: count }, (_, i) => from + i);

// ----------------------------------------------------------------------------- an index for each

/**
 * The axes beside one along which indices have fewer elements than what they index.
 *
 * @type {(x: any, indices: any, axis: number) => number[]}
 */
const shorterAxes = (x, indices, axis) => range(0, x.rank).filter((i) => i !== axis && x.shape[i] !== indices.shape[i]);

/** The part of a tensor that indices lie beside. @type {(x: any, indices: any, axes: readonly number[], cx: Builder) => any} */
const beside = (x, indices, axes, cx) =>
  sliceAxes(x, axes.map(() => 0), axes.map((axis) => indices.shape[axis]), axes, axes.map(() => 1), cx);

/** @type {Translation['translate']} */
function gatherElements(node, [data, indices], cx) {
  const [x, at] = [/** @type {any} */ (cx.value(data)), /** @type {any} */ (cx.value(indices))];
  const axis = axisOf(node.attr('axis', 0), x.rank, cx);
  const [from, places] = takeable(beside(x, at, shorterAxes(x, at, axis), cx), at, axis, cx);
  return from.takeAlongAxis(places, { axis });
}

/** Reductions of scatters as modes of graphs. @type {(node: any, dtype: string, cx: Builder) => string} */
function modeOf(node, dtype, cx) {
  const sums = dtype === 'bool' ? { add: 'max', mul: 'min' } : { add: 'add', mul: 'mul' };
  const modes = { none: 'set', ...sums, max: 'max', min: 'min' };
  const name = /** @type {keyof typeof modes} */ (node.attr('reduction', 'none'));
  return modes[name] ?? cx.fail('ERR_UNSUPPORTED', `reduction '${name}' is none of ${Object.keys(modes).join(', ')}`);
}

/** @type {Translation['translate']} */
function scatterElements(node, [data, indices, updates], cx) {
  const [x, at, given] = [data, indices, updates].map((each) => /** @type {any} */ (cx.value(each)));
  const axis = axisOf(node.attr('axis', 0), x.rank, cx);
  const shorter = shorterAxes(x, at, axis);
  const put = beside(x, at, shorter, cx).putAlongAxis(at, given, { axis, mode: modeOf(node, x.dtype, cx) });
  return shorter.length === 0 ? put : x.updateSlice(put, x.shape.map(() => 0));
}

// ------------------------------------------------------------------------------- index vectors

/** Indices below 0 count from the end. @type {(indices: any, own: readonly (number | string)[], cx: Builder) => any} */
function wrappedVectors(indices, own, cx) {
  const ends = /** @type {any} */ (cx.value(sizes.ofShape(own)));
  return indices.lt(0).select(indices.add(ends), indices);
}

/** @type {Translation['translate']} */
function gatherNd(node, [data, indices], cx) {
  const [x, at] = [/** @type {any} */ (cx.value(data)), /** @type {any} */ (cx.value(indices, 'i64'))];
  const batch = node.attr('batch_dims', 0);
  const count = at.shape.at(-1);
  if (typeof count !== 'number' || batch + count > x.rank) cx.fail('ERR_SHAPE', `index vectors have ${count} elements for a tensor of rank ${x.rank}`);
  const taken = range(batch, count);
  return neverEmpty(x, taken, cx).gather(wrappedVectors(at, x.shape.slice(batch, batch + count), cx), {
    window: x.shape.map((/** @type {any} */ size, /** @type {number} */ axis) => (axis < batch + count ? 1 : size)),
    offsetAxes: range(at.rank - 1, x.rank - batch - count),
    collapsedAxes: taken,
    operandBatch: range(0, batch),
    indicesBatch: range(0, batch),
    indexMap: taken,
  });
}

/** @type {Translation['translate']} */
function scatterNd(node, [data, indices, updates], cx) {
  const [x, at, given] = [data, indices, updates].map((each) => /** @type {any} */ (cx.value(each)));
  return x.scatterNd(at, given, { mode: modeOf(node, x.dtype, cx) });
}

// ------------------------------------------------------------------------------------ selection

/** @type {Translation['translate']} */
function nonZero(_, [x], cx) {
  const value = /** @type {any} */ (cx.value(x));
  if (withoutZeros.has(value) && value.rank === 1) return /** @type {any} */ (cx.iota(value.shape)).expandDims(0);
  return joins.stack((value.rank === 0 ? value.reshape([1]) : value).nonzero());
}

/** Rows where a condition holds; it may have fewer elements than there are rows. @type {Translation['translate']} */
function compress(node, [x, condition], cx) {
  const value = /** @type {any} */ (cx.value(x));
  const given = node.attr('axis');
  const source = given === undefined ? value.reshape([-1]) : value;
  const axis = axisOf(given ?? 0, source.rank, cx);
  if (condition instanceof Known) {
    const places = cx.ints(condition, 'the condition').flatMap((each, i) => (each ? [i] : []));
    return source.take(cx.constant(BigInt64Array.from(places, BigInt)), { axis });
  }
  const mask = /** @type {any} */ (cx.value(condition));
  const rows = mask.shape[0] === source.shape[axis] ? source : sliceAxes(source, [0], mask.shape, [axis], [1], cx);
  return rows.compress(mask, { axis });
}

/** @type {Translation['translate']} */
function topK(node, [x, k], cx) {
  const value = /** @type {any} */ (cx.value(x));
  const [given] = node.version < 10 ? [node.attr('k')] : cx.sizes(k, 'k');
  const axis = axisOf(node.attr('axis', -1), value.rank, cx);
  const isOpen = (/** @type {any} */ size) => cx.state.dependsOnData(cx.state.dim(size, 'k', 'load'));
  const order = { axis, largest: node.attr('largest', 1) === 1 };
  const count = isOpen(given) ? cx.int(cx.sizeValue(given), 'k') : given;
  // Whether a selection has as many is seen in a run: all are put in order, and cut off.
  const isSelection = isOpen(value.shape[axis]);
  const { values, indices } = value.topk(isSelection ? value.shape[axis] : count, order);
  if (!isSelection) return [values, indices];
  return [values, indices].map((each) => sliceAxes(each, [0], [count], [axis], [1], cx));
}

/** Values, where each comes from, which of them each element is, and how often each is there. @type {Translation['translate']} */
function unique(node, [x], cx) {
  if (x instanceof Text) {
    const { ranks, strings } = rankedOf(cx, x);
    const [values, ...rest] = unique(node, [ranks], cx);
    return [labelsOf(values, [strings]), ...rest];
  }
  const given = node.attr('axis');
  const axis = given === undefined ? {} : { axis: given };
  const found = /** @type {any} */ (cx.value(x)).uniqueAll({ ...axis, equalNaN: true, sorted: node.attr('sorted', 1) === 1 });
  return [found.values, found.indices, found.inverseIndices.reshape([-1]), found.counts];
}

// -------------------------------------------------------------------------------------- one-hot

/** Indices out of range give a row of `off`. @type {Translation['translate']} */
function oneHot(node, [indices, depth, values], cx) {
  const given = /** @type {any} */ (cx.value(indices));
  const [size] = cx.sizes(depth, 'the depth');
  const ends = /** @type {any} */ (cx.value(cx.sizeValue(size)));
  const whole = given.dtype === 'i64' ? given : given.astype('i64');
  const at = whole.lt(0).select(whole.add(ends), whole);
  const [off, on] = [0, 1].map((i) => /** @type {any} */ (cx.value(values)).slice(i));
  return at.oneHot(size, { axis: node.attr('axis', -1), on, off, dtype: on.dtype });
}

/** @type {import('./index.js').Tables} */
const ops = {
  'ai.onnx': {
    GatherElements: moving(gatherElements), GatherND: moving(gatherNd),
    Scatter: moving(scatterElements), ScatterElements: moving(scatterElements), ScatterND: moving(scatterNd),
    NonZero: nonZero, Compress: moving(compress), TopK: topK, Unique: unique,
    OneHot: oneHot,
  },
};

module.exports = { ops };
