/**
 * Which parts of a table a predicate has to look at.
 */
'use strict';

const { sliceColumn } = require('../data/parts.js');
const { PIECE_ROWS, rangesOf } = require('./blocks.js');
const { ALL, NONE, decide } = require('./decide.js');

/** @typedef {import('../run/prepare.js').Prepared} Prepared */
/** @typedef {import('../kernel/dag.js').Node} Node */
/** @typedef {import('../data/column.js').Column} Column */
/** Rows of a chunk: of all of them the predicate is true, or it has to be asked. @typedef {{ chunk: number, from: number, to: number, all: boolean }} Part */

/** The column that a leaf reads. @type {(prepared: Prepared, node: Node) => string} */
const columnOf = ({ buffers }, { buffers: [k] }) => buffers[k].column;

const asNumber = new DataView(new ArrayBuffer(8));

/** A word of a parameter as what it stands for. @type {(word: bigint, rep: string) => number | bigint} */
function parameterValue(word, rep) {
  if (rep !== 'f64') return rep === 'i64' ? word : Number(word);
  asNumber.setBigInt64(0, word);
  return asNumber.getFloat64(0);
}

/** Columns that are compared with something known. @type {(prepared: Prepared) => string[]} */
function comparedColumns(prepared) {
  const isKnown = (/** @type {Node} */ { kind }) => kind === 'constant' || kind === 'parameter';
  const names = prepared.dag.nodes
    .filter(({ kind, rep, args }) => kind === 'op' && rep === 'bool' && args.some(isKnown))
    .flatMap(({ args }) => args.filter(({ kind }) => kind === 'column').map((node) => columnOf(prepared, node)));
  return [...new Set(names)];
}

/**
 * The parts of a table that are not decided to be false, or null where nothing is decided. What may fail is asked for
 * all rows.
 *
 * @param {Prepared} prepared of a predicate
 * @param {import('../data/table.js').Table} table
 * @param {readonly bigint[]} words of parameters
 * @param {import('../run/execute.js').RunOptions} options
 * @param {number} vectorBytes
 * @returns {Part[] | null}
 */
function partsToAsk(prepared, table, words, options, vectorBytes) {
  if (prepared.sites.length > 0) return null;
  const names = comparedColumns(prepared);
  if (names.length === 0) return null;
  const chunks = table.chunks.map(({ rows, columns }) => ({
    rows,
    ranges: new Map(names.map((name) => [name, rangesOf(/** @type {Column} */ (columns.get(name)), options, vectorBytes)])),
    columns,
  }));
  if (chunks.every(({ ranges }) => [...ranges.values()].every((each) => each === null))) return null;
  const parts = chunks.flatMap(({ rows, ranges, columns }, chunk) => {
    /** @type {Part[]} */
    const own = [];
    for (let piece = 0; piece * PIECE_ROWS < rows; piece++) {
      const outcome = pieceOutcome(prepared, words, ranges, columns, piece);
      if (outcome === NONE) continue;
      const from = piece * PIECE_ROWS;
      extend(own, { chunk, from, to: Math.min(rows, from + PIECE_ROWS), all: outcome === ALL });
    }
    return own;
  });
  const isWhole = parts.length === chunks.filter(({ rows }) => rows > 0).length && parts.every(({ all }) => !all);
  return isWhole && parts.every(({ chunk, from, to }) => from === 0 && to === chunks[chunk].rows) ? null : parts;
}

/** Adds a part, to the one before where it goes on with that. @type {(parts: Part[], part: Part) => void} */
function extend(parts, part) {
  const last = parts.at(-1);
  if (last !== undefined && last.to === part.from && last.all === part.all) last.to = part.to;
  else parts.push(part);
}

/** @type {(prepared: Prepared, words: readonly bigint[], ranges: ReadonlyMap<string, any>, columns: ReadonlyMap<string, Column>, piece: number) => number} */
function pieceOutcome(prepared, words, ranges, columns, piece) {
  const { dag, roots } = prepared;
  const root = roots[roots.length - 1].args[0];
  return decide(dag.nodes, root, {
    range: (node) => {
      if (node.kind === 'constant') return [node.value, node.value];
      if (node.kind === 'parameter') {
        const value = parameterValue(words[Number(node.value)], node.rep);
        return [value, value];
      }
      const own = node.kind === 'column' ? ranges.get(columnOf(prepared, node)) : null;
      return own ? [own.least[piece], own.greatest[piece]] : null;
    },
    hasNulls: (node) => {
      const { part, column } = prepared.buffers[node.buffers[0]];
      return part !== 'validity' || /** @type {Column} */ (columns.get(column)).validity !== null;
    },
  });
}

/** The chunks of the parts that have to be asked. @type {(parts: readonly Part[], table: import('../data/table.js').Table, names: readonly string[]) => any[]} */
function chunksOf(parts, table, names) {
  const starts = table.chunks.reduce((list, { rows }) => [...list, list[list.length - 1] + rows], [0]);
  return parts.map(({ chunk, from, to }) => ({
    rows: to - from,
    start: starts[chunk] + from,
    columns: new Map(names.map((name) => [name, sliceColumn(/** @type {Column} */ (table.chunks[chunk].columns.get(name)), from, to)])),
  }));
}

module.exports = { chunksOf, partsToAsk };
