/**
 * Where derivatives are kept: a local for each local, and for each array memory of its own, of f64.
 *
 * A pointer to elements has a second one, to their derivatives, wherever it goes: what is an offset of one is the same
 * offset of the other.
 */
'use strict';

const M = require('../tir/machine.js');
const { int, newLocal, newRoot, set } = require('./canonical.js');

/** @typedef {import('../tir/index.js').Expression} Expression */
/** @typedef {import('../tir/index.js').Local} Local */
/** @typedef {import('../tir/index.js').ArrayRef} ArrayRef */
/** @typedef {import('../tir/index.js').Program} Program */

class Shadows {
  /** @type {Map<Local, Local>} */
  #locals = new Map();
  /** @type {Map<import('../tir/index.js').Root, import('../tir/index.js').Root>} */
  #roots = new Map();
  /** Of constant arrays, by their number. @type {Map<number, Local>} */
  #data = new Map();

  /**
   * @param {Program} program
   * @param {string} prefix of names
   */
  constructor(program, prefix) {
    this.program = program;
    this.prefix = prefix;
  }

  /** @type {(local: Local) => Local} */
  of(local) {
    let own = this.#locals.get(local);
    if (!own) {
      const type = local.type.endsWith('*') ? 'f64*' : 'f64';
      this.#locals.set(local, (own = newLocal(`${this.prefix}${local.name}`, type)));
    }
    return own;
  }

  /** @type {(root: import('../tir/index.js').Root) => import('../tir/index.js').Root} */
  #root(root) {
    let own = this.#roots.get(root);
    if (!own) {
      own = newRoot(this.program, `${this.prefix}${root.name}`, root.kind === 'stack' ? 'stack' : 'heap');
      this.#roots.set(root, own);
    }
    return own;
  }

  /** @type {(pointer: Expression) => Expression} */
  pointer(pointer) {
    switch (pointer.op) {
      case 'local':
        return M.read(this.of(pointer.local));
      case 'offset':
        return { op: 'offset', type: 'f64*', args: [this.pointer(pointer.args[0]), pointer.args[1]] };
      case 'data': {
        let own = this.#data.get(pointer.index);
        if (!own) this.#data.set(pointer.index, (own = newLocal(`${this.prefix}data`, 'f64*')));
        return M.read(own);
      }
      default:
        return { op: 'nowhere', type: 'f64*', args: [] };
    }
  }

  /** @type {(array: ArrayRef) => ArrayRef} */
  array(array) {
    const roots = array.roots.map((root) => this.#root(root));
    return { dtype: 'f64', clamps: false, pointer: this.pointer(array.pointer), length: array.length, roots };
  }

  /** Memory of constant arrays. @returns {any[]} */
  dataStatements() {
    return [...this.#data].map(([index, local]) => alloc(local, int(this.program.data[index].values.length)));
  }

  /** What stands behind a `set` of a pointer. @type {(s: any) => any} */
  follow(s) {
    return set(this.of(s.local), this.pointer(s.value));
  }
}

/** @type {(local: Local, count: Expression, dtype?: string) => any} */
const alloc = (local, count, dtype = 'f64') => ({ kind: 'alloc', local, dtype, count, escapes: true, place: null });

module.exports = { Shadows, alloc };
