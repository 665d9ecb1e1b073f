/**
 * Functions of scripts on numbers, strings, lists and dictionaries.
 *
 * Where all numbers are known they are computed here and now; sizes stay texts of sizes (shared/sizes.js) as long as
 * they can, and what depends on data becomes values of the graph.
 */
'use strict';

const { fail } = require('../../base/errors.js');
const sizes = require('../shared/sizes.js');
const { Sizes } = require('../shared/operands.js');
const { checkNested } = require('./guard.js');
const { Device } = require('./pickle-globals.js');
const { Cell, KIND_DTYPES, Scalar, isNumber, kindOf, operandOf, scalarOf } = require('./values.js');

/** @typedef {import('./values.js').Kind} Kind */
/** @typedef {import('../shared/builder.js').Builder} Builder */

/** Longer lists and strings are no part of a model. */
const MAX_LENGTH = 2 ** 20;

/** @type {(a: bigint, b: bigint) => bigint} */
const floorDivide = (a, b) => {
  const quotient = a / b;
  return a % b !== 0n && a < 0n !== b < 0n ? quotient - 1n : quotient;
};

/** @type {(b: any) => void} */
const checkDivisor = (b) => {
  if (Number(b) === 0) fail('ERR_ARGUMENT', 'a script divides by zero');
};

/** Integers of scripts have 64 bits. @type {(value: any) => any} */
const wrap = (value) => (typeof value === 'bigint' ? BigInt.asIntN(64, value) : value);

/** a - a / b · b @type {(a: any, b: any) => any} */
function remainderOfSizes(a, b) {
  const quotient = sizes.div(a, b);
  const whole = quotient && sizes.mul(quotient, b);
  return whole && sizes.sub(a, whole);
}

/**
 * A function of two numbers.
 *
 * @typedef {object} Arithmetic
 * @property {(a: any, b: any) => any} now of two bigints, or two numbers
 * @property {(a: any, b: any) => any} [sizes] of tensors of sizes
 * @property {(a: any, b: any) => any} later of Values of one dtype
 * @property {'float' | 'bool'} [gives] the kind of the result, by default that of the operands
 */

/** @type {(now: (a: any, b: any) => boolean, later: string, early?: (a: any, b: any) => boolean | undefined) => Arithmetic} */
const comparison = (now, later, early) => ({
  now,
  later: (a, b) => a[later](b),
  gives: 'bool',
  ...(early ? { sizes: (a, b) => sizes.elementwise('bool', early, a, b) } : {}),
});

/** @type {(test: boolean | undefined) => boolean | undefined} */
const opposite = (test) => (test === undefined ? undefined : !test);

/** @type {Readonly<Record<string, Arithmetic>>} */
const ARITHMETIC = {
  add: { now: (a, b) => a + b, sizes: sizes.add, later: (a, b) => a.add(b) },
  sub: { now: (a, b) => a - b, sizes: sizes.sub, later: (a, b) => a.sub(b) },
  mul: { now: (a, b) => a * b, sizes: sizes.mul, later: (a, b) => a.mul(b) },
  div: { now: (a, b) => (checkDivisor(b), Number(a) / Number(b)), later: (a, b) => a.astype('f64').div(b.astype('f64')), gives: 'float' },
  floordiv: {
    now: (a, b) => (checkDivisor(b), typeof a === 'bigint' ? floorDivide(a, b) : Math.floor(a / b)),
    sizes: sizes.div, later: (a, b) => a.floorDivide(b),
  },
  remainder: {
    now: (a, b) => (checkDivisor(b), typeof a === 'bigint' ? a - floorDivide(a, b) * b : a - Math.floor(a / b) * b),
    sizes: remainderOfSizes, later: (a, b) => a.remainder(b),
  },
  pow: { now: (a, b) => Number(a) ** Number(b), later: (a, b) => a.astype('f64').pow(b.astype('f64')), gives: 'float' },
  max: {
    now: (a, b) => (a > b ? a : b), later: (a, b) => a.max(b),
    sizes: (a, b) => sizes.elementwise(undefined, sizes.greater, a, b),
  },
  min: {
    now: (a, b) => (a < b ? a : b), later: (a, b) => a.min(b),
    sizes: (a, b) => sizes.elementwise(undefined, sizes.lesser, a, b),
  },
  eq: comparison((a, b) => a === b, 'eq', sizes.equal),
  ne: comparison((a, b) => a !== b, 'ne', (a, b) => opposite(sizes.equal(a, b))),
  lt: comparison((a, b) => a < b, 'lt', sizes.less),
  le: comparison((a, b) => a <= b, 'le', (a, b) => opposite(sizes.less(b, a))),
  gt: comparison((a, b) => a > b, 'gt', (a, b) => sizes.less(b, a)),
  ge: comparison((a, b) => a >= b, 'ge', (a, b) => opposite(sizes.less(a, b))),
  __and__: { now: (a, b) => a & b, later: (a, b) => a.and(b) },
  __or__: { now: (a, b) => a | b, later: (a, b) => a.or(b) },
  __xor__: { now: (a, b) => a ^ b, later: (a, b) => a.xor(b) },
  __lshift__: { now: (a, b) => wrap(a << BigInt.asUintN(6, b)), later: (a, b) => a.shl(b) },
  __rshift__: { now: (a, b) => a >> BigInt.asUintN(6, b), later: (a, b) => a.shr(b) },
};

/** @type {(a: Kind, b: Kind) => Kind} */
const commonKind = (a, b) => (a === 'float' || b === 'float' ? 'float' : a === 'int' || b === 'int' ? 'int' : 'bool');

/** @type {(value: any, kind: Kind) => any} a known number as one of another kind */
const toKind = (value, kind) => (kind === 'float' ? Number(value) : BigInt(value));

/** @type {(name: string, a: any, b: any, cx: Builder) => any} */
function compute(name, a, b, cx) {
  const { now, sizes: early, later, gives } = ARITHMETIC[name];
  const kind = commonKind(kindOf(a), kindOf(b));
  if (!(a instanceof Scalar) && !(b instanceof Scalar)) {
    if (kind === 'bool' && name.startsWith('__')) return Boolean(now(Number(a), Number(b)));
    return wrap(now(toKind(a, kind === 'bool' ? 'int' : kind), toKind(b, kind === 'bool' ? 'int' : kind)));
  }
  const [x, y] = [operandOf(a), operandOf(b)];
  const ownKind = gives ?? (kind === 'bool' && !name.startsWith('__') ? 'int' : kind);
  const isOfSizes = [a, b].every((each) => !(each instanceof Scalar) || each.early);
  if (early !== undefined && kind === 'int' && [x, y].some((each) => each instanceof Sizes)) {
    const result = early(x, y);
    if (result !== undefined) return scalarOf(result, ownKind);
  }
  const dtype = KIND_DTYPES[kind === 'bool' && !name.startsWith('__') ? 'int' : kind];
  return new Scalar(ownKind, later(cx.value(x, dtype), cx.value(y, dtype)), isOfSizes);
}

/** @type {(a: any, b: any, cx: Builder) => any} whether two values are equal: true, false, or a Scalar of data */
function equal(a, b, cx) {
  if (isNumber(a) && isNumber(b)) return compute('eq', a, b, cx);
  if (Array.isArray(a) && Array.isArray(b)) {
    if (a.length !== b.length) return false;
    return a.map((each, i) => equal(each, b[i], cx)).reduce((all, each) => both(all, each, cx), true);
  }
  if (a instanceof Device && b instanceof Device) return a.text === b.text;
  return a === b;
}

/** @type {(a: any, b: any, cx: Builder) => any} */
function both(a, b, cx) {
  if (a === false || b === false) return false;
  if (a === true) return b;
  return b === true ? a : compute('__and__', a, b, cx);
}

/** @type {(value: any, cx: Builder) => any} */
const negate = (value, cx) => {
  if (!(value instanceof Scalar)) return !value;
  return new Scalar('bool', /** @type {any} */ (cx.value(value.operand, 'bool')).not(), value.early);
};

/** @type {(list: any[]) => any[]} */
const checked = (list) => (list.length > MAX_LENGTH ? fail('ERR_OVERFLOW', 'a list of a script is too long') : list);

/** @type {(given: any, length: number) => number} */
function place(given, length) {
  const asked = Number(known(given));
  const index = asked < 0 ? asked + length : asked;
  return index >= 0 && index < length ? index : fail('ERR_ARGUMENT', `index ${asked} is none of a list of ${length}`);
}

/** @type {(value: any) => bigint | number | boolean} a number that must not depend on sizes or data */
function known(value) {
  if (!(value instanceof Scalar)) return value;
  return fail(value.early ? 'ERR_SHAPE' : 'ERR_UNSUPPORTED', `a list or a text of a script depends on ${value.early ? 'sizes' : 'data'}`);
}

/** @type {(of: any, index: any) => any} */
function at(of, index) {
  if (of instanceof Map) return of.has(index) ? of.get(index) : fail('ERR_ARGUMENT', `a dictionary of a script has no ${String(index)}`);
  if (!Array.isArray(of) && typeof of !== 'string') return fail('ERR_DTYPE', 'a script takes an element of what is no list');
  return of[place(index, of.length)];
}

/** @type {(list: any, start: any, end: any, step: any) => any} */
function sliceOf(list, start, end, step) {
  const by = step === null || step === undefined ? 1 : Number(known(step));
  if (by === 0) return fail('ERR_ARGUMENT', 'a step is 0');
  const clamp = (/** @type {any} */ bound, /** @type {number} */ initial) => {
    if (bound === null || bound === undefined) return initial;
    const index = Number(known(bound));
    const [low, high] = by > 0 ? [0, list.length] : [-1, list.length - 1];
    return Math.min(Math.max(index < 0 ? index + list.length : index, low), high);
  };
  const [first, last] = by > 0 ? [0, list.length] : [list.length - 1, -1];
  const [from, to] = [clamp(start, first), clamp(end, last)];
  const items = [];
  for (let i = from; by > 0 ? i < to : i > to; i += by) items.push(list[i]);
  return typeof list === 'string' ? items.join('') : items;
}

/** As Python's str. What data says is asked of a run. @type {(value: any, cx: Builder) => string} */
function textOf(value, cx) {
  if (value instanceof Scalar) return textOf(value.early ? known(value) : numberNow(value, cx), cx);
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'number') return Number.isInteger(value) && Math.abs(value) < 1e16 ? `${value}.0` : String(value);
  if (Array.isArray(value)) return `[${value.map((each) => (typeof each === 'string' ? `'${each}'` : textOf(each, cx))).join(', ')}]`;
  if (value instanceof Cell) return fail('ERR_UNSUPPORTED', 'a script makes text of a tensor');
  return value instanceof Device ? value.text : String(value);
}

/** @type {(value: Scalar, cx: Builder) => any} */
function numberNow({ operand, kind }, cx) {
  const number = cx.number(operand, 'a text');
  return kind === 'bool' ? number !== 0 : toKind(number, kind);
}

/** @type {(template: any, values: readonly any[], cx: Builder) => string} */
function format(template, values, cx) {
  checkNested(values);
  let next = 0;
  return String(template).replace(/\{\}/g, () => textOf(values[next++], cx));
}

/** @type {(compute: (x: number) => number, isInt?: boolean) => (args: any[], cx: Builder) => any} */
const math = (now, isInt = false) => ([x]) => {
  const result = now(Number(known(x)));
  return isInt ? BigInt(result) : result;
};

/** @type {(value: any) => any} */
const magnitude = (value) => (value < 0 ? -value : value);

/** @type {(name: 'max' | 'min') => (args: any[], cx: Builder) => any} of two numbers, or of a list */
const extreme = (name) => (args, cx) => {
  const items = Array.isArray(args[0]) && args.length === 1 ? args[0] : args;
  return items.reduce((best, each) => compute(name, best, each, cx));
};

/** Changes a list in place, and gives it. @type {(change: (list: any, ...args: any[]) => void) => (args: any[]) => any} */
const changing = (change) => ([list, ...args]) => {
  change(list, ...args);
  return Array.isArray(list) ? checked(list) : list;
};

/** @type {Readonly<Record<string, (args: any[], cx: Builder) => any>>} */
const FUNCTIONS = {
  __not__: ([value], cx) => negate(value, cx),
  __is__: ([a, b]) => a === b,
  __isnot__: ([a, b]) => a !== b,
  eq: ([a, b], cx) => (checkNested([a, b]), equal(a, b, cx)),
  ne: ([a, b], cx) => (checkNested([a, b]), negate(equal(a, b, cx), cx)),
  len: ([list]) => BigInt(list instanceof Map ? list.size : list.length),
  add: ([a, b], cx) => {
    if (typeof a === 'string') return a + b;
    return Array.isArray(a) ? checked([...a, ...b]) : compute('add', a, b, cx);
  },
  mul: ([a, b], cx) => {
    if (!Array.isArray(a)) return compute('mul', a, b, cx);
    const count = Math.max(Number(known(b)), 0);
    return count * a.length > MAX_LENGTH ? fail('ERR_OVERFLOW', 'a list of a script is too long') : Array.from({ length: count }, () => a).flat();
  },
  neg: ([a], cx) => compute('sub', kindOf(a) === 'float' ? 0 : 0n, a, cx),
  abs: ([a], cx) => (a instanceof Scalar ? new Scalar(a.kind, /** @type {any} */ (cx.value(a.operand)).abs(), a.early) : magnitude(a)),
  max: extreme('max'), min: extreme('min'),
  sqrt: math(Math.sqrt), exp: math(Math.exp), log: math(Math.log), log2: math(Math.log2), log10: math(Math.log10),
  sin: math(Math.sin),
  cos: math(Math.cos), tan: math(Math.tan), tanh: math(Math.tanh), log1p: math(Math.log1p),
  floor: math(Math.floor, true), ceil: math(Math.ceil, true),
  round: math((x) => (Math.abs(x % 1) === 0.5 ? 2 * Math.round(x / 2) : Math.round(x))),
  isnan: ([x]) => Number.isNaN(Number(known(x))), isfinite: ([x]) => Number.isFinite(Number(known(x))),
  isinf: ([x]) => Math.abs(Number(known(x))) === Infinity,
  __round_to_zero_floordiv: ([a, b], cx) => (a instanceof Scalar || b instanceof Scalar ? compute('floordiv', a, b, cx) : (checkDivisor(b), a / b)),
  append: changing((list, item) => list.push(item)),
  extend: changing((list, items) => list.push(...items)),
  insert: changing((list, index, item) => list.splice(Number(known(index)), 0, item)),
  reverse: changing((list) => list.reverse()),
  clear: changing((list) => (list instanceof Map ? list.clear() : list.splice(0))),
  sort: changing((list, descending = false) => list.sort((/** @type {any} */ a, /** @type {any} */ b) => (known(a) < known(b) ? -1 : 1) * (descending ? -1 : 1))),
  sorted: ([list]) => [...list].sort((a, b) => (known(a) < known(b) ? -1 : 1)),
  pop: ([list, index], cx) => {
    if (!(list instanceof Map)) return list.splice(place(index ?? -1n, list.length), 1)[0];
    const value = at(list, index);
    list.delete(index);
    return cx && value;
  },
  remove: changing((list, item) => list.splice(list.indexOf(item), list.includes(item) ? 1 : 0)),
  count: ([list, item]) => BigInt(list.filter((/** @type {any} */ each) => each === item).length),
  index: ([list, item]) => BigInt(list.indexOf(item)),
  copy: ([list]) => (list instanceof Map ? new Map(list) : [...list]),
  list: ([list]) => (list instanceof Map ? [...list.keys()] : [...list]),
  dict: ([map = new Map()]) => new Map(map),
  slice: ([list, start, end, step]) => sliceOf(list, start, end, step),
  __getitem__: ([list, index]) => at(list, index),
  __contains__: ([list, item], cx) => {
    if (list instanceof Map) return list.has(item);
    if (typeof list === 'string') return list.includes(item);
    checkNested([list, item]);
    return list.map((/** @type {any} */ each) => equal(each, item, cx)).some((/** @type {any} */ each) => known(each));
  },
  _set_item: ([list, index, value]) => {
    if (list instanceof Map) list.set(index, value);
    else list[place(index, list.length)] = value;
    return null;
  },
  keys: ([map]) => [...map.keys()], values: ([map]) => [...map.values()], items: ([map]) => [...map.entries()],
  get: ([map, key, initial = null]) => (map.has(key) ? map.get(key) : initial),
  update: changing((map, other) => other.forEach((/** @type {any} */ value, /** @type {any} */ key) => map.set(key, value))),
  Delete: ([map, key]) => {
    if (map instanceof Map) map.delete(key);
    else map.splice(place(key, map.length), 1);
    return null;
  },
  format: ([template, ...values], cx) => format(template, values, cx),
  str: ([value], cx) => (checkNested([value]), textOf(value, cx)),
  join: ([separator, list]) => list.join(separator),
  split: ([text, separator]) => (separator === null || separator === undefined ? text.trim().split(/\s+/) : text.split(separator)),
  lower: ([text]) => text.toLowerCase(), upper: ([text]) => text.toUpperCase(), strip: ([text]) => text.trim(),
  startswith: ([text, start]) => text.startsWith(start), endswith: ([text, end]) => text.endsWith(end),
  replace: ([text, from, to]) => text.replaceAll(from, to), find: ([text, part]) => BigInt(text.indexOf(part)),
  ord: ([text]) => BigInt(text.codePointAt(0)), isdigit: ([text]) => /^\d+$/.test(text),
  all: ([list], cx) => list.reduce((/** @type {any} */ all, /** @type {any} */ each) => both(all, each, cx), true),
  any: ([list], cx) => negate(list.reduce((/** @type {any} */ all, /** @type {any} */ each) => both(all, negate(each, cx), cx), true), cx),
  sum: ([list], cx) => list.reduce((/** @type {any} */ total, /** @type {any} */ each) => compute('add', total, each, cx), 0n),
  device: ([type]) => new Device(type),
};

/** Functions that change their first argument. */
const CHANGES = new Set(['append', 'extend', 'insert', 'reverse', 'clear', 'sort', 'pop', 'remove', '_set_item', 'update', 'Delete']);

/**
 * The function of that name for these arguments, if they are no tensors.
 *
 * @param {string} name
 * @param {readonly any[]} args
 * @returns {((args: any[], cx: Builder) => any) | undefined}
 */
function builtinFor(name, args) {
  if (args[0] instanceof Cell && name !== '__is__' && name !== '__isnot__') return undefined;
  if (Object.hasOwn(FUNCTIONS, name)) {
    const isOfTensors = Array.isArray(args[0]) && args[0][0] instanceof Cell && (name === 'sum' || name === 'all' || name === 'any');
    return isOfTensors ? undefined : FUNCTIONS[name];
  }
  if (!Object.hasOwn(ARITHMETIC, name) || !args.slice(0, 2).every(isNumber)) return textComparison(name, args);
  return ([a, b], cx) => compute(name, a, b, cx);
}

/** @type {(name: string, args: readonly any[]) => ((args: any[], cx: Builder) => any) | undefined} */
function textComparison(name, args) {
  if (typeof args[0] !== 'string' || !(name in ARITHMETIC)) return undefined;
  return ([a, b]) => ARITHMETIC[name].now(a, b);
}

module.exports = { CHANGES, at, builtinFor, compute, known };
