// Queries 200,000 real flights in an Arrow file: which are late, how late in which part of the day, the worst ones,
// as one would ask SQL or pandas. Every expression becomes one compiled loop over the columns of the file, of which
// nothing is copied.
'use strict';

const path = require('node:path');
const { expr, table } = require('graphjit');

const flights = table(path.join(__dirname, '../node_modules/vega-datasets/data/flights-200k.arrow'));
const columns = [...flights.fields.values()].map(({ name, type }) => `${name} ${type.text}`);
console.log(`${flights.rows} flights with ${columns.join(', ')}\n`);

// Rows: the numbers of those for which something is true. What was found can be asked again.
const late = expr('delay > 60 and distance between 500 and 1500');
const rows = late.filter(flights);
const veryLate = expr('delay > :minutes').filter(flights, { rows, parameters: { minutes: 180 } });
console.log(`late, of middle distance: ${rows.length}; by more than three hours: ${veryLate.length}`);

// Groups, by an expression: how late flights are in the parts of the day.
const { col, when } = expr;
const part = when(col('time').lt(6), 'night').when(col('time').lt(12), 'morning').when(col('time').lt(18), 'afternoon').otherwise('evening');
const summary = expr({ flights: 'count(*)', late: 'sum(cast(delay > 15 as int32)) / count(*)', mean: 'mean(delay)', worst: 'max(delay)' });
const byPart = summary.aggregate(flights, { by: { part } });
console.log(`\n${'part'.padEnd(10)} flights   late   mean  worst`);
for (const row of byPart) {
  const figures = [String(row.flights).padStart(7), `${(100 * row.late).toFixed(1)} %`, row.mean.toFixed(1).padStart(5), String(row.worst).padStart(5)];
  console.log(row.part.padEnd(10), figures.join('  '));
}

// Columns that are computed, of the rows that are worst, in one pass.
const worst = expr('delay').topK(flights, 3);
const shown = expr({ hours: 'delay / 60', km: 'round(distance * 1.609)', clock: "lpad(cast(cast(time as int32) as utf8), 2, '0') || ':00'" });
console.log('\nthe worst, with time of departure:');
for (const { hours, km, clock } of shown.project(flights, { rows: worst })) console.log(`  ${hours.toFixed(1)} hours on ${km} km, ${clock}`);

// What became of it.
console.log(`\n${late.explain(flights, { stage: 'tree' })}\n${late.explain(flights, { stage: 'plan' })}`);

const [delay, distance] = ['delay', 'distance'].map((name) => flights.column(name).chunks[0].values);
function plainLoop() {
  const found = [];
  for (let i = 0; i < delay.length; i++) if (delay[i] > 60 && distance[i] >= 500 && distance[i] <= 1500) found.push(i);
  return Uint32Array.from(found);
}
function best(call) {
  const times = Array.from({ length: 100 }, () => {
    const start = performance.now();
    call();
    return performance.now() - start;
  });
  return Math.min(...times).toFixed(3);
}
console.log(`\nbest of 100: compiled ${best(() => late.filter(flights))} ms, a loop in JavaScript ${best(plainLoop)} ms`);
console.log(`the same rows: ${plainLoop().every((row, i) => row === rows[i]) ? 'yes' : 'NO'}`);
