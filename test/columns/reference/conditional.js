/**
 * Choices. All get their operands as they are, null too; `case`, `coalesce` and the like that ask for no more than they
 * need are in index.js.
 */
'use strict';

const { order } = require('./compare.js');

const own = { nulls: 'own' };

/** The extreme of two: of numbers NaN if one is, and -0 is below 0. @type {(name: 'max' | 'min') => (a: any, b: any) => any} */
const extremeOf = (name) => (a, b) =>
  typeof a === 'number' ? Math[name](a, b) : order(b, a) * (name === 'max' ? 1 : -1) > 0 ? b : a;

/** The extreme of those that are not null. @type {(name: 'max' | 'min') => any} */
const extreme = (name) => (/** @type {any[]} */ ...values) =>
  values.slice(0, -1).reduce((a, b) => (b === null ? a : a === null ? b : extremeOf(name)(a, b)));

module.exports = [
  ['greatest', '(A...) → A', extreme('max'), null, own],
  ['least', '(A...) → A', extreme('min'), null, own],
  ['nullif', '(A, A) → A', (a, b) => (a !== null && b !== null && order(a, b) === 0 ? null : a), null, own],
];
