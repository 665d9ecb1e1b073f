/**
 * Reads protobuf messages in their JSON form into the objects that protobuf.js makes of binary ones.
 *
 * Integers of 64 bits are strings there, bytes are base64, and enums may be names.
 */
'use strict';

const { fail } = require('../../base/errors.js');
const { isOptions } = require('../../base/check.js');

/** @typedef {import('./protobuf.js').Schema} Schema */
/** @typedef {{ schema: Schema, enums: Readonly<Record<string, number>>, what: string }} Context */

const MAX_DEPTH = 100;
const SPECIAL = { NaN, Infinity, '-Infinity': -Infinity };

/** @type {(context: Context, name: string, value: any) => never} */
const refuse = ({ what }, name, value) => fail('ERR_PARSE', `${what}: field '${name}' has ${JSON.stringify(value)?.slice(0, 40)}`);

/** @type {(value: any, name: string, context: Context) => number | bigint} */
function integerOf(value, name, context) {
  if (typeof value === 'string' && Object.hasOwn(context.enums, value)) return context.enums[value];
  const isInteger = typeof value === 'number' ? Number.isInteger(value) : typeof value === 'string' && /^-?\d{1,20}$/.test(value);
  if (!isInteger) return refuse(context, name, value);
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : BigInt(value);
}

/** @type {Readonly<Record<string, (value: any, name: string, context: Context) => any>>} */
const scalars = {
  int32: integerOf, uint32: integerOf, int64: integerOf, uint64: integerOf, fixed32: integerOf,
  bool: (value, name, context) => (typeof value === 'boolean' ? value : refuse(context, name, value)),
  string: (value, name, context) => (typeof value === 'string' ? value : refuse(context, name, value)),
  bytes: (value, name, context) => (typeof value === 'string' ? new Uint8Array(Buffer.from(value, 'base64')) : refuse(context, name, value)),
  float: numberOf, double: numberOf,
};

/** @type {(value: any, name: string, context: Context) => number} */
function numberOf(value, name, context) {
  if (typeof value === 'number') return value;
  if (typeof value === 'string' && Object.hasOwn(SPECIAL, value)) return SPECIAL[/** @type {keyof typeof SPECIAL} */ (value)];
  const number = typeof value === 'string' && value !== '' ? Number(value) : NaN;
  return Number.isNaN(number) ? refuse(context, name, value) : number;
}

/** @type {(context: Context, table: string, value: any, depth: number) => any} */
function message(context, table, value, depth) {
  if (!isOptions(value) || depth > MAX_DEPTH) return refuse(context, table, value);
  /** @type {any} */
  const result = {};
  for (const [name, type, label] of Object.values(context.schema[table])) {
    const given = /** @type {any} */ (value)[name];
    if (given === undefined || given === null) continue;
    const read = (/** @type {any} */ each) =>
      scalars[type] ? scalars[type](each, name, context) : message(context, type, each, depth + 1);
    if (label === 'map') {
      if (!isOptions(given)) return refuse(context, name, given);
      const valueOf = (/** @type {any} */ each) => message(context, type, { value: each }, depth).value;
      result[name] = new Map(Object.entries(given).map(([key, each]) => [key, valueOf(each)]));
    } else if (label !== 'repeated') result[name] = read(given);
    else if (Array.isArray(given)) result[name] = given.map(read);
    else return refuse(context, name, given);
  }
  return result;
}

/**
 * @param {Schema} schema
 * @param {string} table of the outermost message
 * @param {unknown} value what JSON.parse gave
 * @param {Readonly<Record<string, number>>} enums codes by name
 * @param {string} what for messages
 * @returns {any}
 */
const fromJson = (schema, table, value, enums, what) => message({ schema, enums, what }, table, value, 0);

module.exports = { fromJson };
