/**
 * The function that `native` returns: it finds the code for the arguments of a call, and compiles what is missing.
 *
 * Each list of argument types has code of its own (specialization.js). A call goes to the code of the call before; only
 * if that answers that the arguments are of other types are the types looked at. With a signature there is one list,
 * and other arguments are an error.
 */
'use strict';

const { AbortError } = require('../../base/abort.js');
const { DESCRIBE, boolean, describe, expected, oneOf, readOptions } = require('../../base/check.js');
const { GraphError, fail } = require('../../base/errors.js');
const { SORTER } = require('../../base/well-known-symbols.js');
const { isValue } = require('../../graph/value.js');
const { Tensor } = require('../../tensor/tensor.js');
const { readSignature, typeText } = require('../source/signature.js');
const { keyOf, sized, typeOf } = require('./arguments.js');
const { dumpOf, narrowed, stageNames } = require('./compile.js');
const { isReturned, shapeText } = require('./results.js');
const { MISFIT, Specialization } = require('./specialization.js');

/** @typedef {import('../source/types.js').ValueType} ValueType */
/** @typedef {import('../source/signature.js').Place} Place */

/**
 * Sizes, or what gives them for the arguments of a call.
 *
 * @typedef {unknown[] | string | number | ((...args: any[]) => unknown)} Shape
 */

/**
 * What native functions are used for besides calls with plain arguments: stages above this one.
 *
 * @typedef {object} Uses
 * @property {(fn: Function) => import('../hir/index.js').FunctionNode} build
 * @property {(own: Callable, args: unknown[]) => any} callWithTensors
 * @property {(own: Callable, args: unknown[]) => any} callWithValues
 * @property {(name: 'toWasm' | 'toObject' | 'toHeader', own: Callable, signature: unknown, options: unknown) => unknown} write
 * @property {(compare: Function) => (lines: any, length: number) => void} sorter
 */

/** For how many lists of types one function is compiled. */
const MOST_SPECIALIZATIONS = 256;

/** Declared types that a Tensor is not of. */
const ARRAYS = new Set(['array', 'list']);

const UNDEFINED = /** @type {ValueType} */ ({ kind: 'undefined' });

/** A caller before there is one. @type {() => null} */
const none = () => null;

class Callable {
  #unit;
  /** The signature's params; null: the arguments decide. @type {Place[] | null} */
  #places;
  /** By the key of their types. @type {Map<string, Specialization>} */
  #known = new Map();
  /** The one of the last call. @type {Specialization | null} */
  #latest = null;
  /** Keys of types that could not be compiled, and what calls of them go to instead. @type {Set<string>} */
  #refused = new Set();
  /** Why the function runs as JavaScript. @type {GraphError | null} */
  #why = null;
  #gaveNull = false;
  #disposed = false;
  /** What calls go to at once; null is for #slow. @type {(...args: any[]) => any} */
  caller = none;

  /**
   * @param {import('./unit.js').Unit} unit
   * @param {import('../source/signature.js').Signature | null} signature
   * @param {Uses} uses
   * @param {Shape | null} [shape]
   */
  constructor(unit, signature, uses, shape = null) {
    this.#unit = unit;
    this.#places = signature?.params ?? null;
    this.uses = uses;
    /** Trees of functions that are arguments. */
    this.build = uses.build;
    this.returns = signature?.returns ?? null;
    /** Of an array that it returns, for graphs. @type {Shape | null} */
    this.shape = shape;
  }

  get name() {
    return this.#unit.name;
  }

  /** The types of parameters that were given, for functions derived from this one. */
  get signature() {
    return this.#places === null ? null : { params: this.#places, returns: null };
  }

  /** What the signature says of parameters, or else comments. */
  get declared() {
    return this.#places ?? this.#unit.docs;
  }

  get unit() {
    return this.#unit;
  }

  get specializations() {
    return [...this.#known.values()];
  }

  // --------------------------------------------------------------------------------- calling

  /** What a call does whose caller gave null. @type {(args: unknown[]) => any} */
  slow(args) {
    if (this.#gaveNull) {
      this.#gaveNull = false;
      return null;
    }
    if (this.#disposed) return fail('ERR_STATE', `${this.name}: the function is disposed`);
    if (args.some(isValue)) return this.uses.callWithValues(this, args);
    if (this.#takesWhole(args)) return this.uses.callWithTensors(this, args);
    const latest = this.#latest;
    if (latest !== null && latest.plain !== null) {
      // The caller has told why, and what it was given is what it was called with.
      const value = latest.explain({ flat: args, sources: [], objects: [], keeps: false }, args);
      if (value !== MISFIT) {
        this.#use(latest);
        return value;
      }
    }
    for (const each of this.#known.values()) {
      const value = each === latest ? MISFIT : each.call(args);
      if (value === MISFIT) continue;
      this.#use(each);
      return value;
    }
    const fresh = this.#find(args);
    if (fresh === null) return this.#original(args);
    this.#use(fresh);
    const value = fresh.call(args);
    return value === MISFIT ? this.#refuse(args, fresh.code.types) : value;
  }

  /** Whether a Tensor is given for what is declared as an array. @param {readonly unknown[]} args */
  #takesWhole(args) {
    return args.some((arg, i) => arg instanceof Tensor && ARRAYS.has(this.declared[i]?.type?.kind ?? ''));
  }

  /**
   * The code for arguments; null where the original function is to run.
   *
   * @type {(args: readonly unknown[]) => Specialization | null}
   */
  #find(args) {
    let key = '';
    try {
      const types = narrowed(this.#unit, this.#typesOf(args), args);
      key = types.map(keyOf).join();
      return this.#refused.has(key) ? null : this.#specialize(types, key);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      const found = this.#places === null ? this.#findSized(args) : null;
      if (found !== null) return found;
      if (!this.#unit.options.fallback) throw error;
      this.fallBack(error);
      if (key !== '') this.#refused.add(key);
      return null;
    }
  }

  /**
   * The code for arrays of just these lengths, where there is none for all: `f(...args)`.
   *
   * @type {(args: readonly unknown[]) => Specialization | null}
   */
  #findSized(args) {
    try {
      const types = this.#typesOf(args);
      const exact = types.map((type, i) => sized(type, args[i]));
      return types.every((type, i) => type === exact[i]) ? null : this.#specialize(narrowed(this.#unit, exact, args));
    } catch (error) {
      if (isRefusal(error)) return null;
      throw error;
    }
  }

  /** Says once why the original function runs. @param {GraphError} error */
  fallBack(error) {
    if (this.#why !== null) return;
    this.#why = error;
    const message = `native: ${this.name} runs as JavaScript: ${error.message}`;
    process.emitWarning(message, { type: 'GraphjitWarning', code: 'GRAPHJIT_FALLBACK' });
  }

  get why() {
    return this.#why;
  }

  /** @type {(args: readonly unknown[]) => unknown} */
  #original(args) {
    const { origin } = this.#unit;
    if (typeof origin !== 'function') throw /** @type {GraphError} */ (this.#why);
    if (this.#known.size === 0) {
      this.caller = (...given) => {
        const value = origin(...given);
        if (value === null) this.#gaveNull = true;
        return value;
      };
    }
    return origin(...args);
  }

  /** Calls go to this one from now on. @param {Specialization} specialization */
  #use(specialization) {
    this.#latest = specialization;
    this.caller =
      specialization.plain ??
      ((...args) => {
        const value = specialization.call(args);
        if (value === MISFIT) return null;
        if (value === null) this.#gaveNull = true;
        return value;
      });
  }

  /** @type {(types: readonly ValueType[], key?: string) => Specialization} compiled now if it is not known yet */
  #specialize(types, key = types.map(keyOf).join()) {
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    if (this.#known.size >= MOST_SPECIALIZATIONS) {
      const most = `it has been compiled for ${MOST_SPECIALIZATIONS} lists of argument types already`;
      return fail('ERR_UNSUPPORTED', `${this.name}: ${most}: give it a signature, or pass arguments of fewer types`);
    }
    const fresh = new Specialization(this.#unit, types, key);
    this.#checkReturns(fresh);
    this.#known.set(key, fresh);
    return fresh;
  }

  /** @param {Specialization} specialization */
  #checkReturns({ code: { result } }) {
    const { returns } = this;
    if (returns === null || isReturned(result, returns)) return;
    fail(
      'ERR_DTYPE',
      `native: ${this.name}: the signature says that it returns ${typeText(returns)}, it returns ${shapeText(result)}`,
    );
  }

  /** @type {(args: readonly unknown[]) => ValueType[]} */
  #typesOf(args) {
    const places = this.#places;
    if (places !== null) return places.map(({ type, isOptional }, i) => this.#placeType(type, isOptional, args, i));
    const { count, hasRest } = this.#unit.arity;
    const length = hasRest ? args.length : count;
    return Array.from({ length }, (_, i) => typeOf(args[i], `${this.name}: argument ${i + 1}`, this.build));
  }

  /** @type {(type: ValueType | null, isOptional: boolean, args: readonly unknown[], i: number) => ValueType} */
  #placeType(type, isOptional, args, i) {
    if (isOptional && args[i] === undefined) return UNDEFINED;
    return type ?? typeOf(args[i], `${this.name}: argument ${i + 1}`, this.build);
  }

  /** @type {(args: readonly unknown[], types: readonly ValueType[]) => never} says which argument is not of its type */
  #refuse(args, types) {
    const single = types.findIndex((type, i) => !this.#fits(type, args[i]));
    const i = single < 0 ? 0 : single;
    return fail(
      'ERR_DTYPE',
      `${this.name}: expected ${typeText(types[i])} for argument ${i + 1}, got ${describe(args[i])}`,
    );
  }

  /** Roughly, for the message. @type {(type: ValueType, value: unknown) => boolean} */
  #fits(type, value) {
    try {
      const own = typeOf(value, '', this.build);
      if (type.kind === 'number' && type.dtype !== 'f64' && type.dtype !== 'f32') return isWhole(type.dtype, value);
      if (type.kind === 'bigint') return typeof value === 'bigint' && isBig(type.dtype, value);
      return typeText(own) === typeText(type) || (own.kind === 'number' && type.kind === 'number');
    } catch {
      return false;
    }
  }

  // ----------------------------------------------------------------------------- ahead of calls

  /** Finds what can be found without arguments: faults of the source, and code where all types are given. */
  prepare() {
    const { name, arity } = this.#unit;
    const { count, hasRest } = arity;
    if (this.#places !== null && this.#places.length !== count && !hasRest) {
      const message = `the function has ${count} parameters, the signature ${this.#places.length}`;
      fail('ERR_ARGUMENT', `native: ${name}: ${message}`);
    }
    const types = this.declared.map(({ type }) => type);
    const isKnown = !types.includes(null) && (this.#places !== null || (types.length === count && !hasRest));
    if (isKnown && (this.#places !== null || count > 0)) {
      this.#use(this.#specialize(/** @type {ValueType[]} */ (types)));
    }
  }

  /**
   * Types of parameters for code that is called elsewhere.
   *
   * @type {(signature: unknown, caller: string) => ValueType[]}
   */
  typesFor(signature, caller) {
    const { arity, docs, name } = this.#unit;
    if (this.#disposed) return fail('ERR_STATE', `${name}: the function is disposed`);
    const given = signature === undefined || signature === null ? null : readSignature(signature, caller).params;
    const places = given ?? this.declared;
    if (given !== null && given.length !== arity.count && !arity.hasRest) {
      return fail(
        'ERR_ARGUMENT',
        `${caller}: the function has ${arity.count} parameters, the signature ${given.length}`,
      );
    }
    const isList = given !== null || this.#places !== null || (docs.length === arity.count && !arity.hasRest);
    const types = places.map(({ type }) => type);
    if (!isList || types.includes(null)) {
      return fail(
        'ERR_ARGUMENT',
        `${caller}: the types of the parameters are not known: pass a signature such as 'f64(f64[], i32)'`,
      );
    }
    return /** @type {ValueType[]} */ (types);
  }

  /** @type {(args: unknown, options: unknown) => Promise<unknown>} */
  async runAsync(args, options) {
    const caller = `${this.name}.runAsync`;
    const { signal } = readOptions(caller, options, { signal: abortSignal });
    if (!Array.isArray(args)) return expected(caller, 'an array', 'the arguments', args);
    if (signal?.aborted) throw new AbortError(signal);
    if (this.#disposed) return fail('ERR_STATE', `${this.name}: the function is disposed`);
    for (const each of this.#known.values()) {
      const pending = each.callAsync(args, signal);
      if (pending !== MISFIT) return pending;
    }
    const fresh = this.#find(args);
    if (fresh === null) return this.#original(args);
    const pending = fresh.callAsync(args, signal);
    return pending === MISFIT ? this.#refuse(args, fresh.code.types) : pending;
  }

  // ---------------------------------------------------------------------------------- seeing

  /** The code that was used last, for who looks at it. @type {(caller: string) => Specialization} */
  latest(caller) {
    if (this.#disposed) return fail('ERR_STATE', `${this.name}: the function is disposed`);
    if (this.#why !== null && this.#known.size === 0) {
      return fail('ERR_STATE', `${this.name}.${caller}: the function runs as JavaScript: ${this.#why.message}`);
    }
    const found = this.#latest ?? this.specializations.at(-1);
    return (
      found ??
      fail('ERR_STATE', `${this.name}.${caller}: nothing is compiled yet: call it first, or give it a signature`)
    );
  }

  dispose() {
    for (const each of this.#known.values()) each.dispose();
    this.#known.clear();
    this.#latest = null;
    this.caller = none;
    this.#disposed = true;
  }
}

/** Whether an error says that something cannot be compiled. @type {(error: unknown) => error is GraphError} */
const isRefusal = (error) =>
  error instanceof GraphError && ['ERR_UNSUPPORTED', 'ERR_PARSE', 'ERR_DTYPE'].includes(error.code);

/** @type {(dtype: string, value: unknown) => boolean} */
function isWhole(dtype, value) {
  if (typeof value !== 'number' || !Number.isInteger(value)) return false;
  const bits = Number(dtype.slice(1));
  const [least, most] = dtype.startsWith('u') ? [0, 2 ** bits - 1] : [-(2 ** (bits - 1)), 2 ** (bits - 1) - 1];
  return value >= least && value <= most;
}

/** @type {(dtype: string, value: bigint) => boolean} */
const isBig = (dtype, value) => value === (dtype === 'u64' ? BigInt.asUintN(64, value) : BigInt.asIntN(64, value));

/** @type {import('../../base/check.js').Getter<AbortSignal>} */
function abortSignal(value, which, caller) {
  return value instanceof AbortSignal ? value : expected(caller, 'an AbortSignal', which, value);
}

/**
 * What users call. With few parameters it has as many, which is quicker than a rest parameter.
 *
 * @param {Callable} own
 * @param {number} count of parameters; -1: any number of arguments says something
 * @returns {(...args: any[]) => any}
 */
function callerOf(own, count) {
  /** @type {(value: any, args: unknown[]) => any} */
  const settled = (value, args) => (value === null ? own.slow(args) : value);
  switch (count) {
    case 0:
      return () => settled(own.caller(), []);
    case 1:
      return (/** @type {any} */ a) => {
        const value = own.caller(a);
        return value === null ? own.slow([a]) : value;
      };
    case 2:
      return (/** @type {any} */ a, /** @type {any} */ b) => {
        const value = own.caller(a, b);
        return value === null ? own.slow([a, b]) : value;
      };
    case 3:
      return (/** @type {any} */ a, /** @type {any} */ b, /** @type {any} */ c) => {
        const value = own.caller(a, b, c);
        return value === null ? own.slow([a, b, c]) : value;
      };
    case 4:
      return (/** @type {any} */ a, /** @type {any} */ b, /** @type {any} */ c, /** @type {any} */ d) => {
        const value = own.caller(a, b, c, d);
        return value === null ? own.slow([a, b, c, d]) : value;
      };
    default:
      return (...args) => settled(own.caller(...args), args);
  }
}

/** @type {(options: unknown) => boolean | undefined} */
const isOptimized = (options) => readOptions('llvm', options, { optimized: boolean }).optimized;

/**
 * What a native function has besides being one.
 *
 * @type {(own: Callable) => Record<string | symbol, PropertyDescriptor>}
 */
function membersOf(own) {
  /** @type {Record<string | symbol, PropertyDescriptor>} */
  const members = {
    signatures: { get: () => Object.freeze(own.specializations.map(({ code }) => code.text)) },
    stats: { get: () => Object.freeze(own.specializations.map(({ stats }) => Object.freeze(stats))) },
    runAsync: { value: (/** @type {unknown} */ args, /** @type {unknown} */ options) => own.runAsync(args, options) },
    loops: { value: () => own.latest('loops').text('loops') },
    llvm: {
      value: (/** @type {unknown} */ options) => own.latest('llvm').text(isOptimized(options) ? 'optimized' : 'llvm'),
    },
    asm: { value: () => own.latest('asm').text('asm') },
    explain: { value: (/** @type {unknown} */ options) => explain(own, options) },
    ...Object.fromEntries(
      /** @type {const} */ (['toWasm', 'toObject', 'toHeader']).map((name) => [
        name,
        {
          value: (/** @type {unknown} */ first, /** @type {unknown} */ second) => {
            const [signature, options] =
              second === undefined && isOptions(first) ? [undefined, first] : [first, second];
            return own.uses.write(name, own, signature, options);
          },
        },
      ]),
    ),
    dispose: { value: () => own.dispose() },
  };
  if (Symbol.dispose !== undefined) members[Symbol.dispose] = members.dispose;
  return members;
}

/** What a native function has besides being called. */
const memberNames = Object.freeze(Object.keys(membersOf(/** @type {any} */ (null))));

/**
 * Whether a first argument is no signature but options, for a function that has one.
 *
 * @type {(given: any) => boolean}
 */
function isOptions(given) {
  return (
    typeof given === 'object' &&
    given !== null &&
    !Array.isArray(given) &&
    !('params' in given) &&
    !('returns' in given)
  );
}

/** What is behind native functions. @type {WeakMap<Function, Callable>} */
const owners = new WeakMap();

/** @type {(fn: Function) => Callable | undefined} */
const ownerOf = (fn) => owners.get(fn);

/**
 * @param {Callable} own
 * @param {number} count
 * @param {number} length as the original's
 * @returns {any}
 */
function functionOf(own, count, length) {
  const made = callerOf(own, count);
  owners.set(made, own);
  return Object.defineProperties(made, {
    ...membersOf(own),
    name: { value: own.name, configurable: true },
    length: { value: length, configurable: true },
    toString: { value: () => titleOf(own) },
    [DESCRIBE]: { value: () => `native ${own.name}` },
    [SORTER]: { value: () => own.uses.sorter(made) },
    [Symbol.for('nodejs.util.inspect.custom')]: { value: () => `[${titleOf(own)}]` },
  });
}

/**
 * The original function, with the members of a native one where it has no others of the name.
 *
 * @param {Callable} own which has fallen back
 * @param {Function} fn
 * @returns {any}
 */
function originalOf(own, fn) {
  for (const [name, member] of Object.entries(membersOf(own))) {
    if (!(name in fn) && Object.isExtensible(fn)) Object.defineProperty(fn, name, { ...member, configurable: true });
  }
  return fn;
}

/** @type {(own: Callable) => string} such as 'native sum: f64(f64[])' */
function titleOf(own) {
  const list = own.specializations.map(({ code }) => code.text);
  return list.length === 0 ? `native ${own.name}` : `native ${own.name}: ${list.join('; ')}`;
}

/** @type {(own: Callable, options: unknown) => string} */
function explain(own, options) {
  const { stage } = readOptions(`${own.name}.explain`, options, { stage: oneOf(stageNames()) });
  if (own.why !== null && own.specializations.length === 0) return `${own.name} runs as JavaScript: ${own.why.message}`;
  const latest = own.latest('explain');
  if (stage !== undefined) {
    const message = `${own.name}.explain: the pass '${stage}' does not run for this function`;
    return dumpOf(own.unit, latest.code.types, stage) ?? fail('ERR_ARGUMENT', message);
  }
  return require('./explain.js').explain(latest.code.program.loops, (place) => own.unit.whereOf(place), latest.remarks);
}

module.exports = { Callable, functionOf, isRefusal, memberNames, originalOf, ownerOf };
