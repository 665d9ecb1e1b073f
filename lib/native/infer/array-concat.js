/**
 * Arrays put together of values and of arrays whose lengths are found when the function runs: `[...x, y]`,
 * `x.concat(y)`.
 */
'use strict';

const N = require('./number-types.js');
const M = require('../tir/machine.js');
const E = require('./environment.js');
const Encoded = require('./tagged-elements.js');
const Mem = require('./memory.js');
const { copy } = require('./arrays.js');
const { refuse } = require('../source/frame.js');

/** @typedef {import('./values.js').Value} Value */
/** @typedef {import('./values.js').ArrayValue} ArrayValue */

/** @type {(n: number) => import('../tir/index.js').Expression} */
const i64 = (n) => M.constant('i64', n);

/** @type {(c: any, parts: (Value[] | ArrayValue)[], e: any) => ArrayValue} an Array of its own */
function joined(c, parts, e) {
  const lengthOf = (/** @type {Value[] | ArrayValue} */ part) =>
    Array.isArray(part) ? i64(part.length) : E.settle(c, part.ref.length, 'length');
  const lengths = parts.map(lengthOf);
  const site = c.facts.site(c.frame, e);
  for (const part of parts) holds(c, site, part, e.place);
  const dtype = N.isInteger(/** @type {import('./number-types.js').Num} */ (site.type)) ? 'i64' : 'f64';
  const ref = Mem.allocate(
    c,
    dtype,
    lengths.reduce((sum, length) => M.binary('add', sum, length), i64(0)),
    'list',
    e.place,
    site,
  );
  /** @type {ArrayValue} */
  const array = { kind: 'array', ref, isList: true, site };
  let at = i64(0);
  parts.forEach((part, k) => {
    if (Array.isArray(part)) part.forEach((value, i) => put(c, array, M.binary('add', at, i64(i)), value, e.place));
    else {
      const isOther = Encoded.kindOf(part.site) === 'booleans' && Encoded.kindOf(site) !== 'booleans';
      if (isOther) refuse(e.place, 'an Array of booleans is put together with numbers', 'write a loop over it');
      copy(c, array, at, part, i64(0), lengths[k], e.place);
    }
    at = E.settle(c, M.binary('add', at, lengths[k]), 'at');
  });
  return array;
}

/**
 * Takes down what the elements are.
 *
 * @type {(c: any, site: import('./restarts.js').Site, part: Value[] | ArrayValue, place: any) => void}
 */
function holds(c, site, part, place) {
  if (Array.isArray(part)) part.forEach((value) => c.facts.stores(site, value, place));
  else {
    const { dtype } = part.ref;
    if (!part.isList && (dtype === 'i64' || dtype === 'u64'))
      refuse(place, 'Arrays of bigints are not supported', 'keep them in a typed array: .slice() copies it');
    c.facts.holds(site, part.site?.type ?? N.ofDType(dtype), part.site?.hasNumbers ?? true, place);
  }
}

/**
 * @type {(c: any, array: ArrayValue, index: import('../tir/index.js').Expression, value: Value, place: any) => void}
 */
function put(c, array, index, value, place) {
  const stored = Mem.stored(c, array, value, place);
  c.out.push({ kind: 'store', array: array.ref, index, value: stored, valid: null, checked: false, place });
}

module.exports = { joined };
