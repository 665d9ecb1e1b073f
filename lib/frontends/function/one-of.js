/**
 * One of several objects, by a number that is known when the function runs: `bodies[i]` of an array literal of objects.
 *
 * Objects are no memory, so there is nothing to index. What is read of the one is chosen among what all have, and what is
 * written goes to the one and leaves the others as they are. In a loop over all of them, which LLVM unrolls since their
 * number is constant, every choice is known and none is left.
 */
'use strict';

const N = require('./numbers.js');
const M = require('./machine.js');
const V = require('./values.js');
const O = require('./operators.js');
const E = require('./environment.js');
const X = require('./expressions.js');
const { refuse } = require('./frame.js');

/** @typedef {import('./values.js').Value} Value */
/** @typedef {import('./values.js').ObjectValue} ObjectValue */
/** @typedef {import('./tir.js').Expression} Expression */
/** @typedef {{ kind: 'oneOf', at: Expression, choices: ObjectValue[] }} OneOfValue */

/** The most objects that may be chosen among. */
const MOST_CHOICES = 64;

/** @type {(c: any, object: ObjectValue, index: import('./values.js').NumberValue, place: any) => { at: Expression, inside: Expression, values: Value[] }} */
function choices(c, object, index, place) {
  const values = [...object.fields.values()].map((own) => c.env.get(own) ?? V.UNDEFINED);
  if (values.length > MOST_CHOICES) refuse(place, `one of ${values.length} values is chosen when the function runs`, `keep numbers in typed arrays; up to ${MOST_CHOICES} values can be chosen among`);
  const { at, valid } = require('./memory.js').indexOf(c, index, /** @type {any} */ ({ length: M.constant('i64', values.length) }));
  const settled = E.settle(c, at, 'which');
  const t = index.type;
  const isKnown = N.isInteger(t) && t.lo >= 0 && t.hi < values.length;
  const within = M.and(M.binary('ge', settled, M.constant('i64', 0)), M.binary('lt', settled, M.constant('i64', values.length)));
  return { at: settled, inside: isKnown ? M.constant('bool', true) : E.settle(c, valid ? M.and(valid, within) : within, 'inside'), values };
}

/** @type {(c: any, at: Expression, values: any[], place: any) => Value} the value of number `at` */
function chosen(c, at, values, place) {
  const [first] = values;
  const is = (/** @type {number} */ k) => M.binary('eq', at, M.constant('i64', k));
  const among = (/** @type {Expression[]} */ xs) => xs.reduceRight((rest, x, k) => (k === xs.length - 1 ? x : M.select(is(k), x, rest)));
  if (values.every((v) => v.kind === 'object')) return /** @type {any} */ ({ kind: 'oneOf', at, choices: values });
  if (values.every((v) => v.kind === 'oneOf')) return refuse(place, 'one of several objects is chosen twice', 'keep their numbers in typed arrays');
  if (values.every((v) => v.kind === 'number' && !v.tag)) {
    const type = values.map((v) => v.type).reduce(N.join);
    return new V.NumberValue(type, () => among(values.map((v) => M.convert(v.x, N.typeOf(type)))));
  }
  if (values.every((v) => v.kind === 'boolean' && !v.tag)) return V.boolean(among(values.map((v) => v.x)));
  if (values.every((v) => v.kind === 'bigint' && v.x.type === first.x.type)) return V.bigint(among(values.map((v) => v.x)));
  if (values.every((v) => v.kind === 'array')) return chosenArray(c, at, values, place);
  return refuse(place, `one of ${V.describe(first)} and others is chosen when the function runs`, 'give all of them one type');
}

/** What choices of arrays are kept by: a place, and the number of the choice. @type {WeakMap<object, object[]>} */
const keys = new WeakMap();

/** @type {(c: any, at: Expression, values: any[], place: any) => Value} arrays are chosen by branches: a pointer is set in each */
function chosenArray(c, at, values, place) {
  if (!keys.has(place)) keys.set(place, []);
  const own = /** @type {object[]} */ (keys.get(place));
  /** @type {(k: number) => Value} */
  const from = (k) => {
    if (k === values.length - 1) return values[k];
    own[k] ??= {};
    return X.chooseBy(c, M.binary('eq', at, M.constant('i64', k)), null, () => values[k], () => from(k + 1), own[k]);
  };
  return from(0);
}

/** @type {(c: any, object: ObjectValue, index: import('./values.js').NumberValue, place: any) => Value} object[index] of a tuple */
function elementOf(c, object, index, place) {
  const { at, inside, values } = choices(c, object, index, place);
  if (values.length === 0) return V.UNDEFINED;
  const isPlain = values.every((v) => (v.kind === 'number' || v.kind === 'boolean') && !v.tag);
  if (!isPlain) c.throwUnless(inside, place, 'TypeError', ['Cannot read properties of undefined'], []);
  const value = /** @type {any} */ (chosen(c, at, values, place));
  if (!isPlain || inside.op === 'const') return value;
  const tag = M.select(inside, M.constant('i32', 0), M.constant('i32', 1));
  if (value.kind === 'boolean') return { ...value, x: M.and(inside, value.x), tag, mayBeUndefined: true };
  return new V.NumberValue({ ...value.type, undefined: true }, () => M.select(inside, M.convert(value.x, 'f64'), M.constant('f64', NaN)), { tag });
}

/** @type {(c: any, one: OneOfValue, name: string, place: any) => Value} */
function field(c, one, name, place) {
  const memory = require('./memory.js');
  if (name === 'length' && one.choices.every((o) => o.isTuple && o.fields.size === one.choices[0].fields.size)) return V.numberConstant(one.choices[0].fields.size);
  return chosen(c, one.at, one.choices.map((o) => memory.field(c, o, name, place)), place);
}

/** @type {(c: any, one: OneOfValue, place: any) => ObjectValue} an object with the fields of the one, which nobody may set */
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
  if (kept.kind !== 'number' && kept.kind !== 'boolean') refuse(place, `${V.describe(value)} becomes a field of one of several objects`, 'only numbers and booleans may');
  const x = E.settle(c, kept.x, 'value');
  const settled = kept.kind === 'number' ? new V.NumberValue(kept.type, x, { tag: kept.tag && E.settle(c, kept.tag) }) : { ...kept, x };
  one.choices.forEach((object, k) => {
    const own = object.fields.get(name);
    if (!own) return refuse(place, `the object has no field ${name} yet`, `name it where the object is made: { ${name}: 0 }`);
    const before = c.env.get(own) ?? V.UNDEFINED;
    const test = M.binary('eq', one.at, M.constant('i64', k));
    return E.setVariable(c, own, X.chooseBy(c, test, null, () => settled, () => before, own));
  });
}

/** @type {(c: any, one: OneOfValue, index: import('./values.js').NumberValue, place: any) => Value} one[index] of tuples */
function elementOfOne(c, one, index, place) {
  const known = require('./memory.js').constantOf(index);
  if (known !== null) return field(c, one, String(known), place);
  const size = one.choices[0].fields.size;
  const names = Array.from({ length: size }, (_, k) => field(c, one, String(k), place));
  if (one.choices.some((o) => o.fields.size !== size)) return refuse(place, 'arrays of several lengths are indexed', 'give all the same length');
  const at = E.settle(c, O.asInteger(index), 'which');
  const inside = M.and(M.binary('ge', at, M.constant('i64', 0)), M.binary('lt', at, M.constant('i64', size)));
  c.throwUnless(inside, place, 'RangeError', ['index ', null, ` is out of range of an array of ${size}`], [at]);
  return chosen(c, at, names, place);
}

exports.copied = copied;
exports.elementOf = elementOf;
exports.elementOfOne = elementOfOne;
exports.field = field;
exports.setField = setField;
