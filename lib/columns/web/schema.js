/**
 * Fields of tables that are not there yet: of a schema by name, `{ x: 'float64', city: 'utf8?' }`.
 *
 *   utf8?  large_utf8  dictionary(utf8, int32)  timestamp[us, UTC]
 *
 * A question mark says that rows may be without a value.
 */
'use strict';

const { expected, isOptions } = require('../../base/check.js');
const { fail } = require('../../base/errors.js');
const { readTable } = require('../data/index.js');
const types = require('../types/index.js');

/** @typedef {import('../types/index.js').DataType} DataType */
/** @typedef {{ name: string, type: DataType, layout: string, nullable: boolean, index?: string, unsupported?: string }} Field */

/** A dictionary: type of its values, type of indices. */
const DICTIONARY = /^dictionary\s*[[(<]\s*(.+?)\s*(?:,\s*(u?int\d+)\s*)?[\])>]$/i;
const LARGE = /^large_/i;

/** @type {Record<string, string>} */
const LAYOUTS = { bool: 'bits', null: 'null', utf8: 'offsets32', binary: 'offsets32' };

/** How values of a type are laid out if nobody says. @type {(type: DataType) => string} */
const plainLayout = ({ kind }) => LAYOUTS[kind] ?? 'fixed';

/** @type {(text: string, caller: string) => { type: DataType, layout: string }} */
function plain(text, caller) {
  const type = types.typeOf(text, caller);
  const layout = plainLayout(type);
  return { type, layout: LARGE.test(text) && layout === 'offsets32' ? 'offsets64' : layout };
}

/** @type {(name: string, text: string, caller: string) => Field} */
function fieldOf(name, text, caller) {
  const nullable = text.trim().endsWith('?');
  const bare = text.trim().slice(0, nullable ? -1 : undefined).trim();
  const [, values, index = 'int32'] = DICTIONARY.exec(bare) ?? [];
  if (values === undefined) return { name, nullable, ...plain(bare, caller) };
  if (!types.plain.some(({ id, kind }) => id === index && kind === 'int')) {
    return fail('ERR_ARGUMENT', `${caller}: column '${name}': no dictionary has indices of ${index}`);
  }
  return { name, nullable, type: plain(values, caller).type, layout: 'dictionary', index };
}

/** @type {(value: any) => boolean} */
const isSchema = (value) => isOptions(value) && Object.values(value).every((each) => typeof each === 'string');

/** Of other tables' dictionaries values may be nulls where rows may. @type {(field: any) => any} */
const asWide = (field) =>
  field.layout === 'dictionary' && field.unsupported === undefined
    ? { name: field.name, type: field.type, layout: field.layout, nullable: field.nullable, index: field.index }
    : field;

/**
 * @param {any} given a schema, or a table whose fields are meant
 * @param {string} caller
 * @returns {ReadonlyMap<string, any>}
 */
function fieldsOf(given, caller) {
  if (given === undefined) return expected(caller, 'a table, or types of columns by name', 'the schema', given);
  if (!isSchema(given)) {
    const { fields } = readTable(given, undefined, caller);
    return new Map([...fields].map(([name, field]) => [name, asWide(field)]));
  }
  return new Map(Object.entries(given).map(([name, text]) => [name, fieldOf(name, text, caller)]));
}

module.exports = { fieldsOf, plainLayout };
