/**
 * Complaints about the text of an expression: line and column, what is wrong and what to write instead, and below it
 * the line itself with a caret under the place. Stages that know a node of the tree complain here, too, at its start.
 */
'use strict';

const { nearest } = require('../../base/check.js');
const { GraphError } = require('../../base/errors.js');
const { codeFrame } = require('../../native/source/frame.js');

/** @typedef {import('../../base/errors.js').ErrorCode} ErrorCode */

const LINE_BREAK = /\r\n|[\n\r\u2028\u2029]/g;

/**
 * @param {string} text
 * @param {number} at UTF-16 units from its start
 * @returns {{ line: number, column: number }} line from 1, column from 0
 */
function positionOf(text, at) {
  let line = 1;
  let from = 0;
  for (const { index, 0: found } of text.matchAll(LINE_BREAK)) {
    if (index + found.length > at) break;
    line++;
    from = index + found.length;
  }
  return { line, column: Math.min(at, text.length) - from };
}

/**
 * @param {string | null} text of the whole expression; null when the builder made it
 * @param {number} at UTF-16 units from its start; -1 when that is not known
 * @param {string} reason what is wrong, without a full stop
 * @param {string} [advice] what to write instead
 * @param {ErrorCode} [code]
 * @returns {never}
 */
function complain(text, at, reason, advice, code = 'ERR_PARSE') {
  // What is quoted from the text may have line breaks.
  const told = (advice === undefined ? reason : `${reason}; ${advice}`).replace(/[\p{Cc}\u2028\u2029]+/gu, ' ');
  if (text === null || at < 0) throw new GraphError(`expression: ${told}`, { code });
  const { line, column } = positionOf(text, at);
  const frame = codeFrame({ text, line: 1, file: 'expression' }, { line, column });
  throw new GraphError(`expression:${line}:${column + 1}: ${told}\n${frame}`, { code });
}

/** Words of Python, and what they are here. */
const PYTHON = new Map([
  ['None', "what is missing is null: ask by 'is null'"],
  ['nan', "NaN is written float 'nan', and x <> x where x is NaN"],
  ['NaN', "NaN is written float 'nan', and x <> x where x is NaN"],
]);

/**
 * What to say of a name that is not known. Whoever comes from pandas writes strings in double quotes.
 *
 * @param {string | null} text of the whole expression
 * @param {import('./ast.js').Name} node
 * @param {readonly string[]} known
 * @returns {string | undefined}
 */
function adviceOnName(text, node, known) {
  if (text?.[node.start] === '"') return `"…" is a name, a string is in single quotes: '${node.name.replace(/'/g, "''")}'`;
  const word = PYTHON.get(node.name);
  if (word !== undefined) return word;
  const meant = nearest(node.name, known);
  return meant === undefined ? undefined : `did you mean '${meant}'?`;
}

module.exports = { adviceOnName, complain, positionOf };
