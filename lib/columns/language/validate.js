/**
 * Trees that others made, from JSON or by hand: checked, and copied into nodes of ours, which are frozen and stay what
 * they were found to be. Nodes that are shared stay shared.
 */
'use strict';

const { describe, expected } = require('../../base/check.js');
const { fail } = require('../../base/errors.js');
const ast = require('./ast.js');
const { LIMITS, parseInterval } = require('./intervals.js');
const { parseDecimalText } = require('./operands.js');
const { parseTypeName } = require('./parser.js');
const { printTypeName } = require('./print.js');
const { MAX_DIGITS } = require('./tokens.js');
const { fold } = require('./walk.js');

/** @typedef {import('./ast.js').Node} Node */
/** @typedef {import('./ast.js').LiteralType} LiteralType */
/** @typedef {import('./ast.js').LiteralValue} LiteralValue */
/** @typedef {Record<string, unknown>} Unknown */

const CALLER = 'expression';
const SURROGATE = /\p{Surrogate}/u;
const MAX_INTEGER = 10n ** BigInt(MAX_DIGITS - 1);

/** @type {(value: unknown) => value is string} */
const isText = (value) => typeof value === 'string' && !SURROGATE.test(value);

/** @type {(value: unknown) => bigint | undefined} */
function integer(value) {
  const whole = typeof value === 'bigint' ? value : Number.isSafeInteger(value) ? BigInt(/** @type {number} */ (value)) : undefined;
  return whole !== undefined && whole < MAX_INTEGER && whole > -MAX_INTEGER ? whole : undefined;
}

/** @type {(value: unknown) => string | undefined} */
const text = (value) => (isText(value) ? value : undefined);

/** @type {(value: unknown) => import('./ast.js').Interval | undefined} */
function interval(value) {
  if (typeof value === 'string') {
    const found = parseInterval(value);
    return typeof found === 'string' ? undefined : found;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const { months = 0, days = 0, nanoseconds = 0n } = /** @type {Unknown} */ (value);
  const parts = { months: integer(months), days: integer(days), nanoseconds: integer(nanoseconds) };
  for (const [part, limit] of Object.entries(LIMITS)) {
    const whole = parts[/** @type {keyof typeof parts} */ (part)];
    if (whole === undefined || whole >= limit || whole < -limit) return undefined;
  }
  return Object.freeze({
    months: Number(parts.months), days: Number(parts.days), nanoseconds: /** @type {bigint} */ (parts.nanoseconds),
  });
}

/** What a literal of each type may be made of, and what it is then. @type {Record<LiteralType, [what: string, read: (value: unknown) => LiteralValue | undefined]>} */
const LITERALS = {
  integer: ['an integer', integer],
  float: ['a number', (value) => (typeof value === 'number' ? value : undefined)],
  decimal: ["a text such as '1.50'", (value) => (typeof value === 'string' ? parseDecimalText(value) : undefined)],
  string: ['a string of Unicode', text],
  boolean: ['a boolean', (value) => (typeof value === 'boolean' ? value : undefined)],
  null: ['null', (value) => (value === null ? null : undefined)],
  date: ["a text such as '2020-01-31'", text],
  time: ["a text such as '12:30:00'", text],
  timestamp: ["a text such as '2020-01-31 12:30:00'", text],
  interval: ["{ months, days, nanoseconds } or a text such as '1 month'", interval],
  binary: ['a Uint8Array', (value) => (value instanceof Uint8Array ? Uint8Array.from(value) : undefined)],
};

/**
 * @param {unknown} type
 * @param {unknown} value
 * @param {string} caller
 * @returns {{ type: LiteralType, value: LiteralValue }}
 */
function literalOf(type, value, caller) {
  const row = Object.hasOwn(LITERALS, String(type)) ? LITERALS[/** @type {LiteralType} */ (type)] : undefined;
  if (!row) return expected(caller, `one of ${Object.keys(LITERALS).join(', ')}`, 'the type of a literal', type);
  const [what, read] = row;
  const found = read(value);
  if (found === undefined) return expected(caller, what, `a literal of type ${type}`, value);
  return { type: /** @type {LiteralType} */ (type), value: found };
}

/** @type {(value: unknown, which: string, caller?: string) => string} */
const nameOf = (value, which, caller = CALLER) => (isText(value) ? value : expected(caller, 'a string of Unicode', which, value));

/** @type {(value: unknown, which: string) => readonly any[]} */
const arrayOf = (value, which) => (Array.isArray(value) ? value : expected(CALLER, 'an array', which, value));

/**
 * The type of a cast, from text, from `{ name, args }` or from a data type, whose `id` is its text.
 *
 * @param {unknown} to
 * @param {string} [caller]
 * @returns {import('./ast.js').TypeName}
 */
function typeNameOf(to, caller = CALLER) {
  if (typeof to === 'string') return spanless(parseTypeName(to));
  if (typeof to !== 'object' || to === null) return expected(caller, "a type such as 'int32'", 'a cast', to);
  const { id, name, args = [] } = /** @type {Unknown} */ (to);
  if (typeof id === 'string') return spanless(parseTypeName(id));
  const given = arrayOf(args, 'the arguments of a type').map((arg) =>
    Number.isSafeInteger(arg) ? Number(arg) : nameOf(arg, 'an argument of a type'),
  );
  const written = printTypeName({ name: nameOf(name, 'the name of a type'), args: given });
  return spanless(parseTypeName(written));
}

/** @type {(type: import('./ast.js').TypeName) => import('./ast.js').TypeName} */
const spanless = ({ name, args }) => ast.typeName(name, args);

/** @type {(node: Unknown) => [number, number]} */
function spanOf({ start, end }) {
  const [from, to] = [start, end].map((at) => (Number.isSafeInteger(at) ? Number(at) : -1));
  return from >= 0 && to >= from ? [from, to] : [-1, -1];
}

/** @typedef {{ operands: (node: Unknown) => readonly unknown[], build: (node: Unknown, operands: Node[], span: [number, number]) => Node }} Kind */

/** @type {(node: Unknown) => readonly Unknown[]} */
const branchesOf = (node) => {
  const branches = arrayOf(node.branches, 'the branches of a case');
  const wrong = branches.find((branch) => typeof branch !== 'object' || branch === null);
  if (branches.length === 0 || wrong !== undefined) {
    expected(CALLER, 'one or more { when, then }', 'the branches of a case', branches);
  }
  return branches;
};

/** @type {(node: Unknown) => boolean} */
const hasRest = ({ otherwise }) => otherwise !== null && otherwise !== undefined;

const leaf = () => [];

/** @type {Readonly<Record<Node['kind'], Kind>>} */
const KINDS = Object.freeze({
  literal: {
    operands: leaf,
    build: (node, _, span) => {
      const { type, value } = literalOf(node.type, node.value, CALLER);
      return ast.literal(type, value, ...span);
    },
  },
  name: { operands: leaf, build: ({ name }, _, span) => ast.name(nameOf(name, 'the name of a column'), ...span) },
  parameter: { operands: leaf, build: ({ name }, _, span) => ast.parameter(nameOf(name, 'the name of a parameter'), ...span) },
  call: {
    operands: ({ args }) => arrayOf(args, 'the arguments of a call'),
    build: ({ name }, args, span) => ast.call(nameOf(name, 'the name of a function').toLowerCase(), args, ...span),
  },
  in: {
    operands: ({ value, list }) => [value, ...arrayOf(list, "the list of 'in'")],
    build: (_, [value, ...list], span) => ast.within(value, list, ...span),
  },
  case: {
    operands: (node) => [
      ...branchesOf(node).flatMap(({ when, then }) => [when, then]),
      ...(hasRest(node) ? [node.otherwise] : []),
    ],
    build: (node, operands, span) => {
      const branches = branchesOf(node).map((_, i) => ({ when: operands[2 * i], then: operands[2 * i + 1] }));
      return ast.choice(branches, hasRest(node) ? operands[2 * branches.length] : null, ...span);
    },
  },
  cast: {
    operands: ({ value }) => [value],
    build: ({ to, safe }, [value], span) => ast.cast(value, typeNameOf(to), safe === true, ...span),
  },
});

/** @type {(node: unknown) => [Kind, Unknown]} */
function kindOf(node) {
  const { kind } = /** @type {Unknown} */ (typeof node === 'object' && node !== null ? node : {});
  if (!Object.hasOwn(KINDS, String(kind))) {
    const got = kind === undefined ? describe(node) : `kind ${describe(kind)}`;
    return fail('ERR_ARGUMENT', `${CALLER}: expected a node of kind ${Object.keys(KINDS).join(', ')}, got ${got}`);
  }
  return [KINDS[/** @type {Node['kind']} */ (kind)], /** @type {Unknown} */ (node)];
}

/**
 * A tree of ours from one that others made.
 *
 * @param {unknown} root
 * @returns {Node}
 * @throws {import('../../base/errors.js').GraphError} with code ERR_ARGUMENT where it is no tree of an expression
 */
function validate(root) {
  const build = (/** @type {unknown} */ given, /** @type {Node[]} */ operands) => {
    const [kind, node] = kindOf(given);
    return kind.build(node, operands, spanOf(node));
  };
  const operandsOf = (/** @type {unknown} */ given) => {
    const [kind, node] = kindOf(given);
    return kind.operands(node);
  };
  return fold(root, build, operandsOf);
}

module.exports = { literalOf, nameOf, typeNameOf, validate };
