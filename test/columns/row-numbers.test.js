// Row numbers of a predicate: in one pass on one thread where there is room, else by way of words.
'use strict';

const assert = require('node:assert/strict');
const test = require('node:test');
const { expr } = require('../../lib/columns/index.js');

const numbers = (/** @type {number} */ count) => Float64Array.from({ length: count }, (_, i) => (i * 7919) % 13);
const wanted = (/** @type {Float64Array} */ x, /** @type {number} */ limit) =>
  [...x.keys()].filter((i) => x[i] < limit);

test('row numbers are the same in any room, in chunks, and on any number of threads', () => {
  for (const count of [0, 1, 5, 63, 64, 65, 1000, 40_000]) {
    const x = numbers(count);
    const chunks = [{ x: x.subarray(0, count >> 1) }, { x: x.subarray(count >> 1) }];
    for (const limit of [0, 1, 6, 13]) {
      for (const data of [{ x }, chunks]) {
        for (const [threads, room] of [[1, 64], [1, 0], [2, 64], [2, 0]]) {
          const e = expr(`x < ${limit}`, { threads });
          const out = new Uint32Array(count + room).fill(7);
          const found = e.filter(data, { out });
          assert.equal(found.buffer, out.buffer);
          assert.deepEqual([...found], wanted(x, limit));
        }
        assert.deepEqual([...expr(`x < ${limit}`).filter(data)], wanted(x, limit));
      }
    }
  }
});

test('row numbers among rows that were found before', () => {
  const x = numbers(3000);
  const rows = expr('x < 6').filter({ x });
  const out = new Uint32Array(3064);
  assert.deepEqual([...expr('x < 2', { threads: 1 }).filter({ x }, { rows, out })], wanted(x, 2));
});
