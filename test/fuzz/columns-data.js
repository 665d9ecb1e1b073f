// Damaged Arrow files: changes of their bytes, each of which gives a GraphError or a table that is good to read.
//
//   node test/fuzz/columns-data.js [--seconds 60] [--rounds 2000] [--seed 1]
//
// Besides bytes, words of metadata are changed into sizes and offsets that are as large as they get. What is read is
// read once more by its own rules: offsets and indices within, texts whole, bitmaps as long as rows need.
'use strict';

const assert = require('node:assert/strict');
const { parseArgs } = require('node:util');
const arrow = require('apache-arrow');
const { readIpc, takeRows } = require('../../lib/columns/data');
const { mutated } = require('../support/damaged-files.js');
const { generator } = require('../support/generator.js');

/** @type {(row: number, value: any) => any} */
const orNull = (row, value) => (row % 5 === 2 ? null : value);

/** A column of rows. @type {(rows: number, type: any, valueOf: (row: number) => any) => any} */
const column = (rows, type, valueOf) => arrow.vectorFromArray(Array.from({ length: rows }, (_, row) => orNull(row, valueOf(row))), type);

/** A table with a column of most layouts, in two batches, since a column has two chunks. @type {(rows?: number) => any} */
function sample(rows = 20) {
  const dictionary = new arrow.Dictionary(new arrow.Utf8(), new arrow.Int8());
  const words = ['a', 'é', '日本', 'word'];
  const struct = new arrow.Struct([new arrow.Field('x', new arrow.Int16(), true), new arrow.Field('y', new arrow.Utf8(), true)]);
  const list = new arrow.List(new arrow.Field('item', new arrow.Int32(), true));
  const view = (/** @type {number} */ count) => column(count, new arrow.Utf8View(), (row) => words[row % 4].repeat(row % 6));
  return new arrow.Table({
    i32: column(rows, new arrow.Int32(), (row) => row), f64: column(rows, new arrow.Float64(), (row) => row / 3), truth: column(rows, new arrow.Bool(), (row) => row % 3 === 0), text: column(rows, new arrow.Utf8(), (row) => words[row % 4]),
    large: column(rows, new arrow.LargeUtf8(), (row) => words[row % 3]), blob: column(rows, new arrow.Binary(), (row) => Uint8Array.of(row, 200)), fixed: column(rows, new arrow.FixedSizeBinary(2), (row) => Uint8Array.of(row, 1)),
    word: column(rows, dictionary, (row) => words[row % 4]), view: view(13).concat(view(rows - 13)), when: column(rows, new arrow.TimestampMicrosecond('UTC'), (row) => row * 1000), day: column(rows, new arrow.DateDay(), (row) => new Date(row * 864e5)),
    p: column(rows, struct, (row) => ({ x: row, y: words[row % 4] })), list: column(rows, list, (row) => [row, 1]), none: new arrow.Vector([arrow.makeData({ type: new arrow.Null(), length: rows })]),
  });
}

/** @type {(bytes: Uint8Array, random: () => number) => Uint8Array} a copy with some words set to odd numbers */
function odd(bytes, random) {
  const copy = bytes.slice();
  const view = new DataView(copy.buffer);
  const numbers = [0, 1, -1, 2 ** 31 - 1, -(2 ** 31), 0x7ffffff8, 0x40000000, 65535, bytes.length, 7, 8, 64];
  for (let left = 1 + Math.floor(random() * 3); left > 0; left--) {
    const at = Math.floor(random() * (bytes.length / 4)) * 4;
    if (at + 4 <= bytes.length) view.setInt32(at, numbers[Math.floor(random() * numbers.length)], true);
  }
  return copy;
}

/** What has to hold of a column before kernels run on it. @param {any} one */
function checkColumn(one) {
  const { type, layout, length, values, offsets, validity, dictionary } = one;
  if (validity !== null) assert.equal(validity.length, Math.ceil(length / 8));
  if (layout === 'fixed') assert.equal(values.length, length * type.stride);
  if (layout === 'bits') assert.equal(values.length, Math.ceil(length / 8));
  if (offsets !== undefined) {
    assert.equal(offsets.length, length + 1);
    const ends = Array.from(offsets, Number);
    ends.forEach((end, i) => assert.ok(end >= 0 && end <= values.length && (i === 0 || end >= ends[i - 1])));
  }
  if (layout === 'dictionary') {
    checkColumn(dictionary);
    assert.ok(Array.from(values, Number).every((index) => index >= 0 && index < dictionary.length));
  }
  const list = one.toArray();
  assert.equal(list.filter((/** @type {any} */ value) => value === null).length, one.nullCount);
  // Decoding puts this mark where bytes are no text, and the tables have none.
  if (type.kind === 'utf8') assert.ok(list.every((/** @type {any} */ value) => value === null || !value.includes('\ufffd')));
}

/** More rows than a file has room for can be those of a column of nothing. */
const MOST_ROWS = 1e5;

/** @type {(table: any) => void} */
function checkTable(table) {
  const usable = [...table.fields.keys()].filter((name) => {
    try {
      table.column(name).chunks.forEach(checkColumn);
      return true;
    } catch (error) {
      if (/** @type {any} */ (error).name !== 'GraphError') throw error;
      return false;
    }
  });
  if (table.chunks.length > 0 && table.rows > 0) takeRows(table, Uint32Array.of(0, table.rows - 1), usable);
}

/** @type {(bytes: Uint8Array) => string} the code of an error, or 'read' */
function outcome(bytes) {
  try {
    const table = readIpc(bytes);
    if (table.rows <= MOST_ROWS) checkTable(table);
    return 'read';
  } catch (error) {
    const { name, code } = /** @type {any} */ (error);
    assert.ok(name === 'GraphError', /** @type {Error} */ (error).stack);
    return code;
  }
}

/** @type {(seed: number) => string} of one round */
function round(seed) {
  const random = generator(seed);
  const bytes = bases[Math.floor(random() * bases.length)];
  return outcome((random() < 0.5 ? mutated : odd)(bytes, random));
}

/** @type {Uint8Array[]} */
const bases = (/** @type {const} */ (['file', 'stream'])).map((form) => arrow.tableToIPC(sample(), form));

function main() {
  const { values } = parseArgs({
    options: { seconds: { type: 'string', default: '60' }, rounds: { type: 'string' }, seed: { type: 'string', default: '1' } },
  });
  const rounds = values.rounds === undefined ? Infinity : Number(values.rounds);
  const end = values.rounds === undefined ? Date.now() + 1000 * Number(values.seconds) : Infinity;
  /** @type {Record<string, number>} */
  const counts = {};
  let seed = Number(values.seed);
  for (let left = rounds; left > 0 && Date.now() < end; left--, seed++) {
    try {
      const result = round(seed);
      counts[result] = (counts[result] ?? 0) + 1;
    } catch (error) {
      console.error(`seed ${seed}: ${/** @type {Error} */ (error).stack}`);
      process.exitCode = 1;
      return;
    }
  }
  console.log(`columns-data: ${Object.entries(counts).map(([name, count]) => `${count} ${name}`).join(', ')}`);
}

if (require.main === module) main();

module.exports = { outcome, round, sample };
