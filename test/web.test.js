// The loader of modules: what it takes as a module and as arrays, whose memory is whose, what it refuses.
'use strict';

const assert = require('node:assert/strict');
const fs = require('node:fs');
const http = require('node:http');
const path = require('node:path');
const vm = require('node:vm');
const { test } = require('node:test');
const { Worker } = require('node:worker_threads');
const { Graph, tensor } = require('graphjit');

const file = path.join(__dirname, '../lib/web/index.mjs');

/** A program, and its module. */
async function programOf(build, options) {
  const graph = new Graph('test');
  build(graph);
  const wasm = graph.toWasm({ optimize: false, ...options });
  const { load } = await import('graphjit/web');
  return { graph, wasm, program: await load(wasm.bytes) };
}

const sum = (graph) => graph.output('z', graph.input('x', 'f64', ['n']).add(graph.input('y', 'f64', ['n'])));

/** Asserts that a call throws a GraphError of that code, and that the program still works. */
function refuses(call, code, message = /./) {
  assert.throws(call, (error) => {
    assert.equal(error.name, 'GraphError', error.stack);
    assert.equal(error.code, code, error.stack);
    assert.match(error.message, message);
    return true;
  });
}

const detached = (Class, length) => {
  const array = new Class(length);
  structuredClone(array.buffer, { transfer: [array.buffer] });
  return array;
};

// -------------------------------------------------------------------------------------- arguments

test('arrays with shapes, scalars, and outputs to fill', async () => {
  const { program } = await programOf((graph) => {
    const m = graph.input('m', 'f32', ['r', 'c']);
    const k = graph.input('k', 'i64');
    const p = graph.input('p', 'bool', ['c']);
    graph.output('y', p.select(m.mul(k.convert('f32')), -1));
  });
  const m = { data: Float32Array.of(1, 2, 3, 4, 5, 6), shape: [2, 3] };
  const p = Uint8Array.of(1, 0, 1);
  const { y } = program.run({ m, k: 2, p });
  assert.deepEqual([y.dtype, y.shape, [...y.data]], ['f32', [2, 3], [2, -1, 6, 8, -1, 12]]);
  assert.deepEqual([...program.run({ m: m.data, k: 2n, p }).y.data], [...y.data]);
  const target = new Float32Array(6);
  const rows = tensor([[1, 2, 3], [4, 5, 6]], { dtype: 'f32' });
  assert.equal(program.run({ m: rows, k: 2, p }, { y: target }).y.data, target);
  assert.deepEqual([...target], [...y.data]);
  const into = { data: new Float32Array(6), shape: [2, 3] };
  assert.equal(program.run({ m, k: true, p }, { y: into }).y.data, into.data);
  assert.deepEqual(program.inputs.map(({ name, dtype, shape }) => [name, dtype, shape]), [['m', 'f32', ['r', 'c']], ['k', 'i64', []], ['p', 'bool', ['c']]]);
});

test('tensors are read as they are shown, or refused, never as what lies beneath', async () => {
  const { graph, program } = await programOf((g) => g.output('y', g.input('m', 'f64', ['r', 'c']).mul(2)));
  const native = graph.compile({ numerics: 'strict' });
  const whole = tensor([[1, 2, 3], [4, 5, 6], [7, 8, 9]], { dtype: 'f64' });
  for (const m of [whole, whole.slice(1), whole.slice([1, 3]), whole.slice([0, 1]), whole.slice([1, 1]).T]) {
    if (m.rank === 2 && m.isContiguous) assert.deepEqual([...program.run({ m }).y.data], [...native.run({ m }).y.data]);
  }
  for (const m of [whole.T, whole.slice(null, [0, 2]), whole.flip(0), tensor([1, 2, 3], { dtype: 'f64' }).broadcastTo([3, 3])]) {
    assert.equal(m.isContiguous, false);
    for (const way of ['run', 'bind']) {
      refuses(() => program[way]({ m }), 'ERR_ARGUMENT', /^m is f64\[r,c\]$/);
      refuses(() => program[way]({ m: whole }, { y: m }), 'ERR_ARGUMENT', /^y is/);
    }
    assert.deepEqual(program.run({ m: m.contiguous() }).y.data, native.run({ m }).y.data);
  }
  // Of a tensor that went through postMessage only strides are left to tell.
  refuses(() => program.run({ m: structuredClone({ ...whole.T }) }), 'ERR_ARGUMENT');
  const target = tensor(new Float64Array(6), { dtype: 'f64', shape: [3, 2] });
  const part = target.slice([1, 3]);
  program.run({ m: whole.slice([0, 2]).slice(null, [0, 2]).copy() }, { y: part });
  assert.deepEqual([...target.data], [0, 0, 2, 4, 8, 10]);
  refuses(() => program.run({ m: { data: whole.data, shape: [2, 3] } }), 'ERR_SHAPE');
  refuses(() => program.run({ m: { data: null, shape: [2, 3] } }), 'ERR_ARGUMENT');
  for (const dtype of ['i65', 'u9', 'f', '', 'constructor', '__proto__']) refuses(() => program.allocate(dtype, 3), 'ERR_ARGUMENT');
});

test('every dtype goes in and out', async () => {
  const values = { f64: 1.5, f32: 2.5, i64: -3n, i32: -4, i16: -5, i8: -6, u64: 7n, u32: 8, u16: 9, u8: 10 };
  const { program } = await programOf((graph) => {
    for (const dtype of Object.keys(values)) graph.output(`${dtype} out`, graph.input(dtype, dtype, ['n']).mul(1));
    graph.output('b out', graph.input('b', 'bool', ['n']).not());
    graph.output('s out', graph.input('s', 'u8').add(0));
  });
  const { dtypes } = require('graphjit');
  const inputs = Object.fromEntries(Object.entries(values).map(([dtype, value]) => [dtype, dtypes[dtype].arrayType.of(value, value)]));
  const results = program.run({ ...inputs, b: Uint8Array.of(0, 5), s: 255 });
  for (const dtype of Object.keys(values)) assert.deepEqual(results[`${dtype} out`], { data: inputs[dtype], dtype, shape: [2] });
  assert.deepEqual([...results['b out'].data], [1, 0]);
  assert.deepEqual([...results['s out'].data], [255]);
});

test('the sizes of flat arrays follow from lengths, whatever the order of the inputs', async () => {
  const { program } = await programOf((graph) => {
    const a = graph.input('a', 'f64', ['n', 'm', 3]);
    graph.output('s', a.sum({ axis: 2 }).add(graph.input('b', 'f64', ['m'])).mul(graph.input('c', 'f64', ['n + 1']).sum()));
  });
  const run = (n, m) => program.run({ a: new Float64Array(n * m * 3).fill(1), b: new Float64Array(m), c: new Float64Array(n + 1).fill(1) }).s;
  for (const [n, m] of [[2, 5], [1, 1], [0, 4], [7, 3]]) {
    const { data, shape } = run(n, m);
    assert.deepEqual([shape, [...data]], [[n, m], new Array(n * m).fill(3 * (n + 1))]);
  }
  refuses(() => program.run({ a: new Float64Array(31), b: new Float64Array(5), c: new Float64Array(3) }), 'ERR_SHAPE');
  refuses(() => program.run({ a: new Float64Array(30), b: new Float64Array(5), c: new Float64Array(4) }), 'ERR_SHAPE', /^c is f64\[n \+ 1\]$/);
});

test('a loader refuses what a native run refuses, with the same codes', async () => {
  const build = (graph) => {
    const x = graph.input('x', 'f64', ['n']);
    const m = graph.input('m', 'f32', ['n', 2]);
    const k = graph.input('k', 'i32');
    const flag = graph.input('flag', 'bool');
    graph.output('y', x.slice([1, 4]).add(x.slice([null, 3])).mul(k.convert('f64')));
    graph.output('t', flag.select(m, 0).sum({ axis: 1 }));
  };
  const { graph, program } = await programOf(build);
  const native = graph.compile({ numerics: 'strict' });
  const [x, m] = [Float64Array.of(1, 2, 3, 4, 5), new Float32Array(10)];
  const good = { x, m, k: 2, flag: true };
  const outs = () => ({ y: new Float64Array(3), t: new Float32Array(5) });
  const shared = new Float64Array(3);
  /** @type {[string, any, any, string][]} */
  const table = [
    ['no inputs', undefined, undefined, 'ERR_ARGUMENT'],
    ['null', null, undefined, 'ERR_ARGUMENT'],
    ['an array', [x, m], undefined, 'ERR_ARGUMENT'],
    ['a missing input', { x, m, k: 2 }, undefined, 'ERR_ARGUMENT'],
    ['an undefined input', { ...good, x: undefined }, undefined, 'ERR_ARGUMENT'],
    ['an unknown input', { ...good, q: x }, undefined, 'ERR_ARGUMENT'],
    ['an output among the inputs', { ...good, y: shared }, undefined, 'ERR_ARGUMENT'],
    ['a missing output', good, { y: shared }, 'ERR_ARGUMENT'],
    ['an unknown output', good, { ...outs(), q: shared }, 'ERR_ARGUMENT'],
    ['text', { ...good, x: 'abcde' }, undefined, 'ERR_ARGUMENT'],
    ['an object', { ...good, x: {} }, undefined, 'ERR_ARGUMENT'],
    ['another class', { ...good, x: new Float32Array(5) }, undefined, 'ERR_DTYPE'],
    ['another class for an output', good, { ...outs(), y: new Float32Array(3) }, 'ERR_DTYPE'],
    ['a fraction for an integer', { ...good, k: 1.5 }, undefined, 'ERR_DTYPE'],
    ['an integer out of range', { ...good, k: 2 ** 31 }, undefined, 'ERR_DTYPE'],
    ['a bigint out of range', { ...good, k: 2n ** 70n }, undefined, 'ERR_DTYPE'],
    ['NaN for an integer', { ...good, k: NaN }, undefined, 'ERR_DTYPE'],
    ['a negative truth', { ...good, flag: -1 }, undefined, 'ERR_DTYPE'],
    ['a number for a vector', { ...good, x: 3 }, undefined, 'ERR_SHAPE'],
    ['lengths that contradict each other', { ...good, m: new Float32Array(8) }, undefined, 'ERR_SHAPE'],
    ['a length that is no multiple', { ...good, m: new Float32Array(11) }, undefined, 'ERR_SHAPE'],
    ['an empty array', { ...good, m: new Float32Array(0) }, undefined, 'ERR_SHAPE'],
    ['sizes that break a condition', { ...good, x: x.subarray(0, 3), m: m.subarray(0, 6) }, undefined, 'ERR_SHAPE'],
    ['an output of another length', good, { ...outs(), y: new Float64Array(4) }, 'ERR_SHAPE'],
    ['a detached input', { ...good, x: detached(Float64Array, 5) }, undefined, 'ERR_STATE'],
    ['a detached output', good, { ...outs(), y: detached(Float64Array, 3) }, 'ERR_STATE'],
  ];
  for (const [name, inputs, outputs, code] of table) {
    for (const way of ['run', 'bind']) {
      assert.throws(() => native[way](inputs, outputs), { code }, `${name}, native ${way}`);
      assert.throws(() => program[way](inputs, outputs), { name: 'GraphError', code }, `${name}, ${way}`);
    }
  }
  for (const shape of [[-3, -2], [1.5, 4], [NaN, 2], [Infinity, 0], [6], [1, 2, 3], [], [null, 2], ['a', 'b'], [2 ** 32 + 5, 2]]) {
    refuses(() => program.run({ ...good, m: { data: m, shape } }), 'ERR_SHAPE');
  }
  assert.deepEqual(program.run(good).y.data, native.run(good).y.data);
});

test('sizes that do not fit in 4 GiB are refused, and the program works on', async () => {
  const { program } = await programOf((graph) => {
    const x = graph.input('x', 'f64', ['n']);
    graph.output('z', x.expandDims(1).add(x));
  });
  const row = (n) => program.run({ x: new Float64Array(n).fill(1) }).z.data;
  refuses(() => row(30000), 'ERR_MEMORY');
  refuses(() => row(2 ** 22), 'ERR_MEMORY');
  refuses(() => program.bind({ x: new Float64Array(30000) }), 'ERR_MEMORY');
  refuses(() => program.allocate('f64', 2 ** 29), 'ERR_MEMORY');
  refuses(() => program.allocate('f64', [2 ** 40, 2 ** 40]), 'ERR_MEMORY');
  assert.deepEqual([...row(2)], [2, 2, 2, 2]);
  assert.ok(program.memory.buffer.byteLength < 2 ** 26);
});

// ----------------------------------------------------------------------------------------- memory

test('allocated arrays are used where they lie, and their views survive growth', async () => {
  const { program } = await programOf(sum);
  const [x, y, z] = [1, 2, 3].map(() => program.allocate('f64', 1000));
  const early = x.data;
  x.data.fill(1);
  y.data.fill(2);
  const call = program.bind({ x, y }, { z });
  assert.equal(call.outputs.z, z);
  program.run({ x: new Float64Array(1e6), y: new Float64Array(1e6) });
  assert.equal(early.length, 0, 'memory has grown');
  assert.equal(x.data, x.data);
  assert.deepEqual(call().z.data, new Float64Array(1000).fill(3));
  x.data[999] = 40;
  assert.equal(call().z.data[999], 42);
  assert.equal(program.run({ x: x.data, y: y.data }, { z: z.data }).z.data.buffer, program.memory.buffer);
  const mixed = program.run({ x, y: new Float64Array(1000).fill(5) });
  assert.equal(mixed.z.data[999], 45);
  assert.notEqual(mixed.z.data.buffer, program.memory.buffer);
});

test('an array is no input and output of one run, nor two outputs', async () => {
  const { program } = await programOf((graph) => {
    const x = graph.input('x', 'f64', ['n']);
    graph.output('a', x.reverse()).output('b', x.mul(2));
  });
  const [x, a] = [program.allocate('f64', 4), program.allocate('f64', 4)];
  refuses(() => program.run({ x }, { a: x, b: a }), 'ERR_ARGUMENT');
  refuses(() => program.run({ x }, { a, b: a }), 'ERR_ARGUMENT');
  refuses(() => program.run({ x: x.data }, { a: x, b: a }), 'ERR_ARGUMENT');
  // Arrays from elsewhere are copied in before the run and out behind it, so there this is exact.
  const own = Float64Array.of(1, 2, 3, 4);
  program.run({ x: own }, { a: own, b: new Float64Array(4) });
  assert.deepEqual([...own], [4, 3, 2, 1]);
});

test('memory is given back, joined with its neighbours, and never handed out twice', async () => {
  const { program } = await programOf(sum);
  const blocks = Array.from({ length: 8 }, (_, i) => program.allocate('u8', 10000 + i));
  const size = program.memory.buffer.byteLength;
  const [first] = blocks;
  for (const block of blocks) block.free();
  for (const block of blocks) block.free();
  refuses(() => first.data, 'ERR_STATE', /freed/);
  refuses(() => program.run({ x: first, y: first }), 'ERR_STATE');
  const whole = program.allocate('u8', 80000);
  assert.equal(whole.at, first.at);
  whole.free();
  let seed = 1;
  const random = (below) => (seed = (seed * 48271) % 2147483647) % below;
  const held = [];
  for (let step = 0; step < 2000; step++) {
    if (held.length > 20 || (held.length > 0 && random(3) === 0)) {
      const { array, mark } = held.splice(random(held.length), 1)[0];
      assert.ok(array.data.every((value) => value === mark), `step ${step}`);
      array.free();
    } else {
      const array = program.allocate('u16', [random(40), random(60)]);
      array.data.fill(step);
      held.push({ array, mark: step % 65536 });
    }
    if (step % 10 === 0) {
      const x = new Float64Array(random(3000)).fill(step);
      assert.ok(program.run({ x, y: x }).z.data.every((value) => value === 2 * step), `step ${step}`);
    }
  }
  assert.ok(program.memory.buffer.byteLength < size + 2 ** 20);
});

test('bound functions keep their arrays apart, and give them back', async () => {
  const { program } = await programOf(sum);
  const arrays = [1, 2, 3].map((value) => new Float64Array(100).fill(value));
  const calls = arrays.map((x) => program.bind({ x, y: x }));
  for (const [i, call] of calls.entries()) assert.deepEqual(call().z.data, new Float64Array(100).fill(2 * (i + 1)));
  arrays[0].fill(7);
  assert.equal(calls[0]().z, calls[0].outputs.z);
  assert.equal(calls[0].outputs.z.data[99], 14);
  assert.equal(calls[1].outputs.z.data[99], 4);
  calls[0].free();
  refuses(() => calls[0](), 'ERR_STATE');
  assert.equal(calls[2]().z.data[0], 6);
  const size = program.memory.buffer.byteLength;
  for (let i = 0; i < 1000; i++) program.bind({ x: arrays[0], y: arrays[1] }).free();
  for (let i = 0; i < 100; i++) refuses(() => program.bind({ x: arrays[0], y: new Float64Array(3) }), 'ERR_SHAPE');
  assert.ok(program.memory.buffer.byteLength <= size + 65536);
  structuredClone(arrays[1].buffer, { transfer: [arrays[1].buffer] });
  refuses(() => calls[1](), 'ERR_STATE');
});

test('nothing runs after dispose', async () => {
  const { program } = await programOf(sum);
  const x = program.allocate('f64', 2);
  const call = program.bind({ x, y: x });
  program.dispose();
  program.dispose();
  for (const late of [() => program.run({ x: new Float64Array(2), y: new Float64Array(2) }), () => program.bind({ x, y: x }), call, () => x.data]) {
    refuses(late, 'ERR_STATE');
  }
});

test('two programs have a memory each', async () => {
  const [one, other] = await Promise.all([programOf(sum), programOf((graph) => graph.output('z', graph.input('x', 'f64', ['n']).mul(graph.input('y', 'f64', ['n']))))]);
  const x = one.program.allocate('f64', 3);
  x.data.set([1, 2, 3]);
  assert.deepEqual([...other.program.run({ x, y: x }).z.data], [1, 4, 9]);
  assert.deepEqual([...one.program.run({ x, y: x }).z.data], [2, 4, 6]);
});

// ---------------------------------------------------------------------------------------- sources

/** Serves files by path: [type, bytes]. */
async function serve(t, files) {
  const server = http.createServer((request, response) => {
    const [type, bytes] = files[request.url] ?? ['text/html', Buffer.from('<h1>Not found</h1>')];
    response.writeHead(files[request.url] ? 200 : 404, { 'content-type': type });
    response.end(bytes);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  t.after(() => server.close());
  return `http://127.0.0.1:${/** @type {any} */ (server.address()).port}`;
}

test('a module comes from addresses, responses, bytes and modules', async (t) => {
  const { wasm } = await programOf(sum);
  const { load } = await import('graphjit/web');
  const site = await serve(t, { '/a.wasm': ['application/wasm', wasm.bytes], '/b': ['application/octet-stream', wasm.bytes] });
  const shared = new Uint8Array(wasm.bytes.length + 8);
  shared.set(wasm.bytes, 5);
  const sources = [
    `${site}/a.wasm`, new URL('/a.wasm', site), `${site}/b`, fetch(`${site}/a.wasm`), await fetch(`${site}/b`),
    wasm.bytes, wasm.bytes.slice().buffer, shared.subarray(5, -3), Promise.resolve(wasm.bytes), new WebAssembly.Module(wasm.bytes),
    { mvp: wasm.bytes, simd: `${site}/a.wasm`, relaxed: undefined }, { simd: fetch(`${site}/a.wasm`) },
    `data:application/wasm;base64,${Buffer.from(wasm.bytes).toString('base64')}`,
  ];
  for (const source of sources) {
    const program = await load(source);
    assert.deepEqual([...program.run({ x: Float64Array.of(1, 2), y: Float64Array.of(3, 4) }).z.data], [4, 6]);
  }
  await assert.rejects(load(`${site}/c.wasm`), { name: 'GraphError', code: 'ERR_ARGUMENT', message: `${site}/c.wasm` });
  await assert.rejects(load(wasm.bytes.slice(0, 8)), { name: 'GraphError', code: 'ERR_ARGUMENT' });
  await assert.rejects(load(new Uint8Array(4)));
});

test('a module is compiled while it is loaded where the engine can, and else from bytes', async (t) => {
  const { wasm } = await programOf(sum);
  const { load } = await import('graphjit/web');
  const site = await serve(t, { '/a.wasm': ['application/wasm', wasm.bytes], '/b': ['text/plain', wasm.bytes] });
  const { compileStreaming, compile } = WebAssembly;
  t.after(() => Object.assign(WebAssembly, { compileStreaming, compile }));
  const seen = [];
  Object.assign(WebAssembly, {
    compileStreaming: (source) => seen.push('streaming') && compileStreaming(source),
    compile: (bytes) => seen.push('bytes') && compile(bytes),
  });
  for (const name of ['/a.wasm', '/b']) await load(site + name);
  delete (/** @type {any} */ (WebAssembly).compileStreaming);
  await load(`${site}/a.wasm`);
  assert.deepEqual(seen, ['streaming', 'streaming', 'bytes', 'bytes']);
});

test('the best variant is taken that the engine knows', async (t) => {
  const { wasm } = await programOf(sum, { variants: ['mvp', 'simd', 'relaxed'] });
  const { load } = await import('graphjit/web');
  const { validate } = WebAssembly;
  t.after(() => Object.assign(WebAssembly, { validate }));
  for (const [known, want] of [[0, 'mvp'], [1, 'simd'], [2, 'relaxed']]) {
    Object.assign(WebAssembly, { validate: (/** @type {Uint8Array} */ probe) => probe[26] <= known });
    const asked = [];
    const source = Object.fromEntries(Object.keys(wasm.modules).map((name) => [name, wasm.modules.mvp]));
    const watched = new Proxy(source, { get: (target, name) => (asked.push(name), target[String(name)]) });
    await load(watched);
    assert.equal(asked.filter((name) => name in source).at(-1), want);
  }
  Object.assign(WebAssembly, { validate });
  assert.ok(validate(wasm.modules.mvp) && validate(wasm.modules.simd));
});

test('a place without DOM, Node and code from text can load a module that is there', async () => {
  const { wasm } = await programOf(sum);
  const text = fs.readFileSync(file.replace('.mjs', '.min.mjs'), 'utf8').replace(/export\s*\{\s*(\w+) as load\s*\};?\s*$/, ';globalThis.load = $1;');
  const context = vm.createContext({ TextDecoder }, { codeGeneration: { strings: false, wasm: true } });
  vm.runInContext(text, context);
  context.module = vm.runInContext('(bytes) => new WebAssembly.Module(bytes)', context)(wasm.bytes);
  const run = vm.runInContext("load(module).then((program) => [...program.run({ x: Float64Array.of(1), y: Float64Array.of(2) }).z.data])", context);
  assert.deepEqual([...(await run)], [3]);
});

test('worker threads run programs of modules that were compiled elsewhere', async () => {
  const { wasm } = await programOf(sum);
  const code = `const { parentPort, workerData } = require('node:worker_threads');
    import(workerData.url).then(async ({ load }) => {
      const program = await load(workerData.module);
      parentPort.postMessage(program.run({ x: Float64Array.of(workerData.n), y: Float64Array.of(1) }));
    });`;
  const module = new WebAssembly.Module(wasm.bytes);
  const url = require('node:url').pathToFileURL(file).href;
  const answers = await Promise.all([1, 2, 3].map((n) => new Promise((resolve, reject) => {
    const worker = new Worker(code, { eval: true, workerData: { url, module, n } });
    worker.once('message', resolve);
    worker.once('error', reject);
  })));
  assert.deepEqual(answers, [2, 3, 4].map((value) => ({ z: { data: Float64Array.of(value), dtype: 'f64', shape: [1] } })));
});
