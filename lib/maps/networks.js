/**
 * Networks of IP addresses as intervals that do not overlap, each of which belongs to the narrowest network around it:
 * one search finds the longest prefix.
 *
 * IPv4 addresses are numbers, IPv6 ones four halves of words; texts of both are read without a bigint, and columns of
 * texts natively.
 */
'use strict';

const { isBigArray } = require('./words.js');
const { parseNetwork, parseV4, readV6 } = require('./addresses.js');
const { performTexts } = require('./batch.js');
const { arrayFinder, explainIntervals, intervalFinder, wideFinder, wideWords } = require('./intervals.js');
const { inOrder } = require('./read-ranges.js');
const { addressRequest } = require('./requests.js');

/** @typedef {import('./intervals.js').Intervals} Intervals */
/** @typedef {import('./compiled-trie.js').Search} Search */
/** @typedef {{ low: any, last: any, index: number }} Span */

/**
 * Networks, sorted by where they begin and the widest first, as spans that do not overlap.
 *
 * @type {(networks: readonly Span[], one: any) => Span[]}
 */
function flattened(networks, one) {
  /** @type {Span[]} */
  const spans = [];
  /** Networks around the place where we are, the narrowest last. @type {Span[]} */
  const open = [];
  let low = networks[0]?.low;
  const close = (/** @type {any} */ last, /** @type {number} */ index) => {
    if (low <= last) spans.push({ low, last, index });
    low = last + one;
  };
  for (const network of networks) {
    while (open.length > 0 && open[open.length - 1].last < network.low) {
      const { last, index } = /** @type {Span} */ (open.pop());
      close(last, index);
    }
    if (open.length > 0) close(network.low - one, open[open.length - 1].index);
    low = network.low;
    open.push(network);
  }
  while (open.length > 0) {
    const narrowest = /** @type {Span} */ (open.pop());
    close(narrowest.last, narrowest.index);
  }
  return spans;
}

/** Intervals, and the network of each. @type {(networks: readonly { low: any, bits: number, index: number }[], version: 4 | 6) => Intervals} */
function intervalsOf(networks, version) {
  const sorted = networks.toSorted((a, b) => (a.low < b.low ? -1 : a.low > b.low ? 1 : a.bits - b.bits));
  const lastOf = (/** @type {{ low: any, bits: number }} */ { low, bits }) =>
    version === 4 ? low + 2 ** (32 - bits) - 1 : low + (1n << BigInt(128 - bits)) - 1n;
  const all = sorted.map((network) => ({ low: network.low, last: lastOf(network), index: network.index }));
  const spans = flattened(all, version === 4 ? 1 : 1n);
  const intervals = inOrder(spans.map(({ low }) => low), spans.map(({ last }) => last), version === 4 ? 'number' : 'wide');
  return { ...intervals, indices: intervals.indices.map((i) => spans[i].index) };
}

/** @type {(v4: Intervals, v6: Intervals) => (key: any) => number} the index of the narrowest network, or -1 */
function indexIn(v4, v6) {
  const [findV4, findV6, findWords] = [intervalFinder(v4), intervalFinder(v6), wideFinder(v6.lows, v6.highs)];
  const entry = (/** @type {Intervals} */ { indices }, /** @type {number} */ found) => (found < 0 ? -1 : indices[found]);
  return (key) => {
    if (typeof key === 'number') return entry(v4, findV4(key));
    if (typeof key === 'bigint') return entry(v6, findV6(key));
    if (typeof key !== 'string') return -1;
    const address = parseV4(key);
    if (address >= 0) return entry(v4, findV4(address));
    const words = readV6(key);
    return words === null ? -1 : entry(v6, findWords(words[0], words[1], words[2], words[3]));
  };
}

/** Two words of 64 bits each, the high one first. @type {(list: readonly bigint[]) => BigUint64Array} */
function pairsOf(list) {
  const words = new BigUint64Array(wideWords(list).buffer);
  for (let i = 0; i < words.length; i += 2) [words[i], words[i + 1]] = [words[i + 1], words[i]];
  return words;
}

/**
 * @param {readonly string[]} prefixes
 * @returns {Search}
 */
function networkSearch(prefixes) {
  const networks = prefixes.map((text, index) => ({ .../** @type {import('./addresses.js').Network} */ (parseNetwork(text)), index }));
  const of = (/** @type {4 | 6} */ version) => intervalsOf(networks.filter((network) => network.version === version), version);
  const [v4, v6] = [of(4), of(6)];
  const [findV4, findV6] = [arrayFinder(v4), arrayFinder(v6)];
  /** @type {[import('./requests.js').Networks, import('./requests.js').Networks] | undefined} */
  let words;
  /** @type {NonNullable<Search['request']>} */
  const request = (width, output) => {
    words ??= [
      { lows: Uint32Array.from(v4.lows), highs: Uint32Array.from(v4.highs), entries: v4.indices },
      { lows: pairsOf(v6.lows), highs: pairsOf(v6.highs), entries: v6.indices },
    ];
    return addressRequest(...words, width, output);
  };
  const own = (/** @type {Intervals} */ intervals) => explainIntervals(intervals);
  return {
    index: indexIn(v4, v6),
    keys: 'addresses',
    array: (keys, validity, output) => (isBigArray(keys) ? findV6 : findV4)(keys, validity, output),
    texts: (column, output) => performTexts(column, (width) => request(width, output), output),
    request,
    explain: () => ({
      keys: 'network', layout: 'intervals of the narrowest networks', v4: own(v4), v6: own(v6), single: own(v4).single,
      batch: 'columns of texts: native, a search by halves, 64 addresses at a time',
    }),
  };
}

module.exports = { networkSearch };
