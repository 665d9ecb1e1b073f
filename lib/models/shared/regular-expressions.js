/**
 * Regular expressions of RE2 (https://github.com/google/re2/wiki/Syntax): whether one matches a whole string, and which
 * parts of a string match.
 *
 * Patterns come from files, so time must not explode: an expression becomes a nondeterministic automaton, all of whose
 * states are followed at once (Thompson), which takes time of states times characters. JavaScript's own engine tries
 * one way after the other; it only tells here whether a set has a character. What a match is made of is left out, so
 * that groups capture nothing and greedy repetition is repetition.
 */
'use strict';

const { fail } = require('../../base/errors.js');

/** As in RE2. */
const MAX_REPEAT = 1000;
const MAX_NESTING = 200;
const MAX_STATES = 200_000;

/**
 * A state: where to go on a character of a set, or without one, perhaps only at some places.
 *
 * @typedef {{ test?: (character: string) => boolean, at?: (place: Place) => boolean, next: number[] }} State
 */
/** What is left and right of a place in a string; undefined beyond its ends. @typedef {{ before: string | undefined, after: string | undefined }} Place */
/** A part of an expression: makes states that lead to `next`, gives the first of them. @typedef {(next: number) => number} Part */
/** @typedef {{ i: boolean, m: boolean, s: boolean }} Flags */

/** Sets with names, as JavaScript writes them between brackets. */
const perl = new Map([['d', '0-9'], ['w', '0-9A-Za-z_'], ['s', '\\t\\n\\f\\r ']]);
const posix = new Map([
  ['alnum', '0-9A-Za-z'], ['alpha', 'A-Za-z'], ['ascii', '\\x00-\\x7f'], ['blank', '\\t '], ['cntrl', '\\x00-\\x1f\\x7f'],
  ['digit', '0-9'], ['graph', '!-~'], ['lower', 'a-z'], ['print', ' -~'], ['punct', '!-\\/:-@\\[-`{-~'],
  ['space', '\\t\\n\\v\\f\\r '], ['upper', 'A-Z'], ['word', '0-9A-Za-z_'], ['xdigit', '0-9A-Fa-f'],
]);
const controls = new Map([['a', 7], ['f', 12], ['n', 10], ['r', 13], ['t', 9], ['v', 11]]);

const isWord = (/** @type {string | undefined} */ character) => character !== undefined && /^\w$/.test(character);

/** @type {Readonly<Record<string, (place: Place) => boolean>>} */
const anchors = {
  start: ({ before }) => before === undefined,
  end: ({ after }) => after === undefined,
  lineStart: ({ before }) => before === undefined || before === '\n',
  lineEnd: ({ after }) => after === undefined || after === '\n',
  boundary: ({ before, after }) => isWord(before) !== isWord(after),
  inside: ({ before, after }) => isWord(before) === isWord(after),
};

/** A character as part of a set of JavaScript. @type {(code: number) => string} */
const escaped = (code) => `\\u{${code.toString(16)}}`;

class Parser {
  #at = 0;
  /** @type {State[]} */
  states = [];

  /** @param {string} pattern */
  constructor(pattern) {
    this.pattern = pattern;
    // What stands between \Q and \E means itself.
    this.characters = [...pattern.replace(/\\Q([^]*?)(?:\\E|$)|\\[^]/g, (all, text) => text?.replace(/\W/gu, '\\$&') ?? all)];
  }

  /** @type {(why: string) => never} */
  #refuse(why) {
    return fail('ERR_PARSE', `the pattern ${JSON.stringify(this.pattern)} ${why}`);
  }

  #peek(ahead = 0) {
    return this.characters[this.#at + ahead];
  }

  /** @type {(text: string) => boolean} */
  #take(text) {
    if ([...text].some((each, i) => this.#peek(i) !== each)) return false;
    this.#at += text.length;
    return true;
  }

  /** @type {(end: string) => string} what stands before some character, which is taken as well */
  #until(end) {
    const from = this.#at;
    while (this.#peek() !== undefined && this.#peek() !== end) this.#at++;
    const text = this.characters.slice(from, this.#at).join('');
    if (!this.#take(end)) this.#refuse(`lacks '${end}'`);
    return text;
  }

  /** @type {(state: State) => number} */
  #add(state) {
    if (this.states.length >= MAX_STATES) this.#refuse('repeats too much');
    return this.states.push(state) - 1;
  }

  /** @type {() => number} the first state; 0 is the last one */
  parse() {
    this.#add({ next: [] });
    const part = this.#alternatives({ i: false, m: false, s: false }, 0);
    if (this.#peek() !== undefined) this.#refuse("has ')' without '('");
    return part(0);
  }

  /** @type {(flags: Flags, depth: number) => Part} */
  #alternatives(flags, depth) {
    if (depth > MAX_NESTING) this.#refuse('is nested too deep');
    const own = { ...flags };
    const parts = [this.#sequence(own, depth)];
    while (this.#take('|')) parts.push(this.#sequence(own, depth));
    return parts.length === 1 ? parts[0] : (next) => this.#add({ next: parts.map((part) => part(next)) });
  }

  /** @type {(flags: Flags, depth: number) => Part} */
  #sequence(flags, depth) {
    /** @type {Part[]} */
    const parts = [];
    while (this.#peek() !== undefined && this.#peek() !== '|' && this.#peek() !== ')') {
      const part = this.#atom(flags, depth);
      if (part !== undefined) parts.push(this.#repeated(part));
    }
    return (next) => parts.reduceRight((to, part) => part(to), next);
  }

  /** @type {(part: Part) => Part} */
  #repeated(part) {
    for (let result = part, count = 0; ; count++) {
      const bounds = this.#bounds();
      if (bounds === undefined) return result;
      if (count > 0) this.#refuse('repeats a repetition');
      this.#take('?');
      const [least, most] = bounds;
      const one = part;
      result = (next) => {
        let to = next;
        if (most === Infinity) {
          to = this.#add({ next: [] });
          this.states[to].next = [one(to), next];
        } else for (let i = least; i < most; i++) to = this.#add({ next: [one(to), next] });
        for (let i = 0; i < least; i++) to = one(to);
        return to;
      };
    }
  }

  /** @type {() => [number, number] | undefined} how often something is repeated */
  #bounds() {
    if (this.#take('*')) return [0, Infinity];
    if (this.#take('+')) return [1, Infinity];
    if (this.#take('?')) return [0, 1];
    const found = /^\{(\d+)(,(\d*))?\}/.exec(this.characters.slice(this.#at, this.#at + 16).join(''));
    if (found === null) return undefined;
    this.#at += found[0].length;
    const least = Number(found[1]);
    const most = found[2] === undefined ? least : found[3] === '' ? Infinity : Number(found[3]);
    if (least > MAX_REPEAT || (most !== Infinity && most > MAX_REPEAT) || most < least) this.#refuse(`has the repetition ${found[0]}`);
    return [least, most];
  }

  /** @type {(flags: Flags, depth: number) => Part | undefined} nothing for flags alone */
  #atom(flags, depth) {
    if (this.#take('(')) return this.#group(flags, depth);
    if (this.#take('[')) return this.#set(this.#brackets(), flags);
    if (this.#take('.')) return this.#set(flags.s ? '[^]' : '[^\\n]', flags);
    if (this.#take('^')) return this.#place(flags.m ? 'lineStart' : 'start');
    if (this.#take('$')) return this.#place(flags.m ? 'lineEnd' : 'end');
    if (this.#take('\\')) return this.#escape(flags);
    const character = /** @type {string} */ (this.#peek());
    if ('*+?'.includes(character)) this.#refuse(`repeats nothing with '${character}'`);
    this.#at++;
    return this.#set(`[${escaped(/** @type {number} */ (character.codePointAt(0)))}]`, flags);
  }

  /** @type {(source: string, flags: Flags) => Part} */
  #set(source, { i }) {
    const expression = new RegExp(`^${source}$`, i ? 'iu' : 'u');
    const test = (/** @type {string} */ character) => expression.test(character);
    return (next) => this.#add({ test, next: [next] });
  }

  /** @type {(anchor: string) => Part} */
  #place(anchor) {
    return (next) => this.#add({ at: anchors[anchor], next: [next] });
  }

  /** @type {(flags: Flags, depth: number) => Part | undefined} */
  #group(flags, depth) {
    let own = flags;
    if (this.#take('?')) {
      if (this.#take('P<') || this.#take('<')) {
        if (this.#peek() === '=' || this.#peek() === '!') this.#refuse('looks behind');
        this.#until('>');
      } else {
        const found = /^([imsU]*)(-[imsU]+)?([:)])/.exec(this.characters.slice(this.#at, this.#at + 16).join(''));
        if (found === null) return this.#refuse('has a group that RE2 does not know');
        this.#at += found[0].length;
        own = found[3] === ':' ? { ...flags } : flags;
        for (const flag of found[1]) if (flag in own) own[/** @type {keyof Flags} */ (flag)] = true;
        for (const flag of found[2] ?? '') if (flag in own) own[/** @type {keyof Flags} */ (flag)] = false;
        if (found[3] === ')') return undefined;
      }
    }
    const part = this.#alternatives(own, depth + 1);
    if (!this.#take(')')) this.#refuse("lacks ')'");
    return part;
  }

  /** What follows a backslash outside of brackets. @type {(flags: Flags) => Part} */
  #escape(flags) {
    const anchor = { A: 'start', z: 'end', b: 'boundary', B: 'inside' }[/** @type {string} */ (this.#peek())];
    if (anchor !== undefined) {
      this.#at++;
      return this.#place(anchor);
    }
    return this.#set(`[${this.#escaped()}]`, flags);
  }

  /** An escape that stands for characters, as part of a set. @type {() => string} */
  #escaped() {
    const letter = this.#peek();
    if (letter === undefined) return this.#refuse('ends with a backslash');
    this.#at++;
    const lower = letter.toLowerCase();
    const named = perl.get(lower);
    if (named !== undefined) return letter === lower ? named : complement(named);
    if (lower === 'p') return this.#property(letter === 'P');
    if (letter === 'x') return escaped(this.#hexadecimal());
    const code = controls.get(letter);
    if (code !== undefined) return escaped(code);
    if (/[0-7]/.test(letter)) {
      const digits = /^[0-7]{1,3}/.exec(this.characters.slice(this.#at - 1, this.#at + 2).join(''))?.[0] ?? '0';
      if (letter !== '0' && digits.length < 2) this.#refuse('refers back to a group');
      this.#at += digits.length - 1;
      return escaped(parseInt(digits, 8));
    }
    if (/[0-9A-Za-z]/.test(letter)) this.#refuse(`has the escape '\\${letter}'`);
    return escaped(/** @type {number} */ (letter.codePointAt(0)));
  }

  #hexadecimal() {
    const digits = this.#take('{') ? this.#until('}') : this.characters.slice(this.#at, (this.#at += 2)).join('');
    const code = /^[0-9A-Fa-f]+$/.test(digits) ? parseInt(digits, 16) : Infinity;
    return code <= 0x10ffff ? code : this.#refuse(`has the escape '\\x${digits}'`);
  }

  /** Classes and scripts of Unicode. @type {(isNegated: boolean) => string} */
  #property(isNegated) {
    const text = this.#take('{') ? this.#until('}') : this.characters[this.#at++];
    const name = text?.replace(/^\^/, '') ?? '';
    const source = `\\${isNegated !== text?.startsWith('^') ? 'P' : 'p'}{${name.length > 2 ? `Script=${name}` : name}}`;
    try {
      new RegExp(source, 'u').test('');
    } catch {
      return this.#refuse(`names '${name}', which is no class of characters`);
    }
    return source;
  }

  /** What stands between brackets, as a set of JavaScript. @type {() => string} */
  #brackets() {
    let source = this.#take('^') ? '[^' : '[';
    for (let first = true; first || this.#peek() !== ']'; first = false) {
      if (this.#peek() === undefined) this.#refuse("lacks ']'");
      source += this.#member();
    }
    this.#at++;
    return `${source}]`;
  }

  /** @type {() => string} */
  #member() {
    if (this.#take('[:')) {
      const isNegated = this.#take('^');
      const name = this.#until(':');
      const named = posix.get(name);
      if (named === undefined || !this.#take(']')) return this.#refuse(`names '${name}', which is no class of characters`);
      return isNegated ? complement(named) : named;
    }
    const low = this.#bound();
    if (this.#peek() !== '-' || this.#peek(1) === ']') return low;
    this.#at++;
    const high = this.#bound();
    const [from, to] = [low, high].map((each) => (/^\\u\{[^}]*\}$/.test(each) ? parseInt(each.slice(3), 16) : NaN));
    return from <= to ? `${low}-${high}` : this.#refuse('has a range that goes backwards');
  }

  #bound() {
    if (this.#take('\\')) return this.#escaped();
    return escaped(/** @type {number} */ (this.characters[this.#at++]?.codePointAt(0) ?? 0));
  }
}

/** What a set of ASCII characters leaves out. @type {(set: string) => string} */
function complement(set) {
  const test = new RegExp(`[${set}]`, 'u');
  const rest = Array.from({ length: 128 }, (_, code) => code).filter((code) => !test.test(String.fromCharCode(code)));
  return `${rest.map(escaped).join('')}\\u{80}-\\u{10ffff}`;
}

/** The states reached without a character. @type {(states: readonly State[], from: Iterable<number>, place: Place) => Set<number>} */
function closure(states, from, place) {
  const reached = new Set(from);
  for (const index of reached) {
    const { test, at, next } = states[index];
    if (test === undefined && (at === undefined || at(place))) for (const each of next) reached.add(each);
  }
  return reached;
}

/**
 * The end of the longest match that begins at a place; -1 without one.
 *
 * @type {(states: readonly State[], start: number, characters: readonly string[], from: number) => number}
 */
function endOf(states, start, characters, from) {
  const place = (/** @type {number} */ at) => ({ before: characters[at - 1], after: characters[at] });
  let current = closure(states, [start], place(from));
  let end = current.has(0) ? from : -1;
  for (let at = from; at < characters.length && current.size > 0; at++) {
    const reached = [];
    for (const index of current) if (states[index].test?.(characters[at])) reached.push(...states[index].next);
    current = closure(states, reached, place(at + 1));
    if (current.has(0)) end = at + 1;
  }
  return end;
}

/**
 * What tells whether a pattern matches all of a string.
 *
 * @param {string} pattern
 * @returns {(string: string) => boolean}
 */
function fullMatcher(pattern) {
  const parser = new Parser(pattern);
  const start = parser.parse();
  return (string) => {
    const characters = [...string];
    return endOf(parser.states, start, characters, 0) === characters.length;
  };
}

/**
 * What finds the parts of a string that match, each the longest from the left, and those between them.
 *
 * @param {string} pattern
 * @returns {(string: string) => { matches: string[], rest: string[] }} of `rest` one more
 */
function finder(pattern) {
  const parser = new Parser(pattern);
  const start = parser.parse();
  return (string) => {
    const characters = [...string];
    /** @type {{ matches: string[], rest: string[] }} */
    const found = { matches: [], rest: [] };
    let from = 0;
    for (let at = 0; at < characters.length; ) {
      const end = endOf(parser.states, start, characters, at);
      if (end > at) {
        found.matches.push(characters.slice(at, end).join(''));
        found.rest.push(characters.slice(from, at).join(''));
        from = end;
      }
      at = Math.max(end, at + 1);
    }
    found.rest.push(characters.slice(from).join(''));
    return found;
  };
}

module.exports = { finder, fullMatcher };
