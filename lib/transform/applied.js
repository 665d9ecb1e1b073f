/**
 * Derivatives of native functions that are applied to each element of tensors.
 *
 * An apply is a text, and its graph knows what function that is of. The derivative by an operand is the forward mode of
 * the same function, which needs no tape, so it is code of numbers as well, and has derivatives of its own.
 */
'use strict';

const { rootOf } = require('../graph/value.js');
const { derivativeBy } = require('../native/derivatives.js');
const { opOf } = require('../native/graph/apply.js');

/** @typedef {import('../native/run/callable.js').Callable} Callable */

/** By the function, then its parameter and the dtype of the result. @type {WeakMap<Callable, Map<string, Callable>>} */
const known = new WeakMap();

/** @type {(own: Callable, at: number, dtype: string) => Callable} */
function derivativeOf(own, at, dtype) {
  const made = known.get(own) ?? new Map();
  known.set(own, made);
  const key = `${at} ${dtype}`;
  if (!made.has(key)) made.set(key, derivativeBy(own, at, dtype));
  return made.get(key);
}

/**
 * The text of the derivative by an operand of what an apply is given; undefined where nothing is known of the text.
 *
 * @param {import('../graph/value.js').GraphState} state
 * @param {string} text
 * @param {number} operand
 * @returns {string | undefined}
 */
function derivativeText(state, text, operand) {
  const { applied } = rootOf(state);
  const from = applied.get(text);
  if (from === undefined) return undefined;
  const { types, places } = from;
  const own = derivativeOf(from.own, places[operand], opOf(from.own, types).given);
  const op = opOf(own, types);
  applied.set(op.text, { own, types, places });
  return op.text;
}

module.exports = { derivativeText };
