// Searches whose islands are on worker threads: the same as on one, in one go or not, and their ends.
'use strict';

const assert = require('node:assert/strict');
const v8 = require('node:v8');
const { test } = require('node:test');
const { native, symbolicRegression } = require('graphjit');
const { Crew } = require('../../lib/evolve/regression/crew.js');
const { Regression } = require('../../lib/evolve/regression/search.js');
const { languageOf } = require('../../lib/evolve/operators.js');
const expression = require('../../lib/evolve/expression.js');
const { generator } = require('../support/generator.js');

const next = generator(1);
const x = Float64Array.from({ length: 17 }, () => next() * 4 - 2);
const z = Float64Array.from({ length: 17 }, () => next() * 4 - 2);
const target = x.map((each, i) => Math.sin(each * z[i]) + each / 3 + next());
const weights = x.map((_, i) => i % 3);
const options = { ops: ['add', 'sub', 'mul', 'div', 'sin'], islands: 5, populationSize: 60, generations: 45, target: -1, fitConstants: false, seed: 7 };

/** Has islands on threads from the beginning, where they can be, and counts the generations there. @param {(count: () => number) => unknown} run */
async function onThreads(run) {
  const { step } = Crew.prototype;
  const isReady = Object.getOwnPropertyDescriptor(Crew.prototype, 'isReady');
  const { isWorthThreads } = Regression.prototype;
  let steps = 0;
  Crew.prototype.step = function (...operands) {
    steps++;
    return step.apply(this, operands);
  };
  Object.defineProperty(Crew.prototype, 'isReady', { get: () => true, configurable: true });
  Regression.prototype.isWorthThreads = () => true;
  try {
    return await run(() => steps);
  } finally {
    Object.assign(Crew.prototype, { step });
    Object.defineProperty(Crew.prototype, 'isReady', isReady);
    Object.assign(Regression.prototype, { isWorthThreads });
  }
}

test('a seed is a run, whether islands are on threads or not', async () => {
  const fit = (more, how = { weights }) => symbolicRegression({ ...options, ...more }).fit({ x, z }, target, how);
  const one = fit({ threads: 1 });
  await onThreads(async (steps) => {
    for (const threads of [2, 16]) {
      const before = steps();
      const { state, front } = fit({ threads });
      assert.equal(steps() - before, options.generations, `${threads} threads had islands`);
      assert.deepEqual(state, one.state, `${threads} threads`);
      assert.deepEqual(front.map(String), one.front.map(String));
    }
    const half = fit({ threads: 2, generations: 23 }).state;
    assert.deepEqual(fit({ threads: 2 }, { weights, state: half }).state, one.state, 'resumed');

    const states = [];
    const model = symbolicRegression({ ...options, threads: 2 });
    const timer = setInterval(() => states.push(model.state), 2);
    await model.fitAsync({ x, z }, target, { weights });
    clearInterval(timer);
    assert.deepEqual(model.state, one.state);
    const last = states.at(-1);
    assert.ok(states.length > 1, 'the event loop went on');
    assert.deepEqual(fit({ threads: 1 }, { weights, state: last }).state, one.state, 'a state in between');
  });
});

test('constants are fitted, and single precision', async () => {
  await onThreads((steps) => {
    for (const more of [{ fitConstants: true }, { dtype: 'f32', loss: 'mae' }]) {
      const fit = (threads) => symbolicRegression({ ...options, generations: 25, ...more, threads }).fit({ x, z }, target).state;
      assert.deepEqual(fit(2), fit(1));
    }
    assert.equal(steps(), 50);
  });
});

test('callbacks and signals end it, states are those until then', async () => {
  const until = (generation) => symbolicRegression({ ...options, generations: generation, threads: 1 }).fit({ x, z }, target).state;
  await onThreads(async () => {
    for (const last of [1, 7, 8, 10]) {
      const model = symbolicRegression({ ...options, threads: 2 });
      model.fit({ x, z }, target, { onGeneration: ({ generation }) => generation < last });
      assert.deepEqual(model.state, until(last));
      const fail = ({ generation }) => {
        if (generation === last) throw new Error('enough');
      };
      assert.throws(() => model.fit({ x, z }, target, { onGeneration: fail }), { message: 'enough' });
      assert.deepEqual(model.state, until(last));
      const controller = new AbortController();
      const onGeneration = ({ generation }) => void (generation === last && controller.abort());
      await assert.rejects(model.fitAsync({ x, z }, target, { onGeneration, signal: controller.signal }), { name: 'AbortError' });
      assert.deepEqual(model.state, until(last));
    }
  });
});

test('functions of the user stay on one thread', async () => {
  await onThreads((steps) => {
    const ops = ['add', 'mul', { name: 'half', native: (a) => a * 0.5 + 1 }];
    symbolicRegression({ ...options, ops, generations: 5, threads: 2 }).fit({ x, z }, target);
    symbolicRegression({ ...options, loss: native((f, y) => Math.abs(f - y)), generations: 5, threads: 2 }).fit({ x, z }, target);
    assert.equal(steps(), 0);
  });
});

test('what fails on a thread is an error here, and a thread that is gone is no hang', async () => {
  const language = languageOf(['add'], false, 'test', expression.reader('test'));
  const settings = { ...options, variables: ['x'], language, dtype: 'f64', numerics: 'default', loss: 'mse', maxSize: 5, tournament: 2, crossoverRate: 0.5, parsimony: 1, constantRange: 1, threads: 2, islands: 2 };
  const crew = new Crew(settings, { columns: [x], target, weights: undefined });
  while (!crew.isReady) await new Promise((resolve) => void setTimeout(resolve, 5));
  const broken = { tree: { tokens: Int32Array.of(-99), constants: Float64Array.of(0) }, loss: 1 };
  const order = { generation: 1, losses: new Float64Array(6).fill(Infinity), famous: null };
  const steps = crew.step((ahead) => (ahead === 0 ? order : null), [{ number: 0, individuals: [broken, broken] }]);
  steps.next().value.now();
  assert.throws(() => steps.next(), { code: 'ERR_ARGUMENT' });
  crew.end();

  const { getHeapStatistics } = v8;
  v8.getHeapStatistics = () => ({ ...getHeapStatistics(), heap_size_limit: 14 * 2 ** 20 });
  try {
    await onThreads(async () => {
      const model = symbolicRegression({ ...options, islands: 2, populationSize: 8000, threads: 2 });
      assert.throws(() => model.fit({ x, z }, target), { code: 'ERR_MEMORY', message: /a thread of the search has ended/ });
      assert.ok(model.front.length > 0 && model.state.islands.length === 2 && model.state.generation === 0);
      assert.equal(model.state.evaluations, 16_000, 'as of that generation');
      await assert.rejects(model.fitAsync({ x, z }, target), { code: 'ERR_MEMORY', message: /a thread of the search has ended/ });
    });
  } finally {
    v8.getHeapStatistics = getHeapStatistics;
  }
});
