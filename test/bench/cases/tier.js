// Tier 'auto': how soon the first result of a program that nobody has compiled is there, and what a run
// costs in the interpreter and after the swap. Every program is another one, and nothing comes from the
// cache.
'use strict';

const { Graph } = require('graphjit');

const N = 1e4;
const PROGRAMS = 300;

/** 20 operations on vectors of f64, with constants of their own. */
function twenty(seed) {
  const graph = new Graph('twenty');
  const x = graph.input('x', 'f64', ['n']);
  const y = graph.input('y', 'f64', ['n']);
  let value = x.mul(y);
  const steps = [(v) => v.mul(0.5 + seed * 1e-3), (v) => v.sub(y), (v) => v.max(x), (v) => v.add(x)];
  for (let i = 0; i < 19; i++) value = steps[i % 4](value);
  return graph.output('z', value);
}

function arrays() {
  const x = Float64Array.from({ length: N }, (_, i) => Math.sin(i));
  return [{ x, y: x.map(Math.cbrt) }, { z: new Float64Array(N) }];
}

/** Nanoseconds from before compile() to after the first run(). */
function firstResult(seed, options) {
  const graph = twenty(seed);
  const [inputs, outputs] = arrays();
  const start = process.hrtime.bigint();
  const program = graph.compile({ cache: false, threads: 1, ...options });
  program.run(inputs, outputs);
  const ns = Number(process.hrtime.bigint() - start);
  program.dispose();
  graph.dispose();
  return ns;
}

/** The least of many programs. */
function least(options, programs) {
  let best = Infinity;
  for (let i = 0; i < programs; i++) best = Math.min(best, firstResult(i, options));
  return best;
}

const first = {
  name: 'tier-first',
  title: 'from compile() to the first result, 20 operations on 1e4 f64',
  unit: 'µs',
  targets: [{ below: 100 }],
  values: ({ quick }) => {
    const veryFirst = firstResult(-1, { tier: 'auto' });
    const programs = quick ? 10 : PROGRAMS;
    return {
      graphjit: least({ tier: 'auto' }, programs),
      "'llvm'": least({}, Math.ceil(programs / 10)),
      'first of the process': veryFirst,
    };
  },
};

const runs = {
  name: 'tier-runs',
  title: 'one run of 20 operations on 1e4 f64, interpreted and compiled',
  unit: 'µs',
  async values({ quick }) {
    const [inputs, outputs] = arrays();
    const time = (program, count) => {
      let best = Infinity;
      for (let i = 0; i < count; i++) {
        const start = process.hrtime.bigint();
        program.run(inputs, outputs);
        best = Math.min(best, Number(process.hrtime.bigint() - start));
      }
      return best;
    };
    // Few runs of many programs stay below what makes them worth compiling.
    const programs = Array.from({ length: quick ? 3 : 40 }, (_, i) => twenty(i).compile({ cache: false, threads: 1, tier: 'auto' }));
    const interpreted = Math.min(...programs.map((program) => time(program, 6)));
    await programs[0].ready();
    return { graphjit: time(programs[0], quick ? 10 : 2000), interpreter: interpreted };
  },
};

module.exports = [first, runs];
