/**
 * The functions of a graph: what runs them, their kernels, and their values line by line.
 */
'use strict';

const { html } = require('./html.js');
const { loopLines } = require('./kernels.js');
const { plural } = require('./text.js');

/** @typedef {import('./data.js').ViewData} ViewData */
/** @typedef {import('./html.js').Markup} Markup */

/** @type {(kernel: import('./data.js').KernelInfo) => Markup} */
const rowOf = (kernel) =>
  html`<tr><th scope="row"><code>${kernel.name}</code></th><td>${kernel.kind}</td><td><code>${kernel.shape}</code></td><td class="ops"><code>${kernel.ops}</code></td><td class="vector">${loopLines(kernel).join('; ') || kernel.vectorised}</td></tr>`;

/** @type {(own: ViewData['functions'][number], i: number) => Markup} */
function functionMarkup({ name, usedBy, called, kernels, table }, i) {
  const where = called ? `${plural(kernels.length, 'kernel')} a call` : 'its code is part of the kernels that name it';
  return html`<details class="fold" id="function-${i}"><summary><code>@${i}</code> <strong>${name}</strong> <span class="muted">run by ${usedBy.join(', ')}; ${where}</span></summary>${
    kernels.length > 0 &&
    html`<div class="wide"><table class="kernels"><thead><tr><th scope="col">kernel</th><th scope="col">kind</th><th scope="col">shape</th><th scope="col">ops</th><th scope="col">vectors</th></tr></thead><tbody>${kernels.map(rowOf)}</tbody></table></div>`
  }<pre>${table}</pre></details>`;
}

/** @type {(data: ViewData) => Markup} */
const functionsMarkup = ({ functions }) =>
  html`<p class="muted">What choices run and loops repeat, after simplification. Kernels named here stand under the same names in the code.</p>${functions.map(functionMarkup)}`;

module.exports = { functionsMarkup };
