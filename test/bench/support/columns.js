// Who takes part in the cases about expressions over columns: graphjit in this process, polars and DuckDB
// (columns-service.js) and Python's libraries (columns.py) in theirs, on one thread and on all cores. What they found
// is compared, and a difference is an error.
'use strict';

const path = require('node:path');
const { cores, python, threadsOf } = require('./peers.js');
const { digestOf } = require('./columns-digest.js');
const { service } = require('./service.js');

/** @typedef {(who: string, digest: any) => void} Agree */

const counts = cores > 1 ? [1, cores] : [1];

const shown = (/** @type {string} */ name, /** @type {number} */ threads) => (threads > 1 ? `${name} ×${threads}` : name);

/** What `make` gives for each number of threads, by the name that is shown. @param {(threads: number) => any} make */
const onThreads = (name, make) => Object.fromEntries(counts.map((threads) => [shown(name, threads), make(threads)]));

/**
 * graphjit, whose results are compared at once.
 *
 * @param {Agree} agree
 * @param {(threads: number) => () => any} make  a call that gives an array, or a vector of Arrow
 */
function inGraphjit(agree, make, name = 'graphjit') {
  return onThreads(name, (threads) => {
    const call = make(threads);
    agree(shown(name, threads), digestOf(call()));
    return call;
  });
}

/** What a service answers; an error throws, and null is who is not there. */
async function ask(peer, request, who) {
  const found = await peer.ask(request);
  if (found?.error !== undefined) throw new Error(`${who}: ${found.error}`);
  return found;
}

/** Asks a service for samples, and compares. */
const asked = (peer, request, agree, who) => ({
  async sample(/** @type {number} */ seconds) {
    const found = await ask(peer, { ...request, seconds }, who);
    if (!found) return null;
    agree(who, found.digest);
    return found.ns;
  },
});

const libraryService = (/** @type {string} */ library, /** @type {number} */ threads) =>
  service(process.execPath, [path.join(__dirname, 'columns-service.js'), library], { POLARS_MAX_THREADS: String(threads) });

/**
 * polars and DuckDB on a table.
 *
 * @param {Agree} agree
 * @param {object} spec of the table, see columns-data.js
 * @param {{ polars: string, duckdb: string }} queries see columns-service.js
 */
function inLibraries(agree, spec, queries) {
  const one = (/** @type {'polars' | 'duckdb'} */ library) => onThreads(library, (threads) =>
    asked(libraryService(library, threads), { peer: library, threads, spec, query: queries[library] }, agree, shown(library, threads)));
  return { ...one('polars'), ...one('duckdb') };
}

/**
 * Nanoseconds of queries that the library has not seen, the median of them, on each number of threads.
 *
 * @param {(who: string, digests: any[]) => void} agree
 * @param {object} spec
 * @param {{ polars: string[], duckdb: string[] }} queries
 */
async function firstInLibraries(agree, spec, queries) {
  const found = {};
  for (const [library, list] of Object.entries(queries)) {
    for (const threads of counts) {
      const answer = await ask(libraryService(library, threads), { peer: library, threads, spec, queries: list }, library);
      if (!answer) continue;
      agree(shown(library, threads), answer.digests);
      found[shown(library, threads)] = answer.ns;
    }
  }
  return found;
}

/**
 * Python's libraries on numbers of a kind, those on all cores that can use them.
 *
 * @param {Agree} agree
 * @param {{ kind: string, rows: number, test: string }} request
 */
function inPythons(agree, request) {
  const script = path.join(__dirname, 'columns.py');
  const one = (/** @type {string} */ peer) => (/** @type {number} */ threads) =>
    asked(service(python, [script, peer], threadsOf(threads)), { peer, ...request }, agree, shown(peer, threads));
  return { numpy: one('numpy')(1), ...onThreads('numexpr', one('numexpr')), ...onThreads('numba', one('numba')) };
}

module.exports = { firstInLibraries, inGraphjit, inLibraries, inPythons, shown };
