// Modules and the texts beside them, in Node. What the loader does with arrays and memory is in web.test.js.
'use strict';

const assert = require('node:assert/strict');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { execFileSync } = require('node:child_process');
const { test } = require('node:test');
const { pathToFileURL } = require('node:url');
const { Graph } = require('graphjit');
const { bundle } = require('../lib/graph/wasm.js');
const loaders = require('../scripts/loader.js');
const { variants: known } = require('./support/oracles.js');

/** Builds, compiles and instantiates. */
async function instantiate(build, options) {
  const graph = new Graph('test');
  build(graph);
  const { bytes } = graph.toWasm({ optimize: false, ...options });
  const { load } = await import('graphjit/web');
  return { graph, bytes, instance: await load(bytes) };
}

function hypot(graph) {
  const x = graph.input('x', 'f64', ['n']);
  const y = graph.input('y', 'f64', ['n']);
  graph.output('z', x.mul(x).add(y.mul(y)).sqrt());
}

/** Bytes of an array, for comparisons that tell NaNs and zeros apart. */
const bytesOf = (array) => Buffer.from(array.buffer, array.byteOffset, array.byteLength);

test('the module of the hypot graph is small and imports nothing', async () => {
  const { bytes } = await instantiate(hypot);
  const module = new WebAssembly.Module(bytes);
  assert.ok(bytes.length < 1024, `${bytes.length} bytes`);
  assert.deepEqual(WebAssembly.Module.imports(module), []);
  assert.deepEqual(WebAssembly.Module.exports(module).map(({ name }) => name).sort(), ['__heap_base', 'memory', 'plan', 'run']);
});

test('wasm and native give the same bits in strict', async () => {
  const build = (graph) => {
    const x = graph.input('x', 'f64', ['n']);
    const k = graph.input('k', 'f32', ['n']);
    graph.output('a', x.sin().mul(x.exp()).add(x.abs().log()).hypot(x.tanh()));
    graph.output('b', k.pow(1.7).sub(k.atan2(0.3)));
    graph.output('m', x.mean());
    graph.output('s', k.std({ correction: 1 }));
    graph.output('i', x.argmax());
  };
  for (const variant of known) {
    const { graph, instance } = await instantiate(build, { variants: [variant] });
    const program = graph.compile({ numerics: 'strict' });
    const x = Float64Array.from({ length: 1003 }, (_, i) => (i - 500) * 0.37);
    x.set([NaN, Infinity, -Infinity, -0, 1e300, 5e-324], 10);
    const k = Float32Array.from(x, (v) => Math.abs(v) / 3);
    const [wasm, own] = [instance.run({ x, k }), program.run({ x, k })];
    for (const name of Object.keys(own)) {
      assert.deepEqual([...wasm[name].shape], [...own[name].shape]);
      assert.deepEqual(bytesOf(wasm[name].data), bytesOf(own[name].data), `${name}, ${variant}`);
    }
  }
});

test('a loader runs for any sizes and grows the memory', async () => {
  const { instance } = await instantiate(hypot);
  for (const n of [0, 1, 5, 100000, 3]) {
    const x = Float64Array.from({ length: n }, (_, i) => i);
    assert.deepEqual(instance.run({ x, y: x }).z.data, x.map((v) => Math.sqrt(v * v + v * v)), `n = ${n}`);
  }
  assert.ok(instance.memory.buffer.byteLength >= 3 * 800000);
});

test('symbols may be called like words of JavaScript', async () => {
  const { instance } = await instantiate((graph) => {
    const x = graph.input('x', 'f64', ['Math', 'new']);
    const y = graph.input('y', 'f64', ['max(Math, d)', 'd']);
    graph.output('z', x.reshape([-1]).concat(y.reshape([-1])));
  });
  const x = { data: new Float64Array(6).fill(1), shape: [2, 3] };
  const y = { data: new Float64Array(20).fill(2), shape: [5, 4] };
  assert.throws(() => instance.run({ x, y }), { code: 'ERR_SHAPE' });
  y.shape = [4, 5];
  assert.throws(() => instance.run({ x, y }), { code: 'ERR_SHAPE' });
  assert.equal(instance.run({ x, y: { data: new Float64Array(16), shape: [4, 4] } }).z.data.length, 22);
});

test('sizes that do not work out are refused before the module runs', async () => {
  const { instance } = await instantiate((graph) => {
    const x = graph.input('x', 'f64', ['n']);
    graph.output('a', x.reshape(['n/4', 4]));
    graph.output('b', graph.constant(1, { shape: ['n - 4'] }).add(1));
  });
  assert.throws(() => instance.run({ x: new Float64Array(6) }), { code: 'ERR_SHAPE', message: /reshape/ });
  assert.throws(() => instance.run({ x: new Float64Array(0) }), { code: 'ERR_SHAPE', message: /n - 4/ });
  assert.deepEqual(instance.run({ x: new Float64Array(8) }).a.shape, [2, 4]);
});

test('intermediate results have their own memory', async () => {
  const { graph, instance } = await instantiate((g) => {
    const x = g.input('x', 'f64', ['n']);
    const e = x.exp();
    g.output('y', e.div(e.sum()).sub(e.max()));
  });
  const x = Float64Array.from({ length: 500 }, (_, i) => Math.sin(i));
  const native = graph.compile({ numerics: 'strict' }).run({ x }).y.data;
  assert.deepEqual(bytesOf(instance.run({ x }).y.data), bytesOf(native));
});

test('the partial results of many reductions fit on the stack', async () => {
  const count = 60;
  const { instance } = await instantiate((graph) => {
    const x = graph.input('x', 'f64', ['n']);
    for (let i = 0; i < count; i++) graph.output(`z${i}`, x.mul(i + 0.5).sum());
  });
  const result = instance.run({ x: Float64Array.from({ length: 100 }, (_, i) => i + 1) });
  for (let i = 0; i < count; i++) assert.equal(result[`z${i}`].data[0], (i + 0.5) * 5050);
});

// ------------------------------------------------------------------------------- what toWasm gives

/** A folder that is removed after the test. */
function folderFor(t) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'graphjit-test-'));
  t.after(() => fs.rmSync(folder, { recursive: true }));
  return folder;
}

function scaled() {
  const graph = new Graph('scale by k');
  graph.output('out put', graph.input('x', 'i64', ['n']).mul(graph.input('k', 'i64')));
  return graph;
}

test('toWasm gives a module for each variant, each named once and from little to much', () => {
  const wasm = scaled().toWasm({ variants: ['relaxed', 'mvp', 'mvp'], optimize: false });
  assert.deepEqual(Object.keys(wasm.modules), ['mvp', 'relaxed']);
  assert.equal(wasm.bytes, wasm.modules.relaxed);
  assert.equal(wasm.weights, null);
  assert.ok(Object.isFrozen(wasm) && Object.isFrozen(wasm.modules));
  assert.deepEqual(Object.keys(scaled().toWasm({ optimize: false }).modules), ['simd']);
});

test('a module has the same bytes the first time and after others were linked', () => {
  const text = `const { Graph } = require('graphjit');
    const { createHash } = require('node:crypto');
    const digest = () => {
      const graph = new Graph('g');
      const x = graph.input('x', 'f64', ['n']);
      graph.output('y', x.mul(x));
      const bytes = [graph.toWasm({ optimize: false }).bytes, graph.toObject()];
      return bytes.map((each) => createHash('sha256').update(each).digest('hex'));
    };
    console.log(JSON.stringify([digest(), digest(), digest()]));`;
  // A process of its own: what links set is the process's.
  const out = execFileSync(process.execPath, ['-e', text], { cwd: path.join(__dirname, '..'), encoding: 'utf8' });
  const [first, second, third] = JSON.parse(out);
  assert.deepEqual([second, third], [first, first]);
});

test('a program gives the modules of its graph, in strict unless told otherwise', () => {
  const graph = scaled();
  const program = graph.compile({ numerics: 'fast' });
  const { bytes } = graph.toWasm({ optimize: false });
  graph.output('more', graph.inputs[1].value);
  assert.deepEqual(program.toWasm({ optimize: false }).bytes, bytes);
  program.dispose();
  assert.throws(() => program.toWasm(), { code: 'ERR_STATE' });
});

// Sizes that runs compute take 200 bytes of it.
test('a loader is below 3.25 KB when minified, and the one that is shipped is current', () => {
  for (const name of loaders.names) {
    assert.equal(fs.readFileSync(loaders.fileOf(name), 'utf8'), loaders.minified(name), `${name}: run node scripts/loader.js`);
  }
  const bytes = Buffer.byteLength(loaders.minified('index'));
  assert.ok(bytes < 3.25 * 1024, `${bytes} bytes`);
  assert.equal(scaled().toWasm({ optimize: false }).loader, loaders.minified('index'));
});

test('one file holds modules and loader and needs nothing else', async (t) => {
  const folder = folderFor(t);
  const { mjs } = scaled().toWasm({ variants: ['mvp', 'simd', 'relaxed'], optimize: false });
  const file = path.join(folder, 'scale.mjs');
  fs.writeFileSync(file, mjs);
  const { load, default: same } = await import(pathToFileURL(file).href);
  assert.equal(load, same);
  const x = BigInt64Array.of(1n, -2n, 2n ** 40n);
  const program = await load();
  assert.deepEqual(program.run({ x, k: 3 })['out put'], { data: x.map((v) => v * 3n), dtype: 'i64', shape: [3] });
  assert.deepEqual(program.outputs, [{ name: 'out put', dtype: 'i64', shape: ['n'] }]);
});

test('the typings of a program say what it takes and gives', (t) => {
  const folder = folderFor(t);
  const { types } = scaled().toWasm({ optimize: false });
  fs.writeFileSync(path.join(folder, 'scale.d.mts'), types);
  fs.writeFileSync(path.join(folder, 'use.mts'), `
import start, { load, type Inputs, type Program } from './scale.mjs';
import { load as loadModule } from ${JSON.stringify(path.join(__dirname, '../lib/web/index.mjs'))};
const program = await load({ weights: new Uint8Array(4) });
const again: Program = await loadModule<Program>(new URL('https://example.org/scale.wasm'));
const memory = again.allocate('i64', [4]);
const inputs: Inputs = { x: memory, k: 3 };
const result: BigInt64Array = program.run(inputs, { 'out put': memory })['out put'].data;
const call = program.bind({ x: { data: result, shape: [4] }, k: 3n });
const first: readonly number[] = call()['out put'].shape;
const name: 'x' | 'k' = program.inputs[0].name;
// @ts-expect-error another class
program.run({ x: new Float64Array(4), k: 3 });
// @ts-expect-error an input is missing
program.run({ x: result });
// @ts-expect-error a vector is no number
program.run({ x: 3, k: 3 });
// @ts-expect-error an unknown dtype
program.allocate('f8', 4);
void [start, first, name, call.outputs];
`);
  const tsc = path.join(__dirname, '../node_modules/typescript/bin/tsc');
  const words = ['--noEmit', '--strict', '--target', 'es2022', '--module', 'nodenext', '--lib', 'es2022,dom', '--typeRoots', folder, path.join(folder, 'use.mts')];
  let complaints = '';
  try {
    execFileSync(process.execPath, [tsc, ...words], { encoding: 'utf8' });
  } catch (error) {
    complaints = error.stdout;
  }
  assert.equal(complaints, '');
});

test('names of a graph cannot leave the strings and comments of the texts', async (t) => {
  const graph = new Graph('*/ `${x}` \u2028 \'"');
  graph.output("a'b */ `", graph.input('q"\\', 'f32', ['n']).neg());
  const { mjs, types } = graph.toWasm({ optimize: false });
  const file = path.join(folderFor(t), 'odd.mjs');
  fs.writeFileSync(file, mjs);
  const program = await (await import(pathToFileURL(file).href)).load();
  assert.deepEqual([...program.run({ 'q"\\': Float32Array.of(2) })["a'b */ `"].data], [-2]);
  assert.match(types, /"a'b \*\/ `": Shaped<Float32Array>;/);
});

test('weights may lie in a file of their own, which is checked', async () => {
  const graph = new Graph('dense');
  const weights = Float32Array.from({ length: 300 }, (_, i) => Math.sin(i));
  graph.output('y', graph.input('x', 'f32', ['n', 300]).mul(graph.constant(weights)).sum({ axis: 1 }));
  const inside = graph.toWasm({ optimize: false });
  const apart = graph.toWasm({ optimize: false, weights: 'separate', variants: ['mvp', 'simd'] });
  assert.ok(apart.weights.length >= 1200 && apart.bytes.length + 1000 < inside.bytes.length);
  const { load } = await import('graphjit/web');
  const x = Float32Array.from({ length: 600 }, (_, i) => i % 7);
  const want = (await load(inside.bytes)).run({ x }).y.data;
  for (const given of [apart.weights, apart.weights.slice().buffer, new Response(apart.weights), Promise.resolve(new Response(apart.weights))]) {
    const program = await load(apart.modules, { weights: given });
    assert.deepEqual(program.run({ x }).y.data, want);
  }
  const wrong = apart.weights.slice();
  wrong[7] ^= 1;
  for (const given of [wrong, apart.weights.subarray(4), new Uint8Array(3), undefined]) {
    await assert.rejects(load(apart.bytes, { weights: given }), { name: 'GraphError', code: 'ERR_ARGUMENT' });
  }
});

test('wasm-opt makes modules smaller and keeps their bits and description', async () => {
  const graph = new Graph('optimised');
  const x = graph.input('x', 'f64', ['n']);
  graph.output('y', x.sin().mul(x.exp())).output('m', x.mean());
  const [first, best] = [known[0], known.at(-1)];
  const [plain, small] = [undefined, true].map((optimize) => graph.toWasm({ variants: [first, best], optimize }).modules);
  assert.deepEqual(plain, graph.toWasm({ variants: [first, best], optimize: false }).modules, 'only where it is asked for');
  assert.deepEqual(small, graph.toWasm({ variants: [first, best], optimize: 'auto' }).modules, 'where it is installed');
  assert.ok(small[first].length < plain[first].length);
  const { load } = await import('graphjit/web');
  const given = Float64Array.from({ length: 1003 }, (_, i) => (i - 500) * 0.37);
  const sections = (bytes) => WebAssembly.Module.customSections(new WebAssembly.Module(bytes), 'graphjit');
  for (const variant of [first, best]) {
    assert.ok(small[variant].length <= plain[variant].length, `${variant}: ${small[variant].length} of ${plain[variant].length} bytes`);
    assert.deepEqual(sections(small[variant]), sections(plain[variant]));
    const [a, b] = [await load(plain[variant]), await load(small[variant])].map((program) => program.run({ x: given }));
    for (const name of ['y', 'm']) assert.deepEqual(bytesOf(b[name].data), bytesOf(a[name].data), `${name}, ${variant}`);
  }
});

test('wasm-opt does without the current folder, and toWasm without wasm-opt where there is no room for its files', () => {
  const text = `
    const fs = require('node:fs');
    const { Graph } = require('graphjit');
    const graph = new Graph('g');
    graph.output('y', graph.input('x', 'f64', ['n']).sin());
    const gone = fs.mkdtempSync(${JSON.stringify(path.join(os.tmpdir(), 'graphjit-'))});
    const here = process.cwd();
    process.chdir(gone);
    fs.rmdirSync(gone);
    const small = graph.toWasm({ optimize: true }).bytes.length;
    process.chdir(here);
    process.env.TMPDIR = gone;
    const plain = graph.toWasm({ optimize: 'auto' }).bytes.length;
    let code;
    try {
      graph.toWasm({ optimize: true });
    } catch (error) {
      code = [error.name, error.code, error.message.includes(gone)];
    }
    console.log(JSON.stringify({ plain: plain === graph.toWasm({ optimize: false }).bytes.length, small: small <= plain, code }));`;
  const stdout = execFileSync(process.execPath, ['-e', text], { cwd: path.join(__dirname, '..'), encoding: 'utf8' });
  assert.deepEqual(JSON.parse(stdout), { plain: true, small: true, code: ['GraphError', 'ERR_INTERNAL', true] });
});

test('modules that no text can hold are refused', () => {
  const large = new Uint8Array(2 ** 29); // never touched, so it takes no memory
  assert.throws(() => bundle('g', scaled().toWasm({ optimize: false }).loader, { simd: large }), {
    name: 'GraphError',
    code: 'ERR_UNSUPPORTED',
    message: /modules of 536870912 bytes are too many for one text, .*weights: 'separate'/,
  });
});
