// If, Loop, Scan and functions of ONNX: compiled where graphs can have them, else decided by data.
'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { load, tensor } = require('graphjit');
const { onnxModel } = require('../support/onnx-writer.js');

/** @type {(list: any, dtype?: any) => any} */
const of = (list, dtype = 'f32') => tensor(list, { dtype });

/** @type {(result: any) => any} tensors as lists */
const lists = (result) =>
  Object.fromEntries(Object.entries(result).map(([name, each]) => [name, Array.isArray(each) ? each.map((one) => one.toArray()) : /** @type {any} */ (each).toArray()]));

/**
 * Checks results for several inputs, compiled and of the reference.
 *
 * @param {any} given of the model
 * @param {readonly [inputs: any, outputs: any][]} cases
 * @param {string | null} [by] why there is more than one graph
 */
async function check(given, cases, by = null) {
  const model = await load(onnxModel(given), { cache: false });
  try {
    assert.equal(model.specialization?.by ?? null, by, model.specialization?.because);
    for (const [inputs, outputs] of cases) {
      assert.deepEqual(lists(model.run(inputs)), outputs);
      assert.deepEqual(lists(model.eval(inputs)), outputs);
    }
    assert.deepEqual(lists(await model.runAsync(cases[0][0])), cases[0][1]);
  } finally {
    model.dispose();
  }
}

const f32 = (/** @type {any[]} */ ...shape) => ['f32', shape];
const i64 = (/** @type {any[]} */ ...shape) => ['i64', shape];
const bool = (/** @type {any[]} */ ...shape) => ['bool', shape];

/** @type {(op: string, inputs: string[], rest?: any) => any} a graph of one node that gives y */
const branch = (op, inputs, rest = {}) => ({ nodes: [[op, inputs, ['y'], rest.attributes]], outputs: ['y'], initializers: rest.initializers });

test('If of branches of one type is an op of the graph, and sees names around it', async () => {
  await check(
    {
      inputs: { p: bool(), x: f32('n') }, outputs: { z: f32('n') }, initializers: { two: 2 },
      nodes: [
        ['Mul', ['x', 'two'], ['double']],
        ['If', ['p'], ['z'], { then_branch: branch('Add', ['double', 'x']), else_branch: branch('Neg', ['double']) }],
      ],
    },
    [
      [{ p: of(true, 'bool'), x: of([1, 2]) }, { z: [3, 6] }],
      [{ p: of(false, 'bool'), x: of([1, 2, 3]) }, { z: [-2, -4, -6] }],
    ],
  );
});

test('If of branches of different ranks is decided by its condition', async () => {
  const flat = branch('Reshape', ['x', 'to'], { initializers: { to: [-1n] } });
  await check(
    {
      inputs: { p: bool(), x: f32('n', 2) }, outputs: ['z'],
      nodes: [['If', ['p'], ['z'], { then_branch: flat, else_branch: branch('Identity', ['x']) }]],
    },
    [
      [{ p: of(true, 'bool'), x: of([[1, 2]]) }, { z: [1, 2] }],
      [{ p: of(false, 'bool'), x: of([[1, 2]]) }, { z: [[1, 2]] }],
      [{ p: of(true, 'bool'), x: of([[1, 2], [3, 4]]) }, { z: [1, 2, 3, 4] }],
    ],
    'values',
  );
});

test('If of a condition that is known is the branch', async () => {
  await check(
    {
      inputs: { x: f32('n', 2) }, outputs: { z: f32('n', 2) }, initializers: { axis: [1n], two: [2n] },
      nodes: [
        ['Shape', ['x'], ['shape']], ['Gather', ['shape', 'axis'], ['size']], ['Equal', ['size', 'two'], ['p']],
        ['If', ['p'], ['z'], { then_branch: branch('Neg', ['x']), else_branch: branch('Shape', ['x']) }],
      ],
    },
    [[{ x: of([[1, 2]]) }, { z: [[-1, -2]] }]],
  );
});

/** A loop over v: [go, v + i + c, v] of the body for round i, where c is a name outside. @type {(nodes?: any[], go?: string) => any} */
const body = (nodes = [], go = 'more') => ({
  inputs: { i: i64(), more: bool(), v: f32() },
  outputs: [go, 'next', 'seen'],
  nodes: [
    ['Cast', ['i'], ['index'], { to: 1 }], ['Add', ['v', 'index'], ['sum']], ['Add', ['sum', 'c'], ['next']],
    ['Identity', ['v'], ['seen']], ...nodes,
  ],
});

test('Loop of a number of rounds stacks what they give', async () => {
  await check(
    {
      inputs: { v0: f32(), c: f32() }, outputs: { v: f32(), all: f32(null) }, initializers: { count: 3n },
      nodes: [['Loop', ['count', '', 'v0'], ['v', 'all'], { body: body() }]],
    },
    [[{ v0: of(10), c: of(1) }, { v: 16, all: [10, 11, 13] }], [{ v0: of(0), c: of(0) }, { v: 3, all: [0, 0, 1] }]],
  );
});

test('Loop of as many rounds as an axis has places is one graph', async () => {
  await check(
    {
      inputs: { x: f32('n'), v0: f32(), c: f32() }, outputs: { v: f32(), all: f32(null) },
      nodes: [['Size', ['x'], ['count']], ['Loop', ['count', '', 'v0'], ['v', 'all'], { body: body() }]],
    },
    [
      [{ x: of([7, 7, 7]), v0: of(10), c: of(1) }, { v: 16, all: [10, 11, 13] }],
      [{ x: of([7]), v0: of(1), c: of(1) }, { v: 2, all: [1] }],
    ],
  );
});

test('Loop without results of rounds runs as long as its condition holds', async () => {
  const growing = {
    inputs: { i: i64(), more: bool(), v: f32() }, outputs: ['go', 'next'],
    nodes: [['Add', ['v', 'v'], ['next']], ['Less', ['next', 'c'], ['go']]],
  };
  await check(
    {
      inputs: { v0: f32(), c: f32(), most: i64() }, outputs: { v: f32() }, initializers: { yes: true },
      nodes: [['Loop', ['most', 'yes', 'v0'], ['v'], { body: growing }]],
    },
    [
      [{ v0: of(1), c: of(20), most: of(100n, 'i64') }, { v: 32 }],
      [{ v0: of(1), c: of(20), most: of(2n, 'i64') }, { v: 4 }],
      [{ v0: of(1), c: of(20), most: of(0n, 'i64') }, { v: 1 }],
    ],
  );
});

test('Loop that stops early gives as many results as there were rounds', async () => {
  const stops = body([['Less', ['next', 'end'], ['go']]], 'go');
  const cases = [
    [{ v0: of(10), c: of(1), end: of(13) }, { v: 13, all: [10, 11] }],
    [{ v0: of(0), c: of(1), end: of(100) }, { v: 15, all: [0, 1, 3, 6, 10] }],
  ];
  const model = (/** @type {any} */ initializers, /** @type {string} */ count) => ({
    inputs: { v0: f32(), c: f32(), end: f32() }, outputs: { v: f32(), all: f32(null) }, initializers,
    nodes: [['Loop', [count, 'yes', 'v0'], ['v', 'all'], { body: stops }]],
  });
  await check(model({ yes: true, most: 5n }, 'most'), /** @type {any} */ (cases));
  await check(model({ yes: true }, ''), /** @type {any} */ ([cases[0]]), 'values');
});

test('Loop whose state grows is translated round by round', async () => {
  const appends = {
    inputs: { i: i64(), more: bool(), list: f32(null) }, outputs: ['more', 'longer'],
    nodes: [['Concat', ['list', 'x'], ['longer'], { axis: 0 }]],
  };
  const model = (/** @type {any} */ inputs, /** @type {any} */ initializers) => ({
    inputs: { x: f32('n'), ...inputs }, outputs: ['y'], initializers,
    nodes: [['Loop', ['count', '', 'x'], ['y'], { body: appends }]],
  });
  await check(model({}, { count: 2n }), [[{ x: of([1, 2]) }, { y: [1, 2, 1, 2, 1, 2] }]]);
  await check(model({ count: i64() }, {}), [
    [{ x: of([1]), count: of(2n, 'i64') }, { y: [1, 1, 1] }], [{ x: of([1]), count: of(0n, 'i64') }, { y: [1] }],
  ], 'values');
});

test('Loop that never ends and grows is refused', async () => {
  const appends = {
    inputs: { i: i64(), more: bool(), list: f32(null) }, outputs: ['more', 'longer'],
    nodes: [['Concat', ['list', 'x'], ['longer'], { axis: 0 }]],
  };
  const bytes = onnxModel({
    inputs: { x: f32(1) }, outputs: ['y'], initializers: { count: 1_000_000n },
    nodes: [['Loop', ['count', '', 'x'], ['y'], { body: appends }]],
  });
  await assert.rejects(load(bytes), { code: 'ERR_UNSUPPORTED', message: /more than 4096 rounds/ });
});

test('loops nest, and inner bodies see the names of outer ones', async () => {
  const inner = {
    inputs: { j: i64(), go: bool(), w: f32() }, outputs: ['go', 'w2'], nodes: [['Add', ['w', 'v'], ['w2']]],
  };
  const outer = {
    inputs: { i: i64(), more: bool(), v: f32() }, outputs: ['more', 'next'],
    nodes: [['Loop', ['three', '', 'c'], ['next'], { body: inner }]],
  };
  await check(
    {
      inputs: { v0: f32(), c: f32() }, outputs: { v: f32() }, initializers: { two: 2n, three: 3n },
      nodes: [['Loop', ['two', '', 'v0'], ['v'], { body: outer }]],
    },
    [[{ v0: of(1), c: of(10) }, { v: 49 }]],
  );
});

/** @type {any} */
const running = {
  inputs: { total: f32(2), x: f32(2) }, outputs: ['next', 'given'],
  nodes: [['Add', ['total', 'x'], ['next']], ['Identity', ['next'], ['given']]],
};

test('Scan goes along any axis, in both directions', async () => {
  const x = of([[1, 2, 3], [10, 20, 30]]);
  /** @type {(attributes: any) => any} */
  const model = (attributes) => ({
    inputs: { zero: f32(2), x: f32(2, 't') }, outputs: ['last', 'all'],
    nodes: [['Scan', ['zero', 'x'], ['last', 'all'], { body: running, num_scan_inputs: 1, scan_input_axes: [1], ...attributes }]],
  });
  const zero = of([0, 0]);
  await check(model({}), [[{ zero, x }, { last: [6, 60], all: [[1, 10], [3, 30], [6, 60]] }]]);
  await check(model({ scan_input_directions: [1], scan_output_axes: [-1] }), [[{ zero, x }, { last: [6, 60], all: [[3, 5, 6], [30, 50, 60]] }]]);
  await check(model({ scan_output_directions: [1] }), [[{ zero, x }, { last: [6, 60], all: [[6, 60], [3, 30], [1, 10]] }]]);
});

test('the first Scan has a batch, and sequences of several lengths', async () => {
  await check(
    {
      inputs: { lengths: i64(2), zero: f32(2, 2), x: f32(2, 3, 2) }, outputs: ['last', 'all'], opsets: 8,
      nodes: [['Scan', ['lengths', 'zero', 'x'], ['last', 'all'], { body: running, num_scan_inputs: 1 }]],
    },
    [[
      { lengths: of([3n, 1n], 'i64'), zero: of([[0, 0], [0, 0]]), x: of([[[1, 2], [3, 4], [5, 6]], [[1, 1], [9, 9], [9, 9]]]) },
      { last: [[9, 12], [1, 1]], all: [[[1, 2], [4, 6], [9, 12]], [[1, 1], [0, 0], [0, 0]]] },
    ]],
  );
});

// ------------------------------------------------------------------------------------- functions

test('functions are translated where they are called, with their attributes', async () => {
  await check(
    {
      inputs: { x: f32('n') }, outputs: { y: f32('n'), z: f32('n') }, opsets: { '': 23, local: 1 },
      functions: [
        {
          name: 'Leak', domain: 'local', inputs: ['a'], outputs: ['b'], attributes: ['slope'],
          nodes: [['LeakyRelu', ['a'], ['b'], { alpha: { reference: 'slope', type: 1 } }]],
        },
        {
          name: 'Twice', domain: 'local', inputs: ['a'], outputs: ['b'], defaults: { by: 0.5 }, opsets: { '': 23, local: 1 },
          nodes: [['local::Leak', ['a'], ['t'], { slope: { reference: 'by', type: 1 } }], ['local::Leak', ['t'], ['b'], { slope: 0.5 }]],
        },
      ],
      nodes: [['local::Twice', ['x'], ['y']], ['local::Twice', ['x'], ['z'], { by: 0.25 }]],
    },
    [[{ x: of([2, -8]) }, { y: [2, -2], z: [2, -1] }]],
  );
});

test('functions have overloads, optional inputs, versions of their own, and bodies that run functions', async () => {
  const step = {
    inputs: { i: i64(), more: bool(), v: f32() }, outputs: ['more', 'next'], nodes: [['local::Add', ['v', 'a'], ['next'], {}, { overload: 'plain' }]],
  };
  await check(
    {
      inputs: { x: f32() }, outputs: { y: f32(), z: f32() }, opsets: { '': 23, local: 1 },
      functions: [
        { name: 'Add', domain: 'local', overload: 'plain', inputs: ['a', 'b'], outputs: ['c'], nodes: [['Add', ['a', 'b'], ['c']]] },
        { name: 'Add', domain: 'local', overload: 'thrice', inputs: ['a', 'count'], outputs: ['c'], opsets: { '': 13, local: 1 }, nodes: [['Loop', ['count', '', 'a'], ['c'], { body: step }]] },
        { name: 'Bound', domain: 'local', inputs: ['a', 'low', 'high'], outputs: ['c'], nodes: [['Clip', ['a', 'low', 'high'], ['c']]] },
      ],
      initializers: { three: 3n },
      nodes: [['local::Add', ['x', 'three'], ['y'], {}, { overload: 'thrice' }], ['local::Bound', ['x', '', 'y'], ['z']]],
    },
    [[{ x: of(2) }, { y: 8, z: 2 }]],
  );
});

test('a function that calls itself is refused', async () => {
  const bytes = onnxModel({
    inputs: { x: f32() }, outputs: ['y'], opsets: { '': 23, local: 1 },
    functions: [{ name: 'Again', domain: 'local', inputs: ['a'], outputs: ['b'], nodes: [['local::Again', ['a'], ['b']]] }],
    nodes: [['local::Again', ['x'], ['y']]],
  });
  await assert.rejects(load(bytes), { code: 'ERR_PARSE', message: /calls itself/ });
});
