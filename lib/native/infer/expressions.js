/**
 * The value of an expression at a place: what it is, and the machine expression that computes it.
 *
 * Expressions of the tree have no effects, but evaluating one may add statements to what is being written: an index
 * that may be a fraction is computed once and used twice, and what is read only under a condition is read in a branch.
 * Operators are in operators.js, functions of the language in builtins.js, memory in memory.js.
 */
'use strict';

const N = require('./number-types.js');
const M = require('../tir/machine.js');
const V = require('./values.js');
const O = require('./operators.js');
const E = require('./environment.js');
const Maybe = require('./nullable.js');
const Whole = require('./unbounded-bigints.js');
const { refuse } = require('../source/frame.js');

/** @typedef {import('./values.js').Value} Value */
/** @typedef {import('./values.js').NumberValue} NumberValue */
/** @typedef {import('../tir/index.js').Expression} Expression */

// Modules that call each other; looked up when they are needed.
const flow = () => require('./control-flow.js');
const memory = () => require('./memory.js');
const builtins = () => require('./builtins.js');

const COMPARING = new Set(['===', '!==', '==', '!=', '<', '<=', '>', '>=']);

/** Operators whose result modulo 2^64 follows from their operands modulo 2^64. */
const MODULAR = new Set(['+', '-', '*', '&', '|', '^', '~', '<<']);

/** @type {(c: any, e: any) => Value} */
function evaluate(c, e) {
  const value = c.isWrapping ? loose(c, e) : null;
  if (value) return Whole.wrapped(value);
  if ((e.kind === 'binary' || e.kind === 'unary') && MODULAR.has(e.op)) return valueOf(c, e);
  return exactly(c, e);
}

/**
 * The bigint that a number is made into, whether it fits or not; null where it is no such.
 *
 * @type {(c: any, e: any) => any}
 */
function loose(c, e) {
  if (e.kind === 'variable') {
    const own = c.find(e.variable);
    const value = own && c.env.get(own);
    return Whole.isWhole(value) ? value : null;
  }
  if (e.kind !== 'builtin' || e.name !== 'BigInt' || e.args[0]?.kind === 'spread' || e.args.length === 0) return null;
  const value = builtins().looseBigInt(c, exactly(c, e.args[0]), e);
  return Whole.isWhole(value) ? value : null;
}

/** @type {(c: any, e: any) => Value} what is asked for its value only, of which all bits need not fit */
const evaluateLoosely = (c, e) => loose(c, e) ?? evaluate(c, e);

/** @type {(c: any, e: any) => Value} of bigints, what they are modulo 2^64 */
function wrapping(c, e) {
  const outer = c.isWrapping;
  c.isWrapping = true; // X.evaluate ends it where that is not right
  const value = evaluate(c, e);
  c.isWrapping = outer;
  return value;
}

/** @type {(c: any, e: any) => Value} */
function exactly(c, e) {
  const outer = c.isWrapping;
  c.isWrapping = false;
  const value = valueOf(c, e);
  c.isWrapping = outer;
  return value;
}

/** @type {(c: any, e: any) => Value} */
function valueOf(c, e) {
  switch (e.kind) {
    case 'number':
      return V.numberConstant(e.value);
    case 'bigint':
      return bigintLiteral(c, e);
    case 'boolean':
      return V.boolean(M.constant('bool', e.value));
    case 'string':
      return { kind: 'string', value: e.value };
    case 'undefined':
      return V.UNDEFINED;
    case 'null':
      return V.NULL;
    case 'variable':
      return c.read(e.variable, e.place);
    case 'closure':
      return { kind: 'closure', callee: e.callee, frame: c.frameOf(e.callee.parent) };
    case 'unary':
      return unary(c, e);
    case 'binary':
      if (COMPARING.has(e.op)) return binary(c, e, evaluateLoosely(c, e.left), evaluateLoosely(c, e.right));
      return binary(c, e, evaluate(c, e.left), e.op === '<<' ? exactly(c, e.right) : evaluate(c, e.right));
    case 'logical':
      return logical(c, e);
    case 'conditional':
      return chooseBy(
        c,
        condition(c, e.test),
        e.test,
        () => evaluate(c, e.then),
        () => evaluate(c, e.otherwise),
        e,
      );
    case 'index':
      return memory().elementAt(c, e);
    case 'member':
      return memory().member(c, e);
    case 'array':
      return memory().arrayLiteral(c, e);
    case 'object':
      return memory().objectLiteral(c, e);
    case 'builtin':
      return builtins().call(c, e);
    default:
      return refuse(e.place, `${e.kind} is not supported here`, '');
  }
}

/** @type {(c: any, e: any) => Value} */
function bigintLiteral(c, e) {
  if (e.value > V.MOST_U64 || e.value < V.LEAST_I64)
    return refuse(e.place, `${e.value}n does not fit 64 bits`, 'bigints are integers of 64 bits here');
  return V.bigintConstant(e.value);
}

// --- conversions ---

/** @type {(c: any, value: Value, place: any) => NumberValue} ToNumber */
function toNumber(c, value, place) {
  switch (value.kind) {
    case 'number':
      return N.isNothing(value.type) ? plainNumber(value) : value;
    case 'boolean':
      return booleanNumber(value);
    case 'undefined':
      return V.numberConstant(NaN);
    case 'null':
      return V.numberConstant(0);
    case 'bigint':
      return refuse(place, 'a bigint and a number do not mix', 'write Number(x) or BigInt(x) to convert one of them');
    default:
      return refuse(place, `${V.describe(value)} is used as a number`, advice(value));
  }
}

/** @type {(value: NumberValue) => NumberValue} of what may be nothing */
function plainNumber(value) {
  const type = N.plain(value.type);
  return new V.NumberValue(type, () => M.convert(value.x, N.typeOf(type)), { int32: value.int32 });
}

/** @type {(value: any) => NumberValue} */
function booleanNumber(value) {
  const number = O.fromBoolean(value.x);
  if (!value.mayBeUndefined) return number;
  return new V.NumberValue({ ...number.type, nan: true, width: 64 }, E.numberAs(value, 'f64'));
}

/** @type {(value: Value) => string} */
function advice(value) {
  if (value.kind === 'mixed') return 'give it one type on every way to here';
  if (value.kind === 'string') return 'texts are known at compile time only: compare them, or throw them';
  if (value.kind === 'array' || value.kind === 'object') return 'use its elements or fields';
  if (value.kind === 'closure' || value.kind === 'builtin')
    return 'call it; functions are no elements of arrays that grow or are indexed';
  return '';
}

/** @type {(c: any, value: Value, place: any) => Expression} ToBoolean */
function toBoolean(c, value, place) {
  switch (value.kind) {
    case 'number':
      return O.isTruthy(value);
    case 'boolean':
      return value.x; // false where it is undefined or null
    case 'bigint':
      if (value.whole) return M.binary('ne', value.whole, M.constant('f64', 0));
      return M.binary('ne', value.x, M.constant(/** @type {any} */ (value.x.type), 0));
    case 'string':
      return M.constant('bool', value.value !== '');
    case 'undefined':
    case 'null':
      return M.constant('bool', false);
    case 'mixed':
      return refuse(place, `this may be ${V.describe(value)}`, advice(value));
    case 'array':
    case 'maybe':
      return value.tag ? M.binary('eq', value.tag, M.constant('i32', 0)) : M.constant('bool', true);
    default:
      return M.constant('bool', true);
  }
}

/**
 * Whether an expression is true, where nothing but that is asked. Of `a && b` each side is: what types they have then
 * does not matter.
 *
 * @type {(c: any, e: any) => Expression}
 */
function condition(c, e) {
  if (e.kind === 'unary' && e.op === '!') return M.unary('not', condition(c, e.operand));
  if (e.kind !== 'logical' || e.op === '??') return toBoolean(c, evaluateLoosely(c, e), e.place);
  const right = () => V.boolean(condition(c, e.right));
  const known = () => V.boolean(M.constant('bool', e.op === '||'));
  const [then, otherwise] = e.op === '&&' ? [right, known] : [known, right];
  return /** @type {any} */ (chooseBy(c, condition(c, e.left), e.left, then, otherwise, e.place)).x;
}

// --- operators ---

/** @type {(c: any, e: any) => Value} */
function unary(c, e) {
  if (e.op === '!') return V.boolean(M.unary('not', condition(c, e.operand)));
  const value = e.op === 'typeof' ? evaluateLoosely(c, e.operand) : evaluate(c, e.operand);
  switch (e.op) {
    case 'typeof':
      return typeOf(c, value, e.place);
    case '+':
      return toNumber(c, value, e.place);
    case 'increment':
    case 'decrement':
      return step(c, value, e.op === 'increment' ? '+' : '-', e.place);
    case 'numeric':
      return value.kind === 'bigint' ? value : toNumber(c, value, e.place);
    case '-':
      return value.kind === 'bigint'
        ? builtins().bigintArithmetic(c, '-', V.bigintConstant(0n), value, e.place)
        : O.negate(toNumber(c, value, e.place));
    default:
      if (value.kind === 'bigint') return builtins().bigintComplement(c, value, e.place);
      return O.complement(toNumber(c, value, e.place));
  }
}

/** @type {(c: any, v: any) => Value} a number that is computed here, not where it is used */
function settleValue(c, v) {
  if (v.kind === 'number' && !M.isStable(v.x))
    return new V.NumberValue(v.type, E.settle(c, v.x), { tag: v.tag && E.settle(c, v.tag) });
  if ((v.kind === 'boolean' || v.kind === 'bigint') && !M.isStable(v.x)) return { ...v, x: E.settle(c, v.x) };
  return v;
}

/** @type {(c: any, value: Value, op: '+' | '-', place: any) => Value} one more or less, of the same type */
function step(c, value, op, place) {
  if (value.kind === 'bigint') return builtins().bigintArithmetic(c, op, value, V.bigintConstant(1n), place);
  return O.arithmetic(ARITHMETIC[op], toNumber(c, value, place), V.numberConstant(1));
}

/** @type {(c: any, value: Value, place: any) => Value} */
function typeOf(c, value, place) {
  if (value.kind === 'mixed')
    return refuse(place, `this may be ${V.describe(value)}`, 'compare it with null or undefined');
  if (value.kind === 'number' && value.tag) return { kind: 'string', value: 'number', tag: value.tag };
  if (value.kind === 'boolean' && value.tag) return { kind: 'string', value: 'boolean', tag: E.tagOf(value) };
  if ((value.kind === 'array' || value.kind === 'maybe') && value.tag)
    return { kind: 'string', value: 'object', tag: value.tag };
  /** @type {Record<string, string>} */
  const names = {
    closure: 'function', builtin: 'function', array: 'object', oneOf: 'object', tensor: 'object', null: 'object',
  };
  return { kind: 'string', value: names[value.kind] ?? value.kind };
}

/** @type {Record<string, 'add' | 'sub' | 'mul'>} */
const ARITHMETIC = { '+': 'add', '-': 'sub', '*': 'mul' };

/** Operators that are quicker on integers. */
const WHOLE = new Set(['%', '&', '|', '^', '<<', '>>', '>>>']);

/** @type {(c: any, e: any, a: Value, b: Value) => Value} */
function binary(c, e, a, b) {
  const { op, place } = e;
  if (op === '===' || op === '!==' || op === '==' || op === '!=') return equality(c, e, a, b);
  const isRelation = ['<', '<=', '>', '>='].includes(op);
  if (isRelation && (Whole.isWhole(a) || Whole.isWhole(b))) return V.boolean(relation(c, op, a, b, place));
  if (a.kind === 'bigint' && b.kind === 'bigint') return builtins().bigintBinary(c, op, a, b, place);
  if (op === '+' && (a.kind === 'string' || b.kind === 'string'))
    return refuse(place, 'texts are not put together here', 'a text may be the message of an error');
  if (isRelation) return V.boolean(relation(c, op, a, b, place));
  const [x, y] = [toNumber(c, a, e.left?.place ?? place), toNumber(c, b, e.right?.place ?? place)];
  if (WHOLE.has(op)) for (const v of [x, y]) if (!O.isInt(v)) c.hint(v.type);
  switch (op) {
    case '+':
    case '-':
    case '*':
      return O.arithmetic(ARITHMETIC[op], x, y);
    case '/':
      return O.divide(x, y);
    case '%':
      return O.remainder(x, y);
    case '**':
      return builtins().power(x, y);
    case '&':
    case '|':
    case '^':
      return O.bitwise(op, x, y);
    default:
      return O.shift(op, x, y);
  }
}

/** @type {(c: any, op: string, a: Value, b: Value, place: any) => Expression} */
function relation(c, op, a, b, place) {
  if (Whole.isWhole(a)) return relation(c, op, Whole.asNumber(/** @type {any} */ (a)), b, place);
  if (Whole.isWhole(b)) return relation(c, op, a, Whole.asNumber(/** @type {any} */ (b)), place);
  if (a.kind === 'bigint' || b.kind === 'bigint') return builtins().bigintRelation(c, op, a, b, place);
  const [x, y] = [toNumber(c, a, place), toNumber(c, b, place)];
  if (O.isInt(x) !== O.isInt(y)) c.hint(O.isInt(x) ? y.type : x.type);
  return O.relation(op, x, y);
}

/** @type {(value: any, which: 1 | 2) => Expression} whether a value is undefined (1) or null (2) */
function isNothing(value, which) {
  if (value.kind === 'undefined') return M.constant('bool', which === 1);
  if (value.kind === 'null') return M.constant('bool', which === 2);
  if (value.kind === 'array')
    return value.tag ? M.binary('eq', value.tag, M.constant('i32', which)) : M.constant('bool', false);
  const may =
    value.kind === 'number'
      ? which === 1
        ? value.type.undefined
        : value.type.null
      : which === 1
        ? value.mayBeUndefined
        : value.mayBeNull;
  return may && value.tag ? M.binary('eq', value.tag, M.constant('i32', which)) : M.constant('bool', false);
}

/** @type {(value: any) => Expression} */
function isNullish(value) {
  return M.or(isNothing(value, 1), isNothing(value, 2));
}

/** @type {(c: any, e: any, a: Value, b: Value) => Value} */
function equality(c, e, a, b) {
  const { op, place } = e;
  for (const v of [a, b]) if (v.kind === 'mixed') return refuse(place, `this may be ${V.describe(v)}`, advice(v));
  const strict = op.length === 3;
  const same = areEqual(c, strict, a, b, place);
  return V.boolean(op[0] === '!' ? M.unary('not', same) : same);
}

/** @type {(c: any, strict: boolean, a: any, b: any, place: any) => Expression} */
function areEqual(c, strict, a, b, place) {
  const nothing = (/** @type {Value} */ v) => v.kind === 'undefined' || v.kind === 'null';
  if (nothing(a) || nothing(b)) {
    const [known, other] = nothing(a) ? [a, b] : [b, a];
    if (!strict) return nothing(other) ? M.constant('bool', true) : isNullish(other);
    return isNothing(other, known.kind === 'undefined' ? 1 : 2);
  }
  if (a.kind === 'string' && b.kind === 'string') return textsEqual(a, b);
  if (!strict && a.kind === 'string' && isNumeric(b)) return areEqual(c, strict, numberOfText(a), b, place);
  if (!strict && b.kind === 'string' && isNumeric(a)) return areEqual(c, strict, a, numberOfText(b), place);
  if (!strict)
    for (const [v, other] of [
      [a, b],
      [b, a],
    ])
      if (isByText(v) && isScalar(other))
        refuse(place, `${V.describe(v)} is compared with ${V.describe(other)} by ==`, 'write ===');
  if (Whole.isWhole(a) || Whole.isWhole(b)) return wholesEqual(c, strict, a, b, place);
  const [isNumber, isOther] = [isNumeric(a), isNumeric(b)];
  if (isNumber && isOther)
    return strict
      ? areIdentical(a, b, numbersEqual)
      : areLooselyEqual(a, b, O.isEqual(toNumber(c, a, place), toNumber(c, b, place)));
  if (!strict && ((isNumber && b.kind === 'bigint') || (a.kind === 'bigint' && isOther))) {
    return M.and(M.unary('not', isNullish(isNumber ? a : b)), builtins().bigintRelation(c, '==', a, b, place));
  }
  const [p, q] = [Maybe.objectOf(a), Maybe.objectOf(b)];
  if (p && q)
    return M.or(
      bothNothing(a, b, strict),
      M.and(M.unary('not', M.or(isNullish(a), isNullish(b))), require('./object-union.js').isSame(p, q)),
    );
  if (a.kind === 'bigint' && b.kind === 'bigint') for (const v of [a, b]) Whole.expectExact(v, place);
  if (a.kind === b.kind) return sameKindEqual(a, b, strict);
  return bothNothing(a, b, strict);
}

/**
 * Bigints that may not fit are compared as the numbers that they were made of.
 *
 * @type {(c: any, strict: boolean, a: any, b: any, place: any) => Expression}
 */
function wholesEqual(c, strict, a, b, place) {
  if (strict && a.kind !== b.kind) return M.constant('bool', false);
  const [x, y] = [a, b].map((v) => (Whole.isWhole(v) ? Whole.asNumber(v) : v));
  return areEqual(c, false, x, y, place);
}

/** @type {(text: import('./values.js').StringValue) => Value} the `typeof` of something is none */
const numberOfText = ({ value, tag }) => V.numberConstant(tag ? NaN : Number(value));

/** @type {(v: any) => boolean} what becomes a text, and that a number, to be compared with one */
const isByText = (v) => v.kind === 'string' || v.kind === 'array' || Boolean(Maybe.objectOf(v)?.isTuple);

/** @type {(v: Value) => boolean} */
const isScalar = (v) => isNumeric(v) || v.kind === 'bigint';

/** @type {(v: Value) => boolean} */
function isNumeric(v) {
  return v.kind === 'number' || v.kind === 'boolean';
}

/**
 * Whether a text, which may be the `typeof` of what may be undefined, is this one.
 *
 * @type {(x: any, name: string) => Expression}
 */
function isText(x, name) {
  if (!x.tag) return M.constant('bool', x.value === name);
  const is = (/** @type {number} */ tag, /** @type {boolean} */ may) =>
    may ? M.binary('eq', x.tag, M.constant('i32', tag)) : M.constant('bool', false);
  const nothing = M.or(is(1, name === 'undefined'), is(2, name === 'object'));
  return M.or(M.or(is(0, name === x.value), is(E.BOOLEAN, name === 'boolean')), nothing);
}

/** @type {(a: any, b: any) => Expression} */
function textsEqual(a, b) {
  if (!b.tag) return isText(a, b.value);
  if (!a.tag) return isText(b, a.value);
  const both = ['undefined', 'object', 'boolean', 'number'].map((name) => M.and(isText(a, name), isText(b, name)));
  return both.reduce(M.or);
}

/** @type {(a: any, b: any, strict: boolean) => Expression} whether neither is a value, and both alike */
function bothNothing(a, b, strict) {
  if (!strict) return M.and(isNullish(a), isNullish(b));
  return M.or(M.and(isNothing(a, 1), isNothing(b, 1)), M.and(isNothing(a, 2), isNothing(b, 2)));
}

/**
 * Numbers and booleans by ===, values of one type as `equal` says.
 *
 * @type {(a: any, b: any, equal: (a: any, b: any) => Expression) => Expression}
 */
function areIdentical(a, b, equal) {
  const isTagged = a.tag || b.tag;
  if (!isTagged) return a.kind === b.kind ? equal(a, b) : M.constant('bool', false);
  if (equal === numbersEqual && [a, b].every((v) => v.kind === 'number' && !v.type.boolean)) {
    // What is undefined is a NaN, which is equal to nothing, and asking for that first spares asking for its tag.
    const isNull = M.or(isNothing(a, 2), isNothing(b, 2));
    return M.or(M.and(M.unary('not', isNull), M.binary('eq', O.asDouble(a), O.asDouble(b))), bothNothing(a, b, true));
  }
  const [p, q] = [E.tagOf(a), E.tagOf(b)];
  const isNone = M.or(M.binary('eq', p, M.constant('i32', 1)), M.binary('eq', p, M.constant('i32', 2)));
  return M.and(M.binary('eq', p, q), M.or(isNone, equal(a, b)));
}

/** @type {(a: any, b: any) => Expression} as numbers are equal, of numbers and booleans */
function numbersEqual(a, b) {
  if (a.kind === 'number' && b.kind === 'number') return O.isEqual(a, b);
  if (a.kind === 'boolean' && b.kind === 'boolean') return M.binary('eq', a.x, b.x);
  const [number, boolean] = a.kind === 'number' ? [a, b] : [b, a];
  return M.binary('eq', number.x, M.convert(boolean.x, number.x.type));
}

/**
 * Numbers and booleans by ==, which are the same as numbers: but null is equal to no 0.
 *
 * @type {(a: any, b: any, same: Expression) => Expression}
 */
function areLooselyEqual(a, b, same) {
  const [p, q] = [isNullish(a), isNullish(b)];
  return M.or(M.and(p, q), M.and(M.unary('not', M.or(p, q)), same));
}

/** @type {(a: any, b: any, strict: boolean) => Expression} */
function sameKindEqual(a, b, strict) {
  switch (a.kind) {
    case 'bigint':
      return bigintsEqual(a, b);
    case 'array': {
      const [p, q] = [isNullish(a), isNullish(b)];
      return M.or(bothNothing(a, b, strict), M.and(M.unary('not', M.or(p, q)), sameArray(a.ref, b.ref)));
    }
    case 'closure':
      return M.constant('bool', a.callee === b.callee && a.frame === b.frame);
    default:
      return M.constant('bool', a.name === b.name);
  }
}

/** @type {(a: import('../tir/index.js').ArrayRef, b: import('../tir/index.js').ArrayRef) => Expression} */
function sameArray(a, b) {
  if (a.dtype !== b.dtype || a.clamps !== b.clamps) return M.constant('bool', false);
  if (E.isSame(a.pointer, b.pointer) && E.isSame(a.length, b.length)) return M.constant('bool', true);
  const address = (/** @type {Expression} */ pointer) => ({ op: 'address', type: 'i64', args: [pointer] });
  return M.and(M.binary('eq', address(a.pointer), address(b.pointer)), M.binary('eq', a.length, b.length));
}

/** @type {(a: any, b: any) => Expression} of i64 or u64 each */
function bigintsEqual(a, b) {
  if (a.lo > b.hi || a.hi < b.lo) return M.constant('bool', false);
  const same = M.binary('eq', M.convert(a.x, 'i64'), M.convert(b.x, 'i64'));
  if (a.x.type === b.x.type) return same;
  const unsigned = a.x.type === 'u64' ? a : b;
  return M.and(same, M.binary('ge', M.convert(unsigned.x, 'i64'), M.constant('i64', 0)));
}

// --- choices ---

/** @type {(c: any, e: any) => Value} */
function logical(c, e) {
  const left = evaluate(c, e.left);
  if (e.op === '??') {
    if (left.kind === 'mixed') return refuse(e.place, `this may be ${V.describe(left)}`, advice(left));
    const missing = isNullish(left);
    if (missing.op === 'const') return missing.value ? evaluate(c, e.right) : left;
    return chooseBy(
      c,
      M.unary('not', missing),
      isThere(e),
      () => solid(left),
      () => evaluate(c, e.right),
      e,
    );
  }
  const test = toBoolean(c, left, e.left.place);
  if (e.op === '&&')
    return chooseBy(
      c,
      test,
      e.left,
      () => evaluate(c, e.right),
      () => falsy(left),
      e,
    );
  return chooseBy(
    c,
    test,
    e.left,
    () => truthy(left),
    () => evaluate(c, e.right),
    e,
  );
}

/** @type {(e: any) => any} what a ?? b asks first */
const isThere = ({ left, place }) => ({ kind: 'binary', op: '!=', left, right: { kind: 'null', place }, place });

/** @type {(value: Value) => Value} the same where it counts as false */
function falsy(value) {
  if (value.kind === 'boolean') return { ...value, x: M.constant('bool', false) };
  return value.kind === 'maybe' ? Maybe.nothingOf(value) : value;
}

/** @type {(value: Value) => Value} the same where it counts as true */
function truthy(value) {
  if (value.kind === 'boolean') return V.boolean(M.constant('bool', true));
  return value.kind === 'maybe' ? value.object : value;
}

/** @type {(value: any) => Value} the same where it is known to be a value */
function solid(value) {
  if (value.kind === 'maybe') return value.object;
  if (value.kind === 'number')
    return new V.NumberValue(
      { ...value.type, undefined: false, null: false, negativeZero: true },
      M.convert(value.x, 'f64'),
      { tag: value.type.boolean ? value.tag : null },
    );
  return { ...value, mayBeUndefined: false, mayBeNull: false, tag: null };
}

/**
 * `e` is what chooses.
 *
 * @type {(c: any, test: Expression, testNode: any, then: () => Value, otherwise: () => Value, e: any) => Value}
 */
function chooseBy(c, test, testNode, then, otherwise, e) {
  if (test.op === 'const') return test.value ? then() : otherwise();
  const result = c.temporary('choice', e);
  const give = (/** @type {() => Value} */ side) => () => {
    const value = side(); // which may make another environment
    c.env.set(result, value);
  };
  return flow().branches(c, test, testNode, give(then), give(otherwise))(result);
}

exports.areEqual = areEqual;
exports.areIdentical = areIdentical;
exports.chooseBy = chooseBy;
exports.condition = condition;
exports.evaluate = evaluate;
exports.evaluateLoosely = evaluateLoosely;
exports.isNothing = isNothing;
exports.isNullish = isNullish;
exports.relation = relation;
exports.settleValue = settleValue;
exports.toBoolean = toBoolean;
exports.toNumber = toNumber;
exports.wrapping = wrapping;
