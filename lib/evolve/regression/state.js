/**
 * A whole search as plain data, and back. Over the same data a search goes on as if it had not stopped; over other
 * data, or with another loss, what its trees were worth says nothing, and all of them are measured anew. Functions of
 * the user's own cannot be compared: whether they are the same is seen by what trees are worth.
 */
'use strict';

const crypto = require('node:crypto');
const { expected, integer } = require('../../base/check.js');
const { fail } = require('../../base/errors.js');
const { Population } = require('../population.js');
const { programsOf } = require('./individuals.js');

/** @typedef {import('./search.js').Regression} Regression */
/** @typedef {import('./individuals.js').Individual} Individual */

const WHICH = "option 'state'";

/** @param {Individual} individual */
const saved = ({ tree: { tokens, constants, isFitted }, loss }) => ({
  tokens: Array.from(tokens), constants: Array.from(constants), ...(isFitted && { isFitted }), loss,
});

/** What losses depend on, but for functions of the user's own. @param {Regression} regression */
function digestOf({ settings: { loss, dtype, numerics, language }, data: { columns, target, weights } }) {
  const hash = crypto.createHash('sha256').update(JSON.stringify([String(loss), dtype, numerics, language.bodies]));
  for (const each of [...columns, target, ...(weights ? [weights] : [])]) hash.update(each);
  return hash.digest('hex').slice(0, 32);
}

/** As JSON holds it: Infinity is null there. @param {Regression} regression */
function stateOf(regression) {
  const { settings, generation, evaluations, islands, hall } = regression;
  return {
    version: 1, ops: settings.language.operators.map(({ name }) => name), variables: [...settings.variables],
    digest: digestOf(regression), generation, evaluations, islands: islands.map((island) => island.map(saved)),
    hall: hall.filter((each) => each !== undefined).map(saved),
  };
}

/** @param {any} each @param {string} caller @returns {Individual} */
function individual(each, caller) {
  const { tokens, constants, isFitted, loss } = each ?? {};
  const isTree = Array.isArray(tokens) && Array.isArray(constants) && tokens.length === constants.length;
  const isLoss = loss === null || (typeof loss === 'number' && !Number.isNaN(loss));
  if (!isTree || tokens.length === 0 || !isLoss) return expected(caller, 'trees { tokens, constants, loss }', WHICH, each);
  const tree = { tokens: Int32Array.from(tokens), constants: Float64Array.from(constants) };
  return { tree: isFitted === true ? { ...tree, isFitted } : tree, loss: loss ?? Infinity };
}

/** @param {Regression} regression @param {any} state @param {string} caller */
function restore(regression, state, caller) {
  const { settings } = regression;
  const own = stateOf(regression);
  const isList = state?.version === 1 && Array.isArray(state.islands) && Array.isArray(state.hall);
  if (!isList) expected(caller, 'the state of a regressor', WHICH, state);
  for (const key of /** @type {const} */ (['ops', 'variables'])) {
    if (String(state[key]) === String(own[key])) continue;
    fail('ERR_ARGUMENT', `${caller}: the state has other ${key}: ${state[key]}, expected ${own[key]}`);
  }
  const count = integer(0);
  const generation = count(state.generation, `the generation of ${WHICH}`, caller);
  const evaluations = count(state.evaluations, `the evaluations of ${WHICH}`, caller);
  const isFull = (/** @type {unknown} */ island) => Array.isArray(island) && island.length > 0;
  if (state.islands.length === 0 || !state.islands.every(isFull)) expected(caller, 'islands with trees', WHICH, state.islands);
  const read = (/** @type {any[]} */ list) => list.map((each) => individual(each, caller));
  const islands = state.islands.map(read);
  const hall = read(state.hall);
  /** @type {Individual[]} */
  const all = [...islands.flat(), ...hall];
  const large = all.find(({ tree }) => tree.tokens.length > settings.maxSize);
  if (large) {
    fail('ERR_ARGUMENT', `${caller}: the state has a tree of ${large.tree.tokens.length} tokens, expected at most ${settings.maxSize} as option 'maxSize' says`);
  }
  // What is wrong in a tree is found where all trees are read.
  new Population(programsOf(all.map(({ tree }) => tree)), settings).dispose();
  const hasFunctions = typeof settings.loss === 'function' || settings.language.functions.length > 0;
  const isSame = state.digest === own.digest && (!hasFunctions || regression.agrees(all));
  regression.enter({ islands, hall, generation, evaluations }, isSame);
}

module.exports = { restore, stateOf };
