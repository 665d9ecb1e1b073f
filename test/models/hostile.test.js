// Model files from strangers: each ends in an error or a result, within bounds of time and memory.
'use strict';

const assert = require('node:assert/strict');
const { describe, it } = require('node:test');
const { load, tensor } = require('graphjit');
const { mutated, outcome } = require('../support/damaged-files.js');
const { generator } = require('../support/generator.js');
const { onnxModel } = require('../support/onnx-writer.js');

/** Models with most of what a file can hold. */
const models = {
  layers: () => onnxModel({
    nodes: [
      ['Conv', ['x', 'w'], ['c'], { kernel_shape: [3, 3], pads: [1, 1, 1, 1], strides: [2, 2] }],
      ['Relu', ['c'], ['r']], ['GlobalAveragePool', ['r'], ['g']], ['Shape', ['g'], ['s']],
      ['Gather', ['s', 'zero'], ['n'], { axis: 0 }], ['Unsqueeze', ['n', 'axes'], ['n1']],
      ['Concat', ['n1', 'rest'], ['to'], { axis: 0 }], ['Reshape', ['g', 'to'], ['y']],
    ],
    inputs: { x: ['f32', ['batch', 2, 8, 8]] },
    outputs: { y: ['f32', ['batch', 4]] },
    initializers: {
      w: tensor(new Float32Array(72).fill(0.5)).reshape([4, 2, 3, 3]), zero: tensor(0n), axes: tensor([0n]), rest: tensor([-1n]),
    },
  }),
  loop: () => onnxModel({
    nodes: [
      ['Loop', ['count', '', 'x'], ['y', 'all'], {
        body: {
          nodes: [['Add', ['s', 'one'], ['t']], ['Identity', ['c'], ['d']], ['Identity', ['t'], ['o']]],
          inputs: { i: ['i64', []], c: ['bool', []], s: ['f32', [2]] },
          outputs: { d: ['bool', []], t: ['f32', [2]], o: ['f32', [2]] },
        },
      }],
    ],
    inputs: { x: ['f32', [2]] },
    outputs: { y: ['f32', [2]], all: ['f32', [null, 2]] },
    initializers: { count: tensor(3n), one: tensor(1, { dtype: 'f32' }) },
  }),
};

describe('files with bytes changed', () => {
  for (const [name, make] of Object.entries(models)) {
    it(`of ${name} are read or refused`, { timeout: 120_000 }, async () => {
      const [bytes, random] = [make(), generator(7)];
      assert.equal(await outcome(bytes), 'ran');
      // Without loops most by the reference, since compiling takes longer than all the rest.
      for (let i = 0; i < 300; i++) await outcome(mutated(bytes, random), name === 'loop' || i % 25 === 0 ? 'run' : 'eval');
    });
  }
});

/** @type {(nodes: any[], rest?: any) => Uint8Array} a model of one i64 vector */
const ofSizes = (nodes, rest = {}) =>
  onnxModel({ nodes, inputs: { x: ['i64', [1]] }, outputs: { y: ['f32', [null]] }, ...rest });
const huge = (/** @type {bigint} */ value) => tensor([value]);

/** What asks for more than there is. @type {Record<string, () => Uint8Array>} */
const greedy = {
  'a constant of 2^40 elements': () => ofSizes([['ConstantOfShape', ['n'], ['y']]], { initializers: { n: huge(2n ** 40n) } }),
  'a constant of 2^62 elements': () => ofSizes([['ConstantOfShape', ['n'], ['y']]], { initializers: { n: huge(2n ** 62n) } }),
  'a range to 2^50': () => ofSizes([['Range', ['a', 'b', 'c'], ['i']], ['Cast', ['i'], ['y'], { to: 1 }]], {
    initializers: { a: tensor(0n), b: tensor(2n ** 50n), c: tensor(1n) },
  }),
  'an expansion to 2^45 elements': () => ofSizes([['Cast', ['x'], ['f'], { to: 1 }], ['Expand', ['f', 'n'], ['y']]], { initializers: { n: huge(2n ** 45n) } }),
  'a tensor that says that it has 2^50 elements': () => ofSizes([['Identity', ['w'], ['y']]], { initializers: { w: { type: 1, dims: [2 ** 50], raw: new Uint8Array(4) } } }),
  'a tensor of negative size': () => ofSizes([['Identity', ['w'], ['y']]], { initializers: { w: { type: 1, dims: [-4], raw: new Uint8Array(0) } } }),
  'a loop of 2^60 rounds with a growing state': () => ofSizes([
    ['Cast', ['x'], ['f'], { to: 1 }],
    ['Loop', ['n', '', 'f'], ['y'], {
      body: {
        nodes: [['Concat', ['s', 's'], ['t'], { axis: 0 }], ['Identity', ['c'], ['d']]],
        inputs: { i: ['i64', []], c: ['bool', []], s: ['f32', [null]] },
        outputs: { d: ['bool', []], t: ['f32', [null]] },
      },
    }],
  ], { initializers: { n: tensor(2n ** 60n) } }),
  'a function that calls itself': () => onnxModel({
    nodes: [['own::F', ['x'], ['y']]], inputs: { x: ['f32', [1]] }, outputs: { y: ['f32', [1]] }, opsets: { 'ai.onnx': 20, own: 1 },
    functions: [{ name: 'F', domain: 'own', inputs: ['a'], outputs: ['b'], nodes: [['own::F', ['a'], ['b']]], opsets: { 'ai.onnx': 20, own: 1 } }],
  }),
  'functions that call each other twice, forty deep': () => onnxModel({
    nodes: [['own::F40', ['x'], ['y']]], inputs: { x: ['f32', [1]] }, outputs: { y: ['f32', [1]] }, opsets: { 'ai.onnx': 20, own: 1 },
    functions: Array.from({ length: 41 }, (_, i) => ({
      name: `F${i}`, domain: 'own', inputs: ['a'], outputs: ['c'], opsets: { 'ai.onnx': 20, own: 1 },
      nodes: i === 0 ? [['Neg', ['a'], ['c']]] : [[`own::F${i - 1}`, ['a'], ['b']], [`own::F${i - 1}`, ['b'], ['c']]],
    })),
  }),
  'functions without nodes that do so': () => onnxModel({
    nodes: [['own::F40', ['x'], ['y']]], inputs: { x: ['f32', [1]] }, outputs: { y: ['f32', [1]] }, opsets: { 'ai.onnx': 20, own: 1 },
    functions: Array.from({ length: 41 }, (_, i) => ({
      name: `F${i}`, domain: 'own', inputs: ['a'], outputs: i === 0 ? ['a'] : ['c'], opsets: { 'ai.onnx': 20, own: 1 },
      nodes: i === 0 ? [] : [[`own::F${i - 1}`, ['a'], ['b']], [`own::F${i - 1}`, ['b'], ['c']]],
    })),
  }),
  'a value that nothing computes': () => ofSizes([['Neg', ['nothing'], ['y']]]),
  'a node that needs itself': () => ofSizes([['Neg', ['y'], ['y']]]),
};

describe('files that ask for too much', () => {
  for (const [what, make] of Object.entries(greedy)) {
    it(`are refused: ${what}`, { timeout: 60_000 }, async () => {
      const before = process.memoryUsage().rss;
      const code = await outcome(make());
      assert.match(code, /^ERR_/);
      assert.ok(process.memoryUsage().rss - before < 2 ** 30);
    });
  }

  it('are refused: messages nested a hundred thousand deep', async () => {
    let inner = Buffer.alloc(0); // GraphProto.node.attribute.g, again and again
    const field = (/** @type {number} */ number, /** @type {Buffer} */ body) => {
      const length = [];
      for (let rest = body.length; ; rest = Math.floor(rest / 128)) {
        length.push((rest % 128) + (rest >= 128 ? 128 : 0));
        if (rest < 128) break;
      }
      return Buffer.concat([Buffer.from([(number << 3) | 2, ...length]), body]);
    };
    for (let depth = 0; depth < 3000; depth++) inner = field(1, field(5, field(6, inner)));
    await assert.rejects(async () => load(new Uint8Array(field(7, inner))), { code: 'ERR_PARSE', message: /nested more than 100 deep/ });
  });
});
