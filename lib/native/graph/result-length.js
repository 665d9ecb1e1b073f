/**
 * How long the array is that a function returns, where that follows from the sizes of what it takes.
 *
 * A graph has shapes before it runs. The typed program says what a result's length is computed of; where that is sums,
 * products and quotients of lengths, sizes and numbers known to the graph, the same is done with sizes of the graph.
 * What a run gives is compared with it all the same.
 */
'use strict';

/** @typedef {import('../tir/index.js').Expression} Expression */
/** @typedef {import('../tir/index.js').Local} Local */
/** @typedef {import('../tir/index.js').Statement} Statement */
/** @typedef {import('../../graph/value.js').GraphState} GraphState */
/** A whole number, or a size that only a run has. @typedef {{ number: number } | { dim: number }} Length */

/** @type {(number: number) => Length | null} */
const lengthOf = (number) => (Number.isSafeInteger(number) ? { number } : null);

/** @type {(dim: number) => Length} of a size as C counts it */
const sizeOf = (dim) => (dim < 0 ? { dim } : { number: dim });

/** @type {(length: Length) => number | null} as C counts it; null for numbers that are no size */
function dimOf(length) {
  if ('dim' in length) return length.dim;
  return length.number >= 0 ? length.number : null;
}

/** What numbers and sizes have in common. @type {Record<string, (a: number, b: number) => number>} */
const NUMBERS = { add: (a, b) => a + b, sub: (a, b) => a - b, mul: (a, b) => a * b, max: Math.max, min: Math.min };
/** What leaves whole numbers as they are; int32 operators do so for all but the largest sizes. */
const KEPT = new Set(['convert', 'bitcast', 'wrap', 'trunc', 'floor', 'ceil', 'round']);
/** Of these what takes a quotient to the whole number below. */
const ROUND_DOWN = new Set(['convert', 'wrap', 'trunc', 'floor']);

/** @type {(length: Length | null) => Length | null} */
const power = (length) =>
  length !== null && 'number' in length && length.number >= 0 && length.number < 31
    ? { number: 2 ** length.number }
    : null;

class Lengths {
  /** @type {Map<Local, Expression>} */
  #lets = new Map();
  /** @type {Map<Local, Length | null>} */
  #known;
  /** What is returned, in each place that returns. @type {Expression[][]} */
  returns = [];

  /**
   * @param {GraphState} state
   * @param {import('../tir/index.js').Func} entry
   * @param {Map<Local, Length | null>} params
   */
  constructor(state, entry, params) {
    this.state = state;
    this.#known = new Map(params);
    this.#visit(entry.body);
  }

  /** @param {Statement[]} body */
  #visit(body) {
    for (const statement of /** @type {any[]} */ (body)) {
      if (statement.kind === 'return') this.returns.push(statement.values);
      if (statement.kind === 'let' && !statement.local.isSet) this.#lets.set(statement.local, statement.value);
      for (const inner of [statement.before, statement.then, statement.otherwise, statement.body, statement.update]) {
        if (Array.isArray(inner)) this.#visit(inner);
      }
    }
  }

  /** @param {Expression} e @returns {Length | null} null where it is not known */
  of(e) {
    if (e.op === 'const') return lengthOf(Number(e.value));
    if (e.op === 'local') return this.#local(/** @type {any} */ (e).local);
    const [first, second, third] = e.args;
    if (e.op === 'shr') return this.#quotient(this.of(first), power(this.of(second)));
    if (KEPT.has(e.op)) return this.of(first) ?? this.#rounded(e.op, this.#behind(first));
    // A length that is NaN is 0; sizes never are.
    if (e.op === 'select' && first.op === 'is_nan') return this.of(third);
    return e.op in NUMBERS ? this.#combined(e.op, this.of(first), this.of(second)) : null;
  }

  /** @param {Local} local @returns {Length | null} */
  #local(local) {
    const known = this.#known.get(local);
    if (known !== undefined) return known;
    const value = this.#lets.get(local);
    this.#known.set(local, null);
    const length = value === undefined ? null : this.of(value);
    this.#known.set(local, length);
    return length;
  }

  /** @param {Expression} e @returns {Expression} what a local stands for */
  #behind(e) {
    const value = e.op === 'local' ? this.#lets.get(/** @type {any} */ (e).local) : undefined;
    return value === undefined ? e : this.#behind(value);
  }

  /** @param {string} op that makes a whole number @param {Expression} e @returns {Length | null} */
  #rounded(op, e) {
    if (e.op !== 'div' || !(ROUND_DOWN.has(op) || op === 'ceil')) return null;
    const [a, b] = [this.of(e.args[0]), this.of(e.args[1])];
    if (op !== 'ceil' || b === null || !('number' in b)) return this.#quotient(a, b);
    return this.#quotient(this.#combined('add', a, { number: b.number - 1 }), b);
  }

  /** @param {Length | null} a @param {Length | null} b @returns {Length | null} rounded down */
  #quotient(a, b) {
    if (a === null || b === null || !('number' in b) || b.number < 1) return null;
    if ('number' in a) return a.number < 0 ? null : { number: Math.floor(a.number / b.number) };
    return sizeOf(this.state.floorDiv(a.dim, b.number));
  }

  /** @param {string} op @param {Length | null} a @param {Length | null} b @returns {Length | null} */
  #combined(op, a, b) {
    if (a === null || b === null) return null;
    if ('number' in a && 'number' in b) return lengthOf(NUMBERS[op](a.number, b.number));
    if ('number' in a && a.number < 0) return op === 'add' ? this.#combined('sub', b, { number: -a.number }) : null;
    if ('number' in b && b.number < 0) {
      const turned = { add: 'sub', sub: 'add' }[op];
      return turned === undefined ? null : this.#combined(turned, a, { number: -b.number });
    }
    // Sizes have a greater of two, and no lesser.
    if (op === 'min') return this.#combined('sub', this.#combined('add', a, b), this.#combined('max', a, b));
    const method = /** @type {'add' | 'sub' | 'mul' | 'max'} */ (op);
    return sizeOf(this.state[method](/** @type {number} */ (dimOf(a)), /** @type {number} */ (dimOf(b))));
  }
}

/**
 * The length of a result, as a size of the graph.
 *
 * @param {GraphState} state
 * @param {import('../tir/index.js').Program} program
 * @param {number} slot of the length among the results
 * @param {Map<Local, Length | null>} params what is known of parameters
 * @returns {number | null} null where it is not known, or not the same on all ways
 */
function resultLength(state, { entry }, slot, params) {
  const lengths = new Lengths(state, entry, params);
  const found = lengths.returns.map((values) => lengths.of(values[slot]));
  const [first] = found;
  if (first === undefined || first === null) return null;
  const dim = dimOf(first);
  return found.every((each) => each !== null && dimOf(each) === dim) ? dim : null;
}

module.exports = { resultLength, sizeOf };
