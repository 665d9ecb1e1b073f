/** What the page of a symbolic regression shows: the front, typeset, values at rows and, for one variable, curves. */
'use strict';

const { renderFront } = require('../../view/front.js');
const { trusted } = require('../../view/html.js');

/** Most rows that are drawn, taken evenly, and places of a curve. */
const MOST_ROWS = 1000;
const PLACES = 400;

/** @param {import('./search.js').Regression} regression */
function rowsOf({ data: { target } }) {
  const count = Math.min(target.length, MOST_ROWS);
  return Int32Array.from({ length: count }, (_, i) => Math.floor((i * target.length) / count));
}

/** Evenly from the least to the greatest finite number. @param {ArrayLike<number>} column */
function gridOf(column) {
  const finite = Float64Array.from(column).filter(Number.isFinite);
  const low = finite.reduce((least, each) => Math.min(least, each), Infinity);
  const high = finite.reduce((most, each) => Math.max(most, each), -Infinity);
  return Float64Array.from({ length: PLACES }, (_, i) => low + ((high - low) * i) / (PLACES - 1));
}

/** The rows of a matrix. @param {import('../../tensor/tensor.js').Tensor} values */
function linesOf({ data, shape: [count, length] }) {
  const all = /** @type {Float64Array} */ (data);
  return Array.from({ length: count }, (_, i) => all.subarray(i * length, (i + 1) * length));
}

/**
 * @param {import('./search.js').Regression} regression
 * @param {readonly import('./regressor.js').Formula[]} front
 * @param {import('./regressor.js').Formula} best
 * @param {import('../population.js').Population} population of the front
 * @param {string} title
 * @returns {string} HTML
 */
function pageOf(regression, front, best, population, title) {
  const { settings, data: { columns, target }, generation, evaluations } = regression;
  const rows = rowsOf(regression);
  const x = settings.variables.length === 1 ? columns[0] : null;
  const grid = x && gridOf(x);
  const values = linesOf(population.predict(columns, { rows }));
  const curves = grid && linesOf(population.predict([grid]));
  const { values: r2 } = population.fitness(columns, target, { loss: 'r2' });
  const drawn = (/** @type {ArrayLike<number>} */ list) => Float64Array.from(rows, (row) => list[row]);
  return renderFront({
    title, rows: target.length, variables: settings.variables, generation, evaluations,
    loss: typeof settings.loss === 'string' ? settings.loss : 'loss', best: front.indexOf(best),
    formulas: front.map((formula, i) => ({
      size: formula.size, loss: formula.loss, score: formula.score, r2: r2[i], text: formula.expression,
      latex: formula.toLatex(), math: trusted(formula.toMathml()), values: values[i], curve: curves && curves[i],
    })),
    y: drawn(target), x: x && drawn(x), grid,
  });
}

module.exports = { pageOf };
