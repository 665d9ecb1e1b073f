'use strict';

const assert = require('node:assert/strict');
const { describe, test } = require('node:test');
const arrow = require('apache-arrow');
const { expr } = require('../../lib/columns/index.js');

const INDICES = { Int8: Int8Array, Uint8: Uint8Array, Int16: Int16Array, Uint16: Uint16Array, Int32: Int32Array, Uint32: Uint32Array, Int64: BigInt64Array, Uint64: BigUint64Array };

let ids = 0;
/** @type {(values: any[], type: any, indices: number[], how?: { index?: string, nulls?: number[] }) => any} */
function dictionary(values, type, indices, { index = 'Int32', nulls = [] } = {}) {
  const nullBitmap = new Uint8Array(8).fill(255);
  for (const row of nulls) nullBitmap[row >> 3] &= ~(1 << (row & 7));
  const data = /** @type {any} */ (INDICES)[index].from(indices, (/** @type {number} */ each) => (index.endsWith('64') ? BigInt(each) : each));
  const encoded = new arrow.Dictionary(type, new /** @type {any} */ (arrow)[index](), ++ids);
  return new arrow.Vector([arrow.makeData({ type: encoded, length: indices.length, data, dictionary: arrow.vectorFromArray(values, type), nullCount: nulls.length, nullBitmap })]);
}

/** @type {(text: string, columns: Record<string, any>) => any[]} */
const project = (text, columns) => [...expr(text).project(new arrow.Table(columns))];
const ints = (/** @type {(number | null)[]} */ values) => arrow.vectorFromArray(values, new arrow.Int32());

describe('dictionary columns', () => {
  for (const index of Object.keys(INDICES)) {
    test(`with indices of ${index}`, () => {
      const d = dictionary([10, 20, 30], new arrow.Int32(), [0, 1, 2, 1], { index, nulls: [3] });
      assert.deepEqual(project('d + e', { d, e: ints([1, 2, 3, 4]) }), [11, 22, 33, null]);
      assert.deepEqual(project('d * 2', { d }), [20, 40, 60, null]);
    });
  }

  for (const type of [new arrow.Utf8(), new arrow.LargeUtf8()]) {
    test(`of ${type} in which a value is null`, () => {
      const d = dictionary(['x', 'yy', null, 'zzz'], type, [0, 1, 2, 3, 1], { nulls: [4] });
      const other = arrow.vectorFromArray(['1', '2', '3', '4', '5'], new arrow.Utf8());
      assert.deepEqual(project('d', { d }), ['x', 'yy', null, 'zzz', null]);
      assert.deepEqual(project("upper(d) || '!'", { d }), ['X!', 'YY!', null, 'ZZZ!', null]);
      assert.deepEqual(project('d || other', { d, other }), ['x1', 'yy2', null, 'zzz4', null]);
      assert.deepEqual(project('coalesce(d, other)', { d, other }), ['x', 'yy', '3', 'zzz', '5']);
      assert.deepEqual([...expr("d is null or other = '1'").filter(new arrow.Table({ d, other }))], [0, 2, 4]);
      const groups = expr({ n: 'count(*)', c: 'count(d)', m: 'min(d)' }).aggregate(new arrow.Table({ d }), { by: 'd' });
      assert.deepEqual([...groups.getChild('n')].map(Number), [1, 1, 2, 1]);
      assert.deepEqual([...groups.getChild('c')].map(Number), [1, 1, 0, 1]);
      assert.deepEqual([...groups.getChild('m')], ['x', 'yy', null, 'zzz']);
    });
  }

  test('do not say what depends on the row', () => {
    const d = dictionary(['a', 'b'], new arrow.Utf8(), [0, 0, 1, 0]);
    const text = "case when d = 'z' then 0.0 else random() end";
    const found = [...expr(text).project(new arrow.Table({ d }))];
    assert.deepEqual(found, [...expr(text).project({ d: ['a', 'a', 'b', 'a'] })]);
    assert.equal(new Set(found).size, 4);
  });

  test('are put in order by their values', () => {
    const d = dictionary([2.5, 1.5, NaN], new arrow.Float64(), [0, 1, 2, 0, 1], { nulls: [4] });
    const table = new arrow.Table({ d, k: ints([1, 1, 2, 2, 2]) });
    assert.equal(expr('median(d)').aggregate(table, { where: 'd < 100' }), 2.5);
    assert.deepEqual([...expr({ q: 'quantile(d, 0.5)' }).aggregate(table, { by: 'k' }).getChild('q')], [2, NaN]);
    assert.deepEqual([...expr('d').topK(table, 5)], [0, 3, 1, 2, 4]);
  });

  test('of decimals are keys', () => {
    const type = new arrow.Decimal(2, 10, 128);
    const d = dictionary([Uint32Array.of(1, 0, 0, 0), Uint32Array.of(2, 0, 0, 0)], type, [0, 1, 0, 1, 1]);
    assert.deepEqual([...expr({ n: 'count(*)' }).aggregate(new arrow.Table({ d }), { by: 'd' }).getChild('n')].map(Number), [2, 3]);
    assert.deepEqual(expr({ s: 'sum(d)', m: 'max(d)' }).aggregate(new arrow.Table({ d })), { s: '0.08', m: '0.02' });
  });
});

test('halves are computed with, aggregated and put in order as what they stand for', () => {
  const table = new arrow.Table({ h: arrow.vectorFromArray([1.5, 2.5, -3], new arrow.Float16()) });
  assert.deepEqual([...expr('h + 1').project(table)].map(Number), [2.5, 3.5, -2]);
  const named = { s: 'sum(h)', m: 'median(h)', a: 'min(h)', b: 'max(h)' };
  assert.deepEqual(expr(named).aggregate(table), { s: 1, m: 1.5, a: -3, b: 2.5 });
  assert.deepEqual([...expr('h').topK(table, 3)], [1, 0, 2]);
});
