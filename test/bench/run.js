// The bench: every case in processes of its own, the median of them, ratios within each process.
//
//   node test/bench/run.js [--case NAME] [--runs N] [--quick] [--json]
//
// --case runs the case of this name, or else those whose name contains NAME, and may be given several times;
// --runs is the number of processes per case (3);
// --quick takes one process and short samples, to see that all works; --json prints one JSON document.
// Falling short of a target is reported, and is no error: that is for people to judge.
'use strict';

const os = require('node:os');
const path = require('node:path');
const { spawnSync } = require('node:child_process');
const { parseArgs } = require('node:util');
const { version } = require('../../package.json');
const cases = require('./list.js');

const scale = { ns: 1, µs: 1e3, ms: 1e6, bytes: 1 };

const median = (/** @type {number[]} */ list) => list.toSorted((a, b) => a - b)[list.length >> 1];

/** One process: figures by contestant, in the unit of the case. */
function measure({ name, unit }, quick) {
  const words = [...process.execArgv, path.join(__dirname, 'one.js'), name, quick ? 'quick' : 'full'];
  const { status, stdout } = spawnSync(process.execPath, words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
  if (status !== 0) throw new Error(`${name}: the process ended with status ${status}`);
  const figures = Object.entries(JSON.parse(stdout));
  return Object.fromEntries(figures.map(([who, figure]) => [who, Number(figure) / scale[unit]]));
}

/** What one target asks for, what came of it, and whether that will do; nothing where who it names is not there. */
function judge({ who, peer, speed, below }, unit, results) {
  const of = (/** @type {string | undefined} */ name) => results.find((result) => result.who === name);
  const own = who === undefined ? results[0] : of(who);
  if (!own) return [];
  const whose = own === results[0] ? '' : `${own.who} `;
  if (below !== undefined) return [{ asks: `${whose}below ${below} ${unit}`, got: own.value, met: own.value < below }];
  const got = of(peer) && of(peer).ratio / own.ratio;
  return got === undefined ? [] : [{ asks: `${whose}at least ${speed}× the speed of ${peer}`, got, met: got >= speed }];
}

/** Runs a case and adds its results: median figure, ratio to graphjit, and the figure of each process. */
function runCase(one, runs, quick) {
  const samples = Array.from({ length: runs }, () => measure(one, quick));
  const [own] = Object.keys(samples[0]);
  const results = Object.keys(samples[0]).map((who) => ({
    who,
    value: median(samples.map((sample) => sample[who])),
    ratio: median(samples.map((sample) => sample[who] / sample[own])),
    runs: samples.map((sample) => sample[who]),
  }));
  const { name, title, unit } = one;
  const targets = (one.targets ?? []).flatMap((target) => judge(target, unit, results));
  return { name, title, unit, group: one.group, results, targets };
}

/** Geometric means of the ratios of a group's cases, for everybody who is in all of them. */
function meansOf(results) {
  const means = {};
  for (const group of new Set(results.flatMap((result) => result.group ?? []))) {
    const members = results.filter((result) => result.group === group).map((result) => new Map(result.results.map(({ who, ratio }) => [who, ratio])));
    const everywhere = [...members[0].keys()].filter((who) => members.every((member) => member.has(who)));
    const mean = (/** @type {string} */ who) => Math.exp(members.reduce((sum, member) => sum + Math.log(member.get(who)), 0) / members.length);
    means[group] = { cases: members.length, ratios: Object.fromEntries(everywhere.map((who) => [who, mean(who)])) };
  }
  return means;
}

const figure = (/** @type {number} */ value) => (value >= 1000 ? value.toFixed(0) : value.toPrecision(3));

function printCase({ name, title, unit, results, targets }) {
  console.log(`${name}: ${title}`);
  for (const { who, value, ratio } of results) {
    console.log(`  ${who.padEnd(20)} ${figure(value).padStart(8)} ${unit.padEnd(5)} ${ratio.toFixed(2).padStart(7)}×`);
  }
  for (const { asks, got, met } of targets) {
    console.log(`  target: ${asks}: ${figure(got)}, ${met ? 'pass' : 'falls short'}`);
  }
  console.log('');
}

/** What the command line asks for; throws when that makes no sense. */
function readCommand() {
  const options = {
    case: { type: 'string', multiple: true, default: [''] },
    runs: { type: 'string', default: '3' },
    quick: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  };
  let values;
  try {
    ({ values } = parseArgs({ options }));
  } catch (error) {
    throw new Error(`${error.message}; options are --case NAME, --runs N, --quick, --json`);
  }
  const wanted = values.case.flatMap((part) => {
    const exact = cases.filter(({ name }) => name === part);
    const found = exact.length > 0 ? exact : cases.filter(({ name }) => name.includes(part));
    if (found.length > 0) return found;
    throw new Error(`no case has '${part}' in its name; there are ${cases.map(({ name }) => name).join(', ')}`);
  });
  const runs = values.quick ? 1 : Number(values.runs);
  if (!Number.isInteger(runs) || runs < 1) {
    throw new Error(`--runs takes a whole number of processes, not '${values.runs}'`);
  }
  return { wanted, runs, quick: values.quick, json: values.json };
}

function main({ wanted, runs, quick, json }) {
  const results = [];
  for (const one of wanted) {
    const result = runCase(one, runs, quick);
    results.push(result);
    if (!json) printCase(result);
  }
  if (json) {
    const machine = { cpu: os.cpus()[0]?.model ?? 'unknown', cores: os.availableParallelism(), node: process.version };
    console.log(JSON.stringify({ graphjit: version, machine, runs, cases: results, means: meansOf(results) }, null, 2));
    return;
  }
  for (const [group, { cases: count, ratios }] of Object.entries(meansOf(results))) {
    const list = Object.entries(ratios).map(([who, ratio]) => `${who} ${ratio.toFixed(2)}×`);
    console.log(`Geometric means over ${count} cases of ${group}: ${list.join(', ')}`);
  }
  const targets = results.flatMap((result) => result.targets);
  console.log('Ratios are times relative to graphjit. C loops are called through Node-API, some 50 ns per call.');
  console.log(`${targets.filter(({ met }) => met).length} of ${targets.length} targets met`);
}

try {
  main(readCommand());
} catch (error) {
  console.error(`bench: ${error.message}`);
  process.exitCode = 2;
}
