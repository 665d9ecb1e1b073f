/**
 * Forests outside of this process: as a module of WebAssembly, a function from rows to predictions, and as an object
 * for C.
 *
 * The table is constant data of the code, which goes through all rows on the thread of its caller and transforms sums
 * itself. In a module, memory to work in and for the results is made by each call; C is told how much to give.
 */
'use strict';

const { native } = require('../base/binding.js');
const { integer, oneOf, readOptions } = require('../base/check.js');
const { hexOf } = require('../base/code-text.js');
const { fail } = require('../base/errors.js');
const { NUMERICS } = require('../base/numerics.js');
const { compileObject, objectOptions, textOption } = require('../graph/object-file.js');
const { shrink } = require('../graph/wasm-opt.js');
const { WasmModule, VARIANTS, loaderOf, optimizeOption, variantsOption } = require('../graph/wasm.js');
const { isLinear } = require('./linear.js');

/** @typedef {import('./trees.js').Definition} Definition */
/** @typedef {import('./run.js').Float} Float */
/** @typedef {'prediction' | 'margin'} Output */
/** What is exported. @typedef {{ definition: Definition, table: Uint8Array, ranges: Int32Array, iterations: number, workBytes: number }} Exported */
/** How. `vectors`: whether the target has such. @typedef {{ output: Output, dtype: Float, vectors: boolean }} Face */

const FACE = { output: oneOf(/** @type {const} */ (['prediction', 'margin'])), dtype: oneOf(/** @type {const} */ (['f32', 'f64'])) };
/** What a module returns for arrays that are no rows, and for no memory. */
const [NO_ROWS, NO_MEMORY] = [16, 2];

/** @type {(definition: Definition) => Float} */
const sumsType = ({ doubles }) => (doubles ? 'f64' : 'f32');

// --- what becomes of sums ---

/** Lines for each sum: what becomes of it. Names are taken once in a function. @type {(type: Float, apply: (sum: string) => string, tag?: string) => string[]} */
const eachSum = (type, apply, tag = '') => [
  `for i${tag} = 0 to mul(n, GROUPS) step 1 {`,
  `  let sum${tag}: ${type} = out[i${tag}]`,
  `  out[i${tag}] = ${apply(`sum${tag}`)}`,
  '}',
];

/** @type {(type: Float) => string[]} */
const softmaxLines = (type) => [
  'for r = 0 to n step 1 {',
  '  let at: i64 = mul(r, GROUPS)',
  `  let most: ${type} = out[at]`,
  '  for g = 1 to GROUPS step 1 {', '    most = max(most, out[add(at, g)])', '  }',
  '  let total: f64 = 0:f64',
  '  for g2 = 0 to GROUPS step 1 {',
  `    let part: ${type} = exp(sub(out[add(at, g2)], most))`,
  '    out[add(at, g2)] = part',
  '    total = add(total, convert<f64>(part))',
  '  }',
  `  let all: ${type} = convert<${type}>(total)`,
  '  for g3 = 0 to GROUPS step 1 {', '    out[add(at, g3)] = div(out[add(at, g3)], all)', '  }',
  '}',
];

/** As objectives.js has them. @type {Record<import('./objectives.js').Transform, (type: Float, factor: string) => string[]>} */
const TRANSFORMS = {
  identity: () => [],
  sigmoid: (type, factor) => eachSum(type, (v) => `div(1:${type}, add(1:${type}, exp(mul(neg(${factor}), ${v}))))`),
  sigmoids: (type, factor) => TRANSFORMS.sigmoid(type, factor),
  softmax: softmaxLines,
  exp: (type) => eachSum(type, (v) => `exp(${v})`),
  sign: (type) => eachSum(type, (v) => `select(lt(0:${type}, ${v}), 1:${type}, 0:${type})`),
  signedSquare: (type) => eachSum(type, (v) => `mul(abs(${v}), ${v})`),
  log1pExp: (type) => eachSum(type, (v) => `log1p(exp(${v}))`),
};

/** A number in Loop IR. @type {(number: number, type: Float) => string} */
const literal = (number, type) =>
  `${Number.isNaN(number) ? 'nan' : Math.abs(number) === Infinity ? (number > 0 ? 'inf' : '-inf') : number}:${type}`;

/** @type {(exported: Exported, output: Output) => string[]} what is done to sums that lie in `out` */
function finishLines({ definition, iterations }, output) {
  const { scale, bias, average, groups, objective } = definition;
  const type = sumsType(definition);
  const lines = [];
  if (average && iterations > 1) lines.push(...eachSum(type, (v) => `div(${v}, ${literal(iterations, type)})`, '_all'));
  if (scale !== 1 || bias.some((each) => each !== 0)) {
    lines.push('for s = 0 to n step 1 {');
    bias.forEach((each, g) => {
      const at = `add(mul(s, GROUPS), ${g})`;
      lines.push(`  out[${at}] = add(mul(${literal(scale, type)}, out[${at}]), ${literal(each, type)})`);
    });
    lines.push('}');
  }
  if (output === 'prediction') lines.push(...TRANSFORMS[objective.transform](type, literal(objective.factor, type)));
  return lines.map((line) => line.replaceAll('GROUPS', String(groups)));
}

// --- modules of Loop IR ---

/** What all have: data, the library, a function from rows to results. @type {(exported: Exported, face: Face) => string} */
function commonText(exported, { output, dtype, vectors }) {
  const { definition, table, ranges } = exported;
  const type = sumsType(definition);
  const list = Array.from({ length: 8 }, (_, i) => `a${i}: i64`).join(', ');
  const call = `do call lib(address(data<0>), address(x), ${dtype === 'f64' ? 1 : 0}, address(data<1>), address(out), 0, n, address(work))`;
  const lines = [call, ...finishLines(exported, output)].map((line) => `    ${line}\n`);
  return `  data 0: u8[${table.length}] = hex "${hexOf(table)}"
  data 1: i32[${ranges.length}] = hex "${hexOf(new Uint8Array(ranges.buffer, ranges.byteOffset, ranges.byteLength))}"
  library "forest_${vectors ? 'sums' : 'walks'}_${type}" func lib(${list})
  func rows(x: ${dtype}* noalias readonly, out: ${type}* noalias, work: u8* noalias, n: i64) {
${lines.join('')}  }
`;
}

/** By the slots and arrays of a call (lib/web/function.mjs). @type {(exported: Exported, face: Face) => string} */
function wasmText(exported, face) {
  const { definition: { features, groups }, workBytes } = exported;
  const type = sumsType(exported.definition);
  return `module "forest" {
${commonText(exported, face)}  entry func main() -> i32 {
    let slots: i64* = buffer<0, i64>
    let n: i64 = ${features === 0 ? '0' : `div(dim<0>, ${features})`}
    if (ne(mul(n, ${features}), dim<0>)) {
      return ${NO_ROWS}:i32
    }
    let out: ${type}* = alloc<${type}>(max(1, mul(n, ${groups})))
    if (is_null(out)) {
      return ${NO_MEMORY}:i32
    }
    let work: u8* = alloc<u8>(${workBytes})
    if (is_null(work)) {
      return ${NO_MEMORY}:i32
    }
    do call rows(buffer<1, ${face.dtype}>, out, work, n)
    slots[0] = address(out)
    slots[1] = mul(n, ${groups})
    slots[2] = 1
    return 0:i32
  }
}
`;
}

/** @type {(exported: Exported, face: Face) => string} */
function objectText(exported, face) {
  return `module "forest" {
${commonText(exported, face)}  export func F0(x: ${face.dtype}* noalias readonly, n: i64, out: ${sumsType(exported.definition)}* noalias, work: u8* noalias) -> i32 {
    do call rows(x, out, work, n)
    return 0:i32
  }
}
`;
}

/** @type {(caller: string, exported: Exported, face: { output?: Output, dtype?: Float }) => Face} */
function faceOf(caller, { definition }, { output = 'prediction', dtype = 'f32' }) {
  if (isLinear(definition)) fail('ERR_UNSUPPORTED', `${caller}: a forest with linear leaves is not exported`);
  if (output === 'prediction' && definition.objective.gives === 'class')
    fail('ERR_UNSUPPORTED', `${caller}: ${definition.objective.name} predicts classes: export { output: 'margin' }`);
  return { output, dtype, vectors: true };
}

// --- WebAssembly ---

/** @type {Record<Float, string>} */
const CLASSES = { f32: 'Float32Array', f64: 'Float64Array' };

/** @type {(exported: Exported, face: Face) => string} what the loader has to know */
function describe({ definition }, { dtype }) {
  const type = sumsType(definition);
  const message = [`forest: expected rows of ${definition.features} features`];
  return JSON.stringify({
    name: 'forest', plain: '', params: [{ kind: 'array', dtype }], texts: [CLASSES[dtype]], ports: [], written: [false],
    result: { kind: 'array', dtype: type, slot: 0, tag: null }, sets: [], slots: 3, sites: [{ type: 'RangeError', message, values: [] }],
  });
}

/** @type {(exported: Exported, face: Face) => string} */
const typesText = ({ definition }, { dtype }) => `/** Of rows of ${definition.features} features, ${definition.groups} numbers each. */
export type Forest = ((rows: ${CLASSES[dtype]}) => ${CLASSES[sumsType(definition)]}) & { readonly memory: WebAssembly.Memory };
/** What the file that holds loader and modules exports. */
export function load(): Promise<Forest>;
export default load;
`;

/** @type {(exported: Exported, options: unknown) => WasmModule} */
function toWasm(exported, options) {
  const read = readOptions('toWasm', options, {
    ...FACE, optLevel: integer(0, 3), variants: variantsOption, optimize: optimizeOption,
  });
  const { optLevel = 3, variants = ['simd'], optimize = false } = read;
  const face = faceOf('toWasm', exported, read);
  /** @type {Record<string, Uint8Array>} */
  const made = {};
  const description = describe(exported, face);
  for (const variant of /** @type {import('../graph/wasm.js').Variant[]} */ (variants)) {
    const text = wasmText(exported, { ...face, vectors: variant !== 'mvp' });
    made[variant] = native.wasmFunction(text, NUMERICS.strict, optLevel, VARIANTS.indexOf(variant), false, '', description);
  }
  const modules = shrink('toWasm', made, { threads: false, optimize });
  const bytes = /** @type {Uint8Array} */ (Object.values(modules).at(-1));
  return new WasmModule('forest', { bytes, modules, weights: null, loader: loaderOf('function'), types: typesText(exported, face) });
}

// --- C ---

/** @type {(symbol: string) => string} an identifier of C */
const symbolOf = (symbol) => native.objectWords('forest', symbol, '').symbol;

/** @type {(exported: Exported, options: unknown) => Uint8Array | string} */
function toObject(exported, options) {
  const given = objectOptions('toObject', options, { numerics: 'strict' }, FACE);
  const text = objectText(exported, faceOf('toObject', exported, given));
  return compileObject(given, (target, cpu, features, numerics, optLevel, what) =>
    native.objectFunction(text, target, cpu, features, symbolOf(given.symbol), numerics, optLevel, what, false));
}

/** @type {(exported: Exported, options: unknown) => string} */
function toHeader(exported, options) {
  const { symbol: given = '', ...read } = readOptions('toHeader', options, { ...FACE, symbol: textOption });
  const { dtype, output } = faceOf('toHeader', exported, read);
  const { definition, workBytes } = exported;
  const symbol = symbolOf(given);
  const [from, to] = [dtype, sumsType(definition)].map((type) => (type === 'f64' ? 'double' : 'float'));
  const guard = `GRAPHJIT_${symbol.toUpperCase()}_H`;
  return `// ${symbol}: a forest of ${definition.trees.length} trees, made by graphjit ${native.version}.
//
// Gives the ${output} of rows: x is [rows, ${symbol}_features], row-major; NaN is a missing value. out is [rows,
// ${symbol}_outputs]. work is memory to work in, of ${symbol}_work bytes, which 64 had better divide; threads that go
// through rows at the same time have one each. Returns 0. C11 or C++11, and no library.
#ifndef ${guard}
#define ${guard}
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { ${symbol}_features = ${definition.features}, ${symbol}_outputs = ${definition.groups}, ${symbol}_work = ${workBytes} };

int32_t ${symbol}(const ${from} *x, int64_t rows, ${to} *out, void *work);

#ifdef __cplusplus
}
#endif

#endif
`;
}

module.exports = { toHeader, toObject, toWasm };
