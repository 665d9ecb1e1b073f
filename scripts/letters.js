// Writes src/library/strings/letters_table.h: simple case mappings and the categories of letters and digits of all
// code points from U+0080 on, as runs of code points that are alike, from the Unicode data in this Node.
//
//   node scripts/letters.js
//
// JavaScript maps case fully, with results of several code points. Where it gives one that is the simple mapping;
// where it gives several, the simple upper-case letter of c is the one whose lower-case letter is c. That makes U+1E9E
// of ß, as utf8proc has it, which Gandiva uses. Letters that take turns, upper and lower, are one run.
'use strict';

const fs = require('node:fs');
const path = require('node:path');

const CATEGORIES = ['', 'Lu', 'Ll', 'Lt', 'Lo', 'Nd', 'Nl', 'No'];
const PAIRS = CATEGORIES.length;
const PATTERNS = CATEGORIES.slice(1).map((name) => new RegExp(`^\\p{${name}}$`, 'u'));
const FIRST = 0x80;
const INDEXED = 0x3000;
const SHIFT = 7;

/** @param {string} text @returns {number | undefined} */
const single = (text) => (text.length === String.fromCodePoint(text.codePointAt(0) ?? 0).length
  ? text.codePointAt(0)
  : undefined);

/** @type {number[]} */
const codes = [];
for (let code = FIRST; code < 0x110000; code++) {
  if (code < 0xD800 || code > 0xDFFF) codes.push(code);
}

/** @type {Map<number, number>} */
const upperOf = new Map();
for (const code of codes) {
  const lower = single(String.fromCodePoint(code).toLowerCase());
  if (lower !== undefined && lower !== code) upperOf.set(lower, code);
}

/** @param {number} code @returns {string} upper and lower as distances, and the category */
function letterOf(code) {
  const text = String.fromCodePoint(code);
  const upper = single(text.toUpperCase()) ?? upperOf.get(code) ?? code;
  const lower = single(text.toLowerCase()) ?? (code === 0x130 ? 0x69 : code);
  return [upper - code, lower - code, PATTERNS.findIndex((pattern) => pattern.test(text)) + 1].join(', ');
}

const UPPER = '0, 1, 1';
const LOWER = '-1, 0, 2';

/** @type {{ start: number, letter: string }[]} */
const runs = [];
const letters = new Map(codes.map((code) => [code, letterOf(code)]));
for (const [code, letter] of letters) {
  const last = runs[runs.length - 1];
  const pairs = `${code % 2}, 0, ${PAIRS}`;
  const before = `${1 - (code % 2)}, 0, ${PAIRS}`;
  if (letter === UPPER && letters.get(code + 1) === LOWER) {
    if (last?.letter !== pairs) runs.push({ start: code, letter: pairs });
  } else if (!(letter === LOWER && last?.letter === before)) {
    if (last?.letter !== letter) runs.push({ start: code, letter });
  }
}

const kinds = [...new Set(runs.map(({ letter }) => letter))];
if (kinds.length > 256) throw new Error(`${kinds.length} kinds of letters do not fit a byte`);
const index = [];
for (let block = 0; block <= INDEXED >> SHIFT; block++) {
  index.push(Math.max(0, runs.findLastIndex(({ start }) => start <= block << SHIFT)));
}

/** @param {string[]} items @returns {string} */
function rows(items) {
  const lines = [''];
  for (const item of items) {
    if (lines[lines.length - 1].length + item.length > 96) lines.push('');
    lines[lines.length - 1] += ` ${item},`;
  }
  return lines.map((line) => ` ${line}`).join('\n');
}

const text = `// Letters and digits of Unicode ${process.versions.unicode} from U+0080 on, by scripts/letters.js: see letters.h.
// Only for that file, which has the types.

// clang-format off

// Distances to the upper-case and the lower-case letter, and the category.
static const gjl_letter gjl_letter_kinds[] = {
${rows(kinds.map((kind) => `{${kind}}`))}
};

// The first code point of each run, and its kind in the low byte.
static const uint32_t gjl_letter_runs[] = {
${rows(runs.map(({ start, letter }) => `0x${(start * 256 + kinds.indexOf(letter)).toString(16)}`))}
};

// The run of each code point that is a multiple of ${1 << SHIFT}, to U+${INDEXED.toString(16)}.
static const uint16_t gjl_letter_index[] = {
${rows(index.map(String))}
};
`;
fs.writeFileSync(path.join(__dirname, '..', 'src', 'library', 'strings', 'letters_table.h'), text);
