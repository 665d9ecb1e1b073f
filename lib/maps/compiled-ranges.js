/**
 * CompiledRanges: intervals of numbers or bigints to values.
 */
'use strict';

const { DESCRIBE } = require('../base/check.js');
const { fail } = require('../base/errors.js');
const { lookUp } = require('./batch.js');
const { EXPORTED, Exportable } = require('./exportable.js');
const { arrayFinder, explainIntervals, intervalFinder, intervalRequest, intervalTree } = require('./intervals.js');
const { isOfGraph, lookUpInGraph } = require('./graph-lookup.js');
const { checkMissing, missingInGraph, nativeOptions, outFor, valuesAt } = require('./results.js');
const { intervalSource, nativeOf } = require('./to-native.js');
const { DTYPES, classOf } = require('./words.js');

/** @typedef {import('./intervals.js').Intervals} Intervals */

class CompiledRanges extends Exportable {
  /** @type {Intervals | null} */
  #intervals;
  /** @type {import('./batch.js').Finder | null} */
  #finder;
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
    super();
    this.#intervals = intervals;
    this.#values = values;
    this.#options = options;
    checkMissing('compileRanges', values, options.missing);
    this.size = values.length;
    const find = intervalFinder(intervals);
    this.#finder = { keys: intervals.kind === 'number' ? 'numbers' : 'bigints', of: 'the ranges', array: arrayFinder(intervals, find) };
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
   * @param {any} keys a typed array, a column, or an array
   * @param {Int32Array} [out]
   * @returns {Int32Array}
   */
  indexMany(keys, out) {
    return this.#indices(keys, out, 'indexMany');
  }

  /** @param {any} keys @param {Int32Array | undefined} out @param {string} caller @returns {any} */
  #indices(keys, out, caller) {
    const { indices } = this.#alive(caller);
    if (isOfGraph(keys)) return this.#inGraph('index', keys, caller, out).convert('i32');
    if (!Array.isArray(keys)) {
      const finder = indices.length === 0 ? null : this.#finder;
      const { threads } = this.#options;
      return lookUp(finder, caller, keys, { Class: Int32Array, values: null, missing: -1, out, threads });
    }
    const all = outFor(caller, out, Int32Array, keys.length);
    const { index } = this;
    for (let i = 0; i < keys.length; i++) all[i] = index(keys[i]);
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
    if (isOfGraph(keys)) return this.#inGraph('value', keys, 'getMany', out);
    const indices = this.#indices(keys, undefined, 'getMany');
    return valuesAt('getMany', this.#values, this.#options.missing, indices, out);
  }

  /** @param {'value' | 'index'} of @param {any} keys @param {string} caller @param {unknown} out @returns {any} */
  #inGraph(of, keys, caller, out) {
    const intervals = this.#alive(caller);
    const missing = missingInGraph(this.#values, this.#options.missing);
    const sourceOf = () => intervalSource(intervals, this.#values, { of, missing });
    return lookUpInGraph(intervals, of, sourceOf, keys, out, caller);
  }

  /** How intervals are laid out and searched. */
  explain() {
    return { size: this.size, ...explainIntervals(this.#alive('explain')), threads: this.#options.threads };
  }

  /**
   * A native function from a key to the value of the interval that it is in, a number.
   *
   * @param {unknown} [options]
   */
  toNative(options) {
    return nativeOf(intervalSource(this.#alive('toNative'), this.#values, nativeOptions(options)));
  }

  /** @override @param {string} caller @returns {import('./export.js').Exported} */
  [EXPORTED](caller) {
    const intervals = this.#alive(caller);
    const { kind, indices } = intervals;
    if (kind === 'wide' || kind === 'any') return fail('ERR_UNSUPPORTED', `${caller}: bigints of more than 64 bits are not exported`);
    const keys = kind === 'signed' ? 'i64' : kind === 'unsigned' ? 'u64' : 'f64';
    const all = this.#values;
    return {
      what: `${this.size} ranges of ${this.keyType}s`, name: 'ranges', keys, missing: this.#options.missing, entries: all,
      values: classOf(all) === undefined ? Array.from(indices, (i) => all[i]) : all.constructor.from(indices, (/** @type {number} */ i) => all[i]),
      request: (output) => intervalRequest(intervals, intervalTree(intervals), DTYPES.indexOf(keys), output),
    };
  }

  /** Lets go of intervals and values. */
  dispose() {
    this.#intervals = null;
    this.#finder = null;
    this.#values = [];
    const gone = (/** @type {string} */ caller) => () => fail('ERR_STATE', `${caller}: the ranges are disposed`);
    Object.assign(this, { get: gone('get'), has: gone('has'), index: gone('index') });
  }

  [DESCRIBE]() {
    return this.#intervals === null ? 'disposed ranges' : `${this.size} ranges of ${this.keyType}s`;
  }
}

module.exports = { CompiledRanges };
