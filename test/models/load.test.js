// The door for models: load(), what a Model tells of itself and how it runs, and what is refused.
'use strict';

const assert = require('node:assert/strict');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { after, describe, it } = require('node:test');
const { Graph, Model, load, native, tensor } = require('graphjit');
const { onnxModel } = require('../support/onnx-writer.js');

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'graphjit-models-'));
after(() => fs.rmSync(folder, { recursive: true }));

/** y = relu(x · w + b), for batches of any size. */
const layer = (options = {}) =>
  onnxModel({
    nodes: [
      ['MatMul', ['x', 'w'], ['product'], {}, { name: 'first' }],
      ['Add', ['product', 'b'], ['sum']],
      ['Relu', ['sum'], ['y']],
    ],
    inputs: { x: ['f32', ['batch', 2]] },
    outputs: { y: ['f32', ['batch', 3]] },
    initializers: { w: tensor([[1, 2, 3], [4, 5, 6]], { dtype: 'f32' }), b: tensor([-10, 0, 10], { dtype: 'f32' }) },
    ...options,
  });

/** @type {(work: () => Promise<unknown>, code: string, message: RegExp) => Promise<void>} */
const refuses = (work, code, message) =>
  assert.rejects(work, (/** @type {any} */ error) => {
    assert.equal(error.name, 'GraphError', error.stack);
    assert.match(error.message, message);
    assert.equal(error.code, code, error.message);
    return true;
  });

describe('a model', () => {
  it('is loaded from a path, from bytes and from an ArrayBuffer', async () => {
    const file = path.join(folder, 'layer.bin'); // its content says what it is
    fs.writeFileSync(file, layer());
    const bytes = new Uint8Array(layer());
    for (const source of [file, bytes, bytes.buffer]) {
      const model = await load(source);
      assert.equal(model.format, 'onnx');
      assert.equal(String(model), 'Model graph (x: f32[batch, 2]) -> (y: f32[batch, 3])');
      assert.equal(model.metadata.opsets['ai.onnx'], 23);
      const { y } = model.run({ x: tensor([[1, 1], [2, 0]], { dtype: 'f32' }) });
      assert.deepEqual(y.toArray(), [[0, 7, 19], [0, 4, 16]]);
    }
    assert.deepEqual(new Uint8Array(layer()), bytes, 'the bytes of the caller are left alone');
  });

  it('is one graph for all sizes, which is like any other', async () => {
    const model = await load(layer());
    assert.equal(model.specialization, null);
    assert.ok(model.graph instanceof Graph);
    assert.equal(Graph.parse(String(model.graph)).outputs[0].shape[0], 'batch');
    for (const batch of [0, 1, 5]) {
      const x = tensor(new Float32Array(batch * 2).fill(1)).reshape([batch, 2]);
      const want = Array.from({ length: batch }, () => [0, 7, 19]);
      assert.deepEqual(model.run({ x }).y.toArray(), want);
      assert.deepEqual(model.eval({ x }).y.toArray(), want);
      assert.deepEqual((await model.runAsync({ x })).y.toArray(), want);
    }
  });

  it('takes one input by itself, and writes into arrays', async () => {
    const model = await load(layer(), { sizes: { batch: 1 } });
    assert.deepEqual(model.inputs[0].shape, [1, 2]);
    const y = new Float32Array(3);
    model.run(Float32Array.of(1, 1), { y });
    assert.deepEqual([...y], [0, 7, 19]);
  });

  it('gives values of inner layers', async () => {
    const model = await load(layer(), { outputs: ['product', 'y'] });
    assert.deepEqual(model.values, ['product', 'sum', 'y']);
    const { product, y } = model.run([[1, 1]]);
    assert.deepEqual([product.toArray(), y.toArray()], [[[5, 7, 9]], [[0, 7, 19]]]);
    await refuses(() => load(layer(), { outputs: ['products'] }), 'ERR_ARGUMENT', /unknown value 'products' \(did you mean 'product'\?\)/);
  });

  it('tells of its stages', async () => {
    /** @type {string[]} */
    const stages = [];
    await load(layer(), { onProgress: ({ stage }) => stages.push(stage) });
    assert.deepEqual(stages, ['read', 'build', 'compile']);
  });

  it('has the same value under several names, constants and inputs among its outputs', async () => {
    const model = await load(
      onnxModel({
        nodes: [['Neg', ['x'], ['n']], ['Identity', ['n'], ['m']]],
        inputs: { x: ['f32', ['n']], unused: ['f32', [1]] },
        outputs: { x: ['f32', ['n']], n: ['f32', ['n']], m: ['f32', ['n']], w: ['f32', [1]] },
        initializers: { w: tensor([7], { dtype: 'f32' }) },
      }),
    );
    const [x, n, m, w] = [1, 1, 1, 1].map((size) => new Float32Array(size));
    model.run({ x: [2], unused: [0] }, { x, n, m, w });
    assert.deepEqual([x[0], n[0], m[0], w[0]], [2, -2, -2, 7]);
    assert.deepEqual(model.graph.outputs.map(({ name }) => name), ['x', 'n', 'm', 'w']);
  });

  it('takes initializers that are inputs from a run, or from the file', async () => {
    const added = (/** @type {number} */ irVersion) =>
      load(onnxModel({
        nodes: [['Add', ['x', 'w'], ['y']]],
        inputs: { x: ['f32', ['n']], w: ['f32', [1]] },
        outputs: { y: ['f32', ['n']] },
        initializers: { w: tensor([1], { dtype: 'f32' }) },
        irVersion,
      }));
    const model = await added(4);
    assert.deepEqual(model.inputs.map(({ name, optional }) => [name, optional]), [['x', undefined], ['w', true]]);
    assert.equal(model.specialization, null);
    for (const [w, want] of /** @type {[number[] | undefined, number[]][]} */ ([[undefined, [2, 3]], [[10], [11, 12]], [undefined, [2, 3]]])) {
      assert.deepEqual(model.run({ x: [1, 2], w }).y.toArray(), want);
      assert.deepEqual(model.eval({ x: [1, 2], w }).y.toArray(), want);
    }
    assert.deepEqual(model.run([1, 2]).y.toArray(), [2, 3]);
    assert.deepEqual((await added(3)).inputs.map(({ name }) => name), ['x']);
  });

  it('needs no inputs where the file has none', async () => {
    const model = await load(onnxModel({ nodes: [['Neg', ['w'], ['y']]], outputs: { y: ['f32', [1]] }, initializers: { w: tensor([7], { dtype: 'f32' }) } }));
    assert.deepEqual(model.run().y.toArray(), [-7]);
  });

  it('knows types that the file does not say', async () => {
    const model = await load(
      onnxModel({ nodes: [['Shape', ['x'], ['s']], ['Neg', ['s'], ['y']]], inputs: { x: ['f32', ['n']] }, outputs: { y: ['i64', [1]] } }),
      { outputs: ['s', 'x'] },
    );
    assert.deepEqual(model.outputs.map(({ dtype, shape }) => [dtype, shape]), [['i64', [1]], ['f32', ['n']]]);
  });

  it('keeps its graph when many sizes need programs of their own', async () => {
    const model = await load(
      onnxModel({
        nodes: [['Add', ['a', 'b'], ['y']]], inputs: { a: ['f32', ['n']], b: ['f32', ['n']] }, outputs: { y: ['f32', ['n']] },
      }),
    );
    const { graph } = model;
    for (let size = 2; size < 70; size++)
      assert.equal(model.run({ a: new Float32Array(size), b: new Float32Array(1) }).y.size, size);
    assert.equal(model.graph, graph);
    assert.deepEqual(model.run({ a: [1], b: [2] }).y.toArray(), [3]);
  });

  it('stops when it is disposed of between steps of a run', async () => {
    const model = await load(
      onnxModel({
        nodes: [['ReduceMax', ['x'], ['most'], { keepdims: 0 }], ['Range', ['zero', 'most', 'one'], ['y']]],
        inputs: { x: ['i64', ['n']] },
        outputs: { y: ['i64', [null]] },
        initializers: { zero: tensor(0n), one: tensor(1n) },
      }),
    );
    const runs = [3n, 4n, 3n].map((most) => model.runAsync({ x: [0n, most] }));
    assert.deepEqual((await Promise.all(runs)).map(({ y }) => y.size), [3, 4, 3]);
    const late = model.runAsync({ x: [0n, 5n] });
    model.dispose();
    await assert.rejects(late, { code: 'ERR_STATE', message: /disposed/ });
  });

  it('is disposed of', async () => {
    const model = await load(layer());
    model.dispose();
    model.dispose();
    assert.throws(() => model.run([[1, 1]]), { code: 'ERR_STATE' });
    assert.throws(() => model.graph, { code: 'ERR_STATE' });
  });

  it('refuses inputs that it does not have, and misses those that it has', async () => {
    const model = await load(layer());
    assert.throws(() => model.run({ X: [[1, 1]] }), { code: 'ERR_ARGUMENT', message: /unknown input 'X' \(did you mean 'x'\?\)/ });
    assert.throws(() => model.run({}), { code: 'ERR_ARGUMENT', message: /input 'x' is missing, inputs are 'x'/ });
    assert.throws(() => model.run({ x: tensor([[1, 2, 3]], { dtype: 'f32' }) }), { code: 'ERR_SHAPE' });
    assert.throws(() => model.run({ x: tensor([[1, 2]]) }), { code: 'ERR_DTYPE' });
  });
});

describe('a model that leaves to data what a graph must know', () => {
  const reshape = () =>
    onnxModel({
      nodes: [['Reshape', ['x', 'shape'], ['y']]],
      inputs: { x: ['f32', ['n']], shape: ['i64', [2]] },
      outputs: { y: ['f32', [null, null]] },
    });

  it('has a graph for each case', async () => {
    const model = await load(reshape());
    assert.equal(model.specialization?.by, 'values');
    assert.throws(() => model.graph, { code: 'ERR_STATE', message: /a graph for each case of its data/ });
    const x = Float32Array.of(1, 2, 3, 4, 5, 6);
    for (const shape of [[2, 3], [3, -1], [2, 3], [1, 6]]) {
      const { y } = model.run({ x, shape: BigInt64Array.from(shape, BigInt) });
      assert.deepEqual(y.shape, [shape[0], 6 / shape[0]]);
    }
    assert.deepEqual(model.graphFor({ x, shape: [2n, 3n] }).outputs[0].shape.length, 2);
  });

  it('computes what it must know, and goes on from there', async () => {
    const model = await load(
      onnxModel({
        nodes: [
          ['ReduceMax', ['x'], ['most'], { keepdims: 0 }],
          ['Range', ['zero', 'most', 'one'], ['y']],
        ],
        inputs: { x: ['i64', ['n']] },
        outputs: { y: ['i64', [null]] },
        initializers: { zero: tensor(0n), one: tensor(1n) },
      }),
    );
    assert.equal(model.specialization?.by, 'values');
    for (const most of [3, 5, 0, 3]) {
      const { y } = await model.runAsync({ x: BigInt64Array.of(0n, BigInt(most)) });
      assert.deepEqual(y.toArray(), Array.from({ length: most }, (_, i) => BigInt(i)));
    }
  });

  it('takes inputs of any rank', async () => {
    const model = await load(onnxModel({ nodes: [['Neg', ['x'], ['y']]], inputs: { x: ['f32'] }, outputs: { y: ['f32'] } }));
    assert.equal(model.specialization?.by, 'signature');
    for (const x of [tensor(3, { dtype: 'f32' }), tensor([1, 2], { dtype: 'f32' }), tensor([[1], [2]], { dtype: 'f32' })])
      assert.deepEqual(model.run({ x }).y.shape, x.shape);
  });

  it('takes sizes that the file calls by different names', async () => {
    const model = await load(
      onnxModel({
        nodes: [['Add', ['a', 'b'], ['y']]],
        inputs: { a: ['f32', ['n']], b: ['f32', ['m']] },
        outputs: { y: ['f32', ['k']] },
      }),
    );
    assert.equal(model.specialization, null, 'taken to be equal, until a run has others');
    assert.deepEqual(model.run({ a: Float32Array.of(1, 2), b: Float32Array.of(3, 4) }).y.toArray(), [4, 6]);
    assert.deepEqual(model.run({ a: Float32Array.of(1, 2, 3), b: Float32Array.of(3) }).y.toArray(), [4, 5, 6]);
    assert.throws(() => model.run({ a: Float32Array.of(1, 2, 3), b: Float32Array.of(3, 4) }), { code: 'ERR_SHAPE' });
  });
});

describe('what does not work', () => {
  const odd = () =>
    onnxModel({
      nodes: [
        ['my.own::Twice', ['x'], ['a'], {}, { name: 'one' }],
        ['Nonsense', ['a'], ['b'], {}, { name: 'two' }],
        ['my.own::Twice', ['b'], ['y'], {}, { name: 'three' }],
      ],
      inputs: { x: ['f32', ['n']] },
      outputs: { y: ['f32', ['n']] },
      opsets: { 'ai.onnx': 20, 'my.own': 1 },
    });

  it('is said of all ops at once', () =>
    refuses(() => load(odd()), 'ERR_UNSUPPORTED', /2 ops are missing: my\.own::Twice \('one', 'three'\), Nonsense \('two'\); option 'ops' adds them/));

  it('can be added in JavaScript', async () => {
    const ops = {
      'my.own::Twice': (/** @type {any} */ _, /** @type {any} */ x) => x.mul(2),
      Nonsense: (/** @type {any} */ node, /** @type {any} */ x) => x.add(node.attr('by', 1)),
    };
    const model = await load(odd(), { ops });
    assert.deepEqual(model.run(Float32Array.of(1, 2)).y.toArray(), [6, 10]);
  });

  /** @type {(op: string, options?: any, size?: string) => Promise<any>} a model of one node */
  const one = (op, options, size = 'n') =>
    load(onnxModel({ nodes: [[op, ['x'], ['y']]], inputs: { x: ['f32', [size]] }, outputs: { y: ['f32', [size]] } }), options);

  it('can be added as a native function', async () => {
    const model = await one('my.own::Half', { ops: { 'my.own::Half': native((x) => x / 2) } });
    assert.deepEqual(model.run(Float32Array.of(1, 2)).y.toArray(), [0.5, 1]);
  });

  it('is said of functions that fail, and of those that give no values', async () => {
    const ops = (/** @type {Function} */ own) => ({ ops: { Own: own }, sizes: { n: 2 } });
    await refuses(() => one('Own', ops(() => 'text')), 'ERR_ARGUMENT', /function of option 'ops' gave "text", expected Values/);
    await refuses(() => one('Own', ops(() => [undefined])), 'ERR_ARGUMENT', /gave .* expected Values/);
    await refuses(() => one('Own', ops(() => { throw new TypeError('oh'); })), 'ERR_ARGUMENT', /function of option 'ops' failed: oh/);
  });

  it('is said of files with sizes left open when they are loaded', () =>
    refuses(
      () => load(onnxModel({ nodes: [['Neg', ['nothing'], ['y']]], inputs: { x: ['f32', ['n']] }, outputs: { y: ['f32', ['n']] } })),
      'ERR_PARSE', /nothing before it computes 'nothing'/,
    ));

  it('is not found among what every object has', async () => {
    for (const op of ['toString', 'constructor', '__proto__::toString'])
      await refuses(() => one(op), 'ERR_UNSUPPORTED', new RegExp(`missing: ${op}`));
    assert.deepEqual((await one('Neg', {}, 'constructor')).run(Float32Array.of(1)).y.toArray(), [-1]);
  });

  it('leaves resizable buffers of the caller alone', async () => {
    const bytes = layer({ initializers: { w: tensor(new Float32Array(600_000)).reshape([2, 300_000]), b: tensor(0, { dtype: 'f32' }) } });
    const buffer = new ArrayBuffer(bytes.length, { maxByteLength: bytes.length });
    new Uint8Array(buffer).set(bytes);
    await load(buffer, { compile: false });
    assert.deepEqual(new Uint8Array(buffer), new Uint8Array(bytes));
  });

  it('is refused: options, sizes, files', async () => {
    await refuses(() => load(layer(), { size: {} }), 'ERR_ARGUMENT', /unknown option 'size' \(did you mean 'sizes'\?\)/);
    await refuses(() => load(layer(), { sizes: { bach: 1 } }), 'ERR_ARGUMENT', /unknown size 'bach' \(did you mean 'batch'\?\)/);
    await refuses(() => load(path.join(folder, 'nothing.onnx')), 'ERR_ARGUMENT', /there is no such file/);
    await refuses(() => load('x'.repeat(5000)), 'ERR_ARGUMENT', /ENAMETOOLONG/);
    await refuses(() => load(folder), 'ERR_ARGUMENT', /it is a folder/);
    await refuses(() => load(new Uint8Array(0)), 'ERR_UNSUPPORTED', /cannot tell the format/);
    await refuses(() => load(/** @type {any} */ (3)), 'ERR_ARGUMENT', /expected a path or the bytes of a file for the model, got 3/);
  });

  it('keeps external data inside of the folder of the model', async () => {
    const external = (/** @type {string} */ location, length = '8') =>
      onnxModel({
        nodes: [['Add', ['x', 'w'], ['y']]],
        inputs: { x: ['f32', [2]] },
        outputs: { y: ['f32', [2]] },
        initializers: {
          w: { type: 1, dims: [2], location: 1, external: [{ key: 'location', value: location }, { key: 'length', value: length }] },
        },
      });
    const file = path.join(folder, 'external.onnx');
    fs.writeFileSync(path.join(folder, 'weights'), new Uint8Array(Float32Array.of(1, 2).buffer));
    fs.writeFileSync(file, external('weights'));
    assert.deepEqual((await load(file)).run([1, 1]).y.toArray(), [2, 3]);
    const isOpen = (/** @type {string} */ each) => {
      const link = `/proc/self/fd/${each}`;
      return fs.existsSync(link) && fs.readlinkSync(link).includes(folder);
    };
    if (process.platform === 'linux') assert.deepEqual(fs.readdirSync('/proc/self/fd').filter(isOpen), [], 'no file stays open');
    fs.symlinkSync('/etc/passwd', path.join(folder, 'link'));
    for (const [location, message] of /** @type {[string, RegExp][]} */ ([
      ['../../etc/passwd', /outside of the folder/], ['/etc/passwd', /outside of the folder/], ['link', /outside of the folder/],
      ['missing', /there is no such file/],
    ])) {
      fs.writeFileSync(file, external(location));
      await assert.rejects(async () => load(file), message);
    }
    fs.writeFileSync(file, external('weights', '4096'));
    await refuses(() => load(file), 'ERR_PARSE', /takes 8 bytes, but 4096/);
    await refuses(() => load(external('weights')), 'ERR_ARGUMENT', /load the model by its path/);
  });
});

it('Model is a class that nobody constructs', () => assert.throws(() => new (/** @type {any} */ (Model))(), { code: 'ERR_ARGUMENT' }));

it('axes that a tensor does not have are refused', async () => {
  const flattened = (/** @type {number} */ axis) =>
    load(onnxModel({ nodes: [['Flatten', ['x'], ['y'], { axis }]], inputs: { x: ['f32', [2, 3]] }, outputs: { y: ['f32', [null, null]] } }));
  assert.deepEqual((await flattened(2)).graph.outputs[0].shape, [6, 1]);
  assert.deepEqual((await flattened(-1)).graph.outputs[0].shape, [2, 3]);
  for (const axis of [3, -3]) await refuses(() => flattened(axis), 'ERR_SHAPE', /axis -?3 is none of a tensor of rank 2/);
});
