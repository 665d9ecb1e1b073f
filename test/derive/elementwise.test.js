/**
 * Derivatives of elementwise ops: what the rows of the op table say, against finite differences.
 */
'use strict';

const assert = require('node:assert/strict');
const test = require('node:test');
const { Graph, tensor } = require('graphjit');
const { native } = require('../../lib/base/binding.js');
const { append, stateOf } = require('../../lib/graph/value.js');
const { gradients, pushForward } = require('../../lib/transform/derivatives.js');

const rows = native.ops().filter(({ kind }) => kind === 'elementwise');

/** Where an op is smooth, per operand. @type {Record<string, [number, number][]>} */
const domains = {
  sqrt: [[0.1, 5]], log: [[0.1, 5]], log2: [[0.1, 5]], log10: [[0.1, 5]], log1p: [[-0.8, 5]], asin: [[-0.9, 0.9]],
  acos: [[-0.9, 0.9]], acosh: [[1.2, 6]], atanh: [[-0.9, 0.9]], lgamma: [[0.3, 8]], cbrt: [[0.2, 4]],
  pow: [[0.2, 3], [-3, 3]], rem: [[7.1, 7.9], [2.2, 2.3]], div: [[-3, 3], [0.4, 3]],
};
const TYPED = new Set(['convert', 'bitcast']);

/** @type {(shape: readonly any[]) => number} */
const countOf = (shape) => shape.reduce((a, b) => a * b, 1);

/** Numbers that come again. @param {number} seed */
function randomOf(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** @type {(row: any, i: number, count: number, random: () => number) => Float64Array} */
const valuesOf = ({ name }, i, count, random) => {
  const [low, high] = domains[name]?.[i] ?? [-2, 2];
  return Float64Array.from({ length: count }, () => low + (high - low) * random());
};

/** The operands of an op: a bool in front of those of select. */
const firstOf = (/** @type {any} */ { name }) => (name === 'select' ? 1 : 0);

/**
 * A graph of an op of operands of these shapes, and of Σ result · c.
 *
 * @param {any} row
 * @param {readonly (readonly (number | string)[])[]} shapes
 * @param {string} dtype
 */
function graphOf(row, shapes, dtype) {
  const g = new Graph(row.name);
  const xs = shapes.map((shape, i) => g.input(`x${i}`, i < firstOf(row) ? 'bool' : /** @type {any} */ (dtype), shape));
  const attrs = TYPED.has(row.name) ? { dtype } : {};
  const r = append(stateOf(xs[0]), row.name, xs, attrs);
  const c = g.input('c', /** @type {any} */ (dtype), r.shape);
  return { g, xs, r, y: r.mul(c).sum() };
}

const derived = rows.filter(({ derivative, name }) => derivative !== 'none' && name !== 'convert');

for (const row of derived) {
  const arity = row.arity;
  const first = firstOf(row);
  test(`${row.name} has the derivative of finite differences`, () => {
    const shapesOf = [
      Array.from({ length: arity }, () => [5]),
      Array.from({ length: arity }, (_, i) => (i === arity - 1 ? [3] : [2, 3])),
      Array.from({ length: arity }, (_, i) => (i === 0 ? [] : [2, 1])),
    ];
    for (const [s, shapes] of shapesOf.entries()) {
      const random = randomOf(17 + s);
      const sizes = shapes.map(countOf);
      const data = shapes.map((_, i) => (i < first ? Uint8Array.from({ length: sizes[i] }, () => Number(random() > 0.5)) : valuesOf(row, i - first, sizes[i], random)));
      const { g, xs, r, y } = graphOf(row, shapes, 'f64');
      const cotangent = Float64Array.from({ length: countOf(r.shape) }, () => random() - 0.5);
      const wrt = xs.slice(first);
      const grads = gradients(y, wrt);
      const tangents = wrt.map((x, i) => g.constant(tensor(valuesOf({ name: '' }, 0, sizes[i + first], random)).reshape(shapes[i + first])).add(x.mul(0)));
      const [t] = pushForward(stateOf(y), wrt, tangents, [y]);
      g.output('y', y);
      grads.forEach((d, i) => g.output(`d${i}`, d));
      g.output('t', t);
      g.output('inner', grads.map((d, i) => d.mul(tangents[i]).sum()).reduce((a, b) => a.add(b)));
      const inputs = (/** @type {any[]} */ all) => Object.fromEntries([...all.map((array, i) => [`x${i}`, tensor(array, i < first ? { dtype: 'bool' } : {}).reshape(shapes[i])]), ['c', tensor(cotangent).reshape(r.shape)]]);
      const p = g.compile({ threads: 1 });
      const got = p.run(inputs(data));
      const reference = g.eval(inputs(data));
      const near = Math.abs(got.t.item() - got.inner.item());
      assert.ok(near <= 1e-10 * (1 + Math.abs(got.t.item())), `forward ${got.t.item()} and reverse ${got.inner.item()} of ${row.name}`);
      wrt.forEach((_, i) => {
        const own = /** @type {Float64Array} */ (got[`d${i}`].data);
        const same = /** @type {Float64Array} */ (reference[`d${i}`].data);
        for (let k = 0; k < own.length; k++) {
          const moved = (/** @type {number} */ h) => p.run(inputs(data.map((array, j) => (j === i + first ? array.map((v, n) => (n === k ? v + h : v)) : array)))).y.item();
          const h = 1e-5;
          const wanted = (moved(h) - moved(-h)) / (2 * h);
          assert.ok(Math.abs(own[k] - wanted) <= 2e-7 * (1 + Math.abs(wanted)), `${row.name} by operand ${i}, element ${k}: ${own[k]}, but differences say ${wanted}`);
          assert.ok(Math.abs(own[k] - same[k]) <= 1e-12 * (1 + Math.abs(own[k])));
        }
      });
    }
  });

  test(`${row.name} has second derivatives`, () => {
    const random = randomOf(5);
    const shapes = Array.from({ length: arity }, () => [4]);
    const data = shapes.map((_, i) => (i < first ? Uint8Array.from([1, 0, 1, 0]) : valuesOf(row, i - first, 4, random)));
    const { g, xs, y } = graphOf(row, shapes, 'f64');
    const wrt = xs.slice(first);
    const d = gradients(y, wrt).map((each) => each.sum()).reduce((a, b) => a.add(b));
    g.output('d', d);
    gradients(d, wrt).forEach((each, i) => g.output(`e${i}`, each));
    const p = g.compile({ threads: 1 });
    const inputs = (/** @type {any[]} */ all) => ({ ...Object.fromEntries(all.map((array, i) => [`x${i}`, array])), c: Float64Array.of(1, -0.5, 2, 0.25) });
    const got = p.run(/** @type {any} */ (inputs(data)));
    wrt.forEach((_, i) => {
      const own = /** @type {Float64Array} */ (got[`e${i}`].data);
      for (let k = 0; k < 4; k++) {
        const moved = (/** @type {number} */ h) => p.run(/** @type {any} */ (inputs(data.map((array, j) => (j === i + first ? array.map((v, n) => (n === k ? v + h : v)) : array))))).d.item();
        const wanted = (moved(1e-5) - moved(-1e-5)) / 2e-5;
        assert.ok(Math.abs(own[k] - wanted) <= 1e-6 * (1 + Math.abs(wanted)), `${row.name} by operand ${i}: ${own[k]}, but differences say ${wanted}`);
      }
    });
  });
}

test('derivatives are of the dtype of what they are by, and of its shape, symbols included', () => {
  for (const dtype of /** @type {const} */ (['f64', 'f32', 'f16', 'bf16'])) {
    const g = new Graph('dtypes');
    const x = g.input('x', dtype, ['n', 1]);
    const w = g.input('w', 'f32', ['m']);
    const [dx, dw] = gradients(x.convert('f32').mul(w).tanh().sum(), [x, w]);
    assert.deepEqual([dx.dtype, dx.shape, dw.dtype, dw.shape], [dtype, ['n', 1], 'f32', ['m']]);
  }
});

/** @type {[string, (x: any) => any, number, number][]} */
const kinks = [
  ['abs at 0', (x) => x.abs(), 0, 0],
  ['sqrt at 0', (x) => x.sqrt(), 0, Infinity],
  ['sign', (x) => x.sign(), 3, 0],
  ['floor', (x) => x.floor(), 2.5, 0],
  ['max of equals', (x) => x.max(2), 2, 0.5],
  ['min of equals', (x) => x.min(2), 2, 0.5],
  ['max of NaN', (x) => x.max(2), NaN, 1],
  ['relu at 0', (x) => x.relu(), 0, 0],
  ['relu above', (x) => x.relu(), 2, 1],
  ['clip at its bound', (x) => x.clip(0, 1), 0, 1],
  ['hypot at the origin', (x) => x.hypot(0), 0, 0],
  ['0 to the 2', (x) => x.pow(2), 0, 0],
  ['0 to the 0', (x) => x.pow(0), 0, 0],
];

for (const [name, fn, at, wanted] of kinks) {
  test(`at kinks derivatives are those of PyTorch: ${name}`, () => {
    const g = new Graph('kink');
    const x = g.input('x', 'f64', []);
    g.output('d', gradients(fn(x), [x])[0]);
    assert.equal(g.compile().run({ x: Float64Array.of(at) }).d.item(), wanted);
  });
}
