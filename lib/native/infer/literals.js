/**
 * Array and object literals, and spreading.
 *
 * An array literal is a tuple, whose elements are variables, until somebody indexes it with what is not known: then
 * inference begins again with that literal in memory. Objects never are memory.
 */
'use strict';

const M = require('../tir/machine.js');
const V = require('./values.js');
const E = require('./environment.js');
const Maybe = require('./nullable.js');
const memory = require('./memory.js');
const { concatenated } = require('./array-concat.js');
const { settleValue } = require('./conversions.js');
const { refuse } = require('../source/frame.js');

/** @typedef {import('../hir/index.js').Place} Place */
/** @typedef {import('../hir/index.js').SpreadNode} SpreadNode */
/** @typedef {import('./restarts.js').Site} Site */
/** @typedef {import('./values.js').ArrayValue} ArrayValue */
/** @typedef {import('./values.js').Value} Value */
/** @typedef {import('./walk.js').Walk} Walk */

/** @type {(walk: Walk, e: import('../hir/index.js').ArrayNode) => Value} */
function arrayLiteral(walk, e) {
  const parts = e.elements.map((element) =>
    element.kind === 'spread' ? partOf(walk, element) : [walk.evaluate(element)],
  );
  if (!parts.every(Array.isArray)) return concatenated(walk, parts, e);
  const values = parts.flat();
  const site = walk.facts.site(e);
  if (site.inMemory) return memory.listOf(walk, values, site, e.place);
  const names = values.map((/** @type {Value} */ _, /** @type {number} */ i) => String(i));
  return literal(walk, e, names, values, true, site);
}

/** @type {(walk: Walk, element: SpreadNode) => Value[] | ArrayValue} */
function partOf(walk, element) {
  return elementsOf(walk, walk.evaluate(element.argument), element.place);
}

/**
 * The elements of a tuple, or of an array of known length; one whose length is found at run time.
 *
 * @type {(walk: Walk, value: Value, place: Place) => Value[] | ArrayValue}
 */
function elementsOf(walk, value, place) {
  if (value.kind === 'object' && value.isTuple) return E.heldBy(walk, value);
  if (value.kind !== 'array')
    return refuse(place, `${V.describe(value)} has no elements to be spread`, 'write them one by one');
  const length = M.valueOf(value.ref.length);
  if (length === undefined || length > 64n) return value;
  return Array.from({ length: Number(length) }, (_, i) => memory.load(walk, value, V.numberConstant(i), place));
}

/** @type {(walk: Walk, element: SpreadNode) => Value[]} arguments of a call, which has a fixed number of them */
function spread(walk, element) {
  return spreadValue(walk, walk.evaluate(element.argument), element.place);
}

/** @type {(walk: Walk, value: Value, place: Place) => Value[]} */
function spreadValue(walk, value, place) {
  const part = elementsOf(walk, value, place);
  return Array.isArray(part)
    ? part
    : refuse(place, 'how many elements there are is not known at compile time', 'write a loop over them');
}

/** @type {(walk: Walk, e: import('../hir/index.js').ObjectNode) => Value} */
function objectLiteral(walk, e) {
  /** @type {[string, Value][]} */
  const fields = e.fields.flatMap(({ name, value }) =>
    value.kind === 'spread' ? spreadFields(walk, value) : [[name, walk.evaluate(value)]],
  );
  return literal(
    walk,
    e,
    fields.map(([name]) => name),
    fields.map(([, value]) => value),
    false,
    null,
  );
}

/**
 * The fields of an object; numbers and what is nothing have none.
 *
 * @type {(walk: Walk, element: SpreadNode) => [string, Value][]}
 */
function spreadFields(walk, element) {
  const value = walk.evaluate(element.argument);
  if (value.kind === 'object') return [...value.fields].map(([name, own]) => [name, walk.here.get(own) ?? V.UNDEFINED]);
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

/** @type {(walk: Walk, e: object, names: string[], values: Value[], isTuple: boolean, site: Site | null) => Value} */
function literal(walk, e, names, values, isTuple, site) {
  let known = walk.frame.literals.get(e);
  if (!known) walk.frame.literals.set(e, (known = []));
  // One that was made here a round ago may have a name still.
  const held = heldObjects(walk.here);
  let object = known.find((/** @type {any} */ o) => !held.has(o.id) && names.every((name) => o.fields.has(name)));
  if (!object) known.push((object = walk.objects.make(isTuple ? 'element' : 'field', [...new Set(names)], isTuple, site)));
  // Fields that were added to the one made here a round ago.
  for (const name of object.fields.keys()) if (!names.includes(name)) object.fields.delete(name);
  object.nesting = walk.nesting;
  // Elements may be made of the elements of the same literal, a round ago: all are read before any is set.
  const settled = values.map((v) => settleValue(walk, v));
  names.forEach((name, i) => E.setVariable(walk, /** @type {any} */ (object.fields.get(name)), settled[i]));
  return object;
}

module.exports = { arrayLiteral, objectLiteral, spread, spreadValue };
