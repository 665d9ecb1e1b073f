// Symbolic regression: formulas that are known, runs that are the same, what a regressor tells, trees that stay trees.
'use strict';

const assert = require('node:assert/strict');
const { spawnSync } = require('node:child_process');
const path = require('node:path');
const { test } = require('node:test');
const { native, population, symbolicRegression, tensor } = require('graphjit');
const { crossed, MUTATIONS } = require('../../lib/evolve/regression/breed.js');
const { progressOn } = require('../../lib/evolve/regression/progress.js');
const { simplified } = require('../../lib/evolve/regression/simplify.js');
const { beginOf, operandEnds, randomTree, spaceOf } = require('../../lib/evolve/regression/trees.js');
const { languageOf } = require('../../lib/evolve/operators.js');
const expression = require('../../lib/evolve/expression.js');
const { Stream } = require('../../lib/evolve/search/stream.js');
const { throwsGraphError } = require('../support/errors.js');
const { generator } = require('../support/generator.js');

const refuses = (action, message, code = 'ERR_ARGUMENT') => throwsGraphError(action, code, message);

const next = generator(1);
const x = Float64Array.from({ length: 60 }, () => next() * 4 - 2);
const z = Float64Array.from({ length: 60 }, () => next() * 4 - 2);
const target = x.map((each, i) => each * each - 2.5 * z[i] + 1);
const quick = { populationSize: 100, islands: 4, generations: 40, maxSize: 15, ops: ['add', 'sub', 'mul'], target: 1e-20 };

test('a formula is found, and told in every form', () => {
  const model = symbolicRegression({ ...quick, seed: 3 }).fit({ x, z }, target);
  const { best, front } = model;
  assert.ok(best.loss < 1e-20, `${model}`);
  assert.ok(Math.abs(model.score({ x, z }, target) - 1) < 1e-12);
  assert.ok(model.predict({ x, z }).data.every((each, i) => Math.abs(each - target[i]) < 1e-9));
  assert.equal(String(model), best.expression);
  assert.match(model.toLatex(), /\\cdot/);
  const { value } = model.toGraph().compile().run({ x, z });
  assert.deepEqual(value.data, model.predict({ x, z }).data);
  const again = population([best.expression], { variables: ['x', 'z'] });
  assert.ok(again.fitness({ x, z }, target).values[0] < 1e-18);
  for (let i = 1; i < front.length; i++) assert.ok(front[i].loss < front[i - 1].loss && front[i].size > front[i - 1].size);
  assert.ok(front.every(({ size, score }) => size <= 15 && score >= 0));
});

test('a seed is a run, on any number of threads, in one go or in parts', async () => {
  const options = { ...quick, ops: undefined, generations: 12, target: undefined, seed: 5 };
  for (const key of ['ops', 'target']) delete options[key];
  const run = (more, rest) => symbolicRegression({ ...options, ...more }).fit({ x, z }, target, rest);
  const whole = run({ threads: 1 });
  const told = (model) => model.front.map(({ expression: text, loss }) => [text, loss]);
  assert.deepEqual(told(run({ threads: 2 })), told(whole));
  assert.notDeepEqual(told(run({ seed: 6 })), told(whole));
  const half = run({ generations: 7 });
  const state = JSON.parse(JSON.stringify(half.state));
  assert.deepEqual(told(run({}, { state })), told(whole));
  assert.deepEqual(told(await symbolicRegression(options).fitAsync({ x, z }, target)), told(whole));
});

test('forms of X', () => {
  const options = { ...quick, generations: 3, seed: 1 };
  const rows = Array.from(x, (each, i) => [each, z[i]]);
  const named = symbolicRegression({ ...options, variables: ['x', 'z'] });
  const front = named.fit(rows, target).front.map(String);
  assert.deepEqual(symbolicRegression(options).fit({ x, z }, target).front.map(String), front);
  assert.deepEqual(named.fit(tensor(rows), target).front.map(String), front);
  assert.deepEqual(named.predict(rows).data, named.predict({ x, z }).data);
  const plain = symbolicRegression(options).fit(rows.map(([first]) => [first]), x);
  assert.equal(String(plain), 'x0');
});

test('losses, weights, protected and own operators, no constants', () => {
  const weights = x.map((each) => Number(each > 0));
  const bent = x.map((each) => (each > 0 ? 3 * each : 1e6));
  const weighted = symbolicRegression({ ...quick, seed: 1 }).fit({ x }, bent, { weights });
  assert.ok(weighted.best.loss < 1e-15);
  const mae = symbolicRegression({ ...quick, loss: 'mae', seed: 1 }).fit({ x }, x.map((each) => each * each + each));
  assert.ok(mae.best.loss < 1e-12);
  const ops = ['add', 'div', { name: 'twice', operands: ['p'], expression: 'p + p' }];
  const own = symbolicRegression({ ...quick, ops, protected: true, constantRange: 0, seed: 1 }).fit({ x }, x.map((each) => 2 * each + 1));
  assert.ok(own.best.loss < 1e-15, `${own}`);
  const single = symbolicRegression({ ...quick, dtype: 'f32', seed: 1 }).fit({ x }, x.map((each) => each * each));
  assert.ok(single.best.loss < 1e-10);
});

test('a state goes on over other data, and is checked', () => {
  const options = { ...quick, target: undefined, generations: 9, seed: 1 };
  const { state } = symbolicRegression(options).fit({ x, z }, target);
  for (const loss of ['mse', 'mae']) {
    const { front } = symbolicRegression({ ...options, loss }).fit({ x, z }, z, { state });
    const texts = front.map(({ expression: text }) => text);
    const { values } = population(texts, { variables: ['x', 'z'] }).fitness({ x, z }, z, { loss });
    assert.deepEqual(front.map((each) => each.loss), Array.from(values), 'losses are those of the new data');
  }
  const wrong = (change, message, more) => refuses(() => symbolicRegression({ ...options, generations: 10, ...more }).fit({ x, z }, target, { state: { ...state, ...change } }), message);
  wrong({ generation: 'a' }, /for the generation of option 'state', got "a"/);
  wrong({ evaluations: undefined }, /for the evaluations of option 'state'/);
  wrong({ islands: [null] }, /islands with trees/);
  wrong({ islands: [[null]] }, /trees \{ tokens, constants, loss \}/);
  for (const tree of [{ tokens: 5, constants: [0], loss: 1 }, { tokens: [-1], constants: [], loss: 1 }, { tokens: [], constants: [], loss: 1 }, { tokens: [-1], constants: [1], loss: 'x' }]) {
    wrong({ hall: [tree] }, /trees \{ tokens, constants, loss \}/);
  }
  wrong({}, /the state has a tree of \d+ tokens, expected at most 2 as option 'maxSize' says/, { maxSize: 2 });
});

test('a state goes on with other functions, as what it is worth with them', () => {
  const options = { ...quick, generations: 20, target: undefined, maxSize: 9, fitConstants: false };
  const withOperator = (fn) => ({ ...options, ops: ['add', 'mul', { name: 'f', native: fn }] });
  const withLoss = (factor) => ({ ...options, loss: native((f, y) => Math.abs(f - y) * factor, { capture: { factor } }) });
  const cases = [[withOperator((p) => Math.sin(p)), withOperator((p) => p * 3 + 1), 'mse'], [withLoss(1), withLoss(100), 'mae', 100]];
  for (const [before, after, loss, factor = 1] of cases) {
    const { state } = symbolicRegression(before).fit({ x, z }, target);
    for (const { expression: text, loss: told } of symbolicRegression(after).fit({ x, z }, target, { state }).front) {
      const [value] = population([text], { variables: ['x', 'z'], ops: after.ops }).fitness({ x, z }, target, { loss }).values;
      assert.ok(Math.abs(told - factor * value) <= 1e-9 * told, `${text}: ${told}`);
    }
  }
  // What was no number may be one now.
  const nothing = symbolicRegression({ ...withOperator((p) => p * NaN), generations: 1 }).fit({ x, z }, target);
  const sines = symbolicRegression({ ...withOperator((p) => Math.sin(p)), generations: 1 }).fit({ x, z }, target, { state: nothing.state });
  assert.ok(sines.state.islands.flat().every(({ loss }) => loss !== null && loss < Infinity));
  // With the same ones a run in parts is a run.
  const own = withOperator((p) => Math.sin(p));
  const { state } = symbolicRegression({ ...own, generations: 10 }).fit({ x, z }, target);
  assert.deepEqual(symbolicRegression(own).fit({ x, z }, target, { state }).state, symbolicRegression(own).fit({ x, z }, target).state);
});

test('a loss of -Infinity is the best', () => {
  const options = { ops: ['add', 'mul'], constantRange: 0, generations: 5, populationSize: 30, islands: 2, loss: 'log(abs(f - y))' };
  const model = symbolicRegression(options).fit({ x: [1, 2, 3] }, [2, 6, 12]);
  assert.equal(model.best.loss, -Infinity);
});

test('scores have weights', () => {
  const model = symbolicRegression({ ...quick, seed: 3 }).fit({ x, z }, target);
  const weights = x.map((each) => Number(each > 0));
  const bent = target.map((each, i) => (x[i] > 0 ? each : 1e3));
  assert.ok(model.score({ x, z }, bent) < 0.5);
  assert.ok(model.score({ x, z }, bent, { weights }) > 0.999999);
  refuses(() => model.score({ x, z }, target, { weight: [] }), /unknown option 'weight'/);
  refuses(() => model.score({ x, z }, target.slice(1)), /^score: /, 'ERR_SHAPE');
});

test('losses below zero, and the best of what is near the least', () => {
  const model = symbolicRegression({ ...quick, target: undefined, loss: 'abs(f - y) - 3', generations: 30, seed: 1 }).fit({ x, z }, target);
  assert.ok(model.best.loss < -2 && model.best.loss <= model.front.at(-1).loss / 2);
});

test('callbacks and signals', async () => {
  const seen = [];
  const options = { ...quick, target: 0, generations: 1e6 };
  delete options.target;
  const model = symbolicRegression(options).fit({ x, z }, target, {
    onGeneration({ generation, loss, expression: text }) {
      seen.push([generation, loss, text]);
      return generation < 3;
    },
  });
  assert.deepEqual(seen.map(([generation]) => generation), [0, 1, 2, 3]);
  assert.ok(seen.every(([, loss, text]) => loss >= 0 && text.length > 0) && model.front.length > 0);
  const controller = new AbortController();
  const run = symbolicRegression({ ...options, populationSize: 10 }).fitAsync({ x, z }, target, { signal: controller.signal });
  setTimeout(() => controller.abort(), 20);
  await assert.rejects(run, { name: 'AbortError' });
  const ended = symbolicRegression({ ...options, seed: 4 });
  const fail = ({ generation }) => {
    if (generation === 5) throw new Error('enough');
  };
  assert.throws(() => ended.fit({ x, z }, target, { onGeneration: fail }), { message: 'enough' });
  const whole = symbolicRegression({ ...options, generations: 5, seed: 4 }).fit({ x, z }, target);
  assert.deepEqual(ended.front.map(String), whole.front.map(String), 'what was found until then is kept');
  assert.deepEqual(ended.state, whole.state);
});

test('a run ends when rounding is all that is left, whatever the loss', () => {
  const scaled = x.map((each) => 1e6 * each * each);
  const last = (options, rest) => {
    let generation;
    const model = symbolicRegression({ ...quick, target: undefined, constantRange: 0, generations: 200, seed: 1, ...options }).fit({ x, z }, x.map((each) => each * each), {
      onGeneration: (report) => void ({ generation } = report), ...rest,
    });
    return { generation, model };
  };
  for (const options of [{}, { loss: 'rmse' }, { loss: 'mae' }, { dtype: 'f32' }]) {
    const { generation, model } = last(options);
    assert.ok(generation < 200 && generation % 20 === 0, `${generation}`);
    assert.equal(String(model), 'x * x');
  }
  assert.equal(last({ generations: 21, loss: 'abs(f - y)' }).generation, 21, 'a loss of which nothing is known');
  const weights = x.map((_, i) => Number(i > 0));
  let generations;
  const onGeneration = ({ generation }) => void (generations = generation);
  const bent = x.map((each, i) => (i === 0 ? 1e30 : Math.exp(each)));
  symbolicRegression({ ...quick, target: undefined, generations: 3 }).fit({ x }, bent, { weights, onGeneration });
  assert.equal(generations, 3, 'rows without weight add nothing to what rounding may leave');
  assert.ok(symbolicRegression({ ...quick, target: undefined, seed: 1 }).fit({ x }, scaled).best.loss < 1e-12);
});

test('all ages of trees: one island, two, more, with states in between', () => {
  for (const islands of [1, 2, 3]) {
    const options = { islands, populationSize: 7, generations: 43, maxSize: 9, target: -1, seed: 2 };
    const told = (model) => model.front.map(({ expression: text, loss }) => [text, loss]);
    const whole = symbolicRegression(options).fit({ x, z }, target);
    assert.deepEqual(whole.state.islands.map((island) => island.length <= 7 && island.length > 0), Array(islands).fill(true));
    for (const generations of [0, 9, 10, 29]) {
      const { state } = symbolicRegression({ ...options, generations }).fit({ x, z }, target);
      const rest = symbolicRegression(options).fit({ x, z }, target, { state: JSON.parse(JSON.stringify(state)) });
      assert.deepEqual(told(rest), told(whole), `${islands} islands, from generation ${generations}`);
    }
  }
});

test('a line tells how far it is', () => {
  const written = [];
  const report = (generation) => ({ generation, evaluations: 1200 * generation, loss: 0.5, expression: `"a\u001b[31m\u202e" + ${'x'.repeat(90)}` });
  let now = 0;
  const terminal = progressOn({ isTTY: true, columns: 60, write: (text) => written.push(text) }, 9, () => now);
  for (let generation = 0; generation < 10; generation++, now += 30) terminal.tell(report(generation));
  terminal.end();
  const lines = written.join('').split('\r\u001b[K');
  assert.deepEqual(lines.map((line) => /^generation (\d+) of 9, /.exec(line)?.[1]), [undefined, '0', '4', '8', '9']);
  assert.ok(lines.slice(1).every((line) => line.trimEnd().length < 60 && line.trimEnd().endsWith('…') && !line.includes('\u001b')));
  assert.ok(lines.at(-1).endsWith('\n'));
  written.length = 0;
  progressOn({ isTTY: true, write: (text) => written.push(text) }, 9).end();
  assert.deepEqual(written, [], 'nothing was told');

  const run = (options) => {
    const text = `const { symbolicRegression } = require('graphjit');
      const model = symbolicRegression({ populationSize: 9, generations: 5, target: -1 });
      try { model.fit([[1], [2], [4]], [1, 2, 5], ${options}); } catch (error) { console.log(error.message); }`;
    return spawnSync(process.execPath, ['-e', text], { cwd: path.join(__dirname, '..', '..'), encoding: 'utf8' });
  };
  const { stdout, stderr } = run('{ verbose: true }');
  assert.equal(stdout, '');
  assert.match(stderr, /^generation 0 of 5, [\d,]+ trees, loss \S+: .+\n(.+\n)*generation 5 of 5, .+\n$/);
  assert.equal(run('{}').stderr, '');
  const broken = run('{ verbose: true, onGeneration({ generation }) { if (generation === 2) throw new Error("enough"); } }');
  assert.equal(broken.stdout, 'enough\n');
  assert.match(broken.stderr, /\ngeneration 2 of 5, .+\n$/, 'the last line is whole');
});

test('children are trees of no more than the size', () => {
  const language = languageOf(undefined, false, 'test', expression.reader('test'));
  const space = spaceOf(language, 3, 5, 20);
  const stream = new Stream(1, 0, 0);
  const check = ({ tokens, constants }) => {
    assert.equal(tokens.length, constants.length);
    assert.equal(beginOf(space, tokens, tokens.length - 1), 0);
  };
  let trees = Array.from({ length: 40 }, () => randomTree(stream, space, 1 + stream.below(20)));
  for (let round = 0; round < 40; round++) {
    trees = trees.map((tree) => {
      const [mutation] = MUTATIONS[stream.below(MUTATIONS.length)];
      const child = stream.next() < 0.5 ? mutation(tree, stream, space) : crossed(tree, trees[stream.below(40)], stream, space);
      check(child);
      for (let end = 0; end < child.tokens.length; end++) operandEnds(space, child.tokens, end).forEach((each) => assert.ok(each < end && each >= 0));
      return child.tokens.length <= 20 ? child : tree;
    });
  }
});

test('simplified trees mean the same', () => {
  const language = languageOf(['add', 'sub', 'mul', 'div', 'neg', 'sin'], false, 'test', expression.reader('test'));
  const constantsOf = (trees) => trees.map((tree) => population([expression.toText(tree, [], language)], { variables: [] }).predict({}).data[0]);
  const cases = { 'x + 0': 'x', '1 * (x - x) + x': 'x', '2 * 3 + x': '6 + x', '-(-x)': 'x', 'x * (2 - 1)': 'x', 'sin(0) + x / x': '1', 'x + 1 / 0': 'x + 1 / 0', 'x - x * 0': 'x',
    'sin(x) + x - sin(x)': 'x', 'x - (x + 2)': '-2', '(x + 1) + (2 + x)': 'x + x + 3', 'x - 1 - 2 - x * x': 'x - x * x - 3', '2 * x * 3 / x': '6',
    'x * sin(x) / (x * 4)': 'sin(x) * 0.25', '5 - x + 2': '7 - x', '(x - 1) - (x - 4)': '3', '8 / (x / 2)': '16 / x', 'x * 1e300 * 1e300': 'x * 1e+300 * 1e+300',
    'x * 1e-200 * 1e-200': 'x * 1e-200 * 1e-200', 'x / 1e300 / 1e300': 'x / 1e+300 / 1e+300', 'sin(x) * (x * 0)': '0' };
  for (const [text, simple] of Object.entries(cases)) {
    const { tokens, constants } = expression.read(text, ['x'], language, 'test');
    const tree = { tokens: Int32Array.from(tokens), constants: Float64Array.from(constants) };
    assert.equal(expression.toText(simplified(tree, language, constantsOf), ['x'], language), simple, text);
  }
});

test('an operator of the user with the name of a built-in one keeps its meaning', () => {
  const read = expression.reader('test');
  const language = languageOf(['sub', { name: 'min', operands: ['p', 'q'], expression: 'p + q + 1' }, { name: 'neg', operands: ['p'], expression: 'p + 1' }], false, 'test', read);
  const constantsOf = () => [NaN];
  for (const text of ['min(x, x)', 'neg(neg(x))']) {
    const { tokens, constants } = expression.read(text, ['x'], language, 'test');
    const tree = { tokens: Int32Array.from(tokens), constants: Float64Array.from(constants) };
    assert.deepEqual(simplified(tree, language, constantsOf).tokens, tree.tokens, text);
  }
});

test('what has no formula, and wrong arguments', () => {
  const empty = symbolicRegression({ ...quick, generations: 1, ops: [] }).fit({ x }, x);
  assert.equal(String(empty), 'x');
  const none = symbolicRegression({ ...quick, generations: 1, constantRange: 0 }).fit({ x: x.map(() => NaN) }, x);
  assert.equal(none.front.length, 0);
  refuses(() => none.predict({ x }), /no formula has a finite loss/, 'ERR_STATE');
  refuses(() => symbolicRegression().predict({ x }), /nothing was fitted yet/, 'ERR_STATE');
  assert.equal(String(symbolicRegression()), 'symbolic regression, not fitted');
  refuses(() => symbolicRegression({ ops: ['plus'] }), /unknown operator 'plus'/);
  refuses(() => symbolicRegression({ loss: 'r2' }), /'r2' is no loss/, 'ERR_UNSUPPORTED');
  refuses(() => symbolicRegression({ size: 1 }), /unknown option 'size'/);
  const model = symbolicRegression(quick);
  refuses(() => model.fit({ x }, [1]), /y has 1 elements/, 'ERR_SHAPE');
  refuses(() => model.fit([], []), /X has no rows/, 'ERR_SHAPE');
  refuses(() => model.fit({ x }, x.with(3, NaN)), /expected a finite number for element 3 of y, got NaN/);
  refuses(() => model.fit({ x }, x, { weights: x.map(() => 0) }), /expected a weight above 0/);
  refuses(() => model.fit([[1], [1, 2]], [1, 2]), /row 1 of X/);
  refuses(() => model.fit(7, [1]), /for X, got 7/);
  refuses(() => model.fit({ x }, x, { state: {} }), /the state of a regressor/);
  const { state } = symbolicRegression({ ...quick, generations: 0 }).fit({ x }, x);
  refuses(() => model.fit({ z }, z, { state }), /the state has other variables/);
  refuses(() => model.fit({ x }, x, { state: { ...state, islands: [[{ tokens: [0], constants: [0], loss: 1 }]] } }), /program 0: token 0/);
});
