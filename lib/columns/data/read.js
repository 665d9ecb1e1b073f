/**
 * readTable: data of a program as a Table, without copying it.
 *
 *   a Table, RecordBatch or Vector of apache-arrow
 *   { x: Float64Array, city: ['Oslo', null], when: vector, p: { x, y } }   columns by name; of objects their fields, p.x
 *   [batch, batch, …]                                                      chunks of one table
 *
 * A column is a typed array, an array of JavaScript values (which are copied), a vector, a tensor of rank 1 or a
 * Column. Those of an object may be in different chunks; they are cut where any of them is. Tables of apache-arrow are
 * remembered, since they do not change; of an object the arrays are seen as they are at each call.
 */
'use strict';

const { describe, expected, isAttached, isOptions, readOptions } = require('../../base/check.js');
const { fail } = require('../../base/errors.js');
const { dtypeOf, plainArray } = require('../../tensor/dtypes.js');
const types = require('../types/index.js');
const { shapeOf } = require('./arrow-types.js');
const { andBits, packBits } = require('./bitmaps.js');
const { buildColumn, refuseList, typeOfList } = require('./build.js');
const { Column } = require('./column.js');
const { sliceColumn } = require('./parts.js');
const { inWords, readData, structValidity, within } = require('./read-arrow.js');
const { Table } = require('./table.js');

/** @typedef {import('../types/data-types.js').DataType} DataType */
/** @typedef {import('./arrow-types.js').Shape} Shape */
/** @typedef {import('./column.js').Layout} Layout */
/** @typedef {import('./table.js').Source} Source */
/** @typedef {import('./table.js').Piece} Piece */
/** @typedef {{ caller: string, types: Record<string, DataType> }} Context */

/** @type {(value: any) => boolean} */
const isArrowTable = (value) => Array.isArray(value?.batches) && Array.isArray(value?.schema?.fields);
/** @type {(value: any) => boolean} */
const isArrowBatch = (value) => Array.isArray(value?.schema?.fields) && Array.isArray(value?.data?.children);
/** @type {(value: any) => boolean} */
const isArrowVector = (value) => Array.isArray(value?.data) && typeof value?.type?.typeId === 'number';
/** @type {(value: any) => boolean} */
const isTensor = (value) => Array.isArray(value?.shape) && typeof value?.dtype === 'string' && 'strides' in value;

/** @type {(shape: Shape) => Layout | 'none'} */
function layoutOf({ form, wide }) {
  if (form === 'offsets') return wide ? 'offsets64' : 'offsets32';
  if (form === 'views' || form === 'bytes') return 'offsets32';
  return form === 'struct' ? 'none' : form;
}

/** @type {(read: () => Column) => () => Column} */
function once(read) {
  /** @type {Column | undefined} */
  let column;
  return () => (column ??= read());
}

/** A chunk of an Arrow column, and what the structs around it say of its rows. @typedef {{ data: any, rows: number, around: () => Uint8Array | null }} Part */

/** @type {(part: Part, name: string) => () => Uint8Array | null} rows of a struct that are there */
const aroundFields = ({ data, rows, around }, name) => () => {
  const [own, outer] = [structValidity(data, name, rows), around()];
  return own !== null && outer !== null ? andBits(own, outer, rows) : (own ?? outer);
};

/**
 * The columns that an Arrow column stands for: itself, and of a struct its fields too.
 *
 * @type {(name: string, type: any, parts: Part[]) => Source[]}
 */
function arrowSources(name, type, parts) {
  const shape = shapeOf(type);
  const { index, unsupported } = shape;
  /** @type {(part: Part) => Piece} */
  const pieceOf = ({ data, rows, around }) => ({
    rows,
    read: () => within(readData(data, shape, name, rows), around()),
  });
  const own = { name, type: shape.type, layout: layoutOf(shape), index: index?.id, unsupported, arrowType: type };
  const nested = { type, parts: parts.map(({ data }) => data) };
  const source = unsupported === undefined ? { ...own, pieces: parts.map(pieceOf) } : { ...own, pieces: [], nested };
  if (shape.form !== 'struct') return [source];
  const fields = type.children.flatMap((/** @type {any} */ field, /** @type {number} */ i) => {
    const inner = parts.map((part) =>
      ({ data: part.data.children[i] ?? noRows(part.rows), rows: part.rows, around: aroundFields(part, name) }));
    if (inner.some(({ data }) => data === undefined)) fail('ERR_PARSE', `table: column '${name}' is no valid Arrow data: field '${field.name}' is not there`);
    return arrowSources(`${name}.${field.name}`, field.type, inner).map((each) => ({ ...each, inside: true }));
  });
  return [source, ...fields];
}

/** The batch that apache-arrow makes where there is none has structs without fields. @type {(rows: number) => any} */
const noRows = (rows) => (rows === 0 ? { length: 0, offset: 0, _nullCount: 0, children: [] } : undefined);

const nowhere = () => null;

/** @type {(name: string, type: any, list: readonly any[]) => Source[]} of Data objects */
const dataSources = (name, type, list) =>
  arrowSources(name, type, list.map((data) => ({ data, rows: data.length, around: nowhere })));

/** @typedef {{ sources: Source[], rows: number[] }} Columns sources in the same chunks */

/** @type {(fields: any[], batches: readonly any[]) => Columns} */
function fromBatches(fields, batches) {
  const rows = batches.map(({ data }) => data.length);
  const sources = fields.flatMap((field, i) => {
    const parts = batches.map(({ data }, k) => ({ data: data.children[i], rows: rows[k], around: nowhere }));
    if (parts.some(({ data }) => data?.type === undefined)) {
      fail('ERR_PARSE', `table: column '${field.name}' is no valid Arrow data: a batch is without it`);
    }
    return arrowSources(String(field.name), field.type, parts);
  });
  return { sources, rows };
}

/** @type {(column: Column) => Piece} */
const pieceOf = (column) => ({ rows: column.length, read: () => column });

/** @type {(name: string, array: any, type: DataType) => Source} */
function arraySource(name, array, type) {
  if (array.length % type.stride !== 0) {
    fail('ERR_SHAPE', `table: column '${name}' has ${array.length} elements, a row of ${type.text} ${type.stride}`);
  }
  const values = type.stride > 1 ? inWords(array) : array;
  const column = new Column(type, array.length / type.stride, { values });
  return { name, type, layout: 'fixed', pieces: [pieceOf(column)] };
}

/** @type {(name: string, given: any, context: Context) => Source} */
function typedArraySource(name, given, { caller, types: named }) {
  const array = /** @type {any} */ (plainArray(given));
  const dtype = /** @type {string} */ (dtypeOf(given));
  const type = named[name] ?? TYPE_OF_DTYPE[dtype];
  if (!ofStorage(type, array)) {
    return fail('ERR_DTYPE', `${caller}: column '${name}' of ${type.text} cannot be ${describe(given)}`);
  }
  if (!isAttached(array)) fail('ERR_STATE', `${caller}: the array of column '${name}' is detached`);
  // Other classes of bytes (Buffer), and arrays of other realms.
  const bare = array.constructor === type.array ? array : new type.array(array.buffer, array.byteOffset, array.length);
  return arraySource(name, bare, type);
}

/** @type {(type: DataType, array: any) => boolean} */
const ofStorage = (type, array) => type.bytes > 0 && dtypeOf(new type.array(0)) === dtypeOf(array);

/** Those of elements that are no bits. @type {Record<string, DataType>} */
const TYPE_OF_DTYPE = {
  f64: types.float64, f32: types.float32, f16: types.float16,
  i64: types.int64, i32: types.int32, i16: types.int16, i8: types.int8,
  u64: types.uint64, u32: types.uint32, u16: types.uint16, u8: types.uint8,
};

/** @type {(name: string, tensor: any, context: Context) => Source} */
function tensorSource(name, tensor, { caller }) {
  const { dtype, shape } = tensor;
  if (shape.length !== 1) {
    return unusable(name, `a tensor of rank ${shape.length}`, () =>
      fail('ERR_SHAPE', `${caller}: expected rank 1 for column '${name}', got shape [${shape.join(', ')}]`));
  }
  const plain = tensor.isContiguous ? tensor : tensor.contiguous();
  const values = plain.data.subarray(plain.offset, plain.offset + plain.size);
  if (dtype === 'bool') {
    const bits = packBits(values.length, (row) => values[row] !== 0);
    const column = new Column(types.bool, values.length, { values: bits });
    return { name, type: types.bool, layout: 'bits', pieces: [pieceOf(column)] };
  }
  const type = TYPE_OF_DTYPE[dtype];
  if (type !== undefined) return arraySource(name, values, type);
  return fail('ERR_DTYPE', `${caller}: column '${name}' is a tensor of ${dtype}, which no column holds`);
}

/** What no column is made of, refused when somebody names it. @type {(name: string, unsupported: string, refuse: () => never) => Source} */
const unusable = (name, unsupported, refuse) => ({ name, type: types.none, layout: 'none', unsupported, refuse, pieces: [] });

/** @type {(name: string, list: readonly any[], context: Context) => Source} */
function listSource(name, list, { types: named }) {
  const type = named[name] ?? typeOfList(list);
  if (type === undefined) {
    const first = describe(list.find((value) => value !== null && value !== undefined));
    return { ...unusable(name, `an array with ${first} in it`, () => refuseList(list, name)), list };
  }
  const layout = { bool: 'bits', null: 'null', utf8: 'offsets32', binary: 'offsets32' }[/** @type {string} */ (type.kind)];
  const piece = { rows: list.length, read: once(() => buildColumn(list, name, type)) };
  return { name, type, layout: /** @type {Layout} */ (layout ?? 'fixed'), pieces: [piece] };
}

/** @type {(name: string, column: Column) => Source} */
const columnSource = (name, column) => {
  const { type, layout, index } = column;
  return { name, type, layout, index, pieces: [pieceOf(column)] };
};

/** How values of an object become columns, the first that knows them. @type {[(value: any) => boolean, (name: string, value: any, context: Context) => Source[]][]} */
const kinds = [
  [(value) => value instanceof Column, (name, value) => [columnSource(name, value)]],
  [isArrowVector, (name, value) => dataSources(name, value.type, value.data)],
  [(value) => dtypeOf(value) !== undefined, (name, value, context) => [typedArraySource(name, value, context)]],
  [isTensor, (name, value, context) => [tensorSource(name, value, context)]],
  [Array.isArray, (name, value, context) => [listSource(name, value, context)]],
  [(value) => isOptions(value) && Object.keys(value).length > 0, (name, value, context) => objectSources(value, context, `${name}.`)],
];

/** @type {(object: any, context: Context, prefix?: string, depth?: number) => Source[]} */
function objectSources(object, context, prefix = '') {
  if (prefix.length > 1000) fail('ERR_ARGUMENT', `${context.caller}: objects in objects, too deep: ${prefix.slice(0, 30)}…`);
  return Object.keys(object).flatMap((key) => {
    const name = prefix + key;
    const value = object[key];
    const kind = kinds.find(([is]) => is(value));
    const wanted = 'a typed array, an array, a vector or a tensor';
    const refuse = () => expected(context.caller, wanted, `column '${name}'`, value);
    return kind ? kind[1](name, value, context) : unusable(name, describe(value), refuse);
  });
}

/** @type {(source: Source) => number[]} of its chunks */
const rowsOf = ({ nested, pieces }) =>
  nested === undefined ? pieces.map(({ rows }) => rows) : nested.parts.map(({ length }) => length);

/** @type {(rows: readonly number[]) => number[]} where chunks end */
function endsOf(rows) {
  let end = 0;
  return rows.map((count) => (end += count));
}

/** The rows from `from` to `to`, which are in one of the pieces. @type {(pieces: readonly Piece[], from: number, to: number) => Piece} */
function cut(pieces, from, to) {
  if (from === to) return pieces[0];
  let start = 0;
  const found = pieces.find(({ rows }) => {
    start += rows;
    return rows > 0 && start >= to;
  });
  const { rows, read } = /** @type {Piece} */ (found);
  const base = start - rows;
  return { rows: to - from, read: () => sliceColumn(read(), from - base, to - base) };
}

/** @type {(nested: import('./table.js').Nested, rows: readonly number[], ends: readonly number[]) => import('./table.js').Nested} */
function cutNested({ type, parts }, rows, ends) {
  const all = endsOf(parts.map(({ length }) => length));
  const cuts = rows.map((count, i) => {
    const at = ends[i] - count;
    const k = all.findIndex((end) => end > at);
    return k < 0 ? parts[0].slice(0, 0) : parts[k].slice(at - (all[k] - parts[k].length), count);
  });
  return { type, parts: cuts };
}

/** @type {(sources: Source[], caller: string) => Columns} the same, in chunks they have in common */
function aligned(sources, caller) {
  // Fields of structs have the chunks of the struct.
  const usable = sources.filter(({ inside, refuse }) => inside !== true && refuse === undefined);
  if (usable.length === 0) return { sources, rows: [] };
  const all = usable.map(rowsOf).map(endsOf);
  const totals = all.map((ends) => ends.at(-1) ?? 0);
  const odd = totals.findIndex((total) => total !== totals[0]);
  if (odd > 0) {
    const [a, b] = [usable[0].name, usable[odd].name];
    fail('ERR_SHAPE', `${caller}: column '${b}' has ${totals[odd]} rows, '${a}' ${totals[0]}`);
  }
  const cuts = [...new Set(all.flat())].filter((end) => end > 0).sort((a, b) => a - b);
  const ends = cuts.length > 0 ? cuts : all[0].slice(0, 1);
  const rows = ends.map((end, i) => end - (ends[i - 1] ?? 0));
  const same = (/** @type {readonly Piece[]} */ pieces) =>
    pieces.length === rows.length && pieces.every((piece, i) => piece.rows === rows[i]);
  const cutAll = (/** @type {Source} */ source) => {
    if (source.nested !== undefined) return { ...source, nested: cutNested(source.nested, rows, ends) };
    if (source.refuse !== undefined) return source;
    if (same(source.pieces)) return source;
    return { ...source, pieces: rows.map((count, i) => cut(source.pieces, ends[i] - count, ends[i])) };
  };
  return { sources: sources.map(cutAll), rows };
}

/** @type {(data: any, context: Context) => Columns} */
function columnsOf(data, context) {
  if (isArrowTable(data)) return fromBatches(data.schema.fields, data.batches);
  if (isArrowBatch(data)) return fromBatches(data.schema.fields, [data]);
  if (isArrowVector(data)) return aligned(dataSources('value', data.type, data.data), context.caller);
  if (Array.isArray(data)) return appended(data.map((each) => columnsOf(each, context)), context.caller);
  if (isObjectOfColumns(data)) {
    const sources = objectSources(data, context);
    if (sources.every(({ refuse }) => refuse !== undefined)) sources[0]?.refuse?.();
    return aligned(sources, context.caller);
  }
  const hint = data instanceof Map ? ' (Object.fromEntries makes one)' : '';
  const wanted = `a table of apache-arrow, an object of columns${hint} or an array of them`;
  return expected(context.caller, wanted, 'the table', data);
}

/** Not what keeps what it has elsewhere than in properties: a Map, a Date, a promise. @type {(data: any) => boolean} */
const isObjectOfColumns = (data) =>
  isOptions(data) && !isTensor(data) &&
  (Object.keys(data).length > 0 || Object.prototype.toString.call(data) === '[object Object]');

/** @type {(a: Source, b: Source | undefined) => boolean} */
const isAlike = (a, b) =>
  b !== undefined && a.type === b.type && a.layout === b.layout && a.name === b.name &&
  (a.list === undefined) === (b.list === undefined) && String(a.nested?.type) === String(b.nested?.type);

/** How a type is stored, where that is not the usual. @type {Partial<Record<string, string>>} */
const STORED = { dictionary: 'a dictionary of ', offsets64: 'large_' };

/** @type {(source: Source) => string} */
const typeText = ({ layout, nested, type, unsupported }) =>
  nested?.type ?? unsupported ?? `${STORED[layout] ?? ''}${type.text}`;

/** @type {(a: Source, b: Source | undefined, i: number, chunk: number) => string} */
function difference(a, b, i, chunk) {
  if (b === undefined) return `column '${a.name}' is missing in chunk ${chunk}`;
  if (a.name !== b.name) return `column ${i} is '${a.name}' in chunk 0 and '${b.name}' in chunk ${chunk}`;
  return `column '${a.name}' is ${typeText(a)} in chunk 0 and ${typeText(b)} in chunk ${chunk}`;
}

/** Tables one after the other. @type {(list: Columns[], caller: string) => Columns} */
function appended(list, caller) {
  if (list.length === 0) return { sources: [], rows: [] };
  const [first] = list;
  const sources = first.sources.map((source, i) => {
    const all = list.map(({ sources: each }) => each[i]);
    const odd = all.findIndex((each) => !isAlike(source, each));
    if (odd >= 0) fail('ERR_DTYPE', `${caller}: ${difference(source, all[odd], i, odd)}`);
    const pieces = all.flatMap((each) => each.pieces);
    const { nested } = source;
    if (source.list !== undefined) return { ...source, list: all.flatMap((each) => each.list ?? []) };
    const parts = all.flatMap((each) => each.nested?.parts ?? []);
    return nested === undefined ? { ...source, pieces } : { ...source, pieces, nested: { ...nested, parts } };
  });
  const odd = list.findIndex(({ sources: each }) => each.length !== sources.length);
  if (odd >= 0) fail('ERR_DTYPE', `${caller}: chunk ${odd} has ${list[odd].sources.length} columns, chunk 0 ${sources.length}`);
  return { sources, rows: list.flatMap(({ rows }) => rows) };
}

/** @type {(data: any) => 'arrow' | 'arrays'} */
function originOf(data) {
  const first = Array.isArray(data) ? data[0] : data;
  return isArrowTable(first) || isArrowBatch(first) || isArrowVector(first) ? 'arrow' : 'arrays';
}

/** @type {import('../../base/check.js').Getter<Record<string, DataType>>} */
function typeMap(value, which, caller) {
  if (!isOptions(value)) return expected(caller, 'an object of types by column', which, value);
  return withNames(Object.entries(value).map(([name, type]) => [name, types.typeOf(/** @type {any} */ (type), caller)]));
}

/** By the names of columns, which may be those of members of objects. @type {(entries: [string, DataType][]) => Record<string, DataType>} */
const withNames = (entries) => Object.assign(Object.create(null), Object.fromEntries(entries));
const NO_TYPES = Object.freeze(withNames([]));

/**
 * The classes that a table of apache-arrow is made of, for results: a program may have more than one copy, as CommonJS
 * and as modules, and one does not write what another one made.
 *
 * @type {(data: any) => any}
 */
function kitOf(data) {
  const first = Array.isArray(data) ? data[0] : data;
  const batch = isArrowTable(first) ? first.batches[0] : undefined;
  const field = first?.schema?.fields[0];
  if (batch === undefined || field === undefined) return undefined;
  return {
    Table: first.constructor,
    Schema: first.schema.constructor,
    Field: field.constructor,
    RecordBatch: batch.constructor,
    Struct: batch.data.type.constructor,
    Data: batch.data.constructor,
    Vector: first.getChildAt(0).constructor,
  };
}

/** Tables of apache-arrow that have been read. @type {WeakMap<object, Table>} */
const known = new WeakMap();

/**
 * @param {any} data see above; a Table is itself
 * @param {{ types?: Record<string, string | DataType> }} [options] types of columns that are typed arrays or arrays
 * @param {string} [caller]
 * @returns {Table}
 */
function readTable(data, options, caller = 'table') {
  if (data instanceof Table) return data;
  const { types: named = NO_TYPES } = readOptions(caller, options, { types: typeMap });
  const origin = originOf(data);
  const lasting = origin === 'arrow' && !Array.isArray(data);
  const found = lasting ? known.get(data) : undefined;
  if (found !== undefined) return found;
  const { sources, rows } = columnsOf(data, { caller, types: named });
  const table = new Table(sources, rows, origin, origin === 'arrow' ? kitOf(data) : undefined);
  for (const name of Object.keys(named)) if (!table.fields.has(name)) table.field(name, caller);
  if (lasting) known.set(data, table);
  return table;
}

/** Batches of one schema, whose dictionaries may differ. @type {(fields: any[], batches: readonly any[]) => Table} */
function tableOfBatches(fields, batches) {
  const { sources, rows } = fromBatches(fields, batches);
  return new Table(sources, rows, 'arrow');
}

/** @typedef {{ name: string, arrowType?: any, column?: Column, data?: any }} Entry a column, or what expressions cannot use */

/** A table of one chunk that is like another one. @type {(entries: readonly Entry[], rows: number, like: Table) => Table} */
function tableOf(entries, rows, { origin, kit }) {
  const names = new Set(entries.map(({ name }) => name));
  // A field of a struct may be there as a column too.
  const isTwice = (/** @type {Source} */ { name, inside }) => inside === true && names.has(name);
  const sources = entries.flatMap(({ name, arrowType, column, data }) => {
    if (column) return { ...columnSource(name, column), arrowType };
    return dataSources(name, arrowType, [data]).filter((source) => !isTwice(source));
  });
  return new Table(sources, [rows], origin, kit);
}

module.exports = { isArrowBatch, isArrowTable, isArrowVector, readTable, tableOf, tableOfBatches };
