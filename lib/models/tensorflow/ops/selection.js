/**
 * What depends on data in number or order: the greatest, different ones, those that are true, boxes that overlap
 * little.
 */
'use strict';

const { control } = require('../../../trace/control.js');
const { timesSize } = require('../../shared/translations.js');
const { neverEmpty } = require('./indexing.js');

/** @typedef {import('../../shared/builder.js').Builder} Builder */
/** @typedef {import('../../shared/builder.js').Translation} Translation */

/** @type {import('./index.js').Row} */
const topK = {
  outputs: ['values', 'indices'],
  translate: (node, [x, k], cx) => {
    const [count] = k === undefined ? [node.attr('k', 1)] : cx.sizes(k, 'k');
    const { values, indices } = /** @type {any} */ (cx.value(x)).topk(count);
    return [values, indices.astype(node.attr('index_type', 'i32'))];
  },
};

/** Different elements in the order in which they come. @type {import('./index.js').Row} */
const unique = {
  outputs: ['y', 'idx', 'count'],
  translate: (node, [x], cx) => {
    const value = /** @type {any} */ (cx.value(x));
    if (value.rank !== 1) return cx.fail('ERR_UNSUPPORTED', `of a tensor of rank ${value.rank}`);
    const { indices, inverseIndices, counts } = value.uniqueAll();
    const order = indices.argsort();
    const rank = order.argsort();
    const dtype = node.attr('out_idx', 'i32');
    const take = (/** @type {any} */ from, /** @type {any} */ at) => neverEmpty(from, 0, cx).take(at);
    const places = take(rank, inverseIndices).astype(dtype);
    return [take(value, take(indices, order)), places, take(counts, order).astype(dtype)];
  },
};

/** @type {import('./index.js').Row} */
const difference = {
  outputs: ['out', 'idx'],
  translate: (node, [x, y], cx) => {
    const value = /** @type {any} */ (cx.value(x));
    const isOther = value.isin(cx.value(y), { invert: true });
    const places = isOther.flatnonzero();
    return [value.take(places), places.astype(node.attr('out_idx', 'i32'))];
  },
};

/** @type {(side: string) => Translation['translate']} row by row */
const bound = (side) => (node, [sorted, values], cx) => {
  const [rows, wanted] = [/** @type {any} */ (cx.value(sorted)), /** @type {any} */ (cx.value(values))];
  const [edges, each] = [rows.expandDims(-2), wanted.expandDims(-1)];
  const isBefore = side === 'left' ? edges.lt(each) : edges.le(each);
  return isBefore.sum({ axis: -1 }).astype(node.attr('out_type', 'i32'));
};

/** Boxes [n, 4] and scores [n], and the limits. @typedef {{ boxes: any, scores: any, most: number, overlap: any, least: any }} Boxes */

/** @type {(inputs: any[], cx: Builder) => Boxes} */
function boxesOf([boxes, scores, most, overlap, least], cx) {
  const scalar = (/** @type {any} */ operand) => (operand === undefined ? undefined : /** @type {any} */ (cx.value(operand, 'f32')).reshape([]));
  return { boxes: cx.value(boxes), scores: cx.value(scores), most: cx.int(most, 'the number of boxes'), overlap: scalar(overlap), least: scalar(least) };
}

/** Indices of boxes, the best first, and -1 for those that are missing. @type {(given: Boxes) => any} */
function filledUp({ boxes, scores, most, overlap, least }) {
  const [count] = scores.shape;
  const found = boxes.reshape([1, count, 4]).nonMaxSuppression(scores.reshape([1, 1, count]), {
    maxOutputBoxesPerClass: most, iouThreshold: overlap, size: most, fill: -1,
    ...(least === undefined ? {} : { scoreThreshold: least }),
  });
  return found.slice(null, 2).astype('i32');
}

/** As many as there are. The graph knows so how many there are at most. @type {(given: Boxes) => any} */
function suppressed(given) {
  const all = filledUp(given);
  return all.compress(all.ge(0));
}

/** As many as there may be, zeros at the end, and how many there are. @type {(given: Boxes) => [any, any]} */
function withCount(given) {
  const all = filledUp(given);
  return [all.max(0), all.ge(0).sum({ dtype: 'i32' })];
}

/** @type {import('./index.js').Row} */
const padded = {
  outputs: ['selected_indices', 'valid_outputs'],
  translate: (node, inputs, cx) => {
    const given = boxesOf(inputs, cx);
    const [all, count] = withCount(given);
    return [node.attr('pad_to_max_output_size', false) ? all : suppressed(given), count];
  },
};

/** How much boxes overlap with one of them. @type {(boxes: any, box: any) => any} */
function overlapOf(boxes, box) {
  const span = (/** @type {any} */ value, /** @type {number} */ axis) => {
    const [a, b] = [value.take(axis, { axis: value.rank - 1 }), value.take(axis + 2, { axis: value.rank - 1 })];
    return [a.min(b), a.max(b)];
  };
  const [y, x] = [span(boxes, 0), span(boxes, 1)];
  const [v, u] = [span(box, 0), span(box, 1)];
  const common = y[1].min(v[1]).sub(y[0].max(v[0])).max(0).mul(x[1].min(u[1]).sub(x[0].max(u[0])).max(0));
  const [own, other] = [y[1].sub(y[0]).mul(x[1].sub(x[0])), v[1].sub(v[0]).mul(u[1].sub(u[0]))];
  return own.le(0).or(other.le(0)).select(0, common.div(own.add(other).sub(common)));
}

/**
 * Scores of boxes that overlap with a better one are made less, by as much as they overlap (Bodla et al. 2017), until
 * no score is above the limit: indices and scores of the boxes taken, and how many those are.
 *
 * @type {(given: Boxes, sigma: any, cx: Builder) => { indices: any, scores: any, count: any }}
 */
function softened({ boxes, scores, most, overlap, least }, sigma, cx) {
  const places = /** @type {any} */ (cx.iota(scores.shape, 'i32'));
  const begin = { round: cx.constant(0, 'i32'), left: scores, indices: cx.constant(0, 'i32', [most]), taken: cx.constant(0, scores.dtype, [most]) };
  const { round, indices, taken } = control.whileLoop(
    (/** @type {any} */ state) => state.round.lt(most).and(state.left.max().gt(least)),
    (/** @type {any} */ state) => {
      const best = state.left.argmax({ axis: 0 }).astype('i32');
      const rate = overlapOf(boxes, boxes.take(best, { axis: 0 }));
      const weight = rate.le(overlap).select(rate.square().mul(-0.5).div(sigma).exp(), 0);
      const lessened = places.eq(best).select(-Infinity, state.left.mul(weight));
      const at = state.round.reshape([1, 1]);
      return {
        round: state.round.add(1), left: lessened,
        indices: state.indices.scatterNd(at, best.reshape([1])),
        taken: state.taken.scatterNd(at, state.left.max().reshape([1])),
      };
    },
    begin,
  );
  return { indices, scores: taken, count: round };
}

/** @type {import('./index.js').Row} */
const soft = {
  outputs: ['selected_indices', 'selected_scores', 'valid_outputs'],
  translate: (node, [boxes, scores, most, overlap, least, sigma], cx) => {
    const given = boxesOf([boxes, scores, most, overlap, least], cx);
    const isPadded = node.attr('pad_to_max_output_size', false);
    if (cx.number(sigma, 'sigma') === 0) {
      const [padding, count] = withCount(given);
      const all = isPadded ? padding : suppressed(given);
      const own = given.scores.take(all);
      return [all, isPadded ? /** @type {any} */ (cx.iota([given.most], 'i32')).lt(count).select(own, 0) : own, count];
    }
    const taken = softened(given, cx.value(sigma), cx);
    if (isPadded) return [taken.indices, taken.scores, taken.count];
    const isTaken = /** @type {any} */ (cx.iota([given.most], 'i32')).lt(taken.count);
    return [taken.indices.compress(isTaken), taken.scores.compress(isTaken), taken.count];
  },
};

/** Boxes of all classes, [images, boxes, 1 or classes, 4], the best of each image together. @type {import('./index.js').Row} */
const combined = {
  outputs: ['nmsed_boxes', 'nmsed_scores', 'nmsed_classes', 'valid_detections'],
  translate: (node, [boxes, scores, perClass, total, overlap, least], cx) => {
    const [given, own] = [/** @type {any} */ (cx.value(boxes)), /** @type {any} */ (cx.value(scores)).permute([0, 2, 1])];
    const [images, classes, count] = own.shape;
    const places = given.permute([0, 2, 1, 3]).broadcastTo([images, classes, count, 4]);
    const [each, all] = [cx.int(perClass, 'the number of boxes of a class'), cx.int(total, 'the number of boxes')];
    const rows = timesSize(cx, images, classes);
    const found = places.reshape([rows, count, 4]).nonMaxSuppression(own.reshape([rows, 1, count]), {
      maxOutputBoxesPerClass: each, iouThreshold: /** @type {any} */ (cx.value(overlap)).reshape([]),
      scoreThreshold: /** @type {any} */ (cx.value(least)).reshape([]),
    });
    const isTaken = /** @type {any} */ (cx.constant(false, 'bool', [rows, 1, count])).scatterNd(found, cx.constant(true, 'bool', [found.shape[0]]));
    const most = node.attr('pad_per_class', false) ? Math.min(all, each * Number(classes)) : all;
    const flat = timesSize(cx, classes, count);
    const kept = isTaken.reshape([images, flat]).select(own.reshape([images, flat]), -Infinity);
    const longer = kept.pad([[0, 0], [0, most]], { value: -Infinity });
    const { values, indices } = longer.topk(most);
    const isThere = values.gt(-Infinity);
    const at = isThere.select(indices, 0);
    const corners = at.expandDims(-1).broadcastTo([images, most, 4]);
    const picked = places.reshape([images, flat, 4]).takeAlongAxis(corners, { axis: 1 });
    const clipped = node.attr('clip_boxes', true) ? picked.clip(0, 1) : picked;
    const length = cx.value(cx.sizeValue(count), at.dtype);
    return [
      isThere.expandDims(-1).select(clipped, 0), isThere.select(values, 0), isThere.select(at.div(length), 0).astype('f32'),
      isThere.sum({ axis: 1, dtype: 'i32' }),
    ];
  },
};

/** @type {import('./index.js').Table} */
const ops = {
  TopKV2: topK, TopK: topK, Unique: unique, UniqueV2: unique, UniqueWithCounts: unique, ListDiff: difference,
  LowerBound: bound('left'), UpperBound: bound('right'),
  Where: (_, [x], cx) => {
    const value = /** @type {any} */ (cx.value(x));
    return value.argwhere();
  },
  NonMaxSuppression: (_, inputs, cx) => suppressed(boxesOf(inputs, cx)),
  NonMaxSuppressionV2: (_, inputs, cx) => suppressed(boxesOf(inputs, cx)),
  NonMaxSuppressionV3: (_, inputs, cx) => suppressed(boxesOf(inputs, cx)),
  NonMaxSuppressionV4: padded, NonMaxSuppressionV5: soft, CombinedNonMaxSuppression: combined,
};

module.exports = { ops };
