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

/** An integer of 64 bits, most of which are small: such one is read here. @type {(reader: any) => number | bigint} */
function longOf(reader) {
  const { buf, pos } = reader;
  const [first, second, third] = [buf[pos], buf[pos + 1], buf[pos + 2]]; // undefined, as no number, behind the end
  if (first < 128) {
    reader.pos++;
    return first;
  }
  if (second < 128) {
    reader.pos += 2;
    return (first & 127) | (second << 7);
  }
  if (third < 128) {
    reader.pos += 3;
    return (first & 127) | ((second & 127) << 7) | (third << 14);
  }
  return integerOf(reader.int64());
}

/** @type {Readonly<Record<string, { wire: number, read: (reader: any, texts: Texts) => any }>>} */
const scalars = {
  int32: { wire: 0, read: (reader) => reader.int32() },
  uint32: { wire: 0, read: (reader) => reader.uint32() },
  int64: { wire: 0, read: longOf },
  uint64: { wire: 0, read: (reader) => integerOf(reader.uint64()) },
  bool: { wire: 0, read: (reader) => reader.bool() },
  float: { wire: 5, read: (reader) => reader.float() },
  fixed32: { wire: 5, read: (reader) => reader.fixed32() },
  double: { wire: 1, read: (reader) => reader.double() },
  string: { wire: 2, read: textOf },
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
  const to = lengthEnd(reader);
  const bytes = reader.buf.subarray(reader.pos, to);
  reader.pos = to;
  return bytes;
}

/** The last text of each length, and where it stands: words are written again and again. @typedef {{ from: number, text: string }[]} Texts */

/** Longer texts are rarely the same. */
const MOST_KNOWN = 32;

/** @type {(reader: any, texts: Texts) => string} */
function textOf(reader, texts) {
  const to = lengthEnd(reader);
  const { buf, pos } = reader;
  const length = to - pos;
  const known = texts[length];
  reader.pos = to;
  let same = known === undefined ? -1 : 0;
  while (same >= 0 && same < length && buf[known.from + same] === buf[pos + same]) same++;
  if (same === length) return known.text;
  const text = util.utf8.read(buf, pos, to);
  if (length <= MOST_KNOWN) texts[length] = { from: pos, text };
  return text;
}

/** Reading of one file: what bounds it. */
class Decoder {
  /** @param {Schema} schema */
  constructor(schema) {
    this.schema = schema;
    /** @type {View[]} */
    this.views = [];
    this.messages = 0;
    /** @type {Texts} */
    this.texts = [];
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
      else {
        this.field(reader, tag & 7, field, result, depth);
        this.more(reader, end, tag, field, result);
      }
    }
    if (reader.pos !== end) throw new RangeError('a message ends inside a field');
    return result;
  }

  /**
   * Elements of a list that is not packed, which follow each other behind a tag of one byte.
   *
   * @param {any} reader
   * @param {number} end
   * @param {number} tag
   * @param {Field} field
   * @param {any} result
   */
  more(reader, end, tag, [name, type, label], result) {
    const scalar = scalars[type];
    const isPlain = label === 'repeated' && scalar?.wire === (tag & 7) && type !== 'bytes';
    if (!isPlain || tag >= 128) return;
    const list = result[name];
    let at = list.length;
    list.length += countOf(reader, end, tag); // room for all of them at once
    for (; at < list.length; at++) {
      reader.pos++;
      list[at] = scalar.read(reader, this.texts);
    }
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
      while (reader.pos < end) list.push(scalar.read(reader, this.texts));
      if (reader.pos !== end) throw new RangeError('a packed list ends inside an element');
      return;
    }
    if (wire !== (scalar?.wire ?? 2)) throw new RangeError(`field '${name}' has wire type ${wire}`);
    if (label === 'map') {
      const { key = '', value } = this.message(reader, lengthEnd(reader), type, depth + 1);
      (result[name] ??= new Map()).set(key, value);
      return;
    }
    const value = scalar ? scalar.read(reader, this.texts) : this.message(reader, lengthEnd(reader), type, depth + 1);
    const [holder, key] = label === 'repeated' ? [(result[name] ??= []), result[name].length] : [result, name];
    holder[key] = value;
    if (type === 'bytes' && value.buffer === reader.buf.buffer) this.views.push({ holder, key });
  }
}

/** Bytes of elements of a fixed size, by wire type. @type {Readonly<Record<number, number>>} */
const SIZES = { 1: 8, 5: 4 };
/** Elements that an engine has room for without looking them up. */
const MOST_MORE = 2 ** 24;

/** How many elements with this tag follow each other, or as many as one list may become longer at once. @type {(reader: any, end: number, tag: number) => number} */
function countOf({ buf, pos }, end, tag) {
  let count = 0;
  for (let at = pos; at < end && buf[at] === tag && count < MOST_MORE; count++) {
    at++;
    if (SIZES[tag & 7] !== undefined) {
      at += SIZES[tag & 7];
      continue;
    }
    let [value, factor] = [0, 1];
    for (; buf[at] >= 128; at++, factor *= 128) value += (buf[at] - 128) * factor;
    value += buf[at++] * factor;
    if ((tag & 7) === 2) at += value;
  }
  return count;
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
