// Derivatives of control flow: calls, choices and loops, in both modes and to second order.
'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { Graph, cond, forLoop, map, scan, switchCase, whileLoop } = require('graphjit');
const { stateOf } = require('../../lib/graph/value.js');
const { gradients, pullBack, } = require('../../lib/transform/derivatives.js');
const { assertNear, checkDerivatives, randomTensor } = require('./support.js');

/** Random inputs by shape, each with a seed of its own. @type {(shapes: Record<string, number[]>) => Record<string, import('graphjit').Tensor>} */
const randomOf = (shapes) =>
  Object.fromEntries(Object.entries(shapes).map(([name, shape], i) => [name, randomTensor(shape, { seed: 7 + i })]));

// ----------------------------------------------------------------------------------------- choices

test('cond: branches that keep different values, and capture others', () => {
  for (const sign of [1, -1]) {
    const build = ({ x, y }) =>
      cond(
        x.square().sum().mul(sign).gt(0),
        (a) => ({ u: a.mul(y).sin().mul(a.exp()), v: y.sum() }),
        (a) => ({ u: a.tanh(), v: a.sum().square() }),
        x,
      );
    checkDerivatives((given) => Object.values(build(given)), randomOf({ x: [3], y: [3] }), { symbolic: { x: ['n'], y: ['n'] } });
  }
});

test('cond: a branch that does not depend on an operand gives zeros for it', () => {
  for (const limit of [-9, 9]) {
    checkDerivatives(
      ({ x, y }) => cond(x.sum().gt(limit), (a, b) => a.sin().mul(2).add(b.sum().mul(0)), (a, b) => b.cos(), x, y),
      randomOf({ x: [5], y: [5] }),
    );
  }
});

test('cond: results of integers have no cotangents', () => {
  checkDerivatives(
    ({ x }) => {
      const { count, value } = cond(x.sum().gt(0), (a) => ({ count: a.gt(0).convert('i32').sum(), value: a.sin() }), (a) => ({ count: a.lt(0).convert('i32').sum(), value: a.square() }), x);
      return value.mul(count.convert(value.dtype));
    },
    { x: randomTensor([5], { seed: 3 }) },
  );
});

test('switchCase: one derivative for each function', () => {
  for (const index of [0, 1, 2, 5]) {
    checkDerivatives(
      ({ x, y }) => switchCase(index === 5 ? x.size ?? 5 : index, [(a, b) => a.mul(b).sin(), (a, b) => a.div(b.exp()), (_, b) => b], x, y),
      randomOf({ x: [3], y: [3] }),
    );
    const at = (given, graph) => switchCase(graph.constant(Int32Array.of(index), { dtype: 'i32', shape: [] }), [(a, b) => a.mul(b).sin(), (a, b) => a.div(b.exp()), (_, b) => b], given.x, given.y);
    checkDerivatives(at, randomOf({ x: [3], y: [3] }));
  }
});

test('what no branch depends on has zeros as its gradient', () => {
  const graph = new Graph('none');
  const x = graph.input('x', 'f64', [3]);
  const y = cond(x.sum().gt(0), (a) => a.floor(), (a) => a.sign(), x);
  const [grad] = gradients(y.sum(), [x]);
  graph.output('grad', grad);
  assert.deepEqual([...graph.eval({ x: [1, 2, 3] }).grad.data], [0, 0, 0]);
  assert.doesNotMatch(String(graph), /cotangents/);
});

// ------------------------------------------------------------------------------------------- loops

test('forLoop: any number of rounds', () => {
  for (const rounds of [0, 1, 2, 7]) {
    checkDerivatives(
      ({ x, w }) => forLoop(0, rounds, (i, c) => c.mul(w).sin().add(i.convert(c.dtype)), x),
      randomOf({ x: [3], w: [3] }),
    );
  }
});

test('forLoop: rounds that a symbol counts', () => {
  for (const n of [1, 2, 5]) {
    checkDerivatives(({ x, w }) => forLoop(0, x.shape[0], (i, c) => c.mul(w).tanh(), w.exp()).mul(x.sum()), randomOf({ x: [n], w: [] }), { symbolic: { x: ['n'] } });
  }
});

/** A recurrent network: the state goes on, what it gives is stacked. */
const recurrent = (reverse) => ({ h, x, w, u }) => {
  const step = (c, v) => {
    const next = w.matmul(c).add(u.matmul(v)).tanh();
    return [next, next.mul(c).sum()];
  };
  return scan(step, h, x, { reverse });
};

test('scan: both directions, any length', () => {
  for (const reverse of [false, true])
    for (const length of [1, 2, 5])
      checkDerivatives((given) => recurrent(reverse)(given), randomOf({ h: [3], x: [length, 2], w: [3, 3], u: [3, 2] }), { symbolic: { x: ['n', 2] } });
});

test('scan of no rounds passes cotangents on', () => {
  const build = (given) => recurrent(false)(given)[0];
  checkDerivatives(build, { ...randomOf({ h: [3], w: [3, 3], u: [3, 2] }), x: randomTensor([0, 2]) }, { wrt: ['h', 'w', 'u'] });
});

test('a carried value that only another one needs, and one that nobody does', () => {
  checkDerivatives(
    ({ x, y }) =>
      forLoop(0, 4, (_, { a, b, dead, n }) => ({ a: a.mul(b.sin()), b: b.add(y), dead: dead.mul(y), n: n.add(1) }), { a: x, b: y, dead: x, n: y.sum().convert('i32') }).a,
    randomOf({ x: [3], y: [3] }),
  );
});

test('values that change places from round to round', () => {
  checkDerivatives(({ x, y }) => Object.values(forLoop(0, 3, (_, { a, b }) => ({ a: b.sin(), b: a.mul(y) }), { a: x, b: y })), randomOf({ x: [3], y: [3] }));
});

test('map: only what is stacked, and a constant', () => {
  for (const n of [1, 3]) checkDerivatives(({ x, w }) => map((row) => row.mul(w).exp().sum(), x), randomOf({ x: [n, 2], w: [2] }));
});

test('loops in loops, and choices in them', () => {
  checkDerivatives(({ x, w }) => forLoop(0, 3, (_, c) => forLoop(0, 2, (__, e) => w.matmul(e).sin().add(c), c), x), randomOf({ x: [3], w: [3, 3] }));
  checkDerivatives(
    ({ x, w }) => forLoop(0, 4, (i, c) => cond(i.rem(2).eq(0), () => w.mul(c).sin(), () => c.tanh().add(w)), x),
    randomOf({ x: [3], w: [3] }),
  );
  checkDerivatives(
    ({ x, w }) => cond(x.sum().gt(-9), (a) => scan((c, v) => [c.mul(v).sin(), c], w, a), (a) => [w, a], x),
    randomOf({ x: [3], w: [] }),
  );
});

test('what only depends on constants of a loop is not stacked', () => {
  const graph = new Graph('constants');
  const [x, w] = [graph.input('x', 'f64', [5]), graph.input('w', 'f64', [5, 5])];
  const y = forLoop(0, 9, (_, c) => w.exp().matmul(c).mul(w.sum()), x);
  const grads = gradients(y.sum(), [x, w]);
  grads.forEach((grad, i) => graph.output(`grad ${i}`, grad));
  assert.doesNotMatch(String(graph), /result .* : f64\[9, 5, 5\]/);
});

test('a loop is differentiated in place: it runs once forward, however often it is asked', () => {
  const graph = new Graph('once');
  const x = graph.input('x', 'f64', [3]);
  const y = forLoop(0, 5, (_, c) => c.sin(), x);
  graph.output('y', y);
  for (const seed of [1, 2]) graph.output(`grad ${seed}`, gradients(y.mul(seed).sum(), [x])[0]);
  assert.equal([...String(graph).matchAll(/= for /g)].length, 3);
  const [result] = [graph.eval({ x: [1, 2, 3] })];
  assertNear(result['grad 2'].data, Array.from(result['grad 1'].data, (g) => 2 * g), 1e-15, 'twice');
});

test('derivatives inside the body of a loop', () => {
  checkDerivatives(
    ({ x }) =>
      forLoop(0, 3, (_, c) => {
        const inner = forLoop(0, 2, (__, e) => e.mul(c).sin(), c);
        return c.sub(pullBack(stateOf(inner), [inner], [c], [c])[0].mul(0.1));
      }, x),
    randomOf({ x: [3] }),
    { second: false },
  );
});

test('a step that divides by zero only in rounds that are not made gives no NaN', () => {
  const graph = new Graph('nan');
  const x = graph.input('x', 'f64');
  const y = cond(x.eq(0), (a) => a, (a) => a.div(a).log(), x);
  graph.output('grad', gradients(y, [x])[0]);
  assert.equal(graph.eval({ x: 0 }).grad.data[0], 1);
});

// ------------------------------------------------------------------------------------------- while

/** Grows until it is large enough, so data says how many rounds there are. @type {(limit: number) => (given: any) => any} */
const grown = (limit) => ({ x, w }) => {
  const more = ({ v }) => v.sum().lt(limit);
  const grow = ({ v, n, dead }) => ({ v: v.mul(1.25).add(v.mul(w).sin().mul(0.1)), n: n.add(1), dead: dead.mul(w) });
  return whileLoop(more, grow, { v: x.square().add(0.5), n: x.sum().mul(0).convert('i32'), dead: x }).v;
};

test('whileLoop: no round, one and many', () => {
  for (const limit of [-1, 2.2, 40]) checkDerivatives(grown(limit), randomOf({ x: [3], w: [3] }), { second: limit === 2.2 });
  checkDerivatives(grown(4), randomOf({ x: [3], w: [3] }), { symbolic: { x: ['n'], w: ['n'] }, second: false });
});

test('whileLoop: thousands of rounds', () => {
  const graph = new Graph('many');
  const [x, n] = [graph.input('x', 'f64', [2]), graph.input('n', 'i64')];
  const last = whileLoop(({ i }) => i.lt(n), ({ i, v }) => ({ i: i.add(1), v: v.sub(v.mul(v).mul(1e-4)) }), { i: n.mul(0), v: x });
  graph.output('grad', gradients(last.v.sum(), [x])[0]);
  const program = graph.compile();
  for (const rounds of [0, 1, 2, 3, 4, 5, 63, 64, 65, 1000, 4097]) {
    const want = [1, 2].map((start) => {
      let [v, slope] = [start, 1];
      for (let i = 0; i < rounds; i++) {
        slope *= 1 - 2e-4 * v;
        v -= v * v * 1e-4;
      }
      return slope;
    });
    assertNear(program.run({ x: Float64Array.of(1, 2), n: BigInt(rounds) }).grad.data, want, 1e-12, `${rounds} rounds`);
  }
  program.dispose();
});

test('whileLoop in forLoop, and the other way round', () => {
  checkDerivatives(({ x, w }) => forLoop(0, 2, (_, c) => grown(4)({ x: c, w }), x), randomOf({ x: [2], w: [2] }), { second: false });
  checkDerivatives(
    ({ x, w }) => whileLoop(({ v }) => v.sum().lt(6), ({ v }) => ({ v: forLoop(0, 2, (_, c) => c.mul(1.2).add(w.sin().square()), v) }), { v: x.square().add(0.5) }).v,
    randomOf({ x: [2], w: [2] }),
    { second: false },
  );
});
