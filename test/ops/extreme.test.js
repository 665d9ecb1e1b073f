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
}
