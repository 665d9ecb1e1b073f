/**
 * Functions whose arguments are more than expressions with commas between them, as SQL has some, and methods of pandas
 * that are operators here. What fits none of their grammars is a call like any other.
 */
'use strict';

const ast = require('./ast.js');
const { unitNames } = require('./intervals.js');
const { parameter } = require('./operands.js');
const { LEVELS } = require('./operators.js');

/** @typedef {import('./ast.js').Node} Node */
/** @typedef {import('./parser.js').Parser} Parser */
/** @typedef {import('./tokens.js').Token} Token */
/** A call of which name and bracket have been read. @typedef {{ parser: Parser, name: string, start: number, open: Token, before: Node[] }} CallStart */
/** @typedef {(call: CallStart) => Node} Form */

/**
 * A call like any other, of which some arguments have been read.
 *
 * @param {CallStart} call
 * @param {Node[]} [args]
 * @param {readonly string[]} [commas]
 */
function plain({ parser, name, start, open, before }, args = [], commas = []) {
  return ast.call(name, [...before, ...parser.list(')', open, args, commas)], start, parser.end);
}

/** Words that do for a comma, too. @type {(...commas: string[]) => Form} */
const withCommas = (...commas) => (call) => plain(call, [], commas);

/** @type {(token: Token) => Node} */
const word = ({ value, start, end }) => ast.literal('string', value.toLowerCase(), start, end);

/** `extract(year from x)`: the field is a string. @type {Form} */
function extract(call) {
  const { parser } = call;
  const { kind } = parser.token;
  if ((kind !== 'name' && kind !== 'string') || parser.peek().word !== 'from') return plain(call);
  const field = word(parser.next());
  parser.at++;
  return plain(call, [field, parser.expression()]);
}

/** `position(a in b)`, where `in` has no list. @type {Form} */
function position(call) {
  const { parser } = call;
  if (parser.is(')')) return plain(call);
  const { start } = parser.token;
  const first = parser.expression(LEVELS.member + 1);
  if (!parser.accept('in')) return plain(call, [parser.rest(first, start)]);
  const text = parser.expression();
  parser.close(')', call.open);
  return ast.call('position', [first, text], call.start, parser.end);
}

const units = new Set(unitNames);

/** `timestampadd(day, 1, x)`: the unit is a string. @type {Form} */
function unitFirst(call) {
  const { parser } = call;
  const { kind, word: name } = parser.token;
  const isUnit = kind === 'name' && units.has(name.replace(/^sql_tsi_/, '')) && parser.peek().word === ',';
  return plain(call, isUnit ? [word(parser.next())] : []);
}

/** What may begin the argument behind `distinct`. @type {readonly Token['kind'][]} */
const OPERANDS = ['name', 'quoted', 'number', 'string'];

/** Whether an argument begins with the word `distinct`, not with a column of that name. @type {(parser: Parser) => boolean} */
const isDistinct = (parser) => parser.is('distinct') && (OPERANDS.includes(parser.peek().kind) || parser.peek().word === '(');

/** `count(*)` has no arguments, `count(distinct x)` is another function. @type {Form} */
function count(call) {
  const { parser } = call;
  if (parser.is('*') && parser.peek().word === ')') parser.at++;
  if (!isDistinct(parser)) return plain(call);
  parser.at++;
  return plain({ ...call, name: 'count_distinct' });
}

const TRIM = new Map([['both', 'trim'], ['leading', 'ltrim'], ['trailing', 'rtrim']]);

/** `trim(leading 'x' from s)`: the string comes first in the call. @type {Form} */
function trim(call) {
  const { parser, start, open } = call;
  const side = OPERANDS.includes(parser.peek().kind) ? TRIM.get(parser.token.word) : undefined;
  if (side) parser.at++;
  if (parser.is(')')) return plain(call);
  const characters = side && parser.is('from') ? [] : [parser.expression()];
  if (!side && !parser.is('from')) return plain(call, characters);
  parser.expect('from', "an operator or 'from'");
  const text = parser.expression();
  parser.close(')', open);
  return ast.call(side ?? 'trim', [text, ...characters], start, parser.end);
}

/** @type {Form} */
function conditional(call) {
  const { parser, name, start, open } = call;
  const [when, then, otherwise, ...more] = parser.list(')', open);
  if (!otherwise || more.length > 0) parser.fail(start, `${name} takes a condition and two results`);
  return ast.choice([{ when, then }], otherwise, start, parser.end);
}

/** @type {(isSafe: boolean) => Form} */
const cast = (isSafe) => ({ parser, start, open, before: [before] }) => {
  const value = before ?? parser.expression();
  if (!before && !parser.accept(',')) parser.expect('as', "an operator or 'as'");
  const type = parser.typeName();
  parser.close(')', open);
  return ast.cast(value, type, isSafe, start, parser.end);
};

/** Functions by name. @type {ReadonlyMap<string, Form>} */
const FORMS = new Map([
  ['cast', cast(false)],
  ['try_cast', cast(true)],
  ['safe_cast', cast(true)],
  ['if', conditional],
  ['iif', conditional],
  ['extract', extract],
  ['count', count],
  ['position', position],
  ['trim', trim],
  ['timestampadd', unitFirst],
  ['timestampdiff', unitFirst],
  ['substring', withCommas('from', 'for')],
  ['substr', withCommas('from', 'for')],
]);
/** What has no `in` within. @type {readonly Node['kind'][]} */
const LEAVES = ['literal', 'name', 'parameter'];
/** Forms that are no calls. */
const OTHERWISE = ['cast', 'try_cast', 'safe_cast', 'if', 'iif'];

/** Whether a call is read as this one when its arguments stand between commas. @type {(name: string, args: readonly Node[]) => boolean} */
function isPlainCall(name, [first]) {
  const form = FORMS.get(name);
  if (form === unitFirst) return first?.kind !== 'name';
  if (form === position) return first === undefined || LEAVES.includes(first.kind);
  return !OTHERWISE.includes(name);
}

/** In brackets of either kind, or a parameter. @type {(parser: Parser) => Node[]} */
function memberList(parser) {
  if (parser.is('@') || parser.is(':')) return [parameter(parser)];
  if (!parser.is('(') && !parser.is('[')) parser.unexpected("'(', '[' or a parameter with the list");
  const open = parser.next();
  return parser.list(open.word === '(' ? ')' : ']', open);
}

/** @type {(value: Node, low: Node, high: Node, start?: number, end?: number) => Node} */
function inRange(value, low, high, start, end) {
  const above = ast.call('greater_than_or_equal_to', [value, low], start, end);
  const below = ast.call('less_than_or_equal_to', [value, high], start, end);
  return ast.call('and', [above, below], start, end);
}

/** @type {Form} */
function isIn({ parser, start, open, before: [value] }) {
  const list = memberList(parser);
  parser.close(')', open);
  return ast.within(value, list, start, parser.end);
}

/** @type {Form} */
function between({ parser, start, open, before: [value] }) {
  const [low, high, ...more] = parser.list(')', open);
  if (!high || more.length > 0) parser.fail(start, 'between takes two bounds');
  return inRange(value, low, high, start, parser.end);
}

/** Functions behind their first argument, as pandas has them. @type {ReadonlyMap<string, Form>} */
const METHODS = new Map([['isin', isIn], ['between', between], ['astype', cast(false)], ['cast', cast(false)]]);
/** What pandas calls otherwise. @type {ReadonlyMap<string, string>} */
const METHOD_NAMES = new Map([['isna', 'isnull'], ['notna', 'isnotnull'], ['notnull', 'isnotnull']]);

module.exports = { FORMS, METHODS, METHOD_NAMES, inRange, isDistinct, isPlainCall, memberList };
