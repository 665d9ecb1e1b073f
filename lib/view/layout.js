/**
 * Where the boxes of a drawing stand: layers from top to bottom, edges downwards.
 *
 * dagre does it for graphs that fit on a screen or a few. Its time grows faster than the graph, so a
 * large one gets layers by longest path, ordered by the places of what they depend on, which takes
 * milliseconds and is good enough to look something up in.
 */
'use strict';

/**
 * @typedef {object} Box
 * @property {string} id
 * @property {number} width
 * @property {number} height
 */

/** @typedef {{ from: string, to: string }} Edge */
/** @typedef {{ x: number, y: number }} Point */

/**
 * @typedef {object} Layout
 * @property {number} width
 * @property {number} height
 * @property {Map<string, Point>} centres
 * @property {Point[][]} lines per edge, from the bottom of one box to the top of another
 */

const MOST_FOR_DAGRE = 250;
const GAP = 22;
const LAYER_GAP = 34;
const MARGIN = 12;

/** @type {(boxes: readonly Box[], edges: readonly Edge[]) => Layout} */
function layoutSmall(boxes, edges) {
  const dagre = require('@dagrejs/dagre');
  const graph = new dagre.graphlib.Graph({ multigraph: true });
  graph.setGraph({ rankdir: 'TB', nodesep: GAP, ranksep: LAYER_GAP, marginx: MARGIN, marginy: MARGIN });
  // Names of ours, since dagre keeps them as keys of plain objects.
  for (const { id, width, height } of boxes) graph.setNode(`v${id}`, { width, height });
  edges.forEach(({ from, to }, i) => graph.setEdge(`v${from}`, `v${to}`, {}, String(i)));
  dagre.layout(graph);
  const centres = new Map(boxes.map(({ id }) => [id, graph.node(`v${id}`)]));
  const lines = edges.map(({ from, to }, i) => graph.edge(`v${from}`, `v${to}`, String(i)).points);
  const { width = 0, height = 0 } = graph.graph();
  return { width, height, centres, lines };
}

/**
 * For each box those at the other ends of its edges.
 *
 * @type {(boxes: readonly Box[], edges: readonly Edge[], near: 'from' | 'to', far: 'from' | 'to') => Map<string, string[]>}
 */
function neighbours(boxes, edges, near, far) {
  /** @type {Map<string, string[]>} */
  const found = new Map(boxes.map(({ id }) => [id, []]));
  for (const edge of edges) found.get(edge[near])?.push(edge[far]);
  return found;
}

/**
 * The layer of each box: one below the lowest of what it depends on.
 *
 * @type {(boxes: readonly Box[], edges: readonly Edge[]) => Map<string, number>}
 */
function layersOf(boxes, edges) {
  const sources = neighbours(boxes, edges, 'to', 'from');
  const users = neighbours(boxes, edges, 'from', 'to');
  /** @type {Map<string, number>} */
  const layers = new Map();
  // Boxes stand behind what they depend on, so one walk is enough.
  for (const { id } of boxes)
    layers.set(id, 1 + Math.max(-1, ...(sources.get(id) ?? []).map((each) => layers.get(each) ?? -1)));
  // What depends on nothing stands right above its first user.
  for (const { id } of boxes) {
    const below = (users.get(id) ?? []).map((each) => layers.get(each) ?? 0);
    if (sources.get(id)?.length === 0 && below.length > 0) layers.set(id, Math.max(0, Math.min(...below) - 1));
  }
  return layers;
}

/** @type {(boxes: readonly Box[], edges: readonly Edge[]) => Layout} */
function layoutLarge(boxes, edges) {
  const layers = layersOf(boxes, edges);
  /** @type {Box[][]} */
  const rows = [];
  for (const box of boxes) (rows[layers.get(box.id) ?? 0] ??= []).push(box);
  const sources = neighbours(boxes, edges, 'to', 'from');
  /** @type {Map<string, Point>} */
  const centres = new Map();
  const wish = (/** @type {Box} */ { id }) => {
    const xs = (sources.get(id) ?? []).map((each) => centres.get(each)?.x ?? 0);
    return xs.length > 0 ? xs.reduce((sum, x) => sum + x, 0) / xs.length : 0;
  };
  let y = MARGIN;
  let width = 0;
  for (const row of rows) {
    let x = MARGIN;
    const wished = new Map(row.map((box) => [box.id, wish(box)]));
    const tallest = Math.max(...row.map(({ height }) => height));
    row.sort((a, b) => (wished.get(a.id) ?? 0) - (wished.get(b.id) ?? 0));
    for (const box of row) {
      x = Math.max(x, (wished.get(box.id) ?? 0) - box.width / 2);
      centres.set(box.id, { x: x + box.width / 2, y: y + tallest / 2 });
      x += box.width + GAP;
    }
    width = Math.max(width, x - GAP + MARGIN);
    y += tallest + LAYER_GAP;
  }
  const heights = new Map(boxes.map(({ id, height }) => [id, height]));
  const end = (/** @type {string} */ id, /** @type {number} */ side) => {
    const { x, y: middle } = centres.get(id) ?? { x: 0, y: 0 };
    return { x, y: middle + (side * (heights.get(id) ?? 0)) / 2 };
  };
  return {
    width, height: y - LAYER_GAP + MARGIN, centres, lines: edges.map(({ from, to }) => [end(from, 1), end(to, -1)]),
  };
}

/**
 * @param {readonly Box[]} boxes each behind those it depends on
 * @param {readonly Edge[]} edges
 * @returns {Layout}
 */
function layout(boxes, edges) {
  if (boxes.length === 0) return { width: 0, height: 0, centres: new Map(), lines: [] };
  return boxes.length <= MOST_FOR_DAGRE && edges.length <= 3 * MOST_FOR_DAGRE
    ? layoutSmall(boxes, edges)
    : layoutLarge(boxes, edges);
}

module.exports = { layout };
