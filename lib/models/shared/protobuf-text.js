/**
 * Reads protobuf messages in text format into the objects that protobuf.js makes of binary ones.
 *
 * Names of fields are those of a table in the snake case of .proto files; fields that no table has are skipped.
 */
'use strict';

const { fail } = require('../../base/errors.js');

/** @typedef {import('./protobuf.js').Schema} Schema */

const MAX_DEPTH = 100;
/** Blanks and comments, then a token: a word or number, a quoted text, a sign. */
const TOKEN = /(?:\s|#[^\n]*)*(?:([\w.+-]+)|"((?:[^"\\\n]|\\.)*)"|'((?:[^'\\\n]|\\.)*)'|([{}<>[\]:;,/])|($))/y;

const ESCAPES = /** @type {Record<string, number>} */ ({ n: 10, r: 13, t: 9, a: 7, b: 8, f: 12, v: 11 });

/** Escapes stand for bytes, other characters for those of UTF-8. @type {(text: string) => Uint8Array} */
function bytesOf(text) {
  /** @type {number[]} */
  const bytes = [];
  const parts = /\\x([0-9a-fA-F]{1,2})|\\([0-7]{1,3})|\\u([0-9a-fA-F]{4})|\\(.)|([^\\]+)/gs;
  for (const [, hex, octal, unicode, single, plain] of text.matchAll(parts)) {
    if (hex !== undefined) bytes.push(parseInt(hex, 16));
    else if (octal !== undefined) bytes.push(parseInt(octal, 8) & 255);
    else if (single !== undefined) bytes.push(ESCAPES[single] ?? single.charCodeAt(0));
    else bytes.push(...Buffer.from(plain ?? String.fromCharCode(parseInt(unicode, 16)), 'utf8'));
  }
  return Uint8Array.from(bytes);
}

/** @type {(name: string) => string} */
const camelCase = (name) => name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase());

/** @typedef {{ kind: 'word' | 'text' | 'sign' | 'end', text: string }} Token */

class TextReader {
  #at = 0;
  /** @type {Token} */
  #next;

  /**
   * @param {Schema} schema
   * @param {string} text
   * @param {Readonly<Record<string, number>>} enums
   * @param {string} what
   */
  constructor(schema, text, enums, what) {
    this.schema = schema;
    this.text = text;
    this.enums = enums;
    this.what = what;
    this.#next = this.#token();
  }

  /** @type {(message: string) => never} */
  #fail(message) {
    const line = this.text.slice(0, this.#at).split('\n').length;
    return fail('ERR_PARSE', `${this.what}: line ${line}: ${message}`);
  }

  /** @returns {Token} */
  #token() {
    TOKEN.lastIndex = this.#at;
    const found = TOKEN.exec(this.text);
    if (found === null) return this.#fail(`no token of text format begins with ${JSON.stringify(this.text.slice(this.#at, this.#at + 10))}`);
    this.#at = TOKEN.lastIndex;
    const [, word, double, single, sign] = found;
    if (word !== undefined) return { kind: 'word', text: word };
    if (sign !== undefined) return { kind: 'sign', text: sign };
    return double ?? single ? { kind: 'text', text: double ?? single } : { kind: (double ?? single) === '' ? 'text' : 'end', text: '' };
  }

  #take() {
    const token = this.#next;
    this.#next = this.#token();
    return token;
  }

  /** @type {(...signs: string[]) => boolean} takes a sign if it is there */
  #accept(...signs) {
    const isThere = this.#next.kind === 'sign' && signs.includes(this.#next.text);
    if (isThere) this.#take();
    return isThere;
  }

  get isAtEnd() {
    return this.#next.kind === 'end';
  }

  /**
   * @param {string} table
   * @param {string} end the sign behind it; '' at the end of the text
   * @param {number} depth
   * @returns {any}
   */
  message(table, end, depth) {
    if (depth > MAX_DEPTH) return this.#fail(`messages are nested more than ${MAX_DEPTH} deep`);
    /** @type {any} */
    const result = {};
    const fields = new Map(Object.values(this.schema[table] ?? {}).map((field) => [field[0], field]));
    while (end === '' ? !this.isAtEnd : !this.#accept(end)) {
      const { kind, text } = this.#take();
      if (kind !== 'word') return this.#fail(`expected the name of a field, got '${text}'`);
      this.#field(fields.get(camelCase(text)), result, depth);
      this.#accept(',', ';');
    }
    return result;
  }

  /** @type {(field: import('./protobuf.js').Field | undefined, result: any, depth: number) => void} */
  #field(field, result, depth) {
    const hasColon = this.#accept(':');
    const [name, type, label] = field ?? ['', ''];
    const store = (/** @type {any} */ value) => {
      if (field === undefined) return;
      if (label === 'map') (result[name] ??= new Map()).set(value.key ?? '', value.value);
      else if (label === 'repeated') (result[name] ??= []).push(value);
      else result[name] = value;
    };
    if (!hasColon || !this.#accept('[')) store(this.#value(type, depth));
    else {
      while (!this.#accept(']')) {
        store(this.#value(type, depth));
        this.#accept(',');
      }
    }
  }

  /** @type {(type: string, depth: number) => any} */
  #value(type, depth) {
    if (this.#accept('{')) return this.message(type, '}', depth + 1);
    if (this.#accept('<')) return this.message(type, '>', depth + 1);
    if (this.schema[type] !== undefined) return this.#fail(`expected a message, got '${this.#next.text}'`);
    const token = this.#take();
    if (token.kind === 'text') {
      let text = token.text;
      while (this.#next.kind === 'text') text += this.#take().text;
      const bytes = bytesOf(text);
      return type === 'string' ? Buffer.from(bytes).toString('utf8') : bytes;
    }
    return token.kind === 'word' ? this.#scalar(type, token.text) : this.#fail(`expected a value, got '${token.text}'`);
  }

  /** @type {(type: string, word: string) => any} */
  #scalar(type, word) {
    if (type === '') return undefined;
    if (type === 'bool') return word === 'true' || word === 't' || word === '1';
    if (type === 'float' || type === 'double') return this.#number(word);
    if (Object.hasOwn(this.enums, word)) return this.enums[word];
    if (!/^-?(\d+|0x[0-9a-f]+)$/i.test(word) || !/int|fixed/.test(type)) return this.#fail(`expected ${type}, got '${word}'`);
    const exact = word.startsWith('-') ? -BigInt(word.slice(1)) : BigInt(word);
    return Number.isSafeInteger(Number(exact)) ? Number(exact) : exact;
  }

  /** @type {(word: string) => number} */
  #number(word) {
    const special = { nan: NaN, inf: Infinity, '-inf': -Infinity, infinity: Infinity, '-infinity': -Infinity };
    const lower = word.toLowerCase();
    if (Object.hasOwn(special, lower)) return special[/** @type {keyof typeof special} */ (lower)];
    const number = Number(lower.replace(/f$/, ''));
    return Number.isNaN(number) ? this.#fail(`expected a number, got '${word}'`) : number;
  }
}

/**
 * @param {Schema} schema
 * @param {string} table of the outermost message
 * @param {string} text
 * @param {Readonly<Record<string, number>>} enums codes by name
 * @param {string} what for messages
 * @returns {any}
 */
const fromText = (schema, table, text, enums, what) => new TextReader(schema, text, enums, what).message(table, '', 0);

module.exports = { fromText };
