/**
 * How far a tensor is from another one that it should equal.
 */
'use strict';

const { dtypes } = require('../tensor/dtypes.js');
const { numbersOf } = require('../tensor/halves.js');

/** @typedef {import('../tensor/tensor.js').Tensor} Tensor */

/** Relative to the largest magnitude of the output. @type {Readonly<Record<string, number>>} */
const TOLERANCE = Object.freeze({ f64: 1e-12, f32: 1e-5, f16: 4e-3, bf16: 3e-2 });

/**
 * How far an output is from the reference: the largest difference, relative to the largest finite
 * magnitude of the reference for floats, and how many elements are beyond the tolerance.
 *
 * @param {Tensor} own
 * @param {Tensor} reference
 * @param {number | undefined} tolerance
 */
function compareTensors(own, reference, tolerance) {
  const [a, b] = [own, reference].map((tensor) => numbersOf(tensor.contiguous()));
  const isFloat = dtypes[own.dtype].kind === 'float';
  let scale = 0;
  if (isFloat) for (const value of b) if (Number.isFinite(value)) scale = Math.max(scale, Math.abs(Number(value)));
  const limit = isFloat ? (tolerance ?? TOLERANCE[own.dtype]) * scale : 0;
  let worst = 0;
  let at = -1;
  let wrong = 0;
  for (let i = 0; i < a.length; i++) {
    if (Object.is(a[i], b[i]) || a[i] === b[i]) continue;
    const difference = isFloat ? Math.abs(Number(a[i]) - Number(b[i])) : Infinity;
    const size = Number.isNaN(difference) ? Infinity : difference;
    if (!(size <= limit)) wrong++;
    if (size > worst) [worst, at] = [size, i];
  }
  return {
    elements: a.length, wrong, worst: isFloat && worst !== Infinity ? worst / (scale || 1) : worst, at, own: a[at],
    reference: b[at],
  };
}

module.exports = { compareTensors };
