// Shows tensors: typed arrays with a shape, views that share them, and how both go through a graph.
'use strict';

const { Graph, arange, tensor } = require('graphjit');

// A typed array is wrapped, not copied; views share it too.
const data = new Float64Array(12);
const table = tensor(data, { shape: [3, 4] });
data.forEach((_, i) => (data[i] = i * i));
console.log(`${table}\n`);
console.log(`every other column, last row first:\n${table.slice([null, null, -1], [null, null, 2])}\n`);
table.T.set([3, 0], -1);
console.log(`written through the transposed view: ${data[3]}\n`);
console.log(`large ones are summarised: ${arange(100000, { dtype: 'i32' })}\n`);

// A graph takes tensors of any strides, and gives tensors.
const graph = new Graph('standardize');
const x = graph.input('x', 'f64', ['rows', 'columns']);
const centred = x.sub(x.mean({ axis: 0, keepDims: true }));
graph.output('y', centred.div(x.std({ axis: 0, keepDims: true })));
const program = graph.compile();
console.log(`columns of mean 0 and deviation 1:\n${program.run({ x: table }).y}\n`);
console.log(`the same of the transposed:\n${program.run({ x: table.T }).y}`);
