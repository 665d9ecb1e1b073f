/**
 * All that a page shows, as one JSON document: the graph before and after simplification, its kernels,
 * the memory of a run, a profile on random inputs, the texts of all stages, and what made them.
 *
 * Symbols have the sizes that the caller gives, or 1024. Where a run would refuse these, or its arrays
 * would take more than a GiB, the page does without what depends on them, and says why.
 */
'use strict';

const os = require('node:os');
const { functionsOf, toTable } = require('../graph/diagrams.js');
const { simplify } = require('../graph/graph.js');
const { machine } = require('../graph/profile.js');
const { fillRandom } = require('../graph/sample-inputs.js');
const { allocate } = require('../tensor/allocate.js');
const { dtypes } = require('../tensor/dtypes.js');
const { wrap } = require('../tensor/tensor.js');

/** @typedef {import('../graph/graph.js').Graph} Graph */
/** @typedef {import('../graph/program.js').Program} Program */
/** @typedef {import('../index.d.ts').MemoryPlan} MemoryPlan */
/** @typedef {import('../index.d.ts').KernelInfo} KernelInfo */
/** @typedef {import('../graph/profile.js').Profile} Profile */

/**
 * @typedef {object} ViewOptions
 * @property {'strict' | 'default' | 'fast'} [numerics]
 * @property {0 | 1 | 2 | 3} [optLevel]
 * @property {number} [threads]
 * @property {Readonly<Record<string, number>>} [sizes] of symbols
 * @property {boolean} [profile] whether to measure (default)
 * @property {number} [seed] of random inputs
 * @property {readonly Made[]} [made] for nodes of a model file
 */

/** Values from one number to before another. @typedef {{ name: string, from: number, to: number }} Made */

/**
 * @typedef {object} ViewNode
 * @property {number} ref
 * @property {string} op
 * @property {number[]} operands
 * @property {string} type
 * @property {string} detail a name, elements, attributes
 * @property {boolean} small a constant of one element
 * @property {string} [madeFor] the node of a model file
 * @property {number[]} kernels that compute it or what it became; of an input, those that take it
 */

/** @typedef {{ nodes: ViewNode[], outputs: { name: string, ref: number }[] }} ViewGraph */
/** @typedef {ReturnType<typeof viewData>} ViewData */

const DEFAULT_SIZE = 1024;
const MOST_BYTES = 2 ** 30;
const PROFILE_SECONDS = 0.5;

/** @type {(value: unknown) => string} */
const attrText = (value) => (Array.isArray(value) ? `[${value.join(', ')}]` : String(value));

/** What digits of shorter floats say something. @type {Readonly<Record<string, number | undefined>>} */
const DIGITS = Object.freeze({ f32: 7, f16: 4, bf16: 3 });

/** A float with as many digits as it has. @type {(dtype: string) => (element: number | bigint | boolean) => string} */
const elementText = (dtype) => (element) => {
  if (Object.is(element, -0)) return '-0';
  const digits = DIGITS[dtype];
  return String(digits === undefined ? element : Number(Number(element).toPrecision(digits)));
};

/** @type {(node: import('../base/binding.js').NodeInfo) => string} */
function detailOf({ name, data, dtype, bytes, attrs }) {
  if (name !== undefined) return name;
  if (data === undefined)
    return Object.entries(attrs)
      .map(([key, value]) => `${key}=${attrText(value)}`)
      .join(' ');
  const held = Number(bytes) / dtypes[dtype].bytes;
  const shown = data.map(elementText(dtype)).join(', ');
  return held === 1 ? shown : `[${shown}${held > data.length ? ', …' : ''}]`;
}

/** The node of a file that each value was made for; of nested ones the inner. @type {(made: readonly Made[], count: number) => string[]} */
function namesOf(made, count) {
  const names = Array.from({ length: count + 1 }, () => '');
  for (const { name, from, to } of made) for (let ref = from; ref < to; ref++) names[ref] ||= name;
  return names;
}

/** @type {(graph: Graph, kernelsOf: (ref: number) => number[], made?: readonly Made[]) => ViewGraph} */
function graphData(graph, kernelsOf, made = []) {
  const names = namesOf(made, graph.nodes.length);
  const nodes = graph.nodes.map((node) => ({
    ref: node.ref,
    op: node.op,
    operands: node.operands,
    type: `${node.dtype}[${node.shape.join(', ')}]`,
    detail: detailOf(node),
    small: node.data !== undefined && Number(node.bytes) === dtypes[node.dtype].bytes,
    kernels: kernelsOf(node.ref),
    ...(names[node.ref] ? { madeFor: names[node.ref] } : {}),
  }));
  return { nodes, outputs: graph.outputs.map(({ name, value }) => ({ name, ref: value.ref })) };
}

/**
 * The functions of a graph, and which ops run them: `%4 for`, `@1 %2 cond`.
 *
 * @type {(graph: Graph) => { name: string, usedBy: string[], table: string }[]}
 */
function functionsData(graph) {
  const { functions } = graph;
  /** @type {string[][]} */
  const usedBy = functions.map(() => []);
  const note = (/** @type {readonly import('../base/binding.js').NodeInfo[]} */ nodes, /** @type {string} */ place) => {
    for (const node of nodes) for (const i of functionsOf(node)) usedBy[i].push(`${place}%${node.ref} ${node.op}`);
  };
  note(graph.nodes, '');
  functions.forEach(({ nodes }, i) => note(nodes, `@${i} `));
  return functions.map((own, i) => ({
    name: own.name, usedBy: [...new Set(usedBy[i])], table: toTable({ ...own, functions: [] }),
  }));
}

/**
 * Both graphs, and the kernels that each value belongs to.
 *
 * @type {(graph: Graph, kernels: readonly KernelInfo[], made: readonly Made[]) => { written: ViewGraph, simplified: ViewGraph, functions: ReturnType<typeof functionsData> }}
 */
function graphsData(graph, kernels, made) {
  /** @type {Map<number, number[]>} */
  const computedBy = new Map();
  kernels.forEach(({ nodes }, k) => {
    for (const ref of nodes) {
      const found = computedBy.get(ref);
      if (found) found.push(k);
      else computedBy.set(ref, [k]);
    }
  });
  const { graph: simple, became } = simplify(graph);
  /** @type {Map<number, Set<number>>} inputs belong to the kernels that take them */
  const readBy = new Map(simple.inputs.map(({ value }) => [value.ref, new Set()]));
  for (const { ref, operands } of simple.nodes) {
    for (const each of operands) for (const k of computedBy.get(ref) ?? []) readBy.get(each)?.add(k);
  }
  const kernelsOf = (/** @type {number} */ ref) =>
    computedBy.get(ref) ?? [...(readBy.get(ref) ?? [])].sort((a, b) => a - b);
  const result = {
    written: graphData(graph, (ref) => kernelsOf(became[ref]), made),
    simplified: graphData(simple, kernelsOf),
    functions: functionsData(simple),
  };
  simple.dispose();
  return result;
}

/**
 * What `get` gives, or why it fails.
 *
 * @template T
 * @param {() => T} get
 * @returns {{ value: T | null, reason: string }}
 */
function attempt(get) {
  try {
    return { value: get(), reason: '' };
  } catch (error) {
    return { value: null, reason: error instanceof Error ? error.message : String(error) };
  }
}

/** @type {(ports: readonly { bytes: number | string }[]) => number} */
const bytesOf = (ports) => ports.reduce((sum, { bytes }) => sum + Number(bytes), 0);

/** @type {(program: Program, memory: MemoryPlan, seed: number) => Profile} */
function profileOf(program, { inputs, outputs, scratchBytes }, seed) {
  const bytes = bytesOf(inputs) + bytesOf(outputs) + Number(scratchBytes);
  if (bytes > MOST_BYTES) throw new Error(`a run would take ${(bytes / 2 ** 30).toFixed(1)} GiB: choose smaller sizes`);
  const arrays = inputs.map(({ name, dtype, shape }) => {
    const info = dtypes[dtype];
    const sizes = shape.map(Number);
    const data = allocate(
      info,
      sizes.reduce((product, size) => product * size, 1),
      'view',
    );
    fillRandom(data, info, name, seed);
    return [name, wrap(data, dtype, sizes)];
  });
  return program.profile(Object.fromEntries(arrays), { seconds: PROFILE_SECONDS });
}

/**
 * The symbols of a graph with their sizes.
 *
 * @type {(graph: Graph, given: Readonly<Record<string, number>>) => Record<string, number>}
 */
function sizesOf(graph, given) {
  const symbols = graph.inputs
    .flatMap(({ shape }) => shape)
    .filter((size) => typeof size === 'string' && /^\w+$/.test(size));
  return { ...Object.fromEntries(symbols.map((name) => [name, DEFAULT_SIZE])), ...given };
}

/** @type {(program: Program) => Record<'loops' | 'llvm' | 'asm', string>} */
function codeOf(program) {
  /** @type {(get: () => string) => string} */
  const textOf = (get) => {
    const { value, reason } = attempt(get);
    return value ?? `; not shown: ${reason}\n`;
  };
  const short = { constants: false };
  return {
    loops: textOf(() => program.loops(short)),
    llvm: textOf(() => program.llvm({ optimized: true, ...short })),
    asm: textOf(() => program.asm(short)),
  };
}

/**
 * Compiles a graph and collects everything about it. The graph stays as it is.
 *
 * @param {Graph} graph
 * @param {ViewOptions} [options]
 */
function viewData(
  graph,
  { numerics = 'default', optLevel = 3, threads, sizes: given = {}, profile: measured = true, seed = 0, made = [] } = {},
) {
  // Code from the cache would have no times.
  const program = graph.compile({ numerics, optLevel, threads, cache: false });
  try {
    const { kernels, functions, ...stats } = program.stats;
    const graphs = graphsData(graph, kernels, made);
    const sizes = sizesOf(graph, given);
    /** @type {MemoryPlan} */
    const formulas = program.memory();
    /** @type {() => MemoryPlan} */
    const evaluate = () => program.memory(sizes);
    // Sizes that were asked for must do; those that nobody chose may not.
    const memory = Object.keys(given).length > 0 ? { value: evaluate(), reason: '' } : attempt(evaluate);
    const profile = attempt(() => (measured && memory.value ? profileOf(program, memory.value, seed) : null));
    return {
      name: graph.name,
      options: { numerics, optLevel, threads: stats.threads, sizes },
      machine: measured
        ? machine({ threads: stats.threads })
        : { model: os.cpus()[0]?.model ?? '', cores: os.availableParallelism() },
      stats,
      graphs,
      functions: /** @type {import('../index.d.ts').FunctionInfo[]} */ (functions).map((own, i) => ({
        ...own,
        ...graphs.functions[i],
      })),
      kernels: /** @type {KernelInfo[]} */ (kernels),
      memory: { formulas, bytes: memory.value, reason: memory.reason },
      profile: profile.value,
      profileReason: measured ? profile.reason || memory.reason : 'not measured',
      code: codeOf(program),
    };
  } finally {
    program.dispose();
  }
}

module.exports = { viewData };
