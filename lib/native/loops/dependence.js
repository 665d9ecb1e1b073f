/**
 * Whether the rounds of a loop can run in any order, and what has to be done with the locals that they set.
 *
 * Memory: of each array that the loop writes, all that a round touches must lie apart from what any later round
 * touches. Indices are polynomials with the counter times a factor and a rest; the loop is independent if the factor
 * times the step is more than the distance of any two rests (range-checks.js and polynomial.js find that out, as they
 * do for ranges).
 *
 * Locals: one that no round reads before it has set it is private to the round. One that is only ever combined with
 * another value (a sum, a product, a least one, the first of the greatest and where it was) is a reduction: pieces are
 * reduced one by one, and then the pieces in their order. Only reductions that give the same bits then are taken, so
 * sums of floats are not.
 */
'use strict';

const { isFresh } = require('../tir/fresh-locals.js');
const { associates } = require('../tir/operators.js');
const {
  baseOf, declaredIn, eachStatement, readsIn, setsIn, someNode, someStatement,
} = require('../tir/walk.js');
const { Poly, conditionsFor } = require('./polynomial.js');
const { Checks } = require('./range-checks.js');
const { roundsOf } = require('./trip-count.js');

/** @typedef {import('../tir/index.js').Statement} Statement */
/** @typedef {import('../tir/index.js').Expression} Expression */
/** @typedef {import('../tir/index.js').Local} Local */
/** @typedef {import('../tir/index.js').ArrayRef} ArrayRef */
/** @typedef {import('../tir/index.js').LoopStmt} LoopStmt */
/** @typedef {import('../tir/index.js').PrangeStmt} PrangeStmt */
/** @typedef {import('./polynomial.js').Atom} Atom */
/** @typedef {import('./range-checks.js').Background} Background */

/**
 * How pieces of a reduction are put together: by `op`, or, with `compare`, by taking the piece's value where that
 * compares so with the one before; `others` are taken along then.
 *
 * @typedef {{ local: Local, op: string | null, compare: string | null, others: Local[] }} Reduction
 */

/** @typedef {import('./trip-count.js').Rounds} Rounds */
/** @typedef {{ rounds: Rounds, reductions: Reduction[], privates: Local[] } | { reason: string, local?: Local }} Verdict */

const INEXACT = new Set(['add', 'mul']);

/** Why rounds cannot be torn apart: something leaves the loop. @type {(s: LoopStmt | PrangeStmt) => string | null} */
function leavesLoop(s) {
  const inside = new Set();
  eachStatement([s], (each) => inside.add(each));
  if (someStatement(s.body, (each) => each.kind === 'return')) return 'a return leaves it';
  if (someStatement(s.body, (each) => each.kind === 'break' && (each.target === s || !inside.has(each.target))))
    return 'a break or return leaves it';
  if (someStatement(s.body, (each) => each.kind === 'continue' && !inside.has(each.target)))
    return 'a continue leaves it';
  return null;
}

/** Why rounds had better not fail or call. @type {(s: LoopStmt) => string | null} */
function actsOutside(s) {
  if (someStatement(s.body, (each) => each.kind === 'throw'))
    return 'a round may throw, and those behind it must not have run then';
  const acts = (/** @type {Statement} */ each) => each.kind === 'call' && !isPure(each.callee, new Set());
  return someStatement(s.body, acts) ? 'it calls a function that writes to memory or may throw' : null;
}

/**
 * Whether a function does nothing but compute.
 *
 * @type {(func: import('../tir/index.js').Func, seen: Set<object>) => boolean}
 */
function isPure(func, seen) {
  if (seen.has(func)) return true;
  seen.add(func);
  const own = declaredIn(func.body);
  return (
    !func.isRecursive &&
    !someStatement(func.body, (s) => {
      if (s.kind === 'throw' || s.kind === 'parallel' || (s.kind === 'alloc' && s.escapes)) return true;
      if (s.kind === 'store' || s.kind === 'fill' || s.kind === 'copy') {
        const base = baseOf((s.kind === 'copy' ? s.target : s.array).pointer);
        return !base || !own.has(base) || definesPointer(func.body, base);
      }
      return s.kind === 'call' && !isPure(s.callee, seen);
    })
  );
}

/**
 * Whether a pointer is a part of another array, not memory of its own.
 *
 * @type {(body: Statement[], local: Local) => boolean}
 */
const definesPointer = (body, local) => someStatement(body, (s) => s.kind === 'let' && s.local === local);

// --- locals ---

/** @type {(e: Expression, local: Local) => boolean} */
const isLocal = (e, local) => e.op === 'local' && e.local === local;
/** @type {(e: Expression, local: Local) => boolean} */
const mentions = (e, local) => someNode(e, (node) => isLocal(node, local));

/**
 * The operator by which a set combines a local with something else, or null.
 *
 * @type {(s: Statement, local: Local) => string | null}
 */
function joinOf(s, local) {
  if (s.kind !== 'set' || s.local !== local) return null;
  const { op, args } = s.value;
  const sides = [args[0], args[1]];
  if (associates(op) && s.value.type === local.type) {
    if (isLocal(sides[0], local) && !mentions(sides[1], local)) return op;
    return isLocal(sides[1], local) && !mentions(sides[0], local) ? op : null;
  }
  const isInteger = local.type !== 'f64' && local.type !== 'f32';
  return op === 'sub' && isInteger && isLocal(sides[0], local) && !mentions(sides[1], local) ? 'add' : null;
}

/** @type {Record<string, string>} */
const turned = { lt: 'gt', gt: 'lt' };

/**
 * if (x > best) { best = x; at = …; }: what is taken where x compares so.
 *
 * @type {(s: Statement) => { best: Local, compare: string, others: Local[] } | null}
 */
function choiceOf(s) {
  if (s.kind !== 'if' || s.otherwise.length > 0 || (s.test.op !== 'lt' && s.test.op !== 'gt')) return null;
  const sets = s.then.filter((each) => each.kind === 'set');
  if (sets.length === 0 || sets.length !== s.then.length) return null;
  for (const side of [0, 1]) {
    const [x, best] = [s.test.args[side], s.test.args[1 - side]];
    const first = best.op === 'local' ? sets.find((each) => each.local === best.local) : undefined;
    if (!first || !isSame(first.value, x) || mentions(x, best.local)) continue;
    const others = sets.filter((each) => each !== first).map((each) => each.local);
    const reads = sets.flatMap((each) => [best.local, ...others].filter((local) => mentions(each.value, local)));
    if (reads.length === 0) return { best: best.local, compare: side === 0 ? s.test.op : turned[s.test.op], others };
  }
  return null;
}

/**
 * Whether two expressions have the same value while nothing is stored.
 *
 * @type {(a: Expression, b: Expression) => boolean}
 */
function isSame(a, b) {
  if (a === b) return true;
  if (a.op !== b.op || a.type !== b.type || a.args.length !== b.args.length) return false;
  if (a.op === 'const') return Object.is(a.value, b.value);
  if (a.op === 'load' && !isSame(a.array.pointer, b.array.pointer)) return false;
  return a.op === 'local'
    ? a.local === b.local
    : (a.op !== 'data' || a.index === b.index) && a.args.every((arg, i) => isSame(arg, b.args[i]));
}

/** @type {(body: Statement[], local: Local, isFast: boolean) => Reduction | null} */
function reductionOf(body, local, isFast) {
  const reads = readsIn(body).get(local) ?? 0;
  /** @type {Set<string | null>} */
  const ops = new Set();
  let sets = 0;
  /** @type {{ best: Local, compare: string, others: Local[] } | null} */
  let choice = null;
  eachStatement(body, (s) => {
    if (s.kind === 'set' && s.local === local) {
      sets++;
      ops.add(joinOf(s, local));
    }
    const found = choiceOf(s);
    if (found?.best === local) choice = found;
  });
  const [op] = ops;
  const isFloat = local.type === 'f64' || local.type === 'f32';
  if (ops.size === 1 && op && sets === reads && (!isFloat || !INEXACT.has(op) || isFast))
    return { local, op, compare: null, others: [] };
  const chosen = /** @type {{ best: Local, compare: string, others: Local[] } | null} */ (choice);
  if (!chosen || sets !== 1 || reads !== 1) return null;
  const alone = chosen.others.every((other) => !readsIn(body).has(other) && countSets(body, other) === 1);
  return alone ? { local, op: null, compare: chosen.compare, others: chosen.others } : null;
}

/** @type {(body: Statement[], local: Local) => number} */
function countSets(body, local) {
  let count = 0;
  eachStatement(body, (s) => {
    if (s.kind === 'set' && s.local === local) count++;
  });
  return count;
}

/**
 * What the rounds do to locals from outside.
 *
 * @type {(rounds: Rounds, s: LoopStmt | PrangeStmt, reads: Map<Local, number>, isFast: boolean) => Verdict}
 */
function localsOf(rounds, s, reads, isFast) {
  const made = declaredIn([s]);
  const inside = readsIn([s]);
  /** @type {Reduction[]} */
  const reductions = [];
  /** @type {Local[]} */
  const privates = [];
  const set = [...setsIn(rounds.body)].filter((local) => local !== rounds.counter && !made.has(local));
  for (const local of set) {
    const reduction = reductionOf(rounds.body, local, isFast);
    if (reduction) reductions.push(reduction);
  }
  const taken = new Set(reductions.flatMap((reduction) => [reduction.local, ...reduction.others]));
  for (const local of set.filter((each) => !taken.has(each))) {
    const isReadLater = (reads.get(local) ?? 0) > (inside.get(local) ?? 0);
    if (isReadLater || !isFresh(s, local)) return { reason: reasonOf(rounds.body, local), local };
    privates.push(local);
  }
  return { rounds, reductions, privates };
}

/** @type {(body: Statement[], local: Local) => string} */
function reasonOf(body, local) {
  if (local.type.startsWith('f') && reductionOf(body, local, true)) {
    return `${local.name} is a sum or product of floats, which another order of rounds would round differently: numerics: 'fast' allows it`;
  }
  return `${local.name} carries a value from one round to the next`;
}

// --- memory ---

/** @typedef {{ array: ArrayRef, poly: Poly | null, needs: Poly[], isWritten: boolean }} Access */

/**
 * The pointer an array is based on, and how many elements behind it the array begins.
 *
 * @type {(checks: Checks, array: ArrayRef, background: Background) => { base: object, offset: Poly } | null}
 */
function baseOfArray(checks, array, background) {
  let offset = Poly.constant(0);
  let at = array.pointer;
  for (let steps = 0; steps < 20; steps++) {
    if (at.op === 'data') return { base: array.roots[0] ?? at, offset };
    if (at.op === 'offset') {
      offset = offset.plus(checks.integer(at.args[1]).poly);
      [at] = at.args;
      continue;
    }
    const definition = background.definitions.get(at.local);
    // What a function returned is where its address says.
    if (!definition || definition.op === 'pointer') return at.local.isSet ? null : { base: at.local, offset };
    at = definition;
  }
  return null;
}

/**
 * The same polynomial of another round: atoms that are no leaves are other ones.
 *
 * @type {(p: Poly, checks: Checks, made: Map<Atom, Atom>) => Poly}
 */
function renamed(p, checks, made) {
  for (const atom of p.atoms) {
    if (atom.leaf || made.has(atom)) continue;
    const [lo, hi] = [atom.lo, atom.hi].map((bound) => bound && renamed(bound, checks, made));
    const needs = atom.needs.map((need) => renamed(need, checks, made));
    made.set(atom, checks.atoms.make({ lo, hi, needs, range: atom.range }));
  }
  return p.renamed(made);
}

/**
 * A polynomial as a factor times an atom and a rest, or null.
 *
 * @type {(p: Poly, atom: Atom) => { factor: Poly, rest: Poly } | null}
 */
function split(p, atom) {
  /** @type {import('./polynomial.js').Term[]} */
  const factor = [];
  /** @type {import('./polynomial.js').Term[]} */
  const rest = [];
  for (const term of p.terms.values()) {
    const k = term.atoms.filter((each) => each === atom).length;
    if (k > 1) return null;
    if (k === 0) rest.push(term);
    else factor.push({ ...term, atoms: term.atoms.filter((each) => each !== atom) });
  }
  return { factor: Poly.sum(factor), rest: Poly.sum(rest) };
}

/**
 * Conditions under which two rounds touch different elements of one array; null: nobody knows.
 *
 * @type {(accesses: Access[], counter: Atom, step: bigint, checks: Checks) => Poly[] | null}
 */
function apart(accesses, counter, step, checks) {
  const parts = accesses.map(({ poly }) => poly && split(poly, counter));
  const [first] = parts;
  if (!first || parts.some((part) => !part || part.factor.key !== first.factor.key) || first.factor.value === 0)
    return null;
  if ([...first.factor.atoms].some((atom) => !atom.leaf)) return null;
  const sign = (first.factor.value ?? 1) < 0 ? -1 : 1;
  const stride = first.factor.scaled(sign * Number(step));
  /** @type {Map<string, Poly>} */
  const rests = new Map();
  for (const part of parts) if (part) rests.set(part.rest.key, part.rest);
  if (rests.size > 8) return null;
  /** @type {Poly[]} */
  const wanted = accesses.flatMap(({ needs }) => needs);
  for (const a of rests.values()) {
    for (const b of rests.values())
      wanted.push(
        stride
          .plus(renamed(b, checks, new Map()))
          .minus(a)
          .plusConstant(-1),
      );
  }
  return conditionsFor(wanted);
}

/** @type {(all: Access[], roots: import('../tir/index.js').Root[]) => boolean} */
const touches = (all, roots) => all.some(({ array }) => array.roots.some((root) => roots.includes(root)));

/** Accesses by what memory they may be of. @type {(accesses: Access[]) => Access[][]} */
function byMemory(accesses) {
  /** @type {Access[][]} */
  let groups = [];
  for (const access of accesses) {
    const mine = groups.filter((group) => touches(group, access.array.roots));
    groups = [...groups.filter((group) => !mine.includes(group)), [...mine.flat(), access]];
  }
  return groups;
}

/** @type {(s: LoopStmt, rounds: Rounds, background: Background, noalias: boolean) => string | null} */
function sharesMemory(s, rounds, background, noalias) {
  if (!someStatement(s.body, (each) => each.kind === 'store' || each.kind === 'fill' || each.kind === 'copy'))
    return null;
  const checks = new Checks(background);
  checks.proves = false;
  const made = declaredIn([s]);
  /** @type {Access[]} */
  const accesses = [];
  let isUnknown = false;
  checks.onAccess = (array, at, isWritten) => {
    const base = baseOf(array.pointer);
    if (base && made.has(base) && !background.definitions.has(base)) return;
    const place = at && baseOfArray(checks, array, background);
    if (!place) isUnknown ||= isWritten;
    accesses.push({
      array: place ? { ...array, pointer: /** @type {any} */ (place.base) } : array,
      poly: place && at ? at.poly.plus(place.offset) : null, needs: at?.needs ?? [], isWritten,
    });
  };
  checks.statement(s);
  const counter = [...(checks.heads.get(s)?.get(rounds.counter)?.poly.atoms ?? [])][0];
  const written = byMemory(accesses).filter((group) => group.some((access) => access.isWritten));
  if (written.length > 0 && (!counter || isUnknown)) return 'it writes to elements that only the run knows';
  if (!noalias && written.length > 0 && accesses.some(({ array }) => array.roots.some((root) => root.kind === 'param')))
    return 'the arrays that were passed overlap';
  for (const group of written) {
    const [{ array }] = group;
    const name = array.roots[0]?.name ?? 'the array';
    if (group.some((access) => access.array.pointer !== array.pointer || access.array.dtype !== array.dtype))
      return `two views of ${name} may be of the same elements`;
    const conditions = apart(group, counter, rounds.step, checks);
    if (!conditions || conditions.length > 0) return `a round may touch elements of ${name} that another writes`;
  }
  return null;
}

/**
 * @param {LoopStmt | PrangeStmt} s
 * @param {Background} background
 * @param {Map<Local, number>} reads of the function
 * @param {{ isFast: boolean, noalias: boolean }} options
 * @returns {Verdict}
 */
function independence(s, background, reads, { isFast, noalias }) {
  const rounds = roundsOf(s);
  if (!rounds) return { reason: 'how many rounds there are is not known before' };
  const leaving = leavesLoop(s);
  if (leaving) return { reason: leaving };
  const locals = localsOf(rounds, s, reads, isFast);
  if ('reason' in locals || s.kind === 'prange') return locals;
  const reason = actsOutside(s) ?? sharesMemory(s, rounds, background, noalias);
  return reason ? { reason } : locals;
}

module.exports = { independence };
