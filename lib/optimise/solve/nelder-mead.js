/**
 * The simplex method, which asks for values alone: Nelder and Mead (1965), with the factors of Gao and Han,
 * "Implementing the Nelder-Mead simplex algorithm with adaptive parameters" (2012), which are the usual ones for two
 * variables.
 */
'use strict';

const { moved } = require('./dense.js');
const { checkStart } = require('./options.js');

/** @typedef {{ x: Float64Array, value: number }} Corner */

/** The start, and it moved along each axis. @type {(start: Float64Array) => Float64Array[]} */
function simplexAt(start) {
  const others = Array.from(start, (each, i) => {
    const x = start.slice();
    x[i] = each === 0 ? 0.00025 : 1.05 * each;
    return x;
  });
  return [start, ...others];
}

/** @type {(corners: readonly Corner[]) => { width: number, height: number }} the most that corners are apart from the best */
function spreadOf([best, ...others]) {
  let [width, height] = [0, 0];
  for (const { x, value } of others) {
    height = Math.max(height, value - best.value);
    for (let i = 0; i < x.length; i++) width = Math.max(width, Math.abs(x[i] - best.x[i]));
  }
  return { width, height };
}

/**
 * @param {import('./problem.js').Problem} problem
 * @param {import('./options.js').Watch} watch
 * @param {number} tolerance of both x and the value
 * @returns {Corner & import('./options.js').End}
 */
function nelderMead(problem, watch, tolerance) {
  const { size: n } = problem;
  const [expansion, contraction, shrinkage] = n === 1 ? [2, 0.5, 0.5] : [1 + 2 / n, 0.75 - 1 / (2 * n), 1 - 1 / n];
  /** @type {(x: Float64Array) => Corner} */
  const cornerAt = (x) => {
    const value = problem.value(x);
    return { x, value: Number.isNaN(value) ? Infinity : value };
  };
  checkStart(problem, Float64Array.of(problem.value(problem.start)), 'the function');
  const corners = simplexAt(problem.start).map(cornerAt);
  for (;;) {
    corners.sort((a, b) => a.value - b.value);
    const [best, worst] = [corners[0], corners[n]];
    const { width, height } = spreadOf(corners);
    if (width <= tolerance && height <= tolerance)
      return { ...best, success: true, message: 'the simplex is within the tolerance' };
    if (best.value === -Infinity) return { ...best, success: false, message: 'the function has no lower bound' };
    const enough = watch.enough();
    if (enough !== null) return { ...best, ...enough };
    const centre = new Float64Array(n);
    for (const { x } of corners.slice(0, n)) x.forEach((each, i) => (centre[i] += each / n));
    const away = moved(centre, -1, worst.x);
    const along = (/** @type {number} */ part) => cornerAt(moved(centre, part, away));
    const reflected = along(1);
    if (reflected.value < best.value) {
      const further = along(expansion);
      corners[n] = further.value < reflected.value ? further : reflected;
    } else if (reflected.value < corners[n - 1].value) corners[n] = reflected;
    else {
      const isOutside = reflected.value < worst.value;
      const contracted = along(isOutside ? contraction : -contraction);
      if (contracted.value < Math.min(reflected.value, worst.value)) corners[n] = contracted;
      else {
        for (let i = 1; i <= n; i++)
          corners[i] = cornerAt(moved(best.x, shrinkage, moved(corners[i].x, -1, best.x)));
      }
    }
    const lowest = corners.reduce((all, each) => (each.value < all.value ? each : all));
    const stop = watch.next(lowest.x, { value: lowest.value });
    if (stop !== null) return { ...lowest, ...stop };
  }
}

module.exports = { nelderMead };
