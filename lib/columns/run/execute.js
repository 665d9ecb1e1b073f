/**
 * Runs of kernels over the chunks of a table, in this process: now, or on other threads.
 */
'use strict';

const { AbortError, onAbort } = require('../../base/abort.js');
const { native } = require('../../base/binding.js');
const { inLargePages } = require('../../tensor/allocate.js');
const { askedBefore, checkStatus, compileKernel, runArrays } = require('./compile.js');
const { ARRAYS, Driver, piecesOf } = require('./driver.js');
const { firstRun } = require('./first-run.js');

/** @typedef {import('./driver.js').Chunk} Chunk */
/** @typedef {import('./driver.js').Inputs} Inputs */
/** @typedef {import('./driver.js').Written} Written */
/** @typedef {import('./prepare.js').Prepared} Prepared */

/** @typedef {{ threads: number, numerics: 'default' | 'strict' | 'fast', optLevel: number, cache: boolean, tier: 'auto' | 'full' }} RunOptions */

class Run extends Driver {
  #kernel;
  #mayInterpret;
  #prepared;

  /**
   * @param {Prepared} prepared
   * @param {Inputs} inputs
   * @param {RunOptions} options
   */
  constructor(prepared, inputs, options) {
    super(prepared, inputs, options.threads);
    this.#prepared = prepared;
    this.#kernel = () => compileKernel(prepared.text, options);
    this.#mayInterpret = options.tier === 'auto' && options.numerics !== 'fast';
  }

  /** Runs all chunks. */
  now() {
    const isFirst = this.#mayInterpret && !askedBefore(this.#prepared.text);
    if (isFirst && firstRun(this.#prepared, this)) return this.written();
    const kernel = this.#kernel();
    const calls = this.calls();
    let step = calls.next();
    while (!step.done) {
      const { slots, given, threads } = step.value;
      step = calls.next(runArrays(kernel, threads, slots, arraysOf(given)));
    }
    return step.value;
  }

  /**
   * Runs all chunks on other threads.
   *
   * @param {AbortSignal | undefined} signal
   */
  async later(signal) {
    if (signal?.aborted) throw new AbortError(signal);
    const kernel = this.#kernel();
    const calls = this.calls();
    let step = calls.next();
    while (!step.done) {
      if (signal?.aborted) throw new AbortError(signal);
      const { slots, given, threads } = step.value;
      step = calls.next(await settled(native.tableStart(kernel, threads, slots, arraysOf(given)), signal));
    }
    return step.value;
  }
}

/** What code is given; large memory that it writes to is to have large pages. @type {(given: readonly import('./driver.js').Given[]) => any[]} */
function arraysOf(given) {
  /** @type {unknown} */
  let last;
  for (const { array, use } of given) {
    if (use === 'in' || array.buffer === last) continue;
    last = array.buffer;
    inLargePages(new Uint8Array(array.buffer));
  }
  return given.map(({ array }) => array);
}

/** One call of a kernel that is not of chunks, such as those for row numbers. */
class Call {
  /**
   * @param {string} text Loop IR
   * @param {number} threads
   * @param {BigInt64Array} slots
   * @param {readonly ArrayBufferView[]} arrays
   */
  constructor(text, threads, slots, arrays) {
    this.now = () => runArrays(compileKernel(text), threads, slots, arrays);
    this.later = (/** @type {AbortSignal | undefined} */ signal) => {
      if (signal?.aborted) throw new AbortError(signal);
      return settled(native.tableStart(compileKernel(text), threads, slots, arrays), signal);
    };
  }
}

/** The status of a run on other threads, which a signal ends. @type {(run: { promise: Promise<number> }, signal: AbortSignal | undefined) => Promise<number>} */
async function settled(run, signal) {
  const forget = signal && onAbort(signal, () => native.workCancel(run));
  try {
    const status = await run.promise;
    if (signal?.aborted) throw new AbortError(signal);
    return checkStatus(status);
  } catch (error) {
    if (signal?.aborted) throw new AbortError(signal);
    throw error;
  } finally {
    forget?.();
  }
}

module.exports = { ARRAYS, Call, Run, piecesOf };
