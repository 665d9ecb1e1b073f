/**
 * What is found out about arrays that a function makes, for which inference begins again.
 *
 * Some decisions are made where an array is made and turn out wrong later: a literal that somebody indexes with a
 * variable cannot be a tuple, an array of integers cannot hold a fraction, and one that is returned cannot lie on the
 * stack. Then the fact is kept here, by the place in the source, and the function is walked from the start. Facts only
 * grow, so this ends.
 */
'use strict';

const N = require('./number-types.js');
const E = require('./environment.js');
const { refuse } = require('../source/frame.js');

/** @typedef {import('../hir/index.js').Place} Place */
/** @typedef {import('./number-types.js').Num} Num */

/**
 * @typedef {object} Site
 * @property {boolean} inMemory   a literal that is no tuple
 * @property {Num | null} type    of its elements, where that is narrower than what memory holds; null: nothing stored yet
 * @property {boolean} hasNumbers   numbers are stored, which may be undefined or null; not where there are booleans only
 * @property {boolean} escapes    more than its own variable may name it
 * @property {boolean} isReturned
 * @property {number} growths
 * @property {any} node
 * @property {Record<'bigint' | 'boolean' | 'number' | 'undefined' | 'null', boolean>} [holds] what a variable in memory may be (captured-cells.js)
 * @property {object} [constant] the array that was captured, whose elements are data
 */

/** Thrown to begin again. */
class Again extends Error {}

/** Beginnings after which something is wrong with us. */
const MOST_BEGINNINGS = 200;

class Facts {
  #count = 0;
  /** Whether this walk is known to be wrong, and goes on to find out what else is. */
  isStale = false;
  /** @type {Map<object, Site>} */
  #sites = new Map();
  /** Variables that are kept in memory, since a function that calls itself sets them. @type {Set<object>} */
  boxed = new Set();

  /** @type {(place: Place) => never} */
  #again(place) {
    if (++this.#count > MOST_BEGINNINGS)
      refuse(place, 'types do not settle', 'give the arrays here elements of one type');
    throw new Again('again');
  }

  /** @type {(node: any) => Site} */
  site(node) {
    let site = this.#sites.get(node);
    if (!site) {
      site = { inMemory: false, type: null, hasNumbers: false, escapes: true, isReturned: false, growths: 0, node };
      this.#sites.set(node, site);
    }
    return site;
  }

  /** @type {(site: Site, place: Place) => never} */
  putInMemory(site, place) {
    if (site.inMemory) refuse(place, 'this array cannot be indexed here', 'give its elements one type');
    site.inMemory = true;
    return this.#again(place);
  }

  /**
   * Captured variables that are made at the start, since not only the entry function uses them, or not on all ways.
   *
   * @type {Set<any>}
   */
  shared = new Set();

  /** @type {(variables: object[], place: Place) => never} */
  share(variables, place) {
    for (const variable of variables) this.shared.add(variable);
    return this.#again(place);
  }

  /** Ends a walk that is known to be wrong. @type {(place: Place) => void} */
  checkStale(place) {
    if (!this.isStale) return;
    this.isStale = false;
    this.#again(place);
  }

  /** Functions that cannot be compiled out of line. @type {Set<object>} */
  inPlace = new Set();

  /** @type {(callee: object, place: Place) => never} */
  keepInPlace(callee, place) {
    this.inPlace.add(callee);
    return this.#again(place);
  }

  /** Array parameters of functions compiled out of line that may be parts of one array. @type {Set<string>} */
  together = new Set();

  /** @type {(pair: string, place: Place) => never} */
  bringTogether(pair, place) {
    this.together.add(pair);
    return this.#again(place);
  }

  /** @type {(variable: object, place: Place) => never} */
  box(variable, place) {
    this.boxed.add(variable);
    return this.#again(place);
  }

  /**
   * Takes down what else a variable in memory may be.
   *
   * @type {(site: Site, place: Place, kinds: Record<string, boolean>) => void}
   */
  widen(site, place, kinds) {
    const holds = /** @type {Record<string, boolean>} */ (site.holds);
    const news = Object.keys(kinds).filter((kind) => kinds[kind] && !holds[kind]);
    if (news.length === 0) return;
    const isFirst = !Object.values(holds).includes(true);
    for (const kind of news) holds[kind] = true;
    if (!isFirst) this.#again(place);
  }

  /** Captured arrays that are written, and so are no constants. @type {Set<object>} */
  #written = new Set();

  /** @type {(array: object) => boolean} */
  isWritten(array) {
    return this.#written.has(array);
  }

  /** @type {(array: object) => void} */
  #write(array) {
    this.#written.add(array);
    this.isStale = true;
  }

  /**
   * Takes down that a value is stored in an array made here.
   *
   * @type {(site: Site | null, value: any, place: Place) => void}
   */
  stores(site, value, place) {
    const isNumber =
      value.kind === 'number' || value.kind === 'boolean' || value.kind === 'undefined' || value.kind === 'null';
    const type = isNumber ? { ...E.numberType(value), below: null } : N.anyNumber;
    if (value.kind !== 'bigint')
      this.holds(site, type, value.kind === 'number' && (type.lo <= type.hi || type.nan), place);
    else if (site?.constant) this.#write(site.constant);
  }

  /** @type {(site: Site | null, type: Num, hasNumbers: boolean, place: Place) => void} the same of values of a type */
  holds(site, type, hasNumbers, place) {
    if (site?.constant) this.#write(site.constant);
    if (!site || site.constant) return;
    const isAmongBooleans = hasNumbers && !site.hasNumbers && site.type?.boolean;
    site.hasNumbers ||= hasNumbers;
    const joined = site.type ? N.join(site.type, type) : type;
    if (!site.type) site.type = type;
    if (N.isEqual(joined, site.type) && !isAmongBooleans) return;
    site.type = ++site.growths > 2 ? N.widen(site.type, joined) : joined;
    this.#again(place);
  }

  /** @type {(sites: (Site | null)[]) => Site | null} one for arrays that a variable may name */
  unify(sites) {
    const known = /** @type {Site[]} */ (sites.filter((s) => s));
    if (known.length === 0) return null;
    const type = known.reduce(
      (/** @type {Num | null} */ t, s) => (t && s.type ? N.join(t, s.type) : (t ?? s.type)),
      null,
    );
    const { place } = known[0].node;
    if (known.length < sites.length && (type?.null || type?.boolean))
      refuse(place, 'an Array of numbers meets one of other things here', 'store 1 and 0, or use one Array');
    const whole = known.length < sites.length ? { ...N.anyNumber, undefined: Boolean(type?.undefined) } : type;
    const hasNumbers = known.length < sites.length || known.some((s) => s.hasNumbers);
    const isOther = (/** @type {Site} */ s) =>
      Boolean(s.type && whole && !N.isEqual(s.type, whole)) || (s.hasNumbers !== hasNumbers && s.type?.boolean);
    if (known.some(isOther)) {
      for (const s of known) [s.type, s.hasNumbers] = [whole, hasNumbers];
      this.#again(place);
    }
    return known[0];
  }

  /** @type {(sites: (Site | null)[]) => void} arrays that a variable may name hold doubles all */
  makeDoubles(sites) {
    for (const site of sites) {
      if (!site?.type || !N.isInteger(site.type)) continue;
      site.type = N.anyNumber;
      this.#again(site.node.place);
    }
  }

  /** @type {(roots: any[], place: Place) => void} arrays that leave the function must not lie on its stack */
  outlive(roots, place) {
    for (const { site, kind } of roots) {
      if (kind !== 'stack' || !site || site.isReturned) continue;
      site.isReturned = true;
      this.#again(place);
    }
  }
}

module.exports = { Again, Facts };
