/** The page of a graph. */
'use strict';

const { codeMarkup } = require('./code.js');
const { viewData } = require('./data.js');
const { documentOf } = require('./document.js');
const { functionsMarkup } = require('./graph-functions.js');
const { HUES, drawingMarkup } = require('./graph-svg.js');
const { kernelsDrawing, nodesDrawing, scopesDrawing } = require('./graphs.js');
const { html } = require('./html.js');
const { kernelsMarkup, loopLines } = require('./kernels.js');
const { bar, heldMarkup, planMarkup } = require('./memory.js');
const { bytesText, countText, figures, percent, plural, sizeText, timeText, typeText } = require('./text.js');

/** @typedef {import('./data.js').ViewData} ViewData */
/** @typedef {import('./html.js').Markup} Markup */

/** Of the panel beside the graph. */
const MOST_SLOW = 6;
const MOST_OPS = 24;
/** As many shades for stages as page.css has. */
const STEPS = 8;
/** Beyond this many boxes, kernels are shown at first. */
const MOST_AT_FIRST = 60;

/** @type {(data: ViewData) => Markup} */
function headMarkup({ name, stats, memory, profile, kernels }) {
  const list = (/** @type {readonly any[]} */ ports) =>
    ports.map((port, i) => html`${i > 0 && ', '}<bdi>${port.name}</bdi>: <code>${typeText(port)}</code>`);
  const facts = [
    [
      'nodes',
      html`${stats.nodesBefore.toLocaleString('en')} <small>as written,</small> ${stats.nodesAfter.toLocaleString('en')} <small>simplified</small>`,
    ],
    ['kernels', kernels.length.toLocaleString('en')],
    ['working memory', sizeText(memory.bytes?.scratchBytes ?? memory.formulas.scratchBytes)],
    ['constants', bytesText(stats.constantBytes)],
    ['machine code', bytesText(stats.codeBytes)],
    ['compiled in', timeText(stats.compileMs.total * 1e6)],
    ...(profile ? [['one run', timeText(profile.bestUs * 1e3)]] : []),
  ];
  return html`<header><h1><bdi>${name}</bdi></h1><p class="signature">(${list(memory.formulas.inputs)}) → (${list(memory.formulas.outputs)})</p><dl class="facts">${facts.map(
    ([term, value]) => html`<div><dt>${term}</dt><dd>${value}</dd></div>`,
  )}</dl></header>`;
}

/**
 * What stands beside the graph while nothing is chosen: its slowest kernels, its ops.
 *
 * @type {(data: ViewData) => Markup}
 */
function overviewMarkup({ profile, graphs }) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const { op } of graphs.simplified.nodes) counts.set(op, (counts.get(op) ?? 0) + 1);
  const ops = [...counts].sort(([, a], [, b]) => b - a);
  const slow = (profile?.kernels ?? [])
    .map((kernel, k) => ({ ...kernel, k }))
    .sort((a, b) => b.share - a.share)
    .slice(0, MOST_SLOW);
  return html`${
    slow.length > 0 &&
    html`<h2>Where the time goes</h2><ul class="slow">${slow.map(
      ({ k, ops: text, share }) =>
        html`<li class="h${k % HUES}"><span><button type="button" class="pick" data-pick="${k}">k${k}</button></span>${bar(share)}<span class="r">${percent(share)}</span><code>${text}</code></li>`,
    )}</ul>`
  }<h2 class="next">Ops</h2><ul class="ops-list">${ops
    .slice(0, MOST_OPS)
    .map(
      ([op, count]) => html`<li><code>${op}</code><span class="muted">${count.toLocaleString('en')}</span></li>`,
    )}${ops.length > MOST_OPS && html`<li class="muted">and ${plural(ops.length - MOST_OPS, 'other op')}</li>`}</ul>`;
}

/** @type {(data: ViewData) => Markup} */
function graphMarkup(data) {
  const scopes = scopesDrawing(data);
  const simplified = nodesDrawing(data.graphs.simplified);
  /** @type {[string, string, import('./graphs.js').Drawing][]} */
  const drawings = [
    ...(scopes ? [/** @type {[string, string, import('./graphs.js').Drawing]} */ (['scopes', 'Scopes', scopes])] : []),
    ['kernels', 'Kernels', kernelsDrawing(data)],
    ['simplified', 'Simplified', simplified],
    ['written', 'As written', nodesDrawing(data.graphs.written)],
  ];
  const isLarge = simplified.vertices.length > MOST_AT_FIRST;
  const first = isLarge ? (scopes ? 'scopes' : 'kernels') : 'simplified';
  return html`<div class="stage"><div class="graph card">${drawings.map(
    ([name, title, drawing]) =>
      html`<div class="canvas" data-canvas="${name}" tabindex="0" role="application" aria-label="Graph: ${title}. Arrow keys follow edges, plus and minus zoom, 0 fits."${name !== first && html` hidden`}>${drawingMarkup(drawing, name)}</div>`,
  )}<div class="tools"><fieldset class="tabs"><legend class="hidden-label">What is drawn</legend>${drawings.map(
    ([name, title]) =>
      html`<label><input type="radio" name="drawing" value="${name}"${name === first && html` checked`}>${title}</label>`,
  )}</fieldset><div class="zoom"><button type="button" data-zoom="out" aria-label="Smaller">−</button><button type="button" data-zoom="in" aria-label="Larger">+</button><button type="button" data-zoom="fit">Fit</button></div></div></div><aside class="chosen card" id="chosen" aria-live="polite" tabindex="0" aria-label="What is chosen">${overviewMarkup(data)}<h3>To look around</h3><p>Choose a box, a kernel or a piece of memory: all that belongs to its kernel is marked in every part of the page, and its code is opened.</p><p><kbd>[</kbd> <kbd>]</kbd> go through the kernels, <kbd>/</kbd> searches, <kbd>Esc</kbd> clears. In the graph, arrows follow the edges; drag to move, <kbd>Ctrl</kbd> and the wheel zoom.</p></aside></div>`;
}

/** @type {(data: ViewData) => Markup} */
function stagesMarkup({ stats, kernels }) {
  const { total, ...stages } = /** @type {Record<string, number>} */ (stats.compileMs);
  const shown = Object.entries(stages).filter(([, ms]) => ms > 0);
  const sum = shown.reduce((all, [, ms]) => all + ms, 0) || 1;
  let at = 0;
  const parts = shown.map(([name, ms], i) => {
    const x = (1000 * at) / sum;
    at += ms;
    return html`<rect class="s${i % STEPS}" x="${x.toFixed(1)}" width="${Math.max(1, (1000 * ms) / sum).toFixed(1)}" height="14"><title>${name} ${figures(ms)} ms</title></rect>`;
  });
  return html`<div class="card"><h3>Compiled in ${figures(total)} ms</h3><p class="muted">${plural(kernels.length, 'kernel')}, ${bytesText(stats.codeBytes)} of machine code. Stages are added up over the threads that compiled.</p><svg class="stages" viewBox="0 0 1000 14" preserveAspectRatio="none" role="img" aria-label="Time per stage">${parts}</svg><ul class="legend">${shown.map(
    ([name, ms], i) =>
      html`<li><svg class="s${i % STEPS}" width="10" height="10" aria-hidden="true"><rect width="10" height="10" rx="2"/></svg>${name}<span>${figures(ms)} ms</span></li>`,
  )}</ul></div>`;
}

/** @type {(data: ViewData) => Markup} */
function madeMarkup(data) {
  const { options, stats } = data;
  /** @type {any} */
  const machine = data.machine;
  const sizes = Object.entries(options.sizes)
    .map(([name, size]) => `${name} = ${size}`)
    .join(', ');
  const rows = [
    ['numerics', options.numerics],
    ['optimisation', `level ${options.optLevel}`],
    ['threads', String(stats.threads)],
    ['sizes', sizes || 'no symbols'],
    ['machine', `${machine.model}, ${plural(machine.cores, 'core')}`],
    [
      'target',
      machine.cpu &&
        `${machine.cpu}, vectors of ${machine.vectorBytes} bytes${machine.fma ? ', fused multiply-add' : ''}`,
    ],
    ['roof', machine.peak && `${figures(machine.peak.f32)} GFLOP/s f32, ${figures(machine.peak.f64)} GFLOP/s f64`],
    [
      'copies',
      machine.bandwidth
        ?.map((/** @type {any} */ { level, copy }) => `${level} ${figures(copy)}`)
        .join(', ')
        .concat(' GB/s'),
    ],
  ];
  return html`<div class="made">${stagesMarkup(data)}<div class="card"><h3>Options and machine</h3><dl>${rows.map(
    ([term, value]) => value && html`<dt>${term}</dt><dd>${value}</dd>`,
  )}</dl></div></div>`;
}

/** What page.js needs to write its panel. @type {(data: ViewData) => object} */
function panelData({ graphs, kernels, memory, profile }) {
  const values = (/** @type {import('./data.js').ViewGraph} */ { nodes, outputs }) => {
    /** @type {Map<number, string[]>} */
    const names = new Map();
    for (const { name, ref } of outputs) names.set(ref, [...(names.get(ref) ?? []), name]);
    return Object.fromEntries(
      nodes.map(({ ref, op, operands, type, detail, kernels: own }) => [
        ref,
        { op, operands, type, detail, kernels: own, outputs: names.get(ref)?.join(', ') },
      ]),
    );
  };
  const places = memory.formulas.intermediates.map((place, i) => {
    const now = memory.bytes?.intermediates[i] ?? place;
    return [
      place.value.slice(1),
      `${sizeText(now.bytes)} at ${now.offset}, from k${place.firstKernel} to k${place.lastKernel}${place.inPlace ? ', in place' : ''}`,
    ];
  });
  return {
    hues: HUES,
    kernels: kernels.map((kernel, k) => {
      const { kind, ops, shape, vectorised, lanes, reads, writes, functions, nodes } = kernel;
      const own = profile?.kernels[k];
      return {
        kind,
        ops,
        shape,
        reads,
        writes,
        functions,
        nodes,
        vectorised: lanes > 1 ? `${lanes} lanes` : vectorised,
        loops: loopLines(kernel),
        time: own && `${timeText(own.bestUs * 1e3)}, ${percent(own.share)} of a run`,
        roof: own && `${percent(own.roof)} of ${own.bound}`,
        work:
          own &&
          `${countText(own.flops)} flops, ${bytesText(own.bytesRead + own.bytesWritten)} moved, ${figures(own.gbPerSecond)} GB/s, ${figures(own.gflopPerSecond)} GFLOP/s`,
      };
    }),
    values: { written: values(graphs.written), simplified: values(graphs.simplified) },
    places: Object.fromEntries(places),
  };
}

/**
 * The page of what viewData() collected.
 *
 * @param {ViewData} data
 * @returns {string} HTML
 */
function renderPage(data) {
  const sections = [
    ['graph', 'Graph', graphMarkup(data)],
    ['kernels', 'Kernels', kernelsMarkup(data)],
    ...(data.functions.length > 0 ? [['functions', 'Functions', functionsMarkup(data)]] : []),
    ['memory', 'Memory', html`<div class="memory">${planMarkup(data)}${heldMarkup(data)}</div>`],
    ['code', 'Code', codeMarkup(data)],
    ['compilation', 'Compilation', madeMarkup(data)],
  ];
  const body = html`${headMarkup(data)}
<nav class="bar-top" aria-label="Parts of the page">${sections.map(([id, title]) => html`<a href="#${id}">${title}</a>`)}<span class="filter"><label class="hidden-label" for="filter">Search ops, names, shapes, kernels</label><input id="filter" type="search" placeholder="Search ops, names, shapes …" autocomplete="off" spellcheck="false"><output id="found" for="filter"></output></span></nav>
<main>${sections.map(
    ([
      id, title, content,
    ]) => html`<section id="${id}" aria-labelledby="title-${id}"><h2 id="title-${id}">${title}</h2>${content}</section>
`,
  )}</main>`;
  return documentOf({ title: data.name, name: 'page', body, data: panelData(data) });
}

/**
 * Compiles a graph and shows it as a page.
 *
 * @param {import('../graph/graph.js').Graph} graph
 * @param {import('./data.js').ViewOptions} [options]
 * @returns {string} HTML
 */
const renderView = (graph, options) => renderPage(viewData(graph, options));

module.exports = { renderPage, renderView };
