/**
 * Arguments of a function as variables: the leaves of trees that it is differentiated by, as values that nothing else
 * in the graph is.
 *
 * A value that a function is given may be in use elsewhere too, in the function itself if it captures it. Derivatives
 * by an argument do not count that, so each leaf is put behind a node of its own, which simplification takes away.
 */
'use strict';

const { expected } = require('../base/check.js');
const { fail } = require('../base/errors.js');
const { append, constantFrom, constantOf, dimsOf, isScalar, isValue, stateOf } = require('../graph/value.js');
const { dtypes } = require('../tensor/dtypes.js');
const { flatten, leafPaths, pathText, unflatten } = require('../trace/pytree.js');

/** @typedef {import('../graph/value.js').Value} Value */
/** @typedef {import('../graph/value.js').GraphState} GraphState */
/** @typedef {import('../trace/pytree.js').Structure} Structure */

/** A tree as values of a graph, and what a message calls each. @typedef {{ values: Value[], structure: Structure, names: string[] }} Lifted */

/** Which arguments; `isSingle`: the derivative is one tree, not a list. @typedef {{ list: number[], isSingle: boolean }} Wanted */

/** @type {(state: GraphState, leaf: unknown, name: string, caller: string) => Value} */
function liftLeaf(state, leaf, name, caller) {
  if (isValue(leaf)) return leaf;
  if (isScalar(leaf)) {
    const dtype = typeof leaf === 'number' ? 'f64' : typeof leaf === 'bigint' ? 'i64' : 'bool';
    return constantOf(state, leaf, dtype, name, caller);
  }
  return constantFrom(state, leaf, caller);
}

/** @type {(state: GraphState, tree: unknown, name: string, caller: string) => Lifted} */
function liftTree(state, tree, name, caller) {
  const { leaves, structure } = flatten(tree, caller, name, { optional: true });
  const names = leafPaths(structure).map((path) => pathText(path, name));
  return { values: leaves.map((leaf, i) => liftLeaf(state, leaf, names[i], caller)), structure, names };
}

/** @type {(dtype: string) => boolean} */
const isFloat = (dtype) => dtypes[/** @type {import('../tensor/dtypes.js').DType} */ (dtype)].kind === 'float';

/** What a value of a graph around is in a function of it. @type {(state: GraphState, value: Value) => Value} */
const inside = (state, value) => (stateOf(value) === state ? value : /** @type {any} */ (state.body).capture(value));

/**
 * The same value as one that nobody else has, in the graph at hand: what a function computes of it is to be there too.
 *
 * @type {(state: GraphState, value: Value) => Value}
 */
function fresh(state, value) {
  const own = inside(state, value);
  return append(state, 'reshape', [own], { shape: dimsOf(own) });
}

/** Refuses what has no derivative. @type {(value: Value, name: string, caller: string) => void} */
function checkFloat({ dtype }, name, caller) {
  if (!isFloat(dtype)) fail('ERR_DTYPE', `${caller}: ${name} is of dtype ${dtype}, but derivatives are of floats only`);
}

/**
 * The arguments with those that are wanted as variables.
 *
 * @param {GraphState} state
 * @param {readonly unknown[]} args
 * @param {readonly number[]} wanted
 * @param {string} caller
 * @returns {{ args: unknown[], trees: Lifted[] }} `trees`: per wanted argument
 */
function variablesOf(state, args, wanted, caller) {
  const all = [...args];
  const trees = wanted.map((at) => {
    if (at >= args.length) fail('ERR_ARGUMENT', `${caller}: there is no argument ${at}, the function was given ${args.length}`);
    const { values, structure, names } = liftTree(state, args[at], `argument ${at}`, caller);
    if (values.length === 0) expected(caller, 'a tensor, or a tree of tensors', `argument ${at}`, args[at]);
    values.forEach((value, i) => checkFloat(value, names[i], caller));
    const own = values.map((value) => fresh(state, value));
    all[at] = unflatten(structure, own);
    return { values: own, structure, names };
  });
  return { args: all, trees };
}

module.exports = { checkFloat, fresh, inside, isFloat, liftTree, variablesOf };
