/**
 * Casts: one row per pair of kinds.
 *
 * A cast gives the value nearest to the one given: floats are cut off at the point, as in C, decimals rounded, and
 * times lose what their unit does not hold. What does not fit (an integer too large, NaN as an integer, a text that is
 * none) is a fault of kind 'cast', an error unless the options or try_cast say otherwise. What converts without loss
 * never fails.
 *
 * Texts of floats are Java's, as Gandiva writes them: 1.0, 1.0E7.
 */
'use strict';

const { fail } = require('../../base/errors.js');
const { commonType } = require('../types/common.js');
const types = require('../types/index.js');
const { repOf, scalarRange } = require('../types/representation.js');

/** @typedef {import('../types/index.js').DataType} DataType */
/** @typedef {import('../kernel/dag.js').Node} Node */
/** @typedef {import('../analyse/context.js').Context} Context */
/** @typedef {(c: Context, value: Node, from: DataType, to: DataType) => Node} Cast */

// --- numbers ---

/** Integers and floats of any size. @type {Cast} */
function numbers(c, value, from, to) {
  const { dag } = c;
  const rep = repOf(to);
  if (from.kind === 'bool') return dag.select(value, dag.constant(1, rep), dag.constant(0, rep));
  if (commonType(from, to) !== to && to.kind === 'int') {
    const what = `${from.text} to ${to.text}: the value does not fit`;
    c.fault(dag.not(fits(c, value, from, to)), 'cast', what);
  }
  // Halves are computed with as f32, but have fewer digits.
  return to === types.float16 ? dag.convert(dag.convert(value, 'f16'), rep) : dag.convert(value, rep);
}

/** Whether a number is in the range of an integer type. @type {Cast} */
function fits(c, value, from, to) {
  const { dag } = c;
  const [least, most] = scalarRange(to);
  if (from.kind === 'float') {
    // Between the neighbours outside, as what is cut off does not count. The lower one may be no float: then the least.
    const above = dag.compare('lt', value, dag.constant(Number(most) + 1, value.rep));
    const low = value.rep === 'f32' ? Math.fround(Number(least) - 1) : Number(least) - 1;
    const below = dag.compare(low === Number(least) ? 'ge' : 'gt', value, dag.constant(low, value.rep));
    return dag.and(below, above);
  }
  const [own, limit] = scalarRange(from);
  const low = least > own ? dag.compare('ge', value, dag.constant(least, value.rep)) : null;
  const high = most < limit ? dag.compare('le', value, dag.constant(most, value.rep)) : null;
  return dag.and(low ?? dag.constant(true, 'bool'), high ?? dag.constant(true, 'bool'));
}

/** @type {Cast} */
const truth = (c, value) => c.dag.compare('ne', value, c.dag.constant(0, value.rep));

// --- texts ---

/** @type {Cast} */
function fromText(c, value, from, to) {
  const name = to === types.float16 ? 'float32' : to.id;
  const what = `${from.text} to ${to.text}: the text is no ${to.text}`;
  const read = c.call(`${name}_from_text`, [value], repOf(to), { out: true, fault: 'cast', what });
  return to === types.float16 ? numbers(c, read, types.float32, to) : read;
}

/** @type {Record<string, (c: Context, value: Node, from: DataType) => Node>} */
const WRITERS = {
  int: (c, value, { signed }) => c.call(signed ? 'int64_to_text' : 'uint64_to_text', [value], 'view', { arena: true }),
  float: (c, value) =>
    c.call(value.rep === 'f32' ? 'float32_to_text' : 'float64_to_text', [value, c.dag.constant(0n, 'i64')], 'view', { arena: true }),
  bool: (c, value) => c.call('bool_to_text', [value], 'view', { out: true }),
};

/** @type {Cast} */
const toText = (c, value, from) => WRITERS[from.kind](c, value, from);

/** @type {Cast} */
const bytesAsText = (c, value) =>
  c.call('convert_from_utf8', [value], 'view', { out: true, fault: 'cast', what: 'binary to utf8: the bytes are not UTF-8' });

/** The same bytes as another type. @type {Cast} */
const same = (_, value) => value;

// --- the table ---

/** By kinds. @type {Map<string, Cast>} */
const casts = new Map([
  ['int int', numbers],
  ['int float', numbers],
  ['float int', numbers],
  ['float float', numbers],
  ['bool int', numbers],
  ['bool float', numbers],
  ['int bool', truth],
  ['float bool', truth],
  ['utf8 int', fromText],
  ['utf8 float', fromText],
  ['utf8 bool', fromText],
  ['int utf8', toText],
  ['float utf8', toText],
  ['bool utf8', toText],
  ['utf8 binary', same],
  ['binary utf8', bytesAsText],
]);

/** Adds what other files cast. @type {(kinds: string, cast: Cast) => void} */
const addCast = (kinds, cast) => void casts.set(kinds, cast);

/** @type {(from: DataType, to: DataType) => Cast | undefined} */
const castOf = (from, to) => (from === to ? same : casts.get(`${from.kind} ${to.kind}`));

/**
 * A value that is there as another type.
 *
 * @type {(c: Context, value: Node, from: DataType, to: DataType) => Node}
 */
function castValue(c, value, from, to) {
  if (from === to) return value;
  const cast = castOf(from, to);
  return cast === undefined
    ? fail('ERR_DTYPE', `there is no cast from ${from.text} to ${to.text}`)
    : cast(c, value, from, to);
}

module.exports = { addCast, castOf, castValue };
