/**
 * Loop IR, LLVM IR and assembly beside each other, a fold per function. Functions that equal kernels
 * share belong to all of them.
 */
'use strict';

const { hueOf } = require('./graph-svg.js');
const { highlighted } = require('./highlight.js');
const { html } = require('./html.js');
const { asmPieces, llvmPieces, loopPieces, ownerOf } = require('./stage-functions.js');
const { plural } = require('./text.js');

/** @typedef {import('./data.js').ViewData} ViewData */

/** Characters of a text beyond which it stays uncoloured, to keep pages of large programs small. */
const MOST_COLOURED = 1 << 20;
/** Folds of which a browser had better leave out those that are not in sight. */
const MANY = 60;
/** Folds that are open at first. */
const MOST_OPEN = 3;

/** The function that calls those of the kernels. */
const ENTRIES = new Set(['main', 'graphjit_main']);

const columns = /** @type {const} */ ([
  ['loops', 'Loop IR', loopPieces],
  ['llvm', 'LLVM IR, optimised', llvmPieces],
  ['asm', 'Assembly', asmPieces],
]);

/** The kernels of each function. @type {(data: ViewData) => Map<string, number[]>} */
function kernelsByFunction({ kernels }) {
  /** @type {Map<string, number[]>} */
  const found = new Map();
  kernels.forEach(({ functions }, k) => {
    for (const name of functions) found.set(name, [...(found.get(name) ?? []), k]);
  });
  return found;
}

/** @type {(data: ViewData) => import('./html.js').Markup} */
function codeMarkup(data) {
  const owners = kernelsByFunction(data);
  return html`<div class="columns">${columns.map(([language, title, cut]) => {
    const text = data.code[language];
    const pieces = cut(text);
    const names = new Set(pieces.map(({ name }) => ownerOf(name)));
    // What has no function of its own was taken into the entry, which calls it.
    const inlined = data.kernels.flatMap(({ functions }, k) => (functions.some((name) => names.has(name)) ? [] : [k]));
    let open = 0;
    const folds = pieces.map(({ name, text: own, lines }) => {
      const kernels = ENTRIES.has(name) ? inlined : (owners.get(ownerOf(name)) ?? []);
      const isOpen = kernels.length > 0 && open < MOST_OPEN;
      if (isOpen) open++;
      const shown = text.length > MOST_COLOURED ? own : highlighted(own, language);
      const others =
        kernels.length > 1
          ? ` of ${kernels.length > 4 ? plural(kernels.length, 'kernel') : kernels.map((k) => `k${k}`).join(', ')}`
          : '';
      return html`<details class="fold ${hueOf(kernels.slice(0, 1))}" data-k="${kernels.join(' ')}"${isOpen && html` open`}><summary><code>${name || '…'}</code><span class="muted">${others} ${plural(lines, 'line')}</span></summary><pre><code>${shown}</code></pre></details>`;
    });
    return html`<section class="pane" aria-label="${title}"><h3>${title} <span class="muted">${plural(text.split('\n').length, 'line')}</span></h3><div class="folds${pieces.length > MANY && ' many'}" data-pane="${language}" tabindex="0">${folds}</div></section>`;
  })}</div>`;
}

module.exports = { codeMarkup };
