/**
 * Random elements for inputs nobody has data for: the same ones for the same seed and name of an input.
 *
 * Floats are spread evenly over [0, 1), where all elementary functions are defined or end in infinity;
 * whole numbers over 0 to 99, which every dtype holds; bools are either.
 */
'use strict';

/** @typedef {import('../tensor/dtypes.js').DTypeInfo} DTypeInfo */

/** @type {(name: string) => number} FNV-1a */
function hashOf(name) {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(name)) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash >>> 0;
}

/** @type {(state: number) => () => number} whole numbers of 32 bits (splitmix32) */
function generator(state) {
  let s = state >>> 0;
  return () => {
    s = (s + 0x9e3779b9) >>> 0;
    let z = s ^ (s >>> 16);
    z = Math.imul(z, 0x21f0aaad);
    z = Math.imul(z ^ (z >>> 15), 0x735a2d97);
    return (z ^ (z >>> 15)) >>> 0;
  };
}

/**
 * Fills an array of the dtype's class.
 *
 * @param {any} data
 * @param {DTypeInfo} info
 * @param {string} name of the input
 * @param {number} seed
 */
function fillRandom(data, { kind, big, bytes, half }, name, seed) {
  const next = generator(hashOf(name) ^ Math.imul(seed + 1, 0x85ebca6b));
  // 24 or 53 bits, so that rounding never makes a 1.
  const single = () => (next() >>> 8) / 2 ** 24;
  const double = () => ((next() >>> 5) * 2 ** 26 + (next() >>> 6)) / 2 ** 53;
  const range = kind === 'bool' ? 2 : 100;
  const whole = () => Math.floor((next() / 2 ** 32) * range);
  const element = kind === 'float' ? (bytes === 8 ? double : single) : whole;
  // Cut to the digits of halves, for the same reason.
  const cut = (/** @type {number} */ value, /** @type {number} */ steps) => Math.floor(value * steps) / steps;
  const stored = half === undefined ? element : () => half.encode(cut(element(), 2 ** half.digits));
  for (let i = 0; i < data.length; i++) data[i] = big ? BigInt(stored()) : stored();
}

module.exports = { fillRandom };
