/**
 * Sums and products collected: of the terms of a chain of `add` and `sub`, those that cancel are left out and constants
 * become one; so do factors of a chain of `mul` and `div`.
 *
 * The order of terms stays, with those that are taken away behind the others and the constant last. What is collected
 * may round differently, and be defined where a factor that is left out was 0.
 */
'use strict';

const { CONSTANT } = require('../operators.js');
const { beginOf, isConstant, joined, operandEnds, same, single, slice } = require('./trees.js');

/** @typedef {import('./trees.js').Tree} Tree */
/** @typedef {{ readonly forth: string, readonly back: string, readonly neutral: number }} Chain operators that are each other's inverse */
/** Of a chain: what is added or taken away, multiplied by or divided by. @typedef {{ tree: Tree, isBack: boolean }} Term */

/** @type {readonly Chain[]} */
const CHAINS = [{ forth: 'add', back: 'sub', neutral: 0 }, { forth: 'mul', back: 'div', neutral: 1 }];

/** The chain that a token goes on. @param {number} token @param {import('../operators.js').Language} language */
function chainOf(token, language) {
  const name = token < 0 ? '' : language.meaning(token);
  return CHAINS.find(({ forth, back }) => name === forth || name === back);
}

/** Operands of the root. @param {Tree} tree @param {import('./trees.js').Arities} space */
function operandsOf(tree, space) {
  const ends = operandEnds(space, tree.tokens, tree.tokens.length - 1);
  return ends.map((end) => slice(tree, beginOf(space, tree.tokens, end), end));
}

/** @param {Tree} root @param {Chain} chain @param {import('../operators.js').Language} language */
function termsOf(root, chain, language) {
  const space = { arity: Uint8Array.from(language.operators, ({ arity }) => arity) };
  /** @type {Term[]} */
  const terms = [];
  /** @type {Term[]} */
  const stack = [{ tree: root, isBack: false }];
  for (let each = stack.pop(); each; each = stack.pop()) {
    const { tree, isBack } = each;
    const token = tree.tokens[tree.tokens.length - 1];
    if (chainOf(token, language) !== chain) {
      terms.push(each);
      continue;
    }
    const [first, second] = operandsOf(tree, space);
    stack.push({ tree: second, isBack: isBack !== (language.meaning(token) === chain.back) }, { tree: first, isBack });
  }
  return terms;
}

/** @param {Term[]} terms @returns {Term[]} those that no other one undoes */
function withoutPairs(terms) {
  /** @type {Term[]} */
  const left = [];
  for (const term of terms) {
    const other = left.findIndex(({ tree, isBack }) => isBack !== term.isBack && same(tree, term.tree));
    if (other >= 0) left.splice(other, 1);
    else left.push(term);
  }
  return left;
}

/** A product of constants that is less may have lost digits, or be 0 without reason, in single precision. */
const LEAST = 1e-30;

/**
 * The same as a smaller tree, or the tree itself. Its root is the first of its chain: all of it is collected at once.
 *
 * @param {Tree} root
 * @param {import('../operators.js').Language} language
 * @param {(trees: Tree[]) => ArrayLike<number>} evaluate trees without variables
 * @returns {Tree}
 */
function collected(root, language, evaluate) {
  const chain = chainOf(root.tokens[root.tokens.length - 1], language);
  // A protected division by what is nearly 0 is no inverse.
  if (chain === undefined || (language.isProtected && chain.forth === 'mul')) return root;
  const tokenOf = (/** @type {boolean} */ isBack) => language.numbers.get(isBack ? chain.back : chain.forth) ?? -1;
  const [forth, back] = [tokenOf(false), tokenOf(true)];
  if (![forth, back].every((token) => token >= 0 && language.meaning(token) !== '')) return root;
  const whole = (/** @type {Tree} */ first, /** @type {readonly Term[]} */ rest) =>
    joined(first, ...rest.flatMap(({ tree, isBack }) => [tree, single(isBack ? back : forth)]));

  const terms = withoutPairs(termsOf(root, chain, language));
  const constants = terms.filter(({ tree }) => isConstant(tree));
  const others = terms.filter(({ tree }) => !isConstant(tree)).sort((a, b) => Number(a.isBack) - Number(b.isBack));
  const { neutral } = chain;
  const value = constants.length === 0 ? neutral : evaluate([whole(single(CONSTANT, neutral), constants)])[0];
  const isLost = chain.forth === 'mul' && Math.abs(value) < LEAST && constants.every(({ tree }) => tree.constants[0] !== 0);
  if (!Number.isFinite(value) || isLost) return root;
  const hasValue = value !== neutral || others.length === 0;
  const isFirst = others.length === 0 || others[0].isBack;
  const first = isFirst ? single(CONSTANT, value) : others[0].tree;
  const isLess = chain.forth === 'add' && value < 0;
  const last = { tree: single(CONSTANT, isLess ? -value : value), isBack: isLess };
  const behind = hasValue && !isFirst ? [last] : [];
  const made = whole(first, [...others.slice(isFirst ? 0 : 1), ...behind]);
  return made.tokens.length < root.tokens.length ? made : root;
}

module.exports = { chainOf, collected };
