/**
 * What something takes, for those who ask how things are laid out: the fastest of some rounds, since the first ones
 * warm the engine up and others share the machine.
 */
'use strict';

/** To three digits. @type {(figure: number) => number} */
const rounded = (figure) => Number(figure.toPrecision(3));

/**
 * Nanoseconds of each of `count` things that a run does.
 *
 * @param {number} count
 * @param {() => void} run
 * @param {{ rounds: number, milliseconds: number }} least of measuring
 */
function nanosecondsOf(count, run, { rounds, milliseconds }) {
  let best = Infinity;
  const end = performance.now() + milliseconds;
  for (let i = 0; i < rounds || performance.now() < end; i++) {
    const start = process.hrtime.bigint();
    run();
    best = Math.min(best, Number(process.hrtime.bigint() - start));
  }
  return rounded(best / count);
}

module.exports = { nanosecondsOf, rounded };
