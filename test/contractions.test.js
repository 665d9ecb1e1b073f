// Contractions by name on symbolic sizes, other dtypes, in wasm, and what they refuse; their values are compared
// with NumPy and PyTorch in test/oracle.
'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { Graph, einsum, tensor } = require('graphjit');
const { throwsGraphError } = require('./support/errors.js');
const { assertAgreement, mainWays, reference } = require('./support/oracles.js');

/** @type {(shape: number[], dtype?: any, seed?: number) => any} small whole numbers */
const whole = (shape, dtype = 'f32', seed = 1) =>
  tensor(Array.from({ length: shape.reduce((a, b) => a * b, 1) }, (_, i) => ((i * 7 + seed * 5) % 9) - 4), { dtype }).reshape(shape);

/** @type {(inputs: Record<string, any>, shapes: Record<string, any>, build: (v: any) => any) => any} */
function run(inputs, shapes, build) {
  const graph = new Graph('contractions');
  const values = Object.fromEntries(Object.entries(inputs).map(([name, { dtype, shape }]) => [name, graph.input(name, dtype, shapes[name] ?? [...shape])]));
  graph.output('z', build(values));
  return graph.compile({ tier: 'auto' }).run(inputs).z;
}

test('contractions take sizes that are known when a run begins', () => {
  const [x, y, s] = [whole([3, 4]), whole([4, 5], 'f32', 2), whole([3, 3], 'i32', 3)];
  const shapes = { x: ['m', 'k'], y: ['k', 'n'], s: ['n', 'n'] };
  for (const [text, operands] of /** @type {[string, any[]][]} */ ([['ij,jk->ki', [x, y]], ['ij,jk->', [x, y]], ['ij,ij->i', [x, x]], ['ij,kj,kl->il', [x, x, x]]])) {
    const names = operands.map((each) => (each === x ? 'x' : 'y'));
    const made = run({ x, y }, shapes, (v) => einsum(text, ...names.map((name) => v[name])));
    assert.deepEqual(made.toArray(), run({ x, y }, {}, (v) => einsum(text, ...names.map((name) => v[name]))).toArray(), text);
  }
  assert.deepEqual(run({ s }, shapes, (v) => v.s.einsum('ii->i')).toArray(), [0, 1, 2].map((i) => s.toArray()[i][i]));
  assert.deepEqual(run({ s }, shapes, (v) => v.s.diagonal({ offset: 1 })).toArray(), [s.toArray()[0][1], s.toArray()[1][2]]);
  assert.deepEqual(run({ s }, shapes, (v) => v.s.diagonal({ offset: -5 })).toArray(), []);
  assert.deepEqual(run({ x }, shapes, (v) => v.x.diagonal({ offset: -1 })).toArray(), [x.toArray()[1][0], x.toArray()[2][1]]);
  const turned = { axes: [1, 0], offset: 2 };
  assert.deepEqual(run({ x }, shapes, (v) => v.x.diagonal(turned)).toArray(), run({ x }, {}, (v) => v.x.diagonal(turned)).toArray());
  assert.deepEqual(run({ s }, shapes, (v) => v.s.matrixPower(3)).toArray(), run({ s }, {}, (v) => v.s.matmul(v.s).matmul(v.s)).toArray());
  assert.deepEqual(run({ s }, shapes, (v) => v.s.matrixPower(0)).toArray(), [[1, 0, 0], [0, 1, 0], [0, 0, 1]]);
  assert.deepEqual(run({ x }, shapes, (v) => v.x.kron(v.x)).shape, [9, 16]);
  const empty = whole([0, 0]);
  for (const each of [() => run({ s: empty }, shapes, (v) => v.s.trace()), () => run({ s: empty }, {}, (v) => v.s.trace())]) assert.equal(each().toArray(), 0);
});

test('attention of sizes that are known when a run begins, in groups too', () => {
  const [q, k, v, mask] = [whole([4, 5, 8]), whole([2, 6, 8], 'f32', 2), whole([2, 6, 3], 'f32', 3), whole([5, 6], 'f32', 4)];
  for (const options of [{}, { causal: true }, { causal: 1, groups: 2 }]) {
    const known = run({ q, k, v }, {}, (x) => x.q.attention(x.k, x.v, options)).toArray();
    const later = run({ q, k, v }, { q: [4, 'l', 'e'], k: [2, 's', 'e'], v: [2, 's', 'f'] }, (x) => x.q.attention(x.k, x.v, options));
    assert.deepEqual(later.toArray().flat(2).map((n) => n.toFixed(4)), known.flat(2).map((n) => n.toFixed(4)));
  }
  const heads = run({ q, k, v, mask }, { q: ['2 * h', 5, 8], k: ['h', 6, 8], v: ['h', 6, 3] }, (x) => x.q.attention(x.k, x.v, { groups: 2, mask: x.mask }));
  assert.deepEqual(heads.toArray(), run({ q, k, v, mask }, {}, (x) => x.q.attention(x.k, x.v, { mask: x.mask })).toArray());
});

test('attention behind a past, and of caches, has symbolic sizes and is the same in wasm', async () => {
  const graph = new Graph('cache');
  /** @type {any} */
  const [q, k, v, p, r] = [['q', ['b', 4, 'l', 'e']], ['k', ['b', 2, 's', 'e']], ['v', ['b', 2, 's', 'f']], ['p', ['b', 2, 'm', 'e']], ['r', ['b', 2, 'm', 'f']]].map(([name, shape]) => graph.input(/** @type {any} */ (name), 'f32', /** @type {any} */ (shape)));
  const n = graph.input('n', 'i32', ['b']);
  const { output, presentKey, scores } = q.attentionOutputs(k, v, { pastKey: p, pastValue: r, causal: true, softcap: 3, window: [3, null], scores: 'weights' });
  graph.output('output', output).output('presentKey', presentKey).output('scores', scores).output('cached', q.attention(k, v, { keyLengths: n, causal: true }));
  const ways = await mainWays(graph);
  for (const [b, l, s, m] of [[2, 3, 5, 4], [1, 1, 2, 0], [1, 2, 3, 1]]) {
    const given = { q: whole([b, 4, l, 3]), k: whole([b, 2, s, 3], 'f32', 2), v: whole([b, 2, s, 2], 'f32', 3), p: whole([b, 2, m, 3], 'f32', 4), r: whole([b, 2, m, 2], 'f32', 5) };
    const inputs = /** @type {any} */ ({ ...Object.fromEntries(Object.entries(given).map(([name, own]) => [name, { dtype: own.dtype, shape: [...own.shape], data: own.data }])), n: { dtype: 'i32', shape: [b], data: Int32Array.from({ length: b }, (_, i) => s - i) } });
    const want = reference(graph, inputs);
    assert.deepEqual([want.output.shape, want.presentKey.shape, want.scores.shape], [[b, 4, l, 2], [b, 2, m + s, 3], [b, 4, l, m + s]]);
    assertAgreement(ways, inputs, want, { title: `${b} ${l} ${s} ${m}`, tolerance: () => ({ ulp: 256, absolute: 1e-5 }) });
  }
});

test('what a query does not see has no part in what it takes', () => {
  const [q, k, v] = [whole([3, 2], 'f64'), whole([3, 2], 'f64', 2), tensor([[1, 2], [3, 4], [NaN, Infinity]])];
  const seen = tensor([[true, false, false], [false, false, false], [true, true, false]], { dtype: 'bool' });
  const made = run({ q, k, v: tensor([[1, 2], [3, 4], [5, 6]]) }, {}, (x) => x.q.attention(x.k, x.v, { mask: seen })).toArray();
  assert.deepEqual(made.slice(0, 2), [[1, 2], [0, 0]]);
  assert.ok(made[2].every((/** @type {number} */ n) => n >= 1 && n <= 4));
  assert.deepEqual(run({ q, k, v }, {}, (x) => x.q.attention(x.k, x.v, { mask: -Infinity })).toArray()[0], [NaN, NaN]);
});

test('integers wrap unless another dtype is asked for', () => {
  const x = tensor([[100, 100]], { dtype: 'i8' });
  assert.deepEqual(x.matmul(x.T).toArray(), [[32]]);
  const wide = x.matmul(x.T, { dtype: 'i32' });
  assert.deepEqual([wide.dtype, wide.toArray()], ['i32', [[20000]]]);
  assert.deepEqual(einsum('ij,kj->ik', x, x, { dtype: 'f32' }).toArray(), [[20000]]);
  assert.deepEqual(x.linear(x, { dtype: 'i16' }).toArray(), [[20000]]);
  assert.equal(x.matmul(tensor([[2], [1]], { dtype: 'i16' })).dtype, 'i16');
});

test('composites of contractions are the same in wasm', async () => {
  const graph = new Graph('wasm');
  const [x, y] = [graph.input('x', 'f32', ['b', 6, 'k']), graph.input('y', 'f32', ['b', 'k', 20])];
  graph.output('a', x.matmul(y)).output('b', x.einsum('bij,bjk,bil->kl', y, x)).output('c', x.tril().mT).output('d', y.mT.matrixNorm({ ord: 1 }));
  const ways = await mainWays(graph);
  const inputs = Object.fromEntries(
    graph.inputs.map(({ name, dtype, shape }, i) => {
      const own = shape.map((size) => (typeof size === 'string' ? { b: 2, k: 9 }[size] ?? 0 : size));
      return [name, { dtype, shape: own, data: whole(own, dtype, i).contiguous().data }];
    }),
  );
  assertAgreement(ways, inputs, reference(graph, inputs), { title: 'composites' });
  for (const way of ways) way.dispose();
});

test('contractions say what is wrong with their arguments', () => {
  const graph = new Graph('wrong');
  const [x, y] = [graph.input('x', 'f64', ['n', 5]), graph.input('y', 'f64', [4, 3])];
  const [i, s] = [graph.input('i', 'i32', [5]), graph.input('s', 'f64', [])];
  const z = graph.input('z', 'f64', ['b', 5, 5]);
  /** @type {[() => unknown, string, RegExp][]} */
  const wrong = [
    [() => x.matmul(y), 'ERR_SHAPE', /^matmul: axis 1 of \[n, 5\] has size 5, but axis 0 of \[4, 3\] has size 4$/],
    [() => x.matmul(s), 'ERR_SHAPE', /^matmul: expected at least one axis for operand 2, got Value %4 f64\[\]$/],
    [() => x.matmul(i), 'ERR_DTYPE', /^matmul: f64 and i32 .* have no common dtype; convert one$/],
    [() => z.matmul(graph.input('w', 'f64', ['c', 5, 5])), 'ERR_SHAPE', /^matmul: batch axes \[b\] and \[c\] do not broadcast; use the same symbol if they are equal$/],
    [() => x.matmul(y, /** @type {any} */ ({ type: 'f32' })), 'ERR_ARGUMENT', /^matmul: unknown option 'type' .*known options are 'dtype'$/],
    [() => x.vecdot(y), 'ERR_SHAPE', /^vecdot: expected the same size along axis -1 of \[n, 5\] and \[4, 3\]$/],
    [() => x.tensordot(y, { axes: 3 }), 'ERR_ARGUMENT', /^tensordot: expected a number of axes from 0 to 2, or axes of both operands for option 'axes', got 3$/],
    [() => x.tensordot(y, { axes: [[0], [0, 1]] }), 'ERR_SHAPE', /^tensordot: expected as many axes of one operand as of the other/],
    [() => x.cross(x), 'ERR_SHAPE', /^cross: expected size 3 along axis -1 for operand 1, got /],
    [() => x.linear(y), 'ERR_SHAPE', /^linear: axis 1 of \[n, 5\] has size 5, but axis 1 of \[4, 3\] has size 3$/],
    [() => x.linear(z.slice(0), [1, 2]), 'ERR_SHAPE', /^linear: expected a bias of shape \[5\], got shape \[2\]$/],
    [() => x.bilinear(y, z), 'ERR_SHAPE', /^bilinear: operands of shapes \[n, 5\] and \[4, 3\] need a weight \[out, in of x, in of y\], got \[b, 5, 5\]$/],
    [() => x.einsum('ij,jk', y), 'ERR_SHAPE', /^einsum: the axes 'j' of 'ij,jk' have sizes 5 and 4$/],
    [() => x.einsum('ij,jk'), 'ERR_ARGUMENT', /^einsum: subscripts 'ij,jk' are of 2 operands, got 1$/],
    [() => x.einsum('ijk'), 'ERR_SHAPE', /^einsum: operand 1 has rank 2, but 'ijk' in 'ijk' names 3 axes$/],
    [() => x.einsum('i'), 'ERR_SHAPE', /^einsum: operand 1 has rank 2, but 'i' in 'i' names 1 axes$/],
    [() => x.einsum('i1'), 'ERR_ARGUMENT', /^einsum: '1' in subscripts 'i1' is no letter, comma, '->' or '\.\.\.'$/],
    [() => x.einsum('ij->ik'), 'ERR_ARGUMENT', /^einsum: the result has 'k' in 'ij->ik', but no operand has$/],
    [() => x.einsum('ij->ii'), 'ERR_ARGUMENT', /^einsum: 'i' stands twice in the result of 'ij->ii'$/],
    [() => x.einsum('...j->j'), 'ERR_ARGUMENT', /^einsum: operands of '\.\.\.j->j' have '\.\.\.', but the result has not$/],
    [() => x.einsum('...i...'), 'ERR_ARGUMENT', /^einsum: '\.\.\.' stands twice in '\.\.\.i\.\.\.'/],
    [() => x.einsum('ij->i->j'), 'ERR_ARGUMENT', /^einsum: '->' stands twice in subscripts/],
    [() => y.einsum('ii'), 'ERR_SHAPE', /^einsum: the axes 'i' of one operand have sizes 4 and 3$/],
    [() => x.einsum(/** @type {any} */ (7)), 'ERR_ARGUMENT', /^einsum: expected subscripts such as 'ij,jk->ik' for argument 1, got 7$/],
    [() => i.mT, 'ERR_SHAPE', /^matrixTranspose: expected at least two axes for the operand/],
    [() => y.diagonal({ axes: [1] }), 'ERR_ARGUMENT', /^diagonal: expected two axes for option 'axes', got \[1\]$/],
    [() => y.matrixPower(2), 'ERR_SHAPE', /^matrixPower: expected square matrices/],
    [() => z.matrixPower(-1), 'ERR_ARGUMENT', /^matrixPower: expected an integer of at least 0 for the power, got -1$/],
    [() => z.matrixNorm({ ord: 3 }), 'ERR_ARGUMENT', /^matrixNorm: expected 'fro', 'nuc', 1, -1, 2, -2, Infinity or -Infinity for option 'ord', got 3$/],
    [() => z.vectorNorm({ ord: NaN }), 'ERR_ARGUMENT', /^vectorNorm: expected a number for option 'ord', got NaN$/],
    [() => y.vander(), 'ERR_SHAPE', /^vander: expected a vector for the operand/],
    [() => x.attention(z, z), 'ERR_SHAPE', /^attention: q, k and v have shapes \[n, 5\], \[b, 5, 5\], \[b, 5, 5\], which differ in rank$/],
    [() => z.attention(z, z, { groups: 3 }), 'ERR_SHAPE', /^attention: b heads of q are not a multiple of the b of k and v times 3 \(option 'groups'\)$/],
    [() => z.attention(z, z, { mask: y }), 'ERR_SHAPE', /^attention: a mask of shape \[4, 3\] does not broadcast to \[b, 5, 5\]$/],
    [() => z.attention(z, z, { pastKey: z }), 'ERR_ARGUMENT', /^attention: options 'pastKey' and 'pastValue' go together$/],
    [() => z.attention(z, z, { pastKey: z, pastValue: z, keyLengths: i }), 'ERR_ARGUMENT', /^attention: option 'keyLengths' is of caches/],
    [() => z.attention(z, z, { pastKey: y, pastValue: y }), 'ERR_SHAPE', /^attention: option 'pastKey' of shape \[4, 3\] does not go in front of \[b, 5, 5\]$/],
    [() => z.attention(z, z, { keyLengths: [1, 2] }), 'ERR_SHAPE', /^attention: option 'keyLengths' has shape \[2\], not \[\] of the batch$/],
    [() => z.attention(z, z, { mask: i }), 'ERR_DTYPE', /^attention: expected bools or floats for option 'mask'/],
    [() => z.attention(z, z, { causal: /** @type {any} */ ('yes') }), 'ERR_ARGUMENT', /^attention: expected true, false or a number of places for option 'causal', got "yes"$/],
  ];
  for (const [act, code, message] of wrong) throwsGraphError(act, code, message);
});
