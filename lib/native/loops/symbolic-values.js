/**
 * What is known of the values of integers, and what tests say of them.
 *
 * Each local's value is a polynomial (polynomial.js) of values that were there at the beginning, of counters with
 * bounds, and of values nobody knows. Doubles are followed as long as they are whole numbers. Integers of 32 bits wrap,
 * so what they are is only known where they do not. Facts are polynomials that are not negative because a test said so.
 */
'use strict';

const counted = require('../tir/counted-loops.js');
const { Atoms, Poly, rangeOf } = require('./polynomial.js');

/** @typedef {import('../tir/index.js').Expression} Expression */
/** @typedef {import('../tir/index.js').Local} Local */
/** @typedef {import('./polynomial.js').Atom} Atom */

/** A value, if what it needs is not negative. @typedef {{ poly: Poly, needs: Poly[] }} Known */
/** @typedef {Map<Local, Known | null>} Env */

const TWO31 = 2 ** 31;
/** Half of what doubles hold of whole numbers, so that there is room to add. */
const TWO52 = 2 ** 52;
/** What the length of an array may be. @type {Atom['range']} */
const NATURAL = [0, 2 ** 40];

/** @type {Record<string, Atom['range']>} */
const RANGES = {
  i32: [-TWO31, TWO31 - 1],
  u32: [0, 2 * TWO31 - 1],
  i16: [-32768, 32767],
  u16: [0, 65535],
  i8: [-128, 127],
  u8: [0, 255],
  u8c: [0, 255],
};

const INTEGERS = new Set(['i64', 'i32', 'u32']);

/** Comparisons as polynomials that are not negative. @type {Record<string, (x: Poly, y: Poly) => Poly[]>} */
const COMPARES = {
  lt: (x, y) => [y.minus(x).plusConstant(-1)],
  le: (x, y) => [y.minus(x)],
  gt: (x, y) => [x.minus(y).plusConstant(-1)],
  ge: (x, y) => [x.minus(y)],
  eq: (x, y) => [x.minus(y), y.minus(x)],
  ne: () => [],
};
/** @type {Record<string, string>} */
const OPPOSITES = { lt: 'ge', le: 'gt', gt: 'le', ge: 'lt', eq: 'ne', ne: 'eq' };

/** What the value of a local from before is looked through for. */
const ALIASES = new Set(['local', 'const', 'add', 'sub', 'convert']);

/** A constant integer that a number holds exactly. @type {(e: Expression) => number | null} */
function constantOf(e) {
  const value = Number(counted.constantOf(e) ?? NaN);
  return Number.isSafeInteger(value) ? value : null;
}

/** The value of i in bitcast<u64>(i), or null. @type {(e: Expression) => Expression | null} */
function signedOf(e) {
  if (e.op === 'bitcast' && e.type === 'u64' && e.args[0].type === 'i64') return e.args[0];
  if (e.op === 'const' && e.type === 'u64' && e.value <= TWO52) return { ...e, type: 'i64' };
  return null;
}

/**
 * The sides of lt(bitcast<u64>(x), bitcast<u64>(y)): whether x is an index below y.
 *
 * @type {(e: Expression) => [Expression, Expression] | null}
 */
function insideOf(e) {
  if (e.op !== 'lt' || e.args[0].type !== 'u64') return null;
  const [x, y] = e.args.map(signedOf);
  return x && y ? [x, y] : null;
}

class Values {
  /** @param {import('./range-checks.js').Background} background */
  constructor({ definitions, lengths }) {
    this.definitions = definitions;
    this.lengths = lengths;
    this.atoms = new Atoms();
    /** @type {Env} */
    this.env = new Map();
    /** @type {Known[]} */
    this.facts = [];
    /** @type {Map<Local, Known>} */
    this.leaves = new Map();
    /** @type {Map<string, Known>} */
    this.values = new Map();
    /** @type {Map<Local, number>} */
    this.numbers = new Map();
  }

  /** @param {Atom['range']} range @returns {Known} */
  unknown(range = [null, null]) {
    const [lo, hi] = range;
    const bound = (/** @type {number | null} */ b) => (b === null ? null : Poly.constant(b));
    return { poly: Poly.atom(this.atoms.make({ lo: bound(lo), hi: bound(hi), range })), needs: [] };
  }

  /** The value of a local at the beginning. @param {Local} local @param {Expression} e @returns {Known} */
  leaf(local, e) {
    const known = this.leaves.get(local);
    if (known) return known;
    const definition = this.definitions.get(local);
    const isAlias =
      definition && ALIASES.has(definition.op) && definition.args[0]?.type !== 'f64' && this.isFixed(definition);
    const isDouble = local.type === 'f64';
    const range = this.lengths.has(local) ? NATURAL : rangeOfExpression(e);
    const own = () => ({ poly: Poly.atom(this.atoms.make({ leaf: e, isDouble, range })), needs: [] });
    const made = (isAlias && (isDouble ? this.double(definition) : this.integer(definition))) || own();
    this.leaves.set(local, made);
    return made;
  }

  /** Whether an expression has one value in all of the function. @param {Expression} e @returns {boolean} */
  isFixed(e) {
    if (e.op === 'local') return !e.local.isSet;
    return e.op !== 'load' && e.args.every((arg) => this.isFixed(arg));
  }

  /** @param {Expression} e a local @returns {Known | null} */
  read(e) {
    const known = this.env.get(e.local);
    if (known !== undefined) return known;
    const leaf = this.leaf(e.local, e);
    return e.type === 'f64' ? fitting(leaf, [-TWO52, TWO52]) : leaf;
  }

  /** The integer that an expression of integers is. @param {Expression} e @returns {Known} */
  integer(e) {
    const value = constantOf(e);
    if (value !== null) return { poly: Poly.constant(value), needs: [] };
    if (!INTEGERS.has(e.type)) return this.unknown();
    if (e.op === 'local') return this.read(e) ?? this.unknown(rangeOfExpression(e));
    const ring = this.ring(e, (arg) => this.integer(arg));
    if (ring) return e.type === 'i64' && !e.wraps ? ring : fitting(ring, RANGES[e.type] ?? [-TWO52, TWO52]);
    return this.converted(e) ?? this.chosen(e) ?? this.early(e) ?? this.bounded(e);
  }

  /** @param {Expression} e @returns {Known | null} */
  converted(e) {
    if (e.op !== 'convert' && e.op !== 'bitcast') return null;
    const [from] = e.args;
    const known =
      from.type === 'f64' && e.op === 'convert'
        ? this.double(from)
        : INTEGERS.has(from.type)
          ? this.integer(from)
          : null;
    return known && e.type !== 'i64' ? fitting(known, RANGES[e.type]) : known;
  }

  /** @type {(e: Expression, of: (arg: Expression) => Known | null) => Known | null} */
  ring(e, of) {
    if (!['add', 'sub', 'mul', 'neg'].includes(e.op)) return null;
    const args = e.args.map(of);
    if (args.includes(null)) return null;
    const [a, b] = /** @type {Known[]} */ (args);
    const poly =
      e.op === 'add'
        ? a.poly.plus(b.poly)
        : e.op === 'sub'
          ? a.poly.minus(b.poly)
          : e.op === 'mul'
            ? a.poly.times(b.poly)
            : a.poly.scaled(-1);
    return poly.isLarge ? null : { poly, needs: b ? [...a.needs, ...b.needs] : a.needs };
  }

  /** What a choice is that asks for a NaN where there can be none. @param {Expression} e @returns {Known | null} */
  chosen(e) {
    const [test, , otherwise] = e.args;
    if ((e.op !== 'select' && e.op !== 'choose') || test.op !== 'is_nan') return null;
    const asked = this.double(test.args[0]);
    if (!asked) return null;
    const { poly, needs } = this.integer(otherwise);
    return { poly, needs: [...needs, ...asked.needs] };
  }

  /** What can be computed at the beginning, whatever it is. @param {Expression} e @returns {Known | null} */
  early(e) {
    const key = e.type === 'i64' ? this.keyOf(e) : null;
    if (!key) return null;
    const known = this.values.get(key) ?? {
      poly: Poly.atom(this.atoms.make({ leaf: e, range: this.rangeOf(e) })),
      needs: [],
    };
    this.values.set(key, known);
    return known;
  }

  /**
   * A text that is the same for expressions of the same value; null for those that change.
   *
   * @param {Expression} e
   * @returns {string | null}
   */
  keyOf(e) {
    if (e.op === 'const') return `${e.type} ${e.value}`;
    if (e.op === 'local') return this.env.has(e.local) ? null : `${e.local.name}.${this.numberOf(e.local)}`;
    if (e.op === 'load' || e.args.length === 0) return null;
    const parts = e.args.map((arg) => this.keyOf(arg));
    return parts.includes(null) ? null : `${e.op} ${e.type}(${parts.join(', ')})`;
  }

  /** @param {Local} local */
  numberOf(local) {
    if (!this.numbers.has(local)) this.numbers.set(local, this.numbers.size);
    return this.numbers.get(local);
  }

  /** An integer of which bounds are known. @param {Expression} e @returns {Known} */
  bounded(e) {
    const made = this.unknown(this.rangeOf(e));
    if (e.op === 'min' || e.op === 'max') {
      for (const arg of e.args) {
        const { poly, needs } = this.integer(arg);
        this.facts.push({ poly: e.op === 'min' ? poly.minus(made.poly) : made.poly.minus(poly), needs });
      }
    }
    if (e.op === 'rem') {
      const divisor = this.integer(e.args[1]);
      const [least] = rangeOf(divisor.poly);
      if (least !== null && least > 0)
        this.facts.push({ poly: divisor.poly.minus(made.poly).plusConstant(-1), needs: divisor.needs });
    }
    return made;
  }

  /** @param {Expression} e @returns {Atom['range']} */
  rangeOf(e) {
    const range = rangeOfExpression(e);
    if (e.op !== 'rem' || (range[0] !== null && range[0] >= 0)) return range;
    const [least] = rangeOf(this.integer(e.args[0]).poly);
    return least !== null && least >= 0 ? [0, range[1]] : range;
  }

  /**
   * The whole number that a double is, null where nobody knows that it is one.
   *
   * @param {Expression} e
   * @returns {Known | null}
   */
  double(e) {
    if (e.op === 'local') return e.type === 'f64' ? this.read(e) : null;
    if (e.op === 'const')
      return Number.isSafeInteger(e.value) && !Object.is(e.value, -0)
        ? { poly: Poly.constant(e.value), needs: [] }
        : null;
    if (e.op === 'convert') return INTEGERS.has(e.args[0].type) ? this.exact(e) : null;
    if (e.op === 'floor' || e.op === 'ceil' || e.op === 'trunc') return this.double(e.args[0]);
    if (e.op === 'select' || e.op === 'choose') return this.either(e);
    const ring = this.ring(e, (arg) => this.double(arg));
    return ring && fitting(ring, [-TWO52, TWO52]);
  }

  /** @param {Expression} e a double made of an integer @returns {Known} */
  exact(e) {
    const known = this.integer(e.args[0]);
    return e.rounds ? fitting(known, [-TWO52, TWO52]) : known;
  }

  /**
   * One of two whole doubles; where the test is that an index is in range, what is there, if it is.
   *
   * @param {Expression} e
   * @returns {Known | null}
   */
  either(e) {
    const inside = insideOf(e.args[0]);
    if (inside) {
      const [x, y] = inside.map((side) => this.integer(side));
      const found = this.double(e.args[1]);
      return (
        found && {
          poly: found.poly,
          needs: [...x.needs, ...y.needs, x.poly, y.poly.minus(x.poly).plusConstant(-1), ...found.needs],
        }
      );
    }
    const [a, b] = [this.double(e.args[1]), this.double(e.args[2])];
    if (!a || !b) return null;
    const [x, y] = [rangeOf(a.poly), rangeOf(b.poly)];
    const join = (/** @type {0 | 1} */ k, /** @type {boolean} */ isFirst) =>
      x[k] === null || y[k] === null ? null : isFirst ? x[k] : y[k];
    const made = this.unknown([join(0, Number(x[0]) < Number(y[0])), join(1, Number(x[1]) > Number(y[1]))]);
    return { poly: made.poly, needs: [...a.needs, ...b.needs] };
  }

  // --- facts ---

  /** What a test says where it is true, or false. @param {Expression} e @param {boolean} holds @returns {Known[]} */
  factsOf(e, holds) {
    if (e.op === 'not') return this.factsOf(e.args[0], !holds);
    if (holds ? e.op === 'andalso' || e.op === 'and' : e.op === 'orelse' || e.op === 'or')
      return e.type === 'bool' ? e.args.flatMap((arg) => this.factsOf(arg, holds)) : [];
    if (e.op === 'local') {
      const definition = this.definitions.get(e.local);
      return definition && this.isFixed(definition) ? this.factsOf(definition, holds) : [];
    }
    const inside = insideOf(e);
    if (inside && holds) {
      const [x, y] = inside.map((side) => this.integer(side));
      return [
        { poly: x.poly, needs: x.needs },
        { poly: y.poly.minus(x.poly).plusConstant(-1), needs: [...x.needs, ...y.needs] },
      ];
    }
    return e.op in COMPARES ? this.compared(e, holds) : [];
  }

  /** @param {Expression} e @param {boolean} holds @returns {Known[]} */
  compared(e, holds) {
    const [x, y] = e.args.map((arg) =>
      INTEGERS.has(arg.type) ? this.integer(arg) : arg.type === 'f64' ? this.double(arg) : null,
    );
    if (!x || !y) return [];
    const compare = COMPARES[holds ? e.op : OPPOSITES[e.op]];
    const needs = [...x.needs, ...y.needs];
    return compare(x.poly, y.poly).map((poly) => ({ poly, needs }));
  }
}

/** The same value, if it is in a range. @type {(known: Known, range: Atom['range']) => Known} */
function fitting(known, [lo, hi]) {
  const [least, most] = rangeOf(known.poly);
  const needs = [...known.needs];
  if (lo !== null && (least === null || least < lo)) needs.push(known.poly.plusConstant(-lo));
  if (hi !== null && (most === null || most > hi)) needs.push(Poly.constant(hi).minus(known.poly));
  return { poly: known.poly, needs };
}

/** What is known of an expression by itself. @type {(e: Expression) => Atom['range']} */
function rangeOfExpression(e) {
  if (e.range)
    return [e.range[0] >= -TWO52 ? Math.ceil(e.range[0]) : null, e.range[1] <= TWO52 ? Math.floor(e.range[1]) : null];
  if (e.op === 'load' && RANGES[e.array.dtype]) return RANGES[e.array.dtype];
  if (e.op === 'and') {
    const masks = e.args.map(constantOf).filter((value) => value !== null && value >= 0);
    if (masks.length > 0) return [0, masks[0]];
  }
  if (e.op === 'convert' && INTEGERS.has(e.args[0].type)) {
    const inner = rangeOfExpression(e.args[0]);
    const outer = RANGES[e.type];
    return !outer ||
      (inner[0] !== null &&
        inner[1] !== null &&
        inner[0] >= /** @type {number} */ (outer[0]) &&
        inner[1] <= /** @type {number} */ (outer[1]))
      ? inner
      : outer;
  }
  return RANGES[e.type] ?? [null, null];
}

module.exports = { COMPARES, INTEGERS, RANGES, TWO31, TWO52, Values, constantOf, insideOf };
