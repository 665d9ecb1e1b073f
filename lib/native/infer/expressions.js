/**
 * The value of an expression at a place: what it is, and the machine expression that computes it.
 *
 * Expressions of the tree have no effects, but evaluating one may add statements to what is being written: an index
 * that may be a fraction is computed once and used twice, and what is read only under a condition is read in a branch.
 * The rules for elements, literals and functions of the language are in properties.js, literals.js and builtins.js;
 * operators.js has what operators do to numbers, comparisons.js and bigints.js the rest.
 */
'use strict';

const M = require('../tir/machine.js');
const V = require('./values.js');
const O = require('./operators.js');
const E = require('./environment.js');
const Unbounded = require('./unbounded-bigints.js');
const bigints = require('./bigints.js');
const { chooseBy } = require('./branches.js');
const { equality, relation } = require('./comparisons.js');
const { advice, falsy, isNullish, solid, toBoolean, toNumber, truthy } = require('./conversions.js');
const { power } = require('./math.js');
const { refuse } = require('../source/frame.js');

/** @typedef {import('../hir/index.js').Expression} ExpressionNode */
/** @typedef {import('../hir/index.js').Place} Place */
/** @typedef {import('../tir/index.js').Expression} Expression */
/** @typedef {import('./unbounded-bigints.js').UnboundedValue} UnboundedValue */
/** @typedef {import('./values.js').Value} Value */
/** @typedef {import('./walk.js').Walk} Walk */

const COMPARING = new Set(['===', '!==', '==', '!=', '<', '<=', '>', '>=']);

/** Operators whose result modulo 2^64 follows from their operands modulo 2^64. */
const MODULAR = new Set(['+', '-', '*', '&', '|', '^', '~', '<<']);

/** @type {(walk: Walk, e: ExpressionNode) => Value} */
function evaluate(walk, e) {
  const value = walk.isWrapping ? loose(walk, e) : null;
  if (value) return Unbounded.wrapped(value);
  if ((e.kind === 'binary' || e.kind === 'unary') && MODULAR.has(e.op)) return valueOf(walk, e);
  return exactly(walk, e);
}

/**
 * The bigint that a number is made into, whether it fits or not; null where it is no such.
 *
 * @type {(walk: Walk, e: ExpressionNode) => UnboundedValue | null}
 */
function loose(walk, e) {
  if (e.kind === 'variable') {
    const own = walk.find(e.variable);
    const value = own && walk.here.get(own);
    return Unbounded.isUnbounded(value) ? value : null;
  }
  if (e.kind !== 'builtin' || e.name !== 'BigInt' || e.args[0]?.kind === 'spread' || e.args.length === 0) return null;
  const value = bigints.looseBigInt(walk, exactly(walk, e.args[0]), e);
  return Unbounded.isUnbounded(value) ? value : null;
}

/** @type {(walk: Walk, e: ExpressionNode) => Value} what is asked for its value only, of which all bits need not fit */
const evaluateLoosely = (walk, e) => loose(walk, e) ?? evaluate(walk, e);

/** @type {(walk: Walk, e: ExpressionNode) => Value} of bigints, what they are modulo 2^64 */
function wrapping(walk, e) {
  const outer = walk.isWrapping;
  walk.isWrapping = true; // evaluate ends it where that is not right
  const value = evaluate(walk, e);
  walk.isWrapping = outer;
  return value;
}

/** @type {(walk: Walk, e: ExpressionNode) => Value} */
function exactly(walk, e) {
  const outer = walk.isWrapping;
  walk.isWrapping = false;
  const value = valueOf(walk, e);
  walk.isWrapping = outer;
  return value;
}

/** @type {(walk: Walk, e: ExpressionNode) => Value} by the rule for its kind */
function valueOf(walk, e) {
  const rule = /** @type {(walk: Walk, e: ExpressionNode) => Value} */ (walk.rules.expressions[e.kind]);
  return rule(walk, e);
}

// --- constants, closures ---

/** @type {(walk: Walk, e: import('../hir/index.js').StringNode) => Value} */
function string(_walk, { value }) {
  return { kind: 'string', value };
}

/** @type {(walk: Walk, e: import('../hir/index.js').ClosureNode) => Value} */
function closure(walk, { callee }) {
  return { kind: 'closure', callee, frame: walk.frameOf(callee.parent) };
}

/** @type {(walk: Walk, e: import('../hir/index.js').BigIntNode) => Value} */
function bigintLiteral(_walk, e) {
  if (e.value > V.MOST_U64 || e.value < V.LEAST_I64)
    return refuse(e.place, `${e.value}n does not fit 64 bits`, 'bigints are integers of 64 bits here');
  return V.bigintConstant(e.value);
}

/**
 * Whether an expression is true, where nothing but that is asked. Of `a && b` each side is: what types they have then
 * does not matter.
 *
 * @type {(walk: Walk, e: ExpressionNode) => Expression}
 */
function condition(walk, e) {
  if (e.kind === 'unary' && e.op === '!') return M.unary('not', condition(walk, e.operand));
  if (e.kind !== 'logical' || e.op === '??') return toBoolean(evaluateLoosely(walk, e), e.place);
  const right = () => V.boolean(condition(walk, e.right));
  const known = () => V.boolean(M.constant('bool', e.op === '||'));
  const [then, otherwise] = e.op === '&&' ? [right, known] : [known, right];
  return /** @type {any} */ (chooseBy(walk, condition(walk, e.left), e.left, then, otherwise, e.place)).x;
}

// --- operators ---

/** @type {(walk: Walk, e: import('../hir/index.js').UnaryNode) => Value} */
function unary(walk, e) {
  if (e.op === '!') return V.boolean(M.unary('not', condition(walk, e.operand)));
  const value = e.op === 'typeof' ? evaluateLoosely(walk, e.operand) : evaluate(walk, e.operand);
  switch (e.op) {
    case 'typeof':
      return typeOf(value, e.place);
    case '+':
      return toNumber(value, e.place);
    case 'increment':
    case 'decrement':
      return step(walk, value, e.op === 'increment' ? '+' : '-', e.place);
    case 'numeric':
      return value.kind === 'bigint' ? value : toNumber(value, e.place);
    case '-':
      return value.kind === 'bigint'
        ? bigints.bigintArithmetic(walk, '-', V.bigintConstant(0n), value, e.place)
        : O.negate(toNumber(value, e.place));
    default:
      if (value.kind === 'bigint') return bigints.bigintComplement(walk, value, e.place);
      return O.complement(toNumber(value, e.place));
  }
}

/** @type {(walk: Walk, value: Value, op: '+' | '-', place: Place) => Value} one more or less, of the same type */
function step(walk, value, op, place) {
  if (value.kind === 'bigint') return bigints.bigintArithmetic(walk, op, value, V.bigintConstant(1n), place);
  return O.arithmetic(ARITHMETIC[op], toNumber(value, place), V.numberConstant(1));
}

/** @type {(value: Value, place: Place) => Value} */
function typeOf(value, place) {
  if (value.kind === 'mixed')
    return refuse(place, `this may be ${V.describe(value)}`, 'compare it with null or undefined');
  if (value.kind === 'number' && value.tag) return { kind: 'string', value: 'number', tag: value.tag };
  if (value.kind === 'boolean' && value.tag) return { kind: 'string', value: 'boolean', tag: E.tagOf(value) };
  if ((value.kind === 'array' || value.kind === 'maybe') && value.tag)
    return { kind: 'string', value: 'object', tag: value.tag };
  /** @type {Record<string, string>} */
  const names = {
    closure: 'function', builtin: 'function', array: 'object', union: 'object', tensor: 'object', null: 'object',
  };
  return { kind: 'string', value: names[value.kind] ?? value.kind };
}

/** @type {Record<string, 'add' | 'sub' | 'mul'>} */
const ARITHMETIC = { '+': 'add', '-': 'sub', '*': 'mul' };

/** Operators that are quicker on integers. */
const WHOLE = new Set(['%', '&', '|', '^', '<<', '>>', '>>>']);

/** @type {(walk: Walk, e: import('../hir/index.js').BinaryNode) => Value} */
function binary(walk, e) {
  if (COMPARING.has(e.op)) return operate(walk, e, evaluateLoosely(walk, e.left), evaluateLoosely(walk, e.right));
  return operate(walk, e, evaluate(walk, e.left), e.op === '<<' ? exactly(walk, e.right) : evaluate(walk, e.right));
}

/** @type {(walk: Walk, e: import('../hir/index.js').BinaryNode, a: Value, b: Value) => Value} */
function operate(walk, e, a, b) {
  const { op, place } = e;
  if (op === '===' || op === '!==' || op === '==' || op === '!=') return equality(walk, e, a, b);
  const isRelation = ['<', '<=', '>', '>='].includes(op);
  if (isRelation && (Unbounded.isUnbounded(a) || Unbounded.isUnbounded(b)))
    return V.boolean(relation(walk, op, a, b, place));
  if (a.kind === 'bigint' && b.kind === 'bigint') return bigints.bigintBinary(walk, op, a, b, place);
  if (op === '+' && (a.kind === 'string' || b.kind === 'string'))
    return refuse(place, 'texts are not put together here', 'a text may be the message of an error');
  if (isRelation) return V.boolean(relation(walk, op, a, b, place));
  const [x, y] = [toNumber(a, e.left.place), toNumber(b, e.right.place)];
  if (WHOLE.has(op)) for (const v of [x, y]) if (!O.isInt(v)) walk.hint(v.type);
  switch (op) {
    case '+':
    case '-':
    case '*':
      return O.arithmetic(ARITHMETIC[op], x, y);
    case '/':
      return O.divide(x, y);
    case '%':
      return O.remainder(x, y);
    case '**':
      return power(x, y);
    case '&':
    case '|':
    case '^':
      return O.bitwise(op, x, y);
    default:
      return O.shift(/** @type {'<<' | '>>' | '>>>'} */ (op), x, y);
  }
}

// --- choices ---

/** @type {(walk: Walk, e: import('../hir/index.js').LogicalNode) => Value} */
function logical(walk, e) {
  const left = evaluate(walk, e.left);
  if (e.op === '??') {
    if (left.kind === 'mixed') return refuse(e.place, `this may be ${V.describe(left)}`, advice(left));
    const missing = isNullish(left);
    if (missing.op === 'const') return missing.value ? evaluate(walk, e.right) : left;
    return chooseBy(
      walk,
      M.unary('not', missing),
      isThere(e),
      () => solid(left),
      () => evaluate(walk, e.right),
      e,
    );
  }
  const test = toBoolean(left, e.left.place);
  if (e.op === '&&')
    return chooseBy(
      walk,
      test,
      e.left,
      () => evaluate(walk, e.right),
      () => falsy(left),
      e,
    );
  return chooseBy(
    walk,
    test,
    e.left,
    () => truthy(left),
    () => evaluate(walk, e.right),
    e,
  );
}

/** @type {(e: import('../hir/index.js').LogicalNode) => import('../hir/index.js').BinaryNode} what a ?? b asks first */
const isThere = ({ left, place }) => ({ kind: 'binary', op: '!=', left, right: { kind: 'null', place }, place });

/** @type {(walk: Walk, e: import('../hir/index.js').ConditionalNode) => Value} */
function conditional(walk, e) {
  return chooseBy(
    walk,
    condition(walk, e.test),
    e.test,
    () => evaluate(walk, e.then),
    () => evaluate(walk, e.otherwise),
    e,
  );
}

/**
 * What expressions are that ask nothing of memory.
 *
 * @satisfies {Partial<import('./walk.js').Rules['expressions']>}
 */
const RULES = {
  number: (/** @type {Walk} */ _walk, /** @type {import('../hir/index.js').NumberNode} */ e) => V.numberConstant(e.value),
  bigint: bigintLiteral,
  boolean: (/** @type {Walk} */ _walk, /** @type {import('../hir/index.js').BooleanNode} */ e) => V.boolean(M.constant('bool', e.value)),
  string,
  undefined: () => V.UNDEFINED,
  null: () => V.NULL,
  variable: (/** @type {Walk} */ walk, /** @type {import('../hir/index.js').VariableNode} */ e) => walk.read(e.variable, e.place),
  closure,
  unary,
  binary,
  logical,
  conditional,
};

module.exports = { RULES, condition, evaluate, evaluateLoosely, wrapping };
