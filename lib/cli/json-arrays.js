/**
 * Numbers as JSON: nested arrays, or one number. Whole numbers keep all digits, and NaN and infinities,
 * which JSON lacks, are the strings "NaN", "Infinity" and "-Infinity". JSON.parse would round 64-bit
 * numbers and say nothing of where a mistake is, so this reads the few forms there are itself.
 */
'use strict';

const { elementOf, textOfElement } = require('./elements.js');
const { stop } = require('./errors.js');

/** @typedef {import('../tensor/dtypes.js').DTypeInfo} DTypeInfo */

const MOST_AXES = 8;
const BLANK = /[ \t\r\n]*/y;
const SCALAR = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|"(?:NaN|Infinity|-Infinity)"/y;

class Reader {
  /**
   * @param {string} text
   * @param {DTypeInfo} info
   * @param {string} file
   */
  constructor(text, info, file) {
    this.text = text;
    this.info = info;
    this.file = file;
    this.at = 0;
    /** Lengths per axis, once the first array of an axis ended. @type {(number | undefined)[]} */
    this.shape = [];
    this.rank = -1;
    /** @type {(number | bigint)[]} */
    this.elements = [];
  }

  /** @type {(message: string, at?: number) => never} */
  fail(message, at = this.at) {
    const before = this.text.slice(0, at).split('\n');
    const place = {
      file: this.file, line: before.length, column: [...before[before.length - 1]].length + 1,
      text: this.text.split('\n')[before.length - 1].replace(/\r$/, ''),
    };
    return stop(message, { code: 'ERR_PARSE', place });
  }

  skip() {
    BLANK.lastIndex = this.at;
    BLANK.exec(this.text);
    this.at = BLANK.lastIndex;
    return this.text[this.at];
  }

  /** @type {(depth: number) => void} */
  value(depth) {
    if (this.skip() === '[') return this.array(depth);
    SCALAR.lastIndex = this.at;
    const found = SCALAR.exec(this.text);
    if (!found)
      return this.fail(
        this.at < this.text.length ? 'expected a number or an array of numbers' : 'the text ends too early',
      );
    if (this.rank >= 0 && depth !== this.rank)
      return this.fail(`expected an array here, as at ${this.rank} levels before`);
    this.rank = depth;
    const own = found[0].replaceAll('"', '');
    this.elements.push(elementOf(own, this.info, (message) => this.fail(message)));
    this.at += found[0].length;
    return undefined;
  }

  /** @type {(depth: number) => void} */
  array(depth) {
    const start = this.at;
    if (depth === MOST_AXES) this.fail(`arrays are nested more than ${MOST_AXES} deep`);
    if (this.rank >= 0 && depth >= this.rank) this.fail('expected a number here, as before');
    this.at++;
    let length = 0;
    if (this.skip() === ']') this.at++;
    else {
      do {
        this.value(depth + 1);
        length++;
      } while (this.next());
    }
    if (this.shape[depth] !== undefined && this.shape[depth] !== length) {
      this.fail(`this array has length ${length}, those before have ${this.shape[depth]}`, start);
    }
    this.shape[depth] = length;
  }

  /** True behind a comma, false behind the end of an array. */
  next() {
    const found = this.skip();
    if (found !== ',' && found !== ']')
      this.fail(found === undefined ? 'the text ends inside an array' : "expected ',' or ']'");
    this.at++;
    return found === ',';
  }
}

/**
 * @param {string} text
 * @param {DTypeInfo} info
 * @param {string} file for messages
 * @returns {{ shape: number[], elements: (number | bigint)[] }}
 */
function parseNested(text, info, file) {
  const reader = new Reader(text, info, file);
  reader.value(0);
  if (reader.skip() !== undefined) reader.fail('expected nothing behind the array');
  return { shape: reader.shape.map((length) => length ?? 0), elements: reader.elements };
}

/**
 * @param {{ data: ArrayLike<number | bigint>, dtype: string, shape: readonly number[] }} array
 * @returns {string} one line per innermost array
 */
function formatNested({ data, dtype, shape }) {
  let at = 0;
  const element = () => {
    const value = data[at++];
    const text = dtype === 'bool' ? String(Boolean(value)) : textOfElement(value, dtype);
    return typeof value === 'number' && !Number.isFinite(value) ? `"${text}"` : text;
  };
  /** @type {(axis: number) => string} */
  const nest = (axis) => {
    if (axis === shape.length) return element();
    const items = Array.from({ length: shape[axis] }, () => nest(axis + 1));
    return `[${items.join(axis === shape.length - 1 ? ', ' : `,\n${' '.repeat(axis + 1)}`)}]`;
  };
  return `${nest(0)}\n`;
}

module.exports = { formatNested, parseNested };
