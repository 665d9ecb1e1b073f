// What the demo must say: the figures of the flights, and what is left of the two compile stories.
'use strict';

const assert = require('node:assert/strict');
const path = require('node:path');
const { spawnSync } = require('node:child_process');
const { test } = require('node:test');

const demo = path.join(__dirname, '..', 'examples', '10-flights.js');
const { status, stdout, stderr } = spawnSync(process.execPath, [demo], { encoding: 'utf8' });

test('the demo ends well and complains about nothing', () => {
  assert.equal(stderr, '');
  assert.equal(status, 0);
});

test('the demo takes the columns of the Arrow file without a copy', () => {
  assert.match(stdout, /^200000 flights in one record batch, columns used without a copy$/m);
});

test('the demo finds the figures that a loop over the columns finds', () => {
  assert.match(stdout, /late, 500 to 1500 miles +19785$/m);
  assert.match(stdout, /delay in minutes +mean 7\.501, standard deviation 31\.984$/m);
  assert.match(stdout, /distance in miles +mean 729\.236, standard deviation 572\.112$/m);
  assert.match(stdout, /slope +-0\.000755 minutes per mile$/m);
  const [, off] = /differ by at most (\S+), relatively/.exec(stdout);
  assert.ok(Number(off) < 1e-11, off);
});

test('a late flight of middle distance is marked, and no other of those shown', () => {
  const marks = [...stdout.matchAll(/^ +(\d+) +-?\d+ +\d+ +[\d.]+ +(late|-) /gm)].map(([, row, mark]) => [row, mark]);
  const expected = [['40000', '-'], ['80000', '-'], ['120000', 'late'], ['160000', '-'], ['199999', '-']];
  assert.deepEqual(marks, expected);
});

test('native and wasm agree bit for bit in strict', () => {
  assert.match(stdout, /native 'strict' = wasm 'strict', bit for bit: yes \(10 outputs\)/);
});

test('all that is left of the two stories is one addition each', () => {
  const [, first, second] = stdout.split(/^(?:f64|i32): .*$/m);
  for (const [story, sum] of [[first, /= fadd double %\S+ 2\.0+e\+00$/m], [second, /= add i32 %\S+ 103$/m]]) {
    assert.match(story, /arithmetic in the LLVM IR: 1$/m);
    assert.match(story, sum);
    assert.equal(story.match(/^ +%\S+ = (?!getelementptr|load)/gm).length, 1);
  }
});

test('the demo prints no control codes', () => {
  assert.ok([...stdout].every((letter) => letter === '\n' || letter >= ' '));
});
