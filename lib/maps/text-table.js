/**
 * Strings as columns have them, UTF-8: a table of its own, made when the first column is looked up.
 *
 * A key with an unpaired surrogate is in no column. Its bytes are such as UTF-8 never has, so it is never found.
 */
'use strict';

const { fail } = require('../base/errors.js');
const { run, unitsOf } = require('./kernels.js');
const { placeWords } = require('./table.js');
const { slotsOf } = require('./words.js');

/** @typedef {import('./generate.js').Parts} Parts */
/** @typedef {{ seed: number, table: import('./table.js').Table, bytes: Uint8Array, offsets: Int32Array }} TextTable */

const MOST_BYTES = 2 ** 31 - 1;
const ATTEMPTS = 8;
const NEVER_UTF8 = 0xff;
/** Bytes behind all texts, which are read with the last of them. */
const BEHIND = 16;

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
  const bytes = Buffer.allocUnsafeSlow(size + BEHIND).fill(0, size);
  keys.forEach((key, i) => {
    if (isPaired(key)) bytes.write(key, offsets[i]);
    else bytes.set(bytesOf(key), offsets[i]);
  });
  return { bytes, offsets };
}

/** @type {(keys: readonly string[]) => TextTable} */
function make(keys) {
  const { bytes, offsets } = encode(keys);
  const words = new BigInt64Array(keys.length);
  for (let i = 0; i < ATTEMPTS; i++) {
    const seed = i === 0 ? 1 : Math.floor(Math.random() * 2 ** 52);
    run('map_text_words', slotsOf([unitsOf(keys.length), keys.length, seed, 4]), [bytes, offsets, words]);
    const table = placeWords(words);
    if (!('equals' in table)) return { seed, table, bytes, offsets };
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
