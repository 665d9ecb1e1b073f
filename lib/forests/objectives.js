/**
 * What sums of trees become: the functions that libraries apply to them, in the order and type of their own.
 *
 * Sources: src/objective/ of XGBoost, src/objective/ of LightGBM, catboost/libs/eval_result of CatBoost. XGBoost
 * computes them in f32, which is done here by rounding after each step; exp is the JavaScript engine's, within 1 ulp.
 */
'use strict';

/** @typedef {'identity' | 'sigmoid' | 'softmax' | 'exp' | 'sign' | 'signedSquare' | 'log1pExp' | 'sigmoids'} Transform */

/**
 * `factor` is what sums are multiplied with before. `gives`: whether the library's own prediction is the transformed
 * sum or a class.
 *
 * @typedef {object} Objective
 * @property {string} name as the file has it
 * @property {'regression' | 'binary' | 'multiclass' | 'ranking'} task
 * @property {Transform} transform
 * @property {number} factor
 * @property {'value' | 'class'} gives
 */

/** Arrays of sums, [rows, groups], which become results in place. @typedef {Float32Array | Float64Array} Sums */

/** A function of one number. @type {(sums: Sums, apply: (sum: number) => number) => void} */
function each(sums, apply) {
  for (let i = 0; i < sums.length; i++) sums[i] = apply(sums[i]);
}

const { fround, exp } = Math;

/** Where exp of an f32 is still finite, in XGBoost. */
const LARGEST = fround(88.7);

/** @type {(sum: number) => number} */
const singleSigmoid = (sum) => fround(1 / fround(fround(exp(Math.min(-sum, LARGEST))) + 1));

/** @type {(sums: Sums, groups: number) => void} */
function softmax(sums, groups) {
  const isSingle = sums instanceof Float32Array;
  for (let at = 0; at < sums.length; at += groups) {
    let [most, total] = [-Infinity, 0];
    for (let g = 0; g < groups; g++) most = Math.max(most, sums[at + g]);
    for (let g = 0; g < groups; g++) {
      sums[at + g] = exp(isSingle ? fround(sums[at + g] - most) : sums[at + g] - most);
      total += sums[at + g];
    }
    const all = isSingle ? fround(total) : total;
    for (let g = 0; g < groups; g++) sums[at + g] /= all;
  }
}

/** @type {Record<Transform, (sums: Sums, groups: number, factor: number) => void>} */
const TRANSFORMS = {
  identity: () => undefined,
  sigmoid: (sums, _, factor) =>
    sums instanceof Float32Array ? each(sums, singleSigmoid) : each(sums, (sum) => 1 / (1 + exp(-factor * sum))),
  sigmoids: (sums, groups, factor) => TRANSFORMS.sigmoid(sums, groups, factor),
  softmax,
  exp: (sums) => each(sums, exp),
  sign: (sums) => each(sums, (sum) => (sum > 0 ? 1 : 0)),
  signedSquare: (sums) => each(sums, (sum) => Math.sign(sum) * sum * sum),
  log1pExp: (sums) => each(sums, (sum) => Math.log1p(exp(sum))),
};

/** @type {(objective: Objective, sums: Sums, groups: number) => void} in place */
const transform = ({ transform: name, factor }, sums, groups) => TRANSFORMS[name](sums, groups, factor);

/**
 * The class of each row: of two, whether the sum speaks for the second; of several, the first of the largest sums.
 *
 * @type {(sums: Sums, groups: number) => Int32Array}
 */
function classesOf(sums, groups) {
  if (groups === 1) return Int32Array.from(sums, (sum) => (sum > 0 ? 1 : 0));
  const classes = new Int32Array(sums.length / groups);
  for (let row = 0; row < classes.length; row++) {
    let best = 0;
    for (let g = 1; g < groups; g++) if (sums[row * groups + g] > sums[row * groups + best]) best = g;
    classes[row] = best;
  }
  return classes;
}

/** @type {(name: string, task: Objective['task'], transform: Transform, more?: Partial<Objective>) => Objective} */
const objective = (name, task, own, more = {}) => ({ name, task, transform: own, factor: 1, gives: 'value', ...more });

module.exports = { classesOf, objective, transform };
