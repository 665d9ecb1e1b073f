/**
 * Methods of arrays, written in the language that this folder compiles.
 *
 * They are compiled where they are called, with the callbacks of the call in place, and mean what ECMAScript says of the
 * methods of these names. Sorting is stable, as there: a merge sort from the bottom up, runs of 8 by insertion first.
 */
'use strict';

/** What the engine says of 2n ** -1n, which differs from version to version. */
const NEGATIVE_EXPONENT = (() => {
  try {
    return String(2n ** BigInt(-1));
  } catch (error) {
    return /** @type {Error} */ (error).message;
  }
})();

/** @type {Record<string, Function>} */
const LIBRARY = {
  reverse(/** @type {any} */ a) {
    let j = a.length - 1;
    for (let i = 0; i < j; i++) {
      const t = a[i];
      a[i] = a[j];
      a[j] = t;
      j--;
    }
    return a;
  },

  sort(/** @type {any} */ a, /** @type {any} */ compare) {
    const n = a.length;
    for (let start = 0; start < n; start += 8) {
      const end = Math.min(start + 8, n);
      for (let i = start + 1; i < end; i++) {
        const x = a[i];
        let j = i - 1;
        while (j >= start && compare(a[j], x) > 0) {
          a[j + 1] = a[j];
          j--;
        }
        a[j + 1] = x;
      }
    }
    if (n <= 8) return a;
    const b = a.slice();
    for (let width = 8; width < n; width *= 2) {
      for (let start = 0; start < n; start += 2 * width) {
        const middle = Math.min(start + width, n);
        const end = Math.min(start + 2 * width, n);
        let i = start;
        let j = middle;
        for (let k = start; k < end; k++) {
          if (i < middle && (j >= end || !(compare(a[i], a[j]) > 0))) {
            b[k] = a[i];
            i++;
          } else {
            b[k] = a[j];
            j++;
          }
        }
      }
      a.set(b);
    }
    return a;
  },

  bigintPower(/** @type {bigint} */ a, /** @type {bigint} */ b) {
    if (b < 0n) throw new RangeError(NEGATIVE_EXPONENT);
    let power = 1n;
    let square = a;
    for (let n = b; n > 0n; ) {
      if (n % 2n === 1n) power *= square;
      n /= 2n;
      if (n > 0n) square *= square;
    }
    return power;
  },

  bigintLeft(/** @type {bigint} */ a, /** @type {bigint} */ b) {
    if (b >= 0n) return a << b;
    return a >> (b > -64n ? -b : 64n);
  },

  bigintRight(/** @type {bigint} */ a, /** @type {bigint} */ b) {
    if (b >= 0n) return a >> b;
    return a << (b > -64n ? -b : 64n);
  },

  // The order of typed arrays: -0 before 0, NaN last.
  ascending(/** @type {number} */ x, /** @type {number} */ y) {
    if (x < y) return -1;
    if (x > y) return 1;
    if (x !== x) return y !== y ? 0 : 1;
    if (y !== y) return -1;
    if (x === 0 && y === 0) return Object.is(x, y) ? 0 : Object.is(x, -0) ? -1 : 1;
    return 0;
  },
};

module.exports = { LIBRARY, NEGATIVE_EXPONENT };
