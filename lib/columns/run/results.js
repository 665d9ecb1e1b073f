/**
 * What kernels wrote as columns, and as what the caller's table is made of: vectors and tables of apache-arrow where it
 * is one, else typed arrays, or columns where there are nulls or values are no numbers.
 */
'use strict';

const { Column } = require('../data/column.js');
const { concatColumns } = require('../data/parts.js');
const { columnsToArrow } = require('../data/write.js');
const { Table } = require('../data/table.js');
const types = require('../types/index.js');

/** @typedef {import('../types/index.js').DataType} DataType */
/** @typedef {import('./execute.js').Written} Written */
/** @typedef {{ name: string, type: DataType, parts: readonly Column[] }} Result */

/** @type {(validity: Uint8Array | undefined, rows: number) => Uint8Array | null} null where there are no nulls */
function validityOf(validity, rows) {
  if (validity === undefined) return null;
  const full = rows >> 3;
  for (let i = 0; i < full; i++) if (validity[i] !== 255) return validity;
  const rest = rows & 7;
  return rest > 0 && validity[full] !== (1 << rest) - 1 ? validity : null;
}

/** @type {(type: DataType, part: { rows: number, buffers: Written }) => Column} */
function columnOf(type, { rows, buffers }) {
  const bytes = Math.ceil(rows / 8);
  const validity = validityOf(buffers.validity, rows)?.subarray(0, bytes) ?? null;
  if (type === types.none) return new Column(type, rows, { validity: new Uint8Array(bytes) });
  if (buffers.bits) return new Column(type, rows, { values: buffers.bits.subarray(0, bytes), validity });
  if (buffers.offsets) {
    const offsets = buffers.offsets.subarray(0, rows + 1);
    return new Column(type, rows, { values: buffers.values.subarray(0, offsets[rows]), offsets, validity });
  }
  const { array, stride } = type;
  const own = buffers.values;
  const count = own.byteLength / array.BYTES_PER_ELEMENT;
  const values = own instanceof array ? own : new array(own.buffer, own.byteOffset, count);
  return new Column(type, rows, { values: values.subarray(0, rows * stride), validity });
}

/** @type {(type: DataType) => Column} */
const emptyColumn = (type) =>
  columnOf(type, {
    rows: 0,
    buffers:
      type.kind === 'bool' ? { bits: new Uint8Array(0) }
      : type.kind === 'utf8' || type.kind === 'binary' ? { offsets: new Int32Array(1), values: new Uint8Array(0) }
      : { values: new type.array(0) },
  });

/** What kernels wrote for each output. @type {(outputs: readonly import('./prepare.js').Output[], written: ReadonlyMap<string, readonly { rows: number, buffers: Written }[]>) => Result[]} */
const resultsOf = (outputs, written) =>
  outputs.map(({ name, type }) => {
    const parts = /** @type {readonly any[]} */ (written.get(name)).map((part) => columnOf(type, part));
    return { name, type, parts: parts.length > 0 ? parts : [emptyColumn(type)] };
  });

/** @type {(results: readonly Result[], origin: 'arrow' | 'arrays', kit?: any) => Table} */
function tableOf(results, origin, kit) {
  const rows = results[0].parts.map(({ length }) => length);
  const sources = results.map(({ name, type, parts }) => ({
    name, type, layout: parts[0].layout, index: parts[0].index,
    pieces: parts.map((column) => ({ rows: column.length, read: () => column })),
  }));
  return new Table(sources, rows, origin, kit);
}

/** A typed array if that says it all; truths are a byte each. @type {(column: Column) => any} */
function arrayOf(column) {
  const { type, length, values, validity } = column;
  if (validity !== null || type.kind === 'null') return column;
  if (type.kind === 'bool') return Uint8Array.from({ length }, (_, i) => (values[i >> 3] >> (i & 7)) & 1);
  return type.kind === 'int' || (type.kind === 'float' && type.bits > 16) ? values : column;
}

/**
 * @param {readonly Result[]} results
 * @param {{ origin: 'arrow' | 'arrays', kit?: any }} like what results are to be as
 * @param {boolean} single whether one result is wanted as it is, not by its name
 */
function handOver(results, { origin, kit }, single) {
  if (origin === 'arrow') {
    return single ? columnsToArrow(results[0].parts) : tableOf(results, origin, kit).toArrow();
  }
  const entries = results.map(({ name, parts }) => [name, arrayOf(concatColumns(parts))]);
  return single ? entries[0][1] : Object.fromEntries(entries);
}

module.exports = { columnOf, handOver, resultsOf, tableOf };
