// Arguments for functions: kinds of numbers and arrays, and sets of arguments made of them.
'use strict';

/** Mulberry32: numbers in [0, 1) that are the same everywhere. @param {number} seed */
function source(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const { MAX_VALUE, MIN_VALUE, MAX_SAFE_INTEGER, EPSILON } = Number;

/** @typedef {() => number} Random */
/** A kind of argument: values that are always tried, and how to draw more. @typedef {{ fixed: any[], draw: (random: Random) => any }} Kind */

const around = [0.1, 0.25, 0.5, 1, 1.5, 2, 3, 7, 10, 100.25];
const far = [MIN_VALUE, 2.2250738585072014e-308, 1e-300, EPSILON, 1e-8, 2 ** 31, 2 ** 32, MAX_SAFE_INTEGER, 2 ** 63, 1e300, MAX_VALUE, Infinity];

/** Any number at all. @type {Kind} */
const real = {
  fixed: [NaN, 0, -0, ...[...around, ...far].flatMap((x) => [x, -x])],
  draw: (random) => (random() - 0.5) * 10 ** Math.floor(random() * 12 - 5),
};

/** Numbers near 0 and 1, on which curves and easings live. @type {Kind} */
const unit = {
  fixed: [0, -0, 1, 0.5, 0.25, 0.75, 1e-9, 1 - EPSILON, MIN_VALUE, -0.5, 1.25, NaN],
  draw: (random) => random() * 1.2 - 0.1,
};

/** @param {number} from @param {number} to @param {number[]} [more] @returns {Kind} whole numbers */
const whole = (from, to, more = []) => ({
  fixed: [from, to, ...more],
  draw: (random) => from + Math.floor(random() * (to - from + 1)),
});

/** @param {number} from @param {number} to @param {number[]} [more] @returns {Kind} numbers between */
const between = (from, to, more = []) => ({ fixed: [from, to, ...more], draw: (random) => from + random() * (to - from) });

/** @param {any[]} values @returns {Kind} */
const oneOf = (...values) => ({ fixed: values, draw: (random) => values[Math.floor(random() * values.length)] });

/**
 * Arrays of several lengths.
 *
 * @param {Kind} elements
 * @param {{ type?: any, lengths?: number[], sorted?: boolean }} [options]
 * @returns {Kind}
 */
function arrays(elements, { type = Float64Array, lengths = [0, 1, 2, 3, 5, 8, 17, 40], sorted = false } = {}) {
  const make = (/** @type {number} */ length, /** @type {Random} */ random, /** @type {boolean} */ edges) => {
    const array = type.from({ length }, () =>
      edges && random() < 0.3 ? elements.fixed[Math.floor(random() * elements.fixed.length)] : elements.draw(random),
    );
    return sorted ? array.sort() : array;
  };
  const random = source(lengths.length);
  return {
    fixed: lengths.flatMap((length) => [make(length, random, false), make(length, random, true)]),
    draw: (own) => make(lengths[Math.floor(own() * lengths.length)], own, own() < 0.5),
  };
}

/** An object of these fields. @param {Record<string, Kind>} fields @returns {Kind} */
function record(fields) {
  const draw = (/** @type {Random} */ random) =>
    Object.fromEntries(Object.entries(fields).map(([name, kind]) => [name, kind.draw(random)]));
  return { fixed: [draw(source(1)), draw(source(2))], draw };
}

/**
 * Sets of arguments of these kinds: every fixed value with others around it, pairs of fixed values, and drawn ones.
 *
 * @param {Kind[]} kinds
 * @param {number} [count] about how many
 */
function setsOf(kinds, count = 160) {
  const random = source(kinds.length);
  const pick = (/** @type {Kind} */ kind) => (random() < 0.6 ? kind.fixed[Math.floor(random() * kind.fixed.length)] : kind.draw(random));
  const sets = [];
  kinds.forEach((kind, at) => {
    for (const value of kind.fixed) sets.push(kinds.map((other, i) => (i === at ? value : other.draw(random))));
  });
  while (sets.length < count && kinds.length > 0) sets.push(kinds.map(pick));
  return kinds.length > 0 ? sets : [[]];
}

module.exports = { arrays, between, oneOf, real, record, setsOf, source, unit, whole };
