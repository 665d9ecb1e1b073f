/**
 * Variables in memory: those that a function compiled out of line sets, or that a closure handed to one does.
 *
 * A box has two elements, the value and its tag, which says as that of a number whether it is one. What a variable may
 * ever hold is found out as for arrays: a fact that turns out too narrow is widened, and inference begins again.
 */
'use strict';

const N = require('./number-types.js');
const M = require('../tir/machine.js');
const V = require('./values.js');
const E = require('./environment.js');
const memory = require('./memory.js');
const { toNumber } = require('./conversions.js');
const { refuse } = require('../source/frame.js');

/** @typedef {import('../hir/index.js').Place} Place */
/** @typedef {import('../hir/index.js').Variable} Variable */
/** @typedef {import('../tir/index.js').Expression} Expression */
/** @typedef {import('./restarts.js').Site} Site */
/** @typedef {import('./values.js').Value} Value */
/** @typedef {import('./walk.js').Walk} Walk */

/** @typedef {{ kind: 'cell', ref: import('../tir/index.js').ArrayRef, site: Site }} CellValue */

/** @type {(walk: Walk, variable: Variable, value: any) => Site} what the variable holds, this value too */
function siteOf(walk, variable, value) {
  const site = walk.facts.site(variable);
  site.holds ??= { bigint: false, boolean: false, number: false, undefined: false, null: false };
  const isNumber = value.kind === 'number';
  walk.facts.widen(site, variable.place, {
    bigint: value.kind === 'bigint',
    number: isNumber,
    boolean: value.kind === 'boolean' || (isNumber && value.type.boolean),
    undefined: value.kind === 'undefined' || (isNumber ? value.type.undefined : Boolean(value.mayBeUndefined)),
    null: value.kind === 'null' || (isNumber ? value.type.null : Boolean(value.mayBeNull)),
  });
  const { bigint, boolean, number, undefined: mayBeUndefined, null: mayBeNull } = site.holds;
  if (bigint && (boolean || number || mayBeUndefined || mayBeNull))
    refuse(
      variable.place,
      `${variable.name} is a bigint and something else, and set by a function that calls itself`,
      'give it one type',
    );
  return site;
}

/** @type {(variable: Variable, value: any, site: Site) => any} the value as an element */
function elementOf(variable, value, site) {
  if (value.kind === 'bigint') {
    if (value.hi > V.MOST_I64)
      refuse(
        variable.place,
        `${variable.name} is set by a function that calls itself, and is a bigint beyond 63 bits`,
        'keep it in a BigUint64Array',
      );
    return M.convert(value.x, 'i64');
  }
  const dtype = dtypeOf(site);
  return M.convert(value.kind === 'undefined' ? M.constant('f64', NaN) : toNumber(value, variable.place).x, dtype);
}

/** @type {(site: any) => 'i64' | 'f64'} */
function dtypeOf({ holds, type }) {
  if (holds.bigint) return 'i64';
  return !holds.undefined && !holds.null && !holds.boolean && N.isInteger(type) ? 'i64' : 'f64';
}

/** @type {(walk: Walk, own: import('./values.js').Var, variable: Variable, value: Value) => void} first, or again */
function set(walk, own, variable, value) {
  if (!['number', 'boolean', 'bigint', 'undefined', 'null'].includes(value.kind)) {
    refuse(
      variable.place,
      `${variable.name} is set by a function that calls itself, and is ${V.describe(value)}`,
      'keep it in a typed array, or return it',
    );
  }
  const site = siteOf(walk, variable, value);
  if (value.kind !== 'bigint')
    walk.facts.stores(
      site,
      value.kind === 'undefined' || value.kind === 'null' ? V.numberConstant(0) : value,
      variable.place,
    );
  const dtype = dtypeOf(site);
  let cell = walk.here.get(own);
  if (cell?.kind !== 'cell') {
    cell = {
      kind: 'cell',
      ref: memory.allocate(walk, dtype, M.constant('i64', 2), variable.name, variable.place, { ...site, escapes: false }),
      site,
    };
    walk.here.set(own, cell);
  }
  const { ref } = cell;
  const put = (/** @type {number} */ at, /** @type {Expression} */ x) => {
    walk.out.push({
      kind: 'store', array: ref, index: M.constant('i64', at), value: x, valid: null, checked: false,
      place: variable.place,
    });
  };
  const holds = /** @type {NonNullable<Site['holds']>} */ (site.holds);
  const x = walk.settle(elementOf(variable, value, site));
  if (holds.undefined || holds.null || holds.boolean) put(1, M.convert(E.tagOf(value), dtype));
  put(0, x);
  walk.writes(ref);
}

/** @type {(cell: CellValue, place: Place) => Value} */
function get({ ref, site }, place) {
  const holds = /** @type {NonNullable<Site['holds']>} */ (site.holds);
  const type = /** @type {import('./number-types.js').Num} */ (site.type);
  /** @type {(at: number) => Expression} */
  const load = (at) => ({
    op: 'load', type: ref.dtype, array: ref, args: [M.constant('i64', at)], valid: null, missing: null, place,
  });
  if (holds.bigint) return V.bigint(load(0));
  const isTagged = holds.undefined || holds.null || holds.boolean;
  const tag = isTagged ? M.convert(load(1), 'i32') : null;
  if (holds.boolean && !holds.number) {
    const [mayBeUndefined, mayBeNull] = [holds.undefined, holds.null];
    const own =
      tag && (mayBeUndefined || mayBeNull)
        ? M.select(M.binary('eq', tag, M.constant('i32', E.BOOLEAN)), M.constant('i32', 0), tag)
        : null;
    return { kind: 'boolean', x: M.binary('eq', load(0), M.constant('f64', 1)), tag: own, mayBeUndefined, mayBeNull };
  }
  const t = {
    ...type, width: /** @type {const} */ (64), undefined: holds.undefined, null: holds.null, boolean: holds.boolean,
  };
  return new V.NumberValue(t, () => M.convert(load(0), N.typeOf(t)), { tag });
}

module.exports = { get, set };
