/**
 * Choices. All get their operands as they are, null too; `case`, `coalesce` and the like that ask for no more than they
 * need are in index.js.
 */
'use strict';

const { order } = require('./compare.js');

const own = { nulls: 'own' };

/** The extreme of those that are not null; of equal ones, and beside a NaN, the earlier. @type {(better: (order: number) => boolean) => any} */
const extreme = (better) => (/** @type {any[]} */ ...values) =>
  values.slice(0, -1).reduce((a, b) => (b === null ? a : a === null || better(order(b, a)) ? b : a));

module.exports = [
  ['greatest', '(A...) → A', extreme((o) => o > 0), null, own],
  ['least', '(A...) → A', extreme((o) => o < 0), null, own],
  ['nullif', '(A, A) → A', (a, b) => (a !== null && b !== null && order(a, b) === 0 ? null : a), null, own],
];
