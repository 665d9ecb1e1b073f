// Rows, as table.js describes them, of the ops that are library functions: factors of matrices and Fourier transforms.
// test/ops/factors.test.js and test/ops/fourier.test.js run them.
'use strict';

/** @typedef {import('graphjit').Graph} Graph */

const DTYPES = ['f64', 'f32'];

/** @type {(g: Graph, shape: any, name?: string, dtype?: string) => any} */
const input = (g, shape, name = 'x', dtype = 'f64') => g.input(name, /** @type {any} */ (dtype), shape);
/** @type {(nodes: string) => string} */
const text = (nodes) => `graph "bad" {\n${nodes}\n}`;

/** What every op of square matrices refuses. @type {(method: string) => any[]} */
const badSquare = (method) => [
  [(g) => input(g, [3, 4])[method](), 'ERR_SHAPE', new RegExp(`^${method}: expected square matrices for the operand`)],
  [(g) => input(g, [3])[method](), 'ERR_SHAPE', new RegExp(`^${method}: expected at least two axes`)],
  [(g) => input(g, ['m', 'n'])[method](), 'ERR_SHAPE', new RegExp(`^${method}: expected square matrices`)],
];

/** @type {Record<string, any>} */
const library = {
  cholesky: {
    dtypes: DTYPES,
    examples: [
      [(g) => g.constant([[4, 9], [2, 10]]).cholesky(), [[2, 0], [1, 3]]],
      [(g) => g.constant([[4, 2], [9, 10]]).cholesky({ upper: true }), [[2, 1], [0, 3]]],
      [(g) => g.constant([[[4]], [[-1]], [[0]], [[NaN]], [[9]]]).cholesky(), [[[2]], [[NaN]], [[NaN]], [[NaN]], [[3]]]],
      [(g) => g.constant([[1, 2], [2, 1]]).cholesky(), [[NaN, NaN], [NaN, NaN]]],
      [(g) => g.constant([[16]], { dtype: 'i32' }).cholesky(), [[4]]],
    ],
    bad: [
      ...badSquare('cholesky'),
      [(g) => input(g, [2, 2]).cholesky({ lower: true }), 'ERR_ARGUMENT', /unknown option 'lower'/],
      [text('%1 = param "x" : f64[2, 3]\n%2 = cholesky %1'), 'ERR_SHAPE', /cholesky: operand 1 \(%1\) has shape \[2, 3\], but it must be \[\.\.\., n, n\]/],
      [text('%1 = param "x" : f64[m, n]\n%2 = cholesky %1'), 'ERR_SHAPE', /use the same symbol for sizes that are equal/],
      [text('%1 = param "x" : i32[2, 2]\n%2 = cholesky %1'), 'ERR_DTYPE', /cholesky: operand 1 \(%1\) is i32, but the op takes f64 and f32/],
      [text('%1 = param "x" : f16[2, 2]\n%2 = cholesky %1'), 'ERR_DTYPE', /operand 1 \(%1\) is f16/],
    ],
  },
  triangular_solve: {
    dtypes: DTYPES,
    examples: [
      [(g) => g.constant([[2, 7], [1, 4]]).triangularSolve(g.constant([2, 5])), [1, 1]],
      [(g) => g.constant([[2, 1], [7, 4]]).triangularSolve(g.constant([[3], [4]]), { upper: true }), [[1], [1]]],
      [(g) => g.constant([[2, 1], [7, 4]]).triangularSolve(g.constant([[2], [5]]), { upper: true, transposed: true }), [[1], [1]]],
      [(g) => g.constant([[9, 9], [3, 9]]).triangularSolve(g.constant([1, 5]), { unitDiagonal: true }), [1, 2]],
      [(g) => g.constant([[2, 0], [1, 4]]).triangularSolve(g.constant([[4, 8]]), { left: false }), [[1, 2]]],
      [(g) => g.constant([[0]]).triangularSolve(g.constant([1])), [Infinity]],
    ],
    bad: [
      [(g) => input(g, [3, 4]).triangularSolve(input(g, [3], 'b')), 'ERR_SHAPE', /triangularSolve: expected square matrices/],
      [(g) => input(g, [3, 3]).triangularSolve(input(g, [4], 'b')), 'ERR_SHAPE', /a matrix \[3, 3\] has no right side \[4\]/],
      [(g) => input(g, [2, 3, 3]).triangularSolve(input(g, [3, 3, 1], 'b')), 'ERR_SHAPE', /batch axes \[2\] and \[3\] do not broadcast/],
      [text('%1 = param "a" : f64[2, 2]\n%2 = triangular_solve %1, %1 {upper=2, adjoint=0}'), 'ERR_ARGUMENT', /upper is 2, but it must be 0 or 1/],
      [text('%1 = param "a" : f64[2, 2]\n%2 = param "b" : f64[1, 2, 2]\n%3 = triangular_solve %1, %2 {upper=0, adjoint=0}'), 'ERR_SHAPE', /the axes in front of the last must be the same/],
      [text('%1 = param "a" : f64[2, 2]\n%2 = param "b" : f32[2, 2]\n%3 = triangular_solve %1, %2 {upper=0, adjoint=0}'), 'ERR_DTYPE', /dtypes f64 and f32; convert one/],
    ],
  },
  lu: {
    dtypes: DTYPES,
    examples: [
      [(g) => g.constant([[1, 2], [4, 4]]).lu().l, [[1, 0], [0.25, 1]]],
      [(g) => g.constant([[1, 2], [4, 4]]).lu().u, [[4, 4], [0, 1]]],
      [(g) => g.constant([[1, 2], [4, 4]]).lu().rows, [1, 0]],
      [(g) => g.constant([[0, 0], [0, 0]]).lu().u, [[0, 0], [0, 0]]],
      [(g) => g.constant([[1], [2], [4]]).lu().l, [[1], [0.5], [0.25]]],
      [(g) => g.constant([[1, 2, 3]]).lu().u, [[1, 2, 3]]],
    ],
    bad: [[(g) => input(g, [3]).lu(), 'ERR_SHAPE', /lu: expected at least two axes/]],
  },
  lu_solve: {
    dtypes: DTYPES,
    examples: [
      [(g) => g.constant([[0, 2], [4, 0]]).solve(g.constant([6, 8])), [2, 3]],
      [(g) => g.constant([[0, 2], [4, 0]]).solve(g.constant([[6, 2], [8, 4]])), [[2, 1], [3, 1]]],
      [(g) => g.constant([[0, 2], [4, 0]]).inv(), [[0, 0.25], [0.5, 0]]],
      [(g) => g.constant([[2]]).solve(g.constant([3], { dtype: 'i32' })), [1.5]],
    ],
    bad: [
      [(g) => input(g, [3, 3]).solve(input(g, [], 'b')), 'ERR_SHAPE', /solve: expected a vector or matrices for the right side/],
      [(g) => input(g, [3, 3]).solve(input(g, [2, 3], 'b')), 'ERR_SHAPE', /a matrix \[3, 3\] has no right side \[2, 3\]/],
      ...badSquare('inv'),
      [text('%1 = param "a" : f64[2, 2]\n%2 = param "p" : i64[2]\n%3 = lu_solve %1, %1, %1, %2 {adjoint=0}'), 'ERR_DTYPE', /lu_solve: rows \(%2\) are i64, but they must be i32/],
      [text('%1 = param "a" : f64[2, 2]\n%2 = param "p" : i32[3]\n%3 = lu_solve %1, %1, %1, %2 {adjoint=0}'), 'ERR_SHAPE', /operand 4 \(%2\) has shape \[3\], but it must be \[\.\.\., n\]/],
    ],
  },
  qr: {
    dtypes: DTYPES,
    examples: [
      [(g) => g.constant([[3, 1], [4, 2]]).qr().r.abs().mul(5).add(0.25).floor(), [[25, 11], [0, 2]]],
      [(g) => g.constant([[-2], [0]]).qr({ mode: 'complete' }).q.abs(), [[1, 0], [0, 1]]],
      [(g) => g.constant([[0, 0], [0, 0]]).qr().r.abs(), [[0, 0], [0, 0]]],
    ],
    bad: [
      [(g) => input(g, [3, 4]).qr({ mode: 'economic' }), 'ERR_ARGUMENT', /expected 'reduced' or 'complete' for option 'mode'/],
      [text('%1 = param "x" : f64[4, 3]\n%2 = qr %1 {count=[2]}'), 'ERR_ARGUMENT', /qr: count is 2, but Q may have 3 or 4 columns/],
      [text('%1 = param "x" : f64[4, 3]\n%2 = qr %1 {count=[4, 4]}'), 'ERR_ARGUMENT', /qr: count takes one value, got 2/],
    ],
  },
  eigh: {
    dtypes: DTYPES,
    examples: [
      [(g) => g.constant([[2, 9], [0, 1]]).eigh().eigenvalues, [1, 2]],
      [(g) => g.constant([[2, 9], [0, 1]]).eigh().eigenvectors.abs(), [[0, 1], [1, 0]]],
      [(g) => g.constant([[2, 0], [9, 1]]).eigvalsh({ upper: true }), [1, 2]],
      [(g) => g.constant([[NaN]]).eigvalsh(), [NaN]],
    ],
    bad: [...badSquare('eigh'), ...badSquare('eigvalsh')],
  },
  svd: {
    dtypes: DTYPES,
    examples: [
      [(g) => g.constant([[0, 3], [-2, 0]]).svdvals(), [3, 2]],
      [(g) => g.constant([[0], [-2]]).svd().u.abs(), [[0, 1], [1, 0]]],
      [(g) => g.constant([[3, 0, 0], [0, 2, 0]]).svd({ fullMatrices: false }).vh.abs(), [[1, 0, 0], [0, 1, 0]]],
      [(g) => g.constant([[1, 2], [2, 4]]).matrixRank(), 1n],
    ],
    bad: [[(g) => input(g, [3]).svd(), 'ERR_SHAPE', /svd: expected at least two axes/], [(g) => input(g, [3, 2]).svd({ full: true }), 'ERR_ARGUMENT', /unknown option 'full'/]],
  },
  fft: {
    dtypes: DTYPES,
    examples: [
      [(g) => g.constant([[1, 0], [0, 0], [0, 0], [0, 0]]).fft(), [[1, 0], [1, 0], [1, 0], [1, 0]]],
      [(g) => g.constant([[1, 2], [3, 4]]).fft(), [[4, 6], [-2, -2]]],
      [(g) => g.constant([[1, 2], [3, 4]]).ifft(), [[2, 3], [-1, -1]]],
      [(g) => g.constant([[1, 2], [3, 4]]).fft({ n: 1 }), [[1, 2]]],
      [(g) => g.constant([[1, 2]]).fft({ n: 2, norm: 'forward' }), [[0.5, 1], [0.5, 1]]],
    ],
    bad: [
      [(g) => input(g, [4]).fft(), 'ERR_SHAPE', /fft: expected real and imaginary parts along a last axis of size 2, got \[4\]/],
      [(g) => input(g, [4, 2]).fft({ axis: 1 }), 'ERR_SHAPE', /fft: axis 1 is out of range for rank 1/],
      [(g) => input(g, [4, 2]).fft({ norm: 'none' }), 'ERR_ARGUMENT', /expected 'backward', 'ortho' or 'forward' for option 'norm'/],
      [(g) => input(g, [0, 2]).fft(), 'ERR_SHAPE', /fft: there is no transform of length 0/],
      [(g) => input(g, [4, 2]).fftn({ s: [2, 2] }), 'ERR_SHAPE', /there are 2 lengths for 1 axes/],
      [text('%1 = param "x" : f64[4, 3]\n%2 = fft %1 {adjoint=0}'), 'ERR_SHAPE', /fft: operand 1 \(%1\) has shape \[4, 3\], but it must be \[\.\.\., n, 2\]/],
    ],
  },
  rfft: {
    dtypes: DTYPES,
    examples: [
      [(g) => g.constant([1, 2, 3, 4]).rfft(), [[10, 0], [-2, 2], [-2, 0]]],
      [(g) => g.constant([5]).rfft(), [[5, 0]]],
    ],
    bad: [[(g) => input(g, []).rfft(), 'ERR_SHAPE', /rfft: expected at least one axis/], [(g) => input(g, [3]).rfft({ n: -1 }), 'ERR_ARGUMENT', /expected a size/]],
  },
  irfft: {
    dtypes: DTYPES,
    examples: [
      [(g) => g.constant([[10, 0], [-2, 2], [-2, 0]]).irfft(), [1, 2, 3, 4]],
      [(g) => g.constant([[3, 7], [0, 0]]).irfft({ n: 3 }), [1, 1, 1]],
    ],
    bad: [
      [(g) => input(g, [1, 2]).irfft(), 'ERR_SHAPE', /irfft: there is no transform of length 0/],
      [text('%1 = param "x" : f64[3, 2]\n%2 = irfft %1 {count=[8]}'), 'ERR_SHAPE', /irfft: operand 1 \(%1\) has shape \[3, 2\], but it must be \[\.\.\., count \/ 2 \+ 1, 2\]/],
    ],
  },
};

module.exports = { library };
