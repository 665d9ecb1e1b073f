/**
 * Quantised numbers: q stands for (q - zero point) · scale, with a scale and a zero point for a tensor, for each place
 * along an axis, or for each block of places.
 *
 * Products are those of integers of 32 bits, as the specification has it; where f32 holds all of their sums they are
 * computed in it, several times as fast, which gives the same numbers. A number is divided by its scale, rounded
 * to
 * the nearest integer, halves to even, and then moved by the zero point and clamped. Weights of files stay as they are:
 * what turns them into floats is part of the graph, and nothing here is computed ahead.
 */
'use strict';

const { carrierOf, codesOf, convertCodes, decode } = require('../../shared/storage-types.js');
const { Encoded, isGiven } = require('../../shared/operands.js');
const { elementTypes } = require('../schema.js');
const { axisOf, sliceAxes } = require('../../shared/slices.js');
const { wide } = require('./neural.js');

/** @typedef {import('../../shared/builder.js').Builder} Builder */
/** @typedef {import('../../shared/builder.js').Translation} Translation */

/** The opset whose version of a standard op others are translated by. */
const NEWEST = 25;

/** Least and greatest number. @type {Readonly<Record<string, readonly [number, number]>>} */
const ranges = Object.freeze({
  u8: [0, 255], i8: [-128, 127], u16: [0, 65535], i16: [-32768, 32767],
  u4: [0, 15], i4: [-8, 7], u2: [0, 3], i2: [-2, 1],
});

/**
 * What a standard op gives for a node that is made of it: with the attributes of the node, or others.
 *
 * @type {(name: string, node: any, inputs: any[], cx: Builder, attributes?: Record<string, any>) => any}
 */
function standard(name, node, inputs, cx, attributes = node.attributes) {
  const row = require('./index.js').rowOf('ai.onnx', name) ?? cx.fail('ERR_UNSUPPORTED', `it is made of ${name}, which is missing`);
  const own = Object.create(node, {
    version: { value: NEWEST },
    attributes: { value: attributes },
  });
  return row.translate(own, inputs, cx);
}

/**
 * A scale or a zero point so that it broadcasts to a tensor.
 *
 * @type {(value: any, shape: readonly (number | string)[], axis: number, block: number, cx: Builder) => any}
 */
function alongAxis(value, shape, axis, block, cx) {
  if (value.rank === 0) return value;
  if (value.rank === 1 && value.shape[0] === 1) return value.reshape([]);
  const at = shape.length === 1 ? 0 : axisOf(axis, shape.length, cx);
  if (block === 0) {
    if (value.rank !== 1) return cx.fail('ERR_SHAPE', `scales of shape [${value.shape}] take a block_size`);
    return value.reshape(shape.map((_, i) => (i === at ? value.shape[0] : 1)));
  }
  if (value.rank !== shape.length)
    return cx.fail('ERR_SHAPE', `scales of shape [${value.shape}] do not fit [${shape}]`);
  return repeated(value, at, block, shape[at], cx);
}

/**
 * Each place along an axis so many times, up to a size.
 *
 * @type {(value: any, axis: number, count: number, size: number | string, cx: Builder) => any}
 */
function repeated(value, axis, count, size, cx) {
  const { state } = cx;
  const [own, wanted] = state.dims([value.shape[axis], size], 'load');
  const full = state.mul(own, count);
  const { shape } = value;
  const apart = value.expandDims(axis + 1).broadcastTo([...shape.slice(0, axis + 1), count, ...shape.slice(axis + 1)]);
  const all = apart.reshape(shape.with(axis, state.text(full)));
  return full === wanted ? all : sliceAxes(all, [0], [size], [axis], [1], cx);
}

/**
 * Elements as numbers that products are exact in: i32, or f32 of codes of floats.
 *
 * @type {(x: any, cx: Builder) => any}
 */
function numbers(x, cx) {
  if (!(x instanceof Encoded)) return cx.value(x).dtype === 'i32' ? cx.value(x) : cx.value(x, 'i32');
  return decode(x, x.type.startsWith('f') ? 'f32' : 'i32', cx);
}

/**
 * Elements less their zero point.
 *
 * @type {(x: any, zeroPoint: any, cx: Builder, place?: (value: any) => any) => any}
 */
function centred(x, zeroPoint, cx, place = (/** @type {any} */ value) => value) {
  const value = numbers(x, cx);
  return isGiven(zeroPoint) ? value.sub(place(numbers(zeroPoint, cx))) : value;
}

/**
 * Quotients as elements of a type.
 *
 * @param {any} quotient not yet rounded
 * @param {any} zeroPoint placed, i32 or f32, or undefined
 * @param {string} type
 * @param {Builder} cx
 * @param {import('../../shared/storage-types.js').Conversion} [conversion]
 * @returns {any}
 */
function saturated(quotient, zeroPoint, type, cx, conversion) {
  const plus = (/** @type {any} */ x) => (zeroPoint === undefined ? x : x.add(zeroPoint.astype(x.dtype)));
  if (/^f[48]/.test(type)) return convertCodes(plus(quotient), type, cx, conversion);
  if (!Object.hasOwn(ranges, type)) return cx.fail('ERR_UNSUPPORTED', `nothing is quantised to ${type}`);
  const codes = plus(wide(quotient.roundEven())).clip(...ranges[type]).astype(carrierOf(type) ?? type);
  return carrierOf(type) ? new Encoded(type, codes) : codes;
}

/** @type {(dtype: string) => boolean} whether graphs compute with floats of it */
const isWord = (dtype) => /^b?f\d+$/.test(dtype);

/** @type {Translation['translate']} */
function quantizeLinear(node, [operand, scale, zeroPoint], cx) {
  const x = /** @type {any} */ (cx.value(operand));
  const [axis, block] = [node.attr('axis', 1), node.attr('block_size', 0)];
  const asked = elementTypes[node.attr('precision', 0)] ?? cx.dtype(scale);
  // Scales may be integers, or powers of two: no quotient has their precision.
  const precision = /** @type {any} */ (isWord(asked) ? asked : 'f64');
  const place = (/** @type {any} */ value) => alongAxis(value, x.shape, axis, block, cx);
  const factor = scale instanceof Encoded ? decode(scale, precision, cx) : cx.value(scale, precision);
  const quotient = x.astype(precision).div(place(factor));
  const type = isGiven(zeroPoint) ? cx.dtype(zeroPoint) : (elementTypes[node.attr('output_dtype', 0)] ?? 'u8');
  const moved = isGiven(zeroPoint) ? place(numbers(zeroPoint, cx)) : undefined;
  return saturated(quotient, moved, type, cx, { saturate: node.attr('saturate', 1) === 1 });
}

/** @type {Translation['translate']} */
function dequantizeLinear(node, [x, scale, zeroPoint], cx) {
  const [axis, block] = [node.attr('axis', 1), node.attr('block_size', 0)];
  const shape = cx.shape(x);
  const place = (/** @type {any} */ value) => alongAxis(value, shape, axis, block, cx);
  const factor = place(wide(cx.value(scale)));
  const product = centred(x, zeroPoint, cx, place).astype(factor.dtype).mul(factor);
  return product.astype(elementTypes[node.attr('output_dtype', 0)] ?? cx.dtype(scale));
}

/**
 * One scale and zero point for all of a tensor, from its least and its greatest element. y and the zero point as u8.
 *
 * @type {(x: any) => { y: any, scale: any, zeroPoint: any }}
 */
function quantizedDynamically(x) {
  const axis = x.shape.map((/** @type {any} */ _, /** @type {number} */ i) => i);
  const [least, most] = [x.min({ axis }).min(0), x.max({ axis }).max(0)];
  const range = most.sub(least).div(255);
  const scale = range.eq(0).select(1, range);
  const zeroPoint = least.neg().div(scale).clip(0, 255).roundEven();
  const y = x.div(scale).roundEven().add(zeroPoint).clip(0, 255).astype('u8');
  return { y, scale, zeroPoint: zeroPoint.astype('u8') };
}

/** @type {Translation['translate']} */
function dynamicQuantizeLinear(_, [x], cx) {
  const { y, scale, zeroPoint } = quantizedDynamically(cx.value(x));
  return [y, scale, zeroPoint];
}

/** Of the left operand of a product: for each row. @type {(value: any) => any} */
const perRow = (value) => {
  if (value.rank !== 1) return value;
  return value.shape[0] === 1 ? value.reshape([]) : value.expandDims(1);
};

/** Sums of so many products are below 2^24, and so exact in f32, if factors are numbers of 8 bits less a zero point. */
const EXACT = 256;

/** @type {(operand: any, cx: Builder) => boolean} */
const isByte = (operand, cx) => /^[iu][248]$/.test(cx.dtype(operand));

/** @type {(a: any, aZero: any, b: any, bZero: any, cx: Builder) => any} in i32, or in f32 of codes of floats */
function integerProduct(a, aZero, b, bZero, cx) {
  const [x, y] = [centred(a, aZero, cx, perRow), centred(b, bZero, cx)];
  const depth = x.shape.at(-1);
  const isExact = isByte(a, cx) && isByte(b, cx) && depth > 0 && Math.min(x.rank, y.rank) >= 2;
  if (isExact && depth === y.shape.at(-2)) return exactProduct(x, y);
  return x.dtype === y.dtype ? x.matmul(y) : x.astype('f32').matmul(y.astype('f32'));
}

/** The sum of products of parts that f32 holds. @type {(x: any, y: any) => any} i32 [..., m, k] and [..., k, n] */
function exactProduct(x, y) {
  const depth = x.shape.at(-1);
  const parts = Math.ceil(depth / EXACT);
  const [a, b] = [x.astype('f32'), y.astype('f32')];
  if (parts === 1) return a.matmul(b).astype('i32');
  const size = Math.ceil(depth / parts);
  const missing = parts * size - depth;
  const longer = (/** @type {any} */ value, /** @type {number} */ axis) =>
    missing > 0 ? value.pad(Array(value.rank).fill([0, 0]).with(axis, [0, missing])) : value;
  const left = longer(a, a.rank - 1).reshape([...a.shape.slice(0, -1), parts, size]).swapaxes(-3, -2);
  const right = longer(b, b.rank - 2).reshape([...b.shape.slice(0, -2), parts, size, b.shape.at(-1)]);
  const products = left.matmul(right).astype('i32');
  return products.reduceSum([products.rank - 3]);
}

/** @type {Translation['translate']} */
function qLinearMatMul(_, [a, aScale, aZero, b, bScale, bZero, yScale, yZero], cx) {
  const factor = perRow(wide(cx.value(aScale))).mul(wide(cx.value(bScale))).div(perRow(wide(cx.value(yScale))));
  const product = integerProduct(a, aZero, b, bZero, cx).astype(factor.dtype);
  return saturated(product.mul(factor), perRow(numbers(yZero, cx)), cx.dtype(yZero), cx);
}

/**
 * For each output channel of a kernel, which are its first axis.
 *
 * @type {(rank: number, axis: number) => (value: any) => any}
 */
const perChannel = (rank, axis) => (value) =>
  value.reshape(value.rank === 0 || value.shape[0] === 1 ? [] : Array(rank).fill(1).with(axis, value.shape[0]));

/** @type {(node: any, inputs: any[], bias: any, cx: Builder) => any} */
function integerConvolution(node, [x, w, xZero, wZero], bias, cx) {
  const { length: rank } = cx.shape(w);
  if (rank < 3) cx.fail('ERR_SHAPE', `expected a kernel of channels and spatial axes, got rank ${rank}`);
  const kernel = centred(w, wZero, cx, perChannel(rank, 0));
  const image = centred(x, xZero, cx, (zero) => zero.reshape([]));
  const depth = kernel.shape.slice(1).reduce((/** @type {number} */ count, /** @type {any} */ size) => count * size, 1);
  if (!(depth <= EXACT) || !isByte(x, cx) || !isByte(w, cx)) return standard('Conv', node, [image, kernel, bias], cx);
  const sums = standard('Conv', node, [image.astype('f32'), kernel.astype('f32')], cx).astype('i32');
  return isGiven(bias) ? sums.add(perChannel(rank, 1)(cx.value(bias))) : sums;
}

/** @type {Translation['translate']} */
function qLinearConv(node, [x, xScale, xZero, w, wScale, wZero, yScale, yZero, bias], cx) {
  const sums = integerConvolution(node, [x, w, xZero, wZero], bias, cx);
  const scalar = (/** @type {any} */ operand) => /** @type {any} */ (cx.value(operand)).reshape([]);
  const factor = scalar(xScale).mul(perChannel(sums.rank, 1)(cx.value(wScale))).div(scalar(yScale));
  return saturated(sums.astype('f32').mul(factor), numbers(yZero, cx).reshape([]), cx.dtype(yZero), cx);
}

const dequantize = { translate: dequantizeLinear, fold: false };

/** @type {import('./index.js').Tables} */
const ops = {
  'ai.onnx': {
    QuantizeLinear: quantizeLinear,
    DequantizeLinear: dequantize,
    DynamicQuantizeLinear: dynamicQuantizeLinear,
    QLinearMatMul: qLinearMatMul,
    QLinearConv: qLinearConv,
    MatMulInteger: (_, [a, b, aZero, bZero], cx) => integerProduct(a, aZero, b, bZero, cx),
    ConvInteger: (node, inputs, cx) => integerConvolution(node, inputs, undefined, cx),
  },
  'com.microsoft': { QuantizeLinear: quantizeLinear, DequantizeLinear: dequantize },
};

module.exports = {
  alongAxis, centred, codesOf, integerProduct, numbers, ops, perRow, quantizedDynamically, repeated, saturated,
  standard,
};
