/**
 * Expressions as users give them: a text, what the builder made, several of those by name or in a list.
 */
'use strict';

const { expected, isOptions } = require('../../base/check.js');
const { fail } = require('../../base/errors.js');
const language = require('../language/index.js');

/** @typedef {import('../run/prepare.js').Named} Named */

/** @type {(name: string, value: any, caller: string) => Named} */
function named(name, value, caller) {
  if (typeof value !== 'string' && !language.isBuilder(value)) {
    return expected(caller, 'a text or an expression of the builder', `'${name}'`, value);
  }
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
    // Keys of groups are named by what they are, as those of a list.
    return { named: [which === 'by' || one.ast.kind === 'name' ? nameless(one) : one], single: true };
  }
  if (Array.isArray(value)) {
    // No keys make one group of all rows.
    if (value.length === 0 && which !== 'by') fail('ERR_ARGUMENT', `${caller}: ${which} is empty`);
    return { named: value.map((each, i) => nameless(named(`${which}${i}`, each, caller))), single: false };
  }
  if (!isOptions(value)) {
    return expected(caller, 'a text, an expression of the builder, or an object of those by name', which, value);
  }
  const list = Object.entries(value).map(([name, each]) => named(name, each, caller));
  return list.length > 0 ? { named: list, single: false } : fail('ERR_ARGUMENT', `${caller}: ${which} is empty`);
}

/** @type {(one: Named) => Named} */
const nameless = (one) => (one.ast.kind === 'name' ? { ...one, name: one.ast.name } : { ...one, name: one.text });

module.exports = { namedOf };
