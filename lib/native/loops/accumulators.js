/**
 * How great the sums of a loop can become, and which overflows cannot happen because of that.
 *
 * A sum is a local that a loop only adds to. It stays below what it was before plus the number of rounds times the most
 * that a round adds. All are bounded by polynomials of sizes: absolute values of what is known before the outermost
 * loop. Sizes have no signs to think of, so one condition per sum is enough, such as `|s| + n * |n| <= 2^60`. Where it
 * holds, no addition on the way leaves 64 bits, and a sum of doubles that are whole numbers is exact in an i64.
 *
 * How much a round adds is known at the end of its loop only; until then what depends on it waits.
 */
'use strict';

const { stepOf } = require('../tir/counted-loops.js');
const { blocksOf, declaredIn, someStatement } = require('../tir/walk.js');
const { Poly, conditionsFor, rangeOf } = require('./polynomial.js');

/** @typedef {import('../tir/index.js').Statement} Statement */
/** @typedef {import('../tir/index.js').Expression} Expression */
/** @typedef {import('../tir/index.js').Local} Local */
/** @typedef {import('../tir/index.js').LoopStmt} LoopStmt */
/** @typedef {import('../tir/index.js').PrangeStmt} PrangeStmt */
/** @typedef {import('./polynomial.js').Atom} Atom */
/** @typedef {import('./symbolic-values.js').Known} Known */

/** What each round of some loops adds. @typedef {{ known: Known | null, loops: Frame[] }} Addition */
/**
 * `atoms` are its values at different times.
 *
 * @typedef {{ local: Local, init: Known, atoms: Atom[], additions: Addition[], size: Poly | null, needs: Poly[] }} Sum
 */
/** An integer that has to stay in its type for `node` to go. @typedef {{ node: object, known: Known }} Waiting */
/** @typedef {{ rounds: Poly | null, span: Poly | null, needs: Poly[], sums: Sum[], waiting: Waiting[] }} Frame */

/** What whole doubles may be. */
const WHOLE = Poly.constant(2 ** 53 - 1);
/** What only serves as a limit. */
const GREAT = 2 ** 51;
/** A value that is known to be less counts as a constant. */
const FEW = 256;

/**
 * What a set adds to its local, if that is what it does.
 *
 * @type {(value: Expression, local: Local) => Expression | null}
 */
function addedBy({ op, args }, local) {
  const isLocal = (/** @type {Expression} */ e) => e.op === 'local' && e.local === local;
  if ((op === 'add' || op === 'sub') && isLocal(args[0])) return args[1];
  return op === 'add' && isLocal(args[1]) ? args[0] : null;
}

/** Whether an atom is known not to be negative. @type {(atom: Atom) => boolean} */
function isNatural({ range, lo }) {
  if (range[0] !== null) return range[0] >= 0;
  const least = lo && rangeOf(lo)[0];
  return least !== null && least >= 0;
}

/** Whether a whole double is no -0. @type {(e: Expression) => boolean} */
function isPlainZero(e) {
  const [a, b] = e.args;
  switch (e.op) {
    case 'const':
    case 'convert':
    case 'local':
      return true;
    case 'add':
      return isPlainZero(a) || isPlainZero(b);
    case 'sub':
    case 'floor':
    case 'ceil':
    case 'trunc':
      return isPlainZero(a);
    case 'select':
    case 'choose':
      return isPlainZero(b) && isPlainZero(e.args[2]);
    default:
      return false;
  }
}

/**
 * What must not be negative for a whole double to be no -0; null where nobody knows.
 *
 * @type {(e: Expression, double: (e: Expression) => Known | null) => Poly[] | null}
 */
function signsOf(e, double) {
  if (isPlainZero(e)) return [];
  const [a, b] = e.args;
  if (e.op !== 'mul' || !isPlainZero(a) || !isPlainZero(b)) return null;
  const [x, y] = [double(a), double(b)];
  if (!x || !y) return null;
  const needs = [...x.needs, ...y.needs];
  return x.poly.key === y.poly.key ? needs : [x.poly, y.poly, ...needs];
}

/** Whether a loop surely sets a counter in each round. @type {(s: LoopStmt, counter: Local) => boolean} */
function advances(s, counter) {
  const isStep = (/** @type {Statement} */ each) => each.kind === 'set' && each.local === counter;
  if (s.update.some(isStep) || s.before.some(isStep)) return true;
  return s.body.some(isStep) && !someStatement(s.body, (each) => each.kind === 'continue' && each.target === s);
}

/**
 * The sets of each local, in loops inside too unless `isDeep` is false.
 *
 * @type {(body: Statement[], isDeep?: boolean, found?: Map<Local, import('../tir/index.js').SetStmt[]>) => Map<Local, import('../tir/index.js').SetStmt[]>}
 */
function setsByLocal(body, isDeep = true, found = new Map()) {
  for (const s of body) {
    if (s.kind === 'set') found.set(s.local, [...(found.get(s.local) ?? []), s]);
    else if (isDeep || (s.kind !== 'loop' && s.kind !== 'prange'))
      for (const block of blocksOf(s)) setsByLocal(block, isDeep, found);
  }
  return found;
}

class Sums {
  /** @param {import('./range-checks.js').Checks} checks */
  constructor(checks) {
    this.checks = checks;
    /** Loops that the walk is in. @type {Frame[]} */
    this.frames = [];
    /** Sums of these. @type {Map<Local, Sum>} */
    this.open = new Map();
    /** @type {Map<Atom, Sum>} */
    this.byAtom = new Map();
    /** Of leaves. @type {Map<Atom, Atom>} */
    this.absolutes = new Map();
    /** Doubles that are sums of whole numbers. @type {Set<Local>} */
    this.wholes = new Set();
  }

  // --- sizes ---

  /**
   * At least the absolute value of an atom; `needs` is told what must not be negative for that.
   *
   * @param {Atom} atom
   * @param {Poly[]} needs
   * @returns {Poly | null}
   */
  ofAtom(atom, needs) {
    const { lo, hi, leaf, range } = atom;
    const sum = this.byAtom.get(atom);
    if (sum) {
      needs.push(...sum.needs);
      return sum.size;
    }
    if (range[0] !== null && range[1] !== null && (!leaf || (range[0] > -FEW && range[1] < FEW)))
      return Poly.constant(range[1] > -range[0] ? range[1] : -range[0]);
    if (leaf) return Poly.atom(isNatural(atom) ? atom : this.absolute(atom));
    if (!lo || !hi) return null;
    needs.push(...atom.needs);
    if (isNatural(atom)) return this.of(hi, needs);
    const most = rangeOf(hi)[1];
    const sizes = most !== null && most <= 0 ? [this.of(lo, needs)] : [this.of(lo, needs), this.of(hi, needs)];
    return sizes.reduce((a, b) => a && b && a.plus(b));
  }

  /** @param {Atom} atom a leaf */
  absolute(atom) {
    const known = this.absolutes.get(atom);
    if (known) return known;
    const made = this.checks.atoms.make({ leaf: atom.leaf, of: atom, range: [0, null] });
    this.absolutes.set(atom, made);
    return made;
  }

  /**
   * At least the absolute value of a polynomial; with `isCount`, at least the polynomial and 0.
   *
   * @param {Poly} p
   * @param {Poly[]} needs
   * @param {boolean} [isCount]
   * @returns {Poly | null}
   */
  of(p, needs, isCount = false) {
    let total = Poly.constant(0);
    for (const { factor, atoms } of p.terms.values()) {
      if (isCount && factor < 0 && atoms.every(isNatural)) continue;
      let size = Poly.constant(Math.abs(factor));
      for (const atom of atoms) {
        const one = this.ofAtom(atom, needs);
        if (!one) return null;
        size = size.times(one);
      }
      total = total.plus(size);
    }
    return total.isLarge ? null : total;
  }

  // --- loops ---

  /** @param {LoopStmt | PrangeStmt} s @param {[Local, Known][]} counters with what they are in a round @param {Statement[]} inside */
  enter(s, counters, inside) {
    /** @type {Frame} */
    const frame = { rounds: null, span: null, needs: [], sums: [], waiting: [] };
    for (const [local, known] of counters)
      if (!frame.rounds && (s.kind === 'prange' || advances(s, local))) this.count(frame, known);
    this.frames.push(frame);
    if (!frame.rounds || !this.checks.proves) return;
    const known = new Map(counters);
    const made = declaredIn(inside);
    const own = setsByLocal(inside, false);
    for (const [local, sets] of setsByLocal(inside)) {
      if ((local.type !== 'i64' && local.type !== 'f64') || made.has(local) || this.open.has(local)) continue;
      const atom = known.get(local)?.poly.atoms.values().next().value ?? null;
      if (atom?.lo && atom.hi) continue;
      if (atom && own.get(local)?.length === sets.length) this.limit(frame, atom, sets);
      if (!atom?.lo || !atom.hi) this.begin(frame, local, sets, atom);
    }
  }

  /**
   * A counter that no test bounds makes so many steps as there are rounds.
   *
   * @param {Frame} frame
   * @param {Atom} atom
   * @param {import('../tir/index.js').SetStmt[]} sets
   */
  limit({ span, needs }, atom, sets) {
    const steps = sets.map((each) => stepOf(each, each.local));
    if (!span || steps.includes(null)) return;
    const reach = span.scaled(steps.reduce((/** @type {number} */ sum, step) => sum + Number(step), 0));
    if (atom.lo) Object.assign(atom, { hi: atom.lo.plus(reach), needs: [...atom.needs, ...needs] });
    else if (atom.hi) Object.assign(atom, { lo: atom.hi.plus(reach), needs: [...atom.needs, ...needs] });
  }

  /** How many rounds there are at most. @param {Frame} frame @param {Known} known of a counter */
  count(frame, { poly }) {
    const [atom] = poly.atoms;
    if (!atom?.lo || !atom.hi) return;
    frame.needs = [...atom.needs];
    frame.span = atom.hi.minus(atom.lo);
    frame.rounds = this.of(atom.hi.minus(atom.lo).plusConstant(1), frame.needs, true);
  }

  /** @param {Frame} frame @param {Local} local @param {import('../tir/index.js').SetStmt[]} sets @param {Atom | null} atom of its value in a round, if there is one */
  begin(frame, local, sets, atom) {
    if (sets.some((each) => !addedBy(each.value, local))) return;
    const start = { op: 'local', type: local.type, local, args: [] };
    const init = local.type === 'f64' ? this.checks.double(start) : this.checks.integer(start);
    if (!init) return;
    if (local.type === 'f64') sets.forEach((each) => this.checks.steps.add(each));
    const sum = { local, init, atoms: atom ? [atom] : [], additions: [], size: null, needs: [] };
    frame.sums.push(sum);
    this.open.set(local, sum);
    if (atom) this.byAtom.set(atom, sum);
    if (local.type === 'f64') this.wholes.add(local);
  }

  /** What a sum is somewhere in its loop. @param {Local} local @returns {Known | null} */
  known(local) {
    const sum = this.open.get(local);
    if (!sum) return null;
    const atom = this.checks.atoms.make({});
    sum.atoms.push(atom);
    this.byAtom.set(atom, sum);
    const poly = Poly.atom(atom);
    return { poly, needs: local.type === 'f64' ? [WHOLE.minus(poly), poly.plus(WHOLE)] : [] };
  }

  /** @param {Local} local that is set @param {Expression} value */
  set(local, value) {
    const sum = this.open.get(local);
    if (!sum) return;
    const added = /** @type {Expression} */ (addedBy(value, local));
    const known = local.type === 'f64' ? this.checks.double(added) : this.checks.integer(added);
    const from = this.frames.findIndex((frame) => frame.sums.includes(sum));
    sum.additions.push({ known: known && this.shown(known), loops: this.frames.slice(from) });
  }

  /**
   * A value with conditions in place of needs, where these can be shown now, while facts hold that may be forgotten
   * later.
   *
   * @param {Known} known
   * @returns {Known}
   */
  shown({ poly, needs }) {
    return { poly, needs: this.checks.prove(needs) ?? needs };
  }

  /** @param {object} node that goes if an integer stays in its type @param {Known} known */
  expect(node, known) {
    const waiting = { node, known: this.shown(known) };
    const frame = this.frames.at(-1);
    if (frame) frame.waiting.push(waiting);
    else this.decide(waiting);
  }

  /** @param {Waiting} waiting */
  decide({ node, known }) {
    const needs = [...known.needs];
    const conditions = this.below(this.of(known.poly, needs), needs, this.checks.atoms.huge);
    if (conditions || this.frames.length === 0) this.checks.record(node, conditions);
    else this.frames[this.frames.length - 1].waiting.push({ node, known });
  }

  /**
   * Conditions under which a size is at most a limit.
   *
   * @param {Poly | null} size
   * @param {Poly[]} needs
   * @param {Poly} limit
   * @returns {Poly[] | null}
   */
  below(size, needs, limit) {
    return size && this.checks.prove([...needs, limit.minus(size)]);
  }

  /**
   * Conditions under which a limit less products of values is not negative: signs do not matter where the limit is
   * great.
   *
   * @param {Poly} p
   * @returns {Poly[] | null}
   */
  limited(p) {
    const limit = p.terms.get('')?.factor ?? 0;
    /** @type {Poly[]} */
    const needs = [];
    const size = limit >= GREAT ? this.of(p.plusConstant(-limit), needs) : null;
    return size && conditionsFor([...needs, Poly.constant(limit).minus(size)]);
  }

  /** At the end of the innermost loop. */
  leave() {
    const { sums, waiting } = /** @type {Frame} */ (this.frames.pop());
    let open = sums;
    for (let before = -1; before !== open.length;) {
      before = open.length;
      open = open.filter((sum) => !this.finish(sum));
    }
    for (const sum of sums) {
      this.open.delete(sum.local);
      if (sum.local.type === 'f64') this.checks.record(sum.local, this.below(sum.size, sum.needs, WHOLE));
    }
    waiting.forEach((each) => this.decide(each));
  }

  /** Finds how great a sum becomes, once what it adds is known. @param {Sum} sum @returns {boolean} */
  finish(sum) {
    const needs = [...sum.init.needs];
    let size = this.of(sum.init.poly, needs);
    for (const { known, loops } of sum.additions) {
      let part = known && this.of(known.poly, needs);
      for (const { rounds } of loops) part = part && rounds && part.times(rounds);
      size = size && part && size.plus(part);
      if (!size || size.isLarge) return false;
      needs.push(.../** @type {Known} */ (known).needs, ...loops.flatMap((frame) => frame.needs));
    }
    if (!size) return false;
    const [lo, hi] = [size.scaled(-1), size];
    for (const atom of sum.atoms)
      Object.assign(atom, { lo: atom.lo ?? lo, hi: atom.hi ?? hi, needs: [...atom.needs, ...needs] });
    Object.assign(sum, { size, needs });
    return true;
  }
}

module.exports = { Sums, addedBy, signsOf };
