/**
 * `graphjit bench --against wasm`: the same graph as WebAssembly, in this process.
 */
'use strict';

const { measure, now, rowOf } = require('./measure.js');

/** @typedef {import('../graph/graph.js').Graph} Graph */

/**
 * The same as WebAssembly with SIMD, on one thread, as LLVM makes it: `wasm-opt` makes it smaller, and
 * takes longer than all the rest. Calls work on arrays in the memory of the module; runs copy in and out.
 *
 * @param {Graph} graph
 * @param {Record<string, any>} inputs
 * @param {{ numerics: string, opt: string, seconds: number }} options
 * @param {{ elements: number, bytes: number, flops: number }} work
 */
async function benchWasm(graph, inputs, { numerics, opt, seconds }, work) {
  const { load } = await import('../web/index.mjs');
  const begin = now();
  const { bytes } = graph.toWasm({ numerics, optLevel: Number(opt), variants: ['simd'], optimize: false });
  const compile = now() - begin;
  const program = await load(bytes);
  program.run(inputs);
  const first = now() - begin;
  const { outputs, free } = program.bind(inputs); // of the sizes that there must be room for
  /** @type {(arrays: Record<string, any>) => Record<string, any>} copies in the memory of the module */
  const placed = (arrays) =>
    Object.fromEntries(
      Object.entries(arrays).map(([name, array]) => {
        if (array.shape === undefined) return [name, array];
        const own = program.allocate(array.dtype, [...array.shape]);
        own.data.set(array.data);
        return [name, own];
      }),
    );
  const bound = program.bind(placed(inputs), placed(outputs));
  free();
  const call = measure(bound, seconds);
  const run = measure(() => program.run(inputs), seconds / 2);
  program.dispose();
  return { ...rowOf(work, { compile, first, call, run }), moduleBytes: bytes.length };
}

module.exports = { benchWasm };
