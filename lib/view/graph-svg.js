/**
 * Drawings as SVG. Everything that belongs to kernels says so in `data-k`, a list of their numbers, which
 * is what page.js goes by.
 */
'use strict';

const { html } = require('./html.js');
const { layout } = require('./layout.js');

/** @typedef {import('./graphs.js').Drawing} Drawing */
/** @typedef {import('./graphs.js').Vertex} Vertex */

/** Beyond this many boxes a drawing tells nothing, and takes long to show. */
const MOST_VERTICES = 4000;
/** As many hues as page.css has. */
const HUES = 10;

/** @type {(kernels: readonly number[]) => string} the class of a colour */
const hueOf = (kernels) => (kernels.length > 0 ? `h${kernels[kernels.length - 1] % HUES}` : 'h-');

/** @type {(value: number) => number} */
const rounded = (value) => Math.round(value * 10) / 10;

/** A smooth line through some points, downwards. @type {(points: readonly { x: number, y: number }[]) => string} */
function curve(points) {
  const [first, ...rest] = points.map(({ x, y }) => ({ x: rounded(x), y: rounded(y) }));
  let path = `M${first.x} ${first.y}`;
  let from = first;
  for (const to of rest) {
    const middle = rounded((from.y + to.y) / 2);
    path += `C${from.x} ${middle} ${to.x} ${middle} ${to.x} ${to.y}`;
    from = to;
  }
  return path;
}

/** @type {(vertex: Vertex) => string} what a screen reader says */
const labelOf = ({ kind, title, note, small, kernels }) =>
  [kind === 'op' ? '' : kind, title, note, small, kind === 'op' ? kernels.map((k) => `k${k}`).join(' ') : '']
    .filter(Boolean)
    .join(' ');

/**
 * The box of a vertex, whose middle is at a point.
 *
 * @type {(vertex: Vertex, centre: { x: number, y: number }) => import('./html.js').Markup}
 */
function boxOf(vertex, { x, y }) {
  const { kind, title, note, small, kernels, ref, width, height } = vertex;
  const chip =
    kind === 'op' && kernels.length > 0 ? (kernels.length > 1 ? `k${kernels[0]}…` : `k${kernels[0]}`) : undefined;
  const isRound = kind === 'input' || kind === 'output';
  const left = isRound ? 16 : 11;
  return html`<g class="box ${kind} ${hueOf(kernels)}" role="button" tabindex="-1" data-id="${vertex.id}" data-k="${kernels.join(' ')}" data-ref="${ref ?? ''}" aria-label="${labelOf(vertex)}" transform="translate(${rounded(x - width / 2)} ${rounded(y - height / 2)})"><rect width="${width}" height="${height}" rx="${isRound ? height / 2 : 5}"/>${
    kind === 'op' || kind === 'kernel' ? html`<path class="edge" d="M2.5 7v${height - 14}"/>` : undefined
  }<text x="${left}" y="18"><tspan class="t">${title}</tspan>${note && html`<tspan class="n"> ${note}</tspan>`}</text>${
    small && html`<text class="s" x="${left}" y="33">${small}</text>`
  }${chip && html`<text class="c" x="${width - 8}" y="18" text-anchor="end">${chip}</text>`}</g>`;
}

/** @type {(drawing: Drawing, name: string) => import('./html.js').Markup} */
function drawingMarkup({ vertices, edges }, name) {
  if (vertices.length > MOST_VERTICES) {
    return html`<p class="empty">${vertices.length.toLocaleString('en')} boxes are too many to draw. The table of kernels has all of them.</p>`;
  }
  const { width, height, centres, lines } = layout(vertices, edges);
  const size = `${Math.ceil(width)} ${Math.ceil(height)}`;
  return html`<svg class="drawing" data-drawing="${name}" data-size="${size}" role="group" aria-label="${name}"><g class="moved"><g class="edges">${edges.map(
    ({ kernels, from, to }, i) =>
      html`<path class="${hueOf(kernels)}" data-k="${kernels.join(' ')}" data-from="${from}" data-to="${to}" d="${curve(lines[i])}"/>`,
  )}</g>${vertices.map((vertex) => boxOf(vertex, centres.get(vertex.id) ?? { x: 0, y: 0 }))}</g></svg>`;
}

module.exports = { HUES, drawingMarkup, hueOf };
