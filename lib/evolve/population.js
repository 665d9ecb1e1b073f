/**
 * population: many programs over the same columns, evaluated together.
 *
 * Here are checks, defaults and what results look like; the work is done in C (src/population).
 */
'use strict';

const os = require('node:os');

const { native } = require('../base/binding.js');
const { DESCRIBE, boolean, describe, expected, finite, integer, oneOf, readOptions } = require('../base/check.js');
const { fail } = require('../base/errors.js');
const { dtypes } = require('../tensor/dtypes.js');
const { takeArray } = require('../tensor/storage.js');
const { wrapOwn } = require('../tensor/tensor.js');
const { pick, readColumns, readFloats, readRows, readTarget, readWeights } = require('./data.js');
const expression = require('./expression.js');
const { readLoss, withTerm } = require('./losses.js');
const { languageOf } = require('./operators.js');
const { programAt, readPrograms } = require('./programs.js');
const { toGraph, toGraphOfAll } = require('./to-graph.js');

/** @typedef {import('./data.js').Precision} Precision */
/** @typedef {import('../base/binding.js').NativeData} NativeData */

const threadsOption = integer(1, 256);

/** @type {(value: unknown, which: string, caller: string) => unknown} checked by whoever knows more */
const anything = (value) => value;

const NO_TARGET = Symbol('no target');
const DATA_OPTIONS = { rows: anything, threads: threadsOption };
const LOSS_OPTIONS = { ...DATA_OPTIONS, loss: anything, weights: anything };

/** @type {(value: unknown, which: string, caller: string) => readonly string[]} */
function names(value, which, caller) {
  const isList = Array.isArray(value) && value.every((each) => typeof each === 'string' && each !== '');
  if (!isList) return expected(caller, 'an array of names', which, value);
  const seen = new Set();
  const twice = value.find((each) => seen.size === seen.add(each).size);
  return twice === undefined ? value : fail('ERR_ARGUMENT', `${caller}: variable '${twice}' is there twice`);
}

/** @type {(term: import('./operators.js').Body | null) => [Uint32Array, Int32Array, Float64Array] | null} */
const nativeTerm = (term) =>
  term && [Uint32Array.of(0, term.tokens.length), Int32Array.from(term.tokens), Float64Array.from(term.constants)];

/**
 * The same as `fitness`, for somebody else's caller.
 *
 * @type {(own: Population, columns: unknown, target: unknown, options: Record<string, unknown>, caller: string) => { values: Float64Array }}
 */
let fitnessOf;

class Population {
  /** @type {import('../base/binding.js').Handle | null} */
  #handle;
  #language;
  #programs;

  /**
   * @param {import('./programs.js').Programs} programs
   * @param {{ variables: readonly string[], language: import('./operators.js').Language, dtype: Precision, numerics: string }} options
   */
  constructor(programs, { variables, language, dtype, numerics }) {
    this.#language = language;
    this.#programs = programs;
    this.variables = variables;
    this.dtype = dtype;
    this.numerics = numerics;
    this.size = programs.offsets.length - 1;
    const handle = this.#load(false);
    this.#handle = handle;
    /** How many different values there are, of all programs together. */
    this.nodes = handle.nodes;
    Object.freeze(this);
  }

  static {
    fitnessOf = (own, columns, target, options, caller) => own.#fitness(columns, target, options, caller);
  }

  /** @param {boolean} parameters whether constants can change */
  #load(parameters) {
    const { tokens, constants, offsets, order } = this.#programs;
    const { lists, arity } = this.#language.native();
    const { functions, derivatives } = this.#language.kernels(this.dtype, parameters);
    const isStrict = this.numerics === 'strict';
    return native.populationNew(
      [offsets, tokens, constants], order === 'prefix', lists, arity, this.dtype, this.variables.length, isStrict,
      parameters, functions, derivatives,
    );
  }

  /** @returns {string} */
  [DESCRIBE]() {
    return `a population of ${this.size}`;
  }

  /** The names of the operators, in the order of their tokens. */
  get ops() {
    return this.#language.operators.map(({ name }) => name);
  }

  /** The programs as arrays. @returns {import('./programs.js').Programs} */
  get programs() {
    return this.#programs;
  }

  /** @param {string} caller @returns {import('../base/binding.js').Handle} */
  #live(caller) {
    return this.#handle ?? fail('ERR_STATE', `${caller}: the population is disposed`);
  }

  /**
   * @param {unknown} columns
   * @param {unknown} target
   * @param {{ rows?: unknown, weights?: unknown }} options
   * @param {import('./losses.js').Loss | null} loss
   * @param {string} caller
   * @returns {NativeData}
   */
  #data(columns, target, options, loss, caller) {
    const read = readColumns(columns, this.variables, this.dtype, caller);
    const values = target === NO_TARGET ? null : /** @type {Float64Array} */ (readFloats(target, 'f64', 'the target', caller));
    // Programs without variables have as many rows as there are targets, or one.
    const count = this.variables.length === 0 ? (values?.length ?? 1) : read.rows;
    const targets = values && readTarget(values, count, 'the target', caller);
    const weights = readWeights(options.weights, count, caller);
    const rows = readRows(options.rows, count, caller);
    return [
      rows?.length ?? count, read.columns.map((column) => pick(column, rows)),
      targets && /** @type {Float64Array} */ (pick(targets, rows)),
      weights && /** @type {Float64Array} */ (pick(weights, rows)), nativeTerm(loss?.term ?? null),
      loss?.own?.kernel(this.dtype, 2) ?? null,
    ];
  }

  /** @param {NativeData} data @param {number} threads @param {string} caller */
  #values(data, threads, caller) {
    const shape = [this.size, data[0]];
    const size = this.size * data[0];
    if (size > 2 ** 32) fail('ERR_OVERFLOW', `${caller}: ${shape.join(' × ')} values are too many for an array`);
    const out = /** @type {import('./data.js').Floats} */ (takeArray(dtypes[this.dtype], size, caller));
    native.populationPredict(this.#live(caller), data, threads, out);
    return wrapOwn(out, this.dtype, Object.freeze(shape));
  }

  /** @param {unknown} columns @param {Record<string, unknown>} [options] */
  predict(columns, options = {}) {
    const caller = 'predict';
    const { threads = defaultThreads(), ...rest } = readOptions(caller, options, DATA_OPTIONS);
    return this.#values(this.#data(columns, NO_TARGET, rest, null, caller), threads, caller);
  }

  /** @param {unknown} columns @param {unknown} target @param {Record<string, unknown>} [options] */
  errors(columns, target, options = {}) {
    const caller = 'errors';
    const { threads = defaultThreads(), loss = 'mse', ...rest } = readOptions(caller, options, {
      ...DATA_OPTIONS, loss: anything,
    });
    const data = this.#data(columns, target, rest, withTerm(readLoss(loss, caller)), caller);
    return this.#values(data, threads, caller);
  }

  /** @param {unknown} columns @param {unknown} target @param {Record<string, unknown>} [options] */
  fitness(columns, target, options = {}) {
    return this.#fitness(columns, target, options, 'fitness');
  }

  /** @param {unknown} columns @param {unknown} target @param {Record<string, unknown>} options @param {string} caller */
  #fitness(columns, target, options, caller) {
    const read = readOptions(caller, options, {
      ...LOSS_OPTIONS, linearScaling: boolean, bound: finite,
    });
    const { threads = defaultThreads(), loss: name = 'mse', linearScaling = false, bound = Infinity } = read;
    const loss = readLoss(name, caller);
    if (linearScaling && !loss.isSquare) {
      fail('ERR_UNSUPPORTED', `${caller}: linear scaling is for 'mse', 'rmse' and 'r2', not for loss ${describe(name)}`);
    }
    if (bound !== Infinity && !loss.isBounded) fail('ERR_UNSUPPORTED', `${caller}: loss ${describe(name)} takes no bound`);
    const data = this.#data(columns, target, read, loss, caller);
    const line = () => (linearScaling ? new Float64Array(this.size) : null);
    const [values, intercepts, slopes] = [new Float64Array(this.size), line(), line()];
    const handle = this.#live(caller);
    native.populationFitness(handle, data, threads, loss.kind, linearScaling, bound, values, intercepts, slopes);
    return linearScaling ? { values, intercepts, slopes } : { values };
  }

  /** @param {unknown} columns @param {unknown} target @param {Record<string, unknown>} [options] */
  fitConstants(columns, target, options = {}) {
    const caller = 'fitConstants';
    const read = readOptions(caller, options, { ...DATA_OPTIONS, weights: anything, iterations: integer(0, 10_000) });
    const { threads = defaultThreads(), iterations = 20 } = read;
    this.#live(caller);
    const data = this.#data(columns, target, read, null, caller);
    const { tokens, offsets, order } = this.#programs;
    const [constants, values] = [new Float64Array(tokens.length), new Float64Array(this.size)];
    const handle = this.#load(true);
    try {
      native.populationFit(handle, data, threads, iterations, constants, values);
    } finally {
      native.populationDispose(handle);
    }
    return { programs: { tokens, constants, offsets, order }, values };
  }

  /** @param {number} index @param {string} caller */
  #program(index, caller) {
    integer(0, this.size - 1)(index, 'the number of a program', caller);
    return programAt(this.#programs, index, this.#language);
  }

  /** @param {number} index */
  toString(index) {
    if (index === undefined) return `population of ${this.size} programs, ${this.nodes} values`;
    return expression.toText(this.#program(index, 'toString'), this.variables, this.#language);
  }

  /** @param {number} index */
  toLatex(index) {
    return expression.toLatex(this.#program(index, 'toLatex'), this.variables, this.#language);
  }

  /** @param {number} [index] all programs without it */
  toGraph(index) {
    const description = { variables: this.variables, language: this.#language, dtype: this.dtype };
    if (index !== undefined) return toGraph(this.#program(index, 'toGraph'), description);
    if (this.size === 0) return fail('ERR_ARGUMENT', 'toGraph: there are no programs');
    const all = Array.from({ length: this.size }, (_, i) => this.#program(i, 'toGraph'));
    return toGraphOfAll(all, description);
  }

  dispose() {
    if (this.#handle) native.populationDispose(this.#handle);
    this.#handle = null;
  }
}

/** As many as there are cores that this process may use. */
const cores = Math.min(os.availableParallelism(), 256);
const defaultThreads = () => cores;

/**
 * @param {unknown} programs
 * @param {Record<string, unknown>} [options]
 * @returns {Population}
 */
function population(programs, options = {}) {
  const caller = 'population';
  const { variables, ops, protected: isProtected = false, dtype = 'f64', numerics = 'default' } = readOptions(caller, options, {
    variables: names,
    ops: anything,
    protected: boolean,
    dtype: oneOf(/** @type {const} */ (['f64', 'f32'])),
    numerics: oneOf(['default', 'strict']),
  });
  if (variables === undefined) return expected(caller, 'an array of names', "option 'variables'", variables);
  const language = languageOf(ops, isProtected, caller, expression.reader(caller));
  const read = readPrograms(programs, variables, language, caller);
  return new Population(read, { variables, language, dtype, numerics });
}

module.exports = { Population, anything, defaultThreads, fitnessOf, names, population };
