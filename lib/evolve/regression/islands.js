/**
 * Some islands of a search, or all of them, and how they become the next generation: what one thread does.
 *
 * What is random in an island and a generation is a stream of its own, and the loss of a tree and the constants that
 * are fitted to it depend on no other tree. So it does not matter which islands a thread has.
 */
'use strict';

const { CONSTANT } = require('../operators.js');
const { Population } = require('../population.js');
const { Stream } = require('../search/stream.js');
const { crossed, mutated } = require('./breed.js');
const { admit, programsOf, treesOf } = require('./individuals.js');
const { randomTree, spaceOf } = require('./trees.js');

/** @typedef {import('./trees.js').Tree} Tree */
/** @typedef {import('./individuals.js').Individual} Individual */
/** @typedef {import('./search.js').Settings} Settings */
/** @typedef {{ columns: import('../data.js').Floats[], target: Float64Array, weights: Float64Array | undefined }} Data */
/** @typedef {{ readonly number: number, readonly individuals: readonly Individual[] }} Island */

/**
 * @typedef {object} Order
 * @property {number} generation
 * @property {Float64Array} losses the least known of each size
 * @property {{ readonly island: number, readonly trees: readonly Tree[] } | null} famous trees that come to an island
 */
/** Individuals better than all known of their size, by island, and how many trees were evaluated. @typedef {{ better: Island[], evaluations: number }} Outcome */

/** New trees that come with the famous, in parts of all. */
const FRESH = 0.05;
/** Most tokens of new trees. */
const FIRST_SIZE = 12;
/** Most trees of an island whose constants are fitted after a generation, in parts of all. */
const FITTED = 0.1;
const FIT_ITERATIONS = 6;

/** @param {number} loss */
const orWorst = (loss) => (Number.isNaN(loss) ? Infinity : loss);

class Islands {
  #settings;
  #data;
  /** @type {readonly Island[]} */
  list = [];
  /** Milliseconds of all steps: what is done on one thread, and on several. */
  breeding = 0;
  evaluation = 0;

  /** @param {Settings} settings @param {Data} data */
  constructor(settings, data) {
    this.#settings = settings;
    this.#data = data;
    this.space = spaceOf(settings.language, settings.variables.length, settings.constantRange, settings.maxSize);
  }

  /** @param {readonly Tree[]} trees */
  #population(trees) {
    return new Population(programsOf(trees), this.#settings);
  }

  get #options() {
    const { weights } = this.#data;
    return { threads: this.#settings.threads, ...(weights && { weights }) };
  }

  /** @param {readonly Tree[]} trees @returns {Individual[]} */
  evaluate(trees) {
    const all = this.#population(trees);
    const { columns, target } = this.#data;
    const { values } = all.fitness(columns, target, { ...this.#options, loss: this.#settings.loss });
    all.dispose();
    return trees.map((tree, i) => ({ tree, loss: orWorst(values[i]) }));
  }

  /** Trees with constants for which the mean of squares is less. @param {readonly Tree[]} trees @param {number} iterations */
  fitConstants(trees, iterations) {
    const all = this.#population(trees);
    const { columns, target } = this.#data;
    const { programs, values } = all.fitConstants(columns, target, { ...this.#options, iterations });
    all.dispose();
    return { trees: treesOf(programs), values };
  }

  /** Goes on to the next generation. @param {Order} order @returns {Outcome} */
  step(order) {
    const begin = performance.now();
    const bred = this.list.map((island) => this.#breed(island, order));
    const middle = performance.now();
    const made = this.evaluate(bred.flatMap(({ children }) => children));
    let at = 0;
    this.list = bred.map(({ number, kept, children }) => {
      return { number, individuals: [...kept, ...made.slice(at, (at += children.length))] };
    });
    const fitted = this.#settings.fitsConstants ? this.#fit() : 0;
    this.breeding += middle - begin;
    this.evaluation += performance.now() - middle;
    const better = this.list.map((island) => this.#better(island, order.losses));
    return { better: better.filter(({ individuals }) => individuals.length > 0), evaluations: made.length + fitted };
  }

  /** @param {Island} island @param {Float64Array} losses @returns {Island} */
  #better({ number, individuals }, losses) {
    /** @type {import('./individuals.js').Hall} */
    const hall = [];
    for (const each of individuals) if (each.loss < losses[each.tree.tokens.length]) admit(hall, each);
    return { number, individuals: hall.filter((each) => each !== undefined) };
  }

  /**
   * The best of an island stays, children of its trees take the place of the others; an empty one gets new trees.
   *
   * @param {Island} island
   * @param {Order} order
   * @returns {{ number: number, kept: Individual[], children: Tree[] }}
   */
  #breed({ number, individuals }, { generation, famous }) {
    const { populationSize, seed } = this.#settings;
    const stream = new Stream(seed, generation, number);
    if (individuals.length === 0) return { number, kept: [], children: this.#randomTrees(stream, populationSize) };
    const costs = this.#costs(individuals);
    const best = individuals.reduce((least, each) => (each.loss < least.loss ? each : least));
    const children = Array.from({ length: populationSize - 1 }, () => this.#child(individuals, costs, stream));
    if (famous?.island === number) {
      const fresh = this.#randomTrees(stream, Math.ceil(children.length * FRESH));
      for (const tree of [...famous.trees, ...fresh]) children[stream.below(children.length)] = tree;
    }
    return { number, kept: [best], children };
  }

  /** @param {Stream} stream @param {number} count */
  #randomTrees(stream, count) {
    const most = Math.min(this.space.maxSize, FIRST_SIZE);
    return Array.from({ length: count }, () => randomTree(stream, this.space, 1 + stream.below(most)));
  }

  /**
   * What tournaments compare: the logarithm of the loss, and the share of the island that has this size, so that no
   * size takes over (the adaptive parsimony of Cranmer, Interpretable machine learning for science with PySR, 2023). Of
   * trees of one size and loss only the first can win, so that no tree takes over either.
   *
   * @param {readonly Individual[]} island
   * @returns {Float64Array}
   */
  #costs(island) {
    const shares = new Float64Array(this.space.maxSize + 1);
    for (const { tree } of island) shares[tree.tokens.length] += 1 / island.length;
    // Losses of the user's own may be below 0.
    const floor = island.reduce((least, { loss }) => Math.min(least, loss), 0);
    /** @type {Set<number>[]} */
    const seen = Array.from(shares, () => new Set());
    return Float64Array.from(island, ({ tree: { tokens }, loss }) => {
      if (seen[tokens.length].has(loss)) return Infinity;
      seen[tokens.length].add(loss);
      return Math.log(loss - floor) + this.#settings.parsimony * shares[tokens.length];
    });
  }

  /** @param {readonly Individual[]} island @param {Float64Array} costs @param {Stream} stream */
  #select(island, costs, stream) {
    let best = stream.below(island.length);
    for (let i = 1; i < this.#settings.tournament; i++) {
      const other = stream.below(island.length);
      if (costs[other] < costs[best]) best = other;
    }
    return island[best].tree;
  }

  /** @param {readonly Individual[]} island @param {Float64Array} costs @param {Stream} stream */
  #child(island, costs, stream) {
    const tree = this.#select(island, costs, stream);
    if (stream.next() >= this.#settings.crossoverRate) return mutated(tree, stream, this.space);
    return crossed(tree, this.#select(island, costs, stream), stream, this.space);
  }

  /** Fits constants of the best of each island, each tree once. @returns {number} evaluations */
  #fit() {
    const count = Math.max(1, Math.round(FITTED * this.#settings.populationSize));
    const canFit = (/** @type {Individual} */ { tree, loss }) => loss < Infinity && !tree.isFitted && tree.tokens.includes(CONSTANT);
    const chosen = this.list.flatMap(({ individuals }) =>
      individuals.filter(canFit).sort((a, b) => a.loss - b.loss).slice(0, count),
    );
    if (chosen.length === 0) return 0;
    const { trees, values } = this.fitConstants(chosen.map(({ tree }) => tree), FIT_ITERATIONS);
    /** @type {Map<Individual, Individual>} */
    const fitted = new Map(chosen.map((each, i) => {
      const loss = this.#settings.loss === 'rmse' ? Math.sqrt(values[i]) : values[i];
      const better = loss < each.loss ? { tree: trees[i], loss } : each;
      return [each, { tree: { ...better.tree, isFitted: true }, loss: better.loss }];
    }));
    this.list = this.list.map(({ number, individuals }) => {
      return { number, individuals: individuals.map((each) => fitted.get(each) ?? each) };
    });
    return FIT_ITERATIONS * chosen.length;
  }
}

module.exports = { Islands };
