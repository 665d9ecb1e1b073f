/**
 * symbolicRegression: formulas for data, in the manner of gplearn and PySR.
 *
 * Here are options, what fit() takes and what a fitted regressor tells; the search is in search.js.
 */
'use strict';

const { AbortError } = require('../../base/abort.js');
const { boolean, callable, expected, finite, integer, oneOf, readOptions } = require('../../base/check.js');
const { fail } = require('../../base/errors.js');
const { Tensor, wrapOwn } = require('../../tensor/tensor.js');
const { elementsOf, readColumns, readTarget, readWeights } = require('../data.js');
const expression = require('../expression.js');
const { readLoss } = require('../losses.js');
const { languageOf } = require('../operators.js');
const { Population, anything, defaultThreads, fitnessOf, names } = require('../population.js');
const { readSignal, runAsync, runNow } = require('../search/evolve.js');
const { readSeed } = require('../search/stream.js');
const { toMathml } = require('./mathml.js');
const { progressOn } = require('./progress.js');
const { programsOf } = require('./individuals.js');
const { Regression } = require('./search.js');
const { restore, stateOf } = require('./state.js');

/** @type {(value: unknown, which: string, caller: string) => number} */
const share = (value, which, caller) => {
  const good = typeof value === 'number' && value >= 0 && value <= 1;
  return good ? value : expected(caller, 'a number from 0 to 1', which, value);
};

/** @type {(value: unknown, which: string, caller: string) => number} */
const notNegative = (value, which, caller) => {
  const good = typeof value === 'number' && value >= 0 && value < Infinity;
  return good ? value : expected(caller, 'a finite number of 0 or more', which, value);
};

/** @type {(value: unknown, which: string, caller: string) => string} */
const string = (value, which, caller) => (typeof value === 'string' ? value : expected(caller, 'a text', which, value));

const OPTIONS = {
  variables: names, ops: anything, protected: boolean, dtype: oneOf(/** @type {const} */ (['f64', 'f32'])),
  numerics: oneOf(['default', 'strict']), loss: anything, populationSize: integer(2, 2 ** 20), islands: integer(1, 1000),
  generations: integer(0), maxSize: integer(1, 1000), tournament: integer(1, 1000), crossoverRate: share,
  parsimony: notNegative, constantRange: notNegative, target: finite, fitConstants: boolean, seed: readSeed,
  threads: integer(1, 256),
};
const DEFAULT_OPS = ['add', 'sub', 'mul', 'div', 'sin', 'cos', 'exp', 'log'];

/**
 * Rows of numbers, a tensor [rows, variables], or columns by name.
 *
 * @param {unknown} x
 * @param {readonly string[] | undefined} variables
 * @param {string} caller
 * @returns {{ variables: readonly string[], columns: unknown }}
 */
function columnsOf(x, variables, caller) {
  const named = (/** @type {number} */ count) => variables ?? Array.from({ length: count }, (_, i) => `x${i}`);
  if (x instanceof Tensor) {
    if (x.shape.length !== 2) return expected(caller, 'a tensor [rows, variables]', 'X', x.shape, 'ERR_SHAPE');
    const [rows, count] = x.shape;
    const data = elementsOf(x);
    return split(rows, count, (row, column) => Number(data[row * count + column]), named(count), caller);
  }
  if (Array.isArray(x)) {
    const count = x.length === 0 ? (variables?.length ?? 0) : x[0]?.length;
    const isRow = (/** @type {unknown} */ row) => {
      const list = /** @type {ArrayLike<number>} */ (row);
      const isList = (Array.isArray(row) || ArrayBuffer.isView(row)) && list.length === count;
      return isList && Array.from(list).every((each) => typeof each === 'number');
    };
    const wrong = x.findIndex((row) => !isRow(row));
    if (wrong >= 0) return expected(caller, `${count ?? 'some'} numbers`, `row ${wrong} of X`, x[wrong]);
    return split(x.length, count, (row, column) => x[row][column], named(count), caller);
  }
  if (typeof x !== 'object' || x === null || ArrayBuffer.isView(x)) {
    return expected(caller, 'rows, a tensor or columns', 'X', x);
  }
  return { variables: variables ?? Object.keys(x), columns: x };
}

/** @param {number} rows @param {number} count @param {(row: number, column: number) => number} at @param {readonly string[]} variables @param {string} caller */
function split(rows, count, at, variables, caller) {
  if (variables.length !== count) {
    fail('ERR_SHAPE', `${caller}: X has ${count} columns, expected ${variables.length} as there are variables`);
  }
  const columns = variables.map((_, column) => Float64Array.from({ length: rows }, (__, row) => at(row, column)));
  return { variables, columns };
}

/** @typedef {import('./trees.js').Tree} Tree */

/** One formula of the front. */
class Formula {
  #tree;
  #settings;

  /** @param {import('./individuals.js').Individual} individual @param {import('./search.js').Settings} settings @param {number} score */
  constructor({ tree, loss }, settings, score) {
    this.#tree = tree;
    this.#settings = settings;
    this.size = tree.tokens.length;
    this.loss = loss;
    this.score = score;
    this.expression = expression.toText(tree, settings.variables, settings.language);
  }

  /** @returns {Population} */
  get population() {
    return new Population(programsOf([this.#tree]), this.#settings);
  }

  toString() {
    return this.expression;
  }

  toLatex() {
    return expression.toLatex(this.#tree, this.#settings.variables, this.#settings.language);
  }

  /** The element `math`. */
  toMathml() {
    return String(toMathml(this.#tree, this.#settings.variables, this.#settings.language));
  }

  toGraph() {
    return this.population.toGraph(0);
  }

  /** @param {readonly Formula[]} formulas */
  static together(formulas) {
    return new Population(programsOf(formulas.map((each) => each.#tree)), formulas[0].#settings);
  }
}

/**
 * The front with what each formula gains for each token more: the drop of the logarithm of the loss.
 *
 * @param {readonly import('./individuals.js').Individual[]} front
 * @param {import('./search.js').Settings} settings
 * @returns {Formula[]}
 */
function formulasOf(front, settings) {
  const logOf = (/** @type {number} */ loss) => Math.log(Math.max(loss, 1e-300));
  return front.map((each, i) => {
    const before = front[i - 1];
    if (!before) return new Formula(each, settings, 0);
    const more = each.tree.tokens.length - before.tree.tokens.length;
    return new Formula(each, settings, (logOf(before.loss) - logOf(each.loss)) / more);
  });
}

/** The formula of the greatest score among those whose loss is near the least. @param {readonly Formula[]} front @param {number} rounding */
function bestOf(front, rounding) {
  const least = front.length > 0 ? front[front.length - 1].loss : Infinity;
  const near = front.filter(({ loss }) => loss === least || loss <= Math.max(least + 0.5 * Math.abs(least), rounding));
  return near.reduce((best, each) => (each.score > best.score ? each : best), near[0]);
}

/** Generations from one look at whether rounding is all that is left to the next: time for a shorter formula. */
const LOOK = 20;

/**
 * Generations until there are enough.
 *
 * @param {Regression} regression
 * @param {AbortSignal | undefined} signal
 * @param {(report: import('./progress.js').Report) => unknown} tell
 * @returns {Generator<import('../search/evolve.js').Wait | void, void>}
 */
function* generationsOf(regression, signal, tell) {
  const { settings: { target, generations }, rounding } = regression;
  for (;;) {
    const front = regression.front();
    const least = front[front.length - 1]?.loss ?? Infinity;
    const isStopped = tell(reportOf(regression, least)) === false;
    const isEnough = target === undefined ? least <= rounding && regression.generation % LOOK === 0 : least <= target;
    if (isStopped || isEnough || regression.generation >= generations) return;
    yield;
    if (signal?.aborted) throw new AbortError(signal);
    yield* regression.step();
  }
}

class SymbolicRegressor {
  #options;
  /** @type {Regression | null} */
  #regression = null;
  /** @type {Formula[]} */
  #front = [];

  /** @param {Record<string, unknown>} options */
  constructor(options) {
    this.#options = /** @type {any} */ (readOptions('symbolicRegression', options, OPTIONS));
    this.#settings(this.#options.variables ?? [], 'symbolicRegression');
  }

  /** @param {readonly string[]} variables @param {string} caller @returns {import('./search.js').Settings} */
  #settings(variables, caller) {
    const { ops = DEFAULT_OPS, protected: isProtected = false, loss = 'mse', ...rest } = this.#options;
    const { fitConstants = true } = rest;
    const found = readLoss(loss, caller);
    if (found.isScore) {
      fail('ERR_UNSUPPORTED', `${caller}: '${loss}' is no loss that can be made less, 'mse' finds the same formulas`);
    }
    return {
      dtype: 'f64', numerics: 'default', populationSize: 120, islands: 10, generations: 400, maxSize: 25, tournament: 4,
      crossoverRate: 0.8, parsimony: 10, constantRange: 5, target: undefined, seed: 0, threads: defaultThreads(),
      ...rest, variables, loss, fitsConstants: fitConstants && found.isSquare,
      language: languageOf(ops, isProtected, caller, expression.reader(caller)),
    };
  }

  /** @param {unknown} x @param {unknown} y @param {Record<string, unknown>} options @param {string} caller @returns {Generator<import('../search/evolve.js').Wait | void, this>} */
  *#search(x, y, options, caller) {
    const read = readOptions(caller, options, {
      weights: anything, state: anything, onGeneration: callable, signal: anything, verbose: boolean,
    });
    const signal = readSignal(read.signal, caller);
    const { variables, columns } = columnsOf(x, this.#options.variables, caller);
    const settings = this.#settings(variables, caller);
    const given = readColumns(columns, variables, settings.dtype, caller);
    const target = readTarget(y, given.rows, 'y', caller);
    const weights = readWeights(read.weights, given.rows, caller) ?? undefined;
    if (given.rows === 0) fail('ERR_SHAPE', `${caller}: X has no rows`);
    const wrong = target.findIndex((each) => !Number.isFinite(each));
    if (wrong >= 0) expected(caller, 'a finite number', `element ${wrong} of y`, target[wrong]);
    if (weights?.every((each) => each === 0)) expected(caller, 'a weight above 0', "option 'weights'", weights);
    const regression = new Regression(settings, { columns: given.columns, target, weights });
    if (read.state === undefined) regression.begin();
    else restore(regression, read.state, caller);
    this.#regression = regression;
    const progress = read.verbose ? progressOn(process.stderr, settings.generations) : undefined;
    try {
      yield* generationsOf(regression, signal, (report) => {
        progress?.tell(report);
        return read.onGeneration?.(report);
      });
    } finally {
      progress?.end();
      try {
        // Also of a search that a signal or a callback has ended.
        this.#front = formulasOf(regression.finish(), settings);
      } finally {
        regression.leave();
      }
    }
    return this;
  }

  /** @param {unknown} x @param {unknown} y @param {Record<string, unknown>} [options] */
  fit(x, y, options = {}) {
    return runNow(this.#search(x, y, options, 'fit'));
  }

  /** @param {unknown} x @param {unknown} y @param {Record<string, unknown>} [options] */
  async fitAsync(x, y, options = {}) {
    return runAsync(this.#search(x, y, options, 'fitAsync'));
  }

  /** @param {string} caller */
  #fitted(caller) {
    return this.#regression ?? fail('ERR_STATE', `${caller}: nothing was fitted yet`);
  }

  /** Better and larger from one to the next. */
  get front() {
    return this.#front;
  }

  get best() {
    return bestOf(this.#front, this.#fitted('best').rounding) ?? fail('ERR_STATE', 'best: no formula has a finite loss');
  }

  /** @param {unknown} x @param {string} caller */
  #values(x, caller) {
    const { settings } = this.#fitted(caller);
    const { columns } = columnsOf(x, settings.variables, caller);
    return this.best.population.predict(columns).data;
  }

  /** @param {unknown} x */
  predict(x) {
    const values = this.#values(x, 'predict');
    return wrapOwn(values, this.#fitted('predict').settings.dtype, [values.length]);
  }

  /** R². @param {unknown} x @param {unknown} y @param {Record<string, unknown>} [options] */
  score(x, y, options = {}) {
    const { weights } = readOptions('score', options, { weights: anything });
    const { settings } = this.#fitted('score');
    const { columns } = columnsOf(x, settings.variables, 'score');
    const how = { loss: 'r2', ...(weights !== undefined && { weights }) };
    return fitnessOf(this.best.population, columns, y, how, 'score').values[0];
  }

  toString() {
    return this.#regression ? this.best.expression : 'symbolic regression, not fitted';
  }

  toLatex() {
    return this.best.toLatex();
  }

  toGraph() {
    return this.best.toGraph();
  }

  /** The front as a page that asks the network for nothing. @param {{ title?: string }} [options] */
  toHtml(options = {}) {
    const { title = 'Symbolic regression' } = readOptions('toHtml', options, { title: string });
    const regression = this.#fitted('toHtml');
    const { best } = this;
    const population = Formula.together(this.#front);
    try {
      return require('./page.js').pageOf(regression, this.#front, best, population, title);
    } finally {
      population.dispose();
    }
  }

  /** What fit(x, y, { state }) goes on from. */
  get state() {
    return stateOf(this.#fitted('state'));
  }
}

/** @param {Regression} regression @param {number} loss */
function reportOf({ generation, evaluations, hall, settings }, loss) {
  const best = hall.findLast((each) => each?.loss === loss);
  const text = best ? expression.toText(best.tree, settings.variables, settings.language) : '';
  return { generation, evaluations, loss, expression: text };
}

/** @param {Record<string, unknown>} [options] */
const symbolicRegression = (options = {}) => new SymbolicRegressor(options);

module.exports = { Formula, SymbolicRegressor, symbolicRegression };
