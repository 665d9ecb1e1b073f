/**
 * Arrays put together of values and of arrays whose lengths are found when the function runs: `[...x, y]`,
 * `x.concat(y)`.
 */
'use strict';

const N = require('./number-types.js');
const M = require('../tir/machine.js');
const Encoded = require('./tagged-elements.js');
const memory = require('./memory.js');
const { refuse } = require('../source/frame.js');

/** @typedef {import('../hir/index.js').Place} Place */
/** @typedef {import('./values.js').ArrayValue} ArrayValue */
/** @typedef {import('./values.js').Value} Value */
/** @typedef {import('./walk.js').CallSite} CallSite */
/** @typedef {import('./walk.js').Walk} Walk */

/** @type {(n: number) => import('../tir/index.js').Expression} */
const i64 = (n) => M.constant('i64', n);

/** @type {(walk: Walk, parts: (Value[] | ArrayValue)[], e: { place: Place }) => ArrayValue} an Array of its own */
function concatenated(walk, parts, e) {
  const lengthOf = (/** @type {Value[] | ArrayValue} */ part) =>
    Array.isArray(part) ? i64(part.length) : walk.settle(part.ref.length, 'length');
  const lengths = parts.map(lengthOf);
  const site = walk.facts.site(e);
  for (const part of parts) holds(walk, site, part, e.place);
  const dtype = N.isInteger(/** @type {import('./number-types.js').Num} */ (site.type)) ? 'i64' : 'f64';
  const ref = memory.allocate(
    walk,
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
    if (Array.isArray(part)) part.forEach((value, i) => put(walk, array, M.binary('add', at, i64(i)), value, e.place));
    else {
      const isOther = Encoded.kindOf(part.site) === 'booleans' && Encoded.kindOf(site) !== 'booleans';
      if (isOther) refuse(e.place, 'an Array of booleans is put together with numbers', 'write a loop over it');
      memory.copy(walk, array, at, part, i64(0), lengths[k], e.place);
    }
    at = walk.settle(M.binary('add', at, lengths[k]), 'at');
  });
  return array;
}

/**
 * Takes down what the elements are.
 *
 * @type {(walk: Walk, site: import('./restarts.js').Site, part: Value[] | ArrayValue, place: Place) => void}
 */
function holds(walk, site, part, place) {
  if (Array.isArray(part)) part.forEach((value) => walk.facts.stores(site, value, place));
  else {
    const { dtype } = part.ref;
    if (!part.isList && (dtype === 'i64' || dtype === 'u64'))
      refuse(place, 'Arrays of bigints are not supported', 'keep them in a typed array: .slice() copies it');
    walk.facts.holds(site, part.site?.type ?? N.ofDType(dtype), part.site?.hasNumbers ?? true, place);
  }
}

/**
 * @type {(walk: Walk, array: ArrayValue, index: import('../tir/index.js').Expression, value: Value, place: Place) => void}
 */
function put(walk, array, index, value, place) {
  const stored = memory.storedValue(walk, array, value, place);
  walk.out.push({ kind: 'store', array: array.ref, index, value: stored, valid: null, checked: false, place });
}

module.exports = { concatenated };
