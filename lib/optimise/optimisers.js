/**
 * Optimisers: how parameters follow from gradients, as functions over trees of tensors.
 *
 * An optimiser is `{ init, update }`. `init(params)` makes a state: a tree of tensors like any other, which can be
 * saved, sharded and looked at. `update(grads, state, params)` gives the new parameters and the new state; nothing is
 * written in place. That it gives parameters, and not what is to be added to them as optax does, keeps decay and
 * rounding in one place, and lets the compiler make one loop of both. Called with Values, as in a traced step, it adds
 * to the graph; called with tensors, it is compiled by itself.
 *
 * Formulas and defaults are those of PyTorch (torch.optim, 1.13). What is a number per step, such as the bias
 * correction, is computed in f64, as it is there, from the number of the step in the state. Parameters of 16 bits are
 * computed with in f32, in which their state is kept, too.
 */
'use strict';

const { boolean, expected, finite, positive, readOptions } = require('../base/check.js');
const { fail } = require('../base/errors.js');
const { append, constantOf, dimsOf, isValue, stateOf } = require('../graph/value.js');
const { elementwise, rows } = require('../ops/elementwise.js');
const { asTensor, zeros } = require('../tensor/create.js');
const { flatten, leafPaths, pathText, unflatten } = require('../trace/pytree.js');
const { checkFloat, liftTree } = require('../transform/variables.js');
const { inDType, leavesLike, traced, wide } = require('./traced.js');

/** @typedef {import('../graph/value.js').Value} Value */
/** @typedef {import('../graph/value.js').GraphState} GraphState */
/** @typedef {import('../tensor/dtypes.js').DType} DType */
/** @typedef {number | ((step: Value) => any)} Rate */

/**
 * What a rule computes a parameter with. `slots`: what the state has for it.
 *
 * @typedef {object} Leaf
 * @property {Value} param
 * @property {Value} grad
 * @property {Value[]} slots
 * @property {Step} step
 */

/**
 * How one leaf changes: the parameter, and each of its slots.
 *
 * @typedef {(leaf: Leaf) => [param: Value, ...slots: Value[]]} Rule
 */

/** @typedef {{ init: (params: any) => any, update: (grads: any, state: any, params: any) => [any, any] }} Optimiser */

const { add, div, mul, pow, sign, sqrt, sub } = rows;
const { convert } = elementwise;

/**
 * Numbers of one step, computed once for all leaves. A rule asks for them before it computes with whole tensors, so
 * that what it does with these is one loop.
 */
class Step {
  /** By what they are and the dtype that they are wanted in. @type {Map<string, Value>} */
  #known = new Map();

  /**
   * @param {Value} count
   * @param {Rate} rate
   * @param {string} caller
   */
  constructor(count, rate, caller) {
    const before = convert(count, 'f64');
    /** The number of this step, counted from 1. */
    this.number = add(before, 1);
    this.rate = rateOf(rate, before, caller);
  }

  /** @type {(name: string, like: Value, make: () => Value) => Value} a number in the dtype of a parameter */
  #once(name, { dtype }, make) {
    const key = `${name} ${dtype}`;
    const made = this.#known.get(key) ?? inDType(make(), dtype);
    this.#known.set(key, made);
    return made;
  }

  /** The learning rate. @type {(like: Value) => Value} */
  rateFor(like) {
    return this.#once('rate', like, () => this.rate);
  }

  /** 1 - beta^step, which an average that began with 0 is to be divided by. @type {(beta: number) => Value} */
  #correction(beta) {
    return sub(1, pow(beta, this.number));
  }

  /** The learning rate for an average. @type {(beta: number, like: Value) => Value} */
  correctedRate(beta, like) {
    return this.#once('correctedRate', like, () => div(this.rate, this.#correction(beta)));
  }

  /** What the root of an average is to be divided by. @type {(beta: number, like: Value) => Value} */
  rootCorrection(beta, like) {
    return this.#once('rootCorrection', like, () => sqrt(this.#correction(beta)));
  }

  /** What decoupled decay leaves of a parameter. @type {(decay: number, like: Value) => Value} */
  kept(decay, like) {
    return this.#once('kept', like, () => sub(1, mul(this.rate, decay)));
  }
}

/** @type {(rate: Rate, step: Value, caller: string) => Value} an f64 scalar */
function rateOf(rate, step, caller) {
  const given = typeof rate === 'number' ? rate : rate(step);
  if (typeof given === 'number') return constantOf(stateOf(step), given, 'f64', 'the learning rate', caller);
  if (isValue(given) && given.rank === 0) return inDType(given, 'f64');
  return expected(caller, 'a number or a scalar', 'the result of the schedule', given);
}

// ------------------------------------------------------------------------------------- what all have

/** @type {(leaf: unknown, name: string, caller: string) => any} zeros for one leaf, a Value for a Value */
function zerosFor(leaf, name, caller) {
  const like = isValue(leaf) ? leaf : asTensor(/** @type {any} */ (leaf));
  checkFloat(/** @type {any} */ (like), name, caller);
  const dtype = wide(like.dtype);
  if (!isValue(like)) return zeros(like.shape, { dtype });
  return constantOf(stateOf(like), 0, dtype, 'a constant', caller, [...dimsOf(like)]);
}

/** @type {(params: unknown, slots: readonly string[], caller: string) => any} */
function initial(params, slots, caller) {
  const { leaves, structure } = flatten(params, caller, 'params', { optional: true });
  if (leaves.length === 0) expected(caller, 'a tensor, or a tree of tensors', 'params', params);
  const value = leaves.find(isValue);
  const step = value === undefined ? zeros([], { dtype: 'i32' }) : constantOf(stateOf(value), 0, 'i32', 'a constant', caller);
  const names = leafPaths(structure).map((path) => pathText(path, 'params'));
  const fresh = () => unflatten(structure, leaves.map((leaf, i) => zerosFor(leaf, names[i], caller)));
  const trees = slots.map((slot) => [slot, fresh()]);
  return { step, ...Object.fromEntries(trees) };
}

/** What a state must be. @type {(state: any, slots: readonly string[], caller: string) => any} */
function checkState(state, slots, caller) {
  const names = ['step', ...slots];
  const isState = typeof state === 'object' && state !== null && names.every((name) => Object.hasOwn(state, name));
  return isState ? state : expected(caller, `the state that init made (${names.join(', ')})`, 'the state', state);
}

/** @type {(step: unknown, graph: GraphState, caller: string) => Value} */
function countOf(step, graph, caller) {
  const [value] = liftTree(graph, step, 'state.step', caller).values;
  if (value?.rank === 0 && value.dtype === 'i32') return value;
  return expected(caller, 'a scalar of dtype i32', 'state.step', value ?? step, 'ERR_DTYPE');
}

/**
 * @param {string} name
 * @param {readonly string[]} slots what the state has for each parameter
 * @param {Rate} rate
 * @param {Rule} rule
 * @returns {Optimiser}
 */
function optimiser(name, slots, rate, rule) {
  const caller = `${name}.update`;
  /** @type {(args: any[], graph: GraphState) => [any, any]} */
  const build = ([grads, given, params], graph) => {
    const tree = liftTree(graph, params, 'params', caller);
    tree.values.forEach((value, i) => checkFloat(value, tree.names[i], caller));
    const like = { ...tree, values: tree.values.map((value) => inDType(value, wide(value.dtype))) };
    const state = checkState(given, slots, caller);
    const gradients = leavesLike(like, grads, 'grads', caller);
    const held = slots.map((slot) => leavesLike(like, state[slot], `state.${slot}`, caller));
    const step = new Step(countOf(state.step, graph, caller), rate, caller);
    const made = like.values.map((param, i) =>
      rule({ param, grad: gradients[i], slots: held.map((values) => values[i]), step }),
    );
    const treeOf = (/** @type {number} */ at) => unflatten(tree.structure, made.map((each) => each[at]));
    const next = slots.map((slot, at) => [slot, treeOf(at + 1)]);
    const rounded = made.map(([param], i) => inDType(param, tree.values[i].dtype));
    const count = append(graph, 'add', [countOf(state.step, graph, caller), constantOf(graph, 1, 'i32', '1', caller)]);
    return [unflatten(tree.structure, rounded), { step: count, ...Object.fromEntries(next) }];
  };
  return Object.freeze({
    init: (/** @type {unknown} */ params) => initial(params, slots, `${name}.init`),
    update: traced(caller, 3, build),
  });
}

// ---------------------------------------------------------------------------------------- options

/** @type {import('../base/check.js').Getter<Rate>} */
function rateOption(value, which, caller) {
  if (typeof value === 'function') return /** @type {any} */ (value);
  const good = typeof value === 'number' && value >= 0 && Number.isFinite(value);
  return good ? value : expected(caller, 'a number of at least 0, or a schedule,', which, value);
}

/** @type {import('../base/check.js').Getter<number>} */
function fraction(value, which, caller) {
  const good = typeof value === 'number' && value >= 0 && value < 1;
  return good ? value : expected(caller, 'a number from 0 to below 1', which, value);
}

/** @type {import('../base/check.js').Getter<[number, number]>} */
function pair(value, which, caller) {
  if (!Array.isArray(value) || value.length !== 2) return expected(caller, 'an array of two numbers', which, value);
  return [fraction(value[0], which, caller), fraction(value[1], which, caller)];
}

/** @type {import('../base/check.js').Getter<number>} */
function notNegative(value, which, caller) {
  const number = finite(value, which, caller);
  return number >= 0 ? number : expected(caller, 'a number of at least 0', which, value);
}

// ------------------------------------------------------------------------------------------ rules

/** Decay as part of the gradient (L2). @type {(grad: Value, param: Value, decay: number) => Value} */
const decayed = (grad, param, decay) => (decay === 0 ? grad : add(grad, mul(param, decay)));

/** Decay apart from the gradient (decoupled). @type {(param: Value, step: Step, decay: number) => Value} */
const shrunk = (param, step, decay) => (decay === 0 ? param : mul(param, step.kept(decay, param)));

/** beta · average + (1 - beta) · value. @type {(average: Value, value: Value, beta: number) => Value} */
const averaged = (average, value, beta) => add(mul(average, beta), mul(value, 1 - beta));

/**
 * Gradient descent, with momentum as in PyTorch: the velocity is momentum · velocity + gradient, and the step is
 * learningRate · velocity; with Nesterov's, learningRate · (gradient + momentum · velocity).
 *
 * Sutskever et al., "On the importance of initialization and momentum in deep learning" (2013).
 *
 * @param {unknown} options
 * @returns {Optimiser}
 */
function sgd(options) {
  const own = readOptions('sgd', options, {
    learningRate: rateOption, momentum: fraction, nesterov: boolean, weightDecay: notNegative,
  });
  const { momentum = 0, nesterov = false, weightDecay = 0 } = own;
  const rate = rateOption(own.learningRate, "option 'learningRate'", 'sgd');
  if (nesterov && momentum === 0) fail('ERR_ARGUMENT', "sgd: option 'nesterov' needs a momentum above 0");
  return optimiser('sgd', momentum === 0 ? [] : ['velocity'], rate, ({ param, grad, slots: [velocity], step }) => {
    const size = step.rateFor(param);
    const slope = decayed(grad, param, weightDecay);
    if (momentum === 0) return [sub(param, mul(slope, size))];
    const next = add(mul(velocity, momentum), slope);
    const way = nesterov ? add(slope, mul(next, momentum)) : next;
    return [sub(param, mul(way, size)), next];
  });
}

/** What the options of Adam and its kin are. */
const ADAM = { learningRate: rateOption, betas: pair, epsilon: positive, weightDecay: notNegative };

/**
 * Both Adams: they differ in where decay comes in.
 *
 * @type {(name: string, options: unknown, defaultDecay: number, isDecoupled: boolean) => Optimiser}
 */
function adamOf(name, options, defaultDecay, isDecoupled) {
  const own = readOptions(name, options, ADAM);
  const { learningRate = 1e-3, betas = [0.9, 0.999], epsilon = 1e-8, weightDecay = defaultDecay } = own;
  const [beta1, beta2] = betas;
  return optimiser(name, ['mean', 'square'], learningRate, ({ param, grad, slots, step }) => {
    const size = step.correctedRate(beta1, param);
    const scale = step.rootCorrection(beta2, param);
    const start = isDecoupled ? shrunk(param, step, weightDecay) : param;
    const slope = isDecoupled ? grad : decayed(grad, param, weightDecay);
    const mean = averaged(slots[0], slope, beta1);
    const square = averaged(slots[1], mul(slope, slope), beta2);
    const way = div(mean, add(div(sqrt(square), scale), epsilon));
    return [sub(start, mul(way, size)), mean, square];
  });
}

/**
 * Kingma and Ba, "Adam: a method for stochastic optimization" (2015), algorithm 1, with weight decay as part of the
 * gradient.
 *
 * @param {unknown} [options]
 * @returns {Optimiser}
 */
const adam = (options) => adamOf('adam', options, 0, false);

/**
 * Loshchilov and Hutter, "Decoupled weight decay regularization" (2019), algorithm 2: parameters shrink by
 * learningRate · weightDecay beside the step.
 *
 * @param {unknown} [options]
 * @returns {Optimiser}
 */
const adamW = (options) => adamOf('adamW', options, 0.01, true);

/**
 * Tieleman and Hinton, "Lecture 6.5: rmsprop" (2012); centred as in Graves, "Generating sequences with recurrent
 * neural networks" (2013). As in PyTorch, epsilon is added behind the root.
 *
 * @param {unknown} [options]
 * @returns {Optimiser}
 */
function rmsprop(options) {
  const own = readOptions('rmsprop', options, {
    learningRate: rateOption, alpha: fraction, epsilon: positive, weightDecay: notNegative, momentum: fraction,
    centered: boolean,
  });
  const { learningRate = 0.01, alpha = 0.99, epsilon = 1e-8, weightDecay = 0, momentum = 0, centered = false } = own;
  const names = ['square', ...(centered ? ['mean'] : []), ...(momentum > 0 ? ['velocity'] : [])];
  return optimiser('rmsprop', names, learningRate, ({ param, grad, slots, step }) => {
    const size = step.rateFor(param);
    const slope = decayed(grad, param, weightDecay);
    const square = averaged(slots[0], mul(slope, slope), alpha);
    const mean = centered ? [averaged(slots[1], slope, alpha)] : [];
    const spread = mean.reduce((all, each) => sub(all, mul(each, each)), square);
    const way = div(slope, add(sqrt(spread), epsilon));
    const velocity = momentum > 0 ? [add(mul(slots[slots.length - 1], momentum), way)] : [];
    return [sub(param, mul(velocity[0] ?? way, size)), square, ...mean, ...velocity];
  });
}

/**
 * Chen et al., "Symbolic discovery of optimization algorithms" (2023), program 1: steps of one size, whose sign is
 * that of an average of gradients; decay is decoupled.
 *
 * @param {unknown} [options]
 * @returns {Optimiser}
 */
function lion(options) {
  const own = readOptions('lion', options, { learningRate: rateOption, betas: pair, weightDecay: notNegative });
  const { learningRate = 1e-4, betas = [0.9, 0.99], weightDecay = 0 } = own;
  return optimiser('lion', ['mean'], learningRate, ({ param, grad, slots: [mean], step }) => {
    const size = step.rateFor(param);
    const start = shrunk(param, step, weightDecay);
    const way = sign(averaged(mean, grad, betas[0]));
    return [sub(start, mul(way, size)), averaged(mean, grad, betas[1])];
  });
}

module.exports = { adam, adamW, lion, rmsprop, sgd };
