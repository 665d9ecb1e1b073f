/**
 * What an expression names.
 */
'use strict';

const { fold } = require('../language/walk.js');

/** @typedef {import('../language/ast.js').Node} Ast */

/** The expressions that an expression is made of. @type {(ast: any) => Ast[]} */
function partsOf(ast) {
  switch (ast.kind) {
    case 'call':
      return ast.args;
    case 'in':
      return [ast.value, ...ast.list];
    case 'case':
      return [...ast.branches.flatMap((/** @type {any} */ { when, then }) => [when, then]), ...(ast.otherwise ? [ast.otherwise] : [])];
    case 'cast':
      return [ast.value];
    default:
      return [];
  }
}

/** By expression, since the same ones are asked about often. @type {WeakMap<Ast, ReadonlySet<string>>} */
const known = new WeakMap();

/** @type {ReadonlySet<string>} */
const NONE = new Set();

/** What is in any of some sets: one of them, where that has all. @type {(sets: readonly ReadonlySet<string>[]) => ReadonlySet<string>} */
function union(sets) {
  const most = sets.reduce((a, b) => (b.size > a.size ? b : a), NONE);
  const isAll = sets.every((each) => each === most || [...each].every((name) => most.has(name)));
  return isAll ? most : new Set(sets.flatMap((each) => [...each]));
}

/** @type {(ast: Ast, parts: ReadonlySet<string>[]) => ReadonlySet<string>} */
function own(ast, parts) {
  const found = known.get(ast);
  if (found) return found;
  const names = ast.kind === 'name' ? new Set([ast.name]) : ast.kind === 'parameter' ? new Set([`@${ast.name}`]) : union(parts);
  known.set(ast, names);
  return names;
}

/** The columns that an expression names, and `@name` for parameters. @type {(ast: Ast) => ReadonlySet<string>} */
const symbolsIn = (ast) => known.get(ast) ?? fold(ast, own, (each) => (known.has(each) ? [] : partsOf(each)));

/** @type {(ast: Ast) => string[]} the columns */
const namesIn = (ast) => [...symbolsIn(ast)].filter((name) => !name.startsWith('@'));

/** What arrays of a parameter that is a text are called. @type {(number: number) => string} */
const textTable = (number) => `:${number}`;

module.exports = { namesIn, partsOf, symbolsIn, textTable };
