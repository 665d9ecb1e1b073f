// Numeric evolution: minima that are known, the same run for a seed whatever the threads and the objective's form, ends, errors.
'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { Graph, evolve, evolveAsync, jit, native } = require('graphjit');
const { eigen } = require('../../lib/evolve/search/cma.js');
const { best, spreadOf } = require('../../lib/evolve/search/genetic.js');
const { Stream, draw, keyOf } = require('../../lib/evolve/search/stream.js');
const { throwsGraphError } = require('../support/errors.js');
const { generator } = require('../support/generator.js');

const refuses = (action, message, code = 'ERR_ARGUMENT') => throwsGraphError(action, code, message);

const sphere = (x) => {
  let sum = 0;
  for (let i = 0; i < x.length; i++) sum += (x[i] - i / 10) ** 2;
  return sum;
};
const rastrigin = (x) => {
  let sum = 10 * x.length;
  for (let i = 0; i < x.length; i++) sum += x[i] * x[i] - 10 * Math.cos(2 * Math.PI * x[i]);
  return sum;
};
const rosenbrock = (x) => {
  let sum = 0;
  for (let i = 0; i + 1 < x.length; i++) sum += 100 * (x[i + 1] - x[i] ** 2) ** 2 + (1 - x[i]) ** 2;
  return sum;
};
const box = (size, low = -5.12, high = 5.12) => Array.from({ length: size }, () => [low, high]);

test('draws are uniform, and streams of neighbours have nothing in common', () => {
  const counts = new Array(16).fill(0);
  const n = 40_000;
  let [sum, cross] = [0, 0];
  for (let i = 0; i < n; i++) {
    const x = draw(keyOf(1, 2, i % 200), Math.floor(i / 200));
    const neighbour = draw(keyOf(1, 2, (i % 200) + 1), Math.floor(i / 200));
    assert.ok(x > 0 && x < 1);
    counts[Math.floor(x * 16)]++;
    sum += x;
    cross += (x - 0.5) * (neighbour - 0.5);
  }
  const chi = counts.reduce((total, count) => total + (count - n / 16) ** 2 / (n / 16), 0);
  assert.ok(chi < 45 && Math.abs(sum / n - 0.5) < 0.006 && Math.abs(cross / n) < 0.0015);
  const stream = new Stream(5, 0, 0);
  const normals = Array.from({ length: n }, () => stream.normal());
  assert.ok(Math.abs(normals.reduce((a, b) => a + b) / n) < 0.02);
  assert.ok(Math.abs(normals.reduce((a, b) => a + b * b, 0) / n - 1) < 0.03);
});

test('eigenvectors of symmetric matrices, of which the lower triangle counts', () => {
  const next = generator(3);
  for (const d of [1, 2, 3, 7, 20, 65]) {
    const lower = new Float64Array(d * d).fill(NaN);
    for (let i = 0; i < d; i++) for (let j = 0; j <= i; j++) lower[i * d + j] = (next() - 0.5) / d + (i === j ? 1 : 0);
    const { vectors, axes } = eigen(lower, d);
    const product = (rows, i, j) => Array.from({ length: d }, (_, k) => rows[k * d + i] * rows[k * d + j]).reduce((a, b) => a + b);
    for (let i = 0; i < d; i++) {
      for (let j = 0; j <= i; j++) {
        assert.ok(Math.abs(product(axes, i, j) - lower[i * d + j]) < 1e-13 && Math.abs(product(vectors, i, j) - (i === j ? 1 : 0)) < 1e-13);
      }
    }
  }
  const { axes } = eigen(Float64Array.of(1, 0, 1, 1), 2);
  assert.ok(Math.hypot(axes[0], axes[1]) > 1e-8, 'a direction without variance keeps some');
});

test('spreads of crossover are powers of what is drawn', () => {
  const next = generator(6);
  const edges = [0, 1, 2, 2 ** 29, 2 ** 30 - 1, 2 ** 30, 2 ** 30 + 1, 2 ** 31 - 2, 2 ** 31 - 1];
  for (const eta of [1e-3, 1, 2, 15, 1000]) {
    for (const drawn of [...edges, ...Array.from({ length: 2000 }, () => Math.floor(next() * 2 ** 31))]) {
      const u = (drawn + 0.5) / 2 ** 31;
      const expected = u <= 0.5 ? (2 * u) ** (1 / (eta + 1)) : (2 - 2 * u) ** (-1 / (eta + 1));
      assert.ok(Math.abs(spreadOf(drawn, 1 / (eta + 1)) / expected - 1) < 1e-6, `${drawn}, ${eta}`);
    }
  }
});

test('the best are found in order, whatever their number', () => {
  const next = generator(8);
  for (const n of [1, 2, 7, 40]) {
    const values = Float64Array.from({ length: n }, (_, i) => (i % 5 === 4 ? Infinity : Math.floor(next() * 6)));
    const sorted = Array.from(values, (_, i) => i).sort((a, b) => (values[a] === values[b] ? a - b : values[a] - values[b]));
    for (const count of [0, 1, 2, 5, n].filter((each) => each <= n)) {
      const order = new Int32Array(count);
      best(values, order);
      assert.deepEqual([...order], sorted.slice(0, count));
    }
  }
});

test('generations of a genetic algorithm: elites stay, rates of 0 and 1, any number of children', () => {
  for (const populationSize of [1, 2, 3, 8, 21]) {
    for (const more of [{ elites: 0 }, { elites: 1 }, { elites: 2 }, { elites: 50 }, { crossover: 'blend' }, { tournament: 1 }]) {
      for (const rates of [{ mutationRate: 0 }, { mutationRate: 1, crossoverRate: 0 }, { crossoverRate: 1 }]) {
        const seen = [];
        const options = { bounds: box(3, -1, 2), generations: 12, populationSize, ...more, ...rates };
        evolve((x) => {
          assert.ok(x.every((each) => each >= -1 && each <= 2));
          seen.push(sphere(x));
          return seen.at(-1);
        }, options);
        const least = Array.from({ length: 13 }, (_, i) => Math.min(...seen.slice(i * populationSize, (i + 1) * populationSize)));
        assert.equal(seen.length, 13 * populationSize);
        if (more.elites > 0 && populationSize > 1) assert.deepEqual(least, [...least].sort((a, b) => b - a));
      }
    }
  }
});

test('known minima are found', () => {
  const cases = [
    [sphere, { bounds: box(8), method: 'ga', generations: 300, mutationScale: 0.01 }, 1e-3],
    [sphere, { bounds: box(8), method: 'ga', crossover: 'blend', alpha: 0.3, generations: 300, mutationScale: 0.01 }, 1e-2],
    [rastrigin, { bounds: box(5), method: 'ga', populationSize: 200, generations: 200 }, 1],
    [rastrigin, { bounds: box(5), method: 'de', generations: 400, weight: 0.5 }, 1e-6],
    [rosenbrock, { bounds: box(5), method: 'de', strategy: 'best', populationSize: 100, generations: 1500, target: 1e-9 }, 1e-9],
    [rosenbrock, { bounds: box(6), method: 'cmaes', maxEvaluations: 20_000, target: 1e-12 }, 1e-12],
    [rosenbrock, { bounds: [[-2, 8], [-2, 8], [1, 1]], method: 'cmaes', generations: 400 }, 1e-12],
    [rastrigin, { bounds: box(5), method: 'cmaes', populationSize: 150, generations: 150 }, 1e-6],
  ];
  for (const [objective, options, most] of cases) {
    for (const seed of [1, 2]) {
      const { x, value, evaluations } = evolve(objective, { ...options, seed });
      assert.ok(value <= most, `${JSON.stringify(options)}: ${value}`);
      assert.equal(objective(x.data), value);
      assert.ok(evaluations > 0 && x.data.every((each, i) => each >= options.bounds[i][0] && each <= options.bounds[i][1]));
    }
  }
});

test('a seed is a run, for every number of threads and every form of the objective', () => {
  const size = 7;
  for (const method of ['ga', 'de', 'cmaes']) {
    const options = { bounds: box(size), method, generations: 30, populationSize: 21, seed: 11 };
    const trace = (objective, more) => {
      const seen = [];
      evolve(objective, { ...options, ...more, onGeneration: ({ value, mean }) => void seen.push(value, mean) });
      return seen;
    };
    const expected = trace(rastrigin, { threads: 1 });
    assert.equal(expected.length, 62);
    assert.deepEqual(trace(rastrigin, { threads: 2 }), expected);
    assert.deepEqual(trace(native(rastrigin), { threads: 2 }), expected);
    assert.notDeepEqual(trace(rastrigin, { seed: 12 }), expected);
    const whole = (x) => x.mul(x).sub(x.mul(2 * Math.PI).cos().mul(10)).sum({ axis: 1 }).add(10 * size);
    const graph = new Graph('rastrigin');
    graph.output('value', whole(graph.input('x', 'f64', ['n', size])));
    const compiled = trace(jit(whole));
    assert.deepEqual(trace(whole, { vectorized: true }), compiled);
    assert.deepEqual(trace(graph), compiled);
    assert.ok(compiled.every((each, i) => Math.abs(each - expected[i]) < 1e-6 * expected[i]));
  }
});

test('ends, callbacks and signals', async () => {
  const options = { bounds: box(3), populationSize: 10 };
  assert.deepEqual(evolve(sphere, { ...options, generations: 0 }).evaluations, 10);
  const stopped = evolve(sphere, { ...options, onGeneration: ({ generation }) => generation < 4 });
  assert.deepEqual([stopped.generations, stopped.reason], [4, 'the callback said so']);
  assert.equal(evolve(sphere, { ...options, maxEvaluations: 55 }).evaluations, 50);
  assert.equal(evolve(sphere, { ...options, target: 1000 }).reason, 'the target is reached');
  assert.deepEqual([...evolve(sphere, { ...options, generations: 0, start: [0, 0.1, 0.2] }).x.data], [0, 0.1, 0.2]);
  const controller = new AbortController();
  const run = evolveAsync(sphere, { ...options, generations: 1e9, signal: controller.signal });
  setTimeout(() => controller.abort(), 30);
  await assert.rejects(run, { name: 'AbortError' });
  assert.throws(() => evolve(sphere, { ...options, signal: AbortSignal.abort() }), { name: 'AbortError' });
  const [now, later] = [evolve(sphere, options), await evolveAsync(sphere, options)];
  assert.deepEqual([...now.x.data, now.value], [...later.x.data, later.value]);
});

test('what an objective does to its argument changes nothing', () => {
  const writing = (x) => {
    const [value] = x;
    x[0] = 99;
    return (value - 1) ** 2;
  };
  const reading = (x) => (x[0] - 1) ** 2;
  for (const method of ['ga', 'de', 'cmaes']) {
    const options = { bounds: [[-5, 5]], method, generations: 8 };
    const { x, value } = evolve(reading, options);
    for (const objective of [writing, native(writing)]) {
      const got = evolve(objective, options);
      assert.deepEqual([got.x.data, got.value], [x.data, value], method);
    }
  }
});

test('values of every dtype, and seeds of more than 32 bits', () => {
  for (const dtype of ['f16', 'bf16', 'f32', 'i64']) {
    const { value } = evolve(jit((x) => x.mul(x).sum({ axis: 1 }).convert(dtype)), { bounds: [[-5, 5]], generations: 5 });
    assert.ok(value >= 0 && value < 0.1, `${dtype}: ${value}`);
  }
  const firsts = [0, 1, -1, 2 ** 32, 2 ** 32 + 1, -(2 ** 40), Number.MAX_SAFE_INTEGER].map(
    (seed) => evolve(sphere, { bounds: [[-5, 5]], generations: 0, seed }).value,
  );
  assert.equal(new Set(firsts).size, firsts.length);
});

test('objectives that are NaN or infinite in places', () => {
  for (const method of ['ga', 'de', 'cmaes']) {
    const options = { bounds: box(3), method, generations: 60, populationSize: 30 };
    const { value } = evolve((x) => (x[0] < 0 ? NaN : x[1] < 0 ? Infinity : sphere(x)), options);
    assert.ok(value < 1, `${method}: ${value}`);
    assert.equal(evolve(() => NaN, options).value, Infinity);
  }
});

test('wrong arguments', () => {
  refuses(() => evolve(sphere, { bounds: box(2), maxEvaluations: 10 }), /a generation takes 100: make option 'populationSize' less/);
  refuses(() => evolve(sphere, { bounds: [[-1e308, 1e308]] }), /the range of gene 0 is beyond/, 'ERR_OVERFLOW');
  refuses(() => evolve(sphere, { bounds: box(2), method: 'cmaes', sigma: 1e308 }), /at most 1e6/);
  refuses(() => evolve(sphere, {}), /option 'bounds'/);
  refuses(() => evolve(sphere, { bounds: [] }), /option 'bounds'/);
  refuses(() => evolve(sphere, { bounds: [[1, 0]] }), /bounds of gene 0/);
  refuses(() => evolve(sphere, { bounds: [[0, Infinity]] }), /bounds of gene 0/);
  refuses(() => evolve(7, { bounds: box(1) }), /the objective, got 7/);
  refuses(() => evolve(() => '1', { bounds: box(1) }), /the result of the objective, got "1"/);
  refuses(() => evolve((x) => x, { bounds: box(2), vectorized: true }), /100 values/, 'ERR_SHAPE');
  refuses(() => evolve(sphere, { bounds: box(1), method: 'pso' }), /'ga', 'de', 'cmaes'/);
  refuses(() => evolve(sphere, { bounds: box(1), sigma: 1 }), /unknown option 'sigma'/);
  refuses(() => evolve(sphere, { bounds: box(1), crossoverRate: 2 }), /a number from 0 to 1/);
  refuses(() => evolve(sphere, { bounds: box(1), method: 'de', populationSize: 3 }), /at least 4/);
  refuses(() => evolve(sphere, { bounds: box(1), signal: 1 }), /an AbortSignal/);
  refuses(() => evolve(sphere, { bounds: box(2), start: [0] }), /has 1 elements, expected 2/, 'ERR_SHAPE');
  refuses(() => evolve(sphere, { bounds: box(2), start: [0, 9] }), /element 1 of option 'start', got 9/);
});
