/**
 * What signals are weighted by: windows of cosines, and the mel scale of spectra. They are methods of Graph.
 *
 * Windows are computed in f64 of the place alone, so their size may be symbolic; the matrix of the mel scale is a
 * constant. Both are as in ONNX, but for the Hamming window, whose first coefficient is 0.54 unless told otherwise.
 */
'use strict';

const { boolean, expected, finite, integer, positive, readOptions } = require('../base/check.js');
const { fail } = require('../base/errors.js');
const { append, constantFrom } = require('../graph/value.js');
const { dtypeName, dtypes } = require('../tensor/dtypes.js');
const { elementwise, rows } = require('./elementwise.js');
const { sizeValue } = require('./indexing.js');
const { reshapeTo } = require('./movement.js');

/** @typedef {import('../graph/value.js').Value} Value */
/** @typedef {import('../graph/value.js').GraphState} GraphState */
/** @typedef {import('../tensor/dtypes.js').DType} DType */

/** @type {import('../base/check.js').Getter<DType>} */
function floatDType(value, which, caller) {
  const dtype = dtypeName(value, which, caller);
  return dtypes[dtype].kind === 'float' ? dtype : expected(caller, 'a float dtype', which, value, 'ERR_DTYPE');
}

/** Coefficients of the cosines of 0, 1, 2 turns, with alternating signs. @type {Record<string, (alpha: number) => number[]>} */
const coefficients = {
  hannWindow: () => [0.5, 0.5],
  hammingWindow: (alpha) => [alpha, 1 - alpha],
  blackmanWindow: () => [0.42, 0.5, 0.08],
};

/**
 * A window of that name, as many turns long as its size, or one place less when it is not periodic.
 *
 * @type {(state: GraphState, caller: string, size: unknown, options: unknown) => Value}
 */
function signalWindow(state, caller, size, options) {
  const { periodic = true, dtype = 'f32', ...read } = readOptions(caller, options, {
    periodic: boolean,
    dtype: floatDType,
    ...(caller === 'hammingWindow' && { alpha: finite }),
  });
  const dim = state.dim(size, 'the size', caller);
  const place = append(state, 'iota', [], { dtype: 'f64', shape: [dim], axis: 0 });
  const count = elementwise.convert(sizeValue(state, dim, 'i64', caller), 'f64');
  const steps = periodic ? count : rows.sub(count, 1);
  const [first, ...others] = coefficients[caller](/** @type {{ alpha?: number }} */ (read).alpha ?? 0.54);
  const terms = others.map((factor, i) => {
    const turn = rows.div(rows.mul(place, 2 * Math.PI * (i + 1)), steps);
    return rows.mul(rows.cos(turn), i % 2 === 0 ? -factor : factor);
  });
  const sum = rows.add(terms.reduce((all, term) => rows.add(all, term)), first);
  return elementwise.convert(rows.select(rows.eq(steps, 0), 1, sum), dtype); // a single place has all the weight
}

const melOptions = {
  bins: integer(1), dftLength: integer(1), sampleRate: positive, lowest: finite, highest: finite, dtype: floatDType,
};

const toMel = (/** @type {number} */ hertz) => 2595 * Math.log10(1 + hertz / 700);
const fromMel = (/** @type {number} */ mel) => 700 * (10 ** (mel / 2595) - 1);

/**
 * Triangles that overlap by half, evenly spaced on the mel scale: [⌊dftLength / 2⌋ + 1, bins].
 *
 * @type {(state: GraphState, options: unknown) => Value}
 */
function melWeightMatrix(state, options) {
  const caller = 'melWeightMatrix';
  const { bins, dftLength, sampleRate, lowest = 0, highest = (sampleRate ?? 0) / 2, dtype = 'f32' } = readOptions(
    caller, options, melOptions,
  );
  if (bins === undefined || dftLength === undefined || sampleRate === undefined)
    return fail('ERR_ARGUMENT', `${caller}: expected the options 'bins', 'dftLength' and 'sampleRate'`);
  if (!(lowest >= 0 && lowest < highest && highest <= sampleRate / 2))
    fail('ERR_ARGUMENT', `${caller}: expected 0 ≤ lowest < highest ≤ ${sampleRate / 2}, got ${lowest} and ${highest}`);
  const [from, to] = [toMel(lowest), toMel(highest)];
  const edges = Array.from({ length: bins + 2 }, (_, i) =>
    Math.floor(((dftLength + 1) * fromMel(from + (i * (to - from)) / (bins + 2))) / sampleRate),
  );
  const height = Math.floor(dftLength / 2) + 1;
  const weights = Float64Array.from({ length: height * bins }, (_, i) => {
    const [at, bin] = [Math.floor(i / bins), i % bins];
    return triangle(at, edges[bin], edges[bin + 1], edges[bin + 2]);
  });
  return elementwise.convert(reshapeTo(state, constantFrom(state, weights, caller), [height, bins]), dtype);
}

/** What rises from `low` to 1 at `top`, and falls to `high`. @type {(at: number, low: number, top: number, high: number) => number} */
function triangle(at, low, top, high) {
  if (at === top) return 1;
  if (at > top) return at < high ? (high - at) / (high - top) : 0;
  return at >= low ? (at - low) / (top - low) : 0;
}

module.exports = { melWeightMatrix, signalWindow };
