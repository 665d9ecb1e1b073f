/**
 * Changes of maps: what changed is found first, and laid out anew in the background.
 */
'use strict';

const test = require('node:test');
const assert = require('node:assert/strict');
const { compileMap, compileSet } = require('graphjit');
const { throwsGraphError } = require('../support/errors.js');
const { generator } = require('../support/generator.js');
const { KEYS } = require('./support.js');

/** @type {(own: any, map: Map<any, any>, probes: readonly any[]) => void} */
function same(own, map, probes) {
  assert.equal(own.size, map.size);
  for (const key of probes) assert.deepEqual([own.get(key), own.has(key)], [map.get(key), map.has(key)], String(key));
}

for (const kind of ['doubles', 'dense integers', 'signed bigints', 'numbered texts']) {
  test(`random changes of maps of ${kind}`, async () => {
    const random = generator(7);
    const keys = Array.from({ length: 4000 }, (_, i) => KEYS[kind](random, i));
    const map = new Map(keys.slice(0, 1500).map((key, i) => [key, i]));
    const own = compileMap(map);
    for (let round = 0; round < 12; round++) {
      const changed = Array.from({ length: 1 + random() * 120 }, () => keys[Math.floor(random() * keys.length)]);
      const removed = Array.from({ length: random() * 60 }, () => keys[Math.floor(random() * keys.length)]);
      own.update(changed.map((key, i) => [key, round * 1000 + i]), { remove: removed });
      changed.forEach((key, i) => map.set(key, round * 1000 + i));
      for (const key of removed) map.delete(key);
      same(own, map, keys);
      if (round % 4 === 3) await own.settled;
      same(own, map, keys);
      assert.deepEqual(own.getMany(keys), keys.map((key) => map.get(key)));
    }
    assert.deepEqual(new Map(own), map);
    assert.equal(own.explain().changes, 0);
    assert.equal(own.index([...own.keys()][5]), 5);
  });
}

test('many changes are laid out in the background, those meanwhile stay', async () => {
  const own = compileMap(Array.from({ length: 3000 }, (_, i) => [i + 0.5, i]));
  own.update(Array.from({ length: 2000 }, (_, i) => [i + 0.25, -i]));
  assert.equal(own.explain().changes, 2000);
  own.update([[0.25, 'again'], [7.75, 'new']], { remove: [0.5] });
  await own.settled;
  assert.deepEqual([own.size, own.get(0.25), own.get(7.75), own.get(0.5), own.get(1.25)], [5000, 'again', 'new', undefined, -1]);
  assert.ok(own.explain().changes < 2000);
});

test('values stay typed, sets stay sets, an empty map takes any keys', async () => {
  const own = compileMap({ keys: Float64Array.of(1.5, 2.5), values: Int8Array.of(1, 2) });
  own.update([[3.5, 3]]);
  assert.deepEqual(own.getMany(Float64Array.of(3.5, 1.5, 0)), Int8Array.of(3, 1, 0));
  const set = compileSet(['a']);
  set.update(['b'], { remove: ['a'] });
  assert.deepEqual([...set], ['b']);
  const empty = compileMap([]);
  empty.update([['x', 1]]);
  assert.equal(empty.get('x'), 1);
  empty.update([], { remove: ['x'] });
  assert.deepEqual([empty.size, empty.get('x')], [0, undefined]);
});

test('values are elements of the class that they came in', () => {
  const bytes = compileMap({ keys: [1, 2], values: Uint8Array.of(1, 2) });
  for (const value of [300, 1.5, -1, NaN, 'x', 1n]) throwsGraphError(() => bytes.update([[3, value]]), 'ERR_ARGUMENT', /expected/);
  assert.equal(bytes.get(3), undefined);
  bytes.update([[3, 255]]);
  assert.deepEqual([bytes.get(3), ...bytes.getMany([3, 1])], [255, 255, 1]);
  const bigints = compileMap({ keys: [1], values: BigInt64Array.of(1n) });
  throwsGraphError(() => bigints.update([[3, 3]]), 'ERR_ARGUMENT', /expected a bigint/);
  const floats = compileMap({ keys: [1], values: Float32Array.of(1) });
  floats.update([[3, 0.1]]);
  assert.deepEqual([floats.get(3), ...floats.getMany([3])], [Math.fround(0.1), Math.fround(0.1)]);
  const options = { missing: 300 };
  throwsGraphError(() => compileMap({ keys: [1], values: Uint8Array.of(1) }, options).getMany([2]), 'ERR_ARGUMENT', /an element of Uint8Array/);
  throwsGraphError(() => floats.update([], { remove: '13' }), 'ERR_ARGUMENT', /an iterable of keys/);
});

test('keys of another type are refused, and nothing changes', () => {
  const own = compileMap([['a', 1]]);
  assert.throws(() => own.update(/** @type {any} */ ([[1, 2]])), { code: 'ERR_ARGUMENT', message: /a string, as keys are/ });
  assert.throws(() => own.update([['b', 1]], /** @type {any} */ ({ remove: [1] })), { code: 'ERR_ARGUMENT' });
  assert.throws(() => own.update([], /** @type {any} */ ({ remove: 5 })), { code: 'ERR_ARGUMENT', message: /an iterable of keys/ });
  assert.equal(own.get('b'), undefined);
  const bigs = compileMap([[-1n, 1]]);
  assert.throws(() => bigs.update([[2n ** 63n, 2]]), { code: 'ERR_ARGUMENT', message: /got -1n and 9223372036854775808n/ });
  assert.throws(() => compileSet([]).update(/** @type {any} */ (['a', 1])), { code: 'ERR_ARGUMENT' });
  own.update([['b', 2]]);
  own.dispose();
  assert.throws(() => own.get('b'), { code: 'ERR_STATE' });
});
