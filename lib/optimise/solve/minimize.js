/**
 * minimize: where a function of a tree of tensors is least, near where one begins.
 *
 * The loop is JavaScript's; what it calls is compiled. Methods with gradients are directions in one loop: what they
 * have in common is the line search, and when to stop. Nocedal and Wright, "Numerical optimization" (2006), chapters 6
 * and 7.
 *
 * Left out: bounds and constraints.
 */
'use strict';

const { integer, oneOf, readOptions } = require('../../base/check.js');
const { dot, largest, moved, norm, scaled, times } = require('./dense.js');
const { lineSearch } = require('./line-search.js');
const { nelderMead } = require('./nelder-mead.js');
const { Watch, checkStart, common } = require('./options.js');
const { Problem } = require('./problem.js');

/** @typedef {import('./problem.js').Point} Point */
/** @typedef {import('./options.js').End} End */

/** From so many variables on, what BFGS keeps (a matrix) is more than L-BFGS would. */
const MOST_DENSE = 512;

/**
 * Where to go from a point. `learn` is told of a step, and `forget` begins anew; it says whether there was something.
 *
 * @typedef {object} Directions
 * @property {(point: Point) => Float64Array} from
 * @property {(step: Float64Array, change: Float64Array) => void} learn
 * @property {() => boolean} forget
 */

/** Whether a step has told of curvature. @type {(step: Float64Array, change: Float64Array) => boolean} */
const isConvex = (step, change) => dot(step, change) > 1e-14 * norm(step) * norm(change);

/** The inverse of the second derivatives, by algorithm 6.1. @type {(problem: Problem) => Directions} */
function bfgs({ size: n }) {
  /** @type {Float64Array | null} */
  let inverse = null;
  return {
    from: ({ gradient }) => (inverse === null ? scaled(gradient, -1) : scaled(times(inverse, gradient, n), -1)),
    learn(step, change) {
      if (!isConvex(step, change)) return;
      const product = dot(step, change);
      if (inverse === null) {
        inverse = new Float64Array(n * n);
        for (let i = 0; i < n; i++) inverse[i * n + i] = product / dot(change, change); // equation 6.20
      }
      const turned = times(inverse, change, n);
      const factor = (1 + dot(change, turned) / product) / product;
      for (let i = 0; i < n; i++)
        for (let j = 0; j < n; j++)
          inverse[i * n + j] += factor * step[i] * step[j] - (turned[i] * step[j] + step[i] * turned[j]) / product;
    },
    forget() {
      const had = inverse !== null;
      inverse = null;
      return had;
    },
  };
}

/** The same from the last steps alone, by algorithm 7.4. @type {(problem: Problem, memory: number) => Directions} */
function lbfgs(_problem, memory) {
  /** @type {{ step: Float64Array, change: Float64Array, product: number }[]} */
  let pairs = [];
  return {
    from({ gradient }) {
      let way = scaled(gradient, -1);
      const factors = [];
      for (const { step, change, product } of [...pairs].reverse()) {
        const factor = dot(step, way) / product;
        factors.push(factor);
        way = moved(way, -factor, change);
      }
      const last = pairs.at(-1);
      if (last !== undefined) way = scaled(way, last.product / dot(last.change, last.change));
      for (const { step, change, product } of pairs)
        way = moved(way, /** @type {number} */ (factors.pop()) - dot(change, way) / product, step);
      return way;
    },
    learn(step, change) {
      if (!isConvex(step, change)) return;
      pairs = [...pairs.slice(Math.max(0, pairs.length + 1 - memory)), { step, change, product: dot(step, change) }];
    },
    forget() {
      const had = pairs.length > 0;
      pairs = [];
      return had;
    },
  };
}

/**
 * Newton's direction by conjugate gradients, which end where curvature is not positive: algorithm 7.1.
 *
 * @type {(problem: Problem) => Directions}
 */
function newtonCg(problem) {
  return {
    from({ x, gradient }) {
      const size = norm(gradient);
      const limit = Math.min(0.5, Math.sqrt(size)) * size;
      /** @type {Float64Array} */
      let way = new Float64Array(x.length);
      let rest = gradient;
      let turn = scaled(gradient, -1);
      for (let j = 0; j < 20 * x.length && norm(rest) > limit; j++) {
        const product = problem.hessianTimes(x, turn);
        const curvature = dot(turn, product);
        if (!(curvature > 3 * Number.EPSILON * dot(turn, turn))) return j === 0 ? turn : way;
        const alpha = dot(rest, rest) / curvature;
        way = moved(way, alpha, turn);
        const next = moved(rest, alpha, product);
        turn = moved(scaled(next, -1), dot(next, next) / dot(rest, rest), turn);
        rest = next;
      }
      return way;
    },
    learn() {},
    forget: () => false,
  };
}

/**
 * The step from a point along a direction.
 *
 * @type {(problem: Problem, point: Point, way: Float64Array, first: number) => Point | null}
 */
function stepAlong(problem, point, way, first) {
  const at = (/** @type {number} */ alpha) => {
    const next = problem.at(moved(point.x, alpha, way));
    const slope = dot(next.gradient, way);
    const value = Number.isNaN(slope) && next.value !== -Infinity ? Infinity : next.value;
    return { alpha, value, slope, point: next };
  };
  const start = { alpha: 0, value: point.value, slope: dot(point.gradient, way), point };
  return lineSearch(at, start, first, problem.noise)?.point ?? null;
}

/**
 * @param {Problem} problem
 * @param {Watch} watch
 * @param {Directions} directions
 * @param {number} tolerance
 * @returns {Point & End}
 */
function descend(problem, watch, directions, tolerance) {
  let point = problem.at(problem.start);
  checkStart(problem, Float64Array.of(point.value), 'the function');
  checkStart(problem, point.gradient, 'the gradient');
  /** Whether nothing is known but the gradient, whose length says little of how far to go. */
  let isFirst = true;
  for (;;) {
    if (largest(point.gradient) <= tolerance)
      return { ...point, success: true, message: 'the gradient is within the tolerance' };
    const enough = watch.enough();
    if (enough !== null) return { ...point, ...enough };
    const given = directions.from(point);
    const isDown = dot(given, point.gradient) < 0;
    if (!isDown) isFirst = directions.forget() || isFirst;
    const way = isDown ? given : scaled(point.gradient, -1);
    const next = stepAlong(problem, point, way, isFirst || !isDown ? Math.min(1, 1 / norm(way)) : 1);
    if (next === null) {
      isFirst = true;
      if (directions.forget()) continue;
      return { ...point, success: false, message: 'no step makes the function less, as far as its rounding tells' };
    }
    if (next.value === -Infinity) return { ...next, success: false, message: 'the function has no lower bound' };
    directions.learn(moved(next.x, -1, point.x), moved(next.gradient, -1, point.gradient));
    isFirst = false;
    point = next;
    const stop = watch.next(point.x, { value: point.value, gradient: problem.treeOf(point.gradient) });
    if (stop !== null) return { ...point, ...stop };
  }
}

const methods = /** @type {const} */ (['bfgs', 'lbfgs', 'newton-cg', 'nelder-mead']);

/** @type {Record<string, (problem: Problem, memory: number) => Directions>} */
const directionsOf = { bfgs, lbfgs, 'newton-cg': newtonCg };

/** @type {(problem: Problem, watch: Watch, own: any) => (Point | { x: Float64Array, value: number }) & End} */
function run(problem, watch, { method, memory = 10, tolerance }) {
  if (method === 'nelder-mead') return nelderMead(problem, watch, tolerance ?? 1e-6);
  return descend(problem, watch, directionsOf[method](problem, memory), tolerance ?? 1e-5);
}

/**
 * @param {unknown} fn
 * @param {unknown} x0
 * @param {unknown} [options]
 * @returns {any}
 */
function minimize(fn, x0, options) {
  const caller = 'minimize';
  const own = readOptions(caller, options, { method: oneOf(methods), memory: integer(1), ...common });
  const problem = new Problem(caller, fn, x0, own.args ?? []);
  try {
    const { method = problem.size <= MOST_DENSE ? 'bfgs' : 'lbfgs' } = own;
    const watch = new Watch(problem, own, 200 * Math.max(problem.size, 10));
    const end = run(problem, watch, { ...own, method });
    const gradient = 'gradient' in end ? problem.treeOf(end.gradient) : null;
    return watch.report(end, { value: end.value, gradient });
  } finally {
    problem.dispose();
  }
}

module.exports = { minimize };
