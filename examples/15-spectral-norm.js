// The largest singular value of an infinite matrix, of which 1000×1000 elements are enough: inner functions and
// closures, fast arithmetic on request, and what became of each loop.
'use strict';

const { native } = require('graphjit');

function spectralNorm(n) {
  const element = (i, j) => 1 / (((i + j) * (i + j + 1)) / 2 + i + 1);
  const multiply = (from, to) => {
    for (let i = 0; i < n; i++) {
      let sum = 0;
      for (let j = 0; j < n; j++) sum += element(i, j) * from[j];
      to[i] = sum;
    }
  };
  const multiplyTransposed = (from, to) => {
    for (let i = 0; i < n; i++) {
      let sum = 0;
      for (let j = 0; j < n; j++) sum += element(j, i) * from[j];
      to[i] = sum;
    }
  };
  const u = new Float64Array(n).fill(1);
  const v = new Float64Array(n);
  const between = new Float64Array(n);
  for (let round = 0; round < 10; round++) {
    multiply(u, between);
    multiplyTransposed(between, v);
    multiply(v, between);
    multiplyTransposed(between, u);
  }
  let [top, bottom] = [0, 0];
  for (let i = 0; i < n; i++) {
    top += u[i] * v[i];
    bottom += v[i] * v[i];
  }
  return Math.sqrt(top / bottom);
}

const exact = native(spectralNorm);
const fast = native(spectralNorm, { numerics: 'fast' });
for (const [name, norm] of Object.entries({ V8: spectralNorm, 'native, the same bits': exact, 'native, fast arithmetic': fast })) {
  norm(10);
  const start = performance.now();
  console.log(`${name}: ${norm(1000)} in ${(performance.now() - start).toFixed(0)} ms`);
}
console.log(`\n${fast.explain()}`);
