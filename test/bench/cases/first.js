// How long until a program that nobody has seen before gives its first result.
//
// Twenty operations on 1e4 f64, from compile() to the end of the first run(), no cache in play unless the
// case is about one. A process has compiled one program of another shape before; what the very first program of a process
// takes stands beside it. The best of several programs that differ in a constant counts.
'use strict';

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { spawnSync } = require('node:child_process');
const { fill } = require('../support/arrays.js');
const { inPython } = require('../support/peers.js');

const N = 1e4;
const PROGRAMS = 20;

/** Runs in a process of its own: nanoseconds of the very first program, and the least of the others. */
function measureHere(options) {
  const { Graph } = require('graphjit');
  const [x, y] = [fill({ type: 'f64', length: N }), fill({ type: 'f64', length: N })];
  const z = new Float64Array(N);
  const first = (graph) => {
    const start = process.hrtime.bigint();
    const program = graph.compile(options);
    program.run({ x, y }, { z });
    return Number(process.hrtime.bigint() - start);
  };
  const twenty = (/** @type {number} */ k) => {
    const graph = new Graph('twenty');
    let value = graph.input('x', 'f64', ['n']);
    const other = graph.input('y', 'f64', ['n']);
    for (let i = 0; i < 10; i++) value = value.mul(other).add(i + 0.5 + k * 1e-6);
    return graph.output('z', value);
  };
  const veryFirst = first(twenty(-1));
  const graph = new Graph('other');
  graph.output('z', graph.input('x', 'f64', ['n']).sub(graph.input('y', 'f64', ['n'])).abs());
  first(graph);
  return [veryFirst, Math.min(...Array.from({ length: PROGRAMS }, (_, k) => first(twenty(k))))];
}

/** The same from a fresh process with this environment. @returns {[number, number]} */
function measure(options, env) {
  const words = [...process.execArgv, __filename, JSON.stringify(options)];
  const { status, stdout } = spawnSync(process.execPath, words, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  });
  if (status !== 0) throw new Error(`the process ended with status ${status}`);
  return JSON.parse(stdout);
}

const named = ([veryFirst, best]) => ({ graphjit: best, 'first of a process': veryFirst });

const steps = Array.from({ length: 10 }, (_, i) => `v = v * y[i] + (${i}.5 + k)`);
const numba = `import numba, numpy as np
x, y, z = np.random.rand(${N}), np.random.rand(${N}), np.empty(${N})
def f(x, y, z, k):
    for i in range(len(z)):
        v = x[i]
        ${steps.join('; ')}
        z[i] = v
`;
const numexpr = `import numexpr, numpy as np
x, y, z, k = np.random.rand(${N}), np.random.rand(${N}), np.empty(${N}), [0.0]
def first():
    k[0] += 1e-6
    e = 'x'
    for i in range(10):
        e = '(%s * y + %r)' % (e, i + 0.5 + k[0])
    numexpr.evaluate(e, out=z)
`;

async function peers(seconds) {
  const others = { ...inPython('numba', numba, 'numba.njit(f)(x, y, z, 1e-6)'), ...inPython('numexpr', numexpr, 'first()') };
  const found = {};
  for (const [name, { sample }] of Object.entries(others)) {
    const ns = await sample(seconds);
    if (ns !== null) found[name] = ns;
  }
  return found;
}

const cases = [
  {
    name: 'first-auto',
    title: "first result of 20 operations on 1e4 f64 with tier 'auto'",
    unit: 'µs',
    targets: [{ below: 100 }],
    values: async ({ quick }) => ({ ...named(measure({ tier: 'auto' }, { GRAPHJIT_CACHE: 'off' })), ...(await peers(quick ? 0 : 1)) }),
  },
  {
    name: 'first-llvm',
    title: 'the same with full compilation',
    unit: 'ms',
    targets: [{ below: 8 }, { who: 'first of a process', below: 8 }],
    values: async ({ quick }) => ({ ...named(measure({}, { GRAPHJIT_CACHE: 'off' })), ...(await peers(quick ? 0 : 1)) }),
  },
  {
    name: 'first-cached',
    title: 'the same from a warm cache on disk, in a process that has not seen it',
    unit: 'ms',
    targets: [{ below: 1 }],
    values() {
      const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'graphjit-bench-'));
      const env = { GRAPHJIT_CACHE: '', GRAPHJIT_CACHE_DIR: folder };
      measure({}, env);
      const figures = named(measure({}, env));
      fs.rmSync(folder, { recursive: true });
      return figures;
    },
  },
];

module.exports = cases;
if (require.main === module) console.log(JSON.stringify(measureHere(JSON.parse(process.argv[2]))));
