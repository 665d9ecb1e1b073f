/**
 * What an expression names.
 */
'use strict';

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

/** The columns that an expression names, and `@name` for parameters. @type {(ast: Ast) => ReadonlySet<string>} */
function symbolsIn(ast) {
  const found = known.get(ast);
  if (found) return found;
  /** @type {Set<string>} */
  const names = new Set();
  const left = [ast];
  for (let node = left.pop(); node !== undefined; node = left.pop()) {
    if (node.kind === 'name') names.add(node.name);
    else if (node.kind === 'parameter') names.add(`@${node.name}`);
    else left.push(...partsOf(node));
  }
  known.set(ast, names);
  return names;
}

/** @type {(ast: Ast) => string[]} the columns */
const namesIn = (ast) => [...symbolsIn(ast)].filter((name) => !name.startsWith('@'));

/** What arrays of a parameter that is a text are called. @type {(number: number) => string} */
const textTable = (number) => `:${number}`;

module.exports = { namesIn, partsOf, symbolsIn, textTable };
