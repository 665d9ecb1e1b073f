/**
 * All operations on values, by name: methods of Value, and the functions that index.js exports.
 *
 * A program uses a few of some three hundred, so a file of operations is loaded when one of them is called for the
 * first time. Until then their names do: names.js has them, written by scripts/docs.js from what the files export.
 *
 * Rows of the native op table that are no operation on a value (param, const, iota) are methods of
 * Graph instead, and `result` has no name of its own: argmin and argmax give what it stands for.
 */
'use strict';

const { defineMethods } = require('../base/define-methods.js');
const { Value } = require('../graph/value.js');
const { names } = require('./names.js');

/** Most give a Value; some give several, by name. @typedef {(...args: any[]) => any} Operation */
/** @typedef {Readonly<Record<string, () => Readonly<Record<string, Operation>>>>} Files */

/** What loads the operations of a file, and gives them by name. @type {Files} */
const files = {
  elementwise: () => require('./elementwise.js').elementwise,
  arithmetic: () => require('./arithmetic.js').arithmetic,
  divisors: () => require('./gcd.js').divisors,
  activations: () => require('./activations.js').activations,
  movement: () => require('./movement.js').movement,
  reductions: () => require('./reductions.js').reductions,
  statistics: () => require('./statistics.js').statistics,
  cumulative: () => require('./cumulative.js').cumulative,
  sorting: () => require('./sorting.js').sorting,
  orderStatistics: () => require('./quantiles.js').orderStatistics,
  searching: () => require('./searching.js').searching,
  booleanIndexing: () => require('./boolean-indexing.js').booleanIndexing,
  sets: () => require('./sets.js').sets,
  interpolation: () => require('./interpolation.js').interpolation,
  normalisations: () => require('./normalisations.js').normalisations,
  contractions: () => require('./contractions.js').contractions,
  matrices: () => require('./matrices.js').matrices,
  factors: () => require('./factors.js').factors,
  attentions: () => require('./attention.js').attentions,
  einsum: () => ({ einsum: require('./einsum.js').einsum }),
  userFunctions: () => ({ reduce: require('./user-functions.js').reduce }),
  windows: () => require('./windows.js').windows,
  pools: () => require('./pools.js').pools,
  channels: () => require('./channels.js').channels,
  padding: () => require('./padding.js').padding,
  resizing: () => require('./resize.js').resizing,
  sampling: () => require('./sampling.js').sampling,
  boxes: () => require('./boxes.js').boxes,
  fourier: () => require('./fourier.js').fourier,
  unpooling: () => require('./unpooling.js').unpooling,
  losses: () => require('./losses.js').losses,
  indexing: () => require('./indexing.js').indexing,
  manipulation: () => require('./manipulation.js').manipulation,
  joins: () => require('./movement.js').joins,
  grids: () => require('./manipulation.js').grids,
  erfInv: () => ({ erfInv: require('./erfinv.js').erfInv }),
  rng: () => ({ rngBits: require('./rng.js').rngBits }),
};

/** Methods that take their arguments in another way than the function of the same name. @type {Files} */
const ownMethods = {
  joinMethods: () => require('./movement.js').joinMethods,
  gridMethods: () => require('./manipulation.js').gridMethods,
  einsumMethod: () => ({ einsum: require('./einsum.js').einsumMethod }),
};

/** @type {(of: Files) => Map<string, keyof typeof names>} the file of each name */
const filesByName = (of) =>
  new Map(Object.keys(of).flatMap((file) => (names[file] ?? []).map((name) => /** @type {const} */ ([name, file]))));

const functionFiles = filesByName(files);
const methodFiles = new Map([...functionFiles, ...filesByName(ownMethods)]);

/** Names of the functions, and of the methods. @type {Readonly<Record<'operations' | 'methods', readonly string[]>>} */
const listed = { operations: [...functionFiles.keys()], methods: [...methodFiles.keys()] };

/** The function of that name, which is in the list. @type {(name: string) => Operation} */
function operationOf(name) {
  return files[/** @type {string} */ (functionFiles.get(name))]()[name];
}

/** What the method of that name calls, which takes the value as its first argument. @type {(name: string) => Operation} */
function methodOf(name) {
  const file = /** @type {string} */ (methodFiles.get(name));
  return (ownMethods[file] ?? files[file])()[name];
}

/** @type {(name: string) => Operation} */
function makeMethod(name) {
  /** @type {Operation | undefined} */
  let operation;
  const { [name]: method } = {
    /** @this {Value} @param {...unknown} args */
    [name](...args) {
      operation ??= methodOf(name);
      return operation(this, ...args);
    },
  };
  return method;
}

defineMethods(Value.prototype, listed.methods.map((name) => [name, makeMethod(name)]));
for (const [name, turn] of Object.entries({ T: 'transpose', mT: 'matrixTranspose' })) {
  Object.defineProperty(Value.prototype, name, {
    /** @this {Value} */
    get() {
      return operationOf(turn)(this);
    },
    configurable: true,
  });
}

module.exports = { files, listed, methodOf, operationOf, ownMethods };
