/**
 * The operators that programs are made of: how many operands they have, what they compute, how they are written.
 *
 * An operator's body is an expression in postfix order over its operands `a`, `b`, `c` and the elementwise ops of
 * src/ops/ops.def, or one function of the user's own. The evaluator, graphs and derivatives all take it from here, so
 * they agree to the last bit.
 *
 * Protected operators are those of gplearn (docs of its `function_set`): results stay finite where the mathematical
 * function ends. In IEEE form they give NaN and Infinity there.
 */
'use strict';

const { fail } = require('../base/errors.js');
const { expected, unknownName } = require('../base/check.js');
const { opRows } = require('../base/ops.js');

/** Tokens are what src/population/language.h says. */
const CONSTANT = -1;
const VARIABLE = -2;
/** And above, in bodies: functions of the user's own. */
const FUNCTION = 1 << 16;

/**
 * @typedef {object} Operator
 * @property {string} name
 * @property {number} arity
 * @property {boolean} [isOwn] one of the user's, whose name says nothing of what it computes
 * @property {string} [infix] the sign between two operands, or before one
 * @property {number} [level] how tightly it binds
 * @property {(...operands: string[]) => string} [latex] of operands that are in brackets where they must be
 * @property {number} [latexLevel] how tightly that binds, where it is no sign between operands
 */

/** Operators as the parser of texts calls them. @type {ReadonlyMap<string, string>} */
const ALIASES = new Map([
  ['subtract', 'sub'], ['multiply', 'mul'], ['divide', 'div'], ['power', 'pow'], ['negative', 'neg'], ['ln', 'log'],
  ['greater_than', 'greater'], ['less_than', 'less'],
]);

const LEVELS = Object.freeze({ sum: 10, product: 11, sign: 12, power: 13, atom: 15 });

/** @type {(name: string) => (...operands: string[]) => string} */
const called = (name) => (...operands) => `${name}\\left(${operands.join(', ')}\\right)`;

/** @type {readonly [name: string, body: string, rest?: Partial<Operator>][]} */
const ROWS = [
  ['add', 'a b add', { infix: '+', level: LEVELS.sum, latex: (a, b) => `${a} + ${b}` }],
  ['sub', 'a b sub', { infix: '-', level: LEVELS.sum, latex: (a, b) => `${a} - ${b}` }],
  ['mul', 'a b mul', { infix: '*', level: LEVELS.product, latex: (a, b) => `${a} \\cdot ${b}` }],
  ['div', 'a b div', { infix: '/', level: LEVELS.product, latex: (a, b) => `\\frac{${a}}{${b}}`, latexLevel: LEVELS.product }],
  ['pow', 'a b pow', { infix: '**', level: LEVELS.power, latex: (a, b) => `${a}^{${b}}` }],
  ['min', 'a b min', { latex: called('\\min') }],
  ['max', 'a b max', { latex: called('\\max') }],
  ['mod', 'a b rem'],
  ['hypot', 'a b hypot'],
  ['atan2', 'a b atan2'],
  ['aq', 'a 1 b b mul add sqrt div'],
  ['greater', 'a b gt 1 0 select'],
  ['less', 'a b lt 1 0 select'],
  ['choose', 'a 0 gt b c select'],
  ['neg', 'a neg', { infix: '-', level: LEVELS.sign, latex: (a) => `-${a}` }],
  ['abs', 'a abs', { latex: (a) => `\\left|${a}\\right|` }],
  ['sign', 'a sign'],
  ['floor', 'a floor', { latex: (a) => `\\left\\lfloor ${a}\\right\\rfloor` }],
  ['ceil', 'a ceil', { latex: (a) => `\\left\\lceil ${a}\\right\\rceil` }],
  ['inv', '1 a div', { latex: (a) => `\\frac{1}{${a}}`, latexLevel: LEVELS.product }],
  ['square', 'a a mul', { latex: (a) => `\\left(${a}\\right)^{2}`, latexLevel: LEVELS.power }],
  ['cube', 'a a mul a mul', { latex: (a) => `\\left(${a}\\right)^{3}`, latexLevel: LEVELS.power }],
  ['sqrt', 'a sqrt', { latex: (a) => `\\sqrt{${a}}` }],
  ['cbrt', 'a cbrt', { latex: (a) => `\\sqrt[3]{${a}}` }],
  ['exp', 'a exp', { latex: (a) => `e^{${a}}`, latexLevel: LEVELS.power }],
  ['exp2', 'a exp2', { latex: (a) => `2^{${a}}`, latexLevel: LEVELS.power }],
  ['expm1', 'a expm1'],
  ['log', 'a log', { latex: called('\\ln') }],
  ['log2', 'a log2', { latex: called('\\log_{2}') }],
  ['log10', 'a log10', { latex: called('\\log_{10}') }],
  ['log1p', 'a log1p'],
  ...['sin', 'cos', 'tan', 'sinh', 'cosh', 'tanh'].map(
    /** @returns {[string, string, Partial<Operator>]} */ (name) => [name, `a ${name}`, { latex: called(`\\${name}`) }],
  ),
  ...['asin', 'acos', 'atan'].map(
    /** @returns {[string, string, Partial<Operator>]} */ (name) => [name, `a ${name}`, { latex: called(`\\arc${name.slice(1)}`) }],
  ),
  ...['asinh', 'acosh', 'atanh', 'erf', 'erfc'].map(
    /** @returns {[string, string]} */ (name) => [name, `a ${name}`],
  ),
  ['sigmoid', '1 1 a neg exp add div'],
  ['relu', 'a 0 max'],
  ['gauss', 'a a mul neg exp'],
  ['softplus', 'a 0 max a abs neg exp log1p add'],
];

/** Bodies of protected operators. @type {Readonly<Record<string, string>>} */
const PROTECTED = Object.freeze({
  div: 'b abs 0.001 gt a b div 1 select',
  inv: 'a abs 0.001 gt 1 a div 0 select',
  log: 'a abs 0.001 gt a abs log 0 select',
  log2: 'a abs 0.001 gt a abs log2 0 select',
  log10: 'a abs 0.001 gt a abs log10 0 select',
  sqrt: 'a abs sqrt',
});

/** As the evaluator takes it. @typedef {{ tokens: number[], constants: number[] }} Body */

/** Tokens of a body, as src/population/language.h has it. */
const MOST_BODY = 256;

/** @type {(body: string) => number} */
const arityOf = (body) => 'abc'.split('').filter((operand) => body.split(' ').includes(operand)).length;

/** @type {ReadonlyMap<string, Operator & { body: string }>} */
const OPERATORS = new Map(
  ROWS.map(([name, body, rest]) => [name, { name, arity: arityOf(body), body, ...rest }]),
);

/**
 * What a body is to the evaluator.
 *
 * @param {string} body
 * @returns {Body}
 */
function compileBody(body) {
  const words = body.split(' ');
  const tokens = words.map((word) => {
    if ('abc'.includes(word)) return VARIABLE - 'abc'.indexOf(word);
    return opRows.get(word)?.code ?? CONSTANT;
  });
  return { tokens, constants: words.map((word, i) => (tokens[i] === CONSTANT ? Number(word) : 0)) };
}

/** Where expressions of the user's own operators come from. @typedef {(text: string, names: readonly string[], language: Language) => Body} ReadExpression */

/** The operators of a population, with their numbers. */
class Language {
  /** @type {Operator[]} */
  operators = [];
  /** Bodies as the evaluator takes them. @type {Body[]} */
  bodies = [];
  /** That bodies call. @type {import('./own-function.js').OwnFunction[]} */
  functions = [];
  /** @type {Map<string, number>} */
  numbers = new Map();

  /** @param {boolean} isProtected */
  constructor(isProtected) {
    this.isProtected = isProtected;
  }

  /** @param {string} name */
  addBuiltIn(name) {
    const { body, ...operator } = /** @type {Operator & { body: string }} */ (OPERATORS.get(name));
    this.add(operator, compileBody((this.isProtected && PROTECTED[name]) || body));
  }

  /** @param {string} name @param {import('./own-function.js').OwnFunction} fn */
  addFunction(name, fn) {
    const operands = Array.from({ length: fn.arity }, (_, i) => VARIABLE - i);
    const tokens = [...operands, FUNCTION + this.functions.length];
    this.functions.push(fn);
    this.add({ name, arity: fn.arity, isOwn: true }, { tokens, constants: tokens.map(() => 0) });
  }

  /** @param {Operator} operator @param {Body} body */
  add(operator, body) {
    this.numbers.set(operator.name, this.operators.length);
    this.operators.push(operator);
    this.bodies.push(body);
  }

  /** @param {number} token @returns {number} operands of an operator, 0 of all else */
  arity(token) {
    return token < 0 ? 0 : this.operators[token].arity;
  }

  /** The built-in operator that a token stands for, by its name; '' for the user's own, whose name may be the same. @param {number} token */
  meaning(token) {
    const { name, isOwn } = this.operators[token];
    return isOwn ? '' : name;
  }

  /** The function that a token of a body calls. @param {number} token */
  functionOf(token) {
    return this.functions[token - FUNCTION];
  }

  /** Code of the functions, and the numbers of their derivatives + 1 where it is wanted. @param {'f64' | 'f32'} dtype @param {boolean} derives */
  kernels(dtype, derives) {
    const all = [...this.functions];
    const numbers = this.functions.flatMap((fn) =>
      [0, 1, 2].map((i) => {
        const derivative = derives && i < fn.arity ? fn.derivative(i, dtype) : null;
        return derivative ? all.push(derivative) : 0;
      }),
    );
    const derivatives = new Uint32Array(3 * all.length);
    derivatives.set(numbers);
    return { functions: all.map((fn) => fn.kernel(dtype)), derivatives };
  }

  /** The arrays that the addon takes. @returns {{ lists: [Uint32Array, Int32Array, Float64Array], arity: Uint8Array }} */
  native() {
    const starts = new Uint32Array(this.bodies.length + 1);
    this.bodies.forEach(({ tokens }, i) => (starts[i + 1] = starts[i] + tokens.length));
    const tokens = Int32Array.from(this.bodies.flatMap((body) => body.tokens));
    const constants = Float64Array.from(this.bodies.flatMap((body) => body.constants));
    return { lists: [starts, tokens, constants], arity: Uint8Array.from(this.operators, ({ arity }) => arity) };
  }
}

/** @typedef {{ name: unknown, operands: unknown, expression: unknown }} OwnExpression */
/** @typedef {{ name: unknown, native: unknown }} NamedFunction */

/** @type {(value: unknown) => value is OwnExpression} */
const isOwn = (value) =>
  typeof value === 'object' && value !== null && 'expression' in value && 'operands' in value && 'name' in value;

/** @type {(value: unknown) => value is NamedFunction} */
const isFunction = (value) => typeof value === 'object' && value !== null && 'native' in value && 'name' in value;

/** @param {unknown} name @param {string} caller @returns {string} */
function readName(name, caller) {
  if (typeof name !== 'string' || !/^[a-z_][a-z0-9_]*$/.test(name)) {
    return expected(caller, 'a name of small letters, digits and underscores', 'the name of an operator', name);
  }
  const other = ALIASES.get(name);
  return other ? fail('ERR_ARGUMENT', `${caller}: '${name}' is what texts call operator '${other}': take another name`) : name;
}

/** @param {Function} fn @param {string} caller @returns {NamedFunction} */
function named(fn, caller) {
  const { name } = fn;
  if (name !== '' && name !== 'anonymous') return { name, native: fn };
  return expected(caller, 'a function that has a name, or { name, native }', 'an operator', fn);
}

/** @param {NamedFunction} given @param {Language} language @param {string} caller */
function addFunction({ name, native }, language, caller) {
  const own = readName(name, caller);
  language.addFunction(own, require('./own-function.js').readOperator(native, `operator '${own}'`, caller));
}

/**
 * @param {OwnExpression} own
 * @param {Language} language
 * @param {string} caller
 * @param {ReadExpression} read
 */
function addOwn({ name, operands, expression }, language, caller, read) {
  const own = readName(name, caller);
  const isList = Array.isArray(operands) && operands.every((each) => typeof each === 'string');
  if (!isList || operands.length < 1 || operands.length > 8) {
    return expected(caller, 'an array of 1 to 8 names', `the operands of operator '${own}'`, operands);
  }
  if (new Set(operands).size < operands.length) fail('ERR_ARGUMENT', `${caller}: an operand of operator '${own}' is there twice`);
  if (typeof expression !== 'string') return expected(caller, 'a text', `the expression of operator '${own}'`, expression);
  const all = languageOf(undefined, language.isProtected, caller, read);
  const { tokens, constants } = read(expression, operands, all);
  const body = expandOwn({ tokens, constants }, all, `the expression of operator '${own}'`, caller);
  return language.add({ name: own, arity: operands.length, isOwn: true }, body);
}

/**
 * A program in postfix order as ops alone: the bodies of its operators in place of them. Operands that a body has
 * several times are written several times.
 *
 * @param {{ tokens: ArrayLike<number>, constants: ArrayLike<number> }} program
 * @param {Language} language
 * @returns {Body | null} null where it is longer than a body may be
 */
function expand({ tokens, constants }, language) {
  /** @type {Body[]} */
  const stack = [];
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i];
    if (token < 0) {
      stack.push({ tokens: [token], constants: [constants[i]] });
      continue;
    }
    const operands = stack.splice(stack.length - language.arity(token));
    const body = language.bodies[token];
    const parts = body.tokens.map((each, k) =>
      each <= VARIABLE ? operands[VARIABLE - each] : { tokens: [each], constants: [body.constants[k]] },
    );
    if (parts.reduce((sum, part) => sum + part.tokens.length, 0) > MOST_BODY) return null;
    stack.push({
      tokens: parts.flatMap((part) => part.tokens),
      constants: parts.flatMap((part) => part.constants),
    });
  }
  return stack[0];
}

/** @type {(program: Body, language: Language, which: string, caller: string) => Body} */
function expandOwn(program, language, which, caller) {
  const body = expand(program, language);
  return body ?? fail('ERR_ARGUMENT', `${caller}: ${which} has more than ${MOST_BODY} parts`);
}

/** What an operator may be. */
const FORMS = 'a name, { name, operands, expression }, { name, native } or a function';

/**
 * The operators of option 'ops'.
 *
 * @param {unknown} ops
 * @param {boolean} isProtected
 * @param {string} caller
 * @param {ReadExpression} read
 * @returns {Language}
 */
function languageOf(ops, isProtected, caller, read) {
  const language = new Language(isProtected);
  if (ops !== undefined && !Array.isArray(ops)) return expected(caller, 'an array of operators', "option 'ops'", ops);
  const wanted = ops ?? [...OPERATORS.keys()];
  for (const given of wanted) {
    const each = typeof given === 'function' ? named(given, caller) : given;
    const name = isOwn(each) || isFunction(each) ? each.name : each;
    if (language.numbers.has(name)) fail('ERR_ARGUMENT', `${caller}: operator '${name}' is there twice`);
    if (isOwn(each)) addOwn(each, language, caller, read);
    else if (isFunction(each)) addFunction(each, language, caller);
    else if (typeof each !== 'string') expected(caller, FORMS, 'an operator', each);
    else if (OPERATORS.has(each)) language.addBuiltIn(each);
    else unknownName(caller, 'operator', each, [...OPERATORS.keys()]);
  }
  return language;
}

module.exports = {
  ALIASES, CONSTANT, FUNCTION, LEVELS, Language, OPERATORS, VARIABLE, compileBody, expandOwn, languageOf,
};
