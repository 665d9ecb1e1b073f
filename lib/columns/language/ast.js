/**
 * The nodes of expressions over columns: plain frozen objects, the same from text and from the builder.
 *
 * All functions and operators are calls, so that whoever reads a tree has seven kinds to tell apart. A node knows where
 * it stands in the text, in UTF-16 units; what the builder makes stands at -1. A node may be an operand several times
 * (`a < b < c` has one `b`): trees are graphs without cycles, and walk.js visits each node once.
 */
'use strict';

/** Where a node stands, if it is not the text of the expression at hand: in that of a function called `name`, or of another one beside. @typedef {{ readonly text: string, readonly name?: string }} Source */
/** @typedef {{ readonly start: number, readonly end: number, readonly source?: Source }} Span */
/** @typedef {{ readonly months: number, readonly days: number, readonly nanoseconds: bigint }} Interval */
/**
 * Integers are bigints, floats numbers, booleans booleans, null is null, binary has bytes and an interval its parts.
 * All others have the text as written: decimals, strings, dates, times and timestamps.
 *
 * @typedef {'integer' | 'float' | 'decimal' | 'string' | 'boolean' | 'null' | 'date' | 'time' | 'timestamp' | 'interval'
 *   | 'binary'} LiteralType
 * @typedef {bigint | number | string | boolean | null | Interval | Uint8Array} LiteralValue
 */
/** @typedef {{ readonly kind: 'literal', readonly type: LiteralType, readonly value: LiteralValue } & Span} Literal */
/** A column; a field within is `outer.inner`, one name. @typedef {{ readonly kind: 'name', readonly name: string } & Span} Name */
/** A value given later. @typedef {{ readonly kind: 'parameter', readonly name: string } & Span} Parameter */
/** The name is in lower case. @typedef {{ readonly kind: 'call', readonly name: string, readonly args: readonly Node[] } & Span} Call */
/** @typedef {{ readonly kind: 'in', readonly value: Node, readonly list: readonly Node[] } & Span} In */
/** @typedef {{ readonly when: Node, readonly then: Node }} Branch */
/** @typedef {{ readonly kind: 'case', readonly branches: readonly Branch[], readonly otherwise: Node | null } & Span} Case */
/** As written, such as `decimal` with 38 and 2, `timestamp` with 'us' and 'UTC'. @typedef {{ readonly name: string, readonly args: readonly (number | string)[] } & Span} TypeName */
/** A safe cast gives null for what does not fit. @typedef {{ readonly kind: 'cast', readonly value: Node, readonly to: TypeName, readonly safe: boolean } & Span} Cast */
/** @typedef {Literal | Name | Parameter | Call | In | Case | Cast} Node */

/** @type {(type: LiteralType, value: LiteralValue, start?: number, end?: number) => Literal} */
const literal = (type, value, start = -1, end = -1) => Object.freeze({ kind: 'literal', type, value, start, end });

/** A number with a minus before it. @type {(number: Literal, start?: number) => Literal} */
function negated({ type, value, end }, start = -1) {
  const negative = type === 'decimal' ? `-${value}` : -(/** @type {number} */ (value));
  return literal(type, negative, start, end);
}

/** @type {(name: string, start?: number, end?: number) => Name} */
const name = (text, start = -1, end = -1) => Object.freeze({ kind: 'name', name: text, start, end });

/** A field of what is a name. @type {(node: Node, field: string, start?: number, end?: number) => Name | null} */
const field = (node, text, start, end) => (node.kind === 'name' ? name(`${node.name}.${text}`, start, end) : null);

/** @type {(name: string, start?: number, end?: number) => Parameter} */
const parameter = (text, start = -1, end = -1) => Object.freeze({ kind: 'parameter', name: text, start, end });

/** @type {(name: string, args: readonly Node[], start?: number, end?: number) => Call} */
const call = (callee, args, start = -1, end = -1) =>
  Object.freeze({ kind: 'call', name: callee, args: Object.freeze(args), start, end });

/** @type {(value: Node, list: readonly Node[], start?: number, end?: number) => In} */
const within = (value, list, start = -1, end = -1) =>
  Object.freeze({ kind: 'in', value, list: Object.freeze(list), start, end });

/** @type {(branches: readonly Branch[], otherwise: Node | null, start?: number, end?: number) => Case} */
const choice = (branches, otherwise, start = -1, end = -1) =>
  Object.freeze({
    kind: 'case', branches: Object.freeze(branches.map((branch) => Object.freeze(branch))), otherwise, start, end,
  });

/** @type {(value: Node, to: TypeName, safe: boolean, start?: number, end?: number) => Cast} */
const cast = (value, to, safe, start = -1, end = -1) => Object.freeze({ kind: 'cast', value, to, safe, start, end });

/** @type {(name: string, args: readonly (number | string)[], start?: number, end?: number) => TypeName} */
const typeName = (text, args, start = -1, end = -1) =>
  Object.freeze({ name: text, args: Object.freeze(args), start, end });

/** The node as one that stands in a text. @type {<N extends Node>(node: N, source: Source | undefined) => N} */
const standing = (node, source) => (node.source === source ? node : /** @type {any} */ (Object.freeze({ ...node, source })));

module.exports = { call, cast, choice, field, literal, name, negated, parameter, standing, typeName, within };
