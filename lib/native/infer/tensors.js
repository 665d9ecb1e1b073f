/**
 * Tensors as arguments: elements in memory, and a size and a stride for each axis.
 *
 * `a.at(i, j)` and `a.set([i, j], x)` mean what the methods of Tensor do: negative indices count from the end, and an
 * index out of range throws, unless `bounds: 'unchecked'`. Tensors are not made here, and views of them are not taken.
 */
'use strict';

const N = require('./number-types.js');
const M = require('../tir/machine.js');
const V = require('./values.js');
const O = require('./operators.js');
const E = require('./environment.js');
const memory = require('./memory.js');
const { toNumber } = require('./conversions.js');
const { refuse } = require('../source/frame.js');

/** @typedef {import('../hir/index.js').Place} Place */
/** @typedef {import('../tir/index.js').Expression} Expression */
/** @typedef {import('./values.js').TensorValue} TensorValue */
/** @typedef {import('./values.js').Value} Value */
/** @typedef {import('./walk.js').Walk} Walk */

/** @type {(walk: Walk, name: string, type: import('../source/types.js').TensorType) => Value} */
function param(walk, name, { dtype, rank }) {
  const element = /** @type {string} */ (dtype) === 'bool' ? 'u8' : dtype;
  const array = walk.inputs.array(name, element, false, false, null);
  const sizes = Array.from({ length: rank }, (_, i) => walk.inputs.scalar(`${name}_size${i}`, 'i64'));
  const strides = Array.from({ length: rank }, (_, i) => walk.inputs.scalar(`${name}_stride${i}`, 'i64'));
  return { kind: 'tensor', ref: array.ref, sizes, strides };
}

/** @type {(size: Expression) => import('./values.js').NumberValue} */
function sizeValue(size) {
  return new V.NumberValue(N.integer(0, memory.MOST_LENGTH), size);
}

/** @type {(walk: Walk, tensor: TensorValue, name: string, place: Place) => Value} */
function field(walk, tensor, name, place) {
  switch (name) {
    case 'rank':
      return V.numberConstant(tensor.sizes.length);
    case 'size':
      return tensor.sizes.map(sizeValue).reduce((a, b) => O.arithmetic('mul', a, b), V.numberConstant(1));
    case 'length':
      return V.UNDEFINED;
    case 'shape':
    case 'strides': {
      const made = walk.objects.make(
        name,
        tensor.sizes.map((_, i) => String(i)),
        true,
        null,
      );
      const values =
        name === 'shape'
          ? tensor.sizes.map(sizeValue)
          : tensor.strides.map((s) => new V.NumberValue(N.integer(-N.LIMIT, N.LIMIT), s));
      [...made.fields.values()].forEach((own, i) => E.setVariable(walk, own, values[i]));
      return made;
    }
    default:
      return refuse(place, `.${name} of a Tensor is not supported here`, 'use .at, .set, .shape, .size and .rank');
  }
}

/**
 * An index from 0 to its size.
 *
 * @type {(walk: Walk, tensor: TensorValue, axis: number, value: Value, place: Place) => Expression}
 */
function indexOf(walk, tensor, axis, value, place) {
  const number = toNumber(value, place);
  const size = tensor.sizes[axis];
  const unchecked = walk.options.bounds === 'unchecked';
  if (!N.isIntegerOrNegativeZero(number.type)) {
    const x = walk.settle(O.asDouble(number), 'index');
    const at = walk.settle({ op: 'convert', type: 'i64', args: [x] }, 'index');
    if (!unchecked)
      walk.throwUnless(
        M.binary('eq', M.convert(at, 'f64'), x),
        place,
        'RangeError',
        ['index ', null, ` of axis ${axis} is not an integer`],
        [x],
      );
    return inRange(walk, at, size, axis, true, place, unchecked);
  }
  const at = walk.settle(O.asInteger(number), 'index');
  const isBelow = size.op === 'local' && !!number.type.below?.has(size.local);
  if (number.type.lo >= 0 && isBelow) return at;
  return inRange(walk, at, size, axis, number.type.lo < 0, place, unchecked);
}

/** @type {(walk: Walk, at: Expression, size: Expression, axis: number, mayBeNegative: boolean, place: Place, unchecked: boolean) => Expression} */
function inRange(walk, at, size, axis, mayBeNegative, place, unchecked) {
  const from = mayBeNegative
    ? walk.settle(M.select(M.binary('lt', at, M.constant('i64', 0)), M.binary('add', at, size), at), 'index')
    : at;
  if (unchecked) return from;
  const within = M.and(M.binary('ge', from, M.constant('i64', 0)), M.binary('lt', from, size));
  walk.throwUnless(
    within,
    place,
    'RangeError',
    ['index ', null, ` of axis ${axis} is out of range: its size is `, null],
    [at, size],
  );
  return from;
}

/** @type {(walk: Walk, tensor: TensorValue, indices: Value[], place: Place) => Expression} */
function position(walk, tensor, indices, place) {
  if (indices.length !== tensor.sizes.length)
    return refuse(place, `${indices.length} indices for a Tensor of rank ${tensor.sizes.length}`, '');
  return indices
    .map((v, axis) => M.binary('mul', indexOf(walk, tensor, axis, v, place), tensor.strides[axis]))
    .reduce((a, b) => M.binary('add', a, b), M.constant('i64', 0));
}

/** @type {(tensor: TensorValue) => any} its elements, of which every position computed here is one */
function elements(tensor) {
  return { kind: 'array', ref: tensor.ref, isList: false, site: null };
}

/** @type {(walk: Walk, tensor: TensorValue, indices: Value[], place: Place) => Value} */
function read(walk, tensor, indices, place) {
  const where = position(walk, tensor, indices, place);
  return memory.loadKnown(elements(tensor), where, place);
}

/** @type {(walk: Walk, tensor: TensorValue, name: string, args: Value[], place: Place) => Value} */
function method(walk, tensor, name, args, place) {
  if (name === 'at') return read(walk, tensor, args, place);
  if (name === 'item')
    return read(
      walk,
      tensor,
      tensor.sizes.map(() => V.numberConstant(0)),
      place,
    );
  if (name !== 'set')
    return refuse(place, `.${name} of a Tensor is not supported here`, 'use .at, .set, .shape, .size and .rank');
  const [indices, value] = args;
  if (indices?.kind !== 'object' || !indices.isTuple)
    return refuse(place, 'the indices of .set must be an array', 'write a.set([i, j], x)');
  const where = position(walk, tensor, E.heldBy(walk, indices), place);
  memory.storeKnown(walk, elements(tensor), where, value ?? V.UNDEFINED, place);
  return tensor;
}

module.exports = { field, method, param, read };
