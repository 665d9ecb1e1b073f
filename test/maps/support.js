/**
 * Random keys, and the one comparison that tests of maps make: with a Map.
 */
'use strict';

const assert = require('node:assert/strict');

/** Keys by what they are, each from a source of random numbers and their number. @type {Record<string, (random: () => number, i: number) => any>} */
const KEYS = {
  doubles: (random) => (random() - 0.5) * 10 ** Math.floor(random() * 300),
  'small doubles': (random, i) => i / 8 - 3,
  'integers of 32 bits': (random) => (random() * 2 ** 32) | 0,
  'dense integers': (random, i) => i - 5,
  'large integers': (random) => Math.floor(random() * 2 ** 53),
  'dense large integers': (random, i) => 2 ** 52 + 2 * i,
  'signed bigints': (random) => BigInt.asIntN(64, (BigInt(Math.floor(random() * 2 ** 32)) << 32n) | BigInt(Math.floor(random() * 2 ** 32))),
  'unsigned bigints': (random, i) => 2n ** 64n - 1n - BigInt(i) * 3n,
  'numbered texts': (random, i) => `user-${i}`,
  'random texts': (random) => random().toString(36).slice(2, 3 + random() * 12),
  'texts of any units': (random) => String.fromCharCode(...Array.from({ length: random() * 6 }, () => random() * 65536)),
  'long texts': (random, i) => `${'x'.repeat(200)}${i % 7}${'y'.repeat(300)}${i}${'z'.repeat(100)}`,
};

/** What is in no map above, or only by chance. */
const OTHERS = [0, -0, 1, 1.5, NaN, Infinity, -Infinity, 2 ** 31, -1, 0n, -1n, 2n ** 63n, 2n ** 64n, -(2n ** 63n) - 1n, '', 'user-', '\ud800', '1', null, undefined, {}, true, Symbol('s')];

/**
 * Compares lookups with those of a Map.
 *
 * @param {any} own
 * @param {Map<any, any>} map
 * @param {readonly any[]} probes
 */
function compare(own, map, probes) {
  assert.equal(own.size, map.size);
  const indices = new Map([...map.keys()].map((key, i) => [key, i]));
  for (const key of [...map.keys(), ...probes]) {
    // One assertion for many: messages are made where it fails.
    if (own.has(key) !== map.has(key) || !Object.is(own.get(key), map.get(key)) || own.index(key) !== (indices.get(key) ?? -1)) {
      assert.deepEqual([key, own.has(key), own.get(key), own.index(key)], [key, map.has(key), map.get(key), indices.get(key) ?? -1]);
    }
  }
}

module.exports = { KEYS, OTHERS, compare };
