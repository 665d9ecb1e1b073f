/**
 * Ops of domain com.microsoft that compute with floats: what onnxruntime's optimiser makes of standard ops that follow
 * each other, and older forms of ops that became standard. Attention and quantised numbers have files of their own.
 *
 * Most are a standard op with something before or behind it, so they call its translation. Left out is what only runs
 * on other devices or contains a loop of its own: searches (BeamSearch and the like), mixtures of experts, packed
 * batches.
 */
'use strict';

const { asTensor } = require('../../../tensor/create.js');
const { inverse: inverseOf } = require('../../shared/inverse.js');
const { hashOfBytes, hashOfNumbers } = require('../../shared/murmur-hash.js');
const { Text, isGiven } = require('../../shared/operands.js');
const { wide } = require('./neural.js');
const { standard } = require('./quantised.js');
const { axisOf } = require('../../shared/slices.js');

/** @typedef {import('../../shared/builder.js').Builder} Builder */
/** @typedef {import('../../shared/builder.js').Translation} Translation */

/** Rows are found along the first axis. */
const FIRST = { axis: 0 };

/**
 * A standard op by its name, which has the same inputs and attributes.
 *
 * @type {(name: string) => Translation['translate']}
 */
const same = (name) => (node, inputs, cx) => standard(name, node, inputs, cx);

/** @type {(value: any, added: any, cx: Builder) => any} a sum, if there is a second operand */
const plus = (value, added, cx) => (isGiven(added) ? value.add(cx.value(added)) : value);

// ---------------------------------------------------------------------- products, and what follows

/** The function that a node applies to its result. @type {(node: any, y: any, cx: Builder) => any} */
function activated(node, y, cx) {
  const name = node.attr('activation', '');
  if (name === '') return y;
  const keys = ['alpha', 'beta', 'gamma'];
  const params = node.attr('activation_params') ?? keys.map((key) => node.attr(`activation_${key}`));
  if (name === 'Clip') return y.clip(params[0], params[1]);
  const given = keys.flatMap((key, i) => (params[i] === undefined ? [] : [[key, params[i]]]));
  return standard(name, node, [y], cx, { ...Object.fromEntries(given), axis: node.attr('activation_axis', -1) });
}

/** @type {(value: any, isTransposed: boolean, isBatchTransposed: boolean) => any} an operand of FusedMatMul */
function laidOut(value, isTransposed, isBatchTransposed) {
  const axes = Array.from({ length: value.rank }, (_, i) => i);
  // The first axis goes behind those of the batch.
  if (isBatchTransposed && value.rank > 2) axes.splice(0, value.rank - 1, ...axes.slice(1, -1), 0);
  if (isTransposed && value.rank > 1) axes.push(...axes.splice(-2).reverse());
  return value.permute(axes);
}

/** @type {Translation['translate']} */
function fusedMatMul(node, [a, b], cx) {
  const is = (/** @type {string} */ name) => node.attr(name, 0) !== 0;
  const x = laidOut(cx.value(a), is('transA'), is('transBatchA'));
  const y = laidOut(cx.value(b), is('transB'), is('transBatchB'));
  const alpha = node.attr('alpha', 1);
  const product = x.matmul(y);
  return activated(node, alpha === 1 ? product : product.mul(alpha), cx);
}

/** @type {Translation['translate']} */
const fusedGemm = (node, inputs, cx) => activated(node, standard('Gemm', node, inputs, cx), cx);

/** @type {Translation['translate']} */
const fusedConv = (node, [x, w, bias, added], cx) =>
  activated(node, plus(standard('Conv', node, [x, w, bias], cx), added, cx), cx);

/**
 * An image whose channels are its last axis, with them as axis 1, and the way back.
 *
 * @type {{ first: (x: any) => any, last: (x: any) => any }}
 */
const channels = {
  first: (x) => x.permute([0, x.rank - 1, ...Array.from({ length: x.rank - 2 }, (_, i) => i + 1)]),
  last: (x) => x.permute([0, ...Array.from({ length: x.rank - 2 }, (_, i) => i + 2), 1]),
};

/**
 * The same op with channels last.
 *
 * @type {(translate: Translation['translate'], images: readonly number[]) => Translation['translate']}
 */
const channelsLast = (translate, images) => (node, inputs, cx) => {
  const moved = inputs.map((each, i) => (isGiven(each) && images.includes(i) ? channels.first(cx.value(each)) : each));
  return channels.last(translate(node, moved, cx));
};

// -------------------------------------------------------------------------------------- activations

/** @type {(approximate: 'none' | 'tanh') => Translation['translate']} of a sum */
const gelu = (approximate) => (_, [x, bias], cx) => plus(cx.value(x), bias, cx).gelu({ approximate });

/** @type {Translation['translate']} */
function biasSplitGelu(_, [x, bias], cx) {
  const [left, right] = plus(cx.value(x), bias, cx).split(2, { axis: -1 });
  return left.mul(right.gelu());
}

/** Softmax of a sum over all axes from one on. @type {Translation['translate']} */
function biasSoftmax(node, [x, bias], cx) {
  const sum = plus(cx.value(x), bias, cx);
  const first = axisOf(node.attr('axis', 1), sum.rank, cx);
  return sum.softmax({ axis: Array.from({ length: sum.rank - first }, (_, i) => first + i) });
}

/** Dropout, of which only the form that drops nothing is left in files. @type {Translation['translate']} */
function biasDropout(node, [x, bias, residual, ratio, training], cx) {
  const results = standard('Dropout', node, [plus(cx.value(x), bias, cx), ratio, training], cx);
  const [y, mask] = Array.isArray(results) ? results : [results];
  return [plus(y, residual, cx), mask];
}

// ----------------------------------------------------------------------------------- normalisations

/** @type {(node: any, x: any, inputs: any[], cx: Builder) => any[]} y, mean, inverse deviation */
const layerNorm = (node, x, [scale, bias], cx) =>
  standard('LayerNormalization', node, [x, scale, bias], cx, { axis: -1, epsilon: node.attr('epsilon', 1e-12) });

/** @type {Translation['translate']} */
function skipLayerNorm(node, [x, skip, scale, shift, bias], cx) {
  const sum = plus(plus(cx.value(x), skip, cx), bias, cx);
  return [...layerNorm(node, sum, [scale, shift], cx), sum];
}

/** @type {(node: any, x: any, scale: any, initial: number, cx: Builder) => any[]} y, inverse deviation */
function simplified(node, x, scale, initial, cx) {
  const first = axisOf(node.attr('axis', -1), x.rank, cx);
  const axis = Array.from({ length: x.rank - first }, (_, i) => first + i);
  const numbers = wide(x);
  const square = numbers.mul(numbers).mean({ axis, keepDims: true });
  const inverse = square.add(node.attr('epsilon', initial)).sqrt().reciprocal();
  const factor = /** @type {any} */ (cx.value(scale));
  return [numbers.mul(inverse).astype(factor.dtype).mul(factor), inverse];
}

/** @type {Translation['translate']} */
const simplifiedLayerNorm = (node, [x, scale], cx) => simplified(node, cx.value(x), scale, 1e-5, cx);

/** @type {Translation['translate']} */
function skipSimplifiedLayerNorm(node, [x, skip, scale, bias], cx) {
  const sum = plus(plus(cx.value(x), skip, cx), bias, cx);
  const [y, inverse] = simplified(node, sum, scale, 1e-12, cx);
  return [y, undefined, inverse, sum];
}

/** Rows of tables for words, places and segments, added and normalised. @type {Translation['translate']} */
function embedLayerNorm(node, [ids, segments, words, places, segmentTable, scale, shift, mask, positions], cx) {
  const id = /** @type {any} */ (cx.value(ids));
  /** @type {(table: any, at: any) => any} */
  const rows = (table, at) => /** @type {any} */ (cx.value(table)).take(at, FIRST);
  const sum = rows(words, id).add(rows(places, isGiven(positions) ? cx.value(positions) : cx.iota(id.shape, 'i64', 1)));
  const all = isGiven(segments) ? sum.add(rows(segmentTable, cx.value(segments))) : sum;
  const counts = isGiven(mask)
    ? /** @type {any} */ (cx.value(mask)).eq(1).astype('i32').reduceSum([1])
    : cx.constant(0, 'i32', [id.shape[0]]);
  return [layerNorm(node, all, [scale, shift], cx)[0], counts, all];
}

/** @type {(node: any, x: any, inputs: any[], cx: Builder) => any} */
function groupNormOf(node, x, [scale, shift], cx) {
  const isLast = node.attr('channels_last', 1) === 1;
  const image = wide(isLast ? channels.first(x) : x);
  const [factor, added] = [scale, shift].map((each) => cx.value(each, image.dtype));
  const y = image.groupNorm(node.attr('groups'), { scale: factor, bias: added, epsilon: node.attr('epsilon', 1e-5) });
  const active = (node.attr('activation', 0) === 1 ? y.silu() : y).astype(x.dtype);
  return isLast ? channels.last(active) : active;
}

/** @type {Translation['translate']} */
function skipGroupNorm(node, [x, scale, shift, skip, bias], cx) {
  const image = /** @type {any} */ (cx.value(x));
  const other = /** @type {any} */ (cx.value(skip));
  // A skip of [batch, channels] is the same everywhere.
  const wideSkip = other.rank === 2 ? other.reshape([other.shape[0], 1, 1, other.shape[1]]) : other;
  const sum = plus(image.add(wideSkip), bias, cx);
  return [groupNormOf(node, sum, [scale, shift], cx), sum];
}

// ---------------------------------------------------------------------------------------- the rest

/** @type {Translation['translate']} */
function distances(node, [a, b], cx) {
  const [x, y] = [/** @type {any} */ (cx.value(a)).expandDims(1), /** @type {any} */ (cx.value(b)).expandDims(0)];
  const metric = node.attr('metric', 'sqeuclidean');
  const difference = x.sub(y);
  const squares = difference.mul(difference).sum({ axis: 2 });
  if (metric === 'sqeuclidean') return squares;
  if (metric === 'euclidean') return squares.sqrt();
  return cx.fail('ERR_UNSUPPORTED', `metric '${metric}' is none of euclidean, sqeuclidean`);
}

/** In the order in which they come. @type {Translation['translate']} */
function unique(node, [x], cx) {
  const [values, , inverse, counts] = standard('Unique', node, [x], cx, { sorted: 0 });
  return [values, inverse, counts];
}

/** Modes have other names in the standard. @type {Record<string, string>} */
const samplings = { bilinear: 'linear', bicubic: 'cubic' };

/** @type {Translation['translate']} */
const gridSample = (node, inputs, cx) => {
  const mode = node.attr('mode', 'bilinear');
  return standard('GridSample', node, inputs, cx, { ...node.attributes, mode: samplings[mode] ?? mode });
};

/** Regions of images, given by their corners between 0 and 1, in another size. @type {Translation['translate']} */
function cropAndResize(node, [x, rois, batch, size], cx) {
  const mode = node.attr('mode', 'bilinear');
  if (mode !== 'bilinear' && mode !== 'nearest')
    return cx.fail('ERR_UNSUPPORTED', `mode '${mode}' is none of bilinear, nearest`);
  const corners = /** @type {any} */ (cx.value(rois));
  const crop = cx.ints(size, 'the crop size');
  let result = /** @type {any} */ (cx.value(x)).take(cx.value(batch), FIRST);
  let inside;
  for (const axis of [2, 3]) {
    const [from, to] = [axis - 2, axis].map((i) => corners.slice(null, i).expandDims(1));
    const last = lastOf(result, axis, corners.dtype, cx);
    const count = crop[axis - 2];
    const step = to.sub(from).mul(last).div(Math.max(count - 1, 1));
    const steps = step.mul(cx.iota([1, count], corners.dtype, 1));
    const place = count > 1 ? from.mul(last).add(steps) : from.add(to).mul(last).mul(0.5);
    const shape = [place.shape[0], 1, ...[2, 3].map((each) => (each === axis ? count : 1))];
    const seen = place.ge(0).and(place.le(last)).reshape(shape);
    inside = inside === undefined ? seen : inside.and(seen);
    result = sampled(result, axis, place, shape, mode === 'nearest', cx);
  }
  return inside.select(result, node.attr('extrapolation_value', 0));
}

/** The last index along an axis. @type {(value: any, axis: number, dtype: any, cx: Builder) => any} */
const lastOf = (value, axis, dtype, cx) => /** @type {any} */ (cx.value(cx.sizeValue(value.shape[axis]), dtype)).sub(1);

/**
 * Elements at places along an axis, which differ by the first axis.
 *
 * @type {(value: any, axis: number, place: any, shape: any[], isNearest: boolean, cx: Builder) => any}
 */
function sampled(value, axis, place, shape, isNearest, cx) {
  const at = (/** @type {any} */ index) => {
    const full = value.shape.map((/** @type {any} */ own, /** @type {number} */ i) => (i === axis ? shape[axis] : own));
    return value.takeAlongAxis(index.astype('i64').reshape(shape).broadcastTo(full), { axis });
  };
  const inside = place.clip(0, lastOf(value, axis, place.dtype, cx));
  if (isNearest) return at(inside.add(0.5).floor());
  const weight = inside.sub(inside.floor()).reshape(shape);
  const [low, high] = [at(inside.floor()), at(inside.ceil())];
  return low.add(high.sub(low).mul(weight));
}

/** Windows along an axis, which become a last axis. @type {Translation['translate']} */
function unfoldTensor(node, [x], cx) {
  const value = /** @type {any} */ (cx.value(x));
  const axis = axisOf(node.attr('dim', -1), value.rank, cx);
  const [size, step] = [node.attr('size'), node.attr('step', 1)];
  const { state } = cx;
  const count = state.add(state.floorDiv(state.sub(state.dim(value.shape[axis], 'a size', 'load'), size), step), 1);
  const [start, place] = [0, 1].map((i) => /** @type {any} */ (cx.iota([state.text(count), size], 'i64', i)));
  return value.take(start.mul(step).add(place), { axis }).moveaxis(axis + 1, -1);
}

/**
 * Transforms of the last axes of real numbers, the last of which keeps half of its bins.
 *
 * @type {Translation['translate']}
 */
function realTransform(node, [x], cx) {
  const value = /** @type {any} */ (cx.value(x)).expandDims(-1);
  const half = value.dft({ axis: -2, onesided: true });
  return otherAxes(node).reduce((bins, axis) => bins.dft({ axis }), half);
}

/** The way back. @type {Translation['translate']} */
function realPlaces(node, [x], cx) {
  const given = /** @type {any} */ (cx.value(x));
  const bins = otherAxes(node).reduce((all, axis) => all.dft({ axis, inverse: true }), given);
  return bins.dft({ axis: -2, onesided: true, inverse: true }).squeeze([-1]);
}

/** Axes of a signal in front of its last one, counted with that of the parts. @type {(node: any) => number[]} */
const otherAxes = (node) => Array.from({ length: node.attr('signal_ndim', 1) - 1 }, (_, i) => -3 - i);

/** @type {Translation['translate']} */
function murmurHash(node, [x], cx) {
  const seed = node.attr('seed', 0) >>> 0;
  const isPositive = node.attr('positive', 1) === 1;
  const hash = x instanceof Text ? hashOfText(x, seed, cx) : hashOfNumbers(cx.value(x), seed);
  return isPositive ? hash : hash.bitcast('i32');
}

/** @type {(text: Text, seed: number, cx: Builder) => any} */
function hashOfText(text, seed, cx) {
  if (!text.early) return cx.fail('ERR_UNSUPPORTED', 'strings made of numbers cannot become numbers again');
  return cx.derive('hash', 'u32', cx.shape(text), (inputs) => {
    const { shape, data } = text.read({}, inputs);
    const hashes = Uint32Array.from(data, (each) => hashOfBytes(Buffer.from(each), seed));
    return asTensor(hashes, { dtype: 'u32' }).reshape([...shape]);
  });
}

/** @type {Translation['translate']} */
function invert(_, [x], cx) {
  const given = /** @type {any} */ (cx.value(x));
  return inverseOf(wide(given), cx).astype(given.dtype);
}

/** @type {Translation['translate']} */
function expandDims(_, [x, axis], cx) {
  const value = /** @type {any} */ (cx.value(x));
  return value.expandDims(cx.int(axis, 'the axis'));
}

/** @type {import('./index.js').Tables} */
const ops = {
  'ai.onnx': {
    // What onnxruntime writes into the standard domain.
    SimplifiedLayerNormalization: simplifiedLayerNorm,
  },
  'com.microsoft': {
    FusedMatMul: fusedMatMul, TransposeMatMul: fusedMatMul, FusedMatMulActivation: fusedMatMul,
    FusedGemm: fusedGemm, FusedConv: fusedConv,
    NhwcFusedConv: channelsLast(fusedConv, [0, 3]), NhwcConv: channelsLast(same('Conv'), [0]),
    NhwcMaxPool: channelsLast(same('MaxPool'), [0]),
    GemmFastGelu: (node, [x, w, bias], cx) => gelu('tanh')(node, [fusedMatMul(node, [x, w], cx), bias], cx),
    Gelu: gelu('none'), BiasGelu: gelu('none'), FastGelu: gelu('tanh'), BiasSplitGelu: biasSplitGelu,
    QuickGelu: (node, [x], cx) => {
      const value = /** @type {any} */ (cx.value(x));
      return value.mul(value.mul(node.attr('alpha', 1.702)).sigmoid());
    },
    BiasSoftmax: biasSoftmax, BiasDropout: biasDropout,
    BiasAdd: (_, [x, bias, skip], cx) => plus(plus(cx.value(x), bias, cx), skip, cx),
    SkipLayerNormalization: skipLayerNorm, SimplifiedLayerNormalization: simplifiedLayerNorm,
    SkipSimplifiedLayerNormalization: skipSimplifiedLayerNorm, EmbedLayerNormalization: embedLayerNorm,
    GroupNorm: (node, [x, ...rest], cx) => groupNormOf(node, cx.value(x), rest, cx), SkipGroupNorm: skipGroupNorm,
    CDist: distances, Unique: unique, GridSample: gridSample, CropAndResize: cropAndResize,
    UnfoldTensor: unfoldTensor, ExpandDims: expandDims, Inverse: invert, MurmurHash3: murmurHash,
    Rfft: realTransform, Irfft: realPlaces,
    Pad: same('Pad'), Range: same('Range'), Trilu: same('Trilu'), GatherND: same('GatherND'),
    TorchEmbedding: (_, [table, ids], cx) => /** @type {any} */ (cx.value(table)).take(cx.value(ids), FIRST),
  },
};

module.exports = { channels, embedLayerNorm, ops, plus };
