// Random sequences of operations, views, writes and looks at tensors, beside the same on plain arrays: whatever is pending,
// shared, handed out or disposed of, elements are what they would be if everything were computed at once.
'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { tensor } = require('graphjit');
const { randomOf } = require('./support/values.js');

const SHAPES = [[3, 4], [1], [], [20, 30], [30], [20, 1], [600], [2, 300], [25, 40], [1000], [4, 16], [64, 100], [100, 64]];
const CLASSES = { f64: Float64Array, f32: Float32Array, i32: Int32Array };

/** What a tensor should be: a view of a plain array. */
class Model {
  constructor(store, shape, strides, offset) {
    Object.assign(this, { store, shape, strides, offset });
  }

  /** @param {number[]} store @param {number[]} shape */
  static over(store, shape) {
    const strides = shape.map((_, axis) => shape.slice(axis + 1).reduce((a, b) => a * b, 1));
    return new Model(store, shape, strides, 0);
  }

  /** Elements in their order. @returns {number[]} */
  flat() {
    const found = [];
    const walk = (axis, at) => {
      if (axis === this.shape.length) found.push(this.store[at]);
      else for (let i = 0; i < this.shape[axis]; i++) walk(axis + 1, at + i * this.strides[axis]);
    };
    walk(0, this.offset);
    return found;
  }

  /** @param {number[]} shape */
  broadcast(shape) {
    const lead = shape.length - this.shape.length;
    const strides = shape.map((_, axis) => (axis < lead || this.shape[axis - lead] === 1 ? 0 : this.strides[axis - lead]));
    return new Model(this.store, shape, strides, this.offset).flat();
  }
}

/** @type {(a: number[], b: number[]) => number[] | null} */
function joint(a, b) {
  const rank = Math.max(a.length, b.length);
  const [p, q] = [a, b].map((shape) => [...new Array(rank - shape.length).fill(1), ...shape]);
  if (p.some((size, axis) => size !== q[axis] && size !== 1 && q[axis] !== 1)) return null;
  return p.map((size, axis) => Math.max(size, q[axis]));
}

const two = { add: (a, b) => a + b, sub: (a, b) => a - b, mul: (a, b) => a * b, max: (a, b) => Math.max(a, b) };

/** One sequence. */
class Sequence {
  constructor(seed) {
    this.random = randomOf(seed);
    this.pool = [];
  }

  upTo(count) {
    return Math.floor(this.random() * count);
  }

  pick(list) {
    return list[this.upTo(list.length)];
  }

  add(t, model, dtype) {
    assert.deepEqual(t.shape, model.shape);
    this.pool.push({ t, model, dtype });
  }

  /** A tensor over an array of its own, or one of the caller. */
  fresh() {
    const shape = this.pick(SHAPES);
    const elements = Array.from({ length: shape.reduce((a, b) => a * b, 1) }, () => this.upTo(20) - 10);
    const dtype = this.pick(['f64', 'f64', 'f32', 'i32']);
    const t = this.upTo(5) < 2 ? tensor(CLASSES[dtype].from(elements), { shape }) : tensor(elements, { dtype, shape });
    this.add(t, Model.over(elements, shape), dtype);
  }

  /** Results stay below 97, so that they are exact in every dtype. */
  keep(t, values, shape, dtype) {
    this.add(t.rem(97), Model.over(values.map((value) => value % 97), shape), dtype);
  }

  compute({ t, model, dtype }) {
    const name = this.pick(Object.keys(two));
    const number = this.upTo(9) - 4;
    if (this.upTo(3) === 0) return this.keep(t[name](number), model.flat().map((v) => two[name](v, number)), model.shape, dtype);
    const other = this.pick(this.pool.filter((one) => one.dtype === dtype));
    const shape = joint(model.shape, other.model.shape);
    if (shape === null || shape.length > 4) return undefined;
    const [a, b] = [model.broadcast(shape), other.model.broadcast(shape)];
    return this.keep(t[name](other.t), a.map((v, i) => two[name](v, b[i])), shape, dtype);
  }

  view({ t, model, dtype }) {
    const { store, shape, strides, offset } = model;
    if (this.upTo(2) === 0) return this.add(t.T, new Model(store, shape.toReversed(), strides.toReversed(), offset), dtype);
    if (shape.length === 0 || shape[0] < 2) return undefined;
    const start = this.upTo(shape[0] - 1);
    return this.add(t.slice([start, null]), new Model(store, shape.with(0, shape[0] - start), strides, offset + start * strides[0]), dtype);
  }

  write({ t, model }) {
    const value = this.upTo(20) - 10;
    const index = model.shape.map((size) => this.upTo(size));
    const at = index.reduce((sum, i, axis) => sum + i * model.strides[axis], model.offset);
    if (this.upTo(2) === 0) t.set(index, value);
    else t.data[at] = value;
    model.store[at] = value;
  }

  look({ t, model }) {
    const how = this.upTo(3);
    if (how === 0) assert.equal(t.sum({ dtype: 'f64' }).item(), model.flat().reduce((a, b) => a + b, 0));
    else if (how === 1) assert.deepEqual([t.toArray()].flat(9).map((v) => v + 0), model.flat().map((v) => v + 0));
    else assert.deepEqual(Array.from(t.copy().data, (v) => v + 0), model.flat().map((v) => v + 0));
  }

  drop(one) {
    this.pool.splice(this.pool.indexOf(one), 1);
    if (this.upTo(3) === 0 && !this.pool.some(({ model }) => model.store === one.model.store)) one.t.dispose();
  }

  step() {
    while (this.pool.length < 6) this.fresh();
    const one = this.pick(this.pool);
    this[this.pick(['compute', 'compute', 'compute', 'compute', 'view', 'write', 'look', 'drop'])](one);
    if (this.pool.length > 25) this.drop(this.pick(this.pool));
  }
}

for (const seed of [1, 2, 3, 4]) {
  test(`tensors are what they would be without waiting, sequence ${seed}`, () => {
    const sequence = new Sequence(seed);
    for (let step = 0; step < 600; step++) sequence.step();
    for (const one of sequence.pool) sequence.look(one);
  });
}
