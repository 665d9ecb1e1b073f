/**
 * The half types in JavaScript: f16 and bf16 are Uint16Arrays of bits, since most engines have no typed
 * array of 16-bit floats. Here bits become numbers, and numbers the nearest bits: ties to even,
 * subnormals kept, overflow to infinity.
 *
 * A number is rounded to odd first: to a float of 32 bits next to it whose last bit is set, unless it is
 * one itself. That has 13 digits more than a half, so rounding it again is rounding once.
 */
'use strict';

/** @typedef {{ digits: number, decode: (bits: number) => number, encode: (value: number) => number }} Half */

const single = new Float32Array(1);
const word = new Int32Array(single.buffer);

const SIZE = 0x7fffffff;
const INFINITY = 0x7f800000;

/** Every finite f16 is a whole number of the least one. */
const LEAST = 2 ** -24;

/** @type {(value: number) => number} the bits of the float that stands for it */
function rounded(value) {
  single[0] = value;
  const near = single[0];
  if (near === value || Number.isNaN(value)) return word[0];
  return (Math.abs(near) > Math.abs(value) ? word[0] - 1 : word[0]) | 1;
}

/** Drops bits, to nearest even. @type {(bits: number, count: number) => number} */
const shortened = (bits, count) => (bits + 2 ** (count - 1) - 1 + ((bits >>> count) & 1)) >>> count;

/** @type {Half} */
const f16 = {
  digits: 11,
  decode(bits) {
    const exponent = (bits >> 10) & 31;
    const fraction = bits & 1023;
    const above = fraction === 0 ? Infinity : NaN;
    const size = exponent === 31 ? above : exponent === 0 ? fraction * LEAST : (1024 + fraction) * 2 ** (exponent - 25);
    return bits >> 15 ? -size : size;
  },
  encode(value) {
    const bits = rounded(value);
    const sign = (bits >>> 16) & 0x8000;
    const size = bits & SIZE;
    if (size > INFINITY) return sign | 0x7e00;
    if (size >= 0x38800000) return sign | Math.min(shortened(size - 0x38000000, 13), 0x7c00);
    // Below 2^-14: added to 0.5, the low bits of the sum are the result.
    word[0] = size;
    single[0] += 0.5;
    return sign | (word[0] - 0x3f000000);
  },
};

/** @type {Half} */
const bf16 = {
  digits: 8,
  decode(bits) {
    word[0] = bits << 16;
    return single[0];
  },
  encode(value) {
    const bits = rounded(value);
    if ((bits & SIZE) > INFINITY) return (bits >>> 16) | 0x40;
    return ((bits >>> 16) & 0x8000) | shortened(bits & SIZE, 16);
  },
};

/**
 * A bigint as a number that rounds to a half as the bigint does: where digits are lost, the last one left
 * says so.
 *
 * @type {(value: bigint) => number}
 */
function oddNumber(value) {
  const size = value < 0n ? -value : value;
  const lost = size.toString(2).length - 53;
  if (lost <= 0) return Number(value);
  const kept = (size >> BigInt(lost)) << BigInt(lost);
  const odd = kept === size ? kept : kept | (1n << BigInt(lost));
  return Number(value < 0n ? -odd : odd);
}

/** By the names of their dtypes. @type {Readonly<Record<string, Half | undefined>>} */
const halves = Object.freeze({ f16, bf16 });

/**
 * The numbers that elements mean: of halves the floats, else the elements themselves.
 *
 * @type {(elements: { data: any, dtype: string }) => any}
 */
function numbersOf({ data, dtype }) {
  const half = halves[dtype];
  return half === undefined ? data : Float32Array.from(data, half.decode);
}

module.exports = { halves, numbersOf, oddNumber };
