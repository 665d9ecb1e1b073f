// Ops of TensorFlow compared with what TensorFlow.js gave for them, compiled and by the reference evaluator.
'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { load, tensor, zeros } = require('graphjit');
const { constant, graphDef, placeholder } = require('../support/tensorflow-writer.js');
const { cases, nested, of } = require('./tensorflow-cases.js');
const recorded = /** @type {Record<string, { shape: number[], data: number[] }[]>} */ (require('./tensorflow-results.json'));

/** @type {(bytes: Uint8Array, options?: any) => Promise<any>} */
const open = (bytes, options) => load(bytes, { compile: false, cache: false, optLevel: 1, ...options });

/** @type {(got: any, want: { shape: readonly number[], data: readonly number[] }, title: string, within?: number) => void} */
function assertNear(got, want, title, within = 2e-5) {
  assert.deepEqual([...got.shape], [...want.shape], `${title}: shape`);
  const data = Array.from(got.copy().data, Number);
  const at = data.findIndex((each, i) => !(Object.is(each, want.data[i]) || Math.abs(each - want.data[i]) <= within * Math.max(1, Math.abs(want.data[i]))));
  assert.ok(at < 0, `${title}: element ${at} is ${data[at]}, expected ${want.data[at]}`);
}

for (const [name, { nodes, functions, feeds, outputs }] of Object.entries(cases)) {
  test(`as TensorFlow.js: ${name}`, async () => {
    const model = await open(graphDef(nodes, functions), { outputs });
    try {
      for (const way of ['run', 'eval']) {
        const results = model[way](feeds);
        outputs.forEach((key, i) => assertNear(results[key], recorded[name][i], `${key}, ${way}`));
      }
    } finally {
      model.dispose();
    }
  });
}

// ------------------------------------------------------------------------------------ by formula

/** @type {(list: any, dtype?: any) => any} */
const numbers = (list, dtype = 'f32') => tensor(list, { dtype });
/** @type {(list: any, dtype?: any) => { known: any }} */
const known = (list, dtype = 'i32') => ({ known: typeof [list].flat()[0] === 'string' ? list : tensor(list, { dtype }) });

/** Results as nested arrays, of numbers where they are exact. @type {(case_: any, options?: any) => Promise<any>} */
async function resultsOf({ nodes, functions, feeds, outputs }, options) {
  const model = await open(graphDef(nodes, functions), { outputs, ...options });
  try {
    const results = model.run(feeds);
    return outputs.map((/** @type {string} */ key) => {
      const list = results[key].toArray?.() ?? results[key].data;
      return JSON.parse(JSON.stringify(list, (_, each) => (typeof each === 'bigint' ? Number(each) : each)));
    });
  } finally {
    model.dispose();
  }
}

const grid = numbers([[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]]);
/** @type {Record<string, [given: any, want: any[]]>} */
const computed = {
  'slices with steps below 0': [of('StridedSlice', [grid, known([0, -1]), known([3, 0]), known([2, -2])], {}), [[[4, 2], [12, 10]]]],
  'the band of a matrix': [of('MatrixBandPart', [grid, known(0), known(1)]), [[[1, 2, 0, 0], [0, 6, 7, 0], [0, 0, 11, 12]]]],
  'rows chosen by a vector': [of('Select', [tensor([true, false], { dtype: 'bool' }), numbers([[1, 2], [3, 4]]), numbers([[5, 6], [7, 8]])]), [[[1, 2], [7, 8]]]],
  'bits of integers': [of('BitwiseAnd', [numbers([12, 7], 'i32'), numbers([10, 3], 'i32')]), [[8, 3]]],
  'ragged ranges': [of('RaggedRange', [numbers([2, 5, 8], 'i32'), numbers([3, 5, 12], 'i32'), numbers([1], 'i32')], {}, 2), [[0, 1, 1, 5], [2, 8, 9, 10, 11]]],
  'ragged rows': [of('RaggedGather', [known([0, 2, 2, 5]), numbers([1, 2, 3, 4, 5]), known([2, 0, 1])], { PARAMS_RAGGED_RANK: 1 }, 2), [[0, 3, 5, 5], [3, 4, 5, 1, 2]]],
  'ragged rows filled up': [
    of('RaggedTensorToTensor', [known(-1), numbers([1, 2, 3, 4, 5]), known(9, 'f32'), known([0, 2, 2, 5])], { row_partition_types: ['ROW_SPLITS'] }), [[[1, 2, 9], [9, 9, 9], [3, 4, 5]]],
  ],
  'ragged rows cut off': [
    of('RaggedTensorToTensor', [known([2, 2]), numbers([1, 2, 3, 4, 5]), known(9, 'f32'), known(3), known([0, 1, 1, 1, 2])], { row_partition_types: ['FIRST_DIM_SIZE', 'VALUE_ROWIDS'] }), [[[1, 9], [2, 3]]],
  ],
  'rows turned about as far as they go': [of('ReverseSequence', [grid, known([4, 1, 3], 'i64')], { seq_dim: 1, batch_dim: 0 }), [[[4, 3, 2, 1], [5, 6, 7, 8], [11, 10, 9, 12]]]],
  'diagonals': [of('MatrixDiag', [numbers([1, 2])]), [[[1, 0], [0, 2]]]],
  'bins of numbers': [of('Bucketize', [numbers([[-5, 10_000], [150, 10], [5, 100]])], { boundaries: { list: { f: [0, 10, 100] } } }), [[[0, 3], [3, 2], [1, 3]]]],
  'the best boxes of all classes': [
    of('CombinedNonMaxSuppression', [
      numbers([[[[0, 0, 1, 1]], [[0, 0, 1, 0.875]], [[0.5, 2, 1, 3]]]]), numbers([[[0.875, 0.125], [0.75, 0.625], [0.25, 0.5]]]),
      known(2), known(4), known(0.5, 'f32'), known(0.15, 'f32'),
    ], { clip_boxes: false }, 4),
    [[[[0, 0, 1, 1], [0, 0, 1, 0.875], [0.5, 2, 1, 3], [0.5, 2, 1, 3]]], [[0.875, 0.625, 0.5, 0.25]], [[0, 1, 1, 0]], [4]],
  ],
  'a permutation undone': [of('InvertPermutation', [numbers([2, 0, 1], 'i32')]), [[1, 2, 0]]],
};
for (const [name, [given, want]] of Object.entries(computed)) {
  test(`by formula: ${name}`, async () => assert.deepEqual(await resultsOf(given), want));
}

test('tables of strings and numbers', async () => {
  const table = (/** @type {string} */ name, /** @type {string} */ key, /** @type {string} */ value) => [name, 'HashTableV2', [], { key_dtype: { type: key }, value_dtype: { type: value } }];
  const nodes = [
    placeholder('words', 'string', [null]), placeholder('codes', 'i64', [null]),
    table('places', 'string', 'i64'), constant('words_known', ['a', 'b']), constant('places_known', tensor([10n, 20n])), constant('none', tensor(-1n)),
    ['fill', 'LookupTableImportV2', ['places', 'words_known', 'places_known']], ['found', 'LookupTableFindV2', ['places', 'words', 'none']],
    table('names', 'i64', 'string'), ['fill_names', 'InitializeTableV2', ['names', 'places_known', 'words_known']], constant('unknown', '?'),
    ['named', 'LookupTableFindV2', ['names', 'codes', 'unknown']], ['upper', 'StringUpper', ['named']], ['size', 'LookupTableSizeV2', ['places']],
  ];
  const feeds = { words: ['b', 'c', 'a'], codes: tensor([20n, 5n]) };
  assert.deepEqual(await resultsOf({ nodes, feeds, outputs: ['found', 'upper', 'size'] }), [[20, -1, 10], ['B', '?'], 2]);
});

test('strings split, joined and compared', async () => {
  const nodes = [
    placeholder('text', 'string', [null]), constant('blank', ' '), ['parts', 'StringSplit', ['text', 'blank'], { skip_empty: true }],
    constant('a', 'a'), ['equal', 'Equal', ['parts:1', 'a'], { T: { type: 'string' } }], ['joined', 'StringJoin', ['text', 'a'], { separator: '-' }],
  ];
  const given = { nodes, feeds: { text: ['a b', '', 'c  a'] }, outputs: ['parts', 'parts:1', 'parts:2', 'equal', 'joined'] };
  assert.deepEqual(await resultsOf(given), [[[0, 0], [0, 1], [2, 0], [2, 1]], ['a', 'b', 'c', 'a'], [3, 2], [true, false, false, true], ['a b-a', '-a', 'c  a-a']]);
});

test('runs of words', async () => {
  const nodes = [
    placeholder('words', 'string', [null]), constant('splits', numbers([0, 3, 4], 'i32')),
    ['y', 'StringNGrams', ['words', 'splits'], { separator: '|', ngram_widths: [2, 3], left_pad: 'LP', right_pad: 'RP', pad_width: -1, preserve_short_sequences: false, Tsplits: { type: 'i32' } }],
    ['z', 'StringNGrams', ['words', 'splits'], { separator: '|', ngram_widths: [2], left_pad: '', right_pad: '', pad_width: 0, preserve_short_sequences: true, Tsplits: { type: 'i32' } }],
  ];
  const first = ['LP|a', 'a|b', 'b|c', 'c|RP', 'LP|LP|a', 'LP|a|b', 'a|b|c', 'b|c|RP', 'c|RP|RP'];
  const second = ['LP|d', 'd|RP', 'LP|LP|d', 'LP|d|RP', 'd|RP|RP'];
  const want = [[...first, ...second], [0, 9, 14], ['a|b', 'b|c', 'd'], [0, 2, 3]];
  assert.deepEqual(await resultsOf({ nodes, feeds: { words: ['a', 'b', 'c', 'd'] }, outputs: ['y', 'y:1', 'z', 'z:1'] }), want);
});

test('functions are called, also by their names and with several results', async () => {
  const twice = { name: 'twice', inputs: { x: 'f32' }, outputs: { values: 'f32', places: 'i32' }, nodes: [constant('k', numbers(2, 'i32')), ['top', 'TopKV2', ['x', 'k:output:0']]], returns: { values: 'top:values:0', places: 'top:indices:0' } };
  const nodes = [placeholder('x', 'f32', [null, 3]), ['call', 'StatefulPartitionedCall', ['x'], { f: { func: 'twice' } }], ['again', 'twice', ['x']], ['sum', 'AddV2', ['call', 'again']]];
  assert.deepEqual(await resultsOf({ nodes, functions: [twice], feeds: { x: numbers([[1, 3, 2]]) }, outputs: ['sum', 'call:1'] }), [[[6, 4]], [[1, 2]]]);
});

test('one graph serves all sizes of a batch', async () => {
  const nodes = [
    placeholder('x', 'f32', [null, 2, 3]), ['shape', 'Shape', ['x']], constant('zero', numbers([0], 'i32')), constant('one', numbers([1], 'i32')),
    ['batch', 'StridedSlice', ['shape', 'zero', 'one', 'one'], { shrink_axis_mask: 1 }], constant('six', numbers(6, 'i32')),
    ['to', 'Pack', ['batch', 'six'], { N: 2 }], ['flat', 'Reshape', ['x', 'to']],
  ];
  const model = await open(graphDef(nodes), { outputs: ['flat'] });
  assert.equal(model.specialization, null);
  for (const count of [1, 4]) assert.deepEqual(model.run({ x: zeros([count, 2, 3], { dtype: 'f32' }) }).flat.shape, [count, 6]);
  model.dispose();
});

test('branches of different shapes, and a loop that grows', async () => {
  const branches = [
    { name: 'yes', inputs: { x: 'f32' }, outputs: { y: 'f32' }, nodes: [], returns: { y: 'x' } },
    { name: 'no', inputs: { x: 'f32' }, outputs: { y: 'f32' }, nodes: [constant('axes', numbers([0], 'i32')), ['sum', 'Sum', ['x', 'axes:output:0'], {}]], returns: { y: 'sum:output:0' } },
  ];
  const nodes = [placeholder('x', 'f32', [3]), placeholder('p', 'bool', []), ['if', 'If', ['p', 'x'], { then_branch: { func: 'yes' }, else_branch: { func: 'no' } }]];
  const model = await open(graphDef(nodes, branches), { outputs: ['if'] });
  assert.equal(model.specialization.by, 'values');
  for (const [p, want] of /** @type {const} */ ([[true, [1, 2, 3]], [false, 6], [true, [1, 2, 3]]]))
    assert.deepEqual(model.run({ x: numbers([1, 2, 3]), p: tensor(p, { dtype: 'bool' }) }).if.toArray(), want);
  model.dispose();
  const types = { i: 'i32', x: 'f32' };
  const growing = [
    { name: 'cond', inputs: types, outputs: { go: 'bool' }, nodes: [constant('n', numbers(3, 'i32')), ['less', 'Less', ['i', 'n:output:0']]], returns: { go: 'less:z:0' } },
    { name: 'body', inputs: types, outputs: { i_1: 'i32', x_1: 'f32' }, nodes: [constant('one', numbers(1, 'i32')), constant('axis', numbers(0, 'i32')), ['next', 'AddV2', ['i', 'one:output:0']], ['more', 'ConcatV2', ['x', 'x', 'axis:output:0'], { N: 2 }]], returns: { i_1: 'next:z:0', x_1: 'more:output:0' } },
  ];
  const loop = [placeholder('x', 'f32', [1]), constant('zero', numbers(0, 'i32')), ['loop', 'While', ['zero', 'x'], { cond: { func: 'cond' }, body: { func: 'body' } }]];
  assert.deepEqual(await resultsOf({ nodes: loop, functions: growing, feeds: { x: numbers([7]) }, outputs: ['loop:1'] }), [Array(8).fill(7)]);
});

test('a loop of frames within another, behind a choice', async () => {
  const want = Array.from(nested.feeds.x.copy().data, (given) => {
    let x = given;
    for (let i = 0; i < 3; i++) {
      x = i < 1 ? x + 1 : x * 2;
      for (let j = 0; j < 2; j++) x = Math.sin(x) + i;
    }
    return x;
  });
  const model = await open(graphDef(nested.nodes), { outputs: ['y'] });
  assert.equal(model.specialization, null);
  assertNear(model.run(nested.feeds).y, { shape: [2, 3], data: want }, 'y');
  model.dispose();
});

test('lists that grow, shrink and hold parts', async () => {
  const type = { element_dtype: { type: 'f32' } };
  const nodes = [
    placeholder('x', 'f32', [2]), constant('shape', numbers([2], 'i32')), constant('any', numbers(-1, 'i32')),
    ['empty', 'EmptyTensorList', ['shape', 'any'], type], ['first', 'TensorListPushBack', ['empty', 'x'], type], ['negative', 'Neg', ['x']],
    ['second', 'TensorListPushBack', ['first', 'negative'], type], ['stack', 'TensorListStack', ['second', 'shape'], type], ['length', 'TensorListLength', ['second']],
    ['pop', 'TensorListPopBack', ['second', 'shape'], type], ['joined', 'TensorListConcatV2', ['second', 'shape', 'lead'], type], constant('lead', tensor([], { dtype: 'i64' })),
  ];
  const want = [[[1, 2], [-1, -2]], 2, [-1, -2], [1, 2, -1, -2], [2, 2]];
  assert.deepEqual(await resultsOf({ nodes, feeds: { x: numbers([1, 2]) }, outputs: ['stack', 'length', 'pop:1', 'joined', 'joined:1'] }), want);
});

test('complex tensors are pairs outside', async () => {
  const nodes = [placeholder('x', 'c64', [2]), ['y', 'Mul', ['x', 'x'], { T: { type: 'c64' } }], ['z', 'Conj', ['y'], {}]];
  const feeds = { x: numbers([[1, 2], [0, -1]]) };
  assert.deepEqual(await resultsOf({ nodes, feeds, outputs: ['y', 'z'] }), [[[-3, 4], [-1, 0]], [[-3, -4], [-1, 0]]]);
});

test('random nodes draw within their bounds, the same for one seed', async () => {
  const nodes = [constant('shape', numbers([100], 'i32')), ['a', 'RandomUniform', ['shape'], { dtype: { type: 'f32' }, seed: 3 }], ['b', 'RandomUniform', ['shape'], { dtype: { type: 'f32' }, seed: 3 }]];
  const [a, b] = await resultsOf({ nodes, feeds: {}, outputs: ['a', 'b'] });
  assert.deepEqual(a, b);
  assert.ok(a.every((/** @type {number} */ each) => each >= 0 && each < 1) && new Set(a).size > 50);
});
