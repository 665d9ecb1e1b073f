/**
 * Translations that formats have in common: an op that is a method of Value, and what several ops do with their
 * operands.
 */
'use strict';

const { isFloat } = require('./operands.js');

/** @typedef {import('./builder.js').Builder} Builder */
/** @typedef {import('./builder.js').Translation} Translation */

/** A method on one operand. @type {(name: string, sizes?: Translation['sizes']) => Translation} */
const unary = (name, sizes) => ({ translate: (_, [x], cx) => /** @type {any} */ (cx.value(x))[name](), sizes });

/** A method on two operands. @type {(name: string, sizes?: (a: any, b: any) => any) => Translation} */
const binary = (name, sizes) => ({
  translate: (_, [a, b], cx) => /** @type {any} */ (cx.value(a))[name](cx.value(b)),
  sizes: sizes && ((_, [a, b]) => sizes(a, b)),
});

/** A formula of values, operands in their order. @type {(compute: (...values: any[]) => any) => Translation} */
const formula = (compute) => ({
  translate: (_, inputs, cx) => {
    if (inputs.length < compute.length) cx.fail('ERR_PARSE', `there are ${inputs.length} inputs, expected ${compute.length}`);
    return compute(...inputs.map((each) => cx.value(each)));
  },
});

/** What passes an operand on as it is. @type {Translation} */
const identity = { translate: (_, [x]) => x, sizes: (_, [x]) => x, fold: false };

/** What computes integers in f64, and cuts the result off. @type {(compute: (x: any) => any) => (x: any) => any} */
const throughFloat = (compute) => (x) => (isFloat(x) ? compute(x) : compute(x.astype('f64')).astype(x.dtype));

/** The product of two sizes. @type {(cx: Builder, size: number | string, by: number | string) => number | string} */
const timesSize = (cx, size, by) => cx.state.text(cx.state.mul(cx.state.dim(size, 'a size', 'load'), cx.state.dim(by, 'a size', 'load')));

/** More elements than this are of a damaged file. */
const MAX_LENGTH = 2 ** 22;

/** The length of a list that JavaScript makes, which a file says. @type {(length: number, what: string, cx: Builder) => number} */
function listLength(length, what, cx) {
  if (!(length >= 0 && length <= MAX_LENGTH)) cx.fail('ERR_UNSUPPORTED', `${what} has ${length} elements, expected 0 to ${MAX_LENGTH}`);
  return length;
}

module.exports = { binary, formula, identity, isFloat, listLength, throughFloat, timesSize, unary };
