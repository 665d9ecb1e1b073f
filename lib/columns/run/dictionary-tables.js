/**
 * What kernels look up for dictionary columns: the dictionary itself, and what expressions give for its values.
 *
 * An expression that depends on one dictionary column is computed here, for null and then for each value of the
 * dictionary. Results are kept with the dictionary, which is not changed: the next run with it, of this or another
 * chunk or table, finds them.
 */
'use strict';

const { Column } = require('../data/column.js');
const { concatColumns } = require('../data/parts.js');
const { print } = require('../language/print.js');
const { Run } = require('./execute.js');
const { prepareProjection } = require('./prepare.js');
const { columnOf } = require('./results.js');
const { enter, enterDictionaries } = require('./shared-arrays.js');
const { native } = require('../../base/binding.js');

/** @typedef {import('../data/index.js').Table} Table */
/** @typedef {import('./prepare.js').Prepared} Prepared */
/** @typedef {import('../analyse/index.js').Lifted} Lifted */
/** @typedef {{ policies: import('../analyse/context.js').Policies, run: import('./execute.js').RunOptions, functions?: any }} Options */

/** Results that are kept with a dictionary. */
const MOST = 512;
/** By dictionary, results by expression, the one used last behind. @type {WeakMap<Column, Map<string, Column>>} */
const results = new WeakMap();

/**
 * The arrays that all chunks of a run share, by name and part of their buffers.
 *
 * @type {(prepared: Prepared, table: Table, options: Options) => Map<string, any>}
 */
function tablesFor({ buffers, lifted }, table, options) {
  /** @type {Map<string, any>} */
  const tables = new Map();
  if (table.chunks.length === 0) return tables;
  for (const each of lifted) enter(tables, each.name, lift(each, dictionaryOf(table, each.column), options));
  enterDictionaries(tables, buffers, (name) => dictionaryOf(table, name));
  return tables;
}

/** @type {(table: Table, name: string) => Column} */
const dictionaryOf = (table, name) => /** @type {Column} */ (table.column(name).chunks[0].dictionary);

/** @type {(lifted: Lifted, dictionary: Column, options: Options) => Column} */
function lift({ ast, column }, dictionary, { policies, run, functions }) {
  const known = results.get(dictionary) ?? new Map();
  results.set(dictionary, known);
  const key = `${print(ast)} ${column} ${Object.values(policies).join()} ${run.numerics}`;
  // What functions of users are is not in the text.
  const found = functions === undefined ? known.get(key) : undefined;
  if (found !== undefined) {
    known.delete(key);
    known.set(key, found);
    return found;
  }
  const { type, layout } = dictionary;
  const field = { name: column, type, layout, nullable: true };
  const options = { policies, parameters: new Map(), vectorBytes: native.vectorBytes(), lift: false, functions };
  const prepared = prepareProjection([{ name: 'value', ast, text: '' }], new Map([[column, /** @type {any} */ (field)]]), options);
  const both = [nothing(dictionary), dictionary];
  const chunks = both.map((each) => ({ rows: each.length, columns: new Map([[column, each]]) }));
  const written = new Run(prepared, { chunks, tables: new Map(), words: [] }, { ...run, threads: 1 }).now();
  const parts = /** @type {any[]} */ (written.get('value')).map((part) => columnOf(prepared.outputs[0].type, part));
  const made = concatColumns(parts);
  known.set(key, made);
  if (known.size > MOST) known.delete(/** @type {string} */ (known.keys().next().value));
  return made;
}

/** A column of one null. @type {(like: Column) => Column} */
function nothing({ type, layout, offsets }) {
  const validity = new Uint8Array(8);
  if (offsets) return new Column(type, 1, { values: new Uint8Array(0), offsets: new (/** @type {any} */ (offsets).constructor)(2), validity });
  const values = layout === 'bits' ? new Uint8Array(8) : new type.array(type.stride);
  return new Column(type, 1, { values, validity });
}

module.exports = { tablesFor };
