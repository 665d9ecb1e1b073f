/**
 * Regular expressions in RE2's syntax, as a tree of sets of code points.
 *
 * Literals, ., classes, groups that capture, have a name, or set flags (i m s U), alternatives, repetitions and the
 * assertions that look one code point ahead and back. \d \w \s \b are ASCII. What takes memory of what was matched
 * (references back) or looks further (lookaround) is not regular, and refused; so is what RE2 refuses.
 */
'use strict';

const { ALL, LAST, PERL, POSIX, category, complement, folded, pairs, union } = require('./sets.js');

/** @typedef {import('./sets.js').Ranges} Ranges */
/** @typedef {'beginText' | 'endText' | 'beginLine' | 'endLine' | 'word' | 'notWord'} Assertion */
/**
 * @typedef {{ kind: 'set', ranges: Ranges } | { kind: 'assert', what: Assertion }
 * | { kind: 'cat' | 'alt', parts: Tree[] } | { kind: 'group', part: Tree, number: number }
 * | { kind: 'repeat', part: Tree, min: number, max: number, lazy: boolean }} Tree
 */
/** @typedef {{ i: boolean, m: boolean, s: boolean, U: boolean }} Flags */

/** Most times that something is repeated, repetitions of repetitions counting together; and of groups in groups. */
const MOST = 1000;

/** What is wrong with a pattern, and where. */
class PatternError extends Error {
  /**
   * @param {string} message
   * @param {number} at
   */
  constructor(message, at) {
    super(message);
    this.at = at;
  }
}

/** @type {Readonly<Record<string, number>>} */
const CONTROLS = { a: 7, f: 12, n: 10, r: 13, t: 9, v: 11 };

/** @type {Readonly<Record<string, Assertion>>} */
const ASSERTIONS = { A: 'beginText', z: 'endText', b: 'word', B: 'notWord' };

/** @type {Readonly<Record<string, { min: number, max: number }>>} */
const REPEATS = { '*': { min: 0, max: Infinity }, '+': { min: 1, max: Infinity }, '?': { min: 0, max: 1 } };

const NEWLINE = pairs('\n\n');

class Parser {
  #at = 0;
  #depth = 0;
  /** @type {string[]} code points */
  #text;
  /** @type {Flags} */
  #flags;
  /** Numbers of groups by name. @type {Set<string>} */
  #names = new Set();
  groups = 0;

  /**
   * @param {string} pattern
   * @param {Flags} flags
   */
  constructor(pattern, flags) {
    this.#text = Array.from(pattern);
    this.#flags = flags;
  }

  /** @type {(message: string, at?: number) => never} */
  #refuse(message, at = this.#at) {
    throw new PatternError(message, at);
  }

  /** The text between two places. @type {(begin: number, end?: number) => string} */
  #slice(begin, end = this.#at) {
    return this.#text.slice(begin, end).join('');
  }

  get #next() {
    return this.#text[this.#at];
  }

  /** Goes on behind a text, if it is next. @param {string} text */
  #skips(text) {
    const isNext = this.#slice(this.#at, this.#at + text.length) === text;
    if (isNext) this.#at += text.length;
    return isNext;
  }

  /** @returns {Tree} */
  whole() {
    const tree = this.#alternatives();
    return this.#next === undefined ? tree : this.#refuse("')' without '('");
  }

  /** @returns {Tree} */
  #alternatives() {
    const parts = [this.#sequence()];
    while (this.#skips('|')) parts.push(this.#sequence());
    return parts.length === 1 ? parts[0] : { kind: 'alt', parts };
  }

  /** @returns {Tree} */
  #sequence() {
    /** @type {Tree[]} */
    const parts = [];
    let isRepeated = true;
    while (this.#next !== undefined && this.#next !== '|' && this.#next !== ')') {
      const begin = this.#at;
      const times = this.#times();
      if (times === null) {
        const atoms = this.#atoms();
        parts.push(...atoms);
        // Flags are nothing that could be repeated.
        isRepeated = atoms.length === 0;
      } else if (isRepeated) {
        this.#refuse(`'${this.#slice(begin)}' has nothing to repeat`, begin);
      } else {
        const part = /** @type {Tree} */ (parts.pop());
        parts.push(this.#repeated(part, times, begin));
        isRepeated = true;
      }
    }
    return parts.length === 1 ? parts[0] : { kind: 'cat', parts };
  }

  /** A repetition, if there is one here. @returns {{ min: number, max: number, lazy: boolean } | null} */
  #times() {
    const begin = this.#at;
    let times = REPEATS[this.#next];
    if (times !== undefined) this.#at++;
    else {
      const match = /^\{(\d{1,9})(?:(,)(\d{0,9}))?\}/u.exec(this.#slice(begin, begin + 22));
      if (match === null) return null;
      const [all, min, comma, max] = match;
      this.#at += all.length;
      times = { min: Number(min), max: comma === undefined ? Number(min) : max === '' ? Infinity : Number(max) };
    }
    return { ...times, lazy: this.#skips('?') !== this.#flags.U };
  }

  /** @type {(part: Tree, times: { min: number, max: number, lazy: boolean }, begin: number) => Tree} */
  #repeated(part, { min, max, lazy }, begin) {
    if (max < min) this.#refuse(`'${this.#slice(begin)}' asks for more than it allows`, begin);
    const most = Math.max(min, max === Infinity ? 0 : max, 1) * timesOf(part);
    if (most > MOST) this.#refuse(`something is repeated ${most} times, and ${MOST} are the most`, begin);
    return { kind: 'repeat', part, min, max, lazy };
  }

  /** What a repetition applies to the last one of. @returns {Tree[]} */
  #atoms() {
    const c = this.#text[this.#at++];
    const { m, s } = this.#flags;
    switch (c) {
      case '(':
        return this.#group();
      case '[':
        return [{ kind: 'set', ranges: this.#class() }];
      case '.':
        return [{ kind: 'set', ranges: s ? ALL : complement(NEWLINE) }];
      case '^':
        return [{ kind: 'assert', what: m ? 'beginLine' : 'beginText' }];
      case '$':
        return [{ kind: 'assert', what: m ? 'endLine' : 'endText' }];
      case '\\':
        return this.#escape();
      default:
        return [this.#literal(/** @type {number} */ (c.codePointAt(0)))];
    }
  }

  /** @type {(code: number) => Tree} */
  #literal(code) {
    return { kind: 'set', ranges: this.#cased([[code, code]]) };
  }

  /** With what differs in case only, where case does not count. @type {(ranges: Ranges) => Ranges} */
  #cased(ranges) {
    return this.#flags.i ? folded(ranges) : ranges;
  }

  // --- groups ---

  /** @returns {Tree[]} */
  #group() {
    const begin = this.#at - 1;
    if (++this.#depth > MOST) this.#refuse(`more than ${MOST} groups in each other`, begin);
    const outer = this.#flags;
    let number = 0;
    if (!this.#skips('?')) number = ++this.groups;
    else if (this.#skips('P<') || this.#isName()) number = this.#named(begin);
    else if (this.#changesFlags(begin)) {
      this.#depth--;
      return [];
    }
    const part = this.#alternatives();
    if (!this.#skips(')')) this.#refuse("'(' without ')'", begin);
    this.#flags = outer;
    this.#depth--;
    return [number === 0 ? part : { kind: 'group', part, number }];
  }

  /** Is this (?<name>, and not (?<= or (?<! ? */
  #isName() {
    const next = this.#text[this.#at + 1];
    return next !== '=' && next !== '!' && this.#skips('<');
  }

  /** @type {(begin: number) => number} */
  #named(begin) {
    const start = this.#at;
    while (this.#next !== undefined && this.#next !== '>') this.#at++;
    const name = this.#slice(start);
    if (!this.#skips('>') || !/^\w+$/u.test(name)) this.#refuse("a group's name is letters, digits and _ up to '>'", begin);
    if (this.#names.has(name)) this.#refuse(`there are two groups '${name}'`, begin);
    this.#names.add(name);
    return ++this.groups;
  }

  /** (?flags) is for what follows, (?flags:…) for a group; was it the first? @type {(begin: number) => boolean} */
  #changesFlags(begin) {
    if (this.#next === '=' || this.#next === '!' || this.#next === '<') this.#refuse('lookaround is not regular', begin);
    const start = this.#at;
    while (this.#next !== undefined && /[imsU-]/u.test(this.#next)) this.#at++;
    const end = this.#at;
    const [, on, off] = /^([imsU]*)(?:-([imsU]+))?$/u.exec(this.#slice(start)) ?? [];
    const isGroup = this.#skips(':');
    if (on === undefined || (!isGroup && (end === start || !this.#skips(')')))) {
      this.#refuse(`no group begins with '${this.#slice(begin, end + 1)}'`, begin);
    }
    const flags = { ...this.#flags };
    for (const flag of on) flags[/** @type {keyof Flags} */ (flag)] = true;
    for (const flag of off ?? '') flags[/** @type {keyof Flags} */ (flag)] = false;
    this.#flags = flags;
    return !isGroup;
  }

  // --- escapes ---

  /** @returns {Tree[]} */
  #escape() {
    const begin = this.#at - 1;
    if (this.#skips('Q')) return this.#quoted();
    const what = ASSERTIONS[this.#next];
    if (what !== undefined) {
      this.#at++;
      return [{ kind: 'assert', what }];
    }
    const ranges = this.#escapedSet(begin);
    return [ranges === null ? this.#literal(this.#escapedCode(begin)) : { kind: 'set', ranges }];
  }

  /** \Q…\E is as it is. @returns {Tree[]} */
  #quoted() {
    const start = this.#at;
    while (this.#next !== undefined && this.#slice(this.#at, this.#at + 2) !== '\\E') this.#at++;
    const text = this.#text.slice(start, this.#at);
    this.#skips('\\E');
    return text.map((c) => this.#literal(/** @type {number} */ (c.codePointAt(0))));
  }

  /** \d, \pL and the like; null if it is something else. @type {(begin: number) => Ranges | null} */
  #escapedSet(begin) {
    const letter = this.#next ?? '';
    const perl = PERL[letter.toLowerCase()];
    if (perl !== undefined) {
      this.#at++;
      return letter in PERL ? this.#cased(perl) : complement(this.#cased(perl));
    }
    if (letter !== 'p' && letter !== 'P') return null;
    this.#at++;
    let name = this.#text[this.#at++] ?? '';
    if (name === '{') {
      const start = this.#at;
      while (this.#next !== undefined && this.#next !== '}') this.#at++;
      name = this.#slice(start);
      if (!this.#skips('}')) this.#refuse("'{' without '}'", start - 1);
    }
    const isNot = name.startsWith('^');
    const ranges = category(isNot ? name.slice(1) : name);
    if (ranges === undefined) return this.#refuse(`'${this.#slice(begin)}' is no category or script of Unicode`, begin);
    return isNot === (letter === 'P') ? this.#cased(ranges) : complement(this.#cased(ranges));
  }

  /** The code point that an escape is. @type {(begin: number) => number} */
  #escapedCode(begin) {
    const c = this.#text[this.#at++];
    if (c === undefined) return this.#refuse("a pattern does not end with '\\'", begin);
    if (c in CONTROLS) return CONTROLS[c];
    const rest = this.#slice(this.#at, this.#at + 10);
    const digits = c === 'x' ? /^(?:([\dA-Fa-f]{2})|\{([\dA-Fa-f]{1,8})\})/u.exec(rest) : null;
    if (digits !== null) {
      this.#at += digits[0].length;
      const code = parseInt(digits[1] ?? digits[2], 16);
      return code > LAST ? this.#refuse(`there is no code point ${code.toString(16)}`, begin) : code;
    }
    const octal = /^(?:0[0-7]{0,2}|[1-7][0-7]{1,2})/u.exec(c + rest);
    if (octal !== null) {
      this.#at += octal[0].length - 1;
      return parseInt(octal[0], 8);
    }
    if (/[1-9]/u.test(c)) this.#refuse('references back to groups are not regular', begin);
    if (c === 'Z') this.#refuse("'\\Z' is not known: the end of the text is \\z", begin);
    const code = /** @type {number} */ (c.codePointAt(0));
    if (code >= 0x80 || /[\dA-Za-z]/u.test(c)) this.#refuse(`'\\${c}' is not known`, begin);
    return code;
  }

  // --- classes ---

  /** @returns {Ranges} */
  #class() {
    const begin = this.#at - 1;
    const isNot = this.#skips('^');
    /** @type {[number, number][]} */
    const literals = [];
    /** @type {(readonly [number, number])[]} */
    const ranges = [];
    for (let isFirst = true; isFirst || this.#next !== ']'; isFirst = false) {
      if (this.#next === undefined) this.#refuse("'[' without ']'", begin);
      const set = this.#posix() ?? this.#setInClass();
      if (set === null) literals.push(this.#range());
      else ranges.push(...set);
    }
    this.#at++;
    const all = union([...this.#cased(union(literals)), ...ranges]);
    return isNot ? complement(all) : all;
  }

  /** [:alpha:], if it is here. @returns {Ranges | null} */
  #posix() {
    const match = /^\[:(\^?)(\w*):\]/u.exec(this.#slice(this.#at, this.#at + 32));
    if (match === null) return null;
    const [all, not, name] = match;
    const ranges = Object.hasOwn(POSIX, name) ? POSIX[name] : this.#refuse(`there is no class '${all}'`);
    this.#at += all.length;
    return not === '' ? this.#cased(ranges) : complement(this.#cased(ranges));
  }

  /** @returns {Ranges | null} */
  #setInClass() {
    if (this.#next !== '\\') return null;
    this.#at++;
    const ranges = this.#escapedSet(this.#at - 1);
    if (ranges === null) this.#at--;
    return ranges;
  }

  /** A code point of a class, or a range of them. @returns {[number, number]} */
  #range() {
    const begin = this.#at;
    const low = this.#codeInClass();
    const isRange = this.#next === '-' && this.#text[this.#at + 1] !== ']' && this.#text[this.#at + 1] !== undefined;
    if (!isRange) return [low, low];
    this.#at++;
    const high = this.#codeInClass();
    return low <= high ? [low, high] : this.#refuse(`the range '${this.#slice(begin)}' ends before it begins`, begin);
  }

  #codeInClass() {
    const c = this.#text[this.#at++];
    return c === '\\' ? this.#escapedCode(this.#at - 1) : /** @type {number} */ (c.codePointAt(0));
  }
}

/** How many times something in a tree is repeated at most, as far as that is counted. @type {(tree: Tree) => number} */
function timesOf(tree) {
  if (tree.kind === 'cat' || tree.kind === 'alt') return tree.parts.reduce((most, part) => Math.max(most, timesOf(part)), 1);
  if (tree.kind === 'group') return timesOf(tree.part);
  if (tree.kind !== 'repeat') return 1;
  return Math.max(tree.min, tree.max === Infinity ? 0 : tree.max, 1) * timesOf(tree.part);
}

/**
 * The tree of a pattern and how many groups it has.
 *
 * @param {string} pattern
 * @param {Partial<Flags>} [flags]
 * @returns {{ tree: Tree, groups: number }}
 * @throws {PatternError}
 */
function parse(pattern, flags = {}) {
  const parser = new Parser(pattern, { i: false, m: false, s: false, U: false, ...flags });
  const tree = parser.whole();
  return { tree, groups: parser.groups };
}

module.exports = { PatternError, parse };
