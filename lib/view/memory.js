/**
 * The memory of a run over time: kernels from left to right, addresses from top to bottom, a rectangle
 * for as long as a value is needed. Above it, how much is needed at each kernel.
 */
'use strict';

const { hueOf } = require('./graph-svg.js');
const { html } = require('./html.js');
const { bytesText, percent, sizeText, typeText } = require('./text.js');

/** @typedef {import('./data.js').ViewData} ViewData */
/** @typedef {import('./html.js').Markup} Markup */

const HEIGHT = 260;
const LABEL = 18;
const LIVE = 44;
const GAP = 18;
const LEFT = 68;
/** Of a bar in a table. */
const BAR = 72;
const WIDE = 552;
const LEAST_WIDE = 240;

/**
 * Bytes that are needed while each kernel runs, and the kernel that needs most.
 *
 * @type {(data: ViewData) => { live: number[], peak: number }}
 */
function liveBytes({ memory, kernels }) {
  const steps = new Array(kernels.length + 1).fill(0);
  for (const { bytes, firstKernel, lastKernel, inPlace } of memory.bytes?.intermediates ?? []) {
    // A value that overwrites another takes no room in the kernel that both live in.
    const first = inPlace ? firstKernel + 1 : firstKernel;
    if (first > lastKernel) continue;
    steps[first] += Number(bytes);
    steps[lastKernel + 1] -= Number(bytes);
  }
  let sum = 0;
  const live = steps.slice(0, -1).map((step) => (sum += step));
  return { live, peak: live.reduce((best, bytes, k) => (bytes > live[best] ? k : best), 0) };
}

/**
 * How wide a kernel is drawn, and how many lie between two labels.
 *
 * @type {(count: number) => { step: number, every: number }}
 */
function columnsOf(count) {
  const step = Math.max(4, Math.min(130, WIDE / count));
  return { step, every: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000].find((each) => each * step >= 30) ?? 2000 };
}

/** @type {(data: ViewData, step: number) => Markup[]} */
function rectangles({ memory }, step) {
  const total = Math.max(1, Number(memory.bytes?.scratchBytes));
  return (memory.bytes?.intermediates ?? []).map(
    ({ value, bytes, offset, firstKernel, lastKernel, dtype, shape, inPlace }, i) => {
      const y = LABEL + LIVE + GAP + (HEIGHT * Number(offset)) / total;
      const height = Math.max(2.5, (HEIGHT * Number(bytes)) / total - 1);
      const width = (lastKernel - firstKernel + 1) * step - 2;
      const formula = memory.formulas.intermediates[i];
      const users = Array.from({ length: lastKernel - firstKernel + 1 }, (_, j) => firstKernel + j);
      const text = `${value} ${dtype}${shape}`;
      const label =
        height >= 14 && width > 7 * value.length + 8 ? (width > 6.2 * text.length + 12 ? text : value) : undefined;
      const where = `${value} ${dtype}${shape}: ${bytesText(Number(bytes))} (${formula.bytes} B) at ${offset}, k${firstKernel} to k${lastKernel}${inPlace ? ', in place' : ''}`;
      return html`<g class="place ${hueOf([firstKernel])}" role="button" tabindex="-1" data-k="${users.length > 64 ? `${firstKernel} ${lastKernel}` : users.join(' ')}" data-first="${firstKernel}" data-ref="${value.slice(1)}" aria-label="${where}"><title>${where}</title><rect x="${(LEFT + firstKernel * step + 1).toFixed(1)}" y="${y.toFixed(1)}" width="${width.toFixed(1)}" height="${height.toFixed(1)}" rx="2"/>${
        label &&
        html`<text x="${(LEFT + firstKernel * step + 7).toFixed(1)}" y="${(y + Math.min(height / 2 + 4, 16)).toFixed(1)}">${label}</text>`
      }</g>`;
    },
  );
}

/** @type {(data: ViewData) => Markup} */
function planMarkup(data) {
  const { memory, kernels } = data;
  if (memory.formulas.intermediates.length === 0) {
    return html`<p class="empty">No value has to be kept between kernels: a run needs no working memory.</p>`;
  }
  if (memory.bytes === null) return html`<p class="empty">Not drawn: ${memory.reason}</p>`;
  const { step, every } = columnsOf(kernels.length);
  const { live, peak } = liveBytes(data);
  const most = Math.max(1, live[peak]);
  const width = LEFT + Math.max(LEAST_WIDE, kernels.length * step) + 12;
  const top = LABEL + LIVE + GAP;
  const columns = kernels.map((_, k) => {
    const height = (LIVE * live[k]) / most;
    const x = LEFT + k * step;
    return html`<g class="column" data-k="${k}"><rect class="back" x="${x.toFixed(1)}" y="0" width="${step.toFixed(1)}" height="${top + HEIGHT + 22}"/><rect class="live${k === peak ? ' peak' : ''}" x="${(x + 0.5).toFixed(1)}" y="${(LABEL + LIVE - height).toFixed(1)}" width="${Math.max(1, step - 1).toFixed(1)}" height="${height.toFixed(1)}"/>${
      k % every === 0 &&
      html`<text class="tick" x="${(x + step / 2).toFixed(1)}" y="${top + HEIGHT + 16}" text-anchor="middle">k${k}</text>`
    }</g>`;
  });
  const anchor = peak * step > WIDE * 0.6 ? 'end' : 'start';
  return html`<div class="scroller" tabindex="0" role="group" aria-label="Memory plan, scrolls sideways"><svg class="plan" width="${Math.ceil(width)}" height="${top + HEIGHT + 24}" viewBox="0 0 ${Math.ceil(width)} ${top + HEIGHT + 24}">${columns}
<text class="axis" x="${LEFT - 8}" y="${LABEL + LIVE}" text-anchor="end">live</text><text class="axis" x="${LEFT - 8}" y="${top + 10}" text-anchor="end">0</text><text class="axis" x="${LEFT - 8}" y="${top + HEIGHT}" text-anchor="end">${bytesText(Number(memory.bytes.scratchBytes))}</text>
<path class="frame" d="M${LEFT} ${top}H${(LEFT + kernels.length * step).toFixed(1)}V${top + HEIGHT}H${LEFT}Z"/>${rectangles(data, step)}
<text class="peak" x="${(LEFT + (peak + (anchor === 'end' ? 1 : 0)) * step).toFixed(1)}" y="11" text-anchor="${anchor}">peak ${bytesText(live[peak])} at k${peak}</text></svg></div>`;
}

/** @type {(data: ViewData) => Markup} sizes of what lies outside of the plan */
function heldMarkup({ memory }) {
  const { formulas, bytes } = memory;
  const rows = [
    ...formulas.inputs.map((port, i) => ({
      role: 'input', name: port.name, type: typeText(port), formula: port.bytes, size: bytes?.inputs[i].bytes,
    })),
    ...formulas.outputs.map((port, i) => ({
      role: 'output', name: port.name, type: typeText(port), formula: port.bytes, size: bytes?.outputs[i].bytes,
    })),
    { role: 'constants', name: '', type: '', formula: formulas.constantBytes, size: formulas.constantBytes },
    { role: 'working memory', name: '', type: '', formula: formulas.scratchBytes, size: bytes?.scratchBytes },
  ];
  const most = Math.max(1, ...rows.map(({ size }) => Number(size ?? 0)));
  return html`<div class="wide"><table class="held"><thead><tr><th scope="col">what</th><th scope="col">type</th><th scope="col" class="r">formula</th><th scope="col" class="r">bytes</th><th scope="col" aria-label="share"></th></tr></thead><tbody>${rows.map(
    ({ role, name, type, formula, size }) =>
      html`<tr><th scope="row">${name && html`<bdi>${name}</bdi> `}<span class="muted">${role}</span></th><td><code>${type}</code></td><td class="r"><code>${typeof formula === 'string' ? formula : ''}</code></td><td class="r">${size === undefined ? sizeText(formula) : sizeText(size)}</td><td>${bar(Number(size ?? 0) / most)}</td></tr>`,
  )}</tbody></table></div>`;
}

/** A bar of some fraction; text says the same. @type {(fraction: number, kind?: string) => Markup} */
const bar = (fraction, kind = '') =>
  html`<svg class="bar ${kind}" width="${BAR}" height="8" aria-hidden="true"><rect class="rail" width="${BAR}" height="8" rx="2"/><rect width="${(BAR * Math.min(1, Math.max(0, fraction))).toFixed(1)}" height="8" rx="2"/></svg>`;

module.exports = { bar, heldMarkup, percent, planMarkup };
