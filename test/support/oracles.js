// Running one graph in every way there is, and asserting that all agree.
//
// The reference evaluator says what is right. Native code of each numeric mode and at both ends of
// optimisation must be within the tolerance of it; beyond that, 'strict' must give the same bits at any
// optimisation level and in wasm, with and without vectors, and 'default' at any optimisation level.
//
// Arrays lie inside larger buffers, at odd offsets and between canary bytes that are looked at after each
// run, since generated code is invisible to sanitizers; inputs are compared with what they were.
'use strict';

const assert = require('node:assert/strict');
const { tensor } = require('graphjit');
const { assertClose, bytesOf } = require('./compare.js');
const { RELAXED, assertVariant } = require('./wasm-code.js');

/** @typedef {import('graphjit').Graph} Graph */
/** @typedef {import('graphjit').TypedArray} TypedArray */
/** @typedef {import('./compare.js').Tolerance} Tolerance */
/** @typedef {{ dtype: string, shape: number[], data: TypedArray }} Plain */
/** @typedef {Record<string, Plain>} Arrays */
/** @typedef {(output: string) => number | undefined} Room elements that an output may have, where a run finds its size */

/**
 * A way to run a graph. Those of one family give the same bits; `fast` is a family of none.
 *
 * @typedef {object} Way
 * @property {string} name
 * @property {'strict' | 'default' | 'fast'} numerics
 * @property {(inputs: any, outputs: any) => any} run
 * @property {() => void} dispose
 */

const PAD = 5; // elements in front and behind: an odd offset, so nothing is aligned by accident
const CANARY = 0xa5;

/**
 * A copy of an array (or room for one) between canaries.
 *
 * @param {TypedArray | number} content or a length
 * @param {any} Class of typed array
 */
function guarded(content, Class) {
  const count = typeof content === 'number' ? content : content.length;
  const bytes = new Uint8Array((count + 2 * PAD) * Class.BYTES_PER_ELEMENT).fill(CANARY);
  const view = new Class(bytes.buffer, PAD * Class.BYTES_PER_ELEMENT, count);
  if (typeof content !== 'number') view.set(content);
  const edge = PAD * Class.BYTES_PER_ELEMENT;
  const stands = () =>
    bytes.subarray(0, edge).every((byte) => byte === CANARY) && bytes.subarray(-edge).every((byte) => byte === CANARY);
  return { view, stands };
}

/** @type {(graph: Graph, options: import('graphjit').CompileOptions) => Way} */
function native(graph, options) {
  const program = graph.compile(options);
  const { numerics = 'default', optLevel = 3 } = options;
  return {
    name: `${numerics}, level ${optLevel}`,
    numerics,
    run: (inputs, outputs) => program.run(inputs, outputs),
    dispose: () => program.dispose(),
  };
}

/** The variants of modules that this engine runs: relaxed SIMD is younger than Node 20. @type {readonly ('mvp' | 'simd' | 'relaxed')[]} */
const variants = WebAssembly.validate(RELAXED) ? ['mvp', 'simd', 'relaxed'] : ['mvp', 'simd'];

/** The bytes of one variant, which have only instructions of it. @type {(graph: Graph, variant: 'mvp' | 'simd' | 'relaxed') => Uint8Array} */
function moduleOf(graph, variant) {
  const { bytes } = graph.toWasm({ numerics: 'strict', variants: [variant], optimize: false });
  assertVariant(bytes, variant, graph.name);
  return bytes;
}

/** @type {(graph: Graph, variant: 'mvp' | 'simd' | 'relaxed') => Promise<Way>} */
async function wasm(graph, variant) {
  const { load } = await import('graphjit/web');
  const { run, dispose } = await load(moduleOf(graph, variant));
  return { name: `wasm, ${variant}`, numerics: 'strict', run, dispose };
}

/** Graphs that went all ways. */
let graphs = 0;

/**
 * Whether numerics are of any consequence: without floats all modes give the same code, as
 * test/ops/ops.test.js shows.
 *
 * @type {(graph: Graph) => boolean}
 */
const hasFloats = (graph) => /: b?f\d/.test(graph.toString());

/**
 * All ways. Where the engine has no relaxed SIMD, each fourth graph is compiled for it all the same and its
 * module is read.
 *
 * @param {Graph} graph
 * @returns {Promise<Way[]>}
 */
async function allWays(graph) {
  const numerics = hasFloats(graph) ? /** @type {const} */ (['strict', 'default', 'fast']) : /** @type {const} */ (['default']);
  const own = numerics.flatMap((mode) => [3, 0].map((optLevel) => native(graph, { numerics: mode, optLevel: /** @type {0} */ (optLevel) })));
  if (!variants.includes('relaxed') && graphs++ % 4 === 0) moduleOf(graph, 'relaxed');
  return [...own, ...(await Promise.all(variants.map((variant) => wasm(graph, variant))))];
}

/** The ways that end users meet: for graphs whose structure, not whose ops, is the question. @param {Graph} graph @returns {Promise<Way[]>} */
async function mainWays(graph) {
  const strict = hasFloats(graph) ? [native(graph, { numerics: 'strict' })] : [];
  return [...strict, native(graph, { numerics: 'default' }), await wasm(graph, 'simd')];
}

/**
 * Results of the reference evaluator.
 *
 * @param {Graph} graph
 * @param {Arrays} inputs
 * @returns {Arrays}
 */
function reference(graph, inputs) {
  const given = Object.entries(inputs).map(([name, { dtype, shape, data }]) => [name, tensor(data, { dtype, shape })]);
  const results = Object.entries(graph.eval(Object.fromEntries(given)));
  return Object.fromEntries(results.map(([name, { dtype, shape, data }]) => [name, { dtype, shape: [...shape], data }]));
}

/**
 * One run between canaries. Asserts that no byte outside the outputs was written.
 *
 * @param {Way} way
 * @param {Arrays} inputs
 * @param {Arrays} like what the outputs look like
 * @param {string} title
 * @param {Room} [room] of outputs whose size the run finds
 * @returns {Arrays}
 */
function runGuarded(way, inputs, like, title, room = () => undefined) {
  const held = Object.entries(inputs).map(([name, plain]) => ({ name, plain, ...guarded(plain.data, plain.data.constructor) }));
  const made = Object.entries(like).map(([name, plain]) => ({ name, plain, ...guarded(room(name) ?? plain.data.length, plain.data.constructor) }));
  const given = held.map(({ name, plain: { dtype, shape }, view }) => [name, tensor(view, { dtype, shape })]);
  const taken = made.map(({ name, view }) => [name, view]);
  const results = way.run(Object.fromEntries(given), Object.fromEntries(taken));
  for (const { name, plain, view, stands } of held) {
    assert.ok(stands(), `${title}, ${way.name}: bytes around input ${name} were written`);
    assert.ok(bytesOf(view).equals(bytesOf(plain.data)), `${title}, ${way.name}: input ${name} was written`);
  }
  return Object.fromEntries(
    made.map(({ name, plain: { dtype }, view, stands }) => {
      assert.ok(stands(), `${title}, ${way.name}: bytes around output ${name} were written`);
      const { shape } = results[name];
      return [name, { dtype, shape: [...shape], data: room(name) === undefined ? view : view.subarray(0, shape.reduce((/** @type {number} */ a, /** @type {number} */ b) => a * b, 1)) }];
    }),
  );
}

/** @type {(got: Arrays, want: Arrays, tolerance: (name: string) => Tolerance, title: string, inputs: Arrays) => void} */
function assertArrays(got, want, tolerance, title, inputs) {
  for (const [name, { shape, data, dtype }] of Object.entries(want)) {
    assert.deepEqual(got[name].shape, shape, `${title}: shape of ${name}`);
    // Beside elementwise results it helps to see the operands.
    const beside = Object.values(inputs).filter((input) => input.data.length === data.length);
    const place = (/** @type {number} */ i) => `${title}: ${name}[${i}] of (${beside.map((input) => input.data[i]).join(', ')})`;
    assertClose(got[name].data, data, tolerance(name), place, dtype);
  }
}

const EXACT = () => ({});

/**
 * Asserts that all ways agree on one set of inputs. Returns the results that each gave, by its name, and
 * the reference.
 *
 * @param {Way[]} ways
 * @param {Arrays} inputs
 * @param {Arrays} want reference results
 * @param {{ title: string, tolerance?: (name: string) => Tolerance, fast?: (name: string) => Tolerance, room?: Room }} rules
 * @returns {Map<string, Arrays>}
 */
function assertAgreement(ways, inputs, want, { title, tolerance = EXACT, fast = tolerance, room }) {
  /** @type {Map<string, Arrays>} */
  const firsts = new Map();
  const all = new Map();
  for (const way of ways) {
    const place = `${title}, ${way.name}`;
    const got = runGuarded(way, inputs, want, title, room);
    all.set(way.name, got);
    const first = firsts.get(way.numerics);
    if (first !== undefined && way.numerics !== 'fast') {
      assertArrays(got, first, EXACT, `${place} against level 3`, inputs);
      continue;
    }
    firsts.set(way.numerics, got);
    assertArrays(got, want, way.numerics === 'fast' ? fast : tolerance, place, inputs);
  }
  return all;
}

module.exports = { variants, allWays, assertAgreement, assertArrays, guarded, mainWays, native, reference, runGuarded, wasm };
