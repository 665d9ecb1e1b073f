/**
 * Results back to where they came from: columns and tables as those of apache-arrow, or rows of a table as a table.
 *
 * Vectors are made over the memory of columns. The module is loaded when the first one is made; any copy of
 * apache-arrow takes what another one made.
 */
'use strict';

const { expected } = require('../../base/check.js');
const { fail } = require('../../base/errors.js');
const types = require('../types/index.js');
const { arrowType, loadArrow } = require('./arrow-types.js');
const { concatColumns, runsOf, takeColumn } = require('./parts.js');
const { tableOfColumns } = require('./table.js');

/** @typedef {import('./column.js').Column} Column */
/** @typedef {import('./table.js').Table} Table */
/** @typedef {{ vector: any, types: Map<string, any> }} Dictionary */

/** What dictionaries have become, since chunks have theirs in common, and vectors of them its type. @type {WeakMap<object, WeakMap<Column, Dictionary>>} */
const dictionaries = new WeakMap();

/** @type {(column: Column, arrow: any) => Dictionary} */
function dictionaryOf(column, arrow) {
  const known = dictionaries.get(arrow) ?? new WeakMap();
  dictionaries.set(arrow, known);
  const found = known.get(column) ?? { vector: columnToArrow(column, arrow), types: new Map() };
  known.set(column, found);
  return found;
}

/** @type {(column: Column, arrow: any) => any} a Data */
function dataOf(column, arrow) {
  const { type, layout, length, values, offsets, validity, dictionary, index } = column;
  const nullCount = validity === null ? 0 : -1;
  const rest = { length, nullCount, nullBitmap: validity ?? undefined };
  if (layout === 'null') return arrow.makeData({ type: arrowType(type, arrow), length });
  if (dictionary !== undefined) {
    const { vector, types: made } = dictionaryOf(dictionary, arrow);
    const name = /** @type {string} */ (index);
    const own = made.get(name) ?? new arrow.Dictionary(vector.type, arrowType(types.typeOf(name), arrow));
    made.set(name, own);
    return arrow.makeData({ ...rest, type: own, data: values, dictionary: vector });
  }
  return arrow.makeData({ ...rest, type: arrowType(type, arrow, layout === 'offsets64'), data: values, valueOffsets: offsets });
}

/** @type {(column: Column, arrow?: any) => any} a Vector */
function columnToArrow(column, arrow = loadArrow('toArrow')) {
  return new arrow.Vector([dataOf(column, arrow)]);
}

/** @type {(table: Table, arrow?: any) => any} a Table of apache-arrow with the same chunks */
function tableToArrow(table, arrow = loadArrow('toArrow')) {
  const names = [...table.fields.keys()].filter((name) => table.fields.get(name)?.unsupported === undefined);
  const columns = names.map((name) => table.column(name, 'toArrow').chunks);
  if (table.chunks.length === 0) return new arrow.Table();
  const data = columns.map((chunks) => chunks.map((column) => dataOf(column, arrow)));
  const fields = names.map((name, i) => new arrow.Field(name, data[i][0].type, true));
  const schema = new arrow.Schema(fields);
  const batches = table.chunks.map(({ rows }, k) => {
    const children = data.map((chunks) => chunks[k]);
    const rest = { length: rows, nullCount: 0, children };
    return new arrow.RecordBatch(schema, arrow.makeData({ ...rest, type: new arrow.Struct(fields) }));
  });
  return new arrow.Table(schema, batches);
}

/** @type {(table: Table, caller: string) => string[]} all names, if expressions can use what they stand for */
function usableNames(table, caller) {
  const names = [...table.fields.keys()];
  // A struct is there by its fields.
  const isSplit = (/** @type {string} */ name) => names.some((each) => each.startsWith(`${name}.`));
  return names.filter((name) => {
    const skipped = table.fields.get(name)?.unsupported !== undefined && isSplit(name);
    return !skipped && table.field(name, caller);
  });
}

/**
 * Rows of a table by number, in any order and as often as they are named, in one chunk.
 *
 * @param {Table} table
 * @param {Uint32Array} rows
 * @param {readonly string[]} [names] of columns: all, else
 * @param {string} [caller]
 * @returns {Table}
 */
function takeRows(table, rows, names = undefined, caller = 'take') {
  if (!(rows instanceof Uint32Array)) return expected(caller, 'a Uint32Array', 'the row numbers', rows);
  const wanted = names ?? usableNames(table, caller);
  const runs = runsOf(table.chunks, rows);
  /** @type {[string, Column][]} */
  const entries = wanted.map((name) => {
    const { chunks } = table.column(name, caller);
    return chunks.length > 0 ? [name, takeColumn(chunks, rows, runs)] : fail('ERR_ARGUMENT', `${caller}: the table has no rows`);
  });
  return tableOfColumns(entries, table.origin);
}

/** The chunks of a column in one. @type {(table: Table, name: string, caller?: string) => Column} */
function wholeColumn(table, name, caller = 'table') {
  const { chunks } = table.column(name, caller);
  return chunks.length > 0 ? concatColumns(chunks) : fail('ERR_ARGUMENT', `${caller}: the table has no chunks`);
}

module.exports = { columnToArrow, tableToArrow, takeRows, wholeColumn };
