// Runs queries in polars or DuckDB, one request per line of JSON on stdin:
//
//   { peer, threads, spec, query, seconds }     the least time of one call in nanoseconds, and a digest of what it gives
//   { peer, threads, spec, queries }            the median of the times of these, each of them run once, and their digests
//
// The answer is null where the library is not installed, and { error } when it refuses. A query of polars is
// JavaScript, of `pl` and `df`, a table with its row numbers as `row`, that gives a lazy frame; DuckDB's is SQL about
// `t`, and the result is its column `v`, of polars the last one.
//
// What counts is a result that lies in memory as columns of the library: for polars a collected frame, for DuckDB a
// materialised result of a prepared statement. Nobody reads it from JavaScript, which would take either of them far
// longer. New queries are prepared in their time.
'use strict';

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const readline = require('node:readline');
const { packages } = require('./peers.js');
const { openArrow, tableOf } = require('./columns-data.js');

/** @param {string} name */
function open(name) {
  try {
    return require(require.resolve(name, { paths: [packages] }));
  } catch {
    return null;
  }
}

/** The table in polars, in its batches. */
function frameOf(pl, arrow, spec) {
  const table = tableOf(arrow, spec);
  const frames = table.batches.map((batch) => pl.readIPCStream(Buffer.from(arrow.tableToIPC(new arrow.Table([batch]), 'stream'))));
  return frames.reduce((all, frame) => all.vstack(frame));
}

async function openPolars({ spec }) {
  const [pl, arrow] = [open('nodejs-polars'), openArrow()];
  if (!pl || !arrow) return null;
  const df = frameOf(pl, arrow, spec).withRowIndex('row');
  return {
    /** It has two engines; the one that is faster here takes part. */
    async prepare(query) {
      const calls = ['in-memory', 'streaming'].map((engine) => this.first(query, engine));
      const times = [];
      for (const call of calls) times.push(await bestOf(call, 0));
      return calls[times[0] <= times[1] ? 0 : 1];
    },
    first(query, engine = 'in-memory') {
      const run = new Function('pl', 'df', `return ${query}`);
      return () => run(pl, df).collectSync({ engine });
    },
    async digest(query) {
      const result = this.first(query)();
      const v = result.getColumn(result.columns.at(-1)).cast(pl.Float64);
      return { rows: v.length, nulls: v.nullCount(), sum: v.sum() ?? 0, squares: v.mul(v).sum() ?? 0 };
    },
  };
}

async function openDuckdb({ spec, threads }) {
  const [duckdb, pl, arrow] = [open('@duckdb/node-api'), open('nodejs-polars'), openArrow()];
  if (!duckdb || !pl || !arrow) return null;
  const instance = await duckdb.DuckDBInstance.create(':memory:', { threads: String(threads) });
  const connection = await instance.connect();
  const file = path.join(os.tmpdir(), `graphjit-bench-${process.pid}.parquet`);
  frameOf(pl, arrow, spec).writeParquet(file, { compression: 'uncompressed' });
  await connection.run(`create table t as from '${file}'`);
  fs.rmSync(file);
  return {
    async prepare(query) {
      const statement = await connection.prepare(query);
      return () => statement.run();
    },
    async digest(query) {
      const reader = await connection.runAndReadAll(`select count(*), count(v), sum(v::double), sum(v::double * v::double) from (${query})`);
      const [rows, valid, sum, squares] = reader.getRows()[0].map(Number);
      return { rows, nulls: rows - valid, sum, squares };
    },
    first: (query) => () => connection.run(query),
  };
}

const openers = { polars: openPolars, duckdb: openDuckdb };

async function millisecondsOf(call) {
  const start = performance.now();
  await call();
  return performance.now() - start;
}

async function bestOf(call, seconds) {
  await call();
  let best = Infinity;
  const end = performance.now() + seconds * 1e3;
  for (let runs = 0; runs < 2 || performance.now() < end; runs++) best = Math.min(best, await millisecondsOf(call));
  return best * 1e6;
}

/** Tables that are open, and digests of queries. @type {Map<string, Promise<any>>} */
const known = new Map();

const once = (key, make) => {
  const name = JSON.stringify(key);
  if (!known.has(name)) known.set(name, make());
  return known.get(name);
};

async function answer({ peer, threads, spec, query, queries, seconds }) {
  const one = await once([peer, spec], () => openers[peer]({ spec, threads }));
  if (!one) return null;
  if (queries) {
    const times = [];
    for (const each of queries) times.push(await millisecondsOf(one.first(each)));
    const digests = [];
    for (const each of queries) digests.push(await one.digest(each));
    return { ns: times.toSorted((a, b) => a - b)[times.length >> 1] * 1e6, digests };
  }
  const digest = await once(query, () => one.digest(query));
  const call = await once([query], () => one.prepare(query));
  return { ns: await bestOf(call, seconds), digest };
}

async function main() {
  for await (const line of readline.createInterface(process.stdin)) {
    const found = await answer(JSON.parse(line)).catch((error) => ({ error: error.message }));
    console.log(JSON.stringify(found));
  }
}

main();
