/**
 * Ops on shapes, and what moves elements without computing.
 *
 * What files compute about shapes goes through these as sizes (shared/sizes.js), so that one graph serves all of them.
 */
'use strict';

const sizes = require('../../shared/sizes.js');
const { Encoded, Known, Sizes, Text, isGiven } = require('../../shared/operands.js');
const { axisOf, broadcastShape, edgeOf, sliceAxes, takeable } = require('../../shared/slices.js');
const { asTensor } = require('../../../tensor/create.js');

/** @typedef {import('../../shared/builder.js').Builder} Builder */
/** @typedef {import('../../shared/builder.js').Translation} Translation */

/**
 * An input of newer versions that was an attribute.
 *
 * @type {(node: any, operand: any, name: string, cx: Builder) => number[] | undefined}
 */
function intsOf(node, operand, name, cx) {
  if (isGiven(operand)) return cx.ints(operand, name);
  return node.attr(name);
}

/** What moves codes and strings as it moves numbers. @type {(translate: Translation['translate']) => Translation['translate']} */
const moving = (translate) => (node, inputs, cx) => {
  if (inputs.some((each) => each instanceof Text)) return require('../../shared/texts.js').movedTexts(translate, node, inputs, cx);
  const type = inputs.find((each) => each instanceof Encoded)?.type;
  if (type === undefined) return translate(node, inputs, cx);
  const moved = translate(node, inputs.map((each) => (each instanceof Encoded ? each.codes : each)), cx);
  return (Array.isArray(moved) ? moved : [moved]).map((each) => new Encoded(type, each));
};

/**
 * Something of the shape of strings. Open sizes that no input of the graph has are those of one that JavaScript adds.
 *
 * @type {(text: Text, cx: Builder) => any}
 */
function shapedBy(text, cx) {
  const { codesOf, isBound } = require('../../shared/texts.js');
  return isBound(cx, cx.shape(text)) ? text : codesOf(cx, text, []);
}

/**
 * What moves elements, of sizes: it is done with their places, where all else is known.
 *
 * @param {Translation['translate']} translate
 * @param {any} node
 * @param {any[]} inputs
 * @param {Builder} cx
 * @param {number} [count] how many of the first inputs are moved
 * @returns {any[] | undefined}
 */
function movedSizes(translate, node, inputs, cx, count = 1) {
  const rest = inputs.slice(count);
  if (rest.some((each) => isGiven(each) && !(each instanceof Known))) return undefined;
  return sizes.moved(inputs.slice(0, count), (places) => {
    const results = cx.apply({ translate }, node, [...places, ...rest]);
    return results.every((each) => each instanceof Known) ? results : undefined;
  });
}

/** @type {Translation} */
const shape = {
  fold: false,
  translate: (node, [x], cx) => {
    if (x instanceof Text) x = shapedBy(x, cx);
    const all = cx.shape(x);
    const clamp = (/** @type {number} */ at) => Math.min(Math.max(at < 0 ? at + all.length : at, 0), all.length);
    return sizes.ofShape(all.slice(clamp(node.attr('start', 0)), clamp(node.attr('end', all.length))));
  },
};
shape.sizes = (node, inputs, cx) => shape.translate(node, inputs, cx);

/** @type {Translation} */
const size = {
  fold: false,
  translate: (_, [x], cx) => sizes.reduceAll(sizes.ofShape(cx.shape(x instanceof Text ? shapedBy(x, cx) : x)), false, (a, b) => sizes.multiply(a, b, false), 1) ?? Known.of(asTensor(1n, { dtype: 'i64' })),
};

/** @type {Translation['translate']} */
function constant(node, _, cx) {
  const tensor = (/** @type {any} */ data, /** @type {any} */ dtype) => Known.of(asTensor(data, { dtype }));
  const { attributes } = node;
  if (attributes.value) return attributes.value;
  if ('value_float' in attributes) return tensor(attributes.value_float, 'f32');
  if ('value_floats' in attributes) return tensor(Float32Array.from(attributes.value_floats), 'f32');
  if ('value_int' in attributes) return tensor(BigInt(attributes.value_int), 'i64');
  if ('value_ints' in attributes) return tensor(BigInt64Array.from(attributes.value_ints, BigInt), 'i64');
  if ('value_string' in attributes) return Text.of([], [attributes.value_string]);
  if ('value_strings' in attributes) return Text.of([attributes.value_strings.length], attributes.value_strings);
  if ('sparse_value' in attributes) return require('../sparse.js').denseOf(attributes.sparse_value, cx.where);
  return cx.fail('ERR_PARSE', 'it has no value');
}

/**
 * @type {(given: readonly (number | string)[], own: readonly (number | string)[], allowZero: boolean, cx: Builder) => (number | string)[]}
 */
const shapeFor = (given, own, allowZero, cx) =>
  given.map((each, axis) => {
    if (each !== 0 || allowZero) return each;
    return own[axis] ?? cx.fail('ERR_SHAPE', `the shape copies size ${axis} of a tensor of rank ${own.length}`);
  });

/** @type {Translation} */
const reshape = {
  translate: moving((node, [x, to], cx) => {
    const given = node.version < 5 ? node.attr('shape', []) : cx.sizes(to, 'the shape');
    const target = shapeFor(given, cx.shape(x), node.attr('allowzero', 0) === 1, cx);
    return /** @type {any} */ (cx.value(x)).reshape(target);
  }),
  sizes: (node, [x, to], cx) => (x instanceof Sizes && to instanceof Known ? sizes.reshape(x, shapeFor(cx.ints(to, 'the shape'), x.shape, false, cx)) : undefined),
};

/** @type {Translation} */
const transpose = {
  translate: moving((node, [x], cx) => {
    const value = /** @type {any} */ (cx.value(x));
    return value.permute(node.attr('perm', Array.from({ length: value.rank }, (_, i) => value.rank - 1 - i)));
  }),
  sizes: (node, [x], cx) => (x.shape.length < 2 ? x : movedSizes(transpose.translate, node, [x], cx)),
};

/** @type {Translation} */
const concat = {
  translate: moving((node, inputs, cx) => {
    const values = inputs.map((each) => cx.value(each));
    return require('../../../ops/movement.js').joins.concat(values, { axis: node.attr('axis', 1) });
  }),
  sizes: (node, inputs, cx) => sizes.concat(inputs) ?? movedSizes(concat.translate, node, inputs, cx, inputs.length),
};

/** @type {Translation} */
const gather = {
  translate: moving((node, [x, indices], cx) => {
    const value = /** @type {any} */ (cx.value(x));
    const axis = axisOf(node.attr('axis', 0), value.rank, cx);
    const [from, at] = takeable(value, cx.value(indices), axis, cx);
    return from.take(at, { axis });
  }),
  sizes: (node, inputs, cx) => {
    const [x, indices] = inputs;
    return x instanceof Sizes ? (sizes.take(x, indices) ?? movedSizes(gather.translate, node, inputs, cx)) : undefined;
  },
};

/** @type {(operand: any, node: any, cx: Builder) => any} */
function squeeze([x, given], node, cx) {
  const own = cx.shape(x);
  const axes = intsOf(node, given, 'axes', cx)?.map((/** @type {number} */ axis) => axisOf(axis, own.length, cx));
  const kept = own.filter((each, axis) => (axes ? !axes.includes(axis) : each !== 1));
  return { own, kept };
}

/** @type {(own: readonly (number | string)[], axes: readonly number[], cx: Builder) => (number | string)[]} */
function unsqueezed(own, axes, cx) {
  const rank = own.length + axes.length;
  const at = new Set(axes.map((axis) => axisOf(axis, rank, cx)));
  if (at.size !== axes.length) cx.fail('ERR_SHAPE', `axes [${axes}] name one twice`);
  let next = 0;
  return Array.from({ length: rank }, (_, axis) => (at.has(axis) ? 1 : own[next++]));
}

/** @type {Translation} */
const slice = {
  translate: moving((node, [x, starts, ends, given, steps], cx) => {
    const value = /** @type {any} */ (cx.value(x));
    const from = node.version < 10 ? node.attr('starts') : cx.sizes(starts, 'starts');
    const to = node.version < 10 ? node.attr('ends') : cx.sizes(ends, 'ends');
    const axes = intsOf(node, given, 'axes', cx) ?? from.map((/** @type {any} */ _, /** @type {number} */ i) => i);
    const by = steps === undefined ? from.map(() => 1) : cx.ints(steps, 'steps');
    return sliceAxes(value, from, to, axes, by, cx);
  }),
  sizes: (node, inputs, cx) => {
    const [x, starts, ends, given, steps] = inputs;
    if (!(x instanceof Sizes)) return undefined;
    if ([starts, ends, given, steps].some((each) => each !== undefined && !(each instanceof Known))) return undefined;
    if (x.shape.length !== 1) return movedSizes(slice.translate, node, inputs, cx);
    const [from, to] = node.version < 10 ? [node.attr('starts'), node.attr('ends')] : [cx.ints(starts, 'starts'), cx.ints(ends, 'ends')];
    return sizes.slice(x, from[0], to[0], steps === undefined ? 1 : cx.int(steps, 'steps'));
  },
};

/** @type {Translation} */
const expand = {
  translate: moving((_, [x, to], cx) => {
    const value = /** @type {any} */ (cx.value(x));
    return value.broadcastTo(broadcastShape(value.shape, cx.sizes(to, 'the shape')));
  }),
  sizes: (_, [x, to], cx) => (x instanceof Sizes && to instanceof Known ? sizes.broadcastTo(x, cx.ints(to, 'the shape')) : undefined),
};

/** @type {Translation} */
const constantOfShape = {
  translate: (node, [to], cx) => {
    const fill = node.attr('value');
    const { tensor } = fill instanceof Encoded ? /** @type {Known} */ (fill.codes) : (fill ?? Known.of(asTensor(0, { dtype: 'f32' })));
    const value = cx.constant(tensor.reshape([]), tensor.dtype, cx.sizes(to, 'the shape'));
    if (Number(tensor.reshape([]).toArray()) !== 0) withoutZeros.add(value);
    return fill instanceof Encoded ? new Encoded(fill.type, value) : value;
  },
};

/** Values that are one number throughout, and not 0: their NonZero is how files once wrote a range. @type {WeakSet<object>} */
const withoutZeros = new WeakSet();
constantOfShape.sizes = constantOfShape.translate;

/** @type {import('./index.js').Tables} */
const ops = {
    'ai.onnx': {
      Shape: shape, Size: size, Constant: constant, Reshape: reshape, Transpose: transpose, Concat: concat,
      Gather: gather,
      Squeeze: {
        translate: moving((node, inputs, cx) => /** @type {any} */ (cx.value(inputs[0])).reshape(squeeze(inputs, node, cx).kept)),
        sizes: (node, inputs, cx) => sizes.reshape(inputs[0], squeeze(inputs, node, cx).kept),
      },
      Unsqueeze: {
        translate: moving((node, [x, given], cx) => /** @type {any} */ (cx.value(x)).reshape(unsqueezed(cx.shape(x), intsOf(node, given, 'axes', cx) ?? [], cx))),
        sizes: (node, [x, given], cx) => sizes.reshape(x, unsqueezed(x.shape, intsOf(node, given, 'axes', cx) ?? [], cx)),
      },
      Slice: slice, Expand: expand, ConstantOfShape: constantOfShape,
      Flatten: moving((node, [x], cx) => {
        const value = /** @type {any} */ (cx.value(x));
        const axis = node.attr('axis', 1);
        const first = edgeOf(axis, value.rank, cx);
        const { state } = cx;
        return value.reshape([state.text(state.product(state.dims(value.shape.slice(0, first), 'load'))), state.text(state.product(state.dims(value.shape.slice(first), 'load')))]);
      }),
    },
};

module.exports = { intsOf, moving, ops, withoutZeros };
