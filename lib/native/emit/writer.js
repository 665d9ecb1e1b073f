/**
 * The text of one Loop IR function while it is being written: lines, names, the loops around, and what of it those who
 * call it have to know (module.js).
 *
 * Words of Loop IR are of lower-case letters, and there are ever more of them, so names of that kind get an
 * underscore behind them unless they are one letter. A name made from `hint` is taken once in its function.
 */
'use strict';

const { readsIn } = require('../tir/walk.js');
const { noNeeds } = require('./module.js');

/** @typedef {import('../tir/index.js').Local} Local */
/** @typedef {import('../tir/index.js').Func} Func */
/** @typedef {import('../tir/index.js').LoopStmt} LoopStmt */
/** @typedef {import('../tir/index.js').PrangeStmt} PrangeStmt */
/** @typedef {import('../tir/index.js').BlockStmt} BlockStmt */
/** @typedef {import('./index.js').Shared} Shared */

/**
 * A loop of Loop IR around the place that is written. What leaves `breaks` leaves it; what goes on with `continues`
 * leaves it or, with `goesOn`, goes on with it. Marks of the heap that are taken inside are given back on the way out.
 *
 * @typedef {{ breaks: LoopStmt | PrangeStmt | BlockStmt | null, continues: LoopStmt | PrangeStmt | null, goesOn: boolean, marks: number }} Frame
 */

const LONGEST = 120;

/** A name of Loop IR that reads like `name`. @type {(name: string) => string} */
function legal(name) {
  const clean = name.replace(/[^A-Za-z0-9_]/gu, '_').slice(0, LONGEST);
  const start = /^[A-Za-z_]/u.test(clean) ? clean : `v${clean}`;
  return /^[a-z_]{2,}$/u.test(start) ? `${start}_` : start;
}

class Writer {
  /**
   * @param {Shared} shared
   * @param {Func} func
   */
  constructor(shared, func) {
    this.shared = shared;
    this.func = func;
    /** @type {string[]} */
    this.lines = [];
    this.indent = 1;
    /** @type {Set<string>} */
    this.taken = new Set();
    /** @type {Map<Local, string>} */
    this.names = new Map();
    /** @type {Frame[]} */
    this.frames = [];
    /** Marks of the heap that are to be released, innermost last. @type {string[]} */
    this.marks = [];
    /** How often the function reads each local. */
    this.reads = readsIn(func.body);
    /** Where results go that are not returned. @type {string[]} */
    this.results = [];
    /** The pointer to the run's slots, in functions that throw values. */
    this.slots = '';
    /** What it may return besides 0 of its own accord. @type {Set<number>} */
    this.statuses = new Set();
    /** What it does itself. */
    this.needs = noNeeds();
    /** @type {Set<Func>} */
    this.callees = new Set();
  }

  /** @param {string} text */
  line(text) {
    this.lines.push('  '.repeat(this.indent) + text);
  }

  /** Ends the run. @param {number} status */
  fail(status) {
    this.statuses.add(status);
    this.line(`return ${status}:i32`);
  }

  /**
   * An array in the frame, which nobody has cleared.
   *
   * @param {string} name
   * @param {string} dtype
   * @param {number} count
   */
  array(name, dtype, count) {
    this.needs.frame = true;
    this.line(`array ${name}: ${dtype}[${count}]`);
  }

  /**
   * The name of a function that is about to be called.
   *
   * @param {Func} callee
   */
  calls(callee) {
    this.callees.add(callee);
    return this.shared.facts(callee).name;
  }

  /** @param {string} hint */
  fresh(hint) {
    const base = legal(hint);
    let name = base;
    for (let i = 2; this.taken.has(name); i++) name = `${base}${base.endsWith('_') ? '' : '_'}${i}`;
    this.taken.add(name);
    return name;
  }

  /** A name for a local, from here on. @param {Local} local */
  define(local) {
    const name = this.fresh(local.name);
    this.names.set(local, name);
    return name;
  }

  /** @param {Local} local */
  nameOf(local) {
    return this.names.get(local) ?? this.define(local);
  }

  /**
   * Lines in braces behind `head`.
   *
   * @param {string} head
   * @param {() => void} inside
   */
  braces(head, inside) {
    this.line(`${head} {`);
    this.nest(inside);
    this.line('}');
  }

  /** @param {() => void} inside */
  nest(inside) {
    this.indent++;
    inside();
    this.indent--;
  }

  /**
   * @param {Frame['breaks']} breaks
   * @param {Frame['continues']} continues
   * @param {boolean} goesOn
   * @param {() => void} inside
   */
  frame(breaks, continues, goesOn, inside) {
    this.frames.push({ breaks, continues, goesOn, marks: this.marks.length });
    inside();
    this.frames.pop();
  }

  /** Gives back what was taken from the heap since there were so many marks. @param {number} marks */
  release(marks) {
    if (this.marks.length > marks) this.line(`release ${this.marks[marks]}`);
  }

  /**
   * Leaves the loops up to that of `target`, or goes on with it.
   *
   * @param {'breaks' | 'continues'} way
   * @param {import('../tir/index.js').Statement} target
   */
  leave(way, target) {
    const at = this.frames.findLastIndex((frame) => frame[way] === target);
    const frame = this.frames[at];
    const word = way === 'continues' && frame.goesOn ? 'continue' : 'break';
    const level = this.frames.length - at;
    this.release(frame.marks);
    this.line(level === 1 ? word : `${word} ${level}`);
  }
}

module.exports = { Writer, legal };
