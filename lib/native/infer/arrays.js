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
const X = require('./expressions.js');
const Mem = require('./memory.js');
const Encoded = require('./tagged-elements.js');
const { VIEW } = require('../source/types.js');
const { refuse } = require('../source/frame.js');

/** @typedef {import('./values.js').Value} Value */
/** @typedef {import('./values.js').ArrayValue} ArrayValue */
/** @typedef {import('../tir/index.js').Expression} Expression */

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

/** @type {(c: any, name: string, args: Value[], e: any) => Value} */
function builtin(c, name, args, e) {
  if (name === 'new.Array' || name === 'new.room') return newList(c, args, name === 'new.room', e);
  if (name.startsWith('new.') && DTYPES[name.slice(4)]) return newTyped(c, name.slice(4), args, e);
  if (name.startsWith('from.') && DTYPES[name.slice(5)]) return newTyped(c, name.slice(5), args, e);
  if (name.startsWith('instanceof.')) return isInstance(args[0], name.slice(11), e);
  const [array, ...rest] = args;
  switch (name) {
    case 'from.Array':
      return array?.kind === 'array' && !array.isList
        ? require('./array-concat.js').joined(c, [array], e)
        : slice(c, array, [], e);
    case 'new.like':
      return newLike(c, array, e);
    case 'new.grown':
      return grown(c, array, rest, e);
    case 'new.rest':
      return slice(c, array, rest, e);
    case 'new.omit':
      return omit(c, array, rest, e);
    case '.concat':
      return concat(c, args, e);
    case '.subarray':
      return subarray(c, typed(array, name, e), rest, e);
    case '.slice':
      return slice(c, array, rest, e);
    case '.at':
      return array.kind === 'tensor'
        ? require('./tensors.js').read(c, array, rest, e.place)
        : elementAt(c, array, rest[0] ?? V.UNDEFINED, e);
    default:
      return refuse(e.place, `${name.replace(/^new\./, 'new ')} is not supported`, '');
  }
}

/** @type {(value: Value, name: string, e: any) => ArrayValue} */
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

/** @type {(c: any, maker: string, args: Value[], e: any) => Value} */
function newTyped(c, maker, args, e) {
  const [from, ...more] = args;
  if (more.length)
    return refuse(e.place, 'views of buffers are not supported', 'hand over the typed array, or use .subarray');
  if (from?.kind === 'array') return copyOf(c, maker, from, e);
  if (from?.kind === 'object') {
    if (!from.isTuple) return refuse(e.place, 'a typed array is made of an object', 'give its length or its elements');
    return fromValues(c, maker, E.heldBy(c, from), e);
  }
  const length = lengthFrom(c, from ?? V.UNDEFINED, 'Invalid typed array length: ', e.place);
  return fresh(c, maker, length, e);
}

/** @type {(c: any, maker: string, length: Expression, e: any) => ArrayValue} */
function fresh(c, maker, length, e) {
  const site = c.facts.site(c.frame, e);
  const dtype = /** @type {any} */ (DTYPES[maker]);
  const ref = Mem.allocate(c, dtype, length, 'array', e.place, site);
  return { kind: 'array', ref: { ...ref, clamps: maker === 'Uint8ClampedArray' }, isList: false, site: null };
}

/** @type {(c: any, value: Value, text: string, place: any) => Expression} ToIndex, of i64 */
function lengthFrom(c, value, text, place) {
  const number = X.toNumber(c, value, place);
  const t = N.plain(number.type);
  if (N.isIntegerOrNegativeZero(t)) {
    const n = E.settle(c, O.asInteger(number), 'count');
    if (t.lo < 0 || t.hi > Mem.MOST_LENGTH)
      throwUnlessLength(c, M.and(M.binary('ge', n, i64(0)), M.binary('le', n, i64(Mem.MOST_LENGTH))), text, n, place);
    return n;
  }
  c.hint(t);
  const x = E.settle(c, O.asDouble(number), 'count');
  const whole = M.select(M.unary('is_nan', x), M.constant('f64', 0), M.unary('trunc', x));
  throwUnlessLength(
    c,
    M.and(M.binary('ge', whole, M.constant('f64', 0)), M.binary('le', whole, M.constant('f64', Mem.MOST_LENGTH))),
    text,
    x,
    place,
  );
  return E.settle(c, { op: 'convert', type: 'i64', args: [whole] }, 'count');
}

/** @type {(c: any, test: Expression, text: string, value: Expression, place: any) => void} */
function throwUnlessLength(c, test, text, value, place) {
  c.throwUnless(test, place, 'RangeError', [text, null], [value]);
}

/** @type {(c: any, maker: string, values: Value[], e: any) => Value} */
function fromValues(c, maker, values, e) {
  const array = fresh(c, maker, i64(values.length), e);
  values.forEach((value, i) => {
    const stored = Mem.stored(c, array, value, e.place);
    c.out.push({
      kind: 'store', array: array.ref, index: i64(i), value: stored, valid: null, checked: false, place: e.place,
    });
  });
  return array;
}

/** @type {(c: any, like: any, e: any) => Value} an array of the same kind and length, to be filled */
function newLike(c, like, e) {
  if (like.kind === 'object' && like.isTuple)
    return c.facts.putInMemory(
      like.site ?? refuse(e.place, 'this array cannot be copied here', 'use a typed array'),
      e.place,
    );
  const from = typed(like, 'a method', e);
  const length = E.settle(c, from.ref.length, 'length');
  const site = c.facts.site(c.frame, e);
  const dtype = from.isList ? 'f64' : from.ref.dtype;
  const ref = Mem.allocate(c, dtype, length, 'array', e.place, site);
  if (from.isList && !site.type) site.type = N.anyNumber;
  return {
    kind: 'array', ref: { ...ref, clamps: from.ref.clamps }, isList: from.isList, site: from.isList ? site : null,
  };
}

/** @type {(c: any, object: any, rest: any[], e: any) => Value} an object of the fields that are not named */
function omit(c, object, rest, e) {
  if (object.kind !== 'object')
    return rest.length === 0 ? object : refuse(e.place, `${V.describe(object)} is taken apart`, 'hand over an object');
  const gone = new Set(rest.map((v) => v.value));
  const names = [...object.fields.keys()].filter((name) => !gone.has(name));
  const made = c.objects.make('rest', names, false, null);
  for (const name of names) E.setVariable(c, made.fields.get(name), c.env.get(object.fields.get(name)) ?? V.UNDEFINED);
  return made;
}

/** @type {(c: any, args: Value[], e: any) => Value} */
function concat(c, args, e) {
  const [first] = args;
  if (first.kind !== 'object' || !first.isTuple) typed(first, '.concat', e);
  const isTyped = (/** @type {Value} */ v) => v.kind === 'array' && !v.isList;
  if (args.some(isTyped))
    return refuse(
      e.place,
      '.concat does not go over the elements of typed arrays',
      isTyped(first) ? 'make a typed array of both lengths and .set both' : 'write [...a, ...b]',
    );
  const parts = args.map((v) => (v.kind === 'object' && v.isTuple ? E.heldBy(c, v) : v.kind === 'array' ? v : [v]));
  if (!parts.every(Array.isArray)) return require('./array-concat.js').joined(c, parts, e);
  const values = parts.flat();
  const site = c.facts.site(c.frame, e);
  if (site.inMemory) return Mem.listOf(c, values, site, e.place);
  const made = c.objects.make(
    'element',
    values.map((_, i) => String(i)),
    true,
    site,
  );
  [...made.fields.values()].forEach((/** @type {any} */ own, /** @type {number} */ i) =>
    E.setVariable(c, own, values[i]),
  );
  return made;
}

/** @type {(c: any, maker: string, from: ArrayValue, e: any) => Value} */
function copyOf(c, maker, from, e) {
  const length = E.settle(c, from.ref.length, 'length');
  const array = fresh(c, maker, length, e);
  copy(c, array, i64(0), from, i64(0), length, e.place);
  return array;
}

/**
 * New Array(n): n that are undefined; or room for what is stored before anybody looks.
 *
 * @type {(c: any, args: Value[], isRoom: boolean, e: any) => Value}
 */
function newList(c, args, isRoom, e) {
  const site = c.facts.site(c.frame, e);
  if (args.length !== 1 || args[0].kind !== 'number')
    return refuse(e.place, 'Array is called with other than a length', 'write an array literal');
  const length = lengthFrom(c, args[0], 'Invalid array length: ', e.place);
  const ref = Mem.allocate(c, 'f64', length, 'list', e.place, site);
  c.facts.holds(site, { ...N.anyNumber, undefined: !isRoom }, false, e.place);
  /** @type {ArrayValue} */
  const array = { kind: 'array', ref, isList: true, site };
  if (!isRoom) c.out.push({ kind: 'fill', array: ref, value: Encoded.NOTHING, from: i64(0), to: length });
  return array;
}

/**
 * An array that is no shorter and begins with these elements.
 *
 * @type {(c: any, from: any, length: Value[], e: any) => Value}
 */
function grown(c, from, length, e) {
  if (from.kind === 'object')
    return c.facts.putInMemory(
      from.site ?? refuse(e.place, 'this array cannot grow', 'begin with an array literal'),
      e.place,
    );
  const array = /** @type {ArrayValue} */ (newList(c, length, true, e));
  copy(c, array, i64(0), from, i64(0), from.ref.length, e.place);
  return array;
}

/** @type {(value: any, name: string, e: any) => Value} */
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
 * @type {(c: any, value: Value | undefined, length: Expression, otherwise: Expression, place: any) => Expression}
 */
function position(c, value, length, otherwise, place) {
  if (!value || value.kind === 'undefined') return otherwise;
  const missing = X.isNothing(value, 1);
  if (missing.op === 'const' && missing.value) return otherwise;
  const number = X.toNumber(c, value, place);
  if (missing.op !== 'const') {
    const isUndefined = E.settle(c, missing, 'missing');
    return M.select(isUndefined, otherwise, position(c, number, length, otherwise, place));
  }
  let at;
  if (N.isIntegerOrNegativeZero(N.plain(number.type))) {
    at = E.settle(c, O.asInteger(number), 'position');
    if (number.type.lo >= 0) return E.settle(c, M.binary('min', at, length), 'position');
  } else {
    // convert saturates and makes 0 of NaN, which is ToIntegerOrInfinity where lengths end.
    at = E.settle(c, { op: 'convert', type: 'i64', args: [M.unary('trunc', O.asDouble(number))] }, 'position');
  }
  const below = M.binary('max', M.binary('add', at, length), i64(0));
  return E.settle(c, M.select(M.binary('lt', at, i64(0)), below, M.binary('min', at, length)), 'position');
}

/** @type {(c: any, array: ArrayValue, rest: Value[], e: any) => [Expression, Expression]} first element and count */
function span(c, array, rest, e) {
  const length = E.settle(c, array.ref.length, 'length');
  const from = position(c, rest[0], length, i64(0), e.place);
  const to = position(c, rest[1], length, length, e.place);
  return [from, E.settle(c, M.binary('max', M.binary('sub', to, from), i64(0)), 'length')];
}

/** @type {(c: any, array: ArrayValue, rest: Value[], e: any) => Value} */
function subarray(c, array, rest, e) {
  if (array.isList) return refuse(e.place, 'an Array has no subarray', 'use .slice');
  const [from, count] = span(c, array, rest, e);
  const pointer = E.settle(c, { op: 'offset', type: array.ref.pointer.type, args: [array.ref.pointer, from] }, 'view');
  return { ...array, ref: { ...array.ref, pointer, length: count, owner: viewOwner(array.ref.owner) } };
}

/** @type {(owner: Expression | undefined) => Expression | undefined} */
function viewOwner(owner) {
  if (!owner || M.valueOf(owner) === 1n) return owner;
  return owner.op === 'const'
    ? i64(owner.value | BigInt(VIEW))
    : { op: 'or', type: 'i64', args: [owner, M.select(M.binary('eq', owner, i64(1)), i64(0), i64(VIEW))] };
}

/** @type {(c: any, array: Value, rest: Value[], e: any) => Value} */
function slice(c, array, rest, e) {
  if (array?.kind === 'object' && array.isTuple) return sliceTuple(c, array, rest, e);
  const from = typed(array, '.slice', e);
  const [first, count] = span(c, from, rest, e);
  const site = c.facts.site(c.frame, e);
  const ref = Mem.allocate(c, from.ref.dtype, count, 'slice', e.place, site);
  if (from.isList && from.site) c.facts.unify([from.site, site]);
  const target = { ...from, ref: { ...ref, clamps: from.ref.clamps }, site: from.isList ? (from.site ?? null) : null };
  copy(c, target, i64(0), from, first, count, e.place);
  return target;
}

/** @type {(c: any, tuple: any, rest: Value[], e: any) => Value} */
function sliceTuple(c, tuple, rest, e) {
  const bounds = rest.map((v) => (v.kind === 'number' ? Mem.constantOf(v) : null));
  if (bounds.includes(null))
    return refuse(e.place, 'which elements are taken is not known at compile time', 'use a typed array');
  const values = [...tuple.fields.values()]
    .slice(.../** @type {number[]} */ (bounds))
    .map((own) => c.env.get(own) ?? V.UNDEFINED);
  const site = c.facts.site(c.frame, e);
  if (site.inMemory) return Mem.listOf(c, values, site, e.place);
  const object = c.objects.make(
    'element',
    values.map((_, i) => String(i)),
    true,
    site,
  );
  [...object.fields.values()].forEach((/** @type {any} */ own, /** @type {number} */ i) =>
    E.setVariable(c, own, values[i]),
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

/** @type {(c: any, array: Value, index: Value, e: any) => Value} */
function elementAt(c, array, index, e) {
  if (array.kind !== 'object' || !array.isTuple) typed(array, '.at', e);
  const number = X.toNumber(c, index, e.place);
  const whole = notNaN(/** @type {any} */ (require('./builtins.js').apply(c, 'Math.trunc', [number], e)));
  const length = /** @type {any} */ (Mem.field(c, array, 'length', e.place));
  const isNegative = O.relation('<', whole, V.numberConstant(0));
  const i = X.chooseBy(
    c,
    isNegative,
    null,
    () => O.arithmetic('add', whole, length),
    () => whole,
    e,
  );
  return Mem.elementOf(c, array, i, e);
}

// --- writing many ---

/** @type {(c: any, target: ArrayValue, at: Expression, source: ArrayValue, from: Expression, count: Expression, place: any) => void} */
function copy(c, target, at, source, from, count, place) {
  const isBig = (/** @type {ArrayValue} */ a) => !a.site && a.ref.dtype.endsWith('64') && a.ref.dtype !== 'f64';
  if (isBig(target) !== isBig(source)) refuse(place, 'bigints and numbers do not mix', 'convert them one by one');
  c.writes(target.ref);
  if (target.site)
    c.facts.holds(
      target.site,
      source.site?.type ?? N.ofDType(source.ref.dtype),
      source.site?.hasNumbers ?? true,
      place,
    );
  else if (Encoded.kindOf(source.site) === 'numbers' && (source.site.type.null || source.site.type.boolean))
    refuse(place, 'an Array that holds other things than numbers is copied to a typed array', 'write a loop');
  c.out.push({ kind: 'copy', target: target.ref, at, source: source.ref, from, count });
}

/** @type {(c: any, s: any) => void} a method that changes what it is called on */
function method(c, s) {
  const object = X.evaluate(c, s.object);
  const isOwn = object.kind === 'object' && object.fields.has(s.name) && !GIVES_ITSELF.has(s.name);
  const result = isOwn
    ? require('./calls.js').callMember(c, object, s)
    : run(
        c,
        object,
        s.name,
        s.args.map((/** @type {any} */ a) => X.evaluate(c, a)),
        s,
      );
  if (c.env && s.result) c.assign(s.result, result);
}

/** @type {(c: any, object: any, name: string, args: Value[], s: any) => Value} */
function run(c, object, name, args, s) {
  if (object.kind === 'tensor') return require('./tensors.js').method(c, object, name, args, s.place);
  if (object.kind === 'object' && object.isTuple) return tupleMethod(c, object, name, args, s);
  const array = typed(object, `.${name}`, s);
  switch (name) {
    case 'fill':
      return fill(c, array, args, s);
    case 'set':
      return set(c, array, args, s);
    case 'copyWithin':
      return copyWithin(c, array, args, s);
    case 'reverse':
      return require('./calls.js').library(c, 'reverse', [array], s);
    case 'sort': {
      const { library, libraryFunction } = require('./calls.js');
      const isGiven = args[0] && args[0].kind !== 'undefined';
      if (array.isList && !isGiven)
        return refuse(
          s.place,
          'an Array sorts its elements as texts without a comparison',
          'write .sort((a, b) => a - b)',
        );
      if (!isGiven) return library(c, 'sort', [array, libraryFunction(c, 'ascending')], s);
      if (!array.isList && !array.ref.dtype.startsWith('f')) return library(c, 'sort', [array, args[0]], s);
      const sort = libraryFunction(c, 'sort');
      if (array.site?.type?.undefined)
        return library(c, 'sortPresent', [array, args[0], libraryFunction(c, 'sortArray'), sort], s);
      return library(c, array.isList ? 'sortArray' : 'sortTyped', [array, args[0], sort], s);
    }
    default:
      return refuse(s.place, `.${name} of ${V.describe(object)} is not supported`, V.instead(name));
  }
}

/** Methods that the tree takes to give what they are called on, whatever that is. */
const GIVES_ITSELF = new Set(['fill', 'copyWithin', 'reverse', 'sort']);

/** @type {(c: any, tuple: any, name: string, args: Value[], s: any) => Value} */
function tupleMethod(c, tuple, name, args, s) {
  if (name === 'fill' && args.length === 1) {
    for (const own of tuple.fields.values()) E.setVariable(c, own, args[0]);
    return tuple;
  }
  return c.facts.putInMemory(tuple.site ?? refuse(s.place, `.${name} is not supported here`, ''), s.place);
}

/** @type {(c: any, array: ArrayValue, args: Value[], s: any) => Value} */
function fill(c, array, args, s) {
  const value = args[0] ?? V.UNDEFINED;
  c.facts.stores(array.site, value, s.place);
  const settled = E.settle(c, Mem.stored(c, array, value, s.place), 'value');
  const [from, count] = span(c, array, args.slice(1), s);
  c.writes(array.ref);
  c.out.push({ kind: 'fill', array: array.ref, value: settled, from, to: E.settle(c, M.binary('add', from, count)) });
  return array;
}

/** @type {(c: any, array: ArrayValue, args: Value[], s: any) => Value} */
function set(c, array, args, s) {
  const [source, offset] = args;
  const at = offset && offset.kind !== 'undefined' ? wholeOf(c, offset, s.place) : i64(0);
  if (source?.kind === 'object' && source.isTuple) return setValues(c, array, source, at, s);
  if (source?.kind !== 'array') return refuse(s.place, `${V.describe(source ?? V.UNDEFINED)} is no array`, '');
  const count = E.settle(c, source.ref.length, 'count');
  const room = M.binary('le', M.binary('add', at, count), array.ref.length);
  c.throwUnless(M.and(M.binary('ge', at, i64(0)), room), s.place, 'RangeError', ['offset is out of bounds'], []);
  copy(c, array, at, source, i64(0), count, s.place);
  return V.UNDEFINED;
}

/** @type {(c: any, array: ArrayValue, tuple: any, at: Expression, s: any) => Value} */
function setValues(c, array, tuple, at, s) {
  const values = E.heldBy(c, tuple);
  const room = M.binary('le', M.binary('add', at, i64(values.length)), array.ref.length);
  c.throwUnless(M.and(M.binary('ge', at, i64(0)), room), s.place, 'RangeError', ['offset is out of bounds'], []);
  c.writes(array.ref);
  values.forEach((value, i) => {
    const stored = Mem.stored(c, array, value, s.place);
    c.out.push({
      kind: 'store', array: array.ref, index: M.binary('add', at, i64(i)), value: stored, valid: null, checked: false,
      place: s.place,
    });
  });
  return V.UNDEFINED;
}

/** @type {(c: any, value: Value, place: any) => Expression} ToIntegerOrInfinity as i64, saturated far from overflow */
function wholeOf(c, value, place) {
  const number = X.toNumber(c, value, place);
  if (N.isIntegerOrNegativeZero(N.plain(number.type))) return E.settle(c, O.asInteger(number), 'at');
  const limit = M.constant('f64', 2 ** 60);
  const clamped = M.binary('max', M.binary('min', M.unary('trunc', O.asDouble(number)), limit), M.unary('neg', limit));
  return E.settle(c, { op: 'convert', type: 'i64', args: [clamped] }, 'at');
}

/** @type {(c: any, array: ArrayValue, args: Value[], s: any) => Value} */
function copyWithin(c, array, args, s) {
  const length = E.settle(c, array.ref.length, 'length');
  const to = position(c, args[0], length, i64(0), s.place);
  const [from, available] = span(c, array, args.slice(1), s);
  const count = E.settle(c, M.binary('min', available, M.binary('sub', length, to)), 'count');
  copy(c, array, to, array, from, count, s.place);
  return array;
}

exports.builtin = builtin;
exports.copy = copy;
exports.method = method;
exports.run = run;
