// Random graphs of the wide kind (test/c/random_wide.h) through every way there is.
//
//   node test/fuzz/graphs.js [--count COUNT] [--seconds 60] [--seed 1] [--jobs 1] [--wasm 16]
//   node test/fuzz/graphs.js --only SEED
//
// --jobs: processes at a time; --wasm: one graph of so many goes through the interface, 0 none;
// --program build/asan/test/random_graph_test: another build of the C program.
//
// A C program makes the graphs and compares reference, loops, first tier and machine code, on several
// numbers of threads, with arrays between pages that may not be touched. One of so many graphs comes
// here as text, and is run through the interface, as programs of both tiers and as wasm. A graph that
// differs, or ends the program, or takes minutes, is made smaller and printed with what runs it again.
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const { spawn, spawnSync } = require('node:child_process');
const { createInterface } = require('node:readline');
const { parseArgs } = require('node:util');
const { Graph, dtypes } = require('graphjit');
const { assertArrays, native, reference, runGuarded, wasm } = require('../support/oracles.js');
const { arrayOf, isFloat, randomOf, randoms, specials } = require('../support/values.js');
const { shrinkGraph } = require('./graph-shrink.js');

let program = path.join(__dirname, '..', '..', 'build', 'debug', 'test', 'random_graph_test');
const SILENT_MS = 120_000;
const CHUNK = 100; // seeds of one process

/** A graph with what decides about its data. @typedef {{ text: string, n: number, m: number, data: string, rounds: boolean }} Made */
/** @typedef {{ seed: number, why: string, made?: Made }} Failure */

const HEAD = /^n = (\d+), m = (\d+), data = (\d+), rounds = (\d)$/;

// --- the C program ---

/** @param {Made} made */
const wordsOf = ({ n, m, data, rounds }) => ['text', String(n), String(m), data, rounds ? '1' : '0'];

/** What becomes of a graph: 'agrees', 'differs', 'refused', or how it ended. @param {Made} made */
function judge(made) {
  const { status, signal, stdout } = spawnSync(program, wordsOf(made), { input: made.text, encoding: 'utf8', timeout: SILENT_MS });
  const verdict = stdout.trim().split('\n').at(-1) ?? '';
  const kind = status === 0 || status === 1 ? verdict.replace(/^refused.*/, 'refused') : String(signal ?? `exit ${status}`);
  return { kind, text: stdout };
}

/**
 * Runs some seeds. Calls `onGraph` for each that was asked for as text; resolves with what went wrong and the
 * seed behind the last one that ran.
 *
 * @param {number} first @param {number} count @param {number} each
 * @param {(seed: number, made: Made) => void} onGraph
 * @returns {Promise<{ next: number, failures: Failure[], ran: number }>}
 */
async function runSeeds(first, count, each, onGraph) {
  const child = spawn(program, ['wide', String(first), String(count), String(each)], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise((resolve) => child.on('close', (status, signal) => resolve(signal ?? status)));
  let timer = setTimeout(() => {}, 0);
  let [seed, ran] = [first, 0];
  /** @type {string[]} */ let lines = [];
  /** @type {Failure[]} */ const failures = [];
  for await (const line of createInterface({ input: child.stdout })) {
    clearTimeout(timer);
    timer = setTimeout(() => child.kill('SIGKILL'), SILENT_MS);
    lines.push(line);
    const started = /^seed (\d+)$/.exec(line);
    if (started) [seed, lines] = [Number(started[1]), []];
    if (!/^(agrees|differs|refused)$/.test(line)) continue;
    ran += line === 'refused' ? 0 : 1;
    const made = graphIn(lines);
    if (line === 'differs') failures.push({ seed, why: lines[0].startsWith('n =') ? lines.filter((text) => / differs: |overwritten|\(.*\)$/.test(text)).join('\n') : lines[0], made });
    else if (made) onGraph(seed, made);
  }
  clearTimeout(timer);
  const end = await ended;
  if (end !== 0 && end !== 1) failures.push({ seed, why: `ended with ${end}`, made: graphIn(lines) });
  return { next: seed + 1, failures, ran };
}

/** The last graph that was printed. @param {string[]} lines @returns {Made | undefined} */
function graphIn(lines) {
  const at = lines.findLastIndex((line) => HEAD.test(line));
  const end = lines.indexOf('}', at);
  if (at < 0 || end < 0) return undefined;
  const [, n, m, data, rounds] = HEAD.exec(lines[at]) ?? [];
  return { text: `${lines.slice(at + 1, end + 1).join('\n')}\n`, n: Number(n), m: Number(m), data, rounds: rounds === '1' };
}

// --- through the interface ---

/** Elements of an input in one of several manners. @param {string} dtype @param {number} count @param {number} seed */
function elements(dtype, count, seed) {
  const random = randomOf(seed);
  const pick = (/** @type {readonly any[]} */ list) => list[Math.floor(random() * list.length)];
  if (dtypes[dtype].kind === 'float' && dtypes[dtype].bytes === 2) return arrayOf(dtype, Array.from({ length: count }, () => Math.floor(random() * 2 ** 16)));
  const manner = Math.floor(random() * 3);
  if (manner === 0) return arrayOf(dtype, randoms(dtype, count, seed));
  const list = manner === 1 || !isFloat(dtype) ? specials(dtype) : [0, 1, -1, 2, 3, -4, 7];
  return arrayOf(dtype, Array.from({ length: count }, () => pick(list)));
}

/** @param {Made} made @param {number} seed */
function inputsOf({ n, m, text }, seed) {
  const graph = Graph.parse(text);
  const sizeOf = (/** @type {number | string} */ size) => (typeof size === 'number' ? size : Number(new Function('n', 'm', 'max', 'min', `return Math.floor(${size})`)(n, m, Math.max, Math.min)));
  const inputs = graph.inputs.map(({ name, dtype, shape }, i) => {
    const own = shape.map(sizeOf);
    return [name, { dtype, shape: own, data: elements(dtype, own.reduce((a, b) => a * b, 1), seed + i) }];
  });
  return { graph, inputs: Object.fromEntries(inputs) };
}

/** Throws where ways differ: programs of both tiers, one and two threads, and modules. @param {Made} made @param {number} seed */
async function runAll(made, seed) {
  const { graph, inputs } = inputsOf(made, seed);
  const want = reference(graph, inputs);
  const ways = [
    native(graph, { numerics: 'strict', cache: false }),
    native(graph, { numerics: 'strict', tier: 'auto', cache: false }),
    native(graph, { threads: 2, cache: false }),
    native(graph, { tier: 'auto', threads: 1, cache: false }),
    await wasm(graph, seed % 2 ? 'mvp' : 'simd'),
  ];
  /** @type {Record<string, any>} */
  const firsts = made.rounds ? {} : { strict: want, default: want };
  try {
    for (const way of ways) {
      const got = runGuarded(way, inputs, want, way.name);
      firsts[way.numerics] ??= got;
      assertArrays(got, firsts[way.numerics], () => ({}), way.name, {});
    }
  } finally {
    for (const way of ways) way.dispose();
  }
}

// --- the whole ---

/** @param {Failure} failure */
function describe({ seed, why, made }) {
  const again = made ?? runOnce(seed);
  if (!again) return `seed ${seed}: ${why}\n`;
  const { kind } = judge(again);
  const bad = kind !== 'agrees' && kind !== 'refused';
  const small = bad ? { ...again, ...shrinkGraph(again, (next) => judge({ ...again, ...next }).kind === kind) } : again;
  const told = bad ? judge(small).text.split('\n').filter((line) => !HEAD.test(line) && !small.text.includes(line)).join('\n') : '';
  const command = `${path.relative(process.cwd(), program)} ${wordsOf(small).join(' ')}`;
  return `seed ${seed}: ${why}\n${told}${told ? '\n' : ''}${command} <<'END'\n${small.text}END\n`;
}

/** The graph of a seed that ends the program. @param {number} seed */
function runOnce(seed) {
  const { stdout } = spawnSync(program, ['wide', String(seed), '1', '1'], { encoding: 'utf8', timeout: SILENT_MS });
  return graphIn(stdout.split('\n'));
}

/**
 * @param {{ seed: number, count: number, seconds: number, jobs: number, each: number, report: (text: string) => void }} options
 */
async function tryMany({ seed, count, seconds, jobs, each, report }) {
  const end = performance.now() + 1000 * seconds;
  const last = seed + count;
  const totals = { graphs: 0, differ: 0, interface: 0 };
  let next = seed;
  const worker = async () => {
    while (next < last && performance.now() < end) {
      const from = next;
      const until = Math.min(from + CHUNK, last);
      next = until;
      for (let at = from; at < until; ) {
        /** @type {[number, Made][]} */ const graphs = [];
        const { next: behind, failures, ran } = await runSeeds(at, until - at, each, (number, made) => graphs.push([number, made]));
        at = behind;
        totals.graphs += ran;
        for (const failure of failures) {
          totals.differ++;
          report(describe(failure));
        }
        for (const [number, made] of graphs) {
          if (/\bcompress\b/.test(made.text)) continue; // sizes that a run finds: test/ops/selecting
          totals.interface++;
          await runAll(made, number).catch((error) => {
            totals.differ++;
            report(`seed ${number}, through the interface: ${error.message}\nn = ${made.n}, m = ${made.m}\n${made.text}`);
          });
        }
      }
    }
  };
  await Promise.all(Array.from({ length: jobs }, worker));
  return totals;
}

async function main() {
  const { values } = parseArgs({
    options: {
      count: { type: 'string' }, seconds: { type: 'string' }, seed: { type: 'string', default: '1' },
      jobs: { type: 'string', default: '1' }, wasm: { type: 'string', default: '16' }, only: { type: 'string' }, program: { type: 'string', default: program },
    },
  });
  program = values.program;
  if (!fs.existsSync(program)) throw new Error(`${program} is not there: npm run build:debug`);
  const only = values.only !== undefined;
  const options = only ? { seed: Number(values.only), count: 1, seconds: 1e9, jobs: 1, each: 1 } : { seed: Number(values.seed), count: Number(values.count ?? 1e9), seconds: Number(values.seconds ?? (values.count ? 1e9 : 60)), jobs: Number(values.jobs), each: Number(values.wasm) };
  const { graphs, differ, interface: through } = await tryMany({ ...options, report: (text) => console.log(text) });
  console.log(`${graphs} graphs, ${through} of them through the interface, ${differ} differ`);
  process.exitCode = differ > 0 ? 1 : 0;
}

if (require.main === module) main();
module.exports = { tryMany };
