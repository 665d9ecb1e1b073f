// Strings of ONNX: ops on them, numbers written and read, what only moves them, and where the graph needs what they are.
'use strict';

const assert = require('node:assert/strict');
const { describe, it } = require('node:test');
const { load, tensor } = require('graphjit');
const { fullMatcher } = require('../../lib/models/shared/regular-expressions.js');
const { throwsGraphError } = require('../support/errors.js');
const { assertGives } = require('../support/onnx-load.js');
const { onnxModel } = require('../support/onnx-writer.js');

const f32 = (/** @type {any} */ list) => tensor(list, { dtype: 'f32' });
const f64 = (/** @type {any} */ list) => tensor(list, { dtype: 'f64' });
const i64 = (/** @type {any} */ ...list) => tensor(list.map(BigInt), { dtype: 'i64' });
/** @type {(op: string, inputs: Record<string, any>, outputs: readonly string[], attributes?: any, initializers?: any) => any} a model of one node */
const one = (op, inputs, outputs, attributes, initializers = {}) => ({
  nodes: [[op, [...Object.keys(inputs), ...Object.keys(initializers)], outputs, attributes]], inputs, outputs, initializers, opsets: 20,
});
const words = ['string', ['n']];

describe('StringNormalizer', () => {
  const days = ['monday', 'Tuesday', 'wéd'];
  /** @type {[string, any, any, any][]} */
  const cases = [
    ['changes case', { case_change_action: 'UPPER' }, days, ['MONDAY', 'TUESDAY', 'WÉD']],
    ['drops words as they are written', { case_change_action: 'LOWER', is_case_sensitive: 1, stopwords: ['monday', 'tuesday'] }, days, ['tuesday', 'wéd']],
    ['drops words however they are written', { stopwords: ['MONDAY', 'tuesday'] }, days, ['wéd']],
    ['leaves an empty word of none', { stopwords: ['a'] }, ['a', 'a'], ['']],
    ['takes a row', { stopwords: ['monday'] }, [days], [['Tuesday', 'wéd']]],
    ['leaves an empty word of a row', { stopwords: ['a'] }, [['a', 'a']], [['']]],
    ['knows languages', { case_change_action: 'UPPER', locale: 'tr_TR' }, ['i'], ['İ']],
  ];
  for (const [name, attributes, x, y] of cases) {
    it(name, () => assertGives(one('StringNormalizer', { x: ['string', Array.isArray(x[0]) ? [1, 'n'] : ['n']] }, ['y'], attributes), { x }, { y }));
  }

  it('refuses several rows', async () => {
    await assert.rejects(load(Buffer.from(onnxModel(one('StringNormalizer', { x: ['string', [2, 2]] }, ['y'])))), { code: 'ERR_SHAPE' });
  });
});

describe('StringConcat and StringSplit', () => {
  it('broadcasts', async () => {
    const given = one('StringConcat', { x: ['string', ['n', 2]], z: ['string', [2]] }, ['y']);
    await assertGives(given, { x: [['a', 'b'], ['c', 'd']], z: ['x', 'y'] }, { y: [['ax', 'by'], ['cx', 'dy']] });
    const odd = await load(Buffer.from(onnxModel(one('StringConcat', { x: words, z: words }, ['y']))));
    assert.throws(() => odd.run({ x: ['a', 'b'], z: ['a', 'b', 'c'] }), { code: 'ERR_SHAPE' });
    odd.dispose();
  });

  /** @type {[string, any, string[], string[][], number[]][]} */
  const cases = [
    ['at white space', {}, [' a b  c ', '', 'd'], [['a', 'b', 'c'], ['', '', ''], ['d', '', '']], [3, 0, 1]],
    ['at a delimiter', { delimiter: ',' }, ['a,b,', ''], [['a', 'b', ''], ['', '', '']], [3, 1]],
    ['at most so often', { delimiter: '.', maxsplit: 1 }, ['a.b.c', 'd'], [['a', 'b.c'], ['d', '']], [2, 1]],
    ['at white space, at most so often', { maxsplit: 1 }, [' a  b c '], [['a', 'b c ']], [2]],
  ];
  for (const [name, attributes, x, y, n] of cases) {
    it(`splits ${name}`, () => assertGives(one('StringSplit', { x: words }, ['y', 'n'], attributes), { x }, { y, n }));
  }
});

describe('RegexFullMatch', () => {
  it('gives a bool for each string', async () => {
    const pattern = '(\\W|^)[\\w.\\-]{0,25}@(yahoo|gmail)\\.com(\\W|$)';
    await assertGives(one('RegexFullMatch', { x: words }, ['y'], { pattern }), { x: ['account@gmail.com', 'account@hotmail.com', 'no'] }, { y: [true, false, false] });
  });

  /** @type {[string, string[], string[]][]} the pattern, what it matches, what it does not */
  const matches = [
    ['a*b', ['b', 'aaab'], ['a', 'bb']], ['(a|b)*c|d', ['abac', 'd'], ['ab', 'dd']], ['a{2,3}', ['aa', 'aaa'], ['a', 'aaaa']], ['a{2,}', ['aaaa'], ['a']],
    ['a{0}', [''], ['a']], ['(x*)*', ['', 'xx'], ['y']], ['.*', ['ab'], ['a\nb']], ['(?s).*', ['a\nb'], []], ['(?i)abc', ['ABC'], ['abd']],
    ['(?i:a)bc', ['Abc'], ['ABC']], ['(?m)a$\n^b', ['a\nb'], ['ab']], ['[[:alpha:]]+\\d{2}', ['ab12'], ['ab1']], ['[^\\d]+', ['abc'], ['a1']],
    ['[]a]+', [']a'], ['b']], ['[a\\-z]+', ['a-z'], ['b']], ['[a-]', ['-'], ['b']], ['[\\D1]', ['x', '1'], ['2']], ['\\pL+', ['éa'], ['1']],
    ['\\p{Greek}+', ['αβ'], ['ab']], ['\\x{1F600}', ['😀'], ['x']], ['\\Qa.b\\E+', ['a.bbb'], ['axb']], ['\\bfoo\\b', ['foo'], ['fo']], ['(?P<n>x)y', ['xy'], ['x']],
    ['\\Aa\\z', ['a'], ['b']], ['a??b', ['b', 'ab'], ['aab']], ['[[:^alpha:]]', ['1'], ['a']], ['\\101', ['A'], ['1']], ['(|a)+', ['', 'aa'], ['b']],
  ];
  for (const [pattern, yes, no] of matches) {
    it(`reads ${JSON.stringify(pattern)}`, () => {
      const matcher = fullMatcher(pattern);
      for (const string of yes) assert.ok(matcher(string), JSON.stringify(string));
      for (const string of no) assert.ok(!matcher(string), JSON.stringify(string));
    });
  }

  it('takes no longer for patterns that others never end with', () => {
    assert.equal(fullMatcher('(a+)+$')(`${'a'.repeat(5000)}b`), false);
    assert.equal(fullMatcher('(a|aa)*(a|b)*c')('a'.repeat(5000)), false);
  });

  for (const pattern of ['(', 'a)', '[a', '*a', 'a**', '(?=a)', '(?<=a)b', '\\1', 'a{2,1}', '[z-a]', 'a{1001}', '((a{1000}){1000}){1000}', '\\', '\\p{None}', '('.repeat(300)])
    it(`refuses ${pattern.slice(0, 30)}`, () => throwsGraphError(() => fullMatcher(pattern), 'ERR_PARSE', /^the pattern /));
});

describe('numbers', () => {
  const cast = (/** @type {string} */ from, /** @type {number} */ to) => one('Cast', { x: [from, ['n']] }, ['y'], { to });

  it('are written as NumPy writes them', async () => {
    const numbers = [1, 0.1, 1e-5, 0.0001, 123456789, 1e16, 1.5e-7, NaN, Infinity, -Infinity, -0, 3.14159274, 16777216];
    await assertGives(cast('f32', 8), { x: f32(numbers) }, {
      y: ['1.0', '0.1', '1e-05', '1e-04', '123456790.0', '1e+16', '1.5e-07', 'nan', 'inf', '-inf', '-0.0', '3.1415927', '16777216.0'],
    });
    await assertGives(cast('f64', 8), { x: f64([0.1, 1 / 3, 1e15, 2 ** 53, 1e100]) }, {
      y: ['0.1', '0.3333333333333333', '1000000000000000.0', '9007199254740992.0', '1e+100'],
    });
    await assertGives(cast('f16', 8), { x: tensor([0.1, 65504, 1 / 3], { dtype: 'f16' }) }, { y: ['0.1', '65500.0', '0.3333'] });
    await assertGives(cast('i64', 8), { x: i64(1n, -5n, 9007199254740993n) }, { y: ['1', '-5', '9007199254740993'] });
    await assertGives(cast('bool', 8), { x: tensor([true, false], { dtype: 'bool' }) }, { y: ['True', 'False'] });
  });

  it('are read', async () => {
    await assertGives(cast('string', 1), { x: ['1', '-2.5e3', 'NaN', 'INF', '-inf', '+INF', ' .5 '] }, { y: [1, -2500, NaN, Infinity, -Infinity, Infinity, 0.5] });
    const model = await load(Buffer.from(onnxModel(cast('string', 7))));
    assert.deepEqual([...model.run({ x: ['1', '-25', '9007199254740993', '2.9'] }).y.data], [1n, -25n, 9007199254740993n, 2n]);
    assert.throws(() => model.run({ x: ['1', 'two'] }), { code: 'ERR_ARGUMENT', message: /"two" is no number/ });
    assert.throws(() => model.run({ x: [1, 2] }), { code: 'ERR_ARGUMENT' });
    model.dispose();
  });

  it('that the graph computes are written, read and split, which asks for them', async () => {
    const given = {
      nodes: [['Add', ['x', 'x'], ['z']], ['Cast', ['z'], ['t'], { to: 8 }], ['Cast', ['t'], ['y'], { to: 11 }], ['StringSplit', ['t'], ['p', 'n'], { delimiter: '.' }], ['Gather', ['p', 'zero'], ['whole'], { axis: -1 }]],
      inputs: { x: ['f32', [3]] }, initializers: { zero: tensor(0n) }, outputs: ['y', 'p', 'n', 'whole'], opsets: 20,
    };
    await assertGives(/** @type {any} */ (given), { x: f32([0.75, 11.125, 1.5]) }, { y: [1.5, 22.25, 3], p: [['1', '5'], ['22', '25'], ['3', '0']], n: [2, 2, 2], whole: ['1', '22', '3'] });
  });
});

describe('Tokenizer', () => {
  const x = ['ab cd.e 12', 'x'];
  /** @type {[string, any, string[][]][]} */
  const cases = [
    ['words that match', { tokenexp: '[a-z0-9]+', pad_value: '#' }, [['ab', 'cd', 'e', '12'], ['x', '#', '#', '#']]],
    ['longer words between marks', { tokenexp: '[a-z]{2,}|\\d', mark: 1, mincharnum: 2, pad_value: '#' }, [['\u0002', 'ab', 'cd', '\u0003'], ['\u0002', '\u0003', '#', '#']]],
    ['what is between separators', { separators: [' ', '\\.'] }, [['ab', 'cd', 'e', '12'], ['x', '', '', '']]],
    ['characters', { separators: [''], pad_value: '#' }, [[...'ab cd.e 12'], ['x', ...'#########']]],
  ];
  for (const [name, attributes, y] of cases) {
    it(name, () => assertGives({ ...one('com.microsoft::Tokenizer', { x: words }, ['y'], attributes), opsets: { '': 20, 'com.microsoft': 1 } }, { x }, { y }));
  }

  it('of a model of text: words, counts and a linear model', async () => {
    const counts = { mode: 'TF', min_gram_length: 1, max_gram_length: 1, max_skip_count: 0, ngram_counts: [0], ngram_indexes: [0, 1, 2], pool_strings: ['bad', 'film', 'good'] };
    const given = {
      nodes: [
        ['StringNormalizer', ['x'], ['lower'], { case_change_action: 'LOWER' }],
        ['com.microsoft::Tokenizer', ['lower'], ['tokens'], { tokenexp: '[a-z]+', pad_value: '#' }],
        ['TfIdfVectorizer', ['tokens'], ['counts'], counts],
        ['ai.onnx.ml::LinearClassifier', ['counts'], ['label', 'p'], { coefficients: { floats: [1, 0, -1, -1, 0, 1] }, intercepts: { floats: [0, 0] }, classlabels_strings: ['no', 'yes'], post_transform: 'SOFTMAX' }],
      ],
      inputs: { x: words }, outputs: ['counts', 'label'], opsets: { '': 20, 'com.microsoft': 1, 'ai.onnx.ml': 3 },
    };
    await assertGives(/** @type {any} */ (given), { x: ['A GOOD film, good!', 'Bad.'] }, { counts: [[0, 1, 2], [1, 0, 0]], label: ['yes', 'no'] });
  });
});

describe('movement', () => {
  const x = [['a', 'b'], ['c', 'd']];
  const square = { x: ['string', ['n', 2]] };
  /** @type {[string, any, any, any][]} */
  const cases = [
    ['Gather', one('Gather', { ...square, i: ['i64', ['k']] }, ['y']), { x, i: i64(1, 0, -1) }, [['c', 'd'], ['a', 'b'], ['c', 'd']]],
    ['Concat', one('Concat', { ...square, z: ['string', ['m', 2]] }, ['y'], { axis: 0 }), { x, z: [['e', 'f']] }, [...x, ['e', 'f']]],
    ['Reshape', one('Reshape', square, ['y'], {}, { s: i64(-1) }), { x }, ['a', 'b', 'c', 'd']],
    ['Transpose', one('Transpose', square, ['y']), { x }, [['a', 'c'], ['b', 'd']]],
    ['Slice', one('Slice', square, ['y'], {}, { s: i64(1), e: i64(2) }), { x }, [['c', 'd']]],
    ['Unsqueeze', one('Unsqueeze', square, ['y'], {}, { s: i64(0) }), { x }, [x]],
    ['Shape', one('Shape', square, ['y']), { x }, [2, 2]],
    ['Size', one('Size', square, ['y']), { x }, 4],
    ['Where', one('Where', { c: ['bool', ['n', 1]], ...square, z: ['string', ['n', 2]] }, ['y']), { c: tensor([[true], [false]]), x, z: [['e', 'f'], ['g', 'h']] }, [['a', 'b'], ['g', 'h']]],
    ['Equal', one('Equal', { ...square, z: ['string', [2]] }, ['y']), { x, z: ['a', 'd'] }, [[true, false], [false, true]]],
    ['Equal to a constant', one('Equal', square, ['y'], {}, { k: ['d'] }), { x }, [[false, false], [false, true]]],
    ['Identity', one('Identity', square, ['y']), { x }, x],
  ];
  for (const [name, given, inputs, y] of cases) it(name, () => assertGives(given, inputs, { y }));

  it('of constants is done once', async () => {
    const given = { ...one('Gather', { x: words }, ['y']), nodes: [['Gather', ['k', 'i'], ['g']], ['StringConcat', ['x', 'g'], ['y']]], initializers: { k: ['u', 'v'], i: tensor(1n) } };
    await assertGives(given, { x: ['a', 'b'] }, { y: ['av', 'bv'] });
  });

  it('Unique', async () => {
    const outputs = ['y', 'first', 'inverse', 'counts'];
    await assertGives(one('Unique', square, outputs), { x: [['b', 'a'], ['b', 'c']] }, { y: ['a', 'b', 'c'], first: [1, 0, 3], inverse: [1, 0, 1, 2], counts: [1, 2, 1] });
    await assertGives(one('Unique', square, outputs, { sorted: 0 }), { x: [['b', 'a'], ['b', 'c']] }, { y: ['b', 'a', 'c'], first: [0, 1, 3], inverse: [0, 1, 0, 2], counts: [2, 1, 1] });
  });
});

describe('TfIdfVectorizer, as onnxruntime counts', () => {
  const pool = [2, 3, 5, 4, 5, 6, 7, 8, 6, 7];
  const x = [[2, 3, 5, 6, 7, 8], [5, 6, 2, 3, 4, 4]];
  const weights = [1, 2, 3, 4, 5, 6, 7];
  const common = { ngram_counts: [0, 4], ngram_indexes: [0, 2, 1, 3, 4, 5, 6], weights: { floats: weights } };
  /** @type {[string, any, number[][]][]} */
  const cases = [
    ['words', { mode: 'TF', max_gram_length: 1 }, [[1, 1, 1, 0, 0, 0, 0], [1, 1, 1, 2, 0, 0, 0]]],
    ['pairs', { mode: 'TF', min_gram_length: 2, max_gram_length: 2 }, [[0, 0, 0, 0, 1, 1, 1], [0, 0, 0, 0, 1, 0, 0]]],
    ['words and pairs with gaps, weighted', { mode: 'TFIDF', max_gram_length: 2, max_skip_count: 2 }, [[1, 3, 2, 0, 5, 6, 7], [1, 3, 2, 8, 5, 0, 0]]],
    ['whether they are there', { mode: 'IDF', max_gram_length: 1 }, [[1, 3, 2, 0, 0, 0, 0], [1, 3, 2, 4, 0, 0, 0]]],
  ];
  for (const [name, attributes, want] of cases) {
    it(name, async () => {
      const own = { min_gram_length: 1, max_skip_count: 0, ...common, ...attributes };
      const y = want;
      await assertGives(one('TfIdfVectorizer', { x: ['string', ['n', 6]] }, ['y'], { ...own, pool_strings: pool.map(String) }), { x: x.map((row) => row.map(String)) }, { y });
      await assertGives(one('TfIdfVectorizer', { x: ['i64', ['n', 6]] }, ['y'], { ...own, pool_int64s: pool }), { x: i64(...x.flat()).reshape([2, 6]) }, { y });
    });
  }

  it('refuses pools that do not fit', async () => {
    const given = one('TfIdfVectorizer', { x: ['string', [2]] }, ['y'], { ...common, mode: 'TF', pool_strings: ['a', 'b', 'c', 'd', 'e'] });
    await assert.rejects(load(Buffer.from(onnxModel(given))), { code: 'ERR_PARSE' });
  });
});
