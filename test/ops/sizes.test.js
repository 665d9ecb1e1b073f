// Kernels over axes of every size: nothing, one element, a few, and around the blocks that loops are cut into, in front, in
// the middle and at the end, written down or only known when a run begins.
//
// A row of `kinds` is what reaches a kind of kernel (src/lower), along each axis in turn. Elements are small whole numbers,
// so that sums are exact in any order and all ways agree to the bit: compiled code, the first tier and wasm, each with
// canaries around what it reads and writes.
'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { Graph } = require('graphjit');
const { assertAgreement, native, reference, wasm } = require('../support/oracles.js');
const { arrayOf, isFloat, randomOf } = require('../support/values.js');

/** @typedef {import('graphjit').Value} Value */

/** For each axis of x: `value` where it is this one, else `other`. @type {<T>(x: Value, axis: number, value: T, other: T) => T[]} */
const along = (x, axis, value, other) => x.shape.map((_, i) => (i === axis ? value : other));
const others = (/** @type {Value} */ x, /** @type {number} */ axis) => [...x.shape.keys()].filter((other) => other !== axis);
const isNumber = (/** @type {Value} */ x) => x.dtype !== 'bool';
const places = (/** @type {Graph} */ g) => g.constant([0, 5, 1], { dtype: 'i32' });

/** What it makes of x along an axis; nothing where it takes no such operand. @type {Record<string, (x: Value, axis: number, g: Graph) => Value | false>} */
const kinds = {
  elementwise: (x, axis) => x.transpose(x.shape.map((_, i) => (i + axis) % x.rank)).eq(0),
  reduce: (x, axis) => isNumber(x) && x.reduceSum(axis),
  greatest: (x, axis) => x.reduceMax(axis),
  moments: (x, axis) => isFloat(x.dtype) && x.reduceMoments(axis),
  rows: (x, axis) => isNumber(x) && x.sub(x.reduceMax(axis).expandDims(axis)),
  cumulate: (x, axis) => isNumber(x) && x.cumulateSum(axis),
  computed: (x, axis) => isNumber(x) && x.add(x).cumulateMax(axis),
  sort: (x, axis) => x.sort({ axis }),
  argsort: (x, axis) => x.argsort({ axis, descending: true }),
  concat: (x, axis) => x.concat([x, x.eq(x).select(x, x)], { axis }),
  pad: (x, axis) => x.pad(along(x, axis, [1, 2], [0, 0]), { interior: along(x, axis, 1, 0) }),
  slice: (x, axis) => x.slice(...along(x, axis, [null, null, -2], null)),
  window: (x, axis) => isNumber(x) && x.windowSum(along(x, axis, 3, 1), { padding: along(x, axis, [1, 1], [0, 0]) }),
  contract: (x, axis) => isNumber(x) && x.dotGeneral(x, { contract: [others(x, axis), others(x, axis)] }),
  batched: (x, axis) => isNumber(x) && x.rank > 1 && x.dotGeneral(x, { batch: [[axis], [axis]], contract: [[(axis + 1) % x.rank], [(axis + 1) % x.rank]] }),
};

/** The same of what needs an element along the axis, or a run is refused. @type {typeof kinds} */
const inhabited = {
  gather: (x, axis, g) => x.take(places(g), { axis }),
  scatter: (x, axis, g) => x.indexUpdate(places(g), x.take(places(g), { axis }), { axis }),
  update: (x, axis) => x.reverse(axis).updateSlice(x.slice(...along(x, axis, [1, null], null)), x.shape.map(() => 0)),
  position: (x, axis) => isNumber(x) && x.argmin({ axis }),
};

/** Two sizes of n and m: each of those below with each, and the edges of groups and blocks. */
const small = [0, 1, 2, 3];
const sizes = [...small.flatMap((n) => small.map((m) => ({ n, m }))), { n: 1, m: 65 }, { n: 17, m: 1 }, { n: 65, m: 16 }, { n: 130, m: 3 }];

/** @type {Record<string, any[][]>} */
const shapes = {
  f64: [['n'], ['n', 1], [3, 'n'], ['n', 'm'], ['n', 2, 1], [7, 'n', 1], ['n', 1, 'm'], ['n', 3, 1, 1], [40, 'm', 1], [0, 'n'], [1000, 1], [1, 300, 1]],
  f32: [['n', 1], [40, 'm', 1]],
  i32: [['n', 'm', 1]],
  bool: [['n', 1], [1, 'm', 'n']],
};

/** @type {(table: typeof kinds, shape: any[], dtype: any) => Graph} */
function graphOf(table, shape, dtype) {
  const graph = new Graph('sizes');
  const x = graph.input('x', dtype, shape);
  for (const [name, build] of Object.entries(table)) {
    for (const axis of shape.keys()) {
      const value = build(x, axis, graph);
      if (value) graph.output(`${name} ${axis}`, value);
    }
  }
  return graph;
}

/** @type {(dtype: string, shape: any[], own: Record<string, number>) => any} */
function inputOf(dtype, shape, own) {
  const known = shape.map((size) => own[size] ?? size);
  const random = randomOf(known.length);
  const least = isFloat(dtype) || dtype === 'i32' ? -2 : 0;
  const data = Array.from({ length: known.reduce((a, b) => a * b, 1) }, () => Math.floor(random() * (dtype === 'bool' ? 2 : 5)) + least);
  return { x: { dtype, shape: known, data: arrayOf(dtype, data) } };
}

// Of moments the last digits depend on the order.
const tolerance = (/** @type {string} */ name) => (name.startsWith('moments') ? { absolute: 1e-4 } : {});

/** @type {(table: typeof kinds, shape: any[], dtype: string, least: number) => Promise<void>} */
async function compare(table, shape, dtype, least) {
  const graph = graphOf(table, shape, dtype);
  const first = { ...native(graph, { tier: 'auto' }), name: 'first tier' };
  const ways = [first, native(graph, {}), await wasm(graph, 'simd')];
  const seen = new Set();
  for (const own of sizes) {
    const inputs = inputOf(dtype, shape, own);
    const key = String(inputs.x.shape);
    if (seen.has(key) || Math.min(...inputs.x.shape) < least) continue;
    seen.add(key);
    assertAgreement(ways, inputs, reference(graph, inputs), { title: `[${shape}] = [${key}]`, tolerance });
  }
  assert.ok(seen.size > 0);
  for (const way of ways) way.dispose();
}

for (const [dtype, list] of Object.entries(shapes)) {
  test(`axes of any size are the same everywhere, of ${dtype}`, async () => {
    for (const shape of list) {
      await compare(kinds, shape, dtype, 0);
      if (!shape.includes(0)) await compare(inhabited, shape, dtype, 1);
    }
  });
}
