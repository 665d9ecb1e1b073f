/**
 * A function as `native` got it: where its source is, what it captures, how it is to be compiled.
 *
 * The tree of the source is made when somebody needs it, and shared by equal functions (memory-cache.js).
 */
'use strict';

const { here, userLine } = require('../../base/errors.js');
const { build, infer } = require('../pipeline.js');
const { locate } = require('../source/locate.js');
const { sharedOf } = require('./memory-cache.js');

/** @typedef {import('../hir/index.js').Place} Place */
/** @typedef {import('../hir/index.js').FunctionNode} FunctionNode */

/**
 * @typedef {object} Options
 * @property {'exact' | 'check' | 'unchecked'} bounds
 * @property {'default' | 'strict' | 'fast'} numerics
 * @property {number} threads
 * @property {number} optLevel
 * @property {boolean} cache
 * @property {'auto' | 'full'} tier
 * @property {boolean} fallback
 */

class Unit {
  #place = here();
  /** @type {import('../source/locate.js').Location | null | undefined} */
  #location;
  /** @type {import('./memory-cache.js').Shared | null} */
  #shared = null;

  /**
   * @param {Function | string} origin
   * @param {Record<string, unknown>} capture
   * @param {Options} options
   */
  constructor(origin, capture, options) {
    this.origin = origin;
    this.capture = capture;
    this.options = options;
  }

  /** @returns {import('../source/locate.js').Location | null} */
  get location() {
    if (this.#location === undefined) {
      this.#location = typeof this.origin === 'string' ? null : locate(String(this.origin), userLine(this.#place));
    }
    return this.#location;
  }

  /** What this function has in common with equal ones. */
  get shared() {
    if (this.#shared === null) {
      const { file, line, column } = this.location ?? {};
      const { bounds, numerics, threads } = this.options;
      this.#shared = sharedOf(
        this.origin,
        this.capture,
        JSON.stringify([file, line, column, bounds, numerics, threads]),
      );
    }
    return this.#shared;
  }

  /**
   * What earlier processes have found out; null where nothing is to be kept.
   *
   * @returns {import('./disk-cache.js').Notes | null}
   */
  get notes() {
    const { shared } = this;
    if (!this.options.cache || shared.key === null) return null;
    shared.notes ??= require('./disk-cache.js').readNotes(shared.key, this.location?.comment);
    return shared.notes;
  }

  /** What a note says of the function itself. @returns {import('./disk-cache.js').Head} */
  get head() {
    const { name, arity, docs } = this;
    return { name, arity, docs };
  }

  /** @returns {FunctionNode} */
  get tree() {
    const { shared } = this;
    if (shared.tree === null) {
      const { file, line } = this.location ?? {};
      shared.tree = build(this.origin, { file, line, capture: this.capture });
    }
    return shared.tree;
  }

  get name() {
    const { origin } = this;
    const name = typeof origin === 'string' ? (this.notes?.head?.name ?? this.tree.name) : origin.name;
    return typeof name === 'string' && name !== '' ? name : 'anonymous';
  }

  /** How many arguments say anything, and whether more do, or that there are more. */
  get arity() {
    const noted = this.notes?.head;
    if (noted) return noted.arity;
    const { params, rest, countsArguments } = this.tree;
    return { count: params.length, hasRest: rest !== null || countsArguments };
  }

  /** What comments say of the parameters; empty where they say nothing. */
  get docs() {
    this.shared.docs ??= this.notes?.head?.docs ?? this.#readDocs();
    return this.shared.docs;
  }

  #readDocs() {
    const { source, place } = this.tree;
    const comment = this.location?.comment;
    return comment === undefined && !source.text.includes('/**')
      ? []
      : require('../source/jsdoc.js').readDocs(source, /** @type {any} */ (place), comment);
  }

  /** Whether all results are wrong where arrays overlap and are written. */
  get needsApart() {
    return false;
  }

  /**
   * The typed program, fresh, for parameters of these types.
   *
   * @param {readonly import('../source/types.js').ValueType[]} types
   * @param {boolean} [inPlace] whether large functions stand wherever they are called, too
   */
  infer(types, inPlace = false) {
    return infer(this.tree, [...types], { bounds: this.options.bounds, inPlace });
  }

  /** @type {(place: Place) => { name: string, file: string, line: number, column: number }} */
  whereOf({ loc: { start, source } }) {
    const own = this.location;
    const isOwn = own !== null && source === this.tree.source && start.line === 1;
    const line = start.line + (source?.line ?? 1) - 1;
    return { name: this.name, file: source?.file ?? this.name, line, column: start.column + (isOwn ? own.column : 1) };
  }
}

module.exports = { Unit };
