/**
 * Maps, sets, ranges and tries outside of this process: as modules of WebAssembly and as objects for C, with the tables
 * inside.
 *
 * What is exported is the kernel of batches (requests.js), whose arrays are constant data of the code: a function from
 * many keys to many values on the thread of its caller. C gets one for a single key in the header.
 */
'use strict';

const { native } = require('../base/binding.js');
const { integer, oneOf, readOptions } = require('../base/check.js');
const { C_TYPES, hexOf } = require('../base/code-text.js');
const { fail } = require('../base/errors.js');
const { NUMERICS } = require('../base/numerics.js');
const { compileObject, objectOptions, textOption } = require('../graph/object-file.js');
const { shrink } = require('../graph/wasm-opt.js');
const { WasmModule, VARIANTS, loaderOf, optimizeOption, variantsOption } = require('../graph/wasm.js');
const { UNIT } = require('./kernels.js');
const { checkFace, checkMissing, missingOf } = require('./results.js');
const { ARRAYS, DTYPES, classOf, plain } = require('./words.js');

/** @typedef {import('./requests.js').Request} Request */
/** @typedef {import('./requests.js').Output} Output */
/** @typedef {'f64' | 'i64' | 'u64' | 'texts'} Keys */
/**
 * What is exported. `values` by what the request asks for.
 *
 * @typedef {object} Exported
 * @property {string} what a map of 5 numbers
 * @property {string} name
 * @property {Keys} keys
 * @property {any} values
 * @property {unknown} missing unless it is told; undefined for what there is among these values
 * @property {any} entries values by index, null of a set
 * @property {(output: Output, width: number) => Request} request `width`: bytes of an offset of texts
 */
/** @typedef {{ of?: 'value' | 'index', missing?: unknown }} Face */
/** What results are. @typedef {{ dtype: string, output: Output }} Result */

const FACE = { of: oneOf(/** @type {const} */ (['value', 'index'])), missing: (/** @type {unknown} */ value) => value };
/** What a module returns for no memory. */
const NO_MEMORY = 2;
const OFFSET_BYTES = 4;
const EXPORT = 'F0';
/** What modules call it. */
const MANY = 'find_many';

/** @type {(dtype: string) => any} */
const classFor = (dtype) => ARRAYS[DTYPES.indexOf(dtype)];

// --- what is found ---

/** Values as a typed array. @type {(caller: string, values: any) => any} */
function valuesOf(caller, values) {
  if (classOf(values) !== undefined) return plain(values);
  const other = values.findIndex((/** @type {unknown} */ value) => typeof value !== 'number' && value !== undefined);
  if (other >= 0) fail('ERR_UNSUPPORTED', `${caller}: values that are not numbers stay in JavaScript; their indices do not, by { of: 'index' }`);
  return Float64Array.from(values, Number);
}

/** @type {(caller: string, exported: Exported, face: Face) => Result} */
function resultOf(caller, exported, { of = 'value', missing: given }) {
  checkFace(caller, of, given);
  const missing = given === undefined ? exported.missing : given;
  if (of === 'index') return { dtype: 'i32', output: { values: null, missing: -1 } };
  const values = valuesOf(caller, exported.values);
  checkMissing(caller, values, missing);
  return { dtype: DTYPES[Number(classOf(values))], output: { values, missing: missingOf(values, missing) } };
}

// --- modules of Loop IR ---

/** The arrays of a request as data, by place. @type {(request: Request) => { lines: string[], places: Map<number, number> }} */
function dataOf({ arrays }) {
  /** @type {string[]} */
  const lines = [];
  /** @type {Map<number, number>} */
  const places = new Map();
  arrays.forEach((array, i) => {
    if (array === null) return;
    const own = plain(array);
    const filled = own.length > 0 ? own : new own.constructor(1);
    places.set(i, lines.length);
    lines.push(`  data ${lines.length}: ${DTYPES[Number(classOf(own))]}[${filled.length}] = hex "${hexOf(filled)}"`);
  });
  return { lines, places };
}

/** What comes from outside, as parameters. @type {(keys: Keys, dtype: string) => string} */
function paramsText(keys, dtype) {
  const given = keys === 'texts' ? 'keys: u8* noalias readonly, offsets: i32* noalias readonly' : `keys: ${keys}* noalias readonly`;
  return `${given}, n: i64, out: ${dtype}* noalias`;
}

/** Data, the library, a function from keys to results. @type {(keys: Keys, result: Result, request: Request) => string} */
function commonText(keys, { dtype }, request) {
  const { kernel, slots, arrays, out, offsets } = request;
  const { lines, places } = dataOf(request);
  const given = new Map([[0, 'keys'], [out, 'out'], ...(offsets === undefined ? [] : [/** @type {const} */ ([offsets, 'offsets'])])]);
  const addressOf = (/** @type {number} */ i) => {
    const name = given.get(i) ?? (places.has(i) ? `data<${places.get(i)}>` : undefined);
    return name === undefined ? '0' : `address(${name})`;
  };
  return `${lines.join('\n')}
  library "${kernel}" func work(slots: i64, table: i64, begin: i64, end: i64) -> i64
  func find(${paramsText(keys, dtype)}) {
    array slots: i64[${slots.length + 2}]
    array table: i64[${arrays.length}]
    slots[0] = div(add(n, ${UNIT - 1}), ${UNIT})
    slots[1] = n
${slots.map((slot, i) => `    slots[${i + 2}] = ${slot}:i64`).join('\n')}
${arrays.map((_, i) => `    table[${i}] = ${addressOf(i)}`).join('\n')}
    let done: i64 = call work(address(slots), address(table), 0, slots[0])
  }
`;
}

/** As C and who instantiates a module calls it. @type {(keys: Keys, result: Result) => string} */
const exportText = (keys, { dtype }) => `  export func ${EXPORT}(${paramsText(keys, dtype)}) {
    do call find(keys, ${keys === 'texts' ? 'offsets, ' : ''}n, out)
  }
`;

/** By the slots and arrays of a call (lib/web/function.mjs). @type {(keys: Keys, result: Result) => string} */
function entryText(keys, { dtype }) {
  const isTexts = keys === 'texts';
  const given = isTexts ? 'buffer<1, u8>, buffer<2, i32>' : `buffer<1, ${keys}>`;
  return `  entry func main() -> i32 {
    let slots: i64* = buffer<0, i64>
    let n: i64 = ${isTexts ? 'sub(dim<1>, 1)' : 'dim<0>'}
    let out: ${dtype}* = alloc<${dtype}>(max(1, n))
    if (is_null(out)) {
      return ${NO_MEMORY}:i32
    }
    do call find(${given}, n, out)
    slots[0] = address(out)
    slots[1] = n
    slots[2] = 1
    return 0:i32
  }
`;
}

/** @type {(body: string) => string} */
const moduleText = (body) => `module "map" {\n${body}}\n`;

// --- WebAssembly ---

/** What the loader takes. @type {(keys: Keys) => string} */
const keysText = (keys) => (keys === 'texts' ? 'an array of strings or { bytes, offsets }' : classFor(keys).name);

/** What the loader has to know. @type {(exported: Exported, result: Result) => string} */
const describe = ({ name, keys }, { dtype }) =>
  JSON.stringify({
    name, plain: '', params: [keys === 'texts' ? { kind: 'texts' } : { kind: 'array', dtype: keys }], texts: [keysText(keys)],
    ports: [], written: [false, false], result: { kind: 'array', dtype, slot: 0, tag: null }, sets: [], slots: 3, sites: [],
  });

/** @type {(exported: Exported, result: Result) => string} */
function typesText({ what, keys }, { dtype, output }) {
  const taken = keys === 'texts' ? 'readonly string[] | { readonly bytes: Uint8Array; readonly offsets: Int32Array }' : classFor(keys).name;
  return `/** ${what}: of many keys ${output.values === null ? 'their indices, -1' : `their values, ${output.missing}`} where one is not there. */
export type Lookup = ((keys: ${taken}) => ${classFor(dtype).name}) & { readonly memory: WebAssembly.Memory };
/** What the file that holds loader and modules exports. */
export function load(): Promise<Lookup>;
export default load;
`;
}

/** @type {(exported: Exported, options: unknown) => WasmModule} */
function toWasm(exported, options) {
  const { optLevel = 3, variants = ['simd'], optimize = false, ...face } = readOptions('toWasm', options, {
    ...FACE, optLevel: integer(0, 3), variants: variantsOption, optimize: optimizeOption,
  });
  const { name, keys } = exported;
  const result = resultOf('toWasm', exported, face);
  const request = exported.request(result.output, OFFSET_BYTES);
  const text = moduleText(commonText(keys, result, request) + exportText(keys, result) + entryText(keys, result));
  const description = describe(exported, result);
  /** @type {Record<string, Uint8Array>} */
  const made = {};
  for (const variant of /** @type {import('../graph/wasm.js').Variant[]} */ (variants)) {
    const level = VARIANTS.indexOf(variant);
    made[variant] = native.wasmFunction(text, NUMERICS.strict, optLevel, level, false, MANY, description);
  }
  const modules = shrink('toWasm', made, { threads: false, optimize });
  const bytes = /** @type {Uint8Array} */ (Object.values(modules).at(-1));
  const types = typesText(exported, result);
  return new WasmModule(name, { bytes, modules, weights: null, loader: loaderOf('function'), types });
}

// --- C ---

/** @type {(exported: Exported, symbol: string) => string} an identifier of C */
const symbolOf = ({ name }, symbol) => native.objectWords(name, symbol, '').symbol;

/** @type {(exported: Exported, options: unknown) => Uint8Array | string} */
function toObject(exported, options) {
  const given = objectOptions('toObject', options, { numerics: 'strict' }, FACE);
  const result = resultOf('toObject', exported, given);
  const { keys } = exported;
  const request = exported.request(result.output, OFFSET_BYTES);
  const text = moduleText(commonText(keys, result, request) + exportText(keys, result));
  const symbol = symbolOf(exported, given.symbol);
  return compileObject(given, (target, cpu, features, numerics, optLevel, what) =>
    native.objectFunction(text, target, cpu, features, symbol, numerics, optLevel, what, false));
}

/** @type {(exported: Exported, options: unknown) => string} */
function toHeader(exported, options) {
  const { symbol: given = '', ...face } = readOptions('toHeader', options, { ...FACE, symbol: textOption });
  const { what, keys } = exported;
  const { dtype, output } = resultOf('toHeader', exported, face);
  const symbol = symbolOf(exported, given);
  const [type, guard] = [C_TYPES[dtype], `GRAPHJIT_${symbol.toUpperCase()}_H`];
  const isTexts = keys === 'texts';
  const many = isTexts ? 'const void *bytes, const int32_t *offsets' : `const ${C_TYPES[keys]} *keys`;
  const one = isTexts ? 'const char *key, int32_t length' : `${C_TYPES[keys]} key`;
  const call = isTexts ? '  const int32_t offsets[2] = {0, length};' : '';
  const found = output.values === null ? 'index' : 'value';
  return `// ${symbol}: ${what}, made by graphjit ${native.version}.
//
// Writes the ${found} of each of \`count\` keys to out, and ${output.missing} where a key is not there.${isTexts ? ` Keys are UTF-8, and lie
// from bytes[offsets[i]] up to bytes[offsets[i + 1]].` : ''}
// Any number of threads may call it. C11 or C++11, and no library.
#ifndef ${guard}
#define ${guard}
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

void ${symbol}(${many}, int64_t count, ${type} *out);

// The same of one key.
static inline ${type} ${symbol}_get(${one}) {
  ${type} found;
${call === '' ? '' : `${call}\n`}  ${symbol}(${isTexts ? 'key, offsets' : '&key'}, 1, &found);
  return found;
}

#ifdef __cplusplus
}
#endif

#endif
`;
}

module.exports = { toHeader, toObject, toWasm };
