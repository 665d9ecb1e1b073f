'use strict';

const assert = require('node:assert/strict');
const { describe, test } = require('node:test');
const { expr } = require('../../lib/columns/index.js');
const { randomOf } = require('../support/values.js');
const { arrowTable, placer } = require('./tables.js');

/** Around the rows of a word, of several, and of what one thread writes at once. */
const SIZES = [0, 1, 7, 63, 64, 65, 127, 128, 129, 1000, 4096, 65535, 65536, 65537, 70001];

/** @type {(size: number, share: number) => { x: Float64Array, rows: number[] }} values below 1 in a share of the rows */
function columnOf(size, share) {
  const random = randomOf(size + 1);
  const x = Float64Array.from({ length: size }, () => (random() < share ? random() : 1 + random()));
  return { x, rows: [...x.keys()].filter((row) => x[row] < 1) };
}

describe('filter gives the numbers of rows', () => {
  for (const share of [0, 0.001, 0.1, 0.5, 0.95, 1]) {
    test(`of which a share of ${share} is taken`, () => {
      for (const size of SIZES) {
        const { x, rows } = columnOf(size, share);
        for (const threads of [1, 2, 3]) {
          const predicate = expr('x < 1', { threads });
          assert.deepEqual([...predicate.filter({ x })], rows, `${size} rows, ${threads} threads`);
          assert.equal(predicate.count({ x }), rows.length);
          assert.deepEqual([...predicate.mask({ x })], Array.from(x, (value) => Number(value < 1)));
        }
      }
    });
  }

  test('on other threads', async () => {
    const { x, rows } = columnOf(70001, 0.3);
    assert.deepEqual([...(await expr('x < 1', { threads: 2 }).filterAsync({ x }))], rows);
    for (const data of [{ x }, { x: x.subarray(0, 0) }])
      await assert.rejects(expr('x < 1').filterAsync(data, { signal: AbortSignal.abort() }), { name: 'AbortError' });
  });

  test('of chunks of any size', () => {
    const { x, rows } = columnOf(1000, 0.4);
    for (const cuts of [[1], [63, 64, 65], [64, 128, 500], [999], Array.from({ length: 999 }, (_, i) => i + 1)]) {
      const table = arrowTable({ x: 'float64' }, { x: [...x] }, { cuts });
      for (const threads of [1, 3]) assert.deepEqual([...expr('x < 1', { threads }).filter(table)], rows);
    }
  });

  test('of some rows, in their order', () => {
    const { x } = columnOf(500, 0.5);
    const chosen = Uint32Array.from({ length: 300 }, (_, i) => (i * 37) % 500);
    assert.deepEqual([...expr('x < 1').filter({ x }, { rows: chosen })], [...chosen].filter((row) => x[row] < 1));
    assert.deepEqual([...expr('x < 1').filter({ x }, { rows: new Uint32Array(0) })], []);
  });
});

describe('filter into a given array', () => {
  for (const size of SIZES.filter((each) => each > 0)) {
    test(`of ${size} rows`, () => {
      const { x, rows } = columnOf(size, 0.5);
      for (const threads of [1, 2]) {
        const predicate = expr('x < 1', { threads });
        for (const room of [rows.length, rows.length + 1, size, size + 64, 2 * size]) {
          // Its end is that of memory: who writes behind it ends the process.
          const out = room === 0 ? new Uint32Array(0) : placer(true)(new Uint32Array(room).fill(4294967295));
          const found = predicate.filter({ x }, { out });
          assert.deepEqual([...found], rows);
          assert.equal(found.buffer, out.buffer);
          assert.ok(out.subarray(Math.max(rows.length, size)).every((/** @type {number} */ each) => each === 4294967295), 'what is behind all rows is as it was');
        }
      }
    });
  }

  test('that is too small is another one', () => {
    const { x, rows } = columnOf(1000, 0.5);
    const out = new Uint32Array(rows.length - 1);
    const found = expr('x < 1').filter({ x }, { out });
    assert.deepEqual([...found], rows);
    assert.notEqual(found.buffer, out.buffer);
    assert.ok(out.every((each) => each === 0));
  });

  test('may be the numbers of the rows to look at', () => {
    const x = Float64Array.of(4, 0, 3, 0, 5);
    const rows = Uint32Array.of(4, 3, 2, 2, 0);
    const wanted = [...expr('x > 1').filter({ x }, { rows })];
    assert.deepEqual(wanted, [4, 2, 2, 0]);
    for (const threads of [1, 2]) {
      const both = Uint32Array.from([...rows, ...new Uint32Array(100)]);
      assert.deepEqual([...expr('x > 1', { threads }).filter({ x }, { rows: both.subarray(0, rows.length), out: both })], wanted);
    }
  });
});
