/**
 * Sets of code points: sorted ranges that do not touch.
 *
 * What Unicode says of code points (categories, scripts, which letters differ in case only) is asked of the regular
 * expressions of JavaScript, so that there are no tables here; for case that is simple folding, as in RE2.
 */
'use strict';

/** @typedef {readonly (readonly [low: number, high: number])[]} Ranges */

const LAST = 0x10ffff;

/** @type {Ranges} */
const ALL = [[0, LAST]];

/** @type {(ranges: Ranges) => Ranges} sorted and joined */
function union(ranges) {
  /** @type {[number, number][]} */
  const joined = [];
  for (const [low, high] of [...ranges].sort(([a], [b]) => a - b)) {
    const last = joined.at(-1);
    if (last !== undefined && low <= last[1] + 1) last[1] = Math.max(last[1], high);
    else joined.push([low, high]);
  }
  return joined;
}

/** @type {(ranges: Ranges) => Ranges} */
function complement(ranges) {
  /** @type {[number, number][]} */
  const rest = [];
  let next = 0;
  for (const [low, high] of union(ranges)) {
    if (low > next) rest.push([next, low - 1]);
    next = high + 1;
  }
  return next > LAST ? rest : [...rest, [next, LAST]];
}

/** Ranges of the pairs of a text: 'azAZ__'. @type {(text: string) => Ranges} */
const pairs = (text) =>
  union(Array.from({ length: text.length / 2 }, (_, i) => [text.charCodeAt(2 * i), text.charCodeAt(2 * i + 1)]));

/** Of Perl, by the letter behind \. @type {Readonly<Record<string, Ranges>>} */
const PERL = { d: pairs('09'), w: pairs('09AZaz__'), s: pairs('\t\n\f\r  ') };

/** Of POSIX, by the name between [: and :]. @type {Readonly<Record<string, Ranges>>} */
const POSIX = {
  alnum: pairs('09AZaz'), alpha: pairs('AZaz'), ascii: pairs('\0\x7f'), blank: pairs('\t\t  '), cntrl: pairs('\0\x1f\x7f\x7f'),
  digit: PERL.d, graph: pairs('!~'), lower: pairs('az'), print: pairs(' ~'), punct: pairs('!/:@[`{~'), space: pairs('\t\r  '),
  upper: pairs('AZ'), word: PERL.w, xdigit: pairs('09AFaf'),
};

/** @type {Map<string, Ranges | undefined>} */
const named = new Map();

/** The code points of a category or script of Unicode; undefined if there is none of this name. @type {(name: string) => Ranges | undefined} */
function category(name) {
  if (name === 'Any') return ALL;
  if (!named.has(name)) named.set(name, asked(name));
  return named.get(name);
}

/** @type {(name: string) => Ranges | undefined} */
function asked(name) {
  if (!/^\w+$/u.test(name)) return undefined;
  for (const property of ['General_Category', 'Script']) {
    let runs;
    try {
      runs = new RegExp(`\\p{${property}=${name}}+`, 'gu');
    } catch {
      continue;
    }
    return runsOf(runs);
  }
  return undefined;
}

/** Runs of code points that match; halves of pairs are none. @type {(runs: RegExp) => Ranges} */
function runsOf(runs) {
  /** @type {[number, number][]} */
  const ranges = [];
  for (const [low, high] of [[0, 0xd7ff], [0xe000, LAST]]) {
    for (const { 0: run } of spelled(low, high).matchAll(runs)) {
      ranges.push([Number(run.codePointAt(0)), Number([...run.slice(-2)].at(-1)?.codePointAt(0))]);
    }
  }
  return union(ranges);
}

/** All code points of a range, one after the other. @type {(low: number, high: number) => string} */
function spelled(low, high) {
  const units = new Uint16Array(2 * (high - low + 1));
  let size = 0;
  for (let code = low; code <= high; code++) {
    if (code > 0xffff) units[size++] = 0xd7c0 + (code >> 10);
    units[size++] = code > 0xffff ? 0xdc00 | (code & 0x3ff) : code;
  }
  return Buffer.from(units.buffer, 0, 2 * size).toString('utf16le');
}

/** All code points that have case. */
let cased = '';

/** What differs from an ASCII letter in case only, and is not ASCII. @type {Readonly<Record<string, string>>} */
const OTHER_CASE = { k: '\u212a', s: '\u017f' };

/** With the code points that differ in case only. @type {(ranges: Ranges) => Ranges} */
function folded(ranges) {
  const plain = ranges.filter(([low]) => low < 0x80).flatMap(([low, high]) => foldedAscii(low, Math.min(high, 0x7f)));
  return union([...ranges, ...plain, ...(ranges.every(([, high]) => high < 0x80) ? [] : foldedAbove(ranges))]);
}

/** @type {(low: number, high: number) => [number, number][]} */
function foldedAscii(low, high) {
  const letters = Array.from({ length: high - low + 1 }, (_, i) => String.fromCharCode(low + i)).filter((c) => /[A-Za-z]/u.test(c));
  const equals = letters.map((c) => c.toLowerCase()).flatMap((c) => [c, c.toUpperCase(), OTHER_CASE[c] ?? c]);
  return equals.map((c) => [c.charCodeAt(0), c.charCodeAt(0)]);
}

/** @type {(ranges: Ranges) => [number, number][]} */
function foldedAbove(ranges) {
  if (cased === '') {
    const all = runsOf(/[\p{Changes_When_Casefolded}\p{Changes_When_Casemapped}]+/gu);
    cased = all.map(([low, high]) => spelled(low, high)).join('');
  }
  const escaped = (/** @type {number} */ code) => `\\u{${code.toString(16)}}`;
  const set = new RegExp(`[${ranges.map(([low, high]) => `${escaped(low)}-${escaped(high)}`).join('')}]`, 'giu');
  return Array.from(cased.matchAll(set), ([c]) => Number(c.codePointAt(0))).map((code) => [code, code]);
}

module.exports = { ALL, LAST, PERL, POSIX, category, complement, folded, pairs, union };
