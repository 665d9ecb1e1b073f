// The ops that model files may have, as their specifications list them, and remarks on those that are not all there.
// scripts/docs.js makes docs/model-ops.md of it; what there is it asks the tables of lib/models.
'use strict';

/**
 * @typedef {object} Domain
 * @property {string} title
 * @property {string} source where the names are from
 * @property {string} [names] of all ops
 * @property {() => string[]} known names of the ops that there are
 * @property {Readonly<Record<string, string>>} [partly] what an op does not do, by names
 * @property {Readonly<Record<string, string>>} [missing] why there are no such ops
 * @property {Readonly<Record<string, string>>} [refused] ops that are translated to an error that says why
 */

/** @type {(domain: string) => () => string[]} */
const onnx = (domain) => () => require('../lib/models/onnx/ops/index.js').opsOf(domain);

/** @type {readonly Domain[]} */
const domains = [
  {
    title: 'ONNX: ai.onnx',
    source: 'ONNX 1.23, opset 26; older versions of an op are told apart',
    known: onnx('ai.onnx'),
    names: `
      Abs Acos Acosh Add AffineGrid And ArgMax ArgMin Asin Asinh Atan Atanh Attention AveragePool BatchNormalization Bernoulli
      BitCast BitShift BitwiseAnd BitwiseNot BitwiseOr BitwiseXor BlackmanWindow Cast CastLike CausalConvWithState Ceil Celu
      CenterCropPad Clip Col2Im Compress Concat ConcatFromSequence Constant ConstantOfShape Conv ConvInteger ConvTranspose
      Cos Cosh CumProd CumSum DFT DeformConv DepthToSpace DequantizeLinear Det Div Dropout DynamicQuantizeLinear Einsum Elu
      Equal Erf Exp Expand EyeLike Flatten Floor GRU Gather GatherElements GatherND Gelu Gemm GlobalAveragePool GlobalLpPool
      GlobalMaxPool Greater GreaterOrEqual GridSample GroupNormalization HammingWindow HannWindow HardSigmoid HardSwish
      Hardmax Identity If ImageDecoder InstanceNormalization IsInf IsNaN LRN LSTM LayerNormalization LeakyRelu Less
      LessOrEqual LinearAttention Log LogSoftmax Loop LpNormalization LpPool MatMul MatMulInteger Max MaxPool MaxRoiPool
      MaxUnpool Mean MeanVarianceNormalization MelWeightMatrix Min Mish Mod Mul Multinomial Neg NegativeLogLikelihoodLoss
      NonMaxSuppression NonZero Not OneHot Optional OptionalGetElement OptionalHasElement Or PRelu Pad Pow QLinearConv
      QLinearMatMul QuantizeLinear RMSNormalization RNN RandomNormal RandomNormalLike RandomUniform RandomUniformLike Range
      Reciprocal ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean ReduceMin ReduceProd ReduceSum
      ReduceSumSquare RegexFullMatch Relu Reshape Resize ReverseSequence RoiAlign RotaryEmbedding Round STFT Scan Scatter
      ScatterElements ScatterND Selu SequenceAt SequenceConstruct SequenceEmpty SequenceErase SequenceInsert SequenceLength
      SequenceMap Shape Shrink Sigmoid Sign Sin Sinh Size Slice Softmax SoftmaxCrossEntropyLoss Softplus Softsign
      SpaceToDepth Split SplitToSequence Sqrt Squeeze StringConcat StringNormalizer StringSplit Sub Sum SwiGLU Swish Tan Tanh
      TensorScatter TfIdfVectorizer ThresholdedRelu Tile TopK Transpose Trilu Unique Unsqueeze Upsample Where Xor`,
    partly: {
      BitCast: 'not to element types of less than 8 bits',
      'Cast CastLike': 'not to or from complex numbers; strings whose number depends on an open size do not become numbers again',
      MaxUnpool: 'not into an output shape that differs from its own by a number that is known in a run only',
      'Loop If': 'shapes that are made of data of a round are not known; a loop whose state changes its type is laid out round by round',
      Scan: 'version 8: not backwards over sequences of several lengths',
    },
    refused: { ImageDecoder: 'graphs decode no pictures: give the model decoded ones' },
  },
  {
    title: 'ONNX: ai.onnx.ml',
    source: 'ONNX 1.23, version 5 of the domain',
    known: onnx('ai.onnx.ml'),
    names: `
      ArrayFeatureExtractor Binarizer CastMap CategoryMapper DictVectorizer FeatureVectorizer Imputer LabelEncoder
      LinearClassifier LinearRegressor Normalizer OneHotEncoder SVMClassifier SVMRegressor Scaler TreeEnsemble
      TreeEnsembleClassifier TreeEnsembleRegressor ZipMap`,
  },
  {
    title: 'ONNX: ai.onnx.preview',
    source: 'ONNX 1.23',
    known: onnx('ai.onnx.preview'),
    names: 'FlexAttention',
  },
  {
    title: 'ONNX: ai.onnx.preview.training',
    source: 'ONNX 1.23',
    known: onnx('ai.onnx.preview.training'),
    names: 'Adagrad Adam Gradient Momentum',
    missing: { Gradient: 'there are no gradients of graphs' },
  },
  {
    title: 'ONNX Runtime: com.microsoft',
    source: 'its contributed ops, which its optimiser and quantiser write into files',
    known: onnx('com.microsoft'),
    names: `
      AttnLSTM Attention BeamSearch BiasAdd BiasDropout BiasGelu BiasSoftmax BiasSplitGelu BifurcationDetector
      BitmaskBiasDropout BitmaskDropout CDist CausalConvWithState ComplexMul ComplexMulConj ConvTransposeWithDynamicPads
      CropAndResize DecoderAttention DecoderMaskedMultiHeadAttention DecoderMaskedSelfAttention DequantizeBFP
      DequantizeLinear DequantizeWithOrder DynamicQuantizeLSTM DynamicQuantizeMatMul DynamicTimeWarping EPContext
      EmbedLayerNormalization EngramGate ExpandDims FastGelu FusedConv FusedGemm FusedMatMul FusedMatMulActivation GatedAdd
      GatedDeltaNet GatedRMSNorm GatedRelativePositionBias GatherBlockQuantized GatherND Gelu GemmFastGelu GemmFloat8
      GemmaRotaryEmbedding GreedySearch GridSample GroupNorm GroupQueryAttention Inverse Irfft IsAllFinite LinearAttention
      LinearAttentionGate LongformerAttention MRotaryEmbedding MatMulBlockQuantizedFp4Weight MatMulBlockQuantizedFp8Weight
      MatMulBnb4 MatMulFpQ4 MatMulInteger16 MatMulIntegerToFloat MatMulNBits MatMulNBitsMlp MatMulNBitsQkv MaxpoolWithMask
      MoE MulInteger MultiHeadAttention MurmurHash3 NGramHashMapping NGramRepeatBlock NhwcConv NhwcFusedConv NhwcMaxPool
      PackedAttention PackedMultiHeadAttention Pad PagedAttention QAttention QEmbedLayerNormalization QGemm QLinearAdd
      QLinearAveragePool QLinearConcat QLinearConv QLinearGlobalAveragePool QLinearLeakyRelu QLinearMul QLinearReduceMean
      QLinearSigmoid QLinearSoftmax QLinearWhere QMoE QOrderedAttention QOrderedGelu QOrderedLayerNormalization
      QOrderedLongformerAttention QOrderedMatMul QuantizeBFP QuantizeLinear QuantizeWithOrder QuickGelu Range
      ReduceSumInteger RelativePositionBias RemovePadding RestorePadding Rfft RotaryEmbedding SampleOp Sampling
      SkipGroupNorm SkipLayerNormalization SkipSimplifiedLayerNormalization Snpe SparseAttention SparseToDenseMatMul
      Tokenizer TorchEmbedding TransposeMatMul Trilu UnfoldTensor Unique VarlenCausalConvWithState VarlenNGramHashMapping
      WhisperBeamSearch WordConvEmbedding`,
    partly: {
      Attention: 'not with rotary embeddings of its own, nor with a buffer that past and present share',
      CDist: 'euclidean and squared euclidean distances',
      CropAndResize: 'bilinear and nearest',
      GatherBlockQuantized: 'not with blocks along the axis that is gathered',
      GroupQueryAttention: 'not with quantised or sliding caches, norms of queries, or scores as an output',
      MatMulNBits: 'weights of 2, 4 and 8 bits, not those laid out for a device beforehand',
      MultiHeadAttention: 'not with a buffer that past and present share, nor scores as an output',
      RelativePositionBias: 'not for packed tokens',
    },
    missing: {
      'BeamSearch GreedySearch Sampling WhisperBeamSearch': 'whole loops that make text: let JavaScript call the decoder',
      'EPContext Snpe': 'code that was compiled for a device',
      'QOrderedAttention QOrderedGelu QOrderedLayerNormalization QOrderedLongformerAttention QOrderedMatMul QuantizeWithOrder DequantizeWithOrder':
        'layouts of one maker of devices',
      'BitmaskDropout BitmaskBiasDropout': 'for training',
      'DecoderAttention DecoderMaskedMultiHeadAttention DecoderMaskedSelfAttention PackedAttention PackedMultiHeadAttention PagedAttention RemovePadding RestorePadding':
        'made for kernels of a GPU: packed tokens, caches that past and present share',
      'QuantizeBFP DequantizeBFP': 'element types that a device defines',
      MatMulFpQ4: 'a layout of weights that the runtime keeps to itself',
      SampleOp: 'an example',
    },
  },
  {
    title: 'TensorFlow',
    source: "the list of ops that TensorFlow.js converts; names are those of TensorFlow's files",
    known: () => Object.keys(require('../lib/models/tensorflow/ops/index.js').tables),
    names: `
      Abs Acos Acosh Add AddN AddV2 All Any ArgMax ArgMin Asin Asinh Atan Atan2 Atanh AvgPool AvgPool3D BatchMatMul
      BatchMatMulV2 BatchToSpaceND BiasAdd Bincount BitwiseAnd BroadcastArgs BroadcastTo Cast Ceil ClipByValue
      Complex ComplexAbs Concat ConcatV2 Const Conv1D Conv2D Conv2DBackpropInput Conv3D Cos Cosh CropAndResize
      Cumprod Cumsum DenseBincount DepthToSpace DepthwiseConv2d DepthwiseConv2dNative Dilation2D Div DivNoNan Einsum
      Elu EmptyTensorList EnsureShape Enter Equal Erf EuclideanNorm Exit Exp ExpandDims Expm1 FFT
      FakeQuantWithMinMaxVars Fill Floor FloorDiv FloorMod FusedBatchNorm FusedBatchNormV2 FusedBatchNormV3
      FusedDepthwiseConv2dNative Gather GatherNd GatherV2 Greater GreaterEqual HashTable HashTableV2 IFFT IRFFT
      Identity IdentityN If Imag ImageProjectiveTransformV3 InitializeTable InitializeTableV2 IsFinite IsInf IsNan
      LRN LeakyRelu Less LessEqual LinSpace ListDiff Log Log1p LogSoftmax LogicalAnd LogicalNot LogicalOr
      LookupTableFind LookupTableFindV2 LookupTableImport LookupTableImportV2 LookupTableSize LookupTableSizeV2
      LoopCond LowerBound MatMul MatrixBandPart Max MaxPool MaxPool3D MaxPoolWithArgmax Maximum Mean Merge Min
      Minimum MirrorPad Mod Mul Multinomial Neg NextIteration NoOp NonMaxSuppressionV2 NonMaxSuppressionV3
      NonMaxSuppressionV4 NonMaxSuppressionV5 NotEqual OneHot Ones OnesLike Pack Pad PadV2 Placeholder
      PlaceholderWithDefault Pow Prelu Print Prod RFFT RaggedGather RaggedRange RaggedTensorToTensor
      RandomStandardNormal RandomUniform RandomUniformInt Range Rank Real RealDiv Reciprocal Relu Relu6 Reshape
      ResizeBilinear ResizeNearestNeighbor Reverse ReverseV2 Round Rsqrt ScatterNd Select SelectV2 Selu Shape ShapeN
      Sigmoid Sign SimpleMLCreateModelResource SimpleMLInferenceOpWithHandle SimpleMLLoadModelFromPathWithHandle Sin
      Sinh Size Slice Snapshot Softmax Softplus SpaceToBatchND SparseFillEmptyRows SparseReshape SparseSegmentMean
      SparseSegmentSum SparseToDense Split SplitV Sqrt Square SquaredDifference Squeeze StatelessIf StatelessWhile
      StaticRegexReplace StopGradient StridedSlice StringNGrams StringSplit StringToHashBucketFast Sub Sum Switch Tan
      Tanh TensorArrayCloseV3 TensorArrayConcatV3 TensorArrayGatherV3 TensorArrayReadV3 TensorArrayScatterV3
      TensorArraySizeV3 TensorArraySplitV3 TensorArrayV3 TensorArrayWriteV3 TensorListConcat TensorListConcatV2
      TensorListFromTensor TensorListGather TensorListGetItem TensorListLength TensorListPopBack TensorListPushBack
      TensorListReserve TensorListResize TensorListScatter TensorListScatterV2 TensorListSetItem TensorListSplit
      TensorListStack TensorScatterUpdate Tile TopKV2 Transpose TruncatedNormal Unique UniqueV2 Unpack UpperBound
      Where While Zeros ZerosLike _FusedConv2D _FusedMatMul`,
    partly: {
      'BatchMatMul BatchMatMulV2 MatMul': 'not of complex numbers',
      'Unique UniqueV2': 'of vectors',
    },
    missing: {
      'SimpleMLCreateModelResource SimpleMLInferenceOpWithHandle SimpleMLLoadModelFromPathWithHandle':
        'forests in files of another library',
    },
  },
  {
    title: 'PyTorch: ATen',
    source: 'the table of `lib/models/torch/ops/`, by the names of ATen without overloads; those that write into an operand (`add_`) go with each',
    known: () => require('../lib/models/torch/ops/index.js').opNames(),
  },
];

module.exports = { domains };
