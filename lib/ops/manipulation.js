/**
 * Operations that rearrange whole tensors, by the names of the array API and of NumPy: rolled, repeated,
 * tiled, split, turned. All are index arithmetic on the primitives of movement.
 *
 * Sizes may be expressions. Where a size must be known when the graph is built, as for the number of
 * values that `unstack` gives, an expression is an error.
 */
'use strict';

const { expected, integer, isOptions, oneOf, readOptions } = require('../base/check.js');
const { fail } = require('../base/errors.js');
const { append, constantOf, dimsOf, isValue, lift, stateOf } = require('../graph/value.js');
const { readAxes, readAxis } = require('../tensor/views.js');
const { rows } = require('./elementwise.js');
const { indexing, sizeValue } = require('./indexing.js');
const { matrices } = require('./matrices.js');
const { allAxes, joins, movement, operandOf, reshapeTo } = require('./movement.js');

/** @typedef {import('../graph/value.js').Value} Value */
/** @typedef {import('../graph/value.js').GraphState} GraphState */

const given = (/** @type {unknown} */ value) => value;

// ----------------------------------------------------------------------------------------- axes

/** @type {(x: unknown) => Value} */
function flatten(x) {
  const { state, value, dims } = operandOf(x, 'flatten');
  return reshapeTo(state, value, [state.product(dims)]);
}

/** @type {(x: unknown, from: unknown, to: unknown) => Value} */
function moveaxis(x, from, to) {
  const { value, rank } = operandOf(x, 'moveaxis');
  const [taken, places] = [readAxes(from, rank, 'moveaxis'), readAxes(to, rank, 'moveaxis')];
  if (taken.length !== places.length) {
    fail('ERR_SHAPE', `moveaxis: ${taken.length} axes to take, but ${places.length} places to put them`);
  }
  const others = allAxes(rank).filter((axis) => !taken.includes(axis));
  const order = allAxes(rank).map((place) => {
    const at = places.indexOf(place);
    return at < 0 ? /** @type {number} */ (others.shift()) : taken[at];
  });
  return movement.transpose(value, order);
}

/** @type {(x: unknown, first: unknown, second: unknown) => Value} */
function swapaxes(x, first, second) {
  const { value, rank } = operandOf(x, 'swapaxes');
  const [a, b] = [readAxis(first, rank, 'swapaxes'), readAxis(second, rank, 'swapaxes')];
  return movement.transpose(value, allAxes(rank).with(a, b).with(b, a));
}

/**
 * Where NumPy puts the new axes: in front, but the third of a matrix or vector behind.
 *
 * @type {(least: number, caller: string) => (x: unknown) => Value}
 */
const atLeast = (least, caller) => (x) => {
  const { state, value, dims, rank } = operandOf(x, caller);
  if (rank >= least) return value;
  if (least === 3 && rank > 0) return reshapeTo(state, value, rank === 1 ? [1, dims[0], 1] : [...dims, 1]);
  return reshapeTo(state, value, [...new Array(least - rank).fill(1), ...dims]);
};

/** @type {(x: unknown, options?: unknown) => Value} */
function rot90(x, options) {
  const { k = 1, axes = [0, 1] } = readOptions('rot90', options, { k: integer(), axes: given });
  const { value, rank } = operandOf(x, 'rot90');
  const plane = readAxes(axes, rank, 'rot90');
  if (plane.length !== 2) return expected('rot90', 'two axes', "option 'axes'", axes);
  const [first, second] = plane;
  const turns = ((k % 4) + 4) % 4;
  if (turns === 0) return value;
  if (turns === 2) return movement.flip(value, plane);
  const turned = turns === 1 ? movement.flip(value, second) : value;
  const swapped = swapaxes(turned, first, second);
  return turns === 1 ? swapped : movement.flip(swapped, second);
}

// ---------------------------------------------------------------------------- rolled and repeated

/** @type {(value: Value, shift: number, axis: number) => Value} */
function rolledAlong(value, shift, axis) {
  const state = stateOf(value);
  const size = dimsOf(value)[axis];
  const rest = dimsOf(value).map(() => /** @type {null | unknown[]} */ (null));
  if (size >= 0) {
    const by = size === 0 ? 0 : ((shift % size) + size) % size;
    if (by === 0) return value;
    const back = movement.slice(value, ...rest.with(axis, [size - by, null]));
    return joins.concat([back, movement.slice(value, ...rest.with(axis, [0, size - by]))], { axis });
  }
  const all = sizeValue(state, size, 'i64', 'roll');
  const places = append(state, 'iota', [], { dtype: 'i64', shape: [size], axis: 0 });
  const from = rows.rem(
    rows.sub(places, rows.rem(constantOf(state, BigInt(shift), 'i64', 'the shift', 'roll'), all)),
    all,
  );
  return indexing.take(value, from, { axis });
}

/** @type {(x: unknown, shift: unknown, options?: unknown) => Value} */
function roll(x, shift, options) {
  const { axis } = readOptions('roll', options, { axis: given });
  const { state, value, dims, rank } = operandOf(x, 'roll');
  const shifts = (Array.isArray(shift) ? shift : [shift]).map((each) => integer()(each, 'the shift', 'roll'));
  if (axis === undefined) {
    if (shifts.length !== 1) expected('roll', 'one shift where there is no axis', 'the shift', shift);
    return reshapeTo(state, rolledAlong(flatten(value), shifts[0], 0), [...dims]);
  }
  const axes = Array.from(Array.isArray(axis) ? axis : [axis], (each) => readAxis(each, rank, 'roll'));
  if (axes.length !== shifts.length && shifts.length !== 1) {
    fail('ERR_SHAPE', `roll: ${shifts.length} shifts for ${axes.length} axes`);
  }
  return axes.reduce((rolled, each, i) => rolledAlong(rolled, shifts[shifts.length === 1 ? 0 : i], each), value);
}

/** @type {(x: unknown, count: unknown, options?: unknown) => Value} */
function repeat(x, count, options) {
  const { axis } = readOptions('repeat', options, { axis: given });
  const { state, value, rank } = operandOf(x, 'repeat');
  const flat = axis === undefined && rank !== 1 ? flatten(value) : value;
  const along = axis === undefined ? 0 : readAxis(axis, rank, 'repeat');
  const times = state.dim(count, 'the number of repeats', 'repeat');
  const dims = dimsOf(flat);
  const apart = dims.toSpliced(along + 1, 0, times);
  const axes = dims.map((_, i) => (i > along ? i + 1 : i));
  const beside = append(state, 'broadcast', [flat], { shape: apart, axes });
  return reshapeTo(state, beside, dims.with(along, state.mul(dims[along], times)));
}

/** @type {(x: unknown, counts: unknown) => Value} */
function tile(x, counts) {
  const { state, value, dims } = operandOf(x, 'tile');
  const list = (Array.isArray(counts) ? counts : [counts]).map((each) =>
    state.dim(each, 'the number of tiles', 'tile'),
  );
  const rank = Math.max(list.length, dims.length);
  const own = [...new Array(rank - dims.length).fill(1), ...dims];
  const times = [...new Array(rank - list.length).fill(1), ...list];
  return own.reduce(
    (tiled, size, axis) => {
      if (times[axis] === 1) return tiled;
      const before = dimsOf(tiled);
      const apart = before.toSpliced(axis, 0, times[axis]);
      const axes = before.map((_, i) => (i < axis ? i : i + 1));
      const beside = append(state, 'broadcast', [tiled], { shape: apart, axes });
      return reshapeTo(state, beside, before.with(axis, state.mul(size, times[axis])));
    },
    reshapeTo(state, value, own),
  );
}

// -------------------------------------------------------------------------------- apart, together

/** @type {(x: unknown, options?: unknown) => Value[]} */
function unstack(x, options) {
  const { axis = 0 } = readOptions('unstack', options, { axis: given });
  const { state, value, dims, rank } = operandOf(x, 'unstack');
  const along = readAxis(axis, rank, 'unstack');
  if (dims[along] < 0)
    fail('ERR_SHAPE', `unstack: axis ${along} has size ${state.text(dims[along])}, which is not a number`);
  const all = dims.map(() => /** @type {null | number} */ (null));
  return Array.from({ length: dims[along] }, (_, i) => movement.slice(value, ...all.with(along, i)));
}

/** @type {(x: unknown, sections: unknown, options?: unknown) => Value[]} */
function split(x, sections, options) {
  const { axis = 0 } = readOptions('split', options, { axis: given });
  const { state, value, dims, rank } = operandOf(x, 'split');
  const along = readAxis(axis, rank, 'split');
  const all = dims.map(() => /** @type {null | unknown[]} */ (null));
  if (Array.isArray(sections)) {
    const bounds = [0, ...sections.map((each) => integer()(each, 'a place to split at', 'split')), null];
    return bounds.slice(1).map((stop, i) => movement.slice(value, ...all.with(along, [bounds[i], stop])));
  }
  const count = integer(1)(sections, 'the number of sections', 'split');
  const size = dims[along];
  if (size >= 0 && size % count !== 0) {
    fail('ERR_SHAPE', `split: axis ${along} has size ${size}, which is not divisible into ${count} sections`);
  }
  const part = state.floorDiv(size, count); // a run whose size is not divisible is refused
  const apart = reshapeTo(state, value, dims.toSpliced(along, 1, count, part));
  return unstack(apart, { axis: along });
}

/** @type {(list: unknown, options?: unknown) => Value[]} */
function meshgrid(list, options) {
  const { indexing: order = 'xy' } = readOptions('meshgrid', options, { indexing: oneOf(['xy', 'ij']) });
  if (!Array.isArray(list) || list.length === 0)
    return expected('meshgrid', 'an array of Values', 'the operands', list);
  const { values } = lift(list, 'meshgrid');
  const lines = values.map((value) => (value.rank === 1 ? value : flatten(value)));
  const sizes = lines.map((line) => dimsOf(line)[0]);
  const turned = order === 'xy' && sizes.length > 1;
  const shape = turned ? [sizes[1], sizes[0], ...sizes.slice(2)] : sizes;
  return lines.map((line, i) => {
    const axis = turned && i < 2 ? 1 - i : i;
    return append(stateOf(line), 'broadcast', [line], { shape, axes: [axis] });
  });
}

/**
 * As a method, `x.meshgrid(others)` begins with x.
 *
 * @type {(x: unknown, others: unknown, options?: unknown) => Value[]}
 */
function meshgridMethod(x, others, options) {
  if (isOptions(others) || others === undefined) return meshgrid([x], others);
  if (isValue(others)) return meshgrid([x, others], options);
  if (!Array.isArray(others)) return expected('meshgrid', 'an array of Values', 'the other operands', others);
  return meshgrid([x, ...others], options);
}

// ------------------------------------------------------------------------------------- diagonals

/** @type {(x: unknown, options?: unknown) => Value} */
function diag(x, options) {
  const { offset = 0 } = readOptions('diag', options, { offset: integer() });
  const { state, value, dims, rank } = operandOf(x, 'diag');
  if (rank === 2) return matrices.diagonal(value, { offset });
  if (rank !== 1) return fail('ERR_SHAPE', `diag: expected a vector or a matrix, got rank ${rank}`);
  const size = state.add(dims[0], Math.abs(offset));
  const padded = movement.pad(value, [[Math.max(offset, 0), Math.max(-offset, 0)]]);
  /** @type {(axis: number) => Value} */
  const places = (axis) => append(state, 'iota', [], { dtype: 'i64', shape: [size, size], axis });
  const on = rows.eq(rows.add(places(0), offset), places(1));
  return rows.select(on, padded, constantOf(state, 0, value.dtype, 'zero', 'diag'));
}

/** Every operation here that becomes a method and a function, by name. */
const manipulation = {
  atleast1d: atLeast(1, 'atleast1d'),
  atleast2d: atLeast(2, 'atleast2d'),
  atleast3d: atLeast(3, 'atleast3d'),
  diag,
  flatten,
  moveaxis,
  ravel: flatten,
  repeat,
  roll,
  rot90,
  split,
  swapaxes,
  tile,
  unstack,
};

/** A function of a list, and its method. */
const grids = { meshgrid };
const gridMethods = { meshgrid: meshgridMethod };

module.exports = { gridMethods, grids, manipulation };
