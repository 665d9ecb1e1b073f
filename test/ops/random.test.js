// Random graphs through the public API: the reference evaluator, machine code and wasm must agree to the
// last bit.
//
// Only ops with exact results are used, float sums only of small whole numbers. Operands are picked at
// random and often do not fit; what the builder refuses with a GraphError is skipped, anything else that
// it throws fails the test. A seed says everything about its graph. test/c/random_graph.h does the same
// below JavaScript, with more seeds and the evaluator of Loop IR.
'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { Graph, GraphError, tensor } = require('graphjit');
const { assertAgreement, native, reference, variants: known, wasm } = require('../support/oracles.js');
const { ALL, arrayOf, isFloat, randomOf, randoms, specials } = require('../support/values.js');
const { elementwise } = require('./table.js');

/** @typedef {import('graphjit').Value} Value */

const SEEDS = 100;
const MOST_ELEMENTS = 4096;
const SIZES = [0, 1, 2, 3, 8, 17, 33];

const camelCase = (/** @type {string} */ name) => name.replace(/_(.)/g, (_, letter) => letter.toUpperCase());
const exactOps = Object.entries(elementwise).filter(([name, row]) => !row.ulp && name !== 'bitcast');

class Builder {
  /** @param {number} seed */
  constructor(seed) {
    this.random = randomOf(seed);
    this.graph = new Graph(`random ${seed}`);
    this.sizes = { n: this.pick(SIZES), m: this.pick(SIZES) };
    /** @type {Value[]} */
    this.values = [this.graph.input('binds', 'f32', ['n', 'm'])];
    const inputs = 1 + this.below(3);
    for (let i = 0; i < inputs; i++) this.values.push(this.graph.input(`x${i}`, this.dtype(), this.shape()));
  }

  /** @param {number} limit */
  below(limit) {
    return Math.floor(this.random() * limit);
  }

  /** @template T @param {readonly T[]} list @returns {T} */
  pick(list) {
    return list[this.below(list.length)];
  }

  /** @returns {any} */
  dtype() {
    return this.pick(ALL);
  }

  /** @returns {(number | string)[]} */
  shape() {
    return Array.from({ length: this.below(4) }, () => this.pick([1, 1, 2, 3, 4, 7, 16, 'n', 'n', 'm']));
  }

  value() {
    return this.below(3) > 0 ? this.pick(this.values.slice(-6)) : this.pick(this.values);
  }

  /** How many elements a value has for the sizes of this graph. @param {Value} value */
  count({ shape }) {
    const { n, m } = this.sizes;
    const sizes = shape.map((size) => (typeof size === 'number' ? size : new Function('n', 'm', 'max', `return ${size}`)(n, m, Math.max)));
    return sizes.reduce((a, b) => a * b, 1);
  }

  elementwise() {
    const [name, { arity = 1, dtypes, first, variants }] = this.pick(exactOps);
    const dtype = this.pick(dtypes);
    const operands = Array.from({ length: arity }, (_, i) => {
      const own = i === 0 && first ? first : dtype;
      const value = this.value();
      return value.dtype === own ? value : value.convert(own);
    });
    const [x, ...others] = operands;
    const args = variants ? this.pick(variants(dtype)) : [];
    return /** @type {any} */ (x)[camelCase(name)](...others, ...args);
  }

  movement() {
    const x = this.value();
    const axis = this.below(Math.max(1, x.rank));
    const flip = this.below(2) === 0;
    const range = () => this.pick([null, [1, null], [null, null, -1], [null, null, 2], [null, -1], [0, 2], -1, 0]);
    return this.pick([
      () => x.transpose(flip ? undefined : x.shape.map((_, i) => (i + 1) % x.rank)),
      () => x.reshape([-1]),
      () => x.expandDims(axis),
      () => x.reverse(flip ? axis : undefined),
      () => x.slice(...x.shape.map(range)),
      () => x.slice(...x.shape.map(range)),
      () => x.pad(x.shape.map(() => [this.below(4) - 1, this.below(4) - 1]), { interior: this.below(3) >> 1, value: flip ? 1 : 0 }),
      () => x.concat(flip ? x : this.value(), { axis }),
      () => x.broadcastTo([this.pick([2, 'n', 3]), ...x.shape]),
      () => x.dynamicSlice(x.shape.map(() => this.below(9) - 3), x.shape.map((size) => (typeof size === 'number' ? Math.ceil(size / 2) : size))),
      () => x.updateSlice(x.slice(...x.shape.map(() => [1, null])), x.shape.map(() => this.below(5) - 2)),
      () => this.graph.iota(x.rank ? x.shape : [5], { dtype: this.pick(['i64', 'f32', 'u8']), axis }),
    ])();
  }

  reduction() {
    const x = this.value();
    const axes = x.shape.map((_, i) => i).filter(() => this.below(2) === 0);
    return this.pick([
      () => (isFloat(x.dtype) ? x.convert('i8').convert(x.dtype) : x).reduceSum(axes),
      () => (isFloat(x.dtype) ? x.convert('i8') : x).reduceProd(axes),
      () => x.reduceMin(axes),
      () => x.reduceMax(axes),
      () => x.convert('bool').reduceAnd(axes),
      () => x.reduceOr(axes),
      () => x.argmin(axes.length > 0 ? { axis: axes[0] } : {}),
      () => x.argmax(axes.length > 0 ? { axis: axes[0], keepDims: true } : {}),
    ])();
  }

  step() {
    const kind = this.below(10);
    try {
      const value = kind < 5 ? this.elementwise() : kind < 8 ? this.movement() : this.reduction();
      if (this.count(value) <= MOST_ELEMENTS) this.values.push(value);
    } catch (error) {
      if (!(error instanceof GraphError) || error.code === 'ERR_INTERNAL') throw error;
    }
  }

  build() {
    const steps = 6 + this.below(24);
    for (let i = 0; i < steps; i++) this.step();
    const outputs = [...new Set([this.values.at(-1), this.value(), this.value(), this.pick(this.values)])];
    outputs.forEach((value, i) => this.graph.output(`z${i}`, /** @type {Value} */ (value)));
    return this.graph;
  }

  inputs() {
    return Object.fromEntries(
      this.graph.inputs.map(({ name, dtype, shape }, i) => {
        const own = shape.map((size) => (typeof size === 'string' ? this.sizes[/** @type {'n'} */ (size)] : size));
        const pool = [...specials(dtype), ...randoms(dtype, 20, i + 1)];
        const data = arrayOf(dtype, Array.from({ length: own.reduce((a, b) => a * b, 1) }, () => this.pick(pool)));
        return [name, { dtype, shape: own, data }];
      }),
    );
  }
}

/** @param {number} seed @returns {Promise<boolean>} whether the graph could run with its sizes */
async function checkSeed(seed) {
  const builder = new Builder(seed);
  const graph = builder.build();
  const inputs = builder.inputs();
  const title = `seed ${seed}, ${JSON.stringify(builder.sizes)}`;
  assert.equal(Graph.parse(graph.toString()).toString(), graph.toString(), title);
  const ways = [native(graph, { numerics: 'strict' }), native(graph, { optLevel: 0 }), await wasm(graph, known[seed % known.length])];
  try {
    let want;
    try {
      want = reference(graph, inputs);
    } catch (error) {
      // A slice that leaves its axis for these sizes, for instance: all must refuse the same.
      const { code } = /** @type {GraphError} */ (error);
      const given = Object.entries(inputs).map(([name, { data, dtype, shape }]) => [name, tensor(data, { dtype, shape })]);
      for (const way of ways) {
        assert.throws(() => way.run(Object.fromEntries(given), undefined), { code }, `${title}, ${way.name}\n${graph}`);
      }
      return false;
    }
    assertAgreement(ways, inputs, want, { title: `${title}\n${graph}` });
    return true;
  } finally {
    for (const way of ways) way.dispose();
    graph.dispose();
  }
}

test('random graphs are the same in the reference, in machine code and in wasm', async () => {
  const first = Number(process.env.GRAPHJIT_SEED ?? 1);
  const count = Number(process.env.GRAPHJIT_SEEDS ?? SEEDS);
  let ran = 0;
  for (let seed = first; seed < first + count; seed++) ran += Number(await checkSeed(seed));
  assert.ok(ran >= count * 0.6, `only ${ran} of ${count} graphs could run`);
});
