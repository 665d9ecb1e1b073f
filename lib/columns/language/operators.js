/**
 * The operators, with the functions that they call and how tightly they bind: what the parser reads and the printer
 * writes. The first spelling of a function is the one that is printed.
 *
 * Python, C and SQL agree on most. Where they do not: `&`, `|` and `^` bind as loosely as `and` and `or`, as in
 * pandas.query, so that `a > 1 & b < 2` is what it looks like; `||` binds like `or`, as in C; `is` binds more
 * loosely than comparisons, `like`, `in` and `between` more tightly, as in PostgreSQL; comparisons chain as in Python.
 */
'use strict';

/** From loose to tight. */
const LEVELS = Object.freeze({
  choice: 1, or: 2, xor: 3, and: 4, not: 5, is: 6, compare: 7, member: 8, shift: 9, sum: 10, product: 11, sign: 12,
  power: 13, postfix: 14, atom: 15,
});

/** @typedef {keyof typeof LEVELS} Level */

/** Operators between two operands, which group to the left. @type {readonly [word: string, name: string, level: Level][]} */
const BINARY = [
  ['or', 'or', 'or'],
  ['||', '||', 'or'],
  ['|', '|', 'or'],
  ['^', '^', 'xor'],
  ['and', 'and', 'and'],
  ['&&', 'and', 'and'],
  ['&', '&', 'and'],
  ['<<', 'shift_left', 'shift'],
  ['>>', 'shift_right', 'shift'],
  ['+', 'add', 'sum'],
  ['-', 'subtract', 'sum'],
  ['*', 'multiply', 'product'],
  ['/', 'divide', 'product'],
  ['//', 'floor_divide', 'product'],
  ['%', 'mod', 'product'],
];

/** @type {readonly [word: string, name: string, level: Level][]} */
const COMPARISON = [
  ['=', 'equal', 'compare'],
  ['==', 'equal', 'compare'],
  ['<>', 'not_equal', 'compare'],
  ['!=', 'not_equal', 'compare'],
  ['<', 'less_than', 'compare'],
  ['<=', 'less_than_or_equal_to', 'compare'],
  ['>', 'greater_than', 'compare'],
  ['>=', 'greater_than_or_equal_to', 'compare'],
];

/** What may stand before an operand, with the level of that. @type {readonly [word: string, name: string, level: Level][]} */
const PREFIX = [
  ['not', 'not', 'not'],
  ['-', 'negative', 'sign'],
  ['~', '~', 'sign'],
  ['!', 'not', 'sign'],
];

/** What may stand after `is`. @type {readonly [words: string, name: string][]} */
const IS = [
  ['null', 'isnull'],
  ['not null', 'isnotnull'],
  ['true', 'istrue'],
  ['not true', 'isnottrue'],
  ['false', 'isfalse'],
  ['not false', 'isnotfalse'],
  ['unknown', 'isnull'],
  ['not unknown', 'isnotnull'],
  ['none', 'isnull'],
  ['not none', 'isnotnull'],
];

/** Names in a text must be quoted when they are one of these. */
const RESERVED = Object.freeze([
  ...['and', 'or', 'not', 'is', 'in', 'like', 'ilike', 'between', 'case', 'when', 'then', 'else', 'null', 'true', 'false'],
]);
/** Words that mean something in some places only: names need no quotes, but are clearer with them. */
const CONTEXTUAL = Object.freeze(['end', 'if', 'escape', 'isnull', 'notnull', 'distinct', 'both', 'leading', 'trailing']);

module.exports = { BINARY, COMPARISON, CONTEXTUAL, IS, LEVELS, PREFIX, RESERVED };
