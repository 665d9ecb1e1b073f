/**
 * Ops of domain com.microsoft on quantised numbers: what onnxruntime's quantiser writes.
 *
 * Products are those of quantised.js. An op that is no product turns its operands into floats, computes, and quantises
 * the result. Weights of a few bits stay packed as they are in the file: the graph unpacks them where they are read.
 */
'use strict';

const { joins } = require('../../../ops/movement.js');
const { codesOf, decode, unpackBytes } = require('../../shared/storage-types.js');
const { Encoded, isGiven } = require('../../shared/operands.js');
const { axisOf, wrapped } = require('../../shared/slices.js');
const { packedProduct } = require('../../shared/packed-product.js');
const { attentionOf } = require('./microsoft-attention.js');
const { channels, embedLayerNorm, plus } = require('./microsoft.js');
const { wide } = require('./neural.js');
const quantised = require('./quantised.js');

const { alongAxis, centred, integerProduct, numbers, perRow, repeated, saturated, standard } = quantised;

/** @typedef {import('../../shared/builder.js').Builder} Builder */
/** @typedef {import('../../shared/builder.js').Translation} Translation */

/** @type {(value: any) => any} a tensor of one element as a scalar */
const scalar = (value) => value.reshape([]);

/** @type {(x: any, scale: any, zeroPoint: any, cx: Builder) => any} numbers of a tensor with one scale */
const numbersOf = (x, scale, zeroPoint, cx) =>
  centred(x, zeroPoint, cx, scalar).astype('f32').mul(scalar(cx.value(scale)));

/** @type {(value: any, scale: any, zeroPoint: any, type: string, cx: Builder) => any} */
function quantise(value, scale, zeroPoint, type, cx) {
  const quotient = value.div(scalar(cx.value(scale)));
  return saturated(quotient, isGiven(zeroPoint) ? scalar(numbers(zeroPoint, cx)) : undefined, type, cx);
}

/**
 * An op on one tensor: x, its scale and zero point, and those of the result.
 *
 * @type {(compute: (node: any, x: any, cx: Builder) => any) => Translation['translate']}
 */
const onOne = (compute) => (node, [x, scale, zero, yScale, yZero], cx) =>
  quantise(compute(node, numbersOf(x, scale, zero, cx), cx), yScale, yZero, cx.dtype(x), cx);

/** @type {(name: 'add' | 'mul') => Translation['translate']} */
const onTwo = (name) => (_, [a, aScale, aZero, b, bScale, bZero, yScale, yZero], cx) => {
  const result = numbersOf(a, aScale, aZero, cx)[name](numbersOf(b, bScale, bZero, cx));
  return quantise(result, yScale, yZero, cx.dtype(a), cx);
};

/** @type {Translation['translate']} */
function concat(node, [scale, zero, ...rest], cx) {
  const type = cx.dtype(rest[0]);
  const parts = Array.from({ length: rest.length / 3 }, (_, i) => {
    const [x, xScale, xZero] = rest.slice(3 * i);
    return quantise(numbersOf(x, xScale, xZero, cx), scale, zero, type, cx);
  });
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
  if (node.attr('channels_last', 0) !== 1) return standard('QLinearConv', node, [x, ...rest], cx);
  return channels.last(standard('QLinearConv', node, [channels.first(cx.value(x)), ...rest], cx));
}

// --------------------------------------------------------------------------------------- products

/** A scale or zero point of the columns of a product. @type {(value: any) => any} */
const perColumn = (value) => (value.shape.length === 1 && value.shape[0] === 1 ? value.reshape([]) : value);

/**
 * A product of integers as floats.
 *
 * @type {(a: any, aScale: any, aZero: any, b: any, bScale: any, bZero: any, cx: Builder) => any}
 */
function floatProduct(a, aScale, aZero, b, bScale, bZero, cx) {
  const factor = perRow(wide(cx.value(aScale))).mul(perColumn(wide(cx.value(bScale))));
  return integerProduct(a, aZero, b, bZero, cx).astype('f32').mul(factor);
}

/** @type {Translation['translate']} */
function gemm(node, [a, aScale, aZero, b, bScale, bZero, c, yScale, yZero], cx) {
  const isTransposed = node.attr('transB', 0) !== 0;
  const [x, y] = [centred(a, aZero, cx, scalar), centred(b, bZero, cx, isTransposed ? perRow : perColumn)];
  const product = (node.attr('transA', 0) ? x.transpose() : x).matmul(isTransposed ? y.transpose() : y);
  const factor = perColumn(cx.value(aScale)).mul(perColumn(cx.value(bScale))).mul(node.attr('alpha', 1));
  const result = plus(product, c, cx).astype('f32').mul(factor);
  return isGiven(yScale) ? quantise(result, yScale, yZero, isGiven(yZero) ? cx.dtype(yZero) : cx.dtype(a), cx) : result;
}

/** @type {Translation['translate']} */
function dynamicMatMul(_, [a, b, bScale, bZero, bias], cx) {
  const { y, scale, zeroPoint } = quantised.quantizedDynamically(cx.value(a));
  return plus(floatProduct(y, scale, zeroPoint, b, bScale, bZero, cx), bias, cx);
}

/** @type {Translation['translate']} */
function attention(node, [x, weight, bias, xScale, wScale, mask, xZero, wZero, past], cx) {
  const product = floatProduct(x, xScale, xZero, weight, wScale, wZero, cx);
  return attentionOf(node, product.add(cx.value(bias)), [mask, past], cx);
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
  if (node.attr('weight_prepacked', 0) !== 0)
    cx.fail('ERR_UNSUPPORTED', 'weights laid out for a device are not supported');
  const blocks = Math.ceil(depth / size);
  const given = /** @type {any} */ (cx.value(a));
  const x = wide(given);
  const bytes = /** @type {any} */ (cx.value(b)).reshape([rows, blocks, (size * bits) / 8]);
  const zeros = blockZeros(zeroPoints, bits, rows, blocks, cx);
  const factors = /** @type {any} */ (cx.value(scales, 'f32')).reshape([rows, blocks, 1]);
  const product = isGiven(groups)
    ? x.matmul(byGroups(unpackBytes(bytes, bits).astype('f32'), zeros, factors, cx.value(groups), depth).transpose())
    : byBlocks(x, { bytes, bits, zeros, factors }, cx);
  return plus(product, bias && cx.value(bias, product.dtype), cx).astype(given.dtype);
}

/** @type {(x: any, packed: import('../../shared/packed-product.js').Packed, cx: Builder) => any} */
function byBlocks(x, packed, cx) {
  const outer = x.shape.slice(0, -1);
  const flat = x.reshape([cx.state.text(cx.state.product(cx.state.dims(outer, 'load'))), x.shape.at(-1)]);
  const [columns, blocks, length] = packed.bytes.shape;
  // The last block may reach beyond the end.
  const missing = (blocks * length * 8) / packed.bits - Number(x.shape.at(-1));
  const full = missing > 0 ? flat.pad([[0, 0], [0, missing]]) : flat;
  return packedProduct(full, packed).reshape([...outer, columns]);
}

/**
 * Weights whose block is not the one they lie in.
 *
 * @type {(codes: any, zeros: any, factors: any, groups: any, depth: number) => any}
 */
function byGroups(codes, zeros, factors, groups, depth) {
  const [rows, blocks] = factors.shape;
  const each = (/** @type {any} */ value) =>
    typeof value === 'number' ? value : value.reshape([rows, blocks]).take(groups, { axis: 1 });
  return codes.reshape([rows, -1]).slice(null, [0, depth]).sub(each(zeros)).mul(each(factors));
}

/**
 * What codes of bitsandbytes stand for: floats of 4 bits, and quantiles of the normal distribution.
 *
 * @type {readonly (readonly number[])[]}
 */
const bnbTables = [
  [0, 0.00520833333, 0.66666667, 1, 0.33333333, 0.5, 0.16666667, 0.25],
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
  const table = data instanceof Encoded ? codesOf(data, cx) : /** @type {any} */ (cx.value(data));
  const at = axisOf(node.attr('gather_axis', 0), table.rank, cx);
  const along = axisOf(node.attr('quantize_axis', 1), table.rank, cx);
  if (along === at) cx.fail('ERR_UNSUPPORTED', 'blocks along the axis that is gathered are not supported');
  const index = wrapped(cx.value(indices), table.shape[at], cx);
  // What has size 1 is the same for all.
  const taken = (/** @type {any} */ value) =>
    value.take(value.shape[at] === 1 ? index.mul(0) : index, { axis: at });
  const found = bitsOf(data, taken(table), node, cx);
  // Where the axis of the blocks is in what was found.
  const axis = along < at ? along : along + index.rank - 1;
  const block = node.attr('block_size', 128);
  const spread = (/** @type {any} */ value) =>
    block === 0 ? taken(value) : alongAxis(taken(value), found.shape, axis, block, cx);
  const factors = /** @type {any} */ (cx.value(scales));
  const result = found.sub(zerosOf(data, zeroPoints, spread, node, cx)).mul(spread(wide(factors)));
  const inRange = index.ge(0).and(index.lt(cx.value(cx.sizeValue(table.shape[at]), index.dtype)));
  const ones = (/** @type {number} */ count) => Array(count).fill(1);
  const shape = [...ones(at), ...index.shape, ...ones(table.rank - at - 1)];
  return inRange.reshape(shape).select(result, 0).astype(factors.dtype);
}

/**
 * Codes that were found as floats: bytes hold several.
 *
 * @type {(data: any, codes: any, node: any, cx: Builder) => any}
 */
const bitsOf = (data, codes, node, cx) =>
  data instanceof Encoded
    ? decode(new Encoded(data.type, codes), 'f32', cx)
    : unpackBytes(codes, node.attr('bits', 4)).astype('f32');

/** @type {(data: any, zeroPoints: any, spread: (value: any) => any, node: any, cx: Builder) => any} */
function zerosOf(data, zeroPoints, spread, node, cx) {
  if (isGiven(zeroPoints)) {
    const codes = zeroPoints instanceof Encoded ? codesOf(zeroPoints, cx) : cx.value(zeroPoints);
    return spread(bitsOf(zeroPoints, codes, node, cx));
  }
  return data instanceof Encoded ? 0 : 2 ** (node.attr('bits', 4) - 1);
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
    const each = (/** @type {any} */ value) =>
      value.reshape([value.shape[0], 1, value.rank === 2 ? value.shape[1] : 1]);
    return centred(weight, zero, cx, each).astype('f32').mul(each(cx.value(scale))).permute([0, 2, 1]);
  });
  return standard('LSTM', node, [x, input, state, bias, lengths, h, c, peepholes], cx);
}

/** @type {(node: any) => { axis: any, keepDims: boolean }} */
const reductionOf = (node) => ({ axis: node.attr('axes'), keepDims: node.attr('keepdims', 1) === 1 });

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
    QLinearReduceMean: onOne((node, x) => x.mean(reductionOf(node))),
    QLinearConv: convolution, QGemm: gemm, QAttention: attention,
    DynamicQuantizeMatMul: dynamicMatMul, DynamicQuantizeLSTM: late(lstm), QEmbedLayerNormalization: embedding,
    MatMulIntegerToFloat: (_, [a, b, aScale, bScale, aZero, bZero, bias], cx) => {
      const product = plus(floatProduct(a, aScale, aZero, b, bScale, bZero, cx), bias && cx.value(bias, 'f32'), cx);
      return product.astype(cx.dtype(aScale));
    },
    MatMulInteger16: matMul16,
    MulInteger: (_, [a, aZero, b, bZero], cx) => centred(a, aZero, cx).mul(centred(b, bZero, cx)),
    ReduceSumInteger: (node, [x], cx) => numbers(x, cx).sum({ ...reductionOf(node), dtype: 'i32' }),
    MatMulNBits: late(matMulNBits), MatMulBnb4: late(matMulBnb4), GatherBlockQuantized: late(gatherBlocks),
  },
};

/**
 * Before version 13, which an attribute tells, all axes from one on are one row.
 *
 * @type {(node: any, x: any, cx: Builder) => any}
 */
function softmax(node, x, cx) {
  const first = axisOf(node.attr('axis', -1), x.rank, cx);
  const count = node.attr('opset', 13) < 13 ? x.rank - first : 1;
  return x.softmax({ axis: Array.from({ length: count }, (_, i) => first + i) });
}

module.exports = { ops };
