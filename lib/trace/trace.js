/**
 * Tracing: a function of tensors is called once with Values in their place, and what it does to them is
 * the graph.
 *
 * A traced value has no data, so JavaScript cannot branch on it, compute with it or go through it: whatever
 * the language lets us notice is an error that says what the value is, where it was made and what to use
 * instead. The truth of an object (`if (x)`, `x ? a : b`, `!x`) is always yes and cannot be noticed; that a
 * loop does not end for it can, since a trace makes so many values and no more. When the trace is over its
 * values are of no use any more; one that was kept says so, and where it was made.
 */
'use strict';

const { native } = require('../base/binding.js');
const { describe } = require('../base/check.js');
const { fail, here, userLine } = require('../base/errors.js');
const { Graph, stateOfGraph } = require('../graph/graph.js');
const { isScalar, isValue, stateOf, within } = require('../graph/value.js');
const { asTensor } = require('../tensor/create.js');
const { flatten, leafPaths, pathText } = require('./pytree.js');

/** @typedef {import('../graph/value.js').Value} Value */
/** @typedef {import('./pytree.js').Structure} Structure */

/** More values than anybody writes or unrolls, and few enough to end soon. */
const MOST_VALUES = 2 ** 16;

const ADVICE = 'use the methods of values, and cond, whileLoop or where in place of if, while and ?:';

/** Ends a function that has made so many values. @type {(made: number, caller: string, which: string) => void} */
function checkEnds(made, caller, which) {
  if (made < MOST_VALUES) return;
  const what = `${which} made ${MOST_VALUES} values while it was traced and has not returned`;
  fail(
    'ERR_ARGUMENT',
    `${caller}: ${what}: to JavaScript a value is always true, so that while (x) never ends; use whileLoop, forLoop or scan`,
  );
}

/** What a graph knows while a function is traced into it, and afterwards. */
class Trace {
  /**
   * @param {string} name of the function
   * @param {import('../base/binding.js').Handle} handle of its graph
   */
  constructor(name, handle) {
    this.name = name;
    this.handle = handle;
    this.ended = false;
    /** Values that take the dtype of what they meet. @type {Set<number>} */
    this.weak = new Set();
    /** Where each value was made. @type {Map<number, { stack?: unknown }>} */
    this.places = new Map();
  }

  /** @param {number} ref */
  record(ref) {
    if (this.ended || this.places.has(ref)) return;
    checkEnds(this.places.size, 'jit', `'${this.name}'`);
    this.places.set(ref, here());
  }

  /** @type {(ref: number) => string} such as ", made at /app/model.js:12:15," */
  #origin(ref) {
    const place = this.places.get(ref);
    const line = place && userLine(place);
    return line === undefined ? '' : `, made at ${line},`;
  }

  /**
   * Refuses a value whose trace is over.
   *
   * @param {number} ref
   * @returns {never}
   */
  refuse(ref) {
    const which = `a value of '${this.name}' (%${ref})${this.#origin(ref)}`;
    return fail('ERR_STATE', `jit: ${which} was kept after the function was traced: return it as a result instead`);
  }

  /**
   * Refuses to let JavaScript look into a value.
   *
   * @param {Value} value
   * @param {string} use
   * @returns {never}
   */
  refuseUse(value, use) {
    if (this.ended) return this.refuse(value.ref);
    const { op, name } = native.graphNode(this.handle, value.ref);
    const source = op === 'param' ? ` (argument '${name}')` : ` of op ${op}${this.#origin(value.ref)}`;
    const what = `${describe(value)}${source}`;
    return fail(
      'ERR_ARGUMENT',
      `jit: JavaScript asked ${what} ${use}, but it has no data while '${this.name}' is traced: ${ADVICE}`,
    );
  }

  /**
   * Refuses operands of two graphs one of which is this one, where that has a reason of its own.
   *
   * @param {Value} own
   * @param {Value} other
   * @param {string} caller
   */
  refuseMixed(own, other, caller) {
    const outer = stateOf(other).trace;
    if (outer === undefined) return;
    const both = `${describe(own)} of '${this.name}' and ${describe(other)} of '${outer.name}'`;
    fail(
      'ERR_ARGUMENT',
      `${caller}: ${both} belong to two functions being traced: pass the one to the other as an argument`,
    );
  }

  /** Forgets what only a trace needs, but for the places: they are what an error tells about a value that was kept. */
  end() {
    this.ended = true;
    this.weak.clear();
  }
}

/**
 * What a traced function gets in place of an argument.
 *
 * @typedef {object} LeafType
 * @property {import('../tensor/dtypes.js').DType} dtype
 * @property {readonly (number | string)[]} shape
 * @property {boolean} weak whether it is a number, which takes the dtype of what it meets
 * @property {string} name of the input
 */

/** @type {(text: string) => string} the name of an output, from its path in the result */
function outputName(text) {
  if (text === '') return 'result';
  return text.startsWith('[') ? `result${text}` : text;
}

/**
 * What a function returned, as outputs of the graph.
 *
 * @param {Graph} graph
 * @param {unknown} result
 * @param {string} name
 * @returns {Structure}
 */
function addOutputs(graph, result, name) {
  if (result === undefined) {
    fail('ERR_ARGUMENT', `jit: '${name}' returned undefined, expected a Value, or arrays and plain objects of Values`);
  }
  if (result instanceof Promise) {
    result.catch(() => undefined); // nobody else will look at it
    fail('ERR_ARGUMENT', `jit: '${name}' returned a Promise: a traced function cannot wait, load data before the call`);
  }
  const { leaves, structure } = flatten(result, 'jit', `the result of '${name}'`, {
    leafName: 'a Value, a Tensor or a number',
  });
  leafPaths(structure).forEach((path, i) => {
    const leaf = leaves[i];
    const value = isValue(leaf) ? leaf : graph.constant(isScalar(leaf) ? leaf : asTensor(leaf));
    const { trace } = stateOf(value);
    if (trace?.ended) trace.refuse(value.ref);
    graph.output(outputName(pathText(path)), value);
  });
  return structure;
}

/**
 * Traces one call.
 *
 * @param {(...args: any[]) => unknown} fn
 * @param {string} name
 * @param {readonly LeafType[]} types of the leaves of all arguments, in order
 * @param {(values: readonly Value[]) => unknown[]} argumentsOf puts values in the places of the leaves
 * @returns {{ graph: Graph, structure: Structure }} a graph that is nobody's yet, and the structure of the result
 */
function traceCall(fn, name, types, argumentsOf) {
  const graph = new Graph(name);
  const state = stateOfGraph(graph);
  const trace = new Trace(name, state.handle);
  state.trace = trace;
  try {
    const values = types.map((type) => {
      const value = graph.input(type.name, type.dtype, type.shape);
      if (type.weak) trace.weak.add(value.ref);
      return value;
    });
    const result = within(state, () => fn(...argumentsOf(values)));
    const structure = addOutputs(graph, result, name);
    return { graph, structure };
  } finally {
    trace.end();
  }
}

module.exports = { checkEnds, Trace, traceCall };
