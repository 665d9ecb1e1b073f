/**
 * `graphjit compile`: a graph as files: an object with its header for this machine or another, or
 * WebAssembly with its loader.
 *
 * What `--emit` may name are rows of two tables, emit-c.js and emit-wasm.js; a row says how a file is
 * called and how its content is made. All files are made before one is written.
 */
'use strict';

const path = require('node:path');
const { bytesText } = require('../base/format-units.js');
const forC = require('./emit-c.js');
const forWasm = require('./emit-wasm.js');
const { meantBy, usage } = require('./errors.js');
const { keepInput, makeFolder, writeFiles } = require('./files.js');
const { readModel } = require('./model.js');
const { examples, shared } = require('./options.js');
const { during, styleOf, table, toJson, write } = require('./print.js');

/** @typedef {import('../graph/graph.js').Graph} Graph */
/** @typedef {import('./emit.js').Job} Job */
/** @typedef {import('./emit.js').Made} Made */
/** @typedef {import('./emit.js').Emitter} Emitter */

const VARIANTS = Object.freeze(['mvp', 'simd', 'relaxed']);

/**
 * Words of a closed list, behind commas.
 *
 * @type {(option: string, known: readonly string[]) => (text: string) => string[]}
 */
const listOf = (option, known) => (text) => {
  const words = [...new Set(text.split(',').map((word) => word.trim()))];
  for (const word of words) {
    if (known.includes(word)) continue;
    usage(`unknown word '${word}' for ${option}${meantBy(word, known)}, known are ${known.join(', ')}`);
  }
  return words;
};

const ALL = Object.freeze([...new Set([forC, forWasm].flatMap(({ rows }) => Object.keys(rows)))]);

/** A name for files from that of the input. @type {(file: string, graph: Graph) => string} */
function baseOf(file, graph) {
  const own = file === '-' ? graph.name : path.basename(file, path.extname(file));
  return own.replace(/[^\w.-]/g, '_').replace(/^\.+/, '') || 'graph';
}

/** Options that the other kind of target has. @type {(options: Record<string, any>) => void} */
function checkOptions({ target, cpu, features, symbol, variants, weights }) {
  if (target === 'wasm') {
    for (const [name, value] of Object.entries({ cpu, features, symbol })) {
      if (value !== undefined) usage(`--${name} does not go with --target wasm`);
    }
  } else {
    for (const [name, value] of Object.entries({ variants, weights })) {
      if (value !== undefined) usage(`--${name} goes with --target wasm, not ${target}`);
    }
  }
}

/** @type {(emits: readonly string[] | undefined, target: string) => Emitter[]} */
function emittersOf(emits, target) {
  const { rows, initial } = target === 'wasm' ? forWasm : forC;
  return (emits ?? initial).map((emit) => {
    if (!Object.hasOwn(rows, emit))
      return usage(`--emit ${emit} does not go with --target ${target}, known are ${Object.keys(rows).join(', ')}`);
    return rows[emit](emit);
  });
}

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
  return table([['file', 'what', 'size'], ...rows.map(([file, ...rest]) => [style.cyan(file), ...rest])], {
    right: [2],
  });
}

/**
 * Makes all files. What C says of a target, a symbol or a variant is about the command line.
 *
 * @type {(emitters: readonly Emitter[], job: Job) => Made[]}
 */
function make(emitters, job) {
  try {
    return during('compiling', () => emitters.flatMap((emitter) => emitter(job)));
  } catch (error) {
    const { code, message } = /** @type {{ code?: string, message: string }} */ (error);
    if (code === 'ERR_ARGUMENT' && /^(toObject: |target: |object: the symbol|wasm: variant )/.test(message))
      usage(message);
    throw error;
  }
}

/**
 * @param {string} file
 * @param {Record<string, any>} options
 */
async function compile(file, options) {
  const { target, output, emit, name, json } = options;
  checkOptions(options);
  checkName(name);
  const emitters = emittersOf(emit, target);
  const graph = await readModel(file, options);
  const settings =
    target === 'wasm'
      ? {
          ...options,
          variants: options.variants ?? VARIANTS.filter((variant) => variant !== 'mvp' || !options.threads),
          weights: options.weights ?? 'inside',
        }
      : options;
  const job = { graph, base: name ?? baseOf(file, graph), options: settings };
  const made = make(emitters, job);
  const placed = made.map((each) => ({ ...each, file: path.join(output, each.file) }));
  keepInput(
    file,
    placed.map((each) => each.file),
    '--name or --output',
  );
  makeFolder(output);
  await writeFiles(placed);
  const listed = placed.map(({ file: each, emit: what, content }) => ({
    file: each, what, bytes: Buffer.byteLength(content),
  }));
  write(json ? toJson({ name: graph.name, target, files: listed }) : summary(placed));
}

/** @param {import('commander').Command} program */
function register(program) {
  program
    .command('compile')
    .summary('write objects, headers, WebAssembly and texts')
    .description('Compiles a graph to files: an object and its C header, or WebAssembly modules with their loader.')
    .argument('<input>', "the graph or model, '-' for standard input")
    .option('-o, --output <folder>', 'where files go; it is made', '.')
    .option('--target <target>', "native, wasm, or an LLVM target as 'graphjit targets' lists them", 'native')
    .option(
      '--emit <list>',
      'what to write, behind commas (default: object,header or wasm,mjs,types)',
      listOf('--emit', ALL),
    )
    .option('--cpu <name>', 'the processor to compile for (default: this one, or a generic one)')
    .option('--features <list>', 'features that it has or lacks, such as +avx2,-fma')
    .option('--variants <list>', 'for wasm: mvp, simd, relaxed (default: all)', listOf('--variants', VARIANTS))
    .option(
      '--weights <where>',
      "for wasm: 'inside' the module or 'separate', in a .bin file",
      (text) => listOf('--weights', ['inside', 'separate'])(text)[0],
    )
    .option('--optimize', 'for wasm: smaller modules by wasm-opt, which takes the npm package binaryen', false)
    .option('--threads', 'code that can use several threads', false)
    .option('--name <name>', 'of the files (default: that of the input)')
    .option('--symbol <name>', 'of the C function (default: the name of the graph)')
    .addOption(shared.shape())
    .addOption(shared.size('a size of a model file that is to be fixed; may be repeated, or n=1,m=2'))
    .addOption(shared.numerics('strict'))
    .addOption(shared.opt())
    .addOption(shared.json())
    .addHelpText(
      'after',
      `
What --emit may name:
  object, header             what C links and includes (.o, .h)
  assembly, bitcode          the same as text, as LLVM bitcode (.s, .bc)
  llvm, llvm-raw             LLVM IR after and before optimisation (.ll, .raw.ll)
  wasm, mjs, types, loader   modules; all in one ES module, and its typings; a loader
                             (.wasm, .mjs, .d.mts, .loader.mjs)
  graph, simplified, loops   the graph as read, simplified, as loops (.gj, .loops)
${examples([
  'graphjit compile model.gj -o out',
  'graphjit compile model.gj -o out --target wasm --weights separate',
  'graphjit compile model.gj -o out --target riscv64 --features +v --emit assembly',
])}`,
    )
    .action(compile);
}

module.exports = { register };
