/**
 * Reductions of a whole table: each lane has an accumulator, which a piece begins anew and writes at its end; who runs
 * the kernel puts lanes and pieces together, always in the same order.
 *
 * A fold is a node without a value. Of lanes: sum, min, max of a number, for the rows that its second operand says. Of
 * words: count, and the number of the first and the last row, of the bits that are set. Its buffer has so many elements
 * for each piece as there are lanes.
 */
'use strict';

const { BLOCK } = require('./layout.js');

/** @typedef {import('./emit.js').Emitter} Emitter */
/** @typedef {import('./dag.js').Node} Node */

const GREATEST = { i: (/** @type {number} */ bits) => (1n << BigInt(bits - 1)) - 1n, u: (/** @type {number} */ bits) => (1n << BigInt(bits)) - 1n };

/** What changes nothing. @type {(name: string, rep: string) => string} */
function identityOf(name, rep) {
  if (name === 'sum') return rep.startsWith('f') ? `0:${rep}` : typed(0n, rep);
  if (rep.startsWith('f')) return name === 'min' ? `inf:${rep}` : `-inf:${rep}`;
  const bits = Number(rep.slice(1));
  const most = rep.startsWith('u') ? GREATEST.u(bits) : GREATEST.i(bits);
  return typed(name === 'min' ? most : rep.startsWith('u') ? 0n : -most - 1n, rep);
}

/** @type {(value: bigint, rep: string) => string} */
const typed = (value, rep) => (rep === 'i64' ? `${value}` : `${value}:${rep}`);

/** @type {(e: Emitter) => { node: Node, lanes: number }[]} */
const foldsOf = (e) =>
  e.stages.flatMap(({ nodes, cls }) =>
    nodes.filter(({ kind }) => kind === 'fold').map((node) => ({ node, lanes: cls === 'lanes' ? e.lanesOf(nodes) : 1 })),
  );

/** @type {(e: Emitter) => void} */
function beginFolds(e) {
  for (const { node, lanes } of foldsOf(e)) {
    if (lanes > 1) e.line(`let f${node.id}: ${node.rep}<${lanes}> = splat<${lanes}>(${identityOf(node.name, node.rep)})`);
    else e.line(`let f${node.id}: i64 = ${node.name === 'count' ? 0 : -1}`);
  }
}

/** @type {(e: Emitter) => void} */
function endFolds(e) {
  for (const { node, lanes } of foldsOf(e)) e.line(`pointer<${node.rep}>(b${node.buffers[0]})[mul(u, ${lanes})] = f${node.id}`);
}

/** @type {(e: Emitter, node: Node, args: readonly string[]) => void} */
function foldLanes(e, { id, name, rep }, [value, mask]) {
  const op = name === 'sum' ? 'add' : name;
  const taken = mask === undefined ? value : `select(${mask}, ${value}, splat<${e.lanes}>(${identityOf(name, rep)}))`;
  e.line(`f${id} = ${op}(f${id}, ${taken})`);
}

/** @type {(e: Emitter, node: Node, word: string) => void} */
function foldWord(e, { id, name }, word) {
  const bits = e.let('w_', 'u64', `and(${word}, live)`);
  const row = (/** @type {string} */ bit) => `add(row, add(mul(g, ${BLOCK}), ${bit}))`;
  if (name === 'count') e.line(`f${id} = add(f${id}, convert<i64>(popcount(${bits})))`);
  else if (name === 'first') {
    const low = `convert<i64>(popcount(and(not(${bits}), sub(${bits}, 1:u64))))`;
    e.line(`f${id} = select(and(lt(f${id}, 0), ne(${bits}, 0:u64)), ${row(low)}, f${id})`);
  } else e.line(`f${id} = select(ne(${bits}, 0:u64), ${row(`sub(63, convert<i64>(clz(${bits})))`)}, f${id})`);
}

module.exports = { beginFolds, endFolds, foldLanes, foldWord, foldsOf };
