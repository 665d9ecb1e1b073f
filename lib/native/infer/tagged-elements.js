/**
 * Elements of Arrays that are no numbers: undefined, null, and booleans.
 *
 * An Array made here lies in memory as doubles. One of nothing but booleans holds 1 and 0. Where undefined or null is
 * an element, as in `new Array(n)`, or booleans are among numbers, these are NaNs of a kind that no arithmetic makes;
 * then a NaN that is stored becomes the common one first, since arithmetic hands on the NaN that it was given. Which it
 * is follows from the facts on all that is ever stored (restarts.js), so an Array of numbers alone costs nothing.
 */
'use strict';

const N = require('./number-types.js');
const M = require('../tir/machine.js');
const V = require('./values.js');
const O = require('./operators.js');
const E = require('./environment.js');

/** @typedef {import('../tir/index.js').Expression} Expression */
/** @typedef {import('./restarts.js').Site} Site */
/** @typedef {import('./values.js').Value} Value */
/** @typedef {import('./walk.js').Walk} Walk */

/** The upper half of the bits of these NaNs; below it is 1 for undefined, 2 for null, 3 for false, 4 for true. */
const HEAD = 0x7ffc6a69;
const [UNDEFINED, NULL, FALSE, TRUE] = [1, 2, 3, 4];

/** @type {(which: number) => Expression} */
const bitsOf = (which) => M.constant('i64', (BigInt(HEAD) << 32n) | BigInt(which));
/** @type {(which: number) => Expression} */
const code = (which) => ({ op: 'bitcast', type: 'f64', args: [bitsOf(which)] });
const NOTHING = code(UNDEFINED);

/**
 * What there is besides what has a code; null: nothing has one.
 *
 * @type {(site: Site | null) => 'booleans' | 'numbers' | null}
 */
function kindOf(site) {
  const type = site?.type;
  if (!site || !type || !N.isNothing(type)) return null;
  return type.boolean && !site.hasNumbers ? 'booleans' : 'numbers';
}

// --- storing ---

/** @type {(tag: Expression | null, x: Expression) => Expression} */
function withNothing(tag, x) {
  if (!tag) return x;
  const is = (/** @type {number} */ which) => M.binary('eq', tag, M.constant('i32', which));
  return M.select(is(UNDEFINED), NOTHING, M.select(is(NULL), code(NULL), x));
}

/** @type {(walk: Walk, site: Site, value: any) => Expression} what goes to memory, of f64 */
function encode(walk, site, value) {
  if (value.kind === 'undefined') return NOTHING;
  if (value.kind === 'null') return code(NULL);
  const tag = value.tag && walk.settle(value.tag);
  if (value.kind === 'boolean') {
    return withNothing(
      tag,
      kindOf(site) === 'booleans' ? M.convert(value.x, 'f64') : M.select(value.x, code(TRUE), code(FALSE)),
    );
  }
  const x = walk.settle(O.asDouble(value));
  const number = value.type.nan ? M.select(M.unary('is_nan', x), M.constant('f64', NaN), x) : x;
  if (!tag || !value.type.boolean) return withNothing(tag, number);
  const isBoolean = M.binary('eq', tag, M.constant('i32', E.BOOLEAN));
  const truth = M.select(M.binary('ne', x, M.constant('f64', 0)), code(TRUE), code(FALSE));
  return withNothing(tag, M.select(isBoolean, truth, number));
}

// --- loading ---

/**
 * `inside`: whether the position is one, where that is not known.
 *
 * @type {(site: Site, read: Expression, inside: Expression | null) => Value}
 */
function decode(site, read, inside) {
  const t = /** @type {import('./number-types.js').Num} */ (site.type);
  const bits = { op: 'bitcast', type: 'i64', args: [read] };
  const is = (/** @type {number} */ which) => M.binary('eq', bits, bitsOf(which));
  const number = (/** @type {number} */ n) => M.constant('i32', n);
  const isBooleans = kindOf(site) === 'booleans';
  let tag = number(0);
  if (t.boolean && !isBooleans) tag = M.select(M.or(is(FALSE), is(TRUE)), number(E.BOOLEAN), tag);
  if (t.null) tag = M.select(is(NULL), number(NULL), tag);
  if (t.undefined) tag = M.select(is(UNDEFINED), number(UNDEFINED), tag);
  if (inside) tag = M.select(inside, tag, number(UNDEFINED));
  const mayBeUndefined = t.undefined || inside !== null;
  if (isBooleans) {
    const isTagged = mayBeUndefined || t.null;
    return {
      kind: 'boolean', x: M.binary('eq', read, M.constant('f64', 1)), tag: isTagged ? tag : null, mayBeUndefined,
      mayBeNull: t.null,
    };
  }
  let x = read;
  if (t.boolean) x = M.select(is(TRUE), M.constant('f64', 1), M.select(is(FALSE), M.constant('f64', 0), x));
  if (t.null) x = M.select(is(NULL), M.constant('f64', 0), x);
  return new V.NumberValue({ ...t, undefined: mayBeUndefined }, x, { tag });
}

module.exports = { HEAD, NOTHING, decode, encode, kindOf };
