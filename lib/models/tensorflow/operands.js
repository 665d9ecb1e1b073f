/**
 * What names of a TensorFlow graph stand for besides tensors: complex tensors, variables, tables and lists.
 *
 * All of them are immutable here: an op that changes a list gives a new one, since what it gives is what the nodes
 * behind it read.
 */
'use strict';

const { isValue } = require('../../graph/value.js');
const { Known, Sequence, Sizes } = require('../shared/operands.js');
const { joins } = require('../../ops/movement.js');

/** @typedef {import('../shared/builder.js').Builder} Builder */
/** @typedef {import('../shared/operands.js').Operand} Operand */
/** @typedef {import('../shared/operands.js').Reader} Reader */
/** @typedef {number | string} Size */

/** A tensor of complex numbers: two of real ones. As a result of a model they lie side by side along a last axis. */
class Complex {
  /**
   * @param {any} re
   * @param {any} im
   */
  constructor(re, im) {
    this.re = re;
    this.im = im;
  }

  /** @type {(cx: Builder, name: string) => Reader} */
  output(cx, name) {
    return cx.outputValue(name, /** @type {any} */ (joins.stack([cx.value(this.re), cx.value(this.im)], { axis: -1 })));
  }
}

/** Something of which a graph has a handle only. */
class Handle {
  /** @param {string} kind for messages */
  constructor(kind) {
    this.kind = kind;
  }

  /** @type {(cx: Builder, name: string) => Reader} */
  output(cx, name) {
    return cx.fail('ERR_UNSUPPORTED', `output '${name}' is ${this.kind}, which is nothing outside of the graph`);
  }
}

/** A variable: what a file says that it holds. */
class Variable extends Handle {
  /** @param {() => Operand} read */
  constructor(read) {
    super('a variable');
    this.read = read;
  }
}

/**
 * A table of keys and values, both of numbers or strings.
 *
 * @typedef {{ entries: Map<string | number, string | number>, keyType: string, valueType: string }} Entries
 */
class Table extends Handle {
  /** @param {() => Entries} read */
  constructor(read) {
    super('a table');
    this.read = read;
  }
}

/**
 * A list of tensors: a TensorList, or what a TensorArray holds. Its items are operands, or slices of one tensor along
 * axis 0 where a loop writes them.
 */
class TensorList extends Handle {
  /**
   * @param {string} dtype
   * @param {{ items?: readonly (Operand | undefined)[], stacked?: any, length?: Size, shape?: readonly (Size | null)[] }} given shape: of an element, as far as it is told
   */
  constructor(dtype, { items, stacked, length, shape }) {
    super('a list of tensors');
    this.dtype = dtype;
    this.items = items;
    this.stacked = stacked;
    this.shape = shape;
    /** @type {Size} */
    this.length = items?.length ?? stacked?.shape[0] ?? length ?? 0;
  }

  /** The shape of an element, where all of it is known. @returns {readonly Size[] | undefined} */
  get elementShape() {
    if (this.stacked !== undefined) return this.stacked.shape.slice(1);
    const first = /** @type {any} */ (this.items?.find((item) => item !== undefined));
    if (first !== undefined && (isValue(first) || first instanceof Known || first instanceof Sizes)) return /** @type {any} */ (first).shape;
    return this.shape?.every((size) => size !== null) ? /** @type {readonly Size[]} */ (this.shape) : undefined;
  }

  /** @type {(given: { items?: readonly (Operand | undefined)[], stacked?: any }) => TensorList} the same with other elements */
  with(given) {
    return new TensorList(this.dtype, { shape: this.shape, ...given });
  }

  /**
   * All elements in one tensor; those that nobody wrote are zeros.
   *
   * @param {Builder} cx
   * @param {readonly Size[]} [like] the shape of an element, where the list doesn't know it
   * @returns {any}
   */
  stack(cx, like) {
    if (this.stacked !== undefined) return this.stacked;
    const shape = this.elementShape ?? like;
    const dtype = /** @type {any} */ (this.dtype);
    if (shape === undefined) return cx.fail('ERR_UNSUPPORTED', 'a list is read of which no element has a known shape');
    const zeros = () => cx.constant(0, dtype, shape);
    if (this.items !== undefined && this.items.length > 0)
      return joins.stack(this.items.map((item) => (item === undefined ? zeros() : cx.value(item, dtype))));
    return cx.constant(0, dtype, [this.length, ...shape]);
  }

  /**
   * @override
   * @param {Builder} cx
   * @param {string} name
   * @returns {Reader}
   */
  output(cx, name) {
    return this.items?.every((item) => item !== undefined) ? new Sequence(/** @type {Operand[]} */ (this.items)).output(cx, name) : super.output(cx, name);
  }
}

module.exports = { Complex, Handle, Table, TensorList, Variable };
