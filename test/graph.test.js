// Building graphs: values, lifting of constants, composites, text forms. What ops compute is checked
// against the reference evaluator here and against everything else in test/ops.
'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const util = require('node:util');
const graphjit = require('graphjit');
const { native } = require('../lib/base/binding.js');

const { Graph, tensor } = graphjit;

/** The result of an expression of one input, by the reference evaluator. */
function evaluate(data, build, { dtype = 'f64', shape } = {}) {
  const graph = new Graph();
  const input = tensor(data, { dtype });
  const x = graph.input('x', dtype, shape ?? [...input.shape]);
  graph.output('y', build(x, graph));
  return graph.eval({ x: input }).y;
}

test('a value knows its graph, number, dtype, shape and rank', () => {
  const graph = new Graph('g');
  const x = graph.input('x', 'f32', ['n', 4]);
  assert.equal(x.graph, graph);
  assert.equal(x.ref, 1);
  assert.equal(x.dtype, 'f32');
  assert.deepEqual(x.shape, ['n', 4]);
  assert.equal(x.rank, 2);
  assert.equal(String(x), '%1');
  assert.equal(util.inspect(x), 'Value %1 f32[n, 4]');
});

test('an input without a shape is a scalar, a single size makes a vector', () => {
  const graph = new Graph();
  assert.deepEqual(graph.input('a', 'f64').shape, []);
  assert.deepEqual(graph.input('b', 'f64', 'n').shape, ['n']);
  assert.deepEqual(graph.input('c', 'f64', 3).shape, [3]);
});

test('sizes are expressions in canonical form', () => {
  const graph = new Graph();
  assert.deepEqual(graph.input('x', 'f64', ['1 + n', 'm * 2', 'max(n - 2, 0)', '(n+1) / 2']).shape, [
    'n + 1',
    '2*m',
    'max(n - 2, 0)',
    '(n + 1)/2',
  ]);
});

test('every op of the native table is a method and a function, or belongs to graphs', () => {
  const ofGraphs = { param: 'input', const: 'constant', iota: 'iota', custom_call: 'customCall' };
  for (const { name, kind } of native.ops()) {
    if (kind === 'control') continue; // takes functions: see control.test.js
    const method = name === 'top_k' ? 'topk' : name.replace(/_(.)/g, (_, letter) => letter.toUpperCase());
    if (name === 'result') continue; // has no name of its own: argmin and argmax
    if (name === 'rng_bits') continue; // see random.test.js
    if (name === 'lu_solve') continue; // takes the factors of lu: solve and inv
    if (name === 'apply') continue; // a call of a native function: see functions/apply.test.js
    if (Object.hasOwn(ofGraphs, name)) {
      assert.equal(typeof Graph.prototype[ofGraphs[name]], 'function', name);
      continue;
    }
    assert.equal(typeof graphjit.Value.prototype[method], 'function', `method ${method}`);
    assert.equal(typeof graphjit[method], 'function', `function ${method}`);
    assert.equal(graphjit.Value.prototype[method].name, method);
  }
});

test('a function and its method append the same node', () => {
  const graph = new Graph();
  const x = graph.input('x', 'f64', ['n']);
  for (const pair of [
    [x.add(2), graphjit.add(x, 2)],
    [x.sqrt(), graphjit.sqrt(x)],
    [x.reduceSum(), graphjit.reduceSum(x)],
    [x.reshape([-1, 1]), graphjit.reshape(x, [-1, 1])],
  ]) {
    const [a, b] = pair.map((value) => graph.nodes[value.ref - 1]);
    assert.deepEqual([a.op, a.attrs, a.shape], [b.op, b.attrs, b.shape]);
  }
});

test('numbers take the dtype of the value beside them, on either side', () => {
  const graph = new Graph();
  for (const dtype of ['f32', 'i8', 'u64', 'i64']) {
    const x = graph.input(dtype, dtype, ['n']);
    assert.equal(x.add(2).dtype, dtype);
    assert.equal(graphjit.sub(2n, x).dtype, dtype);
    assert.equal(x.max(1).dtype, dtype);
  }
  const truth = graph.input('b', 'bool', ['n']);
  assert.equal(truth.and(true).dtype, 'bool');
  assert.equal(truth.select(1, graph.input('k', 'i16')).dtype, 'i16');
  assert.equal(graphjit.where(truth, 1, 2).dtype, 'f64');
});

test('typed arrays, nested arrays and tensors become constants of their own dtype', () => {
  const graph = new Graph();
  const x = graph.input('x', 'f64', [2, 2]);
  assert.equal(x.add([[1, 2], [3, 4]]).dtype, 'f64');
  assert.equal(graph.input('k', 'i8', [2]).add(new Int32Array([1, 2])).dtype, 'i32');
  assert.deepEqual(x.mul(tensor([[1, 2], [3, 4]]).T).shape, [2, 2]);
});

test('dtypes are promoted as in the array-API standard', () => {
  const graph = new Graph();
  const value = (dtype) => graph.input(dtype, dtype);
  assert.equal(value('i8').add(value('u8')).dtype, 'i16');
  assert.equal(value('f32').mul(value('f64')).dtype, 'f64');
  assert.equal(value('u16').max(value('u32')).dtype, 'u32');
});

test('constants hold scalars, nested arrays, typed arrays and strided tensors', () => {
  const graph = new Graph();
  assert.deepEqual(graph.constant(1.5).shape, []);
  assert.equal(graph.constant(3n).dtype, 'i64');
  assert.equal(graph.constant(true).dtype, 'bool');
  assert.deepEqual(graph.constant([1, 2, 3, 4], { shape: [2, -1], dtype: 'i8' }).shape, [2, 2]);
  assert.deepEqual(graph.constant(7, { shape: ['n', 3], dtype: 'f32' }).shape, ['n', 3]);
  const t = tensor([[1, 2, 3], [4, 5, 6]]).T;
  const text = graph.output('t', graph.constant(t)).toString();
  assert.match(text, /const \[1.0, 4.0, 2.0, 5.0, 3.0, 6.0\] : f64\[3, 2\]/);
});

test('iota counts along an axis, i64 by default', () => {
  const graph = new Graph();
  graph.output('a', graph.iota(3));
  graph.output('b', graph.iota([2, 3], { axis: -1, dtype: 'f32' }));
  const { a, b } = graph.eval({});
  assert.deepEqual(a.toArray(), [0n, 1n, 2n]);
  assert.deepEqual(b.toArray(), [[0, 1, 2], [0, 1, 2]]);
});

test('composites are what they are called', () => {
  const data = [-2, -0.5, 0, 3];
  const expected = {
    square: data.map((x) => x * x),
    reciprocal: data.map((x) => 1 / x),
    relu: data.map((x) => Math.max(x, 0)),
    sigmoid: data.map((x) => 1 / (1 + Math.exp(-x))),
    silu: data.map((x) => x / (1 + Math.exp(-x))),
    softplus: data.map((x) => Math.log(1 + Math.exp(x))),
    gelu: [-0.0455002638963584, -0.1542687693629935, 0, 2.99595030590511], // x times the normal distribution function
  };
  for (const [name, values] of Object.entries(expected)) {
    const found = evaluate(data, (x) => x[name]()).toArray();
    found.forEach((value, i) => assert.ok(Math.abs(value - values[i]) < 1e-12 || value === values[i], name));
  }
  const bent = evaluate([-2, 3], (x) => x.gelu({ approximate: 'tanh' })).toArray();
  [-0.04540231, 2.99636256].forEach((value, i) => assert.ok(Math.abs(bent[i] - value) < 1e-7, `gelu with tanh: ${bent[i]}`));
  assert.deepEqual(evaluate([1e4, -1e4, Infinity, -Infinity], (x) => x.softplus()).toArray(), [1e4, 0, Infinity, 0]);
  assert.deepEqual(evaluate(data, (x) => x.clip(-1, 1)).toArray(), [-1, -0.5, 0, 1]);
  assert.deepEqual(evaluate(data, (x) => x.clip(undefined, 1)).toArray(), [-2, -0.5, 0, 1]);
  assert.deepEqual(evaluate([Infinity, -Infinity, NaN, 1], (x) => x.isInf()).toArray(), [true, true, false, false]);
  assert.deepEqual(evaluate([1, 0, 2], (x) => x.astype('bool').not(), { dtype: 'i32' }).toArray(), [false, true, false]);
});

test('min and max compare with an operand and reduce without one', () => {
  assert.deepEqual(evaluate([1, 5, 3], (x) => x.max(2)).toArray(), [2, 5, 3]);
  assert.equal(evaluate([1, 5, 3], (x) => x.max()).item(), 5);
  assert.deepEqual(evaluate([[1, 5], [7, 3]], (x) => x.min({ axis: 1 })).toArray(), [1, 3]);
  assert.deepEqual(evaluate([[1, 5], [7, 3]], (x) => graphjit.max(x, { axis: 0, keepDims: true })).toArray(), [[7, 5]]);
});

test('sums of short integers are in 64 bits, of floats in the float', () => {
  assert.equal(evaluate([100, 100], (x) => x.sum(), { dtype: 'i8' }).item(), 200n);
  assert.equal(evaluate([200, 100], (x) => x.sum(), { dtype: 'u8' }).dtype, 'u64');
  assert.equal(evaluate([true, false, true], (x) => x.sum(), { dtype: 'bool' }).item(), 2n);
  assert.equal(evaluate([1.5, 2], (x) => x.prod(), { dtype: 'f32' }).dtype, 'f32');
  assert.equal(evaluate([100, 100], (x) => x.sum({ dtype: 'i8' }), { dtype: 'i8' }).item(), -56);
});

test('reductions take one axis, several or none, also negative ones, and keep dims on request', () => {
  const data = [[1, 2, 3], [4, 5, 6]];
  assert.deepEqual(evaluate(data, (x) => x.sum({ axis: -1 })).toArray(), [6, 15]);
  assert.deepEqual(evaluate(data, (x) => x.sum({ axis: [1, 0] })).toArray(), 21);
  assert.deepEqual(evaluate(data, (x) => x.mean({ axis: 0, keepDims: true })).toArray(), [[2.5, 3.5, 4.5]]);
  assert.deepEqual(evaluate(data, (x) => x.all({ axis: 1 })).toArray(), [true, true]);
  assert.deepEqual(evaluate(data, (x) => x.gt(5).any()).toArray(), true);
});

test('mean and variance work over symbolic axes', () => {
  const data = [[1, 2, 3, 4], [2, 4, 6, 8]];
  const shape = ['n', 'm'];
  assert.equal(evaluate(data, (x) => x.mean(), { shape }).item(), 3.75);
  assert.deepEqual(evaluate(data, (x) => x.mean({ axis: 1 }), { shape }).toArray(), [2.5, 5]);
  assert.deepEqual(evaluate(data, (x) => x.var({ axis: 1 }), { shape }).toArray(), [1.25, 5]);
  assert.deepEqual(evaluate(data, (x) => x.var({ axis: 1, correction: 1 }), { shape }).toArray(), [5 / 3, 20 / 3]);
  assert.deepEqual(evaluate([2, 4], (x) => x.std(), { shape: ['n'] }).item(), 1);
  assert.equal(evaluate([1, 2], (x) => x.mean(), { dtype: 'i32' }).item(), 1.5);
  for (const own of [['n'], undefined]) {
    for (const [correction, left] of [[1, Math.SQRT1_2], [2, NaN], [3.5, NaN]]) {
      assert.equal(evaluate([1, 2], (x) => x.std({ correction }), { shape: own }).item(), left);
    }
  }
  const correction = /** @type {any} */ ('1');
  const message = `var: expected a number of at least 0 for option 'correction', got "1"`;
  assert.throws(() => evaluate([1, 2], (x) => x.var({ correction })), { code: 'ERR_ARGUMENT', message });
});

test('argmin and argmax give i64 indices, of the first extreme, NaN before all', () => {
  const data = [[3, 1, 1], [5, NaN, 9]];
  assert.deepEqual(evaluate(data, (x) => x.argmin({ axis: 1 })).toArray(), [1n, 1n]);
  assert.deepEqual(evaluate(data, (x) => x.argmax({ axis: 0, keepDims: true })).toArray(), [[1n, 1n, 1n]]);
  assert.equal(evaluate(data, (x) => x.argmax()).item(), 4n);
  assert.deepEqual(evaluate(data, (x) => x.argmax({ keepDims: true })).toArray(), [[4n]]);
});

test('reshape fills in one size, symbolic or not', () => {
  const graph = new Graph();
  const x = graph.input('x', 'f64', ['n', 4]);
  assert.deepEqual(x.reshape([-1]).shape, ['4*n']);
  assert.deepEqual(x.reshape([2, -1, 2]).shape, [2, 'n', 2]);
  assert.deepEqual(graph.constant([1, 2, 3, 4, 5, 6]).reshape([-1, 2]).shape, [3, 2]);
});

test('movement methods match those of tensors', () => {
  const t = tensor([[1, 2, 3], [4, 5, 6]]);
  const cases = {
    transpose: [[1, 0]],
    expandDims: [-1],
    flip: [1],
    broadcastTo: [[2, 2, 3]],
    slice: [-1, [2, null, -1]],
    reshape: [[3, 2]],
  };
  for (const [name, args] of Object.entries(cases)) {
    assert.deepEqual(evaluate(t, (x) => x[name](...args)).toArray(), t[name](...args).toArray(), name);
  }
  assert.deepEqual(evaluate(t, (x) => x.T).toArray(), t.T.toArray());
  assert.deepEqual(evaluate(t, (x) => x.expandDims(1).squeeze()).toArray(), t.toArray());
});

test('slices of symbolic axes give the elements that slices of tensors give', () => {
  const t = tensor([0, 1, 2, 3, 4, 5, 6]);
  for (const range of [[1, null], [null, -2], [null, null, -1], [null, null, 3], [-3, -1], [5, 1, -2], 2, -1]) {
    const found = evaluate(t, (x) => x.slice(range), { shape: ['n'] });
    assert.deepEqual(found.toArray(), t.slice(range).toArray(), JSON.stringify(range));
  }
});

test('slices of symbolic axes have short shapes', () => {
  const graph = new Graph();
  const x = graph.input('x', 'f64', ['n', 'm']);
  assert.deepEqual(x.slice([1, null], [null, null, -1]).shape, ['n - 1', 'm']);
  assert.deepEqual(x.slice([null, null, 2], [-2, null]).shape, ['(n + 1)/2', 2]);
  assert.deepEqual(x.slice('...', 0).shape, ['n']);
});

test('dynamicSlice, updateSlice, pad, concat and stack move elements', () => {
  const data = [[1, 2, 3], [4, 5, 6]];
  assert.deepEqual(evaluate(data, (x) => x.dynamicSlice([0, 9], [2, 2])).toArray(), [[2, 3], [5, 6]]);
  assert.deepEqual(evaluate(data, (x) => x.updateSlice([[9, 9]], [1, 0])).toArray(), [[1, 2, 3], [9, 9, 6]]);
  assert.deepEqual(evaluate([1, 2], (x) => x.pad([[1, 2]], { value: 9, interior: 1 })).toArray(), [9, 1, 9, 2, 9, 9]);
  assert.deepEqual(evaluate([1, 2, 3], (x) => x.pad(-1)).toArray(), [2]);
  assert.deepEqual(evaluate([1, 2], (x) => x.concat([x, [3]])).toArray(), [1, 2, 1, 2, 3]);
  assert.deepEqual(evaluate([1, 2], (x) => graphjit.stack([x, x.neg()], { axis: -1 })).toArray(), [[1, -1], [2, -2]]);
  assert.deepEqual(evaluate([1, 2], (x) => x.broadcast([2, 3], [0])).toArray(), [[1, 1, 1], [2, 2, 2]]);
  assert.deepEqual(evaluate(data, (x) => x.permute([1, 0]).reverse(0)).toArray(), [[3, 6], [2, 5], [1, 4]]);
});

test('inputs, outputs and nodes are listed in order', () => {
  const graph = new Graph('lists');
  const x = graph.input('x', 'f64', ['n']);
  const y = x.slice([1, null]).mul(2);
  graph.output('y', y).output('x again', x);
  assert.deepEqual(
    graph.inputs.map(({ name, dtype, shape }) => ({ name, dtype, shape })),
    [{ name: 'x', dtype: 'f64', shape: ['n'] }],
  );
  assert.deepEqual(graph.outputs.map(({ name, value }) => [name, value.ref]), [['y', y.ref], ['x again', x.ref]]);
  assert.deepEqual(graph.nodes.map(({ op }) => op), ['param', 'slice', 'const', 'mul']);
  assert.deepEqual(graph.nodes[1].attrs, { shape: ['n - 1'], start: [1], stride: [1] });
  assert.deepEqual(graph.nodes[2].data, [2]);
});

test('text parses back to the same text, values and result', () => {
  const graph = new Graph('round "trip"');
  const x = graph.input('x\\y', 'f32', ['n', 3]);
  graph.output('z', x.sub(x.mean({ axis: 1, keepDims: true })).mul([0.1, -0, Infinity]).slice([null, null, -1]));
  const again = Graph.parse(graph.toString());
  assert.equal(again.toString(), graph.toString());
  assert.equal(again.name, 'round "trip"');
  const input = tensor([[1, 2, 4]], { dtype: 'f32' });
  assert.deepEqual(again.eval({ 'x\\y': input }).z.toArray(), graph.eval({ 'x\\y': input }).z.toArray());
  assert.deepEqual(again.outputs[0].value.add(1).shape, ['n', 3]);
});

test('the table and the drawing show every node', () => {
  const graph = new Graph('shown');
  const x = graph.input('x', 'f64', ['n']);
  graph.output('y', x.mul(2).sum());
  assert.equal(
    graph.toTable(),
    [
      'value  op          operands  type    details',
      '-----  ----------  --------  ------  --------',
      '%1     param                 f64[n]  "x"',
      '%2     const                 f64[]   2',
      '%3     mul         %1, %2    f64[n]',
      '%4     reduce_sum  %3        f64[]   axes=[0]',
      '       output      %4        f64[]   "y"',
    ].join('\n'),
  );
  const dot = graph.toDot();
  assert.match(dot, /^digraph "shown" \{/);
  assert.match(dot, /n1 -> n3 \[label="1"\];/);
  assert.match(dot, /n4 -> o0;/);
});

test('a disposed graph says so, its programs go on', () => {
  const graph = new Graph();
  const x = graph.input('x', 'f64', ['n']);
  graph.output('y', x.add(1));
  const program = graph.compile();
  const fresh = new Graph().input('x', 'f64');
  fresh.graph.dispose();
  graph.dispose();
  graph.dispose();
  for (const action of [() => graph.name, () => String(graph), () => x.add(1), () => graph.compile()]) {
    assert.throws(action, { name: 'GraphError', code: 'ERR_STATE', message: 'graph is disposed' });
  }
  assert.equal(util.inspect(graph), '[Graph (disposed)]');
  assert.equal(util.inspect(fresh), 'Value %1 (its graph is disposed)');
  assert.deepEqual(program.run({ x: Float64Array.of(1) }).y.toArray(), [2]);
});

test('require and import give the same names', async () => {
  const imported = await import('graphjit');
  assert.deepEqual(Object.keys(imported).sort(), Object.keys(graphjit).sort());
  for (const name of Object.keys(graphjit)) assert.equal(imported[name], graphjit[name], name);
});
