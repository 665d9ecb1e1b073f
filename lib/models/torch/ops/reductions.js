/**
 * Reductions, running sums, norms and order.
 */
'use strict';

const sizes = require('../../shared/sizes.js');
const { bounded } = require('../guard.js');
const { isFloat, truth } = require('./elementwise.js');

/** @typedef {import('../call.js').Call} Call */

/** Axes and whether they stay. @type {(call: Call, rank: number) => { axis: number[], keepDims: boolean }} */
const over = (call, rank) => ({ axis: call.axes('dim', rank), keepDims: call.flag('keepdim') });

/** The operand in the dtype asked for; where none is, integers are counted in 64 bits. @type {(call: Call) => any} */
function summand(call) {
  const value = call.value();
  const dtype = call.dtype() ?? (isFloat(value.dtype) ? value.dtype : 'i64');
  return value.dtype === dtype ? value : value.astype(dtype);
}

/** @type {(name: string, prepare?: (call: Call) => any) => (call: Call) => any} */
const reduction = (name, prepare = summand) => (call) => {
  const value = prepare(call);
  const keepsDtype = name === 'sum' || name === 'prod';
  return value[name]({ ...over(call, value.rank), ...(keepsDtype ? { dtype: value.dtype } : {}) });
};

/** @type {(call: Call) => any} */
const floatsOf = (call) => {
  const dtype = call.dtype();
  return dtype === undefined ? call.floats() : call.value('self', dtype);
};

/** Of all elements, of two tensors, or along an axis with where it is. @type {(name: 'max' | 'min') => (call: Call) => any} */
const extreme = (name) => (call) => {
  if (call.isTensor('dim')) {
    const [a, b] = call.alike('self', 'dim');
    return a[name](b);
  }
  const value = call.value();
  if (!call.has('dim')) return value[name]();
  if (value.rank === 0) return [value, value.mul(0).astype('i64')];
  const options = { axis: call.axis('dim', value.rank), keepDims: call.flag('keepdim') };
  return [value[name](options), position(value, `arg${name}`, options)];
};

/** @type {(value: any, name: string, options: object) => any} */
const position = (value, name, options) => (value.dtype === 'bool' ? value.astype('u8') : value)[name](options).astype('i64');

/** @type {(name: 'argmax' | 'argmin') => (call: Call) => any} */
const indexOf = (name) => (call) => {
  const value = call.value();
  if (call.has('dim') && value.rank > 0) return position(value, name, { axis: call.axis('dim', value.rank), keepDims: call.flag('keepdim') });
  return position(value.reshape([-1]), name, { axis: 0 });
};

/** @type {(name: 'max' | 'min') => (call: Call) => any} */
const least = (name) => (call) => call.value()[name](over(call, call.value().rank));

/** @type {(name: 'all' | 'any') => (call: Call) => any} */
const logical = (name) => (call) => {
  const value = call.value();
  const result = truth(value)[name](over(call, value.rank));
  return value.dtype === 'u8' ? result.astype('u8') : result;
};

/** `unbiased` and `correction` say the same; the first may stand in place of axes. @type {(call: Call) => any} */
function varianceOptions(call) {
  const value = call.floats();
  const isBare = typeof call.args.dim === 'boolean';
  const unbiased = isBare ? call.args.dim : call.args.unbiased;
  const correction = call.has('correction') ? call.number('correction') : Number(unbiased ?? true);
  const axis = isBare ? Array.from({ length: value.rank }, (_, i) => i) : call.axes('dim', value.rank);
  return { axis, keepDims: call.flag('keepdim'), correction };
}

/** @type {(name: 'var' | 'std', withMean: boolean) => (call: Call) => any} */
const spread = (name, withMean) => (call) => {
  const options = varianceOptions(call);
  const value = call.floats();
  const result = value[name](options);
  return withMean ? [result, value.mean({ axis: options.axis, keepDims: options.keepDims })] : result;
};

/** @type {(name: string) => (call: Call) => number} an order of norms: a number, `inf`, or 'fro' */
const orderOf = (name) => (call) => {
  const given = call.args[name];
  if (given === null || given === 'fro') return 2;
  return call.number(name);
};

/** @type {(name: string) => (call: Call) => any} */
const norm = (name) => (call) => {
  const value = floatsOf(call);
  return value.vectorNorm({ ord: orderOf(name)(call), ...over(call, value.rank) });
};

/** @type {(name: 'cumulativeSum' | 'cumulativeProd') => (call: Call) => any} */
const running = (name) => (call) => {
  const value = summand(call);
  return value.rank === 0 ? value : value[name]({ axis: call.axis('dim', value.rank), dtype: value.dtype });
};

/** @type {(name: 'cumulateMax' | 'cumulateMin') => (call: Call) => any} values, and where the last of equals is */
const runningExtreme = (name) => (call) => {
  const value = call.value();
  const axis = call.axis('dim', value.rank);
  const best = value[name](axis);
  const places = call.cx.value(call.cx.iota(value.shape, 'i64', axis));
  return [best, /** @type {any} */ (value.eq(best).select(places, -1)).cumulateMax(axis)];
};

/** @type {(call: Call) => any} logarithms of running sums of exponentials, kept from overflow by the greatest */
function logCumulativeSum(call) {
  const value = call.floats();
  const axis = call.axis('dim', value.rank);
  const top = value.max({ axis, keepDims: true });
  return value.sub(top).exp().cumulativeSum({ axis }).log().add(top);
}

/** @type {(call: Call) => any} */
function sort(call) {
  const value = call.value();
  if (value.rank === 0) return [value, value.mul(0).astype('i64')];
  const options = { axis: call.axis('dim', value.rank), descending: call.flag('descending') };
  return [value.sort(options), value.argsort(options).astype('i64')];
}

/** @type {(call: Call) => any} */
function topk(call) {
  const value = call.value();
  const { values, indices } = value.topk(call.size('k'), { axis: call.axis('dim', value.rank), largest: call.flag('largest') });
  return [values, indices.astype('i64')];
}

/** The lower of two middle elements. @type {(call: Call) => any} */
function median(call) {
  const given = call.value();
  const isAll = !call.has('dim');
  const value = isAll ? given.reshape([-1]) : given;
  const axis = isAll ? 0 : call.axis('dim', value.rank);
  const { state } = call.cx;
  const length = state.dim(value.shape[axis], 'a size', 'load');
  const middle = state.text(state.floorDiv(state.add(length, 1), 2));
  const { values, indices } = value.kthValue(middle, { axis });
  if (isAll) return values;
  const kept = call.flag('keepdim');
  return [values, indices.astype('i64')].map((each) => (kept ? each.expandDims(axis) : each));
}

/** @type {(call: Call) => any} */
function kthValue(call) {
  const value = call.value();
  const axis = call.axis('dim', value.rank);
  const { values, indices } = value.kthValue(call.size('k'), { axis });
  return [values, indices.astype('i64')].map((each) => (call.flag('keepdim') ? each.expandDims(axis) : each));
}

/** @type {(call: Call) => any} the number of elements over axes, as sizes */
const productOfSizes = (call) => (call.has('dim') ? undefined : sizes.reduceAll(call.operand('self'), false, (a, b) => sizes.multiply(a, b, false), 1));



/** @type {import('./index.js').Ops} */
const ops = {
  'sum(self, dim=None, keepdim=False, *, dtype=None)': reduction('sum'),
  'nansum(self, dim=None, keepdim=False, *, dtype=None)': reduction('nanSum'),
  'mean(self, dim=None, keepdim=False, *, dtype=None)': reduction('mean', floatsOf),
  'nanmean(self, dim=None, keepdim=False, *, dtype=None)': reduction('nanMean', floatsOf),
  'prod(self, dim=None, keepdim=False, *, dtype=None)': { compute: reduction('prod'), sizes: productOfSizes },
  'max(self, dim|other=None, keepdim=False)': extreme('max'), 'min(self, dim|other=None, keepdim=False)': extreme('min'),
  'amax(self, dim=[], keepdim=False)': least('max'), 'amin(self, dim=[], keepdim=False)': least('min'),
  'aminmax(self, *, dim=None, keepdim=False)': (call) => {
    const options = over(call, call.value().rank);
    return [call.value().min(options), call.value().max(options)];
  },
  'argmax(self, dim=None, keepdim=False)': indexOf('argmax'), 'argmin(self, dim=None, keepdim=False)': indexOf('argmin'),
  'all(self, dim=None, keepdim=False)': logical('all'), 'any(self, dim=None, keepdim=False)': logical('any'),
  'var(self, dim=None, unbiased=None, keepdim=False, *, correction=None)': spread('var', false),
  'std(self, dim=None, unbiased=None, keepdim=False, *, correction=None)': spread('std', false),
  'var_mean(self, dim=None, unbiased=None, keepdim=False, *, correction=None)': spread('var', true),
  'std_mean(self, dim=None, unbiased=None, keepdim=False, *, correction=None)': spread('std', true),
  'norm(self, p=2, dim=None, keepdim=False, dtype=None)': norm('p'),
  'linalg_vector_norm(self, ord=2, dim=None, keepdim=False, *, dtype=None)': norm('ord'),
  'linalg_norm(self, ord=None, dim=None, keepdim=False, *, dtype=None)': norm('ord'),
  'linalg_matrix_norm(self, ord="fro", dim=[-2 -1], keepdim=False, *, dtype=None)': norm('ord'),
  'frobenius_norm(self, dim=[], keepdim=False, *, dtype=None)': (call) => floatsOf(call).vectorNorm(over(call, call.value().rank)),
  'dist(self, other, p=2)': (call) => {
    const [a, b] = call.alike('self', 'other');
    return a.sub(b).vectorNorm({ ord: call.number('p') });
  },
  'logsumexp(self, dim, keepdim=False)': (call) => call.floats().logSumExp(over(call, call.value().rank)),
  'count_nonzero(self, dim=None)': (call) => call.value().countNonzero({ axis: call.axes('dim', call.value().rank) }),
  'cumsum(self, dim, *, dtype=None)': running('cumulativeSum'), 'cumprod(self, dim, *, dtype=None)': running('cumulativeProd'),
  'cummax(self, dim)': runningExtreme('cumulateMax'), 'cummin(self, dim)': runningExtreme('cumulateMin'),
  'logcumsumexp(self, dim)': logCumulativeSum,
  'sort(self, dim=-1, descending=False, *, stable=None)': sort,
  'argsort(self, dim=-1, descending=False, *, stable=None)': (call) => sort(call)[1],
  'msort(self)': (call) => call.value().sort({ axis: 0 }),
  'topk(self, k, dim=-1, largest=True, sorted=True)': topk,
  'median(self, dim=None, keepdim=False)': median,
  'kthvalue(self, k, dim=-1, keepdim=False)': kthValue,
  'diff(self, n=1, dim=-1, prepend=None, append=None)': (call) => call.value().diff({ order: bounded(call.int('n'), 'differences'), axis: call.int('dim') }),
  'bincount(self, weights=None, minlength=0)': (call) => call.fail('ERR_UNSUPPORTED', 'how many bins there are depends on data'),
};

module.exports = { over, ops };
