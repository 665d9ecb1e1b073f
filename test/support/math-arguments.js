/**
 * Arguments that elementary functions find hard, the same for every run of a seed: special values and what lies beside
 * them, any bits, sizes of every scale, multiples of π/2, what is near whole numbers, near overflow and near 1.
 */
'use strict';

const special = [
  [0, 1, 2, 3, 0.5, 1.5, 1 / 3, 10, 100, 22, 709.782712893384, 710.4758600739439, 745.1332191019411, 708.5, 1023, 1024, 1074, 1075],
  [Math.PI, Math.PI / 2, Math.PI / 4, 0.7853981633974484, 0.6743, 0.4375, 0.6875, 1.1875, 2.4375, 0.41421356, 0.2928932, 0.975, 0.3],
  [2 ** -27, 2 ** -28, 2 ** -29, 2 ** -54, 2 ** -55, 2 ** -57, 2 ** 31, 2 ** 32, 2 ** 52, 2 ** 53, 2 ** 64, 2 ** 66, 2 ** 19 * 1.5707963],
  [5e-324, 2.225073858507201e-308, 2.2250738585072014e-308, 1.7976931348623157e308, 1e300, 1e-300, 1 - 2 ** -53, 1 + 2 ** -52, Infinity, NaN],
].flat();

/** Random numbers (xorshift, G. Marsaglia 2003). @param {number} seed */
function generator(seed) {
  let state = seed | 1;
  const word = () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
  return { word, unit: () => word() / 2 ** 31 - 1 + word() / 2 ** 63 };
}

/** @param {number} seed */
function source(seed) {
  const { word, unit } = generator(seed);
  const double = new Float64Array(1);
  const words = new Uint32Array(double.buffer);
  const beside = (/** @type {number} */ x) => {
    double[0] = x;
    words[0] += (word() % 65) - 32;
    return double[0];
  };
  /** @type {(() => number)[]} */
  const kinds = [
    () => {
      words[0] = word();
      words[1] = word();
      return double[0];
    },
    () => special[word() % special.length] * (word() & 1 ? 1 : -1),
    () => beside(special[word() % special.length] * (word() & 1 ? 1 : -1)),
    unit,
    () => 4 * unit(),
    () => 100 * unit(),
    () => 800 * unit(),
    () => beside((word() % 200000) * (Math.PI / 2)),
    () => unit() * 2 ** ((word() % 200) - 100),
    () => unit() * 2 ** ((word() % 1000) + 23),
    () => unit() * 2 ** -(word() % 1074),
    () => ((word() % 4001) - 2000) / 2 ** (word() % 8),
    () => beside(1),
    () => beside((word() % 2001) - 1000),
  ];
  return { word, one: () => kinds[word() % kinds.length]() };
}

/** @type {(count: number, seed: number) => Float64Array} */
function mathArguments(count, seed) {
  const { one } = source(seed);
  return new Float64Array(count).map(one);
}

/**
 * Bases and exponents: any two, small whole and half ones, and those whose power is near overflow, near underflow, near
 * 1 or near a large whole number.
 *
 * @type {(count: number, seed: number) => [Float64Array, Float64Array]}
 */
function powerArguments(count, seed) {
  const { word, one } = source(seed);
  const near = [1024, -1022, -1074, -1075, 0, 1, 53];
  const x = new Float64Array(count);
  const y = new Float64Array(count);
  for (let i = 0; i < count; i++) {
    x[i] = one();
    y[i] = one();
    if (i % 3 === 1) {
      x[i] = (word() % 2001) - 1000;
      y[i] = ((word() % 101) - 50) / 2 ** (word() % 3);
    } else if (i % 3 === 2) {
      const power = near[word() % near.length] / Math.log2(Math.abs(x[i]));
      y[i] = power * (1 + ((word() % 5) - 2) * 2 ** -53);
    }
  }
  return [x, y];
}

module.exports = { mathArguments, powerArguments };
