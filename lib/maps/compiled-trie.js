/**
 * CompiledTrie: the longest of some prefixes that a key begins with, of texts (text-prefixes.js) or of IP addresses
 * (networks.js).
 */
'use strict';

const { DESCRIBE, expected } = require('../base/check.js');
const { fail } = require('../base/errors.js');
const { isValue } = require('../graph/value.js');
const { lookUp } = require('./batch.js');
const { EXPORTED, Exportable } = require('./exportable.js');
const { networkSearch } = require('./networks.js');
const { checkMissing, outFor, valuesAt } = require('./results.js');
const { readNetworks, spansOf } = require('./spans.js');
const { textSearch } = require('./text-prefixes.js');

/** @typedef {import('./results.js').Options} Options */
/**
 * `index`: of the entry of a key, or -1. `request`: of texts with offsets of so many bytes, unless they are no bytes.
 *
 * @typedef {Omit<import('./batch.js').Finder, 'of'> & {
 *   index: (key: any) => number,
 *   request?: (width: number, output: import('./requests.js').Output) => import('./requests.js').Request,
 *   explain: () => object,
 * }} Search
 */

class CompiledTrie extends Exportable {
  /** @type {Search | null} */
  #search;
  #values;
  #options;

  /**
   * For this library: compileTrie makes them.
   *
   * @param {readonly string[]} prefixes that differ
   * @param {any} values by prefix
   * @param {Search} search
   * @param {Options} options
   */
  constructor(prefixes, values, search, options) {
    super();
    this.#values = values;
    this.#options = options;
    checkMissing('compileTrie', values, options.missing);
    this.size = prefixes.length;
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
   * @param {any} keys an array or a column; of networks also a typed array of addresses
   * @param {Int32Array} [out]
   * @returns {Int32Array}
   */
  indexMany(keys, out) {
    return this.#indices(keys, out, 'indexMany');
  }

  /** @param {any} keys @param {Int32Array | undefined} out @param {string} caller @returns {Int32Array} */
  #indices(keys, out, caller) {
    const search = this.#alive(caller);
    if (isValue(keys)) fail('ERR_UNSUPPORTED', `${caller}: tries are in no graphs: look keys up before`);
    if (!Array.isArray(keys)) {
      const { threads } = this.#options;
      return lookUp({ ...search, of: 'the trie' }, caller, keys, { Class: Int32Array, values: null, missing: -1, out, threads });
    }
    const all = outFor(caller, out, Int32Array, keys.length);
    for (let i = 0; i < keys.length; i++) all[i] = search.index(keys[i]);
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
    const indices = this.#indices(keys, undefined, 'getMany');
    return valuesAt('getMany', this.#values, this.#options.missing, indices, out);
  }

  /** How prefixes are laid out and searched. */
  explain() {
    return { size: this.size, ...this.#alive('explain').explain(), threads: this.#options.threads };
  }

  /** @override @param {string} caller @returns {import('./export.js').Exported} */
  [EXPORTED](caller) {
    const { request, keys } = this.#alive(caller);
    if (request === undefined) {
      return fail('ERR_UNSUPPORTED', `${caller}: UTF-8 has no half characters, such as a prefix or the separator has`);
    }
    const what = `${this.size} ${keys === 'addresses' ? 'networks of IP addresses' : 'prefixes of texts'}`;
    const [values, { missing }] = [this.#values, this.#options];
    return { what, name: 'trie', keys: 'texts', values, missing, entries: values, request: (output, width) => request(width, output) };
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

/** Prefixes that differ, and how they are searched. @typedef {{ prefixes: string[], values: any, search: Search }} Distinct */

/** The last value of each text. @type {(keys: readonly string[], values: any, separator: string | undefined) => Distinct} */
function ofTexts(keys, values, separator) {
  /** @type {Map<string, number>} */
  const places = new Map();
  /** @type {string[]} */
  const prefixes = [];
  for (let i = 0; i < keys.length; i++) {
    const place = places.get(keys[i]) ?? prefixes.push(keys[i]) - 1;
    places.set(keys[i], place);
    values[place] = values[i];
  }
  return { prefixes, values: values.slice(0, prefixes.length), search: textSearch(prefixes, separator) };
}

/** The same of networks, however they are written. @type {(keys: readonly string[], values: any, networks: import('./spans.js').Networks) => Distinct} */
function ofNetworks(keys, values, networks) {
  const { lasts, ...spans } = spansOf(networks);
  const places = new Int32Array(keys.length);
  /** @type {string[]} */
  const prefixes = [];
  for (let i = 0; i < keys.length; i++) {
    if (lasts[i] < 0) continue;
    places[i] = prefixes.push(keys[i]) - 1;
    values[places[i]] = values[lasts[i]];
  }
  return { prefixes, values: values.slice(0, prefixes.length), search: networkSearch(spans, places) };
}

/**
 * @param {string} caller
 * @param {import('./entries.js').Entries} entries
 * @param {Options & { separator?: string, of?: 'texts' | 'networks' }} options
 * @returns {CompiledTrie}
 */
function trieOf(caller, { kind, keys, values }, options) {
  if (kind !== 'string' && keys.length > 0) expected(caller, 'a string', 'prefix 0', keys[0]);
  const { separator } = options;
  if (separator !== undefined && options.of === 'networks') expected(caller, "no option 'separator' among networks", "option 'separator'", separator);
  // Who separates parts means texts, whatever they look like.
  const of = separator === undefined ? options.of : 'texts';
  const found = of === 'texts' ? 0 : readNetworks(keys);
  if (of === 'networks' && typeof found === 'number') {
    return expected(caller, 'a network such as "10.0.0.0/8" or "2001:db8::/32"', `prefix ${found}`, keys[found]);
  }
  const areTexts = typeof found === 'number' || (keys.length === 0 && of === undefined);
  const distinct = areTexts ? ofTexts(keys, values, separator) : ofNetworks(keys, values, found);
  return new CompiledTrie(distinct.prefixes, distinct.values, distinct.search, options);
}

module.exports = { CompiledTrie, trieOf };
