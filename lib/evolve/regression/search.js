/**
 * The search of symbolic regression: islands of trees, the best tree of each size, constants fitted along the way.
 *
 * A search that is stuck is helped by new trees alone, which have no chance among old ones. So islands are layers of
 * age (Hornby, ALPS: the age-layered population structure, 2006): from time to time all trees move on to the next
 * island, the first begins anew, and what comes to the last has had the time to be as good as those that stay there.
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
const { joined, randomTree, single, spaceOf } = require('./trees.js');

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
 * @property {number | undefined} target by default what rounding leaves
 * @property {boolean} fitsConstants
 * @property {number} seed
 * @property {number} threads
 */

/** Generations between moves to the next island. */
const MOVE = 10;
/** Generations after which the front comes to the last island, and new trees, in parts of all. */
const RETURN = 8;
const FRESH = 0.05;
/** Most tokens of new trees. */
const FIRST_SIZE = 12;
/** What rounding adds to values, relative to targets: a formula of some dozens of operators loses a few digits. */
const ROUNDING = { f64: 1e-13, f32: 1e-6 };
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
    /** A loss that rounding alone explains. */
    this.rounding = this.#rounding();
  }

  /** @param {readonly Tree[]} trees */
  #population(trees) {
    return new Population(programsOf(trees), this.settings);
  }

  get #options() {
    const { weights } = this.data;
    return { threads: this.settings.threads, ...(weights && { weights }) };
  }

  /** @param {readonly Tree[]} trees */
  #measure(trees) {
    const all = this.#population(trees);
    const { columns, target } = this.data;
    const { values } = all.fitness(columns, target, { ...this.#options, loss: this.settings.loss });
    all.dispose();
    return values;
  }

  /** @param {readonly Tree[]} trees @returns {Individual[]} */
  #evaluate(trees) {
    const values = this.#measure(trees);
    this.evaluations += trees.length;
    return trees.map((tree, i) => ({ tree, loss: orWorst(values[i]) }));
  }

  /** In parts of the loss of 0, which is the mean of the targets or of their squares. */
  #rounding() {
    const { loss, dtype } = this.settings;
    const isKnown = ['mse', 'rmse', 'mae'].includes(loss);
    if (!isKnown) return -Infinity;
    const [zero] = this.#measure([single(CONSTANT, 0)]);
    return zero * ROUNDING[dtype] ** (loss === 'mse' ? 2 : 1);
  }

  /** The first trees. */
  begin() {
    this.islands = Array.from({ length: this.settings.islands }, () => []);
    this.#breed();
  }

  /** @param {Stream} stream @param {number} count */
  #randomTrees(stream, count) {
    const most = Math.min(this.settings.maxSize, FIRST_SIZE);
    return Array.from({ length: count }, () => randomTree(stream, this.space, 1 + stream.below(most)));
  }

  /** What stays in the islands and what is new there. @param {Individual[][]} kept @param {Tree[][]} children */
  #settle(kept, children) {
    const made = this.#evaluate(children.flat());
    let at = 0;
    this.islands = kept.map((own, i) => [...own, ...made.slice(at, (at += children[i].length))]);
    if (this.settings.fitsConstants) this.#fit();
    for (const island of this.islands) island.forEach((each) => admit(this.hall, each));
  }

  /** Constants of the best of each island, each tree once. */
  #fit() {
    const count = Math.max(1, Math.round(FITTED * this.settings.populationSize));
    const canFit = (/** @type {Individual} */ { tree, loss }) => loss < Infinity && !tree.isFitted && tree.tokens.includes(CONSTANT);
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
      const better = loss < chosen[i].loss ? { tree, loss } : chosen[i];
      Object.assign(chosen[i], { tree: { ...better.tree, isFitted: true }, loss: better.loss });
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
    // Losses of the user's own may be below 0.
    const floor = island.reduce((least, { loss }) => Math.min(least, loss), 0);
    /** @type {Set<number>[]} */
    const seen = Array.from(shares, () => new Set());
    return Float64Array.from(island, ({ tree: { tokens }, loss }) => {
      if (seen[tokens.length].has(loss)) return Infinity;
      seen[tokens.length].add(loss);
      return Math.log(loss - floor) + this.settings.parsimony * shares[tokens.length];
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

  /** Goes on from islands that are there. @param {readonly Individual[]} hall @param {boolean} isKnown whether losses are those of this data */
  enter(hall, isKnown) {
    const all = [...this.islands.flat(), ...hall];
    if (!isKnown) {
      const measured = this.#evaluate(all.map(({ tree: { tokens, constants } }) => ({ tokens, constants })));
      all.forEach((each, i) => Object.assign(each, measured[i]));
    }
    for (const each of hall) admit(this.hall, each);
  }

  /** One generation. */
  step() {
    this.generation++;
    if (this.generation % MOVE === 0 && this.islands.length > 1) this.#moveOn();
    this.#breed();
  }

  /** Each island gets what was in the one before, the last keeps the best of both, and the first is empty. */
  #moveOn() {
    const [old, young] = this.islands.slice(-2).toReversed();
    const all = [...old, ...young].sort((a, b) => a.loss - b.loss);
    const different = all.filter(({ tree, loss }, i) => {
      const before = all[i - 1];
      return loss !== before?.loss || tree.tokens.length !== before.tree.tokens.length;
    });
    const best = different.slice(0, this.settings.populationSize);
    this.islands = [[], ...this.islands.slice(0, -2), best];
  }

  /** The best of each island stays, children of its trees take the place of the others; an empty one gets new trees. */
  #breed() {
    const { populationSize, seed } = this.settings;
    /** @type {Individual[][]} */
    const kept = [];
    const children = this.islands.map((island, number) => {
      const stream = new Stream(seed, this.generation, number);
      if (island.length === 0) {
        kept.push([]);
        return this.#randomTrees(stream, populationSize);
      }
      const costs = this.#costs(island);
      kept.push([island.reduce((best, each) => (each.loss < best.loss ? each : best))]);
      const made = Array.from({ length: populationSize - 1 }, () => this.#child(island, costs, stream));
      const isReturn = number === this.islands.length - 1 && this.generation % RETURN === 0;
      if (isReturn) this.#return(made, stream);
      return made;
    });
    this.#settle(kept, children);
  }

  /** Some children give way to the simplified best of all sizes, and to new trees. @param {Tree[]} made @param {Stream} stream */
  #return(made, stream) {
    const famous = this.front().map(({ tree }) => this.simplify(tree));
    const fresh = this.#randomTrees(stream, Math.ceil(made.length * FRESH));
    for (const tree of [...famous, ...fresh]) made[stream.below(made.length)] = tree;
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
