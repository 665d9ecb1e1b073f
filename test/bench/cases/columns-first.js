// How long until an expression that nobody has seen before gives its first result, on 1e5 rows that are there: twenty of them, which differ in a
// constant, each from its text (or, in polars, its nodes) to the rows. The median counts. All in one process, which has had one
// of another shape before; nothing from the cache on disk.
'use strict';

const { spawnSync } = require('node:child_process');
const { numbersOf } = require('../support/columns-data.js');
const { firstInLibraries, shown } = require('../support/columns.js');
const { cores } = require('../support/peers.js');

const ROWS = 1e5;
const EXPRESSIONS = 20;

const constants = Array.from({ length: EXPRESSIONS }, (_, i) => (4 + i / 64).toFixed(6));

/** @type {Record<string, { title: string, text: (c: string) => string, polars: (c: string) => string, duckdb: (c: string) => string }>} */
const works = {
  filter: {
    title: 'row numbers of (x > 2.0) and (x * y < c) or y > 7.5',
    text: (c) => `(x > 2.0) and (x * y < ${c}) or y > 7.5`,
    polars: (c) => `df.lazy().filter(pl.col('x').gt(2).and(pl.col('x').mul(pl.col('y')).lt(${c})).or(pl.col('y').gt(7.5))).select('row')`,
    duckdb: (c) => `select rowid as v from t where (x > 2.0) and (x * y < ${c}) or y > 7.5`,
  },
  project: {
    title: '(x + c) * y - x / (y + 1.5)',
    text: (c) => `(x + ${c}) * y - x / (y + 1.5)`,
    polars: (c) => `df.lazy().select(pl.col('x').add(${c}).mul(pl.col('y')).sub(pl.col('x').div(pl.col('y').add(1.5))).alias('v'))`,
    duckdb: (c) => `select (x + ${c}) * y - x / (y + 1.5) as v from t`,
  },
};

/** Runs in a process of its own: nanoseconds of the very first expression, and the median of the others. */
function measureHere(/** @type {string} */ method, /** @type {number} */ threads) {
  const { expr } = require('graphjit');
  const table = { x: numbersOf('half', ROWS), y: numbersOf('half', ROWS) };
  const first = (/** @type {string} */ text) => {
    const start = process.hrtime.bigint();
    expr(text, { threads })[method](table);
    return Number(process.hrtime.bigint() - start);
  };
  const veryFirst = first(method === 'filter' ? 'x < y' : 'x - y');
  const times = constants.map((c) => first(works[method].text(c))).sort((a, b) => a - b);
  return [veryFirst, times[EXPRESSIONS >> 1]];
}

/** @type {(method: string, threads: number) => [number, number]} */
function measure(method, threads) {
  const words = [...process.execArgv, __filename, method, String(threads)];
  const env = { ...process.env, GRAPHJIT_CACHE: 'off' };
  const { status, stdout } = spawnSync(process.execPath, words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'], env });
  if (status !== 0) throw new Error(`the process ended with status ${status}`);
  return JSON.parse(stdout);
}

async function valuesOf(/** @type {string} */ name) {
  const [veryFirst, median] = measure(name, 1);
  const { polars, duckdb } = works[name];
  return {
    graphjit: median,
    ...(cores > 1 && { [shown('graphjit', cores)]: measure(name, cores)[1] }),
    'first of a process': veryFirst,
    ...(await firstInLibraries({ rows: ROWS, columns: { x: 'half', y: 'half' } }, { polars: constants.map(polars), duckdb: constants.map(duckdb) })),
  };
}

module.exports = Object.entries(works).map(([name, { title }]) => ({
  name: `columns-first-${name}`,
  title: `first result of a new expression on 1e5 rows: ${title}`,
  unit: 'ms',
  targets: [1, cores].flatMap((threads) => ['polars', 'duckdb'].map((peer) => ({ who: shown('graphjit', threads), peer: shown(peer, threads), speed: 1 }))),
  values: () => valuesOf(name),
}));

if (require.main === module) console.log(JSON.stringify(measureHere(process.argv[2], Number(process.argv[3]))));
