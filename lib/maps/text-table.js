/**
 * Strings as columns have them, UTF-8: a table of its own, made when the first column is looked up.
 *
 * A key with an unpaired surrogate is in no column. Its bytes are such as UTF-8 never has, so it is never found.
 */
'use strict';

const { randomFillSync } = require('node:crypto');
const { fail } = require('../base/errors.js');
const { inLargePages } = require('../tensor/allocate.js');
const { run, unitsOf } = require('./kernels.js');
const { placeWords } = require('./table.js');
const { slotsOf } = require('./words.js');

/** @typedef {import('./generate.js').Parts} Parts */
/**
 * `secrets` of the hash; `cells`: what kernels look at instead of the table's slots; `bytes` of keys.
 *
 * @typedef {{ secrets: readonly bigint[], table: import('./table.js').Table, cells: Uint8Array, bytes: Uint8Array }} TextTable
 */

const MOST_BYTES = 2 ** 31 - 1;
const ATTEMPTS = 8;
const NEVER_UTF8 = 0xff;
const CELL_BYTES = 32;
/** Of keys that nobody has chosen to break them: fractions of the roots of 2, 5 and 11. */
const FIRST_SECRETS = [0x6a09e667f3bcc908n, 0x3c6ef372fe94f82bn, 0x510e527fade682d1n];

/** @type {WeakMap<Parts, TextTable>} */
const tables = new WeakMap();

/** @type {(key: string) => boolean} */
const isPaired = (key) => /** @type {any} */ (key).isWellFormed();

/** @type {(key: string) => Buffer} */
const bytesOf = (key) => (isPaired(key) ? Buffer.from(key) : Buffer.concat([Buffer.of(NEVER_UTF8), Buffer.from(key, 'utf16le')]));

/** @type {(keys: readonly string[]) => { bytes: Uint8Array, offsets: Int32Array }} */
function encode(keys) {
  const offsets = new Int32Array(keys.length + 1);
  let size = 0;
  keys.forEach((key, i) => {
    size += isPaired(key) ? Buffer.byteLength(key) : 1 + 2 * key.length;
    if (size > MOST_BYTES) fail('ERR_UNSUPPORTED', 'the keys of the map have more than 2 GiB of text');
    offsets[i + 1] = size;
  });
  const bytes = Buffer.allocUnsafeSlow(size);
  keys.forEach((key, i) => {
    if (isPaired(key)) bytes.write(key, offsets[i]);
    else bytes.set(bytesOf(key), offsets[i]);
  });
  return { bytes, offsets };
}

/** Secrets that nobody can have made keys for, the last one odd. @type {() => bigint[]} */
function unknownSecrets() {
  const [first, second, third] = randomFillSync(new BigInt64Array(3));
  return [first, second, third | 1n];
}

/** @type {(table: import('./table.js').Table, bytes: Uint8Array, offsets: Int32Array) => Uint8Array} */
function cellsOf({ slots }, bytes, offsets) {
  const count = slots.length >> 2;
  const cells = new Uint8Array(CELL_BYTES * count);
  inLargePages(cells);
  run('map_text_cells', slotsOf([unitsOf(count), count]), [bytes, offsets, slots, cells]);
  return cells;
}

/** @type {(keys: readonly string[]) => TextTable} */
function make(keys) {
  const { bytes, offsets } = encode(keys);
  const words = new BigInt64Array(keys.length);
  for (let i = 0; i < ATTEMPTS; i++) {
    const secrets = i === 0 ? FIRST_SECRETS : unknownSecrets();
    const [first, ...others] = secrets;
    run('map_text_words', slotsOf([unitsOf(keys.length), keys.length, first, 4, 0, 0, ...others]), [bytes, offsets, words]);
    const table = placeWords(words);
    if (!('equals' in table)) return { secrets, table, cells: cellsOf(table, bytes, offsets), bytes };
  }
  return fail('ERR_INTERNAL', 'no hash was found that tells the keys of a map apart');
}

/** @type {(parts: Parts) => TextTable} of strings */
function textTable(parts) {
  const table = tables.get(parts) ?? make(parts.keys);
  tables.set(parts, table);
  return table;
}

module.exports = { textTable };
