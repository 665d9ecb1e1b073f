/**
 * The table of kernels, with what a profile found.
 */
'use strict';

const { hueOf } = require('./graph-svg.js');
const { html } = require('./html.js');
const { bar } = require('./memory.js');
const { bytesText, countText, figures, percent, plural, timeText } = require('./text.js');

/** @typedef {import('./data.js').ViewData} ViewData */
/** @typedef {import('./data.js').KernelInfo} KernelInfo */

/** Loops that were treated alike are told of once. @type {(kernel: KernelInfo) => string[]} */
function loopLines({ loops }) {
  /** @type {Map<string, string[]>} */
  const byHow = new Map();
  for (const { name, how } of loops) byHow.set(how, [...(byHow.get(how) ?? []), name]);
  return [...byHow].map(
    ([how, names]) =>
      `${names.length > 4 ? `${names.slice(0, 3).join(', ')} and ${names.length - 3} more` : names.join(', ')}: ${how}`,
  );
}

/** @type {(kernel: KernelInfo) => import('./html.js').Markup} */
function vectorCell(kernel) {
  const lines = loopLines(kernel);
  const words = kernel.lanes > 1 ? `${kernel.lanes} lanes` : kernel.vectorised;
  if (lines.length === 0) return html`${words}`;
  return html`<details><summary>${words}</summary><ul>${lines.map((line) => html`<li>${line}</li>`)}</ul></details>`;
}

/** @type {(data: ViewData, k: number) => import('./html.js').Markup} */
function rowOf({ kernels, profile }, k) {
  const kernel = kernels[k];
  const own = profile?.kernels[k];
  const search = [kernel.kind, kernel.ops, kernel.shape, `k${k}`].join(' ');
  const wide =
    kernel.functions[0] === `k${k}` ? undefined : html` <span class="muted">code of ${kernel.functions[0]}</span>`;
  return html`<tr class="${hueOf([k])}" data-k="${k}" data-search="${search.toLowerCase()}"><th scope="row"><button type="button" class="pick" data-pick="${k}">k${k}</button></th><td>${kernel.kind}${wide}</td><td><code>${kernel.shape}</code></td><td class="ops"><code>${kernel.ops}</code></td><td class="vector">${vectorCell(kernel)}</td>${
    own &&
    html`<td class="r">${countText(own.flops)}</td><td class="r">${bytesText(own.bytesRead + own.bytesWritten)}</td><td class="r">${timeText(own.bestUs * 1e3)}</td><td class="bars">${bar(own.share)} ${percent(own.share)}</td><td class="bars">${bar(own.roof, 'roof')} ${percent(own.roof)} <span class="muted">of ${own.bound}</span></td>`
  }</tr>`;
}

/** @type {(data: ViewData) => import('./html.js').Markup} */
function profileLine({ profile, profileReason, options, machine }) {
  const sizes = Object.entries(options.sizes)
    .map(([name, size]) => `${name} = ${size}`)
    .join(', ');
  if (profile === null) return html`<p class="muted">Without times: ${profileReason}.</p>`;
  const { peak, bandwidth } = /** @type {ReturnType<typeof import('../graph/profile.js').machine>} */ (machine);
  const memory = bandwidth[bandwidth.length - 1];
  return html`<p class="muted">Best of ${plural(profile.runs, 'run')} on random inputs${sizes && html` with <code>${sizes}</code>`}, ${plural(profile.threads, 'thread')}: <strong>${timeText(profile.bestUs * 1e3)}</strong> a run, of which ${timeText(profile.outsideUs * 1e3)} outside of kernels. The roof is what this machine can do at most: ${figures(peak.f32)} GFLOP/s in f32, ${figures(peak.f64)} in f64, ${figures(memory.copy)} GB/s in copies of memory.</p>`;
}

/** @type {(data: ViewData) => import('./html.js').Markup} */
function kernelsMarkup(data) {
  const measured = html`<th scope="col" class="r">flops</th><th scope="col" class="r">bytes</th><th scope="col" class="r">time</th><th scope="col">share of run</th><th scope="col">of the roof</th>`;
  return html`${profileLine(data)}<div class="wide"><table class="kernels"><thead><tr><th scope="col">kernel</th><th scope="col">kind</th><th scope="col">shape</th><th scope="col">ops</th><th scope="col">vectors</th>${data.profile && measured}</tr></thead><tbody>${data.kernels.map(
    (_, k) => rowOf(data, k),
  )}</tbody></table></div>`;
}

module.exports = { kernelsMarkup, loopLines };
