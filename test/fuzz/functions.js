// Compares V8 and native code on random functions.
//
//   node test/fuzz/functions.js [--seconds 60] [--seed 1] [--count 0] [--only SEED]
//
// Every function has a seed of its own, from which it is made again with --only. What differs is made smaller and printed.
// Functions are run in a process of their own, so that a crash is found and has a seed, too. V8 optimises nothing in it: no function runs
// long, and to optimise the compiler anew after each of them took two thirds of the time. Nothing is taken from the cache on disk, nor kept
// there. Twenty thousand take some forty minutes of one core: --count 20000 --seconds 7200.
'use strict';

require('../support/verify.js');
const { parseArgs } = require('node:util');
const { spawnSync } = require('node:child_process');
const { Grammar, kinds } = require('./grammar.js');
const { loops } = require('./loops.js');
const { mixtures } = require('./mixtures.js');
const { print, shrink } = require('./shrink.js');
const { differs, outcome, shown } = require('../functions/support/same.js');
const { source } = require('../functions/support/values.js');

const numbers = [0, -0, 1, -1, 2, 5, 0.5, -1.5, 7, 31, 255, 1e10, 2 ** 31, -(2 ** 31), 2 ** 32, 2 ** 53, 1e300, 5e-324, -2e-310, -Number.MAX_VALUE, NaN, Infinity, -Infinity];

/** Mostly short, else at the edges of vectors and of loops that are written out several times. */
const lengths = [0, 1, 2, 4, 7, 16, 20, 0, 1, 2, 3, 5, 8, 9, 13, 15, 16, 17, 31, 32, 33, 63, 64, 65];

/** @param {() => number} random @param {string[]} params */
function argumentsFor(random, params) {
  const pick = (/** @type {any[]} */ items) => items[Math.floor(random() * items.length)];
  const number = () => (random() < 0.5 ? pick(numbers) : Math.floor(random() * 40 - 10) / (random() < 0.5 ? 1 : 4));
  const types = params.map(() => pick(kinds));
  // Numbers that count are compiled for, so that each mixture of them and others would be one more function to compile.
  const counts = params.map(() => random() < 0.5);
  const given = (/** @type {number} */ i) => {
    const value = number();
    return counts[i] === Object.is(value, value | 0) ? value : counts[i] ? value | 0 : value + 0.5;
  };
  let calls = 0;
  const call = () => {
    const isOther = ++calls === 4;
    const argument = (/** @type {number} */ i) => (!isOther ? given(i) : random() < 0.2 ? pick([undefined, null, true, false]) : number());
    const args = params.map((name, i) => (name.startsWith('p') ? argument(i) : types[i].from({ length: pick(lengths) }, number)));
    const arrays = args.flatMap((arg, i) => (ArrayBuffer.isView(arg) ? [i] : []));
    const [first, second] = [pick(arrays), pick(arrays)];
    if (arrays.length > 1 && types[first] === types[second] && random() < 0.3) args[second] = args[first].subarray(random() < 0.5 ? 0 : 1);
    return args;
  };
  return Array.from({ length: 5 }, call);
}

/** Most mistakes are made before LLVM, whose higher levels take their time. */
const choices = [{}, {}, { optLevel: 0 }, { optLevel: 0 }, { optLevel: 0 }, { optLevel: 1 }, { optLevel: 2 }, { threads: 2 }, { tier: 'full' }, { bounds: 'check', optLevel: 0 }];

/** A random function with arguments and options: of the whole language, of loops at their limits, or of variables of several types. @param {number} seed */
function make(seed) {
  const random = source(seed);
  const program = () => {
    const { params, tree } = new Grammar(random).function();
    return { params, tree, sets: argumentsFor(random, params), capture: {} };
  };
  const { capture, ...made } = [mixtures, program, loops, mixtures][seed % 4](random);
  return { ...made, mayRefuse: seed % 4 !== 1, options: { ...choices[Math.floor(random() * choices.length)], capture } };
}

/** @param {string[]} params @param {string} body @param {Record<string, any>} [capture] */
const compiled = (params, body, capture = {}) =>
  new Function(...Object.keys(capture), `return function random(${params.join(', ')}) {\n${body}}`)(...Object.values(capture));

/** Keys that are no numbers and name no element. */
const NAMES = ['undefined', 'null', 'true', 'false'];
const TYPED_ARRAY = Object.getPrototypeOf(Int8Array.prototype);

/**
 * In V8 `a[undefined] = 1` makes a property, which `a[undefined]` finds; machine code has elements only (docs/functions.md). So
 * V8 has none of that name meanwhile.
 *
 * @template T
 * @param {() => T} run
 * @returns {T}
 */
function withoutNamedElements(run) {
  const holders = [TYPED_ARRAY, Array.prototype];
  for (const holder of holders) for (const name of NAMES) Object.defineProperty(holder, name, { get: () => undefined, set() {}, configurable: true });
  try {
    return run();
  } finally {
    for (const holder of holders) for (const name of NAMES) delete holder[name];
  }
}

/**
 * How native code differs from V8; null where it does not. A refusal is told apart.
 *
 * @param {{ params: string[], sets: any[][], options: { bounds?: string, capture?: object } }} made
 * @param {string} body
 * @returns {{ kind: 'differs' | 'refused' | 'invalid', message: string } | null}
 */
function judge({ params, sets, options }, body) {
  const { native } = require('../../lib/index.js');
  let fn;
  try {
    fn = compiled(params, body, options.capture);
  } catch (error) {
    return { kind: 'invalid', message: error.message };
  }
  const expected = withoutNamedElements(() => sets.map((args) => outcome(fn, args)));
  if (expected.some(({ error }) => error && error.type !== 'RangeError' && error.type !== 'ReferenceError')) return { kind: 'invalid', message: 'V8 throws' };
  let ours;
  try {
    ours = native(fn, options);
  } catch (error) {
    return { kind: 'refused', message: error.message };
  }
  for (const [i, args] of sets.entries()) {
    const actual = outcome(ours, args);
    if (actual.error && /GraphError|NativeError/.test(actual.error.type)) return { kind: 'refused', message: actual.error.message };
    if (options.bounds === 'check' && / is out of range of /.test(actual.error?.message ?? '')) continue;
    const found = differs(actual, expected[i]);
    if (found) return { kind: 'differs', message: `(${args.map(shown).join('; ')}) ${found}` };
  }
  return null;
}

/** Programs that may be refused are refused with the place in them; what is told without one is a mistake of the compiler. */
const hasPlace = (/** @type {string} */ message) => /^random:\d+:\d+/.test(message);

/**
 * One seed, made smaller where it fails, to what fails in the same way.
 *
 * @param {number} seed
 */
function tryOne(seed) {
  const made = make(seed);
  const judged = (/** @type {string} */ body) => {
    const found = judge(made, body);
    const isMistake = found?.kind === 'differs' || (found?.kind === 'refused' && !(made.mayRefuse && hasPlace(found.message)));
    return found && { ...found, isMistake };
  };
  const found = judged(print(made.tree));
  if (!found?.isMistake) return found;
  const isLike = (/** @type {ReturnType<typeof judged>} */ other) =>
    other !== null && other.isMistake && other.kind === found.kind && (found.kind === 'differs' || hasPlace(other.message) === hasPlace(found.message));
  const small = print(shrink(made.tree, (/** @type {any} */ tree) => isLike(judged(print(tree)))));
  const told = judged(small) ?? found;
  return { kind: 'differs', message: `${told.message}\noptions ${JSON.stringify(made.options)}\nfunction (${made.params.join(', ')}) {\n${small}}` };
}

/**
 * Tries seeds one after the other until the time or the count is over.
 *
 * @param {{ seed: number, count: number, seconds: number, report?: (seed: number, found: NonNullable<ReturnType<typeof tryOne>>) => void }} options
 */
function tryMany({ seed, count, seconds, report = () => {} }) {
  const end = performance.now() + 1000 * seconds;
  const totals = { tried: 0, differs: 0, refused: 0, invalid: 0 };
  for (let at = seed; totals.tried < count && performance.now() < end; at++) {
    process.env.GRAPHJIT_FUZZ_TRACE && process.stderr.write(`seed ${at}\n`);
    const found = tryOne(at);
    totals.tried++;
    if (found) totals[found.kind]++;
    if (found?.kind === 'differs') report(at, found);
  }
  return totals;
}

function main() {
  const { values } = parseArgs({
    options: {
      seconds: { type: 'string', default: '60' }, seed: { type: 'string', default: String(Date.now() % 1e9) },
      count: { type: 'string', default: '1e9' }, only: { type: 'string' }, worker: { type: 'boolean', default: false },
    },
  });
  const report = (/** @type {number} */ seed, /** @type {{ kind: string, message: string }} */ { kind, message }) => console.log(`seed ${seed} ${kind}: ${message}\n`);
  if (values.only !== undefined) {
    const made = make(Number(values.only));
    console.log(`function (${made.params.join(', ')}) {\n${print(made.tree)}}`);
    console.log(tryOne(Number(values.only)) ?? 'the same');
    return;
  }
  const seed = Number(values.seed);
  if (values.worker) {
    const totals = tryMany({ seed, count: Number(values.count), seconds: Number(values.seconds), report });
    console.log(JSON.stringify(totals));
    process.exitCode = totals.differs > 0 ? 1 : 0;
    return;
  }
  const words = ['--no-opt', __filename, '--worker', '--seed', String(seed), '--seconds', values.seconds, '--count', values.count];
  const child = spawnSync(process.execPath, words, { stdio: ['ignore', 'inherit', 'pipe'], encoding: 'utf8', maxBuffer: 1e9, env: { GRAPHJIT_CACHE: 'off', ...process.env, GRAPHJIT_FUZZ_TRACE: '1' } });
  const traces = child.stderr.split('\n');
  const others = traces.filter((line) => line && !/^seed \d+$/.test(line));
  if (others.length) console.error(others.join('\n'));
  if (child.signal) console.log(`${traces.filter((line) => /^seed \d+$/.test(line)).at(-1)} crashes: ${child.signal}`);
  process.exitCode = child.signal || child.status ? 1 : 0;
}

if (require.main === module) main();
module.exports = { judge, make, print, tryMany, tryOne };
