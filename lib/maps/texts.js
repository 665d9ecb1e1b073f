/**
 * Hashes of strings as JavaScript has them: a word of two halves from the length and from a few UTF-16 units at places
 * that tell nearly all keys apart, found by trying on samples; where no eight places do, from all units.
 *
 * To read one unit takes a nanosecond or two, so what a hash reads is what it costs. Places are counted from the
 * beginning or from the end, and all strings that are as long as some key have them. Some few keys may have the word of
 * another: they are in a chain behind it, since to read one unit more for all keys takes longer.
 */
'use strict';

const vm = require('node:vm');
const { placeWords } = require('./table.js');

/** A place: from the beginning if it is at least 0, else from the end, -1 the last. @typedef {number} Place */
/** @typedef {{ least: number, most: number, places: readonly Place[] | null, seed: number }} TextHash `least`, `most`: lengths */

const MOST_PLACES = 8;
/** Places from either end that are tried, and strings that they are tried on. */
const NEAR = 24;
const SAMPLE = 1024;
const ATTEMPTS = 8;
/** The part of the keys that have to be told apart, and the most that are in one chain. */
const TOLD = 0.98;
const MOST_IN_CHAIN = 4;

/** @type {(place: Place) => string} */
const unitAt = (place) => (place < 0 ? `k.charCodeAt(n - ${-place})` : `k.charCodeAt(${place})`);

/** Factors by a seed, all odd. @type {(seed: number, i: number) => number} */
function factor(seed, i) {
  const mixed = Math.imul(seed ^ Math.imul(i, 0x9e3779b1), 0x85ebca6b);
  return Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35) | 1;
}

/**
 * Statements that compute `lo` and `hi` of a string `k` of `n` units, which is neither too short nor too long.
 *
 * @type {(hash: TextHash) => string}
 */
function hashText({ places, seed, least, most }) {
  if (places === null) {
    return `let lo = ${factor(seed, 1)}, hi = n;
  for (let i = 0; i < n; i++) {
    const c = k.charCodeAt(i);
    lo = Math.imul(lo ^ c, ${factor(seed, 2)});
    lo ^= lo >>> 15;
    hi = Math.imul(hi, ${factor(seed, 3)}) + c | 0;
  }`;
  }
  // Two units are a half; those from the fifth on are multiplied into the halves.
  const half = (/** @type {number} */ i) => {
    if (i >= places.length) return '0';
    return i + 1 < places.length ? `(${unitAt(places[i])} | ${unitAt(places[i + 1])} << 16)` : unitAt(places[i]);
  };
  const more = (/** @type {number} */ i) => (i < places.length ? ` + Math.imul(${half(i)}, ${factor(seed, i)})` : '');
  const length = least < most ? ` + Math.imul(n, ${factor(seed, 9)})` : '';
  return `const lo = ${half(0)}${more(4)} | 0, hi = ${half(2)}${more(6)}${length} | 0;`;
}

/** @type {(hash: TextHash) => (keys: readonly string[], halves: Int32Array) => void} */
const hasher = (hash) =>
  /** @type {any} */ (vm.compileFunction(`for (let j = 0; j < keys.length; j++) {
  const k = keys[j], n = k.length;
  ${hashText(hash)}
  halves[2 * j] = lo;
  halves[2 * j + 1] = hi;
}`, ['keys', 'halves']));

/** @type {(hash: TextHash, keys: readonly string[]) => BigInt64Array} */
function textWords(hash, keys) {
  const words = new BigInt64Array(keys.length);
  hasher(hash)(keys, new Int32Array(words.buffer));
  return words;
}

/** @type {(key: string, place: Place) => number} */
const unitOf = (key, place) => key.charCodeAt(place < 0 ? key.length + place : place);

/** Splits classes of strings by the unit at a place. @type {(sample: readonly string[], classes: readonly number[], place: Place) => { count: number, classes: number[] }} */
function split(sample, classes, place) {
  /** @type {Map<number, number>} */
  const numbers = new Map();
  const next = sample.map((key, i) => {
    const pair = classes[i] * 65536 + unitOf(key, place);
    const number = numbers.get(pair) ?? numbers.size;
    numbers.set(pair, number);
    return number;
  });
  return { count: numbers.size, classes: next };
}

/**
 * More places, each the one that tells most strings of a sample apart, until nearly all are; null where none helps.
 *
 * @type {(sample: readonly string[], known: readonly Place[], least: number) => Place[] | null}
 */
function placesFor(sample, known, least) {
  const near = Math.min(least, NEAR);
  const candidates = Array.from({ length: near }, (_, i) => [i, -1 - i]).flat();
  const wanted = new Set(sample).size;
  const lengths = [...new Set(sample.map(({ length }) => length))];
  const numbers = new Map(lengths.map((length, i) => [length, i]));
  let best = { count: lengths.length, classes: Array.from(sample, ({ length }) => Number(numbers.get(length))) };
  for (const place of known) best = split(sample, best.classes, place);
  const places = [...known];
  while (best.count < TOLD * wanted && places.length < MOST_PLACES) {
    const { classes, count } = best;
    const found = candidates.map((place) => ({ place, ...split(sample, classes, place) }));
    const most = found.reduce((a, b) => (b.count > a.count ? b : a), { place: 0, count, classes });
    if (most.count === count) break;
    places.push(most.place);
    best = most;
  }
  return places.length > known.length || best.count >= TOLD * wanted ? places : null;
}

/** Some of many, from everywhere. @type {<T>(list: readonly T[], count: number) => T[]} */
function some(list, count) {
  const length = Math.min(list.length, count);
  return Array.from({ length }, (_, i) => list[Math.floor((i * list.length) / length)]);
}

/** Strings that differ and have equal words. @type {(keys: readonly string[], equals: Int32Array) => string[]} */
function confused(keys, equals) {
  /** @type {string[]} */
  const found = [];
  for (let i = 0; i < keys.length && found.length < SAMPLE; i++) {
    if (equals[i] > 0 && keys[i] !== keys[equals[i] - 1]) found.push(keys[i], keys[equals[i] - 1]);
  }
  return found;
}

/**
 * A table in which some keys are in chains behind those that have the same word; null where too many would be.
 *
 * @param {BigInt64Array} words
 * @param {Int32Array} equals
 * @returns {import('./table.js').Table | null}
 */
function chained(words, equals) {
  const firsts = new Int32Array(words.length);
  const distinct = new BigInt64Array(words.length);
  let count = 0;
  for (let i = 0; i < words.length; i++) {
    if (equals[i] > 0) continue;
    distinct[count] = words[i];
    firsts[count++] = i;
  }
  const others = words.length - count;
  if (others > (1 - TOLD) * words.length || longest(equals) > MOST_IN_CHAIN) return null;
  const table = /** @type {import('./table.js').Table} */ (placeWords(distinct.slice(0, count)));
  const slots = new Int32Array(table.slots.length + 4 * others);
  slots.set(table.slots);
  const slotOf = new Int32Array(words.length);
  let end = table.slots.length;
  for (let s = 0; s < end; s += 4) {
    if (slots[s + 2] < 0) continue;
    slots[s + 2] = firsts[slots[s + 2]];
    slotOf[slots[s + 2]] = s;
  }
  for (let i = 0; i < words.length; i++) {
    if (equals[i] === 0) continue;
    const first = slotOf[equals[i] - 1];
    slots.set([slots[first], slots[first + 1], i, slots[first + 3]], end);
    slots[first + 3] = end >> 2;
    end += 4;
  }
  return { ...table, slots, hasChains: true };
}

/** Keys behind one. @type {(equals: Int32Array) => number} */
function longest(equals) {
  const counts = new Int32Array(equals.length + 1);
  for (const first of equals) counts[first]++;
  let most = 0;
  for (let first = 1; first < counts.length; first++) if (counts[first] > most) most = counts[first];
  return most;
}

/** The least and the greatest length. @type {(keys: readonly string[]) => { least: number, most: number }} */
function lengthsOf(keys) {
  let [least, most] = [Infinity, 0];
  for (const { length } of keys) {
    if (length < least) least = length;
    if (length > most) most = length;
  }
  return { least, most };
}

/**
 * A hash of strings that all differ, at least one, and their table.
 *
 * @param {readonly string[]} keys
 * @returns {{ hash: TextHash, table: import('./table.js').Table }}
 */
function hashTexts(keys) {
  const lengths = lengthsOf(keys);
  let places = placesFor(some(keys, SAMPLE), [], lengths.least);
  for (let i = 0; ; i++) {
    if (i >= ATTEMPTS) places = null;
    // Whoever makes strings for our factors does not know the next ones.
    const hash = { ...lengths, places, seed: places === null && i > 0 ? Math.floor(Math.random() * 2 ** 31) : 1 };
    const words = textWords(hash, keys);
    const found = placeWords(words);
    const table = 'equals' in found ? chained(words, found.equals) : found;
    if (table !== null) return { hash, table };
    places &&= placesFor(confused(keys, /** @type {import('./table.js').Equals} */ (found).equals), places, lengths.least);
  }
}

module.exports = { hashText, hashTexts };
