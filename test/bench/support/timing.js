// How one case is timed inside its process.
//
// The contestants take turns: one sample of each, then the next round, so that a change of clock rate or
// a busy neighbour meets all of them. A sample is as many calls as fill some milliseconds, less than a
// time slice of the system. What the contestant before left behind in caches and clocks costs up to a
// tenth: one call goes ahead untimed, and every second round goes in reverse, so that nobody always follows
// the slowest. The best sample counts, since whatever disturbs a run only makes it longer.
'use strict';

/** @typedef {(() => unknown) | { sample: (seconds: number) => number | null }} Contestant */

const settings = {
  full: { warmMs: 150, sampleMs: 2, rounds: 40, otherSeconds: 0.5 },
  quick: { warmMs: 2, sampleMs: 0.2, rounds: 3, otherSeconds: 0.02 },
};

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

/**
 * Nanoseconds per call of every contestant; those that are not there are left out.
 *
 * @param {Record<string, Contestant>} contestants
 * @param {{ quick: boolean, awaited: boolean }} options
 * @returns {Promise<Record<string, number>>}
 */
async function timeAll(contestants, { quick, awaited }) {
  const { warmMs, sampleMs, rounds, otherSeconds } = settings[quick ? 'quick' : 'full'];
  const time = awaited ? timeAwaited : timeCalls;
  const racers = [];
  for (const [name, call] of Object.entries(contestants)) {
    if (typeof call !== 'function') continue;
    let calls = 0;
    for (let spent = 0; spent < warmMs; calls++) spent += await time(call, 1);
    const once = (await time(call, calls)) / calls;
    racers.push({ name, call, count: Math.max(1, Math.round(sampleMs / once)), best: Infinity });
  }
  for (let round = 0; round < rounds; round++) {
    for (const racer of round % 2 === 0 ? racers : racers.toReversed()) {
      await time(racer.call, 1);
      const ms = await time(racer.call, racer.count);
      racer.best = Math.min(racer.best, (ms * 1e6) / racer.count);
    }
  }
  const results = Object.fromEntries(racers.map(({ name, best }) => [name, best]));
  for (const [name, other] of Object.entries(contestants)) {
    const ns = typeof other === 'function' ? null : other.sample(otherSeconds);
    if (ns !== null) results[name] = ns;
  }
  return results;
}

module.exports = { timeAll };
