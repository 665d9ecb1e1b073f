// Makes the text of a graph smaller while something still holds of it.
//
// A graph is its lines. Outputs go, or name an operand of what they named; a value becomes an input of
// its type, or one of its operands; what nothing names any more is left out; then sizes become small.
// What no longer parses does not fail either, so a candidate need not be right.
'use strict';

const { smallest } = require('./shrink.js');

/** @typedef {{ text: string, n: number, m: number }} Case */

const NODE = /^\s*(%\d+) = (\w+)(.*) : (\S.*)$/;

/** The value that a line defines. @param {string} line */
const nodeOf = (line) => {
  const found = NODE.exec(line);
  return found && { ref: found[1], op: found[2], operands: found[3].match(/%\d+/g) ?? [], type: found[4] };
};

/** Lines of each function: from its head to its end. @param {string[]} lines */
function functionsOf(lines) {
  /** @type {[number, number][]} */
  const found = [];
  for (const [at, line] of lines.entries()) {
    if (/^ {2}func @/.test(line)) found.push([at, lines.indexOf('  }', at)]);
  }
  return found;
}

/** Where the graph itself begins: behind its functions. @param {string[]} lines */
const bodyOf = (lines) => (functionsOf(lines).at(-1)?.[1] ?? 0) + 1;

/** Without values, inputs and functions that nothing names. @param {string[]} lines */
function withoutUnused(lines) {
  for (;;) {
    const first = bodyOf(lines);
    const at = lines.findLastIndex((line, i) => {
      const node = i >= first && !line.includes('"binds"') ? nodeOf(line) : null;
      return node && !lines.slice(i + 1).some((other) => (other.match(/%\d+/g) ?? []).includes(node.ref));
    });
    const unused = functionsOf(lines).find(([from]) => {
      const [name] = lines[from].match(/@\w+/) ?? [''];
      return !lines.some((line, i) => i !== from && new RegExp(`${name}\\b`).test(line));
    });
    if (at >= 0) lines = lines.toSpliced(at, 1);
    else if (unused) lines = lines.toSpliced(unused[0], unused[1] - unused[0] + 1);
    else return lines;
  }
}

/** @param {string[]} lines @param {number} at @param {string} ref @param {string} by */
const renamed = (lines, at, ref, by) => lines.map((line, i) => (i > at ? line.replace(new RegExp(`${ref}\\b`, 'g'), by) : line));

/** Texts that are one step smaller, those that promise most first. @param {string[]} lines @returns {Generator<string[]>} */
function* smallerLines(lines) {
  const outputs = lines.flatMap((line, at) => (/^ {2}output /.test(line) ? [at] : []));
  if (outputs.length > 1) {
    for (const kept of outputs) yield lines.filter((_, at) => at === kept || !outputs.includes(at));
    for (const gone of outputs) yield lines.toSpliced(gone, 1);
  }
  for (const at of outputs) {
    const [ref] = lines[at].match(/%\d+/) ?? [''];
    const operands = lines.map(nodeOf).find((node, i) => i >= bodyOf(lines) && node?.ref === ref)?.operands ?? [];
    for (const operand of operands) yield lines.with(at, lines[at].replace(ref, operand));
  }
  for (let at = bodyOf(lines); at < lines.length; at++) {
    const node = nodeOf(lines[at]);
    if (!node || node.op === 'param' || node.op === 'const') continue;
    const number = node.ref.slice(1);
    for (const name of ['s', 'x']) yield lines.with(at, `  ${node.ref} = param "${name}${number}" : ${node.type}`);
    for (const operand of node.operands) {
      const from = lines.map(nodeOf).find((other, i) => i < at && i >= bodyOf(lines) && other?.ref === operand);
      if (from?.type === node.type) yield renamed(lines.toSpliced(at, 1), at - 1, node.ref, operand);
    }
  }
}

/** @param {Case} made @returns {Generator<Case>} */
function* smaller(made) {
  const lines = made.text.split('\n');
  for (const some of smallerLines(lines)) yield { ...made, text: withoutUnused(some).join('\n') };
  for (const name of /** @type {const} */ (['n', 'm'])) {
    for (const size of [0, 1, 2, 3, 4, 5, 8, 9, 16, 17, 33, 65]) if (size < made[name]) yield { ...made, [name]: size };
  }
  const sizes = [...new Set(made.text.match(/(?<=[[, *])\d+(?=[\], *])/g) ?? [])].map(Number).filter((size) => size > 3);
  for (const size of sizes) {
    const change = (/** @type {number} */ by) => made.text.replace(new RegExp(`(?<=[[, *])${size}(?=[\\], *])`, 'g'), String(by));
    for (const by of [1, 2, 3, 5, 17]) if (by < size) yield { ...made, text: change(by) };
  }
}

/** The smallest graph found. @type {(made: Case, fails: (made: Case) => boolean, tries?: number) => Case} */
const shrinkGraph = (made, fails, tries = 500) => smallest(made, smaller, fails, tries);

module.exports = { shrinkGraph };
