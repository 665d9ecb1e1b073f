/**
 * Locals that go in one direction in a loop, and how far.
 *
 * One that only grows is at least what it was before, and below the bound that the loop tests, in any round. What it
 * needs for that, such as steps that are positive and sums that do not wrap, may be conditions on the values at the
 * beginning.
 */
'use strict';

const { isInvariant } = require('../tir/counted-loops.js');
const { blocksOf, declaredIn, eachStatement, setsIn, someNode, someStatement } = require('../tir/walk.js');
const { Poly } = require('./polynomial.js');
const { TWO31, TWO52, constantOf } = require('./symbolic-values.js');

/** @typedef {import('../tir/index.js').Statement} Statement */
/** @typedef {import('../tir/index.js').Expression} Expression */
/** @typedef {import('../tir/index.js').Local} Local */
/** @typedef {import('../tir/index.js').LoopStmt} LoopStmt */
/** @typedef {import('./symbolic-values.js').Known} Known */
/** @typedef {import('./polynomial.js').Atom} Atom */

/**
 * What a counter is in a round: an atom, and on which side a test, or the number of rounds, stops it.
 *
 * @typedef {Known & { atom: Atom, end: 'lo' | 'hi' }} Counting
 */

/** What locals are made of whose values are still that. @typedef {Map<Local, Expression>} Fresh */

/** What a counter of 64 bits may grow by in each round without ever coming to the end of its type. */
const SMALL = 2 ** 20;

class Counters {
  /** @param {import('./range-checks.js').Checks} checks */
  constructor(checks) {
    this.checks = checks;
  }

  /**
   * Locals that go in one direction, with what they are in a round.
   *
   * @param {LoopStmt} s
   * @param {Statement[]} inside
   * @returns {[Local, Counting][]}
   */
  of(s, inside) {
    /** @type {[Local, Counting][]} */
    const found = [];
    const sets = setsIn(inside);
    const made = declaredIn(inside);
    const varying = new Set([...sets, ...made]);
    for (const local of sets) {
      if (made.has(local)) continue;
      if (local.type !== 'i64' && local.type !== 'i32' && local.type !== 'f64') continue;
      const known = this.counter(s, inside, varying, local);
      if (known) found.push([local, known]);
    }
    return found;
  }

  /** @param {LoopStmt} s @param {Statement[]} inside @param {Set<Local>} varying @param {Local} local @returns {Counting | null} */
  counter(s, inside, varying, local) {
    const found = this.stepsOf(inside, local);
    if (!found) return null;
    const { steps, wraps } = found;
    const start = { op: 'local', type: local.type, local, args: [] };
    const isDouble = local.type === 'f64';
    const init = isDouble ? this.checks.double(start) : this.checks.integer(start);
    const up = steps.every((step) => signOf(step, varying) > 0);
    if (!init || (!up && !steps.every((step) => signOf(step, varying) < 0))) return null;
    const isSlow = local.type === 'i64' && steps.every(isSmall);
    const isFew = isSlow || !someStatement(inside, (each) => isLoop(each) && setsIn([each]).has(local));
    const bound =
      s.test && !s.late && isFew ? this.boundOf(s.test, local, varying, up, inside, eachSet(s.before)) : null;
    if (!bound && (!isSlow || wraps)) return null;
    const needs = [...init.needs, ...(bound ? [...bound.needs, ...this.wraps(local, steps, init, bound, up)] : [])];
    const atom = this.checks.atoms.make(
      up ? { lo: init.poly, hi: bound?.poly ?? null, needs } : { lo: bound?.poly ?? null, hi: init.poly, needs },
    );
    if (isDouble) {
      this.checks.record(local, this.checks.prove(needs));
      eachStatement(inside, (each) => each.kind === 'set' && each.local === local && this.checks.steps.add(each));
    }
    return { poly: Poly.atom(atom), needs: isDouble ? needs : [], atom, end: up ? 'hi' : 'lo' };
  }

  /**
   * What is added to a local wherever a block sets it, and whether such a sum may wrap; null where it is set in another
   * way.
   *
   * @param {Statement[]} body
   * @param {Local} local
   * @returns {{ steps: Expression[], wraps: boolean } | null}
   */
  stepsOf(body, local) {
    /** @type {Expression[] | null} */
    let steps = [];
    let wraps = false;
    eachSet(body, new Map(), (s, fresh) => {
      if (s.local !== local || !steps) return;
      const sum = this.unwrapped(s.value, fresh);
      const { op, args, type } = sum;
      wraps ||= Boolean(sum.wraps);
      const [a, b] = args.map((arg) => this.unwrapped(arg, fresh));
      const value = op === 'sub' && plainOf(a, local) ? constantOf(b) : null;
      if (op === 'add' && plainOf(a, local)) steps.push(b);
      else if (op === 'add' && plainOf(b, local)) steps.push(a);
      else if (value !== null) steps.push({ op: 'const', type, value: -value, args: [] });
      else steps = null;
    });
    return steps && { steps, wraps };
  }

  /**
   * An expression without conversions between whole doubles and i64 around it, or a question whether it is NaN, and of
   * a local what it was made of.
   *
   * @param {Expression} e
   * @param {Fresh} fresh
   * @returns {Expression}
   */
  unwrapped(e, fresh) {
    if (e.op === 'convert' && (e.type === 'f64' || (e.type === 'i64' && e.args[0].type === 'f64')))
      return this.unwrapped(e.args[0], fresh);
    if (e.op === 'select' && e.args[0].op === 'is_nan') {
      const [asked, given] = [e.args[0].args[0], this.unwrapped(e.args[2], fresh)];
      if (asked.op === 'local' && plainOf(given, asked.local)) return given;
    }
    if (e.op !== 'local') return e;
    const always = e.local.isSet ? undefined : this.checks.definitions.get(e.local);
    const definition = fresh.get(e.local) ?? (always && this.checks.isFixed(always) ? always : undefined);
    const isStep = definition && ['add', 'sub', 'convert'].includes(definition.op);
    return isStep ? this.unwrapped(definition, fresh) : e;
  }

  /**
   * What must not be negative for a counter not to wrap, and to go in its direction.
   *
   * @param {Local} local
   * @param {Expression[]} steps
   * @param {Known} init
   * @param {Known & { isBelow: boolean }} bound
   * @param {boolean} up
   * @returns {Poly[]}
   */
  wraps(local, steps, init, bound, up) {
    const only = steps.length === 1 && local.type !== 'f64' ? constantOf(steps[0]) : null;
    if (bound.isBelow && (only === 1 || only === -1)) return [];
    // So many small steps nobody lives to see.
    if (local.type === 'i64' && steps.every(isSmall)) {
      return [up ? this.checks.atoms.huge.minus(init.poly) : init.poly.plus(this.checks.atoms.huge)];
    }
    const known = steps.map((step) =>
      step.type === 'f64' ? (this.checks.double(step) ?? this.checks.unknown()) : this.checks.integer(step),
    );
    const total = known.reduce((sum, step) => sum.plus(step.poly), Poly.constant(0));
    const limit =
      local.type === 'i64' ? this.checks.atoms.huge : Poly.constant(local.type === 'i32' ? TWO31 - 1 : TWO52);
    const least = steps.flatMap((step, i) => (constantOf(step) === null ? [known[i].poly.plusConstant(-1)] : []));
    const room = up ? limit.minus(bound.poly).minus(total) : bound.poly.plus(total).plus(limit);
    return [...known.flatMap((step) => step.needs), ...least, room];
  }

  /**
   * The last value of a counter for which a test lets the body run.
   *
   * @param {Expression} test
   * @param {Local} local
   * @param {Set<Local>} varying
   * @param {boolean} up
   * @param {Statement[]} inside
   * @param {Fresh} fresh where the test stands
   * @returns {(Known & { isBelow: boolean }) | null}
   */
  boundOf(test, local, varying, up, inside, fresh) {
    if (test.op === 'andalso' || (test.op === 'and' && test.type === 'bool'))
      return (
        this.boundOf(test.args[0], local, varying, up, inside, fresh) ??
        this.boundOf(test.args[1], local, varying, up, inside, fresh)
      );
    for (const side of [0, 1]) {
      const known = test.args[side] !== undefined && plainOf(this.unwrapped(test.args[side], fresh), local);
      const turned = { lt: 'gt', le: 'ge', gt: 'lt', ge: 'le' }[test.op];
      const compare = side === 0 ? test.op : turned;
      if (!known || !turned || (up ? compare !== 'lt' && compare !== 'le' : compare !== 'gt' && compare !== 'ge'))
        continue;
      const other =
        this.resolved(test.args[1 - side], varying) ??
        this.met(this.unwrapped(test.args[1 - side], fresh), varying, up, inside);
      const bound = other ? (other.type === 'f64' ? this.checks.double(other) : this.checks.integer(other)) : null;
      if (!bound) continue;
      const by = compare === 'lt' ? -1 : compare === 'gt' ? 1 : 0;
      return { poly: bound.poly.plusConstant(by), needs: bound.needs, isBelow: by !== 0 };
    }
    return null;
  }

  /**
   * A local that goes towards a counter, which so stays on this side of where the local begins.
   *
   * @param {Expression} e
   * @param {Set<Local>} varying
   * @param {boolean} up whether the counter goes up
   * @param {Statement[]} inside
   * @returns {Expression | null}
   */
  met(e, varying, up, inside) {
    if (
      e.op !== 'local' ||
      (e.type !== 'i64' && e.type !== 'f64') ||
      !varying.has(e.local) ||
      declaredIn(inside).has(e.local)
    )
      return null;
    const found = this.stepsOf(inside, e.local);
    return found && !found.wraps && found.steps.every((step) => isSmall(step) && Number(constantOf(step)) < 0 === up)
      ? e
      : null;
  }

  /**
   * An expression that is the same in all rounds, itself or what a local of the round is made of.
   *
   * @param {Expression} e
   * @param {Set<Local>} varying
   * @returns {Expression | null}
   */
  resolved(e, varying) {
    if (e.op === 'local' && varying.has(e.local)) {
      const definition = this.checks.definitions.get(e.local);
      return definition ? this.resolved(definition, varying) : null;
    }
    return isInvariant(e, varying) ? e : null;
  }
}

/**
 * Tells of each set of a block what locals made in the same round are made of, if nothing of that was set since.
 *
 * @param {Statement[]} body
 * @param {Fresh} [fresh]
 * @param {(s: import('../tir/index.js').SetStmt, fresh: Fresh) => void} [tell]
 * @returns {Fresh} at the end
 */
function eachSet(body, fresh = new Map(), tell = () => {}) {
  for (const s of body) {
    if (s.kind === 'set') tell(s, fresh);
    // A round of a loop inside may come after another that set something.
    else
      for (const block of isLoop(s) ? [blocksOf(s).flat()] : blocksOf(s))
        eachSet(block, isLoop(s) ? new Map() : new Map(fresh), tell);
    const sets = setsIn([s]);
    for (const [local, value] of fresh)
      if (sets.size > 0 && someNode(value, (e) => e.op === 'local' && sets.has(e.local))) fresh.delete(local);
    if (s.kind === 'let' && !s.local.isSet) fresh.set(s.local, s.value);
  }
  return fresh;
}

/** @type {(s: Statement) => boolean} */
const isLoop = (s) => s.kind === 'loop' || s.kind === 'prange';

/**
 * Whether a step is positive (1), negative (-1) or may be anything (0); a local is asked for later.
 *
 * @type {(step: Expression, varying: Set<Local>) => number}
 */
function signOf(step, varying) {
  const value = constantOf(step);
  if (value !== null) return Math.sign(value);
  return isInvariant(step, varying) ? 1 : 0;
}

/** @type {(step: Expression) => boolean} */
const isSmall = (step) => Math.abs(constantOf(step) ?? Infinity) <= SMALL;

/** Whether an expression is a local. @type {(e: Expression, local: Local) => boolean} */
const plainOf = (e, local) => e.op === 'local' && e.local === local;

module.exports = { Counters };
