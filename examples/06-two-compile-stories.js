// What is left of a computation after compiling: of two functions, a single addition each.
//
// The inputs are scalars, so that no loop surrounds the arithmetic.
'use strict';

const { Graph } = require('graphjit');

/** Prints the optimised LLVM IR of a function of one scalar: its body, without the notes on aliasing. */
function tell(source, dtype, f) {
  const graph = new Graph('story');
  const program = graph.output('y', f(graph.input('x', dtype))).compile();
  const [, body] = /^define.*\n([^}]*)^}/m.exec(program.llvm({ optimized: true }));
  const lines = body.split('\n').filter((line) => /^ /.test(line) && !line.includes('noalias.scope.decl'));
  const arithmetic = lines.filter((line) => /= (f|[su]?(add|sub|mul|div|rem|sh)|and|or|xor|call)/.test(line));
  const { nodesBefore, nodesAfter } = program.stats;
  console.log(`${dtype}: ${source}`);
  console.log(`${nodesBefore} nodes before simplification, ${nodesAfter} after; arithmetic in the LLVM IR: ${arithmetic.length}\n`);
  console.log(`${lines.map((line) => line.replace(/, !.*/, '')).join('\n')}\n`);
}

/* eslint-disable no-unused-vars -- most of this is never used, and the compiler sees that */
tell('a=x+2; b=a+2; b+=b; c=b-a; e=a*3; e=e/c; d=b+c+a; return a', 'f64', (x) => {
  const a = x.add(2);
  let b = a.add(2);
  b = b.add(b);
  const c = b.sub(a);
  let e = a.mul(3);
  e = e.div(c);
  const d = b.add(c).add(a);
  return a;
});
/* eslint-enable no-unused-vars */

tell('(x - 2) + 5 + 100', 'i32', (x) => x.sub(2).add(5).add(100));
