/**
 * The table of aggregates: what they keep per group, and what becomes of it.
 *
 * What is kept are *fields*: a few words that a kernel changes row by row (kernel/groups.js, kernel/folds.js). Rows
 * whose operand is null do not count. Without any row the count is 0 and everything else null, as in SQL. NaN makes
 * minimum, maximum, sum and mean NaN. Sums of integers are int64 and wrap beyond, unless the option `overflow` says
 * what else; those of float32 are computed as float64.
 */
'use strict';

const types = require('../types/index.js');
const { decimal128, float64, int64, uint64 } = types;

/** @typedef {import('../types/index.js').DataType} DataType */

/**
 * `as`: what the operand is converted to first; null: what it is. `initial`: the bits of its words in a group.
 * `step`: of kernel/groups.js; `fold`: of kernel/folds.js, where a whole table has such.
 *
 * @typedef {object} Field
 * @property {string} step
 * @property {string | null} fold
 * @property {DataType | null} as
 * @property {readonly bigint[]} initial
 */

/**
 * `value`: of one group, of which `fields` holds what was kept, and which has `rows` rows with an operand.
 *
 * @typedef {object} Aggregate
 * @property {string} doc
 * @property {number} args
 * @property {(type: DataType, policies: import('../analyse/context.js').Policies) => { fields: readonly Field[], result: DataType, finish: Finish } | null} plan null: it does not take the type
 */

/** How results of all groups are made of fields and counts. @typedef {{ kind: 'count' | 'field' | 'bool' | 'mean' | 'moments' | 'row' | 'text' | 'wide' | 'quantile' | 'distinct' | 'checked' | 'wideSum' | 'wideMean', ddof?: number, root?: boolean, overflow?: 'wrap' | 'error' | 'null', scale?: number }} Finish */

const ZERO = [0n];
const bitsOf = (/** @type {number} */ value) => new BigInt64Array(Float64Array.of(value).buffer)[0];

/** @type {(type: DataType) => boolean} */
const isReal = ({ kind }) => kind === 'int' || kind === 'float' || kind === 'bool';

/** What any value replaces, as a word. @type {(type: DataType, isLess: boolean) => bigint} */
function extreme({ kind, bits, signed }, isLess) {
  if (kind === 'float') return bits === 64 ? bitsOf(isLess ? Infinity : -Infinity) : isLess ? 0x7f800000n : 0xff800000n;
  if (kind === 'int' && !signed) return isLess ? BigInt.asIntN(64, (1n << BigInt(bits)) - 1n) : 0n;
  const size = 1n << BigInt(bits - 1);
  return isLess ? size - 1n : -size;
}

/** @type {(name: 'min' | 'max') => Aggregate['plan']} */
const least = (name) => (type) => {
  const isLess = name === 'min';
  if (type.kind === 'utf8' || type.kind === 'binary') {
    return { fields: [{ step: `${name}Text`, fold: null, as: null, initial: [-1n, 0n, -1n] }], result: type, finish: { kind: 'text' } };
  }
  if (type.kind === 'decimal') {
    return { fields: [{ step: `${name}Wide`, fold: null, as: null, initial: [0n, 0n, 0n] }], result: type, finish: { kind: 'wide' } };
  }
  if (type.kind === 'bool') {
    return { fields: [{ step: name, fold: name, as: types.uint8, initial: [isLess ? 255n : 0n] }], result: type, finish: { kind: 'bool' } };
  }
  if (type.kind === 'interval' || type.kind === 'null') return null;
  const as = type.id === 'float16' ? types.float32 : null;
  return { fields: [{ step: name, fold: name, as, initial: [extreme(as ?? type, isLess)] }], result: as ?? type, finish: { kind: 'field' } };
};

/** 16 bytes, and whether a sum had no room in them. @type {Field} */
const WIDE_SUM = { step: 'sumWide', fold: null, as: null, initial: [0n, 0n, 0n] };

/** @type {Aggregate['plan']} */
function sum(type, { overflow }) {
  if (type.kind === 'decimal') {
    return { fields: [WIDE_SUM], result: decimal128(types.MAX_PRECISION, type.scale), finish: { kind: 'wideSum', overflow } };
  }
  if (type.kind === 'duration') return { fields: [{ step: 'sum', fold: 'sum', as: null, initial: ZERO }], result: type, finish: { kind: 'field' } };
  if (!isReal(type)) return null;
  const result = type.kind === 'float' ? float64 : type.kind === 'int' && !type.signed ? uint64 : int64;
  const own = { step: 'sum', fold: 'sum', as: result, initial: ZERO };
  if (result === float64 || overflow === 'wrap') return { fields: [own], result, finish: { kind: 'field' } };
  // A sum that has wrapped is far from what it is as a float.
  return { fields: [own, { ...own, as: float64 }], result, finish: { kind: 'checked', overflow } };
}

/** @type {Aggregate['plan']} */
const mean = (type, { overflow }) =>
  type.kind === 'decimal'
    ? { fields: [WIDE_SUM], result: float64, finish: { kind: 'wideMean', overflow, scale: type.scale } }
    : isReal(type)
    ? { fields: [{ step: 'sum', fold: 'sum', as: float64, initial: ZERO }], result: float64, finish: { kind: 'mean' } }
    : null;

/** @type {(ddof: number, root: boolean) => Aggregate['plan']} */
const spread = (ddof, root) => (type) =>
  isReal(type) || type.kind === 'decimal'
    ? { fields: [{ step: 'moments', fold: null, as: float64, initial: [0n, 0n, 0n] }], result: float64, finish: { kind: 'moments', ddof, root } }
    : null;

/** @type {(step: 'first' | 'last') => Aggregate['plan']} */
const oneRow = (step) => (type) => ({ fields: [{ step, fold: step, as: null, initial: [-1n] }], result: type, finish: { kind: 'row' } });

/** @type {(name: 'min' | 'max') => Aggregate['plan']} */
const truth = (name) => (type, policies) => (type.kind === 'bool' ? least(name)(type, policies) : null);

/** Numbers in order: which of them is decided when all are known. @type {Aggregate['plan']} */
const ordered = (type) =>
  isReal(type) && type.kind !== 'bool'
    ? { fields: [{ step: 'chain', fold: null, as: null, initial: [-1n] }], result: float64, finish: { kind: 'quantile' } }
    : null;

/** By name. @type {Record<string, Aggregate>} */
const table = {
  count: { doc: 'rows, or rows that have a value', args: 1, plan: () => ({ fields: [], result: int64, finish: { kind: 'count' } }) },
  sum: { doc: 'sum', args: 1, plan: sum },
  mean: { doc: 'arithmetic mean', args: 1, plan: mean },
  min: { doc: 'least value', args: 1, plan: least('min') },
  max: { doc: 'greatest value', args: 1, plan: least('max') },
  var_samp: { doc: 'variance, divided by the count less 1', args: 1, plan: spread(1, false) },
  var_pop: { doc: 'variance, divided by the count', args: 1, plan: spread(0, false) },
  stddev_samp: { doc: 'square root of var_samp', args: 1, plan: spread(1, true) },
  stddev_pop: { doc: 'square root of var_pop', args: 1, plan: spread(0, true) },
  first: { doc: 'value of the first row that has one', args: 1, plan: oneRow('first') },
  last: { doc: 'value of the last row that has one', args: 1, plan: oneRow('last') },
  median: { doc: 'quantile at a half', args: 1, plan: ordered },
  quantile: { doc: 'value below which a share of values lies, between neighbours in proportion', args: 2, plan: ordered },
  count_distinct: { doc: 'different values', args: 1, plan: () => ({ fields: [], result: int64, finish: { kind: 'distinct' } }) },
  any: { doc: 'whether one is true', args: 1, plan: truth('max') },
  all: { doc: 'whether all are true', args: 1, plan: truth('min') },
};

/** @type {Record<string, string>} */
const aliases = {
  avg: 'mean', average: 'mean', minimum: 'min', maximum: 'max', variance: 'var_samp', var: 'var_samp', stddev: 'stddev_samp', std: 'stddev_samp',
  bool_or: 'any', bool_and: 'all', quantile_cont: 'quantile', nunique: 'count_distinct', first_value: 'first', last_value: 'last',
};

/** The name in the table, if it is an aggregate. @type {(name: string) => string | undefined} */
const aggregateName = (name) =>
  Object.hasOwn(table, name) ? name : Object.hasOwn(aliases, name) ? aliases[name] : undefined;

module.exports = { aggregateName, aliases, table };
