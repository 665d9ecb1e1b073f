/**
 * The door of expressions over columns: `expr` makes one of a text, of what its builder made, or of several by name;
 * `table` reads what they run on.
 *
 * The functions of the builder are members of `expr`: `col` and `when` are words that programs have for other things.
 */
'use strict';

const { expected, isOptions, readOptions } = require('../base/check.js');
const { fail } = require('../base/errors.js');
const { Table, readIpc, readIpcAsync, readTable, useArrow } = require('./data/index.js');
const language = require('./language/index.js');
const { Expression } = require('./expression/index.js');

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
    // Keys of groups are named by what they are, as those of a list.
    return { named: [which === 'by' || one.ast.kind === 'name' ? nameless(one) : one], single: true };
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
function makeExpression(source, options) {
  const { named: list, single } = namedOf(source, 'expr', 'the expression');
  return new Expression(list, single, options);
}

const { call, col, lit, param, when } = language;
const expr = Object.assign(makeExpression, { call, col, lit, param, when });
Object.defineProperty(expr, 'name', { value: 'expr', configurable: true });

/** Whether it is a file or its bytes, not columns. @type {(data: any) => boolean} */
const isIpc = (data) =>
  typeof data === 'string' || data instanceof URL || data instanceof ArrayBuffer || data instanceof Uint8Array;

/**
 * Data as a table that is read and validated once, for several expressions: columns by name, tables of apache-arrow, or
 * a file or bytes of Arrow's IPC format. Nobody may change its memory then, since ranges of values are remembered.
 *
 * @param {any} data
 * @param {unknown} [options]
 * @returns {Table}
 */
function table(data, options) {
  if (!isIpc(data)) return readTable(data, /** @type {any} */ (options));
  readOptions('table', options, {});
  return readIpc(data, 'table');
}

/**
 * The same of what arrives in time: streams, responses, file handles.
 *
 * @param {any} source
 * @returns {Promise<Table>}
 */
const tableAsync = (source) => readIpcAsync(source, 'tableAsync');

module.exports = { Expression, Table, expr, namedOf, table, tableAsync, useArrow };
