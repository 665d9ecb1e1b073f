/**
 * Forest: a model of decision trees, compiled.
 *
 * `predict` gives what the source library does; other results are asked for by name. Sums of trees are made by compiled
 * code, in the order and type of the library; what becomes of them (objectives.js), leaves that are functions of
 * features (linear.js) are JavaScript.
 */
'use strict';

const { availableParallelism } = require('node:os');
const { DESCRIBE, expected, integer, isOptions, oneOf, readOptions } = require('../base/check.js');
const { fail } = require('../base/errors.js');
const { wrapOwn } = require('../tensor/tensor.js');
const { expectations, pathsOf } = require('./contributions.js');
const { isLinear, linearSums } = require('./linear.js');
const { classesOf, transform } = require('./objectives.js');
const { readRows } = require('./rows.js');
const { FEW, SHARE, Runner } = require('./run.js');
const { TableBuilder } = require('./table.js');

/** @typedef {import('./trees.js').Definition} Definition */
/** @typedef {import('./rows.js').Rows} Rows */
/** @typedef {'prediction' | 'margin' | 'probability' | 'class' | 'leaf' | 'contributions'} Output */
/** @typedef {readonly [begin: number, end: number]} Iterations */

const MAX_THREADS = 256;

/** What loading spends on rows that nobody asked for, at most; most features of such a row. */
const [WARM_MS, WARM_CALLS, WARM_FEATURES] = [1, 100, 65536];

const KEY = Symbol('graphjit.forest');
const OUTPUTS = /** @type {const} */ (['prediction', 'margin', 'probability', 'class', 'leaf', 'contributions']);

/** @type {import('../base/check.js').Getter<number | Iterations>} */
function iterationsOption(value, which, caller) {
  const isCount = (/** @type {unknown} */ each) => Number.isSafeInteger(each) && Number(each) >= 0;
  if (isCount(value)) return Number(value);
  if (Array.isArray(value) && value.length === 2 && value.every(isCount) && value[0] <= value[1])
    return [value[0], value[1]];
  return expected(caller, 'how many iterations, or [first, end]', which, value);
}

/** @type {import('../base/check.js').Getter<number>} */
const missingOption = (value, which, caller) => (typeof value === 'number' ? value : expected(caller, 'a number', which, value));

const options = { output: oneOf(OUTPUTS), iterations: iterationsOption, missing: missingOption };
/** @type {import('../base/check.js').Getter<AbortSignal>} */
const signalOption = (value, which, caller) =>
  isOptions(value) && 'aborted' in value ? /** @type {any} */ (value) : expected(caller, 'an AbortSignal', which, value);

class Forest {
  #definition;
  #builder;
  #table;
  #block;
  #workBytes;
  #threads;
  #missing;
  /** @type {Map<string, Runner>} */
  #runners = new Map();
  #iterations;
  /** That its table took to make. */
  #milliseconds;
  #all;
  #isLinear;
  /** @type {Int32Array | undefined} */
  #allWays;
  /** Of rows that take the short way; -1: none do. */
  #rowLength = -1;
  /** @type {readonly number[]} */
  #rowShape;
  /** @type {Runner | undefined} */
  #rowRunner;

  /**
   * @param {symbol} key
   * @param {Definition} definition
   * @param {{ threads?: number, missing?: number }} [given]
   */
  constructor(key, definition, { threads = Math.min(availableParallelism(), MAX_THREADS), missing = NaN } = {}) {
    if (key !== KEY) fail('ERR_ARGUMENT', 'Forest: forests are made by load()');
    this.#definition = definition;
    const start = performance.now();
    this.#builder = new TableBuilder(definition);
    this.#table = this.#builder.build();
    this.#milliseconds = performance.now() - start;
    this.#iterations = definition.trees.reduce((most, { iteration }) => Math.max(most, iteration + 1), 0);
    this.#all = this.#builder.ranges(0, Infinity);
    this.#threads = threads;
    this.#missing = missing;
    this.#isLinear = isLinear(definition);
    const { block, workBytes } = sizesOf(this.#table);
    this.#block = block;
    this.#workBytes = workBytes;
    const { groups, features, objective, average, scale, bias } = definition;
    this.#rowShape = groups === 1 ? [1] : [1, groups];
    const isScaled = average || scale !== 1 || bias.some((each) => each !== 0);
    const isPlain = !this.#isLinear && !isScaled && objective.gives === 'value';
    if (isPlain && features > 0 && groups <= FEW && Number.isNaN(missing)) this.#rowLength = features;
    this.#warm();
  }

  /**
   * Predicts rows of zeros, so that code is there before the first call: its own, and the engine's of what surrounds
   * it, which takes some ten calls to know what types it meets.
   */
  #warm() {
    if (this.features > WARM_FEATURES) return;
    const row = new Float32Array(this.features);
    this.predict(row);
    const end = performance.now() + WARM_MS;
    for (let calls = 0; calls < WARM_CALLS && performance.now() < end; calls++) this.predict(row);
  }

  get source() {
    return this.#definition.source;
  }

  get objective() {
    return this.#definition.objective.name;
  }

  get task() {
    return this.#definition.objective.task;
  }

  get features() {
    return this.#definition.features;
  }

  get featureNames() {
    return this.#definition.names;
  }

  /** Outputs of a row. */
  get outputs() {
    return this.#definition.groups;
  }

  get trees() {
    return this.#definition.trees.length;
  }

  get iterations() {
    return this.#iterations;
  }

  // --------------------------------------------------------------------------------- running

  /** @type {(kind: import('./run.js').Kind, from: import('./run.js').Float) => Runner} */
  #runner(kind, from) {
    const key = `${kind} ${from}`;
    let runner = this.#runners.get(key);
    if (runner === undefined) {
      const to = this.#definition.doubles ? 'f64' : 'f32';
      runner = new Runner(kind, from, to, { threads: this.#threads, workBytes: this.#workBytes });
      this.#runners.set(key, runner);
    }
    return runner;
  }

  /** The ways to leaves; those of all trees are kept. @type {(iterations: Iterations) => Int32Array} */
  #ways([begin, end]) {
    const isAll = begin === 0 && end >= this.#iterations;
    if (!isAll) return pathsOf(this.#builder.placed, begin, end);
    return (this.#allWays ??= pathsOf(this.#builder.placed, begin, end));
  }

  /** Blocks that are worth a thread. */
  /** @type {(kind: import('./run.js').Kind) => number} */
  #grain(kind) {
    if (kind === 'contributions') return 1;
    return Math.max(1, Math.ceil(SHARE / (Math.max(1, this.trees) * this.#block)));
  }

  /** What a run is given, and where it writes. @type {(kind: import('./run.js').Kind, rows: Rows, iterations: Iterations) => { runner: Runner, ranges: Int32Array, out: any }} */
  #call(kind, { x, rows }, [begin, end]) {
    const { groups, doubles } = this.#definition;
    const runner = this.#runner(kind, x instanceof Float32Array ? 'f32' : 'f64');
    const isAll = begin === 0 && end >= this.#iterations;
    const ways = kind === 'contributions' ? this.#ways([begin, end]) : undefined;
    const ranges = ways ?? (isAll ? this.#all : this.#builder.ranges(begin, end));
    const size = rows * { leaves: this.trees, sums: groups, contributions: groups * (this.features + 1) }[kind];
    const Sums = doubles ? Float64Array : Float32Array;
    const Class = { leaves: Int32Array, sums: Sums, contributions: Float64Array }[kind];
    return { runner, ranges, out: allocate(Class, size) };
  }

  /** @type {(kind: import('./run.js').Kind, rows: Rows, iterations: Iterations, caller: string) => any} */
  #now(kind, rows, iterations, caller) {
    const { runner, ranges, out } = this.#call(kind, rows, iterations);
    const { length } = out;
    // The engine moves a small array when code is given it, which takes longer than to copy one that was moved before.
    const into = length <= FEW ? runner.few(out.constructor) : out;
    runner.now(this.#table, rows.x, ranges, into, rows.rows, this.#grain(kind), caller);
    for (let i = 0; into !== out && i < length; i++) out[i] = into[i];
    return out;
  }

  /** @type {(kind: import('./run.js').Kind, rows: Rows, iterations: Iterations, caller: string, signal: AbortSignal | undefined) => Promise<any>} */
  async #later(kind, rows, iterations, caller, signal) {
    const { runner, ranges, out } = this.#call(kind, rows, iterations);
    await runner.later(this.#table, rows.x, ranges, out, rows.rows, this.#grain(kind), caller, signal);
    return out;
  }

  // --------------------------------------------------------------------------------- results

  /** @type {(given: { output?: Output, iterations?: number | Iterations }, caller: string) => { output: Output, iterations: Iterations }} */
  #plan({ output = 'prediction', iterations = this.#iterations }, caller) {
    const range = /** @type {Iterations} */ (typeof iterations === 'number' ? [0, iterations] : iterations);
    if (range[1] > this.#iterations) fail('ERR_ARGUMENT', `${caller}: iteration ${range[1]} of ${this.#iterations}`);
    const { task, transform: name } = this.#definition.objective;
    const isClassifier = task === 'binary' || task === 'multiclass';
    if ((output === 'class' || output === 'probability') && !isClassifier)
      fail('ERR_UNSUPPORTED', `${caller}: ${this} gives no ${output}: its task is ${task}`);
    if (output === 'probability' && name === 'sign') fail('ERR_UNSUPPORTED', `${caller}: ${this.objective} gives classes and no probabilities`);
    return { output, iterations: range };
  }

  /** @type {(output: Output) => import('./run.js').Kind} what compiled code finds */
  #kindFor(output) {
    if (output === 'contributions') return output;
    return output === 'leaf' || this.#isLinear ? 'leaves' : 'sums';
  }

  /** @type {(sums: any, rows: Rows, plan: { output: Output, iterations: Iterations }) => any} a Tensor */
  #finish(found, rows, { output, iterations }) {
    const { groups, objective } = this.#definition;
    if (output === 'leaf') return this.#leaves(found, rows.rows, iterations);
    if (output === 'contributions') return this.#contributions(found, rows, iterations);
    const sums = this.#isLinear ? linearSums(this.#definition, rows, found, iterations) : found;
    this.#scale(sums, iterations);
    const shape = groups === 1 ? [rows.rows] : [rows.rows, groups];
    if (output === 'class') return wrapOwn(classesOf(sums, groups), 'i32', [rows.rows]);
    if (output === 'prediction' && objective.gives === 'class') {
      const classes = classesOf(sums, groups);
      return wrapOwn(sums.constructor.from(classes), dtypeOf(sums), [rows.rows]);
    }
    if (output === 'probability') transform({ ...objective, transform: this.#probability() }, sums, groups);
    else if (output === 'prediction') transform(objective, sums, groups);
    return wrapOwn(sums, dtypeOf(sums), shape);
  }

  /** What makes probabilities of sums. */
  #probability() {
    const { task, transform: name } = this.#definition.objective;
    return task === 'binary' && name === 'identity' ? 'sigmoid' : name;
  }

  /** @type {(sums: any, iterations: Iterations) => void} */
  #scale(sums, [begin, end]) {
    const { scale, bias, average, groups } = this.#definition;
    if (average && end > begin) for (let i = 0; i < sums.length; i++) sums[i] /= end - begin;
    if (scale === 1 && bias.every((each) => each === 0)) return;
    for (let i = 0; i < sums.length; i++) sums[i] = scale * sums[i] + bias[i % groups];
  }

  /** Those of trees of some iterations. @type {(found: Int32Array, rows: number, iterations: Iterations) => any} */
  #leaves(found, rows, [begin, end]) {
    const { trees } = this.#definition;
    if (begin === 0 && end >= this.#iterations) return wrapOwn(found, 'i32', [rows, trees.length]);
    const columns = [...trees.keys()].filter((tree) => trees[tree].iteration >= begin && trees[tree].iteration < end);
    const out = new Int32Array(rows * columns.length);
    for (let row = 0, at = 0; row < rows; row++)
      for (const column of columns) out[at++] = found[row * trees.length + column];
    return wrapOwn(out, 'i32', [rows, columns.length]);
  }

  /** @type {(found: Float64Array, rows: Rows, iterations: Iterations) => any} */
  #contributions(found, rows, iterations) {
    const { groups, features } = this.#definition;
    expectations(this.#definition, found, iterations);
    return wrapOwn(found, 'f64', groups === 1 ? [rows.rows, features + 1] : [rows.rows, groups, features + 1]);
  }

  /**
   * What is done for a row in an array of its own, by default: no more than must be, as most of the time of a row is
   * spent around its run, and until the engine has compiled this, each step costs a multiple.
   *
   * @param {Float32Array} x
   */
  #predictRow(x) {
    const runner = (this.#rowRunner ??= this.#runner('sums', 'f32'));
    const { groups, objective, doubles } = this.#definition;
    const few = runner.few(doubles ? Float64Array : Float32Array);
    runner.now(this.#table, x, this.#all, few, 1, 1, 'predict');
    const sums = few.slice(0, groups);
    if (objective.transform !== 'identity') transform(objective, sums, groups);
    return wrapOwn(sums, doubles ? 'f64' : 'f32', this.#rowShape);
  }

  /** @param {unknown} X @param {unknown} [given] @returns {any} a Tensor */
  predict(X, given) {
    if (given === undefined && X instanceof Float32Array && X.length === this.#rowLength) return this.#predictRow(X);
    const { missing = this.#missing, ...read } = readOptions('predict', given, options);
    const plan = this.#plan(read, 'predict');
    const rows = readRows(X, this.#definition, missing, 'predict');
    return this.#finish(this.#now(this.#kindFor(plan.output), rows, plan.iterations, 'predict'), rows, plan);
  }

  /** @param {unknown} X @param {unknown} [given] @returns {Promise<any>} */
  async predictAsync(X, given) {
    const { signal, missing = this.#missing, ...read } = readOptions('predictAsync', given, { ...options, signal: signalOption });
    const plan = this.#plan(read, 'predictAsync');
    const rows = readRows(X, this.#definition, missing, 'predictAsync');
    // The run must find all of it, whatever its owner does meanwhile.
    if (/** @type {any} */ (rows.x.buffer).resizable) rows.x = rows.x.slice();
    const found = await this.#later(this.#kindFor(plan.output), rows, plan.iterations, 'predictAsync', signal);
    return this.#finish(found, rows, plan);
  }

  // --------------------------------------------------------------------------------- elsewhere

  #exported() {
    const [definition, table, ranges] = [this.#definition, this.#table, this.#all];
    return { definition, table, ranges, iterations: this.#iterations, workBytes: this.#workBytes };
  }

  /** @param {unknown} [given] */
  toWasm(given) {
    return require('./export.js').toWasm(this.#exported(), given);
  }

  /** @param {unknown} [given] */
  toObject(given) {
    return require('./export.js').toObject(this.#exported(), given);
  }

  /** @param {unknown} [given] */
  toHeader(given) {
    return require('./export.js').toHeader(this.#exported(), given);
  }

  /** How it is laid out, and nanoseconds of a row, measured now. */
  explain() {
    const codes = [...this.#runners.values()].map(({ stats }) => stats);
    const [placed, table, workBytes, threads] = [this.#builder.placed, this.#table, this.#workBytes, this.#threads];
    const milliseconds = this.#milliseconds;
    return require('./explain.js').explain(this, { placed, table, workBytes, threads, milliseconds, codes });
  }

  toString() {
    const { source, groups, features, objective } = this.#definition;
    const outputs = groups === 1 ? '1 output' : `${groups} outputs`;
    return `Forest ${source} (${this.trees} trees, ${features} features -> ${outputs}, ${objective.name || 'no objective'})`;
  }

  [DESCRIBE]() {
    return String(this);
  }

  [Symbol.for('nodejs.util.inspect.custom')]() {
    return this.toString();
  }
}

/** @type {(table: Uint8Array) => { block: number, workBytes: number }} of a thread */
function sizesOf(table) {
  const head = new BigInt64Array(table.buffer, 0, 9);
  const [bytes, words, block] = [head[6], head[7], head[8]].map(Number);
  const aligned = (/** @type {number} */ size) => 64 * Math.ceil(size / 64);
  return { block, workBytes: aligned(2 * block * words) + aligned(block * bytes) + aligned(8 * block) };
}

/** @type {(Class: any, size: number) => any} */
function allocate(Class, size) {
  if (size * Class.BYTES_PER_ELEMENT > 2 ** 33) fail('ERR_MEMORY', `predict: ${size} results are too many`);
  return new Class(size);
}

/** @type {(sums: Float32Array | Float64Array) => 'f32' | 'f64'} */
const dtypeOf = (sums) => (sums instanceof Float32Array ? 'f32' : 'f64');

/** @type {(definition: Definition, given?: { threads?: number, missing?: number }) => Forest} */
const createForest = (definition, given) => new Forest(KEY, definition, given);

/** What `load` takes for forests. */
const forestOptions = { threads: integer(1, MAX_THREADS), missing: missingOption };

module.exports = { Forest, createForest, forestOptions };
