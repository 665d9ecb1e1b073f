/**
 * The islands of a search on worker threads, each of which has every so many of them: this thread's side.
 *
 * In each generation all threads are told what they need to know of each other, and tell what they found; islands are
 * passed on only where they move. `fit` waits for answers by Atomics, `fitAsync` by messages: both read the same port.
 * Functions of the user's own are compiled in this thread and cannot be passed on, so searches with such have no crew.
 */
'use strict';

const path = require('node:path');
const v8 = require('node:v8');
const { MessageChannel, Worker, receiveMessageOnPort } = require('node:worker_threads');
const { fail } = require('../../base/errors.js');
const { pack, programsOf, unpack } = require('./individuals.js');

/** @typedef {import('./islands.js').Island} Island */
/** @typedef {import('./islands.js').Order} Order */
/** @typedef {import('./islands.js').Outcome} Outcome */
/** @typedef {import('../search/evolve.js').Wait} Wait */
/** @typedef {{ value?: any, error?: { code: any, message: string } }} Answer */
/** What was asked, and whom to tell of the answer. @typedef {{ answer: Answer | null, tell: () => void }} Request */

/** How long to wait for an answer until a look at whether the thread is still there, in ms. */
const LOOK = 1000;

/** Most generations that threads go ahead of what is known here. */
const AHEAD = 2;
/** Generations whose islands a thread keeps: those ahead, the one that is waited for, and the one before. */
const KEPT = AHEAD + 2;

/** @param {Island} island */
const packed = ({ number, individuals }) => ({ number, individuals: pack(individuals) });

/** @param {{ number: number, individuals: import('./individuals.js').Packed }} island @returns {Island} */
const unpacked = ({ number, individuals }) => ({ number, individuals: unpack(individuals) });

/** The same numbers, in memory that threads share. @template {Float64Array | Float32Array} T @param {T} array @returns {T} */
function shared(array) {
  const copy = new /** @type {any} */ (array).constructor(new SharedArrayBuffer(array.byteLength));
  copy.set(array);
  return copy;
}

/** Settings without functions. @param {import('./search.js').Settings} settings @param {number} threads */
function plain({ language, ...settings }, threads) {
  const operators = language.operators.map(({ name, arity, isOwn }) => ({ name, arity, isOwn }));
  return { ...settings, threads, language: { isProtected: language.isProtected, operators, bodies: language.bodies } };
}

/** One thread. */
class Hand {
  #worker;
  #port;
  /** Open as long as the thread is there. */
  #life;
  /** How often the thread has told something. */
  #told = new Int32Array(new SharedArrayBuffer(4));
  /** Those without an answer, the oldest first. @type {Request[]} */
  #open = [];
  /** Why there will be no more answers. @type {Answer | null} */
  #end = null;

  /** @param {object} data */
  constructor(data) {
    const { port1, port2 } = new MessageChannel();
    const life = new MessageChannel();
    this.#port = port1;
    this.#life = life.port1;
    // What the user preloads is not for this thread.
    const env = { ...process.env, NODE_OPTIONS: '' };
    const resourceLimits = { maxOldGenerationSizeMb: v8.getHeapStatistics().heap_size_limit / 2 ** 20 };
    const workerData = { ...data, port: port2, life: life.port2, told: this.#told };
    this.#worker = new Worker(path.join(__dirname, 'worker.js'), { workerData, transferList: [port2, life.port2], execArgv: [], env, resourceLimits });
    this.#worker.on('error', ({ message }) => this.#over(message));
    this.#worker.on('exit', () => this.#over('it is not there any more'));
    port1.on('message', (answer) => this.#settle(answer));
  }

  get isReady() {
    return Atomics.load(this.#told, 0) > 0;
  }

  /** @param {string} message */
  #over(message) {
    this.#end ??= { error: { code: 'ERR_MEMORY', message: `a thread of the search has ended: ${message}` } };
    while (this.#open.length > 0) this.#settle(this.#end);
  }

  /** @param {Answer} answer */
  #settle(answer) {
    const request = this.#open.shift();
    if (request === undefined) return;
    request.answer = answer;
    request.tell();
  }

  /** @param {object} message @returns {Request} */
  ask(message) {
    /** @type {Request} */
    const request = { answer: this.#end, tell: () => {} };
    if (this.#end) return request;
    this.#open.push(request);
    this.#port.postMessage(message);
    return request;
  }

  /** Waits here. @param {Request} request */
  now(request) {
    while (request.answer === null) {
      const told = Atomics.load(this.#told, 0);
      const received = receiveMessageOnPort(this.#port);
      if (received) this.#settle(received.message);
      else if (Atomics.wait(this.#told, 0, told, LOOK) === 'timed-out' && this.#isGone) this.#over('it ran out of memory');
    }
  }

  /**
   * Events do not come while this thread waits. But the ports of a thread that has ended are closed, and a closed port
   * cannot be passed on.
   */
  get #isGone() {
    receiveMessageOnPort(this.#life);
    const { port1, port2 } = new MessageChannel();
    try {
      port1.postMessage(this.#life, [this.#life]);
      this.#life = receiveMessageOnPort(port2)?.message;
      return false;
    } catch {
      return true;
    } finally {
      port1.close();
    }
  }

  /** Waits while the event loop goes on. @param {Request} request @returns {Promise<void>} */
  later(request) {
    return new Promise((resolve) => {
      if (request.answer) resolve();
      else request.tell = resolve;
    });
  }

  end() {
    this.#port.close();
    void this.#worker.terminate();
  }
}

/** @param {Request} request */
function valueOf({ answer }) {
  const { error, value } = /** @type {Answer} */ (answer);
  return error ? fail(error.code, error.message) : value;
}

class Crew {
  /** @type {Hand[]} */
  #hands = [];
  /** Generations that are asked for already, the next one first. @type {Request[][]} */
  #ahead = [];
  /** Whether islands were passed on. */
  hasIslands = false;

  /** @param {import('./search.js').Settings} settings @param {import('./islands.js').Data} data */
  constructor(settings, { columns, target, weights }) {
    const count = Math.min(settings.threads, settings.islands);
    const data = { columns: columns.map(shared), target: shared(target), weights: weights && shared(weights) };
    const own = plain(settings, Math.floor(settings.threads / count));
    try {
      for (let i = 0; i < count; i++) this.#hands.push(new Hand({ settings: own, data }));
    } catch {
      // Where threads are not allowed or there are none left, the search goes on without.
      this.end();
    }
  }

  /** Whether all threads have begun. */
  get isReady() {
    return this.#hands.length > 0 && this.#hands.every(({ isReady }) => isReady);
  }

  /** @param {number} number of an island */
  #handOf(number) {
    return number % this.#hands.length;
  }

  /** @param {readonly Request[]} requests */
  #now(requests) {
    this.#hands.forEach((hand, i) => hand.now(requests[i]));
  }

  /** @param {readonly Request[]} requests */
  async #later(requests) {
    await Promise.all(this.#hands.map((hand, i) => hand.later(requests[i])));
  }

  /** @param {Order} order @param {readonly Island[] | null} islands in place of those that are there */
  #begin({ famous, ...order }, islands) {
    const trees = famous && { island: famous.island, trees: programsOf(famous.trees) };
    const requests = this.#hands.map((hand, i) => hand.ask({
      order,
      famous: trees && this.#handOf(trees.island) === i ? trees : null,
      islands: islands && islands.filter(({ number }) => this.#handOf(number) === i).map(packed),
    }));
    this.#ahead.push(requests);
    this.hasIslands = true;
  }

  /**
   * A generation. Threads go on to those after it in the meantime, so that none waits for another in each.
   *
   * @param {(ahead: number) => Order | null} orderOf of a generation ahead of this one, 0 for this; null: not yet
   * @param {readonly Island[] | null} islands in place of those that are there
   * @returns {Generator<Wait, Outcome>}
   */
  *step(orderOf, islands) {
    for (let given = islands; this.#ahead.length <= AHEAD; given = null) {
      const order = orderOf(this.#ahead.length);
      if (order === null) break;
      this.#begin(order, given);
    }
    const requests = /** @type {Request[]} */ (this.#ahead.shift());
    yield { now: () => this.#now(requests), later: () => this.#later(requests) };
    const outcomes = requests.map(valueOf);
    const better = outcomes.flatMap((each) => each.better.map(unpacked)).sort((a, b) => a.number - b.number);
    return { better, evaluations: outcomes.reduce((sum, { evaluations }) => sum + evaluations, 0) };
  }

  /** Islands as they were after the last generation that has ended here. @param {number} generation @returns {Island[]} */
  islandsAt(generation) {
    const requests = this.#hands.map((hand) => hand.ask({ generation }));
    this.#now(requests);
    return requests.flatMap((each) => valueOf(each).map(unpacked)).sort((a, b) => a.number - b.number);
  }

  end() {
    for (const hand of this.#hands) hand.end();
    this.#hands = [];
  }
}

module.exports = { Crew, KEPT, packed, unpacked };
