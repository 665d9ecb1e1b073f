/**
 * The search of symbolic regression: islands of trees, the best tree of each size, constants fitted along the way.
 *
 * All islands are evaluated together, as one population. What is random in an island and a generation is a stream of
 * its own, so a run depends on its seed alone, and one that is resumed goes on as it would have.
 */
'use strict';

const { Population } = require('../population.js');
const { CONSTANT } = require('../operators.js');
const { Stream } = require('../search/stream.js');
const { crossed, mutated } = require('./breed.js');
const { simplified } = require('./simplify.js');
const { joined, randomTree, spaceOf } = require('./trees.js');

/** @typedef {import('./trees.js').Tree} Tree */
/** A loss is Infinity where it is no number. @typedef {{ tree: Tree, loss: number }} Individual */

/**
 * @typedef {object} Settings
 * @property {readonly string[]} variables
 * @property {import('../operators.js').Language} language
 * @property {'f64' | 'f32'} dtype
 * @property {string} numerics
 * @property {string} loss
 * @property {number} populationSize of an island
 * @property {number} islands
 * @property {number} generations
 * @property {number} maxSize
 * @property {number} tournament
 * @property {number} crossoverRate
 * @property {number} parsimony weight of the share of a size
 * @property {number} constantRange
 * @property {number} target
 * @property {boolean} fitsConstants
 * @property {number} seed
 * @property {number} threads
 */

/** Generations between migrations. */
const MIGRATION = 8;
/** Trees of a neighbour, and new ones, that come to an island then, in parts of all. */
const GUESTS = 0.03;
const FRESH = 0.05;
/** Most trees of an island whose constants are fitted after a generation, in parts of all. */
const FITTED = 0.1;

/** @param {readonly Tree[]} trees @returns {import('../programs.js').Programs} */
function programsOf(trees) {
  const offsets = new Uint32Array(trees.length + 1);
  trees.forEach(({ tokens }, i) => (offsets[i + 1] = offsets[i] + tokens.length));
  return { ...joined(...trees), offsets, order: 'postfix' };
}

/** Programs as trees. @param {import('../programs.js').Programs} programs @returns {Tree[]} */
function treesOf({ tokens, constants, offsets }) {
  const bounds = Array.from(offsets);
  return bounds.slice(1).map((end, i) => ({
    tokens: tokens.slice(bounds[i], end), constants: constants.slice(bounds[i], end),
  }));
}

/** @param {number} loss */
const orWorst = (loss) => (Number.isNaN(loss) ? Infinity : loss);

/** The best of each size. @typedef {(Individual | undefined)[]} Hall */

/** @param {Hall} hall @param {Individual} individual */
function admit(hall, individual) {
  const size = individual.tree.tokens.length;
  if (individual.loss < (hall[size]?.loss ?? Infinity)) hall[size] = individual;
}

/** @param {Hall} hall @returns {Individual[]} */
function frontOf(hall) {
  let least = Infinity;
  /** @type {Individual[]} */
  const front = [];
  for (const each of hall) {
    if (!each || !(each.loss < least)) continue;
    least = each.loss;
    front.push(each);
  }
  return front;
}

class Regression {
  generation = 0;
  evaluations = 0;
  /** @type {Hall} */
  hall = [];
  /** @type {Individual[][]} */
  islands = [];

  /**
   * @param {Settings} settings
   * @param {{ columns: import('../data.js').Floats[], target: Float64Array, weights: Float64Array | undefined }} data
   */
  constructor(settings, data) {
    this.settings = settings;
    this.data = data;
    this.space = spaceOf(settings.language, settings.variables.length, settings.constantRange, settings.maxSize);
  }

  /** @param {readonly Tree[]} trees */
  #population(trees) {
    return new Population(programsOf(trees), this.settings);
  }

  get #options() {
    const { weights } = this.data;
    return { threads: this.settings.threads, ...(weights && { weights }) };
  }

  /** @param {readonly Tree[]} trees @returns {Individual[]} */
  #evaluate(trees) {
    const all = this.#population(trees);
    const { columns, target } = this.data;
    const { values } = all.fitness(columns, target, { ...this.#options, loss: this.settings.loss });
    all.dispose();
    this.evaluations += trees.length;
    return trees.map((tree, i) => ({ tree, loss: orWorst(values[i]) }));
  }

  /** The first islands. */
  begin() {
    const { islands, populationSize, seed } = this.settings;
    const trees = Array.from({ length: islands }, (_, island) => {
      const stream = new Stream(seed, 0, island);
      const make = () => randomTree(stream, this.space, 1 + stream.below(this.#firstSize()));
      return Array.from({ length: populationSize }, make);
    });
    this.#settle(trees.map(() => []), trees);
  }

  #firstSize() {
    return Math.min(this.settings.maxSize, 12);
  }

  /** What stays in the islands and what is new there. @param {Individual[][]} kept @param {Tree[][]} children */
  #settle(kept, children) {
    const made = this.#evaluate(children.flat());
    let at = 0;
    this.islands = kept.map((own, i) => [...own, ...made.slice(at, (at += children[i].length))]);
    if (this.settings.fitsConstants) this.#fit();
    for (const island of this.islands) island.forEach((each) => admit(this.hall, each));
  }

  /** Constants of the best of each island. */
  #fit() {
    const count = Math.max(1, Math.round(FITTED * this.settings.populationSize));
    const canFit = (/** @type {Individual} */ { tree, loss }) => loss < Infinity && tree.tokens.includes(CONSTANT);
    const chosen = this.islands.flatMap((island) =>
      island.filter(canFit).sort((a, b) => a.loss - b.loss).slice(0, count),
    );
    if (chosen.length === 0) return;
    const all = this.#population(chosen.map(({ tree }) => tree));
    const { columns, target } = this.data;
    const { programs, values } = all.fitConstants(columns, target, { ...this.#options, iterations: 6 });
    all.dispose();
    this.evaluations += 6 * chosen.length;
    treesOf(programs).forEach((tree, i) => {
      const loss = this.settings.loss === 'rmse' ? Math.sqrt(values[i]) : values[i];
      if (loss < chosen[i].loss) Object.assign(chosen[i], { tree, loss });
    });
  }

  /**
   * What tournaments compare: the logarithm of the loss, and the share of the island that has this size, so that no
   * size takes over (the adaptive parsimony of Cranmer, Interpretable machine learning for science with PySR, 2023). Of
   * trees of one size and loss only the first can win, so that no tree takes over either.
   *
   * @param {Individual[]} island
   * @returns {Float64Array}
   */
  #costs(island) {
    const shares = new Float64Array(this.space.maxSize + 1);
    for (const { tree } of island) shares[tree.tokens.length] += 1 / island.length;
    /** @type {Set<number>[]} */
    const seen = Array.from(shares, () => new Set());
    return Float64Array.from(island, ({ tree: { tokens }, loss }) => {
      if (seen[tokens.length].has(loss)) return Infinity;
      seen[tokens.length].add(loss);
      return Math.log(loss) + this.settings.parsimony * shares[tokens.length];
    });
  }

  /** @param {Individual[]} island @param {Float64Array} costs @param {Stream} stream */
  #select(island, costs, stream) {
    let best = stream.below(island.length);
    for (let i = 1; i < this.settings.tournament; i++) {
      const other = stream.below(island.length);
      if (costs[other] < costs[best]) best = other;
    }
    return island[best].tree;
  }

  /** @param {Individual[]} island @param {Float64Array} costs @param {Stream} stream */
  #child(island, costs, stream) {
    const tree = this.#select(island, costs, stream);
    if (stream.next() >= this.settings.crossoverRate) return mutated(tree, stream, this.space);
    return crossed(tree, this.#select(island, costs, stream), stream, this.space);
  }

  /** One generation. */
  step() {
    this.generation++;
    const { populationSize, seed } = this.settings;
    /** @type {Individual[][]} */
    const kept = [];
    const children = this.islands.map((island, number) => {
      const stream = new Stream(seed, this.generation, number);
      const costs = this.#costs(island);
      kept.push([island.reduce((best, each) => (each.loss < best.loss ? each : best))]);
      const made = Array.from({ length: populationSize - 1 }, () => this.#child(island, costs, stream));
      if (this.generation % MIGRATION === 0) this.#migrate(made, number, stream);
      return made;
    });
    this.#settle(kept, children);
  }

  /** Some children give way to the best of the neighbour, the best of all sizes, and new trees. @param {Tree[]} made @param {number} island @param {Stream} stream */
  #migrate(made, island, stream) {
    const neighbour = this.islands[(island + 1) % this.islands.length];
    const best = neighbour.toSorted((a, b) => a.loss - b.loss);
    const guests = best.slice(0, Math.ceil(made.length * GUESTS)).map(({ tree }) => tree);
    const famous = this.front().map(({ tree }) => this.simplify(tree));
    const make = () => randomTree(stream, this.space, this.#firstSize());
    const fresh = Array.from({ length: Math.ceil(made.length * FRESH) }, make);
    for (const tree of [...guests, ...famous, ...fresh]) made[stream.below(made.length)] = tree;
  }

  /** @param {Tree} tree */
  simplify(tree) {
    const { language, dtype, numerics } = this.settings;
    return simplified(tree, language, (trees) => {
      const all = new Population(programsOf(trees), { variables: [], language, dtype, numerics });
      const values = all.predict({}).data;
      all.dispose();
      return /** @type {Float64Array} */ (values);
    });
  }

  /** Those of the best of each size that are better than all smaller ones, the smallest first. */
  front() {
    return frontOf(this.hall);
  }

  /** The front with trees that are fitted to the last and simplified. The search itself stays as it is. */
  finish() {
    const hall = this.hall.slice();
    const trees = frontOf(hall).map(({ tree }) => this.simplify(tree));
    if (trees.length === 0) return [];
    let last = trees;
    if (this.settings.fitsConstants) {
      const all = this.#population(trees);
      const { columns, target } = this.data;
      last = treesOf(all.fitConstants(columns, target, { ...this.#options, iterations: 50 }).programs);
      all.dispose();
    }
    this.#evaluate([...trees, ...last]).forEach((each) => admit(hall, each));
    return frontOf(hall);
  }
}

module.exports = { Regression, programsOf, treesOf };
