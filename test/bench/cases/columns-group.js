// Sums of 1e7 f64 by keys in no order: a thousand and a million of them, integers of 64 and of 32 bits, and a thousand
// strings.
'use strict';

const graphjit = require('graphjit');
const { agreement } = require('../support/columns-digest.js');
const { openArrow, tableOf } = require('../support/columns-data.js');
const { inGraphjit, inLibraries, shown } = require('../support/columns.js');
const { cores } = require('../support/peers.js');

const ROWS = 1e7;

/** The keys of each case, by name. */
const keys = {
  '1e3': ['thousand64', 'a thousand int64'],
  '1e6': ['million64', 'a million int64'],
  '1e3-i32': ['thousand32', 'a thousand int32'],
  '1e6-i32': ['million32', 'a million int32'],
  '1e3-utf8': ['thousandText', 'a thousand strings'],
};

const targets = [1, cores].flatMap((threads) => ['polars', 'duckdb'].map((peer) => ({ who: shown('graphjit', threads), peer: shown(peer, threads), speed: 1 })));

module.exports = Object.entries(keys).map(([name, [kind, title]]) => ({
  name: `group-${name}`,
  title: `sums of 1e7 f64 by ${title}`,
  unit: 'ms',
  targets,
  contestants() {
    const agree = agreement();
    const spec = { rows: ROWS, columns: { k: kind, x: 'whole' } };
    const table = tableOf(openArrow(), spec);
    return {
      ...inGraphjit(agree, (threads) => {
        const e = graphjit.expr({ total: 'sum(x)' }, { threads });
        return () => e.aggregate(table, { by: 'k' }).getChild('total');
      }),
      ...inLibraries(agree, spec, {
        polars: "df.lazy().groupBy('k').agg(pl.col('x').sum().alias('v'))",
        duckdb: 'select k, sum(x) as v from t group by k',
      }),
    };
  },
}));
