/**
 * Expressions over columns: `expr` makes one of a text, a tree of the builder, or several by name.
 */
'use strict';

const { expected, isOptions } = require('../base/check.js');
const { fail } = require('../base/errors.js');
const { readTable } = require('./data/index.js');
const language = require('./language/index.js');
const { Expression } = require('./run/expression.js');

/** @typedef {import('./run/prepare.js').Named} Named */

/** @type {(name: string, value: any, caller: string) => Named} */
function named(name, value, caller) {
  if (typeof value !== 'string' && !language.isBuilder(value)) return expected(caller, 'a text or an expression of the builder', `'${name}'`, value);
  const ast = language.astOf(value);
  return { name, ast, text: typeof value === 'string' ? value : language.print(ast) };
}

/**
 * Expressions by name: of one text its own name, or `value`.
 *
 * @type {(value: any, caller: string, which: string) => { named: Named[], single: boolean }}
 */
function namedOf(value, caller, which) {
  if (typeof value === 'string' || language.isBuilder(value)) {
    const one = named('value', value, caller);
    return { named: [{ ...one, name: one.ast.kind === 'name' ? one.ast.name : 'value' }], single: true };
  }
  if (Array.isArray(value)) {
    return { named: value.map((each, i) => nameless(named(`${which}${i}`, each, caller))), single: false };
  }
  if (!isOptions(value)) return expected(caller, 'a text, an expression of the builder, or an object of those by name', which, value);
  const list = Object.entries(value).map(([name, each]) => named(name, each, caller));
  return list.length > 0 ? { named: list, single: false } : fail('ERR_ARGUMENT', `${caller}: ${which} has no expression`);
}

/** @type {(one: Named) => Named} */
const nameless = (one) => (one.ast.kind === 'name' ? { ...one, name: one.ast.name } : { ...one, name: one.text });

/**
 * @param {unknown} source
 * @param {unknown} [options]
 * @returns {Expression}
 */
function expr(source, options) {
  const { named: list, single } = namedOf(source, 'expr', 'the expression');
  return new Expression(list, single, options);
}

/**
 * Data as a table that is read and validated once, for several expressions. Nobody may change its memory then, since
 * ranges of values are remembered.
 *
 * @type {(data: unknown) => import('./data/table.js').Table}
 */
const table = (data) => readTable(data);

module.exports = { Expression, expr, namedOf, table };
