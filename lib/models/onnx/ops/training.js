/**
 * Steps of optimizers: formulas that make new tensors of the old ones, their gradients and their state.
 *
 * Inputs are the rate, the number of the step, then all tensors, all gradients, and each kind of state for all; outputs
 * are the tensors and states of the next step in that order.
 */
'use strict';

/** @typedef {import('../../shared/builder.js').Translation} Translation */
/** @typedef {(name: string, initial?: any) => any} Attributes */

/**
 * @param {number} states how many kinds of state there are
 * @param {(attr: Attributes, rate: any, step: any, given: any[]) => any[]} update of a tensor, its gradient and
 *   states: the tensor and its states
 * @returns {Translation['translate']}
 */
const optimizer = (states, update) => (node, [rate, step, ...rest], cx) => {
  const kinds = states + 2;
  const count = rest.length / kinds;
  if (!Number.isInteger(count)) cx.fail('ERR_ARGUMENT', `${rest.length} tensors are none of ${kinds} kinds`);
  const attr = (/** @type {string} */ name, /** @type {any} */ initial) => node.attr(name, initial);
  const updated = Array.from({ length: count }, (_, i) => {
    const given = Array.from({ length: kinds }, (__, kind) => /** @type {any} */ (cx.value(rest[kind * count + i])));
    const { dtype } = given[0];
    return update(attr, cx.value(rate, dtype), cx.value(step, dtype), given);
  });
  return Array.from({ length: states + 1 }, (_, kind) => updated.map((each) => each[kind])).flat();
};

/** The gradient with that of a penalty. @type {(attr: Attributes, x: any, gradient: any) => any} */
const regularized = (attr, x, gradient) => gradient.add(x.mul(attr('norm_coefficient', 0)));

const adagrad = optimizer(1, (attr, rate, step, [x, gradient, squares]) => {
  const g = regularized(attr, x, gradient);
  const sum = squares.add(g.square());
  const own = rate.div(step.mul(attr('decay_factor', 0)).add(1));
  return [x.sub(own.mul(g).div(sum.sqrt().add(attr('epsilon', 1e-6)))), sum];
});

const adam = optimizer(2, (attr, rate, step, [x, gradient, mean, square]) => {
  const [alpha, beta] = [attr('alpha', 0.9), attr('beta', 0.999)];
  const g = regularized(attr, x, gradient);
  const [v, h] = [mean.mul(alpha).add(g.mul(1 - alpha)), square.mul(beta).add(g.square().mul(1 - beta))];
  const power = (/** @type {number} */ base) => step.mul(Math.log(base)).expm1().neg(); // 1 - base ** step
  const own = step.gt(0).select(rate.mul(power(beta).sqrt()).div(power(alpha)), rate);
  const moved = x.sub(own.mul(v).div(h.sqrt().add(attr('epsilon', 1e-6))));
  return [moved.mul(1 - attr('norm_coefficient_post', 0)), v, h];
});

const momentum = optimizer(1, (attr, rate, step, [x, gradient, velocity]) => {
  const alpha = attr('alpha', 0);
  const g = regularized(attr, x, gradient);
  const beta = step.gt(0).select(attr('beta', 0), 1).astype(x.dtype);
  const v = velocity.mul(alpha).add(g.mul(beta));
  return [x.sub(rate.mul(attr('mode') === 'nesterov' ? g.add(v.mul(alpha)) : v)), v];
});

/** @type {import('./index.js').Tables} */
const ops = { 'ai.onnx.preview.training': { Adagrad: adagrad, Adam: adam, Momentum: momentum } };

module.exports = { ops };
