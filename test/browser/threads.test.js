// Modules with threads in a page: isolated, so that workers share its memory, or not; and in a worker of it.
'use strict';

const assert = require('node:assert/strict');
const path = require('node:path');
const { Graph, tensor } = require('graphjit');
const { browserTest } = require('../support/browser.js');

const [ROWS, COLUMNS] = [300, 701];

const graph = new Graph('waves');
const x = graph.input('x', 'f64', ['n', 'm']);
const wave = x.sin().mul(x.exp());
graph.output('wave', wave).output('sum', wave.sum()).output('rows', x.softmax().max({ axis: 1 })).output('along', x.cumulativeSum({ axis: 0 }));

/** A number for the bits of each result; a page gets it as text. */
function digest(results) {
  const ofArray = (data) => new Uint32Array(data.slice().buffer).reduce((hash, word) => Math.imul(hash ^ word, 16777619), 0);
  return Object.fromEntries(Object.entries(results).map(([name, { data }]) => [name, ofArray(data)]));
}

/** What a page computes; it gets this as text, too. */
async function compute({ address, rows, columns, options }) {
  const [{ load }, { digest: digestOf }] = await Promise.all([import('/web/threads.mjs'), import('/digest.mjs')]);
  const data = Float64Array.from({ length: rows * columns }, (_, i) => ((i * 31) % 977) / 100 - 5);
  const program = await load(address, options);
  let results = {};
  for (let i = 0; i < 10; i++) results = program.run({ x: { data, shape: [rows, columns] } });
  program.dispose();
  return { threads: program.threads, bits: digestOf(results) };
}

const files = {
  '/index.html': '<!doctype html><link rel="icon" href="data:,">',
  '/shared.wasm': graph.toWasm({ threads: true, variants: ['simd'] }).modules.simd,
  '/single.wasm': graph.toWasm({ variants: ['simd'] }).modules.simd,
  '/digest.mjs': `export ${digest}`,
  '/worker.mjs': `onmessage = async ({ data }) => postMessage(await (${compute})(data));`,
};
const site = { files, folders: { '/web/': path.join(__dirname, '..', '..', 'lib', 'web') } };
const given = { address: '/shared.wasm', rows: ROWS, columns: COLUMNS };

/** The bits that Node finds. */
function expected() {
  const data = Float64Array.from({ length: ROWS * COLUMNS }, (_, i) => ((i * 31) % 977) / 100 - 5);
  return digest(graph.compile({ numerics: 'strict' }).run({ x: tensor(data, { shape: [ROWS, COLUMNS] }) }));
}

browserTest('an isolated page has the bits of Node on any number of threads', async ({ serve, open }) => {
  const page = await open(`${await serve({ ...site, isolated: true })}/`);
  for (const threads of [1, 2, 3]) {
    assert.deepEqual(await page.evaluate(compute, { ...given, options: { threads } }), { threads, bits: expected() });
  }
  const usual = await page.evaluate(compute, { ...given, options: {} });
  assert.equal(usual.threads, await page.evaluate(() => navigator.hardwareConcurrency));
});

browserTest('a worker of a page has workers of its own', async ({ serve, open }) => {
  const page = await open(`${await serve({ ...site, isolated: true })}/`);
  const result = await page.evaluate(
    (message) =>
      new Promise((resolve, reject) => {
        const worker = new Worker('/worker.mjs', { type: 'module' });
        worker.onmessage = ({ data }) => resolve(data);
        worker.onerror = (event) => reject(new Error(event.message));
        worker.postMessage(message);
      }),
    { ...given, options: { threads: 2 } },
  );
  assert.deepEqual(result, { threads: 2, bits: expected() });
});

browserTest('a page that is not isolated runs on one thread, or hears which headers it needs', async ({ serve, open }) => {
  const page = await open(`${await serve(site)}/`);
  assert.deepEqual(await page.evaluate(compute, { ...given, options: {} }), { threads: 1, bits: expected() });
  await assert.rejects(page.evaluate(compute, { ...given, options: { threads: 2 } }), /Cross-Origin-Opener-Policy: same-origin.*Embedder-Policy/);
  const address = { simd: '/shared.wasm', single: '/single.wasm' };
  assert.deepEqual(await page.evaluate(compute, { ...given, address, options: {} }), { threads: 1, bits: expected() });
});

browserTest('a policy that forbids workers made from text allows those of a file', async ({ serve, open, errors }) => {
  const policy = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; img-src data:";
  const page = await open(`${await serve({ ...site, isolated: true, policy })}/`);
  const own = { threads: 2, worker: '/web/worker.mjs' };
  assert.deepEqual(await page.evaluate(compute, { ...given, options: own }), { threads: 2, bits: expected() });
  await assert.rejects(page.evaluate(compute, { ...given, options: { threads: 2 } }), /a worker does not start/);
  assert.match(errors.splice(0).join('\n'), /Content Security Policy/);
});
