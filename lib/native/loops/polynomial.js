/**
 * Polynomials with integer coefficients over unknown integers, and the least that one can be.
 *
 * Proving that an index is in range means showing that two polynomials, `index` and `length - 1 - index`, are not
 * negative. What is unknown is an atom. Leaves are what is known when the code that asks begins to run; the others have
 * bounds, which are polynomials of atoms made before. Replacing the youngest atom by the bound that makes the
 * polynomial smaller, until leaves are left, gives conditions that can be computed before a loop (the elimination of
 * Fourier and Motzkin, for one inequality). For affine indices of nested counters, triangular ones too, nothing is
 * lost.
 *
 * Coefficients are numbers, since bigints take most of the time of a compilation. Polynomials with one that is no safe
 * integer prove nothing.
 */
'use strict';

/**
 * @typedef {object} Atom
 * @property {number} id in the order of making
 * @property {import('../tir/index.js').Expression | null} leaf its value, where that can be computed beforehand
 * @property {boolean} isDouble the leaf is an f64 which has to be a whole number
 * @property {Atom | null} of it is the absolute value of this leaf
 * @property {Poly | null} lo
 * @property {Poly | null} hi
 * @property {Poly[]} needs what must not be negative for the bounds to hold
 * @property {[number | null, number | null]} range what is known without running
 */

/** @typedef {{ factor: number, atoms: Atom[] }} Term */

/** Terms above which a polynomial is not worth looking at. */
const MOST_TERMS = 40;
/** Eliminations above which a proof is given up. */
const MOST_STEPS = 60;
/** Sums of two numbers up to this are exact. */
const CLAMP = 2 ** 52;

class Poly {
  /** @type {Set<Atom> | null} */
  #atoms = null;
  /** @type {string | null} */
  #key = null;
  /** @type {string | null} */
  #direction = null;

  /** @param {Map<string, Term>} terms @param {boolean} [isExact] */
  constructor(terms, isExact = true) {
    this.terms = terms;
    this.isExact = isExact;
  }

  /** @param {number} value */
  static constant(value) {
    return new Poly(
      value === 0 ? new Map() : new Map([['', { factor: value, atoms: [] }]]),
      Number.isSafeInteger(value),
    );
  }

  /** @param {Atom} atom */
  static atom(atom) {
    return new Poly(new Map([[`${atom.id}`, { factor: 1, atoms: [atom] }]]));
  }

  /** @param {Iterable<Term>} terms sorted by their atoms each @param {boolean} [isExact] whether what they come from is */
  static sum(terms, isExact = true) {
    const made = new Poly(new Map(), isExact);
    for (const { factor, atoms } of terms)
      made.#add(atoms.length === 1 ? `${atoms[0].id}` : atoms.map((atom) => atom.id).join(' '), factor, atoms);
    return made;
  }

  /** To a polynomial that is being made. @param {string} key @param {number} factor @param {Atom[]} atoms */
  #add(key, factor, atoms) {
    const before = this.terms.get(key);
    const total = before ? before.factor + factor : factor;
    if (total === 0) this.terms.delete(key);
    else this.terms.set(key, { factor: total, atoms });
    if (!Number.isSafeInteger(total)) this.isExact = false;
  }

  /** This plus another `by` times. @param {Poly} other @param {number} by */
  #plus(other, by) {
    const made = new Poly(new Map(this.terms), this.isExact && other.isExact);
    for (const [key, { factor, atoms }] of other.terms) made.#add(key, factor * by, atoms);
    return made;
  }

  /** @param {Poly} other */
  plus(other) {
    return this.#plus(other, 1);
  }

  /** @param {number} factor */
  scaled(factor) {
    return new Poly(new Map(), this.isExact).#plus(this, factor);
  }

  /** @param {Poly} other */
  minus(other) {
    return this.#plus(other, -1);
  }

  /** @param {number} value */
  plusConstant(value) {
    const made = new Poly(new Map(this.terms), this.isExact);
    made.#add('', value, []);
    return made;
  }

  /** @param {Poly} other */
  times(other) {
    const products = [...this.terms.values()].flatMap((a) =>
      [...other.terms.values()].map((b) => ({
        factor: a.factor * b.factor,
        atoms: [...a.atoms, ...b.atoms].sort((x, y) => x.id - y.id),
      })),
    );
    return Poly.sum(products, this.isExact && other.isExact);
  }

  /** The same of other atoms. @param {Map<Atom, Atom>} others */
  renamed(others) {
    const terms = [...this.terms.values()].map(({ factor, atoms }) => ({
      factor,
      atoms: atoms.map((atom) => others.get(atom) ?? atom).sort((x, y) => x.id - y.id),
    }));
    return Poly.sum(terms, this.isExact);
  }

  get isLarge() {
    return this.terms.size > MOST_TERMS || !this.isExact;
  }

  get degree() {
    let degree = 0;
    for (const { atoms } of this.terms.values()) degree = Math.max(degree, atoms.length);
    return degree;
  }

  /** Its value, if that is a constant. @returns {number | null} */
  get value() {
    if (this.terms.size === 0) return 0;
    const only = this.terms.get('');
    return only && this.terms.size === 1 ? only.factor : null;
  }

  get key() {
    this.#key ??= [...this.terms]
      .map(([key, { factor }]) => `${factor}*${key}`)
      .sort()
      .join('+');
    return this.#key;
  }

  /** The key of all but the constant. @returns {string} */
  get direction() {
    this.#direction ??= [...this.terms]
      .flatMap(([key, { factor }]) => (key === '' ? [] : [`${factor}*${key}`]))
      .sort()
      .join('+');
    return this.#direction;
  }

  get offset() {
    return this.terms.get('')?.factor ?? 0;
  }

  /** The atoms in it. @returns {Set<Atom>} */
  get atoms() {
    if (this.#atoms) return this.#atoms;
    /** @type {Set<Atom>} */
    const found = new Set();
    for (const { atoms } of this.terms.values()) for (const atom of atoms) found.add(atom);
    this.#atoms = found;
    return found;
  }
}

/** Makes atoms in an order. */
class Atoms {
  constructor() {
    this.count = 0;
    /** What integers of 64 bits may be without any doubt, which numbers cannot add to. @type {Poly} */
    this.huge = Poly.atom(
      this.make({ leaf: { op: 'const', type: 'i64', value: 2n ** 60n, args: [] }, range: [CLAMP, null] }),
    );
  }

  /** @param {Partial<Atom>} given @returns {Atom} */
  make(given) {
    return {
      id: this.count++, leaf: null, isDouble: false, of: null, lo: null, hi: null, needs: [], range: [null, null],
      ...given,
    };
  }
}

/** The product of two ranges; null is no bound. @type {(a: Atom['range'], b: Atom['range']) => Atom['range']} */
function product(a, b) {
  if (a[0] === 1 && a[1] === 1) return b;
  if (a[0] !== null && a[0] >= 0 && b[0] !== null && b[0] >= 0)
    return [a[0] * b[0], a[1] === null || b[1] === null ? null : a[1] * b[1]];
  if (a[0] === null || a[1] === null || b[0] === null || b[1] === null) return [null, null];
  const ends = [a[0] * b[0], a[0] * b[1], a[1] * b[0], a[1] * b[1]];
  return [Math.min(...ends), Math.max(...ends)];
}

/**
 * A bound of a sum, where it is one: numbers beyond are not exact.
 *
 * @type {(sum: number | null, more: number | null, factor: number, side: 1 | -1) => number | null}
 */
function bounded(sum, more, factor, side) {
  if (sum === null || more === null) return null;
  const total = (sum + more * factor) * side;
  return total < -CLAMP ? null : Math.min(total, CLAMP) * side;
}

/** What is known of a polynomial without running. @type {(p: Poly) => Atom['range']} */
function rangeOf(p) {
  /** @type {Atom['range']} */
  let total = [0, 0];
  for (const { factor, atoms } of p.terms.values()) {
    /** @type {Atom['range']} */
    let part = [1, 1];
    for (const atom of atoms) part = product(part, atom.range);
    const [lo, hi] = factor >= 0 ? part : [part[1], part[0]];
    total = [bounded(total[0], lo, factor, 1), bounded(total[1], hi, factor, -1)];
  }
  return total;
}

/** The youngest atom that is no leaf. @type {(p: Poly) => Atom | null} */
function youngest(p) {
  let found = null;
  for (const atom of p.atoms) if (!atom.leaf && (!found || atom.id > found.id)) found = atom;
  return found;
}

/** The factors of the powers of an atom: index k holds that of the k-th. @type {(p: Poly, atom: Atom) => Poly[]} */
function powersOf(p, atom) {
  /** @type {Term[][]} */
  const parts = [];
  for (const { factor, atoms } of p.terms.values()) {
    const k = atoms.filter((each) => each === atom).length;
    while (parts.length <= k) parts.push([]);
    parts[k].push({ factor, atoms: atoms.filter((each) => each !== atom) });
  }
  return parts.map((terms) => Poly.sum(terms, p.isExact));
}

/**
 * Whether the factor of an atom had better be assumed to be positive: what its terms of the highest degree look like.
 *
 * @type {(p: Poly) => boolean}
 */
function looksPositive(p) {
  let [balance, degree] = [0, 0];
  for (const { factor, atoms } of p.terms.values()) {
    if (atoms.length < degree) continue;
    if (atoms.length > degree) [balance, degree] = [0, atoms.length];
    balance += factor > 0 ? 1 : -1;
  }
  return balance >= 0;
}

class Proof {
  constructor() {
    this.steps = 0;
    /** Over leaves. @type {Map<string, Poly>} */
    this.conditions = new Map();
  }

  /**
   * Whether `p` is not negative if the conditions collected hold.
   *
   * @param {Poly} p
   * @returns {boolean}
   */
  show(p) {
    if (++this.steps > MOST_STEPS || p.isLarge) return false;
    const [least, most] = rangeOf(p);
    if (least !== null && least >= 0) return true;
    if (most !== null && most < 0) return false;
    const atom = youngest(p);
    if (atom) return this.eliminate(p, atom);
    this.conditions.set(p.key, p);
    return true;
  }

  /** @type {(p: Poly, atom: Atom) => boolean} */
  eliminate(p, atom) {
    const powers = powersOf(p, atom);
    let rest = powers[0];
    for (let k = 1; k < powers.length; k++) {
      if (powers[k].terms.size === 0) continue;
      const positive = looksPositive(powers[k]);
      const bound = positive ? atom.lo : atom.hi;
      if (!bound || !this.show(positive ? powers[k] : powers[k].scaled(-1))) return false;
      if (k > 1 && !(atom.lo && this.show(atom.lo))) return false;
      let power = bound;
      for (let i = 1; i < k; i++) power = power.times(bound);
      rest = rest.plus(powers[k].times(power));
    }
    return atom.needs.every((need) => this.show(need)) && this.show(rest);
  }
}

/**
 * Conditions over leaves under which none of `wanted` is negative; empty: it is so anyway. Null: nobody knows.
 *
 * @param {Poly[]} wanted
 * @returns {Poly[] | null}
 */
function conditionsFor(wanted) {
  const proof = new Proof();
  return wanted.every((p) => proof.show(p)) ? [...proof.conditions.values()] : null;
}

module.exports = { Atoms, Poly, conditionsFor, rangeOf };
