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
const { takeParts } = require('./nested.js');
const { concatColumns, runsOf, takeColumn } = require('./parts.js');
const { tableOf } = require('./read.js');

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

/** @typedef {import('./table.js').Field} Field */

/** @type {(table: Table) => Field[]} without those that are part of another one, and without names that two columns have */
const topFields = (table) =>
  [...table.fields.values()].filter(({ inside, nested, unsupported }) =>
    !inside && (nested !== undefined || unsupported === undefined));

/** @type {(table: Table, field: Field, arrow: any) => any[]} a Data for each chunk */
function dataOfField(table, { name, nested }, arrow) {
  if (nested !== undefined) return [...nested.parts];
  return table.column(name, 'toArrow').chunks.map((column) => dataOf(column, arrow));
}

/** @type {(table: Table, arrow?: any) => any} a Table of apache-arrow with the same chunks */
function tableToArrow(table, arrow = loadArrow('toArrow')) {
  if (table.chunks.length === 0) return new arrow.Table();
  const list = topFields(table);
  const data = list.map((field) => dataOfField(table, field, arrow));
  const fields = list.map(({ name }, i) => new arrow.Field(name, data[i][0].type, true));
  const schema = new arrow.Schema(fields);
  const batches = table.chunks.map(({ rows }, k) => {
    const rest = { length: rows, nullCount: 0, children: data.map((chunks) => chunks[k]) };
    return new arrow.RecordBatch(schema, arrow.makeData({ ...rest, type: new arrow.Struct(fields) }));
  });
  return new arrow.Table(schema, batches);
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
  const wanted = names ?? topFields(table).map(({ name }) => name);
  const runs = runsOf(table.chunks, rows);
  /** @type {[string, any][]} */
  const entries = wanted.map((name) => {
    const nested = table.fields.get(name)?.nested;
    if (nested !== undefined) {
      return [name, { type: nested.type, data: takeParts(nested.type, nested.parts, rows, { name, caller }) }];
    }
    const { chunks } = table.column(name, caller);
    const isThere = chunks.length > 0;
    return isThere ? [name, takeColumn(chunks, rows, runs)] : fail('ERR_ARGUMENT', `${caller}: the table has no chunks`);
  });
  return tableOf(entries, rows.length, table.origin);
}

/** The chunks of a column in one. @type {(table: Table, name: string, caller?: string) => Column} */
function wholeColumn(table, name, caller = 'table') {
  const { chunks } = table.column(name, caller);
  return chunks.length > 0 ? concatColumns(chunks) : fail('ERR_ARGUMENT', `${caller}: the table has no chunks`);
}

module.exports = { columnToArrow, tableToArrow, takeRows, wholeColumn };
