/**
 * What values of a type are in kernels (kernel/dag.js), and constants of them.
 */
'use strict';

/** @typedef {import('./index.js').DataType} DataType */
/** @typedef {import('../kernel/dag.js').Rep} Rep */

/** @type {Record<string, Rep>} */
const BY_KIND = { bool: 'bool', utf8: 'view', binary: 'view', decimal: 'i128', null: 'bool' };
/** Intervals: months; days and milliseconds, days in the lower half; months, days, nanoseconds. @type {Record<string, Rep>} */
const INTERVALS = { year_month: 'i32', day_time: 'i64', month_day_nano: 'i128' };

/** @type {(type: DataType) => Rep} halves are computed with as f32 */
function repOf(type) {
  if (type.kind === 'interval') return INTERVALS[String(type.unit)];
  if (type.id === 'float16') return 'f32';
  return BY_KIND[type.kind] ?? /** @type {Rep} */ (type.dtype);
}

/** The least and the greatest integer of a type. @type {(type: DataType) => [bigint, bigint]} */
function scalarRange({ bits, signed }) {
  const size = 1n << BigInt(signed ? bits - 1 : bits);
  return [signed ? -size : 0n, size - 1n];
}

module.exports = { repOf, scalarRange };
