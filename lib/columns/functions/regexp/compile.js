/**
 * From a pattern to the bytes of a program that src/library/regexp.c runs: the table of an automaton, where that is
 * small, and instructions; with what is known of where matches may begin.
 */
'use strict';

const { parse } = require('./parse.js');
const { TooLarge, literalOf, programOf, startsOf } = require('./program.js');
const { tableOf } = require('./table.js');
const { Bytes } = require('./utf8.js');

/** @typedef {import('./parse.js').Flags} Flags */
/** @typedef {import('./program.js').Program} Program */
/** @typedef {import('./sets.js').Ranges} Ranges */

/** Most code points of a pattern. */
const LONGEST = 10_000;

/** Of the machine, in words of memory that a call is lent. */
const MOST_SLOTS = 200_000;

/** Numbers that regexp.c has for the same. */
const OPS = ['char', 'set', 'split', 'save', 'assert', 'match'];
const ASSERTIONS = ['beginText', 'endText', 'beginLine', 'endLine', 'word', 'notWord'];
const HEAD = 21;

/** A set as regexp.c has it. @type {(ranges: Ranges) => Uint32Array} */
function setOf(ranges) {
  const ascii = [0, 0, 0, 0];
  for (const [low, high] of ranges) for (let c = low; c <= Math.min(high, 127); c++) ascii[c >> 5] |= 1 << (c & 31);
  const above = ranges.filter(([, high]) => high > 127).map(([low, high]) => [Math.max(low, 128), high]);
  return Uint32Array.from([...ascii, above.length, ...above.flat()]);
}

/** The bytes that matches begin with; null where there may be any or none. @type {(program: Program) => Uint8Array | null} */
function firstsOf(program) {
  const starts = startsOf(program);
  if (starts.some(({ op }) => op === 'assert' || op === 'match')) return null;
  const bits = new Uint8Array(32);
  const bytes = new Bytes();
  for (const { low, high } of starts.flatMap(({ ranges }) => bytes.nodes[bytes.root(ranges)])) {
    for (let byte = low; byte <= Math.min(high, 255); byte++) bits[byte >> 3] |= 1 << (byte & 7);
  }
  return bits;
}

/** Bytes one behind the other, at places that can be told. */
class Layout {
  /** @type {Uint8Array[]} */
  #parts = [];
  #size = 0;
  /** @type {Map<string, number>} */
  #known = new Map();

  /** Where bytes are, equal ones once. @type {(bytes: Uint8Array | Uint16Array | Uint32Array) => number} */
  add({ buffer, byteOffset, byteLength }) {
    const bytes = new Uint8Array(buffer, byteOffset, byteLength);
    const key = Buffer.from(bytes).toString('latin1');
    let place = this.#known.get(key);
    if (place === undefined) {
      place = this.#size;
      this.#known.set(key, place);
      this.#parts.push(bytes, new Uint8Array(-byteLength & 3));
      this.#size += byteLength + (-byteLength & 3);
    }
    return place;
  }

  bytes() {
    return new Uint8Array(Buffer.concat(this.#parts));
  }
}

/** @type {(program: Program, table: import('./table.js').Table | null) => Uint8Array} */
function assembled(program, table) {
  const { code, entry, slots } = program;
  const head = new Uint32Array(HEAD);
  const layout = new Layout();
  // Its bytes are what is in it in the end.
  layout.add(head);
  if (table !== null) {
    const states = Buffer.concat([table.classes, new Uint8Array(table.table.buffer)]);
    head.set([layout.add(new Uint8Array(states)), table.start, table.accepts, table.endClass]);
  }
  const prefix = new TextEncoder().encode(String.fromCodePoint(...literalOf(program).text));
  const isAnchored = startsOf(program).every(({ what }) => what === 'beginText');
  const firsts = firstsOf(program);
  const words = code.flatMap(({ op, x, next, ranges, what }) => [
    OPS.indexOf(op), op === 'set' ? layout.add(setOf(ranges)) : op === 'assert' ? ASSERTIONS.indexOf(String(what)) : x, next,
  ]);
  head.set([
    layout.add(prefix), prefix.length, layout.add(Uint32Array.from(words)), code.length, entry, slots,
    Number(isAnchored), Number(firsts !== null),
  ], 4);
  if (firsts !== null) head.set(new Uint32Array(firsts.buffer), 12);
  head[20] = code.filter(({ op }) => op === 'split' || op === 'save').length;
  return layout.bytes();
}

/** What a pattern is that is a text, perhaps between anchors: a function that does the same. @type {(program: Program) => { name: string, text: string } | null} */
function plainOf(program) {
  const first = program.code[program.entry];
  const isBegun = first.what === 'beginText';
  const { text, rest } = literalOf(isBegun ? { ...program, entry: first.next } : program);
  const isEnded = rest.what === 'endText';
  const { op } = isEnded ? program.code[rest.next] : rest;
  if (op !== 'match') return null;
  const name = isBegun ? (isEnded ? 'utf8_equal' : 'starts_with') : isEnded ? 'ends_with' : 'contains';
  return { name, text: String.fromCodePoint(...text) };
}

/**
 * A pattern.
 *
 * @param {string} pattern
 * @param {Partial<Flags>} [flags]
 */
function compile(pattern, flags) {
  if (pattern.length > LONGEST) throw new TooLarge(`the pattern is too large: it has more than ${LONGEST} characters`);
  const { tree, groups } = parse(pattern, flags);
  const whether = programOf(tree, null);
  return {
    groups,
    /** A function of two texts that does the same, if there is one. */
    plain: plainOf(whether),
    /** Whether there is a match; `hasTable`: how to run it. */
    whether: () => {
      const table = tableOf(whether);
      return { bytes: assembled(whether, table), hasTable: table !== null };
    },
    /** Where the match is, and some groups. @type {(asked: readonly number[]) => Uint8Array} */
    places: (asked) => {
      const program = programOf(tree, asked);
      if (program.code.length * program.slots > MOST_SLOTS) throw new TooLarge('the pattern is too large for so many groups: let those that are not asked for not capture, (?:…)');
      return assembled(program, tableOf(program));
    },
  };
}

module.exports = { TooLarge, compile };
