/**
 * The page of a symbolic regression: the front as a drawing and as a table of typeset formulas, and how the chosen one
 * fits. Fits are drawn by front-page.js from values that stand on the page, since one is looked at at a time.
 */
'use strict';

const { documentOf } = require('./document.js');
const { html } = require('./html.js');

/** @typedef {import('./html.js').Markup} Markup */

/**
 * @typedef {object} FrontFormula
 * @property {number} size
 * @property {number} loss
 * @property {number} score
 * @property {number} r2
 * @property {string} text
 * @property {string} latex
 * @property {Markup} math
 * @property {ArrayLike<number>} values at the rows that are drawn
 * @property {ArrayLike<number> | null} curve at the places of the grid, where there is one variable
 *
 * @typedef {object} FrontData
 * @property {string} title
 * @property {string} loss name of the loss
 * @property {number} rows of the data
 * @property {readonly string[]} variables
 * @property {number} generation
 * @property {number} evaluations
 * @property {readonly FrontFormula[]} formulas
 * @property {number} best
 * @property {ArrayLike<number>} y at the rows that are drawn
 * @property {ArrayLike<number> | null} x of the one variable there
 * @property {ArrayLike<number> | null} grid
 */

const WIDTH = 520;
const HEIGHT = 300;
const LEFT = 62;
const BOTTOM = 50;
const TOP = 12;
const RIGHT = 14;

/** R² of rows that are all alike is no number. @type {(value: number) => string} */
const figure = (value) => (Number.isFinite(value) ? String(Number(value.toPrecision(4))) : '–');

/** @type {(exponent: number) => Markup} */
const decade = (exponent) =>
  html`10<tspan class="raised" dy="-5">${String(exponent).replace('-', '−')}</tspan>`;

/**
 * Heights of losses, from 0 at the bottom to 1, and ticks. The axis is logarithmic unless losses are negative; what is
 * 0 stands below all others.
 *
 * @param {readonly number[]} losses
 * @returns {{ at: (loss: number) => number, ticks: { at: number, label: Markup | string }[] }}
 */
function axisOf(losses) {
  const least = Math.min(...losses);
  if (least < 0) {
    const span = Math.max(...losses) - least || 1;
    const ticks = [0, 0.5, 1].map((at) => ({ at, label: figure(least + at * span) }));
    return { at: (loss) => (loss - least) / span, ticks };
  }
  const powers = losses.filter((loss) => loss > 0).map(Math.log10);
  const high = powers.length === 0 ? 0 : Math.ceil(Math.max(...powers));
  const low = powers.length === 0 ? -1 : Math.min(high - 1, Math.floor(Math.min(...powers)));
  const bottom = least === 0 ? low - (high - low) / 8 : low;
  const at = (/** @type {number} */ power) => (power - bottom) / (high - bottom);
  const step = Math.ceil((high - low) / 6);
  /** @type {{ at: number, label: Markup | string }[]} */
  const ticks = [];
  for (let power = high; power >= low; power -= step) ticks.push({ at: at(power), label: decade(power) });
  if (least === 0) ticks.push({ at: 0, label: '0' });
  return { at: (loss) => (loss === 0 ? 0 : at(Math.log10(loss))), ticks };
}

/** @type {(data: FrontData) => Markup} */
function frontDrawing({ formulas, best }) {
  const { at, ticks } = axisOf(formulas.map(({ loss }) => loss));
  const most = formulas[formulas.length - 1].size;
  const x = (/** @type {number} */ size) => (LEFT + ((WIDTH - LEFT - RIGHT) * size) / (most + 1)).toFixed(1);
  const y = (/** @type {number} */ share) => (HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * share).toFixed(1);
  const step = Math.max(1, Math.ceil(most / 8));
  const sizes = Array.from({ length: Math.floor(most / step) }, (_, i) => (i + 1) * step);
  const stairs = formulas.map(({ size, loss }, i) =>
    i === 0 ? `M${x(size)} ${y(at(loss))}` : `H${x(size)}V${y(at(loss))}`,
  );
  return html`<svg class="plot" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="Loss by size">${ticks.map(
    ({ at: share, label }) =>
      html`<path class="rule" d="M${LEFT} ${y(share)}H${WIDTH - RIGHT}"/><text class="end" x="${LEFT - 8}" y="${Number(y(share)) + 4}">${label}</text>`,
  )}${sizes.map((size) => html`<text class="middle" x="${x(size)}" y="${HEIGHT - BOTTOM + 20}">${size}</text>`)}<text class="middle" x="${(LEFT + WIDTH - RIGHT) / 2}" y="${HEIGHT - 4}">size</text><path class="stairs" d="${stairs.join('')}"/>${formulas.map(
    ({ size, loss, text }, i) =>
      html`<circle class="dot${i === best && ' best'}" data-i="${i}" cx="${x(size)}" cy="${y(at(loss))}" r="6"><title>${size} tokens, loss ${figure(loss)}: ${text}</title></circle>`,
  )}</svg>`;
}

/** @type {(data: FrontData) => Markup} */
const tableMarkup = ({ formulas, best }) =>
  html`<div class="scroll"><table class="front"><thead><tr><th class="r">size</th><th class="r">loss</th><th class="r">score</th><th>formula</th></tr></thead><tbody>${formulas.map(
    ({ size, loss, score, math }, i) =>
      html`<tr data-i="${i}"${i === best && html` class="best"`}><td class="r"><button type="button" aria-pressed="false" data-i="${i}" aria-label="Formula of ${size} tokens">${size}</button></td><td class="r">${figure(loss)}</td><td class="r">${figure(score)}</td><td>${math}</td></tr>`,
  )}</tbody></table></div>`;

/** @type {(data: FrontData) => Markup} */
const headMarkup = ({ title, loss, rows, variables, generation, evaluations, formulas, best }) =>
  html`<header><h1><bdi>${title}</bdi></h1><p class="signature">Formulas for ${rows.toLocaleString('en')} rows of ${variables.map((name, i) => html`${i > 0 && ', '}<bdi>${name}</bdi>`)}</p><dl class="facts">${[
    ['best loss', html`${figure(formulas[best].loss)} <small>${loss}</small>`],
    ['R²', figure(formulas[best].r2)],
    ['generations', generation.toLocaleString('en')],
    ['trees tried', evaluations.toLocaleString('en')],
  ].map(([term, value]) => html`<div><dt>${term}</dt><dd>${value}</dd></div>`)}</dl></header>`;

/** Numbers with as many digits as a drawing has; what JSON has not is null. @type {(list: ArrayLike<number> | null) => (number | null)[] | null} */
const drawn = (list) =>
  list && Array.from(list, (value) => (Number.isFinite(value) ? Number(value.toPrecision(6)) : null));

/**
 * @param {FrontData} data
 * @returns {string} HTML
 */
function renderFront(data) {
  const { title, formulas, best, variables, y, x, grid } = data;
  const body = html`${headMarkup(data)}
<main class="columns"><section aria-labelledby="title-front"><h2 id="title-front">Front</h2><div class="card">${frontDrawing(data)}${tableMarkup(data)}</div></section>
<section class="fit" aria-labelledby="title-fit"><h2 id="title-fit">Fit</h2><div class="card"><div class="chosen" aria-live="polite">${formulas.map(
    ({ math, size, loss, r2, text, latex }, i) =>
      html`<div data-chosen="${i}"${i !== best && html` hidden`}><div class="scroll large">${math}</div><p class="muted">${size} tokens, loss ${figure(loss)}, R² ${figure(r2)}</p><pre><code>${text}</code></pre><details><summary>LaTeX</summary><pre><code>${latex}</code></pre></details></div>`,
  )}</div><div id="plots"></div><noscript>Fits are drawn by a script.</noscript></div></section></main>`;
  const values = formulas.map((each) => drawn(each.values));
  const curves = formulas.map(({ curve }) => drawn(curve));
  return documentOf({
    title, name: 'front-page', body,
    data: { best, variable: variables[0], x: drawn(x), y: drawn(y), grid: drawn(grid), values, curves },
  });
}

module.exports = { renderFront };
