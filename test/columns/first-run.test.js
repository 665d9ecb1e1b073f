/**
 * The first run of a kernel that nobody has asked for: interpreted where it is plain arithmetic, with the bits of code.
 */
'use strict';

const assert = require('node:assert/strict');
const test = require('node:test');
const { expr } = require('graphjit');
const { native } = require('../../lib/base/binding.js');

/** @type {Record<string, any>} */
const arrays = {
  f64: Float64Array, f32: Float32Array, i8: Int8Array, u8: Uint8Array, i16: Int16Array, u16: Uint16Array, i32: Int32Array,
  u32: Uint32Array, i64: BigInt64Array, u64: BigUint64Array,
};

/** Numbers that make a difference, then any. @type {(name: string, rows: number, seed: number) => any} */
function valuesOf(name, rows, seed) {
  const Class = arrays[name];
  const isBig = name.endsWith('64') && name !== 'f64';
  const special = name.startsWith('f') ? [0, -0, NaN, Infinity, -Infinity, 5e-324, 1e308, 4, 1.5] : [0, 1, -1, 127, -128, 2 ** 31 - 1, 4];
  return Class.from({ length: rows }, (/** @type {any} */ _, /** @type {number} */ i) => {
    const k = (i * 7919 + seed * 104729) % 1009;
    const number = k % 3 === 0 ? special[k % special.length] : name.startsWith('f') ? (k - 500) / 7 : k - 500;
    return isBig ? BigInt(number) : number;
  });
}

const bytesOf = (/** @type {any} */ array) => Buffer.from(array.buffer, array.byteOffset, array.byteLength);
/** NaN has many forms. @type {(a: any, b: any) => boolean} */
const isSame = (a, b) => a.constructor === b.constructor && (bytesOf(a).equals(bytesOf(b)) || (a.length === b.length && a.every((/** @type {any} */ x, /** @type {number} */ i) => Object.is(x, b[i]))));

let unique = 100;
/** Numbers that no expression has had. */
const fresh = () => `${unique++}`;

const texts = [
  (/** @type {string} */ k) => `case when x < ${k} then (x + ${k}) - y else x - (y + 3) end`,
  (/** @type {string} */ k) => `x * y + ${k}`,
  (/** @type {string} */ k) => `(x > ${k}) or not (y <= 1) and x <> y`,
  (/** @type {string} */ k) => `cast(x as double) / ${k}.5 + cast(y as float)`,
  (/** @type {string} */ k) => `x = y or x between 1 and ${k}`,
];

for (const name of Object.keys(arrays)) {
  test(`the first run gives the bits of the second, of ${name}`, () => {
    for (const [t, text] of texts.entries()) {
      for (const rows of [0, 1, 7, 63, 64, 65, 1000, 1031]) {
        const table = { x: valuesOf(name, rows, t), y: valuesOf(name, rows, t + 1) };
        const own = text(fresh().slice(-2));
        const ask = () => expr(own, { threads: 1, cache: false }).project(table);
        const [first, second, third] = [ask(), ask(), expr(own, { threads: 1, tier: 'full' }).project(table)];
        assert.ok(isSame(first, second) && isSame(second, third), `${own}, ${rows} rows`);
      }
    }
  });
}

test('no code is made for a first run of arithmetic, and code for the second', () => {
  const table = { x: Float64Array.from({ length: 5000 }, (_, i) => i) };
  const text = `x * 3 - 1234.${fresh()}`;
  const before = native.usage().functions;
  const first = expr(text).project(table);
  assert.equal(native.usage().functions, before);
  assert.deepEqual(expr(text).project(table), first);
  assert.equal(native.usage().functions, before + 1);
});

test('rows that are found are those of the second run', () => {
  const rows = 100_003;
  const table = { x: Float64Array.from({ length: rows }, (_, i) => (i * 7919) % 1000), y: Int32Array.from({ length: rows }, (_, i) => i % 17) };
  for (const text of [`x > 400.${fresh()} and x < 600`, `y = 3 and x < 5.${fresh()}`, `x < -1.${fresh()}`]) {
    const wanted = [...table.x.keys()].filter((i) => new Function('x', 'y', `return ${text.replaceAll(' and ', ' && ').replaceAll(' = ', ' === ')}`)(table.x[i], table.y[i]));
    for (let i = 0; i < 3; i++) assert.deepEqual([...expr(text).filter(table)], wanted);
    assert.equal(expr(text).count(table), wanted.length);
  }
});

test('what may fail, nulls, texts and several chunks are compiled at once, with the same results', () => {
  const x = Int32Array.of(1, 2, 0, 4);
  assert.throws(() => expr(`8${fresh()} // x`).project({ x }), /row 2: division by zero/u);
  assert.deepEqual([...expr(`sqrt(x) + 1${fresh()}`).project({ x: Float64Array.of(4, 9) })].length, 2);
  assert.deepEqual([...expr("s = 'b'").filter({ s: ['a', 'b', null] })], [1]);
});
