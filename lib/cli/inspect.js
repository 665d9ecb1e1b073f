/**
 * `graphjit inspect`: what a graph takes and gives, what it was compiled to, what a run needs.
 *
 * Sizes that depend on symbols are shown as formulas, or as numbers where --size gives the symbols.
 */
'use strict';

const { bytesText, countText, figures } = require('../base/format-units.js');
const { typeText } = require('./arrays.js');
const { openModel, severalText } = require('./model.js');
const { examples, shared } = require('./options.js');
const { during, note, styleOf, table, toJson, write } = require('./print.js');
const { adder, checkSymbols, symbolsOf, valueOf } = require('./sizes.js');

/** @typedef {import('./sizes.js').Amount} Amount */
/** @typedef {import('./sizes.js').Symbols} Symbols */
/** @typedef {import('../graph/graph.js').Graph} Graph */

/** Ops by how often they occur, the most frequent first. @type {(graph: Graph) => Record<string, number>} */
function countOps({ nodes }) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const { op } of nodes) if (op !== 'param' && op !== 'const') counts.set(op, (counts.get(op) ?? 0) + 1);
  return Object.fromEntries([...counts].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)));
}

/** @type {(graph: Graph) => { count: number, bytes: number }} */
function constantsOf({ nodes }) {
  const constants = nodes.filter(({ op }) => op === 'const');
  return { count: constants.length, bytes: constants.reduce((sum, { bytes = 0 }) => sum + bytes, 0) };
}

/**
 * Everything that is told, as one document.
 *
 * @param {Graph} graph
 * @param {import('../graph/program.js').Program} program
 * @param {Symbols} symbols
 */
function describe(graph, program, symbols) {
  const { stats } = program;
  // With all symbols known the sizes are checked as a run checks them.
  const isComplete = symbolsOf(graph.inputs).every((name) => symbols.has(name));
  const memory = program.memory(isComplete ? Object.fromEntries(symbols) : undefined);
  const sum = adder();
  /** @type {(amounts: readonly Amount[]) => Amount} */
  const total = (amounts) => sum(amounts.map((amount) => valueOf(amount, symbols)));
  /** @type {(port: any) => any} */
  const portOf = ({ name, dtype, shape, bytes: size }) => ({
    name,
    dtype,
    shape: shape.map((/** @type {Amount} */ each) => valueOf(each, symbols)),
    bytes: valueOf(size, symbols),
  });
  /** @type {{ name: string, dtype: string, shape: (number | string)[], bytes: Amount }[][]} */
  const [inputs, outputs] = [memory.inputs.map(portOf), memory.outputs.map(portOf)];
  const kernels = stats.kernels.map((/** @type {any} */ kernel) => ({
    ...kernel,
    bytesRead: valueOf(kernel.bytesRead, symbols),
    bytesWritten: valueOf(kernel.bytesWritten, symbols),
    flops: valueOf(kernel.flops, symbols),
  }));
  const columnOf = (/** @type {string} */ key) => total(kernels.map((/** @type {any} */ kernel) => kernel[key]));
  return {
    name: graph.name,
    symbols: symbolsOf(graph.inputs),
    inputs,
    outputs,
    nodes: { written: stats.nodesBefore, simplified: stats.nodesAfter },
    ops: countOps(graph),
    constants: constantsOf(graph),
    kernels,
    memory: {
      inputs: total(inputs.map(({ bytes }) => bytes)),
      outputs: total(outputs.map(({ bytes }) => bytes)),
      constants: stats.constantBytes,
      scratch: valueOf(memory.scratchBytes, symbols),
      code: stats.codeBytes,
    },
    intermediates: memory.intermediates.map((/** @type {any} */ place) => ({
      ...place,
      bytes: valueOf(place.bytes, symbols),
      offset: valueOf(place.offset, symbols),
    })),
    work: { flops: columnOf('flops'), bytesRead: columnOf('bytesRead'), bytesWritten: columnOf('bytesWritten') },
    compileMs: stats.compileMs,
  };
}

/** @type {(unit: (value: number) => string) => (amount: Amount) => string} */
const amountText = (unit) => (amount) => (amount === null ? '-' : typeof amount === 'number' ? unit(amount) : amount);
const bytes = amountText(bytesText);
const count = amountText((value) => countText(value).trim());

/** @type {(stats: ReturnType<typeof describe>) => string} */
function portLines({ inputs, outputs }) {
  const rows = [['', 'name', 'type', 'bytes']];
  for (const [role, ports] of /** @type {const} */ ([
    ['input', inputs],
    ['output', outputs],
  ])) {
    for (const port of ports) rows.push([role, port.name, typeText(port), bytes(port.bytes)]);
  }
  return table(rows, { right: [3] });
}

/** @type {(stats: ReturnType<typeof describe>) => string} */
function kernelLines({ kernels }) {
  const rows = kernels.map((/** @type {any} */ kernel) => [
    kernel.name,
    kernel.kind,
    kernel.shape,
    kernel.ops,
    kernel.lanes > 1 ? `${kernel.lanes} lanes` : 'scalar',
    bytes(kernel.bytesRead),
    bytes(kernel.bytesWritten),
    count(kernel.flops),
  ]);
  return table([['kernel', 'kind', 'shape', 'ops', 'vectors', 'reads', 'writes', 'flops'], ...rows], {
    right: [5, 6, 7],
  });
}

/** @type {(info: ReturnType<typeof describe>) => string[][]} */
function summaryRows({ nodes, ops, constants, memory, work, compileMs }) {
  const moved = [work.bytesRead, work.bytesWritten];
  const known = moved.every((amount) => typeof amount === 'number') && typeof work.flops === 'number';
  const perByte = known
    ? `, ${figures(Number(work.flops) / Math.max(1, Number(moved[0]) + Number(moved[1])))} flops per byte`
    : '';
  const stages = Object.entries(compileMs).filter(([stage, ms]) => stage !== 'total' && ms >= 0.005);
  const opList = Object.entries(ops).map(([op, times]) => (times > 1 ? `${op} ×${times}` : op));
  return [
    ['nodes', `${nodes.written}, ${nodes.simplified} when simplified`],
    ['ops', opList.join(', ') || 'none'],
    ['constants', `${constants.count}, ${bytesText(constants.bytes)}`],
    ['memory', `inputs ${bytes(memory.inputs)}, outputs ${bytes(memory.outputs)}, scratch ${bytes(memory.scratch)}`],
    ['code', `${bytesText(memory.code)}, and ${bytesText(memory.constants)} of constants`],
    [
      'work',
      `${count(work.flops)} flops; reads ${bytes(work.bytesRead)}, writes ${bytes(work.bytesWritten)}${perByte}`,
    ],
    [
      'compiled',
      `in ${figures(compileMs.total)} ms: ${stages.map(([stage, ms]) => `${stage} ${figures(ms)}`).join(', ')}`,
    ],
  ];
}

/** @type {(info: ReturnType<typeof describe>) => string} */
function text(info) {
  const style = styleOf(process.stdout);
  const rows = summaryRows(info);
  const width = Math.max(...rows.map(([label]) => label.length));
  const summary = rows.map(([label, value]) => `${style.bold(label.padEnd(width))}  ${value}\n`).join('');
  const symbols = info.symbols.length > 0 ? ` over ${info.symbols.join(', ')}` : '';
  return `${style.bold(info.name)}${symbols}\n\n${portLines(info)}\n${kernelLines(info)}\n${summary}`;
}

/**
 * What is known of a model before a run says what graph it is.
 *
 * @type {(file: string, model: import('../models/model.js').Model, json: boolean) => void}
 */
function describeOpen(file, model, json) {
  const { name, inputs, outputs, specialization } = model;
  const because = severalText(file, model);
  if (json) return write(toJson({ name, inputs, outputs, specialization }));
  const kindOf = (/** @type {any} */ { dtype = 'tensor', shape, type }) =>
    (type === undefined ? typeText({ dtype, shape }) : type.kind === 'data' ? 'numbers or text' : type.kind);
  const rows = [['', 'name', 'type']];
  for (const port of inputs) rows.push([port.optional ? 'input, may be left out' : 'input', port.name, kindOf(port)]);
  for (const port of outputs) rows.push(['output', port.name, kindOf(port)]);
  write(`${styleOf(process.stdout).bold(name)}\n\n${table(rows)}`);
  return note(because);
}

/**
 * @param {string} file
 * @param {Record<string, any>} options
 */
async function inspect(file, { size = new Map(), shape, numerics, opt, threads, json }) {
  const { graph, model } = await openModel(file, { size, shape });
  if (graph === undefined) return describeOpen(file, /** @type {any} */ (model), json);
  const { inputs } = graph;
  checkSymbols(size, inputs);
  const program = during('compiling', () => graph.compile({ numerics, optLevel: Number(opt), threads, cache: false }));
  const info = describe(graph, program, size);
  return write(json ? toJson(info) : text(info));
}

/** @param {import('commander').Command} program */
function register(program) {
  program
    .command('inspect')
    .summary('show ports, ops, kernels, memory and work of a graph')
    .description(
      'Shows what a graph takes and gives, the kernels it is compiled to, and what a run moves and computes.',
    )
    .argument('<input>', "the graph or model, '-' for standard input")
    .addOption(shared.shape())
    .addOption(shared.size())
    .addOption(shared.numerics())
    .addOption(shared.opt())
    .addOption(shared.threads())
    .addOption(shared.json())
    .addHelpText(
      'after',
      `
Sizes that depend on symbols are formulas, which hold where every symbol is at least 1,
or numbers where --size says what the symbols are.
${examples(['graphjit inspect model.gj', 'graphjit inspect model.gj --size n=1000 --json'])}`,
    )
    .action(inspect);
}

module.exports = { register };
