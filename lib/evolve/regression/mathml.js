/**
 * Formulas as MathML, which browsers typeset without help. Constants have five digits here: who wants all of them takes
 * the text.
 */
'use strict';

const { html } = require('../../view/html.js');
const { CONSTANT, LEVELS, VARIABLE } = require('../operators.js');

/** @typedef {import('../../view/html.js').Markup} Markup */
/** Of a negative number, the opposite is without its sign. @typedef {{ markup: Markup, level: number, opposite?: Part }} Part */

const DIGITS = 5;

/** @type {(text: string) => Markup} */
const sign = (text) => html`<mo>${text}</mo>`;

/** @type {(part: Part, level: number) => Markup} */
const bracketed = ({ markup, level }, least) =>
  level < least ? html`<mrow>${sign('(')}${markup}${sign(')')}</mrow>` : markup;

/** @type {(name: Markup, operands: Part[]) => Markup} */
const called = (name, operands) =>
  html`<mrow>${name}${sign('\u2061')}${sign('(')}${operands.map(({ markup }, i) => html`${i > 0 && sign(',')}${markup}`)}${sign(')')}</mrow>`;

/** @type {(text: string) => (a: Part, b: Part) => Markup} a sign between operands, of which the right one binds tighter */
const between = (text) => (a, b) => {
  const level = text === '·' ? LEVELS.product : LEVELS.sum;
  if (level === LEVELS.sum && b.opposite) return between(text === '+' ? '−' : '+')(a, b.opposite);
  // No two signs in a row.
  const least = b.level === LEVELS.sign ? LEVELS.atom : level + 1;
  return html`<mrow>${bracketed(a, level)}${sign(text)}${bracketed(b, least)}</mrow>`;
};

/** @type {(base: Markup, exponent: Markup) => Markup} */
const power = (base, exponent) => html`<msup>${base}<mrow>${exponent}</mrow></msup>`;

/** @type {(n: number) => (a: Part) => Markup} */
const powerOf = (n) => (a) => power(bracketed(a, LEVELS.atom), html`<mn>${n}</mn>`);

/** @type {(open: string, close: string) => (a: Part) => Markup} */
const within = (open, close) => (a) => html`<mrow>${sign(open)}${a.markup}${sign(close)}</mrow>`;

/** How an operator is set, and how tightly that binds. @typedef {[level: number, set: (...operands: Part[]) => Markup]} Setting */

/** Those that are no names before operands in brackets. @type {[name: string, setting: Setting][]} */
const ROWS = [
  ['add', [LEVELS.sum, between('+')]],
  ['sub', [LEVELS.sum, between('−')]],
  ['mul', [LEVELS.product, between('·')]],
  ['div', [LEVELS.atom, (a, b) => html`<mfrac><mrow>${a.markup}</mrow><mrow>${b.markup}</mrow></mfrac>`]],
  ['inv', [LEVELS.atom, (a) => html`<mfrac><mn>1</mn><mrow>${a.markup}</mrow></mfrac>`]],
  ['pow', [LEVELS.power, (a, b) => power(bracketed(a, LEVELS.atom), b.markup)]],
  ['neg', [LEVELS.sign, (a) => html`<mrow>${sign('−')}${bracketed(a, LEVELS.sign + 1)}</mrow>`]],
  ['square', [LEVELS.power, powerOf(2)]],
  ['cube', [LEVELS.power, powerOf(3)]],
  ['sqrt', [LEVELS.atom, (a) => html`<msqrt>${a.markup}</msqrt>`]],
  ['cbrt', [LEVELS.atom, (a) => html`<mroot><mrow>${a.markup}</mrow><mn>3</mn></mroot>`]],
  ['exp', [LEVELS.power, (a) => power(html`<mi>e</mi>`, a.markup)]],
  ['exp2', [LEVELS.power, (a) => power(html`<mn>2</mn>`, a.markup)]],
  ['abs', [LEVELS.atom, within('|', '|')]],
  ['floor', [LEVELS.atom, within('⌊', '⌋')]],
  ['ceil', [LEVELS.atom, within('⌈', '⌉')]],
];
const SET = new Map(ROWS);

/** Names that mathematics has others for. @type {ReadonlyMap<string, Markup>} */
const NAMES = new Map([
  ['log', html`<mi>ln</mi>`], ['log2', html`<msub><mi>log</mi><mn>2</mn></msub>`],
  ['log10', html`<msub><mi>log</mi><mn>10</mn></msub>`], ['asin', html`<mi>arcsin</mi>`],
  ['acos', html`<mi>arccos</mi>`], ['atan', html`<mi>arctan</mi>`],
]);

/** @type {(value: number) => Part} */
function number(value) {
  if (Number.isNaN(value)) return { markup: html`<mi>NaN</mi>`, level: LEVELS.atom };
  const isNegative = value < 0 || Object.is(value, -0);
  const [mantissa, exponent] = String(Number(Math.abs(value).toPrecision(DIGITS))).split('e');
  const digits = html`<mn>${mantissa === 'Infinity' ? '∞' : mantissa}</mn>`;
  const raised = exponent && power(html`<mn>10</mn>`, html`<mn>${exponent.replace('+', '').replace('-', '−')}</mn>`);
  const all = raised ? html`<mrow>${digits}${sign('×')}${raised}</mrow>` : digits;
  const positive = { markup: all, level: raised ? LEVELS.product : LEVELS.atom };
  return isNegative
    ? { markup: html`<mrow>${sign('−')}${all}</mrow>`, level: LEVELS.sign, opposite: positive }
    : positive;
}

/** With what stands behind an underscore below. @type {(name: string) => Part} */
function variable(name) {
  const [, head, below] = /^([^_]+)_(.+)$/.exec(name) ?? [];
  const markup = head ? html`<msub><mi>${head}</mi><mi>${below}</mi></msub>` : html`<mi>${name}</mi>`;
  return { markup, level: LEVELS.atom };
}

/**
 * @param {import('./trees.js').Tree} tree
 * @param {readonly string[]} variables
 * @param {import('../operators.js').Language} language
 * @returns {Markup} the element math
 */
function toMathml({ tokens, constants }, variables, language) {
  /** @type {Part[]} */
  const stack = [];
  tokens.forEach((token, i) => {
    if (token === CONSTANT) return void stack.push(number(constants[i]));
    if (token < 0) return void stack.push(variable(variables[VARIABLE - token]));
    const { name } = language.operators[token];
    const meaning = language.meaning(token);
    const operands = stack.splice(stack.length - language.arity(token));
    /** @type {Setting} */
    const named = [LEVELS.atom, (...all) => called(NAMES.get(meaning) ?? html`<mi>${name}</mi>`, all)];
    const [level, set] = SET.get(meaning) ?? named;
    return void stack.push({ markup: set(...operands), level });
  });
  return html`<math displaystyle="true">${stack[0].markup}</math>`;
}

module.exports = { toMathml };
