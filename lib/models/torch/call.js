/**
 * A call of an op, as translations see it: its arguments by name, in the form that is asked for.
 *
 * An op has a signature as PyTorch has it, `add(self, other, *, alpha=1)`, by which arguments are bound whether code
 * gives them by place or an exported program by name. Names with a bar, `dim|other`, are one argument that forms of the
 * op call differently.
 */
'use strict';

const { fail } = require('../../base/errors.js');
const { isValue } = require('../../graph/value.js');
const { asTensor } = require('../../tensor/create.js');
const { Known, Sizes } = require('../shared/operands.js');
const { dtypeOf } = require('./dtypes.js');
const { commonDtype } = require('./promotion.js');
const { Scalar, isNumber, isTensor, operandOf } = require('./values.js');

/** @typedef {import('../shared/builder.js').Builder} Builder */
/** @typedef {import('../../tensor/dtypes.js').DType} DType */
/** @typedef {{ names: readonly string[], isOnlyNamed: boolean, initial: any }} Parameter */
/** @typedef {{ name: string, parameters: readonly Parameter[] }} Signature */
/** @typedef {number | string} Size */

/** Stands for a default that must be given. */
const REQUIRED = Symbol('required');

/** @type {(text: string | undefined) => any} a default, as in Python */
function initialOf(text) {
  if (text === undefined) return REQUIRED;
  if (text === 'None') return null;
  if (text === 'True' || text === 'False') return text === 'True';
  if (/^-?\d+$/.test(text)) return BigInt(text);
  if (/^["']/.test(text)) return text.slice(1, -1);
  if (text.startsWith('[')) return text.slice(1, -1).split(/\s+/).filter(Boolean).map(initialOf);
  return Number(text);
}

/** @type {(text: string) => Signature} */
function parseSignature(text) {
  const [, name, inside] = /** @type {RegExpExecArray} */ (/^(\w+)\((.*)\)$/.exec(text));
  let isOnlyNamed = false;
  /** @type {Parameter[]} */
  const parameters = [];
  for (const part of inside.split(/,\s*/).filter(Boolean)) {
    if (part === '*') {
      isOnlyNamed = true;
      continue;
    }
    const [names, initial] = part.split('=');
    parameters.push({ names: names.split('|'), isOnlyNamed, initial: initialOf(initial) });
  }
  return { name, parameters };
}

/** Arguments that say where a tensor lies or how it is stored, which graphs leave to the compiler. */
const IGNORED = new Set(['device', 'layout', 'pin_memory', 'non_blocking', 'memory_format', 'requires_grad', 'generator']);

/**
 * Arguments by the first name of their parameters.
 *
 * @param {Signature} signature
 * @param {readonly any[]} args
 * @param {ReadonlyMap<string, any>} named
 * @returns {Record<string, any>}
 */
function bind({ name, parameters }, args, named) {
  const places = parameters.filter(({ isOnlyNamed }) => !isOnlyNamed);
  /** @type {Record<string, any>} */
  const bound = {};
  if (args.length > parameters.length) fail('ERR_UNSUPPORTED', `${name} has ${args.length} arguments, expected at most ${parameters.length}`);
  // Old code gives what later became arguments by name alone by place.
  args.forEach((value, i) => (bound[(places[i] ?? parameters[i]).names[0]] = value));
  for (const [key, value] of named) {
    const parameter = parameters.find(({ names }) => names.includes(key));
    if (parameter !== undefined) bound[parameter.names[0]] = value;
    else if (!IGNORED.has(key)) fail('ERR_UNSUPPORTED', `${name} has an argument '${key}', which is not known`);
  }
  for (const { names, initial } of parameters) {
    if (names[0] in bound) continue;
    if (initial === REQUIRED) fail('ERR_ARGUMENT', `${name}: argument '${names[0]}' is missing`);
    bound[names[0]] = initial;
  }
  return bound;
}

/** The arguments of a call in which tensors are operands. */
class Call {
  /**
   * @param {string} name
   * @param {Record<string, any>} args
   * @param {Builder} cx
   */
  constructor(name, args, cx) {
    this.name = name;
    this.args = args;
    this.cx = cx;
  }

  /** @type {(code: import('../../base/errors.js').ErrorCode, message: string) => never} */
  fail(code, message) {
    return this.cx.fail(code, message);
  }

  /** @type {(name: string) => boolean} whether it is there and not None */
  has(name) {
    return this.args[name] !== null && this.args[name] !== undefined;
  }

  /** @type {(name: string) => boolean} */
  isTensor(name) {
    return isTensor(this.args[name]);
  }

  /** A tensor, or a number as one. @type {(name: string) => any} */
  operand(name) {
    const given = this.args[name];
    if (isTensor(given)) return given;
    return isNumber(given) ? operandOf(given) : this.fail('ERR_DTYPE', `expected a tensor for '${name}'`);
  }

  /** @type {(name?: string, dtype?: DType) => any} a Value */
  value(name = 'self', dtype) {
    return this.lift(this.args[name], dtype, name);
  }

  /** @type {(name: string, dtype?: DType) => any} a Value, or undefined where it is None */
  optional(name, dtype) {
    return this.has(name) ? this.value(name, dtype) : undefined;
  }

  /** @type {(name: string) => any[]} Values of a list of tensors */
  values(name) {
    const given = this.args[name];
    if (!Array.isArray(given)) return this.fail('ERR_DTYPE', `expected a list of tensors for '${name}'`);
    return given.map((each) => this.lift(each, undefined, name));
  }

  /** @type {(given: any, dtype: DType | undefined, which: string) => any} a Value of a tensor or a number */
  lift(given, dtype, which) {
    if (isTensor(given)) return this.cx.value(given, dtype);
    if (given instanceof Scalar) return this.cx.value(given.operand, dtype);
    if (!isNumber(given)) return this.fail('ERR_DTYPE', `expected a tensor for '${which}'`);
    return this.cx.constant(Number(given), dtype ?? commonDtype([given]));
  }

  /** Values of several arguments, all of the dtype they have in common. @type {(...names: string[]) => any[]} */
  alike(...names) {
    const dtype = commonDtype(names.map((name) => this.args[name]));
    return names.map((name) => this.value(name, dtype));
  }

  /** A Value of floats: integers become f32. @type {(name?: string) => any} */
  floats(name = 'self') {
    const value = this.value(name);
    return /^b?f/.test(value.dtype) ? value : value.astype('f32');
  }

  /** @type {(name: string) => number} */
  int(name) {
    return this.#number(this.args[name], name, true);
  }

  /** @type {(name: string) => number} a float or an integer */
  number(name) {
    return this.#number(this.args[name], name, false);
  }

  /** @type {(given: any, which: string, isInt: boolean) => number} */
  #number(given, which, isInt) {
    if (typeof given === 'bigint' || typeof given === 'number' || typeof given === 'boolean') return Number(given);
    if (!(given instanceof Scalar) && !isTensor(given)) return this.fail('ERR_DTYPE', `expected a number for '${which}'`);
    const operand = given instanceof Scalar ? given.operand : given;
    if (given instanceof Scalar && given.early) this.fail('ERR_SHAPE', `'${which}' depends on sizes`);
    return isInt ? this.cx.int(operand, which) : this.cx.number(operand, which);
  }

  /** @type {(name: string) => number[]} a list of integers, or one */
  ints(name) {
    const given = this.args[name];
    if (isTensor(given)) return this.cx.ints(given, name);
    return (Array.isArray(given) ? given : [given]).map((each) => this.#number(each, name, true));
  }

  /** As many integers as axes: one stands for all. @type {(name: string, count: number) => number[]} */
  perAxis(name, count) {
    const list = this.ints(name);
    return list.length === 1 ? Array.from({ length: count }, () => list[0]) : list;
  }

  /** @type {(name: string) => Size} */
  size(name) {
    return this.#size(this.args[name], name);
  }

  /** @type {(given: any, which: string) => Size} */
  #size(given, which) {
    const operand = given instanceof Scalar ? given.operand : given;
    return operand instanceof Sizes ? this.cx.sizes(operand, which)[0] : this.#number(given, which, true);
  }

  /** @type {(name: string) => Size[]} */
  sizes(name) {
    const given = this.args[name];
    if (given instanceof Sizes) return this.cx.sizes(given, name);
    return (Array.isArray(given) ? given : [given]).map((each) => this.#size(each, name));
  }

  /** @type {(name: string) => boolean} */
  flag(name) {
    const given = this.args[name];
    if (typeof given === 'boolean' || typeof given === 'bigint') return Boolean(given);
    if (given === null || given === undefined) return false;
    return this.#number(given, name, true) !== 0;
  }

  /** @type {(name: string) => string} */
  text(name) {
    const given = this.args[name];
    return typeof given === 'string' ? given : this.fail('ERR_DTYPE', `expected a string for '${name}'`);
  }

  /** @type {(name?: string) => DType | undefined} undefined for None */
  dtype(name = 'dtype') {
    const given = this.args[name];
    if (given === null || given === undefined) return undefined;
    return typeof given === 'bigint' ? dtypeOf(Number(given)) : this.fail('ERR_DTYPE', `expected a dtype for '${name}'`);
  }

  /** @type {(name: string, rank: number) => number} an axis counted from the front */
  axis(name, rank) {
    return this.axisOf(this.int(name), rank);
  }

  /** @type {(axis: number, rank: number) => number} */
  axisOf(axis, rank) {
    const most = Math.max(rank, 1);
    if (axis < -most || axis >= most) this.fail('ERR_SHAPE', `axis ${axis} is none of a tensor of rank ${rank}`);
    return axis < 0 ? axis + most : axis;
  }

  /** All axes where none are given. @type {(name: string, rank: number) => number[]} */
  axes(name, rank) {
    const given = this.args[name];
    const isOpen = given === null || given === undefined || (Array.isArray(given) && given.length === 0);
    if (isOpen) return Array.from({ length: rank }, (_, i) => i);
    return this.ints(name).map((axis) => this.axisOf(axis, rank));
  }

  /** The element of a text in a table. @template T @param {string} name @param {Readonly<Record<string, T>>} table @returns {T} */
  choice(name, table) {
    const text = this.text(name);
    return Object.hasOwn(table, text) ? table[text] : this.fail('ERR_UNSUPPORTED', `'${name}' is '${text}', known are ${Object.keys(table).join(', ')}`);
  }
}

/** @type {(data: any, dtype: DType) => Known} */
const known = (data, dtype) => Known.of(asTensor(data, { dtype }));

module.exports = { Call, bind, isValue, known, parseSignature };
