// What is known of operators comes from the tables of the core: what each costs, and which are flat.
'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { opRows } = require('../../lib/base/ops.js');
const { ruleOf } = require('../../lib/native/grad/rules.js');
const M = require('../../lib/native/tir/machine.js');
const { associates, cyclesOf, functionOf, isFlat } = require('../../lib/native/tir/operators.js');

const names = (/** @type {(row: import('../../lib/base/binding.js').OpRow) => boolean} */ holds) =>
  [...opRows.values()].filter(holds).map(({ name }) => name).sort().join(' ');

test('rows tell flags by name, operations and cycles', () => {
  assert.deepEqual(opRows.get('add')?.flags, ['commutes', 'associates', 'exact']);
  assert.deepEqual(opRows.get('reduce_max')?.flags, ['costly', 'keeps']);
  assert.deepEqual(opRows.get('neg')?.flags, ['exact', 'keeps']);
  const { narrowFlops, wideFlops, cycles, jsCycles } = /** @type {import('../../lib/base/binding.js').OpRow} */ (opRows.get('pow'));
  assert.deepEqual([narrowFlops, wideFlops, cycles, jsCycles], [42, 105, 0, 40]);
  assert.equal(names(({ flags }) => flags.includes('flat')), 'ceil floor round_even sign trunc');
  assert.equal(names(({ jsCycles: own }) => own > 0).split(' ').length, 23);
  assert.equal(names(({ cycles: own }) => own > 0), 'div rem sqrt');
});

test('what is flat has no rule, and all else that gives floats has one', () => {
  for (const op of ['floor', 'ceil', 'trunc', 'sign', 'round_even', 'js_round']) assert.ok(isFlat(op) && !ruleOf(op), op);
  for (const { name } of [...opRows.values()].filter(({ jsCycles }) => jsCycles > 0)) assert.ok(!isFlat(name) && ruleOf(name), name);
  assert.equal(ruleOf('js_hypot5'), ruleOf('hypot'));
});

test('math, roots and divisions are long, and functions of JavaScript are found by their names', () => {
  assert.deepEqual(['local', 'add', 'load', 'js_round', 'div', 'sqrt', 'rem', 'exp', 'pow', 'js_hypot3', 'erf'].map(cyclesOf), [1, 1, 2, 3, 4, 6, 12, 20, 40, 20, 114]);
  assert.deepEqual(['js_round', 'js_hypot3', 'js_hypot12'].map(functionOf), [{ name: 'js_round', count: 0 }, { name: 'js_hypot', count: 3 }, { name: 'js_hypot', count: 12 }]);
  for (const op of ['js_hypot', 'js_hypot2', 'js_hypot3x', 'js_round1', 'hypot3', 'toString', 'js_tostring']) assert.equal(functionOf(op), null, op);
  const x = /** @type {import('../../lib/native/tir/index.js').Expression} */ ({ op: 'const', type: 'f64', value: 2, args: [] });
  const isCheap = (/** @type {string} */ op) => M.isCheap({ op, type: 'f64', args: [x] });
  assert.deepEqual(['neg', 'js_round', 'wrap'].map(isCheap), [true, true, true]);
  assert.deepEqual(['div', 'sqrt', 'sin', 'js_hypot3', 'load', 'choose'].map(isCheap), [false, false, false, false, false, false]);
  assert.deepEqual(['add', 'mul', 'min', 'max', 'and', 'or', 'xor'].filter((op) => !associates(op)), []);
  assert.ok(!associates('sub') && !associates('local') && !associates('js_hypot3'));
});
