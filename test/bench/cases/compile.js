// Compile time, from an empty graph to a program. Every call compiles another constant, so that nothing
// can be remembered from the call before.
'use strict';

const { Graph } = require('graphjit');

let calls = 0;

/** Builds and compiles 20 operations; `math` are the names of elementary functions among them. */
function compile20(math, options) {
  const graph = new Graph('twenty');
  const x = graph.input('x', 'f64', ['n']);
  const y = graph.input('y', 'f64', ['n']);
  const steps = [...math.map((name) => (v) => v[name]())];
  while (steps.length < 20) {
    const k = 1.5 + calls++ * 1e-9;
    const [one, two, three] = [(v) => v.mul(y), (v) => v.add(k), (v) => v.sub(x)];
    steps.push([one, two, three][steps.length % 3]);
  }
  graph.output('z', steps.reduce((value, step) => step(value), x));
  graph.compile(options).dispose();
  graph.dispose();
}

function compileCase(name, title, math) {
  return {
    name,
    title,
    unit: 'ms',
    targets: [{ below: 15 }],
    contestants: () => ({
      graphjit: () => compile20(math),
      'optLevel 0': () => compile20(math, { optLevel: 0 }),
    }),
  };
}

/** The very first compilation of a process starts LLVM too. */
const first = {
  name: 'compile-first',
  title: 'the first compilation of a process, 20 operations',
  unit: 'ms',
  values() {
    const start = performance.now();
    compile20([]);
    return { graphjit: (performance.now() - start) * 1e6 };
  },
};

module.exports = [
  compileCase('compile-20', 'compile 20 operations', []),
  compileCase('compile-20-math', 'compile 20 operations, among them exp, sin, log', ['exp', 'sin', 'log']),
  first,
];
