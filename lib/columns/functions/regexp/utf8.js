/**
 * Sets of code points as automata over the bytes of UTF-8.
 *
 * A node is what may follow: ranges of bytes, each with the node behind it, or DONE. Equal nodes are one. Texts are
 * valid, so ranges may take in what no text has, such as halves of surrogate pairs, if that makes them simpler.
 */
'use strict';

/** @typedef {import('./sets.js').Ranges} Ranges */
/** @typedef {{ low: number, high: number, to: number }} Edge */
/** @typedef {readonly (readonly [low: number, high: number])[]} Sequence ranges of the bytes of a code point */

const DONE = -1;
const NOWHERE = -2;

/** The last code point of one byte, of two, and so on. */
const LAST = [0x7f, 0x7ff, 0xffff, 0x10ffff];

/** What all code points of so many bytes are. @type {readonly (Sequence | undefined)[]} */
const WHOLE = [
  undefined,
  undefined,
  [[0xe0, 0xef], [0x80, 0xbf], [0x80, 0xbf]],
  [[0xf0, 0xf7], [0x80, 0xbf], [0x80, 0xbf], [0x80, 0xbf]],
];

/** @type {(code: number, more: number) => number[]} the bytes of a code point that has `more` behind the first */
function bytesOf(code, more) {
  if (more === 0) return [code];
  const rest = Array.from({ length: more }, (_, i) => 0x80 | ((code >> (6 * (more - 1 - i))) & 63));
  return [(0xf00 >> (more + 1)) & 0xff | (code >> (6 * more)), ...rest];
}

/** A range as sequences, in order. @type {(low: number, high: number) => Sequence[]} */
function sequences(low, high) {
  const more = LAST.findIndex((last) => low <= last);
  if (high > LAST[more]) return [...sequences(low, LAST[more]), ...sequences(LAST[more] + 1, high)];
  const whole = WHOLE[more];
  if (whole !== undefined && low === LAST[more - 1] + 1 && high === LAST[more]) return [whole];
  for (let i = 1; i <= more; i++) {
    const mask = (1 << (6 * i)) - 1;
    if ((low | mask) === (high | mask)) break;
    if ((low & mask) !== 0) return [...sequences(low, low | mask), ...sequences((low | mask) + 1, high)];
    if ((high & mask) !== mask) return [...sequences(low, (high & ~mask) - 1), ...sequences(high & ~mask, high)];
  }
  const [first, last] = [bytesOf(low, more), bytesOf(high, more)];
  return [first.map((byte, i) => /** @type {const} */ ([byte, last[i]]))];
}

class Bytes {
  /** @type {Edge[][]} */
  nodes = [];
  /** @type {Map<string, number>} */
  #known = new Map();
  /** @type {Map<Ranges, number>} */
  #roots = new Map();
  /** Where bytes lead, of nodes that were asked for. @type {Int32Array[]} */
  #steps = [];

  /** The node that takes a set. @type {(ranges: Ranges) => number} */
  root(ranges) {
    let root = this.#roots.get(ranges);
    if (root === undefined) {
      root = this.#node(ranges.flatMap(([low, high]) => sequences(low, high)), 0);
      this.#roots.set(ranges, root);
    }
    return root;
  }

  /** Of sequences that begin alike up to `at`. Those that begin with more than one byte share none. @type {(all: Sequence[], at: number) => number} */
  #node(all, at) {
    /** @type {Edge[]} */
    const edges = [];
    for (let i = 0; i < all.length; ) {
      const [low, high] = all[i][at];
      let end = i + 1;
      while (end < all.length && all[end][at][0] === low) end++;
      const to = at + 1 === all[i].length ? DONE : this.#node(all.slice(i, end), at + 1);
      const last = edges.at(-1);
      if (last !== undefined && last.to === to && last.high === low - 1) last.high = high;
      else edges.push({ low, high, to });
      i = end;
    }
    const key = edges.map(({ low, high, to }) => `${low}-${high}>${to}`).join();
    let node = this.#known.get(key);
    if (node === undefined) this.#known.set(key, (node = this.nodes.push(edges) - 1));
    return node;
  }

  /** Where a byte leads; NOWHERE if nowhere. @type {(node: number, byte: number) => number} */
  step(node, byte) {
    this.#steps[node] ??= this.#row(this.nodes[node]);
    return this.#steps[node][byte];
  }

  /** @param {readonly Edge[]} edges */
  #row(edges) {
    const row = new Int32Array(256).fill(NOWHERE);
    for (const { low, high, to } of edges) row.fill(to, low, high + 1);
    return row;
  }
}

module.exports = { Bytes, DONE, NOWHERE };
