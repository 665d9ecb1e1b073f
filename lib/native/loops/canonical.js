/**
 * Brings loops into the form that the stages behind expect: counters are read under their own names, and step in the
 * update.
 *
 * Inference names what it uses twice: `let t = i; if (overflows add(t, 1)) throw; i = add(t, 1)`. Here t becomes i
 * again wherever i has not been set in between. A `while` whose body ends with a step, as `i = i + 1`, gets that as its
 * update, if nothing continues from elsewhere; not a step that asks first whether it overflows, since a loop that
 * counts must not throw.
 */
'use strict';

const { Copy } = require('../tir/copy.js');
const { stepOf } = require('../tir/counted-loops.js');
const { blocksOf, declaredIn, eachStatement, readsIn, setsIn, someNode, someStatement } = require('../tir/walk.js');

/** @typedef {import('../tir/index.js').Statement} Statement */
/** @typedef {import('../tir/index.js').Expression} Expression */
/** @typedef {import('../tir/index.js').Local} Local */

/** A copy whose locals stay the same. */
class Renamed extends Copy {
  /** @param {Map<Local, Expression>} names what locals are instead */
  constructor(names) {
    super({
      expression: (e) =>
        e.op === 'local' && names.has(e.local) ? renamed(e, /** @type {Expression} */ (names.get(e.local))) : null,
      statement: (s) => (s.kind === 'let' && names.has(s.local) ? [] : null),
    });
  }

  /** @override @param {Local} of */
  local(of) {
    return of;
  }
}

/** @type {(e: Expression, value: Expression) => Expression} */
const renamed = (e, value) => (e.range ? { ...value, range: e.range } : value);

/** Locals that are other names of locals, found block by block. */
class Names {
  /** @param {Statement[]} body */
  constructor(body) {
    /** @type {Map<Local, Expression>} */
    this.found = new Map();
    this.reads = readsIn(body);
    this.block(body);
  }

  /** @param {Statement[]} body */
  block(body) {
    const isName = (/** @type {Statement} */ s) => s.kind === 'let' && !s.local.isSet && s.value.op === 'local';
    if (body.some(isName)) this.names(body, isName);
    for (const s of body) for (const block of blocksOf(s)) this.block(block);
  }

  /** @param {Statement[]} body @param {(s: Statement) => boolean} isName */
  names(body, isName) {
    const reads = body.map((s) => readsIn([s]));
    const sets = body.map((s) => setsIn([s]));
    body.forEach((s, at) => {
      if (s.kind !== 'let' || !isName(s)) return;
      const value = this.found.get(s.value.local) ?? s.value;
      const next = sets.findIndex((each, k) => k > at && each.has(value.local));
      const isPlain = next >= 0 && body[next].kind === 'set';
      const end = next < 0 ? body.length : isPlain ? next + 1 : next;
      // What stands before a test is read by it, and by the body.
      const before = reads.slice(0, end).reduce((count, each) => count + (each.get(s.local) ?? 0), 0);
      if (before === (this.reads.get(s.local) ?? 0)) this.found.set(s.local, value);
    });
  }
}

/** @type {(s: Statement | undefined) => boolean} */
const mayOverflow = (s) => s !== undefined && s.kind === 'if' && someNode(s.test, (e) => e.op === 'overflows');

/** What the body declares does not step: the update need not see it. @param {import('../tir/index.js').LoopStmt} s */
function stepInUpdate(s) {
  const last = s.body.at(-1);
  if (
    s.late ||
    s.update.length > 0 ||
    last?.kind !== 'set' ||
    stepOf(last, last.local) === null ||
    mayOverflow(s.body.at(-2))
  )
    return;
  if (
    declaredIn(s.body).has(last.local) ||
    someStatement(s.body, (each) => each.kind === 'continue' && each.target === s)
  )
    return;
  s.body.pop();
  s.update.push(last);
}

/** Has loops that end with a step count. @param {Statement[]} body */
function stepsInUpdates(body) {
  eachStatement(body, (s) => s.kind === 'loop' && stepInUpdate(s));
}

/**
 * Brings the loops of a function into form.
 *
 * @param {import('../tir/index.js').Func} func
 */
function canonicalizeLoops(func) {
  if (!someStatement(func.body, (s) => s.kind === 'loop' || s.kind === 'prange')) return;
  const names = new Names(func.body);
  if (names.found.size > 0) func.body = new Renamed(names.found).body(func.body);
  stepsInUpdates(func.body);
}

module.exports = { canonicalizeLoops, stepsInUpdates };
