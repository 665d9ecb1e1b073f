/**
 * What begins an operand: literals, brackets, parameters, `case`, and operators that stand before their operand.
 *
 * `date`, `interval` and the like are names of columns unless a string follows. A minus right before a number belongs
 * to it, so that the least integer can be written; `-x` and `-(5)` are calls.
 */
'use strict';

const ast = require('./ast.js');
const { intervalOf, parseInterval } = require('./intervals.js');
const { LEVELS, PREFIX } = require('./operators.js');
const { MAX_DIGITS } = require('./tokens.js');

/** @typedef {import('./ast.js').Node} Node */
/** @typedef {import('./parser.js').Parser} Parser */
/** @typedef {import('./tokens.js').Token} Token */
/** Null where a word is but a name. @typedef {(parser: Parser, min: number) => Node | null} Operand */

/** @type {Partial<Record<Token['kind'], (nodes: import('./parser.js').Makers, value: any, start: number, end: number) => Node>>} */
const LITERAL = {
  number: (nodes, { type, value }, start, end) => nodes.literal(type, value, start, end),
  string: (nodes, value, start, end) => nodes.literal('string', value, start, end),
  binary: (nodes, value, start, end) => nodes.literal('binary', value, start, end),
};

/** @type {(type: import('./ast.js').LiteralType, value: boolean | null) => (parser: Parser) => Node} */
const constant = (type, value) => (parser) => {
  const { start, end } = parser.next();
  return parser.nodes.literal(type, value, start, end);
};

/** @type {(name: string, level: number) => (parser: Parser, min: number) => Node} */
const prefix = (name, level) => (parser, min) => {
  const { start, text } = parser.next();
  if (level === LEVELS.not && level < min) {
    parser.fail(start, `'${text}' binds more loosely than the operator before it`, `write (${text} …)`);
  }
  const first = parser.token;
  const operand = parser.expression(level);
  if (name === 'negative' && first.kind === 'number' && first.end === parser.end) {
    return parser.nodes.negated(/** @type {import('./ast.js').Literal} */ (operand), start);
  }
  return parser.nodes.call(name, [operand], start, parser.end);
};

/** @type {(parser: Parser) => Node} */
function brackets(parser) {
  const open = parser.next();
  const node = parser.expression();
  parser.close(')', open);
  return node;
}

/** @type {(parser: Parser) => Node} */
function parameter(parser) {
  const sign = parser.next();
  const { kind, value, start, end } = parser.token;
  if ((kind !== 'name' && kind !== 'quoted') || start !== sign.end) parser.unexpected(`the name of a parameter right after '${sign.text}'`);
  parser.at++;
  return ast.parameter(value, sign.start, end);
}

/** @type {(parser: Parser) => Node} */
function caseOf(parser) {
  const { start } = parser.next();
  const subject = parser.is('when') ? null : parser.expression();
  /** @type {import('./ast.js').Branch[]} */
  const branches = [];
  parser.expect('when');
  do {
    const from = parser.token.start;
    const test = parser.expression();
    const when = subject ? ast.call('equal', [subject, test], from, parser.end) : test;
    parser.expect('then', "an operator or 'then'");
    branches.push({ when, then: parser.expression() });
  } while (parser.accept('when'));
  const otherwise = parser.accept('else') ? parser.expression() : null;
  parser.expect('end', otherwise ? "an operator or 'end'" : "an operator, 'when', 'else' or 'end'");
  return ast.choice(branches, otherwise, start, parser.end);
}

const DECIMAL = /^[-+]?(?:\d+\.?\d*|\.\d+)$/;
const FLOAT = /^[-+]?(?:(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?|inf(?:inity)?)$|^nan$/i;

/** @type {(text: string) => number | undefined} */
function parseFloatText(text) {
  const spelled = text.trim();
  if (!FLOAT.test(spelled)) return undefined;
  if (/nan/i.test(spelled)) return NaN;
  if (/inf/i.test(spelled)) return spelled.startsWith('-') ? -Infinity : Infinity;
  const value = Number(spelled);
  return Number.isFinite(value) ? value : undefined;
}

/** @type {(text: string) => string | undefined} */
function parseDecimalText(text) {
  const spelled = text.trim();
  return DECIMAL.test(spelled) && spelled.length <= MAX_DIGITS ? spelled : undefined;
}

/** Types whose name before a string makes a literal, with what reads the string. @type {Readonly<Record<string, [import('./ast.js').LiteralType, (text: string) => any]>>} */
const TYPED = Object.freeze({
  date: ['date', String],
  time: ['time', String],
  timestamp: ['timestamp', String],
  datetime: ['timestamp', String],
  decimal: ['decimal', parseDecimalText],
  numeric: ['decimal', parseDecimalText],
  float: ['float', parseFloatText],
  double: ['float', parseFloatText],
});

/** @type {(parser: Parser) => Node | null} */
function typed(parser) {
  const { word, start } = parser.token;
  if (parser.peek().kind !== 'string') return null;
  parser.at++;
  const { value, end, text, start: at } = parser.next();
  const [type, read] = TYPED[word];
  const found = read(value);
  if (found === undefined) parser.fail(at, `${text.slice(0, 40)} is no ${type}`);
  return parser.nodes.literal(type, found, start, end);
}

/** `interval '1 month'`, `interval '1' month`, `interval 1 month`. @type {(parser: Parser) => Node | null} */
function interval(parser) {
  const { start } = parser.token;
  const { kind, value, text, start: at } = parser.peek();
  if (kind !== 'string' && kind !== 'number') return null;
  parser.at += 2;
  const amount = kind === 'string' ? value.trim() : text.replace(/_/g, '');
  const isAmount = DECIMAL.test(amount);
  if (isAmount && parser.token.kind !== 'name') parser.unexpected('a unit of time, such as day');
  const found = isAmount ? intervalOf(amount, parser.next().word) : parseInterval(amount);
  if (typeof found === 'string') parser.fail(at, found);
  return parser.nodes.literal('interval', /** @type {any} */ (found), start, parser.end);
}

/** @type {ReadonlyMap<string, Operand>} */
const OPERAND = new Map(/** @type {[string, Operand][]} */ ([
  ...PREFIX.map(([word, name, level]) => [word, prefix(name, LEVELS[level])]),
  ...Object.keys(TYPED).map((word) => [word, typed]),
  ['+', (/** @type {Parser} */ parser) => {
    parser.at++;
    return parser.expression(LEVELS.sign);
  }],
  ['(', brackets],
  ['@', parameter],
  [':', parameter],
  ['case', caseOf],
  ['interval', interval],
  ['null', constant('null', null)],
  ['true', constant('boolean', true)],
  ['false', constant('boolean', false)],
]));

module.exports = { LITERAL, OPERAND, parameter, parseDecimalText };
