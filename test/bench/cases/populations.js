// Populations of programs, and numeric evolution.
//
// Trees are new to graphjit in each call: reading the tokens, sharing subtrees and planning are part of the time. C has one
// function for each tree, compiled before by gcc -Ofast with vector versions of sin, cos and exp, a work of 15 s for 1000 trees that
// is not counted; it cannot share what trees have in common. Losses are compared, so nothing is left out.
'use strict';

const assert = require('node:assert/strict');
const { evolve, jit, population } = require('graphjit');
const { generator } = require('../../support/generator.js');
const { cores, inWrittenC } = require('../support/peers.js');
const { randomTrees, toC } = require('../support/trees.js');

/** Targets as C sees them. */
const targets = [{ peer: 'gcc -Ofast', speed: 1 }];

function populationCase(count, rows, variables) {
  return {
    name: `population-${count}-${rows.toExponential().replace('+', '').replace('.', '_')}`,
    title: `mean squares of ${count} new trees of 30 to 60 nodes, ${rows} rows × ${variables} columns of f64`,
    unit: 'ms',
    targets,
    contestants() {
      const next = generator(1);
      const names = Array.from({ length: variables }, (_, k) => `x${k}`);
      const columns = names.map(() => Float64Array.from({ length: rows }, () => next() * 4 - 2));
      const y = Float64Array.from({ length: rows }, () => next());
      const { arrays, ops, texts } = randomTrees(count, variables, 7);
      const evaluate = (/** @type {number} */ threads) => () => {
        const all = population(arrays, { variables: names, ops });
        const { values } = all.fitness(columns, y, { threads });
        all.dispose();
        return values;
      };
      const losses = new Float64Array(count);
      const inC = inWrittenC(toC(texts, variables), y, losses, ...columns);
      for (const call of Object.values(inC)) {
        call();
        // Trees that are wild differ by how C rounds.
        const agree = evaluate(1)().filter((value, i) => value === losses[i] || Math.abs(value - losses[i]) <= 1e-3 * value);
        assert.ok(agree.length > 0.6 * count, `${agree.length} of ${count} agree`);
      }
      return { graphjit: evaluate(1), ...(cores > 1 && { [`graphjit ×${cores}`]: evaluate(cores) }), ...inC };
    },
  };
}

const SIZE = 40;
const rastrigin = (x) => x.mul(x).sub(x.mul(2 * Math.PI).cos().mul(10)).sum({ axis: 1 }).add(10 * SIZE);
const rastriginC = `#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
enum { D = ${SIZE} };
static double rastrigin(const double *x) {
  double s = 10.0 * D;
  for (int i = 0; i < D; i++) s += x[i] * x[i] - 10 * cos(6.283185307179586 * x[i]);
  return s;
}
`;

/** The values of a whole population. */
const evaluations = {
  name: 'rastrigin-1000',
  title: `Rastrigin's function of ${SIZE} variables at 1000 places`,
  unit: 'µs',
  targets,
  contestants() {
    const next = generator(2);
    const rows = Float64Array.from({ length: 1000 * SIZE }, () => next() * 10.24 - 5.12);
    const values = new Float64Array(1000);
    const { tensor } = require('graphjit');
    const all = tensor(rows).reshape([1000, SIZE]);
    const on = (/** @type {number} */ threads) => {
      const fn = jit(rastrigin, { numerics: 'fast', threads });
      return () => fn(all).data;
    };
    const text = `${rastriginC}static void run(void *const *a, size_t n) { for (size_t i = 0; i < n / D; i++) ((double *)a[1])[i] = rastrigin((double *)a[0] + i * D); }`;
    return { graphjit: on(1), ...(cores > 1 && { [`graphjit ×${cores}`]: on(cores) }), ...inWrittenC(text, rows, values) };
  },
};

/** The same generations in C: tournaments of 3, simulated binary crossover, gaussian mutation, one elite, and as many random numbers. */
const geneticC = `${rastriginC}
enum { N = 200, ROUNDS = 200 };
static uint64_t state = 88172645463325252u;
static double uniform(void) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return ((state >> 11) + 0.5) * (1.0 / 9007199254740992.0);
}
static int below(int n) { return (int)(uniform() * n); }
static double normal(void) { return sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform()); }
static int winner(const double *values) {
  int best = below(N);
  for (int k = 1; k < 3; k++) {
    int other = below(N);
    if (values[other] < values[best]) best = other;
  }
  return best;
}
static double inside(double x) { return x < -5.12 ? -5.12 : x > 5.12 ? 5.12 : x; }
static int skip(void) { return (int)(log(uniform()) / log(1 - 1.0 / D)); }
static void mutate(double *x) {
  for (int j = skip(); j < D; j += 1 + skip()) x[j] += 1.024 * normal();
  for (int j = 0; j < D; j++) x[j] = inside(x[j]);
}
static void run(void *const *a, size_t n) {
  static double one[(N + 1) * D], two[(N + 1) * D], values[N];
  double *parents = one, *children = two, least = INFINITY;
  for (int i = 0; i < N * D; i++) parents[i] = uniform() * 10.24 - 5.12;
  for (int g = 0; g <= ROUNDS; g++) {
    int elite = 0;
    for (int i = 0; i < N; i++) {
      values[i] = rastrigin(parents + i * D);
      if (values[i] < values[elite]) elite = i;
    }
    least = values[elite] < least ? values[elite] : least;
    memcpy(children, parents + elite * D, D * sizeof *parents);
    for (int i = 1; i < N; i += 2) {
      const double *p = parents + winner(values) * D, *q = parents + winner(values) * D;
      int crosses = uniform() < 0.9;
      for (int j = 0; j < D; j++) {
        double x = p[j], y = q[j];
        double u = crosses ? 2 * uniform() : 2;
        if (u < 1) {
          double spread = pow(u <= 0.5 ? 2 * u : 1 / (2 - 2 * u), 1.0 / 16);
          double middle = (x + y) / 2, half = (y - x) / 2 * spread;
          x = middle - half;
          y = middle + half;
        }
        children[i * D + j] = x;
        children[(i + 1) * D + j] = y;
      }
      mutate(children + i * D);
      mutate(children + (i + 1) * D);
    }
    double *swap = parents;
    parents = children;
    children = swap;
  }
  *(double *)a[0] = least;
}
`;

const genetic = {
  name: 'rastrigin-ga',
  title: `a genetic algorithm on Rastrigin's function of ${SIZE} variables, 200 individuals, 200 generations`,
  unit: 'ms',
  targets,
  contestants() {
    const bounds = Array.from({ length: SIZE }, () => [-5.12, 5.12]);
    const objective = jit(rastrigin, { numerics: 'fast' });
    let seed = 0;
    const on = (/** @type {number} */ threads) => () => evolve(objective, { bounds, populationSize: 200, generations: 200, threads, seed: seed++ });
    return { graphjit: on(1), ...(cores > 1 && { [`graphjit ×${cores}`]: on(cores) }), ...inWrittenC(geneticC, new Float64Array(1)) };
  },
};

// The last is a generation of Operon's usual size.
module.exports = [populationCase(1000, 10_000, 2), populationCase(100, 1000, 2), populationCase(1000, 12_800, 10), evaluations, genetic];
