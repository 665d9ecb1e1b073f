/**
 * Native functions outside of this process: WebAssembly modules, objects for C, headers of these.
 *
 * The code is made of the same typed program as the machine code of calls, for a list of types that must be known: from
 * a signature given here, or that of the function. Arrays that the function captures become constants of the code, so
 * it may not write to them.
 */
'use strict';

const { native } = require('../../base/binding.js');
const { integer, readOptions } = require('../../base/check.js');
const { fail } = require('../../base/errors.js');
const { NUMERICS, numericsOption } = require('../../base/numerics.js');
const { compileObject, objectOptions, textOption } = require('../../graph/object-file.js');
const { shrink } = require('../../graph/wasm-opt.js');
const { WasmModule, VARIANTS, loaderOf, optimizeOption, variantsOption } = require('../../graph/wasm.js');
const { emit } = require('../pipeline.js');
const { codeOf } = require('../run/compile.js');
const { typeText } = require('../source/signature.js');

/** @typedef {import('../run/callable.js').Callable} Callable */
/** @typedef {import('../run/compile.js').Code} Code */
/** @typedef {import('../emit/module.js').LoopModule} LoopModule */
/** @typedef {import('../source/types.js').ValueType} ValueType */
/** @typedef {import('../source/types.js').ResultShape} ResultShape */

// --- what is exported ---

const PASSABLE = new Set(['number', 'bigint', 'boolean', 'array', 'list', 'tensor', 'undefined', 'null']);

/** Whether code elsewhere can be given values of the type. @type {(type: ValueType) => boolean} */
function isPassable(type) {
  if (type.kind === 'tuple') return type.elements.every(isPassable);
  return type.kind === 'object' ? Object.values(type.fields).every(isPassable) : PASSABLE.has(type.kind);
}

/**
 * Loops are not divided among threads.
 *
 * @param {Callable} own
 * @param {unknown} signature
 * @param {string} caller
 * @returns {Code}
 */
function exportedCode(own, signature, caller) {
  const code = codeOf(own.unit, own.typesFor(signature, caller), { threads: 1 });
  const shown = code.types.findIndex((type) => !isPassable(type));
  if (shown >= 0) {
    fail(
      'ERR_UNSUPPORTED',
      `${caller}: parameter ${shown + 1} is ${typeText(code.types[shown])}, which code outside of JavaScript cannot be given`,
    );
  }
  const written = code.written.slice(code.written.length - code.hidden.length).indexOf(true);
  if (code.hidden.length > 0 && written >= 0) {
    fail('ERR_UNSUPPORTED', `${caller}: ${own.name} writes to an array that it captures: pass it as an argument`);
  }
  return code;
}

/**
 * Marks the slots of numbers that the program holds as an i64.
 *
 * @type {(shape: ResultShape, wholes: boolean[]) => void}
 */
function markWholes(shape, wholes) {
  if (shape.kind === 'tuple') shape.elements.forEach((each) => markWholes(each, wholes));
  else if (shape.kind === 'object') Object.values(shape.fields).forEach((each) => markWholes(each, wholes));
  else if (shape.kind === 'number') wholes[shape.slot] = shape.dtype === 'i64' || shape.dtype === 'u64';
}

/** @type {(code: Code, options: import('../emit/index.js').EmitOptions) => LoopModule} */
const moduleOf = ({ program, hidden }, options) =>
  emit(program, { constants: hidden.map(({ value }) => /** @type {any} */ (value)), ...options });

/** @type {(code: Code) => boolean} */
const mayOverlap = ({ written, hidden }) => written.length - hidden.length > 1 && written.includes(true);

/**
 * The function as C or an instance of a module calls it.
 *
 * @type {(code: Code, options: import('../emit/index.js').EmitOptions) => LoopModule}
 */
function exportedModule(code, options) {
  const wholes = code.program.entry.results.map(() => false);
  for (const shape of [code.result, ...code.updates.map((each) => each.shape)]) markWholes(shape, wholes);
  return moduleOf(code, { ...options, exported: { declared: code.ports, wholes } });
}

// --- WebAssembly ---

/**
 * Whether an exported function takes and returns scalars only: it has no pointer, and no status that it returns
 * instead.
 *
 * @type {(code: Code, module: LoopModule) => boolean}
 */
function isPlain({ result }, { params, returns }) {
  if (returns?.is === 'status' || params.some(({ role }) => role !== 'scalar')) return false;
  return returns === null || ('slot' in result && !('clamps' in result));
}

/** @type {(shape: any) => any} as JSON can hold it */
function describeResult(shape) {
  if (shape.kind === 'constant') {
    return {
      kind: 'constant', dtype: typeof shape.value, value: Object.is(shape.value, -0) ? '-0' : String(shape.value),
    };
  }
  if (shape.kind === 'tuple') return { ...shape, elements: shape.elements.map(describeResult) };
  if (shape.kind !== 'object') return shape;
  return {
    ...shape,
    fields: Object.fromEntries(Object.entries(shape.fields).map(([name, each]) => [name, describeResult(each)])),
  };
}

/** Slots of results lie behind those of scalar params. @type {(shape: any, first: number) => any} */
function shifted(shape, first) {
  const tag = typeof shape.tag === 'number' ? { tag: shape.tag + first } : {};
  if (shape.kind === 'tuple')
    return { ...shape, ...tag, elements: shape.elements.map((/** @type {any} */ each) => shifted(each, first)) };
  if (shape.kind === 'object') {
    return {
      ...shape, ...tag,
      fields: Object.fromEntries(Object.entries(shape.fields).map(([name, each]) => [name, shifted(each, first)])),
    };
  }
  if (!('slot' in shape)) return { ...shape, ...tag };
  return { ...shape, slot: shape.slot + first, tag: typeof shape.tag === 'number' ? shape.tag + first : null };
}

/** What the loader has to know (lib/web/function.mjs). @type {(own: Callable, code: Code, plain: string) => string} */
function describe(own, code, plain) {
  const scalars = code.ports.filter((port) => !port.endsWith(']'));
  return JSON.stringify({
    name: own.name,
    plain,
    params: code.types,
    texts: code.types.map(typeText),
    ports: scalars,
    written: code.written,
    result: shifted(describeResult(code.result), scalars.length),
    sets: code.updates.map(({ path, shape }) => ({ path, shape: shifted(describeResult(shape), scalars.length) })),
    slots: Math.max(1, code.slots),
    sites: code.sites.map(({ type, message, values }) => ({ type, message, values })),
  });
}

/** A name among the exports of a module. @type {(name: string) => string} */
function exportName(name) {
  const { symbol } = native.objectWords(name, '', '');
  return symbol === 'memory' || symbol === 'run' ? `${symbol}_function` : symbol;
}

/**
 * @param {Callable} own
 * @param {unknown} signature
 * @param {unknown} options
 */
function toWasm(own, signature, options) {
  const caller = `${own.name}.toWasm`;
  const {
    numerics = own.unit.options.numerics,
    optLevel = 3,
    variants = ['simd'],
    optimize = false,
  } = readOptions(caller, options, {
    numerics: numericsOption, optLevel: integer(0, 3), variants: variantsOption, optimize: optimizeOption,
  });
  const apart = exportedCode(own, signature, caller);
  const noalias = !mayOverlap(apart);
  const code = noalias ? apart : codeOf(own.unit, apart.types, { threads: 1, noalias });
  const bare = exportedModule(code, { unlimited: true });
  const plain = isPlain(code, bare) ? exportName(own.name) : '';
  const { text } = plain === '' ? moduleOf(code, { unlimited: true, noalias }) : bare;
  const description = describe(own, code, plain);
  const recurses = code.program.funcs.some(({ isRecursive }) => isRecursive);
  /** @type {Record<string, Uint8Array>} */
  const made = {};
  for (const variant of /** @type {import('../../graph/wasm.js').Variant[]} */ (variants)) {
    made[variant] = native.wasmFunction(
      text,
      NUMERICS[numerics],
      optLevel,
      VARIANTS.indexOf(variant),
      recurses,
      plain,
      description,
    );
  }
  const modules = shrink(caller, made, { threads: false, optimize });
  const types = require('./wasm-types.js').typesText(own, code, plain);
  const bytes = /** @type {Uint8Array} */ (Object.values(modules).at(-1));
  return new WasmModule(own.name, { bytes, modules, weights: null, loader: loaderOf('function'), types });
}

// --- C ---

/**
 * What objects are made of; pointers that are written overlap no others there.
 *
 * @type {(code: Code) => LoopModule}
 */
const objectModule = (code) => exportedModule(code, { noalias: true });

/**
 * @param {Callable} own
 * @param {unknown} signature
 * @param {unknown} options
 * @returns {Uint8Array | string}
 */
function toObject(own, signature, options) {
  const caller = `${own.name}.toObject`;
  const given = objectOptions(caller, options, { numerics: own.unit.options.numerics });
  const code = exportedCode(own, signature, caller);
  const made = objectModule(code);
  if (/^wasm/u.test(given.target) && made.needs.heap) {
    return fail(
      'ERR_UNSUPPORTED',
      `${caller}: ${own.name} makes arrays, which no caller of an object for ${given.target} gives it memory for: use toWasm()`,
    );
  }
  const { symbol } = native.objectWords(own.name, given.symbol, '');
  const { name, exec } = require('./header.js').interfaceOf(own, code, made, symbol);
  return compileObject(given, (target, cpu, features, numerics, optLevel, what) =>
    native.objectFunction(made.text, target, cpu, features, name, numerics, optLevel, what, exec),
  );
}

/**
 * @param {Callable} own
 * @param {unknown} signature
 * @param {unknown} options
 * @returns {string}
 */
function toHeader(own, signature, options) {
  const caller = `${own.name}.toHeader`;
  const { symbol: given = '' } = readOptions(caller, options, { symbol: textOption });
  const code = exportedCode(own, signature, caller);
  const { symbol } = native.objectWords(own.name, given, '');
  return require('./header.js').headerText(own, code, objectModule(code), symbol);
}

module.exports = { toHeader, toObject, toWasm };
