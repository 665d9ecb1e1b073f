// Profiles and the machine's roof: what they count, that they leave alone what is not theirs. Times are
// whatever they are.
'use strict';

const assert = require('node:assert/strict');
const fs = require('node:fs');
const { spawnSync } = require('node:child_process');
const { test } = require('node:test');
const { Graph, machine, tensor } = require('graphjit');

function shares() {
  const graph = new Graph('shares');
  const wave = graph.input('x', 'f64', ['n']).sin();
  return graph.output('z', wave.div(wave.sum())).compile();
}

test('a profile has times, bytes and operations of each kernel', () => {
  const program = shares();
  const profile = program.profile({ x: new Float64Array(1000).fill(1) }, { runs: 7, seconds: 60 });
  assert.equal(profile.runs, 7);
  assert.equal(profile.name, 'shares');
  assert.ok(profile.bestUs > 0 && profile.bestUs <= profile.medianUs && profile.outsideUs >= 0);
  const { kernels } = program.stats;
  assert.equal(profile.kernels.length, kernels.length);
  profile.kernels.forEach((kernel, i) => {
    for (const name of ['name', 'kind', 'ops', 'shape']) assert.equal(kernel[name], kernels[i][name]);
    assert.ok(kernel.bestUs >= 0 && kernel.bestUs <= kernel.medianUs);
    assert.ok(kernel.share >= 0 && kernel.share <= 1 && kernel.roof >= 0);
    assert.ok(['compute', 'L1', 'L2', 'L3', 'memory'].includes(kernel.bound));
    if (kernel.bestUs > 0) {
      const bytes = kernel.bytesRead + kernel.bytesWritten;
      assert.ok(Math.abs(kernel.gbPerSecond * kernel.bestUs * 1e3 - bytes) < 1e-6 * bytes);
    }
  });
  assert.deepEqual(profile.kernels.map(({ bytesRead, bytesWritten }) => [bytesRead, bytesWritten]), [
    [8000, 8000],
    [8000, 8],
    [8008, 8000],
  ]);
  assert.ok(Object.isFrozen(profile) && Object.isFrozen(profile.kernels[0]));
});

test('a profile reads as a table', () => {
  const lines = String(shares().profile({ x: new Float64Array(100) }, { runs: 3 })).split('\n');
  assert.match(lines[0], /^profile of shares, best of \d runs? on (1 thread|\d+ threads)$/);
  assert.match(lines[1], /^kernel +ops +µs +median +GB\/s +GFLOP\/s +roof +share$/);
  assert.match(lines[2], /^k0 elementwise +sin -> t .*\d% of (compute|L1) +\d+%$/);
  assert.match(lines[5], /^outside kernels .*%$/);
  assert.match(lines[6], /^run +\d/);
  assert.equal(lines.length, 7);
});

test('inputs stay, given outputs hold the result, and runs go on as before', () => {
  const program = shares();
  const x = Float64Array.from({ length: 333 }, (_, i) => i / 50);
  const before = x.slice();
  const expected = program.run({ x }).z.data.slice();
  const z = new Float64Array(333);
  program.profile({ x }, { outputs: { z }, runs: 4 });
  assert.deepEqual(z, expected);
  assert.deepEqual(x, before);
  assert.deepEqual(program.run({ x }).z.data, expected);
});

test('a profile has the threads of its program', () => {
  const graph = new Graph('wide');
  graph.output('y', graph.input('x', 'f64', ['n']).sin());
  const x = new Float64Array(200000).fill(2);
  for (const threads of [1, 2]) {
    const program = graph.compile({ threads });
    const y = new Float64Array(x.length);
    const profile = program.profile({ x }, { outputs: { y }, runs: 3 });
    assert.equal(profile.threads, program.stats.threads);
    assert.ok(y.every((value) => value === y[0]) && Math.abs(y[0] - Math.sin(2)) < 1e-15);
  }
});

test('a profile takes what a run takes and refuses what it refuses', () => {
  const program = shares();
  const x = new Float64Array(4);
  assert.equal(program.profile({ x: tensor([1, 2, 3]) }, { runs: 1 }).kernels[0].bytesRead, 24);
  assert.equal(program.profile({ x: [] }, { runs: 1 }).kernels[0].bytesRead, 0);
  const wrong = [
    [() => program.profile(), 'ERR_ARGUMENT', /^profile: expected an object/],
    [() => program.profile({ y: x }), 'ERR_ARGUMENT', /^profile: unknown input 'y'/],
    [() => program.profile({ x: new Float32Array(4) }), 'ERR_DTYPE', /^profile: expected f64 for input 'x'/],
    [() => program.profile({ x }, { outputs: { z: new Float64Array(3) } }), 'ERR_SHAPE', /^profile: expected 4 elements/],
    [() => program.profile({ x }, { outputs: { z: x } }), 'ERR_ARGUMENT', /^profile: output 'z' overlaps input 'x'/],
    [() => program.profile({ x }, { run: 3 }), 'ERR_ARGUMENT', /unknown option 'run' \(did you mean 'runs'\?\)/],
    [() => program.profile({ x }, { runs: 0 }), 'ERR_ARGUMENT', /expected an integer from 1 to 1000000 for option 'runs', got 0/],
    [() => program.profile({ x }, { seconds: -1 }), 'ERR_ARGUMENT', /expected a positive number for option 'seconds', got -1/],
    [() => program.profile({ x }, { seconds: NaN }), 'ERR_ARGUMENT', /got NaN/],
  ];
  for (const [action, code, message] of wrong) assert.throws(action, { name: 'GraphError', code, message });
  program.dispose();
  assert.throws(() => program.profile({ x }), { code: 'ERR_STATE' });
});

test('the machine is measured once per number of threads', () => {
  const one = machine({ threads: 1 });
  assert.deepEqual(machine({ threads: 1 }), one);
  assert.equal(one.threads, 1);
  assert.ok(one.cores >= 1 && one.vectorBytes >= 16 && one.cpu.length > 0);
  assert.ok(one.peak.f64 > 0 && one.peak.f32 > 0);
  assert.deepEqual(one.bandwidth.map(({ level }) => level), ['L1', 'L2', 'L3', 'memory']);
  for (const { read, copy, bytes } of one.bandwidth) assert.ok(read > 0 && copy > 0 && bytes > 0);
  assert.throws(() => machine({ threads: 0 }), { code: 'ERR_ARGUMENT', message: /^machine: expected an integer from 1 to 256/ });
});

const compiling = `
const { Graph } = require('graphjit');
const graph = new Graph('named');
const wave = graph.input('x', 'f64', ['n']).sin();
const program = graph.output('z', wave.div(wave.sum())).compile();
console.log(process.pid, program.run({ x: Float64Array.of(1) }).z.item());
`;

/** Runs a script that compiles; the pid and the names in its perf map, null where there is none. */
function namesWith(GRAPHJIT_PERF) {
  const env = { ...process.env, GRAPHJIT_PERF };
  const { stdout, stderr, status } = spawnSync(process.execPath, ['-e', compiling], { env, encoding: 'utf8', cwd: __dirname });
  assert.equal(status, 0, stderr);
  const [pid, result] = stdout.trim().split(' ');
  assert.equal(result, '1');
  const file = `/tmp/perf-${pid}.map`;
  if (!fs.existsSync(file)) return null;
  const lines = fs.readFileSync(file, 'utf8').trim().split('\n');
  fs.unlinkSync(file);
  return lines.map((line) => /^[0-9a-f]+ [0-9a-f]+ (.+)$/.exec(line)?.[1] ?? `bad line: ${line}`);
}

test('a perf map is written on demand', () => {
  const names = namesWith('1');
  for (const name of ['k0 sin', 'k1 reduce_sum', 'k2 div', 'run']) assert.ok(names?.includes(`graphjit named ${name}`), String(names));
  assert.equal(namesWith(''), null);
  assert.equal(namesWith('0'), null);
});
