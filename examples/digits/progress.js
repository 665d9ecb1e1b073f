// A progress bar on a terminal: one line on standard error, drawn over again. Where nobody watches (a pipe, a file, a
// test) nothing is written at all.
'use strict';

const WIDTH = 30;
const EVERY_MS = 100; // redrawing costs more than a step
const { stderr } = process;

/**
 * A bar for work of so many steps.
 *
 * @param {number} total
 * @returns {{ show: (done: number, note: string) => void, clear: () => void }} clear: takes the bar away, as for a line
 *   of text, behind which the next step draws it again
 */
function progressBar(total) {
  let begin = 0; // behind the first step, which compiles
  let shown = -Infinity;
  return {
    show(done, note) {
      const now = performance.now();
      if (done === 1) begin = now;
      if (!stderr.isTTY || (now - shown < EVERY_MS && done < total)) return;
      shown = now;
      const full = Math.round((WIDTH * done) / total);
      const bar = '█'.repeat(full) + '░'.repeat(WIDTH - full);
      const left = done === 1 ? '' : `, ${Math.ceil(((now - begin) * (total - done)) / (done - 1) / 1000)} s left`;
      stderr.write(`\r\u001b[K${bar} ${done}/${total}, ${note}${left}`);
    },
    clear() {
      if (stderr.isTTY) stderr.write('\r\u001b[K');
      shown = -Infinity;
    },
  };
}

module.exports = { progressBar };
