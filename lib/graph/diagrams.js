/**
 * A graph as a table for people and as a Graphviz drawing. The canonical text, which can be parsed
 * again, is made in C.
 */
'use strict';

const { dtypes } = require('../tensor/dtypes.js');

/** @typedef {import('../base/binding.js').NodeInfo} NodeInfo */
/** @typedef {{ name: string, nodes: readonly NodeInfo[], outputs: readonly { name: string, ref: number }[] }} Listed */
/** @typedef {Listed & { functions: readonly Listed[] }} Listing */

const MAX_DETAIL = 48;

/** @type {(node: NodeInfo) => string} */
const typeText = ({ dtype, shape }) => `${dtype}[${shape.join(', ')}]`;

/** @type {(value: unknown) => string} */
const attrText = (value) => (Array.isArray(value) ? `[${value.join(', ')}]` : String(value));

/** The functions that a node runs, by number. @type {(node: NodeInfo) => number[]} */
const functionsOf = ({ attrs }) => /** @type {number[] | undefined} */ (/** @type {unknown} */ (attrs.functions)) ?? [];

/** What is special about a node: a name, a constant's elements, attributes. @type {(node: NodeInfo) => string} */
function detailText({ name, data, dtype, bytes, attrs }) {
  if (name !== undefined) return JSON.stringify(name);
  if (data !== undefined) {
    const shown = data.map((element) => (Object.is(element, -0) ? '-0' : String(element))).join(', ');
    const held = Number(bytes) / dtypes[dtype].bytes;
    if (held === 1) return shown;
    return held > data.length ? `[${shown}, … ${held} elements]` : `[${shown}]`;
  }
  return Object.entries(attrs)
    .map(
      ([key, value]) =>
        `${key}=${key === 'functions' ? `[${/** @type {unknown[]} */ (value).map((number) => `@${number}`).join(', ')}]` : attrText(value)}`,
    )
    // the first that one wants to know
    .sort((a, b) => Number(b.startsWith('functions=')) - Number(a.startsWith('functions=')))
    .join(' ');
}

/** @type {(text: string) => string} */
const clip = (text) => (text.length > MAX_DETAIL ? `${text.slice(0, MAX_DETAIL - 1)}…` : text);

/** @type {(listed: Listed) => string[][]} */
function rowsOf({ nodes, outputs }) {
  const rows = nodes.map((node) => [
    `%${node.ref}`,
    node.op,
    node.operands.map((ref) => `%${ref}`).join(', '),
    typeText(node),
    clip(detailText(node)),
  ]);
  const types = new Map(nodes.map((node) => [node.ref, typeText(node)]));
  for (const { name, ref } of outputs) {
    rows.push(['', 'output', `%${ref}`, types.get(ref) ?? '', JSON.stringify(name)]);
  }
  return rows;
}

/**
 * One line per node, in the order in which they run, then the outputs; columns are aligned. Functions follow, each
 * under its number and name.
 *
 * @param {Listing} listing
 * @returns {string}
 */
function toTable(listing) {
  const blocks = [listing, ...listing.functions].map(rowsOf);
  const head = ['value', 'op', 'operands', 'type', 'details'];
  const widths = head.map((title, column) =>
    blocks.flat().reduce((widest, row) => Math.max(widest, [...row[column]].length), title.length),
  );
  const lineOf = (/** @type {readonly string[]} */ row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]))
      .join('  ')
      .trimEnd();
  const rule = widths.map((width) => '-'.repeat(width)).join('  ');
  const titles = listing.functions.map(({ name }, i) => ['', `@${i} ${JSON.stringify(name)}`]);
  return [
    lineOf(head), rule, ...blocks.flatMap((rows, i) => [...(i > 0 ? titles[i - 1] : []), ...rows.map(lineOf)]),
  ].join('\n');
}

/** @type {(text: string) => string} a quoted string of the DOT language */
const quoted = (text) => `"${text.replace(/[\\"]/g, '\\$&').replace(/\n/g, '\\n')}"`;

/** @type {(listed: Listed, prefix: string, called: (node: NodeInfo, id: string) => string[]) => string[]} */
function dotLines({ nodes, outputs }, prefix, called) {
  const lines = nodes.flatMap((node) => {
    const id = `${prefix}n${node.ref}`;
    const label = [`%${node.ref} ${node.op}`, clip(detailText(node)), typeText(node)].filter(Boolean).join('\n');
    const style = { param: ', shape=ellipse', const: ', style=filled, fillcolor=gray92' }[node.op] ?? '';
    const edges = node.operands.map((ref, i) => {
      const port = node.operands.length > 1 ? ` [label="${i + 1}"]` : '';
      return `  ${prefix}n${ref} -> ${id}${port};`;
    });
    return [`  ${id} [label=${quoted(label)}${style}];`, ...edges, ...called(node, id)];
  });
  outputs.forEach((output, i) => {
    lines.push(`  ${prefix}o${i} [label=${quoted(`output ${output.name}`)}, shape=ellipse, peripheries=2];`);
    lines.push(`  ${prefix}n${output.ref} -> ${prefix}o${i};`);
  });
  return lines;
}

/**
 * The DOT text of a drawing: inputs and outputs as ellipses, constants in grey, the rest as boxes. Functions are
 * clusters, with dashed lines from what runs them.
 *
 * @param {Listing} listing
 * @returns {string}
 */
function toDot(listing) {
  const { functions } = listing;
  const called = (/** @type {NodeInfo} */ node, /** @type {string} */ id) =>
    functionsOf(node).map((i) => `  ${id} -> f${i}n${functions[i].nodes[0].ref} [style=dashed, lhead=cluster_f${i}];`);
  const clusters = functions.flatMap((own, i) => [
    `  subgraph cluster_f${i} {`,
    `  label=${quoted(`@${i} ${own.name}`)}; color=gray60;`,
    ...dotLines(own, `f${i}`, () => []),
    '  }',
    ...own.nodes.flatMap((node) => called(node, `f${i}n${node.ref}`)),
  ]);
  const style =
    functions.length > 0
      ? '  rankdir=TB; compound=true; node [shape=box, fontname=monospace];'
      : '  rankdir=TB; node [shape=box, fontname=monospace];';
  return [`digraph ${quoted(listing.name)} {`, style, ...clusters, ...dotLines(listing, '', called), '}', ''].join(
    '\n',
  );
}

module.exports = { functionsOf, toDot, toTable };
