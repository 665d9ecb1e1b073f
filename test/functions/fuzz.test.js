// A few random functions, the same every time; `npm run fuzz` tries more.
'use strict';

require('../support/verify.js');
const assert = require('node:assert/strict');
const { test } = require('node:test');
const { tryMany } = require('../fuzz/functions.js');
const { tryOne } = require('../fuzz/calls.js');

test('random functions give natively what they give in V8', () => {
  /** @type {string[]} */
  const found = [];
  const report = (/** @type {number} */ seed, /** @type {{ kind: string, message: string }} */ { kind, message }) => found.push(`seed ${seed} ${kind}: ${message}`);
  const totals = tryMany({ seed: 1, count: 25, seconds: Infinity, report });
  assert.deepEqual(found, []);
  assert.ok(totals.invalid < 10);
});

test('so do random functions that call each other and themselves', () => {
  for (let seed = 1; seed <= 5; seed++) assert.equal(tryOne(seed)?.message, undefined, `seed ${seed}`);
});
