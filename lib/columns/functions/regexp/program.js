/**
 * From the tree of a regular expression to instructions that take code points, as Thompson and Pike have it: the
 * threads of a place in the text, in order of preference, are instructions.
 *
 *   char, set    take a code point: this one, or one of a set
 *   split        go on at `x`, and, where that comes to nothing, at `next`
 *   save         note the place in slot `x`
 *   assert       go on if something holds at the place
 *   match
 */
'use strict';

/** @typedef {import('./parse.js').Tree} Tree */
/** @typedef {import('./parse.js').Assertion} Assertion */
/** @typedef {import('./sets.js').Ranges} Ranges */
/** @typedef {{ op: 'char' | 'set' | 'split' | 'save' | 'assert' | 'match', x: number, next: number, ranges: Ranges, what?: Assertion }} Instruction */
/** @typedef {{ code: Instruction[], entry: number, slots: number }} Program */

/** Most instructions: they are counted in 16 bits, and each costs time for every code point of a text. */
const MOST = 4096;

/** A pattern is too large. */
class TooLarge extends Error {}

/** @type {Ranges} */
const NONE = [];

class Writer {
  /** @type {Instruction[]} */
  code = [];

  /** `slots` of groups that are asked for, by their numbers. @param {ReadonlyMap<number, number>} slots */
  constructor(slots) {
    this.slots = slots;
  }

  /** @type {(op: Instruction['op'], next: number, more?: Partial<Instruction>) => number} */
  #add(op, next, more) {
    if (this.code.length === MOST) throw new TooLarge(`the pattern is too large: it needs more than ${MOST} instructions`);
    return this.code.push({ op, x: 0, next, ranges: NONE, ...more }) - 1;
  }

  end() {
    return this.#add('match', 0);
  }

  /** Where what has to be done before `next` begins. @type {(tree: Tree, next: number) => number} */
  write(tree, next) {
    switch (tree.kind) {
      case 'set':
        return this.#set(tree.ranges, next);
      case 'assert':
        return this.#add('assert', next, { what: tree.what });
      case 'cat':
        return tree.parts.reduceRight((after, part) => this.write(part, after), next);
      case 'alt':
        return tree.parts.map((part) => this.write(part, next)).reduceRight((rest, first) => this.#add('split', rest, { x: first }));
      case 'group':
        return this.group(tree.part, this.slots.get(tree.number), next);
      default:
        return this.#repeat(tree, next);
    }
  }

  /** @type {(ranges: Ranges, next: number) => number} */
  #set(ranges, next) {
    const isOne = ranges.length === 1 && ranges[0][0] === ranges[0][1];
    return isOne ? this.#add('char', next, { x: ranges[0][0], ranges }) : this.#add('set', next, { ranges });
  }

  /** @type {(part: Tree, slot: number | undefined, next: number) => number} */
  group(part, slot, next) {
    if (slot === undefined) return this.write(part, next);
    return this.#add('save', this.write(part, this.#add('save', next, { x: slot + 1 })), { x: slot });
  }

  /** @type {(tree: Extract<Tree, { kind: 'repeat' }>, next: number) => number} */
  #repeat({ part, min, max, lazy }, next) {
    let after = next;
    let times = min;
    if (max < Infinity) {
      for (let i = min; i < max; i++) after = this.#choice(this.write(part, after), next, lazy);
    } else {
      const loop = this.#choice(0, next, lazy);
      const body = this.write(part, loop);
      this.code[loop][lazy ? 'next' : 'x'] = body;
      // Once round, and not none, is what one gets of a part that may be empty, so that it is tried first.
      after = min > 0 ? body : isNeverEmpty(part) ? loop : this.#choice(body, next, lazy);
      times = Math.max(min - 1, 0);
    }
    for (let i = 0; i < times; i++) after = this.write(part, after);
    return after;
  }

  /** @type {(body: number, next: number, lazy: boolean) => number} */
  #choice(body, next, lazy) {
    return lazy ? this.#add('split', body, { x: next }) : this.#add('split', next, { x: body });
  }
}

/** @type {(tree: Tree) => boolean} */
function isNeverEmpty(tree) {
  switch (tree.kind) {
    case 'set':
      return true;
    case 'assert':
      return false;
    case 'cat':
      return tree.parts.some(isNeverEmpty);
    case 'alt':
      return tree.parts.every(isNeverEmpty);
    case 'group':
      return isNeverEmpty(tree.part);
    default:
      return tree.min > 0 && isNeverEmpty(tree.part);
  }
}

/**
 * @param {Tree} tree
 * @param {readonly number[] | null} groups those whose places are asked for, in the order of their slots; behind them
 * of the whole match. null: only whether there is one
 * @returns {Program}
 */
function programOf(tree, groups) {
  const writer = new Writer(new Map(groups?.map((number, i) => [number, 2 * (i + 1)])));
  const end = writer.end();
  const entry = groups === null ? writer.write(tree, end) : writer.group(tree, 0, end);
  return { code: writer.code, entry, slots: groups === null ? 0 : 2 * (groups.length + 1) };
}

/** The instructions that threads of a program begin with. @type {(program: Pick<Program, 'code' | 'entry'>) => Instruction[]} */
function startsOf({ code, entry }) {
  const seen = new Set([entry]);
  for (const index of seen) {
    const { op, x, next } = code[index];
    if (op === 'split') seen.add(x);
    if (op === 'split' || op === 'save') seen.add(next);
  }
  return Array.from(seen, (index) => code[index]).filter(({ op }) => op !== 'split' && op !== 'save');
}

/** The text of a program that takes code points one after the other, as far as it does that, and what follows. @type {(program: Program) => { text: number[], rest: Instruction }} */
function literalOf({ code, entry }) {
  const text = [];
  let at = code[entry];
  for (; at.op === 'char' || at.op === 'save'; at = code[at.next]) if (at.op === 'char') text.push(at.x);
  return { text, rest: at };
}

module.exports = { TooLarge, literalOf, programOf, startsOf };
