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

/** @typedef {import('./operators.js').Language} Language */
/** @typedef {import('../columns/language/ast.js').Node} Node */
/** In postfix order. @typedef {{ tokens: ArrayLike<number>, constants: ArrayLike<number> }} Program */

/** @param {string} name @param {Language} language @param {string} caller @param {string} text */
function numberOf(name, language, caller, text) {
  const found = language.numbers.get(ALIASES.get(name) ?? name);
  if (found !== undefined) return found;
  if (name === '^') return fail('ERR_PARSE', `${caller}: '^' is no power in "${text}", powers are '**'`);
  return unknownName(caller, 'operator', ALIASES.get(name) ?? name, [...language.numbers.keys()]);
}

/**
 * @param {string} text
 * @param {readonly string[]} variables
 * @param {Language} language
 * @param {string} caller
 * @returns {{ tokens: number[], constants: number[] }} in postfix order
 */
function read(text, variables, language, caller) {
  const { parse } = require('../columns/language/index.js');
  /** @type {number[]} */
  const tokens = [];
  /** @type {number[]} */
  const constants = [];
  /** @param {number} token @param {number} [constant] */
  const put = (token, constant = 0) => {
    tokens.push(token);
    constants.push(constant);
  };
  /** @type {(Node | number)[]} nodes to read, tokens to write */
  const work = [parse(text)];
  for (let at = work.pop(); at !== undefined; at = work.pop()) {
    if (typeof at === 'number') put(at);
    else if (at.kind === 'literal') put(CONSTANT, literal(at, caller, text));
    else if (at.kind === 'name') put(variable(at.name, variables, caller));
    else if (at.kind === 'call') visit(at, work, put, language, caller, text);
    else fail('ERR_PARSE', `${caller}: "${text}" is no expression of numbers, operators and variables`);
  }
  return { tokens, constants };
}

/** As operators of the user's own are read. @type {(caller: string) => import('./operators.js').ReadExpression} */
const reader = (caller) => (text, names, language) => read(text, names, language, caller);

/** @param {import('../columns/language/ast.js').Literal} node @param {string} caller @param {string} text */
function literal({ type, value }, caller, text) {
  const good = type === 'integer' || type === 'float' || type === 'decimal';
  return good ? Number(value) : fail('ERR_PARSE', `${caller}: a constant of "${text}" is no number`);
}

/** @param {string} name @param {readonly string[]} variables @param {string} caller */
function variable(name, variables, caller) {
  const found = variables.indexOf(name);
  return found < 0 ? unknownName(caller, 'variable', name, variables) : VARIABLE - found;
}

/**
 * @param {import('../columns/language/ast.js').Call} node
 * @param {(Node | number)[]} work
 * @param {(token: number, constant?: number) => void} put
 * @param {Language} language
 * @param {string} caller
 * @param {string} text
 */
function visit({ name, args }, work, put, language, caller, text) {
  const [first] = args;
  if (name === 'negative' && first.kind === 'literal') {
    put(CONSTANT, -literal(first, caller, text));
    return;
  }
  const operator = numberOf(name, language, caller, text);
  const arity = language.arity(operator);
  if (args.length !== arity) {
    fail('ERR_PARSE', `${caller}: operator '${name}' takes ${arity} operands, got ${args.length} in "${text}"`);
  }
  work.push(operator, ...args.toReversed());
}

/** @type {(value: number) => string} a number that the parser reads back */
function numberText(value) {
  if (Number.isFinite(value)) return Object.is(value, -0) ? '-0.0' : String(value);
  return Number.isNaN(value) ? "float 'nan'" : value > 0 ? "float 'infinity'" : "-float 'infinity'";
}

/** @typedef {{ text: string, level: number }} Part */

/** @type {(part: Part, level: number) => string} */
const bracketed = (part, level) => (part.level < level ? `(${part.text})` : part.text);

/** In the quotes that a name needs. @type {(name: string) => string} */
function quoted(name) {
  const { nodes, print } = require('../columns/language/index.js');
  return print(nodes.name(name));
}

/** @param {import('./operators.js').Operator} operator @param {Part[]} operands @returns {Part} */
function textOf({ name, infix, level }, operands) {
  if (infix === undefined || level === undefined) {
    return { text: `${quoted(name)}(${operands.map(({ text }) => text).join(', ')})`, level: LEVELS.atom };
  }
  if (operands.length === 1) return { text: `${infix}${bracketed(operands[0], level + 1)}`, level };
  const [left, right] = operands;
  // Powers group to the right, all else to the left; what is not sure to be the same is in brackets.
  const isPower = level === LEVELS.power;
  const sides = [bracketed(left, isPower ? level + 1 : level), bracketed(right, level + 1)];
  return { text: sides.join(isPower ? infix : ` ${infix} `), level };
}

/** @param {import('./operators.js').Operator} operator @param {Part[]} operands @returns {Part} */
function latexOf({ name, level = LEVELS.atom, latex, latexLevel, infix }, operands) {
  const plain = operands.map(({ text }) => text);
  if (!latex) return { text: `\\operatorname{${name}}\\left(${plain.join(', ')}\\right)`, level: LEVELS.atom };
  const isCall = infix === undefined || latexLevel !== undefined;
  if (isCall) return { text: latex(...plain), level: latexLevel ?? LEVELS.atom };
  const sides = operands.map(({ text, level: own }, i) => {
    if (level === LEVELS.power && i === 1) return text;
    const isLeft = i === 0 && operands.length === 2 && level !== LEVELS.power;
    return own < (isLeft ? level : level + 1) ? `\\left(${text}\\right)` : text;
  });
  return { text: latex(...sides), level };
}

/** @type {(value: number) => string} */
function latexNumber(value) {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? '\\mathrm{NaN}' : value > 0 ? '\\infty' : '-\\infty';
  const [mantissa, exponent] = String(value).split('e');
  return exponent === undefined ? mantissa : `${mantissa} \\cdot 10^{${Number(exponent)}}`;
}

/**
 * @param {Program} program
 * @param {readonly string[]} variables
 * @param {Language} language
 * @param {(operator: import('./operators.js').Operator, operands: Part[]) => Part} join
 * @param {(value: number) => string} number
 */
function write({ tokens, constants }, variables, language, join, number) {
  /** @type {Part[]} */
  const stack = [];
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i];
    if (token >= 0) stack.push(join(language.operators[token], stack.splice(stack.length - language.arity(token))));
    else if (token === CONSTANT) {
      const isNegative = constants[i] < 0 || Object.is(constants[i], -0);
      stack.push({ text: number(constants[i]), level: isNegative ? LEVELS.sign : LEVELS.atom });
    } else stack.push({ text: variables[VARIABLE - token], level: LEVELS.atom });
  }
  return stack[0].text;
}

/** @type {(program: Program, variables: readonly string[], language: Language) => string} */
const toText = (program, variables, language) =>
  write(program, variables.map(quoted), language, textOf, numberText);

/** Names of more than one letter are upright, with what stands behind an underscore below. @type {(name: string) => string} */
function latexName(name) {
  const [, head, below] = /^([A-Za-z]+)_?(\w*)$/.exec(name) ?? [];
  if (head === undefined) return `\\mathrm{${name.replace(/[\\{}_^#$%&~]/g, '\\$&')}}`;
  const base = head.length > 1 ? `\\mathrm{${head}}` : head;
  return below ? `${base}_{${below.replaceAll('_', '\\_')}}` : base;
}

/** @type {(program: Program, variables: readonly string[], language: Language) => string} */
const toLatex = (program, variables, language) =>
  write(program, variables.map(latexName), language, latexOf, latexNumber);

module.exports = { read, reader, toLatex, toText };
