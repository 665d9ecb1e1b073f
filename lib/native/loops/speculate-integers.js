/**
 * Loops that compute with doubles which happen to be whole numbers: they run on integers as long as these are small.
 *
 * `x = x % 2 === 0 ? x / 2 : 3 * x + 1` may leave the integers at any time, so x is a double, and the remainder of
 * doubles is slow. Here such a loop is made twice. The first one runs on integers while each local that is carried from
 * round to round is whole, not negative and below a power of two that keeps everything in a round exact; the original
 * follows, and goes on where the first one stopped: at once if it ended because of that, not at all if it was done.
 *
 * A zero of an integer has no sign, so only operators are taken that cannot make a -0 of such numbers. It is done for
 * innermost loops with a remainder of doubles, which is what it pays for.
 */
'use strict';

const { Copy } = require('../tir/copy.js');
const {
  blocksOf, declaredIn, eachExpression, eachStatement, expressionsOf, setsIn, someNode, someStatement,
} = require('../tir/walk.js');

/** @typedef {import('../tir/index.js').Statement} Statement */
/** @typedef {import('../tir/index.js').Expression} Expression */
/** @typedef {import('../tir/index.js').Local} Local */
/** @typedef {import('../tir/index.js').LoopStmt} LoopStmt */

/**
 * A whole number as an i64, with the most that it can be.
 *
 * @typedef {{ e: Expression, most: bigint, isNatural: boolean }} Whole
 */
/** @typedef {{ most: bigint, isNatural: boolean }} Bound */
/** Known: what is divided by what without remainder. @typedef {{ x: Expression, by: bigint }} Divides */

/** Bits that carried locals may have at the beginning of a round; the first for which a round is exact is taken. */
const SIZES = [50n, 40n, 31n, 25n];
const EXACT = 2n ** 53n;
const RANGES = new Map(Object.entries({ i32: 2n ** 31n, u32: 2n ** 32n }));
const INTEGERS = new Set(['i32', 'u32', 'i64']);
const COMPARES = new Set(['eq', 'ne', 'lt', 'le', 'gt', 'ge']);
const ALLOWED = new Set(['let', 'set', 'if', 'store', 'break', 'continue', 'throw', 'return']);

/** @type {(value: bigint) => Expression} */
const i64 = (value) => ({ op: 'const', type: 'i64', value, args: [] });
/** @type {(local: Local) => Expression} */
const read = (local) => ({ op: 'local', type: local.type, local, args: [] });
/** @type {(op: string, ...args: Expression[]) => Expression} */
const whole = (op, ...args) => ({ op, type: 'i64', args });
/** @type {(op: string, a: Expression, b: Expression) => Expression} */
const truth = (op, a, b) => ({ op, type: 'bool', args: [a, b] });
/** @type {(e: Expression) => Expression} */
const asDouble = (e) => ({ op: 'convert', type: 'f64', args: [e] });

/** A whole constant that is no -0. @type {(e: Expression) => bigint | null} */
const constantOf = (e) =>
  e.op === 'const' && e.type === 'f64' && Number.isSafeInteger(e.value) && !Object.is(e.value, -0)
    ? BigInt(e.value)
    : null;

/** @type {(a: Expression, b: Expression) => boolean} of locals and constants */
const isSame = (a, b) =>
  a.op === 'local'
    ? b.op === 'local' && a.local === b.local
    : a.op === 'const' && b.op === 'const' && Object.is(a.value, b.value);

/** The integers of one loop for one size. */
class Integers {
  /** @param {Set<Local>} carried @param {bigint} size */
  constructor(carried, size) {
    this.copy = new Copy({ expression: (e) => this.changed(e), variant: 1 });
    /** @type {Map<Local, Local>} */
    this.twins = new Map();
    /** @type {Map<Local, Bound>} */
    this.bounds = new Map();
    /** @type {Divides[]} */
    this.divides = [];
    for (const local of carried) {
      this.twins.set(local, { ...local, type: 'i64', isSet: true });
      this.bounds.set(local, { most: 2n ** size, isNatural: true });
    }
  }

  /** The integer that an f64 is, if that is certain. @param {Expression} e @returns {Whole | null} */
  whole(e) {
    const made = this.any(e);
    return made && made.most < EXACT ? made : null;
  }

  /** @param {Expression} e @returns {Whole | null} */
  any(e) {
    const value = constantOf(e);
    if (value !== null) return { e: i64(value), most: value < 0n ? -value : value, isNatural: value >= 0n };
    if (e.op === 'local') {
      const [twin, bound] = [this.twins.get(e.local), this.bounds.get(e.local)];
      return twin && bound ? { e: read(twin), ...bound } : null;
    }
    if (e.op === 'convert') {
      const most = e.type === 'f64' ? RANGES.get(e.args[0].type) : undefined;
      return most === undefined
        ? null
        : {
            e: { op: 'convert', type: 'i64', args: [this.copy.expression(e.args[0])] },
            most,
            isNatural: e.args[0].type === 'u32',
          };
    }
    if (e.op === 'select' || e.op === 'choose') return this.chosen(e);
    return e.type === 'f64' ? this.operator(e) : null;
  }

  /** @param {Expression} e @returns {Whole | null} */
  operator(e) {
    if (e.op === 'div') return this.quotient(e);
    if ((e.op === 'floor' || e.op === 'trunc') && e.args[0].op === 'div') return this.quotient(e.args[0], true);
    const [a, b] = e.args.map((arg) => this.whole(arg));
    if (!a || (e.args.length > 1 && !b)) return null;
    if (e.op === 'floor' || e.op === 'trunc' || e.op === 'ceil') return a;
    if (!b) return null;
    const isNatural = a.isNatural && b.isNatural;
    switch (e.op) {
      case 'add':
      case 'sub':
        return { e: whole(e.op, a.e, b.e), most: a.most + b.most, isNatural: isNatural && e.op === 'add' };
      case 'mul':
        return isNatural ? { e: whole('mul', a.e, b.e), most: a.most * b.most, isNatural } : null;
      case 'rem': {
        const by = constantOf(e.args[1]);
        return by !== null && by > 0n && a.isNatural
          ? { e: whole('rem', a.e, i64(by)), most: by, isNatural: true }
          : null;
      }
      default:
        return null;
    }
  }

  /**
   * A quotient by a constant that is whole, because nothing is left or because it is rounded down.
   *
   * @param {Expression} e
   * @param {boolean} [isRounded]
   * @returns {Whole | null}
   */
  quotient(e, isRounded = false) {
    const a = this.whole(e.args[0]);
    const by = constantOf(e.args[1]);
    if (!a || by === null || by <= 0n) return null;
    const isKnown = this.divides.some((known) => isSame(known.x, e.args[0]) && known.by % by === 0n);
    return isKnown || (isRounded && a.isNatural)
      ? { e: whole('div', a.e, i64(by)), most: a.most, isNatural: a.isNatural }
      : null;
  }

  /** @param {Expression} e @returns {Whole | null} */
  chosen(e) {
    const [test, then, otherwise] = e.args;
    const a = this.knowing(test, () => this.whole(then));
    const b = this.whole(otherwise);
    if (!a || !b) return null;
    return {
      e: { ...e, type: 'i64', args: [this.copy.expression(test), a.e, b.e] }, most: a.most > b.most ? a.most : b.most,
      isNatural: a.isNatural && b.isNatural,
    };
  }

  /**
   * What `inside` finds where a test holds.
   *
   * @template T
   * @param {Expression} test
   * @param {() => T} inside
   * @returns {T}
   */
  knowing(test, inside) {
    const before = this.divides;
    this.divides = [...before, ...dividesOf(test)];
    const found = inside();
    this.divides = before;
    return found;
  }

  /** @param {Expression} e @returns {Expression | null} */
  changed(e) {
    if (COMPARES.has(e.op) && e.args[0].type === 'f64') {
      const [a, b] = e.args.map((arg) => this.whole(arg));
      return a && b ? truth(e.op, a.e, b.e) : null;
    }
    if (e.op === 'local') {
      const twin = this.twins.get(e.local);
      return twin ? asDouble(read(twin)) : null;
    }
    const found = e.type === 'f64' && e.op === 'rem' ? this.whole(e) : null;
    return found && asDouble(found.e);
  }
}

/** @type {(test: Expression) => Divides[]} */
function dividesOf(test) {
  if (test.op === 'andalso' || test.op === 'and') return test.args.flatMap(dividesOf);
  if (test.op !== 'eq' || constantOf(test.args[1]) !== 0n || test.args[0].op !== 'rem') return [];
  const [x, divisor] = test.args[0].args;
  const by = constantOf(divisor);
  return by !== null && by > 0n ? [{ x, by }] : [];
}

/** Writes the loop on integers. */
class Writer {
  /** @param {LoopStmt} s @param {Integers} integers @param {Set<Local>} carried @param {import('../tir/index.js').BlockStmt} around */
  constructor(s, integers, carried, around) {
    this.s = s;
    this.integers = integers;
    this.carried = carried;
    this.around = around;
    /** Carried locals that are set to what may be no integer. @type {Set<Local>} */
    this.unfit = new Set();
  }

  /** What doubles are, for those who go on with them. @returns {Statement[]} */
  back() {
    return [...this.carried].map((local) => ({
      kind: 'set', local, value: asDouble(read(/** @type {Local} */ (this.integers.twins.get(local)))),
    }));
  }

  /** @param {Statement[]} body @returns {Statement[]} */
  body(body) {
    return body.flatMap((s) => this.statement(s));
  }

  /** @param {Statement} s @returns {Statement[]} */
  statement(s) {
    const { copy, bounds } = this.integers;
    switch (s.kind) {
      case 'let':
      case 'set':
        return [this.assign(s)];
      case 'if': {
        const test = copy.expression(s.test);
        const before = new Map(bounds);
        const then = this.integers.knowing(s.test, () => this.body(s.then));
        const after = new Map(bounds);
        for (const [local, bound] of before) bounds.set(local, bound);
        const otherwise = this.body(s.otherwise);
        for (const [local, bound] of after) bounds.set(local, wider(bound, bounds.get(local)));
        this.integers.divides = [];
        return [{ ...s, test, then, otherwise }];
      }
      case 'break':
        return s.target === this.s ? [...this.back(), { kind: 'break', target: this.around }] : [...this.back(), { ...s }];
      case 'continue':
        return s.target === this.s ? [copy.statement(s)] : [...this.back(), { ...s }];
      default:
        return [copy.statement(s)];
    }
  }

  /** @param {import('../tir/index.js').LetStmt | import('../tir/index.js').SetStmt} s @returns {Statement} */
  assign(s) {
    const { integers } = this;
    const found = s.local.type === 'f64' ? integers.whole(s.value) : null;
    integers.divides = integers.divides.filter(({ x }) => !(x.op === 'local' && x.local === s.local));
    if (s.kind === 'set' && !this.carried.has(s.local)) {
      return integers.copy.statement(s);
    }
    if (s.kind === 'let' && (!found || s.local.isSet)) return integers.copy.statement(s);
    if (!found) {
      this.unfit.add(s.local);
      return s;
    }
    if (s.kind === 'let') integers.twins.set(s.local, { ...s.local, type: 'i64' });
    integers.bounds.set(s.local, { most: found.most, isNatural: found.isNatural });
    return { ...s, local: /** @type {Local} */ (integers.twins.get(s.local)), value: found.e };
  }
}

/** @type {(a: Bound, b: Bound | undefined) => Bound} */
const wider = (a, b) => (b ? { most: a.most > b.most ? a.most : b.most, isNatural: a.isNatural && b.isNatural } : a);

/** Whether a loop is one that this is for. @type {(s: LoopStmt) => boolean} */
function isMeant(s) {
  if (s.late || s.before.length > 0 || !s.test) return false;
  const inside = [...s.body, ...s.update];
  if (someStatement(inside, (each) => !ALLOWED.has(each.kind))) return false;
  // Bounds at the update are those of the end of the body.
  const jumps = someStatement(s.body, (each) => each.kind === 'continue' && each.target === s);
  if (jumps && s.update.flatMap(expressionsOf).some((e) => someNode(e, ({ type }) => type === 'f64'))) return false;
  return remaindersIn(s) > 0;
}

/** How many remainders of doubles a statement has. @type {(s: Statement) => number} */
function remaindersIn(s) {
  let found = 0;
  eachExpression([s], (e) => {
    if (e.op === 'rem' && e.type === 'f64') found++;
  });
  return found;
}

/**
 * The loop on integers, or the locals that cannot be any.
 *
 * @type {(s: LoopStmt, carried: Set<Local>, starts: Map<Local, Expression>, size: bigint, around: import('../tir/index.js').BlockStmt) => { made: Statement[] } | { unfit: Set<Local> }}
 */
function onIntegers(s, carried, starts, size, around) {
  const integers = new Integers(carried, size);
  const writer = new Writer(s, integers, carried, around);
  /** @type {LoopStmt} */
  const made = { ...s, before: [], variant: 1 };
  integers.copy.targets.set(s, made);
  const twins = [...carried].map((local) => /** @type {Local} */ (integers.twins.get(local)));
  const test = integers.copy.expression(/** @type {Expression} */ (s.test));
  // One less than there is room for: LLVM compares with a power of two by a shift of a copy, which takes an instruction
  // more.
  const limit = { op: 'const', type: 'u64', value: 2n ** size - 1n, args: [] };
  const small = twins
    .map((twin) => truth('lt', { op: 'bitcast', type: 'u64', args: [read(twin)] }, limit))
    .reduce((a, b) => truth('and', a, b));
  made.test = truth('andalso', small, test);
  made.body = writer.body(s.body);
  made.update = writer.body(s.update);
  if (writer.unfit.size > 0) return { unfit: writer.unfit };
  if (remaindersIn(made) === remaindersIn(s)) return { unfit: carried };
  const isWhole = [...carried].map((local, i) => {
    if (starts.has(local)) return truth('ge', read(twins[i]), i64(0n));
    const isNotNegative = truth('ge', { op: 'bitcast', type: 'i64', args: [read(local)] }, i64(0n));
    return truth('and', truth('eq', asDouble(read(twins[i])), read(local)), isNotNegative);
  });
  /** @type {Statement[]} */
  const lets = [...carried].map((local, i) => ({
    kind: 'let', local: twins[i], value: { op: 'convert', type: 'i64', args: [starts.get(local) ?? read(local)] },
  }));
  return {
    made: [
      ...lets,
      {
        kind: 'if', test: isWhole.reduce((a, b) => truth('and', a, b)), then: [made, ...writer.back()], otherwise: [],
        place: null,
      },
    ],
  };
}

/**
 * The integers that doubles are made of right before a statement. Each is small enough to be the double exactly, and
 * waiting for a conversion there and back would cost as much as some rounds.
 *
 * @type {(before: Statement[]) => Map<Local, Expression>}
 */
function startsOf(before) {
  /** @type {Map<Local, Expression>} */
  const starts = new Map();
  /** @type {Set<Local>} */
  const set = new Set();
  for (const s of before.toReversed()) {
    if (s.kind !== 'let' && s.kind !== 'set') break;
    const { value } = s;
    const from = value.op === 'convert' && value.type === 'f64' && !value.rounds ? value.args[0] : null;
    if (
      !set.has(s.local) &&
      from?.op === 'local' &&
      INTEGERS.has(from.type) &&
      from.local !== s.local &&
      !set.has(from.local)
    )
      starts.set(s.local, from);
    set.add(s.local);
  }
  return starts;
}

/** @type {(s: LoopStmt, starts: Map<Local, Expression>) => Statement[]} */
function twice(s, starts) {
  const made = declaredIn([s]);
  const carried = new Set([...setsIn([s])].filter((local) => local.type === 'f64' && !made.has(local)));
  /** @type {import('../tir/index.js').BlockStmt} */
  const around = { kind: 'block', body: [] };
  while (carried.size > 0) {
    /** @type {Set<Local>} */
    let unfit = new Set();
    for (const size of SIZES) {
      const found = onIntegers(s, carried, starts, size, around);
      if ('unfit' in found) {
        unfit = found.unfit;
        continue;
      }
      s.variant = 2;
      around.body = [...found.made, s];
      return [around];
    }
    for (const local of [...unfit]) carried.delete(local);
  }
  return [s];
}

/** @type {(body: Statement[]) => Statement[]} */
function statements(body) {
  return body.flatMap((s, i) => {
    if (s.kind === 'loop' && isMeant(s)) return twice(s, startsOf(body.slice(0, i)));
    if (s.kind === 'if') Object.assign(s, { then: statements(s.then), otherwise: statements(s.otherwise) });
    else if (s.kind === 'loop')
      Object.assign(s, { before: statements(s.before), body: statements(s.body), update: statements(s.update) });
    else if (blocksOf(s).length > 0) Object.assign(s, { body: statements(blocksOf(s)[0]) });
    return [s];
  });
}

/**
 * Has loops of a function run on integers where they can.
 *
 * @param {import('../tir/index.js').Func} func
 */
function speculateIntegers(func) {
  let meant = false;
  eachStatement(func.body, (s) => {
    meant ||= s.kind === 'loop' && isMeant(s);
  });
  if (meant) func.body = statements(func.body);
}

module.exports = { speculateIntegers };
