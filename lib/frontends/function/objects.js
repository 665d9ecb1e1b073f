/**
 * Objects and tuples: boxes of variables that exist while a function is compiled, and never in memory.
 *
 * A field is a variable of its own, so it has types and locals as any other. What names an object knows which it is. Where ways
 * join on which a variable names different objects of the same shape, they become one: its fields take what the
 * fields of either are. That is right only if nobody can tell them apart afterwards, so not where a second name still
 * leads to one of them.
 */
'use strict';

/** @typedef {import('./values.js').Var} Var */
/** @typedef {import('./values.js').Value} Value */
/** @typedef {import('./values.js').ObjectValue} ObjectValue */
/** @typedef {import('./environment.js').Env} Env */

class Objects {
  #next = 1;
  /** @type {WeakSet<Var>} */
  #fields = new WeakSet();

  /** @type {(name: string, names: string[], isTuple: boolean, site: any) => ObjectValue} with fields that hold nothing yet */
  make(name, names, isTuple, site) {
    /** @type {Map<string, Var>} */
    const fields = new Map();
    for (const field of names) {
      const own = { name: `${name}_${field.replace(/\W/g, '_')}`, slots: new Map(), owner: null };
      this.#fields.add(own);
      fields.set(field, own);
    }
    return { kind: 'object', id: this.#next++, isTuple, fields, site };
  }

  /** The id of the object made next: those from it on are younger than what there is now. */
  get next() {
    return this.#next;
  }

  /** @type {(object: ObjectValue, name: string) => Var} a field that it has from now on */
  addField(object, name) {
    const own = { name: `field_${name.replace(/\W/g, '_')}`, slots: new Map(), owner: null };
    this.#fields.add(own);
    object.fields.set(name, own);
    return own;
  }

  /** @type {(variable: Var) => boolean} */
  isField(variable) {
    return this.#fields.has(variable);
  }

  /**
   * Makes one of the objects that a variable names at the ends of several ways, in their environments.
   *
   * @type {(c: any, edges: { env: Env }[]) => void}
   */
  unify(c, edges) {
    for (let changed = true; changed; ) {
      changed = false;
      for (const [variable, first] of edges[0].env) {
        if (first.kind !== 'object') continue;
        const values = edges.map(({ env }) => env.get(variable));
        if (values.every((v) => v === undefined || v.kind !== 'object' || v.id === first.id)) continue;
        if (!values.every((v) => v?.kind === 'object' && isSameShape(v, first))) continue;
        if (!this.#mayBecome(variable, edges, /** @type {ObjectValue[]} */ (values), first)) continue;
        if (values.some((v) => v?.kind === 'object' && v.isCopy)) first.isCopy = true;
        edges.forEach(({ env }, i) => rename(env, /** @type {ObjectValue} */ (values[i]), first));
        changed = true;
      }
    }
  }

  /** @type {(variable: Var, edges: { env: Env }[], values: ObjectValue[], target: ObjectValue) => boolean} */
  #mayBecome(variable, edges, values, target) {
    return edges.every(({ env }, i) => {
      if (values[i].id === target.id) return true;
      for (const [other, value] of env) {
        // What is not known on every way is nobody's behind them.
        if (value.kind !== 'object' || edges.some((edge) => !edge.env.has(other))) continue;
        if (value.id === target.id) return false;
        const atFirst = edges[0].env.get(other);
        if (value.id === values[i].id && other !== variable && atFirst !== undefined && !(atFirst.kind === 'object' && atFirst.id === target.id)) return false;
      }
      return true;
    });
  }

  /** @type {(c: any, env: Env, head: Env) => void} names objects at the end of a round as its head does */
  align(c, env, head) {
    this.unify(c, [{ env: new Map(head) }, { env }]);
  }
}

/** @type {(a: ObjectValue, b: ObjectValue) => boolean} */
function isSameShape(a, b) {
  return a.isTuple === b.isTuple && a.fields.size === b.fields.size && [...a.fields.keys()].every((name) => b.fields.has(name));
}

/** @type {(env: Env, from: ObjectValue, to: ObjectValue) => void} */
function rename(env, from, to) {
  if (from.id === to.id) return;
  for (const [name, field] of to.fields) {
    const own = /** @type {Var} */ (from.fields.get(name));
    const value = env.get(own);
    if (value) env.set(field, value);
  }
  for (const [variable, value] of env) if (value.kind === 'object' && value.id === from.id) env.set(variable, to);
}

module.exports = { Objects };
