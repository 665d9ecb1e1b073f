/**
 * Tensors of ONNX files as operands: their elements lie in the file as raw bytes, in lists of one of five types, or in
 * another file beside it.
 *
 * Elements are read when somebody asks for them. What a file says of sizes and places is checked before.
 */
'use strict';

const { fail } = require('../../base/errors.js');
const { dtypes } = require('../../tensor/dtypes.js');
const { wrapOwn } = require('../../tensor/tensor.js');
const { allocateConstant } = require('../../graph/shared-constants.js');
const { FolderFiles } = require('../shared/folder-files.js');
const { Encoded, Known, Text } = require('../shared/operands.js');
const { carrierOf, packedBits, unpackCodes } = require('../shared/storage-types.js');
const { elementsOver } = require('../shared/weights.js');
const { elementTypes } = require('./schema.js');

/** @typedef {import('../../tensor/dtypes.js').DType} DType */

const MAX_ELEMENTS = 2 ** 40;

/** Files beside a model that hold elements. */
class ExternalFiles {
  /** @param {string | undefined} folder of the model; undefined for one that is no file */
  constructor(folder) {
    this.files = new FolderFiles(folder);
  }

  /**
   * @param {readonly { key: string, value: string }[]} entries
   * @param {number} length in bytes
   * @param {string} what
   * @returns {Uint8Array}
   */
  read(entries, length, what) {
    const told = Object.fromEntries(entries.map(({ key, value }) => [key, value]));
    const size = Number(told.length ?? length);
    if (size !== length) return fail('ERR_PARSE', `${what} takes ${length} bytes, but ${size} of '${told.location ?? ''}' are named`);
    return this.files.read(told.location ?? '', Number(told.offset ?? 0), length, what);
  }
}

/** @type {(list: readonly any[] | undefined, what: string) => number[]} */
function shapeOf(list, what) {
  const shape = (list ?? []).map(Number);
  const count = shape.reduce((total, size) => total * size, 1);
  if (shape.some((size) => !Number.isSafeInteger(size) || size < 0) || count > MAX_ELEMENTS)
    return fail('ERR_PARSE', `${what} has shape [${shape.join(', ')}]`);
  return shape;
}

/** @type {(type: number, what: string) => string} */
const typeOf = (type, what) => elementTypes[type] ?? fail('ERR_UNSUPPORTED', `${what} has element type ${type}, which is unknown`);

/**
 * A tensor of a file.
 *
 * @param {any} proto
 * @param {string} what for messages
 * @param {ExternalFiles} files
 * @returns {Known | Text | Encoded}
 */
function operandOf(proto, what, files) {
  const type = typeOf(proto.type ?? 0, what);
  const shape = shapeOf(proto.dims, what);
  const count = shape.reduce((total, size) => total * size, 1);
  if (type === 'string') return textOf(proto, shape, count, what);
  if (type === 'c64' || type === 'c128') return fail('ERR_UNSUPPORTED', `${what} has complex elements`);
  const carrier = carrierOf(type);
  checkLength(proto, type, count, what);
  const known = new Known(/** @type {DType} */ (carrier ?? type), shape, () => {
    const data = carrier === undefined ? elementsOf(proto, /** @type {DType} */ (type), count, what, files) : codesOf(proto, type, count, what, files);
    return wrapOwn(data, /** @type {DType} */ (carrier ?? type), shape);
  });
  return carrier === undefined ? known : new Encoded(type, known, packedOf(proto, type, shape, what, files));
}

/**
 * The bytes as they are in the file, where each row has whole ones.
 *
 * @type {(proto: any, type: string, shape: readonly number[], what: string, files: ExternalFiles) => Known | undefined}
 */
function packedOf(proto, type, shape, what, files) {
  const row = ((shape.at(-1) ?? 0) * (packedBits[type] ?? 0)) / 8;
  if (row === 0 || !Number.isInteger(row)) return undefined;
  const bytes = [...shape.slice(0, -1), row];
  const count = bytes.reduce((total, size) => total * size, 1);
  return new Known('u8', bytes, () => wrapOwn(bytesOf(proto, type, count, what, files).slice(), 'u8', bytes));
}

/** @type {(proto: any, shape: number[], count: number, what: string) => Text} */
function textOf({ strings = [] }, shape, count, what) {
  if (strings.length !== count) return fail('ERR_PARSE', `${what} has ${strings.length} strings, expected ${count}`);
  return Text.of(shape, strings.map((/** @type {Uint8Array} */ bytes) => Buffer.from(bytes).toString('utf8')));
}

/** @type {(type: string, count: number) => number} */
const byteLength = (type, count) => (packedBits[type] ? Math.ceil((count * packedBits[type]) / 8) : count * dtypes[carrierOf(type) ?? /** @type {DType} */ (type)].bytes);

/**
 * Refuses lists of the wrong length before anybody asks for elements.
 *
 * @type {(proto: any, type: string, count: number, what: string) => void}
 */
function checkLength(proto, type, count, what) {
  if (proto.location === 1) return;
  const bytes = byteLength(type, count);
  if (proto.raw !== undefined) {
    if (proto.raw.length !== bytes) fail('ERR_PARSE', `${what} has ${proto.raw.length} bytes, expected ${bytes}`);
    return;
  }
  const expected = packedBits[type] && carrierOf(type) ? bytes : count;
  const list = listOf(proto, type);
  if (list.length !== expected) fail('ERR_PARSE', `${what} has ${list.length} elements, expected ${expected}`);
}

/** @type {(proto: any, type: string) => readonly (number | bigint)[]} */
function listOf(proto, type) {
  if (type === 'f32') return proto.floats ?? [];
  if (type === 'f64') return proto.doubles ?? [];
  if (type === 'i64') return proto.int64s ?? [];
  if (type === 'u64' || type === 'u32') return proto.uint64s ?? [];
  return proto.int32s ?? [];
}

/** @type {(proto: any, bytes: number, what: string, files: ExternalFiles) => Uint8Array | undefined} */
const rawOf = (proto, bytes, what, files) =>
  proto.location === 1 ? files.read(proto.external ?? [], bytes, what) : proto.raw;

/** @type {(proto: any, dtype: DType, count: number, what: string, files: ExternalFiles) => any} */
function elementsOf(proto, dtype, count, what, files) {
  const { bytes, big } = dtypes[dtype];
  const raw = rawOf(proto, count * bytes, what, files);
  if (raw !== undefined) return elementsOver(raw, dtypes[dtype]);
  const data = allocateConstant(dtype, count, 'load');
  const element = (/** @type {any} */ each) => (dtype === 'bool' ? Number(each !== 0) : Number(each));
  listOf(proto, dtype).forEach((each, i) => (data[i] = big ? BigInt(each) : element(each)));
  return data;
}

/** @type {(proto: any, type: string, length: number, what: string, files: ExternalFiles) => Uint8Array} */
const bytesOf = (proto, type, length, what, files) =>
  rawOf(proto, length, what, files) ?? Uint8Array.from(listOf(proto, type), Number);

/** @type {(proto: any, type: string, count: number, what: string, files: ExternalFiles) => any} */
const codesOf = (proto, type, count, what, files) =>
  unpackCodes(bytesOf(proto, type, byteLength(type, count), what, files), type, count);

module.exports = { ExternalFiles, operandOf, typeOf };
