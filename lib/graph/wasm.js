/**
 * toWasm: modules from C, one per variant, and beside them the texts that make them usable anywhere: the
 * loader, which is the same for all modules, the typings of this one, and both in one file.
 *
 * The loader is kept minified (lib/web/*.min.mjs, written by scripts/loader.js), since it is made to be
 * shipped; lib/web/index.mjs is what to read. Base64 for the one file is decoded by code of ours: the
 * functions that platforms have are bounded in length, or not there.
 */
'use strict';

const { constants: limits } = require('node:buffer');
const fs = require('node:fs');
const path = require('node:path');
const { native } = require('../base/binding.js');
const { boolean, expected, integer, oneOf, readOptions } = require('../base/check.js');
const { fail } = require('../base/errors.js');
const { NUMERICS, numericsOption } = require('../base/numerics.js');
const { dtypes } = require('../tensor/dtypes.js');
const { shrink } = require('./wasm-opt.js');

/** @typedef {import('../base/binding.js').Handle} Handle */
/** @typedef {import('../base/binding.js').Size} Size */
/** @typedef {{ name: string, dtype: import('../tensor/dtypes.js').DType, shape: readonly Size[] }} Port */
/** @typedef {'mvp' | 'simd' | 'relaxed'} Variant */

/** What an engine must know, from little to much: the order is that of gj_wasm_variant. */
const VARIANTS = /** @type {readonly Variant[]} */ (Object.freeze(['mvp', 'simd', 'relaxed']));
const variantOption = oneOf(VARIANTS);
const WEIGHTS = oneOf(/** @type {const} */ (['inside', 'separate']));

/** @type {import('../base/check.js').Getter<Variant[]>} */
function variantsOption(value, which, caller) {
  if (!Array.isArray(value) || value.length === 0) return expected(caller, 'an array of variants', which, value);
  const given = Array.from(value, (each, i) => variantOption(each, `${which}[${i}]`, caller));
  return VARIANTS.filter((each) => given.includes(each));
}

/** @type {import('../base/check.js').Getter<boolean | 'auto'>} */
function optimizeOption(value, which, caller) {
  if (value === 'auto' || typeof value === 'boolean') return value;
  return expected(caller, "'auto', true or false", which, value);
}

// ---------------------------------------------------------------------------------------- texts

/** @type {(name: 'index' | 'threads' | 'function' | 'columns') => string} */
const loaderOf = (name) => fs.readFileSync(path.join(__dirname, '..', 'web', `${name}.min.mjs`), 'utf8');

const DECODE = `const decode = (text) => {
  const codes = new Uint8Array(128);
  [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'].forEach((char, i) => (codes[char.charCodeAt(0)] = i));
  const bytes = new Uint8Array(Math.floor((text.length * 3) / 4));
  let [held, bits, at] = [0, 0, 0];
  for (let i = 0; i < text.length; i++) {
    held = (held << 6) | codes[text.charCodeAt(i)];
    bits += 6;
    if (bits >= 8) bytes[at++] = held >> (bits -= 8);
  }
  return bytes;
};`;

const base64 = (/** @type {Uint8Array} */ bytes) =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64').replace(/=+$/, '');

/** What a text of the engine has room for, in base64 and beside the loader. */
const MOST_BUNDLED = Math.floor((limits.MAX_STRING_LENGTH - 2 ** 20) * 0.75);

/**
 * Loader and modules in one file.
 *
 * @type {(name: string, loader: string, modules: Record<string, Uint8Array>) => string}
 */
function bundle(name, loader, modules) {
  const total = Object.values(modules).reduce((sum, bytes) => sum + bytes.length, 0);
  if (total > MOST_BUNDLED) {
    fail(
      'ERR_UNSUPPORTED',
      `toWasm: modules of ${total} bytes are too many for one text, which holds ${MOST_BUNDLED}; ask for fewer variants, or weights: 'separate'`,
    );
  }
  const [tail, local] = /** @type {RegExpExecArray} */ (/export\s*\{\s*([\w$]+) as load\s*\};?\s*$/.exec(loader));
  const fields = Object.entries(modules).map(
    ([variant, bytes]) => `  get ${variant}() { return decode('${base64(bytes)}'); },`,
  );
  const shown = JSON.stringify(name).replace(/[\u2028\u2029]/g, ' '); // which end a line
  return `// The program ${shown}, made by graphjit: \`const program = await load()\`.
const loadModule = (() => {
${loader.slice(0, -tail.length)}
return ${local};
})();
${DECODE}
const modules = {
${fields.join('\n')}
};
export const load = (options) => loadModule(modules, options);
export default load;
`;
}

/** @type {(name: string) => string} */
const propertyName = (name) => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name));

/** Text of the user inside a comment of ours. @type {(text: string) => string} */
const inComment = (text) => text.replaceAll('*/', '*\\/');

/** @type {(inputs: Port[], outputs: Port[], threads: boolean) => string} */
function typesText(inputs, outputs, threads) {
  const className = (/** @type {Port} */ port) => dtypes[port.dtype].arrayType.name;
  const comment = (/** @type {Port} */ { dtype, shape }) => `/** ${inComment(`${dtype}[${shape.join(', ')}]`)} */`;
  /** @type {(ports: Port[], type: (port: Port) => string) => string} */
  const fields = (ports, type) =>
    ports.map((port) => `  ${comment(port)}\n  ${propertyName(port.name)}: ${type(port)};\n`).join('');
  const array = (/** @type {Port} */ port) => `Shaped<${className(port)}>`;
  const scalar = (/** @type {Port} */ port) =>
    port.shape.length === 0 && !dtypes[port.dtype].half ? ' | number | bigint | boolean' : '';
  const listed = (/** @type {Port[]} */ ports) =>
    ports
      .map(
        ({ name, dtype, shape }) =>
          `\n  { name: ${JSON.stringify(name)}; dtype: '${dtype}'; shape: ${JSON.stringify(shape)} },`,
      )
      .join('');
  return `/** A typed array, or one with the shape that its length alone does not tell, such as an array of \`allocate\`. */
export type Shaped<A> = A | { readonly data: A; readonly shape: readonly number[] };

export interface Result<A> {
  readonly data: A;
  readonly dtype: DType;
  readonly shape: readonly number[];
}

export interface Inputs {
${fields(inputs, (port) => array(port) + scalar(port))}}

/** Arrays that receive the results. */
export interface Outputs {
${fields(outputs, array)}}

export interface Results {
${fields(outputs, (port) => `Result<${className(port)}>`)}}

export interface BoundCall {
  (): Results;
  readonly outputs: Results;
  /** Gives back the memory that the function keeps for its runs. */
  free(): void;
}

export interface ArrayTypes {
${Object.values(dtypes)
  .map(({ name, arrayType }) => `  ${name}: ${arrayType.name};\n`)
  .join('')}}
export type DType = keyof ArrayTypes;

/** An array in the memory of the program. */
export interface Allocated<D extends DType> extends Result<ArrayTypes[D]> {
  /** A view, made anew after memory has grown: do not keep it. */
  readonly data: ArrayTypes[D];
  readonly dtype: D;
  free(): void;
}

export interface Program {
  readonly inputs: readonly [${listed(inputs)}
  ];
  readonly outputs: readonly [${listed(outputs)}
  ];
  readonly memory: { readonly buffer: ArrayBufferLike };
  run(inputs: Inputs, outputs?: Outputs): Results;
  /** A function that runs on these very arrays, whatever they hold when it is called. */
  bind(inputs: Inputs, outputs?: Outputs): BoundCall;
  /** An array that runs use where it lies. Its content is not cleared. */
  allocate<D extends DType>(dtype: D, shape: number | readonly number[]): Allocated<D>;
${threads ? '  /** Threads of a run, the calling one among them. */\n  readonly threads: number;\n' : ''}  /** Frees all arrays; the program cannot run any more. */
  dispose(): void;
}

/** What the file that holds loader and modules exports. */
export function load(options?: {
  weights?: string | URL | Response | ArrayBuffer | ArrayBufferView | PromiseLike<Response>;${threads ? '\n  threads?: number;\n  worker?: string | URL;' : ''}
}): Promise<Program>;
export default load;
`;
}

// -------------------------------------------------------------------------------------- compiling

/** What toWasm returns: all but the text that is made when it is asked for. */
class WasmModule {
  #name;

  /** @param {string} name @param {{ bytes: Uint8Array, modules: Record<string, Uint8Array>, weights: Uint8Array | null, loader: string, types: string }} parts */
  constructor(name, { bytes, modules, weights, loader, types }) {
    this.#name = name;
    this.bytes = bytes;
    this.modules = Object.freeze(modules);
    this.weights = weights;
    this.loader = loader;
    this.types = types;
    Object.freeze(this);
  }

  get mjs() {
    return bundle(this.#name, this.loader, this.modules);
  }
}

/**
 * @param {string} caller
 * @param {Handle} graph
 * @param {unknown} options
 */
function toWasm(caller, graph, options) {
  const {
    numerics = 'strict',
    optLevel = 3,
    variants = ['simd'],
    weights: place = 'inside',
    threads = false,
    optimize = false,
  } = readOptions(caller, options, {
    numerics: numericsOption,
    optLevel: integer(0, 3),
    variants: variantsOption,
    weights: WEIGHTS,
    threads: boolean,
    optimize: optimizeOption,
  });
  /** @type {Record<string, Uint8Array>} */
  const made = {};
  /** @type {Uint8Array | null} */
  let weights = null;
  for (const variant of /** @type {Variant[]} */ (variants)) {
    const level = VARIANTS.indexOf(variant);
    const compiled = native.wasmCompile(graph, NUMERICS[numerics], optLevel, level, place === 'separate', threads);
    made[variant] = compiled.bytes;
    weights = compiled.weights;
  }
  const modules = shrink(caller, made, { threads, optimize });
  const portOf = (/** @type {import('../base/binding.js').NamedRef} */ { name, ref }) => {
    const { dtype, shape } = native.graphNode(graph, ref);
    return { name, dtype, shape };
  };
  const types = typesText(native.graphInputs(graph).map(portOf), native.graphOutputs(graph).map(portOf), threads);
  const bytes = /** @type {Uint8Array} */ (Object.values(modules).at(-1));
  const loader = loaderOf(threads ? 'threads' : 'index');
  return new WasmModule(native.graphName(graph), { bytes, modules, weights, loader, types });
}

module.exports = { VARIANTS, WasmModule, bundle, loaderOf, optimizeOption, propertyName, toWasm, variantsOption };
