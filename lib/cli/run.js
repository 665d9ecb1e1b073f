/**
 * `graphjit run`: one run of a graph on arrays from files, and its results printed or written.
 */
'use strict';

const { planOutputs, readInputs } = require('./arrays.js');
const { compareTensors } = require('./compare.js');
const { EXIT, usage } = require('./errors.js');
const { writeFiles } = require('./files.js');
const { openModel } = require('./model.js');
const { VALUES, collect, examples, positiveNumber, shared } = require('./options.js');
const { during, note, toJson, write } = require('./print.js');
const { documented, printed } = require('./results.js');
const { checkSymbols } = require('./sizes.js');

/** @typedef {import('../tensor/tensor.js').Tensor} Tensor */
/** @typedef {Record<string, Tensor>} Results */

/**
 * @param {import('../graph/graph.js').Graph} graph
 * @param {Record<string, unknown>} inputs
 * @param {Record<string, any>} options
 * @returns {Results}
 */
function compute(graph, inputs, { reference, numerics, opt, threads }) {
  if (graph.outputs.length === 0) return {}; // a model that strings alone go through
  if (reference) return during('evaluating', () => graph.eval(inputs));
  const program = during('compiling', () => graph.compile({ numerics, optLevel: Number(opt), threads }));
  return during('running', () => program.run(inputs));
}

/**
 * @type {(graph: import('../graph/graph.js').Graph, inputs: Record<string, unknown>, results: Results, tolerance?: number) => Record<string, ReturnType<typeof compareTensors>>}
 */
function check(graph, inputs, results, tolerance) {
  const reference = graph.outputs.length === 0 ? {} : during('evaluating', () => graph.eval(inputs));
  return Object.fromEntries(
    Object.keys(results).map((name) => [name, compareTensors(results[name], reference[name], tolerance)]),
  );
}

/** @type {(name: string, compared: ReturnType<typeof compareTensors>) => string} */
function verdict(name, { elements, wrong, worst, at, own, reference }) {
  const rate = worst === 0 ? 'equal to the reference' : `within ${worst.toExponential(1)} of the reference`;
  if (wrong === 0) return `${name}: ${rate}`;
  return `${name}: ${wrong} of ${elements} elements differ from the reference, such as element ${at}: ${own}, reference ${reference}`;
}

/**
 * The graph of a run, its inputs, and what makes results of its outputs.
 *
 * @type {(found: { graph?: import('../graph/graph.js').Graph, model?: any }, given: Record<string, any>) => ReturnType<typeof import('../models/model.js').executionOf>}
 */
function executionOf({ graph, model }, given) {
  if (model === undefined) return { graph: /** @type {any} */ (graph), feeds: given, finish: (results) => results };
  return require('../models/model.js').executionOf(model, given, 'run');
}

/** Whether an input may be left out, and is. @type {(port: any, given: readonly string[]) => boolean} */
const isLeftOut = ({ name, optional, type }, given) =>
  (optional || type?.kind === 'optional') && !given.some((spec) => spec.startsWith(`${name}=`));

/** An input as arrays are read for it: codes of a storage type are elements of another. @type {(port: any) => any} */
function arrayPort({ name, dtype, shape, type }) {
  if (type?.kind === 'optional') return arrayPort({ name, ...type.of, type: type.of.kind === 'tensor' ? undefined : type.of });
  if (type !== undefined) return usage(`input '${name}' is ${type.kind === 'data' ? 'no tensor' : `a ${type.kind}`}; the command gives arrays and strings only`);
  const { carrierOf } = require('../models/shared/storage-types.js');
  const own = dtype ?? 'f32'; // of a file that takes any
  return { name, dtype: carrierOf(own) ?? own, shape };
}

/**
 * @param {string} file
 * @param {Record<string, any>} options
 */
async function run(file, options) {
  const found = await openModel(file, options);
  /** @type {{ inputs: any[], outputs: any[] }} */
  const { inputs, outputs: outputPorts } = /** @type {any} */ (found.model ?? found.graph);
  const inputPorts = inputs.filter((port) => !isLeftOut(port, options.input ?? [])).map(arrayPort);
  const planned = planOutputs(outputPorts, options.output ?? []);
  if (options.size) checkSymbols(options.size, inputPorts);
  const { inputs: given } = during('reading', () => readInputs(inputPorts, options.input ?? [], options));
  const { graph: own, feeds, finish } = executionOf(found, given);
  const computed = compute(own, feeds, options);
  const checks = options.check ? check(own, feeds, computed, options.tolerance) : undefined;
  const results = finish(computed);
  await writeFiles(
    planned.map(({ name, file: target, contentOf }) => ({ file: target, content: contentOf(results[name]) })),
  );
  const shown = planned.length > 0 ? [] : outputPorts.map(({ name }) => name);
  if (options.json) {
    const written = planned.map(({ name, file: target }) => ({ name, file: target }));
    write(toJson({ name: own.name, outputs: documented(results, shown), written, checks }));
  } else {
    write(printed(results, shown));
    for (const [name, compared] of Object.entries(checks ?? {})) note(verdict(name, compared));
  }
  if (Object.values(checks ?? {}).some(({ wrong }) => wrong > 0)) process.exitCode = EXIT.input;
}

/** @param {import('commander').Command} program */
function register(program) {
  program
    .command('run')
    .summary('run a graph on files, numbers or random data')
    .description('Runs a graph once and prints its outputs, or writes them to files.')
    .argument('<input>', "the graph or model, '-' for standard input")
    .addOption(shared.input())
    .option('--output <name=file>', 'write an output to a .npy, .csv, .tsv or .json file; may be repeated', collect)
    .addOption(shared.size())
    .addOption(shared.seed())
    .addOption(shared.cast())
    .addOption(shared.numerics())
    .addOption(shared.opt())
    .addOption(shared.threads())
    .option('--reference', 'use the reference evaluator instead of compiled code')
    .option('--check', 'compare with the reference evaluator; exit code 1 where they differ')
    .option(
      '--tolerance <ratio>',
      'for --check, of the largest magnitude (default: f64 1e-12, f32 1e-5, f16 4e-3, bf16 3e-2)',
      positiveNumber('--tolerance'),
    )
    .addOption(shared.json())
    .addHelpText(
      'after',
      `${VALUES}${examples([
        'graphjit run hypot.gj --input x=3 --input y=4 --size n=2',
        'graphjit run model.gj --input x=data.npy --output y=result.npy',
        'graphjit run model.gj --input x=random --size n=1000 --check',
      ])}`,
    )
    .action(run);
}

module.exports = { register };
