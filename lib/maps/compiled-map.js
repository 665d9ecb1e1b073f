/**
 * CompiledMap: a map whose keys are known, as code and tables.
 *
 * `get`, `has` and `index` are functions of each map of its own, made of its keys; update() puts others in their place,
 * which look at what has changed first, until enough has changed to lay everything out anew.
 */
'use strict';

const { DESCRIBE, expected, readOptions } = require('../base/check.js');
const { fail } = require('../base/errors.js');
const { finderOf, lookUp } = require('./batch.js');
const { checkLayout, layOut, layOutLater, reproducible } = require('./choice.js');
const { checkBigints, checkPaired, isIterable, readEntries } = require('./entries.js');
const { explain } = require('./explain.js');
const { EXPORTED, Exportable } = require('./exportable.js');
const { generate } = require('./generate.js');
const { isOfGraph, lookUpInGraph } = require('./graph-lookup.js');
const { shapeOf } = require('./layouts.js');
const { Ordered } = require('./ordered.js');
const { numberRequest, perform, rankRequest, textRequest } = require('./requests.js');
const {
  checkMissing, elementOf, missingInGraph, missingOf, nativeOptions, outFor, resultsFor, valuesAt,
} = require('./results.js');
const { mapSource, nativeOf } = require('./to-native.js');
const { valuesByIndex } = require('./values.js');
const { DTYPES, classOf, isBigArray, plain } = require('./words.js');

/** @typedef {import('./entries.js').Entries} Entries */
/** @typedef {import('./generate.js').Parts} Parts */

/** From so many changes on a map is laid out anew, and from this part of its size. */
const MANY_CHANGES = 256;
const CHANGED_PART = 16;

const KEY_TYPES = ['number', 'bigint', 'string'];

/** What an overlay has for a key that was removed. */
const REMOVED = Symbol('removed');

/** @type {(parts: Parts) => import('./batch.js').Finder | null} */
const finderIn = (parts) => (parts.keys.length === 0 ? null : finderOf(parts));

/** Of a text the characters are no keys that anybody means. @type {(value: any) => boolean} */
const isKeys = (value) => typeof value !== 'string' && isIterable(value);

/** Ones for each place of an entry, which sets have as values. @type {(count: number) => Uint8Array} */
const ones = (count) => new Uint8Array(count).fill(1);

/** @type {(caller: string, parts: Parts) => Pick<import('./export.js').Exported, 'keys' | 'values' | 'request'>} */
function exportedOf(caller, parts) {
  const { kind, keys, values, direct, table } = parts;
  if (kind === 'string') {
    checkPaired(caller, keys);
    const own = values === null ? ones(keys.length) : valuesByIndex(parts);
    return { keys: 'texts', values: own, request: (output, width) => textRequest(parts, width, output) };
  }
  const dtype = kind === 'signed' ? 'i64' : kind === 'unsigned' ? 'u64' : 'f64';
  const slots = direct?.indices.length ?? (table ? table.slots.length >> 2 : 1);
  const request = (/** @type {any} */ output) => numberRequest(parts, DTYPES.indexOf(dtype), output);
  return { keys: dtype, values: values ?? ones(slots), request };
}

class CompiledMap extends Exportable {
  /** @type {Parts | null} */
  #parts = null;
  /** Lookups in what is laid out. @type {import('./generate.js').Lookups | undefined} */
  #base;
  /** @type {Ordered | null} */
  #ordered = null;
  /** Of changed keys, their values or REMOVED. @type {Map<any, any>} */
  #changes = new Map();
  #size = 0;
  #options;
  /** Ends when nothing is being laid out. @type {Promise<void>} */
  #settled = Promise.resolve();
  #isBusy = false;
  #milliseconds = 0;

  /**
   * For this library: compileMap and compileSet make them.
   *
   * @param {Entries} entries
   * @param {import('./results.js').MapOptions} options
   */
  constructor(entries, options) {
    super();
    this.#options = options;
    this.isSet = entries.values === null;
    /** @type {(key: any) => any} */
    this.get = () => undefined;
    /** @type {(key: any) => boolean} */
    this.has = () => false;
    /** @type {(key: any) => number} */
    this.index = () => -1;
    const start = performance.now();
    const caller = this.isSet ? 'compileSet' : 'compileMap';
    checkMissing(caller, entries.values, options.missing);
    this.#settle(layOut(caller, entries, options));
    this.#milliseconds = performance.now() - start;
  }

  /** @param {Parts} parts */
  #settle(parts) {
    this.#parts = parts;
    this.#base = generate(parts);
    this.#ordered = null;
    this.#lookUp();
  }

  /** Looks into the changes first, if there are any. */
  #lookUp() {
    const { get, has, index } = Object.assign(this, this.#base);
    this.#size = this.#alive('update').keys.length;
    if (this.#changes.size === 0) return;
    const changes = this.#changes;
    this.get = (key) => {
      const changed = changes.get(key);
      if (changed === undefined && !changes.has(key)) return get(key);
      return changed === REMOVED ? undefined : changed;
    };
    this.has = (key) => (changes.has(key) ? changes.get(key) !== REMOVED : has(key));
    this.index = (key) => (changes.has(key) ? -1 : index(key));
    for (const [key, value] of changes) this.#size += Number(value !== REMOVED) - Number(has(key));
  }

  /** @param {string} caller @returns {Parts} */
  #alive(caller) {
    return this.#parts ?? fail('ERR_STATE', `${caller}: the map is disposed`);
  }

  /** What ordered queries and indices are of: everything laid out. @param {string} caller @returns {Parts} */
  #compact(caller) {
    this.#alive(caller);
    if (this.#changes.size > 0) this.#layOutNow();
    return this.#alive(caller);
  }

  #layOutNow() {
    const parts = layOut('update', this.#merged(), this.#options);
    this.#changes = new Map();
    this.#settle(parts);
  }

  get size() {
    return this.#size;
  }

  /** What keys are: 'number', 'bigint' or 'string'. */
  get keyType() {
    const { kind, keys } = this.#alive('keyType');
    const [changed] = this.#changes.keys();
    if (keys.length === 0 && changed !== undefined) return /** @type {'number'} */ (typeof changed);
    return kind === 'integer' ? 'number' : kind === 'signed' || kind === 'unsigned' ? 'bigint' : kind;
  }

  /** Keys in the order of their indices. */
  keys() {
    const { keys } = this.#compact('keys');
    return keys.slice();
  }

  /** Entries in the order of their indices. @returns {IterableIterator<[any, any]>} */
  *entries() {
    const parts = this.#compact('entries');
    const { keys } = parts;
    const values = valuesByIndex(parts);
    for (let i = 0; i < keys.length; i++) yield [keys[i], values[i]];
  }

  [Symbol.iterator]() {
    return this.isSet ? this.keys()[Symbol.iterator]() : this.entries();
  }

  // --- many keys ---

  /**
   * @param {any} keys
   * @param {Int32Array} [out]
   * @returns {Int32Array}
   */
  indexMany(keys, out) {
    return this.#indices(keys, out, 'indexMany');
  }

  /** @param {any} keys @param {Int32Array | undefined} out @param {string} caller @returns {any} */
  #indices(keys, out, caller) {
    const parts = this.#compact(caller);
    if (isOfGraph(keys)) return this.#inGraph('index', keys, caller, out).convert('i32');
    if (!Array.isArray(keys)) {
      const { threads } = this.#options;
      return lookUp(finderIn(parts), caller, keys, { Class: Int32Array, values: null, missing: -1, out, threads });
    }
    const all = outFor(caller, out, Int32Array, keys.length);
    const { index } = this;
    for (let i = 0; i < keys.length; i++) all[i] = index(keys[i]);
    return all;
  }

  /**
   * @param {any} keys
   * @param {any} [out]
   * @returns {any}
   */
  getMany(keys, out) {
    this.#alive('getMany');
    if (Array.isArray(keys)) return this.#getEach(keys, out);
    const parts = this.#compact('getMany');
    const { values } = parts;
    if (isOfGraph(keys)) return this.#inGraph('value', keys, 'getMany', out);
    const { threads } = this.#options;
    if (classOf(values) !== undefined) {
      const missing = missingOf(values, this.#options.missing);
      return lookUp(finderIn(parts), 'getMany', keys, { Class: values.constructor, values, missing, out, threads });
    }
    return valuesAt('getMany', valuesByIndex(parts), this.#options.missing, this.#indices(keys, undefined, 'getMany'), out);
  }

  /** @param {'value' | 'index'} of @param {any} keys @param {string} caller @param {unknown} out @returns {any} */
  #inGraph(of, keys, caller, out) {
    const parts = this.#alive(caller);
    const missing = of === 'index' || this.isSet ? -1 : missingInGraph(parts.values, this.#options.missing);
    const sourceOf = () => mapSource(parts, () => this.#orderOf(parts), { of, missing });
    return lookUpInGraph(parts, of, sourceOf, keys, out, caller);
  }

  /** @param {Parts} parts */
  #orderOf(parts) {
    this.#ordered ??= new Ordered(parts);
    return this.#ordered.order;
  }

  /** @param {readonly any[]} keys @param {any} out */
  #getEach(keys, out) {
    const { values } = /** @type {Parts} */ (this.#parts);
    const { get, has } = this;
    const { all, missing } = resultsFor('getMany', values, this.#options.missing, keys.length, out);
    for (let i = 0; i < keys.length; i++) {
      const value = get(keys[i]);
      all[i] = value === undefined && !has(keys[i]) ? missing : value;
    }
    return all;
  }

  /**
   * @param {any} keys
   * @param {Uint8Array} [out]
   * @returns {any} 1 for each that is there, else 0; in a graph booleans
   */
  hasMany(keys, out) {
    if (isOfGraph(keys)) return this.#inGraph('index', keys, 'hasMany', out).ge(0);
    const indices = this.#indices(keys, undefined, 'hasMany');
    const all = outFor('hasMany', out, Uint8Array, indices.length);
    for (let i = 0; i < indices.length; i++) all[i] = Number(indices[i] >= 0);
    return all;
  }

  // --- in order ---

  /** @param {string} caller @param {any} key @returns {Ordered} */
  #inOrder(caller, key) {
    const parts = this.#compact(caller);
    const type = parts.keys.length === 0 ? typeof key : this.keyType;
    if (typeof key !== type) expected(caller, `a ${type}, as keys are`, 'the key', key);
    this.#ordered ??= new Ordered(parts);
    return this.#ordered;
  }

  /** @param {number} index @returns {[any, any] | undefined} */
  #entryAt(index) {
    const key = index < 0 ? undefined : /** @type {Parts} */ (this.#parts).keys[index];
    return index < 0 ? undefined : [key, this.get(key)];
  }

  /** The entry of the greatest key that is not above. @param {any} key */
  floor(key) {
    return Number.isNaN(key) ? undefined : this.#entryAt(this.#inOrder('floor', key).floor(key));
  }

  /** The entry of the least key that is not below. @param {any} key */
  ceiling(key) {
    return Number.isNaN(key) ? undefined : this.#entryAt(this.#inOrder('ceiling', key).ceiling(key));
  }

  /** How many keys are below. @param {any} key @returns {number} */
  rank(key) {
    return this.#inOrder('rank', key).rank(key);
  }

  /** Entries of the keys from `low` to below `high`, in order. @param {any} low @param {any} high @returns {[any, any][]} */
  range(low, high) {
    const { keys } = this.#compact('range');
    this.#inOrder('range', high);
    const indices = this.#inOrder('range', low).range(low, high);
    return Array.from(indices, (i) => [keys[i], this.get(keys[i])]);
  }

  /** rank of each key of a typed array. @param {any} keys @param {Int32Array} [out] @returns {Int32Array} */
  rankMany(keys, out) {
    const { kind } = this.#compact('rankMany');
    const array = plain(keys);
    const isBig = isBigArray(array);
    if (kind === 'string' || array === undefined || isBig !== (this.keyType === 'bigint')) {
      return expected('rankMany', `a typed array of ${this.keyType}s, as keys are`, 'keys', keys);
    }
    const all = outFor('rankMany', out, Int32Array, array.length);
    const { tree } = this.#inOrder('rankMany', isBig ? 0n : 0);
    const own = kind === 'integer' ? 'number' : kind;
    const { threads } = this.#options;
    const output = { values: null, missing: -1 };
    const request = rankRequest(tree, { keys: Number(classOf(array)), kind: own, lasts: null, indices: null, output });
    perform(request, { length: array.length, keys: array, validity: null, out: all, threads });
    // A key that no bigint of the map's kind is has all of them on one side.
    if (isBig) {
      const beyond = kind === 'signed' ? this.#size : 0;
      for (let i = 0; i < array.length; i++) if (all[i] < 0) all[i] = beyond;
    }
    return all;
  }

  // --- changes ---

  /**
   * Changes entries: new ones are added, those of known keys replaced, and those of `remove` taken away.
   *
   * @param {any} entries as compileMap takes them, of a set the keys
   * @param {{ remove?: Iterable<any> }} [options]
   */
  update(entries, options) {
    this.#alive('update');
    const { remove = [] } = readOptions('update', options, {
      remove: (value, which, caller) => (isKeys(value) ? /** @type {Iterable<any>} */ (value) : expected(caller, 'an iterable of keys', which, value)),
    });
    const changed = this.#readChanges(entries);
    const removed = [...remove];
    this.#checkKeys([...changed.keys(), ...removed]);
    this.#checkLayout([...changed.keys()], removed);
    for (const [key, value] of changed) this.#changes.set(key, value);
    for (const key of removed) this.#changes.set(key, REMOVED);
    this.#lookUp();
    if (this.#changes.size > MANY_CHANGES && this.#changes.size * CHANGED_PART > this.#size) this.#layOutSoon();
  }

  /** @param {any} entries @returns {Map<any, any>} */
  #readChanges(entries) {
    if (!this.isSet) {
      const { keys, values } = readEntries('update', entries);
      const valueOf = elementOf('update', this.#alive('update').values);
      return new Map(Array.from(keys, (key, i) => [key, valueOf(values[i])]));
    }
    if (!isKeys(entries)) expected('update', 'an iterable of keys', 'keys', entries);
    return new Map(Array.from(entries, (key) => [key, true]));
  }

  /** Whether keys can be laid out with those that are there. @param {readonly any[]} changed */
  #checkKeys(changed) {
    const { keys } = this.#alive('update');
    const isNew = keys.length + this.#changes.size === 0;
    const type = isNew && KEY_TYPES.includes(typeof changed[0]) ? typeof changed[0] : this.keyType;
    for (const key of changed) if (typeof key !== type) expected('update', `a ${type}, as keys are`, 'a key', key);
    if (type === 'bigint') checkBigints('update', [...changed, ...this.#changes.keys()], keys);
  }

  /** Whether the layout that was asked for has room for all keys then. @param {readonly any[]} changed @param {readonly any[]} removed */
  #checkLayout(changed, removed) {
    const { layout } = this.#options;
    if (layout === undefined || layout === 'hash') return;
    const { keys, values, direct } = this.#alive('update');
    const changes = new Map(this.#changes);
    for (const key of changed) changes.set(key, true);
    for (const key of removed) changes.set(key, REMOVED);
    const added = [...changes.keys()].filter((key) => changes.get(key) !== REMOVED);
    const { least, indices } = direct ?? { least: 0, indices: [] };
    if (added.every((key) => Number.isInteger(key) && key >= least && key - least < indices.length - 1)) return;
    const kept = Array.from(keys).filter((key) => !changes.has(key));
    const all = [...kept, ...added];
    checkLayout('update', shapeOf({ kind: typeof all[0] === 'number' ? 'number' : 'string', keys: all, values }), layout);
  }

  /** What entries are with all changes. @returns {Entries} */
  #merged() {
    const parts = this.#alive('update');
    const own = valuesByIndex(parts);
    const left = new Map(this.#changes);
    /** @type {{ keys: any[], values: any[] }} */
    const merged = { keys: [], values: [] };
    const add = (/** @type {any} */ key, /** @type {any} */ value) => {
      if (value === REMOVED) return;
      merged.keys.push(key);
      merged.values.push(value);
    };
    for (let i = 0; i < parts.keys.length; i++) {
      const key = parts.keys[i];
      add(key, left.has(key) ? left.get(key) : own[i]);
      left.delete(key);
    }
    for (const [key, value] of left) add(key, value);
    const read = readEntries('update', merged);
    if (this.isSet) return { ...read, values: null };
    return classOf(own) === undefined ? read : { ...read, values: own.constructor.from(merged.values) };
  }

  /** Lays out anew, on another thread for the most part; what changes meanwhile stays an overlay. */
  #layOutSoon() {
    if (this.#isBusy) return;
    this.#isBusy = true;
    // Where it fails all stays as it is, and is tried again by the next call that needs it.
    const later = this.#layOutLater().catch(() => undefined);
    this.#settled = later.then(() => void (this.#isBusy = false));
  }

  async #layOutLater() {
    await new Promise((resolve) => void setImmediate(resolve));
    if (this.#parts === null || this.#changes.size === 0) return;
    const [from, taken] = [this.#parts, new Map(this.#changes)];
    const parts = await layOutLater('update', this.#merged(), this.#options);
    if (this.#parts !== from) return;
    for (const [key, value] of taken) if (Object.is(this.#changes.get(key), value)) this.#changes.delete(key);
    this.#settle(parts);
  }

  /** Resolves when nothing is being laid out. */
  get settled() {
    return this.#settled;
  }

  // --- the rest ---

  /** Which layout was chosen, why, and what a lookup in it took. */
  explain() {
    const parts = this.#alive('explain');
    const { threads } = this.#options;
    return explain(parts, { milliseconds: this.#milliseconds, changes: this.#changes.size, threads });
  }

  /**
   * A native function from a key to its value, a number: of what the map is now.
   *
   * @param {unknown} [options]
   */
  toNative(options) {
    const parts = reproducible(this.#compact('toNative'));
    return nativeOf(mapSource(parts, () => this.#orderOf(parts), nativeOptions(options)));
  }

  /** @override @param {string} caller @returns {import('./export.js').Exported} */
  [EXPORTED](caller) {
    const parts = reproducible(this.#compact(caller));
    const [what, name] = this.isSet ? ['a set', 'set'] : ['a map', 'map'];
    const missing = this.isSet ? 0 : this.#options.missing;
    const entries = this.isSet ? null : valuesByIndex(parts);
    return { what: `${what} of ${this.size} ${this.keyType}s`, name, missing, entries, ...exportedOf(caller, parts) };
  }

  /** Lets go of keys, values and tables. */
  dispose() {
    this.#parts = null;
    this.#ordered = null;
    this.#changes = new Map();
    const gone = (/** @type {string} */ caller) => () => fail('ERR_STATE', `${caller}: the map is disposed`);
    Object.assign(this, { get: gone('get'), has: gone('has'), index: gone('index') });
  }

  [DESCRIBE]() {
    return this.#parts === null ? 'a disposed map' : `a map of ${this.size} ${this.keyType}s`;
  }
}

module.exports = { CompiledMap };
