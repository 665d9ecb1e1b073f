// Row numbers of what a condition selects among plain f64, as `e.filter(table)` gives them.
//
// In the first group data has to be read: few of the rows are selected, with numbers around them that no block can be
// passed by for, or half of them. In the second group what is known of blocks tells where rows can be, and the
// condition is asked again: DuckDB keeps the least and most of its row groups, graphjit those of pieces of a column, with
// the table that is made of it, which plain arrays in an object are not.
//
// C and numba fill an array that is there, and so does graphjit; 'new array' gives one of its own each time, as everybody
// else does.
'use strict';

const graphjit = require('graphjit');
const { agreement, digestOf } = require('../support/columns-digest.js');
const { numbersOf } = require('../support/columns-data.js');
const { inGraphjit, inLibraries, inPythons, shown } = require('../support/columns.js');
const { cores, inC, inThreadedCHere } = require('../support/peers.js');

/** The conditions, for everybody. */
const tests = {
  between: {
    text: '(x > 2.0) and (x < 6.0)',
    polars: "df.lazy().filter(pl.col('x').gt(2).and(pl.col('x').lt(6))).select('row')",
  },
  below: { text: 'x < 4.0', polars: "df.lazy().filter(pl.col('x').lt(4)).select('row')" },
};

/** C in this process on the very array. */
function inCHere(agree, test, x) {
  const rows = new Uint32Array(x.length + 15);
  const count = new BigInt64Array(1);
  const all = { ...inC(`${test}_rows`, x, rows, count), ...inThreadedCHere(`${test}_rows`, x, rows, count) };
  for (const [name, call] of Object.entries(all)) {
    call();
    agree(name, digestOf(rows.subarray(0, Number(count[0]))));
  }
  return all;
}

/** Each gives an array of its own. */
const peers = ['polars', 'duckdb', 'numpy', 'numexpr'];

/** Of the first group. */
const read = { targets: [1, cores].flatMap((threads) => [
  ...['clang -O3', 'gcc -Ofast'].map((peer) => ({ peer, speed: 1 })),
  { peer: 'numba', speed: 1.5 },
  ...peers.map((peer) => ({ own: 'new array', peer, speed: 1.5 })),
].map(({ own = 'graphjit', peer, speed }) => ({ who: shown(own, threads), peer: shown(peer, threads), speed }))) };

/** Of the second. */
const known = {
  targets: [1, cores].map((threads) => ({ who: shown('graphjit', threads), peer: shown('duckdb', threads), speed: 1 })),
  open: (/** @type {any} */ data) => graphjit.table(data),
};

function filterCase(name, title, test, kind, rows, { targets, open = (data) => data }) {
  return {
    name: `${name}-${rows.toExponential().replace('+', '')}`,
    title: `row numbers of ${tests[test].text} in ${rows.toExponential().replace('+', '')} f64, ${title}`,
    unit: 'ms',
    targets,
    contestants() {
      const agree = agreement();
      const x = numbersOf(kind, rows);
      const data = open({ x });
      const out = new Uint32Array(rows + 64);
      const expression = (/** @type {number} */ threads) => graphjit.expr(tests[test].text, { threads });
      return {
        ...inGraphjit(agree, (threads) => {
          const e = expression(threads);
          return () => e.filter(data, { out });
        }),
        ...inGraphjit(agree, (threads) => {
          const e = expression(threads);
          return () => e.filter(data);
        }, 'new array'),
        ...inCHere(agree, test, x),
        ...inLibraries(agree, { rows, columns: { x: kind } }, { polars: tests[test].polars, duckdb: `select rowid as v from t where ${tests[test].text}` }),
        ...inPythons(agree, { kind, rows, test }),
      };
    },
  };
}

module.exports = [5e6, 5e7].flatMap((rows) => [
  filterCase('filter-between-half', 'half of them', 'between', 'half', rows, read),
  filterCase('filter-between-few', 'one in ten million', 'between', 'astride', rows, read),
  filterCase('filter-below-half', 'half of them', 'below', 'half', rows, read),
  filterCase('filter-below-few', 'one in ten million', 'below', 'above', rows, read),
  filterCase('filter-above-known', 'one in ten million, asked again', 'below', 'above', rows, known),
  filterCase('filter-sorted', 'sorted, one in a thousand', 'between', 'sorted', rows, known),
  filterCase('filter-clustered', 'clustered, one in a thousand', 'between', 'clustered', rows, known),
]);
