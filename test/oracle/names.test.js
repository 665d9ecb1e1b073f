// Composites by name (elementwise functions, activations, statistics, losses) against NumPy and PyTorch.
'use strict';

const { tensor } = require('graphjit');
const { oracleTest } = require('../support/outside.js');

/** Numbers of both signs, whole ones and ties among them. @type {(count: number, seed: number, scale?: number) => number[]} */
function numbers(count, seed, scale = 4) {
  let state = seed;
  return Array.from({ length: count }, (_, i) => {
    state = (state * 1103515245 + 12345) % 2147483648;
    const x = (state / 2147483648 - 0.5) * 2 * scale;
    return i % 7 === 0 ? Math.round(x) : x;
  });
}

/** @type {(shape: number[], seed: number, dtype?: any, scale?: number) => any} */
const random = (shape, seed, dtype = 'f64', scale = 4) =>
  tensor(numbers(shape.reduce((a, b) => a * b, 1), seed, scale), { dtype }).reshape(shape);

const special = [0, -0, 1, -1, 0.5, -2.5, 3, 1e300, -1e300, Infinity, -Infinity, NaN];
const pairs = special.flatMap((a) => special.map((b) => [a, b]));
const odd = {
  x: tensor(pairs.map(([a]) => a)),
  y: tensor(pairs.map(([, b]) => b)),
  i: tensor(pairs.map((_, k) => (k % 23) - 11), { dtype: 'i32' }),
  j: tensor(pairs.map((_, k) => (k % 7) - 3 || 5), { dtype: 'i32' }),
  u: tensor(pairs.map((_, k) => k % 19), { dtype: 'u8' }),
  v: tensor(pairs.map((_, k) => (k % 5) + 1), { dtype: 'u8' }),
};

oracleTest('elementwise functions of special values', odd, [
  ['remainder', ({ x, y }) => x.remainder(y), 'np.remainder(x, y)'],
  ['floorDivide', ({ x, y }) => x.floorDivide(y), 'np.floor_divide(x, y)'],
  ['remainder of ints', ({ i, j }) => i.remainder(j), 'np.remainder(i, j)'],
  ['floorDivide of ints', ({ i, j }) => i.floorDivide(j), 'np.floor_divide(i, j)'],
  ['remainder of bytes', ({ u, v }) => u.remainder(v), 'np.remainder(u, v)'],
  ['floorDivide of bytes', ({ u, v }) => u.floorDivide(v), 'np.floor_divide(u, v)'],
  ['signBit', ({ x }) => x.signBit(), 'np.signbit(x)'],
  ['floor of ints', ({ i }) => i.floor(), 'i'],
  ['roundEven of bytes', ({ u }) => u.roundEven().trunc().ceil(), 'u'],
  ['isNan of ints', ({ i }) => i.isNan(), 'np.isnan(i)'],
  ['isFinite of ints', ({ i }) => i.isFinite(), 'np.isfinite(i)'],
  ['isInf of bytes', ({ u }) => u.isInf(), 'np.isinf(u)'],
  ['gcd', ({ i, j }) => i.gcd(j), 'np.gcd(i, j)'],
  ['gcd of bytes', ({ u, v }) => u.gcd(v), 'np.gcd(u, v)'],
  ['gcd of the least', ({ i }) => i.mul(0).sub(2147483647).sub(1).gcd(i), 'np.gcd(np.full_like(i, -2**31), i)'],
  ['lcm', ({ i, j }) => i.lcm(j), 'np.lcm(i, j)'],
  ['lcm with 0', ({ u }) => u.lcm(0), 'u * 0'],
  ['signBit of ints', ({ i }) => i.signBit(), 'i < 0'],
  ['copySign', ({ x, y }) => x.copySign(y), 'np.copysign(x, y)'],
  ['nextAfter', ({ x, y }) => x.nextAfter(y), 'np.nextafter(x, y)'],
  ['fmax', ({ x, y }) => x.fmax(y), 'np.fmax(x, y)'],
  ['fmin', ({ x, y }) => x.fmin(y), 'np.fmin(x, y)'],
  ['logAddExp', ({ x, y }) => x.logAddExp(y), 'np.logaddexp(x, y)'],
  ['logAddExp2', ({ x, y }) => x.logAddExp2(y), 'np.logaddexp2(x, y)'],
  ['logicalAnd', ({ x, y }) => x.logicalAnd(y), 'np.logical_and(x, y)'],
  ['logicalOr', ({ i, y }) => i.logicalOr(y), 'np.logical_or(i, y)'],
  ['logicalXor', ({ x, j }) => x.logicalXor(j), 'np.logical_xor(x, j)'],
  ['logicalNot', ({ x }) => x.logicalNot(), 'np.logical_not(x)'],
  ['heaviside', ({ x, y }) => x.heaviside(y), 'np.heaviside(x, y)'],
  ['nanToNum', ({ x }) => x.nanToNum(), 'np.nan_to_num(x)'],
  ['nanToNum of', ({ x }) => x.nanToNum({ nan: 7, posInf: 8, negInf: 9 }), 'np.nan_to_num(x, nan=7, posinf=8, neginf=9)'],
  ['isClose', ({ x, y }) => x.isClose(y), 'np.isclose(x, y)'],
  ['isClose of NaN', ({ x, y }) => x.isClose(y, { equalNan: true, relative: 0.5 }), 'np.isclose(x, y, rtol=0.5, equal_nan=True)'],
]);

const plain = { x: random([4, 6], 1), y: random([4, 6], 2), w: random([6], 3), s: random([4, 6], 5, 'f32'), n: tensor([3, 0, -7, 0, 9], { dtype: 'i32' }) };

oracleTest('elementwise functions of ordinary numbers', plain, [
  ['round', ({ x }) => x.round(), 'np.round(x)'],
  ['round to 2', ({ x }) => x.round({ decimals: 2 }), 'np.round(x, 2)'],
  ['round to tens', ({ x }) => x.mul(100).round({ decimals: -1 }), 'np.round(x * 100, -1)'],
  ['sinc', ({ x }) => x.sinc(), 'np.sinc(x)'],
  ['degrees', ({ x }) => x.degrees(), 'np.degrees(x)'],
  ['radians', ({ s }) => s.radians(), 'np.radians(s)'],
  ['lerp', ({ x, y }) => x.lerp(y, 0.25), 'x + 0.25 * (y - x)'],
  ['logit', ({ x }) => x.sigmoid().logit(), 'x', 1e-10],
  ['polyval', ({ x }) => x.polyval([2, 0, -1, 3]), 'np.polyval([2, 0, -1, 3], x)'],
  ['allClose', ({ x, y }) => x.allClose(y), 'np.allclose(x, y)'],
]);

oracleTest('activations', { x: plain.x, s: plain.s, w: plain.w, big: tensor([-1e4, -30, -0, 0, 30, 1e4, Infinity, -Infinity, NaN]) }, [
  ['relu6', ({ x }) => x.relu6(), 'F.relu6(t(x))'],
  ['leakyRelu', ({ x }) => x.leakyRelu(), 'F.leaky_relu(t(x))'],
  ['leakyRelu 0.3', ({ s }) => s.leakyRelu({ slope: 0.3 }), 'F.leaky_relu(t(s), 0.3)'],
  ['prelu', ({ x, w }) => x.prelu(w), 'F.prelu(t(x), t(w))'],
  ['prelu of one', ({ x, w }) => x.prelu(w.slice([2, 3])), 'F.prelu(t(x), t(w)[2:3])'],
  ['elu', ({ x }) => x.elu({ alpha: 0.7 }), 'F.elu(t(x), 0.7)'],
  ['celu', ({ x }) => x.celu({ alpha: 0.7 }), 'F.celu(t(x), 0.7)'],
  ['selu', ({ x }) => x.selu(), 'F.selu(t(x))'],
  ['hardTanh', ({ x }) => x.hardTanh(), 'F.hardtanh(t(x))'],
  ['hardSigmoid', ({ x }) => x.hardSigmoid(), 'F.hardsigmoid(t(x))'],
  ['hardSwish', ({ x }) => x.hardSwish(), 'F.hardswish(t(x))'],
  ['hardShrink', ({ x }) => x.hardShrink(), 'F.hardshrink(t(x))'],
  ['softShrink', ({ x }) => x.softShrink({ lambda: 0.8 }), 'F.softshrink(t(x), 0.8)'],
  ['tanhShrink', ({ x }) => x.tanhShrink(), 'F.tanhshrink(t(x))'],
  ['softsign', ({ x }) => x.softsign(), 'F.softsign(t(x))'],
  ['logSigmoid', ({ x }) => x.logSigmoid(), 'F.logsigmoid(t(x))'],
  ['mish', ({ s }) => s.mish(), 'F.mish(t(s))'],
  ['threshold', ({ x }) => x.threshold(0.1, 20), 'F.threshold(t(x), 0.1, 20)'],
  ['glu', ({ x }) => x.glu(), 'F.glu(t(x))'],
  ['glu of rows', ({ x }) => x.glu({ axis: 0 }), 'F.glu(t(x), 0)'],
  ['elu at the ends', ({ big }) => big.elu(), 'F.elu(t(big))'],
  ['logSigmoid at the ends', ({ big }) => big.logSigmoid(), 'F.logsigmoid(t(big))'],
  ['mish at the ends', ({ big }) => big.mish().slice([0, 7]), 'F.mish(t(big))[:7]'],
  ['leakyRelu at the ends', ({ big }) => big.leakyRelu(), 'F.leaky_relu(t(big))'],
]);

const holes = plain.x.toArray().map((row, i) => /** @type {any} */ (row).map((/** @type {number} */ v, /** @type {number} */ k) => ((i + k) % 3 === 0 ? NaN : v)));
const gaps = tensor([...holes.slice(0, 3), Array(6).fill(NaN)]);

oracleTest('statistics', { x: plain.x, y: plain.y, w: tensor([1, 2, 3, 4, 5, 6]), g: gaps, n: plain.n }, [
  ['countNonzero', ({ n }) => n.countNonzero(), 'np.count_nonzero(n)'],
  ['countNonzero of rows', ({ x }) => x.round().countNonzero({ axis: 1 }), 'np.count_nonzero(np.round(x), axis=1)'],
  ['ptp', ({ x }) => x.ptp({ axis: 0 }), 'np.ptp(x, axis=0)'],
  ['average', ({ x }) => x.average(), 'np.average(x)'],
  ['average with weights', ({ x, w }) => x.average({ axis: 1, weights: w }), 'np.average(x, axis=1, weights=w)'],
  ['average with all weights', ({ x, y }) => x.average({ weights: y.abs() }), 'np.average(x, weights=np.abs(y))'],
  ['nanSum', ({ g }) => g.nanSum({ axis: 1 }), 'np.nansum(g, axis=1)'],
  ['nanProd', ({ g }) => g.nanProd({ axis: 0 }), 'np.nanprod(g, axis=0)'],
  ['nanMean', ({ g }) => g.nanMean({ axis: 1, keepDims: true }), 'np.nanmean(g, axis=1, keepdims=True)'],
  ['nanMin', ({ g }) => g.nanMin({ axis: 1 }), 'np.array([*np.nanmin(g[:3], axis=1), np.nan])'],
  ['nanMax', ({ g }) => g.nanMax(), 'np.nanmax(g)'],
  ['nanVar', ({ g }) => g.nanVar({ axis: 0, correction: 1 }), 'np.nanvar(g, axis=0, ddof=1)'],
  ['nanStd', ({ g }) => g.nanStd(), 'np.nanstd(g)'],
  ['diff', ({ x }) => x.diff(), 'np.diff(x)'],
  ['diff twice', ({ x }) => x.diff({ order: 2, axis: 0 }), 'np.diff(x, 2, axis=0)'],
  ['diff with ends', ({ x }) => x.diff({ prepend: 0, append: 1 }), 'np.diff(x, prepend=0, append=1)'],
  ['trapezoid', ({ x }) => x.trapezoid({ dx: 0.5 }), 'np.trapz(x, dx=0.5)'],
  ['trapezoid of nothing', ({ x }) => x.slice([0, 0]).trapezoid({ axis: 0 }), 'np.trapz(x[:0], axis=0)'],
  ['trapezoid at places', ({ x, w }) => x.trapezoid({ x: w }), 'np.trapz(x, w)'],
  ['cov', ({ x }) => x.cov(), 'np.cov(x)'],
  ['cov of columns', ({ x }) => x.cov({ rowVariables: false, correction: 0 }), 'np.cov(x, rowvar=False, ddof=0)'],
  ['cov of nothing', ({ x }) => x.slice(null, [0, 0]).cov(), 'np.cov(x[:, :0])'],
  ['cov of a number', ({ x }) => x.slice(0, 0).cov({ correction: 0 }), 'np.cov(x[0, 0], ddof=0)'],
  ['cov of a vector', ({ w }) => w.cov(), 'np.cov(w)'],
  ['corrcoef', ({ x }) => x.corrcoef(), 'np.corrcoef(x)'],
]);

const classes = tensor([2, 0, 5, -100], { dtype: 'i64' });
const signs = tensor([1, -1, -1, 1]);

oracleTest('losses', { x: plain.x, y: plain.y, c: classes, sg: signs, w: tensor([1, 2, 0.5, 3, 1, 4]) }, [
  ['mseLoss', ({ x, y }) => x.mseLoss(y), 'F.mse_loss(t(x), t(y))'],
  ['mseLoss, sum', ({ x, y }) => x.mseLoss(y, { reduction: 'sum' }), 'F.mse_loss(t(x), t(y), reduction="sum")'],
  ['l1Loss', ({ x, y }) => x.l1Loss(y, { reduction: 'none' }), 'F.l1_loss(t(x), t(y), reduction="none")'],
  ['smoothL1Loss', ({ x, y }) => x.smoothL1Loss(y, { beta: 2 }), 'F.smooth_l1_loss(t(x), t(y), beta=2.0)'],
  ['huberLoss', ({ x, y }) => x.huberLoss(y, { delta: 1.5 }), 'F.huber_loss(t(x), t(y), delta=1.5)'],
  ['nllLoss', ({ x, c }) => x.logSoftmax().nllLoss(c), 'F.nll_loss(F.log_softmax(t(x), 1), t(c))'],
  ['nllLoss with weights', ({ x, c, w }) => x.nllLoss(c, { weight: w }), 'F.nll_loss(t(x), t(c), weight=t(w))'],
  ['crossEntropyLoss', ({ x, c }) => x.crossEntropyLoss(c), 'F.cross_entropy(t(x), t(c))'],
  ['crossEntropyLoss, none', ({ x, c }) => x.crossEntropyLoss(c, { reduction: 'none', ignoreIndex: 5 }), 'F.cross_entropy(t(x), torch.where(t(c) < 0, 5, t(c)), reduction="none", ignore_index=5)'],
  ['crossEntropyLoss, smooth', ({ x, c, w }) => x.crossEntropyLoss(c, { weight: w, labelSmoothing: 0.1 }), 'F.cross_entropy(t(x), t(c), weight=t(w), label_smoothing=0.1)'],
  ['crossEntropyLoss of probabilities', ({ x, y }) => x.crossEntropyLoss(y.softmax()), 'F.cross_entropy(t(x), F.softmax(t(y), 1))'],
  ['crossEntropyLoss of probabilities, smooth', ({ x, y, w }) => x.crossEntropyLoss(y.softmax(), { labelSmoothing: 0.2, weight: w }), 'F.cross_entropy(t(x), F.softmax(t(y), 1), label_smoothing=0.2, weight=t(w))'],
  ['binaryCrossEntropy', ({ x, y }) => x.sigmoid().binaryCrossEntropy(y.sigmoid()), 'F.binary_cross_entropy(torch.sigmoid(t(x)), torch.sigmoid(t(y)))'],
  ['binaryCrossEntropy, certain', ({ sg }) => sg.relu().binaryCrossEntropy(sg.neg().relu()), 'F.binary_cross_entropy(F.relu(t(sg)), F.relu(-t(sg)))'],
  ['binaryCrossEntropyWithLogits', ({ x, y }) => x.binaryCrossEntropyWithLogits(y.sigmoid()), 'F.binary_cross_entropy_with_logits(t(x), torch.sigmoid(t(y)))'],
  ['binaryCrossEntropyWithLogits, weights', ({ x, y, w }) => x.binaryCrossEntropyWithLogits(y.sigmoid(), { posWeight: w }), 'F.binary_cross_entropy_with_logits(t(x), torch.sigmoid(t(y)), pos_weight=t(w))'],
  ['klDivLoss', ({ x, y }) => x.logSoftmax().klDivLoss(y.softmax()), 'F.kl_div(F.log_softmax(t(x), 1), F.softmax(t(y), 1))'],
  ['klDivLoss, batch', ({ x, y }) => x.logSoftmax().klDivLoss(y.logSoftmax(), { logTarget: true, reduction: 'batchmean' }), 'F.kl_div(F.log_softmax(t(x), 1), F.log_softmax(t(y), 1), reduction="batchmean", log_target=True)'],
  ['poissonNllLoss', ({ x, y }) => x.poissonNllLoss(y.abs()), 'F.poisson_nll_loss(t(x), t(y).abs())'],
  ['poissonNllLoss of rates', ({ x, y }) => x.abs().poissonNllLoss(y.abs(), { logInput: false }), 'F.poisson_nll_loss(t(x).abs(), t(y).abs(), log_input=False)'],
  ['gaussianNllLoss', ({ x, y }) => x.gaussianNllLoss(y, x.mul(x), { full: true }), 'F.gaussian_nll_loss(t(x), t(y), t(x) * t(x), full=True)'],
  ['hingeEmbeddingLoss', ({ sg, x }) => x.slice(null, 0).hingeEmbeddingLoss(sg), 'F.hinge_embedding_loss(t(x)[:, 0], t(sg))'],
  ['softMarginLoss', ({ sg, x }) => x.slice(null, 0).softMarginLoss(sg), 'F.soft_margin_loss(t(x)[:, 0], t(sg))'],
  ['marginRankingLoss', ({ sg, x, y }) => x.slice(null, 0).marginRankingLoss(y.slice(null, 0), sg, { margin: 0.5 }), 'F.margin_ranking_loss(t(x)[:, 0], t(y)[:, 0], t(sg), margin=0.5)'],
  ['cosineSimilarity', ({ x, y }) => x.cosineSimilarity(y), 'F.cosine_similarity(t(x), t(y))'],
  ['cosineEmbeddingLoss', ({ sg, x, y }) => x.cosineEmbeddingLoss(y, sg, { margin: 0.1 }), 'F.cosine_embedding_loss(t(x), t(y), t(sg), margin=0.1)', 1e-9],
  ['pairwiseDistance', ({ x, y }) => x.pairwiseDistance(y), 'F.pairwise_distance(t(x), t(y))'],
  ['pairwiseDistance of cubes', ({ x, y }) => x.pairwiseDistance(y, { p: 3, keepDims: true }), 'F.pairwise_distance(t(x), t(y), 3, keepdim=True)'],
  ['tripletMarginLoss', ({ x, y }) => x.tripletMarginLoss(y, x.mul(y), { swap: true }), 'F.triplet_margin_loss(t(x), t(y), t(x) * t(y), swap=True)'],
]);
