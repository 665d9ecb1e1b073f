// Minima and maxima of floats where implementations differ: constants beside values, many operands at once, NaN and the
// zeros anywhere among them.
'use strict';

const { test } = require('node:test');
const { Graph } = require('graphjit');
const { allWays, assertAgreement, reference } = require('../support/oracles.js');
const { FLOATS, arrayOf, randoms, specials } = require('../support/values.js');

for (const dtype of FLOATS) {
  test(`minima and maxima of ${dtype} beside constants keep NaN and the sign of zero`, async () => {
    const graph = new Graph('beside');
    const x = graph.input('x', dtype, ['n']);
    for (const limit of [0, -0, 1, -2.5, Infinity, -Infinity]) {
      const constant = graph.constant(limit, { dtype });
      for (const name of ['min', 'max']) {
        const sign = Object.is(limit, -0) ? '-0' : limit;
        graph.output(`${name} ${sign}`, x[name](constant)).output(`${sign} ${name}`, constant[name](x));
      }
    }
    graph.output('clip', x.clip(0, 255)).output('relu', x.mul(2).relu());
    const data = arrayOf(dtype, [...specials(dtype), ...randoms(dtype, 200)]);
    const inputs = { x: { dtype, shape: [data.length], data } };
    const ways = await allWays(graph);
    assertAgreement(ways, inputs, reference(graph, inputs), { title: dtype });
    for (const way of ways) way.dispose();
  });

  test(`minima and maxima of many ${dtype} keep NaN and the sign of zero`, async () => {
    const graph = new Graph('many');
    const x = graph.input('x', dtype, ['n', 'm']);
    for (const name of ['min', 'max']) graph.output(`${name} rows`, x[name]({ axis: 1 })).output(`${name} columns`, x[name]({ axis: 0 }));
    const ways = await allWays(graph);
    for (const [own, values] of Object.entries({ zeros: [-0, -0, -0, 0], below: [-0, -1, -0, -0], special: [NaN, 1, -0, -Infinity, 0, Infinity] })) {
      const [n, m] = [40, 83];
      // A value in a different place of each row, the others being the second one.
      const elements = Array.from({ length: n * m }, (_, i) => ((i * 7) % 43 === Math.floor(i / m) ? values[i % values.length] : values[1]));
      const inputs = { x: { dtype, shape: [n, m], data: arrayOf(dtype, elements) } };
      assertAgreement(ways, inputs, reference(graph, inputs), { title: `${dtype}, ${own}` });
    }
    for (const way of ways) way.dispose();
  });

  test(`minima and maxima of ${dtype} beside whole numbers keep signalling NaNs, one element at a time too`, async () => {
    const graph = new Graph('signalling');
    const [x, k] = [graph.input('x', dtype, ['n', 'm']), graph.input('k', 'i32', ['n', 'm']).convert(dtype)];
    const [least, most] = [x.min(k), k.max(x)];
    graph.output('min', least).output('max', most).output('sum', least.sum({ axis: 1 })).output('total', most.neg().max(k).sum({ axis: 1 }));
    const patterns = dtype === 'f64' ? BigUint64Array.of(0x7ff0000000000001n, 0xfff4000000000000n, 0x7ff8000000000000n) : Uint32Array.of(0x7f800001, 0xffa00000, 0x7fc00000);
    const nans = new (dtype === 'f64' ? Float64Array : Float32Array)(patterns.buffer);
    const ways = await allWays(graph);
    for (const m of [1, 3, 17]) {
      const data = arrayOf(dtype, Array.from({ length: 30 * m }, (_, i) => i % 9));
      for (let row = 0; row < 24; row++) data.set(nans.subarray(row % 3, (row % 3) + 1), row * m + (row % m));
      const inputs = { x: { dtype, shape: [30, m], data }, k: { dtype: 'i32', shape: [30, m], data: Int32Array.from({ length: 30 * m }, (_, i) => i % 5) } };
      assertAgreement(ways, inputs, reference(graph, inputs), { title: `${dtype}, rows of ${m}` });
    }
    for (const way of ways) way.dispose();
  });
}
