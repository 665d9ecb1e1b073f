/**
 * Random numbers of evolution: a function of a key and a counter, in 32-bit integers, so that compiled code and
 * JavaScript have the same, and the stream of an individual depends on nothing but seed, generation and its number.
 *
 * The mixing function is lowbias32 of Chris Wellons' search for integer hashes (2018), applied twice under two keys.
 */
'use strict';

const { integer } = require('../../base/check.js');

/** @param {number} x @returns {number} a u32 */
function mix(x) {
  x = Math.imul(x ^ (x >>> 16), 0x7feb352d);
  x = Math.imul(x ^ (x >>> 15), 0x846ca68b);
  return (x ^ (x >>> 16)) >>> 0;
}

/**
 * Draw number `counter` of a stream, a u32.
 *
 * @param {number} key
 * @param {number} counter
 */
function bits(key, counter) {
  return mix((mix((Math.imul(counter, 0x9e3779b9) + key) | 0) ^ Math.imul(key, 0x85ebca6b)) | 0);
}

/**
 * The same as a number in (0, 1).
 *
 * @param {number} key
 * @param {number} counter
 */
function draw(key, counter) {
  return (bits(key, counter) + 0.5) / 4294967296;
}

/** A seed of 32 bits; of one that is below 0, or longer, all bits count. @type {(value: unknown, which: string, caller: string) => number} an i32 */
function readSeed(value, which, caller) {
  const seed = integer()(value, which, caller);
  const high = Math.floor(seed / 2 ** 32);
  return high === 0 ? seed | 0 : (mix(high) ^ seed) | 0;
}

/**
 * The key of a stream.
 *
 * @param {number} seed
 * @param {number} generation
 * @param {number} index
 */
function keyOf(seed, generation, index) {
  return mix((mix((mix(seed | 0) + generation) | 0) + index) | 0) | 0;
}

/** A normal number of two uniform ones (Box and Muller, 1958). @param {number} a @param {number} b */
function normal(a, b) {
  return Math.sqrt(-2 * Math.log(a)) * Math.cos(2 * Math.PI * b);
}

/** One stream for JavaScript. */
class Stream {
  #key;
  #counter;

  /** @param {number} seed @param {number} generation @param {number} index @param {number} [counter] draws that were made */
  constructor(seed, generation, index, counter = 0) {
    this.#key = keyOf(seed, generation, index);
    this.#counter = counter;
  }

  /** In (0, 1). */
  next() {
    return draw(this.#key, this.#counter++);
  }

  /** An integer from 0 up to but not n. @param {number} n */
  below(n) {
    return Math.floor(this.next() * n);
  }

  normal() {
    return normal(this.next(), this.next());
  }
}

module.exports = { Stream, bits, draw, keyOf, mix, normal, readSeed };
