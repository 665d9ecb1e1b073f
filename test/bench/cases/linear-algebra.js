// Factors of matrices against NumPy, which is LAPACK on OpenBLAS, one matrix by one thread, and batches of small ones;
// Fourier transforms against FFTW, planned by estimate beforehand, and NumPy.
'use strict';

const { Graph } = require('graphjit');
const { fill } = require('../support/arrays.js');
const { inNumpy, inPython } = require('../support/peers.js');

/**
 * What is computed of x, symmetric and positive definite, [..., n, n], and y, [..., n, n]; and by NumPy.
 *
 * @type {Record<string, { build: (x: any, y: any) => any[], numpy: string }>}
 */
const factors = {
  cholesky: { build: (x) => [x.cholesky()], numpy: 'np.linalg.cholesky(x)' },
  solve: { build: (x, y) => [x.solve(y)], numpy: 'np.linalg.solve(x, y)' },
  qr: { build: (_, y) => Object.values(y.qr()), numpy: 'np.linalg.qr(y)' },
  eigh: { build: (x) => Object.values(x.eigh()), numpy: 'np.linalg.eigh(x)' },
  svd: { build: (_, y) => Object.values(y.svd({ fullMatrices: false })), numpy: 'np.linalg.svd(y, full_matrices=False)' },
};

/** Random matrices, and y·yᵀ + n. @type {(batch: number, n: number) => Float64Array[]} */
function matrices(batch, n) {
  const y = fill({ type: 'f64', length: batch * n * n, from: -1, to: 1 });
  const x = new Float64Array(y.length);
  for (let b = 0, at = 0; b < batch; b++)
    for (let i = 0; i < n; i++)
      for (let j = 0; j < n; j++, at++) {
        const base = b * n * n;
        for (let k = 0; k < n; k++) x[at] += y[base + i * n + k] * y[base + j * n + k];
        if (i === j) x[at] += n;
      }
  return [x, y];
}

/** @type {(name: string, batch: number, n: number, speed?: number) => any} */
const factorCase = (name, batch, n, speed) => ({
  name: `linalg-${name}-${batch > 1 ? `${batch}x` : ''}${n}`,
  title: `${name} of ${batch > 1 ? `${batch} matrices of ` : ''}${n}×${n}, f64`,
  unit: 'µs',
  group: batch > 1 ? 'linear algebra, batches' : 'linear algebra',
  targets: speed ? [{ who: 'graphjit', peer: 'numpy', speed }] : [],
  contestants() {
    const [x, y] = matrices(batch, n);
    const shape = batch > 1 ? [batch, n, n] : [n, n];
    const graph = new Graph(name);
    const results = factors[name].build(graph.input('x', 'f64', shape), graph.input('y', 'f64', shape));
    results.forEach((value, i) => graph.output(`r${i}`, value));
    const program = graph.compile({ threads: 1 });
    const outputs = program.run({ x, y });
    const setup = [
      'r = np.random.default_rng(1)', `y = r.uniform(-1, 1, (${batch}, ${n}, ${n}))`,
      `x = y @ y.transpose(0, 2, 1) + ${n} * np.eye(${n})`, ...(batch > 1 ? [] : ['x, y = x[0], y[0]']),
    ];
    return {
      graphjit: program.bind({ x, y }, Object.fromEntries(Object.entries(outputs).map(([key, { data }]) => [key, data]))),
      ...inNumpy(setup.join('\n'), factors[name].numpy),
    };
  },
});

/** @type {(dtype: 'f64' | 'f32', lines: number, n: number) => any} */
const fourierCase = (dtype, lines, n) => ({
  name: `fft-${dtype}-${lines > 1 ? `${lines}x` : ''}${n}`,
  title: `complex transform of ${lines > 1 ? `${lines} lines of ` : ''}${n}, ${dtype}`,
  unit: 'µs',
  group: `Fourier transforms, ${dtype}`,
  targets: [{ who: 'graphjit', peer: 'FFTW', speed: 0.8 }, { who: 'graphjit', peer: 'numpy', speed: 2 }],
  contestants() {
    const x = fill({ type: dtype, length: 2 * lines * n, from: -1, to: 1 });
    const graph = new Graph('fft');
    graph.output('r', graph.input('x', dtype, [lines, n, 2]).fft());
    const program = graph.compile({ threads: 1 });
    const [real, whole] = dtype === 'f64' ? ['float64', 'complex128'] : ['float32', 'complex64'];
    const random = `np.random.default_rng(1).uniform(-1, 1, (${lines}, 2 * ${n}))`;
    const arrays = ['import numpy as np', `x = ${random}.astype(np.${real}).view(np.${whole})`];
    const [library, prefix] = dtype === 'f64' ? ['libfftw3.so.3', 'fftw'] : ['libfftw3f.so.3', 'fftwf'];
    // 64: FFTW_ESTIMATE, -1: FFTW_FORWARD
    const fftw = [
      ...arrays, 'import ctypes as c', 'z = np.empty_like(x)',
      'try:', `    l = c.CDLL("${library}")`, 'except OSError as e:', '    raise ImportError(e)',
      `plan = l.${prefix}_plan_many_dft`, 'plan.restype = c.c_void_p', `n = (c.c_int * 1)(${n})`, 'p = lambda a: c.c_void_p(a.ctypes.data)',
      `q = c.c_void_p(plan(1, n, ${lines}, p(x), None, 1, ${n}, p(z), None, 1, ${n}, -1, c.c_uint(64)))`, `e = l.${prefix}_execute`,
    ];
    return {
      graphjit: program.bind({ x }, { r: program.run({ x }).r.data }),
      ...inPython('FFTW', fftw.join('\n'), 'e(q)'),
      ...inPython('numpy', arrays.join('\n'), 'np.fft.fft(x)'),
    };
  },
});

const SIZES = [16, 64, 256, 1024];
const LENGTHS = /** @type {[number, number][]} */ ([[1, 1024], [1, 1 << 16], [1, 1 << 20], [1, 1000], [1, 10007], [64, 1024]]);
const names = Object.keys(factors);

module.exports = [
  ...names.flatMap((name) => SIZES.map((n) => factorCase(name, 1, n, n >= 64 ? 1 : undefined))),
  ...names.map((name) => factorCase(name, 1000, 8, 5)),
  ...LENGTHS.flatMap(([lines, n]) => [fourierCase('f64', lines, n), fourierCase('f32', lines, n)]),
];
