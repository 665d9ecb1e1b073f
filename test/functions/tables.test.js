// The tables that compiled functions are judged by are themselves in order: names are unique, functions are found with
// all that they name, and V8 gives the same twice, without which there would be nothing to compare with.
'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const rows = require('./npm-functions.js');
const programs = require('./programs/index.js');
const { captureOf, functionOf } = require('./support/modules.js');
const { firstDifference, outcome } = require('./support/same.js');
const { setsOf } = require('./support/values.js');

const unique = (/** @type {string[]} */ names) => assert.equal(new Set(names).size, names.length);

test('programs have names of their own and argument sets, and V8 gives the same twice', () => {
  unique(programs.map(({ subject, name }) => `${subject}/${name}`));
  assert.ok(programs.length > 150);
  for (const { name, fn, kinds, sets = setsOf(kinds ?? []) } of programs) {
    assert.ok(sets.length > 0, name);
    assert.equal(firstDifference(fn, fn, sets), null, name);
  }
});

test('functions of npm packages are found with all that they name, and most of their calls give values', () => {
  unique(rows.map(({ file, name }) => `${file} ${name}`));
  assert.ok(rows.length > 60);
  assert.ok(new Set(rows.map(({ file }) => file.split('/')[0])).size >= 8);
  for (const { file, name, kinds, known } of rows) {
    const fn = functionOf(file, name);
    captureOf(fn, (inner) => (/** @type {any[]} */ ...args) => inner(...args), known?.());
    const sets = setsOf(kinds);
    const thrown = sets.filter((args) => outcome(fn, args).error).length;
    assert.ok(thrown <= sets.length / 2, `${name} throws ${thrown} times of ${sets.length}`);
  }
});

test('a difference of one bit, of a sign of zero and of an array left behind is seen', () => {
  const sets = [[1, new Float64Array(1)]];
  const differ = (/** @type {Function} */ a, /** @type {Function} */ b) => firstDifference(a, b, sets);
  assert.match(String(differ(() => 0, () => -0)), /result: 0, not -0/);
  assert.match(String(differ(() => 1, () => 1 + Number.EPSILON)), /result: 1, not 1.0000000000000002/);
  assert.match(String(differ(() => NaN, () => 0)), /result: NaN, not 0/);
  assert.match(String(differ(() => NaN, () => undefined)), /result: NaN, not undefined/);
  assert.match(String(differ(() => [1, -0], () => [1, 0])), /result\[1\]: -0, not 0/);
  assert.match(String(differ((x, a) => void (a[0] = 1), () => undefined)), /arguments\[1\]\[0\]: 1, not 0/);
  assert.match(String(differ(() => 1, () => { throw new RangeError('no'); })), /gives 1, where V8 throws RangeError: no/);
  assert.match(String(differ(() => { throw new Error('no'); }, () => { throw new RangeError('no'); })), /throws Error: no, not RangeError: no/);
});
