/**
 * Objects for C: what `graphjit compile` makes for this machine and for other targets.
 */
'use strict';

const { inspected, one, stages } = require('./emit.js');
const { usage } = require('./errors.js');

/** @typedef {import('./emit.js').Job} Job */

/**
 * What `--target`, `--cpu` and `--features` say.
 *
 * @type {(options: Job['options']) => { target?: string, cpu?: string, features?: string }}
 */
function processorOf({ target, cpu, features }) {
  if (target !== 'native') return { target, cpu, features };
  return cpu === undefined && features === undefined ? { cpu: 'native' } : { cpu, features };
}

/** @type {(own: { emit: string, optimized?: boolean }) => (job: Job) => string | Uint8Array} */
const object =
  (own) =>
  ({ graph, options }) =>
    graph.toObject({
      ...processorOf(options), ...own, symbol: options.symbol, numerics: options.numerics,
      optLevel: Number(options.opt), threads: options.threads,
    });

/** @type {(job: Job) => string} */
const header = ({ graph, options: { symbol, numerics, threads } }) => graph.toHeader({ symbol, numerics, threads });

/** @type {import('./emit.js').Rows} */
const forC = {
  object: one('.o', object({ emit: 'object' })),
  header: one('.h', header),
  assembly: one('.s', object({ emit: 'assembly' })),
  llvm: one('.ll', object({ emit: 'llvm' })),
  'llvm-raw': one('.raw.ll', object({ emit: 'llvm', optimized: false })),
  bitcode: one('.bc', object({ emit: 'bitcode' })),
  ...stages,
  loops: one('.loops', ({ graph, options }) => {
    if (options.target !== 'native')
      usage('--emit loops goes with --target native: loops are vectorised for this machine');
    return inspected(graph, options).loops();
  }),
};

module.exports = { rows: forC, initial: ['object', 'header'] };
