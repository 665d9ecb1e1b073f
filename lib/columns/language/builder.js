/**
 * Expressions put together by methods, as with Gandiva's TreeExprBuilder or polars:
 *
 *   col('x').gt(2).and(col('x').lt(6))
 *   when(col('x').isNull(), 0).otherwise(call('sqrt', col('x')))
 *
 * Operands that are no expressions are literals: numbers, bigints, strings, booleans, null, dates of JavaScript and
 * bytes. What is built is the tree that the same text parses to; nothing is copied, and chains may have any length.
 */
'use strict';

const { DESCRIBE, describe, expected } = require('../../base/check.js');
const { defineMethods } = require('../../base/define-methods.js');
const { fail } = require('../../base/errors.js');
const ast = require('./ast.js');
const { inRange } = require('./forms.js');
const { parse } = require('./parser.js');
const { print } = require('./print.js');
const { literalOf, nameOf, typeNameOf, validate } = require('./validate.js');

/** @typedef {import('./ast.js').Node} Node */
/** What can be an operand. @typedef {Built | Node | number | bigint | string | boolean | null | Date | Uint8Array} Operand */

/**
 * Methods that call a function of as many arguments, the value before the dot the first.
 *
 * @satisfies {Record<string, [name: string, args: number]>}
 */
const rows = {
  add: ['add', 2], sub: ['subtract', 2], mul: ['multiply', 2], div: ['divide', 2], floorDivide: ['floor_divide', 2],
  mod: ['mod', 2], pow: ['power', 2], neg: ['negative', 1],
  eq: ['equal', 2], ne: ['not_equal', 2], lt: ['less_than', 2], le: ['less_than_or_equal_to', 2],
  gt: ['greater_than', 2], ge: ['greater_than_or_equal_to', 2],
  isDistinctFrom: ['is_distinct_from', 2], isNotDistinctFrom: ['is_not_distinct_from', 2],
  and: ['and', 2], or: ['or', 2], not: ['not', 1], xor: ['^', 2],
  bitAnd: ['&', 2], bitOr: ['|', 2], bitXor: ['^', 2], bitNot: ['~', 1], shl: ['shift_left', 2], shr: ['shift_right', 2],
  isNull: ['isnull', 1], isNotNull: ['isnotnull', 1], isTrue: ['istrue', 1], isNotTrue: ['isnottrue', 1],
  isFalse: ['isfalse', 1], isNotFalse: ['isnotfalse', 1],
  concat: ['||', 2],
};

/** An expression that is being built. */
class Built {
  /** @param {Node} node */
  constructor(node) {
    this.node = node;
    Object.freeze(this);
  }

  /** Both bounds belong to the range. @param {Operand} low @param {Operand} high */
  between(low, high) {
    return built(inRange(this.node, operandOf(low, 'between'), operandOf(high, 'between')));
  }

  /** @param {Iterable<Operand> | Operand} list values, or a parameter that has them */
  isIn(list) {
    const given = list instanceof Built ? [list] : listOf(list);
    return built(ast.within(this.node, given.map((item) => operandOf(item, 'isIn'))));
  }

  /** @param {Operand} pattern % is any text, _ any character @param {Operand} [escape] what takes their meaning from them */
  like(pattern, escape) {
    return built(ast.call('like', [this.node, ...optional('like', pattern, escape)]));
  }

  /** Whatever the case of letters. @param {Operand} pattern @param {Operand} [escape] */
  ilike(pattern, escape) {
    return built(ast.call('ilike', [this.node, ...optional('ilike', pattern, escape)]));
  }

  /** @param {string | object} type such as 'int32' or 'decimal(38, 2)' */
  cast(type) {
    return built(ast.cast(this.node, typeNameOf(type, 'cast'), false));
  }

  /** Null where a value does not fit. @param {string | object} type */
  tryCast(type) {
    return built(ast.cast(this.node, typeNameOf(type, 'tryCast'), true));
  }

  /** Any function, with this as its first argument. @param {string} name @param {Operand[]} args */
  call(name, ...args) {
    return call(name, this, ...args);
  }

  toString() {
    return print(this.node);
  }

  [DESCRIBE]() {
    return 'an expression';
  }
}

/** @typedef {{ [M in keyof typeof rows]: (...args: Operand[]) => Expression }} Methods */
/** @typedef {Built & Methods} Expression */

/** @type {(node: Node) => Expression} */
const built = (node) => /** @type {Expression} */ (new Built(node));

defineMethods(Built.prototype, Object.entries(rows).map(([method, row]) => {
  const [name, count] = /** @type {[string, number]} */ (row);
  const named = {
    /** @this {Built} @param {Operand[]} args */
    [method](...args) {
      if (args.length !== count - 1) fail('ERR_ARGUMENT', `${method}: expected ${count - 1} argument${count === 2 ? '' : 's'}, got ${args.length}`);
      return built(ast.call(name, [this.node, ...args.map((arg) => operandOf(arg, method))]));
    },
  };
  return /** @type {const} */ ([method, named[method]]);
}));

/** @type {(caller: string, ...operands: (Operand | undefined)[]) => Node[]} */
function optional(caller, first, second) {
  const node = operandOf(first, caller);
  return second === undefined ? [node] : [node, operandOf(second, caller)];
}

/** @type {(list: unknown) => Operand[]} */
function listOf(list) {
  const isList = typeof list === 'object' && list !== null && Symbol.iterator in list;
  return isList ? Array.from(/** @type {Iterable<Operand>} */ (list)) : expected('isIn', 'an array', 'the list', list);
}

/** Types of literals by what JavaScript has. @type {(value: unknown) => string | undefined} */
function typeOfValue(value) {
  if (value === null) return 'null';
  if (value instanceof Uint8Array) return 'binary';
  if (typeof value === 'number') return Number.isSafeInteger(value) && !Object.is(value, -0) ? 'integer' : 'float';
  return new Map([['bigint', 'integer'], ['string', 'string'], ['boolean', 'boolean']]).get(typeof value);
}

/** @type {(value: unknown, caller: string) => Node} */
function operandOf(value, caller) {
  if (value instanceof Built) return value.node;
  if (value instanceof Date) return timestamp(value, caller);
  const type = typeOfValue(value);
  if (type !== undefined) return literal(type, value, caller);
  if (typeof value === 'object' && value && 'kind' in value) return validate(value);
  return expected(caller, 'an expression or a value', 'an operand', value);
}

/** @type {(type: unknown, value: unknown, caller: string) => Node} */
function literal(type, value, caller) {
  const made = literalOf(type, value, caller);
  return ast.literal(made.type, made.value);
}

/** @type {(date: Date, caller: string) => Node} */
function timestamp(date, caller) {
  if (Number.isNaN(date.getTime())) return expected(caller, 'a valid Date', 'an operand', date);
  return ast.literal('timestamp', date.toISOString());
}

/**
 * A column, or a field of one: `col('place.x')`.
 *
 * @param {string} name
 */
const col = (name) => built(ast.name(nameOf(name, 'the name of a column', 'col')));

/**
 * A value that is given when the expression is compiled or run.
 *
 * @param {string} name
 */
const param = (name) => built(ast.parameter(nameOf(name, 'the name of a parameter', 'param')));

/**
 * A literal. Whole numbers are integers; a type tells otherwise: `lit(2, 'float')`, `lit('1.50', 'decimal')`,
 * `lit('2020-01-31', 'date')`, `lit('1 month', 'interval')`.
 *
 * @param {unknown} value
 * @param {import('./ast.js').LiteralType} [type]
 */
function lit(value, type) {
  return built(type === undefined ? operandOf(value, 'lit') : literal(type, value, 'lit'));
}

/**
 * A call of any function, operators included: `call('upper', col('s'))`.
 *
 * @param {string} name
 * @param {Operand[]} args
 */
function call(name, ...args) {
  const callee = nameOf(name, 'the name of a function', 'call').toLowerCase();
  return built(ast.call(callee, args.map((arg) => operandOf(arg, callee))));
}

/** A choice, which is an expression already, null where no condition holds. */
class When extends Built {
  /** @param {Operand} condition @param {Operand} result */
  when(condition, result) {
    return whenAfter(this.#case.branches, condition, result);
  }

  /** What it is where no condition holds. @param {Operand} result */
  otherwise(result) {
    return built(ast.choice(this.#case.branches, operandOf(result, 'otherwise')));
  }

  get #case() {
    return /** @type {import('./ast.js').Case} */ (this.node);
  }
}

/** @type {(branches: readonly import('./ast.js').Branch[], condition: Operand, result: Operand) => When & Methods} */
function whenAfter(branches, condition, result) {
  const branch = { when: operandOf(condition, 'when'), then: operandOf(result, 'when') };
  return /** @type {When & Methods} */ (new When(ast.choice([...branches, branch], null)));
}

/**
 * `when(condition, result).when(…).otherwise(rest)`: the result of the first condition that holds.
 *
 * @param {Operand} condition
 * @param {Operand} result
 */
const when = (condition, result) => whenAfter([], condition, result);

/** @type {(value: unknown) => value is Expression} */
const isBuilder = (value) => value instanceof Built;

/**
 * The tree of what was given as an expression: text, something built, or a tree.
 *
 * @param {unknown} given
 * @returns {Node}
 */
function astOf(given) {
  if (typeof given === 'string') return parse(given);
  if (given instanceof Built) return given.node;
  if (typeof given === 'object' && given && 'kind' in given) return validate(given);
  return fail('ERR_ARGUMENT', `expression: expected text or an expression that was built, got ${describe(given)}`);
}

module.exports = { astOf, call, col, isBuilder, lit, param, when };
