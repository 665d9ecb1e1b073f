/**
 * The words of an expression: numbers, strings, names, signs.
 *
 *   'it''s'  E'tab\t'  x'00ff'     string, string with escapes, bytes
 *   "a name"  `a name`             quoted names; the quote itself is written twice
 *   1_000  0x1F  .5  1e-3  1.50m   integers, floats, a decimal
 *   -- to the end of the line      a comment, where a space follows the dashes: `a --1` is `a - -1`; as those of C
 *
 * Strings and comments are searched for their end rather than matched: they may be longer than a pattern has stack.
 *
 * The patterns say what words are. Names, numbers and signs of the plainest kind, which are most, are told by the codes
 * of their characters before any pattern is asked; whatever is not sure to be one goes on to the patterns.
 */
'use strict';

const { complain } = require('./complaint.js');

/**
 * A token; `word` is what keywords and signs are compared with, in lower case, and empty for all else.
 *
 * @typedef {{ kind: 'number' | 'string' | 'binary' | 'name' | 'quoted' | 'sign' | 'end', word: string, text: string, value: any,
 *   start: number, end: number }} Token
 */
/** @typedef {{ type: 'integer' | 'float' | 'decimal', value: bigint | number | string }} Numeric */

const SPACE = /\s+/y;
const NAME = /[\p{ID_Start}_][\p{ID_Continue}$]*/uy;
const NUMBER = /(0[xX][\da-fA-F]+(?:_[\da-fA-F]+)*|0[bB][01]+(?:_[01]+)*|0[oO][0-7]+(?:_[0-7]+)*)|((?:\d+(?:_\d+)*)?\.\d+(?:_\d+)*|\d+(?:_\d+)*\.?)([eE][+-]?\d+)?([mM](?![\p{ID_Continue}$]))?/uy;
const SIGN = /\*\*|\/\/|<<|>>|<=|>=|<>|!=|==|&&|\|\||::|[-+*/%<>=&|^~!?:.,()[\]@]/y;
/** What other languages have; none begins an expression of ours that means something. */
const FOREIGN = /<=>|===|!==|=<|=>|!<|!>|[≤≥≠×÷−‘’“”;{}#\\]/uy;
/** @type {Readonly<Record<string, string>>} */
const OURS = Object.freeze({
  '<=>': "write 'is not distinct from'", '===': "did you mean '=='?", '!==': "did you mean '!='?", '=<': "did you mean '<='?",
  '=>': "did you mean '>='?", '!<': "did you mean '>='?", '!>': "did you mean '<='?",
  '≤': "did you mean '<='?", '≥': "did you mean '>='?", '≠': "did you mean '!='?",
  '×': "did you mean '*'?", '÷': "did you mean '/'?", '−': "did you mean '-'?",
  '‘': "strings are in straight quotes: '…'", '’': "strings are in straight quotes: '…'",
  '“': 'names are in straight quotes: "…"', '”': 'names are in straight quotes: "…"',
  ';': 'an expression ends with its text', '#': "comments are '-- …' and '/* … */'",
});
/** Digits of the widest number there is, of 256 bits, and some zeros. */
const MAX_DIGITS = 400;
const SURROGATE = /\p{Surrogate}/u;
/** Any half, of a pair too: much sooner than the pattern before. */
const SURROGATE_UNIT = /[\ud800-\udfff]/;

/** @type {Readonly<Record<string, string>>} */
const ESCAPES = Object.freeze({ n: '\n', t: '\t', r: '\r', b: '\b', f: '\f', v: '\v', 0: '\0' });
const ESCAPE = /''|\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|u\{([\da-fA-F]{1,6})\}|([^xu]))|\\/gsu;

/** What stands at a place, to be shown. @type {(text: string, at: number) => string} */
function characterAt(text, at) {
  const point = /** @type {number} */ (text.codePointAt(at));
  const shown = String.fromCodePoint(point);
  return /[\p{C}\p{Z}]/u.test(shown) ? `U+${point.toString(16).toUpperCase().padStart(4, '0')}` : `'${shown}'`;
}

/** The match of a sticky pattern at a place. @type {(pattern: RegExp, text: string, at: number) => RegExpExecArray | null} */
function matchAt(pattern, text, at) {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

// What an ASCII character is to plain words.
const [LETTER, CAPITAL, DIGIT, BLANK, SIGN_ALONE, SIGN_UNLESS_TWICE] = [1, 2, 3, 4, 5, 6];
const CLASSES = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  if (/[a-z_]/.test(character)) return LETTER;
  if (/[A-Z]/.test(character)) return CAPITAL;
  if (/\d/.test(character)) return DIGIT;
  if (character === ' ') return BLANK;
  if ('+%(),'.includes(character)) return SIGN_ALONE;
  return '-*/'.includes(character) ? SIGN_UNLESS_TWICE : 0;
});
/** Digits of a number that is read at once. */
const PLAIN_DIGITS = 15;

/** The class of a character; 0 at the end and for what is not plain. @type {(text: string, at: number) => number} */
function classAt(text, at) {
  const code = text.charCodeAt(at);
  return code < 128 ? CLASSES[code] : 0;
}

/** Whether what stands there is sure not to go on with a name or number. @type {(text: string, at: number) => boolean} */
function isApart(text, at) {
  const code = text.charCodeAt(at);
  const goesOn = code >= 128 || (CLASSES[code] >= LETTER && CLASSES[code] <= DIGIT);
  return !goesOn && code !== 36 /* $ */;
}

/** @type {(text: string, at: number) => Token | null} */
function plainName(text, at) {
  let end = at;
  let hasCapital = false;
  for (let kind = classAt(text, at); kind >= LETTER && kind <= DIGIT; kind = classAt(text, ++end)) {
    hasCapital ||= kind === CAPITAL;
  }
  if (!isApart(text, end) || text[end] === "'") return null; // E'…' and x'…' are no names
  const name = text.slice(at, end);
  return { kind: 'name', word: hasCapital ? name.toLowerCase() : name, text: name, value: name, start: at, end };
}

/** @type {(text: string, at: number) => Token | null} digits, perhaps with a point among them */
function plainNumber(text, at) {
  let end = at;
  while (classAt(text, end) === DIGIT) end++;
  const isFloat = text[end] === '.' && classAt(text, end + 1) === DIGIT;
  if (isFloat) do end++; while (classAt(text, end) === DIGIT); // prettier-ignore
  if (end - at > PLAIN_DIGITS || !isApart(text, end) || text[end] === '.') return null;
  const digits = text.slice(at, end);
  const value = isFloat ? { type: 'float', value: Number(digits) } : { type: 'integer', value: BigInt(digits) };
  return { kind: 'number', word: '', text: digits, value, start: at, end };
}

/** @type {(text: string, at: number, kind: number) => Token | null} null for what patterns are needed for, comments among it */
function plain(text, at, kind) {
  if (kind === LETTER || kind === CAPITAL) return plainName(text, at);
  if (kind === DIGIT) return plainNumber(text, at);
  if (kind === 0) return null;
  const [sign, next] = [text[at], text[at + 1]];
  if (kind === SIGN_UNLESS_TWICE && (next === sign || next === '*')) return null;
  return { kind: 'sign', word: sign, text: sign, value: sign, start: at, end: at + 1 };
}

/** Where what is no token ends. @type {(text: string, at: number) => number} */
function skipSpace(text, at) {
  for (let from = at; ;) {
    const space = matchAt(SPACE, text, from);
    const next = space ? from + space[0].length : from;
    const end = commentEnd(text, next);
    if (end === next) return next;
    from = end;
  }
}

/** @type {(text: string, at: number) => number} */
function commentEnd(text, at) {
  if (text.startsWith('--', at) && (at + 2 >= text.length || /\s/.test(text[at + 2]))) {
    const end = text.slice(at).search(/[\n\r\u2028\u2029]/);
    return end < 0 ? text.length : at + end;
  }
  if (!text.startsWith('/*', at)) return at;
  const end = text.indexOf('*/', at + 2);
  return end < 0 ? complain(text, at, "this comment has no end", "expected '*/'") : end + 2;
}

/**
 * Where a quoted text ends, behind its quote. The quote itself is written twice in it.
 *
 * @param {string} text
 * @param {number} open of the quote
 * @param {string} what
 * @param {boolean} [escapes] whether a backslash hides a quote
 */
function quoteEnd(text, open, what, escapes = false) {
  const quote = text[open];
  let at = open + 1;
  for (;;) {
    const end = text.indexOf(quote, at);
    if (end < 0) {
      const advice = quote === "'" ? "a quote within a string is written twice: ''" : undefined;
      return complain(text, open, `this ${what} has no end`, advice);
    }
    let slash = end;
    while (escapes && slash > at && text[slash - 1] === '\\') slash--;
    if ((end - slash) % 2 === 1) at = end + 1;
    else if (text[end + 1] === quote) at = end + 2;
    else return end + 1;
  }
}

/** @type {(text: string, at: number) => Token} */
function quoted(text, at) {
  const quote = text[at];
  const kind = quote === "'" ? 'string' : 'quoted';
  const end = quoteEnd(text, at, kind === 'string' ? 'string' : 'quoted name');
  const value = text.slice(at + 1, end - 1).replaceAll(quote + quote, quote);
  return { kind, word: '', text: text.slice(at, end), value, start: at, end };
}

/** Strings are UTF-8 later, which has no halves of characters. @type {(value: string, text: string, at?: number) => void} */
function refuseHalves(value, text, at) {
  const half = SURROGATE.exec(value);
  if (half) complain(text, at ?? half.index, 'half of a surrogate pair is no character');
}

/** E'…': the escapes of C. @type {(text: string, at: number) => Token} */
function escaped(text, at) {
  const end = quoteEnd(text, at + 1, 'string', true);
  const from = at + 2;
  const value = text.slice(from, end - 1).replace(ESCAPE, (all, byte, unit, point, other, offset) => {
    if (all === "''") return "'";
    const code = parseInt(byte ?? unit ?? point ?? '', 16);
    if (code > 0x10ffff) return complain(text, from + offset, `${all} is no character of Unicode`);
    if (code >= 0) return String.fromCodePoint(code);
    if (other === undefined) return complain(text, from + offset, `expected \\xHH, \\uHHHH or \\u{H…}, got '${text.slice(from + offset, from + offset + 2)}'`);
    return ESCAPES[other] ?? other;
  });
  refuseHalves(value, text, at);
  return { kind: 'string', word: '', text: text.slice(at, end), value, start: at, end };
}

/** x'00ff': bytes. @type {(text: string, at: number) => Token} */
function binary(text, at) {
  const end = quoteEnd(text, at + 1, 'string of bytes');
  const digits = text.slice(at + 2, end - 1).replace(/\s+/g, '');
  if (!/^([\da-fA-F]{2})*$/.test(digits)) complain(text, at, "expected two hexadecimal digits for each byte of x'…'");
  const value = Uint8Array.from(Buffer.from(digits, 'hex'));
  return { kind: 'binary', word: '', text: text.slice(at, end), value, start: at, end };
}

/** @type {(digits: string, decimal: boolean) => Numeric} */
function numeric(digits, decimal) {
  if (decimal) return { type: 'decimal', value: digits };
  return /^\d+$|^0[xob]/i.test(digits) ? { type: 'integer', value: BigInt(digits) } : { type: 'float', value: Number(digits) };
}

/** @type {(text: string, at: number, found: RegExpExecArray) => Token} */
function number(text, at, [all, , , exponent, suffix]) {
  const end = at + all.length;
  if (all.length > MAX_DIGITS) complain(text, at, `this number has more than ${MAX_DIGITS} digits`);
  const follows = matchAt(NAME, text, end);
  if (follows) complain(text, end, `a number ends in '${follows[0].slice(0, 20)}'`, 'write a space or an operator between them');
  if (suffix && exponent) complain(text, at, 'a decimal has no exponent');
  const value = numeric(all.replace(/_/g, '').replace(/m$/i, ''), suffix !== undefined);
  if (value.value === Infinity) complain(text, at, 'this number is larger than the largest float', "write float 'infinity'");
  return { kind: 'number', word: '', text: all, value, start: at, end };
}

/** @type {(text: string, at: number) => Token} */
function matched(text, at) {
  const first = text[at];
  if (first === "'" || first === '"' || first === '`') return quoted(text, at);
  if (text[at + 1] === "'" && (first === 'e' || first === 'E')) return escaped(text, at);
  if (text[at + 1] === "'" && (first === 'x' || first === 'X')) return binary(text, at);
  const digits = matchAt(NUMBER, text, at);
  if (digits) return number(text, at, digits);
  const name = matchAt(NAME, text, at)?.[0];
  if (name) return { kind: 'name', word: name.toLowerCase(), text: name, value: name, start: at, end: at + name.length };
  const foreign = matchAt(FOREIGN, text, at)?.[0];
  if (foreign) return complain(text, at, `'${foreign}' is no part of an expression`, OURS[foreign]);
  const sign = matchAt(SIGN, text, at)?.[0];
  if (sign) return { kind: 'sign', word: sign, text: sign, value: sign, start: at, end: at + sign.length };
  return complain(text, at, `${characterAt(text, at)} is no part of an expression`);
}

/**
 * @param {string} text
 * @returns {Token[]} the last is the end
 */
function tokenize(text) {
  if (SURROGATE_UNIT.test(text)) refuseHalves(text, text);
  /** @type {Token[]} */
  const tokens = [];
  let at = 0;
  for (;;) {
    const kind = classAt(text, at);
    if (kind === BLANK) {
      at++;
      continue;
    }
    let next = plain(text, at, kind);
    if (next === null) {
      at = skipSpace(text, at);
      if (at >= text.length) break;
      next = matched(text, at);
    }
    tokens.push(next);
    at = next.end;
  }
  tokens.push({ kind: 'end', word: '', text: '', value: '', start: at, end: at });
  return tokens;
}

/** Whether a name may stand without quotes. @type {(name: string) => boolean} */
const isPlainName = (name) => matchAt(NAME, name, 0)?.[0] === name;

module.exports = { MAX_DIGITS, isPlainName, tokenize };
