/**
 * Forward mode: each statement of a function together with what changes in it along one direction.
 *
 * Next to each local and each element stands its tangent. Control is that of the function. What reverse mode pushes to
 * its tape has a tangent on it, too, so that gradients can be differentiated once more.
 */
'use strict';

const M = require('../tir/machine.js');
const { eachStatement } = require('../tir/walk.js');
const { set } = require('./canonical.js');
const { Planner, ZERO, held } = require('./plan.js');

/** @typedef {import('../tir/index.js').Expression} Expression */
/** @typedef {import('../tir/index.js').Local} Local */

class Forward {
  /** @type {Map<Local, number>} */
  #setCounts = new Map();

  /**
   * @param {any[]} body in canonical form
   * @param {import('./activity.js').Activity} activity
   * @param {import('./shadows.js').Shadows} shadows
   */
  constructor(body, activity, shadows) {
    this.body = body;
    this.activity = activity;
    this.shadows = shadows;
    this.planner = new Planner({
      activity, adjoint: (local) => shadows.of(local), shadow: (array) => shadows.array(array),
    });
    eachStatement(body, (s) => {
      const { kind, local } = /** @type {any} */ (s);
      if (kind === 'set' || kind === 'pop') this.#setCounts.set(local, (this.#setCounts.get(local) ?? 0) + 1);
    });
  }

  generate() {
    return this.#list(this.body);
  }

  /** @type {(list: any[]) => any[]} */
  #list(list) {
    return list.flatMap((s) => this.#statement(s));
  }

  /** @type {(s: any) => any[]} */
  #statement(s) {
    switch (s.kind) {
      case 'set':
        return this.#set(s);
      case 'store':
        return this.#store(s);
      case 'push':
        return [s, ...this.#pushTangent(s.of)];
      case 'pop':
        return this.#pop(s);
      case 'alloc':
      case 'stack':
        return this.activity.shadowed.has(s.local) ? [s, { ...s, local: this.shadows.of(s.local), dtype: 'f64' }] : [s];
      default:
        for (const part of ['then', 'otherwise', 'before', 'body', 'update'])
          if (s[part]) s[part] = this.#list(s[part]);
        return [s];
    }
  }

  /** @type {(s: any) => any[]} */
  #set(s) {
    const { local, value } = s;
    if (this.activity.shadowed.has(local)) return [s, this.shadows.follow(s)];
    if (!this.activity.hasLocal(local)) return [s];
    const isOnce = this.#setCounts.get(local) === 1 && !local.isParam;
    const plan = this.planner.plan(value, isOnce ? local : true);
    const out = [...plan.compute];
    const own = this.shadows.of(local);
    if (plan.root) {
      out.push(set(local, plan.root));
      out.push(set(own, plan.along(out) ?? ZERO));
      return out;
    }
    const tangent = held(plan.along(out) ?? ZERO, 'tangent', out);
    return [...out, set(local, plan.value), set(own, tangent)];
  }

  /** @type {(s: any) => any[]} */
  #store(s) {
    if (!this.activity.hasArray(s.array)) return [s];
    const plan = this.planner.plan(s.value, true);
    const out = [...plan.compute];
    const tangent = held(plan.along(out) ?? ZERO, 'tangent', out);
    return [...out, { ...s, value: plan.value }, { ...s, array: this.shadows.array(s.array), value: tangent }];
  }

  /** @type {(of: Expression) => any[]} */
  #pushTangent(of) {
    /** @type {any[]} */
    const out = [];
    const [value] = this.#tangentOf(of, out);
    return value ? [...out, { kind: 'push', value, of: value }] : [];
  }

  /**
   * What stands on the tape behind a value, if anything does; `out` gets what computes it.
   *
   * @type {(of: Expression, out: any[]) => Expression[]}
   */
  #tangentOf(of, out) {
    if (of.op === 'local' && this.activity.shadowed.has(of.local)) return [M.read(this.shadows.of(of.local))];
    if (!this.activity.has(of)) return [];
    const plan = this.planner.plan(of, true);
    out.push(...plan.compute);
    const tangent = plan.along(out);
    return tangent ? [tangent] : [];
  }

  /** @type {(s: any) => any[]} */
  #pop(s) {
    const own = this.shadows.of(s.local);
    const [of] = this.#tangentOf(s.of, []);
    if (of) return [{ kind: 'pop', local: own, of }, s];
    return this.activity.hasLocal(s.local) ? [s, set(own, ZERO)] : [s];
  }
}

module.exports = { Forward };
