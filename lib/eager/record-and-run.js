/**
 * Control flow on tensors: recorded as a graph, which runs at once.
 *
 * The functions of a loop are called once, as for any graph, and the text of what they did is the key by which the
 * compiled program is known: the next call with functions that do the same runs it. So that data are no part of the
 * key, every tensor is an input, those too that a function finds outside of itself, and numbers that a loop begins
 * with. Small arrays of numbers that stand in the source are constants.
 */
'use strict';

const { Graph, stateOfGraph } = require('../graph/graph.js');
const { within } = require('../graph/value.js');
const { recording } = require('../tensor/recording.js');
const { flatten, unflatten } = require('../trace/pytree.js');
const { Direct, kernelFor } = require('./kernels.js');

/** @typedef {import('../tensor/tensor.js').Tensor} Tensor */
/** @typedef {import('../graph/value.js').Value} Value */

/** The tensors that a graph is computed of. */
class CapturedTensors {
  /** @param {Graph} graph */
  constructor(graph) {
    this.graph = graph;
    /** @type {Map<Tensor, Value>} */
    this.values = new Map();
  }

  /** @type {(tensor: Tensor) => Value} */
  input(tensor) {
    const known = this.values.get(tensor);
    if (known !== undefined) return known;
    const value = this.graph.input(`x${this.values.size}`, tensor.dtype, tensor.shape);
    this.values.set(tensor, value);
    return value;
  }
}

/**
 * Calls a function while what it does becomes a graph.
 *
 * @param {Graph} graph an empty one
 * @param {string} caller
 * @param {() => unknown} run gives a tree of values, of the graph that is being traced
 */
function record(graph, caller, run) {
  const state = stateOfGraph(graph);
  const captured = new CapturedTensors(graph);
  state.captured = captured;
  const { leaves, structure } = flatten(within(state, run), caller, 'the result');
  leaves.forEach((leaf, i) => graph.output(`r${i}`, /** @type {Value} */ (leaf)));
  return { structure, count: leaves.length, tensors: [...captured.values.keys()], text: String(graph) };
}

/**
 * @param {string} caller
 * @param {() => unknown} run gives a tree of values, of the graph that is being traced
 * @returns {any} the tree of tensors
 */
function recordAndRun(caller, run) {
  const graph = new Graph(caller);
  try {
    const { structure, count, tensors, text } = record(graph, caller, run);
    if (count === 0) return unflatten(structure, []);
    const kernel = kernelFor(text, () => new Direct(graph, caller, tensors));
    const result = unflatten(structure, kernel.callable.call(tensors));
    return recording.isOn ? require('./tape.js').recordGraph(caller, text, run, tensors, result) : result;
  } finally {
    graph.dispose();
  }
}

module.exports = { CapturedTensors, record, recordAndRun };
