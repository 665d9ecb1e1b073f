/**
 * Bits of integers.
 */
'use strict';

const { fitted } = require('./numbers.js');

const first = ([/** @type {any} */ a]) => a;

/** Shifts by the width or more leave nothing but signs. @type {(n: bigint) => bigint} */
const count = (n) => (n < 0n || n > 64n ? 64n : n);

/** In the width of a type, without a sign. @type {(value: bigint, type: any) => bigint} */
const unsigned = (value, { bits }) => BigInt.asUintN(bits, value);

module.exports = [
  ['bitwise_and', '(int A, int A) → ?', (a, b) => a & b, first],
  ['bitwise_or', '(int A, int A) → ?', (a, b) => a | b, first],
  ['bitwise_xor xor', '(int A, int A) → ?', (a, b) => a ^ b, first],
  ['bitwise_not', '(int) → ?', (a, { result }) => fitted(~a, result, { overflow: 'wrap' }), first],
  ['shift_left', '(int, int) → ?', (a, n, { result }) => fitted(a << count(n), result, { overflow: 'wrap' }), first],
  ['shift_right', '(int, int) → ?', (a, n) => a >> count(n), first],
  ['bit_count', '(int) → int32', (a, { args: [type] }) =>
    BigInt(unsigned(a, type).toString(2).replaceAll('0', '').length)],
  // Texts of bits, negative numbers in two's complement.
  ['bin', '(int) → utf8', (a, { args: [type] }) => unsigned(a, type).toString(2)],
];
