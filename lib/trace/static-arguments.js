/**
 * Static arguments: plain values that a trace is made for, compared by what they hold.
 *
 * A function is traced again for each other value. Data is equal when it prints the same here: numbers by
 * their bits (NaN is NaN, -0 is not 0), objects whatever the order of their names. Functions and symbols
 * have no value to compare and count by identity. Tensors are refused: their elements may change.
 */
'use strict';

const { describe } = require('../base/check.js');
const { fail } = require('../base/errors.js');
const { isScalar } = require('../graph/value.js');
const { isTensorLike, pathText } = require('./pytree.js');

const MAX_DEPTH = 100;
const MAX_TEXT = 2 ** 20;

/** @type {WeakMap<object, number>} */
const identities = new WeakMap();
let identityCount = 0;

/** @type {(value: Function) => number} */
function identityOf(value) {
  let identity = identities.get(value);
  if (identity === undefined) identities.set(value, (identity = ++identityCount));
  return identity;
}

/**
 * What ends a walk: the error is made where it began, since its stack would not reach the user's line from deep inside.
 */
class Refusal {
  /** @param {string} text */
  constructor(text) {
    this.text = text;
  }
}

/** One walk through a value. */
class Printer {
  /** @param {string} root */
  constructor(root) {
    this.root = root;
    this.size = 0;
    /** @type {(string | number)[]} */
    this.path = [];
    /** @type {object[]} */
    this.ancestors = [];
  }

  /** @type {(text: string) => never} */
  refuse(text) {
    throw new Refusal(`${pathText(this.path, this.root)} ${text}`);
  }

  /** @type {(text: string) => string} */
  #counted(text) {
    this.size += text.length;
    if (this.size > MAX_TEXT) this.refuse('makes a static argument too large to be compared at each call');
    return text;
  }

  /** @type {(value: unknown) => string} */
  print(value) {
    if (typeof value === 'string') return this.#counted(JSON.stringify(value));
    if (typeof value === 'number') return this.#counted(Object.is(value, -0) ? '-0' : String(value));
    if (typeof value === 'bigint') return this.#counted(`${value}n`);
    if (typeof value === 'function') return this.#counted(`function ${identityOf(value)}`);
    if (typeof value === 'symbol')
      return this.refuse('is a symbol, expected plain data or a function as a static argument');
    if (typeof value !== 'object' || value === null) return this.#counted(String(value));
    return this.#object(value);
  }

  /** @type {(value: object) => string} */
  #object(value) {
    if (isTensorLike(value) && !isScalar(value)) {
      this.refuse(`is ${describe(value)}, expected plain data or a function as a static argument`);
    }
    const prototype = Object.getPrototypeOf(value);
    const plain = Array.isArray(value) || prototype === null || Object.getPrototypeOf(prototype) === null;
    if (!plain) this.refuse(`is ${describe(value)}, expected plain data or a function as a static argument`);
    if (this.ancestors.includes(value) || this.ancestors.length === MAX_DEPTH) {
      this.refuse(`holds itself or is nested more than ${MAX_DEPTH} levels deep`);
    }
    this.ancestors.push(value);
    const text = Array.isArray(value)
      ? this.#list(value)
      : this.#members(/** @type {Record<string, unknown>} */ (value));
    this.ancestors.pop();
    return this.#counted(text);
  }

  /** @type {(step: string | number, value: unknown) => string} */
  #child(step, value) {
    this.path.push(step);
    const text = this.print(value);
    this.path.pop();
    return text;
  }

  /** @type {(list: readonly unknown[]) => string} */
  #list(list) {
    /** @type {string[]} */
    const texts = [];
    for (let i = 0; i < list.length; i++) texts.push(this.#child(i, list[i]));
    return `[${texts.join(',')}]`;
  }

  /** @type {(object: Record<string, unknown>) => string} */
  #members(object) {
    const names = Object.keys(object).sort();
    return `{${names.map((name) => `${JSON.stringify(name)}:${this.#child(name, object[name])}`).join(',')}}`;
  }
}

/**
 * A text that two static arguments share exactly if they are the same.
 *
 * @param {unknown} value
 * @param {string} caller
 * @param {string} which
 * @returns {string}
 * @throws {import('../base/errors.js').GraphError} ERR_ARGUMENT
 */
function staticText(value, caller, which) {
  const printer = new Printer(which);
  try {
    return printer.print(value);
  } catch (refusal) {
    if (refusal instanceof Refusal) return fail('ERR_ARGUMENT', `${caller}: ${refusal.text}`);
    throw refusal;
  }
}

module.exports = { staticText };
