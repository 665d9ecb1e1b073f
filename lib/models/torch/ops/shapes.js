/**
 * Ops that join, repeat, turn and convert tensors.
 */
'use strict';

const { Sizes } = require('../../shared/operands.js');
const sizes = require('../../shared/sizes.js');
const { bounded } = require('../guard.js');
const { commonDtype } = require('../promotion.js');
const { dtypeOf } = require('../dtypes.js');
const { isTensor } = require('../values.js');

/** @typedef {import('../call.js').Call} Call */

const joins = () => require('../../../ops/movement.js').joins;

/** Values of a list of tensors in their common dtype. @type {(call: Call, name: string) => any[]} */
function alikeList(call, name) {
  const dtype = commonDtype(call.args[name]);
  return call.args[name].map((/** @type {any} */ each) => call.lift(each, dtype, name));
}

const cat = {
  /** @type {(call: Call) => any} */
  compute: (call) => {
    const values = alikeList(call, 'tensors');
    // Before tensors had ranks, an empty vector stood for nothing.
    const real = values.filter(({ shape }) => !(shape.length === 1 && shape[0] === 0));
    const list = real.length === 0 ? values.slice(0, 1) : real;
    return list.length === 1 ? list[0] : joins().concat(list, { axis: call.axis('dim', list[0].rank) });
  },
  /** @type {(call: Call) => any} */
  sizes: (call) => sizes.concat(call.args.tensors),
};

const stack = {
  /** @type {(call: Call) => any} */
  compute: (call) => {
    const values = alikeList(call, 'tensors');
    return joins().stack(values, { axis: call.axis('dim', values[0].rank + 1) });
  },
  /** @type {(call: Call) => any} */
  sizes: (call) => sizes.concat(call.args.tensors.map((/** @type {any} */ each) => sizes.reshape(each, [1]))),
};

/** @type {(axis: number, least: number) => (call: Call) => any} hstack and its like */
const stacking = (axis, least) => (call) => {
  const grow = `atleast${least}d`;
  const values = alikeList(call, 'tensors').map((each) => each[grow]());
  return joins().concat(values, { axis: axis === 1 && values[0].rank === 1 ? 0 : axis });
};

/** @type {(call: Call) => any} */
function roll(call) {
  const value = call.value();
  const shifts = call.ints('shifts');
  const axes = call.ints('dims');
  if (axes.length === 0) return value.reshape([-1]).roll(shifts[0], { axis: 0 }).reshape([...value.shape]);
  return value.roll(shifts, { axis: axes.map((axis) => call.axisOf(axis, value.rank)) });
}

/** @type {(call: Call) => any} */
function repeatInterleave(call) {
  const placesFor = (/** @type {string} */ name) => {
    const counts = call.ints(name);
    bounded(counts.reduce((total, count) => total + count, 0), 'elements');
    return counts.flatMap((count, i) => Array.from({ length: count }, () => i));
  };
  if (!call.has('repeats')) return call.cx.constant(BigInt64Array.from(placesFor('self'), BigInt), 'i64');
  if (isTensor(call.args.repeats)) return take(call, placesFor('repeats'));
  const value = call.value();
  return call.has('dim') ? value.repeat(call.size('repeats'), { axis: call.axis('dim', value.rank) }) : value.reshape([-1]).repeat(call.size('repeats'));
}

/** @type {(call: Call, indices: readonly number[]) => any} */
function take(call, indices) {
  const value = call.has('dim') ? call.value() : call.value().reshape([-1]);
  return value.take(call.cx.constant(BigInt64Array.from(indices, BigInt), 'i64'), { axis: call.has('dim') ? call.axis('dim', value.rank) : 0 });
}

/**
 * To another dtype, that of another tensor, or another place, which graphs do not know. Forms differ in what stands
 * where, so arguments are told apart by what they are.
 *
 * @type {(call: Call) => any}
 */
function to(call) {
  const { dtype, other } = call.args;
  const given = [other, dtype, call.args.a];
  const like = given.find(isTensor);
  if (like !== undefined) return converted(call, like.dtype);
  const number = given.find((each) => typeof each === 'bigint');
  return number === undefined ? call.operand('self') : converted(call, dtypeOf(Number(number)));
}

/** @type {(call: Call, dtype: any) => any} */
function converted(call, dtype) {
  const operand = call.operand('self');
  if (operand.dtype === dtype) return operand;
  if (operand instanceof Sizes) return sizes.cast(operand, dtype) ?? call.cx.value(operand, dtype);
  const value = /** @type {any} */ (call.cx.value(operand));
  return dtype === 'bool' ? value.ne(0) : value.astype(dtype);
}

/** Also sizes stay what they are. @type {(dtypeFor: (call: Call) => any) => any} */
const conversion = (dtypeFor) => ({
  compute: (/** @type {Call} */ call) => converted(call, dtypeFor(call)),
  sizes: (/** @type {Call} */ call) => converted(call, dtypeFor(call)),
});

const copying = { compute: (/** @type {Call} */ call) => call.operand('self'), sizes: (/** @type {Call} */ call) => call.operand('self'), fold: false };

/** @type {(call: Call) => any} elements of another tensor in place of all */
const copy = (call) => call.value('src', call.operand('self').dtype).broadcastTo([...call.cx.shape(call.operand('self'))]);

/** @type {(call: Call) => any} */
function channelShuffle(call) {
  const value = call.value();
  const [count, channels, ...rest] = value.shape;
  const groups = call.int('groups');
  const axes = [0, 2, 1, ...rest.map((/** @type {any} */ _, /** @type {number} */ i) => i + 3)];
  return value.reshape([count, groups, channels / groups, ...rest]).permute(axes).reshape([count, channels, ...rest]);
}

/** @type {(call: Call) => any} windows of a size along an axis, as a new last axis */
function unfold(call) {
  const value = call.value();
  const axis = call.axis('dimension', value.rank);
  const [size, step] = [call.int('size'), call.int('step')];
  const length = Number(value.shape[axis]);
  if (Number.isNaN(length)) return call.fail('ERR_SHAPE', `how many windows there are depends on size ${value.shape[axis]}`);
  const count = bounded(Math.floor((length - size) / step) + 1, 'windows');
  bounded(count * size, 'elements of windows');
  const window = (/** @type {number} */ start) => Array.from({ length: size }, (_, k) => BigInt(start + k));
  const indices = Array.from({ length: count }, (_, i) => window(i * step));
  const windows = value.take(call.cx.constant(indices, 'i64'), { axis });
  return windows.moveaxis(axis + 1, windows.rank - 1);
}

/** @type {Readonly<Record<string, any>>} */
const CASTS = { float: 'f32', double: 'f64', half: 'f16', bfloat16: 'bf16', long: 'i64', int: 'i32', short: 'i16', char: 'i8', byte: 'u8', bool: 'bool' };

/** @type {import('./index.js').Ops} */
const ops = {
  'cat(tensors, dim=0)': cat, '_cat(tensors, dim=0)': cat,
  'stack(tensors, dim=0)': stack,
  'hstack(tensors)': stacking(1, 1), 'vstack(tensors)': stacking(0, 2), 'dstack(tensors)': stacking(2, 3),
  'repeat(self, repeats)': (call) => call.value().tile(call.sizes('repeats')),
  'tile(self, dims)': (call) => call.value().tile(call.sizes('dims')),
  'repeat_interleave(self, repeats=None, dim=None, *, output_size=None)': repeatInterleave,
  'roll(self, shifts, dims=[])': roll,
  'flip(self, dims)': (call) => call.value().flip(call.axes('dims', call.value().rank)),
  'fliplr(self)': (call) => call.value().flip(1), 'flipud(self)': (call) => call.value().flip(0),
  'rot90(self, k=1, dims=[0 1])': (call) => call.value().rot90({ k: call.int('k'), axes: call.ints('dims') }),
  'broadcast_to(self, size)': (call) => call.value().broadcastTo(call.sizes('size')),
  'broadcast_tensors(tensors)': {
    isList: true,
    compute: (call) => {
      const values = call.values('tensors');
      const shape = values.reduce((all, { shape: own }) => require('../../shared/slices.js').broadcastShape(all, own), /** @type {any[]} */ ([]));
      return values.map((value) => value.broadcastTo(shape));
    },
  },
  'meshgrid(tensors, *, indexing="ij")': { isList: true, compute: (call) => meshgrid(call) },
  'to(self, other|device, dtype=None, a=None, b=None, *, copy=False)': { compute: to, sizes: to },
  '_to_copy(self, *, dtype=None)': conversion((call) => call.dtype() ?? call.operand('self').dtype),
  '_cast_Float(self, non_blocking=False)': conversion(() => 'f32'),
  'type_as(self, other)': conversion((call) => call.operand('other').dtype),
  'type(self, dtype)': conversion((call) => call.dtype()),
  ...Object.fromEntries(Object.entries(CASTS).map(([name, dtype]) => [`${name}(self)`, conversion(() => dtype)])),
  'contiguous(self)': copying, 'clone(self)': copying, 'cpu(self)': copying, 'cuda(self)': copying, 'requires_grad_(self)': copying,
  'resolve_conj(self)': copying, 'resolve_neg(self)': copying, 'conj(self)': copying, 'detach_(self)': copying,
  'pin_memory(self)': copying, 'to_dense(self)': copying, 'zero(self)': (call) => call.cx.constant(0, call.operand('self').dtype, call.cx.shape(call.operand('self'))),
  'copy(self, src, non_blocking=False)': copy,
  'fill(self, value)': (call) => call.value('value', call.operand('self').dtype).broadcastTo([...call.cx.shape(call.operand('self'))]),
  'channel_shuffle(self, groups)': channelShuffle,
  'pixel_shuffle(self, upscale_factor)': (call) => call.value().pixelShuffle(call.int('upscale_factor')),
  'pixel_unshuffle(self, downscale_factor)': (call) => call.value().pixelUnshuffle(call.int('downscale_factor')),
  'unfold(self, dimension, size, step)': unfold,
  'atleast_1d(self)': (call) => call.value().atleast1d(), 'atleast_2d(self)': (call) => call.value().atleast2d(), 'atleast_3d(self)': (call) => call.value().atleast3d(),
};

/** @type {(call: Call) => any} */
function meshgrid(call) {
  const [first, ...others] = alikeList(call, 'tensors').map((each) => each.reshape([-1]));
  if (others.length === 0) return [first];
  return first.meshgrid(others, { indexing: call.text('indexing') });
}

module.exports = { alikeList, ops };
