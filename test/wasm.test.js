// Wasm modules and their loaders, in Node. The loader is used as its users will: as a module of its own.
'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { Graph, tensor } = require('graphjit');

/** Builds, compiles and instantiates. */
async function instantiate(build, options) {
  const graph = new Graph('test');
  build(graph);
  const { bytes, loader } = graph.toWasm(options);
  const module = await import(`data:text/javascript,${encodeURIComponent(loader)}`);
  return { graph, bytes, instance: await module.instantiate(bytes) };
}

function hypot(graph) {
  const x = graph.input('x', 'f64', ['n']);
  const y = graph.input('y', 'f64', ['n']);
  graph.output('z', x.mul(x).add(y.mul(y)).sqrt());
}

/** Bytes of an array, for comparisons that tell NaNs and zeros apart. */
const bytesOf = (array) => Buffer.from(array.buffer, array.byteOffset, array.byteLength);

test('the module of the hypot graph is small and imports nothing', async () => {
  const { bytes } = await instantiate(hypot);
  const module = new WebAssembly.Module(bytes);
  assert.ok(bytes.length < 1024, `${bytes.length} bytes`);
  assert.deepEqual(WebAssembly.Module.imports(module), []);
  assert.deepEqual(WebAssembly.Module.exports(module).map(({ name }) => name).sort(), ['__heap_base', 'memory', 'plan', 'run']);
});

test('wasm and native give the same bits in strict', async () => {
  const build = (graph) => {
    const x = graph.input('x', 'f64', ['n']);
    const k = graph.input('k', 'f32', ['n']);
    graph.output('a', x.sin().mul(x.exp()).add(x.abs().log()).hypot(x.tanh()));
    graph.output('b', k.pow(1.7).sub(k.atan2(0.3)));
    graph.output('m', x.mean());
    graph.output('s', k.std({ correction: 1 }));
    graph.output('i', x.argmax());
  };
  for (const simd of [true, false]) {
    const { graph, instance } = await instantiate(build, { simd });
    const program = graph.compile({ numerics: 'strict' });
    const x = Float64Array.from({ length: 1003 }, (_, i) => (i - 500) * 0.37);
    x.set([NaN, Infinity, -Infinity, -0, 1e300, 5e-324], 10);
    const k = Float32Array.from(x, (v) => Math.abs(v) / 3);
    const [wasm, own] = [instance.run({ x, k }), program.run({ x, k })];
    for (const name of Object.keys(own)) {
      assert.deepEqual([...wasm[name].shape], [...own[name].shape]);
      assert.deepEqual(bytesOf(wasm[name].data), bytesOf(own[name].data), `${name}, simd ${simd}`);
    }
  }
});

test('a loader runs for any sizes and grows the memory', async () => {
  const { instance } = await instantiate(hypot);
  for (const n of [0, 1, 5, 100000, 3]) {
    const x = Float64Array.from({ length: n }, (_, i) => i);
    assert.deepEqual(instance.run({ x, y: x }).z.data, x.map((v) => Math.sqrt(v * v + v * v)), `n = ${n}`);
  }
  assert.ok(instance.memory.buffer.byteLength >= 3 * 800000);
});

test('a loader takes arrays with shapes, scalars, and outputs to fill', async () => {
  const { instance } = await instantiate((graph) => {
    const m = graph.input('m', 'f32', ['r', 'c']);
    const k = graph.input('k', 'i64');
    const p = graph.input('p', 'bool', ['c']);
    graph.output('y', p.select(m.mul(k.convert('f32')), -1));
  });
  const m = { data: Float32Array.of(1, 2, 3, 4, 5, 6), shape: [2, 3] };
  const p = Uint8Array.of(1, 0, 1);
  const { y } = instance.run({ m, k: 2, p });
  assert.deepEqual([y.dtype, y.shape, [...y.data]], ['f32', [2, 3], [2, -1, 6, 8, -1, 12]]);
  assert.deepEqual([...instance.run({ m: m.data, k: 2n, p }).y.data], [...y.data]);
  const target = new Float32Array(6);
  assert.equal(instance.run({ m: tensor([[1, 2, 3], [4, 5, 6]], { dtype: 'f32' }), k: 2, p }, { y: target }).y.data, target);
  assert.deepEqual([...target], [...y.data]);
});

test('symbols may be called like words of JavaScript', async () => {
  const { instance } = await instantiate((graph) => {
    const x = graph.input('x', 'f64', ['Math', 'new']);
    const y = graph.input('y', 'f64', ['max(Math, d)', 'd']);
    graph.output('z', x.reshape([-1]).concat(y.reshape([-1])));
  });
  const x = { data: new Float64Array(6).fill(1), shape: [2, 3] };
  const y = { data: new Float64Array(20).fill(2), shape: [5, 4] };
  assert.throws(() => instance.run({ x, y }), { code: 'ERR_SHAPE' });
  y.shape = [4, 5];
  assert.throws(() => instance.run({ x, y }), { code: 'ERR_SHAPE' });
  assert.equal(instance.run({ x, y: { data: new Float64Array(16), shape: [4, 4] } }).z.data.length, 22);
});

test('a loader refuses what a native run refuses', async () => {
  const { instance } = await instantiate((graph) => {
    const x = graph.input('x', 'f64', ['n']);
    graph.output('y', x.slice([1, 4]).add(x.slice([null, 3])));
  });
  const refuses = (inputs, outputs, code, message) =>
    assert.throws(() => instance.run(inputs, outputs), (error) => {
      assert.equal(error.name, 'GraphError');
      assert.equal(error.code, code);
      assert.match(error.message, message);
      return true;
    });
  const x = new Float64Array(5);
  refuses({}, undefined, 'ERR_ARGUMENT', /input 'x' is missing, inputs are 'x'/);
  refuses({ x, q: x }, undefined, 'ERR_ARGUMENT', /unknown input 'q'/);
  refuses({ x: new Float32Array(5) }, undefined, 'ERR_DTYPE', /expected a Float64Array \(f64\), or data and shape, for input 'x'/);
  refuses({ x: new Float64Array(3) }, undefined, 'ERR_SHAPE', /slice \(%\d+\): the slice leaves axis 0 of size n/);
  refuses({ x: { data: x, shape: [5, 1] } }, undefined, 'ERR_SHAPE', /expected f64\[n\] for input 'x', got shape \[5, 1\]/);
  refuses({ x }, {}, 'ERR_ARGUMENT', /output 'y' is missing/);
  refuses({ x }, { y: new Float64Array(4) }, 'ERR_SHAPE', /expected 3 elements for output 'y' \(f64\[3\]\), got 4/);
  const y = new Float64Array(3);
  refuses({ x }, { y: { data: y, shape: [1, 3] } }, 'ERR_SHAPE', /expected shape \[3\] for output 'y' \(f64\[3\]\), got \[1, 3\]/);
  refuses({ x }, { y: { data: y, shape: [-3] } }, 'ERR_SHAPE', /expected sizes of at least 0 for the shape of output 'y', got \[-3\]/);
  const gone = new Float64Array(5);
  structuredClone(gone.buffer, { transfer: [gone.buffer] });
  refuses({ x: gone }, undefined, 'ERR_STATE', /the array of input 'x' is detached or was shortened/);
  refuses({ x: { data: gone, shape: [0] } }, undefined, 'ERR_STATE', /the array of input 'x' is detached/);
  refuses({ x }, { y: gone }, 'ERR_STATE', /the array of output 'y' is detached/);
  assert.deepEqual([...instance.run({ x: Float64Array.of(1, 2, 3, 4) }).y.data], [3, 5, 7]);
});

test('a loader refuses sizes that no axis has, whatever their product', async () => {
  const { instance } = await instantiate((graph) => graph.output('s', graph.input('x', 'f64', ['n', 'm']).sum()));
  for (const shape of [[-3, -2], ['3', 2], [1.5, 4], [NaN, 2], [Infinity, 0]]) {
    const error = { name: 'GraphError', code: 'ERR_SHAPE', message: /expected sizes of at least 0 for the shape of input 'x'/ };
    assert.throws(() => instance.run({ x: { data: new Float64Array(6), shape } }), error);
  }
});

test('sizes that do not work out are refused before the module runs', async () => {
  const { instance } = await instantiate((graph) => {
    const x = graph.input('x', 'f64', ['n']);
    graph.output('a', x.reshape(['n/4', 4]));
    graph.output('b', graph.constant(1, { shape: ['n - 4'] }).add(1));
  });
  assert.throws(() => instance.run({ x: new Float64Array(6) }), /reshape .* differ in the number of elements/);
  assert.throws(() => instance.run({ x: new Float64Array(0) }), /size of axis 0, n - 4, is not in range/);
  assert.deepEqual(instance.run({ x: new Float64Array(8) }).a.shape, [2, 4]);
});

test('intermediate results have their own memory', async () => {
  const { graph, instance } = await instantiate((g) => {
    const x = g.input('x', 'f64', ['n']);
    const e = x.exp();
    g.output('y', e.div(e.sum()).sub(e.max()));
  });
  const x = Float64Array.from({ length: 500 }, (_, i) => Math.sin(i));
  const native = graph.compile({ numerics: 'strict' }).run({ x }).y.data;
  assert.deepEqual(bytesOf(instance.run({ x }).y.data), bytesOf(native));
});

test('the partial results of many reductions fit on the stack', async () => {
  const count = 60;
  const { instance } = await instantiate((graph) => {
    const x = graph.input('x', 'f64', ['n']);
    for (let i = 0; i < count; i++) graph.output(`z${i}`, x.mul(i + 0.5).sum());
  });
  const result = instance.run({ x: Float64Array.from({ length: 100 }, (_, i) => i + 1) });
  for (let i = 0; i < count; i++) assert.equal(result[`z${i}`].data[0], (i + 0.5) * 5050);
});

test('the typings name inputs and outputs', () => {
  const graph = new Graph();
  graph.output('out put', graph.input('x', 'i64', ['n']).add(graph.input('k', 'i64')));
  const { types } = graph.toWasm();
  assert.match(types, /\/\*\* i64\[n\] \*\/\n {2}"x": Shaped<BigInt64Array>;/);
  assert.match(types, /"k": Shaped<BigInt64Array> \| number \| bigint \| boolean;/);
  assert.match(types, /"out put": Result<BigInt64Array>;/);
});
