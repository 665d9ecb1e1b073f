/**
 * Forests of decision trees as graphs: for each row of features, each tree leads from its root to a leaf, whose
 * weights are joined over the trees.
 *
 * Programs of this process ask the kernels of lib/forests for the leaves. For modules, objects and the reference, and
 * where nodes are no trees or ask for equality, the graph walks: all nodes of all trees are one table, and a row has
 * one place in it for each tree. In each round of a loop every place goes one node deeper, by gathers from the table; a
 * leaf leads to itself, so that the deepest tree says how many rounds there are. A node asks one of two things, whether
 * a feature is at most a threshold or equals it: the other comparisons are these with their branches exchanged, or with
 * the next threshold below.
 */
'use strict';

const { fail } = require('../../base/errors.js');
const { wrapOwn } = require('../../tensor/tensor.js');
const { control } = require('../../trace/control.js');
const { kernelLeaves } = require('./forest-kernel.js');

/** @typedef {import('./builder.js').Builder} Builder */

/** What a node asks of a value and its threshold. */
const TESTS = /** @type {const} */ (['<=', '<', '>=', '>', '==', '!=']);

/**
 * Nodes that ask, by column. `test` is a place in TESTS; `yes` and `no` are numbers of nodes, or, counted down from -1,
 * of leaves. NaN goes to `yes` if `missing`, else to `no`.
 *
 * @typedef {object} Splits
 * @property {Int32Array} feature
 * @property {Uint8Array} test
 * @property {Float64Array} threshold
 * @property {Uint8Array} missing
 * @property {Int32Array} yes
 * @property {Int32Array} no
 */

/**
 * @typedef {object} Forest
 * @property {Splits} splits
 * @property {Int32Array} roots numbers of splits, or of leaves as in `yes`
 * @property {number} leaves
 * @property {{ leaf: Int32Array, target: Int32Array, weight: Float64Array }} votes of leaves for targets, by column
 * @property {number} targets
 * @property {'SUM' | 'AVERAGE' | 'MIN' | 'MAX'} aggregate how the votes for a target are joined; 0 where there are none
 */

/** Leaves times targets, at most: each has a weight for each. */
const MOST_WEIGHTS = 2 ** 27;

/** As splits, but for the leaves, which follow them: all nodes. @typedef {{ feature: Int32Array, threshold: Float64Array, equal: Uint8Array, missing: Uint8Array, yes: Int32Array, no: Int32Array }} Table */

/** @type {(count: number) => Splits} */
const emptySplits = (count) => ({
  feature: new Int32Array(count), test: new Uint8Array(count), threshold: new Float64Array(count),
  missing: new Uint8Array(count), yes: new Int32Array(count), no: new Int32Array(count),
});

/** The number of the node of a leaf: leaves follow the splits. @type {(place: number, splits: number) => number} */
const nodeOf = (place, splits) => (place < 0 ? splits - 1 - place : place);

const float = new Float32Array(1);
const bits = new Int32Array(float.buffer);
const double = new Float64Array(1);
const longBits = new BigInt64Array(double.buffer);

/** The greatest number below, as floats of the features have them. @type {(number: number, isDouble: boolean) => number} */
function below(number, isDouble) {
  if (!(number > -Infinity)) return NaN; // nothing is less
  if (isDouble) {
    double[0] = number === 0 ? -0 : number;
    longBits[0] += number > 0 ? -1n : 1n;
    return double[0];
  }
  float[0] = number === 0 ? -0 : number;
  if (float[0] < number) return float[0];
  bits[0] += float[0] > 0 ? -1 : 1;
  return float[0];
}

/** What a value is compared with. @type {(test: typeof TESTS[number], threshold: number, isDouble: boolean) => number} */
function limitOf(test, threshold, isDouble) {
  const isOpposite = test === '>' || test === '>=';
  if (isOpposite && Number.isNaN(threshold)) return Infinity; // nothing is more than NaN, and all are at most that
  return test === '<' || test === '>=' ? below(threshold, isDouble) : threshold;
}

/** @type {(forest: Forest, isDouble: boolean) => Table} */
function tableOf({ splits, leaves }, isDouble) {
  const count = splits.feature.length;
  const size = count + leaves;
  const leaf = Int32Array.from({ length: size }, (_, i) => i);
  const table = {
    feature: new Int32Array(size), threshold: new Float64Array(size), equal: new Uint8Array(size),
    missing: new Uint8Array(size), yes: leaf.slice(), no: leaf.slice(),
  };
  table.feature.set(splits.feature);
  for (let i = 0; i < count; i++) {
    const test = TESTS[splits.test[i]];
    const isOpposite = test === '>' || test === '>=' || test === '!=';
    const [to, other] = isOpposite ? [splits.no[i], splits.yes[i]] : [splits.yes[i], splits.no[i]];
    table.threshold[i] = limitOf(test, splits.threshold[i], isDouble);
    table.equal[i] = Number(test === '==' || test === '!=');
    table.missing[i] = Number((splits.missing[i] === 1) !== isOpposite);
    table.yes[i] = nodeOf(to, count);
    table.no[i] = nodeOf(other, count);
  }
  return table;
}

/**
 * The longest way from a root to a leaf; refuses ways without an end.
 *
 * @type {(forest: Forest) => number}
 */
function depthOf({ splits: { yes, no }, roots }) {
  const [open, unknown] = [-2, -1];
  const depths = new Int32Array(yes.length).fill(unknown);
  const known = (/** @type {number} */ place) => (place < 0 ? 0 : depths[place]);
  for (const root of roots) {
    const stack = root < 0 ? [] : [root];
    while (stack.length > 0) {
      const at = stack[stack.length - 1];
      const [a, b] = [known(yes[at]), known(no[at])];
      if (depths[at] >= 0) stack.pop();
      else if (a >= 0 && b >= 0) {
        depths[at] = 1 + Math.max(a, b);
        stack.pop();
      } else {
        if (depths[at] === open) fail('ERR_PARSE', 'nodes of a tree lead back to each other');
        depths[at] = open;
        if (a < 0) stack.push(yes[at]);
        if (b < 0) stack.push(no[at]);
      }
    }
  }
  return roots.reduce((most, root) => Math.max(most, known(root)), 0);
}

/** @type {(forest: Forest, features: number | string) => void} */
function checkForest({ splits: { feature, yes, no }, roots, leaves, votes, targets }, features) {
  if (!Number.isSafeInteger(targets) || targets < 0 || leaves * targets > MOST_WEIGHTS)
    fail('ERR_UNSUPPORTED', `a forest of ${leaves} leaves that vote for ${targets} targets`);
  const isOdd = (/** @type {number} */ place) => place < -leaves || place >= feature.length;
  if ([yes, no, roots].some((places) => places.some(isOdd))) fail('ERR_PARSE', 'a node of a tree leads to one that is not there');
  const width = typeof features === 'number' ? features : Infinity;
  const wide = feature.find((each) => each < 0 || each >= width);
  if (wide !== undefined) fail('ERR_SHAPE', `a tree asks feature ${wide} of ${features}`);
  const odd = votes.target.find((target) => target < 0 || target >= targets);
  if (odd !== undefined) fail('ERR_PARSE', `a leaf votes for target ${odd} of ${targets}`);
}

/**
 * What the trees say of rows.
 *
 * @param {Builder} cx
 * @param {any} x a Value [rows, features], f32 or f64
 * @param {Forest} forest
 * @returns {any} a Value [rows, targets] of the dtype of x
 */
function forestOf(cx, x, forest) {
  checkForest(forest, x.shape[1]);
  const depth = depthOf(forest);
  const leaves = cx.kernel(() => kernelLeaves(x, forest)) ?? walk(cx, x, forest, depth);
  return joinVotes(cx, leaves, forest, x.dtype);
}

/** Where rows end, by a loop. @type {(cx: Builder, x: any, forest: Forest, depth: number) => any} a Value [rows, trees] of leaves, i32 */
function walk(cx, x, forest, depth) {
  const { splits, roots } = forest;
  const count = splits.feature.length;
  const table = tableOf(forest, x.dtype === 'f64');
  const column = (/** @type {any} */ data, /** @type {any} */ dtype) =>
    /** @type {any} */ (cx.constant(wrapOwn(data, dtype, [data.length])));
  const columns = {
    feature: column(table.feature, 'i32'), yes: column(table.yes, 'i32'), no: column(table.no, 'i32'),
    threshold: column(x.dtype === 'f64' ? table.threshold : Float32Array.from(table.threshold), x.dtype),
    equal: table.equal.includes(1) ? column(table.equal, 'bool') : undefined,
    missing: table.missing.includes(1) ? column(table.missing, 'bool') : undefined,
  };
  const step = (/** @type {any} */ places) => {
    const value = x.takeAlongAxis(columns.feature.take(places), { axis: 1 });
    const threshold = columns.threshold.take(places);
    const isLess = value.le(threshold);
    const isEqual = () => columns.equal.take(places).select(value.eq(threshold), isLess);
    const isTrue = columns.equal === undefined ? isLess : isEqual();
    const goes = columns.missing === undefined ? isTrue : isTrue.or(value.isNan().and(columns.missing.take(places)));
    return goes.select(columns.yes.take(places), columns.no.take(places));
  };
  const starts = roots.map((place) => nodeOf(place, count));
  const first = column(starts, 'i32').broadcastTo([x.shape[0], roots.length]);
  const round = (/** @type {any} */ _, /** @type {any} */ places) => step(places);
  const ends = /** @type {any} */ (depth === 0 ? first : control.forLoop(0, depth, round, first));
  return ends.sub(count);
}

/** What is no vote. @type {Readonly<Record<Forest['aggregate'], number>>} */
const neutral = { SUM: 0, AVERAGE: 0, MIN: Infinity, MAX: -Infinity };

/** @type {(cx: Builder, ends: any, forest: Forest, dtype: 'f32' | 'f64') => any} of the leaves where rows end */
function joinVotes(cx, ends, { leaves, votes, targets, aggregate }, dtype) {
  const none = neutral[aggregate];
  const weights = new (dtype === 'f64' ? Float64Array : Float32Array)(leaves * targets).fill(none);
  const combine = { SUM: add, AVERAGE: add, MIN: Math.min, MAX: Math.max }[aggregate];
  votes.leaf.forEach((leaf, i) => {
    const at = leaf * targets + votes.target[i];
    weights[at] = combine(weights[at], votes.weight[i]);
  });
  const table = /** @type {any} */ (cx.constant(wrapOwn(weights, dtype, [leaves, targets])));
  const all = table.take(ends, { axis: 0 }); // [rows, trees, targets]
  if (none === 0) return aggregate === 'SUM' ? all.sum({ axis: 1 }) : all.mean({ axis: 1 });
  const joined = aggregate === 'MIN' ? all.reduceMin([1]) : all.reduceMax([1]);
  return joined.eq(none).select(0, joined);
}

/** @type {(a: number, b: number) => number} */
const add = (a, b) => a + b;

module.exports = { TESTS, emptySplits, forestOf };
