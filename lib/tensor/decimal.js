/**
 * Floats in decimal digits: the shortest that read back as the same value, or a given number of them.
 *
 * The engine gives shortest digits for f64 only and takes halves up when it rounds, while printed arrays
 * take them to even; so both are built here on its exact conversion to 101 digits.
 */
'use strict';

const { halves } = require('./halves.js');

const { f16, bf16 } = /** @type {Record<'f16' | 'bf16', import('./halves.js').Half>} */ (halves);

/**
 * A finite float other than 0 in decimal: 0.d1d2d3… × 10^point, without trailing zeros.
 *
 * @typedef {{ digits: string, point: number }} Decimal
 */

/** @type {Decimal} */
const ZERO = Object.freeze({ digits: '0', point: 1 });

/**
 * What a number is rounded to in floats that are shorter than those of JavaScript.
 *
 * @type {Readonly<Record<string, ((value: number) => number) | undefined>>}
 */
const NEAREST = Object.freeze({
  f32: Math.fround,
  f16: (value) => f16.decode(f16.encode(value)),
  bf16: (value) => bf16.decode(bf16.encode(value)),
});

/** @type {(text: string) => Decimal} from the form d.ddde±x */
function parseExponential(text) {
  const [mantissa, exponent] = text.split('e');
  const digits = mantissa.replace('.', '').replace(/0+$/, '');
  return { digits, point: Number(exponent) + 1 };
}

/** @type {(value: number) => Decimal} enough digits to know a half when there is one */
const allDigits = (value) => parseExponential(value.toExponential(100));

/**
 * A decimal rounded to a number of digits, halves to even.
 *
 * @param {Decimal} decimal
 * @param {number} count digits to keep, at least 1
 * @returns {Decimal}
 */
function rounded({ digits, point }, count) {
  const kept = digits.slice(0, count);
  const rest = digits.slice(count);
  const odd = Number(kept[kept.length - 1]) % 2 === 1;
  const up = rest[0] > '5' || (rest[0] === '5' && (rest.length > 1 || odd));
  return up ? above(kept, point) : { digits: kept.replace(/0+$/, ''), point };
}

/** @type {(digits: string, point: number) => Decimal} one more in the last place */
function above(digits, point) {
  const next = String(BigInt(digits) + 1n);
  return { digits: next.replace(/0+$/, ''), point: point + next.length - digits.length };
}

/**
 * The shortest decimal that rounds to `value` in its dtype.
 *
 * @param {number} value positive and finite
 * @param {string} dtype of floats
 * @returns {Decimal}
 */
function shortest(value, dtype) {
  const nearest = NEAREST[dtype];
  if (nearest === undefined) return parseExponential(value.toExponential());
  const all = allDigits(value);
  /** @type {(decimal: Decimal) => boolean} */
  const readsBack = ({ digits, point }) => nearest(Number(`0.${digits}e${point}`)) === value;
  for (let count = 1; ; count++) {
    const near = rounded(all, count);
    if (readsBack(near)) return near;
    // Above a power of two floats are twice as far apart as below: for a few of them the nearest
    // decimal is one float too low while the next one up is close enough.
    const next = above(near.digits.padEnd(count, '0'), near.point);
    if (readsBack(next)) return next;
  }
}

/**
 * @param {number} value finite
 * @param {string} dtype of floats
 * @param {(point: number) => number} most digits to show, at least 1; longer decimals are rounded
 * @param {(point: number) => number} least true digits; shorter decimals are continued with the digits
 *   of the value itself, which for shorter floats and for the smallest f64 are not always zeros
 * @returns {Decimal} of the magnitude of the value
 */
function decimal(value, dtype, most, least) {
  if (value === 0) return ZERO;
  const magnitude = Math.abs(value);
  const exact = shortest(magnitude, dtype);
  const [low, high] = [least(exact.point), most(exact.point)];
  if (exact.digits.length < low) return rounded(allDigits(magnitude), low);
  return exact.digits.length <= high ? exact : rounded(allDigits(magnitude), high);
}

module.exports = { NEAREST, decimal };
