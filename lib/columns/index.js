/**
 * The door of expressions over columns: `expr` makes one of a text, of what its builder made, or of several by name;
 * `table` reads what they run on.
 *
 * The functions of the builder are members of `expr`: `col` and `when` are words that programs have for other things.
 */
'use strict';

const { readOptions } = require('../base/check.js');
const { Table, readIpc, readIpcAsync, readTable, useArrow } = require('./data/index.js');
const language = require('./language/index.js');
const { Expression, of } = require('./expression/index.js');

const { call, col, lit, param, when } = language;
const expr = Object.assign((/** @type {unknown} */ source, /** @type {unknown} */ options) => of(source, options), { call, col, lit, param, when });
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

module.exports = { Expression, Table, expr, table, tableAsync, useArrow };
