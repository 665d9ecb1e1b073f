/**
 * How far a search is, for people who watch: one line that is written anew on a terminal, elsewhere a line now and
 * then, so that a log stays short.
 */
'use strict';

/** Milliseconds from one line to the next. */
const TERMINAL_MS = 100;
const OTHER_MS = 2000;

/** Names of columns may have what moves the cursor. @type {(text: string) => string} */
const printable = (text) => text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, '\uFFFD');

/** @typedef {{ generation: number, evaluations: number, loss: number, expression: string }} Report */

/** @param {Report} report @param {number} generations */
const lineOf = ({ generation, evaluations, loss, expression }, generations) =>
  `generation ${generation} of ${generations}, ${evaluations.toLocaleString('en')} trees, loss ${loss.toPrecision(4)}: ${printable(expression)}`;

/** @type {(text: string, columns: number) => string} */
const clipped = (text, columns) => (text.length < columns ? text : `${text.slice(0, Math.max(1, columns - 2))}…`);

/**
 * @param {{ isTTY?: boolean, columns?: number, write: (text: string) => unknown }} stream
 * @param {number} generations
 * @param {() => number} [now]
 */
function progressOn(stream, generations, now = () => performance.now()) {
  const isTerminal = stream.isTTY === true;
  /** @type {Report | null} */
  let left = null;
  let due = -Infinity;
  const write = (/** @type {Report} */ report) => {
    const line = lineOf(report, generations);
    stream.write(isTerminal ? `\r\u001b[K${clipped(line, stream.columns || 80)}` : `${line}\n`);
    left = null;
    due = now() + (isTerminal ? TERMINAL_MS : OTHER_MS);
  };
  return {
    /** @param {Report} report */
    tell(report) {
      left = report;
      if (now() >= due) write(report);
    },
    /** The last line, which stays. */
    end() {
      const isNew = due === -Infinity;
      if (left) write(left);
      if (isTerminal && !isNew) stream.write('\n');
    },
  };
}

module.exports = { progressOn };
