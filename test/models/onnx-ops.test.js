// Ops of ONNX that its recorded cases leave out: newer and older versions, edges, and what is written in several ways.
'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { load, tensor } = require('graphjit');
const { onnxModel } = require('../support/onnx-writer.js');

/** @type {(list: any, dtype?: any) => any} */
const of = (list, dtype = 'f32') => tensor(list, { dtype });
const i64 = (/** @type {any} */ list) => of(list, 'i64');
const i32 = (/** @type {any} */ list) => of(list, 'i32');
const bool = (/** @type {any} */ list) => of(list, 'bool');

const matrix = of([[1, 2, 3], [4, 5, 6]]);

/**
 * A node: what it is, its inputs, what it gives. Inputs are inputs of the graph, and once more constants.
 *
 * @typedef {[title: string, opset: number, op: string, inputs: any[], attributes: any, results: any[]]} Row
 */

/** @type {Row[]} */
const rows = [
  // Pad
  ['Pad 1: paddings and a value', 1, 'Pad', [of([1, 2])], { paddings: [1, 2], value: 9, mode: 'constant' }, [[9, 1, 2, 9, 9]]],
  ['Pad 2: pads, below 0 too', 2, 'Pad', [matrix], { pads: [0, -1, 1, 1], value: 7 }, [[[2, 3, 7], [5, 6, 7], [7, 7, 7]]]],
  ['Pad 18: of some axes', 18, 'Pad', [matrix, i64([1n, 2n]), of(0.5), i64([-1n])], {}, [[[0.5, 1, 2, 3, 0.5, 0.5], [0.5, 4, 5, 6, 0.5, 0.5]]]],
  ['Pad 13: reflected, further than it is long', 13, 'Pad', [of([1, 2, 3]), i64([3n, 1n])], { mode: 'reflect' }, [[2, 3, 2, 1, 2, 3, 2]]],
  ['Pad 19: wrapped, one end cut', 19, 'Pad', [of([1, 2, 3]), i64([-1n, 2n])], { mode: 'wrap' }, [[2, 3, 2, 3]]],
  ['Pad of booleans', 21, 'Pad', [bool([true]), i64([1n, 0n])], {}, [[false, true]]],
  // Split
  ['Split 18: unequal parts', 18, 'Split', [of([1, 2, 3, 4, 5])], { num_outputs: 2 }, [[1, 2, 3], [4, 5]]],
  ['Split 18: more parts than elements', 18, 'Split', [of([1, 2])], { num_outputs: 3 }, [[1], [2], []]],
  ['Split 1: sizes as an input', 1, 'Split', [of([1, 2, 3]), i64([1n, 2n])], { axis: 0 }, [[1], [2, 3]]],
  ['Split 2: sizes as an attribute', 2, 'Split', [matrix], { axis: 1, split: [1, 2] }, [[[1], [4]], [[2, 3], [5, 6]]]],
  // Tile, TopK, running sums
  ['Tile 1: one axis', 1, 'Tile', [of([[1, 2]]), i64(2n), i64(1n)], {}, [[[1, 2, 1, 2]]]],
  ['TopK 1: k is an attribute', 1, 'TopK', [of([3, 1, 2])], { k: 2 }, [[3, 2], [0n, 2n]]],
  ['TopK: equals in their order, of integers', 11, 'TopK', [i64([4n, 7n, 4n, 7n]), i64([3n])], { largest: 0 }, [[4n, 4n, 7n], [0n, 2n, 1n]]],
  ['CumProd: exclusive, from behind', 26, 'CumProd', [of([1, 2, 3]), i64(0n)], { exclusive: 1, reverse: 1 }, [[6, 3, 1]]],
  ['CumSum keeps the dtype', 14, 'CumSum', [i32([1, 2, 3]), i64(-1n)], { exclusive: 1 }, [[0, 1, 3]]],
  // scatters and gathers
  ['ScatterElements 18: max, fewer places than there are', 18, 'ScatterElements', [of([[1, 9], [3, 4]]), i64([[1n], [0n]]), of([[5], [8]])], { axis: 1, reduction: 'max' }, [[[1, 9], [8, 4]]]],
  ['ScatterElements 18: min of repeated places', 18, 'ScatterElements', [of([5, 5]), i64([0n, 0n]), of([3, 4])], { reduction: 'min' }, [[3, 5]]],
  ['ScatterND 18: products, from the end', 18, 'ScatterND', [of([1, 2, 3]), i64([[-1n], [-1n]]), of([2, 5])], { reduction: 'mul' }, [[1, 2, 30]]],
  ['GatherElements: fewer rows than there are', 13, 'GatherElements', [matrix, i64([[2n, -3n]])], { axis: 1 }, [[[3, 1]]]],
  ['GatherND of batches, from the end', 13, 'GatherND', [matrix, i64([[-1n], [0n]])], { batch_dims: 1 }, [[3, 4]]],
  ['Compress: rows for which a condition is too short', 11, 'Compress', [matrix, bool([false, true])], { axis: 1 }, [[[2], [5]]]],
  ['NonZero of a scalar', 13, 'NonZero', [of(3)], {}, [[[0n]]]],
  ['Unique as they come', 11, 'Unique', [of([2, 1, 2])], { sorted: 0 }, [[2, 1], [0n, 1n], [0n, 1n, 0n], [2n, 1n]]],
  ['OneHot: depth out of data, indices out of range', 11, 'OneHot', [i64([-1n, 5n]), i64([3n]), of([0, 2])], {}, [[[0, 0, 2], [0, 0, 0]]]],
  // shapes
  ['Reshape with zeros as they are', 14, 'Reshape', [of([]), i64([3n, 0n])], { allowzero: 1 }, [[[], [], []]]],
  ['Reshape 1: the shape is an attribute', 1, 'Reshape', [matrix], { shape: [0, -1] }, [[[1, 2, 3], [4, 5, 6]]]],
  ['Slice 1: attributes', 1, 'Slice', [matrix], { starts: [1], ends: [1000], axes: [1] }, [[[2, 3], [5, 6]]]],
  ['Slice from beyond the end backwards', 13, 'Slice', [of([1, 2, 3]), i64([9n]), i64([-9n]), i64([0n]), i64([-2n])], {}, [[3, 1]]],
  ['Shape 15: a part', 15, 'Shape', [matrix], { start: -1 }, [[3n]]],
  ['EyeLike: another diagonal and dtype', 22, 'EyeLike', [matrix], { k: 1, dtype: 7 }, [[[0n, 1n, 0n], [0n, 0n, 1n]]]],
  ['Range backwards', 11, 'Range', [i32(5), i32(0), i32(-2)], {}, [[5, 3, 1]]],
  ['Range of nothing', 11, 'Range', [of(1), of(1), of(0.5)], {}, [[]]],
  ['Trilu below, k out of data', 14, 'Trilu', [matrix, i64(-1n)], { upper: 0 }, [[[0, 0, 0], [4, 0, 0]]]],
  // broadcasting before version 7
  ['Add 6: along an axis', 6, 'Add', [matrix, of([10, 20])], { broadcast: 1, axis: 0 }, [[[11, 12, 13], [24, 25, 26]]]],
  ['Mul 6: along the last axes', 6, 'Mul', [matrix, of([1, 0, 2])], { broadcast: 1 }, [[[1, 0, 6], [4, 0, 12]]]],
  ['PRelu 6: a slope for each channel', 6, 'PRelu', [of([[[-1, -2]], [[-3, 4]]]).reshape([1, 2, 2]), of([1, 2])], {}, [[[-1, -2], [-6, 4]]].map((each) => [each])],
  ['Gemm 6: with a broadcast bias', 6, 'Gemm', [matrix, matrix, of([1, 2])], { transB: 1, broadcast: 1, beta: 2 }, [[[16, 36], [34, 81]]]],
  ['Softmax 1: all axes from one on are a row', 1, 'Softmax', [of([[[0, 0], [0, 0]]])], {}, [[[[0.25, 0.25], [0.25, 0.25]]]]],
  ['Clip 6: attributes', 6, 'Clip', [of([-2, 0.5, 2])], { max: 1, min: -1 }, [[-1, 0.5, 1]]],
  // elements
  ['Clip: no number stays, the upper bound wins', 13, 'Clip', [of([NaN, 0]), of(2), of(1)], {}, [[NaN, 1]]],
  ['Max and NaN', 13, 'Max', [of([NaN, 1]), of([0, NaN])], {}, [[NaN, NaN]]],
  ['Div of integers goes towards 0', 14, 'Div', [i32([-7, 7]), i32([2, -2])], {}, [[-3, -3]]],
  ['Mod has the sign of the divisor', 13, 'Mod', [i32([-7, 7]), i32([3, -3])], {}, [[2, -2]]],
  ['Mod of floats has the sign of the dividend', 13, 'Mod', [of([-7, 7]), of([3, -3])], { fmod: 1 }, [[-1, 1]]],
  ['Pow: an integer to a float is an integer', 15, 'Pow', [i32([2, 9]), of([3, 0.5])], {}, [[8, 3]]],
  ['Pow: a float to an integer', 15, 'Pow', [of([2, 4]), i64([-1n, 2n])], {}, [[0.5, 16]]],
  ['Cast 1: a type in words', 1, 'Cast', [of([1.5, -1.5])], { to: 'INT32' }, [[1, -1]]],
  ['BitCast', 26, 'BitCast', [of([1, -2])], { to: 6 }, [[0x3f800000, -0x40000000]]],
  ['BitShift to the right', 11, 'BitShift', [of([16, 255], 'u8'), of([2, 9], 'u8')], { direction: 'RIGHT' }, [[4, 0]]],
  ['PRelu: one slope for each of an axis', 16, 'PRelu', [matrix.neg(), of([1, 2, 3])], {}, [[[-1, -4, -9], [-4, -10, -18]]]],
  ['Mean of shapes that broadcast', 13, 'Mean', [matrix, of([1, 2, 3])], {}, [[[1, 2, 3], [2.5, 3.5, 4.5]]]],
  ['Round halves to even', 22, 'Round', [of([0.5, 1.5, -2.5])], {}, [[0, 2, -2]]],
  // reductions
  ['ReduceSum: axes that are none, nothing done', 13, 'ReduceSum', [matrix, i64([])], { noop_with_empty_axes: 1 }, [[[1, 2, 3], [4, 5, 6]]]],
  ['ReduceSum: axes that are none, all reduced', 13, 'ReduceSum', [matrix, i64([])], { keepdims: 0 }, [21]],
  ['ReduceSumSquare: axes that are none, squares', 18, 'ReduceSumSquare', [of([2, 3]), i64([])], { noop_with_empty_axes: 1 }, [[4, 9]]],
  ['ReduceLogSumExp: axes that are none, itself', 18, 'ReduceLogSumExp', [of([2, 3]), i64([])], { noop_with_empty_axes: 1 }, [[2, 3]]],
  ['ReduceMax of nothing', 20, 'ReduceMax', [of([[]]), i64([1n])], { keepdims: 0 }, [[-Infinity]]],
  ['ReduceMax of booleans', 20, 'ReduceMax', [bool([[true, false]]), i64([1n])], { keepdims: 0 }, [[true]]],
  ['ReduceMean of integers', 18, 'ReduceMean', [i32([1, 2]), i64([0n])], { keepdims: 0 }, [1]],
  ['ArgMax: the last of equals', 13, 'ArgMax', [of([[3, 1, 3]])], { axis: 1, select_last_index: 1, keepdims: 0 }, [[2n]]],
  ['Hardmax 1: all axes from one on are a row', 1, 'Hardmax', [of([[[1, 3], [3, 2]]])], {}, [[[[0, 1], [0, 0]]]]],
  // integers and booleans where most files have floats
  ['Shrink of integers', 9, 'Shrink', [i32([-3, -1, 1, 2, 9])], { lambd: 1.5, bias: 1 }, [[-2, 0, 0, 1, 8]]],
  ['Gemm of integers: a fraction of the product', 13, 'Gemm', [i32([[3, 2]]), i32([[1], [2]]), i32([4])], { alpha: 0.5, beta: { f: -1 } }, [[[0]]]],
  ['Gemm of integers: whole factors', 13, 'Gemm', [i32([[3, 2]]), i32([[1], [2]]), i32([4])], { alpha: { f: 2 }, beta: { f: 3 } }, [[[26]]]],
  ['Resize of bytes rounds halves to even', 19, 'Resize', [of([0, 1, 255], 'u8'), of([]), of([]), i64([5n])], { mode: 'linear', coordinate_transformation_mode: 'align_corners' }, [[0, 0, 1, 128, 255]]],
  ['Upsample of integers', 9, 'Upsample', [i32([0, 3]), of([2])], { mode: 'linear' }, [[0, 2, 3, 3]]],
  ['ScatterElements of booleans: sums', 18, 'ScatterElements', [bool([false, true]), i64([0n, 1n]), bool([true, false])], { reduction: 'add' }, [[true, true]]],
  ['ScatterND of booleans: products', 18, 'ScatterND', [bool([true, true]), i64([[1n]]), bool([false])], { reduction: 'mul' }, [[true, false]]],
  ['QuantizeLinear by a whole scale', 25, 'QuantizeLinear', [of([5, 7, -3]), i32(2), of(1, 'u8')], {}, [[3, 5, 0]]],
  ['Attention: a mask of integers is added', 24, 'Attention', [of([[[[0]]]]), of([[[[0], [0]]]]), of([[[[1], [2]]]]), i64([[0n, -1000n]])], {}, [[[[[1]]]]]],
  ['Attention: values of a wider type stay as they are', 24, 'Attention', [of([[[[0]]]], 'f16'), of([[[[0]]]], 'f16'), of([[[[1 / 3]]]]), undefined, of([[[[1]]]], 'f16'), of([[[[0.1]]]])], {}, [[[[[0.2166748046875]]]], [[[[1], [0]]]], [[[[Math.fround(0.1)], [Math.fround(1 / 3)]]]]]],
];

/** @type {(op: string, opset: number, inputs: readonly any[], attributes: any, count: number, isConstant: boolean) => Uint8Array} */
function bytesOf(op, opset, inputs, attributes, count, isConstant) {
  const names = inputs.map((each, i) => (each === undefined ? '' : `x${i}`));
  const outputs = Array.from({ length: count }, (_, i) => `y${i}`);
  const pairs = inputs.map((each, i) => [names[i], each]).filter(([, each]) => each !== undefined);
  return onnxModel({
    opsets: opset, nodes: [[op, names, outputs, attributes]], outputs,
    inputs: isConstant ? {} : Object.fromEntries(pairs.map(([name, { dtype, shape }]) => [name, [dtype, [...shape]]])),
    initializers: isConstant ? Object.fromEntries(pairs) : {},
  });
}

/** @type {(row: Row, isConstant: boolean) => Promise<void>} */
async function run([title, opset, op, inputs, attributes, results], isConstant) {
  const model = await load(bytesOf(op, opset, inputs, attributes, results.length, isConstant), { cache: false });
  const pairs = inputs.map((each, i) => [`x${i}`, each]).filter(([, each]) => each !== undefined);
  const given = isConstant ? {} : Object.fromEntries(pairs);
  for (const got of [model.run(given), model.eval(given)]) results.forEach((want, i) => assert.deepEqual(got[`y${i}`].toArray(), want, title));
  model.dispose();
}

test('ops give what their versions say, of inputs', async () => {
  for (const row of rows) await run(row, false);
});

test('ops give the same of constants, computed ahead', async () => {
  for (const row of rows) await run(row, true);
});

// --------------------------------------------------------------------------------------- random

/** @type {(op: string, attributes: any, input?: any) => Promise<any>} two runs of one model, which are the same */
async function drawn(op, attributes, input) {
  const model = await load(onnxModel({
    inputs: input === undefined ? {} : { x: [input.dtype, [...input.shape]] }, outputs: ['y'],
    nodes: [[op, input === undefined ? [] : ['x'], ['y'], attributes]],
  }), { cache: false });
  const [first, again] = [1, 2].map(() => model.run(input === undefined ? {} : { x: input }).y);
  assert.deepEqual(first.toArray(), again.toArray());
  model.dispose();
  return first;
}

const meanOf = (/** @type {any} */ x) => Number(x.astype('f64').mean().toArray());

test('random numbers are those of a seed, else of a file that was loaded', async () => {
  const shape = [100, 100];
  const seeded = await Promise.all([3, 3, 4].map((seed) => drawn('RandomNormal', { shape, seed: { f: seed }, mean: { f: 2 }, scale: { f: 0.5 } })));
  assert.deepEqual(seeded[0].toArray(), seeded[1].toArray());
  assert.notDeepEqual(seeded[0].toArray(), seeded[2].toArray());
  assert.ok(Math.abs(meanOf(seeded[0]) - 2) < 0.03);
  const [one, other] = [await drawn('RandomUniform', { shape, low: { f: -1 }, high: { f: 3 }, dtype: 11 }), await drawn('RandomUniform', { shape, low: { f: -1 }, high: { f: 3 }, dtype: 11 })];
  assert.equal(one.dtype, 'f64');
  assert.notDeepEqual(one.toArray(), other.toArray());
  assert.ok(Math.abs(meanOf(one) - 1) < 0.1);
});

test('random numbers like a tensor, by chances, by classes', async () => {
  const like = of(Array(10_000).fill(0.25)).reshape([100, 100]);
  assert.equal((await drawn('RandomNormalLike', { dtype: 10 }, like)).dtype, 'f16');
  assert.ok(Math.abs(meanOf(await drawn('RandomUniformLike', {}, like)) - 0.5) < 0.03);
  assert.ok(Math.abs(meanOf(await drawn('Bernoulli', { dtype: 7 }, like)) - 0.25) < 0.03);
  const classes = await drawn('Multinomial', { sample_size: 5000, dtype: 7, seed: { f: 1 } }, of([[-Infinity, Math.log(0.25), Math.log(0.75)]]));
  assert.equal(classes.dtype, 'i64');
  assert.ok(Math.abs(meanOf(classes) - 1.75) < 0.03);
});

test('what does not fit is one error that names the node', async () => {
  const fails = async (/** @type {Row} */ [, opset, op, inputs, attributes], /** @type {any} */ error) =>
    assert.rejects(async () => (await load(bytesOf(op, opset, inputs, attributes, 1, false), { cache: false })).run(Object.fromEntries(inputs.map((each, i) => [`x${i}`, each]))), error);
  await fails(['', 18, 'Pad', [matrix, i64([1n])], {}, []], { code: 'ERR_SHAPE', message: /node Pad of 'y0': there are 1 pads for 2 axes/ });
  await fails(['', 18, 'ScatterND', [matrix, i64([[0n]]), matrix], { reduction: 'xor' }, []], { code: 'ERR_UNSUPPORTED', message: /reduction 'xor'/ });
  await fails(['', 13, 'Cast', [matrix], { to: 99 }, []], { code: 'ERR_UNSUPPORTED', message: /type 99 is unknown/ });
  await fails(['', 18, 'Sum', [], {}, []], { code: 'ERR_PARSE', message: /node Sum of 'y0': it has not the inputs/ });
  await fails(['', 11, 'TopK', [matrix], {}, []], { code: 'ERR_ARGUMENT', message: /an operand is missing/ });
  await fails(['', 13, 'Gather', [matrix, i64([0n])], { axis: 2 }, []], { code: 'ERR_SHAPE', message: /axis 2 is none of a tensor of rank 2/ });
  await fails(['', 13, 'Slice', [matrix, i64([0n]), i64([1n]), i64([0n]), i64([0n])], {}, []], { code: 'ERR_ARGUMENT', message: /a step is 0/ });
});
