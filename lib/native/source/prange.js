/**
 * Ranges for `for`-`of` loops: what they mean where a function runs as plain JavaScript.
 *
 * A compiled function never calls these: the builder knows them and makes counted loops of them. Of `prange` it takes
 * the promise that the rounds may run at the same time and in any order; run as JavaScript they come one after the
 * other.
 */
'use strict';

/**
 * @param {number} first or, given alone, the end
 * @param {number} [end] not included
 * @returns {Generator<number, void>}
 */
function* prange(first, end) {
  const last = end === undefined ? first : end;
  for (let i = end === undefined ? 0 : first; i < last; i++) yield i;
}

module.exports = { prange };
