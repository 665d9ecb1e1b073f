/**
 * Losses by the names of PyTorch, in lowerCamelCase, with its formulas, defaults and order of arguments.
 *
 * All take `reduction`: 'mean' (the default), 'sum' or 'none'. Targets that are class numbers pick their
 * element by comparison with the positions along the axis, in one pass with the softmax before it; a
 * number that is no class picks nothing and counts as 0.
 */
'use strict';

const { boolean, expected, finite, integer, oneOf, positive, readOptions } = require('../base/check.js');
const { fail } = require('../base/errors.js');
const { alike, append, constantOf, dimsOf, lift, stateOf } = require('../graph/value.js');
const { dtypes } = require('../tensor/dtypes.js');
const { readAxis } = require('../tensor/views.js');
const { elementwise, roundedOnce, rows } = require('./elementwise.js');
const { movement } = require('./movement.js');
const { normalisations } = require('./normalisations.js');
const { inDType, reductions } = require('./reductions.js');

/** @typedef {import('../graph/value.js').Value} Value */
/** @typedef {(x: unknown, y: unknown, options?: unknown) => Value} Loss */
/** @typedef {'mean' | 'sum' | 'none'} Reduction */

const { abs, add, div, eq, exp, gt, le, log, log1p, lt, max, min, mul, ne, neg, select, sqrt, sub } = rows;
const given = (/** @type {unknown} */ value) => value;
const reduction = oneOf(/** @type {const} */ (['mean', 'sum', 'none']));

/**
 * Floats of one dtype, and constants of it.
 *
 * @param {readonly unknown[]} operands
 * @param {string} caller
 */
function floats(operands, caller) {
  const { state, values } = lift(operands, caller);
  const same = alike(values, caller);
  const { dtype } = same[0];
  if (dtypes[dtype].kind !== 'float') expected(caller, 'floats', 'the operands', dtype, 'ERR_DTYPE');
  /** @type {(of: number) => Value} */
  const number = (of) => constantOf(state, of, dtype, String(of), caller);
  return { state, values: same, number };
}

/** @type {(each: Value, how: Reduction | undefined) => Value} */
function reduced(each, how = 'mean') {
  if (how === 'none') return each;
  return how === 'sum' ? reductions.sum(each) : reductions.mean(each);
}

/**
 * A loss that is a function of the difference.
 *
 * @type {(caller: string, each: (d: Value, number: (of: number) => Value) => Value) => Loss}
 */
const ofDifference = (caller, each) => (x, y, options) => {
  const { reduction: how } = readOptions(caller, options, { reduction });
  const { values, number } = floats([x, y], caller);
  return reduced(each(sub(values[0], values[1]), number), how);
};

const mseLoss = ofDifference('mseLoss', (d) => mul(d, d));
const l1Loss = ofDifference('l1Loss', (d) => abs(d));

/** @type {Loss} */
function smoothL1Loss(x, y, options) {
  const { reduction: how, beta = 1 } = readOptions('smoothL1Loss', options, { reduction, beta: finite });
  if (beta < 0) expected('smoothL1Loss', 'a number of at least 0', "option 'beta'", beta);
  if (beta === 0) return l1Loss(x, y, { reduction: how });
  const { values, number } = floats([x, y], 'smoothL1Loss');
  const distance = abs(sub(values[0], values[1]));
  const near = div(mul(number(0.5), mul(distance, distance)), number(beta));
  return reduced(select(lt(distance, number(beta)), near, sub(distance, number(0.5 * beta))), how);
}

/** @type {Loss} */
function huberLoss(x, y, options) {
  const { reduction: how, delta = 1 } = readOptions('huberLoss', options, { reduction, delta: positive });
  const { values, number } = floats([x, y], 'huberLoss');
  const distance = abs(sub(values[0], values[1]));
  const near = mul(number(0.5), mul(distance, distance));
  const far = mul(number(delta), sub(distance, number(0.5 * delta)));
  return reduced(select(le(distance, number(delta)), near, far), how);
}

// ---------------------------------------------------------------------------------------- classes

/**
 * Log-probabilities at class numbers, along an axis that the numbers lack, weighted by class.
 *
 * @param {Value} logs
 * @param {Value} targets integers
 * @param {number} axis
 * @param {string} caller
 */
function picked(logs, targets, axis, caller) {
  const state = stateOf(logs);
  const dims = dimsOf(logs);
  const wanted = dims.toSpliced(axis, 1);
  const own = dimsOf(targets);
  if (own.length !== wanted.length || own.some((size, i) => size !== wanted[i])) {
    const texts = [wanted, own].map((each) => state.shapeText(each));
    fail('ERR_SHAPE', `${caller}: expected class numbers of shape ${texts[0]}, got ${texts[1]}`);
  }
  const classes = append(state, 'iota', [], { dtype: targets.dtype, shape: dims, axis });
  return eq(classes, movement.expandDims(targets, axis));
}

const nllOptions = { reduction, axis: given, weight: given, ignoreIndex: integer() };

/** @type {(logs: Value, axis: number, weight: unknown, caller: string) => Value | undefined} */
function weights(logs, axis, weight, caller) {
  if (weight === undefined) return undefined;
  const { state, values } = lift([logs, weight], caller, 0, () => "option 'weight'");
  const [size, ...more] = dimsOf(values[1]);
  if (more.length > 0 || size !== dimsOf(logs)[axis]) {
    const wanted = state.text(dimsOf(logs)[axis]);
    fail(
      'ERR_SHAPE',
      `${caller}: expected ${wanted} numbers for option 'weight', got shape ${state.shapeText(dimsOf(values[1]))}`,
    );
  }
  const sizes = dimsOf(logs).map((_, i) => (i === axis ? state.text(size) : 1));
  return movement.reshape(inDType(values[1], logs.dtype), sizes);
}

/**
 * The negative log-likelihood of class numbers.
 *
 * @type {(logs: Value, targets: Value, axis: number, options: any, caller: string) => Value}
 */
function ofClasses(
  logs,
  targets,
  axis,
  { reduction: how = 'mean', weight, ignoreIndex = -100, labelSmoothing = 0 },
  caller,
) {
  const number = (/** @type {number} */ of) => constantOf(stateOf(logs), of, logs.dtype, String(of), caller);
  const zero = number(0);
  const hit = picked(logs, targets, axis, caller);
  const factor = weights(logs, axis, weight, caller);
  const scaled = factor ? mul(logs, factor) : logs;
  const counts = holds(targets, ignoreIndex) ? ne(targets, ignoreIndex) : undefined;
  /** @type {(each: Value) => Value} */
  const over = (each) => reductions.sum(each, { axis });
  let loss = neg(over(select(hit, scaled, zero)));
  if (labelSmoothing > 0) {
    const classes = inDType(over(select(hit, number(1), number(1))), logs.dtype);
    const smooth = div(neg(over(scaled)), classes);
    loss = add(mul(number(1 - labelSmoothing), loss), mul(number(labelSmoothing), smooth));
  }
  if (counts) loss = select(counts, loss, zero);
  if (how !== 'mean') return reduced(loss, how);
  const each = over(select(hit, factor ?? number(1), zero));
  const left = counts ? select(counts, each, zero) : each;
  return div(reductions.sum(loss), reductions.sum(left));
}

/** @type {(targets: Value, number: number) => boolean} */
function holds(targets, number) {
  const { min: low, max: high } = dtypes[targets.dtype];
  return BigInt(number) >= BigInt(low) && BigInt(number) <= BigInt(high);
}

/** @type {(value: Value) => boolean} */
const isInteger = (value) => dtypes[value.dtype].kind === 'int' || dtypes[value.dtype].kind === 'uint';

/** The axis of classes: 1, or 0 of a vector. @type {(value: Value, axis: unknown, caller: string) => number} */
function classAxis(value, axis, caller) {
  const { length } = dimsOf(value);
  return readAxis(axis ?? (length > 1 ? 1 : 0), length, caller);
}

/** @type {Loss} */
function nllLoss(x, y, options) {
  const read = readOptions('nllLoss', options, nllOptions);
  const { values } = lift([x, y], 'nllLoss');
  if (!isInteger(values[1])) expected('nllLoss', 'integers', 'the class numbers', y, 'ERR_DTYPE');
  return ofClasses(values[0], values[1], classAxis(values[0], read.axis, 'nllLoss'), read, 'nllLoss');
}

/** @type {Loss} */
function crossEntropyLoss(x, y, options) {
  const caller = 'crossEntropyLoss';
  const read = readOptions(caller, options, { ...nllOptions, labelSmoothing: finite });
  const smoothing = read.labelSmoothing ?? 0;
  if (smoothing < 0 || smoothing > 1) expected(caller, 'a number from 0 to 1', "option 'labelSmoothing'", smoothing);
  const { values } = lift([x, y], caller);
  const axis = classAxis(values[0], read.axis, caller);
  const logs = normalisations.logSoftmax(values[0], { axis });
  if (isInteger(values[1])) return ofClasses(logs, values[1], axis, read, caller);
  if (read.ignoreIndex !== undefined)
    expected(caller, "class numbers with option 'ignoreIndex'", 'the targets', y, 'ERR_DTYPE');
  return ofProbabilities(logs, values[1], axis, read, caller);
}

/** @type {(logs: Value, targets: Value, axis: number, options: any, caller: string) => Value} */
function ofProbabilities(logs, targets, axis, { reduction: how = 'mean', weight, labelSmoothing = 0 }, caller) {
  const { state, values, number } = floats([logs, targets], caller);
  const factor = weights(values[0], axis, weight, caller);
  const ones = movement.broadcastTo(
    number(1),
    dimsOf(values[0]).map((size) => state.text(size)),
  );
  const classes = reductions.sum(ones, { axis, keepDims: true });
  const even = div(number(labelSmoothing), classes);
  const smooth = labelSmoothing > 0 ? add(mul(values[1], number(1 - labelSmoothing)), even) : values[1];
  const terms = mul(values[0], smooth);
  const loss = neg(reductions.sum(factor ? mul(terms, factor) : terms, { axis }));
  return reduced(loss, how);
}

// ----------------------------------------------------------------------------------- probabilities

/** @type {(each: Value, weight: unknown, caller: string) => Value} */
const weighted = (each, weight, caller) =>
  weight === undefined
    ? each
    : mul(each, inDType(lift([each, weight], caller, 0, () => "option 'weight'").values[1], each.dtype));

/** Logarithms are at least -100, as in PyTorch, so that a certain error is not infinite. @type {Loss} */
function binaryCrossEntropy(x, y, options) {
  const caller = 'binaryCrossEntropy';
  const { reduction: how, weight } = readOptions(caller, options, { reduction, weight: given });
  const { values, number } = floats([x, y], caller);
  const [p, target] = values;
  const least = number(-100);
  const yes = mul(target, max(log(p), least));
  const no = mul(sub(number(1), target), max(log1p(neg(p)), least));
  return reduced(weighted(neg(add(yes, no)), weight, caller), how);
}

/** @type {Loss} */
function binaryCrossEntropyWithLogits(x, y, options) {
  const caller = 'binaryCrossEntropyWithLogits';
  const known = { reduction, weight: given, posWeight: given };
  const { reduction: how, weight, posWeight } = readOptions(caller, options, known);
  const { values, number } = floats([x, y], caller);
  const [logits, target] = values;
  const surplus = add(log1p(exp(neg(abs(logits)))), max(neg(logits), number(0)));
  const away = mul(sub(number(1), target), logits);
  if (posWeight === undefined) return reduced(weighted(add(away, surplus), weight, caller), how);
  const scale = inDType(lift([logits, posWeight], caller, 0, () => "option 'posWeight'").values[1], logits.dtype);
  const factor = add(number(1), mul(sub(scale, number(1)), target));
  return reduced(weighted(add(away, mul(factor, surplus)), weight, caller), how);
}

const klOptions = { reduction: oneOf(/** @type {const} */ (['mean', 'sum', 'none', 'batchmean'])), logTarget: boolean };

/** @type {Loss} */
function klDivLoss(x, y, options) {
  const { reduction: how = 'mean', logTarget = false } = readOptions('klDivLoss', options, klOptions);
  const { values, number } = floats([x, y], 'klDivLoss');
  const [logs, target] = values;
  const zero = number(0);
  const entropy = select(gt(target, zero), mul(target, log(target)), mul(target, zero));
  const each = logTarget ? mul(exp(target), sub(target, logs)) : sub(entropy, mul(target, logs));
  if (how !== 'batchmean') return reduced(each, how);
  const [rowsOf = 1] = dimsOf(each);
  const state = stateOf(each);
  const batch = reductions.sum(movement.broadcastTo(number(1), [state.text(rowsOf)]));
  return div(reductions.sum(each), batch);
}

const poissonOptions = { reduction, logInput: boolean, epsilon: finite };

/** @type {Loss} */
function poissonNllLoss(x, y, options) {
  const { reduction: how, logInput = true, epsilon = 1e-8 } = readOptions('poissonNllLoss', options, poissonOptions);
  const { values, number } = floats([x, y], 'poissonNllLoss');
  const [input, target] = values;
  const each = logInput
    ? sub(exp(input), mul(target, input))
    : sub(input, mul(target, log(add(input, number(epsilon)))));
  return reduced(each, how);
}

/** @type {(x: unknown, y: unknown, variance: unknown, options?: unknown) => Value} */
function gaussianNllLoss(x, y, variance, options) {
  const known = { reduction, epsilon: positive, full: boolean };
  const { reduction: how, epsilon = 1e-6, full = false } = readOptions('gaussianNllLoss', options, known);
  const { values, number } = floats([x, y, variance], 'gaussianNllLoss');
  const spread = max(values[2], number(epsilon));
  const distance = sub(values[0], values[1]);
  const each = mul(number(0.5), add(log(spread), div(mul(distance, distance), spread)));
  return reduced(full ? add(each, number(0.5 * Math.log(2 * Math.PI))) : each, how);
}

// ---------------------------------------------------------------------------- margins and similarity

/** @type {Loss} */
function hingeEmbeddingLoss(x, y, options) {
  const { reduction: how, margin = 1 } = readOptions('hingeEmbeddingLoss', options, { reduction, margin: finite });
  const { values, number } = floats([x, y], 'hingeEmbeddingLoss');
  const [distance, target] = values;
  const apart = max(number(0), sub(number(margin), distance));
  const same = select(eq(target, number(-1)), number(0), distance);
  return reduced(add(same, select(eq(target, number(1)), number(0), apart)), how);
}

/** @type {Loss} */
function softMarginLoss(x, y, options) {
  const { reduction: how } = readOptions('softMarginLoss', options, { reduction });
  const { values } = floats([x, y], 'softMarginLoss');
  return reduced(elementwise.softplus(neg(mul(values[1], values[0]))), how);
}

/** @type {(x: unknown, y: unknown, target: unknown, options?: unknown) => Value} */
function marginRankingLoss(x, y, target, options) {
  const { reduction: how, margin = 0 } = readOptions('marginRankingLoss', options, { reduction, margin: finite });
  const { values, number } = floats([x, y, target], 'marginRankingLoss');
  const short = add(neg(mul(values[2], sub(values[0], values[1]))), number(margin));
  return reduced(max(number(0), short), how);
}

const similarityOptions = { axis: given, epsilon: positive };

/** @type {Loss} */
function cosineSimilarity(x, y, options) {
  const { axis = 1, epsilon = 1e-8 } = readOptions('cosineSimilarity', options, similarityOptions);
  const { state, values, number } = floats([x, y], 'cosineSimilarity');
  const products = mul(values[0], values[1]);
  const at = readAxis(
    dimsOf(products).length === 1 && axis === 1 ? 0 : axis,
    dimsOf(products).length,
    'cosineSimilarity',
  );
  /** @type {(value: Value) => Value} */
  const length = (value) => {
    const whole = movement.broadcastTo(
      value,
      dimsOf(products).map((size) => state.text(size)),
    );
    return max(sqrt(reductions.sum(mul(whole, whole), { axis: at })), number(epsilon));
  };
  return div(reductions.sum(products, { axis: at }), mul(length(values[0]), length(values[1])));
}

/** @type {(x: unknown, y: unknown, target: unknown, options?: unknown) => Value} */
function cosineEmbeddingLoss(x, y, target, options) {
  const caller = 'cosineEmbeddingLoss';
  const { reduction: how, margin = 0 } = readOptions(caller, options, { reduction, margin: finite });
  const { values, number } = floats([x, y, target], caller);
  const cosine = cosineSimilarity(values[0], values[1], { axis: -1 });
  const apart = max(number(0), sub(cosine, number(margin)));
  return reduced(select(eq(values[2], number(1)), sub(number(1), cosine), apart), how);
}

const distanceOptions = { p: positive, epsilon: finite, keepDims: boolean };

/** The p-norm of a difference over the last axis, epsilon added to each term. @type {Loss} */
function pairwiseDistance(x, y, options) {
  const { p = 2, epsilon = 1e-6, keepDims = false } = readOptions('pairwiseDistance', options, distanceOptions);
  const { values, number } = floats([x, y], 'pairwiseDistance');
  const terms = abs(add(sub(values[0], values[1]), number(epsilon)));
  const over = { axis: -1, keepDims };
  if (p === 1) return reductions.sum(terms, over);
  if (p === 2) return sqrt(reductions.sum(mul(terms, terms), over));
  return rows.pow(reductions.sum(rows.pow(terms, number(p)), over), number(1 / p));
}

const tripletOptions = { reduction, margin: finite, p: positive, epsilon: finite, swap: boolean };

/** @type {(anchor: unknown, positive: unknown, negative: unknown, options?: unknown) => Value} */
function tripletMarginLoss(anchor, near, other, options) {
  const caller = 'tripletMarginLoss';
  const { reduction: how, margin = 1, swap = false, p, epsilon } = readOptions(caller, options, tripletOptions);
  const { values, number } = floats([anchor, near, other], caller);
  /** @type {(x: Value, y: Value) => Value} */
  const distance = (x, y) => pairwiseDistance(x, y, { p, epsilon });
  const far = distance(values[0], values[2]);
  const away = swap ? min(far, distance(values[1], values[2])) : far;
  return reduced(max(number(0), add(sub(distance(values[0], values[1]), away), number(margin))), how);
}

/** Every operation here that becomes a method and a function, by name. */
const losses = {
  binaryCrossEntropy: roundedOnce(binaryCrossEntropy, 2),
  binaryCrossEntropyWithLogits: roundedOnce(binaryCrossEntropyWithLogits, 2),
  cosineEmbeddingLoss: roundedOnce(cosineEmbeddingLoss, 2),
  cosineSimilarity: roundedOnce(cosineSimilarity, 2),
  crossEntropyLoss: roundedOnce(crossEntropyLoss, 2),
  gaussianNllLoss: roundedOnce(gaussianNllLoss, 3),
  hingeEmbeddingLoss: roundedOnce(hingeEmbeddingLoss, 2),
  huberLoss: roundedOnce(huberLoss, 2),
  klDivLoss: roundedOnce(klDivLoss, 2),
  l1Loss: roundedOnce(l1Loss, 2),
  marginRankingLoss: roundedOnce(marginRankingLoss, 2),
  mseLoss: roundedOnce(mseLoss, 2),
  nllLoss: roundedOnce(nllLoss, 2),
  pairwiseDistance: roundedOnce(pairwiseDistance, 2),
  poissonNllLoss: roundedOnce(poissonNllLoss, 2),
  smoothL1Loss: roundedOnce(smoothL1Loss, 2),
  softMarginLoss: roundedOnce(softMarginLoss, 2),
  tripletMarginLoss: roundedOnce(tripletMarginLoss, 3),
};

module.exports = { losses };
