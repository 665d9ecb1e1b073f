/**
 * What an expression reads and what statements change, as far as names and kinds of memory tell.
 *
 * JavaScript evaluates from left to right: in `x + f()` x is read before f runs. Expressions of the tree are evaluated
 * where they are used, so the builder must know when that is too late; then it puts the value into a temporary
 * variable. Types are not known yet, so all elements of arrays are one thing, and so are all fields of one name, and
 * all lengths.
 */
'use strict';

const { operandsOf } = require('./nodes.js');

/** @typedef {import('./index.js').Expression} Expression */
/** @typedef {import('./index.js').Statement} Statement */
/** @typedef {import('./index.js').Variable} Variable */

/** @typedef {{ variables: Set<Variable>, fields: Set<string>, elements: boolean, lengths: boolean }} Reads */
/** @typedef {{ variables: Set<Variable>, fields: Set<string>, elements: boolean, lengths: boolean, calls: boolean }} Writes */

/** @returns {Writes} */
const noWrites = () => ({ variables: new Set(), fields: new Set(), elements: false, lengths: false, calls: false });

/** @param {Expression} expression @param {Reads} found */
function addReads(expression, found) {
  if (expression.kind === 'variable') found.variables.add(expression.variable);
  else if (expression.kind === 'index' || expression.kind === 'spread') found.elements = true;
  else if (expression.kind === 'member') {
    if (expression.name === 'length') found.lengths = true;
    else found.fields.add(expression.name);
  } else if (expression.kind === 'builtin' && !/^(Math|Number|BigInt)\b/.test(expression.name)) found.elements = true;
  for (const operand of operandsOf(expression)) addReads(operand, found);
}

/** @param {Statement[]} statements @param {Writes} [found] @returns {Writes} */
function writesOf(statements, found = noWrites()) {
  for (const statement of statements) addWrites(statement, found);
  return found;
}

/** @param {Statement} statement @param {Writes} found */
function addWrites(statement, found) {
  switch (statement.kind) {
    case 'set':
      found.variables.add(statement.variable);
      break;
    case 'store':
      found.elements = true;
      break;
    case 'field':
      found.fields.add(statement.name);
      break;
    case 'call':
    case 'method':
      found.elements = found.lengths = found.calls = true;
      if (statement.result) found.variables.add(statement.result);
      break;
    case 'if':
      writesOf(statement.then, found);
      writesOf(statement.otherwise, found);
      break;
    case 'loop':
      for (const part of [statement.before, statement.body, statement.update]) writesOf(part, found);
      break;
    case 'prange':
      found.variables.add(statement.variable);
      writesOf(statement.body, found);
      break;
    case 'block':
      writesOf(statement.body, found);
      break;
    default: // leaves
  }
}

/**
 * Whether an expression could have another value behind what is written than before it.
 *
 * @param {Expression} expression
 * @param {Writes} writes
 * @returns {boolean}
 */
function changes(expression, writes) {
  /** @type {Reads} */
  const reads = { variables: new Set(), fields: new Set(), elements: false, lengths: false };
  addReads(expression, reads);
  if (reads.elements && writes.elements) return true;
  if (reads.lengths && writes.lengths) return true;
  for (const name of reads.fields) if (writes.calls || writes.fields.has(name)) return true;
  for (const variable of reads.variables) {
    if (variable.isConst) continue;
    if (writes.variables.has(variable) || (writes.calls && variable.isShared)) return true;
  }
  return false;
}

module.exports = { changes, noWrites, writesOf };
