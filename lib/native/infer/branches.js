/**
 * Two ways that join again: the sides of a condition that only the run knows, as statements or as one value.
 *
 * Each side is walked with an environment and a list of its own. Where both are nothing but a value, the branch becomes
 * an expression that selects one.
 */
'use strict';

const N = require('./number-types.js');
const M = require('../tir/machine.js');
const V = require('./values.js');
const E = require('./environment.js');
const { refine } = require('./narrowing.js');

/** @typedef {import('../tir/index.js').Expression} Expression */
/** @typedef {import('./environment.js').Env} Env */
/** @typedef {import('./values.js').NumberValue} NumberValue */
/** @typedef {import('./values.js').Value} Value */
/** @typedef {import('./values.js').Var} Var */
/** @typedef {import('./walk.js').Walk} Walk */

/**
 * Walks both sides of a condition that is not known. What it returns finishes the statement, or makes an expression of
 * it where the sides are nothing but a value each, and gives the value of `result`.
 *
 * @type {(walk: Walk, test: Expression, testNode: import('../hir/index.js').Expression | null, then: () => void, otherwise: () => void) => (result: Var | null, place?: import('../hir/index.js').Place | null) => Value}
 */
function branches(walk, test, testNode, then, otherwise) {
  const start = /** @type {Env} */ (walk.env);
  /** @type {import('../tir/index.js').Statement[][]} */
  const lists = [[], []];
  const ends = [then, otherwise].map((run, i) =>
    walk.inside(new Map(start), lists[i], () => {
      if (testNode) refine(walk, testNode, i === 0);
      run();
    }),
  );
  return (result, place = null) => {
    if (result && lists.every((list) => list.length === 0) && ends[0] && ends[1]) {
      const value = selected(test, ends[0].get(result), ends[1].get(result));
      if (value) return value;
    }
    walk.out.push({ kind: 'if', test, then: lists[0], otherwise: lists[1], place });
    const edges = ends.flatMap((env, i) => (env ? [{ env, list: lists[i] }] : []));
    walk.env = E.merge(walk, edges);
    const value = result && walk.env?.get(result);
    if (result) walk.env?.delete(result);
    return /** @type {Value} */ (value);
  };
}

/** @type {(test: Expression, a: any, b: any) => Value | null} one of two numbers, booleans or bigints */
function selected(test, a, b) {
  if (a.kind !== b.kind || a.tag || b.tag) return null;
  const pick = (/** @type {Expression} */ x, /** @type {Expression} */ y) => {
    if (E.isSame(x, y)) return x;
    return M.isCheap(x) && M.isCheap(y) ? M.select(test, x, y) : { op: 'choose', type: x.type, args: [test, x, y] };
  };
  if (a.kind === 'boolean') return V.boolean(pickBoolean(test, a.x, b.x, pick));
  if (a.kind === 'bigint' && a.x.type === b.x.type)
    return V.bigint(pick(a.x, b.x), a.lo < b.lo ? a.lo : b.lo, a.hi > b.hi ? a.hi : b.hi);
  if (a.kind !== 'number') return null;
  const type = N.join(a.type, b.type);
  const to = N.typeOf(type);
  return new V.NumberValue(type, pick(M.convert(a.x, to), M.convert(b.x, to)));
}

/**
 * P && q and p || q by name.
 *
 * @type {(test: Expression, x: Expression, y: Expression, pick: (x: Expression, y: Expression) => Expression) => Expression}
 */
function pickBoolean(test, x, y, pick) {
  if (y.op === 'const' && !y.value)
    return M.isCheap(x) ? M.and(test, x) : { op: 'andalso', type: 'bool', args: [test, x] };
  if (x.op === 'const' && x.value)
    return M.isCheap(y) ? M.or(test, y) : { op: 'orelse', type: 'bool', args: [test, y] };
  return pick(x, y);
}

/**
 * `e` is what chooses.
 *
 * @type {(walk: Walk, test: Expression, testNode: import('../hir/index.js').Expression | null, then: () => Value, otherwise: () => Value, e: object) => Value}
 */
function chooseBy(walk, test, testNode, then, otherwise, e) {
  if (test.op === 'const') return test.value ? then() : otherwise();
  const result = walk.temporary('choice', e);
  const give = (/** @type {() => Value} */ side) => () => {
    const value = side(); // which may make another environment
    walk.here.set(result, value);
  };
  return branches(walk, test, testNode, give(then), give(otherwise))(result);
}

module.exports = { branches, chooseBy };
