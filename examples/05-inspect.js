// Shows a graph at every stage: as text, table and drawing, simplified, as loops, as LLVM IR and as
// machine code.
'use strict';

const { Graph } = require('graphjit');

// Tensor code as people write it, with work that nobody needs.
const graph = new Graph('traced');
const x = graph.input('x', 'f64', ['n']);
const a = x.add(2);
let b = a.add(2);
b = b.add(b);
const c = b.sub(a);
const e = a.mul(3).div(c);
const d = b.add(c).add(a); // never used, and neither is e
graph.output('a', a);

console.log(`${graph.toTable()}\n`);
const program = graph.compile();
console.log(`${d} and ${e} do not reach an output, so what is compiled is:\n\n${program.simplified()}`);
for (const kernel of program.stats.kernels) {
  console.log(`kernel ${kernel.name}: ${kernel.ops} over ${kernel.shape}, ${kernel.vectorised}`);
}
console.log(`\n${program.loops()}`);

const llvm = program.llvm({ optimized: true });
console.log(`LLVM IR has ${llvm.match(/ fadd /g)?.length} fadd and ${llvm.match(/ f(sub|mul|div) /g)?.length ?? 0} others`);
console.log(`assembly has ${program.asm().split('\n').length} lines`);
console.log(`the drawing for Graphviz begins with ${graph.toDot().split('\n')[0]}`);
