// Who WebAssembly modules of graphjit are compared with: loops in C by clang, in AssemblyScript, and the two libraries of
// arrays for browsers that compute in WebAssembly. All of it runs in this process, on arrays of its own.
//
// AssemblyScript, jax-js and tfjs come from `npm run bench:peers`; who is not there is left out.
'use strict';

const crypto = require('node:crypto');
const fs = require('node:fs');
const path = require('node:path');
const { createRequire } = require('node:module');
const { spawnSync } = require('node:child_process');
const { pathToFileURL } = require('node:url');
const { root, llvm } = require('../../../scripts/setup.js');
const { packages } = require('./peers.js');

const folder = path.join(root, 'build', 'bench');
const installed = createRequire(path.join(packages, 'index.js'));

/** The file of a package, or nothing where it is not installed. @type {(name: string) => string | undefined} */
function resolve(name) {
  try {
    return installed.resolve(name);
  } catch {
    return undefined;
  }
}

/**
 * The module that `line` makes of a source, which is kept for as long as both stay the same.
 *
 * @type {(line: string[], source: string) => Uint8Array}
 */
function compiled(line, source) {
  const digest = crypto.createHash('sha256').update(line.join(' ')).update(fs.readFileSync(source)).digest('hex');
  const file = path.join(folder, `loops-${digest.slice(0, 16)}.wasm`);
  if (!fs.existsSync(file)) {
    fs.mkdirSync(folder, { recursive: true });
    const partial = `${file}.${process.pid}`;
    const { status, stderr } = spawnSync(line[0], [...line.slice(1), source, '-o', partial], { encoding: 'utf8' });
    if (status !== 0) throw new Error(`${line.join(' ')} does not compile ${source}:\n${stderr}`);
    fs.renameSync(partial, file);
  }
  return fs.readFileSync(file);
}

/** By compiler, a module with all loops; null where it is not installed. */
const sources = {
  c: () => {
    const line = [`${llvm}/bin/clang`, '--target=wasm32', '-O3', '-msimd128', '-nostdlib', '-Wl,--no-entry'];
    return compiled(line, path.join(__dirname, 'wasm-loops.c'));
  },
  assemblyScript: () => {
    const asc = resolve('assemblyscript/bin/asc.js');
    if (!asc) return null;
    const line = [process.execPath, asc, '-O3', '--enable', 'simd', '--runtime', 'stub', '--noAssert'];
    return compiled(line, path.join(__dirname, 'wasm-loops.ts'));
  },
};

/**
 * A loop of wasm-loops.c or wasm-loops.ts as a function without arguments, over copies of the inputs.
 *
 * @param {keyof typeof sources} who
 * @param {string} name
 * @param {number} n
 * @param {any[]} inputs one or two
 * @param {number} bytes of the result
 * @returns {Promise<(() => unknown) | null>}
 */
async function loop(who, name, n, inputs, bytes) {
  const source = sources[who]();
  if (!source) return null;
  const { instance } = await WebAssembly.instantiate(source);
  const exports = /** @type {any} */ (instance.exports);
  if (!exports[name]) return null;
  let end = ((exports.heap?.() ?? 65536) + 63) & -64;
  const place = (/** @type {number} */ size) => (end += (size + 63) & -64) - ((size + 63) & -64);
  const at = [inputs[0], inputs[1] ?? inputs[0]].map(({ byteLength }) => place(byteLength));
  const result = place(bytes);
  exports.memory.grow(Math.max(0, Math.ceil((end - exports.memory.buffer.byteLength) / 65536)));
  for (const [i, input] of inputs.entries()) new input.constructor(exports.memory.buffer, at[i], input.length).set(input);
  const run = exports[name];
  return () => run(n, at[0], at[1], result);
}

/** The entries whose function is there. @type {(found: Record<string, any>) => Record<string, () => unknown>} */
const present = (found) => Object.fromEntries(Object.entries(found).filter(([, call]) => call));

/** jax-js, which computes in WebAssembly from now on; nothing where it is not installed. @type {() => Promise<any>} */
async function openJax() {
  const file = resolve('@jax-js/jax');
  if (!file) return undefined;
  const library = await import(pathToFileURL(file).href);
  // Node 20 lacks what it asks for a graphics card, and a class that it compares with.
  Object.assign(globalThis, { navigator: globalThis.navigator ?? {}, Float16Array: globalThis.Float16Array ?? class {} });
  await library.init();
  library.defaultDevice('wasm');
  return library;
}

/** tfjs with this backend; nothing where that is not installed. @type {(backend: 'wasm' | 'cpu') => Promise<any>} */
async function openTfjs(backend) {
  const file = resolve(`@tensorflow/tfjs-backend-${backend}`);
  if (!file) return undefined;
  const tf = installed('@tensorflow/tfjs-core');
  const { setWasmPaths } = installed(`@tensorflow/tfjs-backend-${backend}`);
  setWasmPaths?.(path.join(path.dirname(file), path.sep)); // next to the file that is required
  await tf.setBackend(backend);
  await tf.ready();
  return tf;
}

/**
 * A function of arrays in jax-js, jitted, and a call of it; nothing where it is not installed.
 *
 * @param {'f32' | 'f64'} type
 * @param {any[]} inputs integers as they are
 * @param {(library: any, ...values: any[]) => any} expression which must use up each array once: `.ref` is another reference
 * @param {{ jitted?: boolean, shapes?: number[][] }} [options]
 */
async function jaxCall(type, inputs, expression, { jitted = true, shapes = inputs.map(({ length }) => [length]) } = {}) {
  const library = await openJax();
  if (!library) return undefined;
  const { numpy: np, jit, blockUntilReady } = library;
  const dtypeOf = (/** @type {any} */ input) => (input instanceof Int32Array ? np.int32 : type === 'f64' ? np.float64 : np.float32);
  const arrays = inputs.map((input, i) => np.array(input, { dtype: dtypeOf(input) }).reshape(shapes[i]));
  const plain = (/** @type {any[]} */ ...values) => expression(library, ...values);
  const compute = jitted ? jit(plain) : plain;
  return { call: () => compute(...arrays.map(({ ref }) => ref)), blockUntilReady };
}

/** @typedef {Promise<Record<string, () => unknown>>} Contestants by name */

/** Calls return promises, to be awaited. @type {(...args: Parameters<typeof jaxCall>) => Contestants} */
async function inJax(type, inputs, expression, options) {
  const found = await jaxCall(type, inputs, expression, options);
  if (!found) return {};
  const { call, blockUntilReady } = found;
  return { 'jax-js': async () => (await blockUntilReady(call())).dispose() };
}

/** The same without waiting: the result is read, which frees it. @type {typeof inJax} */
async function inJaxNow(type, inputs, expression, options) {
  const found = await jaxCall(type, inputs, expression, options);
  return found ? { 'jax-js': () => found.call().dataSync() } : {};
}

/** The same without jit: each operation runs by itself. @type {typeof inJax} */
const inJaxEagerly = (type, inputs, expression) => inJaxNow(type, inputs, expression, { jitted: false });

/**
 * The same in tfjs, whose numbers are f32.
 *
 * @type {(inputs: any[], expression: (tf: any, ...values: any[]) => any, shapes?: number[][]) => Contestants}
 */
async function inTfjs(inputs, expression, shapes = inputs.map(({ length }) => [length])) {
  const tf = await openTfjs('wasm');
  if (!tf) return {};
  const values = inputs.map((input, i) => tf.tensor(input, shapes[i]));
  // The backend computes when it is asked to, and frees what is not returned.
  return { tfjs: () => tf.tidy(() => expression(tf, ...values)).dispose() };
}

/** The same in JavaScript without WebAssembly, in a copy of the library of its own. @type {typeof inTfjs} */
async function inTfjsOnCpu(inputs, expression) {
  const forget = () => {
    for (const file of Object.keys(require.cache)) if (file.includes('@tensorflow')) delete require.cache[file];
  };
  forget();
  const opening = openTfjs('cpu'); // which requires it before it waits
  forget();
  const tf = await opening;
  if (!tf) return {};
  const [x, y] = inputs.map((input) => tf.tensor1d(input));
  return { 'tfjs on the CPU': () => tf.tidy(() => expression(tf, x, y)).dispose() };
}

module.exports = { inJax, inJaxEagerly, inJaxNow, inTfjs, inTfjsOnCpu, installed, loop, openJax, openTfjs, present, resolve };
