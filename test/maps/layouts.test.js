/**
 * Layouts that are asked for: each finds what a Map finds, and those that keys cannot have are refused.
 */
'use strict';

const test = require('node:test');
const assert = require('node:assert/strict');
const { compileMap, compileSet } = require('graphjit');
const { generator } = require('../support/generator.js');
const { KEYS, OTHERS, compare } = require('./support.js');

const SPECIAL = {
  numbers: [NaN, -0, Infinity, -Infinity, 2 ** 53, -(2 ** 31), 5e-324],
  integers: [-0, 5, -3, 17, 200, 5],
  'large integers': [2 ** 53 - 1, 2 ** 53 - 3, 2 ** 53 - 20],
  signed: [-(2n ** 63n), 2n ** 63n - 1n, 0n, -1n],
  unsigned: [2n ** 64n - 1n, 2n ** 63n, 0n],
  texts: ['', '\ud800', 'a', '\0', 'a'],
};

/** @type {(keys: readonly any[], layout: any) => void} */
function check(keys, layout) {
  const map = new Map(keys.map((key, i) => [key, i]));
  const own = compileMap({ keys, values: keys.map((_, i) => i) }, { layout, threads: 1 });
  const shown = keys.length === 0 ? 'comparisons' : layout;
  assert.equal(own.explain().layout.split(' ')[0], shown);
  compare(own, map, [...OTHERS, ...keys.map((key) => (typeof key === 'string' ? `${key}x` : typeof key === 'bigint' ? key ^ 1n : key + 1))]);
  const many = typeof keys[0] === 'number' ? Float64Array.from([...keys, -7, 1e9, 0.25]) : undefined;
  if (many) assert.deepEqual(own.getMany(many), Array.from(many, (key) => map.get(key)));
  assert.deepEqual(new Map(own), map);
}

test('hashes of all keys', () => {
  for (const keys of Object.values(SPECIAL)) check(keys, 'hash');
  for (const kind of Object.keys(KEYS)) {
    const random = generator(5);
    for (const size of [0, 1, 2, 7, 128, 129, 1000]) check(Array.from({ length: size }, (_, i) => KEYS[kind](random, i)), 'hash');
  }
});

test('comparisons with up to 64 keys of any kind', () => {
  for (const keys of Object.values(SPECIAL)) check(keys, 'comparisons');
  for (const kind of Object.keys(KEYS)) {
    const random = generator(6);
    for (const size of [0, 1, 2, 3, 31, 64]) check(Array.from({ length: size }, (_, i) => KEYS[kind](random, i)), 'comparisons');
  }
});

test('direct tables of integers, close together or not', () => {
  check(SPECIAL.integers, 'direct');
  check(SPECIAL['large integers'], 'direct');
  const random = generator(7);
  for (const size of [0, 1, 2, 13, 1000]) check(Array.from({ length: size }, () => Math.floor((random() - 0.5) * 1e6)), 'direct');
  for (const kind of ['dense integers', 'dense large integers']) check(Array.from({ length: 500 }, (_, i) => KEYS[kind](random, i)), 'direct');
});

test('layouts that keys cannot have are refused', () => {
  const integers = /option 'layout' is 'direct', and not all keys are numbers that are integers/;
  for (const keys of [[1, 2.5], [NaN], ['a'], [1n], [2 ** 53]]) {
    assert.throws(() => compileSet(/** @type {any} */ (keys), { layout: 'direct' }), { code: 'ERR_ARGUMENT', message: integers });
  }
  assert.throws(() => compileSet([0, 2 ** 40], { layout: 'direct' }), { code: 'ERR_ARGUMENT', message: /compileSet: .* of 1099511627777 places takes/ });
  const many = Array.from({ length: 65 }, (_, i) => [i, i]);
  assert.throws(() => compileMap(/** @type {any} */ (many), { layout: 'comparisons' }), { code: 'ERR_ARGUMENT', message: /compileMap: .* at most 64 keys, and there are 65/ });
  assert.throws(() => compileMap([], /** @type {any} */ ({ layout: 'tree' })), { code: 'ERR_ARGUMENT' });
});

test('long strings are not compared thousands of times to choose', () => {
  const long = 'x'.repeat(1e6);
  const { layout, candidates } = compileSet([long, `${long}y`, `y${long}`]).explain();
  assert.deepEqual([layout.startsWith('hash'), candidates.length], [true, 0]);
});

test('changes keep the layout, and those that it has no room for are refused', async () => {
  const own = compileMap(Array.from({ length: 1000 }, (_, i) => [2 * i, i]), { layout: 'direct' });
  own.update(Array.from({ length: 600 }, (_, i) => [2 * i + 1, -i]));
  await own.settled;
  assert.deepEqual([own.explain().layout, own.explain().changes, own.get(7)], ['direct', 0, -3]);
  assert.throws(() => own.update([[0.5, 1]]), { code: 'ERR_ARGUMENT', message: /update: option 'layout' is 'direct'/ });
  assert.throws(() => own.update([[2 ** 40, 1]]), { code: 'ERR_ARGUMENT', message: /places takes/ });
  assert.deepEqual([own.size, own.has(0.5)], [1600, false]);
  const few = compileSet(Array.from({ length: 60 }, (_, i) => `key ${i}`), { layout: 'comparisons' });
  few.update(['a', 'b', 'c', 'd', 'key 3']);
  assert.throws(() => few.update(['e']), { code: 'ERR_ARGUMENT', message: /at most 64/ });
  assert.deepEqual([few.rank('a'), few.explain().layout, few.size], [0, 'comparisons', 64]);
  few.update(['e'], { remove: ['a'] });
  few.update(['f'], { remove: ['f'] });
  assert.deepEqual([few.size, few.has('e'), few.has('a')], [64, true, false]);
  const three = compileSet(Array.from({ length: 200 }, (_, i) => i % 3), { layout: 'comparisons' });
  assert.deepEqual([three.size, three.explain().layout], [3, 'comparisons']);
  own.update([[2 ** 25, 1]], { remove: [0.5, NaN, 2 ** 40] });
  own.update([[-(2 ** 25), 2]], { remove: [2 ** 25] });
  assert.deepEqual([own.get(2 ** 25), own.get(-(2 ** 25)), own.size], [undefined, 2, 1601]);
  const empty = compileMap([], { layout: 'direct' });
  assert.throws(() => empty.update(/** @type {any} */ ([[1n, 1]])), { code: 'ERR_ARGUMENT', message: /integers/ });
  empty.update(/** @type {any} */ ([[4, 'x']]));
  assert.deepEqual([...empty.entries(), empty.explain().layout], [[4, 'x'], 'direct']);
});

test('what is exported is by a rule, whatever was measured', () => {
  const keys = Int32Array.from({ length: 400 }, (_, i) => 3 * i);
  const values = Float64Array.from(keys);
  const bytes = (/** @type {any} */ options) => compileMap({ keys, values }, options).toObject();
  assert.deepEqual(bytes({}), bytes({ layout: 'direct' }));
  const sparse = keys.map((key) => 4 * key);
  const of = (/** @type {any} */ options) => compileMap({ keys: sparse, values }, options).toObject();
  assert.deepEqual(of({}), of({ layout: 'hash' }));
});
