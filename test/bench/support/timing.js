// How one case is timed inside its process.
//
// The contestants take turns: one sample of each, then the next round, so that a change of clock rate or
// a busy neighbour meets all of them. A sample is as many calls as fill some milliseconds, less than a
// time slice of the system. What the contestant before left behind in caches and clocks costs up to a
// tenth: one call goes ahead untimed, and every second round goes in reverse, so that nobody always follows
// the slowest. The best sample counts, since whatever disturbs a run only makes it longer.
//
// Contestants in processes of their own are asked in some of the rounds, and their threads are given time to fall asleep
// before anybody else is measured.
'use strict';

const { setTimeout: sleep } = require('node:timers/promises');

/** @typedef {(() => unknown) | { sample: (seconds: number) => Promise<number | null> }} Contestant */

const settings = {
  full: { warmMs: 150, sampleMs: 2, rounds: 40, budgetMs: 1500, otherSeconds: 0.25, otherEvery: 10, restMs: 30 },
  quick: { warmMs: 2, sampleMs: 0.2, rounds: 3, budgetMs: 20, otherSeconds: 0.02, otherEvery: 3, restMs: 0 },
};
const LEAST_ROUNDS = 3;

/** Milliseconds that `count` calls take. @param {() => unknown} call @param {number} count */
function timeCalls(call, count) {
  const start = performance.now();
  for (let i = 0; i < count; i++) call();
  return performance.now() - start;
}

/** The same for calls that return promises, one after the other. @param {() => unknown} call @param {number} count */
async function timeAwaited(call, count) {
  const start = performance.now();
  for (let i = 0; i < count; i++) await call();
  return performance.now() - start;
}

/** A contestant of this process, warmed up, and how many of its calls fill a sample. */
async function enter(name, call, time, { warmMs, sampleMs }) {
  let calls = 0;
  for (let spent = 0; spent < warmMs; calls++) spent += await time(call, 1);
  const once = (await time(call, calls)) / calls;
  return { name, call, count: Math.max(1, Math.round(sampleMs / once)), best: Infinity, spent: 0 };
}

/**
 * Nanoseconds per call of every contestant; those that are not there are left out.
 *
 * @param {Record<string, Contestant>} contestants
 * @param {{ quick: boolean, awaited: boolean }} options
 * @returns {Promise<Record<string, number>>}
 */
async function timeAll(contestants, { quick, awaited }) {
  const setting = settings[quick ? 'quick' : 'full'];
  const time = awaited ? timeAwaited : timeCalls;
  const racers = [];
  const others = [];
  for (const [name, one] of Object.entries(contestants)) {
    if (typeof one === 'function') racers.push(await enter(name, one, time, setting));
    else others.push({ name, sample: one.sample, best: Infinity });
  }
  const sampleRacer = async (racer) => {
    const start = performance.now();
    await time(racer.call, 1);
    const ms = await time(racer.call, racer.count);
    racer.best = Math.min(racer.best, (ms * 1e6) / racer.count);
    racer.spent += performance.now() - start;
  };
  for (let round = 0; round < setting.rounds; round++) {
    const tired = (racer) => round >= LEAST_ROUNDS && racer.spent > setting.budgetMs;
    for (const racer of round % 2 === 0 ? racers : racers.toReversed()) if (!tired(racer)) await sampleRacer(racer);
    for (const other of round % setting.otherEvery === 0 ? others : []) {
      other.best = Math.min(other.best, (await other.sample(setting.otherSeconds)) ?? Infinity);
      await sleep(setting.restMs);
    }
  }
  return Object.fromEntries([...racers, ...others].filter(({ best }) => best < Infinity).map(({ name, best }) => [name, best]));
}

module.exports = { timeAll };
