/**
 * Ops on shapes, and what moves elements without computing: joins, repetitions, blocks.
 *
 * What a graph computes about shapes goes through these as sizes (shared/sizes.js), so that one graph serves all of
 * them.
 */
'use strict';

const sizes = require('../../shared/sizes.js');
const { Known, Sizes } = require('../../shared/operands.js');
const { listLength, timesSize } = require('../../shared/translations.js');
const { axisOf, broadcastShape, sliceAxes } = require('../../shared/slices.js');
const { append } = require('../../../graph/value.js');
const { joins } = require('../../../ops/movement.js');
const { asTensor } = require('../../../tensor/create.js');
const { Complex } = require('../operands.js');
const { moving } = require('./elementwise.js');

/** @typedef {import('../../shared/builder.js').Builder} Builder */
/** @typedef {import('../../shared/builder.js').Translation} Translation */
/** @typedef {number | string} Size */

/** Of complex tensors as well. @type {(operand: any, cx: Builder) => readonly Size[]} */
const shapeOf = (operand, cx) => cx.shape(operand instanceof Complex ? operand.re : operand);

/** @type {(name: string, read: (shape: readonly Size[], dtype: any) => any, initial: string) => Translation} what is said of a shape */
const aboutShape = (name, read, initial) => {
  const translate = (/** @type {any} */ node, /** @type {any[]} */ [x], /** @type {Builder} */ cx) => read(shapeOf(x, cx), node.attr(name, initial));
  return { fold: false, translate, sizes: translate };
};

const numberOf = (/** @type {number} */ number, /** @type {any} */ dtype) => Known.of(asTensor(dtype === 'i64' ? BigInt(number) : number, { dtype }));

const shape = aboutShape('out_type', (all, dtype) => sizes.ofShape(all, dtype), 'i32');
const size = aboutShape('out_type', (all, dtype) => sizes.reduceAll(sizes.ofShape(all, dtype), false, (a, b) => sizes.multiply(a, b, false), 1) ?? numberOf(1, dtype), 'i32');
const rank = aboutShape('', (all) => numberOf(all.length, 'i32'), '');
const shapeN = { translate: (/** @type {any} */ node, /** @type {any[]} */ inputs, /** @type {Builder} */ cx) => inputs.map((x) => sizes.ofShape(shapeOf(x, cx), node.attr('out_type', 'i32'))), fold: false };

/**
 * the same elements in another shape
 *
 * @type {(target: (node: any, shape: readonly Size[], inputs: any[], cx: Builder) => readonly Size[]) => Translation}
 */
const reshaping = (target) => ({
  translate: moving((node, inputs, cx) => {
    const to = target(node, cx.shape(inputs[0]), inputs, cx);
    return /** @type {any} */ (cx.value(inputs[0])).reshape([...to]);
  }).translate,
  sizes: (node, inputs, cx) => {
    const [x] = inputs;
    return x instanceof Sizes ? sizes.reshape(x, target(node, x.shape, inputs, cx)) : undefined;
  },
});

/** @type {(node: any, own: readonly Size[], cx: Builder) => readonly Size[]} */
function squeezed(node, own, cx) {
  const axes = [node.attr('squeeze_dims', node.attr('axis', []))].flat().map((/** @type {number} */ axis) => axisOf(axis, own.length, cx));
  return own.filter((each, axis) => (axes.length > 0 ? !axes.includes(axis) : each !== 1));
}

/** @type {(own: readonly Size[], axis: number, cx: Builder) => readonly Size[]} */
const expanded = (own, axis, cx) => own.toSpliced(axisOf(axis, own.length + 1, cx), 0, 1);

/** @type {(first: boolean) => Translation} the axis comes first or last */
const concat = (first) => ({
  translate: moving((_, inputs, cx) => {
    const axis = cx.int(first ? inputs[0] : inputs[inputs.length - 1], 'the axis');
    const rest = first ? inputs.slice(1) : inputs.slice(0, -1);
    return joins.concat(rest.map((each) => cx.value(each)), { axis });
  }).translate,
  sizes: (_, inputs) => sizes.concat(first ? inputs.slice(1) : inputs.slice(0, -1)),
});

/** @type {Translation} */
const pack = {
  translate: moving((node, inputs, cx) => joins.stack(inputs.map((each) => cx.value(each)), { axis: node.attr('axis', 0) })).translate,
  sizes: (_, inputs) => {
    const areNumbers = inputs.every((each) => each.shape.length === 0);
    return areNumbers ? sizes.concat(inputs.map((each) => sizes.reshape(each, [1]))) : undefined;
  },
};

/** @type {Translation} */
const unpack = {
  translate: moving((node, [x], cx) => /** @type {any} */ (cx.value(x)).unstack({ axis: node.attr('axis', 0) })).translate,
  sizes: (_, [x]) => (x.shape.length === 1 ? Array.from({ length: x.shape[0] }, (__, i) => sizes.take(x, numberOf(i, 'i32'))) : undefined),
};

/** @type {Translation['translate']} */
function tile(_, [x, counts], cx) {
  const value = /** @type {any} */ (cx.value(x));
  const by = cx.sizes(counts, 'the repetitions');
  if (by.every((each) => typeof each === 'number')) return value.tile(by);
  const spread = value.shape.flatMap((/** @type {Size} */ each, /** @type {number} */ i) => [by[i], each]);
  const apart = value.reshape(value.shape.flatMap((/** @type {Size} */ each) => [1, each])).broadcastTo(spread);
  return apart.reshape(value.shape.map((/** @type {Size} */ each, /** @type {number} */ i) => timesSize(cx, each, by[i])));
}

/** Parts along an axis. @type {(value: any, axis: number, lengths: readonly Size[], cx: Builder) => any[]} */
function parts(value, axis, lengths, cx) {
  /** @type {Size} */
  let at = 0;
  return lengths.map((length) => {
    const end = /** @type {Size} */ (sizes.sum(1)(at, length));
    const part = sliceAxes(value, [at], [end], [axis], [1], cx);
    at = end;
    return part;
  });
}

/** @type {Translation['translate']} */
function split(node, [along, x], cx) {
  const value = /** @type {any} */ (cx.value(x));
  const axis = axisOf(cx.int(along, 'the axis'), value.rank, cx);
  const count = listLength(node.attr('num_split', 1), 'the list of parts', cx);
  const length = value.shape[axis];
  if (count === 0) cx.fail('ERR_SHAPE', 'a tensor is split into no parts');
  if (typeof length === 'number' && length % count !== 0) cx.fail('ERR_SHAPE', `axis ${axis} has ${length} elements, which are not ${count} equal parts`);
  const each = typeof length === 'number' ? length / count : cx.state.text(cx.state.floorDiv(cx.state.dim(length, 'a size', 'load'), count));
  return parts(value, axis, Array(count).fill(each), cx);
}

/** @type {Translation['translate']} */
function splitV(_, [x, lengths, along], cx) {
  const value = /** @type {any} */ (cx.value(x));
  const axis = axisOf(cx.int(along, 'the axis'), value.rank, cx);
  const given = cx.sizes(lengths, 'the lengths');
  const rest = given.filter((each) => each !== -1).reduce((left, each) => /** @type {Size} */ (sizes.sum(-1)(left, each)), value.shape[axis]);
  return parts(value, axis, given.map((each) => (each === -1 ? rest : each)), cx);
}

/** Pairs of widths by axis. @type {(list: readonly any[]) => [any, any][]} */
function pairsOf(list) {
  return Array.from({ length: list.length / 2 }, (_, i) => [list[2 * i], list[2 * i + 1]]);
}

/** @type {(operand: any, cx: Builder) => [number, number][]} */
const pairs = (operand, cx) => pairsOf(cx.ints(operand, 'the paddings'));

/** @type {Translation['translate']} */
function pad(_, [x, widths, given], cx) {
  const value = /** @type {any} */ (cx.value(x));
  const by = pairsOf(cx.sizes(widths, 'the paddings'));
  if (by.length === 0) return value;
  const fill = /** @type {any} */ (given === undefined ? cx.constant(value.dtype === 'bool' ? false : 0, value.dtype) : cx.value(given));
  const known = by.map((pair) => (pair.some((each) => typeof each === 'string') ? [0, 0] : pair));
  const padded = known.some(([a, b]) => a !== 0 || b !== 0) ? value.pad(known, { value: fill }) : value;
  return by.reduce((result, pair, axis) => (known[axis] === pair ? result : between(result, pair, axis, fill)), padded);
}

/** With widths on both sides that a run knows. @type {(value: any, pair: readonly Size[], axis: number, fill: any) => any} */
function between(value, pair, axis, fill) {
  const [before, after] = pair.map((width) => fill.broadcastTo(value.shape.with(axis, width)));
  return joins.concat([before, value, after], { axis });
}

/**
 * What an axis has at its ends, mirrored. No more than it has: wider edges are refused, by a run where it knows the
 * size first.
 *
 * @type {Translation['translate']}
 */
function mirrorPad(node, [x, widths], cx) {
  const { state } = cx;
  const skip = node.attr('mode', 'REFLECT') === 'REFLECT' ? 1 : 0;
  return pairsOf(cx.sizes(widths, 'the paddings')).reduce((/** @type {any} */ value, pair, axis) => {
    const dims = state.dims(value.shape, 'load');
    const [before, after] = pair.map((width) => state.dim(width, 'a width', 'load'));
    const mirrored = (/** @type {any} */ start, /** @type {any} */ count) => {
      const from = dims.map((_, i) => (i === axis ? start : 0));
      const part = { start: from, shape: dims.with(axis, count), stride: dims.map(() => 1) };
      return /** @type {any} */ (append(state, 'slice', [value], part)).flip(axis);
    };
    const front = before === 0 ? [] : [mirrored(skip, before)];
    const back = after === 0 ? [] : [mirrored(state.sub(state.sub(dims[axis], after), skip), after)];
    return before === 0 && after === 0 ? value : joins.concat([...front, value, ...back], { axis });
  }, cx.value(x));
}

/** The batch into blocks of space, whose edges may be cut off. @type {Translation['translate']} */
function batchToSpace(_, [x, block, crops], cx) {
  const value = /** @type {any} */ (cx.value(x));
  const by = cx.ints(block, 'the blocks');
  const [batch, ...rest] = value.shape;
  const spatial = rest.slice(0, by.length);
  const others = rest.slice(by.length);
  const total = by.reduce((product, each) => product * each, 1);
  const count = cx.state.text(cx.state.floorDiv(cx.state.dim(batch, 'a size', 'load'), total));
  const apart = value.reshape([...by, count, ...rest]);
  const n = by.length;
  const order = [n, ...spatial.flatMap((/** @type {any} */ __, /** @type {number} */ i) => [n + 1 + i, i]), ...others.map((/** @type {any} */ __, /** @type {number} */ i) => 2 * n + 1 + i)];
  const whole = apart.permute(order).reshape([count, ...spatial.map((/** @type {Size} */ each, /** @type {number} */ i) => timesSize(cx, each, by[i])), ...others]);
  const cut = pairs(crops, cx);
  if (cut.every(([a, b]) => a === 0 && b === 0)) return whole;
  return whole.pad([[0, 0], ...cut.map(([a, b]) => [-a, -b]), ...others.map(() => [0, 0])]);
}

/** Blocks of space into the batch, after padding. @type {Translation['translate']} */
function spaceToBatch(_, [x, block, paddings], cx) {
  const given = /** @type {any} */ (cx.value(x));
  const by = cx.ints(block, 'the blocks');
  const widths = pairs(paddings, cx);
  const none = given.shape.slice(by.length + 1).map(() => [0, 0]);
  const value = widths.every(([a, b]) => a === 0 && b === 0) ? given : given.pad([[0, 0], ...widths, ...none]);
  const [batch, ...rest] = value.shape;
  const others = rest.slice(by.length);
  const n = by.length;
  const outer = rest.slice(0, n).map((/** @type {Size} */ each, /** @type {number} */ i) => cx.state.text(cx.state.floorDiv(cx.state.dim(each, 'a size', 'load'), by[i])));
  const apart = value.reshape([batch, ...outer.flatMap((/** @type {Size} */ each, /** @type {number} */ i) => [each, by[i]]), ...others]);
  const order = [...by.map((__, i) => 2 + 2 * i), 0, ...by.map((__, i) => 1 + 2 * i), ...others.map((/** @type {any} */ __, /** @type {number} */ i) => 1 + 2 * n + i)];
  const total = by.reduce((product, each) => product * each, 1);
  return apart.permute(order).reshape([timesSize(cx, batch, total), ...outer, ...others]);
}

/** The block of older ops, which is a square. @type {(node: any) => Known} */
const twice = (node) => Known.of(asTensor(Int32Array.of(node.attr('block_size', 2), node.attr('block_size', 2)), { dtype: 'i32' }));

/** @type {(method: string) => Translation['translate']} channels and blocks of space */
const blocks = (method) => (node, [x], cx) => {
  const value = /** @type {any} */ (cx.value(x));
  const by = node.attr('block_size', 2);
  return node.attr('data_format', 'NHWC') === 'NCHW' ? value[method](by) : value.permute([0, 3, 1, 2])[method](by).permute([0, 2, 3, 1]);
};

/** @type {Translation} */
const transpose = {
  translate: moving((_, [x, order], cx) => /** @type {any} */ (cx.value(x)).permute(cx.ints(order, 'the order'))).translate,
  sizes: (_, [x]) => (x.shape.length < 2 ? x : undefined),
};

/** @type {Translation['translate']} */
function reverseFlags(_, [x, flags], cx) {
  const value = /** @type {any} */ (cx.value(x));
  const axes = cx.numbers(flags, 'the axes').flatMap((flag, axis) => (flag ? [axis] : []));
  return axes.length === 0 ? value : value.flip(axes);
}

/** @type {Translation} */
const reverse = {
  translate: moving((_, [x, axes], cx) => {
    const list = cx.ints(axes, 'the axes');
    return list.length === 0 ? x : /** @type {any} */ (cx.value(x)).flip(list);
  }).translate,
  sizes: (_, [x]) =>
    x instanceof Sizes && x.shape.length === 1 ? new Sizes(x.dtype, x.shape, x.items.toReversed()) : undefined,
};

/** Where each of several tensors begins when they are joined. @type {Translation['translate']} */
function concatOffset(_, [along, ...shapes], cx) {
  const axis = cx.int(along, 'the axis');
  /** @type {Size} */
  let at = 0;
  return shapes.map((each) => {
    const own = cx.sizes(each, 'a shape');
    const start = own.map((__, i) => (i === axis ? at : 0));
    at = /** @type {Size} */ (sizes.sum(1)(at, own[axis]));
    return Sizes.of('i32', [own.length], start);
  });
}

/** @type {Translation['translate']} */
const commonShape = (node, [a, b], cx) => sizes.ofShape(broadcastShape(cx.sizes(a, 'a shape'), cx.sizes(b, 'a shape')), node.attr('T', 'i32'));
/** The shape that two shapes broadcast to. @type {Translation} */
const broadcastArgs = { translate: commonShape, sizes: commonShape };

/** @type {import('./index.js').Table} */
const ops = {
  BatchToSpace: (node, [x, crops], cx) => batchToSpace(node, [x, twice(node), crops], cx),
  SpaceToBatch: (node, [x, widths], cx) => spaceToBatch(node, [x, twice(node), widths], cx),
  Shape: shape, ShapeN: shapeN, Size: size, Rank: rank,
  Reshape: reshaping((_, __, [, to], cx) => cx.sizes(to, 'the shape')),
  Squeeze: reshaping((node, own, _, cx) => squeezed(node, own, cx)),
  ExpandDims: reshaping((_, own, [, axis], cx) => expanded(own, cx.int(axis, 'the axis'), cx)),
  Transpose: transpose, ConcatV2: concat(false), Concat: concat(true), ConcatOffset: concatOffset, Pack: pack,
  Unpack: unpack, Tile: moving(tile), Split: moving(split), SplitV: moving(splitV), Pad: moving(pad), PadV2: pad,
  MirrorPad: moving(mirrorPad), BatchToSpaceND: batchToSpace, SpaceToBatchND: spaceToBatch,
  DepthToSpace: blocks('depthToSpace'), SpaceToDepth: blocks('spaceToDepth'), Reverse: moving(reverseFlags), ReverseV2: reverse,
  BroadcastTo: {
    translate: (_, [x, to], cx) => /** @type {any} */ (cx.value(x)).broadcastTo(cx.sizes(to, 'the shape')),
    sizes: (_, [x, to], cx) => (x instanceof Sizes && to instanceof Known ? sizes.broadcastTo(x, cx.ints(to, 'the shape')) : undefined),
  },
  BroadcastArgs: broadcastArgs,
  Roll: (_, [x, shift, axis], cx) => /** @type {any} */ (cx.value(x)).roll(cx.ints(shift, 'the shift'), { axis: cx.ints(axis, 'the axes') }),
  InvertPermutation: (_, [x], cx) => /** @type {any} */ (cx.value(x)).argsort().astype(cx.dtype(x)),
};

module.exports = { ops, pairs };
