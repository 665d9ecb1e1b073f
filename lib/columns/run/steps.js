/**
 * What needs runs of kernels, one after the other, as generators that yield the runs: who asks may wait for each of
 * them, or have them done on other threads and go on in between.
 */
'use strict';

/** A run: done now, or on other threads. @typedef {{ now: () => any, later: (signal: AbortSignal | undefined) => Promise<any> }} Runnable */

/**
 * @template T
 * @typedef {Generator<Runnable, T, any>} Steps
 */

/** @template T @param {Steps<T>} steps @returns {T} */
function now(steps) {
  let step = steps.next();
  while (!step.done) step = steps.next(step.value.now());
  return step.value;
}

/** @template T @param {Steps<T>} steps @param {AbortSignal | undefined} signal @returns {Promise<T>} */
async function later(steps, signal) {
  let step = steps.next();
  while (!step.done) step = steps.next(await step.value.later(signal));
  return step.value;
}

module.exports = { later, now };
