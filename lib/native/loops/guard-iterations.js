/**
 * Has a round of a loop ask once what several accesses would ask one by one.
 *
 * Range checks that depend on what a loop computes, such as the other end of `for (i = 0, j = first; i < j; i++, j--)`,
 * cannot be asked before it. Where indices are known at the beginning of a round, though, one test of all of them is
 * cheaper than a branch at each access, and what is read there is never undefined: `if (all are in range) { the body
 * without checks } else { the body }`.
 *
 * It is done for bodies of loops, and branches in them, that hold no loop, have several such checks and write to
 * memory; compilers make vectors of those that only read.
 *
 * A test such as `a[i] !== x` asks whether there is an element to compare it, and once more whether it is undefined as
 * x may be. It becomes `i is in range ? the test of an element : the test of undefined`.
 */
'use strict';

const { Copy } = require('../tir/copy.js');
const M = require('../tir/machine.js');
const { blocksOf, declaredIn, eachNode, expressionsOf, setsIn, someStatement } = require('../tir/walk.js');
const { Rewriter, folded, sizeOf } = require('./hoist-checks.js');
const { insideOf } = require('./symbolic-values.js');

/** @typedef {import('../tir/index.js').Statement} Statement */
/** @typedef {import('../tir/index.js').Expression} Expression */
/** @typedef {import('../tir/index.js').Local} Local */

/**
 * A test that an access makes: that `index` is below `length`, in terms of the beginning of a round.
 *
 * @typedef {{ key: string, index: Expression, length: Expression }} Test
 */

/** Nodes of a body above which it is not copied. */
const MOST_NODES = 400;
/** Tests beyond which most rounds may fail one. */
const MOST_TESTS = 6;

const LEAVING = new Set(['break', 'continue', 'return', 'throw']);

/** Follows the values of locals through a round. */
class Round {
  /** @param {Statement[]} body */
  constructor(body) {
    /** In terms of the beginning; null for what nobody knows there. @type {Map<Local, Expression | null>} */
    this.values = new Map();
    /** @type {Map<Local, number>} */
    this.numbers = new Map();
    /**
     * What makes each test, and how many of them are certain to be met.
     *
     * @type {Map<string, Test & { nodes: object[], certain: number }>}
     */
    this.tests = new Map();
    /** Whether a statement is met in every round. */
    this.isCertain = true;
    this.body(body);
  }

  /** The same in terms of the beginning of the round, or null. @param {Expression} e @returns {Expression | null} */
  early(e) {
    if (e.op === 'const') return e;
    if (e.op === 'local')
      return this.values.has(e.local) ? /** @type {Expression | null} */ (this.values.get(e.local)) : e;
    if (e.op === 'load' || e.op === 'choose' || !M.isCheap(e)) return null;
    const args = e.args.map((arg) => this.early(arg));
    return args.includes(null) ? null : { ...e, args: /** @type {Expression[]} */ (args) };
  }

  /** @param {Expression} e @returns {string} */
  keyOf(e) {
    if (e.op === 'const') return `${e.type} ${e.value}`;
    if (e.op !== 'local')
      return `${e.op} ${e.type}(${e.args.map((/** @type {Expression} */ arg) => this.keyOf(arg)).join()})`;
    const number = this.numbers.get(e.local) ?? this.numbers.size;
    this.numbers.set(e.local, number);
    return `#${number}`;
  }

  /** @param {object} node that goes where the test holds @param {Expression} index @param {Expression} length @param {boolean} isAccess */
  note(node, index, length, isAccess) {
    const [at, end] = [this.early(index), this.early(length)];
    if (!at || !end) return;
    const key = `${this.keyOf(at)} < ${this.keyOf(end)}`;
    const test = this.tests.get(key) ?? { key, index: at, length: end, nodes: [], certain: 0 };
    test.nodes.push(node);
    if (isAccess && this.isCertain) test.certain++;
    this.tests.set(key, test);
  }

  /** @param {Expression} e */
  expression(e) {
    eachNode(e, (node) => {
      if (node.op === 'load' && node.missing && !node.valid) this.note(node, node.args[0], node.array.length, true);
      const sides = insideOf(node);
      if (sides) this.note(node, sides[0], sides[1], false);
    });
  }

  /** @param {Statement[]} body */
  body(body) {
    for (const s of body) {
      expressionsOf(s).forEach((e) => this.expression(e));
      if (s.kind === 'store' && s.checked && !s.valid) this.note(s, s.index, s.array.length, true);
      if (s.kind === 'let' || s.kind === 'set') {
        this.values.set(s.local, this.early(s.value));
        continue;
      }
      const before = this.isCertain;
      this.isCertain = false;
      const inside = blocksOf(s);
      for (const block of inside) {
        const values = new Map(this.values);
        this.body(block);
        this.values = values;
      }
      for (const local of [...setsIn(inside.flat()), ...declaredIn([s])]) this.values.set(local, null);
      this.isCertain = before && !someStatement([s], (each) => LEAVING.has(each.kind));
    }
  }
}

/** @type {(index: Expression, length: Expression) => Expression} */
function isBelow(index, length) {
  const unsigned = (/** @type {Expression} */ e) =>
    e.op === 'const' ? M.constant('u64', BigInt.asUintN(64, e.value)) : { op: 'bitcast', type: 'u64', args: [e] };
  return M.binary('lt', unsigned(index), unsigned(length));
}

/** @type {(body: Statement[]) => boolean} */
const hasLoops = (body) => someStatement(body, (s) => s.kind === 'loop' || s.kind === 'prange');

/** A block that asks once, or the same where that does not pay. @param {Statement[]} body @returns {Statement[]} */
function guarded(body) {
  if (!someStatement(body, (s) => s.kind === 'store') || sizeOf(body) > MOST_NODES) return body;
  const chosen = [...new Round(body).tests.values()].filter((test) => test.certain > 0);
  if (chosen.length < 2 || chosen.length > MOST_TESTS) return body;
  const rewriter = new Rewriter(new Set(chosen.flatMap((test) => test.nodes)), new Map(), new Map());
  const copy = new Copy({
    expression: (e, c) => rewriter.expression(e, c),
    statement: (each, c) => rewriter.statement(each, c),
  });
  const test = chosen.map(({ index, length }) => isBelow(index, length)).reduce(M.and);
  return [{ kind: 'if', test, then: copy.body(body), otherwise: body, place: null }];
}

/**
 * A test that asks several times whether one index is in range, as a choice by that.
 *
 * @param {Expression} test
 * @returns {Expression}
 */
function split(test) {
  const round = new Round([]);
  round.expression(test);
  const found = [...round.tests.values()].find(({ nodes, certain }) => certain > 0 && nodes.length > certain);
  if (!found) return test;
  const nodes = new Set(found.nodes);
  const rewriter = new Rewriter(nodes, new Map(), new Map());
  const here = new Copy({ expression: (e, c) => rewriter.expression(e, c) });
  const missing = new Copy({
    expression: (e, c) =>
      nodes.has(e)
        ? e.op === 'load'
          ? e.missing
          : M.constant('bool', false)
        : e.args.length > 0 && e.op !== 'load'
          ? folded(c.inside(e))
          : null,
  });
  return {
    op: 'choose', type: 'bool',
    args: [isBelow(found.index, found.length), here.expression(test), missing.expression(test)],
  };
}

/** @param {Statement[]} body @param {boolean} isRound whether it is part of a round of a loop */
function visit(body, isRound) {
  for (const s of body) {
    if (s.kind === 'loop' && s.variant !== 2) {
      if (s.test) s.test = split(s.test);
      if (hasLoops([...s.before, ...s.body, ...s.update])) visit(s.body, true);
      else s.body = guarded(s.body);
    } else if (s.kind === 'if') {
      for (const way of /** @type {const} */ (['then', 'otherwise'])) {
        if (isRound && !hasLoops(s[way])) s[way] = guarded(s[way]);
        else visit(s[way], isRound);
      }
    } else if (s.kind === 'prange' || s.kind === 'block') {
      visit(s.body, isRound || s.kind === 'prange');
    }
  }
}

/**
 * Has the rounds of loops ask for several ranges at once.
 *
 * @param {import('../tir/index.js').Func} func
 */
function guardIterations(func) {
  visit(func.body, false);
}

module.exports = { guardIterations };
