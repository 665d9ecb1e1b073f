/**
 * Trees whose nodes are met one after the other, as in files that nest them: lists of fields that become a Tree.
 *
 * Files say how deep they go, so nothing here calls itself.
 */
'use strict';

const { fail } = require('../base/errors.js');
const { MOST_NODES, emptyTree } = require('./trees.js');

/** @typedef {import('./trees.js').Tree} Tree */
/** What a node of a file is: its children, or null for a leaf, and how the rest is written to a tree. @typedef {{ children: readonly [unknown, unknown] | null, write: (tree: Tree, node: number) => void }} Met */

/**
 * @param {unknown} root
 * @param {(json: unknown) => Met} meet
 * @param {{ group: number, iteration: number, where: string, hasCover: { all: boolean } }} at `hasCover.all`: whether all nodes that
 *   were met say what came to them
 * @returns {Tree}
 */
function growTree(root, meet, { group, iteration, where, hasCover }) {
  /** @type {Met[]} */
  const nodes = [];
  /** @type {number[]} */
  const lefts = [];
  const waiting = [root];
  for (let i = 0; i < waiting.length; i++) {
    const met = meet(waiting[i]);
    waiting[i] = null;
    nodes.push(met);
    lefts.push(met.children === null ? -1 : waiting.length);
    if (met.children !== null) waiting.push(...met.children);
    if (waiting.length > MOST_NODES) fail('ERR_PARSE', `${where} has more than ${MOST_NODES} nodes`);
  }
  const tree = emptyTree(nodes.length, group, iteration);
  if (hasCover.all) tree.cover = new Float64Array(nodes.length);
  nodes.forEach(({ write }, node) => {
    tree.left[node] = lefts[node];
    tree.right[node] = lefts[node] < 0 ? -1 : lefts[node] + 1;
    write(tree, node);
  });
  return tree;
}

module.exports = { growTree };
