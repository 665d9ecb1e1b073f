/**
 * Tables of apache-arrow from plain values, and plain values from what is returned: buffers are written and read here,
 * element by element, since what the library does with them is what is tested. Values are as reference/index.js has them.
 */
'use strict';

const arrow = require('apache-arrow');
const { typeOf } = require('./reference/types.js');

const UNITS = ['s', 'ms', 'us', 'ns'];

/** @type {Record<string, any>} */
const PLAIN = {
  int8: arrow.Int8, int16: arrow.Int16, int32: arrow.Int32, int64: arrow.Int64, uint8: arrow.Uint8, uint16: arrow.Uint16,
  uint32: arrow.Uint32, uint64: arrow.Uint64, float32: arrow.Float32, float64: arrow.Float64, bool: arrow.Bool,
  utf8: arrow.Utf8, binary: arrow.Binary, date32: arrow.DateDay, date64: arrow.DateMillisecond,
};

/** @type {Record<string, (type: any) => any>} */
const PARAMETRIC = {
  time: ({ unit, bits }) => new arrow.Time(UNITS.indexOf(unit), bits),
  timestamp: ({ unit, zone }) => new arrow.Timestamp(UNITS.indexOf(unit), zone || null),
  duration: ({ unit }) => new arrow.Duration(UNITS.indexOf(unit)),
  decimal: ({ precision, scale }) => new arrow.Decimal(scale, precision, 128),
  interval: ({ unit }) => new INTERVALS[unit](),
};

/** @type {Record<string, any>} */
const INTERVALS = { year_month: arrow.IntervalYearMonth, day_time: arrow.IntervalDayTime };

/** @type {(text: string) => any} */
function arrowType(text) {
  const type = typeOf(text);
  return PLAIN[text] ? new PLAIN[text]() : PARAMETRIC[type.kind](type);
}

/** @type {Record<string, any>} by bits, of signed and unsigned integers and what is stored as them */
const ARRAYS = {
  8: [Uint8Array, Int8Array], 16: [Uint16Array, Int16Array], 32: [Uint32Array, Int32Array], 64: [BigUint64Array, BigInt64Array],
};

/** @type {(bits: readonly boolean[]) => Uint8Array} padded to 64 bits */
function bitmapOf(bits) {
  const bytes = new Uint8Array(Math.ceil(bits.length / 64) * 8);
  bits.forEach((bit, i) => (bytes[i >> 3] |= bit ? 1 << (i & 7) : 0));
  return bytes;
}

/** @type {(values: readonly any[]) => { data: Uint8Array, valueOffsets: Int32Array }} of texts or bytes */
function packed(values) {
  const parts = values.map((value) => Buffer.from(value ?? ''));
  const valueOffsets = new Int32Array(values.length + 1);
  parts.forEach((part, i) => (valueOffsets[i + 1] = valueOffsets[i] + part.length));
  return { data: new Uint8Array(Buffer.concat(parts)), valueOffsets };
}

/** Four words each, the least first. @type {(values: readonly any[]) => Uint32Array} */
function words(values) {
  const all = new Uint32Array(4 * values.length);
  values.forEach((value, i) => {
    const digits = BigInt.asUintN(128, value?.unscaled ?? 0n);
    for (let j = 0; j < 4; j++) all[4 * i + j] = Number((digits >> BigInt(32 * j)) & 0xffffffffn);
  });
  return all;
}

/** @type {Record<string, (values: readonly any[]) => Int32Array>} by units: months, or days and milliseconds */
const INTERVAL_WORDS = {
  year_month: (values) => Int32Array.from(values, (value) => value?.months ?? 0),
  day_time: (values) => Int32Array.from(values.flatMap((value) => [value?.days ?? 0, Number((value?.nanoseconds ?? 0n) / 1000000n)])),
};

/** @type {(type: any, values: readonly any[]) => any} the buffers of one chunk, for makeData */
function buffersOf(type, values) {
  const { kind, bits, signed } = type;
  if (kind === 'utf8' || kind === 'binary') return packed(values);
  if (kind === 'bool') return { data: bitmapOf(values.map(Boolean)) };
  if (kind === 'decimal') return { data: words(values) };
  if (kind === 'interval') return { data: INTERVAL_WORDS[type.unit](values) };
  if (kind === 'float') return { data: (bits === 32 ? Float32Array : Float64Array).from(values, (value) => value ?? 0) };
  const array = ARRAYS[bits][signed ? 1 : 0];
  return { data: bits === 64 ? array.from(values, (/** @type {any} */ value) => BigInt(value ?? 0)) : array.from(values, (/** @type {any} */ value) => Number(value ?? 0)) };
}

/** @type {(text: string, values: readonly any[]) => any} one chunk */
function dataOf(text, values) {
  const nullCount = values.filter((value) => value === null).length;
  const nullBitmap = nullCount > 0 ? bitmapOf(values.map((value) => value !== null)) : undefined;
  return arrow.makeData({ type: arrowType(text), length: values.length, nullCount, nullBitmap, ...buffersOf(typeOf(text), values) });
}

let ids = 0;

/** @type {(text: string, values: readonly any[]) => any} a dictionary of the values, in the order in which they come */
function dictionaryOf(text, values) {
  const known = [...new Set(values.filter((value) => value !== null))];
  const dictionary = new arrow.Vector([dataOf(text, known)]);
  const nullBitmap = bitmapOf(values.map((value) => value !== null));
  return arrow.makeData({
    type: new arrow.Dictionary(arrowType(text), new arrow.Int32(), ++ids), length: values.length, dictionary,
    nullCount: values.filter((value) => value === null).length, nullBitmap,
    data: Int32Array.from(values, (value) => (value === null ? 0 : known.indexOf(value))),
  });
}

/**
 * A table of columns. `cuts`: rows at which a chunk ends; `skipped`: rows before the first that slices leave out;
 * `dictionaries`: columns of texts that are to be dictionary-encoded, which makes one chunk of them all.
 *
 * @param {Record<string, string>} schema
 * @param {Record<string, readonly any[]>} columns
 * @param {{ cuts?: readonly number[], skipped?: number, dictionaries?: readonly string[] }} [how]
 * @returns {any} an arrow.Table
 */
function arrowTable(schema, columns, { cuts = [], skipped = 0, dictionaries = [] } = {}) {
  const names = Object.keys(schema);
  const size = names.length > 0 ? columns[names[0]].length : 0;
  const ends = dictionaries.length > 0 ? [size] : [...cuts.filter((cut) => cut > 0 && cut < size), size];
  const make = (/** @type {string} */ name) => (dictionaries.includes(name) ? dictionaryOf : dataOf);
  const vectors = names.map((name) => {
    let from = 0;
    const chunks = ends.map((end) => {
      const values = columns[name].slice(from, end);
      const before = Array.from({ length: skipped }, (_, i) => columns[name][i % size] ?? null);
      from = end;
      return make(name)(schema[name], [...before, ...values]).slice(skipped, values.length);
    });
    return [name, new arrow.Vector(chunks)];
  });
  return new arrow.Table(Object.fromEntries(vectors));
}

// --- the ends of memory ---

/** Pages of 64 KiB of memories behind and before which there is none: who reads a byte there ends the process. */
const PAGES = 16;
/** @type {WebAssembly.Memory[]} */
const memories = [];

/** Places views at the very end, or the beginning, of a memory each; what is larger stays. @type {(atEnd: boolean) => (view: any) => any} */
function placer(atEnd) {
  let next = 0;
  return (view) => {
    if (!view || view.byteLength === 0 || view.byteLength > PAGES * 65536) return view;
    memories[next] ??= new WebAssembly.Memory({ initial: PAGES, maximum: PAGES });
    const { buffer } = memories[next++];
    const at = atEnd ? buffer.byteLength - view.byteLength : 0;
    new Uint8Array(buffer, at, view.byteLength).set(new Uint8Array(view.buffer, view.byteOffset, view.byteLength));
    return new view.constructor(buffer, at, view.length);
  };
}

/** @type {(data: any, place: (view: any) => any) => any} */
function placed(data, place) {
  const { type, offset, length, nullCount } = data;
  const buffers = [data.valueOffsets, data.values, data.nullBitmap, data.typeIds].map(place);
  const dictionary = data.dictionary && new arrow.Vector(data.dictionary.data.map((/** @type {any} */ each) => placed(each, place)));
  return new arrow.Data(type, offset, length, nullCount, buffers, data.children, dictionary);
}

/** The same table in other memory, until the next one is asked for. @type {(table: any, atEnd: boolean) => any} */
function atEdges(table, atEnd) {
  const place = placer(atEnd);
  const columns = table.schema.fields.map((/** @type {any} */ { name }) => {
    const { data } = table.getChild(name);
    return [name, new arrow.Vector(data.map((/** @type {any} */ each) => placed(each, place)))];
  });
  return new arrow.Table(Object.fromEntries(columns));
}

/** @type {(data: any, at: number) => boolean} */
const isValid = (data, at) => {
  if (data.nullCount === 0 || data.nullBitmap.length === 0) return true;
  const bit = data.offset + at;
  return ((data.nullBitmap[bit >> 3] >> (bit & 7)) & 1) === 1;
};

/** @type {Record<string, (data: any, at: number, type: any) => any>} by kinds; of others what the array has */
const READERS = {
  bool: ({ values, offset }, at) => ((values[(offset + at) >> 3] >> ((offset + at) & 7)) & 1) === 1,
  utf8: ({ values, valueOffsets }, at) => Buffer.from(values.subarray(Number(valueOffsets[at]), Number(valueOffsets[at + 1]))).toString(),
  binary: ({ values, valueOffsets }, at) => new Uint8Array(values.subarray(Number(valueOffsets[at]), Number(valueOffsets[at + 1]))),
  decimal: ({ values }, at, { scale }) => {
    const digits = [3, 2, 1, 0].reduce((sum, j) => (sum << 32n) | BigInt(values[4 * at + j] >>> 0), 0n);
    return { unscaled: BigInt.asIntN(128, digits), scale };
  },
  interval: ({ values }, at, { unit }) =>
    unit === 'year_month'
      ? { months: values[at], days: 0, nanoseconds: 0n }
      : { months: 0, days: values[2 * at], nanoseconds: BigInt(values[2 * at + 1]) * 1000000n },
};

/** The values of a vector. @type {(vector: any, text: string) => any[]} */
function valuesOf(vector, text) {
  const type = typeOf(text);
  const read = READERS[type.kind] ?? ((/** @type {any} */ { values }, /** @type {number} */ at) => values[at]);
  return vector.data.flatMap((/** @type {any} */ data) =>
    Array.from({ length: data.length }, (_, at) => (isValid(data, at) ? read(data, at, type) : null)));
}

module.exports = { arrowTable, arrowType, atEdges, placer, valuesOf };
