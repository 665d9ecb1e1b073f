// Factors of matrices and what is solved with them: residuals over sizes around the blocks of the algorithms, batches,
// hard matrices, NaN and infinities, the same bits everywhere in 'strict', and functions made of factors.
'use strict';

const assert = require('node:assert/strict');
const { describe, test } = require('node:test');
const { Graph, diagonal, eye, tensor, zeros } = require('graphjit');
const { allWays, assertAgreement, reference, runGuarded } = require('../support/oracles.js');
const { arrayOf, randomOf } = require('../support/values.js');
const { library } = require('./library-table.js');

/** @typedef {any} Tensor */

const EPSILON = { f64: 2 ** -52, f32: 2 ** -23 };

/** Random numbers in [-1, 1). @type {(shape: number[], seed?: number, dtype?: 'f64' | 'f32') => Tensor} */
function random(shape, seed = 1, dtype = 'f64') {
  const next = randomOf(seed);
  const count = shape.reduce((a, b) => a * b, 1);
  return tensor(arrayOf(dtype, Array.from({ length: count }, () => 2 * next() - 1)), { dtype, shape });
}

/** @type {(x: Tensor) => number} the greatest element, NaN if there is one */
const largest = (x) => (x.size === 0 ? 0 : x.abs().max().item());

/** That |x - y| is a small multiple of what rounding may do. @type {(x: Tensor, y: Tensor, size: number, scale: number, title: string) => void} */
function assertNear(x, y, size, scale, title) {
  const bound = 20 * EPSILON[/** @type {'f64'} */ (x.dtype)] * ((size + 2) * scale + (x.dtype === 'f64' ? 2 ** -1021 : 2 ** -125));
  const error = largest(x.sub(y));
  assert.ok(error <= bound, `${title}: ${error} is above ${bound}`);
}

const times = (/** @type {Tensor} */ a, /** @type {Tensor} */ b) => a.matmul(b);
const identity = (/** @type {Tensor} */ q) => eye(q.shape.at(-1), { dtype: q.dtype });
const isOrthonormal = (/** @type {Tensor} */ q, /** @type {string} */ title) => assertNear(times(q.mT, q), identity(q).broadcastTo(times(q.mT, q).shape), q.shape.at(-2), 1, title);
const spread = (/** @type {Tensor} */ s) => s.expandDims(-2);

describe('examples', () => {
  for (const name of ['cholesky', 'triangular_solve', 'lu', 'lu_solve', 'qr', 'eigh', 'svd'])
    test(name, async () => {
      const graph = new Graph('examples');
      const { examples } = library[name];
      examples.forEach(([build], /** @type {number} */ i) => graph.output(`r${i}`, build(graph)));
      const want = reference(graph, {});
      examples.forEach(([, nested], /** @type {number} */ i) => {
        const { dtype, data } = want[`r${i}`];
        const expected = arrayOf(dtype, [nested].flat(9));
        assert.equal(data.length, expected.length, `${name} ${i}`);
        data.forEach((/** @type {any} */ x, /** @type {number} */ k) => assert.ok(x === expected[k] || Object.is(x, expected[k]) || Math.abs(Number(x) - Number(expected[k])) < 1e-12, `${name} ${i}: [${data}], expected [${expected}]`));
      });
      assertAgreement(await allWays(graph), {}, want, { title: name, tolerance: () => ({ absolute: 1e-12 }) });
    });
});

/** Around register tiles, vectors and blocks. */
const SIZES = [0, 1, 2, 3, 4, 5, 7, 8, 9, 12, 16, 17, 31, 32, 33, 47, 48, 49, 63, 64, 65, 97, 130];
/** @type {[number, number][]} */
const SHAPES = [...SIZES.map((n) => /** @type {[number, number]} */ ([n, n])), [5, 3], [3, 5], [40, 7], [7, 40], [130, 33], [33, 130], [1, 9], [9, 1], [0, 3], [3, 0], [100, 64], [64, 100]];

/** A product of matrices in JavaScript, whose transposes are told by their strides. @type {(a: any, b: any) => any} */
function product(a, b) {
  const data = new Float64Array(a.rows * b.columns);
  for (let i = 0; i < a.rows; i++)
    for (let p = 0; p < a.columns; p++) {
      const factor = a.at(i, p);
      for (let j = 0; j < b.columns; j++) data[i * b.columns + j] += factor * b.at(p, j);
    }
  return plain(data, a.rows, b.columns);
}

/** @type {(data: any, rows: number, columns: number) => any} */
const plain = (data, rows, columns) => ({ rows, columns, at: (/** @type {number} */ i, /** @type {number} */ j) => data[i * columns + j] });
/** @type {(x: Tensor) => any} */
const matrix = (x) => plain(x.data, x.shape[0], x.shape[1]);
/** @type {(a: any) => any} */
const turned = (a) => ({ rows: a.columns, columns: a.rows, at: (/** @type {number} */ i, /** @type {number} */ j) => a.at(j, i) });
/** @type {(a: any, s: any) => any} columns times numbers */
const scaled = (a, s) => ({ ...a, at: (/** @type {number} */ i, /** @type {number} */ j) => a.at(i, j) * s[j] });
const one = (/** @type {number} */ size) => ({ rows: size, columns: size, at: (/** @type {number} */ i, /** @type {number} */ j) => Number(i === j) });

/** @type {(a: any) => number} */
function greatest(a) {
  let most = 0;
  for (let i = 0; i < a.rows; i++) for (let j = 0; j < a.columns; j++) most = Math.max(most, Math.abs(a.at(i, j)));
  return most;
}

/** That two matrices differ by rounding. @type {(a: any, b: any, size: number, scale: number, dtype: string, title: string) => void} */
function assertSame(a, b, size, scale, dtype, title) {
  assert.deepEqual([a.rows, a.columns], [b.rows, b.columns], title);
  const error = greatest({ ...a, at: (/** @type {number} */ i, /** @type {number} */ j) => a.at(i, j) - b.at(i, j) });
  const bound = 20 * EPSILON[/** @type {'f64'} */ (dtype)] * (size + 2) * (scale + 1);
  assert.ok(error <= bound, `${title}: ${error} is above ${bound}`);
}

/** @type {(q: any, dtype: string, title: string) => void} */
const assertOrthonormal = (q, dtype, title) => assertSame(product(turned(q), q), one(q.columns), q.rows, 1, dtype, title);

/** One program for all sizes. @type {(dtype: 'f64' | 'f32', shapes: Record<string, any[]>, build: (inputs: Record<string, any>) => Record<string, any>) => any} */
function programOf(dtype, shapes, build) {
  const graph = new Graph('factors');
  const inputs = Object.fromEntries(Object.entries(shapes).map(([name, shape]) => [name, graph.input(name, dtype, shape)]));
  for (const [name, value] of Object.entries(build(inputs))) graph.output(name, value);
  return graph.compile();
}

for (const dtype of /** @type {const} */ (['f64', 'f32'])) {
  describe(`residuals in ${dtype}`, () => {
    test('cholesky and triangular solutions', () => {
      const program = programOf(dtype, { x: ['n', 'n'], b: ['n', 'k'] }, ({ x, b }) => {
        const l = x.cholesky();
        const lower = { l, forward: l.triangularSolve(b), back: l.triangularSolve(b, { transposed: true }) };
        return { ...lower, up: l.mT.triangularSolve(b, { upper: true }), down: l.mT.triangularSolve(b, { upper: true, transposed: true }) };
      });
      for (const n of SIZES)
        for (const k of [0, 1, 3, 8, 33]) {
          const x = matrix(random([n, n], n + 1, dtype));
          const own = product(x, turned(x));
          const a = tensor(arrayOf(dtype, Array.from({ length: n * n }, (_, i) => own.at(Math.floor(i / n), i % n) + (i % (n + 1) === 0 ? 0.1 : 0))), { shape: [n, n] });
          const b = random([n, k], k + 2, dtype);
          const got = program.run({ x: a, b });
          const l = matrix(got.l);
          assertSame(product(l, turned(l)), matrix(a), n, greatest(matrix(a)), dtype, `cholesky of ${n}`);
          for (let i = 0; i < n; i++) for (let j = i + 1; j < n; j++) assert.equal(l.at(i, j), 0);
          for (const [name, of] of Object.entries({ forward: l, back: turned(l), up: turned(l), down: l })) {
            const y = matrix(got[name]);
            assertSame(product(of, y), matrix(b), n, greatest(l) * greatest(y), dtype, `${name}, ${n} with ${k}`);
          }
        }
    });

    test('lu and solve', () => {
      const any = programOf(dtype, { x: ['m', 'n'] }, ({ x }) => x.lu());
      const square = programOf(dtype, { x: ['n', 'n'], b: ['n', 'k'] }, ({ x, b }) => ({ solved: x.solve(b), inverse: x.inv() }));
      for (const [m, n] of SHAPES) {
        const x = random([m, n], m + 2 * n, dtype);
        const got = any.run({ x });
        const [l, u, rows] = [matrix(got.l), matrix(got.u), got.rows.data];
        const a = matrix(x);
        const moved = { ...a, at: (/** @type {number} */ i, /** @type {number} */ j) => a.at(rows[i], j) };
        assertSame(product(l, u), moved, Math.max(m, n), greatest(u), dtype, `lu of ${m} by ${n}`);
        assert.ok(greatest(l) <= 1, 'partial pivoting');
        assert.deepEqual([...rows].sort((p, q) => p - q), Array.from({ length: m }, (_, i) => i));
        for (const k of m === n ? [1, 5, 32] : []) {
          const b = random([n, k], k, dtype);
          const { solved, inverse } = square.run({ x, b });
          assertSame(product(a, matrix(solved)), matrix(b), n, 4 * greatest(matrix(solved)), dtype, `solve of ${n} with ${k}`);
          assertSame(product(a, matrix(inverse)), one(n), n, 4 * greatest(matrix(inverse)), dtype, `inverse of ${n}`);
        }
      }
    });

    test('qr, reduced and complete', () => {
      const program = programOf(dtype, { x: ['m', 'n'] }, ({ x }) => {
        const [some, all] = [x.qr(), x.qr({ mode: 'complete' })];
        return { q: some.q, r: some.r, 'all q': all.q, 'all r': all.r };
      });
      for (const [m, n] of SHAPES) {
        const x = random([m, n], 3 * m + n, dtype);
        const got = program.run({ x });
        for (const kind of ['', 'all ']) {
          const [q, r] = [matrix(got[`${kind}q`]), matrix(got[`${kind}r`])];
          assertSame(product(q, r), matrix(x), Math.max(m, n), 1, dtype, `${kind}qr of ${m} by ${n}`);
          assertOrthonormal(q, dtype, `${kind}q of ${m} by ${n}`);
          for (let i = 0; i < r.rows; i++) for (let j = 0; j < Math.min(i, n); j++) assert.equal(r.at(i, j), 0);
        }
      }
    });

    test('eigh', () => {
      const program = programOf(dtype, { x: ['n', 'n'] }, ({ x }) => ({ ...x.eigh(), alone: x.eigvalsh() }));
      for (const n of SIZES) {
        const own = random([n, n], n + 7, dtype);
        const x = tensor(own.data.map((/** @type {number} */ value, /** @type {number} */ i) => value + own.data[(i % n) * n + Math.floor(i / n)]), { shape: [n, n] });
        const got = program.run({ x });
        const [w, v] = [got.eigenvalues.data, matrix(got.eigenvectors)];
        const scale = greatest(matrix(x)) * n;
        assertSame(product(scaled(v, w), turned(v)), matrix(x), n, scale, dtype, `eigh of ${n}`);
        assertOrthonormal(v, dtype, `eigenvectors of ${n}`);
        assert.deepEqual([...w], [...w].sort((p, q) => p - q));
        assertSame(plain(got.alone.data, 1, n), plain(w, 1, n), n, scale, dtype, 'eigenvalues alone');
      }
    });

    test('svd', () => {
      const program = programOf(dtype, { x: ['m', 'n'] }, ({ x }) => {
        const [some, all] = [x.svd({ fullMatrices: false }), x.svd()];
        return { ...some, 'all u': all.u, 'all vh': all.vh, alone: x.svdvals() };
      });
      for (const [m, n] of SHAPES) {
        const x = random([m, n], 5 * m + n, dtype);
        const got = program.run({ x });
        const [u, s, vh] = [matrix(got.u), got.s.data, matrix(got.vh)];
        const [size, title] = [Math.max(m, n), `svd of ${m} by ${n}`];
        assertSame(product(scaled(u, s), vh), matrix(x), size, s[0] ?? 0, dtype, title);
        for (const q of [u, turned(vh), matrix(got['all u']), turned(matrix(got['all vh']))]) assertOrthonormal(q, dtype, title);
        assert.deepEqual([got['all u'].shape, got['all vh'].shape], [[m, m], [n, n]]);
        assert.deepEqual([...s], [...s].sort((p, q) => q - p));
        assert.ok(s.every((/** @type {number} */ value) => value >= 0));
        assertSame(plain(got.alone.data, 1, s.length), plain(s, 1, s.length), size, s[0] ?? 0, dtype, 'singular values alone');
      }
    });
  });
}

/** Matrices that are hard to take apart. @type {Record<string, Tensor>} */
const hard = {
  zero: zeros([20, 20]),
  identity: eye(20),
  'rank 3': times(random([20, 3]), random([3, 20], 2)),
  graded: random([20, 20]).mul(tensor(Array.from({ length: 20 }, (_, i) => 10 ** (-i * 3)))),
  huge: random([20, 20]).mul(1e300),
  tiny: random([20, 20]).mul(1e-300),
  subnormal: random([20, 20]).mul(2 ** -1060),
  'equal rows': tensor(Array.from({ length: 20 }, () => Array.from({ length: 20 }, (_, i) => i))),
  'one element': zeros([20, 20]).add(eye(20).mul(tensor(Array.from({ length: 20 }, (_, i) => Number(i === 11))))),
  Wilkinson: eye(21).mul(tensor(Array.from({ length: 21 }, (_, i) => Math.abs(i - 10)))).add(eye(21, { k: 1 })).add(eye(21, { k: -1 })),
};

describe('hard matrices', () => {
  for (const [name, a] of Object.entries(hard))
    test(name, () => {
      const scale = largest(a);
      const near = (/** @type {Tensor} */ got, /** @type {Tensor} */ want) => assertNear(got, want, 21, scale, name);
      const { q, r } = a.qr();
      near(times(q, r), a);
      isOrthonormal(q, name);
      const { u, s, vh } = a.svd();
      near(times(u.mul(spread(s)), vh), a);
      isOrthonormal(u, name);
      isOrthonormal(vh.mT, name);
      const symmetric = a.mul(0.5).add(a.mT.mul(0.5));
      const { eigenvalues: w, eigenvectors: v } = symmetric.eigh();
      near(times(v.mul(spread(w)), v.mT), symmetric);
      isOrthonormal(v, name);
      const lu = a.lu();
      near(times(lu.l, lu.u), a.take(lu.rows, { axis: 0 }));
    });

  test('NaN and infinities end in NaN, not in a hang', () => {
    for (const bad of [NaN, Infinity, -Infinity])
      for (const n of [2, 20, 70]) {
        const a = random([n, n]);
        a.data[n + 1] = bad;
        const results = { ...a.eigh(), ...a.svd(), ...a.qr(), l: a.cholesky() };
        for (const [name, value] of Object.entries(results)) assert.ok([...value.data].every((x) => Number.isNaN(x)), `${name} of ${bad} in ${n}: ${value}`);
        if (Number.isNaN(bad)) assert.ok([...a.solve(random([n])).data].every(Number.isNaN));
      }
  });

  test('singular matrices have no finite solution, and determinant 0', () => {
    const a = tensor([[1, 2], [2, 4]], { dtype: 'f64' });
    assert.ok([...a.inv().data].every((x) => !Number.isFinite(x)));
    assert.equal(Math.abs(a.det().item()), 0);
    assert.deepEqual([Math.abs(a.slogdet().sign.item()), a.slogdet().logabsdet.item()], [0, -Infinity]);
  });
});

describe('batches and numerics', () => {
  const build = () => {
    const graph = new Graph('factors');
    const x = graph.input('x', 'f64', ['b', 'n', 'n']);
    const y = graph.input('y', 'f32', [2, 'b', 5, 3]);
    const a = x.matmul(x.mT).add(x.mul(0).add(1).triu().tril());
    const svd = y.svd({ fullMatrices: false });
    const { q, r } = y.qr();
    const { eigenvalues, eigenvectors } = a.eigh();
    const outputs = { l: a.cholesky(), solved: a.solve(x), packed: x.lu().u, q, r, eigenvalues, eigenvectors, ...svd, det: x.det(), triangle: a.triangularSolve(x, { upper: true }) };
    for (const [name, value] of Object.entries(outputs)) graph.output(name, value);
    return graph;
  };

  test("machine code, wasm and the reference agree, in 'strict' to the bit", async () => {
    const graph = build();
    const ways = await allWays(graph);
    for (const [b, n] of [[1, 3], [3, 6], [20, 4], [0, 3], [2, 1], [2, 40]]) {
      const inputs = { x: given([b, n, n], 'f64', n), y: given([2, b, 5, 3], 'f32', b) };
      const want = reference(graph, inputs);
      /** What strict code gave first. @type {any} */
      let strict;
      for (const way of ways) {
        const title = `${way.name}: ${b} of ${n}`;
        const got = runGuarded(way, inputs, want, title);
        // sums of products have another order in the reference
        for (const [name, { data, dtype }] of Object.entries(want)) {
          const bound = EPSILON[/** @type {'f64'} */ (dtype)] * 1e6;
          data.forEach((/** @type {number} */ x, /** @type {number} */ i) => assert.ok(Math.abs(x - got[name].data[i]) <= bound * (1 + Math.abs(x)), `${title}, ${name}`));
        }
        if (way.numerics !== 'strict') continue;
        strict ??= got;
        for (const name of Object.keys(want)) assert.deepEqual(got[name].data, strict[name].data, `${title}, ${name}`);
      }
    }
    for (const way of ways) way.dispose();
  });

  /** @type {(shape: number[], dtype: 'f64' | 'f32', seed: number) => any} */
  const given = (shape, dtype, seed) => ({ dtype, shape, data: random(shape, seed + 3, dtype).data });

  test('threads do not change a bit', () => {
    const graph = build();
    const inputs = { x: random([40, 30, 30]), y: random([2, 40, 5, 3], 2, 'f32') };
    const [alone, both] = [1, 2].map((threads) => graph.compile({ threads }).run(inputs));
    for (const name of Object.keys(alone)) assert.deepEqual(alone[name].data, both[name].data, name);
  });
});

describe('what is made of factors', () => {
  test('determinants by exchanging rows', () => {
    const a = tensor([[0, 0, 2], [3, 0, 0], [0, 5, 0]], { dtype: 'f64' });
    assert.equal(a.det().item(), 30);
    assert.equal(tensor([[0, 1], [1, 0]]).det().item(), -1);
    assert.equal(zeros([0, 0]).det().item(), 1);
    const { sign, logabsdet } = random([4, 6, 6]).slogdet();
    assertNear(sign.mul(logabsdet.exp()), random([4, 6, 6]).det(), 6, 10, 'slogdet');
  });

  test('expm of matrices that have one in closed form, small and large', () => {
    const angle = 30;
    const turn = tensor([[0, -angle], [angle, 0]], { dtype: 'f64' }).expm();
    assertNear(turn, tensor([[Math.cos(angle), -Math.sin(angle)], [Math.sin(angle), Math.cos(angle)]], { dtype: 'f64' }), 40, 1, 'a turn');
    assertNear(zeros([2, 3, 3]).expm(), eye(3).broadcastTo([2, 3, 3]), 0, 0, 'nothing');
    assertNear(tensor([[[1e-9]], [[3]], [[-40]]], { dtype: 'f64' }).expm(), tensor([[[Math.exp(1e-9)]], [[Math.exp(3)]], [[Math.exp(-40)]]], { dtype: 'f64' }), 20, 20, 'numbers');
    assert.ok(Number.isNaN(tensor([[NaN]], { dtype: 'f64' }).expm().item()));
  });

  test('pinv, lstsq, ranks and norms', () => {
    const a = random([7, 4]);
    const b = random([7, 2], 2);
    assertNear(times(a.pinv(), a), eye(4), 20, 4, 'pinv');
    const { x, residuals, rank, s } = a.lstsq(b);
    assertNear(times(a.mT, times(a, x)), times(a.mT, b), 20, 8, 'normal equations');
    assertNear(residuals, times(a, x).sub(b).square().sum({ axis: 0 }), 20, 4, 'residuals');
    assert.deepEqual([rank.item(), s.shape, x.shape], [4n, [4], [4, 2]]);
    assert.deepEqual(a.lstsq(b.slice(null, 0)).x.shape, [4]);
    assert.equal(Number(times(a, a.mT).matrixRank().item()), 4);
    assert.equal(Number(zeros([3, 3]).matrixRank().item()), 0);
    assertNear(a.matrixNorm({ ord: 2 }), s.max(), 4, 4, 'norm 2');
    assertNear(a.matrixNorm({ ord: 'nuc', keepDims: true }), s.sum().reshape([1, 1]), 4, 4, 'nuclear norm');
    assertNear(diagonal(a.mT.matmul(a)).sum(), s.square().sum(), 9, 9, 'trace');
  });

  test('halves are computed in f32', () => {
    const a = tensor([[4, 2], [2, 5]], { dtype: 'f16' });
    const { q, r } = a.qr();
    assert.deepEqual([a.cholesky().dtype, q.dtype, r.dtype, a.solve(a).dtype], ['f16', 'f16', 'f16', 'f16']);
    assert.deepEqual(a.cholesky().toArray(), [[2, 0], [1, 2]]);
  });
});

