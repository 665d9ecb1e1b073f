/**
 * WebAssembly: the modules, the loader and the texts beside them that `graphjit compile` makes.
 */
'use strict';

const { one, stages } = require('./emit.js');

/** @typedef {import('./emit.js').Job} Job */
/** @typedef {import('./emit.js').Made} Made */

/** One module for each job, however many files are made of it. @type {WeakMap<Job, any>} */
const modules = new WeakMap();

/** @type {(job: Job) => any} */
function moduleOf(job) {
  const { graph, options } = job;
  const known = modules.get(job);
  if (known) return known;
  const { numerics, opt, variants, weights, threads, optimize } = options;
  const made = graph.toWasm({ numerics, optLevel: Number(opt), variants, weights, threads, optimize });
  modules.set(job, made);
  return made;
}

/** @type {(emit: string) => import('./emit.js').Emitter} a file for each variant, and the weights if they are apart */
const wasmFiles = (emit) => (job) => {
  const { modules: variants, weights } = moduleOf(job);
  const several = Object.keys(variants).length > 1;
  /** @type {Made[]} */
  const files = Object.entries(variants).map(([variant, content]) => ({
    file: `${job.base}${several ? `.${variant}` : ''}.wasm`,
    emit,
    content: /** @type {Uint8Array} */ (content),
  }));
  return weights === null ? files : [...files, { file: `${job.base}.bin`, emit: 'weights', content: weights }];
};

/** @type {import('./emit.js').Rows} */
const forWasm = {
  wasm: wasmFiles,
  mjs: one('.mjs', (job) => moduleOf(job).mjs),
  types: one('.d.mts', (job) => moduleOf(job).types),
  loader: one('.loader.mjs', (job) => moduleOf(job).loader),
  ...stages,
};

module.exports = { rows: forWasm, initial: ['wasm', 'mjs', 'types'] };
