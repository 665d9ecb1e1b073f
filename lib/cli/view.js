/**
 * `graphjit view`: a graph and all that became of it as one HTML page, or as the JSON document behind it.
 */
'use strict';

const path = require('node:path');
const { keepInput, writeFiles } = require('./files.js');
const { openModel, readModel } = require('./model.js');
const { examples, shared } = require('./options.js');
const { during, note, toJson, write } = require('./print.js');
const { checkSymbols } = require('./sizes.js');

/**
 * Where a page goes when nobody says: into this folder, under the name of the input.
 *
 * @type {(input: string) => string}
 */
const pageOf = (input) => (input === '-' ? 'graph.html' : `${path.basename(input, path.extname(input))}.html`);

/**
 * A graph, and for which nodes of a model file its values were made.
 *
 * @param {string} file
 * @param {import('./model.js').ReadOptions} options
 */
async function readNamed(file, options) {
  const { graph, model } = await openModel(file, options);
  if (graph === undefined) return { graph: await readModel(file, options), made: [] };
  return { graph, made: model === undefined ? [] : require('../models/model.js').madeOf(model) };
}

/**
 * @param {string} file
 * @param {Record<string, any>} options
 */
async function view(file, { output = pageOf(file), size = new Map(), numerics, opt, threads, seed, profile, json }) {
  const { viewData } = require('../view/data.js');
  const { renderPage } = require('../view/render.js');
  const { graph, made } = await readNamed(file, { size });
  checkSymbols(size, graph.inputs);
  if (!json && output !== '-') keepInput(file, [output], '--output');
  const settings = { numerics, optLevel: Number(opt), threads, sizes: Object.fromEntries(size), profile, seed, made };
  const data = during('compiling and measuring', () => viewData(graph, /** @type {any} */ (settings)));
  if (json) {
    write(toJson(data));
    return;
  }
  const page = during('drawing', () => renderPage(data));
  if (output === '-') {
    write(page);
    return;
  }
  await writeFiles([{ file: output, content: page }]);
  note(`wrote ${output}`);
}

/** @param {import('commander').Command} program */
function register(program) {
  program
    .command('view')
    .summary('write a page that shows a graph, its kernels, memory and code')
    .description(
      'Writes one HTML page, which needs no network: the graph, the kernels and what each takes, the memory plan, Loop IR, LLVM IR and assembly.',
    )
    .argument('<input>', "the graph or model, '-' for standard input")
    .option(
      '-o, --output <file>',
      "the page, '-' for standard output (default: the input's name with .html, in this folder)",
    )
    .addOption(shared.shape())
    .addOption(shared.size())
    .addOption(shared.numerics())
    .addOption(shared.opt())
    .addOption(shared.threads())
    .addOption(shared.seed())
    .option('--no-profile', 'do not run the graph')
    .addOption(shared.json())
    .addHelpText(
      'after',
      `
Symbols without a --size are 1024.
${examples([
  'graphjit view model.gj',
  'graphjit view model.gj --size n=1000000 -o model.html',
  'graphjit view model.gj --json',
])}`,
    )
    .action(view);
}

module.exports = { register };
