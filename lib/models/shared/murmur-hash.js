/**
 * MurmurHash3 for 32 bits (Appleby, public domain): of strings in JavaScript, of numbers as ops of a graph on whole
 * words.
 */
'use strict';

const [FIRST, SECOND, ADDED] = [0xcc9e2d51, 0x1b873593, 0xe6546b64];
/** What the last steps shift and multiply by. */
const FINAL = /** @type {const} */ ([[16, 0x85ebca6b], [13, 0xc2b2ae35]]);

/** @type {(x: number, count: number) => number} */
const turned = (x, count) => (x << count) | (x >>> (32 - count));

/** @type {(word: number) => number} */
const scrambled = (word) => Math.imul(turned(Math.imul(word, FIRST), 15), SECOND);

/**
 * @param {Uint8Array} bytes
 * @param {number} seed
 * @returns {number} from 0 to 2^32 - 1
 */
function hashOfBytes(bytes, seed) {
  const whole = bytes.length & ~3;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let hash = seed;
  for (let at = 0; at < whole; at += 4) {
    hash = (Math.imul(turned(hash ^ scrambled(view.getInt32(at, true)), 13), 5) + ADDED) | 0;
  }
  const rest = bytes.subarray(whole).reduce((word, byte, i) => word | (byte << (8 * i)), 0);
  hash ^= scrambled(rest) ^ bytes.length;
  for (const [shift, factor] of FINAL) hash = Math.imul(hash ^ (hash >>> shift), factor);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** @type {(x: any, count: number) => any} the same of a value */
const rotated = (x, count) => x.shl(count).or(x.shr(32 - count));

/**
 * @param {any} x integers or floats of 4 or 8 bytes
 * @param {number} seed
 * @returns {any} u32
 */
function hashOfNumbers(x, seed) {
  const isLong = x.dtype.endsWith('64');
  const bits = x.bitcast(isLong ? 'u64' : 'u32');
  const words = isLong ? [bits.and(0xffffffff), bits.shr(32)].map((word) => word.astype('u32')) : [bits];
  const mixed = words.reduce((hash, word) => {
    const own = rotated(word.mul(FIRST), 15).mul(SECOND);
    return rotated(hash === undefined ? own.xor(seed) : hash.xor(own), 13).mul(5).add(ADDED);
  }, undefined);
  const started = mixed.xor(4 * words.length);
  const last = FINAL.reduce((hash, [shift, factor]) => hash.xor(hash.shr(shift)).mul(factor), started);
  return last.xor(last.shr(16));
}

module.exports = { hashOfBytes, hashOfNumbers };
