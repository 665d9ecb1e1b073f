/**
 * What rows of `--emit` have in common, and those that every target has: the texts of stages.
 *
 * A row is a name and a function that makes an emitter; an emitter makes the files of a job.
 */
'use strict';

/** @typedef {import('../graph/graph.js').Graph} Graph */
/** @typedef {{ file: string, emit: string, content: string | Uint8Array }} Made */

/**
 * @typedef {object} Job
 * @property {Graph} graph
 * @property {string} base name of the files without their endings
 * @property {Record<string, any>} options of the command line
 */

/** @typedef {(job: Job) => Made[]} Emitter */
/** @typedef {Record<string, (emit: string) => Emitter>} Rows */

/** @type {(ending: string, content: (job: Job) => string | Uint8Array) => (emit: string) => Emitter} one file */
const one = (ending, content) => (emit) => (job) => [{ file: job.base + ending, emit, content: content(job) }];

/** @type {(graph: Graph, options: Job['options']) => import('../graph/program.js').Program} */
const inspected = (graph, { numerics, opt }) => graph.compile({ numerics, optLevel: Number(opt) });

/** Texts of stages that no target changes, or that are shown for this machine. @type {Rows} */
const stages = {
  graph: one('.graph.gj', ({ graph }) => graph.toString()),
  simplified: one('.simplified.gj', ({ graph, options }) => inspected(graph, options).simplified()),
};

module.exports = { inspected, one, stages };
