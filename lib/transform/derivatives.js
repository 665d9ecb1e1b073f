/**
 * Derivatives of functions of Values, as nodes of the graph that is being traced.
 *
 * The core appends them (src/passes/derive/); here is what a function takes and gives. All of it composes since a
 * derivative is made of nodes like any others: the derivative of a derivative is asked for in the same way.
 */
'use strict';

const { native } = require('../base/binding.js');
const { expected } = require('../base/check.js');
const { fail } = require('../base/errors.js');
const { append, constantOf, dimsOf, isValue, stateOf, valueOf } = require('../graph/value.js');
const { flattenAs, unflatten } = require('../trace/pytree.js');
const { derivativeText } = require('./applied.js');
const { checkFloat, inside, isFloat, liftTree, variablesOf } = require('./variables.js');

/** @typedef {import('../graph/value.js').Value} Value */
/** @typedef {import('../graph/value.js').GraphState} GraphState */
/** @typedef {import('./variables.js').Lifted} Lifted */

/** @type {(value: Value, number: number) => Value} of the dtype and shape of another */
const filled = (value, number) => constantOf(stateOf(value), number, value.dtype, 'a constant', 'grad', [...dimsOf(value)]);

/** What belongs to a graph, as refs; a value of a graph around is no variable of this one. @type {(state: GraphState, values: readonly Value[]) => number[]} */
const refsIn = (state, values) => values.map((value) => inside(state, value).ref);

/** @type {(state: GraphState) => (text: string, operand: number) => string | undefined} */
const textIn = (state) => (text, operand) => derivativeText(state, text, operand);

/**
 * The gradients of values, each with what it is multiplied by, summed: one per variable.
 *
 * @param {GraphState} state
 * @param {readonly Value[]} ys
 * @param {readonly Value[]} seeds
 * @param {readonly Value[]} variables
 * @returns {Value[]}
 */
function pullBack(state, ys, seeds, variables) {
  const pairs = ys.map((y, k) => [y, seeds[k]]).filter(([y]) => isFloat(y.dtype));
  const [own, given] = [0, 1].map((side) => refsIn(state, pairs.map((pair) => pair[side])));
  const refs = native.graphVjp(state.handle, own, given, refsIn(state, variables), textIn(state));
  return refs.map((ref, i) => (ref === 0 ? filled(variables[i], 0) : valueOf(state, ref)));
}

/** @type {(state: GraphState, variables: readonly Value[], tangents: readonly Value[], ys: readonly Value[]) => Value[]} */
function pushForward(state, variables, tangents, ys) {
  const floats = ys.filter((y) => isFloat(y.dtype));
  const [wrt, changes, of] = [variables, tangents, floats].map((values) => refsIn(state, values));
  const refs = native.graphJvp(state.handle, wrt, changes, of, textIn(state));
  const made = new Map(floats.map((y, k) => [y, refs[k]]));
  return ys.map((y) => {
    const ref = made.get(y) ?? 0;
    return ref === 0 ? filled(y, 0) : valueOf(state, ref);
  });
}

/** What a function gave as the number that is differentiated. @type {(result: unknown, state: GraphState, caller: string) => Value} */
function lossOf(result, state, caller) {
  if (!isValue(result)) {
    if (typeof result === 'number') return constantOf(state, result, 'f64', 'the result', caller);
    return expected(caller, 'a scalar', 'the result of the function', result);
  }
  checkFloat(result, 'the result of the function', caller);
  const dims = dimsOf(result);
  if (dims.length > 0) {
    const shape = stateOf(result).shapeText(dims);
    const advice = 'reduce it, for example with sum or mean, or use vjp or jacobian';
    fail('ERR_SHAPE', `${caller}: the function must return a scalar, got ${result.dtype}${shape}: ${advice}`);
  }
  return result;
}

/** @type {(trees: readonly Lifted[], grads: readonly Value[], isSingle: boolean) => any} leaves as the arguments are */
function shapedAs(trees, grads, isSingle) {
  let at = 0;
  const all = trees.map(({ structure, values }) => unflatten(structure, grads.slice(at, (at += values.length))));
  return isSingle ? all[0] : all;
}

/**
 * @param {(...args: any[]) => any} fn
 * @param {readonly unknown[]} args
 * @param {GraphState} state
 * @param {{ caller: string, wanted: import('./variables.js').Wanted, hasAux: boolean }} how
 * @returns {{ value: any, grad: any, aux: any }}
 */
function gradient(fn, args, state, { caller, wanted, hasAux }) {
  const given = variablesOf(state, args, wanted.list, caller);
  const result = fn(...given.args);
  if (hasAux && (!Array.isArray(result) || result.length !== 2))
    expected(caller, 'an array of a scalar and of what else there is', 'the result of the function', result);
  const loss = lossOf(hasAux ? result[0] : result, state, caller);
  const variables = given.trees.flatMap(({ values }) => values);
  const grads = pullBack(state, [loss], [filled(loss, 1)], variables);
  return { value: loss, grad: shapedAs(given.trees, grads, wanted.isSingle), aux: hasAux ? result[1] : null };
}

/** All arguments. @type {(args: readonly unknown[]) => number[]} */
const everyOne = (args) => args.map((_, i) => i);

/**
 * What a function gives, and the function that takes cotangents of that to cotangents of its arguments.
 *
 * @type {(fn: (...args: any[]) => any, args: readonly unknown[], state: GraphState) => [any, (cotangents: any) => any[]]}
 */
function vjp(fn, args, state) {
  const given = variablesOf(state, args, everyOne(args), 'vjp');
  const result = fn(...given.args);
  const out = liftTree(state, result, 'the result', 'vjp');
  const pull = (/** @type {any} */ cotangents) => {
    const seeds = liftAs(out, cotangents, 'the cotangent', 'vjp');
    const variables = given.trees.flatMap(({ values }) => values);
    return shapedAs(given.trees, pullBack(state, out.values, seeds, variables), false);
  };
  return [unflatten(out.structure, out.values), pull];
}

/** A leaf that is to be like a value. @type {(want: Value, leaf: unknown, name: string, caller: string) => Value} */
function likeValue(want, leaf, name, caller) {
  const state = stateOf(want);
  if (typeof leaf === 'number') return constantOf(state, leaf, want.dtype, name, caller, [...dimsOf(want)]);
  const [value] = liftTree(state, leaf, name, caller).values;
  const [have, need] = [value, want].map(dimsOf);
  const isSame = have.length === need.length && have.every((dim, k) => dim === need[k]);
  if (!isSame) fail('ERR_SHAPE', `${caller}: ${name} is ${state.shapeText(have)}, but must be ${state.shapeText(need)}`);
  const isAlike = value.dtype === want.dtype || !isFloat(want.dtype);
  return isAlike ? value : append(stateOf(value), 'convert', [value], { dtype: want.dtype });
}

/** A tree that is to be like another, leaf by leaf. @type {(like: Lifted, tree: unknown, name: string, caller: string) => Value[]} */
function liftAs(like, tree, name, caller) {
  const leaves = flattenAs(like.structure, tree, caller, name, like.names[0] ?? 'the other');
  return leaves.map((leaf, i) => likeValue(like.values[i], leaf, `${name} for ${like.names[i]}`, caller));
}

/**
 * What a function gives, and how that changes with its arguments.
 *
 * @type {(fn: (...args: any[]) => any, primals: readonly unknown[], tangents: readonly unknown[], state: GraphState) => [any, any]}
 */
function jvp(fn, primals, tangents, state) {
  if (!Array.isArray(primals) || !Array.isArray(tangents) || primals.length !== tangents.length)
    expected('jvp', 'an array of tangents, one per argument', 'the tangents', tangents);
  const given = variablesOf(state, primals, everyOne(primals), 'jvp');
  const changes = given.trees.flatMap((tree, i) => liftAs(tree, tangents[i], `tangent ${i}`, 'jvp'));
  const out = liftTree(state, fn(...given.args), 'the result', 'jvp');
  const made = pushForward(state, given.trees.flatMap(({ values }) => values), changes, out.values);
  return [unflatten(out.structure, out.values), unflatten(out.structure, made)];
}

/**
 * The gradients of a value of a graph by others, for who builds a graph by hand.
 *
 * @param {Value} y a scalar, unless `seed` says what it is multiplied by
 * @param {readonly Value[]} xs
 * @param {Value} [seed] of the shape and dtype of y
 * @returns {Value[]}
 */
function gradients(y, xs, seed) {
  if (!isValue(y)) expected('gradients', 'a Value', 'the first argument', y);
  if (!Array.isArray(xs) || !xs.every(isValue)) expected('gradients', 'an array of Values', 'the second argument', xs);
  xs.forEach((x, i) => checkFloat(x, `value ${i}`, 'gradients'));
  const state = stateOf(y);
  const of = seed === undefined ? lossOf(y, state, 'gradients') : y;
  return pullBack(state, [of], [seed ?? filled(y, 1)], xs);
}

module.exports = { filled, gradient, gradients, jvp, liftAs, pullBack, pushForward, shapedAs, vjp };
