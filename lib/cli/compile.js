/**
 * `graphjit compile`: a graph as files: an object with its header for this machine or another.
 *
 * What `--emit` may name are rows of the table in emit-c.js; a row says how a file is
 * called and how its content is made. All files are made before one is written.
 */
'use strict';

const path = require('node:path');
const forC = require('./emit-c.js');
const { meantBy, stop, usage } = require('./errors.js');
const { makeFolder, writeFiles } = require('./files.js');
const { readModel } = require('./model.js');
const { examples, shared } = require('./options.js');
const { bytesText, during, styleOf, table, toJson, write } = require('./print.js');

/** @typedef {import('../graph.js').Graph} Graph */
/** @typedef {import('./emit.js').Job} Job */
/** @typedef {import('./emit.js').Made} Made */
/** @typedef {import('./emit.js').Emitter} Emitter */

/** @type {(option: string, known: readonly string[]) => (text: string) => string[]} words of a closed list, behind commas */
const listOf = (option, known) => (text) => {
  const words = [...new Set(text.split(',').map((word) => word.trim()))];
  for (const word of words) {
    if (known.includes(word)) continue;
    usage(`unknown word '${word}' for ${option}${meantBy(word, known)}, known are ${known.join(', ')}`);
  }
  return words;
};

const ALL = Object.freeze(Object.keys(forC.rows));

/** A name for files from that of the input. @type {(file: string, graph: Graph) => string} */
function baseOf(file, graph) {
  const own = file === '-' ? graph.name : path.basename(file, path.extname(file));
  return own.replace(/[^\w.-]/g, '_').replace(/^\.+/, '') || 'graph';
}

/** @type {(emits: readonly string[] | undefined) => Emitter[]} */
const emittersOf = (emits) => (emits ?? forC.initial).map((emit) => forC.rows[emit](emit));

/** @type {(name: string | undefined) => void} */
function checkName(name) {
  if (name !== undefined && (name === '' || /[/\0]/.test(name) || name.startsWith('.'))) {
    usage(`--name is the name of files without a folder, got '${name}'; --output says where they go`);
  }
}

/** @type {(made: readonly Made[]) => string} */
function summary(made) {
  const style = styleOf(process.stdout);
  const rows = made.map(({ file, emit, content }) => [file, emit, bytesText(Buffer.byteLength(content))]);
  return table([['file', 'what', 'size'], ...rows.map(([file, ...rest]) => [style.cyan(file), ...rest])], { right: [2] });
}

/** Makes all files. What C says of a target or a symbol is about the command line. @type {(emitters: readonly Emitter[], job: Job) => Made[]} */
function make(emitters, job) {
  try {
    return during('compiling', () => emitters.flatMap((emitter) => emitter(job)));
  } catch (error) {
    const { code, message } = /** @type {{ code?: string, message: string }} */ (error);
    if (code === 'ERR_ARGUMENT' && /^(target: |object: the symbol)/.test(message)) usage(message);
    throw error;
  }
}

/**
 * @param {string} file
 * @param {Record<string, any>} options
 */
async function compile(file, options) {
  const { target, output, emit, name, json } = options;
  checkName(name);
  const emitters = emittersOf(emit);
  const graph = readModel(file);
  const job = { graph, base: name ?? baseOf(file, graph), options };
  const made = make(emitters, job);
  const placed = made.map((each) => ({ ...each, file: path.join(output, each.file) }));
  if (file !== '-' && placed.some((each) => path.resolve(each.file) === path.resolve(file))) {
    stop(`${file} would be overwritten by its own output; say another --name or --output`);
  }
  makeFolder(output);
  await writeFiles(placed);
  const listed = placed.map(({ file: each, emit: what, content }) => ({ file: each, what, bytes: Buffer.byteLength(content) }));
  write(json ? toJson({ name: graph.name, target, files: listed }) : summary(placed));
}

/** @param {import('commander').Command} program */
function register(program) {
  program
    .command('compile')
    .summary('write objects, headers and texts of stages')
    .description('Compiles a graph to files: an object and its C header.')
    .argument('<input>', "the graph, '-' for standard input")
    .option('-o, --output <folder>', 'where files go; it is made', '.')
    .option('--target <target>', "native, or an LLVM target as 'graphjit targets' lists them", 'native')
    .option('--emit <list>', 'what to write, behind commas (default: object,header)', listOf('--emit', ALL))
    .option('--cpu <name>', 'the processor to compile for (default: this one, or a generic one)')
    .option('--features <list>', 'features that it has or lacks, such as +avx2,-fma')
    .option('--threads', 'code that can use several threads', false)
    .option('--name <name>', 'of the files (default: that of the input)')
    .option('--symbol <name>', 'of the C function (default: the name of the graph)')
    .addOption(shared.numerics('strict'))
    .addOption(shared.opt())
    .addOption(shared.json())
    .addHelpText('after', `
What --emit may name:
  object, header             what C links and includes (.o, .h)
  assembly, bitcode          the same as text, as LLVM bitcode (.s, .bc)
  llvm, llvm-raw             LLVM IR after and before optimisation (.ll, .raw.ll)
  graph, simplified, loops   the graph as read, simplified, as loops (.gj, .loops)
${examples([
      'graphjit compile model.gj -o out',
      'graphjit compile model.gj -o out --target riscv64 --features +v --emit assembly',
    ])}`)
    .action(compile);
}

module.exports = { register };
