/**
 * Operators and losses that are functions of the user's own: compiled once, for a block of rows at a time, and called
 * by the evaluator as it calls the kernels of ops.
 *
 * A function is an op of graphs first (native/graph/apply.js), so what it may do is what such an op may: it has numbers
 * and gives one, and neither throws nor keeps arrays, as a row has nobody to throw at. A graph of that op alone is the
 * kernel, so values have the bits of the function, whatever graph or population it is called in.
 */
'use strict';

const { expected } = require('../base/check.js');
const { fail } = require('../base/errors.js');
const { Graph } = require('../graph/graph.js');
const { internalsOf } = require('../graph/program.js');
const { derivativeBy } = require('../native/derivatives.js');
const { applyTo } = require('../native/graph/apply.js');
const { native } = require('../native/index.js');
const { ownerOf } = require('../native/run/callable.js');
const { elementwise } = require('../ops/elementwise.js');

/** @typedef {import('../native/run/callable.js').Callable} Callable */
/** @typedef {import('../graph/value.js').Value} Value */
/** @typedef {import('./data.js').Precision} Precision */

/** As src/population/nodes.h has it. */
const MOST_OPERANDS = 3;

class OwnFunction {
  #own;
  /** By dtype and number of operands; a program keeps the code. @type {Map<string, import('../graph/program.js').Program>} */
  #kernels = new Map();
  /** By operand and dtype. @type {Map<string, OwnFunction>} */
  #derivatives = new Map();
  /** Whether it gives booleans, which are 1 and 0. */
  #isTruth = false;

  /** @param {Callable} own */
  constructor(own) {
    this.#own = own;
    const { count, hasRest } = own.unit.arity;
    /** Parameters. */
    this.arity = count;
    this.hasRest = hasRest;
    this.name = own.name;
  }

  /** @param {readonly Value[]} operands @param {Precision} dtype @returns {Value} */
  apply(operands, dtype) {
    const result = applyTo(this.#own, operands);
    if (result.dtype === 'i64' || result.dtype === 'u64') {
      fail('ERR_UNSUPPORTED', `${this.name}: it returns a bigint, which is no value of a program: return a number`);
    }
    this.#isTruth = result.dtype === 'bool';
    return elementwise.convert(result, dtype);
  }

  /** Code for arrays of so many operands. @param {Precision} dtype @param {number} [count] */
  kernel(dtype, count = this.arity) {
    const key = `${dtype} ${count}`;
    const program = this.#kernels.get(key) ?? this.#compile(dtype, count);
    this.#kernels.set(key, program);
    return internalsOf(program).handle;
  }

  /** @param {Precision} dtype @param {number} count */
  #compile(dtype, count) {
    const graph = new Graph(this.name);
    const operands = Array.from({ length: count }, (_, i) => graph.input(`x${i}`, dtype, ['n']));
    graph.output('y', this.apply(operands, dtype));
    const program = graph.compile({ threads: 1 });
    graph.dispose();
    return program;
  }

  /** By an operand, a function of the same ones; null where it is 0, as of booleans. @param {number} operand @param {Precision} dtype @returns {OwnFunction | null} */
  derivative(operand, dtype) {
    this.kernel(dtype); // tells what it gives
    if (this.#isTruth) return null;
    const key = `${operand} ${dtype}`;
    const made = this.#derivatives.get(key) ?? new OwnFunction(derivativeBy(this.#own, operand, dtype));
    this.#derivatives.set(key, made);
    return made;
  }
}

/** @type {WeakMap<Function, OwnFunction>} */
const known = new WeakMap();

/** @param {unknown} fn a native function, or one that is to become so @param {string} which @param {string} caller @returns {OwnFunction} */
function readFunction(fn, which, caller) {
  if (typeof fn !== 'function') return expected(caller, 'a function', which, fn);
  const found = known.get(fn);
  if (found) return found;
  const own = ownerOf(fn) ?? ownerOf(native(fn));
  if (own === undefined || own.why !== null) {
    return expected(caller, 'a function that can be compiled', which, fn);
  }
  const made = new OwnFunction(own);
  known.set(fn, made);
  return made;
}

/** @param {unknown} fn @param {string} which @param {string} caller @returns {OwnFunction} of as many numbers as it has parameters */
function readOperator(fn, which, caller) {
  const made = readFunction(fn, which, caller);
  if (!made.hasRest && made.arity >= 1 && made.arity <= MOST_OPERANDS) return made;
  const has = made.hasRest ? 'rest parameters' : `${made.arity} parameters`;
  return fail('ERR_ARGUMENT', `${caller}: expected a function of 1 to ${MOST_OPERANDS} numbers for ${which}, it has ${has}`);
}

/** @param {unknown} fn @param {string} which @param {string} caller @returns {OwnFunction} of a value and a target */
function readLossFunction(fn, which, caller) {
  const made = readFunction(fn, which, caller);
  if (made.hasRest || made.arity >= 1) return made;
  return fail('ERR_ARGUMENT', `${caller}: expected a function of a value and a target for ${which}, it has no parameters`);
}

module.exports = { OwnFunction, readLossFunction, readOperator };
