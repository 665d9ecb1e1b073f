/**
 * Products of matrices.
 */
'use strict';

const { commonDtype } = require('../promotion.js');

/** @typedef {import('../call.js').Call} Call */

/** @type {(call: Call, a: string, b: string) => any} */
function product(call, a, b) {
  const [x, y] = call.alike(a, b);
  return x.matmul(y);
}

/** beta · self + alpha · product @type {(product: (call: Call) => any) => (call: Call) => any} */
const added = (make) => (call) => {
  const result = make(call);
  const [alpha, beta] = [call.number('alpha'), call.number('beta')];
  const scaled = alpha === 1 ? result : result.mul(alpha);
  if (beta === 0) return scaled;
  const bias = call.value('self', result.dtype);
  return (beta === 1 ? bias : bias.mul(beta)).add(scaled);
};

/** @type {(call: Call) => any} */
function linear(call) {
  const [x, weight] = call.alike('self', 'weight');
  return x.linear(weight, call.optional('bias', x.dtype));
}

/** @type {(call: Call) => any} */
function einsum(call) {
  const dtype = commonDtype(call.args.tensors);
  const [first, ...others] = call.args.tensors.map((/** @type {any} */ each) => call.lift(each, dtype, 'tensors'));
  return first.einsum(call.text('equation').replaceAll(' ', ''), ...others);
}

/** @type {(call: Call) => any} */
function bilinear(call) {
  return call.value('input1').bilinear(call.value('input2'), call.value('weight'), call.optional('bias'));
}

/** @type {(call: Call) => any} distances of all pairs of rows */
function cdist(call) {
  const [a, b] = call.alike('x1', 'x2');
  const difference = a.expandDims(-2).sub(b.expandDims(-3));
  return difference.vectorNorm({ ord: call.number('p'), axis: -1 });
}

/** @type {(call: Call) => any} */
function multiDot(call) {
  return call.values('tensors').reduce((all, each) => all.matmul(each));
}

/** @type {import('./index.js').Ops} */
const ops = {
  'matmul(self, other)': (call) => product(call, 'self', 'other'),
  'mm(self, mat2)': (call) => product(call, 'self', 'mat2'), 'bmm(self, mat2)': (call) => product(call, 'self', 'mat2'),
  'mv(self, vec)': (call) => product(call, 'self', 'vec'), 'dot(self, tensor)': (call) => product(call, 'self', 'tensor'),
  'inner(self, other)': (call) => call.value().inner(call.value('other')), 'vdot(self, other)': (call) => product(call, 'self', 'other'),
  'outer(self, vec2)': (call) => call.value().outer(call.value('vec2')),
  'addmm(self, mat1, mat2, *, beta=1, alpha=1)': added((call) => product(call, 'mat1', 'mat2')),
  'addmv(self, mat, vec, *, beta=1, alpha=1)': added((call) => product(call, 'mat', 'vec')),
  'addr(self, vec1, vec2, *, beta=1, alpha=1)': added((call) => call.value('vec1').outer(call.value('vec2'))),
  'baddbmm(self, batch1, batch2, *, beta=1, alpha=1)': added((call) => product(call, 'batch1', 'batch2')),
  'addbmm(self, batch1, batch2, *, beta=1, alpha=1)': added((call) => product(call, 'batch1', 'batch2').sum({ axis: 0 })),
  'chain_matmul(tensors)': multiDot, 'linalg_multi_dot(tensors)': multiDot,
  'linear(self|input, weight, bias=None)': linear,
  'bilinear(input1, input2, weight, bias=None)': bilinear,
  'einsum(equation, tensors, *, path=None)': einsum,
  'tensordot(self, other, dims_self, dims_other)': (call) => call.value().tensordot(call.value('other'), { axes: [call.ints('dims_self'), call.ints('dims_other')] }),
  'kron(self, other)': (call) => call.value().kron(call.value('other')),
  'cross(self, other, dim=None)': (call) => call.value().cross(call.value('other'), { axis: call.has('dim') ? call.int('dim') : call.value().shape.indexOf(3) }),
  'linalg_cross(self, other, *, dim=-1)': (call) => call.value().cross(call.value('other'), { axis: call.int('dim') }),
  'linalg_vecdot(self|x, other|y, *, dim=-1)': (call) => call.value().vecdot(call.value('other'), { axis: call.int('dim') }),
  'linalg_inv(self)': (call) => require('../../shared/inverse.js').inverse(call.value(), call.cx),
  'linalg_inv_ex(self, *, check_errors=False)': (call) => [require('../../shared/inverse.js').inverse(call.value(), call.cx), null],
  'linalg_det(self)': (call) => call.value().det(),
  'linalg_solve(self|A, other|B, *, left=True)': (call) => require('../../shared/inverse.js').inverse(call.value(), call.cx).matmul(call.value('other')),
  'trace(self)': (call) => call.value().trace(),
  'matrix_power(self, n)': (call) => call.value().matrixPower(call.int('n')), 'linalg_matrix_power(self, n)': (call) => call.value().matrixPower(call.int('n')),
  'adjoint(self)': (call) => call.value().matrixTranspose(),
  'cdist(x1, x2, p=2, compute_mode=None)': cdist,
  'cosine_similarity(x1, x2, dim=1, eps=1e-08)': (call) => call.value('x1').cosineSimilarity(call.value('x2'), { axis: call.int('dim'), epsilon: call.number('eps') }),
  'pairwise_distance(x1, x2, p=2, eps=1e-06, keepdim=False)': (call) => {
    const distance = call.value('x1').sub(call.value('x2')).add(call.number('eps'));
    return distance.vectorNorm({ ord: call.number('p'), axis: -1, keepDims: call.flag('keepdim') });
  },
};

module.exports = { ops };
