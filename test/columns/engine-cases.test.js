'use strict';

const assert = require('node:assert/strict');
const { describe, test } = require('node:test');
const { call, col } = require('../../lib/columns/language/index.js');
const { agrees, cases, departures, errorOf, valueOf } = require('./cases/index.js');
const { arrowTable, project, shown } = require('./engine.js');

/** @typedef {import('./cases/index.js').Case} Case */

/** Functions, and heads of those of which some overloads are not there; what is deleted here must not come back. */
const MISSING = new Set([
  'aes_decrypt', 'aes_encrypt', 'castDATE', 'castINTERVALDAY', 'castINTERVALYEAR', 'castNULLABLEINTERVALDAY',
  'castNULLABLEINTERVALYEAR', 'castTIME', 'castTIMESTAMP', 'date_add', 'date_diff', 'date_sub', 'date_trunc',
  'date_trunc_Century', 'date_trunc_Day', 'date_trunc_Decade', 'date_trunc_Hour', 'date_trunc_Millennium',
  'date_trunc_Minute', 'date_trunc_Month', 'date_trunc_Quarter', 'date_trunc_Second', 'date_trunc_Week',
  'date_trunc_Year', 'datediff', 'extract', 'extractCentury', 'extractDay', 'extractDecade', 'extractDow',
  'extractDoy', 'extractEpoch', 'extractHour', 'extractMillennium', 'extractMinute', 'extractMonth',
  'extractQuarter', 'extractSecond', 'extractWeek', 'extractYear', 'from_utc_timestamp', 'isnumeric', 'last_day',
  'months_between', 'next_day', 'regexp_extract', 'regexp_replace', 'timestampaddDay', 'timestampaddHour',
  'timestampaddMinute', 'timestampaddMonth', 'timestampaddQuarter', 'timestampaddSecond', 'timestampaddWeek',
  'timestampaddYear', 'timestampdiffDay', 'timestampdiffHour', 'timestampdiffMinute', 'timestampdiffMonth',
  'timestampdiffQuarter', 'timestampdiffSecond', 'timestampdiffWeek', 'timestampdiffYear', 'to_date', 'to_time',
  'to_timestamp', 'to_utc_timestamp', 'negative(interval[day_time])', 'negative(interval[year_month])',
  'add(int32, timestamp[ms])', 'add(int64, timestamp[ms])', 'add(date64, int64)', 'subtract(timestamp[ms], int32)',
  'castVARCHAR(date64, int64)', 'castVARCHAR(timestamp[ms], int64)', 'equal(date32, timestamp[ms])',
]);

/** Whose results have a digit more than Gandiva is told to give them, since 9.99 rounds to 10.00. */
const WIDER = new Set(['round(decimal128(5, 2), int32)', 'truncate(decimal128(5, 2), int32)']);

/** @type {(row: Case) => string} */
const headOf = ([name, args]) => `${name}(${args.map(([type]) => type).join(', ')})`;

/** Rows as one table. @type {(rows: readonly Case[], options?: any) => import('./engine.js').Outcome} */
function run(rows, options) {
  const [[name, args, type]] = rows;
  const schema = Object.fromEntries(args.map(([each], i) => [`a${i}`, each]));
  const columns = Object.fromEntries(args.map((_, i) => [`a${i}`, rows.map(([, own]) => valueOf(own[i][0], own[i][1]))]));
  return project(call(name, ...args.map((_, i) => col(`a${i}`))), arrowTable(schema, columns), type, options);
}

/** What is wrong with what a row gives. @type {(row: Case, outcome: import('./engine.js').Outcome, at?: number) => string | undefined} */
function judge(row, { error, type: got, values = [] }, at = 0) {
  const [, , type, result] = row;
  if (error) return error.message;
  if (got !== type && !WIDER.has(headOf(row))) return `the type ${got}`;
  return agrees(type, values[at], result) ? undefined : shown(values[at]);
}

/** What makes a null of an error. @type {(kind: string) => any} */
const lenient = (kind) => ({ [kind === 'value' ? 'cast' : kind]: 'null' });

/** @type {(row: Case, kind: string) => string | undefined} */
function judgeFault(row, kind) {
  const { error, values = [] } = run([row]);
  if (error?.code !== 'ERR_CALL') return error ? error.message : `${shown(values[0])}`;
  const again = run([row], lenient(kind));
  if (again.error) return `${error.message}, which the option for ${kind} does not make null`;
  return again.values?.[0] === null ? undefined : `${shown(again.values?.[0])} where the option says null`;
}

/** @type {(row: Case) => string | undefined} */
function judgeAlone(row) {
  const kind = errorOf(row[3]);
  const what = kind === undefined ? judge(row, run([row])) : judgeFault(row, kind);
  return what === undefined || isMissing(row, what) ? undefined : complaint(row, what);
}

/** @type {(row: Case, what: string) => string} */
const complaint = (row, what) => `${headOf(row)} of ${shown(row[1].map(([, value]) => value))}: expected ${shown(row[3])}, got ${what}`;

/** @type {(row: Case, what: string) => boolean} */
const isMissing = (row, what) =>
  (MISSING.has(row[0]) || MISSING.has(headOf(row))) && /^there is no function|^[^\n]* takes [^\n]*, got |^there is no cast/u.test(what);

/** Rows that one expression gives, repeated over more than two blocks of 64. @type {(rows: readonly Case[]) => string[]} */
function judgeTogether(rows) {
  const many = Array.from({ length: 150 + rows.length }, (_, i) => rows[i % rows.length]);
  const outcome = run(many);
  if (outcome.error) return isMissing(rows[0], outcome.error.message) ? [] : [complaint(rows[0], outcome.error.message)];
  return many.flatMap((row, at) => {
    const what = judge(row, outcome, at);
    return what === undefined ? [] : [`row ${at}: ${complaint(row, what)}`];
  });
}

describe('the engine gives what the cases say: ', () => {
  for (const [category, rows] of Object.entries(cases)) {
    test(`${category}, each row alone`, () => {
      assert.deepEqual(rows.map(judgeAlone).filter((what) => what !== undefined), []);
    });

    test(`${category}, rows of a function at once`, () => {
      /** @type {Map<string, Case[]>} */
      const groups = new Map();
      for (const row of rows.filter(([, , , result]) => errorOf(result) === undefined)) {
        const key = `${headOf(row)} ${row[2]}`;
        groups.set(key, [...(groups.get(key) ?? []), row]);
      }
      assert.deepEqual([...groups.values()].flatMap(judgeTogether), []);
    });
  }

  test('and what departures say', () => {
    const rows = departures.map(([name, args, { ours: [type, result] }]) => /** @type {Case} */ ([name, args, type, result]));
    assert.deepEqual(rows.map(judgeAlone).filter((what) => what !== undefined), []);
  });
});
