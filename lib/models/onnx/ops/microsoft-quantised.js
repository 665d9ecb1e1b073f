/**
 * Ops of domain com.microsoft on quantised numbers: what onnxruntime's quantiser writes.
 *
 * Products are those of quantised.js. An op that is no product turns its operands into floats, computes, and quantises
 * the result. Weights of a few bits stay packed as they are in the file: the graph unpacks them where they are read.
 */
'use strict';

const { joins } = require('../../../ops/movement.js');
const { codesOf, decode, unpackBytes } = require('../../shared/storage-types.js');
const { Encoded } = require('../../shared/operands.js');
const { axisOf, wrapped } = require('../../shared/slices.js');
const { attentionOf } = require('./microsoft-attention.js');
const { channels, embedLayerNorm, plus } = require('./microsoft.js');
const { wide } = require('./neural.js');
const { alongAxis, centred, integerProduct, isGiven, numbers, ops: quantised, perRow, quantizedDynamically, repeated, saturated, standard } = require('./quantised.js');

/** @typedef {import('../../shared/builder.js').Builder} Builder */
/** @typedef {import('../../shared/builder.js').Translation} Translation */

/** @type {(x: any, scale: any, zeroPoint: any, cx: Builder) => any} numbers of a tensor with one scale */
const numbersOf = (x, scale, zeroPoint, cx) =>
  centred(x, zeroPoint, cx, (zero) => zero.reshape([])).astype('f32').mul(/** @type {any} */ (cx.value(scale)).reshape([]));

/** @type {(value: any, scale: any, zeroPoint: any, type: string, cx: Builder) => any} */
function quantise(value, scale, zeroPoint, type, cx) {
  const quotient = value.div(/** @type {any} */ (cx.value(scale)).reshape([]));
  return saturated(quotient, isGiven(zeroPoint) ? numbers(zeroPoint, cx).reshape([]) : undefined, type, cx);
}

/** An op on one tensor: x, its scale and zero point, and those of the result. @type {(compute: (node: any, x: any, cx: Builder) => any) => Translation['translate']} */
const onOne = (compute) => (node, [x, scale, zero, yScale, yZero], cx) =>
  quantise(compute(node, numbersOf(x, scale, zero, cx), cx), yScale, yZero, cx.dtype(x), cx);

/** @type {(name: 'add' | 'mul') => Translation['translate']} */
const onTwo = (name) => (_, [a, aScale, aZero, b, bScale, bZero, yScale, yZero], cx) => {
  const result = numbersOf(a, aScale, aZero, cx)[name](numbersOf(b, bScale, bZero, cx));
  return quantise(result, yScale, yZero, cx.dtype(a), cx);
};

/** @type {Translation['translate']} */
function concat(node, [scale, zero, ...rest], cx) {
  const count = rest.length / 3;
  const parts = Array.from({ length: count }, (_, i) => quantise(numbersOf(rest[3 * i], rest[3 * i + 1], rest[3 * i + 2], cx), scale, zero, cx.dtype(rest[0]), cx));
  return joins.concat(parts, { axis: node.attr('axis') });
}

/** @type {Translation['translate']} */
function where(_, [condition, x, xScale, xZero, y, yScale, yZero, scale, zero], cx) {
  const [a, b] = [numbersOf(x, xScale, xZero, cx), numbersOf(y, yScale, yZero, cx)];
  return quantise(/** @type {any} */ (cx.value(condition)).select(a, b), scale, zero, cx.dtype(x), cx);
}

/** @type {(name: string) => (node: any, x: any, cx: Builder) => any} a pool, whose channels may be last */
const pool = (name) => (node, x, cx) => {
  const isLast = node.attr('channels_last', 0) === 1;
  const y = standard(name, node, [isLast ? channels.first(x) : x], cx);
  return isLast ? channels.last(y) : y;
};

/** @type {Translation['translate']} */
function convolution(node, [x, ...rest], cx) {
  const { translate } = /** @type {any} */ ({ translate: quantised['ai.onnx'].QLinearConv });
  if (node.attr('channels_last', 0) !== 1) return translate(node, [x, ...rest], cx);
  return channels.last(translate(node, [channels.first(cx.value(x)), ...rest], cx));
}

// --------------------------------------------------------------------------------------- products

/** A scale or zero point of the columns of a product. @type {(value: any) => any} */
const perColumn = (value) => (value.shape.length === 1 && value.shape[0] === 1 ? value.reshape([]) : value);

/** A product of integers as floats. @type {(a: any, aScale: any, aZero: any, b: any, bScale: any, bZero: any, cx: Builder) => any} */
function floatProduct(a, aScale, aZero, b, bScale, bZero, cx) {
  const factor = perRow(wide(cx.value(aScale))).mul(perColumn(wide(cx.value(bScale))));
  return integerProduct(a, aZero, b, bZero, cx).astype('f32').mul(factor);
}

/** @type {Translation['translate']} */
function gemm(node, [a, aScale, aZero, b, bScale, bZero, c, yScale, yZero], cx) {
  const [x, y] = [centred(a, aZero, cx, (zero) => zero.reshape([])), centred(b, bZero, cx, (zero) => (node.attr('transB', 0) && zero.rank === 1 && zero.shape[0] !== 1 ? zero.expandDims(1) : perColumn(zero)))];
  const product = (node.attr('transA', 0) ? x.transpose() : x).matmul(node.attr('transB', 0) ? y.transpose() : y);
  const factor = perColumn(cx.value(aScale)).mul(perColumn(cx.value(bScale))).mul(node.attr('alpha', 1));
  const result = plus(product, c, cx).astype('f32').mul(factor);
  return isGiven(yScale) ? quantise(result, yScale, yZero, isGiven(yZero) ? cx.dtype(yZero) : cx.dtype(a), cx) : result;
}

/** @type {Translation['translate']} */
function dynamicMatMul(_, [a, b, bScale, bZero, bias], cx) {
  const { y, scale, zeroPoint } = quantizedDynamically(cx.value(a));
  return plus(floatProduct(y, scale, zeroPoint, b, bScale, bZero, cx), bias, cx);
}

/** @type {Translation['translate']} */
function attention(node, [x, weight, bias, xScale, wScale, mask, xZero, wZero, past], cx) {
  return attentionOf(node, floatProduct(x, xScale, xZero, weight, wScale, wZero, cx).add(cx.value(bias)), [mask, past], cx);
}

/** @type {Translation['translate']} */
function matMul16(_, [a, b], cx) {
  const product = numbers(a, cx).matmul(numbers(b, cx));
  return cx.dtype(a) === 'u16' && cx.dtype(b) === 'u16' ? product.bitcast('u32') : product;
}

// -------------------------------------------------------------------------------- weights of few bits

/**
 * Zero points of blocks as floats: packed like the weights, or a float each.
 *
 * @type {(zeroPoints: any, bits: number, rows: number, blocks: number, cx: Builder) => any} [rows, blocks, 1]
 */
function blockZeros(zeroPoints, bits, rows, blocks, cx) {
  if (!isGiven(zeroPoints)) return 2 ** (bits - 1);
  const given = /** @type {any} */ (cx.value(zeroPoints));
  if (given.dtype !== 'u8') return given.astype('f32').reshape([rows, blocks, 1]);
  return unpackBytes(given.reshape([rows, -1]), bits).slice(null, [0, blocks]).astype('f32').reshape([rows, blocks, 1]);
}

/** @type {Translation['translate']} */
function matMulNBits(node, [a, b, scales, zeroPoints, groups, bias], cx) {
  const [depth, rows, bits, size] = [node.attr('K'), node.attr('N'), node.attr('bits', 4), node.attr('block_size')];
  if (![2, 4, 8].includes(bits)) cx.fail('ERR_UNSUPPORTED', `weights of ${bits} bits are not supported`);
  if (node.attr('weight_prepacked', 0) !== 0) cx.fail('ERR_UNSUPPORTED', 'weights laid out for a device are not supported');
  const blocks = Math.ceil(depth / size);
  const x = /** @type {any} */ (cx.value(a));
  const packed = /** @type {any} */ (cx.value(b)).reshape([rows, blocks, (size * bits) / 8]);
  const codes = unpackBytes(packed, bits).astype('f32');
  const zeros = blockZeros(zeroPoints, bits, rows, blocks, cx);
  const factors = /** @type {any} */ (cx.value(scales, 'f32')).reshape([rows, blocks, 1]);
  const weights = isGiven(groups) ? byGroups(codes, zeros, factors, cx.value(groups), depth) : codes.sub(zeros).mul(factors).reshape([rows, blocks * size]);
  const product = wide(x).matmul((blocks * size === depth ? weights : weights.slice(null, [0, depth])).transpose());
  return plus(product, bias && cx.value(bias, product.dtype), cx).astype(x.dtype);
}

/** Weights whose block is not the one they lie in. @type {(codes: any, zeros: any, factors: any, groups: any, depth: number) => any} */
function byGroups(codes, zeros, factors, groups, depth) {
  const [rows, blocks] = factors.shape;
  const each = (/** @type {any} */ value) => (typeof value === 'number' ? value : value.reshape([rows, blocks]).take(groups, { axis: 1 }));
  return codes.reshape([rows, -1]).slice(null, [0, depth]).sub(each(zeros)).mul(each(factors));
}

/** What codes of bitsandbytes stand for: floats of 4 bits, and quantiles of the normal distribution. @type {readonly (readonly number[])[]} */
const bnbTables = [
  [0, 0.00520833333, 0.66666667, 1, 0.33333333, 0.5, 0.16666667, 0.25].flatMap((each) => [each]),
  [
    -1, -0.6961928009986877, -0.5250730514526367, -0.39491748809814453, -0.28444138169288635, -0.18477343022823334,
    -0.09105003625154495, 0, 0.07958029955625534, 0.16093020141124725, 0.24611230194568634, 0.33791524171829224,
    0.44070982933044434, 0.5626170039176941, 0.7229568362236023, 1,
  ],
];

/** @type {Translation['translate']} */
function matMulBnb4(node, [a, b, absmax], cx) {
  const [depth, rows, size] = [node.attr('K'), node.attr('N'), node.attr('block_size')];
  const [positive, normal] = bnbTables;
  const table = node.attr('quant_type') === 1 ? normal : [...positive, ...positive.map((each) => -each)];
  const x = /** @type {any} */ (cx.value(a));
  // The first of two codes in a byte is the higher one.
  const bytes = /** @type {any} */ (cx.value(b)).reshape([-1]);
  const codes = /** @type {any} */ (joins.stack([bytes.shr(4), bytes.and(15)], { axis: 1 })).reshape([-1]);
  const factors = repeated(cx.value(absmax, 'f32'), 0, size, rows * depth, cx);
  const numbersAll = /** @type {any} */ (cx.constant(Float32Array.from(table))).take(codes).slice([0, rows * depth]);
  const weights = numbersAll.mul(factors).reshape([rows, depth]);
  return wide(x).matmul(node.attr('transB', 1) === 1 ? weights.transpose() : weights).astype(x.dtype);
}

/** Rows of a table of few bits, unpacked when they have been found. @type {Translation['translate']} */
function gatherBlocks(node, [data, indices, scales, zeroPoints], cx) {
  const isBytes = !(data instanceof Encoded);
  const bits = isBytes ? node.attr('bits', 4) : 8;
  const codes = /** @type {any} */ (data instanceof Encoded ? codesOf(data, cx) : cx.value(data));
  const rank = codes.rank;
  const [at, along] = [axisOf(node.attr('gather_axis', 0), rank, cx), axisOf(node.attr('quantize_axis', 1), rank, cx)];
  const index = wrapped(cx.value(indices), codes.shape[at], cx);
  const taken = (/** @type {any} */ value) => (value.shape[at] === 1 && codes.shape[at] !== 1 ? value.take(index.mul(0), { axis: at }) : value.take(index, { axis: at }));
  // Where the axis of the blocks is in what was found.
  const axis = along < at ? along : along === at ? cx.fail('ERR_UNSUPPORTED', 'blocks along the axis that is gathered are not supported') : along + index.rank - 1;
  const found = isBytes ? unpackBytes(taken(codes), bits) : data instanceof Encoded ? decode(new Encoded(data.type, taken(codes)), 'f32', cx) : codes;
  const block = node.attr('block_size', 128);
  const spread = (/** @type {any} */ value) => (block === 0 ? value : alongAxis(value, found.shape, axis, block, cx));
  const zeros = zerosOf(zeroPoints, isBytes, bits, cx);
  const factors = /** @type {any} */ (cx.value(scales));
  const moved = zeros === undefined ? found.astype('f32') : found.astype('f32').sub(typeof zeros === 'number' ? zeros : spread(taken(zeros)));
  const result = moved.mul(spread(taken(wide(factors))));
  const inRange = index.ge(0).and(index.lt(cx.value(cx.sizeValue(codes.shape[at]), index.dtype)));
  const shape = result.shape.map((/** @type {any} */ _, /** @type {number} */ i) => (i >= at && i < at + index.rank ? index.shape[i - at] : 1));
  return inRange.reshape(shape).select(result, 0).astype(factors.dtype);
}

/** @type {(zeroPoints: any, isBytes: boolean, bits: number, cx: Builder) => any} */
function zerosOf(zeroPoints, isBytes, bits, cx) {
  if (!isGiven(zeroPoints)) return isBytes ? 2 ** (bits - 1) : undefined;
  return (isBytes ? unpackBytes(cx.value(zeroPoints), bits) : numbers(zeroPoints, cx)).astype('f32');
}

// ------------------------------------------------------------------------------------------- layers

/** Tables of numbers with one scale each. @type {Translation['translate']} */
function embedding(node, inputs, cx) {
  const [ids, segments, words, places, segmentTable, scale, shift, mask, ...rest] = inputs;
  const tables = [words, places, segmentTable, scale, shift];
  const floats = tables.map((each, i) => (isGiven(each) ? numbersOf(each, rest[i], rest[i + 5], cx) : undefined));
  return embedLayerNorm(node, [ids, segments, ...floats, mask], cx).slice(0, 2);
}

/**
 * An LSTM whose weights are quantised. What onnxruntime quantises while it runs is not: the numbers are those of the
 * weights in the file, computed with as floats.
 *
 * @type {Translation['translate']}
 */
function lstm(node, [x, w, r, bias, lengths, h, c, peepholes, wScale, wZero, rScale, rZero], cx) {
  const [input, state] = [[w, wScale, wZero], [r, rScale, rZero]].map(([weight, scale, zero]) => {
    // [directions] or [directions, gates], against weights [directions, inputs, gates].
    const each = (/** @type {any} */ value) => value.reshape([value.shape[0], 1, value.rank === 2 ? value.shape[1] : 1]);
    return centred(weight, zero, cx, each).astype('f32').mul(each(cx.value(scale))).permute([0, 2, 1]);
  });
  return standard('LSTM', node, [x, input, state, bias, lengths, h, c, peepholes], cx);
}

/** Nothing that unpacks weights is computed ahead. @type {(translate: Translation['translate']) => Translation} */
const late = (translate) => ({ translate, fold: false });

/** @type {import('./index.js').Tables} */
const ops = {
  'com.microsoft': {
    QLinearAdd: onTwo('add'), QLinearMul: onTwo('mul'),
    QLinearSigmoid: onOne((_, x) => x.sigmoid()),
    QLinearLeakyRelu: onOne((node, x) => x.leakyRelu({ slope: node.attr('alpha', 0.01) })),
    QLinearSoftmax: onOne((node, x, cx) => softmax(node, x, cx)),
    QLinearConcat: concat, QLinearWhere: where,
    QLinearGlobalAveragePool: onOne(pool('GlobalAveragePool')), QLinearAveragePool: onOne(pool('AveragePool')),
    QLinearReduceMean: onOne((node, x) => x.mean({ axis: node.attr('axes') ?? null, keepDims: node.attr('keepdims', 1) === 1 })),
    QLinearConv: convolution, QGemm: gemm, QAttention: attention,
    DynamicQuantizeMatMul: dynamicMatMul, DynamicQuantizeLSTM: late(lstm), QEmbedLayerNormalization: embedding,
    MatMulIntegerToFloat: (_, [a, b, aScale, bScale, aZero, bZero, bias], cx) => {
      const product = plus(floatProduct(a, aScale, aZero, b, bScale, bZero, cx), bias && cx.value(bias, 'f32'), cx);
      return product.astype(cx.dtype(aScale));
    },
    MatMulInteger16: matMul16,
    MulInteger: (_, [a, aZero, b, bZero], cx) => centred(a, aZero, cx).mul(centred(b, bZero, cx)),
    ReduceSumInteger: (node, [x], cx) => numbers(x, cx).sum({ axis: node.attr('axes'), keepDims: node.attr('keepdims', 1) === 1, dtype: 'i32' }),
    MatMulNBits: late(matMulNBits), MatMulBnb4: late(matMulBnb4), GatherBlockQuantized: late(gatherBlocks),
  },
};

/** Before version 13, which an attribute tells, all axes from one on are one row. @type {(node: any, x: any, cx: Builder) => any} */
function softmax(node, x, cx) {
  const first = axisOf(node.attr('axis', -1), x.rank, cx);
  const count = node.attr('opset', 13) < 13 ? x.rank - first : 1;
  return x.softmax({ axis: Array.from({ length: count }, (_, i) => first + i) });
}

module.exports = { ops };
