/**
 * Prefixes of strings as a tree in typed arrays: nodes are where strings part, or where a prefix ends.
 *
 * A lookup goes down blindly: at a node it reads the one unit at the node's depth, and a table of all children, by node
 * and unit, says where to go. Only then it compares: with the text of the node where it stopped, of which every node
 * above has the beginning. How much of that is right says which of the prefixes on the way is the longest.
 *
 * Nodes are made of the sorted prefixes from left to right, each with what it has in common with the one before:
 * nothing calls itself, and a prefix of a million units is one node.
 */
'use strict';

const vm = require('node:vm');
const { slotText } = require('./generate.js');
const { sortedIndices } = require('./ordered.js');
const { placeWords } = require('./table.js');

/**
 * @typedef {object} Radix
 * @property {Int32Array} depths of nodes: units from the root
 * @property {string[]} texts of nodes, as long as they are deep where an entry ends
 * @property {Int32Array} entries of nodes: the entry that ends there, or -1
 * @property {Int32Array} nearest of nodes: itself or the nearest above where an entry ends, or -1
 * @property {Int32Array} above of nodes: the nearest properly above where an entry ends, or -1
 * @property {import('./table.js').Table | null} children words are node and unit, indices child nodes less one
 */

/** Units that two strings have in common at their beginning. @type {(a: string, b: string) => number} */
function common(a, b) {
  const most = Math.min(a.length, b.length);
  let i = 0;
  while (i < most && a.charCodeAt(i) === b.charCodeAt(i)) i++;
  return i;
}

class Nodes {
  /** @type {number[]} */
  depths = [];
  /** @type {string[]} */
  texts = [];
  /** @type {number[]} */
  entries = [];
  /** @type {number[]} */
  parents = [];

  /** @param {number} depth @param {string} text @param {number} entry @param {number} parent */
  add(depth, text, entry, parent) {
    this.texts.push(text);
    this.entries.push(entry);
    this.parents.push(parent);
    return this.depths.push(depth) - 1;
  }
}

/** Nodes of sorted prefixes that differ. Node 0 is the root. @type {(prefixes: readonly string[], order: ArrayLike<number>) => Nodes} */
function grow(prefixes, order) {
  const nodes = new Nodes();
  /** From the root to the last prefix. */
  const path = [nodes.add(0, '', -1, -1)];
  let last = '';
  for (let i = 0; i < order.length; i++) {
    const text = prefixes[order[i]];
    const shared = common(last, text);
    let below = -1;
    while (nodes.depths[path[path.length - 1]] > shared) below = /** @type {number} */ (path.pop());
    let top = path[path.length - 1];
    if (nodes.depths[top] < shared) {
      // The last prefix went past this depth without a node.
      top = nodes.add(shared, text, -1, top);
      nodes.parents[below] = top;
      path.push(top);
    }
    if (nodes.depths[top] === text.length) [nodes.entries[top], nodes.texts[top]] = [order[i], text];
    else path.push(nodes.add(text.length, text, order[i], top));
    last = text;
  }
  return nodes;
}

/** For each node the nearest from it on upwards where an entry ends. @type {(nodes: Nodes) => { nearest: Int32Array, above: Int32Array }} */
function nearestOf({ depths, entries, parents }) {
  const count = depths.length;
  const [nearest, above] = [new Int32Array(count), new Int32Array(count)];
  // A node may be made after those below it, but never deeper than they are.
  const byDepth = Int32Array.from(depths, (_, i) => i).sort((a, b) => depths[a] - depths[b]);
  for (const node of byDepth) {
    above[node] = parents[node] < 0 ? -1 : nearest[parents[node]];
    nearest[node] = entries[node] >= 0 ? node : above[node];
  }
  return { nearest, above };
}

/** @type {(nodes: Nodes) => import('./table.js').Table | null} */
function childrenOf({ depths, texts, parents }) {
  if (depths.length === 1) return null;
  const words = new BigInt64Array(depths.length - 1);
  const halves = new Int32Array(words.buffer);
  for (let node = 1; node < depths.length; node++) {
    halves[2 * (node - 1)] = texts[node].charCodeAt(depths[parents[node]]);
    halves[2 * (node - 1) + 1] = parents[node];
  }
  return /** @type {import('./table.js').Table} */ (placeWords(words));
}

/** The function from a text to the node of its longest prefix, or -1. `B`: the unit at which prefixes end, or -1. */
const FIND = (/** @type {string} */ before, /** @type {string} */ slot) => `return function longest(k) {
  const n = k.length;
  let node = 0, d = 0;
  while (d < n) {
    const lo = k.charCodeAt(d), hi = node;
    ${before}
    const s = ${slot};
    if (I[4 * s] !== lo || I[4 * s + 1] !== hi) break;
    node = I[4 * s + 2] + 1;
    d = D[node];
  }
  node = N[node];
  if (node < 0) return -1;
  d = D[node];
  if (d > 0 && (d > n || !k.startsWith(T[node]))) {
    const t = T[node], most = d < n ? d : n;
    let right = 0;
    while (right < most && k.charCodeAt(right) === t.charCodeAt(right)) right++;
    do node = A[node]; while (node >= 0 && D[node] > right);
  }
  if (B >= 0) {
    while (node >= 0 && (d = D[node]) !== n && k.charCodeAt(d) !== B && (d === 0 || k.charCodeAt(d - 1) !== B)) node = A[node];
  }
  return node;
};`;

/** Where a text has no node below the root. */
const ROOT_ALONE = { before: '', slot: '0' };
const NO_CHILD = Int32Array.of(-1, -1, -1, 0);

/**
 * The function that finds the longest prefix of a text.
 *
 * @param {Radix} radix
 * @param {number} boundary unit at which alone prefixes end, or -1
 * @returns {(text: string) => number} a node, or -1
 */
function radixFinder({ depths, texts, nearest, above, children }, boundary) {
  const { before, slot } = children === null ? ROOT_ALONE : slotText(children, false);
  const table = { I: children?.slots ?? NO_CHILD, P: children?.pilots ?? null };
  const names = { ...table, D: depths, N: nearest, A: above, T: texts, B: boundary };
  return /** @type {any} */ (vm.compileFunction(FIND(before, slot), Object.keys(names)))(...Object.values(names));
}

/**
 * @param {readonly string[]} prefixes that differ
 * @returns {Radix}
 */
function radixTree(prefixes) {
  const nodes = grow(prefixes, sortedIndices(prefixes));
  const { nearest, above } = nearestOf(nodes);
  return {
    depths: Int32Array.from(nodes.depths), texts: nodes.texts, entries: Int32Array.from(nodes.entries),
    nearest, above, children: childrenOf(nodes),
  };
}

module.exports = { radixFinder, radixTree };
