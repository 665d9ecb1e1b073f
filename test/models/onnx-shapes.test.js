// Models as exporters write them, with sizes that a run knows: one graph serves all of them.
//
// Results are compared with those of the same file when every size is a number, which folds all that is computed of
// shapes, by the reference.
'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { load, tensor } = require('graphjit');
const { onnxModel } = require('../support/onnx-writer.js');

/** @type {(compute: (i: number, j: number) => any) => any[][]} a table of 8 rows and columns */
const of8 = (compute) => Array.from({ length: 8 }, (_, i) => Array.from({ length: 8 }, (__, j) => compute(i, j)));

/** @type {(shape: readonly number[], dtype: string) => any} elements that tell places apart */
function example(shape, dtype) {
  const count = shape.reduce((total, size) => total * size, 1);
  const numbers = Array.from({ length: count }, (_, i) => ((i * 7) % 11) - 3);
  const list = dtype === 'i64' ? numbers.map((each) => BigInt(Math.abs(each))) : dtype === 'bool' ? numbers.map((each) => each > 0) : numbers;
  return tensor(/** @type {any} */ (list), { dtype: /** @type {any} */ (dtype) }).reshape([...shape]);
}

/**
 * @param {any} given of the model
 * @param {readonly Record<string, number>[]} runs sizes by name
 * @param {Record<string, readonly number[]>} [shapes] expected of outputs in the last run
 */
async function check(given, runs, shapes = {}) {
  const bytes = onnxModel({ opsets: 17, ...given });
  const model = await load(bytes, { cache: false });
  try {
    assert.equal(model.specialization, null, model.specialization?.because);
    for (const sizes of runs) {
      const inputs = Object.fromEntries(Object.entries(given.inputs).map(([name, [dtype, shape]]) =>
        [name, example(shape.map((/** @type {any} */ size) => sizes[size] ?? size), dtype)]));
      const fixed = await load(bytes, { sizes, cache: false });
      const want = fixed.eval(inputs);
      fixed.dispose();
      const got = model.run(inputs);
      for (const name of Object.keys(want)) assert.deepEqual(got[name].toArray(), want[name].toArray(), `${name} for ${JSON.stringify(sizes)}`);
      if (sizes === runs.at(-1)) for (const [name, shape] of Object.entries(shapes)) assert.deepEqual([...got[name].shape], shape);
    }
  } finally {
    model.dispose();
  }
}

/** Constants that most of them have. @type {Record<string, any>} */
const constants = {
  c0: 0n, c1: 1n, c2: 2n, l0: [0n], l1: [1n], l2: [2n], l3: [3n], l4: [4n], minus1: [-1n], most: [9223372036854775807n], zero: 0, one: 1,
};

/** Size `axis` of x as a scalar, as PyTorch writes it. @type {(x: string, axis: number, name: string) => any[]} */
const size = (x, axis, name) => [
  ['Shape', [x], [`${name}_shape`]],
  ['Constant', [], [`${name}_at`], { value: tensor(BigInt(axis), { dtype: 'i64' }) }],
  ['Gather', [`${name}_shape`, `${name}_at`], [name], { axis: 0 }],
];

/** The same as a vector of one element. @type {(x: string, axis: number, name: string) => any[]} */
const sizeList = (x, axis, name) => [...size(x, axis, `${name}_s`), ['Unsqueeze', [`${name}_s`, 'l0'], [name]]];

const f32 = (/** @type {any[]} */ ...shape) => ['f32', shape];
const i64 = (/** @type {any[]} */ ...shape) => ['i64', shape];

/** A model with the constants. @type {(inputs: any, outputs: string[], nodes: any[], initializers?: any) => any} */
const model = (inputs, outputs, nodes, initializers = {}) => ({ inputs, outputs, nodes, initializers: { ...constants, ...initializers } });

const runs = [{ b: 1, s: 5 }, { b: 3, s: 1 }, { b: 2, s: 4 }];

test('heads of attention: Shape, Gather, Unsqueeze, Concat, Reshape', async () => {
  await check(
    model({ x: f32('b', 's', 12) }, ['heads', 'scores', 'back'], [
      ...sizeList('x', 0, 'b'), ...sizeList('x', 1, 's'),
      ['Concat', ['b', 's', 'l3', 'l4'], ['to'], { axis: 0 }], ['Reshape', ['x', 'to'], ['split']],
      ['Transpose', ['split'], ['heads'], { perm: [0, 2, 1, 3] }], ['Transpose', ['split'], ['keys'], { perm: [0, 2, 3, 1] }],
      ['MatMul', ['heads', 'keys'], ['scores']],
      ['Transpose', ['heads'], ['merged'], { perm: [0, 2, 1, 3] }],
      ['Concat', ['b', 's', 'minus1'], ['flat'], { axis: 0 }], ['Reshape', ['merged', 'flat'], ['back']],
    ]),
    runs, { scores: [2, 3, 4, 4], back: [2, 4, 12] },
  );
});

test('flattening and unflattening by products of sizes', async () => {
  await check(
    model({ x: f32('b', 's', 6) }, ['rows', 'again', 'whole'], [
      ...size('x', 0, 'b'), ...size('x', 1, 's'), ['Mul', ['b', 's'], ['n']], ['Unsqueeze', ['n', 'l0'], ['count']],
      ['Concat', ['count', 'minus1'], ['to'], { axis: 0 }], ['Reshape', ['x', 'to'], ['rows']],
      ['Shape', ['x'], ['shape']], ['Reshape', ['rows', 'shape'], ['again']],
      ['ReduceProd', ['shape'], ['all'], { keepdims: 1, axes: [0] }], ['Reshape', ['x', 'all'], ['whole']],
    ]),
    runs, { rows: [8, 6], whole: [48] },
  );
});

test('Expand to a shape that has -1 for what stays', async () => {
  await check(
    model({ x: f32(1, 1, 3), like: f32('b', 's') }, ['y'], [
      ...sizeList('like', 0, 'b'), ...sizeList('like', 1, 's'),
      ['Concat', ['b', 's', 'minus1'], ['shape'], { axis: 0 }],
      ['ConstantOfShape', ['l3'], ['ones'], { value: tensor([1n], { dtype: 'i64' }) }],
      ['Constant', [], ['m1'], { value: tensor(-1n, { dtype: 'i64' }) }], ['Mul', ['ones', 'm1'], ['unknown']],
      ['Equal', ['shape', 'unknown'], ['stays']], ['Where', ['stays', 'ones', 'shape'], ['to']], ['Expand', ['x', 'to'], ['y']],
    ]),
    runs, { y: [2, 4, 3] },
  );
});

test('groups of heads repeated by Expand and Reshape', async () => {
  await check(
    model({ k: f32('b', 2, 's', 3) }, ['y'], [
      ...sizeList('k', 0, 'b'), ...sizeList('k', 2, 's'), ['Unsqueeze', ['k', 'l2'], ['apart']],
      ['Concat', ['b', 'l2', 'l4', 's', 'l3'], ['wide'], { axis: 0 }], ['Expand', ['apart', 'wide'], ['repeated']],
      ['Constant', [], ['l8'], { value_ints: [8] }], ['Concat', ['b', 'l8', 's', 'l3'], ['to'], { axis: 0 }],
      ['Reshape', ['repeated', 'to'], ['y']],
    ]),
    runs, { y: [2, 8, 4, 3] },
  );
});

test('positions: Range of a size, embeddings taken by them', async () => {
  await check(
    model({ x: i64('b', 's') }, ['y', 'ids'], [
      ...size('x', 1, 's'), ['Range', ['c0', 's', 'c1'], ['line']], ['Unsqueeze', ['line', 'l0'], ['row']],
      ['Shape', ['x'], ['shape']], ['Expand', ['row', 'shape'], ['ids']], ['Gather', ['table', 'ids'], ['places']],
      ['Gather', ['table', 'x'], ['words']], ['Add', ['places', 'words'], ['y']],
    ], { table: example([16, 2], 'f32') }),
    runs, { y: [2, 4, 2] },
  );
});

test('positions behind those of a cache, and the cache grown', async () => {
  await check(
    model({ x: f32('b', 's', 2), past: f32('b', 'p', 2) }, ['y', 'ids', 'scores'], [
      ...size('x', 1, 's'), ...size('past', 1, 'p'), ['Add', ['p', 's'], ['total']],
      ['Range', ['p', 'total', 'c1'], ['ids']], ['Concat', ['past', 'x'], ['all'], { axis: 1 }],
      ['Gather', ['table', 'ids'], ['places']], ['Add', ['x', 'places'], ['y']],
      ['Transpose', ['all'], ['keys'], { perm: [0, 2, 1] }], ['MatMul', ['y', 'keys'], ['scores']],
    ], { table: example([16, 2], 'f32') }),
    [{ b: 1, s: 1, p: 4 }, { b: 2, s: 3, p: 0 }, { b: 2, s: 2, p: 3 }], { scores: [2, 2, 5] },
  );
});

test('a causal mask cut out of a table by sizes', async () => {
  await check(
    model({ q: f32('b', 's', 2), past: f32('b', 'p', 2) }, ['y'], [
      ['Concat', ['past', 'q'], ['k'], { axis: 1 }],
      ...sizeList('q', 1, 's'), ...sizeList('k', 1, 't'), ['Sub', ['t', 's'], ['from']],
      ['Slice', ['mask', 'from', 't', 'l0'], ['rows']], ['Slice', ['rows', 'l0', 't', 'l1'], ['seen']],
      ['Transpose', ['k'], ['keys'], { perm: [0, 2, 1] }], ['MatMul', ['q', 'keys'], ['scores']],
      ['Where', ['seen', 'scores', 'low'], ['masked']], ['Softmax', ['masked'], ['y'], { axis: -1 }],
    ], { mask: of8((i, j) => j <= i), low: -1e4 }),
    [{ b: 1, s: 1, p: 4 }, { b: 2, s: 3, p: 0 }, { b: 2, s: 2, p: 3 }], { y: [2, 2, 5] },
  );
});

test('a causal mask made of ConstantOfShape and Trilu, and by comparing ranges', async () => {
  await check(
    model({ x: f32('b', 's', 's') }, ['y', 'z'], [
      ...sizeList('x', 1, 's'), ...size('x', 1, 'n'), ['Concat', ['s', 's'], ['square'], { axis: 0 }],
      ['ConstantOfShape', ['square'], ['full'], { value: tensor([-10], { dtype: 'f32' }) }], ['Trilu', ['full', 'c1'], ['mask'], { upper: 1 }],
      ['Add', ['x', 'mask'], ['y']],
      ['Range', ['c0', 'n', 'c1'], ['line']], ['Add', ['line', 'c1'], ['next']], ['Reshape', ['next', 'column'], ['ends']],
      ['Less', ['line', 'ends'], ['seen']], ['Where', ['seen', 'x', 'zero'], ['z']],
    ], { column: [-1n, 1n] }),
    runs, { y: [2, 4, 4], z: [2, 4, 4] },
  );
});

test('an attention mask of a batch, spread over heads', async () => {
  await check(
    model({ mask: i64('b', 's') }, ['y', 'ids'], [
      ['Unsqueeze', ['mask', 'axes'], ['apart']], ['Cast', ['apart'], ['number'], { to: 1 }], ['Sub', ['one', 'number'], ['hidden']],
      ...sizeList('mask', 0, 'b'), ...sizeList('mask', 1, 's'), ['Concat', ['b', 'l1', 's', 's'], ['to'], { axis: 0 }],
      ['Expand', ['hidden', 'to'], ['y']],
      ['CumSum', ['mask', 'c1'], ['sums']], ['Sub', ['sums', 'c1'], ['ids']],
    ], { axes: [1n, 2n] }),
    runs, { y: [2, 1, 4, 4] },
  );
});

test('the old arange: NonZero of ones', async () => {
  await check(
    model({ x: f32('b', 's', 2) }, ['y'], [
      ...sizeList('x', 1, 's'), ['ConstantOfShape', ['s'], ['ones'], { value: tensor([1n], { dtype: 'i64' }) }],
      ['NonZero', ['ones'], ['at']], ['Transpose', ['at'], ['column']], ['Squeeze', ['column', 'l1'], ['line']],
      ['Cast', ['line'], ['places'], { to: 1 }], ['Unsqueeze', ['places', 'l1'], ['beside']], ['Add', ['x', 'beside'], ['y']],
    ]),
    runs, { y: [2, 4, 2] },
  );
});

test('slices by sizes, from the end, with steps', async () => {
  await check(
    model({ x: f32('b', 's', 4) }, ['head', 'last', 'even', 'back', 'half'], [
      ...sizeList('x', 1, 's'), ['Slice', ['x', 'l0', 'minus1', 'l1'], ['head']], ['Slice', ['x', 'minus1', 'most', 'l1'], ['last']],
      ['Slice', ['x', 'l0', 'most', 'l1', 'l2'], ['even']], ['Slice', ['x', 'minus1', 'least', 'l1', 'minus1'], ['back']],
      ['Div', ['s', 'l2'], ['middle']], ['Slice', ['x', 'middle', 's', 'l1'], ['half']],
    ], { least: [-9223372036854775807n] }),
    runs, { head: [2, 3, 4], even: [2, 2, 4], half: [2, 2, 4] },
  );
});

test('rotary halves: the last axis cut at half its size, and joined again', async () => {
  await check(
    model({ x: f32('b', 's', 4) }, ['y'], [
      ...size('x', 2, 'd'), ['Div', ['d', 'c2'], ['half']], ['Unsqueeze', ['half', 'l0'], ['at']],
      ['Slice', ['x', 'l0', 'at', 'l2'], ['low']], ['Slice', ['x', 'at', 'most', 'l2'], ['high']], ['Neg', ['high'], ['negative']],
      ['Concat', ['negative', 'low'], ['y'], { axis: -1 }],
    ]),
    runs,
  );
});

test('sizes scaled in floats: floor of a size times a scale', async () => {
  await check(
    model({ x: f32('b', 's') }, ['y', 'z'], [
      ...size('x', 1, 's'), ['Cast', ['s'], ['number'], { to: 1 }], ['Mul', ['number', 'scale'], ['scaled']], ['Floor', ['scaled'], ['whole']],
      ['Cast', ['whole'], ['count'], { to: 7 }], ['Unsqueeze', ['count', 'l0'], ['n']],
      ['Slice', ['x', 'l0', 'n', 'l1'], ['y']],
      ['Mul', ['number', 'double'], ['twice']], ['Cast', ['twice'], ['many'], { to: 7 }], ['Range', ['c0', 'many', 'c1'], ['z']],
    ], { scale: 0.5, double: 2 }),
    runs, { y: [2, 2], z: [8] },
  );
});

test('tf2onnx: Shape, Cast, Slice, Squeeze, Unsqueeze, Concat, Cast, Reshape', async () => {
  await check(
    model({ x: f32('b', 's', 6) }, ['y', 'z'], [
      ['Shape', ['x'], ['long']], ['Cast', ['long'], ['shape'], { to: 6 }], ['Slice', ['shape', 'l0', 'l1', 'l0'], ['first']],
      ['Squeeze', ['first', 'l0'], ['b']], ['Unsqueeze', ['b', 'l0'], ['batch']],
      ['Concat', ['batch', 'rest'], ['short'], { axis: 0 }], ['Cast', ['short'], ['to'], { to: 7 }], ['Reshape', ['x', 'to'], ['y']],
      ['Slice', ['long', 'l0', 'l2', 'l0'], ['lead']], ['ReduceProd', ['lead'], ['rows'], { keepdims: 0 }],
      ['Unsqueeze', ['rows', 'l0'], ['count']], ['Concat', ['count', 'l3', 'l2'], ['matrix'], { axis: 0 }], ['Reshape', ['x', 'matrix'], ['z']],
    ], { rest: tensor([-1, 2], { dtype: 'i32' }) }),
    runs, { y: [2, 12, 2], z: [8, 3, 2] },
  );
});

test('tiles, pads and parts by sizes', async () => {
  await check(
    model({ x: f32('b', 's') }, ['tiled', 'even', 'left', 'right', 'one'], [
      ...sizeList('x', 0, 'b'), ...size('x', 1, 's'), ['Concat', ['l1', 'b'], ['times'], { axis: 0 }], ['Tile', ['x', 'times'], ['tiled']],
      ['Mod', ['s', 'c2'], ['odd']], ['Unsqueeze', ['odd', 'l0'], ['more']], ['Concat', ['l0', 'l0', 'l0', 'more'], ['pads'], { axis: 0 }],
      ['Pad', ['x', 'pads'], ['even']], ['Split', ['even'], ['left', 'right'], { axis: 1 }],
      ['OneHot', ['at', 's', 'values'], ['one']],
    ], { at: [0n, -1n], values: [0, 5] }),
    runs, { tiled: [2, 8], even: [2, 4], left: [2, 2], one: [2, 4] },
  );
});

test('pads as PyTorch writes them: pairs of ends turned round in a matrix', async () => {
  await check(
    model({ x: f32('b', 's') }, ['y'], [
      ...size('x', 1, 's'), ['Mod', ['s', 'c2'], ['odd']], ['Unsqueeze', ['odd', 'l0'], ['more']],
      ['Concat', ['l0', 'more', 'l1', 'l0'], ['ends'], { axis: 0 }], ['Reshape', ['ends', 'pairs'], ['matrix']],
      ['Slice', ['matrix', 'minus1', 'least', 'l0', 'minus1'], ['turned']], ['Transpose', ['turned'], ['columns'], { perm: [1, 0] }],
      ['Reshape', ['columns', 'minus1'], ['line']], ['Cast', ['line'], ['pads'], { to: 7 }], ['Pad', ['x', 'pads'], ['y']],
    ], { pairs: [-1n, 2n], least: [-9223372036854775807n] }),
    runs, { y: [3, 4] },
  );
});

test('the least of a size and a number: so many of the greatest', async () => {
  await check(
    model({ x: f32('b', 's') }, ['values', 'indices', 'most'], [
      ...sizeList('x', 1, 's'), ['Concat', ['s', 'l3'], ['both'], { axis: 0 }], ['ReduceMin', ['both'], ['k'], { keepdims: 1 }],
      ['TopK', ['x', 'k'], ['values', 'indices']], ['Shape', ['x'], ['shape']], ['ReduceMax', ['shape'], ['most'], { keepdims: 0 }],
    ]),
    [{ b: 1, s: 2 }, { b: 2, s: 7 }], { values: [2, 3] },
  );
});

test('the first of a selection, and all but the first: as many as data says', async () => {
  await check(
    model({ x: f32('b', 's') }, ['rows', 'rest', 'best', 'count'], [
      ['Greater', ['x', 'one'], ['large']], ['NonZero', ['large'], ['at']], ['Transpose', ['at'], ['rows_all']],
      ['Slice', ['rows_all', 'l0', 'l2', 'l0'], ['rows']], ['Slice', ['rows_all', 'l1', 'most', 'l0'], ['rest']],
      ['Shape', ['rows_all'], ['found']], ['Gather', ['found', 'l0'], ['count']],
      ['GatherND', ['x', 'rows_all'], ['values']], ['TopK', ['values', 'l2'], ['best', 'places'], { axis: 0 }],
    ]),
    [{ b: 1, s: 1 }, { b: 2, s: 7 }, { b: 1, s: 2 }],
  );
});

test('windows at the end: the greater of a size less a width, and 0', async () => {
  await check(
    model({ x: f32('b', 's') }, ['y'], [
      ...sizeList('x', 1, 's'), ['Sub', ['s', 'l2'], ['left']], ['Max', ['left', 'l0'], ['from']], ['Slice', ['x', 'from', 's', 'l1'], ['y']],
    ]),
    runs, { y: [2, 2] },
  );
});

test('rows of a batch picked by the last token of each', async () => {
  await check(
    model({ x: f32('b', 's', 3), mask: i64('b', 's') }, ['y', 'z'], [
      ['ReduceSum', ['mask', 'l1'], ['counts'], { keepdims: 0 }], ['Sub', ['counts', 'c1'], ['last']],
      ...size('x', 0, 'b'), ['Range', ['c0', 'b', 'c1'], ['rows']], ['Unsqueeze', ['rows', 'l1'], ['row']], ['Unsqueeze', ['last', 'l1'], ['place']],
      ['Clip', ['place', 'c0', 'c0'], ['in']], ['Concat', ['row', 'in'], ['at'], { axis: 1 }], ['GatherND', ['x', 'at'], ['y']],
      ['GatherND', ['x', 'in'], ['z'], { batch_dims: 1 }],
    ]),
    runs, { y: [2, 3], z: [2, 3] },
  );
});

test('elements written where others lie, by ranges', async () => {
  await check(
    model({ x: f32('b', 's') }, ['y', 'z'], [
      ...size('x', 0, 'b'), ['Range', ['c0', 'b', 'c1'], ['rows']], ['Unsqueeze', ['rows', 'l1'], ['at']],
      ['Mul', ['x', 'x'], ['squares']], ['ScatterND', ['x', 'at', 'squares'], ['y']],
      ['Shape', ['x'], ['shape']], ['ConstantOfShape', ['shape'], ['first'], { value: tensor([0n], { dtype: 'i64' }) }],
      ['ScatterElements', ['x', 'first', 'x'], ['z'], { axis: 1, reduction: 'add' }],
    ]),
    runs,
  );
});

test('outputs of Shape, Size and what is computed of them are tensors of a run', async () => {
  await check(
    model({ x: f32('b', 's') }, ['shape', 'size', 'less', 'half'], [
      ['Shape', ['x'], ['shape']], ['Size', ['x'], ['size']], ['Sub', ['shape', 'big'], ['less']], ['Div', ['shape', 'l2'], ['half']],
    ], { big: [9n, 9n] }),
    runs,
  );
});

test('slices that do not fit are cut off as Python has it, by graphs of these sizes', async () => {
  const given = model({ x: f32('n'), like: f32('k') }, ['tail', 'head'], [
    ['Slice', ['x', 'l2', 'most', 'l0'], ['tail']], ['Shape', ['like'], ['count']], ['Slice', ['x', 'l0', 'count', 'l0'], ['head']],
  ]);
  const loaded = await load(onnxModel({ opsets: 17, ...given }), { cache: false });
  assert.equal(loaded.specialization, null);
  for (const [n, k] of [[4, 2], [1, 1], [3, 5]]) {
    const x = example([n], 'f32');
    const want = { tail: /** @type {any} */ (x.toArray()).slice(2), head: /** @type {any} */ (x.toArray()).slice(0, k) };
    for (const results of [loaded.run({ x, like: example([k], 'f32') }), loaded.eval({ x, like: example([k], 'f32') }), await loaded.runAsync({ x, like: example([k], 'f32') })])
      assert.deepEqual({ tail: results.tail.toArray(), head: results.head.toArray() }, want);
  }
  assert.throws(() => loaded.run({ x: example([2, 2], 'f32'), like: example([2], 'f32') }), { code: 'ERR_SHAPE', message: /expected f32\[n\]/ });
  loaded.dispose();
});
