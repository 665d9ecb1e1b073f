'use strict';

const assert = require('node:assert/strict');
const test = require('node:test');
const { native } = require('graphjit');
const { expr } = require('../../lib/columns/index.js');

const rows = 300_001;
const table = {
  x: Float64Array.from({ length: rows }, (_, i) => (i * 7919) % 1000),
  k: Int32Array.from({ length: rows }, (_, i) => i % 7),
};

test('what is computed later is what is computed now', async () => {
  const late = expr('x > 500 and k <> 3');
  const parts = expr({ twice: 'x * 2', k: 'k' });
  const sums = expr({ sum: 'sum(x)', many: 'count_distinct(x)' });
  const numbers = Uint32Array.from({ length: 1000 }, (_, i) => 3 * i);
  assert.deepEqual(await late.filterAsync(table), late.filter(table));
  assert.deepEqual(await late.filterAsync(table, { rows: numbers }), late.filter(table, { rows: numbers }));
  assert.deepEqual(await parts.projectAsync(table, { where: late }), parts.project(table, { where: late }));
  assert.equal(await late.countAsync(table), late.count(table));
  assert.deepEqual(await late.maskAsync(table), late.mask(table));
  assert.deepEqual(await late.filterTableAsync(table), late.filterTable(table));
  assert.deepEqual(await expr('x * k').topKAsync(table, 50, { where: late }), expr('x * k').topK(table, 50, { where: late }));
  const query = { by: 'k', where: 'x < 900' };
  assert.deepEqual(await sums.aggregateAsync(table, query), sums.aggregate(table, query));
});

test('the thread that asks goes on while rows are chosen', async () => {
  let turns = 0;
  const timer = setInterval(() => turns++, 0);
  const parts = expr('sqrt(x) + k', { threads: 1 });
  for (let i = 0; i < 40; i++) await parts.projectAsync(table, { where: 'sin(x) > 0 and k > 2' });
  clearInterval(timer);
  assert.ok(turns > 0);
});

test('a signal ends what is under way, and what follows', async () => {
  const controller = new AbortController();
  const pending = expr('x').projectAsync(table, { where: 'x > 1', signal: controller.signal });
  controller.abort();
  await assert.rejects(pending, { name: 'AbortError' });
  assert.equal((await expr('x').projectAsync(table, { where: 'x > 998' })).length, expr('x > 998').count(table));
});

test('a condition keeps its own functions and faults', () => {
  const far = expr('twice(x) > 1900', { functions: { twice: native((x) => 2 * x) } });
  const wanted = expr('count(*)').aggregate(table, { where: 'x > 950' });
  assert.equal(expr('count(*)').aggregate(table, { where: far }), wanted);
  const lenient = expr('div(10, k) > 4', { divisionByZero: 'null' });
  assert.equal(expr('count(*)').aggregate(table, { where: lenient }), BigInt(table.k.filter((k) => k === 1 || k === 2).length));
  assert.throws(() => expr('count(*)').aggregate(table, { where: 'div(10, k) > 4' }), { code: 'ERR_CALL' });
});
