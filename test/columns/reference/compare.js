/**
 * Comparisons, Kleene's logic and what asks for nulls. Rows with nulls 'own' get their operands as they are, null too.
 */
'use strict';

const own = { nulls: 'own' };

/** Texts and bytes by bytes, which for UTF-8 is by code points. @type {(a: any, b: any) => number} NaN where there is no order */
function order(a, b) {
  if (typeof a === 'string') return Buffer.compare(Buffer.from(a), Buffer.from(b));
  if (a instanceof Uint8Array) return Buffer.compare(a, b);
  if (typeof a === 'object') return order(lengthOf(a), lengthOf(b));
  return a < b ? -1 : a > b ? 1 : a === b ? 0 : NaN;
}

/** Of an interval, a month having 30 days, as in PostgreSQL. @type {(interval: any) => bigint} */
const lengthOf = ({ months, days, nanoseconds }) => BigInt(months * 30 + days) * 86400000000000n + nanoseconds;

/** @type {(test: (order: number) => boolean) => any} */
const relation = (test) => (/** @type {any} */ a, /** @type {any} */ b) => test(order(a, b));

/** @type {(a: any, b: any) => boolean} */
const distinct = (a, b) => (a === null || b === null ? a !== b : order(a, b) !== 0);

/** Decimals as they are, whatever their scales: both as whole numbers of the finer. @type {(a: bigint, b: bigint, how: any) => number} */
function decimalOrder(a, b, { args: [x, y] }) {
  const up = (/** @type {number} */ from, /** @type {number} */ to) => 10n ** BigInt(Math.max(to - from, 0));
  return order(a * up(x.scale, y.scale), b * up(y.scale, x.scale));
}

/** @type {(test: (order: number) => boolean) => any} */
const ofDecimals = (test) => (/** @type {bigint} */ a, /** @type {bigint} */ b, /** @type {any} */ how) => test(decimalOrder(a, b, how));

/** @type {(a: any, b: any, how: any) => boolean} */
const distinctDecimals = (a, b, how) => (a === null || b === null ? a !== b : decimalOrder(a, b, how) !== 0);

/** Numbers other than 0 are true. @type {(value: any) => boolean} */
const truth = (value) => value !== null && value !== false && value !== 0n && value !== 0;

const not = (/** @type {boolean} */ a) => !a;

module.exports = {
  order,
  rows: [
    ['equal eq same', '(A, A) → bool', relation((o) => o === 0)],
    ['not_equal ne', '(A, A) → bool', relation((o) => o !== 0)],
    ['less_than lt', '(A, A) → bool', relation((o) => o < 0)],
    ['less_than_or_equal_to le', '(A, A) → bool', relation((o) => o <= 0)],
    ['greater_than gt', '(A, A) → bool', relation((o) => o > 0)],
    ['greater_than_or_equal_to ge', '(A, A) → bool', relation((o) => o >= 0)],
    ['equal eq same', '(decimal, decimal) → bool', ofDecimals((o) => o === 0)],
    ['not_equal ne', '(decimal, decimal) → bool', ofDecimals((o) => o !== 0)],
    ['less_than lt', '(decimal, decimal) → bool', ofDecimals((o) => o < 0)],
    ['less_than_or_equal_to le', '(decimal, decimal) → bool', ofDecimals((o) => o <= 0)],
    ['greater_than gt', '(decimal, decimal) → bool', ofDecimals((o) => o > 0)],
    ['greater_than_or_equal_to ge', '(decimal, decimal) → bool', ofDecimals((o) => o >= 0)],
    ['is_distinct_from', '(decimal, decimal) → bool', distinctDecimals, null, own],
    ['is_not_distinct_from', '(decimal, decimal) → bool', (/** @type {any} */ a, /** @type {any} */ b, /** @type {any} */ how) => !distinctDecimals(a, b, how), null, own],
    ['is_distinct_from', '(A, A) → bool', distinct, null, own],
    ['is_not_distinct_from', '(A, A) → bool', (a, b) => !distinct(a, b), null, own],
    ['isnull is_null', '(any) → bool', (a) => a === null, null, own],
    ['isnotnull is_not_null', '(any) → bool', (a) => a !== null, null, own],
    ['isnumeric', '(number) → bool', (a) => a !== null, null, own],
    ['istrue', '(bool) → bool', (a) => a !== null && truth(a), null, own],
    ['isfalse', '(bool) → bool', (a) => a !== null && !truth(a), null, own],
    ['isnottrue', '(bool) → bool', (a) => a === null || !truth(a), null, own],
    ['isnotfalse', '(bool) → bool', (a) => a === null || truth(a), null, own],
    ['istrue', '(number) → bool', (a) => a !== null && truth(a), null, own],
    ['isfalse', '(number) → bool', (a) => a !== null && !truth(a), null, own],
    ['isnottrue', '(number) → bool', (a) => a === null || !truth(a), null, own],
    ['isnotfalse', '(number) → bool', (a) => a === null || truth(a), null, own],
    ['not', '(bool) → bool', not],
    ['xor', '(bool, bool) → bool', (a, b) => a !== b],
  ],
};
