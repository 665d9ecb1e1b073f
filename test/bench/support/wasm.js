// WebAssembly modules of graphjit on arrays that lie in their memory already: what a browser pays per run.
'use strict';

const { types } = require('./arrays.js');

const align = (/** @type {number} */ at) => (at + 63) & -64;

/**
 * The exported function of a graph with one symbol, `n`, as a function without arguments.
 *
 * @param {import('graphjit').Graph} graph
 * @param {number} n
 * @param {any[]} inputs typed arrays
 * @param {{ type: keyof typeof types, length: number }[]} outputs
 * @param {object} [options] of toWasm
 */
async function inWasm(graph, n, inputs, outputs, options) {
  const { bytes } = graph.toWasm({ optimize: false, ...options });
  const program = graph.compile({ threads: 1 });
  const needed = program.memory().scratchBytes;
  const scratchBytes = typeof needed === 'number' ? needed : program.memory({ n }).scratchBytes;
  const sizes = [...inputs.map(({ byteLength }) => byteLength), ...outputs.map(({ type, length }) => length * types[type].BYTES_PER_ELEMENT)];
  const scratch = 2 * Number(scratchBytes); // more than enough for plans that are not quite the same
  const total = scratch + sizes.reduce((sum, size) => sum + align(size), 0);
  const { instance } = await WebAssembly.instantiate(bytes);
  const { memory, run, __heap_base: heap } = instance.exports;
  memory.grow(1 + Math.ceil(total / 65536));
  const base = align(heap.value);
  const dims = base + 64;
  const exec = base + 128;
  let next = base + 256;
  const at = sizes.map((size) => (next += align(size)) - align(size));
  new Int32Array(memory.buffer, exec, 1)[0] = align(next);
  new Int32Array(memory.buffer, base, at.length).set(at);
  new BigInt64Array(memory.buffer, dims, 1)[0] = BigInt(n);
  for (const [i, input] of inputs.entries()) new input.constructor(memory.buffer, at[i], input.length).set(input);
  return () => run(base, dims, exec);
}

module.exports = { inWasm };
