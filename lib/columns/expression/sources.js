/**
 * Batches of a source, as tables: of Arrow's files and streams, or whatever `readTable` reads, one after the other.
 */
'use strict';

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
    yield* batchesOfAsync(source, caller);
    return;
  }
  const iterator = source[Symbol.asyncIterator]?.() ?? source[Symbol.iterator]?.() ?? source;
  const first = await iterator.next();
  if (first.done) return;
  const all = withFirst(first.value, iterator);
  if (isBytes(first.value)) yield* batchesOfAsync(all, caller);
  else for await (const batch of all) yield readTable(batch, {}, caller);
}

module.exports = { tablesOf };
