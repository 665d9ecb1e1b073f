/**
 * Tree to text: one spelling for each tree, in SQL where there is a choice, which parses to the same tree again.
 * Brackets stand where they are needed only; a node that is shared is written once where the language can say so
 * (`a < b < c`, `between`, `case x when`), so that texts do not grow with each use.
 *
 * Pieces of text are joined with `+`, which V8 does without copying, and nothing looks into them: a tree ten thousand
 * levels deep takes time that grows with it, not with its square. (Its text may be nested deeper than texts may be.)
 */
'use strict';

const { fail } = require('../../base/errors.js');
const { FORMS, isPlainCall } = require('./forms.js');
const { printInterval } = require('./intervals.js');
const { BINARY, COMPARISON, CONTEXTUAL, IS, LEVELS, PREFIX, RESERVED } = require('./operators.js');
const { isPlainName } = require('./tokens.js');
const { fold } = require('./walk.js');

/** @typedef {import('./ast.js').Node} Node */
/**
 * The text of a node and how tightly it binds; of what has one, the text of its negation; of comparisons, the pieces of
 * the operands, what follows the left one, and the node on the right, which the next in a chain has on its left.
 *
 * @typedef {{ text: string, level: number, negated?: string, operands?: Piece[], tail?: string, last?: Node }} Piece
 */

/** A tree that shares nodes may have a text longer than any memory. */
const MAX_TEXT = 1 << 24;

/** @type {(items: string[]) => string} */
const commas = (items) => (items.length === 0 ? '' : items.reduce((all, item) => `${all}, ${item}`));

/** @type {(piece: Piece, level: number) => string} */
const operand = ({ text, level }, least) => (level < least ? `(${text})` : text);

/** @type {(text: string) => string} */
const string = (text) => `'${text.replaceAll("'", "''")}'`;

/** @type {(text: string) => string} */
const quoted = (text) => `"${text.replaceAll('"', '""')}"`;

const words = new Set([...RESERVED, ...CONTEXTUAL]);

/** @type {(name: string) => string} */
function printName(name) {
  const parts = name.split('.');
  return parts.every(isPlainName) && !words.has(parts[0].toLowerCase()) ? name : quoted(name);
}

/** A function's name as it may stand before operands of any kind. @type {(name: string) => string} */
function printFunctionName(name) {
  const isBare = isPlainName(name) && !RESERVED.includes(name) && !FORMS.has(name);
  return isBare ? name : quoted(name);
}

/** @type {(value: number) => string} */
function float(value) {
  if (Number.isNaN(value)) return "float 'nan'";
  if (!Number.isFinite(value)) return `float '${value < 0 ? '-' : ''}infinity'`;
  const text = Object.is(value, -0) ? '-0' : String(value);
  return /^-?\d+$/.test(text) ? `${text}.0` : text;
}

/** @type {Record<import('./ast.js').LiteralType, (value: any) => string>} */
const LITERAL = {
  integer: String,
  float,
  decimal: (value) => `decimal '${value}'`,
  string,
  boolean: String,
  null: String,
  date: (value) => `date ${string(value)}`,
  time: (value) => `time ${string(value)}`,
  timestamp: (value) => `timestamp ${string(value)}`,
  interval: (value) => `interval '${printInterval(value)}'`,
  binary: (value) => `x'${Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('hex')}'`,
};

/** @type {(to: Pick<import('./ast.js').TypeName, 'name' | 'args'>) => string} such as `decimal(38, 2)` */
function printTypeName({ name, args }) {
  if (args.length === 0) return name;
  const texts = args.map((arg) => (typeof arg === 'number' || isPlainName(arg) ? String(arg) : string(arg)));
  return args.every((arg) => typeof arg === 'number') ? `${name}(${commas(texts)})` : `${name}[${commas(texts)}]`;
}

/** @typedef {import('./ast.js').Call} Call */
/** Undefined where a call has not as many arguments as the operator. @typedef {(node: Call, pieces: Piece[]) => Piece | undefined} CallPrinter */

/** @type {(sign: string, left: number, own: number, right: number) => CallPrinter} */
const between = (sign, left, level, right) => ({ args }, [a, b]) =>
  args.length === 2 ? { text: `${operand(a, left)} ${sign} ${operand(b, right)}`, level } : undefined;

/** @type {(sign: string) => CallPrinter} */
const comparison = (sign) => ({ args }, pieces) => {
  if (args.length !== 2) return undefined;
  const [left, right] = pieces.map((piece) => operand(piece, LEVELS.compare + 1));
  const tail = ` ${sign} ${right}`;
  return { text: left + tail, level: LEVELS.compare, operands: pieces, tail, last: args[1] };
};

/** @type {(words: string) => CallPrinter} */
const is = (test) => ({ args }, [value]) =>
  args.length === 1 ? { text: `${operand(value, LEVELS.is)} is ${test}`, level: LEVELS.is } : undefined;

/** Both the operator and its negation. @type {(value: Piece, operator: string, rest: string) => Piece} */
const member = (value, operator, rest) => {
  const text = operand(value, LEVELS.member);
  return { text: `${text} ${operator} ${rest}`, negated: `${text} not ${operator} ${rest}`, level: LEVELS.member };
};

/** @type {(name: string) => CallPrinter} */
const like = (name) => ({ args }, [value, ...rest]) => {
  if (args.length !== 2 && args.length !== 3) return undefined;
  const [pattern, escape] = rest.map((piece) => operand(piece, LEVELS.member + 1));
  return member(value, name, escape === undefined ? pattern : `${pattern} escape ${escape}`);
};

/** @type {(node: Node, name: string) => node is Call} */
const isCall = (node, name) => node.kind === 'call' && node.name === name && node.args.length === 2;

/** `a and b`, `x between a and b`, `a < b < c`. @type {CallPrinter} */
function and(node, pieces) {
  if (node.args.length !== 2) return undefined;
  const [left, right] = node.args;
  const [a, b] = pieces;
  if (isCall(left, 'greater_than_or_equal_to') && isCall(right, 'less_than_or_equal_to') && left.args[0] === right.args[0]) {
    const [value, low] = /** @type {Piece[]} */ (a.operands);
    const [, high] = /** @type {Piece[]} */ (b.operands);
    return member(value, 'between', `${operand(low, LEVELS.member + 1)} and ${operand(high, LEVELS.member + 1)}`);
  }
  if (b.operands && right.kind === 'call' && a.last === right.args[0]) {
    return { text: `${a.text}${b.tail}`, level: LEVELS.compare, last: b.last };
  }
  return between('and', LEVELS.and, LEVELS.and, LEVELS.and + 1)(node, pieces);
}

/** @type {CallPrinter} */
function not({ args }, [value]) {
  if (args.length !== 1) return undefined;
  if (value.negated !== undefined) return { text: value.negated, level: value.level };
  return { text: `not ${operand(value, LEVELS.not)}`, level: LEVELS.not };
}

/** A number would take the sign as its own, and two signs might begin a comment. @type {CallPrinter} */
function negative({ args }, [value]) {
  if (args.length !== 1) return undefined;
  const [inner] = args;
  const isSigned = value.level === LEVELS.sign;
  const isNumber = inner.kind === 'literal' && !isSigned;
  return { text: `${isSigned ? '- ' : '-'}${isNumber ? `(${value.text})` : operand(value, LEVELS.sign)}`, level: LEVELS.sign };
}

/** @type {(sign: string) => CallPrinter} */
const prefix = (sign) => ({ args }, [value]) =>
  args.length === 1 ? { text: `${sign}${operand(value, LEVELS.sign)}`, level: LEVELS.sign } : undefined;

/** What has a spelling of its own; of several spellings of a function the first. @type {ReadonlyMap<string, CallPrinter>} */
const CALLS = new Map(/** @type {[string, CallPrinter][]} */ ([
  ...BINARY.map(([sign, name, level]) => [name, between(sign, LEVELS[level], LEVELS[level], LEVELS[level] + 1)]),
  ...COMPARISON.map(([sign, name]) => [name, comparison(sign)]),
  ...PREFIX.map(([sign, name]) => [name, prefix(sign)]),
  ...IS.map(([test, name]) => [name, is(test)]),
].reverse().concat([
  ['and', and],
  ['not', not],
  ['negative', negative],
  ['power', between('**', LEVELS.postfix, LEVELS.power, LEVELS.sign)],
  ['is_distinct_from', between('is distinct from', LEVELS.is, LEVELS.is, LEVELS.is + 1)],
  ['is_not_distinct_from', between('is not distinct from', LEVELS.is, LEVELS.is, LEVELS.is + 1)],
  ['like', like('like')],
  ['ilike', like('ilike')],
])));

/** @type {(node: Call, pieces: Piece[]) => Piece} */
function call(node, pieces) {
  const special = CALLS.get(node.name)?.(node, pieces);
  if (special) return special;
  const { name, args } = node;
  const bare = isPlainName(name) && !RESERVED.includes(name) && isPlainCall(name, args);
  return { text: `${bare ? name : quoted(name)}(${commas(pieces.map(({ text }) => text))})`, level: LEVELS.atom };
}

/** The node that all conditions compare with another, if it is one and the same. @type {(branches: readonly import('./ast.js').Branch[]) => boolean} */
function hasSubject(branches) {
  const subjects = branches.map(({ when }) => (isCall(when, 'equal') ? when.args[0] : undefined));
  return branches.length > 1 && subjects[0] !== undefined && subjects.every((subject) => subject === subjects[0]);
}

/** @type {(node: import('./ast.js').Case, pieces: Piece[]) => Piece} */
function choice({ branches, otherwise }, pieces) {
  const isSimple = hasSubject(branches);
  let text = isSimple ? `case ${pieces[0].operands?.[0].text}` : 'case';
  for (const i of branches.keys()) {
    const [when, then] = pieces.slice(2 * i);
    text += ` when ${isSimple ? when.operands?.[1].text : when.text} then ${then.text}`;
  }
  const rest = otherwise ? ` else ${pieces[2 * branches.length].text} end` : ' end';
  return { text: text + rest, level: LEVELS.atom };
}

/** @type {(text: string, isSigned?: boolean) => Piece} */
const atom = (text, isSigned = false) => ({ text, level: isSigned ? LEVELS.sign : LEVELS.atom });

/** @type {{ [K in Node['kind']]: (node: Extract<Node, { kind: K }>, pieces: Piece[]) => Piece }} */
const PRINT = {
  literal: ({ type, value }) => {
    const text = LITERAL[type](value);
    return atom(text, text.startsWith('-'));
  },
  name: ({ name }) => atom(printName(name)),
  parameter: ({ name }) => atom(`:${isPlainName(name) ? name : quoted(name)}`),
  call,
  in: (_, [value, ...list]) => member(value, 'in', `(${commas(list.map(({ text }) => text))})`),
  case: choice,
  cast: ({ to, safe }, [value]) => atom(`${safe ? 'try_cast' : 'cast'}(${value.text} as ${printTypeName(to)})`),
};

/**
 * @param {Node} root
 * @returns {string} the canonical text, which parses to the same tree
 */
function print(root) {
  const print1 = (/** @type {Node} */ node, /** @type {Piece[]} */ pieces) => {
    const piece = /** @type {any} */ (PRINT)[node.kind](node, pieces);
    if (piece.text.length > MAX_TEXT) fail('ERR_OVERFLOW', `print: the text of the expression has more than ${MAX_TEXT} characters`);
    return piece;
  };
  return fold(root, print1).text;
}

module.exports = { print, printFunctionName, printTypeName };
