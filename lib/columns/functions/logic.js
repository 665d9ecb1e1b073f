/**
 * Comparisons, Kleene's logic, what asks for nulls, and choices.
 */
'use strict';

const { bool } = require('../types/index.js');
const { apartDecimals, overload, row } = require('./signature.js');

/** @typedef {import('../kernel/dag.js').Node} Node */
/** @typedef {import('../analyse/context.js').Context} Context */
/** @typedef {import('../analyse/context.js').Typed} Typed */
/** @typedef {import('./signature.js').Build} Build */
/** @typedef {'eq' | 'ne' | 'lt' | 'le' | 'gt' | 'ge'} Relation */

/** `ups`: of decimals, the powers of ten by which both are of one scale. @type {(c: Context, relation: Relation, a: Node, b: Node, ups?: readonly number[]) => Node} */
function related(c, relation, a, b, ups = [0, 0]) {
  const { dag } = c;
  if (a.rep === 'view') return relatedTexts(c, relation, a, b);
  if (a.rep === 'i128') {
    const factors = ups.map((up) => dag.constant(BigInt(up), 'i64'));
    return dag.compare(relation, c.call('decimal_compare', [a, b, ...factors], 'i64'), dag.constant(0n, 'i64'));
  }
  if (a.rep !== 'bool') return dag.compare(relation, a, b);
  /** @type {Record<Relation, () => Node>} */
  const ofBits = {
    eq: () => dag.not(dag.xor(a, b)),
    ne: () => dag.xor(a, b),
    lt: () => dag.and(dag.not(a), b),
    le: () => dag.or(dag.not(a), b),
    gt: () => dag.and(a, dag.not(b)),
    ge: () => dag.or(a, dag.not(b)),
  };
  return ofBits[relation]();
}

/** By bytes, which for UTF-8 is by code points. @type {(c: Context, relation: Relation, a: Node, b: Node) => Node} */
function relatedTexts(c, relation, a, b) {
  if (relation === 'eq') return c.call('utf8_equal', [a, b], 'bool');
  if (relation === 'ne') return c.dag.not(c.call('utf8_equal', [a, b], 'bool'));
  return c.dag.compare(relation, c.call('utf8_compare', [a, b], 'i64'), c.dag.constant(0n, 'i64'));
}

/**
 * An overload for values that have an order: intervals of days, and of months and days, have none.
 *
 * @type {(any: import('./signature.js').Overload) => import('./signature.js').Overload}
 */
const ordered = (any) => ({
  ...any,
  fit: (args) => {
    const fit = any.fit(args);
    const { kind, unit } = fit?.args[0] ?? {};
    return kind === 'interval' && unit !== 'year_month' ? null : fit;
  },
});

/** The powers of ten by which two types of decimals are of one scale. @type {(types: readonly import('../types/index.js').DataType[]) => number[]} */
const upsOf = ([a, b]) => [Math.max(b.scale - a.scale, 0), Math.max(a.scale - b.scale, 0)];

/**
 * An overload for two decimals that no decimal holds both of: they are compared as they are, in 256 bits, where their
 * common type would round one.
 *
 * @type {(text: string, build: Build) => import('./signature.js').Overload}
 */
const apart = (text, build) => ({
  text,
  build,
  fit: (args) => {
    const both = args.length === 2 ? apartDecimals(args) : null;
    return both && { args: both, result: text.endsWith('bool') ? bool : both[0], cost: 1 };
  },
});

/** @type {(name: string, relation: Relation, doc: string) => import('./signature.js').FunctionRow} */
function comparison(name, relation, doc) {
  const text = '(A, A) → bool';
  const any = overload(text, (c, [a, b]) => related(c, relation, a, b));
  const exact = apart(text, (c, [a, b], { args }) => related(c, relation, a, b, upsOf(args)));
  return row('compare', name, doc, [relation === 'eq' || relation === 'ne' ? any : ordered(any), exact]);
}

/** What may be taken for true, and for false: of numbers all but 0, and 0. @type {(c: Context, a: Typed) => { isTrue: Node, isFalse: Node }} */
function sides(c, { value: given, valid }) {
  const { dag } = c;
  const zero = () => (given.rep === 'i128' ? dag.table(new Uint8Array(16), 'i128') : dag.constant(0, given.rep));
  const value = given.rep === 'bool' ? given : related(c, 'ne', given, zero());
  const not = dag.not(value);
  return valid === null
    ? { isTrue: value, isFalse: not }
    : { isTrue: dag.and(value, valid), isFalse: dag.and(not, valid) };
}

/** @type {(isTrue: Node, isFalse: Node, c: Context) => { value: Node, valid: Node }} */
const either = (isTrue, isFalse, { dag }) => ({ value: isTrue, valid: dag.or(isTrue, isFalse) });

/** @type {Build} false if one is false, null if one is null */
const and = (c, [a, b]) => {
  if (a.valid === null && b.valid === null) return { type: bool, value: c.dag.and(a.value, b.value), valid: null };
  const [x, y] = [sides(c, a), sides(c, b)];
  return { type: bool, ...either(c.dag.and(x.isTrue, y.isTrue), c.dag.or(x.isFalse, y.isFalse), c) };
};

/** @type {Build} true if one is true, null if one is null */
const or = (c, [a, b]) => {
  if (a.valid === null && b.valid === null) return { type: bool, value: c.dag.or(a.value, b.value), valid: null };
  const [x, y] = [sides(c, a), sides(c, b)];
  return { type: bool, ...either(c.dag.or(x.isTrue, y.isTrue), c.dag.and(x.isFalse, y.isFalse), c) };
};

/** A truth that always is there. @type {(build: (c: Context, ...args: Typed[]) => Node) => Build} */
const certain = (build) => (c, args) => ({ type: bool, value: build(c, ...args), valid: null });

/** @type {(c: Context, a: Typed) => Node} */
const present = (c, { valid }) => valid ?? c.dag.constant(true, 'bool');

/** Whether two values are equal. @type {(c: Context, a: Typed, b: Typed) => Node} */
const equal = (c, a, b) => related(c, 'eq', a.value, b.value, upsOf([a.type, b.type]));

/** Whether two values are the same, nulls being so. @type {(c: Context, a: Typed, b: Typed) => Node} */
function alike(c, a, b) {
  const { dag } = c;
  const [x, y] = [present(c, a), present(c, b)];
  return dag.or(dag.and(dag.and(x, y), equal(c, a, b)), dag.and(dag.not(x), dag.not(y)));
}

/** Overloads for two of one type, and for decimals that have none. @type {(text: string, build: Build) => import('./signature.js').Overload[]} */
const ofPair = (text, build) => [overload(text, build), apart(text, build)];

/** The first that is not null. @type {Build} */
const coalesce = (c, args, { result }) => {
  /** @type {Typed} */
  let sum = args.at(-1);
  for (const each of args.slice(0, -1).reverse()) {
    if (each.valid === null) sum = each;
    else {
      const valid = sum.valid === null ? null : c.dag.or(each.valid, sum.valid);
      sum = { type: result, value: c.dag.select(each.valid, each.value, sum.value), valid };
    }
  }
  return { ...sum, type: result };
};

/** The greatest or least; nulls do not count, NaN wins, and -0 is below 0. @type {(name: 'max' | 'min') => Build} */
const extreme = (name) => (c, args, { result }) => {
  const { dag } = c;
  const better = (/** @type {Node} */ a, /** @type {Node} */ b) =>
    result.kind === 'float' ? dag.op(name, [a, b]) : dag.select(related(c, name === 'max' ? 'gt' : 'lt', b, a), b, a);
  return args.reduce((/** @type {Typed} */ a, /** @type {Typed} */ b) => {
    const ofBoth = better(a.value, b.value);
    const orA = b.valid === null ? ofBoth : dag.select(b.valid, ofBoth, a.value);
    const value = a.valid === null ? orA : dag.select(a.valid, orA, b.value);
    const valid = a.valid === null || b.valid === null ? null : dag.or(a.valid, b.valid);
    return { type: result, value, valid };
  });
};

/** Null where both are equal. @type {Build} */
const nullIf = (c, [a, b]) => {
  const same = c.all([equal(c, a, b), b.valid]);
  return { ...a, literal: undefined, valid: c.all([a.valid, c.dag.not(/** @type {Node} */ (same))]) };
};

const ONE = '(bool) → bool';

/** Of booleans, and of numbers. @type {(build: (c: Context, a: Typed) => Node) => import('./signature.js').Overload[]} */
const ofTruths = (build) => [ONE, '(int) → bool', '(float) → bool', '(decimal) → bool'].map((text) => overload(text, certain(build)));

module.exports = {
  equal,
  rows: [
    comparison('equal eq same', 'eq', 'whether both are equal; NaN is equal to nothing'),
    comparison('not_equal ne', 'ne', 'whether both differ'),
    comparison('less_than lt', 'lt', 'whether the first comes first; texts are ordered by code points'),
    comparison('less_than_or_equal_to le', 'le', 'whether the second does not come first'),
    comparison('greater_than gt', 'gt', 'whether the second comes first'),
    comparison('greater_than_or_equal_to ge', 'ge', 'whether the first does not come first'),
    row('compare', 'is_distinct_from', 'whether both differ, null being a value', ofPair('(A, A) → bool', certain((c, a, b) => c.dag.not(alike(c, a, b)))), 'own'),
    row('compare', 'is_not_distinct_from', 'whether both are the same, null being a value', ofPair('(A, A) → bool', certain(alike)), 'own'),
    row('compare', 'isnull is_null', 'whether it is null', [overload('(any) → bool', certain((c, a) => c.dag.not(present(c, a))))], 'own'),
    row('compare', 'isnotnull is_not_null', 'whether it is not null', [overload('(any) → bool', certain(present))], 'own'),
    row('compare', 'istrue', 'whether it is true, and not null', ofTruths((c, a) => sides(c, a).isTrue), 'own'),
    row('compare', 'isfalse', 'whether it is false, and not null', ofTruths((c, a) => sides(c, a).isFalse), 'own'),
    row('compare', 'isnottrue', 'whether it is false or null', ofTruths((c, a) => c.dag.not(sides(c, a).isTrue)), 'own'),
    row('compare', 'isnotfalse', 'whether it is true or null', ofTruths((c, a) => c.dag.not(sides(c, a).isFalse)), 'own'),
    row('compare', 'isnumeric', 'whether it is a number, and not null', [
      overload('(number) → bool', certain(present)),
      overload('(any) → bool', certain((c) => c.dag.constant(false, 'bool'))),
    ], 'own'),
    row('arithmetic', 'and', "Kleene's and: false if one is false, else null if one is null", [overload('(bool, bool) → bool', and)], 'own'),
    row('arithmetic', 'or', "Kleene's or: true if one is true, else null if one is null", [overload('(bool, bool) → bool', or)], 'own'),
    row('arithmetic', 'not', 'the other truth', [overload(ONE, (c, [a]) => c.dag.not(a))]),
    row('arithmetic', 'xor', 'whether just one is true', [overload('(bool, bool) → bool', (c, [a, b]) => c.dag.xor(a, b)), require('./bits.js').xor]),
    row('conditional', 'coalesce nvl ifnull', 'the first that is not null', [overload('(A...) → A', coalesce)], 'own'),
    row('conditional', 'greatest', 'the greatest; nulls do not count, NaN if one is', [ordered(overload('(A...) → A', extreme('max')))], 'own'),
    row('conditional', 'least', 'the least; nulls do not count, NaN if one is', [ordered(overload('(A...) → A', extreme('min')))], 'own'),
    row('conditional', 'nullif', 'null where both are equal, else the first', ofPair('(A, A) → A', nullIf), 'own'),
  ],
};
