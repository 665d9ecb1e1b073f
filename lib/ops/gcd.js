/**
 * Common divisors and multiples of integers, element by element: Euclid's algorithm for all elements at once, until
 * the last of them has ended, which takes 91 rounds at most.
 */
'use strict';

const { expected } = require('../base/check.js');
const { alike, lift } = require('../graph/value.js');
const { dtypes } = require('../tensor/dtypes.js');
const { elementwise, rows } = require('./elementwise.js');
const { reductions } = require('./reductions.js');

/** @typedef {import('../graph/value.js').Value} Value */

const { abs, add, div, eq, mul, ne, rem, select, sub } = rows;

/**
 * Absolute values of one shape, as unsigned numbers, which the least integer needs.
 *
 * @type {(x: unknown, y: unknown, caller: string) => Value[]}
 */
function magnitudes(x, y, caller) {
  const [a, b] = alike(lift([x, y], caller).values, caller);
  const { kind, bytes } = dtypes[a.dtype];
  if (kind !== 'int' && kind !== 'uint') expected(caller, 'integers', 'the operands', a, 'ERR_DTYPE');
  const unsigned = /** @type {import('../tensor/dtypes.js').DType} */ (`u${8 * bytes}`);
  const same = [add(a, sub(b, b)), add(b, sub(a, a))];
  return same.map((value) => (kind === 'uint' ? value : elementwise.bitcast(abs(value), unsigned)));
}

/** @type {(a: Value, b: Value) => Value} */
function divisor(a, b) {
  // Loops are known to this file when there is one: most programs have none.
  const { control } = require('../trace/control.js');
  const [greatest] = control.whileLoop(
    (/** @type {[Value, Value]} */ [, right]) => reductions.any(ne(right, 0)),
    (/** @type {[Value, Value]} */ [left, right]) => {
      const isDone = eq(right, 0);
      return [select(isDone, left, right), select(isDone, right, rem(left, right))];
    },
    [a, b],
  );
  return greatest;
}

/** @type {(x: unknown, y: unknown, caller: string, of: (a: Value, b: Value) => Value) => Value} */
function inDType(x, y, caller, of) {
  const [{ dtype }] = alike(lift([x, y], caller).values, caller);
  const [a, b] = magnitudes(x, y, caller);
  const result = of(a, b);
  return result.dtype === dtype ? result : elementwise.bitcast(result, dtype);
}

/** @type {(x: unknown, y: unknown) => Value} */
const gcd = (x, y) => inDType(x, y, 'gcd', divisor);

/** @type {(x: unknown, y: unknown) => Value} */
const lcm = (x, y) =>
  inDType(x, y, 'lcm', (a, b) => {
    const greatest = divisor(a, b);
    return select(eq(greatest, 0), greatest, mul(div(a, greatest), b));
  });

/** Every operation here that becomes a method and a function, by name. */
const divisors = { gcd, lcm };

module.exports = { divisors };
