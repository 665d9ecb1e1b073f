/**
 * `a = 1 or a = 2 or …` as `a in (1, 2, …)`, for which there are better ways than one comparison after the other.
 *
 * Both are true, false or null for the same values.
 */
'use strict';

const { nodes } = require('../language/index.js');

/** @typedef {import('../language/ast.js').Node} Ast */

/** Fewest comparisons of one column that are worth it. */
const FEWEST = 4;

/** The terms of a chain of `or`, in order. @type {(ast: Ast) => Ast[]} */
function termsOf(ast) {
  const terms = [];
  const left = [ast];
  for (let node = left.pop(); node !== undefined; node = left.pop()) {
    if (node.kind === 'call' && node.name === 'or' && node.args.length === 2) left.push(node.args[1], node.args[0]);
    else terms.push(node);
  }
  return terms;
}

/** The column that a term compares with a literal. @type {(term: any) => { name: Ast, literal: Ast } | null} */
function equality(term) {
  if (term.kind !== 'call' || term.name !== 'equal') return null;
  const [a, b] = term.args;
  const isKnown = (/** @type {Ast} */ node) => node.kind === 'literal' && node.value !== null;
  if (a.kind === 'name' && isKnown(b)) return { name: a, literal: b };
  return b.kind === 'name' && isKnown(a) ? { name: b, literal: a } : null;
}

/** What chains have become, since others ask for the same. @type {WeakMap<Ast, Ast>} */
const known = new WeakMap();

/**
 * @param {Ast} ast
 * @returns {Ast} itself if there is nothing to gather
 */
function gathered(ast) {
  if (ast.kind !== 'call' || ast.name !== 'or') return ast;
  const made = known.get(ast) ?? gather(ast);
  known.set(ast, made);
  return made;
}

/** @type {(ast: Ast) => Ast} */
function gather(ast) {
  const terms = termsOf(ast);
  if (terms.length < FEWEST) return ast;
  /** @type {Map<string, { name: Ast, literals: Ast[] }>} */
  const groups = new Map();
  for (const term of terms) {
    const found = equality(term);
    if (found === null) continue;
    const key = /** @type {import('../language/ast.js').Name} */ (found.name).name;
    const group = groups.get(key) ?? { name: found.name, literals: [] };
    group.literals.push(found.literal);
    groups.set(key, group);
  }
  const large = [...groups.values()].filter(({ literals }) => literals.length >= FEWEST);
  if (large.length === 0) return ast;
  const isTaken = (/** @type {Ast} */ term) => {
    const found = equality(term);
    return found !== null && large.some(({ literals }) => literals.includes(found.literal));
  };
  const rest = terms.filter((term) => !isTaken(term));
  const { start, end, source } = ast;
  const lists = large.map(({ name, literals }) => nodes.standing(nodes.within(name, literals, start, end), source));
  return [...lists, ...rest].reduce((a, b) => nodes.standing(nodes.call('or', [a, b], start, end), source));
}

module.exports = { gathered };
