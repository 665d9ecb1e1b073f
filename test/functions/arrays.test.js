// Native functions of arrays as ops: handed over whole, by the reference and machine code, in graphs, traced functions, loops, on other
// threads, and on tensors; what they return, what they throw, and what is refused.
'use strict';

require('../support/verify.js');
const assert = require('node:assert/strict');
const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { test } = require('node:test');
const { Worker } = require('node:worker_threads');
const { Graph, Tensor, cond, forLoop, grad, jit, native, prange, tensor } = require('graphjit');
const { throwsGraphError } = require('../support/errors.js');

/** @type {Record<string, import('graphjit').DType>} */
const DTYPES = { Float64Array: 'f64', Float32Array: 'f32', Int32Array: 'i32', Uint8Array: 'u8', BigInt64Array: 'i64' };

/** A graph with an input for each array, of sizes that the run tells. @type {(fn: (...values: any[]) => any, arrays: readonly any[]) => { graph: any, inputs: Record<string, any> }} */
function graphOf(fn, arrays) {
  const graph = new Graph('whole');
  const values = arrays.map((array, i) => {
    const isTensor = array instanceof Tensor;
    return graph.input(`x${i}`, isTensor ? array.dtype : DTYPES[array.constructor.name], isTensor ? array.shape.map((_, axis) => `n${i}_${axis}`) : [`n${i}`]);
  });
  graph.output('z', fn(...values));
  return { graph, inputs: Object.fromEntries(arrays.map((array, i) => [`x${i}`, array])) };
}

/** What the graph computes, which is the same by all ways. @type {(fn: (...values: any[]) => any, ...arrays: any[]) => any} */
function run(fn, ...arrays) {
  const { graph, inputs } = graphOf(fn, arrays);
  const wanted = graph.eval(inputs).z;
  for (const options of [{}, { optLevel: 0, threads: 2 }]) {
    const program = graph.compile(options);
    assert.deepEqual(program.run(inputs).z.data, wanted.data, JSON.stringify(options));
    program.dispose();
  }
  const text = graph.toString();
  assert.equal(Graph.parse(text).toString(), text);
  return wanted;
}

const dot = (/** @type {any} */ a, /** @type {any} */ b) => { let s = 0; for (let i = 0; i < a.length; i++) s += a[i] * b[i]; return s; }; // prettier-ignore

const distance = (/** @type {any} */ a, /** @type {any} */ b) => {
  const row = new Int32Array(b.length + 1);
  for (let j = 0; j <= b.length; j++) row[j] = j;
  for (let i = 1; i <= a.length; i++) {
    let last = row[0];
    row[0] = i;
    for (let j = 1; j <= b.length; j++) {
      const kept = row[j];
      row[j] = Math.min(row[j] + 1, row[j - 1] + 1, last + (a[i - 1] === b[j - 1] ? 0 : 1));
      last = kept;
    }
  }
  return row[b.length];
};

const movingMedian = (/** @type {any} */ x, /** @type {number} */ width) => {
  const z = new Float64Array(x.length - width + 1);
  for (let i = 0; i < z.length; i++) z[i] = x.slice(i, i + width).sort()[width >> 1];
  return z;
};

const X = Float64Array.of(5, 1, 3, 9, 8, 2.5);
const Y = Float64Array.of(1, 2, -3, 0.5, 0, 7);

test('functions of arrays give what V8 gives', () => {
  const bytes = (/** @type {string} */ text) => Uint8Array.from(Buffer.from(text));
  assert.equal(run(native(dot), X, Y).item(), dot(X, Y));
  assert.equal(run(native(dot, 'f64(f64[], f64[])'), X, Y).item(), dot(X, Y));
  assert.equal(run(native(dot), X, Float32Array.of(1, 2, 3, 4, 5, 6)).item(), dot(X, [1, 2, 3, 4, 5, 6]));
  assert.equal(run(native(distance), bytes('kitten'), bytes('sitting')).item(), 3);
  const [size] = run((x) => native(movingMedian)(x, 3), X).shape;
  assert.equal(size, 4);
  assert.deepEqual(run((x) => native(movingMedian)(x, 3), X).data, movingMedian(X, 3));
  assert.deepEqual(run((x) => native(movingMedian, '(f64[], i32)')(x.mul(2), 3).add(1), X).data, movingMedian(X.map((v) => v * 2), 3).map((v) => v + 1));
  const first = native(/** @param {Float64Array} x @param {number} k */ (x, k) => x[0] * k);
  assert.equal(run(first, X, tensor(2)).item(), 10);
});

test('tensors are asked for elements by their axes', () => {
  const multiply = native((/** @type {any} */ a, /** @type {any} */ b) => {
    const [rows, inner] = a.shape;
    const columns = b.shape[1];
    const z = new Float64Array(rows * columns);
    for (let i = 0; i < rows; i++) for (let j = 0; j < columns; j++) for (let k = 0; k < inner; k++) z[i * columns + j] += a.at(i, k) * b.at(k, j);
    return z;
  }, { shape: (/** @type {any} */ a, /** @type {any} */ b) => [a.shape[0], b.shape[1]] });
  const [a, b] = [tensor([[1, 2, 3], [4, 5, 6]]), tensor([[1, 0], [2, 1], [0, 3]])];
  assert.deepEqual(run(multiply, a, b).toArray(), [[5, 11], [14, 23]]);
  assert.deepEqual(run((x, y) => multiply(y.T, x.T), a, b).toArray(), [[5, 14], [11, 23]]);
  const trace = native((/** @type {any} */ m) => { let s = 0; for (let i = 0; i < m.shape[0]; i++) s += m.at(i, i); return s; }, 'f64(f64[,])'); // prettier-ignore
  assert.equal(run(trace, tensor([[1, 2], [3, 4]])).item(), 5);
  const sum = native((/** @type {any} */ v) => { let s = 0; for (let i = 0; i < v.shape[0]; i++) s += v.at(i); return s; }); // prettier-ignore
  assert.equal(run(sum, X).item(), 28.5);
});

test('results are numbers, bigints and booleans without axes, of the dtypes that elements would have', () => {
  /** @type {(fn: any, array: any, dtype: string, value: any) => void} */
  const gives = (fn, array, dtype, value) => {
    const z = run(fn, array);
    assert.deepEqual([z.dtype, z.shape, z.item()], [dtype, [], value]);
  };
  gives(native((/** @type {any} */ x) => x.length), X, 'f64', 6);
  gives(native((/** @type {any} */ x) => x.length > 2), X, 'bool', true);
  gives(native((/** @type {any} */ x) => x[0] | x[3]), X, 'i32', 13);
  gives(native((/** @type {any} */ x) => Math.fround(x[0] * 1)), Float32Array.of(1.5), 'f32', 1.5);
  gives(native((/** @type {any} */ x) => x[0] * 100.5, 'u8(f64[])'), Float64Array.of(3), 'u8', 301 & 255);
  gives(native((/** @type {any} */ x) => x[0] * 1e9, 'i32(f64[])'), Float64Array.of(3), 'i32', 3e9 | 0);
  gives(native((/** @type {any} */ x) => { let s = 0n; for (const v of x) s = BigInt.asIntN(64, s + v); return s; }), BigInt64Array.of(1n, 2n ** 62n), 'i64', 1n + 2n ** 62n); // prettier-ignore
  gives(native((/** @type {any} */ x) => x[9]), X, 'f64', NaN);
  gives(native((/** @type {any} */ x) => (x[0] > 0 ? null : x[1])), X, 'f64', 0);
  gives(native((/** @type {any} */ x) => { if (x.length > 9) throw new Error('long'); return -0; }), X, 'f64', -0); // prettier-ignore
  gives(native((/** @type {any} */ x) => { let n = 0; for (const v of x) n += v; return n; }), tensor([true, false, true]), 'f64', 2); // prettier-ignore
  gives(native((/** @type {any} */ x) => x[1] + 0.5), tensor([1, 2], { dtype: 'f16' }), 'f64', 2.5);
});

test('an array that is returned has the length that the source says, or the shape of an option', () => {
  /** @type {(fn: any, shape: any[], options?: any) => any[]} */
  const shaped = (fn, shape, options = {}) => {
    assert.deepEqual(graphOf(native(fn, options), [X]).graph.outputs[0].shape, shape);
    return run(native(fn, options), X).toArray();
  };
  assert.deepEqual(shaped((/** @type {any} */ x) => x.map((/** @type {number} */ v) => v * 2), ['n0']), [...X].map((v) => v * 2));
  assert.deepEqual(shaped((/** @type {any} */ x) => { const z = new Float32Array(3); z[1] = x[0]; return z; }, [3]), [0, 5, 0]); // prettier-ignore
  assert.deepEqual(shaped((/** @type {any} */ x) => { const z = new Int32Array(Math.floor(x.length / 2) + 1); z[0] = x[1]; return z; }, ['n0/2 + 1']), [1, 0, 0, 0]); // prettier-ignore
  assert.deepEqual(shaped((/** @type {any} */ x) => x.subarray(1).slice().sort(), ['max(max(n0, 1) - 1, 0)']), [1, 2.5, 3, 8, 9]);
  const large = (/** @type {any} */ x) => x.filter((/** @type {number} */ v) => v > 4);
  assert.deepEqual(shaped(large, [3], { shape: 3 }), [5, 9, 8]);
  assert.deepEqual(shaped(large, ['n0 - 3'], { shape: (/** @type {any} */ x) => [`${x.shape[0]} - 3`] }), [5, 9, 8]);
  assert.deepEqual(run(native(large, { params: ['f64[]'], returns: 'f64[3]' }), X).toArray(), [5, 9, 8]);
  assert.deepEqual(shaped((/** @type {any} */ x) => new Uint8Array((x.length >> 1) + ((x.length / 4) | 0)), ['n0/2 + n0/4']), [0, 0, 0, 0]);
  assert.deepEqual(shaped((/** @type {any} */ x) => new Float64Array(Math.ceil((x.length - 1) / 4)), ['(n0 + 2)/4']), [0, 0]);
  assert.deepEqual(shaped((/** @type {any} */ x) => [x[0] > 9 ? 1 : null, x.length, x[7], -0, x[1] | 0], [5]), [0, 6, NaN, -0, 1]);
  const pushed = (/** @type {any} */ x) => { const z = []; for (const v of x) z.push(v + 1); return z; }; // prettier-ignore
  assert.deepEqual(shaped(pushed, ['n0'], { shape: (/** @type {any} */ x) => x.shape }), [...X].map((v) => v + 1));
  const unknown = /it cannot be an op of a graph: the length of the array that it returns is not known before it runs: say it by the option 'shape'/;
  throwsGraphError(() => graphOf(native(large), [X]), 'ERR_UNSUPPORTED', unknown);
  const { graph, inputs } = graphOf(native(large, { shape: 4 }), [X]);
  throwsGraphError(() => graph.compile().run(inputs), 'ERR_CALL', /^run: large: returned 3 elements where its shape has 4$/);
  throwsGraphError(() => graph.eval(inputs), 'ERR_CALL', /^eval: large: returned 3 elements/);
  throwsGraphError(() => native(large, { shape: /** @type {any} */ ({}) }), 'ERR_ARGUMENT', /expected an array of sizes, or a function that gives one, for option 'shape'|option 'shape'/);
});

test('empty arrays are arrays', () => {
  const none = new Float64Array(0);
  assert.equal(run(native(dot), none, none).item(), 0);
  assert.deepEqual(run(native((/** @type {any} */ x) => x.map((/** @type {number} */ v) => v + 1)), none).shape, [0]);
  assert.equal(run(native((/** @type {any} */ x) => { x[0] = 1; return x.length; }), none).item(), 0); // prettier-ignore
});

test('operands stay as they are: what a function writes to is a copy', () => {
  const x = X.slice();
  const sorted = native((/** @type {any} */ v) => v.sort());
  assert.deepEqual(run((v) => sorted(v).add(v.mul(0)), x).data, X.slice().sort());
  assert.deepEqual(x, X);
  const other = native((/** @type {any} */ a, /** @type {any} */ b) => { a[0] = 100; return b[0]; }); // prettier-ignore
  assert.equal(run((v) => other(v, v), x).item(), 5);
});

test('constants, captured arrays, functions, and numbers beside Values', () => {
  assert.equal(run((x) => native(dot)(x, Y), X).item(), dot(X, Y));
  assert.equal(run((x) => native(dot)(tensor(Y).mul(2), x), X).item(), 2 * dot(X, Y));
  const weights = Y.slice();
  const weigh = native((/** @type {any} */ x) => { let s = 0; for (let i = 0; i < x.length; i++) s += x[i] * weights[i]; return s; }, { capture: { weights } }); // prettier-ignore
  assert.equal(run(weigh, X).item(), dot(X, Y));
  const { graph, inputs } = graphOf(weigh, [X]);
  weights.fill(0);
  assert.equal(graph.eval(inputs).z.item(), dot(X, Y));
  const mapped = native((/** @type {any} */ x, /** @type {any} */ fn) => x.map(fn));
  assert.deepEqual(run((x) => mapped(x, (/** @type {number} */ v) => v * v), X).data, X.map((v) => v * v));
  const optional = native((/** @type {any} */ x, k = 3) => x[0] * k, '(f64[], f64?)');
  assert.equal(run(optional, X).item(), 15);
  assert.equal(run((x) => optional(x, 2), X).item(), 10);
});

test('what a function throws is the error of the run, with its place', async () => {
  const root = native(function root(/** @type {any} */ x) {
    if (x[0] < 0) throw new RangeError(`no root of ${x[0]}, ${x.length} and ${x.length > 2}`);
    return Math.sqrt(x[0]);
  });
  const { graph } = graphOf(root, [X]);
  const program = graph.compile();
  const bad = { x0: Float64Array.of(-2.5) };
  const message = /root threw RangeError: no root of -2.5, 1 and false \(.*arrays.test.js:\d+:\d+\)$/;
  throwsGraphError(() => program.run(bad), 'ERR_CALL', message);
  throwsGraphError(() => graph.eval(bad), 'ERR_CALL', message);
  await assert.rejects(program.runAsync(bad), { code: 'ERR_CALL', message });
  assert.equal(program.run({ x0: Float64Array.of(4) }).z.item(), 2);
  const deep = native((/** @type {any} */ x) => { const f = (/** @type {number} */ i) => (i > x.length ? 0 : 1 + f(i)); return f(0); }); // prettier-ignore
  throwsGraphError(() => run(deep, X), 'ERR_CALL', /maximum call stack size exceeded$/);
  throwsGraphError(() => run(native((/** @type {any} */ x) => x[9], { bounds: 'check' }), X), 'ERR_CALL', /threw RangeError/);
  throwsGraphError(() => run(native((/** @type {any} */ x) => { let s = 1n; for (const v of x) s *= v; return s; }), BigInt64Array.of(2n ** 62n, 4n)), 'ERR_CALL', /a bigint leaves 64 bits/); // prettier-ignore
  throwsGraphError(() => run(native((/** @type {any} */ x) => x[0], '(f64[4])'), X), 'ERR_CALL', /expected an array of 4 elements, got 6$/);
});

test('runs are aborted inside of a function, and functions outlive their disposal', async () => {
  const slow = native((/** @type {any} */ x) => { let n = 0; while (x[0] + n >= 0) n += 1e-9; return n; }); // prettier-ignore
  const { graph } = graphOf(slow, [X]);
  const program = graph.compile();
  const controller = new AbortController();
  const pending = program.runAsync({ x0: X }, undefined, { signal: controller.signal });
  setTimeout(() => controller.abort(), 10);
  await assert.rejects(pending, { name: 'AbortError' });
  const own = native(dot);
  const kept = graphOf(own, [X, Y]);
  const ready = kept.graph.compile();
  own.dispose();
  throwsGraphError(() => graphOf(own, [X, Y]), 'ERR_STATE', /disposed/);
  assert.equal(ready.run(kept.inputs).z.item(), dot(X, Y));
  assert.equal(kept.graph.compile().run(kept.inputs).z.item(), dot(X, Y));
  const values = await Promise.all(Array.from({ length: 8 }, () => ready.runAsync(kept.inputs)));
  for (const { z } of values) assert.equal(z.item(), dot(X, Y));
});

test('in traced functions, loops and choices, on tensors, with derivatives and threads', () => {
  const f = native(dot);
  assert.equal(jit((/** @type {any} */ x) => f(x, x.add(1)))(tensor([1, 2])).item(), 8);
  const declared = native(dot, 'f64(f64[], f64[])');
  assert.equal(declared(tensor([1, 2]), tensor([3, 4]).mul(2)).item(), 22);
  assert.equal(declared(tensor([1, 2]), Float64Array.of(3, 4)).item(), 11);
  assert.equal(declared(Float64Array.of(1, 2), Float64Array.of(3, 4)), 11);
  const factors = Float64Array.of(1, 1);
  const scaled = native((/** @type {any} */ x) => x.map((/** @type {number} */ v, /** @type {number} */ i) => v * factors[i]), '(f64[])', { capture: { factors } });
  assert.deepEqual(scaled(tensor([1, 2])).toArray(), [1, 2]);
  factors[1] = 5;
  assert.deepEqual(scaled(tensor([1, 2])).toArray(), [1, 10]);
  const double = native((/** @type {any} */ x) => x.map((/** @type {number} */ v) => v * 2), '(f64[])');
  assert.deepEqual(run((x) => forLoop(0, 3, (/** @type {any} */ _, /** @type {any} */ v) => double(v), x), X).data, X.map((v) => v * 8));
  assert.deepEqual(run((x) => cond(x.sum().gt(0), (/** @type {any} */ v) => double(v), (/** @type {any} */ v) => v, x), X).data, X.map((v) => v * 2));
  const cubes = native((/** @type {any} */ p) => { let s = 0; for (let i = 0; i < p.length; i++) s += p[i] ** 3; return s; }, '(f64[])'); // prettier-ignore
  assert.deepEqual(run(grad(cubes), X).data, X.map((v) => 3 * v ** 2));
  const roots = native((/** @type {any} */ x) => { const z = new Float64Array(x.length); for (const i of prange(x.length)) z[i] = Math.sqrt(x[i]); return z; }); // prettier-ignore
  const many = Float64Array.from({ length: 30000 }, (_, i) => i);
  assert.deepEqual(run(roots, many).data, many.map(Math.sqrt));
});

test('functions of elements stay what they are, and arrays where they are meant', () => {
  const graph = new Graph('kinds');
  const [x, m] = [graph.input('x', 'f64', ['n']), graph.input('m', 'f64', ['n', 2])];
  assert.deepEqual(native((/** @type {number} */ v) => v * 2)(m).shape, ['n', 2]);
  throwsGraphError(() => native(dot, 'f64(f64[], f64[])')(m, x), 'ERR_SHAPE', /^dot: expected f64\[\] for argument 1, of rank 1, got Value .*f64\[n, 2\]: use reshape$/);
  throwsGraphError(() => native((/** @type {any} */ a, /** @type {number} */ k) => a[0] * k, '(f64[], f64)')(x, x), 'ERR_SHAPE', /expected f64 for argument 2, of shape \[\], got Value/);
  throwsGraphError(() => native(dot, 'f64(i32[], f64[])')(x, x), 'ERR_DTYPE', /expected i32\[\] for argument 1, got Value .*: use convert$/);
  throwsGraphError(() => native((/** @type {any} */ a, /** @type {any} */ k) => a[0] * k, '(f64[], i32)')(x, 2.5), 'ERR_DTYPE', /2\.5/);
  throwsGraphError(() => native((/** @type {any} */ a) => ({ low: a[0], high: a[1] }))(x), 'ERR_UNSUPPORTED', /it cannot be an op of a graph: it returns \{ low: .* \}: return one number, boolean or bigint, or one array of numbers$/);
  throwsGraphError(() => native((/** @type {any} */ a, /** @type {any} */ o) => a[0] * o.by, '(f64[], { by: f64 })')(x, { by: 2 }), 'ERR_UNSUPPORTED', /beside Values, arguments are numbers, Tensors or functions/);
  const promised = native((/** @type {any} */ a, /** @type {any} */ k) => a[0] * k, '(f64[], u32)');
  throwsGraphError(() => promised(x, -1), 'ERR_DTYPE', /^.*: u32 holds the integers 0 to 4294967295, argument 2 is -1$/);
  throwsGraphError(() => promised(x, graph.input('i', 'i32')), 'ERR_DTYPE', /expected u32 for argument 2, got Value/);
  const kept = Float64Array.of(1);
  throwsGraphError(() => native((/** @type {any} */ a) => { kept[0] = a[0]; return a[1]; }, { capture: { kept } })(x), 'ERR_UNSUPPORTED', /it writes to an array that it captures/); // prettier-ignore
  assert.throws(() => native((/** @type {any} */ a) => a[0] + a.title.size)(x), { code: 'ERR_UNSUPPORTED', message: /a number has no elements[^]*and of whole arrays: / });
});

test('texts of strangers cannot call a function with what it does not take, nor modules and objects hold one', () => {
  const { graph } = graphOf(native((/** @type {any} */ x) => x[0] + x[5]), [X]);
  const text = graph.toString();
  assert.match(text, /custom_call "anonymous_[0-9a-f]{16}" %1 \{dtype=f64, shape=\[\]\} : f64\[\]/);
  assert.equal(Graph.parse(text).compile().run({ x0: X }).z.item(), 7.5);
  const other = /^custom_call: "anonymous_\w+" is a native function of other operands, or another result$/;
  for (const [from, to] of [['f64[n0]', 'f32[n0]'], ['f64[n0]', 'f64[n0, 2]'], ['dtype=f64, shape=[]} : f64[]', 'dtype=f32, shape=[]} : f32[]'], ['shape=[]} : f64[]', 'shape=[9]} : f64[9]'], ['" %1 {', '" %1, %1 {']]) {
    const strange = Graph.parse(text.replace(from, to));
    throwsGraphError(() => strange.compile(), 'ERR_ARGUMENT', other);
    throwsGraphError(() => strange.eval({ x0: to.includes('32[n') ? new Float32Array(2) : to.includes(', 2]') ? tensor([[1, 2]]) : X }), 'ERR_ARGUMENT', other);
  }
  throwsGraphError(() => graph.toWasm(), 'ERR_UNSUPPORTED', /^wasm: "anonymous_\w+" \(%2\) is a native function of arrays, .* toWasm\(\)$/);
  throwsGraphError(() => graph.toObject(), 'ERR_UNSUPPORTED', /^object: "anonymous_\w+" \(%2\) is a native function of arrays, .* toObject\(\)$/);
});

const program = `
  const { Graph, native } = require(${JSON.stringify(path.join(__dirname, '..', '..'))});
  const graph = new Graph('other');
  const sum = native(function sum(x) { let s = 0; for (const v of x) s += v; return s; });
  graph.output('z', sum(graph.input('x', 'f64', ['n'])).mul(2));
  const made = graph.compile();
  const found = [made.run({ x: Float64Array.of(1, 2, 3.5) }).z.item(), graph.toString(), made.stats.cache?.source ?? made.stats.cache];
`;

test('workers may use a function at the same time, and later processes find the code of its graphs', async () => {
  const inWorker = () =>
    new Promise((resolve, reject) => {
      const worker = new Worker(`${program} require('node:worker_threads').parentPort.postMessage(found);`, { eval: true });
      worker.once('message', resolve);
      worker.once('error', reject);
    });
  const answers = await Promise.all([inWorker(), inWorker()]);
  for (const [value, text] of answers) assert.deepEqual([value, text], [13, answers[0][1]]);
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'graphjit-arrays-'));
  const env = { ...process.env, GRAPHJIT_CACHE_DIR: folder, GRAPHJIT_CACHE: '' };
  const later = () => JSON.parse(execFileSync(process.execPath, ['-e', `${program} console.log(JSON.stringify(found));`], { env, encoding: 'utf8' }));
  const [first, second] = [later(), later()];
  fs.rmSync(folder, { recursive: true });
  assert.deepEqual([first[0], second[0], second[1]], [13, 13, first[1]]);
  assert.deepEqual([first[2], second[2]], ['miss', 'disk']);
});
