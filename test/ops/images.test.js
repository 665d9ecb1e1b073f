// Padding by what is there and resizing, by hand and with symbolic sizes.
'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { Graph, tensor } = require('graphjit');
const { throwsGraphError } = require('../support/errors.js');

test('padding repeats elements for any width and size', () => {
  const graph = new Graph('pads');
  const x = graph.input('x', 'i32', ['n']);
  for (const mode of /** @type {const} */ (['edge', 'reflect', 'symmetric', 'wrap', 'maximum', 'mean', 'empty'])) graph.output(mode, x.pad([[3, 2]], { mode }));
  const program = graph.compile();
  const run = (/** @type {number[]} */ data) => Object.fromEntries(Object.entries(program.run({ x: Int32Array.from(data) })).map(([name, { data: own }]) => [name, [...own].join(' ')]));
  assert.deepEqual(run([1, 2, 4]), {
    edge: '1 1 1 1 2 4 4 4', reflect: '2 4 2 1 2 4 2 1', symmetric: '4 2 1 1 2 4 4 2', wrap: '1 2 4 1 2 4 1 2', maximum: '4 4 4 1 2 4 4 4', mean: '2 2 2 1 2 4 2 2', empty: '0 0 0 1 2 4 0 0',
  });
  assert.equal(run([7]).reflect, '7 7 7 7 7 7');
});

test('images are resized to sizes known when a run begins', () => {
  const graph = new Graph('images');
  const x = graph.input('x', 'f32', [1, 1, 'n']);
  graph.output('twice', x.resize({ scale: 2, mode: 'linear' })).output('four', x.resize({ size: 4 })).output('as many', x.resize({ size: 'm', mode: 'linear', coordinates: 'alignCorners' }));
  graph.input('y', 'u8', ['m']);
  const results = graph.compile().run({ x: tensor([[[0, 4]]], { dtype: 'f32' }), y: new Uint8Array(3) });
  assert.deepEqual(results.twice.toArray(), [[[0, 1, 3, 4]]]);
  assert.deepEqual(results.four.toArray(), [[[0, 0, 4, 4]]]);
  assert.deepEqual(results['as many'].toArray(), [[[0, 2, 4]]]);
});

test('padding and resizing refuse what they cannot do', () => {
  const graph = new Graph('bad');
  const x = graph.input('x', 'f32', [1, 2, 0]);
  throwsGraphError(() => x.pad(1, { mode: 'edge' }), 'ERR_SHAPE', /pad: axis 2 is empty, so mode 'edge' has nothing to take/);
  throwsGraphError(() => x.pad(1, { mode: 'edge', value: 1 }), 'ERR_ARGUMENT', /pad: option 'value' goes with another mode than 'edge'/);
  throwsGraphError(() => x.pad(-1, { mode: 'wrap' }), 'ERR_ARGUMENT', /pad: expected an integer of at least 0 for the width, got -1/);
  throwsGraphError(() => x.resize({ size: 2 }), 'ERR_SHAPE', /resize: axis 2 is empty, so it cannot become 2/);
  throwsGraphError(() => x.resize({}), 'ERR_ARGUMENT', /resize: expected one of the options 'size' and 'scale'/);
});
