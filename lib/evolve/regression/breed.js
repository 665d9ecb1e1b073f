/**
 * Children of trees: subtree crossover, and mutations of the kinds that gplearn and PySR have.
 *
 * A mutation that does not apply to a tree, or would make it too large, gives the tree itself; who breeds tries again.
 */
'use strict';

const { CONSTANT } = require('../operators.js');
const { beginOf, joined, operandEnds, randomLeaf, randomTree, replaced, single, slice } = require('./trees.js');

/** @typedef {import('./trees.js').Tree} Tree */
/** @typedef {import('./trees.js').Space} Space */
/** @typedef {import('../search/stream.js').Stream} Stream */
/** @typedef {(tree: Tree, stream: Stream, space: Space) => Tree} Mutation */

/** Places of tokens that a test holds for. @param {Tree} tree @param {(token: number) => boolean} test */
function placesOf({ tokens }, test) {
  const places = [];
  for (let i = 0; i < tokens.length; i++) if (test(tokens[i])) places.push(i);
  return places;
}

/** @param {Stream} stream @param {number[]} list */
const pick = (stream, list) => list[stream.below(list.length)];

/** A constant times something near 1, at times with another sign. @type {Mutation} */
function perturb(tree, stream) {
  const places = placesOf(tree, (token) => token === CONSTANT);
  if (places.length === 0) return tree;
  const at = pick(stream, places);
  const constants = tree.constants.slice();
  const factor = Math.exp(stream.normal() * 0.5) * (stream.next() < 0.05 ? -1 : 1);
  constants[at] = constants[at] * factor + (constants[at] === 0 ? stream.normal() : 0);
  return { tokens: tree.tokens, constants };
}

/** Another operator of as many operands. @type {Mutation} */
function changeOperator(tree, stream, space) {
  const places = placesOf(tree, (token) => token >= 0);
  if (places.length === 0) return tree;
  const at = pick(stream, places);
  const tokens = tree.tokens.slice();
  tokens[at] = pick(stream, space.byArity[space.arity[tokens[at]]]);
  return { tokens, constants: tree.constants };
}

/** Another leaf. @type {Mutation} */
function changeLeaf(tree, stream, space) {
  const at = pick(stream, placesOf(tree, (token) => token < 0));
  return replaced(tree, at, at, randomLeaf(stream, space));
}

/** An operator above a node, the other operands leaves. @type {Mutation} */
function insert(tree, stream, space) {
  if (space.growing.length === 0) return tree;
  const end = stream.below(tree.tokens.length);
  const begin = beginOf(space, tree.tokens, end);
  const operator = pick(stream, space.growing);
  const own = stream.below(space.arity[operator]);
  const operands = Array.from({ length: space.arity[operator] }, (_, i) =>
    i === own ? slice(tree, begin, end) : randomLeaf(stream, space),
  );
  return replaced(tree, begin, end, joined(...operands, single(operator)));
}

/** One of its operands in place of an operator. @type {Mutation} */
function remove(tree, stream, space) {
  const places = placesOf(tree, (token) => token >= 0 && space.arity[token] > 0);
  if (places.length === 0) return tree;
  const end = pick(stream, places);
  const last = pick(stream, operandEnds(space, tree.tokens, end));
  return replaced(tree, beginOf(space, tree.tokens, end), end, tree, beginOf(space, tree.tokens, last), last);
}

/** A random tree in place of a subtree. @type {Mutation} */
function regrow(tree, stream, space) {
  const end = stream.below(tree.tokens.length);
  return replaced(tree, beginOf(space, tree.tokens, end), end, randomTree(stream, space, 1 + stream.below(7)));
}

/** A subtree alone. @type {Mutation} */
function hoist(tree, stream, space) {
  const end = stream.below(tree.tokens.length);
  return slice(tree, beginOf(space, tree.tokens, end), end);
}

/** With how often each is tried, in parts of all. @type {readonly [Mutation, number][]} */
const MUTATIONS = [
  [perturb, 0.2], [changeOperator, 0.15], [changeLeaf, 0.15], [insert, 0.2], [remove, 0.12], [regrow, 0.15],
  [hoist, 0.03],
];

/** @param {Tree} tree @param {Stream} stream @param {Space} space */
function mutated(tree, stream, space) {
  for (let attempt = 0; attempt < 8; attempt++) {
    let left = stream.next();
    const [mutation] = MUTATIONS.find(([, share]) => (left -= share) < 0) ?? MUTATIONS[0];
    const child = mutation(tree, stream, space);
    if (child !== tree && child.tokens.length <= space.maxSize) return child;
  }
  return tree;
}

/** A subtree of another tree in place of one of this. @param {Tree} tree @param {Tree} other @param {Stream} stream @param {Space} space */
function crossed(tree, other, stream, space) {
  for (let attempt = 0; attempt < 4; attempt++) {
    const end = stream.below(tree.tokens.length);
    const last = stream.below(other.tokens.length);
    const [begin, first] = [beginOf(space, tree.tokens, end), beginOf(space, other.tokens, last)];
    const size = tree.tokens.length - (end - begin) + (last - first);
    if (size <= space.maxSize) return replaced(tree, begin, end, other, first, last);
  }
  return tree;
}

module.exports = { MUTATIONS, crossed, mutated };
