/**
 * Which values of a function have derivatives: those that depend on what it is differentiated by, and that its result
 * depends on.
 *
 * Found for locals and memory as a whole, whatever the order of statements; integers and bools have none. Pointers that
 * may lead to memory with derivatives have a second pointer, to these.
 */
'use strict';

const { isFlat } = require('../tir/operators.js');
const { baseOf, eachExpression, eachStatement } = require('../tir/walk.js');

/** @typedef {import('../tir/index.js').Statement} Statement */
/** @typedef {import('../tir/index.js').Expression} Expression */
/** @typedef {import('../tir/index.js').Local} Local */
/** @typedef {import('../tir/index.js').ArrayRef} ArrayRef */
/** @typedef {import('../tir/index.js').Root} Root */

const FLOATS = new Set(['f64', 'f32']);

/** Operands that a derivative goes through. @type {(e: Expression) => Expression[]} */
function linksOf(e) {
  if (!FLOATS.has(e.type) || isFlat(e.op) || e.op === 'bitcast') return [];
  return (e.op === 'choose' || e.op === 'select' ? e.args.slice(1) : e.args).filter(({ type }) => FLOATS.has(type));
}

/** What a value is made of. @type {(e: Expression, visit: (thing: Local | Root) => void) => void} */
function eachSource(e, visit) {
  if (!FLOATS.has(e.type)) return;
  if (e.op === 'local') visit(e.local);
  else if (e.op === 'load') e.array.roots.forEach(visit);
  else for (const link of linksOf(e)) eachSource(link, visit);
}

/** From what to what values flow. @typedef {{ from: Expression | Root[], to: Local | Root[] }} Flow */

/** @type {(body: Statement[]) => Flow[]} */
function flowsOf(body) {
  /** @type {Flow[]} */
  const flows = [];
  eachStatement(body, (s) => {
    if ((s.kind === 'let' || s.kind === 'set') && FLOATS.has(s.local.type)) flows.push({ from: s.value, to: s.local });
    else if (s.kind === 'store' || s.kind === 'fill') flows.push({ from: s.value, to: s.array.roots });
    else if (s.kind === 'copy') flows.push({ from: s.source.roots, to: s.target.roots });
    else if (/** @type {any} */ (s).kind === 'pop')
      flows.push({ from: /** @type {any} */ (s).of, to: /** @type {any} */ (s).local });
  });
  return flows;
}

/** @type {(from: Flow['from'], visit: (thing: Local | Root) => void) => void} */
const sourcesOf = (from, visit) => (Array.isArray(from) ? from.forEach(visit) : eachSource(from, visit));

/** Memory of integers has no derivatives. @type {(body: Statement[]) => Set<Root>} */
function floatRoots(body) {
  /** @type {Set<Root>} */
  const found = new Set();
  const see = (/** @type {ArrayRef} */ array) =>
    FLOATS.has(array.dtype) && array.roots.forEach((root) => found.add(root));
  eachExpression(body, (e) => e.op === 'load' && see(e.array));
  eachStatement(body, (s) => {
    if (s.kind === 'store' || s.kind === 'fill') see(s.array);
    else if (s.kind === 'copy') [s.source, s.target].forEach(see);
  });
  return found;
}

class Activity {
  /**
   * @param {Statement[]} body
   * @param {Iterable<Local | Root>} inputs
   * @param {Expression} result
   */
  constructor(body, inputs, result) {
    this.flows = flowsOf(body);
    this.floats = floatRoots(body);
    this.groups = refsOf(body).flatMap(({ dtype, roots }) => (FLOATS.has(dtype) && roots.length > 1 ? [roots] : []));
    const varied = this.#varied(new Set(inputs));
    const useful = this.#useful(result);
    /** @type {Set<Local | Root>} */
    this.active = new Set([...varied].filter((thing) => useful.has(thing)));
    /** @type {Set<Local>} pointers with a second one */
    this.shadowed = new Set();
    this.#findShadowed(body);
  }

  /** @type {(thing: Local | Root) => boolean} */
  #mayVary(thing) {
    return 'type' in thing || this.floats.has(thing);
  }

  /** @type {(found: Set<Local | Root>) => Set<Local | Root>} */
  #varied(found) {
    for (let size = -1; size !== found.size;) {
      size = found.size;
      for (const { from, to } of this.flows) {
        let varies = false;
        sourcesOf(from, (thing) => (varies ||= found.has(thing)));
        if (varies) for (const thing of [to].flat()) if (this.#mayVary(thing)) found.add(thing);
      }
      this.#close(found);
    }
    return found;
  }

  /** @type {(result: Expression) => Set<Local | Root>} */
  #useful(result) {
    /** @type {Set<Local | Root>} */
    const found = new Set();
    eachSource(result, (thing) => found.add(thing));
    for (let size = -1; size !== found.size;) {
      size = found.size;
      for (const { from, to } of this.flows)
        if ([to].flat().some((thing) => found.has(thing))) sourcesOf(from, (thing) => found.add(thing));
      this.#close(found);
    }
    return found;
  }

  /** What one reference may mean is alike. @param {Set<Local | Root>} found */
  #close(found) {
    for (const roots of this.groups)
      if (roots.some((root) => found.has(root))) roots.forEach((root) => found.add(root));
  }

  /** Pointers follow memory. @param {Statement[]} body */
  #findShadowed(body) {
    const refs = refsOf(body).filter(({ dtype }) => FLOATS.has(dtype));
    for (const ref of refs) {
      const base = this.hasArray(ref) && baseOf(ref.pointer);
      if (base) this.shadowed.add(base);
    }
    for (let size = -1; size !== this.shadowed.size;) {
      size = this.shadowed.size;
      eachStatement(body, (s) => {
        const isPointer = (s.kind === 'set' || s.kind === 'let') && this.shadowed.has(s.local);
        const base = isPointer && baseOf(s.value);
        if (base) this.shadowed.add(base);
      });
    }
  }

  /** @type {(local: Local) => boolean} */
  hasLocal(local) {
    return this.active.has(local);
  }

  /** @type {(array: ArrayRef) => boolean} */
  hasArray(array) {
    return FLOATS.has(array.dtype) && array.roots.some((root) => this.active.has(root));
  }

  /** @type {(e: Expression) => boolean} */
  has(e) {
    if (!FLOATS.has(e.type)) return false;
    if (e.op === 'local') return this.hasLocal(e.local);
    if (e.op === 'load') return this.hasArray(e.array);
    return linksOf(e).some((link) => this.has(link));
  }
}

/** Every reference to memory. @type {(body: Statement[]) => ArrayRef[]} */
function refsOf(body) {
  /** @type {ArrayRef[]} */
  const refs = [];
  eachExpression(body, (e) => e.op === 'load' && refs.push(e.array));
  eachStatement(body, (s) => {
    if (s.kind === 'store' || s.kind === 'fill') refs.push(s.array);
    else if (s.kind === 'copy') refs.push(s.target, s.source);
  });
  return refs;
}

module.exports = { Activity, FLOATS, refsOf };
