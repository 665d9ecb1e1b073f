/**
 * Programs as text: expressions such as `x + 2 * sin(y)` to tokens, by the parser of expressions over columns, and
 * tokens to text and LaTeX.
 *
 * Nothing here is recursive over the depth of a program but the parser, which takes 400 levels.
 */
'use strict';

const { fail } = require('../base/errors.js');
const { unknownName } = require('../base/check.js');
const { ALIASES, CONSTANT, LEVELS, VARIABLE } = require('./operators.js');
const { Writer } = require('./writer.js');

/** @typedef {import('./operators.js').Language} Language */
/** In postfix order. @typedef {{ tokens: ArrayLike<number>, constants: ArrayLike<number> }} Program */

/** Expressions over columns are loaded by the first text. @type {typeof import('../columns/language/index.js').parse} */
let parse = (text, nodes) => {
  parse = require('../columns/language/index.js').parse;
  return parse(text, nodes);
};

/** Of a token, from 1 on, as nodes are not falsy: what the parser has for nodes. @typedef {any} Place */

/**
 * Texts to tokens. The parser hands over what it reads in postfix order, so there need be no tree; a node is the place
 * where its tokens begin. What it makes of other nodes, or hands over in another order, is no program.
 */
class Reader {
  #writer;
  #variables;
  #language;
  /** What the parser calls operators. @type {Map<string, number>} */
  #operators;
  #caller;
  #text = '';
  /** Where values begin that no operator has taken, the first `depth`. @type {number[]} */
  #begins = [];
  #depth = 0;
  /** The name that was read last, which may have a field to come. */
  #name = '';
  #isUnknown = false;
  #isZero = false;

  /** @param {Writer} writer @param {readonly string[]} variables @param {Language} language @param {string} caller */
  constructor(writer, variables, language, caller) {
    this.#writer = writer;
    this.#variables = new Map(variables.map((name, i) => [name, i]));
    this.#language = language;
    this.#operators = new Map(language.numbers);
    for (const [alias, name] of ALIASES) {
      const number = language.numbers.get(name);
      if (number !== undefined) this.#operators.set(alias, number);
    }
    this.#caller = caller;
  }

  /** @param {string} text whose tokens are written */
  read(text) {
    this.#text = text;
    this.#depth = 0;
    this.#name = '';
    this.#isUnknown = false;
    /** @type {Place} */
    const root = parse(text, this);
    this.#endName();
    if (this.#depth !== 1 || this.#begins[0] !== root) this.#refuse();
  }

  /** @returns {never} */
  #refuse() {
    return fail('ERR_PARSE', `${this.#caller}: "${this.#text}" is no expression of numbers, operators and variables`);
  }

  /** No field follows. */
  #endName() {
    if (this.#isUnknown) unknownName(this.#caller, 'variable', this.#name, [...this.#variables.keys()]);
    this.#name = '';
  }

  /** @param {number} token @param {number} constant @returns {Place} */
  #leaf(token, constant) {
    this.#endName();
    this.#writer.put(token, constant);
    this.#begins[this.#depth++] = this.#writer.length;
    return this.#writer.length;
  }

  /** @param {import('../columns/language/ast.js').LiteralType} type @param {unknown} value @returns {Place} */
  literal(type, value) {
    this.#isZero = value === 0n;
    if (type === 'integer' || type === 'float' || type === 'decimal') return this.#leaf(CONSTANT, Number(value));
    return fail('ERR_PARSE', `${this.#caller}: a constant of "${this.#text}" is no number`);
  }

  /** The number that was read last, with a minus before it: -0 is an integer, -0.0 is not. @param {Place} place @returns {Place} */
  negated(place) {
    if (!this.#isZero) this.#writer.negate();
    return place;
  }

  /** @param {string} name @returns {Place} */
  name(name) {
    const found = this.#variables.get(name);
    const place = this.#leaf(VARIABLE - (found ?? 0), 0);
    this.#name = name;
    this.#isUnknown = found === undefined;
    return place;
  }

  /** @param {Place} place @param {string} field @returns {Place | null} */
  field(place, field) {
    const name = this.#name;
    if (name === '' || place !== this.#writer.length) return null;
    this.#isUnknown = false;
    this.#writer.length--;
    this.#depth--;
    return this.name(`${name}.${field}`);
  }

  /** @param {string} name @param {readonly Place[]} operands @returns {Place} */
  call(name, operands) {
    this.#endName();
    const isConstant = operands[0] === this.#writer.length && this.#writer.last === CONSTANT;
    if (name === 'negative' && isConstant) {
      this.#writer.negate();
      return operands[0];
    }
    const operator = this.#operator(name);
    const arity = this.#language.arity(operator);
    if (operands.length !== arity) {
      fail('ERR_PARSE', `${this.#caller}: operator '${name}' takes ${arity} operands, got ${operands.length} in "${this.#text}"`);
    }
    const first = this.#depth - arity;
    for (let i = 0; i < arity; i++) if (this.#begins[first + i] !== operands[i]) this.#refuse();
    this.#depth = first + 1;
    this.#writer.put(operator, 0);
    return operands[0];
  }

  /** @param {string} name */
  #operator(name) {
    const found = this.#operators.get(name);
    if (found !== undefined) return found;
    if (name === '^') {
      return fail('ERR_PARSE', `${this.#caller}: '^' is no power in "${this.#text}", powers are '**'`);
    }
    return unknownName(this.#caller, 'operator', ALIASES.get(name) ?? name, [...this.#language.numbers.keys()]);
  }
}

/** @param {string} text @param {readonly string[]} variables @param {Language} language @param {string} caller */
function read(text, variables, language, caller) {
  const writer = new Writer();
  new Reader(writer, variables, language, caller).read(text);
  const { tokens, constants } = writer.finish([]);
  return { tokens: [...tokens], constants: [...constants] };
}

/** As operators of the user's own are read. @type {(caller: string) => import('./operators.js').ReadExpression} */
const reader = (caller) => (text, names, language) => read(text, names, language, caller);

/** @type {(value: number) => string} a number that the parser reads back */
function numberText(value) {
  if (Number.isFinite(value)) return Object.is(value, -0) ? '-0.0' : String(value);
  return Number.isNaN(value) ? "float 'nan'" : value > 0 ? "float 'infinity'" : "-float 'infinity'";
}

/** How tightly a number binds. @type {(value: number) => number} */
const levelOf = (value) => (value < 0 || Object.is(value, -0) ? LEVELS.sign : LEVELS.atom);

/** @typedef {{ text: string, level: number }} Part */

/** @type {(part: Part, level: number) => string} */
const bracketed = (part, level) => (part.level < level ? `(${part.text})` : part.text);

/** In the quotes that a name needs. @type {(name: string) => string} */
function quoted(name) {
  const { nodes, print } = require('../columns/language/index.js');
  return print(nodes.name(name));
}

/** @type {(name: string) => string} */
const quotedFunction = (name) => require('../columns/language/index.js').printFunctionName(name);

// Pieces are joined with templates, which V8 does without copying: what is deep takes no longer than what is wide.

/** @type {(operands: readonly Part[]) => string} */
const commas = ([first, ...rest]) => rest.reduce((all, { text }) => `${all}, ${text}`, first.text);

/** @param {import('./operators.js').Operator} operator @param {Part[]} operands @returns {Part} */
function textOf({ name, infix, level }, operands) {
  if (infix === undefined || level === undefined) {
    return { text: `${quotedFunction(name)}(${commas(operands)})`, level: LEVELS.atom };
  }
  if (operands.length === 1) {
    const [operand] = operands;
    // -0 is the integer 0.
    return { text: operand.text === '0' ? `${infix}(0)` : `${infix}${bracketed(operand, level + 1)}`, level };
  }
  const [left, right] = operands;
  // Powers group to the right, all else to the left; what is not sure to be the same is in brackets.
  const isPower = level === LEVELS.power;
  const sign = isPower ? infix : ` ${infix} `;
  return { text: `${bracketed(left, isPower ? level + 1 : level)}${sign}${bracketed(right, level + 1)}`, level };
}

/** @param {import('./operators.js').Operator} operator @param {Part[]} operands @returns {Part} */
function latexOf({ name, level = LEVELS.atom, latex, latexLevel, infix }, operands) {
  const plain = operands.map(({ text }) => text);
  if (!latex) return { text: `\\operatorname{${escaped(name)}}\\left(${commas(operands)}\\right)`, level: LEVELS.atom };
  const isCall = infix === undefined || latexLevel !== undefined;
  if (isCall) return { text: latex(...plain), level: latexLevel ?? LEVELS.atom };
  const sides = operands.map(({ text, level: own }, i) => {
    if (level === LEVELS.power && i === 1) return text;
    const isLeft = i === 0 && operands.length === 2 && level !== LEVELS.power;
    return own < (isLeft ? level : level + 1) ? `\\left(${text}\\right)` : text;
  });
  return { text: latex(...sides), level };
}

/** @type {(value: number) => Part} */
const numberOf = (value) => ({ text: numberText(value), level: levelOf(value) });

/** @type {(value: number) => Part} */
function latexNumber(value) {
  const level = levelOf(value);
  if (!Number.isFinite(value)) {
    return { text: Number.isNaN(value) ? '\\mathrm{NaN}' : value > 0 ? '\\infty' : '-\\infty', level };
  }
  const [mantissa, exponent] = Object.is(value, -0) ? ['-0'] : String(value).split('e');
  if (exponent === undefined) return { text: mantissa, level };
  return { text: `${mantissa} \\cdot 10^{${Number(exponent)}}`, level: Math.min(level, LEVELS.product) };
}

/**
 * @param {Program} program
 * @param {readonly string[]} variables
 * @param {Language} language
 * @param {(operator: import('./operators.js').Operator, operands: Part[]) => Part} join
 * @param {(value: number) => Part} number
 */
function write({ tokens, constants }, variables, language, join, number) {
  /** @type {Part[]} */
  const stack = [];
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i];
    if (token >= 0) stack.push(join(language.operators[token], stack.splice(stack.length - language.arity(token))));
    else if (token === CONSTANT) stack.push(number(constants[i]));
    else stack.push({ text: variables[VARIABLE - token], level: LEVELS.atom });
  }
  return stack[0].text;
}

/** @type {(program: Program, variables: readonly string[], language: Language) => string} */
function toText(program, variables, language) {
  let text = write(program, variables.map(quoted), language, textOf, numberOf);
  // A text that is the name of a variable is read as that.
  const own = program.tokens.length === 1 ? variables[VARIABLE - program.tokens[0]] : undefined;
  while (text !== own && variables.includes(text)) text = `(${text})`;
  return text;
}

/** What has a meaning in math mode, as the sign itself. @type {Readonly<Record<string, string>>} */
const SIGNS = Object.freeze({ '\\': '\\backslash{}', '^': '\\wedge{}', '~': '\\sim{}' });

/** @type {(name: string) => string} */
const escaped = (name) => name.replace(/[\\{}_^#$%&~]/g, (sign) => SIGNS[sign] ?? `\\${sign}`);

/** Names of more than one letter are upright, with what stands behind an underscore below. @type {(name: string) => string} */
function latexName(name) {
  const [, head, below] = /^([A-Za-z]+)(?:_?([A-Za-z0-9]\w*))?$/.exec(name) ?? [];
  if (head === undefined) return `\\mathrm{${escaped(name)}}`;
  const base = head.length > 1 ? `\\mathrm{${head}}` : head;
  return below ? `${base}_{${escaped(below)}}` : base;
}

/** @type {(program: Program, variables: readonly string[], language: Language) => string} */
const toLatex = (program, variables, language) =>
  write(program, variables.map(latexName), language, latexOf, latexNumber);

module.exports = { Reader, read, reader, toLatex, toText };
