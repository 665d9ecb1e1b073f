// The micro-benchmarks of Gandiva (Apache Arrow, cpp/src/gandiva/tests/micro_benchmarks.cc): 2^20 rows in batches of
// 16384, all of them in memory, with and without nulls, of which there is one in eight then.
//
// Against polars, whose frame has the same batches, and DuckDB, with the table in memory and a prepared statement. Each
// gives a column, or row numbers, that lie in memory in its own form: see support/columns-service.js. DuckDB checks
// sums of integers for overflow, where the others wrap. Differing from Gandiva's: strings of FilterLike, MultiOr and
// InExpr are sometimes those that are looked for, and dates are days up to 2100.
'use strict';

const graphjit = require('graphjit');
const { agreement } = require('../support/columns-digest.js');
const { BATCH, openArrow, tableOf, wanted } = require('../support/columns-data.js');
const { inGraphjit, inLibraries, shown } = require('../support/columns.js');
const { cores } = require('../support/peers.js');

const ROWS = 2 ** 20;

const quoted = wanted.map((text) => `'${text}'`);
const col = (/** @type {string} */ name) => `pl.col('${name}')`;

const steps = Array.from({ length: 19 }, (_, i) => 10 * (i + 1));
const nested = steps.reduceRight((rest, step) => `if(a < ${step}, ${step}, ${rest})`, '200');
const sqlNested = `case ${steps.map((step) => `when a < ${step} then ${step}`).join(' ')} else 200 end`;
const polarsNested = steps.reduceRight((rest, step) => `pl.when(${col('a')}.lt(${step})).then(pl.lit(${step})).otherwise(${rest})`, 'pl.lit(200)');

/**
 * @typedef {object} Work
 * @property {string} title
 * @property {Record<string, string>} columns
 * @property {string} text  of the expression
 * @property {string} polars
 * @property {string} [duckdb]  where SQL is other than the expression
 * @property {boolean} [filter]
 */

/** @type {Record<string, Work>} */
const works = {
  add3: { title: 'Add3: f0 + (f1 + f2) of int64', columns: { f0: 'int64', f1: 'int64', f2: 'int64' }, text: 'f0 + (f1 + f2)', polars: `${col('f0')}.add(${col('f1')}.add(${col('f2')}))` },
  'big-nested': { title: 'BigNested: 19 conditions of int32', columns: { a: 'upTo250' }, text: nested, polars: polarsNested, duckdb: sqlNested },
  'filter-add2': { title: 'FilterAdd2: f1 + f0 < f2 of int64', columns: { f0: 'int64', f1: 'int64', f2: 'int64' }, filter: true, text: 'f1 + f0 < f2', polars: `${col('f1')}.add(${col('f0')}).lt(${col('f2')})` },
  'filter-like': { title: "FilterLike: a like '%yellow%'", columns: { a: 'short' }, filter: true, text: "a like '%yellow%'", polars: `${col('a')}.str.contains('yellow', true)` },
  'multi-or': {
    title: 'MultiOr: 32 comparisons of strings',
    columns: { a: 'long' },
    text: quoted.map((text) => `a = ${text}`).join(' or '),
    polars: quoted.map((text) => `${col('a')}.eq(pl.lit(${text}))`).reduce((all, one) => `${all}.or(${one})`),
  },
  'in-expr': { title: 'InExpr: a in 32 strings', columns: { a: 'long' }, text: `a in (${quoted})`, polars: `${col('a')}.isIn([${quoted}])` },
  'decimal-add2': { title: 'DecimalAdd2: f0 + f1 of decimal128(32, 18)', columns: { f0: 'decimal32', f1: 'decimal32' }, text: 'f0 + f1', polars: `${col('f0')}.add(${col('f1')})` },
  'decimal-add2-wide': { title: 'DecimalAdd2LeadingZeroes: f0 + f1 of decimal128(38, 6)', columns: { f0: 'decimal38', f1: 'decimal38' }, text: 'f0 + f1', polars: `${col('f0')}.add(${col('f1')})` },
  'decimal-add3': { title: 'DecimalAdd3: f0 + (f1 + f2) of decimal128(32, 18)', columns: { f0: 'decimal32', f1: 'decimal32', f2: 'decimal32' }, text: 'f0 + (f1 + f2)', polars: `${col('f0')}.add(${col('f1')}.add(${col('f2')}))` },
  'extract-year': { title: 'ExtractYear of date64', columns: { f0: 'date64' }, text: 'extract(year from f0)', polars: `${col('f0')}.dt.year()` },
  'extract-year-days': { title: 'ExtractYear of date32', columns: { f0: 'date32' }, text: 'extract(year from f0)', polars: `${col('f0')}.dt.year()` },
  'cast-int': { title: 'CastIntFromString', columns: { a: 'integerText' }, text: 'cast(a as int)', polars: `${col('a')}.cast(pl.Int32, true)` },
  'cast-float': { title: 'CastFloatFromString', columns: { a: 'floatText' }, text: 'cast(a as double)', polars: `${col('a')}.cast(pl.Float64, true)` },
};

const targets = [1, cores].flatMap((threads) => ['polars', 'duckdb'].map((peer) => ({ who: shown('graphjit', threads), peer: shown(peer, threads), speed: 1.5 })));

function gandivaCase(name, { title, columns, text, polars, duckdb = text, filter = false }, nulls) {
  const spec = { rows: ROWS, columns, nulls, batch: BATCH };
  const selected = filter ? `df.lazy().filter(${polars}).select('row')` : `df.lazy().select(${polars}.alias('v'))`;
  return {
    name: `gandiva-${name}${nulls ? '-nulls' : ''}`,
    title: `${title}, 2^20 rows${nulls ? ', one in eight null' : ''}`,
    unit: 'ms',
    group: nulls ? 'gandiva with nulls' : 'gandiva',
    targets,
    contestants() {
      const agree = agreement();
      const table = tableOf(openArrow(), spec);
      return {
        ...inGraphjit(agree, (threads) => {
          const e = graphjit.expr(text, { threads });
          return filter ? () => e.filter(table) : () => e.project(table);
        }),
        ...inLibraries(agree, spec, {
          polars: selected,
          duckdb: filter ? `select rowid as v from t where ${duckdb}` : `select ${duckdb} as v from t`,
        }),
      };
    },
  };
}

module.exports = Object.entries(works).flatMap(([name, work]) => [false, true].map((nulls) => gandivaCase(name, work, nulls)));
