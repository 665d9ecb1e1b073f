/**
 * TIR of a function in the few forms that differentiation knows, which means the same.
 *
 * `let` becomes `set`, `continue` a `break`, prange a loop, fill and copy loops of stores; what stands behind an `if`
 * that one side leaves goes to its other side, so that most blocks are left at their end only. A test is a local, a
 * return stands last, memory of the stack is at the start, and stores have indices that read no memory. Loops that
 * count have their first value and their number of rounds in locals.
 */
'use strict';

const { refsOf } = require('./activity.js');
const { constantOf, countedOf, countsLast } = require('../tir/counted-loops.js');
const M = require('../tir/machine.js');
const { baseOf, blocksOf, eachStatement, setsIn, someNode, someStatement } = require('../tir/walk.js');

/** @typedef {import('../tir/index.js').Statement} Statement */
/** @typedef {import('../tir/index.js').Expression} Expression */
/** @typedef {import('../tir/index.js').Local} Local */
/** @typedef {import('../tir/index.js').Func} Func */

/**
 * How a loop counts; `rounds` is null where it may be left before.
 *
 * @typedef {{ counter: Local, step: bigint, lo: Local, rounds: Local | null, set: Statement }} Count
 */

/** @type {(name: string, type: string) => Local} */
const newLocal = (name, type) => ({ name, type, isParam: false, isSet: true });

/** @type {(local: Local, value: Expression) => any} */
const set = (local, value) => ({ kind: 'set', local, value });

/** @type {(value: number) => Expression} */
const int = (value) => M.constant('i64', value);

/** @type {(op: string, a: Expression, b: Expression) => Expression} */
const bin = (op, a, b) => M.binary(op, a, b);

/**
 * for (k = from; k < to; k++) body(k).
 *
 * @type {(from: Expression, to: Expression, place: any, body: (k: Expression) => Statement[]) => Statement[]}
 */
function upward(from, to, place, body) {
  const [k, end] = [newLocal('k', 'i64'), newLocal('end', 'i64')];
  const at = M.read(k);
  const update = [set(k, bin('add', at, int(1)))];
  return [set(k, from), set(end, to), newLoop({ test: bin('lt', at, M.read(end)), body: body(at), update, place })];
}

/** @type {(parts: any) => any} */
const newLoop = (parts) => ({
  kind: 'loop', id: 0, before: [], test: null, body: [], update: [], late: false, place: null, ...parts,
});

/** Whether control never comes to the end of a list. @type {(list: any[]) => boolean} */
function neverEnds(list) {
  return list.some((s) => {
    switch (s.kind) {
      case 'break':
      case 'continue':
      case 'return':
      case 'throw':
        return true;
      case 'if':
        return neverEnds(s.then) && neverEnds(s.otherwise);
      case 'block':
        return neverEnds(s.body) && !breaks(s.body, s);
      case 'loop':
        return s.test === null && !breaks([...s.before, ...s.body, ...s.update], s);
      default:
        return false;
    }
  });
}

/** @type {(list: any[], target: any) => boolean} */
const breaks = (list, target) => someStatement(list, (s) => s.kind === 'break' && s.target === target);

/** @type {(s: any) => boolean} */
const isJump = ({ kind }) => kind === 'break' || kind === 'throw' || kind === 'continue' || kind === 'return';

/** @type {(e: Expression) => boolean} */
const readsMemory = (e) => someNode(e, ({ op }) => op === 'load');

/** @type {(program: import('../tir/index.js').Program, name: string, kind: 'heap' | 'stack') => import('../tir/index.js').Root} */
function newRoot(program, name, kind) {
  const id = 1 + Math.max(-1, ...program.roots.map((root) => root.id));
  /** @type {import('../tir/index.js').Root} */
  const root = { id, kind, name, isWritten: true };
  program.roots.push(root);
  return root;
}

class Canonical {
  /** @param {Func} func @param {import('../tir/index.js').Program} program */
  constructor(func, program) {
    this.func = func;
    this.program = program;
    /** Memory of the stack. @type {Statement[]} */
    this.atStart = [];
    /**
     * Loops and blocks by those that they replace, with how many loops are around.
     *
     * @type {Map<object, { onBreak: any, onContinue: any, depth: number }>}
     */
    this.targets = new Map();
    /** Rounds by loop that counts. @type {Map<Statement, Count>} */
    this.counts = new Map();
    /** What is returned. @type {Local[]} */
    this.results = func.results.map((type, i) => newLocal(`result${i}`, type));
    this.depth = 0;
    /** @type {any} */
    this.whole = { kind: 'block', body: [] };
    const body = this.list(func.body);
    this.whole.body = withoutTail(body, this.whole);
    this.body = [...this.atStart, ...(breaks(this.whole.body, this.whole) ? [this.whole] : this.whole.body)];
  }

  /** @type {(list: Statement[]) => Statement[]} */
  list(list) {
    /** @type {Statement[]} */
    const out = [];
    for (const [i, s] of list.entries()) {
      if (s.kind === 'if' && this.#dividesRest(s)) {
        this.#divide(s, list.slice(i + 1), out);
        return out;
      }
      this.statement(s, out);
      if (isJump(s)) return out;
    }
    return out;
  }

  /** @type {(s: any) => boolean} whether one side never comes to its end */
  #dividesRest(s) {
    return neverEnds(s.then) !== neverEnds(s.otherwise) && someStatement([s], (each) => this.#staysInRound(each));
  }

  /**
   * Whether a jump ends in the round that it begins in; where others were taken is told by the last round.
   *
   * @type {(s: any) => boolean}
   */
  #staysInRound(s) {
    if (s.kind === 'return') return this.depth === 0;
    if (s.kind === 'continue') return this.targets.get(s.target)?.depth === this.depth - 1;
    return s.kind === 'break' && this.targets.get(s.target)?.depth === this.depth;
  }

  /** @type {(s: any, rest: Statement[], out: Statement[]) => void} what is behind goes to the side that gets there */
  #divide(s, rest, out) {
    const first = neverEnds(s.then);
    const whole = {
      ...s, then: first ? s.then : [...s.then, ...rest], otherwise: first ? [...s.otherwise, ...rest] : s.otherwise,
    };
    this.#branch(whole, out);
  }

  /** @type {(s: any, out: Statement[]) => void} */
  #branch(s, out) {
    const [then, otherwise] = [this.list(s.then), this.list(s.otherwise)];
    if (then.every(isJump) && otherwise.every(isJump)) {
      out.push({ ...s, then, otherwise });
      return;
    }
    out.push({ ...s, test: this.#held(s.test, 'test', out), then, otherwise });
  }

  /**
   * In a local, if it is neither one that stays nor known.
   *
   * @type {(e: Expression, name: string, out: Statement[]) => Expression}
   */
  #held(e, name, out) {
    if (e.op === 'const') return e;
    const local = newLocal(name, e.type);
    out.push(set(local, e));
    return M.read(local);
  }

  /** @type {(s: any, out: any[]) => void} */
  statement(s, out) {
    switch (s.kind) {
      case 'let':
      case 'set':
        out.push({ ...s, kind: 'set' });
        break;
      case 'store': {
        const index = readsMemory(s.index) ? this.#held(s.index, 'index', out) : s.index;
        const valid = s.valid && readsMemory(s.valid) ? this.#held(s.valid, 'valid', out) : s.valid;
        out.push({ ...s, index, valid });
        break;
      }
      case 'if':
        this.#branch(s, out);
        break;
      case 'block':
        this.#block(s, out);
        break;
      case 'loop':
        this.#loop(s, out);
        break;
      case 'prange': {
        const [k, end] = [s.local, newLocal('end', 'i64')];
        out.push(set(k, s.lo), set(end, s.hi));
        const test = bin('lt', M.read(k), M.read(end));
        this.#loop(
          newLoop({ test, body: s.body, update: [set(k, bin('add', M.read(k), int(1)))], place: s.place, of: s }),
          out,
        );
        break;
      }
      case 'break':
        out.push({ kind: 'break', target: this.targets.get(s.target)?.onBreak });
        break;
      case 'continue':
        out.push({ kind: 'break', target: this.targets.get(s.target)?.onContinue });
        break;
      case 'return':
        s.values.forEach((/** @type {Expression} */ e, /** @type {number} */ i) => out.push(set(this.results[i], e)));
        out.push({ kind: 'break', target: this.whole });
        break;
      case 'stack':
        this.#stack(s, out);
        break;
      case 'fill':
        this.statements(this.#fill(s.array, s.value, s.from, s.to, s.place, out), out);
        break;
      case 'copy':
        this.#copy(s, out);
        break;
      case 'call': {
        const results = s.results.map((/** @type {Local} */ local) => newLocal(local.name, local.type));
        out.push({ ...s, results });
        s.results.forEach((/** @type {Local} */ local, /** @type {number} */ i) =>
          out.push(set(local, M.read(results[i]))),
        );
        break;
      }
      default:
        out.push(s);
    }
  }

  /** @type {(list: Statement[], out: Statement[]) => void} */
  statements(list, out) {
    for (const s of list) this.statement(s, out);
  }

  /** @type {(s: any, out: any[]) => void} */
  #stack(s, out) {
    this.atStart.push(s);
    if (this.depth === 0) return;
    /** @type {any} */
    const array = {
      dtype: s.dtype, clamps: false, pointer: M.read(s.local), length: int(s.count),
      roots: s.roots ?? rootsOf(this.func, s.local),
    };
    const type = ['i16', 'i8', 'u16', 'u8', 'u8c'].includes(s.dtype) ? 'i32' : s.dtype;
    this.statements(this.#fill(array, M.constant(type, 0), int(0), int(s.count), null, out), out);
  }

  /** @type {(array: any, value: Expression, from: Expression, to: Expression, place: any, out: Statement[]) => Statement[]} */
  #fill(array, value, from, to, place, out) {
    const element = this.#held(value, 'value', out);
    return upward(from, to, place, (k) => [
      { kind: 'store', array, index: k, value: element, valid: null, checked: false, place },
    ]);
  }

  /** By way of other memory where the two may overlap. @type {(s: any, out: Statement[]) => void} */
  #copy(s, out) {
    const { target, source, place } = s;
    const [at, from, count] = [s.at, s.from, s.count].map((e, i) => this.#held(e, ['at', 'from', 'count'][i], out));
    const aside = this.#overlaps(s) ? this.#aside(source, count, out) : null;
    const type = ['i16', 'i8', 'u16', 'u8', 'u8c'].includes(source.dtype) ? 'i32' : source.dtype;
    const move = (
      /** @type {any} */ to,
      /** @type {Expression} */ first,
      /** @type {any} */ of,
      /** @type {Expression} */ start,
    ) =>
      upward(int(0), count, place, (k) => {
        /** @type {any} */
        const load = { op: 'load', type, args: [bin('add', start, k)], array: of, valid: null, missing: null, place };
        const kept = ['i16', 'i8', 'u16', 'u8', 'u8c'].includes(to.dtype) ? 'i32' : to.dtype;
        return [
          {
            kind: 'store', array: to, index: bin('add', first, k), value: M.convert(load, kept), valid: null,
            checked: false, place,
          },
        ];
      });
    if (aside) this.statements(move(aside, int(0), source, from), out);
    this.statements(move(target, at, aside ?? source, aside ? int(0) : from), out);
  }

  /** @type {(s: any) => boolean} */
  #overlaps({ target, source }) {
    const isParam = (/** @type {any} */ { kind }) => kind === 'param';
    if (target.roots.some(isParam) && source.roots.some(isParam)) return true;
    return (
      baseOf(target.pointer) === baseOf(source.pointer) ||
      target.roots.some((/** @type {any} */ root) => source.roots.includes(root))
    );
  }

  /** @type {(source: any, count: Expression, out: any[]) => any} */
  #aside(source, count, out) {
    const local = newLocal('aside', `${source.dtype}*`);
    out.push({ kind: 'alloc', local, dtype: source.dtype, count, escapes: true, place: null });
    return {
      dtype: source.dtype, clamps: false, pointer: M.read(local), length: count,
      roots: [newRoot(this.program, 'aside', 'heap')],
    };
  }

  /** @type {(s: any, out: Statement[]) => void} */
  #block(s, out) {
    /** @type {any} */
    const made = { kind: 'block', body: [] };
    this.targets.set(s, { onBreak: made, onContinue: null, depth: this.depth });
    made.body = withoutTail(this.list(s.body), made);
    if (breaks(made.body, made)) out.push(made);
    else out.push(...made.body);
  }

  /** @type {(s: any, out: any[]) => void} */
  #loop(s, out) {
    /** @type {any} */
    const made = newLoop({ ...s });
    /** @type {any} */
    const round = { kind: 'block', body: [] };
    this.targets.set(s.of ?? s, { onBreak: made, onContinue: round, depth: this.depth });
    this.depth++;
    made.before = this.list(s.before);
    round.body = withoutTail(this.list(s.body), round);
    made.body = breaks(round.body, round) ? [round] : round.body;
    made.update = this.list(s.update);
    this.depth--;
    this.#count(made, out);
    out.push(made);
  }

  /** @type {(loop: any, out: any[]) => void} */
  #count(loop, out) {
    const counted = loop.late ? null : countedOf(loop);
    const inside = [...loop.before, ...loop.body, ...loop.update];
    if (!counted || !countsLast(loop, counted)) return;
    const { counter, step } = counted;
    const lo = newLocal('lo', counter.type);
    const rounds = someStatement(inside, (s) => leavesLoop(s, loop, inside)) ? null : newLocal('rounds', 'i64');
    out.push(set(lo, startOf(counter, out) ?? M.read(counter)));
    if (rounds) out.push(set(rounds, roundsOf(M.read(lo), counted)));
    this.counts.set(loop, { counter, step, lo, rounds, set: counted.set });
  }
}

/** Where memory of a local is named. @type {(func: Func, local: Local) => any[]} */
function rootsOf(func, local) {
  /** @type {Set<any>} */
  const roots = new Set();
  for (const ref of refsOf(func.body))
    if (baseOf(ref.pointer) === local) ref.roots.forEach((root) => roots.add(root));
  return [...roots];
}

/** @type {(s: any, loop: any, inside: any[]) => boolean} whether a jump ends the loop */
function leavesLoop(s, loop, inside) {
  if (s.kind !== 'break') return false;
  return s.target === loop || !someStatement(inside, (other) => other === s.target);
}

/**
 * What a counter was set to in front of its loop, if that can be said again.
 *
 * @type {(counter: Local, out: any[]) => Expression | null}
 */
function startOf(counter, out) {
  for (let i = out.length - 1; i >= 0; i--) {
    const s = out[i];
    if (s.kind === 'set' && s.local === counter) {
      const sets = setsIn(out.slice(i));
      return someNode(s.value, (e) => e.op === 'load' || (e.op === 'local' && sets.has(e.local))) ? null : s.value;
    }
    if (blocksOf(s).length > 0 && setsIn([s]).has(counter)) return null;
  }
  return null;
}

/**
 * How many rounds a loop has that counts.
 *
 * @type {(lo: Expression, counted: import('../tir/counted-loops.js').Counted) => Expression}
 */
function roundsOf(lo, { compare, step, bound }) {
  const [from, to] = [M.convert(lo, 'i64'), M.convert(bound, 'i64')];
  if (compare === 'ne') return step > 0n ? bin('sub', to, from) : bin('sub', from, to);
  const isUp = step > 0n;
  const way = isUp ? bin('sub', to, from) : bin('sub', from, to);
  const size = M.constant('i64', /** @type {any} */ (isUp ? step : -step));
  const isClosed = compare === 'le' || compare === 'ge';
  const steps =
    constantOf(size) === 1n
      ? isClosed
        ? bin('add', way, int(1))
        : way
      : bin('add', bin('div', isClosed ? way : bin('sub', way, int(1)), size), int(1));
  return M.select(bin(compare, from, to), steps, int(0));
}

/** Drops jumps to where control goes by itself. @type {(list: any[], target: any) => any[]} */
function withoutTail(list, target) {
  const last = list.at(-1);
  if (!last) return list;
  if (last.kind === 'break' && last.target === target) return withoutTail(list.slice(0, -1), target);
  if (last.kind === 'if') {
    last.then = withoutTail(last.then, target);
    last.otherwise = withoutTail(last.otherwise, target);
  } else if (last.kind === 'block') {
    last.body = withoutTail(last.body, target);
    if (!breaks(last.body, last)) return [...list.slice(0, -1), ...last.body];
  }
  return list;
}

/** Jumps that leave a statement or list, by what they go to. @type {(list: any[]) => Set<any>} */
function targetsOutside(list) {
  /** @type {Set<any>} */
  const inside = new Set();
  /** @type {Set<any>} */
  const targets = new Set();
  eachStatement(list, (s) => {
    inside.add(s);
    if (s.kind === 'break') targets.add(s.target);
  });
  return new Set([...targets].filter((target) => !inside.has(target)));
}

module.exports = { Canonical, bin, breaks, int, neverEnds, newLocal, newLoop, newRoot, set, targetsOutside };
