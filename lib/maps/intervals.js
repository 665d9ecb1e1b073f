/**
 * Intervals that do not overlap, in order: what is looked up is the last one that begins no later than a key.
 *
 * One key is looked up by JavaScript. Bits of where it lies between the first beginning and the last name a bucket, of
 * about one beginning if these are even; what is left is a search by halves among the beginnings in it, so uneven ones
 * cost no more than that. Many keys go down a tree of words natively (tree.js).
 *
 * Bigints of up to 128 bits without a sign, such as IPv6 addresses, are four halves of words, found without arithmetic
 * of bigints; of larger ones there is no bucket. Neither has a tree.
 */
'use strict';

const vm = require('node:vm');
const { bitAt } = require('../columns/data/bitmaps.js');
const { sortWords, sortedIndices, sortedWide } = require('./ordered.js');
const { perform, rankRequest } = require('./requests.js');
const { searchTree } = require('./tree.js');
const { classOf, wordsOf } = require('./words.js');

/** `wide`: from 0 to 2^128 - 1; `any`: bigints of any size. @typedef {'number' | 'signed' | 'unsigned' | 'wide' | 'any'} IntervalKind */
/**
 * Intervals in order. `lows`, `highs`: both included. Of `wide` ones four words of 32 bits each, the low one first, of
 * `any` ones arrays of bigints, else typed arrays.
 *
 * @typedef {object} Intervals
 * @property {IntervalKind} kind
 * @property {any} lows
 * @property {any} highs
 * @property {Int32Array} indices of entries, by interval
 */

/** Buckets for each interval, and most of them. */
const BUCKETS_EACH = 2;
const MOST_BUCKETS = 2 ** 20;

/** The beginning of the function that finds how many intervals begin no later than `k`: `i`. */
const HALVES = `while (i < j) {
    const m = i + j >>> 1;
    if (L[m] <= k) i = m + 1;
    else j = m;
  }`;

/** The same of bigints, as halves of ordered words in H, where the low one counts as unsigned. */
const WORD_HALVES = `while (i < j) {
    const m = i + j >>> 1, h = H[2 * m + 1];
    if (h < hi || (h === hi && H[2 * m] >>> 0 <= lo)) i = m + 1;
    else j = m;
  }`;

/**
 * The first interval of each bucket. Buckets are even parts of what lies between the first and the last beginning.
 *
 * @param {number} count
 * @param {(i: number) => number} positionOf the beginning of an interval, as a number
 * @returns {{ starts: Int32Array, origin: number, scale: number }}
 */
function bucketsOf(count, positionOf) {
  const wanted = Math.min(MOST_BUCKETS, BUCKETS_EACH * count);
  const [origin, last] = [positionOf(0), positionOf(count - 1)];
  const exact = wanted / (last - origin);
  // One bucket where beginnings are infinite, or one.
  const scale = Number.isFinite(origin) && Number.isFinite(exact) && exact > 0 ? exact : 0;
  const buckets = scale === 0 ? 1 : wanted + 1;
  const starts = new Int32Array(buckets + 1);
  for (let i = 0; i < count; i++) starts[scale === 0 ? 1 : Math.trunc((positionOf(i) - origin) * scale) + 1]++;
  for (let b = 0; b < buckets; b++) starts[b + 1] += starts[b];
  return { starts, origin: scale === 0 ? 0 : origin, scale };
}

/** Statements that bound `i` and `j` by the bucket of `p`. @type {(buckets: { starts: Int32Array, origin: number, scale: number }) => string} */
const bucketText = ({ starts, origin, scale }) => `const q = (p - ${literal(origin)}) * ${scale};
  const t = q >= 0 ? q < ${starts.length - 2} ? q | 0 : ${starts.length - 2} : 0;
  let i = S[t], j = S[t + 1];`;

/** @type {(number: number) => string} */
const literal = (number) => `(${number})`;

/** Words of bigints as two halves each, ordered as signed high halves. @type {(words: BigInt64Array | BigUint64Array, kind: IntervalKind) => Int32Array} */
function orderedHalves(words, kind) {
  const halves = new Int32Array(words.slice().buffer);
  if (kind === 'unsigned') for (let i = 1; i < halves.length; i += 2) halves[i] ^= 0x80000000;
  return halves;
}

/**
 * The function from a key to the number of its interval, or -1.
 *
 * @param {Intervals} intervals
 * @returns {(key: any) => number}
 */
function intervalFinder({ kind, lows, highs }) {
  const count = lows.length;
  if (count === 0) return () => -1;
  const end = 'return i > 0 && k <= U[i - 1] ? i - 1 : -1;';
  if (kind === 'number') {
    const buckets = bucketsOf(count, (i) => lows[i]);
    const text = `if (typeof k !== 'number' || k !== k) return -1;\n  const p = k;\n  ${bucketText(buckets)}\n  ${HALVES}\n  ${end}`;
    return made(text, { L: lows, U: highs, S: buckets.starts });
  }
  if (kind === 'any') {
    return made(`if (typeof k !== 'bigint') return -1;\n  let i = 0, j = ${count};\n  ${HALVES}\n  ${end}`, { L: lows, U: highs });
  }
  if (kind === 'wide') return bigintFinder(wideFinder(lows, highs));
  const [H, E] = [orderedHalves(lows, kind), orderedHalves(highs, kind)];
  const buckets = bucketsOf(count, (i) => H[2 * i + 1] * 2 ** 32 + (H[2 * i] >>> 0));
  const scratch = new BigInt64Array(1);
  const text = `if (typeof k !== 'bigint' || ${kind === 'signed' ? 'BigInt.asIntN' : 'BigInt.asUintN'}(64, k) !== k) return -1;
  B[0] = k;
  const lo = W[0] >>> 0, hi = W[1]${kind === 'signed' ? '' : ' ^ 0x80000000'}, p = hi * 4294967296 + lo;
  ${bucketText(buckets)}
  ${WORD_HALVES}
  if (i === 0) return -1;
  const e = E[2 * i - 1];
  return hi < e || (hi === e && lo <= E[2 * i - 2] >>> 0) ? i - 1 : -1;`;
  return made(text, { H, E, S: buckets.starts, B: scratch, W: new Int32Array(scratch.buffer) });
}

/** Of bigints, by the words of one. @type {(find: ReturnType<typeof wideFinder>) => (key: any) => number} */
function bigintFinder(find) {
  const B = new BigUint64Array(2);
  const text = `if (typeof k !== 'bigint') return -1;
  const top = k >> 64n;
  if (BigInt.asUintN(64, top) !== top) return -1;
  B[0] = BigInt.asUintN(64, k);
  B[1] = top;
  return find(W[0], W[1], W[2], W[3]);`;
  return made(text, { B, W: new Uint32Array(B.buffer), find });
}

/** @type {(body: string, names: Record<string, any>, params?: string) => (...key: any[]) => number} */
const made = (body, names, params = 'k') =>
  /** @type {any} */ (vm.compileFunction(`return function interval(${params}) {\n  ${body}\n};`, Object.keys(names)))(...Object.values(names));

/** Bigints of 128 bits as four halves of words each, the low one first. @type {(list: readonly bigint[]) => Uint32Array} */
function wideWords(list) {
  const words = new BigUint64Array(2 * list.length);
  list.forEach((x, i) => {
    words[2 * i] = BigInt.asUintN(64, x);
    words[2 * i + 1] = x >> 64n;
  });
  return new Uint32Array(words.buffer);
}

/** Whether the four halves at `m` are below those of the key, or at most them. @type {(list: string, m: string, last?: '<' | '<=') => string} */
function wideBelow(list, m, last = '<') {
  const at = (/** @type {number} */ i) => `${list}[4 * ${m} + ${i}]`;
  return [1, 2, 3].reduce((rest, i) => `${at(i)} < w${i} || (${at(i)} === w${i} && (${rest}))`, `${at(0)} ${last} w0`);
}

/**
 * The function from the four halves of a key, the low one first, to the number of its interval, or -1.
 *
 * @param {Uint32Array} lows
 * @param {Uint32Array} highs
 * @returns {(w0: number, w1: number, w2: number, w3: number) => number}
 */
function wideFinder(lows, highs) {
  const [H, E, count] = [lows, highs, lows.length / 4];
  if (count === 0) return () => -1;
  // The upper two as one double, which may be rounded, but never out of order: it decides nearly always.
  const Q = new Float64Array(count);
  for (let i = 0; i < count; i++) Q[i] = H[4 * i + 3] * 2 ** 32 + H[4 * i + 2];
  const buckets = bucketsOf(count, (i) => Q[i]);
  const text = `const p = w3 * 4294967296 + w2;
  ${bucketText(buckets)}
  while (i < j) {
    const m = i + j >>> 1, q = Q[m];
    if (q < p || (q === p && (${wideBelow('H', 'm', '<=')}))) i = m + 1;
    else j = m;
  }
  const e = i - 1;
  return e >= 0 && !(${wideBelow('E', 'e')}) ? e : -1;`;
  return made(text, { H, E, Q, S: buckets.starts }, 'w0, w1, w2, w3');
}

/** Where each interval goes, by its beginning. @type {(kind: IntervalKind, lows: any) => Int32Array} */
function orderOf(kind, lows) {
  if (kind === 'wide') return sortedWide(lows, new Int32Array(lows.length / 4).map((_, i) => i));
  return kind === 'any' ? sortedIndices(lows) : sortWords(lows, kind).indices;
}

/** @type {(word: bigint, kind: IntervalKind) => bigint} as the tree orders words */
function ordered(word, kind) {
  if (kind === 'unsigned') return BigInt.asIntN(64, word ^ (1n << 63n));
  return kind === 'number' && word < 0n ? word ^ (2n ** 63n - 1n) : word;
}

/** Words of beginnings as a tree, and of ends. @type {(intervals: Intervals) => { tree: import('./tree.js').Tree, lasts: BigInt64Array }} */
function intervalTree({ kind, lows, highs }) {
  const own = /** @type {'number'} */ (kind);
  const wordsFor = (/** @type {any} */ list) => wordsOf(list, own).map((word) => ordered(word, kind));
  return { tree: searchTree(wordsFor(lows), kind === 'number' ? lows : null), lasts: wordsFor(highs) };
}

/** Whether many keys are searched natively. @type {(kind: IntervalKind) => boolean} */
const hasTree = (kind) => kind !== 'wide' && kind !== 'any';

/** How intervals are laid out and searched. @type {(intervals: Intervals) => { keys: IntervalKind, intervals: number, layout: string, single: string, batch: string }} */
function explainIntervals({ kind, indices }) {
  return {
    keys: kind,
    intervals: indices.length,
    layout: 'intervals in order',
    single: kind === 'any' ? 'JavaScript: a search by halves' : 'JavaScript: even buckets of beginnings, and a search by halves in one',
    batch: hasTree(kind) ? 'native: even buckets of at most eight words, or else a static B+-tree of eight a node' : 'one by one',
  };
}

/**
 * Keys of a class among intervals that have a tree; `output.values` by interval.
 *
 * @param {Intervals} intervals
 * @param {ReturnType<typeof intervalTree>} made
 * @param {number} keys
 * @param {import('./requests.js').Output} output
 */
function intervalRequest({ kind, indices }, { tree, lasts }, keys, output) {
  return rankRequest(tree, { keys, kind: /** @type {'number'} */ (kind), lasts, indices, output });
}

/**
 * Finds keys of typed arrays.
 *
 * @param {Intervals} intervals
 * @param {(key: any) => number} find one of them
 * @returns {NonNullable<import('./batch.js').Finder['array']>} which writes indices
 */
function arrayFinder(intervals, find) {
  const { kind, lows, indices } = intervals;
  if (lows.length === 0) return (keys, _, { out }) => out.fill(-1, 0, keys.length);
  if (!hasTree(kind)) {
    return (keys, validity, { out }) => {
      for (let i = 0; i < keys.length; i++) {
        const found = validity === null || bitAt(validity, i) ? find(keys[i]) : -1;
        out[i] = found < 0 ? -1 : indices[found];
      }
    };
  }
  /** @type {ReturnType<typeof intervalTree> | undefined} */
  let known;
  return (keys, validity, output) => {
    known ??= intervalTree(intervals);
    const { out, threads } = output;
    const request = intervalRequest(intervals, known, Number(classOf(keys)), output);
    perform(request, { length: keys.length, keys, validity, out, threads });
  };
}

module.exports = {
  arrayFinder, bigintFinder, explainIntervals, intervalFinder, intervalRequest, intervalTree, orderOf, wideFinder,
  wideWords,
};
