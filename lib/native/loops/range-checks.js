/**
 * Which range checks follow from what is known while a piece of a function runs.
 *
 * A walk in the order of the program keeps, for each local, what is known of its value (symbolic-values.js), with
 * bounds of what counts in loops (induction.js) or is summed up there (accumulators.js). A check falls if the index and
 * what is left to the length are not negative. That may need conditions on the values at the beginning; these are what
 * hoist-checks.js asks before it runs code without checks.
 */
'use strict';

const {
  arraysOf, declaredIn, eachExpression, eachStatement, leaves, operandsOf, setsIn, someStatement,
} = require('../tir/walk.js');
const { Sums, signsOf } = require('./accumulators.js');
const { Counters } = require('./induction.js');
const { Poly, conditionsFor } = require('./polynomial.js');
const { COMPARES, INTEGERS, RANGES, Values, insideOf } = require('./symbolic-values.js');

/** @typedef {import('../tir/index.js').Statement} Statement */
/** @typedef {import('../tir/index.js').Expression} Expression */
/** @typedef {import('../tir/index.js').Local} Local */
/** @typedef {import('../tir/index.js').LoopStmt} LoopStmt */
/** @typedef {import('../tir/index.js').ArrayRef} ArrayRef */
/** @typedef {import('./symbolic-values.js').Known} Known */
/** @typedef {import('./induction.js').Counting} Counting */
/** @typedef {import('./polynomial.js').Atom} Atom */

/**
 * What holds anywhere in a function: values of locals that are never set again, and which locals are lengths of arrays.
 *
 * @typedef {{ definitions: Map<Local, Expression>, lengths: Set<Local> }} Background
 */

/** @type {(func: import('../tir/index.js').Func) => Background} */
function backgroundOf({ body }) {
  const definitions = new Map();
  const lengths = new Set();
  const note = (/** @type {ArrayRef} */ { length }) => length.op === 'local' && lengths.add(length.local);
  eachStatement(body, (s) => {
    if (s.kind === 'let' && !s.local.isSet) definitions.set(s.local, s.value);
    arraysOf(s).forEach(note);
  });
  eachExpression(body, (e) => e.op === 'load' && note(e.array));
  return { definitions, lengths };
}

class Checks extends Values {
  /** @param {Background} background */
  constructor(background) {
    super(background);
    /**
     * Conditions under which a check, or a conversion, is not needed; null where it is.
     *
     * @type {Map<object, Poly[] | null>}
     */
    this.found = new Map();
    /**
     * Is told of each access to memory; the index is null where it is not one.
     *
     * @type {((array: ArrayRef, at: Known | null, isWritten: boolean) => void) | null}
     */
    this.onAccess = null;
    /** What counters are in a round of their loop. @type {Map<Statement, Map<Local, Known>>} */
    this.heads = new Map();
    this.counters = new Counters(this);
    this.sums = new Sums(this);
    /** Sets of whole doubles that are steps of a counter or of a sum. @type {Set<Statement>} */
    this.steps = new Set();
    /** Whether anybody wants to know of checks; who asks only what is accessed does not. */
    this.proves = true;
  }

  // --- proofs ---

  /** What `inside` sees while facts hold. @param {Known[]} facts @param {() => void} inside */
  under(facts, inside) {
    const count = this.facts.length;
    this.facts.push(...facts);
    inside();
    this.facts.length = count;
  }

  /**
   * Conditions under which all `wanted` are not negative, with the help of facts.
   *
   * @param {Poly[]} wanted
   * @returns {Poly[] | null}
   */
  prove(wanted) {
    if (!this.proves) return null;
    const conditions = [];
    for (const p of wanted) {
      const found = this.proveOne(p);
      if (!found) return null;
      conditions.push(...found);
    }
    return conditions;
  }

  /** @param {Poly} p @returns {Poly[] | null} */
  proveOne(p) {
    const direct = conditionsFor([p]);
    if (direct && direct.length === 0) return direct;
    const limit = p.degree > 1 ? this.sums.limited(p) : null;
    if (limit) return limit;
    const last = Math.max(...[...p.atoms].map((atom) => (atom.leaf ? -1 : atom.id)), -1);
    let best = null;
    for (const fact of this.facts.slice(-12).reverse()) {
      const rest = p.minus(fact.poly);
      if (last >= 0 && [...rest.atoms].some((atom) => atom.id === last)) continue;
      const found = conditionsFor([rest, ...fact.needs]);
      if (found && found.length === 0) return found;
      best ??= last >= 0 ? found : null;
    }
    return best ?? direct;
  }

  /** @param {object} node @param {Poly[] | null} conditions */
  record(node, conditions) {
    const before = this.found.get(node);
    const isFirst = !this.found.has(node);
    this.found.set(node, isFirst ? conditions : before && conditions ? [...before, ...conditions] : null);
  }

  /** @param {object} node @param {ArrayRef} array @param {Expression} index @param {Expression | null} valid */
  access(node, array, index, valid) {
    if (!this.proves) return;
    const at = this.integer(index);
    const length = this.integer(array.length);
    const wanted = [...at.needs, at.poly, length.poly.minus(at.poly).plusConstant(-1)];
    this.record(node, valid && !this.isValid(valid, at) ? null : this.prove(wanted));
  }

  /**
   * Whether what an access asks besides is that the index is the double it was made of.
   *
   * @param {Expression} valid
   * @param {Known} at
   */
  isValid(valid, at) {
    if (valid.op !== 'eq' || valid.args[1].type !== 'f64') return false;
    const exact = this.double(valid.args[1]);
    return exact !== null && exact.poly.key === at.poly.key;
  }

  // --- the walk ---

  /** @param {Expression} e */
  expression(e) {
    const [first, second, third] = e.args;
    if (e.op === 'choose' || e.op === 'andalso' || e.op === 'orelse') {
      this.expression(first);
      this.under(this.factsOf(first, e.op !== 'orelse'), () => this.expression(second));
      if (third) this.under(this.factsOf(first, false), () => this.expression(third));
      return;
    }
    for (const operand of operandsOf(e)) this.expression(operand);
    if (e.op === 'load') this.onAccess?.(e.array, this.integer(first), false);
    if (e.op === 'load' && e.missing) this.access(e, e.array, first, e.valid);
    else this.conversions(e);
  }

  /** What can be done on integers instead, or is known. @param {Expression} e */
  conversions(e) {
    if (!this.proves) return;
    const inside = insideOf(e);
    if (inside) {
      const [x, y] = inside.map((side) => this.integer(side));
      this.record(e, this.prove([...x.needs, ...y.needs, x.poly, y.poly.minus(x.poly).plusConstant(-1)]));
    } else if (e.op === 'convert' && e.type === 'i64' && e.args[0].type === 'f64') {
      const whole = this.double(e.args[0]);
      this.record(e, whole && this.prove(whole.needs));
    } else if (e.op in COMPARES && e.args[0].type === 'f64' && e.args.some((arg) => arg.op === 'convert')) {
      const sides = e.args.map((arg) => this.double(arg));
      const needs = sides.includes(null) ? null : sides.flatMap((side) => /** @type {Known} */ (side).needs);
      this.record(e, needs && this.prove(needs));
    } else if (e.op === 'overflows' && e.args[0].type === 'i64') {
      const known = this.ring({ ...e, op: e.what }, (arg) => this.integer(arg));
      if (known) this.sums.expect(e, known);
    }
  }

  /** @param {Statement[]} body */
  body(body) {
    const count = this.facts.length;
    for (const s of body) this.statement(s);
    this.facts.length = count;
  }

  /**
   * Statements of a block that may not be done, or done often: what they set is unknown behind.
   *
   * @param {Statement[]} body
   */
  forget(body) {
    for (const local of setsIn(body))
      this.env.set(
        local,
        this.sums.known(local) ?? (INTEGERS.has(local.type) ? this.unknown(RANGES[local.type]) : null),
      );
  }

  /** @param {Local} local @param {Expression} value */
  assign(local, value) {
    if (INTEGERS.has(local.type)) this.env.set(local, this.integer(value));
    else this.env.set(local, local.type === 'f64' ? this.double(value) : null);
  }

  /**
   * Notes when a local becomes a whole number that an integer can be in its place.
   *
   * @param {import('../tir/index.js').LetStmt | import('../tir/index.js').SetStmt} s
   */
  whole(s) {
    const known = this.env.get(s.local);
    const signs = known && signsOf(s.value, (e) => this.double(e));
    this.record(s, known && signs ? this.prove([...known.needs, ...signs]) : null);
  }

  /** @param {Statement} s */
  statement(s) {
    switch (s.kind) {
      case 'let':
      case 'set':
        this.expression(s.value);
        if (s.kind === 'set') this.sums.set(s.local, s.value);
        this.assign(s.local, s.value);
        if (s.local.type === 'f64' && !this.steps.has(s)) this.whole(s);
        return undefined;
      case 'if':
        return this.branch(s);
      case 'loop':
        return this.loop(s);
      case 'prange':
        return this.prange(s);
      case 'block':
        this.body(s.body);
        return this.forget(s.body);
      case 'store':
        for (const e of [s.array.pointer, s.index, s.value]) this.expression(e);
        this.onAccess?.(s.array, this.integer(s.index), true);
        if (s.checked) this.access(s, s.array, s.index, s.valid);
        return undefined;
      case 'call':
        s.args.forEach((arg) => this.expression(arg));
        // What it writes to is asked for elsewhere (dependence.js).
        s.arrays.forEach((array) => this.onAccess?.(array, null, false));
        return s.results.forEach((local) =>
          this.env.set(local, INTEGERS.has(local.type) ? this.unknown(RANGES[local.type]) : null),
        );
      default:
        return this.others(s);
    }
  }

  /** @param {Statement} s one without effects on locals */
  others(s) {
    if (s.kind === 'fill') this.onAccess?.(s.array, null, true);
    if (s.kind === 'copy') {
      this.onAccess?.(s.target, null, true);
      this.onAccess?.(s.source, null, false);
    }
    if (s.kind === 'return' || s.kind === 'throw') s.values.forEach((e) => this.expression(e));
    else if (s.kind === 'alloc') this.expression(s.count);
    else if (s.kind === 'fill') [s.value, s.from, s.to].forEach((e) => this.expression(e));
    else if (s.kind === 'copy') [s.at, s.from, s.count].forEach((e) => this.expression(e));
  }

  /** @param {import('../tir/index.js').IfStmt} s */
  branch(s) {
    this.expression(s.test);
    const [yes, no] = [this.factsOf(s.test, true), this.factsOf(s.test, false)];
    const before = new Map(this.env);
    this.under(yes, () => this.body(s.then));
    this.env = before;
    const other = new Map(this.env);
    this.under(no, () => this.body(s.otherwise));
    this.env = other;
    this.forget([...s.then, ...s.otherwise]);
    if (leaves(s.then)) this.facts.push(...no);
    if (leaves(s.otherwise)) this.facts.push(...yes);
  }

  /** @param {import('../tir/index.js').PrangeStmt} s */
  prange(s) {
    const [lo, hi] = [s.lo, s.hi].map((e) => this.integer(e));
    const atom = this.atoms.make({ lo: lo.poly, hi: hi.poly.plusConstant(-1), needs: [...lo.needs, ...hi.needs] });
    [s.lo, s.hi].forEach((e) => this.expression(e));
    const known = { poly: Poly.atom(atom), needs: [] };
    this.sums.enter(s, [[s.local, known]], s.body);
    this.forget(s.body);
    this.env.set(s.local, known);
    this.heads.set(s, new Map([[s.local, known]]));
    this.body(s.body);
    this.sums.leave();
    this.forget(s.body);
  }

  /** @param {LoopStmt} s */
  loop(s) {
    const inside = [...s.before, ...s.body, ...s.update];
    const counters = this.counters.of(s, inside);
    this.sums.enter(s, counters, inside);
    this.forget(inside);
    for (const [local, known] of counters) this.env.set(local, known);
    this.heads.set(s, new Map(counters));
    const count = this.facts.length;
    if (!s.late) this.reach(s, counters);
    const tested = this.facts.length;
    for (const each of s.body) this.statement(each);
    if (someStatement(s.body, (each) => each.kind === 'continue' && each.target === s)) {
      this.facts.length = tested;
      this.forget(s.body);
    }
    for (const each of s.update) this.statement(each);
    if (s.late) this.test(s);
    this.facts.length = count;
    this.sums.leave();
    this.forget(inside);
  }

  /**
   * The test, for counters that it has not stopped yet: they may have gone further than in any round. Where it lets the
   * body run, they are what they are there.
   *
   * @param {LoopStmt} s
   * @param {[Local, Counting][]} counters
   */
  reach(s, counters) {
    const count = this.facts.length;
    /** @type {Map<Atom, Atom>} */
    const rounds = new Map();
    for (const [local, { needs, atom, end }] of counters) {
      if (!atom[end]) continue;
      const free = this.atoms.make({ lo: atom.lo, hi: atom.hi, needs: atom.needs, [end]: null });
      rounds.set(free, atom);
      this.env.set(local, { poly: Poly.atom(free), needs });
    }
    this.test(s);
    const inRounds = (/** @type {Known} */ { poly, needs }) => ({
      poly: poly.renamed(rounds),
      needs: needs.map((need) => need.renamed(rounds)),
    });
    for (const local of [...counters.map(([each]) => each), ...setsIn(s.before), ...declaredIn(s.before)]) {
      const known = this.env.get(local);
      if (known) this.env.set(local, inRounds(known));
    }
    this.facts.push(...this.facts.splice(count).map(inRounds));
  }

  /** @param {LoopStmt} s */
  test(s) {
    for (const each of s.before) this.statement(each);
    if (!s.test) return;
    this.expression(s.test);
    this.facts.push(...this.factsOf(s.test, true));
  }
}

module.exports = { Checks, backgroundOf };
