// The cache of compiled code: where code comes from, and that nothing about a program depends on it.
'use strict';

const assert = require('node:assert/strict');
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { after, before, beforeEach, test } = require('node:test');
const { Worker } = require('node:worker_threads');
const { Graph } = require('graphjit');

let folder = '';
let outside = '';

before(() => {
  outside = fs.mkdtempSync(path.join(os.tmpdir(), 'graphjit-cache-test-'));
});
beforeEach((t) => {
  folder = path.join(outside, t.name.replace(/\W/g, '-'));
});
after(() => fs.rmSync(outside, { recursive: true }));

/** What a process of its own does and says; a compile in it finds only what is on disk. */
const script = `
  const { Graph } = require('graphjit');
  const { scale = 2, name = 'x', title = 'story', symbol = 'n', options, weights } = JSON.parse(process.argv[1]);
  const graph = new Graph(title);
  const x = graph.input(name, 'f64', [symbol]);
  const shifted = x.mul(scale).sub(x.exp().max());
  graph.output('y', (weights ? shifted.add(graph.constant(Float64Array.from(weights)).sum()) : shifted).div(shifted.sum()));
  const program = graph.compile(options);
  const { stats } = program;
  const { y } = program.run({ [name]: Float64Array.of(1, 2, 3, 4.5) });
  console.log(JSON.stringify({
    cache: stats.cache, kernels: stats.kernels, scratch: stats.scratchBytes, nodes: [stats.nodesBefore, stats.nodesAfter],
    bytes: [stats.codeBytes, stats.constantBytes], y: [...y.data], ports: [program.inputs, program.outputs],
    texts: [program.simplified(), program.loops(), program.llvm(), program.asm()], compileMs: stats.compileMs,
  }));
`;

/** @param {object} [what] @param {Record<string, string | undefined>} [env] */
function inProcess(what = {}, env = {}) {
  const all = { ...process.env, GRAPHJIT_CACHE: undefined, GRAPHJIT_CACHE_DIR: folder, ...env };
  const given = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
  const child = spawnSync(process.execPath, ['-e', script, JSON.stringify(what)], {
    cwd: path.dirname(__dirname), env: /** @type {NodeJS.ProcessEnv} */ (given), encoding: 'utf8',
  });
  assert.equal(child.stderr, '');
  assert.equal(child.status, 0);
  return JSON.parse(child.stdout);
}

const entries = () => (fs.existsSync(folder) ? fs.readdirSync(folder).filter((name) => name.endsWith('.code')) : []);

test('a program from the disk is the program that was compiled', () => {
  const weights = Array.from({ length: 1000 }, (_, i) => i / 7);
  const { cache: first, compileMs, ...compiled } = inProcess({ weights });
  const { cache: second, compileMs: fromDisk, ...read } = inProcess({ weights });
  const { cache: third, compileMs: again, ...fresh } = inProcess({ weights, options: { cache: false } });
  assert.deepEqual([first, second, third], ['miss', 'disk', 'off']);
  assert.deepEqual(read, compiled);
  assert.deepEqual(fresh, compiled);
  assert.ok(compileMs.machine > 0 && again.machine > 0);
  assert.deepEqual([fromDisk.simplify, fromDisk.lower, fromDisk.optimize, fromDisk.machine], [0, 0, 0, 0]);
  assert.ok(fromDisk.load > 0 && fromDisk.cache > 0);
});

test('whatever decides the code is part of the key', () => {
  const cases = [
    {}, { scale: 3 }, { name: 'other' }, { title: 'other' }, { symbol: 'm' }, { weights: [1] }, { weights: [2] },
    { options: { numerics: 'fast' } }, { options: { numerics: 'strict' } }, { options: { optLevel: 1 } },
  ];
  for (const what of cases) assert.equal(inProcess(what).cache, 'miss', JSON.stringify(what));
  for (const what of cases) assert.equal(inProcess(what).cache, 'disk', JSON.stringify(what));
  assert.equal(entries().length, cases.length);
});

test('the cache can be switched off', () => {
  assert.equal(inProcess({ options: { cache: false } }).cache, 'off');
  assert.equal(inProcess({}, { GRAPHJIT_CACHE: 'off' }).cache, 'off');
  assert.equal(inProcess({ options: { cache: true } }, { GRAPHJIT_CACHE: 'OFF' }).cache, 'off');
  assert.deepEqual(entries(), []);
});

test('a damaged file is replaced', () => {
  const { y } = inProcess();
  const file = path.join(folder, entries()[0]);
  const whole = fs.readFileSync(file);
  for (const at of [0, 20, 50, 140, whole.length >> 1, whole.length - 1]) {
    const damaged = Buffer.from(whole);
    damaged[at] ^= 0x10;
    fs.writeFileSync(file, damaged);
    const repaired = inProcess();
    assert.deepEqual([repaired.cache, repaired.y], ['miss', y], `byte ${at}`);
    assert.deepEqual(fs.readFileSync(file), whole);
  }
  fs.truncateSync(file, whole.length - 100);
  assert.equal(inProcess().cache, 'miss');
  assert.equal(inProcess().cache, 'disk');
});

test('a cache that cannot be used does not disturb', () => {
  const file = path.join(outside, 'file');
  fs.writeFileSync(file, '');
  const { y } = inProcess({ options: { cache: false } });
  for (const env of [
    { GRAPHJIT_CACHE_DIR: file },
    { GRAPHJIT_CACHE_DIR: path.join(file, 'below') },
    { GRAPHJIT_CACHE_DIR: path.join(outside, 'x'.repeat(5000)) },
    { GRAPHJIT_CACHE_DIR: undefined, XDG_CACHE_HOME: undefined, HOME: undefined },
    { GRAPHJIT_CACHE_DIR: undefined, XDG_CACHE_HOME: 'relative', HOME: file },
    { GRAPHJIT_CACHE_SIZE: '0' },
  ]) {
    for (let round = 0; round < 2; round++) {
      const result = inProcess({}, env);
      assert.deepEqual([result.cache, result.y], ['miss', y], JSON.stringify(env));
    }
  }
});

test('the environment says where the cache is', () => {
  const home = path.join(outside, 'home');
  fs.mkdirSync(home);
  const env = { GRAPHJIT_CACHE_DIR: undefined, XDG_CACHE_HOME: undefined, HOME: home };
  assert.equal(inProcess({}, env).cache, 'miss');
  assert.equal(fs.readdirSync(path.join(home, '.cache', 'graphjit')).length, 1);
  const xdg = path.join(outside, 'xdg');
  assert.equal(inProcess({}, { ...env, XDG_CACHE_HOME: xdg }).cache, 'miss');
  assert.equal(fs.readdirSync(path.join(xdg, 'graphjit')).length, 1);
  assert.equal(fs.statSync(path.join(xdg, 'graphjit')).mode & 0o777, 0o700);
});

test('processes that compile the same at once all get the same', async () => {
  const { spawn } = require('node:child_process');
  const results = await Promise.all(
    Array.from({ length: 6 }, () => new Promise((resolve, reject) => {
      const child = spawn(process.execPath, ['-e', script, '{}'], {
        cwd: path.dirname(__dirname), env: { ...process.env, GRAPHJIT_CACHE_DIR: folder }, stdio: ['ignore', 'pipe', 'inherit'],
      });
      let text = '';
      child.stdout.setEncoding('utf8').on('data', (part) => (text += part));
      child.on('error', reject).on('close', () => resolve(JSON.parse(text).y));
    })),
  );
  for (const y of results) assert.deepEqual(y, results[0]);
  assert.equal(entries().length, 1);
  assert.equal(inProcess().cache, 'disk');
});

/** A graph that no other test compiles. @param {number} k */
function graphOf(k) {
  const graph = new Graph('memory');
  return graph.output('y', graph.input('x', 'f64', ['n']).add(k));
}

const usage = () => /** @type {any} */ (require('../lib/base/binding.js').native).usage();

test('programs of equal graphs share their code while one of them lives', () => {
  const start = usage().processCodeBytes;
  const one = graphOf(77.25).compile();
  const held = usage().processCodeBytes;
  const two = graphOf(77.25).compile();
  assert.equal(two.stats.cache, 'memory');
  assert.equal(usage().processCodeBytes, held);
  assert.notEqual(graphOf(77.5).compile().stats.cache, 'memory');
  assert.equal(graphOf(77.25).compile({ cache: false }).stats.cache, 'off');
  one.dispose();
  assert.deepEqual([...two.run({ x: Float64Array.of(1, 2) }).y.data], [78.25, 79.25]);
  assert.equal(two.asm(), graphOf(77.25).compile({ cache: false }).asm());
  two.dispose();
  assert.ok(usage().processCodeBytes >= start);
  const three = graphOf(77.25).compile();
  assert.notEqual(three.stats.cache, 'memory');
  assert.deepEqual([...three.run({ x: Float64Array.of(1) }).y.data], [78.25]);
});

test('worker threads share code, too', async () => {
  const program = graphOf(91.5).compile();
  const code = `
    const { Graph } = require('graphjit');
    const { parentPort, workerData } = require('node:worker_threads');
    const program = Graph.parse(workerData).compile();
    parentPort.postMessage([program.stats.cache, program.run({ x: Float64Array.of(1) }).y.data[0]]);
  `;
  const text = graphOf(91.5).toString();
  const [cache, y] = await new Promise((resolve, reject) => {
    new Worker(code, { eval: true, workerData: text }).on('message', resolve).on('error', reject);
  });
  assert.deepEqual([cache, y], ['memory', 92.5]);
  assert.equal(program.run({ x: Float64Array.of(2) }).y.data[0], 93.5);
});

test('a thousand symbols compile as one kernel', () => {
  const graph = new Graph('many');
  for (let i = 0; i < 1000; i++) graph.output(`y${i}`, graph.input(`x${i}`, 'f32', [`n${i}`]).neg());
  const program = graph.compile({ cache: false });
  const { kernels } = program.stats;
  assert.equal(kernels.length, 1000);
  assert.deepEqual([...new Set(kernels.map(({ name }) => name))], ['k0']);
  const inputs = Object.fromEntries(graph.inputs.map(({ name }, i) => [name, new Float32Array(i % 5).fill(i)]));
  const results = program.run(inputs);
  for (let i = 0; i < 1000; i += 37) assert.deepEqual([...results[`y${i}`].data], [...inputs[`x${i}`]].map((x) => -x));
});
