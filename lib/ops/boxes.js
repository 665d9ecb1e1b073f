/**
 * Choosing among boxes that overlap: greedy suppression of all but the best.
 *
 * In each round every class of every image takes the best box that is left, and drops those that overlap it too much;
 * the rounds are as many as the class with the most boxes takes. A round goes over all boxes, so many boxes of which
 * few are wanted cost less than a sort and a comparison of all pairs would. How many boxes are chosen depends on data:
 * the rows are selected as by a mask, so option `size` gives as many as are wanted whatever data says.
 *
 * Boxes and the order of the result are those of ONNX's NonMaxSuppression. NaN and -Infinity are no scores: such
 * boxes are never taken.
 */
'use strict';

const { boolean, expected, integer, readOptions } = require('../base/check.js');
const { fail } = require('../base/errors.js');
const { append, constantOf, dimsOf, isValue, lift, stateOf } = require('../graph/value.js');
const { dtypes } = require('../tensor/dtypes.js');
const { flattened, numbers, selectRows, selection } = require('./boolean-indexing.js');
const { elementwise, rows } = require('./elementwise.js');
const { sizeValue } = require('./indexing.js');
const { joins, movement } = require('./movement.js');
const { reductions } = require('./reductions.js');

/** @typedef {import('../graph/value.js').Value} Value */
/** @typedef {import('../graph/value.js').GraphState} GraphState */

/** Loaded late: trace/control.js needs the operations. @type {() => typeof import('../trace/control.js').control} */
const control = () => require('../trace/control.js').control;

/** A number or a scalar Value. @type {import('../base/check.js').Getter<number | Value>} */
function scalarOf(value, which, caller) {
  if (isValue(value) ? value.rank === 0 : typeof value === 'number') return /** @type {number | Value} */ (value);
  return expected(caller, 'a number or a scalar Value', which, value);
}

/** @type {import('../base/check.js').Getter<number | Value>} */
const countOf = (value, which, caller) =>
  isValue(value) ? scalarOf(value, which, caller) : integer(0)(value, which, caller);

/** @typedef {{ low: Value, high: Value }} Span */

/**
 * Where boxes begin and end along both axes, [images, 1, boxes] each.
 *
 * @type {(boxes: Value, isCentered: boolean) => Span[]}
 */
function spansOf(boxes, isCentered) {
  const [a, b, c, d] = [0, 1, 2, 3].map((i) => movement.expandDims(movement.slice(boxes, null, null, i), 1));
  return [
    [a, c],
    [b, d],
  ].map(([first, second]) => {
    if (!isCentered) return { low: rows.min(first, second), high: rows.max(first, second) };
    const half = rows.mul(second, 0.5);
    return { low: rows.sub(first, half), high: rows.add(first, half) };
  });
}

/** The product of what is along both axes. @type {(spans: readonly Span[]) => Value} */
const areaOf = ([y, x]) => rows.mul(rows.sub(y.high, y.low), rows.sub(x.high, x.low));

/**
 * Whether boxes overlap by more than a part of what both cover.
 *
 * @type {(spans: readonly Span[], others: readonly Span[], threshold: number | Value) => Value}
 */
function overlaps(spans, others, threshold) {
  const both = spans.map(({ low, high }, i) => ({
    low: rows.max(low, others[i].low),
    high: rows.min(high, others[i].high),
  }));
  const touch = both.map(({ low, high }) => rows.gt(high, low)).reduce((all, own) => rows.and(all, own));
  const common = areaOf(both);
  const areas = [areaOf(spans), areaOf(others)];
  const solid = areas.map((area) => rows.gt(area, 0)).reduce((all, own) => rows.and(all, own));
  const whole = rows.sub(rows.add(areas[0], areas[1]), common);
  const isMore = rows.gt(rows.div(common, whole), threshold);
  return rows.and(rows.and(touch, solid), isMore);
}

/**
 * What is known of one element along the last axis, which a mask picks.
 *
 * @type {(value: Value, picked: Value) => Value}
 */
const only = (value, picked) => reductions.sum(rows.select(picked, value, 0), { axis: -1, keepDims: true });

/**
 * The round in which each box was taken, [images, classes, boxes], and for the rest the number of boxes.
 *
 * @param {Value} scores
 * @param {readonly Span[]} spans
 * @param {Value} count boxes
 * @param {{ most?: number | Value, overlap: number | Value, least?: number | Value }} limits
 * @returns {Value}
 */
function roundsOf(scores, spans, count, { most, overlap, least }) {
  const state = stateOf(scores);
  const shape = [...dimsOf(scores)];
  const place = numbers(state, shape, 2, 'i64');
  const isScore = rows.gt(scores, -Infinity);
  const begin = {
    round: constantOf(state, 0, 'i64', 'the first round', 'nonMaxSuppression'),
    left: least === undefined ? isScore : rows.and(isScore, rows.gt(scores, least)),
    taken: append(state, 'broadcast', [count], { shape, axes: [] }),
  };
  const last = most === undefined ? count : rows.min(count, isValue(most) ? elementwise.convert(most, 'i64') : most);
  const { taken } = control().whileLoop(
    (/** @type {typeof begin} */ { round, left }) => rows.and(rows.lt(round, last), reductions.any(left)),
    (/** @type {typeof begin} */ { round, left, taken: before }) => {
      const best = reductions.argmax(rows.select(left, scores, -Infinity), { axis: 2, keepDims: true });
      const picked = rows.and(rows.eq(place, best), left);
      const own = spans.map(({ low, high }) => ({ low: only(low, picked), high: only(high, picked) }));
      const gone = rows.or(picked, overlaps(spans, own, overlap));
      return {
        round: rows.add(round, 1),
        left: rows.and(left, rows.not(gone)),
        taken: rows.select(picked, round, before),
      };
    },
    begin,
  );
  return taken;
}

const known = {
  maxOutputBoxesPerClass: countOf,
  iouThreshold: scalarOf,
  scoreThreshold: scalarOf,
  centerPointBox: boolean,
  ...selection,
};

/** @type {(boxes: unknown, scores: unknown, options?: unknown) => Value} */
function nonMaxSuppression(boxes, scores, options) {
  const caller = 'nonMaxSuppression';
  const {
    maxOutputBoxesPerClass: most, iouThreshold: overlap = 0, scoreThreshold: least, centerPointBox = false, ...which
  } = readOptions(caller, options, known);
  const { state, values } = lift([boxes, scores], caller, 0, (i) => ['the boxes', 'the scores'][i]);
  const [places, own] = values.map(dimsOf);
  if (values.some(({ dtype }) => dtypes[dtype].kind !== 'float'))
    expected(caller, 'floats', 'boxes and scores', values.map(({ dtype }) => dtype).join(' and '), 'ERR_DTYPE');
  const fits = places.length === 3 && own.length === 3 && places[0] === own[0] && places[1] === own[2];
  if (!fits || places[2] !== 4) {
    const texts = [places, own].map((dims) => state.shapeText(dims));
    fail('ERR_SHAPE', `${caller}: expected boxes [n, b, 4] and scores [n, c, b], got ${texts.join(' and ')}`);
  }
  const count = sizeValue(state, places[1], 'i64', caller);
  const taken = roundsOf(values[1], spansOf(values[0], centerPointBox), count, { most, overlap, least });
  const first = append(state, 'sort', [taken, numbers(state, own, 2, 'i64')], { axis: 2, keys: 1, descending: 0 });
  const box = append(state, 'result', [first], { index: 1 });
  const columns = [numbers(state, own, 0, 'i64'), numbers(state, own, 1, 'i64'), box].map((each) => flattened(each));
  return joins.stack(selectRows(flattened(rows.lt(first, count)), columns, which, caller), { axis: 1 });
}

/** Every operation here that becomes a method and a function, by name. */
const boxes = { nonMaxSuppression };

module.exports = { boxes };
