/**
 * Variables of a checkpoint: an index, which is a sorted table in the format of LevelDB, and files of raw elements.
 *
 * The table ends in a footer that names its index block; each entry of that names a block of data. Keys of a block
 * share prefixes with those before. Values are messages that say where a tensor lies. Checksums are not checked:
 * places, lengths and types are.
 */
'use strict';

const { uncompress } = require('../shared/snappy.js');
const { fail } = require('../../base/errors.js');
const { decode } = require('../shared/protobuf.js');
const { schema } = require('./schema.js');
const { countOf, rawOperand, shapeOf, typeOf } = require('./tensors.js');

/** @typedef {import('../shared/operands.js').Operand} Operand */
/** @typedef {import('../shared/folder-files.js').FolderFiles} FolderFiles */

const FOOTER = 48;
const MAGIC = [0x57, 0xfb, 0x80, 0x8b, 0x24, 0x75, 0x47, 0xdb];
/** The type of a block and its checksum lie behind it. */
const TRAILER = 5;
const PREFIX = 'variables/variables';
const OBJECTS = '_CHECKPOINTABLE_OBJECT_GRAPH';

/** Reads varints and bytes from front to end. */
class Cursor {
  at = 0;

  /**
   * @param {Uint8Array} bytes
   * @param {string} what
   */
  constructor(bytes, what) {
    this.bytes = bytes;
    this.what = what;
  }

  varint() {
    let [value, shift] = [0, 1];
    for (let i = 0; i < 10; i++, shift *= 128) {
      const byte = this.bytes[this.at++];
      if (byte === undefined) break;
      value += (byte & 127) * shift;
      if (byte < 128) return Number.isSafeInteger(value) ? value : this.refuse();
    }
    return this.refuse();
  }

  /** @type {(length: number) => Uint8Array} */
  take(length) {
    const end = this.at + length;
    if (end > this.bytes.length) return this.refuse();
    const part = this.bytes.subarray(this.at, end);
    this.at = end;
    return part;
  }

  /** @returns {never} */
  refuse() {
    return fail('ERR_PARSE', `${this.what} is damaged at byte ${this.at}`);
  }
}

/** @type {(cursor: Cursor) => { offset: number, size: number }} */
const handleOf = (cursor) => ({ offset: cursor.varint(), size: cursor.varint() });

/** @type {(file: Uint8Array, handle: { offset: number, size: number }, what: string) => Uint8Array} */
function blockAt(file, { offset, size }, what) {
  if (offset + size + TRAILER > file.length) return fail('ERR_PARSE', `${what}: a block of ${size} bytes at ${offset} is not inside of the file`);
  const block = file.subarray(offset, offset + size);
  const type = file[offset + size];
  if (type === 0) return block;
  return type === 1 ? uncompress(block, what) : fail('ERR_PARSE', `${what}: a block has compression ${type}`);
}

/** Keys and values of a block. @type {(block: Uint8Array, what: string) => [string, Uint8Array][]} */
function entriesOf(block, what) {
  if (block.length < 4) return fail('ERR_PARSE', `${what}: a block is empty`);
  const restarts = new DataView(block.buffer, block.byteOffset + block.length - 4, 4).getUint32(0, true);
  const end = block.length - 4 - 4 * restarts;
  if (end < 0) return fail('ERR_PARSE', `${what}: a block has ${restarts} restarts`);
  const cursor = new Cursor(block.subarray(0, end), what);
  /** @type {[string, Uint8Array][]} */
  const entries = [];
  let key = Buffer.alloc(0);
  while (cursor.at < end) {
    const [shared, own, length] = [cursor.varint(), cursor.varint(), cursor.varint()];
    if (shared > key.length) return cursor.refuse();
    key = Buffer.concat([key.subarray(0, shared), cursor.take(own)]);
    entries.push([key.toString('utf8'), cursor.take(length)]);
  }
  return entries;
}

/** Everything in a table. @type {(file: Uint8Array, what: string) => Map<string, Uint8Array>} */
function readTable(file, what) {
  const start = file.length - FOOTER;
  if (start < 0 || MAGIC.some((byte, i) => file[file.length - 8 + i] !== byte)) return fail('ERR_PARSE', `${what} is no index of a checkpoint`);
  const footer = new Cursor(file.subarray(start), what);
  handleOf(footer);
  const index = entriesOf(blockAt(file, handleOf(footer), what), what);
  const blocks = index.map(([, handle]) => blockAt(file, handleOf(new Cursor(handle, what)), what));
  return new Map(blocks.flatMap((block) => entriesOf(block, what)));
}

/** A checkpoint: variables by key. */
class Bundle {
  /** @type {Map<string, string> | undefined} */
  #keys;

  /**
   * @param {FolderFiles} files
   * @param {string} what for messages
   */
  constructor(files, what) {
    const index = `${PREFIX}.index`;
    this.files = files;
    this.what = what;
    this.table = readTable(files.read(index, 0, files.size(index, what), what), `${what}: ${index}`);
    const header = decode(schema, 'BundleHeader', this.table.get('') ?? new Uint8Array(0), `${what}: ${index}`);
    this.shards = header.numShards ?? 1;
    if (header.endianness === 1) fail('ERR_UNSUPPORTED', `${what}: the checkpoint has the highest byte first`);
  }

  /** @type {(key: string, what: string) => Operand | undefined} */
  get(key, what) {
    const entry = this.#entry(key);
    if (entry === undefined) return undefined;
    if (entry.slices?.length > 0) return fail('ERR_UNSUPPORTED', `${what}: '${key}' is stored in parts`);
    const type = typeOf(entry.dtype ?? 0, what);
    const shape = shapeOf(entry.shape, what);
    const length = Number(entry.size ?? 0);
    if (entry.shardId >= this.shards || Number(entry.offset ?? 0) + length > this.files.size(this.#shard(entry), what))
      return fail('ERR_PARSE', `${what}: '${key}' lies outside of the checkpoint`);
    const bytes = type === 'string' ? -1 : length / Math.max(countOf(shape), 1);
    if (bytes < 0 || !Number.isInteger(bytes)) return fail('ERR_UNSUPPORTED', `${what}: '${key}' has elements of type ${type} in ${length} bytes`);
    return rawOperand(type, shape, () => this.#bytes(entry, what), what);
  }

  /** @type {(key: string) => any} */
  #entry(key) {
    const bytes = this.table.get(key);
    return key === '' || bytes === undefined ? undefined : decode(schema, 'BundleEntry', bytes, `${this.what}: entry '${key}'`);
  }

  /** The file in which a variable lies. @type {(entry: any) => string} */
  #shard({ shardId = 0 }) {
    const number = (/** @type {number} */ each) => String(each).padStart(5, '0');
    return `${PREFIX}.data-${number(shardId)}-of-${number(this.shards)}`;
  }

  /** @type {(entry: any, what: string) => Uint8Array} */
  #bytes(entry, what) {
    return this.files.read(this.#shard(entry), Number(entry.offset ?? 0), Number(entry.size ?? 0), what);
  }

  /** The key of a variable, which checkpoints of objects have beside its name. @type {(name: string) => string | undefined} */
  keyOf(name) {
    this.#keys ??= this.#readKeys();
    return this.#keys.get(name);
  }

  #readKeys() {
    /** @type {Map<string, string>} */
    const keys = new Map();
    const entry = this.#entry(OBJECTS);
    if (entry === undefined) return keys;
    // A tensor of one string: its length, a checksum of that, and the string.
    const cursor = new Cursor(this.#bytes(entry, this.what), this.what);
    const length = cursor.varint();
    cursor.take(4);
    const { nodes = [] } = decode(schema, 'ObjectGraph', cursor.take(length), `${this.what}: objects of the checkpoint`);
    for (const { fullName, checkpointKey } of nodes.flatMap((/** @type {any} */ node) => node.attributes ?? []))
      if (fullName && checkpointKey) keys.set(fullName, checkpointKey);
    return keys;
  }

  /** @type {(name: string, what: string) => Uint8Array} a file beside the model, such as a vocabulary */
  asset(name, what) {
    const file = `assets/${name.split(/[\\/]/).pop()}`;
    return this.files.read(file, 0, this.files.size(file, what), what);
  }
}

module.exports = { Bundle };
