// Runs that repeat the one before, and runs of very many arrays: the short ways give what the long one gives.
'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { Graph } = require('graphjit');

/** z = x + y, w = x · y on vectors. */
function twoResults() {
  const graph = new Graph('two');
  const x = graph.input('x', 'f64', ['n']);
  const y = graph.input('y', 'f64', ['n']);
  return graph.output('z', x.add(y)).output('w', x.mul(y)).compile();
}

const filled = (length, value) => new Float64Array(length).fill(value);

test('repeating a run on the same arrays sees what they hold now', () => {
  const program = twoResults();
  const [x, y, z, w] = [filled(5, 1), filled(5, 2), filled(5, 0), filled(5, 0)];
  for (let i = 0; i < 6; i++) {
    x.fill(i);
    const results = program.run({ x, y }, { w, z });
    assert.equal(results.z.data, z);
    assert.equal(results.w.data, w);
    assert.deepEqual([...z, ...w], [...filled(5, i + 2), ...filled(5, 2 * i)]);
    results.z = null; // the object is the caller's
  }
});

test('repeated runs may change to other arrays, lengths and fresh outputs at any time', () => {
  const program = twoResults();
  const sets = [3, 3, 7].map((length) => ['x', 'y', 'z', 'w'].map(() => filled(length, 0)));
  const order = [0, 0, 0, 1, 0, 1, 1, 1, 2, 2, 2, 0, 0, 2, 1, 1];
  order.forEach((which, step) => {
    const [x, y, z, w] = sets[which];
    x.fill(step);
    y.fill(3);
    const { z: sum } = step % 5 === 4 ? program.run({ x, y }) : program.run({ x, y }, { z, w });
    assert.deepEqual(sum.toArray(), [...filled(x.length, step + 3)]);
    assert.equal(sum.data === z, step % 5 !== 4);
  });
});

test('a repeated run refuses what the first would have refused', () => {
  const program = twoResults();
  const [x, y, z, w] = [0, 1, 2, 3].map(() => filled(4, 1));
  for (let i = 0; i < 4; i++) program.run({ x, y }, { z, w });
  assert.throws(() => program.run({ x, y }, { z, w, v: w }), { code: 'ERR_ARGUMENT', message: /unknown output 'v'/ });
  assert.throws(() => program.run({ x, y }, { z }), { code: 'ERR_ARGUMENT', message: /output 'w' .* is missing/ });
  assert.throws(() => program.run({ x, y, z }, { z, w }), { code: 'ERR_ARGUMENT', message: /unknown input 'z'/ });
  assert.throws(() => program.run({ x, y }, { z: w, w }), { code: 'ERR_ARGUMENT', message: /overlaps/ });
  structuredClone(y.buffer, { transfer: [y.buffer] });
  assert.throws(() => program.run({ x, y }, { z, w }), { code: 'ERR_STATE', message: /input 'y' is detached/ });
  program.dispose();
  assert.throws(() => program.run({ x, y: x }, { z, w }), { code: 'ERR_STATE', message: /disposed/ });
});

test('getters that run the program inside of a run do not disturb it', () => {
  const program = twoResults();
  const [x, y, z, w] = [0, 1, 2, 3].map(() => filled(4, 1));
  const other = [0, 1, 2, 3].map(() => filled(9, 5));
  for (let i = 0; i < 3; i++) program.run({ x, y }, { z, w });
  const inputs = {
    x,
    get y() {
      for (let i = 0; i < 3; i++) program.run({ x: other[0], y: other[1] }, { z: other[2], w: other[3] });
      return y;
    },
  };
  for (let i = 0; i < 3; i++) {
    z.fill(0);
    program.run(inputs, { z, w });
    assert.deepEqual([...z], [2, 2, 2, 2]);
    assert.equal(other[2][8], 10);
  }
});

test('a bound function checks arrays that lie in one buffer, and empty ones', () => {
  const program = twoResults();
  const buffer = new ArrayBuffer(256);
  const [x, y, z, w] = [0, 64, 128, 192].map((offset) => new Float64Array(buffer, offset, 4));
  const call = program.bind({ x, y }, { z, w });
  x.fill(2);
  call();
  assert.deepEqual([...z], [2, 2, 2, 2]);
  structuredClone(buffer, { transfer: [buffer] });
  assert.throws(call, { code: 'ERR_STATE', message: /input 'x' was detached/ });
  const empty = program.bind({ x: filled(0, 0), y: filled(0, 0) });
  assert.equal(empty().z.size, 0);
});

/** copies of `count` inputs */
function manyPorts(count) {
  const graph = new Graph('many');
  const names = Array.from({ length: count }, (_, i) => `p${i}`);
  for (const name of names) graph.output(`${name}_out`, graph.input(name, 'i32', ['n']).add(1));
  return { program: graph.compile(), names };
}

test('overlap is found among hundreds of arrays, and only where it is', () => {
  const { program, names } = manyPorts(100);
  const buffer = new ArrayBuffer(64 * 400);
  const at = (place) => new Int32Array(buffer, place * 64, 16);
  const inputs = Object.fromEntries(names.map((name, i) => [name, at(2 * ((i * 37) % 100))]));
  const outputs = Object.fromEntries(names.map((name, i) => [`${name}_out`, at(2 * ((i * 61) % 100) + 1)]));
  program.run(inputs, outputs);
  inputs.p7 = inputs.p8; // inputs may be the same
  program.run(inputs, outputs);
  assert.equal(outputs.p7_out[3], inputs.p8[3] + 1);
  const touching = { ...outputs, p40_out: new Int32Array(buffer, 4 * 3 + 64 * 200, 16) };
  program.run(inputs, touching); // right behind the last array
  const shifted = new Int32Array(inputs.p55.buffer, inputs.p55.byteOffset + 60, 16);
  assert.throws(() => program.run(inputs, { ...outputs, p3_out: shifted }), {
    code: 'ERR_ARGUMENT',
    message: /^run: output 'p\d+_out' overlaps (input|output) 'p\d+(_out)?' in memory$/,
  });
  const twice = { ...outputs, p3_out: outputs.p99_out };
  assert.throws(() => program.run(inputs, twice), { code: 'ERR_ARGUMENT', message: /output 'p99_out' overlaps output 'p3_out'/ });
  const long = new Int32Array(buffer, 0, 16 * 3); // an input around an output
  assert.throws(() => program.run({ ...inputs, p20: long.subarray(12, 28) }, outputs), { code: 'ERR_ARGUMENT', message: /overlaps input 'p20'/ });
});
