/**
 * Expression: what `expr` returns. It compiles for the fields of the tables that it is given, and runs.
 *
 * A kernel depends on the types of the columns that an expression names and on whether they have nulls; so one
 * Expression has a kernel for each list of those, and tables of equal fields share one.
 */
'use strict';

const { availableParallelism } = require('node:os');

const { boolean, expected, integer, isOptions, oneOf, readOptions } = require('../../base/check.js');
const { native } = require('../../base/binding.js');
const { fail } = require('../../base/errors.js');
const { numericsOption } = require('../../base/numerics.js');
const { namesIn } = require('../analyse/names.js');
const { readTable, takeRows } = require('../data/index.js');
const { BLOCK } = require('../kernel/layout.js');
const { countBits, rowNumbers } = require('../run/row-numbers.js');
const { Run } = require('../run/execute.js');
const { later, now } = require('../run/steps.js');
const { STAGES, explained } = require('./explain.js');
const { parameterTypes, parameterWords } = require('../run/parameters.js');
const { preparePredicate, prepareProjection, prepareSelection } = require('../run/prepare.js');
const { handOver, resultsOf } = require('../run/results.js');
const { chunksOf, partsToAsk } = require('../statistics/index.js');
const { ofBatch, tablesOf } = require('./sources.js');
const { namedOf } = require('./named.js');
const { topRows } = require('./top.js');
const { tablesFor } = require('../run/dictionary-tables.js');

/** @typedef {import('../run/prepare.js').Named} Named */
/** @typedef {import('../run/prepare.js').Prepared} Prepared */
/** @typedef {import('../data/table.js').Table} Table */
/** @typedef {import('../run/row-numbers.js').Region} Region */

/** Kernels that an expression keeps. */
const MOST_KERNELS = 64;
const MAX_THREADS = 256;
const MOST_ROWS = 2 ** 32 - 1;

/** @type {import('../../base/check.js').Getter<Record<string, unknown>>} */
const functionsOption = (value, which, caller) =>
  isOptions(value) ? /** @type {any} */ (value) : expected(caller, 'an object of functions by name', which, value);

/** @type {{ [K: string]: any }} */
const OPTIONS = {
  threads: integer(1, MAX_THREADS),
  numerics: numericsOption,
  optLevel: integer(0, 3),
  cache: boolean,
  tier: oneOf(['auto', 'full']),
  divisionByZero: oneOf(['error', 'null']),
  overflow: oneOf(['wrap', 'error', 'null']),
  cast: oneOf(['error', 'null']),
  functions: functionsOption,
};

/** @type {import('../../base/check.js').Getter<Uint32Array>} */
const rowNumbersOption = (value, which, caller) =>
  value instanceof Uint32Array ? value : expected(caller, 'a Uint32Array', which, value);
/** @type {import('../../base/check.js').Getter<Record<string, unknown>>} */
const parametersOption = (value, which, caller) =>
  isOptions(value) ? /** @type {any} */ (value) : expected(caller, 'an object of values by name', which, value);
/** @type {import('../../base/check.js').Getter<AbortSignal>} */
const signalOption = (value, which, caller) =>
  value instanceof AbortSignal ? value : expected(caller, 'an AbortSignal', which, value);

const FILTER = { rows: rowNumbersOption, parameters: parametersOption };
const TOP = { ascending: boolean, where: (/** @type {unknown} */ value) => value, parameters: parametersOption };
const AGGREGATE = { by: (/** @type {unknown} */ value) => value, where: (/** @type {unknown} */ value) => value, parameters: parametersOption };
const PROJECT = { rows: rowNumbersOption, where: (/** @type {unknown} */ value) => value, parameters: parametersOption };

/** @type {Record<'predicate' | 'selection' | 'projection', (named: any, fields: any, options: any) => Prepared>} */
const PREPARE = { predicate: preparePredicate, selection: prepareSelection, projection: prepareProjection };

/** Of tables of taken rows, the numbers that these have where they come from. @type {WeakMap<Table, Uint32Array>} */
const numbersOf = new WeakMap();

/** @template T @typedef {import('../run/steps.js').Steps<T>} Steps */

class Expression {
  #named;
  #single;
  #options;
  /** As users gave them: expressions beside this one, if they are texts, are read with the same. */
  #given;
  /** Puts functions of users in place of their calls. @type {(each: Named) => Named} */
  #expanded;
  /** @type {Map<string, Prepared>} */
  #prepared = new Map();
  /** @type {string[]} */
  #names;
  /** Whether it is known that there are no aggregates. */
  #checked = false;

  /**
   * @param {readonly Named[]} named
   * @param {boolean} single whether it was given as one expression, not as several by name
   * @param {unknown} options
   */
  constructor(named, single, options) {
    const {
      threads = Math.min(availableParallelism(), MAX_THREADS), numerics = 'default', optLevel = 3, cache = true, tier = 'auto',
      divisionByZero = 'error', overflow = 'wrap', cast = 'error', functions = {},
    } = readOptions('expr', options, OPTIONS);
    const own = Object.keys(functions).length === 0 ? null : require('../functions/user.js').userFunctions(functions);
    this.#given = options;
    this.#expanded = (each) => (own === null ? each : { ...each, ast: own.expand(each.ast, each.text) });
    this.#named = named.map(this.#expanded);
    this.#single = single;
    this.#names = [...new Set(this.#named.flatMap(({ ast }) => [...namesIn(ast)]))].sort();
    this.#options = {
      run: { threads, numerics, optLevel, cache, tier },
      policies: { divisionByZero, overflow, cast, value: cast },
      functions: own?.rows,
    };
  }

  /** @type {(caller: string) => Named} */
  #one(caller) {
    return this.#single
      ? this.#named[0]
      : fail('ERR_ARGUMENT', `${caller} takes one expression, this one has ${this.#named.map(({ name }) => `'${name}'`).join(', ')}`);
  }

  /** @type {(value: unknown) => Expression} */
  #asExpression(value) {
    return value instanceof Expression ? value : of(value, this.#given);
  }

  /** Whether functions of users and what faults mean are those of another. @param {Expression} other */
  #readsLike(other) {
    const [own, others] = [this.#options, other.#options];
    const isSame = (/** @type {keyof typeof own.policies} */ key) => own.policies[key] === others.policies[key];
    return own.functions === others.functions && /** @type {any[]} */ (Object.keys(own.policies)).every(isSame);
  }

  /** The columns of this expression and of others. @type {(others: readonly Named[]) => string[]} */
  #namesOf(others) {
    return [...new Set([...this.#names, ...others.flatMap(({ ast }) => namesIn(ast))])];
  }

  /** What a kernel depends on. @type {(table: Table, parameters: Map<string, import('../types/index.js').DataType>) => string} */
  #keyOf(table, parameters) {
    const fields = this.#names.map((name) => {
      const field = table.fields.get(name);
      if (field === undefined || field.unsupported !== undefined) return name;
      return `${name} ${field.type.text} ${field.layout} ${field.nullable} ${field.nullValues} ${field.index ?? ''}`;
    });
    return [...fields, ...[...parameters].map(([name, type]) => `@${name} ${type.text}`)].join('\n');
  }

  /** @type {(caller: string, kind: 'predicate' | 'selection' | 'projection', table: Table, given: any) => Prepared} */
  #prepare(caller, kind, table, given) {
    const parameters = parameterTypes(given);
    const key = `${kind}\n${this.#keyOf(table, parameters)}`;
    const known = this.#prepared.get(key);
    if (known !== undefined) {
      // The one used last stands behind.
      this.#prepared.delete(key);
      this.#prepared.set(key, known);
      return known;
    }
    if (!this.#checked) this.#refuseAggregates(caller);
    const { policies, functions } = this.#options;
    const options = { policies, functions, parameters, vectorBytes: native.vectorBytes() };
    const prepared = PREPARE[kind](kind === 'projection' ? this.#named : this.#one(caller), table.fields, options);
    this.#prepared.set(key, prepared);
    if (this.#prepared.size > MOST_KERNELS) this.#prepared.delete(/** @type {string} */ (this.#prepared.keys().next().value));
    return prepared;
  }

  /** Aggregates have no value per row. @param {string} caller */
  #refuseAggregates(caller) {
    const { hasAggregate } = require('../aggregate/split.js');
    const found = this.#named.find(({ ast }) => hasAggregate(ast));
    if (found !== undefined) fail('ERR_ARGUMENT', `${caller}: '${found.text}' is an aggregate, which has no value per row: call aggregate`);
    this.#checked = true;
  }

  /** @type {(caller: string, prepared: Prepared, table: Table, parameters: any) => Run} */
  #runOf(caller, prepared, table, parameters) {
    const { words, texts } = parameterWords(prepared.parameters, parameters);
    const names = columnsRead(prepared);
    for (const name of names) table.column(name, caller);
    table.checkIntact(names, caller);
    const tables = new Map([...tablesFor(prepared, table, this.#options), ...texts]);
    return new Run(prepared, { chunks: table.chunks, tables, words, numbers: numbersOf.get(table) }, this.#options.run);
  }

  /** The rows at hand, and only the columns that are needed, where rows are given. @type {(caller: string, data: unknown, rows: Uint32Array | undefined) => Table} */
  #tableOf(caller, data, rows) {
    const table = readTable(data);
    if (rows === undefined) return table;
    const taken = takeRows(table, rows, this.#names, caller);
    numbersOf.set(taken, rows);
    return taken;
  }

  /** @type {(caller: string, table: Table, parameters: any) => Steps<{ words: Uint8Array, regions: Region[] }>} */
  *#mask(caller, table, parameters) {
    const prepared = this.#prepare(caller, 'predicate', table, parameters);
    const whole = this.#runOf(caller, prepared, table, parameters);
    const parts = partsToAsk(prepared, table, whole.inputs.words, this.#options.run, native.vectorBytes());
    if (parts === null) return joined((yield whole).get('mask'));
    const chunks = chunksOf(parts, table, columnsRead(prepared));
    const asked = chunks.filter((_, i) => !parts[i].all);
    const written = yield new Run(prepared, { ...whole.inputs, chunks: asked }, this.#options.run);
    return joined(withAll(parts, written.get('mask')), chunks.map(({ start }) => start));
  }

  /**
   * Row numbers in one pass, which one thread can do where there is room for all that might be; null where parts of the
   * table need not be asked.
   *
   * @type {(caller: string, table: Table, parameters: any, out: Uint32Array) => Steps<Uint32Array | null>}
   */
  *#straight(caller, table, parameters, out) {
    const prepared = this.#prepare(caller, 'selection', table, parameters);
    const { inputs } = this.#runOf(caller, prepared, table, parameters);
    if (partsToAsk(prepared, table, inputs.words, this.#options.run, native.vectorBytes()) !== null) return null;
    const found = new BigInt64Array(1);
    const tables = new Map([...inputs.tables, ['rows values', out], ['found values', found]]);
    yield new Run(prepared, { ...inputs, tables }, this.#options.run);
    return out.subarray(0, Number(found[0]));
  }

  /** @type {(caller: string, data: unknown, options: any) => Steps<Uint32Array>} */
  *#filter(caller, data, { out, rows, parameters }) {
    const table = this.#tableOf(caller, data, rows);
    // They may lie where the result is written.
    const given = rows !== undefined && out?.buffer === rows.buffer ? rows.slice() : rows;
    const { threads } = this.#options.run;
    const isStraight = threads === 1 && out !== undefined && out.length >= table.rows + BLOCK;
    const straight = isStraight ? yield* this.#straight(caller, table, parameters, out) : null;
    const numbers = straight ?? (yield* this.#numbers(caller, table, parameters, out));
    if (given !== undefined) numbers.forEach((k, i) => void (numbers[i] = given[k]));
    return numbers;
  }

  /** @type {(caller: string, table: Table, parameters: any, out: Uint32Array | undefined) => Steps<Uint32Array>} */
  *#numbers(caller, table, parameters, out) {
    const { words, regions } = yield* this.#mask(caller, table, parameters);
    return yield* rowNumbers(words, regions, this.#options.run.threads, out);
  }

  /** The rows that `where` leaves of those given. @type {(where: unknown, table: Table, options: any) => Steps<Uint32Array>} */
  *#rowsWhere(where, table, { rows, parameters }) {
    if (where === undefined) return rows;
    return yield* this.#asExpression(where).#filter('where', table, { rows, parameters });
  }

  /**
   * The numbers of the rows for which the expression is true.
   *
   * @param {unknown} data
   * @param {unknown} [options]
   * @returns {Uint32Array}
   */
  filter(data, options) {
    return now(this.#filter('filter', data, readOptions('filter', options, { ...FILTER, out: rowNumbersOption })));
  }

  /** The same on other threads. @param {unknown} data @param {unknown} [options] @returns {Promise<Uint32Array>} */
  async filterAsync(data, options) {
    const { signal, ...rest } = readOptions('filterAsync', options, { ...FILTER, signal: signalOption });
    return later(this.#filter('filterAsync', data, rest), signal);
  }

  /** How many rows there are for which the expression is true. @param {unknown} data @param {unknown} [options] */
  count(data, options) {
    const { rows, parameters } = readOptions('count', options, FILTER);
    return now(this.#count(this.#tableOf('count', data, rows), parameters));
  }

  /** The same on other threads. @param {unknown} data @param {unknown} [options] @returns {Promise<number>} */
  async countAsync(data, options) {
    const { signal, rows, parameters } = readOptions('countAsync', options, { ...FILTER, signal: signalOption });
    return later(this.#count(this.#tableOf('countAsync', data, rows), parameters), signal);
  }

  /** @type {(table: Table, parameters: any) => Steps<number>} */
  *#count(table, parameters) {
    const { words, regions } = yield* this.#mask('count', table, parameters);
    return yield* countBits(words, regions, this.#options.run.threads);
  }

  /** @type {(caller: string, data: unknown, options: any) => Steps<any>} */
  *#truths(caller, data, { rows, parameters }) {
    const table = readTable(data);
    const kept = this.#tableOf(caller, table, rows);
    const prepared = this.#prepare(caller, 'predicate', kept, parameters);
    const written = yield this.#runOf(caller, prepared, kept, parameters);
    return handOver(resultsOf(prepared.outputs, written), table, true);
  }

  /** A truth per row; false where the expression is null. @param {unknown} data @param {unknown} [options] */
  mask(data, options) {
    return now(this.#truths('mask', data, readOptions('mask', options, FILTER)));
  }

  /** The same on other threads. @param {unknown} data @param {unknown} [options] */
  async maskAsync(data, options) {
    const { signal, ...rest } = readOptions('maskAsync', options, { ...FILTER, signal: signalOption });
    return later(this.#truths('maskAsync', data, rest), signal);
  }

  /** @type {(caller: string, data: unknown, options: any) => Steps<any>} */
  *#filterTable(caller, data, options) {
    const table = readTable(data);
    const rows = yield* this.#filter(caller, table, options);
    const taken = takeRows(table, rows, undefined, caller);
    return taken.origin === 'arrow' ? taken.toArrow() : arraysOf(taken, table, rows);
  }

  /** The rows for which the expression is true, as a table. @param {unknown} data @param {unknown} [options] */
  filterTable(data, options) {
    return now(this.#filterTable('filterTable', data, readOptions('filterTable', options, FILTER)));
  }

  /** The same, the rows being found on other threads. @param {unknown} data @param {unknown} [options] */
  async filterTableAsync(data, options) {
    const { signal, ...rest } = readOptions('filterTableAsync', options, { ...FILTER, signal: signalOption });
    return later(this.#filterTable('filterTableAsync', data, rest), signal);
  }

  /** @type {(caller: string, data: unknown, options: any) => Steps<any>} */
  *#project(caller, data, { rows, where, parameters }) {
    const whole = readTable(data);
    const kept = yield* this.#rowsWhere(where, whole, { rows, parameters });
    const table = this.#tableOf(caller, whole, kept);
    const prepared = this.#prepare(caller, 'projection', table, parameters);
    const written = yield this.#runOf(caller, prepared, table, parameters);
    return handOver(resultsOf(prepared.outputs, written), whole, this.#single);
  }

  /** A value per row, or several by name. @param {unknown} data @param {unknown} [options] */
  project(data, options) {
    return now(this.#project('project', data, readOptions('project', options, PROJECT)));
  }

  /** The same on other threads. @param {unknown} data @param {unknown} [options] */
  async projectAsync(data, options) {
    const { signal, ...rest } = readOptions('projectAsync', options, { ...PROJECT, signal: signalOption });
    return later(this.#project('projectAsync', data, rest), signal);
  }

  /**
   * The numbers of the rows with the greatest values, the greatest first; with `ascending` of the least.
   *
   * @param {unknown} data
   * @param {number} count
   * @param {unknown} [options]
   */
  topK(data, count, options) {
    return now(this.#topK('topK', data, count, readOptions('topK', options, TOP)));
  }

  /**
   * The same, values being computed on other threads.
   *
   * @param {unknown} data
   * @param {number} count
   * @param {unknown} [options]
   * @returns {Promise<Uint32Array>}
   */
  async topKAsync(data, count, options) {
    const { signal, ...rest } = readOptions('topKAsync', options, { ...TOP, signal: signalOption });
    return later(this.#topK('topKAsync', data, count, rest), signal);
  }

  /** @type {(caller: string, data: unknown, count: number, options: any) => Steps<Uint32Array>} */
  *#topK(caller, data, count, { ascending = false, where, parameters }) {
    integer(0, MOST_ROWS)(count, 'the count', caller);
    this.#one(caller);
    const whole = readTable(data);
    const rows = yield* this.#rowsWhere(where, whole, { parameters });
    const table = this.#tableOf(caller, whole, rows);
    const prepared = this.#prepare(caller, 'projection', table, parameters);
    const written = yield this.#runOf(caller, prepared, table, parameters);
    const best = topRows(resultsOf(prepared.outputs, written)[0].parts, count, ascending);
    return rows === undefined ? best : best.map((row) => rows[row]);
  }

  /**
   * Aggregates: one value for each expression, or with `by` one for each group.
   *
   * @param {unknown} data
   * @param {unknown} [options]
   */
  aggregate(data, options) {
    return now(this.#aggregate('aggregate', data, readOptions('aggregate', options, AGGREGATE)));
  }

  /** The same on other threads. @param {unknown} data @param {unknown} [options] @returns {Promise<any>} */
  async aggregateAsync(data, options) {
    const { signal, ...rest } = readOptions('aggregateAsync', options, { ...AGGREGATE, signal: signalOption });
    return later(this.#aggregate('aggregateAsync', data, rest), signal);
  }

  /** @type {(caller: string, data: unknown, options: any) => Steps<any>} */
  *#aggregate(caller, data, { where, ...options }) {
    const whole = readTable(data);
    // Functions and faults of a condition that has its own are not those of what stands beside it.
    const isApart = where instanceof Expression && !where.#readsLike(this);
    const query = this.#aggregateOf(caller, isApart ? options : { ...options, where });
    const rows = isApart ? yield* this.#rowsWhere(where, whole, options) : undefined;
    const table = rows === undefined ? whole : takeRows(whole, rows, this.#namesOf(query.keys), caller);
    const { aggregate } = require('../aggregate/index.js');
    return this.#collected(query, yield* aggregate(table, this.#named, query.keys, query.where, query.settings), table);
  }

  /** @type {(caller: string, options: any) => { by: unknown, keys: readonly Named[], where: Named | null, settings: any }} */
  #aggregateOf(caller, { by, where, parameters }) {
    const keys = by === undefined ? [] : namedOf(by, caller, 'by').named.map(this.#expanded);
    const twice = [...keys, ...this.#named].find(({ name }, i, all) => all.findIndex((each) => each.name === name) < i);
    if (twice !== undefined) {
      const isKey = keys.some(({ name, text }) => name === twice.name && text === twice.text);
      const advice = isKey ? 'keys are in the result already, leave it out' : 'name one of them otherwise';
      fail('ERR_ARGUMENT', `${caller}: there are two results '${twice.name}': ${advice}`);
    }
    return {
      by,
      keys,
      where: where === undefined ? null : this.#asExpression(where).#one(caller),
      settings: {
        ...this.#options, parameters: parameterTypes(parameters), values: parameters, vectorBytes: native.vectorBytes(),
      },
    };
  }

  /** @type {(query: { by: unknown, keys: readonly Named[] }, found: { keys: readonly any[], results: readonly any[] }, like: { origin: 'arrow' | 'arrays', kit?: any }) => any} */
  #collected({ by, keys }, found, like) {
    if (by === undefined) {
      const entries = this.#named.map(({ name }, i) => [name, found.results[i].get(0)]);
      return this.#single ? entries[0][1] : Object.fromEntries(entries);
    }
    const columns = [...found.keys, ...found.results];
    const names = [...keys, ...this.#named].map(({ name }) => name);
    const results = names.map((name, i) => ({ name, type: columns[i].type, parts: [columns[i]] }));
    return handOver(results, like, false);
  }

  // --- more than memory holds ---

  /**
   * The rows for which the expression is true, batch by batch, as tables.
   *
   * @param {unknown} source a path, bytes, a stream or batches
   * @param {unknown} [options]
   */
  async *filterBatches(source, options) {
    const { parameters } = readOptions('filterBatches', options, { parameters: parametersOption });
    let number = 0;
    for await (const table of tablesOf(source, 'filterBatches')) {
      yield await ofBatch(number++, () => this.filterTable(table, { parameters }));
    }
  }

  /**
   * What `project` gives, batch by batch.
   *
   * @param {unknown} source
   * @param {unknown} [options]
   */
  async *projectBatches(source, options) {
    const { where, parameters } = readOptions('projectBatches', options, { where: PROJECT.where, parameters: parametersOption });
    const test = where === undefined ? undefined : this.#asExpression(where);
    let number = 0;
    for await (const table of tablesOf(source, 'projectBatches')) {
      yield await ofBatch(number++, () => this.project(table, { where: test, parameters }));
    }
  }

  /**
   * What `aggregate` gives of all batches.
   *
   * @param {unknown} source
   * @param {unknown} [options]
   */
  async aggregateBatches(source, options) {
    const { signal, ...rest } = readOptions('aggregateBatches', options, { ...AGGREGATE, signal: signalOption });
    const query = this.#aggregateOf('aggregateBatches', rest);
    const { Streamed } = require('../aggregate/stream.js');
    const streamed = new Streamed(this.#named, query.keys, query.where, query.settings);
    /** @type {Table | null} */
    let like = null;
    let number = 0;
    for await (const table of tablesOf(source, 'aggregateBatches')) {
      await ofBatch(number++, () => later(streamed.add(table), signal));
      like = table;
    }
    const found = await later(streamed.finish(), signal);
    if (found === null || like === null) {
      return fail('ERR_ARGUMENT', 'aggregateBatches: the source has no batch that would say which columns there are: give one without rows');
    }
    return this.#collected(query, found, like);
  }

  /**
   * A module of WebAssembly for tables with such columns, which pages load by `graphjit/web/columns`.
   *
   * @param {unknown} schema a table, or types by name: `{ x: 'float64', city: 'utf8?' }`
   * @param {unknown} [options]
   * @returns {import('../../graph/wasm.js').WasmModule}
   */
  toWasm(schema, options) {
    return require('./export.js').toWasm(this.#query(), schema, options);
  }

  /** A filter or projection as an object file for C. @param {unknown} schema as of toWasm @param {unknown} [options] */
  toObject(schema, options) {
    return require('./export-object.js').toObject(this.#query(), schema, options);
  }

  /** The C header of that object. @param {unknown} schema @param {unknown} [options] @returns {string} */
  toHeader(schema, options) {
    return require('./export-object.js').toHeader(this.#query(), schema, options);
  }

  /** What is exported. */
  #query() {
    const { policies, functions, run: { numerics } } = this.#options;
    return { named: this.#named, single: this.#single, policies, functions, numerics };
  }

  /**
   * What it is compiled to for tables like this one: its tree with types, stages, Loop IR, LLVM IR, assembly; or one.
   * Of aggregates, what `aggregate` runs.
   *
   * @param {unknown} data
   * @param {unknown} [options]
   */
  explain(data, options) {
    const { stage, ...rest } = readOptions('explain', options, { ...AGGREGATE, stage: oneOf(Object.keys(STAGES)) });
    const table = readTable(data);
    const { hasAggregate } = require('../aggregate/split.js');
    const isAggregate = rest.by !== undefined || this.#named.some(({ ast }) => hasAggregate(ast));
    if (!isAggregate && rest.where !== undefined) {
      fail('ERR_ARGUMENT', "explain: option 'where' is for aggregates: rows are found by an expression of their own, explain that one");
    }
    const kernels = isAggregate ? this.#kernelsOf(table, rest) : [this.#prepare('explain', 'projection', table, rest.parameters)];
    return kernels.map((prepared) => explained(prepared, this.#options.run, stage)).join('\n');
  }

  /** @type {(table: Table, options: any) => Prepared[]} */
  #kernelsOf(table, options) {
    const { keys, where, settings } = this.#aggregateOf('explain', options);
    const { kernelsOf } = require('../aggregate/index.js');
    return now(kernelsOf(table, this.#named, keys, where, settings));
  }
}

/**
 * An expression of what users give.
 *
 * @param {unknown} source
 * @param {unknown} [options]
 * @returns {Expression}
 */
function of(source, options) {
  const { named, single } = namedOf(source, 'expr', 'the expression');
  return new Expression(named, single, options);
}

/** Taken rows as arrays by name, in the order of the table that they are of, with its arrays that are no columns. @type {(taken: Table, whole: Table, rows: Uint32Array) => Record<string, any>} */
function arraysOf(taken, whole, rows) {
  const columns = [...taken.fields.keys()].map((name) => {
    const { field, chunks } = taken.column(name);
    return { name, type: field.type, parts: chunks };
  });
  const made = handOver(columns, { origin: 'arrays' }, false);
  const entries = [...whole.fields].flatMap(([name, { list }]) => {
    if (Object.hasOwn(made, name)) return [[name, made[name]]];
    return list?.length === whole.rows ? [[name, Array.from(rows, (row) => list[row])]] : [];
  });
  return Object.fromEntries(entries);
}

/** The columns that a kernel reads. @type {(prepared: Prepared) => string[]} */
const columnsRead = ({ buffers }) => [
  ...new Set(buffers.filter(({ role, shared }) => role === 'in' && !shared).map(({ column }) => column)),
];

/** What was asked, and in their places the parts of which all rows are taken. @type {(parts: readonly import('../statistics/index.js').Part[], asked: readonly any[]) => any[]} */
function withAll(parts, asked) {
  let next = 0;
  return parts.map(({ from, to, all }) =>
    all ? { rows: to - from, buffers: { bits: onesFor(to - from) } } : asked[next++],
  );
}

/** @type {(rows: number) => Uint8Array} */
function onesFor(rows) {
  const bits = new Uint8Array(8 * Math.ceil(rows / 64)).fill(255, 0, rows >> 3);
  if (rows & 7) bits[rows >> 3] = (1 << (rows & 7)) - 1;
  return bits;
}

/** The bits of several chunks in one array: the memory that they are in, as long as that is one. @type {(parts: readonly { rows: number, buffers: any }[], starts?: readonly number[]) => { words: Uint8Array, regions: Region[] }} */
function joined(parts, starts) {
  const buffer = parts[0]?.buffers.bits.buffer ?? new ArrayBuffer(0);
  const isOne = parts.every(({ buffers }) => buffers.bits.buffer === buffer);
  let [word, row] = [0, 0];
  const regions = parts.map(({ rows, buffers }, i) => {
    const words = Math.ceil(rows / 64);
    const region = { word: isOne ? buffers.bits.byteOffset / 8 : word, words, row: starts?.[i] ?? row };
    word += words;
    row += rows;
    return region;
  });
  if (isOne) return { words: new Uint8Array(buffer), regions };
  const words = new Uint8Array(8 * word);
  parts.forEach(({ buffers }, i) => words.set(buffers.bits, 8 * regions[i].word));
  return { words, regions };
}

module.exports = { Expression, of };
