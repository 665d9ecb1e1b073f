// How many known formulas symbolic regression finds, how long it takes, and how many trees it tries in a second.
//
//   node test/bench/formulas.js [--seeds N] [--problem PART] [--option NAME=NUMBER] [--list]      or npm run formulas
//
// A seed, of 1 to N (10), is a sample of a problem and a run over it. The run has solved the problem if its best formula has an R²
// above 1 - 1e-10 on 1000 rows of another sample: other shapes of the same values count, what only comes near does not.
// --problem takes those whose name contains PART, --option is one of symbolicRegression, --list prints the formulas found.
'use strict';

const { parseArgs } = require('node:util');
const { symbolicRegression } = require('graphjit');
const { problems, sampleOf } = require('./support/formulas.js');

const NEAR = 1e-10;
const FRESH_ROWS = 1000;
const FRESH_SEED = 1_000_003;

const options = /** @type {const} */ ({
  seeds: { type: 'string', default: '10' },
  problem: { type: 'string', default: '' },
  option: { type: 'string', multiple: true, default: [] },
  list: { type: 'boolean', default: false },
});

/** @typedef {{ isSolved: boolean, missing: number, seconds: number, evaluations: number, formula: string }} Run */

/** @param {import('./support/formulas.js').Problem} problem @param {number} seed @param {Record<string, number>} given @returns {Run} */
function tryOnce(problem, seed, given) {
  const { x, y } = sampleOf(problem, seed);
  const fresh = sampleOf(problem, FRESH_SEED + seed, FRESH_ROWS);
  let evaluations = 0;
  const start = performance.now();
  const model = symbolicRegression({ ops: problem.ops, seed, ...given });
  model.fit(x, y, { onGeneration: (report) => void (evaluations = report.evaluations) });
  const seconds = (performance.now() - start) / 1e3;
  const missing = 1 - model.score(fresh.x, fresh.y);
  return { isSolved: missing < NEAR, missing, seconds, evaluations, formula: String(model) };
}

const median = (/** @type {number[]} */ list) => list.toSorted((a, b) => a - b)[list.length >> 1];

/** @param {Run[]} runs */
function totalOf(runs) {
  const sum = (/** @type {'seconds' | 'evaluations'} */ key) => runs.reduce((all, run) => all + run[key], 0);
  const seconds = sum('seconds');
  return {
    solved: `${runs.filter(({ isSolved }) => isSolved).length}/${runs.length}`,
    times: `${(seconds / runs.length).toFixed(2)} s, at most ${Math.max(...runs.map((run) => run.seconds)).toFixed(2)}`,
    rate: `${Math.round(sum('evaluations') / seconds / 1e3)} k trees/s`,
  };
}

function main() {
  const { values: words } = parseArgs({ options });
  const given = Object.fromEntries(words.option.map((text) => text.split('=')).map(([name, value]) => [name, Number(value)]));
  /** @type {Map<string, Run[]>} */
  const groups = new Map();
  for (const problem of problems.filter(({ name }) => name.includes(words.problem))) {
    const runs = Array.from({ length: Number(words.seeds) }, (_, i) => tryOnce(problem, i + 1, given));
    const { solved, times, rate } = totalOf(runs);
    const missed = runs.filter(({ isSolved }) => !isSolved).map(({ missing }) => missing);
    const rest = missed.length > 0 ? `, 1 - R² of the others ${median(missed).toExponential(1)}` : '';
    console.log(`${problem.name.padEnd(18)} ${solved.padStart(5)}  ${times}, ${rate}${rest}`);
    if (words.list) for (const { isSolved, formula } of runs) console.log(`    ${isSolved ? '+' : '-'} ${formula}`);
    const [group] = problem.name.split('-');
    groups.set(group, [...(groups.get(group) ?? []), ...runs]);
  }
  for (const [group, runs] of groups) {
    const { solved, times, rate } = totalOf(runs);
    console.log(`${group}: ${solved} solved, ${times}, ${rate}`);
  }
}

main();
