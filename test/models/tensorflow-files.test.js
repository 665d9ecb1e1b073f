// Files of TensorFlow: graphs in binary, text and JSON, folders with checkpoints, and such as are damaged.
'use strict';

const assert = require('node:assert/strict');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { after, test } = require('node:test');
const { load, tensor } = require('graphjit');
const { uncompress } = require('../../lib/models/shared/snappy.js');
const { constant, encode, graphDef, graphProto, placeholder } = require('../support/tensorflow-writer.js');
const { mutated, outcome } = require('../support/damaged-files.js');
const { generator } = require('../support/generator.js');
const { writeSavedModel } = require('../support/tensorflow-folder.js');

const root = fs.mkdtempSync(path.join(os.tmpdir(), 'graphjit-tensorflow-'));
after(() => fs.rmSync(root, { recursive: true }));

/** @type {(list: any) => any} */
const floats = (list) => tensor(list, { dtype: 'f32' });

/** @type {(source: any, options?: any) => Promise<any>} */
const open = (source, options) => load(source, { compile: false, cache: false, optLevel: 1, ...options });

/** @type {(source: any, feeds: any, options?: any) => Promise<Record<string, any>>} results as nested arrays */
async function run(source, feeds, options) {
  const model = await open(source, options);
  try {
    const results = model.run(feeds);
    return Object.fromEntries(Object.entries(results).map(([name, value]) => [name, value.toArray?.() ?? value]));
  } finally {
    model.dispose();
  }
}

/** @type {(file: string, data: string | Uint8Array) => string} */
function write(file, data) {
  const place = path.join(root, file);
  fs.mkdirSync(path.dirname(place), { recursive: true });
  fs.writeFileSync(place, data);
  return place;
}

const doubled = graphDef([placeholder('x', 'f32', [null, 2]), constant('by', floats(2)), ['y', 'Mul', ['x', 'by'], { T: { type: 'f32' } }]]);

test('a graph has placeholders as inputs and what nobody reads as outputs', async () => {
  const model = await open(doubled);
  assert.deepEqual(model.inputs, [{ name: 'x', dtype: 'f32', shape: ['x_0', 2] }]);
  assert.deepEqual(model.outputs.map((/** @type {any} */ { name }) => name), ['y']);
  assert.equal(model.format, 'tensorflow');
  assert.equal(model.specialization, null);
  assert.deepEqual(model.run({ x: floats([[1, 2], [3, 4]]) }).y.toArray(), [[2, 4], [6, 8]]);
  assert.deepEqual(model.run({ x: floats([[1, 2]]) }).y.toArray(), [[2, 4]]);
  model.dispose();
});

test('outputs may be other nodes', async () => {
  assert.deepEqual(await run(doubled, { x: floats([[1, 2]]) }, { outputs: ['by'] }), { by: 2 });
  await assert.rejects(open(doubled, { outputs: ['z'] }), /'z'/);
});

test('a graph in text format', async () => {
  const file = write('graph.pbtxt', `
# a comment
node { name: "x" op: "Placeholder"
  attr { key: "dtype" value { type: DT_FLOAT } }
  attr { key: "shape" value { shape { dim { size: -1 } dim { size: 2 } } } } }
node {
  name: 'c' op: "Const" attr: < key: "dtype" value: < type: DT_FLOAT > >
  attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape { dim { size: 2 } } tensor_content: "\\000\\000\\200?" "\\x00\\x00\\x00\\x40" } } }
}
node { name: "d" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } }
  attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape { dim { size: 2 } } float_val: [1.5, -2e0f] unheard_of { of: 1 } } } } }
node { name: "y" op: "AddN" input: "x" input: "c" input: "d" input: "^c" attr { key: "N" value { i: 3 } } }
versions { producer: 21 }`);
  assert.deepEqual(await run(file, { x: floats([[10, 20]]) }), { y: [[12.5, 20]] });
  await assert.rejects(open(write('bad.pbtxt', 'node { name: "x" op: }')), { code: 'ERR_PARSE', message: /line 1/ });
  await assert.rejects(open(write('open.pbtxt', 'node { name: "x"')), { code: 'ERR_PARSE' });
});

test('constants repeat their last element', async () => {
  const value = { dtype: 3, tensorShape: { dim: [{ size: 3 }] }, intVal: [7, -1] };
  const proto = graphProto([['c', 'Const', [], { dtype: { type: 'i32' } }], ['y', 'Identity', ['c'], { T: { type: 'i32' } }]]);
  proto.node[0].attr.value = { tensor: value };
  assert.deepEqual(await run(encode('Graph', proto), {}), { y: [7, -1, -1] });
  proto.node[0].attr.value = { tensor: { ...value, tensorShape: { dim: [{ size: 1 }] } } };
  await assert.rejects(open(encode('Graph', proto)), { code: 'ERR_PARSE', message: /has 2 elements, expected 1/ });
  proto.node[0].attr.value = { tensor: { ...value, tensorShape: { dim: [{ size: 2 ** 40 }] } } };
  await assert.rejects(open(encode('Graph', proto)), { code: 'ERR_PARSE' });
});

// ---------------------------------------------------------------------------------- SavedModels

const port = /** @type {const} */ (['x:0', 'f32', [null, 2]]);
/** @type {any[]} */
const reading = [placeholder('x', 'f32', [null, 2]), ['w', 'VarHandleOp', [], { shared_name: 'dense/kernel', dtype: { type: 'f32' }, shape: { shape: [2, 2] } }]];
/** @type {any} */
const dense = {
  name: 'dense', inputs: { x: 'f32', w: 'resource' }, outputs: { y: 'f32' },
  nodes: [['read', 'ReadVariableOp', ['w'], { dtype: { type: 'f32' } }], ['mul', 'MatMul', ['x', 'read:value:0'], { T: { type: 'f32' } }]], returns: { y: 'mul:product:0' },
};
const called = ['call', 'StatefulPartitionedCall', ['x', 'w'], { f: { func: 'dense' } }];
const signatures = { serving_default: { inputs: { x: port }, outputs: { out: ['call:0', 'f32', [null, 2]] } } };
const kernel = floats([[1, 2], [3, 4]]);

test('a SavedModel whose checkpoint has objects', async () => {
  const folder = path.join(root, 'objects');
  writeSavedModel(folder, {
    nodes: [...reading, called], functions: [dense], signatures,
    variables: { 'layer/kernel/.ATTRIBUTES/VARIABLE_VALUE': kernel, 'layer/other/.ATTRIBUTES/VARIABLE_VALUE': floats([9]) },
    objects: { 'dense/kernel': 'layer/kernel/.ATTRIBUTES/VARIABLE_VALUE' },
  });
  const model = await open(folder);
  assert.deepEqual(model.metadata.signatures, ['serving_default']);
  assert.deepEqual(model.run({ x: floats([[1, 1]]) }).out.toArray(), [[4, 6]]);
  model.dispose();
  assert.deepEqual(await run(path.join(folder, 'saved_model.pb'), { x: floats([[1, 0]]) }), { out: [[1, 2]] });
});

test('nodes that restore variables say their keys', async () => {
  const folder = path.join(root, 'restored');
  /** @type {any} */
  const restore = {
    name: 'restore', inputs: { prefix: 'string', w: 'resource' }, outputs: {}, returns: {},
    nodes: [
      constant('names', ['b', 'a']), constant('slices', ['', '']),
      ['restored', 'RestoreV2', ['prefix', 'names:output:0', 'slices:output:0'], {}], ['it', 'Identity', ['restored:tensors:1'], {}],
      ['assign', 'AssignVariableOp', ['w', 'it:output:0'], {}],
    ],
  };
  writeSavedModel(folder, {
    nodes: [...reading, called, constant('prefix', 'x'), ['load', 'StatefulPartitionedCall', ['prefix', 'w'], { f: { func: 'restore' } }]],
    functions: [dense, restore], signatures, variables: { a: kernel, b: floats([1]) },
  });
  assert.deepEqual(await run(folder, { x: floats([[0, 1]]) }), { out: [[3, 4]] });
});

test('variables of TensorFlow 1, and another signature', async () => {
  const folder = path.join(root, 'first');
  writeSavedModel(folder, {
    nodes: [placeholder('x', 'f32', [null, 2]), ['v', 'VariableV2', [], { dtype: { type: 'f32' } }], ['read', 'Identity', ['v'], {}], ['y', 'MatMul', ['x', 'read'], {}], ['z', 'Neg', ['y'], {}]],
    signatures: { negative: { inputs: { x: port }, outputs: { z: ['z:0', 'f32', [null, 2]] } }, plain: { inputs: { x: port }, outputs: { y: ['y:0', 'f32', [null, 2]] } } },
    variables: { v: kernel },
  });
  assert.deepEqual(await run(folder, { x: floats([[1, 1]]) }, { signature: 'plain' }), { y: [[4, 6]] });
  assert.deepEqual(await run(folder, { x: floats([[1, 1]]) }), { z: [[-4, -6]] });
  await assert.rejects(open(folder, { signature: 'none' }), { code: 'ERR_ARGUMENT', message: /there are 'negative', 'plain'/ });
});

test('a SavedModel with a damaged checkpoint', async () => {
  const folder = path.join(root, 'damaged');
  writeSavedModel(folder, { nodes: [...reading, called], functions: [dense], signatures, variables: { 'dense/kernel': kernel } });
  const index = path.join(folder, 'variables', 'variables.index');
  const good = fs.readFileSync(index);
  for (let at = 0; at < good.length; at += 3) {
    const bad = Buffer.from(good);
    bad[at] ^= 0xff;
    fs.writeFileSync(index, bad);
    await open(folder).then((model) => model.dispose(), (error) => assert.match(error.code, /^ERR_/, `byte ${at}: ${error.stack}`));
  }
  fs.writeFileSync(index, good.subarray(0, 20));
  await assert.rejects(open(folder), { code: 'ERR_PARSE' });
  fs.writeFileSync(index, good);
  fs.rmSync(path.join(folder, 'variables', 'variables.data-00000-of-00001'));
  await assert.rejects(open(folder), /variables.data-00000-of-00001/);
  fs.rmSync(index);
  await assert.rejects(open(folder), { code: 'ERR_PARSE', message: /nothing says what the variable holds/ });
});

test('blocks of a checkpoint may be compressed', () => {
  // 'abcd', then 8 bytes from 4 before: they overlap with what they make
  const packed = Uint8Array.of(12, 3 << 2, 97, 98, 99, 100, (7 << 2) | 2, 4, 0);
  assert.equal(Buffer.from(uncompress(packed, 'x')).toString(), 'abcdabcdabcd');
  for (const bad of [[12], [4, 3 << 2, 97], [8, (3 << 2) | 2, 1, 0], [1, 0xf0]]) assert.throws(() => uncompress(Uint8Array.from(bad), 'x'), { code: 'ERR_PARSE' });
});

// -------------------------------------------------------------------------------- TensorFlow.js

/** @type {(folder: string, given: any) => string} */
function writeBrowserModel(folder, { weights, bytes, paths = ['group1-shard1of2.bin', 'group1-shard2of2.bin'], ...rest }) {
  const half = Math.ceil(bytes.length / 2);
  write(`${folder}/group1-shard1of2.bin`, bytes.subarray(0, half));
  write(`${folder}/group1-shard2of2.bin`, bytes.subarray(half));
  const node = [
    { name: 'x', op: 'Placeholder', attr: { dtype: { type: 'DT_FLOAT' }, shape: { shape: { dim: [{ size: '-1' }, { size: '2' }] } } } },
    ...weights.map((/** @type {any} */ { name }) => ({ name, op: 'Const', attr: { dtype: { type: 'DT_FLOAT' } } })),
    { name: 'y', op: 'AddN', input: ['x', ...weights.map((/** @type {any} */ { name }) => name)], attr: { N: { i: String(weights.length + 1) } } },
  ];
  const model = { format: 'graph-model', modelTopology: { node, versions: { producer: 1 } }, weightsManifest: [{ paths, weights }], ...rest };
  return write(`${folder}/model.json`, JSON.stringify(model));
}

const quantised = [
  { name: 'a', shape: [2], dtype: 'float32' },
  { name: 'b', shape: [2], dtype: 'float32', quantization: { dtype: 'uint8', scale: 0.5, min: -1 } },
  { name: 'c', shape: [2], dtype: 'float32', quantization: { dtype: 'uint16', scale: 2, min: 1 } },
  { name: 'd', shape: [2], dtype: 'float32', quantization: { dtype: 'float16' } },
];
const halves = Buffer.from(Uint16Array.of(0x3c00, 0xc000).buffer);
const quantisedBytes = Buffer.concat([Buffer.from(Float32Array.of(100, 200).buffer), Buffer.from([4, 0]), Buffer.from(Uint16Array.of(1000, 1).buffer), halves]);

test('a model of TensorFlow.js with quantised constants in several files', async () => {
  const file = writeBrowserModel('browser', { weights: quantised, bytes: quantisedBytes });
  assert.deepEqual(await run(file, { x: floats([[0, 0]]) }), { y: [[100 + 1 + 2001 + 1, 200 - 1 + 3 - 2]] });
  const signature = { inputs: { given: { name: 'x:0', dtype: 'DT_FLOAT', tensorShape: { dim: [{ size: '1' }, { size: '2' }] } } }, outputs: { sum: { name: 'y:0', dtype: 'DT_FLOAT' } } };
  assert.deepEqual(await run(path.dirname(file), { x: floats([[100, 0]]) }), { y: [[2203, 200]] });
  const named = writeBrowserModel('named', { weights: quantised, bytes: quantisedBytes, signature });
  assert.deepEqual(await run(named, { given: floats([[1, 0]]) }), { sum: [[2104, 200]] });
});

test('models of TensorFlow.js that are refused', async () => {
  const cut = writeBrowserModel('cut', { weights: quantised, bytes: quantisedBytes.subarray(0, 10) });
  await assert.rejects(open(cut), { code: 'ERR_PARSE', message: /the files have 10/ });
  const away = writeBrowserModel('away', { weights: quantised, bytes: quantisedBytes, paths: ['../browser/model.json'] });
  await assert.rejects(open(away), { code: 'ERR_PARSE', message: /outside of the folder/ });
  const lost = writeBrowserModel('lost', { weights: quantised, bytes: quantisedBytes, paths: ['nowhere.bin'] });
  await assert.rejects(open(lost), /nowhere.bin/);
  const manifest = write('manifest.json', JSON.stringify([{ weights: quantised, paths: ['a.bin'] }]));
  await assert.rejects(open(manifest), { code: 'ERR_UNSUPPORTED', message: /lists weights of TensorFlow.js and no graph/ });
  const layers = write('layers/model.json', JSON.stringify({ format: 'layers-model', modelTopology: { class_name: 'Sequential' } }));
  await assert.rejects(open(layers), { code: 'ERR_UNSUPPORTED', message: /layers of Keras/ });
  for (const quantization of [{ dtype: 'string' }, { dtype: 'uint8', scale: 'x' }, { dtype: 'int32' }]) {
    const odd = writeBrowserModel('quantised', { weights: [{ ...quantised[1], quantization }], bytes: quantisedBytes });
    await assert.rejects(open(odd), { code: 'ERR_PARSE' });
  }
  await assert.rejects(open(write('odd/model.json', '{"format": "graph-model", "modelTopology": {"node": 3}}')), { code: 'ERR_PARSE' });
  await assert.rejects(open(write('odd/open.json', '{"modelTopology": {')), { code: 'ERR_PARSE', message: /no JSON/ });
});

// -------------------------------------------------------------------------------- what is wrong

test('all missing ops are named at once', async () => {
  const bytes = graphDef([placeholder('x', 'f32', [2]), ['a', 'NoSuchOp', ['x']], ['b', 'NorThis', ['a']], ['c', 'NoSuchOp', ['b']], ['unread', 'Neither', ['x']]]);
  await assert.rejects(open(bytes, { outputs: ['c'] }), { code: 'ERR_UNSUPPORTED', message: /2 ops are missing: NoSuchOp \('c', 'a'\), NorThis \('b'\)/ });
  const result = await run(bytes, { x: floats([1, 2]) }, {
    outputs: ['c'], ops: { NoSuchOp: (/** @type {any} */ _, /** @type {any} */ x) => x.mul(2), 'tensorflow::NorThis': (/** @type {any} */ _, /** @type {any} */ x) => x.add(1) },
  });
  assert.deepEqual(result, { c: [6, 10] });
});

test('graphs that make no sense', async () => {
  const x = placeholder('x', 'f32', [2]);
  const refused = /** @type {[any[], RegExp, any[]?][]} */ ([
    [[x, ['a', 'Add', ['x', 'b']], ['b', 'Add', ['x', 'a']], ['y', 'Neg', ['a']]], /form a circle/],
    [[x, ['y', 'Neg', ['nobody']]], /no node 'nobody'/],
    [[x, ['y', 'Neg', ['x:1']]], /nothing computes 'x:1'/],
    [[x, ['y', 'Neg', ['x:-1']]], /names no output/],
    [[x, x, ['y', 'Neg', ['x']]], /two nodes 'x'/],
    [[x, ['y', 'PartitionedCall', ['x'], { f: { func: 'gone' } }]], /no function 'gone'/],
    [[x, ['y', 'PartitionedCall', ['x'], { f: { func: 'again' } }]], /nested more than/, [{
      name: 'again', inputs: { x: 'f32' }, outputs: { y: 'f32' }, nodes: [['call', 'PartitionedCall', ['x'], { f: { func: 'again' } }]], returns: { y: 'call:output:0' },
    }]],
    [[x, ['y', 'Exit', ['x']]], /Exit of no loop/],
    [[x, ['y', 'Merge', ['x', 'x']]], /that no Switch parts/],
    [[x, ['c', 'Const', []], ['y', 'Add', ['x', 'c']]], /has no value/],
  ]);
  for (const [nodes, message, functions] of refused)
    await assert.rejects(open(graphDef(nodes, functions)), (error) => message.test(error.message) && /^ERR_/.test(error.code), String(message));
});

test('mirrored edges are no wider than the axis', async () => {
  const padded = (/** @type {any[]} */ widths, /** @type {any} */ mode, /** @type {(number | null)[]} */ shape) =>
    graphDef([placeholder('x', 'f32', shape), constant('p', tensor([[0, 0], widths], { dtype: 'i32' })), ['y', 'MirrorPad', ['x', 'p'], { T: { type: 'f32' }, mode }]]);
  const x = floats([[1, 2, 3]]);
  for (const shape of [[1, null], [1, 3]]) {
    assert.deepEqual(await run(padded([2, 1], 'REFLECT', shape), { x }), { y: [[3, 2, 1, 2, 3, 2]] });
    assert.deepEqual(await run(padded([3, 0], 'SYMMETRIC', shape), { x }), { y: [[3, 2, 1, 1, 2, 3]] });
    for (const [widths, mode] of [[[3, 0], 'REFLECT'], [[0, 4], 'SYMMETRIC'], [[2e9, 2e9], 'REFLECT']])
      await assert.rejects(run(padded(/** @type {any} */ (widths), mode, shape), { x }), { code: 'ERR_SHAPE' });
  }
});

test('functions that call others again and again end', async () => {
  const doubling = Array.from({ length: 40 }, (_, i) => ({
    name: `f${i}`, inputs: { x: 'f32' }, outputs: { y: 'f32' },
    nodes: /** @type {any[]} */ (i === 39 ? [] : [['a', `f${i + 1}`, ['x']], ['b', `f${i + 1}`, ['a:y:0']]]), returns: { y: i === 39 ? 'x' : 'b:y:0' },
  }));
  const bytes = graphDef([placeholder('x', 'f32', [2]), ['y', 'f0', ['x']]], doubling);
  await assert.rejects(open(bytes), { code: 'ERR_UNSUPPORTED', message: /more than 500000 nodes/ });
});

test('bytes that are cut or changed give errors', async () => {
  const bytes = graphDef([placeholder('x', 'f32', [null, 2]), constant('k', floats([[1, 2], [3, 4]])), ['y', 'MatMul', ['x', 'k'], { T: { type: 'f32' } }]]);
  for (let at = 0; at < bytes.length; at++) {
    const bad = Buffer.from(bytes);
    bad[at] ^= 0x81;
    for (const each of [bad, bytes.subarray(0, at)])
      await open(Uint8Array.from(each)).then((model) => model.dispose(), (error) => assert.match(String(error.code), /^ERR_/, `byte ${at}: ${error.stack}`));
  }
});

/** A network whose shapes are computed, with a function. */
const computing = () => {
  const integers = (/** @type {any} */ list) => tensor(list, { dtype: 'i32' });
  const T = { T: { type: 'f32' } };
  return graphDef([
    placeholder('x', 'f32', [null, 4, 4, 2]), constant('w', tensor(new Float32Array(36).fill(0.5)).reshape([3, 3, 2, 2])),
    ['c', 'Conv2D', ['x', 'w'], { ...T, strides: [1, 1, 1, 1], padding: 'SAME', dilations: [1, 1, 1, 1] }],
    constant('edges', integers([[0, 0], [1, 1], [2, 0], [0, 0]])), ['m', 'MirrorPad', ['c', 'edges'], { ...T, mode: 'REFLECT' }],
    ['p', 'MaxPool', ['m'], { ...T, ksize: [1, 2, 2, 1], strides: [1, 2, 2, 1], padding: 'VALID' }],
    ['s', 'Shape', ['p'], T], constant('zero', integers([0])), constant('one', integers([1])),
    ['n', 'StridedSlice', ['s', 'zero', 'one', 'one'], { T: { type: 'i32' }, shrink_axis_mask: 1 }],
    constant('rest', integers(-1)), ['to', 'Pack', ['n', 'rest'], { N: 2, axis: 0 }], ['r', 'Reshape', ['p', 'to'], T],
    constant('twice', integers([1, 2])), ['t', 'Tile', ['r', 'twice'], T],
    constant('dims', integers([2])), constant('by', floats(0.5)), ['filled', 'Fill', ['dims', 'by'], T],
    ['sum', 'Sum', ['filled', 'zero'], T], ['call', 'PartitionedCall', ['t', 'sum'], { f: { func: 'scaled' } }],
  ], [{ name: 'scaled', inputs: { a: 'f32', b: 'f32' }, outputs: { y: 'f32' }, nodes: [['mul', 'Mul', ['a', 'b'], T]], returns: { y: 'mul:z:0' } }]);
};

/** What is loaded, and the file that is changed. @type {Record<string, () => { source: string, file: string }>} */
const damaged = {
  'a graph': () => {
    const file = write('damaged/graph.pb', computing());
    return { source: file, file };
  },
  'the index of a SavedModel': () => {
    const source = path.join(root, 'index');
    writeSavedModel(source, {
      nodes: [...reading, called], functions: [dense], signatures,
      variables: { 'layer/kernel/.ATTRIBUTES/VARIABLE_VALUE': kernel, 'layer/other/.ATTRIBUTES/VARIABLE_VALUE': floats([9]) },
      objects: { 'dense/kernel': 'layer/kernel/.ATTRIBUTES/VARIABLE_VALUE' },
    });
    return { source, file: path.join(source, 'variables', 'variables.index') };
  },
  'a model of TensorFlow.js': () => {
    const file = writeBrowserModel('damaged', { weights: quantised, bytes: quantisedBytes });
    return { source: file, file };
  },
};

for (const [what, make] of Object.entries(damaged)) {
  test(`a thousand times ${what} with bytes changed`, { timeout: 120_000 }, async () => {
    const { source, file } = make();
    const [good, random] = [fs.readFileSync(file), generator(7)];
    assert.equal(await outcome(source, 'eval'), 'ran');
    for (let i = 0; i < 1000; i++) {
      fs.writeFileSync(file, mutated(good, random));
      assert.match(await outcome(source, 'eval'), /^(ERR_\w+|ran|large)$/);
    }
  });
}
