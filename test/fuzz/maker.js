// What the makers of random programs have in common: choices, and nodes of trees.
'use strict';

/** @typedef {import('./grammar.js').Node} Node */

class Maker {
  /** @param {() => number} random from 0 to less than 1 */
  constructor(random) {
    this.random = random;
  }

  chance(/** @type {number} */ p) {
    return this.random() < p;
  }

  /** @template T @param {readonly T[]} items @returns {T} */
  pick(items) {
    return items[Math.floor(this.random() * items.length)];
  }

  /** @param {(string | Node)[]} parts @returns {Node} */
  expression(...parts) {
    return { role: 'expression', parts };
  }

  /** @param {(string | Node)[]} parts @returns {Node} */
  statement(...parts) {
    return { role: 'statement', parts };
  }

  /** @param {(string | Node)[]} parts @returns {Node} */
  list(...parts) {
    return { role: 'list', parts };
  }
}

module.exports = { Maker };
