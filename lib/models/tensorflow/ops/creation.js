/**
 * Tensors made of sizes and numbers: constants, ranges, random ones.
 */
'use strict';

const sizes = require('../../shared/sizes.js');
const { Known, Sizes } = require('../../shared/operands.js');
const { random } = require('../../../random/index.js');
const { Variable } = require('../operands.js');
const { moving } = require('./elementwise.js');

/** @typedef {import('../../shared/builder.js').Builder} Builder */
/** @typedef {import('../../shared/builder.js').Translation} Translation */

/** @type {Translation['translate']} */
function filled(_, [shape, value], cx) {
  const to = cx.sizes(shape, 'the shape');
  return /** @type {any} */ (cx.value(value)).broadcastTo(to);
}

/** Of a shape, and elements like those of a tensor. @type {(element: number) => Translation} */
const like = (element) => ({
  translate: (_, [x], cx) => {
    const dtype = cx.dtype(x);
    return cx.constant(dtype === 'bool' ? element === 1 : element, dtype, cx.shape(x));
  },
});

/** How many there are from one number to another. @type {(from: number, to: number, by: number) => number} */
const countOf = (from, to, by) => Math.max(Math.ceil((to - from) / by), 0);

/** @type {Translation['translate']} */
function range(_, [start, limit, delta], cx) {
  const dtype = cx.dtype(start);
  const items = [start, limit, delta].map((each) => (each instanceof Sizes || /^[iu]/.test(dtype) ? cx.sizes(each, 'an end of the range') : cx.numbers(each, 'an end of the range'))[0]);
  const [from, to, by] = items;
  if (by === 0) return cx.fail('ERR_ARGUMENT', 'the step is 0');
  if (items.every((each) => typeof each === 'number')) return numbered(countOf(Number(from), Number(to), Number(by)), dtype, Number(from), Number(by), cx);
  if (by !== 1 || typeof from !== 'number') return cx.fail('ERR_UNSUPPORTED', `a range from ${from} to ${to} by ${by}`);
  return numbered(/** @type {any} */ (sizes.sum(-1)(to, from)), dtype, from, by, cx);
}

/** @type {(count: number | string, dtype: any, from: number, by: number, cx: Builder) => any} */
function numbered(count, dtype, from, by, cx) {
  const places = /** @type {any} */ (cx.iota([count], dtype));
  const steps = by === 1 ? places : places.mul(by);
  return from === 0 ? steps : steps.add(from);
}

/** @type {Translation['translate']} */
function linSpace(_, [start, stop, count], cx) {
  const [from, to] = [/** @type {any} */ (cx.value(start)), /** @type {any} */ (cx.value(stop))];
  const length = cx.int(count, 'the number of elements');
  if (length === 1) return from.reshape([1]);
  return /** @type {any} */ (cx.iota([length], from.dtype)).mul(to.sub(from).div(length - 1)).add(from);
}

/** @type {Translation['translate']} */
function oneHot(node, [indices, depth, on, off], cx) {
  const value = /** @type {any} */ (cx.value(indices));
  const dtype = cx.dtype(on);
  return value.oneHot(cx.sizes(depth, 'the depth')[0], { axis: node.attr('axis', -1), dtype, on: cx.value(on), off: cx.value(off) });
}

/** FNV-1a. @type {(text: string) => number} */
const hashOf = (text) =>
  [...text].reduce((hash, each) => Math.imul(hash ^ each.charCodeAt(0), 16_777_619) >>> 0, 2_166_136_261);

/**
 * A key of the seeds that a node has; one without has a stream of its own, another one each time the file is loaded.
 *
 * @type {(node: any) => number}
 */
function seedOf(node) {
  const [seed, other] = [node.attr('seed', 0), node.attr('seed2', 0)];
  return seed === 0 && other === 0 ? (hashOf(node.name) ^ node.program.seed) >>> 0 : (seed * 31 + other) >>> 0;
}

/**
 * What draws by a key that is known.
 *
 * @type {(draw: (node: any, shape: any[], options: any, inputs: any[], cx: Builder) => any) => Translation}
 */
const drawing = (draw) => ({
  fold: false,
  translate: (node, inputs, cx) => {
    const key = cx.constant(random.key(seedOf(node)));
    return draw(node, inputs[0] === undefined ? [] : cx.sizes(inputs[0], 'the shape'), { key, dtype: node.attr('dtype', 'f32') }, inputs, cx);
  },
});

/** @type {any} */
const draws = random;

/** @type {Translation} */
const multinomial = {
  fold: false,
  translate: (node, [logits, samples], cx) => {
    const value = /** @type {any} */ (cx.value(logits));
    const [rows, classes] = value.shape;
    const count = cx.int(samples, 'the number of samples');
    const key = cx.constant(random.key(seedOf(node)));
    const each = value.reshape([rows, 1, classes]).broadcastTo([rows, count, classes]);
    return draws.categorical(each, { key }).astype(node.attr('output_dtype', 'i64'));
  },
};

/** @type {Translation} */
const missing = {
  fold: false,
  translate: (node, _, cx) => cx.fail('ERR_ARGUMENT', `'${node.name}' is no input of the model, but is read`),
};

/** @type {import('./index.js').Table} */
const ops = {
  Const: { translate: (node) => node.program.constant(node), fold: false },
  Placeholder: missing,
  Fill: { ...moving(filled), sizes: (_, [shape, value], cx) => (value instanceof Sizes && shape instanceof Known ? sizes.broadcastTo(value, cx.ints(shape, 'the shape')) : undefined) },
  Ones: (node, [shape], cx) => cx.constant(1, node.attr('dtype', 'f32'), cx.sizes(shape, 'the shape')),
  Zeros: (node, [shape], cx) => cx.constant(0, node.attr('dtype', 'f32'), cx.sizes(shape, 'the shape')),
  Empty: (node, [shape], cx) => cx.constant(0, node.attr('dtype', 'f32'), cx.sizes(shape, 'the shape')),
  ZerosLike: like(0), OnesLike: like(1), Range: range, LinSpace: linSpace, OneHot: oneHot,
  RandomUniform: drawing((_, shape, options) => draws.uniform(shape, options)),
  RandomStandardNormal: drawing((_, shape, options) => draws.normal(shape, options)),
  TruncatedNormal: drawing((_, shape, options) => draws.truncatedNormal(shape, options)),
  RandomUniformInt: drawing((node, shape, { key }, [, least, most], cx) => draws.randint(shape, cx.int(least, 'minval'), cx.int(most, 'maxval'), { key, dtype: node.attr('Tout', 'i32') })),
  Multinomial: multinomial,
  NoOp: { translate: () => [], fold: false }, Assert: { translate: () => [], fold: false },
  VarHandleOp: { translate: (node) => new Variable(() => node.program.resources.variable(node)), fold: false },
  Variable: { translate: (node) => node.program.resources.variable(node), fold: false },
  VariableV2: { translate: (node) => node.program.resources.variable(node), fold: false },
  ReadVariableOp: { translate: (_, [x], cx) => (x instanceof Variable ? x.read() : cx.fail('ERR_PARSE', 'what is read is no variable')), fold: false },
};

module.exports = { ops };
