// How long until an expression that nobody has seen before gives its first result, on 1e5 rows that are there: twenty
// of them, each from its text (or, in polars, its nodes) to the rows. They differ in their operators, so that none is
// another one with new constants; in the last case they differ in a constant and nothing else. The median counts. All
// in one process, which has had one of another shape before; nothing from the cache on disk.
'use strict';

const { spawnSync } = require('node:child_process');
const { numbersOf } = require('../support/columns-data.js');
const { agreement, digestOf } = require('../support/columns-digest.js');
const { firstInLibraries, shown } = require('../support/columns.js');
const { cores } = require('../support/peers.js');

const ROWS = 1e5;

/** Operators by what polars calls them. */
const compares = { '<': 'lt', '<=': 'ltEq', '>': 'gt', '>=': 'gtEq' };
const calculates = { '+': 'add', '-': 'sub', '*': 'mul', '/': 'div' };

/** Twenty choices of operators, and a constant. */
const choices = Array.from({ length: 20 }, (_, i) => {
  const of = (/** @type {object} */ table, /** @type {number} */ k) => Object.entries(table)[k % 4];
  return { compare: of(compares, i), calculate: of(calculates, i >> 2), other: of(calculates, i + (i >> 2)), c: (4 + i / 64).toFixed(6) };
});

/** @typedef {(typeof choices)[number]} Choice */

const selected = (/** @type {Choice} */ { compare: [less], calculate: [times], other: [plus], c }) => `(x > 2.0) and (x ${times} y ${less} ${c}) or (y ${plus} 1.5 > 7.5)`;
const computed = (/** @type {Choice} */ { compare: [less], calculate: [times], other: [plus], c }) => `case when x ${less} ${c} then (x ${plus} ${c}) ${times} y else x ${times} (y ${plus} 1.5) end`;

const x = "pl.col('x')";
const y = "pl.col('y')";

const filter = {
  text: selected,
  polars: (/** @type {Choice} */ { compare: [, less], calculate: [, times], other: [, plus], c }) =>
    `df.lazy().filter(${x}.gt(2).and(${x}.${times}(${y}).${less}(${c})).or(${y}.${plus}(1.5).gt(7.5))).select('row')`,
  duckdb: (/** @type {Choice} */ choice) => `select rowid as v from t where ${selected(choice)}`,
};
const project = {
  text: computed,
  polars: (/** @type {Choice} */ { compare: [, less], calculate: [, times], other: [, plus], c }) =>
    `df.lazy().select(pl.when(${x}.${less}(${c})).then(${x}.${plus}(${c}).${times}(${y})).otherwise(${x}.${times}(${y}.${plus}(1.5))).alias('v'))`,
  duckdb: (/** @type {Choice} */ choice) => `select ${computed(choice)} as v from t`,
};

const constants = choices.map(({ c }) => ({ ...choices[0], c }));

/** @type {Record<string, { title: string, method: 'filter' | 'project', work: typeof filter, list: Choice[] }>} */
const works = {
  filter: { title: `row numbers of ${selected(choices[0])}, with other operators each`, method: 'filter', work: filter, list: choices },
  project: { title: `${computed(choices[0])}, with other operators each`, method: 'project', work: project, list: choices },
  constant: { title: `row numbers of ${selected(choices[0])}, with another constant each`, method: 'filter', work: filter, list: constants },
};

/** Runs in a process of its own: nanoseconds of the very first expression, the median of the others, and digests of what these give. */
function measureHere(/** @type {string} */ name, /** @type {number} */ threads) {
  const { expr } = require('graphjit');
  const { method, work, list } = works[name];
  const table = { x: numbersOf('half', ROWS), y: numbersOf('other', ROWS) };
  const first = (/** @type {string} */ text) => {
    const start = process.hrtime.bigint();
    const result = expr(text, { threads })[method](table);
    return { ns: Number(process.hrtime.bigint() - start), digest: digestOf(result) };
  };
  const veryFirst = first(method === 'filter' ? 'x < y' : 'x - y').ns;
  const found = list.map((choice) => first(work.text(choice)));
  const times = found.map(({ ns }) => ns).sort((a, b) => a - b);
  return { veryFirst, median: times[times.length >> 1], digests: found.map(({ digest }) => digest) };
}

/** @type {(name: string, threads: number) => ReturnType<typeof measureHere>} */
function measure(name, threads) {
  const words = [...process.execArgv, __filename, name, String(threads)];
  const env = { ...process.env, GRAPHJIT_CACHE: 'off' };
  const { status, stdout } = spawnSync(process.execPath, words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'], env });
  if (status !== 0) throw new Error(`the process ended with status ${status}`);
  return JSON.parse(stdout);
}

async function valuesOf(/** @type {string} */ name) {
  const { work: { polars, duckdb }, list } = works[name];
  const agrees = list.map(agreement);
  const agree = (/** @type {string} */ who, /** @type {any[]} */ digests) => digests.forEach((digest, i) => agrees[i](who, digest));
  const one = measure(name, 1);
  agree('graphjit', one.digests);
  const others = await firstInLibraries(agree, { rows: ROWS, columns: { x: 'half', y: 'other' } }, { polars: list.map(polars), duckdb: list.map(duckdb) });
  return {
    graphjit: one.median,
    ...(cores > 1 && { [shown('graphjit', cores)]: measure(name, cores).median }),
    'first of a process': one.veryFirst,
    ...others,
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
