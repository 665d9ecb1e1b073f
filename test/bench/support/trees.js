// Random expression trees for populations: as tokens for graphjit, and as functions in C.
'use strict';

const { generator } = require('../../support/generator.js');

const OPS = ['add', 'sub', 'mul', 'div', 'sin', 'cos', 'exp'];
const SIGNS = ['+', '-', '*', '/'];
/** As often as operators are drawn. */
const DRAWN = [0, 1, 2, 3, 0, 1, 2, 4, 5, 6];

/**
 * Trees of 30 to 60 nodes over so many variables, in postfix order.
 *
 * @param {number} count
 * @param {number} variables
 * @param {number} seed
 */
function randomTrees(count, variables, seed) {
  const next = generator(seed);
  const [tokens, constants, texts] = [[], [], []];
  const offsets = [0];
  const put = (token, constant, text) => {
    tokens.push(token);
    constants.push(constant);
    return text;
  };
  const grow = (size) => {
    if (size <= 1) {
      const constant = Number((0.1 + 2.9 * next()).toFixed(3));
      if (next() < 0.2) return put(-1, constant, constant.toFixed(3));
      const variable = Math.floor(next() * variables);
      return put(-2 - variable, 0, `x${variable}[i]`);
    }
    const op = size === 2 ? 4 + Math.floor(next() * 3) : DRAWN[Math.floor(next() * DRAWN.length)];
    if (op >= 4) return put(op, 0, `${OPS[op]}(${grow(size - 1)})`);
    const left = 1 + Math.floor(next() * (size - 2));
    const [a, b] = [grow(left), grow(size - 1 - left)];
    return put(op, 0, `(${a}${SIGNS[op]}${b})`);
  };
  for (let i = 0; i < count; i++) {
    texts.push(grow(30 + Math.floor(next() * 31)));
    offsets.push(tokens.length);
  }
  const arrays = { tokens: Int32Array.from(tokens), constants: Float64Array.from(constants), offsets: Uint32Array.from(offsets) };
  return { arrays, ops: OPS, texts };
}

/** C that computes the mean of squares of each tree: run(target, losses, x0, x1, …). @param {string[]} texts @param {number} variables */
function toC(texts, variables) {
  const columns = Array.from({ length: variables }, (_, k) => `const double *restrict x${k} = a[${k + 2}];`).join(' ');
  const functions = texts.map((text, p) => `static double f${p}(void *const *a, size_t n) {
  const double *restrict y = a[0]; ${columns}
  double sum = 0;
  for (size_t i = 0; i < n; i++) { double d = ${text} - y[i]; sum += d * d; }
  return sum / n;
}`);
  return `#include <math.h>
#include <stddef.h>
${functions.join('\n')}
static double (*const all[])(void *const *, size_t) = {${texts.map((_, p) => `f${p}`).join(', ')}};
static void run(void *const *a, size_t n) {
  for (size_t p = 0; p < ${texts.length}; p++) ((double *)a[1])[p] = all[p](a, n);
}
`;
}

module.exports = { randomTrees, toC };
