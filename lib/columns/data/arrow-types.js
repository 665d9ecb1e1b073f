/**
 * The data types of apache-arrow and ours, in both directions.
 *
 * Reading goes by `typeId` and the fields of a type, which are those of the format, so that tables of any copy of
 * apache-arrow will do and none has to be installed. Only making vectors, and reading files, takes the module
 * (arrow-module.js).
 */
'use strict';

const types = require('../types/index.js');

/** @typedef {import('../types/data-types.js').DataType} DataType */

/**
 * How data of an Arrow type is read: `form` says where its rows are.
 *
 * @typedef {object} Shape
 * @property {'fixed' | 'bits' | 'offsets' | 'views' | 'bytes' | 'dictionary' | 'null' | 'struct' | 'none'} form
 * @property {DataType} type of the values, of a dictionary those in it; null where there is none
 * @property {string | undefined} [unsupported] why expressions cannot use it
 * @property {boolean} [wide] offsets of 64 bits
 * @property {number} [width] bytes of a row of `bytes`
 * @property {DataType} [index] of a dictionary
 */

const FLOATS = [types.float16, types.float32, types.float64];

/** @type {(form: Shape['form'], type: DataType, more?: Partial<Shape>) => Shape} */
const shape = (form, type, more) => ({ form, type, ...more });

/** @type {(why: string) => Shape} */
const unsupported = (why) => ({ form: 'none', type: types.none, unsupported: why });

/** @type {(bits: number, signed: boolean) => DataType | undefined} */
const intType = (bits, signed) =>
  types.plain.find((type) => type.kind === 'int' && type.bits === bits && type.signed === signed);

/** @type {(arrow: any) => Shape} */
function decimalShape({ bitWidth = 128, precision, scale }) {
  const [isShort, isUsual] = [precision >= 1 && precision <= types.MAX_PRECISION, scale >= 0 && scale <= precision];
  const fits = bitWidth === 128 && isShort && isUsual;
  if (!fits) return unsupported(`decimal${bitWidth}(${precision}, ${scale})`);
  return shape('fixed', types.decimal128(precision, scale));
}

/** @type {(arrow: any) => Shape} */
function dictionaryShape({ dictionary, indices }) {
  const values = shapeOf(dictionary);
  const index = intType(indices.bitWidth, indices.isSigned);
  const flat = !['dictionary', 'struct', 'none', 'null'].includes(values.form);
  if (!flat || index === undefined) return unsupported(`a dictionary of ${dictionary}`);
  return shape('dictionary', values.type, { index });
}

/** @type {(type: DataType | undefined, arrow: any) => Shape} */
const fixedOr = (type, arrow) => (type === undefined ? unsupported(String(arrow)) : shape('fixed', type));

/** @type {(units: readonly any[], make: (unit: any) => DataType, arrow: any) => Shape} */
const withUnit = (units, make, arrow) =>
  fixedOr(units[arrow.unit] === undefined ? undefined : make(units[arrow.unit]), arrow);

/** By typeId. @type {Record<number, (arrow: any) => Shape>} */
const shapes = {
  1: () => shape('null', types.none),
  2: (arrow) => fixedOr(intType(arrow.bitWidth, arrow.isSigned), arrow),
  3: (arrow) => fixedOr(FLOATS[arrow.precision], arrow),
  4: () => shape('offsets', types.binary),
  5: () => shape('offsets', types.utf8),
  6: () => shape('bits', types.bool),
  7: decimalShape,
  8: (arrow) => fixedOr([types.date32, types.date64][arrow.unit], arrow),
  9: (arrow) => withUnit(types.TIME_UNITS, types.time, arrow),
  10: (arrow) => withUnit(types.TIME_UNITS, (unit) => types.timestamp(unit, arrow.timezone), arrow),
  11: (arrow) => withUnit(types.INTERVAL_UNITS, types.interval, arrow),
  13: () => ({ form: 'struct', type: types.none, unsupported: 'a struct' }),
  15: (arrow) => shape('bytes', types.binary, { width: arrow.byteWidth }),
  18: (arrow) => withUnit(types.TIME_UNITS, types.duration, arrow),
  19: () => shape('offsets', types.binary, { wide: true }),
  20: () => shape('offsets', types.utf8, { wide: true }),
  23: () => shape('views', types.binary),
  24: () => shape('views', types.utf8),
  [-1]: dictionaryShape,
};

/** @type {(arrow: any) => Shape} */
const shapeOf = (arrow) => shapes[arrow.typeId]?.(arrow) ?? unsupported(String(arrow));

const INTERVALS = ['IntervalYearMonth', 'IntervalDayTime', 'IntervalMonthDayNano'];

/** The number of a unit in Arrow. @type {(unit: any) => number} */
const unitNumber = (unit) => types.TIME_UNITS.indexOf(unit);


/** By kind, given the module and whether offsets have 64 bits. @type {Record<string, (type: DataType, arrow: any, wide: boolean) => any>} */
const makers = {
  int: ({ bits, signed }, arrow) => new arrow[`${signed ? 'Int' : 'Uint'}${bits}`](),
  float: ({ bits }, arrow) => new arrow[`Float${bits}`](),
  bool: (_, arrow) => new arrow.Bool(),
  utf8: (_, arrow, wide) => (wide ? new arrow.LargeUtf8() : new arrow.Utf8()),
  binary: (_, arrow, wide) => (wide ? new arrow.LargeBinary() : new arrow.Binary()),
  date: ({ bits }, arrow) => (bits === 32 ? new arrow.DateDay() : new arrow.DateMillisecond()),
  time: ({ unit, bits }, arrow) => new arrow.Time(unitNumber(unit), bits),
  timestamp: ({ unit, zone }, arrow) => new arrow.Timestamp(unitNumber(unit), zone),
  duration: ({ unit }, arrow) => new arrow.Duration(unitNumber(unit)),
  interval: ({ unit }, arrow) => new arrow[INTERVALS[types.INTERVAL_UNITS.indexOf(/** @type {any} */ (unit))]](),
  decimal: ({ scale, precision }, arrow) => new arrow.Decimal(scale, precision),
  null: (_, arrow) => new arrow.Null(),
};

/** @type {(type: DataType, arrow: any, wide?: boolean) => any} a type of apache-arrow */
const arrowType = (type, arrow, wide = false) => makers[type.kind](type, arrow, wide);

module.exports = { arrowType, shapeOf };
