/**
 * What is known of integers while a piece of a function runs, and which range checks follow from it.
 *
 * A walk in the order of the program keeps, for each local, its value as a polynomial (poly.js) of values that were
 * there at the beginning, of counters with bounds, and of values nobody knows; and it keeps facts, polynomials that are
 * not negative because a test said so. A check falls if the index and what is left to the length are not negative. That may
 * need conditions on the values at the beginning; these are what loops.js asks before it runs code without checks.
 *
 * A local that only grows in a loop is at least what it was before, and below the bound that the loop tests. Doubles are
 * followed as long as they are whole numbers. Integers of 32 bits wrap, so what they are is only known where they do not.
 */
'use strict';

const { Atoms, Poly, conditionsFor, rangeOf } = require('./poly.js');
const counted = require('./counted.js');
const { Sums, signsOf } = require('./sums.js');
const { arraysOf, declaredIn, eachExpression, eachStatement, leaves, operandsOf, setsIn, someStatement } = require('./walk.js');

/** @typedef {import('./tir.js').Statement} Statement */
/** @typedef {import('./tir.js').Expression} Expression */
/** @typedef {import('./tir.js').Local} Local */
/** @typedef {import('./tir.js').LoopStmt} LoopStmt */
/** @typedef {import('./tir.js').ArrayRef} ArrayRef */
/** @typedef {import('./poly.js').Atom} Atom */

/** A value, if what it needs is not negative. @typedef {{ poly: Poly, needs: Poly[] }} Known */
/** @typedef {Map<Local, Known | null>} Env */

const TWO31 = 2 ** 31;
/** Half of what doubles hold of whole numbers, so that there is room to add. */
const TWO52 = 2 ** 52;
/** What the length of an array may be. @type {Atom['range']} */
const NATURAL = [0, 2 ** 40];
/** What a counter of 64 bits may grow by in each round without ever coming to the end of its type. */
const SMALL = 2 ** 20;

/** @type {Record<string, Atom['range']>} */
const RANGES = {
  i32: [-TWO31, TWO31 - 1],
  u32: [0, 2 * TWO31 - 1],
  i16: [-32768, 32767],
  u16: [0, 65535],
  i8: [-128, 127],
  u8: [0, 255],
  u8c: [0, 255],
};

const INTEGERS = new Set(['i64', 'i32', 'u32']);

/** Comparisons as polynomials that are not negative. @type {Record<string, (x: Poly, y: Poly) => Poly[]>} */
const COMPARES = {
  lt: (x, y) => [y.minus(x).plusConstant(-1)],
  le: (x, y) => [y.minus(x)],
  gt: (x, y) => [x.minus(y).plusConstant(-1)],
  ge: (x, y) => [x.minus(y)],
  eq: (x, y) => [x.minus(y), y.minus(x)],
  ne: () => [],
};
/** @type {Record<string, string>} */
const OPPOSITES = { lt: 'ge', le: 'gt', gt: 'le', ge: 'lt', eq: 'ne', ne: 'eq' };

/** What the value of a local from before is looked through for. */
const ALIASES = new Set(['local', 'const', 'add', 'sub', 'convert']);

/** A constant integer that a number holds exactly. @type {(e: Expression) => number | null} */
function constantOf(e) {
  const value = Number(counted.constantOf(e) ?? NaN);
  return Number.isSafeInteger(value) ? value : null;
}

/** The value of i in bitcast<u64>(i), or null. @type {(e: Expression) => Expression | null} */
function signedOf(e) {
  if (e.op === 'bitcast' && e.type === 'u64' && e.args[0].type === 'i64') return e.args[0];
  if (e.op === 'const' && e.type === 'u64' && e.value <= TWO52) return { ...e, type: 'i64' };
  return null;
}

/** The sides of lt(bitcast<u64>(x), bitcast<u64>(y)): whether x is an index below y. @type {(e: Expression) => [Expression, Expression] | null} */
function insideOf(e) {
  if (e.op !== 'lt' || e.args[0].type !== 'u64') return null;
  const [x, y] = e.args.map(signedOf);
  return x && y ? [x, y] : null;
}

/**
 * What holds anywhere in a function: values of locals that are never set again, and which locals are lengths of arrays.
 *
 * @typedef {{ definitions: Map<Local, Expression>, lengths: Set<Local> }} Background
 */

/** @type {(func: import('./tir.js').Func) => Background} */
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

class Checks {
  /** @param {Background} background */
  constructor({ definitions, lengths }) {
    this.definitions = definitions;
    this.lengths = lengths;
    this.atoms = new Atoms();
    /** @type {Env} */
    this.env = new Map();
    /** @type {Known[]} */
    this.facts = [];
    /** Conditions under which a check, or a conversion, is not needed; null where it is. @type {Map<object, Poly[] | null>} */
    this.found = new Map();
    /** @type {Map<Local, Known>} */
    this.leaves = new Map();
    /** @type {Map<string, Known>} */
    this.values = new Map();
    /** @type {Map<Local, number>} */
    this.numbers = new Map();
    /** Is told of each access to memory; the index is null where it is not one. @type {((array: ArrayRef, at: Known | null, isWritten: boolean) => void) | null} */
    this.onAccess = null;
    /** What counters are in a round of their loop. @type {Map<Statement, Map<Local, Known>>} */
    this.heads = new Map();
    this.sums = new Sums(this);
    /** Sets of whole doubles that are steps of a counter or of a sum. @type {Set<Statement>} */
    this.steps = new Set();
    /** Whether anybody wants to know of checks; who asks only what is accessed does not. */
    this.proves = true;
  }

  // --- values ---

  /** @param {Atom['range']} range @returns {Known} */
  unknown(range = [null, null]) {
    const [lo, hi] = range;
    const bound = (/** @type {number | null} */ b) => (b === null ? null : Poly.constant(b));
    return { poly: Poly.atom(this.atoms.make({ lo: bound(lo), hi: bound(hi), range })), needs: [] };
  }

  /** The value of a local at the beginning. @param {Local} local @param {Expression} e @returns {Known} */
  leaf(local, e) {
    const known = this.leaves.get(local);
    if (known) return known;
    const definition = this.definitions.get(local);
    const isAlias = definition && ALIASES.has(definition.op) && definition.args[0]?.type !== 'f64' && this.isFixed(definition);
    const isDouble = local.type === 'f64';
    const range = this.lengths.has(local) ? NATURAL : rangeOfExpression(e);
    const own = () => ({ poly: Poly.atom(this.atoms.make({ leaf: e, isDouble, range })), needs: [] });
    const made = (isAlias && (isDouble ? this.double(definition) : this.integer(definition))) || own();
    this.leaves.set(local, made);
    return made;
  }

  /** Whether an expression has one value in all of the function. @param {Expression} e @returns {boolean} */
  isFixed(e) {
    if (e.op === 'local') return !e.local.isSet;
    return e.op !== 'load' && e.args.every((arg) => this.isFixed(arg));
  }

  /** @param {Expression} e a local @returns {Known | null} */
  read(e) {
    const known = this.env.get(e.local);
    if (known !== undefined) return known;
    const leaf = this.leaf(e.local, e);
    return e.type === 'f64' ? fitting(leaf, [-TWO52, TWO52]) : leaf;
  }

  /** The integer that an expression of integers is. @param {Expression} e @returns {Known} */
  integer(e) {
    const value = constantOf(e);
    if (value !== null) return { poly: Poly.constant(value), needs: [] };
    if (!INTEGERS.has(e.type)) return this.unknown();
    if (e.op === 'local') return this.read(e) ?? this.unknown(rangeOfExpression(e));
    const ring = this.ring(e, (arg) => this.integer(arg));
    if (ring) return e.type === 'i64' ? ring : fitting(ring, RANGES[e.type]);
    return this.converted(e) ?? this.chosen(e) ?? this.early(e) ?? this.bounded(e);
  }

  /** @param {Expression} e @returns {Known | null} */
  converted(e) {
    if (e.op !== 'convert' && e.op !== 'bitcast') return null;
    const [from] = e.args;
    const known = from.type === 'f64' && e.op === 'convert' ? this.double(from) : INTEGERS.has(from.type) ? this.integer(from) : null;
    return known && e.type !== 'i64' ? fitting(known, RANGES[e.type]) : known;
  }

  /** @type {(e: Expression, of: (arg: Expression) => Known | null) => Known | null} */
  ring(e, of) {
    if (!['add', 'sub', 'mul', 'neg'].includes(e.op)) return null;
    const args = e.args.map(of);
    if (args.includes(null)) return null;
    const [a, b] = /** @type {Known[]} */ (args);
    const poly = e.op === 'add' ? a.poly.plus(b.poly) : e.op === 'sub' ? a.poly.minus(b.poly) : e.op === 'mul' ? a.poly.times(b.poly) : a.poly.scaled(-1);
    return poly.isLarge ? null : { poly, needs: b ? [...a.needs, ...b.needs] : a.needs };
  }

  /** What a choice is that asks for a NaN where there can be none. @param {Expression} e @returns {Known | null} */
  chosen(e) {
    const [test, , otherwise] = e.args;
    if ((e.op !== 'select' && e.op !== 'choose') || test.op !== 'is_nan') return null;
    const asked = this.double(test.args[0]);
    if (!asked) return null;
    const { poly, needs } = this.integer(otherwise);
    return { poly, needs: [...needs, ...asked.needs] };
  }

  /** What can be computed at the beginning, whatever it is. @param {Expression} e @returns {Known | null} */
  early(e) {
    const key = e.type === 'i64' ? this.keyOf(e) : null;
    if (!key) return null;
    const known = this.values.get(key) ?? { poly: Poly.atom(this.atoms.make({ leaf: e, range: this.rangeOf(e) })), needs: [] };
    this.values.set(key, known);
    return known;
  }

  /** A text that is the same for expressions of the same value; null for those that change. @param {Expression} e @returns {string | null} */
  keyOf(e) {
    if (e.op === 'const') return `${e.type} ${e.value}`;
    if (e.op === 'local') return this.env.has(e.local) ? null : `${e.local.name}.${this.numberOf(e.local)}`;
    if (e.op === 'load' || e.args.length === 0) return null;
    const parts = e.args.map((arg) => this.keyOf(arg));
    return parts.includes(null) ? null : `${e.op} ${e.type}(${parts.join(', ')})`;
  }

  /** @param {Local} local */
  numberOf(local) {
    if (!this.numbers.has(local)) this.numbers.set(local, this.numbers.size);
    return this.numbers.get(local);
  }

  /** An integer of which bounds are known. @param {Expression} e @returns {Known} */
  bounded(e) {
    const made = this.unknown(this.rangeOf(e));
    if (e.op === 'min' || e.op === 'max') {
      for (const arg of e.args) {
        const { poly, needs } = this.integer(arg);
        this.facts.push({ poly: e.op === 'min' ? poly.minus(made.poly) : made.poly.minus(poly), needs });
      }
    }
    if (e.op === 'rem') {
      const divisor = this.integer(e.args[1]);
      const [least] = rangeOf(divisor.poly);
      if (least !== null && least > 0) this.facts.push({ poly: divisor.poly.minus(made.poly).plusConstant(-1), needs: divisor.needs });
    }
    return made;
  }

  /** @param {Expression} e @returns {Atom['range']} */
  rangeOf(e) {
    const range = rangeOfExpression(e);
    if (e.op !== 'rem' || range[0] !== null && range[0] >= 0) return range;
    const [least] = rangeOf(this.integer(e.args[0]).poly);
    return least !== null && least >= 0 ? [0, range[1]] : range;
  }

  /** The whole number that a double is, null where nobody knows that it is one. @param {Expression} e @returns {Known | null} */
  double(e) {
    if (e.op === 'local') return e.type === 'f64' ? this.read(e) : null;
    if (e.op === 'const') return Number.isSafeInteger(e.value) && !Object.is(e.value, -0) ? { poly: Poly.constant(e.value), needs: [] } : null;
    if (e.op === 'convert') return INTEGERS.has(e.args[0].type) ? fitting(this.integer(e.args[0]), [-TWO52, TWO52]) : null;
    if (e.op === 'floor' || e.op === 'ceil' || e.op === 'trunc') return this.double(e.args[0]);
    if (e.op === 'select' || e.op === 'choose') return this.either(e);
    const ring = this.ring(e, (arg) => this.double(arg));
    return ring && fitting(ring, [-TWO52, TWO52]);
  }

  /** One of two whole doubles; where the test is that an index is in range, what is there, if it is. @param {Expression} e @returns {Known | null} */
  either(e) {
    const inside = insideOf(e.args[0]);
    if (inside) {
      const [x, y] = inside.map((side) => this.integer(side));
      const found = this.double(e.args[1]);
      return found && { poly: found.poly, needs: [...x.needs, ...y.needs, x.poly, y.poly.minus(x.poly).plusConstant(-1), ...found.needs] };
    }
    const [a, b] = [this.double(e.args[1]), this.double(e.args[2])];
    if (!a || !b) return null;
    const [x, y] = [rangeOf(a.poly), rangeOf(b.poly)];
    const join = (/** @type {0 | 1} */ k, /** @type {boolean} */ isFirst) => (x[k] === null || y[k] === null ? null : isFirst ? x[k] : y[k]);
    const made = this.unknown([join(0, Number(x[0]) < Number(y[0])), join(1, Number(x[1]) > Number(y[1]))]);
    return { poly: made.poly, needs: [...a.needs, ...b.needs] };
  }

  // --- facts ---

  /** What a test says where it is true, or false. @param {Expression} e @param {boolean} holds @returns {Known[]} */
  factsOf(e, holds) {
    if (e.op === 'not') return this.factsOf(e.args[0], !holds);
    if (holds ? e.op === 'andalso' || e.op === 'and' : e.op === 'orelse' || e.op === 'or') return e.type === 'bool' ? e.args.flatMap((arg) => this.factsOf(arg, holds)) : [];
    if (e.op === 'local') {
      const definition = this.definitions.get(e.local);
      return definition && this.isFixed(definition) ? this.factsOf(definition, holds) : [];
    }
    const inside = insideOf(e);
    if (inside && holds) {
      const [x, y] = inside.map((side) => this.integer(side));
      return [{ poly: x.poly, needs: x.needs }, { poly: y.poly.minus(x.poly).plusConstant(-1), needs: [...x.needs, ...y.needs] }];
    }
    return e.op in COMPARES ? this.compared(e, holds) : [];
  }

  /** @param {Expression} e @param {boolean} holds @returns {Known[]} */
  compared(e, holds) {
    const [x, y] = e.args.map((arg) => (INTEGERS.has(arg.type) ? this.integer(arg) : arg.type === 'f64' ? this.double(arg) : null));
    if (!x || !y) return [];
    const compare = COMPARES[holds ? e.op : OPPOSITES[e.op]];
    const needs = [...x.needs, ...y.needs];
    return compare(x.poly, y.poly).map((poly) => ({ poly, needs }));
  }

  /** What `inside` sees while facts hold. @param {Known[]} facts @param {() => void} inside */
  under(facts, inside) {
    const count = this.facts.length;
    this.facts.push(...facts);
    inside();
    this.facts.length = count;
  }

  // --- proofs ---

  /** Conditions under which all `wanted` are not negative, with the help of facts. @param {Poly[]} wanted @returns {Poly[] | null} */
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

  /** Whether what an access asks besides is that the index is the double it was made of. @param {Expression} valid @param {Known} at */
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

  /** Statements of a block that may not be done, or done often: what they set is unknown behind. @param {Statement[]} body */
  forget(body) {
    for (const local of setsIn(body)) this.env.set(local, this.sums.known(local) ?? (INTEGERS.has(local.type) ? this.unknown(RANGES[local.type]) : null));
  }

  /** @param {Local} local @param {Expression} value */
  assign(local, value) {
    if (INTEGERS.has(local.type)) this.env.set(local, this.integer(value));
    else this.env.set(local, local.type === 'f64' ? this.double(value) : null);
  }

  /** Notes when a local becomes a whole number that an integer can be in its place. @param {import('./tir.js').LetStmt | import('./tir.js').SetStmt} s */
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
        // What it writes to is asked for elsewhere (loops-independent.js).
        s.arrays.forEach((array) => this.onAccess?.(array, null, false));
        return s.results.forEach((local) => this.env.set(local, INTEGERS.has(local.type) ? this.unknown(RANGES[local.type]) : null));
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

  /** @param {import('./tir.js').IfStmt} s */
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

  /** @param {import('./tir.js').PrangeStmt} s */
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
    const counters = this.counters(s, inside);
    this.sums.enter(s, counters, inside);
    this.forget(inside);
    for (const [local, known] of counters) this.env.set(local, known);
    this.heads.set(s, new Map(counters));
    const count = this.facts.length;
    if (!s.late) this.test(s);
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

  /** @param {LoopStmt} s */
  test(s) {
    for (const each of s.before) this.statement(each);
    if (!s.test) return;
    this.expression(s.test);
    this.facts.push(...this.factsOf(s.test, true));
  }

  /** Locals that go in one direction, with what they are in a round. @param {LoopStmt} s @param {Statement[]} inside @returns {[Local, Known][]} */
  counters(s, inside) {
    /** @type {[Local, Known][]} */
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

  /** @param {LoopStmt} s @param {Statement[]} inside @param {Set<Local>} varying @param {Local} local @returns {Known | null} */
  counter(s, inside, varying, local) {
    const steps = this.stepsOf(inside, local);
    if (!steps) return null;
    const start = { op: 'local', type: local.type, local, args: [] };
    const isDouble = local.type === 'f64';
    const init = isDouble ? this.double(start) : this.integer(start);
    const up = steps.every((step) => signOf(step, varying) > 0);
    if (!init || (!up && !steps.every((step) => signOf(step, varying) < 0))) return null;
    const isSmall = steps.every((step) => (constantOf(step) ?? SMALL + 1) <= SMALL);
    const isFew = local.type === 'i64' && isSmall ? true : !someStatement(inside, (each) => isLoop(each) && setsIn([each]).has(local));
    const bound = s.test && !s.late && isFew ? this.boundOf(s.test, local, varying, up) : null;
    if (!bound && (local.type !== 'i64' || !isSmall)) return null;
    const needs = [...init.needs, ...(bound ? [...bound.needs, ...this.wraps(local, steps, init, bound, up)] : [])];
    const atom = this.atoms.make(up ? { lo: init.poly, hi: bound?.poly ?? null, needs } : { lo: bound?.poly ?? null, hi: init.poly, needs });
    if (isDouble) {
      this.record(local, this.prove(needs));
      eachStatement(inside, (each) => each.kind === 'set' && each.local === local && this.steps.add(each));
    }
    return { poly: Poly.atom(atom), needs: isDouble ? needs : [] };
  }

  /** What is added to a local wherever a block sets it; null where it is set in another way. @param {Statement[]} body @param {Local} local @returns {Expression[] | null} */
  stepsOf(body, local) {
    /** @type {Expression[] | null} */
    let steps = [];
    eachStatement(body, (s) => {
      if (s.kind !== 'set' || s.local !== local || !steps) return;
      const { op, args, type } = this.unwrapped(s.value);
      const [a, b] = args.map((arg) => this.unwrapped(arg));
      const value = op === 'sub' && plainOf(a, local) ? constantOf(b) : null;
      if (op === 'add' && plainOf(a, local)) steps.push(b);
      else if (op === 'add' && plainOf(b, local)) steps.push(a);
      else if (value !== null) steps.push({ op: 'const', type, value: -value, args: [] });
      else steps = null;
    });
    return steps;
  }

  /** An expression without conversions between whole doubles and i64 around it, and of a local what it was made of. @param {Expression} e @returns {Expression} */
  unwrapped(e) {
    if (e.op === 'convert' && (e.type === 'f64' || (e.type === 'i64' && e.args[0].type === 'f64'))) return this.unwrapped(e.args[0]);
    const definition = e.op === 'local' && !e.local.isSet ? this.definitions.get(e.local) : undefined;
    const isStep = definition && ['add', 'sub', 'convert'].includes(definition.op);
    return isStep ? this.unwrapped(definition) : e;
  }

  /** What must not be negative for a counter not to wrap, and to go in its direction. @param {Local} local @param {Expression[]} steps @param {Known} init @param {Known & { isBelow: boolean }} bound @param {boolean} up @returns {Poly[]} */
  wraps(local, steps, init, bound, up) {
    const only = steps.length === 1 && local.type !== 'f64' ? constantOf(steps[0]) : null;
    if (bound.isBelow && (only === 1 || only === -1)) return [];
    // So many small steps nobody lives to see.
    if (local.type === 'i64' && steps.every((step) => (constantOf(step) ?? SMALL + 1) <= SMALL)) {
      return [up ? this.atoms.huge.minus(init.poly) : init.poly.plus(this.atoms.huge)];
    }
    const known = steps.map((step) => (step.type === 'f64' ? (this.double(step) ?? this.unknown()) : this.integer(step)));
    const total = known.reduce((sum, step) => sum.plus(step.poly), Poly.constant(0));
    const limit = local.type === 'i64' ? this.atoms.huge : Poly.constant(local.type === 'i32' ? TWO31 - 1 : TWO52);
    const least = steps.flatMap((step, i) => (constantOf(step) === null ? [known[i].poly.plusConstant(-1)] : []));
    const room = up ? limit.minus(bound.poly).minus(total) : bound.poly.plus(total).plus(limit);
    return [...known.flatMap((step) => step.needs), ...least, room];
  }

  /** The last value of a counter for which a test lets the body run. @param {Expression} test @param {Local} local @param {Set<Local>} varying @param {boolean} up @returns {(Known & { isBelow: boolean }) | null} */
  boundOf(test, local, varying, up) {
    if (test.op === 'andalso' || (test.op === 'and' && test.type === 'bool')) return this.boundOf(test.args[0], local, varying, up) ?? this.boundOf(test.args[1], local, varying, up);
    for (const side of [0, 1]) {
      const known = test.args[side] !== undefined && plainOf(this.unwrapped(test.args[side]), local);
      const turned = { lt: 'gt', le: 'ge', gt: 'lt', ge: 'le' }[test.op];
      const compare = side === 0 ? test.op : turned;
      if (!known || !turned || (up ? compare !== 'lt' && compare !== 'le' : compare !== 'gt' && compare !== 'ge')) continue;
      const other = this.resolved(test.args[1 - side], varying);
      const bound = other ? (other.type === 'f64' ? this.double(other) : this.integer(other)) : null;
      if (!bound) continue;
      const by = compare === 'lt' ? -1 : compare === 'gt' ? 1 : 0;
      return { poly: bound.poly.plusConstant(by), needs: bound.needs, isBelow: by !== 0 };
    }
    return null;
  }

  /** An expression that is the same in all rounds, itself or what a local of the round is made of. @param {Expression} e @param {Set<Local>} varying @returns {Expression | null} */
  resolved(e, varying) {
    if (e.op === 'local' && varying.has(e.local)) {
      const definition = this.definitions.get(e.local);
      return definition ? this.resolved(definition, varying) : null;
    }
    return e.op !== 'load' && e.args.every((arg) => isInvariant(arg, varying)) ? e : null;
  }
}

/** @type {(e: Expression, varying: Set<Local>) => boolean} */
const isInvariant = (e, varying) => (e.op === 'local' ? !varying.has(e.local) : e.op !== 'load' && e.args.every((arg) => isInvariant(arg, varying)));

/** @type {(s: Statement) => boolean} */
const isLoop = (s) => s.kind === 'loop' || s.kind === 'prange';

/** Whether a step is positive (1), negative (-1) or may be anything (0); a local is asked for later. @type {(step: Expression, varying: Set<Local>) => number} */
function signOf(step, varying) {
  const value = constantOf(step);
  if (value !== null) return Math.sign(value);
  return isInvariant(step, varying) ? 1 : 0;
}

/** Whether an expression is a local. @type {(e: Expression, local: Local) => boolean} */
const plainOf = (e, local) => e.op === 'local' && e.local === local;

/** The same value, if it is in a range. @type {(known: Known, range: Atom['range']) => Known} */
function fitting(known, [lo, hi]) {
  const [least, most] = rangeOf(known.poly);
  const needs = [...known.needs];
  if (lo !== null && (least === null || least < lo)) needs.push(known.poly.plusConstant(-lo));
  if (hi !== null && (most === null || most > hi)) needs.push(Poly.constant(hi).minus(known.poly));
  return { poly: known.poly, needs };
}

/** What is known of an expression by itself. @type {(e: Expression) => Atom['range']} */
function rangeOfExpression(e) {
  if (e.range) return [e.range[0] >= -TWO52 ? Math.ceil(e.range[0]) : null, e.range[1] <= TWO52 ? Math.floor(e.range[1]) : null];
  if (e.op === 'load' && RANGES[e.array.dtype]) return RANGES[e.array.dtype];
  if (e.op === 'and') {
    const masks = e.args.map(constantOf).filter((value) => value !== null && value >= 0);
    if (masks.length > 0) return [0, masks[0]];
  }
  if (e.op === 'convert' && INTEGERS.has(e.args[0].type)) {
    const inner = rangeOfExpression(e.args[0]);
    const outer = RANGES[e.type];
    return !outer || (inner[0] !== null && inner[1] !== null && inner[0] >= /** @type {number} */ (outer[0]) && inner[1] <= /** @type {number} */ (outer[1])) ? inner : outer;
  }
  return RANGES[e.type] ?? [null, null];
}

module.exports = { Checks, INTEGERS, backgroundOf, insideOf };
