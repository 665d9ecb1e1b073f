// Tensors that compute: k-means on 20,000 points, without a graph in sight.
//
// Operations run when they are called, with kernels that are compiled once; elementwise ones wait for each other and
// take one pass. Broadcasting makes all distances between points and centres; nothing loops over points.
'use strict';

const { arange, stack, tensor } = require('graphjit');

const COUNT = 20_000;
const CENTRES = 3;

/** Points around three places. */
function points() {
  const places = [[0, 0], [4, 1], [1, 5]];
  const noise = () => (Math.random() + Math.random() + Math.random() - 1.5) * 1.2;
  const rows = Array.from({ length: COUNT }, (_, i) => places[i % 3].map((at) => at + noise()));
  return tensor(rows, { dtype: 'f32' });
}

/** The nearest centre of each point. */
function nearest(x, centres) {
  const distances = x.expandDims(1).sub(centres).square().sum({ axis: 2 }); // [points, centres]
  return distances.argmin({ axis: 1 });
}

/** The mean of the points of each centre. */
function means(x, owner) {
  return stack(
    Array.from({ length: CENTRES }, (_, c) => {
      const mine = owner.eq(c).expandDims(1).astype('f32');
      return x.mul(mine).sum({ axis: 0 }).div(mine.sum().max(1));
    }),
  );
}

const x = points();
let centres = x.slice([0, CENTRES]).add(arange(CENTRES, { dtype: 'f32' }).expandDims(1).mul(0.01));
let moved = Infinity;
let rounds = 0;
const start = performance.now();
while (moved > 1e-4 && rounds < 100) {
  const next = means(x, nearest(x, centres));
  moved = next.sub(centres).abs().max().item();
  centres = next;
  rounds++;
}
console.log(`${COUNT} points, ${rounds} rounds, ${((performance.now() - start) / rounds).toFixed(2)} ms each`);
console.log(String(centres));
