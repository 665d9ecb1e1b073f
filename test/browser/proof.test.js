// The same bits in a browser as in Node: every program of programs.js in all variants of its module, loaded by
// lib/web/index.mjs in a page, in a worker, under a strict content policy, with weights of their own, and as packages.
//
// Node's results in 'strict' are what the server has; the page fetches them and compares (pages/run.mjs), so that a failure
// names program, variant, output and element. How many elements were compared is asserted too.
'use strict';

const assert = require('node:assert/strict');
const path = require('node:path');
const { before } = require('node:test');
const { tensor } = require('graphjit');
const { bytesOf } = require('../support/compare.js');
const { browserTest } = require('../support/browser.js');
const { graphOf, inputsOf, programs } = require('./programs.js');

const VARIANTS = /** @type {const} */ (['mvp', 'simd', 'relaxed']);
const PAGE = '<!doctype html><meta charset="utf-8"><title>proof</title><pre id="results"></pre><script type="module" src="/pages/page.mjs"></script>';

const folders = { '/web/': path.join(__dirname, '..', '..', 'lib', 'web'), '/pages/': path.join(__dirname, 'pages') };

/** All that the server has, by path. @type {Record<string, string | Uint8Array>} */
const files = { '/index.html': PAGE };

/** Puts arrays on the server. @type {(place: string, arrays: Record<string, any>) => object[]} */
function put(place, arrays) {
  return Object.entries(arrays).map(([name, { dtype, shape, data }], i) => {
    const at = `${place}/${i}.bin`;
    files[at] = bytesOf(data);
    return { name, dtype, shape: [...shape], at };
  });
}

/** Puts a program on the server, with its inputs and what Node makes of them. */
function prepare(program, index) {
  const graph = graphOf(program);
  const native = graph.compile({ numerics: 'strict', threads: 1 });
  const runs = program.runs.map((sizes, i) => {
    const inputs = inputsOf(graph, sizes, i + 1, program.moderate);
    const given = Object.entries(inputs).map(([name, { dtype, shape, data }]) => [name, tensor(data, { dtype, shape })]);
    const place = `/data/${index}/${i}`;
    return { inputs: put(`${place}/in`, inputs), outputs: put(`${place}/out`, native.run(Object.fromEntries(given))) };
  });
  native.dispose();
  const { modules } = graph.toWasm({ variants: [...VARIANTS], optimize: false });
  for (const name of VARIANTS) files[`/modules/${index}.${name}.wasm`] = modules[name];
  return { name: program.name, graph, index, runs };
}

/** @type {ReturnType<typeof prepare>[]} */
let all = [];
before(() => {
  all = programs.map(prepare);
});

const moduleOf = ({ index }, variant) => `/modules/${index}.${variant}.wasm`;
const elementsOf = (jobs) =>
  jobs.flatMap(({ runs }) => runs).flatMap(({ outputs }) => outputs).reduce((total, { shape }) => total + shape.reduce((a, b) => a * b, 1), 0);

/** Opens a page that runs the jobs, and asserts that nothing differs. */
async function assertSame({ serve, open }, jobs, { site = {}, search = '' } = {}) {
  const url = await serve({ files: { ...files, '/jobs.json': JSON.stringify(jobs) }, folders, ...site });
  const page = await open(`${url}/index.html${search}`);
  const results = page.locator('#results:not(:empty)');
  const { elements, wrong } = JSON.parse(String(await results.textContent({ timeout: 60_000 })));
  assert.deepEqual(wrong, []);
  assert.ok(elements > 0);
  assert.equal(elements, elementsOf(jobs));
}

for (const variant of VARIANTS) {
  browserTest(`a page computes the bits of Node with modules for ${variant}`, async (tools) => {
    const jobs = all.map((one) => ({ title: `${one.name}, ${variant}`, source: moduleOf(one, variant), runs: one.runs }));
    await assertSame(tools, jobs);
  });
}

browserTest('a worker computes the bits of Node, with the variant that the loader picks', async (tools) => {
  const jobs = all.map((one) => {
    const source = Object.fromEntries(VARIANTS.map((variant) => [variant, moduleOf(one, variant)]));
    return { title: `${one.name}, picked`, source, runs: one.runs };
  });
  /** @type {string[]} */
  const asked = [];
  tools.context.on('request', (request) => asked.push(new URL(request.url()).pathname));
  await assertSame(tools, jobs, { search: '?worker' });
  const modules = asked.filter((name) => name.startsWith('/modules/'));
  assert.deepEqual(modules, all.map((one) => moduleOf(one, 'relaxed')), 'this browser has relaxed SIMD');
});

/** Those whose modules are small, where what is loaded how is the question. */
const FEW = ['softmax and norms', 'an image filter on bytes', 'a perceptron', 'growing sizes'];
const few = () => all.filter(({ name }) => FEW.includes(name));

browserTest('a strict content policy lets modules be loaded and run', async (tools) => {
  const policy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; worker-src 'self'";
  const jobs = few().map((one) => ({ title: `${one.name}, policy`, source: moduleOf(one, 'simd'), runs: one.runs }));
  await assertSame(tools, jobs, { site: { policy } });
});

browserTest('weights come from a file of their own', async (tools) => {
  const jobs = all.filter(({ name }) => name === 'constants' || name === 'a perceptron').flatMap(({ name, graph, index, runs }) =>
    VARIANTS.map((variant) => {
      const { modules, weights } = graph.toWasm({ variants: [variant], weights: 'separate', optimize: false });
      const [source, at] = [`/separate/${index}.${variant}.wasm`, `/separate/${index}.bin`];
      files[source] = modules[variant];
      files[at] = /** @type {Uint8Array} */ (weights);
      assert.ok(files[at].length > 3000 && files[source].length < 16_384, `${files[at].length}, ${files[source].length}`);
      return { title: `${name}, ${variant}, separate`, source, weights: at, runs };
    }),
  );
  await assertSame(tools, jobs);
});

browserTest('a package of one file is imported', async (tools) => {
  const jobs = few().map(({ name, graph, index, runs }) => {
    const source = `/packages/${index}.mjs`;
    files[source] = graph.toWasm({ variants: ['mvp', 'simd'], optimize: false }).mjs;
    return { title: `${name}, package`, source, isPackage: true, runs };
  });
  await assertSame(tools, jobs);
});
