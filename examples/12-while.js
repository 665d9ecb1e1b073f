// A plain JavaScript function becomes machine code: a while loop of ten million rounds over 64-bit integers.
//
// BigInts are 64-bit integers in native code, as fast as any. What would not fit in 64 bits throws a RangeError.
'use strict';

const { native } = require('graphjit');

function sumTo(last) {
  let sum = 0n;
  let i = 0n;
  while (i <= last) {
    sum += i;
    i += 1n;
  }
  return sum;
}

const timed = (/** @type {string} */ name, /** @type {() => unknown} */ call) => {
  const start = performance.now();
  console.log(`${name}: ${call()} in ${(performance.now() - start).toFixed(1)} ms`);
};

const fast = native(sumTo);
timed('native, compiled on the way', () => fast(10n));
timed('native', () => fast(10_000_000n));
timed('V8', () => sumTo(10_000_000n));

function factorial(n) {
  return n < 2n ? 1n : n * factorial(n - 1n);
}

const product = native(factorial);
console.log(`20! is ${product(20n)}`);
try {
  product(21n);
} catch (error) {
  console.log(`21! is not: ${error.name}: ${error.message}`);
}
