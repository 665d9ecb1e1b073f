/**
 * What the names of a model stand for while its graph is built.
 *
 * Most are Values of the graph. The others are what files compute with and graphs do not: tensors that are known
 * before anything runs, sizes of shapes as elements of a tensor, strings, lists, and elements of storage types. An
 * operand of a class says itself how it becomes a result of the model (`output`); null stands for an optional that is
 * not there.
 */
'use strict';

const { wrapOwn } = require('../../tensor/tensor.js');
const { dtypes } = require('../../tensor/dtypes.js');
const { toElement } = require('../../tensor/convert.js');

/** @typedef {import('../../graph/value.js').Value} Value */
/** @typedef {import('../../tensor/tensor.js').Tensor} Tensor */
/** @typedef {import('../../tensor/dtypes.js').DType} DType */
/** @typedef {import('./builder.js').Builder} Builder */
/** @typedef {Value | Known | Sizes | Text | Sequence | Encoded | OtherOperand | null} Operand */

/** What makes a result of the model from those of the program and the inputs of a run. @typedef {(results: Record<string, Tensor>, inputs: Record<string, any>) => any} Reader */
/** Operands of one format only. @typedef {{ output(cx: Builder, name: string): Reader }} OtherOperand */

/** A tensor whose elements are known. They may be read late, when somebody asks for them. */
class Known {
  /** @type {Tensor | undefined} */
  #tensor;
  #read;

  /**
   * @param {DType} dtype
   * @param {readonly number[]} shape
   * @param {() => Tensor} read
   */
  constructor(dtype, shape, read) {
    this.dtype = dtype;
    this.shape = shape;
    this.#read = read;
  }

  /** @type {(tensor: Tensor) => Known} */
  static of(tensor) {
    return new Known(tensor.dtype, tensor.shape, () => tensor);
  }

  get size() {
    return this.shape.reduce((total, size) => total * size, 1);
  }

  get tensor() {
    this.#tensor ??= this.#read();
    return this.#tensor;
  }

  /** @type {(cx: Builder, name: string) => Reader} */
  output(cx, name) {
    return cx.outputValue(name, cx.value(this));
  }
}

/** A size that is not whole: text over a number, as scales make it. */
class Ratio {
  /**
   * @param {string} top
   * @param {number} bottom
   */
  constructor(top, bottom) {
    this.top = top;
    this.bottom = bottom;
  }
}

/** A number, the text of a size of the graph, or a fraction of one. @typedef {number | string | Ratio} Item */

/** A small tensor some of whose elements are sizes that a run knows: what `Shape` gives, and what is computed of it. */
class Sizes {
  /**
   * @param {DType} dtype
   * @param {readonly number[]} shape
   * @param {readonly Item[]} items
   */
  constructor(dtype, shape, items) {
    this.dtype = dtype;
    this.shape = shape;
    this.items = items;
  }

  /**
   * A tensor of these elements: known when all of them are numbers.
   *
   * @param {DType} dtype
   * @param {readonly number[]} shape
   * @param {readonly Item[]} items
   * @returns {Known | Sizes}
   */
  static of(dtype, shape, items) {
    if (items.some((item) => typeof item !== 'number')) return new Sizes(dtype, shape, items);
    const info = dtypes[dtype];
    const data = /** @type {any} */ (new info.arrayType(items.length));
    items.forEach((item, i) => {
      data[i] = toElement(info.big ? BigInt(/** @type {number} */ (item)) : item, info, () => 'a size', 'load');
    });
    return Known.of(wrapOwn(data, dtype, [...shape]));
  }

  /** @type {(cx: Builder, name: string) => Reader} */
  output(cx, name) {
    return cx.outputValue(name, cx.value(this));
  }
}

/** The elements of a tensor of strings, in row-major order. @typedef {{ shape: readonly number[], data: string[] }} Strings */

/**
 * A tensor of strings. They never enter a graph: `read` makes them of the inputs of a run. Those that need what the
 * program gave are classes of their own (texts.js), whose `output` asks the graph for it.
 */
class Text {
  /** @type {readonly (number | string)[] | undefined} */
  shape;
  /** @type {(results: Record<string, Tensor>, inputs: Record<string, any>) => Strings} */
  read;
  /** Whether inputs alone say it, so that what is computed of it can be an input of the graph. @type {boolean} */
  early;
  /** Where it is the same in all runs. @type {Strings | undefined} */
  known;

  /**
   * @param {Text['shape']} shape undefined when unknown
   * @param {Text['read']} read
   * @param {boolean} early
   */
  constructor(shape, read, early) {
    this.shape = shape;
    this.read = read;
    this.early = early;
  }

  /** @type {(shape: readonly number[], data: string[]) => Text} */
  static of(shape, data) {
    const text = new Text(shape, () => ({ shape, data }), true);
    text.known = { shape, data };
    return text;
  }

  /** @type {(cx: Builder, name: string) => Reader} */
  output(_cx, _name) {
    return this.read;
  }
}

/** Keys and values of an input, which JavaScript reads before a run. */
class Dictionary {
  /**
   * @param {string} key dtype of the keys
   * @param {string} value dtype of the values
   * @param {(inputs: Record<string, any>) => Map<any, any>} read
   */
  constructor(key, value, read) {
    this.key = key;
    this.value = value;
    this.read = read;
  }

  /** @type {(cx: Builder, name: string) => Reader} */
  output(_cx, _name) {
    return (_, inputs) => this.read(inputs);
  }
}

/** A list of tensors; its length is known. */
class Sequence {
  /** @param {readonly Operand[]} items */
  constructor(items) {
    this.items = items;
  }

  /** @type {(cx: Builder, name: string) => Reader} */
  output(cx, name) {
    const readers = this.items.map((item, i) => cx.outputOf(`${name}.${i}`, item));
    return (results, inputs) => readers.map((read) => read(results, inputs));
  }
}

/** Elements of a storage type (storage-types.js), as the codes that stand for them: a tensor of `u8`, `i8` or `u16`. */
class Encoded {
  /**
   * @param {string} type such as 'f8e4m3fn'
   * @param {Operand} codes
   * @param {Known} [packed] the same, several in a byte along the last axis
   */
  constructor(type, codes, packed) {
    this.type = type;
    this.codes = codes;
    this.packed = packed;
  }

  /** @type {(cx: Builder, name: string) => Reader} */
  output(cx, name) {
    return cx.outputOf(name, this.codes);
  }
}

/** Whether there is one: optional inputs may be left out, or hold nothing. @type {(operand: Operand | undefined) => boolean} */
const isGiven = (operand) => operand !== undefined && operand !== null;

/** Whether its elements are floats, of graphs. @type {(operand: { dtype: string }) => boolean} */
const isFloat = ({ dtype }) => /^b?f/.test(dtype);

module.exports = { Dictionary, Encoded, Known, Ratio, Sequence, Sizes, Text, isFloat, isGiven };
