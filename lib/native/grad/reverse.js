/**
 * Reverse mode: of the statements of a function, those that run it and note what is needed later (the forward sweep),
 * and those that go back and collect derivatives (the reverse sweep).
 *
 * In the reverse sweep, each statement finds all variables and memory as they were before it ran. What is overwritten
 * in loops is pushed to a tape before, if something in the reverse sweep reads it, and popped again (Griewank and
 * Walther, Evaluating Derivatives, 2008, chapter 4 and 12; the analysis of what to record: Hascoët, Naumann, Pascual,
 * 2005). What can be computed again from what the end of its block still knows is computed again. Outside of loops
 * there is a local for each value in place of the tape.
 *
 * Control goes back by number of rounds, by the tests of branches, and where a block can be left at several places, by
 * which it was. What is noted follows from what the reverse sweep reads, which follows from what is noted: code is
 * generated until both agree.
 */
'use strict';

const { fail } = require('../../base/errors.js');
const { Copy } = require('../tir/copy.js');
const M = require('../tir/machine.js');
const { blocksOf, eachExpression, eachStatement, expressionsOf, readsIn, someNode } = require('../tir/walk.js');
const { bin, int, neverEnds, newLocal, newLoop, set, targetsOutside } = require('./canonical.js');
const { Planner, ZERO, onlyNeeded } = require('./plan.js');
const { isCostly } = require('./rules.js');
const { alloc } = require('./shadows.js');

/** @typedef {import('../tir/index.js').Expression} Expression */
/** @typedef {import('../tir/index.js').Local} Local */
/** Statements of both sweeps, in the order of execution. @typedef {{ fwd: any[], rev: any[] }} Sweeps */

/**
 * What is around a statement: lists that may be left at several places, and what jumps go to.
 *
 * @typedef {{ kind: 'list', key: object, isNoted: boolean, exit: number, inLoop: boolean }
 *   | { kind: 'target', target: object, made: any, rounds: Local | null, inLoop: boolean }} Frame
 */

/** @typedef {{ inLoop: boolean, frames: Frame[] }} Where */

/** The last round of a loop, which is left somewhere. @typedef {{ isLast: Expression, at: Expression }} LastRound */

/** @type {(test: Expression, then: any[], otherwise?: any[]) => any[]} */
function branch(test, then, otherwise = []) {
  if (then.length === 0 && otherwise.length === 0) return [];
  if (test.op === 'const') return test.value ? then : otherwise;
  return [{ kind: 'if', test, then, otherwise, place: null }];
}

class Reverse {
  /** What the reverse sweep reads. @type {Set<object>} locals, roots, and lists and loops whose exit matters */
  wanted = new Set();
  /** The same, as far as the code generated now tells. @type {Set<object>} */
  found = new Set();
  /** Statements whose value is computed again. @type {Set<any>} */
  #again = new Set();
  /** @type {Map<Local, number>} */
  #setCounts = new Map();
  /** @type {Map<any, import('./plan.js').Plan>} */
  #plans = new Map();
  /** Locals that stand for the tape outside of loops. @type {Map<object, Local>} */
  #saved = new Map();
  /** @type {Set<any>} */
  #steps = new Set();
  /** Locals of the forward sweep. @type {Set<Local>} */
  #primal = new Set();

  /**
   * @param {import('./canonical.js').Canonical} canonical
   * @param {import('./activity.js').Activity} activity
   * @param {import('./shadows.js').Shadows} shadows
   */
  constructor(canonical, activity, shadows) {
    this.canonical = canonical;
    this.activity = activity;
    this.shadows = shadows;
    this.planner = new Planner({
      activity, adjoint: (local) => shadows.of(local), shadow: (array) => shadows.array(array),
    });
    this.body = this.#withShadows(canonical.body);
    for (const { set: step } of canonical.counts.values()) this.#steps.add(step);
    eachStatement(this.body, (s) => {
      if (s.kind === 'set') this.#setCounts.set(s.local, (this.#setCounts.get(s.local) ?? 0) + 1);
      if ('local' in s) this.#primal.add(s.local);
    });
    this.reads = readsIn(this.body);
    this.#findAgain(this.body, false);
  }

  /** Pointers to derivatives go where pointers go. @type {(list: any[]) => any[]} */
  #withShadows(list) {
    return list.flatMap((s) => {
      for (const part of ['then', 'otherwise', 'before', 'body', 'update'])
        if (s[part]) s[part] = this.#withShadows(s[part]);
      if (!this.activity.shadowed.has(s.local)) return [s];
      if (s.kind === 'set') return [s, this.shadows.follow(s)];
      if (s.kind === 'stack') return [s, { ...s, local: this.shadows.of(s.local), dtype: 'f64' }];
      return [s];
    });
  }

  // --- what can be computed again ---

  /** @type {(list: any[], inLoop: boolean) => void} */
  #findAgain(list, inLoop) {
    /** What changes behind the statement. @type {Set<object>} */
    const changed = new Set();
    for (let i = list.length - 1; i >= 0; i--) {
      const s = list[i];
      if (inLoop && s.kind === 'set' && this.#isRepeatable(s, list, i, changed)) this.#again.add(s);
      eachStatement([s], (each) => {
        if ('local' in each && !this.#steps.has(each)) changed.add(each.local);
        if (each.kind === 'store') each.array.roots.forEach((root) => changed.add(root));
        if (each.kind === 'call') each.results.forEach((local) => changed.add(local));
      });
      const blocks = s.kind === 'loop' && this.#isLeft(s) ? [this.#roundOf(s)] : blocksOf(s);
      for (const block of blocks) this.#findAgain(block, inLoop || s.kind === 'loop');
    }
  }

  /** @type {(s: any, list: any[], i: number, changed: Set<object>) => boolean} */
  #isRepeatable(s, list, i, changed) {
    const { local, value } = s;
    if (this.#setCounts.get(local) !== 1 || local.isParam || changed.has(local)) return false;
    const differs = (/** @type {any} */ e) =>
      isCostly(e.op) ||
      (e.op === 'local' && (changed.has(e.local) || e.local === local)) ||
      (e.op === 'load' && e.array.roots.some((/** @type {object} */ root) => changed.has(root)));
    if (someNode(value, differs)) return false;
    return (readsIn(list.slice(i + 1)).get(local) ?? 0) === (this.reads.get(local) ?? 0);
  }

  // --- both sweeps ---

  /** @returns {Sweeps} */
  generate() {
    for (;;) {
      this.found = new Set();
      const sweeps = this.#list(this.body, { inLoop: false, frames: [] });
      eachExpression(sweeps.rev, (e) => {
        if (e.op === 'local' && this.#primal.has(e.local)) this.found.add(e.local);
        if (e.op === 'load') e.array.roots.forEach((/** @type {object} */ root) => this.found.add(root));
      });
      const size = this.wanted.size;
      for (const each of this.found) this.wanted.add(each);
      if (this.wanted.size === size) return sweeps;
    }
  }

  /** @type {(key: object, value: Expression, inLoop: boolean, of?: Expression) => any[]} notes a value */
  #save(key, value, inLoop, of = value) {
    if (inLoop) return [{ kind: 'push', value, of }];
    return [set(this.#savedLocal(key, value.type), value)];
  }

  /** @type {(key: object, type: string) => Local} */
  #savedLocal(key, type) {
    let local = this.#saved.get(key);
    if (!local) this.#saved.set(key, (local = newLocal('saved', type)));
    return local;
  }

  /** @type {(key: object, local: Local, inLoop: boolean, of?: Expression) => any[]} gets it back */
  #restore(key, local, inLoop, of = M.read(local)) {
    return [inLoop ? { kind: 'pop', local, of } : set(local, M.read(this.#savedLocal(key, local.type)))];
  }

  /**
   * @type {(list: any[], where: Where, last?: LastRound & { key: object }) => Sweeps} `last`: the list is a round of a loop
   */
  #list(list, { inLoop, frames }, last) {
    const leaves = list.map((s) => targetsOutside([s]).size > 0);
    const exits = leaves.filter(Boolean).length;
    const isNoted = exits + (last || neverEnds(list) ? 0 : 1) > 1;
    const key = last?.key ?? list;
    /** @type {any} */
    const frame = { kind: 'list', key, isNoted, exit: 0, inLoop: last ? /** @type {any} */ (last).inLoop : inLoop };
    const where = { inLoop, frames: [...frames, frame] };
    const parts = list.map((s, i) => {
      const sweeps = this.#statement(s, where);
      if (leaves[i]) frame.exit++;
      return sweeps;
    });
    const fwd = parts.flatMap((part) => part.fwd);
    const at = last?.at ?? (isNoted ? M.read(newLocal('exit', 'i64')) : int(neverEnds(list) ? 0 : exits));
    const rev = this.#backwards(list, parts, leaves, (exit) => whetherPast(exit, at, last));
    if (last || !isNoted || rev.length === 0) return { fwd, rev };
    this.found.add(key);
    if (!neverEnds(list) && this.wanted.has(key)) fwd.push(...this.#save(key, int(exits), inLoop));
    return { fwd, rev: [...this.#restore(key, at.local, inLoop), ...rev] };
  }

  /**
   * The list backwards: what stands behind a place where it can be left only if it has not been left there.
   *
   * @type {(list: any[], parts: Sweeps[], leaves: boolean[], isPast: (exit: number) => Expression) => any[]}
   */
  #backwards(list, parts, leaves, isPast) {
    /** @type {any[]} */
    let rev = [];
    for (let end = list.length; end > 0;) {
      // From behind the place before to this end.
      let start = end - 1;
      while (start > 0 && !leaves[start - 1]) start--;
      /** @type {any[]} */
      const before = [];
      const again = [];
      for (let i = start; i < end; i++) {
        before.unshift(...parts[i].rev);
        if (this.#again.has(list[i]) && this.wanted.has(list[i].local)) again.push(list[i]);
      }
      const whole = [...rev, ...before];
      rev = whole.length > 0 ? [...again, ...whole] : [];
      if (start > 0) rev = branch(isPast(leaves.slice(0, start).filter(Boolean).length - 1), rev);
      end = start;
    }
    return rev;
  }

  /** @type {(s: any, where: Where) => Sweeps} */
  #statement(s, where) {
    switch (s.kind) {
      case 'set':
        return this.#set(s, where);
      case 'store':
        return this.#store(s, where);
      case 'if': {
        const [then, otherwise] = [this.#list(s.then, where), this.#list(s.otherwise, where)];
        return {
          fwd: [{ ...s, then: then.fwd, otherwise: otherwise.fwd }],
          rev: branch(s.test, then.rev, otherwise.rev),
        };
      }
      case 'block': {
        const made = { kind: 'block', body: /** @type {any[]} */ ([]) };
        const { fwd, rev } = this.#list(
          s.body,
          inside(where, { kind: 'target', target: s, made, rounds: null, inLoop: where.inLoop }),
        );
        made.body = fwd;
        return { fwd: [made], rev };
      }
      case 'loop':
        return this.#loop(s, where);
      case 'break':
        return { fwd: this.#jump(s, where), rev: [] };
      case 'alloc':
        return this.#alloc(s, where);
      case 'call':
        return this.#call(s);
      default:
        return { fwd: [s], rev: [] };
    }
  }

  /** @type {(s: any, where: Where) => any[]} notes from where all that is left is left */
  #jump(s, { frames }) {
    /** @type {any[]} */
    const out = [];
    for (const frame of [...frames].reverse()) {
      if (frame.kind === 'list') {
        if (frame.isNoted && this.wanted.has(frame.key))
          out.push(...this.#save(frame.key, int(frame.exit), frame.inLoop));
      } else if (frame.target === s.target) {
        return [...out, { kind: 'break', target: frame.made }];
      } else if (frame.rounds && this.wanted.has(frame.target)) {
        out.push(...this.#save(frame.target, M.read(frame.rounds), frame.inLoop));
      }
    }
    return fail('ERR_INTERNAL', 'grad: a jump that goes nowhere');
  }

  // --- statements ---

  /** @type {(s: any, value: Expression) => import('./plan.js').Plan} */
  #plan(s, value) {
    let plan = this.#plans.get(s);
    const isOnce = s.kind === 'set' && this.#setCounts.get(s.local) === 1 && !s.local.isParam;
    if (!plan) {
      this.#plans.set(s, (plan = this.planner.plan(value, isOnce ? s.local : true)));
      plan.kept.forEach((local) => this.#primal.add(local));
    }
    return plan;
  }

  /**
   * What computes operands, noting what is dear.
   *
   * @type {(plan: import('./plan.js').Plan, inLoop: boolean) => Sweeps}
   */
  #operands(plan, inLoop) {
    /** @type {Sweeps} */
    const sweeps = { fwd: [], rev: [] };
    for (const s of plan.compute) {
      if (inLoop && plan.kept.includes(s.local) && this.wanted.has(s.local)) {
        sweeps.fwd.push(...this.#save(s, M.read(s.local), true));
        sweeps.rev.unshift(...this.#restore(s, s.local, true));
      }
      sweeps.fwd.push(s);
    }
    return sweeps;
  }

  /**
   * Statements that give derivatives to operands, with what they need computed.
   *
   * @type {(plan: import('./plan.js').Plan, seed: Expression, inLoop: boolean) => any[]}
   */
  #back(plan, seed, inLoop) {
    /** @type {any[]} */
    const out = [];
    plan.back(seed, out);
    if (!inLoop) return out;
    return [
      ...onlyNeeded(
        plan.compute.filter((s) => !plan.kept.includes(s.local)),
        out,
      ),
      ...out,
    ];
  }

  /** @type {(s: any, where: Where) => Sweeps} */
  #set(s, { inLoop }) {
    if (this.#steps.has(s)) return { fwd: [s], rev: [] };
    const plan = this.#plan(s, s.value);
    const operands = this.#operands(plan, inLoop);
    const { note, undo } = this.#overwrite(s, inLoop);
    const fwd = [...operands.fwd, ...note, set(s.local, plan.root ?? plan.value)];
    if (!this.activity.hasLocal(s.local)) return { fwd, rev: [...undo, ...operands.rev] };
    const own = this.shadows.of(s.local);
    const seed = newLocal('seed', 'f64');
    const back = plan.isActive
      ? [set(seed, M.read(own)), set(own, ZERO), ...this.#back(plan, M.read(seed), inLoop)]
      : [set(own, ZERO)];
    const readsOwn = readsIn(fwd).has(s.local);
    return { fwd, rev: [...(readsOwn ? [...undo, ...back] : [...back, ...undo]), ...operands.rev] };
  }

  /** @type {(s: any, inLoop: boolean) => { note: any[], undo: any[] }} what keeps the value that a set overwrites */
  #overwrite(s, inLoop) {
    const { local } = s;
    const isOnce = !inLoop && this.#setCounts.get(local) === 1 && !local.isParam;
    if (!this.wanted.has(local) || this.#again.has(s) || isOnce) return { note: [], undo: [] };
    const inverse = inverseOf(s);
    if (inverse) return { note: [], undo: [inverse] };
    return { note: this.#save(s, M.read(local), inLoop), undo: this.#restore(s, local, inLoop) };
  }

  /** @type {(s: any, where: Where) => Sweeps} */
  #store(s, { inLoop }) {
    const { array, index, valid, checked, place } = s;
    const plan = this.#plan(s, s.value);
    const operands = this.#operands(plan, inLoop);
    /** @type {any[]} */
    const [note, undo] = [[], []];
    if (array.roots.some((/** @type {object} */ root) => this.wanted.has(root))) {
      const type = ['i16', 'i8', 'u16', 'u8', 'u8c'].includes(array.dtype) ? 'i32' : array.dtype;
      const old = element(array, type, s);
      const local = newLocal('old', type);
      note.push(...this.#save(s, old, inLoop));
      undo.push(...this.#restore(s, local, inLoop, old), { ...s, value: M.read(local) });
    }
    const fwd = [...operands.fwd, ...note, { ...s, value: plan.root ?? plan.value }];
    if (!this.activity.hasArray(array)) return { fwd, rev: [...undo, ...operands.rev] };
    const shadow = this.shadows.array(array);
    const seed = newLocal('seed', 'f64');
    const back = plan.isActive ? [set(seed, element(shadow, 'f64', s))] : [];
    back.push({ kind: 'store', array: shadow, index, value: ZERO, valid, checked, place });
    if (plan.isActive) back.push(...this.#back(plan, M.read(seed), inLoop));
    return { fwd, rev: [...undo, ...back, ...operands.rev] };
  }

  /** Memory that the reverse sweep may need stays until the run ends. @type {(s: any, where: Where) => Sweeps} */
  #alloc(s, { inLoop }) {
    const hasShadow = this.activity.shadowed.has(s.local);
    if (!hasShadow && !this.wanted.has(s.local)) return { fwd: [s], rev: [] };
    /** @type {Sweeps} */
    const sweeps = { fwd: [], rev: [] };
    const make = (/** @type {Local} */ local, /** @type {string} */ dtype) => {
      const made = newLocal(local.name, local.type);
      const isNoted = inLoop && this.wanted.has(local);
      if (isNoted) sweeps.fwd.push(...this.#save(local, M.read(local), true));
      sweeps.fwd.push({ ...alloc(made, s.count, dtype), place: s.place }, set(local, M.read(made)));
      if (isNoted) sweeps.rev.unshift(...this.#restore(local, local, true));
    };
    make(s.local, s.dtype);
    if (hasShadow) make(this.shadows.of(s.local), 'f64');
    return sweeps;
  }

  /** @type {(s: any) => Sweeps} */
  #call(s) {
    const isPlain = expressionsOf(s).every((e) => !e.type.endsWith('*') && !this.activity.has(e));
    if (isPlain && !s.callee.params.some((/** @type {Local} */ { type }) => type.endsWith('*')))
      return { fwd: [s], rev: [] };
    return fail(
      'ERR_UNSUPPORTED',
      `grad: ${s.callee.name} calls itself, and is no function of whole numbers alone: write a loop instead`,
    );
  }

  // --- loops ---

  /** @type {(s: any, where: Where) => Sweeps} */
  #loop(s, where) {
    const count = this.canonical.counts.get(s);
    if (count?.rounds) return this.#counted(s, count, where);
    return this.#isLeft(s) ? this.#anyLoop(s, count, where) : this.#plainLoop(s, where);
  }

  /** Whether a loop ends elsewhere than at its test. @type {(s: any) => boolean} */
  #isLeft(s) {
    return s.test === null || targetsOutside([...s.before, ...s.body, ...s.update]).size > 0;
  }

  /** @type {Map<object, any[]>} */
  #rounds = new Map();

  /** A round as one list, with the test as a way out. @type {(s: any) => any[]} */
  #roundOf(s) {
    let list = this.#rounds.get(s);
    if (!list) {
      const test = s.test
        ? [
            {
              kind: 'if', test: M.unary('not', s.test), then: [{ kind: 'break', target: s }], otherwise: [],
              place: s.place,
            },
          ]
        : [];
      list = s.late ? [...s.body, ...s.update, ...s.before, ...test] : [...s.before, ...test, ...s.body, ...s.update];
      this.#rounds.set(s, list);
    }
    return list;
  }

  /**
   * The counter in round `number` in place of the one that rounds set.
   *
   * @type {(count: import('./canonical.js').Count, number: Expression, round: any[]) => any[]}
   */
  #renumbered({ counter, lo, step }, number, round) {
    const own = newLocal(counter.name, counter.type);
    const far = bin('mul', number, M.constant('i64', /** @type {any} */ (step)));
    const value = bin('add', M.read(lo), M.convert(far, /** @type {any} */ (lo.type)));
    return [set(own, value), ...new Copy({}, new Map([[counter, own]])).body(round)];
  }

  /**
   * One that ends at its test only, and whose counter follows from the number of the round.
   *
   * @type {(s: any, count: import('./canonical.js').Count, where: Where) => Sweeps}
   */
  #counted(s, count, where) {
    const made = newLoop({ ...s, rounds: count.rounds });
    const within = inside(where, { kind: 'target', target: s, made, rounds: null, inLoop: where.inLoop });
    within.inLoop = true;
    const [body, update] = [this.#list(s.body, within), this.#list(s.update, within)];
    Object.assign(made, { body: body.fwd, update: update.fwd });
    const round = [...update.rev, ...body.rev];
    if (round.length === 0) return { fwd: [made], rev: [] };
    const rounds = M.read(/** @type {Local} */ (count.rounds));
    const k = newLocal('back', 'i64');
    const number = bin('sub', bin('sub', rounds, int(1)), M.read(k));
    const rev = [
      set(k, int(0)),
      newLoop({
        test: bin('lt', M.read(k), rounds),
        body: this.#renumbered(count, number, round),
        update: [set(k, bin('add', M.read(k), int(1)))],
        place: s.place,
      }),
    ];
    if (this.wanted.has(count.counter)) rev.push(set(count.counter, M.read(count.lo)));
    return { fwd: [made], rev };
  }

  /** One that ends at its test only. @type {(s: any, where: Where) => Sweeps} */
  #plainLoop(s, where) {
    const rounds = newLocal('rounds', 'i64');
    const made = newLoop({ ...s });
    const within = inside(where, { kind: 'target', target: s, made, rounds: null, inLoop: where.inLoop });
    within.inLoop = true;
    const [before, body, update] = [s.before, s.body, s.update].map((list) => this.#list(list, within));
    const count = set(rounds, bin('add', M.read(rounds), int(1)));
    Object.assign(made, { before: before.fwd, body: body.fwd, update: [...update.fwd, count] });
    const back = [...update.rev, ...body.rev];
    if (back.length + before.rev.length === 0) return { fwd: [newLoop({ ...made, update: update.fwd })], rev: [] };
    this.found.add(s);
    const fwd = [set(rounds, int(0)), made, ...(this.wanted.has(s) ? this.#save(s, M.read(rounds), where.inLoop) : [])];
    const isHead = !s.late && before.rev.length > 0;
    const left = newLocal('left', 'i64');
    const whole = newLocal('rounds', 'i64');
    // The round at whose test the loop ends has a head only.
    const round = s.late
      ? [...before.rev, ...back]
      : isHead
        ? [...branch(bin('ne', M.read(left), M.read(whole)), back), ...before.rev]
        : back;
    return {
      fwd,
      rev: [...this.#restore(s, whole, where.inLoop), ...downward(left, whole, isHead ? 0 : 1, round, s.place)],
    };
  }

  /**
   * One that is left at several places: rounds whose last one has been left at one of them.
   *
   * @type {(s: any, count: import('./canonical.js').Count | undefined, where: Where) => Sweeps}
   */
  #anyLoop(s, count, where) {
    const rounds = newLocal('rounds', 'i64');
    const made = newLoop({ place: s.place, id: s.id });
    const list = this.#roundOf(s);
    const within = inside(where, { kind: 'target', target: s, made, rounds, inLoop: where.inLoop });
    within.inLoop = true;
    const [left, whole, at] = [newLocal('left', 'i64'), newLocal('rounds', 'i64'), newLocal('exit', 'i64')];
    const exits = list.filter((each) => targetsOutside([each]).size > 0).length;
    const isNoted = exits > 1;
    const key = this.#roundKey(s);
    /** @type {any} */
    const last = {
      isLast: bin('eq', M.read(left), M.read(whole)), at: isNoted ? M.read(at) : int(0), key, inLoop: where.inLoop,
    };
    const round = this.#list(list, within, last);
    made.body = round.fwd;
    made.update = [set(rounds, bin('add', M.read(rounds), int(1)))];
    if (round.rev.length === 0) {
      made.update = [];
      return { fwd: [made], rev: [] };
    }
    this.found.add(s);
    if (isNoted) this.found.add(key);
    const fwd = [set(rounds, int(0)), made, ...(this.wanted.has(s) ? this.#save(s, M.read(rounds), where.inLoop) : [])];
    const rev = [...this.#restore(s, whole, where.inLoop), ...(isNoted ? this.#restore(key, at, where.inLoop) : [])];
    rev.push(
      ...downward(left, whole, 0, count ? this.#renumbered(count, M.read(left), round.rev) : round.rev, s.place),
    );
    if (count && this.wanted.has(count.counter)) rev.push(set(count.counter, M.read(count.lo)));
    return { fwd, rev };
  }

  /** @type {Map<object, object>} */
  #roundKeys = new Map();

  /** @type {(s: object) => object} what stands for where a round was left */
  #roundKey(s) {
    let key = this.#roundKeys.get(s);
    if (!key) this.#roundKeys.set(s, (key = {}));
    return key;
  }
}

/** @type {(where: Where, frame: Frame) => Where} */
const inside = ({ inLoop, frames }, frame) => ({ inLoop, frames: [...frames, frame] });

/**
 * Whether a list was not left at one of its exits.
 *
 * @type {(exit: number, at: Expression, last?: LastRound) => Expression}
 */
function whetherPast(exit, at, last) {
  const past = bin('gt', at, int(exit));
  return last ? M.or(M.unary('not', last.isLast), past) : past;
}

/**
 * Rounds for `left` from `whole` less `off` down to 0.
 *
 * @type {(left: Local, whole: Local, off: number, body: any[], place: any) => any[]}
 */
function downward(left, whole, off, body, place) {
  const update = [set(left, bin('sub', M.read(left), int(1)))];
  const loop = newLoop({ test: bin('ge', M.read(left), int(0)), body, update, place });
  return [set(left, bin('sub', M.read(whole), int(off))), loop];
}

/** @type {(array: any, type: any, s: any) => Expression} an element that a store is about */
function element(array, type, { index, valid, checked, place }) {
  const missing = checked ? M.constant(type, 0) : null;
  return { op: 'load', type, args: [index], array, valid, missing, place };
}

/** Undoes `i = i + 1` of integers. @type {(s: any) => any} */
function inverseOf({ local, value }) {
  const isWhole = value.type === 'i64' || value.type === 'i32';
  const [a, b] = value.args;
  if (
    !isWhole ||
    (value.op !== 'add' && value.op !== 'sub') ||
    a.op !== 'local' ||
    a.local !== local ||
    b.op !== 'const'
  )
    return null;
  return set(local, bin(value.op === 'add' ? 'sub' : 'add', M.read(local), b));
}

module.exports = { Reverse };
