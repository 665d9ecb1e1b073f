/**
 * The names of all operations, by the keys of the files in index.js that have them.
 * Written by scripts/docs.js from what the files export.
 */
'use strict';

/** @type {Readonly<Record<string, readonly string[]>>} */
const names = {
  elementwise: [
    'neg', 'abs', 'sign', 'floor', 'ceil', 'trunc', 'roundEven', 'sqrt', 'cbrt', 'exp', 'exp2', 'expm1', 'log', 'log2',
    'log10', 'log1p', 'sin', 'cos', 'tan', 'asin', 'acos', 'atan', 'sinh', 'cosh', 'tanh', 'asinh', 'acosh', 'atanh',
    'erf', 'erfc', 'lgamma', 'not', 'isNan', 'isFinite', 'popcount', 'clz', 'add', 'sub', 'mul', 'div', 'rem', 'pow',
    'min', 'max', 'atan2', 'hypot', 'and', 'or', 'xor', 'shl', 'shr', 'eq', 'ne', 'lt', 'le', 'gt', 'ge', 'select',
    'fma', 'stopGradient', 'astype', 'bitcast', 'clip', 'convert', 'gelu', 'isInf', 'reciprocal', 'relu', 'sigmoid',
    'silu', 'softplus', 'square', 'where',
  ],
  arithmetic: [
    'copySign', 'degrees', 'floorDivide', 'fmax', 'fmin', 'heaviside', 'isClose', 'lerp', 'logAddExp', 'logAddExp2',
    'logicalAnd', 'logicalNot', 'logicalOr', 'logicalXor', 'logit', 'nanToNum', 'nextAfter', 'polyval', 'radians',
    'remainder', 'round', 'signBit', 'sinc',
  ],
  divisors: [
    'gcd', 'lcm',
  ],
  activations: [
    'celu', 'elu', 'glu', 'hardShrink', 'hardSigmoid', 'hardSwish', 'hardTanh', 'leakyRelu', 'logSigmoid', 'mish',
    'prelu', 'relu6', 'selu', 'softShrink', 'softsign', 'tanhShrink', 'threshold',
  ],
  movement: [
    'broadcast', 'broadcastTo', 'dynamicSlice', 'expandDims', 'flip', 'pad', 'permute', 'reshape', 'reverse', 'slice',
    'squeeze', 'transpose', 'updateSlice',
  ],
  reductions: [
    'reduceSum', 'reduceProd', 'reduceMin', 'reduceMax', 'reduceAnd', 'reduceOr', 'reduceMoments', 'all', 'any',
    'argmax', 'argmin', 'max', 'mean', 'min', 'prod', 'std', 'sum', 'var',
  ],
  statistics: [
    'allClose', 'average', 'corrcoef', 'countNonzero', 'cov', 'diff', 'nanMax', 'nanMean', 'nanMin', 'nanProd',
    'nanStd', 'nanSum', 'nanVar', 'ptp', 'trapezoid',
  ],
  cumulative: [
    'cumulateMax', 'cumulateMin', 'cumulateProd', 'cumulateSum', 'cumulativeProd', 'cumulativeSum',
  ],
  sorting: [
    'argpartition', 'argsort', 'kthValue', 'lexsort', 'partition', 'sort', 'sortBy', 'topk',
  ],
  orderStatistics: [
    'median', 'mode', 'nanMedian', 'nanPercentile', 'nanQuantile', 'percentile', 'quantile',
  ],
  searching: [
    'bucketize', 'digitize', 'isin', 'searchsorted',
  ],
  booleanIndexing: [
    'argwhere', 'compress', 'flatnonzero', 'maskedSelect', 'nonzero',
  ],
  sets: [
    'intersect1d', 'setdiff1d', 'setxor1d', 'union1d', 'uniqueAll', 'uniqueCounts', 'uniqueInverse', 'uniqueValues',
  ],
  interpolation: [
    'gradient', 'interp',
  ],
  normalisations: [
    'layerNorm', 'logSoftmax', 'logSumExp', 'lpNormalize', 'rmsNorm', 'softmax',
  ],
  contractions: [
    'cross', 'dot', 'dotGeneral', 'inner', 'kron', 'linear', 'matmul', 'outer', 'tensordot', 'vecdot',
  ],
  matrices: [
    'diagonal', 'matrixNorm', 'matrixPower', 'matrixTranspose', 'trace', 'tril', 'triu', 'vander', 'vectorNorm',
  ],
  factors: [
    'cholesky', 'det', 'eigh', 'eigvalsh', 'expm', 'inv', 'lstsq', 'lu', 'matrixRank', 'pinv', 'qr', 'slogdet',
    'solve', 'svd', 'svdvals', 'triangularSolve',
  ],
  attentions: [
    'attention', 'attentionOutputs', 'bilinear',
  ],
  einsum: [
    'einsum',
  ],
  userFunctions: [
    'reduce',
  ],
  windows: [
    'windowMax', 'windowMin', 'windowProd', 'windowSum', 'conv', 'conv1d', 'conv2d', 'conv3d', 'convTranspose',
    'convTranspose1d', 'convTranspose2d', 'convTranspose3d', 'convolve', 'correlate',
  ],
  pools: [
    'adaptiveAvgPool', 'adaptiveMaxPool', 'avgPool', 'globalAvgPool', 'globalMaxPool', 'lpPool', 'maxPool',
    'maxPoolWithIndices', 'unfold',
  ],
  channels: [
    'batchNorm', 'depthToSpace', 'groupNorm', 'instanceNorm', 'localResponseNorm', 'pixelShuffle', 'pixelUnshuffle',
    'spaceToDepth',
  ],
  padding: [
    'centerCropPad', 'pad',
  ],
  resizing: [
    'resize',
  ],
  sampling: [
    'affineGrid', 'gridSample', 'roiAlign',
  ],
  boxes: [
    'nonMaxSuppression',
  ],
  fourier: [
    'angle', 'complex', 'complexAbs', 'complexMul', 'conj', 'dft', 'fft', 'fft2', 'fftConvolve', 'fftn', 'fftshift',
    'ifft', 'ifft2', 'ifftn', 'ifftshift', 'imag', 'irfft', 'irfft2', 'irfftn', 'istft', 'real', 'rfft', 'rfft2',
    'rfftn', 'stft',
  ],
  unpooling: [
    'fold', 'maxUnpool',
  ],
  losses: [
    'binaryCrossEntropy', 'binaryCrossEntropyWithLogits', 'cosineEmbeddingLoss', 'cosineSimilarity',
    'crossEntropyLoss', 'gaussianNllLoss', 'hingeEmbeddingLoss', 'huberLoss', 'klDivLoss', 'l1Loss',
    'marginRankingLoss', 'mseLoss', 'nllLoss', 'pairwiseDistance', 'poissonNllLoss', 'smoothL1Loss', 'softMarginLoss',
    'tripletMarginLoss',
  ],
  indexing: [
    'gather', 'scatter', 'scatterAdd', 'scatterMul', 'scatterMin', 'scatterMax', 'scatterAnd', 'scatterOr', 'bincount',
    'choose', 'embedding', 'embeddingBag', 'gatherNd', 'histogram', 'indexAdd', 'indexMax', 'indexMin', 'indexMul',
    'indexUpdate', 'oneHot', 'putAlongAxis', 'reverseSequence', 'scatterNd', 'segmentMax', 'segmentMean', 'segmentMin',
    'segmentProd', 'segmentSum', 'take', 'takeAlongAxis',
  ],
  manipulation: [
    'atleast1d', 'atleast2d', 'atleast3d', 'diag', 'flatten', 'moveaxis', 'ravel', 'repeat', 'roll', 'rot90', 'split',
    'swapaxes', 'tile', 'unstack',
  ],
  joins: [
    'concat', 'stack',
  ],
  grids: [
    'meshgrid',
  ],
  erfInv: [
    'erfInv',
  ],
  rng: [
    'rngBits',
  ],
  joinMethods: [
    'concat', 'stack',
  ],
  gridMethods: [
    'meshgrid',
  ],
  einsumMethod: [
    'einsum',
  ],
};

module.exports = { names };
