/**
 * What the entry function gives its caller: the value that it returns, taken apart into the slots of its results, and
 * the fields of objects from outside that it has set.
 */
'use strict';

const N = require('./number-types.js');
const M = require('../tir/machine.js');
const V = require('./values.js');
const E = require('./environment.js');
const Encoded = require('./tagged-elements.js');
const Whole = require('./unbounded-bigints.js');
const { refuse } = require('../source/frame.js');

/** @typedef {import('./values.js').Value} Value */
/** @typedef {import('../source/types.js').ResultShape} ResultShape */

/**
 * A field of an argument that the function sets.
 *
 * @typedef {{ path: import('./inputs.js').Path, shape: ResultShape }} Update
 */

/**
 * Takes a value apart into what the entry returns.
 *
 * @type {(c: any, value: any, exprs: any[], place: any) => ResultShape}
 */
function resultShape(c, value, exprs, place) {
  const slot = (/** @type {any} */ x) => exprs.push(x) - 1;
  switch (value.kind) {
    case 'undefined':
    case 'null':
      return { kind: value.kind };
    case 'string':
      if (value.tag)
        refuse(place, 'the function returns the typeof of what may be undefined', 'return a number for each type');
      return { kind: 'constant', value: value.value };
    case 'number':
      return {
        kind: 'number', dtype: value.x.type, slot: slot(value.x),
        tag: N.isNothing(value.type) ? slot(E.tagOf(value)) : null,
      };
    case 'boolean':
      return {
        kind: 'boolean', dtype: 'bool', slot: slot(value.x),
        tag: value.mayBeUndefined || value.mayBeNull ? slot(E.tagOf(value)) : null,
      };
    case 'bigint':
      Whole.expectExact(value, place);
      return { kind: 'bigint', dtype: value.x.type, slot: slot(value.x), tag: null };
    case 'array': {
      c.facts.outlive(value.ref.roots, place);
      const at = slot({ op: 'address', type: 'i64', args: [value.ref.pointer] });
      slot(value.ref.length);
      slot(value.ref.owner ?? M.constant('i64', 1));
      const tag = value.tag ? slot(value.tag) : null;
      const encoded = Encoded.kindOf(value.site);
      const array = { dtype: value.ref.dtype, clamps: value.ref.clamps, slot: at, tag };
      return value.isList
        ? { kind: 'list', ...array, ...(encoded && { encoded: { head: Encoded.HEAD, kind: encoded } }) }
        : { kind: 'array', ...array };
    }
    case 'maybe':
      return /** @type {any} */ ({ ...resultShape(c, value.object, exprs, place), tag: slot(value.tag) });
    case 'object': {
      const path = c.outside.given.get(value.id)?.path;
      if (path) return { kind: 'given', path };
      const entries = [...value.fields].map(([name, own]) => [
        name,
        resultShape(c, c.env.get(own) ?? V.UNDEFINED, exprs, place),
      ]);
      return value.isTuple
        ? { kind: 'tuple', elements: entries.map(([, shape]) => shape) }
        : { kind: 'object', fields: Object.fromEntries(entries) };
    }
    case 'oneOf':
      if (value.choices.some((/** @type {any} */ o) => c.outside.given.get(o.id)?.path))
        return refuse(place, 'the function returns one of several objects that it was given', 'return its number');
      return resultShape(c, require('./object-union.js').copied(c, value, place), exprs, place);
    default:
      return refuse(
        place,
        `the function returns ${V.describe(value)}`,
        'return numbers, booleans, bigints, arrays, or objects of these',
      );
  }
}

/**
 * What the function has set in objects that come from outside, for the caller to set there.
 *
 * @type {(c: any, exprs: any[]) => Update[]}
 */
function updates(c, exprs) {
  /** @type {Update[]} */
  const found = [];
  for (const { object, path, before, place } of c.outside.given.values()) {
    for (const [field, own] of object.fields) {
      const value = c.env.get(own);
      if (value === undefined || value === before.get(own)) continue;
      if (path === null) refuse(place, `${field} of a captured object is set`, 'hand the object over as an argument');
      found.push({ path: [...path, field], shape: resultShape(c, value, exprs, c.frame.callee.place) });
    }
  }
  return found;
}

/**
 * Ends the entry function: every return gives the same kind of value.
 *
 * @type {(c: any, frame: any) => { result: ResultShape, updates: Update[] }}
 */
function finishEntry(c, frame) {
  /** @type {{ result: ResultShape, updates: Update[] }} */
  let given = { result: { kind: 'undefined' }, updates: [] };
  require('./calls.js').finish(c, frame, (/** @type {Value} */ value) => {
    /** @type {any[]} */
    const exprs = [];
    given = { result: resultShape(c, value, exprs, frame.callee.place), updates: updates(c, exprs) };
    return exprs;
  });
  return given;
}

module.exports = { finishEntry };
