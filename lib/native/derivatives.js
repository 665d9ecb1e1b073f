/**
 * grad(fn), valueAndGrad(fn): derivatives of native functions, which are native functions of the same arguments.
 *
 * The program that inference makes of the function is differentiated (grad/program.js) for each list of argument types,
 * and compiled like any other. So a derivative has the function's options, signature and captures, and a derivative of
 * its own.
 */
'use strict';

const { expected, oneOf, readOptions } = require('../base/check.js');
const { fail } = require('../base/errors.js');
const { native, uses } = require('./index.js');
const { differentiate, finishDerivative } = require('./pipeline.js');
const { Callable, functionOf, ownerOf } = require('./run/callable.js');

/** @typedef {import('./run/unit.js').Unit} Unit */

/** @type {import('../base/check.js').Getter<number | string | (number | string)[]>} */
function wrtOption(value, which, caller) {
  const isOne = (/** @type {unknown} */ each) =>
    typeof each === 'string' || (Number.isInteger(each) && /** @type {number} */ (each) >= 0);
  if (isOne(value) || (Array.isArray(value) && value.length > 0 && value.every(isOne)))
    return /** @type {any} */ (value);
  return expected(caller, 'the number or name of a parameter, or an array of these', which, value);
}

const getters = { wrt: wrtOption, mode: oneOf(/** @type {const} */ (['reverse', 'forward'])) };

/** A derivative as something to compile: a Unit whose programs are made from those of another. */
class DerivedUnit {
  /**
   * @param {Unit} origin
   * @param {string} caller
   * @param {{ wrt: number[], isSingle: boolean, mode: 'reverse' | 'forward', withValue: boolean }} wish
   */
  constructor(origin, caller, wish) {
    this.of = origin;
    this.name = `${caller}(${origin.name})`;
    this.wish = { ...wish, name: this.name };
    this.options = { ...origin.options, fallback: false };
    this.capture = origin.capture;
    this.origin = origin.origin;
  }

  #shared = { tree: null, docs: null, codes: new Map(), hints: new Map() };

  /** What equal functions would share; there are none. */
  get shared() {
    return this.#shared;
  }

  get location() {
    return this.of.location;
  }

  get tree() {
    return this.of.tree;
  }

  get arity() {
    return this.of.arity;
  }

  get docs() {
    return this.of.docs;
  }

  get needsApart() {
    return true;
  }

  /** The program before it is made ready for the last stages. @param {readonly any[]} types @returns {any} */
  derive(types) {
    const inner = this.of instanceof DerivedUnit ? this.of.derive(types) : this.of.infer(types, true);
    return differentiate(inner, types, this.wish);
  }

  /** @param {readonly any[]} types */
  infer(types) {
    return finishDerivative(this.derive(types));
  }

  /** @type {Unit['whereOf']} */
  whereOf(place) {
    return this.of.whereOf(place);
  }
}

/** The number of a parameter. @type {(which: number | string, unit: Unit, caller: string) => number} */
function indexOf(which, { tree, arity }, caller) {
  const names = tree.params.map(({ name }) => name);
  if (typeof which === 'number') {
    if (which < arity.count || arity.hasRest) return which;
    return fail('ERR_ARGUMENT', `${caller}: 'wrt' is ${which}, but the function has ${arity.count} parameters`);
  }
  const index = names.indexOf(which);
  return index >= 0
    ? index
    : fail(
        'ERR_ARGUMENT',
        `${caller}: there is no parameter '${which}', the function has ${names.join(', ') || 'none'}`,
      );
}

/** The derivative by one parameter as a number of a dtype, for who makes code of it. @type {(own: Callable, at: number, dtype: string) => Callable} */
function derivativeBy(own, at, dtype) {
  const wish = { wrt: [at], isSingle: true, mode: /** @type {const} */ ('forward'), withValue: false };
  const made = new Callable(/** @type {any} */ (new DerivedUnit(own.unit, 'grad', wish)), own.signature, uses);
  made.returns = /** @type {any} */ ({ kind: 'number', dtype });
  return made;
}

/** @type {(caller: string, fn: unknown, options: unknown, withValue: boolean) => any} */
function derived(caller, fn, options, withValue) {
  if (typeof fn !== 'function') return expected(caller, 'a function', 'the first argument', fn);
  const own = ownerOf(fn) ?? ownerOf(native(fn));
  const { wrt = 0, mode } = readOptions(caller, options, getters);
  if (own === undefined || own.why !== null)
    return fail('ERR_ARGUMENT', `${caller}: ${fn.name || 'the function'} runs as JavaScript, which has no derivative`);
  const { unit } = own;
  const isDerived = /** @type {any} */ (unit) instanceof DerivedUnit;
  // The tape of a gradient has tangents, but no adjoints.
  if (isDerived && mode === 'reverse')
    return fail('ERR_UNSUPPORTED', `${caller}: a derivative is differentiated in mode 'forward'`);
  const list = [wrt].flat().map((which) => indexOf(which, unit, caller));
  const wish = {
    wrt: list, isSingle: !Array.isArray(wrt), mode: mode ?? (isDerived ? 'forward' : 'reverse'), withValue,
  };
  const made = new DerivedUnit(unit, caller, wish);
  const callable = new Callable(/** @type {any} */ (made), own.signature, uses);
  callable.prepare();
  const { count, hasRest } = unit.arity;
  return functionOf(callable, hasRest ? -1 : count, fn.length);
}

/**
 * The derivative of a function that returns a number, by its first argument or those that `wrt` says.
 *
 * @param {unknown} fn
 * @param {unknown} [options]
 * @returns {any} a function of the same arguments; its result is shaped as the argument
 */
const grad = (fn, options) => derived('grad', fn, options, false);

/**
 * The same together with what the function returns: [value, derivative].
 *
 * @param {unknown} fn
 * @param {unknown} [options]
 * @returns {any}
 */
const valueAndGrad = (fn, options) => derived('valueAndGrad', fn, options, true);

module.exports = { derivativeBy, grad, valueAndGrad };
