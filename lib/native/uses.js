/**
 * What native functions are used for besides calls with plain arguments: calls with Values and Tensors, modules and
 * objects, functions as arguments.
 *
 * `run/callable.js` offers these to users and knows none of them: each is a stage above it, loaded by the first who
 * asks.
 */
'use strict';

/** @typedef {import('./run/callable.js').Callable} Callable */

/** A function of `Math` as one that has a source. @type {(fn: Function) => string} */
function mathText({ name, length }) {
  if (name === 'max' || name === 'min' || name === 'hypot') return `(...rest) => Math.${name}(...rest)`;
  const params = ['a', 'b'].slice(0, length).join(', ');
  return `(${params}) => Math.${name}(${params})`;
}

/** The tree of a function that is an argument. @type {(fn: Function) => import('./hir/index.js').FunctionNode} */
function build(fn) {
  const own = /** @type {any} */ (Math)[fn.name] === fn ? mathText(fn) : undefined;
  const { build: buildTree } = require('./pipeline.js');
  if (own !== undefined) return buildTree(own, {});
  const from = require('./source/index.js').originOf(fn);
  return buildTree(from?.origin ?? fn, { capture: from?.capture });
}

/** @type {(own: Callable, args: unknown[]) => any} */
const callWithValues = (own, args) => require('./graph/array-op.js').callWithValues(own, args);

/** @type {(own: Callable, args: unknown[]) => any} */
const callWithTensors = (own, args) => require('./graph/array-op.js').callWithTensors(own, args);

/**
 * @type {(name: 'toWasm' | 'toObject' | 'toHeader', own: Callable, signature: unknown, options: unknown) => unknown}
 */
const write = (name, own, signature, options) => require('./export/index.js')[name](own, signature, options);

module.exports = { build, callWithTensors, callWithValues, write };
