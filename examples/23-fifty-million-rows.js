// Filters and aggregates a generated column of a million rows, or as many as are asked for: fifty million, as in `node
// 23-fifty-million-rows.js 50000000`, take two gigabytes. Row numbers where half or almost nothing is selected, the
// same of rows in order, where most blocks are skipped when they are asked for again, and sums of a thousand groups; on
// one thread, on all, and as a loop in JavaScript.
'use strict';

const { availableParallelism } = require('node:os');
const { expr, table } = require('graphjit');

const rows = Number(process.argv[2] ?? 1e6);
if (!Number.isInteger(rows) || rows < 1) throw new Error(`expected a number of rows, got ${process.argv[2]}`);

/** From 0 to 8, scattered, the same every time. */
function scattered() {
  const x = new Float64Array(rows);
  let state = 1;
  for (let i = 0; i < rows; i++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    x[i] = state / 2 ** 29;
  }
  return x;
}

const x = scattered();
const key = Uint16Array.from(x, (value) => value * 125);
const tables = { scattered: table({ x, key }), 'in order': table({ x: x.slice().sort() }) };

/** Best milliseconds of some calls. */
function best(call, times = 5) {
  let least = Infinity;
  for (let i = 0; i < times; i++) {
    const start = performance.now();
    call();
    least = Math.min(least, performance.now() - start);
  }
  return least;
}

const threads = availableParallelism();
const lines = [[`${rows} rows`, 'found', '1 thread', `${threads} threads`, 'JavaScript']];

function compare(title, text, data, loop, run) {
  const [one, all] = [1, threads].map((count) => expr(text, { threads: count }));
  const found = run(all, data); // compiles, and remembers ranges of values
  run(all, data);
  const ms = [best(() => run(one, data)), best(() => run(all, data)), best(loop, 2)].map((time) => `${time.toFixed(2)} ms`);
  lines.push([title, String(found.length ?? found.s.length), ...ms]);
}

const filter = (e, data) => e.filter(data);
for (const [order, data] of Object.entries(tables)) {
  const { values } = data.column('x').chunks[0];
  for (const [low, high] of [[2, 6], [2, 2.00001]]) {
    compare(`${low} < x < ${high}, ${order}`, `x > ${low} and x < ${high}`, data, () => {
      const out = new Uint32Array(rows);
      let count = 0;
      for (let i = 0; i < rows; i++) if (values[i] > low && values[i] < high) out[count++] = i;
      return out.subarray(0, count);
    }, filter);
  }
}
compare('sums by 1000 keys', { s: 'sum(x)' }, tables.scattered, () => {
  const sums = new Float64Array(1000);
  for (let i = 0; i < rows; i++) sums[key[i]] += x[i];
  return sums;
}, (e, data) => e.aggregate(data, { by: 'key' }));

const widths = lines[0].map((_, i) => Math.max(...lines.map((line) => line[i].length)));
for (const line of lines) console.log(line.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]) : cell.padStart(widths[i]))).join('  '));
