/**
 * Arithmetic, comparisons and functions of single elements.
 */
'use strict';

const sizes = require('../../shared/sizes.js');
const { Known, Sizes } = require('../../shared/operands.js');
const { commonDtype } = require('../promotion.js');
const { Complex } = require('../values.js');

/** @typedef {import('../call.js').Call} Call */

/** @type {(dtype: string) => boolean} */
const isFloat = (dtype) => /^b?f/.test(dtype);

/** Whether an argument is a size or a known integer. @type {(call: Call, name: string) => boolean} */
const isSize = (call, name) => {
  const operand = call.operand(name);
  return (operand instanceof Sizes || operand instanceof Known) && !isFloat(operand.dtype);
};

/** @type {(compute: (a: any, b: any) => any) => (call: Call) => any} of tensors of sizes */
const onSizes = (compute) => (call) => (isSize(call, 'self') && isSize(call, 'other') ? compute(call.operand('self'), call.operand('other')) : undefined);

/** `alpha` times the second operand. @type {(call: Call, value: any) => any} */
function scaledBy(call, value) {
  const alpha = call.args.alpha;
  if (alpha === 1n || alpha === 1 || alpha === null) return value;
  return value.mul(call.lift(alpha, value.dtype, 'alpha'));
}

/** @type {(name: 'add' | 'sub') => { compute: (call: Call) => any, sizes: (call: Call) => any }} */
const sum = (name) => ({
  compute: (call) => {
    const [a, b] = call.alike('self', 'other');
    if (a.dtype === 'bool') return name === 'add' ? a.or(b) : a.astype('i64').sub(b.astype('i64'));
    return a[name](scaledBy(call, b));
  },
  sizes: (call) => (call.args.alpha === 1n ? onSizes(sizes[name])(call) : undefined),
});

/** Both as floats. @type {(call: Call, ...names: string[]) => any[]} */
function asFloats(call, ...names) {
  const dtype = commonDtype(names.map((name) => call.args[name]));
  return names.map((name) => call.value(name, isFloat(dtype) ? dtype : 'f32'));
}

/** @type {(call: Call) => any} */
function divide(call) {
  if (!call.has('rounding_mode')) {
    const [a, b] = asFloats(call, 'self', 'other');
    return a.div(b);
  }
  const [a, b] = call.alike('self', 'other');
  if (call.text('rounding_mode') === 'floor') return a.floorDivide(b);
  return isFloat(a.dtype) ? a.div(b).trunc() : a.div(b);
}

/** @type {(call: Call) => any} */
function power(call) {
  const { exponent } = call.args;
  if (exponent === 2n || exponent === 2) {
    const [value] = call.alike('self', 'exponent');
    return value.mul(value);
  }
  const [a, b] = call.alike('self', 'exponent');
  return exponent === 0.5 ? a.sqrt() : a.pow(b);
}

/** @type {(name: string) => (call: Call) => any} a function of floats */
const ofFloats = (name) => (call) => call.floats()[name]();
/** Integers are whole already. @type {(name: string) => (call: Call) => any} */
const rounding = (name) => (call) => {
  const value = call.value();
  return isFloat(value.dtype) ? value[name]() : value;
};

/** @type {(name: string) => (call: Call) => any} a method of two operands of one dtype */
const pairwise = (name) => (call) => {
  const [a, b] = call.alike('self', 'other');
  return a[name](b);
};

/** @type {(name: string, early?: (a: any, b: any) => any) => any} */
const comparison = (name, early) => ({
  compute: pairwise(name),
  ...(early ? { sizes: onSizes((a, b) => sizes.elementwise('bool', early, a, b)) } : {}),
});

/** @type {(test: boolean | undefined) => boolean | undefined} */
const opposite = (test) => (test === undefined ? undefined : !test);

/** @type {(value: any) => any} whether elements are not 0 */
const truth = (value) => (value.dtype === 'bool' ? value : value.ne(0));

/** @type {(name: 'and' | 'or' | 'xor') => (call: Call) => any} */
const logical = (name) => (call) => truth(call.value('self'))[name](truth(call.value('other')));

/** @type {(call: Call) => any} */
function clamp(call) {
  const names = ['min', 'max'].filter((name) => call.has(name));
  const dtype = commonDtype(['self', ...names].map((name) => call.args[name]));
  let value = call.value('self', dtype);
  if (call.has('min')) value = value.max(call.value('min', dtype));
  return call.has('max') ? value.min(call.value('max', dtype)) : value;
}

/** @type {(call: Call) => any} */
function where(call) {
  const test = truth(call.value('condition'));
  if (!call.has('self')) return test.nonzero();
  const [a, b] = call.alike('self', 'other');
  return test.select(a, b);
}

/** @type {(call: Call) => any} */
function lerp(call) {
  const [a, b] = call.alike('self', 'end');
  return a.add(b.sub(a).mul(call.value('weight', a.dtype)));
}

/** @type {(combine: 'mul' | 'div') => (call: Call) => any} self + value · (first, second) */
const addcombined = (combine) => (call) => {
  const [a, b, c] = combine === 'div' ? asFloats(call, 'self', 'tensor1', 'tensor2') : call.alike('self', 'tensor1', 'tensor2');
  return a.add(b[combine](c).mul(call.value('value', a.dtype)));
};

/** @type {(call: Call) => any} */
function nanToNum(call) {
  const value = call.value();
  if (!isFloat(value.dtype)) return value;
  return value.nanToNum({
    ...(call.has('nan') ? { nan: call.number('nan') } : {}),
    ...(call.has('posinf') ? { posInf: call.number('posinf') } : {}),
    ...(call.has('neginf') ? { negInf: call.number('neginf') } : {}),
  });
}

/** Functions of floats, and the method that computes each. */
const FLOATS = {
  sqrt: 'sqrt', exp: 'exp', exp2: 'exp2', expm1: 'expm1', log: 'log', log2: 'log2', log10: 'log10', log1p: 'log1p', sin: 'sin',
  cos: 'cos', tan: 'tan', asin: 'asin', acos: 'acos', atan: 'atan', sinh: 'sinh', cosh: 'cosh', tanh: 'tanh', asinh: 'asinh',
  acosh: 'acosh', atanh: 'atanh', erf: 'erf', erfc: 'erfc', erfinv: 'erfInv', lgamma: 'lgamma', reciprocal: 'reciprocal',
  sigmoid: 'sigmoid', logit: 'logit', sinc: 'sinc', rad2deg: 'degrees', deg2rad: 'radians',
};

/** @type {import('./index.js').Ops} */
const ops = {
  'add(self, other, *, alpha=1)': sum('add'),
  'sub(self, other, *, alpha=1)': sum('sub'),
  'rsub(self, other, *, alpha=1)': (call) => {
    const [a, b] = call.alike('self', 'other');
    return b.sub(scaledBy(call, a));
  },
  'mul(self, other)': {
    compute: (call) => {
      const [a, b] = call.alike('self', 'other');
      return a.dtype === 'bool' ? a.and(b) : a.mul(b);
    },
    sizes: onSizes(sizes.mul),
  },
  'div(self, other, *, rounding_mode=None)': {
    compute: divide,
    sizes: (call) => (call.has('rounding_mode') ? onSizes(sizes.div)(call) : undefined),
  },
  'floor_divide(self, other)': { compute: pairwise('floorDivide'), sizes: onSizes(sizes.div) },
  'floordiv(self, other)': { compute: pairwise('floorDivide'), sizes: onSizes(sizes.div) },
  'remainder(self, other)': pairwise('remainder'),
  'fmod(self, other)': pairwise('rem'),
  'pow(self, exponent)': power,
  'float_power(self, exponent)': (call) => call.value('self', 'f64').pow(call.value('exponent', 'f64')),
  'square(self)': (call) => call.value().square(),
  'neg(self)': (call) => call.value().neg(),
  'positive(self)': (call) => call.value(),
  'abs(self)': (call) => {
    const { self } = call.args;
    return self instanceof Complex ? self.part(0).hypot(self.part(1)) : call.value().abs();
  },
  'sign(self)': (call) => call.value().sign(),
  'sgn(self)': (call) => call.value().sign(),
  'floor(self)': rounding('floor'), 'ceil(self)': rounding('ceil'), 'trunc(self)': rounding('trunc'),
  'round(self, *, decimals=0)': (call) => {
    const value = call.value();
    return isFloat(value.dtype) ? value.round({ decimals: call.int('decimals') }) : value;
  },
  'frac(self)': (call) => call.value().sub(call.value().trunc()),
  'rsqrt(self)': (call) => call.floats().sqrt().reciprocal(),
  ...Object.fromEntries(Object.entries(FLOATS).filter(([name]) => name !== 'logit').map(([name, method]) => [`${name}(self)`, ofFloats(method)])),
  'logit(self, eps=None)': (call) => (call.has('eps') ? call.floats().clip(call.number('eps'), 1 - call.number('eps')) : call.floats()).logit(),
  'atan2(self, other)': (call) => {
    const [a, b] = asFloats(call, 'self', 'other');
    return a.atan2(b);
  },
  'hypot(self, other)': pairwise('hypot'),
  'logaddexp(self, other)': pairwise('logAddExp'), 'logaddexp2(self, other)': pairwise('logAddExp2'),
  'xlogy(self, other)': (call) => {
    const [a, b] = asFloats(call, 'self', 'other');
    return a.eq(0).select(a.mul(0), a.mul(b.log()));
  },
  'maximum(self, other)': pairwise('max'), 'minimum(self, other)': pairwise('min'),
  'fmax(self, other)': pairwise('fmax'), 'fmin(self, other)': pairwise('fmin'),
  'copysign(self, other)': pairwise('copySign'), 'heaviside(self, values)': (call) => call.value().heaviside(call.value('values')),
  'eq(self, other)': comparison('eq', sizes.equal),
  'ne(self, other)': comparison('ne', (a, b) => opposite(sizes.equal(a, b))),
  'lt(self, other)': comparison('lt', sizes.less),
  'le(self, other)': comparison('le', (a, b) => opposite(sizes.less(b, a))),
  'gt(self, other)': comparison('gt', (a, b) => sizes.less(b, a)),
  'ge(self, other)': comparison('ge', (a, b) => opposite(sizes.less(a, b))),
  'logical_and(self, other)': logical('and'), 'logical_or(self, other)': logical('or'), 'logical_xor(self, other)': logical('xor'),
  'logical_not(self)': (call) => truth(call.value()).not(),
  'bitwise_and(self, other)': pairwise('and'), 'bitwise_or(self, other)': pairwise('or'), 'bitwise_xor(self, other)': pairwise('xor'),
  'bitwise_not(self)': (call) => call.value().not(),
  'bitwise_left_shift(self, other)': pairwise('shl'), 'bitwise_right_shift(self, other)': pairwise('shr'),
  'isnan(self)': (call) => call.floats().isNan(), 'isinf(self)': (call) => call.floats().isInf(), 'isfinite(self)': (call) => call.floats().isFinite(),
  'isclose(self, other, rtol=1e-05, atol=1e-08, equal_nan=False)': (call) => {
    const [a, b] = call.alike('self', 'other');
    return a.isClose(b, { relative: call.number('rtol'), absolute: call.number('atol'), equalNan: call.flag('equal_nan') });
  },
  'clamp(self, min=None, max=None)': clamp,
  'clamp_min(self, min)': clamp, 'clamp_max(self, max)': clamp,
  'where(condition, self|input=None, other=None)': where,
  'masked_fill(self, mask, value)': (call) => {
    const value = call.value();
    return truth(call.value('mask')).select(call.value('value', value.dtype), value);
  },
  'lerp(self, end, weight)': lerp,
  'addcmul(self, tensor1, tensor2, *, value=1)': addcombined('mul'),
  'addcdiv(self, tensor1, tensor2, *, value=1)': addcombined('div'),
  'nan_to_num(self, nan=None, posinf=None, neginf=None)': nanToNum,
  'polar(abs, angle)': (call) => call.fail('ERR_UNSUPPORTED', 'complex numbers are not known'),
};

module.exports = { asFloats, isFloat, ops, truth };
