// Chains of elementary functions: what fusing, vector functions and threads are for.
//
// Three expressions in two dtypes and three sizes: in the first-level cache, in the second, in memory. A
// library makes an array of each step; C in one loop with vector functions is the limit.
'use strict';

const { Graph } = require('graphjit');
const { fill } = require('../support/arrays.js');
const { cores, inC, inOnnxRuntime, inPython, inThreadedC } = require('../support/peers.js');

const RATE = 0.03;
const VOLATILITY = 0.2;
const ROOT_HALF = Math.SQRT1_2;

function chain(x) {
  const c = x.mul(x).sin().cos();
  const d = c.mul(c);
  return d.add(d.mul(d));
}

function gelu(x) {
  const inner = x.add(x.mul(x).mul(x).mul(0.044715)).mul(0.7978845608028654);
  return x.mul(0.5).mul(inner.tanh().add(1));
}

function blackScholes(spot, strike, time) {
  const deviation = time.sqrt().mul(VOLATILITY);
  const d1 = spot.div(strike).log().add(time.mul(RATE + 0.5 * VOLATILITY * VOLATILITY)).div(deviation);
  const below = (d) => d.mul(ROOT_HALF).erf().add(1).mul(0.5);
  return spot.mul(below(d1)).sub(strike.mul(time.mul(-RATE).exp()).mul(below(d1.sub(deviation))));
}

const expressions = {
  chain: {
    title: 'mul sin cos mul mul add',
    build: chain,
    inputs: { x: [0.1, 3] },
    numpy: 'c = np.cos(np.sin(x * x)); d = c * c; d + d * d',
    numba: 'c = math.cos(math.sin(x[i] * x[i])); d = c * c; z[i] = d + d * d',
    numexpr: 'cos(sin(x*x))**2 + cos(sin(x*x))**4',
    torch: 'c = torch.cos(torch.sin(x * x)); d = c * c; d + d * d',
    onnx: [
      ['Mul', ['x', 'x'], 'square'], ['Sin', ['square'], 'sine'], ['Cos', ['sine'], 'c'],
      ['Mul', ['c', 'c'], 'd'], ['Mul', ['d', 'd'], 'f'], ['Add', ['d', 'f'], 'z'],
    ],
  },
  gelu: {
    title: 'GELU, tanh form',
    build: gelu,
    inputs: { x: [-3, 3] },
    numpy: '0.5 * x * (1 + np.tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)))',
    numba: 'v = x[i]; z[i] = T(0.5) * v * (T(1) + math.tanh(T(0.7978845608028654) * (v + T(0.044715) * v * v * v)))',
    numexpr: 'half * x * (one + tanh(a * (x + b * x * x * x)))',
    torch: 'torch.nn.functional.gelu(x, approximate="tanh")',
    onnx: [
      ['Mul', ['x', 'x'], 'x2'], ['Mul', ['x2', 'x'], 'x3'], ['Mul', ['x3', 'cubic'], 'c'], ['Add', ['x', 'c'], 'd'],
      ['Mul', ['d', 'linear'], 'inner'], ['Tanh', ['inner'], 't'], ['Add', ['t', 'one'], 'u'],
      ['Mul', ['x', 'half'], 'h'], ['Mul', ['h', 'u'], 'z'],
    ],
    constants: { cubic: 0.044715, linear: 0.7978845608028654, one: 1, half: 0.5 },
  },
  'black-scholes': {
    title: 'Black-Scholes',
    build: blackScholes,
    inputs: { x: [50, 150], y: [50, 150], w: [0.1, 2] },
    numpy:
      's = 0.2 * np.sqrt(w); d1 = (np.log(x / y) + 0.05 * w) / s; d2 = d1 - s; ' +
      'x * 0.5 * (1 + erf(d1 * 0.7071067811865476)) - y * np.exp(-0.03 * w) * 0.5 * (1 + erf(d2 * 0.7071067811865476))',
    numba:
      's = T(0.2) * math.sqrt(w[i]); d1 = (math.log(x[i] / y[i]) + T(0.05) * w[i]) / s; d2 = d1 - s; m = T(0.7071067811865476); ' +
      'z[i] = x[i] * T(0.5) * (T(1) + math.erf(d1 * m)) - y[i] * math.exp(T(-0.03) * w[i]) * T(0.5) * (T(1) + math.erf(d2 * m))',
    torch:
      's = 0.2 * torch.sqrt(w); d1 = (torch.log(x / y) + 0.05 * w) / s; d2 = d1 - s; ' +
      'x * 0.5 * (1 + torch.erf(d1 * 0.7071067811865476)) - y * torch.exp(-0.03 * w) * 0.5 * (1 + torch.erf(d2 * 0.7071067811865476))',
    onnx: [
      ['Sqrt', ['w'], 'root'], ['Mul', ['root', 'volatility'], 's'],
      ['Div', ['x', 'y'], 'q'], ['Log', ['q'], 'l'], ['Mul', ['w', 'drift'], 'wd'], ['Add', ['l', 'wd'], 'n'],
      ['Div', ['n', 's'], 'd1'], ['Sub', ['d1', 's'], 'd2'],
      ['Mul', ['d1', 'rootHalf'], 'm1'], ['Erf', ['m1'], 'e1'], ['Add', ['e1', 'one'], 'f1'], ['Mul', ['f1', 'half'], 'p1'],
      ['Mul', ['d2', 'rootHalf'], 'm2'], ['Erf', ['m2'], 'e2'], ['Add', ['e2', 'one'], 'f2'], ['Mul', ['f2', 'half'], 'p2'],
      ['Mul', ['w', 'minusRate'], 'rw'], ['Exp', ['rw'], 'discount'], ['Mul', ['y', 'discount'], 'yd'],
      ['Mul', ['x', 'p1'], 'a'], ['Mul', ['yd', 'p2'], 'b'], ['Sub', ['a', 'b'], 'z'],
    ],
    constants: {
      volatility: VOLATILITY, drift: RATE + 0.5 * VOLATILITY * VOLATILITY, rootHalf: ROOT_HALF, one: 1, half: 0.5, minusRate: -RATE,
    },
  },
};

/** Statements that fill arrays like ours with NumPy. */
function filled({ inputs }, dtype, n) {
  const type = dtype === 'f64' ? 'float64' : 'float32';
  const lines = Object.entries(inputs).map(([name, [from, to]]) => `${name} = (${from} + ${to - from} * r.random(${n})).astype(np.${type})`);
  return ['import numpy as np', 'r = np.random.default_rng(1)', `T = np.${type}`, `z = np.empty(${n}, T)`, ...lines].join('\n');
}

function libraries({ numpy, numba, numexpr, torch, onnx, constants, inputs }, dtype, n) {
  const setup = filled({ inputs }, dtype, n);
  const names = Object.keys(inputs);
  const scalars = 'half, one, a, b = T(0.5), T(1), T(0.7978845608028654), T(0.044715)';
  const loop = `for i in numba.prange(len(z)):\n    ${numba.replaceAll('; ', '\n    ')}`;
  const jitted =
    `import math, numba\n@numba.njit(fastmath=True, parallel=numba.config.NUMBA_NUM_THREADS > 1)\n` +
    `def f(${[...names, 'z'].join(', ')}):\n  ${loop}`;
  const found = {};
  for (const threads of cores > 1 ? [1, cores] : [1]) {
    Object.assign(
      found,
      threads === 1 && inPython('numpy', `${setup}\nfrom scipy.special import erf`, numpy, threads),
      inPython('numba', `${setup}\n${jitted}`, `f(${[...names, 'z'].join(', ')})`, threads),
      numexpr && inPython('numexpr', `${setup}\nimport numexpr\n${scalars}`, `numexpr.evaluate(${JSON.stringify(numexpr)}, out=z)`, threads),
      inPython('torch', `${setup}\nimport torch\ntorch.set_num_threads(${threads})\n${names.map((x) => `${x} = torch.from_numpy(${x})`).join('\n')}`, torch, threads),
    );
  }
  const feeds = Object.fromEntries(Object.entries(inputs).map(([name, [from, to]]) => [name, { shape: [n], from, to }]));
  return { ...found, ...inOnnxRuntime(dtype, feeds, onnx, constants) };
}

const sizes = { '1e3': 1e3, '1e5': 1e5, '1e7': 1e7 };
const stems = { chain: 'chain', gelu: 'gelu', 'black-scholes': 'black_scholes' };

function fusedCase(name, dtype, label) {
  const one = expressions[name];
  const n = sizes[label];
  const specs = Object.fromEntries(Object.entries(one.inputs).map(([x, [from, to]]) => [x, { type: dtype, length: n, from, to }]));
  const kernel = `${stems[name]}_${dtype}`;
  return {
    name: `${name}-${dtype}-${label}`,
    title: `${one.title} of ${label} ${dtype}`,
    unit: 'µs',
    targets: [
      { who: "'fast'", peer: 'gcc -Ofast', speed: 1 },
      { who: 'graphjit', peer: 'gcc -Ofast', speed: 0.8 },
      { who: `'fast' ×${cores}`, peer: `gcc -Ofast ×${cores}`, speed: 1 },
      { who: `graphjit ×${cores}`, peer: `gcc -Ofast ×${cores}`, speed: 0.8 },
      ...['numpy', 'numexpr', 'numba', 'torch', 'onnxruntime'].flatMap((peer) => [
        { who: 'graphjit', peer, speed: 2 },
        { who: `graphjit ×${cores}`, peer: `${peer} ×${cores}`, speed: 2 },
      ]),
    ],
    contestants() {
      const arrays = Object.fromEntries(Object.entries(specs).map(([x, spec]) => [x, fill(spec)]));
      const z = fill({ type: dtype, length: n });
      const graph = new Graph(name);
      graph.output('z', one.build(...Object.keys(arrays).map((x) => graph.input(x, dtype, ['n']))));
      const bound = (numerics, threads) => graph.compile({ numerics, threads }).bind(arrays, { z });
      return {
        graphjit: bound('default', 1),
        "'fast'": bound('fast', 1),
        ...(cores > 1 && { [`graphjit ×${cores}`]: bound('default', cores), [`'fast' ×${cores}`]: bound('fast', cores) }),
        ...inC(kernel, ...Object.values(arrays), z),
        ...inThreadedC(kernel, [...Object.values(specs), { type: dtype, length: n }]),
        ...libraries(one, dtype, n),
      };
    },
  };
}

module.exports = Object.keys(expressions).flatMap((name) =>
  ['f64', 'f32'].flatMap((dtype) => Object.keys(sizes).map((label) => fusedCase(name, dtype, label))),
);
