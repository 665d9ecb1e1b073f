/**
 * Running sums and products and their relatives along one axis.
 *
 * `cumulateSum` and its three siblings are the primitives: they keep dtype and shape. `cumulativeSum` and
 * `cumulativeProd` follow the Python array-API standard: those of integers narrower than 64 bits are i64
 * or u64, as for whole sums, and `includeInitial` puts the value of nothing in front. As in ONNX, a running sum can
 * leave out the element of its own place, or begin at the end.
 */
'use strict';

const { boolean, readOptions } = require('../base/check.js');
const { fail } = require('../base/errors.js');
const { append, constantOf, dimsOf } = require('../graph/value.js');
const { dtypeName } = require('../tensor/dtypes.js');
const { readAxis } = require('../tensor/views.js');
const { joins, movement, operandOf } = require('./movement.js');
const { inDType, wide } = require('./reductions.js');

/** @typedef {import('../graph/value.js').Value} Value */

/**
 * The axis that is meant: of a vector the only one, else one that must be given.
 *
 * @type {(axis: unknown, rank: number, caller: string) => number}
 */
function axisOf(axis, rank, caller) {
  if (axis !== undefined || rank === 1) return readAxis(axis ?? 0, rank, caller);
  return fail('ERR_ARGUMENT', `${caller}: expected an axis for a value of rank ${rank}`);
}

/** @type {(op: string, caller: string) => (x: unknown, axis?: unknown) => Value} */
const primitive = (op, caller) => (x, axis) => {
  const { state, value, rank } = operandOf(x, caller);
  return append(state, op, [value], { axis: axisOf(axis, rank, caller) });
};

const given = (/** @type {unknown} */ value) => value;
const known = { axis: given, dtype: dtypeName, includeInitial: boolean, exclusive: boolean, reverse: boolean };

/** @type {(op: string, caller: string, start: number) => (x: unknown, options?: unknown) => Value} */
const accumulation = (op, caller, start) => (x, options) => {
  const { axis, dtype, includeInitial = false, exclusive = false, reverse = false } = readOptions(
    caller, options, known,
  );
  if (includeInitial && exclusive)
    fail('ERR_ARGUMENT', `${caller}: options 'includeInitial' and 'exclusive' do not go together`);
  const { state, value, rank } = operandOf(x, caller);
  const along = axisOf(axis, rank, caller);
  const turned = (/** @type {Value} */ of) => (reverse ? movement.flip(of, along) : of);
  const own = turned(inDType(value, dtype ?? wide(value.dtype)));
  const result = append(state, op, [own], { axis: along });
  if (!includeInitial && !exclusive) return turned(result);
  const dims = dimsOf(result);
  const front = dims.map((dim, i) => (i === along ? 1 : dim));
  const all = joins.concat([constantOf(state, start, result.dtype, 'the initial value', caller, front), result], {
    axis: along,
  });
  if (includeInitial) return turned(all);
  return turned(append(state, 'slice', [all], { shape: dims, start: dims.map(() => 0), stride: dims.map(() => 1) }));
};

/** Every operation here that becomes a method and a function, by name. */
const cumulative = {
  cumulateMax: primitive('cumulate_max', 'cumulateMax'),
  cumulateMin: primitive('cumulate_min', 'cumulateMin'),
  cumulateProd: primitive('cumulate_prod', 'cumulateProd'),
  cumulateSum: primitive('cumulate_sum', 'cumulateSum'),
  cumulativeProd: accumulation('cumulate_prod', 'cumulativeProd', 1),
  cumulativeSum: accumulation('cumulate_sum', 'cumulativeSum', 0),
};

module.exports = { cumulative };
