/**
 * The metadata of an IPC message, looked over before apache-arrow decodes them.
 *
 * They are a flatbuffer: tables that refer to others by offsets, and lists that state how long they are. The decoder
 * believes all of it, and would list two billion fields, or a tree that contains itself, for as long as memory lasts.
 * So every table and list that it will follow is followed here first: within the bytes, no deeper than fields are
 * nested, and no more of them than the bytes could hold. Rows of a batch that its columns do not have are refused as
 * well, since missing rows would be filled in.
 */
'use strict';

/** @typedef {(text: string) => never} Bad */

/**
 * What the fields of tables are, by their numbers: a text, a list of elements of so many bytes, a table, a list of
 * tables, or a table of the kind that another field says. Numbers are not listed.
 *
 * @typedef {['text'] | ['list', number] | ['table', string] | ['tables', string] | ['union', number, Record<number, string>]} FieldKind
 */

/** @type {Record<string, Record<number, FieldKind>>} */
const KINDS = {
  footer: { 1: ['table', 'schema'], 2: ['list', 24], 3: ['list', 24], 4: ['tables', 'keyValue'] },
  message: { 2: ['union', 1, { 1: 'schema', 2: 'dictionaryBatch', 3: 'recordBatch' }], 4: ['tables', 'keyValue'] },
  schema: { 1: ['tables', 'field'], 2: ['tables', 'keyValue'], 3: ['list', 8] },
  field: {
    0: ['text'], 3: ['union', 2, { 10: 'timestamp', 14: 'unionType' }], 4: ['table', 'encoding'], 5: ['tables', 'field'],
    6: ['tables', 'keyValue'],
  },
  recordBatch: { 1: ['list', 16], 2: ['list', 16], 3: ['table', 'plain'], 4: ['list', 8] },
  dictionaryBatch: { 1: ['table', 'recordBatch'] },
  keyValue: { 0: ['text'], 1: ['text'] },
  encoding: { 1: ['table', 'plain'] },
  timestamp: { 1: ['text'] },
  unionType: { 1: ['list', 4] },
  plain: {},
};

const DEEPEST = 64;

/** Follows what tables refer to. */
class Walk {
  #view;
  #bad;
  #left;

  /** @param {Uint8Array} bytes @param {Bad} bad */
  constructor(bytes, bad) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#bad = bad;
    // A table takes 8 bytes and is there once.
    this.#left = bytes.byteLength;
  }

  /** @param {number} at @param {number} size */
  #check(at, size) {
    const good = at >= 0 && at + size <= this.#view.byteLength;
    if (!good) this.#bad(`its metadata refer to byte ${at + size} of ${this.#view.byteLength}`);
    return at;
  }

  /** @param {number} at @returns {number} */
  int32(at) {
    return this.#view.getInt32(this.#check(at, 4), true);
  }

  /** @param {number} at @returns {number} */
  int64(at) {
    return Number(this.#view.getBigInt64(this.#check(at, 8), true));
  }

  /** @param {number} at @returns {number} */
  byte(at) {
    return this.#view.getUint8(this.#check(at, 1));
  }

  /** @param {number} at @returns {number} */
  #short(at) {
    return this.#view.getUint16(this.#check(at, 2), true);
  }

  /** Where a table has a field. @param {number} table @param {number} number @returns {number} 0 if it has none */
  field(table, number) {
    const vtable = table - this.int32(table);
    const place = 4 + 2 * number;
    const at = place < this.#short(vtable) ? this.#short(vtable + place) : 0;
    return at === 0 ? 0 : table + at;
  }

  /** What a field refers to. @param {number} at @returns {number} */
  target(at) {
    return at + (this.int32(at) >>> 0);
  }

  /** A list of elements. @param {number} at of the field @param {number} size of an element @returns {{ at: number, count: number }} */
  list(at, size) {
    const start = this.target(at);
    const count = this.int32(start) >>> 0;
    this.#check(start + 4, count * size);
    return { at: start + 4, count };
  }

  /** @type {(table: number, kind: string, depth?: number) => void} */
  follow(table, kind, depth = 0) {
    if (depth > DEEPEST || this.#left-- <= 0) this.#bad('its metadata are nested without end');
    for (const [number, what] of Object.entries(KINDS[kind])) {
      const at = this.field(table, Number(number));
      if (at !== 0) this.#followField(table, at, what, depth + 1);
    }
  }

  /** @type {(table: number, at: number, what: FieldKind, depth: number) => void} */
  #followField(table, at, [form, kind, kinds], depth) {
    if (form === 'text') this.list(at, 1);
    else if (form === 'list') this.list(at, Number(kind));
    else if (form === 'table') this.follow(this.target(at), String(kind), depth);
    else if (form === 'union') {
      const tag = this.field(table, Number(kind));
      const name = tag === 0 ? undefined : kinds?.[this.byte(tag)];
      this.follow(this.target(at), name ?? 'plain', depth);
    } else {
      const { at: start, count } = this.list(at, 4);
      for (let i = 0; i < count; i++) this.follow(this.target(start + 4 * i), String(kind), depth);
    }
  }
}

/** Nodes of a batch that a field takes: one, and those of its children. @type {(walk: Walk, field: number) => number} */
function nodesOf(walk, field) {
  const at = walk.field(field, 5);
  if (at === 0 || walk.field(field, 4) !== 0) return 1;
  const { at: start, count } = walk.list(at, 4);
  let nodes = 1;
  for (let i = 0; i < count; i++) nodes += nodesOf(walk, walk.target(start + 4 * i));
  return nodes;
}

/** The nodes that are columns. @type {(walk: Walk, schema: number) => number[]} */
function columnNodes(walk, schema) {
  const at = walk.field(schema, 1);
  if (at === 0) return [];
  const { at: start, count } = walk.list(at, 4);
  let node = 0;
  return Array.from({ length: count }, (_, i) => {
    const own = node;
    node += nodesOf(walk, walk.target(start + 4 * i));
    return own;
  });
}

/** @type {(walk: Walk, batch: number, columns: readonly number[], bad: Bad) => void} */
function checkRows(walk, batch, columns, bad) {
  const [rowsAt, nodesAt] = [walk.field(batch, 0), walk.field(batch, 1)];
  const rows = rowsAt === 0 ? 0 : walk.int64(rowsAt);
  const nodes = nodesAt === 0 ? { at: 0, count: 0 } : walk.list(nodesAt, 16);
  for (const node of columns) {
    if (node >= nodes.count) bad(`a batch has ${nodes.count} nodes for ${columns.length} columns`);
    const own = walk.int64(nodes.at + 16 * node);
    if (own !== rows) bad(`a batch of ${rows} rows has a column of ${own}`);
  }
}

const SCHEMA = 1;
const RECORD_BATCH = 3;

/**
 * @param {Uint8Array} metadata
 * @param {readonly number[]} columns the nodes that are columns, as the schema's message gave them
 * @param {Bad} bad
 * @returns {{ bodyLength: number, columns: readonly number[] }}
 */
function checkMetadata(metadata, columns, bad) {
  const walk = new Walk(metadata, bad);
  const message = walk.target(0);
  walk.follow(message, 'message');
  const [tagAt, headerAt, lengthAt] = [1, 2, 3].map((number) => walk.field(message, number));
  const bodyLength = lengthAt === 0 ? 0 : walk.int64(lengthAt);
  if (bodyLength < 0) bad(`a body of ${bodyLength} bytes`);
  if (tagAt === 0 || headerAt === 0) return bad('a message without a header');
  const [tag, header] = [walk.byte(tagAt), walk.target(headerAt)];
  if (tag === RECORD_BATCH) checkRows(walk, header, columns, bad);
  return { bodyLength, columns: tag === SCHEMA ? columnNodes(walk, header) : columns };
}

/** Where the blocks of a list are in a file. @type {(walk: Walk, at: number) => number[]} */
function placesOf(walk, at) {
  if (at === 0) return [];
  const { at: start, count } = walk.list(at, BLOCK);
  return Array.from({ length: count }, (_, i) => walk.int64(start + BLOCK * i));
}

const BLOCK = 24;

/**
 * The metadata of a message that has a schema somewhere behind itself: a table of three fields, and its description.
 *
 * @type {(footer: Uint8Array, schema: number, version: number) => Uint8Array}
 */
function schemaMessage(footer, schema, version) {
  const [table, size] = [16, 32];
  const bytes = new Uint8Array(size + footer.length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, table, true);
  // Sizes of the description and of the table, then where the version, the tag and the header are in it.
  [10, 12, 8, 10, 4].forEach((value, i) => view.setUint16(4 + 2 * i, value, true));
  view.setInt32(table, table - 4, true);
  view.setUint32(table + 4, size + schema - (table + 4), true);
  view.setInt16(table + 8, version, true);
  view.setUint8(table + 10, SCHEMA);
  bytes.set(footer, size);
  return bytes;
}

/**
 * The footer of a file: its schema as the metadata of a message, and where messages are, dictionaries first.
 *
 * @param {Uint8Array} footer
 * @param {Bad} bad
 * @returns {{ schema: Uint8Array, columns: readonly number[], places: readonly number[] }}
 */
function readFooter(footer, bad) {
  const walk = new Walk(footer, bad);
  const root = walk.target(0);
  walk.follow(root, 'footer');
  const [versionAt, schemaAt, dictionaries, batches] = [0, 1, 2, 3].map((number) => walk.field(root, number));
  if (schemaAt === 0) return bad('a footer without a schema');
  const schema = walk.target(schemaAt);
  return {
    schema: schemaMessage(footer, schema, versionAt === 0 ? 0 : walk.byte(versionAt)),
    columns: columnNodes(walk, schema),
    places: [...placesOf(walk, dictionaries), ...placesOf(walk, batches)],
  };
}

module.exports = { Walk, checkMetadata, readFooter };
