/**
 * The dtype that operands of an op have in common, by the rules of PyTorch.
 *
 * Kinds go before sizes: bool, then integers, then floats. Among tensors with axes, tensors without, and numbers, the
 * first decide unless a later one is of a higher kind; a float number beside integers makes f32.
 */
'use strict';

const { fail } = require('../../base/errors.js');
const { isTensor, kindOf } = require('./values.js');

/** @typedef {import('../../tensor/dtypes.js').DType} DType */

/** @type {(dtype: string) => number} */
const rankOf = (dtype) => (dtype === 'bool' ? 0 : /^[iu]/.test(dtype) ? 1 : 2);
/** @type {(dtype: string) => number} */
const bitsOf = (dtype) => Number(/\d+$/.exec(dtype)?.[0] ?? 1);

/** @type {(a: DType, b: DType) => DType} */
function promote(a, b) {
  if (a === b) return a;
  const [low, high] = rankOf(a) <= rankOf(b) ? [a, b] : [b, a];
  if (rankOf(low) < rankOf(high)) return high;
  if (rankOf(a) === 2) return bitsOf(a) === bitsOf(b) ? 'f32' : bitsOf(a) > bitsOf(b) ? a : b;
  if (a[0] === b[0]) return bitsOf(a) > bitsOf(b) ? a : b;
  const [signed, unsigned] = a[0] === 'i' ? [a, b] : [b, a];
  if (bitsOf(signed) > bitsOf(unsigned)) return signed;
  if (bitsOf(unsigned) === 64) return fail('ERR_DTYPE', `${a} and ${b} have no common dtype`);
  return /** @type {DType} */ (`i${bitsOf(unsigned) * 2}`);
}

/** @type {Readonly<Record<string, DType>>} */
const NUMBERS = { bool: 'bool', int: 'i64', float: 'f32' };

/** @type {(higher: DType | undefined, lower: DType | undefined) => DType | undefined} */
function combine(higher, lower) {
  if (higher === undefined) return lower;
  if (lower === undefined || rankOf(higher) >= rankOf(lower)) return higher;
  return rankOf(lower) === 2 || rankOf(higher) === 0 ? promote(higher, lower) : higher;
}

/** @type {(items: readonly any[]) => DType} of tensors and numbers */
function commonDtype(items) {
  /** @type {(DType | undefined)[]} tensors with axes, without, numbers */
  const groups = [undefined, undefined, undefined];
  for (const item of items) {
    const group = isTensor(item) ? (item.shape.length > 0 ? 0 : 1) : 2;
    const dtype = group === 2 ? NUMBERS[kindOf(item)] : item.dtype;
    const before = groups[group];
    groups[group] = before === undefined ? dtype : promote(before, dtype);
  }
  return /** @type {DType} */ (combine(groups[0], combine(groups[1], groups[2])));
}

module.exports = { commonDtype, promote };
