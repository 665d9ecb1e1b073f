/**
 * Loops whose rounds run at the same time: the body becomes a function of a range of rounds, which threads share.
 *
 * What the body reads from outside become parameters. A reduction is cut into pieces whose number depends on the rounds
 * alone, not on the threads: each piece leaves its result in an array, and the results are put together in their order,
 * so every run gives the same bits. Small loops are one piece and stay on the thread that called.
 *
 * Loops over prange are promised to be independent, but for their locals; others have to be proven so (dependence.js).
 * If rounds of a prange loop throw, the error is that of one of them, not necessarily the first.
 */
'use strict';

const { refuse } = require('../source/frame.js');
const { Copy } = require('../tir/copy.js');
const { zero } = require('../tir/machine.js');
const {
  arraysOf, baseOf, declaredIn, eachExpression, eachStatement, readsIn, someNode, someStatement,
} = require('../tir/walk.js');
const { grainOf } = require('./cost.js');
const { independence } = require('./dependence.js');
const { backgroundOf } = require('./range-checks.js');

/** @typedef {import('../tir/index.js').Statement} Statement */
/** @typedef {import('../tir/index.js').Expression} Expression */
/** @typedef {import('../tir/index.js').Local} Local */
/** @typedef {import('../tir/index.js').Func} Func */
/** @typedef {import('../tir/index.js').Program} Program */
/** @typedef {import('../tir/index.js').LoopStmt} LoopStmt */
/** @typedef {import('../tir/index.js').PrangeStmt} PrangeStmt */
/** @typedef {import('../tir/index.js').ArrayRef} ArrayRef */
/** @typedef {import('./dependence.js').Reduction} Reduction */
/** @typedef {import('./trip-count.js').Rounds} Rounds */
/** @typedef {{ threads?: number, noalias?: boolean, numerics?: string }} ParallelOptions */

/** Pieces of a reduction at most. */
const MOST_PIECES = 1024n;

/** @type {(type: string, value: bigint | number | boolean) => Expression} */
const constant = (type, value) => ({ op: 'const', type, value, args: [] });
/** @type {(value: bigint) => Expression} */
const i64 = (value) => constant('i64', value);
/** @type {(op: string, a: Expression, b: Expression) => Expression} */
const binary = (op, a, b) => ({ op, type: a.type, args: [a, b] });
/** @type {(op: string, a: Expression, b: Expression) => Expression} */
const compared = (op, a, b) => ({ op, type: 'bool', args: [a, b] });
/** @type {(local: Local) => Expression} */
const read = (local) => ({ op: 'local', type: local.type, local, args: [] });
/** @type {(name: string, type: string) => Local} */
const local = (name, type) => ({ name, type, isParam: false, isSet: false });
/** @type {(of: Local, value: Expression) => Statement} */
const make = (of, value) => ({ kind: 'let', local: of, value });
/** @type {(of: Local, value: Expression) => Statement} */
const set = (of, value) => {
  of.isSet = true;
  return { kind: 'set', local: of, value };
};
/** @type {(e: Expression) => Expression} */
const asI64 = (e) => (e.type === 'i64' ? e : { op: 'convert', type: 'i64', args: [e] });

/** @type {(e: Expression, by: bigint) => Expression} */
const times = (e, by) => (by === 1n ? e : binary('mul', e, i64(by)));

/**
 * for (i = lo; i < hi; i++), with a place of its own.
 *
 * @type {(like: LoopStmt | PrangeStmt, i: Local, lo: Expression, hi: Expression, step: bigint, body: Statement[]) => Statement[]}
 */
function loopOver(like, i, lo, hi, step, body) {
  /** @type {LoopStmt} */
  const made = {
    kind: 'loop', id: like.id, before: [], test: compared('lt', read(i), hi), body,
    update: [set(i, binary('add', read(i), i64(step)))], late: false, place: like.place, variant: like.variant,
  };
  return [make(i, lo), made];
}

/**
 * Where a reduction begins, so that it changes nothing; null: with the value from before.
 *
 * @type {(reduction: Reduction) => Expression | null}
 */
function neutral({ local: { type }, op }) {
  const isFloat = type === 'f64' || type === 'f32';
  const number = (/** @type {number} */ value) =>
    constant(type, type === 'bool' ? value !== 0 : isFloat ? value : BigInt(value));
  if (op === 'add') return number(isFloat ? -0 : 0);
  if (op === 'or' || op === 'xor') return number(0);
  if (op === 'mul') return number(1);
  return op === 'and'
    ? constant(type, type === 'bool' ? true : type.startsWith('u') ? 2n ** BigInt(type.slice(1)) - 1n : -1n)
    : null;
}

/** One loop on its way to be a function. */
class Outliner {
  /** @param {Program} program @param {Func} func @param {LoopStmt | PrangeStmt} s @param {Rounds} rounds @param {ParallelOptions} options */
  constructor(program, func, s, rounds, options) {
    this.program = program;
    this.func = func;
    this.s = s;
    this.rounds = rounds;
    this.options = options;
    /** Of the loop's function. @type {Local[]} */
    this.params = [];
    /** What they are outside. @type {Expression[]} */
    this.args = [];
    /** @type {Map<Local, Local>} */
    this.inner = new Map();
    /** Pointers that no other parameter reaches. @type {Set<Local>} */
    this.apart = new Set();
  }

  /** A parameter for a value from outside. @param {Local} outer @param {Expression} [value] */
  param(outer, value = read(outer)) {
    const made = { ...local(outer.name, outer.type), isParam: true };
    this.params.push(made);
    this.args.push(value);
    return made;
  }

  /** Parameters for all that the rounds read from outside. @param {Set<Local>} own */
  capture(own) {
    const made = declaredIn([this.s]);
    const pointers = this.rootsOf();
    for (const outer of readsIn(this.rounds.body).keys()) {
      if (made.has(outer) || own.has(outer)) continue;
      const param = this.param(outer);
      this.inner.set(outer, param);
      if (pointers.get(outer)) this.apart.add(param);
    }
  }

  /** Pointers from outside, and whether nothing else that the rounds touch is of the same memory. */
  rootsOf() {
    /** @type {Map<Local, Set<import('../tir/index.js').Root>>} */
    const roots = new Map();
    const note = (/** @type {ArrayRef} */ array) => {
      const base = baseOf(array.pointer);
      if (base) roots.set(base, new Set([...(roots.get(base) ?? []), ...array.roots]));
    };
    eachStatement(this.rounds.body, (s) => (s.kind === 'call' ? s.arrays : arraysOf(s)).forEach(note));
    eachExpression(this.rounds.body, (e) => e.op === 'load' && note(e.array));
    const isAlone = (/** @type {Local} */ of) => {
      const mine = /** @type {Set<import('../tir/index.js').Root>} */ (roots.get(of));
      const isParam = [...mine].some((root) => root.kind === 'param');
      return [...roots].every(
        ([other, theirs]) =>
          other === of ||
          [...theirs].every((root) => !mine.has(root) && (this.options.noalias || !isParam || root.kind !== 'param')),
      );
    };
    return new Map([...roots.keys()].map((of) => [of, isAlone(of)]));
  }

  /**
   * The rounds from k = from to end, k counting them.
   *
   * @param {Expression} lo
   * @param {Expression} from
   * @param {Expression} end
   * @returns {Statement[]}
   */
  roundsFrom(lo, from, end) {
    const { counter, step } = this.rounds;
    const k = local('round', 'i64');
    const first = (/** @type {Expression} */ e) => (step === 1n ? e : binary('add', lo, times(e, step)));
    const copy = new Copy({}, this.inner);
    const [begin, made] = loopOver(this.s, k, first(from), first(end), step, []);
    copy.targets.set(this.s, made);
    const i = copy.local(counter);
    const value = i.type === 'i64' ? read(k) : { op: 'convert', type: i.type, args: [read(k)] };
    i.isSet = false;
    /** @type {LoopStmt} */ (made).body = [make(i, value), ...copy.body(this.rounds.body)];
    return [begin, made];
  }

  /** Adds the function to the program. @param {Statement[]} body @param {Local[]} range */
  finish(body, range) {
    /** @type {Func} */
    const made = {
      name: `${this.func.name}_loop${this.s.id}`,
      params: [...this.params, ...range],
      results: [],
      throws: true,
      isRecursive: false,
      body: [...body, { kind: 'return', values: [] }],
      place: this.s.place,
      apart: this.apart,
    };
    this.program.funcs.push(made);
    return made;
  }

  /** @param {Func} callee @param {Expression} lo @param {Expression} hi @param {Expression} grain @returns {Statement} */
  call(callee, lo, hi, grain) {
    return { kind: 'parallel', id: this.s.id, callee, args: this.args, lo, hi, grain, place: this.s.place };
  }

  /** The bounds of the rounds as locals outside: the first, and how many there are. @param {Statement[]} out */
  bounds(out) {
    const { lo, hi, step, isClosed } = this.rounds;
    const first = local('first', 'i64');
    const count = local('rounds', 'i64');
    const end = isClosed ? binary('add', binary('min', asI64(hi), i64(2n ** 62n)), i64(1n)) : asI64(hi);
    out.push(make(first, asI64(lo)));
    const span = {
      op: 'select', type: 'i64', args: [compared('lt', read(first), end), binary('sub', end, read(first)), i64(0n)],
    };
    out.push(make(count, step === 1n ? span : binary('div', binary('add', span, i64(step - 1n)), i64(step))));
    return { first, count };
  }
}

/** @type {(o: Outliner, privates: Local[]) => Statement[]} */
function privateLets(o, privates) {
  return privates.map((outer) => {
    const own = local(outer.name, outer.type);
    own.isSet = true;
    o.inner.set(outer, own);
    return make(own, zero(outer.type));
  });
}

/** A loop without reductions. @type {(o: Outliner, privates: Local[]) => Statement[]} */
function plain(o, privates) {
  /** @type {Statement[]} */
  const out = [];
  const grain = grainOf(o.s, o.rounds.body);
  const { first, count } = o.bounds(out);
  o.capture(new Set([o.rounds.counter, ...privates]));
  const lo = o.param(first);
  const range = ['begin', 'end'].map((name) => ({ ...local(name, 'i64'), isParam: true }));
  const shift = (/** @type {Local} */ of) => (o.rounds.step === 1n ? binary('add', read(lo), read(of)) : read(of));
  const body = [...privateLets(o, privates), ...o.roundsFrom(read(lo), shift(range[0]), shift(range[1]))];
  return [...out, o.call(o.finish(body, range), i64(0n), read(count), grain)];
}

/**
 * A loop with reductions: pieces of `size` rounds, whose results lie in arrays.
 *
 * @type {(o: Outliner, reductions: Reduction[], privates: Local[]) => Statement[]}
 */
function reducing(o, reductions, privates) {
  /** @type {Statement[]} */
  const out = [];
  const { first, count } = o.bounds(out);
  const [size, pieces] = [local('size', 'i64'), local('pieces', 'i64')];
  const upTo = (/** @type {Expression} */ e, /** @type {Expression} */ by) =>
    binary('div', binary('sub', binary('add', e, by), i64(1n)), by);
  out.push(make(size, binary('max', grainOf(o.s, o.rounds.body), upTo(read(count), i64(MOST_PIECES)))));
  out.push(make(pieces, upTo(read(count), read(size))));
  const locals = reductions.flatMap((reduction) => [reduction.local, ...reduction.others]);
  const arrays = locals.map((each) => partialsOf(o, each, pieces, out));
  o.capture(new Set([o.rounds.counter, ...privates, ...locals]));
  const [lo, rounds, each] = [first, count, size].map((of) => o.param(of));
  const range = ['begin', 'end'].map((name) => ({ ...local(name, 'i64'), isParam: true }));
  const piece = local('piece', 'i64');
  const starts = reductions.flatMap((reduction) => startsOf(o, reduction));
  const params = arrays.map((array) => o.param(/** @type {any} */ (array.pointer).local));
  params.forEach((param) => o.apart.add(param));
  const from = binary('mul', read(piece), read(each));
  const end = binary('min', binary('add', from, read(each)), read(rounds));
  const shift = (/** @type {Expression} */ e) => (o.rounds.step === 1n ? binary('add', read(lo), e) : e);
  const lets = privateLets(o, privates); // before the rounds are copied, which use them
  const inside = o.roundsFrom(read(lo), shift(from), shift(end));
  const results = locals.map((of, k) => {
    const part = { ...arrays[k], pointer: read(params[k]), length: read(range[1]) };
    return stored(part, read(piece), read(/** @type {Local} */ (o.inner.get(of))), o);
  });
  const body = loopOver(o.s, piece, read(range[0]), read(range[1]), 1n, [...starts, ...inside, ...results]);
  out.push(o.call(o.finish([...lets, ...body], range), i64(0n), read(pieces), i64(1n)));
  return [
    {
      kind: 'block',
      body: [...out, ...joined(o, reductions, new Map(locals.map((of, k) => [of, arrays[k]])), pieces)],
    },
  ];
}

/** @type {(o: Outliner, of: Local, pieces: Local, out: Statement[]) => ArrayRef} */
function partialsOf(o, of, pieces, out) {
  const pointer = local(`${of.name}_pieces`, `${of.type}*`);
  const root = { id: o.program.roots.length, kind: /** @type {const} */ ('heap'), name: pointer.name, isWritten: true };
  o.program.roots.push(root);
  out.push({
    kind: 'alloc', local: pointer, dtype: /** @type {any} */ (of.type), count: read(pieces), escapes: false,
    place: o.s.place,
  });
  return {
    dtype: /** @type {any} */ (of.type), clamps: false, pointer: read(pointer), length: read(pieces), roots: [root],
  };
}

/** @type {(array: ArrayRef, index: Expression, value: Expression, o: Outliner) => Statement} */
const stored = (array, index, value, o) => ({
  kind: 'store', array, index, value, valid: null, checked: false, place: o.s.place,
});

/** What a piece begins with. @type {(o: Outliner, reduction: Reduction) => Statement[]} */
function startsOf(o, reduction) {
  const start = neutral(reduction);
  return [reduction.local, ...reduction.others].map((outer) => {
    const value = start ?? read(o.param(outer));
    const own = local(outer.name, outer.type);
    own.isSet = true;
    o.inner.set(outer, own);
    return make(own, value);
  });
}

/**
 * The results of the pieces put together in their order.
 *
 * @type {(o: Outliner, reductions: Reduction[], arrays: Map<Local, ArrayRef>, pieces: Local) => Statement[]}
 */
function joined(o, reductions, arrays, pieces) {
  const piece = local('piece', 'i64');
  /** @type {(of: Local) => Expression} */
  const part = (of) => ({
    op: 'load', type: of.type, array: /** @type {ArrayRef} */ (arrays.get(of)), args: [read(piece)], valid: null,
    missing: null, place: o.s.place,
  });
  const body = reductions.map((reduction) => {
    const { local: of, op, compare, others } = reduction;
    if (op) return set(of, binary(op, read(of), part(of)));
    const test = compared(/** @type {string} */ (compare), part(of), read(of));
    /** @type {Statement} */
    const taken = {
      kind: 'if', test, then: [of, ...others].map((each) => set(each, part(each))), otherwise: [], place: null,
    };
    return taken;
  });
  const last = loopOver(o.s, piece, i64(0n), read(pieces), 1n, body);
  /** @type {LoopStmt} */ (last[1]).variant = 3;
  return last;
}

// --- all loops of a program ---

/** What sums are made of that LLVM finds without a loop. */
const CLOSED = new Set(['local', 'const', 'add', 'sub', 'mul', 'convert']);

/** Whether the rounds of a loop only add up polynomials of integers. @type {(body: Statement[]) => boolean} */
function hasClosedForm(body) {
  const isPlain = (/** @type {Expression} */ e) =>
    !someNode(e, (node) => !CLOSED.has(node.op) || (node.type !== 'i64' && node.type !== 'i32'));
  return body.every((s) => (s.kind === 'let' || s.kind === 'set') && isPlain(s.value));
}

class Divider {
  /** @param {Program} program @param {Func} func @param {ParallelOptions} options */
  constructor(program, func, options) {
    this.program = program;
    this.func = func;
    this.options = options;
    this.background = backgroundOf(func);
    this.reads = readsIn(func.body);
  }

  /** @param {Statement[]} body @returns {Statement[]} */
  body(body) {
    return body.flatMap((s) => this.statement(s));
  }

  /** @param {Statement} s @returns {Statement[]} */
  statement(s) {
    if (s.kind === 'loop' || s.kind === 'prange') return this.loop(s);
    if (s.kind === 'if') return [Object.assign(s, { then: this.body(s.then), otherwise: this.body(s.otherwise) })];
    if (s.kind === 'block') return [Object.assign(s, { body: this.body(s.body) })];
    return [s];
  }

  /** @param {LoopStmt | PrangeStmt} s @returns {Statement[]} */
  loop(s) {
    const { threads = 1, noalias = false, numerics } = this.options;
    if (s.variant === 2 && s.kind === 'loop' && !someStatement(s.body, (each) => each.kind === 'prange')) return [s];
    const record = this.program.loops[s.id];
    const verdict = independence(s, this.background, this.reads, { isFast: numerics === 'fast', noalias });
    if ('reason' in verdict) {
      const isInexact = verdict.reason.includes("numerics: 'fast'");
      if (s.kind === 'prange' && !isInexact)
        refuse(s.place, verdict.reason, 'give each round an element of its own to write to, or write a for loop');
      if (s.variant !== 2) record.reasons = [`not parallel: ${verdict.reason}`];
      return [this.inside(s)];
    }
    if ((s.variant === 2 || hasClosedForm(s.body)) && s.kind === 'loop') return [s];
    record.parallel =
      threads > 1
        ? `in parallel${verdict.reductions.length > 0 ? `, reducing ${verdict.reductions.map((each) => each.local.name).join(', ')}` : ''}`
        : null;
    if (threads <= 1) return [s];
    const outliner = new Outliner(this.program, this.func, s, verdict.rounds, this.options);
    const { reductions, privates } = verdict;
    const made = reductions.length > 0 ? reducing(outliner, reductions, privates) : plain(outliner, privates);
    return [...made, ...this.finalValue(s, verdict.rounds)];
  }

  /** @param {LoopStmt | PrangeStmt} s @returns {Statement} */
  inside(s) {
    s.body = this.body(s.body);
    return s;
  }

  /**
   * The counter behind the loop, where somebody reads it.
   *
   * @param {LoopStmt | PrangeStmt} s
   * @param {Rounds} rounds
   * @returns {Statement[]}
   */
  finalValue(s, { counter, hi, step, isClosed }) {
    const isReadLater = (this.reads.get(counter) ?? 0) > (readsIn([s]).get(counter) ?? 0);
    if (s.kind === 'prange' || !isReadLater) return [];
    const end = isClosed ? binary('add', hi, constant(hi.type, 1n)) : hi;
    const left = binary('sub', end, read(counter));
    const whole =
      step === 1n
        ? left
        : binary(
            'mul',
            binary('div', binary('add', left, constant(hi.type, step - 1n)), constant(hi.type, step)),
            constant(hi.type, step),
          );
    const last = binary('add', read(counter), whole);
    return [
      set(counter, {
        op: 'select', type: counter.type, args: [compared('lt', read(counter), end), last, read(counter)],
      }),
    ];
  }
}

/**
 * Has loops run in parallel where there are several threads, and refuses loops over prange that cannot.
 *
 * @param {Program} program
 * @param {ParallelOptions} options
 */
function parallelize(program, options) {
  // Callers first: what they call is still as it was written when it is asked whether it only computes.
  for (const func of [...program.funcs].reverse()) func.body = new Divider(program, func, options).body(func.body);
}

module.exports = { parallelize };
