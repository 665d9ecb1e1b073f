// Derivatives of random programs of control flow, nested two deep: forward against reverse mode, to second order, against
// differences, and reference against compiled. A failure names the seed of its program.
'use strict';

require('../support/verify.js');
const assert = require('node:assert/strict');
const { test } = require('node:test');
const { Graph, cond, forLoop, map, scan, switchCase, whileLoop } = require('graphjit');
const { stateOf } = require('../../lib/graph/value.js');
const { pullBack, pushForward } = require('../../lib/transform/derivatives.js');
const { checkpoint, customGrad } = require('../../lib/transform/overrides.js');
const { assertNear, randomTensor } = require('./support.js');

const SIZE = 3;
const PROGRAMS = 16;

/** sin(a · b) with its cotangents written out. */
const product = customGrad(
  (a, b) => a.mul(b).sin(),
  ([a, b], _, ct) => [b, a].map((other) => ct.mul(a.mul(b).cos()).mul(other)),
);

/** A program of vectors of SIZE: what it makes of two of them. @type {(seed: number) => (x: any, y: any) => any} */
function programOf(seed) {
  let state = seed;
  const below = (/** @type {number} */ n) => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return (state >> 8) % n;
  };
  /** @type {((pick: () => any, inner: (more: any[], count: number) => any) => any)[]} */
  const plain = [
    (pick) => pick().sin(),
    (pick) => pick().mul(pick()).tanh(),
    (pick) => pick().add(pick()),
    (pick) => pick().sum().tanh().mul(pick()),
    (pick) => pick().sub(pick()).cos(),
    (pick) => pick().exp().add(1).log(),
    (pick) => pick().reshape([SIZE, 1]).mul(pick().reshape([1, SIZE])).sum({ axis: below(2) }).tanh(),
  ];
  const control = [
    (pick, inner) => forLoop(0, below(4), (_, c) => inner([c], 2), pick()),
    (pick, inner) => {
      const isShifted = below(2) === 1;
      const step = (_, { a, b }) => ({ a: inner([a, b], 2), b: isShifted ? a : inner([b], 1) });
      return forLoop(0, below(3) + 1, step, { a: pick(), b: pick() })[below(2) ? 'a' : 'b'];
    },
    (pick, inner) => {
      const step = (c, x) => [inner([c], 2).add(x), inner([c], 1).mul(x).sum()];
      return scan(step, pick(), pick(), { reverse: below(2) === 1 })[below(2)];
    },
    (pick, inner) => map((x) => inner([], 2).mul(x).sum().tanh(), pick()),
    (pick, inner) => cond(pick().sum().gt(0.1), () => inner([], 2), () => inner([], 2)),
    (pick, inner) => {
      const at = pick();
      const index = at.sum().mul(3).convert('i32').abs().rem(3);
      return switchCase(index, [() => inner([], 1), () => at, () => inner([], 2)]);
    },
    (pick, inner) => {
      const [rounds, start] = [below(4), pick()];
      const zero = start.sum().mul(0).convert('i32');
      return whileLoop(({ n }) => n.lt(rounds), ({ n, v }) => ({ n: n.add(1), v: inner([v], 2) }), { n: zero, v: start }).v;
    },
    (pick, inner) => checkpoint((a) => inner([a], 2))(pick()),
    (pick) => product(pick(), pick()),
  ];
  /** @type {(known: any[], depth: number, count: number) => any} */
  const block = (known, depth, count) => {
    const own = [...known];
    const pick = () => own[below(own.length)];
    const kinds = depth > 0 ? [...plain, ...control] : plain;
    for (let i = 0; i < count; i++)
      own.push(kinds[below(kinds.length)](pick, (more, inside) => block([...own, ...more], depth - 1, inside)));
    return own[own.length - 1];
  };
  return (x, y) => block([x, y], 2, 4);
}

/** @type {(a: any, b: any) => number} */
const dot = ({ data: a }, { data: b }) => a.reduce((sum, x, i) => sum + x * b[i], 0);

/** @type {(seed: number) => void} */
function check(seed) {
  const graph = new Graph(`program ${seed}`);
  const [x, y, ct, tx, ty] = ['x', 'y', 'ct', 'tx', 'ty'].map((name) => graph.input(name, 'f64', [SIZE]));
  const result = programOf(seed)(x, y);
  const state = stateOf(result);
  const grads = pullBack(state, [result], [ct], [x, y]);
  const outputs = {
    result, gx: grads[0], gy: grads[1], change: pushForward(state, [x, y], [tx, ty], [result])[0],
    ...pushForward(state, [x, y], [tx, ty], grads), ...Object.fromEntries(pullBack(state, grads, [tx, ty], [x, y]).map((g, i) => [`second ${i}`, g])),
  };
  for (const [name, value] of Object.entries(outputs)) graph.output(name, value);
  const given = Object.fromEntries(['x', 'y', 'ct', 'tx', 'ty'].map((name, i) => [name, randomTensor([SIZE], { seed: 10 * seed + i, lo: -0.5, hi: 0.5 })]));
  const got = graph.eval(given);
  const program = graph.compile({ optLevel: 0 });
  const compiled = program.run(given);
  program.dispose();
  const named = (/** @type {string} */ what) => `program ${seed}: ${what}`;
  for (const name of Object.keys(got)) assertNear(compiled[name].data, got[name].data, 1e-10, named(`${name}, compiled`));
  assertNear([dot(got.change, given.ct)], [dot(got.gx, given.tx) + dot(got.gy, given.ty)], 1e-11, named('forward against reverse'));
  for (const i of [0, 1]) assertNear(got[`second ${i}`].data, got[i].data, 1e-10, named('second derivatives'));
  const at = (/** @type {number} */ h) => {
    const moved = ['x', 'y'].map((name) => [name, given[name].data.map((v, i) => v + h * given[`t${name}`].data[i])]);
    return graph.eval({ ...given, ...Object.fromEntries(moved) }).result.data;
  };
  const [up, down] = [at(1e-5), at(-1e-5)];
  assertNear(got.change.data, Array.from(up, (v, i) => (v - down[i]) / 2e-5), 1e-7, named('differences'));
  assert.equal(String(Graph.parse(String(graph))), String(graph));
}

test('random programs of control flow', () => {
  for (let seed = 1; seed <= PROGRAMS; seed++) check(seed);
});
