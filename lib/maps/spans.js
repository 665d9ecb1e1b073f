/**
 * Networks of IP addresses as spans that do not overlap, each of which belongs to the narrowest network around it.
 *
 * Addresses are four words of 32 bits in one array, the low one first, those of IPv4 with zeros: sorted by digits, and
 * without bigints, each of which would be an object.
 */
'use strict';

const { ones, readNetwork } = require('./addresses.js');
const { sortedWide } = require('./ordered.js');

/** First addresses, and how many bits lie behind each prefix. @typedef {{ words: Uint32Array, free: Uint8Array, versions: Uint8Array }} Networks */
/** In order, with both ends included, and the network of each. @typedef {{ lows: Uint32Array, lasts: Uint32Array, indices: Int32Array }} Spans */

const MOST_FREE = 128;

/** Networks, or the index of a text that is none. @type {(texts: readonly string[]) => Networks | number} */
function readNetworks(texts) {
  const count = texts.length;
  const all = { words: new Uint32Array(4 * count), free: new Uint8Array(count), versions: new Uint8Array(count) };
  for (let i = 0; i < count; i++) {
    const network = readNetwork(texts[i]);
    if (network === null) return i;
    all.words.set(network.words, 4 * i);
    all.free[i] = network.free;
    all.versions[i] = network.version;
  }
  return all;
}

/** The sign of the difference of two addresses. @type {(a: Uint32Array, i: number, b: Uint32Array, j: number) => number} */
function compared(a, i, b, j) {
  for (let k = 3; k >= 0; k--) if (a[4 * i + k] !== b[4 * j + k]) return a[4 * i + k] < b[4 * j + k] ? -1 : 1;
  return 0;
}

/** Indices by where networks begin, the widest first; of equal ones as they came. @type {(networks: Networks, version: 4 | 6) => Int32Array} */
function sorted({ words, free, versions }, version) {
  const starts = new Int32Array(MOST_FREE + 2);
  for (let i = 0; i < free.length; i++) if (versions[i] === version) starts[MOST_FREE - free[i] + 1]++;
  for (let k = 0; k <= MOST_FREE; k++) starts[k + 1] += starts[k];
  const order = new Int32Array(starts[MOST_FREE + 1]);
  for (let i = 0; i < free.length; i++) if (versions[i] === version) order[starts[MOST_FREE - free[i]]++] = i;
  return sortedWide(words, order);
}

/** Without those that are equal to one before; `lasts` gets the last one that is equal to each. @type {(order: Int32Array, networks: Networks, lasts: Int32Array) => Int32Array} */
function distinct(order, { words, free }, lasts) {
  let size = 0;
  for (const i of order) {
    const before = size > 0 ? order[size - 1] : i;
    const isEqual = before !== i && free[before] === free[i] && compared(words, before, words, i) === 0;
    lasts[isEqual ? before : i] = i;
    if (!isEqual) order[size++] = i;
  }
  return order.subarray(0, size);
}

/** Writes an address that is so many behind another; whether there is none. @type {(words: Uint32Array, i: number, by: -1 | 0 | 1, to: Uint32Array) => boolean} */
function step(words, i, by, to) {
  /** @type {number} */
  let carry = by;
  for (let k = 0; k < 4; k++) {
    const sum = words[4 * i + k] + carry;
    to[k] = sum;
    carry = sum > 0xffffffff ? 1 : Math.min(0, Math.sign(sum));
  }
  return carry !== 0;
}

/** The last address of each. @type {(order: Int32Array, networks: Networks) => Uint32Array} */
function endsOf(order, { words, free }) {
  const ends = new Uint32Array(4 * order.length);
  for (let p = 0; p < ends.length; p++) {
    const [i, k] = [order[p >> 2], p & 3];
    ends[p] = words[4 * i + k] | ones(free[i] - 32 * k);
  }
  return ends;
}

/** Spans of networks in order. @type {(order: Int32Array, networks: Networks) => Spans} */
function flattened(order, networks) {
  const { words } = networks;
  const most = 4 * 2 * order.length;
  const spans = { lows: new Uint32Array(most), lasts: new Uint32Array(most), indices: new Int32Array(most / 4) };
  const ends = endsOf(order, networks);
  /** Where we are, and what lies before. */
  const [low, before] = [new Uint32Array(4), new Uint32Array(4)];
  /** Networks around that place, the narrowest last. @type {number[]} */
  const open = [];
  let [count, isBehind] = [0, false];
  const give = (/** @type {number} */ p, /** @type {Uint32Array} */ last) => {
    spans.lows.set(low, 4 * count);
    spans.lasts.set(last, 4 * count);
    spans.indices[count++] = order[p];
  };
  const close = () => {
    const p = Number(open.pop());
    if (!isBehind && compared(low, 0, ends, p) <= 0) give(p, ends.subarray(4 * p, 4 * p + 4));
    isBehind = step(ends, p, 1, low);
  };
  for (let p = 0; p < order.length; p++) {
    while (open.length > 0 && compared(ends, open[open.length - 1], words, order[p]) < 0) close();
    if (open.length > 0 && compared(low, 0, words, order[p]) < 0) {
      step(words, order[p], -1, before);
      give(open[open.length - 1], before);
    }
    step(words, order[p], 0, low);
    open.push(p);
  }
  while (open.length > 0) close();
  const [lows, lasts] = [spans.lows.subarray(0, 4 * count), spans.lasts.subarray(0, 4 * count)];
  return { lows, lasts, indices: spans.indices.subarray(0, count) };
}

/**
 * Spans of the networks of each version, by the first one of those that are equal.
 *
 * @param {Networks} networks
 * @returns {{ v4: Spans, v6: Spans, lasts: Int32Array }} `lasts`: by network the last one that is equal, -1 unless it is the first
 */
function spansOf(networks) {
  const lasts = new Int32Array(networks.free.length).fill(-1);
  const own = (/** @type {4 | 6} */ version) => flattened(distinct(sorted(networks, version), networks, lasts), networks);
  return { v4: own(4), v6: own(6), lasts };
}

module.exports = { readNetworks, spansOf };
