/**
 * Transformations of functions of tensors: what takes a function and gives another.
 *
 * A function that is called with Values, while something is traced, adds to that graph. One that is called with tensors
 * is traced as a whole and compiled, as jit does, so that a second call of the same types runs machine code. A function
 * of numbers has derivatives of its own (lib/native/derivatives.js): which is meant shows in what is passed.
 */
'use strict';

const { boolean, callable, expected, oneOf, readOptions } = require('../base/check.js');
const { fail } = require('../base/errors.js');
const { currentState, graphOf, isValue } = require('../graph/value.js');
const { Tensor } = require('../tensor/tensor.js');
const { jit } = require('../trace/jit.js');
const { parameterNames } = require('../trace/parameter-names.js');
const { flatten } = require('../trace/pytree.js');
const derivatives = require('./derivatives.js');

/** @typedef {(...args: any[]) => any} Fn */
/** @typedef {import('../graph/value.js').GraphState} GraphState */

/** @type {(tree: unknown) => unknown[]} nothing where it is no tree of tensors */
function leavesOf(tree) {
  try {
    return flatten(tree, 'grad', 'an argument', { optional: true }).leaves;
  } catch {
    return [];
  }
}

/** The graph that is being traced, or that of the Values among the arguments. @type {(args: readonly unknown[], caller: string) => GraphState | undefined} */
function stateFor(args, caller) {
  const values = args.flatMap(leavesOf).filter(isValue);
  return currentState() ?? (values.length > 0 ? graphOf(values, caller) : undefined);
}

/** What is being traced now. */
const traced = () => /** @type {GraphState} */ (currentState());

/** @type {<T>(find: () => T) => () => T} */
function once(find) {
  /** @type {any} */
  let known;
  return () => (known ??= { value: find() }).value;
}

/**
 * A function that adds to the graph at hand, or else is compiled.
 *
 * @param {string} name
 * @param {Fn} fn what it is made of
 * @param {(args: any[], state: GraphState) => any} build
 * @returns {Fn}
 */
function transformed(name, fn, build) {
  const own = `${name}(${fn.name || 'function'})`;
  const compiled = once(() => jit((/** @type {any[]} */ ...values) => build(values, traced()), { name: own }));
  const { [own]: made } = {
    [own](/** @type {any[]} */ ...args) {
      const state = stateFor(args, name);
      return state === undefined ? compiled()(...args) : build(args, state);
    },
  };
  return Object.defineProperty(made, 'length', { value: fn.length, configurable: true });
}

/** @type {import('../base/check.js').Getter<number | string | (number | string)[]>} */
function wrtOption(value, which, caller) {
  const isOne = (/** @type {unknown} */ each) => typeof each === 'string' || (Number.isInteger(each) && /** @type {number} */ (each) >= 0);
  if (isOne(value) || (Array.isArray(value) && value.length > 0 && value.every(isOne))) return /** @type {any} */ (value);
  return expected(caller, 'the number or name of a parameter, or an array of these', which, value);
}

const GRAD = { wrt: wrtOption, hasAux: boolean, mode: oneOf(/** @type {const} */ (['reverse', 'forward'])) };

/** @type {(fn: Fn, wrt: number | string | (number | string)[], caller: string) => import('./variables.js').Wanted} */
function wantedOf(fn, wrt, caller) {
  const names = parameterNames(fn);
  const list = [wrt].flat().map((each) => {
    if (typeof each === 'number') return each;
    const at = names.indexOf(each);
    if (at >= 0) return at;
    const known = names.join(', ') || 'none';
    return fail('ERR_ARGUMENT', `${caller}: there is no parameter '${each}', the function has ${known}`);
  });
  return { list, isSingle: !Array.isArray(wrt) };
}

// --- of tensors, or of numbers ---

/** What is of tensors alone: made by jit, or here. @type {(fn: Function) => boolean} */
const isOfTensors = (fn) => ofTensors.has(fn) || 'lower' in fn;
/** @type {WeakSet<Function>} */
const ofTensors = new WeakSet();

/** Whether an argument is what functions of tensors take, and those of numbers do not. @type {(arg: unknown) => boolean} */
const hasTensor = (arg) => leavesOf(arg).some((leaf) => leaf instanceof Tensor || isValue(leaf));

/** Derivatives of a function that may be of either. @type {WeakMap<Function, { numbers: () => Fn, tensors: Fn }>} */
const pairs = new WeakMap();

/**
 * A function that is one or the other with each call. What a native function has besides being called, it has too.
 *
 * @type {(of: { name: string, length: number }, numbers: () => Fn, tensors: Fn) => Fn}
 */
function paired({ name, length }, numbers, tensors) {
  const isTraced = (/** @type {any[]} */ args) => currentState() !== undefined || args.some(hasTensor);
  const { [name]: made } = {
    [name]: (/** @type {any[]} */ ...args) => (isTraced(args) ? tensors(...args) : numbers()(...args)),
  };
  pairs.set(made, { numbers, tensors });
  for (const member of callables().memberNames) {
    const get = () => /** @type {any} */ (numbers())[member];
    Object.defineProperty(made, member, { get, configurable: true });
  }
  return Object.defineProperty(made, 'length', { value: length, configurable: true });
}

/** @type {(caller: 'grad' | 'valueAndGrad', f: Fn, options: unknown) => Fn} */
function ofTensorsBy(caller, f, options) {
  const { wrt = 0, hasAux = false } = readOptions(caller, options, GRAD);
  const made = transformed(caller, f, (args, state) => {
    const how = { caller, wanted: wantedOf(f, wrt, caller), hasAux };
    const { value, grad: own, aux } = derivatives.gradient(f, args, state, how);
    if (caller === 'grad') return hasAux ? [own, aux] : own;
    return [hasAux ? [value, aux] : value, own];
  });
  ofTensors.add(made);
  return made;
}

/** @type {(caller: 'grad' | 'valueAndGrad', fn: unknown, options: unknown) => any} */
function gradientOf(caller, fn, options) {
  const f = /** @type {Fn} */ (callable(fn, 'the first argument', caller));
  const numbersBy = (/** @type {Fn} */ g) => require('../native/derivatives.js')[caller](g, options);
  const pair = pairs.get(f);
  if (pair !== undefined) {
    const tensors = ofTensorsBy(caller, pair.tensors, options);
    return paired(tensors, once(() => numbersBy(pair.numbers())), tensors);
  }
  if (isNative(f)) return numbersBy(f);
  const tensors = ofTensorsBy(caller, f, options);
  return isOfTensors(f) ? tensors : paired(tensors, once(() => numbersBy(f)), tensors);
}

/** Native functions, loaded by the first gradient. */
const callables = () => require('../native/run/callable.js');
/** Whether it was made by native(). @type {(fn: Function) => boolean} */
const isNative = (fn) => callables().ownerOf(fn) !== undefined;

/**
 * The derivative of a function that gives a scalar, by its first argument or those that `wrt` says.
 *
 * @param {unknown} fn of tensors, or of numbers and typed arrays
 * @param {unknown} [options]
 * @returns {any} a function of the same arguments; its result is shaped as the argument
 */
const grad = (fn, options) => gradientOf('grad', fn, options);

/**
 * The same together with what the function gives: [value, derivative].
 *
 * @param {unknown} fn
 * @param {unknown} [options]
 * @returns {any}
 */
const valueAndGrad = (fn, options) => gradientOf('valueAndGrad', fn, options);

// --- both directions by themselves ---

/** What was compiled for a function, by what it is for. @type {WeakMap<Function, Map<string, Fn>>} */
const compiledFor = new WeakMap();

/** A function of tensors that is compiled once for each function that it is made of. @type {(fn: Fn, purpose: string, build: Fn) => Fn} */
function compiledOnce(fn, purpose, build) {
  const known = compiledFor.get(fn) ?? new Map();
  compiledFor.set(fn, known);
  const made = known.get(purpose) ?? jit(build, { name: `${purpose}(${fn.name || 'function'})` });
  known.set(purpose, made);
  return made;
}

/**
 * What a function gives, and the function that takes cotangents of that, a tree like it, to cotangents of its
 * arguments.
 *
 * @param {unknown} fn
 * @param {...unknown} args
 * @returns {[any, (cotangents: any) => any[]]}
 */
function vjp(fn, ...args) {
  const f = /** @type {Fn} */ (callable(fn, 'the first argument', 'vjp'));
  const state = stateFor(args, 'vjp');
  if (state !== undefined) return derivatives.vjp(f, args, state);
  const forward = (/** @type {any[]} */ ...given) => f(...given);
  const value = compiledOnce(f, 'value', forward)(...args);
  const back = (/** @type {any[]} */ given, /** @type {any} */ cts) => derivatives.vjp(f, given, traced())[1](cts);
  const pull = compiledOnce(f, 'vjp', back);
  return [value, (cotangents) => pull(args, cotangents)];
}

/**
 * What a function gives for `primals`, and how that changes with these as they do: by `tangents`.
 *
 * @param {unknown} fn
 * @param {readonly unknown[]} primals
 * @param {readonly unknown[]} tangents
 * @returns {[any, any]}
 */
function jvp(fn, primals, tangents) {
  const f = /** @type {Fn} */ (callable(fn, 'the first argument', 'jvp'));
  const state = stateFor([primals, tangents], 'jvp');
  if (state !== undefined) return derivatives.jvp(f, primals, tangents, state);
  const push = (/** @type {any[]} */ xs, /** @type {any[]} */ changes) => derivatives.jvp(f, xs, changes, traced());
  return compiledOnce(f, 'jvp', push)(primals, tangents);
}

const { gradients } = derivatives;

module.exports = { grad, gradients, jvp, ofTensors, stateFor, transformed, valueAndGrad, vjp, wantedOf, wrtOption };
