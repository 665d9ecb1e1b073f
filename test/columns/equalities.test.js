'use strict';

const assert = require('node:assert/strict');
const test = require('node:test');
const { expr } = require('../../lib/columns/index.js');

const table = { s: ['a', 'b', null, 'zz', 'e', 'q'], x: Float64Array.of(1, 2, 3, 4.5, NaN, 6), k: [1, null, 3, 4, 5, 6] };

test('chains of equalities are lists, and give what they gave', () => {
  const chain = "s = 'a' or 'b' = s or s = 'c' or s = 'q' or length(s) = 2";
  assert.deepEqual([...expr(chain).project(table)], [true, true, null, true, false, true]);
  assert.match(expr(chain).explain(table, { stage: 'tree' }), /^or.*\n {2}in/u);
  assert.deepEqual([...expr('x = 1 or x = 2.0 or x = 4.5 or x = 8').filter(table)], [0, 1, 3]);
  assert.deepEqual([...expr('k = 1 or k = 3 or k = 5 or k = 7').project(table)], [true, null, true, false, true, false]);
});

test('chains of several columns, of nulls and of few stay what they are', () => {
  const tree = (/** @type {string} */ text) => expr(text).explain(table, { stage: 'tree' });
  assert.doesNotMatch(tree("s = 'a' or x = 1 or s = 'b' or x = 2"), /^\s*in\b/mu);
  assert.doesNotMatch(tree('k = 1 or k = null or k = 2 or k = 3'), /^\s*in\b/mu);
  assert.deepEqual([...expr('k = 1 or k = null or k = 2 or k = 3').project(table)], [true, null, true, null, null, null]);
});

test('what a list finds first keeps the rest from failing', () => {
  const rest = 'div(1, k - 1) = 9 or k = 1 or k = 3 or k = 4 or k = 5';
  assert.deepEqual([...expr(rest).project(table)], [true, null, true, true, true, false]);
});
