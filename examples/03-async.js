// Shows runs on other threads: several at once, a free event loop meanwhile, and giving up on one.
'use strict';

const { Graph } = require('graphjit');

const graph = new Graph('slow');
const x = graph.input('x', 'f64', ['n']);
let y = x;
for (let i = 0; i < 10; i++) y = y.sin().add(i).lgamma();
const program = graph.output('mean', y.mean()).compile();

async function main() {
  let ticks = 0;
  const timer = setInterval(() => ticks++, 1);
  const parts = [0, 1, 2, 3].map((part) => new Float64Array(200000).fill(part + 0.5));
  const results = await Promise.all(parts.map((part) => program.runAsync({ x: part })));
  clearInterval(timer);
  results.forEach(({ mean }, part) => console.log(`part ${part}: ${mean.item().toFixed(6)}`));
  console.log(`the event loop went on meanwhile: ${ticks > 0}`);

  try {
    await program.runAsync({ x: new Float64Array(2000000) }, undefined, { signal: AbortSignal.timeout(5) });
  } catch (error) {
    console.log(`${error.name}: ${error.message}`);
  }
}

main();
