/**
 * Tensors as text, laid out as NumPy lays out arrays.
 *
 * Floats show the shortest digits that read back as the same value, at most 8 after the point, padded
 * so that the points stand in one column; all of them switch to exponents when the largest magnitude is
 * 1e8 or more, the smallest other than 0 is below 1e-4, or the two are more than a factor of 1000
 * apart. Lines break before column 75. More than 1000 elements are summarised: three at each end of
 * every axis, '...' between. A tensor of rank 0 shows all its digits.
 *
 * One thing differs from NumPy: bool prints true and false, as JavaScript writes them. Where versions
 * differ this follows NumPy 2.0 to 2.2: the f32 nearest to 1e-4 needs no exponent (in 1.x it does), and
 * f32 switches at 1e8 as f64 does (from 2.3 on at 1e6).
 */
'use strict';

const { NEAREST, decimal } = require('./decimal.js');
const { halves } = require('./halves.js');

const LINE_WIDTH = 75;
const EDGE_ITEMS = 3;
const SUMMARISE_ABOVE = 1000;
const PRECISION = 8;

/** @typedef {(value: any) => string} Formatter */

/**
 * @typedef {object} Printable
 * @property {ArrayLike<number | bigint>} data
 * @property {string} dtype
 * @property {readonly number[]} shape
 * @property {readonly number[]} strides
 * @property {number} offset
 * @property {number} size
 */

/** @type {(value: number) => string} */
const signOf = (value) => (value < 0 || Object.is(value, -0) ? '-' : '');

/**
 * @param {number} value finite
 * @param {string} dtype
 * @param {number} precision most digits after the point; Infinity for all that tell the value apart
 * @returns {[whole: string, fraction: string]}
 */
function positional(value, dtype, precision) {
  const most = (/** @type {number} */ point) => Math.max(1, point + precision);
  // In a column even the digits before the point are true ones; alone, shortest ones are.
  const least = (/** @type {number} */ point) => (precision === Infinity ? 0 : point);
  const { digits, point } = decimal(value, dtype, most, least);
  const padded = digits.padEnd(point, '0');
  if (point > 0) return [signOf(value) + padded.slice(0, point), padded.slice(point)];
  return [`${signOf(value)}0`, '0'.repeat(-point) + padded];
}

/**
 * @param {number} value finite
 * @param {string} dtype
 * @param {number} precision most digits after the point
 * @param {number} [filled] digits after the point that must be true ones
 * @returns {[whole: string, fraction: string, exponent: string]} the exponent with its sign
 */
function scientific(value, dtype, precision, filled = 0) {
  const { digits, point } = decimal(value, dtype, () => 1 + precision, () => 1 + filled);
  const exponent = point - 1;
  const power = String(Math.abs(exponent)).padStart(2, '0');
  return [signOf(value) + digits[0], digits.slice(1), (exponent < 0 ? '-' : '+') + power];
}

/** @type {(value: number) => string} */
function specialText(value) {
  return Number.isNaN(value) ? 'nan' : `${value < 0 ? '-' : ''}inf`;
}

/** @type {(texts: readonly string[]) => number} */
const longest = (texts) => texts.reduce((length, text) => Math.max(length, text.length), 0);

/**
 * @param {readonly number[]} magnitudes finite, without zeros
 * @param {string} dtype whose values ratios and limits are as well
 * @returns {boolean}
 */
function needsExponents(magnitudes, dtype) {
  if (magnitudes.length === 0) return false;
  const round = NEAREST[dtype] ?? Number;
  const max = magnitudes.reduce((a, b) => Math.max(a, b));
  const min = magnitudes.reduce((a, b) => Math.min(a, b));
  return max >= 1e8 || min < round(1e-4) || round(max / min) > 1000;
}

/**
 * The format that all shown floats of one tensor share.
 *
 * @param {readonly number[]} values
 * @param {string} dtype
 * @returns {Formatter}
 */
function floatFormatter(values, dtype) {
  const finite = values.filter(Number.isFinite);
  const magnitudes = finite.map(Math.abs).filter((value) => value !== 0);
  const exponents = needsExponents(magnitudes, dtype);
  const parts = finite.map((value) =>
    exponents ? scientific(value, dtype, PRECISION) : [...positional(value, dtype, PRECISION), ''],
  );
  const fractionWidth = longest(parts.map(([, fraction]) => fraction));
  const powerWidth = longest(parts.map(([, , power]) => power));
  const right = fractionWidth + (exponents ? 1 + powerWidth : 0);
  const specials = values.filter((value) => !Number.isFinite(value)).map(specialText);
  const wholeWidth = longest(parts.map(([whole]) => whole));
  const left = Math.max(wholeWidth, longest(specials) - right - 1);

  return (value) => {
    if (!Number.isFinite(value)) return specialText(value).padStart(left + 1 + right);
    if (!exponents) {
      const [whole, fraction] = positional(value, dtype, PRECISION);
      return `${whole.padStart(left)}.${fraction.padEnd(fractionWidth)}`;
    }
    const [whole, fraction, power] = scientific(value, dtype, PRECISION, fractionWidth);
    const wide = power[0] + power.slice(1).padStart(powerWidth - 1, '0');
    return `${whole.padStart(left)}.${fraction.padEnd(fractionWidth, '0')}e${wide}`;
  };
}

/** @type {(value: number, dtype: string) => string} */
function floatScalar(value, dtype) {
  if (!Number.isFinite(value)) return specialText(value);
  const magnitude = Math.abs(value);
  if (magnitude === 0 || (magnitude >= 1e-4 && magnitude < 1e16)) {
    const [whole, fraction] = positional(value, dtype, Infinity);
    return `${whole}.${fraction || '0'}`;
  }
  const [whole, fraction, power] = scientific(value, dtype, Infinity);
  return `${whole}${fraction && '.'}${fraction}e${power}`;
}

/**
 * @param {string} dtype
 * @param {readonly any[]} values the elements that will be shown
 * @param {boolean} scalar
 * @returns {Formatter}
 */
function formatterFor(dtype, values, scalar) {
  if (dtype === 'bool') return (value) => String(value !== 0).padStart(scalar ? 0 : 5);
  if (dtype !== 'f64' && NEAREST[dtype] === undefined) {
    const width = longest(values.map(String));
    return (value) => String(value).padStart(width);
  }
  return scalar ? (value) => floatScalar(value, dtype) : floatFormatter(values, dtype);
}

/**
 * The positions of an axis that are shown, with null for the gap.
 *
 * @param {number} length
 * @param {boolean} summarise
 * @returns {(number | null)[]}
 */
function shownPositions(length, summarise) {
  const all = !summarise || length <= 2 * EDGE_ITEMS;
  if (all) return Array.from({ length }, (_, i) => i);
  const edge = Array.from({ length: EDGE_ITEMS }, (_, i) => i);
  return [...edge, null, ...edge.map((i) => length - EDGE_ITEMS + i)];
}

/**
 * Words side by side, broken into lines.
 *
 * @param {readonly string[]} words
 * @param {string} indent before every line
 * @param {number} width
 * @returns {string} without the first indent
 */
function fillLines(words, indent, width) {
  const lines = [];
  let line = indent;
  for (const word of words) {
    if (line.length > indent.length && line.length + word.length > width) {
      lines.push(line.trimEnd());
      line = indent;
    }
    line += `${word} `;
  }
  lines.push(line.slice(0, -1));
  return lines.join('\n').slice(indent.length);
}

/**
 * @param {Printable} tensor
 * @returns {string} one or more lines, without a newline at the end
 */
function formatTensor({ data, dtype, shape, strides, offset, size }) {
  if (size === 0) return '[]';
  const rank = shape.length;
  const summarise = size > SUMMARISE_ABOVE;
  const positions = shape.map((length) => shownPositions(length, summarise));

  const half = halves[dtype];
  /** @type {(at: number) => number | bigint} */
  const valueAt = (at) => (half === undefined ? data[at] : half.decode(Number(data[at])));

  /** @type {(axis: number, at: number) => (number | bigint)[]} */
  const collect = (axis, at) => {
    if (axis === rank) return [valueAt(at)];
    return positions[axis].flatMap((i) => (i === null ? [] : collect(axis + 1, at + i * strides[axis])));
  };
  const format = formatterFor(dtype, collect(0, offset), rank === 0);

  /** @type {(axis: number, at: number) => string} */
  const layout = (axis, at) => {
    if (axis === rank) return format(valueAt(at));
    const items = positions[axis].map((i) => (i === null ? '...' : layout(axis + 1, at + i * strides[axis])));
    const indent = ' '.repeat(axis + 1);
    // Each open bracket costs one column, and one stays free for the closing bracket.
    if (axis === rank - 1) return `[${fillLines(items, indent, LINE_WIDTH - axis - 1)}]`;
    return `[${items.join('\n'.repeat(rank - 1 - axis) + indent)}]`;
  };
  return layout(0, offset);
}

module.exports = { formatTensor };
