/**
 * Ops on elements: arithmetic, comparisons, activations, conversions.
 *
 * Operands of ONNX have one type, so nothing is promoted here; before version 7 a second operand broadcast from an
 * axis.
 */
'use strict';

const sizes = require('../../shared/sizes.js');
const { Encoded, Text, isFloat } = require('../../shared/operands.js');
const { carrierOf, convertCodes, decode } = require('../../shared/storage-types.js');
const { edgeOf } = require('../../shared/slices.js');
const { equalTexts, parsedOf, writtenOf } = require('../../shared/texts.js');
const { elementTypeOf } = require('../schema.js');
const { moving } = require('./shapes.js');

/** @typedef {import('../../shared/builder.js').Builder} Builder */
/** @typedef {import('../../shared/builder.js').Translation} Translation */

/** A method of Value on one operand. @type {(name: string) => Translation['translate']} */
const unary = (name) => (_, [x], cx) => /** @type {any} */ (cx.value(x))[name]();

/** @type {(name: string, exact?: Translation['sizes']) => Translation} a method on two operands */
const binary = (name, exact) => ({
  translate: (node, [a, b], cx) => {
    const [x, y] = alignOld(node, cx.value(a), cx.value(b));
    return x[name](y);
  },
  sizes: exact,
});

/** Broadcasting of the first versions: b from an axis of a. @type {(node: any, a: any, b: any) => [any, any]} */
function alignOld(node, a, b) {
  const axis = node.attr('axis');
  if (axis === undefined || node.version >= 7) return [a, b];
  const missing = a.rank - b.rank - (axis < 0 ? axis + a.rank : axis);
  return [a, missing > 0 ? b.reshape([...b.shape, ...Array(missing).fill(1)]) : b];
}

/** @type {(name: string) => Translation['translate']} an associative op on any number of operands */
const variadic = (name) => (_, inputs, cx) => inputs.map((each) => /** @type {any} */ (cx.value(each))).reduce((a, b) => a[name](b));

/** @type {(name: string) => Translation['translate']} of bools, which integers of old versions are too */
const logical = (name) => (node, [a, b], cx) => {
  const [x, y] = alignOld(node, cx.value(a, 'bool'), cx.value(b, 'bool'));
  return x[name](y);
};

/** Mod: the sign of the divisor, or that of the dividend. @type {Translation['translate']} */
function mod(node, [a, b], cx) {
  const [x, y] = [/** @type {any} */ (cx.value(a)), /** @type {any} */ (cx.value(b))];
  return node.attr('fmod', 0) === 1 ? x.rem(y) : x.remainder(y);
}

/** The base has the type of the result; the exponent may have another. @type {Translation['translate']} */
function pow(node, [a, b], cx) {
  const [x, given] = alignOld(node, cx.value(a), cx.value(b));
  if (given.dtype === x.dtype) return x.pow(given);
  if (isFloat(given) && !isFloat(x)) return x.astype('f64').pow(given.astype('f64')).astype(x.dtype);
  return x.pow(given.astype(x.dtype));
}

/** @type {Translation['translate']} */
function clipped(node, [x, least, most], cx) {
  const value = /** @type {any} */ (cx.value(x));
  const old = node.version < 11;
  const bound = (/** @type {any} */ operand, /** @type {string} */ name) => {
    if (!old) return operand === undefined || operand === null ? undefined : /** @type {any} */ (cx.value(operand, value.dtype)).reshape([]);
    return node.attr(name);
  };
  const [low, high] = [bound(least, 'min'), bound(most, 'max')];
  const raised = low === undefined ? value : value.max(low);
  return high === undefined ? raised : raised.min(high);
}

/** @type {NonNullable<Translation['sizes']>} */
function clippedSizes(node, [x, least, most]) {
  if (node.version < 11) return undefined;
  const raised = least ? sizes.elementwise(undefined, sizes.greater, x, least) : x;
  return most && raised ? sizes.elementwise(undefined, sizes.lesser, raised, most) : raised;
}

/** @type {Translation} */
const clip = { translate: clipped, sizes: clippedSizes };

const negated = (/** @type {boolean | undefined} */ truth) => (truth === undefined ? undefined : !truth);

/** Before version 7 slopes were one for each place along axis 1. @type {Translation['translate']} */
function prelu(node, [x, given], cx) {
  const [value, slope] = [/** @type {any} */ (cx.value(x)), /** @type {any} */ (cx.value(given))];
  const isOfChannels = node.version < 7 && slope.rank === 1 && slope.shape[0] !== 1;
  const beside = isOfChannels ? slope.reshape([-1, ...Array(Math.max(value.rank - 2, 0)).fill(1)]) : slope;
  return value.lt(0).select(value.mul(beside), value);
}

/** @type {Translation} */
const cast = {
  translate: (node, [x], cx) => {
    const to = elementTypeOf(node.attr('to')) ?? cx.fail('ERR_UNSUPPORTED', `type ${node.attr('to')} is unknown`);
    return convert(x, to, cx, conversionOf(node));
  },
  sizes: (node, [x]) => {
    const dtype = elementTypeOf(node.attr('to'));
    return dtype === undefined || carrierOf(dtype) || dtype === 'string' ? undefined : sizes.cast(x, /** @type {any} */ (dtype));
  },
};

/** How a node converts to a storage type. @type {(node: any) => import('../../shared/storage-types.js').Conversion} */
const conversionOf = (node) => ({ saturate: node.attr('saturate', 1) === 1, roundMode: node.attr('round_mode', 'up') });

/** @type {(x: any, dtype: string, cx: Builder, conversion?: import('../../shared/storage-types.js').Conversion) => any} */
function convert(x, dtype, cx, conversion) {
  if (x instanceof Text) {
    if (dtype === 'string') return x;
    if (carrierOf(dtype)) return convertCodes(convert(x, 'f32', cx), dtype, cx, conversion);
    return parsedOf(cx, x, /** @type {any} */ (dtype));
  }
  if (dtype === 'string') return writtenOf(cx, x instanceof Encoded ? decode(x, 'f32', cx) : x);
  if (x instanceof Encoded || carrierOf(dtype)) return convertCodes(x, dtype, cx, conversion);
  const value = /** @type {any} */ (cx.value(x));
  if (dtype === 'bool') return value.dtype === 'bool' ? value : value.ne(0);
  return value.astype(dtype);
}

/** @type {Translation['translate']} */
function gelu(node, [x], cx) {
  return /** @type {any} */ (cx.value(x)).gelu({ approximate: node.attr('approximate', 'none') });
}

/** An activation with a factor. @type {(name: string, option: string, initial: number) => Translation['translate']} */
const activation = (name, option, initial) => (node, [x], cx) =>
  /** @type {any} */ (cx.value(x))[name]({ [option]: node.attr('alpha', initial) });

/**
 * a formula with attributes
 *
 * @type {(compute: (x: any, attr: (name: string, initial: number) => number) => any) => Translation['translate']}
 */
const formula = (compute) => (node, [x], cx) => compute(cx.value(x), (name, initial) => node.attr(name, initial));

/** @type {Translation['translate']} */
function where(_, [condition, a, b], cx) {
  return /** @type {any} */ (cx.value(condition)).select(cx.value(a), cx.value(b));
}

/** What codes stand for, or a value as it is. @type {(x: any, cx: Builder) => any} */
const decoded = (x, cx) => (x instanceof Encoded ? decode(x, 'f32', cx) : cx.value(x));

/** @type {Translation['translate']} */
function isInf(node, [x], cx) {
  const value = decoded(x, cx);
  const [negative, positive] = [node.attr('detect_negative', 1), node.attr('detect_positive', 1)];
  if (negative && positive) return value.isInf();
  if (!negative && !positive) return value.isInf().and(false);
  return value.eq(positive ? Infinity : -Infinity);
}

/** @type {Translation['translate']} */
function bitShift(node, [a, b], cx) {
  const x = /** @type {any} */ (cx.value(a));
  return node.attr('direction') === 'LEFT' ? x.shl(cx.value(b)) : x.shr(cx.value(b));
}

/** @type {(name: string) => Translation['translate']} */
function softmax(name) {
  return (node, [x], cx) => {
    const value = /** @type {any} */ (cx.value(x));
    if (node.version >= 13) return value[name]({ axis: node.attr('axis', -1) });
    // Before version 13 all axes from this one on were one row.
    const axis = node.attr('axis', 1);
    const first = edgeOf(axis, value.rank, cx);
    const rows = Array.from({ length: value.rank - first }, (_, i) => first + i);
    return rows.length === 0 ? value[name]({ axis: [] }) : value[name]({ axis: rows });
  };
}

/** @type {Translation['translate']} */
function hardmax(node, [x], cx) {
  const value = /** @type {any} */ (cx.value(x));
  const axis = node.attr('axis', node.version >= 13 ? -1 : 1);
  const first = edgeOf(axis, value.rank, cx);
  const hardest = (/** @type {any} */ rows) =>
    rows.argmax({ axis: first }).oneHot(rows.shape[first], { axis: first, dtype: rows.dtype });
  if (node.version >= 13 || first === value.rank - 1) return hardest(value);
  return hardest(value.reshape([...value.shape.slice(0, first), -1])).reshape(value.shape);
}

const numbersEqual = binary('eq').translate;

/** @type {Translation} */
const identity = { translate: (_, [x]) => x, sizes: (_, [x]) => x, fold: false };

/** @type {import('./index.js').Tables} */
const ops = {
  'ai.onnx': {
    Abs: unary('abs'), Acos: unary('acos'), Acosh: unary('acosh'), Asin: unary('asin'), Asinh: unary('asinh'),
    Atan: unary('atan'), Atanh: unary('atanh'), Cos: unary('cos'), Cosh: unary('cosh'), Sin: unary('sin'),
    Sinh: unary('sinh'), Tan: unary('tan'), Tanh: unary('tanh'), Erf: unary('erf'), Exp: unary('exp'), Log: unary('log'),
    Sqrt: unary('sqrt'),
    Neg: { translate: unary('neg'), sizes: (_, [x]) => sizes.elementwise(undefined, sizes.negative, x) }, Sign: unary('sign'), Round: unary('roundEven'),
    Reciprocal: unary('reciprocal'), IsNaN: (_, [x], cx) => decoded(x, cx).isNan(), Not: unary('not'), BitwiseNot: unary('not'),
    Relu: unary('relu'), Sigmoid: unary('sigmoid'), Softplus: unary('softplus'), Softsign: unary('softsign'),
    Mish: unary('mish'), HardSwish: unary('hardSwish'),
    Floor: { translate: unary('floor'), sizes: (_, [x]) => sizes.elementwise(undefined, sizes.floor, x) },
    Ceil: { translate: unary('ceil'), sizes: (_, [x]) => sizes.elementwise(undefined, sizes.ceil, x) },
    Add: binary('add', (_, [a, b]) => sizes.add(a, b)), Sub: binary('sub', (_, [a, b]) => sizes.sub(a, b)),
    Mul: binary('mul', (_, [a, b]) => sizes.mul(a, b)), Div: binary('div', (_, [a, b]) => sizes.div(a, b)),
    Mod: { translate: mod, sizes: (node, [a, b]) => (node.attr('fmod', 0) === 1 ? undefined : sizes.remainder(a, b)) },
    Pow: pow, PRelu: prelu,
    Max: { translate: variadic('max'), sizes: (_, list) => list.reduce((a, b) => a && sizes.elementwise(undefined, sizes.greater, a, b)) },
    Min: { translate: variadic('min'), sizes: (_, list) => list.reduce((a, b) => a && sizes.elementwise(undefined, sizes.lesser, a, b)) },
    Sum: variadic('add'),
    Mean: (_, inputs, cx) => inputs.map((each) => /** @type {any} */ (cx.value(each))).reduce((a, b) => a.add(b)).div(inputs.length),
    And: logical('and'), Or: logical('or'), Xor: logical('xor'),
    BitwiseAnd: binary('and'), BitwiseOr: binary('or'), BitwiseXor: binary('xor'), BitShift: bitShift,
    Equal: {
      translate: (node, [a, b], cx) => (a instanceof Text ? equalTexts(cx, a, b) : numbersEqual(node, [a, b], cx)),
      sizes: (_, [a, b]) => sizes.elementwise('bool', sizes.equal, a, b),
    },
    Less: binary('lt', (_, [a, b]) => sizes.elementwise('bool', sizes.less, a, b)),
    Greater: binary('gt', (_, [a, b]) => sizes.elementwise('bool', (x, y) => sizes.less(y, x), a, b)),
    LessOrEqual: binary('le', (_, [a, b]) => sizes.elementwise('bool', (x, y) => negated(sizes.less(y, x)), a, b)),
    GreaterOrEqual: binary('ge', (_, [a, b]) => sizes.elementwise('bool', (x, y) => negated(sizes.less(x, y)), a, b)),
    Where: { translate: moving(where), sizes: (_, [p, a, b]) => sizes.where(p, a, b) },
    Clip: clip, Cast: cast,
    CastLike: (node, [x, like], cx) => convert(x, cx.dtype(like), cx, conversionOf(node)),
    IsInf: isInf, Gelu: gelu,
    Elu: activation('elu', 'alpha', 1), Celu: activation('celu', 'alpha', 1),
    Selu: formula((x, attr) => {
      const below = x.expm1().mul(attr('alpha', 1.67326319217681884765625));
      return x.gt(0).select(x, below).mul(attr('gamma', 1.05070102214813232421875));
    }),
    LeakyRelu: activation('leakyRelu', 'slope', 0.01),
    HardSigmoid: formula((x, attr) => x.mul(attr('alpha', 0.2)).add(attr('beta', 0.5)).clip(0, 1)),
    ThresholdedRelu: formula((x, attr) => x.gt(attr('alpha', 1)).select(x, 0)),
    Shrink: formula((x, attr) => {
      const [limit, bias] = [attr('lambd', 0.5), attr('bias', 0)];
      const own = isFloat(x) ? x : x.astype('f64');
      const result = own.lt(-limit).select(own.add(bias), own.gt(limit).select(own.sub(bias), 0));
      return isFloat(x) ? result : result.astype(x.dtype);
    }),
    Swish: formula((x, attr) => x.mul(x.mul(attr('alpha', 1)).sigmoid())),
    Softmax: softmax('softmax'), LogSoftmax: softmax('logSoftmax'), Hardmax: hardmax,
    Identity: identity,
  },
};

module.exports = { convert, ops };
