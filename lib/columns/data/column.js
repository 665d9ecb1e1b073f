/**
 * Column: the values of one type in buffers as Arrow lays them out, in one piece. Chunks of tables are made of columns,
 * and results are columns.
 *
 *   layout       values                                   offsets
 *   fixed        `stride` elements a row                  -
 *   bits         a bitmap                                 -
 *   offsets32    all bytes                                Int32Array of length + 1
 *   offsets64    all bytes                                BigInt64Array of length + 1
 *   dictionary   indices into `dictionary`, a column      -
 *   null         nothing                                  -
 *
 * `validity` is a bitmap, or null where each row has a value. Bitmaps begin at bit 0 and at a multiple of 8 bytes. The
 * values of a null may be anything, but offsets and indices are always good to follow.
 *
 * Values in JavaScript are those of apache-arrow where it has good ones: bigints for 64 bits, milliseconds for dates
 * and timestamps (with a fraction where the unit is finer), raw counts for times and durations. Decimals are texts,
 * since a number would lose digits, and intervals objects of months, days and nanoseconds.
 */
'use strict';

const { DESCRIBE } = require('../../base/check.js');
const { fail } = require('../../base/errors.js');
const { halves } = require('../../tensor/halves.js');
const { bitAt, countBits } = require('./bitmaps.js');
const { textReader } = require('./text.js');

/** @typedef {import('../types/data-types.js').DataType} DataType */
/** @typedef {'fixed' | 'bits' | 'offsets32' | 'offsets64' | 'dictionary' | 'null'} Layout */
/** @typedef {{ values?: any, offsets?: Int32Array | BigInt64Array, validity?: Uint8Array | null, dictionary?: Column, ascii?: boolean }} Buffers */

const f16 = /** @type {import('../../tensor/halves.js').Half} */ (halves.f16);

const DAY = 86400000;

/** Units in a millisecond, and nanoseconds in each. @type {Record<string, bigint>} */
const PER_MILLISECOND = { us: 1000n, ns: 1000000n };

/** @type {(type: DataType) => (count: bigint) => number} of moments, to milliseconds */
function toMilliseconds({ unit }) {
  if (unit === 's') return (count) => 1000 * Number(count);
  if (unit === 'ms') return Number;
  const per = PER_MILLISECOND[/** @type {string} */ (unit)];
  return (count) => Number(count / per) + Number(count % per) / Number(per);
}

/** @type {(words: Uint32Array, at: number) => bigint} */
function bigAt(words, at) {
  const top = BigInt.asIntN(32, BigInt(words[at + 3]));
  return (((top << 32n) | BigInt(words[at + 2])) << 64n) | (BigInt(words[at + 1]) << 32n) | BigInt(words[at]);
}

/** @type {(value: bigint, scale: number) => string} */
function decimalText(value, scale) {
  if (scale === 0) return String(value);
  const digits = String(value < 0n ? -value : value).padStart(scale + 1, '0');
  return `${value < 0n ? '-' : ''}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

/** @type {Record<string, (values: any) => (row: number) => { months: number, days: number, nanoseconds: bigint }>} */
const intervalReaders = {
  year_month: (values) => (row) => ({ months: values[row], days: 0, nanoseconds: 0n }),
  day_time: (values) => (row) =>
    ({ months: 0, days: values[2 * row], nanoseconds: BigInt(values[2 * row + 1]) * 1000000n }),
  month_day_nano: (values) => (row) => {
    const [low, high] = [values[4 * row + 2], values[4 * row + 3]];
    const nanoseconds = (BigInt(high) << 32n) | BigInt(low >>> 0);
    return { months: values[4 * row], days: values[4 * row + 1], nanoseconds };
  },
};

/** @type {(column: Column) => (row: number) => [number, number]} where its bytes are */
function spans({ offsets }) {
  const list = /** @type {any} */ (offsets);
  return (row) => [Number(list[row]), Number(list[row + 1])];
}

/** How rows that are not null are read, by kind. @type {Record<string, (column: Column) => (row: number) => any>} */
const readers = {
  int: ({ values }) => (row) => values[row],
  float: ({ type, values }) => (type.bits === 16 ? (row) => f16.decode(values[row]) : (row) => values[row]),
  bool: ({ values }) => (row) => bitAt(values, row),
  utf8(column) {
    const text = textReader(column.values);
    const span = spans(column);
    return (row) => text(...span(row));
  },
  binary(column) {
    const span = spans(column);
    return (row) => column.values.subarray(...span(row));
  },
  date: ({ type, values }) => (type.bits === 32 ? (row) => DAY * values[row] : (row) => Number(values[row])),
  time: ({ values }) => (row) => values[row],
  timestamp({ type, values }) {
    const convert = toMilliseconds(type);
    return (row) => convert(values[row]);
  },
  duration: ({ values }) => (row) => values[row],
  interval: ({ type, values }) => intervalReaders[/** @type {string} */ (type.unit)](values),
  decimal: ({ type, values }) => (row) => decimalText(bigAt(values, 4 * row), type.scale),
  null: () => () => null,
};

/** @type {(column: Column) => (row: number) => any} */
function readerOf(column) {
  const { dictionary, validity } = column;
  const read = dictionary === undefined ? readers[column.type.kind](column) : fromDictionary(column, dictionary);
  return validity === null ? read : (row) => (bitAt(validity, row) ? read(row) : null);
}

/** @type {(column: Column, dictionary: Column) => (row: number) => any} */
const fromDictionary = ({ values }, dictionary) => (row) => dictionary.get(Number(values[row]));

/** Names of the classes that indices may have. @type {Record<string, string>} */
const INDEX_TYPES = {
  Int8Array: 'int8', Int16Array: 'int16', Int32Array: 'int32', BigInt64Array: 'int64',
  Uint8Array: 'uint8', Uint16Array: 'uint16', Uint32Array: 'uint32', BigUint64Array: 'uint64',
};

/** @type {(type: DataType, buffers: Buffers) => Layout} */
function layoutOf(type, { dictionary, offsets }) {
  if (dictionary !== undefined) return 'dictionary';
  if (type.kind === 'bool') return 'bits';
  if (type.kind === 'null') return 'null';
  if (type.kind !== 'utf8' && type.kind !== 'binary') return 'fixed';
  return offsets instanceof BigInt64Array ? 'offsets64' : 'offsets32';
}

const NOTHING = new Uint8Array(0);

class Column {
  /** @type {((row: number) => any) | undefined} */
  #read;
  #nullCount = -1;
  #sizes;

  /**
   * For this library, which has validated the buffers or made them.
   *
   * @param {DataType} type
   * @param {number} length
   * @param {Buffers} buffers with at least that many rows
   */
  constructor(type, length, buffers) {
    const { values = NOTHING, offsets, validity = null, dictionary, ascii = false } = buffers;
    this.type = type;
    this.length = length;
    this.layout = layoutOf(type, buffers);
    /** @type {any} */
    this.values = values;
    this.offsets = offsets;
    this.validity = validity;
    this.dictionary = dictionary;
    /** The type of indices into a dictionary. @type {string | undefined} */
    this.index = dictionary && INDEX_TYPES[values.constructor.name];
    /** Whether all bytes of a text are known to be below 128. */
    this.ascii = ascii;
    this.#sizes = [values.length, offsets?.length, validity?.length];
    Object.freeze(this);
  }

  /** Rows without a value. */
  get nullCount() {
    if (this.#nullCount < 0) {
      const { dictionary, length, validity } = this;
      this.#nullCount = validity === null ? 0 : length - countBits(validity, 0, length);
      if (dictionary !== undefined && dictionary.nullCount > 0) this.#nullCount = this.toArray().filter(isNull).length;
    }
    return this.#nullCount;
  }

  /** Whether a row may be without a value. @returns {boolean} */
  get nullable() {
    return this.validity !== null || (this.dictionary?.nullable ?? false);
  }

  /** Whether no buffer was detached or shrunk since. @returns {boolean} */
  get isIntact() {
    const [values, offsets, validity] = this.#sizes;
    return (
      this.values.length === values && this.offsets?.length === offsets && this.validity?.length === validity &&
      (this.dictionary?.isIntact ?? true)
    );
  }

  /** @param {number} row @returns {any} null where there is no value, undefined beyond the last row */
  get(row) {
    if (!Number.isInteger(row) || row < 0 || row >= this.length) return undefined;
    this.#read ??= readerOf(this);
    return this.#read(row);
  }

  /** @returns {any[]} */
  toArray() {
    this.#read ??= readerOf(this);
    const read = this.#read;
    return Array.from({ length: this.length }, (_, row) => read(row));
  }

  *[Symbol.iterator]() {
    for (let row = 0; row < this.length; row++) yield this.get(row);
  }

  /** As a vector of apache-arrow, without a copy. @param {any} [arrow] the module to use @returns {any} */
  toArrow(arrow) {
    return require('./write.js').columnsToArrow([this], arrow);
  }

  toJSON() {
    return this.toArray();
  }

  /**
   * @param {number} _
   * @param {import('node:util').InspectOptionsStylized} options
   * @param {typeof import('node:util').inspect} inspect
   * @returns {string}
   */
  [Symbol.for('nodejs.util.inspect.custom')](_, options, inspect) {
    const most = options.maxArrayLength ?? Infinity;
    const shown = Array.from({ length: Math.min(this.length, most) }, (__, row) => this.get(row));
    const more = this.length > most ? ` … and ${this.length - most} more` : '';
    return `Column ${this.type.text}[${this.length}] ${inspect(shown, options)}${more}`;
  }

  [DESCRIBE]() {
    return `a column of ${this.type.text} with ${this.length} rows`;
  }
}

/** @type {(value: unknown) => boolean} */
const isNull = (value) => value === null;

/**
 * A column over buffers that kernels have filled: they may be longer than its rows.
 *
 * @param {DataType} type
 * @param {number} rows
 * @param {Buffers} buffers
 * @returns {Column}
 */
function makeColumn(type, rows, buffers) {
  const { values, offsets, validity, dictionary, ascii } = buffers;
  const layout = layoutOf(type, buffers);
  const bytes = Math.ceil(rows / 8);
  const count = { fixed: rows * type.stride, bits: bytes, dictionary: rows, null: 0 }[/** @type {string} */ (layout)];
  const own = count === undefined ? values : (values ?? NOTHING).subarray(0, count);
  const ends = offsets?.subarray(0, rows + 1);
  const short = own === undefined || (count !== undefined && own.length < count) || (ends && ends.length <= rows);
  if (short || (validity && validity.length < bytes)) {
    return fail('ERR_INTERNAL', `makeColumn: buffers are too short for ${rows} rows of ${type.text}`);
  }
  const bits = validity ? validity.subarray(0, bytes) : null;
  return new Column(type, rows, { values: own, offsets: ends, validity: bits, dictionary, ascii });
}

module.exports = { Column, INDEX_TYPES, bigAt, decimalText, makeColumn, readerOf };
