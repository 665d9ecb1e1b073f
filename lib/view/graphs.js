/**
 * What is drawn of a graph: boxes for inputs, ops, large constants and outputs, or one box per kernel.
 *
 * A constant of one element is written into the boxes of the ops that take it (`add 2`), and so is an
 * input that many take: lines from one box to all of a large drawing would hide the rest.
 */
'use strict';

const { clip, timeText } = require('./text.js');

/** @typedef {import('./data.js').ViewData} ViewData */
/** @typedef {import('./data.js').ViewGraph} ViewGraph */
/** @typedef {import('./data.js').ViewNode} ViewNode */

/**
 * A box and what it says: a title, what qualifies it, and a smaller line.
 *
 * @typedef {object} Vertex
 * @property {string} id
 * @property {'input' | 'constant' | 'op' | 'output' | 'kernel'} kind
 * @property {string} title
 * @property {string} note
 * @property {string} small
 * @property {number[]} kernels
 * @property {number} [ref] of the value
 * @property {number} width
 * @property {number} height
 */

/** @typedef {{ vertices: Vertex[], edges: { from: string, to: string, kernels: number[] }[] }} Drawing */

/** Widths of a character of the fonts in page.css, which are monospaced, in pixels. */
const WIDE = 7.3;
const NARROW = 6.2;
const PADDING = 22;
const NOTE = 26;
/** Users of an input up to which they are joined by lines. */
const MOST_USERS = 8;
const SMALL = 34;

/** @type {(vertex: Omit<Vertex, 'width' | 'height'>) => Vertex} */
function sized(vertex) {
  const chip = vertex.kernels.length > 0 && vertex.kind === 'op' ? 30 : 0;
  const first = (vertex.title.length + (vertex.note ? vertex.note.length + 1 : 0)) * WIDE + chip;
  const round = vertex.kind === 'input' || vertex.kind === 'output' ? 10 : 0;
  const width = Math.ceil(Math.max(54, first, vertex.small.length * NARROW) + PADDING + round);
  return { ...vertex, width, height: vertex.small ? 42 : 28 };
}

/** Of nodes that are no op. @type {Record<string, Vertex['kind']>} */
const KINDS = { param: 'input', const: 'constant' };

/**
 * The vertex of a node, with what it takes that is not joined to it by a line.
 *
 * @type {(node: ViewNode, inlined?: Map<number, ViewNode>) => Vertex}
 */
function vertexOf({ ref, op, operands, type, detail, kernels }, inlined) {
  const kind = KINDS[op] ?? 'op';
  const inline = operands.flatMap((each) => inlined?.get(each)?.detail ?? []).join(', ');
  const title = kind === 'input' ? clip(detail, NOTE) : op;
  const note = kind === 'input' ? '' : clip(kind === 'op' && inline ? inline : detail, NOTE);
  return sized({ id: `n${ref}`, kind, title, note, small: clip(type, SMALL), kernels, ref });
}

/** Ops, with inputs and outputs. @type {(graph: ViewGraph) => Drawing} */
function nodesDrawing({ nodes, outputs }) {
  const byRef = new Map(nodes.map((node) => [node.ref, node]));
  const isOutput = new Set(outputs.map(({ ref }) => ref));
  /** @type {Map<number, number>} */
  const users = new Map();
  for (const { operands } of nodes) for (const each of new Set(operands)) users.set(each, (users.get(each) ?? 0) + 1);
  const isInlined = (/** @type {ViewNode} */ { ref, op, small }) =>
    small || (op === 'param' && (users.get(ref) ?? 0) > MOST_USERS);
  const inlined = new Map(nodes.filter(isInlined).map((node) => [node.ref, node]));
  // A constant of one element that nobody takes, or that is an output, is drawn after all.
  const drawn = nodes.filter(({ ref, small }) => !small || isOutput.has(ref) || !users.has(ref));
  const vertices = drawn.map((node) => vertexOf(node, inlined));
  const edges = drawn.flatMap(({ ref, operands, kernels }) =>
    [...new Set(operands)]
      .filter((from) => !inlined.has(from))
      .map((from) => ({ from: `n${from}`, to: `n${ref}`, kernels })),
  );
  outputs.forEach(({ name, ref }, i) => {
    vertices.push(
      sized({
        id: `o${i}`, kind: 'output', title: clip(name, NOTE), note: '', small: '',
        kernels: byRef.get(ref)?.kernels ?? [], ref,
      }),
    );
    edges.push({ from: `n${ref}`, to: `o${i}`, kernels: byRef.get(ref)?.kernels ?? [] });
  });
  return { vertices, edges };
}

/** As many boxes of scopes are drawn at most. */
const MOST_SCOPES = 60;

/** The scope of a node by its name: what is before so many slashes. @type {(name: string, depth: number) => string} */
const scopeAt = (name, depth) => name.split('/').filter(Boolean).slice(0, -1).slice(0, depth).join('/');

/** The end of a scope, which tells it from its neighbours. @type {(scope: string) => string} */
const tail = (scope) => (scope.length > NOTE ? `…${scope.slice(1 - NOTE)}` : scope);

/**
 * The deepest scopes of which there are not too many; none where names have none.
 *
 * @type {(names: readonly string[]) => (name: string) => string}
 */
function scopesOf(names) {
  const countAt = (/** @type {number} */ depth) => new Set(names.map((name) => scopeAt(name, depth))).size;
  const deepest = names.reduce((most, name) => Math.max(most, name.split('/').length), 0);
  let depth = 1;
  while (depth < deepest && countAt(depth + 1) <= MOST_SCOPES) depth++;
  return (name) => scopeAt(name, depth);
}

/**
 * Nodes by the id of the box that they are in: each input by itself, others by scope.
 *
 * @type {(nodes: readonly ViewNode[]) => Map<string, { scope: string, own: ViewNode[] }>}
 */
function scopeBoxes(nodes) {
  const scopeOf = scopesOf(nodes.flatMap(({ madeFor }) => madeFor ?? []));
  /** @type {Map<string, { id: string, scope: string, own: ViewNode[] }>} */
  const boxes = new Map();
  for (const node of nodes.filter(({ op }) => op !== 'const')) {
    const isInput = node.op === 'param';
    const scope = isInput ? '' : scopeOf(node.madeFor ?? '');
    const key = isInput ? `input ${node.ref}` : `scope ${scope}`;
    if (!boxes.has(key)) boxes.set(key, { id: `s${boxes.size}`, scope, own: [] });
    boxes.get(key)?.own.push(node);
  }
  return new Map([...boxes.values()].map((box) => [box.id, box]));
}

/** @type {(id: string, scope: string, own: readonly ViewNode[]) => Drawing['vertices'][number]} */
function scopeVertex(id, scope, own) {
  if (own[0].op === 'param') return { ...vertexOf(own[0]), id };
  const kernels = [...new Set(own.flatMap((node) => node.kernels))].sort((a, b) => a - b);
  const note = `${own.length} ${own.length === 1 ? 'op' : 'ops'}`;
  const small = clip(own.at(-1)?.type ?? '', SMALL);
  return sized({ id, kind: 'kernel', title: tail(scope || 'outside'), note, small, kernels });
}

/**
 * A large model folded by the scopes that its file has in names of nodes: a box for each, with how much is in it.
 *
 * @type {(data: ViewData) => Drawing | undefined}
 */
function scopesDrawing({ graphs: { written: { nodes, outputs } } }) {
  const boxes = scopeBoxes(nodes);
  if ([...boxes.values()].filter(({ own }) => own[0].op !== 'param').length < 2) return undefined;
  const vertices = [...boxes].map(([id, { scope, own }]) => scopeVertex(id, scope, own));
  const idOf = new Map([...boxes].flatMap(([id, { own }]) => own.map(({ ref }) => [ref, id])));
  /** @type {Map<string, Drawing['edges'][number]>} */
  const joins = new Map();
  for (const { ref, operands, kernels } of nodes) {
    for (const operand of operands) {
      const [from, to] = [idOf.get(operand), idOf.get(ref)];
      if (from !== undefined && to !== undefined && from !== to) joins.set(`${from} ${to}`, { from, to, kernels });
    }
  }
  outputs.forEach(({ name, ref }, i) => {
    const [from, to] = [idOf.get(ref), `o${i}`];
    vertices.push(sized({ id: to, kind: 'output', title: clip(name, NOTE), note: '', small: '', kernels: [], ref }));
    if (from !== undefined) joins.set(to, { from, to, kernels: [] });
  });
  return { vertices, edges: [...joins.values()] };
}

/** Which kernel stores each value that others read, by the value. @type {(data: ViewData) => Map<number, number>} */
function writersOf({ memory, kernels, graphs }) {
  /** @type {Map<number, number>} */
  const writers = new Map();
  for (const { value, firstKernel } of memory.formulas.intermediates) writers.set(Number(value.slice(1)), firstKernel);
  for (const { name, ref } of graphs.simplified.outputs) {
    const k = kernels.findIndex(({ writes, nodes }) => writes.includes(name) && nodes.includes(ref));
    if (k >= 0 && !writers.has(ref)) writers.set(ref, k);
  }
  return writers;
}

/** What each kernel reads from memory: values that it does not compute. @type {(data: ViewData) => number[][]} */
function readsOf({ kernels, graphs }) {
  const { nodes, outputs } = graphs.simplified;
  const byRef = new Map(nodes.map((node) => [node.ref, node]));
  const refOf = new Map(outputs.map(({ name, ref }) => [name, ref]));
  return kernels.map((kernel) => {
    const own = new Set(kernel.nodes);
    const read = new Set(kernel.nodes.flatMap((ref) => byRef.get(ref)?.operands ?? []));
    // What it writes without computing it is a copy.
    for (const name of kernel.writes) {
      const ref = refOf.get(name);
      if (ref !== undefined && !own.has(ref)) read.add(ref);
    }
    return [...read].filter((ref) => !own.has(ref) && byRef.get(ref)?.op !== 'const');
  });
}

/** One box per kernel. @type {(data: ViewData) => Drawing} */
function kernelsDrawing(data) {
  const { kernels, graphs, profile } = data;
  const { nodes, outputs } = graphs.simplified;
  const writers = writersOf(data);
  const reads = readsOf(data);
  const inputs = nodes.filter(({ op }) => op === 'param');
  const byRef = new Map(inputs.map((node) => [node.ref, node]));
  const vertices = inputs.map((node) => vertexOf(node));
  /** @type {Drawing['edges']} */
  const edges = [];
  kernels.forEach(({ kind, ops, shape }, k) => {
    const time = profile ? `  ${timeText(profile.kernels[k].bestUs * 1e3)}` : '';
    vertices.push(
      sized({
        id: `k${k}`, kind: 'kernel', title: `k${k}`, note: `${kind} ${clip(shape, NOTE)}${time}`,
        small: clip(ops, SMALL + 6), kernels: [k],
      }),
    );
    const from = new Set(reads[k].map((ref) => (byRef.has(ref) ? `n${ref}` : `k${writers.get(ref)}`)));
    for (const each of from)
      if (each !== `k${k}` && each !== 'kundefined') edges.push({ from: each, to: `k${k}`, kernels: [k] });
  });
  outputs.forEach(({ name, ref }, i) => {
    const k = kernels.findIndex(({ writes }) => writes.includes(name));
    vertices.push(
      sized({ id: `o${i}`, kind: 'output', title: clip(name, NOTE), note: '', small: '', kernels: [k], ref }),
    );
    edges.push({ from: `k${k}`, to: `o${i}`, kernels: [k] });
  });
  return { vertices, edges };
}

module.exports = { kernelsDrawing, nodesDrawing, scopesDrawing };
