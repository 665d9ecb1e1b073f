/**
 * Arrays in memory: what reading and writing their elements means, and where new ones lie.
 *
 * An element out of range is undefined and writing one does nothing, as JavaScript has it for typed arrays; with
 * `bounds: 'check'` both throw, with `'unchecked'` nobody looks. Properties of values of any kind are in properties.js.
 */
'use strict';

const N = require('./number-types.js');
const M = require('../tir/machine.js');
const V = require('./values.js');
const O = require('./operators.js');
const E = require('./environment.js');
const Maybe = require('./nullable.js');
const Encoded = require('./tagged-elements.js');
const { toNumber } = require('./conversions.js');
const { refuse } = require('../source/frame.js');

/** @typedef {import('../hir/index.js').Place} Place */
/** @typedef {import('../tir/index.js').ArrayRef} ArrayRef */
/** @typedef {import('../tir/index.js').Expression} Expression */
/** @typedef {import('./values.js').ArrayValue} ArrayValue */
/** @typedef {import('./values.js').Value} Value */
/** @typedef {import('./walk.js').Walk} Walk */

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

/** @type {(walk: Walk, value: import('./values.js').NumberValue, ref: ArrayRef) => Index} */
function indexOf(walk, value, ref) {
  const t = value.type;
  if (N.isIntegerOrNegativeZero(t)) {
    const length = M.valueOf(ref.length);
    const isBelow =
      length !== undefined ? t.hi < Number(length) : ref.length.op === 'local' && !!t.below?.has(ref.length.local);
    return { at: O.asInteger(value), valid: null, isKnown: t.lo >= 0 && isBelow };
  }
  walk.hint(t);
  const x = walk.settle(O.asDouble(value), 'index');
  const at = walk.settle({ op: 'convert', type: 'i64', args: [x] }, 'index');
  return { at, valid: t.int && !t.nan ? null : M.binary('eq', M.convert(at, 'f64'), x), isKnown: false };
}

/**
 * The same index with what `bounds` asks for.
 *
 * @type {(walk: Walk, ref: ArrayRef, index: Index, place: Place, type: string) => Index}
 */
function bounded(walk, ref, index, place, type) {
  if (index.isKnown || walk.options.bounds === 'unchecked') return { ...index, isKnown: true };
  if (walk.options.bounds !== 'check') return index;
  const at = walk.settle(index.at, 'index');
  const inside = isInside(ref, { ...index, at });
  const site = walk.site(place, 'RangeError', [
    `index `, null, ` is out of range of `, type, `: it has `, null, ` elements`,
  ]);
  walk.out.push({
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

/** @type {(walk: Walk, array: ArrayValue, value: import('./values.js').NumberValue, place: Place) => Value} */
function load(walk, array, value, place) {
  const { ref } = array;
  if (array.tag) Maybe.checkThere(walk, array, 'read', value, place);
  const index = bounded(walk, ref, indexOf(walk, value, ref), place, describe(array));
  const type = /** @type {any} */ (LOADED[ref.dtype]);
  const isBig = type === 'i64' || type === 'u64';
  const whole = isBig && !array.site;
  if (whole && !index.isKnown) return loadBigInt(walk, ref, index, type, place);
  const missing = index.isKnown ? null : M.constant(type, type[0] === 'f' ? NaN : 0);
  const read = { op: 'load', type, array: ref, args: [index.at], valid: index.valid, missing, place };
  if (whole) return V.bigint(read);
  return elementValue(array, index, read);
}

/**
 * The element at a position that is known to be one.
 *
 * @type {(array: ArrayValue, at: Expression, place: Place) => Value}
 */
function loadKnown(array, at, place) {
  const { ref } = array;
  const type = /** @type {any} */ (LOADED[ref.dtype]);
  const read = { op: 'load', type, array: ref, args: [at], valid: null, missing: null, place };
  if (type === 'i64' || type === 'u64') return V.bigint(read);
  return elementValue(array, { at, valid: null, isKnown: true }, read);
}

/** @type {(walk: Walk, array: ArrayValue, at: Expression, value: Value, place: Place) => void} */
function storeKnown(walk, array, at, value, place) {
  walk.writes(array.ref);
  walk.out.push({
    kind: 'store', array: array.ref, index: at, value: storedValue(walk, array, value, place), valid: null, checked: false,
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
 * @type {(walk: Walk, ref: ArrayRef, index: Index, type: any, place: Place) => Value}
 */
function loadBigInt(walk, ref, index, type, place) {
  const at = walk.settle(index.at, 'index');
  const site = walk.site(place, 'TypeError', ['Cannot mix BigInt and other types, use explicit conversions']);
  const test = M.unary('not', isInside(ref, { ...index, at }));
  walk.out.push({ kind: 'if', test, then: [{ kind: 'throw', site, values: [] }], otherwise: [], place });
  return V.bigint({ op: 'load', type, array: ref, args: [at], valid: null, missing: null, place });
}

/** @type {(array: any) => string} */
function describe(array) {
  return array.ref.roots[0]?.name || (array.isList ? 'the array' : 'the typed array');
}

/** @type {(ref: ArrayRef) => import('./values.js').NumberValue} */
function lengthOf(ref) {
  const known = M.valueOf(ref.length);
  if (known !== undefined) return V.numberConstant(Number(known));
  return new V.NumberValue(N.integer(0, MOST_LENGTH), ref.length);
}

/** @type {(dtype: string) => number} */
function bytesOf(dtype) {
  return Number(dtype.slice(1)) / 8;
}

/** @type {(walk: Walk, array: ArrayValue, index: Index, value: Expression, place: Place) => void} an Array would grow */
function storeInList(walk, array, index, value, place) {
  const at = walk.settle(index.at, 'index');
  const site = walk.site(place, 'RangeError', [
    'an Array of ', null, ' elements cannot grow to hold element ', null, ' in a native function',
  ]);
  const test = M.unary('not', isInside(array.ref, { ...index, at }));
  walk.out.push({
    kind: 'if', test, then: [{ kind: 'throw', site, values: [array.ref.length, at] }], otherwise: [], place,
  });
  walk.out.push({ kind: 'store', array: array.ref, index: at, value, valid: null, checked: false, place });
}

/**
 * What of a value goes to memory, in the type that elements load as.
 *
 * @type {(walk: Walk, array: ArrayValue, value: Value, place: Place) => Expression}
 */
function storedValue(walk, array, value, place) {
  if (array.isList) refuseRows(value, place);
  const { dtype, clamps } = array.ref;
  if (Encoded.kindOf(array.site)) return Encoded.encode(walk, array.site, numberOrNothing(value, place));
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
    if (array.site) return M.convert(O.asInteger(toNumber(value, place)), dtype);
    if (value.kind !== 'bigint')
      return refuse(place, `${V.describe(value)} is stored in an array of bigints`, 'write BigInt(x)');
    return M.convert(value.x, dtype);
  }
  const number = toNumber(value, place);
  if (clamps) return clamped(walk, number);
  if (dtype === 'f64') return O.asDouble(number);
  if (dtype === 'f32') return O.asSingle(number);
  const x = O.asInt32(number);
  return dtype === 'u32' ? { op: 'bitcast', type: 'u32', args: [x] } : x;
}

/** @type {(value: Value, place: Place) => Value} what an Array may hold */
function numberOrNothing(value, place) {
  return value.kind === 'boolean' || value.kind === 'undefined' || value.kind === 'null' || value.kind === 'number'
    ? value
    : toNumber(value, place);
}

/** @type {(value: Value, place: Place) => void} arrays of arrays and objects are no memory */
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

/** @type {(walk: Walk, number: import('./values.js').NumberValue) => Expression} ToUint8Clamp: halves to even, NaN to 0 */
function clamped(walk, number) {
  if (N.isIntegerOrNegativeZero(number.type)) {
    const x = O.asInteger(number);
    return M.convert(M.binary('min', M.binary('max', x, M.constant('i64', 0)), M.constant('i64', 255)), 'i32');
  }
  const x = walk.settle(O.asDouble(number), 'clamped');
  const within = M.binary('min', M.binary('max', x, M.constant('f64', 0)), M.constant('f64', 255));
  return M.convert(M.unary('round_even', within), 'i32');
}

/** @type {(walk: Walk, values: Value[], site: any, place: Place) => Value} numbers in memory */
function listOf(walk, values, site, place) {
  const elements = values.map((v) => numberOrNothing(v, place));
  const type = elements.map(E.numberType).reduce((a, b) => N.join(a, b), N.constant(0));
  walk.facts.holds(
    site,
    { ...type, below: null },
    elements.some((v) => v.kind === 'number'),
    place,
  );
  const dtype = site.type ? (N.isInteger(site.type) ? 'i64' : 'f64') : 'f64';
  const ref = allocate(walk, dtype, M.constant('i64', elements.length), 'list', place, site);
  /** @type {ArrayValue} */
  const array = { kind: 'array', ref, isList: true, site };
  elements.forEach((v, i) => {
    const value = storedValue(walk, array, v, place);
    walk.out.push({ kind: 'store', array: ref, index: M.constant('i64', i), value, valid: null, checked: false, place });
  });
  return array;
}

/** @type {(walk: Walk, target: ArrayValue, at: Expression, source: ArrayValue, from: Expression, count: Expression, place: Place) => void} */
function copy(walk, target, at, source, from, count, place) {
  const isBig = (/** @type {ArrayValue} */ a) => !a.site && a.ref.dtype.endsWith('64') && a.ref.dtype !== 'f64';
  if (isBig(target) !== isBig(source)) refuse(place, 'bigints and numbers do not mix', 'convert them one by one');
  walk.writes(target.ref);
  if (target.site)
    walk.facts.holds(
      target.site,
      source.site?.type ?? N.ofDType(source.ref.dtype),
      source.site?.hasNumbers ?? true,
      place,
    );
  else if (Encoded.kindOf(source.site) === 'numbers' && (source.site.type.null || source.site.type.boolean))
    refuse(place, 'an Array that holds other things than numbers is copied to a typed array', 'write a loop');
  walk.out.push({ kind: 'copy', target: target.ref, at, source: source.ref, from, count });
}

/**
 * Fresh memory, zeroed.
 *
 * @type {(walk: Walk, dtype: any, count: Expression, name: string, place: Place, site: import('./restarts.js').Site) => ArrayRef}
 */
function allocate(walk, dtype, count, name, place, site) {
  const made = E.newLocal(name, `${dtype}*`);
  const known = M.valueOf(count);
  const small = known !== undefined && Number(known) * bytesOf(dtype) <= MOST_STACK;
  const onStack = small && !(site.escapes && walk.depth > 0) && !site.isReturned;
  const root = walk.rootOf(onStack ? 'stack' : 'heap', name, site);
  root.isWritten = true;
  const length = walk.settle(count, 'length');
  if (onStack) walk.out.push({ kind: 'stack', local: made, dtype, count: Math.max(Number(known), 1) });
  else walk.out.push({ kind: 'alloc', local: made, dtype, count: length, escapes: site.escapes, place });
  return {
    dtype, clamps: false,
    pointer: walk.settle({ op: 'offset', type: made.type, args: [M.read(made), M.constant('i64', 0)] }, name), length,
    roots: [root],
  };
}

module.exports = {
  MOST_LENGTH, allocate, bounded, bytesOf, copy, describe, indexOf, lengthOf, listOf, load, loadKnown, storeInList,
  storeKnown, storedValue,
};
