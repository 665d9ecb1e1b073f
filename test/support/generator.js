// Numbers that are random enough for tests and benchmarks, the same each time.
'use strict';

/** Between 0 and 1 (mulberry32, a public-domain generator by T. Ettinger). @type {(seed: number) => () => number} */
function generator(seed) {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

module.exports = { generator };
