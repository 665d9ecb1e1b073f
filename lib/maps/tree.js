/**
 * The search tree over sorted words (src/library/maps/order.c).
 */
'use strict';

const { run } = require('./kernels.js');
const { slotsOf } = require('./words.js');

/** @typedef {{ words: BigInt64Array, count: number, levels: number[], nodes: BigInt64Array }} Tree */

/** Words of a node; it has one child more. */
const NODE = 8;

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

module.exports = { searchTree };
