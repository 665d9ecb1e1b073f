// Groups of keys in a small range, whose records are found by their number in it: the same as by a Map, in the order of
// first rows, on any number of threads.
'use strict';

const assert = require('node:assert/strict');
const test = require('node:test');
const { expr, table } = require('../../lib/columns/index.js');

/** Rows, keys from where on, and how many of them; in the last one too many of them for the rows. @type {[any, number | bigint, number, number][]} */
const CASES = [
  [Int32Array, -500, 100_000, 1000],
  [BigInt64Array, -5n, 70_000, 17],
  [Uint8Array, 0, 66_000, 256],
  [BigUint64Array, 2n ** 63n + 5n, 66_000, 100],
  [Int32Array, 2 ** 31 - 20_000, 100_000, 20_000],
  [Int16Array, 7, 66_000, 1],
  [Int32Array, 0, 70_000, 60_000],
];

const valuesOf = (/** @type {any} */ column) => (column.toArray ? column.toArray() : [...column]);

/** Sum, count, and least of each key. @type {(k: any, x: Float64Array, from: number) => Map<any, number[]>} */
function expectedOf(k, x, from) {
  const groups = new Map();
  for (let i = 0; i < k.length; i++) {
    if (x[i] < from) continue;
    const [sum, count, least] = groups.get(k[i]) ?? [0, 0, Infinity];
    groups.set(k[i], [sum + x[i], count + 1, Math.min(least, x[i])]);
  }
  return groups;
}

for (const [Class, first, rows, size] of CASES) {
  test(`${size} keys of ${Class.name} from ${first} on`, () => {
    const place = (/** @type {number} */ i) => (Math.imul(i, 2654435761) >>> 7) % size;
    const k = Class.from({ length: rows }, (/** @type {any} */ _, /** @type {number} */ i) =>
      typeof first === 'bigint' ? first + BigInt(place(i)) : first + place(i));
    const x = Float64Array.from({ length: rows }, (_, i) => i % 10);
    const chunks = [[0, 1000], [1000, rows]].map(([from, to]) => ({ k: k.subarray(from, to), x: x.subarray(from, to) }));
    for (const threads of [1, 2, 3]) {
      for (const [data, where, from] of /** @type {[any, string | undefined, number][]} */ ([[{ k, x }, undefined, 0], [chunks, 'x >= 5', 5]])) {
        const e = expr({ sum: 'sum(x)', count: 'count()', least: 'min(x)' }, { threads });
        const found = e.aggregate(data, { by: 'k', where });
        const expected = expectedOf(k, x, from);
        assert.deepEqual(valuesOf(found.k), [...expected.keys()]);
        ['sum', 'count', 'least'].forEach((name, i) =>
          assert.deepEqual(valuesOf(found[name]).map(Number), [...expected.values()].map((each) => each[i]), name));
      }
    }
  });
}

test('keys of what has no order', () => {
  const months = Int32Array.from({ length: 70_000 }, (_, i) => i % 3);
  const data = table({ k: months }, { types: { k: 'interval(year_month)' } });
  const { k, n } = expr({ n: 'count(*)' }).aggregate(data, { by: 'k' });
  assert.deepEqual(valuesOf(k).map(({ months: each }) => each), [0, 1, 2]);
  assert.deepEqual(valuesOf(n), [23334n, 23333n, 23333n]);
});
