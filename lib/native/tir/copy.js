/**
 * Copies of statements with changes: passes make several loops of one.
 *
 * What the copied statements make (locals, loops and blocks that are left) is made afresh; what they only use stays the
 * same. Expressions are shared with the original where nothing in them changes.
 */
'use strict';

/** @typedef {import('./index.js').Statement} Statement */
/** @typedef {import('./index.js').Expression} Expression */
/** @typedef {import('./index.js').ArrayRef} ArrayRef */
/** @typedef {import('./index.js').Local} Local */

/**
 * @typedef {object} Changes
 * @property {(e: Expression, copy: Copy) => Expression | null} [expression] in place of a node; null: as it is
 * @property {(s: Statement, copy: Copy) => Statement[] | null} [statement] in place of a statement; null: as it is
 * @property {number} [variant] of the loops made
 */

class Copy {
  /** @param {Changes} changes @param {Map<Local, Local>} [locals] that are replaced */
  constructor(changes, locals = new Map()) {
    this.changes = changes;
    this.locals = locals;
    /** @type {Map<Statement, Statement>} */
    this.targets = new Map();
  }

  /** @param {Local} of */
  local(of) {
    const made = { ...of };
    this.locals.set(of, made);
    return made;
  }

  /** @param {ArrayRef} array @returns {ArrayRef} */
  array(array) {
    const [pointer, length] = [array.pointer, array.length].map((e) => this.expression(e));
    return pointer === array.pointer && length === array.length ? array : { ...array, pointer, length };
  }

  /** @param {Expression} e @returns {Expression} */
  expression(e) {
    const changed = this.changes.expression?.(e, this);
    if (changed) return changed;
    if (e.op === 'local') {
      const local = this.locals.get(e.local);
      return local ? { ...e, local } : e;
    }
    return this.inside(e);
  }

  /** The same node with its operands copied. @param {Expression} e @returns {Expression} */
  inside(e) {
    const args = e.args.map((arg) => this.expression(arg));
    const same = args.every((arg, i) => arg === e.args[i]);
    if (e.op !== 'load') return same ? e : { ...e, args };
    const array = this.array(e.array);
    const valid = e.valid && this.expression(e.valid);
    return same && array === e.array && valid === e.valid ? e : { ...e, args, array, valid };
  }

  /** @param {Expression | null} e */
  maybe(e) {
    return e && this.expression(e);
  }

  /** @param {Statement[]} body @returns {Statement[]} */
  body(body) {
    return body.flatMap((s) => this.changes.statement?.(s, this) ?? [this.statement(s)]);
  }

  /** @param {Statement} s @returns {Statement} */
  statement(s) {
    switch (s.kind) {
      case 'let': {
        const value = this.expression(s.value);
        return { ...s, local: this.local(s.local), value };
      }
      case 'set':
        return { ...s, local: this.locals.get(s.local) ?? s.local, value: this.expression(s.value) };
      case 'store':
        return {
          ...s, array: this.array(s.array), index: this.expression(s.index), value: this.expression(s.value),
          valid: this.maybe(s.valid),
        };
      case 'if':
        return { ...s, test: this.expression(s.test), then: this.body(s.then), otherwise: this.body(s.otherwise) };
      case 'loop':
      case 'prange':
      case 'block':
        return this.nested(s);
      case 'break':
      case 'continue':
        return { ...s, target: /** @type {any} */ (this.targets.get(s.target) ?? s.target) };
      case 'return':
      case 'throw':
        return { ...s, values: s.values.map((e) => this.expression(e)) };
      default:
        return this.other(s);
    }
  }

  /** @param {import('./index.js').LoopStmt | import('./index.js').PrangeStmt | import('./index.js').BlockStmt} s @returns {Statement} */
  nested(s) {
    const made = { ...s };
    this.targets.set(s, made);
    if (made.kind === 'prange' && s.kind === 'prange') {
      [made.lo, made.hi] = [this.expression(s.lo), this.expression(s.hi)];
      made.local = this.local(s.local);
    }
    if (made.kind === 'loop' && s.kind === 'loop') {
      made.before = this.body(s.before);
      made.test = this.maybe(s.test);
    }
    if (made.kind !== 'block' && this.changes.variant) made.variant = this.changes.variant;
    made.body = this.body(s.body);
    if (made.kind === 'loop' && s.kind === 'loop') made.update = this.body(s.update);
    return made;
  }

  /** @param {Statement} s @returns {Statement} */
  other(s) {
    switch (s.kind) {
      case 'call':
        return {
          ...s,
          args: s.args.map((e) => this.expression(e)),
          arrays: s.arrays.map((array) => this.array(array)),
          results: s.results.map((local) => this.local(local)),
        };
      case 'parallel': {
        const [lo, hi, grain] = [s.lo, s.hi, s.grain].map((e) => this.expression(e));
        return { ...s, args: s.args.map((e) => this.expression(e)), lo, hi, grain };
      }
      case 'alloc': {
        const count = this.expression(s.count);
        return { ...s, count, local: this.local(s.local) };
      }
      case 'stack':
        return { ...s, local: this.local(s.local) };
      case 'fill':
        return {
          ...s, array: this.array(s.array), value: this.expression(s.value), from: this.expression(s.from),
          to: this.expression(s.to),
        };
      case 'copy': {
        const [at, from, count] = [s.at, s.from, s.count].map((e) => this.expression(e));
        return { ...s, target: this.array(s.target), source: this.array(s.source), at, from, count };
      }
      default:
        return s;
    }
  }
}

module.exports = { Copy };
