// The main job: one graph over 200,000 real flights, run as machine code and as WebAssembly.
//
// An Arrow file gives three columns as typed arrays, without a copy. The graph marks late flights of
// middle distance, standardises the delay, turns the time of day into a point on a circle, and reduces
// delay and distance to counts, means, deviations and a slope. A plain JavaScript loop does the same work
// for comparison. Ends with example 06: what is left of a computation after compiling.
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const { tableFromIPC } = require('apache-arrow');
const { Graph } = require('graphjit');

const FILE = path.join(__dirname, '../node_modules/vega-datasets/data/flights-200k.arrow');
const ANGLE = (2 * Math.PI) / 24; // radians per hour
const RUNS = 25;

/** The columns by name; `copied` tells whether they had to be joined from several record batches. */
function readFlights() {
  const bytes = fs.readFileSync(FILE);
  const table = tableFromIPC(bytes);
  const columns = {};
  for (const name of ['delay', 'distance', 'time']) {
    const column = table.getChild(name);
    if (column.nullCount > 0) throw new Error(`column ${name} has ${column.nullCount} nulls`);
    columns[name] = column.toArray(); // a view of the file's bytes when there is one record batch
  }
  const copied = Object.values(columns).some(({ buffer }) => buffer !== bytes.buffer);
  return { columns, copied, batches: table.batches.length };
}

function flightsGraph() {
  const graph = new Graph('flights');
  const delay = graph.input('delay', 'i16', ['n']);
  const distance = graph.input('distance', 'i16', ['n']);
  const time = graph.input('time', 'f32', ['n']);

  const late = delay.gt(15).and(distance.ge(500)).and(distance.le(1500));
  const angle = time.convert('f64').mul(ANGLE);
  const [meanDelay, meanDistance] = [delay.mean(), distance.mean()];
  const [y, x] = [delay.convert('f64').sub(meanDelay), distance.convert('f64').sub(meanDistance)];
  const [stdDelay, varDistance] = [y.square().mean().sqrt(), x.square().mean()];

  graph.output('late', late).output('lateCount', late.sum());
  graph.output('score', y.div(stdDelay)).output('sine', angle.sin()).output('cosine', angle.cos());
  graph.output('meanDelay', meanDelay).output('stdDelay', stdDelay);
  graph.output('meanDistance', meanDistance).output('stdDistance', varDistance.sqrt());
  return graph.output('slope', x.mul(y).mean().div(varDistance));
}

/** The same by hand: fills the arrays of `out`, returns the figures. */
function plainLoop({ delay, distance, time }, { late, score, sine, cosine }) {
  const n = delay.length;
  let meanDelay = 0;
  let meanDistance = 0;
  for (let i = 0; i < n; i++) {
    meanDelay += delay[i];
    meanDistance += distance[i];
  }
  meanDelay /= n;
  meanDistance /= n;
  let [lateCount, yy, xx, xy] = [0, 0, 0, 0];
  for (let i = 0; i < n; i++) {
    const isLate = delay[i] > 15 && distance[i] >= 500 && distance[i] <= 1500 ? 1 : 0;
    const y = delay[i] - meanDelay;
    const x = distance[i] - meanDistance;
    const angle = time[i] * ANGLE;
    yy += y * y;
    xx += x * x;
    xy += x * y;
    late[i] = isLate;
    lateCount += isLate;
    sine[i] = Math.sin(angle);
    cosine[i] = Math.cos(angle);
  }
  const stdDelay = Math.sqrt(yy / n);
  for (let i = 0; i < n; i++) score[i] = (delay[i] - meanDelay) / stdDelay;
  return { lateCount, meanDelay, stdDelay, meanDistance, stdDistance: Math.sqrt(xx / n), slope: xy / xx };
}

/** The least milliseconds of each call. They take turns, so that a busy computer slows all alike. */
function bestTimes(calls) {
  const times = calls.map(() => Infinity);
  for (let run = 0; run < RUNS; run++) {
    calls.forEach((call, i) => {
      const start = performance.now();
      call();
      times[i] = Math.min(times[i], performance.now() - start);
    });
  }
  return times;
}

/** Columns as wide as needed, those of numbers aligned to the right. */
function printTable(title, ...rows) {
  const widths = rows[0].map((_, i) => Math.max(...rows.map((row) => row[i].length)));
  const pad = (text, i) => (/^-?\d/.test(rows[1][i]) ? text.padStart(widths[i]) : text.padEnd(widths[i]));
  console.log(`${title}\n${rows.map((row) => `  ${row.map(pad).join('  ')}`.trimEnd()).join('\n')}\n`);
}

function printFlights({ delay, distance, time }, { late, score, sine, cosine }) {
  const rows = [40000, 80000, 120000, 160000, delay.length - 1].map((i) => [
    ...[i, delay[i], distance[i], time[i].toFixed(2), late.at(i) ? 'late' : '-'].map(String),
    ...[score, sine, cosine].map((result) => result.at(i).toFixed(4)),
  ]);
  printTable('Some flights', ['row', 'delay', 'distance', 'time', 'late', 'score', 'sine', 'cosine'], ...rows);
}

const bytesOf = ({ data }) => Buffer.from(data.buffer, data.byteOffset, data.byteLength);

async function main() {
  const { columns, copied, batches } = readFlights();
  const pieces = batches === 1 ? 'one record batch' : `${batches} record batches`;
  console.log(`${columns.delay.length} flights in ${pieces}, columns ${copied ? 'joined' : 'used without a copy'}\n`);

  const graph = flightsGraph();
  const native = graph.compile({ numerics: 'strict' });
  const relaxed = graph.compile(); // numerics: 'default'
  const { load } = await import('graphjit/web');
  const wasm = await load(graph.toWasm({ optimize: false }).bytes); // numerics: 'strict'

  const [results, twins] = [native.run(columns), wasm.run(columns)];
  const names = Object.keys(results);
  const same = names.every((name) => bytesOf(results[name]).equals(bytesOf(twins[name])));
  printFlights(columns, results);
  const of = (name, digits = 3) => Number(results[name].item()).toFixed(digits);
  console.log('Over all flights');
  console.log(`  late, 500 to 1500 miles  ${of('lateCount', 0)}`);
  console.log(`  delay in minutes         mean ${of('meanDelay')}, standard deviation ${of('stdDelay')}`);
  console.log(`  distance in miles        mean ${of('meanDistance')}, standard deviation ${of('stdDistance')}`);
  console.log(`  slope                    ${of('slope', 6)} minutes per mile\n`);

  const kernels = native.stats.kernels.map(({ name, vectorised, ops }) => [name, vectorised, ops]);
  printTable('Fused into', ['kernel', 'vectors', 'operations'], ...kernels);

  const outputs = () => Object.fromEntries(names.map((name) => [name, results[name].data.slice()]));
  const [plain, viaWasm, strict, others] = [outputs(), outputs(), outputs(), outputs()];
  const times = bestTimes([
    () => plainLoop(columns, plain),
    () => wasm.run(columns, viaWasm),
    () => native.run(columns, strict),
    () => relaxed.run(columns, others),
  ]);
  const labels = [
    'plain JavaScript loop', "wasm, 'strict', with copies in and out", "native, 'strict'", "native, 'default'",
  ];
  const rows = labels.map((label, i) => [label, times[i].toFixed(3), `${(times[0] / times[i]).toFixed(1)}×`]);
  printTable(`Best of ${RUNS} runs`, ['', 'ms', 'speed'], ...rows);
  const off = Object.entries(plainLoop(columns, plain)).map(([name, value]) =>
    Math.abs(Number(results[name].item()) / value - 1),
  );
  console.log(`figures of native and plain loop differ by at most ${Math.max(...off).toExponential(1)}, relatively`);
  console.log(`native 'strict' = wasm 'strict', bit for bit: ${same ? 'yes' : 'NO'} (${names.length} outputs)\n`);

  require('./06-two-compile-stories.js');
}

main();
