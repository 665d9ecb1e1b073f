/**
 * Batches of a source, as tables: of Arrow's files and streams, or whatever `readTable` reads, one after the other.
 */
'use strict';

const { GraphError } = require('../../base/errors.js');
const { batchesOfAsync, readTable } = require('../data/index.js');

/** @typedef {import('../data/table.js').Table} Table */

/** Whether something gives one thing after the other, and is not bytes or a text. @type {(source: any) => boolean} */
const isIterable = (source) =>
  typeof source === 'object' &&
  source !== null &&
  !ArrayBuffer.isView(source) &&
  (typeof source[Symbol.asyncIterator] === 'function' || Array.isArray(source) || typeof source.next === 'function');

/** Bytes come in pieces, which are no batches. @type {(item: unknown) => boolean} */
const isBytes = (item) => item instanceof Uint8Array || typeof item === 'string';

/** What has been taken from an iterator, and what is left; who needs no more ends it. @type {(first: any, rest: AsyncIterator<any> | Iterator<any>) => AsyncGenerator<any>} */
async function* withFirst(first, rest) {
  let isDone = false;
  try {
    yield first;
    for (let step = await rest.next(); !step.done; step = await rest.next()) yield step.value;
    isDone = true;
  } finally {
    if (!isDone) await rest.return?.();
  }
}

/**
 * @param {any} source a path, bytes, a stream of bytes, or batches
 * @param {string} caller
 * @returns {AsyncGenerator<Table>}
 */
async function* tablesOf(source, caller) {
  if (!isIterable(source)) {
    yield* batchesOfAsync(source, caller, WANTED);
    return;
  }
  const iterator = source[Symbol.asyncIterator]?.() ?? source[Symbol.iterator]?.() ?? source;
  const first = await iterator.next();
  if (first.done) return;
  const all = withFirst(first.value, iterator);
  if (isBytes(first.value)) yield* batchesOfAsync(all, caller);
  else for await (const batch of all) yield readTable(batch, {}, caller);
}

const WANTED = 'a path, bytes, a file handle, a stream, a response, or an iterable of tables';

/**
 * What a batch gives, or an error that says which one it is. Of the first one that goes without saying, but for rows.
 *
 * @template T
 * @param {number} number
 * @param {() => T} work
 * @returns {Promise<Awaited<T>>}
 */
async function ofBatch(number, work) {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof GraphError)) throw error;
    const { code, message } = error;
    const isOfRow = /^row \d/.test(message);
    if (number === 0 && !isOfRow) throw error;
    throw new GraphError(`batch ${number}${isOfRow ? ',' : ':'} ${message}`, { code, cause: error });
  }
}

module.exports = { ofBatch, tablesOf };
