// Trees of tensors: taken apart, compared, put together; and all that is no tree.
'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const vm = require('node:vm');
const { tensor } = require('graphjit');
const { collect, countLeaves, flatten, flattenAs, isTensorLike, leafPaths, pathText, structureText, unflatten } = require('../lib/trace/pytree.js');
const { throwsGraphError: refuses } = require('./support/errors.js');

const take = (/** @type {unknown} */ tree, rules = {}) => flatten(tree, 'f', 'x', rules);

test('a tree is taken apart and put together again', () => {
  const t = tensor([1, 2]);
  const tree = { layers: [{ w: t, b: 2 }, null], seed: 3n, data: Float32Array.of(1), on: true };
  const { leaves, structure } = take(tree);
  assert.deepEqual(leaves, [t, 2, 3n, tree.data, true]);
  assert.equal(structureText(structure), '{"layers":[{"w":*,"b":*},null],"seed":*,"data":*,"on":*}');
  assert.deepEqual(unflatten(structure, leaves), tree);
  assert.equal(countLeaves(structure), 5);
  assert.deepEqual(leafPaths(structure).map((path) => pathText(path)), ['layers[0].w', 'layers[0].b', 'seed', 'data', 'on']);
});

test('a leaf, null and empty containers are trees', () => {
  for (const tree of [1, null, [], {}, [[], {}]]) assert.deepEqual(unflatten(take(tree).structure, take(tree).leaves), tree);
  refuses(() => take(undefined), 'ERR_ARGUMENT', /^f: x is undefined, expected a Tensor or a number, null, or arrays and plain objects/);
  assert.equal(structureText(take([undefined], { optional: true }).structure), '[undefined]');
});

test('names that every object inherits are names like others', () => {
  const tree = JSON.parse('{ "__proto__": 1, "constructor": { "toString": 2 }, "a b": 3 }');
  const { leaves, structure } = take(tree);
  const again = unflatten(structure, leaves);
  assert.deepEqual(Object.keys(again), ['__proto__', 'constructor', 'a b']);
  assert.equal(Object.getPrototypeOf(again), Object.prototype);
  assert.deepEqual(leafPaths(structure).map((path) => pathText(path, 'x')), ['x.__proto__', 'x.constructor.toString', 'x["a b"]']);
});

test('objects without a prototype and of other realms are plain', () => {
  const bare = Object.assign(Object.create(null), { a: 1 });
  assert.deepEqual(take(bare).leaves, [1]);
  assert.deepEqual(take(vm.runInNewContext('({ a: [1, { b: 2 }] })')).leaves, [1, 2]);
});

test('what is no tree is refused with the path to it', () => {
  class Model {}
  for (const [value, name] of [[new Map(), 'a Map'], [new Model(), 'a Model'], ['text', '"text"'], [() => 1, 'function']]) {
    refuses(() => take({ deep: [0, value] }), 'ERR_ARGUMENT', new RegExp(`^f: x\\.deep\\[1\\] is ${name}`));
  }
  refuses(() => take([Object.create({ inherited: 1 })]), 'ERR_ARGUMENT', /x\[0\] is an empty object, expected/);
});

test('cycles, holes and absurd sizes are errors', () => {
  /** @type {any} */
  const cycle = { a: [1] };
  cycle.a.push({ back: cycle });
  refuses(() => take(cycle), 'ERR_ARGUMENT', /^f: x\.a\[1\]\.back holds itself/);
  const shared = [1];
  assert.deepEqual(take([shared, shared]).leaves, [1, 1]);
  const sparse = [1];
  sparse[4e9] = 2;
  refuses(() => take(sparse), 'ERR_ARGUMENT', /^f: x has a hole at 1/);
  refuses(() => take(new Array(2 ** 32 - 1)), 'ERR_ARGUMENT', /has a hole at 0/);
  let deep = [1];
  for (let i = 0; i < 1e5; i++) deep = /** @type {any} */ ([deep]);
  refuses(() => take(deep), 'ERR_ARGUMENT', /is nested more than 200 levels deep/);
  /** @type {any} */
  let twice = [1];
  for (let i = 0; i < 60; i++) twice = [twice, twice];
  refuses(() => take(twice), 'ERR_ARGUMENT', /is one of more than 100000 values/);
  refuses(() => take(new Array(2e5).fill(0)), 'ERR_ARGUMENT', /pass a tensor in place of an array of numbers/);
  const endless = new Proxy([], { get: (_, name) => (name === 'length' ? 2 ** 50 : null) });
  refuses(() => take(endless), 'ERR_ARGUMENT', /more than 100000/);
});

test('each property is read once, and what a getter throws passes through', () => {
  let reads = 0;
  const tree = { get a() { return ++reads; } }; // prettier-ignore
  assert.deepEqual(take(tree).leaves, [1]);
  const own = new RangeError('mine');
  assert.throws(() => take({ get a() { throw own; } }), own); // prettier-ignore
});

test('a tree of the expected structure is collected at once', () => {
  const { structure } = take({ a: [1, null], b: 2 });
  const fits = (/** @type {unknown} */ tree) => {
    /** @type {unknown[]} */
    const leaves = [];
    return collect(structure, tree, isTensorLike, leaves) ? leaves : undefined;
  };
  assert.deepEqual(fits({ a: [5, null], b: 6 }), [5, 6]);
  const others = [{ b: 2, a: [1, null] }, { a: [1], b: 2 }, { a: [1, 2], b: 2 }, { a: [1, null], b: 'x' }, { a: [1, null], b: 2, c: 3 }];
  for (const other of [...others, null, 1, [], new Map()]) assert.equal(fits(other), undefined);
});

test('a tree is brought into the order of another one', () => {
  const { structure } = take({ a: { p: 1, q: [2, 3] }, b: 4 });
  const as = (/** @type {unknown} */ tree) => flattenAs(structure, tree, 'cond', 'the second branch', 'the first');
  assert.deepEqual(as({ b: 40, a: { q: [20, 30], p: 10 } }), [10, 20, 30, 40]);
  refuses(() => as({ b: 4, a: { p: 1, q: [2] } }), 'ERR_ARGUMENT', /^cond: the second branch\.a\.q is an array of 1, expected an array of 2 as in the first$/);
  refuses(() => as({ b: 4, a: { p: 1, r: [2, 3] } }), 'ERR_ARGUMENT', /the second branch\.a is an object with p, r, expected an object with p, q/);
  refuses(() => as({ b: [4], a: { p: 1, q: [2, 3] } }), 'ERR_ARGUMENT', /the second branch\.b is an array of 1, expected a tensor/);
});

test('thousands of leaves take their time, not more', () => {
  const tree = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`w${i}`, i]));
  const { leaves, structure } = take(tree);
  assert.equal(leaves.length, 20_000);
  assert.deepEqual(unflatten(structure, leaves), tree);
});
