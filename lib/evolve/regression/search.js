/**
 * The search of symbolic regression: islands of trees, the best tree of each size, constants fitted along the way.
 *
 * A search that is stuck is helped by new trees alone, which have no chance among old ones. So islands are layers of
 * age (Hornby, ALPS: the age-layered population structure, 2006): from time to time all trees move on to the next
 * island, the first begins anew, and what comes to the last has had the time to be as good as those that stay there.
 *
 * Here is what concerns all islands; what happens on one is in islands.js. A search that takes a while goes on with its
 * islands on worker threads (crew.js), when these are ready. A run depends on its seed alone, and one that is resumed
 * goes on as it would have.
 */
'use strict';

const { CONSTANT } = require('../operators.js');
const { Population } = require('../population.js');
const { Crew } = require('./crew.js');
const { admit, frontOf, programsOf } = require('./individuals.js');
const { Islands } = require('./islands.js');
const { simplified } = require('./simplify.js');
const { single } = require('./trees.js');

/** @typedef {import('./trees.js').Tree} Tree */
/** @typedef {import('./individuals.js').Individual} Individual */
/** @typedef {import('./islands.js').Island} Island */
/** @typedef {import('../search/evolve.js').Wait} Wait */

/**
 * @typedef {object} Settings
 * @property {readonly string[]} variables
 * @property {import('../operators.js').Language} language
 * @property {'f64' | 'f32'} dtype
 * @property {string} numerics
 * @property {unknown} loss
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

/** Generations between moves to the next island, and between returns of the front to the last one. */
const MOVE = 10;
const RETURN = 8;
/** What rounding adds to values, relative to targets: a formula of some dozens of operators loses a few digits. */
const ROUNDING = { f64: 1e-13, f32: 1e-6 };
const LAST_ITERATIONS = 50;
/** What a loss may differ by, in parts of it, between fitting constants and measuring. */
const SAME = 1e-6;
/** A search that has taken so long, and by its pace takes as long again, may be worth threads: milliseconds. */
const PATIENCE = 250;
/** What threads take in all that do whole islands, in parts of what one takes: they are to be told, and to wait. */
const OVERHEAD = 1.2;

/** @param {readonly (readonly Individual[])[]} lists @returns {Island[]} */
const numbered = (lists) => lists.map((individuals, number) => ({ number, individuals }));

class Regression {
  generation = 0;
  evaluations = 0;
  /** @type {import('./individuals.js').Hall} */
  hall = [];
  /** Islands that are here, or were after a generation, of which this was known. */
  #here;
  #kept = { generation: 0, evaluations: 0, hall: this.hall };
  /** @type {Crew | null} */
  #crew = null;
  /** Steps that were made here. */
  #steps = 0;

  /** @param {Settings} settings @param {import('./islands.js').Data} data */
  constructor(settings, data) {
    this.settings = settings;
    this.data = data;
    this.#here = new Islands(settings, data);
    /** A loss that rounding alone explains. */
    this.rounding = this.#rounding();
  }

  /** In parts of the loss of 0, which is the mean of the targets or of their squares. */
  #rounding() {
    const { loss, dtype } = this.settings;
    const isKnown = typeof loss === 'string' && ['mse', 'rmse', 'mae'].includes(loss);
    if (!isKnown) return -Infinity;
    const [zero] = this.#here.evaluate([single(CONSTANT, 0)]);
    return zero.loss * ROUNDING[dtype] ** (loss === 'mse' ? 2 : 1);
  }

  /** Of each island, its individuals. @returns {(readonly Individual[])[]} */
  get islands() {
    if (this.#crew?.hasIslands && this.#kept.generation !== this.generation) {
      this.#here.list = this.#crew.islandsAt(this.generation);
      this.#keep();
    }
    return this.#here.list.map(({ individuals }) => individuals);
  }

  #keep() {
    const { generation, evaluations, hall } = this;
    this.#kept = { generation, evaluations, hall: hall.slice() };
  }

  /** The first trees. */
  begin() {
    this.#here.list = numbered(Array.from({ length: this.settings.islands }, () => []));
    this.#take(this.#here.step(this.#order(0)));
    this.#keep();
  }

  /** Whether trees are worth here what they were, but for rounding. @param {readonly Individual[]} individuals */
  agrees(individuals) {
    const most = Math.max(this.rounding, 0);
    return this.#here.evaluate(individuals.map(({ tree }) => tree)).every(({ loss }, i) => {
      const before = individuals[i].loss;
      const isNear = Math.abs(loss - before) <= SAME * Math.abs(before) + most;
      return loss === before || (Number.isFinite(before) && isNear);
    });
  }

  /**
   * Goes on from islands that are there.
   *
   * @param {{ islands: readonly (readonly Individual[])[], hall: readonly Individual[], generation: number, evaluations: number }} state
   * @param {boolean} isKnown whether losses are those of this data
   */
  enter({ islands, hall, generation, evaluations }, isKnown) {
    Object.assign(this, { generation, evaluations });
    const measured = (/** @type {readonly Individual[]} */ list) => {
      if (isKnown) return list;
      this.evaluations += list.length;
      return this.#here.evaluate(list.map(({ tree: { tokens, constants } }) => ({ tokens, constants })));
    };
    this.#here.list = numbered(islands.map(measured));
    for (const each of measured(hall)) admit(this.hall, each);
    this.#keep();
  }

  /** @param {number} generation @returns {import('./islands.js').Order} */
  #order(generation) {
    const lossOf = (/** @type {unknown} */ _, /** @type {number} */ size) => this.hall[size]?.loss ?? Infinity;
    const losses = Float64Array.from({ length: this.settings.maxSize + 1 }, lossOf);
    if (!this.#isReturn(generation)) return { generation, losses, famous: null };
    const trees = this.front().map(({ tree }) => this.simplify(tree));
    return { generation, losses, famous: { island: this.#here.list.length - 1, trees } };
  }

  /** @param {number} generation */
  #isReturn(generation) {
    return generation > 0 && generation % RETURN === 0;
  }

  /** @param {number} generation */
  #isMove(generation) {
    return generation % MOVE === 0 && this.#here.list.length > 1;
  }

  /** The next order, or one of those after it, which must not need to know more than there is now. @param {number} ahead */
  #orderAhead(ahead) {
    const generation = this.generation + 1 + ahead;
    const isKnown = !this.#isReturn(generation) && !this.#isMove(generation) && generation <= this.settings.generations;
    return ahead === 0 || isKnown ? this.#order(generation) : null;
  }

  /** @param {import('./islands.js').Outcome} outcome */
  #take({ better, evaluations }) {
    this.evaluations += evaluations;
    for (const { individuals } of better) individuals.forEach((each) => admit(this.hall, each));
  }

  /** One generation. @returns {Generator<Wait | void, void>} */
  *step() {
    const generation = this.generation + 1;
    const moved = this.#isMove(generation) ? numbered(this.#movedOn(this.islands)) : null;
    if (this.#isShareable && this.isWorthThreads()) this.#crew ??= new Crew(this.settings, this.data);
    if (this.#crew?.isReady) {
      const given = moved ?? (this.#crew.hasIslands ? null : this.#here.list);
      this.#take(yield* this.#crew.step((ahead) => this.#orderAhead(ahead), given));
      this.generation = generation;
    } else {
      if (moved) this.#here.list = moved;
      this.#take(this.#here.step(this.#order(generation)));
      this.generation = generation;
      this.#steps++;
      this.#keep();
    }
  }

  /** Whether islands can be on threads. */
  get #isShareable() {
    const { threads, language, loss } = this.settings;
    return threads > 1 && this.#here.list.length > 1 && language.functions.length === 0 && typeof loss !== 'function';
  }

  /** Whether that is worth it: evaluation is on all threads anyway, breeding is not. */
  isWorthThreads() {
    const { threads, generations } = this.settings;
    const { breeding, evaluation, list } = this.#here;
    const passed = breeding + evaluation;
    const isLong = passed > PATIENCE && (passed / this.#steps) * (generations - this.generation) > PATIENCE;
    const most = Math.ceil(list.length / Math.min(list.length, threads)) / list.length;
    return isLong && OVERHEAD * most * (breeding + threads * evaluation) < passed;
  }

  /** Each island gets what was in the one before, the last keeps the best of both, and the first is empty. @param {readonly (readonly Individual[])[]} islands */
  #movedOn(islands) {
    const [old, young] = islands.slice(-2).toReversed();
    const all = [...old, ...young].sort((a, b) => a.loss - b.loss);
    const different = all.filter(({ tree, loss }, i) => {
      const before = all[i - 1];
      return loss !== before?.loss || tree.tokens.length !== before.tree.tokens.length;
    });
    const best = different.slice(0, this.settings.populationSize);
    return [[], ...islands.slice(0, -2), best];
  }

  /** Has all islands here again, and ends their threads; goes back to what is here where one is gone. */
  leave() {
    try {
      void this.islands;
    } catch (error) {
      Object.assign(this, this.#kept);
      throw error;
    } finally {
      this.#crew?.end();
      this.#crew = null;
    }
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
    const last = this.settings.fitsConstants ? this.#here.fitConstants(trees, LAST_ITERATIONS).trees : trees;
    this.#here.evaluate([...trees, ...last]).forEach((each) => admit(hall, each));
    const front = frontOf(hall);
    // Among those of which rounding is all that is left the first is as good as any.
    const enough = front.findIndex(({ loss }) => loss <= this.rounding);
    return enough < 0 ? front : front.slice(0, enough + 1);
  }
}

module.exports = { Regression };
