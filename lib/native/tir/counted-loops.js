/**
 * Which loops count: `for (i = lo; i < hi; i += step)` in any of its spellings.
 *
 * A loop counts when its test compares a local that nobody sets but the update, which adds a constant, with a bound
 * that stays the same. Where the counter could pass the end of its type before the test sees it, it does not count:
 * integers of TIR wrap, and such a loop goes on.
 */
'use strict';

const { readsIn, setsIn, someNode, someStatement } = require('./walk.js');

/** @typedef {import('./index.js').Statement} Statement */
/** @typedef {import('./index.js').Expression} Expression */
/** @typedef {import('./index.js').Local} Local */
/** @typedef {import('./index.js').LoopStmt} LoopStmt */

/**
 * @typedef {object} Counted
 * @property {Local} counter
 * @property {bigint} step not 0
 * @property {'lt' | 'le' | 'gt' | 'ge' | 'ne'} compare counter with bound, for another round
 * @property {Expression} bound of the counter's type
 * @property {Statement} set that makes the step, one of the loop's update
 */

/** @type {Record<string, 'lt' | 'le' | 'gt' | 'ge' | 'ne'>} */
const turned = { lt: 'gt', le: 'ge', gt: 'lt', ge: 'le', ne: 'ne' };

const SMALL_STEP = 2n ** 20n;

/** What integers are least and greatest. @type {Record<string, [bigint, bigint]>} */
const LIMITS = { i64: [-(2n ** 63n), 2n ** 63n - 1n], i32: [-(2n ** 31n), 2n ** 31n - 1n] };

/** @type {(e: Expression) => bigint | null} */
const constantOf = (e) =>
  e.op === 'const' && typeof e.value !== 'boolean' && (typeof e.value === 'bigint' || Number.isInteger(e.value))
    ? BigInt(e.value)
    : null;

/** The step of `counter = counter + constant`, or null. @type {(s: Statement, counter: Local) => bigint | null} */
function stepOf(s, counter) {
  if (s.kind !== 'set' || s.local !== counter) return null;
  const { op, args } = s.value;
  const isCounter = (/** @type {Expression} */ e) => e.op === 'local' && e.local === counter;
  if (op === 'add' && isCounter(args[0])) return constantOf(args[1]);
  if (op === 'add' && isCounter(args[1])) return constantOf(args[0]);
  const by = op === 'sub' && isCounter(args[0]) ? constantOf(args[1]) : null;
  return by === null ? null : -by;
}

/**
 * Whether an expression has the same value in all rounds of a loop that sets `sets`: it reads no memory.
 *
 * @type {(e: Expression, sets: Set<Local>) => boolean}
 */
const isInvariant = (e, sets) =>
  !someNode(e, (node) => node.op === 'load' || (node.op === 'local' && sets.has(node.local)));

/** The integers that an expression may be, as far as known. @type {(e: Expression) => [bigint, bigint]} */
function rangeOf(e) {
  const whole = LIMITS[e.type] ?? LIMITS.i64;
  const value = constantOf(e);
  if (value !== null) return [value, value];
  if (!e.range) return whole;
  const [lo, hi] = e.range;
  const from = Number.isFinite(lo) ? BigInt(Math.ceil(lo)) : whole[0];
  const to = Number.isFinite(hi) ? BigInt(Math.floor(hi)) : whole[1];
  return [from > whole[0] ? from : whole[0], to < whole[1] ? to : whole[1]];
}

/**
 * Whether the counter leaves the loop before it leaves its type. One of 64 bits never gets so far, unless it begins
 * there, and then the update looks whether it overflows.
 *
 * @type {(compare: string, step: bigint, bound: Expression, isAlone: boolean) => boolean}
 */
function ends(compare, step, bound, isAlone) {
  const [lo, hi] = rangeOf(bound);
  const [least, most] = LIMITS[bound.type];
  if (bound.type === 'i64' && isAlone && step > -SMALL_STEP && step < SMALL_STEP && compare !== 'ne') return true;
  if (compare === 'ne') return step === 1n || step === -1n;
  if (step > 0n) return (compare === 'lt' && hi <= most - step + 1n) || (compare === 'le' && hi <= most - step);
  return (compare === 'gt' && lo >= least - step - 1n) || (compare === 'ge' && lo >= least - step);
}

/**
 * How a loop counts, or null.
 *
 * @param {LoopStmt} loop
 * @returns {Counted | null}
 */
function countedOf(loop) {
  const { test } = loop;
  if (!test || loop.before.length > 0 || !(test.op in turned)) return null;
  const inside = [...loop.body, ...loop.update];
  const sets = setsIn(inside);
  for (const side of [0, 1]) {
    const at = test.args[side];
    if (at.op !== 'local' || !LIMITS[at.type] || !sets.has(at.local)) continue;
    const setters = loop.update.filter((s) => s.kind === 'set' && s.local === at.local);
    const step = setters.length === 1 ? stepOf(setters[0], at.local) : null;
    const bound = test.args[1 - side];
    const compare = side === 0 ? /** @type {Counted['compare']} */ (test.op) : turned[test.op];
    const setsCounter = (/** @type {Statement} */ s) => s.kind === 'set' && s.local === at.local && s !== setters[0];
    if (
      !step ||
      !isInvariant(bound, sets) ||
      someStatement(inside, setsCounter) ||
      !ends(compare, step, bound, loop.update.length === 1)
    )
      continue;
    return { counter: at.local, step, compare, bound, set: setters[0] };
  }
  return null;
}

/**
 * Whether what the update does besides counting does not see that the counter has moved.
 *
 * @type {(loop: LoopStmt, counted: Counted) => boolean}
 */
function countsLast(loop, counted) {
  const behind = loop.update.slice(loop.update.indexOf(counted.set) + 1);
  return !readsIn(behind).has(counted.counter);
}

module.exports = { constantOf, countedOf, countsLast, isInvariant, rangeOf, stepOf };
