/**
 * From instructions to a table that says, byte by byte, whether there is a match: a deterministic automaton whose
 * states are sets of threads.
 *
 * A thread stands in front of an instruction that takes a code point, or within its bytes; or in front of an assertion,
 * which is settled when the next byte is known. Matches begin anywhere but within a code point. Bytes that no
 * instruction tells apart are one class. Automata that get large are given up, since one can run the instructions
 * themselves.
 */
'use strict';

const { startsOf } = require('./program.js');
const { PERL } = require('./sets.js');
const { Bytes, DONE, NOWHERE } = require('./utf8.js');

/** @typedef {import('./program.js').Program} Program */
/** `table`: rows of states, an entry per class, the last one for the end of the text; states are where rows begin. @typedef {{ classes: Uint8Array, table: Uint16Array, start: number, accepts: number, endClass: number }} Table */
/** What is on a side of a place: the edge of the text, a line feed, what \w takes, or something else. @typedef {'edge' | 'line' | 'word' | 'within' | 'other'} Side */
/** Two threads are the same if their numbers are. @typedef {number} Thread */

/** Most states and entries of a table, and steps of threads to make it. */
const MOST_STATES = 1000;
const MOST_ENTRIES = 20_000;
const MOST_STEPS = 200_000;

const NODES = 2 ** 20;
const END = 256;
const MATCH = 'match';
const FAILS = -1;
const ACCEPTS = -2;

/** @type {(byte: number) => Side} */
function sideOf(byte) {
  if (byte === END) return 'edge';
  if (byte === 10) return 'line';
  if (byte >= 0x80 && byte < 0xc0) return 'within';
  return /\w/u.test(String.fromCharCode(byte)) && byte < 0x80 ? 'word' : 'other';
}

/** Whether an assertion holds; undefined where that is up to the next byte. @type {Record<import('./parse.js').Assertion, (before: Side, after: Side | null) => boolean | undefined>} */
const HOLDS = {
  beginText: (before) => before === 'edge',
  beginLine: (before) => before === 'edge' || before === 'line',
  endText: (_, after) => (after === null ? undefined : after === 'edge'),
  endLine: (_, after) => (after === null ? undefined : after === 'edge' || after === 'line'),
  word: (before, after) => (after === null ? undefined : (before === 'word') !== (after === 'word')),
  notWord: (before, after) => (after === null ? undefined : (before === 'word') === (after === 'word')),
};

class Builder {
  #bytes = new Bytes();
  #steps = 0;
  /** @type {Map<string, number>} */
  #known = new Map();
  /** @type {{ threads: Thread[], before: Side }[]} */
  #states = [];
  /** The thread that begins matches. */
  #loop;

  /** @param {Pick<Program, 'code' | 'entry'>} program */
  constructor({ code, entry }) {
    this.code = code;
    this.entry = entry;
    this.#loop = code.length * NODES;
    this.roots = code.map(({ op, ranges }) => (op === 'char' || op === 'set' ? this.#bytes.root(ranges) : 0));
    const asserted = new Set(code.map(({ what }) => what));
    const sides = { edge: ['beginText', 'beginLine'], line: ['beginLine'], word: ['word', 'notWord'] };
    /** What of the side before makes a difference. @type {Set<string>} */
    this.told = new Set(Object.entries(sides).filter(([, names]) => names.some((name) => asserted.has(/** @type {any} */ (name)))).map(([side]) => side));
    this.asserted = asserted;
    this.beginsWithAssertion = startsOf({ code, entry }).some(({ op }) => op === 'assert');
  }

  /** @returns {Table | null} null where it gets too large */
  table() {
    const { classes, examples } = this.#classes();
    const start = this.#state([this.#loop], 'edge');
    /** @type {number[][]} */
    const rows = [];
    for (let i = 0; i < this.#states.length; i++) {
      rows.push(examples.map((byte) => this.#next(this.#states[i], byte)));
      const isLarge = this.#states.length > MOST_STATES || this.#states.length * examples.length > MOST_ENTRIES;
      if (isLarge || this.#steps > MOST_STEPS) return null;
    }
    return layout(classes, withoutDead(rows), start);
  }

  /** Which bytes are told apart, with an example of each class; the last one is the end. */
  #classes() {
    const begins = new Set([0, 0x80, 0xc0]);
    for (const { low, high } of this.#bytes.nodes.flat()) begins.add(low).add(high + 1);
    if (this.asserted.has('beginLine') || this.asserted.has('endLine')) begins.add(10).add(11);
    if (this.told.has('word')) for (const [low, high] of PERL.w) begins.add(low).add(high + 1);
    begins.delete(END);
    const examples = [...begins].sort((a, b) => a - b);
    let number = -1;
    const classes = Uint8Array.from({ length: 256 }, (_, byte) => (begins.has(byte) ? ++number : number));
    return { classes, examples: [...examples, END] };
  }

  /** The number of a state, if it has not accepted yet. @type {(threads: Thread[], before: Side) => number} */
  #state(threads, before) {
    const asks = this.beginsWithAssertion || threads.some((each) => this.code[Math.floor(each / NODES)]?.op === 'assert');
    const side = asks && this.told.has(before) ? before : 'other';
    const key = `${side} ${threads.join()}`;
    let number = this.#known.get(key);
    if (number === undefined) this.#known.set(key, (number = this.#states.push({ threads, before: side }) - 1));
    return number;
  }

  /** @type {(state: { threads: Thread[], before: Side }, byte: number) => number} */
  #next({ threads, before }, byte) {
    const after = sideOf(byte);
    const settled = this.#followed(threads, before, after);
    if (settled === MATCH) return ACCEPTS;
    if (byte === END) return FAILS;
    const within = [];
    const taken = [this.#loop];
    for (const thread of settled) {
      const index = Math.floor(thread / NODES);
      if (thread === this.#loop) continue;
      const to = this.#bytes.step(thread % NODES, byte);
      this.#steps++;
      if (to === DONE) taken.push(this.#at(this.code[index].next));
      else if (to !== NOWHERE) within.push(index * NODES + to);
    }
    const next = this.#followed(taken, after, null);
    if (next === MATCH) return ACCEPTS;
    return this.#state([...new Set([...within, ...next])].sort((a, b) => a - b), after);
  }

  /** The thread in front of an instruction. @type {(index: number) => Thread} */
  #at(index) {
    return index * NODES + this.roots[index];
  }

  /** What threads come to without taking a byte. @type {(threads: readonly Thread[], before: Side, after: Side | null) => Thread[] | typeof MATCH} */
  #followed(threads, before, after) {
    const seen = new Set();
    const found = [];
    const waiting = [...threads];
    for (let thread = waiting.pop(); thread !== undefined; thread = waiting.pop()) {
      this.#steps++;
      if (seen.has(thread)) continue;
      seen.add(thread);
      if (thread === this.#loop) {
        found.push(thread);
        if (after !== null && after !== 'within') waiting.push(this.#at(this.entry));
        continue;
      }
      const { op, x, next, what } = this.code[Math.floor(thread / NODES)];
      if (op === 'match') return MATCH;
      if (op === 'split') waiting.push(this.#at(x), this.#at(next));
      else if (op === 'save') waiting.push(this.#at(next));
      else if (what === undefined) found.push(thread);
      else {
        const holds = HOLDS[what](before, after);
        if (holds === true) waiting.push(this.#at(next));
        else if (holds === undefined) found.push(thread);
      }
    }
    return found;
  }
}

/** Rows in which states that never accept have failed. @type {(rows: number[][]) => number[][]} */
function withoutDead(rows) {
  /** @type {number[][]} */
  const from = rows.map(() => []);
  const waiting = [];
  for (const [state, row] of rows.entries()) {
    for (const to of new Set(row)) if (to >= 0) from[to].push(state);
    if (row.includes(ACCEPTS)) waiting.push(state);
  }
  const alive = new Set(waiting);
  for (let state = waiting.pop(); state !== undefined; state = waiting.pop()) {
    for (const each of from[state]) if (!alive.has(each)) waiting.push(each), alive.add(each);
  }
  return rows.map((row) => row.map((to) => (to >= 0 && !alive.has(to) ? FAILS : to)));
}

/** @type {(classes: Uint8Array, rows: number[][], start: number) => Table} */
function layout(classes, rows, start) {
  // Classes that always lead to the same states are one.
  const columns = rows[0].map((_, k) => rows.map((row) => row[k]).join());
  const kept = [...new Set(columns.slice(0, -1))];
  const width = kept.length + 1;
  const places = [...kept.map((column) => columns.indexOf(column)), columns.length - 1];
  const [accepts, fails] = [rows.length * width, (rows.length + 1) * width];
  const numbers = rows.flatMap((row) => places.map((place) => row[place]));
  const table = Uint16Array.from(numbers, (to) => (to === ACCEPTS ? accepts : to === FAILS ? fails : to * width));
  return {
    classes: classes.map((each) => kept.indexOf(columns[each])),
    table, start: start * width, accepts, endClass: width - 1,
  };
}

/** @type {(program: Program) => Table | null} */
const tableOf = (program) => new Builder(program).table();

module.exports = { tableOf };
