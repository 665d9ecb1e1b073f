/**
 * What is recorded of operations on tensors that require gradients.
 *
 * A step keeps what its operation was called with, and its results refer to it: so the steps live as long as a result
 * does, and end when `backward` has gone through them. A step can be done again on values (`replay`), by which
 * backward.js makes a graph of many. Its key says what it does to operands of known types, so a graph is made once.
 *
 * Numbers beside tensors in elementwise operations are operands here, as they are for kernels (call.js), so that other
 * numbers are no other graph. Loops and functions with functions among their arguments were recorded as graphs
 * (record-and-run.js): their text is the key, and what was recorded then must be what is recorded again.
 */
'use strict';

const { fail } = require('../base/errors.js');
const { Graph } = require('../graph/graph.js');
const { isValue, within } = require('../graph/value.js');
const { methodOf } = require('../ops/index.js');
const { dtypes } = require('../tensor/dtypes.js');
const { History } = require('../tensor/recording.js');
const { Tensor, historyOf, setHistory, storageOf } = require('../tensor/tensor.js');
const { flatten } = require('../trace/pytree.js');
const { call, callOne, callTwo, isWorthKnowing, operandsOf } = require('./call.js');
const { callHigherOrder } = require('./higher-order.js');
const { fill, holds, numberOf, placeOf, readCall, requiresGrad } = require('./signature.js');

/** @typedef {import('../graph/value.js').GraphState} GraphState */
/** @typedef {import('../graph/value.js').Value} Value */
/** @typedef {import('./operation.js').Operation} Operation */

/** Does again what an operation did, in a graph, with values in place of its tensors. @typedef {(values: readonly Value[], state: GraphState) => unknown} Replay */

class Step {
  /**
   * @param {string} name
   * @param {readonly Tensor[]} inputs
   * @param {string | null} key of what it does; null for what cannot be told from others
   * @param {Replay} replay
   */
  constructor(name, inputs, key, replay) {
    this.name = name;
    this.inputs = inputs;
    this.key = key;
    this.replay = replay;
    /** How often the elements of each had been set. */
    this.writes = inputs.map((input) => storageOf(input).writes);
    /** Whether its result has no elements of its own. */
    this.isView = false;
    /** Whether backward has been here, and left nothing to go through again. */
    this.isReleased = false;
    // Of the walk that came by last (backward.js): which it was, the next input to go down, the place in its order.
    this.walk = 0;
    this.next = 0;
    this.index = 0;
  }

  release() {
    this.isReleased = true;
    this.inputs = this.writes = [];
    this.replay = () => undefined;
  }
}

/**
 * The call of an operation, or of a function that jit made.
 *
 * @param {string} name
 * @param {(...args: any[]) => any} fn
 * @param {unknown} template of the arguments
 * @param {readonly Tensor[]} inputs
 * @param {string | null} key of the template
 * @returns {Step}
 */
function callOf(name, fn, template, inputs, key) {
  const text = key === null ? null : `${numberOf(fn)}${key}`;
  return new Step(name, inputs, text, (values) => fn(...fill(template, values)));
}

/** Values in place of tensors, in the order in which these were met when it was recorded. */
class Again {
  /** @param {readonly Value[]} values */
  constructor(values) {
    this.values = values;
    /** @type {Map<Tensor, Value>} */
    this.known = new Map();
  }

  /** @type {(tensor: Tensor) => Value} */
  input(tensor) {
    const value = this.known.get(tensor) ?? this.values[this.known.size];
    this.known.set(tensor, value);
    return value;
  }
}

/**
 * A graph that was recorded and run.
 *
 * @param {string} name
 * @param {string} text
 * @param {() => unknown} run
 * @param {readonly Tensor[]} inputs
 * @returns {Step}
 */
function graphOf(name, text, run, inputs) {
  return new Step(name, inputs, `graph ${text}`, (values, state) => {
    checkSame(name, text, run);
    const { captured } = state;
    state.captured = /** @type {any} */ (new Again(values));
    try {
      return within(state, run);
    } finally {
      state.captured = captured;
    }
  });
}

/** Refuses what is recorded to something else than it was. @type {(name: string, text: string, run: () => unknown) => void} */
function checkSame(name, text, run) {
  const graph = new Graph(name);
  try {
    if (require('./record-and-run.js').record(graph, name, run).text === text) return;
    fail(
      'ERR_STATE',
      `backward: the functions given to ${name} do something else now than when they were called: use grad(fn) of a function that contains the call`,
    );
  } finally {
    graph.dispose();
  }
}

/** @type {(x: Tensor, step: Step, index: number) => void} */
function attach(x, step, index) {
  // What gives an operand itself has done nothing.
  if (dtypes[x.dtype].kind === 'float' && historyOf(x) === null) setHistory(x, new History(step, index));
}

/**
 * @template T
 * @param {T} result
 * @param {Step} step
 * @returns {T}
 */
function withStep(result, step) {
  if (result instanceof Tensor) attach(result, step, 0);
  else {
    const { leaves } = flatten(result, step.name, 'the result', { optional: true });
    leaves.forEach((leaf, i) => leaf instanceof Tensor && attach(leaf, step, i));
  }
  return result;
}

/** @type {(operation: Operation, args: readonly unknown[]) => any} */
function compute(operation, args) {
  const [x, y] = args;
  const isShort = x instanceof Tensor && args.length <= 2;
  const short = !isShort ? null : args.length === 2 ? callTwo(operation, x, y) : callOne(operation, x);
  return short ?? call(operation, args);
}

/**
 * Calls an operation and records it.
 *
 * @param {Operation} operation
 * @param {readonly unknown[]} args one of which requires a gradient
 * @returns {any}
 */
function recordCall(operation, args) {
  if (holds(args, isValue)) return operation.call(...args);
  if (args.some((arg) => typeof arg === 'function')) return callHigherOrder(operation, args);
  const { name } = operation;
  const operands = operation.isRow && !isWorthKnowing(name, args[1]) ? operandsOf(operation, args) : null;
  if (operands !== null) {
    const template = operands.map((_, i) => placeOf(i));
    const own = args.map((arg, i) => (typeof arg === 'object' ? operands[i] : arg));
    return withStep(compute(operation, own), callOf(name, operation.call, template, operands, `/${operands.length}`));
  }
  const { tensors, template, told } = readCall(args, name);
  const step = callOf(name, operation.call, template, tensors, told);
  return withStep(compute(operation, fill(template, tensors)), step);
}

/** @type {import('../tensor/recording.js').Hooks['recordView']} */
function recordView(name, args, x, made) {
  const { tensors, template, told } = readCall([x, ...args], name);
  const step = callOf(name, methodOf(name), template, tensors, told);
  step.isView = storageOf(made) === storageOf(x);
  return withStep(made, step);
}

/** @type {import('../tensor/recording.js').Hooks['callFunction']} */
function callFunction(name, fn, args, give) {
  if (!holds(args, requiresGrad) || holds(args, isValue)) return give();
  const { tensors, template, told } = readCall(args, name);
  return withStep(give(), callOf(name, fn, template, tensors, told));
}

/**
 * Records what record-and-run.js did.
 *
 * @type {(name: string, text: string, again: () => unknown, inputs: readonly Tensor[], result: any) => any}
 */
function recordGraph(name, text, again, inputs, result) {
  return inputs.some(requiresGrad) ? withStep(result, graphOf(name, text, again, inputs)) : result;
}

module.exports = { Step, callFunction, recordCall, recordGraph, recordView };
