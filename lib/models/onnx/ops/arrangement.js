/**
 * Parts of tensors and larger tensors made of them: Split, Pad, Tile, Trilu; running sums and products; bits as another
 * type.
 */
'use strict';

const { append } = require('../../../graph/value.js');
const { joins } = require('../../../ops/movement.js');
const sizes = require('../../shared/sizes.js');
const { Encoded, Sizes, isGiven } = require('../../shared/operands.js');
const { axisOf, sliceAxes } = require('../../shared/slices.js');
const { carrierOf, packedBits } = require('../../shared/storage-types.js');
const { elementTypes } = require('../schema.js');
const { moving } = require('./shapes.js');

/** @typedef {import('../../shared/builder.js').Builder} Builder */
/** @typedef {import('../../shared/builder.js').Translation} Translation */
/** @typedef {number | string} Size */

// ---------------------------------------------------------------------------------------- Split

/**
 * Sizes of parts: as given, or equal but for the last, as dims of the graph.
 *
 * @type {(node: any, given: any, length: number, cx: Builder) => number[]}
 */
function partsOf(node, given, length, cx) {
  const { state } = cx;
  const told = isGiven(given) ? cx.sizes(given, 'the sizes of parts') : node.attr('split');
  if (told !== undefined) return state.dims([...told], 'load');
  const count = node.attr('num_outputs', node.outputs.length);
  const even = state.floorDiv(length, count);
  if (state.mul(even, count) === length) return Array(count).fill(even);
  const part = state.floorDiv(state.add(length, count - 1), count);
  // What is left for a part, and nothing where those before it took all.
  return Array.from({ length: count }, (_, i) => {
    const left = state.max(state.sub(length, state.mul(part, i)), 0);
    return i === count - 1 ? left : lesser(left, part, state);
  });
}

/** @type {(a: number, b: number, state: Builder['state']) => number} */
const lesser = (a, b, state) => state.sub(state.add(a, b), state.max(a, b));

/** @type {Translation} */
const split = {
  translate: moving((node, [x, given], cx) => {
    const value = /** @type {any} */ (cx.value(x));
    const axis = axisOf(node.attr('axis', 0), value.rank, cx);
    const { state } = cx;
    const dims = state.dims(value.shape, 'load');
    let start = 0;
    return partsOf(node, given, dims[axis], cx).map((size) => {
      const at = start;
      start = state.add(start, size);
      return append(state, 'slice', [value], {
        start: dims.map((_, i) => (i === axis ? at : 0)), shape: dims.with(axis, size), stride: dims.map(() => 1),
      });
    });
  }),
  sizes: (node, [x, given], cx) => {
    if (!(x instanceof Sizes) || x.shape.length !== 1) return undefined;
    let start = 0;
    return partsOf(node, given, x.shape[0], cx).map((size) => sizes.slice(x, start, (start += size), 1));
  },
};

// ------------------------------------------------------------------------------------------ Pad

/** Edges before and after each axis. @type {(node: any, inputs: any[], rank: number, cx: Builder) => [Size, Size][]} */
function edgesOf(node, [, given, , axes], rank, cx) {
  const pads = node.version < 11 ? (node.attr('pads') ?? node.attr('paddings')) : cx.sizes(given, 'pads');
  const on = axes === undefined || axes === null ? Array.from({ length: rank }, (_, i) => i) : cx.ints(axes, 'axes');
  if (pads.length !== 2 * on.length) cx.fail('ERR_SHAPE', `there are ${pads.length} pads for ${on.length} axes`);
  /** @type {[Size, Size][]} */
  const edges = Array.from({ length: rank }, () => [0, 0]);
  on.forEach((/** @type {number} */ axis, /** @type {number} */ i) => (edges[axisOf(axis, rank, cx)] = [pads[i], pads[on.length + i]]));
  return edges;
}

/**
 * A tensor with less at its ends, where edges are below 0.
 *
 * @type {(value: any, edges: [Size, Size][], cx: Builder) => { trimmed: any, rest: [Size, Size][] }}
 */
function trim(value, edges, cx) {
  const isCut = (/** @type {Size} */ edge) => typeof edge === 'number' && edge < 0;
  const axes = edges.flatMap((pair, axis) => (pair.some(isCut) ? [axis] : []));
  const from = axes.map((axis) => (isCut(edges[axis][0]) ? -edges[axis][0] : 0));
  const to = axes.map((axis) => (isCut(edges[axis][1]) ? Number(edges[axis][1]) : 2 ** 31 - 1));
  const rest = /** @type {[Size, Size][]} */ (edges.map((pair) => pair.map((edge) => (isCut(edge) ? 0 : edge))));
  return { trimmed: sliceAxes(value, from, to, axes, axes.map(() => 1), cx), rest };
}

/** Blocks of a scalar at both ends of an axis. @type {(value: any, axis: number, pair: readonly Size[], fill: any) => any} */
function between(value, axis, pair, fill) {
  const block = (/** @type {Size} */ size) => fill.broadcastTo(value.shape.with(axis, size));
  return joins.concat([block(pair[0]), value, block(pair[1])], { axis });
}

/** @type {Translation['translate']} */
function pad(node, inputs, cx) {
  const value = /** @type {any} */ (cx.value(inputs[0]));
  const mode = node.attr('mode', 'constant');
  const edges = edgesOf(node, inputs, value.rank, cx);
  const { trimmed, rest } = trim(value, edges, cx);
  const isKnown = rest.every((pair) => pair.every((edge) => typeof edge === 'number'));
  if (mode !== 'constant') {
    const widths = rest.map((pair) => pair.map((edge) => (typeof edge === 'number' ? edge : cx.int(cx.sizeValue(edge), 'pads'))));
    return trimmed.pad(widths, { mode });
  }
  const given = node.version < 11 ? undefined : inputs[2];
  const zero = value.dtype === 'bool' ? false : node.version < 11 ? node.attr('value', 0) : 0;
  const fill = given === undefined || given === null ? cx.constant(zero, value.dtype) : /** @type {any} */ (cx.value(given)).reshape([]);
  if (isKnown) return trimmed.pad(rest, { value: fill });
  const isPadded = (/** @type {readonly Size[]} */ pair) => pair.some((edge) => edge !== 0);
  return rest.reduce((padded, pair, axis) => (isPadded(pair) ? between(padded, axis, pair, fill) : padded), trimmed);
}

// ----------------------------------------------------------------------------------------- Tile

/** @type {Translation} */
const tile = {
  translate: moving((node, [x, given, onAxis], cx) => {
    const value = /** @type {any} */ (cx.value(x));
    if (node.version >= 6) return value.tile(cx.sizes(given, 'repeats'));
    const axis = cx.int(onAxis, 'the axis');
    return value.tile(value.shape.map((/** @type {any} */ _, /** @type {number} */ i) => (i === axis ? cx.int(given, 'tiles') : 1)));
  }),
  sizes: (node, [x, given], cx) => {
    if (!(x instanceof Sizes) || x.shape.length !== 1 || node.version < 6) return undefined;
    const [count] = cx.sizes(given, 'repeats');
    return typeof count === 'number' && count > 0 ? sizes.concat(Array(count).fill(x)) : undefined;
  },
};

// -------------------------------------------------------------------- triangles, running sums

/** One triangle of matrices. @type {Translation['translate']} */
function trilu(node, [x, k], cx) {
  const value = /** @type {any} */ (cx.value(x));
  const shape = value.shape.slice(-2);
  const [row, column] = [0, 1].map((axis) => /** @type {any} */ (cx.iota(shape, 'i64', axis)));
  const offset = k === undefined || k === null ? 0 : /** @type {any} */ (cx.value(k)).reshape([]);
  const distance = column.sub(row);
  const kept = node.attr('upper', 1) === 1 ? distance.ge(offset) : distance.le(offset);
  return kept.select(value, value.dtype === 'bool' ? false : 0);
}

/** @type {(name: 'cumulateSum' | 'cumulateProd', nothing: number) => Translation['translate']} */
const running = (name, nothing) => (node, [x, given], cx) => {
  const value = /** @type {any} */ (cx.value(x));
  const axis = axisOf(cx.int(given, 'the axis'), value.rank, cx);
  const isReverse = node.attr('reverse', 0) === 1;
  const ordered = isReverse ? value.flip(axis) : value;
  const widths = value.shape.map((/** @type {any} */ _, /** @type {number} */ i) => (i === axis ? [1, -1] : [0, 0]));
  const before = node.attr('exclusive', 0) === 1 ? ordered.pad(widths, { value: nothing }) : ordered;
  const result = before[name](axis);
  return isReverse ? result.flip(axis) : result;
};

/** The same bits as another type. @type {Translation['translate']} */
function bitCast(node, [x], cx) {
  const to = elementTypes[node.attr('to')] ?? cx.fail('ERR_UNSUPPORTED', `type ${node.attr('to')} is unknown`);
  if (packedBits[to]) cx.fail('ERR_UNSUPPORTED', `no bits become ${to}`);
  const codes = x instanceof Encoded ? x.codes : x;
  const carrier = carrierOf(to);
  const value = /** @type {any} */ (cx.value(codes));
  const bits = value.dtype === 'bool' ? value.astype('u8') : value;
  if (to === 'bool') return bits.ne(0);
  const cast = bits.dtype === (carrier ?? to) ? bits : bits.bitcast(carrier ?? to);
  return carrier === undefined ? cast : new Encoded(to, cast);
}

/** @type {import('./index.js').Tables} */
const ops = {
  'ai.onnx': {
    Split: split, Pad: moving(pad), Tile: tile, Trilu: moving(trilu),
    CumSum: running('cumulateSum', 0), CumProd: running('cumulateProd', 1),
    BitCast: bitCast,
  },
};

module.exports = { ops };
