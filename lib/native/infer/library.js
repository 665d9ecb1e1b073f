/**
 * Methods of arrays, written in the language that this folder compiles.
 *
 * They are compiled where they are called, with the callbacks of the call in place, and mean what ECMAScript says of
 * the methods of these names. Sorting is stable, as there: merge sorts.
 */
'use strict';

const { build } = require('../build/index.js');

/** @typedef {import('./values.js').Value} Value */
/** @typedef {import('./walk.js').Walk} Walk */

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

  // A comparison that gives NaN for some elements is consistent without these, so the order is as well. With them it is
  // what the algorithm makes of it: V8's, for typed arrays, sorts halves and merges them.
  sortTyped(/** @type {any} */ a, /** @type {any} */ compare, /** @type {any} */ sort) {
    const n = a.length;
    let odd = 0;
    for (let i = 0; i < n; i++) if (a[i] !== a[i]) odd++;
    if (odd === 0 || n < 2) return sort(a, compare);
    const b = a.slice();
    let nodes = 1;
    while (2 * nodes < n) nodes *= 2;
    for (; nodes >= 1; nodes /= 2) {
      for (let node = 0; node < nodes; node++) {
        let start = 0;
        let end = n;
        let middle = Math.floor(n / 2);
        let rest = node;
        for (let half = nodes / 2; half >= 1; half /= 2) {
          if (rest >= half) {
            start = middle;
            rest -= half;
          } else end = middle;
          middle = start + Math.floor((end - start) / 2);
        }
        for (let k = start; k < middle; k++) b[k] = a[k];
        let i = start;
        let j = middle;
        for (let k = start; i < middle; k++) {
          if (j < end && compare(b[i], a[j]) > 0) {
            a[k] = a[j];
            j++;
          } else {
            a[k] = b[i];
            i++;
          }
        }
      }
    }
    return a;
  },

  // V8's for an Array of less than 64 elements: a run is found, and the others are put into it.
  sortArray(/** @type {any} */ a, /** @type {any} */ compare, /** @type {any} */ sort) {
    const n = a.length;
    let odd = 0;
    for (let i = 0; i < n; i++) if (a[i] !== a[i]) odd++;
    if (odd === 0 || n < 2 || n > 63) return sort(a, compare);
    const isDown = compare(a[1], a[0]) < 0;
    let sorted = 2;
    while (sorted < n && compare(a[sorted], a[sorted - 1]) < 0 === isDown) sorted++;
    if (isDown) {
      let j = sorted - 1;
      for (let i = 0; i < j; i++) {
        const t = a[i];
        a[i] = a[j];
        a[j] = t;
        j--;
      }
    }
    for (; sorted < n; sorted++) {
      const x = a[sorted];
      let left = 0;
      let right = sorted;
      while (left < right) {
        const middle = (left + right) >> 1;
        if (compare(x, a[middle]) < 0) right = middle;
        else left = middle + 1;
      }
      for (let j = sorted; j > left; j--) a[j] = a[j - 1];
      a[left] = x;
    }
    return a;
  },

  // Elements that are undefined go to the end, and are not compared.
  sortPresent(/** @type {any} */ a, /** @type {any} */ compare, /** @type {any} */ sortArray, /** @type {any} */ sort) {
    let n = 0;
    for (let i = 0; i < a.length; i++) {
      const x = a[i];
      if (x !== undefined) {
        a[n] = x;
        n++;
      }
    }
    const b = a.slice(0, n);
    sortArray(b, compare, sort);
    for (let i = 0; i < a.length; i++) a[i] = i < n ? b[i] : undefined;
    return a;
  },

  bigintPower(/** @type {bigint} */ a, /** @type {bigint} */ b) {
    if (b < 0n) throw new RangeError(NEGATIVE_EXPONENT);
    let power = 1n;
    let square = a;
    for (let n = b; n > 0n;) {
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

/** @type {(walk: Walk, name: string) => Value} a function of the library as a value, built when it is first asked for */
function libraryFunction({ library }, name) {
  let callee = library.get(name);
  if (!callee) {
    callee = build(String(LIBRARY[name]).replace(/^\w+/, 'function $&'), { capture: { NEGATIVE_EXPONENT } });
    library.set(name, callee);
  }
  return { kind: 'closure', callee, frame: null };
}

/** @type {(walk: Walk, name: string, args: Value[], site: import('./walk.js').CallSite) => Value} */
function callLibrary(walk, name, args, site) {
  return walk.call(libraryFunction(walk, name), args, site);
}

module.exports = { callLibrary, libraryFunction };
