// Expressions over columns in a real browser: a page reads an Arrow file, without a copy into the memory of the module, and
// gets by graphjit/web/columns, as it is shipped, what this process gets.
'use strict';

const assert = require('node:assert/strict');
const path = require('node:path');
const arrow = require('apache-arrow');
const { expr } = require('../../lib/columns/index.js');
const { browserTest } = require('../support/browser.js');

/** No eval, as sites that are careful have it. */
const POLICY = "default-src 'none'; script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval'; connect-src 'self'";

const ROWS = 20011;
const x = Float64Array.from({ length: ROWS }, (_, i) => Math.sin(i) * 100);
const columns = {
  x,
  k: Int32Array.from({ length: ROWS }, (_, i) => i % 7),
  s: Array.from({ length: ROWS }, (_, i) => (i % 9 === 0 ? null : `Größe ${i % 100}`)),
};
const table = new arrow.Table({ x: arrow.makeVector(columns.x), k: arrow.makeVector(columns.k), s: arrow.vectorFromArray(columns.s, new arrow.Utf8()) });

const filter = expr("x > @least and (s like '%1_' or s is null)");
const project = expr({ twice: 'x * 2', upper: 'upper(s)', test: 'k in (1, 3)' });
const groups = expr({ n: 'count(s)', m: 'mean(x)' });
const broken = expr('5 % k');

/** The page's own build of apache-arrow, and the loader. */
const page = `import { load } from '/web/columns.min.mjs';
const arrow = globalThis.Arrow;
const bytes = new Uint8Array(await (await fetch('/table.arrow')).arrayBuffer());
const shown = (vector) => Array.from(vector, (each) => typeof each === 'bigint' ? String(each) : each);
self.results = (async () => {
  const filter = await load('/filter.wasm', { memory: 8 << 20 });
  const place = filter.allocate(bytes.length);
  place.data.set(bytes);
  const table = arrow.tableFromIPC(place.data);
  const rows = filter(table, { parameters: { least: 20 } });
  const isInPlace = table.getChild('x').data[0].values.buffer === filter.memory.buffer;
  const project = await load(fetch('/project.wasm'), { arrow });
  const made = project(arrow.tableFromIPC(bytes));
  const groups = await load('/groups.wasm');
  const grouped = groups(arrow.tableFromIPC(bytes));
  const broken = await load('/broken.wasm');
  let message = '';
  try { broken(table); } catch (error) { message = error.name + ' ' + error.code + ': ' + error.message; }
  return {
    rows: [...rows], count: filter.count({ x: table.getChild('x'), s: table.getChild('s') }, { parameters: { least: 99 } }), isInPlace,
    isTable: made instanceof arrow.Table, project: ['twice', 'upper', 'test'].map((name) => shown(made.getChild(name))),
    groups: ['k', 'n', 'm'].map((name) => shown(grouped[name])), message,
  };
})();`;

browserTest('a page filters, computes and groups what is in an Arrow file', async ({ serve, open }) => {
  const site = await serve({
    files: {
      '/index.html': '<script src="/arrow.js"></script><script type="module" src="/page.mjs"></script>',
      '/page.mjs': page,
      '/arrow.js': require('node:fs').readFileSync(path.join(path.dirname(require.resolve('apache-arrow')), 'Arrow.es2015.min.js')),
      '/table.arrow': arrow.tableToIPC(table, 'file'),
      '/filter.wasm': filter.toWasm(table, { parameters: { least: 'float64' } }).bytes,
      '/project.wasm': project.toWasm(table).bytes,
      '/groups.wasm': groups.toWasm(table, { by: 'k' }).bytes,
      '/broken.wasm': broken.toWasm(table).bytes,
    },
    folders: { '/web/': path.join(__dirname, '../../lib/web') },
    policy: POLICY,
  });
  const opened = await open(`${site}/index.html`);
  await opened.waitForFunction(() => Boolean(/** @type {any} */ (globalThis).results));
  const found = await opened.evaluate(() => /** @type {any} */ (globalThis).results);
  assert.deepEqual(found.rows, [...filter.filter(table, { parameters: { least: 20 } })]);
  assert.equal(found.count, filter.count(table, { parameters: { least: 99 } }));
  assert.ok(found.isInPlace);
  assert.ok(found.isTable);
  const made = project.project(table);
  assert.deepEqual(found.project, ['twice', 'upper', 'test'].map((name) => [...made.getChild(name)]));
  const grouped = groups.aggregate(columns, { by: 'k' });
  assert.deepEqual(found.groups, [[...grouped.k], [...grouped.n].map(String), [...grouped.m]]);
  assert.equal(found.message, 'GraphError ERR_CALL: row 0: division by zero\n  5 % k\n  ^^^^^');
});
