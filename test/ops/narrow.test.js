// Narrowing conversions of arrays whose last vector has a single element: nothing is written beside it.
'use strict';

const { test } = require('node:test');
const { Graph } = require('graphjit');
const { allWays, assertAgreement, reference } = require('../support/oracles.js');
const { arrayOf, randoms } = require('../support/values.js');

test('the last element of a narrowed array has its own width', async () => {
  const graph = new Graph('narrow');
  for (const [from, to] of /** @type {const} */ ([['u32', 'u16'], ['i32', 'i8'], ['u64', 'u32'], ['i64', 'i16'], ['u16', 'u8']])) {
    for (const size of [17, 33, 1025]) {
      const narrowed = graph.input(`${from} ${size}`, from, [size]).convert(to);
      graph.output(`${to} ${size}`, narrowed).output(`${to} ${size} again`, narrowed);
    }
  }
  const inputs = Object.fromEntries(
    graph.inputs.map(({ name, dtype, shape }, i) => [name, { dtype, shape: /** @type {any} */ (shape), data: arrayOf(dtype, randoms(dtype, Number(shape[0]), i)) }]),
  );
  const ways = await allWays(graph);
  assertAgreement(ways, inputs, reference(graph, inputs), { title: 'narrowed' });
  for (const way of ways) way.dispose();
});
