/**
 * Ordered queries on the keys of a map: sorted once, when the first is asked.
 *
 * Numbers are ordered as numbers, without NaN; bigints too; strings by their UTF-16 units.
 */
'use strict';

const { run } = require('./kernels.js');
const { searchTree } = require('./tree.js');
const { KINDS, slotsOf, wordsOf } = require('./words.js');

/** @typedef {import('./generate.js').Parts} Parts */
/** Keys in order, and the index of each. @typedef {{ keys: any, indices: Int32Array, words?: BigInt64Array }} Order */

/** Where each goes. @type {(list: ArrayLike<any>) => Int32Array} */
const sortedIndices = (list) =>
  Int32Array.from(list, (_, i) => i).sort((i, j) => (list[i] < list[j] ? -1 : Number(list[i] > list[j])));

/** @type {(keys: readonly string[]) => Order} */
function sortTexts(keys) {
  const indices = sortedIndices(keys);
  return { keys: Array.from(indices, (i) => keys[i]), indices };
}

/**
 * Words in order, as signed integers, and where each was.
 *
 * @param {any} keys
 * @param {'number' | 'signed' | 'unsigned'} kind
 * @returns {{ words: BigInt64Array, indices: Int32Array }}
 */
function sortWords(keys, kind) {
  const words = wordsOf(keys, kind);
  const indices = new Int32Array(keys.length);
  const slots = slotsOf([1, keys.length, KINDS[kind]]);
  run('map_sort', slots, [words, indices, new BigInt64Array(keys.length), new Int32Array(keys.length)]);
  return { words, indices };
}

/**
 * Addresses or bigints of 128 bits, four words of 32 each, in order: by their low halves and then by their high ones.
 *
 * @param {Uint32Array} words the low one first
 * @param {Int32Array} order indices, of which equal ones stay as they are
 * @returns {Int32Array}
 */
function sortedWide(words, order) {
  for (const half of [0, 2]) {
    const own = new Uint32Array(2 * order.length);
    for (let i = 0; i < own.length; i++) own[i] = words[4 * order[i >> 1] + half + (i & 1)];
    const { indices } = sortWords(new BigUint64Array(own.buffer), 'unsigned');
    const from = order;
    order = indices.map((i) => from[i]);
  }
  return order;
}

/** @type {(parts: Parts) => Order} */
function orderOf({ kind, keys }) {
  if (kind === 'string') return sortTexts(keys);
  const { words, indices } = sortWords(keys, kind === 'integer' ? 'number' : kind);
  // There is one NaN at most, the last.
  const count = keys.length > 0 && Number.isNaN(keys[indices[keys.length - 1]]) ? keys.length - 1 : keys.length;
  const sorted = new keys.constructor(count);
  for (let i = 0; i < count; i++) sorted[i] = keys[indices[i]];
  return { keys: sorted, indices: indices.subarray(0, count), words: words.subarray(0, count) };
}

/** How many keys are below one, or at most one. @type {(keys: any, key: any, orEqual: boolean) => number} */
function countBelow(keys, key, orEqual) {
  let [from, to] = [0, keys.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (keys[middle] < key || (orEqual && keys[middle] === key)) from = middle + 1;
    else to = middle;
  }
  return from;
}

class Ordered {
  /** @type {import('./tree.js').Tree | undefined} */
  #tree;

  /** @param {Parts} parts */
  constructor(parts) {
    this.kind = parts.kind;
    this.order = orderOf(parts);
  }

  /** The number of keys below; NaN is behind all numbers. @param {any} key */
  rank(key) {
    return Number.isNaN(key) ? this.order.keys.length : countBelow(this.order.keys, key, false);
  }

  /** The index of the greatest key that is not above, or -1. @param {any} key */
  floor(key) {
    return this.order.indices[countBelow(this.order.keys, key, true) - 1] ?? -1;
  }

  /** The index of the least key that is not below, or -1. @param {any} key */
  ceiling(key) {
    return this.order.indices[countBelow(this.order.keys, key, false)] ?? -1;
  }

  /** Indices of the keys from `low` to below `high`. @param {any} low @param {any} high */
  range(low, high) {
    const from = countBelow(this.order.keys, low, false);
    return this.order.indices.subarray(from, Math.max(from, countBelow(this.order.keys, high, false)));
  }

  /** The tree over sorted words, for ranks of many keys. */
  get tree() {
    const { keys, words } = this.order;
    this.#tree ??= searchTree(/** @type {BigInt64Array} */ (words), keys instanceof Float64Array ? keys : null);
    return this.#tree;
  }
}

module.exports = { Ordered, sortWords, sortedIndices, sortedWide };
