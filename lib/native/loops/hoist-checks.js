/**
 * Moves range checks out of loops: `if (all indices are in range) { the loop without checks } else { the loop }`.
 *
 * A check that is known to hold goes at once. Those that hold under conditions on what is known before the loop
 * (range-checks.js) go in a copy of the loop, which runs where the conditions hold; otherwise the loop runs as it was,
 * and reads out of range give what they give in JavaScript, at the moment they do. In the copy, doubles that the
 * conditions show to be whole numbers count and index as integers. Outermost loops are tried first; what is left is
 * tried loop by loop inside.
 *
 * Conditions are computed in i64. They cannot overflow: they ask first whether each value they are made of is small
 * enough.
 */
'use strict';

const { Copy } = require('../tir/copy.js');
const { constantOf } = require('../tir/counted-loops.js');
const { isFresh } = require('../tir/fresh-locals.js');
const { zero } = require('../tir/machine.js');
const {
  blocksOf, declaredIn, eachExpression, eachStatement, expressionsOf, readsIn, setsIn, someNode, someStatement,
} = require('../tir/walk.js');
const { addedBy } = require('./accumulators.js');
const { stepsInUpdates } = require('./canonical.js');
const { Checks, backgroundOf } = require('./range-checks.js');
const { insideOf } = require('./symbolic-values.js');

/** @typedef {import('../tir/index.js').Statement} Statement */
/** @typedef {import('../tir/index.js').Expression} Expression */
/** @typedef {import('../tir/index.js').Local} Local */
/** @typedef {import('../tir/index.js').Func} Func */
/** @typedef {import('../tir/index.js').LoopStmt} LoopStmt */
/** @typedef {import('../tir/index.js').PrangeStmt} PrangeStmt */
/** @typedef {import('./polynomial.js').Atom} Atom */
/** @typedef {import('./polynomial.js').Poly} Poly */

/**
 * What became of a loop's checks.
 *
 * @typedef {(s: LoopStmt | PrangeStmt, moved: number, kept: { name: string, place: import('../tir/index.js').Place | null }[]) => void} Report
 */

/** Nodes of a loop above which it is not copied. */
const MOST_NODES = 4000;
/** Nodes that copies may add to a function. */
const MOST_GROWTH = 12000;
/** Conditions of one loop, beyond which computing them is no longer worth nothing. */
const MOST_CONDITIONS = 40;
/** A size that a condition may allow and still be likely to hold. */
const SOME = 3;
/** Bits of a value of a condition. */
const MOST_BITS = 62;
/** What constants beyond the numbers may add to that, so that all of it fits 64 bits. */
const MOST_CONSTANT = 2 ** 61;
/** Bits of a value that stands in products of so many, where that fits. */
const BITS = [0, 53, 30, 20, 15];
/** Fewer bits would not let anything through. */
const LEAST_BITS = 8;
/** Nodes of a loop above which overflows and sums alone are no reason to copy it. */
const MOST_FOR_SUMS = 600;

// --- expressions ---

/** @type {(value: bigint) => Expression} */
const i64 = (value) => ({ op: 'const', type: 'i64', value, args: [] });
/** @type {(value: boolean) => Expression} */
const truth = (value) => ({ op: 'const', type: 'bool', value, args: [] });
/** @type {(op: string, a: Expression, b: Expression) => Expression} */
const binary = (op, a, b) => ({ op, type: a.type, args: [a, b] });
/** @type {(local: Local) => Expression} */
const read = (local) => ({ op: 'local', type: local.type, local, args: [] });
/** @type {(e: Expression) => Expression} */
const asI64 = (e) => (e.type === 'i64' ? e : { op: 'convert', type: 'i64', args: [e] });

/** @type {(e: Expression) => Expression} */
const asBits = (e) => ({ op: 'bitcast', type: 'i64', args: [e] });

/**
 * Whether a double is a whole number: a -0 is equal to an integer, but is none.
 *
 * @type {(e: Expression) => Expression}
 */
const isWhole = (e) => ({
  op: 'eq', type: 'bool', args: [{ op: 'convert', type: 'f64', args: [asI64(e)] }, e].map(asBits),
});

/** The local that isWhole asks about, or null. @type {(e: Expression) => Local | null} */
function askedWhole(e) {
  if (e.op !== 'eq' || e.args.some((arg) => arg.op !== 'bitcast' || arg.args[0].type !== 'f64')) return null;
  const [made, given] = e.args.map((arg) => arg.args[0]);
  const back = made.op === 'convert' && made.args[0].op === 'convert' ? made.args[0].args[0] : null;
  return given.op === 'local' && back?.op === 'local' && back.local === given.local ? given.local : null;
}

/** @type {(e: Expression) => Expression} what constants decide */
function folded(e) {
  const [a, b] = e.args;
  if (e.op === 'not' && a.op === 'const' && e.type === 'bool') return truth(!a.value);
  if ((e.op === 'and' || e.op === 'andalso') && e.type === 'bool') {
    if (a.op === 'const') return a.value ? b : a;
    if (b.op === 'const' && b.value) return a;
  }
  if ((e.op === 'or' || e.op === 'orelse') && e.type === 'bool') {
    if (a.op === 'const') return a.value ? a : b;
    if (b.op === 'const' && !b.value) return a;
  }
  return (e.op === 'select' || e.op === 'choose') && a.op === 'const' ? e.args[a.value ? 1 : 2] : e;
}

// --- conditions ---

/** How many bits a number has. @type {(x: number) => number} */
const bitsIn = (x) => Math.floor(Math.log2(Math.abs(x))) + 1;

/** @type {(atom: Atom) => boolean} */
const isConstant = (atom) => atom.leaf?.op === 'const';

/** Bits that each leaf may have for the sums to fit. @type {(conditions: Poly[]) => Map<Atom, bigint> | null} */
function bitsOf(conditions) {
  /** @type {Map<Atom, number>} */
  const bits = new Map();
  for (const { terms } of conditions) {
    let constant = 0;
    for (const { factor, atoms } of terms.values()) {
      if (atoms.length >= BITS.length) return null;
      if (atoms.some(isConstant)) {
        constant += atoms.length === 1 ? Math.abs(factor * Number(atoms[0].leaf?.value)) : Infinity;
        if (constant > MOST_CONSTANT) return null;
        continue;
      }
      const room = Math.floor((MOST_BITS - bitsIn(terms.size) - bitsIn(factor)) / atoms.length);
      const most = Math.min(BITS[atoms.length], room);
      for (const atom of atoms) if (most < (bits.get(atom) ?? 64)) bits.set(atom, most);
    }
  }
  for (const [atom, most] of [...bits]) if (atom.of) bits.set(atom.of, Math.min(most, bits.get(atom.of) ?? 64));
  return [...bits.values()].some((each) => each < LEAST_BITS)
    ? null
    : new Map([...bits].map(([atom, most]) => [atom, BigInt(most)]));
}

/**
 * Conditions by what they are but for a constant; of those that differ by one, the one that implies the others.
 *
 * @typedef {Map<string, Poly>} Conditions
 */

/** @type {(conditions: Conditions, more: Poly[]) => Conditions} */
function joined(conditions, more) {
  const all = new Map(conditions);
  for (const p of more) {
    const other = all.get(p.direction);
    if (!other || p.offset < other.offset) all.set(p.direction, p);
  }
  return all;
}

/** @type {(conditions: Conditions, p: Poly) => boolean} */
function implies(conditions, p) {
  const known = conditions.get(p.direction);
  return known !== undefined && known.offset <= p.offset;
}

/**
 * Whether a condition is hardly ever true: sizes are not negative, and seldom as small as it wants them. `a[i - width]`
 * for i from 0 on asks for a width of 0, for which nobody needs a loop without checks; where it is guarded, such as by
 * `i >= width`, nothing is asked.
 *
 * @type {(p: Poly) => boolean}
 */
const isUnlikely = (p) =>
  [...p.terms.values()].every(({ factor, atoms }) => (atoms.length === 0 ? factor < SOME : factor < 0));

/** @type {(p: Poly, valueOf: (atom: Atom) => Expression) => Expression} */
function polyExpression(p, valueOf) {
  const terms = [...p.terms.values()].map(({ factor, atoms }) => {
    const product = atoms
      .map(valueOf)
      .reduce((/** @type {Expression | null} */ x, y) => (x ? binary('mul', x, y) : y), null);
    if (!product) return i64(BigInt(factor));
    return factor === 1 ? product : binary('mul', product, i64(BigInt(factor)));
  });
  return terms.length === 0 ? i64(0n) : terms.reduce((x, y) => binary('add', x, y));
}

// --- one loop ---

/** @type {(body: Statement[]) => number} */
function sizeOf(body) {
  let nodes = 0;
  eachStatement(body, () => nodes++);
  eachExpression(body, () => nodes++);
  return nodes;
}

/** Whether a loop has none inside. @type {(s: Statement) => boolean} */
const isInnermost = (s) =>
  !blocksOf(s).some((block) => someStatement(block, (each) => each.kind === 'loop' || each.kind === 'prange'));

/** @type {(node: any) => boolean} */
const isAccess = (node) =>
  node.kind === 'store' ||
  node.op === 'load' ||
  node.op === 'overflows' ||
  (node.op === 'lt' && insideOf(node) !== null);

/** @type {(node: any) => boolean} */
const isOverflow = (node) => node.op === 'overflows';

/**
 * Whether there is anything in a loop that a copy of it might do without.
 *
 * @type {(s: Statement, definitions: Map<Local, Expression>) => boolean}
 */
function mayGain(s, definitions) {
  const isCheck = (/** @type {Expression} */ e) =>
    e.op === 'load' ? e.missing !== null : e.op === 'overflows' || insideOf(e) !== null;
  return someStatement([s], (each) => {
    if (each.kind === 'store' && each.checked) return true;
    if (each.kind === 'set' && each.local.type === 'f64' && mayBeWhole(addedBy(each.value, each.local), definitions))
      return true;
    return expressionsOf(each).some((e) => someNode(e, isCheck));
  });
}

/**
 * Whether a double may be made of integers.
 *
 * @type {(e: Expression | null, definitions: Map<Local, Expression>) => boolean}
 */
function mayBeWhole(e, definitions) {
  switch (e?.op) {
    case 'const':
      return Number.isSafeInteger(e.value);
    case 'convert':
      return true;
    case 'local':
      return e.local.isSet || e.local.isParam || mayBeWhole(definitions.get(e.local) ?? null, definitions);
    case 'select':
    case 'choose':
      return mayBeWhole(e.args[1], definitions);
    case 'add':
    case 'sub':
    case 'mul':
    case 'floor':
    case 'ceil':
    case 'trunc':
      return e.args.every((arg) => mayBeWhole(arg, definitions));
    default:
      return false;
  }
}

/** Whether an expression has one value wherever it stands. @type {(e: Expression) => boolean} */
const isFixed = (e) => e.op !== 'load' && (e.op !== 'local' || !e.local.isSet) && e.args.every(isFixed);

class Mover {
  /** @param {Func} func @param {Report} report */
  constructor(func, report) {
    this.func = func;
    this.report = report;
    this.background = backgroundOf(func);
    this.reads = readsIn(func.body);
    this.room = MOST_GROWTH;
  }

  /** @param {Statement[]} body @returns {Statement[]} */
  body(body) {
    /** Constants that locals hold. @type {Map<Local, Expression>} */
    const known = new Map();
    return body.flatMap((s) => {
      const made = this.statement(s, known);
      for (const local of setsIn([s])) known.delete(local);
      if ((s.kind === 'let' || s.kind === 'set') && constantOf(s.value) !== null) known.set(s.local, s.value);
      return made;
    });
  }

  /** @param {Statement} s @param {Map<Local, Expression>} known @returns {Statement[]} */
  statement(s, known) {
    if (s.kind === 'loop' || s.kind === 'prange') return this.loop(s, known);
    if (s.kind === 'if') return [Object.assign(s, { then: this.body(s.then), otherwise: this.body(s.otherwise) })];
    if (s.kind === 'block') return [Object.assign(s, { body: this.body(s.body) })];
    return [s];
  }

  /** @param {LoopStmt | PrangeStmt} s @param {Map<Local, Expression>} known @returns {Statement[]} */
  loop(s, known) {
    if (!mayGain(s, this.background.definitions)) {
      if (isInnermost(s)) this.report(s, 0, []);
      return [this.inside(s)];
    }
    const checks = new Checks(this.background);
    for (const [local, value] of known) checks.assign(local, value);
    checks.statement(s);
    const chosen = this.choose(s, checks);
    if (!chosen) {
      if (isInnermost(s)) this.tell(s, checks.found, new Set());
      return [this.inside(s)];
    }
    return this.twice(s, chosen, checks);
  }

  /**
   * Reports accesses by where they stand.
   *
   * @param {LoopStmt | PrangeStmt} s
   * @param {Map<object, Poly[] | null>} found
   * @param {Set<object>} moved
   */
  tell(s, found, moved) {
    const accesses = [...found.keys()].filter((node) => isAccess(node) && 'array' in node);
    const of = (/** @type {boolean} */ isMoved) =>
      new Map(
        accesses
          .filter((node) => moved.has(node) === isMoved)
          .map((node) => [/** @type {any} */ (node).place, /** @type {any} */ (node)]),
      );
    const kept = [...of(false)].map(([place, { array }]) => ({ name: array.roots[0]?.name ?? 'an array', place }));
    this.report(s, of(true).size, kept);
  }

  /** Tries the loops inside a loop. @param {LoopStmt | PrangeStmt} s @returns {Statement} */
  inside(s) {
    s.body = this.body(s.body);
    if (s.kind === 'loop') [s.before, s.update] = [this.body(s.before), this.body(s.update)];
    return s;
  }

  /**
   * Conditions to ask before a loop, and the nodes that change if they hold; null where the loop had better stay.
   *
   * @param {LoopStmt | PrangeStmt} s
   * @param {Checks} checks
   */
  choose(s, checks) {
    const size = sizeOf([s]);
    if (size > MOST_NODES || size > this.room) return null;
    const found = withWholeLocals(s, checks);
    /** @type {Conditions} */
    let conditions = new Map();
    /** @type {Set<object>} */
    const nodes = new Set();
    for (const [node, polys] of found) {
      const isSum = checks.sums.wholes.has(/** @type {any} */ (node));
      if (
        !polys ||
        (polys.length === 0 && !isSum) ||
        polys.some(isUnlikely) ||
        !(isSum || isOverflow(node) ? size <= MOST_FOR_SUMS : isAccess(node))
      )
        continue;
      const all = joined(conditions, polys);
      if (all.size > MOST_CONDITIONS || (all.size > 0 && !bitsOf([...all.values()]))) continue;
      conditions = all;
      nodes.add(node);
    }
    if (nodes.size === 0) return null;
    this.room -= size;
    for (const [node, polys] of found) if (polys?.every((p) => implies(conditions, p))) nodes.add(node);
    return { conditions: [...conditions.values()], nodes };
  }

  /** @param {LoopStmt | PrangeStmt} s @param {{ conditions: Poly[], nodes: Set<object> }} chosen @param {Checks} checks @returns {Statement[]} */
  twice(s, { conditions, nodes }, checks) {
    /** @type {Statement[]} */
    const out = [];
    /** @type {Map<Local, Local>} */
    const integers = new Map();
    const ok = conditions.length > 0 ? this.make('in_range', 'bool', this.test(conditions, out, integers), out) : null;
    this.tell(s, checks.found, nodes);
    const then = this.withoutChecks(s, nodes, integers);
    if (!ok) return then;
    eachStatement([s], (each) => {
      if (each.kind === 'loop' || each.kind === 'prange') each.variant = 2;
    });
    return [...out, { kind: 'if', test: read(ok), then, otherwise: [s], place: null }];
  }

  /** @param {string} name @param {string} type @param {Expression} value @param {Statement[]} out */
  make(name, type, value, out) {
    const local = { name, type, isParam: false, isSet: false };
    out.push({ kind: 'let', local, value });
    return local;
  }

  /** @param {Poly[]} conditions @param {Statement[]} out @param {Map<Local, Local>} integers @returns {Expression} */
  test(conditions, out, integers) {
    const bits = /** @type {Map<Atom, bigint>} */ (bitsOf(conditions));
    /** @type {Expression[]} */
    const tests = [];
    /** @type {Map<Atom, Expression>} */
    const values = new Map();
    for (const [atom, size] of [...bits].sort(([a], [b]) => Number(a.of !== null) - Number(b.of !== null))) {
      const leaf = /** @type {Expression} */ (atom.leaf);
      let value = atom.of
        ? { op: 'abs', type: 'i64', args: [/** @type {Expression} */ (values.get(atom.of))] }
        : asI64(leaf);
      if (atom.isDouble) {
        const whole = this.make(leaf.local.name, 'i64', value, out);
        integers.set(leaf.local, whole);
        value = read(whole);
        tests.push(isWhole(leaf));
      }
      values.set(atom, value);
      const [lo, hi] = atom.range;
      if (atom.of || (lo !== null && hi !== null && BigInt(lo) >= -(2n ** size) && BigInt(hi) < 2n ** size)) continue;
      const moved = { op: 'bitcast', type: 'u64', args: [binary('add', value, i64(2n ** size))] };
      tests.push({
        op: 'lt', type: 'bool', args: [moved, { op: 'const', type: 'u64', value: 2n ** (size + 1n), args: [] }],
      });
    }
    const valueOf = (/** @type {Atom} */ atom) => /** @type {Expression} */ (values.get(atom) ?? atom.leaf);
    for (const p of conditions) tests.push({ op: 'ge', type: 'bool', args: [polyExpression(p, valueOf), i64(0n)] });
    return tests.reduce((x, y) => binary('and', x, y));
  }

  /**
   * The loop without the checks in `nodes`.
   *
   * @param {LoopStmt | PrangeStmt} s
   * @param {Set<object>} nodes
   * @param {Map<Local, Local>} integers
   * @returns {Statement[]}
   */
  withoutChecks(s, nodes, integers) {
    const rewriter = new Rewriter(nodes, integers, this.background.definitions);
    const copy = new Copy({
      expression: (e, c) => rewriter.expression(e, c), statement: (each, c) => rewriter.statement(each, c), variant: 1,
    });
    const own = this.ownLocals(s, copy, rewriter);
    const loop = /** @type {LoopStmt | PrangeStmt} */ (copy.statement(s));
    stepsInUpdates([loop]);
    this.define(loop, copy);
    return [...own, this.inside(loop), ...rewriter.back()];
  }

  /** Notes what is known of the locals of a copy. @param {Statement} loop @param {Copy} copy */
  define(loop, copy) {
    const { definitions, lengths } = this.background;
    // What is read in a copy counts, too, or a local that a loop inside only sets would seem to be read by nobody.
    for (const [local, count] of readsIn([loop])) this.reads.set(local, (this.reads.get(local) ?? 0) + count);
    eachStatement([loop], (s) => s.kind === 'let' && !s.local.isSet && definitions.set(s.local, s.value));
    for (const [from, to] of copy.locals) if (lengths.has(from)) lengths.add(to);
  }

  /**
   * Locals that only the loop reads, such as its counter, get their own in the copy, so that their final values do not
   * matter there; whole doubles become integers, and doubles again at the end if somebody reads them.
   *
   * @param {LoopStmt | PrangeStmt} s
   * @param {Copy} copy
   * @param {Rewriter} rewriter
   * @returns {Statement[]}
   */
  ownLocals(s, copy, rewriter) {
    const [inside, made] = [readsIn([s]), declaredIn([s])];
    /** @type {Statement[]} */
    const lets = [];
    for (const local of setsIn([s])) {
      const isMade = made.has(local);
      const isOwn = isMade || this.reads.get(local) === inside.get(local);
      // What no round sees is not read, so that the local is the other version's alone.
      const before = !isMade && isOwn && isFresh(s, local) ? zero(local.type) : read(local);
      if (local.type === 'f64' && rewriter.nodes.has(local)) {
        const whole = { ...local, type: 'i64' };
        rewriter.integers.set(local, whole);
        if (!isOwn) rewriter.kept.push(local);
        if (!isMade) lets.push({ kind: 'let', value: asI64(before), local: whole });
      } else if (isOwn && !isMade) lets.push({ kind: 'let', value: before, local: copy.local(local) });
    }
    return lets;
  }
}

/**
 * What was found, where locals of whole doubles also ask for what makes each of their values whole.
 *
 * @param {LoopStmt | PrangeStmt} s
 * @param {Checks} checks
 * @returns {Map<object, Poly[] | null>}
 */
function withWholeLocals(s, { found, steps }) {
  /** @type {Map<Local, Poly[] | null>} */
  const locals = new Map();
  for (const [node, polys] of found)
    if (!('op' in node) && !('kind' in node)) locals.set(/** @type {Local} */ (node), polys);
  if (locals.size === 0) return found;
  eachStatement([s], (each) => {
    if ((each.kind !== 'let' && each.kind !== 'set') || !locals.has(each.local) || steps.has(each)) return;
    const [before, more] = [locals.get(each.local), found.get(each)];
    locals.set(each.local, before && more ? [...before, ...more] : null);
  });
  return new Map([...found, ...locals]);
}

/** What changes where conditions hold. */
class Rewriter {
  /** @param {Set<object>} nodes @param {Map<Local, Local>} integers of doubles that are whole @param {Map<Local, Expression>} definitions */
  constructor(nodes, integers, definitions) {
    this.nodes = nodes;
    this.integers = integers;
    this.definitions = definitions;
    /** Doubles that are read later. @type {Local[]} */
    this.kept = [];
    /** Doubles that only the integer is left of. @type {Set<Local>} */
    this.named = new Set();
  }

  /** Doubles, for those who read them later. @returns {Statement[]} */
  back() {
    return this.kept.map((local) => ({
      kind: 'set', local,
      value: { op: 'convert', type: 'f64', args: [read(/** @type {Local} */ (this.integers.get(local)))] },
    }));
  }

  /** @param {Expression} e @param {Copy} copy @returns {Expression | null} */
  expression(e, copy) {
    if (
      e.op === 'local' &&
      e.type === 'f64' &&
      (e.local.isSet || this.named.has(e.local)) &&
      this.integers.has(e.local)
    )
      return { op: 'convert', type: 'f64', args: [read(/** @type {Local} */ (this.integers.get(e.local)))] };
    if (e.op === 'is_nan' && e.args[0].op === 'local' && this.integers.has(e.args[0].local)) return truth(false);
    if (!this.nodes.has(e)) return e.args.length > 0 && e.op !== 'load' ? folded(copy.inside(e)) : null;
    if (e.op === 'load') return { ...copy.inside(e), valid: null, missing: null };
    if (e.op === 'overflows') return truth(false);
    if (insideOf(e)) return truth(true);
    const parts = e.args.map((arg) => this.integer(arg, copy));
    if (parts.includes(null)) return null;
    const whole = /** @type {Expression[]} */ (parts);
    return e.op === 'convert' ? whole[0] : { ...e, args: whole };
  }

  /**
   * A whole double that is made once, as the integer that it is.
   *
   * @param {import('../tir/index.js').LetStmt} s
   * @param {Copy} copy
   * @returns {Statement[]}
   */
  integral(s, copy) {
    const value = this.integer(s.value, copy);
    if (!value) return [copy.statement(s)];
    const whole = { ...s.local, type: 'i64' };
    this.integers.set(s.local, whole);
    this.named.add(s.local);
    return [{ kind: 'let', local: whole, value }];
  }

  /**
   * A double that is a whole number, as an i64.
   *
   * @param {Expression} e
   * @param {Copy} copy
   * @returns {Expression | null}
   */
  integer(e, copy) {
    if (e.op === 'const') return i64(BigInt(e.value));
    if (e.op === 'convert') return asI64(copy.expression(e.args[0]));
    if (e.op === 'local') {
      const known = this.integers.get(e.local);
      const definition = this.definitions.get(e.local);
      return known ? read(known) : definition && isFixed(definition) ? this.integer(definition, copy) : null;
    }
    if (e.op === 'select' || e.op === 'choose') {
      if (insideOf(e.args[0]) && this.nodes.has(e.args[0])) return this.integer(e.args[1], copy);
      const [then, otherwise] = [this.integer(e.args[1], copy), this.integer(e.args[2], copy)];
      return then && otherwise && { op: e.op, type: 'i64', args: [copy.expression(e.args[0]), then, otherwise] };
    }
    if (e.op === 'floor' || e.op === 'ceil' || e.op === 'trunc') return this.integer(e.args[0], copy);
    if (!['add', 'sub', 'mul', 'neg'].includes(e.op)) return null;
    const args = e.args.map((arg) => this.integer(arg, copy));
    return args.includes(null) ? null : { op: e.op, type: 'i64', args: /** @type {Expression[]} */ (args) };
  }

  /** @param {Statement} s @param {Copy} copy @returns {Statement[] | null} */
  statement(s, copy) {
    const whole = (s.kind === 'let' || s.kind === 'set') && s.local.isSet ? this.integers.get(s.local) : undefined;
    if (whole && (s.kind === 'let' || s.kind === 'set'))
      return [{ ...s, local: whole, value: this.integer(s.value, copy) ?? asI64(copy.expression(s.value)) }];
    if (s.kind === 'let' && s.local.type === 'f64' && !s.local.isSet && this.nodes.has(s) && !isFixed(s.value))
      return this.integral(s, copy);
    if (this.kept.length > 0 && (s.kind === 'break' || s.kind === 'continue') && !copy.targets.has(s.target))
      return [...this.back(), { ...s }];
    if (s.kind === 'store' && this.nodes.has(s))
      return [{ .../** @type {any} */ (copy.statement(s)), checked: false, valid: null }];
    if (s.kind !== 'if') return null;
    const test = copy.expression(s.test);
    if (test.op === 'const') return copy.body(test.value ? s.then : s.otherwise);
    return [{ ...s, test, then: copy.body(s.then), otherwise: copy.body(s.otherwise) }];
  }
}

/** Removes what is known without asking. @param {Func} func */
function dropKnown(func) {
  const background = backgroundOf(func);
  const checks = new Checks(background);
  for (const param of func.params.filter((each) => each.isSet)) checks.integer(read(param));
  checks.body(func.body);
  const nodes = new Set(
    [...checks.found].filter(([node, wanted]) => isAccess(node) && wanted?.length === 0).map(([node]) => node),
  );
  if (nodes.size === 0) return;
  const rewriter = new Rewriter(nodes, new Map(), background.definitions);
  func.body = new Copy({
    expression: (e, c) => rewriter.expression(e, c),
    statement: (each, c) => rewriter.statement(each, c),
  }).body(func.body);
}

/**
 * Moves range checks of a function out of its loops, and drops those that always hold.
 *
 * @param {Func} func
 * @param {Report} report is told of loops that are made twice, and of innermost ones that keep checks
 */
function hoistChecks(func, report) {
  dropKnown(func);
  func.body = new Mover(func, report).body(func.body);
}

module.exports = { Rewriter, askedWhole, folded, hoistChecks, sizeOf };
