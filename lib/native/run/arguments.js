/**
 * Arguments: the types that values have, and values taken apart into what machine code is called with.
 *
 * Code takes scalars and typed arrays only. So objects and tuples are taken apart field by field, plain arrays of
 * numbers are copied into a Float64Array and, where the function writes to them, copied back after the run, and a
 * Tensor is its elements, sizes and strides. What is known when the code is compiled (undefined, strings, functions) is
 * only compared.
 */
'use strict';

const { describe } = require('../../base/check.js');
const { fail } = require('../../base/errors.js');
const { Tensor } = require('../../tensor/tensor.js');
const { CLASSES, CLASS_OF, arrayOf, typeText } = require('../source/signature.js');

/** @typedef {import('../source/types.js').ValueType} ValueType */

/**
 * A function whose tree is built when somebody needs it.
 *
 * @typedef {{ kind: 'function', fn: Function, callee: import('../hir/index.js').FunctionNode }} GivenFunction
 */

/** Most elements of an array whose elements are taken one by one. */
const MOST_ELEMENTS = 64;
const MOST_DEPTH = 16;

const classOf = /** @type {(value: unknown) => string | undefined} */ (
  Function.prototype.call.bind(
    /** @type {any} */ (
      Object.getOwnPropertyDescriptor(Object.getPrototypeOf(Uint8Array.prototype), Symbol.toStringTag)
    ).get,
  )
);

// --- types of values ---

/**
 * @param {unknown} value
 * @param {string} which argument, for messages
 * @param {(fn: Function) => import('../hir/index.js').FunctionNode} build
 * @param {number} [depth]
 * @returns {ValueType} of which code is compiled for a call with this value
 */
function typeOf(value, which, build, depth = 0) {
  switch (typeof value) {
    case 'number':
      return { kind: 'number', dtype: 'f64' };
    case 'boolean':
      return { kind: 'boolean' };
    case 'bigint':
      return { kind: 'bigint', dtype: 'i64' };
    case 'undefined':
      return { kind: 'undefined' };
    case 'string':
      return { kind: 'constant', value };
    case 'function':
      return functionType(value, build);
    case 'object':
      return value === null ? { kind: 'null' } : typeOfObject(value, which, build, depth);
    default:
      return fail('ERR_DTYPE', `${which}: native code takes no ${typeof value}`);
  }
}

/** @type {(fn: Function, build: (fn: Function) => import('../hir/index.js').FunctionNode) => ValueType} */
function functionType(fn, build) {
  /** @type {import('../hir/index.js').FunctionNode | null} */
  let callee = null;
  const type = {
    kind: 'function',
    fn,
    get callee() {
      callee ??= build(fn);
      return callee;
    },
  };
  return /** @type {any} */ (type);
}

/** @type {(value: object, which: string, build: (fn: Function) => import('../hir/index.js').FunctionNode, depth: number) => ValueType} */
function typeOfObject(value, which, build, depth) {
  if (depth > MOST_DEPTH) return fail('ERR_DTYPE', `${which}: objects are nested too deeply, or contain themselves`);
  const name = classOf(value);
  if (name !== undefined) {
    const dtype = CLASSES[name];
    return dtype === undefined ? fail('ERR_DTYPE', `${which}: native code takes no ${name}`) : arrayOf(dtype);
  }
  if (Array.isArray(value)) return typeOfArray(value, which, build, depth);
  if (value instanceof Tensor) return typeOfTensor(value, which);
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer || value instanceof SharedArrayBuffer) {
    return fail('ERR_DTYPE', `${which}: native code takes no ${describe(value)}: pass a typed array`);
  }
  /** @type {Record<string, ValueType>} */
  const fields = {};
  for (const [key, each] of Object.entries(value)) fields[key] = typeOf(each, `${which}.${key}`, build, depth + 1);
  const own = Object.keys(fields);
  const proto = Object.getPrototypeOf(value);
  addInherited(fields, proto, build);
  return { kind: 'object', fields, own, proto };
}

/**
 * What instances of a class have besides their own fields. A getter is a function here: nothing but a refusal comes of
 * it.
 *
 * @type {(fields: Record<string, ValueType>, proto: object | null, build: (fn: Function) => import('../hir/index.js').FunctionNode) => void}
 */
function addInherited(fields, proto, build) {
  for (let at = proto; at !== null && at !== Object.prototype; at = Object.getPrototypeOf(at)) {
    for (const [key, { value, get }] of Object.entries(Object.getOwnPropertyDescriptors(at))) {
      if (key === 'constructor' || Object.hasOwn(fields, key)) continue;
      const each = get ?? value;
      if (typeof each === 'function') fields[key] = functionType(each, build);
      else if (each === null || typeof each !== 'object')
        fields[key] = { kind: 'constant', value: /** @type {any} */ (each) };
    }
  }
}

/** @type {(value: unknown[], which: string, build: (fn: Function) => import('../hir/index.js').FunctionNode, depth: number) => ValueType} */
function typeOfArray(value, which, build, depth) {
  const at = findOther(value);
  if (at < 0) return { kind: 'list' };
  if (value.length > MOST_ELEMENTS) {
    return fail('ERR_DTYPE', `${which}: expected an array of numbers, but element ${at} is ${describe(value[at])}`);
  }
  return { kind: 'tuple', elements: Array.from(value, (each, i) => typeOf(each, `${which}[${i}]`, build, depth + 1)) };
}

/** @type {(value: unknown[]) => number} the first element that is no number, a hole too; -1: there is none */
function findOther(value) {
  for (let i = 0; i < value.length; i++) if (typeof value[i] !== 'number') return i;
  return -1;
}

/** @type {(value: Tensor, which: string) => ValueType} */
function typeOfTensor({ dtype, rank }, which) {
  if (dtype === 'f16' || dtype === 'bf16') {
    return fail('ERR_DTYPE', `${which}: native functions take no Tensor of ${dtype}: convert it to f32`);
  }
  return { kind: 'tensor', dtype, rank };
}

/** @type {(type: ValueType, value: any) => ValueType} of a short array, the type of one of its length */
function sized(type, value) {
  if (type.kind !== 'list' && type.kind !== 'array') return type;
  return value.length > MOST_ELEMENTS ? type : { ...type, length: value.length };
}

/** Numbers of functions and prototypes, which have no text that tells them apart. @type {WeakMap<object, number>} */
const ids = new WeakMap();
let idCount = 0;

/** @type {(object: object) => number} */
function idOf(object) {
  let id = ids.get(object);
  if (id === undefined) ids.set(object, (id = ++idCount));
  return id;
}

/** Equal for types that one piece of code serves. @type {(type: ValueType) => string} */
function keyOf(type) {
  if (type.kind === 'function') return `#${idOf(/** @type {any} */ (type).fn)}`;
  if (type.kind === 'tuple') return `[${type.elements.map(keyOf).join()}]`;
  if (type.kind !== 'object') return typeText(type);
  const names = type.own ?? Object.keys(type.fields);
  const fields = names.map((name) => `${JSON.stringify(name)}:${keyOf(type.fields[name])}`);
  const proto = type.proto && type.proto !== Object.prototype ? `#${idOf(type.proto)}` : '';
  return `{${fields.join()}}${proto}`;
}

// --- values taken apart ---

/**
 * What one call is made with.
 *
 * @typedef {object} Taken
 * @property {unknown[]} flat scalars and typed arrays
 * @property {unknown[]} sources per array among them: what the caller passed for it
 * @property {unknown[]} objects that were taken apart
 * @property {boolean} keeps a call that ends later: what it is made with is its own
 */

/**
 * How values of one type are taken apart.
 *
 * @typedef {object} Taker
 * @property {string[]} ports what the addon is to expect, in order
 * @property {boolean} isPlain the value is passed as it is
 * @property {(value: any, taken: Taken) => boolean} take false for a value that is not of the type
 */

/** @type {(kind: string, port: string) => Taker} */
const scalar = (kind, port) => ({
  ports: [port],
  isPlain: true,
  take(value, { flat }) {
    flat.push(value);
    return typeof value === kind;
  },
});

/** @type {(is: (value: any) => boolean) => Taker} of what only has to be the same */
const known = (is) => ({ ports: [], isPlain: false, take: is });

/** @type {(dtype: string, length: number | undefined) => Taker} */
function arrayTaker(dtype, length) {
  const name = CLASS_OF.get(dtype);
  return {
    ports: [`${dtype}[]`],
    isPlain: length === undefined,
    take(value, { flat, sources }) {
      flat.push(value);
      sources.push(value);
      return classOf(value) === name && (length === undefined || value.length === length);
    },
  };
}

/** @type {(value: unknown[], copy: Float64Array) => boolean} false where not all elements are numbers */
function copyInto(value, copy) {
  for (let i = 0; i < copy.length; i++) {
    const each = value[i];
    if (typeof each !== 'number') return false;
    copy[i] = each;
  }
  return true;
}

/** Longest array whose memory is used again for the next one of its length. */
const MOST_KEPT = 1024;

/** @type {(length: number | undefined) => Taker} of arrays of numbers */
function listTaker(length) {
  let kept = new Float64Array(0);
  /** @type {(count: number, keeps: boolean) => Float64Array} */
  const roomFor = (count, keeps) => {
    const isKept = !keeps && count <= MOST_KEPT;
    if (isKept && kept.length === count) return kept;
    const room = new Float64Array(count);
    if (isKept) kept = room;
    return room;
  };
  return {
    ports: ['f64[]'],
    isPlain: false,
    take(value, { flat, sources, keeps }) {
      if (!Array.isArray(value) || (length !== undefined && value.length !== length)) return false;
      // One array for several parameters is one array to the code, too.
      const other = sources.indexOf(value);
      const copy = other < 0 ? roomFor(value.length, keeps) : flat.filter(ArrayBuffer.isView)[other];
      if (other < 0 && !copyInto(value, /** @type {Float64Array} */ (copy))) return false;
      flat.push(copy);
      sources.push(value);
      return true;
    },
  };
}

/** @type {(type: import('../source/types.js').TensorType) => Taker} */
const tensorTaker = ({ dtype, rank }) => ({
  ports: [`${dtype === 'bool' ? 'u8' : dtype}[]`, ...Array(2 * rank).fill('int')],
  isPlain: false,
  take(value, { flat, sources }) {
    if (!(value instanceof Tensor) || value.dtype !== dtype || value.rank !== rank) return false;
    const { data, offset, shape, strides } = value;
    flat.push(offset === 0 ? data : data.subarray(offset), ...shape, ...strides);
    sources.push(value);
    return true;
  },
});

/** @type {(takers: Taker[], partsOf: (value: any) => unknown[] | null) => Taker} of what is taken part by part */
const partsTaker = (takers, partsOf) => ({
  ports: takers.flatMap(({ ports }) => ports),
  isPlain: false,
  take(value, taken) {
    const parts = partsOf(value);
    taken.objects.push(value);
    return parts !== null && takers.every((taker, i) => taker.take(parts[i], taken));
  },
});

/** @type {(value: unknown) => boolean} whether it may stand for an object with fields */
const isFields = (value) =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !ArrayBuffer.isView(value);

/**
 * Whether a value has these fields and no others, which the function might look for.
 *
 * @type {(names: string[], proto: object | null) => (value: unknown) => boolean}
 */
const exactly = (names, proto) => (value) =>
  isFields(value) &&
  Object.getPrototypeOf(value) === proto &&
  Object.keys(/** @type {object} */ (value)).length === names.length &&
  names.every((name) => Object.hasOwn(/** @type {object} */ (value), name));

/** @type {(type: ValueType) => Taker} */
function takerOf(type) {
  switch (type.kind) {
    case 'number':
      return scalar('number', type.dtype);
    case 'bigint':
      return scalar('bigint', type.dtype);
    case 'boolean':
      return scalar('boolean', 'bool');
    case 'array':
      return arrayTaker(type.clamps ? 'u8c' : type.dtype, type.length);
    case 'list':
      return listTaker(type.length);
    case 'tensor':
      return tensorTaker(type);
    case 'tuple': {
      const { elements } = type;
      const takers = elements.map(takerOf);
      return partsTaker(takers, (value) => (Array.isArray(value) && value.length === takers.length ? value : null));
    }
    case 'object': {
      const names = type.own ?? Object.keys(type.fields);
      const takers = names.map((name) => takerOf(type.fields[name]));
      const isOne = type.own === undefined ? isFields : exactly(names, type.proto ?? null);
      return partsTaker(takers, (value) => (isOne(value) ? names.map((name) => value[name]) : null));
    }
    case 'function':
      return known((value) => value === /** @type {any} */ (type).fn);
    case 'constant':
      return known((value) => Object.is(value, type.value));
    default:
      return known((value) => value === (type.kind === 'null' ? null : undefined));
  }
}

/**
 * Puts what a run wrote to the copy of a plain array where it belongs.
 *
 * @type {(copy: Float64Array, source: number[]) => void}
 */
function giveBack(copy, source) {
  for (let i = 0; i < copy.length; i++) if (!Object.is(source[i], copy[i])) source[i] = copy[i];
}

module.exports = { giveBack, keyOf, sized, takerOf, typeOf };
