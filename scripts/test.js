// Runs the test programs and collects their figures.
//
// Every part goes on after a failure, so that one run shows all there is; the last line adds up. A part is
// a list of jobs, each one process; the jobs of all parts wait in one queue, so that no core is idle while
// the last job of a part goes on. Tests in Node have a runner of their own, which keeps all cores busy most
// of the time: what it leaves, one job at a time takes at low priority, and all cores when it has ended.
'use strict';

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { spawn } = require('node:child_process');
const { root, llvm } = require('./setup.js');
const { findFiles } = require('./check.js');

/** @typedef {{ name: string, passed: number, failed: number }} Result */

const sanitizerOptions = {
  // LLVM's containers are instrumented in our one C++ file but not in the library. Fuzzers look for leaks
  // themselves, if told to. Memory is filled, so that what reads it before it is written goes wrong.
  ASAN_OPTIONS: 'detect_leaks=0:allocator_may_return_null=1:detect_container_overflow=0:max_malloc_fill_size=1048576',
  UBSAN_OPTIONS: 'print_stacktrace=1',
  ASAN_SYMBOLIZER_PATH: `${llvm}/bin/llvm-symbolizer`,
};

// Tests end with all memory given back: a leak is what a process can no longer reach at its end, in our code
// and in LLVM's.
const leakOptions = {
  ...sanitizerOptions,
  ASAN_OPTIONS: sanitizerOptions.ASAN_OPTIONS.replace('detect_leaks=0', 'detect_leaks=1'),
};

// Only our own code is instrumented: what LLVM's libraries do with memory that they pass on to each other says nothing.
// Tests fork, which is fine as long as no other thread holds a lock then.
const raceOptions = { TSAN_OPTIONS: 'ignore_noninstrumented_modules=1:die_after_fork=0' };

// Leaks that a process can still reach at its end are LLVM's tables; the others are ours.
const valgrind = [
  'valgrind', '--quiet', '--error-exitcode=99', '--leak-check=full', '--show-leak-kinds=definite',
  '--errors-for-leak-kinds=definite',
];

/** A process to wait for. @typedef {() => Promise<void>} Job */
/** What runs, and what has become of it so far. @typedef {{ result: Result, jobs: Job[] }} Part */

/**
 * Runs a program, at a lower priority than the tests in Node, and returns all it prints, standard error first.
 *
 * @param {string[]} line
 * @param {Record<string, string>} [env]
 * @param {() => string | undefined} [next] the line to give it each time it prints `# ready`; its input ends without
 * @returns {Promise<{ status: number | null, text: string, seconds: number }>}
 */
function capture([command, ...words], env = {}, next) {
  const started = Date.now();
  const child = spawn(command, words, {
    cwd: root, env: { ...process.env, ...env }, stdio: [next ? 'pipe' : 'ignore', 'pipe', 'pipe'],
  });
  const parts = { out: '', err: '' };
  let answered = 0;
  const answer = (/** @type {() => string | undefined} */ give) => {
    for (const asked = parts.out.match(/^# ready\n/gm)?.length ?? 0; answered < asked; answered++) {
      const text = give();
      if (text === undefined) child.stdin?.end();
      else child.stdin?.write(`${text}\n`);
    }
  };
  child.stdin?.on('error', () => {}); // it may have ended
  child.stdout?.setEncoding('utf8').on('data', (text) => {
    parts.out += text;
    if (next) answer(next);
  });
  child.stderr?.setEncoding('utf8').on('data', (text) => (parts.err += text));
  return new Promise((resolve) => {
    const end = (/** @type {number | null} */ status, /** @type {string} */ note) =>
      resolve({ status, text: `${parts.err}${parts.out}${note}`, seconds: (Date.now() - started) / 1000 });
    child.on('spawn', () => lowerPriority(Number(child.pid)));
    child.on('error', (error) => end(null, `${error.message}\n`));
    child.on('close', (status, signal) => end(status, signal ? `killed by ${signal}\n` : ''));
  });
}

/** @param {number} pid */
function lowerPriority(pid) {
  try {
    os.setPriority(pid, os.constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // It has ended already.
  }
}

/** The C tests that `only` picks, by name. @param {RegExp} only @returns {string[]} */
function findC(only) {
  return findFiles(['test/c'], /\.c$/)
    .filter((file) => only.test(file))
    .map((file) => path.basename(file, '.c'));
}

/**
 * Counts what a C test printed, whose last line is `N passed, N failed`. A test without that line, with no test
 * in it, or whose exit status says otherwise, counts as failed.
 *
 * @param {Result} total
 * @param {string} program
 * @param {number | null} status
 * @param {string} text
 * @param {{ time?: string, mayBeEmpty?: boolean }} [options]
 */
function count(total, program, status, text, { time = '', mayBeEmpty = false } = {}) {
  const [line, passed, failed] = /^(\d+) passed, (\d+) failed$/m.exec(text) || ['', '0', '0'];
  const isEmpty = passed === '0' && !(mayBeEmpty && line !== '');
  const isBroken = failed === '0' && (status !== 0 || isEmpty);
  total.passed += Number(passed);
  total.failed += Number(failed) + Number(isBroken);
  console.log(`${total.name} ${program}: ${passed} passed, ${failed} failed${time}`);
  if (failed !== '0' || isBroken) {
    console.log(`${text}exit status ${status}`);
  }
}

/**
 * The C tests of a build folder, each a process.
 *
 * @param {string} name    shown in the summary
 * @param {string} folder  build folder
 * @param {{ env?: Record<string, string>, programs?: string[], named?: string }} [options]  `named`: part of the
 *   names of the tests that run, with spaces, instead of all
 * @returns {Part}
 */
function cTests(name, folder, { env = {}, programs = findC(/./), named } = {}) {
  const result = { name, passed: 0, failed: 0 };
  /** @type {Record<string, string>} */
  const picked = named === undefined ? {} : { GRAPHJIT_TEST: named.replaceAll(' ', '_') };
  const jobs = programs.map((program) => async () => {
    const { status, text, seconds } = await capture([path.join(folder, 'test', program)], { ...env, ...picked });
    count(result, program, status, text, { time: ` (${seconds.toFixed(1)} s)`, mayBeEmpty: named !== undefined });
  });
  return { result, jobs };
}

/**
 * C tests of a build folder, in as many processes as there are cores, each of which takes the next test when it has
 * ended one, but for those that have to be `apart`: what a prefix such as valgrind learns of code that tests share,
 * it learns once a process. The exit status of each process counts as one more test.
 *
 * @param {string} name
 * @param {string} folder
 * @param {{ prefix: string[], env: Record<string, string>, only: RegExp, apart: RegExp }} options
 * @returns {Part}
 */
function cTestsTogether(name, folder, { prefix, env, only, apart }) {
  const result = { name, passed: 0, failed: 0 };
  const programs = findC(only);
  const alone = programs.filter((program) => apart.test(program));
  const shared = programs.filter((program) => !alone.includes(program));
  const run = async (/** @type {string[]} */ waiting) => {
    /** @type {{ program: string, started: number }[]} */
    const taken = [];
    const next = () => {
      const program = waiting.shift();
      taken.push({ program: program ?? '', started: Date.now() });
      return program;
    };
    const { status, text, seconds } = await capture([...prefix, path.join(folder, 'test', 'tests'), '-'], env, next);
    const [, ...pieces] = text.split(/^# (\w+)$/m); // name, what it printed, name, …
    const ran = taken.filter(({ program }) => program !== '');
    for (const [i, { program, started }] of ran.entries()) {
      const at = pieces.indexOf(program);
      const time = taken[i + 1] ? ` (${((taken[i + 1].started - started) / 1000).toFixed(1)} s)` : '';
      count(result, program, 0, at < 0 ? '' : pieces[at + 1], { time });
    }
    const ok = status === 0;
    console.log(
      `${name}: ${ran.length} programs, exit status ${status} (${seconds.toFixed(1)} s)${ok ? '' : `\n${text}`}`,
    );
    result[ok ? 'passed' : 'failed']++;
    // A process that does not start would be started again and again.
    if (ran.length === 0) for (const program of waiting.splice(0)) count(result, program, null, '');
  };
  // What a process that breaks off has left the next one takes.
  const job = (/** @type {string[]} */ waiting) => async () => {
    while (waiting.length > 0) await run(waiting);
  };
  const processes = Array.from({ length: Math.min(os.availableParallelism(), shared.length) }, () => job(shared));
  return { result, jobs: [...processes, ...alone.map((program) => job([program]))] };
}

/** A program that is to succeed, as a part. @param {string} name @param {string[]} line @returns {Part} */
function commandPart(name, line) {
  const result = { name, passed: 0, failed: 0 };
  const job = async () => {
    const { status, text, seconds } = await capture(line);
    result[status === 0 ? 'passed' : 'failed']++;
    console.log(`${text}${name}: exit status ${status} (${seconds.toFixed(1)} s)`);
  };
  return { result, jobs: [job] };
}

/**
 * Runs the jobs of parts in their order, one at a time until `others` is over and as many as there are cores
 * from then on.
 *
 * @param {Part[]} parts
 * @param {Promise<unknown>} [others]  what keeps the cores busy by itself
 * @returns {Promise<Result[]>}
 */
async function runParts(parts, others = Promise.resolve()) {
  const jobs = parts.flatMap((part) => part.jobs);
  const worker = async (/** @type {number} */ number) => {
    if (number > 0) await others;
    for (let job = jobs.shift(); job; job = jobs.shift()) await job();
  };
  await Promise.all(Array.from({ length: os.availableParallelism() }, (_, number) => worker(number)));
  return parts.map((part) => part.result);
}

/**
 * Calls `run` with the environment of tests: an empty cache of compiled code, removed afterwards. A test
 * must neither find what another run of the tests compiled nor leave anything with the user.
 *
 * @template T
 * @param {(env: Record<string, string>) => Promise<T>} run
 * @returns {Promise<T>}
 */
async function withOwnCache(run) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'graphjit-tests-'));
  try {
    return await run({ GRAPHJIT_CACHE_DIR: folder });
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Runs node:test files, as many at once as there are cores, of which the runner itself would leave one; its
 * report goes to the terminal.
 *
 * @param {string} name
 * @param {string[]} files
 * @param {{ env?: Record<string, string>, words?: string[] }} [options]  `words` go to Node itself
 * @returns {Promise<Result>}
 */
async function runNode(name, files, { env = {}, words: more = [] } = {}) {
  if (files.length === 0) {
    return { name, passed: 0, failed: 0 };
  }
  const report = path.join(root, 'build', 'node-test.tap');
  fs.mkdirSync(path.dirname(report), { recursive: true });
  const words = [
    '--test', '--expose-gc', `--test-concurrency=${os.availableParallelism()}`, '--test-reporter=spec',
    '--test-reporter-destination=stdout', '--test-reporter=tap', `--test-reporter-destination=${report}`,
    ...more, ...files,
  ];
  const status = await withOwnCache((own) => {
    const child = spawn(process.execPath, words, {
      cwd: root, env: { ...process.env, ...own, ...env }, stdio: ['ignore', 'inherit', 'inherit'],
    });
    return new Promise((resolve, reject) => child.on('error', reject).on('close', resolve));
  });
  const text = fs.readFileSync(report, 'utf8');
  const figure = (/** @type {string} */ word) =>
    Number((new RegExp(`^# ${word} (\\d+)$`, 'm').exec(text) || [0, 0])[1]);
  const failed = figure('fail') + figure('cancelled');
  return { name, passed: figure('pass'), failed: failed || (status === 0 ? 0 : 1) };
}

/** A step that passes or fails as a whole. @param {string} name @param {boolean} ok @returns {Result} */
function step(name, ok) {
  return { name, passed: ok ? 1 : 0, failed: ok ? 0 : 1 };
}

/** Prints one line per part and the sum; returns whether all passed. @param {Result[]} results */
function summarize(results) {
  console.log('');
  for (const { name, passed, failed } of results) {
    console.log(`${failed ? 'FAILED' : 'ok    '} ${name}: ${passed} passed, ${failed} failed`);
  }
  const sum = (/** @type {'passed' | 'failed'} */ key) => results.reduce((total, result) => total + result[key], 0);
  console.log(`${sum('passed')} passed, ${sum('failed')} failed`);
  return sum('failed') === 0 && sum('passed') > 0;
}

module.exports = {
  cTests, cTestsTogether, commandPart, findC, runParts, runNode, step, summarize, sanitizerOptions, leakOptions,
  raceOptions, valgrind,
};
