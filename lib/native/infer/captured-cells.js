/**
 * Variables in memory: those that a function compiled apart sets, or that a closure handed to one does.
 *
 * A box has two elements, the value and its tag, which says as that of a number whether it is one. What a variable may
 * ever hold is found out as for arrays: a fact that turns out too narrow is widened, and inference begins again.
 */
'use strict';

const N = require('./number-types.js');
const M = require('../tir/machine.js');
const V = require('./values.js');
const E = require('./environment.js');
const X = require('./expressions.js');
const memory = require('./memory.js');
const { refuse } = require('../source/frame.js');

/** @typedef {import('./values.js').Value} Value */
/** @typedef {import('./restarts.js').Site} Site */
/** @typedef {{ kind: 'boxed', ref: import('../tir/index.js').ArrayRef, site: Site }} BoxedValue */

/** @type {(c: any, variable: any, value: any) => Site} what the variable holds, this value too */
function siteOf(c, variable, value) {
  const site = c.facts.site(null, variable);
  site.holds ??= { bigint: false, boolean: false, number: false, undefined: false, null: false };
  const isNumber = value.kind === 'number';
  c.facts.widen(site, variable.place, {
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

/** @type {(c: any, variable: any, value: any, site: Site) => any} the value as an element */
function elementOf(c, variable, value, site) {
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
  return M.convert(value.kind === 'undefined' ? M.constant('f64', NaN) : X.toNumber(c, value, variable.place).x, dtype);
}

/** @type {(site: any) => 'i64' | 'f64'} */
function dtypeOf({ holds, type }) {
  if (holds.bigint) return 'i64';
  return !holds.undefined && !holds.null && !holds.boolean && N.isInteger(type) ? 'i64' : 'f64';
}

/** @type {(c: any, own: import('./values.js').Var, variable: any, value: Value) => void} first, or again */
function set(c, own, variable, value) {
  if (!['number', 'boolean', 'bigint', 'undefined', 'null'].includes(value.kind)) {
    refuse(
      variable.place,
      `${variable.name} is set by a function that calls itself, and is ${V.describe(value)}`,
      'keep it in a typed array, or return it',
    );
  }
  const site = siteOf(c, variable, value);
  if (value.kind !== 'bigint')
    c.facts.stores(
      site,
      value.kind === 'undefined' || value.kind === 'null' ? V.numberConstant(0) : value,
      variable.place,
    );
  const dtype = dtypeOf(site);
  let boxed = c.env.get(own);
  if (boxed?.kind !== 'boxed') {
    boxed = {
      kind: 'boxed',
      ref: memory.allocate(c, dtype, M.constant('i64', 2), variable.name, variable.place, { ...site, escapes: false }),
      site,
    };
    c.env.set(own, boxed);
  }
  const put = (/** @type {number} */ at, /** @type {any} */ x) => {
    c.out.push({
      kind: 'store', array: boxed.ref, index: M.constant('i64', at), value: x, valid: null, checked: false,
      place: variable.place,
    });
  };
  const { holds } = /** @type {any} */ (site);
  const x = E.settle(c, elementOf(c, variable, value, site));
  if (holds.undefined || holds.null || holds.boolean) put(1, M.convert(E.tagOf(value), dtype));
  put(0, x);
  c.writes(boxed.ref);
}

/** @type {(boxed: any, place: any) => Value} */
function get({ ref, site }, place) {
  const { holds, type } = site;
  /** @type {(at: number) => any} */
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
  const t = { ...type, width: 64, undefined: holds.undefined, null: holds.null, boolean: holds.boolean };
  return new V.NumberValue(t, () => M.convert(load(0), N.typeOf(t)), { tag });
}

exports.get = get;
exports.set = set;
