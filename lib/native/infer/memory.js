/**
 * Arrays, objects and their elements: what reading and writing them means, and where new ones lie.
 *
 * An element out of range is undefined and writing one does nothing, as JavaScript has it for typed arrays; with
 * `bounds: 'check'` both throw, with `'unchecked'` nobody looks. An array literal is a tuple, whose elements are
 * variables, until somebody indexes it with what is not known: then inference begins again with that literal in memory.
 */
'use strict';

const N = require('./number-types.js');
const M = require('../tir/machine.js');
const V = require('./values.js');
const O = require('./operators.js');
const E = require('./environment.js');
const X = require('./expressions.js');
const Encoded = require('./tagged-elements.js');
const { refuse } = require('../source/frame.js');

const Maybe = require('./nullable.js');
const oneOf = () => require('./object-union.js');

/** @typedef {import('./values.js').Value} Value */
/** @typedef {import('./values.js').ArrayValue} ArrayValue */
/** @typedef {import('../tir/index.js').Expression} Expression */
/** @typedef {import('../tir/index.js').ArrayRef} ArrayRef */

/** The most elements that an array can have, whatever the engine. */
const MOST_LENGTH = 2 ** 33;
/** Bytes of an array that may lie on the stack. */
const MOST_STACK = 2048;

/** @type {(e: Expression) => Expression} an integer as one of 64 bits without a sign */
function unsigned(e) {
  return e.op === 'const' ? M.constant('u64', BigInt.asUintN(64, e.value)) : { op: 'bitcast', type: 'u64', args: [e] };
}

// --- indices ---

/**
 * @typedef {object} Index
 * @property {Expression} at of i64
 * @property {Expression | null} valid what must hold besides being in range
 * @property {boolean} isKnown to be in range
 */

/** @type {(c: any, value: import('./values.js').NumberValue, ref: ArrayRef) => Index} */
function indexOf(c, value, ref) {
  const t = value.type;
  if (N.isIntegerOrNegativeZero(t)) {
    const length = M.valueOf(ref.length);
    const isBelow =
      length !== undefined ? t.hi < Number(length) : ref.length.op === 'local' && !!t.below?.has(ref.length.local);
    return { at: O.asInteger(value), valid: null, isKnown: t.lo >= 0 && isBelow };
  }
  c.hint(t);
  const x = E.settle(c, O.asDouble(value), 'index');
  const at = E.settle(c, { op: 'convert', type: 'i64', args: [x] }, 'index');
  return { at, valid: t.int && !t.nan ? null : M.binary('eq', M.convert(at, 'f64'), x), isKnown: false };
}

/**
 * The same index with what `bounds` asks for.
 *
 * @type {(c: any, ref: ArrayRef, index: Index, place: any, type: string) => Index}
 */
function bounded(c, ref, index, place, type) {
  if (index.isKnown || c.options.bounds === 'unchecked') return { ...index, isKnown: true };
  if (c.options.bounds !== 'check') return index;
  const at = E.settle(c, index.at, 'index');
  const inside = isInside(ref, { ...index, at });
  const site = c.site(place, 'RangeError', [
    `index `, null, ` is out of range of `, type, `: it has `, null, ` elements`,
  ]);
  c.out.push({
    kind: 'if', test: M.unary('not', inside), then: [{ kind: 'throw', site, values: [at, ref.length] }], otherwise: [],
    place,
  });
  return { at, valid: null, isKnown: true };
}

/** @type {(ref: ArrayRef, index: Index) => Expression} */
function isInside(ref, index) {
  const below = M.binary('lt', unsigned(index.at), unsigned(ref.length));
  return index.valid ? M.and(index.valid, below) : below;
}

// --- elements ---

/** @type {Record<string, string>} what an element is once it is loaded */
const LOADED = {
  f64: 'f64', f32: 'f32', i64: 'i64', u64: 'u64', u32: 'u32', i32: 'i32', i16: 'i32', i8: 'i32', u16: 'i32', u8: 'i32',
};

/** @type {(array: ArrayValue) => import('./number-types.js').Num} */
function elementType(array) {
  return array.site?.type ?? N.ofDType(array.ref.dtype);
}

/** @type {(c: any, array: ArrayValue, value: import('./values.js').NumberValue, place: any) => Value} */
function load(c, array, value, place) {
  const { ref } = array;
  if (array.tag) Maybe.checkThere(c, array, 'read', value, place);
  const index = bounded(c, ref, indexOf(c, value, ref), place, describe(array));
  const type = /** @type {any} */ (LOADED[ref.dtype]);
  const isBig = type === 'i64' || type === 'u64';
  const whole = isBig && !array.site;
  if (whole && !index.isKnown) return loadBigInt(c, ref, index, type, place);
  const missing = index.isKnown ? null : M.constant(type, type[0] === 'f' ? NaN : 0);
  const read = { op: 'load', type, array: ref, args: [index.at], valid: index.valid, missing, place };
  if (whole) return V.bigint(read);
  return elementValue(array, index, read);
}

/**
 * The element at a position that is known to be one.
 *
 * @type {(c: any, array: ArrayValue, at: Expression, place: any) => Value}
 */
function loadKnown(c, array, at, place) {
  const { ref } = array;
  const type = /** @type {any} */ (LOADED[ref.dtype]);
  const read = { op: 'load', type, array: ref, args: [at], valid: null, missing: null, place };
  if (type === 'i64' || type === 'u64') return V.bigint(read);
  return elementValue(array, { at, valid: null, isKnown: true }, read);
}

/** @type {(c: any, array: ArrayValue, at: Expression, value: Value, place: any) => void} */
function storeKnown(c, array, at, value, place) {
  c.writes(array.ref);
  c.out.push({
    kind: 'store', array: array.ref, index: at, value: storedValue(c, array, value, place), valid: null, checked: false,
    place,
  });
}

/** @type {(array: ArrayValue, where: Index, read: Expression) => Value} */
function elementValue(array, where, read) {
  const { ref, site } = array;
  if (Encoded.kindOf(site)) return Encoded.decode(site, read, where.isKnown ? null : isInside(ref, where));
  const t = elementType(array);
  const isFloat = read.type[0] === 'f';
  const narrow = () => M.convert(read, 'i32');
  if (where.isKnown)
    return new V.NumberValue(t, () => M.convert(read, N.typeOf(t)), { int32: isFloat ? null : narrow });
  const type = { ...t, undefined: true };
  const inside = isInside(ref, where);
  const exact = () =>
    isFloat ? M.convert(read, 'f64') : M.select(inside, M.convert(read, 'f64'), M.constant('f64', NaN));
  const tag = M.select(inside, M.constant('i32', 0), M.constant('i32', 1));
  const value = new V.NumberValue(type, exact, {
    tag, int32: isFloat ? null : narrow, single: read.type === 'f32' ? () => read : null,
  });
  return value;
}

/**
 * Undefined and bigints do not mix, so this throws out of range.
 *
 * @type {(c: any, ref: ArrayRef, index: Index, type: any, place: any) => Value}
 */
function loadBigInt(c, ref, index, type, place) {
  const at = E.settle(c, index.at, 'index');
  const site = c.site(place, 'TypeError', ['Cannot mix BigInt and other types, use explicit conversions']);
  const test = M.unary('not', isInside(ref, { ...index, at }));
  c.out.push({ kind: 'if', test, then: [{ kind: 'throw', site, values: [] }], otherwise: [], place });
  return V.bigint({ op: 'load', type, array: ref, args: [at], valid: null, missing: null, place });
}

/** @type {(array: any) => string} */
function describe(array) {
  return array.ref.roots[0]?.name || (array.isList ? 'the array' : 'the typed array');
}

/** @type {(c: any, e: any) => Value} object[index] */
function elementAt(c, e) {
  const object = X.evaluate(c, e.object);
  if (e.isLooped && isScalar(object))
    refuse(e.place, `${V.describe(object)} cannot be taken apart as an array`, 'hand over an array');
  return elementOf(c, object, X.evaluate(c, e.index), e);
}

/**
 * A[true] asks for what is called 'true', which no array has.
 *
 * @type {(c: any, at: Value, place: any) => import('./values.js').NumberValue}
 */
function keyOf(c, at, place) {
  if (at.kind === 'boolean' || at.kind === 'null') return V.numberConstant(-1);
  const number = X.toNumber(c, at, place);
  if (at.kind !== 'number' || !at.tag || !(at.type.null || at.type.boolean)) return number;
  const is = (/** @type {number} */ tag) => M.binary('eq', /** @type {Expression} */ (at.tag), M.constant('i32', tag));
  const type = { ...number.type, lo: Math.min(number.type.lo, -1) };
  const machine = N.typeOf(type);
  return new V.NumberValue(
    type,
    M.select(M.or(is(2), is(E.BOOLEAN)), M.constant(machine, -1), M.convert(number.x, machine)),
  );
}

/** @type {(c: any, object: Value, key: Value, e: any) => Value} */
function elementOf(c, object, key, e) {
  const { place } = e;
  const at = indexFrom(key, e.index?.place ?? place);
  const name = nameOf(at);
  if (object.kind === 'maybe') return elementOf(c, Maybe.there(c, object, 'read', name ?? at, place), at, e);
  if (at.kind === 'string') return field(c, object, at.value, place);
  if (object.kind === 'array') return load(c, object, keyOf(c, at, e.index?.place ?? place), place);
  if (name !== null && (object.kind === 'object' || object.kind === 'oneOf')) return field(c, object, name, place);
  if (object.kind === 'object') {
    if (!object.isTuple) return dynamic(c, object, place);
    const i = keyOf(c, at, e.index?.place ?? place);
    const known = constantOf(i);
    if (known !== null) return field(c, object, String(known), place);
    return isChosen(c, object) ? oneOf().elementOf(c, object, i, place) : dynamic(c, object, place);
  }
  if (/** @type {any} */ (object).kind === 'oneOf') {
    putInMemory(c, object.choices, place);
    return oneOf().elementOfOne(c, object, keyOf(c, at, e.index?.place ?? place), place);
  }
  if (isScalar(object)) return fieldOfScalar(c, object, name ?? at, place);
  return refuse(
    place,
    `${V.describe(object)} has no elements`,
    object.kind === 'mixed' ? 'give it one type on every way to here' : 'index an array',
  );
}

/** @type {(key: Value, place: any) => Value} a['1'] is a[1] */
function indexFrom(key, place) {
  if (key.kind !== 'string') return key;
  if (key.tag) refuse(place, 'the typeof of what may be nothing is a key', 'compare it with a text');
  const number = Number(key.value);
  return String(number) === key.value ? V.numberConstant(number) : key;
}

/** @type {(at: any) => string | null} the name of the field that a key asks for, where that is known */
function nameOf(at) {
  if (at.tag) return null;
  if (at.kind === 'string') return at.value;
  if (at.kind === 'undefined' || at.kind === 'null') return at.kind;
  const known = at.kind === 'number' || at.kind === 'boolean' || at.kind === 'bigint' ? M.valueOf(at.x) : undefined;
  if (known !== undefined) return String(known);
  const fixed = at.kind === 'number' ? constantOf(at) : null;
  return fixed === null ? null : String(fixed);
}

/** @type {(v: import('./values.js').NumberValue) => number | null} */
function constantOf(v) {
  const { lo, hi, nan } = v.type;
  return lo === hi && !nan && !N.isNothing(v.type) ? lo + 0 : null;
}

/**
 * Whether an element is chosen among variables: objects are no memory, and arguments are taken apart.
 *
 * @type {(c: any, object: import('./values.js').ObjectValue) => boolean}
 */
function isChosen(c, object) {
  if (!object.site && object.isTuple) return true;
  const values = [...object.fields.values()].map((own) => c.env.get(own));
  const tuples = values.filter((v) => v?.kind === 'object');
  const arrays = values.filter((v) => v?.kind === 'array');
  if (tuples.length + arrays.length < values.length || values.length === 0) return false;
  if (arrays.length > 0) putInMemory(c, tuples, object.site.node.place);
  return true;
}

/** @type {(c: any, tuples: any[], place: any) => void} those that literals made, if all are */
function putInMemory(c, tuples, place) {
  if (tuples.length > 0 && tuples.every((t) => t.isTuple && t.site && !t.site.inMemory))
    c.facts.putInMemory(tuples[0].site, place);
}

/**
 * A tuple whose element is asked for by a number that is not known.
 *
 * @type {(c: any, object: import('./values.js').ObjectValue, place: any) => any}
 */
function dynamic(c, object, place) {
  if (!object.site) return refuse(place, 'the field of an object is not known at compile time', 'name the field');
  return c.facts.putInMemory(object.site, place);
}

/** @type {(c: any, object: Value, name: string, place: any) => Value} */
function field(c, object, name, place) {
  switch (object.kind) {
    case 'object': {
      if (object.isTuple && name === 'length') return V.numberConstant(object.fields.size);
      const own = object.fields.get(name);
      if (own) return c.env.get(own) ?? V.UNDEFINED;
      // What all objects or arrays have is inherited.
      if (name in (object.isTuple ? Array : Object).prototype)
        refuse(place, `.${name} of ${V.describe(object)} is not supported`, V.instead(name));
      return V.UNDEFINED;
    }
    case 'array':
      if (object.tag) Maybe.checkThere(c, object, 'read', name, place);
      if (name === 'length') return lengthOf(object.ref);
      if (name === 'BYTES_PER_ELEMENT' && !object.isList) return V.numberConstant(bytesOf(object.ref.dtype));
      if (name === 'byteLength' && !object.isList)
        return O.arithmetic('mul', lengthOf(object.ref), V.numberConstant(bytesOf(object.ref.dtype)));
      return refuse(place, `.${name} of ${V.describe(object)} is not supported`, V.instead(name));
    case 'string':
      if (name === 'length') return V.numberConstant(object.value.length);
      return refuse(place, `.${name} of a text is not supported`, 'texts are known at compile time only');
    case 'tensor':
      return require('./tensors.js').field(c, object, name, place);
    case 'maybe':
      return field(c, Maybe.there(c, object, 'read', name, place), name, place);
    case 'oneOf':
      return oneOf().field(c, object, name, place);
    case 'number':
    case 'boolean':
    case 'bigint':
      return fieldOfScalar(c, object, name, place);
    case 'undefined':
    case 'null': {
      const { asked } = c.program;
      if (asked !== null) refuse(asked.place, asked.reason, asked.advice);
      return refuse(place, `.${name} of ${object.kind}`, 'this throws a TypeError whenever it runs');
    }
    case 'mixed':
      return refuse(place, `.${name} of ${V.describe(object)} is not supported`, IN_BRANCH);
    default:
      return refuse(place, `.${name} of ${V.describe(object)} is not supported`, V.instead(name));
  }
}

/** @type {(value: any) => boolean} */
const isScalar = ({ kind }) => kind === 'number' || kind === 'boolean' || kind === 'bigint';

/**
 * Numbers have no elements and no fields, but methods, and where they are nothing asking throws.
 *
 * @type {(c: any, value: any, key: Value | string, place: any) => Value}
 */
function fieldOfScalar(c, value, key, place) {
  const { constructor: of } = Object({ number: 0, boolean: false, bigint: 0n }[/** @type {string} */ (value.kind)]);
  if (typeof key === 'string' && key in of.prototype)
    refuse(place, `.${key} of ${V.describe(value)} is not supported`, V.instead(key));
  const { undefined: mayBeUndefined, null: mayBeNull } =
    value.kind === 'number' ? value.type : { undefined: value.mayBeUndefined, null: value.mayBeNull };
  if (value.tag) Maybe.checkThere(c, { tag: value.tag, mayBeUndefined, mayBeNull }, 'read', key, place);
  const isName = typeof key === 'string' && Number.isNaN(Number(key));
  const [reason, advice] = isName
    ? [`.${key} of ${V.describe(value)} is not supported`, V.instead(key)]
    : [`${V.describe(value)} has no elements`, 'index an array'];
  c.program.asked ??= { place, reason, advice };
  return V.UNDEFINED;
}

/** What to do with what may be one of several things. */
const IN_BRANCH = 'use each in the branch where it is known which it is';

/** @type {(ref: ArrayRef) => import('./values.js').NumberValue} */
function lengthOf(ref) {
  const known = M.valueOf(ref.length);
  if (known !== undefined) return V.numberConstant(Number(known));
  return new V.NumberValue(N.whole(0, MOST_LENGTH), ref.length);
}

/** @type {(dtype: string) => number} */
function bytesOf(dtype) {
  return Number(dtype.slice(1)) / 8;
}

/** @type {(c: any, e: any) => Value} object.name */
function member(c, e) {
  const object = X.evaluate(c, e.object);
  if (e.isLooped && (isScalar(object) || (object.kind === 'object' && !object.isTuple))) {
    refuse(
      e.place,
      `${V.describe(object)} cannot be looped over`,
      'loop over an array, name the fields, or give a method of your own another name',
    );
  }
  return elementOf(c, object, { kind: 'string', value: e.name }, e);
}

// --- writing ---

/** @type {(c: any, s: any) => void} object[index] = value */
function store(c, s) {
  const object = X.evaluate(c, s.object);
  const at = X.evaluate(c, s.index);
  // An array of bigints takes the lowest 64 bits.
  const isWrapped =
    object.kind === 'array' && !object.site && (object.ref.dtype === 'i64' || object.ref.dtype === 'u64');
  storeAt(c, object, at, isWrapped ? X.wrapping(c, s.value) : X.evaluate(c, s.value), s);
}

/** @type {(c: any, object: Value, key: Value, value: Value, s: any) => void} */
function storeAt(c, object, key, value, s) {
  const at = indexFrom(key, s.index?.place ?? s.place);
  const name = nameOf(at);
  if (object.kind === 'maybe') {
    storeAt(c, Maybe.there(c, object, 'set', name ?? at, s.place), at, value, s);
    return;
  }
  if (name !== null && (at.kind === 'string' || object.kind === 'object' || object.kind === 'oneOf')) {
    setField(c, object, name, value, s.place);
    return;
  }
  if (object.kind === 'object') dynamic(c, object, s.place);
  if (object.kind === 'oneOf') putInMemory(c, object.choices, s.place);
  if (object.kind !== 'array') refuse(s.place, `${V.describe(object)} has no elements`, 'index an array');
  const { ref } = object;
  if (object.tag) Maybe.checkThere(c, object, 'set', name ?? at, s.place);
  c.writes(ref);
  c.facts.stores(object.site, value, s.place);
  const stored = storedValue(c, object, value, s.value?.place ?? s.place);
  const index = bounded(c, ref, indexOf(c, keyOf(c, at, s.index?.place ?? s.place), ref), s.place, describe(object));
  if (object.isList && !index.isKnown) storeInList(c, object, index, stored, s.place);
  else
    c.out.push({
      kind: 'store', array: ref, index: index.at, value: stored, valid: index.valid, checked: !index.isKnown,
      place: s.place,
    });
}

/** @type {(c: any, array: ArrayValue, index: Index, value: Expression, place: any) => void} an Array would grow */
function storeInList(c, array, index, value, place) {
  const at = E.settle(c, index.at, 'index');
  const site = c.site(place, 'RangeError', [
    'an Array of ', null, ' elements cannot grow to hold element ', null, ' in a native function',
  ]);
  const test = M.unary('not', isInside(array.ref, { ...index, at }));
  c.out.push({
    kind: 'if', test, then: [{ kind: 'throw', site, values: [array.ref.length, at] }], otherwise: [], place,
  });
  c.out.push({ kind: 'store', array: array.ref, index: at, value, valid: null, checked: false, place });
}

/**
 * What of a value goes to memory, in the type that elements load as.
 *
 * @type {(c: any, array: ArrayValue, value: Value, place: any) => Expression}
 */
function storedValue(c, array, value, place) {
  if (array.isList) refuseRows(value, place);
  const { dtype, clamps } = array.ref;
  if (Encoded.kindOf(array.site)) return Encoded.encode(c, array.site, numberOrNothing(c, value, place));
  const isOdd =
    value.kind === 'null' ||
    value.kind === 'boolean' ||
    (value.kind === 'number' && (value.type.null || value.type.boolean));
  if (array.isList && !array.site && isOdd)
    return refuse(
      place,
      `${value.kind === 'null' ? 'null' : 'a boolean'} is stored in an Array of numbers that comes from outside`,
      'store 1 or 0',
    );
  if (dtype === 'i64' || dtype === 'u64') {
    if (array.site) return M.convert(O.asInteger(X.toNumber(c, value, place)), dtype);
    if (value.kind !== 'bigint')
      return refuse(place, `${V.describe(value)} is stored in an array of bigints`, 'write BigInt(x)');
    return M.convert(value.x, dtype);
  }
  const number = X.toNumber(c, value, place);
  if (clamps) return clamped(c, number);
  if (dtype === 'f64') return O.asDouble(number);
  if (dtype === 'f32') return O.asSingle(number);
  const x = O.asInt32(number);
  return dtype === 'u32' ? { op: 'bitcast', type: 'u32', args: [x] } : x;
}

/** @type {(c: any, value: Value, place: any) => Value} what an Array may hold */
function numberOrNothing(c, value, place) {
  return value.kind === 'boolean' || value.kind === 'undefined' || value.kind === 'null' || value.kind === 'number'
    ? value
    : X.toNumber(c, value, place);
}

/** @type {(value: Value, place: any) => void} arrays of arrays and objects are no memory */
function refuseRows(value, place) {
  const isArray = value.kind === 'array' || (value.kind === 'object' && value.isTuple);
  if (isArray)
    refuse(
      place,
      'an array is an element of an array that grows or is made by a callback',
      'keep the rows in one typed array: rows[i * width + j]',
    );
  if (value.kind === 'object')
    refuse(
      place,
      'an object is an element of an array that grows or is made by a callback',
      'keep each field in an array of its own',
    );
}

/** @type {(c: any, number: import('./values.js').NumberValue) => Expression} ToUint8Clamp: halves to even, NaN to 0 */
function clamped(c, number) {
  if (N.isIntegerOrNegativeZero(number.type)) {
    const x = O.asInteger(number);
    return M.convert(M.binary('min', M.binary('max', x, M.constant('i64', 0)), M.constant('i64', 255)), 'i32');
  }
  const x = E.settle(c, O.asDouble(number), 'clamped');
  const within = M.binary('min', M.binary('max', x, M.constant('f64', 0)), M.constant('f64', 255));
  return M.convert(M.unary('round_even', within), 'i32');
}

/** @type {(c: any, object: Value, name: string, value: Value, place: any) => void} */
function setField(c, object, name, value, place) {
  if (object.kind === 'oneOf') {
    oneOf().setField(c, object, name, value, place);
    return;
  }
  if (object.kind !== 'object')
    refuse(
      place,
      `.${name} of ${V.describe(object)} cannot be set`,
      object.kind === 'mixed' ? IN_BRANCH : 'name a field of an object',
    );
  if (object.isCopy && object.site && !object.site.inMemory) c.facts.putInMemory(object.site, place);
  if (object.isCopy)
    refuse(
      place,
      `.${name} of an object is set that was handed to a function which is compiled apart, or came from one`,
      'return a new object, or use a typed array',
    );
  const own = object.fields.get(name);
  E.setVariable(c, own ?? addField(c, object, name, place), value);
}

/**
 * A field more, where all ways go past.
 *
 * @type {(c: any, object: import('./values.js').ObjectValue, name: string, place: any) => import('./values.js').Var}
 */
function addField(c, object, name, place) {
  const isNext = !object.isTuple || name === String(object.fields.size);
  if (object.nesting !== c.nesting || !isNext)
    return refuse(place, `the object has no field ${name} yet`, `name it where the object is made: { ${name}: 0 }`);
  return c.objects.addField(object, name);
}

/** @type {(c: any, s: any) => void} object.name = value */
function setMember(c, s) {
  const object = X.evaluate(c, s.object);
  storeAt(c, object, { kind: 'string', value: s.name }, X.evaluate(c, s.value), s);
}

// --- making ---

/** @type {(c: any, e: any) => Value} */
function arrayLiteral(c, e) {
  const parts = e.elements.map((/** @type {any} */ element) =>
    element.kind === 'spread' ? partOf(c, element) : [X.evaluate(c, element)],
  );
  if (!parts.every(Array.isArray)) return require('./array-concat.js').joined(c, parts, e);
  const values = parts.flat();
  const site = c.facts.site(c.frame, e);
  if (site.inMemory) return listOf(c, values, site, e.place);
  const names = values.map((/** @type {Value} */ _, /** @type {number} */ i) => String(i));
  return literal(c, e, names, values, true, site);
}

/** @type {(c: any, element: any) => Value[] | ArrayValue} */
function partOf(c, element) {
  return elementsOf(c, X.evaluate(c, element.argument), element.place);
}

/**
 * The elements of a tuple, or of an array of known length; one whose length is found at run time.
 *
 * @type {(c: any, value: Value, place: any) => Value[] | ArrayValue}
 */
function elementsOf(c, value, place) {
  if (value.kind === 'object' && value.isTuple) return E.heldBy(c, value);
  if (value.kind !== 'array')
    return refuse(place, `${V.describe(value)} has no elements to be spread`, 'write them one by one');
  const length = M.valueOf(value.ref.length);
  if (length === undefined || length > 64n) return value;
  return Array.from({ length: Number(length) }, (_, i) => load(c, value, V.numberConstant(i), place));
}

/** @type {(c: any, element: any) => Value[]} arguments of a call, which has a fixed number of them */
function spread(c, element) {
  return spreadValue(c, X.evaluate(c, element.argument), element.place);
}

/** @type {(c: any, value: Value, place: any) => Value[]} */
function spreadValue(c, value, place) {
  const part = elementsOf(c, value, place);
  return Array.isArray(part)
    ? part
    : refuse(place, 'how many elements there are is not known at compile time', 'write a loop over them');
}

/** @type {(c: any, e: any) => Value} */
function objectLiteral(c, e) {
  const fields = e.fields.flatMap((/** @type {any} */ { name, value }) =>
    value.kind === 'spread' ? spreadFields(c, value) : [[name, X.evaluate(c, value)]],
  );
  return literal(
    c,
    e,
    fields.map((/** @type {[string, Value]} */ [name]) => name),
    fields.map((/** @type {[string, Value]} */ [, value]) => value),
    false,
    null,
  );
}

/**
 * The fields of an object; numbers and what is nothing have none.
 *
 * @type {(c: any, element: any) => [string, Value][]}
 */
function spreadFields(c, element) {
  const value = X.evaluate(c, element.argument);
  if (value.kind === 'object') return [...value.fields].map(([name, own]) => [name, c.env.get(own) ?? V.UNDEFINED]);
  if (['number', 'boolean', 'bigint', 'undefined', 'null', 'closure', 'builtin'].includes(value.kind)) return [];
  return refuse(element.place, `${V.describe(value)} is spread in an object`, 'write the fields by name');
}

/**
 * Objects that are there or not, whose names outlive a round, and those in them.
 *
 * @type {(env: import('./environment.js').Env) => Set<number>}
 */
function heldObjects(env) {
  const held = new Set();
  const hold = (/** @type {any} */ object) => {
    if (!object || held.has(object.id)) return;
    held.add(object.id);
    for (const own of object.fields?.values() ?? []) hold(Maybe.objectOf(env.get(own)));
  };
  for (const value of env.values()) if (value.kind === 'maybe') hold(value.object);
  return held;
}

/** @type {(c: any, e: any, names: string[], values: Value[], isTuple: boolean, site: any) => Value} */
function literal(c, e, names, values, isTuple, site) {
  let known = c.frame.objects.get(e);
  if (!known) c.frame.objects.set(e, (known = []));
  // One that was made here a round ago may have a name still.
  const held = heldObjects(c.env);
  let object = known.find((/** @type {any} */ o) => !held.has(o.id) && names.every((name) => o.fields.has(name)));
  if (!object) known.push((object = c.objects.make(isTuple ? 'element' : 'field', [...new Set(names)], isTuple, site)));
  // Fields that were added to the one made here a round ago.
  for (const name of object.fields.keys()) if (!names.includes(name)) object.fields.delete(name);
  object.nesting = c.nesting;
  // Elements may be made of the elements of the same literal, a round ago: all are read before any is set.
  const settled = values.map((v) => X.settleValue(c, v));
  names.forEach((name, i) => E.setVariable(c, /** @type {any} */ (object.fields.get(name)), settled[i]));
  return object;
}

/** @type {(c: any, values: Value[], site: any, place: any) => Value} numbers in memory */
function listOf(c, values, site, place) {
  const elements = values.map((v) => numberOrNothing(c, v, place));
  const type = elements.map(E.numberType).reduce((a, b) => N.join(a, b), N.constant(0));
  c.facts.holds(
    site,
    { ...type, below: null },
    elements.some((v) => v.kind === 'number'),
    place,
  );
  const dtype = site.type ? (N.isInteger(site.type) ? 'i64' : 'f64') : 'f64';
  const ref = allocate(c, dtype, M.constant('i64', elements.length), 'list', place, site);
  /** @type {ArrayValue} */
  const array = { kind: 'array', ref, isList: true, site };
  elements.forEach((v, i) => {
    const value = storedValue(c, array, v, place);
    c.out.push({ kind: 'store', array: ref, index: M.constant('i64', i), value, valid: null, checked: false, place });
  });
  return array;
}

/**
 * Fresh memory, zeroed.
 *
 * @type {(c: any, dtype: any, count: Expression, name: string, place: any, site: import('./restarts.js').Site) => ArrayRef}
 */
function allocate(c, dtype, count, name, place, site) {
  const made = E.newLocal(c, name, `${dtype}*`);
  const known = M.valueOf(count);
  const small = known !== undefined && Number(known) * bytesOf(dtype) <= MOST_STACK;
  const onStack = small && !(site.escapes && c.depth > 0) && !site.isReturned;
  const root = c.rootOf(onStack ? 'stack' : 'heap', name, site);
  root.isWritten = true;
  const length = E.settle(c, count, 'length');
  if (onStack) c.out.push({ kind: 'stack', local: made, dtype, count: Math.max(Number(known), 1) });
  else c.out.push({ kind: 'alloc', local: made, dtype, count: length, escapes: site.escapes, place });
  return {
    dtype, clamps: false,
    pointer: E.settle(c, { op: 'offset', type: made.type, args: [M.read(made), M.constant('i64', 0)] }, name), length,
    roots: [root],
  };
}

exports.MOST_LENGTH = MOST_LENGTH;
exports.allocate = allocate;
exports.arrayLiteral = arrayLiteral;
exports.bytesOf = bytesOf;
exports.constantOf = constantOf;
exports.describe = describe;
exports.elementOf = elementOf;
exports.field = field;
exports.elementAt = elementAt;
exports.indexOf = indexOf;
exports.isInside = isInside;
exports.lengthOf = lengthOf;
exports.listOf = listOf;
exports.load = load;
exports.member = member;
exports.objectLiteral = objectLiteral;
exports.setMember = setMember;
exports.spread = spread;
exports.spreadValue = spreadValue;
exports.store = store;
exports.storeAt = storeAt;
exports.stored = storedValue;
exports.loadKnown = loadKnown;
exports.storeKnown = storeKnown;
