/**
 * `graphjit bench`: how long a graph takes to compile and to run, and what each kernel takes.
 *
 * Runs are timed one by one, or in batches where one run is shorter than the clock is good for; all
 * arrays are made before. The first result counts from before compiling, without the cache.
 */
'use strict';

const { Option } = require('commander');
const { countText, timeText } = require('../base/format-units.js');
const { dtypes } = require('../tensor/dtypes.js');
const { readInputs } = require('./arrays.js');
const { usage } = require('./errors.js');
const { measure, now, rowOf } = require('./measure.js');
const { readModel } = require('./model.js');
const { VALUES, examples, positiveNumber, shared } = require('./options.js');
const { during, note, table, toJson, write } = require('./print.js');
const { checkSymbols } = require('./sizes.js');

/** @typedef {import('../graph/graph.js').Graph} Graph */

/** @type {(tensors: readonly any[]) => { elements: number, bytes: number }} of the largest, of all */
function sizesOf(tensors) {
  const sizes = tensors.map(({ dtype, size }) => ({
    size,
    bytes: size * dtypes[/** @type {import('../tensor/dtypes.js').DType} */ (dtype)].bytes,
  }));
  return {
    elements: sizes.reduce((most, { size }) => Math.max(most, size), 0),
    bytes: sizes.reduce((sum, { bytes }) => sum + bytes, 0),
  };
}

/**
 * The named inputs as tensors; bare arrays have the size that counts too.
 *
 * @type {(inputs: Record<string, any>, ports: readonly any[]) => any[]}
 */
const asSized = (inputs, ports) =>
  ports.map(({ name, dtype }) => ({ dtype, size: inputs[name].size ?? inputs[name].length }));

/**
 * One row: compiling and running on so many threads.
 *
 * @param {Graph} graph
 * @param {Record<string, any>} inputs
 * @param {{ threads: number | undefined, numerics: string, opt: string, seconds: number }} options
 */
function benchNative(graph, inputs, { threads, numerics, opt, seconds }) {
  const begin = now();
  const program = graph.compile({ numerics, optLevel: Number(opt), threads, cache: false });
  const compile = now() - begin;
  const outputs = program.run(inputs);
  const first = now() - begin;
  const bound = program.bind(inputs);
  const call = measure(bound, seconds);
  const run = measure(() => program.run(inputs), seconds / 2);
  const profile = program.profile(inputs, { seconds: Math.min(seconds, 1) });
  const sizes = sizesOf([...asSized(inputs, graph.inputs), ...Object.values(outputs)]);
  const flops = profile.kernels.reduce((sum, kernel) => sum + kernel.flops, 0);
  const { threads: most } = program.stats;
  return { ...rowOf({ ...sizes, flops }, { compile, first, call, run }), threads: most, profile };
}

/** @typedef {ReturnType<typeof benchNative>} Row */

/** @type {(rate: number, unit: string) => string} */
const rateText = (rate, unit) => `${countText(rate * 1e9)}${unit}`;

/** @type {(rows: readonly (ReturnType<typeof rowOf> & { threads?: number })[]) => string} */
function rowsText(rows) {
  const heading = [
    'code', 'compile', 'first result', 'min', 'median', 'p99', 'with fresh outputs', 'elements/s', 'moved/s',
    'computed/s',
  ];
  const lines = rows.map((row) => [
    row.threads === undefined ? 'wasm' : `native, ${row.threads === 1 ? '1 thread' : `${row.threads} threads`}`,
    timeText(row.compileNs),
    timeText(row.firstResultNs),
    timeText(row.call.min),
    timeText(row.call.median),
    timeText(row.call.p99),
    timeText(row.run.median),
    countText(row.elementsPerSecond).trim(),
    rateText(row.gbPerSecond, 'B'),
    rateText(row.gflopPerSecond, 'flop'),
  ]);
  return table([heading, ...lines], { right: heading.map((_, column) => column).slice(1) });
}

/** @type {(text: string) => number[]} */
function readThreads(text) {
  return text.split(',').map((part) => {
    const value = Number(part);
    if (!/^\s*\d+\s*$/.test(part) || value < 1 || value > 256)
      usage(`expected whole numbers from 1 to 256 for --threads, such as 1,2, got '${text}'`);
    return value;
  });
}

/**
 * @param {string} file
 * @param {Record<string, any>} options
 */
async function bench(file, options) {
  const { numerics, opt, seconds, json, against, threads: wanted = [undefined] } = options;
  const graph = await readModel(file, options);
  const { inputs: ports } = graph;
  if (options.size) checkSymbols(options.size, ports);
  const { inputs, symbols } = during('reading', () =>
    readInputs(ports, options.input ?? [], { ...options, fallback: 'random' }),
  );
  /** @type {Row[]} */
  const rows = wanted.map((/** @type {number | undefined} */ threads) =>
    during(`measuring${threads === undefined ? '' : ` ${threads} threads`}`, () =>
      benchNative(graph, inputs, { threads, numerics, opt, seconds }),
    ),
  );
  const profile = rows[rows.length - 1].profile;
  const wasm =
    against === 'wasm'
      ? [await require('./bench-wasm.js').benchWasm(graph, inputs, { numerics, opt, seconds }, rows[0])]
      : [];
  if (json) {
    const { name } = graph;
    const native = rows.map((row) => ({ ...row, profile: { ...row.profile } }));
    write(toJson({ name, sizes: Object.fromEntries(symbols), numerics, native, wasm: wasm[0] }));
    return;
  }
  const sizes = [...symbols].map(([name, value]) => `${name}=${value}`).join(', ');
  write(`${graph.name}${sizes && ` with ${sizes}`}, ${numerics}\n\n${rowsText([...rows, ...wasm])}\n${profile}\n`);
  const { batch } = rows[0].call;
  if (batch > 1) note(`times are means over ${batch} calls each, since one is shorter than the clock measures well`);
}

/** @param {import('commander').Command} program */
function register(program) {
  program
    .command('bench')
    .summary('measure compiling, running, and each kernel')
    .description(
      'Measures a graph on random data, or on what --input names: calls of the bound function, runs with fresh outputs, kernels.',
    )
    .argument('<input>', "the graph or model, '-' for standard input")
    .addOption(shared.input())
    .addOption(shared.shape())
    .addOption(shared.size())
    .addOption(shared.seed())
    .addOption(shared.cast())
    .option('--threads <list>', 'numbers of threads to measure, such as 1,2 (default: all cores)', readThreads)
    .addOption(shared.numerics())
    .addOption(shared.opt())
    .option('--seconds <number>', 'how long to measure each', positiveNumber('--seconds'), 1)
    .addOption(new Option('--against <other>', 'measure this as well').choices(['wasm']))
    .addOption(shared.json())
    .addHelpText(
      'after',
      `${VALUES}${examples(['graphjit bench model.gj --size n=1000000', 'graphjit bench model.gj --size n=1000000 --threads 1,2 --json'])}`,
    )
    .action(bench);
}

module.exports = { register };
