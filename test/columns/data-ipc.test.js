// Files and streams of Arrow: read a batch at a time from wherever they are, and refused with one error when they are damaged.
'use strict';

const assert = require('node:assert/strict');
const { Blob } = require('node:buffer');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { Readable } = require('node:stream');
const { pathToFileURL } = require('node:url');
const { after, test } = require('node:test');
const arrow = require('apache-arrow');
const { batchesOf, batchesOfAsync, readIpc, readIpcAsync, readTable } = require('../../lib/columns/data');
const { Walk, checkMetadata } = require('../../lib/columns/data/ipc-metadata.js');
const { outcome, round, sample } = require('../fuzz/columns-data.js');

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'graphjit-ipc-'));
after(() => fs.rmSync(folder, { recursive: true }));

/** @type {(table: any) => any} */
const contents = (table) => Object.fromEntries([...table.fields].filter(([, { unsupported }]) => unsupported === undefined)
  .map(([name]) => [name, table.column(name).chunks.flatMap((/** @type {any} */ column) => column.toArray())]));

const table = sample();
const expected = contents(readTable(table));

/** @type {['file' | 'stream', Uint8Array, string][]} */
const forms = (/** @type {const} */ (['file', 'stream'])).map((form) => {
  const bytes = arrow.tableToIPC(table, form);
  const file = path.join(folder, `${form}.arrow`);
  fs.writeFileSync(file, bytes);
  return [form, bytes, file];
});

/** @type {(bytes: Uint8Array, size: number) => AsyncGenerator<Uint8Array>} */
async function* cut(bytes, size) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.slice(at, at + size);
}

test('files and streams give the same table', () => {
  for (const [form, bytes, file] of forms) {
    const moved = new Uint8Array(bytes.length + 3).subarray(3);
    moved.set(bytes);
    for (const source of [bytes, moved, bytes.slice().buffer, Buffer.from(bytes), file, pathToFileURL(file)]) {
      const read = readIpc(/** @type {any} */ (source));
      assert.deepEqual(contents(read), expected, form);
      assert.deepEqual([read.chunks.length, read.origin], [table.batches.length, 'arrow']);
    }
  }
});

test('batches come one at a time', () => {
  for (const [, bytes, file] of forms) {
    for (const source of [bytes, file]) {
      const rows = [...batchesOf(source)].map((batch) => batch.rows);
      assert.deepEqual(rows, table.batches.map((batch) => batch.numRows));
      const first = batchesOf(source).next().value;
      assert.deepEqual(contents(first), contents(readTable(table.batches[0])));
      for (const batch of batchesOf(source)) {
        assert.ok(batch.rows > 0);
        break;
      }
    }
  }
});

test('what arrives in time is read in pieces of any size', async () => {
  for (const [, bytes, file] of forms) {
    const web = new Blob([/** @type {any} */ (bytes)]);
    const sources = [file, bytes, fs.createReadStream(file, { highWaterMark: 100 }), cut(bytes, 1), cut(bytes, 1e6), Readable.from(cut(bytes, 77)), web.stream(), new Response(web), Promise.resolve(bytes)];
    for (const source of sources) assert.deepEqual(contents(await readIpcAsync(source)), expected);
    const handle = await fs.promises.open(file);
    assert.deepEqual(contents(await readIpcAsync(handle)), expected);
    await handle.close();
    let rows = 0;
    for await (const batch of batchesOfAsync(cut(bytes, 50))) rows += batch.rows;
    assert.equal(rows, table.numRows);
  }
});

test('bodies of a file are not held together, and those of bytes are the same memory', () => {
  const [, bytes] = forms[1];
  const aligned = new Uint8Array(bytes);
  const { buffer } = readIpc(aligned).column('i32').chunks[0].values;
  assert.equal(buffer, aligned.buffer);
});

test('deltas and other dictionaries in later batches', async () => {
  const type = new arrow.Dictionary(new arrow.Utf8(), new arrow.Int8(), 3);
  const words = (/** @type {string[]} */ list) => arrow.vectorFromArray(list, new arrow.Utf8());
  const batchOf = (/** @type {any} */ dictionary, /** @type {number[]} */ indices) => {
    const data = arrow.makeData({ type, data: /** @type {any} */ (Int8Array.from(indices)), length: indices.length, dictionary });
    return new arrow.RecordBatch({ s: data });
  };
  const first = words(['a', 'b']);
  const delta = first.concat(words(['c']));
  const writer = arrow.RecordBatchStreamWriter.writeAll([batchOf(first, [1, 0]), batchOf(delta, [2, 0])]);
  const read = readIpc(await writer.toUint8Array());
  assert.deepEqual(contents(read), { s: ['b', 'a', 'c', 'a'] });
  assert.deepEqual(contents(/** @type {any} */ (read.field('s').values)), { values: ['a', 'b', 'c'] });
});

test('the flights file of vega', () => {
  const file = path.join(__dirname, '../../node_modules/vega-datasets/data/flights-200k.arrow');
  const flights = readIpc(file);
  const fields = [...flights.fields.values()].map(({ name, type, nullable }) => [name, type.text, nullable]);
  assert.deepEqual([flights.rows, fields], [200000, [['delay', 'int16', false], ['distance', 'int16', false], ['time', 'float32', false]]]);
  const [{ values }] = flights.column('delay').chunks;
  assert.deepEqual(values, arrow.tableFromIPC(fs.readFileSync(file)).getChild('delay')?.toArray());
});

test('an empty table, and a table without columns', () => {
  const empty = new arrow.Table({ x: arrow.vectorFromArray(/** @type {number[]} */ ([]), new arrow.Float64()), s: arrow.vectorFromArray(/** @type {string[]} */ ([]), new arrow.Utf8()) });
  for (const form of /** @type {const} */ (['file', 'stream'])) {
    const read = readIpc(arrow.tableToIPC(empty, form));
    assert.deepEqual([read.rows, contents(read)], [0, { x: [], s: [] }]);
  }
  const none = readIpc(arrow.tableToIPC(new arrow.Table(new arrow.Schema([])), 'stream'));
  assert.equal(none.fields.size, 0);
});

const [[, file], [, stream]] = forms;
/** @type {(bytes: Uint8Array, at: number, value: number) => Uint8Array} */
function changed(bytes, at, value) {
  const copy = bytes.slice();
  new DataView(copy.buffer).setInt32(at, value, true);
  return copy;
}

/** @type {[string, any, RegExp][]} */
const damaged = [
  ['nothing', new Uint8Array(0), /is no proper Arrow data/],
  ['a text', Buffer.from('hello, world'), /it begins neither as a file nor as a stream of Arrow/],
  ['half a word', stream.subarray(0, 3), /it ends inside a message/],
  ['a stream that ends inside metadata', stream.subarray(0, 60), /a message of \d+ bytes where 52 are left/],
  ['a negative length', changed(stream, 4, -8), /a message of -8 bytes/],
  ['a huge length', changed(stream, 4, 2 ** 31 - 1), /a message of 2147483647 bytes/],
  ['metadata of zeros', Uint8Array.from([255, 255, 255, 255, 16, 0, 0, 0, ...new Array(16).fill(0)]), /is no proper Arrow data/],
  ['a file without its end', file.subarray(0, file.length - 1), /a file without its end/],
  ['the sign alone', file.subarray(0, 8), /a file without its end/],
  ['a huge footer', changed(file, file.length - 10, 2 ** 31 - 1), /a footer of 2147483647 bytes in a file of/],
  ['a negative footer', changed(file, file.length - 10, -1), /a footer of -1 bytes/],
];

test('damaged files give one error that names them', async () => {
  for (const [name, bytes, message] of damaged) {
    const right = (/** @type {any} */ error) => error.code === 'ERR_PARSE' && (message.test(error.message) || assert.fail(`${name}: ${error.message}`));
    assert.throws(() => readIpc(bytes), right, name);
    assert.throws(() => [...batchesOf(bytes)], right, name);
    await assert.rejects(readIpcAsync(bytes), right, name);
  }
  for (const [, bytes] of forms) {
    for (let size = 0; size < bytes.length; size += 41) assert.match(outcome(bytes.subarray(0, size)), /^(ERR_PARSE|read)$/, `${size}`);
    await assert.rejects(readIpcAsync(cut(bytes.subarray(0, 1000), 64)), { code: 'ERR_PARSE' });
  }
  assert.throws(() => readIpc(path.join(folder, 'missing')), { code: 'ERR_ARGUMENT', message: /missing: there is no such file/ });
  assert.throws(() => readIpc(folder), { code: 'ERR_ARGUMENT', message: /it is a folder/ });
  assert.throws(() => readIpc(/** @type {any} */ (7)), { code: 'ERR_ARGUMENT', message: /expected a path or bytes for the source, got 7/ });
  await assert.rejects(readIpcAsync(7), { code: 'ERR_ARGUMENT', message: /a stream or a response/ });
  await assert.rejects(readIpcAsync(Readable.from(['text'])), { code: 'ERR_PARSE', message: /expected pieces of bytes, got "text"/ });
  const failing = (async function* fails() { yield new Uint8Array(2); throw new Error('cable cut'); })();
  await assert.rejects(readIpcAsync(failing), (error) => error instanceof Error && error.message === 'cable cut' && !('code' in error));
});

test('a response that is an error is no data', async () => {
  await assert.rejects(readIpcAsync(new Response('nope', { status: 404 }), 'tableAsync'), { code: 'ERR_ARGUMENT', message: 'tableAsync: the response has status 404' });
  const promise = Promise.resolve({ ok: false, status: 500, statusText: 'Oops', url: 'https://x.y/z' });
  await assert.rejects(readIpcAsync(promise), { code: 'ERR_ARGUMENT', message: /the response of https:\/\/x\.y\/z has status 500 Oops/ });
  assert.equal((await readIpcAsync(new Response(stream))).rows, table.numRows);
});

test("damage is not told in the engine's words", () => {
  const seen = new Set();
  for (let at = 0; at < stream.length; at++) {
    try {
      readIpc(changed(stream, Math.min(at, stream.length - 4), 3));
    } catch (/** @type {any} */ error) {
      assert.match(error.code, /^ERR_/);
      assert.doesNotMatch(error.message, /Cannot|is not a function|Invalid|should be a multiple/);
      seen.add(error.cause?.constructor.name);
    }
  }
  assert.ok(seen.has('TypeError'));
});

test('random damage gives a GraphError, or a table that is good to read', () => {
  const results = new Set(Array.from({ length: 150 }, (_, seed) => round(seed)));
  for (const result of results) assert.match(result, /^(read|ERR_PARSE|ERR_UNSUPPORTED|ERR_OVERFLOW)$/);
  assert.ok(results.has('read') && results.has('ERR_PARSE'));
});

/** Metadata whose parts are named by where they begin. @type {(words: number[]) => Uint8Array} */
const words32 = (words) => new Uint8Array(Int32Array.from(words).buffer);

test('metadata that would be followed for ever are refused', () => {
  const bad = (/** @type {string} */ text) => { throw new Error(text); };
  const check = (/** @type {Uint8Array} */ bytes) => checkMetadata(bytes, [], bad);
  // A root, a description with fields 0 to 6, and fields that all have the same list of children, which are the next field twice.
  const levels = 40;
  const list = [];
  const description = 16;
  // The description: its size, that of a table, and where fields are; children are field 5.
  const start = (description + 20) / 4;
  for (let level = 0; level < levels; level++) {
    const at = 4 * (start + 5 * level);
    list.push(at - description, 4, 2, 8, 4);
  }
  const fields = new Uint8Array([...words32([0, 0, 0, 0]), ...new Uint8Array(new Uint16Array([18, 8, 0, 0, 0, 0, 0, 4, 0, 0]).buffer), ...words32(list), ...new Uint8Array(64)]);
  const view = new DataView(fields.buffer);
  const follow = () => new Walk(fields, bad).follow(description + 20, 'field');
  assert.throws(follow, /nested without end/);
  view.setInt32(description + 20 + 8, 2 ** 31 - 1, true);
  assert.throws(follow, /refer to byte \d+ of/);
  assert.throws(() => check(words32([4, 0, 0, 0])), /./);
  assert.throws(() => check(words32([1000])), /refer to byte/);
  assert.throws(() => check(new Uint8Array(0)), /refer to byte 4 of 0/);
});
