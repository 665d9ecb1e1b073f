/**
 * CompiledTrie: the longest of some prefixes that a key begins with, of texts or of IP addresses.
 *
 * Texts go down a radix tree (radix.js). Networks become intervals that do not overlap, each of which belongs to the
 * narrowest network around it (intervals.js): one search finds the longest prefix.
 */
'use strict';

const { DESCRIBE, expected } = require('../base/check.js');
const { fail } = require('../base/errors.js');
const { parseNetwork, parseV4, parseV6 } = require('./addresses.js');
const { CompiledRanges } = require('./compiled-ranges.js');
const { radixFinder, radixTree } = require('./radix.js');
const { inOrder } = require('./read-ranges.js');
const { outFor, valuesAt } = require('./results.js');
const { isBigArray, plain } = require('./words.js');

/** @typedef {import('./results.js').Options} Options */
/** @typedef {{ low: any, last: any, index: number }} Span */

/**
 * Finds the index of the entry of a key, or -1. `many`: of keys in a typed array, where that is possible.
 *
 * @typedef {{ index: (key: any) => number, many?: (keys: any, out: any) => any, explain: () => object }} Search
 */

/** @type {(prefixes: readonly string[], separator: string | undefined) => Search} */
function textSearch(prefixes, separator) {
  const radix = radixTree(prefixes);
  const find = radixFinder(radix, separator === undefined ? -1 : separator.charCodeAt(0));
  const { entries } = radix;
  return {
    index: (key) => {
      if (typeof key !== 'string') return -1;
      const node = find(key);
      return node < 0 ? -1 : entries[node];
    },
    explain: () => ({
      keys: 'text', layout: 'radix tree', nodes: entries.length,
      single: 'JavaScript: one unit read and one slot looked at for each node, then one comparison',
    }),
  };
}

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

/** @type {(networks: readonly { low: any, bits: number, index: number }[], version: 4 | 6, options: Options) => CompiledRanges} */
function rangesOf(networks, version, options) {
  const sorted = networks.toSorted((a, b) => (a.low < b.low ? -1 : a.low > b.low ? 1 : a.bits - b.bits));
  const lastOf = (/** @type {{ low: any, bits: number }} */ { low, bits }) =>
    version === 4 ? low + 2 ** (32 - bits) - 1 : low + (1n << BigInt(128 - bits)) - 1n;
  const all = sorted.map((network) => ({ low: network.low, last: lastOf(network), index: network.index }));
  const spans = flattened(all, version === 4 ? 1 : 1n);
  const intervals = inOrder(spans.map(({ low }) => low), spans.map(({ last }) => last));
  return new CompiledRanges(intervals, Int32Array.from(spans, ({ index }) => index), { ...options, missing: -1 });
}

/** @type {(prefixes: readonly string[], options: Options) => Search} */
function networkSearch(prefixes, options) {
  const networks = prefixes.map((text, index) => ({ .../** @type {import('./addresses.js').Network} */ (parseNetwork(text)), index }));
  const v4 = rangesOf(networks.filter(({ version }) => version === 4), 4, options);
  const v6 = rangesOf(networks.filter(({ version }) => version === 6), 6, options);
  const byNumber = (/** @type {any} */ ranges, /** @type {any} */ key) => ranges.get(key) ?? -1;
  return {
    index: (key) => {
      if (typeof key === 'number') return byNumber(v4, key);
      if (typeof key === 'bigint') return byNumber(v6, key);
      if (typeof key !== 'string') return -1;
      const address = parseV4(key);
      if (address >= 0) return byNumber(v4, address);
      const wide = parseV6(key);
      return wide < 0n ? -1 : byNumber(v6, wide);
    },
    many: (keys, out) => (isBigArray(keys) ? v6 : v4).getMany(keys, out),
    explain: () => ({ keys: 'network', layout: 'intervals of the narrowest networks', v4: v4.explain(), v6: v6.explain(), single: v4.explain().single }),
  };
}

class CompiledTrie {
  /** @type {Search | null} */
  #search;
  #values;
  #options;

  /**
   * For this library: compileTrie makes them.
   *
   * @param {readonly string[]} prefixes that differ
   * @param {any} values by prefix
   * @param {Options & { separator?: string, of: 'texts' | 'networks' }} options
   */
  constructor(prefixes, values, options) {
    this.#values = values;
    this.#options = options;
    this.size = prefixes.length;
    const search = options.of === 'networks' ? networkSearch(prefixes, options) : textSearch(prefixes, options.separator);
    this.#search = search;
    const { index } = search;
    /** @type {(key: any) => number} the index of the longest prefix, or -1 */
    this.index = index;
    /** @type {(key: any) => any} its value, or undefined */
    this.get = (key) => {
      const i = index(key);
      return i < 0 ? undefined : values[i];
    };
    /** @type {(key: any) => boolean} */
    this.has = (key) => index(key) >= 0;
    /** @type {(key: any) => [string, any] | undefined} the longest prefix and its value */
    this.match = (key) => {
      const i = index(key);
      return i < 0 ? undefined : [prefixes[i], values[i]];
    };
  }

  /** @param {string} caller @returns {Search} */
  #alive(caller) {
    return this.#search ?? fail('ERR_STATE', `${caller}: the trie is disposed`);
  }

  /**
   * Indices of the longest prefixes, -1 where there is none.
   *
   * @param {any} keys an array; of networks also a typed array of IPv4 addresses as numbers
   * @param {Int32Array} [out]
   * @returns {Int32Array}
   */
  indexMany(keys, out) {
    const { index, many } = this.#alive('indexMany');
    const typed = many && plain(keys);
    if (!Array.isArray(keys) && typed === undefined) {
      return expected('indexMany', many ? 'an array or a typed array' : 'an array of strings', 'keys', keys);
    }
    const all = outFor('indexMany', out, Int32Array, (typed ?? keys).length);
    if (many && typed !== undefined) return many(typed, all);
    for (let i = 0; i < keys.length; i++) all[i] = index(keys[i]);
    return all;
  }

  /**
   * Values of the longest prefixes, and what `missing` says where there is none.
   *
   * @param {any} keys
   * @param {any} [out]
   * @returns {any}
   */
  getMany(keys, out) {
    return valuesAt('getMany', this.#values, this.#options.missing, this.indexMany(keys), out);
  }

  /** How prefixes are laid out and searched. */
  explain() {
    return { size: this.size, ...this.#alive('explain').explain() };
  }

  /** Lets go of prefixes, values and tables. */
  dispose() {
    this.#search = null;
    this.#values = [];
    const gone = (/** @type {string} */ caller) => () => fail('ERR_STATE', `${caller}: the trie is disposed`);
    Object.assign(this, { get: gone('get'), has: gone('has'), index: gone('index'), match: gone('match') });
  }

  [DESCRIBE]() {
    return this.#search === null ? 'a disposed trie' : `a trie of ${this.size} prefixes`;
  }
}

/** One text for each network, however it is written. @type {(text: string) => string} */
function networkName(text) {
  const { version, low, bits } = /** @type {import('./addresses.js').Network} */ (parseNetwork(text));
  return `${version} ${low}/${bits}`;
}

/** Prefixes that differ, and the last value of each. @type {(keys: readonly string[], values: any, nameOf: (key: string) => string) => { prefixes: string[], values: any }} */
function distinctPrefixes(keys, values, nameOf) {
  /** @type {Map<string, number>} */
  const places = new Map();
  /** @type {string[]} */
  const prefixes = [];
  for (let i = 0; i < keys.length; i++) {
    const name = nameOf(keys[i]);
    const place = places.get(name) ?? prefixes.push(keys[i]) - 1;
    places.set(name, place);
    values[place] = values[i];
  }
  return { prefixes, values: values.slice(0, prefixes.length) };
}

/** @type {(caller: string, prefixes: readonly string[], of: 'texts' | 'networks' | undefined) => 'texts' | 'networks'} */
function whatOf(caller, prefixes, of) {
  if (of === 'texts') return of;
  const other = prefixes.findIndex((text) => parseNetwork(text) === null);
  if (of === 'networks' && other >= 0) {
    return expected(caller, 'a network such as "10.0.0.0/8" or "2001:db8::/32"', `prefix ${other}`, prefixes[other]);
  }
  return prefixes.length > 0 && other < 0 ? 'networks' : (of ?? 'texts');
}

/**
 * @param {string} caller
 * @param {import('./entries.js').Entries} entries
 * @param {Options & { separator?: string, of?: 'texts' | 'networks' }} options
 * @returns {CompiledTrie}
 */
function trieOf(caller, { kind, keys, values }, options) {
  if (kind !== 'string' && keys.length > 0) expected(caller, 'a string', 'prefix 0', keys[0]);
  const of = whatOf(caller, keys, options.of);
  const distinct = distinctPrefixes(keys, values, of === 'networks' ? networkName : (text) => text);
  return new CompiledTrie(distinct.prefixes, distinct.values, { ...options, of });
}

module.exports = { CompiledTrie, trieOf };
