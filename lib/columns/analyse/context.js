/**
 * What rows of the table of functions build with: the graph of a kernel, who is asked for (guards), and what happens
 * where a value has no result.
 *
 * Faults (a division by zero, a text that is no number) count for rows only whose operands are there and which are
 * asked for: in `case when b <> 0 then a / b end` the division is not asked for where b is 0. What happens then is an
 * option: an error, or a null. An error names its place in the text and the row.
 */
'use strict';

const { told: toldIn } = require('./located.js');

/** @typedef {import('../kernel/dag.js').Dag} Dag */
/** @typedef {import('../kernel/dag.js').Node} Node */
/** @typedef {import('../kernel/dag.js').Rep} Rep */
/** @typedef {import('../types/index.js').DataType} DataType */

/**
 * A value and for which rows there is one; null: for all. `literal`: what the text says, where it is a literal,
 * and `place` where it says so.
 *
 * @typedef {{ type: DataType, value: Node, valid: Node | null, literal?: bigint | number | string | boolean | null |
 * Uint8Array | object, place?: import('../language/ast.js').Span }} Typed
 */

/** @typedef {import('../../base/errors.js').ErrorCode} ErrorCode */
/** @typedef {'divisionByZero' | 'overflow' | 'cast' | 'value'} Fault */
/** @typedef {{ divisionByZero: 'error' | 'null', overflow: 'wrap' | 'error' | 'null', cast: 'error' | 'null', value: 'error' | 'null' }} Policies */
/** A place where a run may fail; `text`: which one it is in, where there are several. @typedef {{ what: string, start: number, end: number, text?: string }} Site */

/** @typedef {import('../language/ast.js').Span} Place */

class Context {
  /** The rows that are asked for; all if null. @type {Node | null} */
  guard = null;
  /** The rows for which the operands of the call at hand are there. @type {Node | null} */
  #present = null;
  /** The rows that have no result. @type {Node | null} */
  #missing = null;
  /** Where the call at hand is. @type {Place} */
  #place = { start: -1, end: -1 };
  /** @type {Site[]} */
  sites = [];
  /** The text at hand, of several. @type {string | undefined} */
  text = undefined;
  /** Seeds of calls for random numbers that have been given none. @type {Map<object, bigint>} */
  #seeds = new Map();
  /** What has to happen whatever is asked for. @type {Node[]} */
  checks = [];

  /** @type {(place: Place, message: string, code: ErrorCode) => never} */
  #refuseAt;

  /**
   * @param {Dag} dag
   * @param {Policies} policies
   * @param {(place: Place, message: string, code: ErrorCode) => never} refuseAt
   */
  constructor(dag, policies, refuseAt) {
    this.dag = dag;
    this.policies = policies;
    this.#refuseAt = refuseAt;
  }

  /**
   * Says that the call at hand, or an operand of it, makes no sense, whatever the rows are.
   *
   * @type {(message: string, code?: ErrorCode, place?: Place) => never}
   */
  refuse(message, code = 'ERR_ARGUMENT', place = this.#place) {
    return this.#refuseAt(place, message, code);
  }

  /**
   * Builds with fewer rows asked for.
   *
   * @template T
   * @param {Node} condition
   * @param {() => T} build
   * @returns {T}
   */
  within(condition, build) {
    const outer = this.guard;
    this.guard = outer === null ? condition : this.dag.and(outer, condition);
    const built = build();
    this.guard = outer;
    return built;
  }

  /**
   * Builds a call whose operands are there where all of `valids` say so.
   *
   * @param {readonly (Node | null)[]} valids
   * @param {Place} place
   * @param {() => Node} build
   * @returns {{ value: Node, valid: Node | null }}
   */
  strict(valids, place, build) {
    const outer = [this.#present, this.#missing, this.#place];
    const present = this.all(valids);
    this.#present = present;
    this.#missing = null;
    this.#place = place;
    const value = build();
    const missing = this.#missing;
    [this.#present, this.#missing, this.#place] = /** @type {[Node | null, Node | null, Place]} */ (outer);
    return { value, valid: missing === null ? present : this.all([present, this.dag.not(missing)]) };
  }

  /** Where all hold. @type {(valids: readonly (Node | null)[]) => Node | null} */
  all(valids) {
    let both = null;
    for (const valid of valids) if (valid !== null) both = both === null ? valid : this.dag.and(both, valid);
    return both;
  }

  /** The rows that count for faults; null: all. */
  #active() {
    return this.all([this.guard, this.#present]);
  }

  /** What is to happen for a kind of fault. @param {Fault} fault */
  policy(fault) {
    return this.policies[fault];
  }

  /**
   * Says for which rows the call at hand has no result. Where there is nothing that a value could wrap to, 'wrap' is an
   * error.
   *
   * @param {Node} bad
   * @param {Fault} fault
   * @param {string} what of the message: 'division by zero'
   */
  fault(bad, fault, what) {
    if (bad.kind === 'constant' && bad.value === false) return;
    if (this.policies[fault] !== 'null') {
      this.checks.push(this.dag.check(this.#and(this.#active(), bad), this.#site(what)));
    } else this.#missing = this.#missing === null ? bad : this.dag.or(this.#missing, bad);
  }

  #and(/** @type {Node | null} */ a, /** @type {Node} */ b) {
    return a === null ? b : this.dag.and(a, b);
  }

  #site(/** @type {string} */ what) {
    const { start, end, source } = this.#place;
    const text = source?.text ?? this.text;
    const told = toldIn(source, what);
    const site = text === undefined ? { what: told, start, end } : { what: told, start, end, text };
    const isSame = (/** @type {Site} */ each) =>
      each.what === told && each.start === start && each.end === end && each.text === text;
    const known = this.sites.findIndex(isSame);
    return known >= 0 ? known : this.sites.push(site) - 1;
  }

  /**
   * A call of a library function, which is made for rows that are asked for.
   *
   * `fault`: what it means that it returns a status other than 0, with the message; without, it cannot fail.
   *
   * @param {string} name
   * @param {readonly Node[]} args
   * @param {Rep} rep
   * @param {{ out?: boolean, arena?: boolean, fault?: Fault, what?: string }} [how]
   */
  call(name, args, rep, { out = false, arena = false, fault, what = '' } = {}) {
    if (fault === undefined) {
      return this.dag.call(name, args, rep, { out: out || arena, fails: false, arena }, this.guard);
    }
    const call = this.failing(name, args, rep, arena);
    this.fault(this.dag.failed(call), fault, what);
    return call;
  }

  /** A call that may fail in ways that the caller tells apart. @type {(name: string, args: readonly Node[], rep: Rep, arena?: boolean) => Node} */
  failing(name, args, rep, arena = false) {
    return this.dag.call(name, args, rep, { out: true, fails: true, arena }, this.#active());
  }

  /** A seed that no other call has, and the call at hand whenever it is built. */
  freshSeed() {
    const seed = this.#seeds.get(this.#place) ?? BigInt(-1 - this.#seeds.size);
    this.#seeds.set(this.#place, seed);
    return this.dag.constant(seed, 'i64');
  }

  /** A constant that a run is given as it is. @type {(value: number | bigint | boolean, rep: Rep) => Node} */
  constant(value, rep) {
    return this.dag.constant(value, rep);
  }
}

module.exports = { Context };
