/**
 * A graph as a table for people and as a Graphviz drawing. The canonical text, which can be parsed
 * again, is made in C.
 */
'use strict';

const { dtypes } = require('./dtypes.js');

/** @typedef {import('./native.js').NodeInfo} NodeInfo */
/** @typedef {{ name: string, nodes: NodeInfo[], outputs: { name: string, ref: number }[] }} Listing */

const MAX_DETAIL = 48;

/** @type {(node: NodeInfo) => string} */
const typeText = ({ dtype, shape }) => `${dtype}[${shape.join(', ')}]`;

/** @type {(value: unknown) => string} */
const attrText = (value) => (Array.isArray(value) ? `[${value.join(', ')}]` : String(value));

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
    .map(([key, value]) => `${key}=${attrText(value)}`)
    .join(' ');
}

/** @type {(text: string) => string} */
const clip = (text) => (text.length > MAX_DETAIL ? `${text.slice(0, MAX_DETAIL - 1)}…` : text);

/**
 * One line per node, in the order in which they run, then the outputs; columns are aligned.
 *
 * @param {Listing} listing
 * @returns {string}
 */
function toTable({ nodes, outputs }) {
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
  const table = [['value', 'op', 'operands', 'type', 'details'], ...rows];
  const widths = table[0].map((_, column) => table.reduce((widest, row) => Math.max(widest, [...row[column]].length), 0));
  const lines = table.map((row) => row.map((cell, column) => cell.padEnd(widths[column])).join('  ').trimEnd());
  const rule = widths.map((width) => '-'.repeat(width)).join('  ');
  return [lines[0], rule, ...lines.slice(1)].join('\n');
}

/** @type {(text: string) => string} a quoted string of the DOT language */
const quoted = (text) => `"${text.replace(/[\\"]/g, '\\$&').replace(/\n/g, '\\n')}"`;

/**
 * The DOT text of a drawing: inputs and outputs as ellipses, constants in grey, the rest as boxes.
 *
 * @param {Listing} listing
 * @returns {string}
 */
function toDot({ name, nodes, outputs }) {
  const lines = [`digraph ${quoted(name)} {`, '  rankdir=TB; node [shape=box, fontname=monospace];'];
  for (const node of nodes) {
    const label = [`%${node.ref} ${node.op}`, clip(detailText(node)), typeText(node)].filter(Boolean).join('\n');
    const style = { param: ', shape=ellipse', const: ', style=filled, fillcolor=gray92' }[node.op] ?? '';
    lines.push(`  n${node.ref} [label=${quoted(label)}${style}];`);
    node.operands.forEach((ref, i) => {
      const port = node.operands.length > 1 ? ` [label="${i + 1}"]` : '';
      lines.push(`  n${ref} -> n${node.ref}${port};`);
    });
  }
  outputs.forEach((output, i) => {
    lines.push(`  o${i} [label=${quoted(`output ${output.name}`)}, shape=ellipse, peripheries=2];`);
    lines.push(`  n${output.ref} -> o${i};`);
  });
  return [...lines, '}', ''].join('\n');
}

module.exports = { toDot, toTable };
