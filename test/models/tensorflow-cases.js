// Ops of TensorFlow, small: an op, its attributes, and inputs, which are constants where wrapped in `known`.
'use strict';

const { tensor } = require('graphjit');
const { constant, placeholder } = require('../support/tensorflow-writer.js');

/** @typedef {import('../support/tensorflow-writer.js').NodeLike} NodeLike */
/** @typedef {import('../support/tensorflow-writer.js').FunctionLike} FunctionLike */
/** @typedef {{ nodes: NodeLike[], functions?: FunctionLike[], feeds: Record<string, any>, outputs: string[] }} Case */

/** Numbers that look like data. @type {(shape: number[], seed?: number, scale?: number) => any} */
function data(shape, seed = 1, scale = 2) {
  const count = shape.reduce((total, size) => total * size, 1);
  const list = Float32Array.from({ length: count }, (_, i) => Math.fround(Math.sin((i + 1) * 1.7 + seed * 3.1) * scale));
  return tensor(list).reshape(shape);
}

/** @type {(list: any) => any} */
const floats = (list) => tensor(list, { dtype: 'f32' });

/** @type {(list: any, dtype?: any) => any} */
const ints = (list, dtype = 'i32') => tensor(list, { dtype });

/** @type {(list: any) => any} */
const bools = (list) => tensor(list, { dtype: 'bool' });

/** @type {(value: any) => { known: any }} a constant of the graph */
const known = (value) => ({ known: value });

/** Shapes, axes, counts. @type {(list: any) => { known: any }} */
const fixed = (list) => known(ints(list));

/**
 * A graph of one op.
 *
 * @param {string} op
 * @param {any[]} inputs
 * @param {Record<string, any>} [attributes]
 * @param {number} [results]
 * @returns {Case}
 */
function of(op, inputs, attributes = {}, results = 1) {
  /** @type {Record<string, any>} */
  const feeds = {};
  const nodes = inputs.map((each, i) => {
    if ('known' in each) return constant(`c${i}`, each.known);
    feeds[`x${i}`] = each;
    return placeholder(`x${i}`, each.dtype, each.shape.map((/** @type {number} */ size, /** @type {number} */ axis) => (axis === 0 && size > 1 ? null : size)));
  });
  const first = inputs[0] === undefined ? undefined : (inputs[0].known ?? inputs[0]);
  const type = first?.dtype === undefined ? {} : { T: { type: first.dtype } };
  nodes.push(['y', op, inputs.map((each, i) => ('known' in each ? `c${i}` : `x${i}`)), { ...type, ...attributes }]);
  return { nodes, feeds, outputs: Array.from({ length: results }, (_, i) => (i === 0 ? 'y' : `y:${i}`)) };
}

const [a, b, positive, image] = [data([2, 3]), data([2, 3], 2), data([2, 3], 3, 0.4), data([2, 5, 6, 2])];
const shifted = positive.add(1.5);
const signs = bools([[true, false, true], [false, false, true]]);

/** @type {Record<string, Case>} */
const cases = {};

for (const op of ['Abs', 'Atan', 'Atanh', 'Ceil', 'Cos', 'Cosh', 'Elu', 'Erf', 'Exp', 'Expm1', 'Floor', 'Neg', 'Relu', 'Relu6', 'Round', 'Selu', 'Sigmoid', 'Sign', 'Sin', 'Sinh', 'Softplus', 'Square', 'Tan', 'Tanh', 'Acos', 'Asin', 'Asinh'])
  cases[op] = of(op, [positive]);
for (const op of ['Log', 'Log1p', 'Reciprocal', 'Rsqrt', 'Sqrt', 'Acosh']) cases[op] = of(op, [shifted]);
for (const op of ['IsNan', 'IsInf', 'IsFinite']) cases[op] = of(op, [floats([1, NaN, Infinity, -Infinity])]);
for (const op of ['Add', 'AddV2', 'Sub', 'Mul', 'RealDiv', 'Div', 'Maximum', 'Minimum', 'SquaredDifference', 'Atan2', 'FloorMod', 'Equal', 'NotEqual', 'Less', 'LessEqual', 'Greater', 'GreaterEqual'])
  cases[op] = of(op, [a, b]);
for (const op of ['LogicalAnd', 'LogicalOr']) cases[op] = of(op, [signs, bools([[true, true, false], [false, true, true]])]);

Object.assign(cases, {
  Pow: of('Pow', [shifted, b]), DivNoNan: of('DivNoNan', [a, floats([[0, 1, 2], [3, 0, -1]])]),
  FloorDiv: of('FloorDiv', [ints([7, -7, 9]), ints([2, 2, -4])]), FloorModInts: of('FloorMod', [ints([7, -7, 9]), ints([2, 2, -4])]),
  AddN: of('AddN', [a, b, positive]), BiasAdd: of('BiasAdd', [image, floats([0.5, -1])]),
  LeakyRelu: of('LeakyRelu', [a], { alpha: { f: 0.3 } }), Prelu: of('Prelu', [a, floats([0.1, 0.2, 0.3])]),
  ClipByValue: of('ClipByValue', [a, known(floats(-0.5)), known(floats(0.7))]),
  LogicalNot: of('LogicalNot', [signs]),
  SelectV2: of('SelectV2', [signs, a, known(floats(9))]),
  CastToInts: of('Cast', [a], { SrcT: { type: 'f32' }, DstT: { type: 'i32' } }),
  CastToBools: of('Cast', [ints([0, 2, -1])], { SrcT: { type: 'i32' }, DstT: { type: 'bool' } }),
  ComplexAbs: {
    ...of('Complex', [a, b]), outputs: ['z'],
    nodes: [...of('Complex', [a, b]).nodes, ['z', 'ComplexAbs', ['y'], {}]],
  },

  Sum: of('Sum', [image, fixed([1, 3])]), SumKept: of('Sum', [image, fixed([-1])], { keep_dims: true }),
  SumOfInts: of('Sum', [ints([[1, 2], [3, 4]]), fixed([0])]), Prod: of('Prod', [a, fixed([1])]),
  Mean: of('Mean', [image, fixed([1, 2])]), Max: of('Max', [image, fixed([2])]), Min: of('Min', [image, fixed([0, 1])], { keep_dims: true }),
  All: of('All', [signs, fixed([1])]), Any: of('Any', [signs, fixed([0])]),
  EuclideanNorm: of('EuclideanNorm', [a, fixed([1])]),
  ArgMax: of('ArgMax', [image, fixed(3)], { output_type: { type: 'i32' } }), ArgMin: of('ArgMin', [a, fixed(0)], { output_type: { type: 'i32' } }),
  Cumsum: of('Cumsum', [a, fixed(1)]), CumsumExclusive: of('Cumsum', [a, fixed(1)], { exclusive: true }),
  CumsumReverse: of('Cumsum', [a, fixed(1)], { reverse: true }), CumsumBoth: of('Cumsum', [a, fixed(0)], { reverse: true, exclusive: true }),
  Cumprod: of('Cumprod', [a, fixed(1)]),
  Bincount: of('Bincount', [ints([1, 2, 2, 5]), fixed(6), floats([0.5, 1, 2, 4])]),
  DenseBincount: of('DenseBincount', [ints([[1, 2, 2], [0, 1, 1]]), fixed(3), known(floats([]))], { binary_output: false }),

  Reshape: of('Reshape', [image, fixed([-1, 12])]), Transpose: of('Transpose', [image, fixed([0, 3, 1, 2])]),
  ExpandDims: of('ExpandDims', [a, fixed(1)]), Squeeze: of('Squeeze', [data([2, 1, 3, 1])], { squeeze_dims: [1] }),
  ConcatV2: of('ConcatV2', [a, b, fixed(1)], { N: 2 }), Pack: of('Pack', [a, b], { axis: 1, N: 2 }),
  Unpack: of('Unpack', [a], { axis: 1, num: 3 }, 3), Split: of('Split', [fixed(1), data([2, 6])], { num_split: 3 }, 3),
  SplitV: of('SplitV', [data([2, 6]), fixed([1, -1, 2]), fixed(1)], { num_split: 3 }, 3),
  Tile: of('Tile', [a, fixed([2, 3])]), Pad: of('Pad', [a, fixed([[1, 0], [2, 1]])]),
  PadV2: of('PadV2', [a, fixed([[1, 0], [2, 1]]), known(floats(7))]),
  MirrorPad: of('MirrorPad', [a, fixed([[1, 0], [2, 1]])], { mode: 'REFLECT' }),
  MirrorPadSymmetric: of('MirrorPad', [a, fixed([[1, 1], [2, 3]])], { mode: 'SYMMETRIC' }),
  SpaceToBatchND: of('SpaceToBatchND', [data([2, 3, 6, 2]), fixed([2, 3]), fixed([[1, 0], [0, 0]])]),
  BatchToSpaceND: of('BatchToSpaceND', [data([12, 2, 2, 1]), fixed([2, 3]), fixed([[1, 0], [0, 2]])]),
  DepthToSpace: of('DepthToSpace', [data([1, 2, 3, 8])], { block_size: 2, data_format: 'NHWC' }),
  ReverseV2: of('ReverseV2', [image, fixed([1, -1])]), Reverse: of('Reverse', [a, known(bools([false, true]))]),
  BroadcastTo: of('BroadcastTo', [data([2, 1]), fixed([2, 4])]), BroadcastArgs: of('BroadcastArgs', [ints([2, 1]), ints([3, 1, 5])]),

  Slice: of('Slice', [image, fixed([0, 1, 2, 0]), fixed([-1, 3, -1, 1])]),
  StridedSliceEllipsis: of('StridedSlice', [image, fixed([1, 0, 0]), fixed([2, 0, 1]), fixed([1, 1, 1])], { ellipsis_mask: 2, shrink_axis_mask: 1, new_axis_mask: 4 }),
  StridedSliceLast: of('StridedSlice', [a, fixed([0, -1]), fixed([0, 0]), fixed([1, 1])], { begin_mask: 1, end_mask: 1, shrink_axis_mask: 2 }),
  GatherV2: of('GatherV2', [image, ints([[4, 0], [1, 1]]), fixed(1)]),
  GatherBatch: of('GatherV2', [data([2, 3, 4]), ints([[2, 0], [1, 1]]), fixed(2)], { batch_dims: 1 }),
  GatherNd: of('GatherNd', [image, ints([[1, 4], [0, 0]])]), ScatterNd: of('ScatterNd', [ints([[1], [3], [1]]), floats([1, 2, 4]), fixed([5])]),
  TensorScatterUpdate: of('TensorScatterUpdate', [a, ints([[1]]), data([1, 3], 5)]),
  SparseToDense: of('SparseToDense', [ints([[0, 1], [1, 2]]), fixed([2, 3]), floats([5, 6]), known(floats(-1))]),

  Conv2D: of('Conv2D', [image, known(data([3, 3, 2, 4]))], { strides: [1, 2, 2, 1], padding: 'SAME', data_format: 'NHWC', dilations: [1, 1, 1, 1] }),
  Conv2DValid: of('Conv2D', [image, known(data([3, 2, 2, 4]))], { strides: [1, 1, 1, 1], padding: 'VALID', dilations: [1, 2, 1, 1], data_format: 'NHWC' }),
  Conv2DExplicit: of('Conv2D', [image, known(data([3, 2, 2, 4]))], { strides: [1, 1, 2, 1], padding: 'EXPLICIT', explicit_paddings: [0, 0, 1, 0, 2, 1, 0, 0], data_format: 'NHWC', dilations: [1, 1, 1, 1] }),
  Conv3D: of('Conv3D', [data([1, 4, 5, 4, 2]), known(data([2, 3, 2, 2, 3]))], { strides: [1, 1, 2, 1, 1], padding: 'SAME', data_format: 'NDHWC', dilations: [1, 1, 1, 1, 1] }),
  Depthwise: of('DepthwiseConv2dNative', [image, known(data([3, 3, 2, 2]))], { strides: [1, 1, 1, 1], padding: 'SAME', data_format: 'NHWC', dilations: [1, 1, 1, 1] }),
  Transposed: of('Conv2DBackpropInput', [fixed([2, 9, 11, 3]), known(data([3, 3, 3, 2])), image], { strides: [1, 2, 2, 1], padding: 'SAME', data_format: 'NHWC', dilations: [1, 1, 1, 1] }),
  TransposedValid: of('Conv2DBackpropInput', [fixed([2, 12, 13, 3]), known(data([3, 3, 3, 2])), image], { strides: [1, 2, 2, 1], padding: 'VALID', data_format: 'NHWC', dilations: [1, 1, 1, 1] }),
  Dilation2D: of('Dilation2D', [image, known(data([3, 2, 2]))], { strides: [1, 2, 1, 1], rates: [1, 1, 2, 1], padding: 'SAME', data_format: 'NHWC' }),
  FusedConv2D: of('_FusedConv2D', [image, known(data([3, 3, 2, 4])), known(floats([0.1, 0.2, 0.3, 0.4]))], { strides: [1, 1, 1, 1], padding: 'SAME', data_format: 'NHWC', dilations: [1, 1, 1, 1], fused_ops: ['BiasAdd', 'Relu6'], num_args: 1 }),
  FusedDepthwise: of('FusedDepthwiseConv2dNative', [image, known(data([3, 3, 2, 1])), known(floats([0.1, -0.2]))], { strides: [1, 2, 2, 1], padding: 'SAME', data_format: 'NHWC', dilations: [1, 1, 1, 1], fused_ops: ['BiasAdd', 'Relu'], num_args: 1 }),
  MaxPool: of('MaxPool', [image], { ksize: [1, 3, 3, 1], strides: [1, 2, 2, 1], padding: 'SAME', data_format: 'NHWC' }),
  AvgPool: of('AvgPool', [image], { ksize: [1, 3, 2, 1], strides: [1, 1, 2, 1], padding: 'SAME', data_format: 'NHWC' }),
  MaxPool3D: of('MaxPool3D', [data([1, 4, 5, 4, 2])], { ksize: [1, 2, 2, 2, 1], strides: [1, 2, 2, 1, 1], padding: 'VALID', data_format: 'NDHWC' }),
  MaxPoolWithArgmax: of('MaxPoolWithArgmax', [image], { ksize: [1, 2, 2, 1], strides: [1, 2, 2, 1], padding: 'VALID', include_batch_in_index: true, data_format: 'NHWC' }, 2),
  FusedBatchNorm: of('FusedBatchNormV3', [image, known(floats([1, 2])), known(floats([0.5, -0.5])), known(floats([0.1, 0.2])), known(floats([1.5, 0.7]))], { epsilon: { f: 0.001 }, is_training: false, data_format: 'NHWC' }),
  LRN: of('LRN', [data([1, 2, 2, 7])], { depth_radius: 2, bias: { f: 1 }, alpha: { f: 0.5 }, beta: { f: 0.75 } }),
  Softmax: of('Softmax', [a]), LogSoftmax: of('LogSoftmax', [a]),

  ResizeBilinear: of('ResizeBilinear', [image, fixed([3, 9])], { align_corners: false, half_pixel_centers: false }),
  ResizeBilinearHalf: of('ResizeBilinear', [image, fixed([7, 4])], { align_corners: false, half_pixel_centers: true }),
  ResizeBilinearCorners: of('ResizeBilinear', [image, fixed([7, 4])], { align_corners: true, half_pixel_centers: false }),
  ResizeNearest: of('ResizeNearestNeighbor', [image, fixed([3, 9])], { align_corners: false, half_pixel_centers: false }),
  ResizeNearestCorners: of('ResizeNearestNeighbor', [image, fixed([9, 4])], { align_corners: true, half_pixel_centers: false }),
  CropAndResize: of('CropAndResize', [image, floats([[0, 0, 1, 1], [0.2, 0.1, 1.3, 0.6]]), ints([0, 1]), fixed([3, 4])], { method: 'bilinear', extrapolation_value: { f: 2.5 } }),
  ImageProjectiveTransform: of('ImageProjectiveTransformV3', [data([1, 5, 6, 2]), floats([[0.9, 0.2, -1, 0.1, 1, 0.5, 0.01, 0]]), fixed([4, 5]), known(floats(0.5))], { interpolation: 'BILINEAR', fill_mode: 'CONSTANT' }),

  MatMul: of('MatMul', [a, data([2, 4])], { transpose_a: true, transpose_b: false }),
  BatchMatMulV2: of('BatchMatMulV2', [data([2, 3, 4]), data([2, 5, 4])], { adj_x: false, adj_y: true }),
  FusedMatMul: of('_FusedMatMul', [a, known(data([3, 2])), known(floats([0.3, -0.3]))], { transpose_a: false, transpose_b: false, fused_ops: ['BiasAdd', 'Relu'], num_args: 1 }),
  Einsum: of('Einsum', [data([2, 3, 4]), data([4, 5])], { equation: 'bij,jk->bki', N: 2 }),

  Fill: of('Fill', [fixed([2, 3]), floats(4)]), LinSpace: of('LinSpace', [floats(1), floats(3), fixed(5)]),
  Range: of('Range', [fixed(2), fixed(11), fixed(3)], { Tidx: { type: 'i32' } }),
  OneHot: of('OneHot', [ints([2, 0, 5]), fixed(4), known(floats(3)), known(floats(-1))], { axis: -1 }),
  ZerosLike: of('ZerosLike', [a]), OnesLike: of('OnesLike', [a]), Shape: of('Shape', [image]), Rank: of('Rank', [image]), Size: of('Size', [image]),

  TopKV2: of('TopKV2', [a, fixed(2)], { sorted: true }, 2), Unique: of('Unique', [floats([3, 1, 3, 2, 1])], {}, 2),
  ListDiff: of('ListDiff', [ints([1, 2, 3, 4, 5, 6]), ints([1, 3, 5])], {}, 2), Where: of('Where', [signs]),
  LowerBound: of('LowerBound', [floats([[1, 3, 5], [0, 2, 4]]), floats([[3, 4], [-1, 9]])]),
  UpperBound: of('UpperBound', [floats([[1, 3, 5], [0, 2, 4]]), floats([[3, 4], [-1, 9]])]),
});

Object.assign(cases, {
  SparseReshape: of('SparseReshape', [fixed([[0, 0, 0], [0, 0, 1], [1, 0, 0], [1, 2, 3]]), fixed([2, 3, 6]), fixed([9, -1])], {}, 2),
  SparseSegmentSum: of('SparseSegmentSum', [data([3, 4]), ints([0, 2, 1]), fixed([0, 0, 1])]),
  SparseSegmentMean: of('SparseSegmentMean', [data([3, 4]), ints([0, 2, 1]), fixed([0, 0, 1])]),
  SparseFillEmptyRows: of('SparseFillEmptyRows', [ints([[0, 0], [2, 0], [2, 1]]), floats([5, 6, 7]), fixed([4, 3]), known(floats(-1))], {}, 4),
});

const boxes = floats([[0, 0, 1, 1], [0, 0.1, 1, 1.1], [0, -0.1, 1, 0.9], [0, 10, 1, 11], [0, 10.1, 1, 11.1], [0, 100, 1, 101]]);
const scores = floats([0.9, 0.75, 0.6, 0.95, 0.5, 0.3]);
const limits = [fixed(4), known(floats(0.5)), known(floats(0.4))];
Object.assign(cases, {
  NonMaxSuppressionV2: of('NonMaxSuppressionV2', [boxes, scores, ...limits.slice(0, 2)]),
  NonMaxSuppressionV3: of('NonMaxSuppressionV3', [boxes, scores, ...limits]),
  NonMaxSuppressionV4: of('NonMaxSuppressionV4', [boxes, scores, ...limits], { pad_to_max_output_size: true }, 2),
  NonMaxSuppressionV5: of('NonMaxSuppressionV5', [boxes, scores, ...limits, known(floats(0))], {}, 2),
  NonMaxSuppressionSoft: of('NonMaxSuppressionV5', [boxes, scores, fixed(6), known(floats(1)), known(floats(0)), known(floats(0.5))], {}, 2),
});

/** What goes through several nodes. @type {(inputs: Record<string, any>, nodes: NodeLike[], outputs: string[], functions?: FunctionLike[]) => Case} */
const graph = (inputs, nodes, outputs, functions) => ({
  feeds: inputs, outputs, functions,
  nodes: [...Object.entries(inputs).map(([name, value]) => placeholder(name, value.dtype, value.shape)), ...nodes],
});

Object.assign(cases, {
  RFFT: graph({ x: data([2, 8]) }, [constant('n', ints([8])), ['f', 'RFFT', ['x', 'n']], ['re', 'Real', ['f']], ['im', 'Imag', ['f']]], ['re', 'im']),
  IRFFT: graph({ x: data([2, 8]) }, [constant('n', ints([8])), ['f', 'RFFT', ['x', 'n']], ['y', 'IRFFT', ['f', 'n']]], ['y']),
  FFT: graph({ x: data([2, 6]), z: data([2, 6], 4) }, [['c', 'Complex', ['x', 'z']], ['f', 'FFT', ['c']], ['g', 'IFFT', ['c']], ['re', 'Real', ['f']], ['im', 'Imag', ['g']]], ['re', 'im']),

  // i = 0; while (i < n) { x *= 1.5; i += 1 }, as TensorFlow 1 writes it
  WhileOfFrames: graph({ x: data([2, 3]), n: ints(4) }, [
    constant('zero', ints(0)),
    ['enter_i', 'Enter', ['zero'], { frame_name: 'loop' }], ['enter_x', 'Enter', ['x'], { frame_name: 'loop' }],
    ['enter_n', 'Enter', ['n'], { frame_name: 'loop', is_constant: true }],
    ['merge_i', 'Merge', ['enter_i', 'next_i']], ['merge_x', 'Merge', ['enter_x', 'next_x']],
    ['less', 'Less', ['merge_i', 'enter_n']], ['go', 'LoopCond', ['less']],
    ['switch_i', 'Switch', ['merge_i', 'go']], ['switch_x', 'Switch', ['merge_x', 'go']],
    constant('one', ints(1)), constant('by', floats(1.5)),
    ['add', 'Add', ['switch_i:1', 'one']], ['mul', 'Mul', ['switch_x:1', 'by']],
    ['next_i', 'NextIteration', ['add']], ['next_x', 'NextIteration', ['mul']],
    ['exit_i', 'Exit', ['switch_i']], ['exit_x', 'Exit', ['switch_x']],
    ['y', 'Identity', ['exit_x']], ['count', 'Identity', ['exit_i']],
  ], ['y', 'count']),
  CondOfSwitches: graph({ x: data([2, 3]), p: bools(true) }, [
    ['switch', 'Switch', ['x', 'p']], ['low', 'Neg', ['switch']], ['high', 'Square', ['switch:1']],
    ['merge', 'Merge', ['low', 'high']], ['y', 'Identity', ['merge']],
  ], ['y']),
  While: graph({ x: data([2, 3]), n: ints(4) }, [
    constant('zero', ints(0)),
    ['loop', 'StatelessWhile', ['zero', 'x', 'n'], { cond: { func: 'cond' }, body: { func: 'body' } }], ['y', 'Identity', ['loop:1']], ['i', 'Identity', ['loop']],
  ], ['y', 'i'], [
    { name: 'cond', inputs: { i: 'i32', x: 'f32', n: 'i32' }, outputs: { go: 'bool' }, nodes: [['less', 'Less', ['i', 'n']]], returns: { go: 'less:z:0' } },
    { name: 'body', inputs: { i: 'i32', x: 'f32', n: 'i32' }, outputs: { i_1: 'i32', x_1: 'f32', n_1: 'i32' },
      nodes: [constant('one', ints(1)), ['add', 'AddV2', ['i', 'one:output:0']], ['sin', 'Sin', ['x']]], returns: { i_1: 'add:z:0', x_1: 'sin:y:0', n_1: 'n' } },
  ]),
  If: graph({ x: data([2, 3]), p: bools(false) }, [['if', 'StatelessIf', ['p', 'x'], { then_branch: { func: 'yes' }, else_branch: { func: 'no' } }], ['y', 'Identity', ['if']]], ['y'], [
    { name: 'yes', inputs: { x: 'f32' }, outputs: { y: 'f32' }, nodes: [['abs', 'Abs', ['x']]], returns: { y: 'abs:y:0' } },
    { name: 'no', inputs: { x: 'f32' }, outputs: { y: 'f32' }, nodes: [['neg', 'Neg', ['x']]], returns: { y: 'neg:y:0' } },
  ]),
  // a recurrent layer: state = tanh(state + x[t]), all states stacked
  TensorLists: graph({ x: data([4, 2, 3]) }, [
    constant('zero', ints(0)), constant('open', ints([-1, 3])), constant('n', ints(4)), constant('begin', floats([[0, 0, 0], [0, 0, 0]])),
    ['list', 'TensorListFromTensor', ['x', 'open'], { element_dtype: { type: 'f32' } }],
    ['made', 'TensorListReserve', ['open', 'n'], { element_dtype: { type: 'f32' } }],
    ['loop', 'StatelessWhile', ['zero', 'begin', 'made', 'list', 'n'], { cond: { func: 'cond' }, body: { func: 'body' } }],
    ['all', 'TensorListStack', ['loop:2', 'open'], { element_dtype: { type: 'f32' }, num_elements: 4 }], ['last', 'Identity', ['loop:1']],
  ], ['all', 'last'], [
    { name: 'cond', inputs: { i: 'i32', s: 'f32', made: 'variant', list: 'variant', n: 'i32' }, outputs: { go: 'bool' }, nodes: [['less', 'Less', ['i', 'n']]], returns: { go: 'less:z:0' } },
    { name: 'body', inputs: { i: 'i32', s: 'f32', made: 'variant', list: 'variant', n: 'i32' },
      outputs: { i_1: 'i32', s_1: 'f32', made_1: 'variant', list_1: 'variant', n_1: 'i32' },
      nodes: [
        constant('one', ints(1)), constant('open', ints([-1, 3])), ['add', 'AddV2', ['i', 'one:output:0']],
        ['item', 'TensorListGetItem', ['list', 'i', 'open:output:0'], { element_dtype: { type: 'f32' } }],
        ['sum', 'AddV2', ['s', 'item:item:0']], ['tanh', 'Tanh', ['sum:z:0']],
        ['set', 'TensorListSetItem', ['made', 'i', 'tanh:y:0'], { element_dtype: { type: 'f32' } }],
      ],
      returns: { i_1: 'add:z:0', s_1: 'tanh:y:0', made_1: 'set:output_handle:0', list_1: 'list', n_1: 'n' } },
  ]),
  // the same with arrays, as TensorFlow 1 writes it
  TensorArrays: graph({ x: data([4, 3]) }, [
    constant('zero', ints(0)), constant('n', ints(4)), constant('places', ints([0, 1, 2, 3])), constant('begin', floats([0, 0, 0])),
    ['in', 'TensorArrayV3', ['n'], { dtype: { type: 'f32' }, element_shape: { shape: [3] } }], ['out', 'TensorArrayV3', ['n'], { dtype: { type: 'f32' }, element_shape: { shape: null } }],
    ['scatter', 'TensorArrayScatterV3', ['in', 'places', 'x', 'in:1'], { T: { type: 'f32' } }],
    ['enter_i', 'Enter', ['zero'], { frame_name: 'loop' }], ['enter_s', 'Enter', ['begin'], { frame_name: 'loop' }], ['enter_flow', 'Enter', ['out:1'], { frame_name: 'loop' }],
    ['enter_in', 'Enter', ['in'], { frame_name: 'loop', is_constant: true }], ['enter_in_flow', 'Enter', ['scatter'], { frame_name: 'loop', is_constant: true }],
    ['enter_out', 'Enter', ['out'], { frame_name: 'loop', is_constant: true }], ['enter_n', 'Enter', ['n'], { frame_name: 'loop', is_constant: true }],
    ['merge_i', 'Merge', ['enter_i', 'next_i']], ['merge_s', 'Merge', ['enter_s', 'next_s']], ['merge_flow', 'Merge', ['enter_flow', 'next_flow']],
    ['less', 'Less', ['merge_i', 'enter_n']], ['go', 'LoopCond', ['less']],
    ['switch_i', 'Switch', ['merge_i', 'go']], ['switch_s', 'Switch', ['merge_s', 'go']], ['switch_flow', 'Switch', ['merge_flow', 'go']],
    ['i', 'Identity', ['switch_i:1']], constant('one', ints(1)), ['add', 'Add', ['i', 'one']],
    ['read', 'TensorArrayReadV3', ['enter_in', 'i', 'enter_in_flow'], { dtype: { type: 'f32' } }], ['sum', 'Add', ['switch_s:1', 'read']], ['tanh', 'Tanh', ['sum']],
    ['write', 'TensorArrayWriteV3', ['enter_out', 'i', 'tanh', 'switch_flow:1'], { T: { type: 'f32' } }],
    ['next_i', 'NextIteration', ['add']], ['next_s', 'NextIteration', ['tanh']], ['next_flow', 'NextIteration', ['write']],
    ['exit_s', 'Exit', ['switch_s']], ['exit_flow', 'Exit', ['switch_flow']],
    ['all', 'TensorArrayGatherV3', ['out', 'places', 'exit_flow'], { dtype: { type: 'f32' }, element_shape: { shape: [3] } }], ['last', 'Identity', ['exit_s']],
  ], ['all', 'last']),
});

// for (i = 0; i < 3; i++) { x = i < 1 ? x + 1 : x * 2; for (j = 0; j < 2; j++) x = sin(x) + i }
const nested = graph({ x: data([2, 3]) }, [
  constant('zero', ints(0)), constant('one', ints(1)), constant('three', ints(3)), constant('first', floats(1)), constant('second', floats(2)), constant('two', ints(2)),
  ['enter_i', 'Enter', ['zero'], { frame_name: 'outer' }], ['enter_x', 'Enter', ['x'], { frame_name: 'outer' }],
  ['enter_three', 'Enter', ['three'], { frame_name: 'outer', is_constant: true }], ['enter_one', 'Enter', ['one'], { frame_name: 'outer', is_constant: true }],
  ['enter_first', 'Enter', ['first'], { frame_name: 'outer', is_constant: true }], ['enter_second', 'Enter', ['second'], { frame_name: 'outer', is_constant: true }],
  ['enter_zero', 'Enter', ['zero'], { frame_name: 'outer', is_constant: true }], ['enter_two', 'Enter', ['two'], { frame_name: 'outer', is_constant: true }],
  ['merge_i', 'Merge', ['enter_i', 'next_i']], ['merge_x', 'Merge', ['enter_x', 'next_x']],
  ['less', 'Less', ['merge_i', 'enter_three']], ['go', 'LoopCond', ['less']],
  ['switch_i', 'Switch', ['merge_i', 'go']], ['switch_x', 'Switch', ['merge_x', 'go']],
  ['is_first', 'Less', ['switch_i:1', 'enter_one']], ['side', 'Switch', ['switch_x:1', 'is_first']],
  ['side_first', 'Switch', ['enter_first', 'is_first']], ['side_second', 'Switch', ['enter_second', 'is_first']],
  ['no', 'Mul', ['side', 'side_second']], ['yes', 'Add', ['side:1', 'side_first:1']], ['chosen', 'Merge', ['no', 'yes']],
  ['enter_j', 'Enter', ['enter_zero'], { frame_name: 'inner' }], ['enter_y', 'Enter', ['chosen'], { frame_name: 'inner' }],
  ['i_float', 'Cast', ['switch_i:1'], { SrcT: { type: 'i32' }, DstT: { type: 'f32' } }], ['enter_f', 'Enter', ['i_float'], { frame_name: 'inner', is_constant: true }],
  ['inner_one', 'Enter', ['enter_one'], { frame_name: 'inner', is_constant: true }], ['inner_two', 'Enter', ['enter_two'], { frame_name: 'inner', is_constant: true }],
  ['merge_j', 'Merge', ['enter_j', 'next_j']], ['merge_y', 'Merge', ['enter_y', 'next_y']],
  ['less_j', 'Less', ['merge_j', 'inner_two']], ['go_j', 'LoopCond', ['less_j']],
  ['switch_j', 'Switch', ['merge_j', 'go_j']], ['switch_y', 'Switch', ['merge_y', 'go_j']],
  ['add_j', 'Add', ['switch_j:1', 'inner_one']], ['sin', 'Sin', ['switch_y:1']], ['sum', 'Add', ['sin', 'enter_f']],
  ['next_j', 'NextIteration', ['add_j']], ['next_y', 'NextIteration', ['sum']], ['exit_y', 'Exit', ['switch_y']],
  ['add_i', 'Add', ['switch_i:1', 'enter_one']], ['next_i', 'NextIteration', ['add_i']], ['next_x', 'NextIteration', ['exit_y']],
  ['exit_x', 'Exit', ['switch_x']], ['y', 'Identity', ['exit_x']],
], ['y']);

module.exports = { cases, nested, of };
