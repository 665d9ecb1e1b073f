/**
 * Times of calls, and the rates that follow from them, for `graphjit bench`.
 */
'use strict';

/** @typedef {{ min: number, median: number, p99: number, samples: number, batch: number }} Times in ns */

const SHORTEST_SAMPLE = 5e3; // ns
const MOST_SAMPLES = 1e5;

const now = () => Number(process.hrtime.bigint());

/**
 * Calls again and again for so many seconds, a tenth of it to warm up.
 *
 * @param {() => unknown} call
 * @param {number} seconds
 * @returns {Times}
 */
function measure(call, seconds) {
  const begin = now();
  let calls = 0;
  do {
    call();
    calls++;
  } while (now() - begin < seconds * 1e8);
  const each = (now() - begin) / calls;
  const batch = Math.max(1, Math.ceil(SHORTEST_SAMPLE / each));
  /** @type {number[]} */
  const times = [];
  const end = now() + seconds * 9e8;
  do {
    const start = now();
    for (let i = 0; i < batch; i++) call();
    times.push((now() - start) / batch);
  } while (now() < end && times.length < MOST_SAMPLES);
  times.sort((a, b) => a - b);
  const at = (/** @type {number} */ share) => times[Math.min(times.length - 1, Math.floor(share * times.length))];
  return { min: times[0], median: at(0.5), p99: at(0.99), samples: times.length, batch };
}

/**
 * The figures of one way to run the graph.
 *
 * @param {{ elements: number, bytes: number, flops: number }} work
 * @param {{ compile: number, first: number, call: Times, run: Times }} times
 */
const rowOf = ({ elements, bytes, flops }, { compile, first, call, run }) => ({
  compileNs: compile,
  firstResultNs: first,
  call,
  run,
  elements,
  bytes,
  flops,
  elementsPerSecond: (elements / call.median) * 1e9,
  gbPerSecond: bytes / call.median,
  gflopPerSecond: flops / call.median,
});

module.exports = { measure, now, rowOf };
