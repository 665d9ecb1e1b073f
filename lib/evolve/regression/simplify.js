/**
 * Simpler trees of the same meaning: what has no variables becomes a constant, what does nothing is left out, and sums
 * and products are collected (collect.js).
 *
 * Only rules that hold for all finite numbers are applied, so a simplified tree may be defined where the other was not
 * (x - x is 0), and may round differently.
 */
'use strict';

const { CONSTANT } = require('../operators.js');
const { chainOf, collected } = require('./collect.js');
const { isConstant, joined, same, single } = require('./trees.js');

/** @typedef {import('./trees.js').Tree} Tree */

/** @param {Tree} tree @param {number} value */
const isNumber = (tree, value) => isConstant(tree) && tree.constants[0] === value;

/** By name, of operands: the simpler tree, or null. @type {ReadonlyMap<string, (...operands: Tree[]) => Tree | null>} */
const RULES = new Map([
  ['add', (a, b) => (isNumber(a, 0) ? b : isNumber(b, 0) ? a : null)],
  ['sub', (a, b) => (isNumber(b, 0) ? a : same(a, b) ? single(CONSTANT, 0) : null)],
  ['mul', (a, b) => (isNumber(a, 1) ? b : isNumber(b, 1) ? a : isNumber(a, 0) ? a : isNumber(b, 0) ? b : null)],
  ['div', (a, b) => (isNumber(b, 1) || isNumber(a, 0) ? a : same(a, b) ? single(CONSTANT, 1) : null)],
  ['pow', (a, b) => (isNumber(b, 1) ? a : isNumber(b, 0) ? single(CONSTANT, 1) : null)],
  ['min', (a, b) => (same(a, b) ? a : null)],
  ['max', (a, b) => (same(a, b) ? a : null)],
]);

/** What undoes what. @type {ReadonlyMap<string, string>} */
const INVERSE = new Map([['neg', 'neg'], ['inv', 'inv'], ['log', 'exp']]);

/**
 * @param {Tree} tree
 * @param {import('../operators.js').Language} language
 * @param {(trees: Tree[]) => ArrayLike<number>} evaluate trees without variables
 * @returns {Tree}
 */
function simplified(tree, language, evaluate) {
  /** @type {Tree[]} */
  const stack = [];
  for (let i = 0; i < tree.tokens.length; i++) {
    const token = tree.tokens[i];
    if (token < 0) {
      stack.push(single(token, tree.constants[i]));
      continue;
    }
    const chain = chainOf(token, language);
    const operands = stack.splice(stack.length - language.arity(token)).map((each) => {
      const isInside = chain !== undefined && chainOf(each.tokens[each.tokens.length - 1], language) === chain;
      return isInside ? each : collected(each, language, evaluate);
    });
    stack.push(simplest(token, operands, language, evaluate));
  }
  return collected(stack[0], language, evaluate);
}

/** @param {number} token @param {Tree[]} operands @param {import('../operators.js').Language} language @param {(trees: Tree[]) => ArrayLike<number>} evaluate @returns {Tree} */
function simplest(token, operands, language, evaluate) {
  const name = language.meaning(token);
  const whole = joined(...operands, single(token));
  if (operands.every(isConstant)) {
    const [value] = Array.from(evaluate([whole]));
    return Number.isFinite(value) ? single(CONSTANT, value) : whole;
  }
  const [first] = operands;
  const inner = first.tokens[first.tokens.length - 1];
  const undone = INVERSE.get(name);
  if (operands.length === 1 && inner >= 0 && undone !== undefined && language.meaning(inner) === undone) {
    return { tokens: first.tokens.slice(0, -1), constants: first.constants.slice(0, -1) };
  }
  return RULES.get(name)?.(...operands) ?? whole;
}

module.exports = { simplified };
