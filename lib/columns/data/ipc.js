/**
 * Files and streams of Arrow's IPC format, message by message, through apache-arrow.
 *
 * A stream is a row of messages: a length, metadata of that length, and a body whose length the metadata say. A file
 * has them at the places that its footer lists, where its schema is too. Either is read one message at a time and never
 * held as a whole, but for a file that arrives as a stream. apache-arrow decodes messages, and which bytes it gets is
 * decided here, after lengths have been compared with what is there: it would follow those of a damaged file anywhere.
 * Whatever it throws becomes a GraphError that names the file.
 *
 * Compressed bodies need a codec, which apache-arrow takes from `compressionRegistry`.
 */
'use strict';

const { fileURLToPath } = require('node:url');
const { describe, expected } = require('../../base/check.js');
const { GraphError, fail } = require('../../base/errors.js');
const { Source: FileSource } = require('../../files/file-io.js');
const { loadArrow } = require('./arrow-module.js');
const { checkMetadata, readFooter } = require('./ipc-metadata.js');
const { readTable, tableOfBatches } = require('./read.js');

/** @typedef {import('./table.js').Table} Table */
/** `wanted`: what a source may be, for messages; `thrown`: by the source itself. @typedef {{ caller: string, name: string, arrow: any, wanted?: string, thrown?: unknown }} Context */
/** @typedef {{ isFile: boolean, size: number, left: number, seek: (place: number) => void, read: (count: number) => Uint8Array, close: () => void }} Source */
/** @typedef {{ isFile: boolean, left: number, read: (count: number) => Promise<Uint8Array>, close: () => Promise<void> }} AsyncSource */

const MAGIC = Buffer.from('ARROW1');
/** The sign at the begin of a file is padded. */
const HEAD = 8;
/** The sign at its end follows the length of the footer. */
const TAIL = 4 + MAGIC.length;

const NEITHER = 'it begins neither as a file nor as a stream of Arrow';

/** @type {(context: { caller: string, name: string }, text: string) => never} */
const bad = ({ caller, name }, text) => fail('ERR_PARSE', `${caller}: ${name} is no proper Arrow data: ${text}`);

/** Errors of apache-arrow as ours. @type {(context: Context, error: any) => never} */
function refuse(context, error) {
  if (error instanceof GraphError || error === context.thrown) throw error;
  // What the engine says of code that has met what it did not expect says nothing about the data.
  const isEngines = error instanceof TypeError || error instanceof RangeError;
  const text = isEngines ? 'its messages do not fit together' : String(error?.message ?? error);
  const { caller, name } = context;
  if (/codec/.test(text)) {
    const hint = "register one in apache-arrow's compressionRegistry, or write it uncompressed";
    throw new GraphError(`${caller}: ${name} is compressed and there is no codec: ${hint}`, { code: 'ERR_UNSUPPORTED' });
  }
  throw new GraphError(`${caller}: ${name} is no proper Arrow data: ${text}`, { code: 'ERR_PARSE', cause: error });
}

/** @type {(bytes: Uint8Array) => boolean} */
const isMagic = (bytes) => MAGIC.every((byte, i) => bytes[i] === byte);

/** @type {(bytes: Uint8Array) => number} */
const int32 = (bytes) => new DataView(bytes.buffer, bytes.byteOffset, 4).getInt32(0, true);

/** @typedef {Generator<number | Uint8Array, boolean, Uint8Array>} Walking asks for bytes by their number, and gives pieces of messages */
/** `columns`: what the schema said. @typedef {{ columns: readonly number[], begun: boolean }} State */

/**
 * One message where the source is.
 *
 * @param {Context} context
 * @param {{ left: number }} source
 * @param {State} state
 * @returns {Walking} false at the end
 */
function* message(context, source, state) {
  const prefix = yield 4;
  if (prefix.length === 0) return false;
  if (prefix.length < 4) bad(context, 'it ends inside a message');
  const begins = int32(prefix) === CONTINUES;
  const word = begins ? yield 4 : prefix;
  if (word.length < 4) bad(context, 'it ends inside a message');
  const size = int32(word);
  if (size === 0) return false;
  if (size < 0 || size > source.left) bad(context, begins || state.begun ? `a message of ${size} bytes where ${source.left} are left` : NEITHER);
  state.begun = true;
  const metadata = yield size;
  if (metadata.length < size) bad(context, `a message of ${size} bytes ends after ${metadata.length}`);
  const { bodyLength, columns } = checkMetadata(metadata, state.columns, (text) => bad(context, text));
  state.columns = columns;
  if (bodyLength > source.left) bad(context, `a body of ${bodyLength} bytes where ${source.left} are left`);
  yield framed(metadata);
  if (bodyLength === 0) return true;
  const body = yield bodyLength;
  if (body.length < bodyLength) bad(context, `a body of ${bodyLength} bytes ends after ${body.length}`);
  yield body;
  return true;
}

/** What stands before the length of a message. */
const CONTINUES = -1;

/** @type {(metadata: Uint8Array) => Uint8Array} */
function framed(metadata) {
  const bytes = new Uint8Array(8 + metadata.length);
  const view = new DataView(bytes.buffer);
  view.setInt32(0, CONTINUES, true);
  view.setInt32(4, metadata.length, true);
  bytes.set(metadata, 8);
  return bytes;
}

/**
 * The messages of a file: the schema, which may be nowhere but in the footer, and what is in the places that the footer
 * lists, dictionaries first.
 *
 * @param {Context} context
 * @param {Source} source
 * @param {State} state
 * @returns {Walking}
 */
function* fileMessages(context, source, state) {
  const { size } = source;
  if (size < HEAD + TAIL) bad(context, 'a file without its end');
  source.seek(size - TAIL);
  const tail = yield TAIL;
  if (!isMagic(tail.subarray(4))) bad(context, 'a file without its end');
  const length = int32(tail);
  if (length <= 0 || length > size - HEAD - TAIL) bad(context, `a footer of ${length} bytes in a file of ${size}`);
  source.seek(size - TAIL - length);
  const { schema, columns, places } = readFooter(yield length, (text) => bad(context, text));
  state.columns = columns;
  yield framed(schema);
  for (const place of places) {
    if (!(place >= 0 && place < size)) bad(context, `a message at byte ${place} of ${size}`);
    source.seek(place);
    yield* message(context, source, state);
  }
  return false;
}

/** @type {(context: Context, source: any) => Walking} */
function* messages(context, source) {
  /** @type {State} */
  const state = { columns: [], begun: source.isFile };
  if (source.isFile) return yield* fileMessages(context, source, state);
  while (yield* message(context, source, state));
  return false;
}

/** @type {(source: Source, context: Context) => Generator<Uint8Array>} */
function* pieces(source, context) {
  const walk = messages(context, source);
  let step = walk.next();
  while (!step.done) {
    if (typeof step.value === 'number') step = walk.next(source.read(step.value));
    else {
      yield step.value;
      step = walk.next(new Uint8Array(0));
    }
  }
}

/** @type {(source: AsyncSource, context: Context) => AsyncGenerator<Uint8Array>} */
async function* asyncPieces(source, context) {
  const walk = messages(context, source);
  let step = walk.next();
  while (!step.done) {
    if (typeof step.value === 'number') step = walk.next(await source.read(step.value));
    else {
      yield step.value;
      step = walk.next(new Uint8Array(0));
    }
  }
}

/** @type {(size: number, readAt: (at: number, count: number) => Uint8Array, close: () => void) => Source} */
function placedSource(size, read, close) {
  let at = 0;
  return {
    isFile: isMagic(read(0, Math.min(size, MAGIC.length))),
    size,
    get left() {
      return size - at;
    },
    seek(place) {
      at = place;
    },
    read(count) {
      const bytes = read(at, Math.min(count, size - at));
      at += bytes.length;
      return bytes;
    },
    close,
  };
}

/** @type {(bytes: Uint8Array) => Source} */
const bytesSource = (bytes) => placedSource(bytes.length, (at, count) => bytes.subarray(at, at + count), () => {});

/** @type {(path: string, context: Context) => Source} */
function fileSource(path, { caller }) {
  const file = new FileSource(path, caller);
  try {
    return placedSource(file.size, (at, count) => file.read(at, count), () => file.close());
  } catch (error) {
    file.close();
    throw error;
  }
}

/** Bytes that arrive in pieces of any size. */
class Arriving {
  isFile = false;
  left = Infinity;
  #iterator;
  #context;
  /** @type {Uint8Array[]} */
  #waiting = [];
  #have = 0;

  /** @param {AsyncIterable<unknown>} stream @param {Context} context */
  constructor(stream, context) {
    this.#iterator = stream[Symbol.asyncIterator]();
    this.#context = context;
  }

  /** @param {number} count */
  async #fill(count) {
    while (this.#have < count) {
      const { done, value } = await this.#next();
      if (done) return;
      const piece = bytesOf(value) ?? bad(this.#context, `expected pieces of bytes, got ${describe(value)}`);
      this.#waiting.push(piece);
      this.#have += piece.length;
    }
  }

  /** The next piece. What a stream throws is not about the bytes. */
  async #next() {
    try {
      return await this.#iterator.next();
    } catch (error) {
      this.#context.thrown = error;
      throw error;
    }
  }

  /** What has arrived, at least so much unless that is all. @param {number} count */
  async peek(count) {
    await this.#fill(count);
    if (this.#waiting.length !== 1) this.#waiting = [Buffer.concat(this.#waiting)];
    return this.#waiting[0];
  }

  /** @param {number} count */
  async read(count) {
    const all = await this.peek(count);
    const piece = all.subarray(0, count);
    this.#waiting = [all.subarray(piece.length)];
    this.#have = all.length - piece.length;
    return piece;
  }

  async close() {
    await this.#iterator.return?.();
  }
}

/** A file is read from its end, so it has to arrive first. @type {(stream: AsyncIterable<unknown>, context: Context) => Promise<AsyncSource | Source>} */
async function streamSource(stream, context) {
  const source = new Arriving(stream, context);
  return isMagic(await source.peek(HEAD)) ? bytesSource(await source.read(Infinity)) : source;
}

/** @type {(source: any) => Uint8Array | undefined} */
function bytesOf(source) {
  if (source instanceof Uint8Array) return source;
  if (source instanceof ArrayBuffer) return new Uint8Array(source);
  return ArrayBuffer.isView(source) ? new Uint8Array(source.buffer, source.byteOffset, source.byteLength) : undefined;
}

/** @type {(source: any) => boolean} */
const isPath = (source) => typeof source === 'string' || source instanceof URL;

/** @type {(source: any, caller: string) => Context} */
const contextOf = (source, caller) =>
  ({ caller, name: isPath(source) ? String(source) : 'the source', arrow: loadArrow(caller) });

/** @type {(source: any, context: Context) => Source | undefined} */
function syncSource(source, context) {
  if (isPath(source)) return fileSource(source instanceof URL ? fileURLToPath(source) : source, context);
  const bytes = bytesOf(source);
  return bytes && bytesSource(bytes);
}

/**
 * The record batches of a file or of bytes, each a table, read when it is its turn.
 *
 * @param {string | URL | Uint8Array | ArrayBuffer} source a path, or bytes
 * @param {string} [caller]
 * @returns {Generator<Table>}
 */
function* batchesOf(source, caller = 'batches') {
  const context = contextOf(source, caller);
  const from = syncSource(source, context) ?? expected(caller, 'a path or bytes', 'the source', source);
  try {
    const reader = context.arrow.RecordBatchReader.from(pieces(from, context));
    for (const batch of opened(reader.open(), context)) yield readTable(batch, undefined, caller);
  } catch (error) {
    refuse(context, error);
  } finally {
    from.close();
  }
}

/** @type {(reader: any, context: Context) => any} */
const opened = (reader, context) => (reader.schema ? reader : bad(context, 'it has no schema'));

/** @type {(source: any, context: Context) => Promise<AsyncSource | Source>} */
async function anySource(source, context) {
  const waited = await source;
  const known = syncSource(waited, context);
  if (known !== undefined) return known;
  if (waited?.ok === false) {
    const of = waited.url ? ` of ${waited.url}` : '';
    fail('ERR_ARGUMENT', `${context.caller}: the response${of} has status ${`${waited.status} ${waited.statusText ?? ''}`.trim()}`);
  }
  const isHandle = typeof waited?.createReadStream === 'function';
  const stream = isHandle ? waited.createReadStream({ start: 0, autoClose: false }) : (waited?.body ?? waited);
  if (typeof stream?.[Symbol.asyncIterator] === 'function') return streamSource(stream, context);
  const { caller, wanted = 'a path, bytes, a file handle, a stream or a response' } = context;
  return expected(caller, wanted, 'the source', source);
}

/**
 * The same of what arrives in time: streams of Node and of the web, responses, anything that iterates over bytes.
 *
 * @param {any} source
 * @param {string} [caller]
 * @param {string} [wanted] what a source may be, for messages
 * @returns {AsyncGenerator<Table>}
 */
async function* batchesOfAsync(source, caller = 'batches', wanted = undefined) {
  const context = { ...contextOf(source, caller), wanted };
  const from = await anySource(source, context);
  try {
    const reader = await context.arrow.RecordBatchReader.from(asyncPieces(/** @type {AsyncSource} */ (from), context));
    const all = opened(await reader.open(), context);
    // Of data without a batch there is one without rows, by apache-arrow.
    for await (const batch of all) yield readTable(batch, undefined, caller);
  } catch (error) {
    refuse(context, error);
  } finally {
    await from.close();
  }
}

/**
 * All batches as one table.
 *
 * @param {string | URL | Uint8Array | ArrayBuffer} source
 * @param {string} [caller]
 * @returns {Table}
 */
function readIpc(source, caller = 'readArrow') {
  const context = contextOf(source, caller);
  const from = syncSource(source, context) ?? expected(caller, 'a path or bytes', 'the source', source);
  try {
    const reader = opened(context.arrow.RecordBatchReader.from(pieces(from, context)).open(), context);
    // The reader forgets its schema at the end.
    const { schema } = reader;
    return tableOfBatches(schema.fields, [...reader]);
  } catch (error) {
    return refuse(context, error);
  } finally {
    from.close();
  }
}

/**
 * @param {any} source
 * @param {string} [caller]
 * @returns {Promise<Table>}
 */
async function readIpcAsync(source, caller = 'readArrow') {
  const context = contextOf(source, caller);
  const from = await anySource(source, context);
  try {
    const reader = await context.arrow.RecordBatchReader.from(asyncPieces(/** @type {AsyncSource} */ (from), context));
    const { schema } = opened(await reader.open(), context);
    const batches = [];
    for await (const batch of reader) batches.push(batch);
    return tableOfBatches(schema.fields, batches);
  } catch (error) {
    return refuse(context, error);
  } finally {
    await from.close();
  }
}

module.exports = { batchesOf, batchesOfAsync, readIpc, readIpcAsync };
