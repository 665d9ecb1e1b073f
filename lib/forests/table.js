/**
 * The table of a forest, which compiled code reads: all trees in one piece of memory, as src/library/forests/table.h
 * says. Its making takes time in proportion to the nodes, but for the sorting of thresholds.
 */
'use strict';

const { native } = require('../base/binding.js');
const { fail } = require('../base/errors.js');
const { FLAG, MOST_NODES, layoutOf } = require('./trees.js');

/** @typedef {Pick<import('./trees.js').Definition, 'features' | 'groups' | 'single' | 'doubles' | 'base'> & { trees: readonly Tree[] }} Definition */
/** @typedef {import('./trees.js').Tree} Tree */

/** Thresholds that codes tell apart; codes of 16 bits of a row; levels of a tree whose nodes are all compared. */
const [BYTE, WORD, MOST_WORDS, DEEPEST_DENSE] = [255, 65535, 65536, 6];
/** Rows of a block: at least, at most, and by bytes of codes that the first cache has room for. */
const [LEAST_ROWS, MOST_ROWS, BLOCK_BYTES] = [64, 512, 32768];
/** Codes that one byte tells apart, and nodes that are compared at once for one row. */
const [MASK_CODES, MASK_NODES] = [256, 64];
/** Words of a set for nodes that ask for a number. */
const NO_SET = 2048;

/** Fields of the head, in words of 64 bits. */
const FIELDS = /** @type {const} */ ([
  'features', 'columns', 'groups', 'trees', 'roundsInput', 'doubles', 'bytes', 'words', 'block', 'walks', 'masks',
  'columnAt', 'thresholdAt', 'treeAt', 'nodeAt', 'leafAt', 'numberAt', 'setAt', 'bitAt', 'denseAt', 'heapAt', 'maskAt', 'valueAt', 'baseAt',
]);
/** @typedef {typeof FIELDS[number]} Field */
/** Their places. */
const HEAD = /** @type {Record<Field, number>} */ (Object.fromEntries(FIELDS.map((name, i) => [name, i])));
/** Numbers of a column: those of columnSection() and two for each kind of code. */
const COLUMN = 10;

/**
 * A feature with a rule for its values. `sides`: whether some node sends what is missing left, and right.
 *
 * @typedef {object} Column
 * @property {number} feature
 * @property {number} flags
 * @property {number} size nodes that ask it, or categories
 * @property {boolean[]} sides
 * @property {boolean[]} dense
 * @property {Float64Array} thresholds in order, each once
 * @property {number[]} byte
 * @property {number[]} word
 */

/** A tree in its place. `nodes`: where its dense nodes and leaves begin. @typedef {{ tree: Tree, place: number, order: Int32Array, depth: number, first: number, isDense: boolean, nodes: number }} Placed */

/** @type {(flags: number) => number} what of them belongs to a column */
const ruleOf = (flags) => flags & ~FLAG.missingRight;

class TableBuilder {
  #definition;
  /** @type {Placed[]} */
  #placed = [];
  /** @type {Map<number, Column>} */
  #columns = new Map();
  #nodes = 0;
  /** Dense trees, and levels of each. */
  #dense = 0;
  #depth = 1;

  /** @param {Definition} definition */
  constructor(definition) {
    this.#definition = definition;
    const { trees, features, groups } = definition;
    if (features > 2 ** 26) fail('ERR_UNSUPPORTED', `a forest of ${features} features, expected at most ${2 ** 26}`);
    const order = trees.map((_, i) => i);
    order.sort((a, b) => trees[a].group - trees[b].group || trees[a].iteration - trees[b].iteration || a - b);
    for (const place of order) this.#place(trees[place], place);
    for (const column of this.#columns.values()) column.thresholds = new Float64Array(column.size);
    for (const { tree, order: nodes } of this.#placed) this.#collect(tree, nodes);
    for (const column of this.#columns.values()) column.thresholds = sorted(column.thresholds);
    this.groups = groups;
  }

  /** Trees in the order of the table. @returns {readonly Placed[]} */
  get placed() {
    return this.#placed;
  }

  /** @type {(tree: Tree, place: number) => void} */
  #place(tree, place) {
    const { order, depth } = layoutOf(tree, this.#definition.features, `tree ${place}`);
    const isDense = tree.sets === null && depth <= DEEPEST_DENSE;
    this.#placed.push({ tree, place, order, depth, isDense, first: this.#nodes, nodes: this.#dense });
    this.#nodes += order.length;
    if (isDense) {
      this.#dense++;
      this.#depth = Math.max(this.#depth, depth);
    }
    if (this.#nodes > MOST_NODES) fail('ERR_UNSUPPORTED', `a forest of more than ${MOST_NODES} nodes`);
    for (const node of order) {
      if (tree.left[node] < 0) continue;
      const column = this.#columnOf(tree, node);
      const side = tree.flags[node] & FLAG.missingRight ? 1 : 0;
      column.size += tree.sets?.get(node)?.members.length ?? 1;
      column.sides[side] = true;
      if (isDense) column.dense[side] = true;
    }
  }

  /** @type {(tree: Tree, node: number) => Column} */
  #columnOf({ feature, flags }, node) {
    const rule = ruleOf(flags[node]);
    const key = 32 * feature[node] + rule;
    let column = this.#columns.get(key);
    if (column === undefined) {
      column = {
        feature: feature[node], flags: rule, size: 0, sides: [false, false], dense: [false, false],
        thresholds: new Float64Array(0), byte: [-1, -1], word: [-1, -1],
      };
      this.#columns.set(key, column);
    }
    return column;
  }

  /** From here on `size` counts down. @type {(tree: Tree, nodes: Int32Array) => void} */
  #collect(tree, nodes) {
    for (const node of nodes) {
      if (tree.left[node] < 0) continue;
      const column = this.#columnOf(tree, node);
      const set = tree.sets?.get(node);
      if (set === undefined) column.thresholds[--column.size] = tree.threshold[node];
      else for (const member of set.members) column.thresholds[--column.size] = member;
    }
  }

  /** Gives codes to columns: how many there are of each kind. */
  #codes() {
    let [bytes, words] = [0, 0];
    for (const column of this.#columns.values()) {
      const count = column.thresholds.length;
      const isCategory = (column.flags & FLAG.category) !== 0;
      if (isCategory && count > WORD - 1)
        fail('ERR_UNSUPPORTED', `feature ${column.feature} has ${count} categories, expected at most ${WORD - 1}`);
      for (const side of [0, 1]) {
        if (column.sides[side]) {
          column.word[side] = words;
          words += Math.max(1, Math.ceil(count / WORD));
        }
        if (column.dense[side]) {
          column.byte[side] = bytes;
          bytes += Math.ceil(count / BYTE);
        }
      }
    }
    if (words > MOST_WORDS)
      fail('ERR_UNSUPPORTED', `a forest that compares ${words} features with their rules, expected at most ${MOST_WORDS}`);
    return { bytes, words: Math.max(1, words) };
  }

  /** @param {(size: number) => any} [make] a Uint8Array @returns {Uint8Array} */
  build(make = (size) => new Uint8Array(size)) {
    const { features, groups, single, doubles, base, trees } = this.#definition;
    const columns = [...this.#columns.values()];
    const { bytes, words } = this.#codes();
    const walks = this.#placed.some(({ isDense }) => !isDense);
    const hasSets = this.#placed.some(({ tree }) => tree.sets !== null);
    const Leaves = doubles ? Float64Array : Float32Array;
    const sets = hasSets ? this.#sets() : { starts: new Uint32Array(0), bits: new Uint32Array(0) };
    const thresholds = joined(columns.map((column) => column.thresholds));
    const perRow = bytes + (walks ? 2 * words : 0);
    const fitting = LEAST_ROWS * Math.floor(BLOCK_BYTES / Math.max(1, perRow) / LEAST_ROWS);
    const block = Math.min(MOST_ROWS, Math.max(LEAST_ROWS, fitting));
    const nodes = this.#nodeSections(Leaves);
    const masks = this.#dense > 0 && bytes <= MASK_CODES;
    const dense = this.#denseSections(Leaves, masks);
    const sections = [
      columnSection(columns), thresholds, this.#treeSection(), nodes.nodes, nodes.leaves, nodes.numbers,
      sets.starts, sets.bits, dense.nodes, dense.heap, dense.masks, dense.values, Float64Array.from(base),
    ];
    let at = aligned(8 * FIELDS.length);
    const offsets = sections.map(({ byteLength }) => {
      const own = at;
      at += aligned(byteLength);
      return own;
    });
    const table = make(at);
    native.advise(table); // deep trees are met in random places
    const [all, rule] = [trees.length, [single, doubles].map(Number)];
    const flags = [walks, masks].map(Number);
    const numbers = [features, columns.length, groups, all, ...rule, bytes, words, block, ...flags, ...offsets];
    new BigInt64Array(table.buffer, 0, FIELDS.length).set(numbers.map(BigInt));
    sections.forEach(({ buffer, byteOffset, byteLength }, i) =>
      table.set(new Uint8Array(buffer, byteOffset, byteLength), offsets[i]));
    return table;
  }

  /** Trees of each group that there are up to an iteration. @type {(begin: number, end: number) => Int32Array} */
  ranges(begin, end) {
    const ranges = new Int32Array(2 * this.groups);
    let t = 0;
    for (let group = 0; group < this.groups; group++) {
      const isOf = (/** @type {number} */ limit) => {
        const tree = this.#placed[t]?.tree;
        return tree !== undefined && tree.group === group && tree.iteration < limit;
      };
      while (isOf(begin)) t++;
      ranges[2 * group] = t;
      while (isOf(end)) t++;
      ranges[2 * group + 1] = t;
      while (isOf(Infinity)) t++;
    }
    return ranges;
  }

  #treeSection() {
    const list = new Int32Array(7 * this.#placed.length);
    this.#placed.forEach(({ tree, place, depth, first, isDense, nodes }, i) => {
      const at = nodes * 2 ** this.#depth;
      list.set([first, depth, tree.sets === null ? 0 : 1, isDense ? this.#depth : 0, at, at, place], 7 * i);
    });
    return list;
  }

  /** @type {(Leaves: typeof Float32Array | typeof Float64Array) => { nodes: Uint32Array, leaves: any, numbers: Int32Array }} */
  #nodeSections(Leaves) {
    const nodes = new Uint32Array(2 * this.#nodes);
    const leaves = new Leaves(this.#nodes);
    const numbers = new Int32Array(this.#nodes);
    for (const { tree, order, first } of this.#placed) {
      let next = first + 1;
      order.forEach((node, i) => {
        const at = first + i;
        if (tree.left[node] < 0) {
          nodes[2 * at] = WORD;
          nodes[2 * at + 1] = at;
          leaves[at] = tree.value[node];
          numbers[at] = tree.number[node];
          return;
        }
        const { word, least } = this.#codesOf(tree, node);
        nodes[2 * at] = packed(least, word);
        nodes[2 * at + 1] = next;
        next += 2;
      });
    }
    return { nodes, leaves, numbers };
  }

  /**
   * The codes that a node asks: of 16 bits, which is to be above `least`, and of 8 bits, which is to be at least
   * `after`.
   *
   * @type {(tree: Tree, node: number) => { word: number, least: number, byte: number, after: number }}
   */
  #codesOf(tree, node) {
    const column = this.#columnOf(tree, node);
    if (tree.sets?.has(node)) return { word: column.word[0], least: WORD, byte: -1, after: 0 };
    const side = tree.flags[node] & FLAG.missingRight ? 1 : 0;
    const place = placeOf(column.thresholds, tree.threshold[node]);
    const [word, byte] = [column.word[side] + Math.floor(place / WORD), column.byte[side] + Math.floor(place / BYTE)];
    return { word, least: place % WORD, byte, after: (place % BYTE) + 1 };
  }

  /** Bits of all sets, by code: whether it goes right. */
  #sets() {
    const starts = new Uint32Array(this.#nodes);
    /** @type {Uint32Array[]} */
    const sets = [new Uint32Array(NO_SET)];
    let at = NO_SET;
    for (const { tree, order, first } of this.#placed) {
      order.forEach((node, i) => {
        const set = tree.left[node] < 0 ? undefined : tree.sets?.get(node);
        if (set === undefined) return;
        const { thresholds } = this.#columnOf(tree, node);
        const own = new Uint32Array(Math.ceil((thresholds.length + 2) / 32)).fill(set.goRight ? 0 : -1);
        const put = (/** @type {number} */ code, /** @type {boolean} */ goesRight) => {
          const bit = 1 << (code & 31);
          own[code >> 5] = goesRight ? own[code >> 5] | bit : own[code >> 5] & ~bit;
        };
        for (const member of set.members) put(placeOf(thresholds, member) + 1, set.goRight);
        put(thresholds.length + 1, set.missingRight);
        starts[first + i] = at;
        at += own.length;
        sets.push(own);
      });
    }
    const bits = new Uint32Array(at);
    let to = 0;
    for (const own of sets) {
      bits.set(own, to);
      to += own.length;
    }
    return { starts, bits };
  }

  /** Full trees: where a tree ends early, all below is that leaf. @type {(Leaves: typeof Float32Array | typeof Float64Array, isMasked: boolean) => { nodes: Uint32Array, heap: Uint32Array, masks: Uint8Array, values: any }} */
  #denseSections(Leaves, isMasked) {
    const leaves = 2 ** this.#depth;
    const nodes = new Uint32Array(2 * this.#dense * leaves);
    const heap = new Uint32Array(this.#dense * leaves);
    const values = new Leaves(this.#dense * leaves);
    const masks = new Uint8Array(isMasked ? 2 * MASK_NODES * Math.ceil((this.#dense * leaves) / MASK_NODES) : 0);
    const found = new Int32Array(2 * leaves);
    for (const { tree, isDense, nodes: place } of this.#placed) {
      if (!isDense) continue;
      found[1] = 0;
      for (let i = 1; i < leaves; i++) {
        const node = found[i];
        const isLeaf = tree.left[node] < 0;
        found[2 * i] = isLeaf ? node : tree.left[node];
        found[2 * i + 1] = isLeaf ? node : tree.right[node];
        if (isLeaf) continue;
        const at = place * leaves + i;
        const { byte, after, word, least } = this.#codesOf(tree, node);
        nodes[2 * at] = LEAST_ROWS * byte;
        nodes[2 * at + 1] = ((after - 128) & 255) * 0x01010101;
        heap[at] = packed(least, word);
        if (!isMasked) continue;
        const inMasks = at + MASK_NODES * Math.floor(at / MASK_NODES);
        masks[inMasks] = byte;
        masks[inMasks + MASK_NODES] = after;
      }
      for (let i = 0; i < leaves; i++) values[place * leaves + i] = tree.value[found[leaves + i]];
    }
    return { nodes, heap, masks, values };
  }
}

/** As nodes have them: 16 bits each. @type {(least: number, word: number) => number} */
const packed = (least, word) => least + 65536 * word;

/** @type {(size: number) => number} */
const aligned = (size) => 64 * Math.ceil(size / 64);

/** @type {(numbers: Float64Array) => Float64Array} in order, each once, NaN last */
function sorted(numbers) {
  numbers.sort();
  let count = 0;
  for (const number of numbers) {
    const last = numbers[count - 1]; // undefined at first
    if (number !== last && !Number.isNaN(last)) numbers[count++] = number;
  }
  return numbers.slice(0, count);
}

/** Where a number stands in a list that has it. @type {(list: Float64Array, number: number) => number} */
function placeOf(list, number) {
  let [low, high] = [0, list.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle] >= number || Number.isNaN(list[middle])) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** @type {(lists: readonly Float64Array[]) => Float64Array} */
function joined(lists) {
  const all = new Float64Array(lists.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const list of lists) {
    all.set(list, at);
    at += list.length;
  }
  return all;
}

/** @type {(columns: readonly Column[]) => Int32Array} */
function columnSection(columns) {
  let first = 0;
  return Int32Array.from(columns.flatMap(({ feature, flags, thresholds: { length }, byte, word }) => {
    const [bytes, words] = [Math.ceil(length / BYTE), Math.max(1, Math.ceil(length / WORD))];
    first += length;
    return [feature, flags, first - length, length, bytes, words, ...byte, ...word];
  }));
}

/** The head of a table. @type {(table: Uint8Array) => Record<Field, number>} */
function headOf(table) {
  const words = new BigInt64Array(table.buffer, table.byteOffset, FIELDS.length);
  return /** @type {Record<Field, number>} */ (Object.fromEntries(FIELDS.map((name, i) => [name, Number(words[i])])));
}

/** A feature, and where its thresholds are. @typedef {{ feature: number, first: number, count: number }} Thresholds */

/** Those of a table. @type {(table: Uint8Array, head: Record<Field, number>) => Thresholds[]} */
function thresholdsIn(table, { columns, columnAt }) {
  const list = new Int32Array(table.buffer, table.byteOffset + columnAt, COLUMN * columns);
  return Array.from({ length: columns }, (_, c) => {
    const [feature, , first, count] = list.subarray(COLUMN * c);
    return { feature, first, count };
  });
}

module.exports = { HEAD, TableBuilder, headOf, thresholdsIn };
