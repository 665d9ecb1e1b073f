/**
 * The search tree over sorted words, and ranks of many keys in it (src/library/maps/order.c).
 */
'use strict';

const { run, unitsOf } = require('./kernels.js');
const { KINDS, classOf, slotsOf } = require('./words.js');

/** @typedef {{ words: BigInt64Array, count: number, levels: number[], nodes: BigInt64Array }} Tree */

/** Words of a node; it has one child more. */
const NODE = 8;

/** Of the kernel: what is written instead of values. */
const RANKS = -1;
const INDICES = 0;

/** Nodes of each level above the words, the lowest first. @type {(blocks: number) => number[]} */
function levelsOf(blocks) {
  const levels = [];
  for (let count = blocks; count > 1; ) {
    count = Math.ceil(count / (NODE + 1));
    levels.push(count);
  }
  return levels;
}

/**
 * @param {BigInt64Array} sorted
 * @returns {Tree}
 */
function searchTree(sorted) {
  const blocks = Math.ceil(sorted.length / NODE);
  const words = new BigInt64Array(NODE * Math.max(1, blocks)).fill(2n ** 63n - 1n);
  words.set(sorted);
  const levels = levelsOf(blocks);
  const nodes = new BigInt64Array(NODE * Math.max(1, levels.reduce((a, b) => a + b, 0)));
  run('map_tree', slotsOf([1, sorted.length, levels.length, ...levels]), [words, nodes]);
  return { words, count: sorted.length, levels, nodes };
}

/**
 * Looks many keys up.
 *
 * @param {Tree} tree
 * @param {object} how
 * @param {any} how.keys a typed array
 * @param {'number' | 'signed' | 'unsigned'} how.kind
 * @param {number} how.what RANKS or INDICES
 * @param {BigInt64Array} [how.lasts] the last word of each interval
 * @param {Int32Array} [how.values] indices by interval
 * @param {any} how.out
 * @param {number} how.threads
 */
function searchMany({ words, count, levels, nodes }, { keys, kind, what, lasts, values, out, threads }) {
  const { length } = keys;
  const asked = [unitsOf(length), length, Number(classOf(keys)), KINDS[kind], what, 0];
  const slots = slotsOf([...asked, count, levels.length, ...levels]);
  run('map_rank', slots, [keys, null, words, nodes, lasts ?? null, values ?? null, out], threads);
}

module.exports = { INDICES, RANKS, searchMany, searchTree };
