/**
 * Functions of texts and bytes. Positions count code points from 1, unless the comment says bytes.
 */
'use strict';

const crypto = require('node:crypto');
const { invalid, overflow } = require('./faults.js');

const own = { nulls: 'own' };

const chars = (/** @type {string} */ text) => Array.from(text);
const bytes = (/** @type {string | Uint8Array} */ data) => Buffer.from(data);
const size = (/** @type {string} */ text) => BigInt(chars(text).length);
const hex = (/** @type {Uint8Array} */ data) => Buffer.from(data).toString('hex').toUpperCase();

/** @type {(data: Uint8Array) => string} */
function decoded(data) {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(data);
  } catch {
    return invalid('these bytes are no UTF-8');
  }
}

/** As Oracle's: a negative position counts from the end, 0 is 1. @type {(text: string, position: bigint, length?: bigint) => string} */
function substr(text, position, length = 2n ** 62n) {
  const all = chars(text);
  const count = BigInt(all.length);
  const from = position > 0n ? position - 1n : position < 0n ? count + position : 0n;
  if (length <= 0n || from < 0n || from >= count) return '';
  return all.slice(Number(from), Number(from + (length > count ? count : length))).join('');
}

/** The same of bytes, but that there is no position 0, and that one before the first is the first. @type {(data: Uint8Array, position: bigint, length: bigint) => Uint8Array} */
function byteSubstr(data, position, length) {
  if (position === 0n || length <= 0n) return new Uint8Array(0);
  const begin = position > 0n ? Number(position) - 1 : Math.max(0, data.length + Number(position));
  return data.slice(begin, begin + Number(length));
}

/** Texts longer than this are not padded to. */
const LONGEST_PADDED = 65536n;

/** What has to be put beside a text, null if it has to be cut off. @type {(text: string, length: bigint, fill: string) => string | null} */
function padding(text, length, fill) {
  const missing = Number(length) - chars(text).length;
  if (missing < 0) return null;
  const pattern = chars(fill);
  return pattern.length === 0 ? '' : Array.from({ length: missing }, (_, i) => pattern[i % pattern.length]).join('');
}

/** @type {(join: (text: string, padding: string) => string) => any} */
const padded = (join) => (/** @type {string} */ text, /** @type {bigint} */ length, /** @type {string} */ fill = ' ') => {
  const wanted = length > LONGEST_PADDED ? LONGEST_PADDED : length;
  if (text === '' || wanted <= 0n) return '';
  const beside = padding(text, wanted, fill);
  return beside === null ? chars(text).slice(0, Number(wanted)).join('') : join(text, beside);
};
const lpad = padded((text, beside) => beside + text);
const rpad = padded((text, beside) => text + beside);

/** @type {(text: string, set: string, left: boolean, right: boolean) => string} */
function trimmed(text, set, left, right) {
  const all = chars(text);
  const drop = new Set(chars(set));
  let [from, to] = [0, all.length];
  while (left && from < to && drop.has(all[from])) from++;
  while (right && to > from && drop.has(all[to - 1])) to--;
  return all.slice(from, to).join('');
}

/** @type {(names: string, left: boolean, right: boolean) => any[]} */
const trim = (names, left, right) => [
  [names, '(utf8) → utf8', (/** @type {string} */ text) => trimmed(text, ' ', left, right)],
  [names, '(utf8, utf8) → utf8', (/** @type {string} */ text, /** @type {string} */ set) => trimmed(text, set, left, right)],
];

/** @type {(part: string, text: string, start?: bigint) => bigint} */
function locate(part, text, start = 1n) {
  if (start < 1n) return invalid(`a position of ${start}, which is to be at least 1`);
  const all = chars(text);
  if (part === '' || start > all.length) return 0n;
  const skipped = all.slice(0, Number(start) - 1).join('').length;
  const found = text.indexOf(part, skipped);
  return found < 0 ? 0n : size(text.slice(0, found)) + 1n;
}

/** Cases change one code point to one: whatever needs more stays, but ß, whose capital is ẞ. @type {(text: string, change: (c: string) => string) => string} */
const eachCase = (text, change) =>
  chars(text).map((c) => {
    const other = change(c);
    return chars(other).length === 1 ? other : c;
  }).join('');
const upper = (/** @type {string} */ text) => eachCase(text, (c) => (c === 'ß' ? 'ẞ' : c.toUpperCase()));
const lower = (/** @type {string} */ text) => eachCase(text, (c) => (c === 'İ' ? 'i' : c.toLowerCase()));

/** @type {(text: string) => string} words are of letters with a case, and digits */
function initcap(text) {
  let inWord = false;
  return chars(text).map((c) => {
    const isWord = /[\p{Lu}\p{Ll}\p{Lt}\p{Nl}\p{Nd}]/u.test(c);
    const changed = isWord && !inWord ? upper(c) : lower(c);
    inWord = isWord;
    return changed;
  }).join('');
}

/** A pattern of SQL as a regular expression. @type {(pattern: string, escape: string) => string} */
function likeSource(pattern, escape) {
  if (chars(escape).length > 1) return invalid(`'${escape}' for the escape, which is one character`);
  const all = chars(pattern);
  let source = '';
  for (let i = 0; i < all.length; i++) {
    if (escape !== '' && all[i] === escape) {
      i++;
      if (!['%', '_', escape].includes(all[i])) return invalid(`an escape in '${pattern}' that is not before %, _ or itself`);
      source += quoted(all[i]);
    } else source += { '%': '.*', _: '.' }[all[i]] ?? quoted(all[i]);
  }
  return source;
}
const quoted = (/** @type {string} */ c) => c.replace(/[\\^$.*+?()[\]{}|]/u, '\\$&');

/** @type {(flags: string) => any} */
const like = (flags) => (/** @type {string} */ text, /** @type {string} */ pattern, escape = '') =>
  new RegExp(`^(?:${likeSource(pattern, escape)})$`, `su${flags}`).test(text);

/** @type {(pattern: string, flags?: string) => RegExp} */
function regexp(pattern, flags = '') {
  try {
    return new RegExp(pattern, `u${flags}`);
  } catch {
    return invalid(`'${pattern}' is no regular expression`);
  }
}

/** Groups are called \1, as in RE2. @type {(text: string, pattern: string, by: string) => string} */
const regexpReplace = (text, pattern, by) =>
  text.replace(regexp(pattern, 'g'), (...match) =>
    by.replace(/\\(\d)/gu, (_, group) => (typeof match[group] === 'string' ? match[group] : '')));

/** @type {(text: string, pattern: string, group?: bigint) => string} */
function regexpExtract(text, pattern, group = 1n) {
  const groups = /** @type {RegExpExecArray} */ (new RegExp(`${regexp(pattern).source}|`, 'u').exec('')).length - 1;
  if (group < 0n || group > groups) return invalid(`group ${group} of a pattern that has ${groups}`);
  return regexp(pattern).exec(text)?.[Number(group)] ?? '';
}

/** @type {(a: string, b: string) => bigint} by code points */
function levenshtein(a, b) {
  const [x, y] = [chars(a), chars(b)];
  let row = Array.from({ length: y.length + 1 }, (_, j) => j);
  x.forEach((c, i) => {
    const next = [i + 1];
    y.forEach((d, j) => next.push(Math.min(row[j + 1] + 1, next[j] + 1, row[j] + (c === d ? 0 : 1))));
    row = next;
  });
  return BigInt(row[y.length]);
}

/** @type {(text: string, by: string, index: bigint) => string} */
function splitPart(text, by, index) {
  if (index < 1n) return invalid(`part ${index}, which is to be at least 1`);
  return (by === '' ? [text] : text.split(by))[Number(index) - 1] ?? '';
}

/** Up to the nth delimiter, or from the nth last one on. Delimiters may overlap. @type {(text: string, by: string, count: bigint) => string} */
function substringIndex(text, by, count) {
  if (by === '' || count === 0n) return '';
  const found = [];
  for (let i = text.indexOf(by); i >= 0; i = text.indexOf(by, i + 1)) found.push(i);
  const n = Number(count < 0n ? -count : count);
  if (n > found.length) return text;
  return count > 0n ? text.slice(0, found[n - 1]) : text.slice(found[found.length - n] + by.length);
}

/** Characters by others; those for which there is none are dropped. `to` is used up in the order in which characters are met. @type {(text: string, from: string, to: string) => string} */
function translate(text, from, to) {
  const set = new Set(chars(from));
  const rest = chars(to);
  /** @type {Map<string, string>} */
  const known = new Map();
  return chars(text).map((c) => {
    if (!set.has(c)) return c;
    if (!known.has(c)) known.set(c, rest.shift() ?? '');
    return known.get(c);
  }).join('');
}

/** @type {(c: string, upper: string, lower: string, digit: string) => string} */
const masked = (c, capital, small, digit) => {
  if (/[\p{Lu}\p{Lt}]/u.test(c)) return capital;
  if (/[\p{Ll}\p{Lo}]/u.test(c)) return small;
  return /\p{N}/u.test(c) ? digit : c;
};

/** @type {(text: string, capital?: string, small?: string, digit?: string) => string} */
const mask = (text, capital = 'X', small = 'x', digit = 'n') =>
  chars(text).map((c) => masked(c, capital, small, digit)).join('');

/** Some of the characters: only letters with a case, and digits that are no fractions. @type {(text: string, from: number, to: number) => string} */
const maskRange = (text, from, to) =>
  chars(text).map((c, i) => (i >= from && i < to && /[\p{Lu}\p{Ll}\p{Nd}\p{Nl}]/u.test(c) ? mask(c) : c)).join('');

/** @type {(names: string, range: (count: number, n: number) => [number, number]) => any[]} */
const maskPart = (names, range) => [names, '(utf8, int) → utf8', (/** @type {string} */ text, /** @type {bigint} */ n) =>
  maskRange(text, ...range(chars(text).length, Number(n)))];

/** Letters of one sound, by Russell. @type {(text: string) => string | null} */
function soundex(text) {
  if (text === '') return '';
  const letters = text.replace(/[^A-Za-z]/gu, '').toUpperCase();
  if (letters === '') return null;
  const codes = Array.from(letters, (c) => '01230120022455012623010202'[c.charCodeAt(0) - 65]);
  const rest = codes.slice(1).filter((code, i, all) => i === 0 || code !== all[i - 1]);
  if (rest[0] === codes[0]) rest.shift();
  return (letters[0] + rest.filter((code) => code !== '0').join('')).slice(0, 4).padEnd(4, '0');
}

/** @type {(code: bigint) => string} */
function chr(code) {
  const isSurrogate = code >= 0xd800n && code <= 0xdfffn;
  return code < 0n || code > 0x10ffffn || isSurrogate ? invalid(`${code} is no code point`) : String.fromCodePoint(Number(code));
}

/** @type {(text: string) => Uint8Array | null} */
const fromHex = (text) => (text.length % 2 === 0 && /^[0-9a-f]*$/iu.test(text) ? Buffer.from(text, 'hex') : null);

/** @type {(text: string) => Uint8Array} */
const unbase64 = (text) =>
  /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/u.test(text)
    ? Buffer.from(text, 'base64') : invalid(`'${text}' is no base64`);

/** Bytes that are no UTF-8 by another one, or by nothing. @type {(data: Uint8Array, by: string) => string} */
function replaceInvalid(data, by) {
  if (bytes(by).length > 1) return invalid(`'${by}' for a replacement, which is at most one byte`);
  let text = '';
  for (let i = 0; i < data.length;) {
    const length = [1, 2, 3, 4].find((n) => i + n <= data.length && isCharacter(data.subarray(i, i + n)));
    text += length === undefined ? by : decoded(data.subarray(i, i + length));
    i += length ?? 1;
  }
  return text;
}

/** @type {(data: Uint8Array) => boolean} */
function isCharacter(data) {
  try {
    return chars(decoded(data)).length === 1;
  } catch {
    return false;
  }
}

/** Backslashes and what stands for bytes: \xHH is a byte. @type {(text: string) => Uint8Array} */
const binaryString = (text) =>
  Buffer.concat(
    [...text.matchAll(/\\x([0-9a-f]{2})|[^]/giu)].map(([all, code]) => (code ? Buffer.from(code, 'hex') : Buffer.from(all))),
  );

/** @type {(make: (bits: number) => any) => any} */
const aes = (make) => (/** @type {string} */ data, /** @type {string} */ key) => {
  const bits = 8 * bytes(key).length;
  if (![128, 192, 256].includes(bits)) return invalid(`a key of ${bits} bits, which is to be 128, 192 or 256`);
  const cipher = make(bits)(`aes-${bits}-ecb`, bytes(key), null);
  return Buffer.concat([cipher.update(bytes(data)), cipher.final()]);
};

/** @type {(left: string, right: string) => boolean} */
const has = (left, right) => left.includes(right);

const OUTPUT = 2n ** 31n - 1n;

module.exports = {
  decoded,
  mask,
  substr,
  upper,
  rows: [
    ['starts_with startswith prefix', '(utf8, utf8) → bool', (text, part) => text.startsWith(part)],
    ['ends_with endswith suffix', '(utf8, utf8) → bool', (text, part) => text.endsWith(part)],
    ['is_substr contains', '(utf8, utf8) → bool', has],
    ['like', '(utf8, utf8) → bool', like('')],
    ['like', '(utf8, utf8, utf8) → bool', like('')],
    ['ilike', '(utf8, utf8) → bool', like('i')],
    ['ilike', '(utf8, utf8, utf8) → bool', like('i')],
    ['locate position', '(utf8, utf8) → int32', (part, text) => locate(part, text)],
    ['locate position', '(utf8, utf8, int) → int32', locate],
    ['strpos', '(utf8, utf8) → int32', (text, part) => locate(part, text)],
    // Counts bytes, and finds an empty text at once.
    ['instr', '(utf8, utf8) → int32', (text, part) => BigInt(bytes(text).indexOf(bytes(part)) + 1)],
    ['octet_length', '(utf8) → int32', (text) => BigInt(bytes(text).length)],
    ['octet_length', '(binary) → int32', (data) => BigInt(data.length)],
    ['bit_length', '(utf8) → int32', (text) => BigInt(8 * bytes(text).length)],
    ['bit_length', '(binary) → int32', (data) => BigInt(8 * data.length)],
    ['char_length character_length length len', '(utf8) → int32', size],
    ['lengthUtf8', '(binary) → int32', (data) => size(decoded(data))],
    ['reverse', '(utf8) → utf8', (text) => chars(text).reverse().join('')],
    ...trim('ltrim', true, false),
    ...trim('rtrim', false, true),
    ...trim('btrim trim', true, true),
    ['space', '(int) → utf8', (n) => ' '.repeat(Number(n < 0n ? 0n : n > LONGEST_PADDED ? LONGEST_PADDED : n))],
    ['chr', '(int) → utf8', chr],
    // The first byte, as a signed one.
    ['ascii', '(utf8) → int32', (text) => (text === '' ? 0n : BigInt.asIntN(8, BigInt(bytes(text)[0])))],
    ['base64', '(binary) → utf8', (data) => Buffer.from(data).toString('base64')],
    ['unbase64', '(utf8) → binary', unbase64],
    ['repeat', '(utf8, int) → utf8', (text, n) => {
      if (text === '' || n === 0n) return '';
      if (n < 0n) return invalid(`${n} times, which is to be at least 0`);
      return n * BigInt(bytes(text).length) > OUTPUT ? overflow('the text is too long') : text.repeat(Number(n));
    }],
    ['soundex', '(utf8) → utf8', soundex],
    ['upper ucase', '(utf8) → utf8', upper],
    ['lower lcase', '(utf8) → utf8', lower],
    ['initcap', '(utf8) → utf8', initcap],
    ['concat', '(utf8...) → utf8', (...args) => args.slice(0, -1).map((text) => text ?? '').join(''), null, own],
    ['concatOperator concat_operator', '(utf8...) → utf8', (...args) => args.slice(0, -1).join('')],
    ['concat_ws', '(utf8, utf8...) → utf8', (by, ...args) =>
      by === null ? null : args.slice(0, -1).filter((text) => text !== null).join(by), null, own],
    ['elt', '(int, utf8...) → utf8', (n, ...args) =>
      n === null || n < 1n ? null : args.slice(0, -1)[Number(n) - 1] ?? null, null, own],
    ['substr substring', '(utf8, int) → utf8', (text, position) => substr(text, position)],
    ['substr substring', '(utf8, int, int) → utf8', substr],
    ['byte_substr bytesubstring', '(binary, int, int) → binary', byteSubstr],
    ['left', '(utf8, int) → utf8', (text, n) => chars(text).slice(0, Number(n)).join('')],
    ['right', '(utf8, int) → utf8', (text, n) =>
      chars(text).slice(n >= 0n ? Math.max(0, chars(text).length - Number(n)) : Number(-n)).join('')],
    ['lpad', '(utf8, int) → utf8', (text, length) => lpad(text, length)],
    ['lpad', '(utf8, int, utf8) → utf8', lpad],
    ['rpad', '(utf8, int) → utf8', (text, length) => rpad(text, length)],
    ['rpad', '(utf8, int, utf8) → utf8', rpad],
    ['replace', '(utf8, utf8, utf8) → utf8', (text, from, to) => (from === '' ? text : text.replaceAll(from, () => to))],
    ['regexp_replace', '(utf8, utf8, utf8) → utf8', regexpReplace],
    ['regexp_extract', '(utf8, utf8) → utf8', (text, pattern) => regexpExtract(text, pattern)],
    ['regexp_extract', '(utf8, utf8, int) → utf8', regexpExtract],
    ['quote', '(utf8) → utf8', (text) => (text === '' ? '' : `'${text.replaceAll("'", "\\'")}'`)],
    ['levenshtein', '(utf8, utf8) → int32', levenshtein],
    ['split_part', '(utf8, utf8, int) → utf8', splitPart],
    ['substring_index', '(utf8, utf8, int) → utf8', substringIndex],
    ['translate', '(utf8, utf8, utf8) → utf8', translate],
    ['mask', '(utf8) → utf8', (text) => mask(text)],
    ['mask', '(utf8, utf8) → utf8', (text, capital) => mask(text, capital)],
    ['mask', '(utf8, utf8, utf8) → utf8', (text, capital, small) => mask(text, capital, small)],
    ['mask', '(utf8, utf8, utf8, utf8) → utf8', (text, capital, small, digit) => mask(text, capital, small, digit)],
    maskPart('mask_first_n', (_, n) => [0, n]),
    maskPart('mask_last_n', (count, n) => [count - Math.max(0, n), count]),
    maskPart('mask_show_first_n', (count, n) => [n, count]),
    maskPart('mask_show_last_n', (count, n) => [0, count - n]),
    ['to_hex hex', '(binary) → utf8', hex],
    ['to_hex hex', '(utf8) → utf8', (text) => hex(bytes(text))],
    ['to_hex hex', '(int) → utf8', (n, { args }) => BigInt.asUintN(args[0].bits, n).toString(16).toUpperCase()],
    ['from_hex unhex', '(utf8) → binary', fromHex],
    ['convert_fromUTF8', '(binary) → utf8', decoded],
    ['convert_replaceUTF8', '(binary, utf8) → utf8', replaceInvalid],
    ['convert_toUTF8', '(utf8) → binary', bytes],
    ['binary_string', '(utf8) → binary', binaryString],
    // In the mode ECB, and of bytes: what is encrypted is no text.
    ['aes_encrypt', '(utf8, utf8) → binary', aes(() => crypto.createCipheriv)],
    ['aes_decrypt', '(binary, utf8) → utf8', (data, key) => decoded(aes(() => crypto.createDecipheriv)(data, key))],
  ],
};
