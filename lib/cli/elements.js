/**
 * Elements as text: what CSV and JSON files and command lines say for one number.
 *
 * Whole numbers of 64 bits keep all digits; a number that its dtype cannot hold is refused, never
 * rounded or wrapped, but for the rounding that floats are for.
 */
'use strict';

const { NEAREST } = require('../tensor/decimal.js');

/** @typedef {import('../tensor/dtypes.js').DTypeInfo} DTypeInfo */
/** @typedef {number | bigint} Element */

const FLOAT = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
const SPECIAL = /^([+-]?)(nan|inf|infinity)$/i;
const WHOLE = /^[+-]?\d+$/;

/** @type {(text: string) => number | undefined} */
function floatOf(text) {
  if (FLOAT.test(text)) return Number(text);
  const special = SPECIAL.exec(text);
  if (!special) return undefined;
  if (special[2].toLowerCase() === 'nan') return NaN;
  return special[1] === '-' ? -Infinity : Infinity;
}

/** @type {(text: string) => bigint | undefined} also "3.0" and "1e3", which tools write for whole numbers */
function wholeOf(text) {
  if (WHOLE.test(text)) return BigInt(text);
  const value = floatOf(text);
  return value !== undefined && Number.isSafeInteger(value) ? BigInt(value) : undefined;
}

/** @type {Readonly<Record<string, Element>>} */
const TRUTHS = Object.freeze({ true: 1, false: 0, True: 1, False: 0, TRUE: 1, FALSE: 0, 1: 1, 0: 0 });

/** @type {(text: string) => boolean} whether a text is an element of any dtype */
const isElement = (text) => floatOf(text) !== undefined || Object.hasOwn(TRUTHS, text);

/** @type {(info: DTypeInfo) => string} */
function rangeText({ name, kind, min, max }) {
  if (kind === 'float') return `a number for ${name}`;
  return kind === 'bool' ? 'true, false, 0 or 1' : `a whole number from ${min} to ${max} for ${name}`;
}

/** @type {(text: string) => string} */
const quoted = (text) => (text.length > 40 ? `'${text.slice(0, 37)}...'` : `'${text}'`);

/**
 * @param {string} text without blanks around it
 * @param {DTypeInfo} info
 * @param {(message: string) => never} fail
 * @returns {Element}
 */
function elementOf(text, info, fail) {
  const value = info.kind === 'float' ? floatOf(text) : info.kind === 'bool' ? TRUTHS[text] : wholeOf(text);
  const holds = value !== undefined && (info.kind === 'float' || (value >= info.min && value <= info.max));
  if (!holds) return fail(`expected ${rangeText(info)}, got ${quoted(text)}`);
  return info.big || info.kind === 'float' ? value : Number(value);
}

/** @type {(value: Element, dtype: string) => string} the shortest text that reads back as the same value */
function textOfElement(value, dtype) {
  if (typeof value === 'bigint') return String(value);
  if (Object.is(value, -0)) return '-0';
  const nearest = NEAREST[dtype];
  if (nearest === undefined || !Number.isFinite(value) || value === 0) return String(value);
  // Of shorter floats the shortest digits that round to them, not those of the double beside them.
  for (let digits = 1; digits < 9; digits++) {
    const short = Number(value.toPrecision(digits));
    if (nearest(short) === value) return String(short);
  }
  return String(Number(value.toPrecision(9)));
}

module.exports = { elementOf, isElement, textOfElement };
