// What results of several libraries are compared by: how many there are, how many are null, their sum, and the sum of
// their squares, in which groups that were mixed up show. All of it stays the same in another order.
'use strict';

/** @typedef {{ rows: number, nulls: number, sum: number, squares: number }} Digest */

/** A decimal of Arrow: words from the lowest on, the highest one with a sign. @param {Uint32Array} words */
function decimalOf(words, scale) {
  const high = words.length - 1;
  const value = words.reduce((sum, word, i) => sum + (i === high ? word | 0 : word) * 2 ** (32 * i), 0);
  return value / 10 ** scale;
}

/** @param {ArrayLike<any> | { length: number, get: (i: number) => any, type?: any }} values of an array, or a vector of Arrow */
function digestOf(values) {
  const get = 'get' in values ? (/** @type {number} */ i) => values.get(i) : (/** @type {number} */ i) => values[i];
  const scale = values['type']?.scale;
  const digest = { rows: values.length, nulls: 0, sum: 0, squares: 0 };
  for (let i = 0; i < values.length; i++) {
    const value = get(i);
    if (value === null) digest.nulls++;
    else {
      const number = value instanceof Uint32Array ? decimalOf(value, scale) : Number(value);
      digest.sum += number;
      digest.squares += number * number;
    }
  }
  return digest;
}

const close = (/** @type {number} */ a, /** @type {number} */ b) => Math.abs(a - b) <= 1e-9 * Math.max(Math.abs(a), Math.abs(b));

/** One who compares what everybody found with what the first one did, and throws where that differs. */
function agreement() {
  /** @type {[string, Digest] | undefined} */
  let first;
  return (/** @type {string} */ who, /** @type {Digest} */ digest) => {
    first ??= [who, digest];
    const [other, expected] = first;
    if (Object.keys(expected).every((key) => close(digest[key], expected[key]))) return;
    throw new Error(`${who} found ${JSON.stringify(digest)}, ${other} ${JSON.stringify(expected)}`);
  };
}

module.exports = { agreement, digestOf };
