/**
 * Typed arrays and Arrays of numbers: how they are made, viewed, filled and copied.
 *
 * Positions are clamped as ECMAScript clamps them, so that what is copied or filled is in range by construction.
 * Methods that are loops over elements with a callback inside are written in JavaScript (library.js).
 */
'use strict';

const N = require('./number-types.js');
const M = require('../tir/machine.js');
const V = require('./values.js');
const O = require('./operators.js');
const E = require('./environment.js');
const Encoded = require('./tagged-elements.js');
const memory = require('./memory.js');
const properties = require('./properties.js');
const tensors = require('./tensors.js');
const { concatenated } = require('./array-concat.js');
const { chooseBy } = require('./branches.js');
const { isNothing, toNumber } = require('./conversions.js');
const { callLibrary, libraryFunction } = require('./library.js');
const { math } = require('./math.js');
const { refuse } = require('../source/frame.js');
const { VIEW } = require('../source/types.js');

/** @typedef {import('../hir/index.js').Place} Place */
/** @typedef {import('../tir/index.js').Expression} Expression */
/** @typedef {import('./values.js').ArrayValue} ArrayValue */
/** @typedef {import('./values.js').Value} Value */
/** @typedef {import('./walk.js').CallSite} CallSite */
/** @typedef {import('./walk.js').Walk} Walk */

/** @type {Record<string, string>} */
const DTYPES = {
  Float64Array: 'f64',
  Float32Array: 'f32',
  Int32Array: 'i32',
  Uint32Array: 'u32',
  Int16Array: 'i16',
  Uint16Array: 'u16',
  Int8Array: 'i8',
  Uint8Array: 'u8',
  Uint8ClampedArray: 'u8',
  BigInt64Array: 'i64',
  BigUint64Array: 'u64',
};

/** @type {(n: number | bigint) => Expression} */
const i64 = (n) => M.constant('i64', n);

/** @type {(walk: Walk, name: string, args: Value[], e: CallSite) => Value} */
function builtin(walk, name, args, e) {
  if (name === 'new.Array' || name === 'new.room') return newList(walk, args, name === 'new.room', e);
  if (name.startsWith('new.') && DTYPES[name.slice(4)]) return newTyped(walk, name.slice(4), args, e);
  if (name.startsWith('from.') && DTYPES[name.slice(5)]) return newTyped(walk, name.slice(5), args, e);
  if (name.startsWith('instanceof.')) return isInstance(args[0], name.slice(11), e);
  const [array, ...rest] = args;
  switch (name) {
    case 'from.Array':
      return array?.kind === 'array' && !array.isList
        ? concatenated(walk, [array], e)
        : slice(walk, array, [], e);
    case 'new.like':
      return newLike(walk, array, e);
    case 'new.grown':
      return grown(walk, array, rest, e);
    case 'new.rest':
      return slice(walk, array, rest, e);
    case 'new.omit':
      return omit(walk, array, rest, e);
    case '.concat':
      return concat(walk, args, e);
    case '.subarray':
      return subarray(walk, typed(array, name, e), rest, e);
    case '.slice':
      return slice(walk, array, rest, e);
    case '.at':
      return array.kind === 'tensor'
        ? tensors.read(walk, array, rest, e.place)
        : elementAt(walk, array, rest[0] ?? V.UNDEFINED, e);
    default:
      return refuse(e.place, `${name.replace(/^new\./, 'new ')} is not supported`, '');
  }
}

/** @type {(value: Value, name: string, e: CallSite) => ArrayValue} */
function typed(value, name, e) {
  if (value?.kind === 'array') return value;
  const isOwn = value?.kind === 'object' && !value.isTuple && value.fields.has(name.slice(1));
  return refuse(
    e.place,
    `${name} of ${V.describe(value ?? V.UNDEFINED)} is not supported`,
    isOwn ? 'give a method of your own another name' : 'call it on a typed array',
  );
}

// --- making ---

/** @type {(walk: Walk, maker: string, args: Value[], e: CallSite) => Value} */
function newTyped(walk, maker, args, e) {
  const [from, ...more] = args;
  if (more.length)
    return refuse(e.place, 'views of buffers are not supported', 'hand over the typed array, or use .subarray');
  if (from?.kind === 'array') return copyOf(walk, maker, from, e);
  if (from?.kind === 'object') {
    if (!from.isTuple) return refuse(e.place, 'a typed array is made of an object', 'give its length or its elements');
    return fromValues(walk, maker, E.heldBy(walk, from), e);
  }
  const length = lengthFrom(walk, from ?? V.UNDEFINED, 'Invalid typed array length: ', e.place);
  return fresh(walk, maker, length, e);
}

/** @type {(walk: Walk, maker: string, length: Expression, e: CallSite) => ArrayValue} */
function fresh(walk, maker, length, e) {
  const site = walk.facts.site(e);
  const dtype = /** @type {any} */ (DTYPES[maker]);
  const ref = memory.allocate(walk, dtype, length, 'array', e.place, site);
  return { kind: 'array', ref: { ...ref, clamps: maker === 'Uint8ClampedArray' }, isList: false, site: null };
}

/** @type {(walk: Walk, value: Value, text: string, place: Place) => Expression} ToIndex, of i64 */
function lengthFrom(walk, value, text, place) {
  const number = toNumber(value, place);
  const t = N.plain(number.type);
  if (N.isIntegerOrNegativeZero(t)) {
    const n = walk.settle(O.asInteger(number), 'count');
    if (t.lo < 0 || t.hi > memory.MOST_LENGTH)
      throwUnlessLength(walk, M.and(M.binary('ge', n, i64(0)), M.binary('le', n, i64(memory.MOST_LENGTH))), text, n, place);
    return n;
  }
  walk.hint(t);
  const x = walk.settle(O.asDouble(number), 'count');
  const whole = M.select(M.unary('is_nan', x), M.constant('f64', 0), M.unary('trunc', x));
  throwUnlessLength(
    walk,
    M.and(M.binary('ge', whole, M.constant('f64', 0)), M.binary('le', whole, M.constant('f64', memory.MOST_LENGTH))),
    text,
    x,
    place,
  );
  return walk.settle({ op: 'convert', type: 'i64', args: [whole] }, 'count');
}

/** @type {(walk: Walk, test: Expression, text: string, value: Expression, place: Place) => void} */
function throwUnlessLength(walk, test, text, value, place) {
  walk.throwUnless(test, place, 'RangeError', [text, null], [value]);
}

/** @type {(walk: Walk, maker: string, values: Value[], e: CallSite) => Value} */
function fromValues(walk, maker, values, e) {
  const array = fresh(walk, maker, i64(values.length), e);
  values.forEach((value, i) => {
    const stored = memory.storedValue(walk, array, value, e.place);
    walk.out.push({
      kind: 'store', array: array.ref, index: i64(i), value: stored, valid: null, checked: false, place: e.place,
    });
  });
  return array;
}

/** @type {(walk: Walk, like: any, e: CallSite) => Value} an array of the same kind and length, to be filled */
function newLike(walk, like, e) {
  if (like.kind === 'object' && like.isTuple)
    return walk.facts.putInMemory(
      like.site ?? refuse(e.place, 'this array cannot be copied here', 'use a typed array'),
      e.place,
    );
  const from = typed(like, 'a method', e);
  const length = walk.settle(from.ref.length, 'length');
  const site = walk.facts.site(e);
  const dtype = from.isList ? 'f64' : from.ref.dtype;
  const ref = memory.allocate(walk, dtype, length, 'array', e.place, site);
  if (from.isList && !site.type) site.type = N.anyNumber;
  return {
    kind: 'array', ref: { ...ref, clamps: from.ref.clamps }, isList: from.isList, site: from.isList ? site : null,
  };
}

/** @type {(walk: Walk, object: any, rest: any[], e: CallSite) => Value} an object of the fields that are not named */
function omit(walk, object, rest, e) {
  if (object.kind !== 'object')
    return rest.length === 0 ? object : refuse(e.place, `${V.describe(object)} is taken apart`, 'hand over an object');
  const gone = new Set(rest.map((v) => v.value));
  const names = [...object.fields.keys()].filter((name) => !gone.has(name));
  const made = walk.objects.make('rest', names, false, null);
  for (const [name, own] of made.fields)
    E.setVariable(walk, own, walk.here.get(object.fields.get(name)) ?? V.UNDEFINED);
  return made;
}

/** @type {(walk: Walk, args: Value[], e: CallSite) => Value} */
function concat(walk, args, e) {
  const [first] = args;
  if (first.kind !== 'object' || !first.isTuple) typed(first, '.concat', e);
  const isTyped = (/** @type {Value} */ v) => v.kind === 'array' && !v.isList;
  if (args.some(isTyped))
    return refuse(
      e.place,
      '.concat does not go over the elements of typed arrays',
      isTyped(first) ? 'make a typed array of both lengths and .set both' : 'write [...a, ...b]',
    );
  const parts = args.map((v) => (v.kind === 'object' && v.isTuple ? E.heldBy(walk, v) : v.kind === 'array' ? v : [v]));
  if (!parts.every(Array.isArray)) return concatenated(walk, parts, e);
  const values = parts.flat();
  const site = walk.facts.site(e);
  if (site.inMemory) return memory.listOf(walk, values, site, e.place);
  const made = walk.objects.make(
    'element',
    values.map((_, i) => String(i)),
    true,
    site,
  );
  [...made.fields.values()].forEach((own, i) =>
    E.setVariable(walk, own, values[i]),
  );
  return made;
}

/** @type {(walk: Walk, maker: string, from: ArrayValue, e: CallSite) => Value} */
function copyOf(walk, maker, from, e) {
  const length = walk.settle(from.ref.length, 'length');
  const array = fresh(walk, maker, length, e);
  memory.copy(walk, array, i64(0), from, i64(0), length, e.place);
  return array;
}

/**
 * New Array(n): n that are undefined; or room for what is stored before anybody looks.
 *
 * @type {(walk: Walk, args: Value[], isRoom: boolean, e: CallSite) => Value}
 */
function newList(walk, args, isRoom, e) {
  const site = walk.facts.site(e);
  if (args.length !== 1 || args[0].kind !== 'number')
    return refuse(e.place, 'Array is called with other than a length', 'write an array literal');
  const length = lengthFrom(walk, args[0], 'Invalid array length: ', e.place);
  const ref = memory.allocate(walk, 'f64', length, 'list', e.place, site);
  walk.facts.holds(site, { ...N.anyNumber, undefined: !isRoom }, false, e.place);
  /** @type {ArrayValue} */
  const array = { kind: 'array', ref, isList: true, site };
  if (!isRoom) walk.out.push({ kind: 'fill', array: ref, value: Encoded.NOTHING, from: i64(0), to: length });
  return array;
}

/**
 * An array that is no shorter and begins with these elements.
 *
 * @type {(walk: Walk, from: any, length: Value[], e: CallSite) => Value}
 */
function grown(walk, from, length, e) {
  if (from.kind === 'object')
    return walk.facts.putInMemory(
      from.site ?? refuse(e.place, 'this array cannot grow', 'begin with an array literal'),
      e.place,
    );
  const array = /** @type {ArrayValue} */ (newList(walk, length, true, e));
  memory.copy(walk, array, i64(0), from, i64(0), from.ref.length, e.place);
  return array;
}

/** @type {(value: any, name: string, e: CallSite) => Value} */
function isInstance(value, name, e) {
  if (value.kind === 'mixed' || value.kind === 'maybe')
    return refuse(e.place, `this may be ${V.describe(value)}`, 'compare it with null or undefined first');
  let is = name === 'Object' && ['array', 'object', 'closure', 'builtin', 'tensor'].includes(value.kind);
  if (value.kind === 'array' && !value.isList)
    is ||= DTYPES[name] === value.ref.dtype && (name === 'Uint8ClampedArray') === value.ref.clamps;
  if (name === 'Array') is = (value.kind === 'array' && value.isList) || (value.kind === 'object' && value.isTuple);
  return V.boolean(M.constant('bool', is));
}

// --- positions ---

/**
 * A relative position, clamped to [0, length].
 *
 * @type {(walk: Walk, value: Value | undefined, length: Expression, otherwise: Expression, place: Place) => Expression}
 */
function position(walk, value, length, otherwise, place) {
  if (!value || value.kind === 'undefined') return otherwise;
  const missing = isNothing(value, 1);
  if (missing.op === 'const' && missing.value) return otherwise;
  const number = toNumber(value, place);
  if (missing.op !== 'const') {
    const isUndefined = walk.settle(missing, 'missing');
    return M.select(isUndefined, otherwise, position(walk, number, length, otherwise, place));
  }
  let at;
  if (N.isIntegerOrNegativeZero(N.plain(number.type))) {
    at = walk.settle(O.asInteger(number), 'position');
    if (number.type.lo >= 0) return walk.settle(M.binary('min', at, length), 'position');
  } else {
    // convert saturates and makes 0 of NaN, which is ToIntegerOrInfinity where lengths end.
    at = walk.settle({ op: 'convert', type: 'i64', args: [M.unary('trunc', O.asDouble(number))] }, 'position');
  }
  const below = M.binary('max', M.binary('add', at, length), i64(0));
  return walk.settle(M.select(M.binary('lt', at, i64(0)), below, M.binary('min', at, length)), 'position');
}

/** @type {(walk: Walk, array: ArrayValue, rest: Value[], e: CallSite) => [Expression, Expression]} first element and count */
function span(walk, array, rest, e) {
  const length = walk.settle(array.ref.length, 'length');
  const from = position(walk, rest[0], length, i64(0), e.place);
  const to = position(walk, rest[1], length, length, e.place);
  return [from, walk.settle(M.binary('max', M.binary('sub', to, from), i64(0)), 'length')];
}

/** @type {(walk: Walk, array: ArrayValue, rest: Value[], e: CallSite) => Value} */
function subarray(walk, array, rest, e) {
  if (array.isList) return refuse(e.place, 'an Array has no subarray', 'use .slice');
  const [from, count] = span(walk, array, rest, e);
  const pointer = walk.settle({ op: 'offset', type: array.ref.pointer.type, args: [array.ref.pointer, from] }, 'view');
  return { ...array, ref: { ...array.ref, pointer, length: count, owner: viewOwner(array.ref.owner) } };
}

/** @type {(owner: Expression | undefined) => Expression | undefined} */
function viewOwner(owner) {
  if (!owner || M.valueOf(owner) === 1n) return owner;
  return owner.op === 'const'
    ? i64(owner.value | BigInt(VIEW))
    : { op: 'or', type: 'i64', args: [owner, M.select(M.binary('eq', owner, i64(1)), i64(0), i64(VIEW))] };
}

/** @type {(walk: Walk, array: Value, rest: Value[], e: CallSite) => Value} */
function slice(walk, array, rest, e) {
  if (array?.kind === 'object' && array.isTuple) return sliceTuple(walk, array, rest, e);
  const from = typed(array, '.slice', e);
  const [first, count] = span(walk, from, rest, e);
  const site = walk.facts.site(e);
  const ref = memory.allocate(walk, from.ref.dtype, count, 'slice', e.place, site);
  if (from.isList && from.site) walk.facts.unify([from.site, site]);
  const target = { ...from, ref: { ...ref, clamps: from.ref.clamps }, site: from.isList ? (from.site ?? null) : null };
  memory.copy(walk, target, i64(0), from, first, count, e.place);
  return target;
}

/** @type {(walk: Walk, tuple: any, rest: Value[], e: CallSite) => Value} */
function sliceTuple(walk, tuple, rest, e) {
  const bounds = rest.map((v) => (v.kind === 'number' ? properties.constantOf(v) : null));
  if (bounds.includes(null))
    return refuse(e.place, 'which elements are taken is not known at compile time', 'use a typed array');
  const values = [...tuple.fields.values()]
    .slice(.../** @type {number[]} */ (bounds))
    .map((own) => walk.here.get(own) ?? V.UNDEFINED);
  const site = walk.facts.site(e);
  if (site.inMemory) return memory.listOf(walk, values, site, e.place);
  const object = walk.objects.make(
    'element',
    values.map((_, i) => String(i)),
    true,
    site,
  );
  [...object.fields.values()].forEach((own, i) =>
    E.setVariable(walk, own, values[i]),
  );
  return object;
}

/**
 * 0 where it is NaN, as in ToIntegerOrInfinity.
 *
 * @type {(v: import('./values.js').NumberValue) => import('./values.js').NumberValue}
 */
function notNaN(v) {
  if (!v.type.nan) return v;
  const x = O.asDouble(v);
  return O.plainValue(
    { ...v.type, nan: false, negativeZero: true, lo: Math.min(v.type.lo, 0), hi: Math.max(v.type.hi, 0) },
    M.select(M.unary('is_nan', x), M.constant('f64', 0), x),
  );
}

/** @type {(walk: Walk, array: Value, index: Value, e: CallSite) => Value} */
function elementAt(walk, array, index, e) {
  if (array.kind !== 'object' || !array.isTuple) typed(array, '.at', e);
  const number = toNumber(index, e.place);
  const whole = notNaN(math('trunc', [number], e));
  const length = /** @type {any} */ (properties.field(walk, array, 'length', e.place));
  const isNegative = O.relation('<', whole, V.numberConstant(0));
  const i = chooseBy(
    walk,
    isNegative,
    null,
    () => O.arithmetic('add', whole, length),
    () => whole,
    e,
  );
  return properties.elementOf(walk, array, i, e);
}

/** @type {(walk: Walk, object: any, name: string, args: Value[], s: CallSite) => Value} */
function run(walk, object, name, args, s) {
  if (object.kind === 'tensor') return tensors.method(walk, object, name, args, s.place);
  if (object.kind === 'object' && object.isTuple) return tupleMethod(walk, object, name, args, s);
  const array = typed(object, `.${name}`, s);
  switch (name) {
    case 'fill':
      return fill(walk, array, args, s);
    case 'set':
      return set(walk, array, args, s);
    case 'copyWithin':
      return copyWithin(walk, array, args, s);
    case 'reverse':
      return callLibrary(walk, 'reverse', [array], s);
    case 'sort': {
      const isGiven = args[0] && args[0].kind !== 'undefined';
      if (array.isList && !isGiven)
        return refuse(
          s.place,
          'an Array sorts its elements as texts without a comparison',
          'write .sort((a, b) => a - b)',
        );
      if (!isGiven) return callLibrary(walk, 'sort', [array, libraryFunction(walk, 'ascending')], s);
      if (!array.isList && !array.ref.dtype.startsWith('f')) return callLibrary(walk, 'sort', [array, args[0]], s);
      const sort = libraryFunction(walk, 'sort');
      if (array.site?.type?.undefined)
        return callLibrary(walk, 'sortPresent', [array, args[0], libraryFunction(walk, 'sortArray'), sort], s);
      return callLibrary(walk, array.isList ? 'sortArray' : 'sortTyped', [array, args[0], sort], s);
    }
    default:
      return refuse(s.place, `.${name} of ${V.describe(object)} is not supported`, V.instead(name));
  }
}

/** @type {(walk: Walk, tuple: any, name: string, args: Value[], s: CallSite) => Value} */
function tupleMethod(walk, tuple, name, args, s) {
  if (name === 'fill' && args.length === 1) {
    for (const own of tuple.fields.values()) E.setVariable(walk, own, args[0]);
    return tuple;
  }
  return walk.facts.putInMemory(tuple.site ?? refuse(s.place, `.${name} is not supported here`, ''), s.place);
}

/** @type {(walk: Walk, array: ArrayValue, args: Value[], s: CallSite) => Value} */
function fill(walk, array, args, s) {
  const value = args[0] ?? V.UNDEFINED;
  walk.facts.stores(array.site, value, s.place);
  const settled = walk.settle(memory.storedValue(walk, array, value, s.place), 'value');
  const [from, count] = span(walk, array, args.slice(1), s);
  walk.writes(array.ref);
  walk.out.push({ kind: 'fill', array: array.ref, value: settled, from, to: walk.settle(M.binary('add', from, count)) });
  return array;
}

/** @type {(walk: Walk, array: ArrayValue, args: Value[], s: CallSite) => Value} */
function set(walk, array, args, s) {
  const [source, offset] = args;
  const at = offset && offset.kind !== 'undefined' ? wholeOf(walk, offset, s.place) : i64(0);
  if (source?.kind === 'object' && source.isTuple) return setValues(walk, array, source, at, s);
  if (source?.kind !== 'array') return refuse(s.place, `${V.describe(source ?? V.UNDEFINED)} is no array`, '');
  const count = walk.settle(source.ref.length, 'count');
  const room = M.binary('le', M.binary('add', at, count), array.ref.length);
  walk.throwUnless(M.and(M.binary('ge', at, i64(0)), room), s.place, 'RangeError', ['offset is out of bounds'], []);
  memory.copy(walk, array, at, source, i64(0), count, s.place);
  return V.UNDEFINED;
}

/** @type {(walk: Walk, array: ArrayValue, tuple: any, at: Expression, s: CallSite) => Value} */
function setValues(walk, array, tuple, at, s) {
  const values = E.heldBy(walk, tuple);
  const room = M.binary('le', M.binary('add', at, i64(values.length)), array.ref.length);
  walk.throwUnless(M.and(M.binary('ge', at, i64(0)), room), s.place, 'RangeError', ['offset is out of bounds'], []);
  walk.writes(array.ref);
  values.forEach((value, i) => {
    const stored = memory.storedValue(walk, array, value, s.place);
    walk.out.push({
      kind: 'store', array: array.ref, index: M.binary('add', at, i64(i)), value: stored, valid: null, checked: false,
      place: s.place,
    });
  });
  return V.UNDEFINED;
}

/** @type {(walk: Walk, value: Value, place: Place) => Expression} ToIntegerOrInfinity as i64, saturated far from overflow */
function wholeOf(walk, value, place) {
  const number = toNumber(value, place);
  if (N.isIntegerOrNegativeZero(N.plain(number.type))) return walk.settle(O.asInteger(number), 'at');
  const limit = M.constant('f64', 2 ** 60);
  const clamped = M.binary('max', M.binary('min', M.unary('trunc', O.asDouble(number)), limit), M.unary('neg', limit));
  return walk.settle({ op: 'convert', type: 'i64', args: [clamped] }, 'at');
}

/** @type {(walk: Walk, array: ArrayValue, args: Value[], s: CallSite) => Value} */
function copyWithin(walk, array, args, s) {
  const length = walk.settle(array.ref.length, 'length');
  const to = position(walk, args[0], length, i64(0), s.place);
  const [from, available] = span(walk, array, args.slice(1), s);
  const count = walk.settle(M.binary('min', available, M.binary('sub', length, to)), 'count');
  memory.copy(walk, array, to, array, from, count, s.place);
  return array;
}

module.exports = { builtin, run };
