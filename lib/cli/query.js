/**
 * `graphjit query`: expressions over the columns of an Arrow file: which rows, which columns of them, or aggregates of
 * groups, printed or written to a file.
 *
 * A text that is wrong is the fault of the command line, faults of rows (division by zero, casts) are the data's.
 */
'use strict';

const path = require('node:path');
const { Option } = require('commander');
const { GraphError } = require('../base/errors.js');
const { CommandError, EXIT, usage } = require('./errors.js');
const { isRegular, keepInput, readBytes, writeFiles } = require('./files.js');
const { examples, shared, wholeNumber } = require('./options.js');
const { during, note, table: aligned, toJson, write } = require('./print.js');
const { FORMATS, csvText, jsonDocument, printedTable } = require('./rows.js');

/** @typedef {import('../columns/data/index.js').Table} Table */
/** @typedef {{ name: string, text: string, ast: any }} Item */
/** @typedef {import('./rows.js').Result} Result */

/** So many rows are printed unless --limit says otherwise. */
const MOST_PRINTED = 50;
/** What the texts of a query are at fault for, and not rows or this machine. @type {Record<string, RegExp>} */
const OF_TEXTS = { ERR_PARSE: /^expression:|\n {2}/, ERR_ARGUMENT: /^/, ERR_DTYPE: /^/, ERR_UNSUPPORTED: /^/ };

/** @template T @param {() => T} work @param {Record<string, unknown>} [parameters] @returns {T} */
function asked(work, parameters = {}) {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof GraphError) || !OF_TEXTS[error.code]?.test(error.message)) throw error;
    const message = ofCommandLine(error, parameters);
    throw new CommandError(message, { exit: EXIT.usage, code: error.code, cause: error });
  }
}

/** With advice that is for who types it. @type {(error: GraphError, parameters: Record<string, unknown>) => string} */
function ofCommandLine({ code, message }, parameters) {
  const own = message.replace(/parameter '(.*)': pass it in option 'parameters'/, "parameter '$1': give it by --param $1=VALUE");
  const number = Object.keys(parameters).find((name) => ['bigint', 'number'].includes(typeof parameters[name]));
  if (code !== 'ERR_DTYPE' || number === undefined || !message.includes('utf8')) return own;
  const [first, ...place] = own.split('\n');
  return [`${first}; what looks like a number is one, a text is in quotes: --param "${number}='…'"`, ...place].join('\n');
}

/** @type {(text: string, before?: Record<string, unknown>) => Record<string, unknown>} */
function readParameter(text, before = {}) {
  const [, name, value] = /^:?([^=]+)=(.*)$/s.exec(text) ?? usage(`expected NAME=VALUE for --param, got '${text}'`);
  // As in expressions, a quote within quotes is written twice.
  const quoted = /^'(.*)'$/s.exec(value)?.[1].replaceAll("''", "'");
  const known = { true: true, false: false }[value] ?? quoted;
  const isNumber = value.trim() !== '' && !Number.isNaN(Number(value));
  const number = () => (/^[+-]?\d+$/.test(value) ? BigInt(value) : Number(value));
  return { ...before, [name]: known ?? (isNumber ? number() : value) };
}

/** All columns, as items. @type {(source: Table) => Item[]} */
function allColumns({ fields }) {
  const { nodes, print } = require('../columns/language/index.js');
  return [...fields.values()]
    .filter(({ unsupported, nested, inside }) => (unsupported === undefined || nested !== undefined) && !inside)
    .map(({ name }) => ({ name, text: print(nodes.name(name)), ast: nodes.name(name) }));
}

/** @type {(text: string | undefined, source: Table) => Item[]} */
function itemsOf(text, source) {
  if (text === undefined) return [];
  const { parseList } = require('../columns/language/index.js');
  const items = parseList(text).flatMap((item) => (item === '*' ? allColumns(source) : named(item)));
  const twice = items.find(({ name }, i) => items.findIndex((other) => other.name === name) < i);
  return twice === undefined ? items : usage(`two columns are called '${twice.name}'; call one of them something else with 'as'`);
}

/** @type {(item: any) => Item} */
const named = ({ name, text, ast }) => ({ name: name ?? (ast.kind === 'name' ? ast.name : text), text, ast });

/** @type {(items: readonly Item[]) => Record<string, string>} */
const textsOf = (items) => Object.fromEntries(items.map(({ name, text }) => [name, text]));

/** Whether it is several expressions; what is none is refused where it is read. @type {(text: string) => boolean} */
function isList(text) {
  try {
    return require('../columns/language/index.js').parseList(text).length > 1;
  } catch {
    return false;
  }
}

/** "delay desc", and no list of these. @type {(text: string) => { text: string, ascending: boolean }} */
function orderOf(text) {
  const [, own, word = 'asc'] = /** @type {RegExpExecArray} */ (/^(.*?)(?:\s+(asc|desc))?\s*$/is.exec(text));
  if (/^[\w\s]+\s(asc|desc)\s*,/i.test(own) || isList(own)) return usage(`--sort is one expression, got '${text}'`);
  return { text: own, ascending: word.toLowerCase() === 'asc' };
}

/** Numbers of so many rows. @type {(count: number) => Uint32Array} */
const firstRows = (count) => Uint32Array.from({ length: count }, (_, row) => row);

/** @type {(found: Uint32Array | undefined, all: number, limit: number) => Uint32Array} */
const limited = (found, all, limit) => found?.subarray(0, limit) ?? firstRows(Math.min(all, limit));

class Query {
  /**
   * @param {Table} source
   * @param {string | undefined} where
   * @param {Record<string, any>} options
   * @param {number} limit
   */
  constructor(source, where, { select, by, sort, param: parameters, threads, numerics, nullOnError }, limit) {
    const { hasAggregate } = require('../columns/aggregate/split.js');
    const fault = nullOnError ? 'null' : 'error';
    this.source = source;
    this.where = where;
    this.limit = limit;
    this.items = itemsOf(select, source);
    this.keys = itemsOf(by, source);
    this.order = sort === undefined ? undefined : orderOf(sort);
    this.options = { threads, numerics, divisionByZero: fault, cast: fault };
    this.given = { parameters };
    this.isGrouped = by !== undefined || this.items.some(({ ast }) => hasAggregate(ast));
  }

  /** @param {any} source an expression, or several by name */
  expression(source) {
    return require('../columns/index.js').expr(source, this.options);
  }

  /** @returns {Result} */
  run() {
    return this.isGrouped ? this.#groups() : this.#rows();
  }

  /** @returns {Result} */
  #groups() {
    const keys = this.keys.map(({ name }) => name);
    const own = this.items.filter(({ name, ast }) => !(ast.kind === 'name' && ast.name === name && keys.includes(name)));
    const aggregates = own.length > 0 ? own : [named({ name: 'count', text: 'count(*)', ast: {} })];
    const where = this.where === undefined ? undefined : this.expression(this.where);
    const by = keys.length > 0 ? textsOf(this.keys) : [];
    const made = this.#table(this.expression(textsOf(aggregates)).aggregate(this.source, { by, where, ...this.given }));
    const names = [...keys, ...aggregates.map(({ name }) => name)];
    const rows = this.order === undefined ? firstRows(Math.min(made.rows, this.limit)) : this.#sorted(made, undefined);
    return { table: taken(made, rows, names), names, rows: made.rows };
  }

  /** @returns {Result} */
  #rows() {
    const { source, where, limit } = this;
    const found = where === undefined ? undefined : this.expression(where).filter(source, this.given);
    const all = found?.length ?? source.rows;
    const rows = this.order === undefined ? limited(found, source.rows, limit) : this.#sorted(source, found);
    if (this.items.length === 0) return wholeRows(taken(source, rows), all);
    const every = found === undefined && this.order === undefined && rows.length === source.rows;
    const made = this.#computed(every ? undefined : rows);
    const names = this.items.map(({ name }) => name);
    const nested = this.items.filter((item) => this.#isNested(item));
    return { table: nested.length === 0 ? made : withNested(made, source, rows, nested, names), names, rows: all };
  }

  /** The items that are computed, if there are any. @param {Uint32Array | undefined} rows @returns {any} */
  #computed(rows) {
    const items = this.items.filter((item) => !this.#isNested(item));
    if (items.length === 0) return undefined;
    return this.#table(this.expression(textsOf(items)).project(this.source, { rows, ...this.given }));
  }

  /** Lists, structs and the like are shown, and nothing is computed of them. @param {Item} item */
  #isNested({ ast }) {
    return ast.kind === 'name' && this.source.fields.get(ast.name)?.nested !== undefined;
  }

  /** In order, as many as are wanted. @param {Table} table @param {Uint32Array | undefined} rows of it @returns {Uint32Array} */
  #sorted(table, rows) {
    const { text, ascending } = /** @type {{ text: string, ascending: boolean }} */ (this.order);
    // Groups have their columns already; of rows a column that is asked for is what it stands for.
    const item = this.isGrouped ? undefined : this.items.find(({ name }) => name === text);
    if (this.isGrouped && hasAggregateIn(text)) usage(`--sort of groups is over columns of the result: name '${text}' in --select with 'as'`);
    const whole = rows === undefined ? table : taken(table, rows, namesIn(item?.text ?? text, table));
    const count = Math.min(this.limit, whole.rows);
    const best = this.expression(item?.text ?? text).topK(whole, count, { ascending, ...this.given });
    return rows === undefined ? best : best.map((row) => rows[row]);
  }

  /** @param {any} result @returns {Table} */
  #table(result) {
    return require('../columns/data/index.js').readTable(result);
  }

  /** What the parts that are computed row by row become. @param {string} [stage] */
  explain(stage) {
    const { split } = require('../columns/aggregate/split.js');
    const { print } = require('../columns/language/index.js');
    const { calls } = split(this.items);
    const inside = calls.flatMap(({ arg }) => (arg === null ? [] : print(arg)));
    const items = this.isGrouped ? this.keys : this.items.filter((item) => !this.#isNested(item));
    const texts = [...items.map(({ text }) => text), ...inside];
    const part = (/** @type {string} */ title, /** @type {any} */ expressions) =>
      `== ${title}\n\n${this.expression(expressions).explain(this.source, { stage, ...this.given }).trimEnd()}\n`;
    return [
      this.where === undefined ? '' : part('condition', this.where),
      texts.length === 0 ? '' : part(this.isGrouped ? 'keys, and what is aggregated' : 'columns', texts),
    ].filter((text) => text !== '').join('\n');
  }
}

/** @type {(table: Table, rows: Uint32Array, names?: readonly string[]) => Table} */
const taken = (table, rows, names) => require('../columns/data/index.js').takeRows(table, rows, names, 'query');

/** What was computed, and columns as they are, in order. @type {(made: Table | undefined, source: Table, rows: Uint32Array, items: readonly Item[], names: readonly string[]) => Table} */
function withNested(made, source, rows, items, names) {
  const { tableOf, wholeColumn } = require('../columns/data/index.js');
  const entries = names.map((name) => {
    const item = items.find((each) => each.name === name);
    if (item === undefined) return { name, column: wholeColumn(/** @type {Table} */ (made), name) };
    const { type, parts } = /** @type {any} */ (taken(source, rows, [item.ast.name]).fields.get(item.ast.name)).nested;
    return { name, arrowType: type, data: parts[0] };
  });
  return tableOf(entries, rows.length, source);
}

/** @type {(text: string, table: Table) => string[]} that there are */
function namesIn(text, { fields }) {
  const { parse } = require('../columns/language/index.js');
  return [...require('../columns/analyse/names.js').namesIn(parse(text))].filter((name) => fields.has(name));
}

/** @type {(text: string) => boolean} */
const hasAggregateIn = (text) =>
  require('../columns/aggregate/split.js').hasAggregate(require('../columns/language/index.js').parse(text));

/** With all columns. @type {(table: Table, rows: number) => Result} */
const wholeRows = (table, rows) =>
  ({ table, rows, names: [...table.fields.values()].filter(({ inside }) => !inside).map(({ name }) => name) });

/** @type {(source: Table, json: boolean) => void} */
function printSchema(source, json) {
  const columns = [...source.fields.values()].map(({ name, type, layout, unsupported }) => ({
    name, type: unsupported ?? type.text, layout: layout === 'dictionary' ? 'dictionary' : undefined,
  }));
  if (json) return write(toJson({ rows: source.rows, batches: source.chunks.length, columns }));
  const rows = columns.map(({ name, type, layout = '' }) => [name, type, layout]);
  const count = (/** @type {number} */ many, /** @type {string} */ what, end = 's') => `${many} ${what}${many === 1 ? '' : end}`;
  const title = `${count(source.rows, 'row')} in ${count(source.chunks.length, 'batch', 'es')}`;
  return write(`${title}\n\n${aligned([['column', 'type', ''], ...rows])}`);
}

/** @type {(file: string) => keyof typeof FORMATS} */
function formatOf(file) {
  const format = file === '-' ? '.arrows' : path.extname(file).toLowerCase();
  if (Object.hasOwn(FORMATS, format)) return format;
  return usage(`expected a file with ending ${Object.keys(FORMATS).join(', ')} for --output, got '${file}'`);
}

/** @type {(result: Result, file: string) => Promise<void>} */
async function save(result, file) {
  const content = FORMATS[formatOf(file)](result);
  if (file === '-') process.stdout.write(content);
  else await writeFiles([{ file, content }]);
}

/** @type {(result: Result, options: Record<string, any>) => void} */
function show(result, { json, csv, limit }) {
  if (json || csv) return write(json ? toJson(jsonDocument(result)) : csvText(result, ','));
  write(printedTable(result));
  const more = result.rows - result.table.rows;
  if (more > 0 && limit === undefined) note(`${more} more row${more === 1 ? '' : 's'}; --limit says how many are shown`);
  return undefined;
}

/** @type {(file: string) => Table} */
function readSource(file) {
  const { readIpc } = require('../columns/data/index.js');
  return during('reading', () => readIpc(isRegular(file) ? file : readBytes(file), 'query'));
}

/**
 * @param {string} file
 * @param {string | undefined} where
 * @param {Record<string, any>} options
 */
async function query(file, where, options) {
  const { output, json, csv, schema, explain, limit } = options;
  if (output !== undefined) {
    formatOf(output);
    keepInput(file, [output], '--output');
  }
  const source = readSource(file);
  if (schema) return printSchema(source, json);
  const most = limit ?? (output === undefined && !json && !csv ? MOST_PRINTED : Infinity);
  const own = asked(() => new Query(source, where, options, most));
  const { param } = options;
  if (explain) return write(asked(() => own.explain(explain === true ? undefined : explain), param));
  const result = asked(() => during('running', () => own.run()), param);
  return output === undefined ? show(result, options) : save(result, output);
}

const STAGES = ['tree', 'plan', 'loops', 'llvm', 'asm'];

const rowCount = wholeNumber('--limit', 0, 2 ** 32 - 1);

/** @param {import('commander').Command} program */
function register(program) {
  program
    .command('query')
    .summary('filter, compute and aggregate the columns of an Arrow file')
    .description('Evaluates expressions over the columns of an Arrow file or stream, as compiled code.')
    .argument('<input>', "the Arrow file or stream, '-' for standard input")
    .argument('[condition]', 'which rows: those for which it is true (default: all)')
    .option('--select <list>', "columns, expressions or aggregates, such as 'origin, delay / 60 as hours'")
    .option('--by <list>', 'groups: one for each value of these')
    .option('--sort <expression>', "the order of rows, such as 'delay desc'; nulls come last")
    .option('--limit <count>', `the most rows (default: ${MOST_PRINTED} where they are printed)`, rowCount)
    .option('--param <name=value>', 'the value of a parameter, :name in expressions; may be repeated', readParameter)
    .option('--null-on-error', 'null where a row has no value, instead of an error: division by zero, casts')
    .option('-o, --output <file>', `where the result goes: ${Object.keys(FORMATS).join(', ')}, or '-' for an Arrow stream`)
    .addOption(shared.json().conflicts(['csv', 'output']))
    .addOption(new Option('--csv', 'print the result as CSV').conflicts(['json', 'output']))
    .option('--schema', 'only show which columns there are')
    .addOption(new Option('--explain [stage]', 'show what expressions are compiled to, instead of running them').choices(STAGES))
    .addOption(shared.numerics())
    .addOption(shared.threads())
    .addHelpText(
      'after',
      examples([
        'graphjit query flights.arrow --schema',
        "graphjit query flights.arrow 'delay > 60' --select 'origin, delay' --sort 'delay desc' --limit 10",
        "graphjit query flights.arrow 'delay > :most' --param most=60 --by origin --select 'count(*) as n, mean(delay) as mean'",
        "graphjit query flights.arrow 'delay > 60' -o late.arrow",
      ]),
    )
    .action(query);
}

module.exports = { register };
