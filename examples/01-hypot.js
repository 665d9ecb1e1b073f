// Shows the way from a graph to a result: declare inputs, write the formula, compile once, run on typed
// arrays of any length.
'use strict';

const { Graph } = require('graphjit');

const graph = new Graph('hypot');
const x = graph.input('x', 'f64', ['n']); // n is known when the program runs
const y = graph.input('y', 'f64', ['n']);
graph.output('z', x.mul(x).add(y.mul(y)).sqrt());

const program = graph.compile();
console.log(String(program));

// Results come in fresh arrays…
const xs = Float64Array.of(3, 5, 8);
const ys = Float64Array.of(4, 12, 15);
console.log(String(program.run({ x: xs, y: ys }).z));

// …or go into an array of yours…
const out = new Float64Array(3);
program.run({ x: ys, y: ys }, { z: out });
console.log(out);

// …and where every nanosecond counts, arrays are bound once and the function is called again and again.
const call = program.bind({ x: xs, y: ys }, { z: out });
for (let step = 0; step < 3; step++) {
  xs.set(out);
  call();
}
console.log(out);

program.dispose();
