/**
 * An object, or undefined or null: `return null` where nothing was found, `let best = null` before a loop.
 *
 * The object is one that is known, with variables for its fields as ever; beside it there is a tag, as numbers and
 * arrays have one. On the ways where there is nothing its fields hold nothing that anybody reads (`never`), so that
 * they have the types that they have where there is an object.
 */
'use strict';

const N = require('./number-types.js');
const M = require('../tir/machine.js');
const V = require('./values.js');

/** @typedef {import('../hir/index.js').Place} Place */
/** @typedef {import('./environment.js').Env} Env */
/** @typedef {import('./values.js').MaybeValue} MaybeValue */
/** @typedef {import('./values.js').ObjectValue} ObjectValue */
/** @typedef {import('./values.js').Value} Value */
/** @typedef {import('./walk.js').Walk} Walk */

/** What a field holds where its object is not there. @type {Value} */
const NEVER = { kind: 'never' };

/** @type {(value: Value | undefined) => any} the object that it is, or the one of several, if it is one */
function objectOf(value) {
  if (value?.kind === 'maybe') return value.object;
  return value?.kind === 'object' || value?.kind === 'union' ? value : null;
}

/**
 * Whether it is undefined or null; where it may be either, it is a number that is never one.
 *
 * @type {(value: Value | undefined) => boolean}
 */
const isNothing = (value) =>
  value?.kind === 'undefined' ||
  value?.kind === 'null' ||
  (value?.kind === 'number' && N.isNever(value.type) && !value.type.boolean);

/** @type {(value: any, which: 'undefined' | 'null') => boolean} */
function mayBe(value, which) {
  if (value.kind === 'number') return value.type[which];
  return value.kind === which || Boolean(which === 'undefined' ? value.mayBeUndefined : value.mayBeNull);
}

/** @type {(values: Value[]) => boolean} whether together they are an object or nothing */
function isMaybe(values) {
  const objects = values.filter((v) => !isNothing(v)).map(objectOf);
  return objects.length > 0 && objects.every((object) => object && object.id === objects[0]?.id);
}

/** @type {(values: any[], tag: () => import('../tir/index.js').Expression) => Value} */
function join(values, tag) {
  const mayBeUndefined = values.some((v) => mayBe(v, 'undefined'));
  const mayBeNull = values.some((v) => mayBe(v, 'null'));
  const object = /** @type {ObjectValue} */ (objectOf(values.find((v) => objectOf(v))));
  return mayBeUndefined || mayBeNull ? { kind: 'maybe', object, tag: tag(), mayBeUndefined, mayBeNull } : object;
}

/** Gives the fields of an object to the ways on which it is not there. @type {(edges: { env: Env }[]) => void} */
function fillAbsent(edges) {
  /** @type {(object: ObjectValue) => void} */
  const fill = (object) => {
    for (const own of object.fields?.values() ?? []) {
      const values = edges.map(({ env }) => env.get(own));
      for (const { env } of values.includes(undefined) ? edges : []) if (!env.has(own)) env.set(own, NEVER);
      if (values.includes(undefined))
        values.forEach((value) => objectOf(value) && fill(/** @type {ObjectValue} */ (objectOf(value))));
    }
  };
  for (const variable of [...edges[0].env.keys()]) {
    const values = edges.map(({ env }) => env.get(variable));
    if (values.includes(undefined) || !values.some(isNothing)) continue;
    for (const value of values) if (objectOf(value)) fill(/** @type {ObjectValue} */ (objectOf(value)));
  }
}

/** @type {(value: MaybeValue, isUndefined: boolean, isNull: boolean) => Value} without undefined or null, or both */
function without(value, isUndefined, isNull) {
  const [mayBeUndefined, mayBeNull] = [value.mayBeUndefined && !isUndefined, value.mayBeNull && !isNull];
  return mayBeUndefined || mayBeNull ? { ...value, mayBeUndefined, mayBeNull } : value.object;
}

/** @type {(value: Value) => Value} what it is where it is no object, if that is known */
function nothingOf(value) {
  if (value.kind !== 'maybe' || (value.mayBeUndefined && value.mayBeNull)) return value;
  return value.mayBeNull ? V.NULL : V.UNDEFINED;
}

/**
 * Throws where an object or array is nothing, as JavaScript does.
 *
 * @type {(walk: Walk, value: any, what: 'read' | 'set', key: Value | string, place: Place) => void}
 */
function checkThere(walk, { tag, mayBeUndefined = true, mayBeNull = true }, what, key, place) {
  const [name, values] =
    typeof key === 'string' ? [key, []] : key.kind === 'number' ? [null, [M.convert(key.x, 'f64')]] : ['', []];
  const is = (/** @type {number} */ k, /** @type {string} */ nothing) => {
    walk.throwUnless(
      M.binary('ne', tag, M.constant('i32', k)),
      place,
      'TypeError',
      [`Cannot ${what} properties of ${nothing} (${what}${what === 'set' ? 't' : ''}ing '`, name, "')"],
      values,
    );
  };
  if (mayBeUndefined) is(1, 'undefined');
  if (mayBeNull) is(2, 'null');
}

/**
 * The object, or the one of several; throws where there is none.
 *
 * @type {(walk: Walk, value: MaybeValue, what: 'read' | 'set', key: Value | string, place: Place) => any}
 */
function there(walk, value, what, key, place) {
  checkThere(walk, value, what, key, place);
  return value.object;
}

module.exports = { checkThere, fillAbsent, isMaybe, isNothing, join, mayBe, nothingOf, objectOf, there, without };
