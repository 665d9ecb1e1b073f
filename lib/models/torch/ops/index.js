/**
 * The ops of PyTorch, by name.
 *
 * A row is a signature (call.js) and what computes it. Scripts and exported programs have the same rows. A name with an
 * underscore behind it that has no row of its own is the op in place: its result is written to its first argument.
 */
'use strict';

const { parseSignature } = require('../call.js');

/** @typedef {import('../call.js').Call} Call */

/**
 * @typedef {object} Translation
 * @property {(call: Call) => any} compute an operand, or a list of them
 * @property {(call: Call) => any} [sizes] the same where operands are sizes; undefined where it can't say
 * @property {boolean} [fold] false: never computed ahead
 * @property {(call: Call, part: any, index: number) => any} [view] of a view of the first argument: the whole with the
 *   part written into it
 * @property {boolean} [isList] whether a list comes out, however long it is
 */
/** @typedef {((call: Call) => any) | Translation} Given a translation, or its `compute` alone */
/** @typedef {Translation & { signature: import('../call.js').Signature, inPlace: boolean }} Row */
/** @typedef {Readonly<Record<string, Given>>} Ops by signature */

/** @type {readonly (() => Ops)[]} */
const files = [
  () => require('./elementwise.js').ops,
  () => require('./activations.js').ops,
  () => require('./reductions.js').ops,
  () => require('./views.js').ops,
  () => require('./shapes.js').ops,
  () => require('./creation.js').ops,
  () => require('./indexing.js').ops,
  () => require('./linear.js').ops,
  () => require('./layers.js').ops,
  () => require('./pools.js').ops,
  () => require('./recurrent.js').ops,
  () => require('./attention.js').ops,
  () => require('./losses.js').ops,
  () => require('./signals.js').ops,
];

/** Other names of rows. @type {Readonly<Record<string, string>>} */
const ALIASES = {
  multiply: 'mul', divide: 'div', true_divide: 'div', subtract: 'sub', negative: 'neg', absolute: 'abs', clip: 'clamp', greater: 'gt', greater_equal: 'ge',
  less: 'lt', less_equal: 'le', not_equal: 'ne', arccos: 'acos', arcsin: 'asin', arctan: 'atan', arctan2: 'atan2', fix: 'trunc', __and__: 'bitwise_and',
  __or__: 'bitwise_or', __xor__: 'bitwise_xor', __iand__: 'bitwise_and_', __ior__: 'bitwise_or_', __ixor__: 'bitwise_xor_', __lshift__: 'bitwise_left_shift', __rshift__: 'bitwise_right_shift', det: 'linalg_det', _cdist_forward: 'cdist',
  concat: 'cat', concatenate: 'cat', row_stack: 'vstack', ger: 'outer', swapaxes: 'transpose', swapdims: 'transpose', moveaxis: 'movedim', special_expit: 'sigmoid',
  special_erf: 'erf', special_log1p: 'log1p', special_expm1: 'expm1', special_softmax: 'softmax', special_log_softmax: 'log_softmax', special_logsumexp: 'logsumexp',
  inverse: 'linalg_inv', linalg_matmul: 'matmul', _unsafe_view: 'reshape', view_copy: 'view', detach_copy: 'detach', expand_copy: 'expand',
  slice_copy: 'slice', select_copy: 'select', permute_copy: 'permute', transpose_copy: 't', squeeze_copy: 'squeeze', unsqueeze_copy: 'unsqueeze',
  split_with_sizes_copy: 'split_with_sizes', unbind_copy: 'unbind', _index_put_impl: 'index_put', _unsafe_index: 'index', _unsafe_index_put: 'index_put',
  native_channel_shuffle: 'channel_shuffle', linalg_outer: 'outer', lift_fresh: 'alias', lift_fresh_copy: 'clone', lift: 'alias',
};

/** @type {Map<string, Row> | undefined} */
let rows;

function allRows() {
  if (rows !== undefined) return rows;
  rows = new Map();
  for (const file of files) {
    for (const [text, given] of Object.entries(file())) {
      const signature = parseSignature(text);
      rows.set(signature.name, { ...(typeof given === 'function' ? { compute: given } : given), signature, inPlace: false });
    }
  }
  return rows;
}

/** @type {(name: string) => Row | undefined} */
function findOp(name) {
  const all = allRows();
  const own = Object.hasOwn(ALIASES, name) ? ALIASES[name] : name;
  const row = all.get(own);
  if (row !== undefined || !own.endsWith('_')) return row;
  const base = findOp(own.slice(0, -1));
  return base && { ...base, inPlace: true };
}

/** @type {() => string[]} names of all ops */
const opNames = () => [...allRows().keys(), ...Object.keys(ALIASES)].sort();

module.exports = { findOp, opNames };
