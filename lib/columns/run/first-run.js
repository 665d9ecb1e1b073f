/**
 * The first run of a kernel that has not been compiled: interpreted, if it is plain arithmetic.
 *
 * LLVM takes some milliseconds for the least of kernels, which is what many thousand rows take to be interpreted. So a
 * kernel of columns without nulls, of numbers that are calculated with and compared, runs once as a graph in the first
 * tier of graphs, and is compiled when it is asked again. Both compute the same bits: the ops are the same, those that
 * are exact, and the graph's are not contracted either.
 *
 * What is left out: whatever may fail, nulls, strings, tables of constants, functions such as exp, whose bits differ
 * between graphs and functions, and large tables.
 */
'use strict';

const { native } = require('../../base/binding.js');
const { NUMERICS } = require('../../base/numerics.js');
const { opRows } = require('../../base/ops.js');
const { callWith } = require('../../graph/call-program.js');
const { ARRAYS } = require('./driver.js');

/** @typedef {import('../kernel/dag.js').Node} Node */
/** @typedef {import('./driver.js').Chunk} Chunk */
/** @typedef {import('./prepare.js').Prepared} Prepared */

/** Rows from which on compiled code is worth waiting for, and nodes of a kernel. */
const MOST_ROWS = 2 ** 18;
const MOST_NODES = 128;
/** The tier of programs that are interpreted for good. */
const INTERPRETER = 2;

/** Ops that say what they give. */
const TYPED = new Set(['convert', 'bitcast']);

/** A number as text of a graph. @type {(value: any, rep: string) => string} */
function literal(value, rep) {
  if (!rep.startsWith('f')) return String(value);
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  return Object.is(value, -0) ? '-0.0' : `${value}`;
}

/** Graph IR of one chunk, written node by node. */
class Writer {
  /** @type {string[]} */
  lines = [];
  /** Columns, in the order of the graph's inputs. @type {Node[]} */
  inputs = [];
  /** @type {Map<Node, string | null>} */
  #made = new Map();

  /** @param {number} rows */
  constructor(rows) {
    this.rows = rows;
  }

  /** @type {(text: string, rep: string, shape: number | string) => string} */
  #line(text, rep, shape) {
    const id = `%${this.lines.length + 1}`;
    this.lines.push(`  ${id} = ${text} : ${rep}[${shape}]`);
    return id;
  }

  /** The value of a node by its name in the graph; null where it is none that a graph has. @type {(node: Node) => string | null} */
  value(node) {
    const known = this.#made.get(node);
    if (known !== undefined) return known;
    const made = this.#make(node);
    this.#made.set(node, made);
    return made;
  }

  /** @type {(node: Node) => string | null} */
  #make(node) {
    const { kind, name, rep, args, value } = node;
    if (!isPlain(rep)) return null;
    if (kind === 'constant') return this.#line(`const ${literal(value, rep)}`, rep, '');
    if (kind === 'column') return this.#line(`param "${this.inputs.push(node)}"`, rep, this.rows);
    if (kind !== 'logic' && !(kind === 'op' && isExact(name))) return null;
    const operands = args.map((arg) => this.value(arg));
    // What is known beforehand has no row of its own.
    if (operands.includes(null) || args.every((arg) => arg.kind === 'constant')) return null;
    return this.#line(`${name} ${operands.join(', ')}${TYPED.has(name) ? ` {dtype=${rep}}` : ''}`, rep, this.rows);
  }
}

const isPlain = (/** @type {string} */ rep) => rep !== 'f16' && rep !== 'view' && rep !== 'i128';
const isExact = (/** @type {string} */ name) => opRows.get(name)?.flags.includes('exact') === true;
const isStore = (/** @type {Node} */ { kind, args: [value] }) => (kind === 'store' || kind === 'storeBits') && value.kind !== 'constant';

/** The graph of a kernel for so many rows. @type {(prepared: Prepared, rows: number) => { text: string, inputs: Node[] } | null} */
function graphOf({ roots, dag }, rows) {
  if (!roots.every(isStore) || dag.nodes.length > MOST_NODES) return null;
  const writer = new Writer(rows);
  const values = roots.map(({ args: [value] }) => writer.value(value));
  if (values.includes(null) || writer.inputs.length === 0) return null;
  const outputs = values.map((value, i) => `  output "${i}" = ${value}`);
  return { text: `graph "columns" {\n${[...writer.lines, ...outputs].join('\n')}\n}\n`, inputs: writer.inputs };
}

/** Writes truths of a byte each as bits. @type {(truths: Uint8Array, bits: Uint8Array) => void} */
function pack(truths, bits) {
  const whole = truths.length & ~7;
  for (let i = 0; i < whole; i += 8) {
    bits[i >> 3] = truths[i] | (truths[i + 1] << 1) | (truths[i + 2] << 2) | (truths[i + 3] << 3) | (truths[i + 4] << 4)
      | (truths[i + 5] << 5) | (truths[i + 6] << 6) | (truths[i + 7] << 7);
  }
  for (let i = whole; i < truths.length; i++) bits[i >> 3] |= truths[i] << (i & 7);
}

/** Elements of an array that a graph can be given as they are; null for others. @type {(array: any, rep: string, rows: number) => any} */
const elementsOf = (array, rep, rows) =>
  array instanceof ARRAYS[rep] && array.buffer instanceof ArrayBuffer ? array.subarray(0, rows) : null;

/**
 * Runs a kernel over one chunk without compiling it, where that is for it.
 *
 * @param {Prepared} prepared
 * @param {{ chunks: readonly Chunk[], arrays: any[][], threads: number }} run
 * `arrays` by number of a buffer and chunk
 * @returns {boolean} whether it was for it, and outputs are written
 */
function firstRun(prepared, { chunks, arrays, threads }) {
  if (chunks.length !== 1 || chunks[0].rows > MOST_ROWS) return false;
  const [{ rows }] = chunks;
  const graph = graphOf(prepared, rows);
  if (graph === null) return false;
  const inputs = graph.inputs.map(({ rep, buffers: [at] }) => elementsOf(arrays[at][0], rep, rows));
  if (inputs.includes(null)) return false;
  const handle = native.graphParse(graph.text);
  const program = native.programCompile(handle, NUMERICS.default, 3, threads, false, INTERPRETER);
  const outputs = prepared.roots.map(({ kind, buffers: [at] }) => (kind === 'storeBits' ? new Uint8Array(rows) : arrays[at][0].subarray(0, rows)));
  native.programFit(program, inputs.map(() => [rows]));
  callWith(program, [...inputs, ...outputs]);
  native.programDispose(program);
  native.graphDispose(handle);
  prepared.roots.forEach(({ kind, buffers: [at] }, i) => {
    if (kind === 'storeBits') pack(outputs[i], arrays[at][0]);
  });
  return true;
}

module.exports = { firstRun };
