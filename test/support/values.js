// Elements to try ops on, for every dtype: the values at which implementations tend to differ, and
// random ones.
//
// Everything follows from fixed seeds, so a failure shows up again. Lists are plain arrays of numbers
// (bigints for integers of 64 bits), which `arrayOf` turns into typed arrays.
'use strict';

const { dtypes } = require('graphjit');

/** @typedef {keyof typeof dtypes} DType */
/** @typedef {number | bigint} Element */

const FLOATS = ['f64', 'f32'];
const SIGNED_INTEGERS = ['i64', 'i32', 'i16', 'i8'];
const UNSIGNED_INTEGERS = ['u64', 'u32', 'u16', 'u8'];
const INTEGERS = [...SIGNED_INTEGERS, ...UNSIGNED_INTEGERS];
const NUMERIC = [...FLOATS, ...INTEGERS];
const LOGIC = [...INTEGERS, 'bool'];
const ALL = [...NUMERIC, 'bool'];

const isFloat = (/** @type {string} */ dtype) => dtypes[dtype].kind === 'float';

/** A typed array of the elements; integers wrap into the dtype. @param {string} dtype @param {Iterable<Element>} elements */
function arrayOf(dtype, elements) {
  const { arrayType, big } = dtypes[dtype];
  return arrayType.from(elements, (element) => (big ? BigInt(element) : Number(element)));
}

/** Numbers in [0, 1) by xorshift32. @param {number} seed @returns {() => number} */
function randomOf(seed) {
  let state = (seed * 2654435761 + 1) >>> 0 || 1;
  const step = () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state / 2 ** 32;
  };
  for (let i = 0; i < 8; i++) step(); // neighbouring seeds begin alike
  return step;
}

const commonFloats = [
  0, -0, 1, -1, 2, -2, 3, -3, 0.5, -0.5, 1.5, -1.5, 2.5, -2.5, 0.1, -0.1, Math.PI, -Math.PI / 2, 10, -7, 100.25, 1e-5, -1e-8,
  255.5, -128.5, 65535.75, 1e6, 2 ** 23 + 1, -(2 ** 24 - 0.5), 2 ** 31, -(2 ** 31), 2 ** 32, 2 ** 63, -(2 ** 63), 2 ** 64, 1e30,
  Infinity, -Infinity, NaN,
];
const specialFloats = {
  // The least and the greatest subnormal, the least and the greatest normal number, neighbours of 1.
  f64: [
    5e-324, -5e-324, 2.225073858507201e-308, 2.2250738585072014e-308, -2.2250738585072014e-308, Number.MAX_VALUE,
    -Number.MAX_VALUE, 1 + 2 ** -52, 1 - 2 ** -53, 2 ** 52 + 1, 2 ** 52 - 0.5, 1e300, -1e-300, 4503599627370495.5,
  ],
  f32: [
    2 ** -149, -(2 ** -149), 2 ** -126 - 2 ** -149, 2 ** -126, -(2 ** -126), 2 ** 128 - 2 ** 104, 2 ** 104 - 2 ** 128,
    1 + 2 ** -23, 1 - 2 ** -24, 2 ** 22 + 0.5, 1e38, -1e-38,
  ],
};

/** @param {string} dtype @returns {Element[]} the values worth trying, without random ones */
function specials(dtype) {
  if (dtype === 'bool') return [0, 1];
  if (isFloat(dtype)) return [...commonFloats, ...specialFloats[dtype]];
  const { bytes, min, max } = dtypes[dtype];
  const [least, greatest, width] = [BigInt(min), BigInt(max), BigInt(8 * bytes)];
  const list = [
    0n, 1n, 2n, 3n, 7n, 10n, -1n, -2n, -3n, -7n, width - 1n, width, width + 1n, 31n, 100n, -100n, 127n, 128n, 255n, 256n,
    least, least + 1n, greatest, greatest - 1n, greatest / 3n, greatest / 2n + 1n,
  ];
  return [...new Set(list.filter((element) => element >= least && element <= greatest))];
}

/**
 * Random elements: in turn any bit pattern (floats of all magnitudes, NaNs among them) and numbers of everyday size.
 *
 * @param {string} dtype
 * @param {number} count
 * @param {number} [seed]
 * @returns {Element[]}
 */
function randoms(dtype, count, seed = 1) {
  const random = randomOf(seed);
  const word = () => BigInt(Math.floor(random() * 2 ** 32));
  const bits = new DataView(new ArrayBuffer(8));
  return Array.from({ length: count }, (_, i) => {
    if (dtype === 'bool') return random() < 0.5 ? 0 : 1;
    bits.setBigUint64(0, (word() << 32n) | word(), true);
    if (isFloat(dtype)) {
      if (i % 2 === 1) return (random() - 0.5) * 2 ** Math.floor(random() * 12);
      return dtype === 'f64' ? bits.getFloat64(0, true) : bits.getFloat32(0, true);
    }
    const { bytes, kind } = dtypes[dtype];
    const few = i % 2 === 1 ? BigInt(Math.floor(random() * 40)) - 20n : bits.getBigInt64(0, true);
    return kind === 'int' ? BigInt.asIntN(8 * bytes, few) : BigInt.asUintN(8 * bytes, few);
  });
}

/** Finite numbers of everyday size, for sums. @param {string} dtype @param {number} count @param {number} [seed] */
function moderate(dtype, count, seed = 1) {
  const random = randomOf(seed);
  if (isFloat(dtype)) return Array.from({ length: count }, () => random() * 2 - 0.75);
  return randoms(dtype, count, seed);
}

module.exports = {
  ALL,
  FLOATS,
  INTEGERS,
  LOGIC,
  NUMERIC,
  SIGNED: [...FLOATS, ...SIGNED_INTEGERS],
  SIGNED_INTEGERS,
  UNSIGNED_INTEGERS,
  arrayOf,
  isFloat,
  moderate,
  randomOf,
  randoms,
  specials,
};
