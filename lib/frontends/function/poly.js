/**
 * Polynomials with integer coefficients over unknown integers, and the least that one can be.
 *
 * Proving that an index is in range means showing that two polynomials, `index` and `length - 1 - index`, are not negative.
 * What is unknown is an atom. Leaves are what is known when the code that asks begins to run; the others
 * have bounds, which are polynomials of atoms made before. Replacing the youngest atom by the bound that makes
 * the polynomial smaller, until leaves are left, gives conditions that can be computed before a loop (the elimination of
 * Fourier and Motzkin, for one inequality). For affine indices of nested counters, triangular ones too, nothing is lost.
 */
'use strict';

/**
 * @typedef {object} Atom
 * @property {number} id in the order of making
 * @property {import('./tir.js').Expression | null} leaf its value, where that can be computed beforehand
 * @property {boolean} isDouble the leaf is an f64 which has to be a whole number
 * @property {Atom | null} of it is the absolute value of this leaf
 * @property {Poly | null} lo
 * @property {Poly | null} hi
 * @property {Poly[]} needs what must not be negative for the bounds to hold
 * @property {[bigint | null, bigint | null]} range what is known without running
 */

/** @typedef {{ factor: bigint, atoms: Atom[] }} Term */

/** Terms above which a polynomial is not worth looking at. */
const MOST_TERMS = 40;
/** Eliminations above which a proof is given up. */
const MOST_STEPS = 60;

class Poly {
  /** @type {Set<Atom> | null} */
  #atoms = null;
  /** @type {string | null} */
  #key = null;

  /** @param {Map<string, Term>} terms */
  constructor(terms) {
    this.terms = terms;
  }

  /** @param {bigint} value */
  static constant(value) {
    return new Poly(value === 0n ? new Map() : new Map([['', { factor: value, atoms: [] }]]));
  }

  /** @param {Atom} atom */
  static atom(atom) {
    return new Poly(new Map([[`${atom.id}`, { factor: 1n, atoms: [atom] }]]));
  }

  /** @param {Iterable<Term>} terms sorted by their atoms each */
  static sum(terms) {
    /** @type {Map<string, Term>} */
    const made = new Map();
    for (const { factor, atoms } of terms) {
      const key = atoms.length === 1 ? `${atoms[0].id}` : atoms.map((atom) => atom.id).join(' ');
      const total = factor + (made.get(key)?.factor ?? 0n);
      if (total === 0n) made.delete(key);
      else made.set(key, { factor: total, atoms });
    }
    return new Poly(made);
  }

  /** @param {Poly} other */
  plus(other) {
    return Poly.sum([...this.terms.values(), ...other.terms.values()]);
  }

  /** @param {bigint} factor */
  scaled(factor) {
    return Poly.sum([...this.terms.values()].map((term) => ({ ...term, factor: term.factor * factor })));
  }

  /** @param {Poly} other */
  minus(other) {
    return this.plus(other.scaled(-1n));
  }

  /** @param {bigint} value */
  plusConstant(value) {
    return this.plus(Poly.constant(value));
  }

  /** @param {Poly} other */
  times(other) {
    const products = [...this.terms.values()].flatMap((a) =>
      [...other.terms.values()].map((b) => ({ factor: a.factor * b.factor, atoms: [...a.atoms, ...b.atoms].sort((x, y) => x.id - y.id) })),
    );
    return Poly.sum(products);
  }

  get isLarge() {
    return this.terms.size > MOST_TERMS;
  }

  get degree() {
    let degree = 0;
    for (const { atoms } of this.terms.values()) degree = Math.max(degree, atoms.length);
    return degree;
  }

  /** Its value, if that is a constant. @returns {bigint | null} */
  get value() {
    if (this.terms.size === 0) return 0n;
    const only = this.terms.get('');
    return only && this.terms.size === 1 ? only.factor : null;
  }

  get key() {
    this.#key ??= [...this.terms].map(([key, { factor }]) => `${factor}*${key}`).sort().join('+');
    return this.#key;
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
  }

  /** @param {Partial<Atom>} given @returns {Atom} */
  make(given) {
    return { id: this.count++, leaf: null, isDouble: false, of: null, lo: null, hi: null, needs: [], range: [null, null], ...given };
  }
}

/** @type {(a: bigint | null, b: bigint | null, join: (a: bigint, b: bigint) => bigint) => bigint | null} */
const both = (a, b, join) => (a === null || b === null ? null : join(a, b));

/** The product of two ranges; null is no bound. @type {(a: Atom['range'], b: Atom['range']) => Atom['range']} */
function product(a, b) {
  if (a[0] === 1n && a[1] === 1n) return b;
  if (a[0] !== null && a[0] >= 0n && b[0] !== null && b[0] >= 0n) return [a[0] * b[0], both(a[1], b[1], (x, y) => x * y)];
  if ([...a, ...b].includes(null)) return [null, null];
  const ends = a.flatMap((x) => b.map((y) => /** @type {bigint} */ (x) * /** @type {bigint} */ (y)));
  return [ends.reduce((x, y) => (x < y ? x : y)), ends.reduce((x, y) => (x > y ? x : y))];
}

/** What is known of a polynomial without running. @type {(p: Poly) => Atom['range']} */
function rangeOf(p) {
  /** @type {Atom['range']} */
  let total = [0n, 0n];
  for (const { factor, atoms } of p.terms.values()) {
    const part = atoms.reduce((range, atom) => product(range, atom.range), /** @type {Atom['range']} */ ([1n, 1n]));
    const [lo, hi] = factor >= 0n ? part : [part[1], part[0]];
    total = [both(total[0], lo, (x, y) => x + y * factor), both(total[1], hi, (x, y) => x + y * factor)];
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
  return parts.map((terms) => Poly.sum(terms));
}

/** Whether the factor of an atom had better be assumed to be positive: what its terms of the highest degree look like. @type {(p: Poly) => boolean} */
function looksPositive(p) {
  let [balance, degree] = [0, 0];
  for (const { factor, atoms } of p.terms.values()) {
    if (atoms.length < degree) continue;
    if (atoms.length > degree) [balance, degree] = [0, atoms.length];
    balance += factor > 0n ? 1 : -1;
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
    if (least !== null && least >= 0n) return true;
    if (most !== null && most < 0n) return false;
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
      if (!bound || !this.show(positive ? powers[k] : powers[k].scaled(-1n))) return false;
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
