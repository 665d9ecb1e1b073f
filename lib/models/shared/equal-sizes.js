/**
 * Equal sizes: sizes of inputs that a file names differently, or not at all, and that its nodes need to be equal.
 *
 * A mask of `total` positions is added to scores of `past + seq`. A graph refuses that, since it can't tell whether
 * they are equal. Nearly always they are in every run, so `total` is taken to be `past + seq` from then on, and one
 * graph serves all runs in which it is. The program checks that when it is given inputs; others get a graph of their
 * own (model.js), for instance those where a size of 1 is repeated.
 *
 * What differs is read off the message of the error, since shapes are checked in C, which gives no more than a text. A
 * message that says nothing of the kind is no harm: the model then has a graph for each of its sizes.
 */
'use strict';

const { GraphError } = require('../../base/errors.js');

const SYMBOL = /[A-Za-z_]\w*/g;

/** @type {(text: string) => string[]} */
const symbolsOf = (text) => text.match(SYMBOL) ?? [];

/**
 * Sizes that an error says are different.
 *
 * @param {unknown} error
 * @param {boolean} isOfData whether the graph has numbers of one run, which say nothing of sizes of others
 * @returns {[string, string] | undefined}
 */
function differing(error, isOfData) {
  if (!(error instanceof GraphError) || error.code !== 'ERR_SHAPE') return undefined;
  const pair = pairIn(error.message);
  return pair?.some(isNumber) && (isOfData || pair.every(isNumber)) ? undefined : pair;
}

/** @type {(size: string) => boolean} */
const isNumber = (size) => /^\d+$/.test(size);

/** Sizes in so many words, or of the first axis in which two shapes differ. @type {(message: string) => [string, string] | undefined} */
function pairIn(message) {
  const words = / differ: (.+?) vs (.+?)(?:;|$)/.exec(message);
  if (words !== null) return [words[1], words[2]];
  const shapes = / \[([^[\]]*)\] (?:and|does not broadcast to) \[([^[\]]*)\]/.exec(message);
  if (shapes === null || !message.includes('broadcast')) return undefined;
  const [a, b] = shapes.slice(1).map((shape) => shape.split(', ').reverse());
  const axis = a.findIndex((size, i) => b[i] !== undefined && size !== b[i] && size !== '1' && b[i] !== '1');
  return axis < 0 ? undefined : [a[axis], b[axis]];
}

class EqualSizes {
  /** What stands for a symbol. @type {Map<string, string>} */
  #rules = new Map();
  #symbols;

  /** @param {Iterable<string>} symbols of inputs */
  constructor(symbols) {
    this.#symbols = new Set(symbols);
  }

  /** A size with other symbols in place of those that are equal to something. @type {(size: number | string) => number | string} */
  apply(size) {
    if (typeof size === 'number' || this.#rules.size === 0) return size;
    const text = size.replace(SYMBOL, (symbol) => this.#rules.get(symbol) ?? symbol);
    return isNumber(text) ? Number(text) : text;
  }

  /**
   * Takes sizes that an error says are different to be equal. whether there were such
   *
   * @type {(error: unknown, isOfData: boolean) => boolean}
   */
  learn(error, isOfData) {
    const rule = this.#ruleOf(differing(error, isOfData));
    if (rule !== undefined) this.#add(rule);
    return rule !== undefined;
  }

  /** @type {(pair: [string, string]) => boolean} whether one of the sizes can be put in place of the other */
  canLearn(pair) {
    return this.#ruleOf(pair) !== undefined;
  }

  /** @type {(pair: [string, string] | undefined) => [symbol: string, size: string] | undefined} */
  #ruleOf(pair) {
    if (pair === undefined) return undefined;
    return /** @type {[string, string][]} */ ([[pair[1], pair[0]], pair]).find(([symbol, size]) => {
      const others = symbolsOf(size);
      const isOpen = (/** @type {string} */ each) => this.#symbols.has(each) && !this.#rules.has(each);
      return isOpen(symbol) && !size.startsWith('-') && !others.includes(symbol) && others.every(isOpen);
    });
  }

  /** @type {(rule: [symbol: string, size: string]) => void} */
  #add([symbol, size]) {
    const stands = /^\w+$/.test(size) ? size : `(${size})`;
    for (const [each, text] of this.#rules)
      this.#rules.set(each, text.replace(SYMBOL, (name) => (name === symbol ? stands : name)));
    this.#rules.set(symbol, stands);
  }
}

module.exports = { EqualSizes, differing };
