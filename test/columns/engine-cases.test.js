'use strict';

const assert = require('node:assert/strict');
const { describe, test } = require('node:test');
const { call, col } = require('../../lib/columns/language/index.js');
const { agrees, cases, departures, errorOf, valueOf } = require('./cases/index.js');
const { arrowTable, project, shown } = require('./engine.js');

/** @typedef {import('./cases/index.js').Case} Case */

/** Functions that are not there; what is deleted here must not come back. */
const MISSING = new Set(['aes_decrypt', 'aes_encrypt']);

/**
 * Texts that Gandiva reads otherwise: with something behind a date, with the name of a zone, and days of the week by any
 * part of their capital letters, where here it is their first two or three or all of them, whatever their case.
 */
const OTHERWISE = new Set([
  '1967-12-1bb', '2000-09-23 9:45:30.920 Canada/Pacific', '2012-02-28 23:30:59 Asia/Kolkata', '1923-10-07 03:03:03 America/New_York',
  'friday', 'Friday', 'S', 'T', 'DAY', '',
]);
const TEXTS_OF_TIMES = new Set(['castDATE', 'castTIMESTAMP', 'next_day']);

/** @type {(row: Case) => boolean} */
const isReadOtherwise = ([name, args]) => TEXTS_OF_TIMES.has(name) && OTHERWISE.has(args.at(-1)?.[1]);

/** Which argument is no column but written out. @type {Record<string, number>} */
const WRITTEN = {
  to_utc_timestamp: 1, from_utc_timestamp: 1, extract: 0, date_trunc: 0, regexp_extract: 1, regexp_replace: 1,
};

/** Whose results have a digit more than Gandiva is told to give them, since 9.99 rounds to 10.00. */
const WIDER = new Set(['round(decimal128(5, 2), int32)', 'truncate(decimal128(5, 2), int32)']);

/** @type {(row: Case) => string} */
const headOf = ([name, args]) => `${name}(${args.map(([type]) => type).join(', ')})`;

/** Rows as one table. @type {(rows: readonly Case[], options?: any) => import('./engine.js').Outcome} */
function run(rows, options) {
  const [[name, args, type]] = rows;
  const schema = Object.fromEntries(args.map(([each], i) => [`a${i}`, each]));
  const columns = Object.fromEntries(args.map((_, i) => [`a${i}`, rows.map(([, own]) => valueOf(own[i][0], own[i][1]))]));
  const operands = args.map(([, value], i) => (i === WRITTEN[name] ? value : col(`a${i}`)));
  return project(call(name, ...operands), arrowTable(schema, columns), type, options);
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
  // What is written out is looked at before anything runs.
  if (row[0] in WRITTEN && error) return undefined;
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
const isMissing = ([name], what) => MISSING.has(name) && what.startsWith('there is no function');

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
  for (const [category, all] of Object.entries(cases)) {
    const rows = all.filter((row) => !isReadOtherwise(row));
    test(`${category}, each row alone`, () => {
      assert.deepEqual(rows.map(judgeAlone).filter((what) => what !== undefined), []);
    });

    test(`${category}, rows of a function at once`, () => {
      /** @type {Map<string, Case[]>} */
      const groups = new Map();
      for (const row of rows.filter(([, , , result]) => errorOf(result) === undefined)) {
        const key = `${headOf(row)} ${row[2]} ${row[1][WRITTEN[row[0]]]?.[1]}`;
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
