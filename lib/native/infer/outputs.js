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
const Unbounded = require('./unbounded-bigints.js');
const unions = require('./object-union.js');
const { finish } = require('./frames.js');
const { refuse } = require('../source/frame.js');

/** @typedef {import('../hir/index.js').Place} Place */
/** @typedef {import('../source/types.js').ResultShape} ResultShape */
/** @typedef {import('../tir/index.js').Expression} Expression */
/** @typedef {import('./frames.js').Frame} Frame */
/** @typedef {import('./values.js').Value} Value */
/** @typedef {import('./walk.js').Walk} Walk */

/**
 * A field of an argument that the function sets.
 *
 * @typedef {{ path: import('./inputs.js').Path, shape: ResultShape }} Update
 */

/**
 * Takes a value apart into what the entry returns.
 *
 * @type {(walk: Walk, value: any, exprs: Expression[], place: Place) => ResultShape}
 */
function resultShape(walk, value, exprs, place) {
  const slot = (/** @type {Expression} */ x) => exprs.push(x) - 1;
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
      Unbounded.expectExact(value, place);
      return { kind: 'bigint', dtype: value.x.type, slot: slot(value.x), tag: null };
    case 'array': {
      walk.facts.outlive(value.ref.roots, place);
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
      return /** @type {any} */ ({ ...resultShape(walk, value.object, exprs, place), tag: slot(value.tag) });
    case 'object': {
      const path = walk.inputs.given.get(value.id)?.path;
      if (path) return { kind: 'given', path };
      const entries = [...value.fields].map(([name, own]) => [
        name,
        resultShape(walk, walk.here.get(own) ?? V.UNDEFINED, exprs, place),
      ]);
      return value.isTuple
        ? { kind: 'tuple', elements: entries.map(([, shape]) => shape) }
        : { kind: 'object', fields: Object.fromEntries(entries) };
    }
    case 'union':
      if (value.choices.some((/** @type {any} */ o) => walk.inputs.given.get(o.id)?.path))
        return refuse(place, 'the function returns one of several objects that it was given', 'return its number');
      return resultShape(walk, unions.copied(walk, value, place), exprs, place);
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
 * @type {(walk: Walk, exprs: Expression[]) => Update[]}
 */
function updates(walk, exprs) {
  /** @type {Update[]} */
  const found = [];
  for (const { object, path, before, place } of walk.inputs.given.values()) {
    for (const [field, own] of object.fields) {
      const value = walk.here.get(own);
      if (value === undefined || value === before.get(own)) continue;
      if (path === null)
        refuse(
          place ?? walk.callee.place,
          `${field} of a captured object is set`,
          'hand the object over as an argument',
        );
      found.push({ path: [...path, field], shape: resultShape(walk, value, exprs, walk.frame.callee.place) });
    }
  }
  return found;
}

/**
 * Ends the entry function: every return gives the same kind of value.
 *
 * @type {(walk: Walk, frame: Frame) => { result: ResultShape, updates: Update[] }}
 */
function finishEntry(walk, frame) {
  /** @type {{ result: ResultShape, updates: Update[] }} */
  let given = { result: { kind: 'undefined' }, updates: [] };
  finish(walk, frame, (/** @type {Value} */ value) => {
    /** @type {Expression[]} */
    const exprs = [];
    given = { result: resultShape(walk, value, exprs, frame.callee.place), updates: updates(walk, exprs) };
    return exprs;
  });
  return given;
}

module.exports = { finishEntry };
