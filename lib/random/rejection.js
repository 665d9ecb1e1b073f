/**
 * Distributions whose numbers are proposed and accepted or not: gamma and what is made of it, Poisson, binomial and
 * multinomial.
 *
 * All elements propose in rounds, with a key per round, until each has accepted; what an element becomes depends on the
 * key, its index and its own parameters alone. Whether it accepts is computed in f64 whatever the dtype, so that the
 * last bit of an elementary function, which numeric modes may differ in, decides once in 10^14 draws. Parameters out of
 * range give NaN, and 0 as integers.
 */
'use strict';

const { expected } = require('../base/check.js');
const { fail } = require('../base/errors.js');
const { append, constantFrom, constantOf, dimsOf, isValue, stateOf } = require('../graph/value.js');
const { cumulative } = require('../ops/cumulative.js');
const { elementwise, rows } = require('../ops/elementwise.js');
const { indexing } = require('../ops/indexing.js');
const { manipulation } = require('../ops/manipulation.js');
const { movement } = require('../ops/movement.js');
const { normalisations } = require('../ops/normalisations.js');
const { reductions } = require('../ops/reductions.js');
const { rngBits } = require('../ops/rng.js');
const { control } = require('../trace/control.js');
const {
  constant, distribution, finished, floatName, foldKey, numberName, openUnit, other, parameter, unit,
} = require('./bits.js');
const { standardNormal } = require('./standard-distributions.js');

/** @typedef {import('../graph/value.js').Value} Value */
/** @typedef {import('../tensor/dtypes.js').DType} DType */

const { abs, add, and, div, exp, floor, ge, gt, le, log, log1p, lt, max, min, mul, neg, not, or, select, sqrt, sub } =
  rows;
const { convert } = elementwise;

// ---------------------------------------------------------------------------------------- rounds

/** @type {(from: Value, given: any) => Value} a parameter in f64 */
const asNumber = (from, given) =>
  isValue(given) ? finished(given, 'f64') : constantOf(stateOf(from), given, 'f64', String(given), 'random');

/** Numbers of (0, 1) from bits of 64. @type {(from: Value, shape: unknown) => Value} */
const opened = (from, shape) => openUnit(rngBits(from, shape, { dtype: 'u64' }));

/**
 * Repeated to the shape, of which it may have fewer axes.
 *
 * @type {(like: Value, value: Value, shape: unknown) => Value}
 */
const shaped = (like, value, shape) =>
  movement.broadcastTo(
    value,
    stateOf(like)
      .dims(shape, 'random')
      .map((dim) => stateOf(like).text(dim)),
  );

/**
 * Proposals until all elements have one.
 *
 * @param {Value} from a key
 * @param {unknown} shape
 * @param {Value} idle where nothing is to be proposed; elements there are 0
 * @param {(from: Value) => { value: Value, accept: Value }} propose
 * @returns {Value} f64
 */
function accepted(from, shape, idle, propose) {
  const state = stateOf(from);
  const start = {
    round: constantOf(state, 0, 'u32', '0', 'random'),
    done: shaped(from, idle, shape),
    value: shaped(from, constantOf(state, 0, 'f64', '0', 'random'), shape),
  };
  const last = control.whileLoop(
    (/** @type {Record<string, Value>} */ { done }) => not(reductions.all(done)),
    (/** @type {Record<string, Value>} */ { round, done, value }) => {
      const proposal = propose(foldKey(from, round));
      return { round: add(round, 1), done: or(done, proposal.accept), value: select(done, value, proposal.value) };
    },
    start,
  );
  return last.value;
}

// ----------------------------------------------------------------------------------------- gamma

/** Where a parameter of gamma has numbers to draw. @type {(a: Value) => Value} */
const isDrawable = (a) => and(ge(a, 0), lt(a, Infinity));

/**
 * Gamma by Marsaglia and Tsang ("A simple method for generating gamma variables", 2000): for a below 1 that of a + 1,
 * times u^(1/a), of which the logarithm is kept apart since it may be out of range.
 *
 * @type {(from: Value, shape: unknown, a: Value) => { value: Value, boost: Value }} value · exp(boost)
 */
function gammaParts(from, shape, a) {
  const isSmall = lt(a, 1);
  const d = sub(select(isSmall, add(a, 1), a), 1 / 3);
  const c = div(constant(d, 1 / 3), sqrt(d));
  const value = accepted(from, shape, not(isDrawable(a)), (own) => {
    const x = standardNormal(own, shape, 'f64');
    const step = mul(c, x);
    const w = mul(step, add(mul(step, add(step, 3)), 3)); // (1 + step)³ - 1
    const limit = add(mul(mul(x, x), 0.5), mul(d, sub(mul(log1p(step), 3), w)));
    return { value: mul(d, add(w, 1)), accept: and(gt(step, -1), lt(log(opened(other(own, 1), shape)), limit)) };
  });
  const least = constant(a, -1e300); // in place of -∞, from which nothing can be subtracted
  const boost = select(isSmall, max(div(log(opened(other(from, 2), shape)), a), least), constant(a, 0));
  const beyond = select(gt(a, 0), a, constant(a, NaN));
  return { value: select(isDrawable(a), value, beyond), boost };
}

/** @type {(from: Value, shape: unknown, a: Value) => Value} */
function standardGamma(from, shape, a) {
  const { value, boost } = gammaParts(from, shape, a);
  return mul(value, exp(boost));
}

/** @type {(from: Value, shape: unknown, a: Value) => Value} */
function logGamma(from, shape, a) {
  const { value, boost } = gammaParts(from, shape, a);
  return add(log(value), boost);
}

const float = { dtype: /** @type {DType} */ ('f64'), read: floatName };

const gamma = distribution('gamma', { a: parameter, scale: parameter }, float, (from, { a = 1, scale = 1 }, shape, dtype) =>
  finished(mul(standardGamma(from, shape, asNumber(from, a)), asNumber(from, scale)), dtype),
);

const beta = distribution('beta', { a: parameter, b: parameter }, float, (from, { a = 1, b = 1 }, shape, dtype) => {
  const [x, y] = [a, b].map((each, i) =>
    logGamma(foldKey(from, constantOf(stateOf(from), i, 'u32', 'i', 'random')), shape, asNumber(from, each)),
  );
  return finished(elementwise.sigmoid(sub(x, y)), dtype);
});

const chiSquare = distribution('chiSquare', { df: parameter }, float, (from, { df = 1 }, shape, dtype) =>
  finished(mul(standardGamma(from, shape, mul(asNumber(from, df), 0.5)), 2), dtype),
);

const studentT = distribution('studentT', { df: parameter }, float, (from, { df = 1 }, shape, dtype) => {
  const half = mul(asNumber(from, df), 0.5);
  const normal = standardNormal(other(from, 1), shape, 'f64');
  return finished(mul(normal, sqrt(div(half, standardGamma(from, shape, half)))), dtype);
});

/** @type {(given: any, which: string, caller: string) => Value} what has an axis at least */
function table(given, which, caller) {
  if (isValue(given) && given.rank > 0) return given;
  return expected(caller, 'a Tensor or a Value of rank 1 at least', which, given);
}

const dirichlet = distribution('dirichlet', { alpha: parameter }, float, (from, { alpha }, shape, dtype) => {
  const state = stateOf(from);
  const a = asNumber(from, table(alpha, "option 'alpha'", 'random.dirichlet'));
  const whole = [...state.dims(shape, 'random.dirichlet'), /** @type {number} */ (dimsOf(a).at(-1))].map((dim) =>
    state.text(dim),
  );
  return finished(normalisations.softmax(logGamma(from, whole, a)), dtype);
});

// ----------------------------------------------------------------------------------- whole numbers

/** Below this mean, numbers are looked for one after the other; above, proposed. */
const FEW = 10;
/** So large are only numbers that a mean of at most `FEW` gives once in 10^27 times. */
const MOST = 64;

/**
 * The inverse of a distribution function, by adding up probabilities from 0 on (Devroye, "Non-uniform random variate
 * generation", 1986, section X.3).
 *
 * @type {(u: Value, first: Value, ratio: (k: Value) => Value) => Value} first: probability of 0; ratio: that of k by that of k - 1
 */
function sequential(u, first, ratio) {
  const zero = constant(u, 0);
  const whole = (/** @type {Value} */ value) => add(value, mul(u, zero)); // of the shape of u
  const last = control.whileLoop(
    (/** @type {Record<string, Value>} */ { k, sum }) => and(lt(k, MOST), reductions.any(ge(u, sum))),
    (/** @type {Record<string, Value>} */ { k, part, sum, value }) => {
      const [next, share] = [add(k, 1), mul(part, ratio(add(k, 1)))];
      return { k: next, part: share, sum: add(sum, share), value: select(ge(u, sum), next, value) };
    },
    { k: zero, part: whole(first), sum: whole(first), value: whole(zero) },
  );
  return last.value;
}

/** log(k!) less its Stirling formula about k + 1, for k from 0 to 9. */
const TAIL = [
  0.08106146679532726, 0.0413406959554093, 0.02767792568499834, 0.02079067210376509, 0.016644691189821193,
  0.013876128823070748, 0.01189670994589177, 0.010411265261972096, 0.009255462182712733, 0.00833056343336287,
];

/** log(k!) = log(2π)/2 + (k + 1/2) · log(k + 1) - (k + 1) + tail(k). @type {(k: Value) => Value} */
function tail(k) {
  const inverse = div(constant(k, 1), add(k, 1));
  const square = mul(inverse, inverse);
  const series = mul(
    inverse,
    sub(1 / 12, mul(square, sub(1 / 360, mul(square, sub(1 / 1260, mul(square, 1 / 1680)))))),
  );
  const known = constantFrom(stateOf(k), Float64Array.from(TAIL), 'random');
  return select(lt(k, TAIL.length), indexing.take(known, convert(max(min(k, TAIL.length - 1), 0), 'i64')), series);
}

/**
 * Proposals of a transformed rejection: a place, and what its probability is compared with (Hörmann, "The transformed
 * rejection method for generating Poisson random variables", 1993, and of the same year that for binomial ones).
 *
 * @type {(own: Value, shape: unknown, a: Value, b: Value, centre: Value) => { k: Value, us: Value, v: Value }}
 */
function transformed(own, shape, a, b, centre) {
  const u = sub(opened(own, shape), 0.5);
  const us = sub(0.5, abs(u));
  const k = floor(add(mul(add(div(mul(a, 2), us), b), u), centre));
  return { k, us, v: opened(other(own), shape) };
}

/** PTRS of Hörmann. @type {(from: Value, shape: unknown, lam: Value, idle: Value) => Value} */
function manyPoisson(from, shape, lam, idle) {
  const b = add(mul(sqrt(lam), 2.53), 0.931);
  const a = sub(mul(b, 0.02483), 0.059);
  const inverse = add(div(1.1328, sub(b, 3.4)), 1.1239);
  const quick = sub(0.9277, div(3.6224, sub(b, 2)));
  return accepted(from, shape, idle, (own) => {
    const { k, us, v } = transformed(own, shape, a, b, add(lam, 0.43));
    const next = add(k, 1);
    const off = div(sub(lam, next), next);
    // log of λᵏ e^-λ / k!, by differences that stay small where λ and k are large
    const spread = sub(mul(k, log1p(off)), sub(lam, next));
    const likely = sub(sub(spread, mul(log(next), 0.5)), add(tail(k), 0.5 * Math.log(2 * Math.PI)));
    const asked = add(log(v), log(div(inverse, add(div(a, mul(us, us)), b))));
    const isQuick = and(ge(us, 0.07), le(v, quick));
    const isLikely = and(not(and(lt(us, 0.013), gt(v, us))), le(asked, likely));
    return { value: k, accept: and(ge(k, 0), or(isQuick, isLikely)) };
  });
}

const whole = { dtype: /** @type {DType} */ ('i64'), read: numberName };

/** Numbers where parameters are in range, else NaN. @type {(isValid: Value, value: Value, dtype: DType) => Value} */
const whereValid = (isValid, value, dtype) => finished(select(isValid, value, constant(value, NaN)), dtype);

const poisson = distribution('poisson', { lam: parameter }, whole, (from, { lam = 1 }, shape, dtype) => {
  const mean = asNumber(from, lam);
  const isValid = and(ge(mean, 0), lt(mean, Infinity));
  const isFew = lt(mean, FEW);
  const few = select(and(isFew, isValid), mean, constant(mean, 0));
  const rare = sequential(unit(rngBits(other(from, 2), shape, { dtype: 'u64' })), exp(neg(few)), (k) => div(few, k));
  const many = manyPoisson(
    from,
    shape,
    select(and(isValid, not(isFew)), mean, constant(mean, FEW)),
    or(isFew, not(isValid)),
  );
  return whereValid(isValid, select(isFew, rare, many), dtype);
});

/**
 * BTRS of Hörmann.
 *
 * @type {(from: Value, shape: unknown, n: Value, p: Value, idle: Value) => Value} p is at most a half
 */
function manyBinomial(from, shape, n, p, idle) {
  const odds = div(p, sub(1, p));
  const spread = sqrt(mul(mul(n, p), sub(1, p)));
  const b = add(mul(spread, 2.53), 1.15);
  const a = add(sub(mul(b, 0.0248), 0.0873), mul(p, 0.01));
  const quick = sub(0.92, div(4.2, b));
  const alpha = mul(add(div(5.1, b), 2.83), spread);
  const m = floor(mul(add(n, 1), p));
  const mode = add(mul(add(m, 0.5), log(div(add(m, 1), mul(odds, sub(add(n, 1), m))))), add(tail(m), tail(sub(n, m))));
  return accepted(from, shape, idle, (own) => {
    const { k, us, v } = transformed(own, shape, a, b, add(mul(n, p), 0.5));
    const left = sub(add(n, 1), k);
    const ways = mul(add(n, 1), log1p(div(sub(k, m), left)));
    const way = mul(add(k, 0.5), log(div(mul(odds, left), add(k, 1))));
    const likely = sub(add(add(mode, ways), way), add(tail(k), tail(sub(n, k))));
    const asked = log(div(mul(v, alpha), add(div(a, mul(us, us)), b)));
    const isInside = and(ge(k, 0), le(k, n));
    return { value: k, accept: and(isInside, or(and(ge(us, 0.07), le(v, quick)), le(asked, likely))) };
  });
}

/**
 * Successes among n trials, f64; NaN for what is no number of trials or no probability.
 *
 * @type {(from: Value, shape: unknown, trials: Value, p: Value) => Value}
 */
function successes(from, shape, trials, p) {
  const n = floor(trials);
  const isValid = and(and(ge(n, 0), lt(n, Infinity)), and(ge(p, 0), le(p, 1)));
  const isTurned = gt(p, 0.5);
  const least = select(isTurned, sub(1, p), p);
  const isFew = lt(mul(n, least), FEW);
  const [zero, half] = [0, 0.5].map((number) => constant(p, number));
  const isRare = and(isFew, isValid);
  const [few, rare] = [select(isRare, n, zero), select(isRare, least, zero)];
  const odds = div(rare, sub(1, rare));
  const u = unit(rngBits(other(from, 2), shape, { dtype: 'u64' }));
  const small = sequential(u, exp(mul(few, log1p(neg(rare)))), (k) => mul(odds, div(sub(add(few, 1), k), k)));
  const isMany = and(isValid, not(isFew));
  const large = manyBinomial(
    from,
    shape,
    select(isMany, n, constant(p, 2 * FEW)),
    select(isMany, least, half),
    not(isMany),
  );
  const count = select(isFew, small, large);
  return select(isValid, select(isTurned, sub(n, count), count), constant(p, NaN));
}

/** @type {(given: any, which: string, caller: string) => any} */
const needed = (given, which, caller) => given ?? fail('ERR_ARGUMENT', `${caller}: expected option '${which}'`);

const binomial = distribution('binomial', { n: parameter, p: parameter }, whole, (from, { n, p = 0.5 }, shape, dtype) =>
  finished(successes(from, shape, asNumber(from, needed(n, 'n', 'random.binomial')), asNumber(from, p)), dtype),
);

/**
 * How many of n things fall to each of the categories along the last axis of p: one binomial after the other, of what
 * is left.
 */
const multinomial = distribution('multinomial', { n: parameter, p: parameter }, whole, (from, { n, p }, shape, dtype) => {
  const caller = 'random.multinomial';
  const state = stateOf(from);
  const parts = asNumber(from, table(p, "option 'p'", caller));
  const size = /** @type {number} */ (dimsOf(parts).at(-1));
  const full = [...state.dims(shape, caller), size].map((dim) => state.text(dim));
  const rests = movement.flip(cumulative.cumulativeSum(movement.flip(parts, -1), { axis: -1 }), -1);
  const lines = [parts, rests].map((each) => manipulation.moveaxis(movement.broadcastTo(each, full), -1, 0));
  const index = append(state, 'iota', [], { dtype: 'u32', shape: [size], axis: 0 });
  const left = shaped(from, floor(asNumber(from, needed(n, 'n', caller))), shape);
  const [, counts] = control.scan(
    (/** @type {Value} */ rest, /** @type {Record<string, Value>} */ { part, total, i }) => {
      const share = select(gt(total, 0), min(div(part, total), constant(part, 1)), part);
      const count = successes(foldKey(from, i), shape, rest, share);
      return [sub(rest, count), count];
    },
    left,
    { part: lines[0], total: lines[1], i: index },
  );
  return finished(manipulation.moveaxis(counts, 0, -1), dtype);
});

/** What is drawn by rejection. */
const rejection = { beta, binomial, chiSquare, dirichlet, gamma, multinomial, poisson, studentT };

module.exports = { rejection };
