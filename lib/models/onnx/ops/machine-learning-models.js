/**
 * Models of ai.onnx.ml: linear ones, support vectors, forests, as scikit-learn, XGBoost and LightGBM are exported.
 *
 * Where the text of ONNX says nothing (which label the only score of two classes means, when scores are doubled), this
 * does what onnxruntime does. Probit is the exact function; others approximate it to three digits.
 */
'use strict';

const { asTensor } = require('../../../tensor/create.js');
const { joins } = require('../../../ops/movement.js');
const { control } = require('../../../trace/control.js');
const { Text } = require('../../shared/operands.js');
const { TESTS, emptySplits, forestOf } = require('../../shared/forest.js');
const { labelsOf } = require('../../shared/texts.js');
const { floating, listAttribute, rowsOf, tensorOf, whole } = require('./machine-learning.js');

/** @typedef {import('../../shared/builder.js').Builder} Builder */
/** @typedef {import('../../shared/builder.js').Translation} Translation */
/** @typedef {import('../../shared/forest.js').Forest} Forest */

// -------------------------------------------------------------------------------------- scores

/** Softmax that leaves zeros small. @type {(scores: any) => any} */
function softmaxZero(scores) {
  const most = scores.reduceMax([1]).expandDims(1);
  const powers = scores.abs().gt(1e-7).select(scores.sub(most).exp(), scores.mul(most.neg().exp()));
  const sum = powers.sum({ axis: 1 }).expandDims(1);
  return sum.eq(0).select(0.5, powers.div(sum));
}

/** @type {Readonly<Record<string, (scores: any) => any>>} */
const transforms = {
  NONE: (scores) => scores,
  SOFTMAX: (scores) => scores.softmax({ axis: 1 }),
  LOGISTIC: (scores) => scores.sigmoid(),
  SOFTMAX_ZERO: softmaxZero,
  PROBIT: (scores) => scores.mul(2).sub(1).erfInv().mul(Math.SQRT2),
};
const transformNames = ['NONE', 'SOFTMAX', 'LOGISTIC', 'SOFTMAX_ZERO', 'PROBIT'];

/** @type {(node: any, cx: Builder) => string} */
function transformOf(node, cx) {
  const given = node.attr('post_transform') ?? 'NONE';
  const name = typeof given === 'number' ? transformNames[given] : given;
  return Object.hasOwn(transforms, name) ? name : cx.fail('ERR_PARSE', `post_transform '${given}' is unknown`);
}

/** @type {(a: any, b: any) => any} two columns */
const beside = (a, b) => joins.concat([a, b], { axis: 1 });

/**
 * The scores of two classes, of the one score of the second.
 *
 * @param {any} score [rows, 1]
 * @param {string} transform
 * @param {boolean} isShare whether it is a share of 1, and no distance from 0
 * @returns {any}
 */
function doubled(score, transform, isShare) {
  const shares = () => beside(score.neg().add(1), score);
  if (transform === 'PROBIT') return transforms.PROBIT(shares());
  return isShare && transform !== 'LOGISTIC' ? shares() : transforms[transform](beside(score.neg(), score));
}

// -------------------------------------------------------------------------------------- labels

/** @type {(node: any) => readonly (string | number)[]} */
const labelList = (node) =>
  ['classlabels_strings', 'classlabels_int64s', 'classlabels_ints'].map((name) => listAttribute(node, name)).find(Boolean) ?? [];

/**
 * Labels by number of class, of which there are so many.
 *
 * @type {(cx: Builder, classes: any, labels: readonly (string | number)[], count: number) => any}
 */
function labelled(cx, classes, labels, count) {
  if (labels.length === 0) return classes;
  if (labels.length !== count) cx.fail('ERR_PARSE', `${labels.length} labels for ${count} classes`);
  if (typeof labels[0] === 'string') return labelsOf(classes, [Text.of([labels.length], /** @type {string[]} */ ([...labels]))]);
  return /** @type {any} */ (cx.constant(asTensor(labels.map((each) => whole(Number(each))), { dtype: 'i64' }))).take(classes);
}

/** The class of the greatest score, the first of equals. @type {(scores: any) => any} */
const greatest = (scores) => scores.argmax({ axis: 1 });

/** @type {(isPositive: any) => any} class 1 or 0 of [rows, 1] */
const second = (isPositive) => isPositive.reshape([-1]).astype('i64');

/** The labels of a test on the only score. @type {(cx: Builder, isPositive: any, labels: readonly (string | number)[]) => any} */
function testedLabels(cx, isPositive, labels) {
  const own = labels.length === 2 ? labels : typeof labels[0] === 'string' ? ['', labels[0]] : [0, labels[0] ?? 1];
  return labelled(cx, second(isPositive), own, 2);
}

// -------------------------------------------------------------------------------------- linear

/** Sums of products with rows of coefficients, plus an intercept each. @type {(node: any, x: any, count: number, cx: Builder) => any} */
function linearScores(node, x, count, cx) {
  const [coefficients, intercepts] = [node.attr('coefficients', []), node.attr('intercepts', [])];
  const columns = coefficients.length / count;
  if (!Number.isInteger(columns)) cx.fail('ERR_PARSE', `${coefficients.length} coefficients are no ${count} rows`);
  const products = x.matmul(/** @type {any} */ (cx.constant(tensorOf(coefficients, x.dtype, [count, columns]))).transpose());
  return intercepts.length === 0 ? products : products.add(cx.constant(tensorOf(intercepts, x.dtype, [count])));
}

/** @type {Translation['translate']} */
function linearRegressor(node, [x], cx) {
  const rows = rowsOf(floating(cx.value(x)));
  return transforms[transformOf(node, cx)](linearScores(node, rows, node.attr('targets', 1), cx)).astype('f32');
}

/** @type {Translation['translate']} */
function linearClassifier(node, [x], cx) {
  const rows = rowsOf(floating(cx.value(x)));
  const [labels, transform] = [labelList(node), transformOf(node, cx)];
  const columns = Number(rows.shape[1]);
  const count = node.attr('intercepts')?.length ?? (Number.isInteger(columns) ? node.attr('coefficients', []).length / columns : labels.length);
  const scores = linearScores(node, rows, count, cx);
  if (count > 1) return [labelled(cx, greatest(scores), labels, count), transforms[transform](scores).astype('f32')];
  const both = labels.length === 2 ? doubled(scores, transform, true) : transforms[transform](scores);
  return [testedLabels(cx, scores.gt(0), labels), both.astype('f32')];
}

// ----------------------------------------------------------------------------- support vectors

/** Kernels of rows and support vectors. @type {(node: any, x: any, count: number, cx: Builder) => any} [rows, count] */
function kernelsOf(node, x, count, cx) {
  const list = node.attr('support_vectors', []);
  const vectors = /** @type {any} */ (cx.constant(tensorOf(list, x.dtype, [count, list.length / count])));
  const [gamma = 0, offset = 0, degree = 0] = node.attr('kernel_params', []);
  const kernel = node.attr('kernel_type', 'LINEAR');
  // Of differences: the squares of both would cancel.
  if (kernel === 'RBF') return x.expandDims(1).sub(vectors).square().sum({ axis: 2 }).mul(-gamma).exp();
  const products = x.matmul(vectors.transpose());
  if (kernel === 'LINEAR') return products;
  const scaled = products.mul(gamma).add(offset);
  if (kernel === 'POLY') return scaled.pow(degree);
  return kernel === 'SIGMOID' ? scaled.tanh() : cx.fail('ERR_PARSE', `kernel '${kernel}' is unknown`);
}

/** @type {Translation['translate']} */
function svmRegressor(node, [x], cx) {
  const rows = rowsOf(floating(cx.value(x)));
  const [count, coefficients, rho] = [node.attr('n_supports', 0), node.attr('coefficients', []), node.attr('rho', [0])];
  const weights = /** @type {any} */ (cx.constant(tensorOf(coefficients, rows.dtype, [count || coefficients.length, 1])));
  const kernels = count > 0 ? kernelsOf(node, rows, count, cx) : rows;
  const scores = kernels.matmul(weights).add(rho[0]);
  const results = node.attr('one_class', 0) ? scores.gt(0).select(1, -1) : transforms[transformOf(node, cx)](scores);
  return results.astype('f32');
}

/** Pairs of classes in their order. @type {(count: number) => [number, number][]} */
const pairsOf = (count) =>
  Array.from({ length: count }, (_, i) => Array.from({ length: count - 1 - i }, (__, j) => /** @type {[number, number]} */ ([i, i + 1 + j]))).flat();

/**
 * The weight of each support vector in the decision between each two classes. [vectors, pairs]
 *
 * @type {(coefficients: ArrayLike<number>, sizes: readonly number[]) => number[]}
 */
function pairWeights(coefficients, sizes) {
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const owner = sizes.flatMap((size, i) => Array(size).fill(i));
  const pairs = pairsOf(sizes.length);
  return owner.flatMap((own, vector) => pairs.map(([i, j]) => {
    if (own !== i && own !== j) return 0;
    return coefficients[(own === i ? j - 1 : i) * total + vector];
  }));
}

/** Votes of decisions between pairs. @type {(decisions: any, count: number, cx: Builder) => any} [rows, count] */
function votesOf(decisions, count, cx) {
  const pairs = pairsOf(count);
  const { dtype } = decisions;
  const matrix = (/** @type {0 | 1} */ side) => {
    const rows = pairs.flatMap((pair) => Array.from({ length: count }, (_, i) => Number(pair[side] === i)));
    return cx.constant(tensorOf(rows, dtype, [pairs.length, count]));
  };
  const isFirst = decisions.gt(0);
  return isFirst.astype(dtype).matmul(matrix(0)).add(isFirst.not().astype(dtype).matmul(matrix(1)));
}

/**
 * Probabilities of classes, of those of pairs of them (Wu, Lin and Weng 2004), by the iteration of LIBSVM: a row is
 * done when its error is small.
 *
 * @param {any} decisions [rows, pairs]
 * @param {number} count
 * @param {any} node
 * @param {Builder} cx
 * @returns {any} [rows, count]
 */
function probabilities(decisions, count, node, cx) {
  const { dtype } = decisions;
  const vector = (/** @type {string} */ name) => cx.constant(tensorOf(node.attr(name, []), dtype, [pairsOf(count).length]));
  const between = decisions.mul(vector('prob_a')).add(vector('prob_b')).neg().sigmoid().clip(1e-7, 1 - 1e-7);
  const column = (/** @type {any} */ x, /** @type {number} */ at) => x.slice(null, [at, at + 1]);
  const pairs = pairsOf(count);
  /** @type {(i: number, j: number) => any} that of i among i and j */
  const of = (i, j) => {
    if (i > j) return of(j, i).neg().add(1);
    return column(between, pairs.findIndex((pair) => pair[0] === i && pair[1] === j));
  };
  const classes = Array.from({ length: count }, (_, i) => i);
  const diagonal = classes.map((t) => {
    const squares = classes.filter((j) => j !== t).map((j) => of(j, t).square());
    return squares.reduce((a, b) => a.add(b));
  });
  const lines = classes.map((t) => {
    const line = classes.map((j) => (j === t ? diagonal[t] : of(j, t).mul(of(t, j)).neg()));
    return joins.concat(line, { axis: 1 });
  });
  const matrix = /** @type {any} */ (joins.stack(lines, { axis: 1 })); // [rows, count, count]

  const round = (/** @type {any} */ given) => {
    let [p, products, total] = given;
    for (const t of classes) {
      const own = column(products, t);
      const step = total.sub(own).div(diagonal[t]);
      const grown = step.add(1);
      total = total.add(step.mul(step.mul(diagonal[t]).add(own.mul(2)))).div(grown.square());
      p = joins.concat(classes.map((i) => (i === t ? column(p, i).add(step) : column(p, i)).div(grown)), { axis: 1 });
      products = products.add(step.mul(lines[t])).div(grown);
    }
    return p;
  };
  const next = (/** @type {{ p: any, i: any, busy: any }} */ { p, i, busy }) => {
    const products = matrix.matmul(p.expandDims(2)).squeeze([2]);
    const total = p.mul(products).sum({ axis: 1 }).expandDims(1);
    const error = products.sub(total).abs().reduceMax([1]).expandDims(1);
    const goesOn = busy.and(error.ge(0.005 / count));
    return { p: goesOn.select(round([p, products, total]), p), i: i.add(1), busy: goesOn };
  };
  const rows = decisions.shape[0];
  const first = {
    p: cx.constant(1 / count, dtype, [rows, count]), i: cx.constant(0, 'i32'), busy: cx.constant(true, 'bool', [rows, 1]),
  };
  const goes = (/** @type {any} */ { i, busy }) => i.lt(Math.max(100, count)).and(busy.any());
  return /** @type {any} */ (control.whileLoop(goes, next, first)).p;
}

/** @type {Translation['translate']} */
function svmClassifier(node, [x], cx) {
  const rows = rowsOf(floating(cx.value(x)));
  const [labels, transform, sizes] = [labelList(node), transformOf(node, cx), node.attr('vectors_per_class', [])];
  if (sizes.length === 0) {
    const count = Math.max(labels.length, 1);
    const scores = linearSvm(node, rows, count, cx);
    return [labelled(cx, greatest(scores), labels, count), transforms[transform](scores).astype('f32')];
  }
  const decisions = decisionsOf(node, rows, sizes, cx);
  const classes = labelled(cx, greatest(votesOf(decisions, sizes.length, cx)), labels, sizes.length);
  if (node.attr('prob_a', []).length > 0)
    return [classes, transforms[transform](probabilities(decisions, sizes.length, node, cx)).astype('f32')];
  if (labels.length !== 2) return [classes, transforms[transform](decisions).astype('f32')];
  const isShare = transform !== 'NONE' && node.attr('coefficients').every((/** @type {number} */ each) => each >= 0);
  return [classes, doubled(decisions, transform, isShare).astype('f32')];
}

/** Decisions between each two classes. @type {(node: any, x: any, sizes: readonly number[], cx: Builder) => any} [rows, pairs] */
function decisionsOf(node, x, sizes, cx) {
  const vectors = sizes.reduce((sum, size) => sum + size, 0);
  const pairs = pairsOf(sizes.length).length;
  const coefficients = tensorOf(node.attr('coefficients', []), 'f64', [sizes.length - 1, vectors]);
  const weights = tensorOf(pairWeights(coefficients.data, sizes), x.dtype, [vectors, pairs]);
  const rho = cx.constant(tensorOf(node.attr('rho', []), x.dtype, [pairs]));
  return kernelsOf(node, x, vectors, cx).matmul(cx.constant(weights)).add(rho);
}

/** Without support vectors the coefficients are a linear model. @type {(node: any, x: any, count: number, cx: Builder) => any} */
function linearSvm(node, x, count, cx) {
  const coefficients = node.attr('coefficients', []);
  const weights = /** @type {any} */ (cx.constant(tensorOf(coefficients, x.dtype, [count, coefficients.length / count])));
  return x.matmul(weights.transpose()).add(node.attr('rho', [0])[0]);
}

// -------------------------------------------------------------------------------------- forests

/** In the order of the tests, and of the numbers that version 5 has for them. */
const branchModes = ['BRANCH_LEQ', 'BRANCH_LT', 'BRANCH_GTE', 'BRANCH_GT', 'BRANCH_EQ', 'BRANCH_NEQ'];
const EQUAL = TESTS.indexOf('==');
const MEMBER = 6;
const splitColumns = [
  'nodes_featureids', 'nodes_modes', 'nodes_splits', 'nodes_truenodeids', 'nodes_falsenodeids', 'nodes_trueleafs', 'nodes_falseleafs',
];
const aggregates = /** @type {const} */ (['AVERAGE', 'SUM', 'MIN', 'MAX']);

/** Attributes that are lists of one length. @type {(node: any, names: readonly string[], cx: Builder) => (readonly any[])[]} */
function listsOf(node, names, cx) {
  const lists = names.map((name) => listAttribute(node, name) ?? []);
  const odd = lists.findIndex((list) => list.length !== lists[0].length);
  if (odd > 0) cx.fail('ERR_PARSE', `${names[odd]} has ${lists[odd].length} elements, but ${names[0]} ${lists[0].length}`);
  return lists;
}

/** @type {(list: readonly any[], name: string, cx: Builder) => Int32Array} */
function wholeNumbers(list, name, cx) {
  const numbers = new Int32Array(list.length);
  for (let i = 0; i < list.length; i++) {
    numbers[i] = list[i];
    if (numbers[i] !== list[i]) cx.fail('ERR_PARSE', `${name} has ${list[i]}, expected a whole number of 32 bits`);
  }
  return numbers;
}

const nodeColumns = ['treeids', 'nodeids', 'modes', 'featureids', 'truenodeids', 'falsenodeids', 'values'];

/**
 * The trees of the ops for regression and classification: nodes and votes with ids.
 *
 * @param {any} node
 * @param {'class' | 'target'} kind of votes
 * @param {number} targets
 * @param {Forest['aggregate']} aggregate
 * @param {Builder} cx
 * @returns {Forest}
 */
function treesOf(node, kind, targets, aggregate, cx) {
  const lists = listsOf(node, nodeColumns.map((name) => `nodes_${name}`), cx);
  const [trees, ids, modes, features, yes, no, values] = lists;
  const missing = node.attr('nodes_missing_value_tracks_true', []);
  const { placeOf, splitCount, leafCount, roots } = placesOf(trees, ids, modes, cx);
  const splits = emptySplits(splitCount);
  const asked = wholeNumbers(features, 'nodes_featureids', cx);
  let at = 0;
  for (let i = 0; i < trees.length; i++) {
    if (modes[i] === 'LEAF') continue;
    const test = branchModes.indexOf(modes[i]);
    if (test < 0) cx.fail('ERR_PARSE', `node mode '${modes[i]}' is unknown`);
    splits.feature[at] = asked[i];
    splits.test[at] = test;
    splits.threshold[at] = values[i];
    splits.missing[at] = Number(missing[i] === 1);
    splits.yes[at] = placeOf(trees[i], yes[i]);
    splits.no[at++] = placeOf(trees[i], no[i]);
  }
  return { splits, roots, leaves: leafCount, votes: votesFor(node, kind, placeOf, cx), targets, aggregate };
}

/**
 * Nodes of a tree: `size` of them from node `first` on, whose ids count up from `id`, and where the others are.
 *
 * @typedef {{ first: number, id: number, size: number, others: Map<number, number> }} Ids
 */

/** @type {(own: Ids | undefined, id: number) => number | undefined} */
function nodeWith(own, id) {
  if (own === undefined) return undefined;
  const at = id - own.id;
  return at >= 0 && at < own.size && Number.isInteger(at) ? own.first + at : own.others.get(id);
}

/**
 * Where nodes of trees are: numbers of splits, and of leaves counted down from -1. A tree begins with its root.
 *
 * @param {readonly number[]} trees
 * @param {readonly number[]} ids
 * @param {readonly string[]} modes
 * @param {Builder} cx
 */
function placesOf(trees, ids, modes, cx) {
  /** @type {Map<number, Ids>} */
  const known = new Map();
  const places = new Int32Array(trees.length);
  const roots = [];
  let [splitCount, leafCount] = [0, 0];
  for (let i = 0; i < trees.length; i++) {
    places[i] = modes[i] === 'LEAF' ? -1 - leafCount++ : splitCount++;
    const own = known.get(trees[i]) ?? { first: i, id: ids[i], size: 0, others: new Map() };
    if (nodeWith(own, ids[i]) !== undefined) cx.fail('ERR_PARSE', `node ${ids[i]} of tree ${trees[i]} is there twice`);
    if (i === own.first) {
      roots.push(places[i]);
      known.set(trees[i], own);
    }
    if (i === own.first + own.size && ids[i] === own.id + own.size) own.size++;
    else own.others.set(ids[i], i);
  }
  const placeOf = (/** @type {number} */ tree, /** @type {number} */ id) =>
    places[nodeWith(known.get(tree), id) ?? cx.fail('ERR_PARSE', `tree ${tree} has no node ${id}`)];
  return { placeOf, splitCount, leafCount, roots: Int32Array.from(roots) };
}

/**
 * The votes of leaves.
 *
 * @param {any} node
 * @param {string} kind
 * @param {(tree: number, id: number) => number} placeOf
 * @param {Builder} cx
 * @returns {Forest['votes']}
 */
function votesFor(node, kind, placeOf, cx) {
  const names = ['treeids', 'nodeids', 'ids', 'weights'].map((name) => `${kind}_${name}`);
  const [trees, ids, targets, weights] = listsOf(node, names, cx);
  const [leaf, target] = [new Int32Array(trees.length), wholeNumbers(targets, names[2], cx)];
  const weight = new Float64Array(trees.length);
  let count = 0;
  for (let i = 0; i < trees.length; i++) {
    const place = placeOf(trees[i], ids[i]);
    if (place >= 0) continue; // of a node that is no leaf
    leaf[count] = -1 - place;
    target[count] = target[i];
    weight[count++] = weights[i];
  }
  return { leaf: leaf.subarray(0, count), target: target.subarray(0, count), weight: weight.subarray(0, count) };
}

/** @type {(x: any, node: any, cx: Builder) => any} what trees are asked about: doubles where thresholds are such */
function featuresOf(x, node, cx) {
  const value = rowsOf(floating(cx.value(x)));
  return node.attr('nodes_values_as_tensor')?.dtype === 'f64' ? value.astype('f64') : value;
}

/** @type {(values: number[], like: any, cx: Builder) => any} a number for each column */
const constantRow = (values, like, cx) => cx.constant(tensorOf(values, like.dtype, [like.shape[1]]));

/** @type {Translation['translate']} */
function treeEnsembleRegressor(node, [x], cx) {
  const aggregate = node.attr('aggregate_function', 'SUM');
  if (!aggregates.includes(aggregate)) cx.fail('ERR_PARSE', `aggregate_function '${aggregate}' is unknown`);
  const joined = forestOf(cx, featuresOf(x, node, cx), treesOf(node, 'target', node.attr('n_targets', 1), aggregate, cx));
  const base = listAttribute(node, 'base_values');
  const scores = base?.length ? joined.add(constantRow(base, joined, cx)) : joined;
  return transforms[transformOf(node, cx)](scores).astype('f32');
}

/** @type {Translation['translate']} */
function treeEnsembleClassifier(node, [x], cx) {
  const [labels, transform, base] = [labelList(node), transformOf(node, cx), listAttribute(node, 'base_values') ?? []];
  const voted = new Set(node.attr('class_ids', []));
  const isBinary = labels.length === 2 && voted.size === 1;
  const forest = treesOf(node, 'class', labels.length, 'SUM', cx);
  const joined = forestOf(cx, featuresOf(x, node, cx), forest);
  if (!isBinary && labels.length > 1) {
    const scores = base.length > 0 ? joined.add(constantRow(base, joined, cx)) : joined;
    return [labelled(cx, greatest(scores), labels, labels.length), transforms[transform](scores).astype('f32')];
  }
  // Votes for one class only: they say how far the second one of two is ahead.
  const own = Number([...voted][0] ?? 0);
  const score = joined.slice(null, [own, own + 1]).add(base[base.length === 2 ? own : 0] ?? 0);
  const isShare = isBinary && (listAttribute(node, 'class_weights') ?? []).every((weight) => weight >= 0);
  const classes = testedLabels(cx, score.gt(isShare ? 0.5 : 0), labels);
  if (!isBinary) return [classes, (transform === 'PROBIT' ? transforms.PROBIT(score) : score).astype('f32')];
  const scores = own === 1 ? transforms[transform](beside(score.mul(0), score)) : doubled(score, transform, isShare);
  return [classes, scores.astype('f32')];
}

/** Members that set nodes ask for, in the order of these nodes. @type {(node: any) => number[][]} */
function memberSets(node) {
  /** @type {number[][]} */
  const sets = [[]];
  for (const value of listAttribute(node, 'membership_values') ?? []) {
    if (Number.isNaN(value)) sets.push([]);
    else sets[sets.length - 1].push(value);
  }
  return sets;
}

/**
 * The trees of version 5, whose splits and leaves are lists of their own. A test of membership is one of equality for
 * each member.
 *
 * @param {any} node
 * @param {Builder} cx
 * @returns {Forest}
 */
function ensembleOf(node, cx) {
  const [features, modes, values, yes, no, yesLeaf, noLeaf] = listsOf(node, splitColumns, cx);
  const [targets, weights] = listsOf(node, ['leaf_targetids', 'leaf_weights'], cx);
  const missing = node.attr('nodes_missing_value_tracks_true', []);
  const odd = modes.find((mode) => !(mode >= 0 && mode <= MEMBER));
  if (odd !== undefined) cx.fail('ERR_PARSE', `node mode ${odd} is unknown`);
  const place = (/** @type {number} */ id, /** @type {number} */ isLeaf) => (isLeaf ? -1 - id : id);
  const columns = {
    feature: [...features], test: modes.map((mode) => (mode === MEMBER ? EQUAL : mode)), threshold: [...values],
    missing: modes.map((_, i) => Number(missing[i] === 1)),
    yes: yes.map((id, i) => place(id, yesLeaf[i])), no: no.map((id, i) => place(id, noLeaf[i])),
  };
  const sets = memberSets(node)[Symbol.iterator]();
  modes.forEach((mode, i) => mode === MEMBER && testMembers(columns, i, sets.next().value ?? []));
  const numbers = (/** @type {readonly number[]} */ list, /** @type {string} */ name) => wholeNumbers(list, name, cx);
  const splits = {
    feature: numbers(columns.feature, 'nodes_featureids'), test: Uint8Array.from(columns.test),
    threshold: Float64Array.from(columns.threshold), missing: Uint8Array.from(columns.missing),
    yes: numbers(columns.yes, 'nodes_truenodeids'), no: numbers(columns.no, 'nodes_falsenodeids'),
  };
  const leaf = Int32Array.from(targets, (_, i) => i);
  const votes = { leaf, target: numbers(targets, 'leaf_targetids'), weight: Float64Array.from(weights) };
  const roots = numbers(node.attr('tree_roots', []), 'tree_roots');
  const aggregate = aggregates[node.attr('aggregate_function', 1)] ?? cx.fail('ERR_PARSE', 'aggregate_function is unknown');
  return { splits, roots, leaves: targets.length, votes, targets: node.attr('n_targets', 1), aggregate };
}

/**
 * Makes a split one for each member, which follow each other.
 *
 * @type {(columns: Record<keyof import('../../shared/forest.js').Splits, number[]>, at: number, members: readonly number[]) => void}
 */
function testMembers({ feature, test, threshold, missing, yes, no }, at, [first = NaN, ...rest]) {
  const end = no[at];
  let last = at;
  threshold[at] = first;
  for (const member of rest) {
    no[last] = feature.length;
    last = feature.length;
    feature.push(feature[at]);
    test.push(EQUAL);
    threshold.push(member);
    missing.push(0);
    yes.push(yes[at]);
    no.push(end);
  }
}

/** @type {Translation['translate']} */
function treeEnsemble(node, [x], cx) {
  const given = /** @type {any} */ (cx.value(x));
  const rows = rowsOf(floating(given));
  const features = node.attr('nodes_splits')?.dtype === 'f64' ? rows.astype('f64') : rows;
  return transforms[transformOf(node, cx)](forestOf(cx, features, ensembleOf(node, cx))).astype(given.dtype);
}

/** @type {import('./index.js').Tables} */
const ops = {
  'ai.onnx.ml': {
    LinearClassifier: linearClassifier, LinearRegressor: linearRegressor, SVMClassifier: svmClassifier,
    SVMRegressor: svmRegressor, TreeEnsembleClassifier: treeEnsembleClassifier,
    TreeEnsembleRegressor: treeEnsembleRegressor, TreeEnsemble: treeEnsemble,
  },
};

module.exports = { ops };
