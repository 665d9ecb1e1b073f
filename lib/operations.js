/**
 * All operations on values, by name: methods of Value, and the functions that index.js exports.
 *
 * Rows of the native op table that are no operation on a value (param, const, iota) are methods of
 * Graph instead, and `result` has no name of its own: argmin and argmax give what it stands for.
 */
'use strict';

const { activations } = require('./activations.js');
const { arithmetic } = require('./arithmetic.js');
const { contractions } = require('./contractions.js');
const { cumulative } = require('./cumulative.js');
const { elementwise } = require('./elementwise.js');
const { losses } = require('./losses.js');
const { joinMethods, joins, movement } = require('./movement.js');
const { normalisations } = require('./normalisations.js');
const { reductions } = require('./reductions.js');
const { statistics } = require('./statistics.js');
const { Value } = require('./value.js');

/** @type {Readonly<Record<string, (...args: any[]) => Value>>} */
const operations = Object.freeze({
  ...elementwise,
  ...arithmetic,
  ...activations,
  ...movement,
  ...reductions,
  ...statistics,
  ...cumulative,
  ...normalisations,
  ...contractions,
  ...losses,
  ...joins,
});

/** @type {typeof operations} */
const methods = { ...operations, ...joinMethods };

for (const [name, operation] of Object.entries(methods)) {
  const { [name]: value } = {
    /** @this {Value} @param {...unknown} args */
    [name](...args) {
      return operation(this, ...args);
    },
  };
  Object.defineProperty(Value.prototype, name, { value, writable: true, configurable: true });
}
Object.defineProperty(Value.prototype, 'T', {
  /** @this {Value} */
  get() {
    return movement.transpose(this);
  },
  configurable: true,
});

module.exports = { methods, operations };
