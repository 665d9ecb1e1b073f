/**
 * Casts: one row per pair of kinds.
 *
 * A cast gives the value nearest to the one given: floats are cut off at the point, as in C, and times lose what their
 * unit does not hold. What does not fit (an integer too large, NaN as an integer, a text that is none) is a fault of
 * kind 'cast', an error unless the options or try_cast say otherwise. What converts without loss never fails.
 */
'use strict';

const { fail } = require('../../base/errors.js');
const { commonType } = require('../types/common.js');
const { repOf, scalarRange } = require('../types/representation.js');

/** @typedef {import('../types/index.js').DataType} DataType */
/** @typedef {import('../kernel/dag.js').Node} Node */
/** @typedef {import('../analyse/context.js').Context} Context */
/** @typedef {(c: Context, value: Node, from: DataType, to: DataType) => Node} Cast */

/** Integers and floats of any size. @type {Cast} */
function numbers(c, value, from, to) {
  const { dag } = c;
  const rep = repOf(to);
  if (from.kind === 'bool') return dag.select(value, dag.constant(1, rep), dag.constant(0, rep));
  if (commonType(from, to) !== to && to.kind === 'int') {
    const what = `${from.text} to ${to.text}: the value does not fit`;
    c.fault(dag.not(fits(c, value, from, to)), 'cast', what);
  }
  return dag.convert(value, rep);
}

/** Whether a number is in the range of an integer type. @type {Cast} */
function fits(c, value, from, to) {
  const { dag } = c;
  const [least, most] = scalarRange(to);
  if (from.kind === 'float') {
    // Between the neighbours outside, which f64 and f32 have: what is cut off does not count.
    const above = dag.compare('lt', value, dag.constant(Number(most) + 1, value.rep));
    const low = Number(least) - 1;
    const below =
      low === Number(least)
        ? dag.compare('ge', value, dag.constant(Number(least), value.rep))
        : dag.compare('gt', value, dag.constant(low, value.rep));
    return dag.and(below, above);
  }
  const [own, limit] = scalarRange(from);
  const low = least > own ? dag.compare('ge', value, dag.constant(least, value.rep)) : null;
  const high = most < limit ? dag.compare('le', value, dag.constant(most, value.rep)) : null;
  return dag.and(low ?? dag.constant(true, 'bool'), high ?? dag.constant(true, 'bool'));
}

/** @type {Cast} */
const truth = (c, value) => c.dag.compare('ne', value, c.dag.constant(0, value.rep));

/** The same bytes as another type. @type {Cast} */
const same = (_, value) => value;

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
  ['utf8 binary', same],
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
