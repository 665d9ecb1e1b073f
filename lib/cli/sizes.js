/**
 * Symbols and expressions over them: `--size n=1000`, and what "2*n + max(m - 1, 0)" comes to.
 *
 * The core prints sizes as text; this evaluates such text, exactly, in the core's grammar: + - * /
 * (rounding down), max(a, b), parentheses.
 */
'use strict';

const { stop, usage } = require('./errors.js');

/** @typedef {number | string | null} Amount a number, or the text of an expression; null: unknown */
/** @typedef {Map<string, number>} Symbols */

const MOST = 2 ** 47;

/**
 * One --size, or several behind commas; commander calls it for each.
 *
 * @param {string} text
 * @param {Symbols} [before]
 * @returns {Symbols}
 */
function readSizes(text, before = new Map()) {
  const symbols = new Map(before);
  for (const part of text.split(',')) {
    const found = /^\s*([A-Za-z_]\w*)\s*=\s*(\d+)\s*$/.exec(part);
    if (!found) usage(`expected NAME=NUMBER for --size, such as n=1000, got '${part}'`);
    const [, name, digits] = /** @type {RegExpExecArray} */ (found);
    if (Number(digits) > MOST) usage(`--size ${name}: ${digits} is more than the most, ${MOST}`);
    if (symbols.has(name)) usage(`--size ${name} is given twice`);
    symbols.set(name, Number(digits));
  }
  return symbols;
}

/** @type {(a: bigint, b: bigint) => bigint} rounding down, as the core does */
function floorDiv(a, b) {
  if (b === 0n) return stop('a size divides by 0', { code: 'ERR_SHAPE' });
  const quotient = a / b;
  return quotient * b !== a && a < 0n !== b < 0n ? quotient - 1n : quotient;
}

/** A reader of one expression by recursive descent. */
class Expression {
  /**
   * @param {string} text
   * @param {Symbols} symbols
   */
  constructor(text, symbols) {
    this.words = text.match(/\d+|[A-Za-z_]\w*|[-+*/(),]/g) ?? [];
    this.at = 0;
    this.symbols = symbols;
  }

  /** @type {(word: string) => boolean} */
  take(word) {
    if (this.words[this.at] !== word) return false;
    this.at++;
    return true;
  }

  /** @returns {bigint} */
  sum() {
    let value = this.product();
    for (;;) {
      if (this.take('+')) value += this.product();
      else if (this.take('-')) value -= this.product();
      else return value;
    }
  }

  /** @returns {bigint} */
  product() {
    let value = this.atom();
    for (;;) {
      if (this.take('*')) value *= this.atom();
      else if (this.take('/')) value = floorDiv(value, this.atom());
      else return value;
    }
  }

  /** @returns {bigint} */
  atom() {
    if (this.take('-')) return -this.atom();
    if (this.take('(')) {
      const value = this.sum();
      this.take(')');
      return value;
    }
    const word = this.words[this.at++] ?? '';
    if (/^\d/.test(word)) return BigInt(word);
    if (word === 'max' && this.take('(')) {
      const first = this.sum();
      this.take(',');
      const second = this.sum();
      this.take(')');
      return first > second ? first : second;
    }
    return BigInt(this.symbols.get(word) ?? 0);
  }
}

/** The symbols in an amount. @type {(amount: Amount) => string[]} */
const symbolsIn = (amount) => (typeof amount === 'string' ? (amount.match(/[A-Za-z_]\w*(?!\w*\()/g) ?? []) : []);

/**
 * What an amount comes to, or the amount itself where a symbol has no value.
 *
 * @param {Amount} amount
 * @param {Symbols} symbols
 * @returns {Amount}
 */
function valueOf(amount, symbols) {
  if (typeof amount !== 'string' || symbolsIn(amount).some((name) => !symbols.has(name))) return amount;
  return Number(new Expression(amount, symbols).sum());
}

/**
 * Sums of amounts as the core writes them: "n" and "n" make 2*n. Null where one is unknown or the sum is
 * beyond what the core can write down.
 */
function adder() {
  const { native } = require('../base/binding.js');
  const scratch = native.graphNew();
  /** @type {(amounts: readonly Amount[]) => Amount} */
  return (amounts) => {
    const numbers = amounts.filter((amount) => typeof amount === 'number');
    const known = numbers.reduce((a, b) => a + b, 0);
    if (numbers.length === amounts.length) return known;
    if (amounts.includes(null)) return null;
    try {
      const dims = amounts.map((amount) => native.graphDim(scratch, String(amount)));
      return native.graphDimText(
        scratch,
        dims.reduce((a, b) => native.graphDimOp(scratch, '+', a, b)),
      );
    } catch {
      return null;
    }
  };
}

/**
 * The symbols of ports, in the order in which they appear.
 *
 * @type {(ports: readonly { shape: readonly Amount[] }[]) => string[]}
 */
const symbolsOf = (ports) => [...new Set(ports.flatMap(({ shape }) => shape.flatMap(symbolsIn)))];

/**
 * Refuses sizes for symbols that the graph does not have.
 *
 * @param {Symbols} symbols
 * @param {readonly { shape: readonly Amount[] }[]} ports
 */
function checkSymbols(symbols, ports) {
  const known = symbolsOf(ports);
  for (const name of symbols.keys()) {
    if (known.includes(name)) continue;
    const list = known.length > 0 ? `its symbols are ${known.join(', ')}` : 'it has no symbols';
    usage(`--size ${name}: the graph has no size '${name}', ${list}`);
  }
}

module.exports = { adder, checkSymbols, readSizes, symbolsOf, valueOf };
