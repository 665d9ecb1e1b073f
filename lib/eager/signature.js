/**
 * The arguments of an operation, taken apart into tensors to compute on and everything else.
 *
 * What is no tensor is *static*: numbers, options, axes, lists of them. It becomes part of a text, the key by
 * which kernels are found again, and of a template in which the tensors' places are open. Arguments are read
 * once, here, so an object with getters cannot be one thing for the key and another for the graph.
 *
 * Typed arrays are tensors. A plain array of many numbers is one too: no list of axes or sizes is that long.
 * Functions and instances of classes other than ours have no text; calls with them have no key.
 */
'use strict';

const { fail } = require('../base/errors.js');
const { isScalar, isValue } = require('../graph/value.js');
const { asTensor } = require('../tensor/create.js');
const { dtypeOf } = require('../tensor/dtypes.js');
const { Tensor } = require('../tensor/tensor.js');

/** Longer arrays of plain numbers are data. */
const LONG = 64;
const MAX_DEPTH = 32;

/** The place of a tensor in a template. */
class Place {
  /** @param {number} index */
  constructor(index) {
    this.index = index;
  }
}

/** @type {readonly Place[]} */
const places = Array.from({ length: 16 }, (_, i) => new Place(i));

/** @type {(index: number) => Place} */
const placeOf = (index) => places[index] ?? new Place(index);

/** Functions by number. @type {WeakMap<Function, number>} */
const numbers = new WeakMap();
let functionCount = 0;

/** @type {(fn: Function) => number} another one for each function */
function numberOf(fn) {
  let number = numbers.get(fn);
  if (number === undefined) numbers.set(fn, (number = ++functionCount));
  return number;
}

/** @type {(value: unknown) => boolean} */
const isPlain = (value) => {
  if (typeof value !== 'object' || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype || Object.getPrototypeOf(prototype) === null;
};

/** @type {(value: unknown) => boolean} */
const isTensor = (value) => value instanceof Tensor;

/** @type {(value: unknown) => boolean} */
const requiresGrad = (value) => value instanceof Tensor && value.requiresGrad;

/**
 * Whether any of the arguments, or what they hold, is a tensor or a value.
 *
 * @param {readonly unknown[]} args
 * @param {(value: unknown) => boolean} is
 * @param {number} [depth]
 * @returns {boolean}
 */
function holds(args, is, depth = 0) {
  for (let i = 0; i < args.length; i++) {
    const arg = args[i];
    if (typeof arg !== 'object' || arg === null) continue;
    if (is(arg)) return true;
    if (depth === MAX_DEPTH || arg instanceof Tensor || isValue(arg)) continue;
    // A long array that begins with a number is one of numbers; looking at all of them would take longer than
    // computing.
    if (Array.isArray(arg) ? (arg.length <= LONG || !isScalar(arg[0])) && holds(arg, is, depth + 1) : false)
      return true;
    if (isPlain(arg) && !Array.isArray(arg) && holds(Object.values(arg), is, depth + 1)) return true;
  }
  return false;
}

/**
 * How many numbers below 0 are too many; NaN for other things.
 *
 * @type {(array: readonly unknown[], left: number) => number}
 */
function numbersLeft(array, left) {
  for (let i = 0; i < array.length && left >= 0; i++) {
    const item = array[i];
    if (isScalar(item)) left--;
    else if (Array.isArray(item) || dtypeOf(item) !== undefined) left = numbersLeft(/** @type {any} */ (item), left);
    else return NaN;
  }
  return left;
}

/** One reading of arguments. */
class Reading {
  /** @param {string} caller */
  constructor(caller) {
    this.caller = caller;
    /** @type {Tensor[]} */
    this.tensors = [];
    /** The text of all that is static, with the numbers of the tensors. */
    this.key = '';
    /** Whether the key says everything. */
    this.isKeyed = true;
    /** Whether it does as long as functions that it numbers are there. */
    this.isTold = true;
  }

  /** @type {(tensor: Tensor) => Place} */
  #place(tensor) {
    let at = this.tensors.indexOf(tensor);
    if (at < 0) at = this.tensors.push(tensor) - 1;
    this.key += `#${at}`;
    return placeOf(at);
  }

  /**
   * @param {unknown} value
   * @param {number} [depth]
   * @returns {unknown} the value as a template
   */
  read(value, depth = 0) {
    if (depth > MAX_DEPTH)
      fail('ERR_ARGUMENT', `${this.caller}: arguments are nested more than ${MAX_DEPTH} levels deep`);
    if (typeof value === 'object' && value !== null) return this.#object(value, depth);
    if (typeof value === 'string') this.key += JSON.stringify(value);
    else if (typeof value === 'bigint') this.key += `${value}n`;
    else if (typeof value === 'function') {
      this.isKeyed = false;
      this.key += `@${numberOf(value)}`;
    } else if (typeof value === 'symbol') this.isKeyed = this.isTold = false;
    else this.key += Object.is(value, -0) ? '-0' : String(value);
    return value;
  }

  /** @type {(value: object, depth: number) => unknown} */
  #object(value, depth) {
    if (value instanceof Tensor) return this.#place(value);
    if (dtypeOf(value) !== undefined) return this.#place(asTensor(/** @type {any} */ (value)));
    if (Array.isArray(value)) {
      if (numbersLeft(value, LONG) < 0) return this.#place(asTensor(/** @type {any} */ (value)));
      this.key += '[';
      const list = Array.from(value, (item) => this.#item(item, depth));
      this.key += ']';
      return list;
    }
    if (!isPlain(value)) {
      this.isKeyed = this.isTold = false;
      return value;
    }
    this.key += '{';
    const entries = Object.entries(value).map(([name, item]) => {
      this.key += `${JSON.stringify(name)}:`;
      return [name, this.#item(item, depth)];
    });
    this.key += '}';
    return Object.fromEntries(entries);
  }

  /** @type {(item: unknown, depth: number) => unknown} */
  #item(item, depth) {
    const template = this.read(item, depth + 1);
    this.key += ',';
    return template;
  }
}

/**
 * @param {readonly unknown[]} args
 * @param {string} caller
 * @returns {{ tensors: Tensor[], template: unknown[], key: string | null, told: string | null }} `told`: the key, with
 *   numbers for functions
 */
function readCall(args, caller) {
  const reading = new Reading(caller);
  const template = /** @type {unknown[]} */ (reading.read(args));
  const { tensors, key, isKeyed, isTold } = reading;
  return { tensors, template, key: isKeyed ? key : null, told: isTold ? key : null };
}

/**
 * A template with something in each place.
 *
 * @param {any} template
 * @param {readonly unknown[]} values
 * @returns {any}
 */
function fill(template, values) {
  if (typeof template !== 'object' || template === null) return template;
  if (template instanceof Place) return values[template.index];
  if (Array.isArray(template)) return template.map((item) => fill(item, values));
  if (!isPlain(template)) return template;
  return Object.fromEntries(Object.entries(template).map(([name, item]) => [name, fill(item, values)]));
}

module.exports = { fill, holds, isTensor, numberOf, placeOf, readCall, requiresGrad };
