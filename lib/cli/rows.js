/**
 * Results of `graphjit query`: as an aligned table, as CSV and JSON, as files of Arrow.
 */
'use strict';

const { plain, textOf, valueReader } = require('./cells.js');
const { styleOf, table: aligned, toJson } = require('./print.js');

/** @typedef {import('../columns/data/index.js').Table} Table */
/** @typedef {import('../columns/types/index.js').DataType} DataType */
/** `rows`: how many there are, of which the table may have some only. @typedef {{ table: Table, names: readonly string[], rows: number }} Result */
/** What JSON has for each row. @typedef {{ name: string, type: DataType | undefined, values: unknown[] }} Values */

/** Texts that tables print are not longer. */
const WIDEST = 80;
const UNSEEN = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu;

/** @type {(table: Table, name: string) => Values} */
function valuesOf(table, name) {
  if (table.fields.get(name)?.unsupported !== undefined) {
    return { name, type: undefined, values: Array.from(table.toArrow().getChild(name), plain) };
  }
  const { field, chunks } = table.column(name);
  const values = chunks.flatMap((column) => {
    const read = valueReader(column);
    return Array.from({ length: column.length }, (_, row) => read(row));
  });
  return { name, type: field.type, values };
}

/** @type {(result: Result) => Values[]} */
const allValues = ({ table, names }) => names.map((name) => valuesOf(table, name));

/** On one line, and without what terminals obey. @type {(text: string) => string} */
function printable(text) {
  const short = [...text.slice(0, 2 * WIDEST)];
  const shown = short.length > WIDEST || text.length > 2 * WIDEST ? `${short.slice(0, WIDEST - 1).join('')}…` : text;
  return shown.replace(UNSEEN, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** @type {(result: Result) => string} */
function printedTable(result) {
  const style = styleOf(process.stdout);
  const columns = allValues(result);
  const cells = columns.map(({ type, values }) =>
    values.map((value) => (value === null ? style.dim('null') : printable(textOf(value, type)))));
  const rows = Array.from({ length: result.table.rows }, (_, row) => cells.map((column) => column[row]));
  const right = columns.flatMap(({ type }, i) => (['int', 'float', 'decimal'].includes(type?.kind ?? '') ? i : []));
  return aligned([columns.map(({ name }) => printable(name)), ...rows], { right });
}

/** By RFC 4180. A null is nothing, an empty text two quotes. @type {(text: string, separator: string) => string} */
const csvCell = (text, separator) =>
  text === '' || /["\r\n]/.test(text) || text.includes(separator) ? `"${text.replaceAll('"', '""')}"` : text;

/** @type {(result: Result, separator: string) => string} */
function csvText(result, separator) {
  const columns = allValues(result);
  const cells = columns.map(({ type, values }) =>
    values.map((value) => (value === null ? '' : csvCell(textOf(value, type), separator))));
  const head = columns.map(({ name }) => csvCell(name, separator));
  const rows = Array.from({ length: result.table.rows }, (_, row) => cells.map((column) => column[row]));
  return [head, ...rows].map((row) => `${row.join(separator)}\n`).join('');
}

/** @type {(result: Result) => Record<string, unknown>} */
function jsonDocument(result) {
  const columns = allValues(result);
  return {
    columns: columns.map(({ name, type }) => ({ name, type: type?.text ?? 'nested' })),
    rows: Array.from({ length: result.table.rows }, (_, row) =>
      Object.fromEntries(columns.map(({ name, values }) => [name, values[row]]))),
  };
}

/** @type {(result: Result, kind: 'file' | 'stream') => Uint8Array} */
function arrowBytes({ table, names }, kind) {
  const { loadArrow } = require('../columns/data/arrow-module.js');
  return loadArrow('query').tableToIPC(table.toArrow().select([...names]), kind);
}

/** What is written to files, by their ending. @type {Record<string, (result: Result) => string | Uint8Array>} */
const FORMATS = {
  '.arrow': (result) => arrowBytes(result, 'file'),
  '.arrows': (result) => arrowBytes(result, 'stream'),
  '.csv': (result) => csvText(result, ','),
  '.tsv': (result) => csvText(result, '\t'),
  '.json': (result) => `${toJson(jsonDocument(result))}\n`,
};

module.exports = { FORMATS, csvText, jsonDocument, printedTable };
