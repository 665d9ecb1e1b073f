'use strict';

const assert = require('node:assert/strict');
const { describe, test } = require('node:test');
const { functions } = require('../../lib/columns/functions/index.js');
const { FORMS, compare } = require('./engine.js');
const { generate } = require('./random.js');
const reference = require('./reference/index.js');

const NUMBERS = ['int8', 'int16', 'int32', 'int64', 'uint8', 'uint16', 'uint32', 'uint64', 'float32', 'float64', 'bool'];

/** Of decimals some give types of their own; others have few digits that are right near poles and zeros. */
const OTHERS = new Set(['round', 'truncate', 'trunc', 'ceil', 'ceiling', 'floor', 'castdecimal', 'decimal', 'log', 'cot']);
const TYPES = [...NUMBERS, 'utf8', 'binary', 'decimal128(10, 2)', 'decimal128(38, 6)'];

/** Those of times have a fuzzer of their own. */
const isOfTimes = (/** @type {string} */ name) => functions.get(name)?.category === 'datetime' || /date|time|interval/u.test(name);
const NAMES = [...reference.functions.keys()].filter((name) => functions.has(name) && !OTHERS.has(name) && !isOfTimes(name));

/** What is not taken, and is no mistake: integers that are in no type that a function takes, or not in that of a cast. */
const REFUSED = /^[^\n]* takes [^\n]*, got [^\n]*uint64|^-?\d+ does not fit /u;

/** @type {(seed: number, form: string, how: any) => void} */
function check(seed, form, how) {
  const generated = generate(seed, { functions: NAMES, ...how });
  const head = `seed ${seed}, ${form}, ${generated.rows.length} rows, ${JSON.stringify(generated.schema)}: ${generated.text}`;
  const { wrong, refused } = compare(generated, form, { threads: 1 + (seed % 2), cache: false });
  assert.equal(wrong, undefined, head);
  if (refused !== undefined) assert.match(refused, REFUSED, head);
}

describe('the engine gives what the reference does for random expressions over', () => {
  Object.keys(FORMS).forEach((form, k) => {
    test(`numbers in ${form}`, () => {
      for (let seed = 1; seed <= 25; seed++) check(1000 * k + seed, form, { types: NUMBERS, kinds: ['bool', 'int', 'float'] });
    });

    test(`everything in ${form}`, () => {
      for (let seed = 1; seed <= 35; seed++) check(1000 * k + 500 + seed, form, { types: TYPES, kinds: ['bool', 'int', 'float', 'utf8', 'decimal'] });
    });
  });
});
