/**
 * What one kernel is to compute: a pending result, or a call, with everything pending that it depends on.
 *
 * Where all arrays have as many elements as the result, or one, shapes do not matter: the kernel is *flat*,
 * over n elements, and serves every shape. Otherwise it is made for the shapes at hand.
 */
'use strict';

const { permute, reshape } = require('../ops/movement.js').movement;

/** @typedef {import('../tensor/dtypes.js').TypedArray} TypedArray */
/** @typedef {import('../graph/graph.js').Graph} Graph */
/** @typedef {import('../graph/value.js').Value} Value */
/** @typedef {import('./pending-node.js').Node} Node */
/** @typedef {import('./pending-node.js').Operand} Operand */
/** @typedef {{ array: TypedArray, info: import('../tensor/dtypes.js').DTypeInfo, shape: readonly number[], size: number }} Leaf */
/** Where an operand is: a leaf, or a node, and the shape and the order of axes it is seen in.
 * @typedef {{ leaf: boolean, index: number, shape: readonly number[], axes: readonly number[] | null }} Source
 */

let walks = 0;

/** @type {(a: readonly number[], b: readonly number[]) => boolean} */
function isSameShape(a, b) {
  if (a === b) return true;
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

class Plan {
  /** @param {number} size of the result; -1 for one that depends on shapes */
  constructor(size) {
    this.size = size;
    this.isFlat = size > 0;
    /** Operands before users. @type {Node[]} */
    this.nodes = [];
    /** Operands of each node. @type {Source[][]} */
    this.sources = [];
    /** @type {Leaf[]} */
    this.leaves = [];
    this.walk = ++walks;
  }

  /** @type {(operand: Operand) => Source} */
  visit({ node, array, info, shape, size, axes }) {
    if ((size !== this.size && size !== 1) || axes !== null) this.isFlat = false;
    const data = array ?? node?.array;
    if (data) return { leaf: true, index: this.#leaf(data, info, shape, size), shape, axes };
    const pending = /** @type {Node} */ (node);
    this.add(pending);
    pending.uses++;
    return { leaf: false, index: pending.index, shape, axes };
  }

  /** @param {Node} node */
  add(node) {
    if (node.walk === this.walk) return;
    const sources = node.operands.map((operand) => this.visit(operand));
    node.walk = this.walk;
    node.uses = 0;
    node.index = this.nodes.push(node) - 1;
    this.sources.push(sources);
  }

  /** @type {(array: TypedArray, info: Leaf['info'], shape: readonly number[], size: number) => number} */
  #leaf(array, info, shape, size) {
    const { leaves } = this;
    for (let i = 0; i < leaves.length; i++) {
      if (leaves[i].array === array && leaves[i].info === info && isSameShape(leaves[i].shape, shape)) return i;
    }
    return leaves.push({ array, info, shape, size }) - 1;
  }

  /** @type {(source: Source) => string} */
  sourceText({ leaf, index, shape, axes }) {
    if (leaf) return axes === null ? `x${index}` : `x${index}(${axes})`;
    return this.isFlat || isSameShape(this.nodes[index].shape, shape) ? `y${index}` : `y${index}[${shape}]`;
  }

  /** The text of it all. @param {readonly Node[]} stored nodes whose results are wanted */
  key(stored) {
    let text = this.isFlat ? '*' : '';
    for (const { info, shape, size } of this.leaves) {
      text += info.name;
      text += this.isFlat ? (size === 1 ? '.' : '*') : `[${shape}]`;
    }
    for (let i = 0; i < this.nodes.length; i++) {
      text += `;${this.nodes[i].entry.id}`;
      for (const source of this.sources[i]) text += ` ${this.sourceText(source)}`;
    }
    for (const { index } of stored) text += `=${index}`;
    return text;
  }

  /** @returns {(readonly number[])[]} shapes of the inputs, as the kernel sees them */
  shapes() {
    return this.leaves.map(({ shape, size }) => (this.isFlat ? (size === 1 ? [] : [size]) : shape));
  }

  /**
   * Appends all of it to a graph.
   *
   * @param {Graph} graph
   * @returns {(source: Source) => Value} finds what became of an operand
   */
  build(graph) {
    const inputs = this.leaves.map(({ info, shape, size }, i) => {
      const flat = size === 1 ? [] : ['n'];
      return graph.input(`x${i}`, info.name, this.isFlat ? flat : shape);
    });
    /** @type {Value[]} */
    const results = [];
    /** @type {(source: Source) => Value} */
    const valueOf = ({ leaf, index, shape, axes }) => {
      if (leaf) return axes === null ? inputs[index] : permute(inputs[index], axes);
      const value = results[index];
      return this.isFlat || isSameShape(this.nodes[index].shape, shape) ? value : reshape(value, shape);
    };
    this.nodes.forEach(({ entry }, i) => results.push(entry.build(this.sources[i].map(valueOf))));
    return valueOf;
  }
}

module.exports = { Plan, isSameShape };
