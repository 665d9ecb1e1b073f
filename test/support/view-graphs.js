// Graphs for pages: one of every sort that a page has to cope with.
'use strict';

const { Graph } = require('graphjit');

/** Several kernels and outputs, constants, a symbol, and something that simplification removes. */
function softmax() {
  const graph = new Graph('softmax');
  const x = graph.input('x', 'f32', ['n', 64]);
  const weights = graph.constant(Float32Array.from({ length: 64 }, (_, i) => Math.cos(i)));
  const e = x.sub(0).mul(weights).exp();
  x.cbrt(); // nothing needs it
  graph.output('p', e.div(e.sum({ axis: 1, keepDims: true }))).output('most', e.max({ axis: 0 }));
  return graph.output('where', e.argmax({ axis: 0 }).add(1));
}

/** Inputs, outputs and the graph have names that would like to be markup. */
function hostile() {
  const graph = new Graph('</script><img src=x onerror=alert(1)> "q" \u202Eevil');
  const a = graph.input('</script><img src=x onerror=alert(1)>', 'f64', ['n']);
  const b = graph.input("'><svg onload=alert(2)>&lt;</title></style>", 'f64', ['n']);
  const wave = a.mul(b).sin();
  return graph.output('<b>bold</b>', wave.div(wave.sum())).output('${x}`*/-->', a);
}

function one() {
  const graph = new Graph('one');
  return graph.output('y', graph.input('x', 'f32'));
}

/** 1000 nodes and more, in dozens of kernels. */
function deep() {
  const graph = new Graph('deep');
  const y = graph.input('y', 'f32', ['n', 8]);
  let x = graph.input('x', 'f32', ['n', 8]);
  for (let layer = 0; layer < 60; layer++) {
    const mixed = x.mul(layer + 0.5).add(y).abs();
    const centred = mixed.sub(mixed.sum({ axis: 0, keepDims: true })).mul(0.5).add(x).abs();
    x = centred.add(mixed.neg().mul(y).sub(layer)).reverse(0).add(x);
  }
  return graph.output('z', x);
}

module.exports = { deep, hostile, one, softmax };
