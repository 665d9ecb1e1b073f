/**
 * What a condition says of variables where it is true, or false: bounds of numbers, what is not undefined or null.
 */
'use strict';

const N = require('./number-types.js');
const M = require('../tir/machine.js');
const V = require('./values.js');
const Maybe = require('./nullable.js');

/** @typedef {import('../hir/index.js').BinaryNode} BinaryNode */
/** @typedef {import('../hir/index.js').BuiltinNode} BuiltinNode */
/** @typedef {import('../hir/index.js').Expression} ExpressionNode */
/** @typedef {import('../hir/index.js').VariableNode} VariableNode */
/** @typedef {import('./values.js').Value} Value */
/** @typedef {import('./walk.js').Walk} Walk */

/** @type {Record<string, string>} */
const NEGATED = { '<': '>=', '<=': '>', '>': '<=', '>=': '<', '===': '!==', '!==': '===', '==': '!=', '!=': '==' };
/** @type {Record<string, string>} */
const SWAPPED = { '<': '>', '<=': '>=', '>': '<', '>=': '<=' };

/**
 * Narrows what variables may be where a condition is true, or false.
 *
 * @type {(walk: Walk, e: ExpressionNode, truth: boolean) => void}
 */
function refine(walk, e, truth) {
  if (!walk.env) return;
  switch (e.kind) {
    case 'unary':
      if (e.op === '!') refine(walk, e.operand, !truth);
      return;
    case 'logical':
      if ((e.op === '&&') === truth && e.op !== '??') {
        refine(walk, e.left, truth);
        refine(walk, e.right, truth);
      }
      return;
    case 'variable':
      narrowMaybe(walk, e, (value) => (truth ? value.object : Maybe.nothingOf(value)));
      if (truth) narrowArray(walk, e);
      narrowVariable(walk, e, (t) => (truth ? truthy(t) : t));
      return;
    case 'builtin':
      refineBuiltin(walk, e, truth);
      return;
    case 'binary':
      refineBinary(walk, e, truth);
      return;
    default:
  }
}

/** @type {(t: import('./number-types.js').Num) => import('./number-types.js').Num} */
function truthy(t) {
  const lo = t.int && t.lo === 0 ? 1 : t.lo;
  return {
    ...t, lo, hi: t.int && t.hi === 0 && lo < 0 ? -1 : t.hi, nan: false, negativeZero: false, undefined: false,
    null: false,
  };
}

/** @type {(walk: Walk, e: BuiltinNode, truth: boolean) => void} */
function refineBuiltin(walk, e, truth) {
  const [arg] = e.args;
  if ((e.name === 'isNaN' || e.name === 'Number.isNaN') && !truth)
    narrowVariable(walk, arg, (t) => ({ ...t, nan: false, undefined: e.name === 'isNaN' ? false : t.undefined }));
  if ((e.name === 'isFinite' || e.name === 'Number.isFinite') && truth) {
    narrowVariable(walk, arg, (t) => ({
      ...t, nan: false, undefined: false, lo: Math.max(t.lo, -Number.MAX_VALUE), hi: Math.min(t.hi, Number.MAX_VALUE),
    }));
  }
}

/** @type {(walk: Walk, e: BinaryNode, truth: boolean) => void} */
function refineBinary(walk, e, truth) {
  const op = truth ? e.op : NEGATED[e.op];
  if (!op) return;
  if (op in SWAPPED) {
    // A comparison that is true says that neither side is NaN; one that is false says nothing of that.
    refineRelation(walk, e.left, op, e.right, truth);
    refineRelation(walk, e.right, SWAPPED[op], e.left, truth);
  } else {
    refineEquality(walk, e.left, op, e.right);
    refineEquality(walk, e.right, op, e.left);
  }
}

/** @type {(node: ExpressionNode) => VariableNode | null} the variable that a comparison is about */
function subject(node) {
  if (node.kind === 'variable') return node;
  if (node.kind === 'unary' && (node.op === '+' || node.op === 'numeric')) return subject(node.operand);
  return null;
}

/** @type {(walk: Walk, node: ExpressionNode, op: string, otherNode: ExpressionNode, truth: boolean) => void} */
function refineRelation(walk, node, op, otherNode, truth) {
  const about = subject(node);
  if (!about) return;
  const other = quietly(walk, otherNode);
  if (other?.kind === 'bigint') narrowBigInt(walk, about, op, other);
  if (other?.kind !== 'number') return;
  const o = N.plain(other.type);
  narrowVariable(walk, about, (t) => {
    // Not (x < y) may be because of a NaN: then the bounds say nothing.
    if (!truth && (t.nan || t.undefined || o.nan)) return t;
    const step = t.int && o.int ? 1 : 0;
    const next = { ...t, nan: false, undefined: false };
    if (op === '<') next.hi = Math.min(t.hi, o.hi - step);
    if (op === '<=') next.hi = Math.min(t.hi, o.hi);
    if (op === '>') next.lo = Math.max(t.lo, o.lo + step);
    if (op === '>=') next.lo = Math.max(t.lo, o.lo);
    if (t.int) [next.lo, next.hi] = [Math.ceil(next.lo) + 0, Math.floor(next.hi) + 0];
    if (next.lo > 0 || next.hi < 0) next.negativeZero = false;
    next.null = t.null && mayHold(op, o);
    if (op === '<' && other.x.op === 'local' && M.isStable(other.x))
      next.below = new Set([...(t.below ?? []), other.x.local]);
    return next.lo > next.hi ? t : next;
  });
}

/**
 * Whether null, which compares as 0, may compare so.
 *
 * @type {(op: string, o: import('./number-types.js').Num) => boolean}
 */
function mayHold(op, o) {
  return op === '<' ? o.hi > 0 : op === '<=' ? o.hi >= 0 : op === '>' ? o.lo < 0 : o.lo <= 0;
}

/** @type {(walk: Walk, node: VariableNode, op: string, other: import('./values.js').BigIntValue) => void} */
function narrowBigInt(walk, node, op, other) {
  const variable = walk.find(node.variable);
  if (!variable) return;
  const value = walk.here.get(variable);
  if (value?.kind !== 'bigint') return;
  let { lo, hi } = value;
  if (op === '<' && other.hi - 1n < hi) hi = other.hi - 1n;
  if (op === '<=' && other.hi < hi) hi = other.hi;
  if (op === '>' && other.lo + 1n > lo) lo = other.lo + 1n;
  if (op === '>=' && other.lo > lo) lo = other.lo;
  if (lo <= hi) walk.here.set(variable, { ...value, lo, hi });
}

/** @type {(walk: Walk, node: ExpressionNode, op: string, otherNode: ExpressionNode) => void} */
function refineEquality(walk, node, op, otherNode) {
  const equal = op === '===' || op === '==';
  if (node.kind === 'unary' && node.op === 'typeof' && otherNode.kind === 'string') {
    refineType(walk, node.operand, otherNode.value, equal);
    return;
  }
  if (!subject(node)) return;
  if (otherNode.kind === 'undefined' || otherNode.kind === 'null') {
    const loose = op.length === 2;
    narrowNothing(walk, node, loose || otherNode.kind === 'undefined', loose || otherNode.kind === 'null', equal);
    return;
  }
  const other = quietly(walk, otherNode);
  if (other?.kind !== 'number' || !equal || N.isNothing(other.type)) return;
  narrowVariable(walk, subject(node), (t) => {
    // +x is 0 where x is null.
    const mayBeNull = t.null && node.kind !== 'variable' && N.hasZero(other.type);
    const next = {
      ...t, nan: false, undefined: false, null: mayBeNull, lo: Math.max(t.lo, other.type.lo),
      hi: Math.min(t.hi, other.type.hi),
    };
    if (t.int) [next.lo, next.hi] = [Math.ceil(next.lo) + 0, Math.floor(next.hi) + 0];
    return next.lo > next.hi ? t : next;
  });
}

/** @type {(walk: Walk, node: ExpressionNode, name: string, equal: boolean) => void} what `typeof x === name` says, or `!==` */
function refineType(walk, node, name, equal) {
  if (name === 'undefined') narrowNothing(walk, node, true, false, equal);
  else if (equal) narrowNothing(walk, node, true, name !== 'object', false);
}

/**
 * Where something is undefined, or null, or one of them; or where it is not.
 *
 * @type {(walk: Walk, node: ExpressionNode, isUndefined: boolean, isNull: boolean, equal: boolean) => void}
 */
function narrowNothing(walk, node, isUndefined, isNull, equal) {
  if (node.kind !== 'variable') return;
  narrowMaybe(walk, node, (value) =>
    equal ? Maybe.nothingOf(Maybe.without(value, !isUndefined, !isNull)) : Maybe.without(value, isUndefined, isNull),
  );
  const variable = walk.find(node.variable);
  if (!variable) return;
  const value = walk.here.get(variable);
  if (value?.kind === 'array' && value.tag && !equal)
    walk.here.set(variable, { ...value, tag: isUndefined && isNull ? null : value.tag });
  if (!value || (value.kind !== 'number' && value.kind !== 'boolean')) return;
  if (equal) return;
  const drop = { undefined: isUndefined, null: isNull };
  if (value.kind === 'boolean') {
    const [mayBeUndefined, mayBeNull] = [value.mayBeUndefined && !drop.undefined, value.mayBeNull && !drop.null];
    const tag = mayBeUndefined || mayBeNull ? value.tag : null;
    walk.here.set(variable, { ...value, mayBeUndefined, mayBeNull, tag });
    return;
  }
  narrowVariable(walk, node, (t) => ({ ...t, undefined: t.undefined && !drop.undefined, null: t.null && !drop.null }));
}

/**
 * @type {(walk: Walk, node: ExpressionNode | null, narrow: (t: import('./number-types.js').Num) => import('./number-types.js').Num) => void}
 */
function narrowVariable(walk, node, narrow) {
  if (node?.kind !== 'variable') return;
  const variable = walk.find(node.variable);
  if (!variable) return;
  const value = walk.here.get(variable);
  if (value?.kind !== 'number') return;
  const type = narrow(value.type);
  if (N.isEqual(type, value.type)) return;
  const tag = N.isNothing(type) ? value.tag : null;
  walk.here.set(
    variable,
    new V.NumberValue(type, () => M.convert(value.x, N.typeOf(type)), {
      tag, int32: value.int32, integer: value.integer, single: value.single,
    }),
  );
}

/** @type {(walk: Walk, node: VariableNode, narrow: (value: import('./values.js').MaybeValue) => Value) => void} */
function narrowMaybe(walk, node, narrow) {
  const variable = walk.find(node.variable);
  if (!variable) return;
  const value = walk.here.get(variable);
  if (value?.kind === 'maybe') walk.here.set(variable, narrow(value));
}

/** @type {(walk: Walk, node: VariableNode) => void} an array that may be nothing is one where it counts as true */
function narrowArray(walk, node) {
  const variable = walk.find(node.variable);
  if (!variable) return;
  const value = walk.here.get(variable);
  if (value?.kind === 'array' && value.tag) walk.here.set(variable, { ...value, tag: null });
}

/** @type {(walk: Walk, node: ExpressionNode) => Value | null} the value of an expression for what it may be, with nothing written */
function quietly(walk, node) {
  /** @type {Value | null} */
  let value = null;
  walk.inside(walk.env, [], () => {
    value = walk.evaluate(node);
  });
  return value;
}

module.exports = { refine };
