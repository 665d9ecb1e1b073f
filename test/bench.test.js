// The bench itself: its list is in order and its quick mode gives figures. What the figures are is not
// judged here; no test depends on how fast a computer is.
'use strict';

const assert = require('node:assert/strict');
const path = require('node:path');
const { spawnSync } = require('node:child_process');
const { test } = require('node:test');
const cases = require('./bench/list.js');

const bench = (...words) =>
  spawnSync(process.execPath, [path.join(__dirname, 'bench', 'run.js'), ...words], { encoding: 'utf8' });

test('every case has a name of its own, a title, a unit and something to measure', () => {
  assert.equal(new Set(cases.map(({ name }) => name)).size, cases.length);
  for (const { name, title, unit, contestants, values } of cases) {
    assert.match(name, /^[\w-]+$/);
    assert.ok(title.length > 0 && ['ns', 'µs', 'ms', 'bytes'].includes(unit), name);
    assert.equal([contestants, values].filter((f) => typeof f === 'function').length, 1, name);
  }
});

test('the quick mode prints a JSON document with figures', () => {
  const { status, stdout, stderr } = bench('--quick', '--json', ...['bind-16', 'run-16', '16-others', 'vectorize-16', 'async-16'].flatMap((part) => ['--case', part]));
  assert.equal(stderr, '');
  assert.equal(status, 0);
  const document = JSON.parse(stdout);
  assert.deepEqual(document.cases.map(({ name }) => name), ['bind-16', 'run-16', 'run-16-others', 'vectorize-16', 'async-16']);
  for (const { results } of document.cases) {
    assert.equal(results[0].who, 'graphjit');
    for (const { value, ratio, runs } of results) assert.ok(value > 0 && ratio > 0 && runs.length === 1);
  }
  const [bound] = document.cases;
  assert.equal(bound.targets[0].asks, 'below 30 ns');
  assert.equal(typeof bound.targets[0].met, 'boolean');
});

test('sizes are cases too, and print as a table', () => {
  const { status, stdout } = bench('--quick', '--case', 'wasm-size-scalar');
  assert.equal(status, 0);
  assert.match(stdout, /^ {2}graphjit +\d+ bytes +1\.00×\n(.*\n)* {2}target: below 301 bytes: \d+, pass$/m);
});

test('an unknown case or option ends the bench with the names that there are', () => {
  const unknown = bench('--case', 'nonesuch');
  assert.equal(unknown.status, 2);
  assert.match(unknown.stderr, /^bench: no case has 'nonesuch' in its name; there are hypot-1e3, /);
  assert.equal(bench('--nonesuch').status, 2);
  assert.match(bench('--runs', 'many').stderr, /^bench: --runs takes a whole number of processes, not 'many'$/m);
});
