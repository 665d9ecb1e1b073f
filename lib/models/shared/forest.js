/**
 * Forests of decision trees as graphs: for each row of features, each tree leads from its root to a leaf, whose
 * weights are joined over the trees.
 *
 * All nodes of all trees are one table, and a row has one place in it for each tree. In each round of a loop every
 * place goes one node deeper, by gathers from the table; a leaf leads to itself, so that the deepest tree says how many
 * rounds there are. A node asks one of two things, whether a feature is at most a threshold or equals it: the other
 * comparisons are these with their branches exchanged, or with the next threshold below.
 */
'use strict';

const { fail } = require('../../base/errors.js');
const { wrapOwn } = require('../../tensor/tensor.js');
const { control } = require('../../trace/control.js');

/** @typedef {import('./builder.js').Builder} Builder */

/**
 * A node that asks. `yes` and `no` are numbers of nodes, or, counted down from -1, of leaves. NaN goes to `yes` if
 * `missing`, else to `no`.
 *
 * @typedef {{ feature: number, test: Test, threshold: number, missing: boolean, yes: number, no: number }} Split
 */
/** @typedef {'<=' | '<' | '>=' | '>' | '==' | '!='} Test */

/**
 * @typedef {object} Forest
 * @property {readonly Split[]} splits
 * @property {readonly number[]} roots numbers of splits, or of leaves as in `yes`
 * @property {readonly (readonly [target: number, weight: number][])[]} leaves votes of each
 * @property {number} targets
 * @property {'SUM' | 'AVERAGE' | 'MIN' | 'MAX'} aggregate how the votes for a target are joined; 0 where there are none
 */

/**
 * All nodes, by column.
 *
 * @typedef {object} Table
 * @property {Int32Array} feature
 * @property {Float64Array} threshold
 * @property {Uint8Array} equal whether the test is one of equality
 * @property {Uint8Array} missing
 * @property {Int32Array} yes
 * @property {Int32Array} no
 */

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

/** @type {(forest: Forest, isDouble: boolean) => Table} */
function tableOf({ splits, leaves }, isDouble) {
  const size = splits.length + leaves.length;
  const leaf = Int32Array.from({ length: size }, (_, i) => i);
  const table = {
    feature: new Int32Array(size), threshold: new Float64Array(size), equal: new Uint8Array(size),
    missing: new Uint8Array(size), yes: leaf.slice(), no: leaf.slice(),
  };
  splits.forEach(({ feature, test, threshold, missing, yes, no }, i) => {
    const isOpposite = test === '>' || test === '>=' || test === '!=';
    const [to, other] = isOpposite ? [no, yes] : [yes, no];
    table.feature[i] = feature;
    table.threshold[i] = test === '<' || test === '>=' ? below(threshold, isDouble) : threshold;
    table.equal[i] = Number(test === '==' || test === '!=');
    table.missing[i] = Number(missing !== isOpposite);
    table.yes[i] = nodeOf(to, splits.length);
    table.no[i] = nodeOf(other, splits.length);
  });
  return table;
}

/**
 * The longest way from a root to a leaf; refuses ways without an end.
 *
 * @type {(table: Table, roots: readonly number[], splits: number) => number}
 */
function depthOf({ yes, no }, roots, splits) {
  const depths = new Int32Array(yes.length).fill(-1).fill(0, splits);
  const open = -2;
  for (const root of roots) {
    const stack = [root];
    while (stack.length > 0) {
      const at = stack[stack.length - 1];
      const children = [yes[at], no[at]];
      if (depths[at] >= 0) stack.pop();
      else if (children.every((each) => depths[each] >= 0)) {
        depths[at] = 1 + Math.max(...children.map((each) => depths[each]));
        stack.pop();
      } else {
        if (depths[at] === open) fail('ERR_PARSE', 'nodes of a tree lead back to each other');
        depths[at] = open;
        stack.push(...children.filter((each) => depths[each] < 0));
      }
    }
  }
  return roots.reduce((most, root) => Math.max(most, depths[root]), 0);
}

/** @type {(forest: Forest, features: number | string) => void} */
function checkForest({ splits, roots, leaves, targets }, features) {
  const isPlace = (/** @type {number} */ place) =>
    Number.isInteger(place) && place >= -leaves.length && place < splits.length;
  const odd = splits.find(({ yes, no }) => !isPlace(yes) || !isPlace(no));
  if (odd !== undefined || !roots.every(isPlace)) fail('ERR_PARSE', 'a node of a tree leads to one that is not there');
  const width = typeof features === 'number' ? features : Infinity;
  const wide = splits.find(({ feature }) => !Number.isInteger(feature) || feature < 0 || feature >= width);
  if (wide !== undefined) fail('ERR_SHAPE', `a tree asks feature ${wide.feature} of ${features}`);
  const vote = leaves.flat().find(([target]) => !Number.isInteger(target) || target < 0 || target >= targets);
  if (vote !== undefined) fail('ERR_PARSE', `a leaf votes for target ${vote[0]} of ${targets}`);
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
  const { splits, roots } = forest;
  const [rows, features] = x.shape;
  checkForest(forest, features);
  const table = tableOf(forest, x.dtype === 'f64');
  const starts = Int32Array.from(roots, (place) => nodeOf(place, splits.length));
  const depth = depthOf(table, [...starts], splits.length);
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
  const first = column(starts, 'i32').broadcastTo([rows, roots.length]);
  const round = (/** @type {any} */ _, /** @type {any} */ places) => step(places);
  const ends = /** @type {any} */ (depth === 0 ? first : control.forLoop(0, depth, round, first));
  return joinVotes(cx, ends.sub(splits.length), forest, x.dtype);
}

/** What is no vote. @type {Readonly<Record<Forest['aggregate'], number>>} */
const neutral = { SUM: 0, AVERAGE: 0, MIN: Infinity, MAX: -Infinity };

/** @type {(cx: Builder, ends: any, forest: Forest, dtype: 'f32' | 'f64') => any} of the leaves where rows end */
function joinVotes(cx, ends, { leaves, targets, aggregate }, dtype) {
  const none = neutral[aggregate];
  const weights = new (dtype === 'f64' ? Float64Array : Float32Array)(leaves.length * targets).fill(none);
  const combine = { SUM: add, AVERAGE: add, MIN: Math.min, MAX: Math.max }[aggregate];
  leaves.forEach((votes, leaf) => {
    for (const [target, weight] of votes) {
      const at = leaf * targets + target;
      weights[at] = combine(weights[at], weight);
    }
  });
  const table = /** @type {any} */ (cx.constant(wrapOwn(weights, dtype, [leaves.length, targets])));
  const all = table.take(ends, { axis: 0 }); // [rows, trees, targets]
  if (none === 0) return aggregate === 'SUM' ? all.sum({ axis: 1 }) : all.mean({ axis: 1 });
  const joined = aggregate === 'MIN' ? all.reduceMin([1]) : all.reduceMax([1]);
  return joined.eq(none).select(0, joined);
}

/** @type {(a: number, b: number) => number} */
const add = (a, b) => a + b;

module.exports = { forestOf };
