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
const memory = require('./memory.js');
const { chooseBy } = require('./branches.js');
const { refuse } = require('../source/frame.js');

/** @typedef {import('../hir/index.js').Place} Place */
/** @typedef {import('../tir/index.js').Expression} Expression */
/** @typedef {import('./values.js').ObjectValue} ObjectValue */
/** @typedef {import('./values.js').Value} Value */
/** @typedef {import('./walk.js').Walk} Walk */

/** @typedef {{ kind: 'union', id: number, at: Expression, choices: ObjectValue[] }} ObjectUnionValue `id`: as of objects */

/** The most objects that may be chosen among. */
const MOST_CHOICES = 64;

/** @type {(walk: Walk, at: Expression, values: any[], place: Place) => Value} the value of number `at` */
function chosen(walk, at, values, place) {
  const [first] = values;
  const is = (/** @type {number} */ k) => M.binary('eq', at, M.constant('i64', k));
  const among = (/** @type {Expression[]} */ xs) =>
    xs.reduceRight((rest, x, k) => (k === xs.length - 1 ? x : M.select(is(k), x, rest)));
  if (values.every((v) => E.isAlike(v, first))) return first;
  if (values.every((v) => v.kind === 'object')) return { kind: 'union', id: walk.objects.identify(), at, choices: values };
  if (values.every((v) => v.kind === 'union'))
    return refuse(place, 'one of several objects is chosen twice', 'keep their numbers in typed arrays');
  if (values.every((v) => v.kind === 'number' && !v.tag)) {
    const type = values.map((v) => v.type).reduce(N.join);
    return new V.NumberValue(type, () => among(values.map((v) => M.convert(v.x, N.typeOf(type)))));
  }
  if (values.every((v) => v.kind === 'boolean' && !v.tag)) return V.boolean(among(values.map((v) => v.x)));
  if (values.every((v) => v.kind === 'bigint' && v.x.type === first.x.type))
    return V.bigint(among(values.map((v) => v.x)));
  if (values.every((v) => v.kind === 'array')) return chosenArray(walk, at, values, place);
  return refuse(
    place,
    `one of ${V.describe(first)} and others is chosen when the function runs`,
    'give all of them one type',
  );
}

/** What choices of arrays are kept by: a place, and the number of the choice. @type {WeakMap<object, object[]>} */
const keys = new WeakMap();

/** @type {(place: Place, k: number) => object} */
function keyOf(place, k) {
  if (!keys.has(place)) keys.set(place, []);
  const own = /** @type {object[]} */ (keys.get(place));
  return (own[k] ??= {});
}

/**
 * Arrays are chosen by branches: a pointer is set in each.
 *
 * @type {(walk: Walk, at: Expression, values: any[], place: Place) => Value}
 */
function chosenArray(walk, at, values, place) {
  /** @type {(k: number) => Value} */
  const from = (k) => {
    if (k === values.length - 1) return values[k];
    return chooseBy(
      walk,
      M.binary('eq', at, M.constant('i64', k)),
      null,
      () => values[k],
      () => from(k + 1),
      keyOf(place, k),
    );
  };
  return from(0);
}

/** @type {(walk: Walk, inside: Expression, value: any, place: Place) => Value} undefined where the index is no position */
function orNothing(walk, inside, value, place) {
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
    case 'union':
      return { kind: 'maybe', object: value, tag, mayBeUndefined: true, mayBeNull: false };
    case 'maybe':
      return { ...value, tag, mayBeUndefined: true };
    case 'null':
    case 'array':
      return chooseBy(
        walk,
        inside,
        null,
        () => value,
        () => V.UNDEFINED,
        keyOf(place, MOST_CHOICES),
      );
    default:
      walk.throwUnless(inside, place, 'TypeError', ['Cannot read properties of undefined'], []);
      return value;
  }
}

/**
 * The one of these, which is undefined where the index is none of theirs.
 *
 * @type {(walk: Walk, values: any[], index: import('./values.js').NumberValue, place: Place) => Value}
 */
function choose(walk, values, index, place) {
  if (values.length > MOST_CHOICES)
    refuse(
      place,
      `one of ${values.length} values is chosen when the function runs`,
      `keep numbers in typed arrays; up to ${MOST_CHOICES} values can be chosen among`,
    );
  if (values.length === 0) return V.UNDEFINED;
  const { at: exact, valid } = memory.indexOf(
    walk,
    index,
    /** @type {any} */ ({ length: M.constant('i64', values.length) }),
  );
  const at = walk.settle(exact, 'which');
  const t = index.type;
  const isKnown = N.isInteger(t) && t.lo >= 0 && t.hi < values.length;
  if (isKnown) return chosen(walk, at, values, place);
  const within = M.and(M.binary('ge', at, M.constant('i64', 0)), M.binary('lt', at, M.constant('i64', values.length)));
  const inside = walk.settle(valid ? M.and(valid, within) : within, 'inside');
  return orNothing(walk, inside, /** @type {any} */ (chosen(walk, at, values, place)), place);
}

/**
 * Object[index] of a tuple.
 *
 * @type {(walk: Walk, object: ObjectValue, index: import('./values.js').NumberValue, place: Place) => Value}
 */
function elementOf(walk, object, index, place) {
  return choose(walk, E.heldBy(walk, object), index, place);
}

/** @type {(walk: Walk, one: ObjectUnionValue, name: string, place: Place) => Value} */
function field(walk, one, name, place) {
  if (name === 'length' && one.choices.every((o) => o.isTuple && o.fields.size === one.choices[0].fields.size))
    return V.numberConstant(one.choices[0].fields.size);
  return chosen(
    walk,
    one.at,
    one.choices.map((o) => walk.field(o, name, place)),
    place,
  );
}

/**
 * An object with the fields of the one, which nobody may set.
 *
 * @type {(walk: Walk, one: ObjectUnionValue, place: Place) => ObjectValue}
 */
function copied(walk, one, place) {
  const { fields, isTuple } = one.choices[0];
  const made = walk.objects.make('copy', [...fields.keys()], isTuple, null);
  for (const [name, own] of made.fields) E.setVariable(walk, own, field(walk, one, name, place));
  made.isCopy = true;
  return made;
}

/** @type {(walk: Walk, one: ObjectUnionValue, name: string, value: Value, place: Place) => void} */
function setField(walk, one, name, value, place) {
  const kept = /** @type {any} */ (value);
  if (kept.kind !== 'number' && kept.kind !== 'boolean')
    refuse(place, `${V.describe(value)} becomes a field of one of several objects`, 'only numbers and booleans may');
  const x = walk.settle(kept.x, 'value');
  const settled =
    kept.kind === 'number'
      ? new V.NumberValue(kept.type, x, { tag: kept.tag && walk.settle(kept.tag) })
      : { ...kept, x };
  one.choices.forEach((object, k) => {
    const own = object.fields.get(name);
    if (!own)
      return refuse(place, `the object has no field ${name} yet`, `name it where the object is made: { ${name}: 0 }`);
    const before = walk.here.get(own) ?? V.UNDEFINED;
    const test = M.binary('eq', one.at, M.constant('i64', k));
    return E.setVariable(
      walk,
      own,
      chooseBy(
        walk,
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
 * @type {(walk: Walk, one: ObjectUnionValue, index: import('./values.js').NumberValue, place: Place) => Value}
 */
function elementOfOne(walk, one, index, place) {
  const size = one.choices[0].fields.size;
  if (one.choices.some((o) => !o.isTuple))
    return refuse(place, 'the field of an object is not known at compile time', 'name the field');
  if (one.choices.some((o) => o.fields.size !== size))
    return refuse(place, 'arrays of several lengths are indexed', 'give all the same length');
  return choose(
    walk,
    Array.from({ length: size }, (_, k) => field(walk, one, String(k), place)),
    index,
    place,
  );
}

/** @type {(a: ObjectValue | ObjectUnionValue, b: ObjectValue | ObjectUnionValue) => Expression} whether two objects are one */
function isSame(a, b) {
  if (a.id === b.id) return M.constant('bool', true);
  const all = (/** @type {any} */ o) => (o.kind === 'union' ? o.choices : [o]);
  const is = (/** @type {any} */ o, /** @type {number} */ k) =>
    o.kind === 'union' ? M.binary('eq', o.at, M.constant('i64', k)) : M.constant('bool', true);
  /** @type {Expression[]} */
  const ways = all(a).flatMap((/** @type {any} */ x, /** @type {number} */ i) =>
    all(b).flatMap((/** @type {any} */ y, /** @type {number} */ k) =>
      x.id === y.id ? [M.and(is(a, i), is(b, k))] : [],
    ),
  );
  return ways.reduce(M.or, M.constant('bool', false));
}

module.exports = { copied, elementOf, elementOfOne, field, isSame, setField };
