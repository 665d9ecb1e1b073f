/** The typings of a function as a WebAssembly module, which `toWasm` gives beside it. */
'use strict';

const { propertyName } = require('../../graph/wasm.js');
const { CLASS_OF } = require('../source/signature.js');

/** @typedef {import('../source/types.js').ValueType} ValueType */

/** @type {(array: any) => string} */
const className = ({ dtype, clamps }) =>
  /** @type {string} */ (CLASS_OF.get(clamps ? 'u8c' : dtype === 'bool' ? 'u8' : dtype));

/** @type {(fields: Record<string, any>, type: (each: any) => string) => string} */
const fieldsText = (fields, type) =>
  `{ ${Object.entries(fields)
    .map(([name, each]) => `${propertyName(name)}: ${type(each)}`)
    .join('; ')} }`;

/** @type {(type: any) => string} */
function paramText(type) {
  switch (type.kind) {
    case 'array':
      return `${className(type)} | Allocated<${className(type)}>`;
    case 'list':
      return 'number[]';
    case 'tensor':
      return `{ data: ${className(type)}; offset?: number; shape: readonly number[]; strides?: readonly number[] }`;
    case 'tuple':
      return `[${type.elements.map(paramText).join(', ')}]`;
    case 'object':
      return fieldsText(type.fields, paramText);
    default:
      return type.kind;
  }
}

/** @type {(shape: any) => string} */
function resultText(shape) {
  return typeof shape.tag === 'number' ? `${valueText(shape)} | undefined | null` : valueText(shape);
}

/** @type {(shape: any) => string} of what is there */
function valueText(shape) {
  switch (shape.kind) {
    case 'array':
      return className(shape);
    case 'list':
      return 'number[]';
    case 'tuple':
      return `[${shape.elements.map(resultText).join(', ')}]`;
    case 'object':
      return fieldsText(shape.fields, resultText);
    case 'constant':
      return typeof shape.value;
    default:
      return shape.kind;
  }
}

/** Of a plain export: bigints are i64 to the engine, booleans and integers i32. @type {(type: any) => string} */
const plainText = ({ kind }) => (kind === 'bigint' ? 'bigint' : kind === 'undefined' ? 'void' : 'number');

/**
 * @param {import('../run/callable.js').Callable} own
 * @param {import('../run/compile.js').Code} code
 * @param {string} plain
 */
function typesText(own, code, plain) {
  const names = own.unit.tree.params.map(({ name }) => name);
  const params = code.types.map(
    (type, i) => `${/^[A-Za-z_$][\w$]*$/u.test(names[i] ?? '') ? names[i] : `argument${i + 1}`}: ${paramText(type)}`,
  );
  const scalars = code.ports.map(
    (port, i) => `argument${i + 1}: ${/64$/u.test(port) && port !== 'f64' ? 'bigint' : 'number'}`,
  );
  const exported =
    plain === ''
      ? ''
      : `    /** The same without checks, for numbers that are of the types. */\n    readonly ${propertyName(plain)}: (${scalars.join(', ')}) => ${plainText(code.result)};\n`;
  return `/** An array in the memory of the function, which calls use where it lies. */
export interface Allocated<A> {
  /** A view, made anew after memory has grown: do not keep it. */
  readonly data: A;
  /** Its address. */
  readonly at: number;
  readonly length: number;
  free(): void;
}

export interface Compiled {
  (${params.join(', ')}): ${resultText(code.result)};
  readonly memory: { readonly buffer: ArrayBufferLike };
  /** An array of zeros; the dtype is 'f64', 'f32', 'i32', 'u8', 'u8c' and so on. */
  allocate(dtype: string, length: number): Allocated<any>;
  readonly exports: {
${exported}    readonly [name: string]: unknown;
  };
}

/** What the file that holds loader and modules exports. */
export function load(): Promise<Compiled>;
export default load;
`;
}

module.exports = { typesText };
