/**
 * Programs as evolution handles them: postfix tokens in typed arrays, in which a subtree is a run of tokens that ends
 * with its root. Nothing changes a program in place.
 */
'use strict';

const { CONSTANT, VARIABLE } = require('../operators.js');

/** @typedef {import('../search/stream.js').Stream} Stream */
/** Of a fitted tree, constants have been. @typedef {{ readonly tokens: Int32Array, readonly constants: Float64Array, readonly isFitted?: true }} Tree */

/** Operands of operators. @typedef {{ readonly arity: Uint8Array }} Arities */

/**
 * What trees may be made of.
 *
 * @typedef {Arities & Choices} Space
 */
/**
 * @typedef {object} Choices
 * @property {number[][]} byArity operators with so many operands
 * @property {number[]} growing operators with operands
 * @property {number} variables how many
 * @property {number} range of constants, on both sides of 0; 0: leaves are variables
 * @property {number} maxSize most tokens
 */

/** @param {import('../operators.js').Language} language @param {number} variables @param {number} range @param {number} maxSize @returns {Space} */
function spaceOf(language, variables, range, maxSize) {
  const arity = Uint8Array.from(language.operators, (each) => each.arity);
  /** @type {number[][]} */
  const byArity = Array.from({ length: 9 }, () => []);
  arity.forEach((count, operator) => byArity[count].push(operator));
  return { arity, byArity, growing: byArity.slice(1).flat(), variables, range, maxSize };
}

/** Where the subtree that ends at `end` begins. @param {Arities} space @param {Int32Array} tokens @param {number} end */
function beginOf(space, tokens, end) {
  let at = end;
  for (let missing = 1; ; at--) {
    missing += (tokens[at] < 0 ? 0 : space.arity[tokens[at]]) - 1;
    if (missing === 0) return at;
  }
}

/** Where the operands of the operator at `end` end, the first one first. @param {Arities} space @param {Int32Array} tokens @param {number} end */
function operandEnds(space, tokens, end) {
  const ends = [];
  let at = end - 1;
  for (let left = tokens[end] < 0 ? 0 : space.arity[tokens[end]]; left > 0; left--) {
    ends.unshift(at);
    at = beginOf(space, tokens, at) - 1;
  }
  return ends;
}

/** The tokens from `begin` to `end`, both included. @param {Tree} tree @param {number} begin @param {number} end @returns {Tree} */
const slice = ({ tokens, constants }, begin, end) => ({
  tokens: tokens.slice(begin, end + 1), constants: constants.slice(begin, end + 1),
});

/** Trees one behind the other. @param {...Tree} parts @returns {Tree} */
function joined(...parts) {
  const size = parts.reduce((sum, { tokens }) => sum + tokens.length, 0);
  const tree = { tokens: new Int32Array(size), constants: new Float64Array(size) };
  let at = 0;
  for (const { tokens, constants } of parts) {
    tree.tokens.set(tokens, at);
    tree.constants.set(constants, at);
    at += tokens.length;
  }
  return tree;
}

/** @param {Tree} from @param {number} begin @param {number} end not included @param {Tree} to @param {number} at */
function copy(from, begin, end, to, at) {
  for (let i = begin; i < end; i++, at++) {
    to.tokens[at] = from.tokens[i];
    to.constants[at] = from.constants[i];
  }
}

/**
 * Another tree, or the subtree of it from `first` to `last`, in place of the subtree from `begin` to `end`.
 *
 * @param {Tree} tree
 * @param {number} begin
 * @param {number} end
 * @param {Tree} other
 * @param {number} [first]
 * @param {number} [last]
 * @returns {Tree}
 */
function replaced(tree, begin, end, other, first = 0, last = other.tokens.length - 1) {
  const size = tree.tokens.length - (end - begin) + (last - first);
  const made = { tokens: new Int32Array(size), constants: new Float64Array(size) };
  copy(tree, 0, begin, made, 0);
  copy(other, first, last + 1, made, begin);
  copy(tree, end + 1, tree.tokens.length, made, begin + last + 1 - first);
  return made;
}

/** @param {number} token @param {number} [constant] @returns {Tree} */
const single = (token, constant = 0) => ({ tokens: Int32Array.of(token), constants: Float64Array.of(constant) });

/** @param {Stream} stream @param {Space} space @returns {Tree} */
function randomLeaf(stream, space) {
  const isVariable = space.range === 0 || stream.next() < 0.6;
  if (space.variables > 0 && isVariable) return single(VARIABLE - stream.below(space.variables));
  return single(CONSTANT, (2 * stream.next() - 1) * space.range);
}

/** An operator over leaves. @param {Stream} stream @param {Space} space @param {number} operator */
const sprout = (stream, space, operator) =>
  joined(...Array.from({ length: space.arity[operator] }, () => randomLeaf(stream, space)), single(operator));

/** A tree of `size` tokens or a few less, grown leaf by leaf. @param {Stream} stream @param {Space} space @param {number} size */
function randomTree(stream, space, size) {
  let tree = randomLeaf(stream, space);
  while (tree.tokens.length < size && space.growing.length > 0) {
    const operator = space.growing[stream.below(space.growing.length)];
    if (tree.tokens.length + space.arity[operator] > size) break;
    const leaves = Array.from(tree.tokens.keys()).filter((at) => tree.tokens[at] < 0);
    const at = leaves[stream.below(leaves.length)];
    tree = replaced(tree, at, at, sprout(stream, space, operator));
  }
  return tree;
}

/** @param {Tree} tree */
const isConstant = ({ tokens }) => tokens.length === 1 && tokens[0] === CONSTANT;

/** @param {Tree} a @param {Tree} b */
function same(a, b) {
  if (a.tokens.length !== b.tokens.length) return false;
  return a.tokens.every((token, i) => token === b.tokens[i] && Object.is(a.constants[i], b.constants[i]));
}

module.exports = {
  beginOf, isConstant, joined, operandEnds, randomLeaf, randomTree, replaced, same, single, slice, spaceOf,
};
