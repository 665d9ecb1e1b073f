// What `npm test -- PATTERN` finds.
'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { findMatching } = require('../scripts/matching.js');

test('a word finds what has it in its path, whatever runs it', () => {
  const { node, c, golden } = findMatching('loops');
  assert.ok(node.includes('test/functions/loops.test.js'));
  assert.ok(c.includes('loops_test'));
  assert.equal(golden, 'loops');
  assert.ok(node.includes('test/golden.test.js'), 'which reads golden files');
});

test('a path finds one file', () => {
  assert.deepEqual(findMatching('test/eager.test.js'), { node: ['test/eager.test.js'], c: [], golden: undefined });
  assert.deepEqual(findMatching('c/pool_test'), { node: [], c: ['pool_test'], golden: undefined });
  const { node, c, golden } = findMatching('golden/loops/rows');
  assert.ok(node.every((file) => /golden[^/]*\.test\.js$/.test(file)));
  assert.deepEqual([c, golden], [[], 'golden/loops/rows']);
});

test('a test file that reads golden files and matches itself reads all of them', () => {
  assert.equal(findMatching('golden').golden, undefined);
});

test('case does not count, and what is no regular expression is a part of the path', () => {
  assert.deepEqual(findMatching('EAGER.test').node, findMatching('eager.test').node);
  assert.deepEqual(findMatching('eager[').node, []);
});
