/**
 * Reads protobuf messages into plain objects, as tables of fields describe them.
 *
 * The wire format is protobufjs' work; its reflection is left out, since a table of the fields that are looked at says
 * enough. Fields that no table has are skipped. Many bytes stay views of the file, so that nothing large is copied;
 * `views` lists them for whoever takes them over. Nesting and the number of messages are bounded: a few bytes of a file
 * can stand for an object of many.
 */
'use strict';

const { Reader, util } = require('protobufjs/minimal');
const { fail } = require('../../base/errors.js');

const MAX_DEPTH = 100;
const MAX_MESSAGES = 4_000_000;

/** @typedef {'int32' | 'int64' | 'uint32' | 'uint64' | 'bool' | 'float' | 'double' | 'string' | 'bytes' | 'fixed32' | 'sfixed32'} Scalar */

/**
 * A field: its name, its type (that of a scalar, or a table's name) and whether there are several; `map` for fields of
 * keys and values, which become a Map.
 *
 * @typedef {readonly [name: string, type: string, label?: 'repeated' | 'map']} Field
 */

/** Tables by name; each from the numbers of fields. @typedef {Readonly<Record<string, Readonly<Record<number, Field>>>>} Schema */

/** What an integer of 64 bits is: a number where that is exact. @type {(value: any) => number | bigint} */
function integerOf(value) {
  if (typeof value === 'number') return value;
  const number = value.toNumber();
  return Number.isSafeInteger(number) ? number : BigInt(value.toString());
}

/** @type {Readonly<Record<string, { wire: number, read: (reader: any) => any }>>} */
const scalars = {
  int32: { wire: 0, read: (reader) => reader.int32() },
  uint32: { wire: 0, read: (reader) => reader.uint32() },
  int64: { wire: 0, read: (reader) => integerOf(reader.int64()) },
  uint64: { wire: 0, read: (reader) => integerOf(reader.uint64()) },
  bool: { wire: 0, read: (reader) => reader.bool() },
  float: { wire: 5, read: (reader) => reader.float() },
  fixed32: { wire: 5, read: (reader) => reader.fixed32() },
  double: { wire: 1, read: (reader) => reader.double() },
  string: { wire: 2, read: (reader) => util.utf8.read(...rangeOf(reader)) },
  bytes: {
    wire: 2,
    read: (reader) => {
      const bytes = bytesOf(reader);
      return bytes.length < LEAST_VIEW ? Uint8Array.prototype.slice.call(bytes) : bytes;
    },
  },
};

/** Bytes that are a part of those of the file. @typedef {{ holder: any, key: string | number }} View */

/** Fewer bytes are copied. */
const LEAST_VIEW = 4096;

/** @type {(reader: any) => Uint8Array} without a copy */
function bytesOf(reader) {
  const length = reader.uint32();
  const [from, to] = [reader.pos, reader.pos + length];
  if (to > reader.len) throw new RangeError('index out of range');
  reader.pos = to;
  return reader.buf.subarray(from, to);
}

/** @type {(reader: any) => [Uint8Array, number, number]} */
function rangeOf(reader) {
  const bytes = bytesOf(reader);
  return [bytes, 0, bytes.length];
}

/** Reading of one file: what bounds it. */
class Decoder {
  /** @param {Schema} schema */
  constructor(schema) {
    this.schema = schema;
    /** @type {View[]} */
    this.views = [];
    this.messages = 0;
  }

  /**
   * @param {any} reader
   * @param {number} end
   * @param {string} name of a table
   * @param {number} depth
   * @returns {any}
   */
  message(reader, end, name, depth) {
    if (depth > MAX_DEPTH) throw new RangeError(`messages are nested more than ${MAX_DEPTH} deep`);
    if (++this.messages > MAX_MESSAGES) throw new RangeError(`it has more than ${MAX_MESSAGES} messages`);
    const fields = this.schema[name];
    /** @type {any} */
    const result = {};
    while (reader.pos < end) {
      const tag = reader.uint32();
      const field = fields[tag >>> 3];
      if (field === undefined) reader.skipType(tag & 7, depth, tag >>> 3);
      else this.field(reader, tag & 7, field, result, depth);
    }
    if (reader.pos !== end) throw new RangeError('a message ends inside a field');
    return result;
  }

  /**
   * @param {any} reader
   * @param {number} wire
   * @param {Field} field
   * @param {any} result
   * @param {number} depth
   */
  field(reader, wire, [name, type, label], result, depth) {
    const scalar = scalars[type];
    if (label === 'repeated' && scalar !== undefined && scalar.wire !== 2 && wire === 2) {
      const end = lengthEnd(reader);
      const list = (result[name] ??= []);
      while (reader.pos < end) list.push(scalar.read(reader));
      if (reader.pos !== end) throw new RangeError('a packed list ends inside an element');
      return;
    }
    if (wire !== (scalar?.wire ?? 2)) throw new RangeError(`field '${name}' has wire type ${wire}`);
    if (label === 'map') {
      const { key = '', value } = this.message(reader, lengthEnd(reader), type, depth + 1);
      (result[name] ??= new Map()).set(key, value);
      return;
    }
    const value = scalar ? scalar.read(reader) : this.message(reader, lengthEnd(reader), type, depth + 1);
    const [holder, key] = label === 'repeated' ? [(result[name] ??= []), result[name].length] : [result, name];
    holder[key] = value;
    if (type === 'bytes' && value.buffer === reader.buf.buffer) this.views.push({ holder, key });
  }
}

/** @type {(reader: any) => number} */
function lengthEnd(reader) {
  const length = reader.uint32();
  const end = reader.pos + length;
  if (end > reader.len) throw new RangeError('index out of range');
  return end;
}

/**
 * Reads a message; fields that are not there are undefined.
 *
 * @param {Schema} schema
 * @param {string} name of the table of the outermost message
 * @param {Uint8Array} bytes
 * @param {string} what for messages, such as "load: model.onnx"
 * @param {View[]} [views] a list for the bytes that are views of these
 * @returns {any}
 * @throws {GraphError} `ERR_PARSE` when the bytes are no such message
 */
function decode(schema, name, bytes, what, views = []) {
  const reader = Reader.create(bytes);
  const decoder = new Decoder(schema);
  try {
    const message = decoder.message(reader, reader.len, name, 0);
    views.push(...decoder.views);
    return message;
  } catch (error) {
    const { message } = /** @type {Error} */ (error);
    return fail('ERR_PARSE', `${what} is damaged or no ${name} at byte ${reader.pos}: ${message}`);
  }
}

module.exports = { decode };
