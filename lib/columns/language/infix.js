/**
 * The operators behind an operand, each with how tightly it binds and what reads the rest of it. What groups to the
 * left or chains is read in loops, so that ten thousand terms nest no deeper than one.
 */
'use strict';

const { nearest } = require('../../base/check.js');
const ast = require('./ast.js');
const { METHODS, METHOD_NAMES, inRange, memberList } = require('./forms.js');
const { BINARY, COMPARISON, IS, LEVELS } = require('./operators.js');

/** @typedef {import('./ast.js').Node} Node */
/** @typedef {import('./parser.js').Parser} Parser */
/** The operator is the token at hand. @typedef {(parser: Parser, left: Node, start: number) => Node} Infix */

/** @type {(name: string, level: number) => Infix} */
const binary = (name, level) => (parser, left, start) => {
  parser.at++;
  const right = parser.expression(level + 1);
  return parser.nodes.call(name, [left, right], start, parser.end);
};

/** Groups to the right, and binds more tightly than a sign before it. @type {Infix} */
function power(parser, left, start) {
  parser.at++;
  const right = parser.expression(LEVELS.sign);
  return parser.nodes.call('power', [left, right], start, parser.end);
}

const comparisons = new Map(COMPARISON.map(([word, name]) => [word, name]));

/** `a < b < c` is `a < b and b < c` with one `b`. @type {Infix} */
function comparison(parser, left, start) {
  /** @type {Node | null} */
  let all = null;
  let from = start;
  for (let name = comparisons.get(parser.token.word); name; name = comparisons.get(parser.token.word)) {
    parser.at++;
    const rightStart = parser.token.start;
    if (!all && parser.is('[') && name.endsWith('equal')) return membership(parser, left, start, name === 'not_equal');
    const right = parser.expression(LEVELS.compare + 1);
    const one = parser.nodes.call(name, [left, right], from, parser.end);
    all = all ? ast.call('and', [all, one], start, parser.end) : one;
    left = right;
    from = rightStart;
  }
  return /** @type {Node} */ (all);
}

/** @type {(parser: Parser, node: Node, start: number, isNot: boolean) => Node} */
const perhapsNot = (parser, node, start, isNot) => (isNot ? ast.call('not', [node], start, parser.end) : node);

/** From the list on. @type {(parser: Parser, value: Node, start: number, isNot: boolean) => Node} */
function membership(parser, value, start, isNot) {
  const node = ast.within(value, memberList(parser), start, parser.end);
  return perhapsNot(parser, node, start, isNot);
}

/** @typedef {(parser: Parser, value: Node, start: number, isNot: boolean) => Node} Member */

/** @type {(name: string) => Member} */
const like = (name) => (parser, value, start, isNot) => {
  const args = [value, parser.expression(LEVELS.member + 1)];
  if (parser.accept('escape')) args.push(parser.expression(LEVELS.member + 1));
  return perhapsNot(parser, ast.call(name, args, start, parser.end), start, isNot);
};

/** @type {Member} */
function between(parser, value, start, isNot) {
  const low = parser.expression(LEVELS.member + 1);
  parser.expect('and', "an operator or 'and'");
  const high = parser.expression(LEVELS.member + 1);
  return perhapsNot(parser, inRange(value, low, high, start, parser.end), start, isNot);
}

/** @type {Readonly<Record<string, Member>>} */
const MEMBERS = Object.freeze({ in: membership, like: like('like'), ilike: like('ilike'), between });

/** @type {Infix} */
const member = (parser, left, start) => MEMBERS[parser.next().word](parser, left, start, false);

/** @type {Infix} */
function notMember(parser, left, start) {
  parser.at++;
  const { word } = parser.token;
  if (!Object.hasOwn(MEMBERS, word)) parser.unexpected("'in', 'like', 'ilike' or 'between'");
  parser.at++;
  return MEMBERS[word](parser, left, start, true);
}

const tests = new Map(IS);

/** @type {Infix} */
function is(parser, left, start) {
  parser.at++;
  const isNot = parser.accept('not');
  if (parser.accept('distinct')) {
    parser.expect('from');
    const right = parser.expression(LEVELS.is + 1);
    return ast.call(isNot ? 'is_not_distinct_from' : 'is_distinct_from', [left, right], start, parser.end);
  }
  const name = tests.get(`${isNot ? 'not ' : ''}${parser.token.word}`);
  if (name === undefined) {
    const meant = nearest(parser.token.word, ['null', 'true', 'false', 'distinct', 'not']);
    return parser.unexpected("'null', 'true', 'false', 'not' or 'distinct from'", meant && `did you mean '${meant}'?`);
  }
  parser.at++;
  return ast.call(name, [left], start, parser.end);
}

/** @type {(name: string) => Infix} */
const postfix = (name) => (parser, left, start) => {
  parser.at++;
  return ast.call(name, [left], start, parser.end);
};

/** `a ? b : c`, and more of them in place of `c`. @type {Infix} */
function conditional(parser, left, start) {
  /** @type {import('./ast.js').Branch[]} */
  const branches = [];
  let rest = left;
  while (parser.accept('?')) {
    const then = parser.expression();
    parser.expect(':', "an operator or ':'");
    branches.push({ when: rest, then });
    rest = parser.expression(LEVELS.or);
  }
  return ast.choice(branches, rest, start, parser.end);
}

/** `b if a else c`, and more of them in place of `c`. @type {Infix} */
function conditionalOfPython(parser, left, start) {
  /** @type {import('./ast.js').Branch[]} */
  const branches = [];
  let rest = left;
  while (parser.accept('if')) {
    const when = parser.expression(LEVELS.or);
    parser.expect('else', "an operator or 'else'");
    branches.push({ when, then: rest });
    rest = parser.expression(LEVELS.or);
  }
  return ast.choice(branches, rest, start, parser.end);
}

/** @type {Infix} */
function castOf(parser, left, start) {
  parser.at++;
  return ast.cast(left, parser.typeName(), false, start, parser.end);
}

/** pandas has the functions of strings and of times behind these. */
const ACCESSORS = ['str', 'dt'];

/** A field, or a function after its first argument: `a.b`, `a.b.upper()`, `a.b.str.upper()`. @type {Infix} */
function dotted(parser, left, start) {
  parser.at++;
  const { kind, word, value } = parser.token;
  if (kind !== 'name' && kind !== 'quoted') parser.unexpected("a name after '.'");
  parser.at++;
  if (parser.is('(')) return parser.call(METHOD_NAMES.get(word) ?? value.toLowerCase(), start, METHODS.get(word), [left]);
  if (kind === 'name' && ACCESSORS.includes(word) && parser.is('.') && parser.peek(2).word === '(') return left;
  return parser.nodes.field(left, value, start, parser.end) ?? parser.unexpected(`'(' and the arguments of ${value}`);
}

/** @type {ReadonlyMap<string, { level: number, parse: Infix }>} */
const INFIX = new Map(/** @type {[string, { level: number, parse: Infix }][]} */ ([
  ...BINARY.map(([word, name, level]) => [word, { level: LEVELS[level], parse: binary(name, LEVELS[level]) }]),
  ...COMPARISON.map(([word]) => [word, { level: LEVELS.compare, parse: comparison }]),
  ...Object.keys(MEMBERS).map((word) => [word, { level: LEVELS.member, parse: member }]),
  ['not', { level: LEVELS.member, parse: notMember }],
  ['is', { level: LEVELS.is, parse: is }],
  ['isnull', { level: LEVELS.is, parse: postfix('isnull') }],
  ['notnull', { level: LEVELS.is, parse: postfix('isnotnull') }],
  ['?', { level: LEVELS.choice, parse: conditional }],
  ['if', { level: LEVELS.choice, parse: conditionalOfPython }],
  ['**', { level: LEVELS.power, parse: power }],
  ['::', { level: LEVELS.postfix, parse: castOf }],
  ['.', { level: LEVELS.postfix, parse: dotted }],
]));

module.exports = { INFIX };
