/**
 * Data of a page as the columns that a module was made for.
 *
 * Everything that Node takes is taken here too (data/read.js) and validated in the same way; besides, columns as
 * objects of buffers: `{ values, offsets, validity }` as Arrow lays them out. A column that is not laid out as the
 * module has it is laid out anew where that loses nothing: dictionaries as values, offsets of 64 bits as ones of 32.
 */
'use strict';

const { isOptions } = require('../../base/check.js');
const { fail } = require('../../base/errors.js');
const { buildColumn } = require('../data/build.js');
const { Column } = require('../data/column.js');
const { andBits, bitAt, packBits } = require('../data/bitmaps.js');
const { takeColumn } = require('../data/parts.js');
const { readTable } = require('../data/read.js');
const { readData } = require('../data/read-arrow.js');
const types = require('../types/index.js');

/** @typedef {import('../types/index.js').DataType} DataType */
/** @typedef {import('../data/table.js').Table} Table */
/** A column that a module reads. @typedef {{ name: string, type: string, layout: string, nullable: boolean, index?: string }} Field */

/** @type {(value: any) => boolean} */
const isBuffers = (value) =>
  isOptions(value) && ArrayBuffer.isView(value.values) && Object.keys(value).every((key) => BUFFERS.includes(key));
const BUFFERS = ['values', 'offsets', 'validity', 'length'];

/** A column of buffers, which are checked. @type {(name: string, type: DataType, given: any) => Column} */
function columnOfBuffers(name, type, { values, offsets, validity = null, length }) {
  const isText = type.kind === 'utf8' || type.kind === 'binary';
  const form = type.kind === 'bool' ? 'bits' : isText ? 'offsets' : 'fixed';
  const stated = { bits: NaN, offsets: (offsets?.length ?? 0) - 1, fixed: values.length / type.stride };
  const rows = length ?? stated[form];
  if (!Number.isSafeInteger(rows) || rows < 0) {
    return fail('ERR_ARGUMENT', `column '${name}': expected a 'length' of its buffers, in rows`);
  }
  const wide = offsets instanceof BigInt64Array;
  const data = { length: rows, offset: 0, values, valueOffsets: offsets, nullBitmap: validity, _nullCount: -1 };
  return readData(data, { form, type, wide }, name);
}

/** The same data with columns in the place of buffers. @type {(data: any, typeOf: (name: string) => DataType | undefined) => any} */
function withColumns(data, typeOf) {
  if (!isOptions(data) || Object.getPrototypeOf(data) !== Object.prototype) return data;
  return Object.fromEntries(
    Object.entries(data).map(([name, value]) => {
      const type = typeOf(name);
      return [name, type !== undefined && isBuffers(value) ? columnOfBuffers(name, type, value) : value];
    }),
  );
}

/** Values in the place of indices. @type {(column: Column) => Column} */
function decoded({ values, validity, dictionary, length, type }) {
  const own = /** @type {Column} */ (dictionary);
  if (length === 0) return takeColumn([own], new Uint32Array(0));
  // What stands in the place of a null may be any value of the dictionary.
  const plain = takeColumn([own], Uint32Array.from(values, Number));
  const both = plain.validity && validity ? andBits(plain.validity, validity, length) : (plain.validity ?? validity);
  return new Column(type, length, { values: plain.values, offsets: plain.offsets, validity: both });
}

/** A dictionary's nulls as nulls of rows. @type {(column: Column) => Column} */
function withoutNullValues(column) {
  const { dictionary, length, type, values, validity } = column;
  const bits = dictionary?.validity ?? null;
  if (bits === null) return column;
  const isThere = (/** @type {number} */ row) => validity === null || bitAt(validity, row);
  const there = packBits(length, (row) => isThere(row) && bitAt(bits, Number(values[row])));
  return new Column(type, length, { values, validity: there, dictionary });
}

/** @type {(column: Column) => Column | undefined} */
const narrowed = ({ type, length, values, offsets, validity }) =>
  Number(offsets?.[length]) < 2 ** 31
    ? new Column(type, length, { values, offsets: Int32Array.from(/** @type {any} */ (offsets), Number), validity })
    : undefined;

/** @type {(column: Column) => Column} */
const widened = ({ type, length, values, offsets, validity }) =>
  new Column(type, length, { values, offsets: BigInt64Array.from(/** @type {any} */ (offsets), BigInt), validity });

/** What has been laid out anew, by how. @type {WeakMap<Column, Map<string, Column | undefined>>} */
const made = new WeakMap();

/** As a module has it. @type {(column: Column, field: Field) => Column | undefined} */
function laidOut(column, field) {
  const key = `${field.layout} ${field.index ?? ''}`;
  const known = made.get(column) ?? new Map();
  if (!known.has(key)) known.set(key, laidOutAnew(column, field));
  made.set(column, known);
  return known.get(key);
}

/** @type {(column: Column, field: Field) => Column | undefined} */
function laidOutAnew(column, field) {
  const { layout, index } = field;
  if (column.layout === layout && (layout !== 'dictionary' || column.index === index)) return withoutNullValues(column);
  if (column.layout === 'dictionary' && layout !== 'dictionary') return laidOut(decoded(column), field);
  if (column.layout === 'offsets64' && layout === 'offsets32') return narrowed(column);
  if (column.layout === 'offsets32' && layout === 'offsets64') return widened(column);
  return undefined;
}

/** @type {(column: Column) => string} */
const columnText = ({ type, layout, index }) => (layout === 'dictionary' ? `dictionary(${type.text}, ${index})` : type.text);

/** @type {(column: Column, field: Field) => Column} */
function fitting(column, field) {
  const { name, type, layout, nullable, index } = field;
  const wanted = layout === 'dictionary' ? `dictionary(${type}, ${index})` : layout === 'offsets64' ? `large_${type}` : type;
  const own = column.type.text === type ? laidOut(column, field) : undefined;
  if (own === undefined) return fail('ERR_DTYPE', `column '${name}' is ${columnText(column)}, the module was made for ${wanted}`);
  if (!nullable && own.nullCount > 0) {
    fail('ERR_DTYPE', `column '${name}' has nulls, the module was made for a column without: '${wanted}?' is one with nulls`);
  }
  return own;
}

/**
 * @param {readonly Field[]} fields
 * @param {any} data
 * @returns {{ table: Table, chunks: { rows: number, columns: Map<string, Column> }[] }}
 */
function columnsFor(fields, data) {
  const typed = new Map(fields.map(({ name, type }) => [name, types.typeOf(type)]));
  const own = withColumns(data, (name) => typed.get(name));
  const table = readTable(own, { types: isOptions(own) ? storageTypes(own, typed) : {} });
  const names = fields.map(({ name }) => name);
  for (const name of names) table.column(name);
  table.checkIntact(names);
  const chunks = (table.chunks.length > 0 ? table.chunks : [nothing(fields)]).map(({ rows, columns }) => ({
    rows,
    columns: new Map(fields.map((field) => [field.name, fitting(/** @type {Column} */ (columns.get(field.name)), field)])),
  }));
  return { table, chunks };
}

/** A chunk without rows, for tables without chunks. @type {(fields: readonly Field[]) => { rows: number, columns: Map<string, Column> }} */
function nothing(fields) {
  const columnOf = (/** @type {Field} */ { name, type, layout, index }) => {
    const plain = buildColumn([], name, types.typeOf(type));
    if (layout !== 'dictionary') return plain;
    return new Column(plain.type, 0, { values: new (types.typeOf(String(index)).array)(0), dictionary: plain });
  };
  return { rows: 0, columns: new Map(fields.map((field) => [field.name, columnOf(field)])) };
}

/** Types of typed arrays and lists, which do not say theirs themselves. @type {(data: any, typed: ReadonlyMap<string, DataType>) => Record<string, DataType>} */
function storageTypes(data, typed) {
  const entries = [...typed].filter(([name]) => Array.isArray(data[name]) || ArrayBuffer.isView(data[name]));
  return Object.fromEntries(entries.filter(([name, type]) => Array.isArray(data[name]) || type.kind !== 'bool'));
}

module.exports = { columnsFor, fitting };
