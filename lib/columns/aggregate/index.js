/**
 * Aggregates of tables: of all rows, or of groups of rows with equal keys.
 *
 * What is grouped by, and what texts are compared for a minimum, are columns: expressions there are computed first.
 * Groups come in the order of their first rows, whatever the number of threads, and so do sums of floats.
 */
'use strict';

const { concatColumns, nullColumn, runsOf, sliceColumn, takeColumn } = require('../data/parts.js');
const { Table, tableOfColumns } = require('../data/table.js');
const { takeRows } = require('../data/index.js');
const { fail } = require('../../base/errors.js');
const { Analyser } = require('../analyse/index.js');
const { namesIn } = require('../analyse/names.js');
const { locatedAt } = require('../analyse/located.js');
const { cast, typeName } = require('../language/ast.js');
const { walk } = require('../language/walk.js');
const { piecesOf } = require('../run/driver.js');
const { Run } = require('../run/execute.js');
const { prepareProjection } = require('../run/prepare.js');
const { resultsOf } = require('../run/results.js');
const { tablesFor } = require('../run/dictionary-tables.js');
const { parameterWords } = require('../run/parameters.js');
const { DirectPartition, Partition, onlyGroup } = require('./partition.js');
const { planAggregates } = require('./plan.js');
const { columnFor, keptOf, outputsFor, rowsOf, wholeOf } = require('./results.js');
const { split, standsAlone, textOfAll } = require('./split.js');

/** @typedef {import('../data/column.js').Column} Column */
/** @typedef {import('../language/ast.js').Node} Ast */
/** @typedef {import('../run/prepare.js').Named} Named */

/**
 * @typedef {object} Settings
 * @property {import('../run/execute.js').RunOptions} run
 * @property {import('../analyse/context.js').Policies} policies
 * @property {ReadonlyMap<string, any>} parameters types
 * @property {any} values of parameters
 * @property {number} vectorBytes
 * @property {ReadonlyMap<string, import('../functions/signature.js').FunctionRow>} [functions] of the user
 */

/** Most partitions: their number is in eight bits of the hash. */
const MOST_PARTITIONS = 64;

/** Fewest rows, and rows for each key that there may be, for which the range of keys is looked at. */
const FEWEST_ROWS = 65536;
const ROWS_PER_GROUP = 4;

/** @type {(settings: Settings) => import('../run/prepare.js').PrepareOptions} */
const optionsOf = ({ policies, parameters, vectorBytes, functions }) => ({
  policies, parameters, vectorBytes, functions,
});

/** @template T @typedef {import('../run/steps.js').Steps<T>} Steps */

/** The columns of expressions over a table. @type {(table: Table, named: readonly Named[], settings: Settings) => Steps<Column[]>} */
function* computed(table, named, settings) {
  const prepared = prepareProjection(named, table.fields, optionsOf(settings));
  const written = yield runOf(table, prepared, settings, {});
  return resultsOf(prepared.outputs, written).map(({ parts }) => concatColumns(parts));
}

/** @type {(table: Table, prepared: import('../run/prepare.js').Prepared, settings: Settings, more: any) => Run} */
function runOf(table, prepared, settings, { partitions, tables = new Map() }) {
  const { words, texts } = parameterWords(prepared.parameters, settings.values);
  const names = new Set(prepared.buffers.filter(({ role, shared }) => role === 'in' && !shared).map(({ column }) => column));
  for (const name of names) table.column(name, 'aggregate');
  table.checkIntact(names, 'aggregate');
  const all = new Map([...tablesFor(prepared, table, settings), ...tables, ...texts]);
  return new Run(prepared, { chunks: table.chunks, tables: all, words, partitions }, settings.run);
}

/** The table with only some of its columns, and others beside them. @type {(table: Table, names: readonly string[], extra: ReadonlyMap<string, Column>) => Table} */
function tableWith(table, names, extra) {
  const starts = table.chunks.reduce((list, { rows }) => [...list, list[list.length - 1] + rows], [0]);
  const own = names.map((name) => {
    const { field, chunks } = table.column(name, 'aggregate');
    return sourceOf(name, field, chunks);
  });
  const others = [...extra].map(([name, column]) =>
    sourceOf(name, column, table.chunks.map(({ rows }, i) => sliceColumn(column, starts[i], starts[i] + rows))),
  );
  return new Table([...own, ...others], table.chunks.map(({ rows }) => rows), table.origin, table.kit);
}

/** @type {(name: string, like: { type: any, layout: any, index?: string }, chunks: readonly Column[]) => any} */
const sourceOf = (name, { type, layout, index }, chunks) => ({
  name, type, layout, index, pieces: chunks.map((column) => ({ rows: column.length, read: () => column })),
});

/** Of an expression that counts for some rows only, what it is there, and null elsewhere. @type {(ast: Ast, where: Ast | null) => Ast} */
const onlyWhere = (ast, where) =>
  where === null ? ast : /** @type {any} */ ({ kind: 'case', branches: [{ when: where, then: ast }], otherwise: null, start: ast.start, end: ast.end, source: ast.source });

/** @type {(name: string, ast: Ast) => Ast} */
const nameAt = (name, { start, end, source }) => /** @type {any} */ ({ kind: 'name', name, start, end, source });

/**
 * What has to be a column of its own in place of an operand, if anything: numbers are put in order as they are.
 *
 * @type {(analyser: () => Analyser, fields: Table['fields'], arg: Ast, fn: string) => Ast | null}
 */
function columnFrom(analyser, fields, arg, fn) {
  const typeOf = () => analyser().typed(arg).type;
  if (fn === 'min' || fn === 'max') return arg.kind !== 'name' && ['utf8', 'binary'].includes(typeOf().kind) ? arg : null;
  if (fn !== 'median' && fn !== 'quantile') return null;
  if (typeOf().id === 'float16') return asFloat(arg);
  return arg.kind !== 'name' || fields.get(arg.name)?.layout === 'dictionary' ? arg : null;
}

/** @type {(ast: Ast) => Ast} */
const asFloat = (ast) => cast(ast, typeName('float32', []), false, ast.start, ast.end);

/** A chunk without rows for tables that have none, so that each column is there. @type {(table: Table) => Table} */
function withChunk(table) {
  if (table.chunks.length > 0) return table;
  const sources = [...table.fields.values()].map(({ name, type, unsupported }) => {
    const column = nullColumn(type, 0);
    return { name, type, layout: column.layout, unsupported, pieces: [{ rows: 0, read: () => column }] };
  });
  return new Table(sources, [0], table.origin, table.kit);
}

/**
 * @param {Table} whole
 * @param {readonly Named[]} named
 * @param {readonly Named[]} keys
 * @param {Named | null} where
 * @param {Settings} settings
 * @returns {Steps<{ keys: Column[], results: Column[] }>}
 */
function* aggregate(whole, named, keys, where, settings) {
  const given = withChunk(whole);
  const source = textOfAll([...named, ...keys, ...(where === null ? [] : [where])]);
  return yield* source === ''
    ? aggregateIn(given, named.map(standsAlone), keys.map(standsAlone), where && standsAlone(where), source, settings)
    : aggregateIn(given, named, keys, where, source, settings);
}

/** @type {(given: Table, named: readonly Named[], keys: readonly Named[], where: Named | null, source: string, settings: Settings) => Steps<{ keys: Column[], results: Column[] }>} */
function* aggregateIn(given, named, keys, where, source, settings) {
  const { calls, rest } = split(named);
  const { table, own, keyAsts, test } = yield* withColumns(given, calls, keys, where, source, settings);
  const { kept, planned, tables } = yield* reduced(table, own, keyAsts, test, source, settings);
  const sources = {
    valuesAt: (/** @type {any} */ ast, /** @type {BigInt64Array} */ rows) => valuesAt(table, ast, rows, settings),
    links: (/** @type {any} */ { fields: [word] }) => tables.get(`links ${word} values`),
    numbers: (/** @type {any} */ ast) => concatColumns(table.column(ast.name).chunks).values,
    distinct: (/** @type {any} */ { arg }) => distinctOf(table, arg, keyAsts, test, settings),
  };
  /** @type {Column[]} */
  const found = [];
  for (const each of planned) found.push(yield* columnFor(kept, each, sources));
  const keyColumns = keysOf(table, keyAsts, kept);
  return { keys: keyColumns, results: yield* restOf(rest, calls, found, keys, keyColumns, settings) };
}

/**
 * The kernels of an aggregate: of the columns that are computed first, if any, and of groups or the whole table.
 *
 * @type {(given: Table, named: readonly Named[], keys: readonly Named[], where: Named | null, settings: Settings) => Steps<import('../run/prepare.js').Prepared[]>}
 */
function* kernelsOf(given, named, keys, where, settings) {
  const source = textOfAll([...named, ...keys, ...(where === null ? [] : [where])]);
  const { calls } = split(named);
  const { table, own, keyAsts, test, columns } = yield* withColumns(given, calls, keys, where, source, settings);
  const { prepared } = yield* planFor(table, own, keyAsts, test, source, settings);
  const first = columns.length === 0 ? [] : [prepareProjection(columns, given.fields, optionsOf(settings))];
  const asts = [...named.map(({ ast }) => ast), ...keyAsts, ...(test === null ? [] : [test])];
  return [...first, { ...prepared, asts }];
}

/**
 * A table that has, beside columns that are named, those that have to be: keys, and operands of some aggregates.
 *
 * @type {(given: Table, calls: readonly import('./split.js').Call[], keys: readonly Named[], where: Named | null, source: string, settings: Settings) => Steps<{ table: Table, own: import('./split.js').Call[], keyAsts: Ast[], test: Ast | null, columns: Named[] }>}
 */
function* withColumns(given, calls, keys, where, source, settings) {
  const test = where?.ast ?? null;
  /** @type {Map<string, Named>} */
  const columns = new Map();
  const column = (/** @type {Ast} */ ast) => {
    const name = `#column${columns.size}`;
    columns.set(name, { name, ast: onlyWhere(ast, test), text: source });
    return nameAt(name, ast);
  };
  const analyser = () => new Analyser(given.fields, { ...optionsOf(settings), text: source });
  const unknown = keys.find(({ ast }) => ast.kind === 'name' && !given.fields.has(ast.name));
  if (unknown !== undefined) analyser().typed(unknown.ast);
  const keyAsts = keys.map(({ ast }) => (ast.kind === 'name' ? ast : column(ast)));
  const own = calls.map((call) => {
    const from = call.arg && columnFrom(analyser, given.fields, call.arg, call.fn);
    return from === null ? call : { ...call, arg: column(from) };
  });
  const table = columns.size === 0 ? given : yield* extended(given, own, keyAsts, test, columns, settings);
  return { table, own, keyAsts, test, columns: [...columns.values()] };
}

/** The keys of each group, which are those of its first row. @type {(table: Table, keys: readonly any[], kept: import('./results.js').Kept) => Column[]} */
function keysOf(table, keys, kept) {
  if (keys.length === 0) return [];
  const firsts = kept.rows();
  const runs = runsOf(table.chunks, firsts);
  return keys.map(({ name }) => takeColumn(table.column(name).chunks, firsts, runs));
}

/** @type {(given: Table, calls: readonly import('./split.js').Call[], keys: readonly Ast[], test: Ast | null, columns: ReadonlyMap<string, Named>, settings: Settings) => Steps<Table>} */
function* extended(given, calls, keys, test, columns, settings) {
  const made = yield* computed(given, [...columns.values()], settings);
  const extra = new Map([...columns.keys()].map((name, i) => [name, made[i]]));
  const asts = [...calls.map(({ arg }) => arg), ...keys, test].filter((ast) => ast !== null);
  const all = new Set(asts.flatMap((ast) => namesIn(ast)));
  const names = [...all].filter((name) => !extra.has(name) && given.fields.has(name));
  return tableWith(given, names, extra);
}

/** @type {(table: Table, calls: readonly import('./split.js').Call[], keys: readonly Ast[], where: Ast | null, source: string, settings: Settings) => Steps<{ kept: import('./results.js').Kept, planned: any[], tables: Map<string, any> }>} */
function* reduced(table, calls, keys, where, source, settings) {
  const { prepared, planned, record, range, parts } = yield* planFor(table, calls, keys, where, source, settings);
  const tables = outputsFor(prepared.buffers, table.chunks, record !== null);
  if (record === null) {
    yield runOf(table, prepared, settings, { tables });
    return { planned, tables, kept: wholeOf(tables, prepared.folds, piecesOf(table.chunks)) };
  }
  const partitions = Array.from({ length: parts }, () =>
    range === null ? new Partition(record.words) : new DirectPartition(record.words, range, parts),
  );
  yield runOf(table, prepared, settings, { partitions, tables });
  const kept = keptOf(partitions, record.words);
  const isLone = kept.size === 0 && keys.length === 0;
  return { planned, tables, kept: isLone ? keptOf([onlyGroup(record)], record.words) : kept };
}

/** @type {(table: Table, calls: readonly import('./split.js').Call[], keys: readonly Ast[], where: Ast | null, source: string, settings: Settings) => Steps<any>} */
function* planFor(table, calls, keys, where, source, settings) {
  const range = keys.length === 1 ? yield* rangeOf(table, keys[0], source, settings) : null;
  const parts = keys.length === 0 ? 1 : 2 ** Math.floor(Math.log2(Math.min(settings.run.threads, MOST_PARTITIONS)));
  const options = { ...optionsOf(settings), source, isDirect: range !== null, isParted: parts > 1 };
  return { ...planAggregates(table.fields, calls, keys, where, options), range, parts };
}

/** Ranges of keys of tables whose memory nobody changes. @type {WeakMap<Table, Map<string, import('./partition.js').Range | null>>} */
const ranges = new WeakMap();

/**
 * The range of integers without nulls, where it is so small that groups are found by the number of a key in it.
 *
 * @type {(table: Table, key: any, source: string, settings: Settings) => Steps<import('./partition.js').Range | null>}
 */
function* rangeOf(table, key, source, settings) {
  const { name } = key;
  const { field } = table.column(name, 'aggregate');
  const isInteger = field.layout === 'fixed' && field.type.kind !== 'interval' && /^[iu]\d/u.test(String(field.type.dtype));
  if (table.rows < FEWEST_ROWS || !isInteger || field.nullable) return null;
  const known = ranges.get(table) ?? new Map();
  ranges.set(table, known);
  if (known.has(name)) return known.get(name);
  const calls = ['min', 'max'].map((fn) => ({ name: fn, fn, arg: key, share: 0.5, ast: key, text: source }));
  const { kept, planned } = yield* reduced(tableWith(table, [name], new Map()), calls, [], null, source, settings);
  const [least, most] = planned.map(({ fields: [at], reps: [rep] }) => BigInt(kept.numbers(at, rep)[0]));
  const size = Number(most - least) + 1;
  const range = size <= table.rows / ROWS_PER_GROUP ? { least: BigInt.asIntN(64, least), size } : null;
  known.set(name, range);
  return range;
}

/** How many different values there are of an expression: the groups of keys and values, counted by keys. @type {(table: Table, arg: Ast, keys: readonly Ast[], where: Ast | null, settings: Settings) => Steps<Column>} */
function* distinctOf(table, arg, keys, where, settings) {
  const named = [...keys, arg].map((ast, i) => ({ name: `key${i}`, ast, text: '' }));
  const test = where === null ? null : { name: 'where', ast: where, text: '' };
  const { keys: columns } = yield* aggregate(table, [], named, test, settings);
  const groups = tableOfColumns(named.map(({ name }, i) => /** @type {[string, Column]} */ ([name, columns[i]])), 'arrays');
  const value = nameAt(`key${keys.length}`, arg);
  const count = /** @type {any} */ ({ kind: 'call', name: 'count', args: [value], start: -1, end: -1 });
  const by = keys.map((ast, i) => ({ name: `key${i}`, ast: nameAt(`key${i}`, ast), text: '' }));
  const { results } = yield* aggregate(groups, [{ name: 'count', ast: count, text: '' }], by, null, settings);
  return results[0];
}

/** What an expression is in some rows; null where the number is below 0. @type {(table: Table, ast: Ast, rows: BigInt64Array, settings: Settings) => Steps<Column>} */
function* valuesAt(table, ast, rows, settings) {
  if (ast.kind === 'name') return rowsOf(table.column(ast.name).chunks, rows);
  const there = Uint32Array.from([...rows].filter((row) => row >= 0n), Number);
  const taken = takeRows(table, there, namesIn(ast), 'aggregate');
  const [column] = yield* computed(taken, [{ name: 'value', ast, text: '' }], settings);
  let next = 0n;
  return rowsOf([column], rows.map((row) => (row < 0n ? -1n : next++)));
}

/** @type {(rest: readonly Named[], calls: readonly import('./split.js').Call[], found: readonly Column[], keys: readonly Named[], keyColumns: readonly Column[], settings: Settings) => Steps<Column[]>} */
function* restOf(rest, calls, found, keys, keyColumns, settings) {
  const columns = new Map([
    ...keys.map(({ name }, i) => /** @type {[string, Column]} */ ([name, keyColumns[i]])),
    ...calls.map(({ name }, i) => /** @type {[string, Column]} */ ([name, found[i]])),
  ]);
  const open = rest.filter(({ ast }) => ast.kind !== 'name' || !columns.has(ast.name));
  for (const each of open) checkNames(each, columns, keys);
  // Without aggregates a whole table is a row that nothing is known of.
  const table = columns.size > 0 ? tableOfColumns([...columns], 'arrays') : new Table([], [1], 'arrays');
  const made = open.length === 0 ? [] : yield* computed(table, open, settings);
  return rest.map((each) => {
    const at = open.indexOf(each);
    return at >= 0 ? made[at] : /** @type {Column} */ (columns.get(/** @type {any} */ (each.ast).name));
  });
}

/** @type {(one: Named, columns: ReadonlyMap<string, unknown>, keys: readonly Named[]) => void} */
function checkNames({ ast, text }, columns, keys) {
  /** @type {any} */
  let found;
  walk(ast, (node) => {
    if (node.kind === 'name' && !columns.has(node.name)) found ??= node;
  });
  if (found === undefined) return;
  const { name } = found;
  const list = keys.length === 0 ? 'there are no keys' : `keys are ${keys.map((key) => `'${key.name}'`).join(', ')}`;
  const message = `aggregate: '${name}' is neither in an aggregate nor a key: write first(${name}) or group by it; ${list}`;
  fail('ERR_ARGUMENT', locatedAt(text, found, message));
}

module.exports = { aggregate, checkNames, computed, kernelsOf };
