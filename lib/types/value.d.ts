/**
 * Typings of values and of the operations on them, methods and functions; index.d.ts exports all of it.
 *
 * The first line above each method of an op is that op's line in the native table. A test compares both,
 * and finds an op without a typing.
 */

import type { DType, Nested, Range, Tensor, TypedArray } from '../index.js';
import type { Graph } from './graph.js';

// ---------------------------------------------------------------------------------------- values

/**
 * One size of a shape: a number, or text for sizes that are known when a run begins, such as `'n'` and
 * `'n + 1'` (with `+ - * /`, where `/` rounds down, `max(a, b)` and parentheses).
 */
export type Size = number | string;

/** Sizes per axis, outermost first: at most 8 of them. One size stands for a vector. */
export type SymbolicShape = Size | readonly Size[];

/**
 * What can stand beside a value: a number, bigint or boolean becomes a constant of the value's dtype,
 * which must hold it exactly (1.5 beside an `i32` is an error); tensors and arrays keep their dtype.
 */
export type Operand = Value | number | bigint | boolean | Tensor | TypedArray | Nested<number | bigint | boolean>;

/** Options of reductions. */
export interface ReduceOptions {
  /** One axis or several, negative ones count from the end; all when left out. */
  axis?: number | readonly number[];
  /** Whether the axes stay, with size 1. Default false. */
  keepDims?: boolean;
}

/** Options of {@link Value.sum} and {@link Value.prod}. */
export interface SumOptions extends ReduceOptions {
  /** What to compute in. By default floats stay, signed integers and bool are `i64`, unsigned `u64`. */
  dtype?: DType;
}

/** Options of {@link Value.var} and {@link Value.std}. */
export interface VarianceOptions extends ReduceOptions {
  /** Subtracted from the number of elements before dividing: 1 for the variance of a sample. Default 0. */
  correction?: number;
}

/** Options of {@link Value.cumulativeSum} and {@link Value.cumulativeProd}. */
export interface CumulativeOptions {
  /** may be left out for a vector; negative ones count from the end */
  axis?: number;
  /** what to compute in: 64 bits for integers, else the type of the operand */
  dtype?: DType;
  /** puts the value of nothing, 0 or 1, in front: the axis gets one element longer. Default false. */
  includeInitial?: boolean;
  /** leaves out the element of its own place, so that the first one is 0 or 1. Default false. */
  exclusive?: boolean;
  /** begins at the end. Default false. */
  reverse?: boolean;
}

/** Options of {@link Value.sort} and {@link Value.sortBy}. */
export interface SortOptions {
  /** the axis to sort along; negative ones count from the end. Default -1. */
  axis?: number;
  /** Whether the greatest comes first. Default false. */
  descending?: boolean;
  /** Equals always keep their order; here because the array-API standard has it. */
  stable?: boolean;
}

/** A dtype of positions. */
export type IndexDType = 'i32' | 'i64' | 'u32' | 'u64';

/** Options of {@link Value.argsort}. */
export interface ArgsortOptions extends SortOptions {
  /** what positions are in. Default `'i64'`. */
  dtype?: IndexDType;
}

/**
 * A function of two elements: a native function of numbers, or one that computes with Values.
 */
export type Pairwise = (a: any, b: any) => any;

/** Options of {@link Value.reduce}. */
export interface FoldOptions {
  /** the axis to go along; negative ones count from the end. Default: all elements, in row-major order. */
  axis?: number;
  /** What to begin with, in place of the first element: a number, or one value for each line. */
  initial?: Operand;
  /** Whether the axes stay, with size 1. Default false. */
  keepDims?: boolean;
}

/** Options of {@link Value.lexsort}, {@link Value.argpartition}. */
export interface OrderOptions {
  /** the axis to sort along; negative ones count from the end. Default -1. */
  axis?: number;
  /** what positions are in. Default `'i64'`. */
  dtype?: IndexDType;
}

/** Options of {@link Value.searchsorted}. */
export interface SearchOptions {
  /** Of equal elements, whether the place is before the first or behind the last. Default `'left'`. */
  side?: 'left' | 'right';
  /** positions that sort the vector, as of `argsort` */
  sorter?: Operand;
  /** what places are in. Default `'i64'`. */
  dtype?: IndexDType;
}

/** Options of what selects by data. */
export interface SelectOptions {
  /** How many rows there are whatever data says: the first of those selected, then `fill`. Without it as many as are selected. */
  size?: Size;
  /** what fills up the rows of `size`. Default 0. */
  fill?: number | bigint | boolean;
  /** a name for the number of rows, where that depends on data */
  symbol?: string;
}

/** Options of {@link Value.nonzero}, {@link Value.flatnonzero} and {@link Value.argwhere}. */
export interface PlaceOptions extends SelectOptions {
  /** what positions are in. Default `'i64'`. */
  dtype?: IndexDType;
}

/** Options of {@link Value.uniqueValues} and its siblings. */
export interface UniqueOptions extends SelectOptions {
  /** Whether all NaN count as one value. Default false. */
  equalNaN?: boolean;
  /** Slices along this axis are told from each other, as NumPy does. By default elements. */
  axis?: number;
  /** Whether values are sorted, slices by their elements from the first on, or come in the order in which they are first met. Default true. */
  sorted?: boolean;
}

/** Options of {@link Value.bucketize} and {@link Value.digitize}. */
export interface BinOptions {
  /** Default false. */
  right?: boolean;
  /** what numbers of bins are in. Default `'i64'`. */
  dtype?: IndexDType;
}

/** Options of {@link Value.topk}. */
export interface TopkOptions extends OrderOptions {
  /** Whether the greatest are wanted, else the least. Default true. */
  largest?: boolean;
}

/** Options of {@link Value.kthValue}. */
export interface AxisOptions {
  /** one axis; negative ones count from the end. Default -1. */
  axis?: number;
  /** Whether the axis stays, with size 1. Default false. */
  keepDims?: boolean;
}

/** Options of {@link Value.quantile} and {@link Value.percentile}. */
export interface QuantileOptions extends ReduceOptions {
  /** what is between two elements, by the names of NumPy (Hyndman and Fan, 1996). Default `'linear'`. */
  method?:
    | 'inverted_cdf'
    | 'averaged_inverted_cdf'
    | 'closest_observation'
    | 'interpolated_inverted_cdf'
    | 'hazen'
    | 'weibull'
    | 'linear'
    | 'median_unbiased'
    | 'normal_unbiased'
    | 'lower'
    | 'higher'
    | 'midpoint'
    | 'nearest';
}

/** Values, and where they were along the axis. */
export interface Picked {
  readonly values: Value;
  readonly indices: Value;
}

/** The commonest values, and how often they occur. */
export interface Commonest {
  readonly values: Value;
  readonly counts: Value;
}

/** Options of {@link Value.argmin} and {@link Value.argmax}. */
export interface PositionOptions {
  /** The axis to search along; without it, all elements in row-major order. */
  axis?: number;
  /** Whether the axes stay, with size 1. Default false. */
  keepDims?: boolean;
}

/** Axes of the first operand, and as many of the second that go with them. */
export type AxisPairs = readonly [number | readonly number[], number | readonly number[]];

/** Options of operations that sum products. */
export interface ProductOptions {
  /** What the operands are converted to first; by default their common dtype. */
  dtype?: DType;
}

/** Options of {@link Value.dotGeneral}. */
export interface DotGeneralOptions extends ProductOptions {
  /** Axes that are summed over. Default none. */
  contract?: AxisPairs;
  /** Axes that stand side by side, first in the result. Default none. */
  batch?: AxisPairs;
}

/** Options of {@link Value.tensordot}. */
export interface TensordotOptions extends ProductOptions {
  /** How many axes at the end of the first and the beginning of the second operand are summed over, or which. Default 2. */
  axes?: number | AxisPairs;
}

/** Options of {@link Value.vecdot}. */
export interface VecdotOptions extends ProductOptions {
  /** The axis that is summed over. Default -1. */
  axis?: number;
}

/** Options of {@link Value.cross}. */
export interface CrossOptions {
  /** The axis of size 3 that vectors lie along. Default -1. */
  axis?: number;
}

/** Options of {@link Value.trace}. */
export interface TraceOptions extends DiagonalOptions {
  /** What to compute in, as for sums: by default 64 bits for integers. */
  dtype?: DType;
}

/** Options of {@link Value.tril} and {@link Value.triu}. */
export interface TriangleOptions {
  /** Which diagonal is the last one kept, counted to the right of the main one; a scalar integer. Default 0. */
  k?: number | Value;
}

/** Options of {@link Value.vander}. */
export interface VanderOptions {
  /** How many columns. Default: as many as rows. */
  n?: Size;
  /** Whether powers rise from left to right. Default false. */
  increasing?: boolean;
}

/** Options of {@link Value.vectorNorm}. */
export interface VectorNormOptions extends ReduceOptions {
  /** p of (Σ|x|ᵖ)^(1/p); Infinity: the greatest |x|, -Infinity the least, 0: how many are not 0. Default 2. */
  ord?: number;
}

/** Options of {@link Value.matrixNorm}. */
export interface MatrixNormOptions {
  /**
   * `'fro'`: √Σx²; 1 and -1: greatest and least sum of |x| of a column, Infinity and -Infinity: of a row; 2 and -2: greatest and
   * least singular value, `'nuc'`: their sum. Default `'fro'`.
   */
  ord?: 'fro' | 'nuc' | 1 | -1 | 2 | -2 | number;
  /** Whether the axes stay, with size 1. Default false. */
  keepDims?: boolean;
}

/** Options of {@link Value.attention}. */
export interface AttentionOptions {
  /** Whether query i sees keys 0 to i only; a number n: 0 to i + n, so `keys - queries` aligns both at their ends. Default false. */
  causal?: boolean | number;
  /** What broadcasts to [..., heads, queries, keys]: bools, true where a key is seen, or floats that are added to the scores. */
  mask?: Operand;
  /** What scores are multiplied by. Default 1 / √features. */
  scale?: Operand;
  /** Heads of q that share one of k and v. By default what their numbers of heads say. */
  groups?: number;
  /** How many keys before its own a query sees, and how many behind; null for all. Default `[null, null]`. */
  window?: readonly [number | null, number | null];
  /** c: scores s become c · tanh(s / c) before they are masked. Default 0, as they are. */
  softcap?: number;
  /** Keys of the past, [..., heads, places, features], which stand in front of k; with `pastValue`. Queries stand behind them. */
  pastKey?: Operand;
  /** Values of the past, likewise. */
  pastValue?: Operand;
  /** How many of the keys there are, an integer per batch: others are padding. Queries that are `causal` or have a `window` stand at their end. */
  keyLengths?: Operand;
  /** The dtype of the softmax. By default that of q, k and v. */
  softmaxDType?: DType;
}

/** Options of {@link Value.attentionOutputs}. */
export interface AttentionOutputsOptions extends AttentionOptions {
  /** Which scores: products times the scale, those behind `softcap`, behind masks, or behind the softmax. Default `'raw'`. */
  scores?: 'raw' | 'capped' | 'masked' | 'weights';
}

/** Options of {@link Value.gelu}. */
export interface GeluOptions {
  /** `'tanh'` for the older form with a hyperbolic tangent, which costs less. Default `'none'`, the exact one. */
  approximate?: 'none' | 'tanh';
}

/** Options of {@link Value.softmax} and {@link Value.logSoftmax}. */
export interface SoftmaxOptions {
  /** One axis or several that rows lie along; negative ones count from the end. Default -1. */
  axis?: number | readonly number[];
}

/** Options of {@link Value.logSumExp}. */
export interface LogSumExpOptions extends SoftmaxOptions {
  /** Whether the axes stay, with size 1. Default false. */
  keepDims?: boolean;
}

/** Options of {@link Value.lpNormalize}. */
export interface LpNormalizeOptions extends SoftmaxOptions {
  /** The power. Default 2. */
  p?: number;
}

/** Options of {@link Value.rmsNorm}. */
export interface RmsNormOptions extends SoftmaxOptions {
  /** What results are multiplied by: a number, or an element per place along the axes. Default 1. */
  scale?: Operand;
  /** Added to the mean square before the root. Default 1e-5. */
  epsilon?: number;
}

/** Options of {@link Value.layerNorm}. */
export interface LayerNormOptions extends RmsNormOptions {
  /** What is added at the end: a number, or an element per place along the axes. Default 0. */
  bias?: Operand;
}

/** Options of {@link Value.pad}. */
export interface PadOptions {
  /**
   * What goes to the ends, by NumPy's names: one `value`, the element at the end, elements mirrored about the last one
   * or behind it, those of the other end, a ramp to `endValue`, or the greatest, least, mean or middle element. Default
   * `'constant'`.
   */
  mode?:
    | 'constant'
    | 'edge'
    | 'reflect'
    | 'symmetric'
    | 'wrap'
    | 'linearRamp'
    | 'maximum'
    | 'minimum'
    | 'mean'
    | 'median'
    | 'empty';
  /** `'constant'`: what to fill with. Default 0. */
  value?: Operand;
  /** `'constant'`: how many to put between neighbours, for all axes or per axis. Default 0. */
  interior?: number | readonly number[];
  /** `'linearRamp'`: what the outermost element is. Default 0. */
  endValue?: Operand;
  /** `'maximum'`, `'minimum'`, `'mean'`, `'median'`: of how many elements at each end; of all when left out. */
  statLength?: number;
}

/** Axes and their roles in {@link Value.gather} and the scatters, as in StableHLO; each list is empty by default. */
export interface ScatterOptions {
  /** Axes of the result (of a scatter: of the updates) that run through a window, in rising order. */
  offsetAxes?: readonly number[];
  /** Axes of the operand with windows of size 1 that the result lacks. */
  collapsedAxes?: readonly number[];
  /** Axes of the operand that go along with those in `indicesBatch`. */
  operandBatch?: readonly number[];
  indicesBatch?: readonly number[];
  /** The axis of the operand for each element of an index vector. */
  indexMap?: readonly number[];
}

/** Options of {@link Value.gather}. */
export interface GatherOptions extends ScatterOptions {
  /** Size of a window along each axis of the operand. */
  window: readonly Size[];
}

/** How an update joins what is there. */
export type UpdateMode = 'set' | 'add' | 'mul' | 'min' | 'max' | 'and' | 'or';

/** An axis, counted from the end when negative. */
export interface AxisOption {
  axis?: number;
}

/** Options of {@link Value.putAlongAxis}. */
export interface PutOptions extends AxisOption {
  /** Default `'set'`. */
  mode?: UpdateMode;
}

/** Options of {@link Value.oneHot}. */
export interface OneHotOptions extends AxisOption {
  /** Default `'f32'`. */
  dtype?: DType;
  /** The element at the index. Default 1. */
  on?: Operand;
  /** All others. Default 0. */
  off?: Operand;
}

/** Options of {@link Value.embeddingBag}. */
export interface EmbeddingBagOptions {
  /** Default `'sum'`. */
  mode?: 'sum' | 'mean' | 'max';
  /** A factor for each index, with mode `'sum'`. */
  weights?: Operand;
}

/** Options of {@link Value.bincount}. */
export interface BincountOptions {
  /** The number of bins. */
  length: Size;
  /** What an element counts; 1 when left out, and the result is `i64`. */
  weights?: Operand;
}

/** Options of {@link Value.histogram}. */
export interface HistogramOptions {
  /** Lower end of the first bin and upper end of the last, which it includes. */
  range: readonly [number, number];
  /** How many. Default 10. */
  bins?: number;
  /** What an element counts; 1 when left out, and counts are `i64`. */
  weights?: Operand;
}

/** Options of {@link Value.rot90}. */
export interface Rot90Options {
  /** How often, from the first axis towards the second. Default 1. */
  k?: number;
  /** Default `[0, 1]`. */
  axes?: readonly [number, number];
}

/** Options of {@link Value.roll}. */
export interface RollOptions {
  /** One axis, or one for each shift; all elements in row-major order when left out. */
  axis?: number | readonly number[];
}

/** Options of {@link Value.diag}. */
export interface DiagOptions {
  /** How far above the main diagonal. Default 0. */
  offset?: number;
}

/** Options of {@link Value.diagonal}. */
export interface DiagonalOptions extends DiagOptions {
  /** Rows and columns of the matrices. Default the last two. */
  axes?: readonly [number, number];
}

/** Options of {@link meshgrid}. */
export interface MeshgridOptions {
  /** `'ij'` for axes in the order of the operands; `'xy'`, the default, swaps the first two. */
  indexing?: 'xy' | 'ij';
}

/** Options of {@link concat} and {@link stack}. */
export interface JoinOptions {
  /** Negative ones count from the end. Default 0. */
  axis?: number;
}

/** Options of {@link Value.round}. */
export interface RoundOptions {
  /** Digits behind the decimal point; negative ones round to tens and hundreds. Default 0. */
  decimals?: number;
}

/** Options of {@link Value.nanToNum}. */
export interface NanToNumOptions {
  /** In place of NaN. Default 0. */
  nan?: number;
  /** In place of ∞. Default the greatest finite number of the dtype. */
  posInf?: number;
  /** In place of -∞. Default the least finite number of the dtype. */
  negInf?: number;
}

/** Options of {@link Value.isClose} and {@link Value.allClose}. */
export interface CloseOptions {
  /** Default 1e-5. */
  relative?: number;
  /** Default 1e-8. */
  absolute?: number;
  /** Whether NaN is close to NaN. Default false. */
  equalNan?: boolean;
}

/** Options of {@link Value.diff}. */
export interface DiffOptions {
  /** Negative ones count from the end. Default -1. */
  axis?: number;
  /** How many times over. Default 1. */
  order?: number;
  /** What to put in front before: a number or what `concat` takes. */
  prepend?: Operand;
  /** What to put behind before: a number or what `concat` takes. */
  append?: Operand;
}

/** Options of {@link Value.interp}. */
export interface InterpOptions {
  /** For x before the first place. Default the first value. */
  left?: Operand;
  /** For x behind the last place. Default the last value. */
  right?: Operand;
  /** After which the function repeats itself; places need not be in order then. */
  period?: number;
}

/** Options of {@link Value.gradient}. */
export interface GradientOptions {
  /** Negative ones count from the end. Default -1. */
  axis?: number;
  /** Distance of neighbours, or a vector of places. Default 1. */
  spacing?: Operand;
  /** Whether two or three elements say what the slope at an end is. Default 1. */
  edgeOrder?: 1 | 2;
}

/** Options of losses. */
export interface LossOptions {
  /** What to do with the losses of all elements. Default `'mean'`. */
  reduction?: 'mean' | 'sum' | 'none';
}

/** Options of {@link Value.nllLoss} and {@link Value.crossEntropyLoss}. */
export interface ClassLossOptions extends LossOptions {
  /** The axis of classes. Default 1, of a vector 0. */
  axis?: number;
  /** A number per class that its losses are multiplied by, and the mean divided by. */
  weight?: Operand;
  /** A target that counts for nothing. Default -100. */
  ignoreIndex?: number;
}

/** Options of {@link Value.tripletMarginLoss}. */
export interface TripletOptions extends LossOptions {
  /** Default 1. */
  margin?: number;
  /** The norm of distances. Default 2. */
  p?: number;
  /** Added to each difference. Default 1e-6. */
  epsilon?: number;
  /** Whether the distance of positive and negative counts where it is less. Default false. */
  swap?: boolean;
}

/** What windows do along their axes: one number for all axes, or one per axis. */
export interface SlideOptions {
  /** Distance from one place to the next. Default 1, for pools the window. */
  stride?: number | readonly number[];
  /**
   * What is added at both ends: one number for all, per axis a number or `[before, after]`, or a name.
   * `'same'` makes as many places as the size by the stride, rounded up, and puts an odd element behind,
   * `'sameLower'` in front; `'valid'` adds nothing. Default 0.
   */
  padding?: number | readonly (number | readonly [number, number])[] | 'same' | 'sameLower' | 'valid';
  /** Distance of neighbours in a window. Default 1. */
  dilation?: number | readonly number[];
}

/** Options of {@link Value.windowSum} and its siblings. */
export interface WindowOptions extends SlideOptions {
  /** Distance at which the operand's elements are laid out first. Default 1. */
  baseDilation?: number | readonly number[];
}

/** Options that convolutions and transposed ones have. */
export interface ConvolutionOptions extends SlideOptions {
  /** Channels are divided into as many groups, each with kernels of its own. Default 1. */
  groups?: number;
  /** Order of the axes of input and result: letters such as `'NHWC'`. Default `'NCW'`, `'NCHW'`, `'NCDHW'`. */
  layout?: string;
  /** Order of the axes of the kernel, such as `'HWIO'`. Default `'OIHW'`, for transposed ones `'IOHW'`. */
  kernelLayout?: string;
  /** What is added at the end: a number, or an element per channel. */
  bias?: Operand;
}

/** Options of {@link Value.conv} and its forms for one, two and three axes. */
export interface ConvOptions extends ConvolutionOptions {
  /** Distance at which the input's elements are laid out first. Default 1. */
  baseDilation?: number | readonly number[];
}

/** Options of {@link Value.convTranspose} and its forms. */
export interface ConvTransposeOptions extends ConvolutionOptions {
  /** Elements added behind each axis of the result, fewer than the stride or the dilation. Default 0. */
  outputPadding?: number | readonly number[];
}

/** Options of {@link Value.convolve} and {@link Value.correlate}. */
export interface SlidingProductOptions {
  /** All places, as many as the longer operand has elements, or those where one operand is inside the other. */
  mode?: 'full' | 'same' | 'valid';
}

/** Options of pools. */
export interface PoolOptions extends SlideOptions {
  /** Whether elements that are left over get a window too. Default false. */
  ceilMode?: boolean;
  /** Order of the axes, letters such as `'NHWC'`. Channels are axis 1 by default. */
  layout?: string;
}

/** Options of {@link Value.maxPoolWithIndices}. */
export interface IndexedPoolOptions extends PoolOptions {
  /** Whether indices count the last of the spatial axes first, or the first one first. Default `'rowMajor'`. */
  order?: 'rowMajor' | 'columnMajor';
  /** Whether indices count from the beginning of the channel, as in PyTorch, or of the whole, as in ONNX. Default true. */
  perChannel?: boolean;
}

/** Options of {@link Value.maxUnpool}. */
export interface UnpoolOptions {
  /** Sizes of the result. By default the least that windows of these places need. */
  size?: readonly Size[];
  /** Distance of windows. By default their size. */
  stride?: number | readonly number[];
  /** What was added to each axis. Default 0. */
  padding?: number | readonly (number | readonly [number, number])[];
  /** As of {@link Value.maxPoolWithIndices}. Default true. */
  perChannel?: boolean;
}

/** Options of {@link Value.nonMaxSuppression}. */
export interface NonMaxSuppressionOptions extends SelectOptions {
  /** How many boxes of a class of an image are taken at most. By default all. */
  maxOutputBoxesPerClass?: number | Value;
  /** Boxes that cover more than this part of what they and a better one do together are dropped. Default 0. */
  iouThreshold?: number | Value;
  /** Boxes of no more than this score are dropped. By default none. */
  scoreThreshold?: number | Value;
  /** Whether boxes are a centre and sizes, [x, y, width, height], or two corners, [y, x, y, x]. Default false. */
  centerPointBox?: boolean;
}

/** Options of {@link Value.avgPool}. */
export interface AvgPoolOptions extends PoolOptions {
  /** Whether padding counts in the number that sums are divided by. Default true. */
  countIncludePad?: boolean;
}

/** Options of {@link Value.lpPool}. */
export interface LpPoolOptions extends PoolOptions {
  /** The power. Default 2. */
  p?: number;
}

/** Options of {@link Value.globalAvgPool} and {@link Value.globalMaxPool}. */
export interface GlobalPoolOptions {
  /** Order of the axes, letters such as `'NHWC'`. Channels are axis 1 by default. */
  layout?: string;
  /** Whether the axes stay, with size 1. Default true. */
  keepDims?: boolean;
}

/** Options of {@link Value.adaptiveAvgPool} and {@link Value.adaptiveMaxPool}. */
export interface AdaptivePoolOptions {
  /** Order of the axes, letters such as `'NHWC'`. Channels are axis 1 by default. */
  layout?: string;
}

/** Options of {@link Value.instanceNorm}, {@link Value.groupNorm} and {@link Value.batchNorm}. */
export interface ChannelNormOptions {
  /** What results are multiplied by: a number, or an element per channel. Default 1. */
  scale?: Operand;
  /** What is added at the end: a number, or an element per channel. Default 0. */
  bias?: Operand;
  /** Added to the variance before the root. Default 1e-5. */
  epsilon?: number;
}

/** Options of {@link Value.localResponseNorm}. */
export interface LocalResponseNormOptions {
  /** Default 1e-4. */
  alpha?: number;
  /** Default 0.75. */
  beta?: number;
  /** Default 1. */
  k?: number;
}

/** Options of {@link Value.resize}: `size` or `scale`. Names that ONNX has are also taken as it spells them: `'half_pixel'`. */
export interface ResizeOptions {
  /** Sizes of the result: one for all axes that are resized, or one per axis. */
  size?: Size | readonly Size[];
  /** Factors, likewise; sizes are rounded down, and places follow the factors. */
  scale?: number | readonly number[];
  /** Which axes. By default all but batch and channels. */
  axes?: number | readonly number[];
  /** The nearest element, two or four neighbours along each axis. Default `'nearest'`. */
  mode?: 'nearest' | 'linear' | 'cubic';
  /** Where places lie in the input, by ONNX's names. Default `'halfPixel'`; `'alignCorners'` maps ends to ends. */
  coordinates?:
    | 'halfPixel'
    | 'halfPixelSymmetric'
    | 'pytorchHalfPixel'
    | 'tfHalfPixelForNn'
    | 'asymmetric'
    | 'alignCorners'
    | 'tfCropAndResize'
    | OnnxCoordinates;
  /** `'nearest'`: which of two neighbours. Default `'preferFloor'`. */
  rounding?: 'preferFloor' | 'preferCeil' | 'floor' | 'ceil' | 'round_prefer_floor' | 'round_prefer_ceil';
  /** `'cubic'`: the coefficient of Keys' kernel. Default -0.75. */
  cubicCoefficient?: number;
  /** `'linear'`, `'cubic'`: whether the filter reaches further where the result is smaller. Default false. */
  antialias?: boolean;
  /** `'linear'`, `'cubic'`: whether places beyond the ends do not count, instead of as the element there. Default false. */
  excludeOutside?: boolean;
  /** `'tfCropAndResize'`: where the part begins that is resized, for all axes, and then where it ends; 0 and 1 are the ends. */
  roi?: Operand;
  /** `'tfCropAndResize'`: the result where a place is outside. Default 0. */
  extrapolationValue?: number;
  /** With `size`: whether one factor for all axes is taken, the least or the greatest. Default `'stretch'`, one for each. */
  keepAspectRatioPolicy?: 'stretch' | 'notLarger' | 'notSmaller' | 'not_larger' | 'not_smaller';
  /** Order of the axes, letters such as `'NHWC'`. Channels are axis 1 by default. */
  layout?: string;
}

/** Coordinate modes of {@link Value.resize} as ONNX spells them. */
export type OnnxCoordinates =
  | 'half_pixel'
  | 'half_pixel_symmetric'
  | 'pytorch_half_pixel'
  | 'tf_half_pixel_for_nn'
  | 'align_corners'
  | 'tf_crop_and_resize';

/** Options of {@link Value.gridSample}. */
export interface GridSampleOptions {
  /** The nearest element, two or four neighbours along each axis. Default `'linear'`. */
  mode?: 'nearest' | 'linear' | 'cubic';
  /** What is beyond the ends: 0, the element there, or the image turned back. Default `'zeros'`. */
  padding?: 'zeros' | 'border' | 'reflection';
  /** Whether -1 and 1 are the middles of the first and the last element, or the outer sides of them. Default false. */
  alignCorners?: boolean;
}

/** Options of {@link Value.affineGrid}. */
export interface AffineGridOptions {
  /** As of {@link Value.gridSample}. Default false. */
  alignCorners?: boolean;
}

/** Options of {@link Value.roiAlign}. */
export interface RoiAlignOptions {
  /** Bins of a region: one number, or those along the height and the width. */
  size: number | readonly [number, number];
  /** What coordinates of regions are multiplied by. Default 1. */
  scale?: number;
  /** Samples along each axis of a bin. Default 0: as many as the bin is elements wide, rounded up. */
  samplingRatio?: number;
  /** Mean of the samples, or the greatest of their weighted neighbours, as in ONNX. Default `'avg'`. */
  mode?: 'avg' | 'max';
  /** Whether coordinates are half an element less than places, or as they are, with regions of at least an element. Default `'halfPixel'`. */
  coordinates?: 'halfPixel' | 'outputHalfPixel' | 'half_pixel' | 'output_half_pixel';
}

/** Options of {@link Value.dft}. */
export interface DftOptions {
  /** The axis that is transformed. Default -2, the one in front of the parts. */
  axis?: number;
  /** Length of the transform: the axis is cut off there, or followed by zeros. By default its size. */
  length?: Size;
  /** Whether bins become places: with the other sign, divided by the length. Default false. */
  inverse?: boolean;
  /** Whether only the first half of the bins are made of places, ⌊length / 2⌋ + 1, or real places of these. Default false. */
  onesided?: boolean;
}

/** How transforms are scaled: the inverse by 1 / length, both by its root, or the other one. */
export type FourierNorm = 'backward' | 'ortho' | 'forward';

/** Options of {@link Value.fft} and other transforms along one axis. */
export interface FourierOptions {
  /** Length of the transform: the axis is cut off there, or followed by zeros. By default its size; of `irfft` 2 · (bins - 1). */
  n?: Size;
  /** The axis, counted without that of the parts. Default -1. */
  axis?: number;
  /** Default `'backward'`. */
  norm?: FourierNorm;
}

/** Options of {@link Value.fftn} and other transforms along several axes. */
export interface FourierPlaneOptions {
  /** Lengths along the axes, as `n` of {@link FourierOptions}. */
  s?: readonly Size[];
  /** The axes, counted without that of the parts. By default all, or as many of the last as there are lengths; of `fft2` the last two. */
  axes?: number | readonly number[];
  /** Default `'backward'`. */
  norm?: FourierNorm;
}

/** Options of {@link Value.fftshift} and {@link Value.ifftshift}. */
export interface ShiftOptions {
  /** The axes, counted without that of the parts. Default: all. */
  axes?: number | readonly number[];
  /** Whether values have parts along a last axis. Default true; false: real values, such as sizes of bins. */
  complex?: boolean;
}

/** Options of {@link Value.fftConvolve}. */
export interface FftConvolveOptions {
  /** All of the convolution, its middle of the size of the first operand, or the part where the second fits in whole. Default `'full'`. */
  mode?: 'full' | 'same' | 'valid';
  /** The axes along which it goes; others broadcast. Default: all. */
  axes?: number | readonly number[];
}

/** Options of {@link Value.cholesky}, {@link Value.eigh} and {@link Value.eigvalsh}. */
export interface SymmetricOptions {
  /** Whether the upper triangle counts instead of the lower one; `cholesky` makes an upper one then. Default false. */
  upper?: boolean;
}

/** Options of {@link Value.triangularSolve}. */
export interface TriangularSolveOptions {
  /** Which triangle of the matrix counts. Default false: the lower one. */
  upper?: boolean;
  /** Whether it is transposed first. Default false. */
  transposed?: boolean;
  /** Whether ones stand for its diagonal. Default false. */
  unitDiagonal?: boolean;
  /** Whether it stands on the left, a · x = b, or on the right, x · a = b. Default true. */
  left?: boolean;
}

/** Options of {@link Value.pinv}, {@link Value.matrixRank} and {@link Value.lstsq}. */
export interface ToleranceOptions {
  /** Singular values up to this share of the greatest count as zero. Default: the greater size of the matrix times the dtype's epsilon. */
  rtol?: Operand;
}

/** Options of {@link Value.stft}. */
export interface StftOptions {
  /** Distance of frames. */
  step: Size;
  /** Places of a frame. By default those of the window. */
  length?: Size;
  /** What the places of a frame are multiplied by. Default 1. */
  window?: Operand;
  /** Whether the first half of the bins are enough, as of real signals. Default true. */
  onesided?: boolean;
}

/** Options of {@link Value.depthToSpace} and {@link Value.spaceToDepth}. */
export interface BlockOptions {
  /**
   * Whether a channel's number counts channels first and then places of a block, as ONNX's CRD and
   * `pixelShuffle` have it, or places first (DCR). Default `'blocksFirst'`.
   */
  order?: 'channelsFirst' | 'blocksFirst';
}

/**
 * A tensor in a {@link Graph}, to be computed later. Each op is a method, and a function of the same
 * name. Operands are promoted to a common dtype and broadcast, as in the Python array-API standard.
 *
 * @example
 * const x = graph.input('x', 'f32', ['n', 3]);
 * const y = x.sub(x.mean({ axis: 1, keepDims: true })).mul(2);
 * y.dtype; // 'f32'
 * y.shape; // ['n', 3]
 *
 * @throws {GraphError} every method: `ERR_DTYPE` for a dtype that the op does not take, `ERR_SHAPE` for
 *   shapes, sizes and axes that do not fit, `ERR_ARGUMENT` for values of two graphs
 */
export class Value {
  private constructor();

  readonly graph: Graph;
  /** The number of the value in its graph's text: 3 for `%3`. */
  readonly ref: number;
  readonly dtype: DType;
  readonly shape: readonly Size[];
  readonly rank: number;

  // What only tensors have, since they have data: these throw.

  readonly data: never;
  readonly length: never;
  readonly item: never;
  readonly at: never;
  readonly set: never;
  readonly toArray: never;

  // elementwise ops

  /** -x; integers wrap */
  neg(): Value;
  /** |x|; the least integer stays itself */
  abs(): Value;
  /** -1, 0 or 1; keeps -0 and NaN */
  sign(): Value;
  /**
   * largest integer ≤ x
   *
   * Integers stay as they are, here and in `ceil`, `trunc` and `roundEven`.
   */
  floor(): Value;
  /** smallest integer ≥ x */
  ceil(): Value;
  /** integer part, towards zero */
  trunc(): Value;
  /** nearest integer, halves to even */
  roundEven(): Value;
  /** square root, correctly rounded */
  sqrt(): Value;
  /** cube root */
  cbrt(): Value;
  /** e to the x */
  exp(): Value;
  /** 2 to the x */
  exp2(): Value;
  /** exp(x) - 1, accurate near 0 */
  expm1(): Value;
  /** natural logarithm */
  log(): Value;
  /** logarithm to base 2 */
  log2(): Value;
  /** logarithm to base 10 */
  log10(): Value;
  /** log(1 + x), accurate near 0 */
  log1p(): Value;
  /** sine of an angle in radians */
  sin(): Value;
  /** cosine of an angle in radians */
  cos(): Value;
  /** tangent of an angle in radians */
  tan(): Value;
  /** arc sine in [-π/2, π/2] */
  asin(): Value;
  /** arc cosine in [0, π] */
  acos(): Value;
  /** arc tangent in [-π/2, π/2] */
  atan(): Value;
  /** hyperbolic sine */
  sinh(): Value;
  /** hyperbolic cosine */
  cosh(): Value;
  /** hyperbolic tangent */
  tanh(): Value;
  /** inverse hyperbolic sine */
  asinh(): Value;
  /** inverse hyperbolic cosine */
  acosh(): Value;
  /** inverse hyperbolic tangent */
  atanh(): Value;
  /** error function */
  erf(): Value;
  /** The number whose error function is x; ±Infinity for ±1. */
  erfInv(): Value;
  /** 1 - erf(x), accurate for large x */
  erfc(): Value;
  /** log of |Γ(x)| */
  lgamma(): Value;
  /** logical not of a bool, bitwise not of an integer */
  not(): Value;
  /**
   * true where x is NaN
   *
   * Integers are never NaN, nor infinite.
   */
  isNan(): Value;
  /** true where x is neither NaN nor infinite */
  isFinite(): Value;
  /** number of one bits */
  popcount(): Value;
  /** number of leading zero bits; the width for 0 */
  clz(): Value;
  /** the value itself, which derivatives take for a constant */
  stopGradient(): Value;
  /** x + y; integers wrap */
  add(y: Operand): Value;
  /** x - y; integers wrap */
  sub(y: Operand): Value;
  /** x · y; integers wrap */
  mul(y: Operand): Value;
  /** x / y; integers truncate, x / 0 = -1 (all bits one), least / -1 wraps */
  div(y: Operand): Value;
  /** remainder with the sign of x, exact; integer x rem 0 = x */
  rem(y: Operand): Value;
  /** x to the y; integers wrap, a negative integer exponent gives 1 for 1, ±1 for -1, else 0 */
  pow(y: Operand): Value;
  /** angle of the point (y, x) in [-π, π]: atan2(y, x) */
  atan2(y: Operand): Value;
  /** sqrt(x² + y²) without overflow on the way */
  hypot(y: Operand): Value;
  /** logical and of bools, bitwise of integers */
  and(y: Operand): Value;
  /** logical or of bools, bitwise of integers */
  or(y: Operand): Value;
  /** exclusive or */
  xor(y: Operand): Value;
  /** x << y; 0 when y is not in [0, width) */
  shl(y: Operand): Value;
  /** x >> y, signed types keep the sign; 0 or -1 when y is not in [0, width) */
  shr(y: Operand): Value;
  /** x = y; false with NaN */
  eq(y: Operand): Value;
  /** x ≠ y; true with NaN */
  ne(y: Operand): Value;
  /** x < y; false with NaN */
  lt(y: Operand): Value;
  /** x ≤ y; false with NaN */
  le(y: Operand): Value;
  /** x > y; false with NaN */
  gt(y: Operand): Value;
  /** x ≥ y; false with NaN */
  ge(y: Operand): Value;
  /** x · y + z with one rounding */
  fma(y: Operand, z: Operand): Value;
  /** select(p, x, y): x where p, else y */
  select(x: Operand, y: Operand): Value;
  /** value in another dtype; floats to integers truncate and saturate, NaN gives 0 */
  convert(dtype: DType): Value;
  /** the same bits read as another dtype of the same width */
  bitcast(dtype: DType): Value;
  /**
   * smaller; NaN if either is, -0 below +0
   *
   * Without an operand the least over axes, as `reduceMin`.
   */
  min(y: Operand): Value;
  min(options?: ReduceOptions): Value;
  /**
   * larger; NaN if either is, -0 below +0
   *
   * Without an operand the greatest over axes, as `reduceMax`.
   */
  max(y: Operand): Value;
  max(options?: ReduceOptions): Value;

  // elementwise composites

  /** `convert` by its array-API name */
  astype(dtype: DType): Value;
  /** x · x */
  square(): Value;
  /** 1 / x */
  reciprocal(): Value;
  /** no smaller than low, no larger than high; either may be left out */
  clip(low?: Operand, high?: Operand): Value;
  /** true where x is infinite */
  isInf(): Value;
  /** max(x, 0) */
  relu(): Value;
  /** 1 / (1 + exp(-x)) */
  sigmoid(): Value;
  /** x / (1 + exp(-x)), also called swish */
  silu(): Value;
  /** log(1 + exp(x)), without overflow */
  softplus(): Value;
  /** x times the normal distribution function of x: x/2 · (1 + erf(x / √2)) */
  gelu(options?: GeluOptions): Value;
  /** `select` by its array-API name: x where this is true, else y */
  where(x: Operand, y: Operand): Value;

  // elementwise functions of the array-API standard and NumPy

  /** x / y rounded down; by 0 as `div` */
  floorDivide(y: Operand): Value;
  /** remainder of `floorDivide`, with the sign of y */
  remainder(y: Operand): Value;
  /** greatest common divisor of integers, never negative; 0 of zeros */
  gcd(y: Operand): Value;
  /** least common multiple of integers, never negative; wraps */
  lcm(y: Operand): Value;
  /** whether both are true, or not 0 */
  logicalAnd(y: Operand): Value;
  /** whether either is true, or not 0 */
  logicalOr(y: Operand): Value;
  /** whether just one is true, or not 0 */
  logicalXor(y: Operand): Value;
  /** whether x is false, or 0 */
  logicalNot(): Value;
  /** true where the sign bit is set: of -0 and of negative NaN too */
  signBit(): Value;
  /** |x| with the sign of y */
  copySign(y: Operand): Value;
  /** the next float after x on the way to y */
  nextAfter(y: Operand): Value;
  /** larger; the other one where one is NaN */
  fmax(y: Operand): Value;
  /** smaller; the other one where one is NaN */
  fmin(y: Operand): Value;
  /** log(exp(x) + exp(y)) without overflow */
  logAddExp(y: Operand): Value;
  /** log2(2^x + 2^y) without overflow */
  logAddExp2(y: Operand): Value;
  /** 0 below 0, 1 above, y at 0 */
  heaviside(y: Operand): Value;
  /** sin(πx) / (πx), and 1 at 0 */
  sinc(): Value;
  /** radians as degrees */
  degrees(): Value;
  /** degrees as radians */
  radians(): Value;
  /** nearest number with so many decimals, halves to even; integers as they are */
  round(options?: RoundOptions): Value;
  /** NaN and infinities replaced, by 0 and the greatest finite numbers unless told otherwise */
  nanToNum(options?: NanToNumOptions): Value;
  /** true where |x - y| ≤ absolute + relative · |y| */
  isClose(y: Operand, options?: CloseOptions): Value;
  /** whether `isClose` is true of all elements */
  allClose(y: Operand, options?: CloseOptions): Value;
  /** x + weight · (y - x) */
  lerp(y: Operand, weight: Operand): Value;
  /** log(x / (1 - x)), the inverse of `sigmoid` */
  logit(): Value;
  /** the polynomial with these coefficients, the highest power first, by Horner's rule */
  polyval(coefficients: readonly Operand[]): Value;

  // activations

  /** x between 0 and 6 */
  relu6(): Value;
  /** x where positive, else slope · x, with a slope of 0.01 */
  leakyRelu(options?: { slope?: number }): Value;
  /** x where positive, else weight · x; one weight, or one per place along axis 1 */
  prelu(weight: Operand, options?: { axis?: number }): Value;
  /** x where positive, else alpha · (exp(x) - 1) */
  elu(options?: { alpha?: number }): Value;
  /** x where positive, else alpha · (exp(x / alpha) - 1) */
  celu(options?: { alpha?: number }): Value;
  /** `elu` scaled so that mean and variance stay 0 and 1 (Klambauer et al. 2017) */
  selu(): Value;
  /** x between low and high, which are -1 and 1 by default */
  hardTanh(options?: { low?: number; high?: number }): Value;
  /** (x + 3) / 6 between 0 and 1 */
  hardSigmoid(): Value;
  /** x · `hardSigmoid` */
  hardSwish(): Value;
  /** x, and 0 where |x| ≤ lambda, which is 0.5 by default */
  hardShrink(options?: { lambda?: number }): Value;
  /** x moved towards 0 by lambda, which is 0.5 by default */
  softShrink(options?: { lambda?: number }): Value;
  /** x - tanh(x) */
  tanhShrink(): Value;
  /** x / (1 + |x|) */
  softsign(): Value;
  /** log(1 / (1 + exp(-x))) without overflow */
  logSigmoid(): Value;
  /** x · tanh(log(1 + exp(x))) */
  mish(): Value;
  /** x where it is above the limit, else the other number */
  threshold(limit: number, other: number): Value;
  /** the first half along an axis times the sigmoid of the second */
  glu(options?: { axis?: number }): Value;

  // movement

  /**
   * same elements in row-major order, another shape
   *
   * One size may be -1: whatever is left.
   */
  reshape(shape: SymbolicShape): Value;
  /**
   * axes permuted: result axis i is operand axis axes[i]
   *
   * All axes are reversed when none are given.
   */
  transpose(axes?: readonly number[]): Value;
  /** `transpose` with given axes */
  permute(axes: readonly number[]): Value;
  /** all axes reversed */
  readonly T: Value;
  /** operand axis i becomes axis axes[i] of shape, repeated where its size is 1 */
  broadcast(shape: SymbolicShape, axes: readonly number[]): Value;
  /** repeated to a larger shape, by the rules of broadcasting */
  broadcastTo(shape: SymbolicShape): Value;
  /** a new axis of size 1, from -(rank + 1) to rank */
  expandDims(axis: number): Value;
  /** without the given axes, which must have size 1; without all such axes by default */
  squeeze(axes?: number | readonly number[]): Value;
  /**
   * element i per axis is operand element start + stride·i; shape elements are taken
   *
   * Takes what {@link Tensor.slice} takes. On an axis whose size is an expression nothing is clipped:
   * `[1, null]` of `n` elements has `n - 1`, and a run with fewer than 1 is refused.
   */
  slice(...ranges: Range[]): Value;
  /** a window whose start is given by scalar operands, one per axis, clamped to fit */
  dynamicSlice(starts: readonly Operand[], shape: SymbolicShape): Value;
  /** operand 0 with a window replaced by operand 1; starts as in dynamic_slice */
  updateSlice(update: Operand, starts: readonly Operand[]): Value;
  /**
   * edges and gaps filled with a scalar; negative lo and hi trim
   *
   * @param widths one number for all sides, or `[before, after]` per axis
   */
  pad(widths: number | readonly (readonly [number, number])[], options?: PadOptions): Value;
  /** the middle of these sizes, or zeros around it; all axes unless said otherwise, as ONNX's operator of that name */
  centerCropPad(shape: SymbolicShape, options?: { axes?: number | readonly number[] }): Value;
  /**
   * operands joined along one axis
   *
   * @param others what follows this value
   */
  concat(others: Operand | readonly Operand[], options?: JoinOptions): Value;
  /** this and the others side by side along a new axis */
  stack(others: Operand | readonly Operand[], options?: JoinOptions): Value;
  /**
   * order reversed along axes
   *
   * Along all axes by default.
   */
  reverse(axes?: number | readonly number[]): Value;
  /** `reverse` by its array-API name */
  flip(axes?: number | readonly number[]): Value;

  // reductions

  /** sum over axes; 0 when empty */
  reduceSum(axes?: number | readonly number[]): Value;
  /** product over axes; 1 when empty */
  reduceProd(axes?: number | readonly number[]): Value;
  /** least over axes, NaN if any is; the largest value of the type when empty */
  reduceMin(axes?: number | readonly number[]): Value;
  /** greatest over axes, NaN if any is; the least value of the type when empty */
  reduceMax(axes?: number | readonly number[]): Value;
  /** and over axes; all ones when empty */
  reduceAnd(axes?: number | readonly number[]): Value;
  /** or over axes; 0 when empty */
  reduceOr(axes?: number | readonly number[]): Value;
  /** sum of squared distances from the mean over axes, and that mean; both NaN when empty */
  reduceMoments(axes?: number | readonly number[]): Value;
  /** sum over axes, of integers in 64 bits */
  sum(options?: SumOptions): Value;
  /** product over axes, of integers in 64 bits */
  prod(options?: SumOptions): Value;
  /** whether all elements over axes are true, or not 0 */
  all(options?: ReduceOptions): Value;
  /** whether any element over axes is true, or not 0 */
  any(options?: ReduceOptions): Value;
  /** sum over axes by the number of elements; integers are computed in f64 */
  mean(options?: ReduceOptions): Value;
  /** mean squared distance from the mean */
  var(options?: VarianceOptions): Value;
  /** square root of `var` */
  std(options?: VarianceOptions): Value;
  /** index (`i64`) of the least element along an axis: the first of equals, NaN before all; -1 when empty */
  argmin(options?: PositionOptions): Value;
  /** index (`i64`) of the greatest element along an axis: the first of equals, NaN before all; -1 when empty */
  argmax(options?: PositionOptions): Value;

  // statistics of NumPy

  /** how many elements over axes are true, or not 0 (`i64`) */
  countNonzero(options?: ReduceOptions): Value;
  /** greatest less least over axes */
  ptp(options?: ReduceOptions): Value;
  /** mean over axes with weights, of the shape of x or a vector along the axis */
  average(options?: ReduceOptions & { weights?: Operand }): Value;
  /** sum over axes without NaN */
  nanSum(options?: ReduceOptions): Value;
  /** product over axes without NaN */
  nanProd(options?: ReduceOptions): Value;
  /** mean over axes without NaN; NaN where nothing is left */
  nanMean(options?: ReduceOptions): Value;
  /** least over axes without NaN; NaN where nothing is left */
  nanMin(options?: ReduceOptions): Value;
  /** greatest over axes without NaN; NaN where nothing is left */
  nanMax(options?: ReduceOptions): Value;
  /** mean squared distance from the mean, without NaN */
  nanVar(options?: VarianceOptions): Value;
  /** square root of `nanVar` */
  nanStd(options?: VarianceOptions): Value;
  /** differences of neighbours along an axis, order times over */
  diff(options?: DiffOptions): Value;
  /** area under samples by the trapezoidal rule */
  trapezoid(options?: { axis?: number; dx?: number; x?: Operand }): Value;
  /** values at x of a function that has these values at these places, a straight line between two, as NumPy's `interp` */
  interp(places: Operand, values: Operand, options?: InterpOptions): Value;
  /** slopes along an axis, by neighbours on both sides, which need not be as far; at the ends by those there are */
  gradient(options?: GradientOptions): Value;
  /** covariance matrix of variables, one per row; of a vector a number, of one row a matrix of one element */
  cov(options?: { rowVariables?: boolean; correction?: number }): Value;
  /** matrix of correlation coefficients of variables, one per row; shapes as of `cov` */
  corrcoef(options?: { rowVariables?: boolean }): Value;

  // rows brought to a common scale

  /** exp(x) by the sum of exp(x) over a row, without overflow */
  softmax(options?: SoftmaxOptions): Value;
  /** logarithm of `softmax`, without underflow */
  logSoftmax(options?: SoftmaxOptions): Value;
  /** logarithm of the sum of exp(x) over rows, without overflow; -∞ when empty */
  logSumExp(options?: LogSumExpOptions): Value;
  /** (x - mean) / √(var + epsilon) · scale + bias, with mean and variance of each row */
  layerNorm(options?: LayerNormOptions): Value;
  /** x / √(mean of x² + epsilon) · scale, with the mean of each row */
  rmsNorm(options?: RmsNormOptions): Value;
  /** x / (Σ |x|ᵖ)^(1/p) of each row, 0 where all of it is */
  lpNormalize(options?: LpNormalizeOptions): Value;

  // contractions

  /**
   * products summed over the contract axes, per place along the batch axes; axes: batch, rest of x, rest of y; integers wrap
   *
   * Sizes that go together and are expressions are compared when a run begins.
   */
  dotGeneral(y: Operand, options: DotGeneralOptions): Value;
  /** matrix product over the last two axes; the axes before them broadcast, a vector is a row or a column that goes again */
  matmul(y: Operand, options?: ProductOptions): Value;
  /** x · y summed along an axis that both have; the others broadcast */
  vecdot(y: Operand, options?: VecdotOptions): Value;
  /** products summed over axes given by number or pairs; axes: rest of x, rest of y */
  tensordot(y: Operand, options?: TensordotOptions): Value;
  /** products summed over the last axes of both */
  inner(y: Operand, options?: ProductOptions): Value;
  /** NumPy's `dot`: over the last axis of x and the last but one of y; x · y with a number */
  dot(y: Operand, options?: ProductOptions): Value;
  /** every element of x times every element of y: a matrix, of all axes together */
  outer(y: Operand, options?: ProductOptions): Value;
  /** Kronecker product: y once for each element of x, times that */
  kron(y: Operand): Value;
  /** cross product of vectors of 3 elements along an axis; the others broadcast */
  cross(y: Operand, options?: CrossOptions): Value;
  /** x · weightᵀ + bias over the last axis: weight [out, in] or [in], bias [out], as in PyTorch */
  linear(weight: Operand, bias?: Operand, options?: ProductOptions): Value;
  linear(weight: Operand, options: ProductOptions): Value;

  /**
   * products of all operands, summed over axes by NumPy's subscripts: `x.einsum('ij,jk->ik', y)`
   *
   * Letters name axes, `...` those that broadcast; a letter twice in an operand is its diagonal; without `->` the
   * result has what occurs once. Options may come last. Several operands are taken in the cheapest order.
   */
  einsum(subscripts: string, ...others: (Operand | ProductOptions)[]): Value;

  // matrices, along the last two axes

  /** rows and columns exchanged */
  matrixTranspose(): Value;
  /** `matrixTranspose` */
  readonly mT: Value;
  /** the elements along a diagonal, as the last axis */
  diagonal(options?: DiagonalOptions): Value;
  /** sum of the diagonal */
  trace(options?: TraceOptions): Value;
  /** x on and below a diagonal, 0 above it */
  tril(options?: TriangleOptions): Value;
  /** x on and above a diagonal, 0 below it */
  triu(options?: TriangleOptions): Value;
  /** determinants, by elimination; those of integers in f64 */
  det(): Value;
  /** sign and logarithm of the absolute value of the determinant */
  slogdet(): { sign: Value; logabsdet: Value };
  /** L, lower triangular, with L · Lᵀ = x, of symmetric matrices; NaN where they are not positive definite */
  cholesky(options?: SymmetricOptions): Value;
  /** `l · u` are the rows of x in the order of `rows`: elimination with partial pivoting */
  lu(): { l: Value; u: Value; rows: Value };
  /** orthonormal columns `q` and upper triangular `r` with q · r = x; `'complete'` gives all columns */
  qr(options?: { mode?: 'reduced' | 'complete' }): { q: Value; r: Value };
  /** eigenvalues of symmetric matrices, ascending, and eigenvectors, in columns */
  eigh(options?: SymmetricOptions): { eigenvalues: Value; eigenvectors: Value };
  /** eigenvalues of symmetric matrices, ascending */
  eigvalsh(options?: SymmetricOptions): Value;
  /** u · diag(s) · vh = x with singular values s, descending; without `fullMatrices` (default true) only columns and rows that count */
  svd(options?: { fullMatrices?: boolean }): { u: Value; s: Value; vh: Value };
  /** singular values, descending */
  svdvals(): Value;
  /** x⁻¹ · b, of a vector or matrices b; not finite where x is singular */
  solve(b: Operand): Value;
  /** the same of one triangle of x */
  triangularSolve(b: Operand, options?: TriangularSolveOptions): Value;
  /** x⁻¹; not finite where x is singular */
  inv(): Value;
  /** Moore–Penrose inverse, by singular values */
  pinv(options?: ToleranceOptions): Value;
  /** how many singular values count, i64 */
  matrixRank(options?: ToleranceOptions): Value;
  /** the least x that is nearest to solving a · x = b; the squares of what is left over, the rank and the singular values of a */
  lstsq(b: Operand, options?: ToleranceOptions): { x: Value; residuals: Value; rank: Value; s: Value };
  /** the exponential of matrices */
  expm(): Value;
  /** x times itself, so often; 0 times is the identity */
  matrixPower(power: number): Value;
  /** the powers of a vector's elements, as rows */
  vander(options?: VanderOptions): Value;
  /** norm of vectors along axes, by default √Σx² of all elements; integers are converted to f64 */
  vectorNorm(options?: VectorNormOptions): Value;
  /** norm of matrices, by default √Σx²; integers are converted to f64 */
  matrixNorm(options?: MatrixNormOptions): Value;

  // layers of two operands

  /**
   * softmax(x · kᵀ · scale) · v over [..., heads, places, features], plain, causal, masked or with heads in groups
   *
   * As PyTorch's `scaled_dot_product_attention`. A query that sees no key gives zeros.
   */
  attention(k: Operand, v: Operand, options?: AttentionOptions): Value;
  /** `attention`, with the keys and values that it was of, those of the past in front, and the scores, [..., heads, queries, keys] */
  attentionOutputs(
    k: Operand,
    v: Operand,
    options?: AttentionOutputsOptions,
  ): { output: Value; presentKey: Value; presentValue: Value; scores: Value };
  /** Σ x · weight · y over the last axes, plus bias: weight [out, in of x, in of y], as in PyTorch */
  bilinear(y: Operand, weight: Operand, bias?: Operand): Value;

  // running reductions

  /** element i is the sum of elements 0 to i along an axis */
  cumulateSum(axis?: number): Value;
  /** element i is the product of elements 0 to i along an axis */
  cumulateProd(axis?: number): Value;
  /** element i is the least of elements 0 to i along an axis, NaN if any is */
  cumulateMin(axis?: number): Value;
  /** element i is the greatest of elements 0 to i along an axis, NaN if any is */
  cumulateMax(axis?: number): Value;
  /** running sums along an axis, of integers in 64 bits */
  cumulativeSum(options?: CumulativeOptions): Value;
  /** running products along an axis, of integers in 64 bits */
  cumulativeProd(options?: CumulativeOptions): Value;

  /** what a function makes of the elements one after the other: of what came of those before, and the next one */
  reduce(fn: Pairwise, options?: FoldOptions): Value;

  // order

  /** operands put in the order of the first `keys` of them along an axis, equals in their own; -0 equals +0, NaN is greatest */
  sort(order?: SortOptions | Pairwise, options?: { axis?: number }): Value;
  /** where the elements of the sorted axis are, in their order: `x` taken at these positions is sorted */
  argsort(order?: ArgsortOptions | Pairwise, options?: OrderOptions): Value;
  /** the elements in the order of one or more keys of the same shape, the first of which counts most */
  sortBy(by: Value | readonly Value[], options?: SortOptions): Value;
  /** where the elements are in the order of keys; as in NumPy the last key of a list counts most */
  lexsort(options?: OrderOptions): Value;
  /** the greatest (or least) `count` elements along an axis, in order, and where they are; ties by position */
  topk(count: Size, options?: TopkOptions): Picked;
  /** the `k`-th least element along an axis, counted from 1, and where it is */
  kthValue(k: Size, options?: AxisOptions): Picked;
  /** an order in which the elements at `kth` are those of the sorted axis, less before them and greater behind */
  partition(kth: number | readonly number[], options?: { axis?: number }): Value;
  /** where the elements of `partition` are */
  argpartition(kth: number | readonly number[], options?: OrderOptions): Value;
  /** middle element over axes, or the mean of two; NaN where any is. A symbolic axis must not be empty. */
  median(options?: ReduceOptions): Value;
  /** `median` of what is not NaN; NaN where nothing is left */
  nanMedian(options?: ReduceOptions): Value;
  /** elements over axes below which the parts `q` lie, from 0 to 1; a list gives a new first axis */
  quantile(q: number | readonly number[], options?: QuantileOptions): Value;
  /** `quantile` of what is not NaN; NaN where nothing is left */
  nanQuantile(q: number | readonly number[], options?: QuantileOptions): Value;
  /** `nanQuantile` with `q` from 0 to 100 */
  nanPercentile(q: number | readonly number[], options?: QuantileOptions): Value;
  /** `quantile` with `q` from 0 to 100 */
  percentile(q: number | readonly number[], options?: QuantileOptions): Value;
  /** the commonest element along an axis (default -1) or several, the least of equals, and how often it occurs */
  mode(options?: ReduceOptions): Commonest;
  /** where values would go in this sorted vector: how many elements are less (`side: 'right'`: not greater) */
  searchsorted(values: Operand, options?: SearchOptions): Value;
  /** the bin of each element between increasing edges, as in PyTorch: its upper edge counts in, with `right` its lower one */
  bucketize(edges: Operand, options?: BinOptions): Value;
  /** the bin of each element between increasing edges, as in NumPy: its lower edge counts in, with `right` its upper one */
  digitize(edges: Operand, options?: BinOptions): Value;
  /** whether each element is among some values */
  isin(values: Operand, options?: { invert?: boolean }): Value;
  /**
   * the rows of values where a mask is true, in order; their number is what the run finds
   *
   * The mask is a vector for the rows along an axis, for all elements in their order when none is given.
   */
  compress(mask: Operand, options?: SelectOptions & { axis?: number }): Value;
  /** what `mask`, of the shape of the leading axes, is true for, as one axis: NumPy's `x[mask]` */
  maskedSelect(mask: Operand, options?: SelectOptions): Value;
  /** where elements are not zero: a vector of indices along each axis */
  nonzero(options?: PlaceOptions): Value[];
  /** where elements are not zero, counted through all axes */
  flatnonzero(options?: PlaceOptions): Value;
  /** where elements are not zero: a row of indices for each */
  argwhere(options?: PlaceOptions): Value;
  /** the different values, in order */
  uniqueValues(options?: UniqueOptions): Value;
  /** the different values, in order, and how often each is there */
  uniqueCounts(options?: UniqueOptions): { values: Value; counts: Value };
  /** the different values, in order, and for each element which of them it is */
  uniqueInverse(options?: UniqueOptions): { values: Value; inverseIndices: Value };
  /** both of these, and where each value is for the first time, counted through all axes */
  uniqueAll(options?: UniqueOptions): { values: Value; indices: Value; inverseIndices: Value; counts: Value };
  /** the different values of both, in order */
  union1d(y: Operand, options?: SelectOptions): Value;
  /** the different values that are in both, in order */
  intersect1d(y: Operand, options?: SelectOptions): Value;
  /** the different values of this that `y` does not have, in order */
  setdiff1d(y: Operand, options?: SelectOptions): Value;
  /** the different values that just one of both has, in order */
  setxor1d(y: Operand, options?: SelectOptions): Value;

  // losses, as in PyTorch

  /** mean of (x - y)² */
  mseLoss(y: Operand, options?: LossOptions): Value;
  /** mean of |x - y| */
  l1Loss(y: Operand, options?: LossOptions): Value;
  /** `l1Loss`, rounded off to a parabola where |x - y| < beta, which is 1 by default */
  smoothL1Loss(y: Operand, options?: LossOptions & { beta?: number }): Value;
  /** delta · `smoothL1Loss` with beta = delta */
  huberLoss(y: Operand, options?: LossOptions & { delta?: number }): Value;
  /** mean of -x at class numbers, of log-probabilities along axis 1 */
  nllLoss(targets: Operand, options?: ClassLossOptions): Value;
  /** `nllLoss` of `logSoftmax`; targets are class numbers, or probabilities of all classes */
  crossEntropyLoss(targets: Operand, options?: ClassLossOptions & { labelSmoothing?: number }): Value;
  /** -(y · log(x) + (1 - y) · log(1 - x)) of probabilities, logarithms at least -100 */
  binaryCrossEntropy(y: Operand, options?: LossOptions & { weight?: Operand }): Value;
  /** `binaryCrossEntropy` of sigmoid(x), without overflow */
  binaryCrossEntropyWithLogits(y: Operand, options?: LossOptions & { weight?: Operand; posWeight?: Operand }): Value;
  /** y · (log(y) - x) of log-probabilities x and probabilities y */
  klDivLoss(y: Operand, options?: { reduction?: 'mean' | 'sum' | 'none' | 'batchmean'; logTarget?: boolean }): Value;
  /** exp(x) - y · x of logarithms of rates */
  poissonNllLoss(y: Operand, options?: LossOptions & { logInput?: boolean; epsilon?: number }): Value;
  /** (log(variance) + (x - y)² / variance) / 2 */
  gaussianNllLoss(y: Operand, variance: Operand, options?: LossOptions & { epsilon?: number; full?: boolean }): Value;
  /** x where the target is 1, max(0, margin - x) where it is -1 */
  hingeEmbeddingLoss(target: Operand, options?: LossOptions & { margin?: number }): Value;
  /** log(1 + exp(-target · x)) of targets 1 and -1 */
  softMarginLoss(target: Operand, options?: LossOptions): Value;
  /** max(0, margin - target · (x - y)) of targets 1 and -1 */
  marginRankingLoss(y: Operand, target: Operand, options?: LossOptions & { margin?: number }): Value;
  /** cosine of the angle between x and y along an axis, 1 by default */
  cosineSimilarity(y: Operand, options?: { axis?: number; epsilon?: number }): Value;
  /** 1 - cosine where the target is 1, max(0, cosine - margin) where it is -1 */
  cosineEmbeddingLoss(y: Operand, target: Operand, options?: LossOptions & { margin?: number }): Value;
  /** p-norm of x - y over the last axis, epsilon added to each difference */
  pairwiseDistance(y: Operand, options?: { p?: number; epsilon?: number; keepDims?: boolean }): Value;
  /** max(0, margin + distance of x and positive - distance of x and negative) */
  tripletMarginLoss(positive: Operand, negative: Operand, options?: TripletOptions): Value;

  // indices
  //
  // Indices out of range are clamped by what takes, and dropped by what puts.

  /**
   * (operand, indices) → a window of the operand for each index vector; starts are clamped to fit
   *
   * As in StableHLO, with index vectors along the last axis of the indices, which may have any integer dtype.
   */
  gather(indices: Operand, options: GatherOptions): Value;
  /**
   * (operand, indices, updates) → the operand with windows replaced, the last one winning; those not inside are dropped
   *
   * As in StableHLO, with index vectors along the last axis of the indices. A window that is not wholly inside the
   * operand is dropped as a whole. Updates are joined in row-major order, whatever the number of threads.
   */
  scatter(indices: Operand, updates: Operand, options: ScatterOptions): Value;
  /** scatter that adds, in row-major order of the updates */
  scatterAdd(indices: Operand, updates: Operand, options: ScatterOptions): Value;
  /** scatter that multiplies, in row-major order of the updates */
  scatterMul(indices: Operand, updates: Operand, options: ScatterOptions): Value;
  /** scatter that keeps the smaller, NaN if either is */
  scatterMin(indices: Operand, updates: Operand, options: ScatterOptions): Value;
  /** scatter that keeps the larger, NaN if either is */
  scatterMax(indices: Operand, updates: Operand, options: ScatterOptions): Value;
  /** scatter that joins by and */
  scatterAnd(indices: Operand, updates: Operand, options: ScatterOptions): Value;
  /** scatter that joins by or */
  scatterOr(indices: Operand, updates: Operand, options: ScatterOptions): Value;
  /**
   * elements or slices at indices along an axis, which their shape replaces
   *
   * Negative indices count from the end; then they are clamped to the axis. Without an axis all elements are taken
   * from in row-major order.
   */
  take(indices: Operand, options?: AxisOption): Value;
  /**
   * an element for each index, at the place of the index along the other axes
   *
   * Operand and indices have one rank and, along axes other than `axis` (-1 by default), sizes that are equal or 1.
   * Negative indices count from the end; then they are clamped.
   */
  takeAlongAxis(indices: Operand, options?: AxisOption): Value;
  /** the first elements along an axis (0 by default) turned about, as many as the lengths along another (1) say */
  reverseSequence(lengths: Operand, options?: { axis?: number; batchAxis?: number }): Value;
  /** the counterpart of `takeAlongAxis`: updates joined where indices say; those out of range are dropped */
  putAlongAxis(indices: Operand, updates: Operand, options?: PutOptions): Value;
  /** elements or slices at index vectors, which lie along the last axis of the indices and go to the first axes */
  gatherNd(indices: Operand): Value;
  /** the counterpart of `gatherNd`: updates joined where index vectors say; those out of range are dropped */
  scatterNd(indices: Operand, updates: Operand, options?: { mode?: UpdateMode }): Value;
  /** slices replaced at indices along an axis (0 by default), the last one winning; those out of range are dropped */
  indexUpdate(indices: Operand, updates: Operand, options?: AxisOption): Value;
  /** slices added at indices along an axis (0 by default), in row-major order; those out of range are dropped */
  indexAdd(indices: Operand, updates: Operand, options?: AxisOption): Value;
  /** the same with products */
  indexMul(indices: Operand, updates: Operand, options?: AxisOption): Value;
  /** the same with the smaller */
  indexMin(indices: Operand, updates: Operand, options?: AxisOption): Value;
  /** the same with the larger */
  indexMax(indices: Operand, updates: Operand, options?: AxisOption): Value;
  /** a new axis (the last by default) of size `depth`, 1 at the index and 0 elsewhere; all 0 out of range */
  oneHot(depth: Size, options?: OneHotOptions): Value;
  /** rows of a table by number, clamped to those there are */
  embedding(indices: Operand): Value;
  /** sum, mean or greatest of the rows of each bag, the bags lying along the last axis of the indices */
  embeddingBag(indices: Operand, options?: EmbeddingBagOptions): Value;
  /** how often each number from 0 to `length` - 1 occurs; others are not counted */
  bincount(options: BincountOptions): Value;
  /** how many elements lie in each of equal bins of a range, and the edges of those, as NumPy counts */
  histogram(options: HistogramOptions): { counts: Value; edges: Value };
  /** sum of the rows of each segment, of integers in 64 bits; rows of other segments are dropped, also below */
  segmentSum(segments: Operand, count: Size): Value;
  /** product of the rows of each segment, of integers in 64 bits */
  segmentProd(segments: Operand, count: Size): Value;
  /** least of the rows of each segment; the largest value of the type when empty */
  segmentMin(segments: Operand, count: Size): Value;
  /** greatest of the rows of each segment; the least value of the type when empty */
  segmentMax(segments: Operand, count: Size): Value;
  /** mean of the rows of each segment, NaN when empty; integers are computed in f64 */
  segmentMean(segments: Operand, count: Size): Value;
  /** element by element one of several values, by number; numbers are clamped */
  choose(choices: readonly Operand[]): Value;

  // arranging

  /** all elements along one axis */
  flatten(): Value;
  /** `flatten` by its NumPy name */
  ravel(): Value;
  /** axes moved to other places, the rest staying in order */
  moveaxis(from: number | readonly number[], to: number | readonly number[]): Value;
  /** two axes exchanged */
  swapaxes(first: number, second: number): Value;
  /** a scalar as a vector */
  atleast1d(): Value;
  /** fewer axes than 2 as 2, new ones in front */
  atleast2d(): Value;
  /** fewer axes than 3 as 3; a matrix gets the new one behind, a vector one on both sides */
  atleast3d(): Value;
  /** quarter turns in the plane of two axes */
  rot90(options?: Rot90Options): Value;
  /** elements shifted along axes, those that leave coming in at the other end */
  roll(shift: number | readonly number[], options?: RollOptions): Value;
  /** each element `count` times along an axis; along the flattened value without one */
  repeat(count: Size, options?: AxisOption): Value;
  /** the whole repeated along each axis, new ones in front where counts are more than axes */
  tile(counts: Size | readonly Size[]): Value;
  /** equal parts along an axis (0 by default), or the parts between places, which then need not be equal */
  split(sections: number | readonly number[], options?: AxisOption): Value[];
  /** the slices along an axis (0 by default), without it */
  unstack(options?: AxisOption): Value[];
  /**
   * coordinates on a grid, one value for each of this and the others
   *
   * @param others vectors that go along further axes
   */
  meshgrid(others: Operand | readonly Operand[], options?: MeshgridOptions): Value[];
  /** a matrix with this vector on its diagonal, or the diagonal of a matrix */
  diag(options?: DiagOptions): Value;
  // windows

  /**
   * input [N, C, …] and kernel [O, C/groups, …] give [N, O, …]: sums of products over channels and window, one to three axes; what is padded counts as 0
   *
   * The operands' rank says along how many axes; `conv1d`, `conv2d` and `conv3d` insist on theirs.
   *
   * @throws {GraphError} `ERR_SHAPE` also where `'same'` with a stride takes a size that is not known
   */
  conv(kernel: Operand, options?: ConvOptions): Value;
  /** `conv` along one axis: input `[N, C, W]`, kernel `[O, C/groups, W]` */
  conv1d(kernel: Operand, options?: ConvOptions): Value;
  /** `conv` along two axes: input `[N, C, H, W]`, kernel `[O, C/groups, H, W]` */
  conv2d(kernel: Operand, options?: ConvOptions): Value;
  /** `conv` along three axes: input `[N, C, D, H, W]`, kernel `[O, C/groups, D, H, W]` */
  conv3d(kernel: Operand, options?: ConvOptions): Value;
  /** what `conv` with the same options would have as its input gradient: kernel `[C, O/groups, …]`; padding trims, and size i becomes (i - 1) · stride + window, less padding */
  convTranspose(kernel: Operand, options?: ConvTransposeOptions): Value;
  /** `convTranspose` along one axis */
  convTranspose1d(kernel: Operand, options?: ConvTransposeOptions): Value;
  /** `convTranspose` along two axes */
  convTranspose2d(kernel: Operand, options?: ConvTransposeOptions): Value;
  /** `convTranspose` along three axes */
  convTranspose3d(kernel: Operand, options?: ConvTransposeOptions): Value;
  /** NumPy's convolution of two vectors, one turned about; `'full'` by default */
  convolve(v: Operand, options?: SlidingProductOptions): Value;
  /** NumPy's correlation of two vectors; `'valid'` by default */
  correlate(v: Operand, options?: SlidingProductOptions): Value;
  /** sums of windows; what is padded counts as 0 */
  windowSum(window: SymbolicShape, options?: WindowOptions): Value;
  /** products of windows; what is padded counts as 1 */
  windowProd(window: SymbolicShape, options?: WindowOptions): Value;
  /** least of windows, NaN if any is; what is padded counts as the largest value of the type */
  windowMin(window: SymbolicShape, options?: WindowOptions): Value;
  /** greatest of windows, NaN if any is; what is padded counts as the least value of the type */
  windowMax(window: SymbolicShape, options?: WindowOptions): Value;

  // pools of images: batch, channels, then up to six axes that windows slide along

  /** greatest of each window; NaN if any is */
  maxPool(window: number | readonly number[], options?: PoolOptions): Value;
  /** `maxPool`, and the index (`i64`) of the first such element in its channel, in row-major order; -1 where a window is padding */
  maxPoolWithIndices(
    window: number | readonly number[],
    options?: IndexedPoolOptions,
  ): { values: Value; indices: Value };
  /** the way back from `maxPoolWithIndices`: its values where the indices say, and 0 */
  maxUnpool(indices: Operand, window: number | readonly number[], options?: UnpoolOptions): Value;
  /** mean of each window; integers are computed in f64 */
  avgPool(window: number | readonly number[], options?: AvgPoolOptions): Value;
  /** (Σ |x|ᵖ)^(1/p) of each window */
  lpPool(window: number | readonly number[], options?: LpPoolOptions): Value;
  /** mean over all axes but batch and channels */
  globalAvgPool(options?: GlobalPoolOptions): Value;
  /** greatest over all axes but batch and channels */
  globalMaxPool(options?: GlobalPoolOptions): Value;
  /** means of as many pieces along each axis; piece i of s elements begins at ⌊i·s/count⌋ and ends at ⌈(i + 1)·s/count⌉ */
  adaptiveAvgPool(size: number | readonly (number | null)[], options?: AdaptivePoolOptions): Value;
  /** greatest of as many pieces along each axis, as in `adaptiveAvgPool` */
  adaptiveMaxPool(size: number | readonly (number | null)[], options?: AdaptivePoolOptions): Value;
  /** windows as columns, im2col: `[N, C · window elements, places]` */
  unfold(window: number | readonly number[], options?: SlideOptions): Value;
  /** columns of windows summed into images of these sizes, col2im: the way back from `unfold` where windows do not overlap */
  fold(size: SymbolicShape, window: number | readonly number[], options?: SlideOptions): Value;

  // images by channels, which are axis 1

  /** (x - mean) / √(variance + epsilon) · scale + bias, each an element per channel or a number */
  batchNorm(mean: Operand, variance: Operand, options?: ChannelNormOptions): Value;
  /** `batchNorm` with mean and variance of each image's groups of channels */
  groupNorm(groups: number, options?: ChannelNormOptions): Value;
  /** `batchNorm` with mean and variance of each image's channels */
  instanceNorm(options?: ChannelNormOptions): Value;
  /** x / (k + alpha · mean of x² over `size` channels around)^beta; what is beyond the channels counts as 0 */
  localResponseNorm(size: number, options?: LocalResponseNormOptions): Value;
  /** images of another size, or any axes; places beyond the ends take the element there */
  resize(options: ResizeOptions): Value;
  /** images at places of a grid `[N, …, axes]` from -1 to 1, the last axis first, as in PyTorch and ONNX */
  gridSample(grid: Operand, options?: GridSampleOptions): Value;
  /** the grid of places that matrices `[N, axes, axes + 1]` make of an even one of these sizes */
  affineGrid(size: SymbolicShape, options?: AffineGridOptions): Value;
  /** means of the bins of regions `[n, 4]`, x and y of two corners, of the images with these numbers `[n]` */
  roiAlign(regions: Operand, batchIndices: Operand, options: RoiAlignOptions): Value;
  /**
   * the boxes `[n, b, 4]` that do not overlap a better one, by scores `[n, c, b]`: rows of image, class and box, `i64[count, 3]`
   *
   * As ONNX's NonMaxSuppression: image by image, class by class, the best first.
   */
  nonMaxSuppression(scores: Operand, options?: NonMaxSuppressionOptions): Value;
  /** channels into blocks of space: `[N, C · block², H, W]` becomes `[N, C, H · block, W · block]` */
  depthToSpace(block: number, options?: BlockOptions): Value;
  /** blocks of space into channels, the way back */
  spaceToDepth(block: number, options?: BlockOptions): Value;
  /** `depthToSpace` with channels first, as in PyTorch */
  pixelShuffle(factor: number): Value;
  /** `spaceToDepth` with channels first, as in PyTorch */
  pixelUnshuffle(factor: number): Value;

  // complex values: real and imaginary parts lie along a last axis of size 2, which axes are counted without

  /** real and imaginary parts, or zeros for these, side by side: `[...]` and `[...]` become `[..., 2]` */
  complex(im?: Operand): Value;
  /** real parts of complex values: `[..., 2]` becomes `[...]` */
  real(): Value;
  /** imaginary parts */
  imag(): Value;
  /** complex conjugates */
  conj(): Value;
  /** absolute values of complex values: `[..., 2]` becomes `[...]` */
  complexAbs(): Value;
  /** angles of complex values in radians, in (-π, π] */
  angle(): Value;
  /** products of complex values */
  complexMul(y: Operand): Value;

  // Fourier transforms, of any length, along axes counted without that of the parts

  /** discrete Fourier transform of complex values */
  fft(options?: FourierOptions): Value;
  /** its inverse */
  ifft(options?: FourierOptions): Value;
  /** the first half of the bins of real values: `[..., n]` becomes `[..., ⌊n / 2⌋ + 1, 2]` */
  rfft(options?: FourierOptions): Value;
  /** real values of the first half of their bins: `[..., bins, 2]` becomes `[..., n]` */
  irfft(options?: FourierOptions): Value;
  /** `fft` along the last two axes */
  fft2(options?: FourierPlaneOptions): Value;
  /** `ifft` along the last two axes */
  ifft2(options?: FourierPlaneOptions): Value;
  /** `rfft` along the last of two axes, `fft` along the other */
  rfft2(options?: FourierPlaneOptions): Value;
  /** the inverse of `rfft2` */
  irfft2(options?: FourierPlaneOptions): Value;
  /** `fft` along several axes */
  fftn(options?: FourierPlaneOptions): Value;
  /** `ifft` along several axes */
  ifftn(options?: FourierPlaneOptions): Value;
  /** `rfft` along the last of several axes, `fft` along the others */
  rfftn(options?: FourierPlaneOptions): Value;
  /** the inverse of `rfftn` */
  irfftn(options?: FourierPlaneOptions): Value;
  /** the bin of frequency 0 in the middle: halves of axes change places */
  fftshift(options?: ShiftOptions): Value;
  /** the way back */
  ifftshift(options?: ShiftOptions): Value;
  /** convolution of real values by way of their transforms, which takes n · log n operations */
  fftConvolve(y: Operand, options?: FftConvolveOptions): Value;

  // as ONNX has them: real and imaginary parts are the last axis, of size 2, or 1 without imaginary parts

  /** discrete Fourier transform along an axis */
  dft(options?: DftOptions): Value;
  /** Fourier transforms of frames of a signal `[..., places, parts]`: `[..., frames, bins, 2]` */
  stft(options: StftOptions): Value;
  /** the signal of such frames, which overlap: `[..., frames, bins, 2]` becomes `[..., places, parts]` */
  istft(options: StftOptions): Value;

  // random bits

  /** random bits, u32 or u64: threefry2x32 of the key, u32[2], and the index of each element */
  rngBits(shape: SymbolicShape, options?: { dtype?: 'u32' | 'u64' }): Value;
}

// --------------------------------------------------------------- the same operations on tensors

/** What can stand beside a tensor, where no value is among the operands. */
export type TensorOperand = Exclude<Operand, Value>;

/** What an operation gives for tensors where it gives `Result` for values. */
export type OnTensors<Result> = Result extends Value
  ? Tensor
  : Result extends readonly (infer Each)[]
    ? OnTensors<Each>[]
    : Result extends object
      ? { [Key in keyof Result]: OnTensors<Result[Key]> }
      : Result;

/** Arguments without values. */
export type BesideTensors<Args extends readonly unknown[]> = { [Index in keyof Args]: Exclude<Args[Index], Value> };

/** A method of {@link Value} as a method of {@link Tensor}: it computes at once. */
export type TensorMethod<Method> = Method extends {
  (...args: infer First): infer FirstResult;
  (...args: infer Second): infer SecondResult;
}
  ? {
      (...args: BesideTensors<First>): OnTensors<FirstResult>;
      (...args: BesideTensors<Second>): OnTensors<SecondResult>;
    }
  : never;

/** Members of {@link Value} that are no operations, those that only tensors have, and operations that are views of a tensor. */
type NotComputed =
  | ('graph' | 'ref' | 'dtype' | 'shape' | 'rank' | 'T' | 'mT')
  | ('data' | 'length' | 'item' | 'at' | 'set' | 'toArray')
  | ('transpose' | 'permute' | 'reshape' | 'slice' | 'expandDims' | 'squeeze' | 'flip' | 'broadcastTo');

/**
 * The operations as methods of {@link Tensor}: those of {@link Value}, with tensors for values.
 *
 * @example
 * const x = tensor([[1, 2], [3, 4]]);
 * x.mul(2).sub(x.mean({ axis: 0 })).toArray(); // [[0, 1], [4, 5]]
 */
export type TensorOperations = { [Name in Exclude<keyof Value, NotComputed>]: TensorMethod<Value[Name]> };

// -------------------------------------------------- the same operations as functions of either

/** A function of one operand. */
export interface Unary {
  (x: Tensor): Tensor;
  (x: Value): Value;
}

/** A function of two operands, at least one of which is a tensor or a value; with a value, a value results. */
export interface Binary {
  (x: TensorOperand, y: TensorOperand): Tensor;
  (x: Operand, y: Operand): Value;
}

/** The function of an operation: its method, with the tensor or value as first argument. */
export type FunctionOf<Name extends keyof Value> = Value[Name] extends (...args: infer Args) => infer Result
  ? {
      (x: TensorOperand, ...args: BesideTensors<Args>): OnTensors<Result>;
      (x: Operand, ...args: Args): Result;
    }
  : never;

export const neg: Unary;
export const abs: Unary;
export const sign: Unary;
export const floor: Unary;
export const ceil: Unary;
export const trunc: Unary;
export function rngBits(key: Value, shape: SymbolicShape, options?: { dtype?: 'u32' | 'u64' }): Value;
export const roundEven: Unary;
export const sqrt: Unary;
export const cbrt: Unary;
export const exp: Unary;
export const exp2: Unary;
export const expm1: Unary;
export const log: Unary;
export const log2: Unary;
export const log10: Unary;
export const log1p: Unary;
export const sin: Unary;
export const cos: Unary;
export const tan: Unary;
export const asin: Unary;
export const acos: Unary;
export const atan: Unary;
export const sinh: Unary;
export const cosh: Unary;
export const tanh: Unary;
export const asinh: Unary;
export const acosh: Unary;
export const atanh: Unary;
export const erf: Unary;
export const erfInv: Unary;
export const erfc: Unary;
export const lgamma: Unary;
export const not: Unary;
export const isNan: Unary;
export const isFinite: Unary;
export const popcount: Unary;
export const clz: Unary;
export const stopGradient: <T>(tree: T) => T;

export const add: Binary;
export const sub: Binary;
export const mul: Binary;
export const div: Binary;
export const rem: Binary;
export const pow: Binary;
export const atan2: Binary;
export const hypot: Binary;
export const and: Binary;
export const or: Binary;
export const xor: Binary;
export const shl: Binary;
export const shr: Binary;
export const eq: Binary;
export const ne: Binary;
export const lt: Binary;
export const le: Binary;
export const gt: Binary;
export const ge: Binary;

export const fma: FunctionOf<'fma'>;
export const select: FunctionOf<'select'>;
export const where: FunctionOf<'where'>;
export const convert: FunctionOf<'convert'>;
export const astype: FunctionOf<'astype'>;
export const bitcast: FunctionOf<'bitcast'>;
export const square: Unary;
export const reciprocal: Unary;
export const isInf: Unary;
export const relu: Unary;
export const sigmoid: Unary;
export const silu: Unary;
export const softplus: Unary;
export const gelu: FunctionOf<'gelu'>;
export const clip: FunctionOf<'clip'>;
/** The lesser or greater of two operands, or the least or greatest of one. */
export interface Extreme extends Binary {
  (x: Tensor, options?: ReduceOptions): Tensor;
  (x: Value, options?: ReduceOptions): Value;
}

export const min: Extreme;
export const max: Extreme;

export const reshape: FunctionOf<'reshape'>;
export const transpose: FunctionOf<'transpose'>;
export const permute: FunctionOf<'permute'>;
export const broadcast: FunctionOf<'broadcast'>;
export const broadcastTo: FunctionOf<'broadcastTo'>;
export const expandDims: FunctionOf<'expandDims'>;
export const squeeze: FunctionOf<'squeeze'>;
export const slice: FunctionOf<'slice'>;
export const dynamicSlice: FunctionOf<'dynamicSlice'>;
export const updateSlice: FunctionOf<'updateSlice'>;
export const pad: FunctionOf<'pad'>;
export const centerCropPad: FunctionOf<'centerCropPad'>;
/** A function of a list of operands, at least one of which is a tensor or a value. */
export interface Join {
  (operands: readonly TensorOperand[], options?: JoinOptions): Tensor;
  (operands: readonly Operand[], options?: JoinOptions): Value;
}

/** the operands joined along an axis */
export const concat: Join;
/** the operands side by side along a new axis */
export const stack: Join;
export const reverse: FunctionOf<'reverse'>;
export const flip: FunctionOf<'flip'>;

/** A primitive reduction. */
export interface Reduce {
  (x: Tensor, axes?: number | readonly number[]): Tensor;
  (x: Value, axes?: number | readonly number[]): Value;
}

export const reduceSum: Reduce;
export const reduceProd: Reduce;
export const reduceMin: Reduce;
export const reduceMax: Reduce;
export const reduceAnd: Reduce;
export const reduceOr: Reduce;
export const reduceMoments: Reduce;
export const sum: FunctionOf<'sum'>;
export const prod: FunctionOf<'prod'>;
export const all: FunctionOf<'all'>;
export const any: FunctionOf<'any'>;
export const mean: FunctionOf<'mean'>;
declare const variance: FunctionOf<'var'>;
export { variance as var };
export const std: FunctionOf<'std'>;
export const argmin: FunctionOf<'argmin'>;
export const argmax: FunctionOf<'argmax'>;
export const softmax: FunctionOf<'softmax'>;
export const logSoftmax: FunctionOf<'logSoftmax'>;
export const logSumExp: FunctionOf<'logSumExp'>;
export const layerNorm: FunctionOf<'layerNorm'>;
export const rmsNorm: FunctionOf<'rmsNorm'>;
export const lpNormalize: FunctionOf<'lpNormalize'>;

export const dotGeneral: FunctionOf<'dotGeneral'>;
export const matmul: FunctionOf<'matmul'>;
export const vecdot: FunctionOf<'vecdot'>;
export const tensordot: FunctionOf<'tensordot'>;
export const inner: FunctionOf<'inner'>;
export const dot: FunctionOf<'dot'>;
export const outer: FunctionOf<'outer'>;
export const kron: FunctionOf<'kron'>;
export const cross: FunctionOf<'cross'>;
export const linear: FunctionOf<'linear'>;
/** A function of subscripts and operands, at least one of which is a tensor or a value; options may come last. */
export interface Einsum {
  (subscripts: string, ...operands: (TensorOperand | ProductOptions)[]): Tensor;
  (subscripts: string, ...operands: (Operand | ProductOptions)[]): Value;
}

export const einsum: Einsum;
export const matrixTranspose: FunctionOf<'matrixTranspose'>;
export const trace: FunctionOf<'trace'>;
export const tril: FunctionOf<'tril'>;
export const triu: FunctionOf<'triu'>;
export const slogdet: FunctionOf<'slogdet'>;
export const cholesky: FunctionOf<'cholesky'>;
export const lu: FunctionOf<'lu'>;
export const qr: FunctionOf<'qr'>;
export const eigh: FunctionOf<'eigh'>;
export const eigvalsh: FunctionOf<'eigvalsh'>;
export const svd: FunctionOf<'svd'>;
export const svdvals: FunctionOf<'svdvals'>;
export const solve: FunctionOf<'solve'>;
export const triangularSolve: FunctionOf<'triangularSolve'>;
export const inv: FunctionOf<'inv'>;
export const pinv: FunctionOf<'pinv'>;
export const matrixRank: FunctionOf<'matrixRank'>;
export const lstsq: FunctionOf<'lstsq'>;
export const expm: FunctionOf<'expm'>;
export const det: FunctionOf<'det'>;
export const matrixPower: FunctionOf<'matrixPower'>;
export const vander: FunctionOf<'vander'>;
export const vectorNorm: FunctionOf<'vectorNorm'>;
export const matrixNorm: FunctionOf<'matrixNorm'>;
export const attention: FunctionOf<'attention'>;
export const attentionOutputs: FunctionOf<'attentionOutputs'>;
export const bilinear: FunctionOf<'bilinear'>;

/** A primitive running reduction; `axis` may be left out for a vector. */
export interface Cumulate {
  (x: Tensor, axis?: number): Tensor;
  (x: Value, axis?: number): Value;
}

export const cumulateSum: Cumulate;
export const cumulateProd: Cumulate;
export const cumulateMin: Cumulate;
export const cumulateMax: Cumulate;
export const cumulativeSum: FunctionOf<'cumulativeSum'>;
export const cumulativeProd: FunctionOf<'cumulativeProd'>;
export const reduce: FunctionOf<'reduce'>;
export const sort: FunctionOf<'sort'>;
export const argsort: FunctionOf<'argsort'>;
export const sortBy: FunctionOf<'sortBy'>;
export const topk: FunctionOf<'topk'>;
export const kthValue: FunctionOf<'kthValue'>;
export const partition: FunctionOf<'partition'>;
export const argpartition: FunctionOf<'argpartition'>;
export const median: FunctionOf<'median'>;
export const nanMedian: FunctionOf<'nanMedian'>;
export const quantile: FunctionOf<'quantile'>;
export const percentile: FunctionOf<'percentile'>;
export const mode: FunctionOf<'mode'>;
export const searchsorted: FunctionOf<'searchsorted'>;
export const bucketize: FunctionOf<'bucketize'>;
export const digitize: FunctionOf<'digitize'>;
export const gcd: FunctionOf<'gcd'>;
export const gradient: FunctionOf<'gradient'>;
export const interp: FunctionOf<'interp'>;
export const isin: FunctionOf<'isin'>;
export const compress: FunctionOf<'compress'>;
export const maskedSelect: FunctionOf<'maskedSelect'>;
export const nonzero: FunctionOf<'nonzero'>;
export const flatnonzero: FunctionOf<'flatnonzero'>;
export const argwhere: FunctionOf<'argwhere'>;
export const uniqueValues: FunctionOf<'uniqueValues'>;
export const uniqueCounts: FunctionOf<'uniqueCounts'>;
export const uniqueInverse: FunctionOf<'uniqueInverse'>;
export const uniqueAll: FunctionOf<'uniqueAll'>;
export const union1d: FunctionOf<'union1d'>;
export const intersect1d: FunctionOf<'intersect1d'>;
export const setdiff1d: FunctionOf<'setdiff1d'>;
export const setxor1d: FunctionOf<'setxor1d'>;
export const lcm: FunctionOf<'lcm'>;
export const nanPercentile: FunctionOf<'nanPercentile'>;
export const nanQuantile: FunctionOf<'nanQuantile'>;
export function lexsort(keys: Value | readonly Value[], options?: OrderOptions): Value;

export const floorDivide: FunctionOf<'floorDivide'>;
export const remainder: FunctionOf<'remainder'>;
export const logicalAnd: FunctionOf<'logicalAnd'>;
export const logicalOr: FunctionOf<'logicalOr'>;
export const logicalXor: FunctionOf<'logicalXor'>;
export const logicalNot: FunctionOf<'logicalNot'>;
export const signBit: FunctionOf<'signBit'>;
export const copySign: FunctionOf<'copySign'>;
export const nextAfter: FunctionOf<'nextAfter'>;
export const fmax: FunctionOf<'fmax'>;
export const fmin: FunctionOf<'fmin'>;
export const logAddExp: FunctionOf<'logAddExp'>;
export const logAddExp2: FunctionOf<'logAddExp2'>;
export const heaviside: FunctionOf<'heaviside'>;
export const sinc: FunctionOf<'sinc'>;
export const degrees: FunctionOf<'degrees'>;
export const radians: FunctionOf<'radians'>;
export const round: FunctionOf<'round'>;
export const nanToNum: FunctionOf<'nanToNum'>;
export const isClose: FunctionOf<'isClose'>;
export const allClose: FunctionOf<'allClose'>;
export const lerp: FunctionOf<'lerp'>;
export const logit: FunctionOf<'logit'>;
export const polyval: FunctionOf<'polyval'>;
export const relu6: FunctionOf<'relu6'>;
export const leakyRelu: FunctionOf<'leakyRelu'>;
export const prelu: FunctionOf<'prelu'>;
export const elu: FunctionOf<'elu'>;
export const celu: FunctionOf<'celu'>;
export const selu: FunctionOf<'selu'>;
export const hardTanh: FunctionOf<'hardTanh'>;
export const hardSigmoid: FunctionOf<'hardSigmoid'>;
export const hardSwish: FunctionOf<'hardSwish'>;
export const hardShrink: FunctionOf<'hardShrink'>;
export const softShrink: FunctionOf<'softShrink'>;
export const tanhShrink: FunctionOf<'tanhShrink'>;
export const softsign: FunctionOf<'softsign'>;
export const logSigmoid: FunctionOf<'logSigmoid'>;
export const mish: FunctionOf<'mish'>;
export const threshold: FunctionOf<'threshold'>;
export const glu: FunctionOf<'glu'>;
export const countNonzero: FunctionOf<'countNonzero'>;
export const ptp: FunctionOf<'ptp'>;
export const average: FunctionOf<'average'>;
export const nanSum: FunctionOf<'nanSum'>;
export const nanProd: FunctionOf<'nanProd'>;
export const nanMean: FunctionOf<'nanMean'>;
export const nanMin: FunctionOf<'nanMin'>;
export const nanMax: FunctionOf<'nanMax'>;
export const nanVar: FunctionOf<'nanVar'>;
export const nanStd: FunctionOf<'nanStd'>;
export const diff: FunctionOf<'diff'>;
export const trapezoid: FunctionOf<'trapezoid'>;
export const cov: FunctionOf<'cov'>;
export const corrcoef: FunctionOf<'corrcoef'>;
export const mseLoss: FunctionOf<'mseLoss'>;
export const l1Loss: FunctionOf<'l1Loss'>;
export const smoothL1Loss: FunctionOf<'smoothL1Loss'>;
export const huberLoss: FunctionOf<'huberLoss'>;
export const nllLoss: FunctionOf<'nllLoss'>;
export const crossEntropyLoss: FunctionOf<'crossEntropyLoss'>;
export const binaryCrossEntropy: FunctionOf<'binaryCrossEntropy'>;
export const binaryCrossEntropyWithLogits: FunctionOf<'binaryCrossEntropyWithLogits'>;
export const klDivLoss: FunctionOf<'klDivLoss'>;
export const poissonNllLoss: FunctionOf<'poissonNllLoss'>;
export const gaussianNllLoss: FunctionOf<'gaussianNllLoss'>;
export const hingeEmbeddingLoss: FunctionOf<'hingeEmbeddingLoss'>;
export const softMarginLoss: FunctionOf<'softMarginLoss'>;
export const marginRankingLoss: FunctionOf<'marginRankingLoss'>;
export const cosineSimilarity: FunctionOf<'cosineSimilarity'>;
export const cosineEmbeddingLoss: FunctionOf<'cosineEmbeddingLoss'>;
export const pairwiseDistance: FunctionOf<'pairwiseDistance'>;
export const tripletMarginLoss: FunctionOf<'tripletMarginLoss'>;

export function gather(x: Operand, indices: Operand, options: GatherOptions): Value;
export function scatter(x: Operand, indices: Operand, updates: Operand, options: ScatterOptions): Value;
export function scatterAdd(x: Operand, indices: Operand, updates: Operand, options: ScatterOptions): Value;
export function scatterMul(x: Operand, indices: Operand, updates: Operand, options: ScatterOptions): Value;
export function scatterMin(x: Operand, indices: Operand, updates: Operand, options: ScatterOptions): Value;
export function scatterMax(x: Operand, indices: Operand, updates: Operand, options: ScatterOptions): Value;
export function scatterAnd(x: Operand, indices: Operand, updates: Operand, options: ScatterOptions): Value;
export function scatterOr(x: Operand, indices: Operand, updates: Operand, options: ScatterOptions): Value;
export function take(x: Operand, indices: Operand, options?: AxisOption): Value;
export function takeAlongAxis(x: Operand, indices: Operand, options?: AxisOption): Value;
export function putAlongAxis(x: Operand, indices: Operand, updates: Operand, options?: PutOptions): Value;
export function reverseSequence(
  x: Operand,
  lengths: Operand,
  options?: { axis?: number; batchAxis?: number },
): Value;
export function gatherNd(x: Operand, indices: Operand): Value;
export function scatterNd(x: Operand, indices: Operand, updates: Operand, options?: { mode?: UpdateMode }): Value;
export function indexUpdate(x: Operand, indices: Operand, updates: Operand, options?: AxisOption): Value;
export function indexAdd(x: Operand, indices: Operand, updates: Operand, options?: AxisOption): Value;
export function indexMul(x: Operand, indices: Operand, updates: Operand, options?: AxisOption): Value;
export function indexMin(x: Operand, indices: Operand, updates: Operand, options?: AxisOption): Value;
export function indexMax(x: Operand, indices: Operand, updates: Operand, options?: AxisOption): Value;
export function oneHot(x: Value, depth: Size, options?: OneHotOptions): Value;
export function embedding(x: Operand, indices: Operand): Value;
export function embeddingBag(x: Operand, indices: Operand, options?: EmbeddingBagOptions): Value;
export function bincount(x: Value, options: BincountOptions): Value;
export function histogram(x: Value, options: HistogramOptions): { counts: Value; edges: Value };
export function segmentSum(x: Operand, segments: Operand, count: Size): Value;
export function segmentProd(x: Operand, segments: Operand, count: Size): Value;
export function segmentMin(x: Operand, segments: Operand, count: Size): Value;
export function segmentMax(x: Operand, segments: Operand, count: Size): Value;
export function segmentMean(x: Operand, segments: Operand, count: Size): Value;
export function choose(x: Value, choices: readonly Operand[]): Value;
export function flatten(x: Value): Value;
export function ravel(x: Value): Value;
export function moveaxis(x: Value, from: number | readonly number[], to: number | readonly number[]): Value;
export function swapaxes(x: Value, first: number, second: number): Value;
export function atleast1d(x: Value): Value;
export function atleast2d(x: Value): Value;
export function atleast3d(x: Value): Value;
export function rot90(x: Value, options?: Rot90Options): Value;
export function roll(x: Value, shift: number | readonly number[], options?: RollOptions): Value;
export function repeat(x: Value, count: Size, options?: AxisOption): Value;
export function tile(x: Value, counts: Size | readonly Size[]): Value;
export function split(x: Value, sections: number | readonly number[], options?: AxisOption): Value[];
export function unstack(x: Value, options?: AxisOption): Value[];
export function meshgrid(list: readonly Operand[], options?: MeshgridOptions): Value[];
export const diagonal: FunctionOf<'diagonal'>;
export function diag(x: Value, options?: DiagOptions): Value;
export const conv: FunctionOf<'conv'>;
export const conv1d: FunctionOf<'conv1d'>;
export const conv2d: FunctionOf<'conv2d'>;
export const conv3d: FunctionOf<'conv3d'>;
export const convTranspose: FunctionOf<'convTranspose'>;
export const convTranspose1d: FunctionOf<'convTranspose1d'>;
export const convTranspose2d: FunctionOf<'convTranspose2d'>;
export const convTranspose3d: FunctionOf<'convTranspose3d'>;
export const convolve: FunctionOf<'convolve'>;
export const correlate: FunctionOf<'correlate'>;
export const windowSum: FunctionOf<'windowSum'>;
export const windowProd: FunctionOf<'windowProd'>;
export const windowMin: FunctionOf<'windowMin'>;
export const windowMax: FunctionOf<'windowMax'>;
export const maxPool: FunctionOf<'maxPool'>;
export const maxPoolWithIndices: FunctionOf<'maxPoolWithIndices'>;
export const maxUnpool: FunctionOf<'maxUnpool'>;
export const avgPool: FunctionOf<'avgPool'>;
export const lpPool: FunctionOf<'lpPool'>;
export const globalAvgPool: FunctionOf<'globalAvgPool'>;
export const globalMaxPool: FunctionOf<'globalMaxPool'>;
export const adaptiveAvgPool: FunctionOf<'adaptiveAvgPool'>;
export const adaptiveMaxPool: FunctionOf<'adaptiveMaxPool'>;
export const unfold: FunctionOf<'unfold'>;
export const fold: FunctionOf<'fold'>;
export const batchNorm: FunctionOf<'batchNorm'>;
export const groupNorm: FunctionOf<'groupNorm'>;
export const instanceNorm: FunctionOf<'instanceNorm'>;
export const localResponseNorm: FunctionOf<'localResponseNorm'>;
export const resize: FunctionOf<'resize'>;
export const complex: FunctionOf<'complex'>;
export const real: FunctionOf<'real'>;
export const imag: FunctionOf<'imag'>;
export const conj: FunctionOf<'conj'>;
export const complexAbs: FunctionOf<'complexAbs'>;
export const angle: FunctionOf<'angle'>;
export const complexMul: FunctionOf<'complexMul'>;
export const fft: FunctionOf<'fft'>;
export const ifft: FunctionOf<'ifft'>;
export const rfft: FunctionOf<'rfft'>;
export const irfft: FunctionOf<'irfft'>;
export const fft2: FunctionOf<'fft2'>;
export const ifft2: FunctionOf<'ifft2'>;
export const rfft2: FunctionOf<'rfft2'>;
export const irfft2: FunctionOf<'irfft2'>;
export const fftn: FunctionOf<'fftn'>;
export const ifftn: FunctionOf<'ifftn'>;
export const rfftn: FunctionOf<'rfftn'>;
export const irfftn: FunctionOf<'irfftn'>;
export const fftshift: FunctionOf<'fftshift'>;
export const ifftshift: FunctionOf<'ifftshift'>;
export const fftConvolve: FunctionOf<'fftConvolve'>;
export const istft: FunctionOf<'istft'>;
export const dft: FunctionOf<'dft'>;
export const stft: FunctionOf<'stft'>;
export const gridSample: FunctionOf<'gridSample'>;
export const affineGrid: FunctionOf<'affineGrid'>;
export const roiAlign: FunctionOf<'roiAlign'>;
export const nonMaxSuppression: FunctionOf<'nonMaxSuppression'>;
export const depthToSpace: FunctionOf<'depthToSpace'>;
export const spaceToDepth: FunctionOf<'spaceToDepth'>;
export const pixelShuffle: FunctionOf<'pixelShuffle'>;
export const pixelUnshuffle: FunctionOf<'pixelUnshuffle'>;
