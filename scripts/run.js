// The one entry behind every npm script: installs what is missing, builds what changed, runs the goal.
//
//   node scripts/run.js <goal> [arguments]
//
// It uses nothing but Node, since it runs before node_modules exists. An unchanged tree gets to the
// goal in a fraction of a second.
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const { root, note, stop, ensureTools, ensurePackages } = require('./setup.js');
const { build } = require('./build.js');
const { install } = require('./install.js');
const { packages } = require('./package.js');
const { findFiles, run, format, checkFormat, lint, types } = require('./check.js');
const { findMatching, goldenTests } = require('./matching.js');
const { cTests, cTestsTogether, commandPart, findC, runParts, runNode, step, summarize } = require('./test.js');
const { sanitizerOptions, leakOptions, raceOptions, valgrind } = require('./test.js');

/** @param {'build' | 'test'} goal */
function prepare(goal) {
  ensureTools(goal);
  ensurePackages();
}

/** Ends with the exit status that `ok` stands for. @param {boolean} ok */
function finish(ok) {
  process.exitCode = ok ? 0 : 1;
}

/** Runs a script of this repository with the release build in place. @param {string[]} line */
function runBuilt(...line) {
  prepare('build');
  build('release');
  finish(run([process.execPath, ...line]));
}

/**
 * Compiled code is not instrumented: what it computes the plain build judges, in full, and a third of the
 * cases that are alike shows what our code does with memory.
 */
function asan() {
  return cTests('asan', build('asan', 'tests'), { env: { ...leakOptions, GRAPHJIT_SHARE: '3' }, programs: findC(/_test\.c$/) });
}

/** The tests in which threads meet; compiled code is not instrumented, the rest of a run is. */
function races() {
  const env = { ...raceOptions, GRAPHJIT_QUICK: '1' };
  const programs = findC(
    /(pool|tier|program|storage|(?<!loops_)function|disk|parts|orc|profile|random_graph)_test\.c$/,
  );
  return cTests('tsan', build('tsan', 'tests'), { env, programs });
}

/**
 * Sanitizers see overruns and leaks of our code in all tests. Left for valgrind are reads of what was never
 * written and what compiled code does, in tests of each stage. They run few rounds: valgrind is some 40
 * times slower. They share a few processes, since it takes a minute only to translate LLVM's own code.
 */
function leaks() {
  const env = { GRAPHJIT_QUICK: '1' };
  // Left out: tests that compare the last bits of arithmetic with libm. Valgrind rounds 80-bit numbers to
  // 64 bits, which spoils the reference, and takes 256-bit "ordered and not equal" for "unordered or not
  // equal", which makes a NaN finite. What these tests run other tests run too.
  // Tests of what the compiler makes of many loops on several targets, of threads, which valgrind runs one
  // at a time, and of how children end, which it changes.
  // Of those that compile, enough remain to see code of every kind of kernel.
  const only =
    /(?<!codegen_ops|compress|host_math|js_math|js_math_wasm|fma|blocks|disk|random_graph|strip|pieces|tile|lane_by_lane|bool_bytes|reduce|wasm_pool|sort|half|orc|parts|perf_map|profile|tier|wasm_link)_test\.c$/;
  // A process that pool_test forks would lack the threads of tests before, and with them what they keep.
  return cTestsTogether('valgrind', build('debug'), { prefix: valgrind, env, only, apart: /^pool_test$/ });
}

/** Parts that judge the text of the sources, and what clang makes of the math library. */
function sources() {
  const mathIr = [process.execPath, 'scripts/check-math-ir.js'];
  return [
    commandPart('types', types()),
    commandPart('lint', lint()),
    commandPart('math IR', mathIr),
    commandPart('format', checkFormat()),
  ];
}

/**
 * The tests whose file matches, of which those that are `named` so, if a name is given.
 *
 * @param {string} pattern
 * @param {string} [named]
 */
async function testMatching(pattern, named) {
  const { node, c, golden } = findMatching(pattern);
  if (node.length + c.length === 0) {
    note(`no test matches ${pattern}`);
    stop('patterns are compared with paths such as test/eager.test.js, test/c/loops_test.c, test/golden/loops/rows.gj');
  }
  prepare('test');
  if (node.length > 0) build('release');
  const results = [];
  if (c.length > 0) {
    // One program holds all but the measurements of accuracy.
    const targets = new Set(c.map((program) => (program.endsWith('_test') ? 'tests' : program)));
    const [folder] = Array.from(targets, (target) => build('debug', target));
    results.push(...(await runParts([cTests('c', folder, { programs: c, named })])));
  }
  if (node.length > 0) {
    const words = named === undefined ? [] : [`--test-name-pattern=${named}`];
    results.push(await runNode('node', node, { env: golden === undefined ? {} : { GRAPHJIT_GOLDEN: golden }, words }));
  }
  const ok = summarize(results);
  if (results.every(({ passed, failed }) => passed + failed === 0)) note(`no test in these files is named ${named}`);
  finish(ok);
}

/** Everything, or what matches. @param {string[]} words */
function test([pattern, named]) {
  return pattern === undefined ? testAll() : testMatching(pattern, named);
}

async function testAll() {
  prepare('test');
  build('release');
  const c = cTests('c', build('debug'));
  // What takes longest comes first.
  const parts = [leaks(), ...sources(), asan(), c];
  const node = runNode('node', findFiles(['test'], /\.test\.js$/));
  const results = await runParts(parts, node);
  finish(summarize([await node, ...results]));
}

async function check() {
  prepare('test');
  build('release');
  build('debug'); // gcc, with warnings as errors
  const golden = runNode('golden', findFiles(['test'], goldenTests));
  finish(summarize([...(await runParts(sources(), golden)), await golden]));
}

/** Rewrites what golden files expect, of those whose path matches. @param {string[]} words */
async function update([pattern = 'test/golden']) {
  prepare('build');
  build('release');
  const env = { GRAPHJIT_UPDATE: '1', GRAPHJIT_GOLDEN: pattern };
  finish(summarize([await runNode('golden', findFiles(['test'], goldenTests), { env })]));
}

/**
 * Runs every fuzzer for some seconds (60), from its corpus and what earlier runs found.
 *
 * @param {string[]} words
 */
function fuzz([seconds = '60']) {
  prepare('test');
  const folder = build('fuzz');
  const results = findFiles(['test/fuzz'], /\.c$/).map((source) => {
    const name = path.basename(source, '.c');
    const found = path.join(folder, 'corpus', name);
    fs.mkdirSync(found, { recursive: true });
    const kept = path.join('test', 'fuzz', 'corpus', name);
    const seeds = fs.existsSync(path.join(root, kept)) ? [kept] : [];
    const line = [path.join(folder, 'fuzz', name), `-max_total_time=${seconds}`, '-timeout=30', found, ...seeds];
    return step(name, run(line, sanitizerOptions));
  });
  build('release');
  build('debug');
  results.push(step('graphs', run([process.execPath, 'test/fuzz/graphs.js', '--seconds', seconds])));
  results.push(step('functions', run([process.execPath, 'test/fuzz/functions.js', '--seconds', seconds])));
  results.push(step('calls', run([process.execPath, 'test/fuzz/calls.js', '--seconds', seconds])));
  results.push(step('columns', run([process.execPath, 'test/fuzz/columns-language.js', '--seconds', seconds])));
  results.push(step('columns-engine', run([process.execPath, 'test/fuzz/columns-engine.js', '--seconds', seconds])));
  finish(summarize(results));
}

/** @type {Record<string, (words: string[]) => void | Promise<void>>} */
const goals = {
  install,
  package: (words) => {
    prepare('build');
    packages(words);
  },
  'test:package': (words) => runBuilt('test/package/run.js', ...words),
  demo: (words) => runBuilt('examples/10-flights.js', ...words),
  bench: (words) => runBuilt('--expose-gc', 'test/bench/run.js', ...words),
  formulas: (words) => runBuilt('test/bench/formulas.js', ...words),
  'bench:peers': () => finish(run([process.execPath, 'test/bench/install.js'])),
  pictures: (words) => {
    prepare('test'); // with Chromium
    build('release');
    finish(run([process.execPath, 'scripts/pictures.js', ...words]));
  },
  math: (words) => {
    prepare('test');
    build('release');
    build('debug');
    finish(run([process.execPath, 'test/bench/math.js', ...words]));
  },
  build: () => {
    prepare('build');
    build('release');
  },
  'build:debug': () => {
    prepare('test');
    build('debug');
  },
  test,
  'test:update': update,
  'test:asan': async () => {
    prepare('test');
    finish(summarize(await runParts([asan()])));
  },
  'test:tsan': async () => {
    prepare('test');
    finish(summarize(await runParts([races()])));
  },
  'test:leaks': async () => {
    prepare('test');
    finish(summarize(await runParts([leaks()])));
  },
  fuzz,
  check,
  format: () => {
    prepare('test');
    finish(format());
  },
  lint: () => {
    prepare('build');
    finish(run(lint()));
  },
  types: () => {
    prepare('build');
    finish(run(types()));
  },
};

const [goal, ...words] = process.argv.slice(2);
if (!goal || !Object.hasOwn(goals, goal)) {
  note(`unknown goal ${goal || '(none)'}`);
  stop(`goals: ${Object.keys(goals).join(', ')}`);
}
goals[goal](words);
