/**
 * Keys and arguments made to break: words that fall together, deep and long texts, many entries, arrays that lie.
 */
'use strict';

const test = require('node:test');
const assert = require('node:assert/strict');
const { compileMap, compileRanges, compileSet, compileTrie, table } = require('graphjit');
const { generator } = require('../support/generator.js');
const { compare } = require('./support.js');

/** The inverse of an odd factor modulo 2^32. @type {(m: number) => number} */
function inverse(m) {
  let x = m;
  for (let i = 0; i < 5; i++) x = Math.imul(x, 2 - Math.imul(m, x));
  return x;
}

test('bigints that all fall into one bucket of the first factors', () => {
  // The sum of halves is the same for all by the factors of seed 1; the bucket is a function of it.
  const [m1, m2] = firstFactors();
  const keys = Array.from({ length: 3000 }, (_, hi) => {
    const lo = Math.imul(inverse(m1), 12345 - Math.imul(hi, m2)) >>> 0;
    return (BigInt(hi) << 32n) | BigInt(lo);
  });
  const map = new Map(keys.map((key, i) => [key, i]));
  const own = compileMap(map);
  compare(own, map, keys.map((key) => key + 1n));
  assert.deepEqual(own.getMany(BigInt64Array.from(keys)), [...map.values()]);
});

/** splitmix64 of seed 1, as src/library/maps/maps.h has it. @type {() => number[]} */
function firstFactors() {
  const u64 = (/** @type {bigint} */ x) => BigInt.asUintN(64, x);
  let x = u64(1n + 0x9e3779b97f4a7c15n);
  x = u64((x ^ (x >> 30n)) * 0xbf58476d1ce4e5b9n);
  x = u64((x ^ (x >> 27n)) * 0x94d049bb133111ebn);
  x ^= x >> 31n;
  return [Number(x & 0xffffffffn) | 1, Number(x >> 32n) & ~1];
}

test('texts that differ where nothing near their ends tells them apart', () => {
  const pad = 'p'.repeat(60);
  const keys = Array.from({ length: 3000 }, (_, i) => pad + String(i).padStart(4, '0') + pad);
  const map = new Map(keys.map((key, i) => [key, i]));
  compare(compileMap(map), map, keys.map((key) => key.replace('p', 'q')));
  const nested = Array.from({ length: 2000 }, (_, i) => 'a'.repeat(i));
  compare(compileMap(nested.map((key, i) => [key, i])), new Map(nested.map((key, i) => [key, i])), ['b', 'a'.repeat(2001)]);
});

test('texts in columns that differ by bits near the top of words, which products hardly move', () => {
  const keys = Array.from({ length: 200 }, (_, i) => String(i).padStart(7, '-')).flatMap((text) => [`${text}abcdabcda`, `${text}!bcd!bcd!`]);
  const map = new Map(keys.map((key, i) => [key, i]));
  compare(compileMap(map), map, keys.map((key) => key.replace('b', 'c')));
  const column = table({ keys }).column('keys').chunks[0];
  assert.deepEqual([...compileMap({ keys, values: Int32Array.from(map.values()) }).getMany(column)], [...map.values()]);
});

test('texts and prefixes of a million units', () => {
  const long = 'x'.repeat(1e6);
  const map = new Map([[long, 1], [`${long}y`, 2], [`y${long}`, 3], ['', 4]]);
  compare(compileMap(map), map, [long.slice(1), `${long}x`]);
  const prefixes = Array.from({ length: 50 }, (_, i) => long.slice(0, 20_000 * (i + 1)));
  const own = compileTrie(prefixes.map((prefix, i) => [prefix, i]));
  assert.deepEqual([own.get(`${long}z`), own.get(long.slice(0, 59_999)), own.get('x'), own.get('y')], [49, 1, undefined, undefined]);
  const chain = compileTrie(Array.from({ length: 3000 }, (_, i) => ['ab'.repeat(i), i]));
  assert.deepEqual([chain.get(`${'ab'.repeat(1234)}b`), chain.get('ba')], [1234, 0]);
});

test('a million keys, all equal, and a million ranges', () => {
  const count = 1e6;
  const same = compileSet(new Float64Array(count).fill(0.5));
  assert.deepEqual([same.size, same.has(0.5)], [1, true]);
  const lows = Float64Array.from({ length: count }, (_, i) => 1.5 * i);
  const ranges = compileRanges({ lows, highs: lows.map((low) => low + 1), values: lows });
  const random = generator(5);
  const probes = Float64Array.from({ length: 2000 }, () => random() * 1.5 * count);
  assert.deepEqual(ranges.getMany(probes), probes.map((x) => (x % 1.5 < 1 ? x - (x % 1.5) : NaN)));
});

test('typed arrays with properties that lie', () => {
  const keys = Float64Array.of(1.5, 2.5, 3.5);
  const own = compileMap({ keys, values: Int8Array.of(1, 2, 3) });
  class Large extends Float64Array {
    /** @returns {number} */
    get length() {
      return 1e9;
    }
  }
  assert.deepEqual(own.getMany(new Large([1.5, 9])), Int8Array.of(1, 0));
  const disguised = new Uint8Array(3);
  Object.defineProperty(disguised, Symbol.toStringTag, { value: 'Float64Array' });
  assert.deepEqual(own.getMany(disguised), Int8Array.of(0, 0, 0));
  const small = new Int8Array(1);
  Object.defineProperty(small, 'length', { value: 100 });
  assert.throws(() => own.getMany(keys, small), { code: 'ERR_ARGUMENT', message: /'out'/ });
  const fake = { length: 3, constructor: Int8Array };
  assert.throws(() => own.getMany(keys, /** @type {any} */ (fake)), { code: 'ERR_ARGUMENT' });
  const gone = new Float64Array(2);
  structuredClone(gone.buffer, { transfer: [gone.buffer] });
  assert.throws(() => own.getMany(gone), { code: 'ERR_STATE', message: /detached/ });
  assert.throws(() => own.getMany(keys, /** @type {any} */ (gone)), { code: 'ERR_ARGUMENT' });
  const lying = compileMap({ keys: new Large([1.5, 2.5]), values: ['a', 'b'] });
  assert.equal(lying.get(2.5), 'b');
});

test('what is no entry or key is refused in one line', () => {
  /** @type {[() => any, RegExp, string?][]} */
  const wrong = [
    [() => compileMap(/** @type {any} */ (5)), /compileMap: expected a Map, an iterable of \[key, value\] or an object for entries, got 5/],
    [() => compileMap(/** @type {any} */ (null)), /for entries, got null/],
    [() => compileMap(/** @type {any} */ ([5])), /\[key, value\] for entry 0, got 5/],
    [() => compileMap(/** @type {any} */ ([[{}, 1]])), /a number, a bigint or a string for key 0/],
    [() => compileMap(/** @type {any} */ ([[1, 1], ['a', 2]])), /a number as the keys before for key 1, got "a"/],
    [() => compileMap([[2n ** 64n, 1]]), /bigints from -2\^63/],
    [() => compileMap([[-1n, 1], [2n ** 63n, 1]]), /got -1n and 9223372036854775808n/],
    [() => compileMap({ keys: [1], values: [1, 2] }), /'keys' has 1 elements and 'values' 2/],
    [() => compileMap(/** @type {any} */ ({ keys: [1], values: 5 })), /an array for 'values', got 5/],
    [() => compileMap([], /** @type {any} */ ({ thread: 1 })), /unknown option 'thread' \(did you mean 'threads'\?\)/],
    [() => compileMap([], { threads: 0 }), /option 'threads'/],
    [() => compileSet(/** @type {any} */ (7)), /an iterable of keys for keys, got 7/],
    [() => compileMap([[1, 2]]).getMany(/** @type {any} */ (7)), /a typed array, an array or a column for keys, got 7/],
    [() => compileMap([[1, 2]]).getMany(/** @type {any} */ (BigInt64Array.of(1n))), /the keys are bigints, those of the map are numbers/, 'ERR_DTYPE'],
    [() => compileMap([['a', 2]]).getMany(/** @type {any} */ (Float64Array.of(1))), /the keys are numbers, those of the map are strings/, 'ERR_DTYPE'],
    [() => compileMap([['a', 2]]).rankMany(/** @type {never} */ (Float64Array.of(1))), /a typed array of strings/],
  ];
  for (const [call, message, code = 'ERR_ARGUMENT'] of wrong) assert.throws(call, { name: 'GraphError', code, message });
});

test('code may not come in with keys', () => {
  const keys = ['"; throw 1; "', '${1}', '\\', '\u2028', '`', '*/', 'constructor', '__proto__'];
  for (let size = 1; size <= keys.length; size++) {
    const map = new Map(keys.slice(0, size).map((key, i) => [key, i]));
    compare(compileMap(map), map, ['toString', '"']);
  }
});
