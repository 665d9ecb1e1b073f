/**
 * Slices, and elements read and written by index.
 */
'use strict';

const sizes = require('../../shared/sizes.js');
const { Known, Sizes } = require('../../shared/operands.js');
const { axisOf, sliceAxes, wrapped } = require('../../shared/slices.js');
const { append, isValue } = require('../../../graph/value.js');
const { joins } = require('../../../ops/movement.js');
const { Variable } = require('../operands.js');
const { moving } = require('./elementwise.js');

/** @typedef {import('../../shared/builder.js').Builder} Builder */
/** @typedef {import('../../shared/builder.js').Translation} Translation */
/** @typedef {number | string} Size */

/** Beyond every end. */
const FAR = 2 ** 31 - 1;

/** Elements of a vector that is known, or scalars of the graph. @type {(operand: any, which: string, cx: Builder) => any[]} */
function itemsOf(operand, which, cx) {
  if (!isValue(operand)) return cx.sizes(operand, which);
  const [length] = operand.shape;
  return typeof length === 'number' ? /** @type {any} */ (operand).unstack() : cx.ints(operand, which);
}

/** @type {(node: any, name: string) => (i: number) => boolean} */
const maskOf = (node, name) => {
  const mask = node.attr(name, 0);
  return (i) => ((mask >> i) & 1) === 1;
};

/** One axis of a StridedSlice. @typedef {{ axis: number, from: any, to: any, step: number, isIndex: boolean }} Part */

/**
 * What a StridedSlice takes of each axis, and where it puts new ones (null).
 *
 * @param {any} node
 * @param {number} rank
 * @param {any[]} from
 * @param {any[]} to
 * @param {number[]} steps
 * @param {Builder} cx
 * @returns {(Part | null)[]}
 */
function partsOf(node, rank, from, to, steps, cx) {
  const [begins, ends, dots, news, shrinks] = ['begin_mask', 'end_mask', 'ellipsis_mask', 'new_axis_mask', 'shrink_axis_mask'].map((name) => maskOf(node, name));
  const places = steps.map((_, i) => i);
  const used = places.filter((i) => !dots(i) && !news(i)).length;
  if (used > rank) cx.fail('ERR_SHAPE', `${used} axes are sliced of a tensor of rank ${rank}`);
  const all = (/** @type {number} */ axis) => ({ axis, from: 0, to: FAR, step: 1, isIndex: false });
  let axis = 0;
  /** @type {(Part | null)[]} */
  const parts = places.flatMap((i) => {
    if (dots(i)) return Array.from({ length: rank - used }, () => all(axis++));
    if (news(i)) return [null];
    const [step, isIndex] = [steps[i], shrinks(i)];
    const first = begins(i) && !isIndex ? (step > 0 ? 0 : FAR) : from[i];
    const last = ends(i) ? (step > 0 ? FAR : -FAR - 1) : to[i];
    return [{ axis: axis++, from: first, to: isIndex ? behind(first) : last, step: isIndex ? 1 : step, isIndex }];
  });
  while (axis < rank) parts.push(all(axis++));
  return parts;
}

/** The end of a slice of one element. @type {(index: any) => any} */
const behind = (index) => (index === -1 ? FAR : isValue(index) ? index : sizes.sum(1)(index, 1));

/** @type {Translation} */
const stridedSlice = {
  translate: moving((node, [x, begin, end, strides], cx) => {
    const value = /** @type {any} */ (cx.value(x));
    const steps = cx.ints(strides, 'the strides');
    const parts = partsOf(node, value.rank, itemsOf(begin, 'begin', cx), itemsOf(end, 'end', cx), steps, cx);
    return reshaped(taken(value, parts.filter((part) => part !== null), cx), parts);
  }).translate,
  sizes: (node, [x, begin, end, strides], cx) => {
    const isKnown = [begin, end, strides].every((each) => each instanceof Known);
    if (!(x instanceof Sizes) || x.shape.length !== 1 || !isKnown) return undefined;
    const parts = partsOf(node, 1, cx.ints(begin, 'begin'), cx.ints(end, 'end'), cx.ints(strides, 'the strides'), cx);
    const [part] = parts;
    if (parts.length !== 1 || part === null) return undefined;
    return part.isIndex ? sizes.take(x, Sizes.of('i32', [], [part.from])) : sizes.slice(x, part.from, part.to, part.step);
  },
};

/** @type {(value: any, parts: Part[], cx: Builder) => any} with all axes kept */
function taken(value, parts, cx) {
  const isData = (/** @type {Part} */ part) => isValue(part.from) || isValue(part.to);
  const fixed = parts.filter((part) => !isData(part) && !(part.from === 0 && part.to === FAR && part.step === 1));
  const sliced = fixed.reduce((/** @type {any} */ result, { axis, from, to, step }) => sliceAxes(result, [from], [to], [axis], [step], cx), value);
  return parts.filter(isData).reduce((/** @type {any} */ result, { axis, from, to, step, isIndex }) => {
    if (isIndex) return result.take(wrapped(from.reshape([1]), value.shape[axis], cx), { axis });
    const [start, stop] = [from, to].map((bound, i) => (isValue(bound) ? cx.int(bound, i === 0 ? 'begin' : 'end') : bound));
    return sliceAxes(result, [start], [stop], [axis], [step], cx);
  }, sliced);
}

/** @type {(value: any, parts: (Part | null)[]) => any} with axes of indices left out and new ones put in */
function reshaped(value, parts) {
  if (parts.every((part) => part !== null && !part.isIndex)) return value;
  const kept = parts.filter((part) => !part?.isIndex);
  return value.reshape(kept.map((part) => (part === null ? 1 : value.shape[part.axis])));
}

/**
 * As many elements from the beginning of an axis, which there are: where data says so, those behind make sure of it.
 *
 * @type {(value: any, length: string, axis: number, cx: Builder) => any}
 */
function firstOf(value, length, axis, cx) {
  const { state } = cx;
  const dim = state.dim(length, 'a size', 'load');
  const most = state.most(dim);
  if (!state.dependsOnData(dim) || most < 0) return sliceAxes(value, [0], [length], [axis], [1], cx);
  const longer = value.pad(value.shape.map((/** @type {any} */ _, /** @type {number} */ i) => [0, i === axis ? most : 0]));
  const shape = state.dims([...longer.shape], 'load').with(axis, dim);
  return append(state, 'slice', [longer], { start: shape.map(() => 0), shape, stride: shape.map(() => 1) });
}

/** @type {Translation} */
const slice = {
  translate: moving((_, [x, begin, size], cx) => {
    const value = /** @type {any} */ (cx.value(x));
    const lengths = cx.sizes(size, 'the sizes');
    if (isValue(begin) && lengths.every((each) => each !== -1)) {
      const starts = /** @type {any} */ (begin).unstack();
      return value.dynamicSlice(starts, lengths);
    }
    const from = cx.sizes(begin, 'begin');
    return from.reduce((/** @type {any} */ result, each, axis) => {
      if (each === 0 && typeof lengths[axis] === 'string') return firstOf(result, lengths[axis], axis, cx);
      const to = lengths[axis] === -1 ? FAR : /** @type {Size} */ (sizes.sum(1)(each, lengths[axis]));
      return sliceAxes(result, [each], [to], [axis], [1], cx);
    }, value);
  }).translate,
  sizes: (_, [x, begin, size], cx) => {
    if (!(x instanceof Sizes) || ![begin, size].every((each) => each instanceof Known)) return undefined;
    const [from, length] = [cx.int(begin, 'begin'), cx.int(size, 'the size')];
    return sizes.slice(x, from, length === -1 ? FAR : from + length, 1);
  },
};

/** With a row more where a run may find that there is none: nobody reads it. @type {(value: any, axis: number, cx: Builder) => any} */
function neverEmpty(value, axis, cx) {
  const dim = cx.state.dim(value.shape[axis], 'a size', 'load');
  if (!cx.state.dependsOnData(dim)) return value;
  return value.pad(value.shape.map((/** @type {any} */ _, /** @type {number} */ i) => [0, i === axis ? 1 : 0]));
}

/** Along an axis behind `count` axes that both have. @type {(value: any, indices: any, axis: number, count: number, cx: Builder) => any} */
function batchTake(value, indices, axis, count, cx) {
  if (count === 0) return neverEmpty(value, axis, cx).take(indices, { axis });
  const front = axis === count ? value : value.moveaxis(axis, count);
  const dtype = indices.dtype;
  const columns = Array.from({ length: count }, (_, i) => cx.iota(indices.shape, dtype, i));
  const found = front.gatherNd(joins.stack([...columns, indices], { axis: -1 }));
  if (axis === count) return found;
  const own = Array.from({ length: indices.rank - count }, (_, i) => count + i);
  return found.moveaxis(own, own.map((each) => each + axis - count));
}

/** @type {Translation} */
const gather = {
  translate: moving((node, [x, at, along], cx) => {
    const value = /** @type {any} */ (cx.value(x));
    const indices = /** @type {any} */ (cx.value(at));
    const axis = axisOf(along === undefined ? 0 : cx.int(along, 'the axis'), value.rank, cx);
    const count = node.attr('batch_dims', 0);
    return batchTake(value, indices, axis, count < 0 ? count + indices.rank : count, cx);
  }).translate,
  sizes: (_, [x, at]) => (x instanceof Sizes ? sizes.take(x, at) : undefined),
};

/** @type {(mode: string) => Translation['translate']} into a tensor that is there */
const scatterInto = (mode) => (_, [x, indices, updates], cx) => {
  const [value, given] = [/** @type {any} */ (cx.value(x)), /** @type {any} */ (cx.value(updates))];
  return value.scatterNd(cx.value(indices), mode === 'sub' ? given.neg() : given, { mode: mode === 'sub' ? 'add' : mode });
};

/** @type {Translation['translate']} */
function scatterNd(_, [indices, updates, shape], cx) {
  const given = /** @type {any} */ (cx.value(updates));
  return /** @type {any} */ (cx.constant(given.dtype === 'bool' ? false : 0, given.dtype, cx.sizes(shape, 'the shape'))).scatterNd(cx.value(indices), given, { mode: given.dtype === 'bool' ? 'or' : 'add' });
}

/** @type {Translation['translate']} */
function sparseToDense(_, [indices, shape, values, initial], cx) {
  const to = cx.sizes(shape, 'the shape');
  const places = /** @type {any} */ (cx.value(indices));
  const given = /** @type {any} */ (cx.value(values));
  const rows = places.rank === 2 ? places : places.reshape([-1, to.length]);
  const fill = /** @type {any} */ (initial === undefined ? cx.constant(0, given.dtype) : cx.value(initial));
  return fill.broadcastTo(to).scatterNd(rows, given.rank === 0 ? given.broadcastTo([rows.shape[0]]) : given);
}

/** @type {Translation['translate']} */
function reverseSequence(node, [x, lengths], cx) {
  return /** @type {any} */ (cx.value(x)).reverseSequence(cx.value(lengths), { axis: node.attr('seq_dim', 0), batchAxis: node.attr('batch_dim', 0) });
}

/** @type {import('./index.js').Table} */
const ops = {
  StridedSlice: stridedSlice, Slice: slice, GatherV2: gather, Gather: gather, 
  ResourceGather: (node, [x, ...rest], cx) =>
    gather.translate(node, [x instanceof Variable ? x.read() : x, ...rest], cx),
  GatherNd: moving((_, [x, indices], cx) => /** @type {any} */ (cx.value(x)).gatherNd(cx.value(indices))),
  ScatterNd: moving(scatterNd), SparseToDense: sparseToDense, TensorScatterUpdate: scatterInto('set'), TensorScatterAdd: scatterInto('add'),
  TensorScatterSub: scatterInto('sub'), TensorScatterMax: scatterInto('max'), TensorScatterMin: scatterInto('min'),
  ReverseSequence: reverseSequence,
};

module.exports = { neverEmpty, ops };
