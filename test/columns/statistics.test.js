'use strict';

const assert = require('node:assert/strict');
const { describe, test } = require('node:test');
const { expr } = require('../../lib/columns/index.js');
const { arrowTable, typeOf } = require('./engine.js');

const SIZE = 200000;

/** Values that are near each other where rows are, with pieces that are all null, all NaN, or have one. @type {Record<string, (row: number) => any>} */
const SHAPES = {
  sorted: (row) => row,
  'sorted down': (row) => SIZE - row,
  steps: (row) => Math.floor(row / 20000),
  waves: (row) => Math.round(1000 * Math.sin(row / 30000)) + (row % 3),
  'with nulls': (row) => (row % 7 === 0 || (row > 40000 && row < 90000) ? null : row),
  'with a NaN': (row) => (row === 50001 ? NaN : row),
  'of NaN': (row) => (row > 30000 && row < 110000 ? NaN : row),
};

/** @type {[text: string, of: (x: any) => boolean][]} */
const PREDICATES = [
  ['x < 1000', (x) => x !== null && x < 1000],
  ['x >= 150000', (x) => x !== null && x >= 150000],
  ['x > 33000 and x <= 70000', (x) => x !== null && x > 33000 && x <= 70000],
  ['x = 5', (x) => x === 5],
  ['x <> 5', (x) => x !== null && x !== 5],
  ['not (x < 100000)', (x) => x !== null && !(x < 100000)],
  ['x < 10 or x > 199990', (x) => x !== null && (x < 10 || x > 199990)],
  ['x is null or x > 120000', (x) => x === null || x > 120000],
  ['x is not null', (x) => x !== null],
  ['x < 5 is not true', (x) => x === null || !(x < 5)],
  ['x > -1', (x) => x !== null && x > -1],
  ['x > 1000000', () => false],
  ['1000 > x', (x) => x !== null && x < 1000],
  ['coalesce(x, 5) < 10', (x) => (x ?? 5) < 10],
  ['x in (1, 2, 150001)', (x) => x === 1 || x === 2 || x === 150001],
  ['x is distinct from 3', (x) => x !== 3],
];

/** @type {(type: string, value: any) => any} */
const valueIn = (type, value) => (value === null ? null : typeOf(type).bits === 64 && typeOf(type).kind === 'int' ? BigInt(value) : value);

const bytesOf = (/** @type {Uint32Array} */ { buffer, byteOffset, byteLength }) => Buffer.from(buffer, byteOffset, byteLength);
/** Of many rows assert.deepEqual() takes longer than all else. @type {(a: Uint32Array, b: Uint32Array) => boolean} */
const isSame = (a, b) => bytesOf(a).equals(bytesOf(b));

describe('a column that is asked again gives the same rows', () => {
  for (const [shape, valueAt] of Object.entries(SHAPES)) {
    const plain = Array.from({ length: SIZE }, (_, row) => valueAt(row));
    const types = shape.includes('NaN') ? ['float64', 'float32'] : ['float64', 'float32', 'int32', 'int64'];
    for (const type of types) {
      test(`${shape}, ${type}`, () => {
        const table = arrowTable({ x: type }, { x: plain.map((value) => valueIn(type, value)) }, { cuts: [70000, 150000] });
        for (const [text, of] of PREDICATES) {
          const wanted = Uint32Array.from(plain.flatMap((value, row) => (of(value) ? [row] : [])));
          for (const threads of [1, 2, 1]) {
            const predicate = expr(text, { threads });
            assert.ok(isSame(predicate.filter(table), wanted), text);
            assert.equal(predicate.count(table), wanted.length, text);
          }
        }
      });
    }
  }

  test('with parameters, which change', () => {
    const x = Float64Array.from({ length: SIZE }, (_, row) => row);
    const predicate = expr('x > @low and x < @high');
    for (const [low, high] of [[0, 10], [0, 10], [199990, 1e9], [-5, -1], [100000, 100003], [NaN, 5]]) {
      const wanted = [...x.keys()].filter((row) => x[row] > low && x[row] < high);
      assert.deepEqual([...predicate.filter({ x }, { parameters: { low, high } })], wanted);
    }
  });

  test('with several columns', () => {
    const x = Float64Array.from({ length: SIZE }, (_, row) => row);
    const y = Int32Array.from({ length: SIZE }, (_, row) => SIZE - row);
    const z = Float32Array.from({ length: SIZE }, (_, row) => (row * 7919) % 1000);
    for (let time = 0; time < 3; time++) {
      const found = expr('(x < 50000 and z < 10) or (y < 100 and x > y)').filter({ x, y, z });
      assert.deepEqual([...found], [...x.keys()].filter((row) => (x[row] < 50000 && z[row] < 10) || (y[row] < 100 && x[row] > y[row])));
    }
  });

  test('and the same faults', () => {
    const x = Int32Array.from({ length: SIZE }, (_, row) => row - 100000);
    for (let time = 0; time < 3; time++) {
      assert.throws(() => expr('x > 150000 or div(1, x) = 7').filter({ x }), { message: /^row 100000: division by zero/u });
    }
  });
});
