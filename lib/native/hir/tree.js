/**
 * What stands directly in a statement of the tree: statements and expressions.
 */
'use strict';

/** @typedef {import('./index.js').Expression} Expression */
/** @typedef {import('./index.js').Statement} Statement */

/** Statements and the lists of statements in them. @param {Statement} statement @returns {Statement[][]} */
function listsOf(statement) {
  switch (statement.kind) {
    case 'if':
      return [statement.then, statement.otherwise];
    case 'loop':
      return [statement.before, statement.body, statement.update];
    case 'prange':
    case 'block':
      return [statement.body];
    default:
      return [];
  }
}

/** The expressions directly in a statement. @param {Statement} statement @returns {Expression[]} */
function expressionsOf(statement) {
  const it = /** @type {any} */ (statement);
  const single = [it.object, it.index, it.value, it.callee, it.test, it.first, it.end].filter(Boolean);
  return [...single, ...(it.args ?? []), ...(it.parts ?? [])];
}

module.exports = { expressionsOf, listsOf };
