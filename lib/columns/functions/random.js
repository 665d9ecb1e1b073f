/**
 * Random numbers: a hash of the number of a row and a seed. So they are the same in every run and for any number of
 * threads, and a row's do not depend on other rows. Calls without a seed have one each.
 */
'use strict';

const { overload, row } = require('./signature.js');

/** @typedef {import('../kernel/dag.js').Node} Node */
/** @typedef {import('../analyse/context.js').Context} Context */
/** @typedef {import('./signature.js').Build} Build */

/** 64 random bits. @type {(c: Context, seed: Node) => Node} */
const bitsOf = (c, seed) => c.call('hash_u64', [c.dag.rowNumber(), seed], 'u64');

/** From 0 up to 1, in steps of 2^-53. @type {Build} */
const random = (c, [seed = c.freshSeed()]) => {
  const { dag } = c;
  const whole = dag.op('shr', [bitsOf(c, seed), dag.constant(11n, 'u64')]);
  return dag.op('mul', [dag.convert(whole, 'f64'), dag.constant(2 ** -53, 'f64')]);
};

/**
 * Of so many numbers from the least on, which are 2^32 at most: the upper half of a product, which is as even as 32
 * bits are.
 *
 * @type {(c: Context, least: Node, count: Node) => Node}
 */
function between(c, least, count) {
  const { dag } = c;
  const high = dag.convert(dag.op('shr', [bitsOf(c, c.freshSeed()), dag.constant(32n, 'u64')]), 'i64');
  const step = dag.op('shr', [dag.op('mul', [dag.convert(high, 'u64'), dag.convert(count, 'u64')]), dag.constant(32n, 'u64')]);
  return dag.convert(dag.op('add', [least, dag.convert(step, 'i64')]), 'i32');
}

/** @type {(c: Context, value: number) => Node} */
const int64 = (c, value) => c.dag.constant(BigInt(value), 'i64');

/** @type {Build} */
const anyInteger = (c) => between(c, int64(c, -(2 ** 31)), int64(c, 2 ** 32));

/** @type {Build} */
const below = (c, [range]) => {
  c.fault(c.dag.compare('le', range, c.dag.constant(0n, 'i32')), 'value', 'a range of random integers has one at least');
  return between(c, int64(c, 0), c.dag.convert(range, 'i64'));
};

/** @type {Build} both are among them */
const within = (c, [least, most]) => {
  const { dag } = c;
  c.fault(dag.compare('gt', least, most), 'value', 'the least random integer is above the greatest');
  const [low, high] = [dag.convert(least, 'i64'), dag.convert(most, 'i64')];
  return between(c, low, dag.op('add', [dag.op('sub', [high, low]), int64(c, 1)]));
};

module.exports = {
  rows: [
    row('math', 'random rand', 'a random number from 0 up to 1, by the number of the row and a seed', [
      overload('() → float64', random),
      overload('(int64) → float64', random),
    ]),
    row('math', 'rand_integer', 'a random integer: any, one of so many from 0 on, or from one to another', [
      overload('() → int32', anyInteger),
      overload('(int32) → int32', below),
      overload('(int32, int32) → int32', within),
    ]),
  ],
};
