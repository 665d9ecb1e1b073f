/**
 * Objects and tuples: boxes of variables that exist while a function is compiled, and never in memory.
 *
 * A field is a variable of its own, so it has types and locals as any other. What names an object knows which it is.
 * Where ways join on which a variable names different objects of the same shape, they become one: its fields take what
 * the fields of either are. That is right only if nobody can tell them apart afterwards, so not where a second name
 * still leads to one of them.
 */
'use strict';

const Maybe = require('./nullable.js');

/** @typedef {import('./environment.js').Env} Env */
/** @typedef {import('./values.js').ObjectValue} ObjectValue */
/** @typedef {import('./values.js').Var} Var */
/** @typedef {import('./walk.js').Walk} Walk */

class Objects {
  #next = 1;
  /** @type {WeakSet<Var>} */
  #fields = new WeakSet();

  /**
   * With fields that hold nothing yet.
   *
   * @type {(name: string, names: string[], isTuple: boolean, site: any) => ObjectValue}
   */
  make(name, names, isTuple, site) {
    /** @type {Map<string, Var>} */
    const fields = new Map();
    for (const field of names) {
      const own = { name: `${name}_${field.replace(/\W/g, '_')}`, slots: new Map(), owner: null };
      this.#fields.add(own);
      fields.set(field, own);
    }
    return { kind: 'object', id: this.identify(), isTuple, fields, site };
  }

  /** @type {() => number} */
  identify() {
    return this.#next++;
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
   * Makes one of the objects that a variable names at the ends of several ways, in their environments. On some there
   * may be nothing instead.
   *
   * @type {(edges: { env: Env }[]) => void}
   */
  unify(edges) {
    if (this.#next === 1) return;
    for (let changed = true; changed;) {
      changed = false;
      for (const variable of new Set(edges.flatMap(({ env }) => [...env.keys()]))) {
        const values = edges.map(({ env }) => env.get(variable));
        const objects = values.map(Maybe.objectOf);
        const first = Maybe.objectOf(values.find((value) => value?.kind === 'maybe')) ?? objects.find((object) => object);
        if (!first || objects.every((object) => !object || object.id === first.id)) continue;
        // A field is not known where its object is not there.
        const isNone = (/** @type {any} */ value) =>
          value ? value.kind === 'undefined' || value.kind === 'null' : this.isField(variable);
        if (!objects.every((object, i) => (object ? isSameShape(object, first) : isNone(values[i])))) continue;
        const at = objects.flatMap((object, i) => (object ? [i] : []));
        const named = /** @type {ObjectValue[]} */ (at.map((i) => objects[i]));
        if (!this.#mayBecome(variable, edges, at, named, first)) continue;
        if (named.some((object) => object.isCopy)) first.isCopy = true;
        at.forEach((k, i) => rename(edges[k].env, named[i], first));
        changed = true;
      }
    }
  }

  /**
   * `at`: the ways on which it names one of the objects, which are to become one of them.
   *
   * @type {(variable: Var, edges: { env: Env }[], at: number[], objects: ObjectValue[], target: ObjectValue) => boolean}
   */
  #mayBecome(variable, edges, at, objects, target) {
    const first = edges[at[objects.indexOf(target)] ?? at[0]].env;
    return at.every((k, i) => {
      if (objects[i].id === target.id) return true;
      const reached = this.#reached(edges[k].env, edges);
      for (const [other, value] of edges[k].env) {
        const named = Maybe.objectOf(value);
        if (!named || !(this.isField(other) ? reached.has(other) : isKnown(edges, other))) continue;
        if (named.id === target.id) return false;
        const atFirst = first.get(other);
        if (
          named.id === objects[i].id &&
          other !== variable &&
          atFirst !== undefined &&
          Maybe.objectOf(atFirst)?.id !== target.id
        )
          return false;
      }
      return true;
    });
  }

  /** @type {(env: Env, edges: { env: Env }[]) => Set<Var>} the fields of objects that somebody names behind all ways */
  #reached(env, edges) {
    /** @type {Set<Var>} */
    const reached = new Set();
    const visit = (/** @type {any} */ object) => {
      for (const one of object?.choices ?? [object]) {
        for (const own of one?.fields.values() ?? []) {
          if (reached.has(own)) continue;
          reached.add(own);
          visit(Maybe.objectOf(env.get(own)));
        }
      }
    };
    for (const [variable, value] of env)
      if (!this.isField(variable) && isKnown(edges, variable)) visit(Maybe.objectOf(value));
    return reached;
  }

  /** @type {(env: Env, header: Env) => void} names objects at the end of a round as its header does */
  align(env, header) {
    this.unify([{ env: new Map(header) }, { env }]);
  }
}

/** @type {(edges: { env: Env }[], variable: Var) => boolean} what is not known on every way is nobody's behind them */
const isKnown = (edges, variable) => edges.every(({ env }) => env.has(variable));

/** @type {(a: any, b: any) => boolean} one of several objects has the shape of none */
function isSameShape(a, b) {
  if (a.kind === 'union' || b.kind === 'union') return false;
  return (
    a.isTuple === b.isTuple &&
    a.fields.size === b.fields.size &&
    [...a.fields.keys()].every((/** @type {string} */ name) => b.fields.has(name))
  );
}

/** @type {(env: Env, from: ObjectValue, to: ObjectValue) => void} */
function rename(env, from, to) {
  if (from.id === to.id) return;
  for (const [name, field] of to.fields) {
    const own = /** @type {Var} */ (from.fields.get(name));
    const value = env.get(own);
    if (value) env.set(field, value);
  }
  for (const [variable, value] of env) {
    if (value.kind === 'object' && value.id === from.id) env.set(variable, to);
    if (value.kind === 'maybe' && value.object.id === from.id) env.set(variable, { ...value, object: to });
  }
}

module.exports = { Objects };
