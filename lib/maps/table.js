/**
 * Tables of words: the hash that tells words apart, found by trying (src/library/maps/place.c).
 *
 * Of few words one product does, in a table that is mostly empty and still fits the first cache; else buckets with
 * pilots, in a table that is between half and nearly full.
 */
'use strict';

const { fail } = require('../base/errors.js');
const { inLargePages } = require('../tensor/allocate.js');
const { run, runLater } = require('./kernels.js');
const { slotsOf } = require('./words.js');

/**
 * @typedef {object} Table
 * @property {'product' | 'pilots'} hash
 * @property {number} slotBits there are 2^slotBits slots
 * @property {number} bucketBits 0 without pilots
 * @property {readonly number[]} factors of 32 bits
 * @property {Int32Array} slots four of each: the word's halves, the index of its entry or -1, and 0 or the next of a chain
 * @property {boolean} [hasChains] of slots behind the table
 * @property {Uint16Array | null} pilots
 */
/** Words of which some are equal: for each one more than where its first equal is, or 0. @typedef {{ equals: Int32Array }} Equals */

/** Most words whose hash is one product, whose table has up to 2048 slots: 32 KiB. */
const FEW = 128;
const FEW_ATTEMPTS = 50000;
/** How full a table may be, and keys of a bucket. With these a pilot is found after some tens of tries. */
const FULL = 0.96;
const PER_BUCKET = 4;
const ATTEMPTS = 4;
const MOST_WIDENINGS = 3;

const RESULT = 6;
const FACTORS = 7;

/** @type {(count: number) => number} the least exponent of a power of two that is no less */
const bitsOf = (count) => Math.max(1, Math.ceil(Math.log2(count)));

/** A seed that nobody can have made keys for. @type {() => number} */
const unknownSeed = () => Math.floor(Math.random() * 2 ** 52);

/** @type {(slots: BigInt64Array) => number[]} */
const factorsIn = (slots) => Array.from(slots.subarray(FACTORS, FACTORS + 3), (m) => Number(BigInt.asIntN(32, m)));

/** @type {(words: BigInt64Array) => Table | null} */
function placeFew(words) {
  const slotBits = bitsOf(Math.max(2 * words.length, (words.length * words.length) / 8));
  const slots = slotsOf([1, words.length, 1, FEW_ATTEMPTS, slotBits, 0, 0, 0, 0, 0, 0, 0]);
  const table = new Int32Array(4 * 2 ** slotBits);
  run('map_place_few', slots, [words, table, null, null, null, null, null, new Int32Array(2 ** slotBits)]);
  if (slots[RESULT] !== 0n) return null;
  return { hash: 'product', slotBits, bucketBits: 0, factors: factorsIn(slots), slots: table, pilots: null };
}

/** An attempt to place many words. @type {(words: BigInt64Array, slotBits: number, seed: number) => { slots: BigInt64Array, arrays: any[], done: () => Table | Equals | null }} */
function attempt(words, slotBits, seed) {
  const count = words.length;
  const bucketBits = bitsOf(count / PER_BUCKET);
  const slots = slotsOf([1, count, seed, ATTEMPTS, slotBits, bucketBits, 0, 0, 0, 0, 0, 0]);
  const table = new Int32Array(4 * 2 ** slotBits);
  inLargePages(new Uint8Array(table.buffer));
  const pilots = new Uint16Array(2 ** bucketBits);
  const equals = new Int32Array(count);
  const taken = new BigUint64Array(Math.ceil(2 ** slotBits / 64));
  const room = [new BigInt64Array(count), new Int32Array(count), new Int32Array(2 * 2 ** bucketBits + 1)];
  const done = () => {
    if (slots[RESULT] > 0n) return { equals };
    if (slots[RESULT] < 0n) return null;
    return /** @type {Table} */ ({ hash: 'pilots', slotBits, bucketBits, factors: factorsIn(slots), slots: table, pilots });
  };
  return { slots, arrays: [words, table, pilots, equals, ...room, taken], done };
}

/** The sizes and seeds to try, one after the other. @type {(count: number) => { slotBits: number, seed: number }[]} */
function tries(count) {
  const slotBits = bitsOf(count / FULL);
  const sizes = Array.from({ length: MOST_WIDENINGS + 1 }, (_, i) => slotBits + i);
  return sizes.map((bits, i) => ({ slotBits: bits, seed: i === 0 ? 1 : unknownSeed() }));
}

const refuse = () => fail('ERR_INTERNAL', 'no hash was found that tells the keys of a map apart');

/** @type {(words: BigInt64Array) => boolean} */
const allDiffer = (words) => new Set(words).size === words.length;

/**
 * A table of words, at least one, or which of them are equal.
 *
 * @param {BigInt64Array} words
 * @returns {Table | Equals}
 */
function placeWords(words) {
  const few = words.length <= FEW && allDiffer(words) ? placeFew(words) : null;
  if (few !== null) return few;
  for (const { slotBits, seed } of tries(words.length)) {
    const { slots, arrays, done } = attempt(words, slotBits, seed);
    run('map_place', slots, arrays);
    const found = done();
    if (found !== null) return found;
  }
  return refuse();
}

/**
 * The same, on another thread where words are many.
 *
 * @param {BigInt64Array} words
 * @returns {Promise<Table | Equals>}
 */
async function placeWordsLater(words) {
  if (words.length <= FEW) return placeWords(words);
  for (const { slotBits, seed } of tries(words.length)) {
    const { slots, arrays, done } = attempt(words, slotBits, seed);
    await runLater('map_place', slots, arrays);
    const found = done();
    if (found !== null) return found;
  }
  return refuse();
}

module.exports = { placeWords, placeWordsLater };
