/**
 * Types as people write them, in signatures and in JSDoc comments, and as messages show them.
 *
 * One grammar serves both: `f64`, `i32[]`, `f64[3]`, `f64[,]`, `{ x: f64, y: f64 }`, `[f64, f64]`, classes of typed
 * arrays, and `name?` for what may be left out. A signature is a text, `f64(f64[], i32)`, or an object whose `params`
 * are such texts or, for objects and tuples, plain objects and arrays of them.
 */
'use strict';

const { describe, isOptions, nearest } = require('../../base/check.js');
const { fail } = require('../../base/errors.js');

/** @typedef {import('./types.js').ValueType} ValueType */
/** @typedef {import('../tir/index.js').Element} Element */
/**
 * What may stand in a place: a type, null where only a call will tell.
 *
 * @typedef {{ type: ValueType | null, isOptional: boolean }} Place
 */
/** @typedef {{ params: Place[], returns: ValueType | null }} Signature `returns` null: whatever it is */

/** @type {(dtype: any) => ValueType} */
const number = (dtype) => ({ kind: 'number', dtype });

/** Scalars by name. @type {Map<string, ValueType>} */
const SCALARS = new Map(
  Object.entries({
    f64: number('f64'),
    f32: number('f32'),
    i32: number('i32'),
    u32: number('u32'),
    i16: number('i16'),
    u16: number('u16'),
    i8: number('i8'),
    u8: number('u8'),
    number: number('f64'),
    i64: /** @type {ValueType} */ ({ kind: 'bigint', dtype: 'i64' }),
    u64: /** @type {ValueType} */ ({ kind: 'bigint', dtype: 'u64' }),
    bigint: /** @type {ValueType} */ ({ kind: 'bigint', dtype: 'i64' }),
    bool: /** @type {ValueType} */ ({ kind: 'boolean' }),
    boolean: /** @type {ValueType} */ ({ kind: 'boolean' }),
    undefined: /** @type {ValueType} */ ({ kind: 'undefined' }),
    void: /** @type {ValueType} */ ({ kind: 'undefined' }),
    null: /** @type {ValueType} */ ({ kind: 'null' }),
  }),
);

/** The element type of each class of typed array; `u8c` is what a Uint8ClampedArray has. */
const CLASSES = /** @type {Readonly<Record<string, string>>} */ (
  Object.freeze({
    Float64Array: 'f64',
    Float32Array: 'f32',
    Int32Array: 'i32',
    Uint32Array: 'u32',
    Int16Array: 'i16',
    Uint16Array: 'u16',
    Int8Array: 'i8',
    Uint8Array: 'u8',
    Uint8ClampedArray: 'u8c',
    BigInt64Array: 'i64',
    BigUint64Array: 'u64',
  })
);
const CLASS_OF = new Map(Object.entries(CLASSES).map(([name, dtype]) => [dtype, name]));

/** @type {(name: string) => import('./types.js').ArrayType} of the elements that a name stands for, 'u8c' too */
const arrayOf = (name) =>
  name === 'u8c'
    ? { kind: 'array', dtype: 'u8', clamps: true }
    : { kind: 'array', dtype: /** @type {Element} */ (name), clamps: false };

const KNOWN = [
  ...SCALARS.keys(), ...[...CLASS_OF.keys()].map((dtype) => `${dtype}[]`), 'number[]', 'f64[3]', 'number[3]', 'f64[,]',
  'Tensor<f64, 2>', '{ x: f64 }', '[f64, f64]', ...Object.keys(CLASSES),
];

/** A text that is not a type; whoever reads it says where it stands. */
class TypeFault extends Error {}

// --- the grammar ---

const MOST_DEPTH = 32;

class Reader {
  /** @param {string} text @param {(name: string, reader: Reader) => ValueType | null | undefined} names undefined: there is none */
  constructor(text, names) {
    this.text = text;
    this.names = names;
    this.at = 0;
    this.depth = 0;
  }

  space() {
    while (/\s/u.test(this.text[this.at] ?? '')) this.at++;
  }

  /** @param {string} token @returns {boolean} whether it was next, and is passed */
  takes(token) {
    this.space();
    if (!this.text.startsWith(token, this.at)) return false;
    this.at += token.length;
    return true;
  }

  /** @param {string} token */
  expects(token) {
    if (this.takes(token)) return;
    throw new TypeFault(
      this.rest() === '' ? `expected '${token}' at its end` : `expected '${token}' before '${this.rest()}'`,
    );
  }

  /** @returns {string} some of what has not been read */
  rest() {
    return this.text.slice(this.at, this.at + 20);
  }

  /** @returns {string} '' where no name stands next */
  name() {
    this.space();
    const found = /[\p{ID_Start}$_][\p{ID_Continue}$]*/uy;
    found.lastIndex = this.at;
    const name = found.exec(this.text)?.[0] ?? '';
    this.at += name.length;
    return name;
  }

  /** @returns {Place} with what may stand around a type that may be left out: `T?`, `?T`, `T=` */
  place() {
    let isOptional = this.takes('?');
    const type = this.type();
    while (this.takes('?') || this.takes('=')) isOptional = true;
    return { type, isOptional };
  }

  /** @returns {ValueType | null} */
  type() {
    if (++this.depth > MOST_DEPTH) throw new TypeFault('it is nested too deeply');
    let { type, element } = this.primary();
    while (this.takes('[')) {
      type = this.suffix(type, element);
      element = null;
    }
    this.depth--;
    return type;
  }

  /** @returns {{ type: ValueType | null, element: string | null }} `element`: the name, where arrays of it may follow */
  primary() {
    if (this.takes('(')) {
      const type = this.type();
      this.expects(')');
      return { type, element: null };
    }
    if (this.takes('{')) return { type: this.fields(), element: null };
    if (this.takes('[')) return { type: this.elements(), element: null };
    const name = this.name();
    if (name === '')
      throw new TypeFault(
        this.rest() === '' ? 'it ends where a type should stand' : `expected a type before '${this.rest()}'`,
      );
    const isElement = CLASS_OF.has(name) || name === 'number';
    const type = name === 'u8c' ? null : this.names(name, this);
    if (type === undefined)
      throw new TypeFault(`there is no type '${name}'${hint(name)}, known types are ${KNOWN.join(', ')}`);
    return { type, element: isElement ? name : null };
  }

  /** @returns {number | undefined} */
  digits() {
    this.space();
    const found = /\d+/uy;
    found.lastIndex = this.at;
    const digits = found.exec(this.text)?.[0];
    this.at += digits?.length ?? 0;
    if (digits === undefined) return undefined;
    if (!Number.isSafeInteger(Number(digits))) throw new TypeFault(`${digits} is too large`);
    return Number(digits);
  }

  /** Behind `[`. @param {ValueType | null} type @param {string | null} element @returns {ValueType | null} */
  suffix(type, element) {
    const count = this.digits();
    let commas = 0;
    while (count === undefined && this.takes(',')) commas++;
    this.expects(']');
    if (element === null) return this.nested(type, count, commas);
    if (element === 'number') {
      if (commas > 0) throw new TypeFault("elements of a Tensor have a dtype, as in 'f64[,]'");
      return count === undefined ? { kind: 'list' } : { kind: 'list', length: count };
    }
    if (commas > 0) return tensorOf(element, commas + 1);
    return count === undefined ? arrayOf(element) : { ...arrayOf(element), length: count };
  }

  /**
   * `f64[][]` is a Tensor of rank 2.
   *
   * @param {ValueType | null} type
   * @param {number | undefined} count
   * @param {number} commas
   * @returns {ValueType | null}
   */
  nested(type, count, commas) {
    if (type === null && count === undefined && commas === 0) return null;
    const flat = count === undefined && commas === 0;
    if (type?.kind === 'array' && !('length' in type) && flat) return tensorOf(type.clamps ? 'u8c' : type.dtype, 2);
    if (type?.kind === 'tensor' && flat) return tensorOf(type.dtype, type.rank + 1);
    if (count !== undefined && type !== null && count <= 64)
      return { kind: 'tuple', elements: Array.from({ length: count }, () => type) };
    throw new TypeFault('only numbers may be elements of an array');
  }

  /** Behind `{`. @returns {ValueType | null} */
  fields() {
    /** @type {Record<string, ValueType>} */
    const fields = Object.create(null);
    let isKnown = true;
    while (!this.takes('}')) {
      const name = this.name();
      if (name === '') throw new TypeFault('expected the name of a field');
      if (name in fields) throw new TypeFault(`there are two fields '${name}'`);
      this.expects(':');
      const type = this.type();
      if (type === null) isKnown = false;
      else fields[name] = type;
      if (this.takes(',') || this.takes(';')) continue;
      this.expects('}');
      break;
    }
    return isKnown ? { kind: 'object', fields: { ...fields } } : null;
  }

  /** Behind `[`. @returns {ValueType | null} */
  elements() {
    /** @type {(ValueType | null)[]} */
    const elements = [];
    while (!this.takes(']')) {
      elements.push(this.type());
      if (this.takes(',')) continue;
      this.expects(']');
      break;
    }
    const isKnown = elements.every((each) => each !== null);
    return isKnown ? { kind: 'tuple', elements: /** @type {ValueType[]} */ (elements) } : null;
  }

  end() {
    this.space();
    if (this.at < this.text.length) throw new TypeFault(`'${this.rest()}' does not belong there`);
  }
}

/** @type {(name: string) => string} */
function hint(name) {
  const meant = nearest(name, [...SCALARS.keys(), ...Object.keys(CLASSES)]);
  return meant === undefined ? '' : ` (did you mean '${meant}'?)`;
}

/** @type {(name: string, rank: number) => ValueType} */
function tensorOf(name, rank) {
  if (name === 'u8c') throw new TypeFault('a Tensor has no clamped elements');
  if (rank > 8) throw new TypeFault('a Tensor has at most 8 axes');
  return { kind: 'tensor', dtype: /** @type {Element} */ (name), rank };
}

/** Behind 'Tensor': <f64, 2>. @type {(reader: Reader) => ValueType} */
function tensorType(reader) {
  reader.expects('<');
  const dtype = reader.name();
  if (!CLASS_OF.has(dtype))
    throw new TypeFault(`there is no dtype '${dtype}', known dtypes are ${[...CLASS_OF.keys()].join(', ')}`);
  reader.expects(',');
  const rank = reader.digits();
  reader.expects('>');
  if (rank === undefined) throw new TypeFault("a Tensor has a rank, as in 'Tensor<f64, 2>'");
  return tensorOf(dtype, rank);
}

/** The names of a signature. @type {(name: string, reader: Reader) => ValueType | undefined} */
function plainName(name, reader) {
  if (name === 'Tensor') return tensorType(reader);
  if (Object.hasOwn(CLASSES, name)) return arrayOf(CLASSES[name]);
  return SCALARS.get(name);
}

/** @type {(text: string) => Place} */
function readPlace(text) {
  const reader = new Reader(text, plainName);
  const place = reader.place();
  reader.end();
  return place;
}

// --- signatures ---

/** @type {(error: unknown, caller: string, which: string, value: unknown) => never} */
function refuseType(error, caller, which, value) {
  if (!(error instanceof TypeFault)) throw error;
  return fail('ERR_ARGUMENT', `${caller}: ${which}: not a type: ${describe(value)}: ${error.message}`);
}

/** @type {(value: unknown, which: string, caller: string) => Place} of a text, or an object or array of such */
function placeOf(value, which, caller) {
  try {
    if (typeof value === 'string') return readPlace(value);
  } catch (error) {
    return refuseType(error, caller, which, value);
  }
  return { type: typeOfValue(value, which, caller, 0), isOptional: false };
}

/** @type {(value: unknown, which: string, caller: string, depth: number) => ValueType} */
function typeOfValue(value, which, caller, depth) {
  if (depth > MOST_DEPTH) return fail('ERR_ARGUMENT', `${caller}: ${which}: the type is nested too deeply`);
  if (typeof value === 'string') {
    const { type, isOptional } = placeOf(value, which, caller);
    if (isOptional)
      fail('ERR_ARGUMENT', `${caller}: ${which}: only a parameter may be left out, got ${describe(value)}`);
    return /** @type {ValueType} */ (type);
  }
  if (Array.isArray(value)) {
    return { kind: 'tuple', elements: value.map((each, i) => typeOfValue(each, `${which}[${i}]`, caller, depth + 1)) };
  }
  if (isOptions(value)) {
    const fields = Object.entries(value).map(([name, each]) => [
      name,
      typeOfValue(each, `${which}.${name}`, caller, depth + 1),
    ]);
    return { kind: 'object', fields: Object.fromEntries(fields) };
  }
  const what = "a type such as 'f64' or 'f64[]', or an object or array of types";
  return fail('ERR_ARGUMENT', `${caller}: ${which}: expected ${what}, got ${describe(value)}`);
}

/** @type {(text: string, caller: string) => Signature} such as 'f64(f64[], i32)' */
function readSignatureText(text, caller) {
  const reader = new Reader(text, plainName);
  try {
    const returns = reader.takes('(') ? null : reader.type();
    if (returns !== null) reader.expects('(');
    /** @type {Place[]} */
    const params = [];
    while (!reader.takes(')')) {
      params.push(reader.place());
      if (reader.takes(',')) continue;
      reader.expects(')');
      break;
    }
    reader.end();
    return { params, returns };
  } catch (error) {
    if (!(error instanceof TypeFault)) throw error;
    const message = `${caller}: not a signature such as 'f64(f64[], i32)': ${describe(text)}: ${error.message}`;
    return fail('ERR_ARGUMENT', message);
  }
}

/** @type {(value: unknown, caller: string) => Signature} */
function readSignature(value, caller) {
  if (typeof value === 'string') return readSignatureText(value, caller);
  const { params, returns } = /** @type {Record<string, unknown>} */ (value);
  if (!Array.isArray(params)) {
    return fail(
      'ERR_ARGUMENT',
      `${caller}: expected an array of types for 'params' of the signature, got ${describe(params)}`,
    );
  }
  return {
    params: Array.from(params, (each, i) => placeOf(each, `param ${i + 1} of the signature`, caller)),
    returns: returns === undefined ? null : typeOfValue(returns, `'returns' of the signature`, caller, 0),
  };
}

// --- as texts ---

/** @type {(dtype: string, clamps?: boolean) => string} */
const elementText = (dtype, clamps) => (clamps ? 'u8c' : dtype);

/** @type {(type: ValueType) => string} as it may be written; different types have different texts, but for functions */
function typeText(type) {
  switch (type.kind) {
    case 'number':
    case 'bigint':
      return type.dtype;
    case 'boolean':
      return 'bool';
    case 'array':
      return `${elementText(type.dtype, type.clamps)}[${type.length ?? ''}]`;
    case 'list':
      return `number[${type.length ?? ''}]`;
    case 'tensor':
      return type.rank < 2 ? `Tensor<${type.dtype}, ${type.rank}>` : `${type.dtype}[${','.repeat(type.rank - 1)}]`;
    case 'tuple':
      return `[${type.elements.map(typeText).join(', ')}]`;
    case 'object': {
      const names = type.own ?? Object.keys(type.fields);
      const fields = names.map((name) => `${fieldText(name)}: ${typeText(type.fields[name])}`);
      return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`;
    }
    case 'function':
      return `function ${type.callee.name || '(anonymous)'}`;
    case 'constant':
      return typeof type.value === 'bigint'
        ? `${type.value}n`
        : Object.is(type.value, -0)
          ? '-0'
          : (JSON.stringify(type.value) ?? String(type.value));
    default:
      return type.kind;
  }
}

/** @type {(name: string) => string} */
const fieldText = (name) => (/^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name) ? name : JSON.stringify(name));

module.exports = { CLASSES, CLASS_OF, Reader, SCALARS, TypeFault, arrayOf, plainName, readSignature, typeText };
