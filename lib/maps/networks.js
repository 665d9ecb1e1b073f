/**
 * Networks of IP addresses as intervals that do not overlap, each of which belongs to the narrowest network around it:
 * one search finds the longest prefix.
 *
 * IPv4 addresses are numbers, IPv6 ones four halves of words; texts of both are read without a bigint, and columns of
 * texts natively.
 */
'use strict';

const { isBigArray } = require('./words.js');
const { parseV4, readV6 } = require('./addresses.js');
const { performTexts } = require('./batch.js');
const { arrayFinder, bigintFinder, explainIntervals, intervalFinder, wideFinder } = require('./intervals.js');
const { addressRequest } = require('./requests.js');

/** @typedef {import('./intervals.js').Intervals} Intervals */
/** @typedef {import('./compiled-trie.js').Search} Search */
/** @typedef {import('./spans.js').Spans} Spans */

/** IPv4 addresses are numbers, IPv6 ones words. @type {(version: 4 | 6, spans: Spans, places: Int32Array) => Intervals} */
function intervalsOf(version, { lows, lasts, indices }, places) {
  const own = indices.map((i) => places[i]);
  if (version === 6) return { kind: 'wide', lows, highs: lasts, indices: own };
  const numbers = (/** @type {Uint32Array} */ words) => new Float64Array(own.length).map((_, i) => words[4 * i]);
  return { kind: 'number', lows: numbers(lows), highs: numbers(lasts), indices: own };
}

/** How one address is found, as which it comes. @typedef {{ number: (key: number) => number, bigint: (key: bigint) => number, words: ReturnType<typeof wideFinder> }} Finders */

/** @type {(v4: Intervals, v6: Intervals, find: Finders) => (key: any) => number} the index of the narrowest network, or -1 */
function indexIn(v4, v6, find) {
  const entry = (/** @type {Intervals} */ { indices }, /** @type {number} */ found) => (found < 0 ? -1 : indices[found]);
  return (key) => {
    if (typeof key === 'number') return Number.isInteger(key) ? entry(v4, find.number(key)) : -1;
    if (typeof key === 'bigint') return entry(v6, find.bigint(key));
    if (typeof key !== 'string') return -1;
    const address = parseV4(key);
    if (address >= 0) return entry(v4, find.number(address));
    const words = readV6(key);
    return words === null ? -1 : entry(v6, find.words(words[0], words[1], words[2], words[3]));
  };
}

/** No address lies between two. @type {(keys: any) => any} */
function whole(keys) {
  const isFloat = keys instanceof Float64Array || keys instanceof Float32Array;
  if (!isFloat || keys.every(Number.isInteger)) return keys;
  return keys.map((key) => (Number.isInteger(key) ? key : NaN));
}

/** Two words of 64 bits each, the high one first. @type {(words: Uint32Array) => BigUint64Array} */
const pairsOf = (words) => new BigUint64Array(words.map((_, i) => words[i ^ 2]).buffer);

/**
 * @param {{ v4: Spans, v6: Spans }} spans
 * @param {Int32Array} places of networks among the entries
 * @returns {Search}
 */
function networkSearch(spans, places) {
  const [v4, v6] = [intervalsOf(4, spans.v4, places), intervalsOf(6, spans.v6, places)];
  const words = wideFinder(v6.lows, v6.highs);
  const find = { number: intervalFinder(v4), bigint: bigintFinder(words), words };
  const [findV4, findV6] = [arrayFinder(v4, find.number), arrayFinder(v6, find.bigint)];
  /** @type {[import('./requests.js').Networks, import('./requests.js').Networks] | undefined} */
  let known;
  /** @type {NonNullable<Search['request']>} */
  const request = (width, output) => {
    known ??= [
      { lows: Uint32Array.from(v4.lows), highs: Uint32Array.from(v4.highs), entries: v4.indices },
      { lows: pairsOf(v6.lows), highs: pairsOf(v6.highs), entries: v6.indices },
    ];
    return addressRequest(...known, width, output);
  };
  const own = (/** @type {Intervals} */ intervals) => explainIntervals(intervals);
  return {
    index: indexIn(v4, v6, find),
    keys: 'addresses',
    array: (keys, validity, output) => {
      if (isBigArray(keys)) findV6(keys, validity, output);
      else findV4(whole(keys), validity, output);
    },
    texts: (column, output) => performTexts(column, (width) => request(width, output), output),
    request,
    explain: () => ({
      keys: 'network', layout: 'intervals of the narrowest networks', v4: own(v4), v6: own(v6), single: own(v4).single,
      batch: 'columns of texts: native, a search by halves, 64 addresses at a time',
    }),
  };
}

module.exports = { networkSearch };
