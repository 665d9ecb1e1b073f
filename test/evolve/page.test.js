// The page of a symbolic regression, and formulas as MathML. What happens on it is in test/browser/front.test.js.
'use strict';

const assert = require('node:assert/strict');
const crypto = require('node:crypto');
const { test } = require('node:test');
const { symbolicRegression } = require('graphjit');
const expression = require('../../lib/evolve/expression.js');
const { languageOf } = require('../../lib/evolve/operators.js');
const { toMathml } = require('../../lib/evolve/regression/mathml.js');
const { throwsGraphError } = require('../support/errors.js');

const x = Float64Array.from({ length: 30 }, (_, i) => i / 10 - 1.5);
const quick = { populationSize: 30, islands: 2, generations: 6, maxSize: 9, seed: 1 };
const dataOf = (page) => JSON.parse(/<script type="application\/json" id="data">([^]*?)<\/script>/.exec(page)[1]);
const count = (page, pattern) => [...page.matchAll(pattern)].length;

test('every operator is typeset, and what binds less is in brackets', () => {
  const language = languageOf([...languageOf(undefined, false, 'test', expression.reader('test')).numbers.keys(), { name: 'own', operands: ['p'], expression: 'p + 1' }], false, 'test', expression.reader('test'));
  const plain = (text, variables = ['x', 'y']) => {
    const { tokens, constants } = expression.read(text, variables, language, 'test');
    const markup = String(toMathml({ tokens: Int32Array.from(tokens), constants: Float64Array.from(constants) }, variables, language));
    const stack = [];
    for (const [, close, tag] of markup.matchAll(/<(\/?)(\w+)[^>]*>/g)) close ? assert.equal(stack.pop(), tag, markup) : stack.push(tag);
    assert.deepEqual(stack, []);
    return markup.replace(/<mfrac>/g, '{').replace(/<\/mfrac>/g, '}').replace(/<ms(?:up|ub)>/g, '^').replace(/<[^>]*>/g, '');
  };
  const cases = {
    'x + y * 2': 'x+y·2', '(x + y) * 2': '(x+y)·2', 'x - (y - 1)': 'x−(y−1)', 'x + -0.25': 'x−0.25', 'x - -0.25': 'x+0.25', 'x - -y': 'x−(−y)', '-(x + y)': '−(x+y)', 'x * -2': 'x·(−2)',
    'x / (y + 1)': '{xy+1}', '(x + 1) ** (y + 1)': '^(x+1)y+1', 'exp(x + y)': '^ex+y', 'exp(x) ** 2': '^(^ex)2', 'square(x + 1)': '^(x+1)2', 'cube(sin(x))': '^sin\u2061(x)3', 'sqrt(x + y)': 'x+y', 'inv(x)': '{1x}',
    'abs(x - y)': '|x−y|', 'floor(x)': '⌊x⌋', 'log(x)': 'ln\u2061(x)', 'log10(x)': '^log10\u2061(x)', 'asin(x)': 'arcsin\u2061(x)', 'hypot(x, y + 1)': 'hypot\u2061(x,y+1)', 'own(x)': 'own\u2061(x)', 'choose(x, y, 1)': 'choose\u2061(x,y,1)',
    '3.14159265': '3.1416', '1.5e-20 * x': '1.5×^10−20·x', '-1.5e300': '−1.5×^10300', "float 'nan'": 'NaN', "-float 'infinity'": '−∞', 'x * 1.5e7': 'x·15000000',
  };
  for (const [text, wanted] of Object.entries(cases)) assert.equal(plain(text), wanted, text);
  assert.equal(plain('m_0 + a', ['m_0', 'a']), '^m0+a');
  assert.equal(plain('"a<b"', ['a<b']), 'a&lt;b');
  for (const [name, number] of language.numbers) assert.ok(plain(`${name}(${Array(language.arity(number)).fill('x').join(', ')})`).includes('x'), name);
});

test('an operator of the user with the name of a built-in one is typeset as a function', () => {
  const read = expression.reader('test');
  const ops = ['div', 'pow', 'log'].map((name) => ({ name, operands: ['p'], expression: 'p + 1' }));
  const language = languageOf(ops, false, 'test', read);
  for (const { name } of ops) {
    const { tokens, constants } = expression.read(`${name}(x)`, ['x'], language, 'test');
    const markup = String(toMathml({ tokens: Int32Array.from(tokens), constants: Float64Array.from(constants) }, ['x'], language));
    assert.equal(markup.replace(/<[^>]*>/g, ''), `${name}\u2061(x)`);
  }
});

test('a page has the front, its formulas and fits, and allows nothing but its own style and script', () => {
  const model = symbolicRegression(quick).fit({ x }, x.map((each) => Math.exp(each) + each));
  const page = model.toHtml({ title: 'growth' });
  const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(page)[1].replace(/&#39;/g, "'");
  const inside = [/<style>([^]*?)<\/style>/, /<script>([^]*?)<\/script>/].map((part) => part.exec(page)[1]);
  for (const text of inside) assert.ok(policy.includes(`'sha256-${crypto.createHash('sha256').update(text).digest('base64')}'`));
  assert.match(policy, /^default-src 'none'/);
  assert.doesNotMatch(page.replace(inside[0], '').replace(inside[1], ''), /\b(?:src|href)="(?!#|data:,)|\sstyle="|\son\w+="/);
  assert.match(page, /<title>growth – graphjit<\/title>/);
  const { front, best } = model;
  for (const pattern of [/<circle class="dot/g, /<tr data-i=/g, /data-chosen="/g]) assert.equal(count(page, pattern), front.length);
  const data = dataOf(page);
  assert.equal(data.best, front.indexOf(best));
  assert.deepEqual([data.y.length, data.values.length, data.curves.length, data.curves[0].length], [30, front.length, front.length, data.grid.length]);
  const predicted = model.predict({ x }).data;
  assert.ok(data.values[data.best].every((value, i) => Math.abs(value - predicted[i]) <= 1e-5 * Math.abs(predicted[i])));
});

test('pages of many rows, of several variables, of losses that are 0 and below', () => {
  const long = Float64Array.from({ length: 2503 }, (_, i) => i);
  const large = dataOf(symbolicRegression({ ...quick, generations: 1 }).fit({ long, x: long }, long).toHtml());
  assert.deepEqual([large.y.length, large.x, large.grid, large.curves[0]], [1000, null, null, null]);
  assert.ok(large.y.every((each, i) => each === Math.floor(i * 2.503)));
  const exact = symbolicRegression({ ...quick, constantRange: 0, ops: ['add'] }).fit({ x }, x);
  assert.equal(exact.best.loss, 0);
  const below = symbolicRegression({ ...quick, loss: 'abs(f - y) - 9' }).fit({ x }, x.map(Math.sin));
  const one = symbolicRegression({ ...quick, ops: [] }).fit({ x: [3] }, [5]);
  assert.match(one.toHtml(), /<dt>R²<\/dt><dd>–/);
  for (const model of [exact, below, one]) {
    const page = model.toHtml();
    assert.doesNotMatch(page.replace(/<script[^]*/, ''), /NaN|Infinity|undefined/);
    assert.equal(count(page, /<circle class="dot/g), model.front.length);
  }
});

test('names stay text, values that are no numbers are left out', () => {
  const name = '</script><b onclick=1>\u202e';
  const model = symbolicRegression({ ...quick, ops: ['log', 'add', 'mul'] }).fit({ [name]: x, z: x }, x.map(Math.exp), { weights: x.map((each) => Number(each > 0)) });
  const page = model.toHtml({ title: name });
  assert.doesNotMatch(page, /<b onclick|\u202e/);
  assert.ok(dataOf(page).values.flat().every((each) => each === null || Number.isFinite(each)));
});

test('what has no page', () => {
  throwsGraphError(() => symbolicRegression().toHtml(), 'ERR_STATE', /nothing was fitted yet/);
  throwsGraphError(() => symbolicRegression({ ...quick, constantRange: 0 }).fit({ x: x.map(() => NaN) }, x).toHtml(), 'ERR_STATE', /no formula has a finite loss/);
  const model = symbolicRegression({ ...quick, generations: 0 }).fit({ x }, x);
  throwsGraphError(() => model.toHtml({ title: 1 }), 'ERR_ARGUMENT', /a text for option 'title'/);
  throwsGraphError(() => model.toHtml({ name: '' }), 'ERR_ARGUMENT', /unknown option 'name'/);
});
