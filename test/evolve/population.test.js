// Populations: values against the obvious way, every form of program, losses, hostile input.
'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { native, population, tensor } = require('graphjit');
const { throwsGraphError } = require('../support/errors.js');
const { gcUntil } = require('../support/gc.js');
const { generator } = require('../support/generator.js');
const { OPERATORS, encode, randomProgram, valueOf } = require('./reference.js');

const refuses = (action, message, code = 'ERR_ARGUMENT') => throwsGraphError(action, code, message);

/** Errors of the function compiler, which show the line. */
const refusesCode = (action, message) => assert.throws(action, (error) => error.code === 'ERR_UNSUPPORTED' && message.test(error.message));

const variables = ['x', 'y', 'z'];
const SPECIAL = [NaN, Infinity, -Infinity, 0, -0, 1, -1, 1e-320, 1e300, 0.001, -0.001];

const columnsOf = (next, rows, special = 0) =>
  Object.fromEntries(variables.map((name) => [name, Float64Array.from({ length: rows }, () => (next() < special ? SPECIAL[Math.floor(next() * SPECIAL.length)] : next() * 6 - 3))]));
const rowOf = (columns, i) => Object.fromEntries(variables.map((name) => [name, columns[name][i]]));
const near = (got, expected, tolerance) =>
  Object.is(got, expected) || got === expected || Math.abs(got - expected) <= tolerance * Math.max(1e-300, Math.abs(expected));

/** The same numbers; which NaN one is does not matter. */
const alike = (got, expected) => assert.ok(got.length === expected.length && got.every((each, i) => Object.is(each, expected[i])));

/** Ops whose results have the bits of JavaScript's. */
const EXACT = ['add', 'sub', 'mul', 'div', 'min', 'max', 'mod', 'aq', 'greater', 'less', 'choose', 'neg', 'abs', 'sign', 'floor', 'ceil', 'inv', 'square', 'cube', 'sqrt', 'relu'];

test('values of exact operators have the bits of JavaScript at every size', () => {
  const next = generator(1);
  for (const isProtected of [false, true]) {
    for (const rows of [0, 1, 2, 3, 7, 8, 31, 255, 256, 257, 511, 512, 513, 1021]) {
      const programs = Array.from({ length: 40 }, () => randomProgram(next, EXACT, variables, 5));
      const columns = columnsOf(next, rows, 0.1);
      const all = population(programs, { variables, protected: isProtected });
      const values = all.predict(columns, { threads: 1 + (rows % 2) }).toArray();
      programs.forEach((program, p) => {
        for (let i = 0; i < rows; i++) {
          const expected = valueOf(program, rowOf(columns, i), isProtected);
          assert.ok(Object.is(values[p][i], expected) || values[p][i] === expected, `${JSON.stringify(program)} at ${JSON.stringify(rowOf(columns, i))}: ${values[p][i]}, expected ${expected}`);
        }
      });
      all.dispose();
    }
  }
});

test('every operator is what its name says', () => {
  const next = generator(2);
  const columns = columnsOf(next, 100);
  for (const [name, apply] of Object.entries(OPERATORS)) {
    const program = [name, ...variables.slice(0, apply.length)];
    const [values] = population([program], { variables }).predict(columns).toArray();
    values.forEach((value, i) => assert.ok(near(value, valueOf(program, rowOf(columns, i)), 1e-13), `${name}: ${value}`));
    const [single] = population([program], { variables, dtype: 'f32' }).predict(columns).toArray();
    single.forEach((value, i) => {
      const row = Object.fromEntries(variables.map((v) => [v, Math.fround(columns[v][i])]));
      if (name !== 'mod') assert.ok(near(value, valueOf(program, row), 1e-4) || Math.abs(value) < 1e-4 || Math.abs(value) > 1e3, `${name} in f32: ${value}`);
    });
  }
  assert.deepEqual(new Set(population([], { variables }).ops), new Set([...Object.keys(OPERATORS), 'erf', 'erfc']));
});

test('a program is the same in every form, on any number of threads, alone and among others', () => {
  const next = generator(3);
  const names = Object.keys(OPERATORS);
  const programs = Array.from({ length: 60 }, () => randomProgram(next, names, variables, 6));
  const columns = columnsOf(next, 700, 0.02);
  const whole = population(programs, { variables });
  const expected = whole.predict(columns, { threads: 1 }).data;
  const same = (other, options) => alike(other.predict(columns, options).data, expected);
  same(whole, { threads: 2 });
  for (const order of ['prefix', 'postfix']) same(population(encode(programs, whole.ops, variables, order), { variables }));
  same(population(programs.map((_, i) => whole.toString(i)), { variables }));
  const prefix = population(encode(programs, whole.ops, variables, 'prefix'), { variables });
  programs.forEach((program, i) => {
    assert.equal(prefix.toString(i), whole.toString(i));
    const alone = population([program], { variables }).predict(columns).data;
    alike(alone, expected.slice(i * 700, (i + 1) * 700));
  });
});

test('graphs of programs compute the same', () => {
  const next = generator(4);
  const programs = Array.from({ length: 12 }, () => randomProgram(next, EXACT, variables, 5));
  const columns = columnsOf(next, 50, 0.05);
  for (const isProtected of [false, true]) {
    const all = population([...programs, 2.5], { variables, protected: isProtected });
    const values = all.predict(columns).toArray();
    for (let i = 0; i < all.size; i++) {
      const { value } = all.toGraph(i).compile().run(columns);
      value.toArray().forEach((each, k) => assert.ok(each === values[i][k] || (each !== each && values[i][k] !== values[i][k])));
    }
  }
});

test('all programs are one graph', () => {
  const next = generator(13);
  const names = Object.keys(OPERATORS);
  const programs = Array.from({ length: 30 }, () => randomProgram(next, names, variables, 5)).concat([2.5, 'y']);
  for (const dtype of ['f64', 'f32']) {
    const all = population(programs, { variables, dtype });
    const compiled = all.toGraph().compile();
    for (const rows of [0, 1, 2, 31, 257]) {
      const columns = columnsOf(next, rows, 0.05);
      const typed = dtype === 'f64' ? columns : Object.fromEntries(variables.map((name) => [name, Float32Array.from(columns[name])]));
      const { values } = compiled.run(typed);
      assert.deepEqual(values.shape, [32, rows]);
      const expected = all.predict(typed).data;
      assert.ok(values.data.every((each, i) => each === expected[i] || (each !== each && expected[i] !== expected[i])));
    }
  }
  assert.deepEqual(population([1, ['add', 1, 2]], { variables: [] }).toGraph().compile().run({}).values.toArray(), [[1], [3]]);
  assert.deepEqual(population(['x'], { variables: ['x'] }).toGraph().compile().run({ x: [1, 2] }).values.toArray(), [[1, 2]]);
  refuses(() => population([], { variables }).toGraph(), /there are no programs/);
  refuses(() => population(['x'], { variables }).toGraph(1), /the number of a program/);
});

test('a call is the same whatever came before it', () => {
  const next = generator(14);
  const programs = Array.from({ length: 40 }, () => randomProgram(next, EXACT, variables, 5));
  const make = () => population(programs, { variables });
  const all = make();
  const losses = ['mse', 'mae', 'logLoss', 'correlation', 'abs(f * y)', (f, y) => f - y];
  for (let round = 0; round < 40; round++) {
    const rows = [1, 5, 256, 700][Math.floor(next() * 4)];
    const columns = columnsOf(next, rows, 0.01);
    const target = Float64Array.from({ length: rows }, next);
    const loss = losses[Math.floor(next() * losses.length)];
    const bound = loss === 'mae' && next() < 0.5 ? 2 : undefined;
    const options = { threads: 1 + Math.floor(next() * 3) };
    const ask = [
      (each) => each.predict(columns, options).data,
      (each) => each.fitness(columns, target, { ...options, loss, ...(bound && { bound }) }).values,
      (each) => each.errors(columns, target, { ...options, loss: 'mae' }).data,
    ][Math.floor(next() * 3)];
    alike(ask(all), ask(make()));
  }
});

test('equal subtrees are one value', () => {
  const all = population(['sin(x * y) + 1', 'cos(y * x) - 1', 'sin(x * y)'], { variables });
  assert.equal(all.nodes, 8); // x, y, x * y, sin, cos, 1, + and -
});

test('losses are those of the values', () => {
  const next = generator(5);
  const rows = 1000;
  const columns = columnsOf(next, rows);
  const target = Float64Array.from({ length: rows }, (_, i) => columns.x[i] * 2 + next());
  const weights = Float64Array.from({ length: rows }, () => Math.floor(next() * 3));
  const programs = ['x', '3 * x - 1', 'sin(y)', '2', 'x / 1e9', '1e8 + x'];
  const all = population(programs, { variables });
  const values = all.predict(columns).toArray();
  const ones = weights.map(() => 1);
  for (const w of [undefined, weights]) {
    const of = (f) => target.reduce((sum, y, i) => sum + (w ?? ones)[i] * f(i, y), 0);
    const total = of(() => 1);
    const mean = of((_, y) => y) / total;
    const spread = of((_, y) => (y - mean) ** 2);
    const expected = (f) => {
      const fMean = of((i) => f[i]) / total;
      const square = of((i, y) => (f[i] - y) ** 2);
      const [ff, fy] = [of((i) => (f[i] - fMean) ** 2), of((i, y) => (f[i] - fMean) * (y - mean))];
      const slope = ff === 0 ? 0 : fy / ff;
      return {
        mse: square / total, rmse: Math.sqrt(square / total), mae: of((i, y) => Math.abs(f[i] - y)) / total,
        r2: 1 - square / spread, correlation: fy / Math.sqrt(ff * spread), slope, intercept: mean - slope * fMean,
        scaled: (spread - slope * fy) / total, logLoss: of((i, y) => Math.log1p(Math.exp(-Math.abs(f[i]))) + Math.max(f[i], 0) - y * f[i]) / total,
        'abs(f - y) ** 3': of((i, y) => Math.abs(f[i] - y) ** 3) / total,
      };
    };
    for (const threads of [1, 2]) {
      const options = { weights: w, threads };
      for (const loss of ['mse', 'rmse', 'mae', 'r2', 'correlation', 'logLoss', 'abs(f - y) ** 3']) {
        const got = all.fitness(columns, target, { ...options, loss }).values;
        values.forEach((f, p) => assert.ok(near(got[p], expected(f)[loss], 1e-9), `${loss} of ${programs[p]}: ${got[p]}, expected ${expected(f)[loss]}`));
      }
      const scaled = all.fitness(columns, target, { ...options, linearScaling: true });
      values.forEach((f, p) => {
        const { slope, intercept, scaled: loss } = expected(f);
        const tolerance = programs[p].startsWith('1e8') ? 1e-6 : 1e-9;
        assert.ok(near(scaled.values[p], loss, tolerance) && near(scaled.slopes[p], slope, tolerance) && near(scaled.intercepts[p], intercept, tolerance), programs[p]);
      });
    }
  }
});

test('a constant explains nothing, on however many rows and however it is computed', () => {
  const next = generator(8);
  const constants = [4.443065693430657, 0.1, -2.879033166650653, 'sin(x) * sin(x) + cos(x) * cos(x)', 1e-300];
  for (const dtype of ['f64', 'f32']) {
    for (const rows of [1, 2, 255, 256, 257, 1000, 5003]) {
      const x = Float64Array.from({ length: rows }, () => next() * 6);
      const target = x.map((each) => each + 1e4);
      const weights = x.map(() => next());
      const all = population(constants, { variables: ['x'], dtype });
      for (const more of [{}, { weights }]) {
        assert.ok(all.fitness({ x }, target, { loss: 'correlation', ...more }).values.every(Number.isNaN));
        const { values, slopes, intercepts } = all.fitness({ x }, target, { loss: 'r2', linearScaling: true, ...more });
        if (rows > 1) assert.ok(values.every((each) => Math.abs(each) < 1e-12), `${dtype}, ${rows} rows: ${values}`);
        assert.ok(slopes.every((each) => each === 0));
        assert.ok(intercepts.every((each) => each > 1e4 - 1e-9 && each < 1e4 + 6));
      }
    }
  }
});

test('a row of no weight counts for nothing', () => {
  const x = Float64Array.from({ length: 600 }, (_, i) => i);
  const weights = x.map((each) => Number(each % 256 > 0));
  for (const far of [1e10, 1e20, 1e300, -1e150]) {
    const columns = { x: x.map((each, i) => (weights[i] > 0 ? each : far)) };
    const { slopes, values } = population(['x'], { variables: ['x'] }).fitness(columns, x.map((each) => 3 * each + 1), { loss: 'r2', linearScaling: true, weights });
    assert.ok(near(slopes[0], 3, 1e-12) && near(values[0], 1, 1e-12), `${far}: ${slopes} ${values}`);
  }
});

test('halves and integers of tensors are the numbers that they mean', () => {
  const all = population(['x + 1'], { variables: ['x'] });
  for (const dtype of ['f16', 'bf16', 'i64', 'u8']) {
    const x = tensor([2, 3, 100], { dtype });
    assert.deepEqual([...all.predict({ x }).data], [3, 4, 101], dtype);
    assert.deepEqual([...all.fitness({ x }, x, { weights: x }).values], [1]);
  }
});

test('arrays of programs are those that there were when the population was made', () => {
  const [tokens, constants, offsets] = [Int32Array.of(-2, -1, 0), Float64Array.of(0, 5, 0), Uint32Array.of(0, 3)];
  const all = population({ tokens, constants, offsets }, { variables: ['x'] });
  tokens[2] = 999;
  constants[1] = 100;
  offsets[1] = 1;
  structuredClone(tokens, { transfer: [tokens.buffer] });
  assert.equal(all.toString(0), 'x + 5');
  assert.deepEqual([...all.toGraph(0).compile().run({ x: Float64Array.of(1) }).value.data], [6]);
  assert.deepEqual([...all.fitConstants({ x: [1, 2] }, [3, 4]).programs.constants], [0, 2, 0]);
  refuses(() => population({ tokens, constants, offsets }, { variables: ['x'] }), /tokens.* is detached/, 'ERR_STATE');
});

test('rows, errors of cases and bounds', () => {
  const next = generator(6);
  const rows = 5000;
  const columns = columnsOf(next, rows);
  const target = columns.x.map((x) => x ** 2);
  const programs = Array.from({ length: 30 }, () => randomProgram(next, EXACT, variables, 4)).concat('x * x');
  const all = population(programs, { variables });
  const chosen = Int32Array.from({ length: 300 }, () => Math.floor(next() * rows));
  const few = Object.fromEntries(variables.map((name) => [name, Float64Array.from(chosen, (i) => columns[name][i])]));
  assert.deepEqual(all.fitness(columns, target, { rows: chosen }).values, all.fitness(few, Float64Array.from(chosen, (i) => target[i])).values);
  const errors = all.errors(columns, target, { rows: chosen, loss: 'mae' }).toArray();
  const values = all.predict(columns, { rows: [...chosen] }).toArray();
  errors.forEach((row, p) => row.forEach((each, i) => assert.ok(Object.is(each, Math.abs(values[p][i] - target[chosen[i]])))));
  for (const loss of ['mse', 'rmse', 'mae']) {
    const exact = all.fitness(columns, target, { loss, threads: 1 }).values;
    for (const bound of [0, 0.5, 4, 1e9]) {
      const got = all.fitness(columns, target, { loss, bound, threads: 2 }).values;
      exact.forEach((each, p) => assert.equal(got[p], each <= bound ? each : each > bound ? Infinity : got[p]));
      exact.forEach((each, p) => assert.ok(!Number.isNaN(each) || Number.isNaN(got[p]) || got[p] === Infinity));
    }
  }
});

test('a loss of the user', () => {
  const next = generator(7);
  const rows = 3001;
  const columns = columnsOf(next, rows);
  const target = Float64Array.from({ length: rows }, next);
  const weights = Float64Array.from({ length: rows }, () => Math.floor(next() * 3));
  const huber = (f, y) => {
    const d = Math.abs(f - y);
    return d < 1 ? d * d : 2 * d - 1;
  };
  const text = 'case when abs(f - y) < 1 then (f - y) * (f - y) else 2 * abs(f - y) - 1 end';
  const all = population(['x', 'y * z', '1'], { variables });
  const values = all.predict(columns).toArray();
  const total = weights.reduce((a, b) => a + b);
  const expected = values.map((row) => row.reduce((sum, f, i) => sum + weights[i] * huber(f, target[i]), 0) / total);
  refuses(() => all.fitness(columns, target, { loss: text }), /no expression of numbers/, 'ERR_PARSE');
  for (const loss of [huber, native(huber)]) {
    const got = all.fitness(columns, target, { loss, weights, threads: 2 }).values;
    got.forEach((each, i) => assert.ok(near(each, expected[i], 1e-12)));
    assert.deepEqual(all.fitness(columns, target, { loss, weights, threads: 1 }).values, got);
    const errors = all.errors(columns, target, { loss, rows: [5, 0, 3000] }).toArray();
    assert.deepEqual(errors, values.map((row) => [5, 0, 3000].map((i) => huber(row[i], target[i]))));
    const [bound] = got;
    const bounded = all.fitness(columns, target, { loss, weights, bound }).values;
    assert.deepEqual([...bounded], [...got].map((each) => (each <= bound ? each : Infinity)));
    const chosen = [7, 7, 2999];
    const few = all.fitness(columns, target, { loss, rows: chosen }).values;
    few.forEach((each, p) => assert.ok(near(each, chosen.reduce((sum, i) => sum + huber(values[p][i], target[i]), 0) / 3, 1e-12)));
  }
  // The same sums as those of a term.
  const distance = (f, y) => Math.abs(f - y);
  for (const dtype of ['f64', 'f32']) {
    const own = population(['x', 'y * z', '1'], { variables, dtype });
    const got = own.fitness(columns, target, { loss: distance, weights }).values;
    const wanted = own.fitness(columns, target, { loss: 'mae', weights }).values;
    got.forEach((each, i) => assert.ok(near(each, wanted[i], dtype === 'f64' ? 0 : 1e-5)));
  }
  assert.deepEqual(all.fitness(columns, target, { loss: (f) => f, rows: [1] }).values, Float64Array.from(values, (row) => row[1]));
});

test('losses that are no functions of numbers', () => {
  const all = population(['x'], { variables: ['x'] });
  const of = (loss, options) => () => all.fitness({ x: [1] }, [1], { loss, ...options });
  refuses(of(() => 1), /it has no parameters/);
  refuses(of((f) => { if (f > 0) throw new Error('no'); return f; }), /it may throw at .*: return NaN instead/, 'ERR_UNSUPPORTED'); // prettier-ignore
  refusesCode(of((f) => Math.random() * f), /Math.random is not supported/);
  refuses(of((f) => f, { linearScaling: true }), /linear scaling is for/, 'ERR_UNSUPPORTED');
  refuses(() => all.predict({ x: [1] }, { loss: (f) => f }), /unknown option/);
  assert.deepEqual(of((f, y) => f - y)(), { values: Float64Array.of(0) });
});

test('texts of names and numbers that need care are read back', () => {
  const own = ['a b', 'in', 'X', 'π'];
  const trees = [['add', 'a b', ['mul', 'in', 'X']], ['max', 'π', -Infinity], ['add', NaN, Infinity], ['sub', -0, -2], 1e-300];
  const all = population(trees, { variables: own });
  const again = population(trees.map((_, i) => all.toString(i)), { variables: own });
  assert.deepEqual(again.programs, all.programs);
  assert.equal(all.toLatex(1), '\\max\\left(\\mathrm{π}, -\\infty\\right)');
});

test('texts of every form that are programs, and those that are none', () => {
  const own = ['x', 'a.b', 'y'];
  const ops = ['add', 'sub', 'mul', 'neg', 'pow', 'sin', 'greater', 'choose'];
  const read = (text) => {
    const { tokens, constants } = population([text], { variables: own, ops }).programs;
    return [...tokens].map((token, i) => (token >= 0 ? ops[token] : token === -1 ? constants[i] : own[-2 - token])).join(' ');
  };
  const cases = {
    'a.b - x': 'a.b x sub', '"a.b"': 'a.b', '-3 * -x': '-3 x neg mul', '-(3)': '-3', '-3 ** 2': '3 2 pow neg', '2 ** -x': '2 x neg pow',
    '- 0': '0', '1 * -0.0': '1 0 mul', 'x.sin()': 'x sin', 'sin(+x)': 'x sin', 'choose(x > y, 1.5m, 2,)': 'x y greater 1.5 2 choose',
    'SIN(x) /* one */ + 1_000': 'x sin 1000 add', '((x))-(y)-- all': 'x y sub', '1e3-.5': '1000 0.5 sub', 'x--y': 'x y neg sub',
  };
  for (const [text, expected] of Object.entries(cases)) assert.equal(read(text), expected, text);
  assert.ok(Object.is(population(['-0.0'], { variables: own }).programs.constants[0], -0));
  assert.ok(Object.is(population(['-0'], { variables: own }).programs.constants[0], 0));
  const wrong = {
    'a.c + x': /unknown variable 'a.c'/, a: /unknown variable 'a'/, 'sin(q) +': /unknown variable 'q'/, 'x + ': /expected a value/,
    'x < y': /unknown operator 'less'/, 'x > y > 1': /no expression of numbers/, 'x > 0 ? 1 : 2': /no expression of numbers/,
    'sin(case when x > 0 then 1 end)': /no expression of numbers/, 'x in (1, 2)': /no expression of numbers/, "'a' + 1": /is no number/,
    'add(x)': /'add' takes 2 operands, got 1/, 'add(x, :y)': /no expression of numbers/, null: /is no number/, 'x between 1 and y': /unknown operator|no expression/,
    'x y': /expected an operator/, 'sin(x).b': /expected '\('/, '1.b': /a number ends in 'b'|after/, '': /expected a value/,
  };
  for (const [text, message] of Object.entries(wrong)) assert.throws(() => read(text), (error) => message.test(error.message), text);
  // What went wrong in one text is not there in the next.
  refuses(() => population(['x', 'x + a', 'y'], { variables: own }), /unknown variable 'a'/);
});

test('names that mean something to texts, and a name alone', () => {
  for (const name of ['count', 'extract', 'trim', 'substring', 'position', 'cast', 'if', 'and', 'timestampadd', 'isin']) {
    const options = { variables: ['x'], ops: ['add', { name, operands: ['p'], expression: 'p + 1' }] };
    const text = population([['add', [name, 'x'], 2]], options).toString(0);
    assert.deepEqual([...population([text], options).predict({ x: [1] }).data], [4], text);
  }
  const texts = ['x + y', '1', '(x + y)', '"x y"'];
  for (const program of [['add', 'x', 'y'], 1, 'x + y', '"x y"', 'x y']) {
    const options = { variables: ['x', 'y', 'x y', ...texts] };
    const row = { 'x': [1], 'y': [2], 'x y': [4], 'x + y': [50], '1': [60], '(x + y)': [70], '"x y"': [80] };
    const all = population([program], options);
    alike(population([all.toString(0)], options).predict(row).data, all.predict(row).data);
  }
  const odd = ['x y', 'and', 'true', 'a--b', '1'];
  const all = population(odd, { variables: odd });
  assert.deepEqual(all.predict([[1], [2], [3], [4], [5]]).toArray(), [[1], [2], [3], [4], [5]]);
});

test('negated zeros keep their sign in texts', () => {
  for (const program of [['neg', 0], ['neg', -0], ['neg', ['neg', 0]], ['mul', ['neg', 0], 'x']]) {
    const [all, again] = [program, population([program], { variables: ['x'] }).toString(0)].map((each) => population([each], { variables: ['x'] }));
    alike(again.predict({ x: [1, -1] }).data, all.predict({ x: [1, -1] }).data);
  }
});

test('LaTeX of numbers and names that need care', () => {
  const names = ['x', 'x_', 'a^b', 'c\\d', 'x_1', 'rate_of_y', 'x__y'];
  const latex = (program) => population([program], { variables: names }).toLatex(0);
  assert.equal(latex(['pow', 1e-7, 'x']), '\\left(1 \\cdot 10^{-7}\\right)^{x}');
  assert.equal(latex(['pow', 'x', 1e-7]), 'x^{1 \\cdot 10^{-7}}');
  assert.equal(latex(['add', -0, 'x_']), '-0 + \\mathrm{x\\_}');
  assert.equal(latex(['add', 'a^b', 'c\\d']), '\\mathrm{a\\wedge{}b} + \\mathrm{c\\backslash{}d}');
  assert.equal(latex(['add', 'x_1', 'rate_of_y']), 'x_{1} + \\mathrm{rate}_{of\\_y}');
  assert.equal(latex(['add', 'x__y', 0]), '\\mathrm{x\\_\\_y} + 0');
});

test('operators of the user', () => {
  const ops = ['add', 'mul', { name: 'bend', operands: ['p', 'q'], expression: 'p * p / (1 + abs(q))' }];
  const all = population(['bend(x, y) + 1', ['bend', ['add', 'x', 1], 'y']], { variables, ops });
  assert.deepEqual(all.predict({ x: [2], y: [-3], z: [0] }).toArray(), [[2], [9 / 4]]);
  assert.deepEqual(all.ops, ['add', 'mul', 'bend']);
  assert.equal(all.toString(0), 'bend(x, y) + 1');
});

/** Functions of one, two and three numbers, with loops and branches, and what their operators are called. */
const OWN = {
  twist: (p, q) => (p > q ? p / (1 + Math.abs(q)) : Math.sin(q) - p),
  raised: (base, exponent) => {
    let result = 1;
    for (let i = Math.min(Math.abs(Math.trunc(exponent)), 9); i > 0; i--) result *= base;
    return result;
  },
  between: (v, low, high) => v >= low && v < high,
  third: (a) => Math.cbrt(a) / 3,
};

test('operators that are native functions have the bits of the functions', () => {
  const next = generator(11);
  const names = ['add', 'sub', 'mul', 'neg', 'choose', ...Object.keys(OWN)];
  const ops = ['add', 'sub', 'mul', 'neg', 'choose', native(OWN.twist), { name: 'raised', native: native(OWN.raised) }, { name: 'between', native: OWN.between }, OWN.third];
  const every = { ...OPERATORS, ...OWN };
  const grow = (depth) => {
    if (depth === 0 || next() < 0.15) return next() < 0.7 ? variables[Math.floor(next() * 3)] : Math.round(next() * 60 - 30) / 10;
    const name = names[Math.floor(next() * names.length)];
    return [name, ...Array.from({ length: every[name].length }, () => grow(depth - 1))];
  };
  const valueIn = (program, row) => (typeof program === 'number' ? program : typeof program === 'string' ? row[program] : Number(every[program[0]](...program.slice(1).map((each) => valueIn(each, row)))));
  for (const rows of [0, 1, 2, 17, 255, 257, 1021]) {
    const programs = Array.from({ length: 40 }, () => grow(5)).concat([['twist', 1, 2], ['between', 'x', -1, 1], ['raised', 'y', 'y'], ['between', 0, 'x', ['third', 8]]]);
    const columns = columnsOf(next, rows, 0.1);
    const all = population(programs, { variables, ops });
    const values = all.predict(columns, { threads: 2 });
    programs.forEach((program, p) => {
      for (let i = 0; i < rows; i++) {
        const [got, expected] = [values.data[p * rows + i], valueIn(program, rowOf(columns, i))];
        assert.ok(Object.is(got, expected) || got === expected, `${JSON.stringify(program)}: ${got}, expected ${expected}`);
      }
    });
    alike(all.predict(columns, { threads: 1 }).data, values.data);
    const again = population(programs.map((_, i) => all.toString(i)), { variables, ops });
    alike(again.predict(columns).data, values.data);
    alike(population(encode(programs, all.ops, variables, 'prefix'), { variables, ops }).predict(columns).data, values.data);
    all.dispose();
    if (rows !== 17) continue;
    for (const dtype of ['f64', 'f32']) {
      const own = population(programs, { variables, ops, dtype });
      const narrow = dtype === 'f64' ? columns : Object.fromEntries(variables.map((name) => [name, Float32Array.from(columns[name])]));
      const got = own.predict(narrow);
      programs.forEach((_, p) => alike(own.toGraph(p).compile({ tier: 'auto' }).run(narrow).value.data, got.data.slice(p * rows, (p + 1) * rows)));
    }
  }
});

test('operators that are native functions have derivatives', () => {
  const next = generator(12);
  const x = Float64Array.from({ length: 400 }, () => next() * 2);
  const wave = native((a, b) => (b > 0 ? Math.sin(a) * b : a) + a);
  const target = x.map((v) => wave(1.3 * v, 0.4) - 0.2);
  const ops = ['add', 'mul', 'sin', { name: 'wave', native: wave }, { name: 'same', operands: ['a', 'b'], expression: 'sin(a) * b + a' }];
  const tree = (name) => ['add', [name, ['mul', 1.25, 'x'], 0.5], 0];
  for (const [dtype, least] of [['f64', 1e-20], ['f32', 1e-10]]) {
    const all = population([tree('wave'), tree('same')], { variables: ['x'], ops, dtype });
    const { programs, values } = all.fitConstants({ x }, target, { iterations: 60 });
    assert.ok(values[0] < least && values[1] < least, `${values}`);
    const found = [...programs.constants].filter((each) => each !== 0).map((each) => Math.round(each * 1e3) / 1e3);
    assert.deepEqual(found, [1.3, 0.4, -0.2, 1.3, 0.4, -0.2]);
  }
  // Steps have none, and do no harm to what has.
  const steps = [...ops, { name: 'above', native: (a, b) => a > b }, { name: 'whole', native: (a) => a | 0 }];
  const trees = [['add', ['above', ['mul', 2, 'x'], 0.5], 0], ['whole', ['mul', 3, 'x']]];
  const fitted = population(trees, { variables: ['x'], ops: steps }).fitConstants({ x: [0, 1] }, [5, 6]);
  assert.deepEqual([...fitted.programs.constants], [2, 0, 0, 0.5, 0, 5, 0, 3, 0, 0, 0]);
  const { values } = population([['wave', 'x', 1.5]], { variables: ['x'], ops }).fitConstants({ x: [] }, []);
  assert.ok(Number.isNaN(values[0]));
});

test('functions that are no operators', () => {
  const table = Float64Array.of(1, 2);
  const of = (each) => () => population([], { variables: ['x'], ops: [each] });
  const one = (fn) => of({ name: 'f', native: fn });
  refuses(one('a'), /a function for operator 'f', got "a"/);
  refuses(one(() => 1), /a function of 1 to 3 numbers for operator 'f', it has 0 parameters/);
  refuses(one((a, b, c, d) => a + b + c + d), /it has 4 parameters/);
  refuses(one((...all) => all[0]), /it has rest parameters/);
  refusesCode(one((a) => a[0]), /a number has no elements/);
  refuses(one(native((a) => a[0], '(f64[])')), /expected f64\[\] for argument 1/, 'ERR_DTYPE');
  refuses(one((a) => { if (a < 0) throw new RangeError('negative'); return a; }), /it may throw at .* \(RangeError negative\): return NaN instead/, 'ERR_UNSUPPORTED'); // prettier-ignore
  refuses(one(native((a) => (a > 0 ? table[0] : table[1]) + 0, { capture: { table } })), /it captures an array/, 'ERR_UNSUPPORTED');
  refusesCode(one((a) => a * Math.random()), /Math.random is not supported/);
  refuses(one((a) => [a]), /return one number/, 'ERR_UNSUPPORTED');
  refuses(one((a) => BigInt.asIntN(64, BigInt(Math.trunc(a) | 0))), /it returns a bigint/, 'ERR_UNSUPPORTED');
  refuses(one(Math.sin), /has no source/, 'ERR_UNSUPPORTED');
  refuses(one(function f(a) { return a < 1 ? 1 : a * f(a - 1); }), /it calls itself/, 'ERR_UNSUPPORTED'); // prettier-ignore
  refuses(of(native((a) => a)), /a function that has a name, or { name, native }/);
  refuses(of({ name: 'Big', native: (a) => a }), /a name of small letters, digits and underscores/);
  refuses(of({ native: (a) => a }), /{ name, native }/);
  refuses(of({ name: 'power', native: (a) => a }), /'power' is what texts call operator 'pow'/);
  refuses(() => population([], { variables, ops: [{ name: 'add', native: (a) => a }, 'add'] }), /'add' is there twice/);
  refuses(() => population([['f', 'x']], { variables, ops: [{ name: 'f', native: (a, b) => a + b }] }), /'f' takes 2 operands, got 1/);
  // A parameter that has a default is one, and so is one that nobody reads.
  const ops = [{ name: 'f', native: (a, b = 2) => a * b }];
  assert.deepEqual(population([['f', 'x', 'x']], { variables: ['x'], ops }).predict({ x: [3] }).toArray(), [[9]]);
  assert.deepEqual(population([['f', 'x']], { variables: ['x'], ops: [{ name: 'f', native: (_) => 4 }] }).predict({ x: [3, 1] }).toArray(), [[4, 4]]);
});

test('code of functions stays as long as a population needs it', async () => {
  const x = Float64Array.from({ length: 300 }, (_, i) => i);
  const make = (k) => population([['f', 'x']], { variables: ['x'], ops: [{ name: 'f', native: native(`(a) => a * ${k}`) }] });
  const all = Array.from({ length: 20 }, (_, k) => make(k));
  await gcUntil(() => false, 3);
  all.forEach((each, k) => assert.equal(each.fitness({ x }, x, { loss: native(`(f, y) => f - ${k} * y`) }).values[0], 0));
  await gcUntil(() => false, 3);
  all.forEach((each, k) => assert.equal(each.fitness({ x }, x, { loss: native(`(f, y) => f - ${k + 1} * y`) }).values[0], -149.5));
  all.forEach((each) => each.dispose());
});

test('programs as deep as memory allows', () => {
  const depth = 100_000;
  let chain = 'x';
  let left = 'x';
  let right = 'x';
  for (let i = 0; i < depth; i++) {
    chain = ['neg', chain];
    left = ['add', left, ['mul', i, 'y']];
    right = ['add', ['mul', i, 'y'], right];
  }
  const all = population([chain, left, right], { variables });
  const sum = (depth * (depth - 1)) / 2;
  assert.deepEqual(all.predict({ x: [1, 2], y: [1, -1], z: [0, 0] }).toArray(), [[1, 2], [sum + 1, 2 - sum], [sum + 1, 2 - sum]]);
  assert.ok(all.toString(0).startsWith('-(-(-('));
});

test('what is empty', () => {
  assert.deepEqual(population([], { variables }).predict({ x: [1], y: [1], z: [1] }).shape, [0, 1]);
  assert.deepEqual(population([], { variables }).fitness({ x: [1], y: [1], z: [1] }, [1]).values.length, 0);
  assert.deepEqual(population(['x'], { variables }).predict({ x: [], y: [], z: [] }).shape, [1, 0]);
  assert.ok(Number.isNaN(population(['x'], { variables }).fitness({ x: [], y: [], z: [] }, []).values[0]));
  assert.deepEqual([...population([1, ['add', 1, 2]], { variables: [] }).fitness({}, [1, 2, 3]).values], [5 / 3, 5 / 3]);
  assert.deepEqual(population([NaN, -Infinity], { variables }).predict({ x: [1], y: [1], z: [1] }).toArray(), [[NaN], [-Infinity]]);
});

test('wrong programs', () => {
  const loop = ['sin', 'x'];
  loop[1] = ['cos', loop];
  let shared = 'x';
  for (let i = 0; i < 64; i++) shared = ['add', shared, shared];
  const arrays = (tokens, offsets = [0, tokens.length], constants = tokens) => ({ tokens: Int32Array.from(tokens), constants: Float64Array.from(constants), offsets: Uint32Array.from(offsets) });
  const cases = [
    [[['add', 'x']], /program 0: operator 'add' takes 2 operands, got 1/],
    [[['foo', 'x']], /unknown operator 'foo'/],
    [[[]], /expected a name of an operator/],
    [['w'], /unknown variable 'w'/],
    [[null], /for program 0, got null/],
    [[['sin', {}]], /a part of program 0/],
    [['x ^ 2'], /powers are '\*\*'/, 'ERR_PARSE'],
    [['case when x > 0 then 1 end'], /no expression of numbers/, 'ERR_PARSE'],
    [[loop], /program 0 contains itself/],
    [[shared], /program 0 has more than 8388608 parts/],
    [arrays([0]), /program 0: token 0 is an operator of 2 operands, of which 0 are there/],
    [arrays([-1, -1]), /program 0: its 2 tokens are 2 values/],
    [arrays([-5]), /token 0 is variable 3, and there are 3/],
    [arrays([-2147483648]), /token 0 is variable 2147483646/],
    [arrays([2147483647]), /token 0 is operator 2147483647/],
    [arrays([-1], [0, 1, 0]), /offsets go from 0 to 0/],
    [arrays([-1], [0, 2, 1]), /offset 2 is 1, less than the one before/],
    [arrays([-1], [0, 0, 1]), /program 0: its 0 tokens/],
    [arrays([-1], []), /one offset more/],
    [arrays([-1], [0, 1], []), /1 tokens and 0 constants/, 'ERR_SHAPE'],
    [{ tokens: [1] }, /expected a Int32Array/],
    [7, /expected an array of programs/],
  ];
  for (const [programs, message, code] of cases) refuses(() => population(programs, { variables }), message, code);
  refuses(() => population([], {}), /option 'variables'/);
  refuses(() => population([], { variables: ['x', 'x'] }), /'x' is there twice/);
  refuses(() => population([], { variables, ops: ['add', 'add'] }), /'add' is there twice/);
  refuses(() => population([], { variables, ops: ['ad'] }), /did you mean 'add'/);
  refuses(() => population([], { variables, ops: [{ name: 'f', operands: ['p'], expression: 'q' }] }), /unknown variable 'q'/);
  const long = `${'square('.repeat(12)}p${')'.repeat(12)}`;
  refuses(() => population([], { variables, ops: [{ name: 'f', operands: ['p'], expression: long }] }), /more than 256 parts/);
});

test('wrong data', () => {
  const all = population(['x'], { variables: ['x'] });
  refuses(() => all.predict({}), /column 'x' is missing/);
  refuses(() => all.predict({ x: 'a' }), /column 'x'/);
  refuses(() => all.predict({ x: [1] }, { rows: [1] }), /row 0 of option 'rows', got 1/);
  refuses(() => all.fitness({ x: [1] }, [1, 2]), /the target has 2 elements, expected 1/, 'ERR_SHAPE');
  refuses(() => all.fitness({ x: [1] }, [1], { weights: [-1] }), /weight 0, got -1/);
  refuses(() => all.fitness({ x: [1] }, [1], { loss: 'mea' }), /did you mean 'mae'/);
  refuses(() => all.fitness({ x: [1] }, [1], { loss: 'f - q' }), /unknown variable 'q'/);
  refuses(() => all.fitness({ x: [1] }, [1], { loss: 'mae', linearScaling: true }), /linear scaling is for/, 'ERR_UNSUPPORTED');
  refuses(() => all.fitness({ x: [1] }, [1], { loss: 'r2', bound: 1 }), /takes no bound/, 'ERR_UNSUPPORTED');
  const moved = Float64Array.of(1);
  structuredClone(moved, { transfer: [moved.buffer] });
  refuses(() => all.predict({ x: moved }), /detached/, 'ERR_STATE');
  all.dispose();
  all.dispose();
  refuses(() => all.predict({ x: [1] }), /disposed/, 'ERR_STATE');
});

test('constants are fitted, and derivatives by them are those of differences', () => {
  const next = generator(8);
  const rows = 1500;
  const columns = columnsOf(next, rows);
  const target = Float64Array.from({ length: rows }, (_, i) => 2.5 * Math.exp(-0.7 * columns.x[i]) + columns.y[i] / 3 - 1);
  const weights = Float64Array.from({ length: rows }, () => Math.floor(next() * 3));
  for (const order of ['prefix', 'postfix']) {
    const ops = ['add', 'sub', 'mul', 'div', 'exp'];
    const tree = ['sub', ['add', ['mul', 1, ['exp', ['mul', -1, 'x']]], ['div', 'y', 2]], 0];
    const all = population(encode([tree, 'x', 3], ops, variables, order), { variables, ops });
    const { programs, values } = all.fitConstants(columns, target, { iterations: 60, weights, threads: 1 });
    const found = [...programs.constants].filter((each) => each !== 0).map((each) => Math.round(each * 1e6) / 1e6).sort();
    const mean = target.reduce((sum, y, i) => sum + weights[i] * y, 0) / weights.reduce((a, b) => a + b);
    assert.deepEqual(found, [-0.7, 1, 2.5, 3, Math.round(mean * 1e6) / 1e6].sort());
    assert.ok(values[0] < 1e-20);
    const again = population(programs, { variables, ops });
    assert.deepEqual(again.fitness(columns, target, { weights }).values[1], values[1]);
    assert.deepEqual(all.fitConstants(columns, target, { iterations: 60, weights, threads: 2 }).programs.constants, programs.constants);
  }
});

test('every operator fits a constant', () => {
  const next = generator(9);
  const x = Float64Array.from({ length: 200 }, () => 0.2 + 0.5 * next());
  // A small residual, so that one step of Gauss and Newton shows the derivative.
  for (const [name, apply] of Object.entries(OPERATORS)) {
    if (['greater', 'less', 'sign', 'floor', 'ceil'].includes(name)) continue; // steps
    const [shift, from, to] = name === 'acosh' ? [1.1, 0.3, 0.35] : name === 'relu' ? [0, 0.3, 0.35] : [0, 0.3, 0.33];
    const tree = (c) => [name, ['add', ['mul', c, 'x'], shift], ...['x', 0.9].slice(0, apply.length - 1)];
    const target = x.map((each) => valueOf(tree(to), { x: each }));
    const all = population([tree(from)], { variables: ['x'] });
    const { programs, values } = all.fitConstants({ x }, target, { iterations: 100 });
    assert.ok(values[0] < 1e-14, `${name}: ${values[0]} with ${programs.constants}`);
  }
});

test('what cannot be fitted stays as it is', () => {
  const many = Array.from({ length: 70 }, (_, i) => i).reduce((tree, i) => ['add', tree, ['mul', i, 'x']], 'x');
  const all = population([many, ['log', ['mul', -1, 'x']], ['sign', ['mul', 2, 'x']], 'x'], { variables: ['x'] });
  const { programs, values } = all.fitConstants({ x: [1, 2] }, [1, 2]);
  assert.deepEqual(programs.constants, all.programs.constants);
  assert.ok(Number.isNaN(values[1]));
  assert.equal(values[3], 0);
  assert.deepEqual(population([], { variables: ['x'] }).fitConstants({ x: [1] }, [1]).values.length, 0);
  assert.ok(Number.isNaN(population([2], { variables: ['x'] }).fitConstants({ x: [] }, []).values[0]));
});

test('few rows: programs are divided among threads', () => {
  const next = generator(10);
  const programs = Array.from({ length: 200 }, () => randomProgram(next, EXACT, variables, 5));
  for (const rows of [1, 20, 256, 257]) {
    const columns = columnsOf(next, rows, 0.02);
    const target = Float64Array.from({ length: rows }, next);
    const all = population(programs, { variables });
    const told = (threads) => [
      all.predict(columns, { threads }).data, all.fitness(columns, target, { threads, loss: 'mae' }).values,
      all.fitness(columns, target, { threads, bound: 1 }).values, all.fitness(columns, target, { threads, linearScaling: true }).slopes,
      all.fitConstants(columns, target, { threads, iterations: 3 }).programs.constants,
    ];
    const expected = told(1);
    for (const threads of [2, 7, 256]) told(threads).forEach((each, i) => alike(each, expected[i]));
  }
});
