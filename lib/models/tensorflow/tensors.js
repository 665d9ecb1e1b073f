/**
 * Tensors of TensorFlow files as operands: a TensorProto holds the bytes of its elements, or a list whose last element
 * stands for all that are left out.
 */
'use strict';

const { fail } = require('../../base/errors.js');
const { dtypes } = require('../../tensor/dtypes.js');
const { allocateConstant } = require('../../graph/shared-constants.js');
const { wrapOwn } = require('../../tensor/tensor.js');
const { Encoded, Known, Text } = require('../shared/operands.js');
const { elementsOver } = require('../shared/weights.js');
const { carrierOf, packedBits } = require('../shared/storage-types.js');
const { elementTypes } = require('./schema.js');
const { Complex } = require('./operands.js');

/** @typedef {import('../../tensor/dtypes.js').DType} DType */
/** @typedef {import('../shared/operands.js').Operand} Operand */

/** A few bytes may stand for that many elements. */
const MAX_ELEMENTS = 2 ** 28;
/** Strings are objects of JavaScript each. */
const MAX_STRINGS = 2 ** 24;

/** @type {Readonly<Record<string, string>>} */
const lists = {
  f32: 'floatVal', f64: 'doubleVal', i64: 'int64Val', u64: 'uint64Val', u32: 'uint32Val', bool: 'boolVal', f16: 'halfVal',
  bf16: 'halfVal', c64: 'scomplexVal', c128: 'dcomplexVal', f8e5m2: 'float8Val', f8e4m3fn: 'float8Val',
};

/** @type {(type: number, what: string) => string} */
const typeOf = (type, what) => elementTypes[type] ?? fail('ERR_UNSUPPORTED', `${what} has element type ${type}, which is unknown`);

/**
 * The sizes of a shape; null for those left open, undefined for one of unknown rank.
 *
 * @type {(proto: any) => (number | null)[] | undefined}
 */
function openShapeOf(proto) {
  if (proto === undefined || proto.unknownRank) return undefined;
  return (proto.dim ?? []).map((/** @type {any} */ { size = 0 }) => (Number(size) < 0 ? null : Number(size)));
}

/** @type {(proto: any, what: string) => number[]} */
function shapeOf(proto, what) {
  const shape = openShapeOf(proto ?? {}) ?? [null];
  const count = shape.reduce((/** @type {number} */ total, size) => total * (size ?? NaN), 1);
  if (!Number.isSafeInteger(count)) return fail('ERR_PARSE', `${what} has shape [${shape.map((size) => size ?? '?')}]`);
  return /** @type {number[]} */ (shape);
}

/** @type {(shape: readonly number[]) => number} */
const countOf = (shape) => shape.reduce((total, size) => total * size, 1);

/** @type {(list: readonly any[], count: number, what: string) => (i: number) => any} the last element again and again */
function repeated(list, count, what) {
  if (list.length > count || count > MAX_ELEMENTS)
    fail('ERR_PARSE', `${what} has ${list.length} elements, expected ${count}`);
  return (i) => list[Math.min(i, list.length - 1)] ?? 0;
}

/**
 * An operand of raw elements.
 *
 * @param {string} type
 * @param {readonly number[]} shape
 * @param {() => Uint8Array} read all bytes
 * @param {string} what
 * @returns {Operand}
 */
function rawOperand(type, shape, read, what) {
  const count = countOf(shape);
  if (type === 'c64' || type === 'c128') return complexOf(type, shape, () => partsOf(read(), type, 2 * count, what));
  const dtype = /** @type {DType} */ (carrierOf(type) ?? type);
  if (!Object.hasOwn(dtypes, dtype)) return fail('ERR_UNSUPPORTED', `${what} has elements of type ${type}`);
  const { bytes } = dtypes[dtype];
  const known = new Known(dtype, shape, () => {
    const raw = read();
    if (raw.length !== count * bytes) fail('ERR_PARSE', `${what} has ${raw.length} bytes, expected ${count * bytes}`);
    return wrapOwn(elementsOver(raw, dtypes[dtype]), dtype, [...shape]);
  });
  return dtype === type ? known : new Encoded(type, known);
}

/** @type {(raw: Uint8Array, type: string, count: number, what: string) => (i: number) => number} */
function partsOf(raw, type, count, what) {
  const floats = elementsOver(raw, dtypes[type === 'c64' ? 'f32' : 'f64']);
  if (floats.length !== count) fail('ERR_PARSE', `${what} has ${floats.length} numbers, expected ${count}`);
  return (i) => floats[i];
}

/** @type {(type: string, shape: readonly number[], read: () => (i: number) => number) => Complex} of parts in turns */
function complexOf(type, shape, read) {
  const dtype = type === 'c64' ? 'f32' : 'f64';
  const part = (/** @type {number} */ offset) => {
    return listed(dtype, shape, () => {
      const at = read();
      return (i) => at(2 * i + offset);
    });
  };
  return new Complex(part(0), part(1));
}

/** A tensor of elements one by one. @type {(dtype: DType, shape: readonly number[], read: () => (i: number) => any) => Known} */
function listed(dtype, shape, read) {
  const count = countOf(shape);
  return new Known(dtype, shape, () => {
    const at = read();
    const data = /** @type {any} */ (allocateConstant(dtype, count, 'load'));
    for (let i = 0; i < count; i++) data[i] = dtypes[dtype].big ? BigInt(at(i)) : Number(at(i));
    return wrapOwn(data, dtype, [...shape]);
  });
}

/**
 * A TensorProto.
 *
 * @param {any} proto
 * @param {string} what for messages
 * @returns {Operand}
 */
function operandOf(proto, what) {
  const type = typeOf(proto.dtype ?? 0, what);
  const shape = shapeOf(proto.tensorShape, what);
  const count = countOf(shape);
  if (type === 'string') {
    if (count > MAX_STRINGS) return fail('ERR_UNSUPPORTED', `${what} has ${count} strings, more than ${MAX_STRINGS}`);
    const at = repeated(proto.stringVal ?? [], count, what);
    const text = (/** @type {any} */ bytes) => (bytes === 0 ? '' : Buffer.from(bytes).toString('utf8'));
    return Text.of(shape, Array.from({ length: count }, (_, i) => text(at(i))));
  }
  if (type === 'resource' || type === 'variant') return fail('ERR_UNSUPPORTED', `${what} holds no numbers`);
  const raw = proto.tensorContent;
  if (raw !== undefined && raw.length > 0) {
    checkLength(raw.length, type, count, what);
    return rawOperand(type, shape, () => raw, what);
  }
  const list = proto[lists[type] ?? 'intVal'] ?? [];
  const at = repeated(list, type === 'c64' || type === 'c128' ? 2 * count : count, what);
  if (type === 'c64' || type === 'c128') return complexOf(type, shape, () => at);
  const dtype = /** @type {DType} */ (carrierOf(type) ?? type);
  const known = listed(dtype, shape, () => at);
  return dtype === type ? known : new Encoded(type, known);
}

/** @type {(length: number, type: string, count: number, what: string) => void} */
function checkLength(length, type, count, what) {
  const bytes = { c64: 8, c128: 16 }[type] ?? dtypes[/** @type {DType} */ (carrierOf(type) ?? type)].bytes;
  if (packedBits[type] === undefined && length !== count * bytes)
    fail('ERR_PARSE', `${what} has ${length} bytes, expected ${count * bytes}`);
}

module.exports = { countOf, openShapeOf, operandOf, rawOperand, shapeOf, typeOf };
