/**
 * How far to go along a direction: a step that meets the strong Wolfe conditions.
 *
 * Nocedal and Wright, "Numerical optimization" (2006), algorithms 3.5 and 3.6, with cubic interpolation. A place where
 * the function is no number counts as too far. Near a minimum the values of two places differ by rounding alone; there
 * the slope decides, by the approximate condition of Hager and Zhang, "A new conjugate gradient method with guaranteed
 * descent and an efficient line search" (2005), equation 4.1.
 */
'use strict';

/** Of sufficient decrease, and of curvature. */
const [DECREASE, CURVATURE] = [1e-4, 0.9];

const MOST_TRIALS = 20;
const MOST_ZOOMS = 40;

/**
 * A place on the line: how far, and value and slope along the line.
 *
 * @template P
 * @typedef {{ alpha: number, value: number, slope: number, point: P }} Trial
 */

/** The least of the cubic through two places with their slopes. @type {(a: Trial<any>, b: Trial<any>) => number} */
function interpolated(a, b) {
  const width = b.alpha - a.alpha;
  const middle = a.alpha + width / 2;
  if (!Number.isFinite(b.value) || !Number.isFinite(b.slope)) return middle;
  const d1 = a.slope + b.slope - (3 * (a.value - b.value)) / (a.alpha - b.alpha);
  const root = d1 * d1 - a.slope * b.slope;
  if (!(root >= 0)) return middle;
  const d2 = Math.sign(width) * Math.sqrt(root);
  const alpha = b.alpha - (width * (b.slope + d2 - d1)) / (b.slope - a.slope + 2 * d2);
  const part = (alpha - a.alpha) / width;
  return part > 0.1 && part < 0.9 ? alpha : middle;
}

/**
 * @template P
 * @param {(alpha: number) => Trial<P>} at
 * @param {Trial<P>} start at 0, where the slope is below 0
 * @param {number} first how far to go first
 * @param {number} noise what values are off by, relative
 * @returns {Trial<P> | null} null where no place is better than the start
 */
function lineSearch(at, start, first, noise) {
  const limit = start.value + noise * Math.abs(start.value);
  /** @type {(trial: Trial<P>) => boolean} */
  const isLess = ({ alpha, value, slope }) =>
    value <= start.value + DECREASE * alpha * start.slope ||
    (value <= limit && slope <= (2 * DECREASE - 1) * start.slope && slope >= CURVATURE * start.slope);
  /** @type {(trial: Trial<P>) => boolean} */
  const isFlat = ({ slope }) => Math.abs(slope) <= -CURVATURE * start.slope;
  /** @type {(low: Trial<P>, high: Trial<P>) => Trial<P> | null} */
  const zoom = (low, high) => {
    for (let i = 0; i < MOST_ZOOMS; i++) {
      const trial = at(interpolated(low, high));
      if (trial.alpha === low.alpha || trial.alpha === high.alpha) break;
      if (!isLess(trial) || (trial.value >= low.value && !isFlat(trial))) {
        high = trial;
        continue;
      }
      if (isFlat(trial)) return trial;
      if (trial.slope * (high.alpha - low.alpha) >= 0) high = low;
      low = trial;
    }
    return low.alpha > 0 ? low : null;
  };
  let previous = start;
  let alpha = first;
  for (let i = 0; i < MOST_TRIALS; i++) {
    const trial = at(alpha);
    if (trial.value === -Infinity) return trial;
    if (!isLess(trial) || (i > 0 && trial.value >= previous.value)) return zoom(previous, trial);
    if (isFlat(trial)) return trial;
    if (trial.slope >= 0) return zoom(trial, previous);
    previous = trial;
    alpha *= i < 3 ? 2 : 10;
  }
  return previous;
}

module.exports = { lineSearch };
