/**
 * All operations on values, by name: methods of Value, and the functions that index.js exports.
 *
 * Rows of the native op table that are no operation on a value (param, const, iota) are methods of
 * Graph instead, and `result` has no name of its own: argmin and argmax give what it stands for.
 */
'use strict';

const { defineMethods } = require('../base/define-methods.js');
const { Value } = require('../graph/value.js');
const { activations } = require('./activations.js');
const { arithmetic } = require('./arithmetic.js');
const { attentions } = require('./attention.js');
const { booleanIndexing } = require('./boolean-indexing.js');
const { channels } = require('./channels.js');
const { contractions } = require('./contractions.js');
const { cumulative } = require('./cumulative.js');
const { einsum, einsumMethod } = require('./einsum.js');
const { elementwise } = require('./elementwise.js');
const { erfInv } = require('./erfinv.js');
const { divisors } = require('./gcd.js');
const { indexing } = require('./indexing.js');
const { interpolation } = require('./interpolation.js');
const { losses } = require('./losses.js');
const { gridMethods, grids, manipulation } = require('./manipulation.js');
const { matrices } = require('./matrices.js');
const { joinMethods, joins, movement } = require('./movement.js');
const { normalisations } = require('./normalisations.js');
const { padding } = require('./padding.js');
const { pools } = require('./pools.js');
const { orderStatistics } = require('./quantiles.js');
const { reductions } = require('./reductions.js');
const { resizing } = require('./resize.js');
const { rngBits } = require('./rng.js');
const { searching } = require('./searching.js');
const { sets } = require('./sets.js');
const { sorting } = require('./sorting.js');
const { statistics } = require('./statistics.js');
const { reduce } = require('./user-functions.js');
const { windows } = require('./windows.js');

/** Most give a Value; some give several, by name. @type {Readonly<Record<string, (...args: any[]) => any>>} */
const operations = Object.freeze({
  ...elementwise,
  ...arithmetic,
  ...divisors,
  ...activations,
  ...movement,
  ...reductions,
  ...statistics,
  ...cumulative,
  ...sorting,
  ...orderStatistics,
  ...searching,
  ...booleanIndexing,
  ...sets,
  ...interpolation,
  ...normalisations,
  ...contractions,
  ...matrices,
  ...attentions,
  einsum,
  reduce,
  ...windows,
  ...pools,
  ...channels,
  ...padding,
  ...resizing,
  ...losses,
  ...indexing,
  ...manipulation,
  ...joins,
  ...grids,
  erfInv,
  rngBits,
});

/** @type {typeof operations} */
const methods = { ...operations, ...joinMethods, ...gridMethods, einsum: einsumMethod };

/** @type {(name: string, operation: (...args: any[]) => any) => (...args: any[]) => any} */
function methodOf(name, operation) {
  const { [name]: method } = {
    /** @this {Value} @param {...unknown} args */
    [name](...args) {
      return operation(this, ...args);
    },
  };
  return method;
}

defineMethods(Value.prototype, Object.entries(methods).map(([name, operation]) => [name, methodOf(name, operation)]));
for (const [name, turn] of Object.entries({ T: movement.transpose, mT: matrices.matrixTranspose })) {
  Object.defineProperty(Value.prototype, name, {
    /** @this {Value} */
    get() {
      return turn(this);
    },
    configurable: true,
  });
}

module.exports = { methods, operations };
