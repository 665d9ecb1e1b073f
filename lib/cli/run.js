/**
 * `graphjit run`: one run of a graph on arrays from files, and its results printed or written.
 */
'use strict';

const { planOutputs, readInputs, typeText } = require('./arrays.js');
const { compareTensors } = require('./compare.js');
const { EXIT } = require('./errors.js');
const { writeFiles } = require('./files.js');
const { openModel } = require('./model.js');
const { VALUES, collect, examples, positiveNumber, shared } = require('./options.js');
const { during, note, styleOf, toJson, write } = require('./print.js');
const { checkSymbols } = require('./sizes.js');

/** @typedef {import('../tensor/tensor.js').Tensor} Tensor */
/** @typedef {Record<string, Tensor>} Results */

/** @type {(results: Results, names: readonly string[]) => string} */
function printed(results, names) {
  const style = styleOf(process.stdout);
  return names
    .map((name) => {
      const tensor = results[name];
      const text = String(tensor);
      return `${style.bold(name)} ${style.dim(typeText(tensor))}${text.includes('\n') ? '\n' : ' '}${text}\n`;
    })
    .join('');
}

/** @type {(results: Results, names: readonly string[]) => Record<string, unknown>} */
const documented = (results, names) =>
  Object.fromEntries(
    names.map((name) => [
      name,
      { dtype: results[name].dtype, shape: results[name].shape, data: results[name].toArray() },
    ]),
  );

/**
 * @param {import('../graph/graph.js').Graph} graph
 * @param {Record<string, unknown>} inputs
 * @param {Record<string, any>} options
 * @returns {Results}
 */
function compute(graph, inputs, { reference, numerics, opt, threads }) {
  if (reference) return during('evaluating', () => graph.eval(inputs));
  const program = during('compiling', () => graph.compile({ numerics, optLevel: Number(opt), threads }));
  return during('running', () => program.run(inputs));
}

/** @type {(graph: import('../graph/graph.js').Graph, inputs: Record<string, unknown>, results: Results, tolerance?: number) => Record<string, ReturnType<typeof compareTensors>>} */
function check(graph, inputs, results, tolerance) {
  const reference = during('evaluating', () => graph.eval(inputs));
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

/** The graph of a run, of a model that has several. @type {(model: any, given: Record<string, any>) => { graph: import('../graph/graph.js').Graph, inputs: Record<string, any> }} */
function caseOf(model, given) {
  const { executionOf } = require('../models/model.js');
  const { graph, feeds } = executionOf(model, given, 'run');
  return { graph, inputs: feeds };
}

/**
 * @param {string} file
 * @param {Record<string, any>} options
 */
async function run(file, options) {
  const { graph, model } = await openModel(file, options);
  /** @type {{ inputs: any[], outputs: any[] }} */
  const { inputs: inputPorts, outputs: outputPorts } = /** @type {any} */ (graph ?? model);
  const planned = planOutputs(outputPorts, options.output ?? []);
  if (options.size) checkSymbols(options.size, inputPorts);
  const { inputs: given } = during('reading', () => readInputs(inputPorts, options.input ?? [], options));
  const { graph: own, inputs } = graph ? { graph, inputs: given } : caseOf(/** @type {any} */ (model), given);
  const results = compute(own, inputs, options);
  const checks = options.check ? check(own, inputs, results, options.tolerance) : undefined;
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
