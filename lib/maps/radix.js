/**
 * Prefixes of strings as a tree in typed arrays: nodes are where strings part, or where a prefix ends.
 *
 * A lookup goes down blindly: at a node it reads the one unit at the node's depth, and looks at the one place where a
 * child with that unit can be. Only then it compares: with the text of the node where it stopped, of which every node
 * above has the beginning. How much of that is right says which of the prefixes on the way is the longest.
 *
 * Nodes are made of the sorted prefixes from left to right, each with what it has in common with the one before:
 * nothing calls itself, and a prefix of a million units is one node.
 */
'use strict';

const vm = require('node:vm');
const { fail } = require('../base/errors.js');
const { inLargePages } = require('../tensor/allocate.js');
const { sortedIndices } = require('./ordered.js');

const UNIT_BITS = 16;
const MOST_UNITS = 2 ** 31 - 1;
/** Factors that are tried before a table is made twice as large. */
const ATTEMPTS = 16;
/** The exponent of how many numbers a place has in a function for strings: six are in use. */
const STEP_BITS = 3;

/**
 * @typedef {object} Radix
 * @property {Uint16Array} units of prefixes that go through no other
 * @property {Int32Array} texts of nodes: where in `units` a text begins that goes through it
 * @property {Int32Array} entries of nodes: the entry that ends there, or -1
 * @property {Int32Array} nearest of nodes: itself or the nearest above where an entry ends, or -1
 * @property {Int32Array} above of nodes: the nearest properly above where an entry ends, or -1
 * @property {Int32Array} nodes as of Children
 * @property {Int32Array} places
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
    if (nodes.depths[top] === text.length) nodes.entries[top] = order[i];
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

/**
 * The texts of nodes, which share those of the leaves below.
 *
 * @param {Nodes} nodes
 * @returns {{ units: Uint16Array, texts: Int32Array }}
 */
function textsOf({ depths, texts, parents }) {
  const count = depths.length;
  const begins = new Int32Array(count).fill(-1);
  let size = 0;
  const leaves = leavesOf(parents);
  for (const leaf of leaves) size += depths[leaf];
  if (size > MOST_UNITS) fail('ERR_OVERFLOW', `compileTrie: prefixes of ${size} units, the most are ${MOST_UNITS}`);
  const units = new Uint16Array(size);
  let at = 0;
  for (const leaf of leaves) {
    for (let i = 0; i < depths[leaf]; i++) units[at + i] = texts[leaf].charCodeAt(i);
    for (let node = leaf; node >= 0 && begins[node] < 0; node = parents[node]) begins[node] = at;
    at += depths[leaf];
  }
  return { units, texts: begins };
}

/** Nodes without children. @type {(parents: readonly number[]) => number[]} */
function leavesOf(parents) {
  const isAbove = new Uint8Array(parents.length);
  for (const parent of parents) if (parent >= 0) isAbove[parent] = 1;
  return Array.from(parents, (_, node) => node).filter((node) => !isAbove[node]);
}

/**
 * Children of nodes by the unit that leads to them, and where they are: for each node a table of its own, in which the
 * top bits of unit times factor tell its children apart. With 16 bits a factor does for any units.
 */
class Children {
  /** Four of each node: where its table begins, the factor, 32 less the table's bits, and its depth. */
  nodes;
  /** Two of each place: the unit and the child; -1 where there is none. @type {number[]} */
  places = [];
  /** Of units that are tried together, the number of the attempt. */
  #marks = new Int32Array(2 ** UNIT_BITS);
  #attempt = 0;

  /** @param {Nodes} nodes */
  constructor({ depths, texts, parents }) {
    this.nodes = new Int32Array(4 * depths.length);
    const { starts, list } = byParent(parents);
    for (let node = 0; node < depths.length; node++) {
      this.nodes[4 * node + 3] = depths[node];
      const own = list.subarray(starts[node], starts[node + 1]);
      this.#add(node, own, Array.from(own, (child) => texts[child].charCodeAt(depths[node])));
    }
  }

  /** @param {number} node @param {Int32Array} children @param {readonly number[]} units */
  #add(node, children, units) {
    const { factor, bits } = this.#tell(units);
    const begin = this.places.length / 2;
    this.nodes.set([begin, factor, 32 - bits], 4 * node);
    for (let i = 0; i < 2 ** bits; i++) this.places.push(-1, -1);
    units.forEach((unit, i) => {
      const place = 2 * (begin + (Math.imul(unit, factor) >>> (32 - bits)));
      this.places[place] = unit;
      this.places[place + 1] = children[i];
    });
  }

  /** A factor that tells units apart, with as few bits as attempts allow. @param {readonly number[]} units */
  #tell(units) {
    for (let bits = Math.max(1, Math.ceil(Math.log2(units.length))); bits < UNIT_BITS; bits++) {
      for (let i = 1; i <= ATTEMPTS; i++) {
        const factor = Math.imul(i, 0x9e3779b1) | 1;
        if (this.#differ(units, factor, bits)) return { factor, bits };
      }
    }
    return { factor: 2 ** UNIT_BITS, bits: UNIT_BITS };
  }

  /** @param {readonly number[]} units @param {number} factor @param {number} bits */
  #differ(units, factor, bits) {
    const attempt = ++this.#attempt;
    for (const unit of units) {
      const place = Math.imul(unit, factor) >>> (32 - bits);
      if (this.#marks[place] === attempt) return false;
      this.#marks[place] = attempt;
    }
    return true;
  }
}

/** Nodes by their parents. @type {(parents: readonly number[]) => { starts: Int32Array, list: Int32Array }} */
function byParent(parents) {
  const starts = new Int32Array(parents.length + 1);
  for (let node = 1; node < parents.length; node++) starts[parents[node] + 1]++;
  for (let node = 0; node < parents.length; node++) starts[node + 1] += starts[node];
  const next = starts.slice();
  const list = new Int32Array(parents.length - 1);
  for (let node = 1; node < parents.length; node++) list[next[parents[node]]++] = node;
  return { starts, list };
}

/**
 * Places of children with what nodes have of them, so that a step down waits for one place and for no node besides: the
 * unit, the nearest node from the child on upwards where an entry ends, and the child's table, factor, shift and depth.
 *
 * @type {(radix: Radix) => Int32Array}
 */
function stepsOf({ nearest, nodes, places }) {
  const steps = new Int32Array((places.length / 2) << STEP_BITS);
  inLargePages(new Uint8Array(steps.buffer));
  steps.fill(-1);
  for (let i = 0, at = 0; i < places.length; i += 2, at += 1 << STEP_BITS) {
    const child = places[i + 1];
    if (child < 0) continue;
    steps[at] = places[i];
    steps[at + 1] = nearest[child];
    steps[at + 2] = nodes[4 * child] << STEP_BITS;
    for (let j = 1; j < 4; j++) steps[at + 2 + j] = nodes[4 * child + j];
  }
  return steps;
}

/** The first node from the root on where an entry ends or prefixes part. @type {(radix: Radix) => number} */
function firstFork({ nodes, places, entries }) {
  let node = 0;
  while (entries[node] < 0) {
    const [begin, , shift] = nodes.subarray(4 * node, 4 * node + 3);
    const table = places.subarray(2 * begin, 2 * (begin + 2 ** (32 - shift)));
    const own = table.filter((child, i) => i % 2 > 0 && child >= 0);
    if (own.length !== 1) break;
    node = own[0];
  }
  return node;
}

/** Goes up from a node until its prefix ends at a unit. @type {(boundary: number) => string} */
const toBoundary = (boundary) => `
  while (node >= 0 && (d = D[node]) !== n && k.charCodeAt(d) !== ${boundary}) {
    if (d > 0 && k.charCodeAt(d - 1) === ${boundary}) break;
    node = A[node];
  }`;

/**
 * The function from a key to the entry of its longest prefix, or -1. To compare from the end on takes less, and shows
 * sooner that a text differs; how much is right from the beginning on then says where to go.
 *
 * @type {(radix: Radix, start: number, boundary: number) => string}
 */
function findText({ nodes, nearest }, start, boundary) {
  const [begin, factor, shift, depth] = nodes.subarray(4 * start, 4 * start + 4);
  return `return function index(k) {
  if (typeof k !== 'string') return -1;
  const n = k.length;
  let node = ${nearest[start]}, b = ${begin << STEP_BITS}, f = ${factor}, s = ${shift}, d = ${depth};
  while (d < n) {
    const c = k.charCodeAt(d);
    const i = b + (Math.imul(c, f) >>> s << ${STEP_BITS});
    if (S[i] !== c) break;
    node = S[i + 1];
    b = S[i + 2];
    f = S[i + 3];
    s = S[i + 4];
    d = S[i + 5];
  }
  if (node < 0) return -1;
  d = D[node];
  const text = T[node];
  let left = d;
  if (d <= n) while (left > 0 && k.charCodeAt(left - 1) === U[text + left - 1]) left--;
  if (left > 0) {
    const most = d < n ? d : n;
    let right = 0;
    while (right < most && k.charCodeAt(right) === U[text + right]) right++;
    do node = A[node]; while (node >= 0 && D[node] > right);
  }${boundary < 0 ? '' : toBoundary(boundary)}
  return node < 0 ? -1 : E[node];
};`;
}

/**
 * The function that finds the longest prefix of a text.
 *
 * @param {Radix} radix
 * @param {number} boundary unit at which alone prefixes end, or -1
 * @returns {(key: any) => number} its entry, or -1
 */
function radixFinder(radix, boundary) {
  const { units, texts, above, nodes, entries } = radix;
  const depths = Int32Array.from(texts, (_, node) => nodes[4 * node + 3]);
  const names = { S: stepsOf(radix), A: above, D: depths, T: texts, U: units, E: entries };
  const code = findText(radix, firstFork(radix), boundary);
  return /** @type {any} */ (vm.compileFunction(code, Object.keys(names)))(...Object.values(names));
}

/**
 * @param {readonly string[]} prefixes that differ
 * @returns {Radix}
 */
function radixTree(prefixes) {
  const nodes = grow(prefixes, sortedIndices(prefixes));
  const { nearest, above } = nearestOf(nodes);
  const children = new Children(nodes);
  const [entries, places] = [Int32Array.from(nodes.entries), Int32Array.from(children.places)];
  return { ...textsOf(nodes), entries, nearest, above, nodes: children.nodes, places };
}

module.exports = { radixFinder, radixTree };
