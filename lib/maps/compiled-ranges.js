/**
 * CompiledRanges: intervals of numbers or bigints to values.
 */
'use strict';

const { DESCRIBE, expected, isAttached } = require('../base/check.js');
const { fail } = require('../base/errors.js');
const { intervalFinder, intervalTree } = require('./intervals.js');
const { nativeOptions, outFor, valuesAt } = require('./results.js');
const { intervalSource, nativeOf } = require('./to-native.js');
const { INDICES, searchMany } = require('./tree.js');
const { isBigArray, plain } = require('./words.js');

/** @typedef {import('./intervals.js').Intervals} Intervals */

class CompiledRanges {
  /** @type {Intervals | null} */
  #intervals;
  /** @type {ReturnType<typeof intervalTree> | null} */
  #tree = null;
  #values;
  #options;

  /**
   * For this library: compileRanges makes them.
   *
   * @param {Intervals} intervals
   * @param {any} values by entry
   * @param {import('./results.js').Options} options
   */
  constructor(intervals, values, options) {
    this.#intervals = intervals;
    this.#values = values;
    this.#options = options;
    this.size = values.length;
    const find = intervalFinder(intervals);
    const { indices } = intervals;
    const own = Array.from(indices, (i) => values[i]);
    /** @type {(key: any) => any} the value of the interval that a key is in, or undefined */
    this.get = (key) => {
      const i = find(key);
      return i < 0 ? undefined : own[i];
    };
    /** @type {(key: any) => boolean} */
    this.has = (key) => find(key) >= 0;
    /** @type {(key: any) => number} the index of its entry, or -1 */
    this.index = (key) => {
      const i = find(key);
      return i < 0 ? -1 : indices[i];
    };
  }

  /** @param {string} caller @returns {Intervals} */
  #alive(caller) {
    return this.#intervals ?? fail('ERR_STATE', `${caller}: the ranges are disposed`);
  }

  /** What keys are: 'number' or 'bigint'. */
  get keyType() {
    return this.#alive('keyType').kind === 'number' ? 'number' : 'bigint';
  }

  /**
   * Indices of entries, -1 where a key is in no interval.
   *
   * @param {any} keys a typed array, or an array
   * @param {Int32Array} [out]
   * @returns {Int32Array}
   */
  indexMany(keys, out) {
    const intervals = this.#alive('indexMany');
    const list = Array.isArray(keys) ? keys : plain(keys);
    if (list === undefined) return expected('indexMany', 'a typed array or an array', 'keys', keys);
    const isNative = list !== keys && this.#isNative('indexMany', list);
    const all = outFor('indexMany', out, Int32Array, list.length);
    if (isNative) return this.#search(intervals, list, all);
    const { index } = this;
    for (let i = 0; i < list.length; i++) all[i] = index(list[i]);
    return all;
  }

  /**
   * Values, and what `missing` says where a key is in no interval.
   *
   * @param {any} keys
   * @param {any} [out]
   * @returns {any}
   */
  getMany(keys, out) {
    return valuesAt('getMany', this.#values, this.#options.missing, this.indexMany(keys), out);
  }

  /** Whether keys are searched natively. @param {string} caller @param {any} keys */
  #isNative(caller, keys) {
    if (!isAttached(keys)) fail('ERR_STATE', `${caller}: the keys are detached`);
    const given = isBigArray(keys) ? 'bigint' : 'number';
    if (given !== this.keyType && this.size > 0) fail('ERR_DTYPE', `${caller}: the keys are ${given}s, those of the ranges are ${this.keyType}s`);
    return this.#alive(caller).kind !== 'wide';
  }

  /** @param {Intervals} intervals @param {any} keys @param {any} out */
  #search(intervals, keys, out) {
    if (intervals.lows.length === 0) return out.fill(-1, 0, keys.length);
    if (keys.length === 0) return out;
    this.#tree ??= intervalTree(intervals);
    const { tree, lasts } = this.#tree;
    const kind = /** @type {'number'} */ (intervals.kind);
    const { threads } = this.#options;
    searchMany(tree, { keys, kind, what: INDICES, lasts, values: intervals.indices, out, threads });
    return out;
  }

  /** How intervals are laid out and searched. */
  explain() {
    const { kind, lows } = this.#alive('explain');
    const isWide = kind === 'wide';
    return {
      keys: kind,
      size: this.size,
      intervals: lows.length,
      layout: 'intervals in order',
      single: isWide ? 'JavaScript: a search by halves' : 'JavaScript: even buckets of beginnings, and a search by halves in one',
      batch: isWide ? 'one by one' : 'native: a static B+-tree of eight words a node, 16 keys at a time',
      threads: this.#options.threads,
    };
  }

  /**
   * A native function from a key to the value of the interval that it is in, a number.
   *
   * @param {unknown} [options]
   */
  toNative(options) {
    return nativeOf(intervalSource(this.#alive('toNative'), this.#values, nativeOptions(options)));
  }

  /** Lets go of intervals and values. */
  dispose() {
    this.#intervals = null;
    this.#tree = null;
    this.#values = [];
    const gone = (/** @type {string} */ caller) => () => fail('ERR_STATE', `${caller}: the ranges are disposed`);
    Object.assign(this, { get: gone('get'), has: gone('has'), index: gone('index') });
  }

  [DESCRIBE]() {
    return this.#intervals === null ? 'disposed ranges' : `${this.size} ranges of ${this.keyType}s`;
  }
}

module.exports = { CompiledRanges };
