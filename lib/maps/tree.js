/**
 * The search tree over sorted words, or buckets of them where these are even (src/library/maps/order.c).
 */
'use strict';

const { inLargePages } = require('../tensor/allocate.js');
const { run } = require('./kernels.js');
const { slotsOf } = require('./words.js');

/** Even buckets: how many words are before each, where the first begins, and how many there are for a unit. @typedef {{ starts: Int32Array, origin: number, scale: number }} Buckets */
/** @typedef {{ words: BigInt64Array, count: number, levels: number[], nodes: BigInt64Array, buckets: Buckets | null }} Tree */

/** Words of a node; it has one child more. */
const NODE = 8;
/** Buckets for each word, of which rarely one in a million has more than a node; and fewest words that have buckets. */
const BUCKETS_EACH = 2;
const FEWEST = 64;

/** Nodes of each level above the words, the lowest first. @type {(blocks: number) => number[]} */
function levelsOf(blocks) {
  const levels = [];
  for (let count = blocks; count > 1; ) {
    count = Math.ceil(count / (NODE + 1));
    levels.push(count);
  }
  return levels;
}

/** Buckets of numbers in order, unless one has too many. @type {(numbers: Float64Array) => Buckets | null} */
function bucketsOf(numbers) {
  const { length } = numbers;
  if (length < FEWEST) return null;
  const count = BUCKETS_EACH * length;
  const [origin, most] = [numbers[0], numbers[length - 1]];
  const scale = count / (most - origin);
  if (!Number.isFinite(scale) || scale === 0 || !Number.isFinite(origin)) return null;
  const starts = new Int32Array(count);
  inLargePages(new Uint8Array(starts.buffer));
  let bucket = 0;
  for (let i = 0, first = 0; i < length; i++) {
    const at = Math.trunc(Math.min((numbers[i] - origin) * scale, count - 1));
    if (at > bucket) {
      starts.fill(i, bucket + 1, at + 1);
      [bucket, first] = [at, i];
    }
    if (i - first >= NODE) return null;
  }
  starts.fill(length, bucket + 1);
  return { starts, origin, scale };
}

/**
 * @param {BigInt64Array} sorted
 * @param {Float64Array | null} numbers the same as numbers, if they are
 * @returns {Tree}
 */
function searchTree(sorted, numbers) {
  const blocks = Math.ceil(sorted.length / NODE);
  const buckets = numbers && bucketsOf(numbers);
  const words = new BigInt64Array(NODE * (blocks + 1));
  inLargePages(new Uint8Array(words.buffer));
  words.fill(2n ** 63n - 1n, sorted.length);
  words.set(sorted);
  if (buckets) return { words, count: sorted.length, levels: [], nodes: new BigInt64Array(0), buckets };
  const levels = levelsOf(blocks);
  const nodes = new BigInt64Array(NODE * Math.max(1, levels.reduce((a, b) => a + b, 0)));
  run('map_tree', slotsOf([1, sorted.length, levels.length, ...levels]), [words, nodes]);
  return { words, count: sorted.length, levels, nodes, buckets: null };
}

module.exports = { searchTree };
