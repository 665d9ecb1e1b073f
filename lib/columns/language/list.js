/**
 * Lists of expressions as they stand behind SQL's select: `origin, delay / 60 as hours, count(*) as n`, or `*`.
 */
'use strict';

const { string } = require('../../base/check.js');
const { Parser } = require('./parser.js');

/**
 * `text` is what is written of it, without the name behind `as`.
 *
 * @typedef {{ name: string | undefined, text: string, ast: import('./ast.js').Node } | '*'} Item
 */

/** @type {(parser: Parser) => boolean} whether all columns are meant: an operator stands behind something */
const isStar = (parser) => parser.is('*') && (parser.peek().word === ',' || parser.peek().kind === 'end');

/** @type {(parser: Parser) => string | undefined} */
function nameBehind(parser) {
  if (!parser.accept('as')) return undefined;
  const { kind, value } = parser.token;
  if (kind !== 'name' && kind !== 'quoted') return parser.unexpected("a name after 'as'");
  parser.next();
  return value;
}

/** @type {(parser: Parser) => Item} */
function item(parser) {
  if (isStar(parser)) {
    parser.next();
    return '*';
  }
  const { start } = parser.token;
  const ast = parser.expression();
  const text = parser.text.slice(start, parser.end);
  return { name: nameBehind(parser), text, ast };
}

/**
 * @param {string} text
 * @returns {Item[]}
 * @throws {import('../../base/errors.js').GraphError} as `parse` does
 */
function parseList(text) {
  const parser = new Parser(string(text, 'the list', 'parse'));
  /** @type {Item[]} */
  const items = [];
  do items.push(item(parser));
  while (parser.accept(','));
  parser.finish("an operator, 'as', ',' or the end of the text");
  return items;
}

module.exports = { parseList };
