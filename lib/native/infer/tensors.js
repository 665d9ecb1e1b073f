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
const X = require('./expressions.js');
const memory = require('./memory.js');
const { refuse } = require('../source/frame.js');

/** @typedef {import('./values.js').Value} Value */
/** @typedef {import('./values.js').TensorValue} TensorValue */
/** @typedef {import('../tir/index.js').Expression} Expression */

/** @type {(c: any, name: string, type: import('../source/types.js').TensorType) => Value} */
function param(c, name, { dtype, rank }) {
  const element = /** @type {string} */ (dtype) === 'bool' ? 'u8' : dtype;
  const array = c.outside.array(name, element, false, false, null);
  const sizes = Array.from({ length: rank }, (_, i) => c.outside.scalar(`${name}_size${i}`, 'i64'));
  const strides = Array.from({ length: rank }, (_, i) => c.outside.scalar(`${name}_stride${i}`, 'i64'));
  return { kind: 'tensor', ref: array.ref, sizes, strides };
}

/** @type {(size: Expression) => import('./values.js').NumberValue} */
function sizeValue(size) {
  return new V.NumberValue(N.whole(0, memory.MOST_LENGTH), size);
}

/** @type {(c: any, tensor: TensorValue, name: string, place: any) => Value} */
function field(c, tensor, name, place) {
  switch (name) {
    case 'rank':
      return V.numberConstant(tensor.sizes.length);
    case 'size':
      return tensor.sizes.map(sizeValue).reduce((a, b) => O.arithmetic('mul', a, b), V.numberConstant(1));
    case 'length':
      return V.UNDEFINED;
    case 'shape':
    case 'strides': {
      const made = c.objects.make(
        name,
        tensor.sizes.map((_, i) => String(i)),
        true,
        null,
      );
      const values =
        name === 'shape'
          ? tensor.sizes.map(sizeValue)
          : tensor.strides.map((s) => new V.NumberValue(N.whole(-N.LIMIT, N.LIMIT), s));
      [...made.fields.values()].forEach((own, i) => E.setVariable(c, own, values[i]));
      return made;
    }
    default:
      return refuse(place, `.${name} of a Tensor is not supported here`, 'use .at, .set, .shape, .size and .rank');
  }
}

/**
 * An index from 0 to its size.
 *
 * @type {(c: any, tensor: TensorValue, axis: number, value: Value, place: any) => Expression}
 */
function indexOf(c, tensor, axis, value, place) {
  const number = X.toNumber(c, value, place);
  const size = tensor.sizes[axis];
  const unchecked = c.options.bounds === 'unchecked';
  if (!N.isIntegerOrNegativeZero(number.type)) {
    const x = E.settle(c, O.asDouble(number), 'index');
    const at = E.settle(c, { op: 'convert', type: 'i64', args: [x] }, 'index');
    if (!unchecked)
      c.throwUnless(
        M.binary('eq', M.convert(at, 'f64'), x),
        place,
        'RangeError',
        ['index ', null, ` of axis ${axis} is not an integer`],
        [x],
      );
    return inRange(c, at, size, axis, true, place, unchecked);
  }
  const at = E.settle(c, O.asInteger(number), 'index');
  const isBelow = size.op === 'local' && !!number.type.below?.has(size.local);
  if (number.type.lo >= 0 && isBelow) return at;
  return inRange(c, at, size, axis, number.type.lo < 0, place, unchecked);
}

/** @type {(c: any, at: Expression, size: Expression, axis: number, mayBeNegative: boolean, place: any, unchecked: boolean) => Expression} */
function inRange(c, at, size, axis, mayBeNegative, place, unchecked) {
  const from = mayBeNegative
    ? E.settle(c, M.select(M.binary('lt', at, M.constant('i64', 0)), M.binary('add', at, size), at), 'index')
    : at;
  if (unchecked) return from;
  const within = M.and(M.binary('ge', from, M.constant('i64', 0)), M.binary('lt', from, size));
  c.throwUnless(
    within,
    place,
    'RangeError',
    ['index ', null, ` of axis ${axis} is out of range: its size is `, null],
    [at, size],
  );
  return from;
}

/** @type {(c: any, tensor: TensorValue, indices: Value[], place: any) => Expression} */
function position(c, tensor, indices, place) {
  if (indices.length !== tensor.sizes.length)
    return refuse(place, `${indices.length} indices for a Tensor of rank ${tensor.sizes.length}`, '');
  return indices
    .map((v, axis) => M.binary('mul', indexOf(c, tensor, axis, v, place), tensor.strides[axis]))
    .reduce((a, b) => M.binary('add', a, b), M.constant('i64', 0));
}

/** @type {(tensor: TensorValue) => any} its elements, of which every position computed here is one */
function elements(tensor) {
  return { kind: 'array', ref: tensor.ref, isList: false, site: null };
}

/** @type {(c: any, tensor: TensorValue, indices: Value[], place: any) => Value} */
function read(c, tensor, indices, place) {
  const where = position(c, tensor, indices, place);
  return memory.loadKnown(c, elements(tensor), where, place);
}

/** @type {(c: any, tensor: TensorValue, name: string, args: Value[], place: any) => Value} */
function method(c, tensor, name, args, place) {
  if (name === 'at') return read(c, tensor, args, place);
  if (name === 'item')
    return read(
      c,
      tensor,
      tensor.sizes.map(() => V.numberConstant(0)),
      place,
    );
  if (name !== 'set')
    return refuse(place, `.${name} of a Tensor is not supported here`, 'use .at, .set, .shape, .size and .rank');
  const [indices, value] = args;
  if (indices?.kind !== 'object' || !indices.isTuple)
    return refuse(place, 'the indices of .set must be an array', 'write a.set([i, j], x)');
  const where = position(c, tensor, E.heldBy(c, indices), place);
  memory.storeKnown(c, elements(tensor), where, value ?? V.UNDEFINED, place);
  return tensor;
}

exports.field = field;
exports.method = method;
exports.param = param;
exports.read = read;
