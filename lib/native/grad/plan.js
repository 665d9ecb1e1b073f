/**
 * One expression with derivatives, taken apart: statements that compute what its operators are applied to, and how
 * derivatives go through it, backwards from result to operands or forwards from operands to result.
 *
 * Each operator's result is a local of its own, so that nothing is computed twice and rules (rules.js) see plain
 * values. A `choose` is an `if` in each direction, so that the side that was not chosen is not touched: what is
 * infinite there does not become NaN.
 */
'use strict';

const { fail } = require('../../base/errors.js');
const M = require('../tir/machine.js');
const { eachExpression, eachStatement, someNode } = require('../tir/walk.js');
const { FLOATS } = require('./activity.js');
const { bin, newLocal, set } = require('./canonical.js');
const { add, isCostly, ruleOf } = require('./rules.js');

/** @typedef {import('../tir/index.js').Expression} Expression */
/** @typedef {import('../tir/index.js').Local} Local */
/** @typedef {import('../tir/index.js').ArrayRef} ArrayRef */

/**
 * @typedef {object} Plan
 * @property {Expression} value reads nothing but locals where there is a derivative, once `compute` has run
 * @property {Expression} [root] what the local is set to that `value` reads, where somebody else names the result
 * @property {boolean} isActive
 * @property {any[]} compute
 * @property {Local[]} kept locals whose values are dear
 * @property {(seed: Expression, out: any[]) => void} back adds what a change of the result by `seed` does
 * @property {(out: any[]) => Expression | null} along the tangent; null: zero
 */

/** @typedef {{ activity: import('./activity.js').Activity, adjoint: (local: Local) => Local, shadow: (array: ArrayRef) => ArrayRef }} Context */

const ZERO = M.constant('f64', 0);

/** @type {(e: Expression) => boolean} */
const isAtom = (e) => e.op === 'const' || e.op === 'local';

/** @type {(e: Expression) => Expression} */
const wide = (e) => (e.type === 'f32' ? M.convert(e, 'f64') : e);

/** @type {(e: Expression, name: string, out: any[]) => Expression} */
function held(e, name, out) {
  if (isAtom(e)) return e;
  const local = newLocal(name, e.type);
  out.push(set(local, e));
  return M.read(local);
}

/** Operators whose derivatives are finite, whatever they are applied to. */
const BOUNDED = new Set('neg add sub min max select convert'.split(' '));

/** Whether a value is known to be finite. @type {(e: Expression) => boolean} */
const isFinite = (e) =>
  e.op === 'const' ? Number.isFinite(Number(e.value)) : e.op === 'convert' && !FLOATS.has(e.args[0].type);

/** Whether the derivative by an operand is finite. @type {(e: Expression, k: number) => boolean} */
const isBounded = ({ op, args }, k) => BOUNDED.has(op) || (op === 'mul' && isFinite(args[1 - k]));

/**
 * A derivative times `s`. Where nothing comes, nothing goes on, even by what is infinite or NaN: such is what a value
 * has that is computed, but not used. The test is of the product, as its own derivative at `s` = 0 is to stay what it
 * is.
 *
 * @type {(by: import('./rules.js').Linear, s: Expression, isSafe: boolean, name: string, out: any[]) => Expression}
 */
function through(by, s, isSafe, name, out) {
  const product = held(by(s), name, out);
  if (isSafe || s.op === 'const') return product;
  const isNothing = M.and(bin('eq', s, ZERO), bin('ne', product, product));
  return held(M.select(isNothing, ZERO, product), name, out);
}

/** What goes nowhere. @type {(value: Expression, compute?: any[], kept?: Local[]) => Plan} */
const plain = (value, compute = [], kept = []) => ({
  value, isActive: false, compute, kept, back: () => {}, along: () => null,
});

class Planner {
  /** @param {Context} context */
  constructor(context) {
    this.context = context;
    this.isInside = false;
  }

  /**
   * `root`: the caller keeps the result, in this local if it is no other's.
   *
   * @type {(e: Expression, root?: Local | boolean) => Plan}
   */
  plan(e, root = false) {
    if (!this.context.activity.has(e)) return root ? plain(e) : this.#inactive(e);
    switch (e.op) {
      case 'local':
        return this.#local(e);
      case 'load':
        return this.#load(e, Boolean(root));
      case 'choose':
        return this.#choose(e);
      default:
        return this.#operator(e, root);
    }
  }

  /** @type {(e: Expression) => Plan} */
  #inactive(e) {
    if (this.isInside || isAtom(e) || !someNode(e, ({ op }) => isCostly(op))) return plain(e);
    const local = newLocal('known', e.type);
    return plain(M.read(local), [set(local, e)], [local]);
  }

  /** @type {(e: any) => Plan} */
  #local(e) {
    const own = this.context.adjoint(e.local);
    return {
      ...plain(e),
      isActive: true,
      back: (seed, out) => out.push(set(own, add(M.read(own), seed))),
      along: () => M.read(own),
    };
  }

  /** @type {(e: any, isRoot: boolean) => Plan} */
  #load(e, isRoot) {
    /** @type {any[]} */
    const compute = [];
    const index = held(e.args[0], 'index', compute);
    const value = { ...e, args: [index] };
    const array = this.context.shadow(e.array);
    const missing = e.missing && ZERO;
    const shadow = { ...value, type: 'f64', array, missing };
    return {
      ...plain(isRoot ? value : held(value, 'element', compute), compute),
      isActive: true,
      back: (seed, out) => {
        const sum = add(shadow, seed);
        out.push({
          kind: 'store', array, index, value: sum, valid: e.valid, checked: Boolean(e.missing), place: e.place,
        });
      },
      along: () => shadow,
    };
  }

  /** @type {(e: any) => Plan} */
  #choose(e) {
    const wasInside = this.isInside;
    /** @type {any[]} */
    const compute = [];
    const test = held(e.args[0], 'test', compute);
    this.isInside = true;
    const [then, otherwise] = [this.plan(e.args[1]), this.plan(e.args[2])];
    this.isInside = wasInside;
    const result = newLocal('chosen', e.type);
    const branch = (/** @type {any[]} */ yes, /** @type {any[]} */ no) => ({
      kind: 'if', test, then: yes, otherwise: no, place: null,
    });
    compute.push(
      branch([...then.compute, set(result, then.value)], [...otherwise.compute, set(result, otherwise.value)]),
    );
    const back = (/** @type {Plan} */ side, /** @type {Expression} */ seed) => {
      /** @type {any[]} */
      const inner = [];
      side.back(seed, inner);
      return [...onlyNeeded(side.compute, inner), ...inner];
    };
    const along = (/** @type {Plan} */ side, /** @type {Local} */ to) => {
      /** @type {any[]} */
      const inner = [...side.compute];
      const tangent = side.along(inner) ?? ZERO;
      return [...inner, set(to, tangent)];
    };
    return {
      ...plain(M.read(result), compute),
      isActive: true,
      back: (seed, out) => out.push(branch(back(then, seed), back(otherwise, seed))),
      along: (out) => {
        const to = newLocal('tangent', 'f64');
        out.push(branch(along(then, to), along(otherwise, to)));
        return M.read(to);
      },
    };
  }

  /** @type {(e: Expression, root: Local | boolean) => Plan} */
  #operator(e, root) {
    const rule = ruleOf(e.op);
    if (!rule) return fail('ERR_UNSUPPORTED', `grad: there is no derivative of ${e.op}`);
    const operands = e.args.map((arg) => this.plan(arg));
    const compute = operands.flatMap((operand) => operand.compute);
    const kept = operands.flatMap((operand) => operand.kept);
    /** @type {Expression} */
    const applied = { ...e, args: operands.map(({ value }) => value) };
    const isOwn = typeof root !== 'boolean';
    const isNamed = !isOwn && (!root || isCostly(e.op) || e.op === 'div');
    const value = isOwn ? M.read(root) : isNamed ? held(applied, 'part', compute) : applied;
    if (isNamed && isCostly(e.op) && !this.isInside) kept.push(value.local);
    const linear = rule(applied.args.map(wide), wide(value));
    return {
      ...plain(value, compute, kept),
      ...(isOwn ? { root: applied } : {}),
      isActive: true,
      back: (seed, out) => {
        const s = held(seed, 'seed', out);
        operands.forEach((operand, k) => {
          const by = operand.isActive ? linear[k] : null;
          if (by) operand.back(through(by, s, isBounded(applied, k), 'seed', out), out);
        });
      },
      // Factors are as finite as their product is, and forwards nothing comes from values that are not used.
      along: (out) => {
        const parts = operands.flatMap((operand, k) => {
          const tangent = operand.isActive && linear[k] ? operand.along(out) : null;
          return tangent
            ? [
                through(
                  /** @type {any} */ (linear[k]),
                  held(tangent, 'tangent', out),
                  applied.op === 'mul' || isBounded(applied, k),
                  'tangent',
                  out,
                ),
              ]
            : [];
        });
        if (parts.length === 0) return null;
        return held(
          parts.reduce((sum, part) => bin('add', sum, part)),
          'tangent',
          out,
        );
      },
    };
  }
}

/** Of statements that compute locals, those that what follows reads. @type {(compute: any[], after: any[]) => any[]} */
function onlyNeeded(compute, after) {
  /** @type {Set<Local>} */
  const wanted = new Set();
  const want = (/** @type {any[]} */ list) => eachExpression(list, (e) => e.op === 'local' && wanted.add(e.local));
  want(after);
  /** @type {any[]} */
  const kept = [];
  for (const s of [...compute].reverse()) {
    let isWanted = false;
    eachStatement([s], (each) => (isWanted ||= each.kind === 'set' && wanted.has(each.local)));
    if (!isWanted) continue;
    kept.unshift(s);
    want([s]);
  }
  return kept;
}

module.exports = { Planner, ZERO, held, onlyNeeded };
