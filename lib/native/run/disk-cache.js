/**
 * What earlier processes found out about functions, in the cache on disk.
 *
 * A note says of one function what calls need besides machine code: its parameters, and for each list of types that it
 * was compiled for the form of the result, what may be thrown, and modules of Loop IR, by the hash of whose text the
 * machine code is found.
 * With it a process neither parses nor types the function. A note's name holds all that this depends on: the source,
 * what it captures, the options, this compiler and the engine. What does not survive being written as JSON is not
 * noted, nor is a function with arrays or objects among what it captures.
 */
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const { isDeepStrictEqual } = require('node:util');
const { native } = require('../../base/binding.js');
const { isModule } = require('../emit/module.js');

/**
 * The same in each process.
 *
 * @typedef {object} Facts
 * @property {import('../source/types.js').ResultShape} result
 * @property {readonly { path: (string | number)[], shape: import('../source/types.js').ResultShape }[]} updates
 * @property {string[]} ports of the code, with what it does to arrays
 * @property {readonly string[]} results dtypes of the slots
 * @property {import('./errors.js').ThrowSite[]} sites
 */

/** @typedef {{ name: string, arity: { count: number, hasRest: boolean }, docs: import('../source/signature.js').Place[] }} Head */
/** @typedef {{ facts: Facts, modules: Map<string, import('../emit/module.js').LoopModule> }} NotedCode by variant */

/** Most lists of types, and most characters of Loop IR in all, that are noted of a function. */
const MOST_CODES = 16;
const MOST_TEXT = 2 ** 20;

/** @type {string | null} */
let stamp = null;

/** What tells this compiler from others: released ones have a version, and who works on one changes its files. */
function stampOf() {
  const folder = path.join(__dirname, '..');
  const names = /** @type {string[]} */ (fs.readdirSync(folder, { recursive: true }));
  const files = names.sort().map((name) => {
    const { size, mtimeMs } = fs.statSync(path.join(folder, name));
    return [name, size, mtimeMs];
  });
  // What ops cost comes from the addon, and decides what code is written.
  return JSON.stringify([native.version, native.ops(), process.version, process.versions.v8, process.arch, files]);
}

/** @type {(value: unknown) => boolean} whether it is the same when it is read again */
function isKept(value) {
  try {
    return isDeepStrictEqual(JSON.parse(JSON.stringify(value)), value);
  } catch {
    return false;
  }
}

/** @type {(value: any) => boolean} */
const isTexts = (value) => Array.isArray(value) && value.every((each) => typeof each === 'string');

/** @type {(value: any) => boolean} */
const isRecords = (value) => Array.isArray(value) && value.every((each) => typeof each === 'object' && each !== null);

/** @type {(value: any) => boolean} */
const isPlaces = (value) => Array.isArray(value) && value.every((each) => Number.isInteger(each) && each >= 0);

/**
 * Whether a note looks like one. It was written by this very compiler, by whose files it is named, so only what a
 * damaged file would have do harm is looked at.
 *
 * @type {(note: any) => boolean}
 */
const isNote = ({ head, hints, codes }) =>
  typeof head.name === 'string' &&
  Number.isInteger(head.arity.count) &&
  head.arity.count >= 0 &&
  isRecords(head.docs) &&
  hints.every((/** @type {[unknown, unknown]} */ [key, list]) => typeof key === 'string' && isPlaces(list)) &&
  codes.every(
    (/** @type {[unknown, any, [unknown, unknown][]]} */ [key, { result, updates, ports, results, sites }, modules]) =>
      isTexts([key, result.kind]) &&
      [updates, sites].every(isRecords) &&
      sites.every((/** @type {any} */ site) => Array.isArray(site.values)) &&
      isTexts(ports) &&
      isTexts(results) &&
      modules.every(([variant, module]) => typeof variant === 'string' && isModule(module, sites.length)),
  );

/** Keys of types with numbers of objects mean nothing to another process. @type {(key: string) => boolean} */
const isLasting = (key) => !key.includes('#');

class Notes {
  #name;
  /** @type {Head | null} */
  head = null;
  /** @type {Map<string, number[]>} */
  #hints = new Map();
  /** @type {Map<string, NotedCode>} */
  #codes = new Map();

  /** @param {string} name */
  constructor(name) {
    this.#name = name;
    const text = native.noteRead(name);
    if (text !== undefined) this.#read(text);
  }

  /** What cannot be read counts as not there. @param {string} text */
  #read(text) {
    try {
      const note = JSON.parse(text);
      if (!isNote(note)) return;
      this.head = note.head;
      this.#hints = new Map(note.hints);
      for (const [key, facts, modules] of note.codes) this.#codes.set(key, { facts, modules: new Map(modules) });
    } catch {
      // Not a note.
    }
  }

  /** @param {string} key of types @returns {number[] | undefined} */
  hints(key) {
    return this.#hints.get(key);
  }

  /** @type {(key: string, hints: number[]) => void} written with the next code */
  noteHints(key, hints) {
    if (isLasting(key)) this.#hints.set(key, hints);
  }

  /** @param {string} key of types */
  code(key) {
    return this.#codes.get(key);
  }

  /** @type {(head: () => Head, key: string, facts: Facts, modules: NotedCode['modules']) => void} */
  noteCode(head, key, facts, modules) {
    if (!isLasting(key) || this.#codes.size >= MOST_CODES || !isKept(facts)) return;
    this.head ??= head();
    this.#codes.set(key, { facts, modules });
    this.write();
  }

  /** Keeps what is known now. */
  write() {
    const { head } = this;
    const all = [...this.#codes.values()].flatMap(({ modules }) => [...modules.values()]);
    const length = all.reduce((sum, { text }) => sum + text.length, 0);
    const codes = [...this.#codes].map(([key, { facts, modules }]) => [key, facts, [...modules]]);
    if (head === null || !isKept(head) || length > MOST_TEXT) return;
    native.noteWrite(this.#name, JSON.stringify({ head, hints: [...this.#hints], codes }));
  }
}

/** @type {(key: string, comment: string | undefined) => Notes} of a function; `key`: what equal ones have in common */
function readNotes(key, comment) {
  stamp ??= stampOf();
  return new Notes(JSON.stringify([stamp, key, comment]));
}

module.exports = { Notes, readNotes };
