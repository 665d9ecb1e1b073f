/**
 * Ops on elements: arithmetic, comparisons, activations, conversions. Operands of an op have one type.
 */
'use strict';

const sizes = require('../../shared/sizes.js');
const { Encoded, Known, Sizes, Text } = require('../../shared/operands.js');
const { equalTexts, movedTexts } = require('../../shared/texts.js');
const { binary, formula, identity, unary } = require('../../shared/translations.js');
const { append } = require('../../../graph/value.js');
const { Complex } = require('../operands.js');

/** @typedef {import('../../shared/builder.js').Builder} Builder */
/** @typedef {import('../../shared/builder.js').Translation} Translation */

/** Real and imaginary part. @type {(operand: any, cx: Builder) => [any, any]} */
function partsOf(operand, cx) {
  if (operand instanceof Complex) return [cx.value(operand.re), cx.value(operand.im)];
  const re = /** @type {any} */ (cx.value(operand));
  return [re, re.mul(0)];
}

/** An op that complex numbers have as well. @type {(row: Translation, compute: (...parts: any[]) => [any, any]) => Translation} */
const alsoComplex = (row, compute) => ({
  ...row,
  translate: (node, inputs, cx) => {
    if (!inputs.some((each) => each instanceof Complex)) return row.translate(node, inputs, cx);
    return new Complex(...compute(...inputs.flatMap((each) => partsOf(each, cx))));
  },
});

/**
 * What moves elements, and those of complex tensors, codes and strings alike.
 *
 * @type {(row: Translation | Translation['translate']) => Translation}
 */
const moving = (row) => {
  const { translate, ...rest } = typeof row === 'function' ? { translate: row } : row;
  const of = (/** @type {any[]} */ inputs, /** @type {(each: any) => any} */ part) => inputs.map((each) => part(each));
  const together = (/** @type {any} */ result, /** @type {(each: any, i: number) => any} */ join) => (Array.isArray(result) ? result.map(join) : join(result, 0));
  return {
    ...rest,
    translate: (node, inputs, cx) => {
      if (inputs.some((each) => each instanceof Complex)) {
        const re = translate(node, of(inputs, (each) => (each instanceof Complex ? each.re : each)), cx);
        const im = translate(node, of(inputs, (each) => (each instanceof Complex ? each.im : each)), cx);
        return together(re, (each, i) => new Complex(each, Array.isArray(im) ? im[i] : im));
      }
      if (inputs.some((each) => each instanceof Text)) return movedTexts(translate, node, inputs, cx);
      const type = inputs.find((each) => each instanceof Encoded)?.type;
      if (type === undefined) return translate(node, inputs, cx);
      const codes = of(inputs, (each) => (each instanceof Encoded ? each.codes : each));
      return together(translate(node, codes, cx), (each) => new Encoded(type, each));
    },
  };
};

/** @type {(a: any, b: any, c: any, d: any) => [any, any]} */
const complexProduct = (a, b, c, d) => [a.mul(c).sub(b.mul(d)), a.mul(d).add(b.mul(c))];

/** @type {(a: any, b: any, c: any, d: any) => [any, any]} */
function complexQuotient(a, b, c, d) {
  const by = c.mul(c).add(d.mul(d));
  return [a.mul(c).add(b.mul(d)).div(by), b.mul(c).sub(a.mul(d)).div(by)];
}

const add = alsoComplex(binary('add', sizes.add), (a, b, c, d) => [a.add(c), b.add(d)]);

/** More than that is no limit of a list. */
const MAX_LIMIT = 65_536;

/**
 * The lesser of a number and a size that a run finds: a size of its own, so that the graph knows that it is no more.
 *
 * @type {(a: any, b: any, cx: Builder) => any}
 */
function lessSize(a, b, cx) {
  const [size, other] = a instanceof Sizes ? [a, b] : [b, a];
  if (!(other instanceof Known) || size.items.length !== 1 || other.size !== 1 || typeof size.items[0] !== 'string') return undefined;
  const [limit] = cx.ints(other, 'a limit');
  if (limit < 0 || limit > MAX_LIMIT || !cx.state.dependsOnData(cx.state.dim(size.items[0], 'a size', 'load'))) return undefined;
  const places = /** @type {any} */ (cx.iota([limit], 'i64'));
  const { shape: [count] } = places.compress(places.lt(cx.sizeValue(size.items[0])));
  return Sizes.of(size.dtype, size.shape.length >= other.shape.length ? size.shape : other.shape, [count]);
}

/** @type {Translation['translate']} */
function addAll(_, inputs, cx) {
  const first = /** @type {any} */ (cx.value(inputs[0]));
  return inputs.slice(1).reduce((sum, each) => sum.add(cx.value(each)), first);
}

/** A bias along the channels. @type {(x: any, bias: any, layout: string) => any} */
function withBias(x, bias, layout) {
  if (!layout.startsWith('NC') || x.rank < 3) return x.add(bias);
  return x.add(bias.reshape([...bias.shape, ...Array(x.rank - 2).fill(1)]));
}

/** @type {Translation} */
const cast = {
  translate: moving((node, [x], cx) => convert(x, node.attr('DstT'), cx)).translate,
  sizes: (node, [x]) => (/^(c|string)/.test(node.attr('DstT')) ? undefined : sizes.cast(x, node.attr('DstT'))),
};

/** @type {(x: any, dtype: any, cx: Builder) => any} */
function convert(x, dtype, cx) {
  if (x instanceof Text || x instanceof Encoded) return cx.fail('ERR_UNSUPPORTED', `no conversion to ${dtype}`);
  const value = /** @type {any} */ (cx.value(x));
  if (dtype === 'bool') return value.dtype === 'bool' ? value : value.ne(0);
  if (dtype !== 'c64' && dtype !== 'c128') return value.astype(dtype);
  const re = value.astype(dtype === 'c64' ? 'f32' : 'f64');
  return new Complex(re, re.mul(0));
}

/** @type {(isEqual: boolean, row: Translation) => Translation} strings may be compared as well */
const alsoText = (isEqual, row) => ({
  ...row,
  translate: (node, inputs, cx) => {
    if (!inputs.every((each) => each instanceof Text)) return row.translate(node, inputs, cx);
    if (inputs.length < 2) return cx.fail('ERR_PARSE', `there are ${inputs.length} inputs, expected 2`);
    const equal = equalTexts(cx, inputs[0], inputs[1]);
    return isEqual ? equal : equal.not();
  },
});

/** @type {(x: any, node: any) => any} */
function quantized(x, node) {
  const [least, most] = [node.attr('min', -6), node.attr('max', 6)];
  const steps = 2 ** node.attr('num_bits', 8) - 1;
  const first = node.attr('narrow_range', false) ? 1 : 0;
  const scale = (most - least) / (steps - first);
  const zero = Math.min(Math.max(Math.round(first - least / scale), first), steps);
  const [low, high] = [(first - zero) * scale, (steps - zero) * scale];
  return x.clip(low, high).sub(low).div(scale).add(0.5).floor().mul(scale).add(low);
}

/** First operand of the shape of others, or a vector along their first axis. @type {Translation['translate']} */
function select(_, [condition, a, b], cx) {
  const p = /** @type {any} */ (cx.value(condition, 'bool'));
  const [x, y] = [/** @type {any} */ (cx.value(a)), cx.value(b)];
  return (p.rank === 1 && x.rank > 1 ? p.reshape([...p.shape, ...Array(x.rank - 1).fill(1)]) : p).select(x, y);
}

const truth = (/** @type {any} */ x) => (x.dtype === 'bool' ? x : x.ne(0));
/** @type {(name: string) => Translation} */
const logical = (name) => formula((a, b) => truth(a)[name](truth(b)));

/** @type {import('./index.js').Table} */
const ops = {
  Add: add, AddV2: add, AddN: addAll, AccumulateNV2: addAll,
  Sub: alsoComplex(binary('sub', sizes.sub), (a, b, c, d) => [a.sub(c), b.sub(d)]),
  Mul: alsoComplex(binary('mul', sizes.mul), complexProduct),
  RealDiv: alsoComplex(binary('div', sizes.div), complexQuotient),
  Div: alsoComplex(binary('div', sizes.div), complexQuotient),
  TruncateDiv: binary('div', sizes.div), FloorDiv: binary('floorDivide', sizes.div),
  DivNoNan: formula((a, b) => b.eq(0).select(a.mul(0).nanToNum(), a.div(b))),
  MulNoNan: formula((a, b) => b.eq(0).select(b.mul(0), a.mul(b))),
  FloorMod: binary('remainder', sizes.remainder), Mod: binary('rem'), TruncateMod: binary('rem'),
  Maximum: binary('max', (a, b) => sizes.elementwise(undefined, sizes.greater, a, b)),
  Minimum: { ...binary('min'), sizes: (_, [a, b], cx) => lessSize(a, b, cx) ?? sizes.elementwise(undefined, sizes.lesser, a, b) },
  Pow: binary('pow'), SquaredDifference: formula((a, b) => a.sub(b).square()), Atan2: binary('atan2'),
  Xdivy: formula((a, b) => a.eq(0).select(a.mul(0), a.div(b))),
  Xlogy: formula((a, b) => a.eq(0).select(a, a.mul(b.log()))),
  BiasAdd: (node, [x, bias], cx) => withBias(cx.value(x), cx.value(bias), node.attr('data_format', 'NHWC')),
  BiasAddV1: formula((x, bias) => x.add(bias)),

  Abs: unary('abs'), Acos: unary('acos'), Acosh: unary('acosh'), Asin: unary('asin'), Asinh: unary('asinh'),
  Atan: unary('atan'), Atanh: unary('atanh'), Cos: unary('cos'), Cosh: unary('cosh'), Sin: unary('sin'), Sinh: unary('sinh'),
  Tan: unary('tan'), Tanh: unary('tanh'), Erf: unary('erf'), Erfc: unary('erfc'), Erfinv: unary('erfInv'), Exp: unary('exp'),
  Expm1: unary('expm1'), Log: unary('log'), Log1p: unary('log1p'), Lgamma: unary('lgamma'), Sqrt: unary('sqrt'),
  Rsqrt: formula((x) => x.sqrt().reciprocal()), Square: unary('square'), Reciprocal: unary('reciprocal'), Inv: unary('reciprocal'),
  Neg: alsoComplex(unary('neg', (_, [x]) => sizes.elementwise(undefined, sizes.negative, x)), (a, b) => [a.neg(), b.neg()]), Sign: unary('sign'), Round: unary('roundEven'), Rint: unary('roundEven'),
  Floor: unary('floor', (_, [x]) => sizes.elementwise(undefined, sizes.floor, x)),
  Ceil: unary('ceil', (_, [x]) => sizes.elementwise(undefined, sizes.ceil, x)),
  IsNan: unary('isNan'), IsFinite: unary('isFinite'), IsInf: unary('isInf'),
  Relu: unary('relu'), Relu6: unary('relu6'), Elu: unary('elu'), Selu: unary('selu'), Sigmoid: unary('sigmoid'),
  Softplus: unary('softplus'), Softsign: unary('softsign'),
  LeakyRelu: (node, [x], cx) => /** @type {any} */ (cx.value(x)).leakyRelu({ slope: node.attr('alpha', 0.2) }),
  Prelu: formula((x, slope) => x.gt(0).select(x, x.mul(slope))),
  ClipByValue: formula((x, least, most) => x.max(least).min(most)),
  Bucketize: (node, [x], cx) => /** @type {any} */ (cx.value(x)).bucketize(cx.constant(Float32Array.from(node.attr('boundaries', []))), { right: true }).astype('i32'),
  Cross: formula((a, b) => a.cross(b)),
  FakeQuantWithMinMaxArgs: (node, [x], cx) => quantized(cx.value(x), node),
  FakeQuantWithMinMaxVars: (node, [x, least, most], cx) => {
    const [min, max] = [cx.number(least, 'min'), cx.number(most, 'max')];
    return quantized(cx.value(x), { attr: (/** @type {string} */ name, /** @type {any} */ initial) => ({ min, max })[name] ?? node.attr(name, initial) });
  },

  Complex: (_, [re, im]) => new Complex(re, im),
  Real: { translate: (_, [x], cx) => (x instanceof Complex ? x.re : cx.value(x)), fold: false },
  Imag: (_, [x], cx) => (x instanceof Complex ? x.im : partsOf(x, cx)[1]),
  Conj: alsoComplex(identity, (a, b) => [a, b.neg()]),
  ComplexAbs: (_, [x], cx) => { const [a, b] = partsOf(x, cx); return a.hypot(b); },
  Angle: (_, [x], cx) => { const [a, b] = partsOf(x, cx); return b.atan2(a); },

  Equal: alsoText(true, binary('eq', (a, b) => sizes.elementwise('bool', sizes.equal, a, b))),
  NotEqual: alsoText(false, binary('ne')),
  Less: binary('lt', (a, b) => sizes.elementwise('bool', sizes.less, a, b)),
  Greater: binary('gt', (a, b) => sizes.elementwise('bool', (x, y) => sizes.less(y, x), a, b)),
  LessEqual: binary('le'), GreaterEqual: binary('ge'),
  ApproximateEqual: (node, [a, b], cx) => /** @type {any} */ (cx.value(a)).sub(cx.value(b)).abs().lt(node.attr('tolerance', 1e-5)),
  LogicalAnd: logical('and'), LogicalOr: logical('or'), LogicalXor: logical('xor'), LogicalNot: formula((x) => truth(x).not()),
  BitwiseAnd: binary('and'), BitwiseOr: binary('or'), BitwiseXor: binary('xor'), Invert: unary('not'),
  LeftShift: binary('shl'), RightShift: binary('shr'),
  Select: { translate: select, sizes: (_, [p, a, b]) => sizes.where(p, a, b) },
  SelectV2: { ...formula((p, a, b) => truth(p).select(a, b)), sizes: (_, [p, a, b]) => sizes.where(p, a, b) },
  Cast: cast, Bitcast: (node, [x], cx) => append(cx.state, 'bitcast', [cx.value(x)], { dtype: node.attr('type') }),

  Identity: identity, Snapshot: identity, StopGradient: identity, PreventGradient: identity, CheckNumerics: identity,
  Print: identity, EnsureShape: identity, DeepCopy: identity, Enter: identity, RefEnter: identity, LoopCond: identity,
  NextIteration: identity, RefNextIteration: identity, PlaceholderWithDefault: identity, RefIdentity: identity,
  IdentityN: { translate: (_, inputs) => inputs, fold: false, sizes: (_, inputs) => inputs },
  Switch: { translate: (_, [x]) => [x, x], sizes: (_, [x]) => [x, x], fold: false, outputs: ['output_false', 'output_true'] },
  RefSwitch: { translate: (_, [x]) => [x, x], sizes: (_, [x]) => [x, x], fold: false, outputs: ['output_false', 'output_true'] },
};

module.exports = { convert, moving, ops, partsOf, withBias };
