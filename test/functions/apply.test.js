// Native functions as ops: in graphs by the reference, machine code, the first tier and wasm, which must have the bits of V8; over tensors
// by vectorize; in loops and choices of graphs; and what cannot be an op.
'use strict';

require('../support/verify.js');
const assert = require('node:assert/strict');
const { test } = require('node:test');
const { Graph, Tensor, dtypes, forLoop, jit, native, tensor, vectorize } = require('graphjit');
const { assertClose } = require('../support/compare.js');
const { throwsGraphError } = require('../support/errors.js');

const EDGES = [0, -0, 1, -1, 0.5, -0.5, 1.5, 2.5, -2.5, 1e-310, 5e-324, 1e15 + 0.5, 2 ** 31, -(2 ** 31), 2 ** 32, 2 ** 53, 1e300, -1e300, Infinity, -Infinity, NaN, 3.7, 100.25];

/** The function on each element, with inputs of one dtype. @type {(fn: Function, arrays: any[]) => any[]} */
const expected = (fn, arrays) => Array.from(arrays[0], (_, i) => fn(...arrays.map((array) => array[i])));

/** By all ways, to the bit. @type {(graph: any, inputs: any, wanted: any, place: string) => Promise<void>} */
async function agree(graph, inputs, wanted, place) {
  const check = (/** @type {any} */ z, /** @type {string} */ way) => assertClose(z.data, wanted, {}, (i) => `${place}, ${way}, element ${i}`);
  check(graph.eval(inputs).z, 'reference');
  for (const options of [{}, { tier: 'auto' }, { optLevel: 0, threads: 2 }, { cache: false }]) {
    const program = graph.compile(options);
    check(program.run(inputs).z, JSON.stringify(options));
    program.dispose();
  }
  const { load } = await import('graphjit/web');
  for (const variants of [['simd'], ['mvp']]) {
    const instance = await load(graph.toWasm({ optimize: false, variants }).bytes);
    check({ data: instance.run(inputs).z.data ?? instance.run(inputs).z }, `wasm ${variants}`);
  }
}

/** A graph that applies the function to inputs of the dtypes of arrays. @type {(fn: any, arrays: any[]) => any} */
function graphOf(fn, arrays) {
  const graph = new Graph('applied');
  const names = { Float64Array: 'f64', Float32Array: 'f32', Int32Array: 'i32', Uint32Array: 'u32', Uint8Array: 'u8', Int16Array: 'i16', BigInt64Array: 'i64' };
  const values = arrays.map((array, i) => graph.input(`x${i}`, names[/** @type {'Int16Array'} */ (array.constructor.name)], ['n']));
  graph.output('z', fn(...values));
  return graph;
}

const inputsOf = (/** @type {any[]} */ arrays) => Object.fromEntries(arrays.map((array, i) => [`x${i}`, array]));

const X = Float64Array.from(EDGES.flatMap((x) => EDGES.map(() => x)));
const Y = Float64Array.from(EDGES.flatMap(() => EDGES));
const I = Int32Array.from(X, (x) => x);
const J = Int32Array.from(Y, (y) => y * 3);

/** @type {Record<string, { fn: (...args: any[]) => any, arrays: any[], dtype: string }>} */
const functions = {
  'a formula': { fn: (x, y) => x * y + 1 / (x - y), arrays: [X, Y], dtype: 'f64' },
  'functions of Math': { fn: (x, y) => Math.exp(x) + Math.sin(x) * Math.atan2(y, x) + Math.cbrt(y), arrays: [X, Y], dtype: 'f64' },
  'powers and remainders': { fn: (x, y) => (x % y) + x ** 3 + Math.pow(y, 0.5), arrays: [X, Y], dtype: 'f64' },
  'a choice': { fn: (x, y) => (x < y ? -x : y > 0 ? Math.round(y) : NaN), arrays: [X, Y], dtype: 'f64' },
  'early returns': { fn: (x, y) => { if (x > y) return x; if (y === 0) return Math.hypot(x, 1); return Math.max(x, y) - 1; }, arrays: [X, Y], dtype: 'f64' }, // prettier-ignore
  'a loop': { fn: (x, y) => { let n = 0; while (n < 20 && x * x < 1e6) { x = x * 1.5 + y; n++; } return n + x; }, arrays: [X, Y], dtype: 'f64' }, // prettier-ignore
  'loops in loops': { fn: (x) => { let s = 0; outer: for (let i = 0; i < 5; i++) for (let k = i; k < 9; k++) { if (k * x > 20) continue outer; if (i > 3) break outer; s += k * x; } return s; }, arrays: [X], dtype: 'f64' }, // prettier-ignore
  'bits of numbers': { fn: (x, y) => (x | 0) ^ (y << 3) | (x >>> 28), arrays: [X, Y], dtype: 'i32' }, // prettier-ignore
  'integers': { fn: (a, b) => (Math.imul(a, b) + (a >> 1)) | 0, arrays: [I, J], dtype: 'i32' },
  'integers that become numbers': { fn: (a, b) => a * b + 0.5, arrays: [I, J], dtype: 'f64' },
  'bytes': { fn: (a, b) => (a + b) / 2, arrays: [Uint8Array.from(I), Uint8Array.from(J)], dtype: 'f64' },
  'short integers': { fn: (a, b) => (a & b) + 1, arrays: [Int16Array.from(I), Int16Array.from(J)], dtype: 'f64' },
  'bigints': { fn: (a, b) => BigInt.asIntN(64, a * b + (a >> 3n)), arrays: [BigInt64Array.from(I, BigInt), BigInt64Array.from(J, (x) => BigInt(x) * 77777777777n)], dtype: 'i64' }, // prettier-ignore
  'f32': { fn: (x, y) => Math.fround(Math.fround(x) * y), arrays: [Float32Array.from(X), Float32Array.from(Y)], dtype: 'f32' },
  'f32 as the numbers they are': { fn: (x, y) => Math.sqrt(x) * y, arrays: [Float32Array.from(X), Float32Array.from(Y)], dtype: 'f64' },
  'a comparison': { fn: (x, y) => x <= y && x > 0, arrays: [X, Y], dtype: 'bool' },
  'a constant': { fn: () => -0, arrays: [X], dtype: 'f64' },
  'inner functions': { fn: (x, y) => { const sq = (v) => v * v; return sq(x) + sq(sq(y)); }, arrays: [X, Y], dtype: 'f64' }, // prettier-ignore
};

for (const [title, { fn, arrays, dtype }] of Object.entries(functions)) {
  test(`an op of ${title} is what V8 computes, whoever computes it`, async () => {
    const own = title === 'a constant' ? native((/** @type {any} */ _x) => -0) : native(fn);
    const graph = graphOf(own, arrays);
    assert.equal(graph.outputs[0].dtype, dtype);
    const ArrayOf = /** @type {any} */ (dtypes[/** @type {'f64'} */ (dtype)].arrayType);
    await agree(graph, inputsOf(arrays), ArrayOf.from(expected(fn, arrays)), title);
    const text = graph.toString();
    assert.equal(Graph.parse(text).toString(), text);
  });
}

test('an op fuses with its neighbours into one kernel, and vectorises where it has no branches', () => {
  const graph = new Graph('fused');
  const x = graph.input('x', 'f64', ['n']);
  const f = native((/** @type {number} */ v, /** @type {number} */ k) => Math.exp(v * k) - 1);
  graph.output('z', f(x.abs(), 2).mul(x).add(1));
  const program = graph.compile();
  assert.equal(program.stats.kernels.length, 1);
  assert.match(program.loops(), /let \w+: f64<\d+> = sub\(exp<js>\(/);
  assert.deepEqual([...program.run({ x: Float64Array.of(1, -2) }).z.data], [(Math.exp(2) - 1) * 1 + 1, (Math.exp(4) - 1) * -2 + 1]);
});

test('loops that call functions with branches are left to LLVM to vectorise', () => {
  const graph = new Graph('branches');
  const f = native((/** @type {number} */ v) => { if (v < 0) return -v; return Math.sqrt(v); }); // prettier-ignore
  graph.output('z', f(graph.input('x', 'f64', ['n'])));
  const program = graph.compile();
  assert.match(program.loops(), /call apply_/);
  assert.match(program.llvm({ optimized: true }), /@llvm\.sqrt\.v\d+f64/);
});

test('operands broadcast; tensors, typed arrays and numbers beside values are constants', () => {
  const graph = new Graph('broadcast');
  const [x, y] = [graph.input('x', 'f64', ['n', 1]), graph.input('y', 'f64', [3])];
  const f = native((/** @type {any} */ a, /** @type {any} */ b, /** @type {any} */ c, /** @type {any} */ d) => a * 100 + b * 10 + c + (d ? 0.5 : 0));
  const z = f(x, y, tensor([1, 2, 3]), true);
  assert.deepEqual(z.shape, ['n', 3]);
  graph.output('z', z.add(f(x, Float64Array.of(0, 1, 0), 0, false)));
  const inputs = { x: tensor([[1], [2]]), y: Float64Array.of(4, 5, 6) };
  const wanted = [[241.5, 262.5, 263.5], [441.5, 462.5, 463.5]];
  assert.deepEqual(graph.eval(inputs).z.toArray(), wanted);
  assert.deepEqual(graph.compile().run(inputs).z.toArray(), wanted);
});

test('in functions that are traced, in loops of graphs, beside halves', () => {
  const halve = native((/** @type {number} */ n) => (n % 2 === 0 ? n / 2 : 3 * n + 1));
  const traced = jit((/** @type {any} */ x) => halve(x).add(halve(x.sum())));
  assert.deepEqual(traced(tensor([6, 7])).toArray(), [3 + 40, 22 + 40]);
  const graph = new Graph('loop');
  graph.output('z', forLoop(0, 111, (/** @type {any} */ _, /** @type {any} */ n) => halve(n), graph.input('n', 'f64', [])));
  assert.equal(graph.compile().run({ n: 27 }).z.item(), 1);
  const half = new Graph('half');
  half.output('z', native((/** @type {number} */ v) => Math.fround(v * 2))(half.input('x', 'f16', ['n'])));
  assert.equal(half.outputs[0].dtype, 'f32');
  assert.deepEqual(half.compile().run({ x: tensor([1.5, 2], { dtype: 'f16' }) }).z.toArray(), [3, 4]);
});

test('a signature says what operands become and what the result is', () => {
  const graph = new Graph('signature');
  const [x, i, l] = [graph.input('x', 'f64', ['n']), graph.input('i', 'i16', ['n']), graph.input('l', 'i64', ['n'])];
  assert.equal(native((/** @type {number} */ v) => v * 2, 'f32(f32)')(x).dtype, 'f32');
  assert.equal(native((/** @type {number} */ v) => v + 1, '(i32)')(i).dtype, 'f64');
  throwsGraphError(() => native((/** @type {number} */ v) => v + 1, '(i32)')(x), 'ERR_DTYPE', /^anonymous: expected i32 for argument 1, got .*f64\[n\]/);
  throwsGraphError(() => native((/** @type {number} */ v) => v + 1, '(f64)')(l), 'ERR_DTYPE', /^anonymous: expected f64 for argument 1/);
  graph.output('z', native((/** @type {number} */ v) => v * 1.5, 'u8(f64)')(x));
  const inputs = { x: Float64Array.of(1, 3, 300, -1, NaN), i: new Int16Array(5), l: new BigInt64Array(5) };
  assert.deepEqual([...graph.compile().run(inputs).z.data], [...Uint8Array.from(inputs.x, (v) => v * 1.5)]);
});

test('what is no function of numbers is refused, with what to do', () => {
  const graph = new Graph('refused');
  const [x, l] = [graph.input('x', 'f64', ['n']), graph.input('l', 'i64', ['n'])];
  const weights = Float64Array.of(1, 2);
  const apply = (/** @type {any} */ fn, /** @type {any} */ value = x, /** @type {any} */ options = {}) => () => native(fn, options)(value);
  const why = (/** @type {string} */ text) => new RegExp(`: it cannot be an op of a graph: ${text}`);
  throwsGraphError(apply((/** @type {any} */ v) => { if (v < 0) throw new Error('below'); return v; }), 'ERR_UNSUPPORTED', why('it may throw at .*apply.test.js:\\d+:\\d+ \\(Error below\\): return NaN')); // prettier-ignore
  throwsGraphError(apply((/** @type {any} */ v) => [v, v]), 'ERR_UNSUPPORTED', why('it returns \\[f64, f64\\]: return one number'));
  throwsGraphError(apply((/** @type {any} */ v) => (v > 0 ? v : undefined)), 'ERR_UNSUPPORTED', why('it may return undefined'));
  throwsGraphError(apply((/** @type {any} */ v) => { const a = new Float64Array(9); a[v & 7] = v; return a[3]; }), 'ERR_UNSUPPORTED', why('it works on arrays of its own')); // prettier-ignore
  throwsGraphError(apply((/** @type {any} */ v) => v * weights[0], x, { capture: { weights } }), 'ERR_UNSUPPORTED', why('it captures an array'));
  throwsGraphError(apply('function fact(n) { return n < 2 ? 1 : n * fact(n - 1); }'), 'ERR_UNSUPPORTED', /^fact: it cannot be an op of a graph: it calls itself/);
  throwsGraphError(apply((/** @type {any} */ v) => v + 1n, l), 'ERR_UNSUPPORTED', why('it may throw at .*BigInt.asIntN\\(64, …\\)'));
  throwsGraphError(() => native((/** @type {any} */ v, /** @type {any} */ o) => v * o.by)(x, { by: 2 }), 'ERR_ARGUMENT', /beside Values, arguments are numbers, Tensors or functions/);
  assert.equal(native((/** @type {any} */ v, /** @type {any} */ f) => f(v))(x, (/** @type {number} */ v) => v + 1).dtype, 'f64');
  const other = new Graph('other').input('y', 'f64', ['n']);
  throwsGraphError(() => native((/** @type {any} */ a, /** @type {any} */ b) => a + b)(x, other), 'ERR_ARGUMENT', /operands of two graphs/);
});

test('texts of strangers are verified: no memory, no recursion, nothing of the run', () => {
  const parse = (/** @type {string} */ body, type = 'f64', rest = '') =>
    Graph.parse(`graph "g" {\n  %1 = param "x" : f64[n]\n  %2 = apply ${JSON.stringify(`module "m" { ${rest} ${body} }`)} %1 {dtype=${type}}\n  output "z" = %2\n}\n`);
  const fails = (/** @type {RegExp} */ message, /** @type {[string, string?, string?]} */ ...args) => assert.throws(() => parse(...args), { message });
  const graph = parse('export func f(x: f64) -> f64 { assume false return add(x, 1:f64) }');
  assert.deepEqual(graph.compile().run({ x: Float64Array.of(1) }).z.toArray(), [2]);
  fails(/apply: the function: line 1.*expected/, 'export func');
  fails(/exports no function/, 'func f(x: f64) -> f64 { return x }');
  fails(/exports f and g, one was expected/, 'export func f(x: f64) -> f64 { return x } export func g(x: f64) -> f64 { return x }');
  fails(/f cannot be called/, 'export func f(x: f64) -> f64 { return call f(x) }');
  fails(/[gh] calls itself/, 'export func f(x: f64) -> f64 { return call g(x) }', 'f64', 'func g(x: f64) -> f64 { return call h(x) } func h(x: f64) -> f64 { return call g(x) }');
  fails(/f has pointers/, 'export func f(x: f64) -> f64 { array a: f64[2] a[0] = x return a[5] }');
  fails(/f touches memory/, 'export func f(x: f64) -> f64 { return pointer<f64>(8)[0] }');
  fails(/f touches memory/, 'export func f(x: f64) -> f64 { return data<0>[wrap<i64>(x)] }', 'f64', 'data 0: f64[1] = hex "0000000000000000"');
  fails(/f has pointers/, 'export func f(x: f64* readonly) -> f64 { return x[0] }');
  fails(/f has vectors/, 'export func f(x: f64) -> f64 { let v: f64<4> = splat<4>(x) return x }');
  fails(/f asks something of the run/, 'export func f(x: f64) -> f64 { if (cancelled) { return x } return x }');
  fails(/has 300 functions, there may be 256/, Array.from({ length: 300 }, (_, i) => `func f${i}(x: f64) -> f64 { return x }`).join(' '));
  fails(/main is an entry/, 'export func f(x: f64) -> f64 { return x }', 'f64', 'entry func main() -> i32 { return 0:i32 }');
  fails(/f takes 2 numbers, got 1 operands/, 'export func f(x: f64, y: f64) -> f64 { return x }');
  fails(/f takes f32 for operand 1, got f64/, 'export func f(x: f32) -> f32 { return x }', 'f32');
  fails(/f gives f64, but the attribute dtype is i32/, 'export func f(x: f64) -> f64 { return x }', 'i32');
  fails(/log1p: JavaScript has no function|JavaScript has no function of this name for f32/, 'export func f(x: f64) -> f64 { return convert<f64>(exp<js>(convert<f32>(x))) }');
});

test('vectorize takes tensors, typed arrays and numbers, and gives what the function gives for each', () => {
  const clip = vectorize((/** @type {number} */ x, /** @type {number} */ lo, /** @type {number} */ hi) => (x < lo ? lo : x > hi ? hi : x));
  assert.deepEqual(clip(Float64Array.of(1, 2, 3, 4), 2, 3), Float64Array.of(2, 2, 3, 3));
  const z = clip(tensor([[1, 2], [3, 4]]), tensor([2, 1]), 3);
  assert.ok(z instanceof Tensor);
  assert.deepEqual(z.toArray(), [[2, 2], [3, 3]]);
  assert.equal(clip(9, 2, 3), 3);
  assert.deepEqual(clip([5, 1], 2, 3).toArray(), [3, 2]);
  assert.deepEqual(vectorize((/** @type {number} */ a, /** @type {number} */ b) => (a + b) | 0)(Int32Array.of(1, 2), Int32Array.of(3, 2 ** 31 - 1)), Int32Array.of(4, -(2 ** 31) + 1));
  assert.deepEqual(vectorize((/** @type {number} */ x) => x * 2.5)(Float32Array.of(1)), Float64Array.of(2.5));
  assert.deepEqual(vectorize((/** @type {number} */ x) => x * 2.5, 'f32(f32)')(Float32Array.of(1)), Float32Array.of(2.5));
  assert.deepEqual(vectorize((/** @type {number} */ x) => x > 1)(tensor([0, 2])).toArray(), [false, true]);
  const shared = native((/** @type {number} */ x) => x + 1);
  assert.equal(vectorize(shared).native, shared);
  assert.deepEqual(vectorize(shared)(tensor([1])).toArray(), [2]);
  const graph = new Graph('values');
  graph.output('z', clip(graph.input('x', 'f64', ['n']), 0, 1));
  assert.deepEqual(graph.compile().run({ x: Float64Array.of(-1, 2) }).z.toArray(), [0, 1]);
});

test('vectorize on many elements, more than one kernel of them, and after the array has changed', () => {
  const f = vectorize((/** @type {number} */ x, /** @type {number} */ k) => Math.sin(x) * k);
  const x = Float64Array.from({ length: 100003 }, (_, i) => (i - 5e4) / 7);
  assertClose(f(x, 3), x.map((v) => Math.sin(v) * 3), {}, (i) => `element ${i}`);
  x.fill(1);
  assert.deepEqual(f(x, 2)[77], Math.sin(1) * 2);
  const t = tensor(x);
  const chained = f(t, 2).add(1).mul(f(t, 1));
  assert.equal(chained.sum().item() > 0, true);
  assert.equal(chained.at(5), (Math.sin(1) * 2 + 1) * Math.sin(1));
});

test('vectorize refuses what it cannot take', () => {
  const f = vectorize((/** @type {number} */ x) => x);
  throwsGraphError(() => f({}), 'ERR_ARGUMENT', /expected a Tensor, a typed array or a number for argument 1, got an empty object/);
  throwsGraphError(() => vectorize(/** @type {any} */ (3)), 'ERR_ARGUMENT', /^vectorize: expected a function or the text of one/);
  throwsGraphError(() => vectorize((/** @type {any} */ x) => [x])(tensor([1])), 'ERR_UNSUPPORTED', /it cannot be an op of a graph/);
  throwsGraphError(() => vectorize((/** @type {any} */ a, /** @type {any} */ b) => a + b)(tensor([1, 2]), tensor([1, 2, 3])), 'ERR_SHAPE', /axis 0/);
});

const wave = (/** @type {number} */ n) => Float64Array.from({ length: n }, (_, i) => Math.round(Math.sin(i * 7.3) * n));
const mod = (/** @type {number} */ a, /** @type {number} */ b) => Math.abs(a % 7) - Math.abs(b % 7);

test('a sort by a function is that of JavaScript, for tensors and in graphs of any size', () => {
  const compare = native(mod);
  const graph = new Graph('order');
  const x = graph.input('x', 'f64', ['n']);
  graph.output('z', x.sort(compare)).output('at', x.argsort(compare, { dtype: 'i32' }));
  const program = graph.compile();
  for (const n of [0, 1, 2, 3, 5, 8, 9, 64, 65, 333]) {
    const data = wave(n);
    const [wanted, at] = [data.slice().sort(mod), [...data.keys()].sort((i, k) => mod(data[i], data[k]))];
    const got = program.run({ x: data });
    assert.deepEqual(got.z.toArray(), [...wanted], `${n}`);
    assert.deepEqual(got.at.toArray(), at, `${n}`);
    assert.deepEqual(tensor(data).sort(compare).toArray(), [...wanted], `${n}`);
    if (n < 9) assert.deepEqual(graph.eval({ x: data }).z.toArray(), [...wanted]);
  }
});

test('a sort by a function goes along any axis, of any dtype, by functions of Values and of booleans too', () => {
  const down = native((/** @type {number} */ a, /** @type {number} */ b) => b - a);
  const t = tensor([[3, 1, 2], [9, 7, 8]]);
  assert.deepEqual(t.sort(down).toArray(), [[3, 2, 1], [9, 8, 7]]);
  assert.deepEqual(t.sort(down, { axis: 0 }).toArray(), [[9, 7, 8], [3, 1, 2]]);
  assert.deepEqual(t.T.sort(down, { axis: 0 }).toArray(), [[3, 9], [2, 8], [1, 7]]);
  assert.deepEqual(t.argsort(down, { axis: 0 }).toArray(), [[1n, 1n, 1n], [0n, 0n, 0n]]);
  assert.deepEqual(t.sort((/** @type {any} */ a, /** @type {any} */ b) => a.sub(b)).toArray(), [[1, 2, 3], [7, 8, 9]]);
  assert.deepEqual(tensor([1, 3, 2], { dtype: 'u8' }).sort(down).toArray(), [3, 2, 1]);
  assert.deepEqual(tensor([1, 3, 2], { dtype: 'f16' }).sort(down).toArray(), [3, 2, 1]);
  assert.deepEqual(tensor([1n, 3n, 2n]).sort(native((/** @type {bigint} */ a, /** @type {bigint} */ b) => (a < b ? 1 : a > b ? -1 : 0))).toArray(), [3n, 2n, 1n]);
  assert.deepEqual(tensor([true, false, true]).sort(native((/** @type {boolean} */ a, /** @type {boolean} */ b) => a && !b)).toArray(), [false, true, true]);
  const before = tensor([2, 1]);
  before.sort(down);
  assert.deepEqual(before.toArray(), [2, 1]);
  assert.deepEqual(tensor([2, NaN, 1]).sort(native(() => NaN)).toArray(), [2, NaN, 1]);
});

test('a reduction by a function goes from first to last', () => {
  const step = (/** @type {number} */ a, /** @type {number} */ b) => a * 0.9 + Math.sin(b);
  const fn = native(step);
  const data = wave(1000);
  assert.equal(tensor(data).reduce(fn).item(), data.reduce(step));
  assert.equal(tensor(data).reduce(fn, { initial: 3 }).item(), data.reduce(step, 3));
  const graph = new Graph('fold');
  const x = graph.input('x', 'f64', ['n', 'm']);
  graph.output('all', x.reduce(fn)).output('rows', x.reduce(fn, { axis: -1, keepDims: true })).output('columns', x.reduce(fn, { axis: 0, initial: x.slice(0) }));
  const { all, rows, columns } = graph.compile().run({ x: tensor(data).reshape([20, 50]) });
  assert.equal(all.item(), data.reduce(step));
  assert.deepEqual(rows.shape, [20, 1]);
  assert.equal(rows.at(3, 0), data.slice(150, 200).reduce(step));
  assert.equal(columns.at(7), Array.from({ length: 20 }, (_, i) => data[50 * i + 7]).reduce(step, data[7]));
});

test('what a reduction by a function carries has the dtype that the function keeps', () => {
  const add = native((/** @type {number} */ a, /** @type {number} */ b) => a + b);
  const bits = native((/** @type {number} */ a, /** @type {number} */ b) => a ^ b);
  const ints = tensor([1, 2, 7], { dtype: 'i32' });
  assert.equal(ints.reduce(add).dtype, 'f64');
  assert.equal(ints.reduce(bits).dtype, 'i32');
  assert.equal(ints.reduce(bits).item(), 4);
  assert.equal(tensor([1, 2], { dtype: 'f32' }).reduce(add, { initial: 0.5 }).item(), 3.5);
  assert.equal(tensor([5, 9, 2]).reduce((/** @type {any} */ a, /** @type {any} */ b) => a.max(b)).item(), 9);
  assert.equal(tensor([], { dtype: 'f64' }).reduce(add, { initial: 4 }).item(), 4);
  assert.equal(tensor([true, false]).reduce(native((/** @type {boolean} */ a, /** @type {boolean} */ b) => a !== b)).item(), true);
  throwsGraphError(() => tensor([], { dtype: 'f64' }).reduce(add), 'ERR_SHAPE', /there are no elements to begin with: give 'initial'/);
  throwsGraphError(() => tensor([1, 2]).reduce(/** @type {any} */ (3)), 'ERR_ARGUMENT', /^reduce: expected a function/);
  throwsGraphError(() => tensor([1, 2]).reduce(() => 'no'), 'ERR_ARGUMENT', /^reduce: the function must give a Value: use methods such as a.add\(b\), or a native function$/);
  throwsGraphError(() => tensor([1, 2]).sort(add, { descending: true }), 'ERR_ARGUMENT', /sort: unknown option 'descending'/);
});

test('objects for C and their texts hold the function', () => {
  const graph = new Graph('curve');
  graph.output('z', native((/** @type {number} */ x) => (x > 0 ? Math.exp(x) : x ** 3))(graph.input('x', 'f64', ['n'])));
  const text = graph.toObject({ emit: 'llvm' });
  assert.match(text, /gjs_exp_f64|gjs_pow_f64/);
  assert.ok(graph.toObject({ target: 'aarch64' }).length > 500);
  assert.match(graph.toHeader(), /curve/);
});

test('a run whose loops do not end is aborted', async () => {
  const graph = new Graph('endless');
  graph.output('z', native((/** @type {number} */ x) => { while (x !== 0) x = -x; return x; })(graph.input('x', 'f64', ['n']))); // prettier-ignore
  const program = graph.compile();
  assert.deepEqual(program.run({ x: Float64Array.of(0) }).z.toArray(), [0]);
  const controller = new AbortController();
  setTimeout(() => controller.abort(), 20);
  await assert.rejects(program.runAsync({ x: Float64Array.of(1) }, undefined, { signal: controller.signal }), { name: 'AbortError' });
});

test('vectorized functions give the same however often arguments of a kind have come', () => {
  let state = 7;
  const random = (/** @type {number} */ below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  const classes = [Float64Array, Float32Array, Int32Array, Uint8Array, Float64Array];
  for (const fn of [(x, y) => 2 * x + 3 * y, (x, y) => (x > y ? x - y : x * y), (x, y) => Math.sqrt(x * x + y * y), (x, _) => x + 1, (_x, _y) => 5]) {
    const many = vectorize(fn);
    let [one, other] = [Float64Array, Float64Array];
    let [n, number] = [16, false];
    for (let step = 0; step < 400; step++) {
      if (random(12) === 0) [one, other] = [classes[random(5)], classes[random(5)]];
      if (random(12) === 0) n = 1 + random(40);
      if (random(12) === 0) number = !number;
      const give = (/** @type {any} */ Class) => Class.from({ length: n }, () => random(100));
      const [x, y] = [give(one), number ? random(100) : give(other)];
      const [got, wanted] = [many(x, y), vectorize(fn)(x, y)];
      assert.equal(got.constructor, wanted.constructor);
      assert.deepEqual(got, wanted);
    }
  }
});

test('vectorized functions refuse what they refused at first', () => {
  const many = vectorize((x, y) => x + y);
  const [x, y] = [new Float64Array(4).fill(1), new Float64Array(4).fill(2)];
  for (let i = 0; i < 10; i++) assert.deepEqual([...many(x, y)], [3, 3, 3, 3]);
  assert.throws(() => many(x, new Float64Array(3)), { code: 'ERR_SHAPE' });
  assert.deepEqual([...many(x, Object.assign(new Int32Array(4).fill(7), { constructor: Float64Array }))], [8, 8, 8, 8]);
  assert.deepEqual([...many(x, new Float64Array(1).fill(2))], [3, 3, 3, 3]);
  assert.deepEqual([...many(x, y)], [3, 3, 3, 3]);
  structuredClone(y.buffer, { transfer: [y.buffer] });
  assert.throws(() => many(x, y), { code: 'ERR_STATE' });
});
