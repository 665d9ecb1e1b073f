/**
 * `const out = []; out[0] = x; out[1] = y`: a literal that is filled right behind it has all its elements from the
 * start.
 *
 * Arrays of known length are taken apart into variables by inference; one that grows would have to be memory. So where
 * the statements behind a literal do nothing with it but to set its next element or to read one by a number, the
 * literal is as long as they make it, with undefined where nothing is yet. Nobody can tell: its length is not asked for
 * in between, and an element that is not there reads as undefined.
 */
'use strict';

const { operandsOf, undefinedAt } = require('../hir/nodes.js');
const { expressionsOf, listsOf } = require('../hir/tree.js');

/** @typedef {import('../hir/index.js').Expression} Expression */
/** @typedef {import('../hir/index.js').Statement} Statement */
/** @typedef {import('../hir/index.js').Variable} Variable */

/** Statements behind a literal that are looked at. */
const MOST_STATEMENTS = 400;

/**
 * Whether an expression does anything with an array but to read its elements by constant numbers.
 *
 * @param {Expression} expression
 * @param {Variable} array
 * @returns {boolean}
 */
function handsOn(expression, array) {
  if (expression.kind === 'variable') return expression.variable === array;
  const isRead =
    expression.kind === 'index' && expression.object.kind === 'variable' && expression.index.kind === 'number';
  return !isRead && operandsOf(expression).some((operand) => handsOn(operand, array));
}

/** @param {Statement} statement @param {Variable} array @returns {boolean} */
function uses(statement, array) {
  if ('variable' in statement && statement.variable === array) return true;
  if ('result' in statement && statement.result === array) return true;
  return (
    expressionsOf(statement).some((one) => handsOn(one, array)) ||
    listsOf(statement).some((list) => list.some((one) => uses(one, array)))
  );
}

/**
 * Which element of an array a statement sets, if it does nothing else with it.
 *
 * @param {Statement} statement
 * @param {Variable} array
 * @returns {number | null}
 */
function elementSet(statement, array) {
  if (statement.kind !== 'store' || statement.object.kind !== 'variable' || statement.object.variable !== array)
    return null;
  return statement.index.kind === 'number' && !handsOn(statement.value, array) ? statement.index.value : null;
}

/** @param {Statement[]} statements @param {number} from behind the literal @param {Variable} array @param {number} length @returns {number} the length that it grows to */
function grownLength(statements, from, array, length) {
  let grown = length;
  for (const statement of statements.slice(from, from + MOST_STATEMENTS)) {
    const at = elementSet(statement, array);
    if (at === grown) grown++;
    else if (at === null ? uses(statement, array) : at > grown || !Number.isInteger(at) || at < 0) break;
  }
  return grown;
}

/**
 * Lengthens such literals in statements and whatever stands in them.
 *
 * @param {Statement[]} statements
 */
function fillLiterals(statements) {
  statements.forEach((statement, at) => {
    listsOf(statement).forEach(fillLiterals);
    if (statement.kind !== 'set' || statement.value.kind !== 'array' || statement.variable.isShared) return;
    const { elements, place } = statement.value;
    if (elements.some(({ kind }) => kind === 'spread')) return;
    const length = grownLength(statements, at + 1, statement.variable, elements.length);
    for (let i = elements.length; i < length; i++) elements.push(undefinedAt(place));
  });
}

module.exports = { fillLiterals };
