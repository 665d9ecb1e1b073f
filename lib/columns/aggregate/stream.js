/**
 * Aggregates of more rows than memory holds: batch by batch, as partial results that are aggregated again.
 *
 * Each aggregate is divided into partial ones, whose results are aggregated over batches, and an expression of those:
 * a mean into a sum and a count. Variances are sums of differences from the mean of the first batch, and of their
 * squares, which lose few digits. Partial results are put together whenever they have become many. Medians and
 * distinct counts need all values at once, so they have no place here.
 */
'use strict';

const { fail } = require('../../base/errors.js');
const { shareDictionary } = require('../data/dictionaries.js');
const { concatColumns, nullColumn } = require('../data/parts.js');
const { tableOfColumns } = require('../data/table.js');
const { nodes, print } = require('../language/index.js');
const { aggregate, computed } = require('./index.js');
const { rowsOf } = require('./results.js');
const { split, standsAlone } = require('./split.js');

/** @typedef {import('../data/column.js').Column} Column */
/** @typedef {import('../language/ast.js').Node} Ast */
/** @typedef {import('../run/prepare.js').Named} Named */
/** @typedef {import('./index.js').Settings} Settings */
/** @typedef {import('./split.js').Call} Call */

/** Rows of partial results that are put together at once. */
const MANY = 1 << 17;

const float = (/** @type {Ast} */ ast) => nodes.cast(ast, nodes.typeName('float64', []), false);
const call = (/** @type {string} */ name, /** @type {Ast[]} */ ...args) => nodes.call(name, args);
const number = (/** @type {number} */ value) => nodes.literal('float', value);

/**
 * A partial aggregate, and how its results are aggregated.
 *
 * @typedef {{ ast: Ast, again: string }} Partial
 */

/** The same over batches as within one. @type {(fn: string) => (arg: Ast) => { partial: Partial[], finish: (of: Ast[]) => Ast }} */
const alike = (fn) => (arg) => ({ partial: [{ ast: call(fn, arg), again: fn }], finish: ([x]) => x });

/** @type {(ddof: number, root: boolean) => (arg: Ast, center: number) => { partial: Partial[], finish: (of: Ast[]) => Ast }} */
const spread = (ddof, root) => (arg, center) => {
  const difference = call('subtract', float(arg), number(center));
  const partial = [call('count', arg), call('sum', difference), call('sum', call('multiply', difference, difference))];
  return {
    partial: partial.map((ast) => ({ ast, again: 'sum' })),
    finish: ([n, sum, squares]) => {
      const count = float(n);
      const rest = call('subtract', squares, call('divide', call('multiply', sum, sum), count));
      const variance = call('divide', call('greatest', rest, number(0)), call('subtract', count, number(ddof)));
      const there = call('greater_than', count, number(ddof));
      return nodes.choice([{ when: there, then: root ? call('sqrt', variance) : variance }], null);
    },
  };
};

/** By the name of the aggregate. @type {Record<string, (arg: Ast, center: number) => { partial: Partial[], finish: (of: Ast[]) => Ast }>} */
const DIVIDED = {
  ...Object.fromEntries(['sum', 'min', 'max', 'first', 'last', 'any', 'all'].map((fn) => [fn, alike(fn)])),
  count: (arg) => ({ partial: [{ ast: nodes.call('count', arg === null ? [] : [arg]), again: 'sum' }], finish: ([x]) => x }),
  mean: (arg) => ({
    partial: [call('sum', float(arg)), call('count', arg)].map((ast) => ({ ast, again: 'sum' })),
    finish: ([sum, count]) => call('divide', sum, float(count)),
  }),
  var_samp: spread(1, false),
  var_pop: spread(0, false),
  stddev_samp: spread(1, true),
  stddev_pop: spread(0, true),
};

const SPREADS = new Set(['var_samp', 'var_pop', 'stddev_samp', 'stddev_pop']);

/** `text`: the aggregate that it is a part of. @typedef {{ partial: (Named & { again: string })[], finish: Ast[] }} Plan */

/** @type {(name: string, ast: Ast) => Named} */
const named = (name, ast) => ({ name, ast, text: '' });

class Streamed {
  #rest;
  #keys;
  #where;
  #settings;
  #calls;
  /** @type {Plan | null} */
  #plan = null;
  /** Partial results. @type {import('../data/table.js').Table[]} */
  #tables = [];
  #rows = 0;
  #batches = 0;
  /** Of keys and partial results, as the first batch has them. @type {import('../types/index.js').DataType[] | undefined} */
  #types;

  /**
   * @param {readonly Named[]} list
   * @param {readonly Named[]} keys
   * @param {Named | null} where
   * @param {Settings} settings
   */
  constructor(list, keys, where, settings) {
    // What is made of their parts knows no text.
    const { calls, rest } = split(list.map(standsAlone));
    const lost = calls.find(({ fn }) => !(fn in DIVIDED));
    if (lost !== undefined) fail('ERR_UNSUPPORTED', `aggregateBatches: ${lost.fn} needs all rows at once: collect them in a table`);
    this.#calls = calls;
    this.#rest = rest;
    this.#keys = keys.map(standsAlone);
    this.#where = where && standsAlone(where);
    this.#settings = settings;
  }

  /** @type {(table: import('../data/table.js').Table) => import('./index.js').Steps<void>} */
  *add(table) {
    const plan = this.#plan ?? (yield* this.#divide(table));
    this.#plan = plan;
    const { keys, results } = yield* aggregate(table, plan.partial, this.#keys, this.#where, this.#settings);
    this.#checkTypes([...keys, ...results]);
    this.#enter(keys, results);
    this.#batches++;
    if (this.#rows >= MANY) yield* this.#join();
  }

  /** Each key and each aggregate is of one type in all batches. @param {readonly Column[]} columns */
  #checkTypes(columns) {
    const { partial } = /** @type {Plan} */ (this.#plan);
    const types = (this.#types ??= columns.map(({ type }) => type));
    const odd = columns.findIndex(({ type }, i) => type !== types[i]);
    if (odd < 0) return;
    const what = [...this.#keys, ...partial][odd];
    const which = odd < this.#keys.length ? `key '${what.name}'` : `'${what.text}'`;
    const both = `${types[odd].text} in batch 0 and ${columns[odd].type.text} in batch ${this.#batches}`;
    fail('ERR_DTYPE', `aggregateBatches: ${which} is ${both}`);
  }

  /** What to compute, with the means of a table for centers. @type {(table: import('../data/table.js').Table) => import('./index.js').Steps<Plan>} */
  *#divide(table) {
    /** @type {Plan['partial']} */
    const partial = [];
    /** @type {Ast[]} */
    const finish = [];
    for (const { arg, ast: whole, fn } of this.#calls) {
      const center = SPREADS.has(fn) ? yield* this.#centerOf(table, /** @type {Ast} */ (arg)) : 0;
      const own = DIVIDED[fn](/** @type {Ast} */ (arg), center);
      const names = own.partial.map(({ ast, again }) => {
        const name = `#partial${partial.length}`;
        partial.push({ name, ast, again, text: print(whole) });
        return nodes.name(name);
      });
      finish.push(own.finish(names));
    }
    return { partial, finish };
  }

  /** @type {(table: import('../data/table.js').Table, arg: Ast) => import('./index.js').Steps<number>} */
  *#centerOf(table, arg) {
    const { results } = yield* aggregate(table, [named('mean', call('mean', arg))], [], this.#where, this.#settings);
    const mean = results[0].get(0);
    return Number.isFinite(mean) ? mean : 0;
  }

  #enter(/** @type {readonly Column[]} */ keys, /** @type {readonly Column[]} */ results) {
    const { partial } = /** @type {Plan} */ (this.#plan);
    const columns = [
      ...this.#keys.map(({ name }, i) => /** @type {[string, Column]} */ ([`#key ${name}`, keys[i]])),
      ...partial.map(({ name }, i) => /** @type {[string, Column]} */ ([name, results[i]])),
    ];
    const table = tableOfColumns(columns, 'arrays');
    this.#tables.push(table);
    this.#rows += table.rows;
  }

  /** Makes one partial result of all. @returns {import('./index.js').Steps<void>} */
  *#join() {
    const { partial } = /** @type {Plan} */ (this.#plan);
    if (this.#tables.length < 2) return;
    const names = [...this.#tables[0].fields.keys()];
    const all = tableOfColumns(
      names.map((name) => [name, oneOf(this.#tables.map((table) => wholeOf(table, name)))]),
      'arrays',
    );
    const again = partial.map(({ name, again: fn }) => named(name, call(fn, nodes.name(name))));
    const by = this.#keys.map(({ name }) => named(name, nodes.name(`#key ${name}`)));
    const { keys, results } = yield* aggregate(all, again, by, null, this.#settings);
    this.#tables = [];
    this.#rows = 0;
    this.#enter(keys, results);
  }

  /** Null where there was no batch. @returns {import('./index.js').Steps<{ keys: Column[], results: Column[] } | null>} */
  *finish() {
    if (this.#plan === null) return null;
    yield* this.#join();
    const [table] = this.#tables;
    const { finish } = this.#plan;
    const found = yield* computed(table, finish.map((ast, i) => named(`#${i}`, ast)), this.#settings);
    const keys = this.#keys.map(({ name }) => wholeOf(table, `#key ${name}`));
    const columns = tableOfColumns(
      [
        ...this.#keys.map(({ name }, i) => /** @type {[string, Column]} */ ([name, keys[i]])),
        ...found.map((column, i) => /** @type {[string, Column]} */ ([`#${i}`, column])),
      ],
      'arrays',
    );
    return { keys, results: yield* computed(columns, this.#rest, this.#settings) };
  }
}

/** @type {(table: import('../data/table.js').Table, name: string) => Column} */
const wholeOf = (table, name) => concatColumns(table.column(name).chunks);

/** A column without its dictionary. @type {(column: Column) => Column} */
function withoutDictionary(column) {
  const { dictionary, length, values, validity } = column;
  if (dictionary === undefined) return column;
  if (dictionary.length === 0) return nullColumn(column.type, length);
  const isNull = (/** @type {number} */ row) => validity !== null && ((validity[row >> 3] >> (row & 7)) & 1) === 0;
  const indices = BigInt64Array.from({ length }, (_, row) => (isNull(row) ? -1n : BigInt(values[row])));
  return rowsOf([dictionary], indices);
}

/** Columns of several batches as one: each may have come with a dictionary of its own. @type {(columns: readonly Column[]) => Column} */
function oneOf(columns) {
  const isShared = columns.every(({ dictionary }) => dictionary !== undefined);
  return concatColumns(isShared ? shareDictionary(columns) : columns.map(withoutDictionary));
}

module.exports = { Streamed };
