// Loops that run inside of a program: over a number, over one element of an array per round, and over rows with a
// carried one. Against the same loops in JavaScript and C, and in Python as NumPy and PyTorch have them; jax-js and
// tfjs have none.
'use strict';

const { Graph, forLoop, scan } = require('graphjit');
const { inC, inPython } = require('../support/peers.js');

const ROUNDS = 1e6;
const UPDATES = 2 ** 17;
const [ROWS, COLUMNS] = [1000, 64];
/** Of the places that are updated: prime to their number. */
const STEP = 7919;

/** @type {(graph: any, value: number, dtype: string, shape?: number[]) => any} */
const number = (graph, value, dtype, shape) => graph.constant(value, { dtype, shape });

/** A random number after so many steps. */
function whileCase() {
  const graph = new Graph('lcg');
  const from = graph.input('from', 'u32');
  graph.output('x', forLoop(number(graph, 0, 'i64'), number(graph, ROUNDS, 'i64'), (_, x) => x.xor(x.shr(3)).mul(1664525).add(1013904223), from));
  const [x, y] = [Uint32Array.of(1), new Uint32Array(1)];
  const plain = () => {
    let [at] = x;
    for (let i = 0; i < ROUNDS; i++) at = (Math.imul(at ^ (at >>> 3), 1664525) + 1013904223) >>> 0;
    y[0] = at;
  };
  return { graphjit: graph.compile({ threads: 1 }).bind({ from: x }, { x: y }), ...inC('lcg_u32', x, y), 'JavaScript loop': plain };
}

/** One element after the other of a copy. */
function updateCase() {
  const graph = new Graph('update');
  const x = graph.input('x', 'f64', [UPDATES]);
  const body = (/** @type {any} */ i, /** @type {any} */ v) => v.updateSlice(v.dynamicSlice([i], [1]).mul(0.5).add(1), [i.mul(STEP).and(UPDATES - 1)]);
  graph.output('z', forLoop(0, UPDATES, body, x));
  const [from, to] = [new Float64Array(UPDATES).fill(2), new Float64Array(UPDATES)];
  const plain = () => {
    to.set(from);
    for (let i = 0; i < UPDATES; i++) to[(i * STEP) & (UPDATES - 1)] = to[i] * 0.5 + 1;
  };
  return { graphjit: graph.compile({ threads: 1 }).bind({ x: from }, { z: to }), ...inC('update_f64', from, to), 'JavaScript loop': plain };
}

/** What comes of every row and of all before it. */
function scanCase() {
  const graph = new Graph('scan');
  const x = graph.input('x', 'f32', [ROWS, COLUMNS]);
  const [, sums] = scan((s, row) => [s.mul(0.9).add(row), s.mul(0.9).add(row)], number(graph, 0, 'f32', [COLUMNS]), x);
  graph.output('z', sums);
  const [from, to] = [new Float32Array(ROWS * COLUMNS).fill(0.5), new Float32Array(ROWS * COLUMNS)];
  const plain = () => {
    const s = new Float32Array(COLUMNS);
    for (let r = 0; r < ROWS; r++) for (let c = 0; c < COLUMNS; c++) to[r * COLUMNS + c] = s[c] = Math.fround(Math.fround(s[c] * Math.fround(0.9)) + from[r * COLUMNS + c]);
  };
  const setup = (/** @type {string} */ made) => `import numpy as np\n${made}\ndef go():\n  s = 0 * x[0]\n  for r in range(${ROWS}):\n    s = s * 0.9 + x[r]\n    z[r] = s\n`;
  const arrays = `x = np.full((${ROWS}, ${COLUMNS}), 0.5, np.float32); z = np.empty_like(x)`;
  return {
    graphjit: graph.compile({ threads: 1 }).bind({ x: from }, { z: to }),
    ...inC('scan_f32', from, to),
    'JavaScript loop': plain,
    ...inPython('numpy', setup(arrays), 'go()'),
    ...inPython('torch', setup(`${arrays}\nimport torch\ntorch.set_num_threads(1)\nx, z = torch.from_numpy(x), torch.from_numpy(z)`), 'go()'),
  };
}

const against = (/** @type {[string, number][]} */ ...peers) => peers.map(([peer, speed]) => ({ who: 'graphjit', peer, speed }));

module.exports = [
  { name: 'while-1e6', title: 'a million rounds over one u32', contestants: whileCase, targets: against(['clang -O3', 0.9], ['JavaScript loop', 1]) },
  { name: 'update-131072', title: 'a copy of 131072 f64, then one element per round', contestants: updateCase, targets: against(['JavaScript loop', 1]) },
  { name: 'scan-1000x64', title: 'a recurrence over 1000 rows of 64 f32', contestants: scanCase, targets: against(['JavaScript loop', 2], ['numpy', 10], ['torch', 10]) },
].map((one) => ({ unit: 'µs', ...one }));
