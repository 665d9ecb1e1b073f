/**
 * Doubles that only ever hold whole numbers, or NaN, become integers.
 *
 * An element of an array of integers that may be out of range is a number or undefined, so what is made of it lies in
 * doubles, and loops that count to it or index with it convert back and forth in each round. Once range checks have
 * moved (hoist-checks.js) many of these can be no NaN any more; those that can are an integer with a bool beside it,
 * which is true for NaN. The integer is 0 then.
 *
 * It is done for locals that are only compared, indexed with, or taken modulo 2^32 or 2^64, so the sign of a zero does
 * not matter. Other uses would have to convert to double again, and such locals stay as they are.
 */
'use strict';

const { Copy } = require('../tir/copy.js');
const M = require('../tir/machine.js');
const { eachStatement, expressionsOf, operandsOf, setsIn } = require('../tir/walk.js');
const { askedWhole } = require('./hoist-checks.js');

/** @typedef {import('../tir/index.js').Statement} Statement */
/** @typedef {import('../tir/index.js').Expression} Expression */
/** @typedef {import('../tir/index.js').Local} Local */

/**
 * Of what is whole or NaN: the type of the integer, that it is from -2^bits on and below 2^bits, whether it may be NaN.
 *
 * @typedef {{ type: 'i32' | 'i64', bits: number, nan: boolean }} Shape
 */
/** The integer, and whether it is NaN instead. @typedef {{ x: Expression, nan: Expression }} Parts */

const COMPARES = new Set(['eq', 'ne', 'lt', 'le', 'gt', 'ge']);
/** A double holds integers of so many bits. */
const EXACT = 53;
/** Bits of integers by where they come from. @type {Record<string, number>} */
const BITS = { bool: 1, i8: 7, u8: 8, u8c: 8, i16: 15, u16: 16, i32: 31, u32: 32, i64: EXACT };
/** Definitions that are followed to know how large an integer is. */
const DEEP = 8;
/** Operators on integers that give what they give on doubles, but for the sign of a zero; NaN if one is NaN. */
const BINARY = new Set(['add', 'sub', 'mul', 'min', 'max']);
const NO = M.constant('bool', false);

/** @type {(value: number) => Shape | null} */
function shapeOfConstant(value) {
  if (Number.isNaN(value)) return { type: 'i32', bits: 0, nan: true };
  if (!Number.isSafeInteger(value)) return null;
  return shapeOf(Math.ceil(Math.log2(Math.abs(value) + 1)));
}

/** @type {(bits: number) => Shape} */
const shapeOf = (bits) => ({ type: bits < 32 ? 'i32' : 'i64', bits, nan: false });

/** @type {(op: string, a: number, b: number) => number} of what an operator gives */
function bitsOf(op, a, b) {
  if (op === 'min' || op === 'max') return Math.max(a, b);
  return op === 'mul' ? a + b + 1 : Math.max(a, b) + 1;
}

/** @type {(a: Shape, b: Shape) => Shape} of what is one or the other */
function joined(a, b) {
  return {
    type: a.type === 'i32' && b.type === 'i32' ? 'i32' : 'i64', bits: Math.max(a.bits, b.bits), nan: a.nan || b.nan,
  };
}

/** @type {(op: string, a: Shape, b: Shape) => Shape | null} */
function combined(op, a, b) {
  const bits = bitsOf(op, a.bits, b.bits);
  return bits > EXACT ? null : { ...shapeOf(bits), nan: a.nan || b.nan };
}

/** Finds the locals. */
class Finder {
  /** @param {Statement[]} body */
  constructor(body) {
    this.body = body;
    /** What each is assigned. @type {Map<Local, Expression[]>} */
    this.values = new Map();
    /** @type {Map<Local, Shape>} */
    this.shapes = new Map();
    /** @type {Map<Local, Expression>} */
    this.definitions = new Map();
    const lets = new Set();
    eachStatement(body, (s) => {
      if (s.kind !== 'let' && s.kind !== 'set') return;
      if (s.kind === 'let') lets.add(s.local);
      if (s.kind === 'let' && !s.local.isSet) this.definitions.set(s.local, s.value);
      if (s.local.type === 'f64') this.values.set(s.local, [...(this.values.get(s.local) ?? []), s.value]);
    });
    // What rounds of a prange set is private or a reduction as it is.
    eachStatement(body, (s) => s.kind === 'prange' && setsIn(s.body).forEach((local) => this.values.delete(local)));
    for (const local of this.values.keys())
      if (lets.has(local) && !local.isParam) this.shapes.set(local, { type: 'i32', bits: 0, nan: false });
  }

  /** Null for what is not certain to be whole or NaN. @param {Expression} e of f64 @returns {Shape | null} */
  shape(e) {
    switch (e.op) {
      case 'const':
        return shapeOfConstant(e.value);
      case 'local':
        return this.shapes.get(e.local) ?? null;
      case 'convert':
        return e.rounds ? null : this.ofInteger(e.args[0]);
      case 'select':
      case 'choose': {
        const [a, b] = [this.shape(e.args[1]), this.shape(e.args[2])];
        return a && b && joined(a, b);
      }
      case 'floor':
      case 'ceil':
      case 'trunc':
        return this.shape(e.args[0]);
      case 'neg': {
        const a = this.shape(e.args[0]);
        return a && combined('sub', a, a);
      }
      default: {
        if (!BINARY.has(e.op)) return null;
        const [a, b] = e.args.map((arg) => this.shape(arg));
        return a && b && combined(e.op, a, b);
      }
    }
  }

  /** Of the double that an integer becomes. @param {Expression} e @returns {Shape | null} */
  ofInteger(e) {
    if (!(e.type in BITS)) return null;
    const bits = Math.min(this.bitsOf(e, DEEP), BITS[e.type]);
    return shapeOf(bits);
  }

  /** @param {Expression} e an integer @param {number} left definitions that may still be followed @returns {number} */
  bitsOf(e, left) {
    const own = BITS[e.type] ?? EXACT;
    const of = (/** @type {Expression} */ arg) => this.bitsOf(arg, left);
    switch (e.op) {
      case 'const':
        return Math.min(own, Number(e.value) === 0 ? 0 : Math.ceil(Math.log2(Math.abs(Number(e.value)) + 1)));
      case 'local': {
        const definition = left > 0 && !e.local.isSet ? this.definitions.get(e.local) : undefined;
        return definition ? Math.min(own, this.bitsOf(definition, left - 1)) : own;
      }
      case 'load':
        return BITS[e.array.dtype] ?? own;
      case 'convert':
        return e.args[0].type in BITS ? Math.min(own, of(e.args[0])) : own;
      case 'select':
      case 'choose':
        return Math.max(of(e.args[1]), of(e.args[2]));
      default:
        return own;
    }
  }

  /**
   * Takes out locals until those that are left hold what they should and are used as they should.
   *
   * @returns {boolean} whether there are any
   */
  find() {
    for (let before = -1; before !== this.shapes.size;) {
      before = this.shapes.size;
      while (this.grow());
      eachStatement(this.body, (s) => {
        const target = (s.kind === 'let' || s.kind === 'set') && this.shapes.has(s.local);
        for (const e of expressionsOf(s)) this.use(e, Boolean(target));
      });
    }
    return this.shapes.size > 0;
  }

  /** @returns {boolean} whether something changed */
  grow() {
    let changed = false;
    for (const [local, shape] of this.shapes) {
      const found = /** @type {Expression[]} */ (this.values.get(local)).map((e) => this.shape(e));
      if (found.includes(null)) {
        this.shapes.delete(local);
        changed = true;
        continue;
      }
      const all = /** @type {Shape[]} */ (found).reduce(joined, shape);
      // What is beyond 31 bits may be anything that a double holds, or counting would take a round for each bit.
      const next = { ...all, bits: all.type === 'i32' ? 31 : EXACT };
      changed ||= shape.type !== next.type || shape.nan !== next.nan || shape.bits !== next.bits;
      this.shapes.set(local, next);
    }
    return changed;
  }

  /** @param {Expression} e @param {boolean} isFit whether integers do here */
  use(e, isFit) {
    if (askedWhole(e)) return;
    if (e.op === 'local') {
      if (!isFit) this.shapes.delete(e.local);
      return;
    }
    const inside = isFit && e.type === 'f64' && this.shape(e) !== null;
    if (e.op === 'select' || e.op === 'choose') {
      this.use(e.args[0], false);
      e.args.slice(1).forEach((arg) => this.use(arg, inside));
      return;
    }
    const fits = inside || this.isConsumer(e);
    for (const operand of operandsOf(e)) this.use(operand, fits);
  }

  /** Whether an expression takes integers for its operands. @param {Expression} e */
  isConsumer(e) {
    const [first] = e.args;
    if (!first || first.type !== 'f64') return false;
    const shapes = e.args.map((arg) => this.shape(arg));
    if (shapes.includes(null)) return false;
    const [shape] = /** @type {Shape[]} */ (shapes);
    if (e.op === 'convert') return e.type === 'i64' || (e.type === 'i32' && shape.type === 'i32');
    return COMPARES.has(e.op) || e.op === 'is_nan' || e.op === 'wrap';
  }
}

/** Writes a function with integers in place of the locals that a Finder has found. */
class Writer {
  /** @param {Finder} finder */
  constructor(finder) {
    this.finder = finder;
    /** @type {Map<Local, { x: Local, nan: Local | null }>} */
    this.twins = new Map();
    for (const [local, { type, nan }] of finder.shapes) {
      const flag = nan ? { ...local, name: `${local.name}_nan`, type: /** @type {const} */ ('bool') } : null;
      this.twins.set(local, { x: { ...local, type }, nan: flag });
    }
    this.copy = new Copy({ expression: (e) => this.expression(e), statement: (s) => this.statement(s) });
  }

  /** @param {Expression} e of a shape @returns {Parts} */
  parts(e) {
    switch (e.op) {
      case 'const':
        return Number.isNaN(e.value)
          ? { x: M.constant('i32', 0), nan: M.constant('bool', true) }
          : { x: this.typed(e, M.constant('i64', e.value)), nan: NO };
      case 'local': {
        const { x, nan } = /** @type {{ x: Local, nan: Local | null }} */ (this.twins.get(e.local));
        return { x: M.read(x), nan: nan ? M.read(nan) : NO };
      }
      case 'convert':
        return { x: this.typed(e, this.copy.expression(e.args[0])), nan: NO };
      case 'select':
      case 'choose': {
        const test = this.copy.expression(e.args[0]);
        const [a, b] = e.args.slice(1).map((arg) => this.parts(arg));
        const of = (/** @type {Expression} */ x, /** @type {Expression} */ y) =>
          test.op === 'const' ? (test.value ? x : y) : { ...e, type: x.type, args: [test, x, y] };
        const nan =
          a.nan.op === 'const' && b.nan.op === 'const' && a.nan.value === b.nan.value ? a.nan : of(a.nan, b.nan);
        return { x: of(this.typed(e, a.x), this.typed(e, b.x)), nan: withConstants(nan) };
      }
      case 'floor':
      case 'ceil':
      case 'trunc':
        return this.parts(e.args[0]);
      case 'neg': {
        const { x, nan } = this.parts(e.args[0]);
        return { x: M.unary('neg', this.typed(e, x)), nan };
      }
      default: {
        const [a, b] = e.args.map((arg) => this.parts(arg));
        const nan = M.or(a.nan, b.nan);
        const x = M.binary(e.op, this.typed(e, a.x), this.typed(e, b.x));
        return { x: M.select(nan, M.constant(/** @type {any} */ (x.type), 0), x), nan };
      }
    }
  }

  /** An integer in the type of the shape of e. @param {Expression} e @param {Expression} x */
  typed(e, x) {
    return M.convert(x, /** @type {Shape} */ (this.finder.shape(e)).type);
  }

  /** @param {Expression} e @returns {Expression | null} */
  expression(e) {
    if (e.op === 'select' || e.op === 'choose') return this.chosen(e);
    const asked = askedWhole(e);
    if (asked) return this.twins.has(asked) ? M.unary('not', this.parts(e.args[1].args[0]).nan) : null;
    if (!this.finder.isConsumer(e)) return null;
    const parts = e.args.map((arg) => this.parts(arg));
    if (e.op === 'is_nan') return parts[0].nan;
    if (!COMPARES.has(e.op)) return M.convert(parts[0].x, /** @type {any} */ (e.type));
    const [a, b] = parts;
    const type = a.x.type === 'i32' && b.x.type === 'i32' ? 'i32' : 'i64';
    const test = M.binary(e.op, M.convert(a.x, type), M.convert(b.x, type));
    const nan = M.or(a.nan, b.nan);
    return e.op === 'ne' ? M.or(nan, test) : M.and(M.unary('not', nan), test);
  }

  /** A choice, or what is chosen if that is known now. @param {Expression} e @returns {Expression} */
  chosen(e) {
    const made = this.copy.inside(e);
    const [test, a, b] = made.args;
    return test.op === 'const' ? (test.value ? a : b) : made;
  }

  /** @param {Statement} s @returns {Statement[] | null} */
  statement(s) {
    if (s.kind !== 'let' && s.kind !== 'set') return null;
    const twin = this.twins.get(s.local);
    if (!twin) return null;
    const { x, nan } = this.parts(s.value);
    const value = M.convert(x, /** @type {any} */ (twin.x.type));
    if (!twin.nan) return [{ ...s, local: twin.x, value }];
    if (s.kind === 'let')
      return [
        { ...s, local: twin.x, value },
        { ...s, local: twin.nan, value: nan },
      ];
    // The flag may depend on what the integer was.
    const flag = { ...twin.nan, isSet: false };
    return [
      { kind: 'let', local: flag, value: nan }, { ...s, local: twin.x, value },
      { ...s, local: twin.nan, value: M.read(flag) },
    ];
  }
}

/** @type {(e: Expression) => Expression} a choice of bools of which one is known */
function withConstants(e) {
  if (e.op !== 'select' && e.op !== 'choose') return e;
  const [test, a, b] = e.args;
  if (a.op === 'const' && b.op === 'const') return a.value === b.value ? a : a.value ? test : M.unary('not', test);
  return e;
}

/**
 * Has a function keep in integers what is whole wherever it is used as an integer.
 *
 * @param {import('../tir/index.js').Func} func
 */
function narrowIntegers(func) {
  const finder = new Finder(func.body);
  finder.find();
  func.body = new Writer(finder).copy.body(func.body);
}

module.exports = { narrowIntegers };
