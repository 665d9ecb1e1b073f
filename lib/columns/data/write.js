/**
 * Results back to where they came from: columns and tables as those of apache-arrow, or rows of a table as a table.
 *
 * Vectors are made over the memory of columns. A table whose columns are of the types they came with is made by the
 * classes it came with; anything else takes the module: the one that useArrow was given, or else the one that is
 * installed.
 */
'use strict';

const { expected } = require('../../base/check.js');
const { fail } = require('../../base/errors.js');
const types = require('../types/index.js');
const { loadArrow } = require('./arrow-module.js');
const { arrowType, shapeOf } = require('./arrow-types.js');
const { takeParts } = require('./nested.js');
const { concatColumns, runsOf, takeColumn } = require('./parts.js');
const { tableOf } = require('./read.js');

/** @typedef {import('./column.js').Column} Column */
/** @typedef {import('./table.js').Table} Table */
/** @typedef {{ vector: any, types: Map<string, any> }} Dictionary */

/** What dictionaries have become, since chunks have theirs in common, and vectors of them its type. @type {WeakMap<object, WeakMap<Column, Dictionary>>} */
const dictionaries = new WeakMap();

/** @type {(column: Column, arrow: any, type?: any) => Dictionary} `type` of its values */
function dictionaryOf(column, arrow, type) {
  const known = dictionaries.get(arrow.Data) ?? new WeakMap();
  dictionaries.set(arrow.Data, known);
  const found = known.get(column) ?? { vector: new arrow.Vector([dataOf(column, arrow, type)]), types: new Map() };
  known.set(column, found);
  return found;
}

/** @type {(index: string, arrow: any, dictionary: Dictionary) => any} one type for all vectors of a dictionary */
function dictionaryType(index, arrow, { vector, types: made }) {
  const type = made.get(index) ?? new arrow.Dictionary(vector.type, arrowType(types.typeOf(index), arrow));
  made.set(index, type);
  return type;
}

/** @type {(column: Column, arrow: any, own?: any) => any} a Data, of its own type or of one that the module makes */
function dataOf(column, arrow, own) {
  const { type, layout, length, values, offsets, validity, dictionary, index } = column;
  const known = dictionary && dictionaryOf(dictionary, arrow, own?.dictionary);
  const made = () =>
    known ? dictionaryType(/** @type {string} */ (index), arrow, known) : arrowType(type, arrow, layout === 'offsets64');
  const buffers = [offsets, layout === 'null' ? undefined : values, validity ?? undefined];
  const nulls = layout === 'null' ? length : validity === null ? 0 : -1;
  return new arrow.Data(own ?? made(), 0, length, nulls, layout === 'null' ? [] : buffers, [], known?.vector);
}

/** @type {(columns: readonly Column[], arrow?: any) => any} a Vector of columns of one type, its chunks */
function columnsToArrow([first, ...rest], arrow = loadArrow('toArrow')) {
  const data = dataOf(first, arrow);
  return new arrow.Vector([data, ...rest.map((column) => dataOf(column, arrow, data.type))]);
}

/** @typedef {import('./table.js').Field} Field */

/** @type {(table: Table) => Field[]} without those that are part of another one, and without names that two columns have */
const topFields = (table) =>
  [...table.fields.values()].filter(({ inside, nested, unsupported }) =>
    !inside && (nested !== undefined || unsupported === undefined));

/** Whether a column still is of the type that apache-arrow gave it. @type {(column: Column, type: any) => boolean} */
function keepsType({ layout, index, dictionary }, type) {
  const { form, wide, index: stated } = shapeOf(type);
  if (form === 'offsets') return layout === (wide ? 'offsets64' : 'offsets32');
  if (dictionary !== undefined) return index === stated?.id && keepsType(dictionary, type.dictionary);
  return ['fixed', 'bits', 'null'].includes(form);
}

/** @type {(table: Table, field: Field) => boolean} */
const isAsGiven = (table, { name, nested, arrowType: own }) =>
  nested !== undefined || (own !== undefined && table.column(name).chunks.every((column) => keepsType(column, own)));

/** @type {(table: Table, field: Field, arrow: any, keeps: boolean) => any[]} a Data for each chunk */
function dataOfField(table, { name, nested, arrowType: own }, arrow, keeps) {
  if (nested === undefined) {
    return table.column(name, 'toArrow').chunks.map((column) => dataOf(column, arrow, keeps ? own : undefined));
  }
  if (keeps || nested.type instanceof arrow.DataType) return [...nested.parts];
  const hint = "call useArrow(await import('apache-arrow')) first";
  return fail('ERR_STATE', `toArrow: column '${name}' comes from another copy of apache-arrow than the one at hand: ${hint}`);
}

/** @type {(table: Table, arrow?: any) => any} a Table of apache-arrow with the same chunks */
function tableToArrow(table, arrow = undefined) {
  const list = topFields(table);
  const keeps = arrow === undefined && table.kit !== undefined && list.every((field) => isAsGiven(table, field));
  const used = arrow ?? (keeps ? table.kit : loadArrow('toArrow'));
  return builtTable(table, list, used, keeps);
}

/** @type {(table: Table, list: readonly Field[], arrow: any, keeps: boolean) => any} */
function builtTable(table, list, arrow, keeps) {
  if (table.chunks.length === 0) return new arrow.Table(new arrow.Schema([]));
  const data = list.map((field) => dataOfField(table, field, arrow, keeps));
  const fields = list.map(({ name }, i) => new arrow.Field(name, data[i][0].type, true));
  const schema = new arrow.Schema(fields);
  const batches = table.chunks.map(({ rows }, k) => {
    const children = data.map((chunks) => chunks[k]);
    return new arrow.RecordBatch(schema, new arrow.Data(new arrow.Struct(fields), 0, rows, 0, [], children));
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
  const entries = wanted.map((name) => {
    const { nested, arrowType: own } = table.fields.get(name) ?? table.field(name, caller);
    if (nested !== undefined) {
      return { name, arrowType: nested.type, data: takeParts(nested.type, nested.parts, rows, { name, caller }) };
    }
    const { chunks } = table.column(name, caller);
    if (chunks.length === 0) return fail('ERR_ARGUMENT', `${caller}: the table has no chunks`);
    return { name, arrowType: own, column: takeColumn(chunks, rows, runs) };
  });
  return tableOf(entries, rows.length, table);
}

/** The chunks of a column in one. @type {(table: Table, name: string, caller?: string) => Column} */
function wholeColumn(table, name, caller = 'table') {
  const { chunks } = table.column(name, caller);
  return chunks.length > 0 ? concatColumns(chunks) : fail('ERR_ARGUMENT', `${caller}: the table has no chunks`);
}

module.exports = { columnsToArrow, tableToArrow, takeRows, wholeColumn };
