/**
 * What a function's derivative is to be, where it is not what its operations say: none, computed again, or given.
 *
 * Both checkpoint and customGrad record a function as one of the graph, so that the op that calls it can say so. Values
 * from outside that it uses become operands of the call by themselves (trace/control.js).
 */
'use strict';

const { callable, expected } = require('../base/check.js');
const { append, isValue, resultsOf, within } = require('../graph/value.js');
const { Tensor } = require('../tensor/tensor.js');
const { Body, Captures, checkResult, tracing, typeOf } = require('../trace/control.js');
const { flatten, unflatten } = require('../trace/pytree.js');
const { filled, liftAs } = require('./derivatives.js');
const { transformed } = require('./index.js');
const { isFloat, liftTree } = require('./variables.js');

/** @typedef {import('../graph/value.js').Value} Value */
/** @typedef {import('../graph/value.js').GraphState} GraphState */
/** @typedef {import('./variables.js').Lifted} Lifted */
/** @typedef {(...args: any[]) => any} Fn */

/**
 * The same tree, which derivatives take for constants.
 *
 * @template T
 * @param {T} tree
 * @returns {T}
 */
function stopGradient(tree) {
  const { leaves, structure } = flatten(tree, 'stopGradient', 'the argument', { optional: true });
  const isStopped = (/** @type {any} */ leaf) => (isValue(leaf) || leaf instanceof Tensor) && isFloat(leaf.dtype);
  const stopped = leaves.map((leaf) => (isStopped(leaf) ? /** @type {any} */ (leaf).stopGradient() : leaf));
  return /** @type {T} */ (unflatten(structure, stopped));
}

/** A function of the graph that is recorded. @typedef {{ body: Body, out: Lifted }} Recorded */

/** @type {(body: Body, fn: Fn, given: Lifted, caller: string) => Recorded} */
function record(body, fn, given, caller) {
  const params = given.values.map((value) => body.input(typeOf(value)));
  const out = within(body.state, () => {
    const result = checkResult(caller, fn(...unflatten(given.structure, params)), 'the function');
    return liftTree(body.state, result, 'the result', caller);
  });
  if (out.values.length === 0) expected(caller, 'a tensor, or a tree of tensors', 'the result', undefined);
  return { body, out: { ...out, values: out.values.map((value) => body.inside(value)) } };
}

/** @type {(state: GraphState, op: string, given: Lifted, captures: Captures, functions: number[], out: Lifted) => any} */
function called(state, op, given, captures, functions, out) {
  const first = append(state, op, [...given.values, ...captures.values], { functions });
  return unflatten(out.structure, resultsOf(first, out.values.length));
}

/**
 * A function that gives the same, but keeps nothing of what it computes inside for its derivatives: these compute it
 * again. It takes more time and less memory.
 *
 * @param {unknown} fn
 * @returns {Fn} of the same arguments
 */
function checkpoint(fn) {
  const caller = 'checkpoint';
  const f = /** @type {Fn} */ (callable(fn, 'the first argument', caller));
  return transformed(caller, f, (args, state) => {
    const given = liftTree(state, args, 'the arguments', caller);
    const captures = new Captures();
    const body = new Body(caller, state, captures, f.name || 'function');
    return tracing([body], () => {
      const { out } = record(body, f, given, caller);
      return called(state, 'checkpoint', given, captures, [body.add(out.values)], out);
    });
  });
}

/** One cotangent for each float among the arguments. @type {(state: GraphState, given: Lifted, args: readonly unknown[], grads: unknown) => Value[]} */
function cotangentsOf(state, given, args, grads) {
  const caller = 'customGrad';
  if (!Array.isArray(grads) || grads.length !== args.length)
    return expected(caller, 'an array of cotangents, one per argument', 'the result of the second function', grads);
  let at = 0;
  return args.flatMap((arg, i) => {
    const { structure, names } = liftTree(state, arg, `argument ${i}`, caller);
    const like = { structure, names, values: given.values.slice(at, (at += names.length)) };
    const isLeftOut = grads[i] === null || grads[i] === undefined;
    const own = isLeftOut
      ? like.values.map((value) => filled(value, 0))
      : liftAs(like, grads[i], `cotangent ${i}`, caller);
    return own.filter((_, k) => isFloat(like.values[k].dtype));
  });
}

/**
 * A function whose cotangents another one gives: in reverse mode, since forward mode asks for none and differentiates
 * the function itself. What it uses from outside has no cotangent, so derivatives by that are refused.
 *
 * @param {unknown} fn (...args) → result
 * @param {unknown} backward (args, result, cotangent) → an array of cotangents, one per argument; null for none
 * @returns {Fn} of the same arguments
 */
function customGrad(fn, backward) {
  const caller = 'customGrad';
  const f = /** @type {Fn} */ (callable(fn, 'the first argument', caller));
  const back = /** @type {Fn} */ (callable(backward, 'the second argument', caller));
  return transformed(caller, f, (args, state) => {
    const given = liftTree(state, args, 'the arguments', caller);
    const captures = new Captures();
    const [body, backBody] = [f.name || 'function', 'cotangents'].map((name) => new Body(caller, state, captures, name));
    return tracing([body, backBody], () => {
      const { out } = record(body, f, given, caller);
      const cotangents = backwardOf(backBody, back, given, out);
      const functions = [body, backBody].map((each, i) => each.add([out.values, cotangents][i]));
      return called(state, 'call', given, captures, cotangents.length === 0 ? [functions[0]] : functions, out);
    });
  });
}

/** Its inputs are the results, cotangents of the floats among them, and the arguments. @type {(body: Body, back: Fn, given: Lifted, out: Lifted) => Value[]} */
function backwardOf(body, back, given, out) {
  const results = out.values.map((value) => body.input(typeOf(value)));
  const cts = out.values.map((value) => (isFloat(value.dtype) ? body.input(typeOf(value)) : null));
  const params = given.values.map((value) => body.input(typeOf(value)));
  return within(body.state, () => {
    const trees = unflatten(given.structure, params);
    const grads = checkResult('customGrad', back(trees, unflatten(out.structure, results), unflatten(out.structure, cts)), 'the second function');
    const own = cotangentsOf(body.state, { ...given, values: params }, trees, grads);
    return own.map((value) => body.inside(value));
  });
}

module.exports = { checkpoint, customGrad, stopGradient };
