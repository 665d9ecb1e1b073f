'use strict';

const assert = require('node:assert/strict');
const { describe, test } = require('node:test');
const { expr } = require('../../lib/columns/index.js');
const { randomOf } = require('../support/values.js');
const { arrowTable, atEdges } = require('./engine.js');

const random = randomOf(9);
const TEXTS = ['', 'a', 'ab', 'b', 'ä', '日本', 'zebra'];

/** @type {Record<string, () => any>} */
const VALUES = {
  int8: () => Math.floor(random() * 200) - 100,
  uint32: () => Math.floor(random() * 2 ** 32),
  int64: () => BigInt(Math.floor(random() * 50) - 25) * 2n ** 57n,
  uint64: () => BigInt(Math.floor(random() * 50)) * 2n ** 58n,
  float32: () => Math.fround([NaN, -0, 0, Infinity, -Infinity, random(), -random()][Math.floor(random() * 7)]),
  float64: () => [NaN, -0, 0, Infinity, -Infinity, random(), -random()][Math.floor(random() * 7)],
  bool: () => random() < 0.5,
  utf8: () => TEXTS[Math.floor(random() * TEXTS.length)],
  binary: () => Uint8Array.from({ length: Math.floor(random() * 3) }, () => Math.floor(random() * 256)),
  date32: () => Math.floor(random() * 100) - 50,
  'timestamp[us]': () => BigInt(Math.floor(random() * 100) - 50),
  'decimal128(38, 2)': () => ({ unscaled: BigInt(Math.floor(random() * 40) - 20) * 2n ** 65n, scale: 2 }),
};

/** @type {(a: any, b: any) => number} */
function order(a, b) {
  if (typeof a === 'string' || a instanceof Uint8Array) return Buffer.compare(Buffer.from(a), Buffer.from(b));
  const [x, y] = [a?.unscaled ?? a, b?.unscaled ?? b];
  return x < y ? -1 : x > y ? 1 : 0;
}

/** Nulls and NaN come last. @type {(value: any) => boolean} */
const isLost = (value) => value === null || Number.isNaN(value);

/** @type {(values: any[], count: number, ascending: boolean, isTaken?: (row: number) => boolean) => number[]} */
function best(values, count, ascending, isTaken = () => true) {
  const rows = [...values.keys()].filter(isTaken);
  const sign = ascending ? 1 : -1;
  rows.sort((a, b) => Number(isLost(values[a])) - Number(isLost(values[b])) || (isLost(values[a]) ? 0 : sign * order(values[a], values[b])) || a - b);
  return rows.slice(0, count);
}

describe('topK gives the rows with the', () => {
  for (const [type, make] of Object.entries(VALUES)) {
    test(`greatest and least of ${type}`, () => {
      for (const size of [0, 1, 2, 65, 1000]) {
        const values = Array.from({ length: size }, () => (random() < 0.1 ? null : make()));
        const plain = arrowTable({ x: type }, { x: values }, { cuts: [1, 64, 500] });
        for (const table of [plain, atEdges(plain, true)]) {
          for (const count of [0, 1, 3, 64, size, size + 5]) {
            for (const ascending of [false, true]) {
              assert.deepEqual([...expr('x').topK(table, count, { ascending })], best(values, count, ascending), `${count} of ${size}, ${ascending}`);
            }
          }
        }
      }
    });
  }

  test('greatest of an expression where another is true', () => {
    const x = Float64Array.from({ length: 500 }, () => Math.floor(random() * 100));
    const values = Array.from(x, (value) => -Math.abs(value - 50));
    assert.deepEqual([...expr('-abs(x - 50)').topK({ x }, 10)], best(values, 10, false));
    assert.deepEqual([...expr('-abs(x - 50)').topK({ x }, 10, { where: 'x < 40' })], best(values, 10, false, (row) => x[row] < 40));
    assert.deepEqual([...expr('x > @p').topK({ x }, 10, { parameters: { p: 50 } })], best(Array.from(x, (value) => value > 50), 10, false));
  });

  test('count that is none is refused', () => {
    assert.throws(() => expr('x').topK({ x: Float64Array.of(1) }, -1), { code: 'ERR_ARGUMENT' });
    assert.throws(() => expr('x').topK({ x: Float64Array.of(1) }, 1.5), { code: 'ERR_ARGUMENT' });
  });
});
