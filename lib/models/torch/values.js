/**
 * What names of a script stand for while its graph is built.
 *
 * Integers of a script are bigints, floats are numbers; strings, lists and tuples (arrays), dictionaries (maps) and
 * None (null) are as in JavaScript. A tensor is a *cell* that holds an operand of the graph: operations that change a
 * tensor in place give its cell another operand. A view of a tensor is a cell as well, which reads its part of the base
 * and, when it is written to, makes a new base of the old one and the part; so all views of a tensor see what is
 * written through one of them. A number that is known only by sizes or by data is a *Scalar*.
 */
'use strict';

const { isValue } = require('../../graph/value.js');
const { asTensor } = require('../../tensor/create.js');
const { Known, Sizes } = require('../shared/operands.js');
const { checkNested } = require('./guard.js');
const { ScriptObject } = require('./pickle-globals.js');

/** @typedef {import('../shared/builder.js').Builder} Builder */
/** @typedef {import('../shared/operands.js').Operand} Operand */
/** @typedef {import('../shared/operands.js').Reader} Reader */
/** @typedef {{ read: (base: any) => any, write: (base: any, part: any) => any }} View */
/** @typedef {'int' | 'float' | 'bool'} Kind */

class Cell {
  /** @type {any} */
  #operand;
  /** @type {{ base: Cell, view: View } | undefined} */
  #part;
  #version = 0;
  /** Of the base, and the function it was in, when the part was read. @type {{ version: number, state: any }} */
  #seen;
  #memory;

  /**
   * @param {Memory} memory
   * @param {any} operand
   * @param {{ base: Cell, view: View }} [part] of which tensor it is a view
   */
  constructor(memory, operand, part) {
    this.#memory = memory;
    this.#operand = operand;
    this.#part = part;
    this.#seen = { version: part?.base.version ?? 0, state: memory.cx.state };
    /** How many cells there were before. */
    this.order = memory.count++;
  }

  /** @type {number} how often it was written to */
  get version() {
    return this.#part?.base.version ?? this.#version;
  }

  /** @returns {any} */
  get operand() {
    if (this.#part === undefined) return this.#operand;
    const { base, view } = this.#part;
    if (this.#seen.version === base.version) return this.#operand;
    const operand = view.read(base.operand);
    // What a branch or a loop reads is known inside of it only.
    if (this.#memory.cx.state === this.#seen.state) {
      this.#operand = operand;
      this.#seen = { version: base.version, state: this.#memory.cx.state };
    }
    return operand;
  }

  /** @type {(operand: any) => void} */
  write(operand) {
    if (this.#part !== undefined) {
      const { base, view } = this.#part;
      base.write(view.write(base.operand, operand));
      return;
    }
    this.#memory.note(this, this.#operand);
    this.#operand = operand;
    this.#version++;
  }
}

/** What the cells of a graph share: where it is built, and which of them were written to. */
class Memory {
  /**
   * Of each branch or loop that is recorded: which cells are older, and what those held before.
   *
   * @type {{ before: number, notes: Map<Cell, any> }[]}
   */
  #recorded = [];
  count = 0;

  /** @param {Builder} cx */
  constructor(cx) {
    this.cx = cx;
  }

  /** @type {(cell: Cell, before: any) => void} */
  note(cell, before) {
    for (const { before: start, notes } of this.#recorded)
      if (cell.order < start && !notes.has(cell)) notes.set(cell, before);
  }

  /**
   * Runs something and takes back what it wrote.
   *
   * @template T
   * @param {() => T} run
   * @param {Map<Cell, any>} notes gets the cells that were written to, and what they held
   * @returns {T}
   */
  tentatively(run, notes) {
    /** @type {Map<Cell, any>} */
    const own = new Map();
    this.#recorded.push({ before: this.count, notes: own });
    try {
      return run();
    } finally {
      this.#recorded.pop();
      for (const [cell, before] of own) {
        cell.write(before);
        notes.set(cell, before);
      }
    }
  }
}

/** Complex numbers, as pairs of real and imaginary parts along a last axis. Few ops know them. */
class Complex {
  dtype = 'complex';

  /** @param {any} pair a Value [..., 2] */
  constructor(pair) {
    this.pair = pair;
    this.shape = pair.shape.slice(0, -1);
  }

  /** @type {(index: 0 | 1) => any} */
  part(index) {
    return this.pair.take(index, { axis: this.pair.rank - 1 });
  }

  /** @type {(cx: Builder, name: string) => Reader} pairs */
  output(cx, name) {
    return cx.outputOf(name, this.pair);
  }
}

/** A number or a truth value that a run knows. */
class Scalar {
  /**
   * @param {Kind} kind
   * @param {any} operand a tensor of rank 0
   * @param {boolean} [early] whether sizes alone say it
   */
  constructor(kind, operand, early = operand instanceof Sizes) {
    this.kind = kind;
    this.operand = operand;
    this.early = early;
  }
}

const KIND_DTYPES = /** @type {const} */ ({ int: 'i64', float: 'f64', bool: 'bool' });

/** @type {(value: any) => boolean} whether it is an operand that is a tensor */
const isTensor = (value) =>
  isValue(value) || value instanceof Known || value instanceof Sizes || value instanceof Complex;

/** @type {(value: any) => boolean} a number of a script */
const isNumber = (value) => typeof value === 'bigint' || typeof value === 'number' || typeof value === 'boolean' || value instanceof Scalar;

/** @type {(value: any) => Kind} */
function kindOf(value) {
  if (value instanceof Scalar) return value.kind;
  return typeof value === 'bigint' ? 'int' : typeof value === 'boolean' ? 'bool' : 'float';
}

/** A number of a script as a tensor of rank 0. @type {(value: any) => any} */
function operandOf(value) {
  if (value instanceof Scalar) return value.operand;
  return Known.of(asTensor(value, { dtype: KIND_DTYPES[kindOf(value)] }));
}

/** @type {(operand: any) => Kind} */
const kindOfDtype = (operand) => (operand.dtype === 'bool' ? 'bool' : /^[iu]/.test(operand.dtype) ? 'int' : 'float');

/** A tensor as one of a kind, so that a fraction is cut off and whatever is not 0 is true. @type {(operand: any, kind: Kind) => any} */
function ofKind(operand, kind) {
  if (!isValue(operand) || kindOfDtype(operand) === kind) return operand;
  const value = /** @type {any} */ (operand);
  return kind === 'bool' ? value.ne(0) : value.astype(KIND_DTYPES[kind]);
}

/** The number that a tensor of one element holds, by itself where it is known. @type {(operand: any, kind: Kind) => any} */
function scalarOf(operand, kind) {
  if (operand instanceof Sizes) return operand.items.length === 1 && kind === 'int' ? sizeNumber(operand.items[0]) : new Scalar(kind, operand);
  if (!(operand instanceof Known) || operand.size !== 1) return new Scalar(kind, ofKind(operand, kind));
  const element = /** @type {any[]} */ ([operand.tensor.toArray()]).flat(Infinity)[0];
  if (kind === 'bool') return Boolean(element);
  return kind === 'int' ? BigInt(Math.trunc(Number(element))) : Number(element);
}

/** A size as an integer of a script. @type {(size: any) => bigint | Scalar} */
const sizeNumber = (size) => (typeof size === 'number' ? BigInt(size) : new Scalar('int', Sizes.of('i64', [], [size])));

/** What a function gives, as a result of the model: lists, dictionaries and numbers as those of JavaScript. */
class Result {
  /** @param {any} value */
  constructor(value) {
    this.value = value;
  }

  /** @type {(cx: Builder, name: string) => Reader} */
  output(cx, name) {
    checkNested(this.value);
    return readerOf(this.value, cx, name);
  }
}

/** @type {(value: any, cx: Builder, name: string) => Reader} */
function readerOf(value, cx, name) {
  if (value instanceof Cell) return cx.outputOf(name, value.operand);
  if (Array.isArray(value)) {
    const readers = value.map((each, i) => readerOf(each, cx, `${name}.${i}`));
    return (results, inputs) => readers.map((read) => read(results, inputs));
  }
  if (value instanceof Map || value instanceof ScriptObject) {
    const entries = [...(value instanceof Map ? value : value.attributes)].map(([key, each]) => /** @type {const} */ ([String(key), readerOf(each, cx, `${name}.${key}`)]));
    return (results, inputs) => Object.fromEntries(entries.map(([key, read]) => [key, read(results, inputs)]));
  }
  if (value instanceof Scalar) {
    const read = cx.outputOf(name, value.operand);
    return (results, inputs) => (value.kind === 'bool' ? Boolean(read(results, inputs).item()) : Number(read(results, inputs).item()));
  }
  if (typeof value === 'bigint') return () => Number(value);
  if (['number', 'boolean', 'string'].includes(typeof value) || value === null) return () => value;
  return cx.fail('ERR_UNSUPPORTED', `result ${name} is no tensor, number or text`);
}

module.exports = {
  Cell, Complex, KIND_DTYPES, Memory, Result, Scalar, isNumber, isTensor, kindOf, kindOfDtype, operandOf, scalarOf,
  sizeNumber,
};
