/**
 * Bits of integers. The operators & | ^ ~ are these rows where operands are integers.
 */
'use strict';

const { overload, row } = require('./signature.js');

/** @typedef {import('../kernel/dag.js').Node} Node */
/** @typedef {import('../analyse/context.js').Context} Context */
/** @typedef {import('../types/index.js').DataType} DataType */
/** @typedef {import('./signature.js').Build} Build */

/** @type {(op: string) => import('./signature.js').Overload} */
const ofTwo = (op) => overload('(int A, int A) → A', (c, args) => c.dag.op(op, args));

/** Shifts by the width or more, or by less than 0, leave nothing but signs. @type {(op: 'shl' | 'shr') => Build} */
const shift = (op) => (c, [a, count], { args: [type, by] }) => {
  const { dag } = c;
  const width = dag.constant(BigInt(type.bits), count.rep);
  const isBelow = dag.compare('lt', count, width);
  const isInside = by.signed ? dag.and(isBelow, dag.compare('ge', count, dag.constant(0n, count.rep))) : isBelow;
  return dag.op(op, [a, dag.convert(dag.select(isInside, count, width), a.rep)]);
};

/** @type {Build} in two's complement */
const binaryDigits = (c, [a], { args: [{ bits }] }) => {
  const bare = c.dag.convert(a, /** @type {import('../kernel/dag.js').Rep} */ (`u${bits}`));
  return c.call('uint64_to_base', [bare, c.dag.constant(2n, 'i64')], 'view', { arena: true });
};

module.exports = {
  rows: [
    row('bit', 'bitwise_and', 'bits that both have', [ofTwo('and')]),
    row('bit', 'bitwise_or', 'bits that one has', [ofTwo('or')]),
    row('bit', 'bitwise_xor', 'bits that just one has', [ofTwo('xor')]),
    row('bit', 'bitwise_not', 'the other bits', [overload('(int) → ?', (c, [a]) => c.dag.op('not', [a]), ([type]) => type)]),
    row('bit', 'shift_left', 'so many places to the left; 0 if that is no place', [overload('(int A, int) → A', shift('shl'))]),
    row('bit', 'shift_right', 'so many places to the right, filled with the sign', [overload('(int A, int) → A', shift('shr'))]),
    row('bit', 'bit_count popcount', 'how many bits are set', [
      overload('(int) → int32', (c, [a]) => c.dag.convert(c.dag.op('popcount', [a]), 'i32')),
    ]),
    row('bit', 'bin', 'binary digits', [overload('(int) → utf8', binaryDigits)]),
  ],
  xor: ofTwo('xor'),
};
