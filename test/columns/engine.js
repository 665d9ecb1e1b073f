/**
 * Runs expressions on the engine over plain values, and compares what comes out with what should: with the reference
 * evaluator where an expression is random (random.js).
 */
'use strict';

const { expr } = require('../../lib/columns/index.js');
const { expected } = require('./random.js');
const { typeOf } = require('./reference/types.js');
const { arrowTable, atEdges, valuesOf } = require('./tables.js');

/** @typedef {ReturnType<typeof import('./random.js').generate>} Generated */
/** `error`: one that says what is wrong with the data or the expression. @typedef {{ type?: string, values?: any[], error?: any }} Outcome */

/** Errors with these codes are answers; others are mistakes of the engine. */
const ANSWERS = new Set(['ERR_CALL', 'ERR_DTYPE', 'ERR_ARGUMENT', 'ERR_PARSE', 'ERR_UNSUPPORTED']);

/**
 * What an expression is over a table of apache-arrow.
 *
 * @param {any} source
 * @param {any} table
 * @param {string} type in which values are read
 * @param {any} [options] of expr
 * @param {any} [how] options of project
 * @returns {Outcome}
 */
function project(source, table, type, options, how) {
  return answer(() => {
    const vector = expr(source, options).project(table, how);
    const found = typeText(vector.type);
    return { type: found, values: found === 'null' ? Array.from({ length: vector.length }, () => null) : valuesOf(vector, type) };
  });
}

/** @type {(run: () => Outcome) => Outcome} */
function answer(run) {
  try {
    return run();
  } catch (error) {
    if (!ANSWERS.has(/** @type {any} */ (error).code)) throw error;
    return { error };
  }
}

const UNITS = ['s', 'ms', 'us', 'ns'];
const DATES = ['date32', 'date64'];
const INTERVALS = ['year_month', 'day_time', 'month_day_nano'];

/** The spelling of a type of apache-arrow as tests have it. @type {(type: any) => string} */
function typeText(type) {
  const name = String(type).toLowerCase();
  if (name.startsWith('date')) return DATES[type.unit];
  if (name.startsWith('timestamp')) return `timestamp[${UNITS[type.unit]}${type.timezone ? `, ${type.timezone}` : ''}]`;
  if (name.startsWith('time')) return `time${type.bitWidth}[${UNITS[type.unit]}]`;
  if (name.startsWith('interval')) return `interval[${INTERVALS[type.unit]}]`;
  return name.startsWith('decimal') ? `decimal128(${type.precision}, ${type.scale})` : name;
}

const shown = (/** @type {any} */ value) => JSON.stringify(value, (_, each) => (typeof each === 'bigint' ? `${each}n` : Object.is(each, -0) ? '-0' : typeof each === 'number' && !Number.isFinite(each) ? String(each) : each));

/** Functions that are not rounded correctly may be off in their last digits. @type {(type: string, got: any, wanted: any) => boolean} */
function agree(type, got, wanted) {
  if (typeof got !== 'number' || typeof wanted !== 'number') return got === wanted || (typeof got === 'object' && shown(got) === shown(wanted));
  if (Object.is(got, wanted)) return true;
  return got !== 0 && Math.abs(got - wanted) <= (type === 'float32' ? 4e-7 : 1e-13) * Math.abs(wanted);
}

/** The first place at which values differ, in words; undefined where they do not. @type {(type: string, got: readonly any[], wanted: readonly any[]) => string | undefined} */
function difference(type, got, wanted) {
  if (got.length !== wanted.length) return `${got.length} values, not ${wanted.length}`;
  const at = wanted.findIndex((each, i) => !agree(type, got[i], each));
  return at < 0 ? undefined : `row ${at} is ${shown(got[at])}, not ${shown(wanted[at])}`;
}

/** What is wrong with an outcome. @type {(type: string, got: Outcome, wanted: { values?: readonly any[], fault?: string }) => string | undefined} */
function judge(type, got, wanted) {
  if (wanted.fault !== undefined) return got.error?.code === 'ERR_CALL' ? undefined : `no fault of kind ${wanted.fault}${got.error ? ` but ${got.error.message}` : ''}`;
  if (got.error) return got.error.message;
  // What is null whatever is in the columns may have no type.
  const isTyped = got.type !== 'null' || /** @type {any[]} */ (wanted.values).some((each) => each !== null);
  if (isTyped && got.type !== type) return `the type ${got.type}, not ${type}`;
  return difference(type, /** @type {any[]} */ (got.values), /** @type {any[]} */ (wanted.values));
}

// --- random expressions ---

/** Kinds of columns that dictionaries.js of tests can hold. */
const ENCODED = new Set(['utf8', 'int', 'bool', 'date']);

/** Ways to hand over the same columns. @type {Record<string, (generated: Generated) => any>} */
const FORMS = {
  'one chunk': ({ schema, columns }) => arrowTable(schema, columns),
  'chunks': ({ schema, columns }) => arrowTable(schema, columns, { cuts: [1, 64, 100] }),
  'slices': ({ schema, columns, rows }) => arrowTable(schema, columns, { skipped: rows.length > 0 ? 5 : 0 }),
  'chunks of slices': ({ schema, columns, rows }) => arrowTable(schema, columns, { cuts: [63, 128], skipped: rows.length > 0 ? 3 : 0 }),
  'dictionaries': ({ schema, columns }) =>
    arrowTable(schema, columns, { dictionaries: Object.keys(schema).filter((name) => ENCODED.has(typeOf(schema[name]).kind)) }),
  'ends of memory': (generated) => atEdges(FORMS.chunks(generated), true),
  'beginnings of memory': (generated) => atEdges(FORMS.dictionaries(generated), false),
};

/** Every third row, the last ones first. @type {(size: number) => Uint32Array} */
const someRows = (size) => Uint32Array.from({ length: Math.ceil(size / 3) }, (_, i) => size - 1 - 3 * i).filter((row) => row >= 0);

/** What the reference says of some rows. @type {(generated: Generated, rows: any[]) => { values?: any[], fault?: string }} */
const expectedOf = (generated, rows) => expected({ ...generated, rows });

/**
 * What is wrong with the engine's results for a random expression; undefined where nothing is. `refused`: the expression
 * was not taken.
 *
 * @param {Generated} generated
 * @param {string} form one of FORMS
 * @param {any} options of expr
 * @returns {{ wrong?: string, refused?: string }}
 */
function compare(generated, form, options) {
  const { text, type, rows } = generated;
  const { divisionByZero, overflow, cast } = generated.options;
  const settings = { divisionByZero, overflow, cast, ...options };
  const table = FORMS[form](generated);
  const whole = project(text, table, type, settings);
  const wanted = expectedOf(generated, rows);
  if (whole.error && whole.error.code !== 'ERR_CALL') return { refused: whole.error.message };
  const chosen = someRows(rows.length);
  const some = () => project(text, table, type, settings, { rows: chosen });
  const wrong =
    judge(type, whole, wanted) ??
    judge(type, some(), expectedOf(generated, Array.from(chosen, (row) => rows[row]))) ??
    whereWrong(generated, table, settings) ??
    (type === 'bool' && wanted.values ? predicateWrong(text, table, settings, wanted.values) : undefined);
  return { wrong };
}

/** Of the rows in which a column is there. @type {(generated: Generated, table: any, settings: any) => string | undefined} */
function whereWrong(generated, table, settings) {
  const { text, type, rows, schema } = generated;
  const name = Object.keys(schema)[0];
  const got = project(text, table, type, settings, { where: `${name} is not null` });
  const wrong = judge(type, got, expectedOf(generated, rows.filter((row) => row[name] !== null)));
  return wrong && `where ${name} is not null: ${wrong}`;
}

/** @type {(text: string, table: any, settings: any, wanted: readonly any[]) => string | undefined} */
function predicateWrong(text, table, settings, wanted) {
  const predicate = expr(text, settings);
  const numbers = wanted.flatMap((each, row) => (each ? [row] : []));
  const chosen = someRows(wanted.length);
  return (
    difference('int', [...predicate.filter(table)], numbers) ??
    difference('int', [predicate.count(table)], [numbers.length]) ??
    difference('bool', valuesOf(predicate.mask(table), 'bool'), wanted.map((each) => each === true)) ??
    difference('int', [predicate.filterTable(table).numRows], [numbers.length]) ??
    difference('int', [...predicate.filter(table, { rows: chosen })], Array.from(chosen).filter((row) => wanted[row]))
  );
}

module.exports = { FORMS, agree, arrowTable, atEdges, compare, difference, project, shown, typeOf, typeText, valuesOf };
