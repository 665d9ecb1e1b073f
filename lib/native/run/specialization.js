/**
 * A function compiled for one list of types, and its calls.
 *
 * Where all arguments and the result are passed as they are, the addon's caller is called with the user's arguments and
 * nothing happens here. Otherwise arguments are taken apart first and the result is read from the slots. Code comes in
 * up to three variants, made when first needed: for arrays that do not overlap, for arrays that do, and for runs on
 * another thread, which look whether they have been cancelled.
 */
'use strict';

const { AbortError, onAbort } = require('../../base/abort.js');
const { native } = require('../../base/binding.js');
const { describe } = require('../../base/check.js');
const { GraphError, fail } = require('../../base/errors.js');
const { NUMERICS } = require('../../base/numerics.js');
const { mayShrink } = require('../../graph/inline-cache.js');
const { giveBack, takerOf } = require('./arguments.js');
const { codeOf, notedCode } = require('./compile.js');
const { throwStatus } = require('./errors.js');
const { newState } = require('./results.js');

/** @typedef {import('../source/types.js').ValueType} ValueType */
/** @typedef {import('./arguments.js').Taken} Taken */
/** @typedef {import('./results.js').State} State */
/** @typedef {import('../../base/binding.js').Handle} Handle */

/** Why the addon's caller answered null; see addon/function.h. `done`: that is the result. */
const OUTCOME = Object.freeze({ done: 0, misfit: 1, detached: 2, overlap: 3, failed: 4, disposed: 5 });

/** What a call gives whose arguments are not of the types. */
const MISFIT = Symbol('misfit');

class Specialization {
  #unit;
  #key;
  /** Handles by variant. @type {Map<string, Handle>} */
  #handles = new Map();
  /** @type {import('./arguments.js').Taker[]} */
  #takers;
  /** @type {State} */
  #state;
  /** @type {(...flat: unknown[]) => unknown} */
  #invoke;

  /**
   * @param {import('./unit.js').Unit} unit
   * @param {readonly ValueType[]} types
   * @param {string} key of the types
   */
  constructor(unit, types, key) {
    this.#unit = unit;
    const start = performance.now();
    this.#key = key;
    const { codes } = unit.shared;
    const noted = unit.notes?.code(key);
    this.code = codes.get(key) ?? (noted ? notedCode(unit, types, noted) : codeOf(unit, types));
    codes.set(key, this.code);
    this.#takers = types.map(takerOf);
    this.frontMs = performance.now() - start;
    this.#state = newState(this.code.slots);
    this.#invoke = this.#callerOver(this.#state);
  }

  /** What takes the user's arguments and answers null where it cannot, if there is such. */
  get plain() {
    return this.code.isPlain && !this.#hasRest ? this.#invoke : null;
  }

  get #hasRest() {
    return this.#unit.arity.hasRest;
  }

  // ------------------------------------------------------------------------------- compiling

  /** @type {(variant: { poll?: boolean, noalias?: boolean }) => Handle} */
  #handle(variant) {
    const key = `${variant.poll ? 'poll ' : ''}${variant.noalias ? 'apart' : ''}`;
    let handle = this.#handles.get(key);
    if (handle === undefined) {
      const { numerics, optLevel, cache, tier } = this.#unit.options;
      const { size } = this.code.modules;
      handle = native.functionCompile(
        this.code.emit(variant).text,
        NUMERICS[numerics],
        optLevel,
        cache,
        tier === 'auto' ? 1 : 0,
      );
      this.#handles.set(key, handle);
      if (this.code.modules.size > size) this.#note();
    }
    return handle;
  }

  /** Tells later processes; what is captured they would have to look for. */
  #note() {
    const { facts, modules, hidden } = this.code;
    if (hidden.length === 0) this.#unit.notes?.noteCode(() => this.#unit.head, this.#key, facts, modules);
  }

  /** Only where arrays are written may it matter whether they overlap. */
  get #mayOverlap() {
    return this.code.written.length > 1 && this.code.written.includes(true);
  }

  /** @type {(state: State, overlapping?: boolean) => (...flat: unknown[]) => unknown} */
  #callerOver(state, overlapping = false) {
    const code = this.#handle({ noalias: true });
    const apart = overlapping ? this.#handle({ noalias: false }) : undefined;
    return native.functionCaller(code, apart, this.code.signature, this.#unit.options.threads, state.buffer);
  }

  // --------------------------------------------------------------------------------- calling

  /**
   * @param {readonly unknown[]} args
   * @param {boolean} keeps whether the call ends later
   * @returns {Taken | null} null where they are not of the types
   */
  #take(args, keeps) {
    /** @type {Taken} */
    const taken = { flat: [], sources: [], objects: [], keeps };
    const { hidden } = this.code;
    const takers = this.#takers;
    if (this.#hasRest && args.length !== takers.length) return null;
    for (let i = 0; i < takers.length; i++) if (!takers[i].take(args[i], taken)) return null;
    for (const { value, taker } of hidden) if (!taker.take(value, taken)) return null;
    if (this.code.sets && new Set(taken.objects).size < taken.objects.length) {
      const advice = 'it sets fields of objects, so each has to be another one';
      return fail('ERR_UNSUPPORTED', `${this.#unit.name}: an object is given twice: ${advice}`);
    }
    return taken;
  }

  /** @type {(args: readonly unknown[]) => unknown} the result, or MISFIT */
  call(args) {
    const taken = this.#take(args, false);
    if (taken === null) return MISFIT;
    const value = this.#invoke(...taken.flat);
    if (value !== null) return this.#finish(value, taken, args, this.#state);
    return this.explain(taken, args);
  }

  /** What is to be done where the addon answered null. @type {(taken: Taken, args: readonly unknown[]) => unknown} */
  explain(taken, args) {
    const [outcome, detail] = this.#state.words;
    switch (outcome) {
      case OUTCOME.done:
        this.#giveBack(taken);
        return null;
      case OUTCOME.misfit:
        return MISFIT;
      case OUTCOME.overlap:
        if (this.#unit.needsApart)
          return fail(
            'ERR_ARGUMENT',
            `${this.#unit.name}: arrays overlap, and the function writes to one of them: pass copies`,
          );
        this.#invoke = this.#callerOver(this.#state, true);
        return this.call(args);
      case OUTCOME.failed:
        this.#giveBack(taken);
        return throwStatus(detail, this.code.sites, this.#state, this.#unit.name);
      default:
        return this.#refuse(outcome, taken.flat[detail]);
    }
  }

  /** @type {(outcome: number, value: unknown) => never} */
  #refuse(outcome, value) {
    const { name } = this.#unit;
    if (outcome === OUTCOME.detached) return fail('ERR_STATE', `${name}: ${describe(value)} is detached`);
    if (outcome === OUTCOME.disposed) return fail('ERR_STATE', `${name}: the function is disposed`);
    return fail('ERR_INTERNAL', `${name}: a call ended with ${outcome}`);
  }

  /** @type {(value: unknown, taken: Taken, args: readonly unknown[], state: State) => unknown} */
  #finish(value, taken, args, state) {
    this.#giveBack(taken);
    const { code } = this;
    if (code.isDirect) return value;
    const run = { state, buffers: Array.isArray(value) ? value : [], ...taken, args };
    const result = code.read(run);
    if (code.sets) code.set(run);
    return result;
  }

  /** Copies of plain arrays that were written to go back where they came from. @param {Taken} taken */
  #giveBack({ flat, sources }) {
    if (sources.length === 0) return;
    const arrays = flat.filter(ArrayBuffer.isView);
    this.code.written.forEach((written, k) => {
      if (written && Array.isArray(sources[k]))
        giveBack(/** @type {any} */ (arrays[k]), /** @type {any} */ (sources[k]));
    });
  }

  /** @type {(args: readonly unknown[], signal: AbortSignal | undefined) => Promise<unknown> | typeof MISFIT} */
  callAsync(args, signal) {
    const taken = this.#take(args, true);
    if (taken === null) return MISFIT;
    const { name, options } = this.#unit;
    for (const array of taken.flat) {
      if (!ArrayBuffer.isView(array) || !mayShrink(/** @type {any} */ (array))) continue;
      fail(
        'ERR_STATE',
        `${name}: ${describe(array)} lies in a resizable buffer, which may shrink during the run: pass a copy`,
      );
    }
    const state = newState(this.code.slots);
    const code = this.#handle({ poll: true, noalias: true });
    const apart = this.#mayOverlap ? this.#handle({ poll: true, noalias: false }) : undefined;
    const run = native.functionStart(code, apart, this.code.signature, options.threads, state.buffer, taken.flat);
    // Arguments are read before anything runs.
    return state.words[0] === OUTCOME.misfit ? MISFIT : this.#settle(run, taken, args, state, signal);
  }

  /** @type {(run: { promise: Promise<unknown> }, taken: Taken, args: readonly unknown[], state: State, signal: AbortSignal | undefined) => Promise<unknown>} */
  async #settle(run, taken, args, state, signal) {
    const { name } = this.#unit;
    const forget = signal && onAbort(signal, () => native.workCancel(run));
    let value;
    try {
      value = await run.promise;
    } catch (error) {
      // Made on an empty stack; made again here it shows who awaits the run.
      if (!signal?.aborted && error instanceof GraphError) fail(error.code, error.message);
      if (!signal?.aborted) throw error;
    } finally {
      forget?.();
    }
    if (signal?.aborted) throw new AbortError(signal);
    if (value !== null) return this.#finish(value, taken, args, state);
    const [outcome, detail] = state.words;
    if (outcome === OUTCOME.done) {
      this.#giveBack(taken);
      return null;
    }
    if (outcome !== OUTCOME.failed) return this.#refuse(outcome, taken.flat[detail]);
    this.#giveBack(taken);
    return throwStatus(detail, this.code.sites, state, name);
  }

  // ---------------------------------------------------------------------------------- seeing

  /** @type {(what: 'loops' | 'llvm' | 'optimized' | 'asm') => string} */
  text(what) {
    const { numerics, optLevel } = this.#unit.options;
    return native.functionText(this.code.emit({ noalias: true }).text, NUMERICS[numerics], optLevel, what);
  }

  get stats() {
    return { signature: this.code.text, front: this.frontMs, ...native.functionStats(this.#handle({ noalias: true })) };
  }

  /** What the compiler says of loops, a line each. */
  get remarks() {
    return native.functionRemarks(this.#handle({ noalias: true }));
  }

  dispose() {
    for (const handle of this.#handles.values()) native.functionDispose(handle);
  }
}

module.exports = { MISFIT, Specialization };
