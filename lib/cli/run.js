/**
 * `graphjit run`: one run of a graph on arrays from files, and its results printed or written.
 */
'use strict';

const { dtypes } = require('../tensor/dtypes.js');
const { numbersOf } = require('../tensor/halves.js');
const { planOutputs, readInputs, typeText } = require('./arrays.js');
const { EXIT } = require('./errors.js');
const { writeFiles } = require('./files.js');
const { readModel } = require('./model.js');
const { VALUES, collect, examples, positiveNumber, shared } = require('./options.js');
const { during, note, styleOf, toJson, write } = require('./print.js');
const { checkSymbols } = require('./sizes.js');

/** @typedef {import('../tensor/tensor.js').Tensor} Tensor */
/** @typedef {Record<string, Tensor>} Results */

/** Relative to the largest magnitude of the output. @type {Readonly<Record<string, number>>} */
const TOLERANCE = Object.freeze({ f64: 1e-12, f32: 1e-5, f16: 4e-3, bf16: 3e-2 });

/**
 * How far an output is from the reference: the largest difference, relative to the largest finite
 * magnitude of the reference for floats, and how many elements are beyond the tolerance.
 *
 * @param {Tensor} own
 * @param {Tensor} reference
 * @param {number | undefined} tolerance
 */
function compareTensors(own, reference, tolerance) {
  const [a, b] = [own, reference].map((tensor) => numbersOf(tensor.contiguous()));
  const isFloat = dtypes[own.dtype].kind === 'float';
  let scale = 0;
  if (isFloat) for (const value of b) if (Number.isFinite(value)) scale = Math.max(scale, Math.abs(Number(value)));
  const limit = isFloat ? (tolerance ?? TOLERANCE[own.dtype]) * scale : 0;
  let worst = 0;
  let at = -1;
  let wrong = 0;
  for (let i = 0; i < a.length; i++) {
    if (Object.is(a[i], b[i]) || a[i] === b[i]) continue;
    const difference = isFloat ? Math.abs(Number(a[i]) - Number(b[i])) : Infinity;
    const size = Number.isNaN(difference) ? Infinity : difference;
    if (!(size <= limit)) wrong++;
    if (size > worst) [worst, at] = [size, i];
  }
  return {
    elements: a.length, wrong, worst: isFloat && worst !== Infinity ? worst / (scale || 1) : worst, at, own: a[at],
    reference: b[at],
  };
}

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

/**
 * @param {string} file
 * @param {Record<string, any>} options
 */
async function run(file, options) {
  const graph = readModel(file);
  const { inputs: inputPorts, outputs: outputPorts } = graph;
  const planned = planOutputs(outputPorts, options.output ?? []);
  if (options.size) checkSymbols(options.size, inputPorts);
  const { inputs } = during('reading', () => readInputs(inputPorts, options.input ?? [], options));
  const results = compute(graph, inputs, options);
  const checks = options.check ? check(graph, inputs, results, options.tolerance) : undefined;
  await writeFiles(
    planned.map(({ name, file: target, contentOf }) => ({ file: target, content: contentOf(results[name]) })),
  );
  const shown = planned.length > 0 ? [] : outputPorts.map(({ name }) => name);
  if (options.json) {
    const written = planned.map(({ name, file: target }) => ({ name, file: target }));
    write(toJson({ name: graph.name, outputs: documented(results, shown), written, checks }));
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
    .argument('<input>', "the graph, '-' for standard input")
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
