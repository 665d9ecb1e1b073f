/**
 * toWasm: a module from C, and beside it the two texts that make it usable anywhere: a loader (an ES
 * module without imports: lib/web/runtime.mjs and a description of the program) and its typings.
 *
 * Sizes are known only when a run begins, so the description holds them as code over the values of the
 * symbols, and with them every check that C makes for a native run when it binds symbols: that no size
 * is negative, that slices stay inside, that reshapes keep the number of elements.
 */
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const { dtypes } = require('./dtypes.js');
const { native } = require('./native.js');

/** @typedef {import('./native.js').Handle} Handle */
/** @typedef {import('./native.js').NodeInfo} NodeInfo */
/** @typedef {import('./native.js').Size} Size */

const RUNTIME = path.join(__dirname, 'web', 'runtime.mjs');
const RUNTIME_END = '\nexport { makeInstantiate };';

/**
 * Sizes as code over `d`, the values of the symbols in their order.
 *
 * @param {Handle} handle
 * @param {readonly string[]} symbols
 * @returns {{ ofSize: (size: Size) => string, ofText: (text: string) => string }}
 */
function coder(handle, symbols) {
  // C prints symbols by name. One may be called like a reserved word, or Math, so names become indices;
  // what is left of Math are its functions, which no symbol can look like.
  const ofText = (/** @type {string} */ text) =>
    text.replace(/Math\.\w+|[A-Za-z_]\w*/g, (name) => (name.startsWith('Math.') ? name : `d[${symbols.indexOf(name)}]`));
  const ofSize = (/** @type {Size} */ size) =>
    typeof size === 'number' ? String(size) : ofText(native.wasmSize(handle, size));
  return { ofSize, ofText };
}

/**
 * The conditions that a node leaves open until sizes are known, as calls of `require(truth, message)`.
 *
 * @param {NodeInfo} node
 * @param {(ref: number) => NodeInfo} nodeOf
 * @param {(size: Size) => string} code
 * @returns {string[]}
 */
function conditionsOf(node, nodeOf, code) {
  const { op, ref, shape, operands, attrs } = node;
  const place = `${op} (%${ref})`;
  const lines = shape.flatMap((size, axis) => {
    if (typeof size === 'number') return [];
    return [[`isSize(${code(size)})`, `${place}: the size of axis ${axis}, ${size}, is not in range`]];
  });
  const from = operands.length > 0 ? nodeOf(operands[0]).shape : [];
  const product = (/** @type {Size[]} */ sizes) => ['1', ...sizes.map(code)].join(' * ');
  if (op === 'reshape') {
    const message = `${place}: [${from.join(', ')}] and [${shape.join(', ')}] differ in the number of elements`;
    lines.push([`${product(from)} === ${product(shape)}`, message]);
  }
  if (op === 'slice') {
    const [start, stride] = [/** @type {Size[]} */ (attrs.start), /** @type {Size[]} */ (attrs.stride)];
    from.forEach((size, axis) => {
      const values = [size, shape[axis], start[axis], stride[axis]].map(code);
      lines.push([`isInside(${values.join(', ')})`, `${place}: the slice leaves axis ${axis} of size ${size}`]);
    });
  }
  if (op === 'dynamic_slice' || op === 'update_slice') {
    const window = op === 'dynamic_slice' ? shape : nodeOf(operands[1]).shape;
    from.forEach((size, axis) => {
      const message = `${place}: the window, ${window[axis]}, is larger than axis ${axis} of size ${size}`;
      lines.push([`${code(window[axis])} <= ${code(size)}`, message]);
    });
  }
  return lines
    .filter(([truth]) => truth.includes('d['))
    .map(([truth, message]) => `    require(${truth}, ${JSON.stringify(message)});`);
}

/** The nodes that outputs depend on. @type {(nodes: readonly NodeInfo[], roots: readonly number[]) => NodeInfo[]} */
function reachable(nodes, roots) {
  const live = new Set(roots);
  for (const node of nodes.toReversed()) {
    if (live.has(node.ref)) node.operands.forEach((operand) => live.add(operand));
  }
  return nodes.filter((node) => live.has(node.ref));
}

/** @typedef {{ name: string, dtype: import('./dtypes.js').DType, shape: Size[] }} Port */

/** @type {(description: { symbols: string[], inputs: Port[], outputs: Port[], scratch: string, checks: string[] }, code: (size: Size) => string) => string} */
function loaderText({ symbols, inputs, outputs, scratch, checks }, code) {
  const source = fs.readFileSync(RUNTIME, 'utf8');
  const runtime = source.slice(0, source.lastIndexOf(RUNTIME_END));
  const plain = (/** @type {Port[]} */ ports) =>
    JSON.stringify(ports.map(({ name: own, dtype, shape }) => ({ name: own, dtype, shape })));
  const sizes = (/** @type {Port[]} */ ports) => ports.map(({ shape }) => `[${shape.map(code).join(', ')}]`).join(', ');
  return `// The loader of a wasm module, both written by graphjit.
${runtime}
/** @type {(size: number, count: number, start: number, stride: number) => boolean} */
const isInside = (size, count, start, stride) => {
  const last = start + stride * (count - 1);
  return count === 0 || (start >= 0 && start < size && last >= 0 && last < size);
};

export const instantiate = makeInstantiate({
  symbols: ${JSON.stringify(symbols)},
  inputs: ${plain(inputs)},
  outputs: ${plain(outputs)},
  sizes: (d) => ({ inputs: [${sizes(inputs)}], outputs: [${sizes(outputs)}], scratch: ${scratch} }),
  check: (d, require) => {
${checks.join('\n')}
  },
});
`;
}

/** @type {(inputs: Port[], outputs: Port[]) => string} */
function typesText(inputs, outputs) {
  const className = (/** @type {Port} */ port) => dtypes[port.dtype].arrayType.name;
  const comment = (/** @type {Port} */ { dtype, shape }) => `/** ${dtype}[${shape.join(', ')}] */`;
  /** @type {(ports: Port[], type: (port: Port) => string) => string} */
  const fields = (ports, type) =>
    ports.map((port) => `  ${comment(port)}\n  ${JSON.stringify(port.name)}: ${type(port)};`).join('\n');
  const array = (/** @type {Port} */ port) => `Shaped<${className(port)}>`;
  const scalar = (/** @type {Port} */ port) => (port.shape.length === 0 ? ' | number | bigint | boolean' : '');
  return `/** A typed array, or one with the shape that its length alone does not tell. */
export type Shaped<A> = A | { readonly data: A; readonly shape: readonly number[] };

export interface Result<A> {
  readonly data: A;
  readonly dtype: string;
  readonly shape: readonly number[];
}

export interface Inputs {
${fields(inputs, (port) => array(port) + scalar(port))}
}

/** Arrays that receive the results. */
export interface Outputs {
${fields(outputs, array)}
}

export interface Results {
${fields(outputs, (port) => `Result<${className(port)}>`)}
}

export interface Port {
  readonly name: string;
  readonly dtype: string;
  readonly shape: readonly (number | string)[];
}

export interface Instance {
  /** Copies the inputs into the memory, runs, and copies the results out. */
  run(inputs: Inputs, outputs?: Outputs): Results;
  readonly memory: WebAssembly.Memory;
  readonly inputs: readonly Port[];
  readonly outputs: readonly Port[];
}

/** Compiles and instantiates the module. Its memory grows when a run needs more. */
export function instantiate(source: BufferSource | WebAssembly.Module): Promise<Instance>;
`;
}

/**
 * @param {Handle} handle of the graph
 * @param {readonly NodeInfo[]} nodes of the graph
 * @param {{ bytes: Uint8Array, scratch: string, symbols: string[] }} compiled
 * @returns {Readonly<{ bytes: Uint8Array, loader: string, types: string }>}
 */
function toWasm(handle, nodes, { bytes, scratch, symbols }) {
  const nodeOf = (/** @type {number} */ ref) => nodes[ref - 1];
  const { ofSize, ofText } = coder(handle, symbols);
  const portOf = (/** @type {import('./native.js').NamedRef} */ { name: own, ref }) => {
    const { dtype, shape } = nodeOf(ref);
    return { name: own, dtype, shape };
  };
  const inputs = native.graphInputs(handle).map(portOf);
  const results = native.graphOutputs(handle);
  const outputs = results.map(portOf);
  const live = reachable(
    nodes,
    results.map(({ ref }) => ref),
  );
  const checks = live.flatMap((node) => (node.op === 'param' ? [] : conditionsOf(node, nodeOf, ofSize)));
  const description = { symbols, inputs, outputs, scratch: ofText(scratch), checks };
  return Object.freeze({ bytes, loader: loaderText(description, ofSize), types: typesText(inputs, outputs) });
}

module.exports = { toWasm };
