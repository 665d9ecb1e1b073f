// What a call costs: tiny arrays, so that the work itself hardly counts.
'use strict';

const { promisify } = require('node:util');
const { randomBytes } = require('node:crypto');
const { monitorEventLoopDelay } = require('node:perf_hooks');
const { setTimeout: sleep } = require('node:timers/promises');
const { Graph, vectorize } = require('graphjit');
const { inC } = require('../support/peers.js');

const N = 16;

function addition() {
  const graph = new Graph('add');
  const x = graph.input('x', 'f64', ['n']);
  const program = graph.output('z', x.add(graph.input('y', 'f64', ['n']))).compile();
  const [x16, y16, z16] = [0, 1, 2].map(() => new Float64Array(N).fill(1.5));
  return { program, x: x16, y: y16, z: z16 };
}

/** z = 2x + 3y with inputs of some dtype and shape. */
function axpby(dtype, shape) {
  const graph = new Graph('axpby');
  const [x, y] = [graph.input('x', dtype, shape), graph.input('y', dtype, shape)];
  return graph.output('z', x.mul(2).add(y.mul(3))).compile();
}

/** So many sets of arrays, given one after the other. */
function taking(sets, call) {
  let next = 0;
  return () => call(sets[next++ % sets.length]);
}

function plain(x, y, z) {
  for (let i = 0; i < N; i++) z[i] = x[i] + y[i];
}

/** Copies of vectors: so many inputs, as many outputs. */
function copies(count) {
  const graph = new Graph('copies');
  const names = Array.from({ length: count }, (_, i) => `x${i}`);
  for (const name of names) graph.output(`${name}_out`, graph.input(name, 'f64', ['n']).neg());
  const inputs = Object.fromEntries(names.map((name) => [name, new Float64Array(N)]));
  const outputs = Object.fromEntries(names.map((name) => [`${name}_out`, new Float64Array(N)]));
  return { program: graph.compile({ optLevel: 0 }), inputs, outputs };
}

/** A program and an input on which it runs for about so many seconds. */
function longJob(seconds) {
  const graph = new Graph('long');
  const x = graph.input('x', 'f64', ['n']);
  const program = graph.output('y', x.lgamma().sin().pow(x).tan().sum()).compile();
  const time = (length) => {
    const array = new Float64Array(length).fill(0.7);
    const start = performance.now();
    program.run({ x: array });
    return performance.now() - start;
  };
  time(1e5);
  return { program, x: new Float64Array(Math.round((seconds * 1e3 * 1e5) / time(1e5))).fill(0.7) };
}

/** The delay that one turn in a hundred of the event loop exceeds while a promise is pending, in ns. */
async function loopDelay(start) {
  const delays = monitorEventLoopDelay({ resolution: 1 });
  await sleep(20);
  delays.enable();
  await start();
  delays.disable();
  return delays.percentile(99);
}

module.exports = [
  {
    name: 'bind-16',
    title: 'bound call, x + y on 16 f64',
    unit: 'ns',
    targets: [{ below: 30 }],
    contestants() {
      const { program, x, y, z } = addition();
      return { graphjit: program.bind({ x, y }, { z }), ...inC('add_f64', x, y, z), 'JavaScript loop': () => plain(x, y, z) };
    },
  },
  {
    name: 'run-16',
    title: 'run with outputs given, x + y on 16 f64',
    unit: 'ns',
    targets: [{ below: 400 }],
    contestants() {
      const { program, x, y, z } = addition();
      return { graphjit: () => program.run({ x, y }, { z }), 'fresh outputs': () => program.run({ x, y }) };
    },
  },
  {
    name: 'run-16-others',
    title: 'run with other arrays each time, 2x + 3y on 16 f64',
    unit: 'ns',
    targets: [{ below: 200 }],
    contestants() {
      const program = axpby('f64', ['n']);
      const fill = () => new Float64Array(N).fill(1.5);
      const sets = Array.from({ length: 8 }, () => ({ inputs: { x: fill(), y: fill() }, outputs: { z: fill() } }));
      return {
        graphjit: taking(sets, ({ inputs, outputs }) => program.run(inputs, outputs)),
        'fresh outputs': taking(sets, ({ inputs }) => program.run(inputs)),
      };
    },
  },
  {
    name: 'run-scalars',
    title: 'run on numbers, 2x + 3y of f64',
    unit: 'ns',
    targets: [{ below: 200 }],
    contestants() {
      const program = axpby('f64', []);
      const z = new Float64Array(1);
      let x = 0;
      return { graphjit: () => program.run({ x: x++, y: 2 }, { z }), 'fresh outputs': () => program.run({ x: x++, y: 2 }) };
    },
  },
  {
    name: 'bind-axpby-1e3',
    title: 'bound call beside a second one, 2x + 3y on 1000 f32',
    unit: 'ns',
    contestants() {
      const [x, y, z] = [1.5, 2.5, 0].map((value) => new Float32Array(1e3).fill(value));
      const program = axpby('f32', ['n']);
      const calls = [program.bind({ x, y }, { z }), program.bind({ x: z, y }, { z: x })];
      for (let i = 0; i < 1e5; i++) calls[i % 2]();
      return { graphjit: calls[0], ...inC('axpby_f32', x, y, z) };
    },
  },
  {
    name: 'vectorize-16',
    title: 'a vectorized function, 2x + 3y on 16 numbers',
    unit: 'ns',
    targets: [{ below: 500 }],
    contestants() {
      const [x, y] = [new Float64Array(N).fill(1.5), new Float64Array(N).fill(2.5)];
      const [a, b] = [Float32Array.from(x), Float32Array.from(y)];
      const [f64, f32, number] = [0, 1, 2].map(() => vectorize((/** @type {number} */ p, /** @type {number} */ q) => 2 * p + 3 * q));
      return { graphjit: () => f64(x, y), 'f32': () => f32(a, b), 'an array and a number': () => number(x, 3) };
    },
  },
  {
    name: 'async-16',
    title: 'runAsync, x + y on 16 f64',
    unit: 'µs',
    awaited: true,
    targets: [{ below: 30 }],
    contestants() {
      const { program, x, y, z } = addition();
      const pool = promisify(randomBytes);
      return { graphjit: () => program.runAsync({ x, y }, { z }), 'crypto.randomBytes': () => pool(N) };
    },
  },
  {
    name: 'async-delay',
    title: 'delay of the event loop while a run of 1 s is pending, 99th percentile with a timer of 1 ms',
    unit: 'ms',
    targets: [{ below: 3 }],
    async values({ quick }) {
      const seconds = quick ? 0.05 : 1;
      const { program, x } = longJob(seconds);
      return {
        graphjit: await loopDelay(() => program.runAsync({ x })),
        'idle loop': await loopDelay(() => sleep(seconds * 1e3)),
      };
    },
  },
  {
    name: 'run-ports',
    title: 'run with 1000 inputs and 1000 outputs of 16 f64',
    unit: 'µs',
    contestants() {
      const { program, inputs, outputs } = copies(1000);
      return { graphjit: () => program.run(inputs, outputs) };
    },
  },
];
