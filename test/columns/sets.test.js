// Lists of many constants, which are looked up in tables of a kernel's data: compared with sets of JavaScript, at sizes
// below and above those at which one way of looking up gives way to another.
'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { expr } = require('../../lib/columns/index.js');
const { arrowTable, valuesOf } = require('./tables.js');

/** @type {(seed: number) => () => number} below 2^32 */
const random = (seed) => () => {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
  return (seed ^ (seed >>> 15)) >>> 0;
};

const SIZES = [1, 3, 4, 14, 15, 24, 25, 40, 41, 64, 65, 100, 128, 1000, 5000];

/** By type: a value made of random numbers. @type {Record<string, (next: () => number) => any>} */
const VALUES = {
  int8: (next) => (next() << 24) >> 24,
  uint16: (next) => next() & 0xffff,
  int32: (next) => next() | 0,
  int64: (next) => BigInt.asIntN(64, (BigInt(next()) << 32n) | BigInt(next())),
  uint64: (next) => BigInt.asUintN(64, (BigInt(next()) << 33n) | BigInt(next())),
  float32: (next) => Math.fround((next() - 2 ** 31) / 1024),
  float64: (next) => (next() - 2 ** 31) / 65536,
  utf8: (next) => 'é'.repeat(next() % 3) + String(next()).repeat(next() % 40).slice(0, next() % 90),
};

/** @type {(value: any) => string} */
const literal = (value) => (typeof value === 'string' ? `'${value}'` : String(value));

for (const [type, make] of Object.entries(VALUES)) {
  test(`lists of ${type}`, () => {
    const next = random(type.length * 7919);
    for (const size of SIZES) {
      const list = Array.from({ length: size }, () => make(next));
      const known = new Set(list);
      const rows = Array.from({ length: 333 }, (_, i) =>
        i % 11 === 0 ? null : i % 2 ? list[next() % size] : make(next));
      const made = expr(`x in (${list.map(literal).join(', ')})`);
      const got = valuesOf(made.project(arrowTable({ x: type }, { x: rows })), 'bool');
      assert.deepEqual(got, rows.map((value) => (value === null ? null : known.has(value))), `${size} of ${type}`);
    }
  });
}

/** @type {(text: string, type: string, rows: any[]) => any[]} */
const result = (text, type, rows) => valuesOf(expr(text).project(arrowTable({ x: type }, { x: rows })), 'bool');
const tens = Array.from({ length: 50 }, (_, i) => 10 * i);

test('NaN is in no list, and both zeros are the same', () => {
  const rows = [NaN, 0, -0, 490, 5, Infinity, -Infinity];
  assert.deepEqual(result(`x in (${tens.join(', ')})`, 'float64', rows), [false, true, true, true, false, false, false]);
  const other = tens.map((each) => each || '-0.0');
  assert.deepEqual(result(`x in (${other.join(', ')})`, 'float32', rows), [false, true, true, true, false, false, false]);
});

test('what is not in a list with a null is null', () => {
  const list = [...tens, 'null'].join(', ');
  assert.deepEqual(result(`x in (${list})`, 'int32', [10, 11, null]), [true, null, null]);
  assert.deepEqual(result(`x not in (${list})`, 'int32', [10, 11, null]), [false, null, null]);
});

test('items that are no constants are compared', () => {
  const list = [...tens, 'x + 1 - 1'].join(', ');
  assert.deepEqual(result(`x in (${list})`, 'int32', [10, 11, null]), [true, true, null]);
  assert.deepEqual(result(`x + 1 in (${tens.join(', ')}, x)`, 'int64', [9n, 10n, null]), [true, false, null]);
});

test('values of 16 bytes are looked up as bytes', () => {
  const rows = ['0.00', '12.50', '490.00', '490.01', null].map((text) =>
    text === null ? null : { unscaled: BigInt(text.replace('.', '')), scale: 2 });
  const list = [...tens, 12.5].join(', ');
  assert.deepEqual(result(`x in (${list})`, 'decimal128(10, 2)', rows), [true, true, true, false, null]);
});

test('strings that differ in their middle only', () => {
  const list = Array.from({ length: 30 }, (_, i) => `${'a'.repeat(20)}${String(i).padStart(2, '0')}${'b'.repeat(20)}`);
  const rows = [...list, list[0].replace('00', '99'), `${list[0]}b`, ''];
  assert.deepEqual(result(`x in (${list.map(literal).join(', ')})`, 'utf8', rows), rows.map((each) => list.includes(each)));
  assert.deepEqual(result(`x in ('', 'b', 'c', 'd')`, 'utf8', ['', 'a', 'd', null]), [true, false, true, null]);
});
