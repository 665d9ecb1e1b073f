/**
 * Text to tree, by precedence climbing (Pratt): an operand, then operators for as long as they bind tightly enough.
 * What groups to the left is a loop, however long; what is nested is a call, and only so deep.
 *
 * What begins an operand is in operands.js, operators behind one are in infix.js, functions with a grammar of their own
 * in forms.js; all read on with the methods of the parser that they are given.
 */
'use strict';

const { nearest, string } = require('../../base/check.js');
const ast = require('./ast.js');
const { complain, positionOf } = require('./complaint.js');
const { FORMS, isDistinct } = require('./forms.js');
const { INFIX } = require('./infix.js');
const { LITERAL, OPERAND } = require('./operands.js');
const { LEVELS, RESERVED } = require('./operators.js');
const { tokenize } = require('./tokens.js');

/** @typedef {import('./ast.js').Node} Node */
/** @typedef {import('./tokens.js').Token} Token */

/** Expressions within expressions, operands of operators included. The stack of Node holds twice as many at least. */
const MAX_DEPTH = 400;

/** @type {Readonly<Record<string, string>>} */
const OPERAND_ADVICE = Object.freeze({
  '?': 'parameters have names: :name or @name',
  '[': "a list stands after 'in'",
  '*': "'*' alone stands in count(*) only",
});

/** Functions that are operators and may be called like others, too. */
const CALLABLE = ['like', 'ilike'];

const ZONES = new Map([['with', 'with time zone'], ['without', 'without time zone']]);
/** What may stand behind the first word of a type. @type {ReadonlyMap<string, ReadonlyMap<string, string>>} */
const TYPE_WORDS = new Map([
  ['double', new Map([['precision', 'precision']])],
  ['character', new Map([['varying', 'varying']])],
  ['timestamp', ZONES],
  ['time', ZONES],
]);

/** Words that may stand behind an operand. */
const FOLLOWING = ['and', 'or', 'not', 'is', 'in', 'like', 'ilike', 'between', 'when', 'then', 'else', 'end', 'if'];

/** Words that may be more than a name of a column or function. */
const SPECIAL = new Set([...OPERAND.keys(), ...FORMS.keys(), ...RESERVED]);

/** @type {(text: string) => string} */
const clip = (text) => (text.length > 40 ? `${text.slice(0, 40)}…` : text);

/** @type {(token: Token) => string} */
const quote = ({ kind, text }) => (kind === 'string' || kind === 'quoted' ? clip(text) : `'${clip(text)}'`);

/**
 * What makes literals, names with their fields, operators and calls, from left to right and operands before what has
 * them. What it makes is only handed on to it, or given back; all other kinds of nodes are those of ast.js.
 *
 * @typedef {Pick<typeof ast, 'literal' | 'negated' | 'name' | 'field' | 'call'>} Makers
 */

class Parser {
  at = 0;
  depth = 0;

  /**
   * @param {string} text
   * @param {Makers} [nodes]
   */
  constructor(text, nodes = ast) {
    this.text = text;
    this.nodes = nodes;
    this.tokens = tokenize(text);
  }

  get token() {
    return this.tokens[this.at];
  }

  /** Where the token before ended. */
  get end() {
    return this.tokens[this.at - 1].end;
  }

  /** @param {number} [ahead] */
  peek(ahead = 1) {
    return this.tokens[Math.min(this.at + ahead, this.tokens.length - 1)];
  }

  next() {
    return this.tokens[this.at++];
  }

  /** Whether this token is a keyword or sign. @param {string} word */
  is(word) {
    return this.token.word === word;
  }

  /** @param {string} word */
  accept(word) {
    if (!this.is(word)) return false;
    this.at++;
    return true;
  }

  /** @param {string} word @param {string} [what] is expected */
  expect(word, what = `'${word}'`) {
    return this.accept(word) || this.unexpected(what);
  }

  /** The end of a list or of brackets. @param {string} word @param {Token} open */
  close(word, open) {
    if (this.accept(word)) return;
    const what = `an operator or '${word}'`;
    if (this.token.kind !== 'end') this.unexpected(what);
    const { line, column } = positionOf(this.text, open.start);
    this.unexpected(what, `'${open.text}' at ${line}:${column + 1} is not closed`);
  }

  /** @param {number} at @param {string} reason @param {string} [advice] @returns {never} */
  fail(at, reason, advice) {
    return complain(this.text, at, reason, advice);
  }

  /** @param {string} what was expected @param {string} [advice] @returns {never} */
  unexpected(what, advice = this.#advice()) {
    const { kind, start } = this.token;
    const got = kind === 'end' ? 'the end of the text' : quote(this.token);
    return this.fail(start, `expected ${what}, got ${got}`, advice);
  }

  /** What a word that does not fit may have meant. */
  #advice() {
    const { kind, word } = this.token;
    const meant = kind === 'name' && word.length > 2 ? nearest(word, FOLLOWING) : undefined;
    return meant === undefined || meant === word ? undefined : `did you mean '${meant}'?`;
  }

  /**
   * @param {number} [min] how tightly operators must bind
   * @returns {Node}
   */
  expression(min = LEVELS.choice) {
    const { start } = this.token;
    if (++this.depth > MAX_DEPTH) {
      this.fail(start, `expressions are nested more than ${MAX_DEPTH} deep`);
    }
    const node = this.rest(this.#operand(min), start, min);
    this.depth--;
    return node;
  }

  /**
   * What follows an operand that has been read.
   *
   * @param {Node} operand
   * @param {number} start
   * @param {number} [min]
   */
  rest(operand, start, min = LEVELS.choice) {
    let left = operand;
    for (let row = INFIX.get(this.token.word); row && row.level >= min; row = INFIX.get(this.token.word)) {
      left = row.parse(this, left, start);
    }
    return left;
  }

  /** @param {number} min @returns {Node} */
  #operand(min) {
    const { kind, word, value, start, end } = this.token;
    if (kind === 'name' && !SPECIAL.has(word)) return this.#plainNameOrCall(value, word);
    const node = OPERAND.get(word)?.(this, min);
    if (node) return node;
    if (kind === 'name' || kind === 'quoted') return this.#nameOrCall();
    const literal = LITERAL[kind]?.(this.nodes, value, start, end);
    if (!literal) return this.#noOperand();
    this.at++;
    return literal;
  }

  /** @returns {never} */
  #noOperand() {
    const { word, kind, text } = this.token;
    const before = this.at > 0 ? ` after ${quote(this.tokens[this.at - 1])}` : '';
    const advice = OPERAND_ADVICE[word] ?? (kind === 'name' ? `'${word}' is a keyword, as a name it is written "${text}"` : undefined);
    return this.unexpected(`a value${before}`, advice);
  }

  /** @returns {Node} */
  #nameOrCall() {
    const { kind, word, value } = this.token;
    if (kind === 'name' && RESERVED.includes(word) && !(this.peek().word === '(' && CALLABLE.includes(word))) this.#noOperand();
    return this.#plainNameOrCall(value, kind === 'name' ? word : value.toLowerCase(), FORMS.get(word));
  }

  /** @param {string} name @param {string} callee @param {import('./forms.js').Form} [form] @returns {Node} */
  #plainNameOrCall(name, callee, form) {
    const { start, end } = this.next();
    return this.is('(') ? this.call(callee, start, form) : this.nodes.name(name, start, end);
  }

  /**
   * A call, from its bracket on.
   *
   * @param {string} name
   * @param {number} start
   * @param {import('./forms.js').Form} [form]
   * @param {Node[]} [before] arguments that stand before the name
   * @returns {Node}
   */
  call(name, start, form, before = []) {
    const open = this.next();
    if (form) return form({ parser: this, name, start, open, before });
    if (isDistinct(this) && this.peek().word !== '(') {
      this.fail(this.token.start, `'distinct' stands in count(distinct x) only, ${name} has none`);
    }
    const args = this.list(')', open);
    return this.nodes.call(name, before.length > 0 ? [...before, ...args] : args, start, this.end);
  }

  /**
   * Expressions with commas between them, up to a bracket; the last comma may be followed by none.
   *
   * @param {')' | ']'} close
   * @param {Token} open
   * @param {Node[]} [items] that have been read, with a comma to come
   * @param {readonly string[]} [commas] words that do for a comma
   */
  list(close, open, items = [], commas = []) {
    const goesOn = () => (this.accept(',') ? !this.is(close) : commas.some((word) => this.accept(word)));
    for (let more = items.length === 0 ? !this.is(close) : goesOn(); more; more = goesOn()) {
      items.push(this.expression());
    }
    this.close(close, open);
    return items;
  }

  /** @returns {import('./ast.js').TypeName} */
  typeName() {
    const { kind, value, start, end } = this.token;
    if (kind === 'string') {
      const found = quotedTypeName(value) ?? this.fail(start, `${quote(this.next())} is no type`);
      this.at++;
      return ast.typeName(found.name, found.args, start, end);
    }
    if (kind !== 'name') this.unexpected('the name of a type');
    const first = this.next().word;
    const args = this.#typeArguments();
    const more = TYPE_WORDS.get(first)?.get(this.token.word);
    for (const word of more?.split(' ') ?? []) this.expect(word);
    if (args.length === 0) args.push(...this.#typeArguments());
    return ast.typeName(more ? `${first} ${more}` : first, args, start, this.end);
  }

  /** In brackets: numbers, units and zones, the last two with or without quotes. */
  #typeArguments() {
    /** @type {(number | string)[]} */
    const args = [];
    const close = this.is('(') ? ')' : ']';
    if (!this.is('(') && !this.is('[')) return args;
    const open = this.next();
    do args.push(this.#typeArgument(close));
    while (this.accept(','));
    this.close(close, open);
    return args;
  }

  /** @param {string} close */
  #typeArgument(close) {
    const first = this.token;
    while (!this.is(',') && !this.is(close) && this.token.kind !== 'end') this.at++;
    if (this.token === first) this.unexpected('a number or a word');
    if (first.kind === 'string' && this.end === first.end) return /** @type {string} */ (first.value);
    const text = this.text.slice(first.start, this.end);
    return /^-?\d{1,9}$/.test(text) ? Number(text) : text;
  }

  /** Nothing may follow. @param {string} what may */
  finish(what) {
    const { kind, word } = this.token;
    if (kind === 'end') return;
    if (word === 'as') this.unexpected(what, "names of results are keys of an object: expr({ name: '…' })");
    this.unexpected(what, word === ')' || word === ']' ? `'${word}' closes nothing` : undefined);
  }
}

/**
 * The tree of an expression.
 *
 * @param {string} text
 * @param {Makers} [nodes] for who needs no tree
 * @returns {Node}
 * @throws {import('../../base/errors.js').GraphError} with code ERR_PARSE, line, column and a caret at the mistake
 */
function parse(text, nodes) {
  const parser = new Parser(string(text, 'the expression', 'parse'), nodes);
  const node = parser.expression();
  parser.finish('an operator or the end of the text');
  return node;
}

/**
 * The name of a data type, as it stands in a cast: `decimal(38, 2)`, `timestamp[us, UTC]`, `double precision`.
 *
 * @param {string} text
 * @returns {import('./ast.js').TypeName}
 */
function parseTypeName(text) {
  const parser = new Parser(string(text, 'the type', 'parse'));
  const name = parser.typeName();
  parser.finish('the end of the type');
  return name;
}

/** @type {(text: string) => import('./ast.js').TypeName | undefined} */
function quotedTypeName(text) {
  try {
    return parseTypeName(text);
  } catch {
    return undefined; // the caller knows the place of the text within its own
  }
}

module.exports = { Parser, parse, parseTypeName };
