// The sun and four planets for a thousand years: a function over a Float64Array, compiled as it stands.
//
// The numbers are the very ones that V8 computes, to the last bit; energy tells how good the steps are.
'use strict';

const { native } = require('graphjit');

const SIZE = 7; // x, y, z, velocities, mass
const AU_PER_YEAR = 365.24;

/** @param {Float64Array} bodies */
function advance(bodies, steps, dt) {
  for (let step = 0; step < steps; step++) {
    for (let a = 0; a < bodies.length; a += SIZE) {
      for (let b = a + SIZE; b < bodies.length; b += SIZE) {
        const dx = bodies[a] - bodies[b];
        const dy = bodies[a + 1] - bodies[b + 1];
        const dz = bodies[a + 2] - bodies[b + 2];
        const square = dx * dx + dy * dy + dz * dz;
        const pull = dt / (square * Math.sqrt(square));
        for (let k = 0; k < 3; k++) {
          const d = k === 0 ? dx : k === 1 ? dy : dz;
          bodies[a + 3 + k] -= d * bodies[b + 6] * pull;
          bodies[b + 3 + k] += d * bodies[a + 6] * pull;
        }
      }
    }
    for (let a = 0; a < bodies.length; a += SIZE) for (let k = 0; k < 3; k++) bodies[a + k] += dt * bodies[a + 3 + k];
  }
}

/** @param {Float64Array} bodies */
function energy(bodies) {
  let sum = 0;
  for (let a = 0; a < bodies.length; a += SIZE) {
    const [vx, vy, vz, mass] = [bodies[a + 3], bodies[a + 4], bodies[a + 5], bodies[a + 6]];
    sum += (mass * (vx * vx + vy * vy + vz * vz)) / 2;
    for (let b = a + SIZE; b < bodies.length; b += SIZE) {
      sum -=
        (mass * bodies[b + 6]) /
        Math.hypot(bodies[a] - bodies[b], bodies[a + 1] - bodies[b + 1], bodies[a + 2] - bodies[b + 2]);
    }
  }
  return sum;
}

const MASS = 4 * Math.PI ** 2;
const start = Float64Array.of(
  0,
  0,
  0,
  0,
  0,
  0,
  MASS,
  4.8414,
  -1.1603,
  -0.1036,
  0.00166 * AU_PER_YEAR,
  0.007699 * AU_PER_YEAR,
  -0.000069 * AU_PER_YEAR,
  0.000955 * MASS,
  8.3434,
  4.1248,
  -0.4035,
  -0.002767 * AU_PER_YEAR,
  0.004999 * AU_PER_YEAR,
  0.000023 * AU_PER_YEAR,
  0.000286 * MASS,
  12.8944,
  -15.1112,
  -0.2233,
  0.002965 * AU_PER_YEAR,
  0.002378 * AU_PER_YEAR,
  -0.00003 * AU_PER_YEAR,
  0.0000437 * MASS,
  15.3797,
  -25.9193,
  0.1793,
  0.002681 * AU_PER_YEAR,
  0.001628 * AU_PER_YEAR,
  -0.000095 * AU_PER_YEAR,
  0.0000515 * MASS,
);

const capture = { SIZE };
const runs = { V8: [advance, energy], native: [native(advance, { capture }), native(energy, { capture })] };
const results = Object.entries(runs).map(([name, [move, measure]]) => {
  const bodies = start.slice();
  const before = measure(bodies);
  move(bodies.slice(), 1, 0.01); // compiles
  const began = performance.now();
  move(bodies, 100_000, 0.01);
  const took = performance.now() - began;
  console.log(`${name}: energy ${before.toFixed(9)}, then ${measure(bodies).toFixed(9)}, in ${took.toFixed(0)} ms`);
  return bodies;
});
console.log(`the same to the last bit: ${results[0].every((x, i) => Object.is(x, results[1][i]))}`);
