/**
 * One of several objects, by a number that is known when the function runs: `bodies[i]` of an array literal of objects.
 *
 * Objects are no memory, so there is nothing to index. What is read of the one is chosen among what all have, and what
 * is written goes to the one and leaves the others as they are. In a loop over all of them, which LLVM unrolls since
 * their number is constant, every choice is known and none is left.
 */
'use strict';

const N = require('./number-types.js');
const M = require('../tir/machine.js');
const V = require('./values.js');
const E = require('./environment.js');
const X = require('./expressions.js');
const { refuse } = require('../source/frame.js');

/** @typedef {import('./values.js').Value} Value */
/** @typedef {import('./values.js').ObjectValue} ObjectValue */
/** @typedef {import('../tir/index.js').Expression} Expression */
/** @typedef {{ kind: 'oneOf', id: number, at: Expression, choices: ObjectValue[] }} OneOfValue `id`: as of objects */

/** The most objects that may be chosen among. */
const MOST_CHOICES = 64;

/** @type {(c: any, at: Expression, values: any[], place: any) => Value} the value of number `at` */
function chosen(c, at, values, place) {
  const [first] = values;
  const is = (/** @type {number} */ k) => M.binary('eq', at, M.constant('i64', k));
  const among = (/** @type {Expression[]} */ xs) =>
    xs.reduceRight((rest, x, k) => (k === xs.length - 1 ? x : M.select(is(k), x, rest)));
  if (values.every((v) => E.isAlike(v, first))) return first;
  if (values.every((v) => v.kind === 'object')) return { kind: 'oneOf', id: c.objects.identify(), at, choices: values };
  if (values.every((v) => v.kind === 'oneOf'))
    return refuse(place, 'one of several objects is chosen twice', 'keep their numbers in typed arrays');
  if (values.every((v) => v.kind === 'number' && !v.tag)) {
    const type = values.map((v) => v.type).reduce(N.join);
    return new V.NumberValue(type, () => among(values.map((v) => M.convert(v.x, N.typeOf(type)))));
  }
  if (values.every((v) => v.kind === 'boolean' && !v.tag)) return V.boolean(among(values.map((v) => v.x)));
  if (values.every((v) => v.kind === 'bigint' && v.x.type === first.x.type))
    return V.bigint(among(values.map((v) => v.x)));
  if (values.every((v) => v.kind === 'array')) return chosenArray(c, at, values, place);
  return refuse(
    place,
    `one of ${V.describe(first)} and others is chosen when the function runs`,
    'give all of them one type',
  );
}

/** What choices of arrays are kept by: a place, and the number of the choice. @type {WeakMap<object, object[]>} */
const keys = new WeakMap();

/** @type {(place: any, k: number) => object} */
function keyOf(place, k) {
  if (!keys.has(place)) keys.set(place, []);
  const own = /** @type {object[]} */ (keys.get(place));
  return (own[k] ??= {});
}

/**
 * Arrays are chosen by branches: a pointer is set in each.
 *
 * @type {(c: any, at: Expression, values: any[], place: any) => Value}
 */
function chosenArray(c, at, values, place) {
  /** @type {(k: number) => Value} */
  const from = (k) => {
    if (k === values.length - 1) return values[k];
    return X.chooseBy(
      c,
      M.binary('eq', at, M.constant('i64', k)),
      null,
      () => values[k],
      () => from(k + 1),
      keyOf(place, k),
    );
  };
  return from(0);
}

/** @type {(c: any, inside: Expression, value: any, place: any) => Value} undefined where the index is no position */
function orNothing(c, inside, value, place) {
  const tag = M.select(inside, value.tag ?? M.constant('i32', 0), M.constant('i32', 1));
  switch (value.kind) {
    case 'undefined':
      return value;
    case 'number':
      return new V.NumberValue(
        { ...value.type, undefined: true },
        () => M.select(inside, M.convert(value.x, 'f64'), M.constant('f64', NaN)),
        { tag },
      );
    case 'boolean':
      return { ...value, x: M.and(inside, value.x), tag, mayBeUndefined: true };
    case 'object':
    case 'oneOf':
      return { kind: 'maybe', object: value, tag, mayBeUndefined: true, mayBeNull: false };
    case 'maybe':
      return { ...value, tag, mayBeUndefined: true };
    case 'null':
    case 'array':
      return X.chooseBy(
        c,
        inside,
        null,
        () => value,
        () => V.UNDEFINED,
        keyOf(place, MOST_CHOICES),
      );
    default:
      c.throwUnless(inside, place, 'TypeError', ['Cannot read properties of undefined'], []);
      return value;
  }
}

/**
 * The one of these, which is undefined where the index is none of theirs.
 *
 * @type {(c: any, values: any[], index: import('./values.js').NumberValue, place: any) => Value}
 */
function choose(c, values, index, place) {
  if (values.length > MOST_CHOICES)
    refuse(
      place,
      `one of ${values.length} values is chosen when the function runs`,
      `keep numbers in typed arrays; up to ${MOST_CHOICES} values can be chosen among`,
    );
  if (values.length === 0) return V.UNDEFINED;
  const { at: exact, valid } = require('./memory.js').indexOf(
    c,
    index,
    /** @type {any} */ ({ length: M.constant('i64', values.length) }),
  );
  const at = E.settle(c, exact, 'which');
  const t = index.type;
  const isKnown = N.isInteger(t) && t.lo >= 0 && t.hi < values.length;
  if (isKnown) return chosen(c, at, values, place);
  const within = M.and(M.binary('ge', at, M.constant('i64', 0)), M.binary('lt', at, M.constant('i64', values.length)));
  const inside = E.settle(c, valid ? M.and(valid, within) : within, 'inside');
  return orNothing(c, inside, /** @type {any} */ (chosen(c, at, values, place)), place);
}

/**
 * Object[index] of a tuple.
 *
 * @type {(c: any, object: ObjectValue, index: import('./values.js').NumberValue, place: any) => Value}
 */
function elementOf(c, object, index, place) {
  return choose(c, E.heldBy(c, object), index, place);
}

/** @type {(c: any, one: OneOfValue, name: string, place: any) => Value} */
function field(c, one, name, place) {
  const memory = require('./memory.js');
  if (name === 'length' && one.choices.every((o) => o.isTuple && o.fields.size === one.choices[0].fields.size))
    return V.numberConstant(one.choices[0].fields.size);
  return chosen(
    c,
    one.at,
    one.choices.map((o) => memory.field(c, o, name, place)),
    place,
  );
}

/**
 * An object with the fields of the one, which nobody may set.
 *
 * @type {(c: any, one: OneOfValue, place: any) => ObjectValue}
 */
function copied(c, one, place) {
  const { fields, isTuple } = one.choices[0];
  const made = c.objects.make('copy', [...fields.keys()], isTuple, null);
  for (const [name, own] of made.fields) E.setVariable(c, own, field(c, one, name, place));
  made.isCopy = true;
  return made;
}

/** @type {(c: any, one: OneOfValue, name: string, value: Value, place: any) => void} */
function setField(c, one, name, value, place) {
  const kept = /** @type {any} */ (value);
  if (kept.kind !== 'number' && kept.kind !== 'boolean')
    refuse(place, `${V.describe(value)} becomes a field of one of several objects`, 'only numbers and booleans may');
  const x = E.settle(c, kept.x, 'value');
  const settled =
    kept.kind === 'number'
      ? new V.NumberValue(kept.type, x, { tag: kept.tag && E.settle(c, kept.tag) })
      : { ...kept, x };
  one.choices.forEach((object, k) => {
    const own = object.fields.get(name);
    if (!own)
      return refuse(place, `the object has no field ${name} yet`, `name it where the object is made: { ${name}: 0 }`);
    const before = c.env.get(own) ?? V.UNDEFINED;
    const test = M.binary('eq', one.at, M.constant('i64', k));
    return E.setVariable(
      c,
      own,
      X.chooseBy(
        c,
        test,
        null,
        () => settled,
        () => before,
        own,
      ),
    );
  });
}

/**
 * One[index] of tuples.
 *
 * @type {(c: any, one: OneOfValue, index: import('./values.js').NumberValue, place: any) => Value}
 */
function elementOfOne(c, one, index, place) {
  const size = one.choices[0].fields.size;
  if (one.choices.some((o) => !o.isTuple))
    return refuse(place, 'the field of an object is not known at compile time', 'name the field');
  if (one.choices.some((o) => o.fields.size !== size))
    return refuse(place, 'arrays of several lengths are indexed', 'give all the same length');
  return choose(
    c,
    Array.from({ length: size }, (_, k) => field(c, one, String(k), place)),
    index,
    place,
  );
}

/** @type {(a: ObjectValue | OneOfValue, b: ObjectValue | OneOfValue) => Expression} whether two objects are one */
function isSame(a, b) {
  if (a.id === b.id) return M.constant('bool', true);
  const all = (/** @type {any} */ o) => (o.kind === 'oneOf' ? o.choices : [o]);
  const is = (/** @type {any} */ o, /** @type {number} */ k) =>
    o.kind === 'oneOf' ? M.binary('eq', o.at, M.constant('i64', k)) : M.constant('bool', true);
  /** @type {Expression[]} */
  const ways = all(a).flatMap((/** @type {any} */ x, /** @type {number} */ i) =>
    all(b).flatMap((/** @type {any} */ y, /** @type {number} */ k) =>
      x.id === y.id ? [M.and(is(a, i), is(b, k))] : [],
    ),
  );
  return ways.reduce(M.or, M.constant('bool', false));
}

exports.copied = copied;
exports.elementOf = elementOf;
exports.elementOfOne = elementOfOne;
exports.field = field;
exports.isSame = isSame;
exports.setField = setField;
