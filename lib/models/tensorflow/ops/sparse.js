/**
 * Sparse tensors, as indices, values and a shape, and ragged ones, as values and where their rows begin.
 *
 * How long rows of ragged tensors are is asked of a run where it is not known: shapes of results follow from it.
 */
'use strict';

const { Known } = require('../../shared/operands.js');
const { listLength } = require('../../shared/translations.js');
const { joins } = require('../../../ops/movement.js');
const { asTensor } = require('../../../tensor/create.js');
const { neverEmpty } = require('./indexing.js');

/** @typedef {import('../../shared/builder.js').Builder} Builder */
/** @typedef {import('../../shared/builder.js').Translation} Translation */

/** @type {(list: readonly number[], dtype?: 'i32' | 'i64') => Known} */
const vector = (list, dtype = 'i64') =>
  Known.of(asTensor(dtype === 'i64' ? BigInt64Array.from(list, BigInt) : Int32Array.from(list), { dtype }));

/** @type {(shape: readonly number[]) => number[]} how far apart neighbours along each axis are */
const stridesOf = (shape) => shape.map((_, axis) => shape.slice(axis + 1).reduce((total, size) => total * size, 1));

/** The same elements in another shape. @type {Translation['translate']} */
function reshape(_, [indices, from, to], cx) {
  const own = cx.ints(from, 'the shape');
  const given = cx.ints(to, 'the new shape');
  const total = own.reduce((product, size) => product * size, 1);
  const known = given.reduce((product, size) => (size < 0 ? product : product * size), 1);
  const shape = given.map((size) => (size < 0 ? total / known : size));
  if (!shape.every((size) => Number.isSafeInteger(size) && size >= 0)) return cx.fail('ERR_SHAPE', `shape [${own}] does not become [${given}]`);
  const value = /** @type {any} */ (cx.value(indices));
  const place = value.mul(cx.value(vector(stridesOf(own)))).sum({ axis: 1 });
  const lengths = shape.map((size) => BigInt(Math.max(size, 1)));
  const columns = stridesOf(shape).map((stride, axis) => place.div(BigInt(Math.max(stride, 1))).rem(lengths[axis]));
  return [joins.stack(columns, { axis: 1 }), vector(shape)];
}

/** @type {(name: string) => Translation['translate']} of rows that are picked, consecutive segments */
const segments = (name) => (_, [x, indices, ids], cx) => {
  const value = /** @type {any} */ (cx.value(x));
  const list = cx.ints(ids, 'segments');
  const count = list.length === 0 ? 0 : list[list.length - 1] + 1;
  const result = value.take(cx.value(indices), { axis: 0 })[name](cx.value(ids), count);
  // the mean of nothing is 0 here
  return /^[bf]/.test(value.dtype) ? result.nanToNum() : result.astype(value.dtype);
};

/** A value for each row that has none, in the order of rows. @type {import('./index.js').Row} */
const fillEmptyRows = {
  translate: (_, [indices, values, shape, initial], cx) => {
    const [places, own] = [/** @type {any} */ (cx.value(indices)), /** @type {any} */ (cx.value(values))];
    const [rows, ...others] = cx.ints(shape, 'the shape');
    const row = places.take(0, { axis: 1 });
    const isEmpty = row.oneHot(rows, { dtype: 'i32' }).sum({ axis: 0, dtype: 'i32' }).eq(0);
    const empty = isEmpty.flatnonzero();
    const added = joins.stack([empty, ...others.map(() => empty.mul(0n))], { axis: 1 });
    const fill = /** @type {any} */ (cx.value(initial)).reshape([1]).broadcastTo([empty.shape[0]]);
    const [allPlaces, allValues] = [places.concat([added]), own.concat([fill])];
    const order = allPlaces.take(0, { axis: 1 }).argsort();
    const back = order.argsort();
    const take = (/** @type {any} */ from) => neverEmpty(from, 0, cx).take(order, { axis: 0 });
    return [take(allPlaces), take(allValues), isEmpty, back.slice([0, own.shape[0]])];
  },
  outputs: ['output_indices', 'output_values', 'empty_row_indicator', 'reverse_index_map'],
};

// ----------------------------------------------------------------------------------------- ragged

/** @type {(splits: readonly number[]) => number[]} */
const lengthsOf = (splits) => splits.slice(1).map((end, i) => end - splits[i]);

/** Refuses rows that no file has. @type {(lengths: readonly number[], cx: Builder) => void} */
function checkLengths(lengths, cx) {
  let total = 0;
  for (const length of lengths) total += listLength(length, 'a row', cx);
  listLength(total, 'the rows', cx);
}

/** @type {(lengths: readonly number[]) => number[]} */
const splitsOf = (lengths) => {
  let at = 0;
  return [0, ...lengths.map((length) => (at += length))];
};

/** @type {import('./index.js').Row} */
const ragged = {
  translate: (node, inputs, cx) => {
    if (inputs.length !== 3) cx.fail('ERR_PARSE', `there are ${inputs.length} inputs, expected 3`);
    const [starts, limits, deltas] = inputs.map((each) => cx.numbers(each, 'an end of a range'));
    const count = Math.max(starts.length, limits.length, deltas.length);
    const at = (/** @type {number[]} */ list, /** @type {number} */ i) => list[list.length === 1 ? 0 : i];
    let total = 0;
    const ranges = Array.from({ length: count }, (_, i) => {
      const [from, by] = [at(starts, i), at(deltas, i)];
      if (by === 0) return cx.fail('ERR_ARGUMENT', 'a step is 0');
      const length = Math.max(Math.ceil((at(limits, i) - from) / by), 0);
      total = listLength(total + length, 'the ranges', cx);
      return Array.from({ length }, (__, k) => from + k * by);
    });
    const dtype = cx.dtype(inputs[0]);
    const all = ranges.flat();
    const values = Known.of(asTensor(/** @type {any} */ (dtype === 'i64' ? all.map(BigInt) : all), { dtype }));
    return [vector(splitsOf(ranges.map((range) => range.length)), node.attr('Tsplits', 'i64')), values];
  },
  outputs: ['rt_nested_splits', 'rt_dense_values'],
};

/** Rows of a ragged tensor. @type {import('./index.js').Row} */
const gather = {
  translate: (node, inputs, cx) => {
    const levels = node.attr('PARAMS_RAGGED_RANK', 1);
    const dense = inputs[levels];
    let rows = cx.ints(inputs[levels + 1], 'the rows');
    if (cx.shape(inputs[levels + 1]).length !== 1) return cx.fail('ERR_UNSUPPORTED', 'rows are picked by a tensor that is no vector');
    const splits = inputs.slice(0, levels).map((each) => {
      const own = cx.ints(each, 'where rows begin');
      const picked = rows.map((row) => (row >= 0 && row < own.length - 1 ? row : cx.fail('ERR_ARGUMENT', `row ${row} of ${own.length - 1}`)));
      const lengths = picked.map((row) => own[row + 1] - own[row]);
      checkLengths(lengths, cx);
      rows = picked.flatMap((row) => Array.from({ length: own[row + 1] - own[row] }, (_, i) => own[row] + i));
      return vector(splitsOf(lengths), node.attr('Tsplits', 'i64'));
    });
    return [...splits, /** @type {any} */ (cx.value(dense)).take(cx.value(vector(rows)), { axis: 0 })];
  },
  outputs: ['output_nested_splits', 'output_dense_values'],
};

/** Lengths of the rows of each level. @type {(types: readonly string[], partitions: readonly any[], cx: Builder) => number[][]} */
function levelsOf(types, partitions, cx) {
  /** @type {number[][]} */
  const levels = [];
  let count = 0;
  types.forEach((type, i) => {
    const list = cx.ints(partitions[i], 'where rows begin');
    if (type === 'FIRST_DIM_SIZE') [count] = list;
    else {
      const lengths = type === 'ROW_SPLITS' ? lengthsOf(list) : Array.from({ length: listLength(count, 'a level', cx) }, () => 0);
      if (type !== 'ROW_SPLITS') for (const row of list) lengths[row]++;
      checkLengths(lengths, cx);
      levels.push(lengths);
      count = lengths.reduce((total, length) => total + length, 0);
    }
  });
  return levels;
}

/** Rows filled up to one length. @type {Translation['translate']} */
function toDense(node, [shape, values, initial, ...partitions], cx) {
  const levels = levelsOf(node.attr('row_partition_types', []), partitions, cx);
  if (levels.length === 0) cx.fail('ERR_PARSE', 'nothing says where rows begin');
  const value = /** @type {any} */ (cx.value(values));
  const inner = value.shape.slice(1);
  /** @type {number[][]} */
  let places = Array.from({ length: levels[0].length }, (_, i) => [i]);
  for (const lengths of levels) {
    const before = places;
    places = lengths.flatMap((length, row) => Array.from({ length }, (_, i) => [...before[row], i]));
  }
  const wanted = cx.ints(shape, 'the shape');
  const longest = (/** @type {number[]} */ lengths) => lengths.reduce((most, length) => Math.max(most, length), 0);
  const own = [levels[0].length, ...levels.map(longest)];
  const outer = own.map((size, axis) => (wanted.length > 1 && wanted[axis] >= 0 ? wanted[axis] : size));
  const kept = places.flatMap((place, i) => (place.every((at, axis) => at < outer[axis]) ? [i] : []));
  const fill = /** @type {any} */ (cx.value(initial)).broadcastTo([...outer, ...inner]);
  if (kept.length === 0) return fill;
  const indices = cx.constant(asTensor(kept.map((i) => places[i].map(BigInt)), { dtype: 'i64' }));
  const rows = kept.length === places.length ? value : value.take(cx.value(vector(kept)), { axis: 0 });
  return fill.scatterNd(indices, rows);
}

/** @type {import('./index.js').Table} */
const ops = {
  SparseReshape: { translate: reshape, outputs: ['output_indices', 'output_shape'] },
  SparseSegmentSum: segments('segmentSum'), SparseSegmentMean: segments('segmentMean'), SparseFillEmptyRows: fillEmptyRows,
  RaggedRange: ragged, RaggedGather: gather, RaggedTensorToTensor: toDense,
};

module.exports = { ops };
