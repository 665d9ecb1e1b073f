/**
 * The tape of reverse mode in memory: what `push` and `pop` become, once nothing differentiates the program any more.
 *
 * All values lie in one stack of 8 bytes each, which grows by doubling from the heap of the run, and goes with it. Room
 * is made ahead: for all that a stretch of statements pushes, and for all rounds of an innermost loop whose number is
 * known.
 */
'use strict';

const M = require('../tir/machine.js');
const { blocksOf, someStatement } = require('../tir/walk.js');
const { bin, int, newLocal, newLoop, newRoot, set } = require('./canonical.js');
const { alloc } = require('./shadows.js');

/** @typedef {import('../tir/index.js').Expression} Expression */
/** @typedef {import('../tir/index.js').Local} Local */

/** Elements that the tape has at least. */
const LEAST = 512;
/** Rounds beyond which nothing could hold them; keeps products small. */
const MOST_ROUNDS = 2 ** 40;

/** @type {(op: string, type: string, e: Expression) => any} */
const cast = (op, type, e) => ({ op, type, args: [e] });

/** @type {(e: Expression) => Expression} */
function toBits(e) {
  if (e.type.endsWith('*')) return cast('address', 'i64', e);
  if (e.type === 'f64' || e.type === 'u64') return cast('bitcast', 'i64', e);
  return e.type === 'f32' ? cast('bitcast', 'i64', M.convert(e, 'f64')) : M.convert(e, 'i64');
}

/** @type {(e: Expression, type: any) => Expression} */
function fromBits(e, type) {
  if (type.endsWith('*')) return cast('pointer', type, e);
  if (type === 'f64' || type === 'u64') return cast('bitcast', type, e);
  if (type === 'f32') return M.convert(cast('bitcast', 'f64', e), 'f32');
  return type === 'bool' ? bin('ne', e, int(0)) : M.convert(e, type);
}

/** How many values a statement pushes at most, loops aside. @type {(s: any) => number} */
function pushesOf(s) {
  if (s.kind === 'push') return 1;
  return blocksOf(s)
    .flat()
    .reduce((sum, inner) => sum + pushesOf(inner), 0);
}

/** @type {(s: any) => boolean} */
const hasPushingLoop = (s) => someStatement([s], (each) => each.kind === 'loop' && pushesOf(each) > 0);

class Tape {
  /** @param {import('../tir/index.js').Program} program */
  constructor(program) {
    this.tape = newLocal('tape', 'i64*');
    this.top = newLocal('top', 'i64');
    this.size = newLocal('size', 'i64');
    this.roots = [newRoot(program, 'tape', 'heap')];
  }

  /** @type {(pointer: Local) => any} */
  array(pointer) {
    return { dtype: 'i64', clamps: false, pointer: M.read(pointer), length: M.read(this.size), roots: this.roots };
  }

  /** @type {(list: any[], makesRoom?: boolean) => any[]} */
  lower(list, makesRoom = true) {
    /** @type {any[]} */
    const out = [];
    let [start, count] = [0, 0];
    const finish = () => {
      if (makesRoom && count > 0) out.splice(start, 0, ...this.#room(int(count)));
      [start, count] = [out.length, 0];
    };
    for (const s of list) {
      const isApart = hasPushingLoop(s);
      if (isApart) finish();
      else count += pushesOf(s);
      out.push(...this.#statement(s, makesRoom && isApart));
      if (isApart) start = out.length;
    }
    finish();
    return out;
  }

  /** @type {(s: any, makesRoom: boolean) => any[]} */
  #statement(s, makesRoom) {
    const { tape, top } = this;
    if (s.kind === 'push') {
      const store = {
        kind: 'store', array: this.array(tape), index: M.read(top), value: toBits(s.value), valid: null, checked: false,
        place: null,
      };
      return [store, set(top, bin('add', M.read(top), int(1)))];
    }
    if (s.kind === 'pop') {
      /** @type {any} */
      const load = {
        op: 'load', type: 'i64', args: [M.read(top)], array: this.array(tape), valid: null, missing: null, place: null,
      };
      return [set(top, bin('sub', M.read(top), int(1))), set(s.local, fromBits(load, s.local.type))];
    }
    /** @type {any[]} */
    const before = [];
    let inside = makesRoom;
    if (makesRoom && s.kind === 'loop' && this.#isPlain(s)) {
      const perRound = M.constant('i64', pushesOf(s));
      before.push(...this.#room(bin('mul', bin('min', M.read(s.rounds), int(MOST_ROUNDS)), perRound)));
      inside = false;
    }
    for (const part of ['then', 'otherwise', 'before', 'body', 'update'])
      if (s[part]) s[part] = this.lower(s[part], inside);
    return [...before, s];
  }

  /**
   * Whether a loop runs all the rounds that it says, and nothing inside it pushes an unknown number of times.
   *
   * @type {(s: any) => boolean}
   */
  #isPlain(s) {
    if (!s.rounds) return false;
    return ![...s.body, ...s.update].some(
      (each) => hasPushingLoop(each) || someStatement([each], ({ kind }) => kind === 'throw'),
    );
  }

  /** @type {(count: Expression) => any[]} */
  #room(count) {
    const [fresh, k, need] = [newLocal('fresh', 'i64*'), newLocal('k', 'i64'), newLocal('need', 'i64')];
    const read = {
      op: 'load', type: 'i64', args: [M.read(k)], array: this.array(this.tape), valid: null, missing: null, place: null,
    };
    const grow = [
      set(this.size, bin('max', bin('mul', M.read(this.size), int(2)), bin('add', M.read(need), int(LEAST)))),
      alloc(fresh, M.read(this.size), 'i64'),
      set(k, int(0)),
      newLoop({
        test: bin('lt', M.read(k), M.read(this.top)),
        body: [
          {
            kind: 'store', array: this.array(fresh), index: M.read(k), value: read, valid: null, checked: false,
            place: null,
          },
        ],
        update: [set(k, bin('add', M.read(k), int(1)))],
      }),
      set(this.tape, M.read(fresh)),
    ];
    const test = bin('gt', M.read(need), M.read(this.size));
    return [
      set(need, bin('add', M.read(this.top), count)),
      { kind: 'if', test, then: grow, otherwise: [], place: null },
    ];
  }
}

module.exports = { Tape };
